//! What a key means: in a line that is typed, in the help screen, as a digit, or by the table of keys.

use super::jump::return_to;
use super::{answer, listing, picker, typed, update, way};
use crate::action::Action;
use crate::app::{App, Help, Prefix};
use crate::key::Key;
use crate::keymap::Meaning;

pub(super) fn press(app: &mut App, key: Key) {
    app.message = None;
    if key.0 == "Ctrl-c" {
        return update(app, Action::Quit);
    }
    if app.scan.take().is_some() && key.0 == "Esc" {
        return app.say("stopped: nothing was found so far");
    }
    if key.0 == "Esc"
        && let Some(reading) = app.debugger.as_mut().and_then(|debugger| debugger.reading.take())
    {
        return app.say(format!("stopped: {} reads so far", reading.count()));
    }
    if let Some(naming) = app.naming.take() {
        return way::named(app, naming, &key.0);
    }
    if app.typing.is_some() {
        return typed::key(app, &key.0);
    }
    if app.picker.is_some() {
        return picker::key(app, &key.0);
    }
    if app.listing.is_some() {
        return listing::key(app, &key.0);
    }
    if app.help.is_some() {
        return help_key(app, &key.0);
    }
    if key.0 == "Esc" && answer::stop_looking(app) {
        return;
    }
    if app.prefix.is_none()
        && let Some(digit) = digit(app, &key.0)
    {
        app.count = Some(app.count.unwrap_or(0).saturating_mul(10).saturating_add(digit).min(1_000_000_000));
        return;
    }
    if key.0 == "Enter" && app.count.is_some() {
        return pause(app);
    }
    let before = app.debugger.as_ref().map(|debugger| (debugger.spot(), debugger.jumps.clone()));
    let prefix = app.prefix.take();
    let sequence = prefix.as_ref().map_or_else(|| key.0.clone(), |prefix| format!("{}{}", prefix.key, key.0));
    match (app.keymap.meaning(&sequence), prefix) {
        (Meaning::Action(action), prefix) => {
            // The first key moved the cursor, because it means something alone, too.
            if let Some(Prefix { before: Some((spot, jumps)), .. }) = prefix {
                return_to(app, spot);
                if let Some(debugger) = &mut app.debugger {
                    debugger.jumps = jumps;
                }
            }
            if app.keymap.is_prefix(&sequence) {
                app.prefix = Some(Prefix { key: sequence, before });
            }
            update(app, action);
            app.count = None;
        }
        (Meaning::Prefix, _) => app.prefix = Some(Prefix { key: sequence, before: None }),
        (Meaning::Nothing, Some(_)) if key.0 == "Esc" => app.count = None,
        // Behind a key that means something alone, one that continues nothing is taken for itself; a second `g` of `gg` is
        // where `g` is already.
        (Meaning::Nothing, Some(Prefix { key: first, before: Some(_) })) => match first == key.0 {
            true => app.count = None,
            false => press(app, key),
        },
        (Meaning::Nothing, Some(prefix)) => {
            app.count = None;
            let follow: Vec<String> = app.keymap.continuations(&prefix.key).map(|(next, _)| next).collect();
            app.say(format!("{sequence} means nothing: behind {} comes one of {}", prefix.key, follow.join(" ")));
        }
        (Meaning::Nothing, None) => {
            app.count = None;
            let words = unknown(app, &key.0);
            app.say(words);
        }
    }
}

/// Returns what to say about a key that means nothing.
fn unknown(app: &App, key: &str) -> String {
    match app.keymap.near(key).as_slice() {
        [] => format!("{key} means nothing here; ? shows all keys"),
        [one] => format!("{key} means nothing here, but {one} does; ? shows all keys"),
        several => format!("{key} means nothing alone, but {} do; ? shows all keys", several.join(" ")),
    }
}

/// A first key that means something alone is taken for that; a digit that stands alone gives its panel the keys. A key
/// that means nothing alone waits on.
pub(super) fn pause(app: &mut App) {
    app.prefix = app.prefix.take().filter(|prefix| prefix.before.is_none());
    if let Some(count) = app.count.take()
        && let Meaning::Action(action) = app.keymap.meaning(&count.to_string())
    {
        update(app, action);
    }
}

/// Digits count. One that nothing follows for a moment names a panel.
fn digit(app: &App, key: &str) -> Option<usize> {
    let digit: usize = key.parse().ok().filter(|digit| *digit < 10)?;
    (digit > 0 || app.count.is_some()).then_some(digit)
}

pub(super) fn help_key(app: &mut App, key: &str) {
    let page = usize::from(app.area.height).saturating_sub(4).max(1);
    let filter = app.help.as_ref().map(|help| help.filter.clone()).unwrap_or_default();
    let last = crate::view::help_row_count(app, &filter).saturating_sub(page);
    let Some(help) = &mut app.help else { return };
    match key {
        "Esc" if !help.filter.is_empty() => *help = Help::default(),
        "Esc" | "F1" | "Enter" => app.help = None,
        "Down" => help.top = (help.top + 1).min(last),
        "Up" => help.top = help.top.saturating_sub(1),
        "PageDown" | "Ctrl-d" | "Ctrl-f" => help.top = (help.top + page).min(last),
        "PageUp" | "Ctrl-u" | "Ctrl-b" => help.top = help.top.saturating_sub(page),
        "Home" => help.top = 0,
        "End" => help.top = last,
        "Backspace" => {
            help.filter.pop();
            help.top = 0;
        }
        "q" | "?" if help.filter.is_empty() => app.help = None,
        "Space" => help.filter.push(' '),
        _ => {
            help.filter.extend(only_character(key));
            help.top = 0;
        }
    }
}

pub(super) fn only_character(key: &str) -> Option<char> {
    let mut characters = key.chars();
    characters.next().filter(|_| characters.next().is_none())
}

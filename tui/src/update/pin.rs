//! Two moments compared, and the reads of a value: answers that need more than the row under the cursor.

use replay_store::compare::states::states;

use super::answer::show;
use super::define::entry;
use crate::app::App;
use crate::content::moments;
use crate::reading::Reading;

/// Pins the position at the cursor, or lets it loose again.
pub(super) fn pin(app: &mut App) {
    let Some(debugger) = &mut app.debugger else { return };
    let at = debugger.cursor;
    let words = match debugger.way.pin {
        Some(pinned) if pinned == at => {
            debugger.way.pin = None;
            "nothing is pinned any more".to_owned()
        }
        Some(_) | None => {
            debugger.way.pin = Some(at);
            format!("{at} is pinned; = anywhere else shows what is different there")
        }
    };
    app.say(words);
}

/// Shows what is different between the pinned position and the cursor.
pub(super) fn compare(app: &mut App) {
    let Some(debugger) = &app.debugger else { return };
    let Some(pinned) = debugger.way.pin else { return app.say("nothing is pinned: v pins the position at the cursor") };
    if pinned == debugger.cursor {
        return app.say(format!("the cursor is at the pinned position {pinned}: go elsewhere first"));
    }
    let sheet = moments::sheet(&states(&debugger.session, pinned, debugger.cursor));
    show(app, sheet);
}

/// Lists the reads of the value under the cursor.
pub(super) fn reads(app: &mut App) {
    let Some(debugger) = &mut app.debugger else { return };
    let Some(key) = entry(debugger) else {
        return app.say("gr lists the reads of a value: in memory, on a write, a row of the prompt or an answer");
    };
    let mut reading = Reading::new(&debugger.session, key);
    reading.advance(&debugger.session);
    let sheet = reading.sheet();
    debugger.reading = Some(reading).filter(|reading| !reading.is_over());
    show(app, sheet);
}

/// Goes on with a list of reads, as long as it is what the answer panel shows.
pub(super) fn read_on(app: &mut App) {
    let Some(debugger) = &mut app.debugger else { return };
    let Some(mut reading) = debugger.reading.take() else { return };
    if debugger.answer.as_ref().is_none_or(|answer| answer.title != reading.title()) {
        return;
    }
    reading.advance(&debugger.session);
    debugger.answer = Some(reading.sheet());
    debugger.reading = Some(reading).filter(|reading| !reading.is_over());
}

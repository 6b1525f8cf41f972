//! The configuration file: theme, mouse, clipboard and keys of the debugger.
//!
//! `$REPLAY_CONFIG`, else `$XDG_CONFIG_HOME/replay/config.toml`, else `~/.config/replay/config.toml`. A line that is
//! wrong is said, with what may be meant, and counts for nothing; the others count.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;

use replay_store::diagnostic::nearest;
use replay_store::fault;
use replay_tui::keymap::{Keymap, Remap};
use replay_tui::{Clipboard, Mouse, Theme};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What the configuration file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Config {
    /// Where it is, or would be; `None` where no home is known.
    pub(crate) path: Option<PathBuf>,
    /// Whether there is such a file.
    pub(crate) exists: bool,
    /// The theme; `None` to find out.
    pub(crate) theme: Option<Theme>,
    /// Whose the mouse is.
    pub(crate) mouse: Mouse,
    /// Which way a copy takes.
    pub(crate) clipboard: Clipboard,
    /// Which keys do what.
    pub(crate) keymap: Keymap,
    /// What is wrong, one sentence each, with file and line.
    pub(crate) complaints: Vec<String>,
}

/// Reads the configuration file, if there is one.
pub(crate) fn load() -> Config {
    let Some(path) = path(&|name| env::var_os(name)) else { return Config::default() };
    let name = path.display().to_string();
    match fs::read_to_string(&path) {
        Ok(text) => Config { exists: true, path: Some(path), ..read(&text, &name) },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Config { path: Some(path), ..Config::default() },
        Err(error) => {
            let complaints = vec![format!("{name}: {}; the defaults hold", fault::words(&error))];
            Config { path: Some(path), complaints, ..Config::default() }
        }
    }
}

fn path(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = || set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")));
    set("REPLAY_CONFIG").or_else(|| Some(folder()?.join("replay/config.toml")))
}

/// What a file may say at its top, for messages.
const SETTINGS: [&str; 4] = ["theme", "mouse", "clipboard", "keys"];

fn read(text: &str, name: &str) -> Config {
    let mut config = Config::default();
    let line = |byte: usize| text.as_bytes()[..byte.min(text.len())].iter().filter(|one| **one == b'\n').count() + 1;
    let table = match DeTable::parse(text) {
        Ok(table) => table.into_inner(),
        Err(error) => {
            let line = line(error.span().map_or(0, |span| span.start));
            config.complaints.push(format!("{name}:{line}: {}; the defaults hold", error.message()));
            return config;
        }
    };
    for (key, value) in &table {
        let wrong = match key.get_ref().as_ref() {
            "theme" => one_of(value, &themes()).map(|theme| config.theme = theme),
            "mouse" => one_of_bool(value).map(|on| config.mouse = if on { Mouse::Ours } else { Mouse::Terminal }),
            "clipboard" => one_of(value, &CLIPBOARDS).map(|way| config.clipboard = way),
            "keys" => {
                let said = keys(value, &mut config.keymap);
                let said = said.into_iter().map(|(byte, words)| format!("{name}:{}: {words}", line(byte)));
                config.complaints.extend(said);
                Ok(())
            }
            other => Err(unknown(other)),
        };
        if let Err(words) = wrong {
            config.complaints.push(format!("{name}:{}: {words}", line(key.span().start)));
        }
    }
    config
}

/// The themes by their names; `auto` finds out.
pub(crate) fn themes() -> Vec<(&'static str, Option<Theme>)> {
    let named = Theme::NAMES.iter().map(|(name, theme)| (*name, Some(*theme)));
    std::iter::once(("auto", None)).chain(named).collect()
}

/// What `--theme` takes; `None` is `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThemeChoice(pub(crate) Option<Theme>);

/// Reads the name of a theme.
pub(crate) fn theme(name: &str) -> Result<ThemeChoice, String> {
    let themes = themes();
    let names: Vec<&str> = themes.iter().map(|(name, _)| *name).collect();
    let found = themes.iter().find(|(known, _)| *known == name).map(|(_, theme)| ThemeChoice(*theme));
    found.ok_or_else(|| format!("there are {}", names.join(", ")))
}

const CLIPBOARDS: [(&str, Clipboard); 3] =
    [("auto", Clipboard::Auto), ("terminal", Clipboard::Terminal), ("program", Clipboard::Program)];

fn unknown(word: &str) -> String {
    let hint = match nearest(word, SETTINGS) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("there are {}", SETTINGS.join(", ")),
    };
    format!("no setting is called {word}: {hint}")
}

fn one_of<T: Copy>(value: &Spanned<DeValue<'_>>, known: &[(&'static str, T)]) -> Result<T, String> {
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    let Some(word) = value.get_ref().as_str() else {
        return Err(format!("one of {} in quotes is wanted", names.join(", ")));
    };
    let found = known.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
    found.ok_or_else(|| format!("{word} is none of {}", names.join(", ")))
}

fn one_of_bool(value: &Spanned<DeValue<'_>>) -> Result<bool, String> {
    value.get_ref().as_bool().ok_or_else(|| "true or false is wanted".to_owned())
}

/// Changes the keys, and returns what is wrong with the place of each.
fn keys(value: &Spanned<DeValue<'_>>, keymap: &mut Keymap) -> Vec<(usize, String)> {
    let Some(table) = value.get_ref().as_table() else {
        return vec![(value.span().start, "[keys] is a table: one action and its keys on each line".to_owned())];
    };
    // By place, so that of two lines about one key the later one counts.
    let mut lines: Vec<_> = table.iter().collect();
    lines.sort_by_key(|(action, _)| action.span().start);
    let mut wrong = Vec::new();
    for (action, value) in lines {
        let place = action.span().start;
        let Some(keys) = key_list(value.get_ref()) else {
            wrong.push((place, "keys are text, or a list of texts: \"x\" or [\"x\", \"F5\"]".to_owned()));
            continue;
        };
        let remap = Remap { action: action.get_ref().to_string(), keys };
        match std::mem::take(keymap).remap(&remap) {
            Ok(changed) => *keymap = changed,
            Err((unchanged, words)) => {
                *keymap = unchanged;
                wrong.push((place, words));
            }
        }
    }
    wrong
}

fn key_list(value: &DeValue<'_>) -> Option<Vec<String>> {
    if let Some(key) = value.as_str() {
        return Some(vec![key.to_owned()]);
    }
    value.as_array()?.iter().map(|key| key.get_ref().as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(read(text, "config.toml").complaints, expected, "{text}");
    }

    #[test]
    fn what_is_right_counts() {
        let config = read("theme = \"light\"\nmouse = false\nclipboard = \"terminal\"\n[keys]\nquit = \"Q\"\n", "c");
        assert!(config.complaints.is_empty(), "{:?}", config.complaints);
        assert_eq!(
            (config.theme, config.mouse, config.clipboard),
            (Some(Theme::Light), Mouse::Terminal, Clipboard::Terminal)
        );
        let quit = Remap { action: "quit".to_owned(), keys: vec!["Q".to_owned()] };
        assert_eq!(config.keymap, Keymap::default().remap(&quit).expect("it is right"));
    }

    #[test]
    fn what_is_wrong_has_a_line_and_a_way_out() {
        check("", &[]);
        check("theme = \"lihgt\"", &["config.toml:1: lihgt is none of auto, 16, dark, light, none"]);
        check("\n\ntheem = \"light\"", &["config.toml:3: no setting is called theem: did you mean theme?"]);
        check("mouse = 1", &["config.toml:1: true or false is wanted"]);
        check(
            "[keys]\n# x\nqiut = \"Q\"\nhelp = 3\nzoom = \"xyz\"\n",
            &[
                "config.toml:3: no action is called qiut: did you mean quit?",
                "config.toml:4: keys are text, or a list of texts: \"x\" or [\"x\", \"F5\"]",
                "config.toml:5: xyz is no key: a key is a character, two characters, a name like Enter, Space, PageDown, F5, or Ctrl-x",
            ],
        );
        let broken = read("theme = \n", "config.toml").complaints;
        assert!(broken[0].starts_with("config.toml:1: ") && broken[0].ends_with("the defaults hold"), "{broken:?}");
    }

    #[test]
    fn a_line_that_is_wrong_takes_nothing_else_with_it() {
        let config = read("theme = \"dark\"\nmouse = 1\n", "c");
        assert_eq!((config.theme, config.complaints.len()), (Some(Theme::Dark), 1));
    }

    #[test]
    fn the_file_stands_where_others_stand() {
        let of = |pairs: &'static [(&str, &str)]| {
            path(&|name| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value)))
        };
        assert_eq!(of(&[("HOME", "/h")]), Some(PathBuf::from("/h/.config/replay/config.toml")));
        assert_eq!(of(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/x")]), Some(PathBuf::from("/x/replay/config.toml")));
        assert_eq!(of(&[("HOME", "/h"), ("REPLAY_CONFIG", "/c.toml")]), Some(PathBuf::from("/c.toml")));
        assert_eq!(of(&[]), None);
    }
}

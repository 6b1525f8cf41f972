//! What a copy takes from the row under the cursor. How it gets to the clipboard is the terminal's business.
//!
//! Copied text is pasted into shells and tickets. So a text that holds what [`visible()`] would show as a glyph is copied
//! as JSON, where nothing is lost and nothing is obeyed.

use std::borrow::Cow;
use std::sync::Arc;

use replay_store::event::Position;
use replay_store::name::Name;
use replay_store::prompt::Source;
use replay_store::session::State;
use replay_store::value::Value;
use replay_store::visible::{self, visible};

use crate::app::Debugger;
use crate::content;
use crate::fold;
use crate::panel::Panel;
use crate::prompt::{Form, Of};
use crate::sheet::Link;
use crate::subject::{Subject, key_of, subject, value_of};

/// What to copy of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The row as it is shown, in full.
    Row,
    /// The value that it is about.
    Value,
    /// The name of what it is about.
    Key,
    /// Where it stands.
    Path,
    /// The command that gives the same answer.
    Command,
    /// The answer as a report for a ticket.
    Report,
}

/// Something to be copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clipping {
    /// What it is, for the message: `the value of project.branch`.
    pub what: String,
    /// The text.
    pub text: String,
}

/// How the session was named on the command line, to repeat it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opened {
    /// The session as it was named: a path, with `#ID` or not.
    pub session: String,
    /// The session that was chosen from the list of those in the file.
    pub chosen: Option<String>,
    /// `--agent` and `--profile` with their values.
    pub options: Vec<String>,
}

impl Opened {
    /// Returns the words that name the session.
    fn session(&self) -> String {
        match &self.chosen {
            Some(id) => format!("{}#{id}", self.session),
            None => self.session.clone(),
        }
    }
}

/// Returns a part of the row under the cursor; the error is one sentence.
pub(crate) fn clipping(debugger: &Debugger, opened: &Opened, part: Part) -> Result<Clipping, String> {
    let subject = subject(debugger);
    let (what, text) = match part {
        Part::Row => ("the row".to_owned(), row(debugger, &subject)),
        Part::Value => {
            let (name, value) = value(debugger, &subject).ok_or("this row has no value; yy copies the row")?;
            (format!("the value of {name}"), safe(&value))
        }
        Part::Key => {
            let key = key(debugger, &subject).ok_or("this row names no entry, skill or tool; yy copies the row")?;
            ("the name".to_owned(), visible(&key).into_owned())
        }
        Part::Path => ("the path".to_owned(), path(debugger, &subject)),
        Part::Command | Part::Report => ("the command".to_owned(), command(debugger, opened, &subject)),
    };
    Ok(Clipping { what, text })
}

/// A message is copied without the line that says where we are.
fn row(debugger: &Debugger, subject: &Subject) -> String {
    let message = match subject {
        Subject::Event(at) if debugger.focus == Panel::Conversation => debugger.session.headline(*at),
        _ => None,
    };
    match message {
        Some(words) => {
            visible::lines(&format!("{}: {}", words.kind, words.text)).map(visible).collect::<Vec<_>>().join("\n")
        }
        None => content::text_at_cursor(debugger),
    }
}

/// Returns where the row under the cursor stands, from the session down.
pub(crate) fn path(debugger: &Debugger, subject: &Subject) -> String {
    let session = &debugger.session;
    let inside = inside(debugger);
    if let Subject::Event(position) = subject {
        let turn = session.event(*position).map(|event| match event.turn {
            Some(turn) => format!("turn {turn}/"),
            None => "between turns/".to_owned(),
        });
        let raw = session.event(*position).map(|event| event.origin.raw_indexes()).unwrap_or_default();
        let raw = raw.first().map(|raw| format!(" (raw {raw})")).unwrap_or_default();
        let inside = inside.map(|inside| format!("/{inside}")).unwrap_or_default();
        let path = format!("{}/{}{position}{raw}{inside}", session.id, turn.unwrap_or_default());
        return visible(&path).into_owned();
    }
    let below = inside.or_else(|| place(debugger, subject)).unwrap_or_else(|| match subject {
        Subject::Finding(index) => format!("{}", index + 1),
        Subject::Link(Link::Decision(index)) => (index + 1).to_string(),
        _ => format!("line {}", debugger.place(debugger.focus).line + 1),
    });
    visible(&format!("{}/at {}/{}/{below}", session.id, debugger.cursor, debugger.focus.title())).into_owned()
}

/// Returns the short path of what the row under the cursor is about, for the row at the bottom: an entry by its name, a
/// line of JSON by its place in it.
pub(crate) fn short_path(debugger: &Debugger) -> Option<String> {
    match debugger.focus {
        // What these show says where it stands.
        Panel::Timeline | Panel::Conversation => None,
        Panel::Memory
        | Panel::Stack
        | Panel::Prompt
        | Panel::Event
        | Panel::Findings
        | Panel::Answer
        | Panel::Decisions => inside(debugger).or_else(|| place(debugger, &subject(debugger))),
    }
}

/// Returns the path in a text that can be folded away.
fn inside(debugger: &Debugger) -> Option<String> {
    let panel = debugger.focus;
    let path = content::document(debugger, panel)?.path(content::cursor(debugger, panel).line)?;
    Some(path).filter(|path| !path.is_empty())
}

fn place(debugger: &Debugger, subject: &Subject) -> Option<String> {
    Some(match subject {
        Subject::Entry(key) => key.to_string(),
        Subject::Frame { skill, block: Some(block) } => format!("{skill}__{block}"),
        Subject::Frame { skill, block: None } => skill.to_string(),
        Subject::Link(Link::File(file, line)) | Subject::Prompt { source: Source::File { file, line }, .. } => {
            format!("{file}:{line}")
        }
        Subject::Prompt { source: Source::Event { position, key: Some(key) }, .. } => {
            format!("{key}, set at {position}")
        }
        Subject::Link(Link::Skill(name) | Link::Tool(name)) => name.to_string(),
        Subject::Link(Link::Entry(key) | Link::Read(key, _)) => key.to_string(),
        Subject::Event(at)
        | Subject::Prompt { source: Source::Event { position: at, key: None }, .. }
        | Subject::Link(Link::Event(at)) => format!("event {at}"),
        Subject::Link(Link::Decision(index)) => debugger.decisions.as_ref()?.list.get(*index)?.subject.clone(),
        Subject::Finding(index) => debugger.findings.found.get(*index)?.rule.as_ref()?.place()?,
        Subject::Prompt { source: Source::Builtin, .. } | Subject::Words => return None,
    })
}

fn value(debugger: &Debugger, subject: &Subject) -> Option<(String, Arc<Value>)> {
    let panel = debugger.focus;
    let of_entry = |key: &Name, state: &State| {
        let row = debugger.session.memory_row(key.clone(), state);
        (key.to_string(), row.value)
    };
    let line = content::cursor(debugger, panel).line;
    if let (Some(path), Some(document)) = (inside(debugger), content::document(debugger, panel)) {
        return document.value(line).map(|value| (path, Arc::new(value)));
    }
    match subject {
        Subject::Entry(key) => Some(of_entry(key, &debugger.state)),
        Subject::Prompt { tool: None, key: Some(key), .. } => {
            let built = debugger.prompt.shown.as_ref().and_then(|shown| shown.built_at());
            Some(of_entry(key, &debugger.session.state(built.unwrap_or(debugger.cursor))))
        }
        Subject::Event(at) | Subject::Prompt { source: Source::Event { position: at, key: None }, .. } => {
            let event = debugger.session.event(*at)?;
            Some((format!("event {at}"), value_of(&event)?))
        }
        Subject::Finding(index) => {
            let finding = debugger.findings.found.get(*index)?;
            Some(("the finding".to_owned(), Arc::new(Value::Text(finding.text.clone()))))
        }
        Subject::Frame { .. } | Subject::Prompt { .. } | Subject::Link(_) | Subject::Words => None,
    }
}

fn key(debugger: &Debugger, subject: &Subject) -> Option<Name> {
    match subject {
        Subject::Entry(key) | Subject::Prompt { tool: None, key: Some(key), .. } => Some(key.clone()),
        Subject::Event(at) | Subject::Prompt { source: Source::Event { position: at, key: None }, .. } => {
            key_of(&*debugger.session.event(*at)?)
        }
        Subject::Frame { skill, block: Some(block) } => Some(Name::from(format!("{skill}__{block}"))),
        Subject::Frame { skill, block: None } => Some(skill.clone()),
        Subject::Prompt { tool, .. } => tool.clone(),
        Subject::Link(Link::Skill(name) | Link::Tool(name) | Link::Entry(name) | Link::Read(name, _)) => {
            Some(name.clone())
        }
        Subject::Link(Link::Event(_) | Link::File(_, _) | Link::Decision(_)) | Subject::Finding(_) | Subject::Words => {
            None
        }
    }
}

/// Returns the command that answers what the panel with the keys shows.
fn command(debugger: &Debugger, opened: &Opened, subject: &Subject) -> String {
    let show = |what: &str, at: Position| {
        ["show", &opened.session(), "--at", &at.to_string(), "--what", what].map(String::from).to_vec()
    };
    let words = match debugger.focus {
        Panel::Event if debugger.form == fold::Form::Hex => {
            let at = debugger.cursor.to_string();
            ["show", &opened.session(), "--at", &at, "--raw", "--hex"].map(String::from).to_vec()
        }
        Panel::Timeline | Panel::Event => show("event", debugger.cursor),
        Panel::Conversation => match subject {
            Subject::Event(at) if at.0 > 0 => show("event", *at),
            _ => show("conversation", debugger.cursor),
        },
        Panel::Memory => show("memory", debugger.cursor),
        Panel::Stack => show("stack", debugger.cursor),
        Panel::Findings => vec!["findings".to_owned(), opened.session()],
        Panel::Prompt => prompt_command(debugger, opened),
        panel @ (Panel::Answer | Panel::Decisions) => match debugger.sheet(panel) {
            Some(sheet) => sheet.command.clone(),
            None => show("event", debugger.cursor),
        },
    };
    line(words, opened)
}

/// Returns the command that answers what the panel with the keys shows.
pub(crate) fn command_line(debugger: &Debugger, opened: &Opened) -> String {
    command(debugger, opened, &subject(debugger))
}

/// Returns words behind `replay` as a line for a shell. `{}` stands for the session.
pub(crate) fn line(words: Vec<String>, opened: &Opened) -> String {
    let words = words.into_iter().map(|word| if word == "{}" { opened.session() } else { word });
    let words = std::iter::once("replay".to_owned()).chain(words).chain(opened.options.iter().cloned());
    words.map(|word| quoted(&word).into_owned()).collect::<Vec<_>>().join(" ")
}

fn prompt_command(debugger: &Debugger, opened: &Opened) -> Vec<String> {
    let mut words = vec!["prompt".to_owned(), opened.session()];
    match debugger.prompt.shown.as_ref().map(|shown| &shown.of) {
        Some(Of::Call(turn, call)) => {
            let turn_of = debugger.session.turn(*turn);
            let rephrase = turn_of.and_then(|turn| turn.rephrases().position(|other| other == call));
            words.extend(["--turn".to_owned(), turn.to_string()]);
            match rephrase {
                Some(place) => words.extend(["--rephrase".to_owned(), (place + 1).to_string()]),
                None => words.extend(["--call".to_owned(), call.number.to_string()]),
            }
        }
        Some(Of::At(at)) => words.extend(["--at".to_owned(), at.to_string()]),
        Some(Of::Nothing) | None => words.extend(["--at".to_owned(), debugger.cursor.to_string()]),
    }
    match debugger.prompt.form {
        Form::Whole => {}
        Form::Changes => words.push("--diff".to_owned()),
        Form::Holes => words.push("--holes".to_owned()),
    }
    words
}

/// Returns a word as a shell reads it back; what a terminal would obey is written as `$'…'` escapes.
fn quoted(word: &str) -> Cow<'_, str> {
    let is_safe = |character: char| character.is_ascii_alphanumeric() || "-_./:=@%+,".contains(character);
    if !word.is_empty() && word.chars().all(is_safe) {
        return Cow::Borrowed(word);
    }
    if visible(word) == word {
        return Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")));
    }
    let bytes = word.bytes().map(|byte| match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(byte)),
        0x20..0x7f => char::from(byte).to_string(),
        byte => format!("\\x{byte:02x}"),
    });
    Cow::Owned(format!("$'{}'", bytes.collect::<String>()))
}

/// Returns a value as text: a plain text as it is, anything else as JSON in which nothing is invisible.
fn safe(value: &Value) -> String {
    match value {
        Value::Text(text) if text.split('\n').all(|line| visible(line) == line) => text.clone(),
        other => visible::json(&other.to_json()).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        for (word, expected) in [
            ("samples/a.json", "samples/a.json"),
            ("a b", "'a b'"),
            ("it's", "'it'\\''s'"),
            ("", "''"),
            ("a#7", "'a#7'"),
            ("\u{1b}[2J'", "$'\\x1b[2J\\''"),
        ] {
            assert_eq!(quoted(word), expected, "{word:?}");
        }
    }

    #[test]
    fn a_value_that_a_terminal_would_obey_is_copied_as_json() {
        assert_eq!(safe(&Value::Text("two\nlines".into())), "two\nlines");
        assert_eq!(safe(&Value::Text("\u{1b}[2J".into())), "\"\\u001b[2J\"");
        assert_eq!(safe(&Value::Text("a\u{202e}b".into())), "\"a\\u202eb\"");
        assert_eq!(safe(&Value::List(vec![Value::Int(1)])), "[1]");
    }
}

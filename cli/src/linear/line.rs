//! What is typed between two prompts of the linear debugger, and what it asks for.

use replay_store::event::Position;
use replay_store::replay::Session;
use replay_store::visible::visible;

use replay_store::explain::report::Pii;

use crate::arguments::{Asked, What};
use crate::commands::prompt_diff::Length;
use crate::commands::why::Form;

/// What is asked.
#[derive(Clone, Debug)]
pub(super) enum Line<'a> {
    /// One event on.
    Nothing,
    /// To a position.
    Go(Position),
    /// What holds here.
    Show(What),
    /// The prompt that a model call would get here.
    Prompt,
    /// What changed in the prompt since the call before.
    Changes(Length),
    /// Why something is so.
    Why(Asked),
    /// The same as a report for a ticket.
    Report(Asked),
    /// The writes of an entry.
    Last(&'a str),
    /// The reads of an entry.
    Reads(&'a str),
    /// The next event that has a text or is meant by a query; nothing: as before.
    Find(&'a str),
    /// All events that a query means.
    Query(&'a str),
    /// What is different between a position and here.
    Diff(Position, Length),
    /// Who may read and write what.
    Access,
    /// What looks wrong, as it is wanted.
    Findings(Form),
    /// A note on the event.
    Note(&'a str),
    /// All notes.
    Notes,
    /// What can be asked.
    Help,
    /// The end.
    Quit,
    /// Nothing that can be answered, with what to say.
    Wrong(String),
}

/// What can be asked, in lines of any length.
pub(super) const HELP: [&str; 12] = [
    "next [N], back [N]: so many events on or back. to N: to position N. turn N: to the end of turn N. start, end.",
    "event, memory, stack, conversation, decisions: what holds here, and what was decided in this step.",
    "find TEXT: to the next event that has the text in it, or that a query means; find alone: the one after that.",
    "query EXPR: all events that a query means, as in replay query: kind:memory_written key:project.* verdict:denied.",
    "why ENTRY: why an entry holds what it holds. why skill S, why tool T: why it is on offer or not.",
    "why ENTRY as SKILL: whether that skill may read the entry. why line FILE:LINE: why it is in the prompt or not.",
    "report …: any of these as a text for a ticket. report findings: what looks wrong as one.",
    "last ENTRY: all its writes. reads ENTRY: what read it up to here.",
    "prompt: what a model call would get here. changes: what changed in it since the call before, and through what; changes full: large texts whole.",
    "diff N: what is different between position N and this one. access: who may read and write what.",
    "findings: what looks wrong, and what to do. note TEXT: a note on this event; note alone takes it away. notes: all.",
    "quit. An empty line goes one event on.",
];

/// The words that a line may begin with, to name the one that may be meant.
const VERBS: [&str; 26] = [
    "next",
    "back",
    "to",
    "turn",
    "start",
    "end",
    "event",
    "memory",
    "stack",
    "conversation",
    "decisions",
    "find",
    "query",
    "why",
    "report",
    "last",
    "reads",
    "prompt",
    "changes",
    "diff",
    "access",
    "findings",
    "note",
    "notes",
    "help",
    "quit",
];

/// Reads a line at a position of a session.
pub(super) fn read<'a>(text: &'a str, at: Position, session: &Session) -> Line<'a> {
    let (verb, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let end = session.end();
    let number = |default: u64| if rest.is_empty() { Some(default) } else { rest.parse::<u64>().ok() };
    let wanted = |words: &str| Line::Wrong(format!("{verb}: {words}"));
    let named = |line: fn(&'a str) -> Line<'a>| match rest {
        "" => wanted("a memory entry is wanted; memory lists them"),
        rest => line(rest),
    };
    match verb {
        "" => Line::Nothing,
        "next" | "n" => number(1).map_or_else(
            || wanted("a number of events is wanted"),
            |count| Line::Go(Position(at.0.saturating_add(count)).min(end)),
        ),
        "back" | "b" => number(1).map_or_else(
            || wanted("a number of events is wanted"),
            |count| Line::Go(Position(at.0.saturating_sub(count))),
        ),
        "to" | "diff" => match whole(rest).0.parse().map(Position) {
            Ok(to) if to <= end && verb == "to" => Line::Go(to),
            Ok(to) if to <= end => Line::Diff(to, whole(rest).1.unwrap_or(Length::Folded("diff N full"))),
            Ok(_) | Err(_) => wanted(&format!("a position from 0 to {end} is wanted")),
        },
        "turn" => match rest.parse().ok().and_then(|turn| session.turn(turn)) {
            Some(turn) => Line::Go(turn.last),
            None => wanted(&format!("a turn from 1 to {} is wanted", session.turns.len())),
        },
        "start" => Line::Go(Position(0)),
        "end" => Line::Go(end),
        "event" => Line::Show(What::Event),
        "memory" => Line::Show(What::Memory),
        "stack" => Line::Show(What::Stack),
        "conversation" => Line::Show(What::Conversation),
        "decisions" => Line::Show(What::Decisions),
        "findings" => Line::Findings(Form::Human),
        "report" if rest == "findings" => Line::Findings(Form::Report(Pii::Masked)),
        "note" => Line::Note(rest),
        "notes" => Line::Notes,
        "prompt" => Line::Prompt,
        "changes" => Line::Changes(whole(rest).1.unwrap_or(Length::Folded("changes full"))),
        "why" | "report" => match (asked(rest), verb) {
            (None, _) => wanted("a memory entry is wanted; memory lists them"),
            (Some(asked), "why") => Line::Why(asked),
            (Some(asked), _) => Line::Report(asked),
        },
        "last" => named(Line::Last),
        "reads" => named(Line::Reads),
        "find" => Line::Find(rest),
        "query" if rest.is_empty() => wanted("a query is wanted, as in query verdict:denied"),
        "query" => Line::Query(rest),
        "access" => Line::Access,
        "help" | "?" => Line::Help,
        "quit" | "q" => Line::Quit,
        other => {
            let near = replay_store::diagnostic::nearest(other, VERBS.iter().copied());
            let near = near.map(|near| format!(": did you mean {near}?")).unwrap_or_else(|| ";".to_owned());
            Line::Wrong(format!("{} is nothing that can be asked{near} help says what can", visible(other)))
        }
    }
}

/// Returns a text without the word that asks for large texts in full, and that length where it stands there.
fn whole(rest: &str) -> (&str, Option<Length>) {
    match rest.strip_suffix("full") {
        Some(rest) => (rest.trim_end(), Some(Length::Full)),
        None => (rest, None),
    }
}

/// Reads what is in question: an entry, a read of it by a skill, a skill, a tool or a line of the agent folder. Nothing where nothing is named.
fn asked(text: &str) -> Option<Asked> {
    let nothing = Asked { key: None, read: None, skill: None, tool: None, line: None };
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        [] => None,
        ["skill", skill] => Some(Asked { skill: Some(skill.to_owned()), ..nothing }),
        ["line", line] if let Ok(line) = line.parse() => Some(Asked { line: Some(line), ..nothing }),
        ["tool", tool] => Some(Asked { tool: Some(tool.to_owned()), ..nothing }),
        [key, "as", skill] => Some(Asked { read: Some(key.to_owned()), skill: Some(skill.to_owned()), ..nothing }),
        _ => Some(Asked { key: Some(text.to_owned()), ..nothing }),
    }
}

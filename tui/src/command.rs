//! What is typed behind `:`: one table of commands, and how a line of them is read.

use replay_store::diagnostic::nearest;

use crate::clock::Moment;
use crate::listing::Listed;
use crate::stop::Stop;

/// A row of the table.
#[derive(Debug)]
pub struct Spec {
    /// What it is called; the first name is the one that is shown.
    pub names: &'static [&'static str],
    /// What stands behind the name, as help shows it; empty where nothing does.
    pub takes: &'static str,
    /// What completes it.
    pub argument: Argument,
    /// What it does.
    pub help: &'static str,
    verb: Verb,
}

/// What stands behind the name of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Nothing, or what no list completes.
    Free,
    /// A memory entry.
    Entry,
    /// A memory entry that is watched.
    Watched,
    /// Where a breakpoint stops.
    Condition,
    /// A filter: its name, or what it wants.
    Filter,
    /// The number of a breakpoint, or `all`.
    Breakpoint,
    /// The name of a mark.
    Mark,
    /// What a step is.
    Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Raw,
    Turn,
    Break,
    Watch,
    Unwatch,
    Delete,
    Enable,
    Disable,
    Breaks,
    Marks,
    Mark,
    Unmark,
    Step,
    Find,
    Filter,
    Filters,
    Context,
    Why,
    Access,
    Note,
    Export,
    ExportOver,
    Help,
    Quit,
}

const fn spec(
    names: &'static [&'static str],
    verb: Verb,
    (takes, argument): (&'static str, Argument),
    help: &'static str,
) -> Spec {
    Spec { names, takes, argument, help, verb }
}

/// All commands with a name, in the order in which they are completed.
pub static COMMANDS: &[Spec] = &[
    spec(&["turn"], Verb::Turn, ("N", Argument::Free), "to the end of turn N"),
    spec(&["raw"], Verb::Raw, ("N", Argument::Free), "to the position after raw record N, counted from 0"),
    spec(
        &["break"],
        Verb::Break,
        ("[N|QUERY]", Argument::Condition),
        "a breakpoint at position N, where a query matches (tool:T: where a call begins), or here; again: none",
    ),
    spec(
        &["watch"],
        Verb::Watch,
        ("ENTRY", Argument::Entry),
        "a watchpoint: stops where the entry changes, and memory shows it on top; again: none",
    ),
    spec(&["unwatch"], Verb::Unwatch, ("ENTRY", Argument::Watched), "takes a watchpoint away"),
    spec(&["delete"], Verb::Delete, ("N|all", Argument::Breakpoint), "takes a breakpoint away"),
    spec(&["disable"], Verb::Disable, ("N|all", Argument::Breakpoint), "switches a breakpoint off, and keeps it"),
    spec(&["enable"], Verb::Enable, ("N|all", Argument::Breakpoint), "switches a breakpoint on again"),
    spec(&["breaks"], Verb::Breaks, ("", Argument::Free), "lists breakpoints and watchpoints, to switch or take away"),
    spec(&["mark"], Verb::Mark, ("a", Argument::Mark), "marks the event at the cursor"),
    spec(&["unmark"], Verb::Unmark, ("a", Argument::Mark), "takes a mark away"),
    spec(&["marks"], Verb::Marks, ("", Argument::Free), "lists the marks, to go there or take them away"),
    spec(&["step"], Verb::Step, ("KIND", Argument::Step), "what l and h step by"),
    spec(&["find"], Verb::Find, ("TEXT", Argument::Free), "searches, as / does"),
    spec(
        &["filter"],
        Verb::Filter,
        ("[QUERY|NAME|save NAME]", Argument::Filter),
        "filters the timeline, as f does, or by a kept filter; nothing: no filter any more; save NAME keeps it",
    ),
    spec(&["filters"], Verb::Filters, ("", Argument::Free), "lists the filters with names, to use or take away"),
    spec(&["context"], Verb::Context, ("N", Argument::Free), "shows N events around each one that the filter wants"),
    spec(
        &["why"],
        Verb::Why,
        ("ENTRY [SKILL]|skill S|tool T|FILE:LINE", Argument::Entry),
        "why an entry holds what it holds, or may be read by a skill; why a skill or tool is on offer; why a line is in the prompt",
    ),
    spec(&["access"], Verb::Access, ("", Argument::Free), "who may read and write what at the cursor"),
    spec(&["note"], Verb::Note, ("[TEXT]", Argument::Free), "a note on the event; no words take it away"),
    spec(
        &["export"],
        Verb::Export,
        ("FILE.md|FILE.html", Argument::Free),
        "writes the panel to a file that isn't there yet, pii values hidden",
    ),
    spec(
        &["export!"],
        Verb::ExportOver,
        ("FILE.md|FILE.html", Argument::Free),
        "the same, and writes over a file that is there",
    ),
    spec(&["help", "h"], Verb::Help, ("", Argument::Free), "all keys and commands"),
    spec(&["quit", "q", "q!"], Verb::Quit, ("", Argument::Free), "ends the debugger"),
];

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Nothing was typed.
    Nothing,
    /// To a position.
    Position(u64),
    /// To a moment.
    Moment(Moment),
    /// To the position after a raw record.
    Raw(u32),
    /// To the end of a turn.
    Turn(u32),
    /// A breakpoint; with nothing behind it one at the cursor.
    Break(String),
    /// A watchpoint on an entry.
    Watch(String),
    /// No watchpoint on an entry any more.
    Unwatch(String),
    /// Something about breakpoints that are there.
    Breakpoints(Change, Which),
    /// A list of marks or breakpoints.
    List(Listed),
    /// Sets or takes away a mark.
    Mark(char),
    /// Takes a mark away.
    Unmark(char),
    /// What a step is.
    Step(Option<Stop>),
    /// A search.
    Find(String),
    /// A filter of the timeline; nothing for none.
    Filter(String),
    /// Keeps the filter under a name.
    SaveFilter(String),
    /// How many events around those that the filter wants are shown.
    Context(u64),
    /// Why an entry holds what it holds.
    Why(String),
    /// The access matrix.
    Access,
    /// A note on the event at the cursor.
    Note(String),
    /// Writes the panel with the keys to a file that isn't there yet.
    Export(String),
    /// Writes it over a file that may be there.
    ExportOver(String),
    /// The help screen.
    Help,
    /// The end.
    Quit,
}

/// What is done with breakpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// They are taken away.
    Delete,
    /// They are switched on.
    Enable,
    /// They are switched off.
    Disable,
}

/// Which breakpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// All of them.
    All,
    /// The one of this number, from 1.
    Number(usize),
}

/// What a step can be, by the words that are typed.
pub(crate) const STEPS: [(&str, Option<Stop>); 6] = [
    ("event", None),
    ("verdict", Some(Stop::Decision)),
    ("tool", Some(Stop::ToolCall)),
    ("prompt", Some(Stop::ModelCall)),
    ("turn", Some(Stop::TurnEnd)),
    ("skill", Some(Stop::SkillChange)),
];

/// Returns the row of the table for what was typed so far.
pub(crate) fn spec_of(text: &str) -> Option<&'static Spec> {
    let name = text.split_whitespace().next()?;
    COMMANDS.iter().find(|spec| spec.names.contains(&name))
}

/// Reads a command; the error is one sentence for the bottom of the screen.
pub(crate) fn parse(text: &str) -> Result<Command, String> {
    let text = text.trim();
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    if name.is_empty() {
        return Ok(Command::Nothing);
    }
    if let Some(moment) = text.strip_prefix('@') {
        let wrong = || format!("{moment} is no time: @12:30:05 is one of the day (UTC), @+5m one after the start");
        return Moment::parse(moment).map(Command::Moment).ok_or_else(wrong);
    }
    if let Some(index) = name.strip_prefix("raw:") {
        return number(index, "raw N").map(Command::Raw);
    }
    if name.starts_with(|first: char| first.is_ascii_digit()) && rest.is_empty() {
        return number(name, "N").map(Command::Position);
    }
    let Some(spec) = COMMANDS.iter().find(|spec| spec.names.contains(&name)) else { return Err(unknown(name)) };
    let form = format!("{} {}", spec.names[0], spec.takes);
    if spec.takes.is_empty() && !rest.is_empty() {
        return Err(format!(":{name} takes nothing behind it"));
    }
    if rest.is_empty() && !spec.takes.is_empty() && !spec.takes.starts_with('[') {
        return Err(format!(":{form} {}", spec.help));
    }
    match spec.verb {
        Verb::Raw => number(rest, &form).map(Command::Raw),
        Verb::Turn => number(rest, &form).map(Command::Turn),
        Verb::Break => Ok(Command::Break(rest.to_owned())),
        Verb::Watch => Ok(Command::Watch(rest.to_owned())),
        Verb::Unwatch => Ok(Command::Unwatch(rest.to_owned())),
        Verb::Delete => which(rest, &form).map(|which| Command::Breakpoints(Change::Delete, which)),
        Verb::Enable => which(rest, &form).map(|which| Command::Breakpoints(Change::Enable, which)),
        Verb::Disable => which(rest, &form).map(|which| Command::Breakpoints(Change::Disable, which)),
        Verb::Breaks => Ok(Command::List(Listed::Breakpoints)),
        Verb::Marks => Ok(Command::List(Listed::Marks)),
        Verb::Mark => mark(rest).map(Command::Mark),
        Verb::Unmark => mark(rest).map(Command::Unmark),
        Verb::Step => step(rest).map(Command::Step),
        Verb::Find => Ok(Command::Find(rest.to_owned())),
        Verb::Filter => match rest.strip_prefix("save").filter(|name| name.is_empty() || name.starts_with(' ')) {
            Some("") => Err("a name is wanted: :filter save NAME".to_owned()),
            Some(name) => Ok(Command::SaveFilter(name.trim().to_owned())),
            None => Ok(Command::Filter(rest.to_owned())),
        },
        Verb::Filters => Ok(Command::List(Listed::Filters)),
        Verb::Context => number(rest, &form).map(Command::Context),
        Verb::Why => Ok(Command::Why(rest.to_owned())),
        Verb::Access => Ok(Command::Access),
        Verb::Note => Ok(Command::Note(rest.to_owned())),
        Verb::Export => Ok(Command::Export(rest.to_owned())),
        Verb::ExportOver => Ok(Command::ExportOver(rest.to_owned())),
        Verb::Help => Ok(Command::Help),
        Verb::Quit => Ok(Command::Quit),
    }
}

fn number<N: std::str::FromStr>(text: &str, form: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("{text} is no number that :{form} can take"))
}

fn which(text: &str, form: &str) -> Result<Which, String> {
    match text {
        "all" => Ok(Which::All),
        _ => number(text, form).map(Which::Number),
    }
}

fn mark(text: &str) -> Result<char, String> {
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(name), None) if crate::marks::is_name(name) => Ok(name),
        _ => Err(format!("{text} is no mark: a mark is named by a letter or a digit")),
    }
}

fn step(text: &str) -> Result<Option<Stop>, String> {
    let known = STEPS.iter().find(|(word, _)| *word == text);
    let words = || STEPS.map(|(word, _)| word).join(", ");
    known.map(|(_, stop)| *stop).ok_or_else(|| format!("{text} is no step: there are {}", words()))
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> = COMMANDS.iter().flat_map(|spec| spec.names).copied().collect();
    let longer = || names.iter().copied().find(|known| name.len() > 1 && known.starts_with(name));
    match nearest(name, names.iter().copied()).or_else(longer) {
        Some(near) => format!("unknown command {name}: did you mean :{near}?"),
        None => format!("unknown command {name}: Tab behind : shows all of them"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_or_refused_in_one_sentence() {
        let cases = [
            ("", Ok(Command::Nothing)),
            ("12", Ok(Command::Position(12))),
            ("raw 7", Ok(Command::Raw(7))),
            ("raw:7", Ok(Command::Raw(7))),
            (" turn  2 ", Ok(Command::Turn(2))),
            ("@+2s", Ok(Command::Moment(Moment::AfterStart(2_000_000)))),
            ("break", Ok(Command::Break(String::new()))),
            ("delete 2", Ok(Command::Breakpoints(Change::Delete, Which::Number(2)))),
            ("disable all", Ok(Command::Breakpoints(Change::Disable, Which::All))),
            ("step skill", Ok(Command::Step(Some(Stop::SkillChange)))),
            ("find two words", Ok(Command::Find("two words".to_owned()))),
            ("filter save my one", Ok(Command::SaveFilter("my one".to_owned()))),
            ("filter saved", Ok(Command::Filter("saved".to_owned()))),
            ("filter save", Err("a name is wanted: :filter save NAME".to_owned())),
            ("q", Ok(Command::Quit)),
            ("help", Ok(Command::Help)),
            ("turn x", Err("x is no number that :turn N can take".to_owned())),
            ("turn", Err(":turn N to the end of turn N".to_owned())),
            ("quit now", Err(":quit takes nothing behind it".to_owned())),
            ("mark ab", Err("ab is no mark: a mark is named by a letter or a digit".to_owned())),
            ("99999999999999999999999", Err("99999999999999999999999 is no number that :N can take".to_owned())),
            ("trun 2", Err("unknown command trun: did you mean :turn?".to_owned())),
            ("frobnicate", Err("unknown command frobnicate: Tab behind : shows all of them".to_owned())),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text), expected, "{text}");
        }
    }

    #[test]
    fn each_name_is_given_once() {
        let mut names: Vec<&str> = COMMANDS.iter().flat_map(|spec| spec.names).copied().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}

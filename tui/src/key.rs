//! The one table of keys: what they are called, what they do, and what the help screen says about them.

use crate::action::Action;
use crate::copy::Part;
use crate::panel::Panel;
use crate::rows::Direction::{Back, Forward};
use crate::stop::Stop;

/// A row of the table.
#[derive(Debug)]
pub struct Binding {
    /// The keys, one after the other where there are two of them, as [`Key`] prints them.
    pub keys: &'static [&'static str],
    /// What they do.
    pub action: Action,
    /// What the help screen says.
    pub help: &'static str,
}

/// A key that was pressed, by its name: `j`, `]`, `Ctrl-d`, `Enter`, `Shift-Tab`, `F1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key(pub String);

const fn bind(keys: &'static [&'static str], action: Action, help: &'static str) -> Binding {
    Binding { keys, action, help }
}

/// All keys that do something on the debugger's screen, in the order of the help screen.
pub static BINDINGS: &[Binding] = &[
    bind(
        &["j", "Down"],
        Action::Line(Forward),
        "timeline: one event on; other panels: one row down (a count before it repeats: 12j)",
    ),
    bind(&["k", "Up"], Action::Line(Back), "timeline: one event back; other panels: one row up"),
    bind(
        &["l", "Right"],
        Action::Step(Forward),
        "one step on, in any panel; a step is an event, unless s chose another",
    ),
    bind(&["h", "Left"], Action::Step(Back), "one step back, in any panel"),
    bind(&["s"], Action::StepSize, "what l and h step by: event, verdict, tool call, prompt, turn, skill change"),
    bind(&["]c"], Action::To(Stop::ToolCall, Forward), "to the end of the next tool call"),
    bind(&["[c"], Action::To(Stop::ToolCall, Back), "to the end of the tool call before"),
    bind(&["]t", "}"], Action::To(Stop::TurnEnd, Forward), "to the end of the next turn"),
    bind(&["[t", "{"], Action::To(Stop::TurnEnd, Back), "to the end of the turn before"),
    bind(&["]u"], Action::To(Stop::UserMessage, Forward), "to the next user message"),
    bind(&["[u"], Action::To(Stop::UserMessage, Back), "to the user message before"),
    bind(&["]w"], Action::To(Stop::Write, Forward), "to the next write or clear of memory"),
    bind(&["[w"], Action::To(Stop::Write, Back), "to the write or clear before"),
    bind(&["]s"], Action::To(Stop::SkillChange, Forward), "to the next change of the skill stack"),
    bind(&["[s"], Action::To(Stop::SkillChange, Back), "to the skill change before"),
    bind(&["]p"], Action::To(Stop::ModelCall, Forward), "to the next model call, where its prompt was built"),
    bind(&["[p"], Action::To(Stop::ModelCall, Back), "to the model call before"),
    bind(
        &["]d"],
        Action::To(Stop::Trouble, Forward),
        "to the next that was declined, refused, cancelled or failed; with an agent folder: or a read that a rule denied",
    ),
    bind(&["[d"], Action::To(Stop::Trouble, Back), "to the one before"),
    bind(&["]l"], Action::To(Stop::Lock, Forward), "to the next write that locks an entry of the project"),
    bind(&["[l"], Action::To(Stop::Lock, Back), "to the lock before"),
    bind(&["]o"], Action::To(Stop::EmptyRead, Forward), "to the next step in which a read gave nothing (None)"),
    bind(&["[o"], Action::To(Stop::EmptyRead, Back), "to the one before"),
    bind(
        &["]v"],
        Action::To(Stop::Decision, Forward),
        "to the next verdict: a write, skill, tool or answer that the engine let happen or refused",
    ),
    bind(&["[v"], Action::To(Stop::Decision, Back), "to the verdict before"),
    bind(&["g", "Home"], Action::Start, "to the start (in other panels: the first row)"),
    bind(&["G", "End"], Action::End, "to the end (12G: to position 12)"),
    bind(&["F"], Action::Follow, "with --follow: to the end, and on with what comes, until you go elsewhere"),
    bind(&["gd"], Action::Writer, "to the event that set the value under the cursor; again: to the one before it"),
    bind(&["gD"], Action::NextWrite, "to the next write, clear or reset of the value under the cursor"),
    bind(
        &["gr"],
        Action::Reads,
        "the reads of the value under the cursor, by reader: prompts, conditions, responses, arguments",
    ),
    bind(&["v"], Action::Pin, "pins the position, or lets it loose again"),
    bind(&["="], Action::Compare, "what is different between the pinned position and this one"),
    bind(&["Ctrl-o", "Backspace"], Action::Jump(Back), "back to the position and panel before the last jump"),
    bind(&[")", "Ctrl-i"], Action::Jump(Forward), "forward again, after Ctrl-o (Ctrl-i where it isn't Tab)"),
    bind(
        &["b"],
        Action::Breakpoint,
        "breakpoint at the event (memory: a watchpoint, where the entry changes), or none again",
    ),
    bind(&["B"], Action::BreakpointKind, "breakpoint at each event of this kind, or none again"),
    bind(&["c"], Action::Continue(Forward), "continue: on to the next breakpoint or watchpoint"),
    bind(&["C"], Action::Continue(Back), "continue back: to the breakpoint or watchpoint before"),
    bind(&["m"], Action::Mark, "m a: marks the event as a (any letter or digit)"),
    bind(&["'"], Action::ToMark, "' a: to the mark a; '' to where the last jump began"),
    bind(&["d", "Ctrl-d"], Action::HalfPage(Forward), "half a page down"),
    bind(&["u", "Ctrl-u"], Action::HalfPage(Back), "half a page up"),
    bind(&["Space", "PageDown", "Ctrl-f"], Action::Page(Forward), "a page down"),
    bind(&["PageUp", "Ctrl-b"], Action::Page(Back), "a page up"),
    bind(&["Tab"], Action::FocusNext(Forward), "to the next panel"),
    bind(&["Shift-Tab"], Action::FocusNext(Back), "to the panel before"),
    bind(&["1"], Action::Focus(Panel::Timeline), "the timeline"),
    bind(&["2"], Action::Focus(Panel::Conversation), "the conversation"),
    bind(&["3"], Action::Focus(Panel::Memory), "memory"),
    bind(&["4"], Action::Focus(Panel::Stack), "the skill stack"),
    bind(&["5", "p"], Action::Focus(Panel::Prompt), "the prompt of the last model call"),
    bind(&["6"], Action::Focus(Panel::Event), "the event with its raw record"),
    bind(
        &["7", "!"],
        Action::Focus(Panel::Findings),
        "what looks wrong, the worst first: Enter goes to the next place of it, K tells what to do",
    ),
    bind(
        &["Enter"],
        Action::Open,
        "details: the event's record, an entry's story, the event behind a row; folds and unfolds headings and ▸ texts",
    ),
    bind(&["J"], Action::Form, "JSON broken into lines, as it is, or the bytes of raw records in hex"),
    bind(&["8"], Action::Focus(Panel::Answer), "the last answer"),
    bind(&["9", "D"], Action::Focus(Panel::Decisions), "what was decided in this step: reads, writes, gates, offers"),
    bind(&["A"], Action::Access, "the access matrix: who may read and write what at the cursor"),
    bind(&["K"], Action::Explain, "why: explains the entry, frame, event, tool or row of the prompt under the cursor"),
    bind(&["z"], Action::Zoom, "the panel alone on the screen, and back"),
    bind(&["Esc"], Action::Close, "close, or back to the timeline"),
    bind(&["H"], Action::Hypothetical, "prompt: the one that a call would get at the cursor (hypothetical), and back"),
    bind(&["P"], Action::Changes, "prompt: what changed since the call before, with the cause of each line, and back"),
    bind(
        &["W"],
        Action::Holes,
        "prompt: what a rule, a closed condition or a cut withholds, where it would stand (counterfactual), and back",
    ),
    bind(&["]]"], Action::Section(Forward), "prompt: to the next section"),
    bind(&["[["], Action::Section(Back), "prompt: to the section before"),
    bind(&["yy"], Action::Copy(Part::Row), "copy the row, in full"),
    bind(&["yv"], Action::Copy(Part::Value), "copy the value that the row is about"),
    bind(&["yk"], Action::Copy(Part::Key), "copy the name of the entry, skill or tool"),
    bind(&["yp"], Action::Copy(Part::Path), "copy where the row stands"),
    bind(&["yc"], Action::Copy(Part::Command), "copy the command that gives the same answer"),
    bind(&["yr"], Action::Copy(Part::Report), "copy the answer as a report for a ticket: Markdown, pii values hidden"),
    bind(&["e"], Action::Edit, "open the line of the agent folder behind the row in $EDITOR"),
    bind(&["a"], Action::Note, "a note on the event; no words take it away"),
    bind(&["/"], Action::Search, "search in what the panel shows (timeline, conversation: all events): / text Enter"),
    bind(
        &["f"],
        Action::Filter,
        "filter the timeline: a text, or kind:tool_returned, key:project.*, verdict:refused, a.key == 1, not …",
    ),
    bind(&["&"], Action::FilterSwitch, "the filter off, and on again"),
    bind(&["+"], Action::Context(Forward), "more events around those that the filter wants"),
    bind(&["-"], Action::Context(Back), "fewer of them"),
    bind(&["n"], Action::SearchAgain(Forward), "to the next event, or row of the panel, that was found"),
    bind(&["N"], Action::SearchAgain(Back), "to the one before"),
    bind(
        &[":"],
        Action::Command,
        "a command: Tab completes it, Up brings back earlier ones; :N position, :@12:30:05 or :@+5m time",
    ),
    bind(
        &["Ctrl-p"],
        Action::Picker,
        "picks an entry, skill, turn, named filter, session or command by a few letters of its name",
    ),
    bind(&["?", "F1"], Action::Help, "this help; type to filter it"),
    bind(&["S"], Action::Sessions, "back to the list of sessions, where a file holds several"),
    bind(&["Ctrl-l"], Action::Redraw, "draw the screen anew"),
    bind(&["Ctrl-z"], Action::Suspend, "to the shell; fg comes back"),
    bind(&["q", "Ctrl-c"], Action::Quit, "quit"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_key_is_bound_twice() {
        let mut seen = BTreeSet::new();
        for keys in BINDINGS.iter().flat_map(|binding| binding.keys) {
            assert!(seen.insert(keys), "{keys} is bound twice");
        }
    }
}

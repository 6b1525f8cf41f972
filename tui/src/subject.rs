//! What the row under the cursor is about: what is explained, copied, and opened in an editor.

use std::sync::Arc;

use replay_store::event::{Event, EventKind, Position};
use replay_store::explain::line::tokens_on;
use replay_store::name::Name;
use replay_store::prompt::Source;
use replay_store::value::Value;

use crate::app::Debugger;
use crate::panel::Panel;
use crate::sheet::Link;

/// What a row is about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Subject {
    /// An event, by the position it led to; position 0 is the start.
    Event(Position),
    /// A memory entry, by its qualified name.
    Entry(Name),
    /// A frame of the stack.
    Frame {
        /// The skill.
        skill: Name,
        /// Its block, where the frame is one.
        block: Option<Name>,
    },
    /// A row of the prompt.
    Prompt {
        /// Where the row comes from: the first stretch of it that isn't the renderer's own words.
        source: Source,
        /// The tool that the row is about.
        tool: Option<Name>,
        /// The entry whose value stands on the row, or whose token stays there as it is written; of several the first.
        key: Option<Name>,
    },
    /// A row of an answer, by where it leads.
    Link(Link),
    /// A finding, by its place in the list.
    Finding(usize),
    /// A row about nothing else than itself.
    Words,
}

/// Returns what the row under the cursor is about.
pub(crate) fn subject(debugger: &Debugger) -> Subject {
    let line = debugger.place(debugger.focus).line;
    match debugger.focus {
        Panel::Timeline | Panel::Event => Subject::Event(debugger.cursor),
        Panel::Conversation => Subject::Event(Position(line as u64)),
        Panel::Memory => match (&debugger.story, debugger.selected_entry()) {
            (Some(story), _) => Subject::Entry(Name::from(story.key.as_str())),
            (None, Some(row)) => Subject::Entry(row.key.clone()),
            (None, None) => Subject::Words,
        },
        Panel::Stack => match debugger.state.stack.iter().rev().nth(line) {
            Some(frame) => Subject::Frame { skill: frame.skill.clone(), block: frame.block.clone() },
            None => Subject::Words,
        },
        Panel::Prompt => {
            if let Some(shown) = &debugger.prompt.shown
                && let Some((hole, key)) = shown.hole_at(line).and_then(|hole| Some((hole, hole.key.clone()?)))
            {
                let skill = shown.built_at().and_then(|at| debugger.session.state(at).active_skill().cloned());
                return match skill.filter(|_| hole.rule.is_some()) {
                    Some(skill) => Subject::Link(Link::Read(key, skill)),
                    None => Subject::Entry(key),
                };
            }
            if let Some(hole) = debugger.prompt.shown.as_ref().and_then(|shown| shown.hole_at(line)) {
                let source = Source::File { file: hole.at.file.clone(), line: hole.at.line };
                return Subject::Prompt { source, tool: None, key: None };
            }
            let origins = debugger.prompt.shown.iter().flat_map(|shown| shown.origins(line));
            let sources: Vec<&Source> = origins.map(|origin| &origin.source).collect();
            let source = sources.iter().find(|source| ***source != Source::Builtin);
            let source = source.map_or(Source::Builtin, |source| Source::clone(source));
            let tool = debugger.prompt.shown.as_ref().and_then(|shown| shown.tool_at(line)).cloned();
            let key = entry_on(debugger, &sources);
            Subject::Prompt { source, tool, key }
        }
        panel @ (Panel::Answer | Panel::Decisions) => {
            match debugger.sheet(panel).and_then(|sheet| sheet.links(line).first().copied()) {
                Some(Link::Event(at)) => Subject::Event(*at),
                Some(Link::Entry(key)) => Subject::Entry(key.clone()),
                Some(link) => Subject::Link(link.clone()),
                None => Subject::Words,
            }
        }
        Panel::Findings if line < debugger.findings.found.len() => Subject::Finding(line),
        Panel::Findings => Subject::Words,
    }
}

/// Returns the entry that a row of a prompt shows the value of, or else the one that a token on it names.
fn entry_on(debugger: &Debugger, sources: &[&Source]) -> Option<Name> {
    let shown = sources.iter().find_map(|source| match source {
        Source::Event { key, .. } => key.clone(),
        Source::File { .. } | Source::Builtin => None,
    });
    let agent = debugger.session.agent.as_deref();
    let named = |source: &&Source| match (source, agent) {
        (Source::File { file, line }, Some(agent)) => tokens_on(agent, file, *line).next().cloned(),
        _ => None,
    };
    shown.or_else(|| sources.iter().find_map(named))
}

/// Returns the memory entry, skill or tool that an event is about.
pub(crate) fn key_of(event: &Event) -> Option<Name> {
    match &event.kind {
        EventKind::MemoryWritten { key, .. }
        | EventKind::MemoryCleared { key, .. }
        | EventKind::MemoryReset { key, .. }
        | EventKind::ProjectEntryLocked { key } => Some(key.clone()),
        EventKind::MemoryWriteRefused { asked, key, .. } => Some(key.clone().unwrap_or_else(|| asked.clone())),
        EventKind::SkillActivated { skill, .. }
        | EventKind::SkillCompleted { skill }
        | EventKind::SkillCancelled { skill, .. }
        | EventKind::SkillInterrupted { skill, .. }
        | EventKind::SkillResumed { skill, .. }
        | EventKind::SkillRefused { skill, .. }
        | EventKind::SkillPending { skill, .. }
        | EventKind::SkillDeferred { skill } => Some(skill.clone()),
        EventKind::BlockEntered { skill, block }
        | EventKind::BlockCompleted { skill, block, .. }
        | EventKind::BlockCancelled { skill, block, .. }
        | EventKind::BlockInterrupted { skill, block, .. }
        | EventKind::BlockResumed { skill, block, .. } => Some(Name::from(format!("{skill}__{block}"))),
        EventKind::StepEntered { step, .. } => Some(step.clone()),
        EventKind::ToolReturned { tool, .. } | EventKind::ConfirmationAnswered { tool, .. } => Some(tool.clone()),
        EventKind::ToolCalled { call }
        | EventKind::ToolRefused { call, .. }
        | EventKind::ConfirmationAsked { call } => Some(call.tool.clone()),
        EventKind::ResponseUttered { response, .. } => Some(response.clone()),
        EventKind::ReadDecided { asked, key, .. } => Some(key.clone().unwrap_or_else(|| asked.clone())),
        EventKind::AgentMessage { response, .. } => response.clone(),
        EventKind::ActionTaken { action, .. } => Some(action.clone()),
        EventKind::Foreign { name } => Some(name.clone()),
        EventKind::SessionStarted { .. }
        | EventKind::SessionEnded
        | EventKind::UserMessage { .. }
        | EventKind::TurnEnded
        | EventKind::StackPatched { .. }
        | EventKind::PromptRendered { .. }
        | EventKind::ModelReplied { .. }
        | EventKind::HistoryRewound { .. } => None,
    }
}

/// Returns what an event brought: a value, the words of a message, what a tool gave or was given.
pub(crate) fn value_of(event: &Event) -> Option<Arc<Value>> {
    let text = |text: &str| Some(Arc::new(Value::Text(text.to_owned())));
    match &event.kind {
        EventKind::MemoryWritten { value, .. }
        | EventKind::MemoryReset { value, .. }
        | EventKind::MemoryWriteRefused { value, .. } => Some(Arc::clone(value)),
        EventKind::MemoryCleared { .. } => Some(Arc::default()),
        EventKind::UserMessage { text: words, .. } | EventKind::AgentMessage { text: words, .. } => text(words),
        EventKind::ToolReturned { result, error, .. } => text(error.as_deref().unwrap_or(result)),
        EventKind::ToolCalled { call }
        | EventKind::ToolRefused { call, .. }
        | EventKind::ConfirmationAsked { call } => text(&call.arguments),
        EventKind::StackPatched { patch, .. } => text(patch),
        EventKind::ModelReplied { text: words, .. } => text(words),
        EventKind::ConfirmationAnswered { confirmed, .. } => Some(Arc::new(Value::Bool(*confirmed))),
        EventKind::SessionStarted { .. }
        | EventKind::SessionEnded
        | EventKind::TurnEnded
        | EventKind::SkillActivated { .. }
        | EventKind::SkillCompleted { .. }
        | EventKind::SkillCancelled { .. }
        | EventKind::SkillInterrupted { .. }
        | EventKind::SkillResumed { .. }
        | EventKind::SkillRefused { .. }
        | EventKind::SkillPending { .. }
        | EventKind::SkillDeferred { .. }
        | EventKind::BlockEntered { .. }
        | EventKind::BlockCompleted { .. }
        | EventKind::BlockCancelled { .. }
        | EventKind::BlockInterrupted { .. }
        | EventKind::BlockResumed { .. }
        | EventKind::StepEntered { .. }
        | EventKind::ProjectEntryLocked { .. }
        | EventKind::ResponseUttered { .. }
        | EventKind::PromptRendered { .. }
        | EventKind::ReadDecided { .. }
        | EventKind::ActionTaken { .. }
        | EventKind::HistoryRewound { .. }
        | EventKind::Foreign { .. } => None,
    }
}

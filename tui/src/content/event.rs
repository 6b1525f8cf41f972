//! The event at the cursor with everything that it says, and the raw records that it was read from.

use std::borrow::Cow;

use replay_store::event::{Event, EventKind, Form, Origin};
use replay_store::replay::headline::{headline, who};
use replay_store::value::Value;

use crate::app::{Debugger, EventView};
use crate::document::{Document, Label};
use crate::fold::{CLOSED, FOLDED, size_words};
use crate::label::{caller_words, outcome_words, speaker_words};
use crate::theme::Tone;

/// Makes the panel's text for the cursor.
pub(crate) fn view(debugger: &Debugger) -> EventView {
    let mut document = Document::default();
    document.set_form(debugger.form, 0);
    match debugger.session.event(debugger.cursor) {
        Some(event) => write(&mut document, debugger, &event),
        None => {
            document.push("Nothing is applied yet. j or → goes to the first event, ? shows all keys.", Tone::Quiet, 0)
        }
    }
    EventView { at: Some(debugger.cursor), document }
}

fn write(document: &mut Document, debugger: &Debugger, event: &Event) {
    let session = &debugger.session;
    if let Some(line) = session.headline(debugger.cursor) {
        document.push(&format!("{} {}\n", debugger.cursor, line.kind), Tone::Strong, 0);
    }
    if let Some(note) = debugger.notes.at(debugger.cursor) {
        field(document, "note", note);
    }
    if session.starts_again(debugger.cursor) {
        field(document, "again", "memory and stack are emptied");
    }
    if let Some(by) = session.taken_back(debugger.cursor) {
        field(document, "taken back", &format!("at {by}"));
    }
    let turn = event.turn.map_or_else(|| "between turns".to_owned(), |turn| turn.to_string());
    field(document, "turn", &turn);
    field(document, "time", &event.time.to_string());
    if let Some(call) = session.turn_at(debugger.cursor).and_then(|turn| turn.followed(debugger.cursor)) {
        field(document, "follows", &call);
    }
    if let Some(cause) = event.cause {
        let cause_line =
            session.event(cause).map(|cause| headline(&cause)).map(|cause| format!(": {} {}", cause.kind, cause.text));
        field(document, "cause", &format!("{cause}{}", cause_line.unwrap_or_default()));
    }
    fields(document, debugger, &event.kind);
    match event.origin {
        Origin::Imported { form, .. } => {
            for index in event.origin.raw_indexes() {
                document.push_line("", Tone::Plain, 0);
                match session.raw.get(index) {
                    Some(bytes) => raw(document, index, (form, &bytes)),
                    None => {
                        document.push(&format!("raw record {index}, {}: ", form_word(form)), Tone::Title, 0);
                        let problem = session.raw.problem().unwrap_or("its bytes are not at hand");
                        document.push(problem, Tone::Quiet, 0);
                    }
                }
            }
        }
        Origin::Recorded => document.push_line("decided and recorded by replay", Tone::Quiet, 0),
        Origin::Added => document.push_line("put in by the reader: the record has no such event", Tone::Quiet, 0),
    }
}

fn fields(document: &mut Document, debugger: &Debugger, kind: &EventKind) {
    let mut named = |name: &'static str, text: Option<&str>| {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            field(document, name, text);
        }
    };
    match kind {
        EventKind::SessionStarted { definition, profile, initial } => {
            named("agent", definition.map(|digest| digest.to_string()).as_deref());
            named("profile", profile.map(|profile| profile.name()));
            named("initial", Some(&format!("{} values", initial.len())));
        }
        EventKind::SessionEnded | EventKind::TurnEnded => {}
        EventKind::UserMessage { text, channel, message_id } => {
            named("text", Some(text));
            named("channel", channel.as_deref());
            named("id", message_id.as_deref());
        }
        EventKind::AgentMessage { text, source, response, model_millis, data } => {
            named("text", Some(text));
            named("spoken by", Some(speaker_words(*source)));
            named("response", response.as_deref());
            named("model", model_millis.map(|millis| format!("{millis} ms")).as_deref());
            named("data", Some(&data.to_json()).filter(|_| !is_empty(data)).map(String::as_str));
        }
        EventKind::SkillActivated { skill, .. } | EventKind::SkillCompleted { skill } => named("skill", Some(skill)),
        EventKind::SkillCancelled { skill, step }
        | EventKind::SkillInterrupted { skill, step }
        | EventKind::SkillResumed { skill, step } => {
            named("skill", Some(skill));
            named("step", step.as_deref());
        }
        EventKind::BlockEntered { skill, block } => {
            named("skill", Some(skill));
            named("block", Some(block));
        }
        EventKind::BlockCompleted { skill, block, step }
        | EventKind::BlockCancelled { skill, block, step }
        | EventKind::BlockInterrupted { skill, block, step }
        | EventKind::BlockResumed { skill, block, step } => {
            named("skill", Some(skill));
            named("block", Some(block));
            named("step", step.as_deref());
        }
        EventKind::MemoryWritten { key, writer, .. } | EventKind::MemoryCleared { key, writer } => {
            named("key", Some(key));
            if let Some(after) = debugger.state.memory.get(key) {
                let before = debugger.before.memory.get(key).map(|cell| words(&cell.value));
                named("old", Some(before.as_deref().unwrap_or("never written")));
                named("new", Some(&words(&after.value)));
            }
            named("written by", Some(&who(writer)));
            named("call", writer.call_id.as_deref());
            named("arguments", Some(&writer.arguments));
        }
        EventKind::ToolReturned { tool, arguments, result, outcome, error, caller, skill, call_id, .. } => {
            named("tool", Some(tool));
            named("outcome", Some(outcome_words(*outcome)));
            named("error", error.as_deref());
            named("asked by", Some(caller_words(*caller)));
            named("skill", skill.as_deref());
            named("arguments", Some(arguments));
            named("result", Some(result));
            named("call", call_id.as_deref());
        }
        EventKind::StackPatched { frames, patch } => {
            if frames.is_none() {
                named("note", Some("the patch doesn't fit the stack that was there before"));
            }
            named("patch", Some(patch));
        }
        EventKind::ActionTaken { action, policy, confidence } => {
            named("action", Some(action));
            named("policy", policy.as_deref());
            named("confidence", confidence.map(|confidence| confidence.to_string()).as_deref());
        }
        EventKind::HistoryRewound { cells, to, .. } => {
            named("kept", Some(&format!("{} entries", cells.len())));
            named("back to", to.map(|to| to.to_string()).as_deref());
        }
        EventKind::Foreign { name } => named("kind", Some(name)),
        EventKind::SkillRefused { skill, rule, .. } => {
            named("skill", Some(skill));
            named("rule", Some(&format!("{rule}: {}", rule.text())));
        }
        EventKind::SkillPending { skill, resolver } => {
            named("skill", Some(skill));
            named("until", Some(resolver));
        }
        EventKind::SkillDeferred { skill } => named("skill", Some(skill)),
        EventKind::MemoryWriteRefused { asked, key, value, writer, refusal, rule } => {
            named("asked for", Some(asked));
            named("key", key.as_deref());
            named("value", Some(&value.to_json()));
            named("writer", Some(&who(writer)));
            named("answer", Some(refusal.word()));
            named("rule", Some(&format!("{rule}: {}", rule.text())));
        }
        EventKind::MemoryReset { key, value } => {
            named("key", Some(key));
            named("value", Some(&value.to_json()));
        }
        EventKind::ProjectEntryLocked { key } => named("key", Some(key)),
        EventKind::StepEntered { skill, block, step } => {
            named("skill", Some(skill));
            named("block", Some(block));
            named("step", Some(step));
        }
        EventKind::ToolCalled { call } | EventKind::ConfirmationAsked { call } => {
            named("tool", Some(&call.tool));
            named("asked by", Some(caller_words(call.caller)));
            named("arguments", Some(&call.arguments));
        }
        EventKind::ToolRefused { call, rule } => {
            named("tool", Some(&call.tool));
            named("arguments", Some(&call.arguments));
            named("rule", Some(&format!("{rule}: {}", rule.text())));
        }
        EventKind::ConfirmationAnswered { tool, confirmed } => {
            named("tool", Some(tool));
            named("answer", Some(if *confirmed { "yes: it runs" } else { "no: it never runs" }));
        }
        EventKind::ResponseUttered { response, why, skill } => {
            named("response", Some(response));
            named("why", Some(why.word()));
            named("skill", skill.as_deref());
        }
        EventKind::PromptRendered { digest, tools } => {
            named("prompt", Some(&digest.to_string()));
            named("offered", Some(&tools.iter().map(|tool| tool.as_str()).collect::<Vec<_>>().join(", ")));
        }
        EventKind::ModelReplied { text, calls, millis } => {
            named("text", Some(text).filter(|text| !text.is_empty()).map(String::as_str));
            for call in calls {
                named("calls", Some(&format!("{} {}", call.tool, call.arguments)));
            }
            named("took", millis.map(|millis| format!("{millis} ms")).as_deref());
        }
        EventKind::ReadDecided { asked, key, gave, rule, skill, tool, call_id: _ } => {
            named("asked for", Some(asked));
            named("key", key.as_deref());
            named("answer", Some(gave.words()));
            named("rule", Some(&format!("{rule}: {}", rule.text())));
            named("skill", skill.as_deref());
            named("tool", tool.as_deref());
        }
    }
}

fn field(document: &mut Document, name: &'static str, text: &str) {
    document.push_line(&format!("{name:<11}"), Tone::Quiet, 0);
    document.push_named(name, text, Tone::Plain, 0);
    document.push_line("", Tone::Plain, 0);
}

/// Adds a raw record, which is folded away where it is large.
fn raw(document: &mut Document, index: u32, (form, bytes): (Form, &[u8])) {
    let label = format!("{CLOSED} raw record {index}, {}, {}", form_word(form), size_words(bytes.len()));
    let label = Label { text: &label, tone: Tone::Title, name: &format!("raw[{index}]") };
    let line = document.push_bytes(label, bytes, Tone::Plain, 0);
    if bytes.len() <= FOLDED {
        document.toggle(line);
    }
}

/// Returns a whole value in words: a text as it is, anything else as JSON.
fn words(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Text(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_json()),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::List(items) => items.is_empty(),
        Value::Map(pairs) => pairs.is_empty(),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) => false,
    }
}

fn form_word(form: Form) -> &'static str {
    match form {
        Form::Flat => "flat",
        Form::ProtoJson => "ProtoJSON",
        Form::Classic => "classic",
    }
}

//! What each kind of record says: the flat and classic kinds, whose names the ProtoJSON kinds bear too.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::draft::{Draft, Fact, Family, Oddities, Twin};
use super::fields::{Fields, Metadata};
use super::mend::{is_rounded, mend};
use super::names::Names;
use crate::event::{Activation, Actor, EventKind, MessageSource, Rewind, ToolCaller, ToolOutcome, ToolSource, Writer};
use crate::name::{Name, SYSTEM, split_key};
use crate::value::Value;

/// Fills in what a kind of the flat or classic form says; the ProtoJSON kinds bear the same names.
pub(super) fn fill(draft: &mut Draft, kind: &str, fields: &mut Fields<'_>, names: &mut Names, odd: &mut Oddities) {
    if fields.is_anonymised {
        odd.anonymised = Some(match (fields.key.as_deref().or(fields.name.as_deref()), kind) {
            (Some(key), _) => format!("the value of `{key}`"),
            (None, "user") => "the text of a user message".to_owned(),
            (None, _) => "the text of an agent message".to_owned(),
        });
    }
    let skill = name(&fields.skill_id, names).unwrap_or_else(|| names.get(""));
    let block = |fields: &Fields<'_>, names: &mut Names| names.get(fields.block_id.as_deref().unwrap_or(""));
    let step = name(&fields.step_id, names);
    let kind = match kind {
        "session_started" => EventKind::SessionStarted { definition: None, profile: None, initial: Vec::new() },
        "session_ended" => EventKind::SessionEnded,
        "user" => EventKind::UserMessage {
            text: fields.text.take().unwrap_or_default().into_owned(),
            channel: name(&fields.input_channel, names),
            message_id: fields.message_id.take().map(|id| Name::from(&*id)),
        },
        "bot" => agent_message(fields, names),
        "bot_turn_ended" => EventKind::TurnEnded,
        "memory_set" | "memory_cleared" | "slot" => {
            let key = fields.key.as_deref().or(fields.name.as_deref()).unwrap_or("");
            let content = if kind == "memory_cleared" { "null" } else { fields.value.map_or("null", RawValue::get) };
            // A bare name is a slot of the classic engine or one of the engine's own: no other record says the same.
            if split_key(key).is_some() || kind != "slot" {
                draft.twin = Some(Twin { family: Family::Memory, identity: hash(key), content: hash(content) });
            }
            match kind {
                "slot" if draft.twin.is_some() => return,
                "memory_cleared" => {
                    EventKind::MemoryCleared { key: names.get(key), writer: writer(&fields.metadata, key, names) }
                }
                _ => match memory_written(fields, names, odd) {
                    Ok(written) => written,
                    Err(error) => return spoil(draft, names.get(kind), error.to_string(), odd),
                },
            }
        }
        "tool_executed" | "mcp_tool_executed" => {
            let tool = fields.tool_name.as_deref().unwrap_or("");
            let arguments = fields.arguments.map_or("", RawValue::get);
            let result = fields.result.map_or("", RawValue::get);
            draft.twin = Some(Twin { family: Family::Tool, identity: hash((tool, arguments)), content: hash(result) });
            if kind == "mcp_tool_executed" {
                return;
            }
            tool_returned(fields, names)
        }
        "flow_started" | "flow_completed" | "flow_cancelled" | "flow_interrupted" | "flow_resumed" => {
            let verb = kind.strip_prefix("flow_").unwrap_or(kind);
            draft.twin = Some(flow_twin(verb, fields.flow_id.as_deref().unwrap_or("")));
            return;
        }
        "skill_activated" => {
            draft.twin = Some(flow_twin("started", &skill));
            EventKind::SkillActivated { skill, by: Activation::Unknown }
        }
        "skill_completed" => {
            draft.twin = Some(flow_twin("completed", &skill));
            EventKind::SkillCompleted { skill }
        }
        "skill_cancelled" => {
            draft.twin = Some(flow_twin("cancelled", &skill));
            EventKind::SkillCancelled { skill, step }
        }
        "skill_interrupted" => {
            draft.twin = Some(flow_twin("interrupted", &skill));
            EventKind::SkillInterrupted { skill, step }
        }
        "skill_resumed" => {
            draft.twin = Some(flow_twin("resumed", &skill));
            EventKind::SkillResumed { skill, step }
        }
        "ordered_block_entered" => {
            let block = block(fields, names);
            draft.twin = Some(flow_twin("started", &format!("{skill}__{block}")));
            EventKind::BlockEntered { skill, block }
        }
        "ordered_block_completed" => {
            let block = block(fields, names);
            draft.twin = Some(flow_twin("completed", &format!("{skill}__{block}")));
            EventKind::BlockCompleted { skill, block, step }
        }
        "ordered_block_cancelled" => {
            let block = block(fields, names);
            draft.twin = Some(flow_twin("cancelled", &format!("{skill}__{block}")));
            EventKind::BlockCancelled { skill, block, step }
        }
        "ordered_block_interrupted" => {
            let block = block(fields, names);
            draft.twin = Some(flow_twin("interrupted", &format!("{skill}__{block}")));
            EventKind::BlockInterrupted { skill, block, step }
        }
        "ordered_block_resumed" => {
            let block = block(fields, names);
            draft.twin = Some(flow_twin("resumed", &format!("{skill}__{block}")));
            EventKind::BlockResumed { skill, block, step }
        }
        "stack" => {
            EventKind::StackPatched { frames: None, patch: fields.update.take().unwrap_or_default().into_owned() }
        }
        "action" => EventKind::ActionTaken {
            action: name(&fields.name, names).unwrap_or_else(|| names.get("")),
            policy: name(&fields.policy, names),
            confidence: fields.confidence,
        },
        "restart" => {
            draft.fact = Fact::Rewound(Rewind::Restart);
            return;
        }
        "rewind" => {
            draft.fact = Fact::Rewound(Rewind::Rewind);
            return;
        }
        "undo" => {
            draft.fact = Fact::Rewound(Rewind::Undo);
            return;
        }
        "reset_slots" => {
            draft.fact = Fact::Rewound(Rewind::ResetSlots);
            return;
        }
        other => {
            let name = names.get(other);
            if !WITHOUT_EFFECT.contains(&other) {
                odd.unknown_kind = Some(name.clone());
            }
            odd.unknown_fields.clear();
            EventKind::Foreign { name }
        }
    };
    draft.fact = Fact::Kind(kind);
}

/// Reads a mirror that has no twin as an event of its own: older records have nothing else.
pub(super) fn read_alone(bytes: &[u8], names: &mut Names) -> EventKind {
    let mended = mend(bytes).map(|(mended, _)| mended);
    let Ok(fields) = serde_json::from_slice::<Fields<'_>>(mended.as_deref().unwrap_or(bytes)) else {
        return EventKind::Foreign { name: names.get("") };
    };
    let kind = fields.event.clone().unwrap_or_default();
    let foreign = EventKind::Foreign { name: names.get(&kind) };
    let flow = fields.flow_id.as_deref().unwrap_or("");
    let (skill, block) = match (fields.skill_id.as_deref(), flow.split_once("__")) {
        (Some(skill), _) => (skill, flow.strip_prefix(skill).and_then(|rest| rest.strip_prefix("__"))),
        (None, Some((skill, block))) => (skill, Some(block)),
        (None, None) => (flow, None),
    };
    let (skill, block) = (names.get(skill), block.map(|block| names.get(block)));
    let step = name(&fields.step_id, names);
    match (&*kind, block) {
        ("slot", _) => memory_written(&fields, names, &mut Oddities::default()).unwrap_or(foreign),
        ("mcp_tool_executed", _) => tool_returned(&fields, names),
        ("flow_started", Some(block)) => EventKind::BlockEntered { skill, block },
        ("flow_started", None) => EventKind::SkillActivated { skill, by: Activation::Unknown },
        ("flow_completed", Some(block)) => EventKind::BlockCompleted { skill, block, step },
        ("flow_completed", None) => EventKind::SkillCompleted { skill },
        ("flow_cancelled", Some(block)) => EventKind::BlockCancelled { skill, block, step },
        ("flow_cancelled", None) => EventKind::SkillCancelled { skill, step },
        ("flow_interrupted", Some(block)) => EventKind::BlockInterrupted { skill, block, step },
        ("flow_interrupted", None) => EventKind::SkillInterrupted { skill, step },
        ("flow_resumed", Some(block)) => EventKind::BlockResumed { skill, block, step },
        ("flow_resumed", None) => EventKind::SkillResumed { skill, step },
        _ => foreign,
    }
}

/// Kinds that are known and change nothing that is kept here (M307, and the classic engine's).
const WITHOUT_EFFECT: [&str; 20] = [
    "inactive",
    "user_barge_in",
    "tts_finished",
    "user_silence_timeout",
    "user_input_suppressed",
    "unsupported_request_classified",
    "reminder",
    "cancel_reminder",
    "export",
    "followup",
    "pause",
    "resume",
    "agent",
    "active_loop",
    "form",
    "loop_interrupted",
    "form_validation",
    "action_execution_rejected",
    "user_featurization",
    "entities",
];

pub(super) fn spoil(draft: &mut Draft, name: Name, why: String, odd: &mut Oddities) {
    odd.damage = Some(why);
    draft.fact = Fact::Kind(EventKind::Foreign { name });
    draft.twin = None;
}

fn flow_twin(verb: &str, flow: &str) -> Twin {
    Twin { family: Family::Flow, identity: hash((verb, flow)), content: 0 }
}

fn hash(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

fn memory_written(fields: &Fields<'_>, names: &mut Names, odd: &mut Oddities) -> Result<EventKind, serde_json::Error> {
    let key = fields.key.as_deref().or(fields.name.as_deref()).unwrap_or("");
    let json = match (fields.value, &fields.value_json) {
        (Some(value), _) => value.get(),
        // The ProtoJSON form holds JSON in a text, which is parsed once (M309).
        (None, Some(json)) => json,
        (None, None) => "null",
    };
    let value = Arc::new(Value::from_json(json)?);
    if is_rounded(json) {
        odd.mended.push("an integer of more than 64 bits is rounded; the raw record has all its digits");
    }
    Ok(EventKind::MemoryWritten { key: names.get(key), value, writer: writer(&fields.metadata, key, names) })
}

/// Reads who wrote. A call without a tool is the engine's until a later record says that its tool is the model's.
fn writer(metadata: &Metadata<'_>, key: &str, names: &mut Names) -> Writer {
    let Some(provenance) = &metadata.provenance else {
        let engine = split_key(key).is_none_or(|(space, _)| space == SYSTEM);
        return Writer::only(if engine { Actor::Engine } else { Actor::Unknown });
    };
    Writer {
        actor: if provenance.tool.is_some() { Actor::Tool } else { Actor::Engine },
        tool: name(&provenance.tool, names),
        skill: name(&provenance.skill_id, names),
        step: name(&provenance.step, names),
        frame: name(&provenance.frame_id, names),
        call_id: name(&provenance.tool_call_id, names),
        arguments: provenance.arguments.as_deref().map(compact).filter(|text| text != "null").unwrap_or_default(),
        recorded_index: provenance.position.and_then(whole),
    }
}

fn agent_message(fields: &mut Fields<'_>, names: &mut Names) -> EventKind {
    let metadata = &fields.metadata;
    let filler = metadata.message_type.as_deref() == Some("filler_message");
    let source = match (metadata.response_source.as_deref(), metadata.model_millis, &metadata.utter_action) {
        (Some("filler"), _, _) => MessageSource::Filler,
        (Some("verbatim"), _, _) => MessageSource::Template,
        (Some("rephrased"), _, _) => MessageSource::Rephrased,
        (Some("llm"), _, _) if filler => MessageSource::Filler,
        (Some("llm"), Some(_), _) => MessageSource::Model,
        (Some("llm"), None, _) => MessageSource::ToolCode,
        (None, _, Some(_)) => MessageSource::Template,
        (Some(_) | None, _, _) => MessageSource::Unknown,
    };
    let data = fields.data.and_then(|data| Value::from_json(data.get()).ok()).unwrap_or_default();
    EventKind::AgentMessage {
        source,
        response: name(&metadata.utter_action, names),
        model_millis: metadata.model_millis,
        text: fields.text.take().unwrap_or_default().into_owned(),
        data: Arc::new(data),
    }
}

fn tool_returned(fields: &Fields<'_>, names: &mut Names) -> EventKind {
    let metadata = &fields.metadata;
    let tool = names.get(fields.tool_name.as_deref().unwrap_or(""));
    let arguments = match (fields.arguments, &fields.arguments_json) {
        (Some(arguments), _) => compact(arguments.get()),
        (None, Some(json)) => compact(json),
        (None, None) => String::new(),
    };
    let result = match (fields.result, &fields.result_json) {
        (Some(result), _) => result_text(result.get()),
        (None, Some(json)) => json.clone().into_owned(),
        (None, None) => String::new(),
    };
    let caller = match (metadata.source.as_deref(), &metadata.tool_call_id) {
        (Some("execute_step"), _) => ToolCaller::Step,
        (Some("tool_confirmation"), _) => ToolCaller::Confirmation,
        (_, Some(_)) => ToolCaller::Model,
        (_, None) => ToolCaller::Unknown,
    };
    let outcome = if fields.is_error { ToolOutcome::Failed } else { outcome(&tool, &result, caller) };
    EventKind::ToolReturned {
        outcome,
        caller,
        skill: name(&metadata.skill_id, names),
        call_id: metadata.tool_call_id.as_deref().map(Name::from),
        batch_id: metadata.tool_batch_id.as_deref().map(Name::from),
        source: match fields.source.as_deref() {
            Some("local") => ToolSource::Local,
            Some("mcp") => ToolSource::Mcp,
            Some(_) | None => ToolSource::Unknown,
        },
        error: fields.error_message.as_deref().filter(|text| !text.is_empty()).map(str::to_owned),
        tool,
        arguments,
        result,
    }
}

/// The engine's tool that carries the user's answer to a confirmation (M192).
const RESOLVE_CONFIRMATION: &str = "resolve_tool_confirmation";

/// Reads whether a call ran. The engine answers for a call that waits or was refused, under the tool's own name
/// (M192, M193); a tool that was called by the model may say `declined` itself, about something else.
fn outcome(tool: &str, result: &str, caller: ToolCaller) -> ToolOutcome {
    if tool == RESOLVE_CONFIRMATION || !(result.contains("awaiting_confirmation") || result.contains("declined")) {
        return ToolOutcome::Done;
    }
    #[derive(Deserialize)]
    struct Status<'a> {
        #[serde(borrow)]
        status: Option<Cow<'a, str>>,
    }
    let status = serde_json::from_str::<Status<'_>>(result).ok().and_then(|status| status.status);
    match (status.as_deref(), caller) {
        (Some("awaiting_confirmation"), _) => ToolOutcome::AwaitingConfirmation,
        (Some("declined"), ToolCaller::Confirmation | ToolCaller::Unknown) => ToolOutcome::Declined,
        (Some(_) | None, _) => ToolOutcome::Done,
    }
}

/// Returns a result as the model got it: a text as it is, anything else as JSON.
fn result_text(json: &str) -> String {
    if json == "null" {
        return String::new();
    }
    if json.starts_with('"') {
        return serde_json::from_str(json).unwrap_or_else(|_| json.to_owned());
    }
    compact(json)
}

/// Returns JSON without the blanks between its parts.
fn compact(json: &str) -> String {
    if !json.contains([' ', '\n', '\t', '\r']) {
        return json.to_owned();
    }
    let mut out = String::with_capacity(json.len());
    let (mut in_text, mut escaped) = (false, false);
    for c in json.chars() {
        if in_text {
            (in_text, escaped) = (escaped || c != '"', !escaped && c == '\\');
        } else if c.is_ascii_whitespace() {
            continue;
        } else {
            in_text = c == '"';
        }
        out.push(c);
    }
    out
}

fn name(text: &Option<Cow<'_, str>>, names: &mut Names) -> Option<Name> {
    text.as_deref().map(|text| names.get(text))
}

pub(super) fn whole(number: f64) -> Option<u32> {
    (number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number)).then_some(number as u32)
}

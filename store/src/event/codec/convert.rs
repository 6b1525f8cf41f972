//! From live events to stored ones and back.

use std::sync::Arc;

use super::names::Names;
use super::stored::{
    StoredEvent, StoredFrame, StoredKind, StoredOrigin, StoredRequestedCall, StoredRule, StoredToolCall, StoredWriter,
};
use super::value::StoredValue;
use crate::digest::Digest;
use crate::event::{Event, EventKind, Origin, Position, RecordedFrame, RequestedCall, ToolCall, Writer};
use crate::timestamp::Timestamp;
use crate::value::Value;

impl<'a> StoredEvent<'a> {
    pub(super) fn of(event: &'a Event, raw_digest: Option<Digest>) -> StoredEvent<'a> {
        StoredEvent {
            time: event.time.0,
            turn: event.turn,
            cause: event.cause.map(|cause| cause.0),
            origin: match event.origin {
                Origin::Imported { raw, mirror, form } => StoredOrigin::Imported { raw, mirror, form: form.into() },
                Origin::Added => StoredOrigin::Added,
                Origin::Recorded => StoredOrigin::Recorded,
            },
            raw_digest: raw_digest.map(|digest| digest.0),
            kind: stored_kind(&event.kind),
        }
    }

    pub(super) fn into_event(self, names: &mut Names) -> Event {
        Event {
            time: Timestamp(self.time),
            turn: self.turn,
            cause: self.cause.map(Position),
            origin: match self.origin {
                StoredOrigin::Imported { raw, mirror, form } => Origin::Imported { raw, mirror, form: form.into() },
                StoredOrigin::Added => Origin::Added,
                StoredOrigin::Recorded => Origin::Recorded,
            },
            kind: live_kind(self.kind, names),
        }
    }
}

fn stored_kind(kind: &EventKind) -> StoredKind<'_> {
    match kind {
        EventKind::SessionStarted { definition, profile, initial } => StoredKind::SessionStarted {
            definition: definition.map(|digest| digest.0),
            profile: profile.map(Into::into),
            initial: initial.iter().map(|(key, value)| (&**key, StoredValue::of(value))).collect(),
        },
        EventKind::SessionEnded => StoredKind::SessionEnded,
        EventKind::UserMessage { text, channel, message_id } => {
            StoredKind::UserMessage { text, channel: channel.as_deref(), message_id: message_id.as_deref() }
        }
        EventKind::AgentMessage { text, source, response, model_millis, data } => StoredKind::AgentMessage {
            text,
            source: (*source).into(),
            response: response.as_deref(),
            model_millis: *model_millis,
            data: StoredValue::of(data),
        },
        EventKind::TurnEnded => StoredKind::TurnEnded,
        EventKind::SkillActivated { skill, by } => StoredKind::SkillActivated { skill, by: (*by).into() },
        EventKind::SkillCompleted { skill } => StoredKind::SkillCompleted { skill },
        EventKind::SkillCancelled { skill, step } => StoredKind::SkillCancelled { skill, step: step.as_deref() },
        EventKind::SkillInterrupted { skill, step } => StoredKind::SkillInterrupted { skill, step: step.as_deref() },
        EventKind::SkillResumed { skill, step } => StoredKind::SkillResumed { skill, step: step.as_deref() },
        EventKind::BlockEntered { skill, block } => StoredKind::BlockEntered { skill, block },
        EventKind::BlockCompleted { skill, block, step } => {
            StoredKind::BlockCompleted { skill, block, step: step.as_deref() }
        }
        EventKind::BlockCancelled { skill, block, step } => {
            StoredKind::BlockCancelled { skill, block, step: step.as_deref() }
        }
        EventKind::BlockInterrupted { skill, block, step } => {
            StoredKind::BlockInterrupted { skill, block, step: step.as_deref() }
        }
        EventKind::BlockResumed { skill, block, step } => {
            StoredKind::BlockResumed { skill, block, step: step.as_deref() }
        }
        EventKind::MemoryWritten { key, value, writer } => {
            StoredKind::MemoryWritten { key, value: StoredValue::of(value), writer: stored_writer(writer) }
        }
        EventKind::MemoryCleared { key, writer } => StoredKind::MemoryCleared { key, writer: stored_writer(writer) },
        EventKind::ToolReturned {
            tool,
            arguments,
            result,
            outcome,
            error,
            caller,
            skill,
            call_id,
            batch_id,
            source,
        } => StoredKind::ToolReturned {
            tool,
            arguments,
            result,
            outcome: (*outcome).into(),
            error: error.as_deref(),
            caller: (*caller).into(),
            skill: skill.as_deref(),
            call_id: call_id.as_deref(),
            batch_id: batch_id.as_deref(),
            source: (*source).into(),
        },
        EventKind::StackPatched { frames, patch } => StoredKind::StackPatched {
            frames: frames.as_ref().map(|frames| frames.iter().map(stored_frame).collect()),
            patch,
        },
        EventKind::ActionTaken { action, policy, confidence } => {
            StoredKind::ActionTaken { action, policy: policy.as_deref(), confidence: *confidence }
        }
        EventKind::HistoryRewound { by, cells, to } => StoredKind::HistoryRewound {
            by: (*by).into(),
            cells: cells.iter().map(|(key, value, at)| (&**key, StoredValue::of(value), at.map(|at| at.0))).collect(),
            to: to.map(|at| at.0),
        },
        EventKind::Foreign { name } => StoredKind::Foreign { name },
        EventKind::SkillRefused { skill, by, rule } => {
            StoredKind::SkillRefused { skill, by: (*by).into(), rule: StoredRule(*rule) }
        }
        EventKind::SkillPending { skill, resolver } => StoredKind::SkillPending { skill, resolver },
        EventKind::SkillDeferred { skill } => StoredKind::SkillDeferred { skill },
        EventKind::MemoryWriteRefused { asked, key, value, writer, refusal, rule } => StoredKind::MemoryWriteRefused {
            asked,
            key: key.as_deref(),
            value: StoredValue::of(value),
            writer: stored_writer(writer),
            refusal: (*refusal).into(),
            rule: StoredRule(*rule),
        },
        EventKind::MemoryReset { key, value } => StoredKind::MemoryReset { key, value: StoredValue::of(value) },
        EventKind::ProjectEntryLocked { key } => StoredKind::ProjectEntryLocked { key },
        EventKind::StepEntered { skill, block, step } => StoredKind::StepEntered { skill, block, step },
        EventKind::ToolCalled { call } => StoredKind::ToolCalled { call: stored_call(call) },
        EventKind::ToolRefused { call, rule } => {
            StoredKind::ToolRefused { call: stored_call(call), rule: StoredRule(*rule) }
        }
        EventKind::ConfirmationAsked { call } => StoredKind::ConfirmationAsked { call: stored_call(call) },
        EventKind::ConfirmationAnswered { tool, confirmed } => {
            StoredKind::ConfirmationAnswered { tool, confirmed: *confirmed }
        }
        EventKind::ResponseUttered { response, why, skill } => {
            StoredKind::ResponseUttered { response, why: (*why).into(), skill: skill.as_deref() }
        }
        EventKind::PromptRendered { digest, tools } => {
            StoredKind::PromptRendered { digest: digest.0, tools: tools.iter().map(|tool| &**tool).collect() }
        }
        EventKind::ModelReplied { text, calls, millis } => {
            let calls = calls.iter().map(|call| StoredRequestedCall {
                tool: &call.tool,
                arguments: &call.arguments,
                call_id: call.call_id.as_deref(),
            });
            StoredKind::ModelReplied { text, calls: calls.collect(), millis: *millis }
        }
        EventKind::ReadDecided { asked, key, gave, rule, skill, tool, call_id } => StoredKind::ReadDecided {
            asked,
            key: key.as_deref(),
            gave: (*gave).into(),
            rule: StoredRule(*rule),
            skill: skill.as_deref(),
            tool: tool.as_deref(),
            call_id: call_id.as_deref(),
        },
    }
}

fn live_kind(kind: StoredKind<'_>, names: &mut Names) -> EventKind {
    match kind {
        StoredKind::SessionStarted { definition, profile, initial } => EventKind::SessionStarted {
            definition: definition.map(Digest),
            profile: profile.map(Into::into),
            initial: initial.into_iter().map(|(key, value)| (names.get(key), live_value(value))).collect(),
        },
        StoredKind::SessionEnded => EventKind::SessionEnded,
        StoredKind::UserMessage { text, channel, message_id } => EventKind::UserMessage {
            text: text.to_owned(),
            channel: names.get_if_any(channel),
            message_id: names.get_if_any(message_id),
        },
        StoredKind::AgentMessage { text, source, response, model_millis, data } => EventKind::AgentMessage {
            text: text.to_owned(),
            source: source.into(),
            response: names.get_if_any(response),
            model_millis,
            data: live_value(data),
        },
        StoredKind::TurnEnded => EventKind::TurnEnded,
        StoredKind::SkillActivated { skill, by } => {
            EventKind::SkillActivated { skill: names.get(skill), by: by.into() }
        }
        StoredKind::SkillCompleted { skill } => EventKind::SkillCompleted { skill: names.get(skill) },
        StoredKind::SkillCancelled { skill, step } => {
            EventKind::SkillCancelled { skill: names.get(skill), step: names.get_if_any(step) }
        }
        StoredKind::SkillInterrupted { skill, step } => {
            EventKind::SkillInterrupted { skill: names.get(skill), step: names.get_if_any(step) }
        }
        StoredKind::SkillResumed { skill, step } => {
            EventKind::SkillResumed { skill: names.get(skill), step: names.get_if_any(step) }
        }
        StoredKind::BlockEntered { skill, block } => {
            EventKind::BlockEntered { skill: names.get(skill), block: names.get(block) }
        }
        StoredKind::BlockCompleted { skill, block, step } => {
            EventKind::BlockCompleted { skill: names.get(skill), block: names.get(block), step: names.get_if_any(step) }
        }
        StoredKind::BlockCancelled { skill, block, step } => {
            EventKind::BlockCancelled { skill: names.get(skill), block: names.get(block), step: names.get_if_any(step) }
        }
        StoredKind::BlockInterrupted { skill, block, step } => EventKind::BlockInterrupted {
            skill: names.get(skill),
            block: names.get(block),
            step: names.get_if_any(step),
        },
        StoredKind::BlockResumed { skill, block, step } => {
            EventKind::BlockResumed { skill: names.get(skill), block: names.get(block), step: names.get_if_any(step) }
        }
        StoredKind::MemoryWritten { key, value, writer } => EventKind::MemoryWritten {
            key: names.get(key),
            value: live_value(value),
            writer: live_writer(writer, names),
        },
        StoredKind::MemoryCleared { key, writer } => {
            EventKind::MemoryCleared { key: names.get(key), writer: live_writer(writer, names) }
        }
        StoredKind::ToolReturned {
            tool,
            arguments,
            result,
            outcome,
            error,
            caller,
            skill,
            call_id,
            batch_id,
            source,
        } => EventKind::ToolReturned {
            tool: names.get(tool),
            arguments: arguments.to_owned(),
            result: result.to_owned(),
            outcome: outcome.into(),
            error: error.map(str::to_owned),
            caller: caller.into(),
            skill: names.get_if_any(skill),
            call_id: names.get_if_any(call_id),
            batch_id: names.get_if_any(batch_id),
            source: source.into(),
        },
        StoredKind::StackPatched { frames, patch } => EventKind::StackPatched {
            frames: frames.map(|frames| frames.into_iter().map(|frame| live_frame(frame, names)).collect()),
            patch: patch.to_owned(),
        },
        StoredKind::ActionTaken { action, policy, confidence } => {
            EventKind::ActionTaken { action: names.get(action), policy: names.get_if_any(policy), confidence }
        }
        StoredKind::HistoryRewound { by, cells, to } => EventKind::HistoryRewound {
            by: by.into(),
            cells: cells
                .into_iter()
                .map(|(key, value, at)| (names.get(key), live_value(value), at.map(Position)))
                .collect(),
            to: to.map(Position),
        },
        StoredKind::Foreign { name } => EventKind::Foreign { name: names.get(name) },
        StoredKind::SkillRefused { skill, by, rule } => {
            EventKind::SkillRefused { skill: names.get(skill), by: by.into(), rule: rule.0 }
        }
        StoredKind::SkillDeferred { skill } => EventKind::SkillDeferred { skill: names.get(skill) },
        StoredKind::SkillPending { skill, resolver } => {
            EventKind::SkillPending { skill: names.get(skill), resolver: names.get(resolver) }
        }
        StoredKind::MemoryWriteRefused { asked, key, value, writer, refusal, rule } => EventKind::MemoryWriteRefused {
            asked: names.get(asked),
            key: names.get_if_any(key),
            value: live_value(value),
            writer: live_writer(writer, names),
            refusal: refusal.into(),
            rule: rule.0,
        },
        StoredKind::MemoryReset { key, value } => {
            EventKind::MemoryReset { key: names.get(key), value: live_value(value) }
        }
        StoredKind::ProjectEntryLocked { key } => EventKind::ProjectEntryLocked { key: names.get(key) },
        StoredKind::StepEntered { skill, block, step } => {
            EventKind::StepEntered { skill: names.get(skill), block: names.get(block), step: names.get(step) }
        }
        StoredKind::ToolCalled { call } => EventKind::ToolCalled { call: live_call(call, names) },
        StoredKind::ToolRefused { call, rule } => EventKind::ToolRefused { call: live_call(call, names), rule: rule.0 },
        StoredKind::ConfirmationAsked { call } => EventKind::ConfirmationAsked { call: live_call(call, names) },
        StoredKind::ConfirmationAnswered { tool, confirmed } => {
            EventKind::ConfirmationAnswered { tool: names.get(tool), confirmed }
        }
        StoredKind::ResponseUttered { response, why, skill } => EventKind::ResponseUttered {
            response: names.get(response),
            why: why.into(),
            skill: names.get_if_any(skill),
        },
        StoredKind::PromptRendered { digest, tools } => EventKind::PromptRendered {
            digest: Digest(digest),
            tools: tools.into_iter().map(|tool| names.get(tool)).collect(),
        },
        StoredKind::ModelReplied { text, calls, millis } => {
            let calls = calls.into_iter().map(|call| RequestedCall {
                tool: names.get(call.tool),
                arguments: call.arguments.to_owned(),
                call_id: names.get_if_any(call.call_id),
            });
            EventKind::ModelReplied { text: text.to_owned(), calls: calls.collect(), millis }
        }
        StoredKind::ReadDecided { asked, key, gave, rule, skill, tool, call_id } => EventKind::ReadDecided {
            asked: names.get(asked),
            key: names.get_if_any(key),
            gave: gave.into(),
            rule: rule.0,
            skill: names.get_if_any(skill),
            tool: names.get_if_any(tool),
            call_id: names.get_if_any(call_id),
        },
    }
}

fn live_value(value: StoredValue<'_>) -> Arc<Value> {
    Arc::new(value.into_value())
}

fn stored_writer(writer: &Writer) -> StoredWriter<'_> {
    StoredWriter {
        actor: writer.actor.into(),
        tool: writer.tool.as_deref(),
        skill: writer.skill.as_deref(),
        step: writer.step.as_deref(),
        frame: writer.frame.as_deref(),
        call_id: writer.call_id.as_deref(),
        arguments: &writer.arguments,
        recorded_index: writer.recorded_index,
    }
}

fn live_writer(writer: StoredWriter<'_>, names: &mut Names) -> Writer {
    Writer {
        actor: writer.actor.into(),
        tool: names.get_if_any(writer.tool),
        skill: names.get_if_any(writer.skill),
        step: names.get_if_any(writer.step),
        frame: names.get_if_any(writer.frame),
        call_id: names.get_if_any(writer.call_id),
        arguments: writer.arguments.to_owned(),
        recorded_index: writer.recorded_index,
    }
}

fn stored_frame(frame: &RecordedFrame) -> StoredFrame<'_> {
    StoredFrame {
        frame: &frame.frame,
        skill: &frame.skill,
        block: frame.block.as_deref(),
        step: frame.step.as_deref(),
        interrupted: frame.interrupted,
    }
}

fn live_frame(frame: StoredFrame<'_>, names: &mut Names) -> RecordedFrame {
    RecordedFrame {
        frame: names.get(frame.frame),
        skill: names.get(frame.skill),
        block: names.get_if_any(frame.block),
        step: names.get_if_any(frame.step),
        interrupted: frame.interrupted,
    }
}

fn stored_call(call: &ToolCall) -> StoredToolCall<'_> {
    StoredToolCall {
        tool: &call.tool,
        arguments: &call.arguments,
        caller: call.caller.into(),
        skill: call.skill.as_deref(),
        step: call.step.as_deref(),
        call_id: call.call_id.as_deref(),
    }
}

fn live_call(call: StoredToolCall<'_>, names: &mut Names) -> ToolCall {
    ToolCall {
        tool: names.get(call.tool),
        arguments: call.arguments.to_owned(),
        caller: call.caller.into(),
        skill: names.get_if_any(call.skill),
        step: names.get_if_any(call.step),
        call_id: names.get_if_any(call.call_id),
    }
}

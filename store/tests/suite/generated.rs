//! Events of every kind, made up.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use replay_store::digest::Digest;
use replay_store::event::{
    Activation, Actor, Event, EventKind, Form, MessageSource, Origin, Position, ReadGave, RecordedFrame, RequestedCall,
    Rewind, ToolCall, ToolCaller, ToolOutcome, ToolSource, UtterCause, WriteRefusal, Writer,
};
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::rule::Rule;
use replay_store::timestamp::Timestamp;
use replay_store::value::Value;

/// Any event.
pub(crate) fn event() -> impl Strategy<Value = Event> {
    (any::<i64>(), option::of(any::<u32>()), option::of(position()), origin(), kind())
        .prop_map(|(time, turn, cause, origin, kind)| Event { time: Timestamp(time), turn, cause, origin, kind })
}

/// Any kind of event.
pub(crate) fn kind() -> BoxedStrategy<EventKind> {
    let step = || option::of(name());
    prop_oneof![
        (option::of(digest()), option::of(select(Profile::ALL.to_vec())), vec((name(), value()), 0..4))
            .prop_map(|(definition, profile, initial)| EventKind::SessionStarted { definition, profile, initial }),
        Just(EventKind::SessionEnded),
        (text(), step(), step()).prop_map(|(text, channel, message_id)| EventKind::UserMessage {
            text,
            channel,
            message_id
        }),
        (text(), source(), step(), option::of(float()), value()).prop_map(
            |(text, source, response, model_millis, data)| EventKind::AgentMessage {
                text,
                source,
                response,
                model_millis,
                data
            }
        ),
        Just(EventKind::TurnEnded),
        (name(), activation()).prop_map(|(skill, by)| EventKind::SkillActivated { skill, by }),
        name().prop_map(|skill| EventKind::SkillCompleted { skill }),
        (name(), step()).prop_map(|(skill, step)| EventKind::SkillCancelled { skill, step }),
        (name(), step()).prop_map(|(skill, step)| EventKind::SkillInterrupted { skill, step }),
        (name(), step()).prop_map(|(skill, step)| EventKind::SkillResumed { skill, step }),
        (name(), name()).prop_map(|(skill, block)| EventKind::BlockEntered { skill, block }),
        (name(), name(), step()).prop_map(|(skill, block, step)| EventKind::BlockCompleted { skill, block, step }),
        (name(), name(), step()).prop_map(|(skill, block, step)| EventKind::BlockCancelled { skill, block, step }),
        (name(), name(), step()).prop_map(|(skill, block, step)| EventKind::BlockInterrupted { skill, block, step }),
        (name(), name(), step()).prop_map(|(skill, block, step)| EventKind::BlockResumed { skill, block, step }),
        (name(), value(), writer()).prop_map(|(key, value, writer)| EventKind::MemoryWritten { key, value, writer }),
        (name(), writer()).prop_map(|(key, writer)| EventKind::MemoryCleared { key, writer }),
        tool_returned(),
        (option::of(vec(frame(), 0..4)), text()).prop_map(|(frames, patch)| EventKind::StackPatched { frames, patch }),
        (name(), step(), option::of(float())).prop_map(|(action, policy, confidence)| EventKind::ActionTaken {
            action,
            policy,
            confidence
        }),
        (
            select(vec![Rewind::Restart, Rewind::Rewind, Rewind::Undo, Rewind::ResetSlots]),
            vec((name(), value(), option::of(position())), 0..4),
            option::of(position())
        )
            .prop_map(|(by, cells, to)| EventKind::HistoryRewound { by, cells, to }),
        name().prop_map(|name| EventKind::Foreign { name }),
        refused(),
        recorded(),
    ]
    .boxed()
}

/// A kind of event that changes memory or the skill that memory belongs to.
pub(crate) fn memory_kind() -> BoxedStrategy<EventKind> {
    let key = || select(vec!["billing.amount", "project.phone", "billing.left"]).prop_map(Name::from);
    let skill = || Just(Name::from("billing"));
    prop_oneof![
        3 => (key(), value(), writer()).prop_map(|(key, value, writer)| EventKind::MemoryWritten { key, value, writer }),
        1 => (key(), writer()).prop_map(|(key, writer)| EventKind::MemoryCleared { key, writer }),
        1 => (key(), value()).prop_map(|(key, value)| EventKind::MemoryReset { key, value }),
        1 => key().prop_map(|key| EventKind::ProjectEntryLocked { key }),
        2 => (skill(), activation()).prop_map(|(skill, by)| EventKind::SkillActivated { skill, by }),
        2 => skill().prop_map(|skill| EventKind::SkillCompleted { skill }),
        1 => Just(EventKind::TurnEnded),
    ]
    .boxed()
}

fn refused() -> impl Strategy<Value = EventKind> {
    let refusals = vec![
        WriteRefusal::MemoryWriteError,
        WriteRefusal::ProjectMemoryAlreadySetError,
        WriteRefusal::ToolError,
        WriteRefusal::Skipped,
    ];
    let refusal = (select(refusals), rule());
    prop_oneof![
        (name(), activation(), rule()).prop_map(|(skill, by, rule)| EventKind::SkillRefused { skill, by, rule }),
        (name(), option::of(name()), value(), writer(), refusal).prop_map(
            |(asked, key, value, writer, (refusal, rule))| EventKind::MemoryWriteRefused {
                asked,
                key,
                value,
                writer,
                refusal,
                rule
            }
        ),
        (call(), rule()).prop_map(|(call, rule)| EventKind::ToolRefused { call, rule }),
    ]
}

fn recorded() -> impl Strategy<Value = EventKind> {
    let causes = vec![
        UtterCause::Activation,
        UtterCause::Condition,
        UtterCause::ToolSucceeded,
        UtterCause::ToolFailed,
        UtterCause::ConfirmationAsk,
        UtterCause::ConfirmationDenied,
        UtterCause::Action,
        UtterCause::Collect,
        UtterCause::PreconditionUnmet,
        UtterCause::StaleButton,
    ];
    prop_oneof![
        (name(), name()).prop_map(|(skill, resolver)| EventKind::SkillPending { skill, resolver }),
        name().prop_map(|skill| EventKind::SkillDeferred { skill }),
        (name(), value()).prop_map(|(key, value)| EventKind::MemoryReset { key, value }),
        name().prop_map(|key| EventKind::ProjectEntryLocked { key }),
        (name(), name(), name()).prop_map(|(skill, block, step)| EventKind::StepEntered { skill, block, step }),
        call().prop_map(|call| EventKind::ToolCalled { call }),
        call().prop_map(|call| EventKind::ConfirmationAsked { call }),
        (name(), any::<bool>()).prop_map(|(tool, confirmed)| EventKind::ConfirmationAnswered { tool, confirmed }),
        (name(), select(causes), option::of(name())).prop_map(|(response, why, skill)| EventKind::ResponseUttered {
            response,
            why,
            skill
        }),
        (digest(), vec(name(), 0..4)).prop_map(|(digest, tools)| EventKind::PromptRendered { digest, tools }),
        (text(), vec(requested(), 0..3), option::of(float()))
            .prop_map(|(text, calls, millis)| EventKind::ModelReplied { text, calls, millis }),
        read(),
    ]
}

fn requested() -> impl Strategy<Value = RequestedCall> {
    let fields = (name(), text(), option::of(name()));
    fields.prop_map(|(tool, arguments, call_id)| RequestedCall { tool, arguments, call_id })
}

fn read() -> impl Strategy<Value = EventKind> {
    let gave = select(vec![
        ReadGave::Value,
        ReadGave::NeverWritten,
        ReadGave::Cleared,
        ReadGave::Reset,
        ReadGave::Undeclared,
        ReadGave::Private,
        ReadGave::Denied,
        ReadGave::Reserved,
    ]);
    (name(), option::of(name()), gave, rule(), option::of(name()), option::of(name()), option::of(name())).prop_map(
        |(asked, key, gave, rule, skill, tool, call_id)| EventKind::ReadDecided {
            asked,
            key,
            gave,
            rule,
            skill,
            tool,
            call_id,
        },
    )
}

fn call() -> impl Strategy<Value = ToolCall> {
    (name(), text(), caller(), option::of(name()), option::of(name()), option::of(name())).prop_map(
        |(tool, arguments, caller, skill, step, call_id)| ToolCall { tool, arguments, caller, skill, step, call_id },
    )
}

fn caller() -> impl Strategy<Value = ToolCaller> {
    select(vec![ToolCaller::Model, ToolCaller::Step, ToolCaller::Confirmation, ToolCaller::Unknown])
}

fn rule() -> impl Strategy<Value = Rule> {
    select(Rule::ALL.to_vec())
}

fn activation() -> impl Strategy<Value = Activation> {
    select(vec![
        Activation::Model,
        Activation::Engine,
        Activation::Unknown,
        Activation::Reference,
        Activation::Step,
        Activation::Tool,
    ])
}

fn tool_returned() -> impl Strategy<Value = EventKind> {
    let outcomes =
        vec![ToolOutcome::Done, ToolOutcome::Failed, ToolOutcome::AwaitingConfirmation, ToolOutcome::Declined];
    let sources = vec![ToolSource::Local, ToolSource::Mcp, ToolSource::Unknown];
    (
        (name(), text(), text(), select(outcomes), option::of(text())),
        (caller(), option::of(name()), option::of(name()), option::of(name()), select(sources)),
    )
        .prop_map(|((tool, arguments, result, outcome, error), (caller, skill, call_id, batch_id, source))| {
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
            }
        })
}

/// Any value, nested a little, without a number that isn't equal to itself.
pub(crate) fn value() -> impl Strategy<Value = Arc<Value>> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(|number| Value::Int(i128::from(number))),
        any::<u64>().prop_map(|number| Value::Int(i128::from(number))),
        float().prop_map(Value::Float),
        text().prop_map(Value::Text),
    ];
    let nested = leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::List),
            proptest::collection::btree_map("[a-z]{1,6}", inner, 0..4)
                .prop_map(|pairs| Value::Map(pairs.into_iter().rev().collect())),
        ]
    });
    nested.prop_map(Arc::new)
}

/// Any name, the same ones often.
pub(crate) fn name() -> impl Strategy<Value = Name> {
    prop_oneof![
        3 => select(vec!["billing", "project.phone", "billing.amount", "collect", "call_1", ""]).prop_map(Name::from),
        1 => any::<String>().prop_map(Name::from),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![9 => any::<String>(), 1 => (0usize..9000).prop_map(|len| "long ".repeat(len / 5))]
}

fn float() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, ZERO};
    NORMAL | POSITIVE | NEGATIVE | ZERO
}

fn position() -> impl Strategy<Value = Position> {
    any::<u64>().prop_map(Position)
}

fn digest() -> impl Strategy<Value = Digest> {
    any::<[u8; 32]>().prop_map(Digest)
}

fn origin() -> impl Strategy<Value = Origin> {
    let forms = vec![Form::Flat, Form::ProtoJson, Form::Classic];
    prop_oneof![
        1 => Just(Origin::Added),
        1 => Just(Origin::Recorded),
        4 => (any::<u32>(), option::of(any::<u32>()), select(forms))
            .prop_map(|(raw, mirror, form)| Origin::Imported { raw, mirror, form }),
    ]
}

fn source() -> impl Strategy<Value = MessageSource> {
    select(vec![
        MessageSource::Template,
        MessageSource::Rephrased,
        MessageSource::Model,
        MessageSource::Filler,
        MessageSource::ToolCode,
        MessageSource::Unknown,
    ])
}

fn writer() -> impl Strategy<Value = Writer> {
    let actors = vec![
        Actor::Tool,
        Actor::Model,
        Actor::Step,
        Actor::Button,
        Actor::Hook,
        Actor::Seed,
        Actor::Engine,
        Actor::Unknown,
    ];
    (
        (select(actors), option::of(name()), option::of(name()), option::of(name())),
        (option::of(name()), option::of(name()), text(), option::of(any::<u32>())),
    )
        .prop_map(|((actor, tool, skill, step), (frame, call_id, arguments, recorded_index))| Writer {
            actor,
            tool,
            skill,
            step,
            frame,
            call_id,
            arguments,
            recorded_index,
        })
}

fn frame() -> impl Strategy<Value = RecordedFrame> {
    (name(), name(), option::of(name()), option::of(name()), any::<bool>())
        .prop_map(|(frame, skill, block, step, interrupted)| RecordedFrame { frame, skill, block, step, interrupted })
}

//! Why an entry holds what it holds, or which kind of nothing.

use std::sync::Arc;

use super::cause::deed;
use super::read::answer_of;
use super::resolve::{Resolved, resolve};
use super::story::{story, taken_away};
use super::why::{Answer, Question, RuleLine, Tried, Visible, Why};
use super::words::{did_you_mean, either, value_words};
use super::writers::{self, can_write};
use super::{Basis, Evidence};
use crate::agent::Agent;
use crate::agent::entry::{Entry, EntryKind, EntryScope};
use crate::event::Position;
use crate::name::{Name, PROJECT, split_key};
use crate::replay::Session;
use crate::replay::rows::{MemoryRow, RowState, Scope};
use crate::rule::Rule;
use crate::session::State;
use crate::session::access::{ReadDecision, Reader, Site, read};

/// Returns why the entry that `key` means holds what it holds at `at`.
///
/// A name that several entries have, or none, is answered with the names that it may mean.
pub fn why_value(session: &Session, key: &str, at: Position) -> Why {
    let state = session.state(at);
    let key = match resolve(session, &state, key) {
        Resolved::One(key) => key,
        Resolved::Several(keys) => {
            let text = format!("`{key}` is several entries: {}; name one of them", either(&keys));
            return of(session, &state, Answer::Unknown, text, &Name::from(key));
        }
        Resolved::Unknown(near) => return unknown(session, &state, key, &near),
    };
    let row = session.memory_row(key.clone(), &state);
    let text = sentence(session, &state, &row);
    let mut why = of(session, &state, answer(session, &row), text, &key);
    why.value = Arc::clone(&row.value);
    why.evidence = story(session, &state, &key);
    if let Some(agent) = session.agent.as_deref() {
        why.rule = rule(agent, &row);
        let visible = decide(session, agent, &state, state.active_skill().map(Name::as_str), &key);
        why.visible_to_active = Some(Visible {
            answer: answer_of(&visible),
            rule: RuleLine::new(Some(agent), visible.rule, visible.because()),
        });
        why.evidence.extend(hidden_from(agent, &state, &key));
        if let Some(entry) = agent.entry(&key) {
            why.evidence.push(declared(entry));
            if row.value.is_null() {
                let writers = can_write(agent, entry);
                (why.change, why.change_at) = writers::change(agent, entry, &writers).unzip();
                why.evidence.extend(writers::evidence(agent, entry, &writers));
            }
        }
    }
    why
}

fn of(session: &Session, state: &State, answer: Answer, text: String, key: &Name) -> Why {
    Why { key: Some(key.clone()), ..Why::new(session, state, Question::Value, answer, text) }
}

/// The answer about a name that means nothing.
fn unknown(session: &Session, state: &State, asked: &str, near: &[Name]) -> Why {
    let asked = Name::from(asked);
    let Some(agent) = session.agent.as_deref() else {
        let near = did_you_mean(near);
        let text = format!("the record never names `{asked}`, and there is no agent folder that declares it{near}");
        return of(session, state, Answer::Unknown, text, &asked);
    };
    let text = format!("nothing declares `{asked}`, and the record never names it{}", did_you_mean(near));
    let decision = decide(session, agent, state, state.active_skill().map(Name::as_str), &asked);
    let mut why = of(session, state, Answer::Undeclared, text, &asked);
    why.rule = Some(RuleLine::new(Some(agent), decision.rule, None));
    why.tried = Tried::all(&decision.tried);
    why.evidence = vec![
        Evidence::of_definition(format!("no memory.yml declares `{asked}`")),
        Evidence::of_absence(format!("no event of the record writes `{asked}`")),
    ];
    why.with_change(decision.change(agent))
}

fn decide(session: &Session, agent: &Agent, state: &State, skill: Option<&str>, key: &str) -> ReadDecision {
    let skill = skill.filter(|skill| *skill != PROJECT);
    read(agent, session.profile.profile, state, Reader { skill, site: Site::Tool }, key)
}

/// Returns the rule about what an entry holds, with the line that declares it; none where it simply was written.
fn rule(agent: &Agent, row: &MemoryRow) -> Option<RuleLine> {
    let entry = agent.entry(&row.key);
    let declared = entry.map(|entry| &entry.at);
    let (rule, at) = match row.state {
        RowState::Set if row.locked => (Rule::ProjectWrittenOnce, declared),
        RowState::Set | RowState::Reset => return None,
        RowState::Initial => (Rule::InitialValueUntilWritten, entry.and_then(|entry| entry.initial_at.as_ref())),
        RowState::NeverWritten => (Rule::NothingReadsAsNone, declared),
        RowState::Cleared if row.scope == Scope::Project => (Rule::NoneLeavesOpen, declared),
        RowState::Cleared => (Rule::Clearing, declared),
    };
    Some(RuleLine::new(Some(agent), rule, at))
}

/// Says where an entry is declared, and as what.
fn declared(entry: &Entry) -> Evidence {
    let scope = match entry.scope {
        EntryScope::Project => "project",
        EntryScope::Public => "public",
        EntryScope::Private => "private",
    };
    let kind = EntryKind::ALL.iter().find(|(_, kind)| *kind == entry.kind).map_or("any", |(name, _)| name);
    let mut words = format!("`{}` is declared at {}:{}: {scope}, type {kind}", entry.key, entry.at.file, entry.at.line);
    if entry.llm_settable {
        words.push_str(", the model may set it");
    }
    if entry.pii {
        words.push_str(", pii: prompts show `[set]`");
    }
    Evidence::of_definition(words)
}

fn answer(session: &Session, row: &MemoryRow) -> Answer {
    match row.state {
        RowState::Set => Answer::Set,
        RowState::Initial => Answer::Initial,
        // Without a folder nobody knows whether the entry has an initial value.
        RowState::NeverWritten if session.agent.is_none() && row.scope != Scope::System => Answer::Unknown,
        RowState::NeverWritten => Answer::NeverWritten,
        RowState::Cleared => Answer::Cleared,
        RowState::Reset => Answer::Reset,
    }
}

fn sentence(session: &Session, state: &State, row: &MemoryRow) -> String {
    let key = &row.key;
    let deed = row.set_at.map(|at| deed(session, key, at)).unwrap_or_default();
    let value = value_words(&row.value);
    let before = || match (&row.previous_value, row.previous) {
        (Some(value), Some(at)) if !value.is_null() => {
            format!("; before that it was {}, set at {at}", value_words(value))
        }
        (_, _) => String::new(),
    };
    match row.state {
        RowState::Set => format!("`{key}` is {value}, {deed}{}", in_turn(session, row.set_at)),
        RowState::Initial => format!("`{key}` is {value}, its initial value: nothing has written it yet"),
        RowState::Cleared => format!("`{key}` holds nothing: {deed}{}", before()),
        RowState::Reset if row.value.is_null() => format!("`{key}` holds nothing: {deed}{}", before()),
        RowState::Reset => format!("`{key}` is {value} again, its initial value: {deed}{}", before()),
        RowState::NeverWritten => match taken_away(session, state, key) {
            Some((by, before)) => format!(
                "`{key}` holds nothing: it was {}, and event {by} took that away ({})",
                self::deed(session, key, before),
                Evidence::of_event(session, by).map(|one| one.text).unwrap_or_default()
            ),
            None if session.agent.is_none() => format!(
                "`{key}` is unknown: nothing has written it yet, and no agent folder tells whether it has an initial value"
            ),
            None => format!("`{key}` holds nothing: nothing has written it yet"),
        },
    }
}

fn in_turn(session: &Session, at: Option<Position>) -> String {
    let turn = at.and_then(|at| session.event(at)?.turn);
    turn.map(|turn| format!(", in turn {turn}")).unwrap_or_default()
}

/// Says where the bare name of the entry means another one: in the active skill, if that declares one of its own.
fn hidden_from(agent: &Agent, state: &State, key: &Name) -> Option<Evidence> {
    let (space, name) = split_key(key)?;
    let skill = agent.skills.get(state.active_skill()?)?;
    let own = skill.entry(name).filter(|_| space == PROJECT)?;
    let text =
        format!("in `{}`, which is active, the bare name `{name}` means `{}` and hides `{key}`", skill.id, own.key);
    Some(Evidence { basis: Basis::Recomputed, ..Evidence::of_definition(text) })
}

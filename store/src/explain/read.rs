//! May a skill read an entry, by which rule, and what would it find?

use super::Evidence;
use super::resolve::near;
use super::story::story;
use super::why::{Answer, Question, RuleLine, Tried, Why};
use super::words::{did_you_mean, lifted, value_words};
use crate::agent::Agent;
use crate::event::Position;
use crate::name::Name;
use crate::replay::Session;
use crate::session::State;
use crate::session::access::{Found, Nothing, ReadDecision, Reader, Site, read};

/// Returns whether `skill` may read `key` at `at`, as a tool of it would: a bare name is the skill's own entry if it
/// declares one, else the project's (M30).
pub fn why_read(session: &Session, key: &str, skill: &str, at: Position) -> Why {
    let state = session.state(at);
    let asked = key.strip_prefix("@memory.").unwrap_or(key);
    let Some(agent) = session.agent.as_deref() else {
        let text = format!("whether `{skill}` may read `{asked}` is unknown: there is no agent folder");
        return of(session, &state, Answer::Unknown, text, asked, skill);
    };
    if !agent.skills.contains_key(skill) {
        let near = near(skill, agent.skills.keys().map(Name::as_str));
        let text = format!("the agent folder has no skill `{skill}`{}", did_you_mean(&near));
        return of(session, &state, Answer::Unknown, text, asked, skill);
    }
    let decision = read(agent, session.profile.profile, &state, Reader { skill: Some(skill), site: Site::Tool }, asked);
    let behind = decision.behind(agent, &state);
    let text = behind.as_ref().map_or_else(String::new, |nothing| format!(", and it was {nothing}"));
    let text = format!("{}{text}", sentence(&decision, skill));
    let mut why = of(session, &state, answer_of(&decision), text, asked, skill);
    if let Some(key) = &decision.key {
        why.key = Some(key.clone());
    }
    why.value = decision.value().cloned().unwrap_or_default();
    why.rule = Some(RuleLine::new(Some(agent), decision.rule, decision.because()));
    why.tried = Tried::all(&decision.tried);
    why.evidence = evidence(session, agent, &state, &decision);
    let why = why.with_change(decision.change(agent));
    Why { change: why.change.map(|change| lifted(change, behind.as_ref(), state.position)), ..why }
}

/// Returns the answer that a decision is.
pub fn answer_of(decision: &ReadDecision) -> Answer {
    match &decision.found {
        Found::Value { .. } => Answer::Allowed,
        Found::Nothing(nothing) => match nothing {
            Nothing::NeverWritten => Answer::NeverWritten,
            Nothing::Cleared { .. } => Answer::Cleared,
            Nothing::Reset { .. } => Answer::Reset,
            Nothing::Undeclared => Answer::Undeclared,
            Nothing::Private { .. } => Answer::Private,
            Nothing::Denied { .. } | Nothing::Reserved => Answer::Denied,
        },
    }
}

fn of(session: &Session, state: &State, answer: Answer, text: String, key: &str, skill: &str) -> Why {
    let why = Why::new(session, state, Question::Read, answer, text);
    Why { key: Some(Name::from(key)), skill: Some(Name::from(skill)), ..why }
}

fn sentence(decision: &ReadDecision, skill: &str) -> String {
    let asked = &decision.asked;
    let means = decision.key.as_ref().filter(|key| *key != asked);
    let name = means.map_or(format!("`{asked}`"), |key| format!("`{asked}`, which is `{key}`"));
    let rule = decision.rule;
    let nothing = match &decision.found {
        Found::Value { value, .. } => return format!("`{skill}` may read {name} and finds {}", value_words(value)),
        Found::Nothing(nothing) => nothing,
    };
    match nothing {
        Nothing::NeverWritten => format!("`{skill}` may read {name} and finds nothing: it was never written"),
        Nothing::Cleared { at } => {
            format!("`{skill}` may read {name} and finds nothing: it was cleared{}", at_position(*at))
        }
        Nothing::Reset { at } => {
            format!("`{skill}` may read {name} and finds nothing: it was reset{}", at_position(*at))
        }
        Nothing::Undeclared => format!("`{skill}` reads `{asked}` as None: nothing declares it ({rule})"),
        Nothing::Private { owner, .. } => {
            format!("`{skill}` may not read {name} and gets None: it is private to `{owner}` ({rule})")
        }
        Nothing::Denied { by } => format!(
            "`{skill}` may not read {name} and gets None: its `access.deny_read` lists it at {}:{} ({rule})",
            by.file, by.line
        ),
        Nothing::Reserved => format!("`{skill}` may not read {name}: it belongs to the engine ({rule})"),
    }
}

fn at_position(at: Option<Position>) -> String {
    at.map(|at| format!(" at {at}")).unwrap_or_default()
}

/// The line that decides, what the name hides, and what the entry holds, whoever may see it.
fn evidence(session: &Session, agent: &Agent, state: &State, decision: &ReadDecision) -> Vec<Evidence> {
    let mut evidence = Vec::new();
    if let Some(place) = decision.because() {
        let source = RuleLine::new(Some(agent), decision.rule, Some(place)).source.unwrap_or_default();
        evidence.push(Evidence::of_definition(format!("{}:{} says: {}", place.file, place.line, source.trim())));
    }
    let Some(key) = &decision.key else { return evidence };
    if let Some(entry) = shadowed(agent, decision) {
        evidence.push(Evidence::of_definition(format!(
            "the bare name `{}` means `{key}` here and hides `{entry}`",
            decision.asked
        )));
    }
    evidence.extend(story(session, state, key));
    evidence
}

/// Returns the project entry that a bare name would mean if the skill didn't declare its own.
fn shadowed(agent: &Agent, decision: &ReadDecision) -> Option<Name> {
    let key = decision.key.as_ref()?;
    let hidden = agent.project.iter().find(|entry| entry.name == *decision.asked)?;
    (hidden.key != *key).then(|| hidden.key.clone())
}

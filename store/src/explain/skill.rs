//! Why a skill is active, or parked, or offered, or not.

use super::Evidence;
use super::cause::chain;
use super::condition::Condition;
use super::resolve::near;
use super::story::stories;
use super::why::{Answer, Question, RuleLine, Tried, Why};
use super::words::did_you_mean;
use crate::agent::Agent;
use crate::agent::gate::Gate;
use crate::agent::skill::Skill;
use crate::event::{EventKind, Position, Tag};
use crate::name::Name;
use crate::replay::Session;
use crate::replay::outline::Mark;
use crate::rule::Rule;
use crate::session::start::{Route, Start, StartDecision, may_start};
use crate::session::{Frame, Parked, State, gate};

/// At most so many events before another skill starts, the engine tells that the user left this one.
const INTERRUPTED_BEFORE: u64 = 8;

/// Returns why `skill` is, or is not, active or offered to the model at `at`.
pub fn why_skill(session: &Session, skill: &str, at: Position) -> Why {
    let state = session.state(at);
    let frame = state.stack.iter().rev().find(|frame| frame.skill == *skill);
    let agent = session.agent.as_deref();
    let decision = agent.map(|agent| may_start(agent, session.profile.profile, &state, skill, Route::Model));
    let declared = agent.and_then(|agent| agent.skills.get(skill));
    match (frame, decision, declared) {
        (Some(frame), _, _) => on_the_stack(session, &state, frame),
        (None, Some(decision), Some(declared)) => off_the_stack(session, &state, declared, &decision),
        (None, _, _) => unknown(session, &state, skill),
    }
}

fn of(session: &Session, state: &State, skill: &str, answer: Answer, text: String) -> Why {
    Why { skill: Some(Name::from(skill)), ..Why::new(session, state, Question::Skill, answer, text) }
}

/// The answer about a skill that the folder lacks, or that no folder tells of.
fn unknown(session: &Session, state: &State, skill: &str) -> Why {
    let text = match session.agent.as_deref() {
        Some(agent) => {
            let near = near(skill, agent.skills.keys().map(Name::as_str));
            format!("`{skill}` is not on the stack, and the agent folder has no such skill{}", did_you_mean(&near))
        }
        None => format!("`{skill}` is not on the stack; whether it is offered is unknown: there is no agent folder"),
    };
    let mut why = of(session, state, skill, Answer::Unknown, text);
    why.evidence = last_word(session, state, skill);
    why
}

fn on_the_stack(session: &Session, state: &State, frame: &Frame) -> Why {
    let skill = &frame.skill;
    let place = match (&frame.block, &frame.step) {
        (Some(block), Some(step)) => format!(", in block `{block}` at step `{step}`"),
        (Some(block), None) => format!(", in block `{block}`"),
        (None, _) => String::new(),
    };
    let above = state.active_skill().filter(|active| *active != skill);
    let (answer, text) = match (frame.parked, above) {
        (_, None) => (Answer::Active, format!("`{skill}` is active{place}: it is on top of the stack")),
        (parked, Some(above)) => {
            let reason = parked.map(|parked| parked_words(parked, above)).unwrap_or_default();
            (Answer::Parked, format!("`{skill}` is parked{place}, and `{above}` is active{reason}"))
        }
    };
    let mut why = of(session, state, skill, answer, text);
    if answer == Answer::Parked {
        why.rule = Some(RuleLine::new(None, Rule::ParkedIsResumed, None));
        why.evidence = parking(session, state, skill);
    }
    why.evidence.extend(came_up(session, state, skill));
    why
}

fn parked_words(parked: Parked, above: &Name) -> String {
    match parked {
        Parked::Delegation => format!(": it handed over to `{above}` and goes on when that is done"),
        Parked::Digression => ": the user changed the topic, and the engine offers to go on with it".to_owned(),
        Parked::Reference => format!(": it waits for `{above}`"),
        Parked::Pending => format!(": it has not started, and waits until `{above}` makes its precondition hold"),
    }
}

/// The event that started the skill or let it go on, with its causes.
fn came_up(session: &Session, state: &State, skill: &Name) -> Vec<Evidence> {
    let starts = |kind: &EventKind| match kind {
        EventKind::SkillActivated { skill: started, .. } | EventKind::SkillResumed { skill: started, .. } => {
            started == skill
        }
        EventKind::SkillPending { skill: waits, resolver } => waits == skill || resolver == skill,
        EventKind::SkillDeferred { skill: waits } => waits == skill,
        _ => false,
    };
    let found = session.events_in(..=state.position).rev().find(|(_, event)| starts(&event.kind));
    found.map(|(at, _)| chain(session, at)).unwrap_or_default()
}

/// The event that parked the skill: an interruption, or the start of the one above it.
fn parking(session: &Session, state: &State, skill: &Name) -> Vec<Evidence> {
    let above = state.stack.iter().skip_while(|frame| frame.skill != *skill).find(|frame| frame.skill != *skill);
    let starts = |kind: &EventKind| match kind {
        EventKind::SkillActivated { skill: started, .. } | EventKind::SkillResumed { skill: started, .. } => {
            above.is_some_and(|above| above.skill == *started)
        }
        _ => false,
    };
    let Some((start, _)) = session.events_in(..=state.position).rev().find(|(_, event)| starts(&event.kind)) else {
        return Vec::new();
    };
    // The user left the skill just before the one above it started.
    let leaves = |kind: &EventKind| matches!(kind, EventKind::SkillInterrupted { skill: left, .. } if left == skill);
    let from = Position(start.0.saturating_sub(INTERRUPTED_BEFORE).max(1));
    let left = session.events_in(from..=start).rev().find(|(_, event)| leaves(&event.kind));
    chain(session, left.map_or(start, |(at, _)| at))
}

fn off_the_stack(session: &Session, state: &State, skill: &Skill, decision: &StartDecision) -> Why {
    let (answer, text) = verdict(skill, decision);
    let agent = session.agent.as_deref();
    let mut why = of(session, state, &skill.id, answer, text);
    if !decision.is_allowed() {
        why.rule = Some(RuleLine::new(agent, decision.rule, decision.because.as_ref().or(Some(&skill.at))));
        why.tried = Tried::all(&decision.tried);
    }
    why.change = of_files(skill, answer);
    why.change_at = why.change.as_ref().map(|_| format!("{}:{}", skill.at.file, skill.at.line));
    if let Some((agent, written)) = agent.and_then(|agent| Some((agent, gate_of(agent, skill, decision.rule)?))) {
        let reader = if decision.rule == Rule::Precondition { None } else { Some(skill.id.as_str()) };
        let evaluated = gate::gate(agent, session.profile.profile, state, reader, written);
        let tree = Condition::of(agent, state, written, &evaluated);
        why.rule = Some(RuleLine::new(Some(agent), decision.rule, Some(&written.text.at)));
        why.evidence = stories(session, state, &tree);
        if !evaluated.is_open() {
            why = why.opened_by(session, state, reader, written);
        }
        why.condition = Some(tree);
    }
    if let Some(most) =
        agent.and_then(|agent| agent.settings.retrieved_skills.as_ref()).filter(|_| answer == Answer::Offered)
    {
        why.evidence.push(Evidence::of_definition(format!(
            "at most {} skills are retrieved for a prompt; which ones is unknown, the record does not say ({}:{})",
            most.value, most.at.file, most.at.line
        )));
    }
    why.evidence.extend(last_word(session, state, &skill.id));
    why
}

fn verdict(skill: &Skill, decision: &StartDecision) -> (Answer, String) {
    let id = &skill.id;
    let rule = decision.rule;
    match (&decision.outcome, rule) {
        (Start::Pending { resolver }, _) => (
            Answer::Offered,
            format!(
                "`{id}` is offered; started now it would wait while `{resolver}` makes its precondition hold ({rule})"
            ),
        ),
        (Start::Fresh | Start::Resumed | Start::Ignored, _) => {
            (Answer::Offered, format!("`{id}` is not active; it is offered, and nobody has started it"))
        }
        (Start::Refused, Rule::Disabled) => (Answer::Disabled, format!("`{id}` is disabled and never starts ({rule})")),
        (Start::Refused, Rule::EngineManaged) => (
            Answer::EngineManaged,
            format!("`{id}` is started by the engine alone, so the model is not offered it ({rule})"),
        ),
        (Start::Refused, Rule::Hidden) => (
            Answer::Hidden,
            format!("`{id}` is hidden: steps, tools and preconditions start it, the model is not offered it ({rule})"),
        ),
        (Start::Refused, Rule::Startable) => {
            (Answer::Gated, format!("`{id}` has neither prose nor a block to start with ({rule})"))
        }
        (Start::Refused, _) => (Answer::Gated, format!("`{id}` is not offered: its gate is closed ({rule})")),
    }
}

/// Returns the gate that the rule is about.
fn gate_of<'a>(agent: &'a Agent, skill: &'a Skill, rule: Rule) -> Option<&'a Gate> {
    match rule {
        Rule::Precondition => {
            let bound = agent.settings.preconditions.get(&skill.precondition.as_ref()?.value)?;
            bound.satisfied_when.as_ref()
        }
        Rule::SkillRequires => skill.requires.as_ref(),
        _ => None,
    }
}

fn of_files(skill: &Skill, answer: Answer) -> Option<String> {
    let id = &skill.id;
    match answer {
        Answer::Disabled => Some(format!("take `disabled` away from `{id}`")),
        Answer::Hidden => Some(format!("take `hidden` away from `{id}`")),
        Answer::EngineManaged => Some(format!("take `engine_managed` away from `{id}`")),
        Answer::Gated if !skill.has_entry() => Some(format!("give `{id}` prose or an ordered block")),
        Answer::Gated
        | Answer::Set
        | Answer::Initial
        | Answer::NeverWritten
        | Answer::Cleared
        | Answer::Reset
        | Answer::Undeclared
        | Answer::Unknown
        | Answer::Allowed
        | Answer::Denied
        | Answer::Private
        | Answer::Active
        | Answer::Parked
        | Answer::Offered
        | Answer::Withheld
        | Answer::Shown => None,
    }
}

/// The last thing that happened to a skill which isn't on the stack, with its causes; or that nothing did.
fn last_word(session: &Session, state: &State, skill: &str) -> Vec<Evidence> {
    let is_about = |kind: &EventKind| match kind {
        EventKind::SkillActivated { skill: named, .. }
        | EventKind::SkillCompleted { skill: named }
        | EventKind::SkillCancelled { skill: named, .. }
        | EventKind::SkillRefused { skill: named, .. } => *named == *skill,
        _ => false,
    };
    let may_be = |mark: Mark| {
        matches!(mark.tag(), Tag::SkillActivated | Tag::SkillCompleted | Tag::SkillCancelled | Tag::SkillRefused)
    };
    let mut marked = session.marked_back(state.position, may_be);
    match marked.find(|at| session.event(*at).is_some_and(|event| is_about(&event.kind))) {
        Some(at) => chain(session, at),
        None => vec![Evidence::of_absence(format!("no event up to {} starts or refuses `{skill}`", state.position))],
    }
}

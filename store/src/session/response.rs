//! Responses as the engine says them: which wording, and what its placeholders become (M86, M222 to M229).

use super::State;
use super::access::{ReadDecision, Reader, Site, read};
use super::gate::gate;
use crate::agent::Agent;
use crate::agent::response::{Response, Variant, placeholder};
use crate::name::Name;
use crate::profile::Profile;

/// A response as it is said.
#[derive(Clone, Debug, PartialEq)]
pub struct Spoken<'a> {
    /// The words. They are not cut, and `pii` values stand in them in full (M228).
    pub text: String,
    /// The wording that was chosen; `None` where there is none to choose, and the name itself is said (M224).
    pub variant: Option<&'a Variant>,
    /// The reads of its placeholders, in order.
    pub reads: Vec<ReadDecision>,
    /// Its buttons (M231).
    pub buttons: Vec<SpokenButton>,
}

/// A button as the user gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpokenButton {
    /// What it shows.
    pub title: String,
    /// What a tap sends.
    pub payload: String,
}

/// Returns a response as the engine says it now, with the rights of the active skill (M225).
pub fn speak<'a>(agent: &'a Agent, profile: Profile, state: &State, name: &str) -> Spoken<'a> {
    let chosen = agent.responses.get(name).and_then(|response| choose(agent, profile, state, response));
    let Some(variant) = chosen else {
        return Spoken { text: name.to_owned(), variant: None, reads: Vec::new(), buttons: Vec::new() };
    };
    let mut reads = Vec::new();
    let text = fill(agent, profile, state, &variant.text.value, &mut reads);
    let buttons = variant.buttons.iter().map(|button| {
        let title = fill(agent, profile, state, &button.title.value, &mut reads);
        let payload = button.payload.as_ref().map(|payload| fill(agent, profile, state, &payload.value, &mut reads));
        SpokenButton { payload: payload.unwrap_or_else(|| title.clone()), title }
    });
    let buttons = buttons.collect();
    Spoken { text, variant: Some(variant), reads, buttons }
}

/// Chooses a wording: the first conditioned one that holds, else the one without a condition (M222). A condition that
/// can't be evaluated is passed over (M225).
pub fn choose<'a>(agent: &Agent, profile: Profile, state: &State, response: &'a Response) -> Option<&'a Variant> {
    let skill = state.active_skill().map(Name::as_str);
    let holds = |variant: &&Variant| {
        variant.condition.as_ref().is_some_and(|condition| gate(agent, profile, state, skill, condition).is_open())
    };
    let default = || response.variants.iter().find(|variant| variant.condition.is_none());
    response.variants.iter().find(holds).or_else(default)
}

/// Puts values in place of placeholders. One that gives nothing stays as it is written (M227); a value isn't read again.
fn fill(agent: &Agent, profile: Profile, state: &State, text: &str, reads: &mut Vec<ReadDecision>) -> String {
    let reader = Reader { skill: state.active_skill().map(Name::as_str), site: Site::Response };
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        filled.push_str(&rest[..start]);
        rest = &rest[start..];
        let Some((placeholder, name)) = placeholder(rest) else {
            filled.push('{');
            rest = &rest[1..];
            continue;
        };
        let decision = read(agent, profile, state, reader, name);
        match decision.value() {
            Some(value) => filled.push_str(&value.to_display()),
            None => filled.push_str(placeholder),
        }
        reads.push(decision);
        rest = &rest[placeholder.len()..];
    }
    filled.push_str(rest);
    filled
}

//! Which engine generation a folder is written for (M323).

use super::frontmatter::{has_mapping, has_text};
use super::load::Files;
use super::yaml::Node;
use crate::diagnostic::{Diagnostic, Place, code};
use crate::profile::{Profile, ProfileBasis, ProfileChoice};

/// Chooses the profile: the one asked for, else the one that the folder hints at, else the default. Hints for both
/// are reported, and the default holds.
pub(super) fn choose(files: &Files<'_>, asked: Option<Profile>, diagnostics: &mut Vec<Diagnostic>) -> ProfileChoice {
    if let Some(profile) = asked {
        return ProfileChoice { profile, basis: ProfileBasis::Flag };
    }
    let (seed, newer) = (seed_hint(files), newer_hint(files));
    match (seed, newer) {
        (Some(_), None) => ProfileChoice { profile: Profile::Seed, basis: ProfileBasis::Guess },
        (None, Some(_)) => ProfileChoice { profile: Profile::Mantle321, basis: ProfileBasis::Guess },
        (None, None) => ProfileChoice { profile: Profile::default(), basis: ProfileBasis::Default },
        (Some((seed, _)), Some((newer, at))) => {
            let profile = Profile::default();
            let message = format!(
                "{newer} belongs to profile {}, but {seed} belongs to {}; {profile} is taken",
                Profile::Mantle321,
                Profile::Seed
            );
            let found = Diagnostic::warning(code::AGENT_MIXED_PROFILES, at, message);
            diagnostics.push(found.help("say which one it is with --profile"));
            ProfileChoice { profile, basis: ProfileBasis::Default }
        }
    }
}

type Hint = (&'static str, Place);

/// Returns the first pair of a key, as a hint.
fn key(root: &Node, key: &'static str, name: &'static str) -> Option<Hint> {
    root.pair(key).map(|pair| (name, pair.key_at.clone()))
}

fn seed_hint(files: &Files<'_>) -> Option<Hint> {
    let agent = files.agent.as_ref().map(|document| &document.root);
    let prompts = agent.and_then(|root| root.get("prompts"));
    let integrations = files.integrations.as_ref().map(|document| &document.root);
    let of_skills = || {
        files.skills.values().find_map(|skill| {
            let access = skill.memory.as_ref().and_then(|memory| key(&memory.root, "access", "`access`"));
            let root = skill.frontmatter.as_ref();
            let requires = || root.and_then(|root| key(root, "requires", "`requires` of a skill"));
            let complete = || {
                let root = root.filter(|root| has_text(root, "complete_when"))?;
                key(root, "complete_when", "`complete_when` with a text")
            };
            access.or_else(requires).or_else(complete)
        })
    };
    prompts
        .and_then(|prompts| key(prompts, "text_rules", "`prompts.text_rules`"))
        .or_else(|| integrations.and_then(|root| key(root, "llm", "`llm` in integrations.yml")))
        .or_else(of_skills)
}

fn newer_hint(files: &Files<'_>) -> Option<Hint> {
    let agent = files.agent.as_ref().map(|document| &document.root);
    let of_agent = agent
        .and_then(|root| key(root, "orchestrator", "`orchestrator`").or_else(|| key(root, "fillers", "`fillers`")));
    let of_skills = || {
        files.skills.values().find_map(|skill| {
            let root = skill.frontmatter.as_ref();
            let precondition = root.and_then(|root| key(root, "precondition", "`precondition`"));
            let hidden = || root.and_then(|root| key(root, "hidden", "`hidden`"));
            let complete = || {
                let root = root.filter(|root| has_mapping(root, "complete_when"))?;
                key(root, "complete_when", "`complete_when` with a mapping")
            };
            let buttons = || skill.responses.as_ref().and_then(|document| buttons(&document.root));
            precondition.or_else(hidden).or_else(complete).or_else(buttons)
        })
    };
    of_agent.or_else(of_skills).or_else(|| files.responses.as_ref().and_then(|document| buttons(&document.root)))
}

fn buttons(root: &Node) -> Option<Hint> {
    let mut variants = root.get("responses")?.pairs().iter().flat_map(|response| response.value.items());
    variants.find_map(|variant| key(variant, "buttons", "`buttons`"))
}

//! What `activate` takes: skills that may start, blocks that the prose names, and tasks that wait (M145, M338).

use crate::agent::prose::TokenKind;
use crate::agent::skill::Skill;
use crate::diagnostic::{Place, Spanned};
use crate::name::Name;
use crate::session::Parked;

use super::view::View;
use super::{Piece, Situation, Source};

/// The targets of `activate`, and the skills that are none.
#[derive(Default)]
pub(super) struct Targets<'a> {
    /// Skills and blocks that the prose of the active skill names.
    pub(super) referenced: Vec<Target<'a>>,
    /// Other skills that may start.
    pub(super) others: Vec<Target<'a>>,
    /// Blocks that wait below.
    pub(super) paused: Vec<Target<'a>>,
    /// Tasks that wait because the user changed the topic.
    pub(super) interrupted: Vec<Target<'a>>,
    /// The active skill itself, from inside one of its blocks.
    pub(super) own: Option<Target<'a>>,
    /// Skills that may not start, and why.
    pub(super) withheld: Vec<(&'a Name, String)>,
}

/// Something that `activate` takes.
pub(super) struct Target<'a> {
    pub(super) id: Name,
    pub(super) description: Option<&'a Spanned<String>>,
    pub(super) at: Option<&'a Place>,
    pub(super) kind: TargetKind,
}

/// What a target is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TargetKind {
    Skill,
    Block,
}

impl TargetKind {
    /// Returns the word that the prompt puts behind a referenced target (M358).
    pub(super) fn word(self) -> &'static str {
        match self {
            TargetKind::Skill => "skill",
            TargetKind::Block => "ordered block",
        }
    }
}

impl Targets<'_> {
    /// Returns all ids, each once, in the order of the lists.
    pub(super) fn ids(&self) -> Vec<Name> {
        let lists = [&self.referenced, &self.others, &self.paused, &self.interrupted];
        let mut ids: Vec<Name> = Vec::new();
        for target in lists.into_iter().flatten().chain(&self.own) {
            if !ids.contains(&target.id) {
                ids.push(target.id.clone());
            }
        }
        ids
    }
}

impl<'a> Target<'a> {
    pub(super) fn skill(skill: &'a Skill) -> Target<'a> {
        let described = !skill.description.value.trim().is_empty();
        Target {
            id: skill.id.clone(),
            description: described.then_some(&skill.description),
            at: Some(&skill.at),
            kind: TargetKind::Skill,
        }
    }

    /// A block is a target where the prose names it or where it waits; routing never lists one, only its skill (M149a).
    fn block(skill: &'a Skill, block: &str) -> Option<Target<'a>> {
        let block = skill.block(block)?;
        Some(Target {
            id: Name::from(format!("{}__{}", skill.id, block.id)),
            description: block.description.as_ref().or(block.name.as_ref()),
            at: Some(&block.at),
            kind: TargetKind::Block,
        })
    }

    /// Returns a catalogue line (M358): `- <id>: <description>`.
    pub(super) fn line(&self) -> Vec<Piece> {
        let origin = self.at.map_or(Source::Builtin, Source::file);
        let mut pieces = vec![Piece { text: format!("- {}", self.id), origin }];
        if let Some(description) = self.description {
            pieces.push(Piece { text: ": ".to_owned(), origin: Source::Builtin });
            pieces.push(Piece { text: description.value.trim_end().to_owned(), origin: Source::file(&description.at) });
        }
        pieces
    }
}

/// Returns what `activate` takes now.
pub(super) fn targets<'a>(view: &View<'a>) -> Targets<'a> {
    let mut targets = Targets::default();
    let in_knowledge = view.situation == Situation::Knowledge;
    if let Some(skill) = view.skill().filter(|_| !in_knowledge) {
        targets.referenced = referenced(view, skill);
        let in_block = view.active.is_some_and(|active| active.block_id.is_some());
        targets.own = (in_block && !skill.paragraphs.is_empty()).then(|| Target::skill(skill));
    }
    if !in_knowledge {
        targets.paused = paused(view);
        targets.interrupted = interrupted(view);
    }
    for skill in view.agent.skills.values() {
        let is_top = view.active.is_some_and(|active| *active.id == skill.id);
        if is_top || skill.engine_managed {
            continue;
        }
        match refusal(view, skill) {
            Some(why) => targets.withheld.push((&skill.id, why)),
            None if targets.referenced.iter().any(|target| target.id == skill.id) => {}
            None => targets.others.push(Target::skill(skill)),
        }
    }
    targets
}

/// Returns why a skill may not start; `None` where it may (M338).
fn refusal(view: &View<'_>, skill: &Skill) -> Option<String> {
    if skill.disabled {
        return Some("disabled".to_owned());
    }
    if skill.hidden {
        return Some("hidden".to_owned());
    }
    if !skill.has_entry() {
        return Some("nothing to start with".to_owned());
    }
    let requires = skill.requires.as_ref().filter(|_| view.profile.has_skill_requires())?;
    view.refusal(requires, skill)
}

/// Returns the skills and blocks that the prose names, whatever marker surrounds them (M145), in order.
fn referenced<'a>(view: &View<'a>, skill: &'a Skill) -> Vec<Target<'a>> {
    let mut found: Vec<Target<'a>> = Vec::new();
    for token in skill.paragraphs.iter().flat_map(|paragraph| &paragraph.prose.tokens) {
        let target = match &token.kind {
            TokenKind::Skill(id) => {
                let named = view.agent.skills.get(id).filter(|named| named.id != skill.id);
                named.filter(|named| refusal(view, named).is_none()).map(Target::skill)
            }
            TokenKind::Block(id) if is_top_block(view, id) => None,
            TokenKind::Block(id) => Target::block(skill, id),
            TokenKind::Memory(_) | TokenKind::Tool(_) => None,
        };
        found.extend(target.filter(|target| found.iter().all(|known| known.id != target.id)));
    }
    found
}

fn is_top_block(view: &View<'_>, id: &Name) -> bool {
    view.active.is_some_and(|active| active.block_id == Some(id))
}

/// Returns the blocks that wait because they were left.
fn paused<'a>(view: &View<'a>) -> Vec<Target<'a>> {
    let below = view.state.stack.iter().rev().skip(1).filter(|frame| frame.parked == Some(Parked::Digression));
    below.filter_map(|frame| Target::block(view.agent.skills.get(&frame.skill)?, frame.block.as_ref()?)).collect()
}

/// Returns the skills that wait because the user changed the topic, the nearest first.
fn interrupted<'a>(view: &View<'a>) -> Vec<Target<'a>> {
    let mut found: Vec<Target<'a>> = Vec::new();
    for frame in view.state.stack.iter().rev().skip(1).filter(|frame| frame.parked == Some(Parked::Digression)) {
        let is_new = found.iter().all(|known| known.id != frame.skill);
        let is_top = view.active.is_some_and(|active| *active.id == frame.skill);
        if !is_new || is_top {
            continue;
        }
        match view.agent.skills.get(&frame.skill) {
            Some(skill) if skill.engine_managed => {}
            Some(skill) => found.push(Target::skill(skill)),
            None => {
                found.push(Target { id: frame.skill.clone(), description: None, at: None, kind: TargetKind::Skill })
            }
        }
    }
    found
}

//! The branch of the system prompt, routing, active skill or knowledge, and the pending confirmation (8.3).

use super::draft::Draft;
use super::moment::{CORRECT, Moment};
use super::prose;
use super::targets::Targets;
use super::tools::{Offer, SET_FIELDS};
use super::view::{Active, View};
use super::{Piece, Section, SectionName, Situation, Source, wording};
use crate::agent::block::StepKind;
use crate::agent::entry::{Entry, EntryScope};
use crate::agent::skill::Skill;
use crate::event::Position;
use crate::session::PENDING_CONFIRMATION;
use crate::value::Value;

/// Returns the one branch that holds (M245): a search ran, a skill is active, or neither.
pub(super) fn section(view: &View<'_>, targets: &Targets<'_>, offer: &Offer) -> Option<Section> {
    match (view.situation, view.active) {
        (Situation::Knowledge, active) => knowledge(active),
        (_, Some(active)) => active_skill(view, active, targets, offer),
        (_, None) => routing(view, targets),
    }
}

fn routing(view: &View<'_>, targets: &Targets<'_>) -> Option<Section> {
    let mut draft = Draft::default();
    draft.line("## Routing").line(wording::ROUTING);
    if let Some(words) = &view.agent.settings.routing_no_active_skill {
        draft.start_line().written(&words.value, &words.at);
    }
    draft.block();
    for target in &targets.others {
        draft.start_line().pieces(target.line());
    }
    if targets.others.is_empty() {
        draft.line(wording::NO_SKILLS);
    }
    let before_end = &view.agent.settings.before_end;
    if !before_end.is_empty() {
        draft.block().own(wording::BEFORE_END);
        for (index, id) in before_end.iter().enumerate() {
            draft.own(if index > 0 { ", " } else { "" }).written(&id.value, &id.at);
        }
    }
    draft.finish(SectionName::Routing)
}

fn knowledge(active: Option<Active<'_>>) -> Option<Section> {
    let mut draft = Draft::default();
    if let Some(active) = active {
        name(&mut draft, active);
    }
    draft.block().own(wording::KNOWLEDGE);
    draft.finish(SectionName::Knowledge)
}

fn active_skill(view: &View<'_>, active: Active<'_>, targets: &Targets<'_>, offer: &Offer) -> Option<Section> {
    let mut draft = Draft::default();
    parent(view, &mut draft);
    if !targets.paused.is_empty() {
        draft.block().line("## Paused ordered blocks").line(wording::PAUSED_BLOCKS);
        for target in &targets.paused {
            draft.line(&format!("- `{0}` — call `activate` with `{0}` to resume it", target.id));
        }
    }
    draft.block();
    name(&mut draft, active);
    if offer.has(SET_FIELDS) {
        draft.block().own(wording::FILL);
    }
    match active.block_id {
        None => instructions(view, active, &mut draft),
        Some(_) => step(view, active, &mut draft),
    }
    memory(view, active, &mut draft);
    skipped(view, &mut draft);
    if offer.has(CORRECT) {
        draft.block().line("## Correcting earlier values").line(wording::CORRECTING);
    }
    if view.moment.corrected.is_some() {
        draft.block().line("## Correction in progress").line(wording::REENTRY);
    }
    if !targets.interrupted.is_empty() {
        draft.block().line("## Interrupted tasks").line(wording::INTERRUPTED);
        for target in &targets.interrupted {
            draft.start_line().pieces(target.line());
        }
    }
    draft.finish(SectionName::ActiveSkill)
}

/// Name and description of the skill; its id where the folder lacks it.
fn name(draft: &mut Draft, active: Active<'_>) {
    draft.own("## Active Skill: ");
    match active.skill {
        Some(skill) => {
            draft.written(&skill.name.value, &skill.name.at);
            draft.start_line().written(&skill.description.value, &skill.description.at);
        }
        None => {
            draft.own(active.id).line(wording::UNKNOWN_SKILL);
        }
    }
}

/// What the skill or block returns to when it is done.
fn parent(view: &View<'_>, draft: &mut Draft) {
    let Some(below) = view.parent() else { return };
    draft.block().line(&format!("## Paused parent skill: {}", below.skill)).line(wording::PARENT);
    draft.block().line("### Parent skill context (not executable until activated):");
    let paragraphs = view.agent.skills.get(&below.skill).map(|skill| prose::visible(view, skill)).unwrap_or_default();
    if paragraphs.is_empty() {
        draft.line(wording::PARENT_WITHOUT_TEXT);
    }
    write_paragraphs(draft, paragraphs);
}

fn instructions(view: &View<'_>, active: Active<'_>, draft: &mut Draft) {
    let Some(skill) = active.skill else { return };
    let paragraphs = prose::visible(view, skill);
    draft.block().line("### Instructions:");
    write_paragraphs(draft, paragraphs);
}

/// Writes paragraphs, the first right below its heading.
fn write_paragraphs(draft: &mut Draft, paragraphs: Vec<Vec<Piece>>) {
    for (index, paragraph) in paragraphs.into_iter().enumerate() {
        if index > 0 {
            draft.block();
        } else {
            draft.start_line();
        }
        draft.pieces(paragraph);
    }
}

fn step(view: &View<'_>, active: Active<'_>, draft: &mut Draft) {
    if active.skill.is_some() && active.block.is_none() {
        draft.block().own(wording::UNKNOWN_BLOCK);
    }
    let Some(step) = active.step else { return };
    if let StepKind::Instructions { prose, complete_when, optional } = &step.kind {
        draft.block().line("### Current step instructions:").start_line().pieces(prose::pieces(view, prose));
        if let Some(gate) = complete_when {
            draft.block().line("### Current step completes when:").line("`");
            draft.written(gate.text.value.trim(), &gate.text.at).own("`").own(wording::STEP_EXIT);
        }
        if optional.is_some() {
            draft.block().line("### Optional step:").line(wording::OPTIONAL);
        }
    }
    if let Some(collect) = view.collect() {
        draft.block().line("### Current Task").line("Obtain `");
        draft.written(&collect.entry.value, &collect.entry.at).own("` from the user.");
        let declared = active.skill.and_then(|skill| skill.entry(&collect.entry.value));
        if let Some(words) = collect.description.as_ref().or(declared.and_then(|entry| entry.description.as_ref())) {
            draft.own(" What it means: ").written(&words.value, &words.at);
        }
    }
}

/// What is set and may be read (M256): own entries by bare name, then public ones of other skills by qualified name.
fn memory(view: &View<'_>, active: Active<'_>, draft: &mut Draft) {
    let Some(skill) = active.skill else { return };
    let own = skill.entries.iter().map(|entry| (entry, &entry.name));
    let others = view.agent.skills.values().filter(|other| other.id != skill.id).flat_map(public_entries);
    let mut has_heading = false;
    for (entry, name) in own.chain(others.map(|entry| (entry, &entry.key))) {
        let Some(value) = view.shown(&entry.key) else { continue };
        if !std::mem::replace(&mut has_heading, true) {
            draft.block().line("### Memory:");
        }
        draft.line(&format!("- {name}: ")).pieces(vec![value]);
    }
}

/// Collects that were passed over since the user's last words (M173).
fn skipped(view: &View<'_>, draft: &mut Draft) {
    let lines = skipped_lines(view);
    if lines.is_empty() {
        return;
    }
    draft.block().line("### Already collected (do not re-ask)");
    for line in lines {
        draft.start_line().pieces(line);
    }
    draft.line(wording::SKIPPED);
}

/// Returns a line for each collect that was passed over and whose entry still has a value.
pub(super) fn skipped_lines(view: &View<'_>) -> Vec<Vec<Piece>> {
    let Moment { skipped, .. } = view.moment;
    let own = |text: String| Piece { text, origin: Source::Builtin };
    let line = |skipped: &super::skipped::Skipped| {
        let value = view.shown(&skipped.key)?;
        Some(vec![own(format!("- `{}` is `", skipped.entry)), value, own("`. It needs no question.".to_owned())])
    };
    skipped.iter().filter_map(line).collect()
}

/// The call that waits for the user's yes.
pub(super) fn confirmation(view: &View<'_>) -> Option<Section> {
    let pending = view.state.pending_confirmation()?;
    let at = view.state.memory.get(PENDING_CONFIRMATION)?.set_at;
    let origin = at.map_or(Source::Builtin, stored);
    let tool = pending.get("tool_name").and_then(Value::as_text).unwrap_or("(unknown)");
    let ask = pending.get("confirmation_ask").and_then(Value::as_text).filter(|ask| !ask.trim().is_empty());
    let (_, cancel) = view.profile.lifecycle_tools();
    let mut draft = Draft::default();
    draft.line("## Pending tool confirmation");
    draft.line("The call of `").push(tool, origin.clone());
    match ask {
        Some(ask) => {
            draft.own("` waits for the user's answer. ").own(wording::PENDING_WITH_ASK);
            draft.start_line().push(ask.trim_end(), origin);
        }
        None => {
            draft.own("` is paused. Ask the user first whether to make it.");
        }
    }
    draft.line(wording::PENDING_ANSWER);
    if tool != cancel {
        draft.line(wording::PENDING_LEAVE).own(cancel).own("`.");
    }
    draft.line(wording::PENDING_KEEP);
    draft.line("- Don't call `").push(tool, at.map_or(Source::Builtin, stored)).own("` again.");
    draft.finish(SectionName::Confirmation)
}

fn stored(position: Position) -> Source {
    Source::Event { position, key: Some(PENDING_CONFIRMATION.into()) }
}

fn public_entries(skill: &Skill) -> impl Iterator<Item = &Entry> {
    skill.entries.iter().filter(|entry| entry.scope == EntryScope::Public)
}

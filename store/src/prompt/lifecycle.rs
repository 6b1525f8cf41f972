//! How the framework's tools are used: one bullet for each, where its tool is offered (8.2, M214).

use super::draft::Draft;
use super::moment::SEARCH_KNOWLEDGE;
use super::targets::Targets;
use super::tools::{ACTIVATE, CANNOT_HELP, LISTEN, Offer, SET_FIELDS};
use super::view::View;
use super::{Section, SectionName, Situation};

/// Returns the section. After a search it reads as if no skill were active (M359).
pub(super) fn section(view: &View<'_>, targets: &Targets<'_>, offer: &Offer) -> Option<Section> {
    let mut draft = Draft::default();
    draft.line("## Framework Lifecycle Tools");
    if offer.has(ACTIVATE) {
        bullet(
            &mut draft,
            "`activate` starts a skill or switches to one. It takes the id of a skill, or `{skill_id}__{block_id}` for a \
             block that the instructions name.",
        );
        invoke_when(view, &mut draft, ACTIVATE);
    }
    if offer.has(SEARCH_KNOWLEDGE) {
        search(view, &mut draft, offer);
    }
    if offer.has(CANNOT_HELP) {
        bullet(&mut draft, "`cannot_help(in_domain)` declines a request.");
        if offer.has(SEARCH_KNOWLEDGE) {
            draft.line("  - A question that the search has no answer to is not a request to decline.");
        }
        invoke_when(view, &mut draft, CANNOT_HELP);
    }
    if offer.has(LISTEN) {
        let with_fillers = if view.has_fillers() { " Say nothing before it." } else { "" };
        bullet(&mut draft, &format!("`listen()` is for waiting in silence, and for nothing else.{with_fillers}"));
    }
    if view.active.is_some() && view.situation != Situation::Knowledge {
        in_skill(view, &mut draft, offer);
    }
    lists(view, targets, offer, &mut draft);
    draft.finish(SectionName::Lifecycle)
}

fn bullet(draft: &mut Draft, text: &str) {
    draft.line(&format!("- {text}"));
}

fn search(view: &View<'_>, draft: &mut Draft, offer: &Offer) {
    let not_decline = if offer.has(CANNOT_HELP) { " Don't take `cannot_help` for it." } else { "" };
    bullet(
        draft,
        &format!(
            "For a question about facts, call `search_knowledge` first. Answer from what it finds and from nothing else; \
             search again with other words where that helps.{not_decline}"
        ),
    );
    let of_skill = view.skill().and_then(|skill| skill.knowledge_instructions.as_ref());
    if let Some(words) = of_skill.or(view.agent.settings.knowledge_instructions.as_ref()) {
        draft.line("  ").written(&words.value, &words.at);
    }
    invoke_when(view, draft, SEARCH_KNOWLEDGE);
}

fn in_skill(view: &View<'_>, draft: &mut Draft, offer: &Offer) {
    let (complete, cancel) = view.profile.lifecycle_tools();
    if offer.has(complete) {
        bullet(draft, &format!("Call `{complete}()` when the user has what they came for."));
        bullet(draft, &format!("Tell the user what the tools returned before you call `{complete}()`."));
        invoke_when(view, draft, complete);
    }
    if offer.has(cancel) {
        let not_complete = if offer.has(complete) { format!(", not `{complete}()`") } else { String::new() };
        bullet(draft, &format!("Call `{cancel}()` when the user gives the task up{not_complete}."));
        let record = if offer.has(SET_FIELDS) { " Record it with `set_fields`." } else { "" };
        bullet(draft, &format!("A user who declines a step that is optional doesn't give the task up.{record}"));
        invoke_when(view, draft, cancel);
    }
    if offer.has(SET_FIELDS) {
        bullet(
            draft,
            "When the user was asked whether to go on with a task that was left, call `set_fields` with \
             `wants_to_resume` true or false.",
        );
        invoke_when(view, draft, SET_FIELDS);
    }
}

/// Adds the author's words about when to call a built-in tool (M336).
fn invoke_when(view: &View<'_>, draft: &mut Draft, tool: &str) {
    if let Some(words) = view.agent.settings.levers.get(tool).and_then(|lever| lever.invoke_when.as_ref()) {
        draft.line("  - ").written(&words.value, &words.at);
    }
}

fn lists(view: &View<'_>, targets: &Targets<'_>, offer: &Offer, draft: &mut Draft) {
    if !offer.has(ACTIVATE) {
        return;
    }
    if !targets.referenced.is_empty() {
        draft.line("- **Referenced skills:** what the instructions name with `@skill.` or `@block.` is started with `activate`.");
        draft.block().line("### Referenced skills (parent resumes on completion):");
        for target in &targets.referenced {
            draft.start_line().pieces(target.line()).own(&format!(" *({})*", target.kind.word()));
        }
        draft.block();
    }
    let is_active = view.active.is_some() && view.situation != Situation::Knowledge;
    if targets.others.is_empty() {
        return;
    }
    if is_active {
        draft.line("- **Topic change:** to switch to another skill pauses this one.");
    }
    draft.block().line("### Other skills (switch with `activate` when the user changes topic):");
    for target in &targets.others {
        draft.start_line().pieces(target.line());
    }
}

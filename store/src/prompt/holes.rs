//! What would stand in a prompt if nothing were withheld: reads that a rule refuses, paragraphs whose condition is closed,
//! the rest of values that are cut.
//!
//! Nothing here is in the prompt. Access decides in [`access`] alone; a hole carries that decision beside what the
//! entry holds, and never changes it.

use super::moment::Moment;
use super::view::View;
use super::{Message, Prompt, Situation, Source, prose};
use crate::agent::Agent;
use crate::agent::block::StepKind;
use crate::agent::entry::EntryScope;
use crate::agent::prose::{Prose, TokenKind};
use crate::diagnostic::Place;
use crate::event::Position;
use crate::name::Name;
use crate::profile::Profile;
use crate::rule::Rule;
use crate::session::State;
use crate::session::access::{self, ReadDecision, Reader, Site};
use crate::session::prose::{PII_MARK, SHOWN_CHARACTERS, scope, shown};
use crate::value::Value;

/// Something that is withheld from a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hole {
    /// The line of the agent folder that would bring it in: a token, a paragraph, or the declaration of an entry that
    /// would be listed.
    pub at: Place,
    /// The entry, for a read.
    pub key: Option<Name>,
    /// The rule that refuses a read; a closed condition and a cut are their own reasons.
    pub rule: Option<Rule>,
    /// Why it is withheld: one sentence.
    pub why: String,
    /// What would stand there; `None` where the entry holds nothing. `pii` is hidden as in a prompt, and so is what is cut
    /// of a value that is refused.
    pub would: Option<String>,
}

/// What the history of a prompt leaves out, because the model gets the last utterances only (M266).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryCut {
    /// Where the history is cut: this event and all before it are left out.
    pub at: Position,
    /// How many messages of user and agent are left out.
    pub count: u64,
    /// What would stand in front of the history: the last of what is left out, with the tool calls between.
    pub would: Vec<Message>,
}

/// Returns what is withheld from the prompt of a moment, in the order of a prompt.
pub fn holes(agent: &Agent, profile: Profile, state: &State, moment: &Moment) -> Vec<Hole> {
    let view = View::new(agent, profile, state, moment);
    let mut found = Vec::new();
    found.extend(agent.project.iter().filter_map(|entry| listed(&view, &entry.key, &entry.at)));
    if view.situation == Situation::Knowledge {
        return found;
    }
    let Some(active) = view.active else { return found };
    if let (Some(skill), None) = (active.skill, active.block_id) {
        for scoped in scope(agent, profile, state, skill) {
            let prose = &scoped.paragraph.prose;
            match scoped.paragraph.gate.as_ref().filter(|_| !scoped.is_visible) {
                Some(marker) if !prose.text.is_empty() => found.push(Hole {
                    at: prose.at.clone(),
                    key: None,
                    rule: None,
                    why: view
                        .refusal(marker, skill)
                        .unwrap_or_else(|| format!("requires {}", marker.text.value.trim())),
                    would: Some(prose::pieces(&view, prose).iter().map(|piece| piece.text.as_str()).collect()),
                }),
                Some(_) => {}
                None => found.extend(tokens(&view, prose)),
            }
        }
    }
    if let Some(StepKind::Instructions { prose, .. }) = active.step.map(|step| &step.kind) {
        found.extend(tokens(&view, prose));
    }
    if let Some(skill) = active.skill {
        let others = agent.skills.values().filter(|other| other.id != skill.id).flat_map(|other| &other.entries);
        let listable = skill.entries.iter().chain(others.filter(|entry| entry.scope == EntryScope::Public));
        found.extend(listable.filter_map(|entry| listed(&view, &entry.key, &entry.at)));
    }
    found
}

/// A line of a system prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Its text.
    pub text: String,
    /// The lines of the agent folder that it comes from.
    pub from: Vec<(Name, u32)>,
}

/// Returns the lines of a system prompt.
pub fn rows(prompt: &Prompt) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut continues = false;
    for piece in prompt.sections.iter().flat_map(|section| &section.pieces) {
        for part in piece.text.split_inclusive('\n') {
            if !continues {
                rows.push(Row::default());
            }
            let Some(row) = rows.last_mut() else { continue };
            row.text.push_str(part.strip_suffix('\n').unwrap_or(part));
            if let Source::File { file, line } = &piece.origin {
                row.from.push((file.clone(), *line));
            }
            continues = !part.ends_with('\n');
        }
    }
    rows
}

impl Hole {
    /// Returns the line of a system prompt behind which it would stand, counted from 0: the last one that comes from the same
    /// file and from no later line of it. `None` where nothing of that file shows.
    pub fn behind(&self, rows: &[Row]) -> Option<usize> {
        let is_above = |row: &Row| row.from.iter().any(|(file, line)| *file == self.at.file && *line <= self.at.line);
        rows.iter().rposition(is_above)
    }
}

/// Returns the tokens of a text whose reads are refused.
fn tokens(view: &View<'_>, prose: &Prose) -> Vec<Hole> {
    let refused = |token: &crate::agent::prose::Token| {
        let TokenKind::Memory(name) = &token.kind else { return None };
        let decision = read(view, name);
        let key = decision.key.clone().unwrap_or_else(|| decision.asked.clone());
        hole(view, &decision, &key, &token.at, |value| value)
    };
    prose.tokens.iter().filter_map(refused).collect()
}

/// Returns the line that an entry would have in a list.
fn listed(view: &View<'_>, key: &Name, at: &Place) -> Option<Hole> {
    hole(view, &read(view, key), key, at, |value| format!("- {key}: {value}")).filter(|hole| hole.would.is_some())
}

fn read(view: &View<'_>, name: &str) -> ReadDecision {
    let reader = Reader { skill: view.active.map(|active| active.id.as_str()), site: Site::Prompt };
    access::read(view.agent, view.profile, view.state, reader, name)
}

/// Returns the hole of a refused read, or of a value that is cut; `None` where the whole value stands in the prompt.
fn hole(
    view: &View<'_>,
    decision: &ReadDecision,
    key: &Name,
    at: &Place,
    line: impl Fn(String) -> String,
) -> Option<Hole> {
    let is_pii = view.agent.entry(key).is_some_and(|entry| entry.pii);
    if decision.is_allowed() {
        return decision.value().filter(|_| !is_pii).and_then(|value| cut(value, key, at, line));
    }
    let value = view.state.value(key).map(|value| if is_pii { PII_MARK.to_owned() } else { shown(value) });
    let because = decision.because().map(|at| format!(" ({}:{})", at.file, at.line)).unwrap_or_default();
    Some(Hole {
        at: at.clone(),
        key: Some(key.clone()),
        rule: Some(decision.rule),
        why: format!("{}{because}", decision.rule.text()),
        would: value.map(line),
    })
}

/// Returns what is withheld of a value that is longer than a prompt shows (M262).
fn cut(value: &Value, key: &Name, at: &Place, line: impl Fn(String) -> String) -> Option<Hole> {
    let whole = value.to_display();
    let count = whole.chars().count();
    (SHOWN_CHARACTERS < count).then(|| Hole {
        at: at.clone(),
        key: Some(key.clone()),
        rule: None,
        why: format!("cut after {SHOWN_CHARACTERS} of {count} characters (M262)"),
        would: Some(line(whole)),
    })
}

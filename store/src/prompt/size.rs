//! How large a request is, held against the budget of the agent (M269).
//!
//! The engine trims what is over its budget. What goes first isn't documented, and tokens are counted by the model's own
//! rules, so this is an estimate, and it can say only that something may have been cut.

use std::collections::BTreeMap;

use super::{Prompt, Section};
use crate::agent::Agent;
use crate::agent::block::StepKind;
use crate::agent::prose::TokenKind;
use crate::agent::skill::Skill;
use crate::diagnostic::Place;
use crate::name::Name;
use crate::session::State;
use crate::session::prose::{CUT_MARK, SHOWN_CHARACTERS};
use crate::value::Value;

/// The budget of an agent that sets none, in tokens (M298).
pub const DEFAULT_TOKENS: u64 = 8000;
/// How many characters count as one token.
pub const CHARACTERS_A_TOKEN: u64 = 4;
/// From this part of the budget on, in hundredths, the estimate can't tell that a request fits.
const NEAR: u64 = 80;

/// The size of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// Code points of system prompt, messages and the schemas of the tools on offer.
    pub characters: u64,
    /// One token for every [`CHARACTERS_A_TOKEN`] characters, rounded up.
    pub estimated_tokens: u64,
    /// The budget in tokens.
    pub budget: u64,
    /// The line that sets the budget; `None` for the engine's own.
    pub budget_at: Option<Place>,
    /// What the estimate says.
    pub fit: Fit,
}

/// Whether a request is within its budget, by estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// Well within it.
    Within,
    /// So near that the estimate can't tell.
    Near,
    /// Over it.
    Over,
}

impl Fit {
    /// Returns the word that JSON and people read.
    pub fn word(self) -> &'static str {
        match self {
            Fit::Within => "within",
            Fit::Near => "near",
            Fit::Over => "over",
        }
    }
}

/// The size of a part of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct PartSize {
    /// Code points.
    pub characters: u64,
    /// One token for every [`CHARACTERS_A_TOKEN`] characters, rounded up. Those of the parts add up to a little more than
    /// those of the whole.
    pub estimated_tokens: u64,
}

impl PartSize {
    fn of(characters: u64) -> PartSize {
        PartSize { characters, estimated_tokens: characters.div_ceil(CHARACTERS_A_TOKEN) }
    }
}

/// Estimates the size of a section.
pub fn of_section(section: &Section) -> PartSize {
    PartSize::of(section.pieces.iter().map(|piece| length(&piece.text)).sum())
}

/// Estimates the size of the messages that follow the system prompt.
pub fn of_messages(prompt: &Prompt) -> PartSize {
    PartSize::of(prompt.messages.iter().map(|message| length(&message.text)).sum())
}

/// Estimates the size of the tools on offer: their names and the schemas of their arguments, where they are known.
pub fn of_tools(prompt: &Prompt) -> PartSize {
    let offered = prompt.tools.iter().filter(|tool| tool.offered);
    PartSize::of(offered.map(|tool| length(&tool.name) + length(&tool.schema.to_json())).sum())
}

/// What the engine's own words, headings and tools take at most.
const OWN_WORDS: u64 = 10_000;
/// What a shown value takes at most.
const VALUE: u64 = (SHOWN_CHARACTERS + CUT_MARK.len()) as u64;
/// What stands around a value, a name or a description at most.
const AROUND: u64 = 30;

/// How large requests are at most while certain skills are on the stack. Where that is within the budget, a prompt
/// needn't be made to know that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// What depends on the folder alone.
    fixed: u64,
    /// How often an entry is named where its value would stand, beside the lists of memory.
    named: BTreeMap<Name, u64>,
}

impl Bound {
    /// Returns the bound while these skills are on the stack.
    pub fn of<'s>(agent: &Agent, stack: impl Iterator<Item = &'s Name>) -> Bound {
        let file = |path: &str| agent.definition.files.get(path).map_or(0, |bytes| bytes.len() as u64);
        let listed = |skill: &Skill| {
            let named = skill.id.len() + skill.name.value.len() + skill.description.value.len();
            4 * (named as u64 + AROUND)
        };
        let mut bound = Bound { fixed: OWN_WORDS + 2 * file("agent.yml"), named: BTreeMap::new() };
        bound.fixed += agent.skills.values().map(listed).sum::<u64>();
        let initial = agent.entries().filter(|entry| !entry.initial.is_null());
        bound.fixed += initial.map(|entry| entry.key.len() as u64 + AROUND + VALUE).sum::<u64>();
        for skill in stack.filter_map(|id| agent.skills.get(id)) {
            bound.fixed += 2 * file(&format!("skills/{}/skill.md", skill.id));
            bound.fixed += 2 * file(&format!("skills/{}/memory.yml", skill.id));
            let steps = || skill.blocks.iter().flat_map(|block| &block.steps);
            // An entry that was collected already is told so in the prompt and behind it.
            let collects = steps().filter_map(|step| step.collected());
            bound.fixed += collects.map(|entry| 2 * (entry.len() as u64 + AROUND + VALUE)).sum::<u64>();
            let steps = steps().filter_map(|step| match &step.kind {
                StepKind::Instructions { prose, .. } => Some(prose),
                _ => None,
            });
            for prose in skill.paragraphs.iter().map(|paragraph| &paragraph.prose).chain(steps) {
                bound.fixed += prose.text.len() as u64 + 1;
                for token in &prose.tokens {
                    if let TokenKind::Memory(name) = &token.kind {
                        *bound.named.entry(name.clone()).or_default() += 1;
                    }
                }
            }
        }
        bound
    }

    /// Returns how many characters a request has at most in a state, without its history.
    pub fn in_state(&self, state: &State) -> u64 {
        let value = |value: &Value| match value {
            Value::Text(text) => (text.len() as u64).min(VALUE),
            Value::Null => 0,
            Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::List(_) | Value::Map(_) => VALUE,
        };
        let cells = state.memory.iter().map(|(key, cell)| {
            let named = self.named.get(key).copied().unwrap_or(0);
            key.len() as u64 + AROUND + (1 + named) * value(&cell.value)
        });
        let waiting = state.pending_confirmation().map_or(0, |call| 2 * call.to_json().len() as u64);
        self.fixed + waiting + cells.sum::<u64>()
    }
}

fn length(text: &str) -> u64 {
    text.chars().count() as u64
}

/// Estimates the size of a request.
pub fn size(agent: &Agent, prompt: &Prompt) -> Size {
    let parts = prompt.sections.iter().map(of_section).chain([of_messages(prompt), of_tools(prompt)]);
    let characters: u64 = parts.map(|part| part.characters).sum();
    let set = agent.settings.max_prompt_tokens.as_ref();
    let budget = set.map_or(DEFAULT_TOKENS, |tokens| tokens.value);
    let estimated_tokens = characters.div_ceil(CHARACTERS_A_TOKEN);
    let fit = if estimated_tokens > budget {
        Fit::Over
    } else if u128::from(estimated_tokens) * 100 >= u128::from(budget) * u128::from(NEAR) {
        Fit::Near
    } else {
        Fit::Within
    };
    Size { characters, estimated_tokens, budget, budget_at: set.map(|tokens| tokens.at.clone()), fit }
}

impl Size {
    /// Returns what a reader of the prompt must know; `None` where it fits.
    pub fn warning(&self) -> Option<String> {
        let than = match self.fit {
            Fit::Within => return None,
            Fit::Near => "near",
            Fit::Over => "over",
        };
        let set = match &self.budget_at {
            Some(at) => format!("{}:{}", at.file, at.line),
            None => "the engine's own, as far as the folder tells".to_owned(),
        };
        Some(format!(
            "about {} tokens, an estimate at {CHARACTERS_A_TOKEN} characters each, is {than} the budget of {} ({set}): the \
             engine may have cut the prompt before the model got it, and what it cuts first is not documented",
            self.estimated_tokens, self.budget
        ))
    }
}

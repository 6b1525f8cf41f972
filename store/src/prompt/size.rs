//! How large a request is, held against the budget of the agent (M269).
//!
//! The engine trims what is over its budget. What goes first isn't documented, and tokens are counted by the model's own
//! rules, so this is an estimate, and it can say only that something may have been cut.

use super::Prompt;
use crate::agent::Agent;
use crate::diagnostic::Place;

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

/// Estimates the size of a request.
pub fn size(agent: &Agent, prompt: &Prompt) -> Size {
    let length = |text: &str| text.chars().count() as u64;
    let system = prompt.sections.iter().flat_map(|section| &section.pieces).map(|piece| length(&piece.text));
    let messages = prompt.messages.iter().map(|message| length(&message.text));
    let offered = prompt.tools.iter().filter(|tool| tool.offered);
    let tools = offered.map(|tool| length(&tool.name) + length(&tool.schema.to_json()));
    let characters: u64 = system.chain(messages).chain(tools).sum();
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

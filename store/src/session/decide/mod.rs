//! What a wish leads to: `decide(agent, profile, state, command)` gives the events, `evolve` applies them.
//!
//! Nothing here knows the time or calls anybody: the host brings what the user, the model and the tools said, and
//! records what comes back. A refusal is an event with its rule. An error means that the command made no sense.

mod blocks;
mod draft;
mod ending;
mod starting;
mod steps;
mod taps;
mod tools;
mod writing;

use crate::agent::Agent;
use crate::digest::Digest;
use crate::event::{EventKind, ToolCall, ToolOutcome, ToolSource};
use crate::name::Name;
use crate::profile::Profile;
use crate::session::State;
use crate::session::access::WriteBy;
use crate::value::Value;

use draft::Draft;

/// A wish.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// A session begins, with the metadata of its channel (M59, M292).
    StartSession {
        /// The definition that it runs with.
        definition: Option<Digest>,
        /// What the channel sends.
        metadata: Vec<(Name, Value)>,
    },
    /// The session ends.
    EndSession,
    /// The user said something. Deterministic steps run before the model is asked (M270).
    HearUser {
        /// The words.
        text: String,
        /// The input channel.
        channel: Option<Name>,
        /// The client's id of the message.
        message_id: Option<Name>,
    },
    /// The user tapped a button (M233, M234).
    TapButton {
        /// Its payload.
        payload: String,
        /// Its title, where the channel sends it.
        title: Option<String>,
    },
    /// The user pressed keys of a phone (M348).
    PressKeys {
        /// The keys.
        keys: String,
    },
    /// The agent's turn is over. What runs stays on the stack, a skill that has answered from knowledge too (M285).
    EndTurn,
    /// The turn is given up: the user spoke in between, the line dropped, time ran out (M365). Tools that run leave
    /// nothing; the step stays where it is, and what was written stays written.
    CancelTurn,
    /// The model starts a skill, or switches to one.
    Activate {
        /// The skill.
        skill: Name,
    },
    /// The active prose or a tool runs another skill and goes on afterwards.
    Delegate {
        /// The skill.
        skill: Name,
        /// Which of the two.
        by: Delegate,
    },
    /// A `call:` step of the active block runs another skill.
    Call {
        /// The skill.
        skill: Name,
    },
    /// The model enters a block that the active prose names.
    EnterBlock {
        /// The block.
        block: Name,
    },
    /// The active block reaches its end.
    EndBlock,
    /// The model completes the active skill.
    Complete,
    /// A model has judged the criteria of the active skill, which the other one wants to complete (M112).
    CompleteJudged {
        /// Whether each of them is met, in the order of the file; anything else is a no.
        met: Vec<bool>,
    },
    /// The model declines a request: the engine's skill for that runs (M353, M366).
    Decline {
        /// Whether the request belongs to what the agent is for.
        in_domain: bool,
    },
    /// The model cancels the active skill, or the user's answer to the resume question does.
    Cancel,
    /// The user answers whether a parked task goes on.
    AnswerResume(Answer),
    /// Somebody writes memory.
    Write(Write),
    /// The model or a step calls a tool of the active skill.
    CallTool(ToolCall),
    /// A tool came back.
    ReturnTool(ToolReturn),
    /// The user answers the question whether a tool may run.
    AnswerConfirmation(Answer),
}

/// What hands over to another skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delegate {
    /// `@skill.` in prose (M140).
    Reference,
    /// A tool's result (M351).
    Tool,
}

/// Yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes.
    Yes,
    /// No.
    No,
}

/// A wish to write.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// Who writes.
    pub by: WriteBy,
    /// The name, bare or qualified.
    pub name: Name,
    /// The value; `null` clears.
    pub value: Value,
    /// The tool that writes or whose call does. Blocks and skills go on when it came back.
    pub tool: Option<Name>,
    /// The model's id of the call.
    pub call_id: Option<Name>,
}

/// What a tool came back with.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolReturn {
    /// The call.
    pub call: ToolCall,
    /// How it ended.
    pub outcome: ToolOutcome,
    /// What the model gets.
    pub result: String,
    /// What went wrong, if something did.
    pub error: Option<String>,
    /// Where the tool lives.
    pub source: ToolSource,
}

/// Why a command made no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// No skill runs.
    #[error("no skill is active")]
    NothingActive,
    /// No block runs.
    #[error("no block is active")]
    NotInBlock,
    /// Nobody was asked whether a task goes on.
    #[error("no parked task is on offer")]
    NothingOffered,
    /// No tool call waits for an answer.
    #[error("no tool call waits for an answer")]
    NothingToConfirm,
    /// Whether the skill is complete is for a model to judge (M112).
    #[error("the criteria of the skill are for a model to judge, so whether it is complete isn't known")]
    NotJudged,
    /// The session ended, and another one has to start first.
    #[error("the session has ended")]
    Ended,
}

/// Returns the events that a command leads to. None means that the command changes nothing.
///
/// # Errors
///
/// Fails where the command makes no sense in this state.
pub fn decide(
    agent: &Agent,
    profile: Profile,
    state: &State,
    command: Command,
) -> Result<Vec<EventKind>, CommandError> {
    let mut draft = Draft::new(agent, profile, state.clone());
    if state.ended && !matches!(command, Command::StartSession { .. }) {
        return Err(CommandError::Ended);
    }
    match command {
        Command::StartSession { definition, metadata } => draft.start_session(definition, metadata),
        Command::EndSession => draft.emit(EventKind::SessionEnded),
        Command::HearUser { text, channel, message_id } => {
            draft.emit(EventKind::UserMessage { text, channel, message_id });
            draft.run_steps(steps::Wake::Turn);
        }
        Command::TapButton { payload, title } => draft.tap(&payload, title),
        Command::PressKeys { keys } => draft.press(&keys),
        Command::EndTurn | Command::CancelTurn => draft.emit(EventKind::TurnEnded),
        Command::Activate { skill } => draft.activate(&skill),
        Command::Delegate { skill, by } => draft.delegate(&skill, by)?,
        Command::Call { skill } => draft.call(&skill)?,
        Command::EnterBlock { block } => draft.enter_block(&block)?,
        Command::EndBlock => draft.end_block()?,
        Command::Complete => draft.complete(None)?,
        Command::CompleteJudged { met } => draft.complete(Some(&met))?,
        Command::Decline { in_domain } => draft.decline(in_domain),
        Command::Cancel => draft.cancel()?,
        Command::AnswerResume(answer) => draft.answer_resume(answer)?,
        Command::Write(write) => draft.write(write),
        Command::CallTool(call) => draft.call_tool(call),
        Command::ReturnTool(returned) => draft.return_tool(returned),
        Command::AnswerConfirmation(answer) => draft.answer_confirmation(answer)?,
    }
    Ok(draft.events)
}

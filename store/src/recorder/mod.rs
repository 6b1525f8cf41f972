//! The recorder: a host says what the user, the model and the tools did; the rules decide, and everything is appended.
//!
//! A [`Conversation`] is one session that is being recorded. Each of its methods is one command: it is decided on the
//! state so far, its events are appended to the log, and only then is the state another one. So what a host is told has
//! happened is what everybody finds in the log. Refusals are events, and come back as values. A command that makes no
//! sense in this state is an error and changes nothing.
//!
//! ```text
//! conversation  one session: its state, and how an event is appended
//! model         prompt, reply, and the framework's own tools
//! tools         local tools: calls, returns, and the memory that they read and write
//! ```
//!
//! Time comes in with each command; nothing here reads a clock.
//!
//! ```
//! use std::sync::Arc;
//!
//! use replay_store::agent::Agent;
//! use replay_store::agent::definition::Definition;
//! use replay_store::event::RequestedCall;
//! use replay_store::log::{EventLog, Options};
//! use replay_store::recorder::{Begin, Conversation};
//! use replay_store::replay::outline::new_fold;
//! use replay_store::session::decide::Command;
//! use replay_store::timestamp::Timestamp;
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("session.log");
//! let mut definition = Definition::default();
//! for (file, text) in [
//!     ("agent.yml", "agent:\n  persona: You lend bicycles.\n"),
//!     ("skills/rent/memory.yml", "schema:\n  public:\n    stand: {type: int, llm_settable: true}\n"),
//!     ("skills/rent/skill.md", "---\nname: Rent\ndescription: Unlock a bicycle.\n---\n\nAsk for the stand.\n"),
//! ] {
//!     definition.files.insert(file.into(), Arc::from(text.as_bytes()));
//! }
//! let agent = Arc::new(Agent::load(Arc::new(definition), None));
//!
//! let log = EventLog::create(&path, &Options { new_fold: Some(new_fold), id: [1; 16] })?;
//! let begin = Begin { session: "rent-1".into(), agent, profile: None, metadata: Vec::new() };
//! let mut conversation = Conversation::start(&log, begin, Timestamp(0))?;
//! let hello = Command::HearUser { text: "A bicycle, please.".into(), channel: None, message_id: None };
//! conversation.apply(hello, Timestamp(1))?;
//!
//! // The host sends the prompt to its model, and brings what comes back.
//! let prompt = conversation.begin_call(Timestamp(2))?;
//! assert!(prompt.offered().iter().any(|tool| *tool == "activate"));
//! let call = RequestedCall {
//!     tool: "activate".into(),
//!     arguments: r#"{"target_id":"rent"}"#.into(),
//!     call_id: Some("c1".into()),
//! };
//! conversation.reply("", vec![call.clone()], None, Timestamp(3))?;
//! let answer = conversation.call(call, Timestamp(4))?;
//! assert_eq!(answer.result.as_deref(), Some("activate: done"));
//! assert_eq!(conversation.state().active_skill().map(|skill| skill.as_str()), Some("rent"));
//! drop(conversation);
//! log.close()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod conversation;
mod model;
mod tools;

use thiserror::Error;

use crate::log::LogError;
use crate::name::Name;
use crate::replay::archive::ArchiveError;
use crate::session::decide::CommandError;

pub use conversation::{Begin, Conversation};
pub use model::{CallAnswer, refusal};

/// Why a command was not carried out. The log and the state are as they were.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The command makes no sense now.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The log holds a session of that name.
    #[error("session {0:?} is in the log already; go on with it, or choose another name")]
    Exists(Name),
    /// The session in the log came from elsewhere, or ran with other files.
    #[error("session {session:?} can't be gone on with: {why}")]
    NotOurs {
        /// The session.
        session: Name,
        /// Why.
        why: String,
    },
    /// A reply without a call.
    #[error("no model call was begun, so there is nothing to reply to")]
    NoCall,
    /// A call while another one waits for its reply.
    #[error("a model call was begun already and waits for its reply")]
    CallOpen,
    /// Something that waits until the tools that run have come back.
    #[error("{tool} runs, and what comes next depends on it; bring its return first, or cancel the turn")]
    ToolRuns {
        /// The tool.
        tool: Name,
    },
    /// A tool that doesn't run.
    #[error("no call of {tool:?} runs{}", .call_id.as_ref().map(|id| format!(" under the id {id:?}")).unwrap_or_default())]
    NotRunning {
        /// The tool.
        tool: Name,
        /// The id of the call, where one was named.
        call_id: Option<Name>,
    },
    /// The log says no.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

impl From<LogError> for RecordError {
    fn from(error: LogError) -> RecordError {
        RecordError::Archive(ArchiveError::Log(error))
    }
}

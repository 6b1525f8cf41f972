//! What a line may ask of the recorder.

use replay_store::name::Name;
use replay_store::value::Value;
use serde::Deserialize;

/// A line: what every request may have, and what it asks.
#[derive(Debug, Deserialize)]
pub(crate) struct Request {
    /// Comes back with the answer, whatever it is.
    #[serde(default)]
    pub(crate) id: serde_json::Value,
    /// Its name among those of its session: asked for again under the same name, it is answered again and not done again.
    #[serde(default)]
    pub(crate) request_id: Option<Name>,
    /// The session that it is about.
    #[serde(default)]
    pub(crate) session: Option<Name>,
    /// What it asks.
    #[serde(flatten)]
    pub(crate) asked: Asked,
}

/// What is asked.
#[derive(Debug, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub(crate) enum Asked {
    /// Which protocol is spoken, and which sessions are open.
    Hello,
    /// Begin the session.
    Start {
        /// What the channel sends along.
        #[serde(default)]
        metadata: Value,
    },
    /// Go on with a session that the log holds.
    Resume,
    /// Where the session stands: memory, stack, tools that run.
    State,
    /// The user said something.
    User {
        /// The words.
        text: String,
        /// The input channel.
        #[serde(default)]
        channel: Option<Name>,
        /// The client's id of the message.
        #[serde(default)]
        message_id: Option<Name>,
    },
    /// The user tapped a button.
    Tap {
        /// Its payload.
        payload: String,
        /// Its title.
        #[serde(default)]
        title: Option<String>,
    },
    /// The user pressed keys of a phone.
    Press {
        /// The keys.
        keys: String,
    },
    /// A model call begins.
    ModelCall,
    /// The model answered.
    ModelReply {
        /// Its words.
        #[serde(default)]
        text: String,
        /// The calls that it asks for.
        #[serde(default)]
        calls: Vec<Wanted>,
        /// How long it took, in milliseconds.
        #[serde(default)]
        millis: Option<f64>,
    },
    /// A call that the model asked for is carried out.
    Call(Wanted),
    /// A running tool reads memory.
    Get {
        /// The tool.
        tool: Name,
        /// The id of its call.
        #[serde(default)]
        call_id: Option<Name>,
        /// The entry, by bare or qualified name.
        name: String,
    },
    /// A running tool writes memory; null clears.
    Set {
        /// The tool.
        tool: Name,
        /// The id of its call.
        #[serde(default)]
        call_id: Option<Name>,
        /// The entry, by bare or qualified name.
        name: String,
        /// The value.
        value: Value,
    },
    /// A running tool comes back.
    Return {
        /// The tool.
        tool: Name,
        /// The id of its call.
        #[serde(default)]
        call_id: Option<Name>,
        /// What the model gets.
        #[serde(default)]
        result: Value,
        /// What went wrong.
        #[serde(default)]
        error: Option<String>,
    },
    /// The user answers whether the tool call that waits may run.
    Confirm {
        /// Whether it may.
        yes: bool,
    },
    /// The user answers whether the parked task goes on.
    ResumeTask {
        /// Whether it does.
        yes: bool,
    },
    /// A model has judged the criteria of the active skill.
    Judge {
        /// Whether each is met, in order.
        met: Vec<bool>,
    },
    /// A tool's result starts a skill.
    Delegate {
        /// The skill.
        skill: Name,
    },
    /// The agent's turn is over.
    EndTurn,
    /// The turn is given up: the user spoke in between, the line dropped, time ran out.
    CancelTurn,
    /// The session is over.
    End,
}

/// A tool call as the model asks for it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Wanted {
    /// The tool.
    pub(crate) tool: Name,
    /// The arguments: an object, or the JSON text of one.
    #[serde(default)]
    pub(crate) arguments: Value,
    /// The model's id of the call.
    #[serde(default)]
    pub(crate) call_id: Option<Name>,
}

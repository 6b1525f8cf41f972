//! What a line may ask of the recorder.

use replay_store::digest::Digest;
use replay_store::name::Name;
use replay_store::replay::archive::Request as Noted;
use replay_store::value::Value;
use serde::Deserialize;

/// A line: what every request may have, and what it asks.
#[derive(Debug, Deserialize)]
pub(crate) struct Request {
    /// Comes back with the answer, whatever it is.
    #[serde(default)]
    pub(crate) id: serde_json::Value,
    /// The session that it is about.
    #[serde(default)]
    pub(crate) session: Option<Name>,
    /// What names it in its session, so that it is answered again and not done again where it comes twice.
    #[serde(default)]
    pub(crate) request_id: Option<Name>,
    /// Whether the answer waits until its events are durable.
    #[serde(default = "always")]
    pub(crate) durable: bool,
    /// What it asks.
    #[serde(flatten)]
    pub(crate) asked: Asked,
}

fn always() -> bool {
    true
}

/// A longer id of a request is refused: the last ones are noted with every append.
const REQUEST_ID_LEN_MAX: usize = 64;

impl Request {
    /// Returns what the log notes of the request, if it has an id; the text is the one that it was read from.
    ///
    /// # Errors
    ///
    /// Fails with a sentence where the id is too long.
    pub(crate) fn noted(&self, text: &[u8]) -> Result<Option<Noted>, String> {
        let Some(id) = self.request_id.clone() else { return Ok(None) };
        if REQUEST_ID_LEN_MAX < id.len() {
            return Err(format!("`request_id` has {} bytes; {REQUEST_ID_LEN_MAX} are allowed", id.len()));
        }
        let mut content: serde_json::Value = serde_json::from_slice(text).unwrap_or_default();
        // The same request may come from another client, and in another hurry.
        if let Some(fields) = content.as_object_mut() {
            fields.remove("id");
            fields.remove("durable");
        }
        let Digest(digest) = Digest::of(content.to_string().as_bytes());
        let content = digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte));
        Ok(Some(Noted { id, content }))
    }
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
    /// Make durable what was carried out so far.
    Sync,
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

//! A prompt as one JSON text: what a host sends to the model, and what our records keep the digest of.

use super::{Message, Prompt};
use crate::digest::Digest;
use crate::name::Name;
use crate::value::Value;

impl Prompt {
    /// Returns what the model gets: system prompt, messages, offered tools. What is withheld isn't in it.
    pub fn request(&self) -> Value {
        let system: String = self.sections.iter().map(|section| section.text()).collect();
        let tools =
            self.tools.iter().filter(|tool| tool.offered).map(|tool| {
                object([("name", Value::Text(tool.name.to_string())), ("parameters", tool.schema.clone())])
            });
        object([
            ("system", Value::Text(system)),
            ("messages", Value::List(self.messages.iter().map(message).collect())),
            ("tools", Value::List(tools.collect())),
        ])
    }

    /// Returns the digest of [`Prompt::request`] as JSON text.
    pub fn digest(&self) -> Digest {
        Digest::of(self.request().to_json().as_bytes())
    }

    /// Returns the names of the offered tools, in order.
    pub fn offered(&self) -> Vec<Name> {
        self.tools.iter().filter(|tool| tool.offered).map(|tool| tool.name.clone()).collect()
    }
}

fn message(message: &Message) -> Value {
    let mut pairs = vec![
        ("role".to_owned(), Value::Text(message.role.word().to_owned())),
        ("text".to_owned(), Value::Text(message.text.clone())),
    ];
    pairs.extend(message.tool.as_ref().map(|tool| ("tool".to_owned(), Value::Text(tool.to_string()))));
    Value::Map(pairs)
}

fn object<const N: usize>(pairs: [(&str, Value); N]) -> Value {
    Value::Map(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

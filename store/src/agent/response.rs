//! Response texts (section 7 of the rules).

use super::gate::Gate;
use crate::diagnostic::{Place, Spanned};
use crate::name::Name;
use crate::value::Value;

/// A response: the winner of all that are declared under its name (M221).
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// Its name.
    pub name: Name,
    /// Who declares it.
    pub source: ResponseSource,
    /// Its wordings, in the order of the file.
    pub variants: Vec<Variant>,
    /// The name in the file.
    pub at: Place,
}

/// Who declares a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResponseSource {
    /// The engine, in our own wording (M356).
    Engine,
    /// A skill.
    Skill(Name),
    /// The `responses.yml` at the root.
    Project,
}

/// A wording of a response.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// The text with its placeholders; empty where none is given.
    pub text: Spanned<String>,
    /// When this wording is chosen (M222).
    pub condition: Option<Gate>,
    /// All of `metadata`; `null` where there is none.
    pub metadata: Value,
    /// Whether the model rewords it (M230).
    pub rephrase: bool,
    /// Its buttons.
    pub buttons: Vec<Button>,
    /// The tool that makes its buttons (M231).
    pub button_source: Option<Spanned<Name>>,
}

/// A button of a response (M231).
#[derive(Clone, Debug, PartialEq)]
pub struct Button {
    /// The title with its placeholders.
    pub title: Spanned<String>,
    /// The payload; the title where it is `None`.
    pub payload: Option<Spanned<String>>,
}

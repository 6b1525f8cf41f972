//! What leaves the house to be read: a page of headings, facts, texts and tables, as Markdown or as one HTML file.
//!
//! A page holds plain text. Whoever builds it masks the values of `pii` entries; whoever writes it makes all text visible
//! and lets none of it be markup.

mod html;
mod markdown;
mod session;

pub use html::html;
pub use markdown::markdown;
pub use session::session;

/// A page.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Page {
    /// What it is about.
    pub title: String,
    /// What stands on it, in order.
    pub blocks: Vec<Block>,
}

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// The heading of what follows.
    Heading(String),
    /// Names and what they say.
    Facts(Vec<(String, String)>),
    /// Somebody's words.
    Said {
        /// Who.
        who: String,
        /// The words.
        text: String,
    },
    /// Lines in which columns matter.
    Lines(Vec<String>),
    /// A table: the names of its columns, and its rows.
    Table(Vec<&'static str>, Vec<Vec<String>>),
}

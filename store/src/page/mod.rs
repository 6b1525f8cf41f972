//! What leaves the house to be read: a page of headings, facts, texts and tables, as Markdown or as one HTML file.
//!
//! A page holds plain text. Whoever builds it masks the values of `pii` entries; whoever writes it makes all text visible
//! and lets none of it be markup.

mod html;
mod markdown;
mod session;

use std::io::{self, Write};

pub use session::session;

/// What a page is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Markdown.
    Markdown,
    /// One HTML document without scripts.
    Html,
}

/// Writes pages block by block. Nothing that comes out is invisible, and no text of a record is markup.
pub struct Writer<'w> {
    out: &'w mut dyn Write,
    form: Form,
    is_begun: bool,
}

impl<'w> Writer<'w> {
    /// Returns a writer to `out`.
    pub fn new(out: &'w mut dyn Write, form: Form) -> Writer<'w> {
        Writer { out, form, is_begun: false }
    }

    /// Begins a page.
    ///
    /// # Errors
    ///
    /// Fails as the output does; so do the others.
    pub fn title(&mut self, title: &str) -> io::Result<()> {
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        let text = match self.form {
            Form::Markdown => markdown::title(title),
            Form::Html => html::title(title, is_first),
        };
        self.out.write_all(text.as_bytes())
    }

    /// Writes what stands next on the page.
    ///
    /// # Errors
    ///
    /// Fails as the output does.
    pub fn block(&mut self, block: &Block) -> io::Result<()> {
        let text = match self.form {
            Form::Markdown => markdown::block(block),
            Form::Html => html::block(block),
        };
        self.out.write_all(text.as_bytes())
    }

    /// Ends the last page.
    ///
    /// # Errors
    ///
    /// Fails as the output does.
    pub fn finish(self) -> io::Result<()> {
        match self.form {
            Form::Markdown => Ok(()),
            Form::Html => self.out.write_all(html::end(!self.is_begun).as_bytes()),
        }
    }
}

/// Returns a page as one text.
pub fn text(page: &Page, form: Form) -> String {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, form);
    let mut write = || {
        writer.title(&page.title)?;
        page.blocks.iter().try_for_each(|block| writer.block(block))
    };
    let written = write().and_then(|()| writer.finish());
    written.expect("memory takes all");
    String::from_utf8(bytes).expect("a page is text")
}

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

//! A prompt as lines of text, part by part, each line with the origins of its stretches.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::prompt::{Message, Prompt, Section, SectionName, Source, Tool};
use crate::visible::lines;

/// A part of a prompt, in the order of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartName {
    /// A section of the system prompt.
    Section(SectionName),
    /// The messages behind it.
    Messages,
    /// The tools, offered and withheld.
    Tools,
}

impl PartName {
    /// Returns the word that JSON and people read.
    pub fn word(self) -> &'static str {
        match self {
            PartName::Section(name) => name.word(),
            PartName::Messages => "messages",
            PartName::Tools => "tools",
        }
    }
}

/// A line of a part.
pub(super) struct Row {
    pub(super) text: String,
    /// Where its stretches come from, by bytes of the text. What the program itself put there has no origin.
    pub(super) origins: Vec<(Range<usize>, Source)>,
}

/// Returns the parts of a prompt in its order.
pub(super) fn parts(prompt: &Prompt) -> BTreeMap<PartName, Vec<Row>> {
    let sections = prompt.sections.iter().map(|section| (PartName::Section(section.name), section_rows(section)));
    let messages = (PartName::Messages, prompt.messages.iter().flat_map(message_rows).collect());
    let tools = (PartName::Tools, tool_rows(&prompt.tools));
    sections.chain([messages, tools]).collect()
}

fn section_rows(section: &Section) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut continues = false;
    for piece in &section.pieces {
        for part in piece.text.split_inclusive('\n') {
            let text = part.strip_suffix('\n').unwrap_or(part);
            match rows.last_mut().filter(|_| continues) {
                Some(last) => {
                    let begin = last.text.len();
                    last.text.push_str(text);
                    last.origins.push((begin..last.text.len(), piece.origin.clone()));
                }
                None => rows.push(Row { text: text.to_owned(), origins: vec![(0..text.len(), piece.origin.clone())] }),
            }
            continues = !part.ends_with('\n');
        }
    }
    rows
}

/// A message begins with who says it; its further lines stand as they are.
fn message_rows(message: &Message) -> Vec<Row> {
    let tool = message.tool.as_ref().map(|tool| format!(" {tool}")).unwrap_or_default();
    let lead = format!("{}{tool}: ", message.role.word());
    let first = lines(&message.text).next().unwrap_or_default();
    let row = |lead: &str, text: &str| {
        let text = format!("{lead}{text}");
        Row { origins: vec![(lead.len()..text.len(), message.origin.clone())], text }
    };
    let rest = lines(&message.text).skip(1);
    std::iter::once(row(&lead, first)).chain(rest.map(|line| row("", line))).collect()
}

/// By name, so that a tool that came or went stands beside itself.
fn tool_rows(tools: &[Tool]) -> Vec<Row> {
    let mut sorted: Vec<&Tool> = tools.iter().collect();
    sorted.sort_by(|one, other| one.name.cmp(&other.name));
    let rows = sorted.into_iter().flat_map(|tool| {
        let offered = if tool.offered { "offered" } else { "withheld" };
        let verdict = format!("{}: {offered}, {}", tool.name, tool.why);
        let parameters = (!tool.schema.is_null()).then(|| format!("{} takes {}", tool.name, tool.schema.to_json()));
        std::iter::once(verdict).chain(parameters.filter(|_| tool.offered))
    });
    rows.map(|text| Row { text, origins: Vec::new() }).collect()
}

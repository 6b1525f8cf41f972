//! The reads of an entry by who read it and what came of it, so that what happens at every turn is told once.

use std::sync::Arc;

use serde::Serialize;

use super::reads::{Read, ReadSite};
use super::why::Answer;
use super::words::value_words;
use crate::event::Position;
use crate::name::Name;
use crate::rule::Rule;
use crate::value::Value;

/// Reads that differ in nothing but when they happened and which value they got.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Readers {
    /// What reads, in words.
    pub reader: String,
    /// Where that is written.
    pub site: ReadSite,
    /// The skill with whose rights it was read.
    pub skill: Option<Name>,
    /// What it came to.
    pub answer: Answer,
    /// The rule that decided.
    pub rule: Rule,
    /// The line of the agent folder that reads, as `file:line`.
    pub place: Option<String>,
    /// How often.
    pub count: u64,
    /// What was read, the newest first; a value that came back later stands there once.
    pub values: Vec<Arc<Value>>,
    /// When, the newest first.
    pub positions: Vec<Position>,
}

impl Readers {
    fn of(read: &Read) -> Readers {
        Readers {
            reader: read.reader.clone(),
            site: read.site,
            skill: read.skill.clone(),
            answer: read.answer,
            rule: read.rule,
            place: read.place.clone(),
            count: 0,
            values: Vec::new(),
            positions: Vec::new(),
        }
    }

    fn has(&self, read: &Read) -> bool {
        (&self.reader, self.site, &self.skill, self.answer, self.rule, &self.place)
            == (&read.reader, read.site, &read.skill, read.answer, read.rule, &read.place)
    }

    /// Returns the values that were read, each short and with its size where it is long; empty where nothing was got.
    pub fn value_words(&self) -> Vec<String> {
        self.values.iter().filter(|value| !value.is_null()).map(|value| value_words(value)).collect()
    }

    /// Returns what it is in one sentence: how often, and as whom.
    pub fn marks(&self) -> String {
        let skill = self.skill.as_ref().map(|skill| format!("as {skill}, ")).unwrap_or_default();
        let place = self.place.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
        format!("{skill}{}{place}", self.rule)
    }
}

/// Returns reads by reader and verdict; the one that read last is first.
pub fn readers(reads: &[Read]) -> Vec<Readers> {
    let mut groups: Vec<Readers> = Vec::new();
    for read in reads {
        let place = groups.iter().position(|group| group.has(read)).unwrap_or_else(|| {
            groups.push(Readers::of(read));
            groups.len() - 1
        });
        let group = &mut groups[place];
        group.count += 1;
        group.positions.push(read.position);
        if !group.values.contains(&read.value) {
            group.values.push(Arc::clone(&read.value));
        }
    }
    groups
}

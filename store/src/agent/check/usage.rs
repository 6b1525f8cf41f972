//! Which entries anything reads by name.

use std::collections::BTreeSet;

use super::facts::Facts;
use super::sites::sites;
use super::values::resolve;
use crate::agent::block::{Parameter, StepKind};
use crate::agent::prose::{Prose, TokenKind};
use crate::agent::response::{ResponseSource, placeholders};
use crate::name::{Name, PROJECT};

/// What is read.
#[derive(Default)]
pub(super) struct Usage {
    /// Qualified names.
    pub(super) reads: BTreeSet<Name>,
    /// Whether code reads memory in a way that isn't told.
    pub(super) has_unknown_reads: bool,
}

pub(super) fn usage(facts: &Facts<'_>) -> Usage {
    let mut usage = Usage::default();
    for site in sites(facts.agent) {
        let condition = site.gate.condition.iter();
        usage.reads.extend(condition.flat_map(|condition| condition.references()).map(|(one, _)| one.key.clone()));
    }
    for skill in facts.agent.skills.values() {
        for paragraph in &skill.paragraphs {
            tokens(&paragraph.prose, &mut usage);
        }
        for step in skill.blocks.iter().flat_map(|block| &block.steps) {
            match &step.kind {
                StepKind::Instructions { prose, .. } => tokens(prose, &mut usage),
                StepKind::ExecuteTool { parameters, .. } => {
                    usage.reads.extend(parameters.iter().filter_map(|(_, parameter)| match parameter {
                        Parameter::Memory(key) => Some(key.value.clone()),
                        Parameter::Literal(_) => None,
                    }));
                }
                StepKind::Collect(collect) => {
                    usage.reads.insert(Name::from(format!("{}.{}", skill.id, collect.entry.value)));
                }
                StepKind::Action(_)
                | StepKind::Noop
                | StepKind::SetMemory(_)
                | StepKind::Call(_)
                | StepKind::Link(_)
                | StepKind::End
                | StepKind::Unknown => {}
            }
        }
        for file in facts.local(&skill.id).iter().chain(facts.imported(skill)) {
            let keys = file.calls.iter().filter(|call| !call.writes);
            let read = keys.filter_map(|call| resolve(facts, skill, &call.key.value));
            usage.reads.extend(read.map(|entry| entry.key.clone()));
            // A validation tool reads the entry that it is named after (M208).
            let validated = file.declared.iter().filter(|tool| tool.is_validation);
            let prefix = crate::agent::tool_files::VALIDATION_PREFIX;
            let names = validated.filter_map(|tool| tool.name.value.strip_prefix(prefix).map(str::to_owned));
            usage.reads.extend(names.map(|name| Name::from(format!("{}.{name}", skill.id))));
            usage.has_unknown_reads |= file.has_unknown_reads;
        }
    }
    for file in &facts.hooks {
        usage.has_unknown_reads |= file.has_unknown_reads;
        usage.reads.extend(file.calls.iter().map(|call| call.key.value.clone()));
        usage.reads.extend(file.calls.iter().map(|call| Name::from(format!("{PROJECT}.{}", call.key.value))));
    }
    responses(facts, &mut usage);
    usage
}

fn tokens(prose: &Prose, usage: &mut Usage) {
    usage.reads.extend(prose.tokens.iter().filter_map(|token| match &token.kind {
        TokenKind::Memory(key) => Some(key.clone()),
        TokenKind::Skill(_) | TokenKind::Block(_) | TokenKind::Tool(_) => None,
    }));
}

fn responses(facts: &Facts<'_>, usage: &mut Usage) {
    let mut names: BTreeSet<(Option<&Name>, &str)> = BTreeSet::new();
    for response in facts.agent.responses.values() {
        let reader = match &response.source {
            ResponseSource::Skill(id) => Some(id),
            ResponseSource::Engine | ResponseSource::Project => None,
        };
        for variant in &response.variants {
            let titles = variant.buttons.iter().map(|button| &button.title);
            let texts = std::iter::once(&variant.text).chain(titles);
            names.extend(texts.flat_map(|text| placeholders(&text.value)).map(|(_, name)| (reader, name)));
        }
    }
    for (reader, name) in names {
        let entry = match reader {
            Some(id) => facts.agent.skills.get(id).and_then(|skill| resolve(facts, skill, name)),
            None => facts.agent.entry(name),
        };
        usage.reads.extend(entry.map(|entry| entry.key.clone()));
        if reader.is_none() {
            // Any skill may say it.
            usage.reads.extend(facts.entries_called(name).iter().map(|entry| entry.key.clone()));
        }
    }
}

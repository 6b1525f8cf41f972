//! Ordered blocks: where steps lead, what they name, and whether they can be left (M149 to M182).

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Facts, meant};
use super::memory::{is_cut, misfit};
use super::names::{meant as entry_meant, unreadable};
use super::reach::{Reach, can_hold};
use super::values::resolve;
use crate::agent::block::{Block, END, Next, Parameter, Step, StepKind};
use crate::agent::entry::EntryScope;
use crate::agent::prose::TokenKind;
use crate::agent::skill::Skill;
use crate::diagnostic::{Diagnostic, Severity, Spanned, code};
use crate::name::{Name, PROJECT, split_key};
use crate::value::Value;

/// Checks every block of every skill.
pub(super) fn check(facts: &Facts<'_>, reach: &Reach, found: &mut Vec<Diagnostic>) {
    for skill in facts.skills() {
        check_entry_block(facts, skill, found);
        for block in &skill.blocks {
            if let Some(description) = block.description.as_ref().filter(|_| facts.profile.refuses_block_description())
            {
                let message = "a block has no description; the skill's own is what routing reads";
                found.push(Diagnostic::error(code::BLOCK_DESCRIPTION, description.at.clone(), message));
            }
            let positions: BTreeMap<&str, usize> =
                block.steps.iter().enumerate().map(|(at, step)| (&*step.id, at)).collect();
            for (index, step) in block.steps.iter().enumerate() {
                let looked = Looked { facts, skill, block, positions: &positions, step };
                looked.next(index, found);
                looked.kind(found);
            }
            check_ways(&Ways { facts, reach, skill, block, positions: &positions }, found);
        }
    }
}

/// P11: which block a skill begins with, and that something enters each of the others (M149).
fn check_entry_block(facts: &Facts<'_>, skill: &Skill, found: &mut Vec<Diagnostic>) {
    let named: BTreeSet<&str> = entered(skill);
    let is_blocks_only = skill.paragraphs.is_empty();
    let by_reach = facts.profile.finds_entry_block_by_reach();
    let unentered: Vec<&Block> = skill.blocks.iter().filter(|block| !named.contains(&*block.id)).collect();
    if is_blocks_only && by_reach && !skill.blocks.is_empty() {
        let (at, message) = match unentered[..] {
            [_] => return,
            [] => (&skill.blocks[0].at, "every block is called by another one, so none is the entry".to_owned()),
            [first, second, ..] => (
                &second.at,
                format!("`{}` and `{}` could both be the entry, because no block calls them", first.id, second.id),
            ),
        };
        let diagnostic = Diagnostic::error(code::BLOCK_ENTRY, at.clone(), message);
        found.push(diagnostic.help("let exactly one block of the skill be called by no other"));
        return;
    }
    let entry = skill.entry_block(facts.profile).filter(|_| is_blocks_only).map(|block| &block.id);
    for block in unentered.iter().filter(|block| Some(&block.id) != entry) {
        let message = format!("nothing enters the block `{}`", block.id);
        let help = match is_blocks_only {
            true => "call it from another block, or name it `main`",
            false => "name it in the prose as @block, or call it from another block",
        };
        found.push(Diagnostic::warning(code::BLOCK_UNREACHED, block.at.clone(), message).help(help));
    }
}

/// Returns the blocks that prose names or another block calls or links.
fn entered(skill: &Skill) -> BTreeSet<&str> {
    let tokens = skill.paragraphs.iter().flat_map(|paragraph| &paragraph.prose.tokens);
    let named = tokens.filter_map(|token| match &token.kind {
        TokenKind::Block(id) => Some(&**id),
        TokenKind::Memory(_) | TokenKind::Skill(_) | TokenKind::Tool(_) => None,
    });
    let calls = skill.blocks.iter().flat_map(|block| block.steps.iter().map(move |step| (block, step)));
    let called = calls.filter_map(|(block, step)| step.target().filter(|target| **target != *block.id));
    named.chain(called.map(|target| &**target)).collect()
}

/// A step that is looked at.
struct Looked<'a> {
    facts: &'a Facts<'a>,
    skill: &'a Skill,
    block: &'a Block,
    positions: &'a BTreeMap<&'a str, usize>,
    step: &'a Step,
}

impl Looked<'_> {
    fn next(&self, index: usize, found: &mut Vec<Diagnostic>) {
        match &self.step.next {
            Next::Below => {}
            Next::Step(target) => self.target(target, found),
            Next::Branches(branches) => {
                branches.iter().for_each(|branch| self.target(&branch.then, found));
                let fallback = branches.iter().position(|branch| branch.when.is_none());
                match fallback {
                    None if !branches.is_empty() => self.missing_else(index, found),
                    Some(at) if at + 1 < branches.len() => {
                        let message = "the branches behind `else` are never taken";
                        let at = branches[at + 1].then.at.clone();
                        found.push(Diagnostic::error(code::STEP_ELSE_ORDER, at, message).help("put `else` last"));
                    }
                    Some(_) | None => {}
                }
            }
        }
    }

    /// P13: what a `next` without `else` comes to (M166).
    fn missing_else(&self, index: usize, found: &mut Vec<Diagnostic>) {
        let below = self.block.steps.get(index + 1).map_or(END, |step| &*step.id);
        let message = format!("no `else`: where no branch holds, '{}' goes on to '{below}'", self.step.id);
        let severity = match self.facts.profile.requires_else() {
            true => Severity::Error,
            false => Severity::Warning,
        };
        let diagnostic = Diagnostic::warning(code::STEP_MISSING_ELSE, self.step.at.clone(), message);
        found.push(Diagnostic { severity, ..diagnostic }.help(format!("add `- else: {below}`")));
    }

    fn target(&self, target: &Spanned<Name>, found: &mut Vec<Diagnostic>) {
        if target.value != END && !self.positions.contains_key(&*target.value) {
            let message = format!("the block `{}` has no step '{}'", self.block.id, target.value);
            let known = self.block.steps.iter().map(|step| &*step.id).chain([END]);
            let diagnostic = Diagnostic::error(code::STEP_UNKNOWN_TARGET, target.at.clone(), message);
            found.push(diagnostic.help_if(meant(&target.value, known)));
        }
    }

    fn kind(&self, found: &mut Vec<Diagnostic>) {
        match &self.step.kind {
            StepKind::Instructions { prose, complete_when, .. } => {
                let jumps =
                    prose.tokens.iter().filter(|token| matches!(token.kind, TokenKind::Skill(_) | TokenKind::Block(_)));
                for token in jumps {
                    let message = "a jump in a step's instructions leads nowhere";
                    let diagnostic = Diagnostic::warning(code::PROSE_JUMP_IN_STEP, token.at.clone(), message);
                    found.push(diagnostic.help("use a step with `call:` or `link:`"));
                }
                if complete_when.is_none() {
                    let message =
                        format!("nothing says when '{}' ends; it is left after one turn of the model", self.step.id);
                    let diagnostic = Diagnostic::warning(code::STEP_NO_EXIT_CONDITION, self.step.at.clone(), message);
                    found.push(diagnostic.help("add `complete_when: <condition>`"));
                }
            }
            StepKind::Collect(collect) => self.collect(&collect.entry, found),
            StepKind::ExecuteTool { tool, parameters } => self.parameters(tool, parameters, found),
            StepKind::SetMemory(pairs) => pairs.iter().for_each(|(key, value)| self.write(key, value, found)),
            StepKind::Call(target) | StepKind::Link(target) => self.call(target, found),
            StepKind::Action(_) | StepKind::Noop | StepKind::End | StepKind::Unknown => {}
        }
    }

    fn collect(&self, entry: &Spanned<Name>, found: &mut Vec<Diagnostic>) {
        let name = &*entry.value;
        let own = name.strip_prefix(&format!("{}.", self.skill.id)).unwrap_or(name);
        if self.skill.entry(own).is_some() {
            return;
        }
        let bare = name.strip_prefix("project.").unwrap_or(name);
        let is_project = self.facts.agent.project.iter().any(|project| project.name == bare);
        let at = entry.at.clone();
        let diagnostic = if is_project {
            let message = format!("`{bare}` is project memory, which can't be collected");
            Diagnostic::error(code::COLLECT_PROJECT_ENTRY, at, message)
                .help("collect an entry of the skill, and let a tool write the project's")
        } else {
            let message = format!("`{name}` is not declared in the memory of `{}`", self.skill.id);
            let known = self.skill.entries.iter().map(|entry| &*entry.name);
            let help =
                meant(name, known).unwrap_or_else(|| format!("declare it in skills/{}/memory.yml", self.skill.id));
            Diagnostic::error(code::UNDECLARED_WRITE, at, message).help(help)
        };
        found.push(diagnostic);
    }

    fn parameters(&self, tool: &Spanned<Name>, parameters: &[(Name, Parameter)], found: &mut Vec<Diagnostic>) {
        for (name, parameter) in parameters {
            if let Parameter::Memory(key) = parameter
                && let Some(why) = match split_key(&key.value) {
                    Some(_) => unreadable(self.facts.agent, Some(self.skill), &key.value),
                    None => Some("is no qualified name".to_owned()),
                }
            {
                let message = format!("`session.{}` {why}, so `{name}` stays empty", key.value);
                let help = entry_meant(self.facts.agent, Some(self.skill), &key.value);
                found.push(Diagnostic::error(code::STEP_UNKNOWN_REFERENCE, key.at.clone(), message).help_if(help));
            }
        }
        let Some(declared) = self.facts.tool(self.skill, &tool.value).filter(|declared| !declared.takes_any) else {
            return;
        };
        let known = || declared.parameters.iter().map(|parameter| &*parameter.name);
        for (name, _) in parameters.iter().filter(|(name, _)| !known().any(|known| **name == *known)) {
            let message = format!("`{}` takes no argument `{name}`", tool.value);
            let diagnostic = Diagnostic::warning(code::STEP_TOOL_ARGUMENT, tool.at.clone(), message);
            found.push(diagnostic.help_if(meant(name, known())));
        }
        for missing in declared.parameters.iter().filter(|parameter| parameter.is_required) {
            if !parameters.iter().any(|(name, _)| *name == missing.name) {
                let message =
                    format!("`{}` needs the argument `{}`, so the step never runs it", tool.value, missing.name);
                let diagnostic = Diagnostic::warning(code::STEP_TOOL_ARGUMENT, tool.at.clone(), message);
                found.push(diagnostic.help(format!(
                    "add it under `parameters:`, from `session.{}.<entry>` or as a literal",
                    self.skill.id
                )));
            }
        }
    }

    fn write(&self, key: &Spanned<Name>, value: &Value, found: &mut Vec<Diagnostic>) {
        let at = key.at.clone();
        let Some(entry) = resolve(self.facts, self.skill, &key.value) else {
            let message = format!("`{}` is not declared", key.value);
            let known = self.skill.entries.iter().chain(&self.facts.agent.project).map(|entry| &*entry.name);
            found.push(Diagnostic::error(code::UNDECLARED_WRITE, at, message).help_if(meant(&key.value, known)));
            return;
        };
        let owner = split_key(&entry.key).map_or("", |(space, _)| space);
        if owner != PROJECT && self.skill.id != *owner {
            let message = format!("`{}` belongs to `{owner}`, and no other skill can write it", entry.key);
            found.push(Diagnostic::warning(code::FOREIGN_WRITE, at, message));
        } else if is_write_denied(self.facts, self.skill, &entry.key) {
            let message = format!("`deny_write` of this skill lists `{}`, so the step is refused", entry.key);
            found.push(Diagnostic::warning(code::ACCESS_DENIED_WRITE, at, message));
        } else if entry.scope == EntryScope::Project
            && !entry.initial.is_null()
            && self.facts.profile.initial_value_locks()
        {
            let message = format!("`{}` has an initial value and counts as set, so the step writes nothing", entry.key);
            found.push(Diagnostic::warning(code::STEP_SKIPPED_WRITE, at, message).help("remove its `initial_value`"));
        } else if let Some(wanted) = misfit(entry, value) {
            let message = format!("`{}` is {wanted}, and this is {}", entry.key, value.to_display());
            found.push(Diagnostic::warning(code::STEP_VALUE_TYPE, at, message));
        } else if is_cut(entry, value) {
            let message = "the prompt shows the first 100 characters of this value";
            found.push(Diagnostic::warning(code::MEMORY_VALUE_CUT, at, message));
        }
    }

    fn call(&self, target: &Spanned<Name>, found: &mut Vec<Diagnostic>) {
        if self.skill.block(&target.value).is_some() {
            return;
        }
        let at = target.at.clone();
        match self.facts.agent.skills.get(&target.value) {
            None => {
                let message = format!("there is no block and no skill `{}`", target.value);
                let blocks = self.skill.blocks.iter().map(|block| &*block.id);
                let known = blocks.chain(self.facts.agent.skills.keys().map(Name::as_str));
                found
                    .push(Diagnostic::error(code::STEP_UNKNOWN_CALL, at, message).help_if(meant(&target.value, known)));
            }
            Some(called) if called.disabled => {
                let message = format!("the skill `{}` is disabled and doesn't start", target.value);
                found.push(Diagnostic::warning(code::SKILL_DISABLED_TARGET, at, message));
            }
            Some(_) => {}
        }
    }
}

/// Returns whether the skill's access list forbids it to write an entry (M37).
pub(super) fn is_write_denied(facts: &Facts<'_>, skill: &Skill, key: &str) -> bool {
    facts.profile.enforces_access_lists() && skill.deny_write.item(key).is_some()
}

/// A block whose ways are looked at.
struct Ways<'a> {
    facts: &'a Facts<'a>,
    reach: &'a Reach,
    skill: &'a Skill,
    block: &'a Block,
    positions: &'a BTreeMap<&'a str, usize>,
}

/// Tells of steps that are never reached, and of steps from which the block never ends.
fn check_ways(looked: &Ways<'_>, found: &mut Vec<Diagnostic>) {
    let steps = &looked.block.steps;
    let ways: Vec<Vec<Option<usize>>> = (0..steps.len()).map(|index| looked.lead_to(index)).collect();
    let reached = grow(&ways, if steps.is_empty() { Vec::new() } else { vec![0] });
    // The same, backwards from the steps that end the block.
    let mut backwards: Vec<Vec<Option<usize>>> = vec![Vec::new(); steps.len()];
    for (from, ways) in ways.iter().enumerate() {
        ways.iter().flatten().for_each(|to| backwards[*to].push(Some(from)));
    }
    let last = (0..steps.len()).filter(|index| ways[*index].contains(&None)).collect();
    let ends = grow(&backwards, last);
    for (index, step) in steps.iter().enumerate() {
        if !reached[index] && !matches!(step.kind, StepKind::End) {
            let message = format!("no step leads to '{}'", step.id);
            found.push(Diagnostic::warning(code::STEP_UNREACHED, step.at.clone(), message));
        } else if reached[index] && !ends[index] {
            let message = match ways[index].is_empty() {
                true => format!("'{}' can't be left: its `complete_when` is never true", step.id),
                false => format!("no way from '{}' leads to the end of the block", step.id),
            };
            let diagnostic = Diagnostic::warning(code::STEP_NO_WAY_OUT, step.at.clone(), message);
            found.push(diagnostic.help("give one of the steps behind it `next: END`"));
        }
    }
}

/// Returns which steps are reached from some steps.
fn grow(ways: &[Vec<Option<usize>>], mut open: Vec<usize>) -> Vec<bool> {
    let mut reached = vec![false; ways.len()];
    while let Some(index) = open.pop() {
        if !std::mem::replace(&mut reached[index], true) {
            open.extend(ways[index].iter().flatten());
        }
    }
    reached
}

impl Ways<'_> {
    /// Returns the steps that a step leads to; `None` stands for the end of the block.
    fn lead_to(&self, index: usize) -> Vec<Option<usize>> {
        let step = &self.block.steps[index];
        match &step.kind {
            StepKind::End | StepKind::Link(_) => return vec![None],
            StepKind::Action(action) if action.value == "hangup" => return vec![None],
            StepKind::Instructions { complete_when: Some(gate), optional: None, .. }
                if !can_hold(self.facts, &self.reach.values, Some(self.skill), gate) =>
            {
                return Vec::new();
            }
            _ => {}
        }
        let below = (index + 1 < self.block.steps.len()).then_some(index + 1);
        // `END` needs no step, and a target that is missing was reported.
        let position = |id: &Name| self.positions.get(&**id).copied();
        match &step.next {
            Next::Below => vec![below],
            Next::Step(target) => vec![position(&target.value)],
            Next::Branches(branches) => {
                let mut ways: Vec<_> = branches.iter().map(|branch| position(&branch.then.value)).collect();
                if branches.iter().all(|branch| branch.when.is_some()) {
                    ways.push(below);
                }
                ways
            }
        }
    }
}

//! Reads the YAML of an ordered block (M153 to M168).

use std::collections::HashSet;

use super::block::{Block, Branch, Collect, END, Keypad, KeypadEnd, Next, Parameter, Step, StepKind};
use super::field::Context;
use super::markdown::Fence;
use super::paragraphs::instructions;
use super::yaml::{Kind, Node};
use crate::diagnostic::{Diagnostic, Spanned, code, nearest};
use crate::name::Name;
use crate::value::Value;

/// The keys that say what a step does (M160); `utter` is another word for `action` (M162).
const KIND_KEYS: [&str; 9] =
    ["instructions", "collect", "action", "utter", "execute_tool", "noop", "set_memory", "call", "link"];
/// All other keys of a step.
const OPTION_KEYS: [&str; 9] =
    ["id", "next", "complete_when", "optional", "utterance", "description", "ask_before_filling", "dtmf", "parameters"];

/// Reads a block.
pub(super) fn block(context: &mut Context<'_>, fence: &Fence, root: &Node) -> Block {
    for pair in root.pairs().iter().filter(|pair| !["steps", "name", "description"].contains(&pair.key.as_str())) {
        let message = format!("a block has no key `{}`", pair.key);
        context.error(code::BLOCK_KEY, &pair.key_at, message);
    }
    let items = context.list_of(root, "steps");
    if items.is_empty() {
        let message = format!("the block `{}` has no steps", fence.id.value);
        context.error(code::BLOCK_MISSING_STEPS, &fence.id.at, message);
    }
    let mut steps: Vec<Step> = Vec::new();
    let mut ids = HashSet::new();
    for item in items {
        let step = step(context, item);
        if !step.id.is_empty() && !ids.insert(step.id.clone()) {
            context.error(code::STEP_DOUBLE_ID, &step.at, format!("the block has two steps `{}`", step.id));
        }
        steps.push(step);
    }
    Block {
        id: fence.id.value.clone(),
        name: context.text_of(root, "name"),
        description: context.text_of(root, "description"),
        steps,
        at: fence.id.at.clone(),
    }
}

fn step(context: &mut Context<'_>, node: &Node) -> Step {
    let id = match node.get("id").map(|id| &id.kind) {
        Some(Kind::Scalar(_, written)) => Name::from(written.as_str()),
        Some(Kind::List(_) | Kind::Map(_)) | None => Name::from(""),
    };
    let at = node.pair("id").map_or(&node.at, |pair| &pair.value.at).clone();
    if !matches!(node.kind, Kind::Map(_)) {
        context.error(code::STEP_SHAPE, &node.at, format!("a step is a mapping, and this is {}", node.kind_word()));
        return Step { id, kind: StepKind::Unknown, next: Next::Below, at };
    }
    if id.is_empty() {
        context.error(code::STEP_SHAPE, &node.at, "the step has no `id`");
    }
    check_keys(context, node, &id);
    Step { kind: kind(context, node, &id), next: next(context, node), id, at }
}

fn check_keys(context: &mut Context<'_>, node: &Node, id: &Name) {
    let known: Vec<&str> = KIND_KEYS.iter().chain(&OPTION_KEYS).copied().collect();
    for pair in node.pairs().iter().filter(|pair| !known.contains(&pair.key.as_str())) {
        let (message, help) = match pair.key.as_str() {
            "force_collection" => (
                format!("`force_collection` on step '{id}' was removed"),
                Some("write `ask_before_filling: true`".to_owned()),
            ),
            "tool" if node.get("collect").is_some() => (
                format!("`tool` on step '{id}' was removed"),
                Some("use a `run_after_setting_<entry>` tool, or an `execute_tool` step".to_owned()),
            ),
            key => (
                format!("Unknown step property '{key}' on step '{id}'. Remove it or check for typos."),
                nearest(key, known.iter().copied()).map(|known| format!("did you mean `{known}`?")),
            ),
        };
        context.diagnostics.push(Diagnostic::error(code::STEP_KEY, pair.key_at.clone(), message).help_if(help));
    }
}

fn kind(context: &mut Context<'_>, node: &Node, id: &Name) -> StepKind {
    let kinds: Vec<_> = node.pairs().iter().filter(|pair| KIND_KEYS.contains(&pair.key.as_str())).collect();
    let pair = match kinds[..] {
        [] if *id == END => return StepKind::End,
        [] => {
            let found = Diagnostic::error(code::STEP_KIND, node.at.clone(), format!("the step '{id}' does nothing"));
            context.diagnostics.push(found.help(format!("a step has one of {}", KIND_KEYS.join(", "))));
            return StepKind::Unknown;
        }
        [pair] => pair,
        [first, second, ..] => {
            let message = format!("the step '{id}' has `{}` and `{}`; it can do one thing", first.key, second.key);
            let found = Diagnostic::error(code::STEP_KIND, second.key_at.clone(), message);
            let is_question = first.key == "collect" && second.key == "utter";
            context.diagnostics.push(found.help_if(is_question.then_some("a collect asks with `utterance`")));
            first
        }
    };
    let value = &pair.value;
    let named = |context: &mut Context<'_>, of: fn(Spanned<Name>) -> StepKind| {
        context.name(&pair.key, value).map_or(StepKind::Unknown, of)
    };
    match pair.key.as_str() {
        "instructions" => match context.text("instructions", value) {
            Some(text) => StepKind::Instructions {
                prose: instructions(context, &text),
                complete_when: context.gate_of(node, "complete_when"),
                optional: node
                    .get("optional")
                    .and_then(|flag| context.flag("optional", flag))
                    .filter(|flag| flag.value)
                    .map(|flag| flag.at),
            },
            None => StepKind::Unknown,
        },
        "collect" => match context.name("collect", value) {
            Some(entry) => StepKind::Collect(Collect {
                entry,
                utterance: context.name_of(node, "utterance"),
                description: context.text_of(node, "description"),
                ask_before_filling: context.flag_of(node, "ask_before_filling"),
                keypad: node.get("dtmf").and_then(|dtmf| keypad(context, dtmf)),
            }),
            None => StepKind::Unknown,
        },
        "execute_tool" => match context.name("execute_tool", value) {
            Some(tool) => StepKind::ExecuteTool { tool, parameters: parameters(context, node) },
            None => StepKind::Unknown,
        },
        "set_memory" => StepKind::SetMemory(
            context
                .pairs_of(node, "set_memory")
                .iter()
                .map(|pair| {
                    (Spanned { value: Name::from(pair.key.as_str()), at: pair.key_at.clone() }, pair.value.to_value())
                })
                .collect(),
        ),
        "call" => named(context, StepKind::Call),
        "link" => named(context, StepKind::Link),
        "noop" => StepKind::Noop,
        _ => named(context, StepKind::Action),
    }
}

/// Reads `dtmf`: keypad input ends after so many digits, or with a key (M161).
fn keypad(context: &mut Context<'_>, node: &Node) -> Option<Keypad> {
    let keys = ["length", "finish_on_key", "allow_audio_input"];
    for pair in node.pairs().iter().filter(|pair| !keys.contains(&pair.key.as_str())) {
        let found =
            Diagnostic::error(code::STEP_DTMF, pair.key_at.clone(), format!("`dtmf` has no key `{}`", pair.key));
        let help = nearest(&pair.key, keys).map(|known| format!("did you mean `{known}`?"));
        context.diagnostics.push(found.help_if(help));
    }
    let allow_audio_input = node.get("allow_audio_input").and_then(|flag| context.flag("allow_audio_input", flag));
    let end = match (node.get("length"), node.get("finish_on_key")) {
        (Some(_), None) => {
            context.count_of(node, "length").map(|count| count.value).filter(|count| *count > 0).map(KeypadEnd::Digits)
        }
        (None, Some(key)) => match &key.kind {
            Kind::Scalar(_, written) => Some(KeypadEnd::Key(written.clone())),
            Kind::List(_) | Kind::Map(_) => None,
        },
        (None, None) | (Some(_), Some(_)) => None,
    };
    let Some(end) = end else {
        let found = Diagnostic::error(code::STEP_DTMF, node.at.clone(), "`dtmf` doesn't say where the input ends");
        context.diagnostics.push(found.help("give it either `length: <digits>` or `finish_on_key: \"#\"`"));
        return None;
    };
    Some(Keypad { end, allow_audio_input: allow_audio_input.is_none_or(|flag| flag.value) })
}

fn parameters(context: &mut Context<'_>, node: &Node) -> Vec<(Name, Parameter)> {
    let parameter = |value: &Node| match value.as_text().and_then(|text| text.strip_prefix("session.")) {
        Some(key) => Parameter::Memory(Spanned { value: Name::from(key), at: value.at.clone() }),
        None => Parameter::Literal(value.to_value()),
    };
    let pairs = context.pairs_of(node, "parameters").iter();
    pairs.map(|pair| (Name::from(pair.key.as_str()), parameter(&pair.value))).collect()
}

fn next(context: &mut Context<'_>, node: &Node) -> Next {
    let Some(value) = node.get("next") else { return Next::Below };
    match &value.kind {
        Kind::Scalar(_, written) => Next::Step(Spanned { value: Name::from(written.trim()), at: value.at.clone() }),
        Kind::List(items) => Next::Branches(items.iter().filter_map(|item| branch(context, item)).collect()),
        Kind::Map(_) => {
            context.error(
                code::STEP_NEXT,
                &value.at,
                "`next` takes a step or a list of branches, and this is a mapping",
            );
            Next::Below
        }
    }
}

/// Reads a branch: `if` and `then`, `else`, or a lone `then`, which was seen as a fallback (M167).
fn branch(context: &mut Context<'_>, item: &Node) -> Option<Branch> {
    let target = |node: &Node| match &node.kind {
        Kind::Scalar(value, written) if !matches!(value, Value::Null) => {
            Some(Spanned { value: Name::from(written.trim()), at: node.at.clone() })
        }
        Kind::Scalar(..) | Kind::List(_) | Kind::Map(_) => None,
    };
    let (when, then) = match (item.get("if"), item.get("then"), item.get("else")) {
        (Some(condition), Some(then), None) => (context.gate("if", condition), target(then)),
        (None, Some(then), None) | (None, None, Some(then)) => (None, target(then)),
        (_, _, _) => (None, None),
    };
    // A condition that isn't a text closes its branch, so the branch goes; it was reported.
    if then.is_none() || (when.is_none() && item.get("if").is_some()) {
        let message = "a branch is `if` and `then` with a step, or `else` with a step";
        context.error(code::STEP_NEXT, &item.at, message);
        return None;
    }
    then.map(|then| Branch { when, then })
}

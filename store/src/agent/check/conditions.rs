//! Conditions that parse and name what exists, and still never do what their author meant (M40, M78 to M88).

use super::facts::{Facts, listed, meant};
use super::outcomes::outcomes;
use super::reach::{Reach, is_denied, read};
use super::sites::{Site, SiteKind, sites};
use super::values::Values;
use crate::agent::entry::{Entry, EntryKind, EntryScope};
use crate::condition::{Condition, Expression, ExpressionKind, Operator, Reference};
use crate::diagnostic::{Diagnostic, Place, code};
use crate::value::Value;

/// Checks every condition of the folder.
pub(super) fn check(facts: &Facts<'_>, reach: &Reach, found: &mut Vec<Diagnostic>) {
    for site in sites(facts.agent) {
        let Some(condition) = &site.gate.condition else { continue };
        let runs = match site.kind {
            // The gate of a skill is what keeps it from starting.
            SiteKind::Skill => facts.profile.has_skill_requires(),
            _ => site.skill.is_none_or(|skill| reach.started.contains(&skill.id)),
        };
        if runs {
            check_site(&Looked { facts, reach, site: &site, condition }, found);
        }
    }
}

/// A condition that is looked at.
struct Looked<'a> {
    facts: &'a Facts<'a>,
    reach: &'a Reach,
    site: &'a Site<'a>,
    condition: &'a Condition,
}

impl Looked<'_> {
    fn read(&self, reference: &Reference) -> Values {
        let values = match self.site.kind {
            SiteKind::Skill | SiteKind::Precondition(_) => &self.reach.before,
            _ => &self.reach.values,
        };
        read(self.facts, values, self.site.skill, reference)
    }

    fn place(&self, part: &Expression) -> Place {
        let text = &self.site.gate.text;
        self.facts.place_in(&text.value, &text.at, part.span.clone())
    }

    fn written(&self, part: &Expression) -> &str {
        &self.condition.text[part.span.clone()]
    }

    fn entry(&self, reference: &Reference) -> Option<&Entry> {
        self.facts.agent.entry(&reference.key)
    }
}

fn check_site(looked: &Looked<'_>, found: &mut Vec<Diagnostic>) {
    let root = &looked.condition.root;
    if let Some(literal) = bare_literal(root) {
        let word = looked.written(literal);
        let message = format!("`{word}` alone is always {}", truth_word(literal));
        let diagnostic = Diagnostic::warning(code::CONDITION_BARE_LITERAL, looked.place(literal), message);
        found.push(diagnostic.help("repeat the comparison: `a == 'x' or a == 'y'`"));
        return;
    }
    if check_denied(looked, found) {
        return;
    }
    let come_to = outcomes(root, &mut |reference| looked.read(reference));
    let names_memory = !looked.condition.references().is_empty();
    if !come_to.truth {
        never_true(looked, found);
    } else if !come_to.falsehood && !come_to.failure && names_memory {
        let message = format!("this is always true: {}", reasons(looked, root));
        found.push(Diagnostic::warning(code::CONDITION_ALWAYS_TRUE, looked.place(root), message));
    } else {
        impossible_values(looked, root, found);
        zeros(looked, root, found);
    }
}

fn never_true(looked: &Looked<'_>, found: &mut Vec<Diagnostic>) {
    let culprit = culprit(looked, &looked.condition.root);
    let message = format!("{}: {}", looked.site.kind.withheld_for_good(), reasons(looked, culprit));
    let diagnostic = Diagnostic::warning(code::CONDITION_NEVER_TRUE, looked.place(culprit), message);
    found.push(diagnostic.help_if(way_out(looked, culprit)));
}

/// Returns the smallest part that alone keeps the whole from being true.
fn culprit<'e>(looked: &Looked<'_>, part: &'e Expression) -> &'e Expression {
    let ExpressionKind::And(operands) = &part.kind else { return part };
    let is_culprit = |operand: &&Expression| !outcomes(operand, &mut |reference| looked.read(reference)).truth;
    operands.iter().find(is_culprit).map_or(part, |operand| culprit(looked, operand))
}

/// Says of every entry in a part what it can be.
fn reasons(looked: &Looked<'_>, part: &Expression) -> String {
    let mut reasons: Vec<String> = Vec::new();
    for reference in references(part) {
        let reason = format!("`{}` {}", reference.key, said(looked, reference));
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons.join("; ")
}

fn said(looked: &Looked<'_>, reference: &Reference) -> String {
    let values = looked.read(reference);
    let entry = looked.entry(reference);
    let is_locked = entry.is_some_and(|entry| {
        entry.scope == EntryScope::Project && !entry.initial.is_null() && looked.facts.profile.initial_value_locks()
    });
    match (values.is_written, &values.known[..], values.any_of) {
        (false, [Value::Null], None) if matches!(looked.site.kind, SiteKind::Skill | SiteKind::Precondition(_)) => {
            "stays None, because nothing that runs before the skill writes it".to_owned()
        }
        (false, [Value::Null], None) => "stays None, because nothing writes it".to_owned(),
        (false, [value], None) if is_locked => {
            format!("stays {}, because its initial_value locks it", python(value))
        }
        (false, [value], None) => format!("stays {}, because nothing writes it", python(value)),
        (_, known, None) => {
            let mut words: Vec<String> = known.iter().filter(|value| !value.is_null()).map(python).collect();
            words.extend(known.iter().any(Value::is_null).then(|| "None".to_owned()));
            format!("can be {}", listed(&words))
        }
        (_, _, Some(kind)) => format!("is {} or None", kind_words(kind)),
    }
}

/// Says what the author may have meant.
fn way_out(looked: &Looked<'_>, part: &Expression) -> Option<String> {
    for (reference, literal) in comparisons(part) {
        let entry = looked.entry(reference)?;
        let Value::Text(word) = literal else { continue };
        let texts: Vec<&str> = entry.enum_values.iter().filter_map(Value::as_text).collect();
        if let Some(help) = meant(word, texts.iter().copied()) {
            return Some(help);
        }
        if !texts.is_empty() {
            let texts: Vec<String> = texts.iter().map(|text| format!("'{text}'")).collect();
            return Some(format!("its values are {}", listed(&texts)));
        }
        if entry.enum_values.iter().any(|value| matches!(value, Value::Bool(_))) {
            return Some("put the values of its `enum_values` in quotes: bare `yes` and `no` are bools".to_owned());
        }
    }
    let reference = references(part).into_iter().find(|reference| !looked.read(reference).is_written)?;
    let entry = looked.entry(reference)?;
    Some(match entry.scope {
        EntryScope::Project if !entry.initial.is_null() => {
            format!("remove the `initial_value` of `{}`, or write it in a tool", entry.name)
        }
        EntryScope::Project => format!("write `{}` in a tool, or seed it", entry.name),
        EntryScope::Public | EntryScope::Private => {
            format!("write `{}` in a tool of its skill, collect it, or let the model set it", entry.name)
        }
    })
}

/// Reports comparisons with values that an entry never has, in a condition that can be true all the same.
fn impossible_values(looked: &Looked<'_>, root: &Expression, found: &mut Vec<Diagnostic>) {
    for part in parts(root) {
        let ExpressionKind::Comparison { operands, operators } = &part.kind else { continue };
        for (pair, operator) in operands.windows(2).zip(operators) {
            let is_equality = matches!(operator, Operator::Equal | Operator::Unequal);
            let Some((reference, literal)) = sides(&pair[0], &pair[1]).filter(|_| is_equality) else { continue };
            let can_equal = outcomes(part, &mut |reference| looked.read(reference));
            let never = match operator {
                Operator::Equal => !can_equal.truth,
                _ => !can_equal.falsehood,
            };
            if never && operators.len() == 1 && !literal.is_null() && looked.read(reference).is_written {
                let message =
                    format!("`{}` is never {}: it {}", reference.key, python(literal), said(looked, reference));
                let diagnostic = Diagnostic::warning(code::CONDITION_IMPOSSIBLE_VALUE, looked.place(part), message);
                found.push(diagnostic.help_if(way_out(looked, part)));
            }
        }
    }
}

/// Reports conditions on entries that the skill's own access list withholds (M40). Returns whether there were any.
fn check_denied(looked: &Looked<'_>, found: &mut Vec<Diagnostic>) -> bool {
    let Some(skill) = looked.site.skill else { return false };
    let mut is_any = false;
    for part in smallest_decisions(&looked.condition.root) {
        let mut denied = references(part);
        denied.retain(|reference| is_denied(looked.facts, skill, &reference.key));
        if denied.is_empty() {
            continue;
        }
        is_any = true;
        let come_to = outcomes(part, &mut |reference| looked.read(reference));
        for Reference { key, .. } in denied {
            let diagnostic = if come_to.truth {
                let written = looked.written(part);
                let message = format!("`{written}` is true whatever `{key}` holds, because `deny_read` lists it");
                Diagnostic::warning(code::ACCESS_FAILS_OPEN, looked.place(part), message)
            } else {
                let message = format!("`{key}` is always None here, because `deny_read` lists it");
                Diagnostic::warning(code::ACCESS_DENIED_GATE, looked.place(part), message)
            };
            found.push(diagnostic.help(format!("take `{key}` off `deny_read`, or out of the condition")));
        }
    }
    is_any
}

/// Returns the smallest parts that are true or false, in order: a `not`, a comparison, or a reference.
fn smallest_decisions(part: &Expression) -> Vec<&Expression> {
    match &part.kind {
        ExpressionKind::And(operands) | ExpressionKind::Or(operands) => {
            operands.iter().flat_map(smallest_decisions).collect()
        }
        ExpressionKind::Not(_)
        | ExpressionKind::Comparison { .. }
        | ExpressionKind::Reference(_)
        | ExpressionKind::Literal(_) => vec![part],
    }
}

/// Returns the references that stand where something true or false belongs.
fn bare_references(part: &Expression) -> Vec<(&Expression, &Reference)> {
    match &part.kind {
        ExpressionKind::Reference(reference) => vec![(part, reference)],
        ExpressionKind::Not(negated) => bare_references(negated),
        ExpressionKind::And(operands) | ExpressionKind::Or(operands) => {
            operands.iter().flat_map(bare_references).collect()
        }
        ExpressionKind::Literal(_) | ExpressionKind::Comparison { .. } => Vec::new(),
    }
}

/// Reports numbers that stand alone, which are false while they are 0 (M82).
fn zeros(looked: &Looked<'_>, root: &Expression, found: &mut Vec<Diagnostic>) {
    for (part, reference) in bare_references(root) {
        let is_number = |entry: &Entry| matches!(entry.kind, EntryKind::Int | EntryKind::Float);
        if !looked.entry(reference).is_some_and(is_number) {
            continue;
        }
        let values = looked.read(reference);
        let is_zero = |value: &Value| !value.is_null() && !value.is_truthy();
        let is_known = values.known.iter().any(is_zero);
        if is_known || values.any_of.is_some() {
            let message = format!("`{}` alone is false while it is 0, as if nothing were there", reference.key);
            let written = looked.written(part);
            let help =
                format!("if 0 counts as an answer, write `{written} != None`, and `{written} == None` for `not`");
            let (code, at) = (code::CONDITION_ZERO, looked.place(part));
            // Whether a number that anybody may write is ever 0 is the author's to know.
            let diagnostic = if is_known { Diagnostic::warning } else { Diagnostic::note };
            found.push(diagnostic(code, at, message).help(help));
        }
    }
}

/// Returns a literal that stands where something true or false belongs.
fn bare_literal(part: &Expression) -> Option<&Expression> {
    match &part.kind {
        ExpressionKind::Literal(_) => Some(part),
        ExpressionKind::Not(negated) => bare_literal(negated),
        ExpressionKind::And(operands) | ExpressionKind::Or(operands) => operands.iter().find_map(bare_literal),
        ExpressionKind::Reference(_) | ExpressionKind::Comparison { .. } => None,
    }
}

/// Returns every part of an expression, the whole first.
fn parts(root: &Expression) -> Vec<&Expression> {
    let mut all = vec![root];
    match &root.kind {
        ExpressionKind::Reference(_) | ExpressionKind::Literal(_) => {}
        ExpressionKind::Not(negated) => all.extend(parts(negated)),
        ExpressionKind::And(operands)
        | ExpressionKind::Or(operands)
        | ExpressionKind::Comparison { operands, operators: _ } => {
            operands.iter().for_each(|one| all.extend(parts(one)))
        }
    }
    all
}

fn references(root: &Expression) -> Vec<&Reference> {
    parts(root)
        .into_iter()
        .filter_map(|part| match &part.kind {
            ExpressionKind::Reference(reference) => Some(reference),
            _ => None,
        })
        .collect()
}

/// Returns each reference that is compared with a literal beside it.
fn comparisons(root: &Expression) -> Vec<(&Reference, &Value)> {
    let pairs = parts(root).into_iter().filter_map(|part| match &part.kind {
        ExpressionKind::Comparison { operands, .. } => Some(operands),
        _ => None,
    });
    pairs.flat_map(|operands| operands.windows(2)).filter_map(|pair| sides(&pair[0], &pair[1])).collect()
}

fn sides<'e>(left: &'e Expression, right: &'e Expression) -> Option<(&'e Reference, &'e Value)> {
    match (&left.kind, &right.kind) {
        (ExpressionKind::Reference(reference), ExpressionKind::Literal(value))
        | (ExpressionKind::Literal(value), ExpressionKind::Reference(reference)) => Some((reference, value)),
        (_, _) => None,
    }
}

fn truth_word(literal: &Expression) -> &'static str {
    match &literal.kind {
        ExpressionKind::Literal(value) if value.is_truthy() => "true",
        _ => "false",
    }
}

/// Writes a value as a condition would.
fn python(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("'{text}'"),
        other => other.to_display(),
    }
}

fn kind_words(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Text => "a text",
        EntryKind::Bool => "True, False",
        EntryKind::Int => "a whole number",
        EntryKind::Float => "a number",
        EntryKind::List => "a list",
        EntryKind::Categorical => "one of its values",
        EntryKind::Json | EntryKind::Any => "anything",
    }
}

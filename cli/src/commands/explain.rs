//! `replay explain`: what a code of `check` means, with an example of wrong and right.

use std::io;

use replay_store::diagnostic::Severity;
use replay_store::diagnostic::catalogue::{self, Entry, RuleEntry};
use serde::Serialize;

use super::check::word;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, Tone};

/// What `replay explain CODE --json` answers.
#[derive(Serialize)]
struct Answer {
    schema: &'static str,
    codes: Vec<Code>,
}

#[derive(Serialize)]
struct Code {
    code: &'static str,
    severity: Severity,
    meaning: String,
    rules: Vec<&'static str>,
    /// Markdown.
    example: &'static str,
}

impl Code {
    fn of(entry: Entry) -> Code {
        let Entry { code, severity, meaning, rules, example } = entry;
        Code { code, severity, meaning, rules, example }
    }
}

/// What `replay explain RULE --json` answers.
#[derive(Serialize)]
struct RuleAnswer {
    schema: &'static str,
    rule: &'static str,
    text: &'static str,
    profile_row: Option<&'static str>,
    /// Markdown.
    example: &'static str,
}

fn explain_rule(entry: RuleEntry, json: bool, out: &mut Output<'_>) -> Result<Exit, Failure> {
    let RuleEntry { rule, example: case } = entry;
    let (number, text, profile_row) = (rule.number(), rule.text(), rule.profile_row());
    if json {
        let schema = "replay.explain_rule/1";
        out.json(&RuleAnswer { schema, rule: number, text, profile_row, example: case })?;
        return Ok(Exit::Fine);
    }
    out.line(&[(Tone::Strong, number), (Tone::Faint, " (a rule that decides)")])?;
    out.text("")?;
    out.text(text)?;
    example(case, out)?;
    Ok(Exit::Fine)
}

/// Writes what is known about a code, or about a rule.
pub(crate) fn explain(code: &str, json: bool, out: &mut Output<'_>) -> Result<Exit, Failure> {
    if let Some(entry) = catalogue::explain_rule(code) {
        return explain_rule(entry, json, out);
    }
    let Some(entry) = catalogue::explain(code.trim_matches(['[', ']'])) else {
        let similar = match &catalogue::similar(code)[..] {
            [] => "`replay explain` lists all".to_owned(),
            similar => format!("did you mean {}?", similar.join(" or ")),
        };
        return Err(Failure::NoSuchCode { code: code.to_owned(), similar });
    };
    if json {
        out.json(&Answer { schema: "replay.explain/1", codes: vec![Code::of(entry)] })?;
        return Ok(Exit::Fine);
    }
    let rules = if entry.rules.is_empty() { String::new() } else { format!(", rules {}", entry.rules.join(" ")) };
    out.line(&[(Tone::Strong, entry.code), (Tone::Faint, &format!(" ({}{rules})", word(entry.severity)))])?;
    out.text("")?;
    out.text(&entry.meaning)?;
    example(entry.example, out)?;
    Ok(Exit::Fine)
}

/// Writes every code with its meaning.
pub(crate) fn list(json: bool, out: &mut Output<'_>) -> Result<Exit, Failure> {
    if json {
        out.json(&Answer { schema: "replay.explain/1", codes: catalogue::entries().map(Code::of).collect() })?;
        return Ok(Exit::Fine);
    }
    for entry in catalogue::entries() {
        let severity = format!("{:8} ", word(entry.severity));
        out.line(&[
            (Tone::Faint, &severity),
            (Tone::Strong, entry.code),
            (Tone::Normal, &format!("  {}", entry.meaning)),
        ])?;
    }
    Ok(Exit::Fine)
}

/// Writes a case: its prose, and each fence under a line that says what it is.
fn example(markdown: &str, out: &mut Output<'_>) -> io::Result<()> {
    let mut in_fence = false;
    let mut was_blank = false;
    out.text("")?;
    for line in markdown.lines() {
        match line.strip_prefix("```") {
            Some("") => in_fence = false,
            Some(info) => {
                in_fence = true;
                out.line(&[(Tone::Strong, &heading(info))])?;
            }
            None if in_fence => out.text(format!("    {line}").trim_end())?,
            None if was_blank && line.is_empty() => {}
            None => out.text(line)?,
        }
        was_blank = line.is_empty();
    }
    Ok(())
}

/// Says what a fence holds.
fn heading(info: &str) -> String {
    let words: Vec<&str> = info.split_whitespace().collect();
    let path = words.iter().find_map(|word| word.strip_prefix("path=")).unwrap_or_default();
    let is_right = words.contains(&"right");
    match words[..] {
        ["output", "guess"] => "What check says:".to_owned(),
        ["ask", profile] => format!("Asked in profile {profile}:"),
        ["decision"] => "Decided:".to_owned(),
        ["output", profile] => format!("What check says in profile {profile}:"),
        _ if words.contains(&"absent") && is_right => format!("Right: no {path}"),
        _ if words.contains(&"absent") => format!("Wrong: no {path}"),
        _ if is_right => format!("Right, {path}:"),
        _ if words.contains(&"given") => format!("{path}:"),
        _ => format!("Wrong, {path}:"),
    }
}

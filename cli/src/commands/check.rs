//! `replay check`: what is wrong in an agent folder, for people, programs and code hosts.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use replay_store::agent::{Agent, check, source};
use replay_store::diagnostic::render::{Style, render};
use replay_store::diagnostic::{Diagnostic, Severity, catalogue};
use replay_store::name::Name;
use replay_store::profile::{Profile, ProfileBasis};
use replay_store::visible::visible;
use serde::Serialize;

use super::sarif;
use crate::arguments::Report;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, Tone};

/// Checks a folder and writes all findings. The answer is no where one of them is an error.
pub(crate) fn check(
    folder: &Path,
    profile: Option<Profile>,
    report: Report,
    out: &mut Output<'_>,
) -> Result<Exit, Failure> {
    let (agent, found) = check::folder(folder, profile)?;
    match report {
        Report::Human => human(folder, &agent, &found, out)?,
        Report::Json => out.json(&answer(folder, &agent, &found))?,
        Report::Github => github(folder, &found, out)?,
        Report::Sarif => out.json(&sarif::log(folder, &found))?,
    }
    let has_errors = found.iter().any(|one| one.severity == Severity::Error);
    Ok(if has_errors { Exit::No } else { Exit::Fine })
}

fn human(folder: &Path, agent: &Agent, found: &[Diagnostic], out: &mut Output<'_>) -> io::Result<()> {
    let style = if out.color { Style::Colored } else { Style::Plain };
    // Findings stand in the order of files, so each text is made once.
    let mut text: Option<(Name, Option<String>)> = None;
    let mut code = source::ToolCode::of(folder);
    for one in found {
        if text.as_ref().is_none_or(|(file, _)| *file != one.at.file) {
            text = Some((one.at.file.clone(), agent.text_of(&one.at.file).map(Into::into)));
        }
        let kept = text.as_ref().and_then(|(_, text)| text.as_deref());
        // What comes back was made visible; the rest is our own colours.
        let rendered = match code.at(&one.at) {
            Some((code, at)) => render(&Diagnostic { at, ..one.clone() }, Some(code), style),
            None => render(one, kept, style),
        };
        writeln!(out.writer, "{rendered}\n")?;
    }
    let words = match counts(found) {
        none if none.is_empty() => "nothing found".to_owned(),
        counts => counts.iter().map(|(severity, count)| plural(*count, word(*severity))).collect::<Vec<_>>().join(", "),
    };
    let tone = if found.iter().any(|one| one.severity == Severity::Error) { Tone::Bad } else { Tone::Strong };
    let skills = agent.skills.values().filter(|skill| !skill.at.file.starts_with("engine:")).count();
    let rest = format!("; {}, profile {}", plural(skills, "skill"), agent.profile);
    out.line(&[(tone, &words), (Tone::Normal, &rest)])?;
    if let Some(one) = found.iter().min_by_key(|one| one.severity) {
        out.line(&[(Tone::Faint, &format!("replay explain {} tells more", one.code))])?;
    }
    Ok(())
}

pub(super) fn plural(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

pub(super) fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn counts(found: &[Diagnostic]) -> BTreeMap<Severity, usize> {
    let mut counts = BTreeMap::new();
    for one in found {
        *counts.entry(one.severity).or_default() += 1;
    }
    counts
}

/// What `replay check --json` answers.
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    folder: String,
    profile: ProfileAnswer,
    errors: usize,
    warnings: usize,
    notes: usize,
    findings: Vec<Finding<'a>>,
}

#[derive(Serialize)]
struct ProfileAnswer {
    name: &'static str,
    basis: ProfileBasis,
}

#[derive(Serialize)]
struct Finding<'a> {
    code: &'static str,
    severity: Severity,
    file: &'a Name,
    line: u32,
    column: u32,
    message: &'a str,
    help: Option<&'a str>,
    rules: Vec<&'static str>,
}

fn answer<'a>(folder: &Path, agent: &Agent, found: &'a [Diagnostic]) -> Answer<'a> {
    // What is known about a code stands in a long text, and a code mostly comes more than once.
    let rules_of = |code| catalogue::explain(code).map(|entry| entry.rules).unwrap_or_default();
    let mut rules: BTreeMap<&str, Vec<&'static str>> = BTreeMap::new();
    let count = |severity: Severity| found.iter().filter(|one| one.severity == severity).count();
    Answer {
        schema: "replay.check/1",
        folder: folder.display().to_string(),
        profile: ProfileAnswer { name: agent.profile.profile.name(), basis: agent.profile.basis },
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
        notes: count(Severity::Note),
        findings: found
            .iter()
            .map(|one| Finding {
                code: one.code,
                severity: one.severity,
                file: &one.at.file,
                line: one.at.line,
                column: one.at.column,
                message: &one.message,
                help: one.help.as_deref(),
                rules: rules.entry(one.code).or_insert_with(|| rules_of(one.code)).clone(),
            })
            .collect(),
    }
}

/// Writes workflow commands, which GitHub shows beside the lines.
fn github(folder: &Path, found: &[Diagnostic], out: &mut Output<'_>) -> io::Result<()> {
    for one in found {
        let level = match one.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let file = property(&folder.join(&*one.at.file).display().to_string());
        let help = one.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        let message = data(&format!("{}{help}", one.message));
        let (line, column, code) = (one.at.line, one.at.column, property(one.code));
        writeln!(out.writer, "::{level} file={file},line={line},col={column},title={code}::{message}")?;
    }
    Ok(())
}

/// Escapes what stands behind the last colons of a workflow command.
fn data(text: &str) -> String {
    visible(text).replace('%', "%25")
}

/// Escapes a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

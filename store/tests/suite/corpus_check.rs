//! Every agent of the corpus loads and is checked: no error but those that were verified by hand, and the number of
//! findings of each code.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use replay_store::agent::check;
use replay_store::diagnostic::{Diagnostic, Severity};

use crate::corpus::corpus;

/// What the copies lack, as errors: only parts of most folders are here.
const GAPS: [&str; 3] =
    ["mantle.validation.config.missing_integrations", "replay.agent.missing_file", "replay.agent.no_skill"];

/// Every other error, read by hand in the file and against the rule: folder, file and lines, code, why it is right.
const VERIFIED: &[(&str, &str, &str, &str)] = &[
    (
        "step-01-faq",
        "skills/trip_faq/skill.md:13",
        "replay.prose.unknown_skill",
        "A step of a tutorial names a skill of a later step (M142).",
    ),
    (
        "step-04-scoped",
        "skills/flight_status/skill.md:21",
        "replay.prose.unknown_skill",
        "A step of a tutorial names a skill of a later step (M142).",
    ),
    (
        "step-04-scoped",
        "skills/flight_status/skill.md:25",
        "replay.prose.unknown_skill",
        "A step of a tutorial names a skill of a later step (M142).",
    ),
    (
        "step-04-scoped",
        "skills/flight_status/skill.md:25",
        "replay.prose.unknown_skill",
        "A step of a tutorial names a skill of a later step (M142).",
    ),
    (
        "step-06-composition",
        "skills/authenticate/skill.md:23",
        "replay.prose.unknown_skill",
        "A step of a tutorial names a skill of a later step (M142).",
    ),
    (
        "step-06-composition",
        "skills/change_booking/skill.md:32",
        "replay.prose.unknown_skill",
        "A step of a tutorial names a skill of a later step (M142).",
    ),
    (
        "maestro-voice-appointment-skills",
        "skills/book_appointment/skill.md:29",
        "mantle.validation.prose.session_reference_in_instructions",
        "A path of a condition in free prose; backticks don't make it anything else (M29).",
    ),
    (
        "malar-saravanan-nourishher-voice",
        "skills/hypothyroidism_nutrition/skill.md:45",
        "replay.prose.unknown_skill",
        "The folder is here in part, without that skill (M142).",
    ),
    (
        "malar-saravanan-nourishher-voice",
        "skills/intake_profile/skill.md:17",
        "replay.response.unknown",
        "The folder is here in part, without its responses.yml (M235).",
    ),
    (
        "samakshmehra-civico",
        "skills/check_status/skill.md:12",
        "replay.response.unknown",
        "The folder is here in part, without its responses.yml (M235).",
    ),
    (
        "samakshmehra-civico",
        "skills/check_status/skill.md:30",
        "replay.response.unknown",
        "The folder is here in part, without its responses.yml (M235).",
    ),
    (
        "samakshmehra-civico",
        "skills/check_status/skill.md:103",
        "replay.response.unknown",
        "The folder is here in part, without its responses.yml (M235).",
    ),
    (
        "samakshmehra-civico",
        "skills/report_problem/skill.md:28",
        "replay.response.unknown",
        "The folder is here in part, without its responses.yml (M235).",
    ),
    (
        "samakshmehra-civico",
        "skills/report_problem/skill.md:29",
        "replay.response.unknown",
        "The folder is here in part, without its responses.yml (M235).",
    ),
    (
        "samakshmehra-civico",
        "skills/report_problem/skill.md:30",
        "replay.response.unknown",
        "The folder is here in part, without its responses.yml (M235).",
    ),
    (
        "samakshmehra-civico",
        "skills/report_problem/skill.md:42",
        "replay.response.unknown",
        "The folder is here in part, without its responses.yml (M235).",
    ),
    (
        "samakshmehra-civico",
        "skills/report_problem/skill.md:43",
        "replay.response.unknown",
        "The folder is here in part, without its responses.yml (M235).",
    ),
    (
        "samakshmehra-civico",
        "skills/report_problem/skill.md:44",
        "replay.response.unknown",
        "The folder is here in part, without its responses.yml (M235).",
    ),
    (
        "session-start-personalization",
        "skills/view_transactions/skill.md:9",
        "replay.condition.unknown_key",
        "The folder is here in part, without the memory.yml of the skill (M90).",
    ),
    (
        "session-start-personalization",
        "skills/view_transactions/skill.md:15",
        "mantle.validation.prose.unknown_memory_key",
        "The folder is here in part, without the memory.yml of the skill (M90).",
    ),
    (
        "session-start-personalization",
        "skills/view_transactions/skill.md:18",
        "mantle.validation.prose.unknown_memory_key",
        "The folder is here in part, without the memory.yml of the skill (M90).",
    ),
    (
        "session-start-personalization",
        "skills/view_transactions/skill.md:21",
        "mantle.validation.prose.unknown_memory_key",
        "The folder is here in part, without the memory.yml of the skill (M90).",
    ),
];

/// How often each code is found in the whole corpus.
const COUNTS: &[(&str, usize)] = &[
    ("mantle.validation.config.missing_integrations", 24),
    ("mantle.validation.prose.session_reference_in_instructions", 1),
    ("mantle.validation.prose.unknown_memory_key", 3),
    ("replay.agent.missing_file", 17),
    ("replay.agent.nested_setting", 18),
    ("replay.agent.no_skill", 3),
    ("replay.condition.unknown_key", 1),
    ("replay.prose.unknown_skill", 7),
    ("replay.response.unknown", 10),
    ("replay.response.unused", 6),
    ("replay.skill.complete_when_blocks", 1),
    ("replay.skill.missing_file", 5),
    ("replay.tools.unknown", 16),
];

#[test]
fn every_agent_of_the_corpus_is_checked_without_a_false_error() {
    let Some(root) = corpus() else { return };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut errors: BTreeSet<(String, String, &str)> = BTreeSet::new();
    for folder in agent_folders(&root) {
        let name = folder.file_name().and_then(|name| name.to_str()).expect("the corpus has plain names");
        for found in findings(&folder) {
            *counts.entry(found.code).or_default() += 1;
            if found.severity == Severity::Error && !GAPS.contains(&found.code) {
                errors.insert((name.to_owned(), format!("{}:{}", found.at.file, found.at.line), found.code));
            }
        }
    }
    let verified = VERIFIED.iter().map(|(name, place, code, _)| ((*name).to_owned(), (*place).to_owned(), *code));
    let verified: BTreeSet<_> = verified.collect();
    assert_eq!(errors.difference(&verified).collect::<Vec<_>>(), Vec::<&_>::new(), "errors that nobody verified");
    assert_eq!(verified.difference(&errors).collect::<Vec<_>>(), Vec::<&_>::new(), "errors that are gone");
    let expected: BTreeMap<&str, usize> = COUNTS.iter().copied().collect();
    assert_eq!(counts, expected);
}

#[test]
fn a_missing_integrations_file_is_one_finding() {
    let Some(root) = corpus() else { return };
    let folder = root.join("RasaHQ__rasa-community-resources/examples/mantle-text-payment-plan-authority-gpt");
    let codes = findings(&folder).into_iter().filter(|found| found.at.file == *"integrations.yml");
    assert_eq!(codes.map(|found| found.code).collect::<Vec<_>>(), ["mantle.validation.config.missing_integrations"]);
}

fn findings(folder: &Path) -> Vec<Diagnostic> {
    check::folder(folder, None).expect("the folder can be read").1
}

/// Returns the folders that hold an agent: skills, or memory of a project.
fn agent_folders(root: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let inner = fs::read_dir(&folder).expect("the corpus can be listed").map(|entry| entry.expect("it can").path());
        let is_agent = ["agent.yml", "skills"].iter().any(|name| folder.join(name).exists())
            || (folder.join("memory.yml").exists()
                && !folder.join("skill.md").exists()
                && folder.parent().and_then(Path::file_name).is_none_or(|name| name != "skills"));
        if is_agent {
            found.insert(folder.clone());
        }
        folders.extend(inner.filter(|path| path.is_dir()));
    }
    found
}

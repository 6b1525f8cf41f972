//! `prose.json`: a body and what memory holds, and what the model gets of it; or what is found when it is loaded.

use replay_store::diagnostic::Severity;
use replay_store::session::prose::{ProsePiece, scope, substitute};

use super::agents::{Added, agent_with, items, state};
use super::{Answer, Case, expect};

/// Loads the body as that of the skill, and compares findings or paragraphs.
pub(crate) fn check(case: &Case) -> Answer {
    match case.text("check") {
        Some("load") => check_load(case),
        Some("render") => check_render(case),
        other => Err(format!("unknown check {other:?}")),
    }
}

fn check_load(case: &Case) -> Answer {
    let agent = agent_with(case, Some(&added(case)));
    let file = format!("skills/{}/skill.md", added(case).skill);
    let of_prose = agent.diagnostics.iter().filter(|found| {
        found.severity == Severity::Error
            && found.at.file == file.as_str()
            && found.code.starts_with("mantle.validation.prose.")
    });
    let mut codes: Vec<&str> = of_prose.map(|found| found.code).collect();
    let mut expected: Vec<&str> = items(&case.case, "codes").collect();
    codes.sort_unstable();
    expected.sort_unstable();
    expect("codes", &codes, &expected)
}

fn check_render(case: &Case) -> Answer {
    let id = added(case).skill;
    let agent = agent_with(case, Some(&added(case)));
    let skill = agent.skills.get(id).ok_or("the skill didn't load")?;
    let state = state(&agent, case);
    let (mut visible, mut left) = (Vec::new(), Vec::new());
    for scoped in scope(&agent, case.profile, &state, skill).iter().filter(|scoped| scoped.is_visible) {
        let pieces = substitute(&agent, case.profile, &state, Some(id), &scoped.paragraph.prose);
        visible.push(pieces.iter().map(ProsePiece::text).collect::<String>());
        let stayed = pieces.iter().filter(|piece| matches!(piece, ProsePiece::Left { .. }));
        left.extend(stayed.map(|piece| piece.text().to_owned()));
    }
    expect(
        "visible",
        &visible.iter().map(String::as_str).collect(),
        &items(&case.case, "visible").collect::<Vec<_>>(),
    )?;
    expect("left", &left.iter().map(String::as_str).collect(), &items(&case.case, "left").collect::<Vec<_>>())
}

fn added(case: &Case) -> Added<'_> {
    Added {
        skill: case.text("skill").unwrap_or_default(),
        frontmatter: Vec::new(),
        body: case.text("body").unwrap_or_default(),
    }
}

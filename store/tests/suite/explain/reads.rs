//! What read an entry.

use std::sync::Arc;

use replay_store::event::{EventKind, MessageSource, Position};
use replay_store::explain::reads::{ReadSite, Reads, reads};
use replay_store::explain::why::Answer;
use replay_store::name::Name;
use replay_store::profile::Profile;
use replay_store::replay::Session;

use super::given::*;

fn all(session: &Session, key: &str) -> Reads {
    reads(session, &Name::from(key), Position(0)..=session.end(), |_| true)
}

fn story() -> Session {
    desk([
        user("7"),
        activate("track"),
        returned("activate", "{}"),
        says("Hm"),
        end(),
        user("8"),
        write("find_parcel", "track.parcel", "\"P-7\""),
        write("find_parcel", "pay.amount", "4.5"),
        returned("find_parcel", "{}"),
        says("There"),
        end(),
    ])
}

fn lines(found: &Reads) -> Vec<(u64, ReadSite, Answer)> {
    found.reads.iter().map(|read| (read.position.0, read.site, read.answer)).collect()
}

#[test]
fn prompts_show_a_value_or_have_a_hole() {
    let found = all(&story(), "track.parcel");
    let prompts: Vec<_> = lines(&found).into_iter().filter(|(_, site, _)| *site == ReadSite::Prompt).collect();
    assert_eq!(
        prompts,
        [
            (10, ReadSite::Prompt, Answer::Allowed),
            (7, ReadSite::Prompt, Answer::NeverWritten),
            (4, ReadSite::Prompt, Answer::NeverWritten),
        ]
    );
    let hole = found.reads.iter().find(|read| read.position == Position(7)).expect("it is told");
    assert_eq!(hole.place.as_deref(), Some("skills/track/skill.md:13"));
    let offers = all(&story(), "project.customer").reads.into_iter().filter(|read| read.site == ReadSite::Condition);
    assert!(
        offers.into_iter().all(|read| read.text.contains("the offer of `pay`") && read.text.contains("does not hold"))
    );
    assert_eq!(
        all(&story(), "project.customer").reads.iter().filter(|read| read.site == ReadSite::Condition).count(),
        4
    );
}

#[test]
fn denied_conditions_are_told_with_their_lines() {
    let found = all(&story(), "pay.amount");
    let denied: Vec<_> = found.reads.iter().filter(|read| read.answer == Answer::Denied).collect();
    assert!(denied.iter().any(|read| read.text.contains("the tool `refund`")), "{found:#?}");
    assert!(denied.iter().any(|read| read.text.contains("a paragraph of `track`")), "{found:#?}");
    assert!(denied.iter().all(|read| read.text.contains("denied by M39, skills/track/memory.yml:10")), "{denied:#?}");
}

#[test]
fn code_that_names_an_entry_may_have_read_it() {
    let found = all(&story(), "project.customer");
    let code = found.reads.iter().find(|read| read.site == ReadSite::ToolCode).expect("find_parcel names it");
    assert_eq!((code.position, code.place.as_deref()), (Position(9), Some("skills/track/tools.py:3")));
    assert!(found.unknown.is_some());
}

#[test]
fn a_search_can_be_bounded_and_stopped() {
    let session = story();
    let whole = all(&session, "track.parcel");
    let late = reads(&session, &"track.parcel".into(), Position(9)..=session.end(), |_| true);
    assert_eq!(lines(&late), lines(&whole)[..late.reads.len()]);
    assert!(late.reads.len() < whole.reads.len() && late.complete);
    let stopped = reads(&session, &"track.parcel".into(), Position(0)..=session.end(), |at| at > Position(9));
    assert_eq!((stopped.complete, stopped.from), (false, Position(9)));
    assert!(stopped.reads.len() < whole.reads.len());
}

#[test]
fn without_a_folder_reads_are_unknown() {
    let found = all(&session(Profile::Seed, &[], [write("t", "track.parcel", "1")]), "track.parcel");
    assert!(found.reads.is_empty() && found.unknown.is_some());
}

/// A desk that says a response when the parcel weighs something, in a wording for heavy ones.
const SCALES: [(&str, &str); 4] = [
    ("agent.yml", "agent: {persona: You answer for Parcel Desk.}\n"),
    ("skills/track/memory.yml", "schema: {public: {grams: {type: int}, note: {type: text}}}\n"),
    (
        "skills/track/skill.md",
        "---\nname: Track\ndescription: d\nutter:\n  - utter_heavy: {when: session.track.grams > 900}\n---\n\nWeigh it.\n",
    ),
    (
        "responses.yml",
        "\
responses:
  utter_heavy:
    - text: Two of us will carry it.
      condition: session.track.note == 'help'
    - text: That takes a van.
      condition: session.track.grams > 5000
    - text: It is heavy.
",
    ),
];

#[test]
fn what_says_a_response_and_in_which_wording_reads_too() {
    let heavy = || EventKind::AgentMessage {
        text: "It is heavy.".to_owned(),
        source: MessageSource::Template,
        response: Some("utter_heavy".into()),
        model_millis: None,
        data: Arc::default(),
    };
    let session = session(
        Profile::Seed,
        &SCALES,
        [
            user("7"),
            write("scales", "track.grams", "1"),
            activate("track"),
            write("scales", "track.grams", "100"),
            write("scales", "track.grams", "1000"),
            heavy(),
            end(),
        ],
    );
    let found = all(&session, "track.grams");
    let conditions = found.reads.iter().filter(|read| read.site == ReadSite::Condition);
    let told: Vec<_> = conditions.map(|read| (read.position.0, read.text.as_str(), read.place.as_deref())).collect();
    let when = "whether `track` says `utter_heavy` depends on `session.track.grams > 900`, which";
    assert_eq!(
        told,
        [
            (
                6,
                "a wording of `utter_heavy` depends on `session.track.grams > 5000`, which does not hold when it was said: 1000",
                Some("responses.yml:6")
            ),
            (6, &*format!("{when} holds after the write at 6: 1000"), Some("skills/track/skill.md:5")),
            (5, &*format!("{when} does not hold after the write at 5: 100"), Some("skills/track/skill.md:5")),
        ],
        "before the skill started nothing waited for a write"
    );
    // The wording that holds ends the search for one.
    let note = all(&session, "track.note");
    let sites: Vec<_> = lines(&note).into_iter().filter(|(_, site, _)| *site == ReadSite::Condition).collect();
    assert_eq!(sites, [(6, ReadSite::Condition, Answer::NeverWritten)]);
}

//! Why a skill or a tool is offered, or not.

use replay_store::event::Position;
use replay_store::explain::skill::why_skill;
use replay_store::explain::tool::why_tool;
use replay_store::explain::value::why_value;
use replay_store::explain::why::{Answer, Why};
use replay_store::profile::Profile;
use replay_store::replay::Session;
use replay_store::rule::Rule;

use super::given::*;

fn skill(session: &Session, id: &str) -> Why {
    why_skill(session, id, session.end())
}

fn tool(session: &Session, name: &str) -> Why {
    why_tool(session, name, session.end())
}

/// Returns the lines of the condition.
fn condition(why: &Why) -> Vec<String> {
    why.condition.iter().flat_map(|condition| condition.lines()).map(|(_, line)| line).collect()
}

#[test]
fn a_skill_has_one_of_eight_answers() {
    let session = desk([
        user("x"),
        activate("track"),
        interrupt("track"),
        activate("lookup"),
        write("t", "project.customer", "\"C\""),
    ]);
    check(&skill(&session, "lookup"), Answer::Active, &["on top of the stack"]);
    let parked = skill(&session, "track");
    check(&parked, Answer::Parked, &["`lookup` is active", "changed the topic"]);
    rests_on(&parked, "4 skill_interrupted");
    check(&skill(&session, "claims"), Answer::Disabled, &["M100"]);
    check(&skill(&session, "default_completed"), Answer::EngineManaged, &["M286"]);
    let empty = desk([]);
    let newer = self::session(Profile::Mantle321, DESK, []);
    check(&skill(&newer, "lookup"), Answer::Hidden, &["M334"]);
    check(&skill(&empty, "track"), Answer::Offered, &["nobody has started it"]);
    check(&skill(&empty, "pay"), Answer::Gated, &["its gate is closed", "M98"]);
    check(&skill(&empty, "pya"), Answer::Unknown, &["did you mean `pay`"]);
    check(&skill(&self::session(Profile::Seed, &[], []), "pay"), Answer::Unknown, &["no agent folder"]);
}

#[test]
fn a_closed_gate_shows_its_operands_and_the_smallest_change() {
    let session = desk([write("t", "project.customer", "\"C-1\"")]);
    let why = skill(&session, "pay");
    assert_eq!(
        condition(&why),
        [
            "session.project.customer and session.track.parcel: null",
            "session.project.customer: \"C-1\" (set at 2)",
            "session.track.parcel: null (never written)",
        ]
    );
    let rule = why.rule.as_ref().expect("a rule decided");
    assert_eq!((rule.id, rule.place().as_deref()), (Rule::SkillRequires, Some("skills/pay/skill.md:4:11")));
    assert_eq!(why.change.as_deref(), Some("`track.parcel` would have to hold a value that counts as true"));
    let both = desk([]);
    let change = skill(&both, "pay").change.expect("both are missing");
    assert!(change.contains("`project.customer`") && change.contains("`track.parcel`"), "{change}");
    let open = desk([write("t", "project.customer", "\"C\""), write("t", "track.parcel", "\"P\"")]);
    check(&skill(&open, "pay"), Answer::Offered, &[]);
    assert_eq!(skill(&open, "pay").change, None);
    assert_eq!(skill(&open, "pay").rule.map(|rule| rule.id), Some(Rule::SkillRequires), "the gate that holds");
    assert_eq!(skill(&open, "track").rule, None, "nothing decided about a skill without a gate");
}

#[test]
fn a_gate_on_false_tells_unset_false_and_true_apart() {
    let unset = desk([activate("track")]);
    let why = tool(&unset, "send_van");
    check(&why, Answer::Withheld, &["never written"]);
    assert_eq!(
        condition(&why),
        ["session.track.damaged == False: false", "session.track.damaged: null (never written)",]
    );
    let change = why.change.expect("something would open it");
    assert!(change.contains("`track.damaged` would have to be false"), "{change}");
    assert!(change.contains("None and not False") && change.contains("not session.track.damaged"), "{change}");

    let is_false = desk([activate("track"), write("t", "track.damaged", "false")]);
    let why = tool(&is_false, "send_van");
    check(&why, Answer::Offered, &["holds"]);
    assert_eq!((why.change, why.rule.map(|rule| rule.id)), (None, Some(Rule::ToolRequires)));

    let is_true = desk([activate("track"), write("t", "track.damaged", "true")]);
    let why = tool(&is_true, "send_van");
    check(&why, Answer::Withheld, &["is True"]);
    assert_eq!(why.change.as_deref(), Some("`track.damaged` would have to be false"));
}

#[test]
fn a_gate_on_a_text_names_the_text() {
    let unset = desk([activate("track")]);
    assert_eq!(tool(&unset, "reopen").change.as_deref(), Some("`track.kind` would have to be \"new\""));
    let other = desk([activate("track"), write("t", "track.kind", "\"old\"")]);
    check(&tool(&other, "reopen"), Answer::Withheld, &[]);
    let open = desk([activate("track"), write("t", "track.kind", "\"new\"")]);
    check(&tool(&open, "reopen"), Answer::Offered, &[]);
}

#[test]
fn a_gate_that_a_denied_read_closes_asks_for_the_right() {
    let session = desk([activate("track"), write("t", "pay.amount", "4.5")]);
    let why = tool(&session, "refund");
    check(&why, Answer::Withheld, &["denied by skills/track/memory.yml:10"]);
    assert_eq!(why.change.as_deref(), Some("take `pay.amount` off `access.deny_read`"));
    assert!(condition(&why)[1].contains("denied by M39 at skills/track/memory.yml:10:7"), "{:?}", condition(&why));
}

#[test]
fn a_tool_of_another_skill_and_an_unknown_one_are_told_apart() {
    let session = desk([user("x"), returned("find_parcel", "{}")]);
    let why = tool(&session, "find_parcel");
    check(&why, Answer::Withheld, &["belongs to `track`", "no skill is active"]);
    assert!(why.evidence.iter().any(|one| one.text.contains("skills/track/tools.py:2")), "{why:#?}");
    assert!(why.evidence.iter().any(|one| one.kind == "tool_returned"));
    check(&tool(&session, "find_parcl"), Answer::Unknown, &["did you mean `find_parcel`"]);
    check(&tool(&session, "run_after_setting_kind"), Answer::Withheld, &["M208"]);
    check(&tool(&self::session(Profile::Seed, &[], []), "find_parcel"), Answer::Unknown, &["no agent folder"]);
}

#[test]
fn what_happened_long_ago_is_told_all_the_same() {
    let early = [
        write("t", "project.customer", "1"),
        refused("t", "project.customer", "2", Rule::ProjectWrittenOnce),
        activate("track"),
        complete("track"),
        returned("find_parcel", "{\"number\":7}"),
    ];
    let session = desk(early.into_iter().chain((0..50_001).map(|_| user("And then?"))));
    let tells = |why: &Why, at: u64| why.evidence.iter().any(|piece| piece.position == Some(Position(at)));
    assert!(tells(&why_value(&session, "project.customer", session.end()), 3), "the refusal");
    assert!(tells(&skill(&session, "track"), 5), "the end of the skill");
    assert!(tells(&tool(&session, "find_parcel"), 6), "the call");
}

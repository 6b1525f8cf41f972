//! Two sessions: what differs in which turn, by kind, the earliest first.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::align::{Pair, Stretch, align};
use super::deeds::{Deed, deeds};
use super::noise::{Noise, without};
use super::rows::{PartName, Row, parts};
use super::words::{Change, compare};
use crate::event::Position;
use crate::event::finding::FindingKind;
use crate::explain::{Basis, Evidence};
use crate::name::Name;
use crate::prompt::{Prompt, SectionName};
use crate::replay::Session;
use crate::replay::rows::{MemoryRow, RowState};
use crate::replay::turns::Call;

/// How two sessions differ.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionDifference {
    /// All differences: by turn, and in a turn by the place where they begin.
    pub differences: Vec<Difference>,
    /// Whether prompts and offers could be compared, which takes a definition on both sides.
    pub has_prompts: bool,
    /// Which of the two records is cut, so that what comes later in the other one is no difference.
    pub is_cut: (bool, bool),
}

/// The kinds of difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// What a memory entry holds after the turn.
    State,
    /// What was allowed, refused, offered or withheld.
    Decision,
    /// What was started, parked, resumed or ended.
    Skill,
    /// Tool calls: arguments, results, outcomes.
    Tool,
    /// The system prompt of a model call.
    Prompt,
    /// What the user or the agent said.
    Text,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 6] = [Kind::State, Kind::Decision, Kind::Skill, Kind::Tool, Kind::Prompt, Kind::Text];

    /// Returns the word that JSON and people read.
    pub fn word(self) -> &'static str {
        match self {
            Kind::State => "state",
            Kind::Decision => "decision",
            Kind::Skill => "skill",
            Kind::Tool => "tool",
            Kind::Prompt => "prompt",
            Kind::Text => "text",
        }
    }
}

/// Something that two sessions haven't in common.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Its kind.
    pub kind: Kind,
    /// The user message that it follows, counted from 1 in each session; 0 before the first.
    pub user_message: Sides<usize>,
    /// The agent turn.
    pub turn: Sides<u32>,
    /// What it is about: an entry, a skill, a tool, a model call, `user` or `agent`.
    pub subject: String,
    /// What each side has.
    #[serde(flatten)]
    pub evidence: Sides<Evidence>,
}

/// What the two sessions have; nothing where one lacks it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sides<T> {
    /// The first session.
    pub a: Option<T>,
    /// The second one.
    pub b: Option<T>,
}

/// Compares two sessions. Noise of the given kinds makes no difference; nor do the engine's own ids and the times of
/// events, which no two sessions share.
pub fn sessions(a: &Session, b: &Session, noise: &[Noise]) -> SessionDifference {
    let is_cut = (is_cut(a), is_cut(b));
    let pairs = align(a, b, noise);
    let mut comparison = Comparison { a, b, noise, told: BTreeMap::new(), found: Vec::new() };
    let end = pairs.iter().rposition(|pair| pair.stretches.0.is_some() && pair.stretches.1.is_some());
    for (index, pair) in pairs.iter().enumerate() {
        let before = comparison.found.len();
        comparison.pair(pair);
        // What a cut record lacks at its end was lost, and is no difference.
        let is_behind = end.is_none_or(|end| end <= index);
        let lost = |each: &Difference| {
            let lacks = (is_cut.0 && each.evidence.a.is_none()) || (is_cut.1 && each.evidence.b.is_none());
            is_behind && (lacks || (is_cut.0 || is_cut.1) && each.kind == Kind::State)
        };
        let mut of_pair = comparison.found.split_off(before);
        of_pair.retain(|each| !lost(each));
        comparison.found.append(&mut of_pair);
    }
    SessionDifference { differences: comparison.found, has_prompts: a.agent.is_some() && b.agent.is_some(), is_cut }
}

fn is_cut(session: &Session) -> bool {
    session.findings.iter().any(|finding| finding.kind == FindingKind::Cut)
}

/// A comparison as it goes on.
struct Comparison<'a> {
    a: &'a Session,
    b: &'a Session,
    noise: &'a [Noise],
    /// The entries and offers that differ, as they were told last.
    told: BTreeMap<(Kind, Name), (String, String)>,
    found: Vec<Difference>,
}

impl Comparison<'_> {
    fn pair(&mut self, pair: &Pair) {
        let begin = self.found.len();
        self.deeds(pair);
        self.calls(pair);
        self.state(pair);
        let (first_a, first_b) = (pair.stretches.0.map(|one| one.first), pair.stretches.1.map(|one| one.first));
        // A prompt is there before the event that it led to, and what a write changed after it.
        let place = |each: &Difference| {
            let offset = |evidence: &Option<Evidence>, first: Option<Position>| {
                Some(evidence.as_ref()?.position?.0.saturating_sub(first?.0))
            };
            let places = [offset(&each.evidence.a, first_a), offset(&each.evidence.b, first_b)];
            (places.into_iter().flatten().min().unwrap_or(u64::MAX), each.kind)
        };
        self.found[begin..].sort_by_key(place);
    }

    fn add(&mut self, pair: &Pair, kind: Kind, subject: &str, a: Option<Evidence>, b: Option<Evidence>) {
        let turn = |stretch: Option<Stretch>| stretch.and_then(|stretch| stretch.turn);
        self.found.push(Difference {
            kind,
            user_message: Sides { a: pair.messages.0, b: pair.messages.1 },
            turn: Sides { a: turn(pair.stretches.0), b: turn(pair.stretches.1) },
            subject: subject.to_owned(),
            evidence: Sides { a, b },
        });
    }

    /// What the events of the stretches did, kind by kind.
    fn deeds(&mut self, pair: &Pair) {
        let of = |session: &Session, stretch: Option<Stretch>| {
            stretch.map(|stretch| deeds(session, stretch, self.noise)).unwrap_or_default()
        };
        let (mut in_a, mut in_b) = (of(self.a, pair.stretches.0), of(self.b, pair.stretches.1));
        for kind in Kind::ALL {
            let (a, b) = (in_a.remove(&kind).unwrap_or_default(), in_b.remove(&kind).unwrap_or_default());
            let same = |deeds: &[Deed]| deeds.iter().map(|deed| deed.same.clone()).collect::<Vec<_>>();
            for step in capture_diff_slices(Algorithm::Myers, &same(&a), &same(&b)) {
                if step.tag() == DiffTag::Equal {
                    continue;
                }
                self.unequal(pair, kind, &a[step.old_range()], &b[step.new_range()]);
            }
        }
    }

    /// Pairs deeds of the same subject, in order; what is left stands alone.
    fn unequal(&mut self, pair: &Pair, kind: Kind, a: &[Deed], b: &[Deed]) {
        let mut rest: Vec<&Deed> = b.iter().collect();
        for deed in a {
            let other = rest.iter().position(|other| other.subject == deed.subject).map(|place| rest.remove(place));
            let evidence = |session, deed: &Deed| Evidence::of_event(session, deed.at);
            let of_b = other.and_then(|other| evidence(self.b, other));
            self.add(pair, kind, &deed.subject, evidence(self.a, deed), of_b);
        }
        for deed in rest {
            let of_b = Evidence::of_event(self.b, deed.at);
            self.add(pair, kind, &deed.subject, None, of_b);
        }
    }

    /// What the model calls got and were offered. A turn that has no call is known by its text.
    fn calls(&mut self, pair: &Pair) {
        let of = |session: &Session, stretch: Option<Stretch>| -> Vec<Call> {
            let turn = stretch.and_then(|stretch| session.turn(stretch.turn?));
            turn.map(|turn| turn.counted_calls().cloned().collect()).unwrap_or_default()
        };
        let (of_a, of_b) = (of(self.a, pair.stretches.0), of(self.b, pair.stretches.1));
        for (one, other) in of_a.iter().zip(&of_b) {
            let (Some(prompt_a), Some(prompt_b)) = (self.a.prompt_of(one), self.b.prompt_of(other)) else { continue };
            self.offers(pair, (one, &prompt_a), (other, &prompt_b));
            self.prompt(pair, (one, &prompt_a), (other, &prompt_b));
        }
    }

    /// A tool that both know is a decision of its own, with the reasons; what only one of them knows stands in one list
    /// a call.
    fn offers(&mut self, pair: &Pair, a: (&Call, &Prompt), b: (&Call, &Prompt)) {
        let (of_a, of_b) = (Offers::of(a.1), Offers::of(b.1));
        for (name, (offered_a, why_a)) in &of_a.tools {
            let Some((offered_b, why_b)) = of_b.tools.get(name) else { continue };
            if offered_a == offered_b {
                self.told.remove(&(Kind::Decision, name.clone()));
                continue;
            }
            let evidence = |call, offered: &bool, why: &str| {
                let verdict = if *offered { "offered" } else { "withheld" };
                recomputed(call, "offer", format!("{verdict}: {why}"))
            };
            let sides = (evidence(a.0, offered_a, why_a), evidence(b.0, offered_b, why_b));
            self.add_once(pair, Kind::Decision, name, sides);
        }
        let (only_a, only_b) = (of_a.without(&of_b), of_b.without(&of_a));
        if only_a == only_b {
            self.told.remove(&(Kind::Decision, OFFER.into()));
            return;
        }
        let evidence = |call, only: Vec<String>| {
            let text = if only.is_empty() {
                "nothing more".to_owned()
            } else {
                format!("offered only here: {}", only.join(", "))
            };
            recomputed(call, "offer", text)
        };
        self.add_once(pair, Kind::Decision, OFFER, (evidence(a.0, only_a), evidence(b.0, only_b)));
    }

    /// Adds what wasn't told with the same words before. An old difference isn't told anew in every turn.
    fn add_once(&mut self, pair: &Pair, kind: Kind, subject: &str, (a, b): (Evidence, Evidence)) {
        let same = |evidence: &Evidence| without(&evidence.text, self.noise).into_owned();
        let words = (same(&a), same(&b));
        if self.told.insert((kind, subject.into()), words.clone()) != Some(words) {
            self.add(pair, kind, subject, Some(a), Some(b));
        }
    }

    /// The system prompts. Messages and tools behind them are told as what was said, called and offered.
    fn prompt(&mut self, pair: &Pair, a: (&Call, &Prompt), b: (&Call, &Prompt)) {
        let mut first: Option<(Option<String>, Option<String>)> = None;
        let mut counts = (0, 0);
        let (of_a, of_b) = (parts(a.1), parts(b.1));
        let names: BTreeSet<&PartName> = of_a.keys().chain(of_b.keys()).collect();
        for name in names.into_iter().filter(|name| self.compares(**name)) {
            let nothing = Vec::new();
            let (rows_a, rows_b) = (of_a.get(name).unwrap_or(&nothing), of_b.get(name).unwrap_or(&nothing));
            let (texts_a, texts_b) = (self.texts(rows_a), self.texts(rows_b));
            let lines = compare(&borrowed(&texts_a), &borrowed(&texts_b));
            let place = |change| lines.iter().filter(move |line| line.change == change);
            counts.0 += place(Change::Removed).count();
            counts.1 += place(Change::Added).count();
            let told =
                |rows: &[Row], index: Option<usize>| Some(format!("{}: {}", name.word(), rows[index?].text.trim()));
            let gone = place(Change::Removed).next().and_then(|line| told(rows_a, line.old));
            let came = place(Change::Added).next().and_then(|line| told(rows_b, line.new));
            if first.is_none() && (gone.is_some() || came.is_some()) {
                first = Some((gone, came));
            }
        }
        let Some((gone, came)) = first else { return };
        let text = |count: usize, line: Option<String>| match (count, line) {
            (0, _) => "nothing in its place".to_owned(),
            (1, line) => line.unwrap_or_else(|| "1 other line".to_owned()),
            (count, Some(line)) => format!("{line} (and {} more lines)", count - 1),
            (count, None) => format!("{count} other lines"),
        };
        let of_a = recomputed(a.0, "prompt", text(counts.0, gone));
        let of_b = recomputed(b.0, "prompt", text(counts.1, came));
        let subject = format!("call {}", a.0.number);
        self.add(pair, Kind::Prompt, &subject, Some(of_a), Some(of_b));
    }

    fn compares(&self, name: PartName) -> bool {
        match name {
            PartName::Section(SectionName::Clock) => !self.noise.contains(&Noise::Times),
            PartName::Section(_) => true,
            PartName::Messages | PartName::Tools => false,
        }
    }

    fn texts(&self, rows: &[Row]) -> Vec<String> {
        rows.iter().map(|row| without(&row.text, self.noise).into_owned()).collect()
    }

    /// What memory holds after the stretches, where it differs in another way than before.
    fn state(&mut self, pair: &Pair) {
        let (Some(stretch_a), Some(stretch_b)) = pair.stretches else { return };
        let rows = |session: &Session, at| -> BTreeMap<Name, MemoryRow> {
            let rows = session.memory_rows(&session.state(at)).into_iter();
            rows.filter(|row| row.state != RowState::NeverWritten).map(|row| (row.key.clone(), row)).collect()
        };
        let (of_a, of_b) = (rows(self.a, stretch_a.last), rows(self.b, stretch_b.last));
        let keys: BTreeSet<Name> = of_a.keys().chain(of_b.keys()).cloned().collect();
        for key in keys {
            let words = |rows: &BTreeMap<Name, MemoryRow>| rows.get(&key).map_or("never written".to_owned(), row_words);
            let (words_a, words_b) = (words(&of_a), words(&of_b));
            if without(&words_a, self.noise) == without(&words_b, self.noise) {
                self.told.remove(&(Kind::State, key));
                continue;
            }
            let evidence = |session: &Session, rows: &BTreeMap<Name, MemoryRow>, words: String| {
                let set_at = rows.get(&key).and_then(|row| row.set_at);
                let by_event = set_at.and_then(|at| Evidence::of_event(session, at));
                let unwritten = || match rows.contains_key(&key) {
                    true => Evidence::of_definition(""),
                    false => Evidence::of_absence(""),
                };
                by_event.unwrap_or_else(unwritten).saying(words)
            };
            let sides = (evidence(self.a, &of_a, words_a), evidence(self.b, &of_b, words_b));
            self.add_once(pair, Kind::State, &key, sides);
        }
    }
}

/// The subject of what only one of two calls was offered.
const OFFER: &str = "offer";

/// What a call was offered.
struct Offers {
    /// All tools, whether they were offered, and why.
    tools: BTreeMap<Name, (bool, String)>,
    /// What `activate` takes.
    targets: Vec<Name>,
}

impl Offers {
    fn of(prompt: &Prompt) -> Offers {
        let tools = prompt.tools.iter().map(|tool| (tool.name.clone(), (tool.offered, tool.why.clone())));
        Offers { tools: tools.collect(), targets: prompt.targets() }
    }

    /// Returns what was offered here, and there is unknown or no target.
    fn without(&self, other: &Offers) -> Vec<String> {
        let targets = self.targets.iter().filter(|id| !other.targets.contains(id)).map(|id| format!("activate {id}"));
        let tools = self.tools.iter().filter(|(name, (offered, _))| *offered && !other.tools.contains_key(*name));
        targets.chain(tools.map(|(name, _)| name.to_string())).collect()
    }
}

/// Returns what an entry holds, or which kind of nothing.
fn row_words(row: &MemoryRow) -> String {
    match row.state {
        RowState::Set => row.value.to_json(),
        RowState::Initial => format!("{} (initial)", row.value.to_json()),
        RowState::Reset if !row.value.is_null() => format!("{} (reset)", row.value.to_json()),
        RowState::NeverWritten | RowState::Cleared | RowState::Reset => row.state.words().to_owned(),
    }
}

fn recomputed(call: &Call, kind: &str, text: String) -> Evidence {
    Evidence { position: Some(call.before), raw: Vec::new(), kind: kind.to_owned(), basis: Basis::Recomputed, text }
}

fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

//! The answer to "why", as a sheet: what it is, which line decided, what was tried, and what it rests on.

use replay_store::event::Position;
use replay_store::explain::Evidence;
use replay_store::explain::from_call::{FromCall, from_call};
use replay_store::explain::why::{Answer, Question, RuleLine, Why};
use replay_store::name::Name;
use replay_store::replay::Session;

use crate::sheet::{Link, Sheet};
use crate::theme::Tone;

/// Returns an answer as a sheet.
pub(crate) fn sheet(why: &Why) -> Sheet {
    let (key, skill, tool) = (why.key.as_deref(), why.skill.as_deref(), why.tool.as_deref());
    let line = why.line.as_deref().unwrap_or_default();
    let at = why.position.to_string();
    let (title, asked) = match why.question {
        Question::Value => (format!("why {}", key.unwrap_or_default()), vec![key.unwrap_or_default()]),
        Question::Read => (
            format!("may {} read {}", skill.unwrap_or_default(), key.unwrap_or_default()),
            vec!["--read", key.unwrap_or_default(), "--skill", skill.unwrap_or_default()],
        ),
        Question::Skill => {
            (format!("why skill {}", skill.unwrap_or_default()), vec!["--skill", skill.unwrap_or_default()])
        }
        Question::Tool => (format!("why tool {}", tool.unwrap_or_default()), vec!["--tool", tool.unwrap_or_default()]),
        Question::Line => (format!("why {line} in the prompt"), vec!["--line", line]),
    };
    let command = [vec!["why", "{}"], asked, vec!["--at", at.as_str()]].concat();
    let mut sheet = Sheet::new(format!("{title} at {at}"), &command);
    add(&mut sheet, why);
    foot(&mut sheet);
    sheet
}

/// Adds an answer to a sheet, of which a report can be made then.
pub(crate) fn add(sheet: &mut Sheet, why: &Why) {
    sheet.line(tone(why.answer), &why.text, subject_link(why));
    if let Some(rule) = &why.rule {
        sheet.heading("rule");
        rule_lines(sheet, rule);
    }
    if let Some(visible) = &why.visible_to_active {
        let words = format!("{} ", visible.words("the active skill"));
        let rule = format!("({})", visible.rule.id);
        let parts = [(Tone::Quiet, words.as_str()), (Tone::Quiet, &rule)];
        sheet.parts(&parts, file_link(&visible.rule));
    }
    if !why.tried.is_empty() {
        sheet.heading("tried before, in order");
        for tried in &why.tried {
            let id = format!("{:<6}", tried.id.to_string());
            sheet.parts(&[(Tone::Strong, &id), (Tone::Plain, tried.text)], None);
        }
    }
    if let Some(condition) = &why.condition {
        sheet.heading("condition");
        for (depth, line) in condition.lines() {
            sheet.line(Tone::Plain, &format!("{}{line}", "  ".repeat(depth)), None);
        }
        for read in condition.reads() {
            let words = format!("reads {}: {}", read.key, read.answer.word().replace('_', " "));
            let link = read.set_at.map_or_else(|| Link::Entry(read.key.clone()), Link::Event);
            sheet.line(Tone::Quiet, &words, Some(link));
        }
    }
    if let Some(change) = &why.change {
        sheet.heading("the smallest change that turns it round");
        let link = why.change_at.as_deref().and_then(place_link);
        let place = why.change_at.as_ref().map(|at| format!("{at}: ")).unwrap_or_default();
        sheet.parts(&[(Tone::Strong, &place), (Tone::Plain, change)], link);
    }
    sheet.evidence(&why.evidence);
    sheet.why = Some(Box::new(why.clone()));
}

/// Returns why there is an event: what led to it, back to the user's message.
pub(crate) fn event_sheet(session: &Session, at: Position) -> Option<Sheet> {
    let first = Evidence::of_event(session, at)?;
    let place = at.to_string();
    let mut sheet = Sheet::new(format!("why event {at}"), &["show", "{}", "--at", &place, "--what", "event"]);
    sheet.line(Tone::Strong, &format!("event {at} is {}", first.text), Some(Link::Event(at)));
    let mut chain = vec![first];
    let mut next = session.event(at).and_then(|event| event.cause);
    // A cause lies before its effect, so that this ends.
    while let Some(cause) = next.filter(|cause| chain.iter().all(|known| known.position != Some(*cause))) {
        chain.extend(Evidence::of_event(session, cause));
        next = session.event(cause).and_then(|event| event.cause).filter(|before| *before < cause);
    }
    sheet.evidence(&chain);
    if let Some(from) = from_call(session, at) {
        sheet.heading(&format!("from {}, by its prompt at {}", from.name, from.call.before));
        reads(&mut sheet, session, &from);
        sheet.line(Tone::Quiet, "p shows the prompt", Some(Link::Event(from.call.before)));
    }
    foot(&mut sheet);
    Some(sheet)
}

/// Adds what the prompt of a call read, a row each.
fn reads(sheet: &mut Sheet, session: &Session, from: &FromCall) {
    if from.reads.is_empty() {
        let words = match session.agent {
            Some(_) => "it read no memory",
            None => "what it read is unknown without an agent folder (--agent DIR)",
        };
        sheet.line(Tone::Quiet, words, None);
    }
    for read in &from.reads {
        let key = Name::from(read.subject.as_str());
        let link = match &read.skill {
            Some(skill) => Link::Read(key, skill.clone()),
            None => Link::Entry(key),
        };
        let tone = if read.verdict.is_trouble() { Tone::Bad } else { Tone::Plain };
        let verdict = format!("{:<9}", read.verdict.word());
        let subject = format!("{}: ", read.subject);
        sheet.parts(&[(tone, &verdict), (Tone::Memory, &subject), (Tone::Plain, &read.text)], Some(link));
    }
}

/// Adds a rule: what it says, and the line of the folder with a caret.
pub(crate) fn rule_lines(sheet: &mut Sheet, rule: &RuleLine) {
    let id = format!("{:<6}", rule.id.to_string());
    let link = file_link(rule);
    sheet.parts(&[(Tone::Strong, &id), (Tone::Plain, rule.text)], link.clone());
    let (Some(place), Some(source), Some(at)) = (rule.place(), &rule.source, &rule.at) else { return };
    sheet.line(Tone::Quiet, &format!("  at {place}"), link.clone());
    let lead = source.chars().take((at.column as usize).saturating_sub(1)).map(char::len_utf8).sum::<usize>();
    let marked = source[lead..].chars().take((at.end - at.start).max(1) as usize).map(char::len_utf8).sum::<usize>();
    sheet.excerpt(&format!("  {source}"), (2 + lead, 2 + lead + marked), link);
}

fn foot(sheet: &mut Sheet) {
    sheet.line(Tone::Plain, "", None);
    let words = "Enter goes to the event of a line, e opens its file, K explains it, yr copies a report.";
    sheet.line(Tone::Quiet, words, None);
}

fn subject_link(why: &Why) -> Option<Link> {
    match why.question {
        Question::Value => why.evidence.iter().find_map(|one| one.position).map(Link::Event),
        Question::Read => Some(Link::Entry(why.key.clone()?)),
        Question::Line => why.line.as_deref().and_then(place_link),
        Question::Skill | Question::Tool => None,
    }
}

fn file_link(rule: &RuleLine) -> Option<Link> {
    Some(Link::File(rule.file.clone()?, rule.line?))
}

/// Reads `file:line`.
pub(crate) fn place_link(at: &str) -> Option<Link> {
    let (file, line) = at.rsplit_once(':')?;
    Some(Link::File(file.into(), line.parse().ok()?))
}

fn tone(answer: Answer) -> Tone {
    if answer.is_there() { Tone::Strong } else { Tone::Bad }
}

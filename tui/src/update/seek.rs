//! To the next place of a kind: at once where an index knows it, else by a scan that goes on between keys.

use replay_store::event::Position;
use replay_store::explain::Basis;
use replay_store::explain::decisions::{Verdict, decisions};

use super::jump::remember;
use super::{answer, go, pin};
use crate::app::{App, Debugger};
use crate::clock::Moment;
use crate::label::is_trouble;
use crate::panel::Panel;
use crate::rows::Direction;
use crate::scan::{Goal, Progress, Scan, verdicts, who_stops};
use crate::stop::{Stop, indexed};

/// To the stop number `count` of a kind.
pub(super) fn to(app: &mut App, stop: Stop, direction: Direction, count: usize) {
    let Some(debugger) = &app.debugger else { return };
    let from = debugger.cursor;
    if stop == Stop::EmptyRead {
        return match debugger.session.agent {
            Some(_) => start(app, Goal::Query(verdicts(&[Verdict::Empty]), stop.word().to_owned()), direction, count),
            None => app
                .say("what was read is recomputed from the agent folder, and there is none: name it with --agent DIR"),
        };
    }
    // In the prompt's panel the call before is the one before the prompt that is shown.
    let shown = debugger.prompt.shown.as_ref().and_then(|shown| shown.built_at());
    let from = match (stop, direction, debugger.focus) {
        (Stop::ModelCall, Direction::Back, Panel::Prompt) => shown.unwrap_or(from).min(from),
        _ => from,
    };
    let Some(first) = indexed(&debugger.session, from, stop, direction) else {
        return start(app, Goal::Stop(stop), direction, count);
    };
    let mut at = first;
    for _ in 1..count {
        let Some(next) = at.and_then(|at| indexed(&debugger.session, at, stop, direction).flatten()) else { break };
        at = Some(next);
    }
    arrive(app, &Goal::Stop(stop), direction, at);
    if stop == Stop::ModelCall
        && at.is_some()
        && let Some(debugger) = &mut app.debugger
    {
        debugger.prompt.hypothetical = false;
    }
}

/// To the breakpoint number `count`.
pub(super) fn proceed(app: &mut App, direction: Direction, count: usize) {
    let Some(debugger) = &app.debugger else { return };
    let breakpoints = &debugger.way.breakpoints;
    if breakpoints.is_empty() {
        return app.say("no breakpoint yet: b sets one here, B one for this kind, b in memory watches the entry");
    }
    if !breakpoints.iter().any(|breakpoint| breakpoint.is_on) {
        return app.say("all breakpoints are switched off");
    }
    start(app, Goal::Breakpoint, direction, count);
}

/// To the first event at a moment or later.
pub(super) fn to_moment(app: &mut App, moment: Moment) {
    let Some(debugger) = &app.debugger else { return };
    let Some(first) = debugger.session.event(Position(1)) else { return app.say("the session has no events") };
    begin(app, Scan::new(Goal::Time(moment.after(first.time)), Direction::Forward, Position(0), 1));
}

/// Slices that are looked at before another key is waited for.
const AT_ONCE: usize = 2;

/// Begins a scan at the cursor.
pub(super) fn start(app: &mut App, goal: Goal, direction: Direction, count: usize) {
    let Some(debugger) = &app.debugger else { return };
    let from = debugger.cursor;
    begin(app, Scan::new(goal, direction, from, count));
}

/// Begins a scan, which may be over at once.
pub(super) fn begin(app: &mut App, mut scan: Scan) {
    let Some(debugger) = &app.debugger else { return };
    for _ in 0..AT_ONCE {
        if scan.advance(&debugger.session, &debugger.way.breakpoints) == Progress::Over {
            return arrive(app, &scan.goal, scan.direction, scan.found);
        }
    }
    app.scan = Some(scan);
}

/// Lets what goes on look at its next slice: the scan first, then the search, then the filter.
pub(super) fn tick(app: &mut App) {
    let Some(debugger) = &mut app.debugger else { return };
    if let Some(scan) = &mut app.scan {
        if scan.advance(&debugger.session, &debugger.way.breakpoints) == Progress::Going {
            return;
        }
        if let Some(scan) = app.scan.take() {
            remember(app, |app| arrive(app, &scan.goal, scan.direction, scan.found));
        }
        return;
    }
    if debugger.reading.is_some() {
        return pin::read_on(app);
    }
    let search = debugger.search.as_mut().map(|search| &mut search.index);
    let filter = debugger.filter.as_mut().map(|filter| &mut filter.index);
    let next = search.into_iter().chain(filter).find(|index| !index.is_complete(&debugger.session));
    let overview = debugger.overview.as_mut().filter(|overview| !overview.is_complete());
    match (next, overview) {
        (Some(index), _) => index.advance(&debugger.session),
        (None, Some(overview)) => overview.advance(&debugger.session),
        (None, None) => answer::look_on(app),
    }
}

/// Goes to what was found, or says that nothing was.
fn arrive(app: &mut App, goal: &Goal, direction: Direction, found: Option<Position>) {
    let Some(at) = found else {
        let what = match goal {
            Goal::Stop(stop) => stop.word().to_owned(),
            Goal::Breakpoint => "event with a breakpoint".to_owned(),
            Goal::Query(_, what) => what.clone(),
            Goal::Time(_) => return app.say("the record ends before that time"),
        };
        return app.say(match direction {
            Direction::Forward => format!("no later {what}"),
            Direction::Back => format!("no earlier {what}"),
        });
    };
    go(app, at);
    let Some(debugger) = &app.debugger else { return };
    match goal {
        Goal::Breakpoint => {
            let words = who_stops(&debugger.session, &debugger.way.breakpoints, at);
            app.say(format!("stopped at {at}: {words}"));
        }
        Goal::Time(_) => {
            if let Some(event) = debugger.session.event(at) {
                app.say(format!("{at} is at {} UTC, the first at that time or later", event.time.clock()));
            }
        }
        Goal::Stop(Stop::Trouble) => {
            let words = trouble_words(debugger, at);
            app.say(words);
        }
        Goal::Stop(_) | Goal::Query(_, _) => {}
    }
}

/// Returns what is wrong at a position: what the record says, else the read that a rule denied.
fn trouble_words(debugger: &Debugger, at: Position) -> String {
    let session = &debugger.session;
    let is_recorded = session.mark(at).is_some_and(is_trouble);
    match (is_recorded, session.headline(at)) {
        (true, Some(words)) => format!("{}: {} {}", Basis::Recorded.word(), words.kind, words.text),
        (true, None) => Basis::Recorded.word().to_owned(),
        (false, _) => {
            let decided = decisions(session, at);
            let mut denied = decided.iter().filter(|decision| decision.verdict == Verdict::Denied);
            let first = denied.next().map(|one| format!("{}: {}", one.subject, one.text)).unwrap_or_default();
            let more = match denied.count() {
                0 => String::new(),
                count => format!("; and {count} more: D lists them"),
            };
            format!("{}: {first}{more}", Basis::Recomputed.word())
        }
    }
}

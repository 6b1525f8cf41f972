//! Whether an event matches as far as its mark tells, so that it needn't be read.

use super::evaluate::{MODEL_CALL, all, any};
use super::said::{has_key, has_tool, has_verdict};
use super::{Expression, Filter, Needs, Query};
use crate::event::Position;
use crate::explain::decisions;
use crate::replay::Session;
use crate::replay::outline::Mark;

/// Returns whether the event at `at` matches, where its mark tells so that it needn't be read; `None` where it doesn't,
/// and for queries that need every event for what holds after it.
pub(super) fn by_mark(query: &Query, session: &Session, at: Position) -> Option<bool> {
    match query.needs {
        Needs::Event => marked(&query.root, session, at, session.mark(at)?),
        Needs::State | Needs::Decisions | Needs::Offers => None,
    }
}

fn marked(expression: &Expression, session: &Session, at: Position, mark: Mark) -> Option<bool> {
    let part = |part| marked(part, session, at, mark);
    let unless = |may_hold: bool| if may_hold { None } else { Some(false) };
    match expression {
        Expression::Not(negated) => part(negated).map(|holds| !holds),
        Expression::And(parts) => all(parts.iter().map(part)),
        Expression::Or(parts) => all(parts.iter().map(|one| part(one).map(|holds| !holds))).map(|none| !none),
        Expression::Filter(filter) => match filter {
            Filter::Kind(patterns) => {
                let is_call = || any(patterns, MODEL_CALL) && decisions::is_call(session, at);
                Some(any(patterns, mark.tag().word()) || is_call())
            }
            Filter::At(spans) => Some(spans.iter().any(|span| span.contains(at.0))),
            Filter::Key(_) => unless(has_key(mark.tag())),
            Filter::Tool(_) => unless(has_tool(mark.tag())),
            Filter::Verdict(_) => unless(has_verdict(mark.tag())),
            Filter::Skill(_) | Filter::Active(_) | Filter::Actor(_) | Filter::Turn(_) | Filter::Text(_) => None,
        },
        Expression::State(_) | Expression::Changed(_) | Expression::Read(_) | Expression::Denied(_) => None,
    }
}

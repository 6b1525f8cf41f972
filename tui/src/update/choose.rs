//! The list of sessions: its cursor, and the session that is opened.

use super::{leave, resume};
use crate::action::Action;
use crate::app::{App, Message};
use crate::rows::Direction;
use crate::sessions::List;
use crate::theme::Tone;

/// Does what an action means there.
pub(super) fn choose(app: &mut App, action: Action) {
    let count = app.count.unwrap_or(1);
    let page = usize::from(app.area.height).saturating_sub(4).max(1);
    let Some(List { rows, cursor, open: opener }) = &mut app.list else { return };
    let last = rows.len().saturating_sub(1);
    let (direction, distance) = match action {
        Action::Line(direction) | Action::Step(direction) => (direction, count),
        Action::HalfPage(direction) => (direction, page / 2),
        Action::Page(direction) => (direction, page),
        Action::Start => (Direction::Back, last),
        Action::End => (Direction::Forward, last),
        Action::Open => {
            let Some(row) = rows.get(*cursor) else { return };
            match opener(row) {
                Ok(session) => {
                    app.opened.chosen = Some(row.id.clone());
                    leave(app);
                    resume(app, session);
                }
                Err(words) => app.message = Some(Message { text: words, tone: Tone::Bad }),
            }
            return;
        }
        _ => return,
    };
    *cursor = match direction {
        Direction::Forward => cursor.saturating_add(distance).min(last),
        Direction::Back => cursor.saturating_sub(distance),
    };
}

//! From `--at` and `--turn` to a position of a session.

use replay_store::event::Position;
use replay_store::replay::Session;

use crate::arguments::{At, Place};
use crate::compared::Moment;
use crate::failure::Failure;

/// Returns the position that is asked for; the end where none is.
pub(crate) fn position(session: &Session, place: &Place) -> Result<Position, Failure> {
    match (place.at, place.turn) {
        (Some(at), _) => position_at(session, at),
        (None, Some(turn)) => match session.turn(turn) {
            Some(turn) => Ok(turn.last),
            None => Err(no_turn(session, turn)),
        },
        (None, None) => Ok(session.end()),
    }
}

/// Returns the position of `--at`.
pub(crate) fn position_at(session: &Session, at: At) -> Result<Position, Failure> {
    match at {
        At::Position(position) if position <= session.end().0 => Ok(Position(position)),
        At::Position(position) => Err(Failure::OutOfRange {
            asked: format!("--at {position}"),
            have: format!("the positions 0 to {}", session.end()),
        }),
        At::Raw(index) => session.position_of_raw(index).ok_or_else(|| Failure::OutOfRange {
            asked: format!("--at raw:{index}"),
            have: match session.raw.count() {
                0 => "no raw records".to_owned(),
                count => format!("the raw records 0 to {}", count - 1),
            },
        }),
    }
}

/// Returns the position of a moment that `diff` compares.
pub(crate) fn moment(session: &Session, moment: Moment) -> Result<Position, Failure> {
    match moment {
        Moment::At(at) => position_at(session, at),
        Moment::Turn(turn) => session.turn(turn).map(|turn| turn.last).ok_or_else(|| no_turn(session, turn)),
    }
}

/// Returns the failure of a turn that isn't there.
pub(crate) fn no_turn(session: &Session, asked: u32) -> Failure {
    let have = match session.turns.last() {
        Some(last) => format!("the turns 1 to {}", last.number),
        None => "no turns".to_owned(),
    };
    Failure::OutOfRange { asked: format!("--turn {asked}"), have }
}

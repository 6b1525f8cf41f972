//! Checks what the log keeps of a fold: checkpoints and outline are caches, and must be what the payloads give.

use super::error::{Damage, LogError, Place};
use super::outline::{self, OUTLINE_LEN, OutlineRow};
use super::segment::{Kind, Segment};
use super::session::Session;
use super::view::View;
use super::{Fold, NewFold, OUTLINE, Part};

/// Folds a session whose payloads are whole, and returns what of the caches isn't what comes of it.
///
/// # Errors
///
/// Fails where the file can't be read, or a payload is none after all.
pub(super) fn check(view: &View<'_>, session: &Session, new_fold: NewFold) -> Result<Vec<Damage>, LogError> {
    let place = Place::Session(session.id.clone());
    let rows = match outline::rows(view.path, &view.table(OUTLINE, &place)?, session) {
        Ok(rows) => rows,
        Err(LogError::Damaged { damage, .. }) => return Ok(vec![damage]),
        Err(other) => return Err(other),
    };
    let mut check =
        Check { fold: new_fold(), session, rows: rows.iter(), next: None, at: 0, last: 0, damage: Vec::new() };
    check.next = check.rows.next();
    let mut buffer = Vec::new();
    view.segments(Kind::Events, session, 0..session.event_count, |segment| {
        check.checkpoint(segment);
        check.last = segment.first;
        let all = segment.first..segment.end();
        view.items((Kind::Events, session), (segment, &all), &mut buffer, &mut |_, payload| check.apply(payload))
    })?;
    check.end(rows.last());
    Ok(check.damage)
}

struct Check<'a> {
    fold: Box<dyn Fold + Send>,
    session: &'a Session,
    rows: std::slice::Iter<'a, OutlineRow>,
    next: Option<&'a OutlineRow>,
    at: u64,
    /// Where the last segment begins.
    last: u64,
    damage: Vec<Damage>,
}

impl Check<'_> {
    fn checkpoint(&mut self, segment: &Segment<'_>) {
        if segment.has_checkpoint() && segment.checkpoint() != Some(self.fold.save()) {
            let place = Place::Events(self.session.id.clone(), segment.first..segment.end());
            let what = "the state that is kept in front of them isn't the one that the events before give".to_owned();
            self.damage.push(Damage { place, what });
        }
    }

    fn apply(&mut self, payload: &[u8]) -> Result<(), String> {
        self.outline();
        self.fold.apply(payload)?;
        self.at += 1;
        Ok(())
    }

    /// Checks the parts of the outline that end here.
    fn outline(&mut self) {
        while let Some(row) = self.next.filter(|row| row.end() == self.at) {
            let part = if u64::from(row.count) == OUTLINE_LEN { Part::Full } else { Part::Open };
            if self.fold.outline(part) != row.bytes {
                let place = Place::Session(self.session.id.clone());
                let what = format!("its outline of the events {} to {} isn't what they give", row.first + 1, row.end());
                self.damage.push(Damage { place, what });
            }
            if part == Part::Full {
                self.fold.begin_part();
            }
            self.next = self.rows.next();
        }
    }

    fn end(&mut self, last: Option<&OutlineRow>) {
        self.outline();
        let has_outline = !self.fold.outline(Part::Full).is_empty();
        if has_outline && last.map_or(0, OutlineRow::end) != self.last {
            let place = Place::Session(self.session.id.clone());
            self.damage.push(Damage { place, what: "its outline doesn't reach to the last segment".to_owned() });
        }
    }
}

//! Where the user was in each session when the debugger was left: `positions`, below `~/.local/state/replay`.
//!
//! JSON Lines, the newest last. It is a convenience: where it can't be read or written, nothing is remembered, and
//! nobody is bothered with it.

use std::collections::VecDeque;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;

use replay_store::event::Position;
use replay_tui::app::Visits;
use serde::{Deserialize, Serialize};

use crate::state;
use crate::target::Place;

/// Positions that are kept; older ones are forgotten.
const KEPT: usize = 500;

/// What is remembered of the sessions of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Positions {
    file: PathBuf,
    /// The record, by its path without links.
    record: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Row {
    record: String,
    session: String,
    position: u64,
}

impl Positions {
    /// Returns where the positions in a record are remembered; `None` for stdin, and where no home is known.
    pub(crate) fn of(place: &Place) -> Option<Positions> {
        Positions::of_with(place, &|name| env::var_os(name))
    }

    fn of_with(place: &Place, variable: &dyn Fn(&str) -> Option<OsString>) -> Option<Positions> {
        let Place::File(path) = place else { return None };
        let record = fs::canonicalize(path).ok()?.to_str()?.to_owned();
        Some(Positions { file: state::path("positions", variable)?, record })
    }

    /// Returns the positions by session.
    pub(crate) fn read(&self) -> Visits {
        let rows = self.rows().into_iter().filter(|row| row.record == self.record);
        rows.map(|row| (row.session, Position(row.position))).collect()
    }

    /// Remembers positions; the start needs no remembering.
    pub(crate) fn keep(&self, visits: &Visits) {
        let before = self.read();
        let mut rows = self.rows();
        for (session, at) in visits.iter().filter(|(session, at)| before.get(*session) != Some(*at)) {
            rows.retain(|row| (&row.record, &row.session) != (&self.record, session));
            if at.0 > 0 {
                rows.push_back(Row { record: self.record.clone(), session: session.clone(), position: at.0 });
            }
        }
        while rows.len() > KEPT {
            rows.pop_front();
        }
        if rows != self.rows() {
            // What can't be kept is forgotten.
            let _ = self.write(&rows);
        }
    }

    /// A line that can't be read holds nothing.
    fn rows(&self) -> VecDeque<Row> {
        state::read(&self.file).lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    fn write(&self, rows: &VecDeque<Row>) -> io::Result<()> {
        let mut text = String::new();
        for row in rows {
            text.push_str(&serde_json::to_string(row)?);
            text.push('\n');
        }
        state::replace(&self.file, &text)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::*;

    fn positions(home: &Path, record: &str) -> Positions {
        Positions { file: home.join("state/replay/positions"), record: record.to_owned() }
    }

    fn visits(pairs: &[(&str, u64)]) -> Visits {
        pairs.iter().map(|(session, at)| ((*session).to_owned(), Position(*at))).collect()
    }

    #[test]
    fn positions_are_kept_by_record_and_session() {
        let home = tempfile::tempdir().expect("a folder can be made");
        let (one, other) = (positions(home.path(), "/one"), positions(home.path(), "/other"));
        one.keep(&visits(&[("a", 12), ("b", 3)]));
        other.keep(&visits(&[("a", 7)]));
        one.keep(&visits(&[("b", 0)]));
        assert_eq!(one.read(), visits(&[("a", 12)]));
        assert_eq!(other.read(), visits(&[("a", 7)]));
        let mode = fs::metadata(&one.file).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let files = fs::read_dir(home.path().join("state/replay")).expect("it is there").count();
        assert_eq!(files, 1, "nothing is left beside it");
    }

    #[test]
    fn the_newest_are_kept() {
        let home = tempfile::tempdir().expect("a folder can be made");
        let one = positions(home.path(), "/one");
        let all: Vec<String> = (0..KEPT).map(|number| format!("{number:04}")).collect();
        one.keep(&all.iter().map(|session| (session.clone(), Position(1))).collect());
        one.keep(&visits(&[("0000", 2), ("new", 5)]));
        let read = one.read();
        assert_eq!(read.len(), KEPT);
        assert_eq!(
            (read.get("0000"), read.get("0001"), read.get("new")),
            (Some(&Position(2)), None, Some(&Position(5)))
        );
    }

    #[test]
    fn what_cannot_be_read_or_written_is_no_trouble() {
        let home = tempfile::tempdir().expect("a folder can be made");
        let one = positions(home.path(), "/one");
        assert!(one.read().is_empty());
        one.keep(&visits(&[("a", 12)]));
        let good = fs::read_to_string(&one.file).expect("it is there");
        fs::write(&one.file, format!("nonsense\n{{\"record\":1}}\n{good}")).expect("it can be written");
        assert_eq!(one.read(), visits(&[("a", 12)]));
        fs::write(&one.file, b"\xff\xfe").expect("it can be written");
        assert!(one.read().is_empty());
        let nowhere = Positions { file: PathBuf::from("/dev/null/replay/positions"), record: "/one".to_owned() };
        nowhere.keep(&visits(&[("a", 12)]));
        assert!(nowhere.read().is_empty());
    }

    #[test]
    fn the_file_stands_where_others_stand() {
        let home = tempfile::tempdir().expect("a folder can be made");
        let record = Place::File(home.path().to_owned());
        let of = |place: &Place, pairs: &'static [(&str, &str)]| {
            let value = |name: &str| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
            Positions::of_with(place, &value).map(|positions| positions.file)
        };
        assert_eq!(of(&record, &[("HOME", "/h")]), Some(PathBuf::from("/h/.local/state/replay/positions")));
        let both = of(&record, &[("HOME", "/h"), ("XDG_STATE_HOME", "/s")]);
        assert_eq!(both, Some(PathBuf::from("/s/replay/positions")));
        assert_eq!(of(&record, &[]), None);
        assert_eq!(of(&Place::Stdin, &[("HOME", "/h")]), None);
    }
}

//! Filters that the user gave names: `filters` beside the positions. JSON Lines, in the order of their names.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;

use replay_store::fault;
use replay_tui::app::{FilterShelf, Filters};
use replay_tui::index::query_or_text;
use serde::{Deserialize, Serialize};

use crate::state;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Row {
    name: String,
    filter: String,
}

/// Returns where named filters are kept; `None` where no home is known.
pub(crate) fn shelf() -> Option<FilterShelf> {
    state::path("filters", &|name| env::var_os(name)).map(shelf_at)
}

fn shelf_at(path: PathBuf) -> FilterShelf {
    let file = path.clone();
    FilterShelf {
        read: Box::new(move || read(&file)),
        // The file is read again, because another debugger may have changed it meanwhile.
        keep: Box::new(move |name, filter| {
            let mut filters = read(&path);
            match filter {
                Some(filter) => filters.insert(name.to_owned(), filter.to_owned()),
                None => filters.remove(name),
            };
            let rows = filters.iter().map(|(name, filter)| Row { name: name.clone(), filter: filter.clone() });
            let lines: Result<String, _> =
                rows.map(|row| serde_json::to_string(&row).map(|line| line + "\n")).collect();
            let written = lines.map_err(std::io::Error::from).and_then(|text| state::replace(&path, &text));
            match written {
                Ok(()) => Ok(filters),
                Err(error) => Err(format!("{} can't be written: {}", path.display(), fault::words(&error))),
            }
        }),
    }
}

/// A line that can't be read holds nothing, and neither does a filter that is none.
fn read(path: &std::path::Path) -> Filters {
    let text = state::read(path);
    let rows = text.lines().filter_map(|line| serde_json::from_str::<Row>(line).ok());
    let good = rows.filter(|row| query_or_text(&row.filter).is_ok());
    good.map(|row| (row.name, row.filter)).collect::<BTreeMap<_, _>>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_kept_replaced_and_taken_away() {
        let home = tempfile::tempdir().expect("a folder can be made");
        let path = home.path().join("state/filters");
        let (one, other) = (shelf_at(path.clone()), shelf_at(path.clone()));
        assert!((one.read)().is_empty());
        (one.keep)("refused", Some("verdict:refused")).expect("it can be written");
        let both = (other.keep)("a text", Some("two words")).expect("it can be written");
        assert_eq!(both.len(), 2, "what another debugger kept stays");
        (one.keep)("refused", Some("verdict:denied")).expect("it can be written");
        (one.keep)("a text", None).expect("it can be written");
        let expected = BTreeMap::from([("refused".to_owned(), "verdict:denied".to_owned())]);
        assert_eq!((other.read)(), expected);

        std::fs::write(&path, "nonsense\n{\"name\":\"bad\",\"filter\":\"knd:x\"}\n").expect("it can be written");
        assert!((one.read)().is_empty(), "what is no filter is left out");
    }

    #[test]
    fn what_cannot_be_written_is_said() {
        let shelf = shelf_at(PathBuf::from("/dev/null/filters"));
        let words = (shelf.keep)("a", Some("b")).expect_err("nothing can be written there");
        assert!(words.starts_with("/dev/null/filters can't be written: "), "{words}");
    }
}

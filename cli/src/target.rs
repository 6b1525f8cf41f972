//! Which session is meant by `FILE`, `FILE#SESSION-ID` or `-`.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

/// Where a session is, and which one if that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Where to read.
    pub(crate) place: Place,
    /// The session, by its id.
    pub(crate) id: Option<String>,
}

/// Where to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl Target {
    /// Reads what the user wrote. A path that exists wins; otherwise the last `#` parts path and id.
    pub(crate) fn parse(text: &OsStr) -> Target {
        Target::parse_with(text, |path| path.exists())
    }

    fn parse_with(text: &OsStr, exists: impl Fn(&Path) -> bool) -> Target {
        let whole = Target { place: place(text), id: None };
        if whole.place == Place::Stdin || exists(Path::new(text)) {
            return whole;
        }
        match text.to_str().and_then(|text| text.rsplit_once('#')) {
            Some((path, id)) if !path.is_empty() => {
                Target { place: place(&OsString::from(path)), id: Some(id.to_owned()) }
            }
            Some(_) | None => whole,
        }
    }
}

fn place(text: &OsStr) -> Place {
    if text == "-" { Place::Stdin } else { Place::File(PathBuf::from(text)) }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Stdin => f.write_str("-"),
            Place::File(path) => fmt::Display::fmt(&path.display(), f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, existing: &[&str], place: &str, id: Option<&str>) {
        let target = Target::parse_with(OsStr::new(text), |path| existing.iter().any(|known| Path::new(known) == path));
        assert_eq!((target.place.to_string().as_str(), target.id.as_deref()), (place, id), "{text}");
    }

    #[test]
    fn an_existing_path_wins_over_an_id() {
        check("a.log", &["a.log"], "a.log", None);
        check("a.log#7", &["a.log"], "a.log", Some("7"));
        check("a#b.log", &["a#b.log"], "a#b.log", None);
        check("a#b.log#7", &["a#b.log"], "a#b.log", Some("7"));
        check("missing", &[], "missing", None);
        check("-", &[], "-", None);
        check("-#7", &[], "-", Some("7"));
        check("#7", &[], "#7", None);
        check("a.log#", &["a.log"], "a.log", Some(""));
    }
}

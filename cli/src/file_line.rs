//! A line of the agent folder as people name it.

use std::fmt;
use std::str::FromStr;

/// A line of the agent folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileLine {
    /// The file, below the folder.
    pub(crate) file: String,
    /// The line, from 1.
    pub(crate) line: u32,
}

impl FromStr for FileLine {
    type Err = String;

    /// Takes `FILE:LINE`, and `FILE:LINE:COLUMN` as diagnostics have it.
    fn from_str(text: &str) -> Result<FileLine, String> {
        let numbered = |text: &str| {
            let (file, line) = text.rsplit_once(':')?;
            Some((file.to_owned(), line.parse().ok()?))
        };
        let short = text.rsplit_once(':').filter(|(_, column)| column.parse::<u32>().is_ok());
        let found = short.and_then(|(short, _)| numbered(short)).or_else(|| numbered(text));
        let (file, line) = found.filter(|(file, _)| !file.is_empty()).ok_or_else(|| {
            format!("{text:?} is no line of the agent folder; give its path below the folder, a colon and the number")
        })?;
        Ok(FileLine { file, line })
    }
}

impl fmt::Display for FileLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

//! Reads an agent folder from disk: the one place of the crate that opens files of authors.
//!
//! Only what memory or the prompt depends on is read (section 1.2). Links are followed while they stay inside the
//! folder. Of `integrations.yml` the key names are kept, of tool code the declarations, of a reference the digest;
//! `.env` is never opened. What can't be read is a diagnostic, and the rest is still read.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::definition::Definition;
use super::text::FileText;
use super::tool_files::outline;
use super::yaml;
use crate::diagnostic::{Diagnostic, Place, code};
use crate::digest::Digest;
use crate::fault;
use crate::name::Name;

/// A file is read up to this size.
const FILE_LIMIT: usize = 1 << 20;
/// Of a folder at most this many files are read, and this many bytes are kept. People's folders hold some kilobytes.
const FILE_COUNT_LIMIT: usize = 10_000;
const SIZE_LIMIT: usize = 4 << 20;
/// Folders of references nest at most this deep.
const DEPTH_LIMIT: usize = 16;
/// A misplaced `skill.md` is looked for this many folders below its skill.
const NESTED_DEPTH: usize = 3;
/// A reference is digested up to this size.
const REFERENCE_LIMIT: u64 = 64 << 20;

/// A folder that can't be read at all.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The path can't be opened, or is no folder.
    #[error("can't read the agent folder {}", path.display())]
    Folder {
        /// The path.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Nothing in the folder belongs to an agent.
    #[error("{} is no agent folder: it has no agent.yml, no memory.yml and no skills", path.display())]
    Empty {
        /// The path.
        path: PathBuf,
    },
}

/// Reads an agent folder. The diagnostics tell of files that couldn't be read.
///
/// # Errors
///
/// Fails where the path is no folder, or nothing in it belongs to an agent.
pub fn read(path: &Path) -> Result<(Definition, Vec<Diagnostic>), SourceError> {
    let folder = |source| SourceError::Folder { path: path.to_owned(), source };
    let root = path.canonicalize().map_err(folder)?;
    fs::read_dir(&root).map_err(folder)?;
    let mut reader = Reader::of(root);
    for file in ["agent.yml", "memory.yml", "responses.yml"] {
        reader.take(file, Keep::Whole);
    }
    reader.take("integrations.yml", Keep::Keys);
    reader.take("endpoints.yml", Keep::Presence);
    reader.take("hooks.py", Keep::Declarations);
    reader.take_python("hooks");
    reader.take_place("");
    for skill in reader.list("skills") {
        for file in ["skill.md", "memory.yml", "responses.yml"] {
            reader.take(&format!("skills/{skill}/{file}"), Keep::Whole);
        }
        reader.take_place(&format!("skills/{skill}/"));
        reader.look_for_nested(&format!("skills/{skill}"), 0);
    }
    if reader.root.join("skills/skill.md").is_file() {
        reader.report_nested("skills/skill.md");
    }
    if reader.definition.files.is_empty() && reader.diagnostics.is_empty() {
        return Err(SourceError::Empty { path: path.to_owned() });
    }
    Ok((reader.definition, reader.diagnostics))
}

/// Tool code as it stands on disk. A definition keeps outlines, in which lines and columns are the same and bytes aren't.
pub struct ToolCode {
    reader: Option<Reader>,
    /// The file that was read last, where it can be read.
    last: Option<(Name, Option<String>)>,
}

impl ToolCode {
    /// Returns the tool code of a folder; none where it can't be read.
    pub fn of(folder: &Path) -> ToolCode {
        let reader = folder.canonicalize().ok().map(Reader::of);
        ToolCode { reader, last: None }
    }

    /// Returns the text of a file, with the bytes of a place in it; `None` for a file that isn't tool code.
    pub fn at(&mut self, at: &Place) -> Option<(&str, Place)> {
        let reader = self.reader.as_mut().filter(|_| at.file.ends_with(".py"))?;
        if self.last.as_ref().is_none_or(|(file, _)| *file != at.file) {
            let bytes = reader.inside(&at.file).and_then(|full| reader.bytes(&at.file, &full).ok()?);
            self.last = Some((at.file.clone(), bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())));
        }
        let text = self.last.as_ref()?.1.as_deref()?;
        let line_start: usize = text.split_inclusive('\n').take(at.line as usize - 1).map(str::len).sum();
        let line = text.get(line_start..)?.lines().next()?;
        let (offset, _) = line.char_indices().nth(at.column as usize - 1)?;
        let start = line_start + offset;
        let end = (start + (at.end - at.start) as usize).min(line_start + line.len());
        text.get(start..end)?;
        let place = Place { start: start as u32, end: end as u32, ..at.clone() };
        Some((text, place))
    }
}

/// Returns `integrations.yml` as it stands on disk, for the check of its values; nowhere else are they looked at.
pub(super) fn integrations(folder: &Path) -> Option<Vec<u8>> {
    let root = folder.canonicalize().ok()?;
    let mut reader = Reader::of(root);
    let full = reader.inside("integrations.yml")?;
    reader.bytes("integrations.yml", &full).ok()?
}

/// What is kept of a file.
#[derive(Clone, Copy)]
enum Keep {
    Whole,
    Keys,
    Declarations,
    Digest,
    Presence,
}

struct Reader {
    /// The folder, without links.
    root: PathBuf,
    definition: Definition,
    diagnostics: Vec<Diagnostic>,
    /// The bytes that were taken.
    size: usize,
}

impl Reader {
    fn of(root: PathBuf) -> Reader {
        Reader { root, definition: Definition::default(), diagnostics: Vec::new(), size: 0 }
    }

    /// Takes tools and references of the root (`""`) or of a skill (`skills/<id>/`).
    fn take_place(&mut self, prefix: &str) {
        self.take(&format!("{prefix}tools.py"), Keep::Declarations);
        self.take_python(&format!("{prefix}tools"));
        self.take_references(&format!("{prefix}references"), 0);
    }

    fn take_python(&mut self, folder: &str) {
        for name in self.list(folder) {
            if name.ends_with(".py") {
                self.take(&format!("{folder}/{name}"), Keep::Declarations);
            }
        }
    }

    fn take_references(&mut self, folder: &str, depth: usize) {
        if depth == DEPTH_LIMIT {
            self.report(code::TOO_LARGE, folder, "the folder nests too deep and is not read");
            return;
        }
        for name in self.list(folder) {
            let path = format!("{folder}/{name}");
            if self.root.join(&path).is_dir() {
                // A link could lead in a circle; folders of references are real ones.
                if !self.root.join(&path).is_symlink() {
                    self.take_references(&path, depth + 1);
                }
            } else if name.ends_with(".md") {
                self.take(&path, Keep::Digest);
            }
        }
    }

    /// Looks for a `skill.md` below the folder of a skill, where no skill is looked for (M3).
    fn look_for_nested(&mut self, folder: &str, depth: usize) {
        if depth == NESTED_DEPTH {
            return;
        }
        for name in self.list(folder) {
            let path = format!("{folder}/{name}");
            let full = self.root.join(&path);
            if !full.is_dir() || full.is_symlink() || name == "references" {
                continue;
            }
            if full.join("skill.md").is_file() {
                self.report_nested(&format!("{path}/skill.md"));
            }
            self.look_for_nested(&path, depth + 1);
        }
    }

    fn report_nested(&mut self, path: &str) {
        let at = Place { file: Name::from(path), line: 1, column: 1, start: 0, end: 0 };
        let message = "a skill stands in skills/<id>/skill.md; this one is never read";
        let diagnostic = Diagnostic::warning(code::SKILL_NESTED, at, message);
        self.diagnostics.push(diagnostic.help("move its folder up into `skills`"));
    }

    /// Lists a folder in order of names, without hidden ones; nothing where it doesn't exist.
    fn list(&mut self, folder: &str) -> Vec<String> {
        let Some(path) = self.inside(folder) else { return Vec::new() };
        let listed = match fs::read_dir(&path) {
            Ok(listed) => listed,
            Err(error) if is_absent(&error) => return Vec::new(),
            Err(error) => {
                self.report(code::UNREADABLE, folder, &format!("the folder can't be listed: {}", fault::words(&error)));
                return Vec::new();
            }
        };
        let mut names = Vec::new();
        for name in listed.filter_map(Result::ok).map(|entry| entry.file_name().into_string()) {
            match name {
                Ok(name) if name.starts_with('.') => {}
                Ok(name) => names.push(name),
                Err(name) => {
                    let path = format!("{folder}/{}", name.to_string_lossy());
                    self.report(code::UNREADABLE, &path, "the name isn't UTF-8, so it is not read");
                }
            }
        }
        names.sort_unstable();
        names
    }

    fn take(&mut self, path: &str, keep: Keep) {
        let Some(full) = self.inside(path) else { return };
        if self.definition.files.len() >= FILE_COUNT_LIMIT {
            if self.diagnostics.last().is_none_or(|last| last.code != code::TOO_LARGE) {
                self.report(code::TOO_LARGE, path, "the folder has too many files; the rest is not read");
            }
            return;
        }
        let kept = match keep {
            Keep::Digest => self.digest(&full),
            Keep::Presence => fs::metadata(&full).map(|_| Some(Vec::new())),
            Keep::Whole | Keep::Keys | Keep::Declarations => self.bytes(path, &full).map(|bytes| {
                bytes.map(|bytes| match keep {
                    Keep::Whole | Keep::Digest | Keep::Presence => bytes,
                    Keep::Keys => keys(&bytes).into_bytes(),
                    Keep::Declarations => outline(&String::from_utf8_lossy(&bytes)).into_bytes(),
                })
            }),
        };
        match kept {
            Ok(Some(bytes)) if self.size + bytes.len() > SIZE_LIMIT => {
                let message = format!("the folder holds more than {SIZE_LIMIT} bytes; this file is not read");
                self.report(code::TOO_LARGE, path, &message);
            }
            Ok(Some(bytes)) => {
                self.size += bytes.len();
                self.definition.files.insert(Name::from(path), Arc::from(bytes));
            }
            Ok(None) => {}
            Err(error) if is_absent(&error) => {}
            Err(error) => {
                self.report(code::UNREADABLE, path, &format!("the file can't be read: {}", fault::words(&error)))
            }
        }
    }

    /// Reads a file up to the limit; `None` where it is larger, which is reported.
    fn bytes(&mut self, path: &str, full: &Path) -> io::Result<Option<Vec<u8>>> {
        // A pipe or a device would block or never end.
        if !fs::metadata(full)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
        }
        let mut bytes = Vec::new();
        fs::File::open(full)?.take(FILE_LIMIT as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > FILE_LIMIT {
            self.report(code::TOO_LARGE, path, &format!("the file is larger than {FILE_LIMIT} bytes and is not read"));
            return Ok(None);
        }
        Ok(Some(bytes))
    }

    /// Returns the digest of a reference; `None` for a blank one, which the engine skips (M293).
    fn digest(&self, full: &Path) -> io::Result<Option<Vec<u8>>> {
        if !fs::metadata(full)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
        }
        let mut bytes = Vec::new();
        fs::File::open(full)?.take(REFERENCE_LIMIT).read_to_end(&mut bytes)?;
        let is_blank = bytes.trim_ascii().is_empty();
        Ok((!is_blank).then(|| format!("{}\n", Digest::of(&bytes)).into_bytes()))
    }

    /// Returns the full path of a file or folder, without links; `None` where it doesn't exist or lies outside of the
    /// folder, which is reported.
    fn inside(&mut self, path: &str) -> Option<PathBuf> {
        match self.root.join(path).canonicalize() {
            Ok(full) if full.starts_with(&self.root) => Some(full),
            Ok(_) => {
                self.report(code::OUTSIDE, path, "the link leads out of the folder and is not followed");
                None
            }
            Err(error) if is_absent(&error) => None,
            Err(error) => {
                self.report(code::UNREADABLE, path, &format!("the path can't be followed: {}", fault::words(&error)));
                None
            }
        }
    }

    fn report(&mut self, code: &'static str, path: &str, message: &str) {
        let at = Place { file: Name::from(path), line: 1, column: 1, start: 0, end: 0 };
        self.diagnostics.push(Diagnostic::error(code, at, message));
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns the key names of `integrations.yml`, two levels deep, and the names of MCP servers and model groups, each in
/// its line. Values may be secrets and are dropped.
fn keys(bytes: &[u8]) -> String {
    let file = FileText::new(Name::from("integrations.yml"), bytes, &mut Vec::new());
    let root = yaml::read(&file, file.content(), &mut Vec::new());
    let mut kept = Kept::default();
    for pair in root.pairs() {
        kept.put(pair.key_at.line, 0, &format!("{}:", quoted(&pair.key)));
        let named = match pair.key.as_str() {
            "mcp_servers" => "name",
            "model_groups" => "id",
            _ => "",
        };
        for item in pair.value.items() {
            if let Some(name) = item.pair(named)
                && let Some(text) = name.value.as_text()
            {
                kept.put(name.key_at.line, 2, &format!("- {named}: {}", quoted(text)));
            }
        }
        for inner in pair.value.pairs() {
            kept.put(inner.key_at.line, 2, &format!("{}:", quoted(&inner.key)));
        }
    }
    kept.text
}

/// What is kept of a file, each piece in its line or as soon after it as there is room.
#[derive(Default)]
struct Kept {
    text: String,
    lines: u32,
}

impl Kept {
    fn put(&mut self, line: u32, indent: usize, piece: &str) {
        while self.lines + 1 < line {
            self.text.push('\n');
            self.lines += 1;
        }
        self.text.push_str(&" ".repeat(indent));
        self.text.push_str(piece);
        self.text.push('\n');
        self.lines += 1;
    }
}

fn quoted(word: &str) -> String {
    let is_plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        && word.starts_with(|c: char| c.is_ascii_alphabetic());
    if is_plain { word.to_owned() } else { serde_json::to_string(word).expect("a text is JSON") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_key_names_of_integrations_are_kept_each_in_its_line() {
        let text = "llm: {model_group: main}\n# sk-0\nmodel_groups:\n  - id: main\n    api_key: sk-123\nmcp_servers:\n  - name: bank.one\n    token: t0k\n";
        assert_eq!(
            keys(text.as_bytes()),
            "llm:\n  model_group:\nmodel_groups:\n  - id: main\n\nmcp_servers:\n  - name: \"bank.one\"\n"
        );
    }
}

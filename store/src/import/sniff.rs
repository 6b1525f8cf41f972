//! What a file is, told from its first bytes.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use memchr::memmem;

use super::weight::TEXT_LEN_MAX;
use super::{ImportError, scan};

/// The first bytes of a log's database.
const LOG_MAGIC: &[u8] = b"redb\x1a\x0a\xa9\x0d\x0a";
/// The first bytes of a file packed with gzip.
pub(super) const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
/// The schema that the header line of our own JSON Lines names.
pub(super) const OWN_SCHEMA: &str = "replay.session/1";

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A log.
    Log,
    /// A tracker dump of the Mantle engine: one object with flat or ProtoJSON events, or both.
    MantleDump,
    /// A tracker dump or a stored dialogue of the classic engine.
    ClassicDump,
    /// A list of events.
    List,
    /// Events, one a line: a broker file.
    Lines,
    /// Our own JSON Lines.
    OwnLines,
    /// The same lines as one JSON array.
    OwnList,
}

/// Tells what a file is. A beginning of some kilobytes is enough; it must be unpacked.
///
/// # Errors
///
/// Fails with what was found where that is none of the forms.
pub fn sniff(bytes: &[u8], file_name: &str) -> Result<Shape, ImportError> {
    if bytes.starts_with(LOG_MAGIC) {
        return Ok(Shape::Log);
    }
    let unknown = |found: &str| ImportError::Unknown { file: file_name.to_owned(), found: found.to_owned() };
    let at = start(bytes);
    match bytes.get(at) {
        None => Err(unknown("the file is empty")),
        Some(b'[') => {
            let first = scan::skip_blank(bytes, at + 1);
            match bytes.get(first) {
                Some(b'{') if object(bytes, first) == Some(Shape::OwnLines) => Ok(Shape::OwnList),
                Some(b'{' | b']') | None => Ok(Shape::List),
                Some(_) => Err(unknown("a list of something else than events")),
            }
        }
        Some(b'{') => object(bytes, at).ok_or_else(|| unknown(&foreign_object(bytes, at))),
        Some(_)
            if std::str::from_utf8(&bytes[..bytes.len().min(64)]).is_err_and(|error| error.error_len().is_some()) =>
        {
            Err(unknown("binary data"))
        }
        Some(_) => Err(unknown("text that isn't JSON")),
    }
}

/// Returns where the first value begins, behind blanks and a byte order mark.
pub(super) fn start(bytes: &[u8]) -> usize {
    let mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    scan::skip_blank(bytes, mark)
}

/// Tells what an object is by the keys of its top level, as many as there are.
fn object(bytes: &[u8], at: usize) -> Option<Shape> {
    let mut is_known = false;
    for (key, value) in keys(bytes, at) {
        match key.as_str() {
            "schema" if bytes[value..].starts_with(format!("\"{OWN_SCHEMA}\"").as_bytes()) => {
                return Some(Shape::OwnLines);
            }
            "event" => return Some(Shape::Lines),
            "events" if bytes.get(value) == Some(&b'[') => return Some(dump_of(bytes)),
            key if super::fields::is_payload(key) && bytes.get(value) == Some(&b'{') => return Some(Shape::Lines),
            // A cut file may not reach its events; these keys stand in dumps alone.
            "slots" | "latest_message" | "latest_event_time" | "paused" => is_known = true,
            _ => {}
        }
    }
    is_known.then(|| dump_of(bytes))
}

/// Tells the engines of dumps apart by what only one of them writes.
fn dump_of(bytes: &[u8]) -> Shape {
    let beginning = &bytes[..bytes.len().min(1 << 16)];
    let marks: [&[u8]; 5] = [b"\"skill_", b"\"memory_", b"\"bot_turn_ended\"", b"\"ordered_block_", b"mantle_"];
    let marked = marks.iter().any(|mark| memmem::find(beginning, mark).is_some());
    let before_events = keys(bytes, start(bytes)).take_while(|(key, _)| key != "events");
    if marked || before_events.into_iter().any(|(key, _)| key == "terminated") {
        Shape::MantleDump
    } else {
        Shape::ClassicDump
    }
}

/// Yields the keys of the object at `at`, each with the place of its value, as far as the bytes go. A value is passed
/// over only when the next key is asked for: it may be as long as the file.
fn keys(bytes: &[u8], at: usize) -> impl Iterator<Item = (String, usize)> {
    let mut at = at + 1;
    let mut value = None;
    std::iter::from_fn(move || {
        if let Some(value) = value {
            at = scan::value_end(bytes, value)?;
        }
        at = scan::skip_blank(bytes, at);
        if bytes.get(at) == Some(&b',') {
            at = scan::skip_blank(bytes, at + 1);
        }
        let end = if bytes.get(at) == Some(&b'"') { scan::text_end(bytes, at)? } else { return None };
        let key = serde_json::from_slice(&bytes[at..end]).ok()?;
        let colon = scan::skip_blank(bytes, end);
        let place = if bytes.get(colon) == Some(&b':') { scan::skip_blank(bytes, colon + 1) } else { return None };
        value = Some(place);
        Some((key, place))
    })
}

fn foreign_object(bytes: &[u8], at: usize) -> String {
    let names: Vec<String> = keys(bytes, at).map(|(key, _)| format!("`{key}`")).take(5).collect();
    match names.is_empty() {
        true => "an object without keys".to_owned(),
        false => format!("an object that begins with {}", names.join(", ")),
    }
}

/// A file that was packed with gzip.
pub struct Unpacked {
    /// What could be unpacked.
    pub bytes: Vec<u8>,
    /// Whether it ended before its end.
    pub is_broken: bool,
}

/// Unpacks a file that is packed with gzip; `None` where it isn't. More than [`TEXT_LEN_MAX`] bytes are not unpacked,
/// but one more to tell.
pub fn unpack(bytes: &[u8]) -> Option<Unpacked> {
    if !bytes.starts_with(GZIP_MAGIC) {
        return None;
    }
    let mut unpacked = Vec::new();
    let is_broken = MultiGzDecoder::new(bytes).take(TEXT_LEN_MAX + 1).read_to_end(&mut unpacked).is_err();
    Some(Unpacked { bytes: unpacked, is_broken })
}

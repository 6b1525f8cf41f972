//! The record's own view of the stack: a document that JSON Patches (RFC 6902) change, one after the other.
//!
//! A patch can say much in few words: `copy` doubles a document, `move` nests it, and each patch gives all frames
//! again. What a document holds and what its patches give is bounded, far above what an engine writes.

use json_patch::PatchOperation;
use serde_json::Value as Json;

use super::names::Names;
use crate::event::RecordedFrame;
use crate::session::FRAMES_MAX;

/// What a document holds at most: its values and the bytes of its texts.
const EXTENT_MAX: Extent = Extent { values: 8 << 10, bytes: 1 << 20, depth: 64 };
/// What `copy` and `move` may touch in one session.
const TOUCHED_MAX: Extent = Extent { values: 16 << 20, bytes: 256 << 20, depth: 0 };
/// How many frames the patches of a session may give beside those that each of them may.
const GIVEN_MAX: usize = 1 << 20;
/// How many frames a patch may give beside those.
const GIVEN_BY_EACH: usize = 8;

/// The stack as the patches so far give it.
pub(super) struct StackDocument {
    json: Json,
    /// Its extent; the depth is that of its deepest value at most.
    extent: Extent,
    touched: Extent,
    /// How many frames may still be given.
    left: usize,
}

impl Default for StackDocument {
    fn default() -> StackDocument {
        let json = Json::Array(Vec::new());
        StackDocument { extent: Extent::of(&json), json, touched: Extent::default(), left: GIVEN_MAX }
    }
}

impl StackDocument {
    /// Applies a patch and returns the frames, bottom first.
    ///
    /// Returns `None` where the patch doesn't fit, or where it would make more than can be kept; the operations that
    /// do fit are kept, so that a later patch has the best chance to fit again.
    pub(super) fn apply(&mut self, patch: &str, names: &mut Names) -> Option<Vec<RecordedFrame>> {
        let operations: Vec<PatchOperation> = serde_json::from_str(patch).ok()?;
        let mut fits = true;
        for operation in operations {
            fits &= self.has_room(&operation) && json_patch::patch(&mut self.json, &[operation]).is_ok();
        }
        if !self.json.is_array() {
            self.clear();
            return None;
        }
        if !fits {
            return None;
        }
        let frames = self.frames(names)?;
        self.left = (self.left + GIVEN_BY_EACH).checked_sub(frames.len())?;
        Some(frames)
    }

    /// Empties the document: the session starts again.
    pub(super) fn clear(&mut self) {
        *self = StackDocument { left: self.left, touched: self.touched, ..StackDocument::default() };
    }

    /// Returns whether the document may grow by what an operation brings, and counts it.
    fn has_room(&mut self, operation: &PatchOperation) -> bool {
        let there = |path: &str| self.json.pointer(path).map(Extent::of).unwrap_or_default();
        let (path, brought, touched) = match operation {
            PatchOperation::Add(add) => (&add.path, Extent::of(&add.value), Extent::default()),
            PatchOperation::Replace(replace) => (&replace.path, Extent::of(&replace.value), Extent::default()),
            PatchOperation::Copy(copy) => {
                let copied = there(copy.from.as_str());
                (&copy.path, copied, copied)
            }
            PatchOperation::Move(moved) => {
                let there = there(moved.from.as_str());
                (&moved.path, Extent { depth: there.depth, ..Extent::default() }, there)
            }
            PatchOperation::Remove(_) | PatchOperation::Test(_) => return true,
        };
        let depth = path.as_str().matches('/').count() + brought.depth;
        self.touched = self.touched.plus(touched);
        if depth > EXTENT_MAX.depth || !self.touched.is_within(TOUCHED_MAX) {
            return false;
        }
        if !self.extent.plus(brought).is_within(EXTENT_MAX) {
            // What was removed or replaced since it was measured counts no longer.
            self.extent = Extent::of(&self.json);
            self.touched = self.touched.plus(self.extent);
        }
        let grown = self.extent.plus(brought);
        let has_room = grown.is_within(EXTENT_MAX);
        if has_room {
            self.extent = grown;
        }
        has_room
    }

    /// Returns the frames, bottom first; `None` where the document is no list of frames.
    pub(super) fn frames(&self, names: &mut Names) -> Option<Vec<RecordedFrame>> {
        frames_of(&self.json, names)
    }
}

/// How much a JSON value is.
#[derive(Clone, Copy, Default)]
struct Extent {
    /// Itself and all values in it.
    values: usize,
    /// The bytes of its texts and keys.
    bytes: usize,
    /// How many levels of values there are.
    depth: usize,
}

impl Extent {
    fn of(json: &Json) -> Extent {
        let within = |all: Extent, (key, value): (usize, &Json)| {
            let one = Extent::of(value);
            Extent {
                bytes: all.bytes + one.bytes + key,
                values: all.values + one.values,
                depth: all.depth.max(one.depth),
            }
        };
        let inside = match json {
            Json::Null | Json::Bool(_) | Json::Number(_) => Extent::default(),
            Json::String(text) => Extent { bytes: text.len(), ..Extent::default() },
            Json::Array(items) => items.iter().map(|item| (0, item)).fold(Extent::default(), within),
            Json::Object(fields) => {
                fields.iter().map(|(key, value)| (key.len(), value)).fold(Extent::default(), within)
            }
        };
        Extent { values: inside.values + 1, depth: inside.depth + 1, ..inside }
    }

    fn plus(self, more: Extent) -> Extent {
        Extent { values: self.values + more.values, bytes: self.bytes + more.bytes, depth: self.depth }
    }

    fn is_within(self, most: Extent) -> bool {
        self.values <= most.values && self.bytes <= most.bytes
    }
}

/// Reads a list of frames, as a dump's top level and the patched document have it; `None` for anything else, and for
/// more frames than a stack holds.
pub(super) fn frames_of(stack: &Json, names: &mut Names) -> Option<Vec<RecordedFrame>> {
    let frames = stack.as_array().filter(|frames| frames.len() <= FRAMES_MAX)?;
    frames
        .iter()
        .map(|frame| {
            let mut name = |key: &str| frame.get(key).and_then(Json::as_str).map(|text| names.get(text));
            Some(RecordedFrame {
                skill: name("skill_id").or_else(|| name("flow_id"))?,
                frame: name("frame_id").or_else(|| name(""))?,
                block: name("block_id"),
                step: name("step_id"),
                interrupted: frame.get("frame_type").and_then(Json::as_str) == Some("interrupt"),
            })
        })
        .collect()
}

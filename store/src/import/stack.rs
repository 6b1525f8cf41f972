//! The record's own view of the stack: a document that JSON Patches (RFC 6902) change, one after the other.

use json_patch::PatchOperation;
use serde_json::Value as Json;

use super::names::Names;
use crate::event::RecordedFrame;

/// The stack as the patches so far give it.
pub(super) struct StackDocument(Json);

impl Default for StackDocument {
    fn default() -> StackDocument {
        StackDocument(Json::Array(Vec::new()))
    }
}

impl StackDocument {
    /// Applies a patch and returns the frames, bottom first.
    ///
    /// Returns `None` where the patch doesn't fit; the operations that do fit are kept, so that a later patch has the
    /// best chance to fit again.
    pub(super) fn apply(&mut self, patch: &str, names: &mut Names) -> Option<Vec<RecordedFrame>> {
        let operations: Vec<PatchOperation> = serde_json::from_str(patch).ok()?;
        let mut fits = true;
        for operation in operations {
            fits &= json_patch::patch(&mut self.0, &[operation]).is_ok();
        }
        if !self.0.is_array() {
            *self = StackDocument::default();
            return None;
        }
        if fits { self.frames(names) } else { None }
    }

    /// Returns the frames, bottom first; `None` where the document is no list of frames.
    pub(super) fn frames(&self, names: &mut Names) -> Option<Vec<RecordedFrame>> {
        frames_of(&self.0, names)
    }
}

/// Reads a list of frames, as a dump's top level and the patched document have it.
pub(super) fn frames_of(stack: &Json, names: &mut Names) -> Option<Vec<RecordedFrame>> {
    stack
        .as_array()?
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

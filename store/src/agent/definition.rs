//! The files of an agent folder that matter, as they are stored with a session.
//!
//! What is kept of a file is up to [`super::source`]: most as they are, `integrations.yml` by its key names only, tool
//! code by its declarations only, references by their digests only, and `.env` never.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::digest::Digest;
use crate::name::Name;

/// The files of an agent folder that matter.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Definition {
    /// The kept bytes by path below the folder, with `/`.
    pub files: BTreeMap<Name, Arc<[u8]>>,
}

impl Definition {
    /// Returns the digest of all paths and bytes, which names the definition in a log.
    pub fn digest(&self) -> Digest {
        let mut hasher = blake3::Hasher::new();
        for (path, bytes) in &self.files {
            hasher.update(&(path.len() as u64).to_le_bytes());
            hasher.update(path.as_bytes());
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        }
        Digest(*hasher.finalize().as_bytes())
    }

    /// Returns the kept bytes of a file.
    pub fn file(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(|bytes| &**bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(files: &[(&str, &str)]) -> Definition {
        Definition { files: files.iter().map(|(path, text)| (Name::from(*path), Arc::from(text.as_bytes()))).collect() }
    }

    #[test]
    fn the_digest_tells_paths_from_bytes() {
        let whole = definition(&[("a", "bc")]).digest();
        assert_eq!(whole, definition(&[("a", "bc")]).digest());
        assert_ne!(whole, definition(&[("ab", "c")]).digest());
        assert_ne!(whole, definition(&[("a", "b"), ("c", "")]).digest());
    }
}

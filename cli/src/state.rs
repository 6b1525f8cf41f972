//! Files in which the debugger remembers things for its user: below `$XDG_STATE_HOME/replay`, else `~/.local/state/replay`.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process;

/// Bytes of a file that are read: far more than one of ours has.
const LONGEST: u64 = 4 << 20;

/// Returns where a file of that name is; `None` where no home is known.
pub(crate) fn path(name: &str, variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")))?;
    Some(state.join("replay").join(name))
}

/// Reads a file. One that can't be read is empty.
pub(crate) fn read(path: &Path) -> String {
    let mut text = String::new();
    match File::open(path).and_then(|file| file.take(LONGEST).read_to_string(&mut text)) {
        Ok(_) => text,
        Err(_) => String::new(),
    }
}

/// Puts a new file in the place of the old one, so that a reader never sees half of it. Others than its user can't read it.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let next = path.with_extension(process::id().to_string());
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&next)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| fs::rename(&next, path));
    if written.is_err() {
        fs::remove_file(&next)?;
    }
    written
}

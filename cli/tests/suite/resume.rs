//! The debugger in a terminal: it begins where it was left.

use std::path::Path;

use crate::program::{RENEWAL, root};
use crate::terminal::Terminal;

/// Opens the debugger below `home`, waits for `awaited`, presses keys, and quits.
fn visit(home: &Path, options: &[&str], awaited: &str, keys: &str) {
    let session = root().join(RENEWAL);
    let mut arguments = vec![session.to_str().expect("a plain path")];
    arguments.extend(options);
    let mut terminal = Terminal::start(home, &arguments);
    terminal.wait(awaited);
    terminal.press(keys);
    terminal.quit();
}

#[test]
fn the_debugger_begins_where_it_was_left_unless_a_moment_is_named() {
    let home = tempfile::tempdir().expect("a folder can be made");
    visit(home.path(), &[], "0/57", "12G");
    visit(home.path(), &[], "resumed at 12 of 57; g goes to the start", "");
    visit(home.path(), &["--at", "3"], "3/57", "g");
    visit(home.path(), &[], "0/57", "");
}

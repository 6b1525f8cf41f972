//! Copies a text: with a program that says whether it worked, or through the terminal, which doesn't.
//!
//! A terminal takes a text by the sequence OSC 52, which works through ssh and never answers. So a program beside us is
//! asked first where there is one for this place, and what is said afterwards is what is known.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use replay_store::fault;
use replay_store::import::base64;

use crate::app::Message;
use crate::copy::Clipping;
use crate::theme::Tone;

/// More bytes are not sent: terminals drop sequences of more than 100,000 characters.
pub(super) const TERMINAL_BYTES: usize = 74_994;
/// How long a program may take to copy.
const PATIENCE: Duration = Duration::from_secs(2);

/// Which way a copy takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Clipboard {
    /// A program where there is one for this place, and the terminal.
    #[default]
    Auto,
    /// The terminal alone (OSC 52).
    Terminal,
    /// A program alone.
    Program,
}

/// What stands between us and the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Multiplexer {
    None,
    Tmux,
    Screen,
}

/// A program that copies what it reads.
struct Helper {
    words: &'static [&'static str],
    /// Where the text is afterwards.
    into: &'static str,
}

/// Copies a text and returns what is known about it.
pub(super) fn copy(clipping: &Clipping, way: Clipboard, terminal: &mut dyn Write) -> Message {
    let Clipping { what, text } = clipping;
    let helper = match way {
        Clipboard::Auto | Clipboard::Program => {
            helpers(&|name| env::var_os(name)).into_iter().find(|one| run(one, text))
        }
        Clipboard::Terminal => None,
    };
    let size = size_words(text.len());
    let sent = match way {
        Clipboard::Program => None,
        Clipboard::Auto | Clipboard::Terminal if text.len() > TERMINAL_BYTES => None,
        Clipboard::Auto | Clipboard::Terminal => {
            let sequence = sequence(text, multiplexer(&|name| env::var_os(name)));
            // One write, so that nothing else gets between its parts.
            Some(terminal.write_all(sequence.as_bytes()).and_then(|()| terminal.flush()))
        }
    };
    let said = |text: String| Message { text, tone: Tone::Strong };
    let refused = |text: String| Message { text, tone: Tone::Bad };
    match (helper, sent) {
        (Some(helper), _) => said(format!("copied {what}, {size}, {}", helper.into)),
        (None, Some(Ok(()))) => said(format!(
            "sent {what}, {size}, to the terminal (OSC 52); it doesn't say whether it took it{}",
            advice(multiplexer(&|name| env::var_os(name)))
        )),
        (None, Some(Err(error))) => refused(format!("not copied: {}", fault::words(&error))),
        (None, None) if way == Clipboard::Program => {
            refused("not copied: none of tmux, wl-copy, xclip, xsel and pbcopy could do it".to_owned())
        }
        (None, None) => refused(format!(
            "not copied: {what} has {size}, a terminal takes {TERMINAL_BYTES}; :export FILE.md writes it to a file"
        )),
    }
}

fn advice(multiplexer: Multiplexer) -> &'static str {
    match multiplexer {
        Multiplexer::Tmux => "; tmux does with: set -g set-clipboard on",
        Multiplexer::Screen | Multiplexer::None => "",
    }
}

fn size_words(bytes: usize) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        bytes => format!("{bytes} bytes"),
    }
}

fn multiplexer(variable: &dyn Fn(&str) -> Option<OsString>) -> Multiplexer {
    let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
    match (is_set("TMUX"), is_set("STY")) {
        (true, _) => Multiplexer::Tmux,
        (false, true) => Multiplexer::Screen,
        (false, false) => Multiplexer::None,
    }
}

/// Returns the programs that may copy here, the best one first. Over ssh a display of this machine isn't the user's.
fn helpers(variable: &dyn Fn(&str) -> Option<OsString>) -> Vec<Helper> {
    let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
    let is_remote = is_set("SSH_CONNECTION") || is_set("SSH_TTY");
    let mut helpers = Vec::new();
    if cfg!(target_os = "macos") && !is_remote {
        helpers.push(Helper { words: &["pbcopy"], into: "to the clipboard (pbcopy)" });
    }
    if is_set("WAYLAND_DISPLAY") && !is_remote {
        helpers.push(Helper { words: &["wl-copy"], into: "to the clipboard (wl-copy)" });
    }
    if is_set("DISPLAY") && !is_remote {
        let xclip = &["xclip", "-selection", "clipboard"];
        helpers.push(Helper { words: xclip, into: "to the clipboard (xclip)" });
        helpers.push(Helper { words: &["xsel", "--clipboard", "--input"], into: "to the clipboard (xsel)" });
    }
    if is_set("TMUX") {
        let into = "to tmux's buffer, and its terminal if that takes it (prefix ] pastes)";
        helpers.push(Helper { words: &["tmux", "load-buffer", "-w", "-"], into });
    }
    helpers
}

/// Returns whether a program took the text. One that takes too long is left to itself.
fn run(helper: &Helper, text: &str) -> bool {
    let [program, arguments @ ..] = helper.words else { return false };
    let begun =
        Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = begun else { return false };
    let Some(mut stdin) = child.stdin.take() else { return false };
    let text = text.to_owned();
    let written = thread::spawn(move || stdin.write_all(text.as_bytes()));
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        match child.try_wait() {
            Ok(Some(status)) => {
                return status.success() && written.join().is_ok_and(|written: io::Result<()>| written.is_ok());
            }
            Ok(None) => thread::sleep(Duration::from_millis(5)),
            Err(_) => return false,
        }
    }
    false
}

/// Returns the sequence that asks a terminal to take a text. Inside tmux it is sent twice: for tmux itself, and for the
/// terminal around it; which of them is heard is a setting of tmux.
fn sequence(text: &str, multiplexer: Multiplexer) -> String {
    let coded = base64::encode(text.as_bytes());
    let plain = format!("\x1b]52;c;{coded}\x07");
    match multiplexer {
        Multiplexer::None => plain,
        Multiplexer::Tmux => format!("{plain}\x1bPtmux;\x1b\x1b]52;c;{coded}\x07\x1b\\"),
        Multiplexer::Screen => {
            // Screen takes strings of at most 768 bytes; what it passes on is put together again.
            let pieces = plain.as_bytes().chunks(SCREEN_BYTES).map(String::from_utf8_lossy);
            pieces.map(|piece| format!("\x1bP{piece}\x1b\\")).collect()
        }
    }
}

const SCREEN_BYTES: usize = 512;

#[cfg(test)]
mod tests {
    use super::*;

    fn clipping(text: &str) -> Clipping {
        Clipping { what: "the row".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_text_is_sent_as_the_place_wants_it() {
        assert_eq!(sequence("hi", Multiplexer::None), "\x1b]52;c;aGk=\x07");
        let tmux = "\x1b]52;c;aGk=\x07\x1bPtmux;\x1b\x1b]52;c;aGk=\x07\x1b\\";
        assert_eq!(sequence("hi", Multiplexer::Tmux), tmux);
        assert_eq!(sequence("hi", Multiplexer::Screen), "\x1bP\x1b]52;c;aGk=\x07\x1b\\");
        let long = sequence(&"x".repeat(1000), Multiplexer::Screen);
        assert_eq!(long.matches("\x1bP").count(), 3);
    }

    #[test]
    fn what_is_said_is_what_is_known() {
        let mut terminal = Vec::new();
        let message = copy(&clipping("hi"), Clipboard::Terminal, &mut terminal);
        assert!(message.text.contains("2 bytes") && message.text.contains("doesn't say whether"), "{}", message.text);
        assert!(!terminal.is_empty());

        let mut terminal = Vec::new();
        let message = copy(&clipping(&"x".repeat(TERMINAL_BYTES + 1)), Clipboard::Terminal, &mut terminal);
        assert!(message.text.starts_with("not copied") && message.tone == Tone::Bad, "{}", message.text);
        assert!(terminal.is_empty(), "nothing is sent of what is too long");
    }

    #[test]
    fn a_display_of_another_machine_is_not_used() {
        let local = helpers(&|name| (name == "DISPLAY").then(|| OsString::from(":0")));
        assert_eq!(
            local.first().map(|helper| helper.words[0]),
            Some(if cfg!(target_os = "macos") { "pbcopy" } else { "xclip" })
        );
        let remote = helpers(&|name| matches!(name, "DISPLAY" | "SSH_TTY").then(|| OsString::from("x")));
        assert!(remote.is_empty());
    }
}

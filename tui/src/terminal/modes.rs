//! The terminal's modes: set for the debugger, and put back whatever ends it.

use std::io::{self, Write, stdout};
use std::panic;
use std::sync::Arc;

use crossterm::event::{
    DisableMouseCapture, EnableMouseCapture, KeyboardEnhancementFlags, PopKeyboardEnhancementFlags,
    PushKeyboardEnhancementFlags,
};
use crossterm::execute;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};

use super::Mouse;

/// Keys that would look the same come apart, as `Ctrl-i` and `Tab`. Terminals that don't know of it ignore it.
const KEYS: KeyboardEnhancementFlags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;

/// The terminal in the debugger's modes; dropping it puts everything back.
pub(super) struct Screen {
    hook: Arc<dyn Fn(&panic::PanicHookInfo<'_>) + Send + Sync>,
}

impl Screen {
    pub(super) fn enter(mouse: Mouse) -> io::Result<Screen> {
        let hook: Arc<dyn Fn(&panic::PanicHookInfo<'_>) + Send + Sync> = Arc::from(panic::take_hook());
        let before = Arc::clone(&hook);
        panic::set_hook(Box::new(move |panic| {
            Screen::leave();
            before(panic);
        }));
        let screen = Screen { hook };
        Screen::set_modes(mouse)?;
        Ok(screen)
    }

    pub(super) fn set_modes(mouse: Mouse) -> io::Result<()> {
        enable_raw_mode()?;
        execute!(stdout(), EnterAlternateScreen, PushKeyboardEnhancementFlags(KEYS))?;
        match mouse {
            Mouse::Ours => execute!(stdout(), EnableMouseCapture),
            Mouse::Terminal => Ok(()),
        }
    }

    /// Puts the terminal right as far as it can be done: the terminal may be gone already.
    pub(super) fn leave() {
        // Each screen has flags of its own, so that ours are taken back before it is left.
        let _ = execute!(
            stdout(),
            DisableMouseCapture,
            PopKeyboardEnhancementFlags,
            LeaveAlternateScreen,
            crossterm::cursor::Show
        );
        let _ = disable_raw_mode();
        let _ = stdout().flush();
    }

    /// Sets the modes anew after the process was stopped and goes on: the shell has changed them meanwhile.
    pub(super) fn again(mouse: Mouse) -> io::Result<()> {
        disable_raw_mode()?;
        // They were not taken back where the process could not know that it would be stopped.
        execute!(stdout(), PopKeyboardEnhancementFlags)?;
        Screen::set_modes(mouse)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        Screen::leave();
        if !std::thread::panicking() {
            let hook = Arc::clone(&self.hook);
            panic::set_hook(Box::new(move |panic| hook(panic)));
        }
    }
}

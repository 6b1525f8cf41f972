//! The terminal's modes: set for the debugger, and put back whatever ends it.

use std::io::{self, Write, stdout};
use std::panic;
use std::sync::Arc;

use crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use crossterm::execute;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};

use super::Mouse;

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
        match mouse {
            Mouse::Ours => execute!(stdout(), EnterAlternateScreen, EnableMouseCapture),
            Mouse::Terminal => execute!(stdout(), EnterAlternateScreen),
        }
    }

    /// Puts the terminal right as far as it can be done: the terminal may be gone already.
    pub(super) fn leave() {
        let _ = execute!(stdout(), DisableMouseCapture, LeaveAlternateScreen, crossterm::cursor::Show);
        let _ = disable_raw_mode();
        let _ = stdout().flush();
    }

    /// Sets the modes anew after the process was stopped and goes on: the shell has changed them meanwhile.
    pub(super) fn again(mouse: Mouse) -> io::Result<()> {
        disable_raw_mode()?;
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

//! The program `replay`: reads arguments, prints, exits.

mod arguments;
mod commands;
mod compared;
mod config;
mod debug;
mod exit;
mod failure;
mod file_line;
mod filters;
mod linear;
mod live;
mod notes;
mod open;
mod output;
mod place;
mod positions;
mod progress;
mod run;
mod state;
mod target;
mod until_stopped;

use std::error::Error;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use replay_store::fault;
use replay_store::visible::visible;

use arguments::{Arguments, Color};
use exit::Exit;
use output::Output;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    panic::set_hook(Box::new(report_bug));
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error).into(),
    };
    let exit = panic::catch_unwind(AssertUnwindSafe(|| answer(arguments))).unwrap_or(Exit::Bug);
    exit.into()
}

/// Prints help where that was asked for, or one line about what is wrong with the command line.
fn usage(error: &clap::Error) -> Exit {
    let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if is_help || !error.use_stderr() {
        let _ = error.print();
        return if is_help { Exit::Usage } else { Exit::Fine };
    }
    let said = error.render().to_string();
    let said = said.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let said = said.filter(|line| !line.is_empty() && !line.starts_with("For more information"));
    let said = said.collect::<Vec<_>>().join(" ");
    complain(&format!("{}; see --help", said.trim_start_matches("error: ")));
    Exit::Usage
}

/// Runs the command, and prints what it has to say beside its answer.
fn answer(arguments: Arguments) -> Exit {
    let stdout = io::stdout().lock();
    let terminal = stdout.is_terminal();
    let mut writer = BufWriter::with_capacity(1 << 16, stdout);
    let plain = arguments.global.plain;
    let color = !plain && wants_color(arguments.global.color, terminal);
    let mut out = Output { writer: &mut writer, terminal, color, plain, columns: None };
    let result = run::run(arguments, &mut out);
    let flushed = writer.flush();
    let result = result.and_then(|outcome| Ok(flushed.map(|()| outcome)?));
    match result {
        Ok(outcome) => {
            for notice in &outcome.notices {
                complain(notice);
            }
            outcome.exit
        }
        Err(failure) => {
            let exit = failure.exit();
            if exit != Exit::Fine {
                complain(&sentence(&failure));
                if !failure.shown().is_empty() {
                    let _ = writeln!(io::stderr(), "{}", failure.shown());
                }
            }
            exit
        }
    }
}

/// Returns what went wrong and why, in one line.
fn sentence(failure: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(failure.source(), |&cause| cause.source());
    // Some say their cause themselves.
    let line = causes.map(ToString::to_string).fold(failure.to_string(), |line, cause| match line.contains(&cause) {
        true => line,
        false => format!("{line}: {cause}"),
    });
    fault::plain(&line)
}

/// Colours are wanted on a terminal that has some, unless the user asked for none (NO_COLOR).
fn wants_color(wish: Color, terminal: bool) -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match wish {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => terminal && !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
    }
}

/// Writes one line to stderr. Whether anybody reads it isn't our concern.
fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "replay: {}", visible(text));
}

/// What people see of a bug: one line that is worth reporting.
fn report_bug(info: &panic::PanicHookInfo<'_>) {
    // The log catches what its database does with damaged bytes.
    if replay_store::log::is_panic_expected() {
        return;
    }
    let payload = info.payload();
    let words = payload.downcast_ref::<String>().map(String::as_str);
    let what = words.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no words");
    let place = info.location().map(|place| format!("{}:{}", place.file(), place.line())).unwrap_or_default();
    complain(&format!(
        "this is a bug in replay {}: {what} ({place}); please report this line, with the record if you may share it",
        env!("CARGO_PKG_VERSION")
    ));
}

//! `replay completions` and `replay man`: made from the definition of the command line, so that they can't say
//! something else than it does.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// Writes the completions of a shell.
pub(crate) fn completions(shell: Shell, out: &mut Output<'_>) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "replay", &mut script);
    out.writer.write_all(&script)?;
    Ok(Exit::Fine)
}

/// Writes the manual page of the program, or of one of its commands.
pub(crate) fn page(name: Option<&str>, out: &mut Output<'_>) -> Result<Exit, Failure> {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let command = match name {
        None => command,
        Some(name) => {
            let found = command.find_subcommand(name).cloned();
            found.ok_or_else(|| Failure::NoSuchCommand { name: name.to_owned() })?
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    out.writer.write_all(&page)?;
    Ok(Exit::Fine)
}

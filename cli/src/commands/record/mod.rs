//! `replay record`: the engine beside a host. One command a line comes in as JSON, one answer a line goes out.
//!
//! ```text
//! request  what a line may ask
//! reply    what is answered
//! host     the sessions that are being recorded, and what each request does
//! ```

mod host;
mod reply;
mod request;

use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

use replay_store::agent::Agent;
use replay_store::log::{EventLog, Options};
use replay_store::replay::outline::new_fold;

use super::import::{is_new, random};
use crate::arguments::Global;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::open;
use crate::output::Output;
use crate::run::Outcome;
use crate::until_stopped::UntilStopped;

use host::Host;

/// The version of the protocol.
pub(crate) const PROTOCOL: &str = "replay.record/1";

/// Records what a host does, until its lines end or the program is asked to stop.
pub(crate) fn record(log: &Path, global: &Global, out: &mut Output<'_>) -> Result<Outcome, Failure> {
    let definition = open::definition(global)?.ok_or(Failure::RecordsNoAgent)?;
    let agent = Arc::new(Agent::load(definition, global.profile));
    let options = Options { new_fold: Some(new_fold), id: random() };
    let event_log = match is_new(log)? {
        true => EventLog::create(log, &options)?,
        false => EventLog::open(log, &options)?,
    };
    let tail_damage = event_log.tail_damage().map(|damage| format!("{}: {damage}", log.display()));
    let mut host = Host::new(&event_log, agent);
    let result = serve(&mut host, out);
    drop(host);
    event_log.close()?;
    result?;
    Ok(Outcome { exit: Exit::Fine, notices: tail_damage.into_iter().collect() })
}

fn serve(host: &mut Host<'_>, out: &mut Output<'_>) -> Result<(), Failure> {
    let mut input = UntilStopped::begin().map_err(|source| Failure::Read { path: "-".to_owned(), source })?;
    let mut line = Vec::new();
    loop {
        line.clear();
        input.read_until(b'\n', &mut line).map_err(|source| Failure::Read { path: "-".to_owned(), source })?;
        if line.is_empty() {
            return Ok(());
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let reply = host.answer(&line);
        out.json(&reply)?;
        out.writer.flush()?;
    }
}

//! `replay record`: the engine beside a host. One command a line comes in as JSON, one answer a line goes out.
//!
//! ```text
//! request   what a line may ask
//! reply     what is answered
//! host      what each request does
//! sessions  the sessions that are open
//! lines     lines of bounded length
//! serve     one client: its lines carried out, its answers sent once they are durable
//! socket    many clients
//! stop      the wish to stop
//! ```

mod host;
mod lines;
mod reply;
mod request;
mod serve;
mod sessions;
mod socket;
mod stop;

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
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

use host::Host;
use lines::Lines;
use socket::Socket;
use stop::Stop;

/// The version of the protocol.
pub(crate) const PROTOCOL: &str = "replay.record/1";

/// Records what hosts do, until their lines end or the program is asked to stop: on a socket, or one on stdin and stdout.
pub(crate) fn record(
    log: &Path,
    socket: Option<&Path>,
    global: &Global,
    out: &mut Output<'_>,
) -> Result<Outcome, Failure> {
    let definition = open::definition(global)?.ok_or(Failure::RecordsNoAgent)?;
    let agent = Arc::new(Agent::load(definition, global.profile));
    let options = Options { new_fold: Some(new_fold), id: random() };
    let stop = Stop::begin().map_err(input_failed)?;
    let event_log = match is_new(log)? {
        true => EventLog::create(log, &options)?,
        false => EventLog::open(log, &options)?,
    };
    let tail_damage = event_log.tail_damage().map(|damage| format!("{}: {damage}", log.display()));
    let host = Host::new(&event_log, agent);
    // The socket's file is there until the log is closed, so that its end says so.
    let bound = socket.map(Socket::bind).transpose()?;
    let (_socket, result) = match bound {
        Some((socket, listener)) => {
            out.writer.write_all(&host.hello().line())?;
            out.writer.flush()?;
            (Some(socket), socket::listen(&host, listener, &stop).map_err(input_failed))
        }
        None => (None, on_stdio(&host, &stop, out)),
    };
    drop(host);
    event_log.close()?;
    result?;
    Ok(Outcome { exit: Exit::Fine, notices: tail_damage.into_iter().collect() })
}

fn on_stdio(host: &Host<'_>, stop: &Stop, out: &mut Output<'_>) -> Result<(), Failure> {
    let input = File::from(io::stdin().as_fd().try_clone_to_owned().map_err(input_failed)?);
    let mut failed = None;
    let served = serve::serve(host, Lines::new(input, stop), &mut |bytes| {
        let written = out.writer.write_all(bytes).and_then(|()| out.writer.flush());
        written.map_err(|error| {
            stop.set();
            io::Error::from(failed.insert(error).kind())
        })
    });
    match failed {
        Some(error) => Err(error.into()),
        None => served.map_err(input_failed),
    }
}

fn input_failed(source: io::Error) -> Failure {
    Failure::Read { path: "-".to_owned(), source }
}

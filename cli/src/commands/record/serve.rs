//! One client: its lines are carried out in order by one thread, and answered in order by another.
//!
//! An answer goes out once its events are durable. What was carried out meanwhile, by this client or another, shares the
//! next sync with it.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use super::host::{Answer, Host};
use super::lines::Lines;

/// So many answers wait for the sync and for the client at most.
const ANSWERS: usize = 64;

/// Answers a client until its lines end. Once `write` fails nobody listens any more; it has to end the lines then.
pub(super) fn serve(
    host: &Host<'_>,
    mut lines: Lines<'_, impl Read + AsFd + Send>,
    write: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let (sender, answers) = sync_channel(ANSWERS);
    thread::scope(|scope| {
        let reading = scope.spawn(move || {
            while let Some(line) = lines.next()? {
                if sender.send(host.answer(&line)).is_err() {
                    break;
                }
            }
            Ok(())
        });
        let written = answer(host, answers, write);
        let read = reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        written.and(read)
    })
}

/// Writes answers as they come, all that wait at once.
fn answer(
    host: &Host<'_>,
    answers: Receiver<Answer>,
    write: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    while let Ok(first) = answers.recv() {
        let mut bytes = Vec::new();
        let waiting: Vec<Answer> = [first].into_iter().chain(answers.try_iter().take(ANSWERS)).collect();
        let is_durable = waiting.iter().any(|answer| answer.waits);
        let synced = if is_durable { host.log.sync() } else { Ok(()) };
        for answer in waiting {
            match &synced {
                Err(error) if answer.waits => bytes.extend(answer.lost(error).line()),
                Ok(()) | Err(_) => bytes.extend(answer.line()),
            }
        }
        write(&bytes)?;
    }
    Ok(())
}

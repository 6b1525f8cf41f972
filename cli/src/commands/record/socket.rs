//! A Unix socket for many clients: each is answered on its own, and none can hurt another.

use std::fs;
use std::io::{self, Write};
use std::net::Shutdown;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::Mode;
use rustix::process::umask;

use super::host::{Answer, Host};
use super::lines::Lines;
use super::serve::serve;
use super::stop::{Came, Stop};
use crate::failure::Failure;

/// So many clients are answered at once.
const CLIENTS: usize = 256;

/// A client that doesn't take its answers for so long is dropped.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long nobody is let in where the system has no room for one more.
const PAUSE: Duration = Duration::from_millis(100);

/// A socket's file, which is removed in the end.
pub(super) struct Socket {
    path: PathBuf,
    /// Device and number of the file.
    file: (u64, u64),
}

impl Socket {
    /// Makes a socket that only its owner can connect to. That of a process that is no more is replaced.
    pub(super) fn bind(path: &Path) -> Result<(Socket, UnixListener), Failure> {
        let failed = |source| Failure::Socket { path: path.to_owned(), source };
        if let Ok(there) = path.symlink_metadata() {
            if !there.file_type().is_socket() {
                return Err(Failure::NoSocket(path.to_owned()));
            }
            match UnixStream::connect(path) {
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    fs::remove_file(path).map_err(failed)?;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(failed(error)),
                Ok(_) => return Err(Failure::SocketInUse(path.to_owned())),
            }
        }
        // From the first moment on.
        let before = umask(Mode::from_raw_mode(0o177));
        let listener = UnixListener::bind(path);
        umask(before);
        let listener = listener.map_err(failed)?;
        let there = path.symlink_metadata().map_err(failed)?;
        Ok((Socket { path: path.to_owned(), file: (there.dev(), there.ino()) }, listener))
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let is_ours = |there: fs::Metadata| (there.dev(), there.ino()) == self.file;
        if self.path.symlink_metadata().is_ok_and(is_ours) {
            // Where it stays, the next process replaces it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Answers all who connect, until it is asked to stop and what is under way is answered.
pub(super) fn listen(host: &Host<'_>, listener: UnixListener, stop: &Stop) -> io::Result<()> {
    let clients = AtomicUsize::new(0);
    thread::scope(|scope| {
        while stop.or_input(&listener)? == Came::Input {
            let Ok((stream, _)) = listener.accept() else {
                thread::sleep(PAUSE);
                continue;
            };
            if CLIENTS <= clients.fetch_add(1, Ordering::SeqCst) {
                clients.fetch_sub(1, Ordering::SeqCst);
                let full = format!("{CLIENTS} clients are connected, and more are not answered");
                // Whether it listens is up to the client.
                let _ = write_within(&stream, &Answer::problem(full).line(), PAUSE);
                continue;
            }
            let clients = &clients;
            let client = thread::Builder::new().spawn_scoped(scope, move || {
                let _left = Left(clients);
                answer(host, &stream, stop);
            });
            if client.is_err() {
                thread::sleep(PAUSE);
            }
        }
        // Nobody connects any more while the rest is answered.
        drop(listener);
        Ok(())
    })
}

/// Counts a client that has left.
struct Left<'a>(&'a AtomicUsize);

impl Drop for Left<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn answer(host: &Host<'_>, stream: &UnixStream, stop: &Stop) {
    let mut write = |bytes: &[u8]| {
        let written = write_within(stream, bytes, PATIENCE);
        if written.is_err() {
            // Its lines end with it.
            let _ = stream.shutdown(Shutdown::Both);
        }
        written
    };
    // A client that has gone needs no word, and its connection ends here.
    let _ = serve(host, Lines::new(stream, stop), &mut write);
}

/// Writes all bytes, or fails after some time.
fn write_within(mut stream: &UnixStream, mut bytes: &[u8], patience: Duration) -> io::Result<()> {
    let begun = Instant::now();
    while !bytes.is_empty() {
        let left = patience.checked_sub(begun.elapsed()).filter(|left| !left.is_zero());
        stream.set_write_timeout(Some(left.ok_or(io::ErrorKind::TimedOut)?))?;
        match stream.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

//! `replay record --socket`: many hosts at once, and none of them hurts another.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::program::{LIBRARY, answer, replay, root, text};

/// A recorder with its socket, which is killed where a test fails.
pub(crate) struct Recorder {
    child: Child,
    pub(crate) socket: PathBuf,
}

impl Recorder {
    /// Starts one, and waits until it answers.
    pub(crate) fn start(folder: &Path) -> Recorder {
        let (log, socket) = (folder.join("session.log"), folder.join("socket"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_replay"));
        let command = command.current_dir(root()).arg("record").arg(log).args(["--agent", LIBRARY, "--socket"]);
        let mut child = command.arg(&socket).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut hello = String::new();
        let mut out = BufReader::new(child.stdout.take().expect("it is piped"));
        out.read_line(&mut hello).expect("it says that it listens");
        assert!(hello.contains("replay.record/1"), "{hello}");
        Recorder { child, socket }
    }

    fn connect(&self) -> Client {
        Client::over(UnixStream::connect(&self.socket).expect("it listens"))
    }

    fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("there is a shell").success());
    }

    /// Asks it to end, and waits until it has.
    pub(crate) fn stop(self) {
        self.signal("TERM");
        self.ended();
    }

    /// Waits for its end, which is an orderly one.
    fn ended(mut self) {
        assert!(self.child.wait().expect("it ends").success());
        assert!(!self.socket.exists(), "it removes its socket");
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A host.
struct Client {
    stream: UnixStream,
    lines: std::io::Lines<BufReader<UnixStream>>,
}

impl Client {
    fn over(stream: UnixStream) -> Client {
        let lines = BufReader::new(stream.try_clone().expect("it is open")).lines();
        Client { stream, lines }
    }

    fn send(&mut self, lines: &[Value]) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.stream.write_all(text.as_bytes()).expect("somebody reads");
    }

    fn take(&mut self) -> Value {
        let line = self.lines.next().expect("somebody answers").expect("it is text");
        serde_json::from_str(&line).expect("it is JSON")
    }

    fn ask(&mut self, line: Value) -> Value {
        self.send(&[line]);
        self.take()
    }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("there is room")
}

fn user(session: &str, text: &str) -> Value {
    json!({"id": text, "session": session, "command": "user", "text": text})
}

/// Starts a session, so that the user can speak.
fn start(client: &mut Client, session: &str) {
    let lines = [
        json!({"session": session, "command": "start"}),
        json!({"session": session, "command": "return", "tool": "load_member", "result": "{}"}),
        json!({"session": session, "command": "end_turn"}),
    ];
    for line in lines {
        let reply = client.ask(line);
        assert_eq!(reply["ok"], true, "{reply}");
    }
}

/// Returns what the user said in a session, in order.
fn said(folder: &Path, session: &str) -> Vec<String> {
    let place = format!("{}#{session}", folder.join("session.log").display());
    let events = crate::program::json(&["query", &place, "kind:user_message"]);
    let events = events["sessions"][0]["matches"].as_array().expect("there are some").clone();
    events.iter().map(|event| event["text"].as_str().expect("it has words").to_owned()).collect()
}

#[test]
fn hosts_share_sessions_and_each_is_answered_in_order() {
    let folder = folder();
    let recorder = Recorder::start(folder.path());
    let mode = fs::metadata(&recorder.socket).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "it is its owner's");
    start(&mut recorder.connect(), "shared");
    thread::scope(|scope| {
        for number in 0..4 {
            let mut client = recorder.connect();
            scope.spawn(move || {
                let own = format!("own-{number}");
                start(&mut client, &own);
                let words = |count: usize| format!("{number}-{count}");
                let lines: Vec<Value> =
                    (0..100).map(|count| user(if count % 2 == 0 { "shared" } else { &own }, &words(count))).collect();
                client.send(&lines);
                for count in 0..100 {
                    let reply = client.take();
                    assert_eq!((&reply["id"], &reply["ok"]), (&json!(words(count)), &json!(true)), "{reply}");
                    assert_eq!(reply["durable"], true);
                }
            });
        }
    });
    recorder.stop();
    assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 1, "a closed log is one file");
    let shared = said(folder.path(), "shared");
    for number in 0..4 {
        let of =
            |parity: usize| (0..100).filter(move |count| count % 2 == parity).map(|count| format!("{number}-{count}"));
        assert_eq!(said(folder.path(), &format!("own-{number}")), of(1).collect::<Vec<_>>());
        let mine = shared.iter().filter(|words| words.starts_with(&format!("{number}-"))).cloned();
        assert_eq!(mine.collect::<Vec<_>>(), of(0).collect::<Vec<_>>());
    }
}

#[test]
fn a_host_that_misbehaves_hurts_no_other() {
    let folder = folder();
    let recorder = Recorder::start(folder.path());
    let mut good = recorder.connect();
    start(&mut good, "good");

    let mut torn = recorder.connect();
    torn.stream.write_all(b"{\"command\": \"user\", \"session\": \"good\", \"text\": \"to").expect("somebody reads");
    drop(torn);
    let mut garbage = recorder.connect();
    garbage.stream.write_all(b"\xff\x00[[[\n{}\n").expect("somebody reads");
    assert_eq!(garbage.take()["error"]["kind"], "request");
    assert!(garbage.take()["error"]["message"].to_string().contains("missing field `command`"));
    good.ask(user("good", "one"));

    let mut long = recorder.connect();
    let piece = vec![b'x'; 1 << 20];
    (0..200).for_each(|_| long.stream.write_all(&piece).expect("somebody reads"));
    long.stream.write_all(b"\n").expect("somebody reads");
    let reply = long.take();
    assert_eq!(reply["error"]["message"], "the line has more than 67108864 bytes");
    assert_eq!(long.ask(user("good", "two"))["ok"], true, "its next line counts");
    if let Ok(status) = fs::read_to_string(format!("/proc/{}/status", recorder.child.id())) {
        let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux says so");
        let kilobytes: u64 = most.trim().trim_end_matches(" kB").parse().expect("it is a number");
        assert!(kilobytes < 180 << 10, "{kilobytes} kB for a line of 200 MB");
    }

    let mut deaf = recorder.connect();
    let lines = "{\"command\": \"hello\"}\n".repeat(1000);
    thread::scope(|scope| {
        let writing = scope.spawn(move || while deaf.stream.write_all(lines.as_bytes()).is_ok() {});
        assert_eq!(good.ask(user("good", "three"))["ok"], true);
        writing.join().expect("it is dropped");
    });
    assert_eq!(good.ask(user("good", "four"))["ok"], true);
    recorder.stop();
    assert_eq!(said(folder.path(), "good"), ["one", "two", "three", "four"]);
}

#[test]
fn a_stale_socket_is_replaced_and_a_living_one_is_not() {
    let folder = folder();
    let recorder = Recorder::start(folder.path());
    let other = folder.path().join("other.log").display().to_string();
    let socket = recorder.socket.display().to_string();
    let second = replay(&["record", &other, "--agent", LIBRARY, "--socket", &socket]);
    assert_eq!(second.status.code(), Some(4));
    let expected = "answers already: stop the process that does, or give the socket another name";
    assert!(text(&second.stderr).contains(expected), "{}", text(&second.stderr));
    recorder.signal("KILL");
    drop(recorder);
    let recorder = Recorder::start(folder.path());
    start(&mut recorder.connect(), "s");
    recorder.stop();

    fs::write(&socket, "mine").expect("there is room");
    let none = replay(&["record", &other, "--agent", LIBRARY, "--socket", &socket]);
    assert_eq!(none.status.code(), Some(4));
    assert!(text(&none.stderr).contains("is there and no socket"), "{}", text(&none.stderr));
    assert_eq!(fs::read_to_string(&socket).expect("it is there"), "mine");
    let far = folder.path().join("x".repeat(200)).display().to_string();
    let far = replay(&["record", &other, "--agent", LIBRARY, "--socket", &far]);
    assert_eq!(far.status.code(), Some(4), "{}", text(&far.stderr));
    // A socket that nobody listens on is what a dead process leaves.
    fs::remove_file(&socket).expect("it is there");
    drop(UnixListener::bind(&socket).expect("there is room"));
    Recorder::start(folder.path()).stop();
}

#[test]
fn what_is_under_way_is_answered_before_the_end() {
    let folder = folder();
    let recorder = Recorder::start(folder.path());
    let mut client = recorder.connect();
    start(&mut client, "s");
    let mut writer = client.stream.try_clone().expect("it is open");
    let writing = thread::spawn(move || {
        for count in 0.. {
            let line = format!("{}\n", user("s", &count.to_string()));
            if writer.write_all(line.as_bytes()).is_err() {
                return;
            }
        }
    });
    (0..50).for_each(|_| drop(client.take()));
    recorder.signal("TERM");
    let answered = 50 + client.lines.map_while(Result::ok).filter(|line| line.contains("\"ok\":true")).count();
    writing.join().expect("it ends with the connection");
    recorder.ended();
    let said = said(folder.path(), "s");
    assert_eq!(said, (0..answered).map(|count| count.to_string()).collect::<Vec<_>>(), "what is there was answered");
    assert!(!folder.path().join("session.log-tail").exists(), "the log is closed");
}

#[test]
fn what_needs_not_be_durable_is_answered_so_and_is_with_the_next_sync() {
    let folder = folder();
    let recorder = Recorder::start(folder.path());
    let mut client = recorder.connect();
    start(&mut client, "s");
    let mut hasty = user("s", "hasty");
    (hasty["durable"], hasty["request_id"]) = (json!(false), json!("r"));
    assert_eq!(client.ask(hasty.clone())["durable"], false);
    let synced = client.ask(json!({"id": 7, "command": "sync"}));
    assert_eq!(synced, json!({"id": 7, "ok": true, "durable": true}));
    recorder.signal("KILL");
    drop(recorder);
    let recorder = Recorder::start(folder.path());
    let mut client = recorder.connect();
    client.ask(json!({"command": "resume", "session": "s"}));
    hasty["durable"] = json!(true);
    assert_eq!(client.ask(hasty)["ok"], true, "it is the same request");
    recorder.stop();
    assert_eq!(said(folder.path(), "s"), ["hasty"]);
    let log = folder.path().join("session.log").display().to_string();
    assert!(answer(&["verify", &log, "--decisions"]).contains("as recorded"));
}

//! A recorder that is killed again and again, with a host that asks again what wasn't answered: each command is in the log
//! exactly once.
//!
//! `REPLAY_RECORD_KILLS` says how often.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Lines, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::program::{LIBRARY, answer, json as ask, root};
use crate::socket;

const KILLS: u64 = 20;

/// Returns how often a recorder is killed.
fn kills() -> u64 {
    std::env::var("REPLAY_RECORD_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS)
}

/// A recorder, and its ends of the pipes.
struct Recorder {
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Recorder {
    fn start(log: &str) -> Recorder {
        let mut command = Command::new(env!("CARGO_BIN_EXE_replay"));
        let command = command.current_dir(root()).args(["record", log, "--agent", LIBRARY]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let input = child.stdin.take().expect("it is piped");
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        Recorder { child, input, lines }
    }

    /// Asks; nothing comes back where it was killed meanwhile.
    fn ask(&mut self, line: &Value) -> Option<Value> {
        writeln!(self.input, "{line}").ok()?;
        let reply = self.lines.next()?.ok()?;
        // A line that was cut by the end isn't JSON.
        serde_json::from_str(&reply).ok()
    }
}

/// What a conversation asks, one after the other; each has a name of its own.
fn script() -> Vec<Value> {
    let mut asked = vec![
        json!({"command": "start", "metadata": {"branch": "harbour"}}),
        json!({"command": "get", "tool": "load_member", "name": "branch"}),
        json!({"command": "set", "tool": "load_member", "name": "project.member_id", "value": "HS-1"}),
        json!({"command": "set", "tool": "load_member", "name": "project.member_id", "value": "HS-2"}),
        json!({"command": "return", "tool": "load_member", "result": {"ok": true}}),
        json!({"command": "end_turn"}),
    ];
    for turn in 0..40 {
        let call = json!({"tool": "activate", "arguments": {"target_id": "renew_loan"}, "call_id": format!("a{turn}")});
        let local = json!({"tool": "find_loan", "arguments": {"title": "x"}, "call_id": format!("c{turn}")});
        asked.extend([
            json!({"command": "user", "text": format!("turn {turn}")}),
            json!({"command": "model_call"}),
            json!({"command": "model_reply", "text": "", "calls": [call, local]}),
            json!({"command": "call", "tool": "activate", "arguments": {"target_id": "renew_loan"}, "call_id": format!("a{turn}")}),
            json!({"command": "call", "tool": "find_loan", "arguments": {"title": "x"}, "call_id": format!("c{turn}")}),
            json!({"command": "set", "tool": "find_loan", "call_id": format!("c{turn}"), "name": "item_id", "value": turn}),
            json!({"command": "return", "tool": "find_loan", "call_id": format!("c{turn}"), "result": "found"}),
            json!({"command": "end_turn"}),
        ]);
    }
    for (number, line) in asked.iter_mut().enumerate() {
        line["session"] = json!("s");
        line["request_id"] = json!(format!("r{number}"));
    }
    asked
}

/// Plays the script to its end over a recorder that is killed so often at most, and returns the answers, and how often it
/// was killed.
fn play(log: &str, kills: u64, seed: u64) -> (Vec<Value>, u64) {
    let script = script();
    let mut replies: Vec<Value> = Vec::new();
    let mut killed = 0;
    let mut state = seed;
    while replies.len() < script.len() {
        let mut recorder = Recorder::start(log);
        let wait = moment(&mut state);
        thread::scope(|scope| {
            if killed < kills {
                let process = recorder.child.id().to_string();
                scope.spawn(move || {
                    thread::sleep(wait);
                    // Every shell has it built in.
                    Command::new("sh").args(["-c", &format!("kill -9 {process}")]).status().expect("there is a shell")
                });
            }
            if !replies.is_empty() {
                let Some(_) = recorder.ask(&json!({"command": "resume", "session": "s"})) else { return };
            }
            for line in &script[replies.len()..] {
                let Some(reply) = recorder.ask(line) else { return };
                replies.push(reply);
            }
        });
        drop(recorder.input);
        killed += u64::from(!recorder.child.wait().expect("it ends").success());
    }
    (replies, killed)
}

/// Returns how long a recorder lives, another time with each call.
fn moment(state: &mut u64) -> Duration {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    Duration::from_micros((*state >> 33) % 60_000)
}

/// Returns an answer without its times. A prompt says the minute, so that its digest isn't the same a minute later.
fn untimed(mut reply: Value) -> Value {
    for event in reply["events"].as_array_mut().into_iter().flatten() {
        let event = event.as_object_mut().expect("an event is an object");
        event.remove("time");
        event.remove("digest");
    }
    if let Some(system) = reply.pointer_mut("/prompt/system") {
        let told = system.as_str().expect("it is text");
        let lines = told.lines().filter(|line| !line.starts_with("Current date and time: "));
        *system = Value::from(lines.collect::<Vec<_>>().join("\n"));
    }
    reply
}

#[test]
fn what_is_asked_again_after_a_kill_is_done_once_and_answered_the_same() {
    let kills = kills();
    let folder = tempfile::tempdir().expect("there is room");
    let path = |name: &str| folder.path().join(name).to_str().expect("its name is text").to_owned();
    let calm = path("calm.log");
    let expected: Vec<Value> = play(&calm, 0, 0).0.into_iter().map(untimed).collect();
    assert!(expected.iter().all(|reply| reply["ok"] == true), "{expected:#?}");
    let events = |log: &str| ask(&["verify", log])["sessions"][0]["events"].clone();
    let (mut killed, mut seed) = (0, 0);
    while killed < kills {
        seed += 1;
        assert!(seed < 10 * kills, "killing it works");
        let log = path(&format!("killed-{seed}.log"));
        let (found, times) = play(&log, kills - killed, seed);
        killed += times;
        for (number, (expected, found)) in expected.iter().zip(found.into_iter().map(untimed)).enumerate() {
            assert_eq!(*expected, found, "seed {seed}, request {number}");
        }
        assert_eq!(events(&calm), events(&log), "seed {seed}");
        assert!(answer(&["verify", &log, "--decisions"]).contains("all as recorded"), "seed {seed}");
    }
}

#[test]
fn a_request_is_answered_again_while_the_recorder_lives() {
    let folder = tempfile::tempdir().expect("there is room");
    let log = folder.path().join("session.log").to_str().expect("its name is text").to_owned();
    let mut recorder = Recorder::start(&log);
    for line in script().into_iter().take(20) {
        let once = recorder.ask(&line).expect("it answers");
        let again = recorder.ask(&line).expect("it answers");
        assert_eq!(once["ok"], true, "{once}");
        assert_eq!(once, again, "{line}");
    }
    let other = recorder.ask(&json!({"command": "start", "session": "s", "request_id": "other"})).expect("it answers");
    assert_eq!(other["error"]["kind"], "state", "{other}");
    drop(recorder.input);
    recorder.child.wait().expect("it ends");
}

/// A host that asks over a socket until it is answered, whoever listens there by then.
struct Patient {
    socket: PathBuf,
    sessions: [String; 2],
    open: Option<(UnixStream, Lines<BufReader<UnixStream>>)>,
}

impl Patient {
    fn ask(&mut self, line: &Value) -> Value {
        let begun = Instant::now();
        loop {
            assert!(begun.elapsed() < Duration::from_secs(60), "somebody answers");
            if let Some(reply) = self.connect().and_then(|()| self.try_to_ask(line)) {
                return reply;
            }
            self.open = None;
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Connects, if it isn't, and goes on with its sessions.
    fn connect(&mut self) -> Option<()> {
        if self.open.is_some() {
            return Some(());
        }
        let stream = UnixStream::connect(&self.socket).ok()?;
        self.open = Some((stream.try_clone().ok()?, BufReader::new(stream).lines()));
        for session in self.sessions.clone() {
            // Where the log has none yet, that is an error which does nothing.
            self.try_to_ask(&json!({"command": "resume", "session": session}))?;
        }
        Some(())
    }

    fn try_to_ask(&mut self, line: &Value) -> Option<Value> {
        let (stream, lines) = self.open.as_mut()?;
        writeln!(stream, "{line}").ok()?;
        serde_json::from_str(&lines.next()?.ok()?).ok()
    }
}

/// Speaks in two sessions until it is over, and returns at which position each message was answered to be.
fn speak(host: usize, socket: PathBuf, is_over: &AtomicBool) -> BTreeMap<String, u64> {
    let sessions = [0, 1].map(|number| format!("{host}-{number}"));
    let mut patient = Patient { socket, sessions: sessions.clone(), open: None };
    let mut answered = BTreeMap::new();
    let mut ask = |session: &str, name: &str, mut line: Value| {
        (line["session"], line["request_id"]) = (json!(session), json!(name));
        let reply = patient.ask(&line);
        assert_eq!(reply["ok"], true, "{line}: {reply}");
        reply["events"][0]["position"].as_u64().expect("each command leads to events")
    };
    for session in &sessions {
        ask(session, "start", json!({"command": "start"}));
        ask(session, "return", json!({"command": "return", "tool": "load_member", "result": "{}"}));
        ask(session, "end", json!({"command": "end_turn"}));
    }
    for number in 0.. {
        if is_over.load(Ordering::SeqCst) {
            break;
        }
        let (session, words) = (&sessions[number % 2], format!("{number:06}"));
        let at = ask(session, &words, json!({"command": "user", "text": words}));
        answered.insert(format!("{session}: {words}"), at);
    }
    answered
}

/// Returns at which position each message of a session stands.
fn said(folder: &Path, session: &str) -> Vec<(String, u64)> {
    let place = format!("{}#{session}", folder.join("session.log").display());
    let found = ask(&["query", &place, "kind:user_message"]);
    let events = found["sessions"][0]["matches"].as_array().expect("there are some").clone();
    let words = |event: &Value| format!("{session}: {}", event["text"].as_str().expect("it has words"));
    events.iter().map(|event| (words(event), event["position"].as_u64().expect("it has one"))).collect()
}

#[test]
fn what_hosts_ask_again_over_a_socket_after_a_kill_is_done_once() {
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path();
    let is_over = AtomicBool::new(false);
    let answered: Vec<BTreeMap<String, u64>> = thread::scope(|scope| {
        let is_over = &is_over;
        let host = |host| scope.spawn(move || speak(host, path.join("socket"), is_over));
        let hosts: Vec<_> = (0..4).map(host).collect();
        let mut state = seed;
        for _ in 0..kills() {
            let recorder = socket::Recorder::start(path);
            thread::sleep(moment(&mut state));
            drop(recorder);
        }
        let recorder = socket::Recorder::start(path);
        is_over.store(true, Ordering::SeqCst);
        let answered = hosts.into_iter().map(|host| host.join().expect("it was answered")).collect();
        recorder.stop();
        answered
    });
    for (host, answered) in answered.iter().enumerate() {
        assert!(kills() < answered.len() as u64, "it came to something, seed {seed}");
        let said: Vec<(String, u64)> =
            [0, 1].iter().flat_map(|number| said(path, &format!("{host}-{number}"))).collect();
        assert_eq!(said, answered.clone().into_iter().collect::<Vec<_>>(), "seed {seed}");
    }
    let log = path.join("session.log").display().to_string();
    assert!(answer(&["verify", &log, "--decisions"]).contains("all as recorded"), "seed {seed}");
}

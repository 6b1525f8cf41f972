//! The command line: what may be said, and what each word means to people.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};
use replay_store::compare::sessions::Kind;
use replay_store::explain::findings::FoundKind;
use replay_store::profile::Profile;

use crate::commands::export::Format;
use crate::compared::{DiffFormat, Ignored, Moment};
use crate::config::{ThemeChoice, theme};
use crate::file_line::FileLine;

/// Replays what happened in an agent's conversation, step by step.
#[derive(Debug, Parser)]
#[command(
    name = "replay",
    version,
    arg_required_else_help = true,
    override_usage = "replay [OPTIONS] SESSION\n       replay [OPTIONS] COMMAND …",
    after_help = AFTER_HELP,
    max_term_width = 110
)]
pub(crate) struct Arguments {
    /// A session to debug: a file, FILE#SESSION-ID, or - for stdin
    ///
    /// The file is a log, a tracker dump (flat, ProtoJSON or classic), a broker file or our own JSON Lines; what it is
    /// is found out from its content, and it may be compressed with gzip. Where stdout is no terminal, a summary is
    /// printed instead.
    #[arg(value_name = "SESSION")]
    pub(crate) session: Option<OsString>,
    /// Where the debugger opens.
    #[command(flatten)]
    pub(crate) place: Place,
    /// The debugger's colours: auto, 16 (the terminal's own), dark, light or none
    #[arg(long, value_name = "NAME", value_parser = theme)]
    pub(crate) theme: Option<ThemeChoice>,
    /// Show what another program appends to a log, as it comes: the debugger goes along at the end, F goes back there. Where
    /// there is no terminal, or with --json or --plain, it is show --follow
    #[arg(long, conflicts_with = "turn")]
    pub(crate) follow: bool,
    /// What holds for every command.
    #[command(flatten)]
    pub(crate) global: Global,
    /// What to do instead of debugging.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const AFTER_HELP: &str = "\
A file that is named like a command is opened with its folder in front: replay ./show

Exit codes: 0 fine, 1 the answer is no, 2 the command line makes no sense,
3 the input can't be read, 4 refused (in use, no permission), 70 our bug.";

/// What holds for every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// The agent folder; it wins over the one that the record brings along
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) agent: Option<PathBuf>,
    /// The engine generation: seed or mantle-3.21 [default: the record's, else a guess from the agent folder]
    #[arg(long, value_name = "NAME", global = true, value_parser = profile)]
    pub(crate) profile: Option<Profile>,
    /// Print the answer as JSON, with its schema
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Text that reads from top to bottom, without colours and columns; the debugger asks and answers line by line
    #[arg(long, global = true)]
    pub(crate) plain: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", global = true, default_value = "auto")]
    pub(crate) color: Color,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A moment of a session.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Place {
    /// After N events, or after the raw record N, counted from 0
    #[arg(long, value_name = "N|raw:N")]
    pub(crate) at: Option<At>,
    /// After the last event of turn T, from 1
    #[arg(long, value_name = "T", conflicts_with = "at")]
    pub(crate) turn: Option<u32>,
}

/// What `--at` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// After so many events.
    Position(u64),
    /// After the raw record of that index.
    Raw(u32),
}

impl FromStr for At {
    type Err = String;

    fn from_str(text: &str) -> Result<At, String> {
        let wrong = |_| format!("{text:?} is no position; give a number of events, or raw:N for the raw record N");
        match text.strip_prefix("raw:") {
            Some(index) => index.parse().map(At::Raw).map_err(wrong),
            None => text.parse().map(At::Position).map_err(wrong),
        }
    }
}

/// What `why` is asked about: an entry, a read, a skill, a tool or a line of the agent folder.
#[derive(Clone, Debug, Args)]
pub(crate) struct Asked {
    /// The memory entry whose value is in question: SKILL.NAME, project.NAME, or a name that only one entry has
    #[arg(value_name = "KEY", conflicts_with_all = ["read", "skill", "tool", "line"])]
    pub(crate) key: Option<String>,
    /// Whether the skill of --skill may read this entry
    #[arg(long, value_name = "KEY", requires = "skill")]
    pub(crate) read: Option<String>,
    /// Why this skill is, or is not, active or offered; with --read: the skill that reads
    #[arg(long, value_name = "S")]
    pub(crate) skill: Option<String>,
    /// Why this tool is, or is not, offered
    #[arg(long, value_name = "T", conflicts_with_all = ["read", "skill"])]
    pub(crate) tool: Option<String>,
    /// Why this line of the agent folder is, or is not, in the prompt
    #[arg(long, value_name = "FILE:LINE", conflicts_with_all = ["read", "skill", "tool"])]
    pub(crate) line: Option<FileLine>,
}

/// What to do instead of debugging.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Put foreign records into a log
    ///
    /// A session that the log holds already is carried on where the record goes on from it, and refused where the two
    /// contradict each other.
    Import {
        /// The records; - for stdin
        #[arg(required = true, value_name = "FILE")]
        files: Vec<OsString>,
        /// The log, which is made if there is none
        #[arg(short, long, value_name = "LOG")]
        output: PathBuf,
        /// Take events from somebody who is still writing them: each is durable before the next line is read, and others
        /// see it at once. Ctrl-C ends it as the end of the input does. Of a foreign record, the events of a turn come
        /// when the next one begins
        #[arg(long)]
        follow: bool,
    },
    /// Decide and record what a host does: commands in, one JSON object a line, decisions out
    ///
    /// The host talks to the user and to the model; the rules of the agent folder decide what each may do, and everything is
    /// appended to the log, durable before it is answered. README, "A host beside it", has the commands.
    Record {
        /// The log, which is made if there is none
        #[arg(value_name = "LOG")]
        log: PathBuf,
        /// Answer any number of hosts on a Unix socket that is made here, instead of one on stdin and stdout
        #[arg(long, value_name = "PATH")]
        socket: Option<PathBuf>,
    },
    /// Write sessions as JSON Lines or JSON, with the agent folder and the raw records, or as a page to be read
    Export {
        /// A log, or any other record
        #[arg(value_name = "LOG")]
        session: OsString,
        /// The session, where there are several [default: all]
        #[arg(value_name = "SESSION-ID")]
        id: Option<String>,
        /// What to write
        #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
        format: Format,
        /// Show values of pii entries on a page, which says so
        #[arg(long)]
        reveal: bool,
    },
    /// List the notes on a session, or write one; they are kept beside the record
    Note {
        /// A file, or FILE#SESSION-ID
        #[arg(value_name = "SESSION")]
        session: OsString,
        /// The moment that the note is on.
        #[command(flatten)]
        place: Place,
        /// The note; \"\" takes away the one that is there
        #[arg(value_name = "TEXT")]
        text: Option<String>,
    },
    /// List the sessions of a record
    List {
        /// A log, or any other record
        #[arg(value_name = "LOG")]
        session: OsString,
    },
    /// Show what held at a moment [default: the end]
    Show {
        /// A file, FILE#SESSION-ID, or -
        #[arg(value_name = "SESSION")]
        session: OsString,
        /// The moment.
        #[command(flatten)]
        place: Place,
        /// What to show; may be given several times, and holds for --json, too [default: all but the conversation]
        #[arg(long, value_name = "WHAT", value_delimiter = ',')]
        what: Vec<What>,
        /// Write the raw records of the event, byte for byte; refused on a terminal
        #[arg(long, conflicts_with_all = ["json", "what"])]
        raw: bool,
        /// With --raw: as offset, hex and text, which may go to a terminal
        #[arg(long, requires = "raw")]
        hex: bool,
        /// Write a line for each event of a log as it is appended, and wait for the next: those behind --at N, or the last
        /// ten and what comes. All sessions of the log, unless one is named
        #[arg(long, conflicts_with_all = ["what", "raw", "turn"])]
        follow: bool,
    },
    /// Show what the model got at a call [default: the last one]
    Prompt {
        /// A file, FILE#SESSION-ID, or -
        #[arg(value_name = "SESSION")]
        session: OsString,
        /// The agent turn, from 1
        #[arg(long, value_name = "T")]
        turn: Option<u32>,
        /// Which model call of the turn, from 1 [default: 1]
        #[arg(long, value_name = "K", requires = "turn")]
        call: Option<u32>,
        /// Which rephrase of the turn, from 1 where no number is given: a call that rewords a response
        #[arg(long, value_name = "N", requires = "turn", conflicts_with = "call", num_args = 0..=1, default_missing_value = "1")]
        rephrase: Option<u32>,
        /// The prompt that would have been built at a position: N or raw:N
        #[arg(long, value_name = "N|raw:N", conflicts_with = "turn")]
        at: Option<At>,
        /// Say of each piece where it comes from: a line of the agent folder, an event, or built in (JSON always does)
        #[arg(long, conflicts_with_all = ["json", "raw"])]
        source: bool,
        /// Show what would stand there if nothing were withheld: refused reads, and paragraphs with a closed condition
        #[arg(long, conflicts_with_all = ["raw", "source", "diff", "rephrase"])]
        holes: bool,
        /// Compare it with the prompt of the model call before it, word by word, each changed line with its cause
        #[arg(long, conflicts_with_all = ["raw", "source"])]
        diff: bool,
        /// Compare it with the prompt of the first model call of turn T instead, which is then the later side
        #[arg(long, value_name = "T", requires = "diff")]
        to: Option<u32>,
        /// Show large texts of a difference in full instead of folded
        #[arg(long, requires = "diff")]
        full: bool,
        /// What to write of a difference [default: human; json with --json]
        #[arg(long, value_name = "FORMAT", requires = "diff", conflicts_with = "json")]
        format: Option<Answer>,
        /// Show values of pii entries in the report, which says so
        #[arg(long, requires = "format")]
        reveal: bool,
        /// Write the system prompt byte for byte; refused on a terminal
        #[arg(long, conflicts_with = "json")]
        raw: bool,
    },
    /// Say why it is so: a value, a read, a skill, a tool, a line of the prompt [default: at the end]
    ///
    /// The answer comes with the rule and line that decided, the condition as a tree, the smallest change that would
    /// turn it round, and the events that it rests on.
    Why {
        /// A file, FILE#SESSION-ID, or -
        #[arg(value_name = "SESSION")]
        session: OsString,
        /// What is in question.
        #[command(flatten)]
        asked: Asked,
        /// The moment.
        #[command(flatten)]
        place: Place,
        /// What to write [default: human; json with --json]
        #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
        format: Option<Answer>,
        /// Show values of pii entries in the report, which says so
        #[arg(long, requires = "format")]
        reveal: bool,
    },
    /// List what wrote a memory entry, cleared or reset it, and what was refused, newest first
    Last {
        /// A file, FILE#SESSION-ID, or -
        #[arg(value_name = "SESSION")]
        session: OsString,
        /// The memory entry: SKILL.NAME, project.NAME, or a name that only one entry has
        #[arg(value_name = "KEY")]
        key: String,
        /// The moment up to which is looked.
        #[command(flatten)]
        place: Place,
    },
    /// List what read a memory entry: prompts, conditions, responses, arguments of tools, newest first
    Reads {
        /// A file, FILE#SESSION-ID, or -
        #[arg(value_name = "SESSION")]
        session: OsString,
        /// The memory entry: SKILL.NAME, project.NAME, or a name that only one entry has
        #[arg(value_name = "KEY")]
        key: String,
        /// The moment up to which is looked.
        #[command(flatten)]
        place: Place,
        /// From which position on
        #[arg(long, value_name = "N", default_value_t = 0)]
        from: u64,
    },
    /// List what looks wrong in a session, the worst first, and what to do about it
    Findings {
        /// A file, FILE#SESSION-ID, or -
        #[arg(value_name = "SESSION")]
        session: OsString,
        /// Only findings of these kinds, by the names that JSON has
        #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = crate::commands::findings::kind)]
        kind: Vec<FoundKind>,
        /// What to write [default: human; json with --json]
        #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
        format: Option<Answer>,
        /// Show values of pii entries in the report, which says so
        #[arg(long, requires = "format")]
        reveal: bool,
    },
    /// Find events by an expression, or tell the value of fields at every turn
    #[command(after_help = crate::commands::query::HELP)]
    Query {
        /// A file, FILE#SESSION-ID, or -; all its sessions are searched unless one is named; or a folder, of which all
        /// files are
        #[arg(value_name = "SESSION")]
        session: OsString,
        /// Which events; with --every-turn the fields, parted by commas
        #[arg(value_name = "EXPR")]
        expression: String,
        /// Tell the value of fields at the end of every turn, as a table
        #[arg(long)]
        every_turn: bool,
    },
    /// Show who may read and write what [default: at the end]
    Access {
        /// A file, FILE#SESSION-ID, or -
        #[arg(value_name = "SESSION")]
        session: OsString,
        /// The moment.
        #[command(flatten)]
        place: Place,
    },
    /// Compare two sessions, or two moments of one; the exit code is 1 where they differ
    ///
    /// Two sessions are laid side by side by user message, and in it by agent turn. A SESSION alone is compared with
    /// itself: --from says which moment, --to which other one.
    Diff {
        /// The session: a file, FILE#SESSION-ID, or -
        #[arg(value_name = "SESSION")]
        session: OsString,
        /// The session that it is compared with
        #[arg(value_name = "OTHER", required_unless_present = "from", conflicts_with_all = ["from", "to"])]
        other: Option<OsString>,
        /// The first moment of SESSION: a position, raw:N for a raw record, or turn:T for the end of a turn
        #[arg(long, value_name = "N|raw:N|turn:T")]
        from: Option<Moment>,
        /// The other moment [default: the end]
        #[arg(long, value_name = "N|raw:N|turn:T", requires = "from")]
        to: Option<Moment>,
        /// Show these kinds of difference only: state, decision, skill, tool, prompt, text
        #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = crate::compared::kind)]
        kind: Vec<Kind>,
        /// What makes no difference between two sessions: ids, times, or none [default: ids,times]
        #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = crate::compared::noise, conflicts_with = "from")]
        ignore: Vec<Ignored>,
        /// What to write [default: human]
        #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
        format: Option<DiffFormat>,
        /// Show large texts in full instead of folded
        #[arg(long)]
        full: bool,
        /// Show values of pii entries in the report, which says so
        #[arg(long, requires = "format")]
        reveal: bool,
    },
    /// Recompute the digests of a log and say what they vouch for
    Verify {
        /// The log
        #[arg(value_name = "LOG")]
        log: PathBuf,
        /// Decide and render again, too, what was decided by us, and compare it with what was recorded
        #[arg(long)]
        decisions: bool,
    },
    /// Check an agent folder: what the engine refuses, and what it lets through to hurt later
    ///
    /// All findings are said at once, by file and line. The exit code is 1 where one of them is an error.
    Check {
        /// The agent folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// What to write [default: human; json with --json]
        #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
        format: Option<Report>,
    },
    /// Explain a code of `check`, with an example of wrong and right, or a rule by its number, with what it decides in a
    /// session [default: list all codes]
    Explain {
        /// The code, as `check` writes it in brackets, or a rule's number, as answers write it: M43
        #[arg(value_name = "CODE|RULE")]
        code: Option<String>,
    },
    /// Print the debugger's configuration: where its file is, what is wrong in it, and all that it may say
    Config,
    /// Print the completions of a shell; its manual says where they belong
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or that of a command: replay man | man -l -
    Man {
        /// The command
        #[arg(value_name = "COMMAND")]
        command: Option<String>,
    },
}

/// What `why` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Answer {
    /// The answer with the line and a caret.
    Human,
    /// One line of JSON, with its schema.
    Json,
    /// A report in Markdown, for a ticket; values of pii entries are hidden in it.
    Md,
}

/// What `check` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Report {
    /// Each finding with its line and a caret.
    Human,
    /// One line of JSON, with its schema.
    Json,
    /// Annotations that GitHub shows beside the lines.
    Github,
    /// SARIF 2.1.0, which code scanners read.
    Sarif,
}

/// What `show` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// The memory entries.
    Memory,
    /// The skill stack.
    Stack,
    /// The last event applied.
    Event,
    /// What user and agent said up to there.
    Conversation,
    /// Each read, write, gate, lock, skill and tool that was decided in the step to the moment.
    Decisions,
    /// What looks wrong in the record, what the agent folder lacks, and how much `check` finds in it.
    Findings,
}

fn profile(name: &str) -> Result<Profile, String> {
    Profile::parse(name).ok_or_else(|| {
        let names: Vec<&str> = Profile::ALL.iter().map(|profile| profile.name()).collect();
        format!("no such profile; there are {}", names.join(" and "))
    })
}

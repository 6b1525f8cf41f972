//! All that the screens show. Views read it; only [`crate::update`] writes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use ratatui::layout::Rect;
use replay_store::event::Position;
use replay_store::event::note::{Note, Notes};
use replay_store::explain::findings::Found;
use replay_store::name::Name;
use replay_store::replay::Session;
use replay_store::replay::rows::MemoryRow;
use replay_store::session::{Cell, State};

use crate::breakpoint::{Breakpoint, When};
use crate::content::decisions::Decisions;
use crate::copy::{Clipping, Opened};
use crate::document::Document;
use crate::export::Export;
use crate::filter::Filter;
use crate::findings::{Findings, Looking};
use crate::fold::Form;
use crate::keymap::Keymap;
use crate::listing::Listing;
use crate::live::Live;
use crate::marks::Marks;
use crate::overview::Overview;
use crate::panel::{Arrangement, Layout, Panel, layout};
use crate::picker::Picker;
use crate::prompt::PromptView;
use crate::reading::Reading;
use crate::rows::Place;
use crate::scan::Scan;
use crate::search::Search;
use crate::sessions::List;
use crate::sheet::Sheet;
use crate::stop::Stop;
use crate::theme::{Theme, Tone};
use crate::typing::{History, Typing};

/// Where the user was in each session when it was left, by its id.
pub type Visits = BTreeMap<String, Position>;

/// Everything that the screens show.
#[derive(Debug)]
pub struct App {
    /// The list of sessions, where there are several.
    pub list: Option<List>,
    /// The session that is open.
    pub debugger: Option<Debugger>,
    /// The whole screen.
    pub area: Rect,
    /// Whether colours are used.
    pub theme: Theme,
    /// A line that is being typed.
    pub typing: Option<Typing>,
    /// The lines that were typed before.
    pub history: History,
    /// The picker, if it is open.
    pub picker: Option<Picker>,
    /// The list of marks or breakpoints, if it is open.
    pub listing: Option<Listing>,
    /// The help screen, if it is open.
    pub help: Option<Help>,
    /// What the last action has to say.
    pub message: Option<Message>,
    /// The number typed in front of a key.
    pub count: Option<usize>,
    /// The first key of a sequence.
    pub prefix: Option<Prefix>,
    /// What only the terminal's loop can do.
    pub wish: Option<Wish>,
    /// Where the user was in the sessions that were left.
    pub visits: Visits,
    /// How the session was named on the command line.
    pub opened: Opened,
    /// How sessions are followed; `None` where they aren't.
    pub live: Option<Live>,
    /// A search for the place to go to that isn't over yet.
    pub scan: Option<Scan>,
    /// What the next key names.
    pub naming: Option<Naming>,
    /// Which keys do what.
    pub keymap: Keymap,
    /// Where notes are kept; `None` where there is no place for them.
    pub notebook: Option<Notebook>,
    /// Filters that the user gave names.
    pub filters: Filters,
    /// Where they are kept; `None` where there is no place for them, so that they are forgotten at the end.
    pub filter_shelf: Option<FilterShelf>,
}

/// What the next key names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// The mark to set.
    Mark,
    /// The mark to go to.
    ToMark,
}

/// What only the terminal's loop can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// End.
    Quit,
    /// Go to the shell until the user comes back.
    Suspend,
    /// Forget what the screen shows, and draw all of it.
    Redraw,
    /// Copy a text.
    Copy(Clipping),
    /// Open a file of the agent folder in the user's editor.
    Edit(Edit),
    /// Write a file.
    Export(Export),
}

/// A line of the agent folder to be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The file, below the agent folder.
    pub file: Name,
    /// The line, from 1.
    pub line: u32,
    /// What the file holds, as far as it is kept.
    pub bytes: Arc<[u8]>,
}

/// Keeps a note: what to say about it, or why it can't be kept, in one sentence.
pub type Keep = dyn Fn(&Note) -> Result<String, String>;

/// Where notes are kept.
pub struct Notebook {
    /// Returns the notes on a session.
    pub read: Box<dyn Fn(&Name) -> Notes>,
    /// Keeps a note; both answers are one sentence.
    pub keep: Box<Keep>,
}

impl fmt::Debug for Notebook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notebook").finish_non_exhaustive()
    }
}

/// Filters by the names that the user gave them.
pub type Filters = BTreeMap<String, String>;

/// Keeps a filter under a name, or forgets it where there is none: all that are kept then, or why it can't be done, in
/// one sentence.
pub type KeepFilter = dyn Fn(&str, Option<&str>) -> Result<Filters, String>;

/// Where named filters are kept.
pub struct FilterShelf {
    /// Returns all of them.
    pub read: Box<dyn Fn() -> Filters>,
    /// Keeps or forgets one.
    pub keep: Box<KeepFilter>,
}

impl fmt::Debug for FilterShelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilterShelf").finish_non_exhaustive()
    }
}

/// The help screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Help {
    /// Only rows with this text are shown.
    pub filter: String,
    /// The first row that is seen.
    pub top: usize,
}

/// What an action has to say, at the bottom of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The words.
    pub text: String,
    /// How they look.
    pub tone: Tone,
}

/// The first key of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// The key.
    pub key: String,
    /// Where the cursor and that of the panel were before it, for keys that mean something alone, too.
    pub before: Option<(Spot, Jumps)>,
}

/// A session and where in it the user is.
#[derive(Debug)]
pub struct Debugger {
    /// The session.
    pub session: Arc<Session>,
    /// How many events are applied.
    pub cursor: Position,
    /// What holds there.
    pub state: State,
    /// What held before the event at the cursor; at position 0 the same.
    pub before: State,
    /// The memory panel's lines.
    pub memory: Vec<MemoryItem>,
    /// Namespaces whose entries are folded away, by the names of their headings.
    pub folded: BTreeSet<String>,
    /// The position that they were made for: they are made when the panel is seen.
    pub memory_at: Option<Position>,
    /// The panel that has the keys.
    pub focus: Panel,
    /// The other panels, the last one with the keys first.
    pub recent: Vec<Panel>,
    /// Whether the panel is alone on the screen.
    pub zoomed: bool,
    /// The cursor of each panel but the timeline.
    pub places: [Place; Panel::ALL.len()],
    /// The prompt panel.
    pub prompt: PromptView,
    /// The event panel.
    pub event: EventView,
    /// What was decided in the step to the cursor, made when its panel is seen.
    pub decisions: Option<Decisions>,
    /// The notes on it.
    pub notes: Notes,
    /// The last answer to a question.
    pub answer: Option<Sheet>,
    /// How JSON is shown.
    pub form: Form,
    /// The story of a memory entry, if it is open.
    pub story: Option<Story>,
    /// The last search.
    pub search: Option<Search>,
    /// A list of reads that isn't complete yet.
    pub reading: Option<Reading>,
    /// The timeline's filter, on or off.
    pub filter: Option<Filter>,
    /// Where the user was before each jump, the last one last, and what going back has left.
    pub jumps: Jumps,
    /// What looks wrong in the session, as far as it was looked for.
    pub findings: Findings,
    /// The whole session in a row, made when it is seen.
    pub overview: Option<Overview>,
    /// What `replay check` finds in the agent folder; counted when the findings are seen for the first time.
    pub folder: Option<FolderCount>,
    /// What the user set to find the way: marks, breakpoints, the size of a step.
    pub way: Way,
}

/// What the user set to find the way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Way {
    /// Named marks.
    pub marks: Marks,
    /// Breakpoints and watchpoints, in the order in which they were set.
    pub breakpoints: Vec<Breakpoint>,
    /// The position that others are compared with.
    pub pin: Option<Position>,
    /// What a step is; `None` is an event.
    pub step: Option<Stop>,
}

impl Way {
    /// Returns the entries that are watched, in the order in which that began.
    pub(crate) fn watched(&self) -> impl Iterator<Item = &Name> {
        self.breakpoints.iter().filter_map(|breakpoint| match &breakpoint.when {
            When::Changes(key) => Some(key),
            When::At(_) | When::Kind(_) | When::Query(_) => None,
        })
    }
}

/// Where the user was before each jump.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Jumps {
    /// Places to go back to, the last one last.
    pub back: Vec<Spot>,
    /// Places to go forward to again, the next one last.
    pub ahead: Vec<Spot>,
}

/// Where the user is: a position, and the panel with the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The position.
    pub cursor: Position,
    /// The panel with the keys.
    pub focus: Panel,
    /// Whether it was alone on the screen.
    pub zoomed: bool,
    /// The row under its cursor.
    pub place: Place,
    /// Whether the prompt was the hypothetical one.
    pub hypothetical: bool,
}

/// How many errors and warnings an agent folder has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderCount {
    /// What the engine refuses.
    pub errors: usize,
    /// What it lets through to hurt later.
    pub warnings: usize,
}

/// A line of the memory panel.
#[derive(Clone, Debug, PartialEq)]
pub enum MemoryItem {
    /// Entries of this namespace follow, unless they are folded away.
    Header(Heading),
    /// An entry; with what was there before, where the event at the cursor changed it.
    Entry(Box<MemoryRow>, Option<MemoryChange>),
    /// The same above all others, because it is watched.
    Watched(Box<MemoryRow>, Option<MemoryChange>),
}

/// A row above entries that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Whose they are, which is also what they are folded by.
    pub name: String,
    /// Whether they are those of the active skill.
    pub is_active: bool,
    /// How many are folded away, and how many of them the event at the cursor changed.
    pub folded: Option<(usize, usize)>,
}

impl MemoryItem {
    /// Returns the entry of the row, if it is one.
    pub(crate) fn entry(&self) -> Option<&MemoryRow> {
        match self {
            MemoryItem::Entry(row, _) | MemoryItem::Watched(row, _) => Some(row),
            MemoryItem::Header(_) => None,
        }
    }

    /// Returns whether the event at the cursor changed its entry.
    pub(crate) fn is_changed(&self) -> bool {
        match self {
            MemoryItem::Entry(_, change) | MemoryItem::Watched(_, change) => change.is_some(),
            MemoryItem::Header(_) => false,
        }
    }
}

/// What an entry held before the event at the cursor.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryChange(pub Option<Cell>);

/// The event panel: the event at a position and its raw records.
#[derive(Debug, Default)]
pub struct EventView {
    /// The position that it was made for.
    pub at: Option<Position>,
    /// Its text.
    pub document: Document,
}

/// All that happened to a memory entry up to the cursor, newest first.
#[derive(Debug)]
pub struct Story {
    /// The entry.
    pub key: String,
    /// Its text; the origin of a line is the position of its event.
    pub document: Document,
    /// The row under the cursor.
    pub place: Place,
}

impl App {
    /// Returns an app without a session; one is opened from `list`, or put in.
    pub fn new(theme: Theme) -> App {
        App {
            list: None,
            debugger: None,
            area: Rect::new(0, 0, 80, 24),
            theme,
            typing: None,
            history: History::default(),
            picker: None,
            listing: None,
            help: None,
            message: None,
            count: None,
            prefix: None,
            wish: None,
            visits: Visits::new(),
            opened: Opened::default(),
            live: None,
            scan: None,
            naming: None,
            keymap: Keymap::default(),
            notebook: None,
            filters: Filters::new(),
            filter_shelf: None,
        }
    }

    /// Returns whether something goes on that wants [`crate::Action::Tick`] while no key waits.
    pub fn is_busy(&self) -> bool {
        let indexes = self.debugger.iter().flat_map(|debugger| {
            let indexes = [
                debugger.search.as_ref().map(|search| &search.index),
                debugger.filter.as_ref().map(|filter| &filter.index),
            ];
            indexes.into_iter().flatten().map(|index| index.is_complete(&debugger.session))
        });
        let reads = self.debugger.iter().any(|debugger| {
            debugger.reading.is_some()
                || debugger.findings.looking() == Looking::Going
                || debugger.overview.as_ref().is_some_and(|overview| !overview.is_complete())
        });
        reads || self.scan.is_some() || indexes.into_iter().any(|is_complete| !is_complete)
    }
}

impl Debugger {
    /// Returns where everything stands on a screen.
    pub fn layout(&self, area: Rect) -> Layout {
        layout(area, Arrangement { focus: self.focus, recent: &self.recent, zoomed: self.zoomed })
    }

    /// Returns whether a panel is on the screen.
    pub fn shows(&self, panel: Panel, area: Rect) -> bool {
        self.layout(area).panels.iter().any(|(shown, _)| *shown == panel)
    }

    /// Returns the filter, if it is on.
    pub fn filtered(&self) -> Option<&Filter> {
        self.filter.as_ref().filter(|filter| filter.is_on)
    }

    /// Returns the cursor of a panel.
    pub fn place(&self, panel: Panel) -> Place {
        self.places[panel as usize]
    }

    /// Returns the answer that a panel shows.
    pub fn sheet(&self, panel: Panel) -> Option<&Sheet> {
        match panel {
            Panel::Answer => self.answer.as_ref(),
            Panel::Decisions => self.decisions.as_ref().map(|decisions| &decisions.sheet),
            Panel::Timeline
            | Panel::Conversation
            | Panel::Memory
            | Panel::Stack
            | Panel::Prompt
            | Panel::Event
            | Panel::Findings => None,
        }
    }

    /// Returns where the user is.
    pub fn spot(&self) -> Spot {
        Spot {
            cursor: self.cursor,
            focus: self.focus,
            zoomed: self.zoomed,
            place: self.place(self.focus),
            hypothetical: self.prompt.hypothetical,
        }
    }

    /// Returns the finding under the cursor of its panel.
    pub fn selected_finding(&self) -> Option<&Found> {
        self.findings.found.get(self.place(Panel::Findings).line)
    }

    /// Returns the memory entry under the cursor of its panel.
    pub fn selected_entry(&self) -> Option<&MemoryRow> {
        self.memory.get(self.place(Panel::Memory).line)?.entry()
    }
}

/// Returns the part of a panel below its title, without the column that parts it from its left neighbour.
pub(crate) fn inside(panel: Rect) -> Rect {
    let left = u16::from(panel.x > 0);
    Rect {
        x: panel.x + left,
        y: panel.y + 1,
        width: panel.width.saturating_sub(left),
        height: panel.height.saturating_sub(1),
    }
}

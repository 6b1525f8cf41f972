//! What a tone looks like: attributes always, colours of the terminal's own palette where they are wanted.
//!
//! No tone is told by its colour alone; the words and glyphs beside it say the same. Black and white are never named,
//! so that light and dark terminals both work.

use ratatui::style::{Color, Modifier, Style};

/// Whether colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Theme {
    /// The terminal's 16 colours.
    #[default]
    Palette,
    /// None: `NO_COLOR` is set, or `--color never` asked for.
    Plain,
}

/// What a stretch of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tone {
    /// Ordinary text.
    Plain,
    /// Less important.
    Quiet,
    /// More important.
    Strong,
    /// The title of a panel.
    Title,
    /// The title of the panel that has the keys.
    FocusedTitle,
    /// What the user said.
    User,
    /// What the agent said.
    Agent,
    /// A tool.
    Tool,
    /// A memory entry.
    Memory,
    /// A skill or block.
    Skill,
    /// What this step changed.
    Changed,
    /// Refused, declined or failed.
    Bad,
    /// Waits for somebody.
    Waiting,
    /// Text that an event put into a prompt.
    Inserted,
    /// A place that the search found.
    Match,
    /// The row under the cursor in the panel that has the keys.
    Cursor,
    /// The row under the cursor in another panel.
    Place,
}

impl Tone {
    /// All tones, for legends.
    pub const ALL: [Tone; 17] = [
        Tone::Plain,
        Tone::Quiet,
        Tone::Strong,
        Tone::Title,
        Tone::FocusedTitle,
        Tone::User,
        Tone::Agent,
        Tone::Tool,
        Tone::Memory,
        Tone::Skill,
        Tone::Changed,
        Tone::Bad,
        Tone::Waiting,
        Tone::Inserted,
        Tone::Match,
        Tone::Cursor,
        Tone::Place,
    ];
}

impl Theme {
    /// Returns the look of a tone.
    pub fn style(self, tone: Tone) -> Style {
        let style = Style::new().add_modifier(attributes(tone));
        match (self, colour(tone)) {
            (Theme::Palette, Some(colour)) => style.fg(colour),
            (Theme::Palette, None) | (Theme::Plain, _) => style,
        }
    }
}

impl Theme {
    /// Returns the look of a tone on a row that has one of its own. A reversed row keeps one colour, so that it reads
    /// as one thing.
    pub fn style_on(self, tone: Tone, row: Tone) -> Style {
        let on_cursor = match tone {
            Tone::Match => Modifier::BOLD.union(Modifier::UNDERLINED),
            other => attributes(other).difference(Modifier::DIM),
        };
        match row {
            Tone::Cursor => self.style(row).add_modifier(on_cursor),
            row => self.style(row).patch(self.style(tone)),
        }
    }
}

fn attributes(tone: Tone) -> Modifier {
    match tone {
        Tone::Plain | Tone::Tool | Tone::Memory | Tone::Skill | Tone::Agent => Modifier::empty(),
        Tone::Quiet => Modifier::DIM,
        Tone::Strong | Tone::User | Tone::Changed | Tone::Bad | Tone::Waiting | Tone::Place => Modifier::BOLD,
        Tone::Title => Modifier::DIM,
        Tone::FocusedTitle => Modifier::BOLD,
        Tone::Inserted => Modifier::UNDERLINED,
        Tone::Match => Modifier::REVERSED.union(Modifier::BOLD),
        Tone::Cursor => Modifier::REVERSED,
    }
}

fn colour(tone: Tone) -> Option<Color> {
    match tone {
        Tone::Plain | Tone::Quiet | Tone::Strong | Tone::Title | Tone::Agent | Tone::Cursor | Tone::Place => None,
        Tone::FocusedTitle | Tone::User => Some(Color::Cyan),
        Tone::Tool => Some(Color::Blue),
        Tone::Memory | Tone::Inserted | Tone::Changed => Some(Color::Green),
        Tone::Skill | Tone::Waiting => Some(Color::Magenta),
        Tone::Bad => Some(Color::Red),
        Tone::Match => Some(Color::Yellow),
    }
}

//! What a tone looks like: attributes always, colours where they are wanted.
//!
//! No tone is told by its colour alone; the words and glyphs beside it say the same. Black and white are never named,
//! and what is most of the screen keeps the terminal's own colours.

use ratatui::style::{Color, Modifier, Style};

/// Which colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Theme {
    /// The terminal's 16 colours, which its owner has chosen: right on any background.
    #[default]
    Palette,
    /// Some of 256 colours that can be read on a dark background.
    Dark,
    /// Some of 256 colours that can be read on a light background.
    Light,
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
    /// All themes by the names that people write.
    pub const NAMES: [(&'static str, Theme); 4] =
        [("16", Theme::Palette), ("dark", Theme::Dark), ("light", Theme::Light), ("none", Theme::Plain)];

    /// Returns the look of a tone.
    pub fn style(self, tone: Tone) -> Style {
        let style = Style::new().add_modifier(attributes(tone));
        let colour = match self {
            Theme::Palette => palette(tone),
            Theme::Dark => dark(tone),
            Theme::Light => light(tone),
            Theme::Plain => None,
        };
        match (colour, self.background(tone)) {
            (_, Some(background)) => style.remove_modifier(Modifier::REVERSED).bg(background),
            (Some(colour), None) => style.fg(colour),
            (None, None) => style,
        }
    }

    /// Returns the colour behind a whole row, where the theme knows what is behind the others.
    fn background(self, tone: Tone) -> Option<Color> {
        match (self, tone) {
            (Theme::Dark, Tone::Cursor) => Some(Color::Indexed(236)),
            (Theme::Light, Tone::Cursor) => Some(Color::Indexed(254)),
            _ => None,
        }
    }

    /// Returns the look of a tone on a row that has one of its own. A reversed row keeps one colour, so that it reads
    /// as one thing.
    pub fn style_on(self, tone: Tone, row: Tone) -> Style {
        let on_cursor = match tone {
            Tone::Match => Modifier::BOLD.union(Modifier::UNDERLINED),
            other => attributes(other).difference(Modifier::DIM),
        };
        match row {
            Tone::Cursor if self.background(row).is_some() && tone != Tone::Cursor => {
                self.style(row).patch(self.style(tone).remove_modifier(Modifier::DIM))
            }
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

fn palette(tone: Tone) -> Option<Color> {
    colours(tone).map(|(palette, _, _)| palette)
}

fn dark(tone: Tone) -> Option<Color> {
    colours(tone).map(|(_, dark, _)| Color::Indexed(dark))
}

fn light(tone: Tone) -> Option<Color> {
    colours(tone).map(|(_, _, light)| Color::Indexed(light))
}

/// Returns the colour of a tone: of the terminal's palette, on a dark background, on a light one.
fn colours(tone: Tone) -> Option<(Color, u8, u8)> {
    match tone {
        Tone::Plain | Tone::Quiet | Tone::Strong | Tone::Title | Tone::Agent | Tone::Cursor | Tone::Place => None,
        Tone::FocusedTitle | Tone::User => Some((Color::Cyan, 80, 24)),
        Tone::Tool => Some((Color::Blue, 111, 25)),
        Tone::Memory | Tone::Inserted | Tone::Changed => Some((Color::Green, 114, 22)),
        Tone::Skill | Tone::Waiting => Some((Color::Magenta, 183, 90)),
        Tone::Bad => Some((Color::Red, 210, 124)),
        Tone::Match => Some((Color::Yellow, 221, 94)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how bright a colour of the 256 is, 0 to 1 (WCAG's relative luminance).
    fn luminance(index: u8) -> f64 {
        const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
        let channels = match index {
            232.. => [8 + 10 * (index - 232); 3],
            16.. => [36, 6, 1].map(|place| STEPS[usize::from((index - 16) / place % 6)]),
            _ => panic!("the first 16 are the terminal's own"),
        };
        let linear = channels.map(|channel| (f64::from(channel) / 255.0).powf(2.2));
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    fn contrast(one: f64, other: f64) -> f64 {
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn each_colour_can_be_read_on_its_background_and_on_the_cursor() {
        for (_, dark, light) in Tone::ALL.into_iter().filter_map(colours) {
            assert!(contrast(luminance(dark), 0.01) >= 7.0, "{dark} on dark");
            assert!(contrast(luminance(dark), luminance(236)) >= 4.5, "{dark} on the cursor");
            assert!(contrast(luminance(light), 1.0) >= 5.5, "{light} on light");
            assert!(contrast(luminance(light), luminance(254)) >= 4.5, "{light} on the cursor");
        }
    }
}

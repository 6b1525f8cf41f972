//! The colour behind the terminal's text: asked for once, by OSC 11, and never waited for.
//!
//! A terminal answers through its keys, soon, late or never. So the answer is taken out of the keys whenever it comes, as
//! the keys that it would be taken for: `Alt-]`, its characters, and `Ctrl-g` or `Alt-\` at its end.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};

use crate::theme::Theme;

/// A question to the terminal.
#[derive(Debug)]
pub(super) struct Question {
    asked: Option<Instant>,
    /// The characters of an answer that has begun.
    begun: Option<String>,
}

/// What a key or another event is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// No part of an answer.
    Other(Event),
    /// A part of one.
    Part,
    /// The end of one: the theme for that background.
    Answer(Theme),
}

/// What an answer begins with.
const ANSWER: &str = "11;rgb:";
/// An answer has fewer characters. What is longer is none.
const LONGEST: usize = 40;
/// An answer that didn't come so long after the question won't come any more.
const SOON: Duration = Duration::from_secs(1);
/// How soon the second part of a sequence comes that was torn apart on its way.
const TORN: Duration = Duration::from_millis(20);
/// How long one is waited for before the terminal is given back, so that no shell reads it.
const PATIENCE: Duration = Duration::from_millis(200);

impl Question {
    /// Asks nothing.
    pub(super) fn none() -> Question {
        Question { asked: None, begun: None }
    }

    /// Asks.
    pub(super) fn ask(terminal: &mut dyn Write) -> io::Result<Question> {
        terminal.write_all(b"\x1b]11;?\x07")?;
        terminal.flush()?;
        Ok(Question { asked: Some(Instant::now()), begun: None })
    }

    /// Reads the next event, and the one behind it where both may be one that was torn apart.
    pub(super) fn read(&mut self) -> io::Result<Vec<Taken>> {
        let event = read()?;
        let may_begin = self.begun.is_none() && self.asked.is_some_and(|asked| asked.elapsed() < SOON);
        let is_escape = matches!(event, Event::Key(KeyEvent { code: KeyCode::Esc, .. }));
        if !may_begin || !is_escape || !poll(TORN)? {
            return Ok(vec![self.take(event)]);
        }
        let next = read()?;
        match &next {
            Event::Key(key) if is(*key, ']', KeyModifiers::NONE) => {
                self.begun = Some(String::new());
                Ok(vec![Taken::Part])
            }
            _ => Ok(vec![Taken::Other(event), self.take(next)]),
        }
    }

    /// Takes a part of the answer out of the events.
    fn take(&mut self, event: Event) -> Taken {
        let key = match &event {
            Event::Key(key) if self.asked.is_some() && key.kind != KeyEventKind::Release => *key,
            _ => return Taken::Other(event),
        };
        let Some(begun) = &mut self.begun else {
            if !is(key, ']', KeyModifiers::ALT) {
                return Taken::Other(event);
            }
            self.begun = Some(String::new());
            return Taken::Part;
        };
        let is_end = is(key, 'g', KeyModifiers::CONTROL) || is(key, '\\', KeyModifiers::ALT);
        if let KeyCode::Char(character) = key.code
            && !is_end
        {
            begun.push(character);
            if begun.len() < LONGEST && (ANSWER.starts_with(begun.as_str()) || begun.starts_with(ANSWER)) {
                return Taken::Part;
            }
        }
        let theme = theme(begun).filter(|_| is_end);
        match (theme, is_end) {
            (Some(theme), _) => {
                *self = Question::none();
                Taken::Answer(theme)
            }
            // It was none: somebody pressed Alt-].
            (None, _) => {
                self.begun = None;
                if is_end { Taken::Part } else { Taken::Other(event) }
            }
        }
    }

    /// Waits a moment for an answer that may be under way, and forgets it with all keys before it. What comes later
    /// would be read by whoever has the terminal next.
    pub(super) fn forget(&mut self) -> io::Result<()> {
        let Some(asked) = self.asked.filter(|asked| asked.elapsed() < SOON) else { return Ok(()) };
        let until = asked.elapsed() + PATIENCE;
        while self.asked.is_some() && poll(until.saturating_sub(asked.elapsed()))? {
            self.take(read()?);
        }
        *self = Question::none();
        Ok(())
    }
}

fn is(key: KeyEvent, character: char, modifiers: KeyModifiers) -> bool {
    key.code == KeyCode::Char(character) && key.modifiers == modifiers
}

/// Reads `11;rgb:RRRR/GGGG/BBBB`, with one to four digits each.
fn theme(answer: &str) -> Option<Theme> {
    let mut parts = answer.strip_prefix(ANSWER)?.split('/');
    let mut part = || {
        let digits = parts.next().filter(|digits| (1..=4).contains(&digits.len()))?;
        let most = (1u32 << (4 * digits.len())) - 1;
        Some(f64::from(u32::from_str_radix(digits, 16).ok()?) / f64::from(most))
    };
    let (red, green, blue) = (part()?, part()?, part()?);
    // How bright it looks (Rec. 709).
    let brightness = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    parts.next().is_none().then_some(if brightness > 0.5 { Theme::Light } else { Theme::Dark })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(character: char, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(KeyCode::Char(character), modifiers))
    }

    /// Sends an answer with keys around it and returns what isn't taken out, and the theme.
    fn play(answer: &str, end: Event) -> (String, Option<Theme>) {
        let mut question = Question { asked: Some(Instant::now()), begun: None };
        let plain = |text: &str| text.chars().map(|one| key(one, KeyModifiers::NONE)).collect::<Vec<_>>();
        let begin = [key(']', KeyModifiers::ALT)];
        let events = [plain("j]w"), begin.to_vec(), plain(answer), vec![end], plain("k")].concat();
        let (mut others, mut seen) = (String::new(), None);
        for event in events {
            match question.take(event) {
                Taken::Other(Event::Key(KeyEvent { code: KeyCode::Char(character), .. })) => others.push(character),
                Taken::Other(_) | Taken::Part => {}
                Taken::Answer(theme) => seen = Some(theme),
            }
        }
        (others, seen)
    }

    #[test]
    fn an_answer_is_taken_out_of_the_keys_and_tells_the_theme() {
        let bell = || key('g', KeyModifiers::CONTROL);
        let st = || key('\\', KeyModifiers::ALT);
        for (answer, end, expected) in [
            ("11;rgb:0000/0000/0000", bell(), Some(Theme::Dark)),
            ("11;rgb:1e1e/1e1e/2e2e", st(), Some(Theme::Dark)),
            ("11;rgb:ffff/ffff/ffff", bell(), Some(Theme::Light)),
            ("11;rgb:fd/f6/e3", st(), Some(Theme::Light)),
            ("11;rgb:f/f/f", bell(), Some(Theme::Light)),
            ("11;rgb:0/0/0/0", bell(), None),
            ("11;rgb:xyz/0/0", bell(), None),
        ] {
            assert_eq!(play(answer, end), ("j]wk".to_owned(), expected), "{answer}");
        }
        for text in ["xyz", "11;rgb:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"] {
            let (others, theme) = play(text, bell());
            assert!(others.starts_with("j]wx") && theme.is_none(), "what is no answer becomes keys again: {others}");
        }
    }

    #[test]
    fn nothing_is_taken_where_nothing_was_asked() {
        let event = key(']', KeyModifiers::ALT);
        assert_eq!(Question::none().take(event.clone()), Taken::Other(event));
    }

    #[test]
    fn the_question_is_sent_as_it_is() {
        let mut sent = Vec::new();
        let mut question = Question::ask(&mut sent).expect("memory takes it");
        assert_eq!(sent, b"\x1b]11;?\x07");
        assert_eq!(question.take(Event::FocusGained), Taken::Other(Event::FocusGained));
    }
}

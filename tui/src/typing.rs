//! A line that is being typed at the bottom of the screen: its text, what was typed before, and what would complete it.

/// A line that is being typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typing {
    /// What it is for.
    pub kind: TypingKind,
    /// What was typed so far.
    pub text: String,
    /// Which earlier line is shown, counted from the last one, and what was typed before that was asked for.
    recalled: Option<(usize, String)>,
    /// What completes the last word, and which of it is shown.
    pub completions: Option<Completions>,
}

/// What a typed line is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypingKind {
    /// A command behind `:`.
    Command,
    /// A search behind `/`.
    Search,
    /// A filter behind `f`.
    Filter,
}

/// What completes the last word of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completions {
    /// The line without its last word.
    pub before: String,
    /// The words that it can end in.
    pub words: Vec<String>,
    /// Which of them stands in the line.
    pub shown: usize,
}

/// The lines that were typed, the last one last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    commands: Vec<String>,
    searches: Vec<String>,
    filters: Vec<String>,
}

/// How many lines are remembered.
const REMEMBERED: usize = 100;

impl History {
    /// Returns the lines that were typed for a purpose.
    pub fn of(&self, kind: TypingKind) -> &[String] {
        match kind {
            TypingKind::Command => &self.commands,
            TypingKind::Search => &self.searches,
            TypingKind::Filter => &self.filters,
        }
    }

    /// Adds a line; one that was typed before moves to the end.
    pub fn add(&mut self, kind: TypingKind, text: &str) {
        let lines = match kind {
            TypingKind::Command => &mut self.commands,
            TypingKind::Search => &mut self.searches,
            TypingKind::Filter => &mut self.filters,
        };
        if text.trim().is_empty() {
            return;
        }
        lines.retain(|line| line != text);
        if lines.len() == REMEMBERED {
            lines.remove(0);
        }
        lines.push(text.to_owned());
    }
}

impl Typing {
    /// Begins a line.
    pub fn new(kind: TypingKind) -> Typing {
        Typing { kind, text: String::new(), recalled: None, completions: None }
    }

    /// Changes the text as one who types does, so that nothing is recalled or completed any more.
    pub fn edit(&mut self, change: impl FnOnce(&mut String)) {
        self.recalled = None;
        self.completions = None;
        change(&mut self.text);
    }

    /// Shows the line that was typed before the one that is shown.
    pub fn earlier(&mut self, history: &History) {
        let lines = history.of(self.kind);
        let (back, draft) = match &self.recalled {
            Some((back, draft)) => (back + 1, draft.clone()),
            None => (0, self.text.clone()),
        };
        let Some(place) = lines.len().checked_sub(back + 1) else { return };
        self.completions = None;
        self.text.clone_from(&lines[place]);
        self.recalled = Some((back, draft));
    }

    /// Shows the line that was typed after the one that is shown, and in the end what was begun.
    pub fn later(&mut self, history: &History) {
        let lines = history.of(self.kind);
        let Some((back, draft)) = self.recalled.take() else { return };
        self.completions = None;
        match back.checked_sub(1) {
            Some(back) => {
                self.text.clone_from(&lines[lines.len() - 1 - back]);
                self.recalled = Some((back, draft));
            }
            None => self.text = draft,
        }
    }

    /// Completes the last word, or shows the next of what completes it. `words` is what it can end in.
    pub fn complete(&mut self, words: impl FnOnce(&str) -> Vec<String>, steps: usize) {
        if self.completions.is_none() {
            let words = words(&self.text);
            let begin = self.text.rfind(' ').map_or(0, |blank| blank + 1);
            if words.is_empty() {
                return;
            }
            // The first key shows the first word, whichever way the next ones go.
            let shown = words.len() - 1;
            self.completions = Some(Completions { before: self.text[..begin].to_owned(), words, shown });
        }
        let Some(completions) = &mut self.completions else { return };
        completions.shown = (completions.shown + steps) % completions.words.len();
        self.text = format!("{}{}", completions.before, completions.words[completions.shown]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_lines_come_back_and_the_begun_one_is_kept() {
        let mut history = History::default();
        for line in ["turn 1", "turn 2", "turn 1", " "] {
            history.add(TypingKind::Command, line);
        }
        assert_eq!(history.of(TypingKind::Command), ["turn 2", "turn 1"]);
        assert!(history.of(TypingKind::Search).is_empty());
        let mut typing = Typing::new(TypingKind::Command);
        typing.edit(|text| text.push_str("ra"));
        let mut seen = Vec::new();
        for way in "uuudddd".chars() {
            if way == 'u' {
                typing.earlier(&history)
            } else {
                typing.later(&history)
            }
            seen.push(typing.text.clone());
        }
        assert_eq!(seen, ["turn 1", "turn 2", "turn 2", "turn 1", "ra", "ra", "ra"]);
    }

    #[test]
    fn the_last_word_is_completed_round_and_round() {
        let words = |_: &str| vec!["one".to_owned(), "two".to_owned()];
        let mut typing = Typing::new(TypingKind::Command);
        typing.edit(|text| text.push_str("watch o"));
        let mut seen = Vec::new();
        for _ in 0..3 {
            typing.complete(words, 1);
            seen.push(typing.text.clone());
        }
        assert_eq!(seen, ["watch one", "watch two", "watch one"]);
        typing.complete(|_| Vec::new(), 1);
        assert_eq!(typing.text, "watch two", "what completes was found once");
    }
}

//! Foreign text as people may see it: the only way from a record, a folder or a model to a screen.
//!
//! Nothing raw gets out and nothing is dropped. A control character becomes its picture (`␛`, `␉`, `␊`), a no-break
//! space becomes `⍽`, any other character that a terminal would not show, or would show wider or narrower than it
//! counts, becomes `⟨U+202E⟩`. What would read like such a glyph in the text itself is written out too, so that two
//! different texts never look alike. In what comes out each cluster is as wide as its characters together: terminals
//! that count clusters and those that count characters agree.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Marks on one base that are passed on; further ones are written out, so that no flood of them covers the screen.
pub const MARKS_MAX: usize = 4;

/// No terminal has a cell of more columns, so that where a wider character ends is anybody's guess.
const COLUMNS_MAX: usize = 2;

/// Characters of one cluster that are passed on; the longest chains of joined letters in real words have fewer.
const RUN_MAX: usize = 16;

/// Returns the text on one line, safe to show; a line break becomes `␊`.
///
/// ```
/// use replay_store::visible::visible;
/// assert_eq!(visible("\x1b[2J\u{202e}"), "␛[2J⟨U+202E⟩");
/// assert_eq!(visible("plain"), "plain");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for piece in pieces(text) {
        match piece {
            Piece::Raw(raw) => shown.push_str(raw),
            Piece::Shown(character) => push_glyph(&mut shown, character),
        }
    }
    if shown == text { Cow::Borrowed(text) } else { Cow::Owned(shown) }
}

/// Returns the lines of a text, each still to be shown. A break at the end begins no further line.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line))
}

/// Returns how many columns a text takes that came out of this module.
pub fn width(shown: &str) -> usize {
    if shown.is_ascii() { shown.len() } else { shown.graphemes(true).map(UnicodeWidthStr::width).sum() }
}

/// Cuts a line into rows of at most `columns` columns, after spaces where that can be done. The rows together are
/// [`visible`] of the line. An empty line is one empty row.
///
/// Fewer than two columns count as two, the width of the widest character.
pub fn wrap(line: &str, columns: usize) -> Vec<String> {
    wrap_shown(&visible(line), columns)
}

/// Cuts a line like [`wrap`] that came out of this module already.
pub fn wrap_shown(shown: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    if shown.len() <= columns {
        return vec![shown.to_owned()];
    }
    let mut rows = Vec::new();
    let mut row = Row::default();
    for cluster in shown.graphemes(true) {
        let cluster_width = cluster.width();
        if cluster_width <= columns {
            row.add(cluster, cluster_width, columns, &mut rows);
        } else {
            // A chain of joined letters that fits in no row is cut between its letters.
            for (start, character) in cluster.char_indices() {
                let text = &cluster[start..start + character.len_utf8()];
                row.add(text, character.width().unwrap_or(0), columns, &mut rows);
            }
        }
    }
    rows.push(row.text);
    rows
}

/// Returns the beginning of a shown text that fits in `columns`, with `…` at its end where something is cut off.
pub fn clip(shown: &str, columns: usize) -> Cow<'_, str> {
    if shown.len() <= columns {
        return Cow::Borrowed(shown);
    }
    let (mut used, mut fits) = (0, 0);
    for (start, cluster) in shown.grapheme_indices(true) {
        let cluster_width = cluster.width();
        if used + cluster_width > columns {
            return match columns {
                0 => Cow::Borrowed(""),
                _ => Cow::Owned(format!("{}…", &shown[..fits])),
            };
        }
        used += cluster_width;
        if used < columns {
            fits = start + cluster.len();
        }
    }
    Cow::Borrowed(shown)
}

/// Makes a serialised JSON document safe to print without a change of its meaning: each character in it that
/// [`visible`] would write as a glyph becomes a `\uXXXX` escape.
pub fn json(document: &str) -> Cow<'_, str> {
    if document.bytes().all(|byte| byte < 0x7f) {
        return Cow::Borrowed(document);
    }
    let mut out = String::with_capacity(document.len() + 16);
    let mut rest = document;
    // Quotes and escapes end a fragment, so that a mark behind one doesn't count as a mark on it.
    while let Some(stop) = rest.find(['"', '\\']) {
        push_json_fragment(&mut out, &rest[..stop]);
        let escape = if rest[stop..].starts_with('\\') { rest[stop + 1..].chars().next() } else { None };
        let end = stop + 1 + escape.map_or(0, char::len_utf8);
        out.push_str(&rest[stop..end]);
        rest = &rest[end..];
    }
    push_json_fragment(&mut out, rest);
    Cow::Owned(out)
}

#[derive(Default)]
struct Row {
    text: String,
    used: usize,
    /// Bytes and columns up to the last place where the row may be cut.
    cut: (usize, usize),
}

impl Row {
    fn add(&mut self, cluster: &str, cluster_width: usize, columns: usize, rows: &mut Vec<String>) {
        while self.used > 0 && self.used + cluster_width > columns {
            let (bytes, cut_columns) = if self.cut.0 > 0 { self.cut } else { (self.text.len(), self.used) };
            let tail = self.text.split_off(bytes);
            rows.push(std::mem::replace(&mut self.text, tail));
            self.used -= cut_columns;
            self.cut = (0, 0);
        }
        self.text.push_str(cluster);
        self.used += cluster_width;
        if cluster == " " {
            self.cut = (self.text.len(), self.used);
        }
    }
}

enum Piece<'a> {
    /// May be shown as it is.
    Raw(&'a str),
    /// Must be written out.
    Shown(char),
}

fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}

/// Decides for every character of a text: this is the one place that knows.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    text.grapheme_indices(true).flat_map(move |(cluster_start, cluster)| {
        let mut run = Run::default();
        cluster.char_indices().map(move |(start, character)| {
            let end = start + character.len_utf8();
            let keep = may_be_shown(character, &text[cluster_start + end..]) && run.takes(cluster, start..end);
            if keep {
                return Piece::Raw(&cluster[start..end]);
            }
            run = Run::default();
            Piece::Shown(character)
        })
    })
}

/// What is shown as it is of a cluster since its last glyph: a base and what stands on it.
#[derive(Default)]
struct Run {
    start: usize,
    characters: usize,
    columns: usize,
    marks: usize,
}

impl Run {
    /// Adds the next character, unless it has no base, is one too many, or would make a terminal miscount.
    fn takes(&mut self, cluster: &str, range: Range<usize>) -> bool {
        let Some(columns) = cluster[range.clone()].chars().next().and_then(UnicodeWidthChar::width) else {
            return false;
        };
        if columns > COLUMNS_MAX {
            return false;
        }
        let is_mark = columns == 0;
        if self.characters == 0 {
            self.start = range.start;
        }
        let fits = match self.characters {
            0 => !is_mark,
            count => {
                count < RUN_MAX
                    && !(is_mark && self.marks == MARKS_MAX)
                    && cluster[self.start..range.end].width() == self.columns + columns
            }
        };
        if fits {
            self.characters += 1;
            self.columns += columns;
            self.marks = if is_mark { self.marks + 1 } else { 0 };
        }
        fits
    }
}

fn may_be_shown(character: char, rest: &str) -> bool {
    match character {
        '\u{20}'..='\u{7e}' => true,
        // These would read like the glyphs of this module.
        '\u{2400}'..='\u{241f}' | '\u{2421}' | '⍽' => false,
        '⟨' => !rest.starts_with("U+"),
        _ => !is_invisible(character),
    }
}

/// Controls, format characters, separators, blanks of odd widths, fillers, selectors, tags and noncharacters.
fn is_invisible(character: char) -> bool {
    match character {
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{a0}' | '\u{ad}' => true,
        '\u{34f}' | '\u{61c}' | '\u{70f}' | '\u{115f}'..='\u{1160}' | '\u{1680}' => true,
        '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' => true,
        '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{2800}' => true,
        '\u{3164}' | '\u{fdd0}'..='\u{fdef}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' => true,
        '\u{fff0}'..='\u{fffb}' => true,
        '\u{13430}'..='\u{1345f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' => true,
        '\u{e0000}'..='\u{e0fff}' => true,
        _ => (character as u32) & 0xfffe == 0xfffe,
    }
}

fn push_glyph(shown: &mut String, character: char) {
    match character {
        '\u{0}'..='\u{1f}' => {
            shown.push(char::from_u32(0x2400 + character as u32).expect("each of these has a control picture"));
        }
        '\u{7f}' => shown.push('␡'),
        '\u{a0}' => shown.push('⍽'),
        _ => write!(shown, "⟨U+{:04X}⟩", character as u32).expect("a string takes all that is written"),
    }
}

fn push_json_fragment(out: &mut String, fragment: &str) {
    if fragment.bytes().all(|byte| byte < 0x7f) {
        out.push_str(fragment);
        return;
    }
    for piece in pieces(fragment) {
        match piece {
            Piece::Raw(raw) => out.push_str(raw),
            // Between the strings of a document these are its own line breaks.
            Piece::Shown(character) if character < ' ' => out.push(character),
            Piece::Shown(character) => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}").expect("a string takes all that is written");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(visible(text), expected, "{text:?}");
    }

    #[test]
    fn each_kind_of_unseen_character_gets_a_glyph() {
        check("", "");
        check("a\0b\tc\rd\ne\x1b[31m\x7f", "a␀b␉c␍d␊e␛[31m␡");
        check("\u{9b}31m", "⟨U+009B⟩31m");
        check("user\u{202e}nimda\u{2066}\u{200f}", "user⟨U+202E⟩nimda⟨U+2066⟩⟨U+200F⟩");
        check("a\u{200b}b\u{feff}\u{ad}\u{2060}", "a⟨U+200B⟩b⟨U+FEFF⟩⟨U+00AD⟩⟨U+2060⟩");
        check("\u{e0041}\u{e007f}", "⟨U+E0041⟩⟨U+E007F⟩");
        check("10\u{a0}000\u{2009}€", "10⍽000⟨U+2009⟩€");
        check("❤\u{fe0f}", "❤⟨U+FE0F⟩");
        check("👨\u{200d}👩", "👨⟨U+200D⟩👩");
        check("👍🏽", "👍⟨U+1F3FD⟩");
        check("\u{2028}\u{fffe}\u{10ffff}", "⟨U+2028⟩⟨U+FFFE⟩⟨U+10FFFF⟩");
    }

    #[test]
    fn ordinary_text_of_all_scripts_is_untouched() {
        for text in ["żółć", "e\u{301}", "你好", "สวัสดี", "नमस्ते", "한국어", "ᄒ\u{1161}\u{11ab}", "שלום", "سلام", "🎉 🇵🇱"]
        {
            assert!(matches!(visible(text), Cow::Borrowed(_)), "{text:?} gave {:?}", visible(text));
        }
    }

    #[test]
    fn text_that_looks_like_a_glyph_is_told_apart() {
        check("␛", "⟨U+241B⟩");
        check("⟨U+202E⟩", "⟨U+27E8⟩U+202E⟩");
        check("⟨a⟩", "⟨a⟩");
        check("⍽", "⟨U+237D⟩");
    }

    #[test]
    fn floods_of_marks_are_written_out() {
        let flood: String = std::iter::once('a').chain(std::iter::repeat_n('\u{301}', 7)).collect();
        check(&flood, "a\u{301}\u{301}\u{301}\u{301}⟨U+0301⟩⟨U+0301⟩⟨U+0301⟩");
        check("\u{301}a", "⟨U+0301⟩a");
    }

    #[test]
    fn rows_break_after_spaces_and_inside_long_words() {
        assert_eq!(wrap("", 5), [""]);
        assert_eq!(wrap("one two three", 8), ["one two ", "three"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("你好吗", 5), ["你好", "吗"]);
        assert_eq!(wrap("你好", 0), ["你", "好"]);
    }

    #[test]
    fn a_character_of_more_columns_than_a_cell_is_written_out() {
        check("\u{17d8}", "⟨U+17D8⟩");
        check("a\u{17d8}\u{301}", "a⟨U+17D8⟩⟨U+0301⟩");
        assert_eq!(wrap("\u{c}F\u{17d8}", 2).concat(), "␌F⟨U+17D8⟩");
        assert_eq!(
            wrap_shown("aa\u{17d8}\u{17d8}", 2),
            ["aa", "\u{17d8}", "\u{17d8}"],
            "what fits nowhere stands alone"
        );
        let is_too_wide = |one: &char| {
            let text = one.to_string();
            matches!(visible(&text), Cow::Borrowed(_)) && width(&text) > 2
        };
        assert_eq!((0..=0x10_ffff).filter_map(char::from_u32).find(is_too_wide), None);
    }

    #[test]
    fn clipped_text_says_that_it_is_cut() {
        assert_eq!(clip("abcdef", 6), "abcdef");
        assert_eq!(clip("abcdef", 5), "abcd…");
        assert_eq!(clip("你好吗", 5), "你好…");
        assert_eq!(clip("你好吗", 6), "你好吗");
        assert_eq!(clip("ab", 0), "");
    }

    #[test]
    fn json_keeps_its_meaning_and_hides_nothing() {
        let document = "{\n \"a\u{202e}\": \"\u{301}x\\n\u{301}\u{7f}\u{e0041}é\"\n}";
        assert_eq!(json(document), "{\n \"a\\u202e\": \"\\u0301x\\n\\u0301\\u007f\\udb40\\udc41é\"\n}");
    }

    /// Reads glyphs back; what stands between them is text.
    fn decode(shown: &str) -> String {
        let mut text = String::new();
        let mut rest = shown;
        while let Some(first) = rest.chars().next() {
            if let Some((code, after)) = rest.strip_prefix("⟨U+").and_then(|code| code.split_once('⟩')) {
                let code = u32::from_str_radix(code, 16).expect("glyphs hold hexadecimal digits");
                text.push(char::from_u32(code).expect("glyphs hold characters"));
                rest = after;
                continue;
            }
            text.push(match first {
                '\u{2400}'..='\u{241f}' => char::from_u32(first as u32 - 0x2400).expect("a control"),
                '␡' => '\u{7f}',
                '⍽' => '\u{a0}',
                _ => first,
            });
            rest = &rest[first.len_utf8()..];
        }
        text
    }

    fn hostile() -> impl Strategy<Value = String> {
        let character = prop_oneof![
            4 => any::<char>(),
            2 => proptest::char::range('\0', '\u{9f}'),
            1 => proptest::char::range('\u{2000}', '\u{206f}'),
            1 => proptest::char::range('\u{300}', '\u{36f}'),
            1 => proptest::char::range('\u{e0000}', '\u{e007f}'),
            1 => proptest::sample::select(vec!['⟨', 'U', '+', '␛', '⍽', '\u{fe0f}', '🏽', '👍', '🇵', 'ل', 'ا', '你']),
        ];
        proptest::collection::vec(character, 0..60).prop_map(String::from_iter)
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in hostile()) {
            prop_assert_eq!(decode(&visible(&text)), text);
        }

        #[test]
        fn nothing_raw_gets_out_and_widths_are_those_of_a_terminal(text in hostile()) {
            // The terminal of this test takes the replacement character for an error of its own.
            let text = text.replace('\u{fffd}', "");
            let shown = visible(&text);
            let clusters = shown.graphemes(true).all(|one| one.chars().filter_map(|c| c.width()).sum::<usize>() == one.width());
            prop_assert!(clusters, "{:?}", shown);
            let (rows, columns) = (NonZero::new(3).expect("3 is not 0"), NonZero::new(1000).expect("nor is 1000"));
            let mut terminal = vt100::Parser::new(rows, columns, 0);
            terminal.process(shown.as_bytes());
            prop_assert_eq!(terminal.screen().contents(), shown.trim_end_matches('\n').to_owned());
            prop_assert_eq!(usize::from(terminal.screen().cursor_position().1), width(&shown));
        }

        #[test]
        fn rows_are_the_line_and_fit(text in hostile(), columns in 2usize..30) {
            let rows = wrap(&text, columns);
            for row in &rows {
                prop_assert!(width(row) <= columns, "{:?}", row);
            }
            prop_assert_eq!(rows.concat(), visible(&text));
        }

        #[test]
        fn json_reads_back_equal(text in hostile()) {
            let document = serde_json::to_string_pretty(&vec![&text]).expect("text is JSON");
            let safe = json(&document);
            prop_assert!(safe.lines().all(|line| !line.chars().any(is_invisible)), "{:?}", safe);
            let back: Vec<String> = serde_json::from_str(&safe).expect("it is still JSON");
            prop_assert_eq!(&back[0], &text);
        }
    }
}

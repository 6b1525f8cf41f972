//! Large texts in answers for people: cut, with their size.

/// Longer texts are folded.
const SHOWN_CHARACTERS: usize = 240;
/// So much of a folded text stands in front of the cut, and half of it behind.
const AHEAD: usize = 120;

/// Returns the text, or, where it is long, its beginning and end, how long it is, and what shows it `whole`.
pub(crate) fn fold(text: &str, whole: &str) -> String {
    if text.len() <= SHOWN_CHARACTERS {
        return text.to_owned();
    }
    let count = text.chars().count();
    if count <= SHOWN_CHARACTERS {
        return text.to_owned();
    }
    let ahead: String = text.chars().take(AHEAD).collect();
    let behind: String = text.chars().skip(count - AHEAD / 2).collect();
    format!("{ahead} … ({count} characters, {whole} shows them) … {behind}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_with_its_size() {
        assert_eq!(fold("short", "--full"), "short");
        let edge = "é".repeat(SHOWN_CHARACTERS);
        assert_eq!(fold(&edge, "--full"), edge);
        let long = format!("{}{}", "a".repeat(500), "z".repeat(500));
        let folded = fold(&long, "--full");
        assert!(
            folded.starts_with("aaa")
                && folded.ends_with("zzz")
                && folded.contains("(1000 characters, --full shows them)"),
            "{folded}"
        );
    }
}

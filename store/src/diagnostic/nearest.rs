//! The known name that a mistyped one is nearest to.

/// A word that differs in more letters is another word.
const DISTANCE_MAX: usize = 2;
/// Longer words are no names.
const WORD_MAX: usize = 64;
/// So many known words are looked at: where there are more, each of many mistyped ones would cost as much as a file.
const KNOWN_MAX: usize = 300;

/// Returns the known word that differs from `word` in at most two letters, if one of the first ones does.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if word.len() > WORD_MAX {
        return None;
    }
    let near = known.into_iter().take(KNOWN_MAX).filter_map(|candidate| {
        let distance = distance(word.as_bytes(), candidate.as_bytes())?;
        (distance < candidate.len()).then_some((distance, candidate))
    });
    near.min().map(|(_, candidate)| candidate)
}

/// Counts the bytes to put in, take out or replace; `None` where they are more than matter.
fn distance(left: &[u8], right: &[u8]) -> Option<usize> {
    if left.len().abs_diff(right.len()) > DISTANCE_MAX {
        return None;
    }
    let mut row = [0; WORD_MAX + DISTANCE_MAX + 1];
    row[..=right.len()].iter_mut().enumerate().for_each(|(column, cell)| *cell = column);
    for (i, l) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        let mut least = row[0];
        for (j, r) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(l != r);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
            least = least.min(row[j + 1]);
        }
        if least > DISTANCE_MAX {
            return None;
        }
    }
    Some(row[right.len()]).filter(|distance| *distance <= DISTANCE_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_near_that_differs_in_two_letters() {
        for (word, known, expected) in [
            ("member", vec!["number", "membre", "members"], Some("members")),
            ("member", vec!["number"], Some("number")),
            ("memb", vec!["member"], Some("member")),
            ("mem", vec!["member"], None),
            ("ab", vec!["xy"], None),
            ("a", vec![""], None),
            ("", vec!["ab", "abc"], None),
            ("kitten", vec!["sitting"], None),
            ("", vec!["abc"], None),
            ("same", vec!["same", "sane"], Some("same")),
        ] {
            assert_eq!(nearest(word, known), expected, "{word}");
        }
        let long = "x".repeat(WORD_MAX + 3);
        assert_eq!(nearest(&long[..WORD_MAX], [&long[..WORD_MAX + 2]]), Some(&long[..WORD_MAX + 2]));
        assert_eq!(nearest(&long, [&*long]), None);
    }
}

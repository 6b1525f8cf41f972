//! The known name that a mistyped one is nearest to.

/// Returns the known word that differs from `word` in at most two letters, if one does.
pub fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    known
        .iter()
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= 2 && word.len() <= 64)
        .map(|candidate| (distance(word.as_bytes(), candidate.as_bytes()), *candidate))
        .filter(|(distance, candidate)| *distance <= 2 && *distance < candidate.len())
        .min()
        .map(|(_, candidate)| candidate)
}

/// Counts the bytes to put in, take out or replace.
fn distance(left: &[u8], right: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, r) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(l != r);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

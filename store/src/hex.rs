//! Bytes as people look at them where not even a character is taken for granted: offset, hex and text.

use std::fmt::Write;

/// Bytes in a row.
pub const ROW: usize = 16;

/// Returns the bytes in rows of [`ROW`]: the offset in hex, the bytes in two groups, and the printable ASCII among them with
/// a dot for any other. All is plain ASCII of at most 76 columns for up to 16 MB, so that it is safe on a terminal.
///
/// ```
/// let rows: Vec<String> = replay_store::hex::rows(b"a\x1b[2J").collect();
/// assert_eq!(rows, ["000000  61 1b 5b 32 4a                                    |a.[2J|"]);
/// ```
pub fn rows(bytes: &[u8]) -> impl Iterator<Item = String> {
    bytes.chunks(ROW).enumerate().map(|(number, row)| {
        let mut out = format!("{:06x} ", number * ROW);
        for place in 0..ROW {
            let gap = if place % (ROW / 2) == 0 { " " } else { "" };
            let byte = row.get(place).map_or("  ".to_owned(), |byte| format!("{byte:02x}"));
            write!(out, "{gap}{byte} ").expect("a string takes all that is written");
        }
        let text = row.iter().map(|byte| if matches!(byte, 0x20..=0x7e) { char::from(*byte) } else { '.' });
        out.push_str(" |");
        out.extend(text);
        out.push('|');
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_stands_in_its_row_and_none_is_obeyed() {
        let bytes: Vec<u8> = (0..=255).collect();
        let rows: Vec<String> = rows(&bytes).collect();
        assert_eq!(rows.len(), 16);
        assert_eq!(rows[4], "000040  40 41 42 43 44 45 46 47  48 49 4a 4b 4c 4d 4e 4f  |@ABCDEFGHIJKLMNO|");
        assert_eq!(rows[15], "0000f0  f0 f1 f2 f3 f4 f5 f6 f7  f8 f9 fa fb fc fd fe ff  |................|");
        assert!(rows.iter().all(|row| row.len() == 76 && row.bytes().all(|byte| matches!(byte, 0x20..=0x7e))));
        assert_eq!(super::rows(&[]).count(), 0);
    }
}

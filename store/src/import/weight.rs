//! What reading a text whole may take, told before it is read: a packed file of a few kilobytes can hold a record that
//! fills any memory.

use memchr::{memchr_iter, memchr3_iter};

use super::ImportError;

/// A record that is read whole has at most this many bytes of text, unpacked: 1 GiB.
pub const TEXT_LEN_MAX: u64 = 1 << 30;
/// What is read whole is estimated to take at most this many bytes of memory: 6 GiB.
const MEMORY_MAX: u64 = 6 << 30;
/// A shorter text isn't looked through: whatever it is made of, it takes little.
const LIGHT: usize = 16 << 20;
/// About how many bytes an event takes, or an object in one.
const OBJECT: u64 = 320;
/// About how many bytes an element of a list takes, or a field.
const ELEMENT: u64 = 64;

/// Refuses a text that is too long, or is made of so many small parts that it would fill the memory.
///
/// # Errors
///
/// [`ImportError::TooLong`] and [`ImportError::TooHeavy`].
pub(super) fn check(text: &[u8], file_name: &str) -> Result<(), ImportError> {
    if text.len() as u64 > TEXT_LEN_MAX {
        return Err(ImportError::TooLong { file: file_name.to_owned() });
    }
    if text.len() <= LIGHT {
        return Ok(());
    }
    let objects = memchr_iter(b'{', text).count() as u64;
    let elements = memchr3_iter(b',', b'[', b'\n', text).count() as u64;
    match text.len() as u64 + objects * OBJECT + elements * ELEMENT {
        0..=MEMORY_MAX => Ok(()),
        memory => Err(ImportError::TooHeavy { file: file_name.to_owned(), gibibytes: memory >> 30 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_fill_the_memory_is_refused_before_it_is_read() {
        let objects = vec![b'{'; 21 << 20];
        assert!(matches!(check(&objects, "a"), Err(ImportError::TooHeavy { gibibytes: 6, .. })));
        assert!(check(&objects[..19 << 20], "a").is_ok(), "6 GiB are allowed");
        let elements = vec![b','; 100 << 20];
        assert!(matches!(check(&elements, "a"), Err(ImportError::TooHeavy { gibibytes: 6, .. })));
    }

    #[test]
    fn a_long_text_is_light() {
        assert!(check(&vec![b'x'; 100 << 20], "a").is_ok());
    }
}

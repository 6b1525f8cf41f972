//! What the operating system refused, in plain words: without the number that it counts its refusals by.

use std::io;

/// Returns why something with a file failed: `no such file or directory`.
pub fn words(error: &io::Error) -> String {
    plain(&error.to_string())
}

/// Returns the words of an error without the number of the operating system, wherever it stands in them.
pub fn plain(text: &str) -> String {
    const NUMBER: &str = " (os error ";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(NUMBER) {
        let number = &rest[at + NUMBER.len()..];
        match number.find(')').filter(|end| number[..*end].bytes().all(|byte| byte.is_ascii_digit())) {
            Some(end) => {
                out.push_str(&rest[..at]);
                rest = &number[end + 1..];
            }
            None => {
                out.push_str(&rest[..at + NUMBER.len()]);
                rest = number;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_the_operating_system_is_left_out() {
        assert_eq!(words(&io::Error::from_raw_os_error(17)), "File exists");
        assert_eq!(plain("a: Is a directory (os error 21); b (os error x)"), "a: Is a directory; b (os error x)");
        assert_eq!(words(&io::ErrorKind::NotFound.into()), "entity not found");
    }
}

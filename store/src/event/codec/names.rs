//! Names that were met before, so that a session of a hundred thousand events holds each of them once.

use crate::name::Name;

/// How many names are remembered at most. A session repeats a few dozen.
const SLOT_COUNT: usize = 1024;

/// Recently decoded names. A name that falls out is simply made again.
pub struct Names {
    slots: Vec<Option<Name>>,
}

impl Default for Names {
    fn default() -> Names {
        Names { slots: vec![None; SLOT_COUNT] }
    }
}

impl Names {
    /// Returns the name of that text.
    pub fn get(&mut self, text: &str) -> Name {
        let slot = &mut self.slots[slot_of(text)];
        match slot {
            Some(name) if *name == *text => name.clone(),
            Some(_) | None => slot.insert(Name::from(text)).clone(),
        }
    }

    /// Returns the name of that text, if there is one.
    pub fn get_if_any(&mut self, text: Option<&str>) -> Option<Name> {
        text.map(|text| self.get(text))
    }
}

/// Chooses a slot by length, first and last bytes: names of one session differ there.
fn slot_of(text: &str) -> usize {
    let bytes = text.as_bytes();
    let head = bytes.first_chunk::<8>().map_or(0, |head| u64::from_le_bytes(*head));
    let tail = bytes.last_chunk::<8>().map_or_else(
        || bytes.iter().fold(0, |tail, byte| tail << 8 | u64::from(*byte)),
        |tail| u64::from_le_bytes(*tail),
    );
    let mixed = (head.rotate_left(29) ^ tail ^ bytes.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 54) as usize % SLOT_COUNT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_its_text_whatever_came_before() {
        let mut names = Names::default();
        let texts: Vec<String> = (0..5000).map(|index| format!("skill.entry_{index}")).collect();
        for text in texts.iter().chain(&texts).map(String::as_str).chain(["", "é", "a", "b"]) {
            assert_eq!(names.get(text), *text);
        }
    }
}

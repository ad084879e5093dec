//! Halves of surrogate pairs. A JavaScript string may contain a lone half; a Rust string cannot. Here a character
//! of the last private-use plane represents it (U+10F800 to U+10FFFF, one for each of the 2,048 halves). On output
//! it becomes `\ud800` in JSON, and U+FFFD in UTF-8 text.

use std::borrow::Cow;

use serde_json::Value;

const FIRST: u32 = 0x10_F800;

/// The character that represents a half. `None` if the unit is not half of a surrogate pair.
pub fn surrogate_to_char(unit: u32) -> Option<char> {
    (0xD800..0xE000).contains(&unit).then(|| char::from_u32(FIRST + (unit - 0xD800))).flatten()
}

/// The half that a character represents.
pub fn char_to_surrogate(c: char) -> Option<u32> {
    u32::from(c).checked_sub(FIRST).map(|offset| 0xD800 + offset)
}

/// The text with each half replaced by U+FFFD.
pub fn replace_surrogates(text: &str) -> Cow<'_, str> {
    if text.contains(|c| char_to_surrogate(c).is_some()) {
        Cow::Owned(text.chars().map(|c| if char_to_surrogate(c).is_some() { '\u{fffd}' } else { c }).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Replaces halves in all texts and keys of a value.
pub fn replace_surrogates_in(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(whole) = replace_surrogates(text) {
                *text = whole;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(replace_surrogates_in),
        Value::Object(map) => {
            map.values_mut().for_each(replace_surrogates_in);
            if map.keys().any(|key| matches!(replace_surrogates(key), Cow::Owned(_))) {
                *map = std::mem::take(map)
                    .into_iter()
                    .map(|(key, value)| (replace_surrogates(&key).into_owned(), value))
                    .collect();
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_has_its_stand_in() {
        for unit in 0xD800..0xE000 {
            assert_eq!(surrogate_to_char(unit).and_then(char_to_surrogate), Some(unit));
        }
        assert_eq!(
            (
                surrogate_to_char(0xD7FF),
                surrogate_to_char(0xE000),
                char_to_surrogate('\u{fffd}'),
                char_to_surrogate('\u{10f7ff}')
            ),
            (None, None, None, None)
        );
        assert_eq!(replace_surrogates("a\u{10f800}b"), "a\u{fffd}b");
    }
}

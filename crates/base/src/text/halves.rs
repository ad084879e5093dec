//! Halves of surrogate pairs. A JavaScript string may contain a lone half; a Rust string cannot. Here a character
//! of the last private-use plane represents it (U+10F800 to U+10FFFF, one for each of the 2,048 halves). On output
//! it becomes `\ud800` in JSON, and U+FFFD in UTF-8 text.

use std::borrow::Cow;

use serde_json::Value;

const FIRST: u32 = 0x10_F800;

/// The character that represents a half. `None` if the unit is not half of a surrogate pair.
pub fn stand_in(unit: u32) -> Option<char> {
    (0xD800..0xE000).contains(&unit).then(|| char::from_u32(FIRST + (unit - 0xD800))).flatten()
}

/// The half that a character represents.
pub fn half(c: char) -> Option<u32> {
    u32::from(c).checked_sub(FIRST).map(|offset| 0xD800 + offset)
}

/// The text with each half replaced by U+FFFD.
pub fn whole(text: &str) -> Cow<'_, str> {
    if text.contains(|c| half(c).is_some()) {
        Cow::Owned(text.chars().map(|c| if half(c).is_some() { '\u{fffd}' } else { c }).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Replaces halves in all texts and keys of a value.
pub fn whole_texts(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(whole) = whole(text) {
                *text = whole;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole_texts),
        Value::Object(map) => {
            map.values_mut().for_each(whole_texts);
            if map.keys().any(|key| matches!(whole(key), Cow::Owned(_))) {
                *map = std::mem::take(map).into_iter().map(|(key, value)| (whole(&key).into_owned(), value)).collect();
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
            assert_eq!(stand_in(unit).and_then(half), Some(unit));
        }
        assert_eq!(
            (stand_in(0xD7FF), stand_in(0xE000), half('\u{fffd}'), half('\u{10f7ff}')),
            (None, None, None, None)
        );
        assert_eq!(whole("a\u{10f800}b"), "a\u{fffd}b");
    }
}

//! White space, numbers, copies of objects and paths as JavaScript and Node.js treat them. `trim()` in JavaScript and
//! in Rust treat two characters differently that do occur in files.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use hookbench_base::config::Place;
use hookbench_base::text::{replace_surrogates, surrogate_to_char, to_js_string};

/// Whether `String.prototype.trim` removes this character (ECMAScript WhiteSpace and LineTerminator).
pub fn is_space(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

/// `text.trim()`.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// `text.trimStart()`.
pub fn trim_start(text: &str) -> &str {
    text.trim_start_matches(is_space)
}

/// `text.trimEnd()`.
pub fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

/// `one.localeCompare(other)` as ICU's root locale orders texts: signs, digits, letters, and then small letters before
/// capital ones. Characters outside ASCII come last, by their code.
pub fn compare_texts(one: &str, other: &str) -> Ordering {
    const SIGNS: &str = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789";
    let rank = |c: char| {
        let letter = || SIGNS.len() + c.to_lowercase().next().map_or(0, |small| small as usize);
        SIGNS.find(c).unwrap_or_else(letter)
    };
    let by_letters = one.chars().map(rank).cmp(other.chars().map(rank));
    by_letters.then_with(|| other.cmp(one))
}

/// `Number(text)`. Returns `None` for NaN.
pub fn js_number(text: &str) -> Option<f64> {
    let text = trim(text);
    if text.is_empty() {
        return Some(0.0);
    }
    for (prefix, radix) in [("0x", 16), ("0X", 16), ("0o", 8), ("0O", 8), ("0b", 2), ("0B", 2)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            let add = |value: f64, c: char| Some(value * f64::from(radix) + f64::from(c.to_digit(radix)?));
            return digits.chars().try_fold(0.0, add).filter(|_| !digits.is_empty());
        }
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned == "Infinity" {
        return Some(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    // Rust also parses `inf`, `nan` and `infinity`; JavaScript does not.
    if unsigned.chars().any(|c| !matches!(c, '0'..='9' | '.' | 'e' | 'E' | '+' | '-')) {
        return None;
    }
    text.parse().ok()
}

/// `Number(value)` of a text, a number, true or false. Returns `None` for NaN and other values.
pub fn number_of(value: &Value) -> Option<f64> {
    match value {
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        Value::String(text) => js_number(text),
        other => other.as_f64(),
    }
}

/// `String(value)` as the model or the user gets it, without half of a surrogate pair.
pub fn shown(value: &Value) -> String {
    replace_surrogates(&to_js_string(value)).into_owned()
}

/// Returns `{...value}`.
pub fn spread(value: &Value) -> Map<String, Value> {
    let numbered = |items: Vec<Value>| items.into_iter().enumerate().map(|(i, v)| (i.to_string(), v)).collect();
    match value {
        Value::Object(map) => map.clone(),
        Value::Array(items) => numbered(items.clone()),
        Value::String(text) => numbered(text.chars().flat_map(units).map(Value::from).collect()),
        _ => Map::new(),
    }
}

/// The UTF-16 units of a character, each as a text.
fn units(c: char) -> Vec<String> {
    let mut buffer = [0; 2];
    let units = c.encode_utf16(&mut buffer);
    match units.len() {
        1 => vec![c.to_string()],
        _ => units.iter().filter_map(|unit| surrogate_to_char(u32::from(*unit))).map(String::from).collect(),
    }
}

/// `path.resolve`: relative paths are resolved against the project directory, and `~` has no special meaning.
pub fn resolve(place: &Place, path: &str) -> String {
    let path = if path.starts_with('~') { format!("./{path}") } else { path.to_owned() };
    place.absolute(&place.project, &path)
}

/// `path.dirname`, for an absolute path.
pub fn parent(path: &str) -> String {
    match path.rsplit_once('/') {
        Some((parent, _)) if !parent.is_empty() => parent.to_owned(),
        _ => "/".to_owned(),
    }
}

/// Whether a directory is `root` or inside it.
pub fn is_within(directory: &str, root: &str) -> bool {
    let root = root.trim_end_matches('/');
    directory.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::text::stringify;
    use serde_json::json;

    #[test]
    fn as_javascript_trims() {
        for (text, want) in
            [(" a ", "a"), ("\u{feff}a\u{a0}", "a"), ("\u{85}a", "\u{85}a"), ("\u{200b}a", "\u{200b}a"), ("\n", "")]
        {
            assert_eq!(trim(text), want);
        }
    }

    #[test]
    fn as_javascript_reads_numbers() {
        for (text, want) in [
            ("1_0", None),
            ("inf", None),
            ("-0x1", None),
            ("5.", Some(5.0)),
            (".5", Some(0.5)),
            ("0b11", Some(3.0)),
            ("0x", None),
            ("0x+1", None),
            ("0x10000000000000000", Some(18_446_744_073_709_551_616.0)),
        ] {
            assert_eq!(js_number(text), want, "{text}");
        }
    }

    #[test]
    fn what_spreads() {
        for (value, want) in [
            (json!({"a": 1}), json!({"a": 1})),
            (json!(["x", 2]), json!({"0": "x", "1": 2})),
            (json!("ab"), json!({"0": "a", "1": "b"})),
            (json!("é"), json!({"0": "é"})),
            (json!(5), json!({})),
            (json!(null), json!({})),
        ] {
            assert_eq!(Value::Object(spread(&value)), want, "{value}");
        }
        assert_eq!(stringify(&Value::Object(spread(&json!("😀")))), r#"{"0":"\ud83d","1":"\ude00"}"#);
    }

    #[test]
    fn directories_and_their_parents() {
        let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
        for (path, want) in [("a/../b/", "/p/b"), ("~/x", "/p/~/x"), ("/a//b/.", "/a/b"), ("/", "/")] {
            assert_eq!(resolve(&place, path), want);
        }
        for (path, want) in [("/a/b", "/a"), ("/a", "/"), ("/", "/")] {
            assert_eq!(parent(path), want);
        }
        for (directory, root, want) in
            [("/a/b", "/a", true), ("/ab", "/a", false), ("/a", "/a/", true), ("/a", "/", true)]
        {
            assert_eq!(is_within(directory, root), want, "{directory} in {root}");
        }
    }
}

//! Where a cursor is in settings that are being typed, so that no parser accepts them: the keys around it, and the text
//! before it.

use hookbench_core::dialects::settings_format::FileLanguage;

/// The text at a cursor, by its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Slot {
    Key,
    /// The value of this key; empty in a list without a key.
    Value(String),
}

/// A cursor in settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// The keys around the cursor, from the outermost. Lists have none.
    pub keys: Vec<String>,
    pub slot: Slot,
    /// The start of the string or word at the cursor, without a quote.
    pub start: usize,
    /// The quote before the start, if any.
    pub quote: Option<char>,
}

impl Cursor {
    /// Finds the place of an offset. `None` inside a comment, or if the offset is not in the text.
    pub fn find(text: &str, offset: usize, language: FileLanguage) -> Option<Cursor> {
        match language {
            FileLanguage::Json => find_in_json(text.get(..offset)?),
            FileLanguage::Toml => find_in_lines(text.get(..offset)?, '=', &|lines| toml_keys(lines)),
            FileLanguage::Yaml => find_in_lines(text.get(..offset)?, ':', &|lines| yaml_keys(lines)),
        }
    }
}

/// An open object or list of JSON.
struct OpenValue {
    is_object: bool,
    /// The last key of an object.
    key: Option<String>,
    /// Whether a value follows that key.
    awaits_value: bool,
}

fn find_in_json(before: &str) -> Option<Cursor> {
    let mut open: Vec<OpenValue> = Vec::new();
    let mut characters = before.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => {
                let start = at + 1;
                let mut is_closed = false;
                let mut end = before.len();
                while let Some((at, character)) = characters.next() {
                    match character {
                        '\\' => drop(characters.next()),
                        '"' => {
                            (is_closed, end) = (true, at);
                            break;
                        }
                        // A string ends with its line, so a quote that is not closed yet spoils nothing below it.
                        '\n' => {
                            (is_closed, end) = (true, at);
                            break;
                        }
                        _ => {}
                    }
                }
                if !is_closed {
                    return Some(json_cursor(&open, start, Some('"')));
                }
                if let Some(inner) = open.last_mut().filter(|inner| inner.is_object) {
                    if inner.awaits_value {
                        inner.awaits_value = false;
                    } else {
                        inner.key = before.get(start..end).map(str::to_owned);
                    }
                }
            }
            '{' | '[' => open.push(OpenValue { is_object: character == '{', key: None, awaits_value: false }),
            '}' | ']' => drop(open.pop()),
            ':' => {
                if let Some(inner) = open.last_mut() {
                    inner.awaits_value = true;
                }
            }
            ',' => {
                if let Some(inner) = open.last_mut() {
                    (inner.awaits_value, inner.key) = (false, None);
                }
            }
            '/' => match characters.peek().map(|(_, next)| *next) {
                Some('/') => {
                    characters.find(|(_, character)| *character == '\n')?;
                }
                Some('*') => {
                    let end = before.get(at + 2..)?.find("*/")? + at + 4;
                    while characters.peek().is_some_and(|(at, _)| *at < end) {
                        characters.next();
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '.');
    let word: usize = before.chars().rev().take_while(|c| is_word(*c)).map(char::len_utf8).sum();
    Some(json_cursor(&open, before.len() - word, None))
}

fn json_cursor(open: &[OpenValue], start: usize, quote: Option<char>) -> Cursor {
    let (inner, around) = open.split_last().map_or((None, open), |(inner, around)| (Some(inner), around));
    let keys = around.iter().filter_map(|value| value.key.clone()).collect();
    let of_list = || around.last().and_then(|value| value.key.clone()).unwrap_or_default();
    let slot = match inner {
        Some(inner) if inner.is_object && !inner.awaits_value => Slot::Key,
        Some(inner) if inner.is_object => Slot::Value(inner.key.clone().unwrap_or_default()),
        _ => Slot::Value(of_list()),
    };
    Cursor { keys, slot, start, quote }
}

/// Finds the place in a language whose keys and values share a line. `keys_of` finds the keys around the last line.
fn find_in_lines(before: &str, separator: char, keys_of: &dyn Fn(&[&str]) -> Vec<String>) -> Option<Cursor> {
    let lines: Vec<&str> = before.split('\n').collect();
    let line = lines.last()?;
    if line.trim_start().starts_with('#') {
        return None;
    }
    let line_start = before.len() - line.len();
    let (slot, value_start) = match line.find(separator) {
        Some(at) => (Slot::Value(key_text(line.get(..at)?)), at + separator.len_utf8()),
        None => (Slot::Key, line.len() - line.trim_start_matches([' ', '-']).len()),
    };
    let typed = line.get(value_start..)?;
    let skipped = typed.len() - typed.trim_start_matches([' ', '[']).len();
    let typed = typed.get(skipped..)?;
    let quote = typed.chars().next().filter(|first| matches!(first, '"' | '\''));
    let start = line_start + value_start + skipped + quote.map_or(0, char::len_utf8);
    Some(Cursor { keys: keys_of(&lines), slot, start, quote })
}

fn key_text(text: &str) -> String {
    text.trim().trim_start_matches("- ").trim().trim_matches(['"', '\'']).to_owned()
}

/// The keys of the last table header.
fn toml_keys(lines: &[&str]) -> Vec<String> {
    let header = lines.iter().rev().skip(1).find(|line| line.trim_start().starts_with('['));
    let names = header.map_or("", |line| line.trim().trim_start_matches('[').split(']').next().unwrap_or(""));
    names.split('.').map(key_text).filter(|name| !name.is_empty()).collect()
}

/// The keys of the lines above that have less indentation. The `-` of a list counts as indentation.
fn yaml_keys(lines: &[&str]) -> Vec<String> {
    let indentation = |line: &str| line.len() - line.trim_start_matches([' ', '-']).len();
    let Some((last, above)) = lines.split_last() else { return Vec::new() };
    let (mut limit, mut keys) = (indentation(last), Vec::new());
    for line in above.iter().rev().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#')) {
        let own = indentation(line);
        let Some((key, value)) = line.split_once(':').filter(|_| own < limit) else { continue };
        limit = own;
        if value.trim().is_empty() {
            keys.push(key_text(key));
        }
    }
    keys.reverse();
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cursor is at `^`.
    fn cursor(text: &str, language: FileLanguage) -> Option<(String, Slot, String)> {
        let offset = text.find('^').unwrap_or(text.len());
        let found = Cursor::find(&text.replace('^', ""), offset, language)?;
        Some((found.keys.join("/"), found.slot, text.get(found.start..offset)?.to_owned()))
    }

    #[test]
    fn cursors_are_found_in_settings_that_are_not_complete() {
        use FileLanguage::{Json, Toml, Yaml};
        let value = |key: &str| Slot::Value(key.to_owned());
        for (text, language, keys, slot, typed) in [
            ("^", Json, "", value(""), ""),
            (r#"{"ho^"#, Json, "", Slot::Key, "ho"),
            (r#"{"hooks": {"Pre^Tool": 1}}"#, Json, "hooks", Slot::Key, "Pre"),
            (r#"{"hooks": {"Pre": [{"matcher": "Ba|E^"#, Json, "hooks/Pre", value("matcher"), "Ba|E"),
            (r#"{"hooks": {"Pre": [{"matcher": "a \" b", "hooks": [{^"#, Json, "hooks/Pre/hooks", Slot::Key, ""),
            ("{\"a\": \"open\n \"hooks\": {\"x\": tr^", Json, "hooks", value("x"), "tr"),
            ("{ // \"a\": {\n /* { */ \"b\": [\"^\"]", Json, "b", value("b"), ""),
            ("[hooks]\nx = 1\n[[hooks.Pre]]\nmat^", Toml, "hooks/Pre", Slot::Key, "mat"),
            ("[[hooks.Pre]]\nmatcher = \"Ba^\"", Toml, "hooks/Pre", value("matcher"), "Ba"),
            ("hooks:\n  pre:\n    - matcher: a\n      comm^", Yaml, "hooks/pre", Slot::Key, "comm"),
            ("hooks:\n  pre:\n    - matcher: 'a|b^", Yaml, "hooks/pre", value("matcher"), "a|b"),
            ("model: x\nhooks:\n  ^", Yaml, "hooks", Slot::Key, ""),
        ] {
            assert_eq!(cursor(text, language), Some((keys.to_owned(), slot, typed.to_owned())), "{text}");
        }
        for (text, language) in [("{ // \"a^", Json), ("{ /* \"a^", Json), ("# mat^", Toml), ("a: 1\n# b^", Yaml)] {
            assert_eq!(cursor(text, language), None, "{text}");
        }
    }
}

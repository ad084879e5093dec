//! Makes untrusted text safe for a terminal.

use std::borrow::Cow;

use super::surrogates::char_to_surrogate;

/// Writes every control character as text (`^[`, `^G`, `<U+009B>`), so that it cannot move the cursor or set a
/// title. Tabs become spaces up to the next multiple of 8. The text must be one line.
pub fn escape_for_terminal(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut column = 0;
    for c in line.chars() {
        let before = out.len();
        match c {
            '\t' => out.extend(std::iter::repeat_n(' ', 8 - column % 8)),
            '\u{7f}' => out.push_str("^?"),
            c if c < ' ' => {
                out.push('^');
                out.push(char::from_u32(u32::from(c) + 0x40).unwrap_or('?'));
            }
            c if is_hidden(c) => {
                out.push_str(&format!("<U+{:04X}>", u32::from(c)));
            }
            c if char_to_surrogate(c).is_some() => out.push('\u{fffd}'),
            c => out.push(c),
        }
        column += out.get(before..).map_or(0, |added| added.chars().count());
    }
    out
}

/// C1 controls, bidirectional controls, line separators, and characters without width, which would be invisible.
/// Joiners and variation selectors are not included, because their effect is visible.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

/// Escapes the characters in JSON that are unsafe for a terminal. The JSON value is unchanged. A character that
/// represents half of a surrogate pair becomes the escape of that half. The text must be JSON from a serializer,
/// which escapes the other control characters itself.
pub fn escape_json_for_terminal(json: &str) -> Cow<'_, str> {
    let harms = |c: char| c == '\u{7f}' || is_hidden(c) || char_to_surrogate(c).is_some();
    if !json.contains(harms) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if let Some(unit) = char_to_surrogate(c) {
            out.push_str(&format!("\\u{unit:04x}"));
        } else if harms(c) {
            let mut units = [0; 2];
            out.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Makes each line safe, and keeps the line ends.
pub fn escape_lines_for_terminal(text: &str) -> String {
    let lines: Vec<String> =
        text.split('\n').map(|line| escape_for_terminal(line.strip_suffix('\r').unwrap_or(line))).collect();
    lines.join("\n")
}

/// Joins several lines into a safe single line, with a slash for each line end.
pub fn one_line(text: &str) -> String {
    escape_for_terminal(&text.trim_end_matches('\n').replace("\r\n", "\n").replace('\n', " / "))
}

/// The text, truncated to `most` characters.
pub fn truncate(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::{escape_for_terminal, escape_json_for_terminal, escape_lines_for_terminal, one_line};

    #[test]
    fn nothing_reaches_the_terminal() {
        for (line, want) in [
            ("plain é 😀", "plain é 😀"),
            ("\u{1b}[2J\u{7}", "^[[2J^G"),
            ("a\tb", "a       b"),
            ("\u{9b}31m\u{202e}x\r", "<U+009B>31m<U+202E>x^M"),
            ("rm\u{200b} -rf\u{2060}\u{feff}", "rm<U+200B> -rf<U+2060><U+FEFF>"),
            ("a\u{2028}b\u{61c}c\u{e0041}", "a<U+2028>b<U+061C>c<U+E0041>"),
            ("a\u{10f800}b", "a\u{fffd}b"),
            ("👩\u{200d}👧 1\u{fe0f}\u{20e3} 🇩🇪 e\u{301}", "👩\u{200d}👧 1\u{fe0f}\u{20e3} 🇩🇪 e\u{301}"),
        ] {
            assert_eq!(escape_for_terminal(line), want);
        }
    }

    #[test]
    fn lines_are_joined() {
        assert_eq!(one_line("a\nb\r\nc\n"), "a / b / c");
        assert_eq!(escape_lines_for_terminal("a\u{1b}\nb\r\n\u{202e}c\n"), "a^[\nb\n<U+202E>c\n");
    }

    #[test]
    fn json_says_the_same_and_harms_nobody() {
        for text in [
            "plain ä 🦀",
            "\u{1b}]52;c\u{7}",
            "\u{9b}2J",
            "\u{202e}rm",
            "\u{7f}",
            "\u{e0041}",
            "a\\\u{200b}b",
            "\u{2028}",
        ] {
            let json = serde_json::json!({ text: text }).to_string();
            let harmless = escape_json_for_terminal(&json);
            assert!(harmless.chars().all(|c| c >= ' ' && c != '\u{7f}' && !super::is_hidden(c)), "{harmless}");
            let read = |json: &str| serde_json::from_str::<serde_json::Value>(json).unwrap_or_default();
            assert_eq!(read(&harmless), read(&json));
        }
        assert_eq!(escape_json_for_terminal("\"a\u{10f800}b\""), r#""a\ud800b""#);
        assert_eq!(escape_json_for_terminal("{\"a\":\"\u{e0041}\"}"), r#"{"a":"\udb40\udc41"}"#);
    }
}

//! Key names as the user writes them: `f`, `G`, `Enter`, `Ctrl+C`, `Shift+Tab`.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Keys with a name, as written.
const NAMED: [(&str, KeyCode); 17] = [
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("PgUp", KeyCode::PageUp),
    ("PgDn", KeyCode::PageDown),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("Tab", KeyCode::Tab),
    ("Shift+Tab", KeyCode::BackTab),
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Backspace", KeyCode::Backspace),
    ("Delete", KeyCode::Delete),
    ("Insert", KeyCode::Insert),
    ("Space", KeyCode::Char(' ')),
    ("F1", KeyCode::F(1)),
];

/// The name of a key; `None` for keys that hookbench does not use.
pub fn name(key: KeyEvent) -> Option<String> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char(' ') => Some(if control { "Ctrl+Space" } else { "Space" }.to_owned()),
        KeyCode::Char(c) if control => Some(format!("Ctrl+{}", c.to_ascii_uppercase())),
        KeyCode::Char(c) => Some(c.to_string()),
        code => NAMED.iter().find(|(_, named)| *named == code).map(|(name, _)| (*name).to_owned()),
    }
}

/// Parses the name of a key. Names are case-insensitive, single letters are not.
pub fn parse(text: &str) -> Option<KeyEvent> {
    if let Some((_, code)) = NAMED.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
        return Some(KeyEvent::new(*code, KeyModifiers::NONE));
    }
    let (letter, modifiers) = match text.split_at_checked("Ctrl+".len()) {
        Some((control, letter)) if control.eq_ignore_ascii_case("Ctrl+") => (letter, KeyModifiers::CONTROL),
        _ => (text, KeyModifiers::NONE),
    };
    let mut letters = letter.chars();
    match (letters.next(), letters.next()) {
        (Some(c), None) if modifiers.is_empty() => Some(KeyEvent::new(KeyCode::Char(c), modifiers)),
        (Some(c), None) => Some(KeyEvent::new(KeyCode::Char(c.to_ascii_lowercase()), modifiers)),
        _ => None,
    }
}

/// The name of a key, or of two keys in a row that begin with a comma (`,E`), as hookbench writes it.
pub fn canonical(text: &str) -> Option<String> {
    match text.strip_prefix(',').filter(|second| !second.is_empty()) {
        Some(second) => Some(format!(",{}", parse(second).and_then(name)?)),
        None => parse(text).and_then(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for text in ["f", "G", "?", "Ctrl+C", "Enter", "Shift+Tab", "Space", "é", "+", "Ctrl++"] {
            assert_eq!(parse(text).and_then(name).as_deref(), Some(text));
        }
        assert_eq!(parse("ctrl+c"), parse("Ctrl+C"));
        assert_eq!(parse("enter").and_then(name).as_deref(), Some("Enter"));
        for text in ["", "Entr", "Ctrl+", "ff"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}

//! A line of text that is typed, with a cursor.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use unicode_segmentation::UnicodeSegmentation as _;

use super::text::width;

/// The text before and after the cursor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InputLine {
    before: String,
    after: String,
    /// Whether the whole text is selected: typing replaces it, moving the cursor keeps it.
    selected: bool,
}

impl From<String> for InputLine {
    /// Places the cursor at the end.
    fn from(before: String) -> InputLine {
        InputLine { before, after: String::new(), selected: false }
    }
}

impl InputLine {
    /// A text that typing replaces.
    pub fn selected(text: String) -> InputLine {
        InputLine { selected: !text.is_empty(), ..InputLine::from(text) }
    }

    /// Whether typing replaces the whole text.
    pub fn is_selected(&self) -> bool {
        self.selected
    }

    /// The whole text.
    pub fn text(&self) -> String {
        format!("{}{}", self.before, self.after)
    }

    /// The length in bytes.
    pub fn len(&self) -> usize {
        self.before.len() + self.after.len()
    }

    /// Inserts a text at the cursor.
    pub fn insert(&mut self, text: &str) {
        if self.selected {
            *self = InputLine::default();
        }
        self.before.push_str(text);
    }

    /// Whether a key has a meaning in a line.
    pub fn knows(code: KeyCode, control: bool) -> bool {
        match code {
            KeyCode::Char(c) if control => "abefuw".contains(c),
            KeyCode::Char(_) | KeyCode::Backspace | KeyCode::Delete => true,
            code => matches!(code, KeyCode::Left | KeyCode::Right | KeyCode::Home | KeyCode::End),
        }
    }

    /// Handles a key. Returns whether the text has changed.
    pub fn key(&mut self, code: KeyCode, control: bool) -> bool {
        if std::mem::take(&mut self.selected) {
            match code {
                KeyCode::Char(_) if !control => *self = InputLine::default(),
                KeyCode::Backspace | KeyCode::Delete => {
                    *self = InputLine::default();
                    return true;
                }
                _ => {}
            }
        }
        match code {
            KeyCode::Char(c) if !control => self.before.push(c),
            KeyCode::Char('u') => *self = InputLine::default(),
            KeyCode::Char('w') => {
                let kept = self.before.trim_end().rfind(' ').map_or(0, |at| at + 1);
                self.before.truncate(kept);
            }
            KeyCode::Backspace => {
                last(&self.before).inspect(|at| self.before.truncate(*at));
            }
            KeyCode::Delete => self.after = self.after.graphemes(true).skip(1).collect(),
            KeyCode::Left | KeyCode::Char('b') => {
                if let Some(at) = last(&self.before) {
                    let moved = self.before.split_off(at);
                    self.after.insert_str(0, &moved);
                }
                return false;
            }
            KeyCode::Right | KeyCode::Char('f') => {
                let end = self.after.graphemes(true).next().map_or(0, str::len);
                self.before.extend(self.after.drain(..end));
                return false;
            }
            KeyCode::Home | KeyCode::Char('a') => {
                *self = InputLine { after: self.text(), ..InputLine::default() };
                return false;
            }
            KeyCode::End | KeyCode::Char('e') => {
                *self = InputLine::from(self.text());
                return false;
            }
            _ => return false,
        }
        true
    }

    /// The visible part in so many columns, and the column of the cursor.
    pub fn window(&self, columns: usize) -> (String, usize) {
        let room = columns.saturating_sub(1);
        let mut start = self.before.len();
        let mut used = 0;
        for (at, cluster) in self.before.grapheme_indices(true).rev() {
            if used + width(cluster) > room {
                break;
            }
            used += width(cluster);
            start = at;
        }
        (format!("{}{}", self.before.get(start..).unwrap_or(""), self.after), used)
    }
}

/// The start of the last grapheme cluster.
fn last(text: &str) -> Option<usize> {
    text.grapheme_indices(true).next_back().map(|(at, _)| at)
}

/// Handles a key while a filter is typed that changes only at its end.
pub fn filter_key(filter: &mut String, typing: &mut bool, key: KeyEvent) {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Enter => *typing = false,
        KeyCode::Char('c') if control => (*filter, *typing) = (String::new(), false),
        KeyCode::Esc => (*filter, *typing) = (String::new(), false),
        KeyCode::Char('u') if control => filter.clear(),
        KeyCode::Backspace => *typing = filter.pop().is_some(),
        KeyCode::Char(c) if !control => filter.push(c),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_edit_where_the_cursor_is() {
        let press = |line: &mut InputLine, keys: &str| {
            for key in keys.split(' ') {
                let (code, control) = match key {
                    "Left" => (KeyCode::Left, false),
                    "Right" => (KeyCode::Right, false),
                    "Home" => (KeyCode::Home, false),
                    "End" => (KeyCode::End, false),
                    "Delete" => (KeyCode::Delete, false),
                    "Backspace" => (KeyCode::Backspace, false),
                    letter => (KeyCode::Char(letter.chars().next_back().unwrap()), letter.starts_with("C-")),
                };
                line.key(code, control);
            }
        };
        for (text, keys, want) in [
            ("ab", "c", "abc|"),
            ("ab", "Left x", "ax|b"),
            ("ab", "Home Delete y", "y|b"),
            ("ab", "Home Left Backspace End Right Delete", "ab|"),
            ("a 👩‍👩‍👧‍👦", "Backspace", "a |"),
            ("a é", "Left Left", "a| é"),
            ("one two  ", "C-w", "one |"),
            ("one two", "Left C-w", "one |o"),
            ("one two", "Left C-u", "|"),
            ("ab", "C-a x C-e y", "xaby|"),
        ] {
            let mut line = InputLine::from(text.to_owned());
            press(&mut line, keys);
            assert_eq!(format!("{}|{}", line.before, line.after), want, "{text}: {keys}");
        }
    }

    #[test]
    fn typing_replaces_a_selected_text_and_moving_keeps_it() {
        for (keys, want) in [("x", "x"), ("x y", "xy"), ("Left x", "axb"), ("Backspace", ""), ("End x", "abx")] {
            let mut line = InputLine::selected("ab".to_owned());
            for key in keys.split(' ') {
                let code = match key {
                    "Left" => KeyCode::Left,
                    "End" => KeyCode::End,
                    "Backspace" => KeyCode::Backspace,
                    letter => KeyCode::Char(letter.chars().next_back().unwrap()),
                };
                line.key(code, false);
            }
            assert_eq!(line.text(), want, "{keys}");
        }
        let mut line = InputLine::selected("ab".to_owned());
        line.insert("pasted");
        assert_eq!(line.text(), "pasted");
    }

    #[test]
    fn the_cursor_is_always_in_the_window() {
        let mut line = InputLine::from("日本語 text".to_owned());
        assert_eq!(line.window(20), ("日本語 text".to_owned(), 11));
        assert_eq!(line.window(7), (" text".to_owned(), 5));
        line.key(KeyCode::Home, false);
        assert_eq!(line.window(7), ("日本語 text".to_owned(), 0));
        assert_eq!(line.window(0).1, 0);
    }
}

//! Keys while a matcher or a filter is typed; the results are recomputed after each.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::state::{MatchView, TypingTarget};
use crate::model::Model;
use crate::page::Page;
use crate::widgets::InputLine;

/// Maximum length of a matcher, in bytes.
const LONGEST: usize = 2_000;

/// Handles a key while text is typed; returns `false` if no text is being typed.
pub fn on_typing_key(model: &mut Model, key: KeyEvent) -> bool {
    let Some(typing) = model.matching.typing else { return false };
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let matching = &mut model.matching;
    match key.code {
        KeyCode::Enter => accept(matching, typing),
        KeyCode::Esc => cancel(matching, typing),
        KeyCode::Char('c') if control => cancel(matching, typing),
        KeyCode::Up => matching.select(matching.row().saturating_sub(1)),
        KeyCode::Down => matching.select(matching.row() + 1),
        KeyCode::Char(c) if !control => insert(model, typing, c.encode_utf8(&mut [0; 4])),
        code => {
            line(matching, typing).key(code, control);
            if typing == TypingTarget::Filter {
                matching.selected_name = None;
            }
        }
    }
    true
}

/// The character that a key types; `None` for other keys.
pub fn typed_char(event: &Event) -> Option<char> {
    match event {
        Event::Key(KeyEvent { code: KeyCode::Char(c), modifiers, kind, .. })
            if *kind != KeyEventKind::Release && (*modifiers - KeyModifiers::SHIFT).is_empty() =>
        {
            Some(*c)
        }
        _ => None,
    }
}

/// Whether characters are text now; checked once for a whole burst of input.
pub fn takes_text(model: &Model) -> bool {
    model.page == Page::Match && model.popups.is_empty() && model.matching.typing.is_some()
}

/// Handles pasted text; returns `false` if no text is being typed.
pub fn on_paste(model: &mut Model, text: &str) -> bool {
    let Some(typing) = model.matching.typing else { return false };
    insert(model, typing, text);
    true
}

/// Replaces the matcher; its hook stays the same.
pub fn replace(model: &mut Model, text: &str) {
    model.matching.text = InputLine::default();
    insert(model, TypingTarget::Matcher, text);
}

/// Inserts as much of a text as fits. Its length is limited because it is tested against every tool of every
/// agent.
fn insert(model: &mut Model, typing: TypingTarget, text: &str) {
    let into = line(&mut model.matching, typing);
    let room = LONGEST.saturating_sub(into.len());
    let fits = text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= room).last().unwrap_or(0);
    into.insert(text.get(..fits).unwrap_or_default());
    if typing == TypingTarget::Filter {
        model.matching.selected_name = None;
    }
    if fits < text.len() {
        model.toast = Some(format!("a matcher has at most {LONGEST} bytes; the rest was cut"));
    }
}

fn line(matching: &mut MatchView, typing: TypingTarget) -> &mut InputLine {
    match typing {
        TypingTarget::Matcher => &mut matching.text,
        TypingTarget::Filter => &mut matching.filter,
    }
}

fn accept(matching: &mut MatchView, typing: TypingTarget) {
    matching.typing = None;
    let text = matching.filter.text().trim().to_owned();
    if typing == TypingTarget::Filter && matching.rows.is_empty() && !text.is_empty() {
        // A name that is not listed is added and tested.
        matching.added_names.push(text.clone());
        matching.selected_name = Some(text);
        matching.filter = InputLine::default();
    }
}

fn cancel(matching: &mut MatchView, typing: TypingTarget) {
    matching.typing = None;
    match typing {
        TypingTarget::Matcher => matching.text = matching.text_before.clone().into(),
        TypingTarget::Filter => matching.filter = InputLine::default(),
    }
}

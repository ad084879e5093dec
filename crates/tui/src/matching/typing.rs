//! Keys while a matcher or a filter is typed; the results are recomputed after each.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::state::{Matching, Typing};
use crate::model::Model;
use crate::page::Page;
use crate::widgets::Line;

/// Maximum length of a matcher, in bytes.
const LONGEST: usize = 2_000;

/// Handles a key while text is typed; returns `false` if no text is being typed.
pub fn typed_key(model: &mut Model, key: KeyEvent) -> bool {
    let Some(typing) = model.matching.typing else { return false };
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let matching = &mut model.matching;
    match key.code {
        KeyCode::Enter => keep(matching, typing),
        KeyCode::Esc => forget(matching, typing),
        KeyCode::Char('c') if control => forget(matching, typing),
        KeyCode::Up => matching.select(matching.row().saturating_sub(1)),
        KeyCode::Down => matching.select(matching.row() + 1),
        KeyCode::Char(c) if !control => insert(model, typing, c.encode_utf8(&mut [0; 4])),
        code => {
            line(matching, typing).key(code, control);
            if typing == Typing::Filter {
                matching.name = None;
            }
        }
    }
    true
}

/// The character that a key types; `None` for other keys.
pub fn letter(event: &Event) -> Option<char> {
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
pub fn paste(model: &mut Model, text: &str) -> bool {
    let Some(typing) = model.matching.typing else { return false };
    insert(model, typing, text);
    true
}

/// Inserts as much of a text as fits. Its length is limited because it is tested against every tool of every
/// agent.
fn insert(model: &mut Model, typing: Typing, text: &str) {
    let into = line(&mut model.matching, typing);
    let room = LONGEST.saturating_sub(into.len());
    let fits = text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= room).last().unwrap_or(0);
    into.insert(text.get(..fits).unwrap_or_default());
    if typing == Typing::Filter {
        model.matching.name = None;
    }
    if fits < text.len() {
        model.toast = Some(format!("{LONGEST} bytes are the most that can be tried; the rest was left out"));
    }
}

fn line(matching: &mut Matching, typing: Typing) -> &mut Line {
    match typing {
        Typing::Matcher => &mut matching.text,
        Typing::Filter => &mut matching.filter,
    }
}

fn keep(matching: &mut Matching, typing: Typing) {
    matching.typing = None;
    let text = matching.filter.text().trim().to_owned();
    if typing == Typing::Filter && matching.rows.is_empty() && !text.is_empty() {
        // A name that is not listed is added and tested.
        matching.typed.push(text.clone());
        matching.name = Some(text);
        matching.filter = Line::default();
    }
}

fn forget(matching: &mut Matching, typing: Typing) {
    matching.typing = None;
    match typing {
        Typing::Matcher => matching.text = matching.before.clone().into(),
        Typing::Filter => matching.filter = Line::default(),
    }
}

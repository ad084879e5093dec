//! Letters while something is typed: everything is worked out again after each.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::state::{Matching, Typing};
use crate::model::Model;
use crate::page::Page;
use crate::widgets::Line;

/// The longest text that is tried.
const LONGEST: usize = 2_000;

/// Takes a key while something is typed; false: nothing is.
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

/// The letter that a key types.
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

/// Whether letters are text now, which is worked out once however many come.
pub fn takes_text(model: &Model) -> bool {
    model.page == Page::Match && model.popups.is_empty() && model.matching.typing.is_some()
}

/// A text that is pasted while something is typed; false: nothing is.
pub fn paste(model: &mut Model, text: &str) -> bool {
    let Some(typing) = model.matching.typing else { return false };
    insert(model, typing, text);
    true
}

/// Takes as much of a text as there is room for. What is typed is worked out for every tool of every agent.
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
        // Nobody has such a name: it is tried all the same.
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

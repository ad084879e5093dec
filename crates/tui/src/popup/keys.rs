//! Keys while a popup is open.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::input::input_key;
use super::pick::pick_key;
use super::replay::replay_key;
use super::{Popup, PopupResult};
use crate::consent::ConsentQuestion;
use crate::widgets::step;
use hookbench_app::live::LiveRequest;
use hookbench_app::{Command, History};

/// Handles a key.
pub fn key(popup: &mut Popup, key: KeyEvent, history: &History, size: (u16, u16)) -> PopupResult {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    if control && key.code == KeyCode::Char('c') {
        return if matches!(popup, Popup::Consent { .. }) {
            PopupResult::Run(vec![Command::RefuseConsent])
        } else {
            PopupResult::Close
        };
    }
    match popup {
        Popup::Pick(pick) => pick_key(pick, key.code, control),
        Popup::Values { path, pick, .. } if key.code == KeyCode::Enter && pick.shown().is_empty() => {
            PopupResult::Run(vec![Command::SetField { path: path.clone(), text: pick.filter.trim().to_owned() }])
        }
        Popup::Values { pick, .. } => pick_key(pick, key.code, control),
        Popup::Find(finder) => finder.key(key.code, control),
        Popup::Runs(runs) => runs.key(key.code, control, history),
        Popup::Input(input) => input_key(input, key.code, control),
        Popup::Consent { items, top } => match key.code {
            // A user who has not seen the end has not seen every command.
            KeyCode::Char('y') if ConsentQuestion::to_fire(items, &[]).reaches_end(*top, size) => {
                PopupResult::Run(vec![Command::GiveConsent])
            }
            KeyCode::Char('n' | 'q') | KeyCode::Esc => PopupResult::Run(vec![Command::RefuseConsent]),
            code => scroll_question(top, code),
        },
        Popup::Replay { question, top } => replay_key(question, top, key.code, size),
        Popup::PayloadRefused(_) => match key.code {
            KeyCode::Char('e' | 'E') => PopupResult::EditAgain,
            KeyCode::Esc | KeyCode::Char('q') | KeyCode::Enter => PopupResult::Close,
            _ => PopupResult::Stay,
        },
        Popup::Lines { top, lines, .. } => match key.code {
            KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q' | 'd') => PopupResult::Close,
            code => scroll(top, code, lines.len()),
        },
        Popup::Patch { top, lines, files, .. } => match key.code {
            KeyCode::Char('y') => PopupResult::Run(vec![Command::WriteFiles(std::mem::take(files))]),
            KeyCode::Esc | KeyCode::Char('q' | 'n') => PopupResult::Close,
            code => scroll(top, code, lines.len()),
        },
        Popup::SendInput { id, decision, top, lines } => match key.code {
            KeyCode::Enter | KeyCode::Char('y') => {
                let (id, decision) = (id.clone(), decision.clone());
                PopupResult::Run(vec![Command::Live(LiveRequest::Decide { id, decision })])
            }
            KeyCode::Esc | KeyCode::Char('q' | 'n') => PopupResult::Close,
            KeyCode::PageDown | KeyCode::PageUp => PopupResult::Stay,
            code => scroll(top, code, lines.len()),
        },
        Popup::Copy(all) => match key.code {
            KeyCode::Char(c) if all.iter().any(|y| y.key == c) => {
                all.iter().find(|y| y.key == c).map_or(PopupResult::Close, |yank| PopupResult::Copy(yank.text.clone()))
            }
            KeyCode::Esc | KeyCode::Char('q' | 'n') => PopupResult::Close,
            _ => PopupResult::Stay,
        },
        Popup::WriteMatcher { change, .. } => match key.code {
            KeyCode::Char('y') => PopupResult::Run(vec![Command::SetMatcher(change.clone())]),
            KeyCode::Char('v') => PopupResult::ShowImpact(change.clone()),
            KeyCode::Char('n' | 'q') | KeyCode::Esc => PopupResult::Close,
            _ => PopupResult::Stay,
        },
        Popup::Quit => match key.code {
            KeyCode::Char('y') => PopupResult::Quit,
            KeyCode::Char('n' | 'q') | KeyCode::Esc => PopupResult::Close,
            _ => PopupResult::Stay,
        },
        Popup::Help { filter, top } => match key.code {
            KeyCode::Esc | KeyCode::Enter => PopupResult::Close,
            KeyCode::Backspace => {
                filter.pop();
                PopupResult::Stay
            }
            KeyCode::Down => {
                *top += 1;
                PopupResult::Stay
            }
            KeyCode::Up => {
                *top = top.saturating_sub(1);
                PopupResult::Stay
            }
            KeyCode::Char('?') if filter.is_empty() => PopupResult::Close,
            KeyCode::Char(c) if !control => {
                filter.push(c);
                *top = 0;
                PopupResult::Stay
            }
            _ => PopupResult::Stay,
        },
    }
}

/// Whether a key declines every question.
pub fn declines(key: KeyEvent) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Esc => true,
        KeyCode::Char('c') => control,
        KeyCode::Char('n' | 'q') => !control,
        _ => false,
    }
}

/// The row that a key moves to in a list filtered by typing; `None` if the key does not move.
pub(crate) fn moved_row(code: KeyCode, control: bool, selected: usize, last: usize) -> Option<usize> {
    match code {
        KeyCode::Up => Some(-1),
        KeyCode::Down => Some(1),
        KeyCode::PageUp => Some(-10),
        KeyCode::PageDown => Some(10),
        KeyCode::Char('p') if control => Some(-1),
        KeyCode::Char('n') if control => Some(1),
        _ => None,
    }
    .map(|by| step(selected, by, last + 1))
}

/// Scrolls a text of `len` lines.
fn scroll(top: &mut usize, code: KeyCode, len: usize) -> PopupResult {
    let by = match code {
        KeyCode::Down | KeyCode::Char('j') => 1,
        KeyCode::Up | KeyCode::Char('k') => -1,
        KeyCode::PageDown => 10,
        KeyCode::PageUp => -10,
        _ => return PopupResult::Stay,
    };
    *top = step(*top, by, len);
    PopupResult::Stay
}

/// Scrolls a list of commands to agree to, whose length depends on the screen.
pub(super) fn scroll_question(top: &mut usize, code: KeyCode) -> PopupResult {
    const MOST: usize = 100_000;
    match code {
        KeyCode::Char('G') | KeyCode::End => *top = MOST,
        KeyCode::Char(' ') => *top = step(*top, 1, MOST),
        code => return scroll(top, code, MOST),
    }
    PopupResult::Stay
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lead_through_a_list_and_never_out_of_it() {
        let to = |code, control, from| moved_row(code, control, from, 12);
        let cases = [
            (KeyCode::Up, false, 0, Some(0)),
            (KeyCode::Up, false, 5, Some(4)),
            (KeyCode::Down, false, 12, Some(12)),
            (KeyCode::PageUp, false, 12, Some(2)),
            (KeyCode::PageDown, false, 5, Some(12)),
            (KeyCode::Char('p'), true, 5, Some(4)),
            (KeyCode::Char('n'), true, 5, Some(6)),
            // Without Ctrl they are text.
            (KeyCode::Char('p'), false, 5, None),
            (KeyCode::Char('n'), false, 5, None),
        ];
        for (code, control, from, want) in cases {
            assert_eq!(to(code, control, from), want, "{code:?} from {from}");
        }
    }
}

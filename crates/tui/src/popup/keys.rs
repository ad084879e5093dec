//! Keys while a popup is open.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::input::input_key;
use super::pick::list_key;
use super::replay::replay_key;
use super::{Popup, PopupResult};
use crate::consent::ConsentQuestion;
use crate::widgets::step;
use hookbench_app::live::LiveRequest;
use hookbench_app::{Command, History};

/// The letter that says yes to every question. It means nothing else in the program, so a stray key never agrees.
pub(crate) const YES: char = 'Y';

/// Handles a key.
pub fn key(popup: &mut Popup, key: KeyEvent, history: &History, size: (u16, u16)) -> PopupResult {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    // Ctrl+C closes what Esc closes.
    let code = if control && key.code == KeyCode::Char('c') { KeyCode::Esc } else { key.code };
    match popup {
        Popup::Pick(pick) => list_key(pick, code, control),
        Popup::Values { path, pick, .. } if code == KeyCode::Enter && pick.shown().is_empty() => {
            PopupResult::Run(vec![Command::SetField { path: path.clone(), text: pick.filter.trim().to_owned() }])
        }
        Popup::Values { pick, .. } => list_key(pick, code, control),
        Popup::Find(finder) => finder.key(code, control),
        Popup::Runs(runs) => runs.key(code, control, history),
        Popup::Input(input) => input_key(input, code, control),
        Popup::Consent { items, top } => match code {
            // A user who has not seen the end has not seen every command.
            KeyCode::Char(YES) if ConsentQuestion::to_fire(items, &[]).reaches_end(*top, size) => {
                PopupResult::Run(vec![Command::GiveConsent])
            }
            KeyCode::Char('n') | KeyCode::Esc => PopupResult::Run(vec![Command::RefuseConsent]),
            code => scroll_question(top, code),
        },
        Popup::Replay { question, top } => replay_key(question, top, code, size),
        Popup::PayloadRefused(_) => match code {
            KeyCode::Char('e') => PopupResult::EditAgain,
            KeyCode::Esc => PopupResult::Close,
            _ => PopupResult::Unknown,
        },
        Popup::Lines { top, lines, .. } => match code {
            KeyCode::Esc | KeyCode::Enter => PopupResult::Close,
            code => scroll(top, code, lines.len()),
        },
        Popup::NewHook(sheet) => sheet.key(code, control),
        Popup::Patch { top, lines, files, then, .. } => match code {
            KeyCode::Char(YES) => {
                let mut commands = vec![Command::WriteFiles(std::mem::take(files))];
                commands.append(then);
                PopupResult::Run(commands)
            }
            KeyCode::Esc | KeyCode::Char('n') => PopupResult::Close,
            code => scroll(top, code, lines.len()),
        },
        Popup::SendInput { id, decision, top, lines } => match code {
            KeyCode::Char(YES) => {
                let (id, decision) = (id.clone(), decision.clone());
                PopupResult::Run(vec![Command::Live(LiveRequest::Decide { id, decision })])
            }
            KeyCode::Esc | KeyCode::Char('n') => PopupResult::Close,
            code => scroll(top, code, lines.len()),
        },
        Popup::Copy(all) => match code {
            KeyCode::Char(c) => match all.iter().find(|item| item.key == c) {
                Some(item) => PopupResult::Copy(item.text.clone()),
                None => PopupResult::Unknown,
            },
            KeyCode::Esc => PopupResult::Close,
            _ => PopupResult::Unknown,
        },
        Popup::WriteMatcher { change, .. } => match code {
            KeyCode::Char(YES) => PopupResult::Run(vec![Command::SetMatcher(change.clone())]),
            KeyCode::Char('v') => PopupResult::ShowImpact(change.clone()),
            KeyCode::Char('n') | KeyCode::Esc => PopupResult::Close,
            _ => PopupResult::Unknown,
        },
        Popup::Quit => match code {
            KeyCode::Char(YES) => PopupResult::Quit,
            KeyCode::Char('n') | KeyCode::Esc => PopupResult::Close,
            _ => PopupResult::Unknown,
        },
        Popup::Stress { .. } => PopupResult::Stress,
        Popup::Help(help) => help.key(code, control),
    }
}

/// Whether a key declines every question.
pub fn declines(key: KeyEvent) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Esc => true,
        KeyCode::Char('c') => control,
        KeyCode::Char('n') => !control,
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
        _ => return PopupResult::Unknown,
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

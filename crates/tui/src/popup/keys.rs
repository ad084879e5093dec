//! Keys while a popup is open.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::input::input_key;
use super::pick::pick_key;
use super::replay::replay_key;
use super::{Answer, Popup};
use crate::consent::Asked;
use hookbench_app::live::LiveWish;
use hookbench_app::{Command, History};

/// Handles a key.
pub fn key(popup: &mut Popup, key: KeyEvent, history: &History, size: (u16, u16)) -> Answer {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    if control && key.code == KeyCode::Char('c') {
        return if matches!(popup, Popup::Consent { .. }) {
            Answer::Do(vec![Command::WithholdConsent])
        } else {
            Answer::Close
        };
    }
    match popup {
        Popup::Pick(pick) => pick_key(pick, key.code, control),
        Popup::Values { path, pick, .. } if key.code == KeyCode::Enter && pick.shown().is_empty() => {
            Answer::Do(vec![Command::SetField { path: path.clone(), text: pick.filter.trim().to_owned() }])
        }
        Popup::Values { pick, .. } => pick_key(pick, key.code, control),
        Popup::Find(finder) => finder.key(key.code, control),
        Popup::Runs(runs) => runs.key(key.code, control, history),
        Popup::Input(input) => input_key(input, key.code, control),
        Popup::Consent { items, top } => match key.code {
            // A user who has not seen the end has not seen every command.
            KeyCode::Char('y') if Asked::to_fire(items, &[]).reaches_end(*top, size) => {
                Answer::Do(vec![Command::GiveConsent])
            }
            KeyCode::Char('j' | ' ') | KeyCode::Down => scroll(top, 1),
            KeyCode::Char('k') | KeyCode::Up => scroll(top, -1),
            KeyCode::PageDown => scroll(top, 10),
            KeyCode::PageUp => scroll(top, -10),
            KeyCode::Char('G') | KeyCode::End => scroll(top, 100_000),
            KeyCode::Char('n' | 'q') | KeyCode::Esc => Answer::Do(vec![Command::WithholdConsent]),
            _ => Answer::Stay,
        },
        Popup::Replay { question, top } => replay_key(question, top, key.code, size),
        Popup::Refused(_) => match key.code {
            KeyCode::Char('e' | 'E') => Answer::EditAgain,
            KeyCode::Esc | KeyCode::Char('q') | KeyCode::Enter => Answer::Close,
            _ => Answer::Stay,
        },
        Popup::Lines { top, lines, .. } => {
            let last = lines.len().saturating_sub(1);
            match key.code {
                KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q' | 'd') => return Answer::Close,
                KeyCode::Down | KeyCode::Char('j') => *top = (*top + 1).min(last),
                KeyCode::Up | KeyCode::Char('k') => *top = top.saturating_sub(1),
                KeyCode::PageDown => *top = (*top + 10).min(last),
                KeyCode::PageUp => *top = top.saturating_sub(10),
                _ => {}
            }
            Answer::Stay
        }
        Popup::Patch { top, lines, files, .. } => match key.code {
            KeyCode::Char('y') => Answer::Do(vec![Command::WriteFiles(std::mem::take(files))]),
            KeyCode::Esc | KeyCode::Char('q' | 'n') => Answer::Close,
            code => {
                let last = lines.len().saturating_sub(1);
                match code {
                    KeyCode::Down | KeyCode::Char('j') => *top = (*top + 1).min(last),
                    KeyCode::Up | KeyCode::Char('k') => *top = top.saturating_sub(1),
                    KeyCode::PageDown => *top = (*top + 10).min(last),
                    KeyCode::PageUp => *top = top.saturating_sub(10),
                    _ => {}
                }
                Answer::Stay
            }
        },
        Popup::Send { id, decision, top, lines } => match key.code {
            KeyCode::Enter | KeyCode::Char('y') => {
                let (id, decision) = (id.clone(), decision.clone());
                Answer::Do(vec![Command::Live(LiveWish::Decide { id, decision })])
            }
            KeyCode::Esc | KeyCode::Char('q' | 'n') => Answer::Close,
            KeyCode::Down | KeyCode::Char('j') => {
                *top = (*top + 1).min(lines.len().saturating_sub(1));
                Answer::Stay
            }
            KeyCode::Up | KeyCode::Char('k') => {
                *top = top.saturating_sub(1);
                Answer::Stay
            }
            _ => Answer::Stay,
        },
        Popup::Yank(all) => match key.code {
            KeyCode::Char(c) if all.iter().any(|y| y.key == c) => {
                all.iter().find(|y| y.key == c).map_or(Answer::Close, |yank| Answer::Copy(yank.text.clone()))
            }
            KeyCode::Esc | KeyCode::Char('q' | 'n') => Answer::Close,
            _ => Answer::Stay,
        },
        Popup::Write { change, .. } => match key.code {
            KeyCode::Char('y') => Answer::Do(vec![Command::SetMatcher(change.clone())]),
            KeyCode::Char('v') => Answer::Foreseen(change.clone()),
            KeyCode::Char('n' | 'q') | KeyCode::Esc => Answer::Close,
            _ => Answer::Stay,
        },
        Popup::Quit => match key.code {
            KeyCode::Char('y') => Answer::Quit,
            KeyCode::Char('n' | 'q') | KeyCode::Esc => Answer::Close,
            _ => Answer::Stay,
        },
        Popup::Help { filter, top } => match key.code {
            KeyCode::Esc | KeyCode::Enter => Answer::Close,
            KeyCode::Backspace => {
                filter.pop();
                Answer::Stay
            }
            KeyCode::Down => {
                *top += 1;
                Answer::Stay
            }
            KeyCode::Up => {
                *top = top.saturating_sub(1);
                Answer::Stay
            }
            KeyCode::Char('?') if filter.is_empty() => Answer::Close,
            KeyCode::Char(c) if !control => {
                filter.push(c);
                *top = 0;
                Answer::Stay
            }
            _ => Answer::Stay,
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
pub(crate) fn walk(code: KeyCode, control: bool, selected: usize, last: usize) -> Option<usize> {
    match code {
        KeyCode::Up => Some(selected.saturating_sub(1)),
        KeyCode::Down => Some((selected + 1).min(last)),
        KeyCode::PageUp => Some(selected.saturating_sub(10)),
        KeyCode::PageDown => Some((selected + 10).min(last)),
        KeyCode::Char('p') if control => Some(selected.saturating_sub(1)),
        KeyCode::Char('n') if control => Some((selected + 1).min(last)),
        _ => None,
    }
}

fn scroll(top: &mut usize, by: isize) -> Answer {
    *top = top.saturating_add_signed(by).min(100_000);
    Answer::Stay
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lead_through_a_list_and_never_out_of_it() {
        let to = |code, control, from| walk(code, control, from, 12);
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

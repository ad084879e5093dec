//! Keys while a popup is open.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::input_keys::input_key;
use super::long_text::{LongText, scroll_rows};
use super::pick::list_key;
use super::{Popup, PopupResult, replay_question};
use crate::consent::ConsentQuestion;
use crate::layer_keys::YES;
use hookbench_app::live::LiveRequest;
use hookbench_app::{ApprovedCommand, Command, EventListCommand, History, ReplayOrder, ReplayQuestion};

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
            KeyCode::Enter => PopupResult::ReadScripts,
            code => scroll_rows(top, code, ConsentQuestion::to_fire(items, &[]).last_top(size)),
        },
        Popup::Replay { question, top } => replay_key(question, top, code, size),
        Popup::PayloadRefused(_) => match code {
            KeyCode::Char('e') => PopupResult::EditAgain,
            KeyCode::Esc => PopupResult::Close,
            _ => PopupResult::Unknown,
        },
        Popup::Lines { top, lines, .. } => match code {
            KeyCode::Esc | KeyCode::Enter => PopupResult::Close,
            code => LongText::Lines.scroll(top, code, lines, size),
        },
        Popup::NewHook(sheet) => sheet.key(code, control),
        // Y writes before the end was visible, too: the popup counts the hidden changes, and one key undoes the step.
        Popup::Patch { top, lines, files, then, .. } => match code {
            KeyCode::Char(YES) => PopupResult::Write(std::mem::take(files), std::mem::take(then)),
            KeyCode::Esc | KeyCode::Char('n') => PopupResult::Close,
            code => LongText::Diff.scroll(top, code, lines, size),
        },
        Popup::SendInput { id, decision, top, lines } => match code {
            KeyCode::Char(YES) => {
                let (id, decision) = (id.clone(), decision.clone());
                PopupResult::Run(vec![Command::Live(LiveRequest::Decide { id, decision })])
            }
            KeyCode::Esc | KeyCode::Char('n') => PopupResult::Close,
            code => LongText::Diff.scroll(top, code, lines, size),
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
            KeyCode::Char(YES) => PopupResult::Run(vec![Command::WriteFiles(vec![change.file_change()])]),
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
        Popup::Calibration { .. } => PopupResult::Calibration,
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

/// Handles a key of the question before a replay. Only `Y` runs the commands, and only after the end of the list was visible.
fn replay_key(question: &mut ReplayQuestion, top: &mut usize, code: KeyCode, size: (u16, u16)) -> PopupResult {
    match code {
        KeyCode::Char(YES) if replay_question(question).reaches_end(*top, size) => {
            let agreed: Vec<ApprovedCommand> = question
                .items
                .iter()
                .map(|item| (item.key.clone(), format!("{} ({})", item.command, item.source)))
                .collect();
            PopupResult::Run(vec![
                Command::SetContained(question.order.contain),
                Command::EventList(EventListCommand::ReplayApproved(question.order.clone(), agreed)),
            ])
        }
        KeyCode::Char('!') => {
            question.order = ReplayOrder { contain: !question.order.contain, ..question.order.clone() };
            PopupResult::Stay
        }
        KeyCode::Char('n') | KeyCode::Esc => PopupResult::Close,
        KeyCode::Enter => PopupResult::ReadScripts,
        code => {
            let last = replay_question(question).last_top(size);
            scroll_rows(top, code, last)
        }
    }
}

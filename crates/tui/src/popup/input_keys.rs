//! Keys while a line is filled in, and the result of Enter.

use crossterm::event::KeyCode;

use super::{InputPopup, InputPurpose, PopupResult};
use crate::events;
use crate::widgets::InputLine;
use hookbench_app::{Command, EventListCommand, ReplayOrder};

/// Handles a key.
pub(super) fn input_key(input: &mut InputPopup, code: KeyCode, control: bool) -> PopupResult {
    match code {
        KeyCode::Esc => return PopupResult::Close,
        KeyCode::Enter => return submit(input),
        _ => {}
    }
    if !InputLine::knows(code, control) {
        return PopupResult::Unknown;
    }
    if matches!(input.what, InputPurpose::Field(_)) && control && code == KeyCode::Char('u') {
        clear_value(input);
        return PopupResult::Stay;
    }
    if input.text.key(code, control) {
        input.error = None;
    }
    PopupResult::Stay
}

/// Clears the value behind a path; without a value, the path.
fn clear_value(input: &mut InputPopup) {
    if input.text.len() == 0 {
        input.prefix.clear();
    }
    input.text = InputLine::default();
    input.error = None;
}

fn submit(input: &mut InputPopup) -> PopupResult {
    match &input.what {
        InputPurpose::Field(keys) => match field_of(input, keys) {
            Some((path, text)) => PopupResult::Run(vec![Command::SetField { path, text }]),
            None => {
                input.error = Some("the form is a.b=VALUE".to_owned());
                PopupResult::Stay
            }
        },
        InputPurpose::Value(path) => {
            let text = input.text.text().trim().to_owned();
            PopupResult::Run(vec![Command::SetField { path: path.clone(), text }])
        }
        InputPurpose::Reason(finding) => match input.text.text().trim() {
            "" => {
                input.error = Some("a reason is needed".to_owned());
                PopupResult::Stay
            }
            reason => PopupResult::Reason(finding.clone(), reason.to_owned()),
        },
        InputPurpose::GuardReason(hit) => match input.text.text().trim() {
            "" => {
                input.error = Some("a reason is needed".to_owned());
                PopupResult::Stay
            }
            reason => PopupResult::GuardReason(hit.clone(), reason.to_owned()),
        },
        InputPurpose::Live(what) => {
            let text = input.line();
            match what.check(&text) {
                Ok(()) => PopupResult::Intercept(*what, text),
                Err(why) => {
                    input.error = Some(why);
                    PopupResult::Stay
                }
            }
        }
        InputPurpose::Comment(seq) => {
            let (seq, text) = (*seq, input.text.text());
            PopupResult::Run(vec![Command::EventList(EventListCommand::Comment { seq, text })])
        }
        InputPurpose::Against(which) => match events::replay_target::parse_target(&input.text.text()) {
            Ok(against) => {
                let order = ReplayOrder { target: against, ..ReplayOrder::planned(which.clone()) };
                PopupResult::Run(vec![Command::EventList(EventListCommand::Replay(order))])
            }
            Err(why) => {
                input.error = Some(why);
                PopupResult::Stay
            }
        },
        InputPurpose::WhatIf { firing, run } => match what_if(&input.text.text()) {
            Some((code, stdout)) => {
                PopupResult::Run(vec![Command::WhatIf { firing: *firing, run: *run, code, stdout }])
            }
            None => {
                input.error = Some("begin with an exit status, such as: 2 {\"decision\": \"block\"}".to_owned());
                PopupResult::Stay
            }
        },
        InputPurpose::Answer { firing, run } => {
            PopupResult::Run(vec![Command::Answer { firing: *firing, run: *run, text: input.text.text() }])
        }
    }
}

/// Parses an exit status and the stdout after it; an empty text means exit status 2, with which a hook blocks.
fn what_if(text: &str) -> Option<(i32, String)> {
    let text = text.trim_start();
    let (code, stdout) = text.split_once(' ').unwrap_or((text.trim_end(), ""));
    let code = if text.is_empty() { Some(2) } else { code.parse().ok() };
    Some((code?, stdout.to_owned()))
}

/// The path and the value of a line. A whole `a.b=VALUE` that was typed behind the prefix is taken as such, because it
/// would never be meant as a value.
fn field_of(input: &InputPopup, keys: &[String]) -> Option<(String, String)> {
    let (typed, line) = (input.text.text(), input.line());
    let is_known = |path: &str| {
        let root = path.trim().trim_start_matches('/').split(['.', '/', '[']).next().unwrap_or_default();
        keys.iter().any(|key| key == root)
    };
    let whole = field_parts(&typed).filter(|(path, _)| is_known(path));
    let (path, text) = whole.or_else(|| field_parts(&line))?;
    Some((path.trim().to_owned(), text.trim().to_owned())).filter(|(path, _)| !path.is_empty())
}

/// Splits `a.b=VALUE` or `/a/b = VALUE`. A key in a JSON pointer may contain an equals sign.
fn field_parts(text: &str) -> Option<(&str, &str)> {
    let pointer = text.starts_with('/').then(|| text.split_once(" = ")).flatten();
    pointer.or_else(|| text.split_once('='))
}

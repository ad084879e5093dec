//! Keys while the focus is on the event: moving, folding, searching, changing a value.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::Value;

use crate::keymap::UiCommand;
use crate::model::{Focus, Model};
use crate::payload_view::{PayloadView, field_of};
use crate::popup::{InputPopup, InputPurpose, PickItem, PickList, Popup};
use crate::widgets::{JsonTree, TreeAction, TreeSource, TreeValue, unescaped};
use hookbench_app::{Bench, Command, kind_of};
use hookbench_core::text::{parse_value, stringify};

/// Longer values have to be edited in an editor.
pub(crate) const LONGEST: usize = 2000;

/// Handles a command on the rows; `page` is the height of a page in rows. Returns `false` if the command has its
/// general meaning.
pub fn on_command(model: &mut Model, verb: UiCommand, page: isize) -> bool {
    // A refused payload has no rows.
    if model.session.bench().payload.refused.is_some() || model.payload_view.tree.rows.is_empty() {
        return false;
    }
    match verb {
        UiCommand::Up => act(model, TreeAction::MoveBy(-1)),
        UiCommand::Down => act(model, TreeAction::MoveBy(1)),
        UiCommand::PageUp => act(model, TreeAction::MoveBy(-page)),
        UiCommand::PageDown => act(model, TreeAction::MoveBy(page)),
        UiCommand::Top => act(model, TreeAction::MoveBy(isize::MIN / 2)),
        UiCommand::Bottom => act(model, TreeAction::MoveBy(isize::MAX / 2)),
        UiCommand::LeaveOut => act(model, TreeAction::Toggle),
        UiCommand::Right => {
            act(model, TreeAction::Enter);
            true
        }
        // At the outermost level Left keeps its general meaning.
        UiCommand::Left => act(model, TreeAction::Leave),
        UiCommand::Open => {
            if !act(model, TreeAction::Toggle) {
                ask_value(model, true);
            }
            true
        }
        UiCommand::SetField => ask_value(model, false),
        UiCommand::Search => {
            model.payload_view.tree.search.typing = true;
            find(model, String::new());
            true
        }
        UiCommand::NextMatch => {
            act(model, TreeAction::NextHit);
            true
        }
        UiCommand::PreviousMatch => {
            act(model, TreeAction::PreviousHit);
            true
        }
        UiCommand::Back if !model.payload_view.tree.search.text.is_empty() => {
            find(model, String::new());
            true
        }
        _ => false,
    }
}

/// Handles a click on a row: moves the cursor there, or folds or unfolds the row under the cursor.
pub fn on_click(model: &mut Model, row: usize) {
    let cursor = model.payload_view.tree.cursor;
    if row == cursor {
        act(model, TreeAction::Toggle);
    } else {
        act(
            model,
            TreeAction::MoveBy(row.saturating_sub(cursor).cast_signed() - cursor.saturating_sub(row).cast_signed()),
        );
    }
}

/// Moves the cursor by `by` rows. Returns `false` without rows.
pub fn move_by(model: &mut Model, by: isize) -> bool {
    model.session.bench().payload.refused.is_none() && act(model, TreeAction::MoveBy(by))
}

fn on_tree<T: Default>(model: &mut Model, what: impl FnOnce(&mut JsonTree, TreeSource<'_>) -> T) -> T {
    let mut event: PayloadView = std::mem::take(&mut model.payload_view);
    let done = event.act(model, what).unwrap_or_default();
    model.payload_view = event;
    done
}

fn act(model: &mut Model, what: TreeAction) -> bool {
    on_tree(model, |tree, of| tree.act(of, what))
}

fn find(model: &mut Model, text: String) {
    on_tree(model, |tree, of| tree.find(of, text));
}

/// Whether a search is typed.
pub fn is_typing(model: &Model) -> bool {
    model.focus == Focus::Event && model.payload_view.tree.search.typing
}

/// Handles a key while a search is typed; returns `false` if no search is open for typing.
pub fn on_typing_key(model: &mut Model, key: KeyEvent) -> bool {
    if !is_typing(model) {
        return false;
    }
    let mut text = model.payload_view.tree.search.text.clone();
    match key.code {
        KeyCode::Esc => text.clear(),
        KeyCode::Backspace => {
            text.pop();
        }
        KeyCode::Char('u') if key.modifiers.contains(KeyModifiers::CONTROL) => text.clear(),
        KeyCode::Char(_) if key.modifiers.contains(KeyModifiers::CONTROL) => return false,
        KeyCode::Char(c) => text.push(c),
        _ => {}
    }
    model.payload_view.tree.search.typing = !matches!(key.code, KeyCode::Esc | KeyCode::Enter);
    if text != model.payload_view.tree.search.text {
        find(model, text);
    }
    true
}

/// Opens the input for a new value under the cursor. Returns `false` if the cursor is not on a value.
fn ask_value(model: &mut Model, choose: bool) -> bool {
    let bench = model.session.bench();
    let Some(row) = model.payload_view.tree.row().filter(|r| !r.pointer.is_empty()) else { return false };
    let pointer = row.pointer.clone();
    let Some(value) = bench.body().and_then(|b| b.pointer(&pointer)) else { return false };
    if pointer == "/hook_event_name" {
        model.toast = Some(format!("{} chooses another event", model.key(UiCommand::Template)));
        return true;
    }
    let text = editable(value);
    if text.len() > LONGEST {
        model.toast = Some(format!("too long for one line; {} edits it in $EDITOR", model.key(UiCommand::Edit)));
        return true;
    }
    let path = shown_path(&pointer);
    let values = known_values(bench, &pointer, value);
    let popup = if choose && !values.is_empty() && matches!(row.value, TreeValue::Scalar(_)) {
        values_popup(path, &pointer, &values, value, bench)
    } else {
        Popup::Input(InputPopup {
            prefix: String::new(),
            title: format!("{path}   {}", kind_words(bench, &pointer, value)),
            hint: "JSON or text".to_owned(),
            text: text.into(),
            form: "an empty text",
            what: InputPurpose::Value(path),
            error: None,
        })
    };
    model.popups.push(popup);
    true
}

fn values_popup(path: String, pointer: &str, values: &[Value], now: &Value, bench: &Bench) -> Popup {
    let items = values
        .iter()
        .map(|value| PickItem {
            label: value.as_str().map_or_else(|| stringify(value), str::to_owned),
            about: if value == now { "current value".to_owned() } else { String::new() },
            commands: vec![Command::SetField { path: path.clone(), text: editable(value) }],
        })
        .collect();
    let selected = values.iter().position(|v| v == now).unwrap_or(0);
    let title = format!("{path}   {}", kind_words(bench, pointer, now));
    let pick = PickList { title: "Values", items, filter: String::new(), selected };
    Popup::Values { path, title, pick }
}

/// A value as text for editing: a string without quotes, unless it would then parse as JSON.
pub(crate) fn editable(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let plain = !text.is_empty() && text.trim() == text && !text.contains(char::is_control);
            if plain && parse_value(text).is_err() { text.clone() } else { stringify(value) }
        }
        other => stringify(other),
    }
}

/// The keys joined by dots, if that is unambiguous; otherwise the JSON pointer.
fn shown_path(pointer: &str) -> String {
    let keys: Vec<String> = pointer.split('/').skip(1).map(unescaped).collect();
    let plain = |key: &String| !key.is_empty() && !key.contains(['.', '/', '=']) && key.trim() == key;
    if keys.iter().all(plain) { keys.join(".") } else { pointer.to_owned() }
}

/// The known values of a key.
fn known_values(bench: &Bench, pointer: &str, now: &Value) -> Vec<Value> {
    let text = |values: &[&str]| values.iter().map(|v| Value::from(*v)).collect();
    if now.is_boolean() {
        return vec![Value::from(true), Value::from(false)];
    }
    match (field_of(bench, pointer), bench.payload.event) {
        (Some(field), _) if !field.values.is_empty() => text(field.values),
        (Some(field), Some(event)) if event.subject == Some(field.name) => text(event.subjects),
        _ => Vec::new(),
    }
}

/// The type of a value in a few words.
pub fn kind_words(bench: &Bench, pointer: &str, value: &Value) -> String {
    match field_of(bench, pointer) {
        Some(field) if !field.values.is_empty() => format!("one of {}", field.values.join(", ")),
        Some(field) if field.kind != "any" && field.optional => format!("{}, optional", field.kind),
        Some(field) if field.kind != "any" => field.kind.to_owned(),
        _ => kind_of(value).to_owned(),
    }
}

//! The keys of a popup, for the footer.

use super::long_text::LongText;
use super::{InputPurpose, Popup, replay_question};
use crate::consent::ConsentQuestion;
use crate::layer_keys::{LayerKey, answers, arrows, fixed_keys};
use crate::model::Model;
use crate::page_layout::popup_area;
use crate::theme::Theme;
use crate::widgets::StyledLine;
use crate::{calibration, stress};
use hookbench_core::live::Decision;

/// The keys of a list that typing narrows.
fn list_keys(theme: Theme, enter: &str) -> Vec<LayerKey> {
    fixed_keys(&[(arrows(theme), "move"), ("Enter", enter), ("type", "to filter"), ("Esc", "close")])
}

/// The keys of a question about a diff, which scroll if it does not fit.
fn diff_keys(mut keys: Vec<LayerKey>, lines: &[StyledLine], size: (u16, u16), theme: Theme) -> Vec<LayerKey> {
    let text = LongText::Diff.lay_out(lines, size);
    if text.rows.len() > text.room {
        keys.extend(fixed_keys(&[(arrows(theme), "scroll")]));
    }
    keys
}

impl Popup {
    /// The keys of the popup and their verbs.
    pub fn footer(&self, model: &Model) -> Vec<LayerKey> {
        let theme = model.theme;
        let size = || {
            let area = popup_area(model);
            (area.width, area.height)
        };
        match self {
            Popup::Pick(_) => list_keys(theme, "select"),
            Popup::Values { .. } => list_keys(theme, "set"),
            Popup::Find(finder) => {
                let mut keys = list_keys(theme, finder.enter_verb());
                keys.insert(2, ("Tab".to_owned(), "complete".to_owned()));
                keys
            }
            Popup::Runs(runs) => runs.footer(model),
            Popup::Input(input) => {
                let enter = input.what.verb();
                fixed_keys(&[("Enter", enter), ("Esc", "cancel"), ("Ctrl+U", "clear")])
            }
            Popup::Consent { items, top } => ConsentQuestion::to_fire(items, &model.need_counts()).keys(*top, size()),
            Popup::Replay { question, top } => replay_question(question).keys(*top, size()),
            Popup::PayloadRefused(_) => fixed_keys(&[("e", "edit again"), ("Esc", "discard edit")]),
            Popup::Lines { .. } => fixed_keys(&[(arrows(theme), "scroll"), ("Esc", "close")]),
            Popup::NewHook(sheet) => sheet.footer(theme),
            Popup::Stress { .. } => stress::footer(model),
            Popup::Calibration { agent, .. } => calibration::footer(model, *agent),
            Popup::Patch { then, lines, .. } => {
                let tries = then.hook.as_ref().is_some_and(|new| new.hook.only_decides);
                let yes = match (tries, then.opens.is_some()) {
                    (true, true) => "write it, try it and open the editor",
                    (true, false) => "write it and try it",
                    (false, true) => "write it and open the editor",
                    (false, false) => "write it",
                };
                diff_keys(answers(yes, "cancel"), lines, size(), theme)
            }
            Popup::SendInput { lines, decision, .. } => {
                let yes = if *decision == Decision::Observe { "let it continue" } else { "send it" };
                diff_keys(answers(yes, "keep holding"), lines, size(), theme)
            }
            Popup::Copy(_) => fixed_keys(&[("letter", "copy"), ("Esc", "close")]),
            Popup::WriteMatcher { .. } => {
                let mut keys = answers("write it", "cancel");
                keys.extend(fixed_keys(&[("v", "list events")]));
                keys
            }
            Popup::Quit => answers("quit", "stay"),
            Popup::Help(help) if help.all => {
                fixed_keys(&[(arrows(theme), "scroll"), ("type", "to search"), ("Tab", "this page"), ("Esc", "close")])
            }
            Popup::Help(_) => fixed_keys(&[("Tab", "all keys"), (arrows(theme), "scroll"), ("Esc", "close")]),
        }
    }
}

impl InputPurpose {
    /// The verb of Enter.
    fn verb(&self) -> &'static str {
        match self {
            InputPurpose::Field(_) | InputPurpose::Value(_) => "set",
            InputPurpose::Reason(_) | InputPurpose::GuardReason(_) => "show the entry",
            InputPurpose::Comment(_) => "save",
            InputPurpose::Against(_) => "replay, run nothing",
            InputPurpose::Live(what) => what.verb(),
            InputPurpose::Answer { .. } | InputPurpose::WhatIf { .. } => "decide again",
        }
    }
}

//! The Files page as sentences, for plain mode and to be copied.

use super::{FilesView, Item, detail, rows};
use crate::compare::Line;
use crate::model::Model;
use crate::theme::Theme;

const THEME: Theme = Theme { colour: false, unicode: false };

fn text(line: &Line) -> String {
    let whole: String = line.iter().map(|(_, text)| text.as_str()).collect();
    whole.trim_start_matches(['>', ' ']).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Every row.
pub fn page(model: &Model) -> Vec<String> {
    let view = &model.files;
    view.items.iter().map(|item| text(&rows::line(view, *item, 200, THEME))).collect()
}

/// Each agent with its counts.
pub fn in_short(view: &FilesView) -> Vec<String> {
    let agents = view.items.iter().filter(|item| matches!(item, Item::Agent(_)));
    agents.map(|item| text(&rows::line(view, *item, 200, THEME))).collect()
}

/// The selected row in full.
pub fn selected(view: &FilesView) -> Vec<String> {
    detail::lines(view, 400, THEME).iter().map(text).collect()
}

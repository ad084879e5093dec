//! The Files page as sentences, for plain mode and to be copied.

use super::{FilesRow, FilesView, detail, rows};
use crate::model::Model;
use crate::theme::Theme;
use crate::widgets::StyledLine;

const THEME: Theme = Theme { colour: false, unicode: false };

fn text(line: &StyledLine) -> String {
    let whole: String = line.iter().map(|(_, text)| text.as_str()).collect();
    whole.trim_start_matches(['>', ' ']).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Every row.
pub fn page(model: &Model) -> Vec<String> {
    let view = &model.files;
    view.items.iter().map(|item| text(&rows::line(view, *item, 200, THEME))).collect()
}

/// Each agent with its counts.
pub fn summary(view: &FilesView) -> Vec<String> {
    let agents = view.items.iter().filter(|item| matches!(item, FilesRow::Agent(_)));
    agents.map(|item| text(&rows::line(view, *item, 200, THEME))).collect()
}

/// The selected row in full.
pub fn selected(view: &FilesView) -> Vec<String> {
    detail::lines(view, 400, THEME).iter().map(text).collect()
}

//! The page as sentences, for plain mode and to be copied.

use super::{GuardsView, detail, rows};
use crate::theme::Theme;
use crate::widgets::StyledLine;

const THEME: Theme = Theme { colour: false, unicode: false };

fn text(line: &StyledLine) -> String {
    let whole: String = line.iter().map(|(_, text)| text.as_str()).collect();
    whole.trim_start_matches(['>', ' ']).trim_end().to_owned()
}

/// Every row.
pub fn page(view: &GuardsView) -> Vec<String> {
    view.rows.iter().map(|row| text(&rows::line(view, *row, 200, THEME))).collect()
}

/// The selected row in full.
pub fn selected(view: &GuardsView) -> Vec<String> {
    detail::lines(view, 400, THEME).iter().map(text).filter(|line| !line.is_empty()).collect()
}

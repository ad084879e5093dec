//! A popup with one line to fill in.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{frame, row};
use crate::intercept::InterceptInput;
use crate::theme::Theme;
use crate::widgets::{InputLine, RowWriter};
use hookbench_app::lint::Finding;
use hookbench_app::{FiringId, ReplaySelection};
use hookbench_core::guard::GuardHit;
use hookbench_core::run::RunId;

/// One line to fill in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputPopup {
    pub title: String,
    pub hint: String,
    pub text: InputLine,
    /// The placeholder of an empty line: the expected form.
    pub form: &'static str,
    pub what: InputPurpose,
    pub error: Option<String>,
}

/// The purpose of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputPurpose {
    /// A path and its value.
    Field,
    /// The value of this path.
    Value(String),
    /// The reason for allowing this finding.
    Reason(Box<Finding>),
    /// The reason for allowing this finding of a guard.
    GuardReason(Box<GuardHit>),
    /// The comment on a recorded event.
    Comment(i64),
    /// The target that these events are replayed against.
    Against(ReplaySelection),
    /// An input of the Intercept page.
    Live(InterceptInput),
    Answer {
        firing: FiringId,
        run: RunId,
    },
    WhatIf {
        firing: FiringId,
        run: RunId,
    },
}

/// Draws the line. Returns the cursor's position.
pub(super) fn draw_input(input: &InputPopup, area: Rect, buf: &mut Buffer, theme: Theme) -> (u16, u16) {
    let inner = frame(area, buf, theme, &input.title, 76, 5);
    let (text, at) = input.text.window(usize::from(inner.width));
    let (style, shown) = if text.is_empty() { (theme.quiet(), input.form) } else { (theme.strong(), text.as_str()) };
    RowWriter::new(row(inner, 0), buf, theme).put(style, shown);
    let x = inner.x.saturating_add(u16::try_from(at).unwrap_or(u16::MAX));
    let (style, hint) = match &input.error {
        Some(error) => (theme.bad(), error.as_str()),
        None => (theme.quiet(), input.hint.as_str()),
    };
    RowWriter::new(row(inner, 2), buf, theme).put(style, hint);
    (x.min(inner.right().saturating_sub(1)), inner.y)
}

//! A popup with one line to fill in.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::{frame, row};
use crate::intercept::InterceptInput;
use crate::theme::Theme;
use crate::widgets::{InputLine, RowWriter, fit, width};
use hookbench_app::lint::Finding;
use hookbench_app::{FiringId, ReplaySelection};
use hookbench_core::guard::GuardHit;
use hookbench_core::run::RunId;

/// One line to fill in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputPopup {
    pub title: String,
    pub hint: String,
    /// The prefix of the line, shown before the field.
    pub prefix: String,
    pub text: InputLine,
    /// The placeholder of an empty line: the expected form.
    pub form: &'static str,
    pub what: InputPurpose,
    pub error: Option<String>,
}

impl InputPopup {
    /// The prefix and the text. A prefix that was typed again is not doubled.
    pub fn line(&self) -> String {
        let text = self.text.text();
        let typed = text.trim_start();
        let word = self.prefix.trim_end();
        let again = typed.strip_prefix(&self.prefix).or_else(|| (typed == word).then_some(""));
        format!("{}{}", self.prefix, again.filter(|_| !word.is_empty()).unwrap_or(&text))
    }
}

/// The purpose of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputPurpose {
    /// A path and its value. A path that begins with one of these keys may be typed as a whole.
    Field(Vec<String>),
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
    let prefix = fit(&input.prefix, usize::from(inner.width) / 2, theme);
    let before = width(&prefix);
    let (text, at) = input.text.window(usize::from(inner.width).saturating_sub(before));
    let (style, shown) = match (text.is_empty(), input.text.is_selected()) {
        (true, _) => (theme.quiet(), input.form),
        (false, true) => (theme.strong().add_modifier(Modifier::REVERSED), text.as_str()),
        (false, false) => (theme.strong(), text.as_str()),
    };
    RowWriter::new(row(inner, 0), buf, theme).put(theme.plain(), &prefix).put(style, shown);
    let x = inner.x.saturating_add(u16::try_from(before + at).unwrap_or(u16::MAX));
    let (style, hint) = match &input.error {
        Some(error) => (theme.bad(), error.as_str()),
        None => (theme.quiet(), input.hint.as_str()),
    };
    RowWriter::new(row(inner, 2), buf, theme).put(style, hint);
    (x.min(inner.right().saturating_sub(1)), inner.y)
}

//! The possible answers to a held event, and the reasons against the others.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draft::{AnswerDraft, KINDS, input_of, letter, pretty};
use super::state::InterceptFocus;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::popup::row;
use crate::widgets::{ListWindow, RowWriter};
use hookbench_app::live::{PendingEventView, PendingPayload};
use hookbench_core::dialects;
use hookbench_core::live::DecisionKind;
use hookbench_core::live::intercept::DecisionError;
use hookbench_core::live::{expressible_decisions, live_form};

/// Width of an answer's word, in columns.
const WORD: usize = 8;

/// The effect of a decision, in words.
pub fn effect_words(kind: DecisionKind, wire: &str) -> &'static str {
    let stop = matches!(wire, "stop" | "subagent_stop");
    match kind {
        DecisionKind::Observe => "it continues as without a hook",
        DecisionKind::Allow => "it continues unasked; another hook can refuse",
        DecisionKind::Deny if stop => "the agent keeps working, for this reason",
        DecisionKind::Deny => "it is blocked; the agent reads the reason",
        DecisionKind::Ask => "the agent asks its user",
        DecisionKind::Modify => "it continues with another input",
        DecisionKind::Replace => "the model receives a text",
        DecisionKind::Halt => "the agent stops",
        DecisionKind::Raw => "",
    }
}

/// The reason why a decision is not possible; `None` if it is possible.
pub fn why_not(held: &PendingEventView, kind: DecisionKind) -> Option<String> {
    if kind == DecisionKind::Observe || held.fact.choices.iter().any(|word| word == kind.word()) {
        return None;
    }
    let arrived = &held.fact.arrived;
    let expressible =
        live_form(&arrived.agent).is_some_and(|form| expressible_decisions(form, &arrived.wire).contains(&kind));
    if expressible {
        return Some(DecisionError::NotAccepted(kind).to_string());
    }
    let name = dialects::by_id(&arrived.agent).map_or(arrived.agent.as_str(), |dialect| dialect.name());
    Some(format!("{name} does not support {} on {}", kind.word(), arrived.event))
}

/// The answer on which the cursor begins: the one that does the least harm if it is sent by accident.
pub fn safest(held: &PendingEventView) -> DecisionKind {
    let runs_something =
        matches!(held.fact.arrived.wire.as_str(), "pre_tool_use" | "permission_request" | "user_prompt_submit");
    let first = [DecisionKind::Deny, DecisionKind::Ask].into_iter().filter(|_| runs_something);
    first.into_iter().find(|kind| why_not(held, *kind).is_none()).unwrap_or(DecisionKind::Observe)
}

/// The visible choices, a row each; the chosen one is among them.
pub fn rows(model: &Model, area: Rect) -> Vec<(DecisionKind, Rect)> {
    let chosen = model.intercept.draft().kind.and_then(|kind| KINDS.iter().position(|other| *other == kind));
    let room = usize::from(area.height);
    let first =
        ListWindow::from(chosen.unwrap_or(0).saturating_sub(room.saturating_sub(1) / 2), KINDS.len(), room).first;
    let shown = KINDS.into_iter().skip(first).take(room).enumerate();
    shown.map(|(index, kind)| (kind, row(area, index))).collect()
}

/// Draws the choices.
pub fn draw_choices(model: &Model, held: &PendingEventView, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let chosen = model.intercept.draft().kind;
    let off = model.session.live().why_not_decide().is_some();
    for (kind, place) in rows(model, area) {
        let mut cells = RowWriter::new(place, buf, theme);
        let here = chosen == Some(kind);
        let why = why_not(held, kind);
        let key = letter(kind).filter(|_| why.is_none()).unwrap_or(' ');
        cells.put(theme.name(), &format!(" {key}"));
        cells.put(theme.strong(), &if here { format!(" {} ", theme.cursor()) } else { "   ".to_owned() });
        match why {
            Some(why) => {
                cells.cell(theme.quiet(), kind.word(), WORD).put(theme.quiet(), &format!("no: {why}"));
            }
            None => {
                let style = if off { theme.quiet() } else { theme.strong() };
                cells.cell(style, kind.word(), WORD).put(theme.plain(), effect_words(kind, &held.fact.arrived.wire));
            }
        }
        if here && model.intercept.focus == InterceptFocus::Choices {
            buf.set_style(place, theme.selected());
        }
    }
}

/// The name of the text that an answer needs.
fn text_name(kind: Option<DecisionKind>) -> &'static str {
    match kind {
        Some(DecisionKind::Replace) => "text",
        Some(DecisionKind::Modify) => "input",
        _ => "reason",
    }
}

/// The name of the text that the chosen answer needs.
pub fn edit_label(model: &Model) -> &'static str {
    text_name(model.intercept.draft().kind)
}

/// Draws the text of the chosen answer in one line: its reason, its content or its input.
pub fn draw_answer_text(model: &Model, held: &PendingEventView, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let draft = model.intercept.draft();
    let mut cells = RowWriter::new(area, buf, theme);
    cells.skip(5);
    if let Some(says) = model.session.live().why_not_decide() {
        let key = model.key(UiCommand::SetField);
        cells.put(theme.warn(), "off").put(theme.plain(), &format!("  {says}; {key} enters its token"));
        return;
    }
    if held.deciding {
        cells.put(theme.strong(), "sending the answer");
        return;
    }
    let edit = model.key(UiCommand::Edit);
    let Some(kind) = draft.kind else {
        let open = model.key(UiCommand::Open);
        cells.put(theme.quiet(), &format!("a letter answers; arrows and {open} too"));
        return;
    };
    let (text, none) = match kind {
        DecisionKind::Observe | DecisionKind::Raw => return,
        DecisionKind::Replace => (draft.content.clone(), format!("needed; {edit} edit")),
        DecisionKind::Modify => {
            let editor = model.key(UiCommand::OpenEditor);
            let how = format!("{edit} edit here, {editor} edit in $EDITOR");
            let says = changed(held, &draft).map_or_else(String::new, |n| format!("{n}; {how}"));
            (says, format!("unchanged; {how}"))
        }
        _ => (draft.reason.clone(), format!("none; {edit} edit")),
    };
    cells.cell(theme.quiet(), text_name(Some(kind)), WORD);
    if text.is_empty() {
        cells.put(theme.quiet(), &none);
    } else {
        cells.put(theme.strong(), &text);
    }
}

/// The number of changed lines of the input; `None` if it was not edited.
fn changed(held: &PendingEventView, draft: &AnswerDraft) -> Option<String> {
    let lines = diff(held, draft)?;
    let count = lines.iter().filter(|line| line.starts_with('+') || line.starts_with('-')).count();
    Some(match count {
        0 => "the same as before".to_owned(),
        1 => "1 line differs".to_owned(),
        n => format!("{n} lines differ"),
    })
}

/// The line diff between the agent's input and the new one; `None` without a new one.
pub fn diff(held: &PendingEventView, draft: &AnswerDraft) -> Option<Vec<String>> {
    let after = pretty(draft.input.as_deref()?);
    let PendingPayload::Available(payload) = &held.payload else { return None };
    let before = pretty(&input_of(payload).unwrap_or_else(|| "{}".to_owned()));
    Some(hookbench_app::live::line_diff(&before, &after))
}

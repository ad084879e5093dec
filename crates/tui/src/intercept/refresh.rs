//! Updates selection, drafts and lines when their inputs have changed, and never while drawing.

use serde_json::Value;

use super::choices::safest;
use super::state::{InterceptFocus, InterceptView};
use crate::events::detail::tree_lines;
use crate::model::Model;
use crate::page::Page;
use crate::widgets::{TreeAction, TreeSource, wrap};
use hookbench_app::live::{PendingEventView, PendingPayload};
use hookbench_core::text::parse_value;

/// A payload of up to so many rows is unfolded at first.
const ROOM: usize = 200;
/// Maximum size of a payload that is formatted, in bytes.
const LARGEST: usize = 1 << 20;

/// Width of the choices beside the payload, in columns.
pub(super) const LEFT: u16 = 64;

impl InterceptView {
    /// The selected held event.
    pub fn held<'m>(&self, model: &'m Model) -> Option<&'m PendingEventView> {
        model.session.live().pending_event(self.selected.as_deref()?)
    }

    /// Updates everything.
    pub fn refresh(&mut self, model: &Model) {
        let live = model.session.live();
        self.capture_started = if live.is_connected() { self.capture_started.or(Some(model.now_ms)) } else { None };
        self.drafts.retain(|id, _| live.pending_event(id).is_some());
        if self.selected.as_deref().is_none_or(|id| live.pending_event(id).is_none()) {
            if self.selected.is_none() {
                self.focus = InterceptFocus::Choices;
            }
            // A decision is not carried over to another event, and a key that was meant for one never answers another.
            let next = live.pending.first().map(|held| held.fact.arrived.id.clone());
            if next != self.selected {
                self.ignore_keys(model.now);
            }
            self.selected = next;
            self.cursor = 0;
        }
        if let Some(held) = self.held(model) {
            // What is typed after an answer was sent belongs to it.
            if held.deciding && !self.was_deciding {
                self.ignore_keys(model.now);
            }
            self.was_deciding = held.deciding;
            let draft = self.drafts.entry(held.fact.arrived.id.clone()).or_default();
            draft.kind = draft.kind.or_else(|| Some(safest(held)));
        }
        self.breakpoint = self.breakpoint.min(live.breakpoints.len().saturating_sub(1));
        match (&self.selected, self.focus) {
            (None, _) => self.focus = InterceptFocus::Points,
            (Some(_), InterceptFocus::Points) if live.breakpoints.is_empty() => self.focus = InterceptFocus::Choices,
            _ => {}
        }
        if model.page != Page::Intercept {
            return;
        }
        let Some(held) = self.held(model) else {
            (self.lines_inputs, self.others_inputs, self.others, self.body) = (None, None, None, None);
            self.lines.clear();
            return;
        };
        let id = held.fact.arrived.id.clone();
        let here = matches!(held.payload, PendingPayload::Available(_));
        self.plan_others(model, held, &id, here);
        let of = Some((id, here, model.size.0));
        if self.lines_inputs == of {
            return;
        }
        if self.lines_inputs.as_ref().map(|(id, ..)| id) != of.as_ref().map(|(id, ..)| id) {
            self.tree.reset();
            self.cursor = 0;
        }
        self.lines_inputs = of;
        self.body = match &held.payload {
            PendingPayload::Available(text) if text.len() <= LARGEST => parse_value(text).ok().filter(Value::is_object),
            _ => None,
        };
        if let Some(body) = &self.body {
            self.tree.rebuild(TreeSource { body, is_own_key: &|_| true, room: ROOM });
        }
        self.rebuild_lines(model, &held.payload);
        if self.cursor == 0 {
            // The cursor begins at the row that the event is about.
            self.cursor = self.tree_rows.iter().position(|row| *row == self.tree.cursor).unwrap_or(0);
        }
    }

    /// Plans the other hooks again if the payload, the settings or the runs have changed.
    fn plan_others(&mut self, model: &Model, held: &PendingEventView, id: &str, here: bool) {
        let changes = model.session.agents().iter().map(|agent| agent.changes).sum();
        let fired = model.session.history().rows().count();
        let of = Some((id.to_owned(), here, changes, fired));
        if self.others_inputs == of {
            return;
        }
        self.others = match &held.payload {
            PendingPayload::Available(text) => Some(model.session.plan_other_hooks(&held.fact.arrived, text)),
            _ => None,
        };
        self.others_inputs = of;
    }

    fn rebuild_lines(&mut self, model: &Model, payload: &PendingPayload) {
        let columns = payload_columns(model);
        let theme = model.theme;
        (self.lines, self.tree_rows) = (Vec::new(), Vec::new());
        if let Some(body) = &self.body {
            for (row, line) in tree_lines(theme, &self.tree, body, columns) {
                self.tree_rows.push(row);
                self.lines.push(line);
            }
        } else {
            let text = match payload {
                PendingPayload::Requested => "being read".to_owned(),
                PendingPayload::Gone => "its payload is no longer available".to_owned(),
                PendingPayload::Available(text) if text.len() > LARGEST => {
                    format!("{} bytes, too long to show", text.len())
                }
                PendingPayload::Available(text) => text.to_string(),
            };
            let lines = text.lines().flat_map(|line| wrap(&[(theme.plain(), line.to_owned())], columns, 2));
            self.lines.extend(lines);
        }
        self.cursor = self.cursor.min(self.lines.len().saturating_sub(1));
    }

    /// Folds or unfolds the row under the cursor. Returns `false` if the row cannot be folded.
    pub fn fold(&mut self, model: &Model, what: TreeAction) -> bool {
        let Some(row) = self.tree_rows.get(self.cursor).copied() else { return false };
        let Some(body) = &self.body else { return false };
        self.tree.cursor = row;
        if !self.tree.act(TreeSource { body, is_own_key: &|_| true, room: ROOM }, what) {
            return false;
        }
        let cursor = self.tree.cursor;
        self.rebuild_lines(model, &PendingPayload::Requested);
        self.cursor = self.tree_rows.iter().position(|row| *row == cursor).unwrap_or(0);
        true
    }
}

/// Width for which the payload is formatted, in columns.
fn payload_columns(model: &Model) -> usize {
    let wide = model.size.0 >= 110 && model.size.1 >= 15;
    usize::from(if wide { model.size.0 - LEFT - 2 } else { model.size.0 }).saturating_sub(4).max(8)
}

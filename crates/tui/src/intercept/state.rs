//! The state of the Intercept page. Lines are computed when their inputs change, and never while drawing.

use std::collections::BTreeMap;

use serde_json::Value;

use super::draft::Draft;
use crate::compare::Line;
use crate::events::detail::tree_lines;
use crate::model::Model;
use crate::page::Page;
use crate::widgets::{JsonTree, TreeMove, TreeOf, wrap};
use hookbench_app::OtherHooks;
use hookbench_app::live::{HeldEvent, HeldPayload};
use hookbench_core::text::parse_value;

/// A payload of up to so many rows is unfolded at first.
const ROOM: usize = 200;
/// Maximum size of a payload that is formatted, in bytes.
const LARGEST: usize = 1 << 20;

/// The part that has the focus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Part {
    #[default]
    Choices,
    Payload,
    Points,
}

/// The state of the Intercept page.
#[derive(Default)]
pub struct InterceptView {
    /// The id of the selected held event.
    pub selected: Option<String>,
    pub part: Part,
    /// The drafts of answers, by event id.
    pub drafts: BTreeMap<String, Draft>,
    /// The selected breakpoint.
    pub point: usize,
    /// The page to return to.
    pub from: Page,
    /// The event whose input is in the editor.
    pub editing: Option<String>,
    /// Start of the capture, in milliseconds since 1970.
    pub began: Option<i64>,
    /// The predicted outcome of the other hooks; `None` until the payload is loaded.
    pub others: Option<Result<OtherHooks, String>>,
    /// The wrapped lines of the payload, and the line under the cursor.
    pub lines: Vec<Line>,
    pub at: usize,
    tree: JsonTree,
    body: Option<Value>,
    rows: Vec<usize>,
    /// The inputs of the lines: event, whether its payload is loaded, width.
    of: Option<(String, bool, u16)>,
    /// The inputs of `others`: event, whether its payload is loaded, changes of settings, number of runs.
    others_of: Option<(String, bool, u64, usize)>,
}

impl InterceptView {
    /// The selected held event.
    pub fn held<'m>(&self, model: &'m Model) -> Option<&'m HeldEvent> {
        model.session.live().held(self.selected.as_deref()?)
    }

    /// The draft of its answer.
    pub fn draft(&self) -> Draft {
        self.selected.as_ref().and_then(|id| self.drafts.get(id)).cloned().unwrap_or_default()
    }

    /// The draft of its answer, for editing.
    pub fn draft_mut(&mut self) -> Option<&mut Draft> {
        Some(self.drafts.entry(self.selected.clone()?).or_default())
    }

    /// Updates everything.
    pub fn refresh(&mut self, model: &Model) {
        let live = model.session.live();
        self.began = if live.on() { self.began.or(Some(model.now_ms)) } else { None };
        self.drafts.retain(|id, _| live.held(id).is_some());
        if self.selected.as_deref().is_none_or(|id| live.held(id).is_none()) {
            if self.selected.is_none() {
                self.part = Part::Choices;
            }
            // A decision is not carried over to another event.
            self.selected = live.held.first().map(|held| held.fact.arrived.id.clone());
            self.at = 0;
        }
        self.point = self.point.min(live.breakpoints.len().saturating_sub(1));
        match (&self.selected, self.part) {
            (None, _) => self.part = Part::Points,
            (Some(_), Part::Points) if live.breakpoints.is_empty() => self.part = Part::Choices,
            _ => {}
        }
        if model.page != Page::Intercept {
            return;
        }
        let Some(held) = self.held(model) else {
            (self.of, self.others_of, self.others, self.body) = (None, None, None, None);
            self.lines.clear();
            return;
        };
        let id = held.fact.arrived.id.clone();
        let here = matches!(held.payload, HeldPayload::Here(_));
        self.plan_others(model, held, &id, here);
        let of = Some((id, here, model.size.0));
        if self.of == of {
            return;
        }
        if self.of.as_ref().map(|(id, ..)| id) != of.as_ref().map(|(id, ..)| id) {
            self.tree.renew();
            self.at = 0;
        }
        self.of = of;
        self.body = match &held.payload {
            HeldPayload::Here(text) if text.len() <= LARGEST => parse_value(text).ok().filter(Value::is_object),
            _ => None,
        };
        if let Some(body) = &self.body {
            self.tree.sync(TreeOf { body, own: &|_| true, room: ROOM });
        }
        self.lay(model, &held.payload);
        if self.at == 0 {
            // The cursor begins at the row that the event is about.
            self.at = self.rows.iter().position(|row| *row == self.tree.cursor).unwrap_or(0);
        }
    }

    /// Plans the other hooks again if the payload, the settings or the runs have changed.
    fn plan_others(&mut self, model: &Model, held: &HeldEvent, id: &str, here: bool) {
        let changes = model.session.agents.iter().map(|agent| agent.changes).sum();
        let fired = model.session.history.rows().count();
        let of = Some((id.to_owned(), here, changes, fired));
        if self.others_of == of {
            return;
        }
        self.others = match &held.payload {
            HeldPayload::Here(text) => Some(model.session.others_of(&held.fact.arrived, text)),
            _ => None,
        };
        self.others_of = of;
    }

    fn lay(&mut self, model: &Model, payload: &HeldPayload) {
        let columns = super::draw::payload_columns(model);
        let theme = model.theme;
        (self.lines, self.rows) = (Vec::new(), Vec::new());
        if let Some(body) = &self.body {
            for (row, line) in tree_lines(theme, &self.tree, body, columns) {
                self.rows.push(row);
                self.lines.push(line);
            }
        } else {
            let text = match payload {
                HeldPayload::Asked => "being read".to_owned(),
                HeldPayload::Gone => "nobody has its payload any more".to_owned(),
                HeldPayload::Here(text) if text.len() > LARGEST => {
                    format!("{} bytes, too long to be laid out here", text.len())
                }
                HeldPayload::Here(text) => text.to_string(),
            };
            let lines = text.lines().flat_map(|line| wrap(&[(theme.plain(), line.to_owned())], columns, 2));
            self.lines.extend(lines);
        }
        self.at = self.at.min(self.lines.len().saturating_sub(1));
    }

    /// Folds or unfolds the row under the cursor. Returns `false` if the row cannot be folded.
    pub fn fold(&mut self, model: &Model, what: TreeMove) -> bool {
        let Some(row) = self.rows.get(self.at).copied() else { return false };
        let Some(body) = &self.body else { return false };
        self.tree.cursor = row;
        if !self.tree.act(TreeOf { body, own: &|_| true, room: ROOM }, what) {
            return false;
        }
        let cursor = self.tree.cursor;
        self.lay(model, &HeldPayload::Asked);
        self.at = self.rows.iter().position(|row| *row == cursor).unwrap_or(0);
        true
    }
}

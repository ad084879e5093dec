//! The state of the Intercept page. Lines are computed when their inputs change, and never while drawing.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::draft::AnswerDraft;
use crate::page::Page;
use crate::widgets::{JsonTree, StyledLine};
use hookbench_app::OtherHooks;

/// The part that has the focus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum InterceptFocus {
    #[default]
    Choices,
    Payload,
    Points,
}

/// The time without a key after which keys count again.
const DEAF: Duration = Duration::from_millis(500);

/// The state of the Intercept page.
#[derive(Default)]
pub struct InterceptView {
    /// The id of the selected held event.
    pub selected: Option<String>,
    pub focus: InterceptFocus,
    /// The drafts of answers, by event id.
    pub drafts: BTreeMap<String, AnswerDraft>,
    /// The selected breakpoint.
    pub breakpoint: usize,
    /// The page to return to.
    pub previous_page: Page,
    /// The event whose input is in the editor.
    pub editing: Option<String>,
    /// The event about which a line is typed.
    pub typing_for: Option<String>,
    /// Until then keys do nothing: they were meant for an event that is no longer held.
    deaf_until: Option<Instant>,
    /// Whether the answer to the selected event was on its way at the last update.
    pub(super) was_deciding: bool,
    /// Whether the demo's own event was requested.
    pub demo_event_requested: bool,
    /// Start of the capture, in milliseconds since 1970.
    pub capture_started: Option<i64>,
    /// The predicted outcome of the other hooks; `None` until the payload is loaded.
    pub others: Option<Result<OtherHooks, String>>,
    /// The wrapped lines of the payload, and the line under the cursor.
    pub lines: Vec<StyledLine>,
    pub cursor: usize,
    pub(super) tree: JsonTree,
    pub(super) body: Option<Value>,
    pub(super) tree_rows: Vec<usize>,
    /// The inputs of the lines: event, whether its payload is loaded, width.
    pub(super) lines_inputs: Option<(String, bool, u16)>,
    /// The inputs of `others`: event, whether its payload is loaded, changes of settings, number of runs.
    pub(super) others_inputs: Option<(String, bool, u64, usize)>,
}

impl InterceptView {
    /// Ignores keys until none was pressed for half a second.
    pub fn ignore_keys(&mut self, now: Instant) {
        self.deaf_until = Some(now + DEAF);
    }

    /// The time for which keys are still ignored; `None` if they count.
    pub fn ignores_keys_for(&self, now: Instant) -> Option<Duration> {
        self.deaf_until.map(|until| until.saturating_duration_since(now)).filter(|left| !left.is_zero())
    }

    /// The draft of its answer.
    pub fn draft(&self) -> AnswerDraft {
        self.selected.as_ref().and_then(|id| self.drafts.get(id)).cloned().unwrap_or_default()
    }

    /// The draft of its answer, for editing.
    pub fn draft_mut(&mut self) -> Option<&mut AnswerDraft> {
        Some(self.drafts.entry(self.selected.clone()?).or_default())
    }
}

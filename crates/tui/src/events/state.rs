//! The state of the Events page. The lines of the selected event are computed when it changes, and never while
//! drawing.

use std::sync::Arc;

use serde_json::Value;

use super::report::{EventsReport, ReportSubject};
use crate::widgets::{self, JsonTree, StyledLine};
use hookbench_app::live::LiveEventState;
use hookbench_core::filter::FilterError;
use hookbench_core::recorded::RecordedEvent;

/// The state of the Events page.
#[derive(Default)]
pub struct EventsView {
    /// The filter while it is typed, and its text before.
    pub typing: Option<(widgets::InputLine, String)>,
    /// The error in the typed filter.
    pub filter_error: Option<FilterError>,
    /// Whether the selected event fills the page.
    pub open: bool,
    /// The line of the open event under the cursor.
    pub cursor: usize,
    /// The result of a replay or the effect of a change; it fills the page.
    pub report: Option<EventsReport>,
    /// The times of hooks from which the runs of one were opened, and the filter of these runs.
    pub times_before: Option<(EventsReport, String)>,
    /// The index of the selected session among the agents' own sessions.
    pub selected_session: usize,
    /// Whether a list of those sessions to choose from was requested.
    pub sessions_requested: bool,
    /// The wrapped lines of the selected event.
    pub lines: Vec<StyledLine>,
    /// The tree of its payload, the number of lines before it (`lines_before_tree`), and the tree row of each line after that
    /// (`tree_rows`).
    pub(super) tree: JsonTree,
    pub(super) body: Option<Value>,
    pub(super) lines_before_tree: usize,
    pub(super) tree_rows: Vec<usize>,
    pub(super) inputs: Option<EventLinesInputs>,
}

/// The inputs that the lines were computed from.
#[derive(PartialEq)]
pub(super) struct EventLinesInputs {
    pub seq: i64,
    pub event: Option<Arc<RecordedEvent>>,
    pub columns: u16,
    /// The answer as far as known.
    pub answer: Option<LiveEventState>,
}

impl EventsView {
    /// Closes what was opened or typed on the page.
    pub fn close(&mut self) {
        (self.open, self.typing, self.filter_error) = (false, None, None);
    }

    /// Whether the result of a replay is open, which can be replayed again.
    pub fn can_replay(&self) -> bool {
        self.report.as_ref().is_some_and(|report| matches!(report.subject, ReportSubject::Replay(_)))
    }

    /// Whether the times of hooks are open.
    pub fn shows_stats(&self) -> bool {
        self.report.as_ref().is_some_and(|report| matches!(report.subject, ReportSubject::Stats { .. }))
    }

    /// Whether the open result is of a replay that ran hooks.
    pub fn ran_hooks(&self) -> bool {
        self.report
            .as_ref()
            .is_some_and(|report| matches!(&report.subject, ReportSubject::Replay(result) if result.order.run))
    }
}

//! The displayed script of the selected hook.

use crate::widgets::{LineMargin, LogView};
use hookbench_app::lint::Finding;
use hookbench_app::{FiringId, StreamBuffer};

/// The displayed script, and what it was made of.
#[derive(Debug, Clone, Default)]
pub struct ScriptView {
    pub(super) inputs: Option<ScriptInputs>,
    pub shown: StreamBuffer,
    /// The notes below its lines, and the number of lines.
    pub margin: LineMargin,
    /// The line that is shown first, from 1.
    pub(super) first: usize,
    /// Changes with the text and with the line that decided.
    pub(super) number: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ScriptInputs {
    pub(super) text: String,
    pub(super) findings: Vec<Finding>,
    /// The findings about the answer that are at another place.
    pub(super) of_answer: Vec<Finding>,
    /// The shown run, if it has ended.
    pub(super) run: Option<FiringId>,
    /// The result of a trial.
    pub(super) tried: Option<String>,
    pub(super) colour: bool,
}

/// The tab's part of the key of a stream.
const WHICH: u8 = u8::MAX;

impl ScriptView {
    /// Shows the script in a view of `columns` columns.
    pub fn show_in(&self, log: &mut LogView, columns: usize) {
        if self.shown.total() > 0 {
            let columns = columns.saturating_sub(self.margin.width());
            let is_other = log.update((self.number, 0, WHICH), &self.shown, columns, true);
            log.margin = Some(self.margin.clone());
            if is_other {
                log.show_line(self.first.saturating_sub(1));
            }
        }
    }
}

//! The pages that the screen copies as Markdown. The command line renders them.

use crate::analysis::ladder::Ladder;
use crate::analysis::lint::FindingsReport;
use crate::document::StatsDoc;
use crate::firing::record::FiringRecord;
use crate::recordings::event_list::ReplayResult;
use crate::session::{LogAccount, Session};
use hookbench_core::hook::HookDefinition;

/// A page for others.
#[derive(Debug, Clone, Copy)]
pub enum SharedPage<'a> {
    Firing(&'a FiringRecord),
    /// The ladder of a hook for the event on the bench.
    Ladder {
        definition: &'a HookDefinition,
        ladder: &'a Ladder,
        log: Option<&'a LogAccount>,
    },
    Replay(&'a ReplayResult),
    Findings(&'a FindingsReport),
    Stats(&'a StatsDoc),
}

/// Renders a page as Markdown in which values that look like secrets are masked.
pub type MarkdownWriter = fn(&Session, SharedPage<'_>) -> String;

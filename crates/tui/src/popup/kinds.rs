//! The kinds of popups.

use super::{AfterWrite, HelpView, InputPopup, PickList, RunList};
use crate::copy_items::CopyItem;
use crate::finder::Finder;
use crate::new_hook::NewHookSheet;
use crate::widgets::StyledLine;
use hookbench_app::lint::FileChange;
use hookbench_app::{ConsentItem, MatcherChange, ReplayQuestion};
use hookbench_core::live::Decision;
use hookbench_core::names::AgentId;

/// One popup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Popup {
    Pick(PickList),
    /// The known values of one field. Another value can be typed.
    Values {
        path: String,
        title: String,
        pick: PickList,
    },
    Find(Finder),
    /// The runs of this session.
    Runs(RunList),
    Input(InputPopup),
    /// The commands that would run, and the first visible row.
    Consent {
        items: Vec<ConsentItem>,
        top: usize,
    },
    /// The commands that a replay would run, and the first visible row.
    Replay {
        question: Box<ReplayQuestion>,
        top: usize,
    },
    /// The payload was refused, for this reason.
    PayloadRefused(String),
    /// Lines to read, such as a comparison.
    Lines {
        title: String,
        lines: Vec<StyledLine>,
        top: usize,
    },
    /// A hook to write from a recipe.
    NewHook(NewHookSheet),
    /// The patch line by line, the files to write, and what follows.
    Patch {
        title: String,
        lines: Vec<StyledLine>,
        top: usize,
        files: Vec<FileChange>,
        then: AfterWrite,
    },
    /// The running or finished stress test of the session, and the first visible row.
    Stress {
        top: usize,
    },
    /// The calibration of an agent, and the first visible row.
    Calibration {
        agent: AgentId,
        top: usize,
    },
    /// A new input for a held event, as a diff, before it is sent.
    SendInput {
        id: String,
        decision: Decision,
        lines: Vec<StyledLine>,
        top: usize,
    },
    /// The texts that can be copied.
    Copy(Vec<CopyItem>),
    /// A change of a matcher's file.
    WriteMatcher {
        change: Box<MatcherChange>,
    },
    /// The question whether to quit while hooks run.
    Quit,
    Help(HelpView),
}

impl Popup {
    /// Whether the popup waits for yes or no.
    pub fn is_question(&self) -> bool {
        self.needs_consent() || *self == Popup::Quit
    }

    /// The commands that "yes" runs.
    pub fn consent_items(&self) -> &[ConsentItem] {
        match self {
            Popup::Consent { items, .. } => items,
            Popup::Replay { question, .. } => &question.items,
            _ => &[],
        }
    }

    /// Whether "yes" runs or writes something.
    pub fn needs_consent(&self) -> bool {
        matches!(
            self,
            Popup::Consent { .. }
                | Popup::Replay { .. }
                | Popup::Patch { .. }
                | Popup::SendInput { .. }
                | Popup::WriteMatcher { .. }
        )
    }
}

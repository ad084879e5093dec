//! What there is of popups, and what a key can do to one.

use ratatui::style::Style;

use super::{Input, Pick, Runs};
use crate::finder::{Choice, Finder};
use crate::intercept::typed::LiveLine;
use crate::yank::Yank;
use hookbench_app::lint::FileChange;
use hookbench_app::{Command, ConsentItem, FiringId, Question, Rematch};
use hookbench_core::live::Decision;

/// One popup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Popup {
    Pick(Pick),
    /// The known values of one field. What is typed and is none of them is taken too.
    Values {
        path: String,
        title: String,
        pick: Pick,
    },
    Find(Finder),
    /// The runs of this session.
    Runs(Runs),
    Input(Input),
    /// The commands that would run, and the first row that is shown.
    Consent {
        items: Vec<ConsentItem>,
        top: usize,
    },
    /// What really firing recorded events again would run, and the first row that is shown.
    Replay {
        question: Box<Question>,
        top: usize,
    },
    /// The payload could not be taken.
    Refused(String),
    /// Lines to read, such as a comparison.
    Lines {
        title: String,
        lines: Vec<Vec<(Style, String)>>,
        top: usize,
    },
    /// What would be written, line by line, and the files; `undo` is the key that takes it back.
    Patch {
        title: String,
        lines: Vec<Vec<(Style, String)>>,
        top: usize,
        files: Vec<FileChange>,
        undo: String,
    },
    /// Another input for what is held, line by line against the old one, before it is sent.
    Send {
        id: String,
        decision: Decision,
        lines: Vec<String>,
        top: usize,
    },
    /// What can be copied.
    Yank(Vec<Yank>),
    /// A file as it would be written, and the key that takes it back.
    Write {
        change: Box<Rematch>,
        undo: String,
    },
    /// Something runs; really quit?
    Quit,
    Help {
        filter: String,
        top: usize,
    },
}

impl Popup {
    /// Whether yes to it runs or writes something.
    pub fn asks(&self) -> bool {
        matches!(
            self,
            Popup::Consent { .. }
                | Popup::Replay { .. }
                | Popup::Patch { .. }
                | Popup::Send { .. }
                | Popup::Write { .. }
        )
    }
}

/// What a key did to a popup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Stay,
    Close,
    Do(Vec<Command>),
    Copy(String),
    /// Compare this run with another; the list stays.
    Compare(FiringId),
    /// What was found.
    Choose(Choice),
    /// Why a finding is to be passed over.
    Reason(String),
    /// A line for the live path.
    Live(LiveLine, String),
    /// List the recorded events that a change that is not written concerns.
    Foreseen(Box<Rematch>),
    /// Edit the refused payload again.
    EditAgain,
    Quit,
}

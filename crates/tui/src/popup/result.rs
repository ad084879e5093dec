//! The results of a key in a popup.

use crate::finder::FinderAction;
use crate::intercept::InterceptInput;
use hookbench_app::lint::{FileChange, Finding};
use hookbench_app::{Command, FiringId, HookToWrite, MatcherChange};
use hookbench_core::guard::GuardHit;
use hookbench_core::hook::Layer;
use hookbench_core::recipe::BlankAnswers;

/// What was chosen on the sheet for a new hook.
#[derive(Debug, Clone, PartialEq)]
pub struct NewHookChoice {
    pub source: NewHookSource,
    pub every_agent: bool,
    /// `None` for the usual layer of each agent.
    pub layer: Option<Layer>,
}

/// What a new hook is written from.
#[derive(Debug, Clone, PartialEq)]
pub enum NewHookSource {
    /// The id of a recipe.
    Recipe(&'static str),
    /// The user's own answers.
    Answers(Box<BlankAnswers>),
}

/// The next step when the files of a patch are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AfterWrite {
    pub commands: Vec<Command>,
    /// The file that the editor opens.
    pub opens: Option<String>,
    /// The new hook to which the files belong, to be tried.
    pub hook: Option<Box<HookToWrite>>,
}

/// The result of a key in a popup.
#[derive(Debug, Clone, PartialEq)]
pub enum PopupResult {
    Stay,
    /// The key has no meaning here.
    Unknown,
    Close,
    /// A key for the calibration.
    Calibration,
    /// A key for the stress test.
    Stress,
    Run(Vec<Command>),
    /// Files to write, and what follows.
    Write(Vec<FileChange>, AfterWrite),
    Copy(String),
    /// Compares this run with another; the list stays open.
    Compare(FiringId),
    /// The chosen entry.
    Choose(FinderAction),
    /// A finding to allow, and the reason.
    Reason(Box<Finding>, String),
    /// A finding of a guard to allow, and the reason.
    GuardReason(Box<GuardHit>, String),
    /// An accepted line of the Intercept page.
    Intercept(InterceptInput, String),
    /// Lists the recorded events affected by a change that is not written yet.
    ShowImpact(Box<MatcherChange>),
    /// Shows the scripts behind the commands of the question; the question stays open.
    ReadScripts,
    /// Edits the refused payload again.
    EditAgain,
    /// The files of a new hook are to be shown.
    NewHook(NewHookChoice),
    Quit,
}

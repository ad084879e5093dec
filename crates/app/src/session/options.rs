//! The options with which a session starts, and the settings that a user can change while it runs.

use crate::calibration::CalibrationFindings;
use std::path::PathBuf;
use std::sync::Arc;

use super::auto_fire::WatchOptions;
use crate::analysis::lint::LintLevels;
use crate::recordings::run_log::RunLogSettings;
use hookbench_core::dialects::{Calibration, Version};
use hookbench_core::live::intercept::InterceptSettings;
use hookbench_core::names::AgentId;

/// The options of a session.
#[derive(Debug, Clone, Default)]
pub struct SessionOptions {
    /// Whether the agent runs without a user to ask.
    pub headless: bool,
    /// Run without asking for consent.
    pub yes: bool,
    /// List every released agent, also those that are not in use here.
    pub every_agent: bool,
    /// The agent version to model.
    pub agent_version: Option<Version>,
    /// Treat all events as one session in the order in which they are fired: stops are counted independently of
    /// their payloads.
    pub in_order: bool,
    /// Record every change as an entry, for `jsonl`.
    pub keep_entries: bool,
    /// The number of firings that are kept in full; older ones are reduced to rows of the history.
    pub keep_firings: usize,
    pub watch: WatchOptions,
    /// Lint whenever something has changed.
    pub lint: bool,
    pub run_log: RunLogSettings,
    /// Start the capture if the settings of an agent have forwarding hooks.
    pub capture: bool,
    /// The scratch directory of the demo. The demo has a private server and sends it one event.
    pub demo: Option<PathBuf>,
    /// The tests of installed programs.
    pub calibrations: Vec<(AgentId, Arc<Calibration>)>,
    /// Their findings.
    pub findings: Vec<(AgentId, Arc<CalibrationFindings>)>,
    /// The event to start with, and the number of its template; `None` chooses a suitable one.
    pub begin_with: Option<(String, usize)>,
}

/// The settings of the user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionSettings {
    pub watch: WatchOptions,
    /// The severities that the user assigns to codes.
    pub lint: LintLevels,
    /// Used when a server is started.
    pub intercept: InterceptSettings,
    /// Whether runs are kept in the store.
    pub log_runs: bool,
}

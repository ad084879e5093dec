//! The options of a replay.

use std::path::PathBuf;

use super::baseline::ReplayBaseline;
use crate::environment::hook_environment::ChosenEnvironment;
use hookbench_core::config::AgentArguments;
use hookbench_core::dialects::{Agent, Version};

/// The configuration under which events are fired.
#[derive(Debug, Clone)]
pub struct ReplayOptions {
    /// The current project. Events whose directory no longer exists are fired here.
    pub project: PathBuf,
    /// Fire all events in this directory, wherever they were recorded.
    pub against: Option<PathBuf>,
    pub home: Option<PathBuf>,
    /// Whether projects count as trusted and their hooks as reviewed.
    pub as_trusted: bool,
    /// Fire the events in this agent instead of their own.
    pub agent: Option<&'static Agent>,
    /// The version of the agent; `None` for the recorded one.
    pub version: Option<Version>,
    /// `None` compares with the recording, or with the last commit if the recording has no complete result.
    pub baseline: Option<ReplayBaseline>,
    /// Whether hooks are really run. This includes those of the baseline if it is a commit or a directory.
    pub run: bool,
    pub headless: bool,
    /// Whether hooks run isolated, in a copy of the project.
    pub contain: bool,
    pub timeout_scale: f64,
    /// The environment of the hooks. `None` for that of this process.
    pub environment: Option<ChosenEnvironment>,
    /// The arguments with which the user starts an agent.
    pub arguments: Option<AgentArguments>,
}

//! The document of `fire --repeat --format json`: the times of the hooks of one event.

use serde::Serialize;

use crate::firing::record::FiringRecord;
use crate::views::repeated_firing::{RepeatedHook, TimeSpread};
use hookbench_core::run::milliseconds;

/// The top level of the document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepeatDoc {
    /// `repeat/1`.
    pub schema: &'static str,
    pub agent: String,
    pub agent_version: String,
    pub event: String,
    pub subject: Option<String>,
    /// The number of warm firings; one cold firing comes before them.
    pub repeats: usize,
    pub hooks: Vec<RepeatedHookDoc>,
}

/// One hook.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepeatedHookDoc {
    /// The id of the hook.
    pub hook: String,
    pub name: String,
    /// `file:line`.
    pub source: String,
    /// The first run.
    pub cold_ms: Option<f64>,
    /// The later runs.
    pub warm: Option<SpreadDoc>,
    /// A start of its shell and its interpreter that does nothing; null if the hook starts no shell.
    pub bare: Option<BareStartDoc>,
    /// The median of the warm runs without that of the bare start.
    pub own_ms: Option<f64>,
}

/// The spread of several times.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpreadDoc {
    pub min_ms: f64,
    pub median_ms: f64,
    pub p95_ms: f64,
}

/// A bare start.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BareStartDoc {
    /// The command in the hook's shell.
    pub command: &'static str,
    #[serde(flatten)]
    pub times: SpreadDoc,
}

impl SpreadDoc {
    fn of(spread: TimeSpread) -> SpreadDoc {
        let [min_ms, median_ms, p95_ms] = [spread.min, spread.median, spread.p95].map(milliseconds);
        SpreadDoc { min_ms, median_ms, p95_ms }
    }
}

/// Builds the document of hooks that ran in a firing and in repetitions of it.
pub fn repeat_doc(firing: &FiringRecord, repeats: usize, hooks: &[RepeatedHook]) -> RepeatDoc {
    let bare = |one: &RepeatedHook| {
        let (command, times) = one.bare.as_ref()?;
        Some(BareStartDoc { command, times: SpreadDoc::of(TimeSpread::of(times)?) })
    };
    let hook = |one: &RepeatedHook| RepeatedHookDoc {
        hook: one.hook.clone(),
        name: one.label.clone(),
        source: one.source.clone(),
        cold_ms: one.cold().map(milliseconds),
        warm: one.warm().map(SpreadDoc::of),
        bare: bare(one),
        own_ms: one.own_time().map(milliseconds),
    };
    RepeatDoc {
        schema: "repeat/1",
        agent: firing.agent.to_string(),
        agent_version: firing.basis.requested.to_string(),
        event: firing.input.event.clone(),
        subject: firing.input.subject.value.clone(),
        repeats,
        hooks: hooks.iter().map(hook).collect(),
    }
}

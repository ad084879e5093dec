//! The times of the hooks of one event that was fired several times.

use std::time::Duration;

use crate::firing::record::FiringRecord;
use crate::recordings::hook_stats::percentile;
use hookbench_core::hook::DefinitionId;
use hookbench_core::run::{Launch, ProcessSpec};

/// The runs of one hook.
#[derive(Debug, Clone, PartialEq)]
pub struct RepeatedHook {
    pub hook: DefinitionId,
    pub label: String,
    /// `file:line`.
    pub source: String,
    /// The process of its last run; `None` if it starts none.
    pub process: Option<ProcessSpec>,
    /// In the order of the firings; the first one is cold.
    pub times: Vec<Duration>,
    /// A command that only starts its shell and its interpreter, and its times.
    pub bare: Option<(&'static str, Vec<Duration>)>,
}

/// The spread of several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSpread {
    pub min: Duration,
    pub median: Duration,
    pub p95: Duration,
}

impl TimeSpread {
    /// The spread of these times. `None` without one.
    pub fn of(times: &[Duration]) -> Option<TimeSpread> {
        let mut times = times.to_vec();
        let median = percentile(&mut times, 50)?;
        Some(TimeSpread { min: *times.iter().min()?, median, p95: percentile(&mut times, 95)? })
    }
}

impl RepeatedHook {
    /// The first run, which reads the hook's files from disk if nothing else has.
    pub fn cold(&self) -> Option<Duration> {
        self.times.first().copied()
    }

    /// The spread of the later runs.
    pub fn warm(&self) -> Option<TimeSpread> {
        TimeSpread::of(self.times.get(1..)?)
    }

    /// The median without that of the bare start: the time of the hook's own work.
    pub fn own_time(&self) -> Option<Duration> {
        let (_, bare) = self.bare.as_ref()?;
        Some(self.warm()?.median.saturating_sub(TimeSpread::of(bare)?.median))
    }
}

/// Adds the runs of one firing to those of the firings before it.
pub fn add_firing(hooks: &mut Vec<RepeatedHook>, firing: &FiringRecord) {
    for run in &firing.runs {
        let Some((definition, ended)) = firing.loaded.definition(&run.hook).zip(run.ended()) else { continue };
        let took = ended.report.timing.duration();
        if let Some(hook) = hooks.iter_mut().find(|hook| hook.hook == run.hook) {
            hook.times.push(took);
            continue;
        }
        let process = match &run.launch {
            Launch::Process(spec) => Some(spec.clone()),
            _ => None,
        };
        hooks.push(RepeatedHook {
            hook: run.hook.clone(),
            label: definition.label(),
            source: format!("{}:{}", definition.provenance.file, definition.provenance.line),
            process,
            times: vec![took],
            bare: None,
        });
    }
}

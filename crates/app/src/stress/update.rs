//! The steps of a stress test.

use std::time::Duration;

use super::report::{StressReport, VariantRow, WorldRow};
use hookbench_core::stress::PayloadCoverage;

/// A step of a stress test, in the order of the variants and conditions.
#[derive(Debug, Clone, PartialEq)]
pub enum StressUpdate {
    /// The description of the containment, before the first run.
    Contained(String),
    /// The deed is chosen; the report has no rows yet.
    Began(Box<StressReport>),
    Variant(Box<VariantRow>),
    /// The coverage of the payload so far.
    Coverage(Box<PayloadCoverage>),
    World(Box<WorldRow>),
    Finished {
        /// The time of the test, if it was over before everything was tried.
        out_of_time: Option<Duration>,
    },
    /// It could not run, for this reason.
    Failed(String),
}

impl StressReport {
    /// Adds a step to the report.
    pub fn absorb(&mut self, update: StressUpdate) {
        match update {
            StressUpdate::Contained(how) => self.contained = Some(how),
            StressUpdate::Began(report) => *self = *report,
            StressUpdate::Variant(row) => self.variants.push(*row),
            StressUpdate::Coverage(coverage) => self.coverage = Some(*coverage),
            StressUpdate::World(row) => self.world.push(*row),
            StressUpdate::Finished { out_of_time } => {
                self.finished = true;
                self.out_of_time = out_of_time;
            }
            StressUpdate::Failed(_) => self.finished = true,
        }
    }
}

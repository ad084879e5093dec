//! Stress tests of one hook: the variants of a deed and the conditions of the world, their results, and the summary.
//! `execution` runs them.

mod condition;
mod report;
mod request;

pub use condition::{PayloadFault, WorldCondition, missed_cases};
pub(crate) use condition::{is_on_path, needed_programs};
pub(crate) use report::seconds;
pub use report::{
    LONGEST_RUN, LONGEST_SEARCH, LONGEST_TEST, StressReport, VariantResult, VariantRow, WorldResult, WorldRow,
};
pub use request::{HookTrials, LintTrial, StressParts, StressRequest, StressUpdate};

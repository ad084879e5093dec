//! Stress tests of one hook: the variants of a deed and the conditions of the world, their results, and the summary.
//! `execution` runs them.

mod condition;
mod missed_cases;
mod needed_programs;
mod report;
mod request;
mod update;

pub use condition::{PayloadFault, WorldCondition};
pub use missed_cases::missed_cases;
pub(crate) use needed_programs::{is_on_path, needed_programs};
pub(crate) use report::seconds;
pub use report::{
    LONGEST_RUN, LONGEST_SEARCH, LONGEST_TEST, StressReport, VariantResult, VariantRow, WorldResult, WorldRow,
};
pub use request::{LintTrial, StressParts, StressRequest};
pub use update::StressUpdate;

//! Tests of hooks: suites of events with expected results, independent of the bench.

mod discover;
mod expectations;
mod format;
mod keep;
mod read;
mod report;
mod run;

pub use crate::firing::suite_case::{DEFAULT_SUITE, NewCase, SuiteAdditionError, add_cases, addition_to, user_suite};
pub use crate::stress::missed_cases;
pub use discover::{find_suites, fixtures};
pub use expectations::{UnmetExpectation, check_expectations};
pub use format::{ExpectShape, Isolate, SuiteShape};
pub use keep::{KeptFiring, SuiteUpdate, keep_firing, updates};
pub use read::{Case, CaseEvent, SuiteError, read_suite};
pub use report::{CaseDoc, MergeError, TestDoc, merge, test_doc};
pub use run::{CaseResult, Shard, TestRunOptions, consent_of, run_cases};

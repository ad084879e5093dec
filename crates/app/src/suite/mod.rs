//! Tests of hooks: suites of events with expected results, independent of the bench.

mod discover;
mod judge;
mod payloads;
mod read;
mod report;
mod run;
mod shape;
mod update;

pub use discover::{find_suites, fixtures};
pub use judge::{Miss, judge};
pub use read::{Case, CaseEvent, SuiteError, read_suite};
pub use report::{CaseDoc, MergeError, TestDoc, merge, test_doc};
pub use run::{CaseResult, RunOptions, Shard, consent_of, run};
pub use shape::{ExpectShape, SuiteShape};
pub use update::{Update, updates};

//! The coverage of a payload: which of its keys a hook reads, which it ignores, which keys its script names although
//! the event does not have them, and the part of a text that its decision depends on.
//!
//! The coverage is computed from runs with one change each: a key has another value, is missing, or is added; words
//! of a text are left out. The caller runs the hook and reports each [`ObservedRun`].

mod missing_keys;
mod report;
mod text_reduction;

pub use missing_keys::{EventPlace, KeyChange, KeyProbe, UnsentKey, missing_keys, other_value, probed_paths};
pub use report::{
    DecidingText, KeyCoverage, KeyEffect, KeyRuns, MissingKey, ObservedRun, PayloadCoverage, RunAspect, RunComparison,
    varying_limit,
};
pub use text_reduction::TextReduction;

#[cfg(test)]
mod tests;

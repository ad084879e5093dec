//! Variants of a deed: other texts that do the same as the shell command, path, URL, SQL statement or prompt of a
//! payload. They show what a guard misses.
//!
//! Each variant follows from a rule about shells, programs, paths, URLs or SQL, never from a list for one command. A
//! rule that would change the deed for this command gives no variant. [`VariantEvidence`] says whether the tests
//! execute the variants of a rule and compare the effects.

mod command;
mod coverage;
mod deed;
mod family;
mod paths;
mod sql;
mod tools;
mod urls;

pub use coverage::{
    DecidingText, EventPlace, KeyChange, KeyCoverage, KeyEffect, KeyProbe, KeyRuns, MissingKey, ObservedRun,
    PayloadCoverage, RunAspect, RunComparison, TextReduction, UnsentKey, missing_keys, other_value, probed_paths,
    varying_limit,
};
pub use deed::{Deed, DeedVariant, common_deeds, common_prompts, tool_call, variants};
pub use family::{DeedAction, DeedContext, DeedFamily, VariantDraft, VariantEvidence};

#[cfg(test)]
mod tests;

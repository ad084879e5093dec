//! The versions whose behaviour is known. The rules are the same in all of them.

use hookbench_base::dialects::VersionRange;

/// The measurement behind both ranges.
const MEASURED: Option<(&str, &str)> = Some(("0.61.0", "2026-11-20"));

/// Newest first.
pub static RANGES: [VersionRange; 2] = [
    VersionRange { from: "0.61.0", to: "0.61.0", basis: "measured on 0.61.0", measured: MEASURED },
    VersionRange {
        from: "0.56.0",
        to: "0.60.99",
        basis: "the source of 0.56, whose hooks are those of 0.61.0",
        measured: MEASURED,
    },
];

//! The basis of the answer for an agent version.

use serde::Serialize;

use hookbench_core::dialects::VersionBasis;

/// The basis of the answer for an agent version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BasisDoc {
    /// `measured`; `calibrated`: the installed program was probed; `assumed`: this version was not measured.
    pub kind: &'static str,
    /// The version whose measured behaviour is used.
    pub version: String,
    /// The day of the measurement, or of the test of the installed program; null if that version was never run.
    pub at: Option<String>,
    /// The number of probes that agreed; null if the installed program was not probed.
    pub probes: Option<u32>,
}

/// The document of a basis.
pub fn basis_doc(basis: &VersionBasis) -> BasisDoc {
    BasisDoc {
        kind: basis.kind.word(),
        version: basis.version.to_string(),
        at: basis.established_on().map(str::to_owned),
        probes: basis.calibration.as_ref().map(|found| found.agreed),
    }
}

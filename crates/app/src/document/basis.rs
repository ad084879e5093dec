//! What the answer for a version rests on.

use serde::Serialize;

use hookbench_core::dialects::Basis;

/// What the answer for a version of an agent rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BasisDoc {
    /// `measured`; `calibrated`: the installed program was asked; `assumed`: nobody measured this version.
    pub kind: &'static str,
    /// The version whose measured behaviour is used.
    pub version: String,
    /// The day of the measurement; null: nobody ran that version.
    pub at: Option<String>,
    /// How many probes agreed; null: the installed program was not asked.
    pub probes: Option<u32>,
}

/// The basis as a document.
pub fn basis_doc(basis: &Basis) -> BasisDoc {
    BasisDoc {
        kind: basis.kind.word(),
        version: basis.version.to_string(),
        at: basis.at.map(str::to_owned),
        probes: basis.probes,
    }
}

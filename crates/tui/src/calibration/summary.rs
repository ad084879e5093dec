//! The evidence for the behaviour of an agent, in words.

use hookbench_app::{AgentState, Session};
use hookbench_core::dialects::BasisKind;
use hookbench_core::text::pluralize;

/// The evidence for the behaviour of an agent.
#[derive(Debug, Clone, Default)]
pub struct CalibrationSummary {
    pub basis: String,
    /// The ids of the probes that differ.
    pub differ: Vec<String>,
    /// The help for an agent that is not installed and was never calibrated.
    pub missing: Option<String>,
}

/// The evidence for the behaviour of an agent.
pub fn summary(session: &Session, state: &AgentState) -> CalibrationSummary {
    let found = session.calibration_findings(state.dialect.id());
    let differ = found.map(|found| found.different.iter().map(|probe| probe.id.clone()).collect());
    let missing = state.missing_help().filter(|_| found.is_none());
    CalibrationSummary { basis: basis_words(state), differ: differ.unwrap_or_default(), missing }
}

/// The evidence for the behaviour of an agent: `2.1.331 ✓ calibrated on 2026-11-24: 130 of 131 probes as predicted`.
pub(super) fn basis_words(state: &AgentState) -> String {
    let basis = &state.basis;
    let version = &basis.requested;
    let unknown = state.installed.unknown_words();
    match (&basis.calibration, unknown) {
        (Some(done), _) => {
            let probes = pluralize(done.probes as usize, "probe");
            format!("{} calibrated on {}: {} of {probes} as predicted", done.mark(version), done.on, done.agreed)
        }
        (None, Some(why)) => format!("{why}; assuming {}", basis.words()),
        (None, None) if basis.kind == BasisKind::Assumed => format!("{}: assumed, not calibrated", basis.words()),
        (None, _) => {
            let on = basis.measured_on.map(|at| format!(" on {at}")).unwrap_or_default();
            format!("{version}: measured{on}, not calibrated here")
        }
    }
}

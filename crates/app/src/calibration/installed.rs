//! The calibration of an installed agent with progress, as the screen starts it.

use std::sync::Arc;

use super::result::{CalibrationRequest, ProbeOutcome};
use super::stored::{CalibrationFindings, read_calibration, store_calibration};
use super::{CalibrationStep, SESSION_LIMIT};
use crate::disk::state_dir::StateDir;
use crate::environment::installed_agents::find_program;
use hookbench_core::config::Place;
use hookbench_core::dialects::{self, Calibration};
use hookbench_core::names::AgentId;

/// The sessions at a time, unless the user says otherwise. They mostly wait: on two cores, four take half the time of two, and
/// find the same (measured on six agents, 29 November 2026).
pub const SESSIONS_AT_A_TIME: usize = 4;

/// A step of a calibration.
#[derive(Debug, Clone, PartialEq)]
pub enum CalibrationUpdate {
    Began {
        probes: usize,
    },
    Probe {
        /// Whether the agent did something else. A probe that could not be asked does not differ.
        differs: bool,
    },
    Ended(CalibrationEnd),
    /// It could not run, for this reason.
    Failed(String),
}

/// The result of a calibration that has run.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationEnd {
    pub message: String,
    /// The facts about the program that are kept from now on, and its findings: those of an earlier, fuller run if they
    /// stay.
    pub calibration: Option<(Arc<Calibration>, Arc<CalibrationFindings>)>,
}

/// Runs the probes of the installed agent, stores the result, and tells each step. Dropping the future ends every
/// process.
pub async fn calibrate_installed(
    place: &Place,
    agent: AgentId,
    quick: bool,
    tell: &mut (dyn FnMut(CalibrationUpdate) + Send),
) -> Result<CalibrationEnd, String> {
    let dialect = dialects::by_id(agent.as_str()).ok_or("unknown agent")?;
    let found = find_program(&dialect.install(), place)
        .ok_or_else(|| format!("{} is not installed: {} is not on PATH", dialect.name(), dialect.install().command))?;
    let request = CalibrationRequest {
        dialect,
        program: found.command,
        installed: found.version,
        quick,
        filter: None,
        jobs: SESSIONS_AT_A_TIME,
        limit: SESSION_LIMIT,
        limit_is_fixed: false,
    };
    let probes = request.probes().map_err(|why| why.to_string())?;
    tell(CalibrationUpdate::Began { probes: probes.len() });
    let result = super::calibrate(&request, probes, &mut |step| {
        if let CalibrationStep::Probe(probe) = step {
            tell(CalibrationUpdate::Probe { differs: matches!(probe.outcome, ProbeOutcome::Differs(_)) });
        }
    })
    .await;
    if let Some(why) = result.nothing_shown() {
        return Err(why.clone());
    }
    let state = StateDir::of(place);
    store_calibration(&state, &request.program, &result).map_err(|why| why.to_string())?;
    let version = result.installed.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
    let message = format!("{}{version}: {}; {}", dialect.name(), result.counts(), result.coverage());
    Ok(CalibrationEnd { message, calibration: read_calibration(&state, place, dialect) })
}

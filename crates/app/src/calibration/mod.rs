//! Calibration: runs sessions of the installed agent with known hooks, fires the same events here, and compares. The
//! agent runs in a scratch home and a scratch project, and its model is a stand-in on the loopback interface.

mod headless_session;
mod probe_run;
mod request;
mod result;
mod stored;

use std::sync::Arc;

use tokio::task::JoinSet;

use headless_session::AgentProgram;
use hookbench_core::calibration::Probe;

pub use request::CalibrationRequest;
pub use result::{CalibrationResult, ProbeOutcome, ProbeResult};
pub use stored::{read_calibrations, store_calibration};

/// The number of sessions after which an agent that has shown nothing is given up.
const HOPELESS: usize = 3;

/// Runs the probes. `tell` receives each result as it arrives. Dropping the future ends every process.
pub async fn calibrate(
    request: &CalibrationRequest,
    probes: Vec<Probe>,
    mut tell: impl FnMut(&ProbeResult),
) -> CalibrationResult {
    let program = Arc::new(AgentProgram::new(request));
    let mut waiting = probes.into_iter().enumerate();
    let mut sessions = JoinSet::new();
    let mut results: Vec<(usize, ProbeResult)> = Vec::new();
    loop {
        // An agent whose first sessions all fail is not asked again: each may take a minute.
        let failed = |(_, result): &(usize, ProbeResult)| matches!(result.outcome, ProbeOutcome::Failed(_));
        let hopeless = results.len() >= HOPELESS && results.iter().all(failed);
        while !hopeless
            && sessions.len() < request.jobs.max(1)
            && let Some((index, probe)) = waiting.next()
        {
            let program = Arc::clone(&program);
            sessions.spawn(async move { (index, probe_run::run_probe(&program, probe).await) });
        }
        match sessions.join_next().await {
            None => break,
            Some(Ok(result)) => {
                tell(&result.1);
                results.push(result);
            }
            Some(Err(why)) if why.is_panic() => std::panic::resume_unwind(why.into_panic()),
            Some(Err(_)) => {}
        }
    }
    results.sort_by_key(|(index, _)| *index);
    CalibrationResult {
        agent: request.dialect.id(),
        version: program.version().clone(),
        installed: request.installed.clone(),
        digest: stored::program_digest(&request.program),
        not_measurable: request.unreachable_rules(),
        probes: results.into_iter().map(|(_, result)| result).collect(),
    }
}

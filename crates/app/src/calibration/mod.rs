//! Calibration: runs sessions of the installed agent with known hooks, fires the same events here, and compares. The
//! agent runs in a scratch home and a scratch project, and its model is a stand-in on the loopback interface. Where the
//! system allows it, the agent has no other network and all other files are read-only.

mod headless_session;
mod installed;
mod probe_run;
mod result;
mod scratch;
mod stored;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::environment::agent_process::isolation_refusal;
use headless_session::AgentProgram;
use hookbench_core::calibration::{Probe, ProgramTables};

pub use installed::{CalibrationEnd, CalibrationUpdate, SESSIONS_AT_A_TIME, calibrate_installed};
pub use result::{
    CalibrationProgress, CalibrationRequest, CalibrationResult, ProbeOutcome, ProbeResult, SilentProbe, differ_words,
};
pub use stored::{
    CalibrationFindings, DifferentProbe, ObservedDifference, read_calibrations, read_findings, store_calibration,
};

/// The number of probes after which an agent that has shown nothing, or a version that is too old, is given up.
const HOPELESS: usize = 3;
/// The time limit of a session, unless the caller has another. An agent whose first session reaches it is given up, so a
/// calibration of an agent that hangs ends within a minute.
pub const SESSION_LIMIT: Duration = Duration::from_secs(50);

/// One session of a calibration that has ended.
#[derive(Debug, Clone, Copy)]
pub enum CalibrationStep<'a> {
    Probe(&'a ProbeResult),
    Survey {
        id: &'a str,
        /// The reason why the program did not answer.
        failure: Option<&'a str>,
        duration: Duration,
    },
}

/// Runs the probes, and then the surveys. `tell` receives each as it ends. Dropping the future ends every process.
pub async fn calibrate(
    request: &CalibrationRequest,
    probes: Vec<Probe>,
    tell: &mut (dyn FnMut(CalibrationStep<'_>) + Send),
) -> CalibrationResult {
    let started = Instant::now();
    let not_isolated = isolation_refusal().await;
    let program = Arc::new(AgentProgram::prepare(request, not_isolated.is_none()).await);
    let too_old = program.is_too_old();
    let mut waiting = probes.into_iter().enumerate();
    let mut sessions = JoinSet::new();
    let mut results: Vec<(usize, ProbeResult)> = Vec::new();
    loop {
        // An agent whose first sessions all fail is not asked again: each may take a minute.
        let useless = |(_, result): &(usize, ProbeResult)| match result.outcome {
            ProbeOutcome::Agrees => false,
            ProbeOutcome::Differs(_) => too_old,
            ProbeOutcome::Failed(_) => true,
        };
        let waited = results.len() >= HOPELESS || (started.elapsed() >= request.limit && !results.is_empty());
        if waited && results.iter().all(useless) {
            // Ends the sessions that still run.
            sessions.abort_all();
            break;
        }
        while sessions.len() < request.jobs.max(1)
            && let Some((index, probe)) = waiting.next()
        {
            let program = Arc::clone(&program);
            sessions.spawn(async move { (index, probe_run::run_probe(&program, probe).await) });
        }
        match sessions.join_next().await {
            None => break,
            Some(Ok(result)) => {
                tell(CalibrationStep::Probe(&result.1));
                results.push(result);
            }
            Some(Err(why)) if why.is_panic() => std::panic::resume_unwind(why.into_panic()),
            Some(Err(_)) => {}
        }
    }
    results.sort_by_key(|(index, _)| *index);
    let mut tables = ProgramTables::default();
    let mut unanswered = Vec::new();
    let responds = |(_, result): &(usize, ProbeResult)| !matches!(result.outcome, ProbeOutcome::Failed(_));
    if results.is_empty() || results.iter().any(responds) {
        for survey in request.surveys() {
            let began = Instant::now();
            let answer = probe_run::run_survey(&program, &survey).await;
            let failure = answer.as_ref().err().map(|unanswered| unanswered.why.as_str());
            tell(CalibrationStep::Survey { id: &survey.probe.id, failure, duration: began.elapsed() });
            match answer {
                Ok(found) => tables.add(found),
                Err(why) => unanswered.push(why),
            }
        }
    }
    for (_, result) in &results {
        tables.add(result.tables.clone());
    }
    let known = ProgramTables::known(request.dialect).unwrap_or_default();
    let known = known.with_rules(ProgramTables::of_rules(request.dialect, program.version()));
    tables.version = request.installed.as_ref().map(ToString::to_string).unwrap_or_default();
    tables.on = stored::today();
    let news = tables.news(&known, request.installed.as_ref());
    CalibrationResult {
        agent: request.dialect.id(),
        version: program.version().clone(),
        installed: request.installed.clone(),
        digest: stored::program_digest(&request.program),
        not_isolated,
        not_measurable: request.unreachable_rules(),
        probes: results.into_iter().map(|(_, result)| result).collect(),
        tables,
        news,
        unanswered,
    }
}

//! `calibrate`: checks the rules of an agent against the installed program.

mod text;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::error::CliError;
use super::print::{self, print_json};
use super::progress::ProgressLine;
use super::run::runtime;
use super::signals::stop_signals;
use super::suggestion::suggest;
use hookbench_app::document::calibrate_doc;
use hookbench_app::{
    CalibrationRequest, CalibrationResult, CalibrationStep, ExitStatus, ProbeOutcome, SESSION_LIMIT,
    SESSIONS_AT_A_TIME, StateDir, calibrate as run_calibration, differ_words, find_program, make_place,
    store_calibration,
};
use hookbench_core::dialects::{self, Agent};
use hookbench_core::text::pluralize;

/// The width of the progress bar.
const BAR: usize = 20;

/// `calibrate`.
#[derive(Debug, Args)]
pub struct CalibrateArgs {
    /// Agent to check [default: every installed one]
    #[arg(long, value_parser = agent, value_name = "AGENT")]
    pub agent: Option<&'static str>,
    /// Program of the agent [default: the one on PATH]
    #[arg(long, value_name = "FILE", requires = "agent")]
    pub program: Option<PathBuf>,
    /// Run only the twenty most important probes: each is one short session of the agent
    #[arg(long)]
    pub quick: bool,
    /// Run only the probes whose ids contain this text
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Number of sessions at a time
    #[arg(long, value_name = "N", default_value_t = SESSIONS_AT_A_TIME)]
    pub jobs: usize,
    /// Time limit of a session, in seconds [default: 50, and more if the first sessions are slow]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
    /// Write the results to a file, as JSON
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = CalibrateFormat::Text)]
    pub format: CalibrateFormat,
}

/// The output formats of `calibrate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CalibrateFormat {
    Text,
    Json,
    Junit,
}

fn agent(text: &str) -> Result<&'static str, String> {
    let known = dialects::by_id(text).filter(|dialect| dialect.is_released()).map(|dialect| dialect.id().as_str());
    known.ok_or_else(|| {
        let all: Vec<_> = dialects::released().map(|dialect| dialect.id().as_str()).collect();
        suggest(text, all.iter().copied(), &format!("the agents are {}", all.join(", ")))
    })
}

/// Runs `calibrate`.
pub fn calibrate(args: &CalibrateArgs) -> Result<ExitStatus, CliError> {
    let state = StateDir::of(&make_place(None, None)?);
    let mut results = Vec::new();
    for request in requests(args)? {
        let Some(result) = run(&request)? else { return Ok(ExitStatus::Interrupted) };
        if args.only.is_none() && result.nothing_shown().is_none() {
            let stored = store_calibration(&state, &request.program, &result);
            stored.map_err(|why| CliError::Internal(why.to_string()))?;
        }
        if args.format == CalibrateFormat::Text {
            print::write_stdout(&text::page(&result, request.dialect));
        }
        results.push(result);
    }
    let doc = calibrate_doc(&results);
    if let Some(file) = &args.report {
        let text = serde_json::to_string_pretty(&doc).map_err(|why| CliError::Internal(why.to_string()))?;
        std::fs::write(file, text + "\n").map_err(|why| CliError::BadInput(format!("{}: {why}", file.display())))?;
    }
    match args.format {
        CalibrateFormat::Text => {}
        CalibrateFormat::Json => {
            print_json(&doc)?;
        }
        CalibrateFormat::Junit => print::write_stdout(&text::junit(&results)),
    }
    let holds = results.iter().all(CalibrationResult::holds);
    Ok(if holds { ExitStatus::Ok } else { ExitStatus::NotAsExpected })
}

/// The agents to calibrate, with their programs.
fn requests(args: &CalibrateArgs) -> Result<Vec<CalibrationRequest>, CliError> {
    let place = make_place(None, None)?;
    let named = args.agent.and_then(dialects::by_id);
    let request = |dialect: &'static Agent| {
        let mut place = place.clone();
        if let Some(directory) = args.program.as_ref().and_then(|program| program.parent()) {
            // Its version is read in the same way as that of a program on PATH.
            place.env.insert("PATH".to_owned(), directory.to_string_lossy().into_owned());
        }
        let found = find_program(&dialect.install(), &place);
        let program = args.program.clone().or_else(|| found.as_ref().map(|found| found.command.clone()))?;
        let program = std::path::absolute(&program).unwrap_or(program);
        Some(CalibrationRequest {
            dialect,
            program,
            installed: found.and_then(|found| found.version),
            quick: args.quick,
            filter: args.only.clone(),
            jobs: args.jobs,
            limit: args.timeout.map_or(SESSION_LIMIT, Duration::from_secs),
            limit_is_fixed: args.timeout.is_some(),
        })
    };
    let all: Vec<_> = match named {
        Some(dialect) => request(dialect).into_iter().collect(),
        None => dialects::released().filter_map(request).collect(),
    };
    if all.is_empty() {
        let says = named.map_or("no agent is installed: none is on PATH".to_owned(), |dialect| {
            format!("{} is not installed: {} is not on PATH", dialect.name(), dialect.install().command)
        });
        return Err(CliError::BadInput(says));
    }
    Ok(all)
}

/// Calibrates one agent. `None` if the user interrupted it.
fn run(request: &CalibrationRequest) -> Result<Option<CalibrationResult>, CliError> {
    let probes = request.probes().map_err(|why| CliError::Internal(why.to_string()))?;
    let count = probes.len();
    if let (0, Some(text)) = (count, &request.filter)
        && request.surveys().is_empty()
    {
        let name = request.dialect.name();
        return Err(CliError::Usage(format!(
            "no probe of {name} has \"{text}\" in its name; try matcher. or pre-tool."
        )));
    }
    let mut line = ProgressLine::new();
    let (mut done, mut different) = (0, 0);
    let started = Instant::now();
    let result = runtime(2)?.block_on(async {
        let mut stops = stop_signals();
        let name = request.dialect.name();
        let mut tell = |step: CalibrationStep<'_>| {
            let (id, outcome, took) = match step {
                CalibrationStep::Probe(probe) => {
                    done += 1;
                    different += usize::from(matches!(probe.outcome, ProbeOutcome::Differs(_)));
                    let outcome = match &probe.outcome {
                        ProbeOutcome::Agrees => "agrees".to_owned(),
                        ProbeOutcome::Differs(_) => "differs".to_owned(),
                        ProbeOutcome::Failed(why) => format!("could not be asked: {why}"),
                    };
                    (format!("{done} of {count}: {}", probe.id), outcome, probe.duration)
                }
                CalibrationStep::Survey { id, failure, duration } => {
                    let outcome = failure.map_or("is answered".to_owned(), |why| format!("is not answered: {why}"));
                    (id.to_owned(), outcome, duration)
                }
            };
            if !line.is_on_terminal() {
                line.print(&format!("{name} {id} {outcome} ({:.1} s)", took.as_secs_f64()));
                return;
            }
            if matches!(step, CalibrationStep::Survey { .. }) {
                line.show(|| format!("{name}: {id} {outcome}"));
                return;
            }
            let left = started.elapsed() * u32::try_from(count - done).unwrap_or(0) / u32::try_from(done).unwrap_or(1);
            let bar = "=".repeat(done * BAR / count) + &" ".repeat(BAR - done * BAR / count);
            let of = pluralize(count, "probe");
            line.show(|| {
                format!("{name} [{bar}] {done} of {of}, {}, about {} s left", differ_words(different), left.as_secs())
            });
        };
        tokio::select! {
            result = run_calibration(request, probes, &mut tell) => Some(result),
            Some(()) = stops.recv() => {
                hookbench_app::kill_every_group();
                None
            }
        }
    });
    line.clear();
    Ok(result)
}

//! One session of the installed agent against a stand-in of its model.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::result::CalibrationRequest;
use crate::environment::agent_process::{AgentCache, AgentProcess, last_line, start_model, write_address};
use crate::environment::place::os;
use hookbench_core::calibration::{Probe, ProbeDirectories};
use hookbench_core::config::{AgentArguments, Place};
use hookbench_core::dialects::verification::HeadlessFormat;
use hookbench_core::dialects::{Agent, Version, VersionBasis, default_version};
use hookbench_core::model_interface::ModelRequest;
use hookbench_core::run::{Exit, RunReport};
use hookbench_system::isolation::IsolationSpec;
use hookbench_system::model_server::{ModelScript, ModelServer};

/// The variables that the agent keeps from the user's environment.
const KEPT_VARIABLES: [&str; 6] = ["PATH", "LANG", "LC_ALL", "TZ", "USER", "LOGNAME"];

/// The limit of a session in runs of the slowest one so far, and the longest limit.
const LIMIT_FACTOR: u32 = 8;
const LONGEST_LIMIT: Duration = Duration::from_secs(300);

/// Runs a command with its output in a file, the first argument. A program that writes to a pipe may end before a slow
/// reader has taken everything, and the rest is lost; a list would then look complete.
const INTO_FILE: &str = r#"file=$1; shift; exec "$@" >"$file" 2>&1"#;
const OUTPUT_FILE: &str = ".printed";

/// The installed program of an agent.
#[derive(Debug)]
pub(super) struct AgentProgram {
    pub dialect: &'static Agent,
    program: PathBuf,
    version: Version,
    installed: Option<Version>,
    limit: Duration,
    limit_is_fixed: bool,
    /// Milliseconds of the slowest run that ended by itself.
    slowest: AtomicU64,
    /// The directory into which it has unpacked itself.
    pub cache: Option<AgentCache>,
    /// Whether its sessions have no network and can write only to their scratch directories.
    pub isolated: bool,
}

/// The result of one run of the agent.
#[derive(Debug)]
pub(super) struct HeadlessRun {
    /// The requests of this run.
    pub requests: Vec<ModelRequest>,
    pub report: RunReport,
    /// The output of a command that ran instead of a session.
    command_output: String,
}

impl HeadlessRun {
    /// The agent's stdout and stderr.
    pub(super) fn printed(&self) -> String {
        format!("{}\n{}\n{}", self.command_output, self.report.stdout.text(), self.report.stderr.text())
    }

    /// The reason why the run shows nothing. `None` if it ended by itself.
    pub(super) fn failure(&self) -> Option<String> {
        let printed = last_line(&self.report).map(|line| format!("; it printed: {line}")).unwrap_or_default();
        match &self.report.exit {
            Exit::FailedToStart { error } => Some(format!("the agent does not start: {error}")),
            Exit::TimedOut { after } => Some(format!("the agent did not end within {} s{printed}", after.as_secs())),
            _ => None,
        }
    }

    /// The reason of a run in which no hook ran and the model was not asked.
    pub(super) fn nothing_shown(&self) -> String {
        let printed = last_line(&self.report).unwrap_or_else(|| "nothing".to_owned());
        let exit = self.report.exit.describe();
        format!("the agent neither ran a hook nor asked its model ({exit}); it printed: {printed}")
    }
}

impl AgentProgram {
    pub(super) async fn prepare(request: &CalibrationRequest, isolated: bool) -> AgentProgram {
        let cache = AgentCache::prepare(request.dialect, request.installed.as_ref());
        if let Some(cache) = &cache {
            cache.fill(&request.program, isolated, request.limit).await;
        }
        let meant = request.installed.clone().unwrap_or_else(|| default_version(request.dialect));
        let (version, _) = VersionBasis::of(request.dialect, meant);
        AgentProgram {
            dialect: request.dialect,
            program: request.program.clone(),
            version,
            installed: request.installed.clone(),
            limit: request.limit,
            limit_is_fixed: request.limit_is_fixed,
            slowest: AtomicU64::new(0),
            cache,
            isolated,
        }
    }

    /// The version whose rules predict the result.
    pub(super) fn version(&self) -> &Version {
        &self.version
    }

    /// Whether the program is older than every known version.
    pub(super) fn is_too_old(&self) -> bool {
        self.installed.as_ref().is_some_and(|installed| *installed < self.version)
    }

    /// The time limit of the next run. It grows with the slowest run so far, because the agent cannot help a busy machine.
    fn next_limit(&self) -> Duration {
        let grown = Duration::from_millis(self.slowest.load(Ordering::Relaxed)) * LIMIT_FACTOR;
        if self.limit_is_fixed { self.limit } else { self.limit.max(grown.min(LONGEST_LIMIT)) }
    }

    /// The program itself.
    pub(super) fn path(&self) -> &Path {
        &self.program
    }

    pub(super) fn format(&self) -> &'static HeadlessFormat {
        self.dialect.headless_format()
    }

    /// The place of a session, with the environment that the agent gets.
    pub(super) fn place(&self, project: &Path, home: &Path, temporary: &Path, probe: &Probe, url: &str) -> Place {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut env: BTreeMap<String, String> =
            KEPT_VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?))).collect();
        env.insert("HOME".to_owned(), text(home));
        env.insert("TMPDIR".to_owned(), text(temporary));
        env.extend(self.cache.iter().map(|cache| (cache.variable.to_owned(), text(&cache.directory))));
        env.extend(
            self.format()
                .environment
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.replace("{url}", url).replace("{home}", &text(home)))),
        );
        let own = |value: &str| value.replace("{{home}}", &text(home)).replace("{{project}}", &text(project));
        env.extend(probe.environment.iter().map(|(name, value)| (name.clone(), own(value))));
        // The prediction follows the flags of the probe; those of every session change no hooks.
        let words = probe.arguments.clone();
        let arguments = (!words.is_empty()).then(|| AgentArguments { agent: self.dialect.id(), words });
        Place {
            project: text(project),
            home: text(home),
            home_given: true,
            env,
            os: os(),
            arguments,
            ..Place::default()
        }
    }

    /// The arguments of a run. `resume` says whether it continues a session.
    fn arguments(&self, probe: &Probe, url: &str, prompt: &str, resume: bool) -> Vec<String> {
        if let Some(command) = &probe.command {
            return command.clone();
        }
        let format = self.format();
        let expanded = format.arguments.iter().flat_map(|argument| match *argument {
            "{resume}" if resume => format.resume,
            "{resume}" => &[],
            _ => std::slice::from_ref(argument),
        });
        let kept = expanded.filter(|argument| !probe.omit.iter().any(|omitted| omitted == *argument));
        let filled = kept.map(|text| text.replace("{url}", url).replace("{prompt}", prompt));
        filled.chain(probe.arguments.iter().cloned()).collect()
    }

    /// Runs the agent to its end, and ends every process of it. `resume` says whether it continues a session.
    pub(super) async fn run(
        &self,
        probe: &Probe,
        server: &ModelServer,
        place: &Place,
        isolation: Option<(&IsolationSpec, &Path)>,
        (prompt, resume): (&str, bool),
    ) -> Result<HeadlessRun, String> {
        let before = server.requests().len();
        let own = |(path, _): &(&str, &str)| {
            PathBuf::from(path.replace("{{project}}", &place.project).replace("{{home}}", &place.home))
        };
        write_address(self.format().files.iter().map(own), &server.url);
        let mut program = self.program.to_string_lossy().into_owned();
        let mut args = self.arguments(probe, &server.url, prompt, resume);
        let output_file = probe.command.is_some().then(|| Path::new(&place.home).join(OUTPUT_FILE));
        if let Some(file) = &output_file {
            let shell = ["-c".to_owned(), INTO_FILE.to_owned(), "sh".to_owned(), file.to_string_lossy().into_owned()];
            let own = std::mem::replace(&mut program, "/bin/sh".to_owned());
            args = shell.into_iter().chain([own]).chain(args).collect();
        }
        let agent = AgentProcess {
            program,
            args,
            directory: place.project.clone(),
            env: place.env.clone(),
            stdin: probe.stdin.clone(),
            limit: self.next_limit(),
            timeout_scale: 1.0,
        };
        let report = match isolation {
            Some((spec, file)) => agent
                .run_isolated(spec, file)
                .await
                .map_err(|why| format!("cannot isolate {}: {why}", self.dialect.name()))?,
            None => agent.run().await,
        };
        let took = report.timing.ended.saturating_sub(report.timing.started);
        if !matches!(report.exit, Exit::TimedOut { .. }) {
            self.slowest.fetch_max(u64::try_from(took.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
        let requests = server.requests().split_off(before);
        let command_output =
            output_file.and_then(|file| hookbench_system::disk::read_text(file).ok()).unwrap_or_default();
        Ok(HeadlessRun { requests, report, command_output })
    }

    /// Starts the stand-in of the model for a probe. `link` is its socket if the agent is isolated.
    pub(super) async fn start_model(
        &self,
        probe: &Probe,
        at: &ProbeDirectories,
        link: Option<&Path>,
    ) -> std::io::Result<ModelServer> {
        let format = self.format();
        let main_tools = format.main_tools.iter().map(|tool| (*tool).to_owned()).collect();
        let (turns, subagent_turns) = (probe.model_turns(format, at), probe.model_turns_of_subagent(at));
        start_model(ModelScript { interface: format.interface, turns, subagent_turns, main_tools }, link).await
    }
}

//! One session of the installed agent against a stand-in of its model.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::mpsc;

use super::request::CalibrationRequest;
use crate::environment::place::os;
use hookbench_core::calibration::{Probe, ProbeDirectories};
use hookbench_core::config::Place;
use hookbench_core::dialects::headless::HeadlessFormat;
use hookbench_core::dialects::{Dialect, Version, VersionBasis, default_version};
use hookbench_core::model_interface::ModelRequest;
use hookbench_core::run::{
    EnvChange, Exit, FinishCondition, KillSpec, Launch, ProcessSpec, RunId, RunReport, RunRequest,
};
use hookbench_system::model_server::{ModelScript, ModelServer};
use hookbench_system::runner::{RunEvent, Runner};

/// The time between the request to end and the kill.
const GRACE: Duration = Duration::from_millis(500);
/// The bytes of each stream that are kept.
const KEPT_OUTPUT: usize = 256 << 10;
/// The variables that the agent keeps from the user's environment.
const KEPT_VARIABLES: [&str; 6] = ["PATH", "LANG", "LC_ALL", "TZ", "USER", "LOGNAME"];
/// A closed port as the proxy keeps the agent from the network. The stand-in of the model is excepted.
const NO_PROXY: [(&str, &str); 3] =
    [("HTTP_PROXY", "http://127.0.0.1:9"), ("HTTPS_PROXY", "http://127.0.0.1:9"), ("NO_PROXY", "127.0.0.1,localhost")];

/// The installed program of an agent.
#[derive(Debug)]
pub(super) struct AgentProgram {
    pub dialect: &'static dyn Dialect,
    program: PathBuf,
    version: Version,
    installed: Option<Version>,
    limit: Duration,
}

/// The result of one run of the agent.
#[derive(Debug)]
pub(super) struct HeadlessRun {
    /// The requests of this run.
    pub requests: Vec<ModelRequest>,
    pub report: RunReport,
}

impl HeadlessRun {
    /// The agent's stdout and stderr.
    pub(super) fn printed(&self) -> String {
        format!("{}\n{}", self.report.stdout.text(), self.report.stderr.text())
    }

    /// The reason why the run shows nothing. `None` if it ended by itself.
    pub(super) fn failure(&self) -> Option<String> {
        let printed = self.last_line().map(|line| format!("; it printed: {line}")).unwrap_or_default();
        match &self.report.exit {
            Exit::FailedToStart { error } => Some(format!("the agent does not start: {error}")),
            Exit::TimedOut { after } => Some(format!("the agent did not end within {} s{printed}", after.as_secs())),
            _ => None,
        }
    }

    /// The reason of a run in which no hook ran and the model was not asked.
    pub(super) fn nothing_shown(&self) -> String {
        let printed = self.last_line().unwrap_or_else(|| "nothing".to_owned());
        let exit = self.report.exit.describe();
        format!("the agent neither ran a hook nor asked its model ({exit}); it printed: {printed}")
    }

    /// The last line that the agent printed, on stderr if it printed something there.
    fn last_line(&self) -> Option<String> {
        let last = |text: &str| {
            let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
            Some(line.trim().chars().take(200).collect::<String>())
        };
        last(&self.report.stderr.text()).or_else(|| last(&self.report.stdout.text()))
    }
}

impl AgentProgram {
    pub(super) fn new(request: &CalibrationRequest) -> AgentProgram {
        let meant = request.installed.clone().unwrap_or_else(|| default_version(request.dialect));
        let (version, _) = VersionBasis::of(request.dialect, meant);
        AgentProgram {
            dialect: request.dialect,
            program: request.program.clone(),
            version,
            installed: request.installed.clone(),
            limit: request.limit,
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

    pub(super) fn format(&self) -> &'static HeadlessFormat {
        self.dialect.headless_format()
    }

    /// The place of a session, with the environment that the agent gets.
    pub(super) fn place(&self, project: &Path, home: &Path, temporary: &Path, probe: &Probe, url: &str) -> Place {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut env: BTreeMap<String, String> = KEPT_VARIABLES
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)))
            .chain(NO_PROXY.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
            .collect();
        env.insert("HOME".to_owned(), text(home));
        env.insert("TMPDIR".to_owned(), text(temporary));
        env.extend(
            self.format()
                .environment
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.replace("{url}", url).replace("{home}", &text(home)))),
        );
        let own = |value: &str| value.replace("{{home}}", &text(home)).replace("{{project}}", &text(project));
        env.extend(probe.environment.iter().map(|(name, value)| (name.clone(), own(value))));
        Place { project: text(project), home: text(home), home_given: true, env, os: os() }
    }

    /// The arguments of a run. `resume` says whether it continues a session.
    fn arguments(&self, probe: &Probe, url: &str, prompt: &str, resume: bool) -> Vec<String> {
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

    /// Writes the address of the stand-in into the files of every session. A file that cannot be written shows in the
    /// session: the agent does not ask its model.
    fn write_address(&self, place: &Place, url: &str) {
        for (path, _) in self.format().files {
            let path = path.replace("{{project}}", &place.project).replace("{{home}}", &place.home);
            if let Ok(text) = hookbench_system::disk::read_text(&path)
                && text.contains("{url}")
            {
                let _ = std::fs::write(&path, text.replace("{url}", url));
            }
        }
    }

    /// Runs the agent to its end, and ends every process of it. `resume` says whether it continues a session.
    pub(super) async fn run(
        &self,
        probe: &Probe,
        server: &ModelServer,
        place: &Place,
        (prompt, resume): (&str, bool),
    ) -> HeadlessRun {
        let before = server.requests().len();
        self.write_address(place, &server.url);
        let spec = ProcessSpec {
            program: self.program.to_string_lossy().into_owned(),
            args: self.arguments(probe, &server.url, prompt, resume),
            cwd: place.project.clone(),
            env: EnvChange {
                remove: std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect(),
                set: place.env.clone().into_iter().collect(),
                scratch_files: Vec::new(),
            },
            stdin: Vec::new().into(),
            timeout: Some(self.limit),
            finish: FinishCondition::AtExit,
            kill: KillSpec { grace: GRACE },
            keep: KEPT_OUTPUT,
            names_directory: false,
        };
        let (sender, mut events) = mpsc::channel(64);
        let runner = Runner::new(sender, 1.0);
        runner.start(RunRequest { run: RunId(0), hook: String::new(), launch: Launch::Process(spec), awaited: true });
        let report = loop {
            match events.recv().await {
                Some(RunEvent::Ended(report)) => break *report,
                Some(_) => {}
                None => {
                    let exit = Exit::FailedToStart { error: "its process was lost".to_owned() };
                    break RunReport::new(RunId(0), exit, Vec::new(), Vec::new());
                }
            }
        };
        let requests = server.requests().split_off(before);
        HeadlessRun { requests, report }
    }

    /// Starts the stand-in of the model for a probe.
    ///
    /// # Errors
    /// Returns an error if no port can be opened.
    pub(super) async fn start_model(&self, probe: &Probe, at: &ProbeDirectories) -> std::io::Result<ModelServer> {
        let format = self.format();
        let main_tools = format.main_tools.iter().map(|tool| (*tool).to_owned()).collect();
        let (turns, subagent_turns) = (probe.model_turns(format, at), probe.model_turns_of_subagent(at));
        ModelServer::start(ModelScript { interface: format.interface, turns, subagent_turns, main_tools }).await
    }
}

//! Runs of an installed agent without a terminal. Where the system allows it, the agent has no network but the stand-in
//! of its model, and can write only to the directories of its run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use tokio::sync::{OnceCell, mpsc};

use crate::disk::scratch::create_owned_directory;
use crate::disk::state_dir::StateDir;
use hookbench_core::dialects::{Agent, Version};
use hookbench_core::run::{
    EnvChange, Exit, FinishCondition, HookVariable, KillSpec, Launch, ProcessSpec, RunId, RunReport, RunRequest,
};
use hookbench_system::disk::canonical;
#[cfg(target_os = "linux")]
use hookbench_system::isolation::{ArrivingListeners, SERVER_PORT};
use hookbench_system::isolation::{Bind, IsolationSpec, OUTER_STAGE, PREPARATION_FAILED};
use hookbench_system::model_server::{ModelScript, ModelServer};
use hookbench_system::owner_only::create_directory;
use hookbench_system::runner::{RunEvent, Runner};

/// The time between the request to end and the kill.
const GRACE: Duration = Duration::from_millis(500);
/// The bytes of each stream that are kept.
const KEPT_OUTPUT: usize = 256 << 10;
/// The longest line that is quoted, in characters.
const LONGEST_LINE: usize = 200;
/// The time limit of a trial.
const TRIAL_LIMIT: Duration = Duration::from_secs(10);
/// The output of a trial that succeeds.
const TRIAL_OUTPUT: &str = "isolated";
/// A closed port as the proxy keeps an agent that is not isolated from the network.
pub(crate) const NO_PROXY: [(&str, &str); 3] =
    [("HTTP_PROXY", "http://127.0.0.1:9"), ("HTTPS_PROXY", "http://127.0.0.1:9"), ("NO_PROXY", "127.0.0.1,localhost")];

/// A run of an agent.
#[derive(Debug)]
pub(crate) struct AgentProcess {
    pub program: String,
    pub args: Vec<String>,
    pub directory: String,
    /// The whole environment.
    pub env: BTreeMap<String, String>,
    /// The text on its stdin.
    pub stdin: String,
    pub limit: Duration,
    /// Multiplies the limit.
    pub timeout_scale: f64,
}

impl AgentProcess {
    /// Runs it to its end, and ends every process of it.
    pub(crate) async fn run(mut self) -> RunReport {
        self.env.extend(NO_PROXY.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        self.start().await
    }

    /// Runs it in the part of the machine that `spec` describes. `file` is a path for the specification.
    pub(crate) async fn run_isolated(mut self, spec: &IsolationSpec, file: &Path) -> Result<RunReport, String> {
        let failed = |why: io::Error| why.to_string();
        let spec = IsolationSpec { stdin: std::mem::take(&mut self.stdin), ..spec.clone() };
        spec.write(file).map_err(failed)?;
        let own = std::env::current_exe().map_err(failed)?;
        let stage = [OUTER_STAGE.to_owned(), file.to_string_lossy().into_owned(), "--".to_owned()];
        let program = std::mem::replace(&mut self.program, own.to_string_lossy().into_owned());
        self.args = stage.into_iter().chain([program]).chain(self.args).collect();
        let report = self.start().await;
        if report.exit == Exit::Code(i32::from(PREPARATION_FAILED)) {
            return Err(first_line(&report.stderr.text()).unwrap_or_default());
        }
        Ok(report)
    }

    async fn start(self) -> RunReport {
        let spec = ProcessSpec {
            program: self.program,
            args: self.args,
            cwd: self.directory,
            env: EnvChange {
                remove: std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect(),
                set: self.env.into_iter().map(|(name, value)| HookVariable::of_user(name, value)).collect(),
                scratch_files: Vec::new(),
            },
            stdin: self.stdin.into_bytes().into(),
            timeout: Some(self.limit),
            finish: FinishCondition::AtExit,
            kill: KillSpec { grace: GRACE },
            keep: KEPT_OUTPUT,
            names_directory: false,
            runs_plain_files: false,
        };
        let (sender, mut events) = mpsc::channel(64);
        let runner = Runner::new(sender, self.timeout_scale);
        runner.start(RunRequest { run: RunId(0), hook: String::new(), launch: Launch::Process(spec), awaited: true });
        loop {
            match events.recv().await {
                Some(RunEvent::Ended(report)) => return *report,
                Some(_) => {}
                None => {
                    let exit = Exit::FailedToStart { error: "its process was lost".to_owned() };
                    return RunReport::new(RunId(0), exit, Vec::new(), Vec::new());
                }
            }
        }
    }
}

/// The reason why this system cannot isolate an agent, found once by a trial. `None` if it can.
pub(crate) async fn isolation_refusal() -> Option<String> {
    static FOUND: OnceCell<Option<String>> = OnceCell::const_new();
    FOUND.get_or_init(try_isolation).await.clone()
}

async fn try_isolation() -> Option<String> {
    if std::env::consts::OS != "linux" {
        return Some("hookbench isolates programs only on Linux".to_owned());
    }
    match isolated_shell().await {
        Ok(report) if report.stdout.text().trim() == TRIAL_OUTPUT => None,
        Ok(report) => Some(first_line(&report.stderr.text()).unwrap_or_else(|| report.exit.describe())),
        Err(why) => Some(why),
    }
}

/// Starts an isolated shell that prints a word.
async fn isolated_shell() -> Result<RunReport, String> {
    let failed = |why: io::Error| why.to_string();
    let scratch = create_owned_directory().map_err(failed)?;
    let root = scratch.path().join("root");
    std::fs::create_dir(&root).map_err(failed)?;
    let spec = IsolationSpec { root: Some(root), directory: "/".into(), ..IsolationSpec::default() };
    let shell = AgentProcess {
        program: "/bin/sh".to_owned(),
        args: vec!["-c".to_owned(), format!("echo {TRIAL_OUTPUT}")],
        directory: "/".to_owned(),
        env: BTreeMap::new(),
        stdin: String::new(),
        limit: TRIAL_LIMIT,
        timeout_scale: 1.0,
    };
    shell.run_isolated(&spec, &scratch.path().join("spec")).await
}

/// Starts a stand-in of the model for an agent. `link` is the socket of the specification if the agent is isolated.
#[cfg(target_os = "linux")]
pub(crate) async fn start_model(script: ModelScript, link: Option<&Path>) -> io::Result<ModelServer> {
    match link {
        Some(link) => {
            let arriving = std::sync::Arc::new(ArrivingListeners::at(link)?);
            let next = move || {
                let arriving = std::sync::Arc::clone(&arriving);
                async move { arriving.next().await }
            };
            Ok(ModelServer::start_later(script, SERVER_PORT, next))
        }
        None => ModelServer::start(script).await,
    }
}

/// Starts a stand-in of the model for an agent that is not isolated.
#[cfg(not(target_os = "linux"))]
pub(crate) async fn start_model(script: ModelScript, _link: Option<&Path>) -> io::Result<ModelServer> {
    ModelServer::start(script).await
}

/// Writes the address of a stand-in of the model into the files of an agent that need it. A file that cannot be written
/// shows in the session: the agent does not ask its model.
pub(crate) fn write_address(files: impl Iterator<Item = PathBuf>, url: &str) {
    for path in files {
        if let Ok(text) = hookbench_system::disk::read_text(&path)
            && text.contains("{url}")
        {
            let _ = std::fs::write(&path, text.replace("{url}", url));
        }
    }
}

/// The last line that an agent printed, on stderr if it printed something there.
pub(crate) fn last_line(report: &RunReport) -> Option<String> {
    let last = |text: &str| Some(shortened(text.lines().rev().find(|line| !line.trim().is_empty())?));
    last(&report.stderr.text()).or_else(|| last(&report.stdout.text()))
}

/// The first line of a stage's error.
fn first_line(text: &str) -> Option<String> {
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    Some(shortened(line.trim().trim_start_matches("hookbench isolate: ")))
}

fn shortened(line: &str) -> String {
    line.trim().chars().take(LONGEST_LINE).collect()
}

/// The directory of all agents, below the state directory.
const DIRECTORY: &str = "unpacked-agents";

/// The directory for one version of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentCache {
    /// The variable that names it to the program.
    pub variable: &'static str,
    pub directory: PathBuf,
}

impl AgentCache {
    /// Creates the directory for this version, and deletes those of other versions. `None` if the program does not unpack
    /// itself, or if the directory cannot be created.
    pub(crate) fn prepare(dialect: &Agent, version: Option<&Version>) -> Option<AgentCache> {
        let variable = dialect.headless_format().cache_variable?;
        let state = StateDir::for_process();
        let all = state.is_known().then(|| state.file(DIRECTORY))?;
        let beginning = format!("{}-", dialect.id());
        let name = format!("{beginning}{}", version.map_or_else(|| "unknown".to_owned(), ToString::to_string));
        create_directory(state.root()).and_then(|()| create_directory(&all)).ok()?;
        for entry in fs::read_dir(&all).into_iter().flatten().flatten() {
            let other = entry.file_name().to_string_lossy().into_owned();
            if other.starts_with(&beginning) && other != name {
                // What stays takes space and does no harm.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let directory = all.join(name);
        create_directory(&directory).ok()?;
        Some(AgentCache { variable, directory })
    }

    /// Lets the program unpack itself, if it has not yet. It prints its version, with no network and no hooks, so sessions need
    /// to write to the directory only if this fails.
    pub(crate) async fn fill(&self, program: &Path, isolated: bool, limit: Duration) {
        let empty = fs::read_dir(&self.directory).map_or(true, |mut entries| entries.next().is_none());
        if !empty {
            return;
        }
        let Ok(scratch) = create_owned_directory() else { return };
        // Isolation names the directories as the system resolves them.
        let Ok(base) = canonical(scratch.path()) else { return };
        let (place, root) = (base.join("place"), base.join("root"));
        if fs::create_dir(&place).and_then(|()| fs::create_dir(&root)).is_err() {
            return;
        }
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut env: BTreeMap<String, String> =
            std::env::var("PATH").ok().map(|path| ("PATH".to_owned(), path)).into_iter().collect();
        env.extend(["HOME", "TMPDIR"].map(|name| (name.to_owned(), text(&place))));
        env.insert(self.variable.to_owned(), text(&self.directory));
        let agent = AgentProcess {
            program: text(program),
            args: vec!["--version".to_owned()],
            directory: text(&place),
            env,
            stdin: String::new(),
            limit,
            timeout_scale: 1.0,
        };
        let writable = |path: &Path| Bind { source: path.to_owned(), target: path.to_owned(), writable: true };
        let spec = IsolationSpec {
            root: Some(root),
            binds: vec![writable(&place), writable(&self.directory)],
            directory: place.clone(),
            ..IsolationSpec::default()
        };
        // A program that fails here fails in its first session too, which is reported.
        if isolated {
            let _ = agent.run_isolated(&spec, &base.join("spec")).await;
        } else {
            agent.run().await;
        }
    }
}

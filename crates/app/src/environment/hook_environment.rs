//! The environment in which hooks run: that of hookbench's own process, of a login shell, or of a running agent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::mpsc;

use super::place::{PlaceError, is_home_variable, own_environment, without_other_homes};
use crate::disk::state_dir::own_home;
use hookbench_core::config::{EnvironmentSource, Place};
use hookbench_core::dialects;
use hookbench_core::live::{is_stored, read_seen_environment, seen_environment_file, state_directory};
use hookbench_core::names::AgentId;
use hookbench_core::run::{
    EnvChange, Exit, FinishCondition, HookVariable, KillSpec, Launch, ProcessSpec, RunId, RunReport, RunRequest,
    VariableSource,
};
use hookbench_system::own_directories::temporary_directory;
use hookbench_system::runner::{RunEvent, Runner};

/// The time limit for the files that a login shell reads.
const LOGIN_LIMIT: Duration = Duration::from_secs(10);
/// The number of bytes of an environment to keep.
const LARGEST_ENVIRONMENT: usize = 1 << 20;
/// A text that no profile prints, in front of the environment.
const MARK: &str = "hookbench-environment";
/// Variables with which a session starts a login shell. The shell's own files set the others.
const SESSION_VARIABLES: [&str; 6] = ["USER", "LOGNAME", "SHELL", "LANG", "TMPDIR", "XDG_RUNTIME_DIR"];
/// The PATH with which a login shell starts.
const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
/// Variables that say where hookbench keeps its own data. They do not follow the environment of hooks; a run gets the
/// HOME of its place.
const OWN_VARIABLES: [&str; 2] = ["HOME", "XDG_STATE_HOME"];

/// The source of a variable that an agent was seen with.
const SEEN_ENVIRONMENT: &str = "the environment that the agent was last seen with";

/// Environment variables that hooks keep.
const KEPT_VARIABLES: [&str; 8] = ["PATH", "LANG", "LANGUAGE", "TERM", "TZ", "USER", "LOGNAME", "SHELL"];

/// An environment for hooks that is not that of this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenEnvironment {
    source: EnvironmentSource,
    variables: BTreeMap<String, String>,
}

impl ChosenEnvironment {
    /// Reads an environment. A login shell runs only for [`EnvironmentSource::Login`].
    ///
    /// # Errors
    /// Returns the reason if the environment is unknown.
    pub fn read(place: &Place, source: EnvironmentSource, agent: AgentId) -> Result<ChosenEnvironment, PlaceError> {
        let own = own_environment(None);
        let read = match source {
            EnvironmentSource::Shell => Ok(own.clone()),
            EnvironmentSource::Login => login_environment(place, &own),
            EnvironmentSource::Agent => agent_environment(&own, agent, place),
        };
        let mut variables = read.map_err(PlaceError::Environment)?;
        for name in OWN_VARIABLES {
            match own.get(name) {
                Some(value) => _ = variables.insert(name.to_owned(), value.clone()),
                None => _ = variables.remove(name),
            }
        }
        Ok(ChosenEnvironment { source, variables })
    }

    /// The environment of a place. `None` for that of this process.
    pub fn of(place: &Place) -> Option<ChosenEnvironment> {
        let chosen = place.env_source != EnvironmentSource::Shell;
        chosen.then(|| ChosenEnvironment { source: place.env_source, variables: place.env.clone() })
    }

    /// Makes it the environment of a place.
    pub fn apply(&self, place: &mut Place) {
        let given = place.home_given.then(|| PathBuf::from(&place.home));
        place.env = without_other_homes(self.variables.clone(), given.as_deref());
        place.env_source = self.source;
    }
}

/// The PATH with which the agent last started a forwarding hook. `None` if hooks do not run with the environment of this
/// process, or if the agent was not seen.
pub(crate) fn seen_path(place: &Place, agent: AgentId) -> Option<String> {
    let is_own = place.env_source == EnvironmentSource::Shell;
    is_own.then(|| agent_environment(&place.env, agent, place).ok()?.remove("PATH"))?
}

/// Gives a launch the environment of the place instead of that of this process. The agent's own changes come after it. A
/// contained run gets only the variables that containment keeps.
pub(crate) fn with_environment_of(mut launch: Launch, place: &Place, contained: bool) -> Launch {
    let chosen = place.env_source != EnvironmentSource::Shell;
    let Launch::Process(spec) = &mut launch else { return launch };
    if !chosen && !place.home_given {
        return launch;
    }
    let own = own_environment(None);
    let is_absent = |name: &String| !place.env.contains_key(name) && (chosen || is_home_variable(name));
    let removed_by_agent: Vec<String> = spec.env.remove.clone();
    spec.env.remove.extend(own.keys().filter(|name| is_absent(name)).cloned());
    if chosen {
        let differs = |(name, value): &(&String, &String)| own.get(*name) != Some(value);
        let added = place.env.iter().filter(differs);
        let added = added.filter(|(name, _)| !removed_by_agent.contains(name) && (!contained || is_kept(name)));
        // Another project can have decided what an agent was seen with.
        let source = match place.env_source {
            EnvironmentSource::Agent => VariableSource::File { file: SEEN_ENVIRONMENT.to_owned(), line: None },
            EnvironmentSource::Login | EnvironmentSource::Shell => VariableSource::User,
        };
        let variable = |(name, value): (&String, &String)| HookVariable {
            name: name.clone(),
            value: value.clone(),
            source: source.clone(),
        };
        let mut set: Vec<HookVariable> = added.map(variable).collect();
        set.append(&mut spec.env.set);
        spec.env.set = set;
    }
    launch
}

/// Whether contained hooks keep the variable.
pub(crate) fn is_kept(name: &str) -> bool {
    KEPT_VARIABLES.contains(&name) || name.starts_with("LC_")
}

/// The environment of a login shell of the user, which has no terminal.
fn login_environment(place: &Place, own: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>, String> {
    let shell = own.get("SHELL").filter(|shell| shell.starts_with('/')).map_or("/bin/sh", String::as_str).to_owned();
    let text = format!("printf '%s\\0' {MARK}; exec env -0");
    let mut spec =
        helper_process(shell.clone(), vec!["-l".to_owned(), "-c".to_owned(), text], LOGIN_LIMIT, LARGEST_ENVIRONMENT);
    spec.env.remove = own.keys().cloned().collect();
    let session = SESSION_VARIABLES.iter().filter_map(|name| Some(HookVariable::of_user(*name, own.get(*name)?)));
    spec.env.set = session.collect();
    // `--home` may name a directory of a repository. The user has not approved its profile.
    let home = own_home(place).ok_or("the home directory is unknown")?;
    spec.env.set.push(HookVariable::of_user("HOME", home.display().to_string()));
    spec.env.set.push(HookVariable::of_user("PATH", SYSTEM_PATH));
    let fail = |why: String| format!("the login shell {shell} did not print its environment: {why}");
    // The caller may be inside a runtime, which cannot wait for another one.
    let report = std::thread::scope(|scope| scope.spawn(|| run_to_end(spec)).join()).ok().flatten();
    let report = report.ok_or_else(|| fail("it was stopped".to_owned()))?;
    let printed = report.stdout.text().into_owned();
    let Some((_, printed)) = printed.split_once(&format!("{MARK}\0")).filter(|_| report.exit == Exit::Code(0)) else {
        return Err(fail(match &report.exit {
            Exit::TimedOut { .. } => format!("it did not end within {} s", LOGIN_LIMIT.as_secs()),
            other => other.describe(),
        }));
    };
    let pairs = printed.split('\0').filter_map(|line| line.split_once('='));
    // The shell sets these for itself.
    let of_shell = |name: &str| matches!(name, "_" | "SHLVL" | "PWD" | "OLDPWD");
    Ok(pairs.filter(|(name, _)| !of_shell(name)).map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

/// Runs a process and waits for its end.
fn run_to_end(spec: ProcessSpec) -> Option<Box<RunReport>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    runtime.block_on(async {
        let (sender, mut events) = mpsc::channel(64);
        let runner = Runner::new(sender, 1.0);
        let launch = Launch::Process(spec);
        runner.start(RunRequest { run: RunId(0), hook: "login".to_owned(), launch, awaited: true });
        loop {
            match events.recv().await? {
                RunEvent::Ended(report) => return Some(report),
                RunEvent::Started { .. } | RunEvent::Grew { .. } => {}
            }
        }
    })
}

/// The environment with which the agent last started a forwarding hook. Variables that are not stored are those of this
/// process.
fn agent_environment(
    own: &BTreeMap<String, String>,
    agent: AgentId,
    place: &Place,
) -> Result<BTreeMap<String, String>, String> {
    let home = own_home(place).ok_or("the home directory is unknown")?;
    let (directory, file) = (state_directory(&home), seen_environment_file(agent.as_str()));
    if let Some(why) = hookbench_system::disk::tampering_reason(&directory, &file, Some(Path::new(&place.project))) {
        return Err(format!("the environment that the agent was seen with is ignored: {why}"));
    }
    let file = directory.join(file);
    let seen = hookbench_system::disk::read_text(&file).ok().and_then(|text| read_seen_environment(&text));
    let Some(seen) = seen else {
        let name = dialects::by_id(agent.as_str()).map_or(agent.as_str(), |dialect| dialect.name());
        return Err(format!(
            "{name} has not started a forwarding hook yet, so its environment is unknown\n  help: run `hookbench \
             install --agent {agent}`, use {name} once, and try again; or use --env login"
        ));
    };
    let mut env: BTreeMap<String, String> =
        own.iter().filter(|(name, _)| !is_stored(name)).map(|(n, v)| (n.clone(), v.clone())).collect();
    env.extend(seen);
    Ok(env)
}

/// The time between the request to terminate and the kill.
const GRACE: Duration = Duration::from_millis(200);

/// A program with arguments, a time limit, and the number of output bytes to keep.
pub(crate) fn helper_process(program: String, args: Vec<String>, limit: Duration, keep: usize) -> ProcessSpec {
    ProcessSpec {
        program,
        args,
        // Not the project's directory, so that the project's files do not influence the program.
        cwd: temporary_directory().display().to_string(),
        env: EnvChange::default(),
        stdin: Vec::new().into(),
        timeout: Some(limit),
        finish: FinishCondition::AtExit,
        kill: KillSpec { grace: GRACE },
        keep,
        names_directory: false,
        runs_plain_files: false,
    }
}

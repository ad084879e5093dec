//! Adds guards to the settings of agents.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value, json};

use hookbench_core::catalogue::catalogue;
use hookbench_core::config::{Files, Place};
use hookbench_core::convert::{GroupAddition, add};
use hookbench_core::dialects::settings_format::HookFile;
use hookbench_core::dialects::{Agent, VersionBasis, find_event};
use hookbench_core::guard::GuardName;
use hookbench_core::hook::Layer;
use hookbench_core::install::quoted_word;
use hookbench_core::live::native_event;
use hookbench_core::port::AgentVersion;

use crate::disk::user_file::{self, FileChange};
use crate::guards::guard_command;
use crate::setup::install::{OwnProgram, SettingsFileError, check_program, quoting, read_settings};

/// The time that an agent gives a guard.
const LIMIT: Duration = Duration::from_secs(30);

/// A request to install guards.
pub struct GuardInstallRequest<'a> {
    pub guards: &'a [GuardName],
    pub agents: &'a [AgentVersion],
    pub layer: Layer,
}

/// A hook that a guard needs in an agent: its event, and its matcher if the event is about a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardHook {
    pub event: String,
    pub matcher: Option<String>,
}

/// A guard that is added to the settings of an agent, or that is there already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledGuard {
    pub agent: &'static str,
    pub guard: GuardName,
    pub event: String,
    pub command: String,
    pub matcher: Option<String>,
    /// The file that has it already. `None` if it is new.
    pub file: Option<String>,
}

/// A guard that an agent cannot run on an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedGuard {
    pub agent: &'static str,
    pub guard: GuardName,
    pub why: String,
}

/// A prepared installation.
#[derive(Debug)]
pub struct GuardInstall {
    pub entries: Vec<InstalledGuard>,
    pub skipped: Vec<SkippedGuard>,
    pub changes: Vec<FileChange>,
}

/// The hooks that a guard needs in an agent.
///
/// # Errors
/// Returns the reason if the agent cannot run the guard on any event.
pub fn guard_hooks(guard: GuardName, agent: &AgentVersion) -> Result<Vec<GuardHook>, String> {
    let (mut hooks, mut lacks_tool) = (Vec::new(), false);
    for wire in guard.events() {
        let event = native_event(agent.dialect.live_format(), wire);
        if find_event(agent.dialect, &agent.version, &event).is_none() {
            continue;
        }
        let tools = guard.tools_on(wire);
        let matcher = matcher(tools, agent.dialect);
        if !tools.is_empty() && matcher.is_none() {
            lacks_tool = true;
        } else {
            hooks.push(GuardHook { event, matcher });
        }
    }
    match (hooks.is_empty(), lacks_tool) {
        (false, _) => Ok(hooks),
        (true, true) => Err("its hooks see no tool that the guard checks".to_owned()),
        (true, false) => Err("it has no event that the guard checks".to_owned()),
    }
}

/// Prepares the installation.
pub fn prepare_guards(
    place: &Place,
    files: &dyn Files,
    request: &GuardInstallRequest<'_>,
) -> Result<GuardInstall, SettingsFileError> {
    let program = OwnProgram::locate(place).map_err(SettingsFileError::Program)?;
    let mut install = GuardInstall { entries: Vec::new(), skipped: Vec::new(), changes: Vec::new() };
    for agent in request.agents {
        let dialect = agent.dialect;
        check_program(&program, dialect)?;
        let format = dialect.settings_format();
        let targets = dialect.hook_files(place, request.layer);
        let settings = targets.first().ok_or(SettingsFileError::NoLayer(dialect.name()))?;
        let (version, _) = VersionBasis::of(dialect, agent.version.clone());
        let agent = AgentVersion { dialect, version };
        let loaded = dialect.load(place, files, &agent.version);
        let installed_copy = |event: &str, guard: GuardName, target: &HookFile| {
            let file = place.display_path(&target.path);
            loaded.definitions.iter().find(|definition| {
                let text = definition.handler.text();
                // An agent that runs every copy of a hook would run a guard of another file twice.
                let counts =
                    definition.provenance.file == file || format.runs_duplicates && definition.rejection.is_none();
                counts
                    && dialect.is_same_event(&definition.event, event)
                    && names_agent(&text, dialect)
                    && guard_command(&text).is_some_and(|(name, _)| name == guard)
            })
        };
        let mut additions = Vec::new();
        for guard in request.guards {
            let command = command(&program.command_word, *guard, dialect, place);
            let hooks = guard_hooks(*guard, &agent).unwrap_or_else(|why| {
                install.skipped.push(SkippedGuard { agent: dialect.name(), guard: *guard, why });
                Vec::new()
            });
            for GuardHook { event, matcher } in hooks {
                let target = dialect.file_for_event(place, files, request.layer, &event);
                let target = target.unwrap_or_else(|| settings.clone());
                let installed = installed_copy(&event, *guard, &target);
                if installed.is_none() {
                    let timeout = (format.timeout)("command", LIMIT).0;
                    let group = group(&command, matcher.as_deref(), &timeout);
                    additions.push((target, GroupAddition { event: event.clone(), group }));
                }
                install.entries.push(InstalledGuard {
                    agent: dialect.name(),
                    guard: *guard,
                    event,
                    command: command.clone(),
                    matcher,
                    file: installed.map(|definition| definition.provenance.file.clone()),
                });
            }
        }
        for target in &targets {
            let here = additions.iter().filter(|(file, _)| file == target).map(|(_, addition)| addition.clone());
            install.changes.extend(change(place, files, target, &here.collect::<Vec<_>>())?);
        }
    }
    Ok(install)
}

/// The change that adds groups to a file. `None` if there are none.
fn change(
    place: &Place,
    files: &dyn Files,
    target: &HookFile,
    additions: &[GroupAddition],
) -> Result<Option<FileChange>, SettingsFileError> {
    if additions.is_empty() {
        return Ok(None);
    }
    let HookFile { path, form } = target;
    let file = place.display_path(path);
    let before = read_settings(path, &file, files)?;
    let text = before.as_deref().unwrap_or_default();
    let after = add(text, *form, additions).map_err(|why| SettingsFileError::not_editable(&file, why))?;
    Ok(Some(FileChange {
        file: user_file::shown(Path::new(&place.project), path, &file),
        path: path.clone(),
        before: before.map(String::into_bytes),
        after: after.into_bytes(),
        executable: false,
    }))
}

/// Whether the command of a guard is meant for this agent: an agent may read the settings of another.
fn names_agent(command: &str, dialect: &Agent) -> bool {
    let mut words = command.split_whitespace();
    words.find(|word| *word == "--agent").is_none_or(|_| words.next() == Some(dialect.id().as_str()))
}

fn command(program: &str, guard: GuardName, dialect: &Agent, place: &Place) -> String {
    let program = quoted_word(program, quoting(place));
    format!("{program} guard {} --agent {}", guard.word(), dialect.id())
}

/// Returns a matcher for tools. `None` if the agent's hooks see no such tool.
fn matcher(tools: &[&str], dialect: &Agent) -> Option<String> {
    let agent = catalogue().agent(dialect.id().as_str())?;
    let mut ids: Vec<&str> = Vec::new();
    for tool in tools.iter().flat_map(|row| agent.tools_for_row(row)) {
        if !ids.contains(&tool.id) {
            ids.push(tool.id);
        }
    }
    (!ids.is_empty()).then(|| dialect.settings_format().any_of(&ids))
}

fn group(command: &str, matcher: Option<&str>, timeout: &Value) -> Value {
    let mut group = Map::new();
    if let Some(matcher) = matcher {
        group.insert("matcher".to_owned(), Value::from(matcher));
    }
    group.insert("hooks".to_owned(), json!([{ "type": "command", "command": command, "timeout": timeout }]));
    Value::Object(group)
}

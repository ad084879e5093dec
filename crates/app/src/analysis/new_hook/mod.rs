//! A new hook from a recipe: its script, the settings entries and the test cases, as one change of the user's files.

pub mod trial;

use serde_json::Value;

use crate::disk::user_file::{FileChange, WriteError};
use crate::environment::installed_agents::find_installed;
use crate::firing::suite_case::{DEFAULT_SUITE, NewCase, SuiteAdditionError, addition_to, user_suite};
use hookbench_core::config::{Files, Place};
use hookbench_core::convert::{GroupAddition, SettingsEditError, add, read_settings};
use hookbench_core::decide::Verdict;
use hookbench_core::dialects::settings_format::HookFile;
use hookbench_core::dialects::{self, Agent, default_version};
use hookbench_core::git::find_checkout;
use hookbench_core::hook::Layer;
use hookbench_core::names::RungName;
use hookbench_core::port::AgentVersion;
use hookbench_core::recipe::{
    BlankAnswers, ComposedCase, ComposedHook, ComposedSettings, HookEffect, RecipeError, RecipeRequest, compose_each,
};
use hookbench_core::text::Node;

/// A new hook and the changes that write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewHook {
    pub composed: ComposedHook,
    /// The files to change; empty if everything is there already.
    pub changes: Vec<FileChange>,
    /// Whether it only decides, and runs no other program.
    pub only_decides: bool,
    /// The root of the git repository around the project. Some agents read the settings in its subdirectories, too.
    pub repository: Option<String>,
}

/// The reason why a new hook cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum NewHookError {
    #[error("{0}")]
    Recipe(#[from] RecipeError),
    #[error("{file}:{}:{}: {}", why.line, why.column, why.message)]
    Settings { file: String, why: SettingsEditError },
    #[error("{0} exists and is another script; choose another name with --name")]
    OtherScript(String),
    #[error("{0} is not UTF-8 text")]
    NotText(String),
    #[error("{0}")]
    Suite(#[from] SuiteAdditionError),
    #[error("{0}")]
    Write(#[from] WriteError),
}

impl NewHook {
    /// The agents that do not run the written hook yet, because trust or a review is missing, one sentence each.
    pub fn missing_trust(&self, agents: &[AgentVersion], place: &Place, files: &dyn Files) -> Vec<String> {
        let sentence = |agent: &AgentVersion| {
            let loaded = agent.dialect.load(place, files, &agent.version);
            let own = loaded.definitions.iter().find(|definition| definition.label() == self.composed.name)?;
            let refused = own.rejection.as_ref().filter(|refused| refused.rung == RungName::Trusted)?;
            let name = agent.dialect.name();
            let id = agent.dialect.id();
            Some(format!(
                "{name} does not run it yet: {}\n  help: `hookbench fire {} --agent {id} --as-trusted` tries it now",
                refused.message, own.event
            ))
        };
        agents.iter().filter_map(sentence).collect()
    }
}

/// The agents with settings in this project, otherwise the installed ones, otherwise the first.
pub fn agents_of_project(place: &Place, files: &dyn Files) -> Vec<&'static Agent> {
    let has_settings = |dialect: &&Agent| {
        let layers = [Layer::Project, Layer::Local].into_iter();
        layers.flat_map(|layer| dialect.hook_files(place, layer)).any(|file| files.exists(&file.path))
    };
    // Some agents read several files of a project.
    let reads_other_files = |dialect: &&Agent| {
        let loaded = dialect.load(place, files, &default_version(dialect));
        loaded.existing_layers().any(|file| matches!(file.layer, Layer::Project | Layer::Local))
    };
    let all = dialects::released;
    let mut found: Vec<&'static Agent> = all().filter(has_settings).collect();
    if found.is_empty() {
        found = all().filter(reads_other_files).collect();
    }
    // Files above the project and the project's own plugins are not read, but they tell which agent is used.
    let has_unread_files = |dialect: &&Agent| {
        let loaded = dialect.load(place, files, &default_version(dialect));
        loaded.ignored_files.iter().any(|file| file.cure.is_some())
    };
    if found.is_empty() {
        found = all().filter(has_unread_files).collect();
    }
    if found.is_empty() {
        found = all().filter(|dialect| find_installed(&dialect.install(), place).is_present()).take(1).collect();
    }
    if found.is_empty() { all().take(1).collect() } else { found }
}

/// The agent in its installed version, otherwise in the newest one whose behaviour is known.
pub fn installed_version(dialect: &'static Agent, place: &Place) -> AgentVersion {
    let installed = find_installed(&dialect.install(), place);
    AgentVersion { dialect, version: installed.version().cloned().unwrap_or_else(|| default_version(dialect)) }
}

/// Composes a recipe and the changes that write it. `answers` are those that it was written from.
///
/// # Errors
/// Returns an error if the recipe does not work in any of the agents, if a settings file or the suite has no place
/// for it, or if another script has its name.
pub fn prepare_hook(
    request: &RecipeRequest<'_>,
    answers: Option<&BlankAnswers>,
    place: &Place,
    files: &dyn Files,
) -> Result<NewHook, NewHookError> {
    let composed = compose_each(request, answers, place, files)?;
    // The settings come first in the patch, and files that other hooks share last.
    let mut changes = Vec::new();
    let mut targets: Vec<&HookFile> = composed.settings.iter().map(|settings| &settings.file).collect();
    targets.dedup();
    for target in targets {
        let of: Vec<&ComposedSettings> = composed.settings.iter().filter(|one| one.file == *target).collect();
        changes.extend(settings_change(target, &of, place, files)?);
    }
    let mut shared = Vec::new();
    for file in &composed.files {
        let before = files.read(&file.path).ok();
        if before.as_deref() == Some(file.text.as_bytes()) && files.executable(&file.path) != Some(!file.executable) {
            continue;
        }
        let shown = place.display_path(&file.path);
        if !file.shared && before.as_deref().is_some_and(|before| before != file.text.as_bytes()) {
            return Err(NewHookError::OtherScript(shown));
        }
        let (path, after, executable) = (file.path.clone(), file.text.clone().into_bytes(), file.executable);
        let change = FileChange { file: shown, path, before, after, executable };
        if file.shared { shared.push(change) } else { changes.push(change) }
    }
    let written = !changes.is_empty();
    for (of_user, suite) in [(false, DEFAULT_SUITE.to_owned()), (true, user_suite(place))] {
        let cases = composed.cases.iter().filter(|case| written && case.of_user == of_user);
        let cases: Vec<NewCase> = cases.map(|case| new_case(case, &composed)).collect();
        if !cases.is_empty() {
            changes.push(addition_to(&suite, &cases, place, files)?);
        }
    }
    changes.extend(shared);
    let decides =
        |does| matches!(does, HookEffect::Refuse | HookEffect::Ask | HookEffect::Change | HookEffect::Context);
    Ok(NewHook {
        composed,
        changes,
        only_decides: decides(request.recipe.does),
        repository: find_checkout(files, &place.project).map(|checkout| checkout.root),
    })
}

/// The change of a settings file. `None` if it has the entries already.
fn settings_change(
    target: &HookFile,
    wanted: &[&ComposedSettings],
    place: &Place,
    files: &dyn Files,
) -> Result<Option<FileChange>, NewHookError> {
    let HookFile { path, form } = target;
    let file = place.display_path(path);
    let before = files.read(path).ok();
    let text = before.as_deref().map(std::str::from_utf8).transpose();
    let text = text.map_err(|_| NewHookError::NotText(file.clone()))?.unwrap_or("");
    let refused = |why: SettingsEditError| NewHookError::Settings { file: file.clone(), why };
    let root = read_settings(text, *form).map_err(refused)?;
    let written = root.as_ref().map(|root| form.handlers(root)).unwrap_or_default();
    let is_written = |one: &ComposedSettings| {
        let command = one.group.pointer("/hooks/0/command").and_then(Value::as_str);
        let is_same = |handler: &Node| handler.get("command").and_then(Node::as_str) == command;
        written.iter().any(|(event, handler)| *event == one.event && is_same(handler))
    };
    let missing = wanted.iter().filter(|one| !is_written(one));
    let additions: Vec<GroupAddition> =
        missing.map(|one| GroupAddition { event: one.event.to_owned(), group: one.group.clone() }).collect();
    if additions.is_empty() {
        return Ok(None);
    }
    let after = add(text, *form, &additions).map_err(refused)?;
    let after = if after.ends_with('\n') { after } else { after + "\n" };
    Ok(Some(FileChange { file, path: path.clone(), before, after: after.into_bytes(), executable: false }))
}

/// A case of the suite.
fn new_case(case: &ComposedCase, composed: &ComposedHook) -> NewCase {
    let what = case.example();
    let effect = match (case.caught, case.verdict) {
        (true, Some(Verdict::Ask)) => "asks about",
        (true, Some(Verdict::Deny)) => "refuses",
        (true, _) => "acts on",
        (false, _) => "allows",
    };
    let mut expect = Vec::new();
    if let Some(verdict) = case.verdict {
        expect.push(("verdict", verdict.word().into()));
        let decides = matches!(verdict, Verdict::Deny | Verdict::Ask);
        // The name of a script that is the hook itself is that of its event.
        let is_script = |one: &ComposedSettings| one.file.form.script.is_some() && case.agents.contains(&one.agent);
        if decides && !composed.files.is_empty() && !composed.settings.iter().any(is_script) {
            expect.push(("decided_by", case.hook.as_str().into()));
        }
    }
    NewCase {
        name: format!("{} {effect} {what}", case.hook),
        agents: case.agents.clone(),
        event: case.event.to_owned(),
        tool: case.tool.clone(),
        input: case.input.clone(),
        set: case.set.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
        expect,
    }
}

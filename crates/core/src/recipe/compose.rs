//! Composes a recipe for agents in a place: files to create, groups to add to settings, and cases for a suite.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::adapted::{AdaptedRecipe, agent_of_recipes};
use super::answers::{answer_on, answered_decision, can_answer, fill_answers};
use super::catalogue::{HookEffect, Recipe, RecipeEvent, SHELL_WORDS, words_are_of};
use super::known_settings::KnownSettings;
use super::known_settings::fill_project;
use super::payload_path::sends_otherwise;
use super::repeated_reason::{can_tell, exit_2_blocks, fill_reason, repeated_reason};
use crate::catalogue::catalogue;
use crate::config::{Files, Place};
use crate::convert::{GroupAddition, checked_command, direct_line, no_free_file, quote_word};
use crate::decide::Verdict;
use crate::dialects::find_event;
use crate::dialects::settings_format::HookFile;
use crate::hook::{EventSpec, HookInput, Layer};
use crate::live::SKILL_COMMAND;
use crate::names::AgentId;
use crate::port::{AgentVersion, MappedEvent, mapping, project_directory, translate};

/// The catalogue's name of the tools that run shell commands.
const SHELL: &str = "shell";

/// The directory of a script that several agents share, in the project or the home directory.
pub const SHARED_DIRECTORY: &str = ".hooks";

/// The reason why a recipe cannot be composed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RecipeError(pub String);

/// Where a recipe is to be used.
#[derive(Clone)]
pub struct RecipeRequest<'a> {
    pub recipe: &'a Recipe,
    /// The name of the script, without its ending.
    pub name: &'a str,
    /// `None` for the usual layer of each agent: the project, or the user's where it has no hooks of a project.
    pub layer: Option<Layer>,
    pub agents: &'a [AgentVersion],
}

/// A file to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComposedFile {
    pub path: String,
    pub text: String,
    pub executable: bool,
    /// Whether another recipe may have created it.
    pub shared: bool,
}

/// A group to add to the settings of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComposedSettings {
    pub agent: AgentId,
    pub layer: Layer,
    pub file: HookFile,
    pub event: &'static str,
    pub group: Value,
    pub command: String,
    /// Sentences about its needs and losses, for the user.
    pub notes: Vec<String>,
}

/// An event that tests the hook, in the words of the first of its agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComposedCase {
    /// The name of its hook in plans.
    pub hook: String,
    /// Whether the hook acts on it.
    pub caught: bool,
    /// Whether the hook is one of the user, for every project.
    pub of_user: bool,
    pub agents: Vec<AgentId>,
    pub event: &'static str,
    pub tool: Option<String>,
    pub input: Option<Value>,
    pub set: Map<String, Value>,
    /// The expected verdict, if the effect determines it in every agent.
    pub verdict: Option<Verdict>,
}

impl ComposedCase {
    /// The first line of the command, path or prompt; otherwise the event.
    pub fn example(&self) -> &str {
        // Some tools take several commands.
        let text_of = |value| Value::as_str(value).or_else(|| value.get(0)?.as_str());
        let text = self.input.as_ref().and_then(|input| input.as_object()?.values().find_map(text_of));
        let prompt = || self.set.values().find_map(Value::as_str);
        text.or_else(prompt).and_then(|text| text.lines().next()).unwrap_or(self.event)
    }
}

/// An agent that the hook cannot work in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOutAgent {
    pub agent: AgentId,
    pub reason: String,
    /// Whether a script for it alone would work.
    pub(super) needs_own_script: bool,
}

/// A composed hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComposedHook {
    /// The hook's name in plans: the file name of its script.
    pub name: String,
    pub files: Vec<ComposedFile>,
    pub settings: Vec<ComposedSettings>,
    pub cases: Vec<ComposedCase>,
    pub left_out: Vec<LeftOutAgent>,
}

/// Composes a recipe with one script.
///
/// # Errors
/// Returns an error if the recipe works in none of the agents.
pub(super) fn compose(
    request: &RecipeRequest<'_>,
    place: &Place,
    files_there: &dyn Files,
) -> Result<ComposedHook, RecipeError> {
    let recipe = request.recipe;
    let row = mapping().row(&recipe.event).ok_or_else(|| RecipeError(format!("unknown event {}", recipe.event)))?;
    let (mut agents, mut left_out) = (Vec::new(), Vec::new());
    for agent in request.agents {
        match settings_file(agent, request.layer, place).and_then(|_| usable_event(recipe, row, agent, place)) {
            Ok(event) if request.agents.len() > 1 && needs_own_script(recipe, &agents, agent, event) => {
                let reason = format!("{} needs another script on {}", agent.dialect.name(), event.name);
                left_out.push(LeftOutAgent { agent: agent.dialect.id(), reason, needs_own_script: true });
            }
            Ok(event) => agents.push((agent, event)),
            Err(RecipeError(reason)) => {
                left_out.push(LeftOutAgent { agent: agent.dialect.id(), reason, needs_own_script: false });
            }
        }
    }
    if agents.is_empty() {
        let reasons: Vec<&str> = left_out.iter().map(|left| left.reason.as_str()).collect();
        return Err(RecipeError(reasons.join("; ")));
    }
    let adapted = agents.first().and_then(|(agent, event)| AdaptedRecipe::of(recipe, agent, event, place));
    // The agents that the script is written for, and their events.
    let scripted = adapted.as_ref().map_or_else(|| agents.clone(), |adapted| vec![adapted.side()]);
    let events: Vec<(&AgentVersion, &str)> = scripted.iter().map(|(agent, event)| (*agent, event.name)).collect();
    let repeated = repeated_reason(&events, recipe.does.blocks(), place);
    let text = fill_reason(&fill_answers(&recipe.script, &events)?, recipe.extension, repeated.as_ref());
    let mut files = Vec::new();
    let mut settings: Vec<ComposedSettings> = Vec::new();
    let shares = request.agents.len() > 1;
    let mut known = KnownSettings { files: files_there, written: Vec::new() };
    let shell: Vec<String> = recipe.tools.iter().filter(|tool| *tool == SHELL).cloned().collect();
    let with_skills = agents.iter().flat_map(|(agent, event)| {
        let skills = skill_event(recipe, agent).map(|event| (*agent, event, shell.as_slice()));
        [(*agent, *event, recipe.tools.as_slice())].into_iter().chain(skills)
    });
    for (agent, event, tools) in with_skills {
        let (layer, usual) = settings_file(agent, request.layer, place)?;
        let shares = shares || agent.dialect.settings_format().script.is_some();
        let script = script_path(request, layer, &usual.path, shares, place);
        let file = agent.dialect.file_for_event(place, files_there, layer, event.name).unwrap_or(usual);
        let command = match &recipe.command {
            Some(command) => command.clone(),
            None => {
                let side = adapted.as_ref().map_or((agent, event), AdaptedRecipe::side);
                let line = guarded(recipe, side, script_command(agent, layer, &script, place, files_there), place);
                adapted.as_ref().map(|adapted| adapted.line(&line)).unwrap_or(line)
            }
        };
        if !text.is_empty() && files.iter().all(|file: &ComposedFile| file.path != script) {
            let beside = script.rsplit_once('/').map_or("", |(directory, _)| directory);
            let of: Vec<&AgentVersion> = scripted.iter().map(|(agent, _)| *agent).collect();
            let text = fill_project(&text, &script, &of, place);
            files.push(ComposedFile { path: script.clone(), text, executable: true, shared: false });
            if recipe.reads_commands {
                let (name, text) = SHELL_WORDS;
                let path = format!("{beside}/{name}");
                files.push(ComposedFile { path, text: text.to_owned(), executable: false, shared: true });
            }
        }
        let group = match (matcher(tools, agent), &adapted) {
            (Some(names), Some(_)) if file.form.script.is_some() => {
                let checked = checked_command(agent, event, &names, &command);
                group(recipe, &[], agent, event, checked.as_ref().unwrap_or(&command))
            }
            _ => group(recipe, tools, agent, event, &command),
        };
        let own = known.file_for_script(&file, &group);
        let file = own.ok_or_else(|| RecipeError(no_free_file(agent, &file, event.name, &command, place)))?;
        let notes = adapted.as_ref().map(AdaptedRecipe::notes).unwrap_or_default();
        let one = ComposedSettings { agent: agent.dialect.id(), layer, file, event: event.name, group, command, notes };
        match known.file_that_runs((&one.file, &one.command), tools, agent, event, place) {
            Some(shared) => {
                let name = agent.dialect.name();
                let reason =
                    format!("{name} reads {shared} itself and runs the hook from there; a copy would run twice");
                left_out.push(LeftOutAgent { agent: agent.dialect.id(), reason, needs_own_script: false });
            }
            None => {
                let addition = GroupAddition { event: one.event.to_owned(), group: one.group.clone() };
                known.add(&one.file, addition);
                settings.push(one);
            }
        }
    }
    let name = match &recipe.command {
        Some(_) => request.name.to_owned(),
        None => format!("{}.{}", request.name, recipe.extension),
    };
    // A suite tests the hooks of its project, and another one those of a user.
    let is_users =
        |agent: &AgentVersion| settings_file(agent, request.layer, place).is_ok_and(|(layer, _)| layer == Layer::User);
    let (users, others): (Vec<&AgentVersion>, Vec<_>) =
        agents.iter().map(|(agent, _)| *agent).partition(|agent| is_users(agent));
    let mut cases = Vec::new();
    for (versions, of_user) in [(others, false), (users, true)].into_iter().filter(|(versions, _)| !versions.is_empty())
    {
        let case = |event, caught| composed_case((recipe, &name), row, event, (caught, of_user), &versions, place);
        let caught = recipe.caught.as_ref().map(|event| case(event, true));
        let passes = recipe.passes.as_ref().map(|event| case(event, false));
        cases.extend(caught.into_iter().chain(passes).collect::<Result<Vec<_>, _>>()?);
    }
    Ok(ComposedHook { name, files, settings, cases, left_out })
}

/// Whether the agent needs another script: it sends other keys, or gets another answer than an agent that has the same name for
/// the event.
fn needs_own_script(
    recipe: &Recipe,
    others: &[(&AgentVersion, &EventSpec)],
    agent: &AgentVersion,
    event: &EventSpec,
) -> bool {
    if sends_otherwise(agent, event.name) {
        return true;
    }
    let Some(kind) = answered_decision(&recipe.script) else { return false };
    let answer = answer_on(agent, event.name, kind);
    others.iter().any(|(other, on)| on.name == event.name && answer_on(other, on.name, kind) != answer)
}

/// The agent's event for a recipe, or the reason why the recipe does not work in this agent.
fn usable_event(
    recipe: &Recipe,
    row: &MappedEvent,
    agent: &AgentVersion,
    place: &Place,
) -> Result<&'static EventSpec, RecipeError> {
    let name = agent.dialect.name();
    let own = row.events.get(agent.dialect.id().as_str());
    let event = own.and_then(|event| find_event(agent.dialect, &agent.version, event));
    let event = event.ok_or_else(|| RecipeError(format!("{name} has no event {}", row.about)))?;
    if recipe.does.blocks() && event.blockable_action.is_none() {
        return Err(RecipeError(format!("{name} cannot block on {}", event.name)));
    }
    let adapted = AdaptedRecipe::of(recipe, agent, event, place);
    let can_block = || adapted.as_ref().map_or_else(|| can_tell(agent, event.name, true, place), AdaptedRecipe::blocks);
    if recipe.does.blocks() && !can_block() {
        return Err(RecipeError(format!("in {name}, exit 2 does not block on {}", event.name)));
    }
    if recipe.does == HookEffect::Check && !can_tell(agent, event.name, false, place) {
        return Err(RecipeError(format!("{name} tells its model nothing of a hook on {}", event.name)));
    }
    match recipe.does.decision() {
        Some(kind) if !can_answer(agent, event.name, kind) => {
            Err(RecipeError(format!("{name} does not accept this answer on {}", event.name)))
        }
        _ => Ok(event),
    }
}

/// The agent's event for shell commands in the text of skills, which a recipe that refuses commands covers, too. `None` if
/// the agent has no such event.
fn skill_event(recipe: &Recipe, agent: &AgentVersion) -> Option<&'static EventSpec> {
    let sees_commands = recipe.tools.is_empty() || recipe.tools.iter().any(|tool| tool == SHELL);
    let row = mapping().row(SKILL_COMMAND)?;
    let own = row.events.get(agent.dialect.id().as_str())?;
    (recipe.does.blocks() && recipe.event == "pre_tool_use" && sees_commands)
        .then(|| find_event(agent.dialect, &agent.version, own))?
}

/// The settings file of a layer, or of the agent's usual one.
fn settings_file(agent: &AgentVersion, layer: Option<Layer>, place: &Place) -> Result<(Layer, HookFile), RecipeError> {
    let format = agent.dialect.settings_format();
    let usual = || format.usual_settings(place);
    let file = layer.map_or_else(usual, |layer| Some((layer, format.layer_settings(place, layer)?)));
    file.ok_or_else(|| {
        let layer = layer.map(|layer| format!(" for the layer {}", layer.word())).unwrap_or_default();
        let says = format!("{} has no settings file{layer}", agent.dialect.name());
        let usual = usual().map(|(layer, file)| (layer.word(), place.display_path(&file.path)));
        RecipeError(usual.map_or(says.clone(), |(layer, file)| format!("{says}; --layer {layer} writes {file}")))
    })
}

/// The script of one agent lies beside its settings; a shared one in a directory of its own.
fn script_path(request: &RecipeRequest<'_>, layer: Layer, settings: &str, shares: bool, place: &Place) -> String {
    let file = format!("{}.{}", request.name, request.recipe.extension);
    let root = if layer == Layer::User { &place.home } else { &place.project };
    if shares {
        return format!("{root}/{SHARED_DIRECTORY}/{file}");
    }
    let beside = settings.rsplit_once('/').map_or("", |(directory, _)| directory);
    format!("{beside}/hooks/{file}")
}

/// The command that runs a script from every directory in which the agent reads the settings: through the project's
/// directory, or the home directory.
fn script_command(agent: &AgentVersion, layer: Layer, script: &str, place: &Place, files: &dyn Files) -> String {
    let below = |root: &str| script.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')).map(str::to_owned);
    match (below(&place.project).filter(|_| layer != Layer::User), below(&place.home)) {
        (Some(rest), _) => {
            let project = project_directory(agent.dialect.settings_format(), files, &place.project);
            format!("\"{project}/{rest}\"")
        }
        (None, Some(rest)) => format!("\"${{HOME}}/{rest}\""),
        (None, None) => quote_word(script),
    }
}

/// The command of a guard also blocks if the script cannot start, for example because its interpreter is missing, where a
/// status can block.
fn guarded(recipe: &Recipe, (agent, event): (&AgentVersion, &EventSpec), command: String, place: &Place) -> String {
    match recipe.does {
        HookEffect::Refuse | HookEffect::Ask if exit_2_blocks(agent, event.name, place) => {
            format!("{command} || exit 2")
        }
        _ => command,
    }
}

/// The group of an agent's settings that runs the command on these tools.
fn group(recipe: &Recipe, tools: &[String], agent: &AgentVersion, event: &EventSpec, command: &str) -> Value {
    let format = agent.dialect.settings_format();
    let command = if format.has_no_shell { direct_line(command) } else { command.to_owned() };
    let mut handler =
        Map::from_iter([("type".to_owned(), Value::from("command")), ("command".to_owned(), Value::from(command))]);
    if let Some(seconds) = recipe.seconds {
        let (timeout, _) = (format.timeout)("command", Duration::from_secs(seconds));
        handler.insert("timeout".to_owned(), timeout);
    }
    let strict = format.strict_key(event.name).filter(|_| recipe.does.blocks());
    handler.extend(strict.map(|key| (key.to_owned(), Value::Bool(true))));
    match matcher(tools, agent).filter(|_| event.subject.is_some()) {
        Some(matcher) => json!({ "matcher": matcher, "hooks": [handler] }),
        None => json!({ "hooks": [handler] }),
    }
}

/// The agent's matcher for tools of the catalogue. `None` for every tool.
fn matcher(rows: &[String], agent: &AgentVersion) -> Option<String> {
    let tools = catalogue().agent(agent.dialect.id().as_str())?;
    let mut names: Vec<&str> = Vec::new();
    for name in rows.iter().filter_map(|row| Some(tools.tool_for_row(row)?.id)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let text = agent.dialect.settings_format().any_of(&names);
    // Where a name is a pattern, it would also match longer names.
    match (names.len(), tools.plain_names_are_patterns) {
        (0, _) => None,
        (1, true) => Some(format!("^{text}$")),
        (_, true) => Some(format!("^({text})$")),
        (_, false) => Some(text),
    }
}

/// An event of the recipe in the words of the first agent.
fn composed_case(
    (recipe, hook): (&Recipe, &str),
    row: &MappedEvent,
    event: &RecipeEvent,
    (caught, of_user): (bool, bool),
    agents: &[&AgentVersion],
    place: &Place,
) -> Result<ComposedCase, RecipeError> {
    let missing = || RecipeError(format!("the event of {} cannot be translated", recipe.id));
    let source = agent_of_recipes().ok_or_else(missing)?;
    let name = row.events.get(source.dialect.id().as_str()).ok_or_else(missing)?;
    let tool = event.tool.as_ref().or(recipe.tools.first());
    let tools = catalogue().agent(source.dialect.id().as_str());
    let tool = tool.zip(tools).and_then(|(row, tools)| tools.tool_for_row(row)).map(|tool| tool.id);
    let mut body = Map::from_iter([("hook_event_name".to_owned(), Value::from(name))]);
    if let Some(tool) = &tool {
        body.extend(source.dialect.tool_body(tool, event.input.clone().unwrap_or_else(|| json!({}))));
    }
    body.extend(event.set.clone());
    // The agent whose words these are comes first, because a suite is written in the words of its first agent.
    let mut ids: Vec<AgentId> = agents.iter().map(|agent| agent.dialect.id()).collect();
    ids.sort_by_key(|id| !words_are_of(*id));
    let first = agents.iter().find(|agent| Some(agent.dialect.id()) == ids.first().copied()).ok_or_else(missing)?;
    let body = Value::Object(body);
    let spec = find_event(source.dialect, &source.version, name).ok_or_else(missing)?;
    let subject = source.dialect.subject(spec, &body, &source.version);
    let input = HookInput { event: name.to_owned(), body, subject };
    let there = translate(&input, &source, first, place).map_err(|why| RecipeError(why.text()))?;
    let own = |key: &String| event.set.contains_key(key) || there.input.body.get(key) != event.set.get(key);
    let known = |key: &String| there.event.fields.iter().any(|field| field.name == key);
    let translated = there.input.body.as_object().into_iter().flatten();
    let set = translated
        .filter(|(key, _)| !matches!(key.as_str(), "hook_event_name" | "tool_name" | "tool_input"))
        .filter(|(key, _)| !there.filled.contains(key) && known(key) && own(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let verdict = match (recipe.does, caught) {
        (HookEffect::Refuse | HookEffect::Keep, true) => Some(Verdict::Deny),
        (HookEffect::Ask, true) => Some(Verdict::Ask),
        (HookEffect::Change, true) => None,
        _ => Some(Verdict::NoObjection),
    };
    let value = |key: &str| there.input.body.get(key);
    Ok(ComposedCase {
        hook: hook.to_owned(),
        caught,
        of_user,
        agents: ids,
        event: there.event.name,
        tool: value("tool_name").and_then(Value::as_str).map(str::to_owned),
        input: value("tool_input").cloned(),
        set,
        verdict,
    })
}

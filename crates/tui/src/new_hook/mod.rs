//! The sheet for a new hook: a list of recipes with the selected one explained below it, the agents and the layer.

mod draw;
mod own_hook;
mod sheet;

use serde_json::{Map, Value};

use crate::model::Model;
use crate::popup::{AfterWrite, NewHookChoice, NewHookSource, Popup, show_patch_then};
use hookbench_app::{Command, HookToWrite, prepare_hook};
use hookbench_core::dialects::{self, Agent, default_version};
use hookbench_core::port::AgentVersion;
use hookbench_core::recipe::{ComposedCase, RecipeRequest, blank_recipe, compose_each, recipe};
use hookbench_core::text::stringify;

pub use sheet::NewHookSheet;

/// Shows the files of a new hook as a patch. `Y` writes them, fires the hook's examples in its agents, pins the two events
/// that test the hook, and arms auto-fire; then the editor opens the script of a hook without a recipe. Returns false,
/// with the reason in the toast, if there is nothing to write.
pub fn show_files(model: &mut Model, choice: &NewHookChoice) -> bool {
    let on_bench = model.session.bench().payload.agent;
    let version = |dialect: &'static Agent| {
        let listed = model.session.agents().iter().find(|agent| agent.dialect.id() == dialect.id());
        listed.map_or_else(|| default_version(dialect), |agent| agent.version.clone())
    };
    // An agent that is not in use here is meant, too.
    let unreleased = dialects::SPECIFIED.iter().copied().filter(|dialect| dialect.id() == on_bench);
    let all: Vec<AgentVersion> = dialects::released()
        .chain(unreleased)
        .map(|dialect| AgentVersion { dialect, version: version(dialect) })
        .collect();
    let own: Vec<AgentVersion> = all.iter().filter(|agent| agent.dialect.id() == on_bench).cloned().collect();
    let agents = if choice.every_agent { &all } else { &own };
    let place = model.session.place();
    let written;
    let given = match &choice.source {
        NewHookSource::Answers(answers) => Some(&**answers),
        NewHookSource::Recipe(_) => None,
    };
    let (recipe, name) = match &choice.source {
        NewHookSource::Recipe(id) => match recipe(id) {
            Some(recipe) => (recipe, recipe.id.clone()),
            None => return false,
        },
        NewHookSource::Answers(answers) => match blank_recipe(answers, agents) {
            Ok(recipe) => {
                written = recipe;
                (&written, answers.script_name())
            }
            Err(why) => {
                model.toast = Some(why.to_string());
                return false;
            }
        },
    };
    let request = RecipeRequest { recipe, name: &name, layer: choice.layer, agents };
    let hook = match prepare_hook(&request, given, place, model.session.files()) {
        Ok(hook) => hook,
        Err(why) => {
            model.toast = Some(why.to_string());
            return false;
        }
    };
    if hook.changes.is_empty() {
        model.toast = Some(format!("{} is there already", hook.composed.name));
        return false;
    }
    // The events are written in the words of the agent on the bench.
    let cases = compose_each(&RecipeRequest { agents: &own, ..request }, given, place, model.session.files());
    let cases = cases.map(|hook| hook.cases).unwrap_or_default();
    let mut then: Vec<Command> = Vec::new();
    for case in cases.iter().rev() {
        then.extend([Command::SetPayload(stringify(&payload(case))), Command::TogglePin]);
    }
    then.push(Command::SetAutoFire(true));
    // A hook of one's own is a start that the user completes; a recipe is complete.
    let is_own = matches!(choice.source, NewHookSource::Answers(_));
    let script = hook.composed.files.iter().find(|file| is_own && !file.shared);
    let opens = script.map(|file| file.path.clone());
    let title = format!("New hook: {}", hook.composed.name);
    let changes = hook.changes.clone();
    let agents = agents.iter().map(|agent| (agent.dialect.id(), agent.version.clone())).collect();
    let hook = Some(Box::new(HookToWrite { hook, agents }));
    show_patch_then(model, title, changes, AfterWrite { commands: then, opens, hook });
    true
}

/// The payload of a case; the session fills in the rest.
fn payload(case: &ComposedCase) -> Value {
    let mut body = Map::from_iter([("hook_event_name".to_owned(), Value::from(case.event))]);
    body.extend(case.tool.iter().map(|tool| ("tool_name".to_owned(), Value::from(tool.as_str()))));
    body.extend(case.input.iter().map(|input| ("tool_input".to_owned(), input.clone())));
    body.extend(case.set.clone());
    Value::Object(body)
}

/// Opens the sheet.
pub fn open(model: &mut Model) {
    let agent = model.session.bench().payload.agent;
    model.popups.push(Popup::NewHook(NewHookSheet::new(agent)));
}

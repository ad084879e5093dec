//! The documents of `new`.

use serde::Serialize;
use serde_json::Value;

use super::firings::LeftOutAgentDoc;
use super::lint::{FileChangeDoc, change};
use crate::analysis::new_hook::NewHook;
use crate::analysis::new_hook::trial::HookTrial;
use hookbench_core::decide::Verdict;
use hookbench_core::hook::Layer;
use hookbench_core::port::mapping;
use hookbench_core::recipe::recipes;

/// A new hook.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewHookDoc {
    /// `new/1`.
    pub schema: &'static str,
    /// The hook's name in plans.
    pub name: String,
    /// The layer of the first settings; some agents have hooks of the user only.
    pub layer: &'static str,
    pub settings: Vec<NewSettingsDoc>,
    /// The agents in which the hook cannot work.
    pub left_out: Vec<LeftOutAgentDoc>,
    /// The changed files; empty if everything is there already.
    pub files: Vec<FileChangeDoc>,
    /// Whether they were written.
    pub written: bool,
    /// The examples that the written hook was fired with. Empty if it was not written, or if it runs other programs.
    pub tried: Vec<HookTrialDoc>,
}

/// An example that a written hook was fired with.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HookTrialDoc {
    pub agent: &'static str,
    pub event: &'static str,
    /// The command, path or prompt of the event.
    pub example: String,
    /// Whether the hook must act on it.
    pub caught: bool,
    /// `project`; `subdirectory`: in a session that starts in one, or after `cd` to one; or `elsewhere`: after `cd` out of the
    /// project.
    pub place: &'static str,
    /// Whether the session starts in the place, and does not go there with `cd`.
    pub starts_there: bool,
    pub verdict: Option<&'static str>,
    pub passed: bool,
    /// Why it did not pass.
    pub problem: Option<String>,
}

/// The entry of one agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewSettingsDoc {
    pub agent: &'static str,
    pub layer: &'static str,
    pub event: &'static str,
    pub command: String,
    pub group: Value,
    /// Sentences about the needs and the losses of the hook; present if `hookbench adapt` runs it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The recipes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecipesDoc {
    /// `recipes/1`.
    pub schema: &'static str,
    pub recipes: Vec<RecipeDoc>,
}

/// One recipe.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecipeDoc {
    pub id: &'static str,
    pub title: &'static str,
    pub does: &'static str,
    /// When it runs, in words.
    pub when: &'static str,
    pub tools: &'static [String],
    /// The events that the hook misses, as a noun phrase.
    pub misses: &'static str,
}

/// The document of a new hook.
pub fn new_hook_doc(hook: &NewHook, written: bool, tried: &[HookTrial]) -> NewHookDoc {
    let composed = &hook.composed;
    NewHookDoc {
        schema: "new/1",
        name: composed.name.clone(),
        layer: composed.settings.first().map_or(Layer::Project, |one| one.layer).word(),
        settings: composed
            .settings
            .iter()
            .map(|one| NewSettingsDoc {
                agent: one.agent.as_str(),
                layer: one.layer.word(),
                event: one.event,
                command: one.command.clone(),
                group: one.group.clone(),
                notes: one.notes.clone(),
            })
            .collect(),
        left_out: composed
            .left_out
            .iter()
            .map(|left| LeftOutAgentDoc { agent: left.agent.as_str(), reason: left.reason.clone() })
            .collect(),
        files: hook.changes.iter().map(change).collect(),
        written,
        tried: tried
            .iter()
            .map(|trial| HookTrialDoc {
                agent: trial.agent.as_str(),
                event: trial.event,
                example: trial.example.clone(),
                caught: trial.caught,
                place: trial.place.word(),
                starts_there: trial.starts_there,
                verdict: trial.verdict.map(Verdict::word),
                passed: trial.problem.is_none(),
                problem: trial.problem.clone(),
            })
            .collect(),
    }
}

/// The document of all recipes.
pub fn recipes_doc() -> RecipesDoc {
    let doc = recipes().iter().map(|recipe| RecipeDoc {
        id: &recipe.id,
        title: &recipe.title,
        does: recipe.does.word(),
        when: mapping().row(&recipe.event).map_or("", |row| row.about),
        tools: &recipe.tools,
        misses: &recipe.misses,
    });
    RecipesDoc { schema: "recipes/1", recipes: doc.collect() }
}

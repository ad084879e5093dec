//! The embedded recipes.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::live::DecisionKind;
use crate::names::AgentId;

const FILE: &str = include_str!("../../../../assets/recipes/recipes.json");

/// The module that scripts import to read command lines, with its file name.
pub(super) const SHELL_WORDS: (&str, &str) =
    ("shell_words.py", include_str!("../../../../assets/recipes/shell_words.py"));

/// Pairs each recipe's id with its script.
macro_rules! scripts {
    ($($id:literal),* $(,)?) => {
        &[$(($id, include_str!(concat!("../../../../assets/recipes/", $id, "/hook.py")))),*]
    };
}

const SCRIPTS: &[(&str, &str)] = scripts![
    "rm-outside-project",
    "git-force-push",
    "git-no-verify",
    "commit-to-main",
    "protect-secrets",
    "curl-pipe-shell",
    "sudo",
    "sql-destroy",
    "package-manager",
    "generated-files",
    "ask-before-publish",
    "git-without-pager",
    "command-budget",
    "log-commands",
    "format-after-edit",
    "tests-before-stop",
    "honest-todo",
    "notify",
    "branch-and-date",
    "secrets-in-prompt",
];

/// The effect of a hook on an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookEffect {
    /// It blocks the action.
    Refuse,
    /// The agent asks the user.
    Ask,
    /// The model receives a text.
    Context,
    /// The tool receives another input.
    Change,
    /// A command checks the result afterwards.
    Check,
    /// A formatter runs on the file.
    Format,
    /// The user is notified.
    Notify,
    /// The agent continues instead of stopping.
    Keep,
    /// The event is written to a log.
    Log,
}

impl HookEffect {
    /// All of them, in the order of the help. A log has only its recipe.
    pub const ALL: [HookEffect; 8] = [
        HookEffect::Refuse,
        HookEffect::Ask,
        HookEffect::Context,
        HookEffect::Change,
        HookEffect::Check,
        HookEffect::Format,
        HookEffect::Notify,
        HookEffect::Keep,
    ];

    /// The word in arguments and in recipes.
    pub fn word(self) -> &'static str {
        match self {
            HookEffect::Refuse => "refuse",
            HookEffect::Ask => "ask",
            HookEffect::Context => "context",
            HookEffect::Change => "change",
            HookEffect::Check => "check",
            HookEffect::Format => "format",
            HookEffect::Notify => "notify",
            HookEffect::Keep => "keep",
            HookEffect::Log => "log",
        }
    }

    /// The decision that its output has to express. `None` if the exit status does, or nothing is decided.
    pub fn decision(self) -> Option<DecisionKind> {
        match self {
            HookEffect::Ask => Some(DecisionKind::Ask),
            HookEffect::Context => Some(DecisionKind::Replace),
            HookEffect::Change => Some(DecisionKind::Modify),
            _ => None,
        }
    }

    /// Whether it works only if the agent blocks the action.
    pub fn blocks(self) -> bool {
        matches!(self, HookEffect::Refuse | HookEffect::Keep)
    }

    /// The effect in the words of a user.
    pub fn about(self) -> &'static str {
        match self {
            HookEffect::Refuse => "refuse it",
            HookEffect::Ask => "ask the user",
            HookEffect::Context => "tell the model something",
            HookEffect::Change => "change the tool's input",
            HookEffect::Check => "run a check afterwards",
            HookEffect::Format => "run a formatter",
            HookEffect::Notify => "notify the user",
            HookEffect::Keep => "keep the agent from stopping",
            HookEffect::Log => "log it",
        }
    }
}

/// An event that tests a recipe, in the words of the catalogue's agent.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecipeEvent {
    /// The catalogue row of the tool. Default: the recipe's first tool.
    #[serde(default)]
    pub tool: Option<String>,
    #[serde(default)]
    pub input: Option<Value>,
    /// Other keys of the payload.
    #[serde(default)]
    pub set: Map<String, Value>,
}

/// A hook that users ask for.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    pub id: String,
    pub title: String,
    pub does: HookEffect,
    /// The agent-independent name of the event.
    pub event: String,
    /// The catalogue rows of the tools. Empty if the event has none, or for every tool.
    pub tools: Vec<String>,
    /// Whether the script imports the module that reads command lines.
    #[serde(default)]
    pub reads_commands: bool,
    /// The time limit, if the agent's default is not right.
    #[serde(default)]
    pub seconds: Option<u64>,
    /// An event on which the hook acts in any project.
    #[serde(default)]
    pub caught: Option<RecipeEvent>,
    /// An event on which it does nothing.
    pub passes: Option<RecipeEvent>,
    /// The events that the hook misses, as a noun phrase.
    pub misses: String,
    /// The script. Empty if the settings hold the whole command.
    #[serde(skip)]
    pub script: String,
    /// The ending of the script's name.
    #[serde(skip)]
    pub extension: &'static str,
    /// The whole command, for a hook without a script.
    #[serde(skip)]
    pub command: Option<String>,
}

#[derive(Deserialize)]
struct RecipeFile {
    agent: String,
    recipes: Vec<Recipe>,
}

static CATALOGUE: LazyLock<RecipeFile> = LazyLock::new(|| {
    // A file that cannot be parsed would give no recipes. A test ensures that it can be parsed.
    let mut file = serde_json::from_str(FILE).unwrap_or(RecipeFile { agent: String::new(), recipes: Vec::new() });
    for recipe in &mut file.recipes {
        let script = SCRIPTS.iter().find(|(id, _)| *id == recipe.id).map(|(_, script)| *script);
        recipe.script = script.unwrap_or_default().to_owned();
        recipe.extension = "py";
    }
    file
});

/// The recipes, in the order in which they are listed.
pub fn recipes() -> &'static [Recipe] {
    &CATALOGUE.recipes
}

/// The recipe with this id.
pub fn recipe(id: &str) -> Option<&'static Recipe> {
    recipes().iter().find(|recipe| recipe.id == id)
}

/// Whether an agent's words are those of the recipes' events.
pub(super) fn words_are_of(agent: AgentId) -> bool {
    CATALOGUE.agent == agent.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::catalogue;
    use crate::port::mapping;

    #[test]
    fn every_recipe_is_complete() {
        let file: RecipeFile = serde_json::from_str(FILE).unwrap();
        let ids: Vec<&str> = file.recipes.iter().map(|recipe| recipe.id.as_str()).collect();
        assert_eq!(ids, SCRIPTS.iter().map(|(id, _)| *id).collect::<Vec<_>>());
        assert!(recipes().len() >= 16);
        for recipe in recipes() {
            // The guards that read commands get the event from there.
            assert!(recipe.script.contains("\nimport json") || recipe.reads_commands, "{}", recipe.id);
            assert_eq!(recipe.reads_commands, recipe.script.contains("from shell_words import"), "{}", recipe.id);
            assert!(mapping().row(&recipe.event).is_some(), "{}", recipe.id);
            for tool in &recipe.tools {
                assert!(catalogue().rows.iter().any(|row| row.canonical == *tool), "{} {tool}", recipe.id);
            }
        }
    }
}

//! A script of the catalogue in an agent that sends other keys than the script reads: `hookbench adapt` runs it.

use super::catalogue::{HookEffect, Recipe, recipe as catalogue_recipe, words_are_of};
use super::payload_path::sends_otherwise;
use crate::adapt::HookAdapter;
use crate::config::Place;
use crate::convert::{ADAPTER_RUNS, AnswerEffect, adapter_line, words_or_shell_line};
use crate::dialects::{self, default_version, find_event};
use crate::hook::EventSpec;
use crate::port::{AgentVersion, mapping};

/// The reason that the adapter gets when the effect of a recipe is looked up.
const REASON: &str = "refused";

/// The agent in whose words the recipes are written.
pub(super) fn agent_of_recipes() -> Option<AgentVersion> {
    let dialect = dialects::ALL.iter().copied().find(|dialect| words_are_of(dialect.id()))?;
    Some(AgentVersion { dialect, version: default_version(dialect) })
}

/// A script of a recipe, and the agent that gets its answers from an adapter.
pub(super) struct AdaptedRecipe {
    adapter: HookAdapter,
    /// The event of the agent that the script is written for.
    event: &'static EventSpec,
    /// The result of the recipe's effect in the agent. `None` if no hook could be fired.
    effect: Option<AnswerEffect>,
}

impl AdaptedRecipe {
    /// `None` if the script reads what the agent sends.
    pub fn of(recipe: &Recipe, agent: &AgentVersion, event: &EventSpec, place: &Place) -> Option<AdaptedRecipe> {
        if catalogue_recipe(&recipe.id).is_none() || !sends_otherwise(agent, event.name) {
            return None;
        }
        let script = agent_of_recipes()?;
        let own = mapping().row(&recipe.event)?.events.get(script.dialect.id().as_str())?;
        let own = find_event(script.dialect, &script.version, own)?;
        let adapter = HookAdapter::new(script, agent.clone(), None, place.clone());
        let tells = matches!(recipe.does, HookEffect::Check | HookEffect::Format) || recipe.does.blocks();
        let (status, stderr) = if tells { (2, REASON) } else { (0, "") };
        let effect = AnswerEffect::adapted(&adapter, event.name, status, stderr);
        Some(AdaptedRecipe { adapter, event: own, effect })
    }

    /// The agent that the script is written for, and its event.
    pub fn side(&self) -> (&AgentVersion, &'static EventSpec) {
        (&self.adapter.script, self.event)
    }

    /// Whether the agent blocks what the script refuses.
    pub fn blocks(&self) -> bool {
        self.effect.as_ref().is_some_and(AnswerEffect::always_blocks)
    }

    /// The command line that runs a command of the script's agent.
    pub fn line(&self, command: &str) -> String {
        adapter_line(&self.adapter.script, None, &self.adapter.caller, &words_or_shell_line(command))
    }

    /// Sentences about the needs and the losses of the hook, for the user.
    pub fn notes(&self) -> Vec<String> {
        let losses = self.effect.iter().flat_map(|effect| effect.losses.clone());
        std::iter::once(ADAPTER_RUNS.to_owned()).chain(losses).collect()
    }
}

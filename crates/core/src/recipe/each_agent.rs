//! Composes a recipe for agents of which some need a script of their own.

use super::answers::BlankAnswers;
use super::blank::blank_recipe;
use super::compose::{ComposedFile, ComposedHook, LeftOutAgent, RecipeError, RecipeRequest, compose};
use crate::config::{Files, Place};

/// Composes a recipe: one script for the agents that it can answer alike, and one for each other agent. `answers` are those
/// that the recipe was written from.
///
/// # Errors
/// Returns an error if the recipe works in none of the agents.
pub fn compose_each(
    request: &RecipeRequest<'_>,
    answers: Option<&BlankAnswers>,
    place: &Place,
    files: &dyn Files,
) -> Result<ComposedHook, RecipeError> {
    let mut hook = compose(request, place, files)?;
    for left in std::mem::take(&mut hook.left_out) {
        let agent = request.agents.iter().find(|agent| left.needs_own_script && agent.dialect.id() == left.agent);
        let Some(agent) = agent else {
            hook.left_out.push(left);
            continue;
        };
        let alone = std::slice::from_ref(agent);
        let own = || {
            let recipe = answers.map_or_else(|| Ok(request.recipe.clone()), |answers| blank_recipe(answers, alone))?;
            let name = format!("{}-{}", request.name, left.agent);
            compose(&RecipeRequest { recipe: &recipe, name: &name, agents: alone, ..request.clone() }, place, files)
        };
        match own() {
            Ok(own) => {
                let is_new = |file: &ComposedFile| hook.files.iter().all(|there| there.path != file.path);
                let new: Vec<ComposedFile> = own.files.into_iter().filter(is_new).collect();
                hook.files.extend(new);
                hook.settings.extend(own.settings);
                hook.cases.extend(own.cases);
            }
            Err(RecipeError(reason)) => {
                hook.left_out.push(LeftOutAgent { agent: left.agent, reason, needs_own_script: false });
            }
        }
    }
    Ok(hook)
}

//! Hooks from recipes: a script, its settings entries for one agent or several, and the events that test it. Recipes are
//! data under `assets/recipes`; a blank one is filled in from a few answers.

mod adapted;
mod answers;
mod blank;
mod catalogue;
mod compose;
mod each_agent;
mod example_events;
mod grep_pattern;
mod known_settings;
mod payload_path;
mod repeated_reason;

pub use answers::{BlankAnswers, Language, is_plain_text};
pub use blank::blank_recipe;
pub use catalogue::{HookEffect, Recipe, RecipeEvent, recipe, recipes};
pub use compose::{
    ComposedCase, ComposedFile, ComposedHook, ComposedSettings, LeftOutAgent, RecipeError, RecipeRequest,
    SHARED_DIRECTORY,
};
pub use each_agent::compose_each;

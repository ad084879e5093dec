//! The events that test a hook without a recipe: one on which it acts, and one on which it does not.

use serde_json::{Value, json};

use super::answers::BlankAnswers;
use super::catalogue::RecipeEvent;
use super::compose::RecipeError;
use crate::matcher::{EcmaPattern, TestResult};

/// Texts of which the first that the pattern does not match is allowed: commands or prompts, and paths.
const COMMANDS: [&str; 3] = ["make test", "ls -l", "git status"];
const PATHS: [&str; 3] = ["notes.md", "main.c", "data.txt"];

/// The subject of the examples.
pub(super) struct ExampleEvents<'a> {
    pub answers: &'a BlankAnswers,
    /// The agent-independent name of the event.
    pub event: &'a str,
    /// The text that the hook looks for. `None` if it acts on everything.
    pub pattern: Option<&'a EcmaPattern>,
}

impl ExampleEvents<'_> {
    /// The event on which the hook acts. `None` if no text is known that the pattern matches.
    ///
    /// # Errors
    /// Returns an error if the pattern does not match the given text.
    pub fn caught(&self) -> Result<Option<RecipeEvent>, RecipeError> {
        match self.answers.caught_text().filter(|_| self.pattern.is_some() || self.answers.caught.is_some()) {
            Some(text) if self.matches(text) == Some(false) => Err(self.refused(text, "does not match")),
            text => Ok(text.map(|text| self.event_with(text))),
        }
    }

    /// The event on which the hook does not act. `None` if the pattern matches every example.
    ///
    /// # Errors
    /// Returns an error if the pattern matches the given text.
    pub fn passes(&self) -> Result<Option<RecipeEvent>, RecipeError> {
        let tool = self.answers.tools.first().map(String::as_str);
        let is_file = matches!(tool, Some("write_file" | "edit_file" | "read_file"));
        match self.answers.passes.as_deref() {
            Some(text) if self.matches(text) == Some(true) => Err(self.refused(text, "also matches")),
            Some(text) => Ok(Some(self.event_with(text))),
            None => {
                let texts = if is_file { PATHS } else { COMMANDS };
                let allowed = texts.into_iter().find(|text| self.matches(text) != Some(true));
                Ok(allowed.map(|text| self.event_with(text)))
            }
        }
    }

    /// Whether the pattern matches a text. `None` without a pattern, or if that takes too long to find out.
    fn matches(&self, text: &str) -> Option<bool> {
        match self.pattern?.test(text) {
            TestResult::Yes => Some(true),
            TestResult::No => Some(false),
            TestResult::TooExpensive => None,
        }
    }

    fn refused(&self, text: &str, how: &str) -> RecipeError {
        let pattern = self.answers.pattern.as_deref().unwrap_or("");
        RecipeError(format!("the pattern {pattern} {how} the example {text}"))
    }

    /// An event about a text: the command of a shell, the path of a file, or the prompt.
    fn event_with(&self, text: &str) -> RecipeEvent {
        let mut made = RecipeEvent::default();
        match (self.answers.tools.first().map(String::as_str), self.event) {
            (Some("shell"), _) => made.input = Some(json!({ "command": text })),
            (Some("write_file"), _) => made.input = Some(json!({ "file_path": text, "content": "1" })),
            (Some("edit_file"), _) => {
                made.input = Some(json!({ "file_path": text, "old_string": "a", "new_string": "b" }));
            }
            (Some("read_file"), _) => made.input = Some(json!({ "file_path": text })),
            (Some(_), _) => made.input = Some(json!({})),
            (None, "user_prompt_submit") => drop(made.set.insert("prompt".to_owned(), Value::from(text))),
            (None, "stop") => drop(made.set.insert("stop_hook_active".to_owned(), Value::from(true))),
            (None, _) => {}
        }
        made
    }
}

//! Access to the configured model from one project.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::disk::state_dir::{NO_STATE_DIRECTORY, StateError, config_file};
use hookbench_core::config::Place;
use hookbench_core::model_client::{ModelPrompt, ModelSettings, read_model};
use hookbench_core::moderator::{
    EvidenceCall, ModeratorQuestion, QuestionLimits, instructions, mask_secrets, read_verdict,
};
use hookbench_core::text::capitalized;
use hookbench_system::model_client::consent::{ConsentRefusal, check_consent, give_consent};
use hookbench_system::model_client::{ModelCall, ModelReport, model_directory};
use hookbench_system::own_directories::home_directory;

/// The `[model]` table of the user's settings.
#[derive(Debug, Clone, PartialEq)]
pub enum ConfiguredModel {
    /// The table is missing.
    None,
    /// The table has mistakes, given with their places, and names no usable model.
    Broken(Vec<String>),
    Ready(Box<ModelAccess>),
}

/// A model, and the project whose text it would receive.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelAccess {
    pub settings: ModelSettings,
    directory: PathBuf,
    project: PathBuf,
}

/// The answer to a request for an answer of the model.
#[derive(Debug, Clone, PartialEq)]
pub enum OwnModelAnswer {
    Answered {
        /// The model's name.
        by: String,
        text: String,
    },
    /// The model gave no answer, for this reason.
    Failed(String),
}

/// Reads the settings of the current environment.
pub fn configured_model(place: &Place) -> ConfiguredModel {
    let var = |name: &str| std::env::var(name).ok();
    let Some(path) = config_file(&var) else { return ConfiguredModel::None };
    let text = match hookbench_system::disk::read_text(&path) {
        Ok(text) => text,
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => return ConfiguredModel::None,
        Err(why) => return ConfiguredModel::Broken(vec![format!("{}: cannot be read: {why}", path.display())]),
    };
    let (settings, problems) = read_model(&text);
    let Some(home) = home_directory() else { return ConfiguredModel::Broken(vec![NO_STATE_DIRECTORY.to_owned()]) };
    match settings {
        Some(settings) => ConfiguredModel::Ready(Box::new(ModelAccess {
            settings,
            directory: model_directory(&home),
            project: PathBuf::from(&place.project),
        })),
        None if problems.is_empty() => ConfiguredModel::None,
        None => {
            let line = |at: usize| text.get(..at).map_or(1, |before| before.matches('\n').count() + 1);
            let shown = |at: Option<usize>| at.map_or(String::new(), |at| format!(":{}", line(at)));
            let problems = problems
                .into_iter()
                .map(|wrong| format!("{}{}: {}", path.display(), shown(wrong.span.map(|s| s.start)), wrong.message));
            ConfiguredModel::Broken(problems.collect())
        }
    }
}

impl ConfiguredModel {
    /// The model, if one can be used.
    ///
    /// # Errors
    /// Returns the reason, with the place of a mistake, if not.
    pub fn ready(self) -> Result<ModelAccess, String> {
        match self {
            ConfiguredModel::Ready(access) => Ok(*access),
            ConfiguredModel::Broken(problems) => Err(problems.join("\n")),
            ConfiguredModel::None => {
                Err("no model is configured; add [model] to config.toml (hookbench config shows how)".to_owned())
            }
        }
    }
}

impl ModelAccess {
    /// Checks the user's consent.
    ///
    /// # Errors
    /// Returns the reason if it is missing or does not count.
    pub fn check_consent(&self) -> Result<(), ConsentRefusal> {
        check_consent(&self.directory, &self.settings, &self.project)
    }

    /// Stores the user's consent.
    pub fn give_consent(&self) -> Result<(), StateError> {
        give_consent(&self.directory, &self.settings, &self.project)
            .map_err(|source| StateError { path: self.directory.display().to_string(), source })
    }

    /// The question to the user: what is sent where.
    pub fn question(&self) -> String {
        let reach = if self.settings.endpoint.is_local() { "on this machine" } else { "possibly on another machine" };
        format!(
            "{} would receive prompts of hooks, tool calls and session text of {}, {reach}. Likely secrets are masked.",
            self.settings.shown(),
            self.project.display()
        )
    }

    /// The time for a call. `limit` is the time limit of the hook that it answers.
    pub fn budget(&self, limit: Option<Duration>) -> Duration {
        limit.map_or(self.settings.timeout, |limit| limit.min(self.settings.timeout))
    }

    /// Asks a question whose answer is any text. `attempts` replaces the configured number. Blocks until the answer.
    pub(super) fn ask(
        &self,
        prompt: &ModelPrompt,
        budget: Duration,
        attempts: Option<u32>,
        is_clear: &dyn Fn(&str) -> bool,
    ) -> ModelReport {
        let settings = ModelSettings { attempts: attempts.unwrap_or(self.settings.attempts), ..self.settings.clone() };
        let directory: &Path = &self.directory;
        ModelCall { settings: &settings, prompt, directory: Some(directory), budget, is_clear }.ask()
    }

    /// Answers a prompt hook in place of the agent's model. Blocks until the answer. `is_allowed` is true if the user has
    /// just agreed.
    pub fn answer_prompt(&self, prompt: &str, limit: Option<Duration>, is_allowed: bool) -> OwnModelAnswer {
        if let Err(refusal) = self.check_consent()
            && !is_allowed
        {
            return OwnModelAnswer::Failed(refusal.message());
        }
        let prompt = ModelPrompt { user: mask_secrets(prompt, &[]), ..ModelPrompt::default() };
        match self.ask(&prompt, self.budget(limit), None, &|_| true).result {
            Ok(text) => OwnModelAnswer::Answered { by: self.settings.name.clone(), text: text.trim().to_owned() },
            Err(why) => OwnModelAnswer::Failed(format!("{} did not answer: {why}", self.settings.name)),
        }
    }
}

/// The state of the configured model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelHealth {
    /// The model with its endpoint. `None` if the settings name no usable model.
    pub model: Option<String>,
    /// `broken`, `not_allowed`, `answered` or `failed`.
    pub state: &'static str,
    /// The time of the first answer, for which the server may have loaded the model.
    pub first: Option<Duration>,
    /// The time of the second answer.
    pub second: Option<Duration>,
    /// The time that a call gets.
    pub budget: Duration,
    pub message: String,
}

/// Asks the model two small questions, if it is configured and the user allows it in this project. Blocks until the
/// answers. `None` if no model is configured.
pub fn measure_model(place: &Place) -> Option<ModelHealth> {
    let broken = |message| ModelHealth {
        model: None,
        state: "broken",
        first: None,
        second: None,
        budget: Duration::ZERO,
        message,
    };
    match configured_model(place) {
        ConfiguredModel::None => None,
        ConfiguredModel::Broken(problems) => Some(broken(problems.join("; "))),
        ConfiguredModel::Ready(access) => Some(measure(&access)),
    }
}

fn measure(access: &ModelAccess) -> ModelHealth {
    let budget = access.budget(None);
    let health = |state, first, second, message| ModelHealth {
        model: Some(access.settings.shown()),
        state,
        first,
        second,
        budget,
        message,
    };
    if let Err(refusal) = access.check_consent() {
        return health("not_allowed", None, None, format!("not measured: {}", refusal.message()));
    }
    let question = ModeratorQuestion {
        instructions: instructions("malicious").unwrap_or_default(),
        call: Some(EvidenceCall { tool: "shell".to_owned(), text: "ls".to_owned() }),
        ..ModeratorQuestion::default()
    };
    let prompt = question.prompt("0000000000000000", QuestionLimits::of(&access.settings), &[]);
    let ask = || access.ask(&prompt, budget, Some(1), &|text| read_verdict(text).is_some());
    let first = ask();
    if let Err(why) = first.result {
        let message = format!("{}; a guard would get no verdict from it", capitalized(&why));
        return health("failed", None, None, message);
    }
    let second = ask();
    let (one, two) = (seconds(first.took), seconds(second.took));
    let message = match second.result {
        Err(why) => {
            return health("failed", Some(first.took), None, format!("the second of two questions failed: {why}"));
        }
        Ok(_) => format!("answers in {one} at first, then in {two}; a call gets {} (timeout_ms)", seconds(budget)),
    };
    health("answered", Some(first.took), Some(second.took), message)
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

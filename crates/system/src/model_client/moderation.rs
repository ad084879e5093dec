//! The whole way from a guard's question to an answer: consent, budget, prompt, call, verdict.

use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;
use std::time::Duration;

use hookbench_core::model_client::{ModelSettings, RECURSION_VARIABLE, call_budget};
use hookbench_core::moderator::{
    ModeratorAnswer, ModeratorQuestion, QuestionLimits, is_secret_name, mask_secrets, read_verdict,
};

use super::call::ModelCall;
use super::consent::check_consent;
use super::{is_inside_model_call, model_directory};

/// A question of a guard to the configured model.
pub struct Moderation<'a> {
    pub settings: &'a ModelSettings,
    pub question: &'a ModeratorQuestion,
    /// The project whose text is sent.
    pub project: &'a Path,
    /// The user's home directory, for consent and the breaker.
    pub home: Option<&'a Path>,
    /// The time limit that the agent has for the hook, if it is known.
    pub hook_limit: Option<Duration>,
    /// The time that the hook has used so far.
    pub spent: Duration,
}

/// The answer, and the figures for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModerationReport {
    pub answer: ModeratorAnswer,
    /// 0 if nothing was sent.
    pub attempts: u32,
    pub took: Duration,
}

impl Moderation<'_> {
    /// Asks the model if everything allows it. Never takes longer than the hook has.
    pub fn ask(&self) -> ModerationReport {
        let not_asked = |why: String| ModerationReport {
            answer: ModeratorAnswer::Unavailable(why),
            attempts: 0,
            took: Duration::ZERO,
        };
        if is_inside_model_call() {
            return not_asked(format!(
                "this agent runs inside a call of the model ({RECURSION_VARIABLE} is set), so the model is not asked again"
            ));
        }
        let Some(home) = self.home else {
            return not_asked("there is no home directory, so there is no consent".to_owned());
        };
        let directory = model_directory(home);
        if let Err(refusal) = check_consent(&directory, self.settings, self.project) {
            return not_asked(refusal.message());
        }
        let Some(budget) = call_budget(self.settings.timeout, self.hook_limit, self.spent) else {
            return not_asked("the time limit of the hook leaves no time for it".to_owned());
        };
        let secrets = secret_values();
        let boundary = format!("{:016x}", RandomState::new().hash_one(std::process::id()));
        let prompt = self.question.prompt(&boundary, QuestionLimits::of(self.settings), &secrets);
        let call = ModelCall {
            settings: self.settings,
            prompt: &prompt,
            directory: Some(&directory),
            budget,
            is_clear: &|text| read_verdict(text).is_some(),
        };
        let report = call.ask();
        let answer = match report.result {
            Ok(text) => read_verdict(&text).map_or_else(
                || ModeratorAnswer::Unavailable("its answer is unclear".to_owned()),
                ModeratorAnswer::Verdict,
            ),
            Err(why) => ModeratorAnswer::Unavailable(mask_secrets(&why, &secrets)),
        };
        ModerationReport { answer, attempts: report.attempts, took: report.took }
    }
}

/// The values of this process's variables whose names tell that they are secret.
fn secret_values() -> Vec<String> {
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    variables.filter(|(name, value)| is_secret_name(name) && !value.is_empty()).map(|(_, value)| value).collect()
}

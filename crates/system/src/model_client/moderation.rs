//! The whole way from a guard's question to an answer: consent, budget, prompt, call, verdict.

use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use super::call::ModelCall;
use super::consent::check_consent;
use super::{is_inside_model_call, model_directory};
use crate::state_log;
use hookbench_core::model_client::{ModelSettings, RECURSION_VARIABLE, call_budget, guard_model};
use hookbench_core::moderator::{
    EvidenceCall, EvidenceMessage, ModeratorAnswer, ModeratorQuestion, ModeratorRuling, QuestionLimits, instructions,
    is_secret_name, mask_secrets, read_verdict, rule_on,
};

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

/// The log of questions of guards, in the directory of the model.
pub const MODERATION_LOG: &str = "moderator.ndjson";

/// An event to which the rules of a guard do not object.
pub struct GuardModeration<'a> {
    /// The short name of the guard.
    pub guard: &'a str,
    /// Whether the guard refuses what it cannot decide.
    pub is_critical: bool,
    /// Whether the event is the end of a turn.
    pub at_stop: bool,
    pub call: Option<EvidenceCall>,
    pub todos: Vec<String>,
    /// The messages of the session, oldest first.
    pub messages: Vec<EvidenceMessage>,
    pub session: &'a str,
    pub project: &'a Path,
    pub home: Option<&'a Path>,
    /// The time limit that the agent has for the hook, if it is known.
    pub hook_limit: Option<Duration>,
    /// The time that the hook has used so far.
    pub spent: Duration,
}

/// One line of the log. It has no text of the session.
#[derive(Serialize)]
struct ModerationLogLine<'a> {
    at: String,
    guard: &'a str,
    session: &'a str,
    project: String,
    model: String,
    decision: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a str>,
    attempts: u32,
    ms: u128,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl GuardModeration<'_> {
    /// Asks the model that `settings`, the text of the user's settings, name for this guard. `None` if they name none, or
    /// if the guard asks no model; then nothing is sent and nothing is logged.
    pub fn ask(self, settings: &str) -> Option<ModeratorRuling> {
        let instructions = instructions(self.guard)?;
        let model = guard_model(settings, self.guard)?;
        let question = ModeratorQuestion {
            instructions,
            call: self.call.clone(),
            todos: self.todos.clone(),
            messages: self.messages.clone(),
        };
        let (name, report) = match model {
            Ok(model) => {
                let moderation = Moderation {
                    settings: &model,
                    question: &question,
                    project: self.project,
                    home: self.home,
                    hook_limit: self.hook_limit,
                    spent: self.spent,
                };
                (model.shown(), moderation.ask())
            }
            Err(why) => {
                let answer = ModeratorAnswer::Unavailable(format!("config.toml: {why}"));
                (String::new(), ModerationReport { answer, attempts: 0, took: Duration::ZERO })
            }
        };
        let ruling = rule_on(&report.answer, self.is_critical, self.at_stop);
        self.log(name, &report, &ruling);
        Some(ruling)
    }

    /// Logs the question. Errors are ignored, because an agent waits.
    fn log(&self, model: String, report: &ModerationReport, ruling: &ModeratorRuling) {
        let Some(home) = self.home else { return };
        let (decision, rule) = match ruling {
            ModeratorRuling::Pass { .. } => ("pass", None),
            ModeratorRuling::Refuse { rule, .. } => ("refuse", Some(*rule)),
        };
        let error = match &report.answer {
            ModeratorAnswer::Unavailable(why) => Some(mask_secrets(why, &[])),
            ModeratorAnswer::Verdict(_) => None,
        };
        let line = ModerationLogLine {
            at: format!("{:.3}", Timestamp::now()),
            guard: self.guard,
            session: self.session,
            project: self.project.display().to_string(),
            model,
            decision,
            rule,
            attempts: report.attempts,
            ms: report.took.as_millis(),
            error,
        };
        let text = serde_json::to_string(&line).unwrap_or_default() + "\n";
        let _ = state_log::append(&model_directory(home), MODERATION_LOG, &text);
    }
}

//! The moderator of a guard: asks the configured model about an event to which the rules do not object, and logs it.

use std::path::Path;
use std::time::Duration;

use hookbench_core::model_client::guard_model;
use hookbench_core::moderator::{
    EvidenceCall, EvidenceMessage, ModeratorAnswer, ModeratorQuestion, ModeratorRuling, instructions, mask_secrets,
    rule_on,
};
use jiff::Timestamp;
use serde::Serialize;

use super::model_directory;
use super::moderation::{Moderation, ModerationReport};
use crate::state_log;

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

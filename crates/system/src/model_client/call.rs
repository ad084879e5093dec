//! One call: the breaker, the attempts, and the waits between them.

use std::hash::{BuildHasher as _, RandomState};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::json;

use super::attempt::{self, BreakerFile, ChatAttempt, CommandEnd, run_words};
use crate::child_process::SignalPipes;
use crate::owner_only::create_directory;
use hookbench_core::model_client::{
    AttemptFailure, AttemptResult, CallClass, CallEnd, CallPermit, CallPlan, CallStep, FailureKind, ModelEndpoint,
    ModelKeySource, ModelPrompt, ModelSettings, chat_request,
};
use hookbench_core::moderator::mask_secrets;

/// A question to the model.
pub struct ModelCall<'a> {
    pub settings: &'a ModelSettings,
    pub prompt: &'a ModelPrompt,
    /// The directory for the breaker and the kept prompts. `None` without a home directory.
    pub directory: Option<&'a Path>,
    /// The time for everything.
    pub budget: Duration,
    /// Whether a text of the model says what was asked.
    pub is_clear: &'a dyn Fn(&str) -> bool,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelReport {
    /// The text of the model, or the reason for its absence.
    pub result: Result<String, String>,
    /// The number of requests or processes.
    pub attempts: u32,
    pub took: Duration,
}

impl ModelCall<'_> {
    /// Asks the model. The caller has checked the consent.
    pub fn ask(&self) -> ModelReport {
        let started = Instant::now();
        let breaker = BreakerFile::of(self.directory, self.settings);
        let budget_ms = i64::try_from(self.budget.as_millis()).unwrap_or(i64::MAX);
        let permit = breaker.update(|state| state.permit(now_ms(), budget_ms));
        let (end, attempts) = match permit {
            CallPermit::Wait { ms } => {
                let seconds = (ms + 999) / 1000;
                let message = format!("it failed several times in a row, so it is not asked for another {seconds} s");
                (CallEnd::Failed(AttemptFailure::new(FailureKind::Permanent, message)), 0)
            }
            CallPermit::Ask => self.attempt(started, self.settings.attempts),
            CallPermit::Probe => self.attempt(started, 1),
        };
        let class = match &end {
            CallEnd::Answer(_) => CallClass::Success,
            CallEnd::Failed(failure) if failure.kind == FailureKind::Configuration => CallClass::Configuration,
            CallEnd::Failed(_) => CallClass::Failure,
        };
        if !matches!(permit, CallPermit::Wait { .. }) {
            breaker.update(|state| state.record(permit, class, now_ms()));
        }
        let result = match end {
            CallEnd::Answer(text) => Ok(text),
            CallEnd::Failed(failure) if attempts > 1 => Err(format!("{} ({attempts} attempts)", failure.message)),
            CallEnd::Failed(failure) => Err(failure.message),
        };
        if let Some(directory) = self.directory.filter(|_| self.settings.audit && attempts > 0) {
            keep(directory, &self.settings.shown(), self.prompt, &result);
        }
        ModelReport { result, attempts, took: started.elapsed() }
    }

    /// Makes attempts until one succeeds or the plan ends. Returns the number of attempts as well.
    fn attempt(&self, started: Instant, attempts: u32) -> (CallEnd, u32) {
        let failed = |failure| (CallEnd::Failed(failure), 0);
        let signals = match SignalPipes::open() {
            Ok(signals) => signals,
            Err(why) => return failed(AttemptFailure::new(FailureKind::Permanent, why.to_string())),
        };
        let key = match read_key(&self.settings.key, self.budget, &signals) {
            Ok(key) => key,
            Err(failure) => return failed(failure),
        };
        let seed = RandomState::new().hash_one(std::process::id());
        let mut plan = CallPlan::new(self.budget, attempts, self.settings.json_schema, seed);
        let mut step = plan.begin(started.elapsed());
        loop {
            let (wait, limit, with_schema) = match step {
                CallStep::End(end) => return (end, plan.attempts_made()),
                CallStep::Ask { wait, limit, with_schema } => (wait, limit, with_schema),
            };
            if !wait.is_zero() && signals.wait(wait) {
                let failure = AttemptFailure::new(FailureKind::Permanent, "a signal ended the call");
                return (CallEnd::Failed(failure), plan.attempts_made());
            }
            let result = match self.ask_once(key.clone(), limit, with_schema, &signals) {
                Ok(text) if (self.is_clear)(&text) => AttemptResult::Answer(text),
                Ok(text) => AttemptResult::Unclear(text),
                Err(failure) => AttemptResult::Failed(failure),
            };
            step = plan.after(result, started.elapsed());
        }
    }

    fn ask_once(
        &self,
        key: Option<String>,
        limit: Duration,
        with_schema: bool,
        signals: &SignalPipes,
    ) -> Result<String, AttemptFailure> {
        match (&self.settings.endpoint, self.settings.endpoint.chat_url()) {
            (ModelEndpoint::Command(words), _) => attempt::ask(words, self.prompt, limit, signals),
            (ModelEndpoint::Url(base), url) => {
                let asks_for_schema = with_schema && self.prompt.schema.is_some();
                let body = chat_request(self.settings, self.prompt, with_schema);
                let url = url.unwrap_or_else(|| base.clone());
                ChatAttempt { url, key, body, asks_for_schema }.ask(limit, signals)
            }
        }
    }
}

fn now_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

/// The time for a command that prints a key. A key store that asks the user does not fit into a hook.
const LIMIT: Duration = Duration::from_secs(5);

/// Reads the key. `None` if the model needs none.
///
/// # Errors
/// Returns the failure of the whole call if the key cannot be read. Its message never contains the key.
pub fn read_key(
    source: &ModelKeySource,
    limit: Duration,
    signals: &SignalPipes,
) -> Result<Option<String>, AttemptFailure> {
    let failure = |message: String| AttemptFailure::new(FailureKind::Configuration, message);
    let (text, origin) = match source {
        ModelKeySource::None => return Ok(None),
        ModelKeySource::Variable(name) => {
            let value = std::env::var(name)
                .map_err(|_| failure(format!("the variable {name} is not set (model.key_variable)")))?;
            (value, format!("the variable {name} (model.key_variable)"))
        }
        ModelKeySource::Command(words) => {
            let program = words.first().map(String::as_str).unwrap_or_default();
            let text = match run_words(words, b"", limit.min(LIMIT), signals) {
                CommandEnd::Printed(text) => text,
                CommandEnd::Failed { message, .. } => {
                    return Err(failure(format!("{program} printed no key (model.key_command): {message}")));
                }
            };
            (text, format!("{program} (model.key_command)"))
        }
    };
    let key = text.lines().next().unwrap_or_default().trim().to_owned();
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(failure(format!("{origin} contains no key")));
    }
    Ok(Some(key))
}

const DIRECTORY: &str = "audit";
/// The number of calls that are kept.
const MAX_KEPT: usize = 200;

/// Keeps one call. Errors are ignored, because an agent waits for the answer.
pub fn keep(directory: &Path, model: &str, prompt: &ModelPrompt, result: &Result<String, String>) {
    let directory = directory.join(DIRECTORY);
    if create_directory(&directory).is_err() {
        return;
    }
    let now = Timestamp::now();
    let shown = |text: &String| mask_secrets(text, &[]);
    let document = json!({
        "schema": "model-call/1",
        "at": format!("{now:.3}"),
        "model": model,
        "system": prompt.system,
        "user": prompt.user,
        "answer": result.as_ref().ok().map(shown),
        "failure": result.as_ref().err().map(shown),
    });
    let name = format!("{:013}-{}.json", now.as_millisecond(), std::process::id());
    let _ = replace_file(&directory, &name, &format!("{document:#}\n"));
    let Ok(entries) = std::fs::read_dir(&directory) else { return };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths.iter().rev().skip(MAX_KEPT) {
        let _ = std::fs::remove_file(path);
    }
}

/// Replaces a file atomically. The directory must exist.
pub fn replace_file(directory: &Path, name: &str, text: &str) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.persist(directory.join(name)).map_err(|why| why.error)?;
    Ok(())
}

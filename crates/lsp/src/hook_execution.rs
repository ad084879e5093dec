//! Fires or stresses a hook, after the user has approved its command in the editor.

use std::path::PathBuf;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use hookbench_app::lint::Overlay;
use hookbench_app::{Command, ConsentItem, Driver, Job, REMEMBERED, Session, StressTest, commands_to_approve};
use hookbench_core::dialects;
use hookbench_core::run::CapturedStream;
use lsp_server::RequestId;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::commands::HookAddress;
use crate::markdown::plain;
use crate::request_error::RequestError;
use crate::root::open_session;
use crate::transport::{CancelledRequests, Client};

/// The answer in the question that lets the commands run.
const RUN: &str = "Run";

/// How often a running hook looks whether its request is cancelled.
const CANCEL_INTERVAL: Duration = Duration::from_millis(100);

/// The number of lines of a stream that are shown.
const MAX_LINES: usize = 200;

/// A request to run a hook. It has its own session, so the editor gets answers meanwhile.
pub struct HookExecution {
    pub id: RequestId,
    pub address: HookAddress,
    pub stresses: bool,
    pub home: Option<PathBuf>,
    /// The texts of the editor.
    pub files: Overlay,
    pub client: Client,
    pub cancelled: CancelledRequests,
}

impl HookExecution {
    /// Asks for consent where it lacks, runs the hook to its end, and describes the result.
    ///
    /// # Errors
    /// Returns an error if the hook has moved, the user refuses, or the request is cancelled.
    pub fn run(&self) -> Result<String, RequestError> {
        let directory = PathBuf::from(&self.address.root);
        let mut session = open_session(&directory, self.home.as_deref(), &self.files)
            .map_err(|why| RequestError::failed(why.to_string()))?;
        session.load(None);
        let hook = self.address.find(&session).ok_or_else(RequestError::moved)?;
        let (agent, hook) = (hook.agent.dialect.id(), hook.definition.id.clone());
        session.apply(Command::ChooseAgent(agent));
        session.apply(Command::ChooseEvent(self.address.event.clone()));
        session.use_firing_template(&hook);
        let command = if self.stresses { Command::Stress { hook, in_place: false } } else { Command::Fire };
        let mut jobs = session.apply(command).jobs;
        if let Some(items) = session.bench().consent.clone() {
            self.ask_consent(&session, &items)?;
            jobs = session.apply(Command::GiveConsent).jobs;
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(|why| RequestError::failed(format!("cannot start threads: {why}")))?;
        runtime.block_on(self.drive(&mut session, jobs))?;
        match session.stress_test() {
            Some(test) => Ok(describe_stress(test)),
            None => describe_firing(&session).ok_or_else(|| RequestError::failed("the event was not fired".to_owned())),
        }
    }

    /// Shows the commands in the editor. Every answer except the offered one refuses.
    fn ask_consent(&self, session: &Session, items: &[ConsentItem]) -> Result<(), RequestError> {
        let purpose = session.consent_purpose().unwrap_or("Run?");
        let text = format!("{}{REMEMBERED}\n{purpose}", commands_to_approve(items));
        let actions = json!([{ "title": RUN }, { "title": "Cancel" }]);
        let question = json!({ "type": 2, "message": text, "actions": actions });
        let answer = self.client.ask("window/showMessageRequest", question);
        let chosen = loop {
            match answer.recv_timeout(CANCEL_INTERVAL) {
                Ok(answer) => break answer.response_result.ok(),
                Err(RecvTimeoutError::Disconnected) => break None,
                Err(RecvTimeoutError::Timeout) if self.cancelled.take(&self.id) => {
                    return Err(RequestError::cancelled());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        let is_yes = chosen.is_some_and(|chosen| chosen.get("title").and_then(Value::as_str) == Some(RUN));
        if is_yes { Ok(()) } else { Err(RequestError::failed("nothing was run".to_owned())) }
    }

    /// Performs the jobs of a session until none is left, or until the request is cancelled.
    async fn drive(&self, session: &mut Session, jobs: Vec<Job>) -> Result<(), RequestError> {
        let (sender, mut facts) = mpsc::channel(Driver::QUEUE);
        let mut driver = Driver::new(session.place().clone(), sender, 1.0);
        driver.perform(jobs);
        let is_stressing = |session: &Session| session.stress_test().is_some_and(StressTest::is_running);
        while session.busy() || session.is_logging() || is_stressing(session) {
            tokio::select! {
                fact = facts.recv() => {
                    let Some(fact) = fact else { break };
                    driver.perform(session.absorb(fact).jobs);
                }
                () = tokio::time::sleep(CANCEL_INTERVAL) => {
                    if self.cancelled.take(&self.id) {
                        driver.kill_runs();
                        session.apply(Command::Cancel);
                        return Err(RequestError::cancelled());
                    }
                }
            }
        }
        Ok(())
    }
}

/// The outcome of the last firing: the decision, its reasons, and the runs.
fn describe_firing(session: &Session) -> Option<String> {
    let firing = session.history().newest_record()?;
    let agent = dialects::name_of(firing.agent);
    let subject = firing.input.subject.value.as_deref().map(|value| format!(" · {}", plain(value))).unwrap_or_default();
    let mut text = format!("# {}{subject} · {agent} {}\n\n", firing.input.event, firing.version);
    if let Some(outcome) = &firing.outcome {
        text.push_str(&format!("**{}** {}\n\n", outcome.verdict.title(), outcome.sentence()));
        text.extend(firing.reason().map(|reason| format!("- reason: {}\n", plain(reason))));
        text.extend(outcome.additional_context.iter().map(|context| format!("- context: {}\n", plain(context))));
        for step in &outcome.trace {
            let message = outcome.step_message(&step.message);
            text.extend((!message.is_empty()).then(|| format!("- because: {}\n", plain(&message))));
        }
    }
    for run in &firing.runs {
        let label = firing.loaded.definition(&run.hook).map_or_else(|| run.hook.clone(), |hook| plain(&hook.label()));
        let Some(ended) = run.ended() else {
            text.push_str(&format!("\n## {label}\n\nno end was reported\n"));
            continue;
        };
        let report = &ended.report;
        let time = report.timing.duration().as_secs_f64() * 1e3;
        text.push_str(&format!("\n## {label}\n\n{}, {time:.0} ms\n", report.exit.describe()));
        text.push_str(&stream("stdout", &report.stdout));
        text.push_str(&stream("stderr", &report.stderr));
    }
    Some(text)
}

/// A stream of a run. Empty if nothing was written.
fn stream(name: &str, stream: &CapturedStream) -> String {
    let text = stream.text();
    if text.is_empty() {
        return String::new();
    }
    let more = text.lines().count().saturating_sub(MAX_LINES);
    let more = if more > 0 { format!("\n… {more} more lines\n") } else { String::new() };
    format!("\n{name}:\n\n{}{more}", indented(&text))
}

/// The first lines of a text as a block of Markdown, which the text cannot end.
fn indented(text: &str) -> String {
    text.lines().take(MAX_LINES).flat_map(|line| ["    ", line, "\n"]).collect()
}

/// The result of a stress test: the variants that the hook does not refuse, and the conditions in which it fails.
fn describe_stress(test: &StressTest) -> String {
    let report = &test.report;
    let mut text = format!("# Stress of {} · {}\n\n{}\n", plain(&test.label), test.event, plain(&test.headline()));
    text.extend(report.deed.iter().map(|deed| format!("\nevent: {}\n", plain(deed))));
    text.push_str(if report.misses().next().is_some() { "\n## Not refused\n\n" } else { "" });
    text.extend(report.misses().map(|row| format!("{}\n{}\n\n", indented(&row.text), row.why_the_same)));
    let failing = || report.world.iter().filter(|row| row.result.is_ok() == Some(false));
    text.push_str(if failing().next().is_some() { "\n## Conditions\n\n" } else { "" });
    text.extend(
        failing().map(|row| format!("- {}: {}\n", plain(&row.condition.description()), plain(&row.explanation))),
    );
    text
}

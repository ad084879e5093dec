//! One run as a row: its event, its outcome and deciding hook, and its full record while there is space.

use std::mem::size_of;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::firing::record::{FiringId, FiringRecord};
use hookbench_core::config::EnvironmentSource;
use hookbench_core::decide::Verdict;
use hookbench_core::dialects::{self, Version};
use hookbench_core::hook::{EventSpec, HookInput, Subject};
use hookbench_core::names::AgentId;
use hookbench_core::recorded::RecordedEvent;
use hookbench_core::text::{parse_exact_numbers, stringify};

/// The hook that decided or failed, as configured at the time; the settings may have changed since.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decider {
    pub label: String,
    pub layer: &'static str,
    /// The path as displayed.
    pub file: String,
    pub line: u32,
    /// The number of other hooks that made the same decision.
    pub others: usize,
}

/// The outcome of a run, shared by all runs with the same outcome.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct PastDecision {
    pub verdict: Verdict,
    /// The agent's action, in one sentence.
    pub action: Box<str>,
    pub decider: Option<Decider>,
    /// The lower-case text that searches match.
    text: Box<str>,
}

impl PastDecision {
    pub(super) fn of(record: &FiringRecord) -> Option<PastDecision> {
        let outcome = record.outcome.as_ref()?;
        // If no hook decided and one failed, name the hook that failed.
        let failed = record.first_failed().filter(|_| outcome.verdict == Verdict::FailedOpen).map(|run| &run.hook);
        let by = failed.or(outcome.decided_by.first()).and_then(|id| record.loaded.definition(id)).map(|d| Decider {
            label: d.label(),
            layer: d.provenance.layer.word(),
            file: d.provenance.file.clone(),
            line: d.provenance.line,
            others: outcome.decided_by.len().saturating_sub(1),
        });
        let who = by.as_ref().map(|by| format!(" {} {}:{}", by.label, by.file, by.line)).unwrap_or_default();
        let text = format!("{}{who}", outcome.verdict.title()).to_lowercase().into();
        Some(PastDecision { verdict: outcome.verdict, action: outcome.agent_does.as_str().into(), decider: by, text })
    }

    /// Its size in memory.
    pub(super) fn bytes(&self) -> usize {
        let by = self.decider.as_ref().map_or(0, |by| by.label.len() + by.file.len());
        size_of::<PastDecision>() + self.action.len() + self.text.len() + by
    }
}

/// One run of the session.
#[derive(Debug)]
pub struct PastRun {
    pub id: FiringId,
    pub event: Arc<FiredEvent>,
    /// The previous run of the same event.
    pub previous: Option<FiringId>,
    /// `None` until the run is decided.
    pub decision: Option<Arc<PastDecision>>,
    pub duration: Duration,
    /// Decided from assumed results instead of run.
    pub assumed: bool,
    /// Started by a file save.
    pub auto_fired: bool,
    /// The reason in one word why the run did not finish.
    pub cancel_reason: Option<&'static str>,
    /// The source of the hooks' environment.
    pub env_source: EnvironmentSource,
    /// Payload keys that were filled in from the template.
    pub(super) filled: Option<Arc<[String]>>,
    /// Whether every run of a hook has ended.
    pub(super) settled: bool,
    /// The plan, runs and output, while they are kept.
    pub(super) record: Option<Box<FiringRecord>>,
    /// The size of the record in bytes, as counted in the history.
    pub(super) weight: usize,
}

impl PastRun {
    /// The plan, runs and output; `None` if they are no longer kept.
    pub fn record(&self) -> Option<&FiringRecord> {
        self.record.as_deref()
    }

    /// The assumed result; `None` if the event was really run.
    pub fn assumed_words(&self) -> Option<String> {
        let end = self.record().and_then(FiringRecord::assumed_end);
        self.assumed.then(|| end.map_or_else(|| "assumed, not run".to_owned(), |end| format!("assumed: {end}")))
    }

    /// A message that the output is no longer kept. `fire` is the key that fires the event again.
    pub fn dropped_output_message(&self, fire: &str) -> String {
        format!("output of run {} is no longer kept; {fire} runs it again", self.id.0)
    }

    /// Returns whether the run finished and has a decision.
    pub fn decided(&self) -> bool {
        self.decision.is_some() && self.cancel_reason.is_none()
    }

    /// The verdict.
    pub fn verdict(&self) -> Option<Verdict> {
        self.decision.as_ref().map(|d| d.verdict)
    }

    /// Payload keys that were filled in from the template.
    pub fn filled(&self) -> &[String] {
        self.filled.as_deref().unwrap_or_default()
    }

    /// Appends the lower-case text that searches match: event, verdict, deciding hook, number.
    pub fn append_search_text(&self, out: &mut String) {
        let decided = self.decision.as_ref().map_or("running", |d| &d.text);
        let notes = [(self.assumed, "supposed"), (self.auto_fired, "auto")];
        let notes = notes.into_iter().filter(|(so, _)| *so).map(|(_, word)| word).chain(self.cancel_reason);
        for word in [self.event.text(), decided].into_iter().chain(notes) {
            out.push_str(word);
            out.push(' ');
        }
        out.push_str(&self.id.0.to_string());
    }

    /// Its size in memory without shared data.
    pub(super) fn bytes(&self) -> usize {
        let filled: usize = self.filled().iter().map(|key| size_of::<String>() + key.len()).sum();
        size_of::<PastRun>() + filled
    }
}

/// The maximum number of characters kept of an event's gist.
const MAX_GIST: usize = 160;

/// One event of one agent. Two events are equal if no hook could distinguish them.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct FiredEvent {
    pub agent: AgentId,
    pub event: Box<str>,
    pub subject: Option<Box<str>>,
    /// The most informative value, such as the command.
    pub gist: Option<Box<str>>,
    aliases: Box<[String]>,
    /// Stored as text, which takes a third of the space of a parsed value.
    body: Box<str>,
    /// The lower-case text that searches match.
    text: Box<str>,
}

impl FiredEvent {
    /// Builds the fired event of an input.
    pub(super) fn of(agent: AgentId, version: &Version, input: &HookInput) -> FiredEvent {
        let dialect = dialects::by_id(agent.as_str());
        let spec = dialect.and_then(|d| dialects::find_event(d, version, &input.event));
        let subject = input.subject.value.as_deref();
        let what = gist(spec, &input.body).map(|what| what.chars().take(MAX_GIST).collect::<String>());
        let text = [Some(input.event.as_str()), subject, what.as_deref()];
        let text = text.into_iter().flatten().collect::<Vec<_>>().join(" ").to_lowercase();
        FiredEvent {
            agent,
            event: input.event.as_str().into(),
            subject: subject.map(Into::into),
            gist: what.map(Into::into),
            aliases: input.subject.aliases.clone().into(),
            body: stringify(&input.body).into(),
            text: text.into(),
        }
    }

    /// Rebuilds the input, so that the event can be fired again.
    pub fn input(&self) -> Option<HookInput> {
        let subject =
            Subject { value: self.subject.as_deref().map(str::to_owned), aliases: self.aliases.clone().into_vec() };
        let mut body = parse_exact_numbers(&self.body).ok()?;
        dialects::by_id(self.agent.as_str())?.normalize_numbers(&mut body);
        Some(HookInput { event: self.event.clone().into_string(), subject, body })
    }

    /// The lower-case text that searches match.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Its size in memory.
    pub(super) fn bytes(&self) -> usize {
        let options = [&self.subject, &self.gist].into_iter().flatten().map(|text| text.len()).sum::<usize>();
        let aliases: usize = self.aliases.iter().map(|a| size_of::<String>() + a.len()).sum();
        size_of::<FiredEvent>() + self.event.len() + self.body.len() + self.text.len() + options + aliases
    }
}

/// The most informative value of a payload: the first text of the tool's input, or else of the event's own keys.
pub fn gist(event: Option<&EventSpec>, body: &Value) -> Option<String> {
    // A text without letters means little by itself, so its key is added: `id 1`.
    let named = |(key, value): (&String, &Value)| {
        let text = first_line(value.as_str()?);
        Some(if text.contains(char::is_alphabetic) { text } else { format!("{key} {text}") })
    };
    let first_text = |value: &Value| value.as_object()?.iter().find_map(named);
    if let Some(text) = body.get("tool_input").and_then(first_text) {
        return Some(text.trim_end().to_owned());
    }
    let event = event?;
    let text = |name: &&str| body.get(*name)?.as_str().map(first_line);
    let names = || event.fields.iter().map(|f| f.name).filter(|name| Some(*name) != event.subject);
    names().filter(|name| !is_minor_key(name)).find_map(|name| text(&name)).or_else(|| {
        // A model or a mode says something, a number of a turn does not.
        names().filter(|name| !name.ends_with("_id")).find_map(|name| text(&name))
    })
}

/// Whether a key of a payload says where and in which mode the agent works, and not what it does.
pub fn is_minor_key(key: &str) -> bool {
    key.ends_with("_id") || key.ends_with("_path") || ["model", "permission_mode", "cwd"].contains(&key)
}

/// The most informative value of a recorded event's payload.
pub fn recorded_gist(event: &RecordedEvent) -> Option<String> {
    let dialect = dialects::by_id(&event.agent)?;
    let body: Value = serde_json::from_slice(&event.payload).ok()?;
    let version = event.version.as_deref().and_then(Version::parse);
    let version = version.unwrap_or_else(|| dialects::default_version(dialect));
    gist(dialects::find_event(dialect, &version, &event.event), &body)
}

fn first_line(text: &str) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or("").to_owned();
    if lines.next().is_some() { format!("{first} …") } else { first }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Checks that storing an event as text is lossless.
    #[test]
    fn every_template_comes_back_as_it_was_fired() {
        let place = hookbench_core::config::Place {
            project: "/p".to_owned(),
            home: "/h".to_owned(),
            home_given: false,
            env: std::collections::BTreeMap::new(),
            os: hookbench_core::config::Os::Linux,
            ..hookbench_core::config::Place::default()
        };
        let mut count = 0;
        for dialect in dialects::released() {
            let version = dialects::default_version(dialect);
            for spec in dialect.events(&version) {
                for example in dialect.examples(spec, &place, &version) {
                    let subject = dialect.subject(spec, &example.body, &version);
                    let input = HookInput { event: spec.name.to_owned(), subject, body: example.body };
                    let kept = FiredEvent::of(dialect.id(), &version, &input);
                    assert_eq!(kept.input().as_ref(), Some(&input), "{}", spec.name);
                    count += 1;
                }
            }
        }
        assert!(count > 20, "{count} templates");
    }

    #[test]
    fn the_telling_value_is_one_line() {
        for (body, want) in [
            (json!({"tool_input": {"n": 1, "command": "ls\nrm"}}), Some("ls …")),
            (json!({"tool_input": {}}), None),
            (json!({"tool_input": "text"}), None),
        ] {
            assert_eq!(gist(None, &body).as_deref(), want, "{body}");
        }
    }
}

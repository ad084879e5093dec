//! The result of one event as a flat row: one line of JSON that DuckDB, pandas and Spark can read.

use serde::{Deserialize, Serialize};

use super::compare::ReplayedEvent;
use super::headline::ActionChange;
use hookbench_core::decide::Verdict;
use hookbench_core::port::mapping;
use hookbench_core::recorded::{digest, redact_text};
use hookbench_core::text::truncate;

/// The schema of a row.
pub const ROW_SCHEMA: &str = "replay-row/1";
/// The maximum number of characters of a text.
const MAX_TEXT: usize = 200;
/// The number of hexadecimal digits in the pseudonym of a user.
const PSEUDONYM_DIGITS: usize = 8;

/// One event of a replay. A row of `replay --format jsonl`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplayRow {
    /// `replay-row/1`.
    pub schema: String,
    /// The id of the recorded event.
    pub id: String,
    pub agent: String,
    pub event: String,
    /// The value that matchers are matched against, such as the tool.
    pub subject: Option<String>,
    /// Whether the event announces a tool call.
    pub call: bool,
    /// The repository in the telemetry, or the name of the directory.
    pub project: Option<String>,
    /// A pseudonym of the user, or with `--show-people` the user as recorded.
    pub person: Option<String>,
    /// The verdict as recorded, or under the baseline; null if it is unknown.
    pub before: Option<String>,
    /// The verdict now; null if the event could not be fired.
    pub now: Option<String>,
    /// Whether the agent would act differently.
    pub changed: bool,
    /// The hook that decided, or whose missing answer makes the verdict unknown.
    pub hook: Option<String>,
    /// The first line of the reason that the hook gives.
    pub rule: Option<String>,
    pub reason: Option<String>,
    /// The reason why the verdict is unknown, or why the event could not be fired.
    pub unknown: Option<String>,
    /// The command, the file or the prompt, if hooks stop the event or its result changes.
    pub what: Option<String>,
    /// In the last row: the part and the input that end here, such as `2/3 otel`.
    pub part: Option<String>,
    /// In the last row: the number of rows of the part. Zero if this row is about no event.
    pub part_rows: Option<u64>,
}

/// Values that a row does not mask.
#[derive(Debug, Clone, Copy, Default)]
pub struct UnmaskedValues {
    pub people: bool,
    pub secrets: bool,
}

impl UnmaskedValues {
    /// A text of a row.
    pub(crate) fn text(self, text: &str) -> String {
        let masked = if self.secrets { None } else { redact_text(text) };
        truncate(masked.as_deref().unwrap_or(text).trim_end(), MAX_TEXT)
    }

    /// The user in a row.
    pub(crate) fn person(self, person: String) -> String {
        if self.people {
            return person;
        }
        let digits: String = digest(person.as_bytes()).chars().take(PSEUDONYM_DIGITS).collect();
        format!("person-{digits}")
    }
}

impl ReplayRow {
    /// The row of a result.
    pub fn of(one: &ReplayedEvent, unmasked: UnmaskedValues) -> ReplayRow {
        let text = |text: &str| unmasked.text(text);
        let after = one.after.as_ref();
        let outcome = after.ok().and_then(|after| after.outcome.as_ref().ok());
        let before = one.before.as_ref().and_then(|before| before.outcome.as_ref().ok());
        let changed = ActionChange::of(one).is_some();
        let agent = one.agent.map_or_else(String::new, |agent| agent.to_string());
        let reason = outcome.and_then(|outcome| outcome.reason.as_deref());
        let decided_by = outcome.and_then(|outcome| outcome.decided_by.first());
        ReplayRow {
            schema: ROW_SCHEMA.to_owned(),
            id: one.origin.clone(),
            call: mapping().row_of(&agent, &one.name).is_some_and(|row| row.canonical == "pre_tool_use"),
            agent,
            event: one.name.clone(),
            subject: one.subject.clone(),
            project: one.project.clone(),
            person: one.person.clone().map(|person| unmasked.person(person)),
            before: before.map(|outcome| outcome.verdict.word().to_owned()),
            now: after.ok().map(|_| outcome.map_or(Verdict::Unknown, |outcome| outcome.verdict).word().to_owned()),
            changed,
            hook: decided_by.or_else(|| after.ok().and_then(|after| after.missing.as_ref())).cloned(),
            rule: reason.and_then(|reason| reason.lines().next()).map(text),
            reason: reason.map(text),
            unknown: match after {
                Ok(after) => after.outcome.as_ref().err().cloned(),
                Err(why) => Some(why.clone()),
            },
            what: one.what.as_deref().filter(|_| one.is_shown()).map(text),
            part: None,
            part_rows: None,
        }
    }

    /// The last row of a part of some input, after which nothing is missing. Without a row, one that is about no event.
    #[must_use]
    pub fn ending(row: Option<ReplayRow>, shard: &str, input: &str, rows: u64) -> ReplayRow {
        let none = || ReplayRow { schema: ROW_SCHEMA.to_owned(), ..ReplayRow::default() };
        ReplayRow { part: Some(format!("{shard} {input}")), part_rows: Some(rows), ..row.unwrap_or_else(none) }
    }

    /// Whether hooks stop the event.
    pub fn is_refused(&self) -> bool {
        let refusing = [Verdict::Deny, Verdict::FailedClosed];
        self.now.as_deref().is_some_and(|now| refusing.iter().any(|verdict| verdict.word() == now))
    }
}

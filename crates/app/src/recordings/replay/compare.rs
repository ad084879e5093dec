//! Compares two results of one event, and summarizes many comparisons.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;

use super::assessment::{EventAssessment, FiringHook};
use super::headline::ActionChange;
use hookbench_core::decide::{Outcome, Verdict};
use hookbench_core::names::AgentId;
use hookbench_core::text::{one_line, stringify, truncate};

/// A difference between before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ChangeDoc"))]
pub struct ReplayChange {
    /// `verdict`, `runs`, `ended`, or a key of the outcome.
    pub what: &'static str,
    pub hook: Option<String>,
    pub before: Value,
    pub after: Value,
    pub why: Option<String>,
}

impl ReplayChange {
    /// A short description of the difference. Values longer than `most` characters are cut.
    pub fn describe(&self, most: usize) -> String {
        let text = |value: &Value| truncate(&value.as_str().map_or_else(|| stringify(value), one_line), most);
        let who = self.hook.as_ref().map(|hook| format!("{hook} ")).unwrap_or_default();
        match self.what {
            "runs" if self.after == true => format!("{who}runs"),
            "runs" => format!("{who}does not run"),
            what => format!("{who}{}: {} -> {}", what.replace('_', " "), text(&self.before), text(&self.after)),
        }
    }
}

/// One event that was fired again, with its comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayedEvent {
    /// The id of the original event.
    pub origin: String,
    /// The id of the new row, if the event was really run and stored.
    pub event: Option<String>,
    pub agent: Option<AgentId>,
    pub name: String,
    pub subject: Option<String>,
    /// The name of the project in which it was recorded.
    pub project: Option<String>,
    /// As in [`RecordedEvent::person`](hookbench_core::recorded::RecordedEvent::person).
    pub person: Option<String>,
    /// The most significant value of the event.
    pub what: Option<String>,
    /// The hooks that ran when the event was recorded, whatever the earlier result is.
    pub recorded_runs: Vec<FiringHook>,
    /// `None` if the earlier result is unknown.
    pub before: Option<EventAssessment>,
    /// The new result, or the reason why the event could not be fired.
    pub after: Result<EventAssessment, String>,
    pub changes: Vec<ReplayChange>,
    /// Conditions that could not be restored: a directory or transcript that no longer exists.
    pub flags: Vec<String>,
}

/// The summary of all events. A changed event can count in several fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SummaryDoc"))]
pub struct ReplaySummary {
    pub events: usize,
    pub same: usize,
    pub newly_run: usize,
    pub no_longer_run: usize,
    pub verdict_changed: usize,
    /// Events that changed and whose verdict is unknown until the hooks run.
    pub unknown: usize,
    /// Events that could not be fired or have no earlier result.
    pub not_compared: usize,
    pub rules: Vec<ReplayRule>,
    /// The number of rules that are left out of the list. The most frequent ones are in it.
    #[serde(skip)]
    pub more_rules: usize,
}

impl ReplaySummary {
    /// The numbers of events that differ, with the words that follow them.
    pub fn changes(&self) -> [(usize, &'static str); 4] {
        let word = |count: usize, one, many| (count, if count == 1 { one } else { many });
        [
            word(self.newly_run, "gains a hook", "gain a hook"),
            word(self.no_longer_run, "loses a hook", "lose a hook"),
            word(self.verdict_changed, "verdict changes", "verdicts change"),
            (self.unknown, "unknown until run"),
        ]
    }
}

/// A hook that newly runs or no longer runs, for one subject and one reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RuleDoc"))]
pub struct ReplayRule {
    pub newly: bool,
    pub hook: String,
    #[serde(rename = "name")]
    pub event: String,
    pub subject: Option<String>,
    pub why: String,
    pub count: usize,
    /// The ids of the original events. Events that were only counted are missing.
    #[serde(skip)]
    pub events: Vec<String>,
}

impl ReplayedEvent {
    /// Returns whether both results are known and equal.
    pub fn is_same(&self) -> bool {
        self.before.is_some() && self.after.is_ok() && self.changes.is_empty()
    }

    /// Whether hooks stop the event, or the agent would act differently than before.
    pub fn is_shown(&self) -> bool {
        let is_blocked = |after: &EventAssessment| after.outcome.as_ref().is_ok_and(|outcome| outcome.blocked);
        ActionChange::of(self).is_some() || self.after.as_ref().is_ok_and(is_blocked)
    }

    /// Returns whether both verdicts are known and the agent acts differently. A change between "no hook ran" and
    /// "no hook objected" does not count if it is listed as a change of the hooks that run.
    pub fn verdict_changed(&self) -> bool {
        let verdict = |judged: Option<&EventAssessment>| Some(judged?.outcome.as_ref().ok()?.verdict);
        let both = verdict(self.before.as_ref()).zip(verdict(self.after.as_ref().ok()));
        let idle = |verdict| matches!(verdict, Verdict::NotRun | Verdict::NoObjection);
        both.is_some_and(|(before, after)| {
            let only_asked = idle(before) && idle(after) && self.changes.iter().any(|change| change.what == "runs");
            before != after && !only_asked
        })
    }
}

/// The differences: the verdict first, then the hooks that ran, then their texts.
pub fn compare(before: &EventAssessment, after: &EventAssessment) -> Vec<ReplayChange> {
    let mut changes = Vec::new();
    if let (Ok(old), Ok(new)) = (&before.outcome, &after.outcome) {
        verdicts(old, new, &mut changes);
    }
    for gone in unmatched(&before.fires, &after.fires) {
        let why = after.skipped.iter().find(|(other, _)| gone.is_same_hook(other)).map(|(_, why)| why.clone());
        changes.push(ReplayChange {
            what: "runs",
            hook: Some(gone.hook.clone()),
            before: true.into(),
            after: false.into(),
            why: why.or_else(|| Some("the hook is not configured for this event".to_owned())),
        });
    }
    for new in unmatched(&after.fires, &before.fires) {
        changes.push(ReplayChange {
            what: "runs",
            hook: Some(new.hook.clone()),
            before: false.into(),
            after: true.into(),
            why: Some(new.why.clone()),
        });
    }
    for old in &before.fires {
        let ended = after.fires.iter().find(|new| old.is_same_hook(new)).and_then(|new| new.ended.clone());
        if let (Some(then), Some(now)) = (old.ended.clone(), ended)
            && then != now
        {
            let hook = Some(old.hook.clone());
            changes.push(ReplayChange { what: "ended", hook, before: then.into(), after: now.into(), why: None });
        }
    }
    if let (Ok(old), Ok(new), false) = (&before.outcome, &after.outcome, before.only_verdict || after.only_verdict) {
        texts(old, new, &mut changes);
    }
    changes
}

/// The hooks of one list that are missing in the other, counting duplicates.
fn unmatched<'a>(of: &'a [FiringHook], other: &[FiringHook]) -> Vec<&'a FiringHook> {
    let mut left: Vec<&FiringHook> = other.iter().collect();
    let mut alone = Vec::new();
    for fires in of {
        match left.iter().position(|o| fires.is_same_hook(o)) {
            Some(index) => {
                left.remove(index);
            }
            None => alone.push(fires),
        }
    }
    alone
}

fn verdicts(old: &Outcome, new: &Outcome, changes: &mut Vec<ReplayChange>) {
    if old.verdict != new.verdict {
        changes.push(ReplayChange {
            what: "verdict",
            hook: None,
            before: old.verdict.word().into(),
            after: new.verdict.word().into(),
            why: Some(new.agent_does.clone()),
        });
    }
}

fn texts(old: &Outcome, new: &Outcome, changes: &mut Vec<ReplayChange>) {
    let text = |t: &Option<String>| t.clone().map_or(Value::Null, Value::from);
    let all = [
        ("blocked", old.blocked.into(), new.blocked.into()),
        ("decided_by", old.decided_by.clone().into(), new.decided_by.clone().into()),
        ("reason", text(&old.reason), text(&new.reason)),
        ("additional_context", text(&old.additional_context), text(&new.additional_context)),
        ("system_message", text(&old.system_message), text(&new.system_message)),
        ("continue", old.continues.into(), new.continues.into()),
        ("stop_reason", text(&old.stop_reason), text(&new.stop_reason)),
        ("suppress_output", old.suppress_output.into(), new.suppress_output.into()),
        (
            "updated_input",
            old.updated_input.clone().unwrap_or(Value::Null),
            new.updated_input.clone().unwrap_or(Value::Null),
        ),
        ("extra", Value::Object(old.extra.clone()), Value::Object(new.extra.clone())),
    ];
    for (what, before, after) in all {
        if before != after {
            changes.push(ReplayChange { what, hook: None, before, after, why: None });
        }
    }
}

/// Accumulates comparisons into a summary.
#[derive(Debug, Clone, Default)]
pub struct ReplayTally {
    summary: ReplaySummary,
    rules: HashMap<ReplayRuleKey, (usize, Vec<String>)>,
}

/// Newly or no longer, hook, event, subject, reason.
type ReplayRuleKey = (bool, String, String, Option<String>, String);

impl ReplayTally {
    /// Adds one event.
    pub fn add(&mut self, one: &ReplayedEvent) {
        if self.count(one, 1) {
            self.rule(one, 1, Some(&one.origin));
        }
    }

    /// Adds `count` events with the same comparison as `one`, without their ids and rules.
    pub fn add_alike(&mut self, one: &ReplayedEvent, count: usize) {
        self.count(one, count);
    }

    /// Adds the rules of `count` events with the same comparison as `one`.
    pub fn add_rules(&mut self, one: &ReplayedEvent, count: usize) {
        self.rule(one, count, None);
    }

    /// Adds `count` events without a difference.
    pub fn add_same(&mut self, count: usize) {
        self.summary.events += count;
        self.summary.same += count;
    }

    /// Adds `count` events that cannot be compared.
    pub fn add_not_compared(&mut self, count: usize) {
        self.summary.events += count;
        self.summary.not_compared += count;
    }

    /// Counts the events. Returns whether they differ.
    fn count(&mut self, one: &ReplayedEvent, count: usize) -> bool {
        let (Some(before), Ok(after)) = (&one.before, &one.after) else {
            self.add_not_compared(count);
            return false;
        };
        if one.is_same() {
            self.add_same(count);
            return false;
        }
        let summary = &mut self.summary;
        summary.events += count;
        let runs = |newly: bool| one.changes.iter().any(|c| c.what == "runs" && c.after == Value::Bool(newly));
        let counts = |holds: bool| if holds { count } else { 0 };
        summary.newly_run += counts(runs(true));
        summary.no_longer_run += counts(runs(false));
        summary.verdict_changed += counts(one.verdict_changed());
        summary.unknown += counts(before.outcome.is_err() || after.outcome.is_err());
        true
    }

    fn rule(&mut self, one: &ReplayedEvent, count: usize, origin: Option<&String>) {
        for change in one.changes.iter().filter(|c| c.what == "runs") {
            let key = (
                change.after == Value::Bool(true),
                change.hook.clone().unwrap_or_default(),
                one.name.clone(),
                one.subject.clone(),
                change.why.clone().unwrap_or_default(),
            );
            let (of_rule, events) = self.rules.entry(key).or_default();
            *of_rule += count;
            events.extend(origin.cloned());
        }
    }

    /// The summary.
    pub fn finish(self) -> ReplaySummary {
        let of = |((newly, hook, event, subject, why), (count, events)): (ReplayRuleKey, (usize, Vec<String>))| {
            ReplayRule { newly, hook, event, subject, why, count, events }
        };
        let mut rules: Vec<ReplayRule> = self.rules.into_iter().map(of).collect();
        rules.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.cmp(b)));
        ReplaySummary { rules, ..self.summary }
    }
}

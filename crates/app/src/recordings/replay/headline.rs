//! The answer of a replay: the events for which the agent would act differently, the most dangerous first. The rest is
//! only counted.

use super::compare::ReplayedEvent;
use hookbench_core::decide::{Outcome, Verdict};
use hookbench_core::dialects;
use hookbench_core::text::{one_line, truncate};

/// The maximum number of characters of a deed.
const MAX_DEED: usize = 60;

hookbench_core::words! {
    /// A change of the agent's action. The most dangerous change is the smallest.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum ActionChange {
        /// Hooks stopped the event or asked, and no longer do.
        NoLongerStopped = "NOT STOPPED" | "would no longer be stopped",
        /// A hook failed that could have stopped the event.
        NotChecked = "NOT CHECKED" | "would now be NOT CHECKED",
        Denied = "DENIED" | "would now be DENIED",
        /// A hook failed, and the agent stops the event for that.
        FailedClosed = "STOPPED" | "would now be stopped by a failed hook",
        Asked = "ASKED" | "would now be ASKED about",
        /// A hook skips the agent's own question.
        Allowed = "ALLOWED" | "would now be ALLOWED without a question",
        /// A hook failed on an event that hooks cannot stop.
        Failed = "HOOK FAILED" | "would now have a failed hook",
    }
    /// The change in one or two words.
    fn word;
    /// The predicate of the sentence about the events.
    fn predicate;
}

impl ActionChange {
    /// The change of an event. `None` if its verdict does not change, is unknown, or stops nothing either way.
    pub fn of(one: &ReplayedEvent) -> Option<ActionChange> {
        let after = outcome(one)?.verdict;
        let before = one.before.as_ref().and_then(|judged| judged.outcome.as_ref().ok()).map(|o| o.verdict);
        if before == Some(after) {
            return None;
        }
        let stopped = matches!(before, Some(Verdict::Deny | Verdict::FailedClosed | Verdict::Ask));
        match after {
            Verdict::FailedOpen if can_stop(one) => Some(ActionChange::NotChecked),
            Verdict::FailedOpen => Some(ActionChange::Failed),
            Verdict::Allow | Verdict::NoObjection | Verdict::NotRun if stopped => Some(ActionChange::NoLongerStopped),
            Verdict::Allow => Some(ActionChange::Allowed),
            Verdict::Deny => Some(ActionChange::Denied),
            Verdict::FailedClosed => Some(ActionChange::FailedClosed),
            Verdict::Ask => Some(ActionChange::Asked),
            Verdict::NoObjection | Verdict::NotRun | Verdict::Unknown => None,
        }
    }

    /// The verdict whose colour the change has.
    pub fn verdict(self) -> Verdict {
        match self {
            ActionChange::NoLongerStopped | ActionChange::NotChecked | ActionChange::Failed => Verdict::FailedOpen,
            ActionChange::Denied => Verdict::Deny,
            ActionChange::FailedClosed => Verdict::FailedClosed,
            ActionChange::Asked => Verdict::Ask,
            ActionChange::Allowed => Verdict::Allow,
        }
    }
}

/// Events with the same change, the same deed and the same hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayFinding {
    pub change: ActionChange,
    /// The command, the file or the prompt.
    pub deed: String,
    /// The deciding or failed hook.
    pub hook: Option<String>,
    /// The indexes of the events.
    pub events: Vec<usize>,
}

impl ReplayFinding {
    /// The deed and the hook: `` `rm -rf build` (guard.sh) ``.
    pub fn describe(&self) -> String {
        let hook = self.hook.as_ref().map(|hook| format!(" ({hook})")).unwrap_or_default();
        format!("`{}`{hook}", self.deed)
    }
}

/// The answer of a replay. Every event is in one list, or unlisted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplayHeadline {
    /// The most dangerous finding comes first.
    pub findings: Vec<ReplayFinding>,
    /// Events that could not be replayed.
    pub failed: Vec<usize>,
    /// Events whose verdict is unknown until their hooks run.
    pub unknown: Vec<usize>,
    /// Events that are unchanged, or that no hook decides.
    pub neutral: Vec<usize>,
    /// The number of neutral events for which no hook runs, and none ran when they were recorded.
    pub idle: usize,
    /// The number of neutral events whose hooks are the same, but have not answered this event.
    pub unrun: usize,
    /// The number of unchanged events that are in no list.
    pub unlisted: usize,
    /// The number of all events.
    pub all: usize,
}

impl ReplayHeadline {
    /// The answer for these events, in their order.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a ReplayedEvent>) -> ReplayHeadline {
        ReplayHeadline::with_unlisted(events, 0)
    }

    /// The same with a number of unchanged events besides.
    pub fn with_unlisted<'a>(events: impl IntoIterator<Item = &'a ReplayedEvent>, unlisted: usize) -> ReplayHeadline {
        let mut headline = ReplayHeadline { unlisted, all: unlisted, ..ReplayHeadline::default() };
        for (index, one) in events.into_iter().enumerate() {
            headline.all += 1;
            match (ActionChange::of(one), outcome(one)) {
                (Some(change), Some(outcome)) => headline.add_finding(change, one, outcome, index),
                _ if one.after.is_err() => headline.failed.push(index),
                (_, None) if !one.is_same() => headline.unknown.push(index),
                (_, outcome) => {
                    headline.unrun += usize::from(outcome.is_none());
                    let is_idle = outcome.is_some_and(|now| now.verdict == Verdict::NotRun);
                    headline.idle += usize::from(is_idle && one.recorded_runs.is_empty());
                    headline.neutral.push(index);
                }
            }
        }
        headline.findings.sort_by_key(|finding| finding.change);
        headline
    }

    fn add_finding(&mut self, change: ActionChange, one: &ReplayedEvent, outcome: &Outcome, index: usize) {
        let named = || one.subject.as_ref().map_or_else(|| one.name.clone(), |of| format!("{} {of}", one.name));
        let deed = one.what.as_deref().filter(|what| !what.trim().is_empty()).map_or_else(named, one_line);
        let hook = outcome.decided_by.first().cloned().or_else(|| failed_hook(one));
        let finding = ReplayFinding { change, deed: truncate(&deed, MAX_DEED), hook, events: vec![index] };
        let same = |known: &&mut ReplayFinding| {
            (known.change, &known.deed, &known.hook) == (finding.change, &finding.deed, &finding.hook)
        };
        match self.findings.iter_mut().find(same) {
            Some(known) => known.events.push(index),
            None => self.findings.push(finding),
        }
    }

    /// One sentence for each kind of change, the most dangerous first, then what is not known. The first one is the
    /// headline: ``1 of 29 would now be DENIED: `rm -rf build` (guard.sh)``.
    pub fn sentences(&self) -> Vec<(Option<ActionChange>, String)> {
        let mut all = Vec::new();
        let mut rest = self.findings.as_slice();
        while let Some(first) = rest.first() {
            let kind = rest.partition_point(|finding| finding.change == first.change);
            let (same, others) = rest.split_at(kind);
            let count: usize = same.iter().map(|finding| finding.events.len()).sum();
            let more = if same.len() > 1 { format!(" and {} more", same.len() - 1) } else { String::new() };
            let (predicate, deed) = (first.change.predicate(), first.describe());
            let who = if self.all == 1 { "the event".to_owned() } else { format!("{count} of {}", self.all) };
            all.push((Some(first.change), format!("{who} {predicate}: {deed}{more}")));
            rest = others;
        }
        match self.unknown_words() {
            Some(says) if all.is_empty() && self.all > 1 => {
                all.push((None, format!("{says}; no other verdict changes")));
            }
            Some(says) => all.push((None, says)),
            None if all.is_empty() && self.idle > 0 && self.idle == self.all => {
                let what = if self.all == 1 { "this event".to_owned() } else { format!("these {} events", self.all) };
                all.push((None, format!("no hook runs for {what}")));
            }
            None if all.is_empty() && self.all == 1 && self.unrun > 0 => {
                all.push((None, "the same hooks run; their answers are unknown until they do".to_owned()));
            }
            None if all.is_empty() && self.all == 1 => all.push((None, "the verdict does not change".to_owned())),
            None if all.is_empty() => all.push((None, format!("no verdict changes in {} events", self.all))),
            None => {}
        }
        all
    }

    /// The events whose verdict is unknown, in words.
    pub fn unknown_words(&self) -> Option<String> {
        match self.unknown.len() {
            0 => None,
            _ if self.all == 1 => Some("the verdict is unknown until the hooks run".to_owned()),
            count => Some(format!("{count} of {} unknown until their hooks run", self.all)),
        }
    }

    /// The events that could not be replayed, in words.
    pub fn failed_words(&self) -> Option<String> {
        let count = self.failed.len();
        (count > 0).then(|| format!("{count} of {} could not be replayed", self.all))
    }

    /// The neutral events, in words.
    pub fn neutral_words(&self) -> Option<String> {
        let count = self.neutral.len() + self.unlisted;
        // One event has its answer in the first sentence.
        (count > 0 && self.all > 1).then(|| format!("{count} unchanged or not decided by a hook"))
    }
}

/// The new outcome, if it is known.
fn outcome(one: &ReplayedEvent) -> Option<&Outcome> {
    one.after.as_ref().ok()?.outcome.as_ref().ok()
}

/// Whether a hook can stop such an event.
fn can_stop(one: &ReplayedEvent) -> bool {
    let dialect = one.agent.and_then(|agent| dialects::by_id(agent.as_str()));
    let event = dialect.and_then(|d| dialects::find_event(d, &dialects::default_version(d), &one.name));
    event.is_some_and(|event| event.blockable_action.is_some())
}

/// The first hook that ran and did not end with exit status 0.
fn failed_hook(one: &ReplayedEvent) -> Option<String> {
    let failed = |ended: &Option<String>| ended.as_deref().is_some_and(|ended| ended != "exit 0");
    one.after.as_ref().ok()?.fires.iter().find(|hook| failed(&hook.ended)).map(|hook| hook.hook.clone())
}

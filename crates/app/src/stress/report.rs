//! The results of a stress test.

use std::time::Duration;

use serde_json::Value;

use super::condition::WorldCondition;
use hookbench_core::decide::Verdict;
use hookbench_core::plan::{PlanEntry, Selection};
use hookbench_core::stress::{DeedFamily, KeyEffect, PayloadCoverage, VariantEvidence};
use hookbench_core::text::{joined_with_and, one_line};

/// The longest time of one run.
pub const LONGEST_RUN: Duration = Duration::from_secs(10);
/// The longest search for an event that the hook refuses.
pub const LONGEST_SEARCH: Duration = Duration::from_secs(30);
/// The usual time after which no run of a test starts.
pub const LONGEST_TEST: Duration = Duration::from_secs(120);

hookbench_core::words! {
    /// The result of one variant.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum VariantResult {
        /// Blocked, or the user is asked.
        Refused = "refused" | "refused",
        LetThrough = "let_through" | "not refused",
        /// The hook failed, so the agent continues.
        FailedOpen = "failed_open" | "failed open",
    }
    /// The word in JSON documents.
    fn word;
    /// The words on the screen and in text output.
    fn words;
}

impl VariantResult {
    /// The result of a verdict.
    pub fn of(verdict: Verdict, blocked: bool) -> VariantResult {
        match verdict {
            Verdict::Deny | Verdict::Ask | Verdict::FailedClosed => VariantResult::Refused,
            _ if blocked => VariantResult::Refused,
            Verdict::FailedOpen => VariantResult::FailedOpen,
            Verdict::NotRun | Verdict::Allow | Verdict::Unknown | Verdict::NoObjection => VariantResult::LetThrough,
        }
    }
}

/// One variant of the deed.
#[derive(Debug, Clone, PartialEq)]
pub struct VariantRow {
    pub family: DeedFamily,
    pub text: String,
    pub why_the_same: String,
    pub evidence: VariantEvidence,
    pub verdict: Verdict,
    pub result: VariantResult,
    /// Why the verdict is so: the hook's reason, or the rule that skipped it.
    pub explanation: String,
    /// The payload.
    pub body: Value,
}

hookbench_core::words! {
    /// How the hook behaved under a condition.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum WorldResult {
        /// As usual.
        Holds = "holds" | "as usual",
        FailsClosed = "fails_closed" | "fails closed",
        FailsOpen = "fails_open" | "fails open",
        /// It did not end in time.
        Hangs = "hangs" | "hangs",
        /// It left a process behind.
        Leaks = "leaks" | "leaks a process",
        /// It behaved differently from run to run.
        Differs = "differs" | "differs",
        NotTried = "not_tried" | "not tried",
    }
    /// The word in JSON documents.
    fn word;
    /// The words on the screen and in text output.
    fn words;
}

impl WorldResult {
    /// Whether the hook can be relied on. `None` if it was not tried.
    pub fn is_ok(self) -> Option<bool> {
        match self {
            WorldResult::Holds | WorldResult::FailsClosed => Some(true),
            WorldResult::NotTried => None,
            _ => Some(false),
        }
    }
}

/// One condition of the world.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldRow {
    pub condition: WorldCondition,
    /// `None` if it was not tried.
    pub verdict: Option<Verdict>,
    pub result: WorldResult,
    pub explanation: String,
}

/// The result of a stress test; rows are added while it runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StressReport {
    /// The text of the deed. `None` if the event announces none.
    pub deed: Option<String>,
    /// The key of the payload that contains the deed, as `--set` takes it.
    pub deed_key: Option<String>,
    /// Whether the hook refuses the deed only with the user's own home directory, which is not in the copy.
    pub needs_home: bool,
    /// The verdict about the deed itself.
    pub verdict: Option<Verdict>,
    /// The hook's entry in the plan for the deed.
    pub entry: Option<PlanEntry>,
    /// Whether the hook refuses the deed. Otherwise its variants are not tried.
    pub refuses: bool,
    /// Whether the hook does not end on the event itself. Then nothing else is tried.
    pub hangs: bool,
    /// Whether the hook refuses the event only the first time. Then nothing else is tried.
    pub remembers: bool,
    /// Why the hook fails on the event itself. Then nothing else is tried.
    pub failure: Option<String>,
    /// The time limit that the hook reached on the event itself.
    pub time_limit: Option<Duration>,
    /// Whether the hook only objects, because the event comes too late to refuse anything.
    pub is_late: bool,
    /// The number of events for which the search for one that the hook refuses had no time.
    pub unsearched: usize,
    /// The time of the test, if it was over before everything was tried.
    pub out_of_time: Option<Duration>,
    /// The number of variants to expect.
    pub expected_variants: usize,
    /// The number of conditions to expect.
    pub expected_conditions: usize,
    /// The number of keys of the payload to expect.
    pub expected_keys: usize,
    pub variants: Vec<VariantRow>,
    /// `None` if it was not tried.
    pub coverage: Option<PayloadCoverage>,
    pub world: Vec<WorldRow>,
    /// The description of the containment.
    pub contained: Option<String>,
    pub finished: bool,
}

impl StressReport {
    /// Advice for a hook that does not refuse the event. `None` if the hook refuses it, or if the event announces nothing.
    pub fn help(&self) -> Option<String> {
        let is_silent = !self.refuses && !self.hangs && self.skip_reason().is_none() && self.deed.is_some();
        if self.needs_home && !self.refuses {
            return Some("help: --in-place tries the hook with your files, and lets it change them".to_owned());
        }
        let key = self.deed_key.as_deref().unwrap_or("prompt");
        is_silent.then(|| format!("help: --input or --set gives the event that it refuses, such as --set {key}='...'"))
    }

    /// The number of variants with this result.
    pub fn count(&self, result: VariantResult) -> usize {
        self.variants.iter().filter(|row| row.result == result).count()
    }

    /// The variants that the hook does not refuse.
    pub fn misses(&self) -> impl Iterator<Item = &VariantRow> {
        self.variants.iter().filter(|row| row.result != VariantResult::Refused)
    }

    /// The conditions with this result.
    pub fn conditions(&self, result: WorldResult) -> impl Iterator<Item = &WorldCondition> {
        self.world.iter().filter(move |row| row.result == result).map(|row| &row.condition)
    }

    /// The numbers of variants and conditions that were tried so far.
    pub fn progress(&self) -> String {
        let mut parts = Vec::new();
        if self.expected_variants > 0 {
            let (tried, refused) = (self.variants.len(), self.count(VariantResult::Refused));
            parts.push(format!("{tried} of {} tried, {refused} refused", self.expected_variants));
        }
        let keys = self.coverage.as_ref().map_or(0, |coverage| coverage.keys.len());
        if self.variants.len() == self.expected_variants && self.expected_keys > 0 && self.world.is_empty() {
            parts.push(format!("{keys} of {} keys tried", self.expected_keys));
        } else if self.variants.len() == self.expected_variants && self.expected_conditions > 0 {
            parts.push(format!("{} of {} conditions tried", self.world.len(), self.expected_conditions));
        }
        if parts.is_empty() { "looking for an event that the hook refuses".to_owned() } else { parts.join("; ") }
    }

    /// The reason why the agent does not run the hook on the event. `None` if it runs.
    pub fn skip_reason(&self) -> Option<&str> {
        let entry = self.entry.as_ref().filter(|entry| entry.selection == Selection::Skipped);
        entry.filter(|_| !self.refuses).map(|entry| entry.why.message.as_str())
    }

    /// The whole result in one line.
    pub fn headline(&self) -> String {
        let mut parts = Vec::new();
        let deed = self.deed.as_deref().map(one_line);
        let (tried, refused) = (self.variants.len(), self.count(VariantResult::Refused));
        if let Some(why) = self.skip_reason() {
            let on = deed.map(|deed| format!(" on `{deed}`")).unwrap_or_default();
            return format!("does not run{on}: {why}");
        }
        if self.hangs {
            let on = deed.map(|deed| format!(" on `{deed}`")).unwrap_or_default();
            let limit = seconds(self.time_limit.unwrap_or(LONGEST_RUN));
            return format!("does not end within {limit}{on}, so variants and conditions are not tried");
        }
        if let Some(why) = self.failure.as_deref().filter(|_| !self.needs_home) {
            let on = deed.map(|deed| format!(" on `{deed}`")).unwrap_or_default();
            return format!("fails{on} ({}), so variants and conditions are not tried", one_line(why));
        }
        let refuses = if self.is_late { "objects to" } else { "refuses" };
        if self.remembers {
            let what = deed.map_or("the event".to_owned(), |deed| format!("`{deed}`"));
            return format!("{refuses} {what} only the first time, so variants and conditions are not tried");
        }
        parts.push(match (&deed, self.refuses) {
            (Some(deed), true) if tried == 0 => format!("{refuses} `{deed}`"),
            (Some(deed), true) if refused == tried => format!("{refuses} all {tried} variants of `{deed}`"),
            (Some(deed), true) => {
                let miss = self.shortest_miss().map(|text| format!(", but not `{text}`")).unwrap_or_default();
                format!("{refuses} {refused} of {tried} variants of `{deed}`{miss}")
            }
            (deed, false) if self.needs_home => {
                let what = deed.as_ref().map_or("the event".to_owned(), |deed| format!("`{deed}`"));
                format!("refuses {what} with your home directory, but not in the copy, where that is empty")
            }
            (Some(deed), false) => format!("does not refuse `{deed}`, so its variants are not tried"),
            (None, true) => format!("{refuses} the event"),
            (None, false) => "does not refuse the event".to_owned(),
        });
        let is_constant = |coverage: &PayloadCoverage| {
            let none = |effect| coverage.keys_with(effect).is_empty();
            !coverage.keys.is_empty() && none(KeyEffect::Decides) && none(KeyEffect::NotTried)
        };
        if self.refuses && self.finished && self.coverage.as_ref().is_some_and(is_constant) {
            parts.push("no change of the event makes it pass, so it may refuse everything".to_owned());
        }
        if self.is_late {
            parts.push("the event comes too late to refuse it".to_owned());
        }
        if self.unsearched > 0 && !self.refuses {
            let (count, limit) = (self.unsearched, LONGEST_SEARCH.as_secs());
            parts.push(format!("{count} other events are not tried within {limit} s, so name one that it refuses"));
        }
        let untried = self.expected_variants.saturating_sub(tried);
        if let Some(limit) = self.out_of_time.filter(|_| untried > 0) {
            parts.push(format!("{untried} variants are not tried in the {} s of the test", limit.as_secs()));
        }
        // The worst first.
        for result in [
            WorldResult::FailsOpen,
            WorldResult::Hangs,
            WorldResult::Leaks,
            WorldResult::Differs,
            WorldResult::FailsClosed,
        ] {
            let named = self.conditions(result).filter(|condition| condition.is_in_headline());
            let phrases: Vec<String> = named.map(WorldCondition::phrase).collect();
            if !phrases.is_empty() {
                let words = if result == WorldResult::Hangs { "does not end in time" } else { result.words() };
                parts.push(format!("{words} {}", listed(&phrases)));
            }
        }
        let is_tried = |row: &&WorldRow| row.result != WorldResult::NotTried && row.condition.is_in_headline();
        let tried = self.world.iter().filter(is_tried).count();
        let untried = self.conditions(WorldResult::NotTried).filter(|condition| condition.is_in_headline());
        let untried: Vec<String> = untried.map(WorldCondition::phrase).collect();
        if tried > 0 && !self.needs_home && parts.len() == usize::from(self.is_late) + 1 {
            let all = if untried.is_empty() { "all" } else { "the" };
            parts.push(format!("behaves as usual under {all} {tried} conditions that agents create"));
        }
        if tried > 0 && !untried.is_empty() {
            parts.push(format!("not tried: {}", listed(&untried)));
        }
        parts.join("; ")
    }

    /// The shortest variant that is not refused and that a reader can tell from the deed. `None` if it is too long for
    /// a headline.
    fn shortest_miss(&self) -> Option<String> {
        let is_odd = |text: &str| text.contains(|c: char| c.is_control() || !c.is_ascii());
        let shortest = self.misses().min_by_key(|row| (is_odd(&row.text), row.text.chars().count()))?;
        Some(one_line(&shortest.text)).filter(|text| text.chars().count() <= LONGEST_MISS)
    }
}

/// A duration in words: whole seconds, or with a decimal.
pub(crate) fn seconds(time: Duration) -> String {
    let text = format!("{:.1}", time.as_secs_f64());
    format!("{} s", text.strip_suffix(".0").unwrap_or(&text))
}

/// The most characters of a variant in the headline.
const LONGEST_MISS: usize = 60;

/// The most phrases of one result in the headline.
const PHRASES: usize = 3;

/// Joins phrases: `a`, `a and b`, or `a, b, c and 4 more`.
fn listed(phrases: &[String]) -> String {
    match phrases {
        _ if phrases.len() <= PHRASES => joined_with_and(phrases),
        _ => {
            let (first, others) = phrases.split_at(PHRASES);
            format!("{} and {} more", first.join(", "), others.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_core::stress::KeyCoverage;

    #[test]
    fn a_search_that_ends_early_names_its_limit() {
        let report = |unsearched, refuses| StressReport {
            deed: Some("rm -rf build".to_owned()),
            unsearched,
            refuses,
            ..StressReport::default()
        };
        let none = "does not refuse `rm -rf build`, so its variants are not tried";
        let early = "; 7 other events are not tried within 30 s, so name one that it refuses";
        for (unsearched, refuses, want) in [
            (0, false, none.to_owned()),
            (7, false, format!("{none}{early}")),
            (0, true, "refuses `rm -rf build`".to_owned()),
        ] {
            assert_eq!(report(unsearched, refuses).headline(), want);
        }
    }

    #[test]
    fn the_headline_says_what_the_copy_and_the_hook_itself_hide() {
        let deed = || StressReport { deed: Some("rm -rf build".to_owned()), finished: true, ..StressReport::default() };
        let key = KeyCoverage { key: "cwd".to_owned(), effect: KeyEffect::Ignored, explanation: String::new() };
        let constant = PayloadCoverage { keys: vec![key], ..PayloadCoverage::default() };
        for (report, want) in [
            (
                StressReport { needs_home: true, ..deed() },
                "refuses `rm -rf build` with your home directory, but not in the copy, where that is empty",
            ),
            (
                StressReport { failure: Some("exit 1: no such module".to_owned()), ..deed() },
                "fails on `rm -rf build` (exit 1: no such module), so variants and conditions are not tried",
            ),
            (
                StressReport { refuses: true, remembers: true, ..deed() },
                "refuses `rm -rf build` only the first time, so variants and conditions are not tried",
            ),
            (
                StressReport { refuses: true, coverage: Some(constant), ..deed() },
                "refuses `rm -rf build`; no change of the event makes it pass, so it may refuse everything",
            ),
        ] {
            assert_eq!(report.headline(), want);
        }
    }
}

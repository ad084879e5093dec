//! Compares the result of a case with its expectations.

use std::time::Duration;

use regex::Regex;
use serde_json::Value;

use super::format::{ExpectShape, HookExpectShape, NotFires, TextMatch, TextMatchShape};
use crate::document;
use crate::firing::record::{FiringRecord, RunRecord};
use hookbench_core::decide::{Outcome, Verdict};
use hookbench_core::plan::{PlanEntry, Selection};
use hookbench_core::run::{CapturedStream, Exit};
use hookbench_core::text::{one_line, stringify, truncate};

/// The length at which texts in messages are cut.
const SHOWN: usize = 120;

/// One expectation that was not met.
#[derive(Debug, Clone, PartialEq)]
pub struct UnmetExpectation {
    /// Its key under `expect`, with dots.
    pub key: String,
    pub message: String,
    /// The value that would meet the expectation, if a single value can.
    pub actual: Option<Value>,
}

impl UnmetExpectation {
    fn new(key: &str, says: impl Into<String>) -> UnmetExpectation {
        UnmetExpectation { key: key.to_owned(), message: says.into(), actual: None }
    }

    fn now(mut self, value: impl Into<Value>) -> UnmetExpectation {
        self.actual = Some(value.into());
        self
    }
}

/// Parses `500ms`, `2s`, `1.5s`.
pub(super) fn parse_duration(text: &str) -> Option<Duration> {
    let text = text.trim().trim_start_matches("<=").trim_start_matches('<').trim();
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic())?);
    let number: f64 = number.trim().parse().ok()?;
    let seconds = match unit {
        "ms" => number / 1e3,
        "s" => number,
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds).ok()
}

/// All unmet expectations. Without any expectation, the verdict must be known and must not result from a failed
/// hook.
pub fn check_expectations(expect: &ExpectShape, firing: &FiringRecord) -> Vec<UnmetExpectation> {
    let Some(outcome) = &firing.outcome else { return vec![UnmetExpectation::new("verdict", "no decision")] };
    let mut of = ExpectationCheck { expect, firing, outcome, misses: Vec::new() };
    of.verdict();
    of.plan();
    of.hooks();
    of.texts();
    of.rest();
    of.misses
}

struct ExpectationCheck<'a> {
    expect: &'a ExpectShape,
    firing: &'a FiringRecord,
    outcome: &'a Outcome,
    misses: Vec<UnmetExpectation>,
}

impl ExpectationCheck<'_> {
    fn label(&self, hook: &str) -> String {
        self.firing.loaded.definition(hook).map_or_else(|| hook.to_owned(), |d| d.label())
    }

    fn has_name(&self, hook: &str, name: &str) -> bool {
        hook == name || self.label(hook) == name
    }

    fn labels<'h>(&self, hooks: impl Iterator<Item = &'h String>) -> Vec<String> {
        hooks.map(|hook| self.label(hook)).collect()
    }

    /// Whether one hook is wanted and its answer is that of the hook which decided. Agents run hooks at the same time
    /// and report the first, so it differs from run to run.
    fn gives_deciding_answer(&self, wanted: &[String]) -> bool {
        let ([name], [decider]) = (wanted, self.outcome.decided_by.as_slice()) else { return false };
        let runs = &self.firing.runs;
        let named = runs.iter().filter(|run| self.has_name(&run.hook, name)).map(|run| &run.hook);
        self.firing.same_answer(decider).any(|hook| named.clone().any(|named| named == hook))
    }

    /// An explanation of the result.
    fn explanation(&self) -> String {
        let by = self.labels(self.outcome.decided_by.iter()).join(", ");
        let by = if by.is_empty() { String::new() } else { format!(", decided by {by}") };
        format!("{}{by}", self.outcome.agent_does)
    }

    fn verdict(&mut self) {
        let got = self.outcome.verdict;
        match &self.expect.verdict {
            Some(wanted) if wanted != got.word() => {
                let says = format!("verdict is {}, expected {wanted}: {}", got.word(), self.explanation());
                let mut miss = UnmetExpectation::new("verdict", says).now(got.word());
                if let Some(failed) = self.failures() {
                    miss.message.push_str(&format!("; {failed}"));
                }
                self.misses.push(miss);
            }
            None if *self.expect == ExpectShape::default() => {
                if matches!(got, Verdict::Unknown | Verdict::FailedOpen | Verdict::FailedClosed) {
                    let failed = self.failures().map(|f| format!("; {f}")).unwrap_or_default();
                    let says = format!("verdict is {}: {}{failed}", got.word(), self.explanation());
                    self.misses.push(UnmetExpectation::new("verdict", says).now(got.word()));
                }
            }
            _ => {}
        }
        if let Some(wanted) = self.expect.blocked.filter(|b| *b != self.outcome.blocked) {
            let says = format!("blocked is {}, expected {wanted}: {}", self.outcome.blocked, self.explanation());
            self.misses.push(UnmetExpectation::new("blocked", says).now(self.outcome.blocked));
        }
        if let Some(wanted) = &self.expect.decided_by {
            let got = self.labels(self.outcome.decided_by.iter());
            let same = wanted.as_slice().len() == self.outcome.decided_by.len()
                && wanted.as_slice().iter().all(|n| self.outcome.decided_by.iter().any(|hook| self.has_name(hook, n)));
            if !same && !self.gives_deciding_answer(wanted.as_slice()) {
                let who = if got.is_empty() { "no hook".to_owned() } else { got.join(", ") };
                let mut says = format!("decided by {who}, expected {}", wanted.as_slice().join(", "));
                if let Some(name) = wanted.as_slice().iter().find(|name| self.entries(name).is_empty()) {
                    says.push_str(&format!("; {}", self.unknown_hook(name)));
                }
                let now = if let [one] = got.as_slice() { Value::from(one.clone()) } else { Value::from(got) };
                self.misses.push(UnmetExpectation::new("decided_by", says).now(now));
            }
        }
    }

    fn failures(&self) -> Option<String> {
        let failed: Vec<String> = self
            .firing
            .failed()
            .filter_map(|run| Some(format!("{}: {}", self.label(&run.hook), run.ended()?.report.exit.describe())))
            .collect();
        (!failed.is_empty()).then(|| failed.join(", "))
    }

    fn entries(&self, name: &str) -> Vec<&PlanEntry> {
        self.firing.plan.entries.iter().filter(|e| self.has_name(&e.hook, name)).collect()
    }

    fn unknown_hook(&self, name: &str) -> String {
        let known: Vec<String> = self.labels(self.firing.plan.entries.iter().map(|e| &e.hook));
        if known.is_empty() {
            return format!("no hook {name}: no hook is configured for {}", self.firing.input.event);
        }
        format!("no hook {name}: configured for {} are {}", self.firing.input.event, known.join(", "))
    }

    fn plan(&mut self) {
        let fires = |e: &&PlanEntry| matches!(e.selection, Selection::Fires { .. });
        for name in self.expect.fires.iter().flat_map(|names| names.as_slice()) {
            let entries = self.entries(name);
            if entries.iter().any(fires) {
                continue;
            }
            let says = match entries.first() {
                Some(entry) => format!("{name} did not fire: {}", entry.why.message),
                None => self.unknown_hook(name),
            };
            self.misses.push(UnmetExpectation::new("fires", says));
        }
        let not: Vec<(&String, Option<&String>)> = match &self.expect.not_fires {
            None => Vec::new(),
            Some(NotFires::Names(names)) => names.as_slice().iter().map(|n| (n, None)).collect(),
            Some(NotFires::Why(map)) => map.iter().map(|(n, why)| (n, Some(why))).collect(),
        };
        for (name, why) in not {
            let entries = self.entries(name);
            let reasons: Vec<&str> = entries.iter().map(|e| e.why.message.as_str()).collect();
            let says = if entries.is_empty() {
                self.unknown_hook(name)
            } else if let Some(entry) = entries.iter().copied().find(fires) {
                format!("{name} fired: {}", entry.why.message)
            } else if let Some(why) = why.filter(|why| !reasons.iter().any(|r| r.contains(why.as_str()))) {
                format!("{name} did not fire, but not because of {why:?}: {}", reasons.join("; "))
            } else {
                continue;
            };
            self.misses.push(UnmetExpectation::new("not_fires", says));
        }
    }

    /// The run to which `exit`, `stdout` and `stderr` apply: that of the deciding hook, or the only one.
    fn main_run(&self) -> Result<&RunRecord, String> {
        let of = |hook: &String| self.firing.last_run_of(hook);
        let decided: Vec<&RunRecord> = self.outcome.decided_by.iter().filter_map(of).collect();
        match (decided.as_slice(), self.firing.runs.as_slice()) {
            ([one], _) => Ok(one),
            ([], [one]) => Ok(one),
            ([], []) => Err("no hook ran".to_owned()),
            _ => Err("several hooks ran: name one under hooks".to_owned()),
        }
    }

    fn hooks(&mut self) {
        let expect = self.expect;
        let own = HookExpectShape {
            exit: expect.exit,
            stdout: expect.stdout.clone(),
            stderr: expect.stderr.clone(),
            duration: None,
        };
        let mut misses = Vec::new();
        if own.exit.is_some() || own.stdout.is_some() || own.stderr.is_some() {
            match self.main_run() {
                Ok(run) => self.run("", run, &own, &mut misses),
                Err(says) => misses.push(UnmetExpectation::new("exit", says)),
            }
        }
        for (name, wanted) in &expect.hooks {
            let run = self.firing.runs.iter().find(|run| self.has_name(&run.hook, name));
            match run {
                Some(run) => self.run(&format!("hooks.{name}."), run, wanted, &mut misses),
                None => {
                    let entries = self.entries(name);
                    let says = match entries.first() {
                        Some(entry) => format!("{name} did not run: {}", entry.why.message),
                        None => self.unknown_hook(name),
                    };
                    misses.push(UnmetExpectation::new(&format!("hooks.{name}"), says));
                }
            }
        }
        self.misses.extend(misses);
    }

    fn run(&self, key: &str, run: &RunRecord, wanted: &HookExpectShape, misses: &mut Vec<UnmetExpectation>) {
        let name = self.label(&run.hook);
        let Some(ended) = run.ended() else {
            misses.push(UnmetExpectation::new(key.trim_end_matches('.'), format!("{name} did not end")));
            return;
        };
        let report = &ended.report;
        if let Some(code) = wanted.exit.filter(|code| report.exit != Exit::Code(*code)) {
            let says = format!("{name} ended with {}, expected exit {code}", report.exit.describe());
            let miss = UnmetExpectation::new(&format!("{key}exit"), says);
            misses.push(report.exit.code().map_or_else(|| miss.clone(), |code| miss.clone().now(code)));
        }
        let streams = [("stdout", &wanted.stdout, &report.stdout), ("stderr", &wanted.stderr, &report.stderr)];
        for (stream, wanted, got) in streams {
            if let Some(miss) = wanted.as_ref().and_then(|w| compare_stream(w, got)) {
                misses.push(UnmetExpectation {
                    key: format!("{key}{stream}"),
                    message: format!("{stream} of {name} {}", miss.message),
                    ..miss
                });
            }
        }
        if let Some(most) = wanted.duration.as_deref().and_then(parse_duration) {
            let took = report.timing.duration();
            if took > most {
                let says = format!("{name} took {} ms, at most {} expected", took.as_millis(), most.as_millis());
                misses.push(UnmetExpectation::new(&format!("{key}duration"), says));
            }
        }
    }

    fn texts(&mut self) {
        let (expect, outcome) = (self.expect, self.outcome);
        let all = [
            ("reason", &expect.reason, &outcome.reason),
            ("context", &expect.context, &outcome.additional_context),
            ("system_message", &expect.system_message, &outcome.system_message),
        ];
        let no_run = if self.firing.runs.is_empty() { "; no hook ran" } else { "" };
        for (key, wanted, got) in all {
            if let Some(miss) = wanted.as_ref().and_then(|w| compare_text(w, got.as_deref())) {
                let says = format!("{} {}{no_run}", key.replace('_', " "), miss.message);
                self.misses.push(UnmetExpectation { key: key.to_owned(), message: says, ..miss });
            }
        }
    }

    fn rest(&mut self) {
        if let Some(wanted) = &self.expect.updated_input {
            let got = self.outcome.updated_input.clone().unwrap_or(Value::Null);
            if *wanted != got {
                let says = format!(
                    "updated input is {}, expected {}",
                    truncate(&stringify(&got), SHOWN),
                    truncate(&stringify(wanted), SHOWN)
                );
                self.misses.push(UnmetExpectation::new("updated_input", says).now(got));
            }
        }
        let codes: Vec<String> = document::firing_doc(self.firing)
            .diagnostics
            .into_iter()
            .map(|d| d.code)
            .chain(
                self.firing
                    .runs
                    .iter()
                    .filter_map(|r| r.ended())
                    .flat_map(|r| r.output.notes.iter().map(|n| n.code.to_string())),
            )
            .collect();
        for code in self.expect.diagnostics.iter().flat_map(|names| names.as_slice()) {
            if !codes.contains(code) {
                let there = if codes.is_empty() { "none".to_owned() } else { codes.join(", ") };
                self.misses.push(UnmetExpectation::new("diagnostics", format!("no finding {code}; found: {there}")));
            }
        }
        if let Some(most) = self.expect.duration.as_deref().and_then(parse_duration) {
            let took = self.firing.duration();
            if took > most {
                let says = format!("took {} ms, at most {} expected", took.as_millis(), most.as_millis());
                self.misses.push(UnmetExpectation::new("duration", says));
            }
        }
    }
}

fn compare_stream(wanted: &TextMatch, got: &CapturedStream) -> Option<UnmetExpectation> {
    compare_text(wanted, Some(&got.text()))
}

/// Compares a text. The message has no subject, so that the name of the text can be prepended.
fn compare_text(wanted: &TextMatch, got: Option<&str>) -> Option<UnmetExpectation> {
    let whole = got.unwrap_or("").trim_end_matches(['\r', '\n']);
    let shown =
        if whole.is_empty() { "is empty".to_owned() } else { format!("is {:?}", truncate(&one_line(whole), SHOWN)) };
    let says = match wanted {
        TextMatch::Contains(text) => {
            (!whole.contains(text.as_str())).then(|| format!("{shown}, expected to contain {text:?}"))
        }
        TextMatch::Exact(exact) => unmet_condition(exact, whole).map(|wanted| format!("{shown}, {wanted}")),
    }?;
    let miss = UnmetExpectation::new("", says);
    // Every text contains the empty text, so that expectation would always be met.
    let vacuous = whole.is_empty() && matches!(wanted, TextMatch::Contains(_));
    Some(if vacuous { miss } else { miss.now(whole) })
}

fn unmet_condition(wanted: &TextMatchShape, text: &str) -> Option<String> {
    if let Some(part) = wanted.contains.as_ref().filter(|part| !text.contains(part.as_str())) {
        return Some(format!("expected to contain {part:?}"));
    }
    if let Some(all) = wanted.equals.as_ref().filter(|all| all.trim_end_matches(['\r', '\n']) != text) {
        return Some(format!("expected {:?}", truncate(&one_line(all), SHOWN)));
    }
    if let Some(part) = wanted.lacks.as_ref().filter(|part| text.contains(part.as_str())) {
        return Some(format!("expected not to contain {part:?}"));
    }
    // Patterns were checked when the suite was read.
    let misses = |pattern: &&String| Regex::new(pattern).is_ok_and(|p| !p.is_match(text));
    wanted.matches.as_ref().filter(misses).map(|pattern| format!("expected to match {pattern}"))
}

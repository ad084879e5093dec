//! Compares the result of a case with its expectations.

use std::time::Duration;

use regex::Regex;
use serde_json::Value;

use super::shape::{ExpectShape, HookExpectShape, NotFires, TextMatch, TextMatchShape};
use crate::document;
use crate::firing_record::{FiringRecord, RunRecord};
use hookbench_core::decide::{Outcome, Verdict};
use hookbench_core::plan::{PlanEntry, Selection};
use hookbench_core::run::{Captured, Exit};
use hookbench_core::text::{cut, one_line, stringify};

/// The length at which texts in messages are cut.
const SHOWN: usize = 120;

/// One expectation that was not met.
#[derive(Debug, Clone, PartialEq)]
pub struct Miss {
    /// Its key under `expect`, with dots.
    pub key: String,
    pub says: String,
    /// The value that would meet the expectation, if a single value can.
    pub now: Option<Value>,
}

impl Miss {
    fn new(key: &str, says: impl Into<String>) -> Miss {
        Miss { key: key.to_owned(), says: says.into(), now: None }
    }

    fn now(mut self, value: impl Into<Value>) -> Miss {
        self.now = Some(value.into());
        self
    }
}

/// Parses `500ms`, `2s`, `1.5s`.
pub(super) fn duration_of(text: &str) -> Option<Duration> {
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
pub fn judge(expect: &ExpectShape, firing: &FiringRecord) -> Vec<Miss> {
    let Some(outcome) = &firing.outcome else { return vec![Miss::new("verdict", "it was not decided")] };
    let mut of = Judge { expect, firing, outcome, misses: Vec::new() };
    of.verdict();
    of.plan();
    of.hooks();
    of.texts();
    of.rest();
    of.misses
}

struct Judge<'a> {
    expect: &'a ExpectShape,
    firing: &'a FiringRecord,
    outcome: &'a Outcome,
    misses: Vec<Miss>,
}

impl Judge<'_> {
    fn label(&self, hook: &str) -> String {
        self.firing.loaded.definition(hook).map_or_else(|| hook.to_owned(), |d| d.label())
    }

    fn called(&self, hook: &str, name: &str) -> bool {
        hook == name || self.label(hook) == name
    }

    fn labels<'h>(&self, hooks: impl Iterator<Item = &'h String>) -> Vec<String> {
        hooks.map(|hook| self.label(hook)).collect()
    }

    /// An explanation of the result.
    fn because(&self) -> String {
        let by = self.labels(self.outcome.decided_by.iter()).join(", ");
        let by = if by.is_empty() { String::new() } else { format!(", decided by {by}") };
        format!("{}{by}", self.outcome.agent_does)
    }

    fn verdict(&mut self) {
        let got = self.outcome.verdict;
        match &self.expect.verdict {
            Some(wanted) if wanted != got.word() => {
                let says = format!("verdict is {}, expected {wanted}: {}", got.word(), self.because());
                let mut miss = Miss::new("verdict", says).now(got.word());
                if let Some(failed) = self.failures() {
                    miss.says.push_str(&format!("; {failed}"));
                }
                self.misses.push(miss);
            }
            None if *self.expect == ExpectShape::default() => {
                if matches!(got, Verdict::Unknown | Verdict::FailedOpen | Verdict::FailedClosed) {
                    let failed = self.failures().map(|f| format!("; {f}")).unwrap_or_default();
                    let says = format!("verdict is {}: {}{failed}", got.word(), self.because());
                    self.misses.push(Miss::new("verdict", says).now(got.word()));
                }
            }
            _ => {}
        }
        if let Some(wanted) = self.expect.blocked.filter(|b| *b != self.outcome.blocked) {
            let says = format!("blocked is {}, expected {wanted}: {}", self.outcome.blocked, self.because());
            self.misses.push(Miss::new("blocked", says).now(self.outcome.blocked));
        }
        if let Some(wanted) = &self.expect.decided_by {
            let got = self.labels(self.outcome.decided_by.iter());
            let same = wanted.all().len() == self.outcome.decided_by.len()
                && wanted.all().iter().all(|n| self.outcome.decided_by.iter().any(|hook| self.called(hook, n)));
            if !same {
                let who = if got.is_empty() { "nobody".to_owned() } else { got.join(", ") };
                let mut says = format!("decided by {who}, expected {}", wanted.all().join(", "));
                if let Some(name) = wanted.all().iter().find(|name| self.entries(name).is_empty()) {
                    says.push_str(&format!("; {}", self.nobody_called(name)));
                }
                let now = if let [one] = got.as_slice() { Value::from(one.clone()) } else { Value::from(got) };
                self.misses.push(Miss::new("decided_by", says).now(now));
            }
        }
    }

    fn failures(&self) -> Option<String> {
        let failed: Vec<String> = self
            .firing
            .failed()
            .filter_map(|run| Some(format!("{}: {}", self.label(&run.hook), run.ended()?.report.exit.words())))
            .collect();
        (!failed.is_empty()).then(|| failed.join(", "))
    }

    fn entries(&self, name: &str) -> Vec<&PlanEntry> {
        self.firing.plan.entries.iter().filter(|e| self.called(&e.hook, name)).collect()
    }

    fn nobody_called(&self, name: &str) -> String {
        let known: Vec<String> = self.labels(self.firing.plan.entries.iter().map(|e| &e.hook));
        if known.is_empty() {
            return format!("there is no hook {name}; none is configured for {}", self.firing.input.event);
        }
        format!("there is no hook {name}; configured for {} are {}", self.firing.input.event, known.join(", "))
    }

    fn plan(&mut self) {
        let fires = |e: &&PlanEntry| matches!(e.selection, Selection::Fires { .. });
        for name in self.expect.fires.iter().flat_map(|names| names.all()) {
            let entries = self.entries(name);
            if entries.iter().any(fires) {
                continue;
            }
            let says = match entries.first() {
                Some(entry) => format!("{name} did not fire: {}", entry.why.says),
                None => self.nobody_called(name),
            };
            self.misses.push(Miss::new("fires", says));
        }
        let not: Vec<(&String, Option<&String>)> = match &self.expect.not_fires {
            None => Vec::new(),
            Some(NotFires::Names(names)) => names.all().iter().map(|n| (n, None)).collect(),
            Some(NotFires::Why(map)) => map.iter().map(|(n, why)| (n, Some(why))).collect(),
        };
        for (name, why) in not {
            let entries = self.entries(name);
            let reasons: Vec<&str> = entries.iter().map(|e| e.why.says.as_str()).collect();
            let says = if entries.is_empty() {
                self.nobody_called(name)
            } else if let Some(entry) = entries.iter().copied().find(fires) {
                format!("{name} fired: {}", entry.why.says)
            } else if let Some(why) = why.filter(|why| !reasons.iter().any(|r| r.contains(why.as_str()))) {
                format!("{name} did not fire, and not because of {why:?}: {}", reasons.join("; "))
            } else {
                continue;
            };
            self.misses.push(Miss::new("not_fires", says));
        }
    }

    /// The run to which `exit`, `stdout` and `stderr` apply: that of the deciding hook, or the only one.
    fn the_run(&self) -> Result<&RunRecord, String> {
        let of = |hook: &String| self.firing.run_of(hook);
        let decided: Vec<&RunRecord> = self.outcome.decided_by.iter().filter_map(of).collect();
        match (decided.as_slice(), self.firing.runs.as_slice()) {
            ([one], _) => Ok(one),
            ([], [one]) => Ok(one),
            ([], []) => Err("no hook ran".to_owned()),
            _ => Err("several hooks ran: say which under hooks".to_owned()),
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
            match self.the_run() {
                Ok(run) => self.run("", run, &own, &mut misses),
                Err(says) => misses.push(Miss::new("exit", says)),
            }
        }
        for (name, wanted) in &expect.hooks {
            let run = self.firing.runs.iter().find(|run| self.called(&run.hook, name));
            match run {
                Some(run) => self.run(&format!("hooks.{name}."), run, wanted, &mut misses),
                None => {
                    let entries = self.entries(name);
                    let says = match entries.first() {
                        Some(entry) => format!("{name} did not run: {}", entry.why.says),
                        None => self.nobody_called(name),
                    };
                    misses.push(Miss::new(&format!("hooks.{name}"), says));
                }
            }
        }
        self.misses.extend(misses);
    }

    fn run(&self, key: &str, run: &RunRecord, wanted: &HookExpectShape, misses: &mut Vec<Miss>) {
        let name = self.label(&run.hook);
        let Some(ended) = run.ended() else {
            misses.push(Miss::new(key.trim_end_matches('.'), format!("{name} did not end")));
            return;
        };
        let report = &ended.report;
        if let Some(code) = wanted.exit.filter(|code| report.exit != Exit::Code(*code)) {
            let says = format!("{name} ended with {}, expected exit {code}", report.exit.words());
            let miss = Miss::new(&format!("{key}exit"), says);
            misses.push(report.exit.code().map_or_else(|| miss.clone(), |code| miss.clone().now(code)));
        }
        let streams = [("stdout", &wanted.stdout, &report.stdout), ("stderr", &wanted.stderr, &report.stderr)];
        for (stream, wanted, got) in streams {
            if let Some(miss) = wanted.as_ref().and_then(|w| of_stream(w, got)) {
                misses.push(Miss {
                    key: format!("{key}{stream}"),
                    says: format!("{stream} of {name} {}", miss.says),
                    ..miss
                });
            }
        }
        if let Some(most) = wanted.duration.as_deref().and_then(duration_of) {
            let took = report.timing.duration();
            if took > most {
                let says = format!("{name} took {} ms, at most {} expected", took.as_millis(), most.as_millis());
                misses.push(Miss::new(&format!("{key}duration"), says));
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
        let nobody = if self.firing.runs.is_empty() { "; no hook ran" } else { "" };
        for (key, wanted, got) in all {
            if let Some(miss) = wanted.as_ref().and_then(|w| of_text(w, got.as_deref())) {
                let says = format!("{} {}{nobody}", key.replace('_', " "), miss.says);
                self.misses.push(Miss { key: key.to_owned(), says, ..miss });
            }
        }
    }

    fn rest(&mut self) {
        if let Some(wanted) = &self.expect.updated_input {
            let got = self.outcome.updated_input.clone().unwrap_or(Value::Null);
            if *wanted != got {
                let says = format!(
                    "updated input is {}, expected {}",
                    cut(&stringify(&got), SHOWN),
                    cut(&stringify(wanted), SHOWN)
                );
                self.misses.push(Miss::new("updated_input", says).now(got));
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
                    .flat_map(|r| r.output.notes.iter().map(|n| n.code.to_owned())),
            )
            .collect();
        for code in self.expect.diagnostics.iter().flat_map(|names| names.all()) {
            if !codes.contains(code) {
                let there = if codes.is_empty() { "none".to_owned() } else { codes.join(", ") };
                self.misses.push(Miss::new("diagnostics", format!("no finding {code}; there is {there}")));
            }
        }
        if let Some(most) = self.expect.duration.as_deref().and_then(duration_of) {
            let took = self.firing.duration();
            if took > most {
                let says = format!("took {} ms, at most {} expected", took.as_millis(), most.as_millis());
                self.misses.push(Miss::new("duration", says));
            }
        }
    }
}

fn of_stream(wanted: &TextMatch, got: &Captured) -> Option<Miss> {
    of_text(wanted, Some(&got.text()))
}

/// Compares a text. The message has no subject, so that the name of the text can be prepended.
fn of_text(wanted: &TextMatch, got: Option<&str>) -> Option<Miss> {
    let whole = got.unwrap_or("").trim_end_matches(['\r', '\n']);
    let shown = if whole.is_empty() { "is empty".to_owned() } else { format!("is {:?}", cut(&one_line(whole), SHOWN)) };
    let says = match wanted {
        TextMatch::Contains(text) => {
            (!whole.contains(text.as_str())).then(|| format!("{shown}, expected in it: {text:?}"))
        }
        TextMatch::Exact(exact) => inexact(exact, whole).map(|wanted| format!("{shown}, {wanted}")),
    }?;
    let miss = Miss::new("", says);
    // Every text contains the empty text, so that expectation would always be met.
    let vacuous = whole.is_empty() && matches!(wanted, TextMatch::Contains(_));
    Some(if vacuous { miss } else { miss.now(whole) })
}

fn inexact(wanted: &TextMatchShape, text: &str) -> Option<String> {
    if let Some(part) = wanted.contains.as_ref().filter(|part| !text.contains(part.as_str())) {
        return Some(format!("expected in it: {part:?}"));
    }
    if let Some(all) = wanted.equals.as_ref().filter(|all| all.trim_end_matches(['\r', '\n']) != text) {
        return Some(format!("expected {:?}", cut(&one_line(all), SHOWN)));
    }
    if let Some(part) = wanted.lacks.as_ref().filter(|part| text.contains(part.as_str())) {
        return Some(format!("expected not in it: {part:?}"));
    }
    // Patterns were checked when the suite was read.
    let misses = |pattern: &&String| Regex::new(pattern).is_ok_and(|p| !p.is_match(text));
    wanted.matches.as_ref().filter(misses).map(|pattern| format!("expected to match {pattern}"))
}

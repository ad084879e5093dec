//! The ladder: ten checks between a line in a settings file and a running process. The first failed check is the
//! answer.

use std::cmp::Reverse;

use crate::analysis::lint::Finding;
use crate::analysis::resolve::{ResolvedCommand, ResolvedState};
use crate::analysis::subjects::SubjectMatches;
use crate::firing::record::RunRecord;
use hookbench_core::config::{IgnoredFile, LayerState, LoadedConfig};
use hookbench_core::diagnostic::{Code, CodeFamily, Severity};
use hookbench_core::hook::{EventSpec, HookDefinition};
use hookbench_core::plan::{PlanEntry, Rung, RungName, RungState, Selection};
use hookbench_core::run::Exit;
use hookbench_core::trace::Evidence;

/// All rungs of one definition for one event.
#[derive(Debug, Clone, PartialEq)]
pub struct Ladder {
    pub rungs: Vec<Rung>,
    /// The errors and warnings about the script and its answer, each at its rung, errors first.
    pub findings: Vec<(RungName, Finding)>,
    /// The first failed rung in one sentence; if none failed, a sentence saying that the hook fires.
    pub answer: String,
    pub nearest: Vec<String>,
}

/// The data that a ladder is built from.
#[derive(Debug, Clone, Copy)]
pub struct LadderParts<'a> {
    pub definition: &'a HookDefinition,
    pub loaded: &'a LoadedConfig,
    /// The event in question; `None` if the agent does not have it.
    pub event: Option<&'a EventSpec>,
    pub entry: Option<&'a PlanEntry>,
    pub resolved: Option<&'a ResolvedCommand>,
    /// The programs that are not on the PATH of the agent, in a sentence.
    pub missing_for_agent: Option<&'a str>,
    pub run: Option<&'a RunRecord>,
    /// Set if no specific event was asked about; the answer then covers all known subjects.
    pub subjects: Option<&'a SubjectMatches>,
    /// The reason why the agent itself does not start the hook.
    pub refused: Option<&'a str>,
    /// The result of a trial of the hook in a copy of the project.
    pub tried: Option<&'a str>,
    /// Why reading the script does not tell everything that it does; `None` if it does.
    pub unread: Option<&'a str>,
    /// The lint findings about the hook.
    pub findings: &'a [Finding],
    /// The causes that would stop the hook although it is trusted; used if missing trust stops it now.
    pub once_trusted: &'a [TrustedCause],
}

impl<'a> LadderParts<'a> {
    /// The parts of a definition of which nothing else is known.
    pub fn of(definition: &'a HookDefinition, loaded: &'a LoadedConfig) -> LadderParts<'a> {
        LadderParts {
            definition,
            loaded,
            event: None,
            entry: None,
            resolved: None,
            missing_for_agent: None,
            run: None,
            subjects: None,
            refused: None,
            tried: None,
            unread: None,
            findings: &[],
            once_trusted: &[],
        }
    }
}

/// A cause that would still stop a hook after its user has trusted it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedCause {
    pub rung: RungName,
    pub message: String,
}

/// Builds the ladder of a definition.
pub fn ladder(parts: LadderParts<'_>) -> Ladder {
    let definition = parts.definition;
    let fall = failed_rung(parts);
    let mut rungs: Vec<Rung> = Vec::new();
    for name in RungName::ALL {
        let rung = match &fall {
            Some((at, state, says)) if *at == name => (*state, says.clone()),
            Some((at, _, _)) if *at < name => (RungState::Skipped, String::new()),
            _ => passed_rung(name, parts),
        };
        rungs.push(Rung { name, state: rung.0, message: rung.1, evidence: evidence(name, definition) });
    }
    let help = apply_findings(parts.findings, &mut rungs);
    let red = rungs.iter().find(|r| matches!(r.state, RungState::No | RungState::Unknown));
    let matched = red.is_none_or(|r| matches!(r.name, RungName::Matcher | RungName::Condition));
    let every = parts.subjects.zip(parts.event).filter(|_| matched);
    let answer = match red {
        _ if every.is_some() => every.map_or(String::new(), |(s, e)| format!("{} {}", definition.label(), s.words(e))),
        Some(Rung { name: RungName::Command, state: RungState::Unknown, .. }) => {
            let missing = parts.missing_for_agent.unwrap_or_default();
            format!("{} runs with your PATH, but {missing}", definition.label())
        }
        Some(rung) if rung.name == RungName::Command => failing_answer(parts, &rung.message),
        Some(rung) if rung.state == RungState::No => {
            format!("{} does not run here: {}", definition.label(), rung.message)
        }
        Some(rung) => format!("it is unknown whether {} runs: {}", definition.label(), rung.message),
        None => format!("{} runs: {}", definition.label(), parts.entry.map_or("", |e| e.why.message.as_str())),
    };
    let answer = match help {
        Some(help) => format!("{}. Fix: {help}", answer.trim_end_matches('.')),
        None => answer,
    };
    let answer = match name_later_causes(parts, &mut rungs) {
        Some(causes) => {
            format!("{}. Once it is trusted, it still does not run: {causes}", answer.trim_end_matches('.'))
        }
        None => answer,
    };
    let findings = place_findings(parts.findings, &rungs);
    let answer = match error_in_effect(&findings, &mut rungs) {
        Some(error) => format!("{}. But {error}", answer.trim_end_matches('.')),
        None => answer,
    };
    let nearest = parts.entry.map(|e| e.nearest.clone()).unwrap_or_default();
    Ladder { rungs, findings, answer, nearest }
}

/// Names the other causes at their rungs if missing trust stops the hook, and returns them as one text. Their rungs
/// are skipped, because the agent does not get there.
fn name_later_causes(parts: LadderParts<'_>, rungs: &mut [Rung]) -> Option<String> {
    let red = rungs.iter().find(|rung| matches!(rung.state, RungState::No | RungState::Unknown))?;
    if red.name != RungName::Trusted {
        return None;
    }
    let mut causes = parts.once_trusted.to_vec();
    for found in parts.findings.iter().filter(|found| found.severity == Severity::Error) {
        let of_matcher = || (found.code.family() == Some(CodeFamily::Matchers)).then_some(RungName::Matcher);
        if let Some(rung) = rung_of(found.code).or_else(of_matcher) {
            causes.push(TrustedCause { rung, message: found.message.clone() });
        }
    }
    causes.retain(|cause| cause.message != red.message);
    causes.sort_by_key(|cause| cause.rung);
    causes.dedup();
    for rung in &mut *rungs {
        let of_rung: Vec<&str> = causes.iter().filter(|c| c.rung == rung.name).map(|c| c.message.as_str()).collect();
        if !of_rung.is_empty() && rung.name != RungName::Trusted {
            (rung.state, rung.message) = (RungState::Skipped, format!("once trusted: {}", of_rung.join("; ")));
        }
    }
    let told: Vec<&str> = causes.iter().map(|cause| cause.message.as_str()).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// Applies the first lint error to its rung unless an earlier rung has failed. Returns the help text of that
/// finding.
fn apply_findings(findings: &[Finding], rungs: &mut [Rung]) -> Option<String> {
    let errors = findings.iter().filter(|found| found.severity == Severity::Error);
    let mut errors: Vec<(RungName, &Finding)> = errors.filter_map(|f| Some((rung_of(f.code)?, f))).collect();
    errors.sort_by_key(|(name, _)| *name);
    let (name, found) = *errors.first()?;
    let red = rungs.iter().position(|rung| matches!(rung.state, RungState::No | RungState::Unknown));
    let at = rungs.iter().position(|rung| rung.name == name).filter(|at| red.is_none_or(|red| *at <= red))?;
    for (index, rung) in rungs.iter_mut().enumerate().skip(at) {
        if index == at {
            (rung.state, rung.message) = (RungState::No, found.message.clone());
        } else {
            (rung.state, rung.message) = (RungState::Skipped, String::new());
        }
    }
    found.help.clone()
}

/// The errors and warnings about the script and its answer, as far as the hook gets to their rungs. What a rung says itself
/// is not repeated.
fn place_findings(findings: &[Finding], rungs: &[Rung]) -> Vec<(RungName, Finding)> {
    let red = rungs.iter().find(|rung| matches!(rung.state, RungState::No | RungState::Unknown));
    let is_new = |name: RungName, found: &Finding| {
        found.severity > Severity::Info && red.is_none_or(|red| name <= red.name && red.message != found.message)
    };
    let placed = findings.iter().filter_map(|found| Some((concerned_rung(found.code)?, found.clone())));
    let mut placed: Vec<(RungName, Finding)> = placed.filter(|(name, found)| is_new(*name, found)).collect();
    placed.sort_by_key(|(name, found)| (*name, Reverse(found.severity)));
    placed
}

/// The rung that a finding about a script, or about what it does, concerns.
fn concerned_rung(code: Code) -> Option<RungName> {
    match (code, code.family()?) {
        (Code::HW205, _) => Some(RungName::EventKnown),
        (Code::HW801 | Code::HW802 | Code::HW803, _) => Some(RungName::Condition),
        (Code::HW708 | Code::HW709, _) | (_, CodeFamily::Commands) => Some(RungName::Command),
        (Code::HW805 | Code::HW806 | Code::HW807 | Code::HW814, _) => Some(RungName::Started),
        (_, CodeFamily::Answers | CodeFamily::Timeouts) => Some(RungName::Started),
        _ => None,
    }
}

/// The first error of a hook that runs, with its help: such a hook does not do what it is meant to do, so its last rung is
/// not ok.
fn error_in_effect(findings: &[(RungName, Finding)], rungs: &mut [Rung]) -> Option<String> {
    let is_red = |rung: &Rung| matches!(rung.state, RungState::No | RungState::Unknown);
    if rungs.iter().any(|rung| is_red(rung) && rung.name != RungName::Started) {
        return None;
    }
    let (_, error) = findings.iter().find(|(_, found)| found.severity == Severity::Error)?;
    if let Some(rung) = rungs.iter_mut().find(|rung| rung.name == RungName::Started && rung.state == RungState::Ok) {
        rung.state = RungState::No;
    }
    let help = error.help.as_ref().map(|help| format!(". Fix: {help}")).unwrap_or_default();
    Some(format!("{}{help}", error.message.trim_end_matches('.')))
}

impl Ladder {
    /// The findings at a rung.
    pub fn findings_at(&self, name: RungName) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |(at, _)| *at == name).map(|(_, found)| found)
    }
}

/// The rung that a lint code belongs to; `None` for a finding that does not keep the hook from running.
fn rung_of(code: Code) -> Option<RungName> {
    Some(match code {
        Code::HW101 | Code::HW107 => RungName::FileFound,
        Code::HW102 | Code::HW103 | Code::HW104 | Code::HW105 | Code::HW106 => RungName::Parsed,
        Code::HW206 => RungName::EventKnown,
        Code::HW801 => RungName::Condition,
        Code::HW401
        | Code::HW402
        | Code::HW403
        | Code::HW405
        | Code::HW406
        | Code::HW407
        | Code::HW410
        | Code::HW411
        | Code::HW412
        | Code::HW416
        | Code::HW417
        | Code::HW419
        | Code::HW423
        | Code::HW424 => RungName::Command,
        _ => return None,
    })
}

/// The ladder of a file that looks like hook configuration but is not read: it fails at the first rung.
pub fn ladder_of_file(file: &IgnoredFile) -> Ladder {
    let rung = |name: RungName| {
        let first = name == RungName::FileFound;
        let (state, says) = if first { (RungState::No, file.advice()) } else { (RungState::Skipped, String::new()) };
        Rung { name, state, message: says, evidence: Vec::new() }
    };
    let answer = format!("{} is not read: {}", file.file, file.advice());
    Ladder { rungs: RungName::ALL.into_iter().map(rung).collect(), findings: Vec::new(), answer, nearest: Vec::new() }
}

/// The answer for a hook that is started but fails, as opposed to one that is not started.
fn failing_answer(parts: LadderParts<'_>, says: &str) -> String {
    let label = parts.definition.label();
    let end = match (parts.resolved.and_then(|r| r.status), parts.event) {
        (Some(2), Some(event)) => format!("; it exits with 2, which means here: {}", event.exit_2),
        (Some(status), _)
            if [format!("exits with {status}"), format!("exit {status}")].iter().any(|end| says.contains(end)) =>
        {
            String::new()
        }
        (Some(status), _) => format!("; it exits with {status}"),
        (None, _) => String::new(),
    };
    format!("{label} runs and fails: {says}{end}")
}

/// The rung that fails before anything is started, if any.
fn failed_rung(parts: LadderParts<'_>) -> Option<(RungName, RungState, String)> {
    let definition = parts.definition;
    let no_event = || (RungName::EventKnown, RungState::No, format!("this agent has no event {}", definition.event));
    if let Some(refused) = &definition.rejection {
        // Trust does not help a hook whose event does not exist.
        if parts.event.is_none() && refused.rung > RungName::EventKnown {
            return Some(no_event());
        }
        // A reason that stops all hooks can come before the reason that stops this one.
        let before = parts.entry.and_then(|e| Some((e.failed_rung.filter(|at| *at < refused.rung)?, &e.why.message)));
        let (rung, says) = before.unwrap_or((refused.rung, &refused.message));
        return Some((rung, RungState::No, says.clone()));
    }
    match parts.event {
        None => return Some(no_event()),
        // The plan has an entry for a hook under another spelling of the same event.
        Some(event) if event.name != definition.event && parts.entry.is_none() => {
            let says = format!("it is configured for {}, not for {}", definition.event, event.name);
            return Some((RungName::EventKnown, RungState::No, says));
        }
        Some(_) => {}
    }
    let entry = parts.entry?;
    match entry.selection {
        Selection::Fires { .. } => None,
        Selection::Skipped => {
            Some((entry.failed_rung.unwrap_or(RungName::Matcher), RungState::No, entry.why.message.clone()))
        }
        Selection::Unknown => {
            Some((entry.failed_rung.unwrap_or(RungName::Matcher), RungState::Unknown, entry.why.message.clone()))
        }
    }
}

/// The state of a rung that the plan has passed.
fn passed_rung(name: RungName, parts: LadderParts<'_>) -> (RungState, String) {
    let definition = parts.definition;
    let layer = parts.loaded.layers.iter().find(|l| l.file == definition.provenance.file);
    match name {
        RungName::FileFound => {
            (RungState::Ok, format!("{}:{}", definition.provenance.file, definition.provenance.line))
        }
        RungName::Parsed => (RungState::Ok, format!("a {} hook", definition.handler.kind())),
        RungName::LayerActive => {
            let off = layer.is_some_and(|l| matches!(l.state, LayerState::Off));
            let says = format!("{} layer{}", definition.provenance.layer.word(), if off { " is off" } else { "" });
            (if off { RungState::No } else { RungState::Ok }, says)
        }
        RungName::EventKnown => (RungState::Ok, definition.event.clone()),
        RungName::Surface => (RungState::Ok, "supported by the terminal program".to_owned()),
        RungName::Trusted => {
            let account = parts.loaded.trust.get(&definition.id);
            (RungState::Ok, account.cloned().unwrap_or_else(|| "no approval needed".to_owned()))
        }
        RungName::Matcher => {
            // The plan's explanation belongs to the deciding rung, which may be a later one.
            let own = parts.entry.filter(|e| e.failed_rung.is_none_or(|rung| rung <= RungName::Matcher));
            let says =
                own.map_or_else(|| format!("`{}` matches", definition.matcher_text()), |e| e.why.message.clone());
            (RungState::Ok, says)
        }
        RungName::Condition => match &definition.condition {
            Some(condition) if !condition.is_empty() => (RungState::Ok, format!("{condition} is true")),
            _ => (RungState::Ok, "no condition".to_owned()),
        },
        RungName::Command if parts.refused.is_some() => (RungState::No, parts.refused.unwrap_or_default().to_owned()),
        RungName::Command => match parts.resolved {
            Some(ResolvedCommand { state: ResolvedState::Ok, message, .. }) if parts.missing_for_agent.is_some() => {
                (RungState::Unknown, format!("{message}; {}", parts.missing_for_agent.unwrap_or_default()))
            }
            Some(resolved) => {
                let state = match resolved.state {
                    ResolvedState::Ok => RungState::Ok,
                    ResolvedState::No => RungState::No,
                    ResolvedState::Unknown => RungState::Unknown,
                };
                // A command that only a shell could resolve has not failed, so the rung is not red.
                let state = if state == RungState::Unknown { RungState::Skipped } else { state };
                (state, format!("{}{}", resolved.message, variables(parts.loaded)))
            }
            None => (RungState::Ok, definition.handler.text()),
        },
        RungName::Started => started(parts),
    }
}

/// The variables that settings add to the hooks' environment, grouped by file.
fn variables(loaded: &LoadedConfig) -> String {
    let mut files: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, variable) in &loaded.variables {
        match files.iter_mut().find(|(file, _)| *file == variable.file) {
            Some((_, names)) => names.push(name),
            None => files.push((&variable.file, vec![name])),
        }
    }
    let sets = files.iter().map(|(file, names)| format!("; {file} sets {}", names.join(", ")));
    sets.collect::<Vec<String>>().concat()
}

fn started(parts: LadderParts<'_>) -> (RungState, String) {
    let Some(run) = parts.run else {
        if let Some(result) = parts.tried {
            return (RungState::Ok, format!("tried in a copy of the project: {result}"));
        }
        let unknown = parts.unread.map(|why| format!("; its answer is unknown: {why}"));
        return (RungState::Skipped, format!("not run yet{}", unknown.unwrap_or_default()));
    };
    match run.ended().map(|r| &r.report.exit) {
        None => (RungState::Ok, "running".to_owned()),
        Some(Exit::FailedToStart { error }) => (RungState::No, error.clone()),
        Some(Exit::Unanswered) => (RungState::Unknown, "only the agent itself can run it".to_owned()),
        Some(exit) => (RungState::Ok, exit.describe()),
    }
}

fn evidence(name: RungName, definition: &HookDefinition) -> Vec<Evidence> {
    match name {
        RungName::FileFound | RungName::Matcher => vec![Evidence::Source {
            file: definition.provenance.file.clone(),
            line: definition.provenance.line,
            column: definition.provenance.column,
        }],
        _ => Vec::new(),
    }
}

//! The document of `plan` and `fire`.

use std::collections::BTreeSet;

use base64::Engine as _;
use serde::Serialize;
use serde_json::{Map, Value};

use super::explain::{TraceDoc, trace_docs};
use super::firings::{BasisDoc, basis_doc};
use super::hook::{DiagnosticDoc, PlanHookDoc, diagnostic, plan_hooks};
use crate::firing::record::{FiringRecord, RunRecord};
use hookbench_core::calibration::Difference;
use hookbench_core::config::LoadedConfig;
use hookbench_core::decide::{HookRun, Outcome};
use hookbench_core::diagnostic::{Code, Diagnostic};
use hookbench_core::dialects::VersionBasis;
use hookbench_core::hook::HookInput;
use hookbench_core::output::{KeyUse, Vote};
use hookbench_core::plan::Plan;
use hookbench_core::recorded::RecordedEnvironment;
use hookbench_core::run::{CapturedStream, Exit, Launch, milliseconds};
use hookbench_core::verification::{Verification, VerifiedRun};

/// The comparison of a firing with a session of the installed agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerifiedDoc {
    /// Null if the event did not happen in a session; `why` says why.
    pub agrees: Option<bool>,
    pub differences: Vec<Difference>,
    /// The texts that the model was told because of the event.
    pub told_the_model: Vec<String>,
    /// The version of the agent. Null if the session failed.
    pub version: Option<String>,
    /// The runs of the hooks in the agent, in the order in which they started.
    pub runs: Vec<VerifiedRun>,
    /// Whether the announced action was blocked in the agent. Null if the session does not show it.
    pub blocked: Option<bool>,
    /// The input that the tool was given. Null if it did not run or the session does not show it.
    pub tool_input: Option<Value>,
    /// Whether the agent ran without a network on read-only files.
    pub isolated: bool,
    /// Differences from the event, and parts that are not compared.
    pub notes: Vec<String>,
    /// The reason why the event is not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Builds the document of a comparison.
pub fn verified_doc(verification: &Result<Verification, String>) -> VerifiedDoc {
    match verification {
        Ok(found) => VerifiedDoc {
            agrees: Some(found.agrees()),
            differences: found.differences.clone(),
            told_the_model: found.told_the_model.clone(),
            version: Some(found.version.clone()),
            runs: found.runs.clone(),
            blocked: found.blocked,
            tool_input: found.tool_input.clone(),
            isolated: found.isolated,
            notes: found.notes.clone(),
            why: None,
        },
        Err(why) => VerifiedDoc { why: Some(why.clone()), ..VerifiedDoc::default() },
    }
}

/// One event in one agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FiringDoc {
    /// `firing/1`.
    pub schema: &'static str,
    pub agent: String,
    pub agent_version: String,
    pub basis: BasisDoc,
    pub event: String,
    pub subject: Option<String>,
    pub input: Value,
    pub filled: Vec<String>,
    pub schedule: &'static str,
    pub plan: Vec<PlanHookDoc>,
    pub runs: Vec<RunDoc>,
    /// Null for a plan.
    pub outcome: Option<OutcomeDoc>,
    /// The comparison with the installed agent; missing if it was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<VerifiedDoc>,
    pub diagnostics: Vec<DiagnosticDoc>,
    /// The containment; missing if the hooks ran in the real project as the agent would run them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contained: Option<ContainedDoc>,
    /// The environment of the hooks; missing for a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<EnvironmentDoc>,
    /// The state carried over from earlier events of the session; missing if empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<FiringSessionDoc>,
}

/// The environment in which the hooks ran.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EnvironmentDoc {
    /// `shell`: hookbench's own process; `login`: a login shell; `agent`: a forwarding hook that the agent started.
    pub source: String,
    /// The directories of the PATH that the hooks got.
    pub path: Vec<String>,
    /// The file or the agent that sets this PATH; missing if it is that of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_from: Option<String>,
}

impl EnvironmentDoc {
    /// The document of an environment.
    pub fn of(environment: &RecordedEnvironment) -> EnvironmentDoc {
        EnvironmentDoc {
            source: environment.source.clone(),
            path: environment.path.iter().flat_map(|path| path.split(':')).map(str::to_owned).collect(),
            path_from: environment.path_from.clone(),
        }
    }
}

/// The state that earlier events of a session carry over to the next one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FiringSessionDoc {
    /// The number of stops in a row that hooks have blocked before this event.
    pub stops_blocked: u32,
}

/// The containment of a firing. Hooks see a copy of the project at the path of the project. Without isolation, the copy has
/// another path, which replaces the path of the project in their input and command lines.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContainedDoc {
    /// The path at which hooks saw the copy of the project, deleted by now.
    pub project: String,
    /// The home directory, deleted by now.
    pub home: String,
    /// Variables that hooks kept, in addition to those that the agent sets.
    pub environment: Vec<String>,
    /// `none`, or the reason why the network was available.
    pub network: String,
    /// `read-only`, or the reason why hooks could write to files outside the copy.
    pub other_files: String,
    /// The abilities that hooks keep because this system lacks a part of the isolation, such as a filter of system calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<&'static str>,
    /// Links of the project that are missing in the copy, with reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunDoc {
    pub hook: String,
    pub stdin: String,
    pub stdout: String,
    pub stderr: String,
    /// The bytes of `stdout` if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdout_base64: Option<String>,
    /// The bytes of `stderr` if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr_base64: Option<String>,
    pub exit: ExitDoc,
    #[serde(rename = "async")]
    pub is_async: bool,
    pub duration_ms: f64,
    /// Variables that the command or its script names and that came from the environment of the firing, because the
    /// agent does not set them.
    pub inherited: Vec<String>,
    /// Variables that the agent sets for the hook.
    pub set: Vec<String>,
    pub stdin_read: u64,
    pub truncated: bool,
    pub leftovers: Vec<String>,
    /// `deny`, `ask`, `allow`, `block`, `defer` or `none`.
    pub vote: &'static str,
    /// JSON pointers into the hook's output.
    pub used: Vec<String>,
    pub ignored: Vec<String>,
    pub invalid: Vec<String>,
    pub diagnostics: Vec<DiagnosticDoc>,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ExitDoc {
    Code {
        code: i32,
    },
    Signal {
        signal: i32,
    },
    TimedOut {
        after_ms: f64,
    },
    FailedToStart {
        error: String,
    },
    Cancelled,
    Http {
        status: u16,
    },
    Answered {
        /// The model that answered, which is the user's and not the agent's. Absent if the user answered.
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
}

/// The agent's decision.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutcomeDoc {
    /// `deny`, `ask`, `allow`, `no_objection`, `not_run`, `failed_open`, `failed_closed` or `unknown`.
    pub verdict: &'static str,
    pub blocked: bool,
    pub decided_by: Vec<String>,
    pub reason: Option<String>,
    pub additional_context: Option<String>,
    pub updated_input: Option<Value>,
    pub system_message: Option<String>,
    #[serde(rename = "continue")]
    pub continues: bool,
    pub stop_reason: Option<String>,
    pub suppress_output: bool,
    pub agent_does: String,
    pub merged: Option<Value>,
    pub extra: Map<String, Value>,
    pub trace: Vec<TraceDoc>,
}

/// Builds the document of a plan, for which nothing was run.
pub fn plan_doc(
    agent: &str,
    basis: &VersionBasis,
    input: &HookInput,
    filled: &[String],
    plan: &Plan,
    loaded: &LoadedConfig,
    notes: &[Diagnostic],
) -> FiringDoc {
    let mut diagnostics: Vec<DiagnosticDoc> = Vec::new();
    if let Some(refusal) = &loaded.refusal {
        let mut why = Diagnostic::new(Code::AgentRefuses, refusal.message.clone());
        why.span = refusal.span;
        diagnostics.push(diagnostic(&why, loaded));
    } else if let Some(lost) = &plan.lost {
        diagnostics.push(diagnostic(&Diagnostic::new(Code::PlanLost, lost.why.message.clone()), loaded));
    }
    // If the whole event is lost, no hook runs and the plan is left empty; `why` and `list` still explain each
    // hook.
    let nobody = loaded.refusal.is_some() || plan.lost.is_some();
    diagnostics.extend(notes.iter().chain(&plan.notes).chain(&loaded.notes).map(|d| diagnostic(d, loaded)));
    FiringDoc {
        schema: "firing/1",
        agent: agent.to_owned(),
        agent_version: basis.requested.to_string(),
        basis: basis_doc(basis),
        event: input.event.clone(),
        subject: input.subject.value.clone(),
        input: input.body.clone(),
        filled: filled.to_vec(),
        schedule: plan.schedule.word(),
        plan: if nobody { Vec::new() } else { plan_hooks(plan, loaded) },
        runs: Vec::new(),
        outcome: None,
        verified: None,
        diagnostics,
        contained: None,
        environment: None,
        session: None,
    }
}

/// Builds the document of a firing. A hook that only the agent could run has no run unless the user supplied its
/// answer.
pub fn firing_doc(firing: &FiringRecord) -> FiringDoc {
    let plan = &firing.plan;
    let loaded = &firing.loaded;
    let mut doc = plan_doc(
        firing.agent.as_str(),
        &firing.basis,
        &firing.input,
        &firing.filled,
        plan,
        loaded,
        &firing.diagnostics,
    );
    for run in firing.ended.iter().filter_map(|id| firing.run(*id)) {
        match run_doc(run, loaded) {
            Some(run) => doc.runs.push(run),
            None => {
                if let Launch::ByHand(question) = &run.launch {
                    let says = format!("{}: unknown: {}", run.hook, question.requires);
                    doc.diagnostics.push(diagnostic(&Diagnostic::new(Code::HookNeedsAgent, says), loaded));
                }
            }
        }
    }
    doc.outcome = firing.outcome.as_ref().map(|o| outcome_doc(o, firing));
    doc.verified = firing.verification.as_deref().map(verified_doc);
    doc.environment = Some(EnvironmentDoc::of(&firing.environment()));
    let blocked = firing.memory.stops_blocked;
    doc.session = (blocked > 0).then_some(FiringSessionDoc { stops_blocked: blocked });
    doc.contained = firing.containment.as_deref().map(|how| ContainedDoc {
        project: how.project.clone(),
        home: how.home.clone(),
        environment: how.environment.clone(),
        network: how.isolation.clone().err().unwrap_or_else(|| "none".to_owned()),
        other_files: how.isolation.clone().err().unwrap_or_else(|| "read-only".to_owned()),
        gaps: how.gaps.clone(),
        left_out: how.left_out.clone(),
    });
    doc
}

/// Builds the document of a run that has ended.
pub fn run_doc(record: &RunRecord, loaded: &LoadedConfig) -> Option<RunDoc> {
    let run = record.ended()?;
    let report = &run.report;
    let diagnostics = run.output.notes.iter().map(|d| diagnostic(d, loaded)).collect();
    Some(RunDoc {
        hook: run.hook.clone(),
        stdin: stdin_of(run),
        stdout: report.stdout.text().into_owned(),
        stderr: report.stderr.text().into_owned(),
        stdout_base64: base64_of(&report.stdout),
        stderr_base64: base64_of(&report.stderr),
        exit: exit_doc(&report.exit)?,
        is_async: !run.awaited,
        duration_ms: milliseconds(report.timing.duration()),
        inherited: record.inherited.clone(),
        set: set_variables(&record.launch),
        stdin_read: report.stdin_read,
        truncated: report.stdout.truncated() || report.stderr.truncated(),
        leftovers: report.leftovers.iter().map(|l| l.message.clone()).collect(),
        vote: match run.output.vote {
            Vote::None => "none",
            vote => vote.words(),
        },
        used: run.output.pointers(KeyUse::Used),
        ignored: run.output.pointers(KeyUse::Ignored),
        invalid: run.output.pointers(KeyUse::Invalid),
        diagnostics,
    })
}

/// The names of the variables that the agent sets, each once.
fn set_variables(launch: &Launch) -> Vec<String> {
    let Launch::Process(spec) = launch else { return Vec::new() };
    let names = spec.env.set.iter().map(|variable| &variable.name).chain(&spec.env.scratch_files);
    names.cloned().collect::<BTreeSet<String>>().into_iter().collect()
}

fn stdin_of(run: &HookRun) -> String {
    match &run.launch {
        Launch::Process(spec) => String::from_utf8_lossy(&spec.stdin).into_owned(),
        Launch::Http(spec) => String::from_utf8_lossy(&spec.body).into_owned(),
        Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => String::new(),
    }
}

fn base64_of(captured: &CapturedStream) -> Option<String> {
    (!captured.is_utf8()).then(|| base64::engine::general_purpose::STANDARD.encode(&captured.head))
}

/// Returns `None` for a hook that never ran because only the agent could run it.
fn exit_doc(exit: &Exit) -> Option<ExitDoc> {
    Some(match exit {
        Exit::Code(code) => ExitDoc::Code { code: *code },
        Exit::Signal(signal) => ExitDoc::Signal { signal: *signal },
        Exit::TimedOut { after } => ExitDoc::TimedOut { after_ms: milliseconds(*after) },
        Exit::FailedToStart { error } => ExitDoc::FailedToStart { error: error.clone() },
        Exit::Cancelled => ExitDoc::Cancelled,
        Exit::Http { status } => ExitDoc::Http { status: *status },
        Exit::Answered { by } => ExitDoc::Answered { by: by.clone() },
        Exit::Unanswered => return None,
    })
}

fn outcome_doc(outcome: &Outcome, firing: &FiringRecord) -> OutcomeDoc {
    OutcomeDoc { trace: trace_docs(&outcome.trace, firing), ..untraced_doc(outcome) }
}

/// Builds the document of an outcome without its trace.
pub fn untraced_doc(outcome: &Outcome) -> OutcomeDoc {
    OutcomeDoc {
        verdict: outcome.verdict.word(),
        blocked: outcome.blocked,
        decided_by: outcome.decided_by.clone(),
        reason: outcome.reason.clone(),
        additional_context: outcome.additional_context.clone(),
        updated_input: outcome.updated_input.clone(),
        system_message: outcome.system_message.clone(),
        continues: outcome.continues,
        stop_reason: outcome.stop_reason.clone(),
        suppress_output: outcome.suppress_output,
        agent_does: outcome.agent_does.clone(),
        merged: outcome.merged.clone(),
        extra: outcome.extra.clone(),
        trace: Vec::new(),
    }
}

/// Builds the document of a finding.
pub fn diagnostic_doc(finding: &Diagnostic, loaded: &LoadedConfig) -> DiagnosticDoc {
    diagnostic(finding, loaded)
}

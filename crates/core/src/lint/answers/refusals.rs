//! The answers with which a script refuses, found by reading it.

use hookbench_script::{Piece, Run, ScriptStream};
use serde::Serialize;
use serde_json::Value;

use super::check_expectations;
use super::hook_text::HookText;
use super::printed_answers::{COMPUTED, completed_answer, is_for_another_agent, refuses};
use super::simulation::simulate;
use crate::diagnostic::Diagnostic;
use crate::dialects::RuleContext;
use crate::hook::HookDefinition;
use crate::lint::script_context::{ScriptAuthor, script_author};
use crate::port::AgentVersion;
use crate::run::{Exit, RunId, RunReport};
use crate::text::Span;

/// One answer with which a hook refuses its event. `…` in its texts stands for what is not known before a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Refusal {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
    /// The line that prints it, or that ends the script, such as `hooks/guard.sh:12`.
    pub place: String,
}

impl Refusal {
    /// The run that ends with it.
    pub fn report(&self) -> RunReport {
        RunReport::new(RunId(0), Exit::Code(self.status), self.stdout.as_str(), self.stderr.as_str())
    }
}

/// The refusals of a hook in an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookRefusals {
    /// The different answers, in the order of the script. `None` if its language is not understood.
    pub answers: Option<Vec<Refusal>>,
    /// Names and keys that the script expects and only its own agent sends, so that a check may never apply. Each is a
    /// sentence with its line and its help.
    pub unsent: Vec<String>,
}

/// Reads a hook for an agent that may be another one, with its matcher there. `None` if that agent has no such event, or if `hookbench adapt`
/// translates for the hook. An answer counts if it blocks the event in the hook's own agent, or if some agent's word for a
/// refusal is in it.
pub(in crate::lint) fn refusals(
    at: &RuleContext<'_>,
    there: &AgentVersion,
    matcher: Option<Value>,
) -> Option<HookRefusals> {
    if script_author(at).is_some() {
        return None;
    }
    let guest = ScriptAuthor::of(at, there)?;
    let definition = HookDefinition { matcher, ..at.definition.clone() };
    let there = RuleContext { definition: &definition, ..guest.context(at) };
    let known = check_expectations(at);
    let is_new = |one: &Diagnostic| !known.iter().any(|other| (other.code, other.span) == (one.code, one.span));
    let unsent = check_expectations(&there).into_iter().filter(is_new).map(|one| sentence(at, &one)).collect();
    Some(HookRefusals { answers: answers(at, &there), unsent })
}

fn answers(at: &RuleContext<'_>, there: &RuleContext<'_>) -> Option<Vec<Refusal>> {
    let text = HookText::of(there)?;
    let walked = text.walk(there)?;
    let mut answers: Vec<Refusal> = Vec::new();
    for run in walked.runs.iter().filter(|run| !is_for_another_agent(there, &text.text, run)) {
        let Some(refusal) = refusal(at, there, &text, run) else { continue };
        let is_same = |known: &Refusal| {
            (known.status, &known.stdout, &known.stderr) == (refusal.status, &refusal.stdout, &refusal.stderr)
        };
        if !answers.iter().any(is_same) {
            answers.push(refusal);
        }
    }
    Some(answers)
}

fn line(at: &RuleContext<'_>, span: Span) -> String {
    format!("{}:{}", at.agent.sources.name(span.source), at.agent.sources.start(span).line)
}

fn sentence(at: &RuleContext<'_>, one: &Diagnostic) -> String {
    let place = one.span.map(|span| line(at, span)).unwrap_or_default();
    format!("{place}: {}; {}", one.message, one.help.as_deref().unwrap_or_default())
}

fn refusal(at: &RuleContext<'_>, there: &RuleContext<'_>, text: &HookText<'_>, run: &Run) -> Option<Refusal> {
    let status = run.status?;
    let answer = run.answer(COMPUTED).map(Value::Object);
    let (stdout, has_word) = match &answer {
        Some(answer) => (completed_answer(there, answer)?.to_string(), refuses(answer)),
        None => (printed_text(run, ScriptStream::Stdout), false),
    };
    let stderr = printed_text(run, ScriptStream::Stderr);
    let can_block = at.event.blockable_action.is_some();
    let is_meant = can_block && (has_word || status == 2);
    if !is_meant && !simulate(at, &stdout, &stderr, status)?.outcome(at).blocked {
        return None;
    }
    let printed = run.printed.last().map(|printed| &printed.at);
    let place = run.end.as_ref().filter(|_| status != 0).or(printed).or(run.end.as_ref());
    let place = line(at, text.span_of(place.cloned().unwrap_or_default()));
    Some(Refusal { status, stdout, stderr, place })
}

fn printed_text(run: &Run, stream: ScriptStream) -> String {
    let known = |piece: &Piece| match piece {
        Piece::Is(text) => text.clone(),
        Piece::Of(_) | Piece::Json(_) => COMPUTED.to_owned(),
    };
    let mut parts: Vec<String> = run.printed_on(stream).into_iter().flat_map(|p| &p.text).map(known).collect();
    parts.dedup_by(|part, before| part == COMPUTED && before == COMPUTED);
    parts.concat()
}

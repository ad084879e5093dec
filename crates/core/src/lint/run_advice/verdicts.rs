//! HW510, HW615, HW618, HW625, HW626: verdicts with a different effect than expected.

use serde_json::Value;

use super::answers::{decision_word, parse_answer};
use super::{FiringContext, RunContext};
use crate::decide::{HookRun, RACE, Verdict};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::output::{KeyUse, Vote};
use crate::run::RunId;

/// HW510: a decision of a background hook, which the agent does not wait for.
pub(super) fn check_background(at: &RunContext<'_>) -> Vec<Diagnostic> {
    if !at.definition.detached || at.event.blockable_action.is_none() {
        return Vec::new();
    }
    let said = parse_answer(&at.run.report.stdout.text());
    let decides = match (at.code(), said.as_ref().and_then(decision_word)) {
        (Some(2), _) => "exit 2".to_owned(),
        (_, Some(word)) if matches!(word, "deny" | "block" | "ask") => format!("`{word}`"),
        _ => return Vec::new(),
    };
    let says = format!("its {decides} is ignored: {} does not wait for a background hook", at.agent());
    vec![Diagnostic::new(Code::HW510, says).with_help("delete `async` if the hook must decide")]
}

pub(super) fn check_verdicts(at: &FiringContext<'_>) -> Vec<(RunId, Diagnostic)> {
    let mut found = Vec::new();
    for run in at.runs.iter().copied().filter(|run| run.awaited) {
        found.extend(check_outvoted(at, run).map(|one| (run.run, one)));
        found.extend(check_headless_ask(at, run).map(|one| (run.run, one)));
    }
    found.extend(check_lost_rewrites(at));
    found.extend(check_unrefused_denial(at));
    found
}

/// HW626: a tool call that is denied although no hook refused it.
fn check_unrefused_denial(at: &FiringContext<'_>) -> Option<(RunId, Diagnostic)> {
    let before_tool = at.event.fields.iter().any(|field| field.name == "tool_input")
        && !at.event.fields.iter().any(|field| field.name == "tool_response");
    let silent = |run: &&HookRun| matches!(run.output.vote, Vote::None | Vote::Allow) && run.output.failure.is_none();
    let mut awaited = at.runs.iter().copied().filter(|run| run.awaited);
    if !before_tool || at.outcome.verdict != Verdict::Deny || !awaited.clone().all(|run| silent(&run)) {
        return None;
    }
    let by = awaited.find(|run| at.outcome.decided_by.contains(&run.hook)).or_else(|| at.runs.first().copied())?;
    let says = format!("no hook denied the call, yet it does not run: {}", at.outcome.agent_does);
    let help = "in every hook of this event, print nothing or the decision you mean";
    Some((by.run, Diagnostic::new(Code::HW626, says).with_help(help)))
}

/// HW615: the verdict of another hook took precedence.
fn check_outvoted(at: &FiringContext<'_>, run: &HookRun) -> Option<Diagnostic> {
    let outcome = at.outcome;
    let vote = run.output.vote;
    let denies = matches!(vote, Vote::Deny | Vote::Block);
    let stronger = match vote {
        Vote::Allow => matches!(outcome.verdict, Verdict::Deny | Verdict::Ask),
        Vote::Ask => matches!(outcome.verdict, Verdict::Deny | Verdict::Allow | Verdict::NoObjection),
        Vote::Deny | Vote::Block => {
            at.event.blockable_action.is_some()
                && matches!(outcome.verdict, Verdict::Allow | Verdict::Ask | Verdict::NoObjection)
        }
        Vote::Defer => matches!(outcome.verdict, Verdict::Deny | Verdict::Ask | Verdict::Allow),
        Vote::None => false,
    };
    let others = || at.runs.iter().copied().filter(|other| other.run != run.run && other.awaited);
    // A single hook cannot lose to another one. The agent's own rule decided, and the trace shows which.
    if !stronger || others().next().is_none() || outcome.decided_by.contains(&run.hook) {
        return None;
    }
    let winner = others().find(|other| outcome.decided_by.contains(&other.hook)).or_else(|| {
        let speaks = |other: &&HookRun| other.output.vote != Vote::None && other.output.vote != vote;
        others().find(speaks)
    });
    let by = match winner {
        Some(other) if other.output.vote != Vote::None && other.output.vote != vote => {
            format!("the `{}` of {}", other.output.vote.words(), label(at, other))
        }
        Some(other) => format!("the answer of {}", label(at, other)),
        None => "the answers of other hooks".to_owned(),
    };
    let says = format!("its `{}` lost to {by}: {}", vote.words(), outcome.agent_does);
    Some(if denies {
        Diagnostic::new(Code::HW615, says).with_help("if this denial must hold, let no other hook of this event answer")
    } else {
        Diagnostic::lowered(Code::HW615, Severity::Info, says)
    })
}

fn label(at: &FiringContext<'_>, run: &HookRun) -> String {
    at.scene
        .loaded
        .definition(&run.hook)
        .map_or_else(|| run.hook.clone(), |d| format!("{} ({}:{})", d.label(), d.provenance.file, d.provenance.line))
}

/// HW618: the hook asks, but the session is headless.
fn check_headless_ask(at: &FiringContext<'_>, run: &HookRun) -> Option<Diagnostic> {
    if run.output.vote != Vote::Ask || !at.scene.headless || !at.outcome.decided_by.contains(&run.hook) {
        return None;
    }
    let says = format!("the hook answers `ask`, but no user can be asked in this run: {}", at.outcome.agent_does);
    Some(Diagnostic::new(Code::HW618, says).with_help("answer `allow` or `deny` when no user is present"))
}

/// HW625: one of several rewritten inputs is used, and the others are lost.
fn check_lost_rewrites(at: &FiringContext<'_>) -> Vec<(RunId, Diagnostic)> {
    let taken = at.outcome.updated_input.as_ref();
    if taken.is_none() && !at.outcome.rules().contains(&RACE) {
        return Vec::new();
    }
    let rewrites: Vec<(&HookRun, &Value)> = at
        .runs
        .iter()
        .copied()
        .filter(|run| run.awaited)
        .filter_map(|run| {
            let used = |f: &&crate::output::FieldUse| {
                f.key_use == KeyUse::Used
                    && (f.pointer.ends_with("/updatedInput") || f.pointer.ends_with("/tool_input"))
            };
            let field = run.output.fields.iter().find(used)?;
            Some((run, run.output.value.as_ref()?.pointer(&field.pointer)?))
        })
        .collect();
    let mut lost = Vec::new();
    for (run, value) in &rewrites {
        let Some(taken) = taken else {
            // The hooks race.
            let Some((other, _)) = rewrites.iter().find(|(_, other)| other != value) else { continue };
            let says = format!(
                "its new input counts only if it ends last: {} also gives one, and the agent does not merge them",
                label(at, other)
            );
            let help = "let only one hook rewrite the tool input";
            lost.push((run.run, Diagnostic::new(Code::HW625, says).with_help(help)));
            continue;
        };
        // An input that is contained in the result is not lost: some agents chain their hooks.
        let kept = match (value, taken) {
            (Value::Object(value), Value::Object(taken)) => value.iter().all(|(key, v)| taken.get(key) == Some(v)),
            (value, taken) => *value == taken,
        };
        if kept || rewrites.len() < 2 {
            continue;
        }
        let winner = rewrites.iter().find(|(_, other)| *other == taken).map(|(other, _)| label(at, other));
        let by = winner.unwrap_or_else(|| "another hook".to_owned());
        let says = format!("its new input is lost: the agent uses that of {by} and does not merge them");
        let help = "let only one hook rewrite the tool input";
        lost.push((run.run, Diagnostic::new(Code::HW625, says).with_help(help)));
    }
    lost
}

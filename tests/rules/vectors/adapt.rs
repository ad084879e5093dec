//! Every recorded run of a hook, as if its script ran under another agent that has the same event: that agent decides
//! as the script's own agent, or the adapter names what is lost.

use std::collections::{BTreeMap, HashSet};

use hookbench::core::adapt::{AdaptedAnswer, HookAdapter, LoneHook, ScriptRun};
use hookbench::core::config::{Os, Place};
use hookbench::core::decide::{Outcome, Verdict};
use hookbench::core::dialects::{self, default_version};
use hookbench::core::hook::HookInput;
use hookbench::core::port::{AgentVersion, translate};
use hookbench::core::run::{Exit, RunId, RunReport};
use hookbench::core::text::stringify;

use super::fire;
use crate::vector::vectors;

fn agents() -> Vec<AgentVersion> {
    dialects::ALL.iter().map(|d| AgentVersion { dialect: d, version: default_version(d) }).collect()
}

fn place() -> Place {
    Place { project: "/hb/project".to_owned(), home: "/hb/home".to_owned(), os: Os::Linux, ..Place::default() }
}

/// A run that is decided once: vectors repeat outputs under many settings.
type RunKey = (String, String, String, Option<i32>, Vec<u8>, Vec<u8>);

#[test]
fn the_caller_decides_as_the_agent_of_the_script() {
    let (agents, place) = (agents(), place());
    let mut wrong: Vec<String> = Vec::new();
    let mut total = 0;
    for script in &agents {
        let mut known: HashSet<RunKey> = HashSet::new();
        let mut same: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for vector in vectors(&format!("vectors/{}", script.dialect.id())) {
            let Ok(fired) = fire(&vector) else { continue };
            for run in fired.runs.iter().filter(|run| run.awaited && matches!(run.report.exit, Exit::Code(_))) {
                let output = (run.report.exit.clone(), run.report.stdout.head.clone(), run.report.stderr.head.clone());
                let call = |key: &str| run.input.body.get(key).map(stringify).unwrap_or_default();
                let (exit, stdout, stderr) = output.clone();
                let event = run.input.event.clone();
                if !known.insert((event, call("tool_name"), call("tool_input"), exit.code(), stdout, stderr)) {
                    continue;
                }
                let Some(native) = decide(script, &run.input, &run.report, &place) else { continue };
                for caller in agents.iter().filter(|caller| caller.dialect.id() != script.dialect.id()) {
                    let Ok(there) = translate(&run.input, script, caller, &place) else { continue };
                    let adapter = HookAdapter::new(script.clone(), caller.clone(), None, place.clone());
                    let Some((answer, got)) = adapted(&adapter, &there.input, &output) else { continue };
                    total += 1;
                    let (agreed, all) = same.entry(caller.dialect.id().as_str()).or_default();
                    *all += 1;
                    *agreed += usize::from(answer.losses.is_empty());
                    let is_named = !answer.losses.is_empty();
                    let is_open = is_more_open(&native, &got) && can_block(caller, &there.input, &place);
                    if is_open || !is_named && effects(&native) != effects(&got) {
                        let caller = caller.dialect.id();
                        wrong.push(format!("{} in {caller}: {:?} {:?}", vector.id, effects(&native), effects(&got)));
                    }
                }
            }
        }
        assert_eq!(same.len(), agents.len() - 1, "{}", script.dialect.id());
        for (caller, (agreed, all)) in same {
            assert!(agreed * 2 > all, "{} in {caller}: {agreed} of {all} without a loss", script.dialect.id());
        }
    }
    assert!(wrong.is_empty(), "{} of {total}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Whether the agent has a way to refuse this.
fn can_block(side: &AgentVersion, input: &HookInput, place: &Place) -> bool {
    let report = RunReport::new(RunId(0), Exit::Code(2), "", "no");
    decide(side, input, &report, place).is_some_and(|outcome| outcome.blocked)
}

fn adapted(
    adapter: &HookAdapter,
    input: &HookInput,
    (exit, stdout, stderr): &(Exit, Vec<u8>, Vec<u8>),
) -> Option<(AdaptedAnswer, Outcome)> {
    let events = adapter.translate_event(input).ok()?;
    let runs: Vec<ScriptRun> = events
        .into_iter()
        .map(|event| ScriptRun { event, exit: exit.clone(), stdout: stdout.clone(), stderr: stderr.clone() })
        .collect();
    let answer = adapter.translate_answer(input, &runs);
    let report = RunReport::new(RunId(0), Exit::Code(answer.exit), answer.stdout.clone(), answer.stderr.clone());
    let got = decide(&adapter.caller, input, &report, &adapter.place)?;
    Some((answer, got))
}

fn decide(side: &AgentVersion, input: &HookInput, report: &RunReport, place: &Place) -> Option<Outcome> {
    Some(LoneHook::on(side, &input.event, place)?.decide(input, report)?.outcome)
}

/// The parts of an outcome that all agents have.
fn effects(outcome: &Outcome) -> (Verdict, bool, Option<String>, Option<String>, Option<String>, bool) {
    let plain = |text: &Option<String>| {
        text.as_ref()
            .map(|text| text.strip_prefix("[hook]: ").unwrap_or(text).trim().to_owned())
            .filter(|t| !t.is_empty())
    };
    (
        outcome.verdict,
        outcome.blocked,
        plain(&outcome.reason),
        plain(&outcome.additional_context),
        plain(&outcome.system_message),
        outcome.continues,
    )
}

fn is_more_open(native: &Outcome, got: &Outcome) -> bool {
    let refuses = |o: &Outcome| o.blocked || matches!(o.verdict, Verdict::Deny | Verdict::FailedClosed);
    let asks = |o: &Outcome| o.verdict == Verdict::Ask;
    (refuses(native) && !refuses(got) && got.continues)
        || (asks(native) && !asks(got) && !refuses(got) && got.continues)
}

/// A guard sees every file of a patch, and one refusal refuses the whole patch.
#[test]
fn each_change_of_a_patch_is_an_event() {
    let (agents, place) = (agents(), place());
    let of = |id: &str| agents.iter().find(|agent| agent.dialect.id() == id).unwrap().clone();
    let adapter = HookAdapter::new(of("claude"), of("codex"), None, place);
    let patch = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** Update File: .env\n@@\n-A=1\n+A=2\n*** Delete File: c\n*** End Patch\n";
    let input = adapter.read_event(serde_json::json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "turn_id": "t", "cwd": "/hb/project",
        "tool_name": "apply_patch", "tool_input": {"command": patch},
    }));
    let events = adapter.translate_event(&input).unwrap();
    let seen: Vec<(&str, &str)> = events
        .iter()
        .map(|event| {
            let body = &event.input.body;
            let path = body["tool_input"].get("file_path").unwrap_or(&body["tool_input"]["command"]);
            (body["tool_name"].as_str().unwrap(), path.as_str().unwrap())
        })
        .collect();
    let deletion = "*** Begin Patch\n*** Delete File: c\n*** End Patch\n";
    assert_eq!(seen, [("Write", "a.txt"), ("Edit", ".env"), ("apply_patch", deletion)]);
    let runs: Vec<ScriptRun> = events
        .into_iter()
        .map(|event| {
            let is_refused = event.input.body.to_string().contains(".env");
            let (exit, stderr) = if is_refused { (2, "not .env") } else { (0, "") };
            ScriptRun { event, exit: Exit::Code(exit), stdout: Vec::new(), stderr: stderr.as_bytes().to_vec() }
        })
        .collect();
    let answer = adapter.translate_answer(&input, &runs);
    let report = RunReport::new(RunId(0), Exit::Code(answer.exit), answer.stdout, answer.stderr);
    let outcome = decide(&adapter.caller, &input, &report, &adapter.place).unwrap();
    assert_eq!((outcome.blocked, outcome.reason.as_deref()), (true, Some("not .env")));
}

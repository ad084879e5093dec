//! Traces of hook runs in a session file: attachments, refusals, and the summary of a stop.

use std::time::Duration;

use serde_json::Value;

use crate::shared::reconstruction::{flag, text};
use hookbench_base::hook::command_label;
use hookbench_base::names::RunId;
use hookbench_base::recorded::RecordedRun;
use hookbench_base::run::{Exit, RunReport, Timing};

/// Returns the event, the call id and the run that an attachment describes, if it describes a run.
pub fn read_attachment(attachment: &Value) -> Option<(String, String, RecordedRun)> {
    let kind = text(attachment, "type")?;
    let event = text(attachment, "hookEvent")?.to_owned();
    let call = text(attachment, "toolUseID").unwrap_or_default().to_owned();
    let exit = match attachment.get("exitCode").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok()) {
        Some(code) => Exit::Code(code),
        None if kind == "hook_cancelled" => Exit::Cancelled,
        None => return None,
    };
    let said = |key: &str| text(attachment, key).unwrap_or_default();
    let run = run(text(attachment, "command")?, exit, said("stdout"), said("stderr"), duration(attachment));
    Some((event, call, run))
}

/// The refusal of a call by a hook.
#[derive(Debug, PartialEq)]
pub struct HookRefusal {
    /// The run, if the file identifies it.
    pub run: Option<RecordedRun>,
}

/// Returns the refusal in the text that the model received for a call. The form with the command in brackets
/// belongs to exit status 2. In the other form a hook gave its own reason, and the file does not identify the
/// hook.
pub fn read_refusal(tool: &str, says: &str) -> Option<HookRefusal> {
    let rest = says.strip_prefix(&format!("PreToolUse:{tool} hook error: "))?;
    let blamed = rest.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
    Some(HookRefusal { run: blamed.map(|(command, stderr)| run(command, Exit::Code(2), "", stderr, Duration::ZERO)) })
}

/// Returns the runs in a stop's summary, if all succeeded without output. Otherwise the file does not tell which
/// hook printed what.
pub fn quiet_stop_runs(summary: &Value) -> Option<Vec<RecordedRun>> {
    let infos = summary.get("hookInfos")?.as_array()?;
    let errors = summary.get("hookErrors").and_then(Value::as_array).is_some_and(|errors| !errors.is_empty());
    if infos.is_empty() || errors || flag(summary, "preventedContinuation") || flag(summary, "hasOutput") {
        return None;
    }
    summary.get("hasOutput")?;
    let quiet = |info: &Value| Some(run(text(info, "command")?, Exit::Code(0), "", "", duration(info)));
    infos.iter().map(quiet).collect()
}

/// Returns the input that a call really had, as rewritten by a hook; the file contains only the model's input.
/// Returns `None` if several hooks rewrote it, because the last to finish wins and the file does not tell which
/// one that was.
pub fn rewritten_input(runs: &[RecordedRun]) -> Option<Value> {
    let one = |run: &RecordedRun| {
        let answer: Value = serde_json::from_slice(&run.report.stdout.head).ok()?;
        answer.pointer("/hookSpecificOutput/updatedInput").filter(|input| input.is_object()).cloned()
    };
    let mut rewrites = runs.iter().filter(|run| run.report.exit == Exit::Code(0)).filter_map(one);
    let first = rewrites.next();
    if rewrites.next().is_some() { None } else { first }
}

fn duration(record: &Value) -> Duration {
    Duration::from_millis(record.get("durationMs").and_then(Value::as_u64).unwrap_or(0))
}

fn run(command: &str, exit: Exit, stdout: &str, stderr: &str, took: Duration) -> RecordedRun {
    RecordedRun {
        hook: command_label(command),
        command: Some(command.to_owned()),
        definition: None,
        layer: None,
        stdin: None,
        partial: true,
        report: RunReport {
            timing: Timing { started: Duration::ZERO, ended: took },
            ..RunReport::new(RunId(0), exit, stdout, stderr)
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn refusals_name_their_hook() {
        let refused = read_refusal("Bash", "PreToolUse:Bash hook error: [/opt/hooks/guard]: no\n");
        let run = refused.and_then(|refused| refused.run).expect("a run");
        assert_eq!((run.hook.as_str(), run.report.exit), ("guard", Exit::Code(2)));
        assert_eq!(run.report.stderr.head, b"no\n");
        assert_eq!(read_refusal("Bash", "PreToolUse:Bash hook error: not now"), Some(HookRefusal { run: None }));
        assert_eq!(read_refusal("Bash", "Exit code 3"), None);
    }

    #[test]
    fn stops_that_say_nothing() {
        let summary = json!({"hookInfos": [{"command": "a"}, {"command": "b", "durationMs": 7}], "hookErrors": [],
            "preventedContinuation": false, "hasOutput": false});
        assert_eq!(quiet_stop_runs(&summary).map(|runs| runs.len()), Some(2));
        for (key, value) in
            [("hasOutput", json!(true)), ("hookErrors", json!(["x"])), ("preventedContinuation", json!(true))]
        {
            let mut loud = summary.clone();
            loud[key] = value;
            assert_eq!(quiet_stop_runs(&loud), None, "{key}");
        }
    }
}

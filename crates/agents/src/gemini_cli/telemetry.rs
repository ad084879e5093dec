//! The records of tool calls, prompts and hooks in the telemetry file. Measured on 0.61.0.

use std::time::Duration;

use serde_json::Value;

use hookbench_base::names::RunId;
use hookbench_base::recorded::{
    Attributes, CallOutcome, CalledTool, HookRunRecord, RecordedRun, TelemetryCall, TelemetryFormat, digest,
};
use hookbench_base::run::{Exit, RunReport, Timing};
use hookbench_base::text::stringify;

/// The beginning of the error of a call that a hook refused.
const REFUSED: &str = "Tool execution blocked: ";

/// The records. `service.version` is the version of Node.
pub static TELEMETRY: TelemetryFormat = TelemetryFormat {
    service: "gemini-cli",
    version: None,
    prompt: Some(("gemini_cli.user_prompt", "BeforeAgent")),
    decision: None,
    result: "gemini_cli.tool_call",
    spans: None,
    call_id: None,
    events: ("BeforeTool", None),
    keys: [&[("session_id", "session.id")], &[], &[]],
    lacks: &["transcript_path", "cwd", "timestamp"],
    event_lacks: &[],
    call,
    hook_run: Some(("gemini_cli.hook_call", hook_run)),
};

fn call(attributes: &Attributes) -> Option<TelemetryCall> {
    let word = |key: &str| attributes.get(key).and_then(Value::as_str);
    let input = word("function_args").and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
    let refused = word("error").is_some_and(|error| error.starts_with(REFUSED));
    let end = if refused { CallOutcome::Refused } else { CallOutcome::Other };
    let called = CalledTool { id: None, tool: word("function_name")?.to_owned(), input };
    Some(TelemetryCall { called, response: None, end })
}

/// A run is whole if it has its input. The record shows the input with indentation; the hook reads it in one line.
fn hook_run(attributes: &Attributes) -> Option<HookRunRecord> {
    let word = |key: &str| attributes.get(key).and_then(Value::as_str);
    let payload = stringify(&serde_json::from_str::<Value>(word("hook_input")?).ok()?);
    let exit = attributes.get("exit_code").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok())?;
    let took = Duration::from_millis(attributes.get("duration_ms").and_then(Value::as_u64).unwrap_or(0));
    // A hook without a name is called by its command.
    let name = word("hook_name")?;
    let run = RecordedRun {
        hook: name.to_owned(),
        command: Some(name.to_owned()),
        definition: None,
        layer: None,
        stdin: Some(digest(payload.as_bytes())),
        partial: false,
        report: RunReport {
            timing: Timing { started: Duration::ZERO, ended: took },
            ..RunReport::new(
                RunId(0),
                Exit::Code(exit),
                word("stdout").unwrap_or_default(),
                word("stderr").unwrap_or_default(),
            )
        },
    };
    Some(HookRunRecord { event: word("hook_event_name")?.to_owned(), payload, run })
}

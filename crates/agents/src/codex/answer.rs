//! Interprets the output of a finished run (spec §5.3, §5.6). An invalid answer counts as no answer: Codex
//! proceeds.

use serde_json::Value;

use super::wire::{self, Fault};
use hookbench_base::output::{Form, Reach};
use hookbench_base::run::{Exit, RunReport, Stream};

/// The state in which Codex reports a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Status {
    #[default]
    Completed,
    Failed,
    Blocked,
    Stopped,
    /// The answer is unknown: only Codex can run the hook.
    Open,
}

impl Status {
    /// Returns the name that Codex itself uses.
    pub fn word(self) -> &'static str {
        match self {
            Status::Completed => "completed",
            Status::Failed => "failed",
            Status::Blocked => "blocked",
            Status::Stopped => "stopped",
            Status::Open => "unknown",
        }
    }
}

/// The answer of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    pub form: Form,
    pub status: Status,
    /// The JSON of the answer, if it is an object.
    pub value: Option<Value>,
    /// Why Codex ignores the answer.
    pub failure: Option<String>,
    /// The key that makes the answer invalid.
    pub fault: Option<Fault>,
    /// A warning to the user.
    pub message: Option<String>,
    /// Context for the model.
    pub context: Option<String>,
    /// The reason for a block, or the text that replaces a tool's result.
    pub reason: Option<String>,
    pub stop_reason: Option<String>,
    pub updated_input: Option<Value>,
    /// Whether the answer approves the call on the user's behalf.
    pub allows: bool,
    /// The stream that the answer was read from.
    pub stream: Option<Stream>,
}

impl Answer {
    fn failed(form: Form, why: impl Into<String>) -> Answer {
        Answer { form, status: Status::Failed, failure: Some(why.into()), ..Answer::default() }
    }

    fn fail(&mut self, why: impl Into<String>) {
        self.status = Status::Failed;
        self.failure = Some(why.into());
        self.context = None;
    }

    /// Returns a key of the answer unless it is missing or null.
    fn get(&self, pointer: &str) -> Option<&Value> {
        self.value.as_ref()?.pointer(pointer).filter(|v| !v.is_null())
    }

    fn text(&self, pointer: &str) -> Option<&str> {
        self.get(pointer).and_then(Value::as_str)
    }

    fn flag(&self, pointer: &str) -> Option<bool> {
        self.get(pointer).and_then(Value::as_bool)
    }

    fn stops(&self) -> bool {
        self.flag("/continue") == Some(false)
    }
}

/// Interprets the report of a run on an event.
pub fn answer(event: &str, report: &RunReport) -> Answer {
    match &report.exit {
        Exit::Code(0) | Exit::Answered => said(event, &report.stdout.text()),
        Exit::Code(2) => exit_2(event, &report.stderr.text()),
        Exit::Code(code) => Answer::failed(Form::Lost, failed_with(event, *code, &report.stderr.text())),
        Exit::Signal(_) if is_compact_or_model(event) => {
            Answer::failed(Form::Lost, "hook process terminated without an exit code")
        }
        Exit::Signal(_) => Answer::failed(Form::Lost, "hook exited without a status code"),
        Exit::TimedOut { after } => Answer::failed(Form::Lost, format!("hook timed out after {}s", after.as_secs())),
        Exit::FailedToStart { error } => Answer::failed(Form::Lost, error.clone()),
        Exit::Unanswered => Answer { form: Form::Lost, status: Status::Open, ..Answer::default() },
        other => Answer::failed(Form::Lost, other.words()),
    }
}

fn is_compact_or_model(event: &str) -> bool {
    matches!(event, "PreCompact" | "PostCompact" | "PreModelRequest" | "PostModelRequest")
}

/// Returns the message of an exit code. On these events Codex shows stderr to the user; on all others only the
/// code.
fn failed_with(event: &str, code: i32, stderr: &str) -> String {
    let stderr = stderr.trim();
    if is_compact_or_model(event) && !stderr.is_empty() {
        return stderr.to_owned();
    }
    format!("hook exited with code {code}")
}

fn exit_2(event: &str, stderr: &str) -> Answer {
    let what = match event {
        "PreToolUse" | "UserPromptSubmit" => "a blocking reason",
        "PermissionRequest" => "a denial reason",
        "PostToolUse" => "feedback",
        "Stop" | "SubagentStop" => "a continuation prompt",
        _ => return Answer::failed(Form::Lost, failed_with(event, 2, stderr)),
    };
    let reason = stderr.trim();
    if reason.is_empty() {
        return Answer::failed(
            Form::Lost,
            format!("{event} hook exited with code 2 but did not write {what} to stderr"),
        );
    }
    Answer {
        form: Form::Text,
        status: Status::Blocked,
        reason: Some(reason.to_owned()),
        stream: Some(Stream::Stderr),
        ..Answer::default()
    }
}

fn said(event: &str, stdout: &str) -> Answer {
    let trimmed = stdout.trim();
    if trimmed.is_empty() || event == "SessionEnd" {
        return Answer::default();
    }
    // Codex parses with serde_json too.
    let parsed = serde_json::from_str::<Value>(trimmed);
    let on_stdout = |answer| Answer { stream: Some(Stream::Stdout), ..answer };
    if matches!(event, "PreModelRequest" | "PostModelRequest") {
        return on_stdout(Answer {
            form: Form::Text,
            value: parsed.ok().filter(Value::is_object),
            ..Answer::default()
        });
    }
    let looks = trimmed.starts_with(['{', '[']);
    let why = match parsed {
        Ok(value @ Value::Object(_)) => match wire::read(event, &value) {
            Ok(read) => return on_stdout(object(event, read)),
            Err(fault) => {
                let why = format!("{} ({})", invalid(event), fault.says);
                let failed = Answer::failed(Form::Rejected, why);
                return on_stdout(Answer { value: Some(value), fault: Some(fault), ..failed });
            }
        },
        Ok(_) if looks => Some("it is a list".to_owned()),
        Err(why) if looks => Some(why.to_string()),
        _ => None,
    };
    on_stdout(match (event, why) {
        (_, Some(why)) => Answer::failed(Form::Rejected, format!("{} ({why})", invalid(event))),
        ("SessionStart" | "SubagentStart" | "UserPromptSubmit", None) => {
            Answer { form: Form::Text, context: Some(trimmed.to_owned()), ..Answer::default() }
        }
        ("Stop" | "SubagentStop", None) => {
            Answer::failed(Form::Rejected, format!("{} (it is plain text)", invalid(event)))
        }
        ("Interrupt", None) => Answer::failed(Form::Rejected, "Interrupt hook returned non-JSON stdout"),
        _ => Answer { form: Form::Text, ..Answer::default() },
    })
}

/// Returns who receives plain text on stdout.
pub fn text_reaches(event: &str) -> Reach {
    if matches!(event, "SessionStart" | "SubagentStart" | "UserPromptSubmit") { Reach::Model } else { Reach::Nobody }
}

fn invalid(event: &str) -> String {
    let name = match event {
        "PreToolUse" => "pre-tool-use",
        "PermissionRequest" => "permission-request",
        "PostToolUse" => "post-tool-use",
        "UserPromptSubmit" => "user prompt submit",
        "SessionStart" => "session start",
        "SubagentStart" => "subagent start",
        "Stop" => "stop hook",
        "SubagentStop" => "subagent stop hook",
        "Interrupt" => "interrupt hook",
        other => return format!("hook returned invalid {other} hook JSON output"),
    };
    format!("hook returned invalid {name} JSON output")
}

/// Interprets an object of the right shape. Its warning is shown even if the rest is invalid.
fn object(event: &str, value: Value) -> Answer {
    let mut answer = Answer { form: Form::Json, value: Some(value), ..Answer::default() };
    let text = |pointer: &str| answer.text(pointer).map(str::to_owned);
    let (message, context, stop_reason) =
        (text("/systemMessage"), text("/hookSpecificOutput/additionalContext"), text("/stopReason"));
    (answer.message, answer.context) = (message, context);
    match event {
        "PreToolUse" => before_tool(&mut answer),
        "PermissionRequest" => permission(&mut answer),
        "PostToolUse" => after_tool(&mut answer, stop_reason),
        "UserPromptSubmit" | "Stop" | "SubagentStop" => may_block(event, &mut answer, stop_reason),
        "SessionStart" | "PreCompact" | "PostCompact" if answer.stops() => {
            // Only these two have a default reason.
            let default = (event != "SessionStart").then(|| format!("{event} hook stopped execution"));
            stop(&mut answer, stop_reason.or(default));
        }
        _ => {}
    }
    answer
}

fn stop(answer: &mut Answer, reason: Option<String>) {
    answer.status = Status::Stopped;
    answer.stop_reason = reason;
}

fn block(answer: &mut Answer, reason: String) {
    answer.status = Status::Blocked;
    answer.reason = Some(reason);
}

/// Returns a key that is valid JSON but that two events reject.
fn unsupported(answer: &Answer) -> Option<&'static str> {
    if answer.stops() {
        Some("continue:false")
    } else if answer.get("/stopReason").is_some() {
        Some("stopReason")
    } else if answer.flag("/suppressOutput") == Some(true) {
        Some("suppressOutput")
    } else {
        None
    }
}

fn trimmed(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned)
}

fn before_tool(answer: &mut Answer) {
    if let Some(what) = unsupported(answer) {
        return answer.fail(format!("PreToolUse hook returned unsupported {what}"));
    }
    let own = |key: &str| format!("/hookSpecificOutput/{key}");
    let decision = answer.text(&own("permissionDecision")).map(str::to_owned);
    let reason = answer.text(&own("permissionDecisionReason"));
    let updated = answer.get(&own("updatedInput")).cloned();
    // If any of the three is present, Codex ignores the older pair `decision` and `reason`.
    if decision.is_none() && reason.is_none() && updated.is_none() {
        let reason = trimmed(answer.text("/reason"));
        return match (answer.text("/decision"), reason) {
            (Some("approve"), _) => answer.fail("PreToolUse hook returned unsupported decision:approve"),
            (Some(_), Some(reason)) => block(answer, reason),
            (Some(_), None) => answer.fail(without_reason("PreToolUse")),
            (None, _) if answer.get("/reason").is_some() => {
                answer.fail("PreToolUse hook returned reason without decision");
            }
            (None, _) => {}
        };
    }
    let reason = trimmed(reason);
    match (decision.as_deref(), updated) {
        (Some("allow"), Some(updated)) => answer.updated_input = Some(updated),
        (_, Some(_)) => answer.fail("PreToolUse hook returned updatedInput without permissionDecision:allow"),
        (Some("deny"), None) => match reason {
            Some(reason) => block(answer, reason),
            None => answer
                .fail("PreToolUse hook returned permissionDecision:deny without a non-empty permissionDecisionReason"),
        },
        (Some(word), None) => answer.fail(format!("PreToolUse hook returned unsupported permissionDecision:{word}")),
        (None, None) => {
            answer.fail("PreToolUse hook returned permissionDecisionReason without permissionDecision");
        }
    }
}

fn without_reason(event: &str) -> String {
    format!("{event} hook returned decision:block without a non-empty reason")
}

fn permission(answer: &mut Answer) {
    let at = |key: &str| format!("/hookSpecificOutput/decision/{key}");
    let refused = unsupported(answer).map(str::to_owned).or_else(|| {
        let there = ["updatedInput", "updatedPermissions"].into_iter().find(|key| answer.get(&at(key)).is_some());
        let interrupt = answer.flag(&at("interrupt")) == Some(true);
        there.map(str::to_owned).or_else(|| interrupt.then(|| "interrupt:true".to_owned()))
    });
    if let Some(what) = refused {
        return answer.fail(format!("PermissionRequest hook returned unsupported {what}"));
    }
    match answer.text(&at("behavior")) {
        Some("allow") => answer.allows = true,
        Some(_) => {
            let message = trimmed(answer.text(&at("message")));
            block(answer, message.unwrap_or_else(|| "PermissionRequest hook denied approval".to_owned()));
        }
        None => {}
    }
}

fn after_tool(answer: &mut Answer, stop_reason: Option<String>) {
    let unsupported = if answer.flag("/suppressOutput") == Some(true) {
        Some("suppressOutput")
    } else {
        answer.get("/hookSpecificOutput/updatedMCPToolOutput").map(|_| "updatedMCPToolOutput")
    };
    let reason = answer.text("/reason").map(str::to_owned);
    let blocks = answer.text("/decision").is_some();
    let stops = answer.stops();
    let blank = reason.as_deref().is_none_or(|r| r.trim().is_empty());
    let bad_block = if blocks && blank {
        Some(without_reason("PostToolUse"))
    } else if !blocks && !stops && reason.is_some() {
        Some("PostToolUse hook returned reason without decision".to_owned())
    } else {
        None
    };
    if unsupported.is_some() || bad_block.is_some() {
        answer.context = None;
    }
    if stops {
        let said = stop_reason.unwrap_or_else(|| "PostToolUse hook stopped execution".to_owned());
        answer.status = Status::Stopped;
        answer.reason = Some(trimmed(reason.as_deref()).unwrap_or(said));
    } else if let Some(what) = unsupported {
        answer.fail(format!("PostToolUse hook returned unsupported {what}"));
    } else if let Some(why) = bad_block {
        answer.fail(why);
    } else if let Some(reason) = reason.filter(|_| blocks) {
        block(answer, reason);
    }
}

fn may_block(event: &str, answer: &mut Answer, stop_reason: Option<String>) {
    let blocks = answer.text("/decision").is_some();
    let reason = answer.text("/reason").filter(|r| !r.trim().is_empty()).map(str::to_owned);
    let void = blocks && reason.is_none();
    if void {
        answer.context = None;
    }
    if answer.stops() {
        return stop(answer, stop_reason);
    }
    match reason.filter(|_| blocks) {
        // The reason of a blocked prompt is not trimmed.
        Some(reason) if event == "UserPromptSubmit" => block(answer, reason),
        Some(reason) => block(answer, reason.trim().to_owned()),
        None if void => answer.fail(without_reason(event)),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::run::RunId;
    use proptest::prelude::*;

    fn read(event: &str, code: i32, stdout: &str, stderr: &str) -> Answer {
        answer(event, &RunReport::of(RunId(0), Exit::Code(code), stdout, stderr))
    }

    /// Returns the status, reason, context and stop reason of an answer on stdout.
    #[test]
    fn edge_cases_of_the_specification() {
        let own = |own: &str| format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse",{own}}}}}"#);
        let deny = own(r#""permissionDecision":"deny","permissionDecisionReason":"  r  ""#);
        for (event, code, stdout, stderr, want) in [
            ("PreToolUse", 0, "hello", "", ("completed", None, None, None)),
            ("PreToolUse", 0, "{bad", "", ("failed", None, None, None)),
            ("PreToolUse", 0, "[1]", "", ("failed", None, None, None)),
            ("PreToolUse", 0, "42", "", ("completed", None, None, None)),
            ("PreToolUse", 0, "\u{feff}{\"decision\":\"block\",\"reason\":\"r\"}", "", ("completed", None, None, None)),
            ("PreToolUse", 0, &deny, "", ("blocked", Some("r"), None, None)),
            ("PreToolUse", 1, &deny, "", ("failed", None, None, None)),
            ("PreToolUse", 2, &deny, " why\n", ("blocked", Some("why"), None, None)),
            ("PreToolUse", 2, &deny, "", ("failed", None, None, None)),
            ("PreToolUse", 0, &format!("{deny}{deny}"), "", ("failed", None, None, None)),
            ("PreToolUse", 0, &format!("text\n{deny}"), "", ("completed", None, None, None)),
            ("PreToolUse", 0, &own(r#""permissionDecision":"ask""#), "", ("failed", None, None, None)),
            (
                "PreToolUse",
                0,
                &own(r#""permissionDecision":"allow","additionalContext":"c""#),
                "",
                ("failed", None, None, None),
            ),
            ("PreToolUse", 0, &own(r#""additionalContext":"""#), "", ("completed", None, Some(""), None)),
            ("PreToolUse", 0, r#"{"decision":"block","reason":"\ud800"}"#, "", ("failed", None, None, None)),
            ("PreToolUse", 0, r#"{"reason":"x"}"#, "", ("failed", None, None, None)),
            ("PostToolUse", 0, r#"{"decision":"block","reason":" pr "}"#, "", ("blocked", Some(" pr "), None, None)),
            (
                "PostToolUse",
                0,
                r#"{"continue":false,"stopReason":"s","reason":"rr"}"#,
                "",
                ("stopped", Some("rr"), None, None),
            ),
            (
                "PostToolUse",
                0,
                r#"{"continue":false}"#,
                "",
                ("stopped", Some("PostToolUse hook stopped execution"), None, None),
            ),
            ("PostToolUse", 0, r#"{"reason":"x"}"#, "", ("failed", None, None, None)),
            ("UserPromptSubmit", 0, "\"abc\"", "", ("completed", None, Some("\"abc\""), None)),
            ("UserPromptSubmit", 0, r#"{"reason":"x"}"#, "", ("completed", None, None, None)),
            ("UserPromptSubmit", 0, r#"{"decision":"block","reason":" r "}"#, "", ("blocked", Some(" r "), None, None)),
            ("SessionStart", 2, "", "why", ("failed", None, None, None)),
            ("SessionStart", 0, r#"{"continue":false}"#, "", ("stopped", None, None, None)),
            ("SubagentStart", 0, r#"{"continue":false}"#, "", ("completed", None, None, None)),
            ("Stop", 0, "done", "", ("failed", None, None, None)),
            ("Stop", 0, r#"{"decision":"block","reason":" r "}"#, "", ("blocked", Some("r"), None, None)),
            (
                "PreCompact",
                0,
                r#"{"continue":false}"#,
                "",
                ("stopped", None, None, Some("PreCompact hook stopped execution")),
            ),
            ("PreCompact", 2, "", "no", ("failed", None, None, None)),
            ("Interrupt", 0, "hi", "", ("failed", None, None, None)),
            ("PreModelRequest", 0, "{", "", ("completed", None, None, None)),
            ("SessionEnd", 0, "{", "", ("completed", None, None, None)),
        ] {
            let got = read(event, code, stdout, stderr);
            let got = (got.status.word(), got.reason.as_deref(), got.context.as_deref(), got.stop_reason.as_deref());
            assert_eq!(got, want, "{event} {code} {stdout} {stderr}");
        }
    }

    #[test]
    fn permission_answers() {
        let own =
            |own: &str| format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PermissionRequest","decision":{own}}}}}"#);
        for (decision, want) in [
            (r#"{"behavior":"allow"}"#, (Status::Completed, true, None)),
            (r#"{"behavior":"deny","message":" m "}"#, (Status::Blocked, false, Some("m"))),
            (r#"{"behavior":"deny"}"#, (Status::Blocked, false, Some("PermissionRequest hook denied approval"))),
            (r#"{"behavior":"deny","interrupt":true}"#, (Status::Failed, false, None)),
            (r#"{"behavior":"allow","updatedPermissions":[]}"#, (Status::Failed, false, None)),
            ("null", (Status::Completed, false, None)),
        ] {
            let got = read("PermissionRequest", 0, &own(decision), "");
            assert_eq!((got.status, got.allows, got.reason.as_deref()), want, "{decision}");
        }
    }

    #[test]
    fn a_warning_outlives_its_answer() {
        let got = read("PreToolUse", 0, r#"{"systemMessage":"sm","continue":false}"#, "");
        assert_eq!((got.status, got.message.as_deref()), (Status::Failed, Some("sm")));
    }

    proptest! {
        #[test]
        fn never_panics(event in prop::sample::select(&super::super::events::EVENTS[..]), stdout: String, stderr: String, code in 0..4_i32) {
            let _ = read(event.name, code, &stdout, &stderr);
        }
    }
}

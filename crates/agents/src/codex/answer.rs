//! Interprets the output of a finished run (spec §5.3, §5.6). An invalid answer counts as no answer: Codex
//! proceeds.

use serde_json::Value;

use super::answer_schema::{self, AnswerFault};
use crate::kernel::decision::InterpretedRun;
use hookbench_base::output::{AnswerForm, TextRecipient};
use hookbench_base::run::{Exit, RunReport, Stream};

hookbench_base::words! {
    /// The state in which Codex reports a run.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum HookRunStatus {
        #[default]
        Completed = "completed",
        Failed = "failed",
        Blocked = "blocked",
        Stopped = "stopped",
        /// The answer is unknown: only Codex can run the hook.
        Unknown = "unknown",
    }
    /// Returns the name that Codex itself uses.
    fn word;
}

/// A run with its interpreted answer.
pub type AnsweredRun<'a> = InterpretedRun<'a, HookAnswer>;

/// The answer of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookAnswer {
    pub form: AnswerForm,
    pub status: HookRunStatus,
    /// The JSON of the answer, if it is an object.
    pub value: Option<Value>,
    /// Why Codex ignores the answer.
    pub failure: Option<String>,
    /// The key that makes the answer invalid.
    pub fault: Option<AnswerFault>,
    /// A warning to the user.
    pub message: Option<String>,
    /// Context for the model.
    pub context: Option<String>,
    /// The reason for a block, or the text that replaces a tool's result.
    pub reason: Option<String>,
    pub stop_reason: Option<String>,
    pub updated_input: Option<Value>,
    /// Whether the answer approves the call on the user's behalf.
    pub approves: bool,
    /// The stream that the answer was read from.
    pub stream: Option<Stream>,
}

impl HookAnswer {
    fn failed(form: AnswerForm, why: impl Into<String>) -> HookAnswer {
        HookAnswer { form, status: HookRunStatus::Failed, failure: Some(why.into()), ..HookAnswer::default() }
    }

    fn fail(&mut self, why: impl Into<String>) {
        self.status = HookRunStatus::Failed;
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
pub fn read_answer(event: &str, report: &RunReport) -> HookAnswer {
    match &report.exit {
        Exit::Code(0) | Exit::Answered { .. } => read_stdout(event, &report.stdout.text()),
        Exit::Code(2) => read_exit_2(event, &report.stderr.text()),
        Exit::Code(code) => {
            HookAnswer::failed(AnswerForm::Lost, exit_code_message(event, *code, &report.stderr.text()))
        }
        Exit::Signal(_) if is_compact_or_model(event) => {
            HookAnswer::failed(AnswerForm::Lost, "hook process terminated without an exit code")
        }
        Exit::Signal(_) => HookAnswer::failed(AnswerForm::Lost, "hook exited without a status code"),
        Exit::TimedOut { after } => {
            HookAnswer::failed(AnswerForm::Lost, format!("hook timed out after {}s", after.as_secs()))
        }
        Exit::FailedToStart { error } => HookAnswer::failed(AnswerForm::Lost, error.clone()),
        Exit::Unanswered => {
            HookAnswer { form: AnswerForm::Lost, status: HookRunStatus::Unknown, ..HookAnswer::default() }
        }
        other => HookAnswer::failed(AnswerForm::Lost, other.describe()),
    }
}

fn is_compact_or_model(event: &str) -> bool {
    matches!(event, "PreCompact" | "PostCompact" | "PreModelRequest" | "PostModelRequest")
}

/// Returns the message of an exit code. On these events Codex shows stderr to the user; on all others only the
/// code.
fn exit_code_message(event: &str, code: i32, stderr: &str) -> String {
    let stderr = stderr.trim();
    if is_compact_or_model(event) && !stderr.is_empty() {
        return stderr.to_owned();
    }
    format!("hook exited with code {code}")
}

fn read_exit_2(event: &str, stderr: &str) -> HookAnswer {
    let what = match event {
        "PreToolUse" | "UserPromptSubmit" => "a blocking reason",
        "PermissionRequest" => "a denial reason",
        "PostToolUse" => "feedback",
        "Stop" | "SubagentStop" => "a continuation prompt",
        _ => return HookAnswer::failed(AnswerForm::Lost, exit_code_message(event, 2, stderr)),
    };
    let reason = stderr.trim();
    if reason.is_empty() {
        return HookAnswer::failed(
            AnswerForm::Lost,
            format!("{event} hook exited with code 2 but did not write {what} to stderr"),
        );
    }
    HookAnswer {
        form: AnswerForm::Text,
        status: HookRunStatus::Blocked,
        reason: Some(reason.to_owned()),
        stream: Some(Stream::Stderr),
        ..HookAnswer::default()
    }
}

fn read_stdout(event: &str, stdout: &str) -> HookAnswer {
    let trimmed = stdout.trim();
    if trimmed.is_empty() || event == "SessionEnd" {
        return HookAnswer::default();
    }
    // Codex parses with serde_json too.
    let parsed = serde_json::from_str::<Value>(trimmed);
    let on_stdout = |answer| HookAnswer { stream: Some(Stream::Stdout), ..answer };
    if matches!(event, "PreModelRequest" | "PostModelRequest") {
        return on_stdout(HookAnswer {
            form: AnswerForm::Text,
            value: parsed.ok().filter(Value::is_object),
            ..HookAnswer::default()
        });
    }
    let looks = trimmed.starts_with(['{', '[']);
    let why = match parsed {
        Ok(value @ Value::Object(_)) => match answer_schema::normalise(event, &value) {
            Ok(read) => return on_stdout(read_object(event, read)),
            Err(fault) => {
                let why = format!("{} ({})", invalid_output_message(event), fault.message);
                let failed = HookAnswer::failed(AnswerForm::Rejected, why);
                return on_stdout(HookAnswer { value: Some(value), fault: Some(fault), ..failed });
            }
        },
        Ok(_) if looks => Some("it is a list".to_owned()),
        Err(why) if looks => Some(why.to_string()),
        _ => None,
    };
    on_stdout(match (event, why) {
        (_, Some(why)) => {
            HookAnswer::failed(AnswerForm::Rejected, format!("{} ({why})", invalid_output_message(event)))
        }
        ("SessionStart" | "SubagentStart" | "UserPromptSubmit", None) => {
            HookAnswer { form: AnswerForm::Text, context: Some(trimmed.to_owned()), ..HookAnswer::default() }
        }
        ("Stop" | "SubagentStop", None) => {
            HookAnswer::failed(AnswerForm::Rejected, format!("{} (it is plain text)", invalid_output_message(event)))
        }
        ("Interrupt", None) => HookAnswer::failed(AnswerForm::Rejected, "Interrupt hook returned non-JSON stdout"),
        _ => HookAnswer { form: AnswerForm::Text, ..HookAnswer::default() },
    })
}

/// Returns who receives plain text on stdout.
pub fn text_reaches(event: &str) -> TextRecipient {
    if matches!(event, "SessionStart" | "SubagentStart" | "UserPromptSubmit") {
        TextRecipient::Model
    } else {
        TextRecipient::Discarded
    }
}

fn invalid_output_message(event: &str) -> String {
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
fn read_object(event: &str, value: Value) -> HookAnswer {
    let mut answer = HookAnswer { form: AnswerForm::Json, value: Some(value), ..HookAnswer::default() };
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

fn stop(answer: &mut HookAnswer, reason: Option<String>) {
    answer.status = HookRunStatus::Stopped;
    answer.stop_reason = reason;
}

fn block(answer: &mut HookAnswer, reason: String) {
    answer.status = HookRunStatus::Blocked;
    answer.reason = Some(reason);
}

/// Returns a key that is valid JSON but that two events reject.
fn unsupported_key(answer: &HookAnswer) -> Option<&'static str> {
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

fn before_tool(answer: &mut HookAnswer) {
    if let Some(what) = unsupported_key(answer) {
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
            (Some(_), None) => answer.fail(missing_reason_message("PreToolUse")),
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

fn missing_reason_message(event: &str) -> String {
    format!("{event} hook returned decision:block without a non-empty reason")
}

fn permission(answer: &mut HookAnswer) {
    let at = |key: &str| format!("/hookSpecificOutput/decision/{key}");
    let refused = unsupported_key(answer).map(str::to_owned).or_else(|| {
        let there = ["updatedInput", "updatedPermissions"].into_iter().find(|key| answer.get(&at(key)).is_some());
        let interrupt = answer.flag(&at("interrupt")) == Some(true);
        there.map(str::to_owned).or_else(|| interrupt.then(|| "interrupt:true".to_owned()))
    });
    if let Some(what) = refused {
        return answer.fail(format!("PermissionRequest hook returned unsupported {what}"));
    }
    match answer.text(&at("behavior")) {
        Some("allow") => answer.approves = true,
        Some(_) => {
            let message = trimmed(answer.text(&at("message")));
            block(answer, message.unwrap_or_else(|| "PermissionRequest hook denied approval".to_owned()));
        }
        None => {}
    }
}

fn after_tool(answer: &mut HookAnswer, stop_reason: Option<String>) {
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
        Some(missing_reason_message("PostToolUse"))
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
        answer.status = HookRunStatus::Stopped;
        answer.reason = Some(trimmed(reason.as_deref()).unwrap_or(said));
    } else if let Some(what) = unsupported {
        answer.fail(format!("PostToolUse hook returned unsupported {what}"));
    } else if let Some(why) = bad_block {
        answer.fail(why);
    } else if let Some(reason) = reason.filter(|_| blocks) {
        block(answer, reason);
    }
}

fn may_block(event: &str, answer: &mut HookAnswer, stop_reason: Option<String>) {
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
        None if void => answer.fail(missing_reason_message(event)),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::run::RunId;
    use proptest::prelude::*;

    fn read(event: &str, code: i32, stdout: &str, stderr: &str) -> HookAnswer {
        read_answer(event, &RunReport::new(RunId(0), Exit::Code(code), stdout, stderr))
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
            (r#"{"behavior":"allow"}"#, (HookRunStatus::Completed, true, None)),
            (r#"{"behavior":"deny","message":" m "}"#, (HookRunStatus::Blocked, false, Some("m"))),
            (r#"{"behavior":"deny"}"#, (HookRunStatus::Blocked, false, Some("PermissionRequest hook denied approval"))),
            (r#"{"behavior":"deny","interrupt":true}"#, (HookRunStatus::Failed, false, None)),
            (r#"{"behavior":"allow","updatedPermissions":[]}"#, (HookRunStatus::Failed, false, None)),
            ("null", (HookRunStatus::Completed, false, None)),
        ] {
            let got = read("PermissionRequest", 0, &own(decision), "");
            assert_eq!((got.status, got.approves, got.reason.as_deref()), want, "{decision}");
        }
    }

    #[test]
    fn a_warning_outlives_its_answer() {
        let got = read("PreToolUse", 0, r#"{"systemMessage":"sm","continue":false}"#, "");
        assert_eq!((got.status, got.message.as_deref()), (HookRunStatus::Failed, Some("sm")));
    }

    proptest! {
        #[test]
        fn never_panics(event in prop::sample::select(super::super::events::EVENTS.events), stdout: String, stderr: String, code in 0..4_i32) {
            let _ = read(event.name, code, &stdout, &stderr);
        }
    }
}

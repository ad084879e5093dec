//! Interprets the output of a finished run (spec §7 for commands, §8 for HTTP, §9 for prompts).

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::version_behaviour::{
    self, BrokenJsonRule, Exit2Rule, NonObjectRule, OtherExitRule, SignalRule, VersionBehaviour,
};
use super::{events, http, prompt};
use crate::shared::gemini_fork::answer::{HookAnswer, decode};
use crate::shared::javascript::trim;
use hookbench_base::dialects::Version;
use hookbench_base::hook::{EventSpec, Handler};
use hookbench_base::output::{AnswerForm, TextRecipient};
use hookbench_base::run::{Exit, RunReport, Stream};
use hookbench_base::text::utf16_prefix;

/// The limit of each stream in UTF-16 units (spec §6.4).
pub const MAX_UNITS: usize = 1024 * 1024;

/// Returns who receives plain text on stdout: it becomes context, or a system message.
pub fn text_reaches(event: &EventSpec, version: &Version) -> TextRecipient {
    if version_behaviour::for_version(version).text_is_context.contains(&event.name) {
        TextRecipient::Model
    } else if event.honoured_output.contains(&"/systemMessage") {
        TextRecipient::User
    } else {
        TextRecipient::Discarded
    }
}

/// Interprets the report of a run. `refused` is whether the agent would not have sent the request.
pub fn read_answer(
    behaviour: &VersionBehaviour,
    event: &str,
    handler: &Handler,
    refused: bool,
    report: &RunReport,
) -> HookAnswer {
    match handler {
        Handler::Http(_) => http_answer(event, refused, report),
        Handler::Prompt(_) => prompt_answer(report),
        _ => command_answer(behaviour, event, report),
    }
}

fn http_answer(event: &str, refused: bool, report: &RunReport) -> HookAnswer {
    let go_on = |why: Option<String>| HookAnswer {
        failure: why,
        ..HookAnswer::json(json!({"continue": true}), true, Stream::Stdout)
    };
    match &report.exit {
        Exit::Http { status } => {
            let kind = report.content_type.as_deref().unwrap_or("");
            let value = http::read_answer(*status, kind, &report.stdout.text(), event);
            let failure = (!(200..300).contains(status)).then(|| format!("HTTP status {status} counts as no answer"));
            HookAnswer { failure, ..HookAnswer::json(value, true, Stream::Stdout) }
        }
        // The hook runs only once, and has already run.
        Exit::Code(_) => go_on(None),
        // The runner only knows the network of a name after it has resolved it.
        Exit::FailedToStart { error } if refused || error.contains("network that may not be called") => {
            HookAnswer::failed(AnswerForm::Rejected, error.clone())
        }
        Exit::FailedToStart { error } => go_on(Some(format!("the request failed: {error}"))),
        Exit::TimedOut { .. } => go_on(Some("the request timed out, which counts as no answer".to_owned())),
        Exit::Answered { .. } => {
            let value = http::read_answer(200, "application/json", &report.stdout.text(), event);
            HookAnswer::json(value, true, Stream::Stdout)
        }
        other => HookAnswer::failed(AnswerForm::Lost, other.describe()),
    }
}

fn prompt_answer(report: &RunReport) -> HookAnswer {
    match &report.exit {
        Exit::Answered { .. } | Exit::Code(0) => {
            let (value, blocks) = prompt::read_answer(&report.stdout.text());
            HookAnswer::json(value, !blocks, Stream::Stdout)
        }
        Exit::Unanswered => HookAnswer::failed(AnswerForm::Lost, "no answer: only the agent's model can give it"),
        other => HookAnswer::failed(AnswerForm::Lost, other.describe()),
    }
}

fn command_answer(behaviour: &VersionBehaviour, event: &str, report: &RunReport) -> HookAnswer {
    let code = match &report.exit {
        Exit::Code(code) => Some(*code),
        Exit::Signal(_) if behaviour.signal == SignalRule::Zero => Some(0),
        Exit::Signal(_) => None,
        Exit::TimedOut { after } => {
            let says = format!("Hook timed out after {}s: its output is discarded", after.as_secs_f64());
            return HookAnswer::failed(AnswerForm::Lost, says);
        }
        Exit::FailedToStart { error } => return HookAnswer::failed(AnswerForm::Lost, error.clone()),
        other => return HookAnswer::failed(AnswerForm::Lost, other.describe()),
    };
    if events::discards_output(event) {
        return HookAnswer { success: code == Some(0), ..HookAnswer::default() };
    }
    let (stdout, stderr) = (report.stdout.text(), report.stderr.text());
    let (stdout, stderr) = (utf16_prefix(&stdout, MAX_UNITS), utf16_prefix(&stderr, MAX_UNITS));
    let (stdout, stderr) = (trim(&stdout), trim(&stderr));
    let (text, stream) = match code {
        Some(2) => (stderr, Stream::Stderr),
        _ if stdout.is_empty() => (stderr, Stream::Stderr),
        _ => (stdout, Stream::Stdout),
    };
    let mut answer = read_text(behaviour, event, code, text, stream);
    answer.success = code == Some(0) && answer.form != AnswerForm::Rejected;
    if answer.failure.is_none() {
        answer.failure = failure(code, &answer, text.is_empty(), stdout);
    }
    answer
}

/// Returns why a run that exited gave no usable answer.
fn failure(code: Option<i32>, answer: &HookAnswer, silent: bool, stdout: &str) -> Option<String> {
    if answer.form == AnswerForm::Json {
        return None;
    }
    match code {
        Some(0) => None,
        Some(2) if silent && !stdout.is_empty() => Some("exit 2 without text on stderr: stdout is ignored".to_owned()),
        Some(2) if silent => Some("exit 2 without text on stderr does not block".to_owned()),
        Some(2) => None,
        Some(_) if answer.value.as_ref().is_some_and(|v| v.get("decision") == Some(&json!("deny"))) => None,
        Some(code) => Some(format!("exit {code} does not block")),
        None => Some("killed by a signal, which does not block".to_owned()),
    }
}

fn read_text(behaviour: &VersionBehaviour, event: &str, code: Option<i32>, text: &str, stream: Stream) -> HookAnswer {
    if text.is_empty() {
        return HookAnswer::default();
    }
    let json_counts = code != Some(2) || behaviour.exit_2 == Exit2Rule::JsonObject;
    if json_counts {
        match decode(text) {
            Some(value @ Value::Object(_)) => return HookAnswer::json(value, false, stream),
            Some(value @ Value::Array(_)) if behaviour.non_object == NonObjectRule::ListOrNothing => {
                return HookAnswer::json(value, false, stream);
            }
            Some(Value::Number(_) | Value::Bool(_) | Value::Null)
                if behaviour.non_object == NonObjectRule::ListOrNothing =>
            {
                return HookAnswer::default();
            }
            None if behaviour.broken_json == BrokenJsonRule::Error && code != Some(2) && text.starts_with('{') => {
                return HookAnswer {
                    stream: Some(stream),
                    ..HookAnswer::failed(AnswerForm::Rejected, "Hook output is not valid JSON")
                };
            }
            _ => {}
        }
    }
    HookAnswer::text(text_output(behaviour, event, code, text, stream), text, stream)
}

/// Returns the output object for plain text.
fn text_output(behaviour: &VersionBehaviour, event: &str, code: Option<i32>, text: &str, stream: Stream) -> Value {
    const DONE: &str = "Hook executed successfully";
    let code = match code {
        Some(0) => 0,
        Some(2) => 2,
        Some(code) if code != 1 && behaviour.other_exit == OtherExitRule::Deny => 2,
        _ => 1,
    };
    match code {
        0 if behaviour.text_is_context.contains(&event) && stream == Stream::Stdout => json!({
            "decision": "allow",
            "reason": DONE,
            "hookSpecificOutput": {"hookEventName": event, "additionalContext": without_controls(text)},
        }),
        0 => json!({"decision": "allow", "reason": DONE, "systemMessage": text}),
        2 => json!({"decision": "deny", "reason": text}),
        _ => json!({
            "decision": "allow",
            "reason": format!("Non-blocking error: {text}"),
            "systemMessage": format!("Warning: {text}"),
        }),
    }
}

/// Terminal sequences, as the agent's `strip-ansi` package recognises them.
static TERMINAL_SEQUENCES: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
    let osc = r"\x1B\][\s\S]*?(?:\x07|\x1B\\|\u{9C})";
    let csi = r"[\x1B\u{9B}][\[\]()#;?]*(?:\d{1,4}(?:[;:]\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]";
    regex::Regex::new(&format!("{osc}|{csi}")).ok()
});

/// Removes terminal sequences and control characters (including tabs) from every line; keeps the line breaks.
fn without_controls(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let line = match TERMINAL_SEQUENCES.as_ref() {
            Some(sequences) => sequences.replace_all(line, ""),
            None => line.into(),
        };
        line.chars().filter(|c| !c.is_control()).collect::<String>()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::run::RunId;

    fn value(version: &str, event: &str, exit: Exit, stdout: &str, stderr: &str) -> (Option<Value>, bool) {
        let behaviour = version_behaviour::for_version(&Version::parse(version).unwrap());
        let handler = Handler::Command(hookbench_base::hook::CommandHandler::default());
        let report = RunReport::new(RunId(0), exit, stdout, stderr);
        let answer = read_answer(behaviour, event, &handler, false, &report);
        (answer.value, answer.failure.is_some())
    }

    #[test]
    fn exit_codes_and_streams() {
        let deny = json!({"decision": "deny"});
        let text = |t: &str| json!({"decision": "deny", "reason": t});
        let warning = |t: &str| json!({"decision": "allow", "reason": format!("Non-blocking error: {t}"), "systemMessage": format!("Warning: {t}")});
        for (exit, stdout, stderr, want) in [
            (Exit::Code(2), "", "no\n", (Some(text("no")), false)),
            (Exit::Code(2), r#"{"decision":"deny"}"#, "", (None, true)),
            (Exit::Code(2), "", "{oops", (Some(text("{oops")), false)),
            (Exit::Code(2), "", r#"{"decision":"deny"}"#, (Some(deny.clone()), false)),
            (Exit::Code(0), "{oops", "", (None, true)),
            (Exit::Code(1), r#"{"decision":"deny"}"#, "", (Some(deny.clone()), false)),
            (Exit::Code(0), " ", r#""{\"decision\":\"deny\"}""#, (Some(deny.clone()), false)),
            (Exit::Signal(9), r#"{"decision":"deny"}"#, "", (Some(deny), false)),
            (Exit::Signal(9), "", "dying", (Some(warning("dying")), true)),
            (Exit::Code(127), "", "x", (Some(warning("x")), true)),
            (Exit::Code(0), "", "", (None, false)),
            (Exit::TimedOut { after: std::time::Duration::from_secs(1) }, "{}", "", (None, true)),
        ] {
            assert_eq!(value("0.24.4", "PreToolUse", exit.clone(), stdout, stderr), want, "{exit:?} {stdout} {stderr}");
        }
    }

    #[test]
    fn text_is_context_on_three_events() {
        let context = value("0.24.4", "UserPromptSubmit", Exit::Code(0), "\u{1b}[31mred\u{1b}[0m\nline2\tTab\n", "").0;
        assert_eq!(context.unwrap().pointer("/hookSpecificOutput/additionalContext"), Some(&json!("red\nline2Tab")));
        let stderr = value("0.24.4", "UserPromptSubmit", Exit::Code(0), "", "note").0.unwrap();
        assert_eq!(
            stderr,
            json!({"decision": "allow", "reason": "Hook executed successfully", "systemMessage": "note"})
        );
    }

    #[test]
    fn older_versions() {
        let denied = json!({"decision": "deny", "reason": "x"});
        for (version, exit, stdout, stderr, want) in [
            ("0.15.6", Exit::Code(3), "", "x", Some(denied.clone())),
            ("0.15.6", Exit::Code(127), "", "x", Some(denied.clone())),
            ("0.15.6", Exit::Code(0), "42", "", None),
            ("0.15.6", Exit::Code(0), "[1]", "", Some(json!([1]))),
            ("0.14.0", Exit::Code(2), "", "{}", Some(json!({"decision": "deny", "reason": "{}"}))),
            ("0.14.0", Exit::Signal(9), r#"{"a":1}"#, "", Some(json!({"a": 1}))),
            (
                "0.24.4",
                Exit::Code(0),
                "42",
                "",
                Some(json!({"decision": "allow", "reason": "Hook executed successfully", "systemMessage": "42"})),
            ),
        ] {
            assert_eq!(value(version, "PreToolUse", exit.clone(), stdout, stderr).0, want, "{version} {exit:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(stdout: Vec<u8>, stderr: Vec<u8>, code in 0..4_i32) {
            let behaviour = version_behaviour::for_version(&Version::new(0, 24, 4));
            let handler = Handler::Command(hookbench_base::hook::CommandHandler::default());
            let report = RunReport::new(RunId(0), Exit::Code(code), stdout, stderr);
            let _ = read_answer(behaviour, "UserPromptSubmit", &handler, false, &report);
        }
    }
}

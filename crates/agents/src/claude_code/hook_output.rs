//! The interpretation of one run for display: its form and vote, and for every key of the answer whether it is
//! used.

use serde_json::{Map, Value, json};

use super::answer::{self, BlockCause, ForcedBlock, HookAnswer};
use super::version_behaviour::VersionBehaviour;
use super::{answer_schema, events, lints, truncation};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{EventSpec, Handler, HookDefinition};
use hookbench_base::output::{AnswerForm, FieldUse, HookOutput, KeyUse, TextRecipient, Vote};
use hookbench_base::run::{Exit, RunReport};

/// Interprets one run.
pub fn read(definition: &HookDefinition, report: &RunReport, scene: &Scene) -> HookOutput {
    let event = scene.input.event.as_str();
    let answer = answer::read(definition, report, event, VersionBehaviour::for_version(&scene.version));
    let Some(spec) = events::find(event) else { return HookOutput::default() };
    let raw = match serde_json::from_slice(&report.stdout.head) {
        Ok(Value::Object(map)) => Some(map),
        _ => answer.json.clone(),
    };
    let vote = if definition.detached { Vote::None } else { vote(&answer, spec) };
    let mut notes = check_answer(&answer, report, spec, definition);
    if vote == Vote::Allow && spec.name == "PreToolUse" {
        notes.extend(lints::unlifted_rule(scene).map(|note| note.at(definition.provenance.span)));
    }
    HookOutput {
        form: answer.form,
        value: answer.json.clone().map(Value::Object),
        text: answer.text.clone(),
        failure: answer.failure.clone().or_else(|| block_without_effect(&answer, spec)),
        vote,
        fields: raw.map(|map| answer_fields(&map, &answer, spec, definition, report)).unwrap_or_default(),
        notes,
        trace: Vec::new(),
    }
}

fn vote(answer: &HookAnswer, spec: &EventSpec) -> Vote {
    let word = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    if spec.name == "PermissionRequest" {
        let behaviour = answer.specific_output("decision").and_then(|d| d.get("behavior"));
        let failed = answer.block().is_some_and(|b| b.cause == BlockCause::OnFailure);
        return match word(behaviour).as_deref() {
            _ if failed => Vote::Deny,
            Some("allow") => Vote::Allow,
            Some("deny") => Vote::Deny,
            _ => Vote::None,
        };
    }
    if answer.block().is_some() {
        return match spec.name {
            "PreToolUse" | "PreModelSwitch" | "PreSkillShellCommand" => Vote::Deny,
            _ if spec.honoured_output.contains(&"/decision") => Vote::Block,
            _ => Vote::None,
        };
    }
    let decision =
        answer.specific_output("permissionDecision").filter(|_| matches!(spec.name, "PreToolUse" | "PreModelSwitch"));
    match word(decision).as_deref() {
        Some("allow") => Vote::Allow,
        Some("ask") => Vote::Ask,
        Some("defer") => Vote::Defer,
        _ if spec.name == "PreToolUse" && answer.top_text("decision") == Some("approve") => Vote::Allow,
        _ => Vote::None,
    }
}

/// Returns the use of each key of an answer. The answer of a model has its own keys; all other answers have the
/// keys of a command's answer.
fn answer_fields(
    json: &Map<String, Value>,
    answer: &HookAnswer,
    spec: &EventSpec,
    definition: &HookDefinition,
    report: &RunReport,
) -> Vec<FieldUse> {
    let asked = matches!(definition.handler, Handler::Prompt(_) | Handler::Agent(_));
    if !(asked && matches!(report.exit, Exit::Answered { .. })) {
        return field_uses(json, answer, spec, definition.detached);
    }
    let refused = json.get("ok").and_then(Value::as_bool) == Some(false);
    let field = |key: &String| {
        let (use_, says) = match key.as_str() {
            "ok" if answer.failure.is_some() => (KeyUse::Invalid, "it must be true or false"),
            "ok" => (KeyUse::Used, "it contains the model's answer"),
            "reason" if refused => (KeyUse::Used, "it contains the reason"),
            "impossible" if refused && spec.name.ends_with("Stop") => (KeyUse::Used, "it allows the stop"),
            _ => (KeyUse::Ignored, "it is ignored here"),
        };
        FieldUse { pointer: format!("/{key}"), key_use: use_, message: says.to_owned() }
    };
    json.keys().map(field).collect()
}

/// Returns every key of an answer, with whether it is used and why.
fn field_uses(json: &Map<String, Value>, answer: &HookAnswer, spec: &EventSpec, detached: bool) -> Vec<FieldUse> {
    let mut out = Vec::new();
    for (key, value) in json {
        if let Some(own) = value.as_object().filter(|_| key == "hookSpecificOutput") {
            for name in own.keys() {
                let pointer = format!("/hookSpecificOutput/{name}");
                let (use_, says) = specific_use(name, &pointer, spec);
                out.push(effective_use(pointer, use_, says, answer, detached));
            }
        } else {
            let pointer = format!("/{key}");
            let (use_, says) = top_use(key, &pointer, spec);
            out.push(effective_use(pointer, use_, says, answer, detached));
        }
    }
    if let Some(refused) = &answer.refusal
        && !refused.pointer.is_empty()
        && !out.iter().any(|f| f.key_use == KeyUse::Invalid)
    {
        out.push(FieldUse {
            pointer: refused.pointer.clone(),
            key_use: KeyUse::Invalid,
            message: refused.message.clone(),
        });
    }
    out
}

/// Returns the use of a field, taking into account whether the answer as a whole is rejected or discarded.
fn effective_use(pointer: String, use_: KeyUse, says: String, answer: &HookAnswer, detached: bool) -> FieldUse {
    if let Some(refused) = &answer.refusal {
        if refused.pointer == pointer
            || pointer.starts_with(&format!("{}/", refused.pointer)) && !refused.pointer.is_empty()
        {
            return FieldUse { pointer, key_use: KeyUse::Invalid, message: refused.message.clone() };
        }
        // A block counts even if the rest of the answer is for another event.
        if answer.json.is_none() || pointer.starts_with("/hookSpecificOutput/") {
            return FieldUse { pointer, key_use: KeyUse::Ignored, message: "the whole answer is rejected".to_owned() };
        }
    }
    if answer.json.is_none() {
        let says = match answer.form {
            AnswerForm::Lost => "the answer is discarded",
            _ => "stdout is not read as a JSON answer",
        };
        return FieldUse { pointer, key_use: KeyUse::Ignored, message: says.to_owned() };
    }
    let late = matches!(pointer.as_str(), "/systemMessage" | "/hookSpecificOutput/additionalContext");
    if detached && !late {
        let says = "the agent does not wait for the decision of a background hook".to_owned();
        return FieldUse { pointer, key_use: KeyUse::Ignored, message: says };
    }
    FieldUse { pointer, key_use: use_, message: says }
}

fn specific_use(name: &str, pointer: &str, spec: &EventSpec) -> (KeyUse, String) {
    if name == "hookEventName" {
        return (KeyUse::Used, "it must name this event".to_owned());
    }
    if spec.honoured_output.contains(&pointer) {
        return (KeyUse::Used, format!("{} reads it", spec.name));
    }
    if answer_schema::is_specific_key(spec.name, name) {
        return (KeyUse::Ignored, format!("{} ignores it", spec.name));
    }
    if answer_schema::is_top_key(name) {
        return (KeyUse::Ignored, "move it to the top of the answer, out of hookSpecificOutput".to_owned());
    }
    (KeyUse::Ignored, "an unknown field".to_owned())
}

fn top_use(key: &str, pointer: &str, spec: &EventSpec) -> (KeyUse, String) {
    if spec.honoured_output.contains(&pointer) {
        return (KeyUse::Used, format!("{} reads it", spec.name));
    }
    match key {
        "suppressOutput" => (KeyUse::Ignored, "the agent ignores it".to_owned()),
        "async" | "asyncTimeout" => (KeyUse::Ignored, "it moves the hook to the background".to_owned()),
        _ if answer_schema::is_top_key(key) => (KeyUse::Ignored, format!("{} ignores it", spec.name)),
        _ if answer_schema::is_specific_key(spec.name, key) => {
            (KeyUse::Ignored, "move it into hookSpecificOutput; at the top it has no effect".to_owned())
        }
        _ if events::EVENTS.events.iter().any(|e| answer_schema::is_specific_key(e.name, key)) => {
            (KeyUse::Ignored, format!("{} does not read it", spec.name))
        }
        _ => (KeyUse::Ignored, "an unknown field".to_owned()),
    }
}

/// Returns who receives plain text (spec §7.3).
pub fn text_reaches(event: &EventSpec) -> TextRecipient {
    match event.name {
        "SessionStart" | "UserPromptSubmit" | "UserPromptExpansion" | "WorktreeCreate" => TextRecipient::Model,
        _ => TextRecipient::Discarded,
    }
}

/// Whether exit status 2 blocks this event.
pub fn blocks_by_exit_2(spec: &EventSpec) -> bool {
    spec.blockable_action.is_some() && spec.name != "PermissionRequest"
}

/// How to name the event. If the answer has no key that this event reads, the name alone would help nothing.
fn name_help(answer: &Value, spec: &EventSpec) -> String {
    const CONTEXT: &str = "additionalContext";
    let own = answer.get("hookSpecificOutput").and_then(Value::as_object);
    let counts = |key: &str| spec.honoured_output.contains(&format!("/hookSpecificOutput/{key}").as_str());
    let unknown = own.and_then(|own| own.keys().find(|key| *key != "hookEventName"));
    match unknown.filter(|_| counts(CONTEXT) && !own.is_some_and(|own| own.keys().any(|key| counts(key)))) {
        Some(key) => {
            let shape = json!({"hookSpecificOutput": {"hookEventName": spec.name, CONTEXT: "…"}});
            format!("print {shape}: `{key}` is not a key of this event")
        }
        None => format!("write \"hookEventName\": \"{}\" into hookSpecificOutput", spec.name),
    }
}

/// How to correct a refused value. Without a decision the hook would decide nothing, so it is not deleted.
fn value_help(answer: &Value, pointer: &str) -> String {
    let (deny, allow) = match pointer {
        "/decision" => ("block", "approve"),
        "/hookSpecificOutput/permissionDecision" | "/hookSpecificOutput/decision/behavior" => ("deny", "allow"),
        _ => return "write a value that the agent accepts, or delete the key".to_owned(),
    };
    let word = answer.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    match word.as_str() {
        "deny" | "denied" | "block" | "blocked" | "reject" | "rejected" | "refuse" | "forbid" => {
            format!("write \"{deny}\": without it the hook denies nothing")
        }
        "allow" | "allowed" | "approve" | "approved" | "accept" | "ok" => {
            format!("write \"{allow}\", or print nothing if the hook has no objection")
        }
        _ => format!("write \"{deny}\" or \"{allow}\""),
    }
}

/// Explains that exit status 2 does not block this event, and its actual effect.
fn exit_2_without_block(spec: &EventSpec) -> String {
    let means = spec.exit_2.trim_end_matches('.');
    let rest = means.strip_prefix("Nothing is blocked; ").map(|rest| format!("; {rest}"));
    let rest = rest.or_else(|| means.strip_prefix("Nothing: ").map(|rest| format!(": {rest}")));
    let mut small = means.to_owned();
    small.get_mut(..1).into_iter().for_each(str::make_ascii_lowercase);
    format!("exit 2 does not block {}{}", spec.name, rest.unwrap_or_else(|| format!(": {small}")))
}

/// Returns the failure of a hook that tried to block by exit status 2 where only a decision object counts.
fn block_without_effect(answer: &HookAnswer, spec: &EventSpec) -> Option<String> {
    let meant =
        matches!(answer.forced_block, Some(ForcedBlock::Exit2(_))) && answer.specific_output("decision").is_none();
    (meant && spec.name == "PermissionRequest").then(|| exit_2_without_block(spec))
}

/// Returns the diagnostics of this run.
fn check_answer(
    answer: &HookAnswer,
    report: &RunReport,
    spec: &EventSpec,
    definition: &HookDefinition,
) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let code = report.exit.code();
    let at = |d: Diagnostic| d.at(definition.provenance.span);
    if definition.detached {
        return out;
    }
    if code == Some(2) && !blocks_by_exit_2(spec) && !spec.honoured_output.contains(&"/decision") {
        out.push(at(Diagnostic::new(Code::HW205, exit_2_without_block(spec))));
    }
    // A separate lint rule reports output that is not JSON at all.
    if let Some(refused) = answer.refusal.as_ref().filter(|refused| !refused.pointer.is_empty()) {
        let named = refused.pointer.ends_with("/hookEventName");
        let code = if named { Code::HW604 } else { Code::HW624 };
        let answer: Value = serde_json::from_slice(&report.stdout.head).unwrap_or_default();
        let help = if named { name_help(&answer, spec) } else { value_help(&answer, &refused.pointer) };
        out.push(at(Diagnostic::new(code, format!("the answer is rejected: {}", refused.message)).with_help(help)));
    }
    let long = [answer.specific_text("additionalContext"), answer.text.as_deref(), answer.top_text("systemMessage")];
    if long.into_iter().flatten().any(truncation::is_too_long) {
        let message = format!(
            "a text of more than {} characters is replaced by a preview and a file name",
            truncation::MAX_LENGTH
        );
        out.push(at(Diagnostic::new(Code::HW612, message).with_help("shorten it")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claude_code::test_scenes::project_scene;
    use hookbench_base::run::RunId;
    use pretty_assertions::assert_eq;

    fn output(event: &str, exit: Exit, stdout: &str, stderr: &str) -> HookOutput {
        let mut settings = json!({"hooks": {}});
        settings["hooks"][event] = json!([{"hooks": [{"type": "command", "command": "c"}]}]);
        let scene = project_scene(settings, json!({"hook_event_name": event, "tool_name": "Bash"}));
        read(scene.loaded.definitions.first().unwrap(), &RunReport::new(RunId(0), exit, stdout, stderr), &scene)
    }

    #[test]
    fn votes() {
        for (event, code, stdout, want) in [
            ("PreToolUse", 2, "", Vote::Deny),
            ("PreToolUse", 0, r#"{"decision":"approve"}"#, Vote::Allow),
            (
                "PreToolUse",
                0,
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}"#,
                Vote::Ask,
            ),
            ("PreToolUse", 1, "", Vote::None),
            ("Stop", 2, "", Vote::Block),
            ("UserPromptSubmit", 0, r#"{"decision":"approve"}"#, Vote::None),
            ("SessionStart", 2, "", Vote::None),
            ("PermissionRequest", 2, "", Vote::None),
            (
                "PermissionRequest",
                0,
                r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny"}}}"#,
                Vote::Deny,
            ),
        ] {
            assert_eq!(output(event, Exit::Code(code), stdout, "").vote, want, "{event} {code} {stdout}");
        }
    }

    #[test]
    fn every_key_is_accounted_for() {
        let answer = r#"{"suppressOutput":true,"systemMessage":"S","permissionDecision":"deny","zz":1,
            "hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"C","continue":false,"yy":1}}"#;
        let got: Vec<_> = output("PreToolUse", Exit::Code(0), answer, "")
            .fields
            .into_iter()
            .map(|f| (f.pointer, f.key_use, f.message))
            .collect();
        let want = [
            ("/suppressOutput", KeyUse::Ignored, "the agent ignores it"),
            ("/systemMessage", KeyUse::Used, "PreToolUse reads it"),
            ("/permissionDecision", KeyUse::Ignored, "move it into hookSpecificOutput; at the top it has no effect"),
            ("/zz", KeyUse::Ignored, "an unknown field"),
            ("/hookSpecificOutput/hookEventName", KeyUse::Used, "it must name this event"),
            ("/hookSpecificOutput/additionalContext", KeyUse::Used, "PreToolUse reads it"),
            (
                "/hookSpecificOutput/continue",
                KeyUse::Ignored,
                "move it to the top of the answer, out of hookSpecificOutput",
            ),
            ("/hookSpecificOutput/yy", KeyUse::Ignored, "an unknown field"),
        ];
        assert_eq!(got, want.map(|(p, u, s)| (p.to_owned(), u, s.to_owned())));
    }

    #[test]
    fn what_blocks_nothing_is_said() {
        for (event, want) in [
            (
                "PermissionRequest",
                "exit 2 does not block PermissionRequest: only a decision object in the answer counts here",
            ),
            ("SessionEnd", "exit 2 does not block SessionEnd; the user sees stderr"),
        ] {
            let got = output(event, Exit::Code(2), "", "E");
            let note = &got.notes.first().unwrap().message;
            assert!(note.starts_with(want), "{event}: {note}");
            assert_eq!(got.failure.is_some(), event == "PermissionRequest", "{event}");
        }
    }

    #[test]
    fn a_refused_answer_names_the_field() {
        let answer =
            r#"{"reason":"x","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"Deny"}}"#;
        let got = output("PreToolUse", Exit::Code(0), answer, "");
        assert_eq!((got.form, got.failure.is_some()), (AnswerForm::Rejected, true));
        assert_eq!(got.pointers(KeyUse::Invalid), ["/hookSpecificOutput/permissionDecision"]);
        assert_eq!(got.pointers(KeyUse::Ignored), ["/reason", "/hookSpecificOutput/hookEventName"]);
        let nameless =
            output("PreToolUse", Exit::Code(0), r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#, "");
        assert_eq!(nameless.pointers(KeyUse::Invalid), ["/hookSpecificOutput/hookEventName"]);
    }

    #[test]
    fn notes_of_a_run() {
        for (event, exit, stdout, stderr, want) in [
            ("PreToolUse", Exit::Code(2), "", "E", vec![]),
            ("SessionStart", Exit::Code(2), "", "E", vec![Code::HW205]),
            ("PermissionRequest", Exit::Code(2), "", "E", vec![Code::HW205]),
            ("SessionStart", Exit::Code(0), "hello", "", vec![]),
            ("PreToolUse", Exit::Code(0), r#"{"hookSpecificOutput":{}}"#, "", vec![Code::HW604]),
            ("PreToolUse", Exit::Code(0), r#"{"reason":1}"#, "", vec![Code::HW624]),
            ("PreToolUse", Exit::Code(0), "{bad}", "", vec![]),
        ] {
            let got: Vec<_> = output(event, exit.clone(), stdout, stderr).notes.iter().map(|n| n.code).collect();
            assert_eq!(got, want, "{event} {exit:?} {stdout}");
        }
    }
}

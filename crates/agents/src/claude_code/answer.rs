//! The agent's interpretation of one run, independent of the event: JSON, text, a failure or a block (spec §7,
//! §9).

use serde_json::{Map, Value};

use super::answer_schema::{self, AnswerRefusal, SchemaFit};
use super::version_behaviour::VersionBehaviour;
use super::{events, skill_refusal};
use crate::kernel::decision::InterpretedRun;
use crate::shared::javascript::trim;
use hookbench_base::hook::{Handler, HookDefinition, Layer};
use hookbench_base::output::AnswerForm;
use hookbench_base::run::{Exit, RunReport};
use hookbench_base::text::parse_value;

/// The reason that the agent uses if a hook gives none.
pub const NO_REASON: &str = "Blocked by hook";

/// The text that the agent shows for an empty stderr.
pub const NO_STDERR: &str = "No stderr output";

/// A run with its interpreted answer.
pub type AnsweredRun<'a> = InterpretedRun<'a, HookAnswer>;

/// A run after its output was interpreted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookAnswer {
    pub form: AnswerForm,
    /// The accepted JSON answer.
    pub json: Option<Map<String, Value>>,
    /// Plain stdout, trimmed, of a hook that exited with 0.
    pub text: Option<String>,
    /// The reason why the output could not be used.
    pub failure: Option<String>,
    /// The reason why the agent's schema rejects the answer.
    pub refusal: Option<AnswerRefusal>,
    /// A block that applies whatever stdout contains.
    pub forced_block: Option<ForcedBlock>,
    pub timed_out: bool,
    /// Whether only the agent's model or process could have answered.
    pub unanswered: bool,
    /// The model's answer to a prompt, if it is a refusal.
    pub objection: Option<Objection>,
    /// The command of the hook. Messages name it.
    pub command: String,
    /// On PreSkillShellCommand, the refusal.
    pub refused_command: Option<BlockDecision>,
}

/// A block that follows from how a hook ended.
#[derive(Debug, Clone, PartialEq)]
pub enum ForcedBlock {
    /// Exit status 2, with its message.
    Exit2(String),
    /// A failure that `onFailure: "block"` turns into a block, with its message.
    OnFailure(String),
}

/// The answer `{"ok": false, …}` of a prompt or agent hook.
#[derive(Debug, Clone, PartialEq)]
pub struct Objection {
    pub reason: String,
    pub impossible: bool,
    /// Whether the turn continues: with `continueOnBlock`, and always for agent hooks.
    pub turn_continues: bool,
}

/// The cause of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockCause {
    /// A decision in the JSON answer, or one by the model.
    Answer,
    Exit2,
    OnFailure,
    /// The event refuses because it never runs hooks of this type.
    Unsupported,
}

/// A block with its message.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockDecision {
    pub cause: BlockCause,
    pub text: String,
}

impl HookAnswer {
    /// Returns a value of `hookSpecificOutput`.
    pub fn specific_output(&self, key: &str) -> Option<&Value> {
        self.json.as_ref()?.get("hookSpecificOutput")?.get(key)
    }

    /// Returns a text of `hookSpecificOutput`, unless it is empty.
    pub fn specific_text(&self, key: &str) -> Option<&str> {
        self.specific_output(key).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    /// Returns a text at the top level of the answer, unless it is empty.
    pub fn top_text(&self, key: &str) -> Option<&str> {
        self.json.as_ref()?.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    /// Whether the answer contains `continue: false`.
    pub fn ends_turn(&self) -> bool {
        self.json.as_ref().and_then(|json| json.get("continue")) == Some(&Value::Bool(false))
    }

    /// Returns the block that this answer asks for. A decision in the JSON takes precedence over the exit status.
    pub fn block(&self) -> Option<BlockDecision> {
        if self.refused_command.is_some() {
            return self.refused_command.clone();
        }
        if let Some(objection) = &self.objection {
            let text = format!("[{}]: {}", self.command, objection.reason);
            return Some(BlockDecision { cause: BlockCause::Answer, text });
        }
        // On any other event this key is an unknown field and has no effect.
        let has_decision = matches!(self.specific_output("hookEventName"), Some(Value::String(n)) if n == "PreToolUse" || n == "PreModelSwitch");
        let denied = has_decision && self.specific_output("permissionDecision").and_then(Value::as_str) == Some("deny");
        let blocked = self.top_text("decision") == Some("block");
        if denied || blocked {
            let own = self.specific_text("permissionDecisionReason").filter(|_| denied);
            let text = own.or_else(|| self.top_text("reason")).unwrap_or(NO_REASON);
            return Some(BlockDecision { cause: BlockCause::Answer, text: text.to_owned() });
        }
        match &self.forced_block {
            Some(ForcedBlock::Exit2(text)) => Some(BlockDecision { cause: BlockCause::Exit2, text: text.clone() }),
            Some(ForcedBlock::OnFailure(text)) => {
                Some(BlockDecision { cause: BlockCause::OnFailure, text: text.clone() })
            }
            None => None,
        }
    }
}

/// Interprets a run on an event.
pub fn read(definition: &HookDefinition, report: &RunReport, event: &str, rules: VersionBehaviour) -> HookAnswer {
    let command = definition.handler.text();
    let reader = AnswerReader { definition, report, event, rules, command: &command };
    let mut answer = reader.read();
    answer.command.clone_from(&command);
    if event == "PreSkillShellCommand" {
        let asks_model = matches!(definition.handler, Handler::Prompt(_) | Handler::Agent(_));
        answer.refused_command = skill_refusal::refusal(&answer, asks_model);
    }
    answer
}

struct AnswerReader<'a> {
    definition: &'a HookDefinition,
    report: &'a RunReport,
    event: &'a str,
    rules: VersionBehaviour,
    command: &'a str,
}

/// The content of stdout by kind.
enum StdoutContent {
    Nothing,
    /// Plain text. It may begin like JSON.
    Text(String),
    Json(Map<String, Value>),
    Background,
    /// An answer that the agent rejects, and what the agent says about it.
    Refused(AnswerRefusal, String),
    /// An answer for another event, without its `hookSpecificOutput`, and what the agent says about it.
    OtherEvent(Map<String, Value>, AnswerRefusal, String),
}

impl AnswerReader<'_> {
    fn read(&self) -> HookAnswer {
        match &self.report.exit {
            Exit::Unanswered => HookAnswer { unanswered: true, ..HookAnswer::default() },
            Exit::TimedOut { .. } => {
                let forced = self.blocks_on_failure().then(|| {
                    ForcedBlock::OnFailure(format!(
                        "[{}]: timed out; blocking because onFailure is \"block\"",
                        self.command
                    ))
                });
                let failure = Some("it timed out; its output is discarded".to_owned());
                HookAnswer {
                    form: AnswerForm::Lost,
                    failure,
                    forced_block: forced,
                    timed_out: true,
                    ..HookAnswer::default()
                }
            }
            Exit::Cancelled => HookAnswer {
                form: AnswerForm::Lost,
                failure: Some("it was cancelled".to_owned()),
                ..HookAnswer::default()
            },
            Exit::FailedToStart { error } => self.failed_answer(AnswerForm::Nothing, error.clone(), None),
            Exit::Http { status } => self.read_http(*status),
            Exit::Answered { .. } if matches!(self.definition.handler, Handler::Prompt(_) | Handler::Agent(_)) => {
                self.read_model_answer()
            }
            Exit::Answered { .. } => self.read_exit(0),
            Exit::Code(code) => self.read_exit(*code),
            // The agent sees the shell's exit status 128 + n.
            Exit::Signal(signal) => self.read_exit(128 + *signal),
        }
    }

    /// Interprets a process that ended by itself, or the text of an MCP tool.
    fn read_exit(&self, code: i32) -> HookAnswer {
        let stderr = self.report.stderr.text();
        let exit_2 = (code == 2).then(|| ForcedBlock::Exit2(self.exit_2_message()));
        let bad_status = !matches!(code, 0 | 2);
        let words = bad_status.then(|| self.exit_status_message(code));
        let forced = if bad_status { self.block_on_failure(&stderr) } else { exit_2.clone() };
        match self.classify_stdout() {
            StdoutContent::Refused(refused, says) => {
                let forced = match exit_2 {
                    Some(forced) if self.rules.exit_2_beats_refused => Some(forced),
                    _ => self.block_on_failure(&answer_schema::with_stderr(&says, code, &stderr)),
                };
                rejected_answer(refused, forced)
            }
            StdoutContent::OtherEvent(json, refused, says) => self.read_other_event(json, refused, &says, code),
            // The hook moved itself to the background, so its answer does not count.
            StdoutContent::Background => HookAnswer { form: AnswerForm::Lost, ..HookAnswer::default() },
            StdoutContent::Json(json) => {
                let empty_for_mcp = self.is_mcp() && !answer_schema::has_known_key(&json);
                let forced = if empty_for_mcp {
                    self.block_on_failure("the tool's answer contains no field for hooks")
                } else {
                    forced
                };
                let mut answer = HookAnswer { form: AnswerForm::Json, json: Some(json), ..HookAnswer::default() };
                if bad_status && forced.is_some() && answer.block().is_none() {
                    // The failure blocks, and only `continue` of the answer counts.
                    if let Some(json) = &mut answer.json {
                        json.retain(|key, _| matches!(key.as_str(), "continue" | "stopReason"));
                    }
                }
                HookAnswer { forced_block: forced, ..answer }
            }
            StdoutContent::Text(text) => {
                let forced =
                    if self.is_mcp() { self.block_on_failure("the tool answered with plain text") } else { forced };
                // The agent drops the text of a hook that did not exit with 0.
                let text = (code == 0).then_some(text);
                HookAnswer {
                    form: AnswerForm::Text,
                    text,
                    failure: words,
                    forced_block: forced,
                    ..HookAnswer::default()
                }
            }
            StdoutContent::Nothing => {
                HookAnswer { form: AnswerForm::Nothing, failure: words, forced_block: forced, ..HookAnswer::default() }
            }
        }
    }

    /// Explains an exit status other than 0 and 2. It blocks only with `onFailure` and on `WorktreeCreate`.
    fn exit_status_message(&self, code: i32) -> String {
        let blockable = events::find(self.event).is_some_and(|event| event.blockable_action.is_some());
        let exit_2_blocks = blockable && !matches!(self.event, "PermissionRequest" | "WorktreeCreate");
        match code {
            126 => format!("the command could not run (exit {code})"),
            127 => format!("the command was not found (exit {code})"),
            code if code > 128 => format!("a signal ended it (exit {code})"),
            code if exit_2_blocks && !self.blocks_on_failure() => {
                format!("exit {code} does not block; use exit 2")
            }
            code => format!("exit {code} is an error"),
        }
    }

    /// Returns the message of a block by exit status 2.
    fn exit_2_message(&self) -> String {
        let stderr = self.report.stderr.text();
        let text = if stderr.is_empty() { NO_STDERR } else { &stderr };
        let from = &self.definition.provenance;
        let plugin = from.bundle.as_ref().filter(|_| from.layer == Layer::Plugin);
        let tail = plugin.map_or(String::new(), |key| format!("\nThis hook comes from the {key} plugin."));
        format!("[{}]: {text}{tail}", self.command)
    }

    /// Interprets an answer for another event. A block at the top level counts. Without one the answer is lost,
    /// and exit status 2 blocks only PreToolUse and PreCompact.
    fn read_other_event(&self, json: Map<String, Value>, refused: AnswerRefusal, says: &str, code: i32) -> HookAnswer {
        if json.get("decision").and_then(Value::as_str) == Some("block") {
            return HookAnswer {
                form: AnswerForm::Json,
                json: Some(json),
                refusal: Some(refused),
                ..HookAnswer::default()
            };
        }
        let forced = match (code, self.event) {
            (2, _) if !self.rules.exit_2_beats_refused => self.block_on_failure(says),
            (2, "PreToolUse" | "PreSkillShellCommand") => {
                let says = format!("[{}]: blocked (exit 2); its output could not be processed", self.command);
                Some(ForcedBlock::Exit2(says))
            }
            (2, "PreCompact") => Some(ForcedBlock::Exit2(self.exit_2_message())),
            (2, _) => None,
            (0, _) => self.block_on_failure(says),
            _ => self.block_on_failure(&self.report.stderr.text()),
        };
        rejected_answer(refused, forced)
    }

    fn read_http(&self, status: u16) -> HookAnswer {
        if !(200..300).contains(&status) {
            return self.failed_answer(AnswerForm::Nothing, format!("HTTP {status} from {}", self.command), None);
        }
        match self.classify_stdout() {
            StdoutContent::Nothing => HookAnswer::default(),
            StdoutContent::Json(json) => {
                HookAnswer { form: AnswerForm::Json, json: Some(json), ..HookAnswer::default() }
            }
            StdoutContent::Background => HookAnswer { form: AnswerForm::Lost, ..HookAnswer::default() },
            StdoutContent::Refused(refused, says) => rejected_answer(refused, self.block_on_failure(&says)),
            StdoutContent::OtherEvent(json, refused, says) => self.read_other_event(json, refused, &says, 0),
            StdoutContent::Text(text) => {
                let shown: String = text.chars().take(100).collect();
                let says = format!("HTTP hook must return JSON, but got non-JSON response body: {shown}");
                self.failed_answer(
                    AnswerForm::Rejected,
                    says.clone(),
                    Some(AnswerRefusal { pointer: String::new(), message: says.clone(), agent_words: says }),
                )
            }
        }
    }

    /// Interprets the model's answer, `{"ok", "reason"?, "impossible"?}` (spec §9.3).
    fn read_model_answer(&self) -> HookAnswer {
        let text = self.report.stdout.text();
        let value = parse_value(trim(&text)).unwrap_or(Value::Null);
        let Some(ok) = value.get("ok").and_then(Value::as_bool) else {
            let says = "the model's answer has no boolean `ok`".to_owned();
            return HookAnswer { form: AnswerForm::Rejected, failure: Some(says), ..HookAnswer::default() };
        };
        let reason = value.get("reason").and_then(Value::as_str).filter(|r| !r.is_empty()).unwrap_or(NO_REASON);
        let (goes_on, may_be_impossible) = match &self.definition.handler {
            Handler::Prompt(prompt) => (prompt.continue_on_block, true),
            _ => (true, false),
        };
        let impossible = may_be_impossible && value.get("impossible") == Some(&Value::Bool(true));
        let objection = (!ok).then(|| Objection { reason: reason.to_owned(), impossible, turn_continues: goes_on });
        HookAnswer { form: AnswerForm::Json, objection, ..HookAnswer::default() }
    }

    fn failed_answer(&self, form: AnswerForm, error: String, refused: Option<AnswerRefusal>) -> HookAnswer {
        let forced = self.block_on_failure(&error);
        HookAnswer { form, failure: Some(error), forced_block: forced, refusal: refused, ..HookAnswer::default() }
    }

    fn block_on_failure(&self, error: &str) -> Option<ForcedBlock> {
        let line = match trim(error) {
            "" => NO_STDERR,
            error => error,
        };
        self.blocks_on_failure().then(|| {
            let head = format!("[{}]: failed; blocking because onFailure is \"block\"", self.command);
            ForcedBlock::OnFailure(format!("{head}\n{line}"))
        })
    }

    fn is_mcp(&self) -> bool {
        matches!(self.definition.handler, Handler::McpTool(_))
    }

    fn is_http(&self) -> bool {
        matches!(self.definition.handler, Handler::Http(_))
    }

    /// Whether each line is a JSON value and none is an answer. Such a log is plain text (2.1.332).
    fn is_json_lines(&self, text: &str) -> bool {
        let is_answer = |line: &Value| {
            let keys = line.as_object().filter(|json| answer_schema::has_top_key(json));
            keys.is_some_and(|json| answer_schema::check(json, self.event).is_ok())
        };
        let mut lines = text.split('\n').map(trim).filter(|line| !line.is_empty());
        !self.is_mcp() && lines.all(|line| parse_value(line).is_ok_and(|value| !is_answer(&value)))
    }

    /// Whether `onFailure: "block"` applies (spec §7.4).
    fn blocks_on_failure(&self) -> bool {
        let asked = self.definition.raw.get("onFailure").and_then(Value::as_str) == Some("block");
        let has_key = matches!(self.definition.handler, Handler::Command(_) | Handler::Http(_) | Handler::McpTool(_));
        let deaf = matches!(self.event, "Stop" | "SubagentStop" | "TaskCompleted" | "TeammateIdle");
        let mcp_deaf = self.is_mcp() && matches!(self.event, "Setup" | "SessionStart");
        self.rules.has_on_failure && asked && has_key && !deaf && !mcp_deaf && !self.definition.detached
    }

    /// Classifies stdout: JSON, text or nothing (spec §7.1).
    fn classify_stdout(&self) -> StdoutContent {
        let text = self.report.stdout.text();
        let text = trim(&text);
        if text.is_empty() {
            return StdoutContent::Nothing;
        }
        if !text.starts_with('{') {
            return StdoutContent::Text(text.to_owned());
        }
        match parse_value(text) {
            Ok(Value::Object(json)) => self.check_schema(json),
            // Any output after that first line is printed in the background.
            Err(_) if first_line_is_async(text) => StdoutContent::Background,
            Err(_) if !self.is_http() && self.is_json_lines(text) => StdoutContent::Text(text.to_owned()),
            Err(error) if self.is_http() || text.ends_with('}') => {
                let message = format!("Hook output looks like a JSON object but is not valid JSON — {}", error.message);
                let says = answer_schema::invalid_json(text, self.is_http());
                StdoutContent::Refused(
                    AnswerRefusal { pointer: String::new(), message, agent_words: says.clone() },
                    says,
                )
            }
            Ok(_) | Err(_) => StdoutContent::Text(text.to_owned()),
        }
    }

    fn check_schema(&self, mut json: Map<String, Value>) -> StdoutContent {
        if is_async(&json) {
            return StdoutContent::Background;
        }
        match answer_schema::check(&json, self.event) {
            Err(refused) => {
                let says = answer_schema::invalid_answer(&refused, &json, self.is_http());
                StdoutContent::Refused(refused, says)
            }
            Ok(SchemaFit::OtherEvent(refused)) => {
                let says = answer_schema::other_event(&refused, &json);
                json.shift_remove("hookSpecificOutput");
                StdoutContent::OtherEvent(json, refused, says)
            }
            Ok(SchemaFit::Complete) => StdoutContent::Json(json),
        }
    }
}

/// Whether the first line is `{"async": true, …}`.
fn first_line_is_async(text: &str) -> bool {
    let line = text.lines().next().unwrap_or("");
    matches!(parse_value(trim(line)), Ok(Value::Object(json)) if is_async(&json))
}

fn is_async(json: &Map<String, Value>) -> bool {
    json.get("async") == Some(&Value::Bool(true))
}

/// The answer if the agent refuses the output.
fn rejected_answer(refused: AnswerRefusal, forced_block: Option<ForcedBlock>) -> HookAnswer {
    HookAnswer {
        form: AnswerForm::Rejected,
        failure: Some(refused.message.clone()),
        forced_block,
        refusal: Some(refused),
        ..HookAnswer::default()
    }
}

/// Returns an answer without any content, for comparisons.
pub fn empty_answer(command: &str) -> HookAnswer {
    HookAnswer { command: command.to_owned(), ..HookAnswer::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claude_code::test_scenes::project_scene;
    use crate::claude_code::version_behaviour::NEWEST;
    use hookbench_base::run::RunId;
    use proptest::prelude::*;
    use serde_json::json;
    use std::time::Duration;

    fn definition(handler: &Value, event: &str) -> HookDefinition {
        let mut settings = json!({"hooks": {}});
        settings["hooks"][event] = json!([{"hooks": [handler.clone()]}]);
        let scene = project_scene(settings, json!({"hook_event_name": event}));
        scene.loaded.definitions.first().unwrap().clone()
    }

    #[allow(clippy::needless_pass_by_value, reason = "the tables read better")]
    fn answer(handler: Value, event: &str, exit: Exit, stdout: &str, stderr: &str) -> HookAnswer {
        read(&definition(&handler, event), &RunReport::new(RunId(0), exit, stdout, stderr), event, NEWEST)
    }

    fn command() -> Value {
        json!({"type": "command", "command": "c"})
    }

    fn blocking() -> Value {
        json!({"type": "command", "command": "c", "onFailure": "block"})
    }

    const DENY: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"R"}}"#;

    const OTHER: &str = r#"{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"C"}}"#;
    const OTHER_BLOCK: &str =
        r#"{"decision":"block","reason":"R","hookSpecificOutput":{"hookEventName":"SubagentStart"}}"#;

    #[test]
    fn stdout_is_json_text_or_an_error() {
        let two_lines = format!("{DENY}\n{DENY}");
        let tail = format!("{DENY}\nhello");
        let lead = format!("hello\n{DENY}");
        let bom = format!("\u{feff} {DENY}\r\n");
        for (stdout, form) in [
            ("", AnswerForm::Nothing),
            (" \n", AnswerForm::Nothing),
            ("[1]", AnswerForm::Text),
            ("\"deny\"", AnswerForm::Text),
            ("null", AnswerForm::Text),
            ("{bad", AnswerForm::Text),
            (tail.as_str(), AnswerForm::Text),
            (lead.as_str(), AnswerForm::Text),
            ("{bad}", AnswerForm::Rejected),
            ("{'a':1}", AnswerForm::Rejected),
            ("{\"a\":1,}", AnswerForm::Rejected),
            (two_lines.as_str(), AnswerForm::Rejected),
            ("{\"hello\":\"world\"}", AnswerForm::Json),
            (bom.as_str(), AnswerForm::Json),
            // Lines of JSON are text, unless one of them is an answer that the schema accepts.
            ("{}\n{}", AnswerForm::Text),
            ("{\"a\":1}\n\n[1]\r\nnull \n{\"b\":2}", AnswerForm::Text),
            ("{\"reason\":5}\n{\"decision\":\"no\"}\n{\"hookSpecificOutput\":{}}", AnswerForm::Text),
            ("{}\n{\"async\":false}", AnswerForm::Text),
            ("{}\n{\"reason\":\"x\"}", AnswerForm::Rejected),
            ("{\"continue\":true}\n{}", AnswerForm::Rejected),
            ("{} {}", AnswerForm::Rejected),
            ("{}\nx\n{}", AnswerForm::Rejected),
            ("{\"a\":1}\n{bad}", AnswerForm::Rejected),
            ("{\"async\":true,\"decision\":\"block\"}", AnswerForm::Lost),
            ("{\"async\":true}\n{\"decision\":\"block\"}", AnswerForm::Lost),
            ("{\"decision\":\"block\"}\n{\"async\":true}", AnswerForm::Rejected),
        ] {
            assert_eq!(answer(command(), "PreToolUse", Exit::Code(0), stdout, "").form, form, "{stdout}");
        }
    }

    #[test]
    fn blocks() {
        let timed_out = || Exit::TimedOut { after: Duration::from_secs(1) };
        let no_start = || Exit::FailedToStart { error: "no".to_owned() };
        let unread = || "[c]: blocked (exit 2); its output could not be processed".to_owned();
        let failed = |line: &str| format!("[c]: failed; blocking because onFailure is \"block\"\n{line}");
        for (handler, event, exit, stdout, stderr, want) in [
            (command(), "PreToolUse", Exit::Code(0), DENY, "", Some((BlockCause::Answer, "R".to_owned()))),
            (command(), "PreToolUse", Exit::Code(1), DENY, "E", Some((BlockCause::Answer, "R".to_owned()))),
            (command(), "PreToolUse", Exit::Signal(9), DENY, "", Some((BlockCause::Answer, "R".to_owned()))),
            (command(), "PreToolUse", Exit::Code(2), DENY, "E", Some((BlockCause::Answer, "R".to_owned()))),
            (command(), "PreToolUse", Exit::Code(2), "{}", "E\n", Some((BlockCause::Exit2, "[c]: E\n".to_owned()))),
            (
                command(),
                "PreToolUse",
                Exit::Code(2),
                "text",
                "",
                Some((BlockCause::Exit2, "[c]: No stderr output".to_owned())),
            ),
            (command(), "PreToolUse", Exit::Code(2), "{bad}", "E", Some((BlockCause::Exit2, "[c]: E".to_owned()))),
            (
                command(),
                "PreToolUse",
                Exit::Code(0),
                r#"{"decision":"block"}"#,
                "",
                Some((BlockCause::Answer, NO_REASON.to_owned())),
            ),
            (command(), "PreToolUse", Exit::Code(1), "", "E", None),
            (command(), "PreToolUse", timed_out(), DENY, "", None),
            (
                blocking(),
                "PreToolUse",
                timed_out(),
                DENY,
                "",
                Some((BlockCause::OnFailure, "[c]: timed out; blocking because onFailure is \"block\"".to_owned())),
            ),
            (blocking(), "PreToolUse", Exit::Code(1), "", "E1", Some((BlockCause::OnFailure, failed("E1")))),
            (
                blocking(),
                "PreToolUse",
                Exit::Code(1),
                "{}",
                "",
                Some((BlockCause::OnFailure, failed("No stderr output"))),
            ),
            (blocking(), "PreToolUse", no_start(), "", "", Some((BlockCause::OnFailure, failed("no")))),
            (blocking(), "PreToolUse", Exit::Code(0), "plain", "", None),
            (blocking(), "PreToolUse", Exit::Code(0), "{bad", "", None),
            (blocking(), "Stop", Exit::Code(1), "", "E", None),
            // For an answer to another event only its block counts, and exit status 2 blocks only before a tool.
            (command(), "PreToolUse", Exit::Code(2), OTHER, "E", Some((BlockCause::Exit2, unread()))),
            (command(), "PreToolUse", Exit::Code(2), OTHER_BLOCK, "E", Some((BlockCause::Answer, "R".to_owned()))),
            (command(), "Stop", Exit::Code(2), OTHER, "E", None),
            (command(), "Stop", Exit::Code(2), OTHER_BLOCK, "E", Some((BlockCause::Answer, "R".to_owned()))),
            (command(), "UserPromptSubmit", Exit::Code(2), OTHER, "E", None),
            (command(), "PostToolBatch", Exit::Code(2), OTHER, "E", None),
            (
                command(),
                "UserPromptSubmit",
                Exit::Code(2),
                r#"{"continue":"x"}"#,
                "E",
                Some((BlockCause::Exit2, "[c]: E".to_owned())),
            ),
            // On other events a permission decision is not a known field: it neither blocks nor invalidates the
            // answer.
            (command(), "UserPromptSubmit", Exit::Code(0), &DENY.replace("PreToolUse", "UserPromptSubmit"), "", None),
            (command(), "Stop", Exit::Code(0), &DENY.replace("PreToolUse", "Stop"), "", None),
        ] {
            let got = answer(handler, event, exit.clone(), stdout, stderr).block().map(|b| (b.cause, b.text));
            assert_eq!(got, want, "{exit:?} {stdout} {stderr}");
        }
    }

    /// Each text was told to the model on 2.1.332.
    #[test]
    fn texts_of_rejected_answers_that_block() {
        let invalid = "Hook JSON output validation failed — reason: expected string, received number\n\n\
                       The hook's output was: {\n  \"reason\": 5\n}";
        let schema = concat!("\n\nExpected schema:\n", include_str!("expected_answer.json"));
        let invalid_command = format!("{invalid}{}", schema.trim_end());
        let no_json = "Hook output looks like a JSON object but is not valid JSON — JSON Parse error: Expected '}'. \
                       Emit the payload with a JSON encoder (jq, ConvertTo-Json, json.dumps) rather than string \
                       concatenation so backslashes and quotes inside strings are escaped.";
        let other = "Failed to run: Hook returned incorrect event name: expected 'PreToolUse' but got 'SubagentStart'. \
                     Full stdout: {\n  \"hookSpecificOutput\": {\n    \"hookEventName\": \"SubagentStart\",\n    \
                     \"additionalContext\": \"C\"\n  }\n}";
        let exited = |says: &str| format!("{says}\n\nHook exited 3 with stderr:\nE  \nF");
        let (code, http) = (Exit::Code, || Exit::Http { status: 200 });
        for (exit, stdout, stderr, want) in [
            (code(0), r#"{"reason":5}"#, "E", invalid_command.clone()),
            (code(1), r#"{"reason":5}"#, " \n", invalid_command.clone()),
            (code(3), r#"{"reason":5}"#, "  E  \nF\n", exited(&invalid_command)),
            (code(0), "{bad}", "E", no_json.to_owned()),
            (code(3), "{bad}", "  E  \nF\n", exited(no_json)),
            (code(0), OTHER, "E", other.to_owned()),
            (code(1), OTHER, "  E  \nF\n", "E  \nF".to_owned()),
            (code(127), OTHER, "", NO_STDERR.to_owned()),
            (http(), r#"{"reason":5}"#, "", invalid.to_owned()),
            (http(), OTHER, "", other.to_owned()),
            (
                http(),
                "{bad",
                "",
                "HTTP hook must return valid JSON, but parsing failed: SyntaxError: JSON Parse error: Expected '}'"
                    .to_owned(),
            ),
        ] {
            let (handler, name) = match &exit {
                Exit::Http { .. } => (json!({"type": "http", "url": "http://x/y", "onFailure": "block"}), "http://x/y"),
                _ => (blocking(), "c"),
            };
            let got = answer(handler, "PreToolUse", exit.clone(), stdout, stderr).block().map(|block| block.text);
            let want = format!("[{name}]: failed; blocking because onFailure is \"block\"\n{want}");
            assert_eq!(got, Some(want), "{exit:?} {stdout}");
        }
    }

    #[test]
    fn answers_over_http_and_of_models() {
        let http = || json!({"type": "http", "url": "http://x/y", "onFailure": "block"});
        for (status, body, form, blocked) in [
            (200, "", AnswerForm::Nothing, false),
            (204, "", AnswerForm::Nothing, false),
            (201, DENY, AnswerForm::Json, true),
            (200, "hello", AnswerForm::Rejected, true),
            (200, "[1]", AnswerForm::Rejected, true),
            (302, "", AnswerForm::Nothing, true),
            (500, DENY, AnswerForm::Nothing, true),
        ] {
            let got = answer(http(), "PreToolUse", Exit::Http { status }, body, "");
            assert_eq!((got.form, got.block().is_some()), (form, blocked), "{status} {body}");
        }
        let prompt = || json!({"type": "prompt", "prompt": "p"});
        for (text, failed, objects) in [
            (r#"{"ok":true}"#, false, false),
            (r#" {"ok":false,"reason":"r"} "#, false, true),
            ("maybe", true, false),
            (r#"{"ok":"yes"}"#, true, false),
        ] {
            let got = answer(prompt(), "Stop", Exit::Answered { by: None }, text, "");
            assert_eq!((got.failure.is_some(), got.objection.is_some()), (failed, objects), "{text}");
        }
    }

    #[test]
    fn older_versions() {
        let definition = definition(&blocking(), "PreToolUse");
        let report = |exit, stdout: &str| RunReport::new(RunId(0), exit, stdout, "E");
        let before = VersionBehaviour { exit_2_beats_refused: false, has_on_failure: false, ..NEWEST };
        assert_eq!(read(&definition, &report(Exit::Code(2), "{bad}"), "PreToolUse", before).block(), None);
        assert_eq!(read(&definition, &report(Exit::Code(1), ""), "PreToolUse", before).block(), None);
    }

    proptest! {
        /// No input makes the reader panic.
        #[test]
        fn any_bytes(stdout in prop::collection::vec(any::<u8>(), 0..80), code in -3..300i32) {
            let report = RunReport::new(RunId(0), Exit::Code(code), stdout.clone(), stdout);
            let _ = read(&definition(&command(), "PreToolUse"), &report, "PreToolUse", NEWEST);
        }
    }
}

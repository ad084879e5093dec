//! Reconstructs the events that hooks received from the records of a session.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use super::hooks;
use super::payload::{Around, SubAgent, common, tool_input};
use crate::shared::rebuilt::{Body, Told, Waiting, flag, text, time};
use hookbench_base::recorded::{FileContext, TranscriptItem, TranscriptReader};

/// Record types that describe no event.
const BOOKKEEPING: [&str; 20] = [
    "agent-color",
    "agent-name",
    "agent-setting",
    "ai-title",
    "atis-latch",
    "attribution-snapshot",
    "content-replacement",
    "cost-state",
    "custom-title",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "summary",
    "tag",
    "tools-used",
    "worktree-state",
];

/// Whether records of this type describe no event.
pub fn is_bookkeeping(kind: &str) -> bool {
    kind.starts_with("api-request") || BOOKKEEPING.contains(&kind)
}

/// The beginnings of user messages that are not prompts from a user.
const NO_PROMPTS: [&str; 5] = ["<command-", "<local-command-", "<bash-", "<task-notification>", INTERRUPTED];
const INTERRUPTED: &str = "[Request interrupted by user";

/// A call without a result so far.
struct Call {
    tool: String,
    /// The input as the model wrote it; `input` below is the input that hooks received.
    written: Value,
    input: Value,
    around: Around,
}

/// A reply of the model. Each of its blocks is on a separate line.
#[derive(Default)]
struct Reply {
    id: String,
    line: u64,
    at: Option<i64>,
    text: Option<String>,
    /// Whether it ends the turn; `None` in older versions, which do not record it.
    last: Option<bool>,
    /// Whether it makes tool calls.
    calls: bool,
    /// Whether its stop event was already added.
    stopped: bool,
    /// The common keys when the reply was made, except that `cwd` is that of its newest result.
    around: Around,
    /// The line and time of its newest result.
    result: (u64, Option<i64>),
}

/// The state of the session itself or of one of its sub-agents. Older versions write all of them into one file.
#[derive(Default)]
struct Strand {
    /// The calls of the newest reply that have results, in the form of the PostToolBatch payload.
    batch: Vec<Value>,
    reply: Reply,
    /// The number of stops since the last prompt.
    stops: u32,
}

/// The owner of a thread: `None` for the session, or else a sub-agent, whose id may be unknown.
type Whose = Option<Option<String>>;

/// The reader of a JSON Lines session file.
pub struct Transcript {
    about: FileContext,
    told: Told,
    waiting: Waiting,
    around: Around,
    /// The sub-agent's type, from the metadata file next to this file.
    kind: Option<String>,
    calls: HashMap<String, Call>,
    /// The thread of the newest record.
    strand: Strand,
    /// All other threads.
    others: BTreeMap<Whose, Strand>,
    /// The sub-agents that this file has mentioned so far.
    seen: Vec<Option<String>>,
}

impl Transcript {
    /// Creates a reader for one file.
    pub fn new(about: &FileContext) -> Transcript {
        let beside = about.companion.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok());
        Transcript {
            told: Told::new("claude", about),
            about: about.clone(),
            waiting: Waiting::default(),
            around: Around::default(),
            kind: beside.as_ref().and_then(|meta| text(meta, "agentType")).map(str::to_owned),
            calls: HashMap::new(),
            strand: Strand::default(),
            others: BTreeMap::new(),
            seen: Vec::new(),
        }
    }

    fn body(&self, event: &str) -> Body {
        self.body_in(event, &self.around)
    }

    fn body_in(&self, event: &str, around: &Around) -> Body {
        common(event, &self.told.session.session, &self.about, around)
    }

    /// Reads the metadata that every record of the conversation has.
    fn envelope(&mut self, record: &Value, out: &mut Vec<TranscriptItem>) {
        let owned = |key: &str| text(record, key).map(str::to_owned);
        if let Some(id) = owned("sessionId")
            && id != self.told.session.session
        {
            if self.told.session.session != "unknown" {
                // The file continues with another session.
                self.end(out);
                *self = Transcript { kind: self.kind.take(), ..Transcript::new(&self.about) };
            }
            self.told.session.session = id;
        }
        let session = &mut self.told.session;
        session.version = owned("version").or(session.version.take());
        session.project = session.project.take().or_else(|| owned("cwd"));
        self.told.at(time(record));
        self.around.cwd = owned("cwd").or(self.around.cwd.take());
        self.around.prompt_id = owned("promptId").or(self.around.prompt_id.take());
        self.around.mode = owned("permissionMode").or(self.around.mode.take());
        let inside = flag(record, "isSidechain")
            .then(|| SubAgent { id: owned("agentId"), kind: self.kind.clone().or_else(|| owned("attributionAgent")) });
        if inside.as_ref().map(|sub| &sub.id) != self.around.inside.as_ref().map(|sub| &sub.id) {
            self.go_over_to(inside);
        } else if let (Some(now), Some(before)) = (inside, &mut self.around.inside)
            && before.kind.is_none()
        {
            before.kind = now.kind;
        }
    }

    /// Switches to the thread of the next record.
    fn go_over_to(&mut self, inside: Option<SubAgent>) {
        let whose = |inside: &Option<SubAgent>| inside.as_ref().map(|sub| sub.id.clone());
        if self.around.inside.is_some() {
            self.stop_if_due(true);
        }
        let left = std::mem::take(&mut self.strand);
        self.others.insert(whose(&self.around.inside), left);
        self.strand = self.others.remove(&whose(&inside)).unwrap_or_default();
        self.around.inside = inside;
    }

    fn user(&mut self, line: u64, record: &Value, out: &mut Vec<TranscriptItem>) {
        let Some(content) = record.pointer("/message/content") else {
            return out.push(TranscriptItem::Skipped { line, why: "a message without content".to_owned() });
        };
        let blocks = content.as_array().map_or(&[] as &[Value], Vec::as_slice);
        let results: Vec<&Value> = blocks.iter().filter(|b| text(b, "type") == Some("tool_result")).collect();
        if !results.is_empty() {
            for block in results {
                self.result(line, record, block, out);
            }
            return;
        }
        if flag(record, "isMeta") || flag(record, "isCompactSummary") || flag(record, "isVisibleInTranscriptOnly") {
            return;
        }
        let prompt = match content {
            Value::String(prompt) => prompt.clone(),
            _ => blocks.iter().filter_map(|block| text(block, "text")).collect::<Vec<_>>().join("\n"),
        };
        if NO_PROMPTS.iter().any(|beginning| prompt.trim_start().starts_with(beginning)) {
            if prompt.trim_start().starts_with(INTERRUPTED) {
                // The reply was interrupted and did not end the turn.
                self.strand.reply.last.get_or_insert(false);
            }
            return;
        }
        self.go_on(false, out);
        self.strand.stops = 0;
        let key = text(record, "uuid").map_or_else(|| format!("line {line}"), str::to_owned);
        if let Some(inside) = &self.around.inside {
            if !self.seen.contains(&inside.id) {
                self.seen.push(inside.id.clone());
                let key = inside.id.clone().unwrap_or(key);
                let event = self.told.event("SubagentStart", &key, time(record), line, self.body("SubagentStart"));
                self.waiting.push("", event);
            }
            return;
        }
        self.told.asked(&prompt);
        let body = self.body("UserPromptSubmit").put("prompt", prompt);
        self.waiting.push("", self.told.event("UserPromptSubmit", &key, time(record), line, body));
    }

    fn assistant(&mut self, line: u64, record: &Value, out: &mut Vec<TranscriptItem>) {
        let message = record.get("message").unwrap_or(&Value::Null);
        let at = time(record);
        let blocks = message.get("content").and_then(Value::as_array).map_or(&[] as &[Value], Vec::as_slice);
        if flag(record, "isApiErrorMessage") {
            self.go_on(false, out);
            return self.failed(line, record, blocks);
        }
        if text(message, "model") == Some("<synthetic>") {
            return;
        }
        let id = text(message, "id").or(text(record, "uuid")).unwrap_or_default();
        if id != self.strand.reply.id || id.is_empty() {
            self.go_on(true, out);
            self.strand.reply = Reply { id: id.to_owned(), ..Reply::default() };
        }
        self.around.effort = text(record, "effort").map(str::to_owned);
        self.strand.reply.around = self.around.clone();
        self.strand.reply.last = text(message, "stop_reason").map(|why| matches!(why, "end_turn" | "stop_sequence"));
        for block in blocks {
            match text(block, "type") {
                Some("text") => {
                    (self.strand.reply.line, self.strand.reply.at) = (line, at);
                    self.strand.reply.text = text(block, "text").map(str::to_owned);
                }
                Some("tool_use") => {
                    self.strand.reply.calls = true;
                    self.call(line, at, block);
                }
                _ => {}
            }
        }
    }

    /// Adds a StopFailure event for a request that failed.
    fn failed(&mut self, line: u64, record: &Value, blocks: &[Value]) {
        let body = self
            .body("StopFailure")
            .maybe("error", text(record, "error"))
            .maybe("last_assistant_message", blocks.iter().find_map(|block| text(block, "text")));
        let key = text(record, "uuid").map_or_else(|| format!("line {line}"), str::to_owned);
        self.waiting.push("", self.told.event("StopFailure", &key, time(record), line, body));
    }

    fn call(&mut self, line: u64, at: Option<i64>, block: &Value) {
        let (Some(id), Some(tool)) = (text(block, "id"), text(block, "name")) else { return };
        let written = block.get("input").cloned().unwrap_or_else(|| json!({}));
        let input = tool_input(tool, &written, self.around.cwd.as_deref(), &self.about);
        let body =
            self.body("PreToolUse").put("tool_name", tool).put("tool_input", input.clone()).put("tool_use_id", id);
        self.waiting.push_unsure(id, self.told.event("PreToolUse", id, at, line, body));
        let call = Call { tool: tool.to_owned(), written, input, around: self.around.clone() };
        self.calls.insert(id.to_owned(), call);
    }

    fn result(&mut self, line: u64, record: &Value, block: &Value, out: &mut Vec<TranscriptItem>) {
        let Some(id) = text(block, "tool_use_id") else { return };
        let Some(call) = self.calls.remove(id) else {
            return out
                .push(TranscriptItem::Skipped { line, why: "a result whose call is not in the file".to_owned() });
        };
        let content = block.get("content").cloned().unwrap_or_else(|| json!(""));
        let says = said(&content);
        let done =
            json!({"tool_name": call.tool, "tool_input": call.written, "tool_use_id": id, "tool_response": content});
        self.strand.batch.push(done);
        self.strand.reply.result = (line, time(record));
        self.strand.reply.around.cwd.clone_from(&self.around.cwd);
        let decision = record.get("permissionDecision").unwrap_or(&Value::Null);
        let by_hook = text(decision, "source") == Some("hook");
        let failed = flag(block, "is_error");
        if failed && says.starts_with("<tool_use_error>") {
            // The tool does not exist or rejected the input, so no hook ran.
            return self.waiting.remove("PreToolUse", id);
        }
        self.waiting.settle("PreToolUse", id);
        let refusal = hooks::refusal(&call.tool, &says);
        let rejected = text(decision, "decision") == Some("reject") || record.get("toolDenialKind").is_some();
        if failed && (rejected || refusal.is_some() || is_refusal(&says)) {
            if let Some(before) = self.waiting.find("PreToolUse", id).filter(|_| by_hook || refusal.is_some()) {
                before.verdict = Some("deny".to_owned());
                // An attachment has more details about the same run.
                let run = refusal
                    .and_then(|refusal| refusal.run)
                    .filter(|run| before.runs.iter().all(|known| known.command != run.command));
                before.runs.extend(run);
            }
            return;
        }
        if by_hook && let Some(before) = self.waiting.find("PreToolUse", id) {
            before.verdict = Some("allow".to_owned());
        }
        let event = if failed { "PostToolUseFailure" } else { "PostToolUse" };
        // PostToolUse hooks receive the current folder, although the call was made in an earlier one.
        let around = Around { cwd: self.around.cwd.clone(), ..call.around };
        let rewritten = self.waiting.find("PreToolUse", id).and_then(|before| hooks::rewritten(&before.runs));
        let input = rewritten.unwrap_or(call.input);
        let body = self.body_in(event, &around).put("tool_name", call.tool).put("tool_input", input);
        let body = if failed {
            body.put("tool_use_id", id).put("error", says).put("is_interrupt", false)
        } else {
            body.maybe("tool_response", record.get("toolUseResult").cloned()).put("tool_use_id", id)
        };
        self.waiting.push(id, self.told.event(event, id, time(record), line, body));
    }

    fn attachment(&mut self, line: u64, record: &Value) {
        let attachment = record.get("attachment").unwrap_or(&Value::Null);
        if text(attachment, "hookEvent") == Some("SessionStart") && self.waiting.last("SessionStart").is_none() {
            let source = text(attachment, "hookName").and_then(|name| name.split_once(':')).map(|(_, source)| source);
            let key = text(record, "uuid").map_or_else(|| format!("line {line}"), str::to_owned);
            let body = self.body("SessionStart").maybe("source", source);
            self.waiting.push("", self.told.event("SessionStart", &key, time(record), line, body));
        }
        let Some((event, call, run)) = hooks::attached(attachment) else { return };
        let known = self.waiting.find(&event, &call).is_some();
        match self.waiting.last(&event).filter(|_| !known && !event.contains("ToolUse")) {
            // Runs without a tool call have their own id.
            Some(found) => found.runs.push(run),
            None => self.waiting.report(&event, &call, run),
        }
    }

    fn system(&mut self, line: u64, record: &Value, out: &mut Vec<TranscriptItem>) {
        match text(record, "subtype") {
            Some("stop_hook_summary") => {
                let call = text(record, "toolUseID").unwrap_or_default();
                if self.strand.reply.stopped || self.strand.reply.id.is_empty() {
                    return;
                }
                if self.strand.reply.last != Some(true) {
                    (self.strand.reply.line, self.strand.reply.at) = (line, time(record));
                }
                self.stop(call);
                let name = self.stop_name();
                if let (Some(stop), Some(runs)) = (self.waiting.last(name), hooks::quiet_stop(record)) {
                    stop.verdict = Some("no_objection".to_owned());
                    if stop.runs.is_empty() {
                        stop.runs = runs;
                    }
                }
            }
            Some("compact_boundary") => {
                self.go_on(false, out);
                let trigger = record.pointer("/compactMetadata/trigger").and_then(Value::as_str);
                let key = text(record, "uuid").map_or_else(|| format!("line {line}"), str::to_owned);
                // The user's instructions are not recorded. An automatic compaction has none.
                let asked = trigger.filter(|t| *t == "auto").map(|_| Value::Null);
                let before = self.body("PreCompact").maybe("trigger", trigger).maybe("custom_instructions", asked);
                let after = self.body("PostCompact").maybe("trigger", trigger);
                self.waiting.push("", self.told.event("PreCompact", &key, time(record), line, before));
                self.waiting.push("", self.told.event("PostCompact", &key, time(record), line, after));
            }
            _ => {}
        }
    }

    fn stop_name(&self) -> &'static str {
        if self.strand.reply.around.inside.is_some() { "SubagentStop" } else { "Stop" }
    }

    /// Adds the stop event of the newest reply.
    fn stop(&mut self, call: &str) {
        self.strand.reply.stopped = true;
        let name = self.stop_name();
        let inside = self.strand.reply.around.inside.is_some();
        let body = self
            .body_in(name, &self.strand.reply.around)
            .put("stop_hook_active", self.strand.stops > 0)
            .maybe("agent_transcript_path", inside.then(|| self.about.path.clone()))
            .maybe("last_assistant_message", self.strand.reply.text.clone());
        let event = self.told.event(name, &self.strand.reply.id, self.strand.reply.at, self.strand.reply.line, body);
        self.waiting.push(call, event);
        self.strand.stops += 1;
    }

    /// Finishes the previous step when the agent continues, either within the same turn or with something else.
    fn go_on(&mut self, same_turn: bool, out: &mut Vec<TranscriptItem>) {
        self.stop_if_due(same_turn);
        if same_turn && !self.strand.batch.is_empty() && self.strand.reply.last != Some(true) {
            let calls = std::mem::take(&mut self.strand.batch);
            let (line, at) = self.strand.reply.result;
            let body = self.body_in("PostToolBatch", &self.strand.reply.around).put("tool_calls", calls);
            let event = self.told.event("PostToolBatch", &self.strand.reply.id, at, line, body);
            self.waiting.push("", event);
        }
        self.strand.batch.clear();
        self.waiting.release(&mut self.told, out);
    }

    /// Adds a stop event if the newest reply ends the turn. If that is not recorded, a reply without calls ends
    /// it, unless the turn may still continue.
    fn stop_if_due(&mut self, may_go_on: bool) {
        let reply = &self.strand.reply;
        let last = reply.last.unwrap_or(!may_go_on && !reply.calls);
        if last && reply.text.is_some() && !reply.stopped {
            self.stop("");
        }
    }
}

/// Returns the text of a result.
fn said(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(|block| text(block, "text")).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

/// Whether the text of a failed result says that the call was not made. Some files have no other sign of it.
fn is_refusal(says: &str) -> bool {
    let beginnings =
        ["The user doesn't want to proceed", "[Request interrupted by user", "Claude requested permissions"];
    beginnings.iter().any(|beginning| says.starts_with(beginning))
}

impl TranscriptReader for Transcript {
    fn record(&mut self, line: u64, _text: &str, record: Value, out: &mut Vec<TranscriptItem>) {
        let kind = text(&record, "type").unwrap_or_default();
        match kind {
            "user" | "assistant" | "attachment" | "system" => {}
            kind if is_bookkeeping(kind) => return,
            "" => return out.push(TranscriptItem::Skipped { line, why: "a record without a type".to_owned() }),
            kind => {
                return out
                    .push(TranscriptItem::Skipped { line, why: format!("records of type {kind} are not known") });
            }
        }
        self.envelope(&record, out);
        match kind {
            "user" => self.user(line, &record, out),
            "assistant" => self.assistant(line, &record, out),
            "attachment" => self.attachment(line, &record),
            _ => self.system(line, &record, out),
        }
    }

    fn end(&mut self, out: &mut Vec<TranscriptItem>) {
        // If the file does not record that a reply ended the turn, the turn may still continue.
        self.stop_if_due(true);
        for strand in std::mem::take(&mut self.others).into_values() {
            self.strand = strand;
            self.stop_if_due(true);
        }
        self.waiting.end(&mut self.told, out);
    }
}

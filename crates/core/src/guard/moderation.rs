//! The question to a moderator about an event to which no rule objects, and the report with the ruling.

use serde_json::Value;

use super::answer::GuardAnswer;
use super::check::{GuardReport, RulesVerdict};
use super::event::{ContentChange, GuardEvent};
use super::hit::{GuardFinding, is_documentation, line};
use super::response::judged_message;
use super::rule::{GuardName, Surroundings, ToolKind};
use super::settings::GuardSettings;
use super::todo::{TodoItem, called_list, items, stored_list};
use super::window::Window;
use crate::moderator::{EvidenceCall, EvidenceMessage, EvidenceRole, ModeratorRuling};
use crate::recorded::MessagePart;
use crate::text::stringify;

/// The number of messages that a question contains at most, whatever the settings say.
const MAX_MESSAGES: usize = 200;

/// The evidence for a moderator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModeratorEvidence {
    pub call: Option<EvidenceCall>,
    /// The todos as lines.
    pub todos: Vec<String>,
    /// The messages of the session, oldest first.
    pub messages: Vec<EvidenceMessage>,
    /// The subject in one line, for the record: a command, a path, a todo, the end of a message.
    pub subject: String,
}

/// Collects the evidence. `None` if there is nothing to judge: the guard does not check this tool, the change is only
/// documentation, no todo becomes completed, or the message must pass.
pub fn moderator_evidence(
    guard: GuardName,
    event: &GuardEvent<'_>,
    blocks: u32,
    settings: &GuardSettings,
    around: &dyn Surroundings,
) -> Option<ModeratorEvidence> {
    let mut evidence = match guard {
        GuardName::Response => {
            let message = judged_message(event, settings, blocks, around)?;
            let subject = message.lines().next_back().unwrap_or_default().to_owned();
            ModeratorEvidence { subject, ..ModeratorEvidence::default() }
        }
        GuardName::Todo => ModeratorEvidence::default(),
        GuardName::Malicious if event.tool == Some(ToolKind::Shell) => {
            let command = event.command()?;
            ModeratorEvidence { subject: command.to_owned(), ..ModeratorEvidence::of_call(event, command.to_owned()) }
        }
        GuardName::Malicious | GuardName::Quality | GuardName::Research => {
            let changes = judged_changes(guard, event, settings, around);
            let subject = event.shown(&changes.first()?.absolute);
            let text: String = changes.iter().map(|change| change_text(change, event)).collect();
            ModeratorEvidence { subject, ..ModeratorEvidence::of_call(event, text) }
        }
    };
    let end = event.transcript(around);
    let mut window = end.map(|end| Window::read(&end, |messages| messages.len() >= MAX_MESSAGES)).unwrap_or_default();
    let is_this = |part: &MessagePart| matches!(part, MessagePart::Call(call) if is_call(call.id.as_deref(), event));
    for parts in &mut window.messages {
        parts.retain(|part| !is_this(part));
    }
    let old = stored_list(event, around).or_else(|| called_list(&window, event)).unwrap_or_default();
    if guard == GuardName::Todo {
        let completed = completed(event, &old)?;
        evidence.subject.clone_from(&completed);
        let text = event.input.map_or_else(|| format!("completed: {completed}"), stringify);
        evidence.call = Some(EvidenceCall { tool: event.tool_name.unwrap_or("todo").to_owned(), text });
    }
    evidence.todos = old.iter().map(|item| format!("[{}] {}", item.status, item.text)).collect();
    evidence.messages = window.messages.iter().flatten().map(message).collect();
    if let Some(stated) = event.last_message()
        && window.last_model_text() != Some(stated)
    {
        // A transcript lags behind, so the payload's message is the newest one.
        evidence.messages.push(EvidenceMessage::new(EvidenceRole::Model, stated));
    }
    Some(evidence)
}

/// The report after a ruling. `None` if the moderator has no objection and no message.
pub fn moderated_report(
    guard: GuardName,
    event: &GuardEvent<'_>,
    settings: &GuardSettings,
    ruling: ModeratorRuling,
    subject: &str,
) -> Option<GuardReport> {
    let (verdict, answer) = match ruling {
        ModeratorRuling::Pass { message: None } => return None,
        ModeratorRuling::Pass { message: Some(message) } => {
            (RulesVerdict::Passed, GuardAnswer::Warn(format!("{}: {message}", guard.word())))
        }
        ModeratorRuling::Refuse { rule, reason } => {
            let what: String = reason.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            let found = vec![GuardFinding { rule, place: String::new(), what, evidence: line(subject) }];
            let answer = GuardAnswer::of(guard, &found, settings);
            (RulesVerdict::Objected(found), answer)
        }
    };
    let response = answer.response(event.dialect.live_format(), &event.event);
    Some(GuardReport { verdict, allowed: Vec::new(), answer, response })
}

impl ModeratorEvidence {
    fn of_call(event: &GuardEvent<'_>, text: String) -> ModeratorEvidence {
        let tool = event.tool_name.unwrap_or_default().to_owned();
        ModeratorEvidence { call: Some(EvidenceCall { tool, text }), ..ModeratorEvidence::default() }
    }
}

fn is_call(id: Option<&str>, event: &GuardEvent<'_>) -> bool {
    id.is_some() && id == event.call_id()
}

/// The changes that the guard judges.
fn judged_changes(
    guard: GuardName,
    event: &GuardEvent<'_>,
    settings: &GuardSettings,
    around: &dyn Surroundings,
) -> Vec<ContentChange> {
    if !event.tool.is_some_and(ToolKind::changes_files) {
        return Vec::new();
    }
    let least = if guard == GuardName::Research { settings.options(guard).min_lines } else { 0 };
    let is_judged = |change: &ContentChange| {
        change.old != change.new
            && change.changed_lines >= least
            && (guard == GuardName::Malicious || !is_documentation(&change.absolute))
    };
    event.changes(around).into_iter().filter(is_judged).collect()
}

/// A change as the lines that it removes and adds.
fn change_text(change: &ContentChange, event: &GuardEvent<'_>) -> String {
    let state = if change.exists { "" } else { " (new file)" };
    let mut text = format!("file: {}{state}\n", event.shown(&change.absolute));
    let lines = |own: &str, other: &str, mark: &str, out: &mut String| {
        let known: std::collections::BTreeSet<&str> = other.lines().collect();
        for one in own.lines().filter(|one| !known.contains(one)) {
            out.push_str(&format!("{mark}{one}\n"));
        }
    };
    lines(&change.old, &change.new, "- ", &mut text);
    lines(&change.new, &change.old, "+ ", &mut text);
    text
}

/// The texts of the todos that become completed. `None` if none does.
fn completed(event: &GuardEvent<'_>, old: &[TodoItem]) -> Option<String> {
    if event.event == "todo_completed" {
        if event.text(&["phase"]).is_some_and(|phase| phase != "validation") {
            return None;
        }
        return event.text(&["todo_content"]).map(str::to_owned);
    }
    let new = event.input.filter(|_| event.tool == Some(ToolKind::Todo)).and_then(items)?;
    let was = |item: &TodoItem| {
        let same = |old: &&TodoItem| old.text == item.text || old.id.is_some() && old.id == item.id;
        old.iter().find(same).is_some_and(|old| old.status == "completed")
    };
    let now: Vec<&str> =
        new.iter().filter(|item| item.status == "completed" && !was(item)).map(|item| item.text.as_str()).collect();
    (!now.is_empty()).then(|| now.join("; "))
}

fn message(part: &MessagePart) -> EvidenceMessage {
    match part {
        MessagePart::UserText(text) => EvidenceMessage::new(EvidenceRole::User, text.as_str()),
        MessagePart::ModelText(text) => EvidenceMessage::new(EvidenceRole::Model, text.as_str()),
        MessagePart::Call(call) => {
            let input = match call.input.get("command").and_then(Value::as_str) {
                Some(command) => command.to_owned(),
                None => stringify(&call.input),
            };
            EvidenceMessage::new(EvidenceRole::ToolCall, format!("{}: {input}", call.tool))
        }
        MessagePart::Result(output) => {
            let failed = if output.failed == Some(true) { "(failed) " } else { "" };
            EvidenceMessage::new(EvidenceRole::ToolResult, format!("{failed}{}", output.text))
        }
    }
}

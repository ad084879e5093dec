//! The rules of the guard `response`: an agent stops when its work is done, or when it needs its user.

use serde_json::Value;

use super::event::GuardEvent;
use super::hit::GuardFinding;
use super::pattern::Pattern;
use super::rule::Surroundings;
use super::settings::{GuardMode, GuardSettings};
use super::todo::{TodoItem, called_list, stored_list};
use super::window::Window;
use super::work::newest_failure;
use crate::recorded::MessagePart;

/// The length up to which a greeting is only a greeting.
const GREETING_CHARS: usize = 200;

static LIMIT: Pattern = Pattern::new(
    &[],
    r"(?i)\b((weekly|daily|usage|session|hourly)\s+limit\s+reached|rate\s+limit\s+exceeded|quota\s+exceeded|limit\s+will\s+reset)\b",
);
static GREETING: Pattern =
    Pattern::new(&[], r"(?i)^\W*(hello|hi|hey|greetings|howdy|good (morning|afternoon|evening)|nice to meet you)\b");
static PHRASES: [(&str, &str, Pattern); 4] = [
    (
        "RS-P1",
        "agreement without a check",
        Pattern::new(
            &[],
            r"(?i)\byou(?:'|’)?(re|\s+are)\s+(absolutely\s+|completely\s+|totally\s+|entirely\s+|definitely\s+|quite\s+)?(correct|right|spot[- ]on)\b",
        ),
    ),
    (
        "RS-P1",
        "agreement without a check",
        Pattern::new(&[], r"(?i)\b(absolutely|completely|totally|entirely)\s+(correct|right|spot[- ]on)\b"),
    ),
    (
        "RS-P2",
        "certainty without evidence",
        Pattern::new(
            &[],
            r"(?i)\b(the\s+(issue|problem|cause)\s+is\s+(clear|obvious)|i\s+(can\s+)?(now\s+)?see\s+the\s+(problem|issue))\b",
        ),
    ),
    (
        "RS-P3",
        "a problem is left because it is older",
        Pattern::new(&[], r"(?i)\bpre[- ]?existing\s+(issue|problem|bug|error|failure|violation|test failure)s?\b"),
    ),
];
static DONE: Pattern = Pattern::new(&["WORK DONE"], r"(?m)^(?:[\s>*_#\-`]|✅|✔)*WORK DONE\b");
static FEEDBACK: Pattern =
    Pattern::new(&["FEEDBACK:"], r"(?m)^[\s>*_#\-`]*FEEDBACK:[ \t]*(\S[^\n]*(?:\n(?:[^\n]+))*)?");
static SUPPRESSES: Pattern =
    Pattern::new(&[], r"(?i)\b(skip|exclude|suppress|exempt|ignore|disable|bypass|per-file-ignores|noqa)\b");
static PROGRESS: Pattern = Pattern::new(
    &[],
    r"(?i)\b(will continue|continuing with|still need to|remaining (work|tasks|items)|in progress|\d{1,2}\s?%\s+(done|complete)|progress:\s*\d{1,2}\s?%)",
);
static FRACTION: Pattern =
    Pattern::new(&[], r"(?i)\b(\d+)\s*(/|of|out of)\s*(\d+)\s+\w*\s*(fixed|done|completed?|passing|resolved)");
static PERMISSION: Pattern = Pattern::new(
    &[],
    r"(?i)\b(should i|shall i|do you want me to|would you like me to|may i|can i proceed|let me know if (i should|you want))\b",
);
static BLOCKER: Pattern = Pattern::new(
    &[],
    r"(?i)\b(credentials?|api key|access|permission denied|password|token|account|service (is )?down|unreachable|network|no internet|hardware|licen[sc]e|billing|your decision|which (option|of)|clarif\w*|ambiguous|conflicting requirements)\b",
);
/// Words by which a message says that not everything is done.
static HONEST: Pattern = Pattern::new(
    &[],
    r"(?i)(\b(fail(s|ed|ing|ure)?|could ?n.?t|can ?not|can.?t|unable|not (yet )?(done|finished|complete|implemented|fixed)|unfinished|incomplete|remain(s|ing)?|still|left|next|open|pending|todo|later|waiting|background|running|stuck|blocked|partial(ly)?|interrupted|skipped)\b)",
);

/// Checks the end of a turn. `blocks` is the number of times in a row that this session was kept from stopping.
pub fn check(
    event: &GuardEvent<'_>,
    settings: &GuardSettings,
    blocks: u32,
    around: &dyn Surroundings,
) -> Vec<GuardFinding> {
    match Turn::read(event, settings, blocks, around) {
        Some(turn) => turn.findings(event, settings, around),
        None => Vec::new(),
    }
}

/// Returns the message that ends a turn. `None` if it must pass.
pub fn judged_message(
    event: &GuardEvent<'_>,
    settings: &GuardSettings,
    blocks: u32,
    around: &dyn Surroundings,
) -> Option<String> {
    Turn::read(event, settings, blocks, around).map(|turn| turn.message)
}

/// A turn that ends.
struct Turn {
    /// The messages of this turn.
    window: Window,
    /// The list of todos of the newest call, which may be older than this turn.
    called: Option<Vec<TodoItem>>,
    message: String,
}

impl Turn {
    /// Reads the turn. `None` if it may end in any case: without a message, after a greeting, at a usage limit, and when
    /// the session was kept from stopping too often.
    fn read(event: &GuardEvent<'_>, settings: &GuardSettings, blocks: u32, around: &dyn Surroundings) -> Option<Turn> {
        let end = event.transcript(around);
        let is_prompt = |part: &MessagePart| matches!(part, MessagePart::UserText(_));
        let window = end
            .map(|end| Window::read(&end, |messages| messages.last().is_some_and(|parts| parts.iter().any(is_prompt))));
        let mut window = window.unwrap_or_default();
        // The list of todos may be older than this turn, so it is looked for before the window is cut.
        let called = called_list(&window, event);
        window.start_after(is_prompt);
        let stated = event.last_message();
        let message = stated.filter(|text| !text.trim().is_empty()).or(window.final_model_text()).unwrap_or_default();
        let active = event.body.get("stop_hook_active").and_then(Value::as_bool) == Some(true);
        let max = settings.options(super::rule::GuardName::Response).max_blocks;
        if message.trim().is_empty() || active && blocks >= max || LIMIT.is_match(message) {
            return None;
        }
        let short = message.chars().count() <= GREETING_CHARS;
        if short && GREETING.is_match(message) && window.calls(event.tools).is_empty() {
            return None;
        }
        let message = message.to_owned();
        Some(Turn { window, called, message })
    }

    fn findings(
        self,
        event: &GuardEvent<'_>,
        settings: &GuardSettings,
        around: &dyn Surroundings,
    ) -> Vec<GuardFinding> {
        let Turn { window, called, message } = self;
        let message = message.as_str();
        let calls = window.calls(event.tools);
        let is_on = |rule: &str| settings.rule_mode(rule) != GuardMode::Off;
        let find = |rule: &'static str, what: String, evidence: &str| GuardFinding::new(rule, "", what, evidence);
        let phrases: Vec<GuardFinding> = PHRASES
            .iter()
            .filter(|(rule, ..)| is_on(rule))
            .filter_map(|(rule, what, pattern)| Some(find(rule, (*what).to_owned(), pattern.first(message)?)))
            .collect();
        if !phrases.is_empty() {
            return phrases;
        }
        let (done, asks) = (DONE.is_match(message), FEEDBACK.is_match(message));
        let question = FEEDBACK.group(message, 1).unwrap_or_default();
        if is_on("RS-R2") && asks && question.trim().is_empty() {
            return vec![find("RS-R2", "FEEDBACK: without a question".to_owned(), message)];
        }
        let marked = is_on("RS-R1");
        if marked && !done && !asks {
            let what = "the message has neither WORK DONE nor FEEDBACK:".to_owned();
            return vec![find("RS-R1", what, message.lines().next_back().unwrap_or_default())];
        }
        let mut found = Vec::new();
        // Without markers, a message claims to be done unless it asks something or names what is left.
        let claims = if marked { done } else { done || !asks && !is_question(message) && !HONEST.is_match(message) };
        if claims {
            let todos = stored_list(event, around).or(called).unwrap_or_default();
            let open: Vec<&TodoItem> = todos.iter().filter(|item| item.is_open()).collect();
            if let Some(first) = open.first() {
                found.push(find("RS-R3", format!("{} open: {}", count(open.len(), "todo"), first.text), &first.text));
            }
            if let Some(task) = running_task(event) {
                found.push(find("RS-R4", format!("a background task is running: {task}"), &task));
            }
            if let Some((command, result)) = newest_failure(&calls) {
                let what = format!("the last check failed: {command}");
                found.push(find("RS-R5", what, &format!("{command}: {result}")));
            }
        }
        if asks {
            let blocked = BLOCKER.is_match(question);
            if !blocked && let Some(text) = SUPPRESSES.first(question) {
                found.push(find("RS-R6", format!("it asks to {text}"), question));
            }
            if let Some(text) = PROGRESS.first(question).or_else(|| unfinished(question)) {
                found.push(find("RS-R7", format!("a report of progress: {text}"), question));
            }
            if !blocked && let Some(text) = PERMISSION.first(question) {
                found.push(find("RS-R8", format!("it asks for permission: {text}"), question));
            }
        }
        found
    }
}

/// Whether a message ends with a question.
fn is_question(message: &str) -> bool {
    message.trim_end_matches([' ', '\n', '*', '_', '`', ')', '"']).ends_with('?')
}

fn count(number: usize, word: &str) -> String {
    format!("{number} {word}{} {}", if number == 1 { "" } else { "s" }, if number == 1 { "is" } else { "are" })
}

/// Returns the description of a running background task.
fn running_task(event: &GuardEvent<'_>) -> Option<String> {
    let tasks = event.body.get("background_tasks")?.as_array()?;
    let text = |task: &Value, key: &str| task.get(key).and_then(Value::as_str).map(str::to_owned);
    // The list of a sub-agent that stops contains the sub-agent itself.
    let own = event.event == "subagent_stop";
    let counts = |task: &Value| match text(task, "type").as_deref() {
        Some("monitor") => false,
        kind => !own || kind == Some("shell"),
    };
    let running = tasks.iter().find(|task| text(task, "status").as_deref() == Some("running") && counts(task))?;
    ["description", "command", "id"].iter().find_map(|key| text(running, key)).or_else(|| Some("a task".to_owned()))
}

/// Returns a fraction that is less than one.
fn unfinished(text: &str) -> Option<&str> {
    let number = |group| FRACTION.group(text, group)?.parse::<u64>().ok();
    (number(1)? < number(3)?).then(|| FRACTION.first(text)).flatten()
}

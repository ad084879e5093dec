//! The summary as YAML for the model, limited to the length that agents accept.

use std::fmt::Write as _;

use super::summary::{CommandRun, SessionSummary};
use super::todos::Todo;

/// Maximum number of characters.
const LONGEST: usize = 8_000;
/// Maximum numbers of list entries, tried in turn until the text is short enough.
const ENTRIES: [usize; 8] = [60, 40, 25, 15, 8, 4, 2, 0];

/// Formats the summary as YAML of at most 8,000 characters. Lists are cut first, with the number of omitted
/// entries.
pub fn yaml(summary: &SessionSummary) -> String {
    let fits = |text: &String| text.chars().count() <= LONGEST;
    let shortest = || yaml_with_limit(summary, 0).chars().take(LONGEST).collect();
    ENTRIES.iter().map(|most| yaml_with_limit(summary, *most)).find(fits).unwrap_or_else(shortest)
}

fn yaml_with_limit(summary: &SessionSummary, most: usize) -> String {
    let mut out = String::from("# Summary of this session, which hookbench created from its transcript.\n");
    if summary.partial {
        out.push_str("partial: true # the transcript is missing, or was not read to its end\n");
    }
    let one = |out: &mut String, key: &str, text: Option<&String>| {
        if let Some(text) = text {
            let _ = writeln!(out, "{key}: {}", quoted(text));
        }
    };
    one(&mut out, "goal", summary.goal.as_ref());
    list(&mut out, "earlier_prompts", &summary.earlier_prompts, summary.earlier_prompts.len(), |text| quoted(text));
    list(&mut out, "files_changed", &summary.files_changed, most, |changed| {
        format!("{{path: {}, times: {}}}", quoted(&changed.path), changed.times)
    });
    list(&mut out, "files_read", &summary.files_read, most, |path| quoted(path));
    // The newest commands are the most important.
    let from = summary.commands.len().saturating_sub(most);
    list(&mut out, "commands", &summary.commands[from..], most, ran);
    if from > 0 {
        let _ = writeln!(out, "commands_before: {from}");
    }
    if let Some(test) = &summary.last_test {
        let _ = writeln!(out, "last_test: {}", ran(test));
    }
    list(&mut out, "todos", &summary.todos, most, |todo: &Todo| {
        format!("{{status: {}, text: {}}}", quoted(&todo.status), quoted(&todo.text))
    });
    one(&mut out, "last_message", summary.last_message.as_ref());
    let counts = summary.counts;
    let _ = writeln!(
        out,
        "counts: {{prompts: {}, tool_calls: {}, failed_calls: {}}}",
        counts.prompts, counts.tool_calls, counts.failed_calls
    );
    out
}

fn ran(ran: &CommandRun) -> String {
    let times = if ran.times > 1 { format!(", times: {}", ran.times) } else { String::new() };
    format!("{{command: {}, outcome: {}{times}}}", quoted(&ran.command), ran.outcome.word())
}

fn list<T>(out: &mut String, key: &str, all: &[T], most: usize, write: impl Fn(&T) -> String) {
    if all.is_empty() {
        return;
    }
    let _ = writeln!(out, "{key}:");
    for one in all.iter().take(most) {
        let _ = writeln!(out, "  - {}", write(one));
    }
    if all.len() > most {
        let _ = writeln!(out, "  - \"… {} more\"", all.len() - most);
    }
}

/// Quotes a text. JSON strings are also YAML strings.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

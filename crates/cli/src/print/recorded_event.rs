//! One recorded event, and the files that its hooks could have read.

use super::text_page::{TextPage, Tone, agent_name, column, cut, verdict_tone};
use hookbench_app::EventListRow;
use hookbench_app::document::{MomentDoc, RecordedEventDoc};
use hookbench_core::config::EnvironmentSource;
use hookbench_core::decide::Verdict;
use hookbench_core::recorded::format_time;
use hookbench_core::text::{one_line, pluralize, stringify_pretty};

/// The width of the labels.
const LABEL: usize = 12;
/// The number of lines of a payload.
const PAYLOAD: usize = 2_000;

/// Returns the event as a page.
pub fn recorded_event(doc: &RecordedEventDoc) -> String {
    let mut page = TextPage::new();
    page.put(Tone::Strong, &format!(" #{} {}", doc.number, doc.event));
    page.put(Tone::Plain, &doc.subject.as_ref().map(|subject| format!("  {subject}")).unwrap_or_default());
    let version = doc.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
    page.put(Tone::Quiet, &format!("   {}{version}", agent_name(&doc.agent))).end().end();
    fact(&mut page, "at", doc.at.as_deref());
    fact(&mut page, "session", Some(&doc.session));
    fact(&mut page, "project", doc.project.as_deref());
    fact(&mut page, "made", Some(doc.made));
    fact(&mut page, "file", doc.source.as_ref().map(|source| format!("{}:{}", source.file, source.line)).as_deref());
    fact(&mut page, "verdict", doc.verdict.as_deref());
    let answer = doc.answer.as_ref().map(|answer| {
        let reason = answer.reason.as_ref().map(|reason| format!("   {reason}")).unwrap_or_default();
        format!("{} by {}{reason}", answer.decision, answer.by)
    });
    fact(&mut page, "answer", answer.as_deref());
    if let Some(environment) = &doc.environment {
        let known = EnvironmentSource::from_word(&environment.source);
        fact(&mut page, "env", known.map(EnvironmentSource::description).or(Some(&environment.source)));
        let from = environment.path_from.as_ref().map(|from| format!(", from {from}")).unwrap_or_default();
        fact(&mut page, "", Some(&format!("PATH={}{from}", environment.path.join(":"))));
    }
    moment(&mut page, &doc.moment);
    page.end().put(Tone::Quiet, " payload").end();
    page.block("   ", Tone::Plain, &stringify_pretty(&doc.payload), PAYLOAD);
    page.finish()
}

fn moment(page: &mut TextPage, moment: &MomentDoc) {
    page.end().put(Tone::Strong, " What a hook could have read").end();
    if let Some(read) = &moment.transcript {
        let later = if read.later_lines == 0 { String::new() } else { format!(", {} written later", read.later_lines) };
        fact(page, "transcript", Some(&format!("{} lines{later}   {}", read.lines, read.file)));
        let calls =
            format!("{} prompts, {} tool calls, {} failed", moment.prompts, moment.tool_calls, moment.failed_calls);
        fact(page, "so far", Some(&calls));
    } else {
        fact(page, "transcript", Some(moment.unread.as_deref().unwrap_or("the event names none")));
    }
    fact(page, "goal", moment.goal.as_deref());
    let test = moment.last_test.as_ref().map(|test| format!("{} ({})", test.command, test.outcome));
    fact(page, "last test", test.as_deref());
    fact(page, "last message", moment.last_message.as_deref());
    match &moment.todos_from {
        None => fact(page, "todos", Some("none")),
        Some(from) => fact(page, "todos", Some(&format!("from {from}"))),
    }
    for todo in &moment.todos {
        page.put(Tone::Quiet, &" ".repeat(LABEL + 2)).cell(Tone::Quiet, &todo.status, 12);
        page.put(Tone::Plain, &one_line(&todo.text)).end();
    }
    for note in &moment.notes {
        fact(page, "note", Some(note));
    }
}

fn fact(page: &mut TextPage, label: &str, text: Option<&str>) {
    let Some(text) = text else { return };
    page.put(Tone::Plain, " ").cell(Tone::Quiet, label, LABEL + 1).put(Tone::Plain, &one_line(text)).end();
}

const EVENT: usize = 18;
const SUBJECT: usize = 18;
const WHAT: usize = 30;

/// Returns the rows as a page, with the total number of matching events.
pub fn recorded(rows: &[EventListRow], count: u64) -> String {
    let mut page = TextPage::new();
    let numbers: Vec<String> = rows.iter().map(|row| format!("#{}", row.seq)).collect();
    let number = column(numbers.iter().map(String::as_str), 10);
    let agent = column(rows.iter().map(|row| row.agent.as_str()), 8);
    let event = column(rows.iter().map(|row| row.event.as_str()), EVENT);
    let subject = column(rows.iter().filter_map(|row| row.subject.as_deref()), SUBJECT);
    for (row, name) in rows.iter().zip(&numbers) {
        // Month, day and time to the second. The JSON document has the full timestamp.
        let at =
            row.at.and_then(format_time).map(|at| at.get(5..19).unwrap_or("").replace('T', " ")).unwrap_or_default();
        page.cell(Tone::Quiet, name, number + 1).cell(Tone::Quiet, &at, 15);
        page.cell(Tone::Plain, &row.agent, agent + 1).cell(Tone::Plain, &cut(&row.event, event), event + 1);
        page.cell(Tone::Plain, &cut(row.subject.as_deref().unwrap_or("-"), subject), subject + 1);
        page.cell(Tone::Quiet, &cut(row.highlight.as_deref().unwrap_or(""), WHAT), WHAT + 1);
        page.cell(Tone::Quiet, row.payload_source.word(), 10);
        match row.verdict.as_deref().and_then(Verdict::from_word) {
            Some(verdict) => page.put(verdict_tone(verdict), verdict.title()),
            None => match &row.answer {
                Some(answer) => page.put(Tone::Plain, &format!("{} by {}", answer.decision, answer.by)),
                None => page.put(Tone::Quiet, "-"),
            },
        };
        if row.marked {
            page.put(Tone::Strong, " *");
        }
        if let Some(comment) = &row.comment {
            page.end().put(Tone::Quiet, &format!("    {}", one_line(comment)));
        }
        page.end();
    }
    let shown = rows.len() as u64;
    let of = if shown < count { format!("{shown} of {count} events, the newest") } else { pluralize(count, "event") };
    page.put(Tone::Quiet, &of).end();
    page.finish()
}

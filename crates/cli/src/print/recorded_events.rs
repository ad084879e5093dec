//! Recorded events as a table, newest first. At most 100 columns wide.

use super::text_page::{TextPage, Tone, column, cut, verdict_tone};
use hookbench_app::EventListRow;
use hookbench_core::decide::Verdict;
use hookbench_core::recorded::format_time;
use hookbench_core::text::{one_line, pluralize};

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

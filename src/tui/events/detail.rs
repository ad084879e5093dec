//! One recorded event in full: where it comes from, what its hooks did, its payload.

use ratatui::style::Style;

use crate::app::Row;
use crate::core::dialects;
use crate::core::recorded::{Made, RecordedEvent, RecordedRun, time_text};
use crate::core::text::{parse_value, stringify_pretty};
use crate::tui::compare::Line;
use crate::tui::model::Model;
use crate::tui::theme::Theme;
use crate::tui::widgets::{json_line, wrap};

/// Longer payloads are not laid out.
const LARGEST: usize = 1 << 20;
/// Lines of one stream, and of a payload.
const STREAM: usize = 200;
const PAYLOAD: usize = 5_000;
/// Columns of the labels.
const LABEL: usize = 9;

/// What it means that an event was made so.
pub fn made_words(made: Made) -> &'static str {
    match made {
        Made::Recorded => "the bytes that the agent gave to a hook",
        Made::Rebuilt => "put together from a transcript, as the agent would have sent it",
        Made::Edited => "recorded or rebuilt, then changed by hand",
        Made::Synthetic => "made up from a template or by hand",
    }
}

/// The lines of an event; without it, what is known from the list. `read`: the store was asked for it.
pub fn lines(model: &Model, row: &Row, event: Option<&RecordedEvent>, read: bool) -> Vec<Line> {
    let theme = model.theme;
    let columns = usize::from(model.size.0).saturating_sub(2).max(8);
    let mut all: Vec<Line> = Vec::new();
    let mut fact = |label: &str, parts: Line| {
        let mut line = vec![(theme.quiet(), format!("{label:<LABEL$}"))];
        line.extend(parts);
        all.extend(wrap(&line, columns, LABEL));
    };
    let plain = |text: String| vec![(theme.plain(), text)];
    let agent = dialects::by_id(&row.agent).map_or(row.agent.as_str(), |dialect| dialect.name());
    let version = event.and_then(|event| event.version.clone()).map(|v| format!(" {v}")).unwrap_or_default();
    let sub = if row.sub { ", in a sub-agent" } else { "" };
    let at = row.at.and_then(time_text).unwrap_or_else(|| "at no known time".to_owned());
    fact("agent", plain(format!("{agent}{version}{sub}   {at}")));
    fact("session", plain(format!("{}   {}", row.session, row.project.as_deref().unwrap_or("of no known project"))));
    let masked = if row.redacted { "; secrets in it were masked" } else { "" };
    fact(
        "made",
        vec![
            (theme.strong(), row.made.word().to_owned()),
            (theme.quiet(), format!("   {}{masked}", made_words(row.made))),
        ],
    );
    if let Some(source) = event.and_then(|event| event.source.as_ref()) {
        fact("source", plain(format!("{}:{}", source.file, source.line)));
    }
    if let Some(origin) = &row.origin {
        let number = row.origin_seq.map_or_else(|| format!("{origin}, which is gone"), |seq| format!("#{seq}"));
        fact("replays", plain(number));
    }
    if let Some(comment) = &row.comment {
        fact("comment", vec![(theme.strong(), comment.clone())]);
    }
    let Some(event) = event else {
        let says = if read { "it is no longer in the store" } else { "being read" };
        fact("payload", vec![(theme.quiet(), says.to_owned())]);
        return all;
    };
    if event.runs.is_empty() {
        fact("hooks", vec![(theme.quiet(), "no run of a hook is known".to_owned())]);
    }
    for run in &event.runs {
        fact("hook", run_words(theme, run));
        for (label, stream) in [("stdout", &run.report.stdout), ("stderr", &run.report.stderr)] {
            let text = String::from_utf8_lossy(&stream.head);
            let style = if label == "stderr" { theme.warn() } else { theme.plain() };
            for (index, line) in text.lines().take(STREAM).enumerate() {
                fact(if index == 0 { label } else { "" }, vec![(style, line.to_owned())]);
            }
            let more = text.lines().count().saturating_sub(STREAM);
            if more > 0 || stream.total > stream.head.len() as u64 {
                fact("", vec![(theme.quiet(), format!("{more} more lines are kept, of {} bytes", stream.total))]);
            }
        }
    }
    payload(theme, event, columns, &mut all);
    all
}

fn run_words(theme: Theme, run: &RecordedRun) -> Line {
    let took = run.report.timing.ended.saturating_sub(run.report.timing.started).as_millis();
    let mut line = vec![(theme.strong(), run.hook.clone()), (theme.plain(), format!("   {}", run.report.exit.words()))];
    if run.partial {
        line.push((theme.quiet(), "   only a part of it is known".to_owned()));
    } else {
        line.push((theme.quiet(), format!("   {took} ms")));
    }
    if let Some(command) = run.command.as_ref().filter(|command| **command != run.hook) {
        line.push((theme.quiet(), format!("   {command}")));
    }
    line
}

fn payload(theme: Theme, event: &RecordedEvent, columns: usize, all: &mut Vec<Line>) {
    let bytes = event.payload.len();
    let label = |text: String| vec![(theme.quiet(), text)];
    if bytes > LARGEST {
        all.push(label(format!("payload  {bytes} bytes, too long to be laid out here; it can be copied")));
        return;
    }
    all.push(label(format!("payload  {bytes} bytes")));
    let text = String::from_utf8_lossy(&event.payload);
    let Ok(value) = parse_value(&text) else {
        all.extend(text.lines().take(PAYLOAD).flat_map(|line| wrap(&[(theme.plain(), line.to_owned())], columns, 2)));
        return;
    };
    let pretty = stringify_pretty(&value);
    let mut lines = pretty.lines();
    for line in lines.by_ref().take(PAYLOAD) {
        let (indent, key, rest) = json_line(line);
        let pieces: [(Style, String); 3] =
            [(theme.plain(), format!("  {indent}")), (theme.key(), key.to_owned()), (theme.plain(), rest.to_owned())];
        all.extend(wrap(&pieces, columns, indent.len() + 4));
    }
    let more = lines.count();
    if more > 0 {
        all.push(label(format!("  {more} more lines")));
    }
}

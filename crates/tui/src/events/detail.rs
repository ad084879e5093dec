//! One recorded event in full: its source, its hooks, its payload.

use serde_json::Value;

use crate::model::Model;
use crate::run_time::{took, utc};
use crate::theme::Theme;
use crate::widgets::{JsonTree, StyledLine, TreeValue, width, wrap};
use crate::{intercept, time_line};
use hookbench_app::live::LiveEventState;
use hookbench_app::{EventListRow, EventMoment};
use hookbench_core::dialects;
use hookbench_core::recorded::{PayloadSource, RecordedEvent, RecordedRun};
use hookbench_core::text::{one_line, parse_value, pluralize, stringify};

/// Maximum size of a payload that is formatted, in bytes.
const LARGEST: usize = 1 << 20;
/// Maximum lines of one stream, and of a payload.
const STREAM: usize = 200;
const PAYLOAD: usize = 5_000;
/// Maximum number of todos that are listed.
const TODOS: usize = 10;
/// Width of the labels, in columns.
const LABEL: usize = 9;

/// The explanation of how an event was made.
pub fn made_words(made: PayloadSource) -> &'static str {
    match made {
        PayloadSource::Recorded => "exactly what the agent sent to a hook",
        PayloadSource::Rebuilt => "reconstructed from a transcript",
        PayloadSource::Edited => "recorded or reconstructed, then edited",
        PayloadSource::Synthetic => "from a template or typed",
        PayloadSource::Fired => "fired by you with hookbench",
    }
}

/// The number of hooks that ran when an event was recorded.
pub fn recorded_runs_words(count: usize) -> String {
    match count {
        0 => "no recorded run of a hook".to_owned(),
        1 => "1 hook ran".to_owned(),
        ran => format!("{ran} hooks ran"),
    }
}

/// The lines of an event; without it, the data from the list. `read` is whether the store has already answered.
pub fn lines(model: &Model, row: &EventListRow, event: Option<&RecordedEvent>, read: bool) -> Vec<StyledLine> {
    let theme = model.theme;
    let columns = usize::from(model.size.0).saturating_sub(3).max(8);
    let mut all: Vec<StyledLine> = Vec::new();
    let mut fact = |label: &str, parts: StyledLine| {
        let mut line = vec![(theme.quiet(), format!("{label:<LABEL$}"))];
        line.extend(parts);
        all.extend(wrap(&line, columns, LABEL));
    };
    let plain = |text: String| vec![(theme.plain(), text)];
    let agent = dialects::by_id(&row.agent).map_or(row.agent.as_str(), |dialect| dialect.name());
    let version = event.and_then(|event| event.version.clone()).map(|v| format!(" {v}")).unwrap_or_default();
    let sub = if row.sub { ", in a sub-agent" } else { "" };
    let at = row.at.and_then(utc).unwrap_or_else(|| "unknown time".to_owned());
    fact("agent", plain(format!("{agent}{version}{sub}   {at}")));
    fact("session", plain(format!("{}   {}", row.session, row.project.as_deref().unwrap_or("unknown project"))));
    let masked = if row.redacted { "; secrets in it were masked" } else { "" };
    fact(
        "source",
        vec![
            (theme.strong(), row.payload_source.word().to_owned()),
            (theme.quiet(), format!("   {}{masked}", made_words(row.payload_source))),
        ],
    );
    if let Some(source) = event.and_then(|event| event.source.as_ref()) {
        fact("file", plain(format!("{}:{}", source.file, source.line)));
    }
    if let Some(origin) = &row.origin {
        let number =
            row.origin_seq.map_or_else(|| format!("{origin}, which no longer exists"), |seq| format!("#{seq}"));
        fact("replays", plain(number));
    }
    if let Some(comment) = &row.comment {
        fact("comment", vec![(theme.strong(), comment.clone())]);
    }
    let live = model.session.live().event(&row.id);
    if let Some(live) = live {
        let (style, says) = intercept::state_words(theme, &live.state);
        let mut parts = vec![(style, says)];
        if let LiveEventState::Answered(answered) = &live.state {
            let reason = answered.reason.iter().map(|reason| format!("   {reason}"));
            let suppressed = answered.suppressed.iter().map(|why| format!("   not said: {why}"));
            parts.extend(reason.chain(suppressed).map(|text| (theme.plain(), text)));
        }
        fact("answer", parts);
    } else if let Some(answer) = &row.answer {
        let at = answer.at.and_then(utc).map(|at| format!("   {at}"));
        let held = answer.held_ms.map(|ms| format!(" after {}", took(std::time::Duration::from_millis(ms))));
        let reason = answer.reason.iter().map(|reason| format!("   {reason}"));
        let more: String = at.into_iter().chain(held).chain(reason).collect();
        fact("answer", vec![intercept::answer_words(theme, answer), (theme.plain(), more)]);
    }
    let Some(event) = event else {
        let says = if read { "the event is no longer in the store" } else { "being read" };
        fact("payload", vec![(theme.quiet(), says.to_owned())]);
        return all;
    };
    let now = model.session.configured_for(row).map(|now| match now {
        0 => "no hooks configured for this event".to_owned(),
        1 => "1 hook configured for this event".to_owned(),
        now => format!("{now} hooks configured for this event"),
    });
    let known = recorded_runs_words(event.runs.len());
    let now = now.map(|now| format!("; {now}")).unwrap_or_default();
    fact("hooks", vec![(theme.quiet(), format!("{known}{now}"))]);
    if let Some(live) = live {
        // Beside the answer, the predicted result of this project's own hooks is shown.
        let others = model.session.plan_other_hooks(&live.arrived, &String::from_utf8_lossy(&event.payload));
        fact("", plain(intercept::others_words(Some(&others))));
    }
    if let Some(moment) = &model.session.event_list().selected_moment {
        for (label, text) in moment_facts(moment) {
            fact(label, plain(text));
        }
    }
    let times = time_line::recorded_times(model, event);
    if time_line::is_worth_drawing(&times) {
        fact("time", plain(time_line::summary(&times)));
        for line in time_line::lines(theme, &times, columns.saturating_sub(LABEL)) {
            fact("", line);
        }
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
                fact("", vec![(theme.quiet(), format!("{more} more lines, {} bytes", stream.total))]);
            }
        }
    }
    all
}

/// The files that a hook could have read at the moment of the event: the transcript up to then, and the todos.
fn moment_facts(moment: &EventMoment) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    match &moment.transcript {
        None => {}
        Some(Err(why)) => facts.push(("reads", why.clone())),
        Some(Ok((_, lines, later))) => {
            let later = if *later == 0 { String::new() } else { format!(", {later} written later") };
            facts.push(("reads", format!("{} of the transcript up to this event{later}", pluralize(*lines, "line"))));
        }
    }
    if let Some(from) = &moment.todos_from {
        let count = |status: &str| moment.todos.iter().filter(|todo| todo.status == status).count();
        let [done, now] = ["completed", "in_progress"].map(count);
        let open = moment.todos.len() - done - now;
        let from = from.rsplit('/').next().unwrap_or(from);
        facts.push(("todos", format!("{done} completed, {now} in progress, {open} pending   from {from}")));
        let open = moment.todos.iter().filter(|todo| todo.status != "completed").take(TODOS);
        facts.extend(open.map(|todo| ("", format!("{}   {}", todo.status, one_line(&todo.text)))));
    }
    facts.extend(moment.notes.iter().map(|note| ("note", note.clone())));
    facts
}

/// The payload as an object; `None` if it is something else or too long to format.
pub fn body(event: &RecordedEvent) -> Option<Value> {
    let text = std::str::from_utf8(&event.payload).ok().filter(|text| text.len() <= LARGEST)?;
    parse_value(text).ok().filter(Value::is_object)
}

/// The lines of the payload's tree, each with the index of its row. A text of several lines is shown in full below
/// its key.
pub fn tree_lines(theme: Theme, tree: &JsonTree, body: &Value, columns: usize) -> Vec<(usize, StyledLine)> {
    let mut all = Vec::new();
    for (index, row) in tree.rows.iter().enumerate() {
        let indent = " ".repeat(2 + 2 * row.depth);
        let key = (theme.key(), row.key.clone());
        let air = |more: usize| " ".repeat(row.column.saturating_sub(width(&row.key)) + more);
        let line = match &row.value {
            TreeValue::Fold { open, summary: says } => {
                let mut line = vec![(theme.quiet(), format!("{indent}{} ", theme.fold(*open))), key];
                if !open {
                    line.push((theme.quiet(), format!("{}{says}", air(2))));
                }
                line
            }
            TreeValue::Scalar(shown) => {
                let text = body.pointer(&row.pointer).and_then(Value::as_str);
                let lines = text.filter(|text| text.contains('\n'));
                let mut line = vec![(theme.plain(), format!("{indent}  ")), key];
                if let Some(text) = lines {
                    // A text of several lines is shown as lines.
                    all.push((index, line));
                    let below = format!("{indent}    ");
                    for text in text.lines().take(PAYLOAD) {
                        let line = [(theme.quiet(), below.clone()), (theme.plain(), text.to_owned())];
                        all.extend(wrap(&line, columns, below.len()).into_iter().map(|line| (index, line)));
                    }
                    continue;
                }
                let whole = text.map_or_else(|| shown.clone(), |text| stringify(&Value::from(text)));
                line.push((theme.plain(), format!("{}{whole}", air(2))));
                line
            }
        };
        all.extend(wrap(&line, columns, indent.len() + 4).into_iter().map(|line| (index, line)));
    }
    all
}

fn run_words(theme: Theme, run: &RecordedRun) -> StyledLine {
    let time = run.report.timing.ended.saturating_sub(run.report.timing.started);
    let mut line =
        vec![(theme.strong(), run.hook.clone()), (theme.plain(), format!("   {}", run.report.exit.describe()))];
    if run.partial {
        line.push((theme.quiet(), "   partial record".to_owned()));
    } else {
        line.push((theme.quiet(), format!("   {}", took(time))));
    }
    if let Some(command) = run.command.as_ref().filter(|command| **command != run.hook) {
        line.push((theme.quiet(), format!("   {command}")));
    }
    line
}

/// Adds the size of the payload, and its text if it is not an object.
pub fn add_payload(theme: Theme, event: &RecordedEvent, columns: usize, all: &mut Vec<StyledLine>) {
    let bytes = event.payload.len();
    let label = |text: String| vec![(theme.quiet(), text)];
    if bytes > LARGEST {
        all.push(label(format!("payload  {bytes} bytes, too long to show; copy it instead")));
        return;
    }
    all.push(label(format!("payload  {bytes} bytes")));
    if body(event).is_some() {
        return;
    }
    let text = String::from_utf8_lossy(&event.payload);
    let mut lines = text.lines();
    let shown = lines.by_ref().take(PAYLOAD);
    all.extend(shown.flat_map(|line| wrap(&[(theme.plain(), line.to_owned())], columns, 2)));
    let more = lines.count();
    if more > 0 {
        all.push(label(format!("  {more} more lines")));
    }
}

//! The selected hook: its streams, what the agent makes of its answer, its process, its ladder.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::app::RunRecord;
use crate::core::hook::HookDefinition;
use crate::core::output::Use;
use crate::core::plan::RungState;
use crate::core::run::{Exit, Finish, Launch, ProcessSpec};
use crate::core::trace::TraceStep;
use crate::tui::model::{Focus, Model, Row, Tab};
use crate::tui::widgets::{Cells, wrap};

/// A line in pieces.
pub type Line = Vec<(Style, String)>;

/// Draws the pane: title with tabs, the lines, and for a process its clock against the timeout.
pub fn detail(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let theme = model.theme;
    title(model, Rect { height: 1, ..area }, buf);
    let clock = clock_line(model);
    let rows = area.height.saturating_sub(1 + u16::from(clock.is_some()));
    let body = Rect { y: area.y + 1, height: rows, ..area };
    let tab = model.current_tab();
    let lines: Vec<Line> = match tab {
        Tab::Stdout | Tab::Stderr => stream_lines(model, rows),
        tab => {
            let all = detail_rows(model, tab);
            let last = all.len().saturating_sub(usize::from(rows));
            let top = model.scroll.unwrap_or(0).min(last);
            all.into_iter().skip(top).take(usize::from(rows)).collect()
        }
    };
    for (index, line) in lines.iter().enumerate() {
        let y = body.y + u16::try_from(index).unwrap_or(0);
        if y >= body.bottom() {
            break;
        }
        let mut cells = Cells::new(Rect { y, height: 1, ..body }, buf, theme);
        cells.skip(1);
        for (style, text) in line {
            cells.put(*style, text);
        }
    }
    if let Some(line) = clock {
        let mut cells = Cells::new(Rect { y: area.bottom() - 1, height: 1, ..area }, buf, theme);
        cells.skip(1);
        for (style, text) in &line {
            cells.put(*style, text);
        }
    }
}

fn title(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let mut cells = Cells::new(area, buf, theme);
    let name = match model.rows.get(model.selected) {
        Some(Row::NotLoaded(_)) => "not loaded".to_owned(),
        _ => model.definition().map_or_else(String::new, HookDefinition::label),
    };
    cells.skip(1).put(theme.strong(), &name).skip(2);
    if model.definition().is_none() {
        return;
    }
    let focused = model.focus == Focus::Detail;
    for tab in Tab::ALL {
        if tab == model.current_tab() {
            let style = if focused { theme.selected() } else { theme.strong().add_modifier(Modifier::UNDERLINED) };
            cells.put(style, tab.title());
        } else {
            cells.put(theme.quiet(), tab.title());
        }
        cells.skip(2);
    }
    cells.right(theme.quiet(), "[ ] ");
}

fn stream_lines(model: &Model, rows: u16) -> Vec<Line> {
    let theme = model.theme;
    let plain = |text: &String| vec![(theme.plain(), text.clone())];
    let Some(run) = model.selected_run() else {
        return vec![vec![(theme.quiet(), "not run yet; f fires the event".to_owned())]];
    };
    if model.stream.lines.is_empty() {
        let says = if run.ended().is_some() { "nothing was written here" } else { "nothing yet" };
        return vec![vec![(theme.quiet(), says.to_owned())]];
    }
    let rows = usize::from(rows);
    let last = model.stream.lines.len().saturating_sub(rows);
    let top = model.scroll.map_or(last, |s| s.min(last));
    model.stream.lines.iter().skip(top).take(rows).map(plain).collect()
}

impl Model {
    /// The first line shown of a stream while it is followed.
    pub fn first_line(&self) -> usize {
        match self.current_tab() {
            Tab::Stdout | Tab::Stderr => self.stream.lines.len().saturating_sub(1),
            _ => 0,
        }
    }
}

/// The lines of a tab that is no stream, broken where the pane ends.
pub fn detail_rows(model: &Model, tab: Tab) -> Vec<Line> {
    let columns = super::detail_width(model.size, model.zoomed);
    // What stands in a column of labels stays in its column.
    let indent = match tab {
        Tab::Decision | Tab::Process => 9,
        Tab::Why => 24,
        Tab::Stdin | Tab::Stdout | Tab::Stderr => 2,
    };
    let wrapped = |line: &Line| {
        let label = line.len() > 1;
        wrap(line, columns, if label { indent } else { 0 })
    };
    detail_lines(model, tab).iter().flat_map(wrapped).collect()
}

/// The lines of a tab that is no stream.
fn detail_lines(model: &Model, tab: Tab) -> Vec<Line> {
    let theme = model.theme;
    if let Some(Row::NotLoaded(index)) = model.rows.get(model.selected) {
        let file = model.loaded().and_then(|l| l.not_loaded.get(*index));
        return file
            .map(|f| vec![vec![(theme.strong(), f.file.clone())], vec![(theme.plain(), f.says.clone())]])
            .unwrap_or_default();
    }
    let Some(definition) = model.definition() else {
        let says = if model.rows.is_empty() { "" } else { "Enter shows the hooks of other events" };
        return vec![vec![(theme.quiet(), says.to_owned())]];
    };
    match tab {
        Tab::Stdin => stdin_lines(model),
        Tab::Decision => decision_lines(model),
        Tab::Process => process_lines(model, definition),
        Tab::Why => why_lines(model),
        Tab::Stdout | Tab::Stderr => Vec::new(),
    }
}

fn stdin_lines(model: &Model) -> Vec<Line> {
    let theme = model.theme;
    let Some(run) = model.selected_run() else {
        let mut lines = vec![vec![(theme.quiet(), "it would be given this, as one line".to_owned())]];
        lines.extend(model.event_lines.iter().map(|l| json(model, l)));
        return lines;
    };
    let bytes = match &run.launch {
        Launch::Process(spec) => &spec.stdin,
        Launch::Http(spec) => &spec.body,
        Launch::ByHand(_) | Launch::Refused(_) | Launch::Canned { .. } => {
            return vec![vec![(theme.quiet(), "it has no stdin".to_owned())]];
        }
    };
    let read = run.ended().map_or(String::new(), |r| format!(", {} taken", r.report.stdin_read));
    let mut lines = vec![vec![(theme.quiet(), format!("{} bytes{read}", bytes.len()))]];
    let text = String::from_utf8_lossy(bytes);
    match crate::core::text::parse_value(text.trim_end()) {
        Ok(value) => lines.extend(crate::core::text::stringify_pretty(&value).lines().map(|l| json(model, l))),
        Err(_) => lines.extend(text.lines().map(|l| vec![(theme.plain(), l.to_owned())])),
    }
    lines
}

fn json(model: &Model, line: &str) -> Line {
    let (indent, key, value) = crate::tui::widgets::json_line(line);
    let theme = model.theme;
    vec![(theme.plain(), indent.to_owned()), (theme.name(), key.to_owned()), (theme.plain(), value.to_owned())]
}

fn decision_lines(model: &Model) -> Vec<Line> {
    let theme = model.theme;
    let Some(run) = model.selected_run().and_then(RunRecord::ended) else {
        return vec![vec![(theme.quiet(), "no answer yet".to_owned())]];
    };
    let output = &run.output;
    let mut lines =
        vec![vec![(theme.quiet(), "says     ".to_owned()), (theme.strong(), output.vote.words().to_owned())]];
    if let Some(failure) = &output.failure {
        lines.push(vec![(theme.quiet(), "failed   ".to_owned()), (theme.warn(), failure.clone())]);
    }
    for field in &output.fields {
        let (word, style) = match field.use_ {
            Use::Used => ("used     ", theme.good()),
            Use::Ignored => ("ignored  ", theme.warn()),
            Use::Invalid => ("invalid  ", theme.bad()),
        };
        lines.push(vec![
            (style, word.to_owned()),
            (theme.strong(), field.pointer.clone()),
            (theme.plain(), format!("   {}", field.says)),
        ]);
    }
    for note in &output.notes {
        lines.push(vec![(theme.warn(), format!("{}   {}", note.code, note.message))]);
    }
    push_trace(model, &output.trace, 0, &mut lines);
    if let Some(outcome) = model.firing().and_then(|f| f.outcome.as_ref()) {
        lines.push(Vec::new());
        lines.push(vec![(theme.quiet(), "together ".to_owned()), (theme.strong(), outcome.agent_does.clone())]);
        // A step that only says the same again is passed over, not its parts.
        let plain = |text: &str| text.trim_end_matches('.').to_lowercase();
        for step in &outcome.trace {
            if plain(&step.says) == plain(&outcome.agent_does) {
                push_trace(model, &step.children, 1, &mut lines);
            } else {
                push_trace(model, std::slice::from_ref(step), 1, &mut lines);
            }
        }
    }
    lines
}

fn push_trace(model: &Model, steps: &[TraceStep], depth: usize, lines: &mut Vec<Line>) {
    let theme = model.theme;
    for step in steps {
        let indent = " ".repeat(9 + depth.saturating_sub(1) * 2);
        lines.push(vec![
            (theme.quiet(), indent),
            (if depth <= 1 { theme.plain() } else { theme.quiet() }, step.says.clone()),
        ]);
        push_trace(model, &step.children, depth + 1, lines);
    }
}

fn process_lines(model: &Model, definition: &HookDefinition) -> Vec<Line> {
    let theme = model.theme;
    let mut lines: Vec<Line> = Vec::new();
    let mut say =
        |label: &str, text: String| lines.push(vec![(theme.quiet(), format!("{label:<9}")), (theme.plain(), text)]);
    say("command", definition.handler.text());
    if let Some(resolved) = &model.resolved {
        say("resolves", resolved.says.clone());
    }
    let Some(run) = model.selected_run() else {
        if let Some(timeout) = definition.timeout {
            say("timeout", format!("{} s", timeout.as_secs_f64()));
        }
        return lines;
    };
    match &run.launch {
        Launch::Process(spec) => {
            say("program", spec.program.clone());
            for (index, arg) in spec.args.iter().enumerate() {
                say(if index == 0 { "args" } else { "" }, arg.clone());
            }
            say("folder", spec.cwd.clone());
            if let Some(timeout) = spec.timeout {
                say("timeout", format!("{} s", timeout.as_secs_f64()));
            }
            say("finished", finish_words(spec).to_owned());
            for (index, (name, value)) in spec.env.set.iter().enumerate() {
                say(if index == 0 { "set" } else { "" }, format!("{name}={value}"));
            }
            for (index, name) in spec.env.scratch_files.iter().enumerate() {
                say(if index == 0 { "file in" } else { "" }, name.clone());
            }
            for (index, name) in spec.env.remove.iter().enumerate() {
                say(if index == 0 { "removed" } else { "" }, name.clone());
            }
        }
        Launch::Http(spec) => {
            say("POST", spec.url.clone());
            for (index, (name, value)) in spec.headers.iter().enumerate() {
                say(if index == 0 { "headers" } else { "" }, format!("{name}: {value}"));
            }
        }
        Launch::ByHand(question) => {
            say("needs", question.needs.to_owned());
            say("asks", question.asks.clone());
        }
        Launch::Refused(error) => say("refused", error.clone()),
        Launch::Canned { .. } => say("note", "the agent answers this itself; nothing is started".to_owned()),
    }
    if let Some(pid) = run.pid {
        say("pid", pid.to_string());
    }
    if let Some(ended) = run.ended() {
        say("ended", ended.report.exit.words());
        if let Exit::FailedToStart { error } = &ended.report.exit {
            say("", error.clone());
        }
        for (index, left) in ended.report.leftovers.iter().enumerate() {
            say(if index == 0 { "left over" } else { "" }, left.says.clone());
        }
    }
    lines
}

fn finish_words(spec: &ProcessSpec) -> &'static str {
    match spec.finish {
        Finish::AtExit => "when the process ends",
        Finish::AtEof => "when its output is closed, by its children too",
    }
}

fn why_lines(model: &Model) -> Vec<Line> {
    let theme = model.theme;
    let Some(ladder) = &model.ladder else { return Vec::new() };
    let mut lines: Vec<Line> = vec![vec![(theme.strong(), ladder.answer.clone())]];
    if !ladder.nearest.is_empty() {
        lines.push(vec![
            (theme.quiet(), "nearest that would match: ".to_owned()),
            (theme.strong(), ladder.nearest.join(", ")),
        ]);
    }
    lines.push(Vec::new());
    for (index, rung) in ladder.rungs.iter().enumerate() {
        let style = match rung.state {
            RungState::Ok => theme.good(),
            RungState::No => theme.bad(),
            RungState::Unknown => theme.warn(),
            RungState::Skipped => theme.quiet(),
        };
        let text = if rung.state == RungState::Skipped { theme.quiet() } else { theme.plain() };
        lines.push(vec![
            (theme.quiet(), format!("{:>2} ", index + 1)),
            (text, format!("{:<17}", rung.name.title())),
            (style, format!("{:<4}", rung.state.word())),
            (text, rung.says.clone()),
        ]);
    }
    lines
}

/// How long it ran or has run, against its timeout.
fn clock_line(model: &Model) -> Option<Line> {
    let theme = model.theme;
    let run = model.selected_run()?;
    let limit = match &run.launch {
        Launch::Process(spec) => spec.timeout,
        Launch::Http(spec) => spec.timeout,
        _ => return None,
    }?;
    let used = match run.ended() {
        Some(ended) => ended.report.timing.duration(),
        None => model.started.map(|s| s.elapsed()).unwrap_or_default(),
    };
    let share = (used.as_secs_f64() / limit.as_secs_f64().max(1e-9)).clamp(0.0, 1.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of twenty cells")]
    let filled = (share * 20.0).ceil() as usize;
    let bar = format!("|{}{}|", "=".repeat(filled), " ".repeat(20 - filled.min(20)));
    let used =
        if used.as_secs() < 1 { format!("{} ms", used.as_millis()) } else { format!("{:.1} s", used.as_secs_f64()) };
    Some(vec![
        (theme.plain(), format!("{used} of {} s  ", limit.as_secs_f64())),
        (if share >= 1.0 { theme.warn() } else { theme.quiet() }, bar),
    ])
}

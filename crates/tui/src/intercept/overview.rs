//! The overview of Intercept while nothing is held: the selected breakpoint in each agent, the agents that
//! forward their events, and the last answers.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::held_band::timeout_words;
use crate::model::Model;
use crate::popup::row;
use crate::run_time::took;
use crate::widgets::{RowWriter, StyledLine, width, wrap};
use hookbench_app::AgentState;
use hookbench_app::live::{LiveEvent, LiveEventState, action_word};
use hookbench_core::dialects::find_event;
use hookbench_core::live::intercept::{Breakpoint, BreakpointAction};
use hookbench_core::live::native_event;
use hookbench_core::recorded::format_time;

/// Columns of a label, and of an agent's name.
const LABEL: usize = 16;
/// From this width, the list of breakpoints says that their order counts.
pub(super) const ORDER: usize = 70;
/// Columns of an agent's connection.
const CONNECTION: usize = 15;

/// Draws what has room of the overview.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let lines = lines(model, usize::from(area.width).saturating_sub(1));
    for (index, line) in lines.iter().enumerate().take(usize::from(area.height)) {
        RowWriter::new(row(area, index), buf, model.theme).skip(1).line(line);
    }
}

fn lines(model: &Model, columns: usize) -> Vec<StyledLine> {
    let live = model.session.live();
    let point = live.breakpoints.get(model.intercept.breakpoint);
    let mut lines = Vec::new();
    if let Some(point) = point {
        // The list has no room for it.
        let order = if columns < ORDER { "   the first match counts" } else { "" };
        lines.push(vec![(model.theme.strong(), "This breakpoint".to_owned()), (model.theme.quiet(), order.to_owned())]);
        lines.extend(point_lines(model, point, columns));
        lines.push(Vec::new());
    }
    lines.extend(agent_lines(model, point, columns));
    let answers: Vec<StyledLine> =
        live.recent.iter().rev().filter_map(|event| answer_lines(model, event, columns)).flatten().collect();
    if !answers.is_empty() {
        lines.push(Vec::new());
        lines.push(vec![(model.theme.strong(), "Answers".to_owned())]);
        lines.extend(answers);
    }
    lines
}

/// A label and a text that may need several rows.
fn labelled(model: &Model, label: &str, (style, text): (Style, String), columns: usize) -> Vec<StyledLine> {
    let label = format!("  {label}{}", " ".repeat((LABEL - 2).saturating_sub(width(label))));
    wrap(&[(model.theme.quiet(), label), (style, text)], columns, LABEL)
}

/// The breakpoint in words.
fn point_lines(model: &Model, point: &Breakpoint, columns: usize) -> Vec<StyledLine> {
    let theme = model.theme;
    let event =
        point.event_name.as_ref().or(point.event.as_ref()).map_or("every event that can be held", String::as_str);
    let tool = point.tool.as_ref().map(|tool| format!(" of the tool {tool}")).unwrap_or_default();
    let action = format!("{}s {event}{tool}", if point.enabled { action_word(point) } else { "off; it hold" });
    let mut rows = vec![("does", action)];
    rows.extend(point.path.as_ref().map(|path| ("path", path.text().to_owned())));
    rows.extend(point.command.as_ref().map(|command| ("command", command.as_str().to_owned())));
    rows.extend(point.session.clone().map(|session| ("session", session)));
    if matches!(point.action, BreakpointAction::Hold) {
        rows.push(("no answer", timeout_words(point.on_timeout.word()).to_owned()));
    }
    rows.into_iter().flat_map(|(label, text)| labelled(model, label, (theme.plain(), text), columns)).collect()
}

/// Each agent, whether it forwards its events, and the event that the breakpoint would hold there.
fn agent_lines(model: &Model, point: Option<&Breakpoint>, columns: usize) -> Vec<StyledLine> {
    let theme = model.theme;
    let connected = model.session.forwarding_agents();
    let pad = |text: &str, columns: usize| format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))));
    let mut lines = vec![vec![
        (theme.strong(), pad("Agents", LABEL + CONNECTION)),
        (theme.quiet(), if point.is_some() { "would hold" } else { "" }.to_owned()),
    ]];
    for agent in model.session.agents() {
        let forwards = connected.contains(&agent.dialect.id());
        let (style, state) = if forwards { (theme.good(), "forwards") } else { (theme.quiet(), "not connected") };
        let held = point.map(|point| held_event(agent, point)).unwrap_or_default();
        lines.push(vec![
            (theme.plain(), pad(&format!("  {}", agent.dialect.name()), LABEL.max(width(agent.dialect.name()) + 3))),
            (style, pad(state, CONNECTION)),
            (theme.plain(), held),
        ]);
    }
    if connected.len() < model.session.agents().len() {
        let words = [
            (theme.name(), "  hookbench install --agent NAME".to_owned()),
            (theme.quiet(), " connects one".to_owned()),
        ];
        lines.extend(wrap(&words, columns, 2));
    }
    lines
}

/// The event that the breakpoint would hold in an agent, in the agent's spelling; `-` if the agent has no such event.
fn held_event(agent: &AgentState, point: &Breakpoint) -> String {
    let id = agent.dialect.id();
    if !point.enabled || point.agent.as_deref().is_some_and(|only| id != only) {
        return "-".to_owned();
    }
    let Some(wire) = &point.event else { return "all".to_owned() };
    let name = native_event(agent.dialect.live_format(), wire);
    find_event(agent.dialect, &agent.version, &name).map_or_else(|| "-".to_owned(), |event| event.name.to_owned())
}

/// An answer of the user or of a handler: the decision, its source, the wait, and the reason.
fn answer_lines(model: &Model, event: &LiveEvent, columns: usize) -> Option<Vec<StyledLine>> {
    let LiveEventState::Answered(answered) = &event.state else { return None };
    if answered.source == "default" {
        return None;
    }
    let theme = model.theme;
    let time = format_time(event.arrived.at).and_then(|text| text.get(11..19).map(str::to_owned)).unwrap_or_default();
    let wait = answered.held_ms.map(|ms| format!(" after {}", took(std::time::Duration::from_millis(ms))));
    let words = format!("{} by {}{}", answered.decision, answered.source, wait.unwrap_or_default());
    let mut lines = labelled(model, &time, (theme.plain(), words), columns);
    let reason = answered.reason.clone().filter(|reason| !reason.is_empty());
    lines.extend(reason.into_iter().flat_map(|reason| labelled(model, "", (theme.plain(), reason), columns)));
    Some(lines)
}

//! The page without events: the agents' own sessions of this project, and the effect of importing one.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::keymap::UiCommand;
use crate::model::Model;
use crate::widgets::{ListWindow, RowWriter};
use hookbench_app::{AgentSession, EventStoreState};
use hookbench_core::dialects;
use hookbench_core::recorded::format_time;

/// A session in a line: agent and time, then size and title.
pub fn words(own: &AgentSession) -> (String, String) {
    let id = own.session.agent.as_str();
    let name = dialects::by_id(id).map_or(id, |dialect| dialect.name());
    let at = own.written.and_then(format_time).and_then(|at| at.get(..16).map(|at| at.replace('T', " ")));
    let title = own.session.title.clone().unwrap_or_else(|| own.session.session.clone());
    (format!("{name}  {}", at.unwrap_or_default()), format!("{} KB  {title}", own.bytes.div_ceil(1024)))
}

/// Draws the page.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) {
    let theme = model.theme;
    let shelf = model.session.event_list();
    let mut lines: Vec<(ratatui::style::Style, String)> = Vec::new();
    let own = shelf.agent_sessions.as_deref();
    match &shelf.store {
        EventStoreState::Fault { .. } => {
            lines.push((
                theme.plain(),
                "The recorded events cannot be shown. The rest of hookbench still works.".into(),
            ));
        }
        EventStoreState::Empty => match own {
            None => lines.push((theme.quiet(), "searching for agent sessions of this project".into())),
            Some([]) => {
                lines.push((theme.plain(), "No agent sessions found for this project.".into()));
                let says = "Paste the path of a file, or events as JSON, or type :import FILE.";
                lines.push((theme.quiet(), says.into()));
            }
            Some(_) => {
                lines.push((theme.plain(), "Agent sessions of this project:".into()));
            }
        },
        _ => lines.push((theme.quiet(), "reading".into())),
    }
    let mut rows = (area.top()..area.bottom()).map(|y| Rect { y, height: 1, ..area });
    for (style, text) in &lines {
        let Some(at) = rows.next() else { return };
        RowWriter::new(at, buf, theme).skip(1).put(*style, text);
    }
    let Some(own) = own.filter(|own| !own.is_empty() && shelf.store == EventStoreState::Empty) else { return };
    let room = usize::from(area.height).saturating_sub(lines.len() + 3).max(1);
    let selected = model.events.selected_session;
    let first = ListWindow::around(selected, own.len(), room).first;
    for (index, session) in own.iter().enumerate().skip(first).take(room) {
        let Some(at) = rows.next() else { return };
        let (who, about) = words(session);
        let mark = if index == selected { theme.cursor() } else { " " };
        RowWriter::new(at, buf, theme)
            .put(theme.strong(), mark)
            .cell(theme.plain(), &who, 30)
            .put(theme.quiet(), &about);
        if index == selected {
            buf.set_style(at, theme.selected());
        }
    }
    rows.next();
    let says = format!(
        "{} import: its tool calls, prompts and stops become events that you can search and",
        model.key(UiCommand::Open)
    );
    for text in [says.as_str(), "replay. hookbench stores a private copy; the session does not change."] {
        if let Some(at) = rows.next() {
            RowWriter::new(at, buf, theme).skip(1).put(theme.quiet(), text);
        }
    }
}

//! The text output of the `events` command.

use super::text_page::{TextPage, Tone, agent_name, column};
use super::write_stdout;
use hookbench_app::document::{AgentEventsDoc, EventDoc, EventsDoc, MappingDoc};
use hookbench_core::dialects;
use hookbench_core::text::stringify_pretty;

/// The number of agents in one table.
const COLUMNS: usize = 4;

/// Prints a list of events, or one event in full.
pub fn events(doc: &EventsDoc, full: bool) {
    let mut page = TextPage::new();
    let table = doc.agents.len() > 1 && !full;
    if table {
        event_table(&mut page, doc);
    }
    for (index, agent) in doc.agents.iter().filter(|a| !a.events.is_empty()).enumerate() {
        if index > 0 || table {
            page.end();
        }
        let name = agent_name(&agent.agent);
        page.put(Tone::Strong, &format!(" {name} {}", agent.version)).end();
        for event in &agent.events {
            page.put(Tone::Plain, "   ").cell(Tone::Strong, &event.event, 22);
            page.cell(Tone::Plain, event.subject.as_deref().unwrap_or("-"), 20);
            page.put(Tone::Quiet, &event.about).end();
            if full {
                event_in_full(&mut page, doc, &agent.agent, event);
            }
        }
    }
    write_stdout(&page.finish());
}

fn event_in_full(page: &mut TextPage, doc: &EventsDoc, agent: &str, event: &EventDoc) {
    page.end();
    equivalents(page, doc, agent, event);
    page.put(Tone::Quiet, "   blocks   ").put(Tone::Plain, event.blocks.as_deref().unwrap_or("nothing")).end();
    page.put(Tone::Quiet, "   exit 2   ").put(Tone::Plain, &event.exit_2).end();
    if !event.subjects.is_empty() {
        page.put(Tone::Quiet, "   matches  ").put(Tone::Plain, &event.subjects.join(", ")).end();
    }
    if !event.honours.is_empty() {
        page.put(Tone::Quiet, "   honours  ").put(Tone::Plain, &event.honours.join(", ")).end();
    }
    for (index, field) in event.fields.iter().enumerate() {
        page.put(Tone::Quiet, if index == 0 { "   fields   " } else { "            " });
        page.cell(Tone::Plain, &field.name, 26).cell(Tone::Quiet, &field.kind, 9);
        page.put(Tone::Quiet, if field.optional { "optional  " } else { "" })
            .put(Tone::Quiet, &field.values.join(" "))
            .end();
    }
    for template in &event.templates {
        page.end().put(Tone::Quiet, "   template ").put(Tone::Plain, &template.label).end();
        page.block("     ", Tone::Plain, &stringify_pretty(&template.payload), 200);
    }
    page.end();
}

/// Prints the events of all agents in tables, with equivalent events in one row.
fn event_table(page: &mut TextPage, doc: &EventsDoc) {
    for agents in doc.agents.chunks(COLUMNS) {
        table_of(page, doc, agents);
        page.end();
    }
    page.put(Tone::Quiet, &format!(" as of {}; `hookbench events EVENT` shows the nearest event", doc.checked_on))
        .end();
}

fn table_of(page: &mut TextPage, doc: &EventsDoc, agents: &[AgentEventsDoc]) {
    const WIDEST: usize = 24;
    let cell = |row: &MappingDoc, agent: &str| row.events.get(agent).cloned().unwrap_or_else(|| "-".to_owned());
    let width = |agent: &AgentEventsDoc| {
        let cells: Vec<String> = doc.mapping.iter().map(|row| cell(row, &agent.agent)).collect();
        column(cells.iter().map(String::as_str).chain([agent_name(&agent.agent)]), WIDEST)
    };
    let widths: Vec<usize> = agents.iter().map(width).collect();
    page.put(Tone::Plain, " ");
    for (agent, width) in agents.iter().zip(&widths) {
        page.cell(Tone::Strong, agent_name(&agent.agent), width + 1);
    }
    page.end();
    let is_shown = |row: &&MappingDoc| agents.iter().any(|agent| row.events.contains_key(&agent.agent));
    for row in doc.mapping.iter().filter(is_shown) {
        page.put(Tone::Plain, " ");
        for (agent, width) in agents.iter().zip(&widths) {
            let text = cell(row, &agent.agent);
            page.cell(if text == "-" { Tone::Quiet } else { Tone::Plain }, &text, width + 1);
        }
        page.put(Tone::Quiet, &row.canonical).end();
    }
}

/// Prints an event's equivalents in the other agents, and the keys that have a different name there.
fn equivalents(page: &mut TextPage, doc: &EventsDoc, agent: &str, event: &EventDoc) {
    let Some(row) = doc.mapping.iter().find(|row| event.canonical.as_ref() == Some(&row.canonical)) else { return };
    let mut label = "   others  ";
    for other in dialects::released().filter(|other| other.id() != agent) {
        page.put(Tone::Quiet, label).put(Tone::Plain, " ").cell(Tone::Plain, other.name(), 13);
        label = "           ";
        match (row.events.get(other.id().as_str()), row.nearest.get(other.id().as_str())) {
            (Some(own), _) => page.put(Tone::Plain, own),
            (None, Some(near)) => page.put(Tone::Quiet, &format!("- (nearest: {near})")),
            (None, None) => page.put(Tone::Quiet, "-"),
        };
        let has = |key: &String| event.fields.iter().any(|field| field.name == *key);
        let here = doc.keys.iter().filter(|key| key.event.as_ref().is_none_or(|only| *only == row.canonical));
        let renamed = here.filter_map(|key| {
            let (own, there) = (key.keys.get(agent).filter(|own| has(own))?, key.keys.get(other.id().as_str())?);
            (own != there).then(|| format!("{own} is {there}"))
        });
        let renamed: Vec<String> = renamed.collect();
        if row.events.contains_key(other.id().as_str()) && !renamed.is_empty() {
            page.put(Tone::Quiet, &format!("; {}", renamed.join(", ")));
        }
        page.end();
    }
}

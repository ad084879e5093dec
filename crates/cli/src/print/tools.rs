//! The page of `tools`. At most 80 columns wide.

use super::text_page::{TextPage, Tone, column, wrap};
use super::write_stdout;
use hookbench_app::document::{AgentToolsDoc, ToolsDoc};
use hookbench_core::catalogue::CatalogueRow;

/// Width of the page in columns.
const WIDTH: usize = 80;
/// The number of agents in one table.
const COLUMNS: usize = 3;

/// Prints the catalogue: a table of all agents, one agent in full, or the meaning of one name.
pub fn tools(doc: &ToolsDoc) {
    let mut page = TextPage::new();
    match (&doc.name, doc.agents.as_slice()) {
        (Some(name), _) => one_name(&mut page, doc, name),
        (None, [agent]) => one_agent(&mut page, agent),
        (None, agents) => {
            for (index, columns) in agents.chunks(COLUMNS).enumerate() {
                if index > 0 {
                    page.end();
                }
                table(&mut page, doc, columns);
            }
            for agent in agents {
                exclusive_tools(&mut page, agent);
            }
            page.end();
            page.put(Tone::Quiet, &format!(" as of {}; `hookbench tools NAME` explains a name", doc.checked_on)).end();
        }
    }
    write_stdout(&page.finish());
}

fn table(page: &mut TextPage, doc: &ToolsDoc, agents: &[AgentToolsDoc]) {
    let cell = |agent: &AgentToolsDoc, row: &CatalogueRow| tool_of(agent, row.canonical).unwrap_or("-").to_owned();
    let first = column(doc.rows.iter().map(|row| row.canonical), WIDTH);
    let width = |agent: &AgentToolsDoc| {
        let cells: Vec<String> = doc.rows.iter().map(|row| cell(agent, row)).collect();
        column(cells.iter().map(String::as_str).chain([agent.name.as_str()]), WIDTH)
    };
    let widths: Vec<usize> = agents.iter().map(width).collect();
    let row = |page: &mut TextPage, first_cell: &str, tone: Tone, cells: &[String]| {
        page.put(Tone::Plain, " ").cell(Tone::Quiet, first_cell, first + 2);
        for (text, width) in cells.iter().zip(&widths) {
            page.cell(tone, text, width + 2);
        }
        page.end();
    };
    let names: Vec<String> = agents.iter().map(|agent| agent.name.clone()).collect();
    row(page, "", Tone::Strong, &names);
    let versions: Vec<String> = agents.iter().map(|agent| agent.version.clone()).collect();
    row(page, "", Tone::Quiet, &versions);
    for work in &doc.rows {
        let cells: Vec<String> = agents.iter().map(|agent| cell(agent, work)).collect();
        if cells.iter().any(|cell| cell != "-") {
            row(page, work.canonical, Tone::Plain, &cells);
        }
    }
}

fn tool_of(agent: &AgentToolsDoc, row: &str) -> Option<&'static str> {
    let nearest = agent.tools.iter().find(|tool| tool.canonical.first().is_some_and(|c| *c == row));
    let tool = nearest.or_else(|| agent.tools.iter().find(|tool| tool.canonical.contains(&row)))?;
    Some(tool.id)
}

/// Prints the tools that only this agent has.
fn exclusive_tools(page: &mut TextPage, agent: &AgentToolsDoc) {
    let tools: Vec<&str> = agent.tools.iter().filter(|t| t.canonical.is_empty()).map(|t| t.id).collect();
    if !tools.is_empty() {
        page.end();
        page.put(Tone::Quiet, &format!(" only in {}", agent.name)).end();
        put_wrapped_below(page, 3, Tone::Plain, &tools.join(", "));
    }
}

fn one_agent(page: &mut TextPage, agent: &AgentToolsDoc) {
    page.put(Tone::Strong, &format!(" {} {}", agent.name, agent.version));
    page.put(Tone::Quiet, &format!("   MCP tools: {}", agent.mcp)).end();
    page.put(Tone::Quiet, &format!(" {}", alias_text(agent))).end().end();
    let names = agent.tools.iter().map(|t| t.id).chain(agent.others.iter().map(|o| o.name));
    let ids = column(names, WIDTH / 2);
    for tool in &agent.tools {
        page.put(Tone::Plain, " ").cell(Tone::Strong, tool.id, ids + 2);
        let mut says: Vec<String> = Vec::new();
        if !tool.canonical.is_empty() {
            says.push(tool.canonical.join(", "));
        }
        if !tool.aliases.is_empty() {
            says.push(format!("also {}", tool.aliases.join(", ")));
        }
        says.extend(tool.note.map(str::to_owned));
        put_wrapped(page, ids + 3, Tone::Quiet, &says.join("; "));
    }
    if !agent.others.is_empty() {
        page.end().put(Tone::Strong, " names that its matchers do not accept").end();
    }
    for other in &agent.others {
        page.put(Tone::Plain, " ").cell(Tone::Plain, other.name, ids + 2);
        let last = other.last.map(|last| format!("removed; last seen in {last}"));
        let says: Vec<String> = last.into_iter().chain(other.note.map(str::to_owned)).collect();
        put_wrapped(page, ids + 3, Tone::Quiet, &says.join("; "));
    }
}

fn alias_text(agent: &AgentToolsDoc) -> &'static str {
    let any = agent.tools.iter().any(|tool| !tool.aliases.is_empty());
    match (any, agent.aliases_in_patterns) {
        (false, _) => "matchers accept only the names below",
        (true, true) => "matchers also accept aliases, as whole names and in patterns",
        (true, false) => "matchers also accept aliases, as whole names only",
    }
}

fn one_name(page: &mut TextPage, doc: &ToolsDoc, name: &str) {
    page.put(Tone::Strong, &format!(" {name}"));
    let about: Vec<&str> = doc.rows.iter().map(|row| row.about).collect();
    page.put(Tone::Quiet, &format!("   {}", about.join("; "))).end().end();
    let titles: Vec<String> = doc.agents.iter().map(|a| format!("{} {}", a.name, a.version)).collect();
    let wide = column(titles.iter().map(String::as_str), WIDTH);
    for (agent, title) in doc.agents.iter().zip(&titles) {
        let Some(answer) = &agent.answer else { continue };
        page.put(Tone::Plain, " ").cell(Tone::Plain, title, wide + 2);
        let tone = if answer.id.is_some() { Tone::Strong } else { Tone::Warn };
        put_wrapped(page, wide + 3, tone, &answer.says);
        if answer.id.is_some() && (answer.matchers.len() > 1 || !answer.accepted) {
            put_wrapped_below(page, wide + 3, Tone::Quiet, &matcher_text(agent, name));
        }
        for note in agent.tools.iter().filter_map(|t| t.note).chain(agent.others.iter().filter_map(|other| other.note))
        {
            put_wrapped_below(page, wide + 3, Tone::Quiet, note);
        }
    }
}

/// The spellings that this agent's matchers accept.
fn matcher_text(agent: &AgentToolsDoc, name: &str) -> String {
    let Some(answer) = &agent.answer else { return String::new() };
    let not = match (answer.accepted, answer.inside) {
        (true, _) => String::new(),
        (false, true) => format!("; {name} is found as a part of the first"),
        (false, false) => format!(", not {name}"),
    };
    let whole = match (answer.matchers.len(), agent.aliases_in_patterns) {
        (0 | 1, _) | (_, true) => "",
        (_, false) => "; patterns accept only the first",
    };
    format!("matchers accept {}{not}{whole}", answer.matchers.join(", "))
}

/// Prints a wrapped text to the right of the current line's content.
fn put_wrapped(page: &mut TextPage, at: usize, tone: Tone, text: &str) {
    for (index, line) in wrap(text, WIDTH - at).iter().enumerate() {
        page.put(Tone::Plain, &" ".repeat(if index > 0 { at } else { 0 })).put(tone, line).end();
    }
}

/// Prints a wrapped text below the current content, indented by `at` columns.
fn put_wrapped_below(page: &mut TextPage, at: usize, tone: Tone, text: &str) {
    page.put(Tone::Plain, &" ".repeat(at));
    put_wrapped(page, at, tone, text);
}

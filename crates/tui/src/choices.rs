//! The lists to choose from: events with their templates, agents, tools.

use crate::model::Model;
use crate::popup::{PickItem, PickList, Popup};
use hookbench_app::Command;
use hookbench_core::catalogue::{CatalogueRow, catalogue};
use hookbench_core::dialects::{self, Agent};
use hookbench_core::hook::HookDefinition;
use hookbench_core::text::pluralize;

/// Every template of every event, and the index of the one to begin with: of the current event, the first template that
/// matches a hook if the input on the bench matches none, otherwise the first one.
pub(super) struct Templates {
    pub items: Vec<PickItem>,
    pub selected: usize,
}

/// Collects all templates that can be put on the bench.
pub(super) fn templates(model: &Model) -> Templates {
    let mut items = Vec::new();
    let now = model.session.bench().payload.event.map(|event| event.name);
    let nothing_runs = model.session.hook_counts().fires == 0 && !model.for_others.is_empty();
    let (mut first, mut first_match) = (None, None);
    if let Some(agent) = model.session.current() {
        let all: Vec<&HookDefinition> = agent.loaded.iter().flat_map(|l| &l.definitions).collect();
        let defined =
            |name: &'static str| all.iter().copied().filter(move |d| agent.dialect.is_same_event(&d.event, name));
        let hooks = |name: &'static str| defined(name).count();
        // Events with hooks come first; users usually want one of them.
        let mut events = agent.dialect.events(&agent.version);
        events.sort_by_key(|event| hooks(event.name) == 0);
        for event in events {
            let configured = hooks(event.name);
            let examples = agent.dialect.examples(event, model.session.place(), &agent.version);
            for (index, example) in examples.iter().enumerate() {
                // Only hooks whose matcher matches the template, because the others do not run for it.
                let subject = agent.dialect.subject(event, &example.body, &agent.version);
                let matching = |d: &&HookDefinition| {
                    let matcher = d.matcher.as_ref();
                    agent.dialect.matches(event, matcher, &subject, &agent.version) != Some(false)
                };
                let matched = defined(event.name).filter(matching).count();
                if now == Some(event.name) {
                    first = first.or(Some(items.len()));
                    first_match = first_match.or((matched > 0 && nothing_runs).then_some(items.len()));
                }
                let count = match matched {
                    _ if configured == 0 => String::new(),
                    0 => "no hook   ".to_owned(),
                    count => format!("{}   ", pluralize(count, "hook")),
                };
                items.push(PickItem {
                    label: format!("{}  {}", event.name, example.label),
                    about: format!("{count}{}", event.about),
                    commands: vec![Command::ChooseEvent(event.name.to_owned()), Command::UseTemplate(index)],
                });
            }
        }
    }
    Templates { items, selected: first_match.or(first).unwrap_or(0) }
}

/// The list of templates, with the current event selected.
pub(super) fn pick_template(model: &Model) -> Popup {
    let Templates { items, selected } = templates(model);
    Popup::Pick(PickList { title: "Events and templates", items, filter: String::new(), selected })
}

/// The released agents that the session leaves out, because neither their program nor their files are here.
pub(crate) fn unused_agents(model: &Model) -> impl Iterator<Item = &'static Agent> + use<'_> {
    let is_used =
        |dialect: &&'static Agent| model.session.agents().iter().any(|agent| agent.dialect.id() == dialect.id());
    dialects::released().filter(move |dialect| !is_used(dialect))
}

/// The list of agents.
pub(super) fn agents(model: &Model) -> Popup {
    let items = model
        .session
        .agents()
        .iter()
        .map(|agent| {
            let hooks = agent.loaded.as_ref().map_or(0, |loaded| loaded.definitions.len());
            PickItem {
                label: agent.dialect.name().to_owned(),
                about: format!("{}   {}", pluralize(hooks, "hook"), model.theme.version(&agent.version_words())),
                commands: vec![Command::ChooseAgent(agent.dialect.id())],
            }
        })
        .chain(unused_agents(model).map(|dialect| PickItem {
            label: dialect.name().to_owned(),
            about: "not used here".to_owned(),
            commands: vec![Command::ChooseAgent(dialect.id())],
        }))
        .collect();
    let selected =
        model.session.agents().iter().position(|a| a.dialect.id() == model.session.bench().payload.agent).unwrap_or(0);
    Popup::Pick(PickList { title: "Agent", items, filter: String::new(), selected })
}

/// The catalogue of tools: what each does, and its name in this agent and in the others. Choosing one puts it on
/// the bench if the event is about a tool.
pub(super) fn tools(model: &Model) -> Popup {
    let own = |row: &CatalogueRow| {
        catalogue().agent(model.session.bench().payload.agent.as_str())?.tool_for_row(row.canonical).map(|tool| tool.id)
    };
    let items = catalogue().rows.iter().map(|row| PickItem {
        label: own(row).unwrap_or("-").to_owned(),
        about: format!("{}   {}", row.canonical, other_names(row, model.session.bench().payload.agent.as_str())),
        commands: own(row).and_then(|tool| put_tool(model, tool)).into_iter().collect(),
    });
    Popup::Pick(PickList { title: "Tools", items: items.collect(), filter: String::new(), selected: 0 })
}

/// The tool's names in the other agents, grouped by name: `A, B run_shell_command, C Bash`.
fn other_names(row: &CatalogueRow, here: &str) -> String {
    let mut names: Vec<(&str, Vec<&str>)> = Vec::new();
    for agent in catalogue().agents.iter().filter(|agent| agent.id != here) {
        let Some(tool) = agent.tool_for_row(row.canonical) else { continue };
        match names.iter_mut().find(|(name, _)| *name == tool.id) {
            Some((_, agents)) => agents.push(agent.name),
            None => names.push((tool.id, vec![&agent.name])),
        }
    }
    let words = |(name, agents): &(&str, Vec<&str>)| format!("{} {name}", agents.join(", "));
    names.iter().map(words).collect::<Vec<_>>().join(", ")
}

/// The command that puts the tool on the bench: its template, otherwise the bare name. `None` if the event is not
/// about a tool.
fn put_tool(model: &Model, tool: &str) -> Option<Command> {
    let bench = model.session.bench();
    let subject = bench.payload.event?.subject.filter(|subject| *subject == "tool_name")?;
    let template = bench.templates.iter().position(|template| template.body[subject] == tool);
    let alone = || Command::SetField { path: subject.to_owned(), text: tool.to_owned() };
    Some(template.map_or_else(alone, Command::UseTemplate))
}

//! What there is to choose from: events with their templates, agents.

use crate::app::Command;
use crate::tui::model::Model;
use crate::tui::popup::{Item, Pick, Popup};

/// Every template of every event, and which of them belongs to the event on the bench.
pub(super) struct Templates {
    pub items: Vec<Item>,
    pub selected: usize,
}

/// All that can be put on the bench.
pub(super) fn templates(model: &Model) -> Templates {
    let mut items = Vec::new();
    if let Some(agent) = model.session.current() {
        let hooks = |name: &str| agent.loaded.iter().flat_map(|l| &l.definitions).filter(|d| d.event == name).count();
        // What one looks for has hooks, as a rule.
        let mut events = agent.dialect.events(&agent.version);
        events.sort_by_key(|event| hooks(event.name) == 0);
        for event in events {
            let configured = hooks(event.name);
            let examples = agent.dialect.examples(event, &model.session.place, &agent.version);
            for (index, example) in examples.iter().enumerate() {
                let count = if configured > 0 { format!("{configured} configured   ") } else { String::new() };
                items.push(Item {
                    label: format!("{}  {}", event.name, example.label),
                    about: format!("{count}{}", event.about),
                    commands: vec![Command::ChooseEvent(event.name.to_owned()), Command::TakeTemplate(index)],
                });
            }
        }
    }
    let now = model.session.bench.event.map(|e| Command::ChooseEvent(e.name.to_owned()));
    let selected = items.iter().position(|i| i.commands.first() == now.as_ref()).unwrap_or(0);
    Templates { items, selected }
}

/// The list of templates, with that of the bench selected.
pub(super) fn pick_template(model: &Model) -> Popup {
    let Templates { items, selected } = templates(model);
    Popup::Pick(Pick { title: "Events and templates", items, filter: String::new(), selected })
}

/// The list of agents.
pub(super) fn agents(model: &Model) -> Popup {
    let items = model
        .session
        .agents
        .iter()
        .map(|agent| {
            let hooks =
                agent.loaded.as_ref().map_or(0, |l| l.definitions.iter().filter(|d| d.refused.is_none()).count());
            Item {
                label: agent.dialect.name().to_owned(),
                about: format!("{}   {hooks} hooks in effect", agent.version_words()),
                commands: vec![Command::ChooseAgent(agent.dialect.id())],
            }
        })
        .collect();
    let selected = model.session.agents.iter().position(|a| a.dialect.id() == model.session.bench.agent).unwrap_or(0);
    Popup::Pick(Pick { title: "Agent", items, filter: String::new(), selected })
}

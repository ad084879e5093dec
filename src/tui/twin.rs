//! The command line that does what the screen does.

use serde_json::Value;

use crate::tui::model::Model;
use crate::tui::page::Page;
use crate::tui::problems;

/// Commands that take an agent, a project and a home folder.
const ABOUT_A_PROJECT: [&str; 5] = ["fire", "plan", "why", "list", "events"];

/// Those of them that every agent can be asked at once.
const ABOUT_ALL: [&str; 2] = ["fire", "plan"];

/// A command line of the table of verbs, for what lies on the bench: EVENT, HOOK and AGENT stand for what they are now.
pub fn twin_line(model: &Model, template: &str) -> String {
    let bench = &model.session.bench;
    let event = bench.event.map(|e| e.name);
    let hook = model.definition().map(|d| quoted(&d.label()));
    let mut words: Vec<String> = template
        .split(' ')
        .map(|word| match word {
            "EVENT" => event.unwrap_or(word).to_owned(),
            "HOOK" => hook.clone().unwrap_or_else(|| word.to_owned()),
            "AGENT" => bench.agent.to_owned(),
            word => match (word.strip_prefix("HOOK="), &hook) {
                (Some(value), Some(hook)) => format!("{hook}={value}"),
                _ => word.to_owned(),
            },
        })
        .collect();
    let command = words.get(1).cloned().unwrap_or_default();
    if ABOUT_A_PROJECT.contains(&command.as_str()) {
        if !words.iter().any(|w| w == "--agent") {
            let all = model.page == Page::Compare && ABOUT_ALL.contains(&command.as_str());
            words.extend(["--agent".to_owned(), if all { "all".to_owned() } else { bench.agent.to_owned() }]);
        }
        words.extend(place(model));
    }
    words.join(" ")
}

/// The command line that does what the screen shows.
pub fn command_line(model: &Model) -> String {
    if model.page == Page::Problems {
        return problems::line_of(model);
    }
    let bench = &model.session.bench;
    if model.page == Page::Files {
        let mut words = vec!["hookbench".to_owned(), "list".to_owned()];
        words.extend(place(model));
        return words.join(" ");
    }
    let own = || fire_line(model, bench.agent, bench.body());
    let Some(shown) = model.compare.shown.as_ref().filter(|_| model.page == Page::Compare) else { return own() };
    if shown.len() == model.session.agents.len() {
        return fire_line(model, "all", bench.body());
    }
    // Where some are left out, those that are not are named one by one, each with its own event.
    let lines: Vec<String> =
        shown.all.there().map(|(of, there)| fire_line(model, of.agent, Some(&there.input.body))).collect();
    lines.join("\n")
}

fn fire_line(model: &Model, agent: &str, body: Option<&Value>) -> String {
    let mut words = vec!["hookbench".to_owned(), "fire".to_owned(), "--agent".to_owned(), agent.to_owned()];
    words.extend(place(model));
    words.extend(model.session.contain.then(|| "--contain".to_owned()));
    let Some(body) = body else { return words.join(" ") };
    format!("printf '%s' {} | {} --payload -", quoted(&crate::core::text::stringify(body)), words.join(" "))
}

/// The words that name the project and the home folder, where they were named.
pub fn place(model: &Model) -> Vec<String> {
    let given = [("--project", &model.program.project), ("--home", &model.program.home)];
    given.into_iter().filter_map(|(flag, value)| Some([flag.to_owned(), quoted(value.as_ref()?)])).flatten().collect()
}

/// A text as a word of a shell.
pub fn quoted(text: &str) -> String {
    let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:=@%+".contains(c));
    if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

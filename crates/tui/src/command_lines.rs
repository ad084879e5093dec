//! The command line equivalent to the screen.

use serde_json::Value;

use crate::model::Model;
use crate::page::Page;
use hookbench_app::shell_quoted;

/// Commands that take an agent, a project and a home directory.
const ABOUT_A_PROJECT: [&str; 6] = ["fire", "plan", "why", "match", "list", "events"];

/// Commands among these that accept all agents at once.
const ABOUT_ALL: [&str; 2] = ["fire", "plan"];

/// Fills a command line of the table of commands for the bench: EVENT, HOOK and AGENT are replaced by their
/// current values.
pub fn equivalent_line(model: &Model, template: &str) -> String {
    let bench = model.session.bench();
    let event = bench.payload.event.map(|e| e.name);
    let hook = model.definition().map(|d| shell_quoted(&d.label()));
    let mut words: Vec<String> = template
        .split(' ')
        .map(|word| match word {
            "EVENT" => event.unwrap_or(word).to_owned(),
            "HOOK" => hook.clone().unwrap_or_else(|| word.to_owned()),
            "AGENT" => bench.payload.agent.to_string(),
            "MATCHER" => shell_quoted(&model.matching.text.text()),
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
            words.extend(["--agent".to_owned(), if all { "all".to_owned() } else { bench.payload.agent.to_string() }]);
        }
        words.extend(place_options(model));
    }
    words.join(" ")
}

/// The command line that fires the event on the bench.
pub fn bench_line(model: &Model) -> String {
    fire_line(model, model.session.bench().payload.agent.as_str(), model.session.bench().body())
}

/// The command line that fires an event in an agent.
pub fn fire_line(model: &Model, agent: &str, body: Option<&Value>) -> String {
    let mut words = vec!["hookbench".to_owned(), "fire".to_owned(), "--agent".to_owned(), agent.to_owned()];
    words.extend(start_options(model));
    words.extend(model.session.is_contained().then(|| "--contain".to_owned()));
    let is_verified = model.firing().is_some_and(|firing| firing.verification.is_some());
    words.extend(is_verified.then(|| "--verify".to_owned()));
    let Some(body) = body else { return words.join(" ") };
    format!("printf '%s' {} | {} --payload -", shell_quoted(&hookbench_core::text::stringify(body)), words.join(" "))
}

/// The options for project, home directory and arguments of the agent, if they were given.
pub fn start_options(model: &Model) -> Vec<String> {
    let mut words = place_options(model);
    if let Some(text) = &model.program_options.agent_args {
        words.extend(["--agent-args".to_owned(), shell_quoted(text)]);
    }
    words
}

/// The options for project and home directory, if they were given.
pub fn place_options(model: &Model) -> Vec<String> {
    let given = [("--project", &model.program_options.project), ("--home", &model.program_options.home)];
    given
        .into_iter()
        .filter_map(|(flag, value)| Some([flag.to_owned(), shell_quoted(value.as_ref()?)]))
        .flatten()
        .collect()
}

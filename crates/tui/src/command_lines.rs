//! The command line equivalent to the screen.

use serde_json::Value;

use crate::model::Model;
use crate::page::Page;
use crate::problems;

/// Commands that take an agent, a project and a home folder.
const ABOUT_A_PROJECT: [&str; 6] = ["fire", "plan", "why", "match", "list", "events"];

/// Commands among these that accept all agents at once.
const ABOUT_ALL: [&str; 2] = ["fire", "plan"];

/// Fills a command line of the table of commands for the bench: EVENT, HOOK and AGENT are replaced by their
/// current values.
pub fn equivalent_line(model: &Model, template: &str) -> String {
    let bench = &model.session.bench;
    let event = bench.event.map(|e| e.name);
    let hook = model.definition().map(|d| shell_quoted(&d.label()));
    let mut words: Vec<String> = template
        .split(' ')
        .map(|word| match word {
            "EVENT" => event.unwrap_or(word).to_owned(),
            "HOOK" => hook.clone().unwrap_or_else(|| word.to_owned()),
            "AGENT" => bench.agent.to_owned(),
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
            words.extend(["--agent".to_owned(), if all { "all".to_owned() } else { bench.agent.to_owned() }]);
        }
        words.extend(place_options(model));
    }
    words.join(" ")
}

/// The command line for the current page.
pub fn command_line(model: &Model) -> String {
    if model.page == Page::Problems {
        return problems::lint_command_line(model);
    }
    let bench = &model.session.bench;
    if model.page == Page::Files {
        let mut words = vec!["hookbench".to_owned(), "list".to_owned()];
        words.extend(place_options(model));
        return words.join(" ");
    }
    if model.page == Page::Match {
        return match_line(model);
    }
    let own = || fire_line(model, bench.agent, bench.body());
    let Some(shown) = model.compare.shown.as_ref().filter(|_| model.page == Page::Compare) else { return own() };
    if shown.len() == model.session.agents.len() {
        return fire_line(model, "all", bench.body());
    }
    // If agents are left out, each of the others gets its own line with its own event.
    let lines: Vec<String> =
        shown.all.translated().map(|(of, there)| fire_line(model, of.agent, Some(&there.input.body))).collect();
    lines.join("\n")
}

/// The command line for the Match page.
fn match_line(model: &Model) -> String {
    let matching = &model.matching;
    let mut words = vec!["hookbench".to_owned(), "match".to_owned(), shell_quoted(&matching.text.text())];
    match matching.owner.as_ref().and_then(|whose| Some((whose, whose.definition(model)?))) {
        Some((_, definition)) => {
            let place = format!(
                "{}:{}:{}",
                definition.provenance.file, definition.provenance.line, definition.provenance.column
            );
            words.extend(["--hook".to_owned(), shell_quoted(&place)]);
        }
        None => {
            let event = matching.board.as_ref().and_then(|board| board.columns.first()).map(|c| c.event.name);
            words.extend(event.into_iter().flat_map(|event| ["--event".to_owned(), event.to_owned()]));
        }
    }
    words.extend(matching.added_names.iter().flat_map(|name| ["--value".to_owned(), shell_quoted(name)]));
    words.extend(place_options(model));
    words.join(" ")
}

fn fire_line(model: &Model, agent: &str, body: Option<&Value>) -> String {
    let mut words = vec!["hookbench".to_owned(), "fire".to_owned(), "--agent".to_owned(), agent.to_owned()];
    words.extend(place_options(model));
    words.extend(model.session.contain.then(|| "--contain".to_owned()));
    let Some(body) = body else { return words.join(" ") };
    format!("printf '%s' {} | {} --payload -", shell_quoted(&hookbench_core::text::stringify(body)), words.join(" "))
}

/// The options for project and home folder, if they were given.
pub fn place_options(model: &Model) -> Vec<String> {
    let given = [("--project", &model.program_options.project), ("--home", &model.program_options.home)];
    given
        .into_iter()
        .filter_map(|(flag, value)| Some([flag.to_owned(), shell_quoted(value.as_ref()?)]))
        .flatten()
        .collect()
}

/// Quotes a text as one word for a shell.
pub fn shell_quoted(text: &str) -> String {
    let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:=@%+".contains(c));
    if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

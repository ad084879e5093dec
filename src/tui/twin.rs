//! The command line that does what the screen does.

use crate::tui::model::Model;

/// Commands that take an agent, a project and a home folder.
const ABOUT_A_PROJECT: [&str; 5] = ["fire", "plan", "why", "list", "events"];

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
    if words.get(1).is_some_and(|command| ABOUT_A_PROJECT.contains(&command.as_str())) {
        if !words.iter().any(|w| w == "--agent") {
            words.extend(["--agent".to_owned(), bench.agent.to_owned()]);
        }
        words.extend(place(model));
    }
    words.join(" ")
}

/// The command line that does what the screen shows.
pub fn command_line(model: &Model) -> String {
    let bench = &model.session.bench;
    let mut words = vec!["hookbench".to_owned(), "fire".to_owned(), "--agent".to_owned(), bench.agent.to_owned()];
    words.extend(place(model));
    let Some(body) = bench.body() else { return words.join(" ") };
    format!("printf '%s' {} | {} --payload -", quoted(&crate::core::text::stringify(body)), words.join(" "))
}

fn place(model: &Model) -> Vec<String> {
    let given = [("--project", &model.program.project), ("--home", &model.program.home)];
    given.into_iter().filter_map(|(flag, value)| Some([flag.to_owned(), quoted(value.as_ref()?)])).flatten().collect()
}

fn quoted(text: &str) -> String {
    let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:=@%+".contains(c));
    if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

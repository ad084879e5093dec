//! A recipe from a few answers: the event, the effect, a pattern or a command, and the language of the script.
//!
//! The template of each language marks its parts with lines such as `#:refuse ask`: what follows belongs to these
//! effects only, and after `#:*` to all of them.

use serde_json::Value;

use super::answers::{BlankAnswers, Language};
use super::answers::{answers_by_event, can_answer};
use super::catalogue::{HookEffect, Recipe};
use super::compose::RecipeError;
use super::example_events::ExampleEvents;
use super::grep_pattern::{GrepInput, check_grep_pattern};
use super::payload_path::{payload_path, sends_otherwise};
use super::repeated_reason::{printing_command, repeated_reason};
use crate::config::Place;
use crate::dialects::{self, find_event};
use crate::matcher::{EcmaPattern, PatternError};
use crate::port::{AgentVersion, mapping, nearest_event};
use crate::text::{quote_literal, stringify};

/// The key with the name of the event in the payloads of most agents.
const EVENT_NAME: &str = "hook_event_name";

/// Writes a recipe from the answers.
///
/// # Errors
/// Returns an error if the event is unknown, if an answer that the effect needs is missing, or if the language has no
/// such script.
pub fn blank_recipe(answers: &BlankAnswers, agents: &[AgentVersion]) -> Result<Recipe, RecipeError> {
    let BlankAnswers { does, language, .. } = answers;
    let row = mapping()
        .row(&answers.event)
        .or_else(|| dialects::released().find_map(|agent| mapping().row_of(agent.id().as_str(), &answers.event)));
    let row = row.ok_or_else(|| {
        let near = agents.iter().find_map(|agent| nearest_event(agent.dialect, &agent.version, &answers.event));
        let help =
            near.map_or_else(|| "hookbench events lists the events".to_owned(), |near| format!("did you mean {near}?"));
        RecipeError(format!("no agent has an event {}\n  help: {help}", answers.event))
    })?;
    if !answers.tools.is_empty() && !row.has_tool() {
        return Err(RecipeError(format!("the event {} has no tool", answers.event)));
    }
    let runs = matches!(does, HookEffect::Check | HookEffect::Format | HookEffect::Notify | HookEffect::Keep);
    let needs = match does {
        HookEffect::Context => answers.text.is_none().then_some("a text"),
        HookEffect::Change => (answers.text.is_none() || answers.pattern.is_none()).then_some("a pattern and a text"),
        _ if runs => answers.command.is_none().then_some("a command"),
        _ => answers.pattern.is_none().then_some("a pattern"),
    };
    if let Some(needs) = needs {
        return Err(RecipeError(format!("a hook that should {} needs {needs}", does.about())));
    }
    // The languages share what this engine reads, but for few extensions.
    let compile = |pattern: &str| {
        let refused = |why: PatternError| {
            RecipeError(format!("the pattern {pattern} is not a regular expression: {}", why.message))
        };
        EcmaPattern::new(pattern).map_err(refused)
    };
    let compiled = answers.pattern.as_deref().map(compile).transpose()?;
    if *does == HookEffect::Change && *language == Language::Bash {
        return Err(RecipeError("Bash cannot write the changed JSON by itself; choose python or node".to_owned()));
    }
    let pattern = answers.pattern.as_deref().unwrap_or("");
    match language {
        Language::Bash => check_grep_pattern(pattern, GrepInput::Decoded)?,
        Language::None => check_grep_pattern(pattern, GrepInput::Json)?,
        Language::Python | Language::Node => {}
    }
    let command = answers.command.as_deref().unwrap_or("");
    let title = match (runs, pattern) {
        (true, _) => format!("{}: {command}", sentence(*does)),
        (false, "") => sentence(*does).to_owned(),
        (false, _) => format!("{}: {pattern}", sentence(*does)),
    };
    let text = answers.text.clone().unwrap_or_else(|| format!("refused: {pattern}"));
    let mut events: Vec<(&AgentVersion, &str)> =
        agents.iter().filter_map(|agent| Some((agent, row.events.get(agent.dialect.id().as_str())?))).collect();
    // An agent that sends other keys gets another script.
    if agents.len() > 1 {
        events.retain(|(agent, event)| !sends_otherwise(agent, event));
    }
    let looked_at = looked_at_keys(&events);
    let answer = match language {
        Language::Bash => bash_answer(*does, &events, &text)?,
        _ => String::new(),
    };
    let fill = |script: &str| -> Result<String, RecipeError> {
        let literal = |text: &str| if *language == Language::Bash { quoted(text) } else { quote_literal(text) };
        // A command of a Bash script is code.
        let run = if *language == Language::Bash { command.to_owned() } else { literal(command) };
        let one_line = title.replace(['\n', '\r'], " ").replace("\"\"\"", "'''").replace('\\', "\\\\");
        let name = match events.first() {
            Some((agent, event)) if payload_path(agent, event, EVENT_NAME).is_none() => quote_literal(event),
            _ => value_in(*language, &[EVENT_NAME.to_owned()]),
        };
        Ok(script
            .replace("{{event}}", &value_in(*language, &looked_at))
            .replace("{{event_in_python}}", &value_in(Language::Python, &looked_at))
            .replace("{{name}}", &name)
            .replace("{{answer}}", &answer)
            .replace("{{title}}", &one_line)
            .replace("{{pattern}}", &literal(pattern))
            .replace("{{text}}", &literal(&text))
            .replace("{{command}}", &run))
    };
    let inline = match language {
        Language::None => {
            let repeated = repeated_reason(&events, does.blocks(), &Place::default());
            Some(inline_command(*does, pattern, command, &text, repeated.as_ref())?)
        }
        _ => None,
    };
    let script = fill(&part_of(language.template(), *does))?;
    let examples = ExampleEvents { answers, event: row.canonical, pattern: compiled.as_ref().filter(|_| !runs) };
    let (caught, passes) = (examples.caught()?, examples.passes()?);
    Ok(Recipe {
        id: "hook".to_owned(),
        title,
        does: *does,
        event: row.canonical.to_owned(),
        tools: answers.tools.clone(),
        reads_commands: false,
        seconds: matches!(does, HookEffect::Check | HookEffect::Format | HookEffect::Keep).then_some(60),
        caught,
        passes,
        misses: String::new(),
        script,
        extension: language.extension(),
        command: inline,
    })
}

/// The keys that lead to what the hook looks at in payloads: the tool's input or the prompt. Empty for the whole event.
fn looked_at_keys(events: &[(&AgentVersion, &str)]) -> Vec<String> {
    let found = || {
        let (agent, event) = events.first()?;
        let spec = find_event(agent.dialect, &agent.version, event)?;
        let keys = ["tool_input", "prompt"];
        let key = keys.into_iter().find(|key| spec.fields.iter().any(|field| field.name == *key))?;
        payload_path(agent, event, key)
    };
    found().unwrap_or_default()
}

/// The expression for the value at these keys of the event.
fn value_in(language: Language, keys: &[String]) -> String {
    match language {
        Language::Bash => format!(".{}", keys.join(".")),
        Language::Node => std::iter::once("event").chain(keys.iter().map(String::as_str)).collect::<Vec<_>>().join("."),
        Language::Python | Language::None => {
            keys.iter().fold("event".to_owned(), |text, key| format!("{text}[\"{key}\"]"))
        }
    }
}

/// The effect as the beginning of a title.
fn sentence(does: HookEffect) -> &'static str {
    match does {
        HookEffect::Refuse => "Refuse",
        HookEffect::Ask => "Ask",
        HookEffect::Context => "Tell the model",
        HookEffect::Change => "Change",
        HookEffect::Check => "Check",
        HookEffect::Format => "Format",
        HookEffect::Notify => "Notify",
        HookEffect::Keep => "Keep the agent from stopping",
        HookEffect::Log => "Log",
    }
}

/// The lines of a template that belong to an effect.
fn part_of(template: &str, does: HookEffect) -> String {
    let (mut out, mut belongs) = (String::new(), true);
    for line in template.lines() {
        let mark = line.trim_start();
        match mark.strip_prefix("#:").or_else(|| mark.strip_prefix("//:")) {
            Some(words) => belongs = words.split_whitespace().any(|word| word == "*" || word == does.word()),
            None if belongs => {
                out.push_str(line);
                out.push('\n');
            }
            None => {}
        }
    }
    out
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The command of a Bash script that prints the answer.
fn bash_answer(does: HookEffect, agents: &[(&AgentVersion, &str)], text: &str) -> Result<String, RecipeError> {
    let Some(kind) = does.decision() else { return Ok(String::new()) };
    let able: Vec<(&AgentVersion, &str)> =
        agents.iter().filter(|(agent, event)| can_answer(agent, event, kind)).copied().collect();
    let answers = answers_by_event(&able, kind)?;
    if answers.len() > 1 {
        let says = "these agents expect different answers; choose python or node, or write one Bash hook for each";
        return Err(RecipeError(says.to_owned()));
    }
    let print = |answer: &Value| {
        let json = stringify(answer).replace("\"@VALUE@\"", &quote_literal(text));
        format!("printf '%s\\n' {}", quoted(&json))
    };
    Ok(answers.values().map(print).collect())
}

/// A hook in one command. `repeated` is an answer that repeats the reason of a refusal.
fn inline_command(
    does: HookEffect,
    pattern: &str,
    command: &str,
    text: &str,
    repeated: Option<&Value>,
) -> Result<String, RecipeError> {
    let print = |reason: &str| repeated.map(|answer| printing_command(answer, reason) + "; ").unwrap_or_default();
    let fails = match repeated {
        Some(_) => format!("{{ {}exit 2; }}", print(&format!("{command} fails"))),
        None => "exit 2".to_owned(),
    };
    let refuses = print(text);
    // JSON writes a backslash before quotes and backslashes.
    let decodes = if pattern.contains(['"', '\\']) { r#"sed 's/\\\(["\\/]\)/\1/g' | "# } else { "" };
    let (pattern, text) = (quoted(pattern), quoted(text));
    match does {
        HookEffect::Refuse => {
            Ok(format!("if {decodes}grep -qE -e {pattern}; then {refuses}echo {text} >&2; exit 2; fi"))
        }
        HookEffect::Check => Ok(format!("cat >/dev/null; {command} >&2 || {fails}")),
        HookEffect::Keep => Ok(format!("grep -qE '\"stop_hook_active\": *true' && exit 0; {command} >&2 || {fails}")),
        HookEffect::Notify => Ok(format!("cat >/dev/null; {command} >&2; exit 0")),
        _ => Err(RecipeError(format!("a hook that should {} needs a script; choose a language", does.about()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_only_its_lines() {
        for language in [Language::Python, Language::Bash, Language::Node] {
            for does in HookEffect::ALL {
                let script = part_of(language.template(), does);
                assert!(script.starts_with("#!") && !script.contains("#:") && !script.contains("//:"), "{script}");
                let runs =
                    matches!(does, HookEffect::Check | HookEffect::Format | HookEffect::Notify | HookEffect::Keep);
                let own = script.contains("{{command}}") == runs && script.contains("{{pattern}}") != runs;
                assert!(own || (does == HookEffect::Change && language == Language::Bash), "{does:?} {script}");
            }
        }
    }
}

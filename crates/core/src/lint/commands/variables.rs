//! HW407, HW408, HW425: variables that a hook reads but does not receive.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::environment::{has_agent_prefix, is_set_by_adapter, meaning_anywhere, value};
use super::shell_texts::{self, ShellText, executed_words};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::dialects::settings_format::PROJECT;
use crate::port::project_directory;
use crate::text::shell::{PartContent, SimpleCommand, VariableExpansion, Word, WordPart};
use crate::text::{Span, ascii_regex};

/// Variable names for data of the event.
static DATA: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r"(?x)^(?: [A-Z]+_ (?:CODE_|CLI_)? )? (?: TOOL_(?:INPUT|NAME|OUTPUT|RESPONSE|ARGS|PARAMS|RESULT|CALL|FILE|PATH|COMMAND)(?:_[A-Za-z0-9_]+)?
            | HOOK_(?:EVENT|EVENT_NAME|INPUT|DATA|PAYLOAD|TOOL|TOOL_NAME|JSON) | FILE_PATHS? )$
          | ^ [A-Z]+_ (?:CODE_|CLI_)? (?: USER_PROMPT | PROMPT | NOTIFICATION(?:_MESSAGE)? | TRANSCRIPT_PATH | EVENT(?:_NAME|_TYPE|_DATA)?
            | COMMAND | BASH_COMMAND | TOOL | TOOL_EXIT_CODE | EXIT_CODE | MESSAGE | FILES? | (?:EDITED|MODIFIED|CHANGED)_FILES? )$",
    )
});

/// Commands that read stdin.
const READS: [&str; 12] =
    ["cat", "jq", "read", "python", "python3", "node", "tee", "xargs", "grep", "sed", "awk", "while"];

/// Reports every variable without a value in the hook's command and script.
pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for line in shell_texts::lines(at) {
        let mut own: BTreeSet<&str> = line.shell.assigned_variables();
        if line.is_script() {
            // Variables that the command sets before it starts the script.
            own.extend(shell_texts::command(at).iter().flat_map(|line| line.shell.assigned_variables()));
        }
        // A sourced file, `eval` and `set -a` may set any variable.
        let foreign = line.shell.commands.iter().any(|simple| {
            let all = simple.name() == Some("set") && simple.words.iter().any(|word| word.text().starts_with("-a"));
            all || matches!(simple.name(), Some("source" | "." | "eval")) && simple.words.len() > 1
        });
        let reads = line.shell.commands.iter().any(|s| s.program_name().is_some_and(|p| READS.contains(&p.as_str())));
        let tested = tested(line);
        let mut of_input: Vec<(&str, Span)> = Vec::new();
        for (simple, word) in line.shell.words() {
            for (part, variable) in word.variables() {
                let name = variable.name.as_str();
                if own.contains(name) || name.starts_with(|c: char| !(c == '_' || c.is_ascii_uppercase())) {
                    continue;
                }
                let place = line.span_of(part.at.clone());
                if let Some(one) = check_withheld(at, name, place) {
                    found.push(one);
                    continue;
                }
                if value(at, name).is_some() || line.is_script() && is_set_by_adapter(at, name) {
                    continue;
                }
                let falls_back = match variable.rest.as_str() {
                    "" => false,
                    ":-" | "-" => reads,
                    _ => true,
                };
                if falls_back {
                    continue;
                }
                if is_event_data(name) {
                    let prefixed = has_agent_prefix(name);
                    if (prefixed || !foreign) && !of_input.iter().any(|(known, _)| *known == name) {
                        of_input.push((name, place));
                    }
                } else if !foreign && !tested.contains(name) {
                    let unset = check_unset(at, simple, word, part, variable, place);
                    found.extend(unset.map(|unset| with_own_variable(at, line, part, variable, unset)));
                }
            }
        }
        match of_input.as_slice() {
            [] => {}
            [(name, place)] => found.push(data_variable_finding(at, name, *place, "sh")),
            [(_, place), ..] => {
                let names: Vec<&str> = of_input.iter().map(|(name, _)| *name).collect();
                found.push(data_variables_finding(at, &names, *place));
            }
        }
    }
    found.extend(check_code(at));
    found
}

/// Returns the variables that the text tests anywhere, as in `[ -n "$X" ]` or `${X:-}`.
fn tested(line: ShellText<'_>) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for (simple, word) in line.shell.words() {
        let test = matches!(simple.name(), Some("[" | "[[" | "test"));
        names.extend(word.variables().filter(|(_, v)| test || !v.rest.is_empty()).map(|(_, v)| v.name.as_str()));
    }
    names
}

fn is_event_data(name: &str) -> bool {
    let known = meaning_anywhere(name).is_some();
    let agents = !name.contains('_')
        || has_agent_prefix(name)
        || ["TOOL_", "HOOK_", "FILE_"].iter().any(|p| name.starts_with(p));
    !known && agents && DATA.as_ref().is_some_and(|data| data.is_match(name))
}

fn data_variable_finding(at: &RuleContext<'_>, name: &str, place: Span, by: &str) -> Diagnostic {
    let says = format!("{} does not set ${name}: the event arrives on stdin, as JSON", at.agent_name());
    let help = match payload_key(at, name) {
        Some(key) => how_to_read(by, &key),
        None => {
            let keys: Vec<&str> = at.event.fields.iter().map(|field| field.name).collect();
            format!("read it from stdin, a JSON object with the keys {}", keys.join(", "))
        }
    };
    Diagnostic::new(Code::HW408, says).at(place).with_help(help)
}

/// Reports several variables of one command together. The input can be read only once, so the help stores it
/// first.
fn data_variables_finding(at: &RuleContext<'_>, names: &[&str], place: Span) -> Diagnostic {
    let shown: Vec<String> = names.iter().map(|name| format!("${name}")).collect();
    let agent = at.agent_name();
    let says = format!("{agent} does not set {}: the event arrives on stdin, as JSON", shown.join(", "));
    let mut parts: Vec<String> = Vec::new();
    for key in names.iter().filter_map(|name| payload_key(at, name)) {
        let part = format!("$(printf %s \"$INPUT\" | jq -r .{key})");
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    let help = match parts.as_slice() {
        [] => "read it from stdin: INPUT=$(cat)".to_owned(),
        parts => format!("read stdin once with INPUT=$(cat), then use {}", parts.join(", ")),
    };
    Diagnostic::new(Code::HW408, says).at(place).with_help(help)
}

/// Returns the payload key that a variable is named after. `None` if the event has no such key.
pub(super) fn payload_key(at: &RuleContext<'_>, name: &str) -> Option<String> {
    let bare = name.split_once('_').filter(|_| has_agent_prefix(name)).map_or(name, |(_, rest)| rest);
    let bare = bare.strip_prefix("CODE_").or_else(|| bare.strip_prefix("CLI_")).unwrap_or(bare);
    let bare = bare.strip_prefix("HOOK_").unwrap_or(bare);
    let of_tool =
        bare.strip_prefix("TOOL_").filter(|rest| ["FILE", "PATH", "COMMAND"].iter().any(|key| rest.starts_with(key)));
    let bare = of_tool.unwrap_or(bare);
    let has = |key: &str| at.event.fields.iter().any(|field| field.name == key);
    let input = |key: &str| has("tool_input").then(|| format!("tool_input.{key}"));
    let plain = |keys: &[&str]| keys.iter().find(|key| has(key)).map(|key| (*key).to_owned());
    match bare {
        "PATH" | "FILE_PATH" | "FILE_PATHS" | "FILE" | "FILES" | "EDITED_FILES" | "MODIFIED_FILES"
        | "CHANGED_FILES" => input("file_path"),
        "COMMAND" | "BASH_COMMAND" => input("command"),
        "TOOL" | "TOOL_NAME" | "TOOL_CALL" => plain(&["tool_name"]),
        "TOOL_INPUT" | "TOOL_ARGS" | "TOOL_PARAMS" => plain(&["tool_input"]),
        "TOOL_OUTPUT" | "TOOL_RESPONSE" | "TOOL_RESULT" => plain(&["tool_response", "tool_result", "tool_output"]),
        "USER_PROMPT" | "PROMPT" => plain(&["prompt"]),
        "TRANSCRIPT_PATH" => plain(&["transcript_path"]),
        "NOTIFICATION" | "NOTIFICATION_MESSAGE" | "MESSAGE" => plain(&["message"]),
        "EVENT" | "EVENT_NAME" | "EVENT_TYPE" => plain(&["hook_event_name"]),
        other => {
            let part = other.strip_prefix("TOOL_INPUT_").filter(|part| !part.is_empty())?;
            input(&part.to_ascii_lowercase())
        }
    }
}

/// Returns how to read a payload key in the script's language.
pub(super) fn how_to_read(by: &str, key: &str) -> String {
    let parts = || key.split('.');
    match by {
        "python" => {
            let path = parts().map(|part| format!("[\"{part}\"]")).collect::<Vec<_>>().concat();
            format!("read it from stdin: json.load(sys.stdin){path}")
        }
        "node" | "bun" | "tsx" | "deno" => {
            format!("read it from stdin: JSON.parse(require(\"fs\").readFileSync(0, \"utf8\")).{key}")
        }
        "sh" | "bash" | "zsh" | "dash" | "ksh" => format!("read it from stdin: $(jq -r .{key})"),
        _ => format!("read `{key}` of the JSON object on stdin"),
    }
}

/// HW407: a variable that this agent does not set but another does, or that begins a path.
fn check_unset(
    at: &RuleContext<'_>,
    simple: &SimpleCommand,
    word: &Word,
    part: &WordPart,
    variable: &VariableExpansion,
    place: Span,
) -> Option<Diagnostic> {
    let name = variable.name.as_str();
    let form = at.agent.dialect.settings_format();
    let start = at.start?;
    let agent = at.agent_name();
    let found = |says: String| Diagnostic::new(Code::HW407, says).at(place).with_cause(format!("${name}"));
    if let Some(means) = form.meaning(name) {
        if means.contains("plugin") && at.definition.provenance.bundle.is_none() {
            let says = format!("${name} is {means}, but this hook is not part of one");
            let says = if start.refused.is_some() { format!("{says}: {agent} does not start it") } else { says };
            return Some(found(says).with_help("write the path of a script in this project"));
        }
        if means.contains("a file of variables") && start.refused.is_none() {
            return Some(
                found(format!("{agent} does not set ${name} on {}", at.event.name))
                    .with_help("test whether it is set first"),
            );
        }
        return None;
    }
    let bundled = at.definition.provenance.bundle.is_some();
    if start.refused.is_some() {
        return None;
    }
    let help = match form.variable_for(PROJECT) {
        Some(own) => format!("write ${own}"),
        None => format!("write \"{}\"", project_directory(form, at.agent.files, &at.agent.place.project)),
    };
    if let Some(means) = meaning_anywhere(name) {
        // In a bundle, the agent may replace it before a shell reads it.
        if bundled && means.contains("plugin") {
            return None;
        }
        let says = format!("{agent} does not set ${name} (in other agents: {means}), so it is empty");
        return Some(found(says).with_help(if means == PROJECT {
            help
        } else {
            "read it from the payload".to_owned()
        }));
    }
    let first = word.parts.first().is_some_and(|first| first == part);
    let path = matches!(word.parts.get(1).map(|p| &p.piece), Some(PartContent::Text(text)) if text.starts_with('/'));
    let runs = executed_words(simple).contains(&word);
    (first && path && runs && has_agent_prefix(name)).then(|| {
        found(format!(
            "${name} is not set, neither by {agent} nor in this environment: the path starts at the root directory"
        ))
        .with_help(help)
    })
}

/// Adds the fix that writes the agent's own variable for the project, if that is the advice.
fn with_own_variable(
    at: &RuleContext<'_>,
    line: ShellText<'_>,
    part: &WordPart,
    variable: &VariableExpansion,
    found: Diagnostic,
) -> Diagnostic {
    let own = at.agent.dialect.settings_format().variable_for(PROJECT);
    let advised = own.filter(|own| found.help.as_deref() == Some(format!("write ${own}").as_str()));
    // Other forms than $X and ${X} say more than the name.
    let written = line.source_text(&part.at);
    let text = advised.and_then(|own| match written {
        plain if plain == format!("${}", variable.name) => Some(format!("${own}")),
        braced if braced == format!("${{{}}}", variable.name) => Some(format!("${{{own}}}")),
        _ => None,
    });
    match text {
        Some(text) => found.with_fix(line.fix(part.at.clone(), &text, false)),
        None => found,
    }
}

/// HW425: a variable of the user's environment that the agent removes for its hooks.
fn check_withheld(at: &RuleContext<'_>, name: &str, place: Span) -> Option<Diagnostic> {
    let start = at.start?;
    let here = at.agent.place.var(name)?;
    let set = start.env.value(name).is_some() || start.env.scratch_files.iter().any(|set| set == name);
    // Variables that the agent sets itself do not come from the user.
    let own = at.agent.dialect.settings_format().meaning(name).is_some();
    if here.is_empty() || set || own || !start.env.remove.iter().any(|gone| gone == name) {
        return None;
    }
    let says = format!("${name} is set here, but {} removes it from the environment of hooks", at.agent_name());
    Some(
        Diagnostic::new(Code::HW425, says)
            .at(place)
            .with_help("pass the value in a file, or use a variable name that the agent keeps"),
    )
}

static ENVIRON: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r#"(?:\bos\.environ(?:\.get\(|(\[))|\bos\.getenv\(|\bprocess\.env(?:\.|\[))\s*["'`]?([A-Z][A-Z0-9_]+)"#)
});

/// HW407 and HW408 for scripts in languages other than shell. A script that also reads stdin uses the variable only
/// as a fallback.
fn check_code(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let Some(script) = at.script.filter(|script| script.shell.is_none()) else { return Vec::new() };
    let Some(environ) = ENVIRON.as_ref() else { return Vec::new() };
    let stdin = ["stdin", "readFileSync(0", "input()", "fileinput"].iter().any(|word| script.text.contains(word));
    let mut found = Vec::new();
    for captured in environ.captures_iter(&script.text) {
        let Some(name) = captured.get(2) else { continue };
        let line =
            script.text.get(..name.start()).and_then(|before| before.rsplit('\n').next()).unwrap_or("").trim_start();
        if line.starts_with('#') || line.starts_with("//") || value(at, name.as_str()).is_some() {
            continue;
        }
        if is_set_by_adapter(at, name.as_str()) {
            continue;
        }
        let place = script.span(name.start(), name.end());
        if is_event_data(name.as_str()) && !stdin {
            found.push(data_variable_finding(at, name.as_str(), place, &script.interpreter));
        } else if captured.get(1).is_some() && at.start.is_some_and(|start| start.refused.is_none()) {
            // `os.environ["X"]` raises an error if X is not set.
            let means = meaning_anywhere(name.as_str()).filter(|means| *means == PROJECT);
            let asked = format!("\"{}\" in os.environ", name.as_str());
            if let Some(means) = means.filter(|_| !script.text.contains(&asked) && !script.text.contains("KeyError")) {
                let says = format!(
                    "{} does not set {} (in other agents: {means}): this line ends the script",
                    at.agent_name(),
                    name.as_str()
                );
                found.push(
                    Diagnostic::new(Code::HW407, says)
                        .at(place)
                        .with_help("read the directory from `cwd` in the payload"),
                );
            }
        }
    }
    found
}

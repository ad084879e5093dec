//! HW814: a hook that starts the agent whose hook it is, on an event of every session.

use std::sync::{Arc, LazyLock};

use hookbench_script::{Started, Value, Walked};
use regex::Regex;

use crate::config::{AgentArguments, Place};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::{RuleContext, Scene, SessionMemory};
use crate::hook::{DefinitionId, HookDefinition, HookInput};
use crate::lint::answers::hook_text::HookText;
use crate::lint::commands::environment::meaning_anywhere;
use crate::port::mapping;
use crate::text::ascii_regex;

/// Events that every session fires.
const OF_EVERY_SESSION: [&str; 4] = ["session_start", "session_end", "user_prompt_submit", "stop"];
/// Other spellings of the argument with which an agent answers one prompt and ends.
const ONE_PROMPT: [&str; 2] = ["--print", "--prompt"];

/// A variable that a script reads.
static VARIABLE: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r"\$\{?([A-Za-z_]\w*)|environ|getenv|process\.env"));

/// Checks for a hook that starts itself again in the session that it starts.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let row = mapping().row_of(at.agent.dialect.id().as_str(), at.event.name)?;
    if !OF_EVERY_SESSION.contains(&row.canonical) {
        return None;
    }
    let text = HookText::of(at)?;
    let walked = text.walk(at)?;
    let (started, words) = walked.started.iter().find_map(|one| Some((one, session_words(at, one, &walked)?)))?;
    if is_guarded(&text.text) || leaves_project(&text.text) || !runs_there(at, words) {
        return None;
    }
    let (agent, event) = (at.agent_name(), at.event.name);
    let says = format!(
        "this hook starts {agent}, and that session fires {event}, too: the hook starts itself again and again"
    );
    let help = "start it with its hooks switched off; or set a variable of your own for it, and end the hook if the variable is set";
    Some(Diagnostic::new(Code::HW814, says).at(text.span_of(started.at.clone())).with_help(help))
}

/// The arguments with which the agent is started for a session. `None` for another program, or for a command of the agent
/// that starts none, such as `--version`.
fn session_words(at: &RuleContext<'_>, started: &Started, walked: &Walked) -> Option<Vec<String>> {
    let dialect = at.agent.dialect;
    let name = started.program.rsplit('/').next()?;
    let package = dialect.install().package;
    let is_package = |word: &Value| word.known_text().is_some_and(|text| text.starts_with(package));
    if name != dialect.install().command && !started.arguments.iter().any(is_package) {
        return None;
    }
    let mut words: Vec<String> = started.arguments.iter().map(|word| word.known_text().unwrap_or_default()).collect();
    // A library call with one text gives it to a shell.
    let line = walked.lines.iter().find(|line| line.at == started.at && words.is_empty());
    if let Some(line) = line {
        let known = match &line.line {
            Value::Text(pieces) => pieces.iter().map(|piece| piece.text(&|_| String::new())).collect(),
            other => other.known_text().unwrap_or_default(),
        };
        words = known.split_whitespace().skip(1).map(str::to_owned).collect();
    }
    let own = dialect.headless_format().arguments;
    let before_prompt = own.iter().position(|word| *word == "{prompt}").and_then(|at| own.get(at.checked_sub(1)?));
    let marker = own.first().filter(|word| !word.starts_with('-')).or(before_prompt);
    let is_session = |word: &String| marker == Some(&word.as_str()) || ONE_PROMPT.contains(&word.as_str());
    words.iter().any(is_session).then_some(words)
}

/// Whether a condition asks for a variable that the script does not compute itself.
fn is_guarded(text: &str) -> bool {
    let computed = |name: &str| {
        ["=$(", "=\"$(", "=`", "=\"`"].iter().any(|by| text.contains(&format!("{name}{by}")))
            || text.contains(&format!("read -r {name}"))
    };
    let is_condition =
        |line: &&str| ["[ ", "[[ ", "test ", "case ", "if ", "if(", "&&", "||"].iter().any(|word| line.contains(word));
    let conditions = || text.lines().filter(|line| !line.trim_start().starts_with(['#', '/'])).filter(is_condition);
    // A file that is there while the session runs ends the chain, too.
    if conditions().any(|line| line.contains("lock") || line.contains("pid")) {
        return true;
    }
    conditions()
        .flat_map(|line| VARIABLE.as_ref().into_iter().flat_map(|variable| variable.captures_iter(line)))
        .any(|found| found.get(1).is_none_or(|name| !computed(name.as_str()) && !is_usual(name.as_str())))
}

/// Whether every session has a variable of this name.
fn is_usual(name: &str) -> bool {
    matches!(name, "HOME" | "PATH" | "PWD" | "USER" | "SHELL") || meaning_anywhere(name).is_some()
}

/// Whether the agent may be started in another directory.
fn leaves_project(text: &str) -> bool {
    let changes =
        |line: &str| line.trim_start().starts_with("cd ") || line.contains("; cd ") || line.contains("&& cd ");
    text.lines().any(changes) || text.contains("cwd=") || text.contains("cwd:") || text.contains("chdir")
}

/// Whether the hook runs in a session with these arguments.
fn runs_there(at: &RuleContext<'_>, words: Vec<String>) -> bool {
    let agent = at.agent;
    let arguments = Some(AgentArguments { agent: agent.dialect.id(), words });
    let place = Place { arguments, ..Place::clone(agent.place) };
    let loaded = agent.dialect.load(&place, agent.files, agent.version);
    let same = |d: &HookDefinition| d.event == at.definition.event && d.handler == at.definition.handler;
    let hooks: Vec<DefinitionId> = loaded.definitions.iter().filter(|d| same(d)).map(|d| d.id.clone()).collect();
    let examples = agent.dialect.examples(at.event, &place, agent.version);
    let Some(body) = examples.first().map(|example| example.body.clone()) else { return false };
    let subject = agent.dialect.subject(at.event, &body, agent.version);
    let scene = Scene {
        input: HookInput { event: at.event.name.to_owned(), subject, body },
        loaded,
        place: Arc::new(place),
        version: agent.version.clone(),
        headless: true,
        memory: SessionMemory::default(),
    };
    agent.dialect.plan(&scene).firing().any(|entry| hooks.contains(&entry.hook))
}

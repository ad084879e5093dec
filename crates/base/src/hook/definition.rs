//! A hook definition: one handler under one matcher under one event, with its place in the settings.

use std::time::Duration;

use hookbench_script::{ScriptSource, is_interpreter, split_assignment, unwrapped_words};
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use super::event::EventName;
pub use crate::names::DefinitionId;
use crate::names::{RuleId, RungName};
use crate::text::{Span, replace_lookalikes};

crate::words! {
    /// The configuration layer of a definition, named as in the contract. Each dialect uses and orders its own layers.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Layer {
        Managed = "managed",
        System = "system",
        SystemDefaults = "system_defaults",
        User = "user",
        Project = "project",
        Local = "local",
        Flag = "flag",
        Plugin = "plugin",
        Extension = "extension",
        Session = "session",
    }
    /// The word in JSON documents.
    fn word; const ALL;
}

/// The place of a definition in the settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Provenance {
    pub layer: Layer,
    /// The path as displayed: relative to the project, or `~/…`, otherwise absolute.
    pub file: String,
    /// The line of the handler object, counted from 1.
    pub line: u32,
    pub column: u32,
    pub span: Span,
    /// The plugin, extension, skill or sub-agent that contains it.
    pub bundle: Option<String>,
}

/// The reason why a configured definition can never fire.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejection {
    /// The rung of the ladder at which it fails.
    pub rung: RungName,
    pub rule: RuleId,
    pub message: String,
}

impl Rejection {
    pub fn new(rung: RungName, rule: RuleId, message: impl Into<String>) -> Rejection {
        Rejection { rung, rule, message: message.into() }
    }
}

/// One handler under one matcher under one event.
#[derive(Debug, Clone, PartialEq)]
pub struct HookDefinition {
    pub id: DefinitionId,
    pub event: EventName,
    /// The matcher as written, because agents differ in how they treat values other than strings. `None` if the key
    /// is absent.
    pub matcher: Option<Value>,
    pub matcher_span: Option<Span>,
    pub handler: Handler,
    /// The configured `name`.
    pub name: Option<String>,
    /// The `if` key of the definition.
    pub condition: Option<String>,
    /// The timeout that the agent applies on this event.
    pub timeout: Option<Duration>,
    /// Whether the agent starts it without waiting for it.
    pub detached: bool,
    /// The handler object as written, after the agent's substitutions.
    pub raw: Value,
    /// The keys of the enclosing group, without its handlers.
    pub group: Value,
    pub provenance: Provenance,
    /// Set if the agent drops the definition, whatever the event contains.
    pub rejection: Option<Rejection>,
}

/// The rule for a valid hook that is lost because its whole file is skipped.
pub const FILE_SKIPPED: RuleId = RuleId::new("config.file-skipped");

impl HookDefinition {
    /// The display name: the configured name, otherwise the file name of the program or script that it runs. Characters
    /// that look like others are marked.
    pub fn label(&self) -> String {
        replace_lookalikes(&self.plain_label()).into_owned()
    }

    fn plain_label(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        match &self.handler {
            // Some agents split a line into a program and its arguments.
            Handler::Command(command) => {
                let line = self.raw.get("command").and_then(Value::as_str).filter(|_| command.args.is_some());
                let words = std::iter::once(&command.command).chain(command.args.iter().flatten());
                if line.is_some_and(|line| line == command.command)
                    && let Some(name) = script_label(&words.map(String::as_str).collect::<Vec<_>>())
                {
                    return name;
                }
                command_label(line.filter(|line| line.contains(' ')).unwrap_or(&command.command))
            }
            Handler::Unknown(Value::Object(keys)) => {
                // The command under a wrong key still names the hook for its author.
                let named = keys.get("command").or_else(|| keys.iter().find(|(key, _)| *key != "type").map(|(_, v)| v));
                named.and_then(Value::as_str).map_or_else(|| self.handler.text(), command_label)
            }
            Handler::Prompt(_) | Handler::Agent(_) => cut(&self.handler.text()),
            other => other.text(),
        }
    }

    /// Whether the agent would run the handler, now or after the directory is trusted, the layer is enabled, the
    /// matcher is corrected, or the error that makes the agent skip the file is fixed.
    pub fn is_valid(&self) -> bool {
        let waits = |r: &Rejection| matches!(r.rung, RungName::Trusted | RungName::LayerActive | RungName::Matcher);
        self.rejection.as_ref().is_none_or(|r| waits(r) || r.rule == FILE_SKIPPED)
    }

    /// The matcher as text; `*` if there is none.
    pub fn matcher_text(&self) -> String {
        match &self.matcher {
            None => "*".to_owned(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => crate::text::stringify(other),
        }
    }
}

/// The name of the script that a command line runs: `python3 "$DIR/hooks/guard.py" --x` → `guard.py`. A command
/// that runs no script is its own label, truncated if it is long.
pub fn command_label(command: &str) -> String {
    if let Some(adapted) = adapted_command(command) {
        return command_label(adapted.command);
    }
    let plain = without_substitutions(command);
    let words: Vec<&str> = plain.split_whitespace().map(|word| word.trim_matches(['"', '\'', ';'])).collect();
    if let Some(name) = script_label(&words) {
        return name;
    }
    cut(command)
}

/// The first line of a text, cut if it is long.
fn cut(text: &str) -> String {
    const LONGEST: usize = 32;
    let line = text.trim().lines().next().unwrap_or("");
    if line.chars().count() <= LONGEST {
        return line.to_owned();
    }
    format!("{}…", line.chars().take(LONGEST - 1).collect::<String>())
}

/// The name of the script or the module that words start, after interpreters, flags and assignments.
fn script_label(words: &[&str]) -> Option<String> {
    let assignments = words.iter().take_while(|word| split_assignment(word).is_some()).count();
    let words = unwrapped_words(words.get(assignments..)?);
    let place = match ScriptSource::of(words) {
        _ if !is_interpreter(words.first()?) => 0,
        ScriptSource::File(place) => place,
        ScriptSource::Text(place) => return script_label(words.get(place..)?),
        ScriptSource::Module(place) => {
            let (module, argument) = (words.get(place)?, words.get(place + 1).filter(|word| !word.starts_with('-')));
            return Some(argument.map_or_else(|| (*module).to_owned(), |argument| format!("{module} {argument}")));
        }
        ScriptSource::Stdin(_) | ScriptSource::Unknown => return None,
    };
    let word = words.get(place)?;
    let name = word.rsplit('/').next().unwrap_or(word);
    (word.contains('/') || name.contains('.')).then(|| name.to_owned())
}

/// Replaces each `$(…)` by a variable, because it may contain blanks and slashes.
fn without_substitutions(command: &str) -> String {
    let mut out = String::new();
    let mut rest = command;
    while let Some((before, inside)) = rest.split_once("$(") {
        let mut open = 1;
        let close = inside.char_indices().find(|(_, c)| {
            open += match c {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            open == 0
        });
        let Some((close, _)) = close else { break };
        out.push_str(before);
        out.push_str("$_");
        rest = inside.get(close + 1..).unwrap_or_default();
    }
    out + rest
}

/// The handler of a definition. Types that only the agent itself can run are kept for display.
#[derive(Debug, Clone, PartialEq)]
pub enum Handler {
    Command(CommandHandler),
    Http(HttpHandler),
    Prompt(PromptHandler),
    Agent(AgentHandler),
    McpTool(McpToolHandler),
    /// A type that this agent does not know, or an entry that is not a handler.
    Unknown(Value),
}

/// A process.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CommandHandler {
    /// Shell text; the program if `args` is present.
    pub command: String,
    /// The arguments, if the command is run without a shell.
    pub args: Option<Vec<String>>,
    /// The configured `shell` key.
    pub shell: Option<String>,
    /// Environment variables that the definition sets.
    pub env: IndexMap<String, String>,
}

/// A POST request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HttpHandler {
    pub url: String,
    pub headers: IndexMap<String, String>,
    /// Environment variables that header values may use. `None` if the key is absent.
    pub allowed_env: Option<Vec<String>>,
}

/// A single question to the agent's model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PromptHandler {
    pub prompt: String,
    pub model: Option<String>,
    pub continue_on_block: bool,
}

/// A sub-agent that the agent starts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentHandler {
    pub prompt: String,
    pub model: Option<String>,
}

/// A tool of an MCP server that the agent is connected to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct McpToolHandler {
    pub server: String,
    pub tool: String,
    pub input: Option<Value>,
}

impl Handler {
    /// The `type` of the handler as configured.
    pub fn kind(&self) -> &str {
        match self {
            Handler::Command(_) => "command",
            Handler::Http(_) => "http",
            Handler::Prompt(_) => "prompt",
            Handler::Agent(_) => "agent",
            Handler::McpTool(_) => "mcp_tool",
            Handler::Unknown(value) => value.get("type").and_then(Value::as_str).unwrap_or("unknown"),
        }
    }

    /// The handler as one text: the command with its arguments, the URL, the prompt, `server/tool`.
    pub fn text(&self) -> String {
        match self {
            Handler::Command(c) => match &c.args {
                Some(args) => std::iter::once(&c.command).chain(args).cloned().collect::<Vec<_>>().join(" "),
                None => c.command.clone(),
            },
            Handler::Http(h) => h.url.clone(),
            Handler::Prompt(p) => p.prompt.clone(),
            Handler::Agent(a) => a.prompt.clone(),
            Handler::McpTool(m) => format!("{}/{}", m.server, m.tool),
            Handler::Unknown(value) => value
                .get("command")
                .and_then(Value::as_str)
                .map_or_else(|| crate::text::stringify(value), str::to_owned),
        }
    }
}

/// The parts of such a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdaptedCommand<'a> {
    /// The id of the agent that the script was written for.
    pub from: &'a str,
    /// The script with its arguments.
    pub command: &'a str,
}

/// The parts of a command that adapts a script. `None` for any other command.
pub fn adapted_command(command: &str) -> Option<AdaptedCommand<'_>> {
    let (options, script) = command.split_once(" -- ")?;
    let mut words = options.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
    words.next().filter(|word| word.rsplit('/').next() == Some("hookbench"))?;
    words.next().filter(|word| *word == "adapt")?;
    let mut from = None;
    while let Some(word) = words.next() {
        match word.split_once('=') {
            Some(("--from", agent)) => from = Some(agent),
            None if word == "--from" => from = words.next(),
            None if matches!(word, "--agent" | "--event") => drop(words.next()),
            _ => {}
        }
    }
    Some(AdaptedCommand { from: from?, command: script.trim() })
}

#[cfg(test)]
mod tests {
    use super::command_label;

    #[test]
    fn labels_name_the_script() {
        for (command, label) in [
            ("sh guard.sh", "guard.sh"),
            ("\"$PROJECT_DIR\"/hooks/guard.sh", "guard.sh"),
            ("python3 -u \"$DIR/a b/x.py\" --fast", "a"),
            ("FOO=1 /opt/h1", "h1"),
            ("exit 2", "exit 2"),
            ("npm run lint", "npm run lint"),
            ("\necho one\necho two", "echo one"),
            ("bash", "bash"),
            ("/v/bin/python3 -P -m pii_gate hook", "pii_gate hook"),
            ("python3 -m guards.shell --strict", "guards.shell"),
            ("cargo run -m x", "cargo run -m x"),
            ("hookbench adapt --from a -- python3 hooks/x.py", "x.py"),
            ("\"$(git rev-parse --show-toplevel)\"/hooks/guard.sh", "guard.sh"),
            ("python3 \"$(dirname \"$(pwd)\")/x.py\" --fast", "x.py"),
            ("echo \"$(cat /etc/hosts", "echo \"$(cat /etc/hosts"),
        ] {
            assert_eq!(command_label(command), label, "{command}");
        }
    }
}

#[cfg(test)]
mod adapted_command_tests {
    use super::*;

    #[test]
    fn adapted_commands_are_taken_apart() {
        let found = |command| adapted_command(command).map(|adapted| (adapted.from, adapted.command));
        for (command, want) in [
            ("hookbench adapt --from a -- ./guard.py", Some(("a", "./guard.py"))),
            ("/opt/hookbench adapt --agent b --from=a -- sh -c 'x -- y'", Some(("a", "sh -c 'x -- y'"))),
            ("hookbench adapt --from a --event preX --agent b -- ./g.sh", Some(("a", "./g.sh"))),
            ("hookbench adapt -- ./guard.py", None),
            ("hookbench forward --from a -- x", None),
            ("git checkout -- file", None),
            ("./guard.py", None),
        ] {
            assert_eq!(found(command), want, "{command}");
        }
    }
}

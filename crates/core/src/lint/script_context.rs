//! The command text and the script that rules receive with a definition. Each script is parsed once, even if
//! several hooks run it.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use hookbench_script::{Grammar, ScriptModel, ScriptSource, bare_name, interpreter_of, is_shell};
use regex::Regex;

use super::ScriptFile;
use super::included_files::IncludingScript;
use crate::config::{Files, Place};
use crate::dialects::{
    self, Agent, AgentContext, RuleContext, Script, ShellLine, StartPrediction, WalkCell, WrittenCommand,
    default_version, released,
};
use crate::hook::{CommandHandler, EventSpec, Handler, HookDefinition, adapted_command};
use crate::port::{AgentVersion, same_event};
use crate::text::shell::Shell;
use crate::text::{JsonSyntax, Literal, Node, SourceMap, ascii_regex, parse_json};

/// Scripts by path and interpreter.
#[derive(Default)]
pub(super) struct ScriptCache {
    known: HashMap<(String, String, bool), Rc<Script>>,
}

impl ScriptCache {
    /// Returns all scripts, ordered by path.
    pub fn all(&self) -> Vec<Script> {
        let mut all: Vec<Script> = self.known.values().map(|script| Script::clone(script)).collect();
        all.sort_by(|a, b| (&a.path, &a.interpreter).cmp(&(&b.path, &b.interpreter)));
        all
    }

    /// Parses a script, or returns it from the cache. Adds its text to `sources` once.
    pub fn script(
        &mut self,
        script: ScriptFile,
        start: Option<&StartPrediction>,
        (place, files): (&Place, &dyn Files),
        sources: &mut SourceMap,
    ) -> Rc<Script> {
        let ScriptFile { path, text, interpreted } = script;
        let program = start.and_then(|start| start.program.as_deref()).filter(|_| interpreted);
        let by = interpreter_of(program, &path, &text);
        let key = (path, by, interpreted);
        if let Some(script) = self.known.get(&key) {
            return Rc::clone(script);
        }
        let (path, by, _) = key.clone();
        let file = place.display_path(&path);
        let source = sources.by_path(&path).unwrap_or_else(|| sources.add(file.clone(), path.clone(), text.clone()));
        let shell = is_shell(&by).then(|| Shell::parse(&text));
        let language = Grammar::of(&by);
        let including = IncludingScript { path: &path, text: &text, language, start, place, files };
        let model = language
            .and_then(|language| ScriptModel::parse_with_files(&text, language, &|include| including.find(include)));
        let script = Rc::new(Script { source, path, file, text, interpreted, interpreter: by, shell, model });
        self.known.insert(key, Rc::clone(&script));
        script
    }
}

/// The agent that a script was written for, and the event as that agent knows it.
pub(super) struct ScriptAuthor {
    side: AgentVersion,
    event: &'static EventSpec,
    walked: WalkCell,
}

impl ScriptAuthor {
    /// An agent for which a hook of another agent is read. `None` if it has no such event.
    pub fn of(at: &RuleContext<'_>, side: &AgentVersion) -> Option<ScriptAuthor> {
        let dialect = dialects::by_id(at.agent.dialect.id().as_str())?;
        let reader = AgentVersion { dialect, version: at.agent.version.clone() };
        let event = same_event(&reader, at.event, side).ok()?;
        Some(ScriptAuthor { side: side.clone(), event, walked: WalkCell::new() })
    }

    /// The same definition as a hook of the script's own agent.
    pub fn context<'a>(&'a self, at: &RuleContext<'a>) -> RuleContext<'a> {
        let agent = AgentContext { dialect: self.side.dialect, version: &self.side.version, ..at.agent };
        RuleContext { agent, event: self.event, walked: &self.walked, ..*at }
    }

    pub fn name(&self) -> &'static str {
        self.side.dialect.name()
    }
}

/// The agent of the script that `hookbench adapt` runs. `None` if the command adapts nothing, or if that agent has no
/// such event.
pub(super) fn script_author(at: &RuleContext<'_>) -> Option<ScriptAuthor> {
    let command = at.command()?;
    let script = dialects::by_id(adapted_command(&command)?.from)?;
    ScriptAuthor::of(at, &AgentVersion { dialect: script, version: default_version(script) })
}

/// The agent whose settings file contains a hook of another agent, which reads that file, too, and the event as the
/// first agent knows it. `None` for an agent's own file.
pub(super) fn file_owner(at: &RuleContext<'_>) -> Option<ScriptAuthor> {
    let (provenance, place) = (&at.definition.provenance, at.agent.place);
    let has_file = |agent: &Agent| {
        let files = agent.hook_files(place, provenance.layer);
        files.iter().any(|file| place.display_path(&file.path) == provenance.file)
    };
    let is_adapted = || at.command().is_some_and(|command| adapted_command(&command).is_some());
    if has_file(at.agent.dialect) || is_adapted() {
        return None;
    }
    let owner = released().find(|agent| has_file(agent))?;
    ScriptAuthor::of(at, &AgentVersion { dialect: owner, version: default_version(owner) })
}

/// The model of a script file that starts itself, or that an interpreter for its extension reads.
pub(super) fn model_of_file(path: &str, text: &str) -> Option<Arc<ScriptModel>> {
    model_of(text, Grammar::of(&interpreter_of(None, path, text)))
}

fn model_of(text: &str, language: Option<Grammar>) -> Option<Arc<ScriptModel>> {
    ScriptModel::parse(text, language?)
}

static KEY: LazyLock<Option<Regex>> = LazyLock::new(|| ascii_regex(r#"(?m)(?:^|[\s,{\-])"?command"?[ \t]*[=:][ \t]*"#));

/// Returns the command as written in the settings.
pub(crate) fn written_command(
    definition: &HookDefinition,
    start: Option<&StartPrediction>,
    dialect: &Agent,
    sources: &SourceMap,
) -> Option<WrittenCommand> {
    let Handler::Command(command) = &definition.handler else { return None };
    let span = definition.provenance.span;
    let text = sources.text(span.source);
    let lenient = JsonSyntax { comments: true, trailing_commas: true, bom: true };
    let inside = text.get(span.start..span.end)?;
    let same = |literal: &Literal| dialect.settings_format().expands_on_load || literal.text == command.command;
    let (literal, args) = match parse_json(span.source, inside, lenient) {
        Ok(node) => {
            let literal = |node: &Node| Literal::parse(span.source, text, span.start + node.span.start);
            let args = node.get("args").and_then(Node::items);
            let args = args.map(|items| items.iter().filter_map(literal).collect::<Vec<_>>());
            (node.get("command").and_then(literal)?, args.filter(|_| command.args.is_some()))
        }
        Err(_) => {
            let found = KEY.as_ref()?.find_iter(text.get(span.start..)?);
            let literals = found.filter_map(|found| Literal::parse(span.source, text, span.start + found.end()));
            (literals.take(4).find(same)?, None)
        }
    };
    if !same(&literal) {
        return None;
    }
    let line = line(command, &literal, args.as_deref(), start);
    Some(WrittenCommand { command: literal, args, shell_line: line })
}

/// Returns the part that a shell reads: the command itself, or the argument after `-c`.
fn line(
    command: &CommandHandler,
    literal: &Literal,
    args: Option<&[Literal]>,
    start: Option<&StartPrediction>,
) -> Option<ShellLine> {
    let read = |literal: &Literal, by: String| {
        let shell = Shell::parse(&literal.text);
        is_shell(&by).then(|| ShellLine {
            literal: literal.clone(),
            shell,
            shell_name: by,
            model: model_of(&literal.text, Some(Grammar::Shell)),
        })
    };
    let Some(args) = args else {
        if command.shell.as_deref().is_some_and(|shell| shell.contains("powershell") || shell.contains("pwsh")) {
            return None;
        }
        let first = start.map(|start| bare_name(&start.first)).filter(|first| !first.is_empty());
        return read(literal, first.unwrap_or("sh").to_owned());
    };
    let words: Vec<&str> =
        std::iter::once(&command.command).chain(args.iter().map(|arg| &arg.text)).map(String::as_str).collect();
    let ScriptSource::Text(at) = ScriptSource::of(&words) else { return None };
    read(args.get(at - 1)?, bare_name(&command.command).to_owned())
}

//! The common part of reading settings: the state of each file, the definitions of hooks, and unknown events. What
//! a mistake costs is a rule of the agent.

use hookbench_base::config::{
    FileError, Files, IgnoredFile, LayerFile, LayerState, LoadRefusal, LoadedConfig, Place, read_settings,
};
use hookbench_base::diagnostic::{Code, Diagnostic, Fix};
use hookbench_base::dialects::settings_format::ListForm;
use hookbench_base::hook::{CommandHandler, Handler, HookDefinition, Layer, Provenance, Rejection};
use hookbench_base::text::edit::TextEdit;
use hookbench_base::text::{JsonError, Member, Node, NodeValue, SourceId, SourceMap, Span};
use serde_json::Value;

/// The facts that all definitions of one file share.
#[derive(Debug, Clone)]
pub struct DefinitionOrigin {
    pub layer: Layer,
    pub bundle: Option<String>,
    /// Set if the agent drops all of them.
    pub refused: Option<Rejection>,
    /// Variables that the agent sets for these commands, which override the commands' own.
    pub env: Vec<(String, String)>,
}

impl DefinitionOrigin {
    /// Hooks of a file outside plugins.
    pub fn of_file(layer: Layer, refused: Option<Rejection>) -> DefinitionOrigin {
        DefinitionOrigin { layer, bundle: None, refused, env: Vec::new() }
    }
}

/// The definition of a hook in a group, without its name, timeout and rejection.
pub fn definition(
    loaded: &LoadedConfig,
    event: &str,
    group: Option<&Node>,
    hook: &Node,
    handler: Handler,
    origin: &DefinitionOrigin,
) -> HookDefinition {
    let matcher = group.and_then(|group| group.get("matcher"));
    HookDefinition {
        matcher: matcher.map(Node::to_value),
        matcher_span: matcher.map(|matcher| matcher.span),
        group: group.map_or(Value::Null, without_hooks),
        ..bare_definition(loaded, event, hook.to_value(), hook.span, handler, origin)
    }
}

/// The definition of an entry in a list of hooks, without its timeout and rejection. `raw` is the handler in its plain form.
pub fn list_definition(
    loaded: &LoadedConfig,
    list: ListForm,
    entry: &Node,
    origin: &DefinitionOrigin,
) -> HookDefinition {
    let text = |key: &str| entry.get(key).and_then(Node::as_str);
    let matcher = entry.get(list.matcher);
    let mut raw = entry.to_value();
    if let Value::Object(keys) = &mut raw {
        keys.retain(|key, _| ![list.event, list.matcher].contains(&key.as_str()));
        keys.shift_insert(0, "type".to_owned(), Value::from("command"));
    }
    // An agent with such a list starts no empty command.
    let handler = match text("command").filter(|command| !command.is_empty()) {
        Some(command) => Handler::Command(CommandHandler { command: command.to_owned(), ..CommandHandler::default() }),
        None => Handler::Unknown(raw.clone()),
    };
    HookDefinition {
        matcher: matcher.map(Node::to_value),
        matcher_span: matcher.map(|matcher| matcher.span),
        name: text(list.name).map(str::to_owned),
        ..bare_definition(loaded, text(list.event).unwrap_or_default(), raw, entry.span, handler, origin)
    }
}

/// A value that the agent's schema rejects.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemaError {
    pub code: Code,
    pub span: Span,
    pub message: String,
    pub help: String,
}

impl SchemaError {
    /// An error with its place and a suggested fix.
    pub fn new(code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) -> SchemaError {
        SchemaError { code, span, message: message.into(), help: help.into() }
    }

    /// The finding, with a message that says how the agent reacts.
    pub fn note(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.code, message).at(self.span).with_help(self.help.clone())
    }

    /// The finding with the error and how the agent reacts.
    pub fn diagnostic(&self, effect: &str) -> Diagnostic {
        self.note(format!("{}; {effect}", self.message))
    }
}

/// The kind of value that a key of an entry must have.
pub struct KeyRule {
    pub key: &'static str,
    pub is_required: bool,
    pub code: Code,
    /// As in "`timeout` is not a number".
    pub must_be: &'static str,
    pub fits: fn(&Value) -> bool,
    pub help: &'static str,
}

/// The first key of an entry that is missing or is not what it must be.
pub fn find_misfit(entry: &Node, rules: &[KeyRule]) -> Option<Diagnostic> {
    rules.iter().find_map(|rule| {
        let (says, span) = match entry.get(rule.key) {
            Some(value) if (rule.fits)(&value.to_value()) => return None,
            Some(value) => (format!("`{}` is not {}", rule.key, rule.must_be), value.span),
            None if rule.is_required => (format!("`{}` is missing in the hook", rule.key), entry.span),
            None => return None,
        };
        Some(Diagnostic::new(rule.code, says).at(span).with_help(rule.help))
    })
}

/// The lists of hooks of a map of events. A map or a list that is not one is reported: the agent drops its hooks.
pub fn event_lists<'n>(
    loaded: &mut LoadedConfig,
    hooks: &'n Node,
    path: &str,
    is_event: impl Fn(&str) -> bool,
) -> Vec<(&'n Member, &'n [Node])> {
    let Some(events) = hooks.members() else {
        let says = format!("`hooks` is {}, not a map of events, so the agent drops every hook", hooks.kind());
        update_layer(loaded, path, LayerState::Broken, &says);
        report(loaded, Code::HW104, hooks.span, says, "write each event as a key, with a list of hooks");
        return Vec::new();
    };
    for event in events.iter().filter(|event| event.value.items().is_none() && is_event(&event.key)) {
        if event.value.value != NodeValue::Null {
            let says = format!("`{}` is {}, not a list, so the agent drops its hooks", event.key, event.value.kind());
            report(loaded, Code::HW104, event.value.span, says, "write a list: - command: …");
        }
    }
    events.iter().map(|event| (event, event.value.items().unwrap_or_default())).collect()
}

/// The finding about a key of an entry that is near one that the agent reads.
pub fn renamed_key(agent: &str, member: &Member, meant: &str, effect: &str) -> Diagnostic {
    let says = format!("{agent} ignores `{}`{effect}: the key is called `{meant}`", member.key);
    let note = Diagnostic::new(Code::HW113, says).at(member.key_span);
    note.with_help(format!("rename it to `{meant}`")).with_fix(Fix::proposal(member.key_span, meant))
}

/// The handler that runs a program with its arguments, without a shell. `None` without words.
pub fn direct_handler(words: Vec<String>) -> Option<Handler> {
    let mut words = words.into_iter();
    let command = words.next()?;
    Some(Handler::Command(CommandHandler { command, args: Some(words.collect()), ..CommandHandler::default() }))
}

/// The fix that deletes a key with its value from a TOML table.
pub fn delete_line(sources: &SourceMap, member: &Member) -> Fix {
    let source = member.key_span.source;
    let text = sources.text(source);
    let start = text.get(..member.key_span.start).and_then(|text| text.rfind('\n')).map_or(0, |line| line + 1);
    let after = text.get(member.value.span.end..).and_then(|rest| rest.find('\n'));
    let end = after.map_or(text.len(), |line| member.value.span.end + line + 1);
    Fix::new(false, source, [TextEdit::replace(start, end, "")])
}

/// A definition that is known by its place only.
pub fn bare_definition(
    loaded: &LoadedConfig,
    event: &str,
    raw: Value,
    span: Span,
    handler: Handler,
    origin: &DefinitionOrigin,
) -> HookDefinition {
    let at = loaded.sources.start(span);
    HookDefinition {
        id: String::new(),
        event: event.to_owned(),
        matcher: None,
        matcher_span: None,
        detached: false,
        handler,
        name: None,
        condition: None,
        timeout: None,
        group: Value::Null,
        raw,
        provenance: Provenance {
            layer: origin.layer,
            file: loaded.sources.name(span.source).to_owned(),
            line: at.line,
            column: at.column,
            span,
            bundle: origin.bundle.clone(),
        },
        rejection: None,
    }
}

/// The keys of a matcher group, without `hooks`.
fn without_hooks(group: &Node) -> Value {
    if group.members().is_none() {
        return Value::Null;
    }
    let members = group.effective_members().into_iter().filter(|member| member.key != "hooks");
    Value::Object(members.map(|member| (member.key.clone(), member.value.to_value())).collect())
}

/// The directory of the user's settings: that of a variable, or one of the home directory.
pub fn user_directory(place: &Place, variable: &str, usual: &str) -> String {
    let moved = place.var(variable).filter(|directory| !directory.trim().is_empty());
    moved.map_or_else(|| format!("{}/{usual}", place.home), |directory| place.absolute(&place.project, directory))
}

/// Describes a command of a handler that is not a text.
pub fn command_problem(hook: &Node) -> Option<String> {
    match hook.get("command") {
        _ if hook.members().is_none() => Some(format!("the hook is {}, not an object", hook.kind())),
        Some(command) if command.as_str().is_some() => None,
        Some(command) => Some(format!("`command` is {}, not a string", command.kind())),
        None => Some("`command` is missing in the hook".to_owned()),
    }
}

/// Reports a mistake at its place, with the help.
pub fn report(loaded: &mut LoadedConfig, code: Code, at: Span, message: impl Into<String>, help: impl Into<String>) {
    loaded.notes.push(Diagnostic::new(code, message).at(at).with_help(help));
}

/// Says that an agent has no event of this name, and what to do. `meant` is the event that the user probably meant.
pub fn unknown_event(agent: &str, name: &str, meant: Option<&str>) -> (String, String) {
    match meant {
        Some(meant) => {
            (format!("{agent} has no event \"{name}\"; did you mean {meant}?"), format!("rename it to {meant}"))
        }
        None => (format!("{agent} has no event \"{name}\"."), "see `hookbench events`".to_owned()),
    }
}

/// Records the state of a file.
pub fn record_layer(
    loaded: &mut LoadedConfig,
    place: &Place,
    layer: Layer,
    path: &str,
    state: LayerState,
    message: Option<String>,
) {
    let file = place.display_path(path);
    loaded.layers.push(LayerFile { layer, path: path.to_owned(), file, state, message, bundle: None });
}

/// Changes the recorded state of a file.
pub fn update_layer(loaded: &mut LoadedConfig, path: &str, state: LayerState, message: &str) {
    for layer in loaded.layers.iter_mut().filter(|layer| layer.path == path) {
        layer.state = state;
        layer.message = Some(message.to_owned());
    }
}

/// Records a file that looks like configuration but that the agent does not read, if it exists.
pub fn report_ignored(loaded: &mut LoadedConfig, place: &Place, files: &dyn Files, path: &str, message: &str) {
    if files.exists(path) {
        let file = place.display_path(path);
        loaded.ignored_files.push(IgnoredFile { file, message: message.to_owned(), cure: None });
    }
}

/// Reports the files with hooks that the agent does not read.
pub fn report_unread_hooks(loaded: &mut LoadedConfig, place: &Place, files: &dyn Files, paths: &[String], why: &str) {
    let has_hooks =
        |path: &&String| read_settings(files, path).is_ok_and(|text| text.windows(5).any(|at| at == b"hooks"));
    paths.iter().filter(has_hooks).for_each(|path| report_ignored(loaded, place, files, path, why));
}

/// Keeps the first reason why the agent does not start. The span, if any, names the file.
pub fn refuse(loaded: &mut LoadedConfig, message: String, span: Option<Span>) {
    loaded.refusal.get_or_insert(LoadRefusal { message, span });
}

/// A file that exists but cannot be used.
pub struct BrokenFile {
    pub cause: BrokenCause,
    /// Why the file cannot be read, what it contains instead of an object, or what the parser says.
    pub detail: String,
    pub help: Option<String>,
}

impl BrokenFile {
    /// Why the file cannot be read, or what is wrong with its text.
    pub fn problem(&self) -> String {
        match self.cause {
            BrokenCause::Unreadable => self.detail.clone(),
            BrokenCause::NotObject => format!("the file contains {}, not an object", self.detail),
            BrokenCause::Invalid => format!("not valid JSON ({})", self.detail),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenCause {
    Unreadable,
    NotObject,
    Invalid,
}

/// The effect of a broken file.
pub struct BrokenEffect {
    pub message: String,
    pub help: Option<String>,
    /// Why the agent does not start.
    pub refusal: Option<String>,
}

impl BrokenEffect {
    /// A broken file in TOML or YAML. `consequence` is what the agent does without the file, and `is_refusal` whether it does not
    /// start.
    pub fn of_language(language: &str, broken: BrokenFile, consequence: &str, is_refusal: bool) -> BrokenEffect {
        let BrokenFile { cause, detail, help } = broken;
        let problem = match cause {
            BrokenCause::Unreadable => format!("the file cannot be read ({detail})"),
            BrokenCause::NotObject => format!("the file is {detail}, not an object"),
            BrokenCause::Invalid => format!("not valid {language}: {detail}"),
        };
        let message = format!("{problem}, so {consequence}");
        let refusal = (is_refusal && cause != BrokenCause::Unreadable).then(|| message.clone());
        BrokenEffect { message, help: help.or_else(|| Some(format!("fix the {language} at this place"))), refusal }
    }

    /// The agent starts without the hooks of the file. `syntax` is what its text must be.
    pub fn without_hooks(broken: BrokenFile, syntax: &str) -> BrokenEffect {
        let BrokenFile { cause, detail, help } = broken;
        let (problem, help) = match cause {
            BrokenCause::Unreadable => {
                let message = format!("the file cannot be read ({detail}), so its hooks are ignored");
                return BrokenEffect { message, help, refusal: None };
            }
            BrokenCause::NotObject => {
                (format!("the file is {detail}, not an object"), "write an object: { … }".to_owned())
            }
            BrokenCause::Invalid => (format!("not valid JSON: {detail}"), help.unwrap_or_else(|| syntax.to_owned())),
        };
        let message = format!("{problem}, so every hook of this file is ignored");
        BrokenEffect { message, help: Some(help), refusal: None }
    }
}

/// Parses a file of settings that holds an object, and records its state. Returns `None` if the file is missing or broken.
pub fn read_layer(
    place: &Place,
    files: &dyn Files,
    (layer, path): (Layer, &str),
    parse: impl Fn(SourceId, &str) -> Result<Node, JsonError>,
    effect: impl FnOnce(BrokenFile) -> BrokenEffect,
    loaded: &mut LoadedConfig,
) -> Option<Node> {
    let (state, message, root) = match read_object(place, path, read_settings(files, path), parse, effect, loaded) {
        Ok(root) => (if root.is_some() { LayerState::Read } else { LayerState::Absent }, None, root),
        Err(message) => (LayerState::Broken, Some(message), None),
    };
    record_layer(loaded, place, layer, path, state, message);
    root
}

/// Parses a file that holds an object. Returns `None` if the file is missing.
///
/// # Errors
///
/// Reports a broken file with the effect that it has on the agent, and returns the message.
pub fn read_object(
    place: &Place,
    path: &str,
    bytes: Result<Vec<u8>, FileError>,
    parse: impl Fn(SourceId, &str) -> Result<Node, JsonError>,
    effect: impl FnOnce(BrokenFile) -> BrokenEffect,
    loaded: &mut LoadedConfig,
) -> Result<Option<Node>, String> {
    let (broken, span) = match bytes {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let source = loaded.add_source(place, path, &text);
            match parse(source, &text) {
                Ok(root) if root.members().is_some() => return Ok(Some(root)),
                Ok(root) => {
                    let help = Some("write the settings in `{ … }`".to_owned());
                    let detail = root.kind().to_owned();
                    (BrokenFile { cause: BrokenCause::NotObject, detail, help }, Some(root.span))
                }
                Err(error) => {
                    let span = Span::new(source, error.at, error.at);
                    (BrokenFile { cause: BrokenCause::Invalid, detail: error.message, help: error.help }, Some(span))
                }
            }
        }
        Err(FileError::Missing) => return Ok(None),
        Err(FileError::Unreadable { why, help }) => {
            (BrokenFile { cause: BrokenCause::Unreadable, detail: why, help: Some(help.to_owned()) }, None)
        }
    };
    let BrokenEffect { message, help, refusal } = effect(broken);
    let note = Diagnostic::new(Code::HW101, message.clone());
    let note = match span {
        Some(span) => note.at(span),
        None => note.in_file(place.display_path(path)),
    };
    loaded.notes.push(note.with_help(help.unwrap_or_else(|| "fix the JSON".to_owned())));
    if let Some(refusal) = refusal {
        refuse(loaded, refusal, span);
    }
    Err(message)
}

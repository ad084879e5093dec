//! Builds the complete object that hooks read from the user's input: a payload, a tool name, or single fields.

use hookbench_core::catalogue::catalogue;
use hookbench_core::names::AgentId;
use serde_json::{Map, Value};

use crate::firing::{older_payload, tool_name};
use hookbench_core::config::{Files, Place};
use hookbench_core::diagnostic::{Code, Diagnostic, Severity};
use hookbench_core::dialects::{self, Agent, Version};
use hookbench_core::hook::{EventSpec, HookInput, PayloadField};
use hookbench_core::port::{TranslatedEvent, mapping, nearest_event, parse_patch};
use hookbench_core::text::{JsonSyntax, SourceMap, is_absolute_path, parse_exact_numbers, parse_with_surrogates};
use hookbench_core::transcript::TranscriptCut;

/// The maximum size of a payload in bytes.
const LARGEST_PAYLOAD: usize = 64 << 20;

/// The user's input. Every field is optional, but an event or a payload that names one is required.
#[derive(Debug, Clone, Default)]
pub struct InputRequest {
    pub agent: Option<AgentId>,
    pub event: Option<String>,
    /// The payload as an object.
    pub payload: Option<Value>,
    pub tool: Option<String>,
    pub tool_input: Option<Value>,
    pub set: Vec<FieldSetting>,
    /// Whether the user must supply the event's subject: a payload without it is rejected, and subject keys that a
    /// template adds are listed.
    pub require_subject: bool,
    /// For a recorded event: the transcript that its hooks get, and where to cut it.
    pub transcript: Option<TranscriptCut>,
}

/// The keys that hooks decide by: the tool, its input, and the user's prompt.
const SUBJECT_KEYS: [&str; 3] = ["tool_name", "tool_input", "prompt"];

/// One field to set, to JSON or plain text. The path is dotted or, if it begins with `/`, a JSON pointer (RFC
/// 6901), which can also reach keys that contain dots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldSetting {
    pub path: String,
    pub text: String,
}

/// The complete input.
#[derive(Debug, Clone)]
pub struct BuiltInput {
    pub dialect: &'static Agent,
    pub event: &'static EventSpec,
    pub input: HookInput,
    /// Keys that the payload lacked and that were filled in from the template.
    pub filled: Vec<String>,
    pub diagnostics: Vec<Diagnostic>,
    /// The transcript of a recorded event, and where to cut it.
    pub transcript: Option<TranscriptCut>,
}

impl BuiltInput {
    /// The same event as another agent gets it, without a transcript.
    pub(crate) fn translated(self, dialect: &'static Agent, moved: TranslatedEvent) -> BuiltInput {
        let TranslatedEvent { event, input, filled, .. } = moved;
        BuiltInput { dialect, event, input, filled, diagnostics: self.diagnostics, transcript: None }
    }
}

/// Errors that prevent building the input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    #[error("{name}:{line}:{column}: the payload is not JSON: {message}{}", help.as_ref().map(|h| format!("\n  help: {h}")).unwrap_or_default())]
    NotJson { name: String, line: u32, column: u32, message: String, help: Option<String> },
    #[error(
        "{name}: the payload is {found}, but it must be a JSON object\n  help: give the whole object that a hook reads on stdin"
    )]
    NotAnObject { name: String, found: &'static str },
    #[error("{name}: the payload is over 64 MiB\n  help: agents never send that much; is this the right file?")]
    TooLarge { name: String },
    #[error("{name}: the payload is not UTF-8 (first bad byte at offset {at})\n  help: save it as UTF-8")]
    NotUtf8 { name: String, at: usize },
    #[error("{agent} has no event \"{event}\"{}\n  help: hookbench events lists them", nearest.as_ref().map(|n| format!("; did you mean {n}?")).unwrap_or_default())]
    UnknownEvent { agent: String, event: String, nearest: Option<String>, from_payload: bool },
    #[error(
        "{}\n  help: hookbench events lists them",
        if *in_payload {
            "the payload has no \"hook_event_name\", so its event is unknown: add the key, or name the event"
        } else {
            "the event is missing: name one, or give a payload with \"hook_event_name\""
        }
    )]
    NoEvent { in_payload: bool },
    #[error("hookbench cannot tell which agent sends this payload\n  help: name the agent with --agent")]
    UnknownPayload,
    #[error(
        "the payload has no {}, and hookbench does not invent one\n  help: add it to the payload, or give it with {help}",
        quoted_keys(missing)
    )]
    NoSubject { missing: Vec<&'static str>, help: &'static str },
    #[error(
        "the payload is of {in_payload}, but you asked for {asked}\n  help: leave out {asked}, or write it as \"hook_event_name\" of the payload"
    )]
    OtherEvent { in_payload: String, asked: String },
    #[error("{event} has no tool, so --tool and --input do not apply\n  help: use --set for its own fields")]
    NoTool { event: String },
    #[error("cannot set {path}: {why}")]
    BadSetting { path: String, why: String },
}

impl InputError {
    /// Returns whether the problem is in the payload file itself rather than in the command-line arguments.
    pub fn in_payload(&self) -> bool {
        match self {
            InputError::UnknownEvent { from_payload, .. } => *from_payload,
            InputError::NoEvent { in_payload } => *in_payload,
            InputError::BadSetting { .. } | InputError::NoTool { .. } | InputError::OtherEvent { .. } => false,
            _ => true,
        }
    }
}

/// Parses a payload: one JSON object. A byte-order mark is skipped, since some editors write one.
///
/// # Errors
/// Returns an error if the payload is too large, not UTF-8, not JSON or not an object; the message calls it `name`.
pub fn read_payload(name: &str, bytes: &[u8]) -> Result<Value, InputError> {
    let name = name.to_owned();
    if bytes.len() > LARGEST_PAYLOAD {
        return Err(InputError::TooLarge { name });
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(why) => return Err(InputError::NotUtf8 { name, at: why.valid_up_to() }),
    };
    let syntax = JsonSyntax { bom: true, ..JsonSyntax::default() };
    match parse_with_surrogates(text, syntax) {
        Err(why) => {
            let mut sources = SourceMap::default();
            let id = sources.add(name.clone(), name.clone(), text);
            let at = sources.position(id, why.at);
            Err(InputError::NotJson { name, line: at.line, column: at.column, message: why.message, help: why.help })
        }
        Ok(node) if node.members().is_none() => Err(InputError::NotAnObject { name, found: node.kind() }),
        Ok(node) => Ok(node.to_exact_value(text)),
    }
}

/// Completes a request to the object that hooks would read.
///
/// # Errors
/// Returns an error if the agent or the event cannot be determined, or if a field cannot be set.
pub fn build_input(
    request: &InputRequest,
    place: &Place,
    files: &dyn Files,
    version_of: &dyn Fn(&'static str) -> Version,
) -> Result<BuiltInput, InputError> {
    let (modern, mut diagnostics) = older_payload::modernize(request, place, version_of);
    let request = modern.as_ref().unwrap_or(request);
    let named = request.payload.as_ref().and_then(|payload| event_name(request, payload));
    let dialect = select_dialect(request, named)?;
    let version = version_of(dialect.id().as_str());
    let name =
        request.event.as_deref().or(named).ok_or(InputError::NoEvent { in_payload: request.payload.is_some() })?;
    let old = event_by_old_name(dialect, &version, name);
    let event = dialects::find_event(dialect, &version, name).or(old).ok_or_else(|| InputError::UnknownEvent {
        agent: dialect.name().to_owned(),
        event: name.to_owned(),
        nearest: nearest_event(dialect, &version, name),
        from_payload: request.event.is_none(),
    })?;
    let held = request.payload.as_ref().and_then(|payload| dialect.held_payload(event.name, payload));
    let held = held.map(|payload| InputRequest { payload: Some(payload), ..request.clone() });
    let request = held.as_ref().unwrap_or(request);
    let main = dialect.main_spelling(event.name);
    let (event, name) = match dialects::find_event(dialect, &version, main) {
        Some(main) if main != event => (main, main.name),
        _ => (event, name),
    };
    if request.tool.is_some() && event.subject != Some("tool_name") {
        return Err(InputError::NoTool { event: event.name.to_owned() });
    }
    if event.name != name {
        let says = format!("{name} is an old name of {}, so {0} is fired", event.name);
        diagnostics.push(Diagnostic::lowered(Code::PayloadEvent, Severity::Info, says));
    }
    if let Some(other) = named.filter(|n| dialect.main_spelling(n) != name) {
        let of_payload = dialects::find_event(dialect, &version, other).or(event_by_old_name(dialect, &version, other));
        // Without a name, the event is only a guess from the keys.
        let is_named = request.payload.as_ref().is_some_and(|payload| payload.get("hook_event_name").is_some());
        if request.require_subject
            && is_named
            && of_payload.is_some_and(|of| dialect.main_spelling(of.name) != event.name)
        {
            return Err(InputError::OtherEvent { in_payload: other.to_owned(), asked: name.to_owned() });
        }
        let says = format!("the payload has hook_event_name \"{other}\", but you asked for {name}, which is fired");
        diagnostics.push(Diagnostic::new(Code::PayloadEvent, says));
    }
    let tool = request.tool.as_deref().map(|given| tool_name::resolve_tool_name(dialect, given));
    let (tool, note) = tool.map_or((None, None), |(tool, note)| (Some(tool), note));
    diagnostics.extend(note);
    let mut body = start_body(request, tool.as_ref(), dialect, event, place, &version);
    body.insert("hook_event_name".to_owned(), Value::from(event.name));
    for setting in &request.set {
        set_field(&mut body, setting)?;
    }
    let given = Value::Object(body);
    let mut given = dialect.held_payload(event.name, &given).unwrap_or(given);
    if request.require_subject && request.payload.is_some() {
        check_subject(event, &given)?;
    }
    dialect.normalize_numbers(&mut given);
    let missing = dialect.missing_keys(event, &given, place, &version);
    let from_template = request.payload.is_none();
    let mut filled: Vec<String> = Vec::new();
    let mut whole = Map::new();
    for (key, value) in missing {
        if given.get(&key).is_none() {
            filled.push(key.clone());
            whole.insert(key, value);
        }
    }
    if let Value::Object(given) = given {
        whole.extend(given);
    }
    if from_template {
        filled = if request.require_subject { template_subject_keys(request, event, &whole) } else { Vec::new() };
    }
    for field in event.fields {
        if let Some(says) = whole.get(field.name).and_then(|value| field_problem(field, value)) {
            diagnostics.push(Diagnostic::new(Code::PayloadType, format!("{} {says}", field.name)));
        }
    }
    check_cwd(&mut whole, place, files, &mut diagnostics);
    let body = Value::Object(whole);
    diagnostics.extend(patch_note(dialect, &body));
    diagnostics.extend(older_payload::size_note(&body));
    let names = |cut: &&TranscriptCut| {
        body.get("transcript_path").and_then(Value::as_str) == Some(&cut.path) && files.executable(&cut.path).is_some()
    };
    let transcript = request.transcript.as_ref().filter(names).cloned();
    if let Some(cut) = &transcript {
        let says = format!("hooks get a copy of {} that ends at this event", cut.path);
        diagnostics.push(Diagnostic::new(Code::PayloadTranscript, says));
    }
    let subject = dialect.subject(event, &body, &version);
    let input = HookInput { event: event.name.to_owned(), subject, body };
    Ok(BuiltInput { dialect, event, input, filled, diagnostics, transcript })
}

/// A note about a patch that names no file. It is delivered, but rules about files find none in it.
fn patch_note(dialect: &Agent, body: &Value) -> Option<Diagnostic> {
    let (agent, tool) = (dialect.id(), body.get("tool_name")?.as_str()?);
    let canonical = catalogue().resolve(tool, catalogue().agent(agent.as_str())?).canonical;
    let key = mapping().tool(canonical)?.patch.get(agent.as_str())?;
    let text = body.get("tool_input")?.get(key)?.as_str()?;
    if !parse_patch(text).is_empty() {
        return None;
    }
    let says = format!("tool_input.{key} of {tool} is not a patch that names a file, so guards check no file");
    Some(Diagnostic::new(Code::PayloadType, says))
}

/// The name of a payload's event: the one in it, or else the one that its agent recognises.
fn event_name<'a>(request: &InputRequest, payload: &'a Value) -> Option<&'a str> {
    let named = payload.get("hook_event_name").and_then(Value::as_str);
    named.or_else(|| {
        let dialect = match request.agent {
            Some(id) => dialects::by_id(id.as_str()),
            None => dialects::recognise(payload),
        };
        Some(dialect?.event_of(payload)?.name)
    })
}

/// The agent's event that had this name in old configurations.
fn event_by_old_name(dialect: &Agent, version: &Version, name: &str) -> Option<&'static EventSpec> {
    if let Some(event) = dialect.event_by_spelling(name) {
        return Some(event);
    }
    let row = mapping().row(name).filter(|row| row.canonical != name)?;
    dialects::find_event(dialect, version, row.events.get(dialect.id().as_str())?)
}

/// Rejects a payload without the keys of the event's subject.
fn check_subject(event: &EventSpec, given: &Value) -> Result<(), InputError> {
    let absent = |key: &str| given.get(key).is_none_or(Value::is_null);
    let needed = event.fields.iter().filter(|field| !field.optional && SUBJECT_KEYS.contains(&field.name));
    let missing: Vec<&'static str> = needed.map(|field| field.name).filter(|key| absent(key)).collect();
    let help = match missing.first() {
        None => return Ok(()),
        Some(&"tool_name") => "--tool NAME and --input JSON",
        Some(&"tool_input") => "--input JSON",
        Some(_) => "--set prompt=TEXT",
    };
    Err(InputError::NoSubject { missing, help })
}

/// The subject keys that came from the template rather than from the user.
fn template_subject_keys(request: &InputRequest, event: &EventSpec, whole: &Map<String, Value>) -> Vec<String> {
    let set = |key: &str| request.set.iter().any(|setting| path_keys(&setting.path).first().is_some_and(|k| k == key));
    let given = |key: &str| match key {
        "tool_name" => request.tool.is_some(),
        "tool_input" => {
            let empty = whole.get(key).and_then(Value::as_object).is_some_and(Map::is_empty);
            request.tool_input.is_some() || (request.tool.is_some() && empty)
        }
        _ => false,
    };
    let about = |key: &str| event.subject == Some(key) || SUBJECT_KEYS.contains(&key);
    whole.keys().filter(|key| about(key) && !given(key) && !set(key)).cloned().collect()
}

fn quoted_keys(keys: &[&str]) -> String {
    keys.iter().map(|key| format!("\"{key}\"")).collect::<Vec<_>>().join(" and no ")
}

fn select_dialect(request: &InputRequest, named: Option<&str>) -> Result<&'static Agent, InputError> {
    if let Some(id) = request.agent {
        return dialects::by_id(id.as_str()).ok_or(InputError::UnknownPayload);
    }
    if let Some(payload) = &request.payload {
        if let Some(dialect) = dialects::recognise(payload) {
            return Ok(dialect);
        }
        if named.is_some() && request.event.is_none() {
            return Err(InputError::UnknownPayload);
        }
    }
    // An event without a payload: use the first agent that has it.
    let name =
        request.event.as_deref().or(named).ok_or(InputError::NoEvent { in_payload: request.payload.is_some() })?;
    let has = |d: &&'static Agent| {
        let version = dialects::default_version(d);
        dialects::find_event(d, &version, name).is_some() || event_by_old_name(d, &version, name).is_some()
    };
    dialects::released().find(has).or_else(|| dialects::ALL.first().copied()).ok_or(InputError::UnknownPayload)
}

/// The payload, or else the template that fits the tool best, with the tool and its input inserted.
fn start_body(
    request: &InputRequest,
    tool: Option<&String>,
    dialect: &Agent,
    event: &EventSpec,
    place: &Place,
    version: &Version,
) -> Map<String, Value> {
    let mut body = match &request.payload {
        Some(payload) => payload.clone(),
        None => {
            let examples = dialect.examples(event, place, version);
            let of_tool =
                |tool| examples.iter().find(|e| dialect.subject(event, &e.body, version).value.as_ref() == Some(tool));
            let example = tool.and_then(of_tool).or(examples.first());
            example.map_or_else(|| Value::Object(Map::new()), |e| e.body.clone())
        }
    };
    let map = body.as_object_mut().map(std::mem::take).unwrap_or_default();
    let mut map = map;
    if tool.is_some() || request.tool_input.is_some() {
        let same = |key: &str| map.get(key).cloned();
        let tool = tool.cloned().map_or_else(|| same("tool_name").unwrap_or(Value::Null), Value::from);
        let known = same("tool_name") == Some(tool.clone());
        let empty = || Value::Object(Map::new());
        let input =
            request.tool_input.clone().or_else(|| if known { same("tool_input") } else { None }).unwrap_or_else(empty);
        for (key, value) in dialect.tool_body(tool.as_str().unwrap_or(""), input) {
            map.insert(key, value);
        }
    }
    map
}

/// Splits a path into keys, at its dots or as a JSON pointer.
fn path_keys(path: &str) -> Vec<String> {
    match path.strip_prefix('/') {
        Some(pointer) => pointer.split('/').map(|key| key.replace("~1", "/").replace("~0", "~")).collect(),
        None => path.split('.').map(str::to_owned).collect(),
    }
}

/// Sets `a.b.2` or `/a/b/2` to a JSON value, or to plain text if the text is not JSON. Creates missing objects on
/// the way.
fn set_field(body: &mut Map<String, Value>, setting: &FieldSetting) -> Result<(), InputError> {
    let bad = |why: String| InputError::BadSetting { path: setting.path.clone(), why };
    let value = parse_exact_numbers(&setting.text).unwrap_or_else(|_| Value::from(setting.text.as_str()));
    let mut keys = path_keys(&setting.path).into_iter();
    let first = keys.next().filter(|k| !k.is_empty()).ok_or_else(|| bad("the path is empty".to_owned()))?;
    if first == "hook_event_name" {
        return Err(bad("name the event as an argument instead".to_owned()));
    }
    let mut at = body.entry(first).or_insert(Value::Null);
    for key in keys {
        at = match at {
            Value::Array(items) => {
                let length = items.len();
                let found = key.parse::<usize>().ok().and_then(|index| items.get_mut(index));
                found.ok_or_else(|| bad(format!("the list has {length} items, but no item \"{key}\"")))?
            }
            Value::Null => {
                *at = Value::Object(Map::new());
                let Value::Object(map) = at else { continue };
                map.entry(key).or_insert(Value::Null)
            }
            Value::Object(map) => map.entry(key).or_insert(Value::Null),
            other => return Err(bad(format!("{other} does not contain \"{key}\""))),
        };
    }
    *at = value;
    Ok(())
}

/// Replaces a `cwd` that does not exist by the project directory, because a process cannot start in it.
fn check_cwd(body: &mut Map<String, Value>, place: &Place, files: &dyn Files, notes: &mut Vec<Diagnostic>) {
    let Some(cwd) = body.get("cwd") else { return };
    let is_directory = |dir: &str| files.exists(dir) && files.executable(dir).is_none();
    let there = cwd.as_str().is_some_and(|dir| is_absolute_path(dir) && is_directory(dir));
    if there {
        return;
    }
    let says = format!("the cwd {cwd} in the payload is not a directory here; the project directory is used instead");
    notes.push(Diagnostic::new(Code::PayloadCwd, says));
    body.insert("cwd".to_owned(), Value::from(place.native_path(&place.project)));
}

/// Describes how a value does not fit its field, phrased to follow the key; `None` if it fits. A hook can still be
/// tried with it.
pub fn field_problem(field: &PayloadField, value: &Value) -> Option<String> {
    let kind = kind_of(value);
    if field.kind != "any" && field.kind != kind && !(field.optional && value.is_null()) {
        return Some(format!("is {} here; the agent sends {}", with_article(kind), with_article(field.kind)));
    }
    let text = value.as_str()?;
    (!field.values.is_empty() && !field.values.contains(&text))
        .then(|| format!("must be one of {}", field.values.join(", ")))
}

/// The kind of a JSON value, in the words of [`PayloadField`].
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

fn with_article(kind: &str) -> String {
    match kind {
        "null" => kind.to_owned(),
        "object" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

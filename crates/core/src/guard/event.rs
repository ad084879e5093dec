//! A payload as the rules read it.

use serde_json::Value;

use super::rule::{GuardFile, Surroundings, ToolKind, TranscriptEnd};
use crate::catalogue::{AgentTools, catalogue};
use crate::dialects::{self, Agent, held_payload};
use crate::live::wire_event;
use crate::port::{PatchChange, parse_patch};
use crate::text::{is_absolute_path, normalize_path};

/// An event that a guard checks.
pub struct GuardEvent<'a> {
    pub body: &'a Value,
    pub dialect: &'static Agent,
    pub tools: &'static AgentTools,
    /// The wire name of the event.
    pub event: String,
    pub tool: Option<ToolKind>,
    pub tool_name: Option<&'a str>,
    /// The tool's input.
    pub input: Option<&'a Value>,
    /// The working directory.
    pub cwd: String,
    /// The project's directory.
    pub project: String,
    pub session: Option<&'a str>,
}

/// Returns the first of these keys that is present and not null.
fn first<'a>(body: &'a Value, keys: &[&str]) -> Option<&'a Value> {
    keys.iter().find_map(|key| body.get(*key).filter(|value| !value.is_null()))
}

/// A payload as guards read it: that of an agent that nests the call in it has the keys that hookbench holds, and several
/// commands of the shell are one text, each in a line.
pub fn readable(body: Value, agent: Option<&'static Agent>) -> Value {
    if first(&body, &["hook_event_name", "tool_name", "toolName", "tool", "event"]).is_some() {
        return body;
    }
    let Some(dialect) = agent.or_else(|| dialects::recognise(&body)) else { return body };
    let mut held = held_payload(dialect, body);
    if let Some(Value::Object(input)) = held.get_mut("tool_input") {
        let lists = dialect.live_format().input.command.iter().find_map(|key| input.get(*key)?.as_array());
        let lines = lists.map(|list| list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"));
        input.extend(lines.map(|lines| ("command".to_owned(), Value::from(lines))));
    }
    held
}

impl<'a> GuardEvent<'a> {
    /// Reads a payload. The agent is the named one, else the one that sends such payloads. `None` if the catalogue
    /// does not know the agent's tools. `project` is the project's directory if the caller knows it.
    pub fn read(body: &'a Value, agent: Option<&'static Agent>, project: Option<&str>) -> Option<GuardEvent<'a>> {
        let dialect = agent.or_else(|| dialects::recognise(body)).unwrap_or(dialects::DEFAULT);
        let tools = catalogue().agent(dialect.id().as_str())?;
        let text = |keys: &[&str]| first(body, keys).and_then(Value::as_str);
        let named = text(&["hook_event_name", "event"]);
        let named = named.or_else(|| Some(dialect.event_of(body)?.name)).unwrap_or_default();
        let event = wire_event(Some(dialect.live_format()), named);
        let tool_name = text(&["tool_name", "toolName", "tool"]);
        let cwd = text(&["cwd"]).filter(|path| is_absolute_path(path)).unwrap_or("/").to_owned();
        Some(GuardEvent {
            body,
            dialect,
            tools,
            event,
            tool: tool_name.map(|name| ToolKind::of(name, tools)),
            tool_name,
            input: first(body, &["tool_input", "toolArgs", "args", "params"]).filter(|input| input.is_object()),
            project: project.filter(|path| is_absolute_path(path)).unwrap_or(&cwd).to_owned(),
            cwd,
            session: text(&["session_id", "sessionId", "taskId"]).filter(|id| is_session_id(id)),
        })
    }

    /// Whether the agent shows a `systemMessage` of a hook of this event to its user.
    pub fn shows_messages(&self) -> bool {
        let version = dialects::default_version(self.dialect);
        let named = first(self.body, &["hook_event_name", "event"]).and_then(Value::as_str);
        let event = named.and_then(|name| dialects::find_event(self.dialect, &version, name));
        event.is_some_and(|event| event.honoured_output.contains(&"/systemMessage"))
    }

    /// Returns a text of the payload.
    pub fn text(&self, keys: &[&str]) -> Option<&'a str> {
        first(self.body, keys).and_then(Value::as_str)
    }

    /// Returns the id of the tool call.
    pub fn call_id(&self) -> Option<&'a str> {
        self.text(&["tool_use_id", "tool_call_id", "callId"])
    }

    /// Returns the command of a shell tool.
    pub fn command(&self) -> Option<&'a str> {
        let input = self.input.filter(|_| self.tool == Some(ToolKind::Shell))?;
        input.get("command").and_then(Value::as_str)
    }

    /// Returns the changes of files that the tool call makes.
    pub fn changes(&self, around: &dyn Surroundings) -> Vec<ContentChange> {
        match (self.tool, self.input) {
            (Some(kind), Some(input)) => changes(kind, input, &self.cwd, around),
            _ => Vec::new(),
        }
    }

    /// Returns the message with which the turn ends, if the payload has it.
    pub fn last_message(&self) -> Option<&'a str> {
        self.text(&["last_assistant_message", "prompt_response", "final_message", "response"])
    }

    /// Reads the end of the transcript that the payload names. `None` if it names none: an agent may write the file of a
    /// session later than the event, so a file that it does not name proves nothing.
    pub fn transcript(&self, around: &dyn Surroundings) -> Option<TranscriptEnd> {
        let path = self.text(&["transcript_path", "transcriptPath"]);
        let path = path.filter(|path| !path.is_empty() && !path.contains('\0'))?;
        around.transcript(&if is_absolute_path(path) { path.to_owned() } else { format!("{}/{path}", self.cwd) })
    }

    /// Returns a path relative to the project, for messages.
    pub fn shown(&self, path: &str) -> String {
        let inside = path.strip_prefix(self.project.as_str()).and_then(|rest| rest.strip_prefix('/'));
        inside.unwrap_or(path).to_owned()
    }

    /// Whether a path is inside the project.
    pub fn is_in_project(&self, path: &str) -> bool {
        self.project != "/" && path.strip_prefix(self.project.as_str()).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// Whether a session's id may become part of a path.
fn is_session_id(id: &str) -> bool {
    (1..=128).contains(&id.len())
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
        && !id.bytes().all(|b| b == b'.')
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentChange {
    /// As the tool's input has it.
    pub path: String,
    /// Absolute, without `.` and `..`.
    pub absolute: String,
    pub old: String,
    pub new: String,
    /// Whether the file exists.
    pub exists: bool,
    /// Whether a text to replace is not in the existing file. Then `old` and `new` are the fragments.
    pub not_found: bool,
    /// Whether the file is replaced as a whole.
    pub whole: bool,
    /// The number of lines that the call changes.
    pub changed_lines: usize,
}

impl ContentChange {
    /// The last part of the path.
    pub fn base_name(&self) -> &str {
        base_name(&self.absolute)
    }
}

/// Returns the last part of a path.
pub fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Keys of a path in a tool's input, of any agent.
const PATH_KEYS: [&str; 5] = ["file_path", "absolute_path", "notebook_path", "path", "dir_path"];
/// Keys of a whole content, and of the texts of a replacement.
const CONTENT_KEYS: [&str; 2] = ["content", "file_text"];
const OLD_KEYS: [&str; 2] = ["old_string", "old_str"];
const NEW_KEYS: [&str; 2] = ["new_string", "new_str"];
const EVERY_KEYS: [&str; 2] = ["replace_all", "change_all"];

/// Returns the text under the first of these keys that has one.
fn text_of<'a>(input: &'a Value, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| input.get(*key)?.as_str())
}

/// Returns the path in a tool's input.
pub fn path_of(input: &Value) -> Option<&str> {
    text_of(input, &PATH_KEYS)
}

/// Returns the patch in a tool's input.
pub fn patch_of(input: &Value) -> Option<&str> {
    let texts = ["command", "patch", "input"].iter().filter_map(|key| input.get(*key)?.as_str());
    texts.into_iter().find(|text| text.contains("*** Begin Patch"))
}

/// Makes a path absolute and removes `.` and `..`.
pub fn absolute(path: &str, base: &str, home: &str) -> String {
    let joined = match path.strip_prefix("~/") {
        Some(rest) => format!("{home}/{rest}"),
        None if is_absolute_path(path) => path.to_owned(),
        None => format!("{base}/{path}"),
    };
    normalize_path(&joined)
}

/// Returns the changes that a tool call makes. `base` is the directory of relative paths.
pub fn changes(kind: ToolKind, input: &Value, base: &str, around: &dyn Surroundings) -> Vec<ContentChange> {
    if kind != ToolKind::Shell
        && let Some(patch) = patch_of(input)
    {
        return parse_patch(patch).into_iter().filter_map(|change| patched(change, base, around)).collect();
    }
    let Some(path) = path_of(input) else { return Vec::new() };
    let change = FileReader { path, absolute: absolute(path, base, around.home()), around };
    match kind {
        ToolKind::Write => text_of(input, &CONTENT_KEYS).map(|new| change.write(new)).into_iter().collect(),
        ToolKind::Notebook => text_of(input, &["new_source"]).map(|new| change.fragment("", new)).into_iter().collect(),
        ToolKind::Edit => change.edit(&edits(input)).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// One replacement: old text, new text, whether all occurrences are replaced.
type Replacement<'a> = (&'a str, &'a str, bool);

fn edits(input: &Value) -> Vec<Replacement<'_>> {
    let list: Vec<&Value> = match input.get("edits").and_then(Value::as_array) {
        Some(list) => list.iter().collect(),
        None => vec![input],
    };
    list.into_iter()
        .filter_map(|edit| {
            let new = text_of(edit, &NEW_KEYS)?;
            let every = EVERY_KEYS.iter().any(|key| edit.get(*key).and_then(Value::as_bool) == Some(true));
            Some((text_of(edit, &OLD_KEYS).unwrap_or(""), new, every))
        })
        .collect()
}

struct FileReader<'a> {
    path: &'a str,
    absolute: String,
    around: &'a dyn Surroundings,
}

impl FileReader<'_> {
    fn change(&self, old: String, new: String, exists: bool) -> ContentChange {
        ContentChange {
            path: self.path.to_owned(),
            absolute: self.absolute.clone(),
            old,
            new,
            exists,
            not_found: false,
            whole: false,
            changed_lines: 0,
        }
    }

    fn write(&self, new: &str) -> ContentChange {
        let (old, exists) = match self.around.file(&self.absolute) {
            GuardFile::Text(text) => (text, true),
            GuardFile::Missing => (String::new(), false),
            GuardFile::Unreadable => (String::new(), true),
        };
        let change = self.change(old, new.to_owned(), exists);
        ContentChange { whole: true, changed_lines: line_count(new), ..change }
    }

    fn fragment(&self, old: &str, new: &str) -> ContentChange {
        let exists = self.around.file(&self.absolute) != GuardFile::Missing;
        let change = self.change(old.to_owned(), new.to_owned(), exists);
        ContentChange { changed_lines: line_count(old).max(line_count(new)), ..change }
    }

    fn edit(&self, edits: &[Replacement<'_>]) -> Option<ContentChange> {
        let (old, new): (Vec<&str>, Vec<&str>) = edits.iter().map(|(old, new, _)| (*old, *new)).unzip();
        let fragments = self.fragment(&old.join("\n"), &new.join("\n"));
        if edits.is_empty() {
            return None;
        }
        let GuardFile::Text(file) = self.around.file(&self.absolute) else { return Some(fragments) };
        let mut text = file.clone();
        for (old, new, all) in edits {
            if old.is_empty() || !text.contains(old) {
                return Some(ContentChange { not_found: !old.is_empty(), ..fragments });
            }
            text = if *all { text.replace(old, new) } else { text.replacen(old, new, 1) };
        }
        Some(ContentChange { old: file, new: text, ..fragments })
    }
}

/// Returns the number of lines, as `str::lines` counts them. Many times as fast, which counts for a whole file.
fn line_count(text: &str) -> usize {
    let last = usize::from(!text.is_empty() && !text.ends_with('\n'));
    memchr::memchr_iter(b'\n', text.as_bytes()).count() + last
}

fn patched(change: PatchChange, base: &str, around: &dyn Surroundings) -> Option<ContentChange> {
    let reader = |path: &str| absolute(path, base, around.home());
    match change {
        PatchChange::Write { path, content } => {
            Some(FileReader { absolute: reader(&path), path: &path, around }.write(&content))
        }
        PatchChange::Edit { path, old, new } => {
            let change = FileReader { absolute: reader(&path), path: &path, around }.edit(&[(&old, &new, false)])?;
            // A patch finds its place with fewer lines than it shows, so a text that differs proves nothing.
            Some(ContentChange { not_found: false, ..change })
        }
        PatchChange::Delete { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::line_count;

    #[test]
    fn lines_are_counted_as_str_does() {
        for text in ["", "\n", "a", "a\n", "a\nb", "a\r\nb\r\n", "\n\n", "a\n\nb\r", "\r"] {
            assert_eq!(line_count(text), text.lines().count(), "{text:?}");
        }
    }
}

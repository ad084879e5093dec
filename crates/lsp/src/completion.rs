//! Completion in settings: events, matchers, keys, values, variables and script paths; in scripts the keys of the payload.

use std::collections::BTreeMap;

use hookbench_app::{AgentState, SubjectCounts, key_paths};
use hookbench_core::config::Files as _;
use hookbench_core::dialects::find_event;
use hookbench_core::dialects::settings_format::{FileForm, FileLanguage, PROJECT};
use hookbench_core::hook::Layer;
use hookbench_core::matching::NameOrigin;
use hookbench_core::text::normalize_path;
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, MarkupContent, MarkupKind, Position,
    TextEdit,
};
use serde_json::{Value, json};

use crate::cursor::{Cursor, Slot};
use crate::document_view::DocumentView;
use crate::explanations::explain_event;
use crate::request_error::{RequestError, parse};
use crate::root::PlacedHook;

/// The proposals for the text at a position.
pub fn completion(view: &DocumentView<'_>, params: &Value) -> Result<Value, RequestError> {
    let position: Position = parse(params.get("position").cloned().unwrap_or_default())?;
    let offset = view.lines.offset(position);
    let items = match view.reader() {
        Some(agent) => in_settings(view, agent, offset),
        None => in_script(view, offset),
    };
    Ok(json!(items.unwrap_or_default()))
}

/// A text that can be typed, before its place is known.
struct Proposal {
    label: String,
    detail: String,
    documentation: Option<String>,
    kind: CompletionItemKind,
}

impl Proposal {
    fn new(label: impl Into<String>, detail: impl Into<String>, kind: CompletionItemKind) -> Proposal {
        Proposal { label: label.into(), detail: detail.into(), documentation: None, kind }
    }

    /// The item that replaces the text from `start` to `end` with the label between the texts `around`.
    fn item(self, view: &DocumentView<'_>, start: usize, end: usize, around: (&str, &str)) -> CompletionItem {
        let new_text = format!("{}{}{}", around.0, self.label, around.1);
        let documentation = self
            .documentation
            .map(|value| Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value }));
        CompletionItem {
            filter_text: Some(self.label.clone()),
            label: self.label,
            kind: Some(self.kind),
            detail: Some(self.detail).filter(|detail| !detail.is_empty()),
            documentation,
            text_edit: Some(CompletionTextEdit::Edit(TextEdit { range: view.lines.range(start, end), new_text })),
            ..CompletionItem::default()
        }
    }
}

/// A part of settings, as far as the keys around a cursor tell.
enum Part {
    /// The file itself.
    File,
    Events,
    /// A group of an event: a matcher and its handlers.
    Group(String),
    /// A handler of an event. In a list of handlers, it names its event itself.
    Handler(Option<String>),
}

/// The settings of one agent, in one form.
struct SettingsText<'a> {
    agent: &'a AgentState,
    form: FileForm,
}

fn in_settings(view: &DocumentView<'_>, agent: &AgentState, offset: usize) -> Option<Vec<CompletionItem>> {
    let language = FileLanguage::of_path(view.path);
    let layers = [Layer::User, Layer::Project, Layer::Local];
    let mut files = layers.iter().flat_map(|layer| agent.dialect.hook_files(view.root.place(), *layer));
    let form = files
        .find(|file| file.path == view.path)
        .map_or_else(|| agent.dialect.settings_format().form(), |file| file.form);
    let settings = SettingsText { agent, form };
    let cursor = Cursor::find(view.text, offset, language)?;
    let typed = view.text.get(cursor.start..offset)?;
    let part = settings.part(&cursor.keys)?;
    let (proposals, start, is_key) = match &cursor.slot {
        Slot::Key => (settings.keys(&part), cursor.start, true),
        Slot::Value(key) => {
            let (proposals, skipped) = settings.values(view, &part, key, typed)?;
            (proposals, cursor.start + skipped, false)
        }
    };
    let is_quoted = cursor.quote.is_some();
    let around = match (language, is_key) {
        _ if is_quoted => ("", ""),
        (FileLanguage::Json, true) => ("\"", "\": "),
        (FileLanguage::Json | FileLanguage::Toml, false) => ("\"", "\""),
        (FileLanguage::Toml, true) => ("", " = "),
        (FileLanguage::Yaml, true) => ("", ": "),
        (FileLanguage::Yaml, false) => ("", ""),
    };
    Some(proposals.into_iter().map(|proposal| proposal.item(view, start, offset, around)).collect())
}

impl SettingsText<'_> {
    /// The part that these keys lead to. `None` for settings that are not about hooks.
    fn part(&self, keys: &[String]) -> Option<Part> {
        let mut rest = keys.iter().map(String::as_str).peekable();
        let mut inner = Vec::new();
        if !self.form.is_top_level {
            let Some(first) = rest.next() else { return Some(Part::File) };
            if first != "hooks" {
                return None;
            }
        }
        inner.extend(rest);
        if let Some(list) = self.form.list {
            let inner: Vec<&str> = inner.into_iter().skip_while(|key| *key == list.below).collect();
            return Some(match inner[..] {
                [] if list.event.is_empty() => Part::Events,
                [] => Part::Handler(None),
                [event, ..] => Part::Handler(Some(event.to_owned())),
            });
        }
        match inner[..] {
            [] => Some(Part::Events),
            [event] => Some(Part::Group(event.to_owned())),
            [event, "hooks"] => Some(Part::Handler(Some(event.to_owned()))),
            _ => None,
        }
    }

    fn keys(&self, part: &Part) -> Vec<Proposal> {
        let format = self.agent.dialect.settings_format();
        let key = |name: &str, detail: String| Proposal::new(name, detail, CompletionItemKind::PROPERTY);
        match part {
            Part::File => vec![key("hooks", String::new())],
            Part::Events => self.events(),
            Part::Group(_) => ["matcher", "hooks"]
                .into_iter()
                .chain(format.group.iter().copied())
                .map(|name| key(name, String::new()))
                .collect(),
            Part::Handler(_) => {
                let list = self.form.list;
                let own = list.map_or(vec!["type"], |list| vec![list.event, list.matcher, list.name]);
                let mut kinds: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
                // An entry of a list is always a command.
                for handler in format.handlers.iter().filter(|one| list.is_none() || one.kind == "command") {
                    for name in handler.required.iter().chain(handler.optional) {
                        kinds.entry(name).or_default().push(handler.kind);
                    }
                }
                let general = own.into_iter().chain(["timeout"]).chain(format.other_keys.iter().copied());
                let general = general.filter(|name| !name.is_empty()).map(|name| key(name, String::new()));
                general.chain(kinds.iter().map(|(name, kinds)| key(name, kinds.join(", ")))).collect()
            }
        }
    }

    fn events(&self) -> Vec<Proposal> {
        let events = self.agent.dialect.events(&self.agent.version).into_iter();
        let proposal = |event: &'static hookbench_core::hook::EventSpec| Proposal {
            documentation: Some(explain_event(self.agent, event)),
            ..Proposal::new(event.name, event.about, CompletionItemKind::EVENT)
        };
        events.map(proposal).collect()
    }

    /// The values of a key, and the number of typed bytes that stay before them.
    fn values(&self, view: &DocumentView<'_>, part: &Part, key: &str, typed: &str) -> Option<(Vec<Proposal>, usize)> {
        let format = self.agent.dialect.settings_format();
        let list = self.form.list;
        let event = match part {
            Part::Group(event) | Part::Handler(Some(event)) => Some(event.clone()),
            Part::Handler(None) => self.named_event(view, list?.event),
            Part::File | Part::Events => None,
        };
        if list.is_some_and(|list| !list.event.is_empty() && list.event == key) {
            return Some((self.events(), 0));
        }
        if key == list.map_or("matcher", |list| list.matcher) {
            let skipped = typed.rfind(['|', '(', '^']).map_or(0, |at| at + 1);
            return Some((self.names(view, &event?, ""), skipped));
        }
        match key {
            "if" => Some((self.names(view, &event?, "("), 0)),
            "type" => {
                let kinds = format
                    .handlers
                    .iter()
                    .filter(|handler| event.as_ref().is_none_or(|event| (format.runs_on)(handler.kind, event)));
                Some((
                    kinds.map(|handler| Proposal::new(handler.kind, "", CompletionItemKind::ENUM_MEMBER)).collect(),
                    0,
                ))
            }
            _ if matches!(part, Part::Handler(_)) && self.is_command(key) => self.command_words(view, typed),
            _ => None,
        }
    }

    fn is_command(&self, key: &str) -> bool {
        let format = self.agent.dialect.settings_format();
        format.handler("command").is_some_and(|command| command.required.contains(&key))
            || format.other_keys.contains(&key)
    }

    /// The event that a handler of a list names: the first one before or after the cursor that is known.
    fn named_event(&self, view: &DocumentView<'_>, key: &str) -> Option<String> {
        let mut parts = view.text.split(key).skip(1);
        parts.find_map(|rest| {
            let word = rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).find(|word| !word.is_empty())?;
            find_event(self.agent.dialect, &self.agent.version, word).map(|event| event.name.to_owned())
        })
    }

    /// The names that a matcher of an event can match.
    fn names(&self, view: &DocumentView<'_>, event: &str, end: &str) -> Vec<Proposal> {
        let agent = self.agent.dialect.id();
        let session = view.root.session();
        let recorded = SubjectCounts::of_place(session.place());
        let board = session.board((agent.as_str(), event), &|_| false, Some(&recorded), None, &[]);
        let Some((board, column)) = board.as_ref().and_then(|board| Some((board, board.columns.first()?))) else {
            return Vec::new();
        };
        let detail = if column.about_tools() { "tool" } else { column.event.subject.unwrap_or_default() };
        let value = |name: &str, detail| Proposal::new(format!("{name}{end}"), detail, CompletionItemKind::VALUE);
        let known = column.known().iter().map(|(name, _)| value(column.name_in_matchers(name), detail));
        let recorded = board.values.iter().filter(|row| row.from == NameOrigin::Recorded);
        let recorded = recorded.map(|row| value(&row.name, "recorded"));
        let servers = if end.is_empty() { session.server_matchers(self.agent, column) } else { Vec::new() };
        let servers = servers.iter().map(|matcher| value(matcher, "tools of an MCP server"));
        known.chain(recorded).chain(servers).collect()
    }

    /// The variables and the files that can follow what is typed of a command.
    fn command_words(&self, view: &DocumentView<'_>, typed: &str) -> Option<(Vec<Proposal>, usize)> {
        let format = self.agent.dialect.settings_format();
        let word_start = typed.rfind([' ', ';', '&', '|', '=']).map_or(0, |at| at + 1);
        let word = typed.get(word_start..)?;
        if let Some(dollar) = word.rfind('$').filter(|at| !word.get(*at..).unwrap_or("").contains('/')) {
            let is_braced = word.get(dollar + 1..)?.starts_with('{');
            let variables = format.variables.iter().map(|variable| {
                let label = if is_braced { format!("${{{}}}", variable.name) } else { format!("${}", variable.name) };
                Proposal::new(label, variable.meaning, CompletionItemKind::VARIABLE)
            });
            return Some((variables.collect(), word_start + dollar));
        }
        let skipped = word_start + word.rfind(['/', '"', '\'', '\\']).map_or(0, |at| at + 1);
        let directory = self.directory(view, word.rsplit_once('/').map_or("", |(directory, _)| directory))?;
        let files = view.root.overlay().list(&directory).into_iter().filter(|name| !name.starts_with('.'));
        let files = files.map(|name| match view.root.overlay().executable(&format!("{directory}/{name}")) {
            Some(_) => Proposal::new(name, "", CompletionItemKind::FILE),
            None => Proposal::new(format!("{name}/"), "", CompletionItemKind::FOLDER),
        });
        Some((files.collect(), skipped))
    }

    /// The directory that the beginning of a word names. `None` if it begins with a variable other than the project's.
    fn directory(&self, view: &DocumentView<'_>, word: &str) -> Option<String> {
        let plain: String = word.chars().filter(|c| !matches!(c, '"' | '\'' | '\\' | '{' | '}')).collect();
        let project = &view.root.place().project;
        let Some(rest) = plain.strip_prefix('$') else {
            return Some(view.root.place().absolute(project, &plain).trim_end_matches('/').to_owned());
        };
        let (name, below) = rest.split_once('/').unwrap_or((rest, ""));
        (self.agent.dialect.settings_format().meaning(name) == Some(PROJECT))
            .then(|| normalize_path(&format!("{project}/{below}")).trim_end_matches('/').to_owned())
    }
}

/// The keys of the payloads that the hooks of a script receive.
fn in_script(view: &DocumentView<'_>, offset: usize) -> Option<Vec<CompletionItem>> {
    let before = view.text.get(..offset)?;
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let length: usize = before.chars().rev().take_while(|c| is_path(*c)).map(char::len_utf8).sum();
    let (around, typed) = before.split_at_checked(offset - length)?;
    let (parents, word) = typed.rsplit_once('.').unwrap_or(("", typed));
    let is_name = around.ends_with(['"', '\'']) && !typed.contains('.');
    if !is_name && !typed.contains('.') {
        return None;
    }
    let parents: Vec<&str> = parents.split('.').filter(|key| !key.is_empty()).collect();
    let mut events: BTreeMap<String, String> = BTreeMap::new();
    for PlacedHook { agent, definition, .. } in view.root.hooks_of_script(view.path) {
        let Some(event) = find_event(agent.dialect, &agent.version, &definition.event) else { continue };
        for example in agent.dialect.examples(event, view.root.place(), &agent.version) {
            for path in key_paths(&agent.dialect.sent_payload(event.name, &example.body)) {
                // A name in quotes can be a key at any depth.
                let is_next = is_name || path.iter().take(path.len().saturating_sub(1)).eq(parents.iter());
                if let Some(key) = path.last().filter(|_| is_next) {
                    events.entry(key.clone()).or_insert_with(|| event.name.to_owned());
                }
            }
        }
    }
    let start = offset - word.len();
    let items = events.into_iter().map(|(key, event)| {
        let detail = format!("key of {event}");
        Proposal::new(key, detail, CompletionItemKind::FIELD).item(view, start, offset, ("", ""))
    });
    Some(items.collect())
}

//! Conversion of one agent's hooks to another agent: events, matchers, time limits and command lines, a list of
//! what is lost, and a check that plans the catalogue's events under both agents.
//!
//! Nothing is written here: the result is a text for the other agent's settings file, and notes.

mod answers;
mod check;
mod command;
mod edit;
mod handler;
mod matcher;
mod names;
mod note;
mod stops;
mod timeout;
mod twins;

use serde_json::{Map, Value, json};

use crate::config::{FileError, Files, HOOKS_OFF, LayerFile, LayerState, Loaded, Place};
use crate::diagnostic::Severity;
use crate::dialects::event_of;
use crate::hook::{EventSpec, HookDefinition, Layer};
use crate::names::RungName;
use crate::port::{Side, mapping};
use crate::text::{SourceMap, Syntax, parse_json};

pub use answers::{Unread, unread};
pub use check::{Check, Difference, check};
pub use edit::{Addition, NotEditable, Splice, is_blank, splices};
pub use names::{equals, mcp_name};
pub use note::{Fate, Note};
pub use timeout::{Limit, words as time_words};

use matcher::Ported;

/// The source and the target of a conversion.
pub struct Pair<'a> {
    pub from: &'a Side,
    pub to: &'a Side,
}

/// A definition as the other agent's settings express it.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    pub event: String,
    pub matcher: Option<String>,
    /// The keys of the group other than its matcher and its handlers.
    pub group: Map<String, Value>,
    pub handler: Map<String, Value>,
    /// It is already in the settings, or was already written for another definition.
    pub there: bool,
}

/// One definition and its conversion.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The id of the loaded definition.
    pub hook: String,
    pub label: String,
    pub layer: Layer,
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub event: String,
    pub matcher: Option<String>,
    /// `None` if the definition is dropped.
    pub limit: Option<Limit>,
    /// Empty if the definition is dropped.
    pub written: Vec<Written>,
    pub notes: Vec<Note>,
}

/// The conversion of a layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversion {
    pub items: Vec<Item>,
    /// Notes about the layer as a whole.
    pub notes: Vec<Note>,
    /// The other agent's settings file for this layer. An absolute path.
    pub path: String,
    pub layer: Layer,
    /// The current content. `None` if the file does not exist.
    pub before: Option<String>,
    /// The new content.
    pub after: String,
}

/// The reason why nothing can be converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("{0} has no settings of that layer that a user writes")]
    NoLayer(String),
    #[error("{file} cannot be read: {why}")]
    Unreadable { file: String, why: String },
    #[error("{file}:{line}:{column}: {says}; repair it first, nothing was added")]
    NotEditable { file: String, line: usize, column: usize, says: String },
}

impl Conversion {
    /// Whether something is lost.
    pub fn loses(&self) -> bool {
        self.notes.iter().chain(self.items.iter().flat_map(|item| &item.notes)).any(|note| note.loss)
    }

    /// Whether the file changes.
    pub fn changes(&self) -> bool {
        self.items.iter().flat_map(|item| &item.written).any(|written| !written.there)
    }
}

/// Returns the layers that a layer option covers: `project` includes the local settings.
pub fn layers_of(layer: Layer) -> &'static [Layer] {
    match layer {
        Layer::Project => &[Layer::Project, Layer::Local],
        Layer::Local => &[Layer::Local],
        _ => &[Layer::User],
    }
}

/// Converts the definitions of a layer. `loaded` holds the settings of the first agent.
///
/// # Errors
/// Returns an error if hooks cannot be added to the other agent's settings file.
pub fn convert(
    pair: &Pair<'_>,
    loaded: &Loaded,
    layer: Layer,
    place: &Place,
    files: &dyn Files,
) -> Result<Conversion, Refused> {
    let form = pair.to.dialect.form();
    let nearest = (form.file)(place, layer).map(|path| (layer, path));
    let nearest = nearest.or_else(|| (form.file)(place, Layer::Project).map(|path| (Layer::Project, path)));
    let Some((there, path)) = nearest else { return Err(Refused::NoLayer(pair.to.dialect.name().to_owned())) };
    let file = place.show(&path);
    let before = match files.read(&path) {
        Ok(bytes) => Some(
            String::from_utf8(bytes)
                .map_err(|_| Refused::Unreadable { file: file.clone(), why: "it is not UTF-8".to_owned() })?,
        ),
        Err(FileError::Missing) => None,
        Err(FileError::Unreadable { why, .. }) => return Err(Refused::Unreadable { file, why }),
    };
    let refused = |why: NotEditable| Refused::NotEditable {
        file: file.clone(),
        line: why.line,
        column: why.column,
        says: why.says,
    };
    let present = match &before {
        Some(text) => edit::definitions(text, form.syntax).map_err(refused)?,
        None => Vec::new(),
    };
    let mut notes = of_layer(pair, loaded, layer);
    let mut mine: Vec<&HookDefinition> = loaded
        .definitions
        .iter()
        .filter(|d| layers_of(layer).contains(&d.from.layer) && d.from.bundle.is_none())
        .collect();
    // Keep the order in which the files define them.
    mine.sort_by_key(|d| (d.from.span.source, d.from.span.start));
    if there != layer || mine.iter().any(|d| d.from.layer == Layer::Local && there != Layer::Local) {
        let says =
            format!("{} has no local settings: they go to {file}, which others may share", pair.to.dialect.name());
        let local = mine.iter().any(|d| d.from.layer == Layer::Local);
        notes.extend(local.then(|| Note::changed("layer.local", says)));
    }
    // All known definitions, and whether each existed before the conversion.
    let beside = beside(pair.to, there, &path, place, files);
    let mut known: Vec<(Written, bool)> = present.into_iter().chain(beside).map(|written| (written, true)).collect();
    let mut items = Vec::new();
    for definition in mine {
        let mut item = item(pair, definition, loaded);
        for written in &mut item.written {
            let twin = known.iter().rev().find(|(known, _)| same(known, written)).map(|(_, before)| *before);
            written.there = twin.is_some();
            if twin == Some(false) && !item.notes.iter().any(|note| note.code == "handler.repeated") {
                item.notes.push(repeated(pair));
            }
            if twin.is_none() {
                known.push((written.clone(), false));
            }
        }
        items.push(item);
    }
    twins::name(pair, &mut items);
    notes.extend(stops::notes(pair, &items));
    let additions = additions(&items);
    let after = match &before {
        Some(text) => edit::add(text, form.syntax, &additions).map_err(refused)?,
        None => edit::new_file(&additions),
    };
    Ok(Conversion { items, notes, path, layer: there, before, after })
}

fn same(a: &Written, b: &Written) -> bool {
    let matcher = |written: &Written| written.matcher.clone().filter(|m| !m.is_empty() && m != "*");
    (&a.event, matcher(a), &a.group, &a.handler) == (&b.event, matcher(b), &b.group, &b.handler)
}

/// Returns the definitions of a layer that are in files other than `path`.
fn beside(side: &Side, layer: Layer, path: &str, place: &Place, files: &dyn Files) -> Vec<Written> {
    let loaded = side.dialect.load(&side.dialect.form().trusted(place), files, &side.version);
    let here = |d: &&HookDefinition| {
        d.from.layer == layer && d.from.bundle.is_none() && loaded.sources.path(d.from.span.source) != path
    };
    let written = |d: &HookDefinition| {
        let handler = as_written(d, &loaded.sources).as_object()?.clone();
        let group = d.group.as_object().into_iter().flatten().filter(|(key, _)| *key != "matcher");
        Some(Written {
            event: d.event.clone(),
            matcher: d.matcher.as_ref().and_then(Value::as_str).map(str::to_owned),
            group: group.map(|(key, value)| (key.clone(), value.clone())).collect(),
            handler,
            there: true,
        })
    };
    loaded.definitions.iter().filter(here).filter_map(written).collect()
}

/// Notes a handler that is repeated under the same matcher.
fn repeated(pair: &Pair<'_>) -> Note {
    let (from, to) = (pair.from.dialect, pair.to.dialect);
    if from.form().repeats && !to.form().repeats {
        let says = format!("the same hook stands there twice: {} runs it twice, {} once", from.name(), to.name());
        return Note::worse("handler.repeated", says);
    }
    Note::changed("handler.repeated", format!("the same hook stands there twice: it is written once for {}", to.name()))
}

/// Returns notes about broken files and about hooks of other layers.
fn of_layer(pair: &Pair<'_>, loaded: &Loaded, layer: Layer) -> Vec<Note> {
    let mut notes = Vec::new();
    for file in loaded.layers.iter().filter(|l| layers_of(layer).contains(&l.layer) && l.state == LayerState::Broken) {
        notes.push(Note::dropped("file.broken", broken(loaded, file)));
    }
    let mut others: Vec<(&str, usize)> = Vec::new();
    for other in loaded.definitions.iter().filter(|d| !layers_of(layer).contains(&d.from.layer)) {
        match others.iter_mut().find(|(word, _)| *word == other.from.layer.word()) {
            Some((_, count)) => *count += 1,
            None => others.push((other.from.layer.word(), 1)),
        }
    }
    if !others.is_empty() {
        let others: Vec<String> = others.iter().map(|(word, count)| format!("{word} ({count})")).collect();
        let says =
            format!("hooks of other layers of {} stay where they are: {}", pair.from.dialect.name(), others.join(", "));
        notes.push(Note::warned("layer.others", says));
    }
    notes
}

/// Describes the error in a file, with its position and the help text.
fn broken(loaded: &Loaded, file: &LayerFile) -> String {
    let found = loaded.notes.iter().filter(|note| note.severity == Severity::Error).find_map(|note| {
        let (name, at) = note.place(&loaded.sources)?;
        (name == file.file).then_some((note, at))
    });
    let Some((note, at)) = found else {
        return format!("{}: {}", file.file, file.says.as_deref().unwrap_or("it is broken"));
    };
    let at = at.map_or(String::new(), |(line, column)| format!(":{line}:{column}"));
    let help = note.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
    format!("{}{at}: {}{help}", file.file, note.message)
}

/// Returns the handler as its file spells it: some agents expand variables when they read it.
fn as_written(definition: &HookDefinition, sources: &SourceMap) -> Value {
    let syntax = Syntax { comments: true, trailing_commas: false, bom: false };
    let slice = sources.slice(definition.from.span);
    let parsed = parse_json(definition.from.span.source, slice, syntax).map(|node| node.to_value());
    parsed.ok().filter(Value::is_object).unwrap_or_else(|| definition.raw.clone())
}

/// Returns the reason why the agent never runs a definition. A missing approval is not such a reason.
fn never(pair: &Pair<'_>, definition: &HookDefinition, loaded: &Loaded) -> Option<String> {
    let own = definition.refused.as_ref().filter(|r| r.rung != RungName::Trusted).map(|r| r.says.clone());
    let start = loaded.refused.as_ref().map(|r| format!("{} does not start: {}", pair.from.dialect.name(), r.says));
    let off = loaded.settings.get(HOOKS_OFF).and_then(Value::as_str).map(str::to_owned);
    own.or(start).or(off)
}

fn item(pair: &Pair<'_>, definition: &HookDefinition, loaded: &Loaded) -> Item {
    let mut item = Item {
        hook: definition.id.clone(),
        label: definition.label(),
        layer: definition.from.layer,
        file: definition.from.file.clone(),
        line: definition.from.line,
        column: definition.from.column,
        event: definition.event.clone(),
        matcher: definition.matcher.is_some().then(|| definition.matcher_text()),
        limit: None,
        written: Vec::new(),
        notes: Vec::new(),
    };
    if let Some(why) = never(pair, definition, loaded) {
        let says = format!("{} does not run it either: {why}", pair.from.dialect.name());
        item.notes.push(Note::dropped("source.refused", says));
        return item;
    }
    let Some(here) = event_of(pair.from.dialect, &pair.from.version, &definition.event) else {
        let says = format!("{} has no event {}", pair.from.dialect.name(), definition.event);
        item.notes.push(Note::dropped("event.unknown", says));
        return item;
    };
    match event_there(pair, here) {
        Ok(there) => translated(pair, definition, &as_written(definition, &loaded.sources), here, there, &mut item),
        Err(note) => item.notes.push(note),
    }
    item
}

/// Returns the other agent's event for an event.
fn event_there(pair: &Pair<'_>, here: &EventSpec) -> Result<&'static EventSpec, Note> {
    let (from, to) = (pair.from.dialect, pair.to.dialect);
    let row = mapping().row_of(from.id(), here.name);
    let name = row.and_then(|row| row.events.get(to.id()));
    if let Some(there) = name.and_then(|name| event_of(to, &pair.to.version, name)) {
        return Ok(there);
    }
    let about = row.map_or(here.name, |row| row.about.as_str());
    let nearest = row
        .and_then(|row| row.nearest.get(to.id()))
        .map_or_else(String::new, |near| format!("; the nearest is {near}, which is another"));
    Err(Note::dropped("event.no-equal", format!("{} has no event {about}{nearest}", to.name())))
}

fn translated(
    pair: &Pair<'_>,
    definition: &HookDefinition,
    raw: &Value,
    here: &'static EventSpec,
    there: &'static EventSpec,
    item: &mut Item,
) {
    // For a dropped handler, only the reasons for dropping it are reported.
    let (handler, of_handler) = handler::port(pair, raw, here.name, there.name);
    let Some(mut handler) = handler else {
        item.notes.extend(of_handler.into_iter().filter(|note| note.loss));
        return;
    };
    let (matchers, of_matcher) = matcher::port(pair, here, there, definition.matcher.as_ref());
    item.notes.extend(of_matcher);
    let matchers = match matchers {
        Ported::Nothing => return,
        Ported::All => vec![None],
        Ported::Matchers(all) => all.into_iter().map(Some).collect(),
    };
    item.notes.extend(of_handler);
    let group = group(pair, definition, &mut item.notes);
    let kind = definition.handler.kind();
    let given = raw.get("timeout").filter(|t| !t.is_null()).and(definition.timeout);
    let (limit, note) = timeout::port(pair, kind, here.name, there.name, given);
    item.notes.extend(note);
    if let Some(value) = &limit.value {
        handler.insert("timeout".to_owned(), value.clone());
    }
    item.limit = Some(limit);
    item.written = matchers
        .into_iter()
        .map(|matcher| Written {
            event: there.name.to_owned(),
            matcher,
            group: group.clone(),
            handler: handler.clone(),
            there: false,
        })
        .collect();
}

/// Returns the keys of the group that both agents know.
fn group(pair: &Pair<'_>, definition: &HookDefinition, notes: &mut Vec<Note>) -> Map<String, Value> {
    let (from, to) = (pair.from.dialect, pair.to.dialect);
    let mut out = Map::new();
    for (key, value) in definition.group.as_object().into_iter().flatten().filter(|(key, _)| *key != "matcher") {
        let counts = from.form().group.contains(&key.as_str());
        match (counts, to.form().group.contains(&key.as_str())) {
            (true, true) => {
                out.insert(key.clone(), value.clone());
            }
            (true, false) if value == &Value::Bool(true) => {
                let says = format!("{} has no `{key}`: its hooks run side by side", to.name());
                notes.push(Note::worse("group.key", says));
            }
            (true, false) => {}
            (false, _) => {
                let says = format!("{} does not read `{key}` of a group: it is left out", from.name());
                notes.push(Note::changed("group.unread-key", says));
            }
        }
    }
    out
}

/// Returns the groups to add: consecutive definitions with the same matcher and keys share a group.
fn additions(items: &[Item]) -> Vec<Addition> {
    let mut out: Vec<Addition> = Vec::new();
    for written in items.iter().flat_map(|item| &item.written).filter(|written| !written.there) {
        let mut group = Map::new();
        group.extend(written.matcher.as_ref().map(|matcher| ("matcher".to_owned(), Value::from(matcher.as_str()))));
        group.extend(written.group.clone());
        let head = Value::Object(group.clone());
        group.insert("hooks".to_owned(), json!([written.handler]));
        let last = out.iter_mut().rev().find(|one| one.event == written.event).map(|one| &mut one.group);
        if let Some(Value::Object(last)) = last {
            let own: Map<String, Value> =
                last.iter().filter(|(key, _)| *key != "hooks").map(|(k, v)| (k.clone(), v.clone())).collect();
            if Value::Object(own) == head
                && let Some(Value::Array(hooks)) = last.get_mut("hooks")
            {
                hooks.push(Value::Object(written.handler.clone()));
                continue;
            }
        }
        out.push(Addition { event: written.event.clone(), group: Value::Object(group) });
    }
    out
}

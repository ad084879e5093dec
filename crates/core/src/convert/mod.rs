//! Conversion of one agent's hooks to another agent: events, matchers, time limits and command lines, a list of
//! what is lost, and a check that plans the catalogue's events under both agents.
//!
//! Nothing is written here: the result is a text for the other agent's settings file, and notes.

mod answer_effect;
mod check;
mod command;
mod converted_definition;
mod exit_two;
mod handler;
mod hook_list;
mod matcher;
mod name_map;
mod note;
mod portability;
mod script_files;
mod settings_edit;
mod timeout;
mod unread_keys;
mod usual_answers;

use serde_json::{Map, Value, json};

use crate::config::{FileError, Files, LayerFile, LayerState, LoadedConfig, OverlayFiles, Place};
use crate::diagnostic::Severity;
use crate::dialects::find_event;
use crate::dialects::settings_format::HookFile;
use crate::hook::{EventSpec, HookDefinition, Layer};
use crate::names::RungName;
use crate::port::{AgentVersion, mapping};
use crate::text::{JsonSyntax, SourceMap, parse_json};

pub use answer_effect::AnswerEffect;
pub use check::{ConversionCheck, RunDifference, check};
pub use command::{ADAPTER_RUNS, adapter_line, direct_line, quote_word, words_or_shell_line};
pub use converted_definition::{ConversionPair, ConvertedDefinition, SharedHook, WrittenDefinition};
pub use hook_list::entry_removal;
pub use name_map::{equivalent_tools, mcp_name};
pub use note::{ConversionNote, NoteCode, NoteOutcome};
pub use portability::{PortedEffect, PortedHook, port_answers, port_hook};
pub(crate) use script_files::script_at;
pub use script_files::{ConvertedFile, checked_command, file_for_script, no_free_file};
pub use settings_edit::{GroupAddition, SettingsEditError, add, addition_edits, find_replaced_event, read_settings};
pub use timeout::{ConvertedTimeout, format_timeout as time_words};
pub use unread_keys::{UnreadKeys, unread_keys};
pub use usual_answers::{USUAL_ANSWERS, UsualAnswer};

use matcher::ConvertedMatcher;

/// The conversion of a layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversion {
    pub items: Vec<ConvertedDefinition>,
    /// Notes about the layer as a whole.
    pub notes: Vec<ConversionNote>,
    /// The other agent's settings file for this layer, or the directory of its scripts. An absolute path.
    pub path: String,
    pub layer: Layer,
    /// The files with their new contents.
    pub files: Vec<ConvertedFile>,
}

/// The reason why nothing can be converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConversionRefusal {
    #[error("{0} has no user-editable settings in that layer")]
    NoLayer(String),
    #[error("{file} cannot be read: {why}")]
    Unreadable { file: String, why: String },
    #[error("{file}:{line}:{column}: {says}; fix the file first. Nothing was added")]
    NotEditable { file: String, line: usize, column: usize, says: String },
}

impl Conversion {
    /// Whether something is lost.
    pub fn has_losses(&self) -> bool {
        self.notes.iter().chain(self.items.iter().flat_map(|item| &item.notes)).any(|note| note.loss)
    }

    /// The files that change.
    pub fn changed_files(&self) -> impl Iterator<Item = &ConvertedFile> {
        let is_new = self.items.iter().flat_map(|item| &item.written).any(|written| !written.exists);
        self.files.iter().filter(move |_| is_new)
    }

    /// The files of a place, with the new contents.
    pub fn overlay<'a>(&'a self, files: &'a dyn Files) -> OverlayFiles<'a> {
        let replaced = self.files.iter().map(|file| (file.path.as_str(), file.after.as_str()));
        OverlayFiles { files, replaced: replaced.collect() }
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
    pair: &ConversionPair<'_>,
    loaded: &LoadedConfig,
    layer: Layer,
    place: &Place,
    files: &dyn Files,
) -> Result<Conversion, ConversionRefusal> {
    let form = pair.to.dialect.settings_format();
    let nearest = form.layer_settings(place, layer).map(|file| (layer, file)).or_else(|| form.usual_settings(place));
    let Some((there, HookFile { path, form })) = nearest else {
        return Err(ConversionRefusal::NoLayer(pair.to.dialect.name().to_owned()));
    };
    let is_script = form.script.is_some();
    let directory = path.rsplit_once('/').map_or(path.as_str(), |(directory, _)| directory);
    let file = place.display_path(if is_script { directory } else { &path });
    let before = match files.read(&path) {
        _ if is_script => None,
        Ok(bytes) => Some(
            String::from_utf8(bytes)
                .map_err(|_| ConversionRefusal::Unreadable { file: file.clone(), why: "it is not UTF-8".to_owned() })?,
        ),
        Err(FileError::Missing) => None,
        Err(FileError::Unreadable { why, .. }) => return Err(ConversionRefusal::Unreadable { file, why }),
    };
    let refused = |why: SettingsEditError| ConversionRefusal::NotEditable {
        file: file.clone(),
        line: why.line,
        column: why.column,
        says: why.message,
    };
    let present = match &before {
        Some(text) => settings_edit::definitions(text, form).map_err(refused)?,
        None => Vec::new(),
    };
    let mut notes = layer_notes(pair, loaded, layer);
    let mut mine: Vec<&HookDefinition> = loaded
        .definitions
        .iter()
        .filter(|d| layers_of(layer).contains(&d.provenance.layer) && d.provenance.bundle.is_none())
        .collect();
    // Keep the order in which the files define them.
    mine.sort_by_key(|d| (d.provenance.span.source, d.provenance.span.start));
    if pair.from.dialect.settings_format().handler("command").is_some_and(|own| own.optional.contains(&PRIORITY)) {
        mine.sort_by(|a, b| priority(a).total_cmp(&priority(b)));
    }
    if there != layer || mine.iter().any(|d| d.provenance.layer == Layer::Local && there != Layer::Local) {
        let says = format!(
            "{} has no local settings: the hooks go to {file}, which may be shared with others",
            pair.to.dialect.name()
        );
        let local = mine.iter().any(|d| d.provenance.layer == Layer::Local);
        notes.extend(local.then(|| ConversionNote::changed(NoteCode::LayerLocal, says)));
    }
    // All known definitions, and whether each existed before the conversion.
    let theirs = pair.to.dialect.load(&place.as_trusted(), files, &pair.to.version);
    let beside = definitions_in_other_files(pair.to, there, &path, &theirs);
    let mut known: Vec<(WrittenDefinition, bool)> =
        present.into_iter().chain(beside).map(|written| (written, true)).collect();
    let mut items = Vec::new();
    for definition in mine {
        let mut item = convert_definition(pair, definition, loaded);
        command::leave_out_shared_hook(pair, &theirs, &mut item);
        for written in &mut item.written {
            let twin =
                known.iter().rev().find(|(known, _)| is_same_definition(known, written)).map(|(_, before)| *before);
            let runs_again = twin == Some(false) && repeats_stay(pair);
            written.exists = twin.is_some() && !runs_again;
            if twin == Some(false)
                && !runs_again
                && !item.notes.iter().any(|note| note.code == NoteCode::HandlerRepeated)
            {
                item.notes.push(repeat_note(pair));
            }
            if twin.is_none() {
                known.push((written.clone(), false));
            }
        }
        items.push(item);
    }
    command::note_repeats(pair, &mut items);
    notes.extend(exit_two::exit_two_notes(pair, &items));
    if is_script {
        let usual = |event: &str| {
            let own = pair.to.dialect.file_for_event(place, files, there, event);
            own.unwrap_or_else(|| HookFile { path: path.clone(), form })
        };
        let new = script_files::place_scripts(pair.to, &mut items, usual, files, place);
        return Ok(Conversion { items, notes, path: directory.to_owned(), layer: there, files: new });
    }
    let after = settings_edit::add(before.as_deref().unwrap_or_default(), form, &additions(&items)).map_err(refused)?;
    for item in &mut items {
        let events: Vec<&str> = item.written.iter().map(|written| written.event.as_str()).collect();
        let replaced = find_replaced_event(pair.to, place, files, (&path, &after), &events);
        item.notes.extend(replaced.map(|why| ConversionNote::worse(NoteCode::FileReplaced, why.message)));
    }
    let file = ConvertedFile { path: path.clone(), before, after, executable: false };
    Ok(Conversion { items, notes, path, layer: there, files: vec![file] })
}

/// The key by which some formats order their hooks.
const PRIORITY: &str = "priority";

/// The priority of a definition, whose lowest value runs first.
fn priority(definition: &HookDefinition) -> f64 {
    definition.raw.get(PRIORITY).and_then(Value::as_f64).filter(|number| number.is_finite()).unwrap_or(0.0)
}

fn is_same_definition(a: &WrittenDefinition, b: &WrittenDefinition) -> bool {
    let matcher = |written: &WrittenDefinition| written.matcher.clone().filter(|m| !m.is_empty() && m != "*");
    (&a.event, matcher(a), &a.group, &a.handler) == (&b.event, matcher(b), &b.group, &b.handler)
}

/// Returns the definitions of a layer that are in files other than `path`.
fn definitions_in_other_files(
    side: &AgentVersion,
    layer: Layer,
    path: &str,
    loaded: &LoadedConfig,
) -> Vec<WrittenDefinition> {
    let here = |d: &&HookDefinition| {
        d.provenance.layer == layer
            && d.provenance.bundle.is_none()
            && loaded.sources.path(d.provenance.span.source) != path
    };
    let written = |d: &HookDefinition| {
        let handler = original_handler(side, d, &loaded.sources).as_object()?.clone();
        let group = d.group.as_object().into_iter().flatten().filter(|(key, _)| *key != "matcher");
        Some(WrittenDefinition {
            event: d.event.clone(),
            matcher: d.matcher.as_ref().and_then(Value::as_str).map(str::to_owned),
            group: group.map(|(key, value)| (key.clone(), value.clone())).collect(),
            handler,
            script: None,
            file: None,
            exists: true,
        })
    };
    loaded.definitions.iter().filter(here).filter_map(written).collect()
}

/// Whether a handler that is configured twice runs twice in both agents.
fn repeats_stay(pair: &ConversionPair<'_>) -> bool {
    [pair.from, pair.to].iter().all(|side| side.dialect.settings_format().runs_duplicates)
}

/// Notes a handler that is repeated under the same matcher.
fn repeat_note(pair: &ConversionPair<'_>) -> ConversionNote {
    let (from, to) = (pair.from.dialect, pair.to.dialect);
    if from.settings_format().runs_duplicates && !to.settings_format().runs_duplicates {
        let says = format!("the same hook is configured twice: {} runs it twice, {} once", from.name(), to.name());
        return ConversionNote::worse(NoteCode::HandlerRepeated, says);
    }
    ConversionNote::changed(
        NoteCode::HandlerRepeated,
        format!("the same hook is configured twice: it is written once for {}", to.name()),
    )
}

/// Returns notes about broken files and about hooks of other layers.
fn layer_notes(pair: &ConversionPair<'_>, loaded: &LoadedConfig, layer: Layer) -> Vec<ConversionNote> {
    let mut notes = Vec::new();
    for file in loaded.layers.iter().filter(|l| layers_of(layer).contains(&l.layer) && l.state == LayerState::Broken) {
        notes.push(ConversionNote::dropped(NoteCode::FileBroken, describe_broken_file(loaded, file)));
    }
    let mut others: Vec<(&str, usize)> = Vec::new();
    for other in loaded.definitions.iter().filter(|d| !layers_of(layer).contains(&d.provenance.layer)) {
        match others.iter_mut().find(|(word, _)| *word == other.provenance.layer.word()) {
            Some((_, count)) => *count += 1,
            None => others.push((other.provenance.layer.word(), 1)),
        }
    }
    if !others.is_empty() {
        let others: Vec<String> = others.iter().map(|(word, count)| format!("{word} ({count})")).collect();
        let says =
            format!("hooks of other layers of {} were not converted: {}", pair.from.dialect.name(), others.join(", "));
        notes.push(ConversionNote::warned(NoteCode::LayerOthers, says));
    }
    notes
}

/// Describes the error in a file, with its position and the help text.
fn describe_broken_file(loaded: &LoadedConfig, file: &LayerFile) -> String {
    let found = loaded.notes.iter().filter(|note| note.severity == Severity::Error).find_map(|note| {
        let (name, at) = note.place(&loaded.sources)?;
        (name == file.file).then_some((note, at))
    });
    let Some((note, at)) = found else {
        return format!("{}: {}", file.file, file.message.as_deref().unwrap_or("it cannot be read"));
    };
    let at = at.map_or(String::new(), |(line, column)| format!(":{line}:{column}"));
    let help = note.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
    format!("{}{at}: {}{help}", file.file, note.message)
}

/// Returns the handler as its file spells it, in its plain form: some agents expand variables when they read it.
fn original_handler(side: &AgentVersion, definition: &HookDefinition, sources: &SourceMap) -> Value {
    let syntax = JsonSyntax { comments: true, trailing_commas: false, bom: false };
    let slice = sources.slice(definition.provenance.span);
    let parsed = parse_json(definition.provenance.span.source, slice, syntax).map(|node| node.to_value());
    // A format whose entries are not handlers has its handlers only in `raw`.
    let is_handler = |value: &Value| value.is_object() && value.get("type") == definition.raw.get("type");
    let written = parsed.ok().filter(is_handler).unwrap_or_else(|| definition.raw.clone());
    (side.dialect.settings_format().plain_handler)(&written)
}

/// Returns the reason why the agent never runs a definition. A missing approval is not such a reason.
fn refusal_reason(pair: &ConversionPair<'_>, definition: &HookDefinition, loaded: &LoadedConfig) -> Option<String> {
    let own = definition.rejection.as_ref().filter(|r| r.rung != RungName::Trusted).map(|r| r.message.clone());
    let start = loaded.refusal.as_ref().map(|r| format!("{} does not start: {}", pair.from.dialect.name(), r.message));
    let off = loaded.hooks_off.clone();
    own.or(start).or(off)
}

/// Converts one definition, whatever the other agent's settings hold already.
pub fn convert_definition(
    pair: &ConversionPair<'_>,
    definition: &HookDefinition,
    loaded: &LoadedConfig,
) -> ConvertedDefinition {
    let mut item = ConvertedDefinition {
        hook: definition.id.clone(),
        label: definition.label(),
        layer: definition.provenance.layer,
        file: definition.provenance.file.clone(),
        line: definition.provenance.line,
        column: definition.provenance.column,
        event: definition.event.clone(),
        matcher: definition.matcher.is_some().then(|| definition.matcher_text()),
        limit: None,
        shared: None,
        written: Vec::new(),
        notes: Vec::new(),
    };
    if let Some(why) = refusal_reason(pair, definition, loaded) {
        let says = format!("{} does not run it either: {why}", pair.from.dialect.name());
        item.notes.push(ConversionNote::dropped(NoteCode::SourceRefused, says));
        return item;
    }
    let Some(here) = find_event(pair.from.dialect, &pair.from.version, &definition.event) else {
        let says = format!("{} has no event {}", pair.from.dialect.name(), definition.event);
        item.notes.push(ConversionNote::dropped(NoteCode::EventUnknown, says));
        return item;
    };
    match event_there(pair, here) {
        Ok(there) => {
            convert_parts(
                pair,
                definition,
                &original_handler(pair.from, definition, &loaded.sources),
                here,
                there,
                &mut item,
            );
        }
        Err(note) => item.notes.push(note),
    }
    item
}

/// Returns the other agent's event for an event.
fn event_there(pair: &ConversionPair<'_>, here: &EventSpec) -> Result<&'static EventSpec, ConversionNote> {
    let (from, to) = (pair.from.dialect, pair.to.dialect);
    let row = mapping().row_of(from.id().as_str(), here.name);
    let name = row.and_then(|row| row.events.get(to.id().as_str()));
    if let Some(there) = name.and_then(|name| find_event(to, &pair.to.version, name)) {
        return Ok(there);
    }
    let about = row.map_or(here.name, |row| row.about);
    let nearest = row
        .and_then(|row| row.nearest.get(to.id().as_str()))
        .map_or_else(String::new, |near| format!("; the nearest is {near}, which differs"));
    Err(ConversionNote::dropped(NoteCode::EventNoEqual, format!("{} has no event {about}{nearest}", to.name())))
}

fn convert_parts(
    pair: &ConversionPair<'_>,
    definition: &HookDefinition,
    raw: &Value,
    here: &'static EventSpec,
    there: &'static EventSpec,
    item: &mut ConvertedDefinition,
) {
    // For a dropped handler, only the reasons for dropping it are reported.
    let (handler, of_handler) = handler::convert_handler(pair, raw, here.name, there.name);
    let Some(mut handler) = handler else {
        item.notes.extend(of_handler.into_iter().filter(|note| note.loss));
        return;
    };
    let (matchers, of_matcher) = matcher::convert_matcher(pair, here, there, definition.matcher.as_ref());
    item.notes.extend(of_matcher);
    let matchers = match matchers {
        ConvertedMatcher::Nothing => return,
        ConvertedMatcher::Everything => vec![None],
        ConvertedMatcher::Matchers(all) => all.into_iter().map(Some).collect(),
    };
    item.notes.extend(of_handler);
    let group = group(pair, definition, &mut item.notes);
    let kind = definition.handler.kind();
    let given = raw.get("timeout").filter(|t| !t.is_null()).and(definition.timeout);
    let (limit, note) = timeout::convert_timeout(pair, kind, here.name, there.name, given);
    item.notes.extend(note);
    let is_script = pair.to.dialect.settings_format().script.is_some();
    if let Some(value) = limit.value.as_ref().filter(|_| !is_script) {
        handler.insert("timeout".to_owned(), value.clone());
    }
    let script = |matcher: Option<&str>| script_files::script_text(pair.to, there, matcher, &handler);
    if is_script && let Some(matcher) = matchers.iter().flatten().find(|matcher| script(Some(matcher)).is_none()) {
        let says = format!("a script of {} cannot know whether \"{matcher}\" matches", pair.to.dialect.name());
        item.notes.push(ConversionNote::dropped(NoteCode::MatcherNotSayable, says));
        return;
    }
    item.limit = Some(limit);
    let written = |matcher: Option<String>| WrittenDefinition {
        event: there.name.to_owned(),
        group: group.clone(),
        handler: handler.clone(),
        script: is_script.then(|| script(matcher.as_deref())).flatten(),
        matcher,
        file: None,
        exists: false,
    };
    item.written = matchers.into_iter().map(written).collect();
}

/// Returns the keys of the group that both agents know.
fn group(
    pair: &ConversionPair<'_>,
    definition: &HookDefinition,
    notes: &mut Vec<ConversionNote>,
) -> Map<String, Value> {
    let (from, to) = (pair.from.dialect, pair.to.dialect);
    let mut out = Map::new();
    for (key, value) in definition.group.as_object().into_iter().flatten().filter(|(key, _)| *key != "matcher") {
        let counts = from.settings_format().group.contains(&key.as_str());
        match (counts, to.settings_format().group.contains(&key.as_str())) {
            (true, true) => {
                out.insert(key.clone(), value.clone());
            }
            (true, false) if value == &Value::Bool(true) && !to.settings_format().runs_in_order => {
                let says = format!("{} has no `{key}`: its hooks run in parallel", to.name());
                notes.push(ConversionNote::worse(NoteCode::GroupKey, says));
            }
            (true, false) => {}
            (false, _) => {
                let says = format!("{} ignores `{key}` of a group: it is omitted", from.name());
                notes.push(ConversionNote::changed(NoteCode::GroupUnreadKey, says));
            }
        }
    }
    out
}

/// Returns the groups to add: consecutive definitions with the same matcher and keys share a group.
fn additions(items: &[ConvertedDefinition]) -> Vec<GroupAddition> {
    let mut out: Vec<GroupAddition> = Vec::new();
    for written in items.iter().flat_map(|item| &item.written).filter(|written| !written.exists) {
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
        out.push(GroupAddition { event: written.event.clone(), group: Value::Object(group) });
    }
    out
}

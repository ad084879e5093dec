//! Converts the hooks of one agent in this project into those of another: shows, checks, and optionally writes
//! them.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::analysis::lint::LoadedAgent;
use crate::analysis::unsent_values::unsent_values;
use crate::disk::files::DiskFiles;
use crate::disk::user_file::{self, FileChange, LinkPolicy, WriteError};
use crate::environment::installed_agents::find_installed;
use crate::session::AgentState;
use hookbench_core::config::{LoadedConfig, Place};
use hookbench_core::convert::{
    self, Conversion, ConversionCheck, ConversionNote, ConversionPair, ConversionRefusal, ConvertedFile, NoteCode,
    PortedEffect, UnreadKeys, port_answers,
};
use hookbench_core::dialects::{Agent, MachineFacts};
use hookbench_core::hook::{HookDefinition, Layer};
use hookbench_core::lint::{LintScope, refusals};
use hookbench_core::port::{AgentVersion, project_directory};

/// The options of a conversion.
#[derive(Clone, Copy)]
pub struct ConvertRequest {
    pub from: &'static Agent,
    pub to: &'static Agent,
    /// The hooks to convert: the project's with its local ones, the local ones alone, or the user's.
    pub layer: Layer,
    /// Whether the commands run through `hookbench adapt`.
    pub adapt: bool,
    /// Whether to write the other agent's file.
    pub write: bool,
    /// Whether that file may be outside the project through a link.
    pub links: LinkPolicy,
}

/// The result of a conversion.
pub struct ConversionResult {
    pub from: AgentVersion,
    pub to: AgentVersion,
    pub layer: Layer,
    pub conversion: Conversion,
    pub check: ConversionCheck,
    pub unread: Vec<UnreadKeys>,
    /// The other agent's file, or the directory of its scripts, as displayed.
    pub file: String,
    /// The changes of files.
    pub changes: Vec<FileChange>,
    pub written: bool,
}

impl ConversionResult {
    /// Returns whether the other agent behaves exactly the same.
    pub fn is_lossless(&self) -> bool {
        !self.conversion.has_losses() && self.check.differences.is_empty()
    }
}

/// Errors that prevent a conversion.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    #[error("both agents are {0}: name two different agents")]
    Same(&'static str),
    #[error("{0}")]
    Refused(#[from] ConversionRefusal),
    #[error("{0}")]
    Write(#[from] WriteError),
}

/// Converts and checks the hooks, and writes the file if requested.
///
/// # Errors
/// Returns an error if both agents are the same, if no settings file can be determined, or if writing fails.
pub fn convert(place: &Place, request: &ConvertRequest) -> Result<ConversionResult, ConvertError> {
    if request.from.id() == request.to.id() {
        return Err(ConvertError::Same(request.from.id().as_str()));
    }
    let side = |dialect: &'static Agent| {
        let version = AgentState::new(dialect, find_installed(&dialect.install(), place), None).version;
        AgentVersion { dialect, version }
    };
    let (from, to) = (side(request.from), side(request.to));
    let project_directory = project_directory(to.dialect.settings_format(), &DiskFiles, &place.project);
    let pair = ConversionPair { from: &from, to: &to, adapts: request.adapt, project_directory };
    let loaded = from.dialect.load(&place.as_trusted(), &DiskFiles, &from.version);
    let mut conversion = convert::convert(&pair, &loaded, request.layer, place, &DiskFiles)?;
    name_misreads(&pair, &loaded, &mut conversion, place);
    if !pair.adapts {
        name_lost_refusals(&pair, &loaded, &mut conversion, place);
    }
    let check = convert::check(&pair, &loaded, &conversion, place, &DiskFiles);
    let unread = convert::unread_keys(&pair, &conversion);
    let file = place.display_path(&conversion.path);
    let change = |file: &ConvertedFile| FileChange {
        file: user_file::shown(Path::new(&place.project), &file.path, &place.display_path(&file.path)),
        path: file.path.clone(),
        before: file.before.clone().map(String::into_bytes),
        after: file.after.clone().into_bytes(),
        executable: file.executable,
    };
    let changes: Vec<FileChange> = conversion.changed_files().map(change).collect();
    let written = request.write && !changes.is_empty();
    if written {
        user_file::write_all(place, &changes, request.links)?;
    }
    Ok(ConversionResult { from, to, layer: request.layer, conversion, check, unread, file, changes, written })
}

/// Adds a note to each definition about values that its script expects and that the other agent never sends.
fn name_misreads(pair: &ConversionPair<'_>, loaded: &Arc<LoadedConfig>, conversion: &mut Conversion, place: &Place) {
    let there = pair.to.dialect.load(&place.as_trusted(), &conversion.overlay(&DiskFiles), &pair.to.version);
    let place = Arc::new(place.clone());
    let of = |side: &AgentVersion, loaded: &Arc<LoadedConfig>, wanted: &[&HookDefinition]| {
        let AgentVersion { dialect, version } = side.clone();
        let agent = LoadedAgent { dialect, version, loaded: Arc::clone(loaded), failed_to_block: Vec::new() };
        let outside = |definition: &HookDefinition| {
            agent.command_facts(&place, &DiskFiles, definition, &|event| agent.first_example(event, &place))
        };
        unsent_values(dialect, &agent.version, &place, &DiskFiles, loaded, wanted, &outside)
    };
    for item in &mut conversion.items {
        let here: Vec<&HookDefinition> = loaded.definition(&item.hook).into_iter().collect();
        let written = |d: &&HookDefinition| {
            item.written.iter().any(|written| {
                let matcher = d.matcher.as_ref().and_then(Value::as_str).filter(|matcher| !matcher.is_empty());
                let same =
                    d.raw.as_object() == Some(&written.handler) || d.handler.text() == command_of(&written.handler);
                written.is_script(d)
                    || d.event == written.event
                        && same
                        && matcher == written.matcher.as_deref().filter(|m| !m.is_empty())
            })
        };
        let copies: Vec<&HookDefinition> =
            there.definitions.iter().filter(|d| item.is_shared_with(d) || written(d)).collect();
        if copies.is_empty() {
            continue;
        }
        let known = of(pair.from, loaded, &here);
        for one in of(pair.to, &there, &copies) {
            // A problem that exists in the source agent too is not a loss of the conversion.
            if known.iter().any(|other| (other.code, &other.place) == (one.code, &one.place)) {
                continue;
            }
            let says = format!("{}: {}; {}", one.place, one.message, one.help);
            if !item.notes.iter().any(|note| note.message == says) {
                item.notes.push(ConversionNote::worse(NoteCode::ScriptNeverSent, says));
            }
        }
    }
}

/// Adds a note to each definition whose script refuses with an answer that the other agent does not obey. The effect of
/// exit status 2 is a note about the layer.
fn name_lost_refusals(
    pair: &ConversionPair<'_>,
    loaded: &Arc<LoadedConfig>,
    conversion: &mut Conversion,
    place: &Place,
) {
    let AgentVersion { dialect, version } = pair.from;
    let agent =
        LoadedAgent { dialect, version: version.clone(), loaded: Arc::clone(loaded), failed_to_block: Vec::new() };
    let shared_place = Arc::new(place.clone());
    let outside = |definition: &HookDefinition| {
        agent.command_facts(&shared_place, &DiskFiles, definition, &|event| agent.first_example(event, &shared_place))
    };
    let definitions: Vec<&HookDefinition> =
        conversion.items.iter().filter_map(|item| loaded.definition(&item.hook)).collect();
    let items = &conversion.items;
    let matcher = |definition: &HookDefinition| items.iter().find(|item| item.hook == definition.id)?.matcher_there();
    let machine = &MachineFacts::default();
    let scope = LintScope { dialect, version, place, files: &DiskFiles, loaded, machine };
    let mut read = refusals(scope, pair.to, &definitions, &outside, &matcher);
    for item in &mut conversion.items {
        let Some(event) = item.event_there().map(str::to_owned) else { continue };
        let answers = read.remove(&item.hook).and_then(|read| read.answers).unwrap_or_default();
        for refusal in answers.iter().filter(|refusal| refusal.status != 2) {
            let there = port_answers(pair.to, &event, &[refusal.report()]);
            let Some(loss) = there.losses.first().filter(|_| there.effect == PortedEffect::LetsPass) else { continue };
            let cure = there.cure.map(|cure| format!("; for {}, {cure}", pair.to.dialect.name())).unwrap_or_default();
            let says = format!("{}: its refusal has no effect. {loss}{cure}", refusal.place);
            if !item.notes.iter().any(|note| note.message == says) {
                item.notes.push(ConversionNote::worse(NoteCode::AnswerNoEffect, says));
            }
        }
    }
}

/// The command text of a handler.
fn command_of(handler: &Map<String, Value>) -> String {
    handler.get("command").and_then(Value::as_str).unwrap_or_default().to_owned()
}

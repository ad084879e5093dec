//! Reads single files of a layer, and answers questions about the settings that were read so far.

use hookbench_base::names::RuleId;
use serde_json::Value;

use super::version_behaviour::VersionBehaviour;
use crate::shared::javascript::resolve;
use hookbench_base::config::{FileError, Files, GivenFlags, LayerFile, LayerState, LoadedConfig, Place, read_settings};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::hook::{HookDefinition, Layer, Rejection};
use hookbench_base::plan::RungName;
use hookbench_base::text::{JsonSyntax, Node, SourceId, Span, parse_json};

/// The state while settings are being loaded.
pub struct LayerReader<'a> {
    pub place: &'a Place,
    pub files: &'a dyn Files,
    pub rules: VersionBehaviour,
    /// The arguments with which the user starts the agent.
    pub flags: GivenFlags,
    pub loaded: LoadedConfig,
    /// The accepted settings files, in the order in which they were read.
    pub settings: Vec<SettingsFile>,
}

/// The note on settings that an argument names.
const GIVEN: &str = "an argument of the agent gives it: --settings";

/// A settings file that the agent accepts.
pub struct SettingsFile {
    pub layer: Layer,
    pub node: Node,
    /// The path as displayed.
    pub file: String,
}

/// The user's configuration directory: `$CLAUDE_CONFIG_DIR`, else `~/.claude`. The agent resolves the variable against
/// the directory in which it starts: an empty one is that directory, and `~` has no special meaning (2.1.332).
pub fn config_dir(place: &Place) -> String {
    match place.var("CLAUDE_CONFIG_DIR") {
        Some(dir) => resolve(place, dir),
        None => format!("{}/.claude", place.home),
    }
}

impl LayerReader<'_> {
    /// Records the state of a file.
    pub fn record_layer(
        &mut self,
        layer: Layer,
        path: &str,
        state: LayerState,
        says: Option<String>,
        bundle: Option<String>,
    ) {
        let file = self.place.display_path(path);
        let says = says.or_else(|| (layer == Layer::Flag && state == LayerState::Read).then(|| GIVEN.to_owned()));
        self.loaded.layers.push(LayerFile { layer, path: path.to_owned(), file, state, message: says, bundle });
    }

    /// Reads a file and registers its text as a source. Returns `None` if the file does not exist or cannot be
    /// read.
    pub fn read_text(&mut self, layer: Layer, path: &str, bundle: Option<&str>) -> Option<(SourceId, String)> {
        match read_settings(self.files, path) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                Some((self.loaded.add_source(self.place, path, &text), text))
            }
            Err(FileError::Missing) => {
                self.record_layer(layer, path, LayerState::Absent, None, bundle.map(str::to_owned));
                None
            }
            Err(FileError::Unreadable { why, help: cure }) => {
                let file = self.place.display_path(path);
                let message = format!("{file} cannot be read ({why}); none of its hooks load");
                self.loaded.notes.push(Diagnostic::new(Code::HW101, message).in_file(file).with_help(cure));
                self.record_layer(layer, path, LayerState::Broken, Some(why), bundle.map(str::to_owned));
                None
            }
        }
    }

    /// Reads a file as strict JSON. A byte-order mark is allowed except in plugins.
    pub fn read_json(&mut self, layer: Layer, path: &str, bundle: Option<&str>) -> Option<Node> {
        let (source, text) = self.read_text(layer, path, bundle)?;
        self.parse(layer, path, bundle, source, &text)
    }

    /// Parses a text that was registered as a source.
    pub fn parse(
        &mut self,
        layer: Layer,
        path: &str,
        bundle: Option<&str>,
        source: SourceId,
        text: &str,
    ) -> Option<Node> {
        if text.trim_start_matches('\u{feff}').trim().is_empty() {
            self.record_layer(layer, path, LayerState::Read, Some("it is empty".to_owned()), bundle.map(str::to_owned));
            return None;
        }
        let syntax = JsonSyntax { bom: layer != Layer::Plugin, ..JsonSyntax::default() };
        match parse_json(source, text, syntax) {
            Ok(node) => Some(node),
            Err(error) => {
                let span = Span::new(source, error.at, (error.at + 1).min(text.len().max(error.at)));
                let message = format!("this is not valid JSON: {}; the whole file is skipped", error.message);
                let help = error.help.unwrap_or_else(|| "the file must be strict JSON, without comments".to_owned());
                self.loaded.notes.push(Diagnostic::new(Code::HW101, message).at(span).with_help(help));
                let line = self.loaded.sources.start(span).line;
                let says = format!("line {line} is not valid JSON: {}", error.message);
                self.record_layer(layer, path, LayerState::Broken, Some(says), bundle.map(str::to_owned));
                None
            }
        }
    }

    /// Returns the value of a key from the layer with the highest precedence (managed first), with the file and
    /// position that set it.
    pub fn effective_value(&self, key: &str) -> Option<(Layer, Value, String, Span)> {
        const PRECEDENCE: [Layer; 5] = [Layer::Managed, Layer::Flag, Layer::Local, Layer::Project, Layer::User];
        PRECEDENCE.into_iter().find_map(|layer| {
            let file = self.settings.iter().rev().find(|s| s.layer == layer && s.node.get(key).is_some())?;
            let value = file.node.get(key)?;
            Some((layer, value.to_value(), file.file.clone(), value.span))
        })
    }

    /// Returns another value of a key that the effective one overrules, with its file.
    pub fn overruled_value(&self, key: &str) -> Option<(Value, String)> {
        let (_, effective, ..) = self.effective_value(key)?;
        let mut values = self.settings.iter().filter_map(|s| Some((s.node.get(key)?.to_value(), s.file.clone())));
        values.rfind(|(value, _)| *value != effective)
    }

    /// Returns the items of a list key, merged from several files.
    pub fn merged_list(&self, key: &str, only: Option<Layer>) -> Option<Vec<Value>> {
        let lists: Vec<&Node> = self
            .settings
            .iter()
            .filter(|s| only.is_none_or(|layer| s.layer == layer))
            .filter_map(|s| s.node.get(key))
            .collect();
        let items = lists.iter().flat_map(|n| n.items().unwrap_or(&[])).map(Node::to_value).collect();
        (!lists.is_empty()).then_some(items)
    }
}

/// Marks all definitions that are not yet refused as refused.
pub fn refuse_remaining(definitions: &mut [HookDefinition], rung: RungName, rule: RuleId, says: &str) {
    for definition in definitions.iter_mut().filter(|d| d.rejection.is_none()) {
        definition.rejection = Some(Rejection { rung, rule, message: says.to_owned() });
    }
}

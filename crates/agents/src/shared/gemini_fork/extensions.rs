//! The files of an extension: its manifest, its hooks, and the rules that switch it on and off.

use hookbench_base::config::{Files, GivenFlags, LayerFile, LayerState, LoadedConfig, Place};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::hook::Layer;
use hookbench_base::text::{JsonSyntax, Node, Span, parse_json};

/// A parsed manifest, with its file.
pub struct ExtensionManifest {
    pub root: Node,
    layer: LayerFile,
}

impl ExtensionManifest {
    /// Reads a manifest. Returns `None` if there is none or if the agent skips it.
    pub fn read(
        place: &Place,
        files: &dyn Files,
        path: String,
        loaded: &mut LoadedConfig,
    ) -> Option<ExtensionManifest> {
        let bytes = files.read(&path).ok()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let source = loaded.add_source(place, &path, &text);
        let layer = layer_file(place, path);
        match parse_json(source, &text, JsonSyntax::default()) {
            Ok(root) => Some(ExtensionManifest { root, layer }),
            Err(error) => {
                let span = Span::new(source, error.at, error.at);
                skip(layer, span, &format!("not valid JSON ({})", error.message), loaded);
                None
            }
        }
    }

    /// Reports why the agent skips the extension.
    pub fn skip(&self, why: &str, loaded: &mut LoadedConfig) {
        skip(self.layer.clone(), self.root.span, why, loaded);
    }

    /// Records the manifest of an extension with this name, and why it is disabled.
    pub fn record(&self, name: &str, disabled_reason: Option<&String>, loaded: &mut LoadedConfig) {
        loaded.layers.push(LayerFile {
            state: if disabled_reason.is_some() { LayerState::Off } else { LayerState::Read },
            message: disabled_reason.cloned(),
            bundle: Some(name.to_owned()),
            ..self.layer.clone()
        });
    }
}

/// The reason why `--extensions` switches an extension off, if it does; `None` if the flag is not given. Names are
/// compared without case; the one name `none` switches all off.
pub fn by_argument(given: &GivenFlags, name: &str) -> Option<Option<String>> {
    let values = given.all("--extensions").flat_map(|flag| &flag.values).flat_map(|value| value.split(','));
    let names: Vec<String> = values.map(|one| one.trim().to_lowercase()).collect();
    let shown = &given.last("--extensions")?.shown;
    let is_on = names != ["none"] && names.contains(&name.to_lowercase());
    Some((!is_on).then(|| format!("`{shown}` excludes it")))
}

fn layer_file(place: &Place, path: String) -> LayerFile {
    let file = place.display_path(&path);
    LayerFile { layer: Layer::Extension, file, path, state: LayerState::Broken, message: None, bundle: None }
}

fn skip(mut layer: LayerFile, span: Span, why: &str, loaded: &mut LoadedConfig) {
    let message = format!("{why}: the agent skips this extension");
    loaded.notes.push(Diagnostic::new(Code::HW101, message.clone()).at(span).with_help("fix the manifest"));
    layer.message = Some(message);
    loaded.layers.push(layer);
}

/// Reads the file with the hooks of an extension. `hooks_in` returns the map of events in it, or reports why there
/// is none; its argument is the consequence.
pub fn read_hooks(
    place: &Place,
    files: &dyn Files,
    path: String,
    name: &str,
    loaded: &mut LoadedConfig,
    hooks_in: impl FnOnce(Node, &str) -> Result<Node, Box<Diagnostic>>,
) -> Option<Node> {
    let bytes = files.read(&path).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let source = loaded.add_source(place, &path, &text);
    let lost = format!("the extension \"{name}\" has no hooks, and the agent shows no error");
    let found = match parse_json(source, &text, JsonSyntax::default()) {
        Ok(root) => hooks_in(root, &lost),
        Err(error) => {
            let note = Diagnostic::new(Code::HW101, format!("not valid JSON ({}): {lost}", error.message));
            let help = error.help.unwrap_or_else(|| "this file must be strict JSON, without comments".to_owned());
            Err(Box::new(note.at(Span::new(source, error.at, error.at)).with_help(help)))
        }
    };
    let mut layer = LayerFile { bundle: Some(name.to_owned()), ..layer_file(place, path) };
    let hooks = match found {
        Ok(hooks) => {
            layer.state = LayerState::Read;
            Some(hooks)
        }
        Err(note) => {
            layer.message = Some(note.message.clone());
            loaded.notes.push(*note);
            None
        }
    };
    loaded.layers.push(layer);
    hooks
}

/// Returns the last rule whose path matches: whether it enables, and its text.
pub fn last_rule<'a>(
    rules: impl DoubleEndedIterator<Item = &'a str>,
    matches: impl Fn(&str) -> bool,
) -> Option<(bool, &'a str)> {
    rules.rev().find_map(|rule| {
        let (on, path) = rule.strip_prefix('!').map_or((true, rule), |path| (false, path));
        matches(path).then_some((on, rule))
    })
}

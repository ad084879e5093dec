//! The settings files: where they are, how each is read, and what happens if one cannot be read (spec §2, §2.1).

use super::config_node::ConfigNode;
use super::events;
use crate::kernel::settings::{self, SchemaError};
use crate::shared::files_above::report_files_above;
use hookbench_base::config::{FileError, Files, LayerFile, LayerState, LoadedConfig, Os, Place, read_settings};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::hook::Layer;
use hookbench_base::text::{JsonSyntax, Node, Span, parse_json};

/// Returns the directory of the user's files: `$CODEX_HOME`, or `~/.codex`.
pub fn user_dir(place: &Place) -> String {
    match place.var("CODEX_HOME").filter(|v| !v.is_empty()) {
        Some(dir) => place.absolute(&place.project, dir),
        None => format!("{}/.codex", place.home),
    }
}

/// Returns the directory of the administrator's files.
pub fn system_dir(place: &Place) -> &'static str {
    match place.os {
        Os::Windows => "C:/ProgramData/OpenAI/Codex",
        Os::Linux | Os::MacOs => "/etc/codex",
    }
}

/// The state of reading a place: its files, and the result so far.
pub struct LayerReader<'a> {
    pub place: &'a Place,
    pub files: &'a dyn Files,
    pub loaded: &'a mut LoadedConfig,
}

/// The result of reading a file as text, before parsing.
enum FileText {
    Absent,
    /// The reason, and how to fix it.
    Unreadable(String, &'static str),
    Read(String),
}

impl LayerReader<'_> {
    fn read_text(&self, path: &str) -> FileText {
        match read_settings(self.files, path) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => FileText::Read(text),
                Err(_) => FileText::Unreadable("the file is not UTF-8".to_owned(), "save it as UTF-8"),
            },
            Err(FileError::Missing) => FileText::Absent,
            Err(FileError::Unreadable { why, help: cure }) => {
                FileText::Unreadable(format!("the file cannot be read ({why})"), cure)
            }
        }
    }

    /// Records the state of a file.
    pub fn record_layer(
        &mut self,
        layer: Layer,
        path: &str,
        state: LayerState,
        says: Option<String>,
        bundle: Option<&str>,
    ) {
        let file = self.place.display_path(path);
        let bundle = bundle.map(str::to_owned);
        self.loaded.layers.push(LayerFile { layer, path: path.to_owned(), file, state, message: says, bundle });
    }

    /// Changes the recorded state of a file.
    pub fn update_layer(&mut self, path: &str, state: LayerState, says: &str) {
        settings::update_layer(self.loaded, path, state, says);
    }

    /// Reads a TOML file. If it is invalid, Codex does not start.
    pub fn read_toml(&mut self, layer: Layer, path: &str) -> Option<ConfigNode> {
        let text = match self.read_text(path) {
            FileText::Absent => {
                self.record_layer(layer, path, LayerState::Absent, None, None);
                return None;
            }
            FileText::Unreadable(why, cure) => {
                self.record_layer(layer, path, LayerState::Broken, Some(why.clone()), None);
                let file = self.place.display_path(path);
                let says = format!("{why}: Codex does not start, so no hook of any file runs");
                self.note(Diagnostic::new(Code::HW101, says).in_file(file.clone()).with_help(cure));
                settings::refuse(self.loaded, format!("{file}: {why}"), None);
                return None;
            }
            FileText::Read(text) => text,
        };
        let source = self.loaded.add_source(self.place, path, &text);
        match ConfigNode::from_toml(source, &text) {
            Ok(tree) => {
                self.record_layer(layer, path, LayerState::Read, None, None);
                Some(tree)
            }
            Err((span, why)) => {
                self.record_layer(layer, path, LayerState::Broken, Some(format!("not valid TOML: {why}")), None);
                let says = format!("not valid TOML ({why}): Codex does not start, so no hook of any file runs");
                self.note(Diagnostic::new(Code::HW101, says).at(span).with_help("fix the TOML at this place"));
                self.refuse(span, format!("{} is not valid TOML: {why}", self.place.display_path(path)));
                None
            }
        }
    }

    /// Reads a TOML file of an untrusted project to show what it would contain.
    pub fn read_untrusted_toml(&mut self, layer: Layer, path: &str, says: &str) -> Option<ConfigNode> {
        let text = self.read_untrusted_text(layer, path, says)?;
        let source = self.loaded.add_source(self.place, path, &text);
        ConfigNode::from_toml(source, &text)
            .map_err(|(span, why)| {
                let says = format!("not valid TOML ({why}): Codex would not start");
                self.note(Diagnostic::new(Code::HW101, says).at(span).with_help("fix the TOML at this place"));
            })
            .ok()
    }

    /// Reads a JSON file of an untrusted project to show what it would contain.
    pub fn read_untrusted_json(&mut self, layer: Layer, path: &str, says: &str) -> Option<ConfigNode> {
        let text = self.read_untrusted_text(layer, path, says)?;
        let source = self.loaded.add_source(self.place, path, &text);
        match parse_json(source, &text, JsonSyntax::default()) {
            Ok(node) => Some(ConfigNode::from_json(&node, &self.loaded.sources)),
            Err(why) => {
                let says = format!("not valid JSON ({}): none of its hooks would load", why.message);
                let note = Diagnostic::new(Code::HW101, says).at(Span::new(source, why.at, why.at));
                self.note(note.with_help(why.help.unwrap_or_else(|| "fix the JSON".to_owned())));
                None
            }
        }
    }

    fn read_untrusted_text(&mut self, layer: Layer, path: &str, says: &str) -> Option<String> {
        let text = self.read_text(path);
        let there = !matches!(text, FileText::Absent);
        let state = if there { LayerState::Untrusted } else { LayerState::Absent };
        self.record_layer(layer, path, state, there.then(|| says.to_owned()), None);
        match text {
            FileText::Read(text) => Some(text),
            _ => None,
        }
    }

    /// Reads a JSON file. If it is invalid, only its own hooks are lost.
    pub fn read_json(&mut self, layer: Layer, path: &str, bundle: Option<&str>) -> Option<ConfigNode> {
        let text = match self.read_text(path) {
            FileText::Absent => {
                self.record_layer(layer, path, LayerState::Absent, None, bundle);
                return None;
            }
            FileText::Unreadable(why, cure) => {
                self.record_layer(layer, path, LayerState::Broken, Some(why.clone()), bundle);
                let file = self.place.display_path(path);
                let says = format!("{why}: none of its hooks load");
                self.note(Diagnostic::new(Code::HW101, says).in_file(file).with_help(cure));
                return None;
            }
            FileText::Read(text) => text,
        };
        let source = self.loaded.add_source(self.place, path, &text);
        let (at, why, help) = match parse_json(source, &text, JsonSyntax::default()) {
            Ok(node) => match strict_parse_error(&text, &node) {
                None => {
                    self.record_layer(layer, path, LayerState::Read, None, bundle);
                    return Some(ConfigNode::from_json(&node, &self.loaded.sources));
                }
                Some((at, why)) => (at, why, None),
            },
            Err(why) => (why.at, why.message, why.help),
        };
        let says = format!("not valid JSON ({why}): none of its hooks load");
        self.record_layer(layer, path, LayerState::Broken, Some(format!("not valid JSON: {why}")), bundle);
        let help =
            help.unwrap_or_else(|| "fix the JSON; comments, trailing commas and a byte-order mark are errors".into());
        self.note(Diagnostic::new(Code::HW101, says).at(Span::new(source, at, at)).with_help(help));
        None
    }

    /// Reports a JSON file of the wrong shape: its hooks are lost, and no others.
    pub fn report_lost_hooks(&mut self, path: &str, why: &SchemaError) {
        self.update_layer(path, LayerState::Broken, &why.message);
        let says = format!("{}, so none of the hooks in this file load", why.message);
        self.note(why.note(says));
    }

    /// Reports a JSON file of the wrong shape that Codex does not read yet.
    pub fn report_would_lose_hooks(&mut self, why: &SchemaError) {
        let says = format!("{}, so none of the hooks in this file would load", why.message);
        self.note(why.note(says));
    }

    /// Reports a TOML file of the wrong shape: Codex does not start.
    pub fn report_fatal(&mut self, path: &str, why: &SchemaError) {
        self.update_layer(path, LayerState::Broken, &why.message);
        let says = format!("{}: Codex does not start, so no hook of any file runs", why.message);
        self.note(Diagnostic::new(Code::HW110, says).at(why.span).with_help(why.help.clone()));
        self.refuse(why.span, format!("{}: {}", self.place.display_path(path), why.message));
    }

    /// Reports a hook that makes Codex fail at the start of a session.
    pub fn report_crash(&mut self, span: Span, why: &str, help: &str) {
        let says = format!("{why}: Codex cannot start a session, so no hook of any file runs");
        self.note(Diagnostic::new(Code::HW501, says).at(span).with_help(help));
        let file = self.loaded.sources.position(span.source, span.start);
        self.refuse(span, format!("{why} (line {})", file.line));
    }

    /// Keeps the first reason why Codex does not start.
    fn refuse(&mut self, span: Span, says: String) {
        settings::refuse(self.loaded, says, Some(span));
    }

    /// Adds a diagnostic.
    pub fn note(&mut self, diagnostic: Diagnostic) {
        self.loaded.notes.push(diagnostic);
    }

    /// Reports files that look like configuration but that Codex does not read.
    pub fn not_loaded(&mut self) {
        let project = &self.place.project;
        let candidates = [
            ("hooks.json", "Codex reads hooks.json in .codex only; move it there"),
            (".codex/settings.json", "Codex has no settings.json; move the hooks to .codex/hooks.json"),
            (".codex/hooks/hooks.json", "only plugins have this file here; move it to .codex/hooks.json"),
            (".codex/hooks.yaml", "Codex reads hooks.json and config.toml; move the hooks there"),
            (".codex/config.json", "Codex reads config.toml; move the hooks to .codex/hooks.json"),
            (".codex/hooks.toml", "Codex reads [hooks] in config.toml; move them there"),
            (".claude/settings.json", "Codex does not read Claude Code's settings"),
            (".claude/settings.local.json", "Codex does not read Claude Code's settings"),
        ];
        let own = [".codex/hooks.json", ".codex/config.toml"];
        let own = own.iter().any(|file| self.files.exists(&format!("{project}/{file}")));
        for (file, says) in candidates {
            let path = format!("{project}/{file}");
            // Settings of another agent are not a mistake if Codex has its own.
            let foreign = file.starts_with(".claude/");
            if !(own && foreign) {
                settings::report_ignored(self.loaded, self.place, self.files, &path, says);
            }
        }
        let candidates =
            |above: &str| vec![format!("{above}/.codex/hooks.json"), format!("{above}/.codex/config.toml")];
        let why = "Codex reads .codex from the root of the git repository down to the directory in which it starts";
        report_files_above(self.place, self.files, candidates, why, self.loaded);
    }
}

/// Returns the first error of Codex's stricter parser: half a surrogate pair, or nesting deeper than 127. Values that
/// it skips may contain both.
fn strict_parse_error(text: &str, file: &Node) -> Option<(usize, String)> {
    let mut read = text.to_owned();
    for span in skipped_values(file) {
        // The text keeps its length, so that the position of an error is right.
        if let Some(value) = text.get(span.start..span.end) {
            read.replace_range(span.start..span.end, &format!("{:<1$}", 0, value.len()));
        }
    }
    let why = serde_json::from_str::<serde_json::Value>(&read).err()?;
    let before: usize = read.split_inclusive('\n').take(why.line().saturating_sub(1)).map(str::len).sum();
    Some(((before + why.column().saturating_sub(1)).min(read.len()), why.to_string()))
}

/// Returns the values that Codex skips without reading them: those of unknown events, and of unknown keys of a group.
fn skipped_values(file: &Node) -> Vec<Span> {
    let all = file.get("hooks").and_then(Node::members).unwrap_or_default();
    let (known, unknown): (Vec<_>, Vec<_>) = all.iter().partition(|event| events::EVENTS.by_name(&event.key).is_some());
    let groups = known.into_iter().filter_map(|event| event.value.items()).flatten();
    let beside =
        groups.filter_map(Node::members).flatten().filter(|member| !matches!(member.key.as_str(), "matcher" | "hooks"));
    unknown.into_iter().chain(beside).map(|member| member.value.span).collect()
}

//! The settings files: where they are, how each is read, and what happens if one cannot be read (spec §2, §2.1).

use super::shape::Wrong;
use super::tree::Tree;
use hookbench_base::config::{
    FileError, Files, LayerFile, LayerState, Loaded, NotLoaded, Os, Place, Refusal, read_settings,
};
use hookbench_base::diagnostic::Diagnostic;
use hookbench_base::hook::Layer;
use hookbench_base::text::{Span, Syntax, parse_json};

/// Returns the directory of the user's files: `$CODEX_HOME`, or `~/.codex`.
pub fn home(place: &Place) -> String {
    match place.var("CODEX_HOME").filter(|v| !v.is_empty()) {
        Some(dir) => place.absolute(&place.project, dir),
        None => format!("{}/.codex", place.home),
    }
}

/// Returns the directory of the administrator's files.
pub fn system(place: &Place) -> &'static str {
    match place.os {
        Os::Windows => "C:/ProgramData/OpenAI/Codex",
        Os::Linux | Os::MacOs => "/etc/codex",
    }
}

/// The state of reading a place: its files, and the result so far.
pub struct Reading<'a> {
    pub place: &'a Place,
    pub files: &'a dyn Files,
    pub loaded: &'a mut Loaded,
}

/// The result of reading a file as text, before parsing.
enum Text {
    Absent,
    /// The reason, and how to fix it.
    Unreadable(String, &'static str),
    Read(String),
}

impl Reading<'_> {
    fn text(&self, path: &str) -> Text {
        match read_settings(self.files, path) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => Text::Read(text),
                Err(_) => Text::Unreadable("the file is not UTF-8".to_owned(), "save it as UTF-8"),
            },
            Err(FileError::Missing) => Text::Absent,
            Err(FileError::Unreadable { why, cure }) => {
                Text::Unreadable(format!("the file cannot be read ({why})"), cure)
            }
        }
    }

    /// Records the state of a file.
    pub fn layer(&mut self, layer: Layer, path: &str, state: LayerState, says: Option<String>, bundle: Option<&str>) {
        let file = self.place.show(path);
        let bundle = bundle.map(str::to_owned);
        self.loaded.layers.push(LayerFile { layer, path: path.to_owned(), file, state, says, bundle });
    }

    /// Changes the recorded state of a file.
    pub fn restate(&mut self, path: &str, state: LayerState, says: &str) {
        for layer in self.loaded.layers.iter_mut().filter(|l| l.path == path) {
            layer.state = state;
            layer.says = Some(says.to_owned());
        }
    }

    /// Reads a TOML file. If it is invalid, Codex does not start.
    pub fn toml(&mut self, layer: Layer, path: &str) -> Option<Tree> {
        let text = match self.text(path) {
            Text::Absent => {
                self.layer(layer, path, LayerState::Absent, None, None);
                return None;
            }
            Text::Unreadable(why, cure) => {
                self.layer(layer, path, LayerState::Broken, Some(why.clone()), None);
                let file = self.place.show(path);
                let says = format!("{why}: Codex does not start, so no hook of any file runs");
                self.note(Diagnostic::error("HW101", says).in_file(file.clone()).help(cure));
                self.loaded.refused.get_or_insert(Refusal { says: format!("{file}: {why}"), span: None });
                return None;
            }
            Text::Read(text) => text,
        };
        let source = self.loaded.add_source(self.place, path, &text);
        match Tree::of_toml(source, &text) {
            Ok(tree) => {
                self.layer(layer, path, LayerState::Read, None, None);
                Some(tree)
            }
            Err((span, why)) => {
                self.layer(layer, path, LayerState::Broken, Some(format!("no valid TOML: {why}")), None);
                let says = format!("no valid TOML ({why}): Codex does not start, so no hook of any file runs");
                self.note(Diagnostic::error("HW101", says).at(span).help("repair the TOML at this place"));
                self.refuse(span, format!("{} is no valid TOML: {why}", self.place.show(path)));
                None
            }
        }
    }

    /// Reads a TOML file of an untrusted project to show what it would contain.
    pub fn unread_toml(&mut self, layer: Layer, path: &str, says: &str) -> Option<Tree> {
        let text = self.unread(layer, path, says)?;
        let source = self.loaded.add_source(self.place, path, &text);
        Tree::of_toml(source, &text)
            .map_err(|(span, why)| {
                let says = format!("no valid TOML ({why}): Codex would not start");
                self.note(Diagnostic::error("HW101", says).at(span).help("repair the TOML at this place"));
            })
            .ok()
    }

    /// Reads a JSON file of an untrusted project to show what it would contain.
    pub fn unread_json(&mut self, layer: Layer, path: &str, says: &str) -> Option<Tree> {
        let text = self.unread(layer, path, says)?;
        let source = self.loaded.add_source(self.place, path, &text);
        match parse_json(source, &text, Syntax::default()) {
            Ok(node) => Some(Tree::of_json(&node, &self.loaded.sources)),
            Err(why) => {
                let says = format!("no valid JSON ({}): none of its hooks would load", why.message);
                let note = Diagnostic::error("HW101", says).at(Span::new(source, why.at, why.at));
                self.note(note.help(why.help.unwrap_or_else(|| "repair the JSON".to_owned())));
                None
            }
        }
    }

    fn unread(&mut self, layer: Layer, path: &str, says: &str) -> Option<String> {
        let text = self.text(path);
        let there = !matches!(text, Text::Absent);
        let state = if there { LayerState::Untrusted } else { LayerState::Absent };
        self.layer(layer, path, state, there.then(|| says.to_owned()), None);
        match text {
            Text::Read(text) => Some(text),
            _ => None,
        }
    }

    /// Reads a JSON file. If it is invalid, only its own hooks are lost.
    pub fn json(&mut self, layer: Layer, path: &str, bundle: Option<&str>) -> Option<Tree> {
        let text = match self.text(path) {
            Text::Absent => {
                self.layer(layer, path, LayerState::Absent, None, bundle);
                return None;
            }
            Text::Unreadable(why, cure) => {
                self.layer(layer, path, LayerState::Broken, Some(why.clone()), bundle);
                let file = self.place.show(path);
                let says = format!("{why}: none of its hooks load");
                self.note(Diagnostic::error("HW101", says).in_file(file).help(cure));
                return None;
            }
            Text::Read(text) => text,
        };
        let source = self.loaded.add_source(self.place, path, &text);
        let (at, why, help) = match parse_json(source, &text, Syntax::default()) {
            Ok(node) => match stricter(&text) {
                None => {
                    self.layer(layer, path, LayerState::Read, None, bundle);
                    return Some(Tree::of_json(&node, &self.loaded.sources));
                }
                Some((at, why)) => (at, why, None),
            },
            Err(why) => (why.at, why.message, why.help),
        };
        let says = format!("no valid JSON ({why}): none of its hooks load");
        self.layer(layer, path, LayerState::Broken, Some(format!("no valid JSON: {why}")), bundle);
        let help =
            help.unwrap_or_else(|| "repair the JSON; comments, trailing commas and a byte-order mark count".into());
        self.note(Diagnostic::error("HW101", says).at(Span::new(source, at, at)).help(help));
        None
    }

    /// Reports a JSON file of the wrong shape: its hooks are lost, and no others.
    pub fn lose(&mut self, path: &str, why: &Wrong) {
        self.restate(path, LayerState::Broken, &why.says);
        let says = format!("{}, so none of the hooks in this file load", why.says);
        self.note(Diagnostic::error(why.code, says).at(why.span).help(why.help.clone()));
    }

    /// Reports a JSON file of the wrong shape that Codex does not read yet.
    pub fn would_lose(&mut self, why: &Wrong) {
        let says = format!("{}, so none of the hooks in this file would load", why.says);
        self.note(Diagnostic::error(why.code, says).at(why.span).help(why.help.clone()));
    }

    /// Reports a TOML file of the wrong shape: Codex does not start.
    pub fn fatal(&mut self, path: &str, why: &Wrong) {
        self.restate(path, LayerState::Broken, &why.says);
        let says = format!("{}: Codex does not start, so no hook of any file runs", why.says);
        self.note(Diagnostic::error("HW110", says).at(why.span).help(why.help.clone()));
        self.refuse(why.span, format!("{}: {}", self.place.show(path), why.says));
    }

    /// Reports a hook that makes Codex fail at the start of a session.
    pub fn crash(&mut self, span: Span, why: &str, help: &str) {
        let says = format!("{why}: Codex cannot start a session, so no hook of any file runs");
        self.note(Diagnostic::error("HW501", says).at(span).help(help));
        let file = self.loaded.sources.position(span.source, span.start);
        self.refuse(span, format!("{why} (line {})", file.line));
    }

    /// Keeps the first reason why Codex does not start.
    fn refuse(&mut self, span: Span, says: String) {
        self.loaded.refused.get_or_insert(Refusal { says, span: Some(span) });
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
            (".codex/hooks/hooks.json", "only plugins have it there; move it to .codex/hooks.json"),
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
            if self.files.exists(&path) && !(own && foreign) {
                self.loaded.not_loaded.push(NotLoaded { file: self.place.show(&path), says: says.to_owned() });
            }
        }
    }
}

/// Returns the first error of Codex's stricter parser: half a surrogate pair, or nesting deeper than 127.
fn stricter(text: &str) -> Option<(usize, String)> {
    let why = serde_json::from_str::<serde_json::Value>(text).err()?;
    let before: usize = text.split_inclusive('\n').take(why.line().saturating_sub(1)).map(str::len).sum();
    Some(((before + why.column().saturating_sub(1)).min(text.len()), why.to_string()))
}

//! The copied settings: every hook is recorded, the agent uses the stand-in of its model, and trust is as the user gave it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::mirror::{Mirror, MirroredFiles};
use crate::disk::files::DiskFiles;
use crate::verification::VerificationRequest;
use hookbench_core::config::{Files as _, Place};
use hookbench_core::convert::{GroupAddition, add};
use hookbench_core::dialects::settings_format::{FileForm, FileLanguage};
use hookbench_core::hook::Layer;
use hookbench_core::text::{JsonSyntax, SourceId, parse_json};
use hookbench_core::verification::{RecordedSettings, Recorder};

/// The settings that the agent of a verification reads.
pub(super) struct VerificationSettings<'a> {
    pub request: &'a VerificationRequest,
    pub mirror: &'a Mirror,
    pub recorder: &'a Recorder,
    /// A directory for files that have no copy.
    pub directory: &'a Path,
}

/// The result of writing the settings.
#[derive(Debug, Default)]
pub(super) struct WrittenSettings {
    pub recorded: RecordedSettings,
    /// Files outside every copied directory, and what the agent sees in their place.
    pub replaced: Vec<(PathBuf, PathBuf)>,
    /// Whether hookbench's own hook was added.
    pub observed: bool,
    pub notes: Vec<String>,
}

impl VerificationSettings<'_> {
    /// Writes the settings into the copies.
    pub(super) fn write(&self) -> Result<WrittenSettings, String> {
        let (request, mirror) = (self.request, self.mirror);
        let mut written = WrittenSettings {
            recorded: self.recorder.record(&request.loaded, request.dialect),
            ..WrittenSettings::default()
        };
        let mut texts: BTreeMap<PathBuf, String> = BTreeMap::new();
        for layer in &request.loaded.layers {
            if let Some(text) = read(&layer.path) {
                texts.insert(PathBuf::from(&layer.path), text);
            }
        }
        texts.extend(written.recorded.files.iter().map(|(path, text)| (PathBuf::from(path), text.clone())));
        for (name, _) in self.needed_settings() {
            if let Some(below) = name.strip_prefix("{{home}}/") {
                let empty = if self.language() == FileLanguage::Json { "{}" } else { "" };
                texts.entry(Path::new(&request.place.home).join(below)).or_insert_with(|| empty.to_owned());
            }
        }
        for (path, text) in &mut texts {
            self.use_stand_in(path, text);
        }
        written.observed = self.observe(&mut texts, &mut written.notes);
        for (number, (path, text)) in texts.iter().enumerate() {
            let text = mirror.to_agent(text);
            if read(&path.to_string_lossy()).is_some_and(|before| before == text) {
                continue;
            }
            let copy = mirror.copy_of(path).unwrap_or_else(|| self.directory.join(format!("settings-{number}")));
            write(&copy, &text)?;
            if mirror.copy_of(path).is_some() {
                continue;
            }
            if mirror.in_place {
                written.replaced.push((path.clone(), copy));
            } else {
                written.notes.push(format!("{} cannot be changed, so its hooks are not recorded", path.display()));
            }
        }
        let unrecorded = &written.recorded.unrecorded;
        written.notes.extend(unrecorded.iter().map(|hook| format!("not recorded: {hook}")));
        self.renew_trust()?;
        Ok(written)
    }

    /// The settings that every session needs, with paths as in probes.
    fn needed_settings(&self) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
        let dialect = self.request.dialect;
        dialect.headless_format().files.iter().chain(dialect.verification_format().settings)
    }

    /// The place as the agent sees it.
    pub(super) fn shown_place(&self) -> Place {
        let place = &self.request.place;
        let of_home = |name: &&str| Some(((*name).to_owned(), self.mirror.shown(place.env.get(*name)?)));
        Place {
            project: self.mirror.shown(&place.project),
            home: self.mirror.shown(&place.home),
            env: self.request.dialect.home_variables().iter().filter_map(of_home).collect(),
            ..(**place).clone()
        }
    }

    /// Removes the variables by which settings choose another service, and adds the keys that a session needs.
    fn use_stand_in(&self, path: &Path, text: &mut String) {
        let format = self.request.dialect.headless_format();
        if self.language() != FileLanguage::Json {
            let needed = self.needed_settings().filter(|(name, _)| self.is_at(name, path));
            for (_, needed) in needed {
                if let Some(merged) = self.language().merged(text, needed) {
                    *text = merged;
                }
            }
            return;
        }
        let Some(mut settings) = object(text) else { return };
        let mut changed = false;
        if let Some(Value::Object(variables)) = settings.get_mut("env") {
            let before = variables.len();
            variables.retain(|name, _| !format.environment.iter().any(|(own, _)| own == name));
            changed |= variables.len() != before;
        }
        for (name, needed) in self.needed_settings() {
            if let (true, Some(needed)) = (self.is_at(name, path), object(needed)) {
                merge(&mut settings, needed);
                changed = true;
            }
        }
        if changed {
            *text = Value::Object(settings).to_string();
        }
    }

    fn language(&self) -> FileLanguage {
        self.request.dialect.settings_format().form().language()
    }

    /// Whether a path as in probes is this path.
    fn is_at(&self, name: &str, path: &Path) -> bool {
        let home = Path::new(&self.request.place.home);
        name.strip_prefix("{{home}}/").is_some_and(|below| home.join(below) == path)
    }

    /// Adds hookbench's own hook to the events after a tool. Returns whether it was added.
    fn observe(&self, texts: &mut BTreeMap<PathBuf, String>, notes: &mut Vec<String>) -> bool {
        let request = self.request;
        let format = request.dialect.verification_format();
        let (file, events) = format.observer;
        if request.script.tool.is_none() || events.contains(&request.input.event.as_str()) {
            return false;
        }
        let path = format!("{}/{file}", request.place.home);
        let text = texts.entry(PathBuf::from(&path)).or_default();
        let own = request.dialect.hook_files(&request.place, Layer::User).into_iter().find(|own| own.path == path);
        let form = own.map_or(FileForm::of_settings(LENIENT), |own| own.form);
        let handler = json!({ "type": "command", "command": self.recorder.observer_line() });
        let addition =
            |event: &&str| GroupAddition { event: (*event).to_owned(), group: json!({ "hooks": [handler.clone()] }) };
        let additions: Vec<GroupAddition> = events.iter().map(addition).collect();
        let Ok(observed) = add(text, form, &additions) else {
            notes.push(format!("~/{file} cannot be extended, so the input of the tool is not seen"));
            return false;
        };
        *text = observed;
        true
    }

    /// Gives changed commands the trust that the user gave the original ones.
    fn renew_trust(&self) -> Result<(), String> {
        let (dialect, mirror) = (self.request.dialect, self.mirror);
        let before = dialect.trust_files(&self.request.place, &DiskFiles);
        let shown = self.shown_place();
        let after = dialect.trust_files(&shown, &MirroredFiles(mirror));
        for ((real, before), (_, after)) in before.iter().zip(&after) {
            let Some(copy) = mirror.copy_of(Path::new(real)) else { continue };
            let current = read(&copy.to_string_lossy()).unwrap_or_default();
            let before = mirror.to_agent(before);
            let renewed = renewed_list(&before, after, &current);
            let renewed = renewed.unwrap_or_else(|| renewed_trust(&before, after, &current));
            if renewed != current {
                write(&copy, &renewed)?;
            }
        }
        Ok(())
    }
}

/// Changes the text of a JSON file with a list of approvals, which are objects. `None` if one of the texts is not one.
fn renewed_list(before: &str, after: &str, current: &str) -> Option<String> {
    let list = |text: &str| {
        let (name, list) = serde_json::from_str::<Map<String, Value>>(text).ok()?.into_iter().next()?;
        Some((name, list.as_array()?.clone()))
    };
    let ((_, before), (name, after), (_, mut current)) = (list(before)?, list(after)?, list(current)?);
    for approval in &mut current {
        let has = |key: (&String, &Value)| approval.get(key.0) == Some(key.1);
        let renewed = before.iter().zip(&after).find(|(old, _)| old.as_object().is_some_and(|old| old.iter().all(has)));
        if let Some((_, new)) = renewed {
            *approval = new.clone();
        }
    }
    Some(json!({ name: current }).to_string())
}

/// Changes the text of a file with approvals. `before` and `after` are the approvals of everything, before and after the
/// commands were changed, in blocks of a line that names the hook and a line with its approval.
fn renewed_trust(before: &str, after: &str, current: &str) -> String {
    let blocks = |text: &str| -> Vec<(String, String)> {
        text.split("\n\n")
            .filter_map(|block| block.split_once('\n'))
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .collect()
    };
    let known = blocks(before);
    let mut text = current.to_owned();
    for (name, approval) in blocks(after) {
        match known.iter().find(|(other, _)| *other == name) {
            Some((_, old)) => {
                let (old, new) = (quoted_part(old), quoted_part(&approval));
                if let (Some(old), Some(new)) = (old, new) {
                    text = text.replace(old, new);
                }
            }
            None => text.push_str(&format!("\n\n{name}\n{approval}")),
        }
    }
    text
}

/// The text between the first pair of quotes.
fn quoted_part(text: &str) -> Option<&str> {
    text.split('"').nth(1).filter(|part| !part.is_empty())
}

const LENIENT: JsonSyntax = JsonSyntax { comments: true, trailing_commas: true, bom: true };

/// A JSON object, with comments or without. `None` for anything else.
fn object(text: &str) -> Option<Map<String, Value>> {
    match parse_json(SourceId(0), text, LENIENT).ok()?.to_value() {
        Value::Object(map) => Some(map),
        _ => None,
    }
}

/// Adds the keys of another object, at any depth.
fn merge(into: &mut Map<String, Value>, other: Map<String, Value>) {
    for (key, value) in other {
        match (into.get_mut(&key), value) {
            (Some(Value::Object(inner)), Value::Object(more)) => merge(inner, more),
            (_, value) => drop(into.insert(key, value)),
        }
    }
}

fn read(path: &str) -> Option<String> {
    DiskFiles.read(path).ok().and_then(|bytes| String::from_utf8(bytes).ok())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| {
        // A copied file keeps the permissions of the original, which may forbid a change.
        let _ = fs::remove_file(path);
        fs::write(path, text)
    });
    written.map_err(|why| format!("{}: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn approvals_follow_their_commands() {
        let before = "[projects.\"/p\"]\ntrust_level = \"trusted\"\n\n[state.\"a\"]\nhash = \"1\"\n\n[state.\"b\"]\nhash = \"2\"\n";
        let after = before.replace("\"1\"", "\"8\"").replace("\"2\"", "\"9\"") + "\n[state.\"c\"]\nhash = \"7\"\n";
        // The user has approved only one of the two hooks.
        let current = "model = \"x\"\n[state.\"a\"]\nhash = \"1\"\n";
        let want = "model = \"x\"\n[state.\"a\"]\nhash = \"8\"\n\n\n[state.\"c\"]\nhash = \"7\"\n";
        assert_eq!(renewed_trust(before, &after, current), want);
        let list = |words: [&str; 2]| json!({"l": words.map(|word| json!({"c": word}))}).to_string();
        let current = r#"{"l":[{"c":"b","at":1},{"c":"z"}]}"#;
        let renewed = renewed_list(&list(["a", "b"]), &list(["c", "d"]), current);
        assert_eq!(renewed.as_deref(), Some(r#"{"l":[{"c":"d"},{"c":"z"}]}"#));
    }
}

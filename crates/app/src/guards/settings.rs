//! The guards in the user's configuration, and changes of them.

use hookbench_core::text::unified_diff;
use std::path::{Path, PathBuf};

use toml_edit::{Document, Item};

use hookbench_core::config::Place;
use hookbench_core::guard::{Allowance, GuardHit, GuardMode, GuardName, GuardSettings, find_rule, read_guard_settings};

use crate::disk::state_dir::{StateDir, config_file};
use crate::disk::user_file::{self, LinkPolicy, WriteError};

/// A change of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigChange {
    pub path: PathBuf,
    pub before: Option<String>,
    pub after: String,
    /// The change as a patch; empty if nothing changes.
    pub diff: String,
}

/// The reason why the configuration cannot be changed.
#[derive(Debug, thiserror::Error)]
pub enum ConfigChangeError {
    #[error("the home directory is unknown, so the configuration cannot be found; set HOME")]
    NoFile,
    #[error("{file} cannot be read: {why}")]
    Unreadable { file: String, why: String },
    #[error("{file}: {message}; nothing was changed")]
    Invalid { file: String, message: String },
    #[error("guard {guard} has no rule {rule}; hookbench explain lists the rules")]
    UnknownRule { guard: &'static str, rule: String },
    #[error("{0}")]
    Write(#[from] WriteError),
}

impl ConfigChange {
    /// Writes the change. `hookbench undo` undoes it.
    ///
    /// # Errors
    /// Returns an error if the file has changed in the meantime or cannot be written.
    pub fn write(&self, place: &Place) -> Result<(), ConfigChangeError> {
        let (state, project) = (StateDir::of(place), Path::new(&place.project));
        let (path, before) = (self.path.to_string_lossy(), self.before.as_ref().map(String::as_bytes));
        Ok(user_file::write(&state, project, &path, before, self.after.as_bytes(), LinkPolicy::Refuse)?)
    }
}

fn file(place: &Place) -> Result<PathBuf, ConfigChangeError> {
    config_file(&|name| place.var(name).map(str::to_owned)).ok_or(ConfigChangeError::NoFile)
}

fn text(path: &Path) -> Result<Option<String>, ConfigChangeError> {
    match std::fs::metadata(path) {
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => Ok(None),
        _ => hookbench_system::disk::read_text(path)
            .map(Some)
            .map_err(|why| ConfigChangeError::Unreadable { file: path.display().to_string(), why: why.to_string() }),
    }
}

/// Reads the settings of guards. A file that cannot be read counts as empty.
pub fn guard_settings(place: &Place) -> GuardSettings {
    let text = file(place).and_then(|path| text(&path)).ok().flatten().unwrap_or_default();
    read_guard_settings(&text).0
}

/// The time at which the configuration was last changed, in milliseconds since 1970.
pub fn changed_at(place: &Place) -> Option<i64> {
    let modified = std::fs::metadata(file(place).ok()?).ok()?.modified().ok()?;
    let since = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}

fn change(place: &Place, edit: impl FnOnce(&str) -> Result<String, String>) -> Result<ConfigChange, ConfigChangeError> {
    let path = file(place)?;
    let before = text(&path)?;
    let shown = path.display().to_string();
    let old = before.clone().unwrap_or_default();
    let invalid = |message: String| ConfigChangeError::Invalid { file: shown.clone(), message };
    let after = edit(&old).map_err(invalid)?;
    let name = place.display_path(&shown);
    Ok(ConfigChange { diff: unified_diff(&name, &old, &after), path, before, after })
}

/// Prepares the change of a guard's mode, or of one of its rules.
///
/// # Errors
/// Returns an error if the configuration cannot be read, or has no place for the setting.
pub fn mode_change(
    place: &Place,
    guard: GuardName,
    rule: Option<&str>,
    mode: GuardMode,
) -> Result<ConfigChange, ConfigChangeError> {
    if let Some(id) = rule
        && find_rule(id).is_none_or(|rule| rule.guard != guard)
    {
        return Err(ConfigChangeError::UnknownRule { guard: guard.word(), rule: id.to_owned() });
    }
    change(place, |text| with_mode(text, guard, rule, mode))
}

/// Returns the configuration with another mode of a guard, or of one of its rules.
///
/// # Errors
/// Returns a message if the text has no place for it.
pub fn with_mode(text: &str, guard: GuardName, rule: Option<&str>, mode: GuardMode) -> Result<String, String> {
    let after = match rule {
        Some(rule) => set(text, &["guard", guard.word(), "modes"], rule, mode.word())?,
        None => set(text, &["guard", guard.word()], "mode", mode.word())?,
    };
    let settings = read_guard_settings(&after).0;
    let now = rule.map_or_else(|| settings.guard_mode(guard), |rule| settings.rule_mode(rule));
    if now == mode {
        Ok(after)
    } else {
        Err("the setting is written in a form that hookbench does not change".to_owned())
    }
}

/// Prepares an allowance.
///
/// # Errors
/// Returns an error if the configuration cannot be read, or is not valid.
pub fn allow_change(place: &Place, allowance: &Allowance) -> Result<ConfigChange, ConfigChangeError> {
    change(place, |text| with_allowance(text, allowance))
}

/// Returns the configuration with an allowance at its end.
///
/// # Errors
/// Returns a message if the text has no place for it.
pub fn with_allowance(text: &str, allowance: &Allowance) -> Result<String, String> {
    let mut after = text.to_owned();
    if !after.is_empty() {
        after.push_str(if after.ends_with('\n') { "\n" } else { "\n\n" });
    }
    after.push_str("[[guard.allow]]\n");
    for (key, value) in [
        ("rule", &allowance.rule),
        ("text", &allowance.text),
        ("project", &allowance.project),
        ("reason", &allowance.reason),
    ] {
        if !value.is_empty() {
            after.push_str(&format!("{key} = {}\n", quoted(value)));
        }
    }
    let known = read_guard_settings(text).0.allowances.len();
    let now = read_guard_settings(&after).0.allowances;
    let added = now.len() == known + 1 && now.last() == Some(allowance);
    if added { Ok(after) } else { Err("the configuration has no place for an allowance at its end".to_owned()) }
}

/// Returns the allowance of a recorded finding, for its project.
pub fn allowance_of(hit: &GuardHit, reason: &str) -> Allowance {
    let (rule, text, project) = (hit.rule.clone(), hit.evidence.clone(), hit.project.clone());
    Allowance { rule, text, project, reason: reason.to_owned() }
}

/// Returns a value as a TOML string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Sets a text in a table. The rest of the file does not change.
fn set(text: &str, table: &[&str], key: &str, value: &str) -> Result<String, String> {
    let document = Document::parse(text).map_err(|why| format!("not valid TOML: {}", why.message()))?;
    let value = quoted(value);
    let mut item: Option<&Item> = Some(document.as_item());
    for name in table {
        item = item.and_then(|item| item.as_table_like()?.get(name));
    }
    let mut after = text.to_owned();
    if let Some(span) = item.and_then(|item| item.as_table_like()?.get(key)?.span()) {
        after.replace_range(span, &value);
        return Ok(after);
    }
    let key = if key.contains('-') { format!("\"{key}\"") } else { key.to_owned() };
    let header = format!("[{}]", table.join("."));
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        offset += line.len();
        if line.trim() == header {
            let newline = if line.ends_with('\n') { "" } else { "\n" };
            after.insert_str(offset, &format!("{newline}{key} = {value}\n"));
            return Ok(after);
        }
    }
    if !after.is_empty() {
        after.push_str(if after.ends_with('\n') { "\n" } else { "\n\n" });
    }
    after.push_str(&format!("{header}\n{key} = {value}\n"));
    Ok(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_setting_is_changed_or_added() {
        for (text, table, key, want) in [
            ("", &["guard", "todo"][..], "mode", "[guard.todo]\nmode = \"deny\"\n"),
            ("theme = 'dark'\n", &["guard", "todo"], "mode", "theme = 'dark'\n\n[guard.todo]\nmode = \"deny\"\n"),
            (
                "[guard.todo] # mine\nmode = 'warn' # now\n\n[log]\nruns = true\n",
                &["guard", "todo"],
                "mode",
                "[guard.todo] # mine\nmode = \"deny\" # now\n\n[log]\nruns = true\n",
            ),
            (
                "[guard.todo]\nrules = \"all\"\n[log]\nruns = true\n",
                &["guard", "todo"],
                "mode",
                "[guard.todo]\nmode = \"deny\"\nrules = \"all\"\n[log]\nruns = true\n",
            ),
            (
                "[guard.todo]\nmode = \"warn\"",
                &["guard", "todo", "modes"],
                "TV-R1",
                "[guard.todo]\nmode = \"warn\"\n\n[guard.todo.modes]\n\"TV-R1\" = \"deny\"\n",
            ),
        ] {
            assert_eq!(set(text, table, key, "deny").as_deref(), Ok(want));
            assert!(Document::parse(want).is_ok());
        }
    }
}

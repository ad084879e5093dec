//! Keeps choices of the palette in the settings file: the theme, and whether runs are logged. Everything else in the
//! file, also its comments, stays as written.

use toml_edit::Document;

use crate::model::Model;
use crate::theme::ThemeChoice;
use hookbench_app::lint::FileChange;

/// The change of the settings file that keeps this theme. `None` if the file already has it, or if there is no place
/// for a settings file.
pub fn theme_change(model: &Model, choice: ThemeChoice) -> Option<Result<FileChange, String>> {
    change(model, "the theme is not kept", |text| with_theme(text, choice.name()))
}

/// The change of the settings file that turns the log of runs on or off. `None` if the file already says so, or if there
/// is no place for a settings file.
pub fn log_change(model: &Model, on: bool) -> Option<Result<FileChange, String>> {
    change(model, "the choice is not kept", |text| with_log(text, on))
}

/// The change of the settings file by `edit`, which returns `None` for a text that it cannot edit. `consequence` is for
/// the message then.
fn change(
    model: &Model,
    consequence: &str,
    edit: impl Fn(&str) -> Option<String>,
) -> Option<Result<FileChange, String>> {
    let path = model.config.file.as_ref()?.display().to_string();
    let file = model.session.place().display_path(&path);
    let before = model.session.files().read(&path).ok();
    let text = match before.as_deref().map(std::str::from_utf8) {
        None => "",
        Some(Ok(text)) => text,
        Some(Err(_)) => return Some(Err(format!("{file} is not UTF-8, so {consequence}"))),
    };
    match edit(text) {
        Some(after) if after == text => None,
        Some(after) => Some(Ok(FileChange { file, path, before, after: after.into_bytes(), executable: false })),
        None => Some(Err(format!("{file} is not TOML, so {consequence}"))),
    }
}

/// The text of the settings file with the log of runs on or off; `None` if the text is not TOML.
fn with_log(text: &str, on: bool) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let table = document.get("log");
    let runs = table.and_then(|table| table.get("runs"));
    if runs.and_then(|runs| runs.as_bool()).unwrap_or(false) == on {
        return Some(text.to_owned());
    }
    let header = table.and_then(|table| table.as_table()?.span()).map(|span| span.end);
    let after = match (runs.and_then(|runs| runs.as_value()?.span()), header) {
        (Some(span), _) => format!("{}{on}{}", text.get(..span.start)?, text.get(span.end..)?),
        (None, Some(end)) => {
            let at = text.get(end..)?.find('\n').map_or(text.len(), |line_end| end + line_end);
            format!("{}\nruns = {on}{}", text.get(..at)?, text.get(at..)?)
        }
        (None, None) => {
            let before = text.trim_end();
            format!("{before}{}[log]\nruns = {on}\n", if before.is_empty() { "" } else { "\n\n" })
        }
    };
    // A table in an unusual notation, such as `log = {}`, is left to the user.
    Document::parse(after.as_str()).ok()?;
    Some(after)
}

/// The text of the settings file with this theme; `None` if the text is not TOML.
fn with_theme(text: &str, name: &str) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let setting = document.get("theme");
    if setting.and_then(|item| item.as_str()) == Some(name) {
        return Some(text.to_owned());
    }
    // A new setting is put below the last one that is in no table; in front of everything if there is none.
    let last = document.iter().filter_map(|(_, item)| item.as_value()?.span()).map(|span| span.end).max();
    let (start, end, new) = match (setting.and_then(|item| item.as_value()?.span()), last) {
        (Some(span), _) => (span.start, span.end, format!("\"{name}\"")),
        (None, None) => (0, 0, format!("theme = \"{name}\"\n")),
        (None, Some(last)) => {
            let at = text.get(last..)?.find('\n').map_or(text.len(), |line_end| last + line_end);
            (at, at, format!("\ntheme = \"{name}\""))
        }
    };
    Some(format!("{}{new}{}", text.get(..start)?, text.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::{with_log, with_theme};

    #[test]
    fn the_log_is_turned_on_and_off() {
        for (before, on, after) in [
            ("", true, "[log]\nruns = true\n"),
            ("", false, ""),
            ("mouse = false\n[lint]\n", true, "mouse = false\n[lint]\n\n[log]\nruns = true\n"),
            ("[log] # mine\n\n[lint]\n", true, "[log] # mine\nruns = true\n\n[lint]\n"),
            ("[log]\nruns = true # yes\n", false, "[log]\nruns = false # yes\n"),
            ("log.runs = false\n", true, "log.runs = true\n"),
        ] {
            assert_eq!(with_log(before, on).as_deref(), Some(after), "{before}");
        }
        assert_eq!((with_log("log = {}", true), with_log("[log", true)), (None, None));
    }

    #[test]
    fn comments_and_order_are_kept() {
        let cases = [
            ("", "theme = \"mono\"\n"),
            (
                "# mine\ntheme = \"dark\" # at night\nmouse = false\n",
                "# mine\ntheme = \"mono\" # at night\nmouse = false\n",
            ),
            ("mouse = false # no\n\n# lint\n[lint]\n", "mouse = false # no\ntheme = \"mono\"\n\n# lint\n[lint]\n"),
            ("theme=\"mono\"", "theme=\"mono\""),
        ];
        for (before, after) in cases {
            assert_eq!(with_theme(before, "mono").as_deref(), Some(after), "{before}");
        }
        assert_eq!(with_theme("theme = ", "mono"), None);
    }
}

//! Keeps the chosen theme in the settings file. Everything else in the file, also its comments, stays as written.

use toml_edit::Document;

use crate::model::Model;
use crate::theme::ThemeChoice;
use hookbench_app::lint::FileChange;

/// The change of the settings file that keeps this theme. `None` if the file already has it, or if there is no place
/// for a settings file.
///
/// # Errors
/// Returns the reason if the file cannot be changed.
pub fn theme_change(model: &Model, choice: ThemeChoice) -> Option<Result<FileChange, String>> {
    let path = model.config.file.as_ref()?.display().to_string();
    let file = model.session.place().display_path(&path);
    let before = model.session.files().read(&path).ok();
    let text = match before.as_deref().map(std::str::from_utf8) {
        None => "",
        Some(Ok(text)) => text,
        Some(Err(_)) => return Some(Err(format!("{file} is not UTF-8, so the theme is not kept"))),
    };
    match with_theme(text, choice.name()) {
        Some(after) if after == text => None,
        Some(after) => Some(Ok(FileChange { file, path, before, after: after.into_bytes(), executable: false })),
        None => Some(Err(format!("{file} is not TOML, so the theme is not kept"))),
    }
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
    use super::with_theme;

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

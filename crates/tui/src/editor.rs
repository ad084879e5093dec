//! Opening the user's editor.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// The editor's command: the setting, otherwise `$VISUAL`, `$EDITOR` or `vi`.
pub fn program(set: Option<&str>) -> String {
    let var = |name: &str| std::env::var(name).ok().filter(|v| !v.trim().is_empty());
    set.map(str::to_owned).or_else(|| var("VISUAL")).or_else(|| var("EDITOR")).unwrap_or_else(|| "vi".to_owned())
}

/// The arguments that open a file at a place. An unknown editor gets only the path, because it would take a place
/// for a file name.
fn place_arguments(program: &str, path: &str, (line, column): (u32, u32)) -> Vec<String> {
    let first = program.split_whitespace().next().unwrap_or("");
    match first.rsplit('/').next().unwrap_or(first) {
        "vim" | "nvim" => vec![format!("+call cursor({line},{column})"), path.to_owned()],
        "nano" | "pico" => vec![format!("+{line},{column}"), path.to_owned()],
        "emacs" | "emacsclient" | "micro" | "kak" => vec![format!("+{line}:{column}"), path.to_owned()],
        "vi" | "view" | "mg" | "joe" => vec![format!("+{line}"), path.to_owned()],
        "code" | "codium" | "cursor" => vec!["--goto".to_owned(), format!("{path}:{line}:{column}")],
        "hx" | "helix" | "zed" | "subl" => vec![format!("{path}:{line}:{column}")],
        _ => vec![path.to_owned()],
    }
}

/// Edits a text in a temporary file that only its owner can read. Returns `None` if the editor failed or did not
/// change it.
///
/// # Errors
/// Returns an error if the file cannot be written or read, or if the editor cannot be started.
pub fn edit_text(program: &str, text: &str) -> std::io::Result<Option<String>> {
    let mut file = tempfile::Builder::new().prefix("hookbench-").suffix(".json").tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    let ended = open(program, file.path(), None)?;
    // The file is read by its path because some editors save by renaming.
    let after = std::fs::read_to_string(file.path())?;
    Ok((ended && after != text).then_some(after))
}

/// Opens a file at a line and column. Returns whether its content is different afterwards.
///
/// # Errors
/// Returns an error if the editor cannot be started.
pub fn edit_file(program: &str, path: &Path, place: (u32, u32)) -> std::io::Result<bool> {
    let before = std::fs::read(path).ok();
    open(program, path, Some(place))?;
    Ok(std::fs::read(path).ok() != before)
}

/// Opens a file at a line and column. Returns whether the editor succeeded.
///
/// # Errors
/// Returns an error if the editor cannot be started.
pub fn open(program: &str, path: &Path, place: Option<(u32, u32)>) -> std::io::Result<bool> {
    // By convention the value is shell code (`code --wait`); the path is not.
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{program} \"$@\"")).arg("hookbench");
    match place.zip(path.to_str()) {
        Some((place, path)) => command.args(place_arguments(program, path, place)),
        None => command.arg(path),
    };
    Ok(command.status()?.success())
}

#[cfg(test)]
mod tests {
    use super::place_arguments;

    #[test]
    fn each_editor_is_told_the_place_in_its_own_way() {
        for (program, want) in [
            ("vi", "+7 a/b.json"),
            ("/usr/bin/nvim -f", "+call cursor(7,20) a/b.json"),
            ("nano", "+7,20 a/b.json"),
            ("emacsclient -t", "+7:20 a/b.json"),
            ("code --wait", "--goto a/b.json:7:20"),
            ("hx", "a/b.json:7:20"),
            ("ed", "a/b.json"),
        ] {
            assert_eq!(place_arguments(program, "a/b.json", (7, 20)).join(" "), want, "{program}");
        }
    }
}

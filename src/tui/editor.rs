//! A visit to the user's own editor.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// Which editor: the one that the user's settings name, else `$VISUAL`, `$EDITOR`, `vi`.
pub fn program(set: Option<&str>) -> String {
    let var = |name: &str| std::env::var(name).ok().filter(|v| !v.trim().is_empty());
    set.map(str::to_owned).or_else(|| var("VISUAL")).or_else(|| var("EDITOR")).unwrap_or_else(|| "vi".to_owned())
}

/// Whether the editor takes `+12` as a line. Others would open a file of that name.
fn knows_lines(program: &str) -> bool {
    const KNOWN: [&str; 12] =
        ["vi", "vim", "nvim", "view", "nano", "pico", "emacs", "emacsclient", "mg", "micro", "joe", "kak"];
    let first = program.split_whitespace().next().unwrap_or("");
    KNOWN.contains(&first.rsplit('/').next().unwrap_or(first))
}

/// Edits a text in a file of its own that only its owner can read. None when the editor failed or nothing was changed.
///
/// # Errors
/// When the file cannot be written or read, or the editor cannot be started.
pub fn edit_text(program: &str, text: &str) -> std::io::Result<Option<String>> {
    let mut file = tempfile::Builder::new().prefix("hookbench-").suffix(".json").tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    let ended = open(program, file.path(), None)?;
    // Editors that save by renaming leave another file under the same name.
    let after = std::fs::read_to_string(file.path())?;
    Ok((ended && after != text).then_some(after))
}

/// Opens a file at a line. Gives whether the editor ended well.
///
/// # Errors
/// When the editor cannot be started.
pub fn open(program: &str, path: &Path, line: Option<u32>) -> std::io::Result<bool> {
    // The value is shell text by custom (`code --wait`), the path is not.
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{program} \"$@\"")).arg("hookbench");
    if let Some(line) = line.filter(|_| knows_lines(program)) {
        command.arg(format!("+{line}"));
    }
    Ok(command.arg(path).status()?.success())
}

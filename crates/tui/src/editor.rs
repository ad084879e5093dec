//! Opening the user's editor.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use hookbench_core::text::one_line;

use crate::clipboard;

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

/// The editor that hookbench runs in, in its terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunningEditor {
    /// The address of its server.
    Neovim(String),
    VsCode,
    Zed,
}

impl RunningEditor {
    /// The editor in whose terminal the program is, unless the configuration names another one.
    pub fn around(configured: Option<&str>) -> Option<RunningEditor> {
        let variable = |name: &str| std::env::var(name).ok();
        if configured.is_some() { None } else { RunningEditor::find(&variable, &clipboard::installed) }
    }

    /// Finds it by the variables that it sets for its terminal. `None` if it has no program on the PATH to ask.
    fn find(variable: &dyn Fn(&str) -> Option<String>, is_installed: &dyn Fn(&str) -> bool) -> Option<RunningEditor> {
        let editor = if let Some(server) = variable("NVIM").filter(|server| !server.is_empty()) {
            RunningEditor::Neovim(server)
        } else if variable("ZED_TERM").is_some_and(|value| value == "true") {
            RunningEditor::Zed
        } else if variable("TERM_PROGRAM").is_some_and(|value| value == "vscode") {
            RunningEditor::VsCode
        } else {
            return None;
        };
        is_installed(editor.program()).then_some(editor)
    }

    fn program(&self) -> &'static str {
        match self {
            RunningEditor::Neovim(_) => "nvim",
            RunningEditor::VsCode => "code",
            RunningEditor::Zed => "zed",
        }
    }

    /// The arguments that open a file at a place, in a tab of its own if hookbench's would be replaced.
    fn arguments(&self, path: &str, (line, column): (u32, u32)) -> Vec<String> {
        match self {
            RunningEditor::Neovim(server) => {
                let quoted = path.replace('\'', "''");
                let open = format!("execute('tab drop ' . fnameescape('{quoted}')) . cursor({line},{column})");
                vec!["--server".to_owned(), server.clone(), "--remote-expr".to_owned(), open]
            }
            RunningEditor::VsCode | RunningEditor::Zed => place_arguments(self.program(), path, (line, column)),
        }
    }

    /// Opens a file at a line and column, and returns the message for the user.
    pub fn open(&self, path: &str, place: (u32, u32)) -> String {
        let program = self.program();
        let mut command = Command::new(program);
        command.args(self.arguments(path, place)).stdin(Stdio::null());
        match command.output() {
            Ok(output) if output.status.success() => format!("opened in {program}, whose terminal this is"),
            Ok(output) => {
                let why = String::from_utf8_lossy(&output.stderr);
                format!("{program} did not open the file: {}", one_line(why.trim()))
            }
            Err(why) => format!("{program} did not start: {why}"),
        }
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
pub fn edit_file(program: &str, path: &Path, place: (u32, u32)) -> std::io::Result<bool> {
    let before = std::fs::read(path).ok();
    open(program, path, Some(place))?;
    Ok(std::fs::read(path).ok() != before)
}

/// Opens a file at a line and column. Returns whether the editor succeeded.
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
    use super::{RunningEditor, place_arguments};

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

    #[test]
    fn a_file_opens_in_the_editor_whose_terminal_it_is() {
        let place = |set: &[(&str, &str)], installed: &[&str]| {
            let variable =
                |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
            let editor = RunningEditor::find(&variable, &|program| installed.contains(&program))?;
            Some(format!("{} {}", editor.program(), editor.arguments("it's/b.json", (7, 20)).join(" ")))
        };
        let (vscode, zed) = (("TERM_PROGRAM", "vscode"), ("ZED_TERM", "true"));
        let all = ["nvim", "code", "zed"];
        for (set, installed, want) in [
            (&[][..], &all[..], None),
            (&[("NVIM", "")], &all, None),
            (&[vscode], &["nvim"], None),
            (&[vscode], &all, Some("code --goto it's/b.json:7:20")),
            (&[zed, vscode], &all, Some("zed it's/b.json:7:20")),
            (
                &[("NVIM", "/run/nvim.1"), vscode],
                &all,
                Some(
                    "nvim --server /run/nvim.1 --remote-expr execute('tab drop ' . fnameescape('it''s/b.json')) . cursor(7,20)",
                ),
            ),
        ] {
            assert_eq!(place(set, installed).as_deref(), want, "{set:?}");
        }
    }
}

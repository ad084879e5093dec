//! The folders in which Cline looks for hooks (spec §1), and how it runs a file (spec §4).

use std::time::Duration;

use super::events::EVENTS;
use crate::kernel::script_files::{ScriptRules, event_of_file, load_folders};
use crate::kernel::settings::{report_ignored, user_directory};
use crate::shared::javascript::trim;
use hookbench_base::config::{Files, IgnoredFile, LoadedConfig, Place};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::dialects::settings_format::{FileForm, HookFile};
use hookbench_base::hook::{EventSpec, Layer};

/// The variable with the directory of the user's settings.
pub const HOME_VARIABLE: &str = "CLINE_DIR";
/// The limit of the hooks for which the agent waits. Read in 3.0.65; a hook that took 45 seconds was still obeyed.
pub const LIMIT: Duration = Duration::from_secs(120);

/// How the agent reads a folder.
pub static RULES: ScriptRules = ScriptRules {
    agent: "Cline",
    events: &EVENTS,
    endings: &[".sh", ".bash", ".zsh", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".py", ".ps1"],
    event_of: |stem| {
        let is_same = |event: &&EventSpec| event.name.eq_ignore_ascii_case(trim(stem));
        EVENTS.events.iter().find(is_same).map(|event| event.name)
    },
    words,
    limit: |event| is_awaited(event).then_some(LIMIT),
    silent: &["PreCompact"],
};

/// Whether the agent waits for the hooks of an event. What those of another event print goes nowhere.
pub fn is_awaited(event: &str) -> bool {
    ["PreToolUse", "PostToolUse"].contains(&event)
}

/// The directory of the user's settings.
pub fn user_dir(place: &Place) -> String {
    user_directory(place, HOME_VARIABLE, ".cline")
}

/// The root of the session's git repository, or else the session's directory.
pub fn workspace<'p>(place: &'p Place, files: &dyn Files) -> &'p str {
    let mut above =
        std::iter::successors(Some(place.project.as_str()), |directory| directory.rsplit_once('/').map(|(up, _)| up));
    above.find(|directory| files.exists(&format!("{directory}/.git"))).unwrap_or(&place.project)
}

/// The folders with hooks.
fn folders(place: &Place, workspace: &str) -> [(Layer, String); 4] {
    [
        (Layer::User, format!("{}/Documents/Cline/Hooks", place.home)),
        (Layer::User, format!("{}/hooks", user_dir(place))),
        (Layer::Project, format!("{workspace}/.clinerules/hooks")),
        (Layer::Project, format!("{workspace}/.cline/hooks")),
    ]
}

/// The file of a hook that is added to a layer. `root` is the directory of the project's folders.
pub fn hook_file(place: &Place, root: &str, layer: Layer, event: &'static str) -> Option<HookFile> {
    let folder = match layer {
        Layer::User => format!("{}/hooks", user_dir(place)),
        Layer::Project => format!("{root}/.clinerules/hooks"),
        _ => return None,
    };
    Some(HookFile { path: format!("{folder}/{event}.sh"), form: FileForm::of_script(event) })
}

/// Whether a folder has a hook.
pub fn is_configured(place: &Place, files: &dyn Files) -> bool {
    let has_hook = |folder: &str| files.list(folder).iter().any(|name| event_of_file(name, &RULES).is_some());
    folders(place, workspace(place, files)).iter().any(|(_, folder)| has_hook(folder))
}

/// Reads the folders of this place.
pub fn load(place: &Place, files: &dyn Files) -> LoadedConfig {
    let mut loaded = LoadedConfig::default();
    let root = workspace(place, files);
    load_folders(&mut loaded, place, files, &folders(place, root), &RULES);
    let hooks_below = |folder: String| {
        let names = files.list(&folder).into_iter().filter(|name| event_of_file(name, &RULES).is_some());
        names.map(|name| format!("{folder}/{name}")).collect::<Vec<_>>()
    };
    for path in hooks_below(format!("{}/Documents/Cline/hooks", place.home)) {
        let message = "Cline does not read this file: the name of its directory begins with a capital letter, `Hooks`";
        let note = Diagnostic::new(Code::HW107, message).in_file(place.display_path(&path));
        loaded.notes.push(note.with_help("rename the directory to Hooks"));
    }
    if root != place.project {
        let inner = folders(place, &place.project).into_iter().filter(|(layer, _)| *layer == Layer::Project);
        for path in inner.flat_map(|(_, folder)| hooks_below(folder)) {
            let message = format!("Cline reads the directories of {root}, the root of the repository");
            loaded.ignored_files.push(IgnoredFile { file: place.display_path(&path), message, cure: None });
        }
    }
    let why = "Cline has no settings with hooks: each hook is a file that has the name of its event";
    for name in [".claude/settings.json", ".cline/settings.json", ".cline/hooks.json", ".clinerules/hooks.json"] {
        report_ignored(&mut loaded, place, files, &format!("{}/{name}", place.project), why);
    }
    loaded
}

/// The program and the arguments that run a file: those of its `#!` line, or else those of its ending. `env` is left out,
/// and shells and Python are looked up by their name.
fn words(path: &str, text: &str) -> Vec<String> {
    let first = text.lines().next().map(trim).and_then(|line| line.strip_prefix("#!"));
    let asked: Vec<&str> = first.into_iter().flat_map(str::split_whitespace).collect();
    let base = |word: &str| word.rsplit('/').next().unwrap_or(word).to_lowercase();
    let past_env = asked.iter().position(|word| base(word) != "env").map_or(&asked[..], |start| &asked[start..]);
    let by_ending: &[&str] = match path.to_lowercase().rsplit_once('.').map_or("", |(_, ending)| ending) {
        "js" | "mjs" | "cjs" => &["node"],
        "ts" | "mts" | "cts" => &["bun", "run"],
        "py" => &["python3"],
        "ps1" => &["pwsh", "-File"],
        _ => &["bash"],
    };
    let mut words: Vec<String> = match past_env {
        [] => by_ending.iter().map(|word| (*word).to_owned()).collect(),
        [program, rest @ ..] => {
            let is_known = ["bash", "sh", "zsh", "python", "python3"].contains(&base(program).as_str());
            let program = if is_known { base(program) } else { (*program).to_owned() };
            std::iter::once(program).chain(rest.iter().map(|word| (*word).to_owned())).collect()
        }
    };
    words.push(path.to_owned());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::test::{file, place};
    use hookbench_base::config::MemoryFiles;

    /// The case of a name does not matter, that of its ending does.
    #[test]
    fn names_of_hooks() {
        for (name, event) in [
            ("PreToolUse", Some("PreToolUse")),
            ("pretooluse.bash", Some("PreToolUse")),
            (" PostToolUse", Some("PostToolUse")),
            ("TaskStart.mts", Some("TaskStart")),
            ("PreToolUse.SH", None),
            ("PreToolUse.", None),
            ("PreToolUse.sh.py", None),
            ("pre_tool_use", None),
            ("PreCompact", None),
            (".PreToolUse", None),
        ] {
            assert_eq!(event_of_file(name, &RULES), event, "{name}");
        }
    }

    #[test]
    fn what_runs_a_file() {
        for (name, text, want) in [
            ("H", "#!/bin/bash -e\n", "bash -e H"),
            ("H.py", "#! /usr/local/bin/python3\n", "python3 H.py"),
            ("H", "#!/usr/bin/env node\r\n", "node H"),
            ("H", "#!/usr/bin/env -S bash\n", "-S bash H"),
            ("H", "#!/usr/bin/env\n", "/usr/bin/env H"),
            ("H", "#!/opt/ruby\n", "/opt/ruby H"),
            ("H.sh", "#!\n", "bash H.sh"),
            ("H.mjs", "", "node H.mjs"),
            ("H.cts", "", "bun run H.cts"),
            ("H.ps1", "", "pwsh -File H.ps1"),
            ("H", "echo", "bash H"),
        ] {
            assert_eq!(words(name, text).join(" "), want, "{text}");
        }
    }

    #[test]
    fn hooks_are_in_the_order_of_their_paths() {
        let mut files = MemoryFiles::default();
        for path in
            ["/h/.cline/hooks/PreToolUse", "/h/Documents/Cline/Hooks/PreToolUse", "/a/.clinerules/hooks/PreToolUse.sh"]
        {
            files.put(path, "");
        }
        files.put("/a/.cline/hooks/PreToolUse", "");
        files.put("/a/.clinerules/hooks/PreToolUse", "");
        let loaded = load(&Place { project: "/a".to_owned(), ..place() }, &files);
        let order: Vec<&str> = loaded.definitions.iter().map(|hook| hook.provenance.file.as_str()).collect();
        let want = [
            ".cline/hooks/PreToolUse",
            ".clinerules/hooks/PreToolUse",
            ".clinerules/hooks/PreToolUse.sh",
            "~/.cline/hooks/PreToolUse",
            "~/Documents/Cline/Hooks/PreToolUse",
        ];
        assert_eq!(order, want);
    }

    /// The folders of the repository's root count; those of the session's directory are reported.
    #[test]
    fn a_folder_below_the_root_is_not_read() {
        let mut files = file("/p/.git/HEAD", "");
        files.put("/p/sub/.clinerules/hooks/PreToolUse", "");
        files.put("/p/.clinerules/hooks/PostToolUse", "");
        let loaded = load(&Place { project: "/p/sub".to_owned(), ..place() }, &files);
        let events: Vec<&str> = loaded.definitions.iter().map(|hook| hook.event.as_str()).collect();
        let ignored: Vec<&str> = loaded.ignored_files.iter().map(|ignored| ignored.file.as_str()).collect();
        assert_eq!((events, ignored), (vec!["PostToolUse"], vec![".clinerules/hooks/PreToolUse"]));
    }
}

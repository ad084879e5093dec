//! The shape of the source tree, as `ARCHITECTURE.md` draws it: who may use whom, how long a file may be, where an
//! agent may be named. Reads `src/**`; nothing is compiled or run.
#![allow(clippy::disallowed_methods, reason = "reads the source tree")]
#![allow(clippy::unwrap_used, clippy::needless_raw_string_hashes, reason = "a helper that cannot go on fails the test")]

#[path = "support/rust_text.rs"]
mod rust_text;

use std::fs;
use std::path::{Path, PathBuf};

use rust_text::{Named, named_paths};

/// Which layer may use which. `main` is `main.rs`; `root` is `lib.rs`, which declares and does not use.
const LAYERS: [(&str, &[&str]); 11] = [
    ("disk", &[]),
    ("main", &["cli", "tui", "forward"]),
    ("root", &[]),
    ("tui", &["app", "core", "disk"]),
    ("cli", &["app", "core", "disk"]),
    ("app", &["runner", "watch", "store", "server", "core", "disk"]),
    ("forward", &["core", "disk"]),
    ("runner", &["core", "disk"]),
    ("watch", &["core", "disk"]),
    ("store", &["core", "disk"]),
    ("server", &["core", "disk"]),
];

/// What the outer layers that know no hooks may see of the core.
const OF_CORE: [(&str, &[&str]); 5] = [
    ("forward", &["live"]),
    ("runner", &["run", "hook", "names"]),
    ("watch", &["config"]),
    ("store", &["filter", "recorded", "run", "names"]),
    ("server", &["live"]),
];

/// Exactly these a layer may use against the table, each for its reason.
const EXCEPTIONS: [(&str, &str, &str); 0] = [];

/// Crates (and parts of std) that a layer must do without. What the core is spared, `--no-default-features` checks too.
const FOREIGN: [(&str, &[&str]); 9] = [
    (
        "core",
        &[
            "anyhow",
            "clap",
            "crossterm",
            "notify",
            "ratatui",
            "rusqlite",
            "rustix",
            "schemars",
            "tempfile",
            "tokio",
            "ureq",
            "std::fs",
            "std::env",
            "std::process",
            "std::thread",
            "std::net::TcpStream",
            "std::time::Instant",
            "std::time::SystemTime",
        ],
    ),
    (
        "forward",
        &[
            "anyhow",
            "base64",
            "clap",
            "crossterm",
            "include_dir",
            "notify",
            "ratatui",
            "regex",
            "regress",
            "rusqlite",
            "tokio",
            "toml_edit",
            "ureq",
            "std::process::Command",
        ],
    ),
    ("runner", &["anyhow", "clap", "crossterm", "ratatui", "notify", "rusqlite"]),
    ("watch", &["anyhow", "clap", "crossterm", "ratatui", "ureq", "rusqlite"]),
    ("store", &["anyhow", "clap", "crossterm", "ratatui", "notify", "ureq", "tokio"]),
    ("server", &["anyhow", "clap", "crossterm", "ratatui", "notify", "ureq", "rusqlite", "std::process::Command"]),
    ("app", &["anyhow", "clap", "crossterm", "ratatui", "notify", "ureq", "rusqlite", "unicode_width"]),
    ("cli", &["crossterm", "ratatui", "notify", "ureq", "rusqlite", "rustix"]),
    ("tui", &["clap", "notify", "rusqlite", "ureq"]),
];

/// Lines of a file without its tests: from here on it is to be split …
const LONG: usize = 500;
/// … and here the test fails, tests or not.
const TOO_LONG: usize = 800;

/// Names that stand for agents wherever they occur, beside the ids of all that are supported.
const AGENTS: [&str; 4] = ["claude", "qwen", "gemini", "codex"];

struct Source {
    /// From the repository's root: `src/core/text/js.rs`.
    path: String,
    text: String,
    /// The module that the file is: `core`, `text`, `js`.
    module: Vec<String>,
}

impl Source {
    fn layer(&self) -> &str {
        match self.path.as_str() {
            "src/main.rs" => "main",
            "src/lib.rs" => "root",
            _ => self.module.first().map_or("", String::as_str),
        }
    }

    /// Every path into our own crate, without `crate`, and what was written.
    fn ours(&self) -> Vec<(Vec<String>, String, usize)> {
        let own = if self.layer() == "main" { "hookbench" } else { "crate" };
        self.named()
            .into_iter()
            .filter(|n| n.path.first().is_some_and(|s| s == own))
            .map(|n| (n.path[1..].to_vec(), n.path.join("::"), n.line))
            .collect()
    }

    fn named(&self) -> Vec<Named> {
        named_paths(&self.text, &self.module)
    }

    /// Lines up to the tests at the end; none in a file of tests.
    fn length_without_tests(&self) -> usize {
        if self.module.last().is_some_and(|name| name == "tests") {
            return 0;
        }
        self.text.lines().take_while(|line| *line != "#[cfg(test)]").count()
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources() -> Vec<Source> {
    let mut files = Vec::new();
    collect(&root().join("src"), &mut files);
    files.sort();
    files.retain(|file| !only_for_tests(file));
    let sources: Vec<Source> = files.iter().map(|file| source(file)).collect();
    assert!(sources.len() > 50, "the source tree was not found");
    sources
}

/// A file of its own that its folder declares under `#[cfg(test)]`: the rules are for what is shipped.
fn only_for_tests(file: &Path) -> bool {
    let declared = format!("#[cfg(test)]\nmod {};", file.file_stem().unwrap().to_str().unwrap());
    fs::read_to_string(file.with_file_name("mod.rs")).is_ok_and(|text| text.contains(&declared))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

fn source(file: &Path) -> Source {
    let path = file.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
    Source { module: module_of(&path), text: fs::read_to_string(file).unwrap(), path }
}

fn module_of(path: &str) -> Vec<String> {
    let inner = path.trim_start_matches("src/").trim_end_matches(".rs");
    let mut module: Vec<String> = inner.split('/').map(str::to_owned).collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        module.pop();
    }
    module
}

fn none(wrong: &[String], rule: &str) {
    assert!(wrong.is_empty(), "{rule}\n  {}\n", wrong.join("\n  "));
}

/// A use that stands against the table of layers.
struct Wrong {
    layer: String,
    written: String,
    place: String,
}

impl Wrong {
    fn is(&self, exception: &(&str, &str, &str)) -> bool {
        self.layer == exception.0 && self.written == exception.1
    }
}

fn wrong_arrows(sources: &[Source]) -> Vec<Wrong> {
    let mut wrong = Vec::new();
    for source in sources {
        let layer = source.layer();
        let allowed = LAYERS.iter().find(|(name, _)| *name == layer).map_or(&[] as &[&str], |(_, may)| *may);
        let of_core = OF_CORE.iter().find(|(name, _)| *name == layer).map(|(_, parts)| *parts);
        for (path, written, line) in source.ours() {
            let Some(target) = path.first().map(String::as_str) else { continue };
            if target != "core" && !LAYERS.iter().any(|(name, _)| *name == target) {
                continue;
            }
            let inside = target == layer || allowed.contains(&target);
            let part = path.get(1).map_or("", String::as_str);
            let seen = target != "core" || of_core.is_none_or(|parts| parts.contains(&part));
            if !inside || !seen {
                wrong.push(Wrong { layer: layer.to_owned(), written, place: format!("{}:{line}", source.path) });
            }
        }
    }
    wrong
}

#[test]
fn arrows_point_one_way() {
    let wrong: Vec<String> = wrong_arrows(&sources())
        .into_iter()
        .filter(|w| !EXCEPTIONS.iter().any(|e| w.is(e)))
        .map(|w| format!("{} uses {}", w.place, w.written))
        .collect();
    none(&wrong, "main → { cli, tui } → app → { runner, watch, store, server } → core; main → forward → core::live");
}

#[test]
fn every_exception_is_still_needed() {
    let wrong = wrong_arrows(&sources());
    let stale: Vec<String> = EXCEPTIONS
        .iter()
        .filter(|e| !wrong.iter().any(|w| w.is(e)))
        .map(|(layer, written, _)| format!("{layer} no longer uses {written}"))
        .collect();
    none(&stale, "take these out of EXCEPTIONS");
}

/// The order of the core's folders, from the words of `src/core/mod.rs`.
fn core_order() -> Vec<String> {
    let text = fs::read_to_string(root().join("src/core/mod.rs")).unwrap();
    let docs: String = text.lines().filter_map(|l| l.strip_prefix("//!")).collect();
    let (_, list) = docs.split_once("before it):").expect("src/core/mod.rs says the order of its folders");
    list.split("[`").skip(1).filter_map(|part| part.split_once("`]")).map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn the_core_s_folders_use_what_lies_below_them() {
    let order = core_order();
    let rank = |name: &str| order.iter().position(|n| n == name);
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|s| s.layer() == "core" && s.path != "src/core/mod.rs") {
        let folder = source.module.get(1).unwrap();
        let Some(own) = rank(folder) else {
            wrong.push(format!("{folder} has no place in the order of src/core/mod.rs"));
            continue;
        };
        for (path, written, line) in source.ours() {
            let Some(target) = path.get(1).filter(|_| path.first().is_some_and(|l| l == "core")) else { continue };
            if rank(target).is_none_or(|rank| rank > own) {
                wrong.push(format!("{}:{line} uses {written}, which lies above {folder}", source.path));
            }
        }
    }
    none(&wrong, &format!("downward only: {}", order.join(" < ")));
}

#[test]
fn a_dialect_uses_no_other() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|s| s.module.len() > 2 && s.module[..2] == ["core", "dialects"]) {
        let own = &source.module[2];
        for (path, written, line) in source.ours() {
            let [core, dialects, other, ..] = path.as_slice() else { continue };
            let folder = root().join("src/core/dialects").join(other).is_dir();
            if core == "core" && dialects == "dialects" && folder && other != own && other != "shared" {
                wrong.push(format!("{}:{line} uses {written}", source.path));
            }
        }
    }
    none(&wrong, "what two agents do alike lies in dialects::shared");
}

#[test]
fn foreign_crates_stay_in_their_layers() {
    let mut wrong = Vec::new();
    for source in sources() {
        let Some((_, without)) = FOREIGN.iter().find(|(layer, _)| *layer == source.layer()) else { continue };
        for named in source.named() {
            let written = named.path.join("::");
            let does = |c: &&&str| written == ***c || written.starts_with(&format!("{c}::"));
            if without.iter().find(does).is_some() {
                wrong.push(format!("{}:{} uses {written}", source.path, named.line));
            }
        }
    }
    none(&wrong, "these layers do without these crates");
}

#[test]
fn files_are_short() {
    let long: Vec<String> = sources()
        .iter()
        .filter(|s| s.length_without_tests() > LONG || s.text.lines().count() > TOO_LONG)
        .map(|s| format!("{}: {} lines, {} with tests", s.path, s.length_without_tests(), s.text.lines().count()))
        .collect();
    none(&long, &format!("split at {LONG} lines (without tests); nothing is over {TOO_LONG}"));
}

#[test]
fn every_file_says_what_it_is() {
    let silent: Vec<String> =
        sources().iter().filter(|s| !s.text.starts_with("//! ")).map(|s| s.path.clone()).collect();
    none(&silent, "a file starts with `//! ` and what it is for");
    let mut folders: Vec<String> =
        sources().iter().filter_map(|s| s.path.rsplit_once('/')).map(|(f, _)| f.to_owned()).collect();
    folders.sort();
    folders.dedup();
    let bare: Vec<String> =
        folders.into_iter().filter(|f| f != "src" && !root().join(f).join("mod.rs").exists()).collect();
    none(&bare, "a folder has a mod.rs");
}

#[test]
fn agents_are_named_in_their_folders_only() {
    let ids = hookbench::core::dialects::ALL.iter().map(|d| d.id());
    let names: Vec<&str> = AGENTS.into_iter().chain(ids).collect();
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|s| !s.path.starts_with("src/core/dialects/")) {
        for (index, line) in source.text.lines().enumerate() {
            let lower = line.to_lowercase();
            if names.iter().any(|name| lower.contains(name)) {
                wrong.push(format!("{}:{}: {}", source.path, index + 1, line.trim()));
            }
        }
    }
    none(&wrong, "nothing outside src/core/dialects names an agent");
}

#[test]
fn an_allowed_lint_has_a_reason() {
    let mut wrong = Vec::new();
    for source in sources() {
        for (at, _) in
            ["#[allow(", "#![allow(", "#[expect(", "#![expect("].iter().flat_map(|a| source.text.match_indices(a))
        {
            let rest = &source.text[at..];
            let attribute = &rest[..rest.find(")]").map_or(rest.len(), |end| end + 2)];
            if !attribute.contains("reason = \"") {
                let line = source.text[..at].lines().count();
                wrong.push(format!("{}:{line}: {attribute}", source.path));
            }
        }
    }
    none(&wrong, "say why: #[allow(…, reason = \"…\")]");
}

/// The tests above are worth what the reader sees; this is what it has to see.
#[test]
fn the_reader_sees_every_kind_of_path() {
    let text = [
        "//! crate::comment::No",
        "use crate::{app::x, core::{run::RunId as Id, hook}};",
        "use super::node::Node; /* crate::comment::No */",
        "pub(crate) fn f<'a>(s: &'a str) -> crate::core::text::Span { let c = ':'; let t = \"crate::string::No\"; }",
        "const R: &str = r#\"crate::string::No \"quoted\"\"#;",
        "mod tests { use super::*; fn g() { super::super::up::h() } }",
        "use tokio;",
    ]
    .join("\n");
    let module: Vec<String> = ["core", "text", "js"].map(str::to_owned).to_vec();
    let seen: Vec<String> = named_paths(&text, &module).into_iter().map(|n| n.path.join("::")).collect();
    assert_eq!(
        seen,
        [
            "crate::app::x",
            "crate::core::run::RunId",
            "crate::core::hook",
            "crate::core::text::node::Node",
            "crate::core::text::Span",
            "crate::core::text::js::*",
            "crate::core::text::up::h",
            "tokio",
        ]
    );
}

/// Files that start a program, and which one.
const STARTERS: [&str; 4] = [
    // Hooks and agents.
    "src/runner/process.rs",
    // `unshare`, for hooks that are kept apart.
    "src/app/contain.rs",
    // The user's editor, and the program that holds the clipboard.
    "src/tui/editor.rs",
    "src/tui/clipboard.rs",
];

#[test]
fn only_these_start_programs() {
    let starts = |source: &&Source| {
        let code = source
            .text
            .lines()
            .take_while(|line| !line.starts_with("#[cfg(test)]") && !line.starts_with("#[cfg(all(test"));
        source.module.last().is_none_or(|name| name != "tests")
            && code.into_iter().any(|line| line.contains("Command::new("))
    };
    let all = sources();
    let found: Vec<&str> = all.iter().filter(starts).map(|source| source.path.as_str()).collect();
    let mut wanted = STARTERS.to_vec();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
}

/// Ways to read a file by name that wait for a pipe, a device or a file without an end. `crate::disk` reads in their place.
const READERS: [&str; 4] = ["fs::read(", "fs::read_to_string(", "File::open(", "fs::copy("];
/// Files that may use them, because nobody else chose the name, or because a folder's listing said that it is a file.
const READS_ITS_OWN: [&str; 7] = [
    "src/disk.rs",
    // `/proc`.
    "src/app/lint/around.rs",
    "src/runner/leftovers.rs",
    // `/dev/urandom`.
    "src/app/live/hub/token.rs",
    // A regular file by the listing of its folder.
    "src/app/copying.rs",
    // The temporary file that it made itself.
    "src/tui/editor.rs",
    // Its own log.
    "src/forward/log.rs",
];

#[test]
fn files_are_read_in_one_way() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|s| s.layer() != "core" && !READS_ITS_OWN.contains(&s.path.as_str())) {
        if source.module.last().is_some_and(|name| name == "tests") {
            continue;
        }
        let code = source.text.lines().enumerate();
        let code =
            code.take_while(|(_, line)| !line.starts_with("#[cfg(test)]") && !line.starts_with("#[cfg(all(test"));
        for (number, line) in code.filter(|(_, line)| READERS.iter().any(|reader| line.contains(reader))) {
            wrong.push(format!("{}:{}: {}", source.path, number + 1, line.trim()));
        }
    }
    none(&wrong, "files that somebody named are read with crate::disk");
}

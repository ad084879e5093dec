//! Architecture rules that the compiler does not enforce. The dependencies between crates are in their manifests.
//! These tests read the sources; they compile and run nothing.
#![allow(clippy::disallowed_methods, reason = "reads the source tree")]
#![allow(clippy::unwrap_used, clippy::needless_raw_string_hashes, reason = "a helper that cannot go on fails the test")]

use crate::file_imports::{ModuleFile, circles, file_imports};
use crate::rust_text;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use rust_text::{NamedPath, named_paths};

/// The parts of the crate `system`, and the modules of the core that each may use. They may not use each other,
/// except for those in `SHARED`.
const SYSTEM: [(&str, &[&str]); 24] = [
    ("adapt", &["adapt", "config", "dialects", "live", "port", "run", "text"]),
    ("child_process", &["run"]),
    ("disk", &["text"]),
    ("early_process", &[]),
    ("forward", &["live"]),
    ("guard", &["dialects", "guard", "live", "model_client", "moderator", "text"]),
    ("http_client", &[]),
    ("http_request", &["live"]),
    ("isolation", &[]),
    ("lease", &[]),
    ("local_socket", &["live"]),
    ("model_client", &["live", "model_client", "moderator", "run"]),
    ("model_server", &["dialects", "live", "model_interface"]),
    ("own_directories", &["live"]),
    ("owner_only", &[]),
    ("recorder", &["calibration"]),
    ("runner", &["run", "hook", "names"]),
    ("spool", &[]),
    ("state_log", &[]),
    ("watch", &["config"]),
    ("store", &["filter", "recorded", "run", "names"]),
    ("server", &["live"]),
    ("windows_job", &[]),
    ("windows_user", &[]),
];

/// The parts that the others may use.
const SHARED: [&str; 10] = [
    "child_process",
    "disk",
    "http_client",
    "http_request",
    "local_socket",
    "own_directories",
    "owner_only",
    "state_log",
    "windows_job",
    "windows_user",
];

/// Crates that `adapt`, `forward` and `guard` may not use, because an agent starts them for each event.
const WITHOUT: [(&str, &[&str]); 3] = [
    ("adapt", &["base64", "notify", "regex", "rusqlite", "tokio", "ureq"]),
    ("guard", &["base64", "notify", "regex", "rusqlite", "tokio", "ureq", "std::process::Command"]),
    ("forward", &["base64", "notify", "regex", "rusqlite", "tokio", "ureq", "std::process::Command"]),
];

/// Maximum number of lines of a file without its tests.
const LONG: usize = 500;
/// Maximum number of lines of a file with its tests.
const TOO_LONG: usize = 800;

/// Names that count as agent names besides the ids of the supported agents.
const AGENTS: [&str; 4] = ["claude", "qwen", "gemini", "codex"];

/// The crates whose `lib.rs` states the order of their modules. A module may use only those before it.
const IN_ORDER: [&str; 3] = ["base", "core", "app"];

/// The crates of the workspace. In each, at most two files import each other.
const WITHOUT_CIRCLES: [&str; 9] = ["agents", "app", "base", "cli", "core", "lsp", "script", "system", "tui"];

/// The crates that only compute.
const PURE: [&str; 4] = ["base", "agents", "core", "script"];

const AGENTS_DIRECTORY: &str = "crates/agents/src/";

struct SourceFile {
    /// Path from the repository's root: `crates/core/src/text/js.rs`.
    path: String,
    text: String,
    /// The crate's directory, such as `core`, or `main` for the program itself.
    layer: String,
    /// The module path in its crate: `text`, `js`.
    module: Vec<String>,
}

impl SourceFile {
    /// Returns the part under which the tables above list this file.
    fn part(&self) -> &str {
        match self.layer.as_str() {
            "system" => self.module.first().map_or("", String::as_str),
            pure if PURE.contains(&pure) => "pure",
            layer => layer,
        }
    }

    fn named(&self) -> Vec<NamedPath> {
        named_paths(&self.text, &self.module)
    }

    /// Returns the paths into the crate itself, without `crate`, with their lines.
    fn own_paths(&self) -> impl Iterator<Item = (Vec<String>, usize)> {
        let own = self.named().into_iter().filter(|named| named.path.first().is_some_and(|first| first == "crate"));
        own.map(|named| (named.path[1..].to_vec(), named.line))
    }

    /// Returns the number of lines before the tests at the end; 0 for a file of tests.
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

fn sources() -> Vec<SourceFile> {
    let mut files = Vec::new();
    collect(&root().join("src"), &mut files);
    collect(&root().join("crates"), &mut files);
    files.sort();
    files.retain(|file| !only_for_tests(file));
    let sources: Vec<SourceFile> = files.iter().map(|file| source(file)).collect();
    assert!(sources.len() > 50, "the source tree was not found");
    sources
}

/// Returns true for a file that its directory declares under `#[cfg(test)]`: the rules apply to shipped code only.
fn only_for_tests(file: &Path) -> bool {
    let declared = format!("#[cfg(test)]\nmod {};", file.file_stem().unwrap().to_str().unwrap());
    ["mod.rs", "lib.rs"]
        .iter()
        .any(|of| fs::read_to_string(file.with_file_name(of)).is_ok_and(|text| text.contains(&declared)))
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

fn source(file: &Path) -> SourceFile {
    let path = file.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
    let (layer, inner) = match path.strip_prefix("crates/").and_then(|rest| rest.split_once("/src/")) {
        Some((layer, inner)) => (layer.to_owned(), inner.to_owned()),
        None => ("main".to_owned(), path.trim_start_matches("src/").to_owned()),
    };
    let mut module: Vec<String> = inner.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        module.pop();
    }
    SourceFile { layer, module, text: fs::read_to_string(file).unwrap(), path }
}

fn none(wrong: &[String], rule: &str) {
    assert!(wrong.is_empty(), "{rule}\n  {}\n", wrong.join("\n  "));
}

#[test]
fn parts_of_the_system_use_few_modules() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| source.layer == "system" && !source.module.is_empty()) {
        let part = source.part();
        let (_, of_core) = SYSTEM.iter().find(|(name, _)| *name == part).expect("SYSTEM names every part");
        for NamedPath { path, line, .. } in source.named() {
            let second = path.get(1).map_or("", String::as_str);
            let fine = match path[0].as_str() {
                "crate" => second == part || SHARED.contains(&second),
                "hookbench_core" => of_core.contains(&second),
                _ => true,
            };
            if !fine {
                wrong.push(format!("{}:{line} uses {}", source.path, path.join("::")));
            }
        }
    }
    none(&wrong, "see SYSTEM");
}

/// Reads the order of a crate's modules from its documentation.
fn order_of(layer: &str) -> Vec<String> {
    let file = format!("crates/{layer}/src/lib.rs");
    let text = fs::read_to_string(root().join(&file)).unwrap();
    let docs: String = text.lines().filter_map(|l| l.strip_prefix("//!")).collect();
    let (_, list) = docs.split_once("order").unwrap_or_else(|| panic!("{file} tells the order of its modules"));
    list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn modules_use_those_below_them() {
    for layer in IN_ORDER {
        let order = order_of(layer);
        let rank = |name: &str| order.iter().position(|n| n == name);
        let mut wrong = Vec::new();
        for source in sources().iter().filter(|source| source.layer == layer && !source.module.is_empty()) {
            let module = &source.module[0];
            let Some(own) = rank(module) else {
                wrong.push(format!("{module} is missing in the order of crates/{layer}/src/lib.rs"));
                continue;
            };
            for (path, line) in source.own_paths() {
                let Some(target) = path.first() else { continue };
                if rank(target).is_some_and(|rank| rank > own) {
                    wrong.push(format!("{}:{line} uses {}, which is above {module}", source.path, path.join("::")));
                }
            }
        }
        for import in file_imports(&module_files(layer)) {
            if rank(&import.from[0]) < rank(&import.to[0]) {
                wrong.push(format!("{}:{} uses {}", import.from.join("::"), import.line, import.to.join("::")));
            }
        }
        none(&wrong, &format!("downward only: {}", order.join(" < ")));
    }
}

/// The files of a crate, by module.
fn module_files(layer: &str) -> Vec<ModuleFile> {
    let files = sources().into_iter().filter(|source| source.layer == layer);
    files.map(|source| ModuleFile { module: source.module, text: source.text }).collect()
}

#[test]
fn at_most_two_files_import_each_other() {
    for layer in WITHOUT_CIRCLES {
        let wrong = circles(&file_imports(&module_files(layer))).into_iter().filter(|circle| circle.len() > 2);
        let wrong: Vec<String> = wrong.map(|circle| circle.into_iter().collect::<Vec<_>>().join(", ")).collect();
        none(&wrong, &format!("a circle in {layer}: move what they share into its own file"));
    }
}

/// Tests the reader of imports, on which the two tests above rely.
#[test]
fn imports_lead_to_the_file_that_defines_an_item() {
    let file = |module: &str, text: &str| ModuleFile {
        module: module.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        text: text.to_owned(),
    };
    let files = [
        file("", "mod a; pub mod b; pub use b::X;"),
        file("a", "use crate::X; fn f() { one::g() }\nmod tests {\nuse crate::b::two::Y; }"),
        file("a::one", "use crate::b::{self, Y};"),
        file("b", "pub use two::Y; pub(in crate::a) struct X;"),
        file("b::two", "use crate::a; pub struct Y;"),
    ];
    let imports = file_imports(&files);
    let shown: Vec<String> =
        imports.iter().map(|import| format!("{} {}", import.from.join("::"), import.to.join("::"))).collect();
    assert_eq!(shown, ["a a::one", "a b", "a::one b", "a::one b::two", "b::two a"]);
    let circle = circles(&imports).into_iter().map(|circle| circle.into_iter().collect::<Vec<_>>().join(" "));
    assert_eq!(circle.collect::<Vec<_>>(), ["a a::one b::two"]);
}

#[test]
fn an_agent_uses_no_other() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| source.layer == "agents" && !source.module.is_empty()) {
        let own = &source.module[0];
        for (path, line) in source.own_paths() {
            let Some(other) = path.first() else { continue };
            let directory = root().join(AGENTS_DIRECTORY).join(other).is_dir();
            if directory && other != own && !matches!(other.as_str(), "shared" | "kernel") {
                wrong.push(format!("{}:{line} uses {}", source.path, path.join("::")));
            }
        }
    }
    none(&wrong, "the rules that two agents share belong in `shared`, their frame in `kernel`");
}

#[test]
fn foreign_crates_stay_where_they_belong() {
    let mut wrong = Vec::new();
    for source in sources() {
        let Some((_, without)) = WITHOUT.iter().find(|(part, _)| *part == source.part()) else { continue };
        for named in source.named() {
            let written = named.path.join("::");
            if without.iter().any(|name| written == *name || written.starts_with(&format!("{name}::"))) {
                wrong.push(format!("{}:{} uses {written}", source.path, named.line));
            }
        }
    }
    none(&wrong, "see WITHOUT");
}

#[test]
fn files_are_short() {
    let long: Vec<String> = sources()
        .iter()
        .filter(|s| s.length_without_tests() > LONG || s.text.lines().count() > TOO_LONG)
        .map(|s| format!("{}: {} lines, {} with tests", s.path, s.length_without_tests(), s.text.lines().count()))
        .collect();
    none(&long, &format!("at most {LONG} lines without tests and {TOO_LONG} with them"));
}

#[test]
fn every_file_explains_itself() {
    let silent: Vec<String> =
        sources().iter().filter(|s| !s.text.starts_with("//! ")).map(|s| s.path.clone()).collect();
    none(&silent, "a file starts with `//! ` and its purpose");
}

#[test]
fn agents_are_named_in_their_directories_only() {
    let ids = hookbench::core::dialects::ALL.iter().map(|d| d.id().as_str());
    let names: Vec<&str> = AGENTS.into_iter().chain(ids).collect();
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|s| !s.path.starts_with(AGENTS_DIRECTORY)) {
        for (index, line) in source.text.lines().enumerate() {
            let lower = line.to_lowercase();
            if names.iter().any(|name| lower.contains(name)) {
                wrong.push(format!("{}:{}: {}", source.path, index + 1, line.trim()));
            }
        }
    }
    none(&wrong, &format!("nothing outside {AGENTS_DIRECTORY} names an agent"));
}

/// A table of modules at the top of a file names only modules that exist.
#[test]
fn tables_of_modules_are_true() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| source.layer != "main") {
        let file = root().join(&source.path);
        let directory = match file.file_stem().and_then(|stem| stem.to_str()) {
            Some("mod" | "lib" | "main") => file.parent().unwrap().to_owned(),
            _ => file.with_extension(""),
        };
        for row in source.text.lines().filter_map(|line| line.strip_prefix("//! | `")) {
            let names = row.split(" |").next().unwrap_or_default().split('`');
            for name in
                names.filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_') && !name.is_empty())
            {
                if !directory.join(name).is_dir() && !directory.join(format!("{name}.rs")).is_file() {
                    wrong.push(format!("{}: {name}", source.path));
                }
            }
        }
    }
    none(&wrong, "the table names a module that is not there");
}

/// A type's name stands for one thing in the whole program. The same thing in sibling agents may share its name.
#[test]
fn a_type_name_stands_for_one_thing() {
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in sources() {
        let place = match source.path.strip_prefix(AGENTS_DIRECTORY).and_then(|rest| rest.split_once('/')) {
            Some((directory, rest))
                if !matches!(directory, "shared" | "kernel") || rest.starts_with("gemini_fork/") =>
            {
                "an agent's folder, or the base of two agents".to_owned()
            }
            // One thing, for each system.
            _ if source.path.ends_with("/unix.rs") || source.path.ends_with("/windows.rs") => {
                source.path.rsplit_once('/').map_or_else(String::new, |(directory, _)| directory.to_owned())
            }
            _ => source.path.clone(),
        };
        for name in source.text.lines().filter_map(defined_type) {
            places.entry(name.to_owned()).or_default().insert(place.clone());
        }
    }
    let wrong: Vec<String> = places
        .iter()
        .filter(|(_, places)| places.len() > 1)
        .map(|(name, places)| format!("{name}: {}", places.iter().cloned().collect::<Vec<_>>().join(", ")))
        .collect();
    none(&wrong, "give each its own name; docs/glossary.md has the terms");
}

/// Returns the type that a line defines at the top level of its module.
fn defined_type(line: &str) -> Option<&str> {
    let line = match line.strip_prefix("pub") {
        Some(rest) => rest.trim_start_matches(|c| c != ' ').trim_start(),
        None => line,
    };
    let name = ["struct ", "enum ", "trait ", "type "].iter().find_map(|kind| line.strip_prefix(kind))?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// Each term of the glossary has one line, in alphabetical order.
#[test]
fn the_glossary_is_in_order() {
    let text = fs::read_to_string(root().join("docs/glossary.md")).unwrap();
    let terms: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("- **")?.split_once("**")).map(|(term, _)| term).collect();
    assert!(terms.len() > 60, "{terms:?}");
    let mut wanted = terms.clone();
    wanted.sort_by_key(|term| term.to_lowercase());
    wanted.dedup();
    assert_eq!(terms, wanted);
}

/// An agent's list of rules has no rule that its code never cites.
#[test]
fn every_listed_rule_is_cited() {
    let sources = sources();
    let agents = || sources.iter().filter(|source| source.layer == "agents");
    let mut wrong = Vec::new();
    let mut rules = 0;
    for table in agents().filter(|source| source.module.last().is_some_and(|name| name == "rules")) {
        let shared = table.module.first().is_some_and(|directory| directory == "shared");
        for line in table.text.lines().filter(|line| line.starts_with("    ")) {
            let Some((name, _)) = line.trim_start().split_once(" = \"") else { continue };
            let rule = format!("rules::{name}");
            let cites = |text: &str| {
                text.match_indices(&rule)
                    .any(|(at, _)| !text[at + rule.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_'))
            };
            rules += 1;
            if !agents().any(|source| (shared || source.module.first() == table.module.first()) && cites(&source.text))
            {
                wrong.push(format!("{}: {name}", table.path));
            }
        }
    }
    assert!(rules > 150, "only {rules} rules were found");
    none(&wrong, "no code cites these rules");
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

/// Tests the reader of paths, on which the tests above rely.
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

/// Files that start programs, with the program that they start.
const STARTERS: [&str; 13] = [
    // hookbench itself, as an agent starts it, in the demo.
    "crates/app/src/live/demo_event.rs",
    // The script of another agent.
    "crates/system/src/adapt/script.rs",
    // The program in a namespace, and the namespace itself.
    "crates/system/src/isolation/entry.rs",
    "crates/system/src/isolation/inner.rs",
    "crates/system/src/isolation/outer.rs",
    "crates/system/src/isolation/shared.rs",
    // The program on a slow disk.
    "crates/system/src/isolation/slow_disk.rs",
    // The process that ends hooks if hookbench is killed.
    "crates/system/src/runner/guardian.rs",
    // The hook that it records.
    "crates/system/src/recorder.rs",
    // A command that answers as the configured model, or prints its key.
    "crates/system/src/model_client/attempt.rs",
    // Hooks and agents.
    "crates/system/src/runner/process.rs",
    // The user's editor, and the clipboard program.
    "crates/tui/src/editor.rs",
    "crates/tui/src/clipboard.rs",
];

#[test]
fn only_these_start_programs() {
    let starts = |source: &&SourceFile| {
        let code = source
            .text
            .lines()
            .take_while(|line| !line.starts_with("#[cfg(test)]") && !line.starts_with("#[cfg(all(test"));
        source.module.last().is_none_or(|name| name != "tests")
            && code.into_iter().any(|line| line.contains(" Command::new(") || line.contains("(Command::new("))
    };
    let all = sources();
    let found: Vec<&str> = all.iter().filter(starts).map(|source| source.path.as_str()).collect();
    let mut wanted = STARTERS.to_vec();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
}

/// Functions that block on a pipe or a device, or read an endless file. Code uses `disk` instead.
const READERS: [&str; 4] = ["fs::read(", "fs::read_to_string(", "File::open(", "fs::copy("];
/// Files that may use them: they created the file themselves, or a directory listing has shown that it is a regular
/// file.
const READS_ITS_OWN: [&str; 10] = [
    "crates/system/src/disk.rs",
    // Facts of this repository, when it is built.
    "crates/agents/build.rs",
    // `/proc`.
    "crates/app/src/analysis/lint/machine_facts.rs",
    "crates/system/src/runner/leftovers.rs",
    "crates/system/src/isolation/mounts.rs",
    "crates/system/src/isolation/entry.rs",
    "crates/system/src/isolation/shared.rs",
    // `/dev/urandom`.
    "crates/app/src/live/hub/token.rs",
    // The temporary file that it created.
    "crates/tui/src/editor.rs",
    // Its own log.
    "crates/system/src/forward/log.rs",
];

#[test]
fn files_are_read_in_one_way() {
    let mut wrong = Vec::new();
    for source in
        sources().iter().filter(|s| !PURE.contains(&s.layer.as_str()) && !READS_ITS_OWN.contains(&s.path.as_str()))
    {
        if source.module.last().is_some_and(|name| name == "tests") {
            continue;
        }
        let code = source.text.lines().enumerate();
        let code =
            code.take_while(|(_, line)| !line.starts_with("#[cfg(test)]") && !line.starts_with("#[cfg(all(test"));
        for (number, line) in code.filter(|(_, line)| {
            READERS.iter().any(|reader| line.contains(reader) && !line.contains(&format!("Access{reader}")))
        }) {
            wrong.push(format!("{}:{}: {}", source.path, number + 1, line.trim()));
        }
    }
    none(&wrong, "files that somebody named are read with `disk`");
}

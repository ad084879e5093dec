//! Scripts that end anywhere: the reader of scripts never fails on them.

use std::path::{Path, PathBuf};

use hookbench_script::{Given, Grammar, ScriptModel};

/// The places at which each script is cut.
const CUTS: usize = 3;

/// The files that may hold scripts: the example hooks and the samples of the lint rules.
fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut open = vec![root.join("sample-hooks/shop/hooks"), root.join("tests/lint")];
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        match path.read_dir() {
            Ok(entries) => open.extend(entries.map(|entry| entry.unwrap().path())),
            Err(_) => found.push(path),
        }
    }
    found.sort();
    found
}

/// The scripts of a file with their languages. A sample holds several files.
fn scripts(path: &Path) -> Vec<(String, Grammar)> {
    let Ok(text) = std::fs::read_to_string(path) else { return Vec::new() };
    let language = |name: &str| match Path::new(name).extension().and_then(|end| end.to_str()) {
        Some("sh" | "bash") => Some(Grammar::Shell),
        Some("py") => Some(Grammar::Python),
        Some("js" | "mjs" | "cjs" | "ts") => Some(Grammar::JavaScript),
        _ => None,
    };
    if let Some(language) = language(&path.to_string_lossy()) {
        return vec![(text, language)];
    }
    let parts = text.split("\n== ").skip(1).filter_map(|part| part.split_once('\n'));
    let named = parts.filter_map(|(head, text)| Some((text.to_owned(), language(head.split_whitespace().nth(1)?)?)));
    named.collect()
}

#[test]
fn scripts_may_end_anywhere() {
    let scripts: Vec<(String, Grammar)> = files().iter().flat_map(|path| scripts(path)).collect();
    assert!(scripts.len() > 150, "{}", scripts.len());
    let mut random: usize = 38;
    for (text, language) in scripts {
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        for _ in 0..CUTS {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let Some(end) = ends.get((random >> 33) % ends.len().max(1)) else { continue };
            let cut = text.get(..*end).unwrap();
            ScriptModel::parse(cut, language).unwrap().walk(&Given::default());
        }
    }
}

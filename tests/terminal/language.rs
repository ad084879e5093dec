//! The words that users read: no text of the program, of its pages of codes or of its documents uses a word of the
//! table. These tests read the sources; they compile and run nothing.
#![allow(clippy::disallowed_methods, reason = "reads the source tree")]
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// Patterns of words that a reader stumbles over, and the words to use instead.
const WORDS: &[(&str, &str)] = &[
    (r"nobody|somebody|anybody|whoever|no one", "name the subject: no hook, the agent, you"),
    (r"mends?|mended|cures?|cured", "fix"),
    (r"pass(es|ed)? over", "ignore, skip"),
    (r"(takes?|taken|took|taking) in", "capture, import"),
    (r"(by|of|for|with|from) what", "a noun, or: why, how"),
    (r"goes by", "uses"),
    (r"stands|stood", "is, is in, matches"),
    (r"lies", "is, is in"),
    (r"unhindered", "as usual"),
    (r"hand(s|ed|ing)? (it |them )?over", "send, pass"),
    (r"lets? (it|them|everything|(the|every|all) \w+) pass|lets? (it |them )?through", "matches, allows"),
    (r"once more|anew", "again"),
    (r"parted by", "separated by"),
    (r"byte for byte|to the letter", "exactly"),
    (r"(holds?|held) (it |them |nothing |the agent )?(back|up)", "block, keep from"),
    (r"is said|are said|is told|are told", "name who says it"),
    (r"any more", "no longer"),
    (r"put together", "create, merge"),
    (r"tells? apart|told apart", "distinguish"),
    (r"in its place", "instead"),
    (r"as (it|they) (is|are|stands?)", "unchanged, literally"),
    (r"counts? for nothing", "is ignored"),
    (r"all the same", "still"),
    (r"without a word", "without a message"),
    (r"run bit", "is not executable"),
    (r"withholds?", "blocks, removes"),
    (r"ha(s|ve) a say", "decides"),
    (r"belongs? into", "belongs in"),
    (r"(is|are) looked (for|at)|(does|do) not look at|looks? at no", "reads, ignores, is resolved"),
    (r"(takes?|taken|took) (it |them |the \w+ |`\w+` )?(away|out|back)", "delete, remove, undo"),
    (r"(goes|go|went|going) on", "continue"),
    (r"broken off", "cancelled"),
    (r"means? nothing", "is unknown, has no effect"),
    (r"begins? so|is called so", "starts with this text, no match"),
    (r"was probably meant", "suggested"),
    (r"comes to", "results in"),
    (r"(time|turn|conversation) is over", "has ended"),
    (r"leaves? \S+ out", "delete, omit, exclude"),
    (r"is gone", "no longer exists"),
    (r"nothing objects|lets? be", "nothing blocks"),
    (r"folders?", "directory"),
    (r"unfolds?", "expand"),
    (r"never will", "never runs"),
    (r"to fix it", "Fix:"),
];

/// `is no X` is `is not an X`, except before these words.
const AFTER_IS_NO: [&str; 8] = ["longer", "more", "less", "better", "way", "need", "such", "opinion"];

/// Texts that must keep a word of the table: the end of the file's path, a part of the text, and the reason.
const QUOTES: [(&str, &str, &str); 5] = [
    ("examples.rs", "Remove the build folder", "a payload of an agent"),
    ("trust.rs", "folder trust", "the agent's name of the feature"),
    ("layers.rs", "folder trust", "the agent's name of the feature"),
    ("layers.rs", "--trust-folder", "an argument of an agent"),
    ("test-hooks-in-ci.md", "--trust-folder", "an argument of an agent"),
];

/// The crates whose texts this test reads.
const CRATES: [&str; 8] = ["base", "agents", "core", "system", "app", "cli", "lsp", "tui"];

/// A text that users see, with its place.
#[derive(Clone)]
struct ShownText {
    path: String,
    line: usize,
    text: String,
}

#[test]
fn texts_use_plain_words() {
    let found = violations(&texts());
    assert!(found.is_empty(), "{}\n", found.join("\n"));
}

#[test]
fn violations_name_the_place_and_the_word_to_use() {
    let source = "// nobody\nfn f() -> &'static str {\n    g('\"', r#\"it \"goes on\" here\"#);\n    \"is no \\\n     tool\"\n}\n\
                  #[cfg(test)]\nmod tests {\n    const A: &str = \"nobody reads\";\n}\n";
    let markdown = "# A title\n\n```text\nnobody reads\n```\n\nThe hook stands here.\n";
    let found = violations(&[rust_texts("a.rs", source), markdown_texts("b.md", markdown)].concat());
    assert_eq!(
        found,
        [
            "a.rs:3: \"goes on\", use: continue: it \"goes on\" here",
            "a.rs:4: \"is no tool\", use: is not a: is no tool",
            "b.md:7: \"stands\", use: is, is in, matches: The hook stands here.",
        ]
    );
}

/// Returns a line for each text with a word of the table.
fn violations(texts: &[ShownText]) -> Vec<String> {
    let words: Vec<(Regex, &str)> =
        WORDS.iter().map(|(word, better)| (Regex::new(&format!(r"(?i)\b(?:{word})\b")).unwrap(), *better)).collect();
    let is_no = Regex::new(r"\b(?:is|are|was) no (\w+)").unwrap();
    let existence = Regex::new(r"\bthere (?:is|are|was) no ").unwrap();
    let mut found = Vec::new();
    for shown in texts {
        let quoted = |(end, part, _): &(&str, &str, &str)| shown.path.ends_with(end) && shown.text.contains(part);
        if QUOTES.iter().any(quoted) {
            continue;
        }
        let mut report = |word: &str, better: &str| {
            found.push(format!("{}:{}: \"{word}\", use: {better}: {}", shown.path, shown.line, shown.text));
        };
        for (word, better) in &words {
            if let Some(hit) = word.find(&shown.text) {
                report(hit.as_str(), better);
            }
        }
        let rest = existence.replace_all(&shown.text, "");
        for hit in is_no.captures_iter(&rest).filter(|hit| !AFTER_IS_NO.contains(&&hit[1])) {
            report(&hit[0], "is not a");
        }
    }
    found
}

/// Returns the texts of the shipped sources, the pages of codes and the documents.
fn texts() -> Vec<ShownText> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    for name in CRATES {
        for path in files(&root.join("crates").join(name).join("src"), "rs") {
            texts.extend(rust_texts(&display_path(root, &path), &fs::read_to_string(&path).unwrap()));
        }
    }
    let pages = ["assets/docs", "assets/guards", "docs", "sample-hooks"]
        .map(|directory| files(&root.join(directory), "md"))
        .concat();
    for path in pages.into_iter().chain([root.join("README.md")]) {
        texts.extend(markdown_texts(&display_path(root, &path), &fs::read_to_string(&path).unwrap()));
    }
    assert!(texts.len() > 5_000, "only {} texts were read", texts.len());
    texts
}

fn display_path(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap().display().to_string()
}

/// Returns all files with this extension below a directory, except tests, in order.
fn files(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|found| found == extension) && !name.ends_with("tests.rs") {
            found.push(path);
        }
    }
    found
}

/// Returns the lines of a Markdown file, without its blocks of code.
fn markdown_texts(path: &str, text: &str) -> Vec<ShownText> {
    let mut code = false;
    let mut texts = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            code = !code;
        } else if !code {
            texts.push(ShownText { path: path.to_owned(), line: index + 1, text: line.to_owned() });
        }
    }
    texts
}

/// Returns the string literals of a Rust file that are sentences, without placeholders. Comments, the reasons of lint
/// attributes and the tests at the end of the file are not texts for users.
fn rust_texts(path: &str, source: &str) -> Vec<ShownText> {
    let literal = Regex::new(
        r###"(?s)//[^\n]*|/\*.*?\*/|r##"(.*?)"##|r#"(.*?)"#|r"([^"]*)"|"((?:[^"\\]|\\.)*)"|'(?:[^'\\\n]|\\[^'\n]+|\\')'"###,
    )
    .unwrap();
    let (gap, placeholder) = (Regex::new(r"\\\n\s*").unwrap(), Regex::new(r"\{[^{}]*\}").unwrap());
    let tests = Regex::new(r"#\[cfg\((?:all\()?test[^\n]*\n(?:#\[[^\n]*\n)*mod \w+ \{").unwrap();
    let end = tests.find(source).map_or(source.len(), |tests| tests.start());
    let shipped = &source[..end];
    let mut texts = Vec::new();
    for found in literal.captures_iter(shipped) {
        let Some(content) = found.iter().skip(1).flatten().next() else { continue };
        let before = &shipped[..content.start()];
        let text = placeholder.replace_all(&gap.replace_all(content.as_str(), ""), "…").into_owned();
        let reason = before.trim_end_matches(['"', '#', 'r']).trim_end().ends_with("reason =");
        if text.trim().contains(' ') && !reason {
            let line = before.lines().count().max(1);
            texts.push(ShownText { path: path.to_owned(), line, text });
        }
    }
    texts
}

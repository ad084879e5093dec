//! `.env` files, as the package `dotenv` reads them (compared with the copies in Gemini CLI 0.61.0 and Qwen Code 0.24.4).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::javascript::trim;
use hookbench_base::config::{FileError, Files, LoadedConfig, LoadedVariable, Place};
use hookbench_base::diagnostic::{Code, Diagnostic, Severity};

/// A variable of a `.env` file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DotenvVariable {
    pub name: String,
    pub value: String,
    /// Counted from 1.
    pub line: u32,
}

/// `\s` of JavaScript, inside a class.
const SPACE: &str = r"\t\n\x0B\x0C\r \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";

/// A name with an optional value. A value may span lines in quotes; in none, it ends at `#`.
static ASSIGNMENT: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
    let pattern = r#"(?m)^[S]*(?:export[S]+)?([A-Za-z0-9_.-]+)(?:[S]*=[S]*?|:[S]+?)([S]*'(?:\\'|[^'])*'|[S]*"(?:\\"|[^"])*"|[S]*`(?:\\`|[^`])*`|[^#\r\n]+)?[S]*(?:#[^\n\r\u{2028}\u{2029}]*)?$"#;
    regex::Regex::new(&pattern.replace("[S]", &format!("[{SPACE}]"))).ok()
});

/// Parses a `.env` file: each name once, with its last value.
pub fn parse_dotenv(text: &str) -> Vec<DotenvVariable> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut found: Vec<DotenvVariable> = Vec::new();
    let (mut line, mut counted) = (1, 0);
    for captures in ASSIGNMENT.iter().flat_map(|pattern| pattern.captures_iter(&text)) {
        let Some(name) = captures.get(1) else { continue };
        line += text.get(counted..name.start()).map_or(0, |between| between.matches('\n').count());
        counted = name.start();
        // An assignment to this property of a JavaScript object is ignored.
        if name.as_str() == "__proto__" {
            continue;
        }
        let value = value(captures.get(2).map_or("", |value| value.as_str()));
        let one =
            DotenvVariable { name: name.as_str().to_owned(), value, line: u32::try_from(line).unwrap_or(u32::MAX) };
        match found.iter_mut().find(|known| known.name == one.name) {
            Some(known) => *known = one,
            None => found.push(one),
        }
    }
    found
}

/// Reads a `.env` file that exists. If it cannot be read, the agent starts without its variables, and a note says so.
pub fn read_dotenv(place: &Place, files: &dyn Files, path: &str, loaded: &mut LoadedConfig) -> Option<Vec<u8>> {
    match files.read(path) {
        Ok(bytes) => Some(bytes),
        Err(FileError::Missing) => None,
        Err(FileError::Unreadable { why, help }) => {
            let file = place.display_path(path);
            let message =
                format!("{file} cannot be read ({why}), so the agent and its hooks start without its variables");
            let note = Diagnostic::lowered(Code::HW101, Severity::Warning, message);
            loaded.notes.push(note.in_file(file).with_help(help));
            None
        }
    }
}

/// The values of a `.env` file, by name.
pub fn dotenv_values(bytes: &[u8]) -> BTreeMap<String, String> {
    parse_dotenv(&String::from_utf8_lossy(bytes)).into_iter().map(|one| (one.name, one.value)).collect()
}

/// A place with the variables of the `.env` files in these directories, which hooks get, too. Each file wins over those before.
pub fn with_dotenv(place: &Place, files: &dyn Files, directories: &[&str], loaded: &mut LoadedConfig) -> Place {
    let mut place = place.clone();
    for path in directories.iter().map(|directory| format!("{directory}/.env")) {
        let bytes = read_dotenv(&place, files, &path, loaded).unwrap_or_default();
        for DotenvVariable { name, value, line } in parse_dotenv(&String::from_utf8_lossy(&bytes)) {
            place.env.insert(name.clone(), value.clone());
            let found = LoadedVariable { value, file: place.display_path(&path), line: Some(line), span: None };
            loaded.variables.insert(name, found);
        }
    }
    place
}

/// The value without its quotes. Only in double quotes, `\n` and `\r` are line ends.
fn value(written: &str) -> String {
    let written = trim(written);
    let bare = without_quotes(written);
    let bare = if written.starts_with('"') { bare.replace("\\n", "\n").replace("\\r", "\r") } else { bare };
    // A variable of a process ends at a null character.
    bare.split('\0').next().unwrap_or_default().to_owned()
}

/// `value.replace(/^(['"`])([\s\S]*)\1$/mg, "$2")`: from a quote at the beginning of a line to the last one at the end of a
/// line.
fn without_quotes(text: &str) -> String {
    let is_line_end = |c: char| matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut at_line_start = true;
    while let Some(first) = rest.chars().next() {
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        if at_line_start && matches!(first, '\'' | '"' | '`') {
            let ends =
                |at: &usize| after.get(at + 1..).is_some_and(|tail| tail.is_empty() || tail.starts_with(is_line_end));
            let closing = after.rmatch_indices(first).map(|(at, _)| at).find(ends);
            if let Some(closing) = closing {
                out.push_str(after.get(..closing).unwrap_or_default());
                rest = after.get(closing + 1..).unwrap_or_default();
                at_line_start = false;
                continue;
            }
        }
        out.push(first);
        at_line_start = is_line_end(first);
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results of the package, for each of these texts.
    #[test]
    fn files_are_read_as_the_package_reads_them() {
        let table = include_str!("../../../../tests/tables/javascript/dotenv.jsonl");
        let mut count = 0;
        for line in table.lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let found = parse_dotenv(case["text"].as_str().unwrap());
            let pairs = found.iter().map(|one| (one.name.clone(), serde_json::Value::from(one.value.clone())));
            assert_eq!(serde_json::Value::Object(pairs.collect()), case["found"], "{}", case["text"]);
            count += 1;
        }
        assert!(count > 40, "{count}");
    }

    #[test]
    fn a_variable_has_its_line() {
        let found = parse_dotenv("# first\nA=1\n\nB='x\ny'\nC=2\nA=3\n");
        let lines: Vec<(&str, u32)> = found.iter().map(|one| (one.name.as_str(), one.line)).collect();
        assert_eq!(lines, [("A", 7), ("B", 4), ("C", 6)]);
    }
}

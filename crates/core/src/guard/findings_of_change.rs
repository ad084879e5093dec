//! Places and kinds of files that several rules use.

const DOCUMENTS: [&str; 9] = [".md", ".mdx", ".rst", ".txt", ".adoc", ".svg", ".csv", ".lock", ".snap"];

/// Whether a file is documentation or generated data, which runs nowhere.
pub fn is_documentation(path: &str) -> bool {
    let base = path.rsplit('/').next().unwrap_or(path);
    let lower = base.to_ascii_lowercase();
    DOCUMENTS.iter().any(|extension| lower.ends_with(extension)) || base.starts_with("LICENSE")
}

/// Whether a file belongs to tests.
pub fn is_test(path: &str) -> bool {
    let directories = ["tests", "test", "__tests__", "spec", "fixtures", "testdata"];
    let mut parts: Vec<&str> = path.split('/').collect();
    let base = parts.pop().unwrap_or_default();
    let stem = base.split('.').next().unwrap_or_default();
    parts.iter().any(|part| directories.contains(part))
        || base == "conftest.py"
        || base.starts_with("test_") && base.rsplit_once('.').is_some_and(|(_, extension)| extension == "py")
        || stem.ends_with("_test")
        || base.contains(".test.")
        || base.contains(".spec.")
}

/// Returns a place as `path:line`, where the line is the first one that contains the beginning of a text.
pub fn line_of(path: &str, content: &str, text: &str) -> String {
    let first = text.lines().next().unwrap_or_default().trim();
    let line = content.lines().position(|line| !first.is_empty() && line.contains(first));
    line.map_or_else(|| path.to_owned(), |line| format!("{path}:{}", line + 1))
}

/// Returns a place as `path:line` for an offset in the content.
pub fn place_at(path: &str, content: &str, offset: usize) -> String {
    let before = content.get(..offset).unwrap_or_default();
    format!("{path}:{}", before.matches('\n').count() + 1)
}

/// Returns the line that contains an offset.
pub fn line_at(content: &str, offset: usize) -> &str {
    let start = content.get(..offset).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    content.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default()
}

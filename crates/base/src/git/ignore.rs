//! Whether git ignores a file, and which line of which file makes it do so. No program is executed.

use regex::Regex;

use super::index::Checkout;
use crate::config::{Files, Place};

/// The line that makes git ignore a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoreMatch {
    /// The path of the file as opened.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// The pattern as written.
    pub pattern: String,
}

/// The patterns of one file.
#[derive(Debug, Clone)]
pub struct IgnoreFile {
    file: String,
    /// The directory to which the patterns apply.
    directory: String,
    /// In reverse order, the last line first.
    lines: Vec<IgnorePattern>,
}

/// One line of an ignore file.
#[derive(Debug, Clone)]
struct IgnorePattern {
    /// Counted from 1.
    line: usize,
    written: String,
    /// Whether the line ignores paths; false if it starts with `!`.
    ignored: bool,
    /// Whether the pattern matches only directories.
    only_directories: bool,
    /// Whether the pattern matches the whole path instead of a name at any depth.
    matches_full_path: bool,
    regex: Regex,
}

/// The number of lines of a file that are read at most.
const MAX_LINES: usize = 2_000;

impl IgnoreFile {
    /// Parses the patterns that apply to a directory.
    pub fn parse(file: &str, directory: &str, text: &str) -> IgnoreFile {
        let lines =
            (1..).zip(text.lines()).take(MAX_LINES).filter_map(|(line, written)| IgnorePattern::parse(line, written));
        let mut lines: Vec<IgnorePattern> = lines.collect();
        lines.reverse();
        IgnoreFile { file: file.to_owned(), directory: directory.to_owned(), lines }
    }

    /// Whether the last pattern that matches a path ignores it. `None` if no pattern matches.
    pub fn ignores(&self, path: &str, directory: bool) -> Option<bool> {
        self.last(path, directory).map(|pattern| pattern.ignored)
    }

    fn last(&self, path: &str, directory: bool) -> Option<&IgnorePattern> {
        let inside = path.strip_prefix(&self.directory)?.strip_prefix('/')?;
        self.lines.iter().find(|pattern| pattern.matches(inside, directory))
    }
}

impl IgnorePattern {
    fn parse(line: usize, written: &str) -> Option<IgnorePattern> {
        let written = written.strip_suffix('\r').unwrap_or(written);
        let mut end = written.trim_end_matches(' ').len();
        if written.get(..end)?.ends_with('\\') && end < written.len() {
            end += 1;
        }
        let text = written.get(..end)?;
        if text.is_empty() || text.starts_with('#') {
            return None;
        }
        let (ignored, pattern) = text.strip_prefix('!').map_or((true, text), |rest| (false, rest));
        let (pattern, directories) = pattern.strip_suffix('/').map_or((pattern, false), |rest| (rest, true));
        // A slash before the end anchors the pattern to its directory.
        let whole = pattern.contains('/');
        let pattern = pattern.strip_prefix('/').unwrap_or(pattern);
        let regex = Regex::new(&regex(pattern)?).ok()?;
        Some(IgnorePattern {
            line,
            written: text.to_owned(),
            ignored,
            only_directories: directories,
            matches_full_path: whole,
            regex,
        })
    }

    fn matches(&self, inside: &str, directory: bool) -> bool {
        let about = if self.matches_full_path { inside } else { inside.rsplit('/').next().unwrap_or(inside) };
        (directory || !self.only_directories) && self.regex.is_match(about)
    }
}

/// Returns the line that makes git ignore a file of the checkout, or a directory above it.
pub fn ignores(files: &dyn Files, place: &Place, checkout: &Checkout, path: &str) -> Option<IgnoreMatch> {
    let inside = path.strip_prefix(&checkout.root)?.strip_prefix('/')?;
    let read = |file: String, directory: &str| {
        Some(IgnoreFile::parse(&file, directory, &String::from_utf8_lossy(&files.read(&file).ok()?)))
    };
    let settings = match place.var("XDG_CONFIG_HOME") {
        Some(directory) if !directory.is_empty() => directory.to_owned(),
        _ => format!("{}/.config", place.home),
    };
    let everywhere = [format!("{settings}/git/ignore"), format!("{}/info/exclude", checkout.common_git_directory)];
    let mut known: Vec<IgnoreFile> = everywhere.into_iter().filter_map(|file| read(file, &checkout.root)).collect();
    let mut here = checkout.root.clone();
    let mut parts = inside.split('/').peekable();
    while let Some(part) = parts.next() {
        known.extend(read(format!("{here}/.gitignore"), &here));
        here = format!("{here}/{part}");
        // The last match wins, and the nearest file comes last.
        let last =
            known.iter().rev().find_map(|patterns| Some((patterns, patterns.last(&here, parts.peek().is_some())?)));
        if let Some((patterns, by)) = last.filter(|(_, by)| by.ignored) {
            return Some(IgnoreMatch { file: patterns.file.clone(), line: by.line, pattern: by.written.clone() });
        }
    }
    None
}

/// Translates a pattern to a regular expression. `None` if it ends in a single `\`.
fn regex(pattern: &str) -> Option<String> {
    let mut out = "^".to_owned();
    let mut rest = pattern;
    let mut first = true;
    while let Some(c) = rest.chars().next() {
        if let Some(behind) = rest.strip_prefix("**/").filter(|_| first || out.ends_with('/')) {
            out.push_str("(?:.*/)?");
            rest = behind;
            continue;
        }
        if rest == "**" && out.ends_with('/') {
            out.push_str(".+");
            break;
        }
        let mut taken = c.len_utf8();
        match c {
            '*' => out.push_str("[^/]*"),
            '?' => out.push_str("[^/]"),
            '\\' => {
                let escaped = rest.chars().nth(1)?;
                taken += escaped.len_utf8();
                out.push_str(&regex::escape(escaped.encode_utf8(&mut [0; 4])));
            }
            '[' => {
                if let Some(close) = rest.get(2..)?.find(']').map(|at| at + 2) {
                    let set = rest.get(1..close)?;
                    let (not, set) = set.strip_prefix(['!', '^']).map_or(("", set), |set| ("^", set));
                    out.push_str(&format!("[{not}{}]", set.replace('\\', "\\\\").replace('[', "\\[")));
                    taken = close + 1;
                } else {
                    out.push_str("\\[");
                }
            }
            _ => out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
        first = false;
        rest = rest.get(taken..)?;
    }
    out.push('$');
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::MemoryFiles;

    /// One case: the ignore files with their content, a path, and the line that git 2.47 `check-ignore -v` reports.
    type IgnoreCase = (&'static [(&'static str, &'static str)], &'static str, Option<&'static str>);

    #[test]
    fn what_git_says() {
        let rows: &[IgnoreCase] = &[
            (&[], "a.sh", None),
            (&[(".gitignore", "# a.sh\n\n*.sh\n")], "hooks/a.sh", Some(".gitignore:3 *.sh")),
            (&[(".gitignore", "*.sh\n!a.sh")], "hooks/a.sh", None),
            (&[(".gitignore", "hooks/\n!hooks/a.sh")], "hooks/a.sh", Some(".gitignore:1 hooks/")),
            (&[(".gitignore", "hooks/*\n!hooks/a.sh")], "hooks/a.sh", None),
            (&[(".gitignore", "a.sh/")], "a.sh", None),
            (&[(".gitignore", "/a.sh")], "hooks/a.sh", None),
            (&[(".gitignore", "/a.sh   ")], "a.sh", Some(".gitignore:1 /a.sh")),
            (&[(".gitignore", "hooks/a.sh")], "x/hooks/a.sh", None),
            (&[(".gitignore", "**/hooks/*.sh")], "x/hooks/a.sh", Some(".gitignore:1 **/hooks/*.sh")),
            (&[(".gitignore", "x/**/a.sh")], "x/a.sh", Some(".gitignore:1 x/**/a.sh")),
            (&[(".gitignore", "x/**")], "x/y/a.sh", Some(".gitignore:1 x/**")),
            (&[(".gitignore", "[a-c].s?")], "b.sh", Some(".gitignore:1 [a-c].s?")),
            (&[(".gitignore", "[!a].sh")], "a.sh", None),
            (&[(".gitignore", "\\!a.sh")], "!a.sh", Some(".gitignore:1 \\!a.sh")),
            (&[(".gitignore", "a.sh"), ("hooks/.gitignore", "!a.sh")], "hooks/a.sh", None),
            (&[("hooks/.gitignore", "a.sh\r\n")], "hooks/a.sh", Some("hooks/.gitignore:1 a.sh")),
            (&[(".git/info/exclude", ".agent")], ".agent/hooks/a.sh", Some(".git/info/exclude:1 .agent")),
            (&[(".git/info/exclude", "*.sh"), (".gitignore", "!*.sh")], "a.sh", None),
            (&[("../home/.config/git/ignore", "*.sh")], "a.sh", Some("../home/.config/git/ignore:1 *.sh")),
        ];
        let checkout =
            Checkout { root: "/p".into(), git_directory: "/p/.git".into(), common_git_directory: "/p/.git".into() };
        let place = Place { home: "/p/../home".into(), project: "/p".into(), ..Place::default() };
        for (laid, path, want) in rows {
            let mut files = MemoryFiles::default();
            for (name, text) in *laid {
                files.put(format!("/p/{name}"), text.as_bytes());
            }
            let found = ignores(&files, &place, &checkout, &format!("/p/{path}"));
            let found = found
                .map(|by| format!("{}:{} {}", by.file.strip_prefix("/p/").unwrap_or_default(), by.line, by.pattern));
            assert_eq!(found.as_deref(), *want, "{laid:?} {path}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(pattern in "[a-c*?!/\\\\\\[\\]^ #.é-]{0,12}", path in "[a-c/.é]{1,8}", directory: bool) {
            let _ = IgnoreFile::parse("", "/p", &pattern).ignores(&format!("/p/{path}"), directory);
        }
    }
}

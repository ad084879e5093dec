//! Finds the paths in jq programs that a script runs.

use super::ScriptKey;
use super::stdin_source::reads_payload;

/// The paths of all jq programs in a text, and the text with these programs blanked out.
pub(super) fn paths(code: &str) -> (Vec<ScriptKey>, String) {
    let mut found = Vec::new();
    let mut rest_of_code = code.to_owned();
    for (at, _) in code.match_indices("jq") {
        let before = code.get(..at).and_then(|c| c.chars().next_back());
        let word = before.is_some_and(|c| c.is_alphanumeric() || "_-.".contains(c));
        let rest = code.get(at + 2..).unwrap_or("");
        if !word
            && rest.starts_with(char::is_whitespace)
            && let Some((program, after, rooted)) = program(rest)
        {
            let end = code.len() - after.len();
            rest_of_code.replace_range(end - program.len()..end, &" ".repeat(program.len()));
            let rooted = rooted && reads_payload(code, at, after);
            let unquoted = |q: char| program.strip_prefix(q).and_then(|p| p.strip_suffix(q));
            let program = unquoted('\'').or_else(|| unquoted('"')).unwrap_or(program);
            JqParser { program, at: 0, rooted, found: &mut found }.read(&Some(Vec::new()), None);
        }
    }
    (found, rest_of_code)
}

/// The program among the arguments of jq with its quotes, the text after it, and whether it reads stdin.
fn program(arguments: &str) -> Option<(&str, &str, bool)> {
    let mut rest = arguments;
    loop {
        rest = rest.trim_start_matches([' ', '\t']);
        if let Some(next) = rest.strip_prefix("\\\n") {
            rest = next;
            continue;
        }
        let (argument, after) = word(rest);
        if argument.is_empty() {
            return None;
        }
        if !argument.starts_with('-') {
            return Some((argument, after, !names_a_file(after)));
        }
        let skip = match argument {
            "--arg" | "--argjson" | "--slurpfile" | "--rawfile" => 2,
            "--indent" | "-L" => 1,
            // These options read the program from a file, or read no input.
            "-f" | "--from-file" | "--null-input" => return None,
            short if !short.starts_with("--") && short.contains('n') => return None,
            _ => 0,
        };
        rest = after;
        for _ in 0..skip {
            rest = word(rest.trim_start()).1;
        }
    }
}

/// The first word of a command line with its quotes, and the text after it.
fn word(text: &str) -> (&str, &str) {
    let mut quote: Option<char> = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match quote {
            _ if escaped => escaped = false,
            Some('\'') if c == '\'' => quote = None,
            Some('\'') => {}
            _ if c == '\\' => escaped = true,
            Some(q) if c == q => quote = None,
            Some(_) => {}
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c.is_whitespace() || "|;&)<>`".contains(c) => return text.split_at(at),
            None => {}
        }
    }
    // An unclosed quote gives an empty word.
    if quote.is_some() { ("", "") } else { (text, "") }
}

/// Whether the text after the program names an input file, so that jq does not read stdin.
fn names_a_file(after: &str) -> bool {
    let (argument, _) = word(after.trim_start_matches([' ', '\t']));
    !argument.is_empty() && !argument.starts_with('-')
}

/// The keys at which paths begin. `None` if that is unknown.
type PathPrefix = Option<Vec<String>>;

struct JqParser<'a> {
    program: &'a str,
    at: usize,
    rooted: bool,
    found: &'a mut Vec<ScriptKey>,
}

impl JqParser<'_> {
    fn peek(&self) -> Option<char> {
        self.program.get(self.at..)?.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Parses to the end, or to `close`. The text between two pipes is a stage: a bare path moves to its value, a
    /// filter stays at the same value, and anything else makes the value unknown.
    fn read(&mut self, outer: &PathPrefix, close: Option<char>) {
        let mut prefix = outer.clone();
        let mut stage = self.at;
        let mut only: Option<Vec<String>> = None;
        let mut before = ' ';
        while let Some(c) = self.peek() {
            if Some(c) == close {
                self.at += 1;
                return;
            }
            let starts_path = c == '.' && !(before.is_alphanumeric() || "_$)]}\".".contains(before));
            if starts_path && let Some(path) = self.path() {
                if let Some(prefix) = &prefix {
                    let path: Vec<String> = prefix.iter().chain(&path).cloned().collect();
                    self.found.push(ScriptKey { path: path.clone(), rooted: self.rooted });
                    only = Some(path);
                }
                before = 'x';
                continue;
            }
            self.at += c.len_utf8();
            match c {
                '"' => self.string(&prefix),
                '(' => self.read(&prefix, Some(')')),
                '[' => self.read(&prefix, Some(']')),
                '{' => self.read(&prefix, Some('}')),
                '|' if self.peek() != Some('=') => {
                    let text = self.program.get(stage..self.at - 1).unwrap_or("").trim();
                    let (path, default) = text.split_once("//").map_or((text, ""), |(p, d)| (p.trim(), d.trim()));
                    let bare = path.starts_with('.') && !path.contains([' ', ',', '(', '{']) && !default.contains('.');
                    let stays = text.starts_with("select") || text.contains(" as $") || text == ".";
                    prefix = match only.take() {
                        Some(path) if bare => Some(path),
                        _ if stays => prefix,
                        _ => None,
                    };
                    stage = self.at;
                }
                ',' | ';' | ':' => {
                    prefix.clone_from(outer);
                    stage = self.at;
                    only = None;
                }
                _ => {}
            }
            before = c;
        }
    }

    /// Skips a string, except for interpolations `\(…)`.
    fn string(&mut self, prefix: &PathPrefix) {
        while let Some(c) = self.next() {
            match c {
                '"' => return,
                '\\' if self.next() == Some('(') => self.read(prefix, Some(')')),
                _ => {}
            }
        }
    }

    /// Parses `.a."b"["c"][0][]`, starting at the first dot.
    fn path(&mut self) -> Option<Vec<String>> {
        let start = self.at;
        let mut keys = Vec::new();
        loop {
            let rest = self.program.get(self.at..).unwrap_or("");
            if let Some(rest) = rest.strip_prefix('?') {
                self.at = self.program.len() - rest.len();
            } else if let Some(inside) = rest.strip_prefix(".[").or_else(|| rest.strip_prefix('[')) {
                let Some((index, after)) = inside.split_once(']') else { break };
                let key = match index.trim() {
                    "" => "*",
                    text if text.parse::<usize>().is_ok() => text,
                    text => match text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
                        Some(text) if !text.contains(['\\', '"']) => text,
                        _ => break,
                    },
                };
                keys.push(key.to_owned());
                self.at = self.program.len() - after.len();
            } else if let Some(text) = rest.strip_prefix(".\"") {
                let Some((key, after)) = text.split_once('"') else { break };
                keys.push(key.to_owned());
                self.at = self.program.len() - after.len();
            } else if let Some(name) = rest.strip_prefix('.') {
                let end = name.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(name.len());
                let (key, after) = name.split_at(end);
                if key.is_empty() || key.starts_with(|c: char| c.is_ascii_digit()) {
                    break;
                }
                keys.push(key.to_owned());
                self.at = self.program.len() - after.len();
            } else {
                break;
            }
        }
        if keys.is_empty() || keys.first().is_some_and(|k| k == "*") {
            self.at = start;
            return None;
        }
        Some(keys)
    }
}

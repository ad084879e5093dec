//! The user's `.env` file, which Codex reads into its own process before anything else, so hooks inherit it. The syntax and
//! the rules were measured on 0.171.0.

use std::collections::BTreeMap;

use super::layers::user_dir;
use crate::shared::dotenv::read_dotenv;
use hookbench_base::config::{Files, LoadedConfig, LoadedVariable, Place};

/// Adds the variables of the file. They replace those of the environment.
pub fn read(place: &Place, files: &dyn Files, loaded: &mut LoadedConfig) {
    let path = format!("{}/.env", user_dir(place));
    let Some(bytes) = read_dotenv(place, files, &path, loaded) else { return };
    // A file that is not UTF-8 ends at the first such line.
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        Err(why) => std::str::from_utf8(bytes.get(..why.valid_up_to()).unwrap_or_default()).unwrap_or_default(),
    };
    for (name, value, line) in parse(text, &|name| place.var(name).map(str::to_owned)) {
        let found = LoadedVariable { value, file: place.display_path(&path), line: Some(line), span: None };
        loaded.variables.insert(name, found);
    }
}

/// Whether a file cannot set a variable.
fn is_own(name: &str) -> bool {
    name.to_ascii_uppercase().starts_with("CODEX_")
}

/// Returns the variables in order, with their lines. A line that cannot be read is skipped. `given` is the environment.
fn parse(text: &str, given: &dyn Fn(&str) -> Option<String>) -> Vec<(String, String, u32)> {
    let mut found: Vec<(String, String, u32)> = Vec::new();
    // Values of names that are not set can still be used by later lines.
    let mut hidden: BTreeMap<String, String> = BTreeMap::new();
    for (line, text) in assignments(text) {
        let lookup = |name: &str| {
            let set = found.iter().rev().find(|(known, ..)| known == name).map(|(_, value, _)| value.clone());
            set.or_else(|| given(name)).or_else(|| hidden.get(name).cloned()).unwrap_or_default()
        };
        let Some((name, value)) = assignment(&text, &lookup) else { continue };
        if is_own(&name) {
            hidden.insert(name, value);
        } else {
            found.push((name, value, line));
        }
    }
    found
}

/// The lines with their numbers, without comments. A quote that is open at the end of a line continues in the next.
fn assignments(text: &str) -> Vec<(u32, String)> {
    let mut all = Vec::new();
    let (mut whole, mut started) = (String::new(), 1);
    let (mut quote, mut escaped, mut blank) = (None, false, false);
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if whole.is_empty() {
            started = number;
        }
        if whole.is_empty() && line.trim_start().starts_with('#') {
            continue;
        }
        let mut comment = None;
        for (at, c) in line.char_indices() {
            let after_blank = std::mem::take(&mut blank);
            match (quote, c) {
                _ if std::mem::take(&mut escaped) => {}
                (_, '\\') => escaped = true,
                (Some(open), c) if open == c => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, '#') if after_blank => {
                    comment = Some(at);
                    break;
                }
                (None, c) => blank = !after_blank && c.is_whitespace() && !matches!(c, '\n' | '\r'),
            }
        }
        whole.push_str(line.get(..comment.unwrap_or(line.len())).unwrap_or(line));
        if comment.is_some() || quote.is_none() && !escaped && !blank {
            all.push((started, std::mem::take(&mut whole)));
        }
    }
    all
}

/// Parses `NAME=value`, or `export NAME=value`. `None` if it is neither.
fn assignment(line: &str, lookup: &dyn Fn(&str) -> String) -> Option<(String, String)> {
    let (mut name, mut rest) = name(line.trim())?;
    if name == "export" && !rest.starts_with('=') {
        (name, rest) = self::name(rest)?;
    }
    let written = rest.strip_prefix('=')?.trim_start();
    if written.is_empty() || written.starts_with('#') {
        return Some((name.to_owned(), String::new()));
    }
    Some((name.to_owned(), value(written, lookup)?))
}

/// The name at the beginning, and the text after it and its blanks.
fn name(text: &str) -> Option<(&str, &str)> {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_').then_some(())?;
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).unwrap_or(text.len());
    text.split_at_checked(end).map(|(name, rest)| (name, rest.trim_start()))
}

/// The value: quotes are removed, `$NAME` and `${NAME}` are replaced outside single quotes. A name without braces has
/// letters and digits only, and the character after it is copied unchanged, even a quote.
fn value(written: &str, lookup: &dyn Fn(&str) -> String) -> Option<String> {
    let mut out = String::new();
    let mut quote = None;
    let mut characters = written.chars().peekable();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (Some('\''), '\'') => quote = None,
            (Some('\''), c) => out.push(c),
            (_, '$') => replace_variable(&mut characters, &mut out, lookup)?,
            (_, '\\') => match characters.next() {
                Some('n') => out.push('\n'),
                Some(c @ ('\\' | '\'' | '"' | '$' | ' ')) => out.push(c),
                Some(_) => return None,
                None => {}
            },
            (Some(_), '"') => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, ' ' | '\t') => {
                let after = characters.find(|c| !matches!(c, ' ' | '\t'));
                return matches!(after, None | Some('#')).then_some(out);
            }
            (_, c) => out.push(c),
        }
    }
    quote.is_none().then_some(out)
}

/// Replaces a variable after its `$`. `None` if its brace is not closed.
fn replace_variable(
    characters: &mut std::iter::Peekable<std::str::Chars<'_>>,
    out: &mut String,
    lookup: &dyn Fn(&str) -> String,
) -> Option<()> {
    let mut name = String::new();
    if characters.next_if_eq(&'{').is_some() {
        loop {
            match characters.next()? {
                '}' => break,
                c => name.push(c),
            }
        }
        out.push_str(&lookup(&name));
        return Some(());
    }
    while let Some(c) = characters.next_if(|c| c.is_alphanumeric()) {
        name.push(c);
    }
    out.push_str(&lookup(&name));
    if characters.peek() != Some(&'$') {
        out.extend(characters.next());
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// The variables that hooks found on the real program for each of these files, with `GIVEN=process` in its environment.
    #[test]
    fn files_are_read_as_the_program_reads_them() {
        for line in include_str!("../../../../tests/tables/codex/dotenv.jsonl").lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            let given = |name: &str| (name == "GIVEN").then(|| "process".to_owned());
            let found = parse(case["text"].as_str().unwrap(), &given);
            let found = found.into_iter().map(|(name, value, _)| (name, Value::from(value)));
            assert_eq!(Value::Object(found.collect()), case["found"], "{}", case["text"]);
        }
    }

    #[test]
    fn a_variable_has_its_line() {
        let found = parse("# c\nA='1\n2'\n\nB=1\n", &|_| None);
        let lines: Vec<(&str, u32)> = found.iter().map(|(name, _, line)| (name.as_str(), *line)).collect();
        assert_eq!(lines, [("A", 2), ("B", 5)]);
    }
}

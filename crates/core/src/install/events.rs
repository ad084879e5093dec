//! The events that entries are installed on.

use crate::dialects::{Agent, Version};
use crate::hook::EventSpec;
use crate::live::{native_event, wire_event};
use crate::port::nearest_event;

/// The reason why no entry is installed on an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipReason {
    /// Any answer on this event changes what the agent does.
    Unsafe,
    /// It fires very often. It is installed only if it is named.
    Frequent,
}

impl SkipReason {
    /// Explains the reason in a sentence.
    pub fn message(self) -> &'static str {
        match self {
            SkipReason::Unsafe => "never: any output of a hook on this event changes what the agent does",
            SkipReason::Frequent => "only if you name it with --events: it fires very often",
        }
    }
}

/// An event that cannot be installed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventSelectionError {
    #[error("{agent} {version} has no event {name}{}", .near.as_ref().map_or(String::new(), |near| format!("; did you mean {near}?")))]
    Unknown { agent: &'static str, version: String, name: String, near: Option<String> },
    #[error("{0} is never installed: any output of a hook on this event changes what the agent does")]
    Unsafe(&'static str),
    #[error("--events is empty: name at least one event")]
    Empty,
}

/// Returns the events that are installed by default, and the others with the reason.
pub fn default_events(
    dialect: &Agent,
    version: &Version,
) -> (Vec<&'static EventSpec>, Vec<(&'static str, SkipReason)>) {
    let live = dialect.live_format();
    let (mut wanted, mut left) = (Vec::new(), Vec::new());
    for event in dialect.events(version) {
        if live.unsafe_events.contains(&event.name) {
            left.push((event.name, SkipReason::Unsafe));
        } else if live.frequent.contains(&event.name) {
            left.push((event.name, SkipReason::Frequent));
        } else {
            wanted.push(event);
        }
    }
    (wanted, left)
}

/// Returns the events with these names, in the agent's or the wire's spelling, without duplicates.
///
/// # Errors
/// Returns an error if an event does not exist, if it must not be installed, or if the list is empty.
pub fn named_events(
    dialect: &Agent,
    version: &Version,
    names: &[&str],
) -> Result<Vec<&'static EventSpec>, EventSelectionError> {
    let (all, live) = (dialect.events(version), dialect.live_format());
    let mut out: Vec<&'static EventSpec> = Vec::new();
    for name in names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
        let native = native_event(live, &wire_event(Some(live), name));
        let found = all.iter().find(|event| event.name == name).or_else(|| all.iter().find(|e| e.name == native));
        let Some(event) = found else {
            let near = nearest_event(dialect, version, name);
            let (agent, version) = (dialect.name(), version.to_string());
            return Err(EventSelectionError::Unknown { agent, version, name: name.to_owned(), near });
        };
        if live.unsafe_events.contains(&event.name) {
            return Err(EventSelectionError::Unsafe(event.name));
        }
        if !out.iter().any(|known| known.name == event.name) {
            out.push(event);
        }
    }
    if out.is_empty() { Err(EventSelectionError::Empty) } else { Ok(out) }
}

/// The quoting style for a path, depending on the shell that reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellQuoting {
    Posix,
    /// Double quotes, the only quotes that every Windows shell understands.
    Windows,
}

/// Returns the command line that forwards events. It is always the same for one agent, because some agents tie
/// trust to the exact text of a hook.
pub fn forward_command(program: &str, agent: &str, quoting: ShellQuoting) -> String {
    format!("{} forward --agent {agent}", quoted_word(program, quoting))
}

/// Returns a word for a command line of the shell, in quotes if it needs them.
pub fn quoted_word(word: &str, quoting: ShellQuoting) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./+:@%=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    match quoting {
        ShellQuoting::Posix => format!("'{}'", word.replace('\'', r"'\''")),
        ShellQuoting::Windows => format!("\"{word}\""),
    }
}

/// Whether a command is one of hookbench's: its first words are `hookbench forward`, where the program is given by
/// that name, by a path to a program with that name, or by the path of this executable.
pub fn is_forward(command: &str, program: &str) -> bool {
    let mut words = ShellWords { rest: command };
    let Some(first) = words.next() else { return false };
    is_program(&first, program) && words.next().is_some_and(|second| second == "forward")
}

/// Whether a word names hookbench's executable.
pub fn is_program(word: &str, program: &str) -> bool {
    let base = word.rsplit(['/', '\\']).next().unwrap_or(word);
    word == program || base.strip_suffix(".exe").unwrap_or(base) == "hookbench"
}

/// Returns the program that a command starts.
pub fn program_of(command: &str) -> Option<String> {
    ShellWords { rest: command }.next()
}

/// The words of a command line, split as by a shell but without expanding variables.
struct ShellWords<'a> {
    rest: &'a str,
}

impl Iterator for ShellWords<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let text = self.rest.trim_start();
        if text.is_empty() {
            return None;
        }
        let mut word = String::new();
        let mut quote = None;
        let mut chars = text.char_indices();
        while let Some((at, c)) = chars.next() {
            match (quote, c) {
                (None, c) if c.is_whitespace() => {
                    self.rest = text.get(at..).unwrap_or("");
                    return Some(word);
                }
                (None, '"' | '\'') => quote = Some(c),
                (Some(open), c) if c == open => quote = None,
                // Before a letter, a backslash is part of a Windows path.
                (None | Some('"'), '\\') => {
                    let next = chars.clone().next().map(|(_, c)| c);
                    if let Some(c) = next.filter(|c| !c.is_alphanumeric()) {
                        chars.next();
                        word.push(c);
                    } else {
                        word.push('\\');
                    }
                }
                (_, c) => word.push(c),
            }
        }
        self.rest = "";
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = "/opt/my tools/hb";

    #[test]
    fn recognizes_own_commands() {
        for (command, ours) in [
            ("hookbench forward --agent x", true),
            ("  hookbench   forward", true),
            ("/usr/bin/hookbench forward --agent x --socket /s", true),
            ("'/home/a b/hookbench' forward", true),
            ("\"/home/a b/hookbench\" 'forward'", true),
            (r"/home/a\ b/hookbench forward", true),
            (r"C:\tools\hookbench.exe forward", true),
            ("'/opt/my tools/hb' forward --agent x", true),
            ("/opt/my tools/hb forward", false),
            ("hookbench forwards", false),
            ("hookbench serve", false),
            ("hookbench", false),
            ("my-hookbench forward", false),
            ("sh -c 'hookbench forward'", false),
            ("echo hookbench forward", false),
            ("", false),
        ] {
            assert_eq!(is_forward(command, HERE), ours, "{command}");
        }
    }

    #[test]
    fn written_commands_are_recognized() {
        for (program, quoting, want) in [
            ("hookbench", ShellQuoting::Posix, "hookbench forward --agent x"),
            ("/a/b-1.2/hookbench", ShellQuoting::Posix, "/a/b-1.2/hookbench forward --agent x"),
            ("/a b/it's", ShellQuoting::Posix, r"'/a b/it'\''s' forward --agent x"),
            ("/a$b", ShellQuoting::Posix, "'/a$b' forward --agent x"),
            (r"C:\a b\hookbench.exe", ShellQuoting::Windows, r#""C:\a b\hookbench.exe" forward --agent x"#),
        ] {
            let command = forward_command(program, "x", quoting);
            assert_eq!(command, want);
            assert!(is_forward(&command, program), "{command}");
        }
    }
}

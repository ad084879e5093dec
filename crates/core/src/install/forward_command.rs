//! The command of hookbench's entries: how it is written and recognized.

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

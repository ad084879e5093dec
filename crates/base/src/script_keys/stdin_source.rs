//! Determines whether a command in a shell script receives the payload on stdin, or something else with a similar
//! form.

/// Whether the command at `at` in a script, with its arguments in `after`, reads the payload: it has no pipe into
/// it, or the piped variable holds the payload.
pub(super) fn reads_payload(code: &str, at: usize, after: &str) -> bool {
    let rest = after.split(['|', ';', '&', ')', '\n']).next().unwrap_or("");
    if let Some((_, text)) = rest.split_once("<<<") {
        return last_variable(text).is_some_and(|name| holds_payload(code, name, 0));
    }
    if let Some((_, file)) = rest.split_once('<').filter(|(before, _)| !before.ends_with('>')) {
        return file.trim_start().starts_with("/dev/stdin");
    }
    let before = code.get(..at).unwrap_or("").trim_end_matches([' ', '\t', '\\', '\n']);
    match before.strip_suffix('|').filter(|before| !before.ends_with('|')) {
        Some(piped) => carries_payload(code, piped, 0),
        None => true,
    }
}

/// The longest chain of variables to follow.
const DEPTH: usize = 4;

/// Whether a pipe that ends here carries the payload.
fn carries_payload(code: &str, before: &str, depth: usize) -> bool {
    let start = ["\n", ";", "&", "|", "`", "$("].iter().filter_map(|end| before.rfind(end).map(|at| at + end.len()));
    let command = before.get(start.max().unwrap_or(0)..).unwrap_or("").trim();
    let mut words = command.split_whitespace().skip_while(|word| can_precede_command(word));
    match words.next() {
        Some("echo" | "printf") => last_variable(command).is_some_and(|name| holds_payload(code, name, depth)),
        Some("cat") => match command.split_once("<<<") {
            Some((_, text)) => last_variable(text).is_some_and(|name| holds_payload(code, name, depth)),
            None => words.all(|word| word.starts_with('-') || word.starts_with("2>") || word == "/dev/stdin"),
        },
        Some("tee" | "head" | "timeout") => !before.trim_end_matches(command).trim_end().ends_with('|'),
        _ => false,
    }
}

/// Words that can precede a command.
fn can_precede_command(word: &str) -> bool {
    matches!(word, "if" | "then" | "do" | "else" | "while" | "until" | "!" | "{" | "(") || word.contains("=$")
}

/// Whether a variable holds the payload, judging from its assignments in the text.
fn holds_payload(code: &str, name: &str, depth: usize) -> bool {
    if depth > DEPTH {
        return false;
    }
    let mut values = assigned_values(code, name).peekable();
    // A variable without an assignment comes from the caller or from the environment. Environment variables have
    // upper-case names.
    if values.peek().is_none() {
        return filled_by_read(code, name).unwrap_or_else(|| name.chars().any(char::is_lowercase));
    }
    values.any(|value| {
        let value = value.trim_start_matches(['"', '\'']);
        if value.starts_with("${") {
            return value.contains("$(cat");
        }
        let Some(inner) = value.strip_prefix("$(") else {
            return value.starts_with('$')
                && last_variable(value.split([';', '\n', ' ']).next().unwrap_or(""))
                    .is_some_and(|other| other != name && holds_payload(code, other, depth + 1));
        };
        let inner = inner.split([')', '\n']).next().unwrap_or("").trim();
        if inner.contains("jq") {
            return false;
        }
        inner.strip_prefix('<').is_some_and(|file| file.trim_start().starts_with("/dev/stdin"))
            || carries_payload(code, inner.split('|').next().unwrap_or(""), depth + 1)
    })
}

/// All values that are assigned to a variable.
fn assigned_values<'a>(code: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    code.match_indices(name).filter_map(move |(at, _)| {
        let before = code.get(..at)?.chars().next_back();
        let alone = before.is_none_or(|c| !c.is_alphanumeric() && !"_$-.{\"'/".contains(c));
        code.get(at + name.len()..)?.strip_prefix('=').filter(|_| alone)
    })
}

/// Whether `read` fills the variable from stdin (true) or from something else (false). `None` if `read` does not
/// fill it.
fn filled_by_read(code: &str, name: &str) -> Option<bool> {
    let fills = |line: &&str| {
        let (_, behind) = line.split_once("read ")?;
        behind.split([' ', ';', ')']).any(|word| word == name).then_some(())
    };
    let line = code.lines().find(|line| fills(line).is_some())?;
    Some(!line.contains('|') && !line.contains("while"))
}

/// The last variable in a text.
fn last_variable(text: &str) -> Option<&str> {
    let (_, name) = text.rsplit_once('$')?;
    let name = name.strip_prefix('{').unwrap_or(name);
    let name = name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or("");
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::reads_payload;

    #[test]
    fn what_a_command_is_given() {
        for (code, want) in [
            ("jq .", true),
            ("x=$(jq . )", true),
            ("if jq -e .; then", true),
            ("cat | jq .", true),
            ("cat file | jq .", false),
            ("tee /tmp/log | jq .", true),
            ("in=$(cat)\necho \"$in\" | jq .", true),
            ("in=\"$(cat -)\"\nprintf '%s\\n' \"${in}\" | jq .", true),
            ("in=$(</dev/stdin); jq . <<< \"$in\"", true),
            ("in=${1:-$(cat)}\necho $in | jq .", true),
            ("in=$(timeout 5 cat)\necho $in | jq .", true),
            ("IFS= read -r -d '' in\necho \"$in\" | jq .", true),
            ("in=$(cat); copy=$in; echo \"$copy\" | jq .", true),
            ("in=$(cat)\ntool=$(echo \"$in\" | jq .tool_input)\necho \"$tool\" | jq .", false),
            ("package=$(cat package.json)\njq . <<<\"$package\"", false),
            ("echo \"$TOOL_INPUT\" | jq .", false),
            ("echo '{}' | jq .", false),
            ("gh pr view --json url | jq .", false),
            ("curl -s https://x.example/$id |\n  jq .", false),
            ("false || jq .", true),
            ("jq . < package.json", false),
            ("jq . < /dev/stdin", true),
            ("git log | while read -r line; do echo \"$line\" | jq .; done", false),
        ] {
            let at = code.rfind("jq").unwrap();
            let after = &code[at + "jq .".len()..];
            assert_eq!(reads_payload(code, at, after), want, "{code}");
        }
    }
}

//! HW632: a script that reads its input twice. The second read gets nothing.

use std::ops::Range;

use super::hook_text::HookText;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::lint::commands::shell_texts;
use crate::text::shell::{CommandJoin, Shell, SimpleCommand};

pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let text = HookText::of(at)?;
    let place = match at.script {
        Some(script) if script.interpreter == "python" => text.span_of(second_python_read(&text.text)?),
        Some(_) => {
            let line = shell_texts::script(at)?;
            line.span_of(second_read(line.shell, line.text)?)
        }
        None => {
            let line = shell_texts::command(at)?;
            line.span_of(second_read(line.shell, line.text)?)
        }
    };
    let says = "this command reads stdin after another command has already read all of it, so it gets nothing";
    let help = "read stdin once into a variable (INPUT=$(cat)), and use the variable";
    let help = if at.script.is_some_and(|script| script.interpreter == "python") {
        "read stdin once, and keep the result"
    } else {
        help
    };
    Some(Diagnostic::new(Code::HW632, says).at(place).with_help(help))
}

/// Returns the second command that reads all of stdin.
fn second_read(shell: &Shell, text: &str) -> Option<Range<usize>> {
    // With one of these, a command may read something other than the hook's input.
    const ELSE: [&str; 7] = [">(", "done <", "| while", "|while", "exec <", "exec 0<", "<<"];
    if ELSE.iter().any(|word| text.contains(word)) || !shell.functions.is_empty() {
        return None;
    }
    let mut readers = shell.commands.iter().filter(|simple| reads_all(shell, simple));
    let first = readers.next().filter(|simple| simple.depth == 0 && simple.join != CommandJoin::Or)?;
    let second = readers.find(|simple| simple.join != CommandJoin::Or && simple.at.start > first.at.end)?;
    Some(second.at.clone())
}

/// Whether a command reads all of the hook's stdin, with no pipe or redirection into it.
fn reads_all(shell: &Shell, simple: &SimpleCommand) -> bool {
    let other = simple.redirections.iter().any(|redirection| redirection.operator.starts_with('<'));
    if simple.piped_from.is_some() || other || inside_piped(shell, simple) {
        return false;
    }
    let words = simple.unwrapped_words();
    let arguments = || words.iter().skip(1);
    match simple.program_name().as_deref() {
        Some("cat") => arguments().all(|word| word.plain().is_some_and(|text| text.starts_with('-'))),
        Some("jq") => {
            let mut plain = 0;
            let mut skip = 0;
            for word in arguments() {
                let text = word.text();
                if skip > 0 {
                    skip -= 1;
                } else if text.starts_with('-') && word.plain().is_some() {
                    if matches!(text.as_str(), "-n" | "--null-input" | "-f" | "--from-file")
                        || !text.starts_with("--") && text.contains(['n', 'f'])
                        || text == "--version"
                    {
                        return false;
                    }
                    skip = match text.as_str() {
                        "--arg" | "--argjson" | "--slurpfile" | "--rawfile" => 2,
                        "--indent" | "-L" => 1,
                        _ => 0,
                    };
                } else {
                    plain += 1;
                }
            }
            plain == 1
        }
        _ => false,
    }
}

/// Whether a command is in a substitution of a command that reads from a pipe.
fn inside_piped(shell: &Shell, simple: &SimpleCommand) -> bool {
    shell
        .commands
        .iter()
        .any(|other| other.piped_from.is_some() && other.at.start < simple.at.start && simple.at.end < other.at.end)
}

/// Returns the second place where a Python script reads all of stdin, in the same block.
fn second_python_read(text: &str) -> Option<Range<usize>> {
    const READS: [&str; 3] = ["json.load(sys.stdin)", "sys.stdin.read()", "sys.stdin.buffer.read()"];
    let mut first: Option<usize> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let code = line.trim_start();
        if !code.starts_with('#')
            && let Some((at, read)) = READS.iter().find_map(|read| Some((line.find(read)?, read)))
        {
            if first == Some(indent) {
                return Some(start + at..start + at + read.len());
            }
            first = Some(indent);
        } else if first.is_some_and(|first| indent < first && !code.trim().is_empty()) {
            // A block with less indentation may be another path.
            first = None;
        }
        start += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{second_python_read, second_read};
    use crate::text::shell::Shell;

    #[test]
    fn second_reads() {
        for (text, want) in [
            ("T=$(jq -r .tool_name)\nC=$(jq -r .tool_input.command)", true),
            ("INPUT=$(cat)\nC=$(jq -r .tool_input.command)", true),
            ("cat > /tmp/log\njq -r .tool_name", true),
            ("INPUT=$(cat)\necho \"$INPUT\" | jq -r .tool_name", false),
            ("INPUT=$(cat)\nV=$(jq -r .version package.json)", false),
            ("INPUT=$(cat)\njq -n '{}'", false),
            ("jq -e .a >/dev/null || cat", false),
            ("if x; then jq .a; else jq .b; fi", false),
            ("cat <<EOF\nx\nEOF\njq .a", false),
            ("tee >(jq .a) | jq .b", false),
            ("cat file; jq .a", false),
        ] {
            assert_eq!(second_read(&Shell::parse(text), text).is_some(), want, "{text}");
        }
        for (text, want) in [
            ("raw = sys.stdin.read()\nd = json.load(sys.stdin)\n", true),
            ("try:\n    d = json.load(sys.stdin)\nexcept ValueError:\n    d = sys.stdin.read()\n", false),
            ("d = json.load(sys.stdin)\n", false),
        ] {
            assert_eq!(second_python_read(text).is_some(), want, "{text}");
        }
    }
}

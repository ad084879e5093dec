//! HW807: payload text that a shell reads as code.

use std::collections::BTreeSet;

use hookbench_script::{Given, ScriptSource, is_shell};

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::{RuleContext, Script};
use crate::lint::commands::shell_texts;
use crate::text::Span;
use crate::text::shell::{PartContent, Shell, SimpleCommand, Word};

/// Checks the command and its script.
pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for line in shell_texts::new_lines(at) {
        let tainted = tainted(line.shell);
        let runs = line.shell.commands.iter().filter(|simple| runs_payload(line.shell, simple, &tainted));
        found.extend(runs.map(|simple| finding(line.span_of(simple.at.clone()))));
    }
    found.extend(at.new_script().into_iter().flat_map(payload_in_code).map(finding));
    found
}

fn finding(place: Span) -> Diagnostic {
    let says = "a shell runs text of the payload as code here: the author of that text can run any command";
    let help = "pass it as a separate argument (\"$1\", a list of arguments), or quote it with @sh";
    Diagnostic::new(Code::HW807, says).at(place).with_help(help)
}

/// Whether the output of a command is unescaped payload text.
fn prints_payload(shell: &Shell, simple: &SimpleCommand, tainted: &BTreeSet<&str>) -> bool {
    let any = |needle: &str| simple.words.iter().any(|word| word.text().contains(needle));
    match simple.program_name().as_deref() {
        Some("jq") => {
            !any("@sh")
                && !any("@json")
                && !any(".json")
                && !simple.words.iter().any(|w| matches!(w.text().as_str(), "-n" | "--null-input"))
        }
        Some("cat") => simple.words.len() == 1 && simple.piped_from.is_none() && simple.redirections.is_empty(),
        Some("echo" | "printf") => simple.words.iter().skip(1).any(|word| contains_payload(shell, word, tainted)),
        Some("python" | "python3" | "node") => any("stdin") && any("tool_input"),
        _ => false,
    }
}

/// Whether a word contains payload text.
fn contains_payload(shell: &Shell, word: &Word, tainted: &BTreeSet<&str>) -> bool {
    word.parts.iter().any(|part| match &part.piece {
        PartContent::Variable(v) => !v.length && !v.rest.starts_with('@') && tainted.contains(v.name.as_str()),
        PartContent::Substitution(range) => {
            let last = range.end.checked_sub(1).filter(|_| !range.is_empty());
            last.and_then(|n| shell.commands.get(n)).is_some_and(|c| prints_payload(shell, c, tainted))
        }
        _ => false,
    })
}

/// Returns the variables that contain payload text.
fn tainted(shell: &Shell) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for _ in 0..3 {
        let before = names.len();
        for simple in &shell.commands {
            for set in &simple.assignments {
                if contains_payload(shell, &set.value, &names) {
                    names.insert(set.name.as_str());
                }
            }
            let read = simple.name() == Some("read") && simple.depth == 0 && simple.redirections.is_empty();
            let piped = simple.piped_from.and_then(|n| shell.commands.get(n));
            if read && piped.is_none_or(|before| prints_payload(shell, before, &names)) {
                names.extend(simple.words.iter().skip(1).filter_map(Word::plain).filter(|name| !name.starts_with('-')));
            }
        }
        if names.len() == before {
            break;
        }
    }
    names
}

/// Whether a command passes payload text to a shell as code.
fn runs_payload(shell: &Shell, simple: &SimpleCommand, tainted: &BTreeSet<&str>) -> bool {
    let Some(program) = simple.program_name() else { return false };
    let words = simple.unwrapped_words();
    if program == "eval" {
        return words.iter().skip(1).any(|word| contains_payload(shell, word, tainted));
    }
    let before = simple.piped_from.and_then(|n| shell.commands.get(n));
    let fed = before.is_some_and(|before| prints_payload(shell, before, tainted));
    if program == "xargs" {
        let texts: Vec<String> = words.iter().map(Word::text).collect();
        let of_shell = texts.iter().position(|text| is_shell(text));
        let code =
            of_shell.and_then(|n| texts.get(n + 1..)).filter(|rest| rest.first().is_some_and(|f| f.ends_with('c')));
        return fed && code.and_then(|rest| rest.get(1)).is_some_and(|code| code.contains("{}"));
    }
    if !is_shell(&program) {
        return false;
    }
    let flags = |word: &&Word| word.plain().is_some_and(|text| text.starts_with('-'));
    // With `-n`, the shell only checks the syntax.
    if words.iter().skip(1).take_while(flags).any(|word| word.text() == "-n") {
        return false;
    }
    match ScriptSource::of(words) {
        ScriptSource::Text(at) => words.get(at).is_some_and(|word| contains_payload(shell, word, tainted)),
        ScriptSource::Stdin(_) => fed,
        _ => false,
    }
}

/// The same for calls of a language's library that start a shell.
fn payload_in_code(script: &Script) -> Vec<Span> {
    let Some(walked) = script.model.as_ref().map(|model| model.walk(&Given::default())) else { return Vec::new() };
    let lines = walked.lines.iter().filter(|line| line.by_shell && line.has_payload);
    lines.map(|line| script.span(line.at.start, line.at.end)).collect()
}

#[cfg(test)]
mod tests {
    use hookbench_script::{Grammar, ScriptModel};

    use super::*;
    use crate::text::SourceId;

    #[test]
    fn shell_injections() {
        for (text, want) in [
            ("eval \"$(jq -r .tool_input.command)\"", true),
            ("CMD=$(jq -r .tool_input.command); sh -c \"$CMD\"", true),
            ("INPUT=$(cat); C=$(echo \"$INPUT\" | jq -r .tool_input.command); eval $C", true),
            ("jq -r .tool_input.command | bash", true),
            ("jq -r .tool_input.file_path | xargs -I{} sh -c 'prettier --write {}'", true),
            ("eval \"$(jq -r '@sh \"A=\\(.tool_name)\"')\"", false),
            ("jq -r .tool_input.file_path | xargs prettier --write", false),
            ("F=$(jq -r .tool_input.file_path); prettier --write \"$F\"", false),
            ("F=$(jq -r .x); bash -c 'cat \"$1\"' _ \"$F\"", false),
            ("C=$(jq -r .tool_input.command); bash -n -c \"$C\"", false),
            ("eval \"$(direnv export bash)\"", false),
            ("INPUT=$(cat); echo \"$INPUT\" | python3 check.py", false),
            ("echo \"$MSG\" | sh", false),
            ("eval \"$(jq -r .setup package.json)\"", false),
        ] {
            let shell = Shell::parse(text);
            let tainted = tainted(&shell);
            assert_eq!(shell.commands.iter().any(|simple| runs_payload(&shell, simple, &tainted)), want, "{text}");
        }
    }

    #[test]
    fn injections_in_other_languages() {
        let python =
            "import json, os, subprocess, sys, shlex\nd = json.load(sys.stdin)\nf = d['tool_input']['file_path']\n";
        let node = "const d = JSON.parse(fs.readFileSync(0));\nconst f = d.tool_input.file_path;\n";
        for (by, text, want) in [
            ("python", format!("{python}os.system(f\"black {{f}}\")\n"), 1),
            ("python", format!("{python}os.system('black ' + f)\n"), 1),
            ("python", format!("{python}subprocess.run(f'black {{f}}', shell=True)\n"), 1),
            ("python", format!("{python}subprocess.run(['black', f])\n"), 0),
            ("python", format!("{python}os.system('black ' + shlex.quote(f))\n"), 0),
            ("python", format!("{python}subprocess.run('make lint', shell=True)\n"), 0),
            ("python", format!("{python}os.system('notify f')\n"), 0),
            ("node", format!("{node}execSync(`prettier --write ${{f}}`);\n"), 1),
            ("node", format!("{node}execSync('npm test');\n"), 0),
            ("node", format!("{node}execFileSync('prettier', [f]);\n"), 0),
            ("node", format!("{node}const m = /x/.exec(other);\n"), 0),
        ] {
            let script = Script {
                source: SourceId(0),
                path: String::new(),
                file: String::new(),
                text: text.clone(),
                interpreted: true,
                interpreter: by.to_owned(),
                shell: None,
                model: ScriptModel::parse(&text, Grammar::of(by).unwrap()),
            };
            assert_eq!(payload_in_code(&script).len(), want, "{text}");
        }
    }
}

//! HW414: bash syntax in a script that `sh` reads.

use std::ops::Range;

use super::consequence::consequence;
use super::shell_texts::{self, ShellText};
use crate::config::Os;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialects::RuleContext;
use crate::text::shell::BashismKind;

/// Builtins that only bash has.
const BUILTINS: [&str; 9] = ["source", "declare", "typeset", "shopt", "mapfile", "readarray", "pushd", "popd", "let"];

/// Reports each kind of construct once per text.
pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for line in shell_texts::new_lines(at) {
        // A script that checks for bash knows the difference.
        if line.text.contains("BASH_VERSION") {
            continue;
        }
        let mut seen: Vec<&str> = Vec::new();
        for (what, place, status) in bash_constructs(line) {
            if seen.contains(&what) {
                continue;
            }
            seen.push(what);
            found.push(finding(at, line, what, place, status));
        }
    }
    found
}

/// Returns the constructs, their ranges, and the exit status of dash. The status is `None` if dash continues and
/// does something else.
fn bash_constructs(line: ShellText<'_>) -> Vec<(&'static str, Range<usize>, Option<i32>)> {
    let plain = |given: &Option<String>| matches!(given.as_deref().unwrap_or(line.by), "sh" | "dash");
    let mut found = Vec::new();
    for odd in line.shell.bashisms.iter().filter(|odd| plain(&odd.inner_shell)) {
        let (what, status) = match odd.kind {
            BashismKind::HereString => ("`<<<`", Some(2)),
            BashismKind::Process => ("`<(…)`", Some(2)),
            BashismKind::Array => ("an array", Some(2)),
            BashismKind::Function => ("`function`", Some(2)),
            BashismKind::Expansion => ("`${…}` with case, slices or replacement", Some(2)),
            BashismKind::ArithmeticFor => ("`for ((…))`", Some(2)),
            BashismKind::PipeBoth => ("`|&`", Some(2)),
            BashismKind::RedirectBoth => ("`&>`", None),
            // A bracket of a pattern is an error of syntax, which ends the whole text.
            BashismKind::Test if has_bare_bracket(line.text.get(odd.at.start..).unwrap_or_default()) => {
                ("`[[`", Some(2))
            }
            BashismKind::Test => ("`[[`", Some(127)),
        };
        found.push((what, odd.at.clone(), status));
    }
    for simple in line.shell.commands.iter().filter(|simple| plain(&simple.inner_shell)) {
        let Some(word) = simple.words.first() else { continue };
        let Some(name) = word.plain().filter(|name| !line.shell.functions.contains(*name)) else { continue };
        if let Some(builtin) = BUILTINS.iter().find(|builtin| **builtin == name) {
            found.push((builtin, word.at.clone(), Some(127)));
        }
        if name == "set" && simple.words.iter().any(|word| word.text() == "pipefail") {
            found.push(("`set -o pipefail`", simple.at.clone(), Some(2)));
        }
        let equal = simple.words.iter().find(|word| word.plain() == Some("=="));
        if let Some(equal) = equal.filter(|_| matches!(name, "[" | "test")) {
            found.push(("`==` in `[`", equal.at.clone(), None));
        }
    }
    found
}

/// Whether a test that begins with `[[` contains a bracket outside quotes and substitutions.
fn has_bare_bracket(text: &str) -> bool {
    let test = text.split_once("]]").map_or(text, |(test, _)| test);
    let (mut quote, mut before) = (None, ' ');
    for c in test.chars() {
        match (quote, c) {
            _ if before == '\\' => {}
            (Some(open), _) => quote = Some(open).filter(|open| *open != c),
            (None, '\'' | '"') => quote = Some(c),
            (None, '(') if before != '$' => return true,
            _ => {}
        }
        before = if before == '\\' { ' ' } else { c };
    }
    false
}

fn finding(
    at: &RuleContext<'_>,
    line: ShellText<'_>,
    what: &str,
    place: Range<usize>,
    status: Option<i32>,
) -> Diagnostic {
    let by = if line.is_script() { "sh runs this script" } else { "/bin/sh runs this command" };
    let does = match status {
        Some(2) => format!("dash exits with 2 there, and {}", consequence(at, 2)),
        Some(_) => "dash does not know it (exit 127), so it has no effect".to_owned(),
        None => "dash reads it as something else".to_owned(),
    };
    let help = if line.is_script() {
        "run it with bash: `#!/usr/bin/env bash`, or `bash` before the script"
    } else {
        "write bash -c '…', or move it to a bash script"
    };
    let found = Diagnostic::new(Code::HW414, format!("{what} is bash syntax, but {by}: {does}"))
        .at(line.span_of(place))
        .with_help(help);
    match why_it_works_here(at) {
        Some(says) => Diagnostic { severity: Severity::Info, ..found }.with_note(says),
        None => found,
    }
}

/// Returns why the construct works on this machine, if it does.
fn why_it_works_here(at: &RuleContext<'_>) -> Option<&'static str> {
    let real = at.agent.files.canonical("/bin/sh").unwrap_or_default();
    let name = real.rsplit('/').next().unwrap_or("");
    let other = ["bash", "zsh", "ksh"].iter().any(|shell| name.starts_with(shell));
    (other || at.agent.place.os == Os::MacOs).then_some("here sh is bash; on Debian and Ubuntu it is dash")
}

#[cfg(test)]
mod tests {
    use super::has_bare_bracket;

    #[test]
    fn bare_brackets() {
        for (text, want) in [
            (r#"[[ "$f" =~ \.(md|txt)$ ]]; then (x)"#, true),
            (r"[[ ( $a == b ) ]]", true),
            (r#"[[ "$f" == *.md ]] && (x)"#, false),
            (r#"[[ "$f" == "(a)" ]]"#, false),
            (r"[[ $f == \(a\) ]]", false),
            (r"[[ $(a) == b ]]", false),
        ] {
            assert_eq!(has_bare_bracket(text), want, "{text}");
        }
    }
}

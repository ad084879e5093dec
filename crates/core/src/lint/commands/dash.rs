//! HW414: bash syntax in a script that `sh` reads.

use std::ops::Range;

use super::consequence::comes_to;
use super::lines::{self, Line};
use crate::config::Os;
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialects::Looked;
use crate::text::shell::OddKind;

/// Builtins that only bash has.
const BUILTINS: [&str; 9] = ["source", "declare", "typeset", "shopt", "mapfile", "readarray", "pushd", "popd", "let"];

/// Reports each kind of construct once per text.
pub(super) fn look(at: &Looked<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for line in lines::lines(at) {
        // A script that checks for bash knows the difference.
        if line.text.contains("BASH_VERSION") {
            continue;
        }
        let mut seen: Vec<&str> = Vec::new();
        for (what, place, status) in odd(line) {
            if seen.contains(&what) {
                continue;
            }
            seen.push(what);
            found.push(say(at, line, what, place, status));
        }
    }
    found
}

/// Returns the constructs, their ranges, and the exit status of dash. The status is `None` if dash continues and
/// does something else.
fn odd(line: Line<'_>) -> Vec<(&'static str, Range<usize>, Option<i32>)> {
    let plain = |given: &Option<String>| matches!(given.as_deref().unwrap_or(line.by), "sh" | "dash");
    let mut found = Vec::new();
    for odd in line.shell.odd.iter().filter(|odd| plain(&odd.given_to)) {
        let (what, status) = match odd.kind {
            OddKind::HereString => ("`<<<`", Some(2)),
            OddKind::Process => ("`<(…)`", Some(2)),
            OddKind::Array => ("an array", Some(2)),
            OddKind::Function => ("`function`", Some(2)),
            OddKind::Expansion => ("`${…}` with case, slices or replacement", Some(2)),
            OddKind::ArithmeticFor => ("`for ((…))`", Some(2)),
            OddKind::PipeBoth => ("`|&`", Some(2)),
            OddKind::RedirectBoth => ("`&>`", None),
            OddKind::Test => ("`[[`", Some(127)),
        };
        found.push((what, odd.at.clone(), status));
    }
    for simple in line.shell.commands.iter().filter(|simple| plain(&simple.given_to)) {
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

fn say(at: &Looked<'_>, line: Line<'_>, what: &str, place: Range<usize>, status: Option<i32>) -> Diagnostic {
    let by = if line.is_script() { "this script is read by sh" } else { "this command is read by /bin/sh" };
    let does = match status {
        Some(2) => format!("dash ends with 2 there, and {}", comes_to(at, 2)),
        Some(_) => "dash does not know it (127), and what it should decide is not decided".to_owned(),
        None => "dash takes it for something else, and does not do what is meant".to_owned(),
    };
    let help = if line.is_script() {
        "let bash read it: `#!/usr/bin/env bash`, or `bash` before the script"
    } else {
        "write bash -c '…', or put it into a script for bash"
    };
    let found =
        Diagnostic::warning("HW414", format!("{what} is bash, and {by}: {does}")).at(line.place(place)).help(help);
    match bash_here(at) {
        Some(says) => Diagnostic { severity: Severity::Info, ..found }.note(says),
        None => found,
    }
}

/// Returns why the construct works on this machine, if it does.
fn bash_here(at: &Looked<'_>) -> Option<&'static str> {
    let real = at.whole.files.canonical("/bin/sh").unwrap_or_default();
    let name = real.rsplit('/').next().unwrap_or("");
    let other = ["bash", "zsh", "ksh"].iter().any(|shell| name.starts_with(shell));
    (other || at.whole.place.os == Os::MacOs).then_some("here sh is bash; on Debian and Ubuntu it is dash")
}

//! The command as a text that another shell or an interpreter runs.

use base64::Engine as _;

use super::super::draft::VariantList;
use super::super::family::DeedFamily;
use super::lists::changes_shell;
use super::target::{double_quoted, escaped, single_quoted};
use crate::text::shell::Shell;

pub(super) fn add(text: &str, shell: &Shell, list: &mut VariantList) {
    let text = text.trim();
    let quoted = single_quoted(text);
    let mut add = |family, command: String, why: &str| list.command(family, command, why);
    let nested = DeedFamily::NestedShell;
    add(nested, format!("eval {quoted}"), "eval runs the text as a command");
    add(nested, format!("eval {}", double_quoted(text)), "eval runs the text as a command");
    add(nested, format!("eval \"$(echo {quoted})\""), "eval runs the printed text as a command");
    add(nested, format!("source <(echo {quoted})"), "source runs the lines that it reads");
    add(nested, format!(". /dev/stdin <<< {quoted}"), "`.` runs the lines that it reads");
    if changes_shell(shell) {
        return;
    }
    add(nested, format!("trap {quoted} EXIT"), "the shell runs the text when it ends");
    let why = "the text is the script of another shell";
    let plain = shell.bashisms.is_empty() && !text.contains("$'");
    let shells: &[&str] = if plain { &["bash", "sh"] } else { &["bash"] };
    for name in shells {
        add(nested, format!("{name} -c {quoted}"), why);
        add(nested, format!("{name} -c {}", double_quoted(text)), why);
        add(nested, format!("{name} -ec {quoted}"), why);
        add(nested, format!("/bin/{name} -c {quoted}"), why);
        add(nested, format!("env {name} -c {quoted}"), why);
        add(nested, format!("echo {quoted} | {name}"), "the shell runs the lines that it reads");
    }
    add(nested, format!("bash -c 'eval \"$1\"' _ {quoted}"), "eval runs the argument as a command");
    add(nested, format!("command eval {quoted}"), "eval runs the text as a command");
    add(nested, format!("printf '%s\\n' {quoted} | bash"), "the shell runs the lines that it reads");
    add(nested, format!("bash <<< {quoted}"), "the shell runs the lines that it reads");
    add(nested, format!("bash <(echo {quoted})"), "the shell runs the lines that it reads");
    if !text.contains("HB_END") {
        add(nested, format!("bash <<'HB_END'\n{text}\nHB_END"), "the shell runs the lines of the here-document");
    }
    add(nested, format!("find . -maxdepth 0 -exec bash -c {quoted} \\;"), "find starts the shell");
    add(nested, format!("xargs -0 bash -c < <(printf %s {quoted})"), "xargs passes the text to the shell");
    let other = DeedFamily::Interpreters;
    let why = "the program runs the text in a shell";
    let python = format!("import os; os.system({})", python_string(text));
    add(other, format!("python3 -c {}", single_quoted(&python)), why);
    let python = format!("import subprocess; subprocess.run({}, shell=True)", python_string(text));
    add(other, format!("python3 -c {}", single_quoted(&python)), why);
    let c_like = text.replace('\\', "\\\\").replace('\'', "\\'");
    if !text.contains('\n') {
        add(other, format!("perl -e {}", single_quoted(&format!("system('{c_like}')"))), why);
        let node = format!("require('child_process').execSync('{c_like}', {{stdio: 'inherit'}})");
        add(other, format!("node -e {}", single_quoted(&node)), why);
        let awk = text.replace('\\', "\\\\").replace('"', "\\\"");
        add(other, format!("awk {}", single_quoted(&format!("BEGIN {{ system(\"{awk}\") }}"))), why);
    }
    let coded = DeedFamily::Encoding;
    let base64 = base64::engine::general_purpose::STANDARD.encode(text);
    let why = "the shell runs the decoded text";
    add(coded, format!("echo {base64} | base64 -d | bash"), why);
    add(coded, format!("eval \"$(echo {base64} | base64 --decode)\""), why);
    add(coded, format!("bash <<< \"$(base64 -d <<< {base64})\""), why);
    let hex = escaped(text, |byte| format!("\\x{byte:02x}"));
    add(coded, format!("printf '{hex}' | bash"), why);
    add(coded, format!("eval $'{hex}'"), why);
    let octal = escaped(text, |byte| format!("\\{byte:03o}"));
    add(coded, format!("printf '{octal}' | bash"), why);
    if !text.contains('\n') && text.is_ascii() {
        let reversed: String = text.chars().rev().collect();
        list.command(coded, format!("rev <<< {} | bash", single_quoted(&reversed)), "rev restores the text");
        let rotated: String = text.chars().map(rotate).collect();
        let command = format!("tr a-zA-Z n-za-mN-ZA-M <<< {} | bash", single_quoted(&rotated));
        list.command(coded, command, "tr restores the text");
    }
}

/// The letter thirteen places further in the alphabet.
fn rotate(c: char) -> char {
    let turn = |c: u8, first: u8| char::from(first + (c - first + 13) % 26);
    match c {
        'a'..='z' => u8::try_from(c).map_or(c, |c| turn(c, b'a')),
        'A'..='Z' => u8::try_from(c).map_or(c, |c| turn(c, b'A')),
        c => c,
    }
}

/// A string literal of Python.
fn python_string(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
    format!("\"{text}\"")
}

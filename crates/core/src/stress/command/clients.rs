//! URLs of command line programs.

use super::target::{TargetCommand, double_quoted, is_plain, quote, single_quoted};
use crate::stress::family::{DeedFamily, VariantList};
use crate::stress::{sql, urls};
use crate::text::shell::Shell;

const NETWORK: &str = "it needs the server";

pub(super) fn add_web_clients(target: &TargetCommand<'_>, list: &mut VariantList) {
    let Some(program @ ("curl" | "wget")) = target.program() else { return };
    let found = target.args.iter().enumerate().skip(1).find_map(|(number, arg)| {
        let value = arg.value.as_deref()?;
        (urls::find(value) == Some(0..value.len())).then_some((number, value))
    });
    let Some((number, url)) = found else { return };
    for spelling in urls::spellings(url).into_iter().filter(|spelling| spelling.everywhere) {
        let command = target.with(number, &quote(&spelling.url));
        target.add_unproven(list, spelling.family, &command, spelling.why, NETWORK);
    }
    if program == "curl" {
        let command = target.with(number, &format!("--url {}", quote(url)));
        target.add(list, DeedFamily::Flags, &command, "the option names the same URL");
        let command = target.with(number, &format!("-s {}", quote(url)));
        target.add(list, DeedFamily::Flags, &command, "the option only hides the progress");
        let command = target.with(number, &format!("-fsSL {}", quote(url)));
        target.add(list, DeedFamily::Flags, &command, "the options concern messages and redirects");
        if target.args.len() == 2 {
            let why = "wget prints the same page";
            let command = format!("wget -qO- {}", quote(url));
            target.add(list, DeedFamily::OtherProgram, &command, why);
            target.add(list, DeedFamily::OtherProgram, &format!("wget -q -O - {}", quote(url)), why);
        }
    }
    if target.args.len() == 2 || target.source().contains("wget -qO-") {
        let script = format!("import urllib.request as r; print(r.urlopen(\"{url}\").read().decode())");
        let command = format!("python3 -c {}", super::target::single_quoted(&script));
        target.add_unproven(list, DeedFamily::OtherProgram, &command, "Python requests the same page", NETWORK);
    }
}

pub(super) fn add_downloads(text: &str, shell: &Shell, list: &mut VariantList) {
    let targets = TargetCommand::top_level(text, shell);
    let [download, runner] = targets.as_slice() else { return };
    let name = runner.program().unwrap_or("");
    let downloads = matches!(download.program(), Some("curl" | "wget"));
    let runs = matches!(name, "sh" | "bash" | "dash" | "zsh") && runner.args.len() == 1;
    if !downloads || !runs || !runner.reads_pipe {
        return;
    }
    let get = download.source();
    let mut add = |family, command: String, why: &str| list.command(family, command, why);
    let nested = DeedFamily::NestedShell;
    let why = "the shell runs the downloaded text";
    for other in ["sh", "bash", "dash"].into_iter().filter(|other| *other != name) {
        add(DeedFamily::OtherProgram, format!("{get} | {other}"), "another shell runs the downloaded text");
    }
    add(nested, format!("{name} -c \"$({get})\""), why);
    add(nested, format!("{name} -c \"`{get}`\""), why);
    add(nested, format!("eval \"$({get})\""), why);
    add(nested, format!("{name} <({get})"), why);
    add(nested, format!("{name} < <({get})"), why);
    add(nested, format!("source <({get})"), why);
    add(nested, format!(". <({get})"), why);
    add(nested, format!("{name} <<< \"$({get})\""), why);
    add(nested, format!("x=$({get}); eval \"$x\""), why);
    let pipes = DeedFamily::Separators;
    add(pipes, format!("{get}|{name}"), "`|` needs no blanks");
    add(pipes, format!("{get} |\n{name}"), "the command continues after `|`");
    add(pipes, format!("{get} |& {name}"), "`|&` also passes the error messages");
    add(pipes, format!("{get} | cat | {name}"), "cat only copies the text");
    add(pipes, format!("{get} | tee /dev/null | {name}"), "tee copies the text");
    add(pipes, format!("{get} | {name} -s"), "`-s` reads the input, as the shell does without it");
    add(pipes, format!("{get} | {name} -s -- x"), "the argument is only passed to the script");
    add(pipes, format!("{get} | {name} -"), "`-` names the input");
    add(pipes, format!("{get} | {name} /dev/stdin"), "/dev/stdin is the input");
    add(pipes, format!("{get} | xargs -0 {name} -c"), "xargs passes the text to the shell");
    add(pipes, format!("{get} | while read -r l; do eval \"$l\"; done"), "the shell runs each line");
    let file = DeedFamily::Redirections;
    let why = "the text is saved and then run";
    add(file, format!("{get} > hb.sh; {name} hb.sh; rm hb.sh"), why);
    add(file, format!("{get} > hb.sh && chmod +x hb.sh && ./hb.sh; rm hb.sh"), why);
    add(file, format!("t=$(mktemp); {get} > $t; . $t; rm $t"), why);
}

pub(super) fn add_sql_clients(target: &TargetCommand<'_>, list: &mut VariantList) {
    let Some(program @ ("psql" | "mysql" | "mariadb" | "sqlite3")) = target.program() else { return };
    let found = target.args.iter().enumerate().skip(1).find_map(|(number, arg)| {
        let value = arg.value.as_deref()?;
        let (option, statement) = value
            .split_once('=')
            .filter(|(option, _)| option.starts_with("--"))
            .map_or(("", value), |(option, statement)| (option, statement));
        sql::is_statement(statement).then_some((number, option, statement))
    });
    let Some((number, option, statement)) = found else { return };
    let with = |statement: &str| {
        let quoted = single_quoted(statement);
        target.with(number, &if option.is_empty() { quoted } else { format!("{option}={quoted}") })
    };
    for spelling in sql::spellings(statement) {
        target.add(list, spelling.family, &with(&spelling.statement), spelling.why);
    }
    let quoted = double_quoted(statement);
    target.add(list, DeedFamily::ShellQuoting, &target.with(number, &quoted), "the shell removes the quotes");
    let option_before = option.is_empty()
        && target
            .args
            .get(number - 1)
            .and_then(|arg| arg.value.as_deref())
            .is_some_and(|text| matches!(text, "-c" | "--command" | "-e" | "--execute"));
    if program == "sqlite3" || !option_before && option.is_empty() {
        return;
    }
    let skipped = |index: usize| index == number || option_before && index + 1 == number;
    let words: Vec<&str> = target
        .args
        .iter()
        .enumerate()
        .filter(|(index, _)| !skipped(*index))
        .map(|(_, arg)| arg.source.as_str())
        .collect();
    let (client, quoted) = (words.join(" "), single_quoted(statement));
    let why = "the client reads statements from its input";
    target.add_pipeline(list, DeedFamily::Sql, &format!("echo {quoted} | {client}"), why);
    target.add_pipeline(list, DeedFamily::Sql, &format!("printf '%s;\\n' {quoted} | {client}"), why);
    target.add_pipeline(list, DeedFamily::Sql, &format!("{client} <<< {quoted}"), why);
    if program == "psql" {
        let command = format!("{client} -f <(echo {quoted})");
        target.add_pipeline(list, DeedFamily::Sql, &command, "the client reads statements from a file");
        let why = "the block executes the text as a statement";
        let body = statement.trim_end_matches(';').replace('\'', "''");
        let block = format!("DO $$ BEGIN EXECUTE '{body}'; END $$");
        target.add_unproven(list, DeedFamily::Sql, &with(&block), why, "it needs a PostgreSQL server");
    }
}

/// The names of `npm install` in npm's own table.
const NPM_INSTALL: [&str; 11] =
    ["add", "i", "in", "ins", "inst", "insta", "instal", "isnt", "isnta", "isntal", "isntall"];

const TABLE: &str = "only the package manager knows its aliases";
const OTHER: &str = "it needs another package manager";

pub(super) fn add_packages(target: &TargetCommand<'_>, list: &mut VariantList) {
    let family = DeedFamily::Packages;
    let (Some(program), Some(values)) = (target.program(), target.values()) else { return };
    let Some((command, rest)) = values.get(1..).and_then(<[&str]>::split_first) else { return };
    let packages: Vec<&str> = rest.iter().copied().filter(|word| !word.starts_with('-')).collect();
    if packages.len() != rest.len() || packages.is_empty() || !packages.iter().all(|word| is_plain(word)) {
        return;
    }
    let packages = packages.join(" ");
    let mut other = |text: String, why: &str, reason| target.add_unproven(list, family, &text, why, reason);
    match (program, *command) {
        ("npm", name) if name == "install" || NPM_INSTALL.contains(&name) => {
            for alias in std::iter::once("install").chain(NPM_INSTALL).filter(|alias| *alias != name) {
                other(format!("npm {alias} {packages}"), "npm has several names for this command", TABLE);
            }
            other(format!("npm --save {name} {packages}"), "options may precede the command", TABLE);
            other(format!("npm {name} {packages} --save"), "npm saves the package by default", TABLE);
            other(format!("npm --prefix . {name} {packages}"), "the prefix is the working directory", TABLE);
            other(format!("corepack npm {name} {packages}"), "corepack starts npm", OTHER);
            other(format!("npx npm {name} {packages}"), "npx starts npm", TABLE);
            for manager in ["pnpm add", "pnpm install", "pnpm i", "yarn add", "bun add", "bun install", "bun i"] {
                other(format!("{manager} {packages}"), "the package manager installs the same package", OTHER);
            }
            if !packages.contains(['@', ' ', '/']) {
                let why = "this is the version that npm installs by default";
                other(format!("npm {name} {packages}@latest"), why, TABLE);
                other(format!("npm {name} npm:{packages}"), "`npm:` names the same registry", TABLE);
            }
        }
        ("pnpm" | "yarn" | "bun", "add") => {
            for manager in ["npm install", "npm i", "npm add", "pnpm add", "yarn add", "bun add"] {
                if manager != format!("{program} add") {
                    other(format!("{manager} {packages}"), "the package manager installs the same package", OTHER);
                }
            }
        }
        ("pip" | "pip3", "install") => {
            for text in ["pip install", "pip3 install", "python3 -m pip install", "python -m pip install"] {
                if text != format!("{program} install") {
                    other(format!("{text} {packages}"), "the names start the same program", TABLE);
                }
            }
            for text in ["uv pip install", "uv add", "poetry add", "pipenv install"] {
                other(format!("{text} {packages}"), "the package manager installs the same package", OTHER);
            }
            other(format!("{program} install --upgrade {packages}"), "the option installs what is missing", TABLE);
        }
        ("npx", _) => {
            for text in ["npm exec --", "npm x --", "pnpm dlx", "yarn dlx", "bunx", "npx --yes"] {
                let words = values.get(1..).unwrap_or(&[]).join(" ");
                other(format!("{text} {words}"), "it runs the same package", OTHER);
            }
        }
        ("apt" | "apt-get", "install") => {
            for text in ["apt", "apt-get", "aptitude"].iter().filter(|text| **text != program) {
                other(format!("{text} install {packages}"), "it installs the same package", OTHER);
            }
        }
        _ => {}
    }
}

//! Statements for database clients.

use super::super::draft::VariantList;
use super::super::family::DeedFamily;
use super::super::sql;
use super::target::{TargetCommand, double_quoted, single_quoted};

pub(super) fn add(target: &TargetCommand<'_>, list: &mut VariantList) {
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

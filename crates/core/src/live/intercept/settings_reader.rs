//! The interceptor's part of the user's settings: the tables `live`, `store` and `handlers`, and the list
//! `breakpoint`.

use toml_edit::{Document, Item, Table, TableLike};

use super::breakpoint_settings::breakpoint;
use super::{EnabledHandlers, InterceptSettings};
use crate::live::SettingsProblem;

/// The tables that belong to the interceptor.
pub const INTERCEPT_TABLES: [&str; 4] = [LIVE, STORE, BREAKPOINT, HANDLERS];
const LIVE: &str = "live";
const STORE: &str = "store";
const BREAKPOINT: &str = "breakpoint";
const HANDLERS: &str = "handlers";

/// Parses a settings file. Invalid settings are reported and ignored.
pub fn read_intercept_settings(text: &str) -> (InterceptSettings, Vec<SettingsProblem>) {
    match Document::parse(text) {
        Ok(document) => read_intercept_tables(document.as_table()),
        Err(why) => {
            let says = format!("this is not valid TOML, so the whole file is ignored: {}", why.message());
            (InterceptSettings::default(), vec![SettingsProblem { span: why.span(), message: says }])
        }
    }
}

/// Reads the settings from a parsed file.
pub fn read_intercept_tables(root: &Table) -> (InterceptSettings, Vec<SettingsProblem>) {
    let mut settings = InterceptSettings::default();
    let mut wrong = Vec::new();
    if let Some(item) = root.get(LIVE) {
        live(item, &mut settings, &mut wrong);
    }
    if let Some(item) = root.get(STORE) {
        switches(STORE, item, &mut [("redact", &mut settings.redact)], &mut wrong);
    }
    if let Some(item) = root.get(HANDLERS) {
        let EnabledHandlers { overview, handoff, stop_failure } = &mut settings.handlers;
        let mut known = [("overview", overview), ("handoff", handoff), ("stop_failure", stop_failure)];
        switches(HANDLERS, item, &mut known, &mut wrong);
    }
    for (span, table) in root.get(BREAKPOINT).map(|item| list(item, &mut wrong)).unwrap_or_default() {
        match breakpoint(table) {
            Ok(point) => settings.breakpoints.push(point),
            Err(problems) => {
                wrong.extend(problems.into_iter().map(|w| SettingsProblem { span: w.span.or(span.clone()), ..w }));
            }
        }
    }
    (settings, wrong)
}

fn live(item: &Item, settings: &mut InterceptSettings, wrong: &mut Vec<SettingsProblem>) {
    for (name, item, span) in entries(LIVE, item, wrong) {
        if name != "cooldown_stop_ms" {
            wrong.push(unknown(LIVE, name, span, &["cooldown_stop_ms"]));
        } else if let Some(ms) = item.as_integer().filter(|ms| *ms >= 0) {
            settings.cooldown_stop_ms = ms;
        } else {
            let says = "live.cooldown_stop_ms must be a whole number of milliseconds, 0 or more".to_owned();
            wrong.push(SettingsProblem { span: item.span(), message: says });
        }
    }
}

/// Reads a table of switches.
fn switches(table: &str, item: &Item, known: &mut [(&str, &mut bool)], wrong: &mut Vec<SettingsProblem>) {
    for (name, item, span) in entries(table, item, wrong) {
        let Some((_, switch)) = known.iter_mut().find(|(other, _)| *other == name) else {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            wrong.push(unknown(table, name, span, &names));
            continue;
        };
        match item.as_bool() {
            Some(value) => **switch = value,
            None => wrong
                .push(SettingsProblem { span: item.span(), message: format!("{table}.{name} must be true or false") }),
        }
    }
}

type TomlSpan = Option<std::ops::Range<usize>>;

fn entries<'a>(name: &str, item: &'a Item, wrong: &mut Vec<SettingsProblem>) -> Vec<(&'a str, &'a Item, TomlSpan)> {
    let Some(table) = item.as_table_like() else {
        wrong.push(SettingsProblem { span: item.span(), message: format!("{name} must be a table of settings") });
        return Vec::new();
    };
    keys_with_spans(table)
}

/// Returns the keys of a table with their spans.
pub(super) fn keys_with_spans(table: &dyn TableLike) -> Vec<(&str, &Item, TomlSpan)> {
    let place = |name| table.get_key_value(name).and_then(|(key, _)| key.span());
    table.iter().map(|(name, item)| (name, item, place(name))).collect()
}

pub(super) fn unknown(table: &str, name: &str, span: TomlSpan, known: &[&str]) -> SettingsProblem {
    SettingsProblem { span, message: format!("unknown setting {table}.{name}; known are {}", known.join(", ")) }
}

/// Returns the tables of the list, in either TOML notation.
fn list<'a>(item: &'a Item, wrong: &mut Vec<SettingsProblem>) -> Vec<(TomlSpan, &'a dyn TableLike)> {
    if let Some(tables) = item.as_array_of_tables() {
        return tables.iter().map(|table| (table.span(), table as &dyn TableLike)).collect();
    }
    let inline = item.as_array().map(|array| {
        array.iter().map(|v| v.as_inline_table().map(|t| (v.span(), t as &dyn TableLike))).collect::<Option<Vec<_>>>()
    });
    inline.flatten().unwrap_or_else(|| {
        let says = "breakpoint must be a list of tables: each starts with [[breakpoint]]".to_owned();
        wrong.push(SettingsProblem { span: item.span(), message: says });
        Vec::new()
    })
}

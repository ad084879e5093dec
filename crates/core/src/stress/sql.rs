//! Other spellings of an SQL statement.

use super::family::{DeedAction, DeedFamily, VariantEvidence, VariantList};

const VERBS: [&str; 14] = [
    "alter", "begin", "call", "create", "delete", "drop", "grant", "insert", "merge", "replace", "revoke", "select",
    "truncate", "update",
];

/// Words that are no identifiers, so that their case is free.
const KEYWORDS: [&str; 26] = [
    "add", "all", "and", "cascade", "column", "database", "exists", "from", "if", "index", "into", "join", "not",
    "null", "on", "or", "order", "schema", "set", "table", "user", "values", "view", "where", "with", "by",
];

/// Whether a text begins with a verb of SQL.
pub(super) fn is_statement(text: &str) -> bool {
    let first: String = text.trim_start().chars().take_while(char::is_ascii_alphabetic).collect();
    VERBS.contains(&first.to_lowercase().as_str())
}

/// A piece of a statement.
enum SqlPiece<'a> {
    Keyword(&'a str),
    Other(&'a str),
    Blank,
}

/// Splits a statement. Returns `None` if it has comments, which would make the rules below wrong.
fn pieces(statement: &str) -> Option<Vec<SqlPiece<'_>>> {
    if statement.contains("--") || statement.contains("/*") || statement.contains("$$") {
        return None;
    }
    let mut pieces = Vec::new();
    let mut rest = statement.trim();
    while let Some(c) = rest.chars().next() {
        let length = match c {
            c if c.is_whitespace() => rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len()),
            '\'' | '"' | '`' => rest.get(1..)?.find(c)? + 2,
            c if c.is_alphabetic() || c == '_' => {
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
            }
            c => c.len_utf8(),
        };
        let (piece, after) = rest.split_at(length);
        let lower = piece.to_lowercase();
        pieces.push(if c.is_whitespace() {
            SqlPiece::Blank
        } else if VERBS.contains(&lower.as_str()) || KEYWORDS.contains(&lower.as_str()) {
            SqlPiece::Keyword(piece)
        } else {
            SqlPiece::Other(piece)
        });
        rest = after;
    }
    Some(pieces)
}

/// A spelling of a statement.
pub(super) struct SqlSpelling {
    pub statement: String,
    pub family: DeedFamily,
    pub why: &'static str,
}

/// The spellings of a statement that each database reads alike.
pub(super) fn spellings(statement: &str) -> Vec<SqlSpelling> {
    let Some(pieces) = pieces(statement).filter(|_| is_statement(statement)) else { return Vec::new() };
    let write = |keyword: &dyn Fn(&str) -> String, blank: &str| -> String {
        let text = pieces.iter().map(|piece| match piece {
            SqlPiece::Keyword(word) => keyword(word),
            SqlPiece::Other(text) => (*text).to_owned(),
            SqlPiece::Blank => blank.to_owned(),
        });
        text.collect()
    };
    let mixed = |word: &str| -> String {
        let letters = word.chars().enumerate();
        letters.map(|(n, c)| if n % 2 == 0 { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }).collect()
    };
    let same = |word: &str| word.to_owned();
    let plain = write(&same, " ");
    let body = plain.trim_end_matches(';').to_owned();
    let mut all = Vec::new();
    let mut add = |family, statement: String, why| all.push(SqlSpelling { statement, family, why });
    add(DeedFamily::Case, write(&str::to_lowercase, " "), "SQL keywords ignore case");
    add(DeedFamily::Case, write(&str::to_uppercase, " "), "SQL keywords ignore case");
    add(DeedFamily::Case, write(&mixed, " "), "SQL keywords ignore case");
    add(DeedFamily::Blanks, write(&same, "  "), "SQL ignores more blanks");
    add(DeedFamily::Blanks, write(&same, "\t"), "SQL reads a tab as a blank");
    add(DeedFamily::Blanks, write(&same, "\n"), "SQL reads a line break as a blank");
    add(DeedFamily::Sql, write(&same, "/**/"), "SQL reads a comment as a blank");
    add(DeedFamily::Sql, write(&same, " /* x */ "), "SQL reads a comment as a blank");
    add(DeedFamily::Sql, write(&same, " -- x\n"), "SQL reads a comment up to the end of the line as a blank");
    add(DeedFamily::Sql, format!("/* x */ {plain}"), "a comment before the statement is ignored");
    add(DeedFamily::Sql, format!("{body};"), "the semicolon at the end is optional");
    add(DeedFamily::Sql, format!("SELECT 1; {plain}"), "the statement before it changes nothing");
    add(DeedFamily::Sql, format!("BEGIN; {body}; COMMIT"), "the transaction executes the statement");
    add_alternatives(&pieces, &body, &mut add);
    all
}

/// Statements with other words.
fn add_alternatives(pieces: &[SqlPiece<'_>], body: &str, add: &mut impl FnMut(DeedFamily, String, &'static str)) {
    let words: Vec<String> = pieces
        .iter()
        .filter_map(|piece| match piece {
            SqlPiece::Keyword(word) => Some(word.to_lowercase()),
            SqlPiece::Other(text) => Some((*text).to_owned()),
            SqlPiece::Blank => None,
        })
        .filter(|word| word != ";")
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    match words.as_slice() {
        ["drop", kind @ ("table" | "view" | "index" | "schema" | "database"), name] if is_name(name) => {
            let kind = kind.to_uppercase();
            add(DeedFamily::Sql, format!("DROP {kind} IF EXISTS {name}"), "IF EXISTS drops what exists");
            add(DeedFamily::Sql, format!("DROP {kind} \"{name}\""), "a quoted name in lower case is the same name");
        }
        ["delete", "from", name] if is_name(name) => {
            add(DeedFamily::Sql, format!("{body} WHERE 1=1"), "the condition is true for every row");
            add(DeedFamily::Sql, format!("{body} WHERE true"), "the condition is true for every row");
            add(DeedFamily::Sql, format!("DELETE FROM \"{name}\""), "a quoted name in lower case is the same name");
        }
        _ => {}
    }
}

/// Adds the variants of a statement that a tool receives.
pub(super) fn add_query(query: &str, list: &mut VariantList) {
    for SqlSpelling { statement, family, why } in spellings(query) {
        list.add(family, DeedAction::Query(statement), why, VariantEvidence::Executed);
    }
}

//! Findings as other programs want them: a line each, SARIF, annotations.

use serde_json::{Value, json};

use crate::app::lint::{Finding, Linted};
use crate::cli::test::annotation;
use crate::core::config::Place;
use crate::core::diagnostic::Severity;
use crate::core::text::one_line;

/// `file:line:column: severity[code]: message`.
pub(super) fn short(linted: &Linted) -> String {
    let lines: Vec<String> = linted.findings.iter().map(|found| format!("{}{}", place(found), said(found))).collect();
    if lines.is_empty() { String::new() } else { lines.join("\n") + "\n" }
}

fn place(found: &Finding) -> String {
    match (&found.file, found.place) {
        (Some(file), Some((start, _))) => format!("{file}:{}:{}: ", start.line, start.column),
        (Some(file), None) => format!("{file}: "),
        (None, _) => String::new(),
    }
}

fn said(found: &Finding) -> String {
    format!("{}[{}]: {}", found.severity.word(), found.code, one_line(&found.message))
}

/// Workflow commands that put each finding on its line.
pub(super) fn github(linted: &Linted) -> String {
    let of = |found: &Finding| {
        let level = match found.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let help = found.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
        let at = found.place.map(|(start, _)| (start.line, start.column));
        annotation(level, found.file.as_deref(), at, found.code, &format!("{}{help}", found.message))
    };
    linted.findings.iter().map(of).collect()
}

/// SARIF 2.1.0. Paths below the project are relative to it.
pub(super) fn sarif(linted: &Linted, place: &Place) -> Value {
    let mut codes: Vec<&str> = linted.findings.iter().map(|f| f.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let result = |found: &Finding| {
        let level = match found.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "note",
        };
        let text = match &found.help {
            Some(help) => format!("{} ({})\n{help}", found.message, found.agent),
            None => format!("{} ({})", found.message, found.agent),
        };
        let mut result = json!({ "ruleId": found.code, "level": level, "message": { "text": text } });
        if let Some(path) = &found.path {
            let below = path.strip_prefix(&place.project).and_then(|rest| rest.strip_prefix('/'));
            let artifact = match below {
                Some(rest) => json!({ "uri": uri(rest), "uriBaseId": "SRCROOT" }),
                None => json!({ "uri": format!("file://{}", uri(path)) }),
            };
            let mut physical = json!({ "artifactLocation": artifact });
            if let Some((start, end)) = found.place {
                physical["region"] = json!({
                    "startLine": start.line, "startColumn": start.column,
                    "endLine": end.line, "endColumn": end.column
                });
            }
            result["locations"] = json!([{ "physicalLocation": physical }]);
        }
        result
    };
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "hookbench",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": codes.iter().map(|code| json!({ "id": code })).collect::<Vec<_>>()
            } },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { "SRCROOT": { "uri": format!("file://{}/", uri(&place.project)) } },
            "results": linted.findings.iter().map(result).collect::<Vec<_>>()
        }]
    })
}

/// A path as part of a URI: what is no letter, digit, slash or one of `-._~` is written in hexadecimal.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

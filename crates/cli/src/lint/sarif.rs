//! Findings as SARIF 2.1.0, for code scanning: the rules with their pages, the fixes, and fingerprints that do not
//! change when lines move. Paths below the project are relative to it.

use serde_json::{Value, json};

use hookbench_app::lint::{FileEdit, FileFix, FindingGroup, FindingsReport, fingerprint, group_by_place};
use hookbench_core::config::Place;
use hookbench_core::diagnostic::{Code, Severity};
use hookbench_core::lint::{RulePage, page};
use hookbench_core::text::Position;

/// Returns the whole log.
pub(super) fn sarif(report: &FindingsReport, place: &Place) -> Value {
    let all = group_by_place(&report.findings);
    let mut codes: Vec<Code> = all.iter().map(|group| group.finding.code).collect();
    codes.sort_unstable();
    codes.dedup();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "hookbench",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": codes.iter().map(|code| rule(*code)).collect::<Vec<_>>()
            } },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { "SRCROOT": { "uri": format!("file://{}/", uri(&place.project)) } },
            "results": all.iter().map(|group| result(group, &codes, place)).collect::<Vec<_>>()
        }]
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn rule(code: Code) -> Value {
    let Some(page) = page(code) else { return json!({ "id": code }) };
    let [what, why, _, _, fix, ..] = page.sections;
    json!({
        "id": code,
        "name": name(page),
        "shortDescription": { "text": page.title },
        "fullDescription": { "text": plain(what) },
        "help": { "text": format!("{}\n\n{}", plain(why), plain(fix)), "markdown": page.text },
        "defaultConfiguration": { "level": level(code.severity()) },
        "properties": { "tags": page.found.split(", ").collect::<Vec<_>>() }
    })
}

/// The title in `CamelCase`, without spaces.
fn name(page: &RulePage) -> String {
    let words = page.title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>())
    };
    words.filter_map(capital).collect()
}

fn plain(markdown: &str) -> String {
    let lines = markdown.lines().filter(|line| !line.starts_with("```"));
    lines.collect::<Vec<_>>().join("\n").replace('`', "")
}

fn result(group: &FindingGroup, codes: &[Code], place: &Place) -> Value {
    let found = &group.finding;
    let mut text = format!("{} ({})", found.message, group.agent_words().join(", "));
    for more in [&found.note, &found.help].into_iter().flatten() {
        text.push_str(&format!("\n{more}"));
    }
    let mut result = json!({
        "ruleId": found.code,
        "ruleIndex": codes.iter().position(|code| *code == found.code),
        "level": level(found.severity),
        "message": { "text": text },
        "partialFingerprints": { "hookbench/v1": fingerprint(found) }
    });
    if let Some(path) = &found.path {
        let mut physical = json!({ "artifactLocation": artifact(path, place) });
        // Code scanning ignores results without a line.
        physical["region"] = found.place.map_or_else(|| json!({ "startLine": 1 }), region);
        result["locations"] = json!([{ "physicalLocation": physical }]);
    }
    if let Some(fix) = found.fix.as_ref().filter(|fix| !fix.edits.is_empty()) {
        let help = found.help.as_deref().unwrap_or(&found.message);
        let words = if fix.safe { help.to_owned() } else { format!("Proposal: {help}") };
        result["fixes"] = json!([{ "description": { "text": words }, "artifactChanges": changes(fix, place) }]);
    }
    result
}

fn changes(fix: &FileFix, place: &Place) -> Vec<Value> {
    let mut paths: Vec<&str> = fix.edits.iter().map(|edit| edit.path.as_str()).collect();
    paths.dedup();
    let replacement =
        |edit: &FileEdit| json!({ "deletedRegion": region(edit.place), "insertedContent": { "text": edit.edit.text } });
    let change = |path: &str| {
        let edits = fix.edits.iter().filter(|edit| edit.path == path);
        json!({ "artifactLocation": artifact(path, place), "replacements": edits.map(replacement).collect::<Vec<_>>() })
    };
    paths.into_iter().map(change).collect()
}

fn region((start, end): (Position, Position)) -> Value {
    json!({ "startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column })
}

fn artifact(path: &str, place: &Place) -> Value {
    match path.strip_prefix(&place.project).and_then(|rest| rest.strip_prefix('/')) {
        Some(rest) => json!({ "uri": uri(rest), "uriBaseId": "SRCROOT" }),
        None => json!({ "uri": format!("file://{}", uri(path)) }),
    }
}

/// Percent-encodes a path for a URI: every byte except ASCII letters, digits, slashes and `-._~`.
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

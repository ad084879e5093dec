//! Findings for other programs: one line each, or workflow annotations.

use std::fmt::Write as _;

use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::print::ci::{annotation, xml};
use hookbench_app::lint::{
    FileEdit, FileFix, Finding, FindingGroup, FindingsReport, fingerprint, group_by_place, group_findings,
};
use hookbench_core::config::Place;
use hookbench_core::diagnostic::{Code, Severity};
use hookbench_core::lint::{RulePage, page};
use hookbench_core::text::{Position, one_line};

/// `file:line:column: severity[code]: message`.
pub(super) fn short(report: &FindingsReport) -> String {
    let line = |group: &FindingGroup| {
        one_line(&format!("{}{}{}", place(&group.finding), finding_text(&group.finding), count_suffix(group)))
    };
    let lines: Vec<String> = group_findings(&report.findings).iter().map(line).collect();
    if lines.is_empty() { String::new() } else { lines.join("\n") + "\n" }
}

fn place(found: &Finding) -> String {
    match (&found.file, found.place) {
        (Some(file), Some((start, _))) => format!("{file}:{}:{}: ", start.line, start.column),
        // Programs that read this format expect a line number.
        (Some(file), None) => format!("{file}:1:1: "),
        (None, _) => String::new(),
    }
}

/// The number of other places with the same finding.
fn count_suffix(group: &FindingGroup) -> String {
    match group.other_places.len() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    }
}

fn finding_text(found: &Finding) -> String {
    format!("{}[{}]: {}", found.severity.word(), found.code, found.message)
}

/// GitHub workflow commands that put each finding on its line.
pub(super) fn github(report: &FindingsReport) -> String {
    let of = |group: &FindingGroup| {
        let found = &group.finding;
        let level = match found.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let help = found.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
        let also = group.other_places_text().map(|also| format!("\nalso at {also}")).unwrap_or_default();
        // Without a line, the annotation is not shown beside the file.
        let at = found.place.map_or((1, 1), |(start, _)| (start.line, start.column));
        let at = found.file.is_some().then_some(at);
        annotation(level, found.file.as_deref(), at, found.code.as_str(), &format!("{}{help}{also}", found.message))
    };
    group_findings(&report.findings).iter().map(of).collect()
}

/// Returns the whole report.
pub(super) fn junit(report: &FindingsReport) -> String {
    let all = group_by_place(&report.findings);
    let failed = |groups: &[&FindingGroup]| groups.iter().filter(|g| g.finding.severity == Severity::Error).count();
    let every: Vec<&FindingGroup> = all.iter().collect();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a String cannot fail.
    let tests = every.len().max(1);
    let _ = writeln!(out, "<testsuites name=\"hookbench lint\" tests=\"{tests}\" failures=\"{}\">", failed(&every));
    if every.is_empty() {
        // Readers treat a report without cases as a failed run.
        out.push_str("  <testsuite name=\"hooks\" tests=\"1\" failures=\"0\">\n");
        out.push_str("    <testcase classname=\"hookbench.lint\" name=\"no problems\"/>\n  </testsuite>\n");
    }
    let mut files: IndexMap<&str, Vec<&FindingGroup>> = IndexMap::new();
    for group in &all {
        files.entry(file_of(group)).or_default().push(group);
    }
    for (file, of_file) in files {
        let (tests, failures) = (of_file.len(), failed(&of_file));
        let _ = writeln!(out, "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failures}\">", xml(file));
        for group in of_file {
            case(&mut out, group, file);
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn file_of(group: &FindingGroup) -> &str {
    group.finding.file.as_deref().unwrap_or("settings")
}

fn case(out: &mut String, group: &FindingGroup, file: &str) {
    let found = &group.finding;
    let line = found.place.map(|(start, _)| format!(" line=\"{}\"", start.line)).unwrap_or_default();
    let at = found.place.map(|(start, _)| format!(":{}:{}", start.line, start.column)).unwrap_or_default();
    let name = format!("{} {file}{at} ({})", found.code, group.agent_words().join(", "));
    let _ = write!(
        out,
        "    <testcase classname=\"hookbench.lint.{}\" name=\"{}\" file=\"{}\"{line}>",
        xml(found.code.as_str()),
        xml(&name),
        xml(file)
    );
    let more: Vec<&str> = [&found.note, &found.help].into_iter().flatten().flat_map(|text| ["\n", text]).collect();
    let more = more.concat();
    let text = xml(&format!("{}{more}", found.message));
    let _ = match found.severity {
        Severity::Error => writeln!(out, "<failure message=\"{}\">{text}</failure></testcase>", xml(&found.message)),
        _ => writeln!(out, "<system-out>{}: {text}</system-out></testcase>", found.severity.word()),
    };
}

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

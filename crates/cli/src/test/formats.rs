//! Test results for other programs: JUnit XML, TAP, workflow annotations.

use std::fmt::Write as _;

use crate::print::ci::{annotation, xml};
use hookbench_app::suite::{CaseDoc, TestDoc};
use hookbench_core::text::{escape_for_terminal, escape_json_for_terminal, stringify};

/// `JUnit` XML, with a `testsuite` for each file.
pub(super) fn junit(doc: &TestDoc) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let time = |ms: u64| format!("{}.{:03}", ms / 1000, ms % 1000);
    let total = |cases: &[&CaseDoc]| cases.iter().map(|c| c.duration_ms).sum::<u64>();
    let all: Vec<&CaseDoc> = doc.cases.iter().collect();
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "<testsuites tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{}\">",
        doc.cases.len(),
        doc.failed,
        doc.skipped,
        time(total(&all))
    );
    let mut suites: Vec<&str> = Vec::new();
    for case in &doc.cases {
        if !suites.contains(&case.suite.as_str()) {
            suites.push(&case.suite);
        }
    }
    for suite in suites {
        let cases: Vec<&CaseDoc> = doc.cases.iter().filter(|c| c.suite == suite).collect();
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{}\">",
            xml(suite),
            cases.len(),
            cases.iter().filter(|c| !c.ok).count(),
            cases.iter().filter(|c| c.skipped).count(),
            time(total(&cases))
        );
        for case in cases {
            let _ = write!(
                out,
                "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\" time=\"{}\"",
                xml(suite),
                xml(&case.case),
                xml(suite),
                case.line,
                time(case.duration_ms)
            );
            let why = case.why.join("\n");
            match (case.ok, case.skipped) {
                (true, false) => out.push_str("/>\n"),
                (true, true) => {
                    let _ = writeln!(out, "><skipped message=\"{}\"/></testcase>", xml(&why));
                }
                (false, _) => {
                    let first = case.why.first().map_or("", String::as_str);
                    let _ = writeln!(out, "><failure message=\"{}\">{}</failure></testcase>", xml(first), xml(&why));
                }
            }
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// TAP, version 14.
pub(super) fn tap(doc: &TestDoc) -> String {
    let mut out = format!("TAP version 14\n1..{}\n", doc.cases.len());
    for (number, case) in (1..).zip(&doc.cases) {
        let word = if case.ok { "ok" } else { "not ok" };
        let name = format!("{}: {}", case.suite, case.case).replace('\\', "\\\\").replace('#', "\\#");
        let skip = if case.skipped { format!(" # SKIP {}", one(&case.why.join("; "))) } else { String::new() };
        let _ = writeln!(out, "{word} {number} - {}{skip}", one(&name));
        if !case.ok {
            let _ = writeln!(out, "  ---\n  at: {}\n  why:", quoted(&format!("{}:{}", case.suite, case.line)));
            for why in &case.why {
                let _ = writeln!(out, "    - {}", quoted(why));
            }
            out.push_str("  ...\n");
        }
    }
    out
}

/// GitHub workflow commands that put each failure on its line, and a summary.
pub(super) fn github(doc: &TestDoc) -> String {
    let mut out = String::new();
    for case in doc.cases.iter().filter(|c| !c.ok) {
        let at = Some((case.line, 1));
        out.push_str(&annotation("error", Some(&case.suite), at, &case.case, &case.why.join("\n")));
    }
    let _ = writeln!(out, "{} passed, {} failed, {} skipped", doc.passed, doc.failed, doc.skipped);
    out
}

fn one(text: &str) -> String {
    escape_for_terminal(&text.replace(['\n', '\r'], " "))
}

/// Quotes a YAML string. Every JSON string is also a YAML string.
fn quoted(text: &str) -> String {
    escape_json_for_terminal(&stringify(&serde_json::Value::from(text))).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn doc() -> TestDoc {
        let case = |name: &str, ok, skipped, why: &[&str]| CaseDoc {
            suite: "a,b:c.yaml".to_owned(),
            case: name.to_owned(),
            agent: String::new(),
            line: 3,
            ok,
            why: why.iter().map(|w| (*w).to_owned()).collect(),
            notes: Vec::new(),
            skipped,
            duration_ms: 1234,
        };
        TestDoc {
            schema: "test/1".to_owned(),
            passed: 1,
            failed: 1,
            skipped: 1,
            part: None,
            cases: vec![
                case("fine #1", true, false, &[]),
                case("bad <&\">", false, false, &["one: 100%", "two\u{1b}[31m\nlines"]),
                case("later", true, true, &["not yet"]),
            ],
        }
    }

    #[test]
    fn junit_escapes_what_it_must() {
        let text = junit(&doc());
        assert!(text.contains("<testsuites tests=\"3\" failures=\"1\" skipped=\"1\" time=\"3.702\">"), "{text}");
        assert!(text.contains("name=\"bad &lt;&amp;&quot;&gt;\""), "{text}");
        assert!(text.contains("two^[[31m&#10;lines</failure>"), "{text}");
        assert!(text.contains("<skipped message=\"not yet\"/>"), "{text}");
    }

    #[test]
    fn tap_is_a_line_a_case() {
        assert_eq!(
            tap(&doc()),
            "TAP version 14\n1..3\nok 1 - a,b:c.yaml: fine \\#1\nnot ok 2 - a,b:c.yaml: bad <&\">\n  ---\n  at: \
             \"a,b:c.yaml:3\"\n  why:\n    - \"one: 100%\"\n    - \"two\\u001b[31m\\nlines\"\n  ...\nok 3 - a,b:c.yaml: \
             later # SKIP not yet\n"
        );
    }

    #[test]
    fn annotations_stay_on_one_line() {
        assert_eq!(
            github(&doc()),
            "::error file=a%2Cb%3Ac.yaml,line=3,col=1,title=bad <&\">::one: 100%25%0Atwo^[[31m%0Alines\n1 passed, 1 failed, \
             1 skipped\n"
        );
    }

    #[test]
    fn no_format_prints_control_characters() {
        let mut doc = doc();
        let hostile = "\u{1b}]0;x\u{7}\u{8}\u{0}\u{9b}2J\u{202e}\u{7f}\t\r\u{2028}end";
        for case in &mut doc.cases {
            (case.suite, case.case) = (hostile.to_owned(), hostile.to_owned());
            case.why = vec![hostile.to_owned(), hostile.to_owned()];
        }
        let harms = |c: char| c != '\n' && (c.is_control() || matches!(c, '\u{202e}' | '\u{2028}'));
        for (format, text) in [("junit", junit(&doc)), ("tap", tap(&doc)), ("github", github(&doc))] {
            assert!(!text.contains(harms) && text.contains("end"), "{format}: {text:?}");
        }
    }
}

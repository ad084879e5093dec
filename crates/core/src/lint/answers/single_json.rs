//! HW633: a text that is not a single JSON value, given to a JSON parser.

use std::sync::LazyLock;

use regex::Regex;

use super::hook_text::HookText;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::text::ascii_regex;

/// A transcript parsed as a single JSON value.
static TRANSCRIPT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r"json\.load\(\s*open\([^)\n]*transcript|json\.loads\(\s*(?:Path|open)\([^)\n]*transcript[^\n]*read|JSON\.parse\(\s*(?:fs\.)?readFileSync\([^)\n]*transcript",
    )
});
static OPENED: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r"open\([^)\n]*transcript[^)\n]*\)\s*as\s+(\w+)\s*:\s*\n"));
/// The tool input, which is already an object.
static INPUT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r#"json\.loads\(\s*\w+(?:\[["']tool_input["']\]|\.get\(["']tool_input["'][^)\n]*\))\s*\)|JSON\.parse\(\s*\w+\.tool_input\s*\)"#,
    )
});

pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let text = HookText::of(at).filter(HookText::is_script)?;
    let code = |at: usize| {
        let line = text.text.get(..at).unwrap_or("").rsplit('\n').next().unwrap_or("").trim_start();
        !line.starts_with('#') && !line.starts_with("//")
    };
    if let Some(found) = INPUT.as_ref()?.find(&text.text).filter(|found| code(found.start())) {
        let says = "`tool_input` is an object, not a string: parsing it as JSON fails";
        let help = "use the object directly";
        return Some(Diagnostic::new(Code::HW633, says).at(text.span_of(found.range())).with_help(help));
    }
    let found = TRANSCRIPT.as_ref()?.find(&text.text).map(|found| found.range()).or_else(|| opened(&text.text))?;
    let jsonl = at.agent.examples(at.event).iter().any(|example| {
        let path = example.body.get("transcript_path").and_then(serde_json::Value::as_str);
        path.is_some_and(|path| path.rsplit('.').next() == Some("jsonl"))
    });
    if !jsonl || !code(found.start) {
        return None;
    }
    let says = "the transcript has one JSON value on each line: parsing the whole file as JSON fails";
    Some(Diagnostic::new(Code::HW633, says).at(text.span_of(found)).with_help("parse it line by line"))
}

/// Finds `with open(transcript) as f:` followed by `json.load(f)`.
fn opened(text: &str) -> Option<std::ops::Range<usize>> {
    const BELOW: usize = 160;
    for found in OPENED.as_ref()?.captures_iter(text) {
        let (whole, name) = (found.get(0)?, found.get(1)?);
        let load = format!("json.load({})", name.as_str());
        let below: String = text.get(whole.end()..)?.chars().take(BELOW).collect();
        if let Some(at) = below.find(&load) {
            return Some(whole.end() + at..whole.end() + at + load.len());
        }
    }
    None
}

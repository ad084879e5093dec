//! The verdict of a moderator. Only two forms count; a text that merely contains one of the words does not.

use serde::Deserialize;
use serde_json::{Value, json};

/// The length limit for a reason, in characters.
const MAX_REASON: usize = 1_000;

/// A verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModeratorVerdict {
    Allow { reason: Option<String> },
    Block { reason: Option<String> },
}

/// The JSON form. A key that appears twice makes it unclear.
#[derive(Deserialize)]
struct JsonVerdict {
    verdict: VerdictWord,
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum VerdictWord {
    Allow,
    Block,
}

/// The JSON schema of a verdict, for servers that honour one.
pub fn verdict_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "verdict": { "type": "string", "enum": ["allow", "block"] },
            "reason": { "type": "string" },
        },
        "required": ["verdict", "reason"],
        "additionalProperties": false,
    })
}

/// Reads a verdict: `ALLOW` or `BLOCK` alone in the first line or before a colon, or `{"verdict": …, "reason": …}`. One
/// code fence around it is ignored. `None` if the answer is unclear.
pub fn read_verdict(answer: &str) -> Option<ModeratorVerdict> {
    let text = without_fence(answer.trim());
    if text.starts_with('{') {
        let JsonVerdict { verdict, reason } = serde_json::from_str(text).ok()?;
        return Some(of_word(verdict, reason.as_deref().unwrap_or_default()));
    }
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (word, reason) = line_verdict(lines.next()?)?;
    // A second verdict that differs makes the answer unclear.
    if lines.filter_map(line_verdict).any(|(other, _)| other != word) {
        return None;
    }
    Some(of_word(word, reason))
}

fn line_verdict(line: &str) -> Option<(VerdictWord, &str)> {
    let (word, rest) = if let Some(rest) = line.strip_prefix("ALLOW") {
        (VerdictWord::Allow, rest)
    } else {
        (VerdictWord::Block, line.strip_prefix("BLOCK")?)
    };
    if rest.is_empty() { Some((word, "")) } else { Some((word, rest.strip_prefix(':')?.trim())) }
}

fn of_word(word: VerdictWord, reason: &str) -> ModeratorVerdict {
    let clean: String = reason.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_REASON).collect();
    let reason = Some(clean.trim().to_owned()).filter(|reason| !reason.is_empty());
    match word {
        VerdictWord::Allow => ModeratorVerdict::Allow { reason },
        VerdictWord::Block => ModeratorVerdict::Block { reason },
    }
}

/// The text inside one code fence that surrounds all of it.
fn without_fence(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")).and_then(|rest| {
        let (language, inner) = rest.split_once('\n')?;
        language.trim().bytes().all(|byte| byte.is_ascii_alphanumeric()).then_some(inner)
    });
    inner.unwrap_or(text).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_forms_and_nothing_else() {
        let shown = |answer: &str| match read_verdict(answer) {
            Some(ModeratorVerdict::Allow { reason }) => format!("allow {}", reason.unwrap_or_default()),
            Some(ModeratorVerdict::Block { reason }) => format!("block {}", reason.unwrap_or_default()),
            None => "unclear".to_owned(),
        };
        for (answer, want) in [
            ("ALLOW", "allow "),
            ("  ALLOW\n", "allow "),
            ("ALLOW: reads only", "allow reads only"),
            ("\n\nBLOCK: hidden upload", "block hidden upload"),
            ("BLOCK:", "block "),
            ("```\nBLOCK: y\n```", "block y"),
            ("```text\nALLOW\n```", "allow "),
            ("BLOCK: a\u{1b}[31mb\u{7}", "block a [31mb"),
            (r#"{"verdict":"block","reason":"r"}"#, "block r"),
            ("```json\n{\"reason\":\"r\",\"verdict\":\"allow\"}\n```", "allow r"),
            (r#"{"verdict":"allow"}"#, "allow "),
            ("ALLOW: fine\nThe rest explains it.", "allow fine"),
            ("BLOCK: one\nBLOCK: two", "block one"),
            // Everything else is unclear.
            ("", "unclear"),
            ("I cannot ALLOW this. BLOCK: x", "unclear"),
            ("allow", "unclear"),
            ("ALLOWED", "unclear"),
            ("ALLOW it", "unclear"),
            ("ALLOW - fine", "unclear"),
            ("BLOCKED: x", "unclear"),
            ("Verdict: ALLOW", "unclear"),
            ("The answer is:\nALLOW", "unclear"),
            ("ALLOW\nBLOCK: x", "unclear"),
            ("BLOCK: x\nALLOW", "unclear"),
            (r#"{"verdict":"maybe"}"#, "unclear"),
            (r#"{"verdict":"ALLOW"}"#, "unclear"),
            (r#"{"verdict":"allow","verdict":"block"}"#, "unclear"),
            (r#"{"verdict":"allow"} {"verdict":"block"}"#, "unclear"),
            (r#"{"reason":"allow"}"#, "unclear"),
            (r#"["allow"]"#, "unclear"),
            ("```\n```", "unclear"),
            ("```\nALLOW\n```\nBLOCK: x", "unclear"),
        ] {
            assert_eq!(shown(answer), want, "{answer:?}");
        }
        let long = format!("BLOCK: {}", "é".repeat(5_000));
        assert_eq!(shown(&long).chars().count(), "block ".len() + MAX_REASON);
    }
}

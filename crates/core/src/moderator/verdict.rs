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

/// The rule that a moderator's refusal cites.
pub const MOD_BLOCK: &str = "MOD-BLOCK";
/// The rule that a refusal without an answer cites.
pub const MOD_UNAVAILABLE: &str = "MOD-UNAVAILABLE";

/// The answer of a moderator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModeratorAnswer {
    Verdict(ModeratorVerdict),
    /// The model gave no verdict, for this reason.
    Unavailable(String),
}

/// The action of a guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModeratorRuling {
    /// The guard has no objection. The message is for the user.
    Pass {
        message: Option<String>,
    },
    Refuse {
        rule: &'static str,
        reason: String,
    },
}

/// Decides what a guard does. A critical guard refuses if it cannot decide; any other passes and says so. A reason for
/// allowing is for the user only at the end of a turn (`at_stop`), where nothing else would show it.
pub fn rule_on(answer: &ModeratorAnswer, is_critical: bool, at_stop: bool) -> ModeratorRuling {
    match answer {
        ModeratorAnswer::Verdict(ModeratorVerdict::Allow { reason }) => {
            ModeratorRuling::Pass { message: reason.clone().filter(|_| at_stop) }
        }
        ModeratorAnswer::Verdict(ModeratorVerdict::Block { reason }) => ModeratorRuling::Refuse {
            rule: MOD_BLOCK,
            reason: reason.clone().unwrap_or_else(|| "the model gave no reason".to_owned()),
        },
        ModeratorAnswer::Unavailable(why) if is_critical => {
            ModeratorRuling::Refuse { rule: MOD_UNAVAILABLE, reason: format!("the model did not decide: {why}") }
        }
        ModeratorAnswer::Unavailable(why) => ModeratorRuling::Pass {
            message: Some(format!("moderator unavailable, so only the rules were checked: {why}")),
        },
    }
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

#[cfg(test)]
mod ruling_tests {
    use super::*;

    #[test]
    fn a_critical_guard_refuses_without_a_verdict() {
        let reason = |text: &str| Some(text.to_owned());
        let allow = |text| ModeratorAnswer::Verdict(ModeratorVerdict::Allow { reason: text });
        let block = |text| ModeratorAnswer::Verdict(ModeratorVerdict::Block { reason: text });
        let missing = ModeratorAnswer::Unavailable("HTTP 500".to_owned());
        let pass = |message: Option<&str>| ModeratorRuling::Pass { message: message.map(str::to_owned) };
        let refuse = |rule, reason: &str| ModeratorRuling::Refuse { rule, reason: reason.to_owned() };
        for (answer, critical, at_stop, want) in [
            (allow(None), true, true, pass(None)),
            (allow(reason("fine")), true, false, pass(None)),
            (allow(reason("fine")), false, true, pass(Some("fine"))),
            (block(reason("upload")), false, false, refuse(MOD_BLOCK, "upload")),
            (block(None), true, true, refuse(MOD_BLOCK, "the model gave no reason")),
            (missing.clone(), true, false, refuse(MOD_UNAVAILABLE, "the model did not decide: HTTP 500")),
            (missing, false, true, pass(Some("moderator unavailable, so only the rules were checked: HTTP 500"))),
        ] {
            assert_eq!(rule_on(&answer, critical, at_stop), want, "{answer:?} {critical} {at_stop}");
        }
    }
}

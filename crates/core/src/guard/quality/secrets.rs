//! CQ-R6: secrets in files.

use std::ops::Range;

use crate::guard::pattern::Pattern;
use crate::guard::searched_text::SearchedText;

static SHAPES: Pattern = Pattern::new(
    &["AKIA", "PRIVATE KEY", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "sk_live_", "xox", "AIza"],
    r"(AKIA[0-9A-Z]{16}|-----BEGIN ([A-Z]+ )?PRIVATE KEY-----|\bgh[pousr]_[A-Za-z0-9]{36,}|\bgithub_pat_[A-Za-z0-9_]{22,}|\bsk_live_[A-Za-z0-9]{16,}|\bxox[baprs]-[A-Za-z0-9-]{10,}|\bAIza[0-9A-Za-z_-]{35})",
);
static NAMED: Pattern = Pattern::new(
    &[],
    r#"(?i)\b(password|passwd|secret|api_?key|access_?token|auth_?token)\b["']?\s*[:=]\s*["'][^"'\s$<{]{8,}["']"#,
);
static PLACEHOLDER: Pattern =
    Pattern::new(&[], r"(?i)example|changeme|placeholder|dummy|xxxx|your[-_ ]|test|\*\*\*\*|fake|redacted");

/// Returns the first places of secrets, at most `limit`. In tests, a secret that only its name gives away is not counted.
pub fn places(text: &SearchedText<'_>, test: bool, limit: usize) -> Vec<Range<usize>> {
    let real = |range: &Range<usize>| {
        text.text.get(range.clone()).is_some_and(|text| !text.to_ascii_uppercase().contains("EXAMPLE"))
    };
    let mut found: Vec<Range<usize>> = SHAPES.ranges_in(text).filter(real).take(limit).collect();
    if !test && mentions_secret(text) {
        let own = |range: &Range<usize>| {
            text.text.get(range.clone()).is_some_and(|text| !PLACEHOLDER.is_match(text) && is_value(text))
        };
        found.extend(NAMED.ranges_in(text).filter(own).take(limit));
    }
    found.sort_by_key(|range| range.start);
    found.truncate(limit);
    found
}

/// Whether the pattern may match, without compiling it.
fn mentions_secret(text: &SearchedText<'_>) -> bool {
    text.contains_any_ignoring_case(&["passw", "secret", "api_key", "apikey", "token"])
}

/// Whether the quoted part looks like a value and not like a name: the names of keys and messages have only letters.
fn is_value(text: &str) -> bool {
    let value = text.rsplit(['"', '\'']).nth(1).unwrap_or_default();
    !value.chars().all(|c| c.is_ascii_alphabetic() || c == '_' || c == '-' || c == '.' || c == '/')
}

//! HW806: a secret in the text of a hook.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::recorded::find_secrets;
use crate::text::{Span, ascii_regex};

/// A token in a header, a password in a URL, or a secret assigned to a variable.
static GIVEN_SECRET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r#"(?xi) \b(?:bearer|basic)\s+ ([a-z0-9._~+/-]{16,}={0,2})
          | \b[a-z][a-z0-9+.-]*://[^\s:/@"'$]+:([^\s:/@"'$]{4,})@
          | \b[a-z0-9_]*(?:token|secret|passw(?:or)?d|api_?key)[a-z0-9_]*=["']?([a-z0-9_/+.~-]{12,})"#,
    )
});

/// Checks the definition and its script.
pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let sources = at.agent.sources;
    let mut spans: Vec<Span> = Vec::new();
    let own = at.handler_span();
    for range in secret_ranges(sources.slice(own)) {
        spans.push(Span::new(own.source, own.start + range.start, own.start + range.end));
    }
    if let Some(written) = at.written {
        for literal in std::iter::once(&written.command).chain(written.args.iter().flatten()) {
            spans.extend(secret_ranges(&literal.text).into_iter().map(|range| literal.place(range)));
        }
    }
    if let Some(script) = at.new_script() {
        spans.extend(secret_ranges(&script.text).into_iter().map(|range| script.span(range.start, range.end)));
    }
    let mut said: Vec<Span> = Vec::new();
    spans.retain(|span| {
        let again =
            said.iter().any(|known| known.source == span.source && known.start < span.end && span.start < known.end);
        said.push(*span);
        !again
    });
    let says = "this looks like a secret: everyone who can read the file has it";
    let of = |span| {
        Diagnostic::new(Code::HW806, says)
            .at(span)
            .with_help("move it to the environment, and replace it with a new one")
    };
    spans.into_iter().map(of).collect()
}

fn secret_ranges(text: &str) -> Vec<Range<usize>> {
    let mut ranges = find_secrets(text);
    if let Some(given) = GIVEN_SECRET.as_ref() {
        let more = given.captures_iter(text).filter_map(|c| c.iter().skip(1).flatten().next().map(|m| m.range()));
        for range in more {
            if !ranges.iter().any(|known| known.start < range.end && range.start < known.end) {
                ranges.push(range);
            }
        }
    }
    ranges.retain(|range| {
        let value = text.get(range.clone()).unwrap_or("");
        is_real_secret(value) && (!value.contains("PRIVATE KEY") || has_key(value, text.get(range.end..).unwrap_or("")))
    });
    ranges
}

/// Whether a header is followed by the lines of a key: a script that searches for keys contains only the header.
fn has_key(header: &str, rest: &str) -> bool {
    const SHORTEST: usize = 40;
    let text = format!("{header}{rest}").replace("\\n", "\n");
    let body = text.split_once("PRIVATE KEY-----").map_or("", |(_, body)| body);
    let body = body.split("-----").next().unwrap_or("");
    let run = |line: &str| line.chars().take_while(|c| c.is_ascii_alphanumeric() || "+/=".contains(*c)).count();
    body.trim_start().lines().take(3).map(str::trim).map(run).sum::<usize>() >= SHORTEST
}

/// Whether a value is a pattern that searches for secrets.
fn is_pattern(value: &str) -> bool {
    ["[", "(", "{", "|", "^", ".*", ".+", "\\d", "\\w", "\\s", "\\b"].iter().any(|sign| value.contains(sign))
}

/// Whether the value is a real secret and not a placeholder or an example.
fn is_real_secret(text: &str) -> bool {
    let value =
        text.rsplit_once(':').filter(|_| text.starts_with('"') || text.starts_with('\\')).map_or(text, |(_, v)| v);
    let value = value.trim_matches(|c: char| c.is_whitespace() || c == '"' || c == '\\');
    let lower = value.to_ascii_lowercase();
    let placeholder = ["example", "your", "changeme", "placeholder", "xxx", "redacted", "masked", "dummy", "..."];
    let letters: BTreeSet<char> = value.chars().collect();
    let digits = value.chars().any(|c| c.is_ascii_digit());
    let key = value.contains("PRIVATE KEY");
    value.len() >= 8
        && (key || !is_pattern(value))
        && !value.starts_with(['$', '<', '{', '/', '%'])
        && !value.contains("${")
        && !placeholder.iter().any(|word| lower.contains(word))
        && letters.len() >= 6
        && (digits || key)
}

#[cfg(test)]
mod tests {
    use super::secret_ranges;

    #[test]
    fn secrets_are_found() {
        for (text, want) in [
            ("curl -H 'Authorization: Bearer abcd1234efgh5678ijkl' x", 1),
            ("GITHUB_TOKEN=ghp_abcdefghij0123456789abcd run", 1),
            ("curl https://me:hunter22x@x.example/", 1),
            ("SLACK_TOKEN='a8Kd93kfLq02mmZ' ./x", 1),
            ("{\"headers\": {\"X-Api-Key\": \"kd93kfLq02mmZ8\"}}", 1),
            ("{\"headers\": {\"Authorization\": \"Bearer $TOKEN\"}}", 0),
            ("{\"X-Api-Key\": \"${API_KEY}\"}", 0),
            ("curl -H \"Authorization: Bearer $TOKEN\" x", 0),
            ("TOKEN=$(cat ~/.token) ./x", 0),
            ("AWS_KEY=AKIAIOSFODNN7EXAMPLE", 0),
            ("grep -E 'ghp_[A-Za-z0-9]{36}'", 0),
            ("export API_KEY=your-api-key-here-1", 0),
            ("TOKEN_FILE=/run/secrets/token1 ./x", 0),
            ("max_tokens=200000000000 ./x", 0),
            ("hooks/check-secrets.sh --password-file=x", 0),
            // Patterns of a secret detector.
            ("{\"api_key\": \"sk-[a-zA-Z0-9]{32,}\"}", 0),
            ("grep -q -- '-----BEGIN RSA PRIVATE KEY-----' \"$f\"", 0),
            ("PATTERNS = ['-----BEGIN PRIVATE KEY-----', 'AKIA[0-9A-Z]{16}', 'password=[^ ]{8}']", 0),
            ("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n-----END PRIVATE KEY-----", 1),
        ] {
            assert_eq!(secret_ranges(text).len(), want, "{text}");
        }
    }
}

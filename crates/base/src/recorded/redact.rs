//! Masks texts that look like secrets: in payloads, in hook output, and in what goes to a model. Everything that masks uses
//! these functions.
//!
//! In JSON, keys of a typical form are masked as whole escapes and plain letters, and the other patterns read each string
//! decoded, so JSON remains valid. Secrets are detected by guessing: this reduces accidental leaks but gives no guarantee.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::{memchr, memmem};
use regex::Captures;
use regex::bytes::Regex;
use serde::de::IgnoredAny;

use super::client_passwords::mask_client_passwords;
use super::event::{RecordedEvent, RecordedOutcome};
use crate::run::CapturedStream;
use crate::text::ascii_regex;

/// The text in place of a secret.
pub const MASK: &str = "[masked]";
const REPLACEMENT: &[u8] = b"${1}[masked]";

/// Keys with a typical form. They may not follow a character that could belong to a longer word (or to an escaped
/// line break).
const SHAPES: &str = r"(?x-u) (^ | [^A-Za-z0-9\\] | \\[nrt])
    (?: sk-[A-Za-z0-9_-]{16,}
      | gh[pousr]_[A-Za-z0-9]{20,} | github_pat_[A-Za-z0-9_]{20,}
      | A[KS]IA[0-9A-Z]{16}
      | AIza[0-9A-Za-z_-]{35}
      | xox[abprs]-[A-Za-z0-9-]{10,}
      | [sr]k_(?:live|test)_[A-Za-z0-9]{16,} | glpat-[A-Za-z0-9_-]{16,} | npm_[A-Za-z0-9]{30,} | hf_[A-Za-z0-9]{30,}
      | SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,} | dop_v1_[0-9a-f]{40,}
      | eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*
      | -----BEGIN\ [A-Z\ ]*PRIVATE\ KEY-----
        (?: [^\x22]*?-----END\ [A-Z\ ]*PRIVATE\ KEY----- | (?: [A-Za-z0-9+/=\s] | \\[nrt] )* ) )";

/// Values of keys with a telling name, also in JSON that is embedded in a JSON string.
const NAMED: [&str; 2] = [
    r#"(?i-u)("[^"\\]*(?:token|secret|passw|api[_-]?key)[^"\\]*"\s*:\s*")(?:[^"\\]|\\.)+"#,
    r#"(?i-u)(\\"[^"\\]*(?:token|secret|passw|api[_-]?key)[^"\\]*\\"\s*:\s*\\")[^"\\]+"#,
];

/// Assignments to names that tell, headers with a token, and passwords in URLs. The first group stays.
static ASSIGNED: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
    ascii_regex(
        r#"(?xi)
          ( \b(?:bearer|basic)\s+ ) [a-z0-9._~+/-]{8,}={0,2}
        | ( \b[a-z][a-z0-9+.-]*://[^\s:/@"'$]*: ) [^\s/@"'$]+ ( @ )
        | ( [a-z0-9_.-]*(?:token|secret|passw(?:or)?d|passwd|api[_-]?key)[a-z0-9_]* ["']? \s* [=:] \s* )
          (?: "(?:[^"\\\n]|\\.)+" | '[^'\n]+' | [^\s"'$;,&|(){}\[\]]{6,} )
        | ( --?(?:token|secret|password|passwd|api[_-]?key|auth-?key|private-key|pw)\s+ ) [^\s"'$-][^\s"'$]{5,}
        | ( \b[a-z0-9_]*(?:pass|pwd?)= | --(?:auth-?key|private-key|pw)= | [?&](?:sig|signature|x-amz-signature)=
            | \bidentified\s+by\s+ )
          (?: "(?:[^"\\\n]|\\.)+" | '[^'\n]+' | [^\s"'$;,&|(){}\[\]]{4,} )
        | ( \bcookie:\s* ) [^\s"'$][^"'\n$]*"#,
    )
});

/// A pattern that is compiled for the first text that it may match. A guard masks one line, and compiling all of them
/// takes longer than its rules.
struct SecretPattern {
    regex: LazyLock<Regex>,
    /// Every text that matches contains one of these.
    needles: &'static [&'static str],
}

impl SecretPattern {
    fn may_match(&self, text: &[u8]) -> bool {
        self.needles.iter().any(|needle| memmem::find(text, needle.as_bytes()).is_some())
    }
}

fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of ours, which a test uses")
}

static PATTERNS: [SecretPattern; 3] = [
    SecretPattern {
        regex: LazyLock::new(|| compiled(SHAPES)),
        needles: &[
            "sk-",
            "ghp_",
            "gho_",
            "ghu_",
            "ghs_",
            "ghr_",
            "github_pat_",
            "AKIA",
            "ASIA",
            "AIza",
            "xox",
            "k_live_",
            "k_test_",
            "glpat-",
            "npm_",
            "hf_",
            "SG.",
            "dop_v1_",
            "eyJ",
            "-----BEGIN",
        ],
    },
    SecretPattern { regex: LazyLock::new(|| compiled(NAMED[0])), needles: &["\""] },
    SecretPattern { regex: LazyLock::new(|| compiled(NAMED[1])), needles: &["\\\""] },
];

/// The patterns that may match a text.
fn patterns_for(text: &[u8]) -> impl Iterator<Item = &'static Regex> {
    PATTERNS.iter().filter(|pattern| pattern.may_match(text)).map(|pattern| &*pattern.regex)
}

/// Masks secrets in an event. `None` if it contains none.
pub fn redact(event: &RecordedEvent) -> Option<RecordedEvent> {
    let payload = masked(&event.payload);
    let streams = event.runs.iter().flat_map(|run| [&run.report.stdout, &run.report.stderr]);
    let outcome = event.outcome.as_ref().and_then(masked_outcome);
    let printed = streams.clone().any(|stream| masked(&stream.head).is_some());
    let reason = event.answer.as_ref().and_then(|answer| redact_text(answer.reason.as_deref()?));
    let found = payload.is_some() || outcome.is_some() || reason.is_some() || printed;
    found.then(|| {
        let mut event = event.clone();
        event.payload = payload.unwrap_or(event.payload);
        event.outcome = outcome.or(event.outcome);
        if let (Some(answer), Some(reason)) = (&mut event.answer, reason) {
            answer.reason = Some(reason);
        }
        for run in &mut event.runs {
            mask_stream(&mut run.report.stdout);
            mask_stream(&mut run.report.stderr);
        }
        event
    })
}

/// Masks secrets in an outcome, which can repeat hook output.
fn masked_outcome(outcome: &RecordedOutcome) -> Option<RecordedOutcome> {
    let clean = masked(&serde_json::to_vec(outcome).ok()?)?;
    // The result should still be valid JSON. If it is not, all of it is dropped.
    Some(serde_json::from_slice(&clean).unwrap_or_default())
}

/// Masks secrets in a text. `None` if it contains none.
pub fn redact_text(text: &str) -> Option<String> {
    // The mask is ASCII, and only whole characters are replaced.
    masked(text.as_bytes()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The places in a text that look like secrets, in order.
pub fn find_secrets(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for pattern in patterns_for(text.as_bytes()) {
        for captures in pattern.captures_iter(text.as_bytes()) {
            let (Some(whole), before) = (captures.get(0), captures.get(1)) else { continue };
            let range = before.map_or(whole.start(), |before| before.end())..whole.end();
            if !found.iter().any(|known| known.start < range.end && range.start < known.end) {
                found.push(range);
            }
        }
    }
    found.sort_by_key(|range| range.start);
    found
}

fn mask_stream(stream: &mut CapturedStream) {
    if let Some(head) = masked(&stream.head) {
        let cut = stream.total.saturating_sub(stream.head.len() as u64);
        stream.total = head.len() as u64 + cut;
        stream.head = head;
    }
}

/// `None` if there is nothing to mask.
fn masked(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut result = Cow::Borrowed(bytes);
    for pattern in patterns_for(bytes) {
        if let Cow::Owned(changed) = pattern.replace_all(&result, REPLACEMENT) {
            result = Cow::Owned(changed);
        }
    }
    let mut clean = Vec::new();
    let mut changes = false;
    for chunk in result.utf8_chunks() {
        let valid = masked_texts(chunk.valid());
        changes |= matches!(valid, Cow::Owned(_));
        clean.extend_from_slice(valid.as_bytes());
        clean.extend_from_slice(chunk.invalid());
    }
    if changes {
        return Some(clean);
    }
    match result {
        Cow::Borrowed(_) => None,
        Cow::Owned(changed) => Some(changed),
    }
}

/// Masks what only decoded text shows: in each string of a JSON text, otherwise in all of it.
fn masked_texts(text: &str) -> Cow<'_, str> {
    if is_json(text) {
        return masked_strings(text);
    }
    let clean = mask_client_passwords(text);
    let Some(pattern) = ASSIGNED.as_ref() else { return clean };
    let masked = pattern.replace_all(&clean, |found: &Captures<'_>| {
        let kept = |number: usize| found.get(number).map_or("", |part| part.as_str());
        let before = [1, 2, 4, 5, 6, 7].map(kept).concat();
        format!("{before}{MASK}{}", kept(3))
    });
    match masked {
        Cow::Owned(masked) => Cow::Owned(masked),
        Cow::Borrowed(_) => clean,
    }
}

/// Whether a text is a JSON document with strings in it.
fn is_json(text: &str) -> bool {
    let is_document = text.trim_start().starts_with(['{', '[', '"']);
    is_document
        && match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => true,
            // JSON that is nested too deeply for this reader.
            Err(why) => why.to_string().starts_with("recursion limit"),
        }
}

/// Masks the strings of a JSON text, but for keys.
fn masked_strings(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let (mut clean, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr(b'"', rest)) {
        let start = at + found;
        let mut end = start + 1;
        while let Some(byte) = bytes.get(end).filter(|byte| **byte != b'"') {
            end += if *byte == b'\\' { 2 } else { 1 };
        }
        at = end + 1;
        let Some(token) = json.get(start..at) else { break };
        let is_key = json.get(at..).is_some_and(|rest| rest.trim_start().starts_with(':'));
        if let Some(masked) = masked_string(token).filter(|_| !is_key) {
            clean.push_str(json.get(copied..start).unwrap_or_default());
            clean.push_str(&masked);
            copied = at;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    clean.push_str(json.get(copied..).unwrap_or_default());
    Cow::Owned(clean)
}

/// Masks a string of JSON, given with its quotes. `None` if there is nothing to mask.
fn masked_string(token: &str) -> Option<String> {
    let inner = token.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        let Cow::Owned(clean) = masked_texts(inner) else { return None };
        return serde_json::to_string(&clean).ok();
    }
    let Ok(decoded) = serde_json::from_str::<String>(token) else {
        // Half of a surrogate pair cannot be decoded.
        let Cow::Owned(clean) = masked_texts(inner) else { return None };
        let token = format!("\"{clean}\"");
        return is_json(&token).then_some(token);
    };
    let Cow::Owned(clean) = masked_texts(&decoded) else { return None };
    serde_json::to_string(&clean).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn text(payload: &str) -> Option<String> {
        masked(payload.as_bytes()).map(|bytes| String::from_utf8(bytes).expect("text stays text"))
    }

    #[test]
    fn secrets_are_masked_and_nothing_else() {
        let (key, jwt) = ("sk-abcdefghijklmnop1234", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0AA.c2ln");
        for (given, want) in [
            (format!("{{\"command\":\"curl -H {key}\"}}"), r#"{"command":"curl -H [masked]"}"#),
            (format!("{{\"out\":\"one\\n{key}\\ntwo\"}}"), r#"{"out":"one\n[masked]\ntwo"}"#),
            (format!("key={jwt}"), "key=[masked]"),
            ("ghp_abcdefghij0123456789 AKIAABCDEFGHIJKLMNOP".to_owned(), "[masked] [masked]"),
            (r#"{"api_key": "x\"y", "n": 1}"#.to_owned(), r#"{"api_key": "[masked]", "n": 1}"#),
            (r#"{"out":"{\"dbPassword\": \"x\"}"}"#.to_owned(), r#"{"out":"{\"dbPassword\": \"[masked]\"}"}"#),
            (
                r#"{"f":"-----BEGIN RSA PRIVATE KEY-----\nMII+/=\n-----END RSA PRIVATE KEY-----\nrest"}"#.to_owned(),
                r#"{"f":"[masked]\nrest"}"#,
            ),
            (r#"{"f":"-----BEGIN PRIVATE KEY-----\nMII+\"x"}"#.to_owned(), r#"{"f":"[masked]\"x"}"#),
        ] {
            assert_eq!(text(&given).as_deref(), Some(want), "{given}");
        }
        // The forms of other services, and names that tell less clearly. A prefix stands apart, so that no tool takes it for a key.
        let digits = "0123456789abcdef0123456789abcdef01234567";
        for prefix in ["sk_live", "rk_test", "hf", "npm", "dop_v1"] {
            assert_eq!(text(&format!("x {prefix}_{digits}")).as_deref(), Some("x [masked]"), "{prefix}");
        }
        for prefix in ["glpat-", &format!("SG.{digits}.")] {
            assert_eq!(text(&format!("x {prefix}{digits}")).as_deref(), Some("x [masked]"), "{prefix}");
        }
        for (given, want) in [
            ("DB_PASS=hunter2 ./run", "DB_PASS=[masked] ./run"),
            ("tool --pw hunter2 --authkey=tskey12", "tool --pw [masked] --authkey=[masked]"),
            ("curl -H 'Cookie: a=b; c=d' x", "curl -H 'Cookie: [masked]' x"),
            ("CREATE USER u IDENTIFIED BY 'x y'", "CREATE USER u IDENTIFIED BY [masked]"),
            ("get https://x/y?sig=abcdef&z=1", "get https://x/y?sig=[masked]&z=1"),
        ] {
            assert_eq!(text(given).as_deref(), Some(want), "{given}");
        }
        for plain in ["all tests pass: nothing to do", "pwd=$PWD", "bypass everything", "cookie: $COOKIE"] {
            assert_eq!(text(plain), None, "{plain}");
        }
        // Strings of JSON are read decoded, also those of JSON in a string, and JSON stays JSON.
        for (given, want) in [
            (r#"{"command":"mysql -p\"a b\" -e x"}"#, r#"{"command":"mysql -p[masked] -e x"}"#),
            (r#"{"command":"mysql -p","note":"x -p","z":1}"#, r#"{"command":"mysql -p","note":"x -p","z":1}"#),
            (
                r#"{"out":"{\"command\":\"mysql -pS3cret shop\"}"}"#,
                r#"{"out":"{\"command\":\"mysql -p[masked] shop\"}"}"#,
            ),
            (r#"{"command":"redis-cli -a pw\n\ud800"}"#, r#"{"command":"redis-cli -a [masked]\n\ud800"}"#),
            (r#"{"header":"Authorization: Bearer abcdef123456"}"#, r#"{"header":"Authorization: Bearer [masked]"}"#),
            (r#"{"url":"https://me:pass1@host/x"}"#, r#"{"url":"https://me:[masked]@host/x"}"#),
        ] {
            assert_eq!(text(given).as_deref().unwrap_or(given), want, "{given}");
        }
        assert_eq!(masked(b"\xff mysql -pS3cret \xff").as_deref(), Some(&b"\xff mysql -p[masked] \xff"[..]));
        assert!(ASSIGNED.is_some());
        for plain in [
            r#"{"command":"git checkout task-force-of-many-letters"}"#,
            r#"{"max_tokens":4096,"note":"the token is gone","tokens":[]}"#,
            "-----BEGIN CERTIFICATE-----",
            "",
        ] {
            assert_eq!(text(plain), None, "{plain}");
        }
    }

    proptest! {
        /// No pattern matches a text for which it is not compiled.
        #[test]
        fn patterns_are_left_out_only_where_they_cannot_match(
            parts in proptest::collection::vec(proptest::sample::select(vec![
                "sk-", "ghu_", "gh", "github_pat_", "AKIA", "ASIA", "AIza", "xoxb-", "eyJ", ".", "-----BEGIN ", "PRIVATE KEY-----",
                "abcdefghijklmnopqrstuvwxyz0123456789", "0123456789ABCDEF", "ApiKey", "\"", "\\\"", ":", " ", "\n",
            ]), 0..10),
        ) {
            let text = parts.concat();
            for pattern in &PATTERNS {
                prop_assert!(pattern.may_match(text.as_bytes()) || !pattern.regex.is_match(text.as_bytes()), "{text}");
            }
        }

        /// Masked JSON is still JSON with the same keys.
        #[test]
        fn json_stays_json(parts in proptest::collection::vec(
            "(sk-|\\n|\"|\\\\|token|: |ghp_|[a-zA-Z0-9]{20}|-----BEGIN PRIVATE KEY-----|secret\":\"|é){0,8}", 1..4)) {
            let value: Value = parts.iter().enumerate().map(|(n, part)| (format!("k{n}"), Value::from(part.as_str()))).collect();
            let inner = Value::from(serde_json::to_string(&value).unwrap_or_default());
            for value in [value, inner] {
                let given = serde_json::to_string(&value).unwrap_or_default();
                let result = text(&given).unwrap_or_else(|| given.clone());
                let parsed: Result<Value, _> = serde_json::from_str(&result);
                prop_assert!(parsed.is_ok(), "{given} became {result}");
                prop_assert_eq!(parsed.ok().and_then(|v| v.as_object().map(|o| o.len())), value.as_object().map(|o| o.len()));
            }
        }
    }
}

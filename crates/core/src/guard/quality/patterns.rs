//! Rules that count the matches of one pattern.

use std::ops::Range;

use SourceLanguage::{Go, JavaScript, Python, Rust, Shell, Yaml};

use super::language::SourceLanguage;
use crate::guard::pattern::{Pattern, SearchedText};

/// A rule that counts matches.
pub struct CountedRule {
    pub rule: &'static str,
    pub what: &'static str,
    /// Empty: all languages.
    languages: &'static [SourceLanguage],
    /// Whether files of tests are exempt.
    pub exempts_tests: bool,
    pattern: Pattern,
    /// Further patterns. Each is compiled only if its own needles are in the text.
    more: &'static [Pattern],
}

impl CountedRule {
    /// Returns the first places that the rule finds in a text, at most `limit`.
    pub fn places(&self, language: SourceLanguage, text: &SearchedText<'_>, limit: usize) -> Vec<Range<usize>> {
        if !self.languages.is_empty() && !self.languages.contains(&language) {
            return Vec::new();
        }
        let counts = |range: &Range<usize>| {
            self.rule != "CQ-R10" || text.text.get(range.clone()).is_some_and(|text| !text.contains("reason"))
        };
        let patterns = std::iter::once(&self.pattern).chain(self.more);
        let mut found: Vec<_> =
            patterns.flat_map(|pattern| pattern.ranges_in(text).filter(counts).take(limit)).collect();
        found.sort_by_key(|range| range.start);
        found.truncate(limit);
        found
    }
}

/// Comments and attributes that suppress a check, besides `noqa`. A file has few of them, and one pattern for all would
/// take longer to compile than everything else that a guard does.
static SUPPRESSIONS: [Pattern; 16] = [
    Pattern::new(&["type:"], r"#\s*type:\s*ignore"),
    Pattern::new(&["pylint:"], r"#\s*pylint:\s*disable"),
    Pattern::new(&["mypy:"], r"#\s*mypy:\s*ignore-errors"),
    Pattern::new(&["fmt:"], r"#\s*fmt:\s*off"),
    Pattern::new(&["ruff:"], r"#\s*ruff:\s*noqa"),
    Pattern::new(&["pragma"], r"#\s*pragma:\s*no cover|#pragma warning disable"),
    Pattern::new(&["nosec"], r"#\s*nosec\b"),
    Pattern::new(&["eslint-disable"], "eslint-disable"),
    Pattern::new(&["@ts-"], "@ts-ignore|@ts-nocheck|@ts-expect-error"),
    Pattern::new(&["[allow("], r"#!\[allow\("),
    Pattern::new(&["nolint"], r"//\s*nolint"),
    Pattern::new(&["@SuppressWarnings"], "@SuppressWarnings"),
    Pattern::new(&["NOSONAR"], r"\bNOSONAR\b"),
    Pattern::new(&["rubocop:"], "rubocop:disable"),
    Pattern::new(&["biome-ignore"], "biome-ignore"),
    Pattern::new(&["swiftlint:"], "swiftlint:disable"),
];

/// The rules, ordered by id.
pub static COUNTED: [CountedRule; 8] = [
    CountedRule {
        rule: "CQ-R1",
        what: "a check is suppressed",
        languages: &[],
        exempts_tests: false,
        pattern: Pattern::new(&["noqa"], r"#\s*noqa\b"),
        more: &SUPPRESSIONS,
    },
    CountedRule {
        rule: "CQ-R2",
        what: "a test is skipped or narrowed",
        languages: &[],
        exempts_tests: false,
        pattern: Pattern::new(
            &[
                "@pytest.mark.",
                "@unittest.skip",
                "pytest.skip(",
                ".skip(",
                ".only(",
                ".todo(",
                "xit(",
                "xdescribe(",
                "xtest(",
                "fit(",
                "fdescribe(",
                "#[ignore",
                "t.Skip",
                "@Disabled",
                "@Ignore",
            ],
            r"(@pytest\.mark\.(skip|skipif|xfail)\b|@unittest\.skip|\bpytest\.skip\(|\b(it|test|describe|context)\.(skip|only|todo)\(|\bx(it|describe|test)\(|\bf(it|describe)\(|#\[ignore(\s*=|\])|\bt\.Skip(f|Now)?\(|@Disabled\b|@Ignore\b)",
        ),
        more: &[],
    },
    CountedRule {
        rule: "CQ-R4",
        what: "the failure of a command is hidden",
        languages: &[Shell, Yaml],
        exempts_tests: false,
        pattern: Pattern::new(
            &["||", "set", "continue-on-error"],
            r"(?m)(\|\|\s*(true|:)(\s|$|;)|\bset\s+\+e\b|\bcontinue-on-error:\s*true)",
        ),
        more: &[],
    },
    CountedRule {
        rule: "CQ-R8",
        what: "code is announced instead of written",
        languages: &[],
        exempts_tests: true,
        pattern: Pattern::new(
            &["TODO", "NotImplementedError", "unimplemented!", "todo!"],
            r"((#|//)\s*TODO:?\s*implement|\braise NotImplementedError\b|\bunimplemented!\(|\btodo!\()",
        ),
        more: &[],
    },
    CountedRule {
        rule: "CQ-R9",
        what: "text is run as code, or a protection is off",
        languages: &[Python],
        exempts_tests: true,
        pattern: Pattern::new(
            &["os.system", "shell", "eval(", "exec(", "yaml.load", "pickle.load", "verify"],
            r"(?m)(\bos\.system\(|\bsubprocess\.[a-z_]+\([^\n]*shell\s*=\s*True|(^|[^.\w])eval\(|(^|[^.\w])exec\(|\byaml\.load\([^\n)]*\)|\bpickle\.loads?\(|\bverify\s*=\s*False\b)",
        ),
        more: &[],
    },
    CountedRule {
        rule: "CQ-R9",
        what: "text is run as code, or a protection is off",
        languages: &[JavaScript],
        exempts_tests: true,
        pattern: Pattern::new(
            &["eval(", "Function(", "innerHTML", "dangerouslySetInnerHTML", "rejectUnauthorized", "NODE_TLS"],
            r"(?m)((^|[^.\w])eval\(|\bnew Function\(|\.innerHTML\s*=|dangerouslySetInnerHTML|rejectUnauthorized:\s*false|NODE_TLS_REJECT_UNAUTHORIZED)",
        ),
        more: &[],
    },
    CountedRule {
        rule: "CQ-R9",
        what: "a protection is off",
        languages: &[Go, Rust],
        exempts_tests: true,
        pattern: Pattern::new(
            &["InsecureSkipVerify", "danger_accept_invalid_certs"],
            r"(InsecureSkipVerify:\s*true|danger_accept_invalid_certs\(true\))",
        ),
        more: &[],
    },
    CountedRule {
        rule: "CQ-R10",
        what: "an exception without a reason",
        languages: &[Rust],
        exempts_tests: false,
        pattern: Pattern::new(&["[allow("], r"#\[allow\(([^\]]*)\)\]"),
        more: &[],
    },
];

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        assert!(COUNTED.iter().all(|rule| rule.pattern.compiles() && rule.more.iter().all(Pattern::compiles)));
    }

    #[test]
    fn every_suppression_counts_once() {
        let count = |text: &str| COUNTED[0].places(Python, &SearchedText::new(text), usize::MAX).len();
        for line in [
            "x  # noqa: F401",
            "#noqa",
            "x  # type: ignore[arg-type]",
            "# pylint: disable=all",
            "# mypy: ignore-errors",
            "# fmt: off",
            "# ruff: noqa",
            "# pragma: no cover",
            "#pragma warning disable CS0168",
            "# nosec B602",
            "/* eslint-disable no-console */",
            "// @ts-ignore",
            "// @ts-nocheck",
            "// @ts-expect-error",
            "#!\u{5b}allow(warnings)]",
            "//nolint:errcheck",
            "@SuppressWarnings(\"unchecked\")",
            "x // NOSONAR",
            "# rubocop:disable Style",
            "// biome-ignore lint",
            "// swiftlint:disable all",
        ] {
            assert_eq!(count(line), 1, "{line}");
            assert_eq!(count(&format!("{line}\n{line}\n")), 2, "{line}");
        }
        for line in
            ["noqa", "# not noqas", "type: ignore", "pragma", "#\u{5b}allow(dead_code)]", "@ts-check", "NOSONARS"]
        {
            assert_eq!(count(line), 0, "{line}");
        }
    }
}

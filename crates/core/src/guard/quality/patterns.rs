//! Rules that count the matches of one pattern.

use std::ops::Range;

use super::language::SourceLanguage;
use crate::guard::pattern::Pattern;

/// A rule that counts matches.
pub struct CountedRule {
    pub rule: &'static str,
    pub what: &'static str,
    /// Empty: all languages.
    languages: &'static [SourceLanguage],
    /// Whether files of tests are exempt.
    pub exempts_tests: bool,
    pattern: Pattern,
}

impl CountedRule {
    /// Returns the places that the rule finds in a text.
    pub fn places(&self, language: SourceLanguage, text: &str) -> Vec<Range<usize>> {
        if !self.languages.is_empty() && !self.languages.contains(&language) {
            return Vec::new();
        }
        let mut found = self.pattern.ranges(text);
        if self.rule == "CQ-R10" {
            found.retain(|range| text.get(range.clone()).is_some_and(|text| !text.contains("reason")));
        }
        found
    }
}

use SourceLanguage::{Go, JavaScript, Python, Rust, Shell, Yaml};

/// The rules, ordered by id.
pub static COUNTED: [CountedRule; 8] = [
    CountedRule {
        rule: "CQ-R1",
        what: "a check is suppressed",
        languages: &[],
        exempts_tests: false,
        pattern: Pattern::new(
            &[
                "noqa",
                "type:",
                "pylint:",
                "mypy:",
                "fmt:",
                "ruff:",
                "pragma",
                "nosec",
                "eslint-disable",
                "@ts-",
                "[allow(",
                "nolint",
                "@SuppressWarnings",
                "NOSONAR",
                "rubocop:",
                "biome-ignore",
                "swiftlint:",
            ],
            r"(#\s*noqa\b|#\s*type:\s*ignore|#\s*pylint:\s*disable|#\s*mypy:\s*ignore-errors|#\s*fmt:\s*off|#\s*ruff:\s*noqa|#\s*pragma:\s*no cover|#\s*nosec\b|eslint-disable|@ts-ignore|@ts-nocheck|@ts-expect-error|#!\[allow\(|//\s*nolint|@SuppressWarnings|#pragma warning disable|\bNOSONAR\b|rubocop:disable|biome-ignore|swiftlint:disable)",
        ),
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
    },
    CountedRule {
        rule: "CQ-R10",
        what: "an exception without a reason",
        languages: &[Rust],
        exempts_tests: false,
        pattern: Pattern::new(&["[allow("], r"#\[allow\(([^\]]*)\)\]"),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_compile() {
        assert!(COUNTED.iter().all(|rule| rule.pattern.compiles()));
    }
}

//! One JavaScript pattern, compiled once and tested often.

use super::hazard::explodes;
use super::translate::translate;

/// Subjects longer than this are not given to the backtracking engine.
const LONGEST: usize = 1024;
/// Subjects up to this length cannot make even a hazardous pattern run long.
const HARMLESS: usize = 16;

/// Why a text is no pattern, in the parser's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PatternError {
    pub message: String,
}

/// The answer of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tested {
    Yes,
    No,
    /// Not tried: the pattern could run for longer than anybody waits, in the agent as well.
    TooExpensive,
}

/// `new RegExp(text)` without flags.
#[derive(Debug, Clone)]
pub struct EcmaPattern {
    linear: Option<regex::Regex>,
    backtracking: regress::Regex,
    hazardous: bool,
}

impl EcmaPattern {
    /// Compiles a pattern as `new RegExp(text)` would.
    ///
    /// # Errors
    /// When JavaScript would throw a SyntaxError.
    pub fn new(text: &str) -> Result<EcmaPattern, PatternError> {
        let backtracking = regress::Regex::new(text).map_err(|e| PatternError { message: e.to_string() })?;
        let linear = translate(text).and_then(|translated| {
            regex::RegexBuilder::new(&translated).unicode(true).size_limit(1 << 20).build().ok()
        });
        Ok(EcmaPattern { linear, backtracking, hazardous: explodes(text) })
    }

    /// `pattern.test(subject)`.
    pub fn test(&self, subject: &str) -> Tested {
        let answer = |hit: bool| if hit { Tested::Yes } else { Tested::No };
        if let Some(linear) = self.linear.as_ref().filter(|_| subject.is_ascii()) {
            return answer(linear.is_match(subject));
        }
        if subject.len() > LONGEST || (self.hazardous && subject.len() > HARMLESS) {
            return Tested::TooExpensive;
        }
        answer(self.backtracking.find(subject).is_some())
    }

    /// Whether the pattern could make the agent itself hang.
    pub fn hazardous(&self) -> bool {
        self.hazardous
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn javascript_rules() {
        for (pattern, subject, want) in [
            ("Edit", "NotebookEdit", Tested::Yes),
            ("^Edit$", "NotebookEdit", Tested::No),
            ("(?<x>Edit)", "Edit", Tested::Yes),
            ("^(?!Bash)", "Bash", Tested::No),
            ("^(?!Bash)", "Read", Tested::Yes),
            (r"\p{L}+", "Bash", Tested::No),
            ("[[:alpha:]]+", "Bash", Tested::No),
            (r"\A", "Bash", Tested::No),
            (r"\A", "A", Tested::Yes),
            ("a{,3}", "a{,3}", Tested::Yes),
            (r"\bEdit\b", "Edit", Tested::Yes),
            ("(?i:bash)", "Bash", Tested::Yes),
            ("a.b", "a\nb", Tested::No),
            ("", "x", Tested::Yes),
            ("[^]", "\n", Tested::Yes),
            ("[]", "x", Tested::No),
            ("é", "café", Tested::Yes),
        ] {
            assert_eq!(EcmaPattern::new(pattern).map(|p| p.test(subject)), Ok(want), "{pattern} on {subject}");
        }
        for pattern in ["[", "(", "*Edit", "?", "a**", "(?i)bash", "(?P<n>x)", "Bash(*)", "x{2,1}"] {
            assert!(EcmaPattern::new(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn hazards_are_refused_not_run() {
        let long = "a".repeat(60) + "!";
        for pattern in [r"(?=a)(a+)+$", r"(?=a)(a|a)*$", r"(?=a)a*a*a*a*$"] {
            let pattern = EcmaPattern::new(pattern).unwrap();
            assert_eq!(pattern.test(&long), Tested::TooExpensive);
            assert_eq!(pattern.test("aaa!"), Tested::No);
        }
        assert_eq!(EcmaPattern::new("(a+)+$").unwrap().test(&long), Tested::No);
    }

    const TOKENS: [&str; 30] = [
        "a", "b", "A", "B", "_", ".", "a*", "b+", "[a-c]", "[^ab]", "[a-b_]", r"\d", r"\w+", r"\s", r"\b", r"\B",
        "(a|b)", "(?:ab)?", "a{1,2}", r"\.", "-", "|", "^", "$", "(", ")", " ", "[A-Z]", r"[\w.-]", "x?",
    ];

    proptest! {
        /// What both engines are given, both answer alike.
        #[test]
        fn linear_equals_backtracking(
            tokens in prop::collection::vec(prop::sample::select(&TOKENS[..]), 0..8),
            subject in "[abABc_ .1-]{0,10}",
        ) {
            let pattern = tokens.concat();
            if let Ok(compiled) = EcmaPattern::new(&pattern) {
                prop_assert!(compiled.linear.is_some(), "{pattern} is not translated");
                let slow = compiled.backtracking.find(&subject).is_some();
                prop_assert_eq!(compiled.linear.is_some_and(|l| l.is_match(&subject)), slow, "{}", pattern);
            }
        }
    }
}

//! A JavaScript pattern that is compiled once and tested often.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::hazard::Hazard;
use super::syntax::units;
use super::translate::translate;

/// Longer subjects are not passed to the backtracking engine.
const LONGEST: usize = 1024;

/// After this many tests with the backtracking engine, the linear engine is compiled for the pattern.
const SELDOM: u32 = 4;

/// Capacity of the cache of compiled patterns. Compiling dominates the cost, and planning tests the same few
/// patterns for every event.
const MOST: usize = 64;

thread_local! {
    /// A cache is safe because compiling depends only on the text.
    static KNOWN: RefCell<HashMap<String, Result<EcmaPattern, PatternError>>> = RefCell::default();
}

/// The error for an invalid pattern, in the parser's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PatternError {
    pub message: String,
}

/// The result of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tested {
    Yes,
    No,
    /// Not tested: the pattern could run for an unacceptably long time, in the agent as well.
    TooExpensive,
}

/// A JavaScript pattern as `new RegExp(text)` without flags compiles it.
#[derive(Debug, Clone)]
pub struct EcmaPattern(Rc<Compiled>);

#[derive(Debug)]
struct Compiled {
    /// The pattern for the linear-time engine. It is slow to compile and fast to test, so it is compiled only for
    /// frequent tests.
    linear: OnceCell<Option<regex::Regex>>,
    text: String,
    asked: Cell<u32>,
    backtracking: regress::Regex,
    hazard: Hazard,
}

impl Compiled {
    fn linear(&self) -> Option<&regex::Regex> {
        let compile =
            |translated: String| regex::RegexBuilder::new(&translated).unicode(true).size_limit(1 << 20).build().ok();
        self.linear.get_or_init(|| translate(&self.text).and_then(compile)).as_ref()
    }
}

impl EcmaPattern {
    /// Compiles a pattern like `new RegExp(text)`.
    ///
    /// # Errors
    /// Returns an error if JavaScript would throw a SyntaxError.
    pub fn new(text: &str) -> Result<EcmaPattern, PatternError> {
        KNOWN.with_borrow_mut(|known| {
            if let Some(compiled) = known.get(text) {
                return compiled.clone();
            }
            let compiled = EcmaPattern::compiled(text);
            if known.len() >= MOST {
                known.clear();
            }
            known.insert(text.to_owned(), compiled.clone());
            compiled
        })
    }

    fn compiled(text: &str) -> Result<EcmaPattern, PatternError> {
        let units = units(text)?.into_iter();
        let backtracking = regress::Regex::from_unicode(units, regress::Flags::default())
            .map_err(|e| PatternError { message: e.to_string() })?;
        Ok(EcmaPattern(Rc::new(Compiled {
            linear: OnceCell::new(),
            text: text.to_owned(),
            asked: Cell::new(0),
            backtracking,
            hazard: Hazard::of(text),
        })))
    }

    /// `pattern.test(subject)`.
    pub fn test(&self, subject: &str) -> Tested {
        let answer = |hit: bool| if hit { Tested::Yes } else { Tested::No };
        let often = self.0.asked.replace(self.0.asked.get().saturating_add(1)) >= SELDOM;
        let length = subject.encode_utf16().count();
        let cheap = length <= LONGEST && self.0.hazard.harmless(length);
        let plain = length == subject.chars().count();
        let linear = if plain && (often || !cheap) { self.0.linear() } else { None };
        if let Some(linear) = linear {
            return answer(linear.is_match(subject));
        }
        if !cheap {
            return Tested::TooExpensive;
        }
        let subject: Vec<u16> = subject.encode_utf16().collect();
        answer(self.0.backtracking.find_from_ucs2(&subject, 0).next().is_some())
    }

    /// Whether the pattern could make the agent hang.
    pub fn hazardous(&self) -> bool {
        self.0.hazard.explodes
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
            // The engine compares UTF-16 units, not characters.
            ("^..$", "😀", Tested::Yes),
            ("^[😀]$", "😀", Tested::No),
            ("a😀*b", "a\u{d7ff}b", Tested::No),
            ("^\\uD83D\\uDE00$", "😀", Tested::Yes),
            (r"\uD83D\uDE00?", "😁", Tested::Yes),
            // The letter `u` with a counted quantifier.
            (r"^\u{3}$", "uuu", Tested::Yes),
            (r"\u{41}", "A", Tested::No),
            (r"[\u{41}]", "{", Tested::Yes),
            (r"\u+041", "uu041", Tested::Yes),
            // Octal escapes, control letters, and escapes without a special meaning.
            (r"^\101\cA[\c_]\c\8\k$", "A\u{1}\u{1f}\\c8k", Tested::Yes),
            (r"^(?<\u{61}>x)\k<a>$", "xx", Tested::Yes),
            (r"\s", "\u{feff}", Tested::Yes),
            (r"\w\b", "é", Tested::No),
            (r"[\d-z]+$", "5-z", Tested::Yes),
            (r"(.*\1)>", "a>", Tested::Yes),
        ] {
            assert_eq!(EcmaPattern::new(pattern).map(|p| p.test(subject)), Ok(want), "{pattern} on {subject}");
        }
        for pattern in [
            "[",
            "(",
            "*Edit",
            "?",
            "a**",
            "(?i)bash",
            "(?P<n>x)",
            "Bash(*)",
            "x{2,1}",
            r"\b*",
            r"\B{2}",
            r"(?<n>a)[\k]",
            r"\u{2}{3}",
            "[😀-😎]",
        ] {
            assert!(EcmaPattern::new(pattern).is_err(), "{pattern}");
        }
    }

    /// Random patterns, with the results of Node.js 20.
    #[test]
    fn every_row_of_nodes_table() {
        let table = include_str!("../../../../tests/tables/javascript/regexp.jsonl");
        for row in table.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()) {
            let Ok(pattern) = EcmaPattern::new(row["pattern"].as_str().unwrap()) else {
                assert_eq!(row["valid"], false, "{row}");
                continue;
            };
            assert_ne!(row["valid"], false, "{row}");
            for (key, want) in [("finds", Tested::Yes), ("not", Tested::No)] {
                for subject in row[key].as_array().unwrap() {
                    assert_eq!(pattern.test(subject.as_str().unwrap()), want, "{row} on {subject}");
                }
            }
        }
    }

    #[test]
    fn hazards_are_refused_not_run() {
        let long = "a".repeat(60) + "!";
        for pattern in [r"(?=a)(a+)+$", r"(?=a)(a|a)*$", r"(?=a)a*a*a*a*$", r"(?=a)(a|a|a|a|a|a)*a$"] {
            let pattern = EcmaPattern::new(pattern).unwrap();
            assert_eq!(pattern.test(&long), Tested::TooExpensive);
            assert_eq!(pattern.test("aaa!"), Tested::No);
        }
        assert_eq!(EcmaPattern::new("(a+)+$").unwrap().test(&long), Tested::No);
        // Patterns that would use up all memory, independent of the subject.
        assert_eq!(EcmaPattern::new("(?:){1000000000}").unwrap().test(""), Tested::TooExpensive);
        assert_eq!(EcmaPattern::new("(.|){1001}(?<!a)").unwrap().test("aaa"), Tested::TooExpensive);
    }

    const TOKENS: [&str; 52] = [
        "a",
        "b",
        "A",
        "B",
        "_",
        ".",
        "a*",
        "b+",
        "[a-c]",
        "[^ab]",
        "[a-b_]",
        r"\d",
        r"\w+",
        r"\s",
        r"\b",
        r"\B",
        "(a|b)",
        "(?:ab)?",
        "a{1,2}",
        r"\.",
        "-",
        "|",
        "^",
        "$",
        "(",
        ")",
        " ",
        "[A-Z]",
        r"[\w.-]",
        "x?",
        "é",
        "{",
        "}",
        "]",
        "{2",
        "[]",
        "[^]",
        r"\x61",
        r"\u0062",
        r"\u{2}",
        r"\c",
        r"\cJ",
        r"[\c_\b]",
        r"\0",
        r"\60",
        r"\9",
        r"[\1-\7]",
        r"[\d-a]",
        "[[:a:]]",
        "[é-ÿ]+?",
        r"\S",
        "(?<n>a)?",
    ];

    proptest! {
        /// Both engines agree on every pattern that both accept.
        #[test]
        fn linear_equals_backtracking(
            tokens in prop::collection::vec(prop::sample::select(&TOKENS[..]), 0..8),
            subject in "[abABcu_ .1\n0\u{a0}é{\\]-]{0,10}",
        ) {
            let pattern = tokens.concat();
            if let Ok(compiled) = EcmaPattern::new(&pattern) {
                prop_assert!(compiled.0.linear().is_some(), "{pattern} is not translated");
                let units: Vec<u16> = subject.encode_utf16().collect();
                let slow = compiled.0.backtracking.find_from_ucs2(&units, 0).next().is_some();
                prop_assert_eq!(compiled.0.linear().is_some_and(|l| l.is_match(&subject)), slow, "{}", pattern);
            }
        }
    }
}

//! A JavaScript pattern that is compiled once and tested often.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::hazard::{CaptureGroups, Hazard, capture_groups, class_end, hex, is_quantifier, opens_named};
use super::translate::translate;

/// Longer subjects are not passed to the backtracking engine.
const MAX_BACKTRACKING_UNITS: usize = 1024;

/// After this many tests with the backtracking engine, the linear engine is compiled for the pattern.
const TESTS_BEFORE_LINEAR: u32 = 4;

/// Capacity of the cache of compiled patterns. Compiling dominates the cost, and planning tests the same few
/// patterns for every event.
const CACHE_CAPACITY: usize = 64;

thread_local! {
    /// A cache is safe because compiling depends only on the text.
    static CACHE: RefCell<HashMap<String, Result<EcmaPattern, PatternError>>> = RefCell::default();
}

/// The error for an invalid pattern, in the parser's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PatternError {
    pub message: String,
}

/// The result of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestResult {
    Yes,
    No,
    /// Not tested: the pattern could run for an unacceptably long time, in the agent as well.
    TooExpensive,
}

/// A JavaScript pattern as `new RegExp(text)` without flags compiles it.
#[derive(Debug, Clone)]
pub struct EcmaPattern(Rc<CompiledPattern>);

#[derive(Debug)]
struct CompiledPattern {
    /// The pattern for the linear-time engine. It is slow to compile and fast to test, so it is compiled only for
    /// frequent tests.
    linear: OnceCell<Option<regex::Regex>>,
    text: String,
    tests: Cell<u32>,
    backtracking: regress::Regex,
    hazard: Hazard,
}

impl CompiledPattern {
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
        CACHE.with_borrow_mut(|known| {
            if let Some(compiled) = known.get(text) {
                return compiled.clone();
            }
            let compiled = EcmaPattern::compile(text);
            if known.len() >= CACHE_CAPACITY {
                known.clear();
            }
            known.insert(text.to_owned(), compiled.clone());
            compiled
        })
    }

    fn compile(text: &str) -> Result<EcmaPattern, PatternError> {
        let units = to_units(text)?.into_iter();
        let backtracking = regress::Regex::from_unicode(units, regress::Flags::default())
            .map_err(|e| PatternError { message: e.to_string() })?;
        Ok(EcmaPattern(Rc::new(CompiledPattern {
            linear: OnceCell::new(),
            text: text.to_owned(),
            tests: Cell::new(0),
            backtracking,
            hazard: Hazard::analyze(text),
        })))
    }

    /// `pattern.test(subject)`.
    pub fn test(&self, subject: &str) -> TestResult {
        let answer = |hit: bool| if hit { TestResult::Yes } else { TestResult::No };
        let often = self.0.tests.replace(self.0.tests.get().saturating_add(1)) >= TESTS_BEFORE_LINEAR;
        let length = subject.encode_utf16().count();
        let cheap = length <= MAX_BACKTRACKING_UNITS && self.0.hazard.is_harmless_for(length);
        let plain = length == subject.chars().count();
        let linear = if plain && (often || !cheap) { self.0.linear() } else { None };
        if let Some(linear) = linear {
            return answer(linear.is_match(subject));
        }
        if !cheap {
            return TestResult::TooExpensive;
        }
        let subject: Vec<u16> = subject.encode_utf16().collect();
        answer(self.0.backtracking.find_from_ucs2(&subject, 0).next().is_some())
    }

    /// Whether the pattern could make the agent hang.
    pub fn is_hazardous(&self) -> bool {
        self.0.hazard.exponential
    }
}

// Corrects differences between the parser (`regress`) and JavaScript for patterns without flags: rejects what only
// the parser accepts, and rewrites what it interprets differently. The differences were found by comparing both on
// several hundred thousand patterns.

/// The pattern as UTF-16 units for the parser. JavaScript without the `u` flag works on units: `.` matches half of
/// an emoji.
///
/// # Errors
/// Returns an error if JavaScript rejects the pattern but the parser would accept it.
pub(super) fn to_units(pattern: &str) -> Result<Vec<u32>, PatternError> {
    let chars: Vec<char> = pattern.chars().collect();
    let CaptureGroups { named, .. } = capture_groups(&chars);
    let mut out = Vec::with_capacity(chars.len());
    let mut at = 0;
    // The end of the current class.
    let mut class = 0;
    // The open groups; capturing groups have a number.
    let mut open: Vec<Option<u32>> = Vec::new();
    let mut captured = 0;
    while let Some(&c) = chars.get(at) {
        let in_class = at < class;
        match (c, chars.get(at + 1)) {
            ('\\', Some('b' | 'B')) if !in_class && is_quantifier(&chars, at + 2) => {
                return Err(refused("nothing to repeat after \\b or \\B"));
            }
            ('\\', Some('k')) if in_class && named => {
                return Err(refused("\\k in a class, together with a named group"));
            }
            ('\\', Some('k')) if named => at = name(&chars, at, &mut out),
            ('\\', Some('u')) => {
                match hex(&chars, at + 2, 4) {
                    // Half of a surrogate pair is kept as a separate unit, whatever follows.
                    Some(unit) if (0xD800..0xE000).contains(&unit) => {
                        out.push(unit);
                        at += 6;
                    }
                    Some(_) => copy(&chars, &mut at, 6, &mut out),
                    // Without four digits, `\u` is the letter u: `\u{41}` is that letter 41 times.
                    None => {
                        out.push(u32::from('u'));
                        at += 2;
                    }
                }
            }
            ('\\', Some('1'..='9')) if !in_class && refers_to(&chars, at + 1, &open) => {
                // A reference to an open group matches the empty string. The parser's engine gets this wrong after
                // backtracking.
                out.extend("(?:)".chars().map(u32::from));
                at += 2 + chars.iter().skip(at + 2).take_while(|c| c.is_ascii_digit()).count();
            }
            ('\\', _) => copy(&chars, &mut at, 2, &mut out),
            ('(', next) if !in_class => {
                let named = opens_named(&chars, at);
                let captures = named || next != Some(&'?');
                captured += u32::from(captures);
                open.push(captures.then_some(captured));
                if named {
                    at = name(&chars, at, &mut out);
                } else {
                    copy(&chars, &mut at, 1, &mut out);
                }
            }
            (')', _) if !in_class => {
                open.pop();
                copy(&chars, &mut at, 1, &mut out);
            }
            ('[', _) if !in_class => {
                class = class_end(&chars, at + 1);
                copy(&chars, &mut at, 1, &mut out);
            }
            _ => copy(&chars, &mut at, 1, &mut out),
        }
    }
    Ok(out)
}

/// Whether the number at `at` refers to an open group.
fn refers_to(chars: &[char], at: usize, open: &[Option<u32>]) -> bool {
    let digits = chars.iter().skip(at).map_while(|c| c.to_digit(10));
    let number = digits.fold(0_u32, |value, digit| value.saturating_mul(10).saturating_add(digit));
    open.contains(&Some(number))
}

fn refused(message: &str) -> PatternError {
    PatternError { message: message.to_owned() }
}

fn copy(chars: &[char], at: &mut usize, count: usize, out: &mut Vec<u32>) {
    let end = chars.len().min(*at + count);
    for c in chars.get(*at..end).unwrap_or(&[]) {
        out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| u32::from(*unit)));
    }
    *at = end;
}

/// Copies everything through the `>` of a group's name. Names are parsed by characters and may contain `\u{…}`.
fn name(chars: &[char], at: usize, out: &mut Vec<u32>) -> usize {
    let rest = chars.get(at..).unwrap_or(&[]);
    let length = rest.iter().position(|c| *c == '>').map_or(rest.len(), |close| close + 1);
    out.extend(rest.iter().take(length).map(|c| u32::from(*c)));
    at + length
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn javascript_rules() {
        for (pattern, subject, want) in [
            ("Edit", "NotebookEdit", TestResult::Yes),
            ("^Edit$", "NotebookEdit", TestResult::No),
            ("(?<x>Edit)", "Edit", TestResult::Yes),
            ("^(?!Bash)", "Bash", TestResult::No),
            ("^(?!Bash)", "Read", TestResult::Yes),
            (r"\p{L}+", "Bash", TestResult::No),
            ("[[:alpha:]]+", "Bash", TestResult::No),
            (r"\A", "Bash", TestResult::No),
            (r"\A", "A", TestResult::Yes),
            ("a{,3}", "a{,3}", TestResult::Yes),
            (r"\bEdit\b", "Edit", TestResult::Yes),
            ("(?i:bash)", "Bash", TestResult::Yes),
            ("a.b", "a\nb", TestResult::No),
            ("", "x", TestResult::Yes),
            ("[^]", "\n", TestResult::Yes),
            ("[]", "x", TestResult::No),
            ("é", "café", TestResult::Yes),
            // The engine compares UTF-16 units, not characters.
            ("^..$", "😀", TestResult::Yes),
            ("^[😀]$", "😀", TestResult::No),
            ("a😀*b", "a\u{d7ff}b", TestResult::No),
            ("^\\uD83D\\uDE00$", "😀", TestResult::Yes),
            (r"\uD83D\uDE00?", "😁", TestResult::Yes),
            // The letter `u` with a counted quantifier.
            (r"^\u{3}$", "uuu", TestResult::Yes),
            (r"\u{41}", "A", TestResult::No),
            (r"[\u{41}]", "{", TestResult::Yes),
            (r"\u+041", "uu041", TestResult::Yes),
            // Octal escapes, control letters, and escapes without a special meaning.
            (r"^\101\cA[\c_]\c\8\k$", "A\u{1}\u{1f}\\c8k", TestResult::Yes),
            (r"^(?<\u{61}>x)\k<a>$", "xx", TestResult::Yes),
            (r"\s", "\u{feff}", TestResult::Yes),
            (r"\w\b", "é", TestResult::No),
            (r"[\d-z]+$", "5-z", TestResult::Yes),
            (r"(.*\1)>", "a>", TestResult::Yes),
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
            for (key, want) in [("finds", TestResult::Yes), ("not", TestResult::No)] {
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
            assert_eq!(pattern.test(&long), TestResult::TooExpensive);
            assert_eq!(pattern.test("aaa!"), TestResult::No);
        }
        assert_eq!(EcmaPattern::new("(a+)+$").unwrap().test(&long), TestResult::No);
        // Patterns that would use up all memory, independent of the subject.
        assert_eq!(EcmaPattern::new("(?:){1000000000}").unwrap().test(""), TestResult::TooExpensive);
        assert_eq!(EcmaPattern::new("(.|){1001}(?<!a)").unwrap().test("aaa"), TestResult::TooExpensive);
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

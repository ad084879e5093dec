//! Patterns that are compiled only if a text may match. A guard runs for each event, and compiling all patterns would
//! take longer than everything else.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::OnceLock;

use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};

/// A pattern of a rule. It matches bytes, and `i` and `\b` concern ASCII only.
pub struct Pattern {
    /// Every text that matches contains one of these. Empty if there are no such texts.
    needles: &'static [&'static str],
    source: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Creates a pattern.
    pub const fn new(needles: &'static [&'static str], source: &'static str) -> Pattern {
        Pattern { needles, source, compiled: OnceLock::new() }
    }

    /// Returns the compiled pattern if the text may match.
    pub fn regex(&self, text: &str) -> Option<&Regex> {
        if !self.needles.is_empty() && !contains_any(text, self.needles) {
            return None;
        }
        self.compiled()
    }

    fn compiled(&self) -> Option<&Regex> {
        // A test compiles every pattern.
        self.compiled.get_or_init(|| RegexBuilder::new(self.source).unicode(false).build().ok()).as_ref()
    }

    /// Whether a text matches.
    pub fn is_match(&self, text: &str) -> bool {
        self.regex(text).is_some_and(|regex| regex.is_match(text.as_bytes()))
    }

    /// Returns the matches, and searches only for those that the caller reads.
    pub fn ranges<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + use<'a> {
        ranges(self.regex(text), text)
    }

    /// Returns the matches in a text in which many patterns are searched for.
    pub fn ranges_in<'a>(&'a self, text: &SearchedText<'a>) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let may_match = self.needles.is_empty() || text.contains_any(self.needles);
        ranges(if may_match { self.compiled() } else { None }, text.text)
    }

    /// Returns the first match as text.
    pub fn first<'a>(&self, text: &'a str) -> Option<&'a str> {
        let found = self.regex(text)?.find(text.as_bytes())?;
        text.get(found.range())
    }

    /// Returns the text of a group of the first match.
    pub fn group<'a>(&self, text: &'a str, group: usize) -> Option<&'a str> {
        let captures = self.regex(text)?.captures(text.as_bytes())?;
        text.get(captures.get(group)?.range())
    }

    /// Whether the source is valid, for tests.
    #[cfg(test)]
    pub fn compiles(&self) -> bool {
        RegexBuilder::new(self.source).unicode(false).build().is_ok()
    }
}

fn ranges<'a>(regex: Option<&'a Regex>, text: &'a str) -> impl Iterator<Item = Range<usize>> + use<'a> {
    regex.into_iter().flat_map(|regex| regex.find_iter(text.as_bytes()).map(|found| found.range()))
}

/// Whether a text contains one of these. Several times as fast as `str::contains`, which counts for a whole file and
/// the sixty texts that the rules search for.
pub fn contains_any(text: &str, needles: &[&str]) -> bool {
    needles.iter().any(|needle| memmem::find(text.as_bytes(), needle.as_bytes()).is_some())
}

// A text in which a guard looks for many short texts, such as the content of a file. Few of them are there, so most are
// ruled out by the triples of characters that the text has, without reading it again.

/// The number of bits of the set of triples.
const BITS: usize = 1 << 16;

/// A text, with the values that are computed from it at most once.
pub struct SearchedText<'a> {
    pub text: &'a str,
    lower: OnceCell<String>,
    triples: OnceCell<Triples>,
}

impl<'a> SearchedText<'a> {
    pub fn new(text: &'a str) -> SearchedText<'a> {
        SearchedText { text, lower: OnceCell::new(), triples: OnceCell::new() }
    }

    /// Whether the text contains one of these.
    pub fn contains_any(&self, needles: &[&str]) -> bool {
        needles.iter().any(|needle| self.may_contain(needle) && contains_any(self.text, &[needle]))
    }

    /// Whether the text contains one of these, which are in lowercase. The case of ASCII letters is ignored.
    pub fn contains_any_ignoring_case(&self, needles: &[&str]) -> bool {
        let lower = || self.lower.get_or_init(|| self.text.to_ascii_lowercase());
        needles.iter().any(|needle| self.may_contain(needle) && contains_any(lower(), &[needle]))
    }

    fn may_contain(&self, needle: &str) -> bool {
        self.triples.get_or_init(|| Triples::of(self.text)).may_contain(needle)
    }
}

/// The set of all three characters that follow each other in a text, in which several triples share a bit.
struct Triples(Box<[u64]>);

impl Triples {
    fn of(text: &str) -> Triples {
        let mut bits = vec![0_u64; BITS / 64].into_boxed_slice();
        for at in places(text) {
            if let Some(word) = bits.get_mut(at / 64) {
                *word |= 1 << (at % 64);
            }
        }
        Triples(bits)
    }

    /// Whether a text may be there, in any case.
    fn may_contain(&self, needle: &str) -> bool {
        places(needle).all(|at| self.0.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1))
    }
}

/// The bits of a text's triples. A letter in uppercase counts as the same one in lowercase.
fn places(text: &str) -> impl Iterator<Item = usize> {
    let fold = |byte: u8| usize::from(byte | 0x20);
    let triples = text.as_bytes().windows(3).filter_map(|three| three.first_chunk::<3>());
    triples.map(move |&[a, b, c]| ((fold(a) << 10) ^ (fold(b) << 5) ^ fold(c)) % BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_contains_what_the_text_contains() {
        let text = "fn main() { let Ünï = EXAMPLE[0]; } // noqa: x || y\n";
        let searched = SearchedText::new(text);
        for start in 0..text.len() {
            for end in start..text.len() {
                let Some(needle) = text.get(start..end) else { continue };
                assert!(searched.contains_any(&["nowhere", needle]), "{needle:?}");
                assert!(searched.contains_any_ignoring_case(&["nowhere", &needle.to_ascii_lowercase()]), "{needle:?}");
            }
        }
        for (needle, exact, any_case) in
            [("example", false, true), ("EXAMPLE", true, false), ("&&", false, false), ("noqb", false, false)]
        {
            assert_eq!(searched.contains_any(&[needle]), exact, "{needle:?}");
            assert_eq!(searched.contains_any_ignoring_case(&[needle]), any_case, "{needle:?}");
        }
        assert!(!searched.contains_any(&[]));
    }

    #[test]
    fn most_texts_that_are_missing_are_ruled_out() {
        let text = include_str!("response.rs");
        let triples = Triples::of(text);
        let missing = ["eslint-disable", "@pytest.mark.", "NOSONAR", "github_pat_", "innerHTML", "continue-on-error"];
        assert_eq!(missing.map(|needle| triples.may_contain(needle)), [false; 6]);
    }
}

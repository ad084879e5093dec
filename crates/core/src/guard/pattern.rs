//! Patterns that are compiled only if a text may match. A guard runs for each event, and compiling all patterns would
//! take longer than everything else.

use std::ops::Range;
use std::sync::OnceLock;

use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};

use super::searched_text::SearchedText;

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

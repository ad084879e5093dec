//! Searching a text in lines. The search is case-insensitive unless the text contains a capital letter.

use std::ops::Range;

/// One match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchHit {
    /// The offset of its line in the stream.
    pub line: u64,
    /// The offset in the line's text, in bytes.
    pub from: usize,
}

/// Maximum number of matches.
const MOST: usize = 9_999;

/// The text and its matches.
#[derive(Debug, Clone, Default)]
pub struct StreamSearch {
    pub text: String,
    /// Whether the text is being typed.
    pub typing: bool,
    hits: Vec<SearchHit>,
    pub current: usize,
    /// Lines before this offset have been searched.
    pub searched: u64,
}

impl StreamSearch {
    /// Starts a search to be typed.
    pub fn begin() -> StreamSearch {
        StreamSearch { typing: true, ..StreamSearch::default() }
    }

    /// Starts a search for the same text in another stream.
    pub fn again(text: String) -> StreamSearch {
        StreamSearch { text, ..StreamSearch::default() }
    }

    /// Changes the text and discards the matches.
    pub fn set(&mut self, text: String) {
        *self = StreamSearch { text, typing: self.typing, ..StreamSearch::default() };
    }

    /// Discards the matches from an offset on, where the stream has changed.
    pub fn forget_from(&mut self, place: u64) {
        self.hits.retain(|h| h.line < place);
        self.searched = self.searched.min(place);
    }

    /// Discards matches that are no longer stored. The current match is kept if it still exists.
    pub fn forget_between(&mut self, from: u64, to: u64) {
        let gone = |h: &SearchHit| h.line >= from && h.line < to;
        let before = self.hits.iter().take(self.current).filter(|h| gone(h)).count();
        self.hits.retain(|h| !gone(h));
        self.current = (self.current - before).min(self.hits.len().saturating_sub(1));
    }

    /// Searches one line. A match may end in `behind`, the text after the line, but must begin in the line.
    pub fn search_line(&mut self, line: u64, text: &str, behind: &str) {
        let room = MOST.saturating_sub(self.hits.len());
        let joined = (!behind.is_empty()).then(|| format!("{text}{behind}"));
        let begins = ranges(&self.text, joined.as_deref().unwrap_or(text)).into_iter().filter(|r| r.start < text.len());
        self.hits.extend(begins.take(room).map(|r| SearchHit { line, from: r.start }));
    }

    /// The current match.
    pub fn hit(&self) -> Option<SearchHit> {
        self.hits.get(self.current).copied()
    }

    /// Selects the first match at or after a line, otherwise the first match.
    pub fn go_near(&mut self, line: u64) {
        self.current = self.hits.iter().position(|h| h.line >= line).unwrap_or(0);
    }

    /// Selects the next or previous match, wrapping around at the ends.
    pub fn step(&mut self, forward: bool) {
        let count = self.hits.len().max(1);
        self.current = if forward { (self.current + 1) % count } else { (self.current + count - 1) % count };
    }

    /// Whether a text was searched and not found.
    pub fn finds_nothing(&self) -> bool {
        !self.text.is_empty() && self.hits.is_empty()
    }

    /// The position in words, for example `3 of 12`.
    pub fn position_words(&self) -> String {
        match self.hits.len() {
            _ if self.text.is_empty() => String::new(),
            0 => "not found".to_owned(),
            count if count >= MOST => format!("{} of {count} or more", self.current + 1),
            count => format!("{} of {count}", self.current + 1),
        }
    }
}

/// The matches of a text in a line, without overlaps.
pub fn ranges(text: &str, line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if text.is_empty() || line.len() < text.len() {
        return found;
    }
    if text.chars().any(char::is_uppercase) {
        found.extend(line.match_indices(text).map(|(at, t)| at..at + t.len()));
        return found;
    }
    if line.is_ascii() {
        let (text, bytes) = (text.as_bytes(), line.as_bytes());
        let mut at = 0;
        while let Some(window) = bytes.get(at..at + text.len()) {
            if window.eq_ignore_ascii_case(text) {
                found.push(at..at + text.len());
                at += text.len();
            } else {
                at += 1;
            }
        }
        return found;
    }
    let folded: String = line.chars().map(fold).collect();
    found.extend(folded.match_indices(text).map(|(at, t)| at..at + t.len()));
    found
}

/// The lowercase letter if its encoding has the same length, so that offsets stay valid.
fn fold(c: char) -> char {
    let mut small = c.to_lowercase();
    match (small.next(), small.next()) {
        (Some(one), None) if one.len_utf8() == c.len_utf8() => one,
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found() {
        for (text, line, want) in [
            ("error", "An Error, an ERROR", &[(3, 8), (13, 18)][..]),
            ("Error", "An Error, an ERROR", &[(3, 8)]),
            ("aa", "aaaaa", &[(0, 2), (2, 4)]),
            ("", "abc", &[]),
            ("abcd", "abc", &[]),
            ("ä", "Ä und ä", &[(0, 2), (7, 9)]),
            ("straße", "Straße", &[(0, 7)]),
            ("日", "x日y日", &[(1, 4), (5, 8)]),
            ("İ", "İ", &[(0, 2)]),
        ] {
            let found: Vec<(usize, usize)> = ranges(text, line).into_iter().map(|r| (r.start, r.end)).collect();
            assert_eq!(found, want, "{text} in {line}");
        }
    }

    #[test]
    fn hits_are_walked_through_and_forgotten() {
        let mut search = StreamSearch::default();
        assert_eq!(search.position_words(), "");
        search.set("a".to_owned());
        assert_eq!(search.position_words(), "not found");
        search.step(true);
        for (line, text) in [(0, "a a"), (10, "b"), (20, "a")] {
            search.search_line(line, text, "");
        }
        assert_eq!((search.position_words().as_str(), search.hit()), ("1 of 3", Some(SearchHit { line: 0, from: 0 })));
        search.step(false);
        assert_eq!(search.hit(), Some(SearchHit { line: 20, from: 0 }));
        search.step(true);
        search.go_near(5);
        assert_eq!(search.position_words(), "3 of 3");
        search.forget_between(0, 10);
        assert_eq!((search.position_words().as_str(), search.hit()), ("1 of 1", Some(SearchHit { line: 20, from: 0 })));
        search.forget_from(20);
        assert_eq!(search.position_words(), "not found");
    }
}

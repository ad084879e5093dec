//! A text in which a guard looks for many short texts, such as the content of a file. Few of them are there, so most are
//! ruled out by the triples of characters that the text has, without reading it again.

use std::cell::OnceCell;

use super::pattern::contains_any;

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

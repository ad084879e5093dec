//! Characters that a reader takes for others: invisible ones, blanks that separate no words, and letters of one script in
//! words of another. In a question about a command they must be seen.

use std::borrow::Cow;

use super::terminal_escape::escape_for_terminal;

/// Writes control characters as text, as [`escape_for_terminal`] does, and every character that could be taken for
/// another one as `<U+0430>`.
pub fn mark_lookalikes(line: &str) -> String {
    escape_for_terminal(&replace_lookalikes(line))
}

/// The same with unchanged control characters, for a text that is escaped when it is displayed.
pub fn replace_lookalikes(line: &str) -> Cow<'_, str> {
    if line.is_ascii() {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (part, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        rest = after;
        let mixed = part.chars().any(|c| c.is_ascii_alphabetic());
        let imitates =
            !mixed && part.chars().any(is_imitation) && part.chars().all(|c| is_imitation(c) || !c.is_alphabetic());
        for c in part.chars() {
            if is_deceptive(c) || (mixed || imitates) && c.is_alphabetic() && is_foreign(c) {
                out.push_str(&format!("<U+{:04X}>", u32::from(c)));
            } else {
                out.push(c);
            }
        }
    }
    Cow::Owned(out)
}

/// Whether [`mark_lookalikes`] marks a character of a text.
pub fn has_lookalikes(line: &str) -> bool {
    replace_lookalikes(line) != line
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Invisible characters, blanks other than the usual one, and characters that look like ASCII in every word.
fn is_deceptive(c: char) -> bool {
    matches!(c,
        // Blanks and fillers.
        '\u{a0}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{1680}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{2000}'..='\u{200d}' | '\u{202f}' | '\u{205f}' | '\u{2800}' | '\u{3000}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{e0100}'..='\u{e01ef}'
        // Marks that strike through the character before them.
        | '\u{335}'..='\u{338}' | '\u{20d2}'..='\u{20e5}'
        // Punctuation that looks like that of a shell.
        | '\u{1c0}' | '\u{1c3}' | '\u{2b9}' | '\u{2bc}' | '\u{2c8}' | '\u{2cb}' | '\u{2d0}' | '\u{2d7}' | '\u{2f8}'
        | '\u{37e}' | '\u{589}' | '\u{5c3}' | '\u{2010}'..='\u{2012}' | '\u{2024}' | '\u{2032}' | '\u{2035}'
        | '\u{2043}' | '\u{2044}' | '\u{2052}' | '\u{204e}' | '\u{2212}' | '\u{2215}'..='\u{2217}' | '\u{2223}'
        | '\u{2236}' | '\u{223c}' | '\u{2768}'..='\u{2775}' | '\u{29f5}' | '\u{29f8}' | '\u{a4f8}' | '\u{a789}'
        | '\u{fe68}' | '\u{ff01}'..='\u{ff5e}'
        // Letters and digits in other shapes.
        | '\u{2100}'..='\u{214f}' | '\u{2160}'..='\u{217f}' | '\u{1d400}'..='\u{1d7ff}' | '\u{1f100}'..='\u{1f12b}'
        | '\u{e000}'..='\u{f8ff}')
}

/// Letters of scripts with many letters that look like Latin ones.
fn is_foreign(c: char) -> bool {
    matches!(c,
        '\u{250}'..='\u{2af}' | '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{52f}' | '\u{530}'..='\u{58f}'
        | '\u{10a0}'..='\u{10ff}' | '\u{13a0}'..='\u{13ff}' | '\u{1c80}'..='\u{1c8f}' | '\u{1d00}'..='\u{1dbf}'
        | '\u{1f00}'..='\u{1fff}' | '\u{2c80}'..='\u{2cff}' | '\u{2d00}'..='\u{2d2f}' | '\u{a4d0}'..='\u{a4ff}'
        | '\u{a640}'..='\u{a69f}' | '\u{ab30}'..='\u{abbf}' | '\u{10280}'..='\u{1044f}')
}

/// Letters that look exactly like Latin ones. A word that has only these letters counts as a disguise, too.
fn is_imitation(c: char) -> bool {
    "асеорхуіјѕһԁԛԝӏАВЕКМНОРСТХУІЈЅԌԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧοναυρϲϳ".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_looks_like_another_is_marked() {
        for (line, want) in [
            ("sh hooks/guard.sh --now", "sh hooks/guard.sh --now"),
            ("c\u{430}t /etc/x", "c<U+0430>t /etc/x"),
            ("\u{441}\u{430}t", "<U+0441><U+0430>t"),
            ("\u{440}\u{430}", "<U+0440><U+0430>"),
            ("rm\u{a0}-rf", "rm<U+00A0>-rf"),
            ("a\u{2800}b\u{3164}c\u{200d}", "a<U+2800>b<U+3164>c<U+200D>"),
            ("a\u{202e}b\u{1b}[2J", "a<U+202E>b^[[2J"),
            ("/usr\u{2215}bin\u{37e} \u{ff53}h", "/usr<U+2215>bin<U+037E> <U+FF53>h"),
            // Words of other languages, emoji and usual typography are not disguises.
            (
                "echo 'Привет, мир' 'καλημέρα' '日本語' 'naïve façade'",
                "echo 'Привет, мир' 'καλημέρα' '日本語' 'naïve façade'",
            ),
            ("echo “done” — 👍", "echo “done” — 👍"),
        ] {
            assert_eq!(mark_lookalikes(line), want);
            assert_eq!(has_lookalikes(line), want.contains("<U+") && !line.contains('\u{202e}'), "{want}");
        }
    }
}

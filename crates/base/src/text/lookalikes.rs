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
    let quotes = deceptive_quotes(line);
    while let Some(first) = rest.chars().next() {
        let is_quote = quotes.contains(&(line.len() - rest.len()));
        let length = if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (part, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        rest = after;
        let mixed = part.chars().any(|c| c.is_ascii_alphabetic());
        let imitates =
            !mixed && part.chars().any(is_imitation) && part.chars().all(|c| is_imitation(c) || !c.is_alphabetic());
        for c in part.chars() {
            if is_quote || is_deceptive(c) || (mixed || imitates) && c.is_alphanumeric() && is_foreign(c) {
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

/// The places of quotes of typography around an operator of a shell. For a shell they are letters, so it sees an operator
/// where a reader sees a quoted text.
fn deceptive_quotes(line: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut open = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        if is_quote_of_typography(c) {
            // Between two letters it is an apostrophe.
            match open.take() {
                Some(start) if line.get(start..at).is_some_and(|quoted| quoted.contains(is_operator)) => {
                    found.extend([start, at]);
                }
                _ if before.is_alphanumeric() => {}
                _ => open = Some(at),
            }
        }
        before = c;
    }
    found
}

fn is_quote_of_typography(c: char) -> bool {
    matches!(c, '\u{ab}' | '\u{b4}' | '\u{bb}' | '\u{2018}'..='\u{201f}' | '\u{2039}' | '\u{203a}' | '\u{301d}'..='\u{301f}')
}

fn is_operator(c: char) -> bool {
    matches!(c, ';' | '|' | '&' | '<' | '>' | '$' | '`' | '(' | '\n')
}

/// Invisible characters, blanks other than the usual one, and characters that look like ASCII in every word.
fn is_deceptive(c: char) -> bool {
    matches!(c,
        // Blanks and fillers.
        '\u{a0}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{1680}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{2000}'..='\u{200d}' | '\u{202f}' | '\u{205f}' | '\u{2800}' | '\u{3000}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{e0100}'..='\u{e01ef}'
        // Characters that only format others.
        | '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{8e2}' | '\u{110bd}' | '\u{110cd}'
        | '\u{13430}'..='\u{1345f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        // Marks that strike through the character before them.
        | '\u{335}'..='\u{338}' | '\u{20d2}'..='\u{20e5}'
        // Punctuation that looks like that of a shell.
        | '\u{1c0}' | '\u{1c3}' | '\u{2b9}' | '\u{2bc}' | '\u{2c8}' | '\u{2cb}' | '\u{2d0}' | '\u{2d7}' | '\u{2f8}'
        | '\u{37e}' | '\u{55a}' | '\u{589}' | '\u{5c3}' | '\u{703}' | '\u{7f4}' | '\u{7f5}' | '\u{1fbd}'..='\u{1fbf}'
        | '\u{1fef}' | '\u{1ffd}' | '\u{1ffe}' | '\u{2010}'..='\u{2012}' | '\u{2024}' | '\u{2032}' | '\u{2035}'
        | '\u{2043}' | '\u{2044}' | '\u{2052}' | '\u{204e}' | '\u{2212}' | '\u{2215}'..='\u{2217}' | '\u{2223}'
        | '\u{2236}' | '\u{223c}' | '\u{2571}' | '\u{2758}' | '\u{2768}'..='\u{2775}' | '\u{27cb}' | '\u{29f5}'
        | '\u{29f8}' | '\u{a4f8}' | '\u{a789}' | '\u{fe4d}'..='\u{fe6b}' | '\u{ff01}'..='\u{ff5e}' | '\u{ffe8}'
        // Letters and digits in other shapes, and two letters in one character.
        | '\u{17f}' | '\u{1c4}'..='\u{1cc}' | '\u{1f1}'..='\u{1f3}' | '\u{fb00}'..='\u{fb06}' | '\u{2100}'..='\u{214f}' | '\u{2160}'..='\u{217f}' | '\u{1d400}'..='\u{1d7ff}' | '\u{1f100}'..='\u{1f12b}'
        | '\u{e000}'..='\u{f8ff}')
}

/// Letters of other alphabets, and Latin letters that look like others. Not those of languages that write Latin words
/// without a blank beside their own, such as Chinese and Thai.
fn is_foreign(c: char) -> bool {
    match c {
        '\u{131}' | '\u{138}' | '\u{18d}' | '\u{196}' | '\u{1c0}'..='\u{1c3}' | '\u{237}' => true,
        '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{2070}'..='\u{2bff}' => false,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}' => false,
        '\u{2e80}'..='\u{a48f}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' => false,
        '\u{ff66}'..='\u{ffdc}' | '\u{1b000}'..='\u{1b16f}' | '\u{20000}'.. => false,
        _ => true,
    }
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
            (
                "g\u{131}t \u{fb01}nd ba\u{17f}h \u{7ca}s \u{661}s",
                "g<U+0131>t <U+FB01>nd ba<U+017F>h <U+07CA>s <U+0661>s",
            ),
            ("echo ‘ok; touch x’ “a” “b && c”", "echo <U+2018>ok; touch x<U+2019> “a” <U+201C>b && c<U+201D>"),
            ("echo \"Don’t; it’s no\" “yes”; echo 'a “b”'", "echo \"Don’t; it’s no\" “yes”; echo 'a “b”'"),
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

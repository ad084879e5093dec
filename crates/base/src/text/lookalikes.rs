//! Characters that a reader takes for others: invisible ones, blanks that separate no words, and letters of one script in
//! words of another. In a question about a command they must be seen.

use std::borrow::Cow;

use super::literal::char_to_surrogate;

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
    let mut before = None;
    while let Some(first) = rest.chars().next() {
        let is_quote = quotes.contains(&(line.len() - rest.len()));
        let length = if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (part, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        rest = after;
        let mixed = part.chars().any(|c| c.is_ascii_alphabetic());
        let imitates =
            !mixed && part.chars().any(is_imitation) && part.chars().all(|c| is_imitation(c) || !c.is_alphabetic());
        // Wide punctuation belongs to a text in Chinese or Japanese.
        let is_wide =
            is_wide_punctuation(first) && [before, rest.chars().next()].into_iter().flatten().any(is_wide_letter);
        before = part.chars().next_back();
        for c in part.chars() {
            if is_quote || is_deceptive(c) && !is_wide || (mixed || imitates) && c.is_alphanumeric() && is_foreign(c) {
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

fn is_wide_punctuation(c: char) -> bool {
    matches!(c, '\u{ff01}' | '\u{ff08}' | '\u{ff09}' | '\u{ff0c}' | '\u{ff1a}' | '\u{ff1b}' | '\u{ff1f}')
}

/// Letters of Chinese, Japanese and Korean.
fn is_wide_letter(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3fffd}')
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

/// Writes every control character as text (`^[`, `^G`, `<U+009B>`), so that it cannot move the cursor or set a
/// title. Tabs become spaces up to the next multiple of 8. The text must be one line.
pub fn escape_for_terminal(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut column = 0;
    for c in line.chars() {
        let before = out.len();
        match c {
            '\t' => out.extend(std::iter::repeat_n(' ', 8 - column % 8)),
            '\u{7f}' => out.push_str("^?"),
            c if c < ' ' => {
                out.push('^');
                out.push(char::from_u32(u32::from(c) + 0x40).unwrap_or('?'));
            }
            c if is_hidden(c) => {
                out.push_str(&format!("<U+{:04X}>", u32::from(c)));
            }
            c if char_to_surrogate(c).is_some() => out.push('\u{fffd}'),
            c => out.push(c),
        }
        column += out.get(before..).map_or(0, |added| added.chars().count());
    }
    out
}

/// C1 controls, bidirectional controls, line separators, and characters without width, which would be invisible.
/// Joiners and variation selectors are not included, because their effect is visible.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

/// Escapes the characters in JSON that are unsafe for a terminal. The JSON value is unchanged. A character that
/// represents half of a surrogate pair becomes the escape of that half. The text must be JSON from a serializer,
/// which escapes the other control characters itself.
pub fn escape_json_for_terminal(json: &str) -> Cow<'_, str> {
    let harms = |c: char| c == '\u{7f}' || is_hidden(c) || char_to_surrogate(c).is_some();
    let is_plain = json.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if is_plain || !json.contains(harms) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if let Some(unit) = char_to_surrogate(c) {
            out.push_str(&format!("\\u{unit:04x}"));
        } else if harms(c) {
            let mut units = [0; 2];
            out.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Makes each line safe, and keeps the line ends.
pub fn escape_lines_for_terminal(text: &str) -> String {
    let lines: Vec<String> =
        text.split('\n').map(|line| escape_for_terminal(line.strip_suffix('\r').unwrap_or(line))).collect();
    lines.join("\n")
}

/// Joins several lines into a safe single line, with a slash for each line end.
pub fn one_line(text: &str) -> String {
    escape_for_terminal(&text.trim_end_matches('\n').replace("\r\n", "\n").replace('\n', " / "))
}

/// The text, truncated to `most` characters.
pub fn truncate(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
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
            ("echo '完了，次へ（ここ）：続く！'", "echo '完了，次へ（ここ）：続く！'"),
            ("echo a\u{ff0c}b \u{ff08}c", "echo a<U+FF0C>b <U+FF08>c"),
        ] {
            assert_eq!(mark_lookalikes(line), want);
            assert_eq!(has_lookalikes(line), want.contains("<U+") && !line.contains('\u{202e}'), "{want}");
        }
    }
}

#[cfg(test)]
mod terminal_escape_tests {
    use super::{escape_for_terminal, escape_json_for_terminal, escape_lines_for_terminal, one_line};

    #[test]
    fn nothing_reaches_the_terminal() {
        for (line, want) in [
            ("plain é 😀", "plain é 😀"),
            ("\u{1b}[2J\u{7}", "^[[2J^G"),
            ("a\tb", "a       b"),
            ("\u{9b}31m\u{202e}x\r", "<U+009B>31m<U+202E>x^M"),
            ("rm\u{200b} -rf\u{2060}\u{feff}", "rm<U+200B> -rf<U+2060><U+FEFF>"),
            ("a\u{2028}b\u{61c}c\u{e0041}", "a<U+2028>b<U+061C>c<U+E0041>"),
            ("a\u{10f800}b", "a\u{fffd}b"),
            ("👩\u{200d}👧 1\u{fe0f}\u{20e3} 🇩🇪 e\u{301}", "👩\u{200d}👧 1\u{fe0f}\u{20e3} 🇩🇪 e\u{301}"),
        ] {
            assert_eq!(escape_for_terminal(line), want);
        }
    }

    #[test]
    fn lines_are_joined() {
        assert_eq!(one_line("a\nb\r\nc\n"), "a / b / c");
        assert_eq!(escape_lines_for_terminal("a\u{1b}\nb\r\n\u{202e}c\n"), "a^[\nb\n<U+202E>c\n");
    }

    #[test]
    fn json_says_the_same_and_harms_nobody() {
        for text in [
            "plain ä 🦀",
            "\u{1b}]52;c\u{7}",
            "\u{9b}2J",
            "\u{202e}rm",
            "\u{7f}",
            "\u{e0041}",
            "a\\\u{200b}b",
            "\u{2028}",
        ] {
            let json = serde_json::json!({ text: text }).to_string();
            let harmless = escape_json_for_terminal(&json);
            assert!(harmless.chars().all(|c| c >= ' ' && c != '\u{7f}' && !super::is_hidden(c)), "{harmless}");
            let read = |json: &str| serde_json::from_str::<serde_json::Value>(json).unwrap_or_default();
            assert_eq!(read(&harmless), read(&json));
        }
        assert_eq!(escape_json_for_terminal("\"a\u{10f800}b\""), r#""a\ud800b""#);
        assert_eq!(escape_json_for_terminal("{\"a\":\"\u{e0041}\"}"), r#"{"a":"\udb40\udc41"}"#);
    }
}

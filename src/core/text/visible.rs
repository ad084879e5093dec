//! Text from outside, made harmless for a terminal.

/// The same text with every control character spelt out (`^[`, `^G`, `<U+009B>`), so that it can neither move a cursor
/// nor set a title. Tabs become spaces up to the next multiple of 8; the text must be one line.
pub fn visible(line: &str) -> String {
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
            c => out.push(c),
        }
        column += out.get(before..).map_or(0, |added| added.chars().count());
    }
    out
}

/// C1 controls, what reorders the text around it, what ends lines unseen, and what takes no room, so that nobody would
/// know it is there. What joins emoji and letters, and what chooses between their forms, is seen by its effect.
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

/// Several lines as one harmless one, with a slash where a line ends.
pub fn one_line(text: &str) -> String {
    visible(&text.trim_end_matches('\n').replace("\r\n", "\n").replace('\n', " / "))
}

/// The beginning of a text, where it is longer than so many characters.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::{one_line, visible};

    #[test]
    fn nothing_reaches_the_terminal() {
        for (line, want) in [
            ("plain é 😀", "plain é 😀"),
            ("\u{1b}[2J\u{7}", "^[[2J^G"),
            ("a\tb", "a       b"),
            ("\u{9b}31m\u{202e}x\r", "<U+009B>31m<U+202E>x^M"),
            ("rm\u{200b} -rf\u{2060}\u{feff}", "rm<U+200B> -rf<U+2060><U+FEFF>"),
            ("a\u{2028}b\u{61c}c\u{e0041}", "a<U+2028>b<U+061C>c<U+E0041>"),
            ("👩\u{200d}👧 1\u{fe0f}\u{20e3} 🇩🇪 e\u{301}", "👩\u{200d}👧 1\u{fe0f}\u{20e3} 🇩🇪 e\u{301}"),
        ] {
            assert_eq!(visible(line), want);
        }
    }

    #[test]
    fn lines_are_joined() {
        assert_eq!(one_line("a\nb\r\nc\n"), "a / b / c");
    }
}

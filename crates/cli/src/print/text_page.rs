//! A page of text: optional colour, and aligned columns.

use std::io::IsTerminal as _;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use hookbench_core::decide::Verdict;
use hookbench_core::dialects;
use hookbench_core::text::{one_line, replace_lookalikes};

/// Maximum number of characters shown of one line of output: endless output may have no line breaks.
const LONGEST: usize = 400;

/// The meaning of a piece of text. Colour is never the only sign of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Strong,
    Quiet,
    Good,
    Bad,
    Warn,
}

/// A page that is being built.
pub struct TextPage {
    text: String,
    colour: bool,
    /// Whether characters that look like others are marked.
    marks: bool,
}

impl TextPage {
    /// Creates a page for stdout.
    pub fn new() -> TextPage {
        let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|t| t == "dumb");
        let forced = std::env::var_os("CLICOLOR_FORCE").is_some_and(|v| !v.is_empty() && v != "0");
        let colour = !set("NO_COLOR") && (forced || (std::io::stdout().is_terminal() && !dumb));
        TextPage { text: String::new(), colour, marks: false }
    }

    /// Creates a page about settings, where a character that looks like another one is marked.
    pub fn about_settings() -> TextPage {
        TextPage { marks: true, ..TextPage::new() }
    }

    /// The displayed text.
    pub fn shown(&self, text: &str) -> String {
        if self.marks { one_line(&replace_lookalikes(text)) } else { one_line(text) }
    }

    /// Adds a piece of a line. Control characters are escaped.
    pub fn put(&mut self, tone: Tone, text: &str) -> &mut TextPage {
        let text = self.shown(text);
        let code = match tone {
            Tone::Plain => "",
            Tone::Strong => "1",
            Tone::Quiet => "2",
            Tone::Good => "32",
            Tone::Bad => "1;31",
            Tone::Warn => "33",
        };
        if self.colour && !code.is_empty() && !text.is_empty() {
            self.text.push_str(&format!("\u{1b}[{code}m{text}\u{1b}[0m"));
        } else {
            self.text.push_str(&text);
        }
        self
    }

    /// Adds a piece that is padded to at least `width` columns. A longer piece keeps one space.
    pub fn cell(&mut self, tone: Tone, text: &str, width: usize) -> &mut TextPage {
        let used = self.shown(text).width();
        self.put(tone, text);
        self.text.extend(std::iter::repeat_n(' ', width.saturating_sub(used).max(1)));
        self
    }

    /// Ends the line and removes trailing spaces.
    pub fn end(&mut self) -> &mut TextPage {
        while self.text.ends_with(' ') {
            self.text.pop();
        }
        self.text.push('\n');
        self
    }

    /// Adds up to `most` lines, each with the prefix `before`, and the number of lines left out.
    pub fn block(&mut self, before: &str, tone: Tone, text: &str, most: usize) {
        let lines: Vec<&str> = text.lines().collect();
        for line in lines.iter().take(most) {
            let shown: String = line.chars().take(LONGEST).collect();
            self.put(Tone::Quiet, before).put(tone, &shown);
            if shown.len() < line.len() {
                self.put(Tone::Quiet, &format!(" … {} more bytes", line.len() - shown.len()));
            }
            self.end();
        }
        if lines.len() > most {
            self.put(Tone::Quiet, before).put(Tone::Quiet, &format!("… {} more lines", lines.len() - most)).end();
        }
    }

    /// Returns the text.
    pub fn finish(self) -> String {
        self.text
    }
}

/// Returns the width of the widest text, up to a maximum.
pub fn column<'a>(texts: impl Iterator<Item = &'a str>, most: usize) -> usize {
    texts.map(|t| one_line(t).width()).max().unwrap_or(0).min(most)
}

/// Returns the tone of a verdict.
pub fn verdict_tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Deny | Verdict::FailedClosed => Tone::Bad,
        Verdict::Allow => Tone::Good,
        Verdict::Ask | Verdict::Unknown | Verdict::FailedOpen => Tone::Warn,
        Verdict::NotRun | Verdict::NoObjection => Tone::Strong,
    }
}

/// Returns the name of an agent, from its id.
pub fn agent_name(id: &str) -> &str {
    dialects::by_id(id).map_or(id, |dialect| dialect.name())
}

/// Returns the first `most` names, and the number of the others.
pub fn listed(names: &[String], most: usize) -> String {
    let first = names.iter().take(most).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(most) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// Returns the text on one line, cut to `width` columns.
pub fn cut(text: &str, width: usize) -> String {
    let text = one_line(text);
    if text.width() <= width {
        return text;
    }
    let mut out = String::new();
    for c in text.chars() {
        if out.width() + c.width().unwrap_or(0) + 1 > width {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

/// Returns a number of bytes for people: three digits are enough.
pub fn byte_size(count: u64) -> String {
    match count {
        n if n >= 10 << 20 => format!("{} MB", n >> 20),
        n if n >= 10 << 10 => format!("{} kB", n >> 10),
        n => format!("{n} bytes"),
    }
}

/// Wraps a text at spaces to at most `width` characters a line. A longer word gets its own line. Returns at least
/// one line.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{TextPage, Tone, wrap};

    #[test]
    fn columns_never_touch() {
        let mut page = TextPage::new();
        page.cell(Tone::Plain, "ab", 4).cell(Tone::Plain, "longer", 4).put(Tone::Plain, "end").end();
        assert_eq!(page.text, "ab  longer end\n");
    }

    #[test]
    fn words_wrap() {
        for (text, width, want) in [
            ("", 10, vec![""]),
            ("one two three", 7, vec!["one two", "three"]),
            ("one two three", 8, vec!["one two", "three"]),
            ("one two three", 13, vec!["one two three"]),
            ("a-very-long-word b", 5, vec!["a-very-long-word", "b"]),
        ] {
            assert_eq!(wrap(text, width), want, "{text}");
        }
    }
}

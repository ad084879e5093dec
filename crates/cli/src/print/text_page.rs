//! A page of toned lines with aligned columns, printed as text with optional colour, as Markdown, or as one HTML file.

use std::borrow::Cow;
use std::io::IsTerminal as _;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::html;
use super::lines::{PageForm, PageStyle, TonedText, is_title, origin, plain_line, sections};
use hookbench_core::decide::Verdict;
use hookbench_core::dialects;
use hookbench_core::recorded::redact_text;
use hookbench_core::text::{one_line, replace_lookalikes};

pub use super::lines::Tone;

/// Maximum number of characters shown of one line of output: endless output may have no line breaks.
const LONGEST: usize = 400;

/// A page that is being built.
pub struct TextPage {
    lines: Vec<Vec<TonedText>>,
    /// The line that is not ended yet.
    line: Vec<TonedText>,
    style: PageStyle,
    colour: bool,
    /// Whether characters that look like others are marked.
    marks: bool,
}

impl TextPage {
    /// Creates a page of text for stdout.
    pub fn new() -> TextPage {
        TextPage::styled(PageStyle::TEXT)
    }

    /// Creates a page in this style for stdout.
    pub fn styled(style: PageStyle) -> TextPage {
        let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|t| t == "dumb");
        let forced = std::env::var_os("CLICOLOR_FORCE").is_some_and(|v| !v.is_empty() && v != "0");
        let colour = !set("NO_COLOR") && (forced || (std::io::stdout().is_terminal() && !dumb));
        TextPage { lines: Vec::new(), line: Vec::new(), style, colour, marks: false }
    }

    /// Creates a page about settings, where a character that looks like another one is marked.
    pub fn about_settings() -> TextPage {
        let mut page = TextPage::new();
        page.mark_lookalikes();
        page
    }

    /// Marks characters that look like others from here on.
    pub fn mark_lookalikes(&mut self) {
        self.marks = true;
    }

    /// The displayed text.
    pub fn shown(&self, text: &str) -> String {
        let text = self.masked(text);
        if self.marks { one_line(&replace_lookalikes(&text)) } else { one_line(&text) }
    }

    /// The text without what looks like a secret, if the page masks. A text of several lines is masked before it is divided.
    pub fn masked<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let masked = if self.style.masks { redact_text(text) } else { None };
        masked.map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// Whether the page is to be given to others, so that it says what a terminal's user knows.
    pub fn is_for_others(&self) -> bool {
        self.style.form != PageForm::Text
    }

    /// Adds a piece of a line. Control characters are escaped.
    pub fn put(&mut self, tone: Tone, text: &str) -> &mut TextPage {
        let text = self.shown(text);
        self.line.push(TonedText { tone, text, width: 0 });
        self
    }

    /// Adds a piece that is padded to at least `width` columns. A longer piece keeps one space.
    pub fn cell(&mut self, tone: Tone, text: &str, width: usize) -> &mut TextPage {
        let text = self.shown(text);
        // A cell ends in a space at least.
        self.line.push(TonedText { tone, width: width.max(text.width() + 1), text });
        self
    }

    /// Ends the line.
    pub fn end(&mut self) -> &mut TextPage {
        self.lines.push(std::mem::take(&mut self.line));
        self
    }

    /// Adds up to `most` lines, each with the prefix `before`, and the number of lines left out.
    pub fn block(&mut self, before: &str, tone: Tone, text: &str, most: usize) {
        let text = self.masked(text);
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

    /// Returns the page in its form.
    pub fn finish(mut self) -> String {
        let unended = !self.line.is_empty();
        if unended {
            self.end();
        }
        match self.style.form {
            PageForm::Markdown => return render(&self.lines, self.style.masks),
            PageForm::Html => return html::render(&self.lines, self.style.masks),
            PageForm::Text => {}
        }
        let mut text = String::new();
        for line in &self.lines {
            for piece in line {
                self.write(piece, &mut text);
            }
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
        }
        if unended {
            text.pop();
        }
        text
    }

    fn write(&self, piece: &TonedText, out: &mut String) {
        let code = match piece.tone {
            Tone::Plain => "",
            Tone::Strong => "1",
            Tone::Quiet => "2",
            Tone::Good => "32",
            Tone::Bad => "1;31",
            Tone::Warn => "33",
        };
        if self.colour && !code.is_empty() && !piece.text.is_empty() {
            out.push_str(&format!("\u{1b}[{code}m{}\u{1b}[0m", piece.text));
        } else {
            out.push_str(&piece.text);
        }
        out.extend(std::iter::repeat_n(' ', piece.width.saturating_sub(piece.text.width())));
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

/// The characters that begin something in a line of Markdown.
const SPECIAL: [char; 14] = ['\\', '`', '*', '_', '{', '}', '[', ']', '<', '>', '#', '|', '~', '&'];

/// Renders the lines of a page.
pub fn render(lines: &[Vec<TonedText>], masks: bool) -> String {
    let mut out = String::new();
    for (index, section) in sections(lines).enumerate() {
        let (title, rest) = match section {
            [first, rest @ ..] if index == 0 || is_title(first) => (Some(first), rest),
            all => (None, all),
        };
        if let Some(title) = title {
            let level = if index == 0 { "###" } else { "####" };
            out.push_str(&format!("{level} {}\n\n", escape(plain_line(title).trim())));
        }
        if !rest.is_empty() {
            out.push_str(&fenced(&rest.iter().map(|line| plain_line(line)).collect::<Vec<_>>()));
        }
    }
    out + &format!("_{}_\n", escape(&origin(masks)))
}

/// The lines in a fence that is longer than any run of backticks in them.
fn fenced(lines: &[String]) -> String {
    let runs = lines.iter().flat_map(|line| line.split(|c| c != '`'));
    let fence = "`".repeat(runs.map(str::len).max().unwrap_or(0).max(2) + 1);
    // The indent that all lines have says nothing.
    let indent = lines.iter().map(|line| line.len() - line.trim_start_matches(' ').len()).min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().filter_map(|line| line.get(indent..)).collect();
    format!("{fence}text\n{}\n{fence}\n\n", lines.join("\n"))
}

fn escape(text: &str) -> String {
    text.chars().flat_map(|c| SPECIAL.contains(&c).then_some('\\').into_iter().chain([c])).collect()
}

#[cfg(test)]
mod tests {
    use super::{TextPage, Tone, wrap};

    #[test]
    fn columns_never_touch() {
        let mut page = TextPage::new();
        page.cell(Tone::Plain, "ab", 4).cell(Tone::Plain, "longer", 4).put(Tone::Plain, "end").end();
        assert_eq!(page.finish(), "ab  longer end\n");
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

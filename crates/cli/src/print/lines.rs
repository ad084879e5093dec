//! The lines of a page, in whatever form it is printed.

use unicode_width::UnicodeWidthStr as _;

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

/// The form in which a page is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageForm {
    Text,
    Markdown,
    Html,
}

/// The form of a page, and whether it masks values that look like secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageStyle {
    pub form: PageForm,
    pub masks: bool,
}

impl PageStyle {
    /// The style of a terminal: nothing is masked.
    pub const TEXT: PageStyle = PageStyle { form: PageForm::Text, masks: false };
}

/// A piece of a line. A cell is padded to its width in columns; the width of any other piece is 0.
pub struct TonedText {
    pub tone: Tone,
    pub text: String,
    pub width: usize,
}

/// The text of a line without its tones.
pub fn plain_line(line: &[TonedText]) -> String {
    let padded =
        |piece: &TonedText| format!("{}{}", piece.text, " ".repeat(piece.width.saturating_sub(piece.text.width())));
    line.iter().map(padded).collect::<String>().trim_end().to_owned()
}

/// Whether a line is the title of the lines below it: its first words are strong and are not indented by more than a space.
pub fn is_title(line: &[TonedText]) -> bool {
    let spaces = plain_line(line).len() - plain_line(line).trim_start().len();
    let first = line.iter().find(|piece| !piece.text.trim().is_empty());
    spaces <= 1 && first.is_some_and(|piece| piece.tone == Tone::Strong && piece.width == 0)
}

/// The parts of a page: lines without an empty line between them.
pub fn sections(lines: &[Vec<TonedText>]) -> impl Iterator<Item = &[Vec<TonedText>]> {
    let is_empty = |line: &Vec<TonedText>| line.iter().all(|piece| piece.text.trim().is_empty());
    lines.split(is_empty).filter(|section| !section.is_empty())
}

/// The last line of a page for others.
pub fn origin(masks: bool) -> String {
    let secrets = if masks { "values that look like secrets are masked" } else { "nothing is masked" };
    format!("hookbench {}; {secrets}", env!("CARGO_PKG_VERSION"))
}

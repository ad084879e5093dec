//! The rows of a band: a word, a sentence, and a text on the right.

use indexmap::IndexMap;
use ratatui::style::Style;

use hookbench_core::hook::DefinitionId;

/// One row: a word on the left, a sentence, and a text on the right.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BandRow {
    pub word: String,
    pub style: Style,
    pub parts: Vec<BandPart>,
    pub right: String,
    /// Keeps the right part even if the sentence has to be cut.
    pub keep_right: bool,
    /// Gets free rows before the others, and drops its right part before its sentence is cut.
    pub is_text: bool,
    /// A style that draws attention to the right part; `None` for the quiet default.
    pub right_style: Option<Style>,
    /// The number of further rows of its kind; it takes space from the sentence at any width.
    pub count: String,
    /// The hook that the row describes; the first one, if the row is about several.
    pub hook: Option<DefinitionId>,
    /// The number of hooks that the row is about.
    pub hooks: usize,
}

/// One part of a row's sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct BandPart {
    pub style: Style,
    pub text: String,
    /// The shorter text used if the row does not fit.
    pub short: Option<String>,
}

impl From<(Style, String)> for BandPart {
    fn from((style, text): (Style, String)) -> BandPart {
        BandPart { style, text, short: None }
    }
}

/// The rows of the band.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    pub rows: Vec<BandRow>,
}

/// Width in columns below which places are hidden.
pub(super) const NARROW: u16 = 60;

/// A row with an empty right side.
pub fn row(word: &str, style: Style, parts: Vec<(Style, String)>) -> BandRow {
    let parts = parts.into_iter().map(BandPart::from).collect();
    BandRow { word: word.to_owned(), style, parts, hooks: 1, ..BandRow::default() }
}

/// The row of one hook, with the cause of its state and the hook's name.
pub(super) struct CauseRow {
    pub cause: String,
    pub label: String,
    pub row: BandRow,
}

/// Merges the rows of hooks with the same cause. The first part of a row, the hook's name, gets the number of hooks.
pub(super) fn merge_causes(rows: impl IntoIterator<Item = CauseRow>) -> Vec<BandRow> {
    let mut merged: IndexMap<String, (BandRow, Vec<String>)> = IndexMap::new();
    for CauseRow { cause, label, row } in rows {
        let (first, labels) = merged.entry(cause).or_insert_with(|| (BandRow { hooks: 0, ..row }, Vec::new()));
        first.hooks += 1;
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    let described = merged.into_values().map(|(mut row, labels)| {
        let hooks = row.hooks;
        if let Some(name) = row.parts.first_mut().filter(|_| hooks > 1) {
            name.text = match labels.as_slice() {
                [label] => format!("{label} ({hooks} hooks)"),
                _ => format!("{} and {} more", name.text, hooks - 1),
            };
        }
        row
    });
    described.collect()
}

/// A part that follows a name; less space is left between them in a narrow terminal.
pub(super) fn following_part(style: Style, text: &str) -> BandPart {
    BandPart { style, text: format!("   {text}"), short: Some(format!("  {text}")) }
}

//! Keys and verbs of a layer of the screen: a popup, a text that is typed, or the page.

use crate::theme::Theme;

/// The letter that says yes to every question. It means nothing else in the program, so a stray key never agrees.
pub const YES: char = 'Y';

/// A key and its verb.
pub type LayerKey = (String, String);

/// The keys of a layer whose keys are fixed.
pub fn fixed_keys(keys: &[(&str, &str)]) -> Vec<LayerKey> {
    keys.iter().map(|(key, label)| ((*key).to_owned(), (*label).to_owned())).collect()
}

/// The keys while a text is typed.
pub fn typing_keys(apply: &str, cancel: &str) -> Vec<LayerKey> {
    fixed_keys(&[("Enter", apply), ("Esc", cancel), ("Ctrl+U", "clear")])
}

/// The arrows up and down.
pub fn arrows(theme: Theme) -> &'static str {
    if theme.unicode { "↑↓" } else { "Up Down" }
}

/// The keys of a question.
pub fn answers(yes: &str, no: &str) -> Vec<LayerKey> {
    vec![(YES.to_string(), yes.to_owned()), ("n".to_owned(), no.to_owned())]
}

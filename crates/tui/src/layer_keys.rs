//! Keys and verbs of a layer of the screen: a popup, a text that is typed, or the page.

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

//! The format of a file, by its extension.

/// Whether a file is TOML, by its extension.
pub fn is_toml(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending == "toml")
}

/// Whether a file is JSON, by its extension.
pub fn is_json(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending == "json")
}

//! The language of a file, by its extension.

/// A language that rules distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceLanguage {
    Python,
    JavaScript,
    Rust,
    Go,
    Java,
    Shell,
    Yaml,
    Php,
    Ruby,
    Other,
}

impl SourceLanguage {
    /// Returns the language of a file.
    pub fn of(path: &str) -> SourceLanguage {
        let base = path.rsplit('/').next().unwrap_or(path);
        match base.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase().as_str() {
            "py" | "pyi" | "ipynb" => SourceLanguage::Python,
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" => {
                SourceLanguage::JavaScript
            }
            "rs" => SourceLanguage::Rust,
            "go" => SourceLanguage::Go,
            "java" | "kt" | "scala" | "cs" => SourceLanguage::Java,
            "sh" | "bash" | "zsh" | "ksh" => SourceLanguage::Shell,
            "yml" | "yaml" => SourceLanguage::Yaml,
            "php" => SourceLanguage::Php,
            "rb" => SourceLanguage::Ruby,
            _ => SourceLanguage::Other,
        }
    }
}

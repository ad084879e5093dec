//! The language of a file, by its extension.

/// A language that rules distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
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

impl Language {
    /// Returns the language of a file.
    pub fn of(path: &str) -> Language {
        let base = path.rsplit('/').next().unwrap_or(path);
        match base.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase().as_str() {
            "py" | "pyi" | "ipynb" => Language::Python,
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" => Language::JavaScript,
            "rs" => Language::Rust,
            "go" => Language::Go,
            "java" | "kt" | "scala" | "cs" => Language::Java,
            "sh" | "bash" | "zsh" | "ksh" => Language::Shell,
            "yml" | "yaml" => Language::Yaml,
            "php" => Language::Php,
            "rb" => Language::Ruby,
            _ => Language::Other,
        }
    }
}

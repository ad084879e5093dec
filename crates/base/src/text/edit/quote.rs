//! Quoting of strings for JSON, TOML and YAML.

use crate::text::quote_literal;

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    Json,
    Toml,
    /// The front matter of a Markdown file.
    Yaml,
}

impl FileFormat {
    /// Returns the format for a file name.
    pub fn from_path(path: &str) -> FileFormat {
        match path.rsplit('.').next() {
            Some("toml") => FileFormat::Toml,
            Some("md" | "yaml" | "yml") => FileFormat::Yaml,
            _ => FileFormat::Json,
        }
    }
}

/// Quotes a text that replaces `before`, in the same quoting style if possible.
pub fn quote_like(text: &str, before: &str, form: FileFormat) -> String {
    let plain = !text.chars().any(char::is_control);
    match form {
        FileFormat::Json => double_quoted(text),
        FileFormat::Toml if before.starts_with('\'') && !text.contains('\'') && plain => format!("'{text}'"),
        FileFormat::Toml => double_quoted(text),
        FileFormat::Yaml if before.starts_with('"') || !plain => double_quoted(text),
        FileFormat::Yaml if !before.starts_with('\'') && is_plain_yaml(text) => text.to_owned(),
        FileFormat::Yaml => format!("'{}'", text.replace('\'', "''")),
    }
}

/// Quotes with double quotes. TOML and YAML read the escapes of JSON the same way.
fn double_quoted(text: &str) -> String {
    quote_literal(text).replace('\u{7f}', "\\u007f")
}

/// Whether YAML reads a text without quotes as that string.
fn is_plain_yaml(text: &str) -> bool {
    let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        && !words.contains(&text.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_as_before() {
        for (text, before, form, want) in [
            ("^(Edit|Bash)$", "\"Edit\"", FileFormat::Json, "\"^(Edit|Bash)$\""),
            ("a\\b\"c", "\"\"", FileFormat::Json, "\"a\\\\b\\\"c\""),
            ("a\\b", "'x'", FileFormat::Toml, "'a\\b'"),
            ("it's", "'x'", FileFormat::Toml, "\"it's\""),
            ("a\\b", "\"x\"", FileFormat::Toml, "\"a\\\\b\""),
            ("Bash", "Edit", FileFormat::Yaml, "Bash"),
            ("true", "Edit", FileFormat::Yaml, "'true'"),
            ("a|b", "Edit", FileFormat::Yaml, "'a|b'"),
            ("it's", "'x'", FileFormat::Yaml, "'it''s'"),
            ("a\\b", "\"x\"", FileFormat::Yaml, "\"a\\\\b\""),
            ("", "x", FileFormat::Yaml, "''"),
        ] {
            assert_eq!(quote_like(text, before, form), want, "{text} for {before} in {form:?}");
        }
    }

    #[test]
    fn quoted_text_parses_back() {
        use crate::text::{NodeValue, SourceId, parse_json, parse_yaml};
        use toml_edit::Document;
        for text in [
            "", "^(a|b)$", "'\"\\", "#x", ": ", "- a", "\t\n", "é😀", "null", "1", "\u{7f}", "{a}", "*", "&x", "!x",
            "%", "@",
        ] {
            for before in ["x", "'x'", "\"x\""] {
                let json = format!("{{\"m\": {}}}", quote_like(text, before, FileFormat::Json));
                let json = parse_json(SourceId(0), &json, crate::text::JsonSyntax::default()).unwrap().to_value();
                assert_eq!(json["m"], text, "{text:?} for {before}");
                let yaml = format!("m: {}\n", quote_like(text, before, FileFormat::Yaml));
                let yaml = parse_yaml(SourceId(0), &yaml, 0).unwrap();
                let is = matches!(&yaml.get("m").unwrap().value, NodeValue::String(found) if found == text);
                assert!(is, "{text:?} for {before}: {yaml:?}");
                if before != "x" {
                    let toml = format!("m = {}\n", quote_like(text, before, FileFormat::Toml));
                    let toml = Document::parse(toml).unwrap();
                    assert_eq!(toml.get("m").and_then(|m| m.as_str()), Some(text), "{text:?} for {before}");
                }
            }
        }
    }
}

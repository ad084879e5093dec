//! Quoting of strings for JSON, TOML and YAML.

use serde_json::Value;

use crate::text::stringify;

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Json,
    Toml,
    /// The front matter of a Markdown file.
    Yaml,
}

impl Form {
    /// Returns the format for a file name.
    pub fn of(path: &str) -> Form {
        match path.rsplit('.').next() {
            Some("toml") => Form::Toml,
            Some("md" | "yaml" | "yml") => Form::Yaml,
            _ => Form::Json,
        }
    }
}

/// Quotes a text that replaces `before`, in the same quoting style if possible.
pub fn quoted(text: &str, before: &str, form: Form) -> String {
    let plain = !text.chars().any(char::is_control);
    match form {
        Form::Json => double(text),
        Form::Toml if before.starts_with('\'') && !text.contains('\'') && plain => format!("'{text}'"),
        Form::Toml => double(text),
        Form::Yaml if before.starts_with('"') || !plain => double(text),
        Form::Yaml if !before.starts_with('\'') && bare(text) => text.to_owned(),
        Form::Yaml => format!("'{}'", text.replace('\'', "''")),
    }
}

/// Quotes with double quotes. TOML and YAML read the escapes of JSON the same way.
fn double(text: &str) -> String {
    stringify(&Value::from(text)).replace('\u{7f}', "\\u007f")
}

/// Whether YAML reads a text without quotes as that string.
fn bare(text: &str) -> bool {
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
            ("^(Edit|Bash)$", "\"Edit\"", Form::Json, "\"^(Edit|Bash)$\""),
            ("a\\b\"c", "\"\"", Form::Json, "\"a\\\\b\\\"c\""),
            ("a\\b", "'x'", Form::Toml, "'a\\b'"),
            ("it's", "'x'", Form::Toml, "\"it's\""),
            ("a\\b", "\"x\"", Form::Toml, "\"a\\\\b\""),
            ("Bash", "Edit", Form::Yaml, "Bash"),
            ("true", "Edit", Form::Yaml, "'true'"),
            ("a|b", "Edit", Form::Yaml, "'a|b'"),
            ("it's", "'x'", Form::Yaml, "'it''s'"),
            ("a\\b", "\"x\"", Form::Yaml, "\"a\\\\b\""),
            ("", "x", Form::Yaml, "''"),
        ] {
            assert_eq!(quoted(text, before, form), want, "{text} for {before} in {form:?}");
        }
    }

    #[test]
    fn every_text_comes_back_from_toml_and_yaml() {
        use crate::text::{NodeValue, SourceId, parse_json, parse_yaml};
        use toml_edit::Document;
        for text in [
            "", "^(a|b)$", "'\"\\", "#x", ": ", "- a", "\t\n", "é😀", "null", "1", "\u{7f}", "{a}", "*", "&x", "!x",
            "%", "@",
        ] {
            for before in ["x", "'x'", "\"x\""] {
                let json = format!("{{\"m\": {}}}", quoted(text, before, Form::Json));
                let json = parse_json(SourceId(0), &json, crate::text::Syntax::default()).unwrap().to_value();
                assert_eq!(json["m"], text, "{text:?} for {before}");
                let yaml = format!("m: {}\n", quoted(text, before, Form::Yaml));
                let yaml = parse_yaml(SourceId(0), &yaml, 0).unwrap();
                let is = matches!(&yaml.get("m").unwrap().value, NodeValue::String(found) if found == text);
                assert!(is, "{text:?} for {before}: {yaml:?}");
                if before != "x" {
                    let toml = format!("m = {}\n", quoted(text, before, Form::Toml));
                    let toml = Document::parse(toml).unwrap();
                    assert_eq!(toml.get("m").and_then(|m| m.as_str()), Some(text), "{text:?} for {before}");
                }
            }
        }
    }
}

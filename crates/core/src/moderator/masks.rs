//! Masks secrets in text that goes to a model or into a log: those that are recognized, and the values of the user's own
//! variables.

use crate::recorded::{MASK, redact_text};

/// The minimum length of a value of an environment variable that is looked for.
const MIN_VALUE: usize = 6;

/// Whether the value of a variable with this name is a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["token", "secret", "passw", "api_key", "apikey"].iter().any(|part| name.contains(part))
}

/// Masks everything that looks like a secret, and `known` values wherever they are.
pub fn mask_secrets(text: &str, known: &[String]) -> String {
    let mut clean = redact_text(text).unwrap_or_else(|| text.to_owned());
    for value in known.iter().filter(|value| value.len() >= MIN_VALUE) {
        if clean.contains(value.as_str()) {
            clean = clean.replace(value.as_str(), MASK);
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_and_code_stays() {
        let known = ["hunter22".to_owned(), "abc".to_owned()];
        for (text, want) in [
            ("curl -H 'Authorization: Bearer abcdef123456'", "curl -H 'Authorization: Bearer [masked]'"),
            ("export GITHUB_TOKEN=abc123def", "export GITHUB_TOKEN=[masked]"),
            ("API_KEY: 'a b c'", "API_KEY: [masked]"),
            ("password = \"x\\\"y\"", "password = [masked]"),
            ("git clone https://me:pass1@host/x", "git clone https://me:[masked]@host/x"),
            ("tool --token abcdef123", "tool --token [masked]"),
            ("it said hunter22 twice: hunter22", "it said [masked] twice: [masked]"),
            ("AKIAABCDEFGHIJKLMNOP", "[masked]"),
            ("mysql -phunter2 shop", "mysql -p[masked] shop"),
            ("mongodb+srv://me:pw@host/x", "mongodb+srv://me:[masked]@host/x"),
            // These are not secrets.
            ("let token = next();", "let token = next();"),
            ("abc is short", "abc is short"),
            ("echo $API_KEY", "echo $API_KEY"),
            ("max_tokens: 300", "max_tokens: 300"),
            ("password=\"$PASS\"", "password=[masked]"),
            ("a token, a secret", "a token, a secret"),
        ] {
            assert_eq!(mask_secrets(text, &known), want, "{text}");
        }
        for (name, want) in [("GH_TOKEN", true), ("db_passwd", true), ("OPENAI_API_KEY", true), ("PATH", false)] {
            assert_eq!(is_secret_name(name), want, "{name}");
        }
    }
}

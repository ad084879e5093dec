//! The patterns of `allowedHttpHookUrls`. Measured on 2.1.332: 210 patterns and URLs.
//!
//! The agent reads a pattern as a URL in which `*` is a part of a name: scheme, host, port and path are compared one by
//! one, so a `*` never crosses from one into the next. What is not a URL even then is compared as text, and there a `*`
//! stops at each slash.

use super::glob::matches_wildcards;
use super::url::{self, Url};

/// The letter that replaces a `*` while a host is checked.
const STAND_IN: &str = "z";

/// Whether a pattern matches a URL.
pub fn matches_pattern(pattern: &str, url: &str) -> bool {
    if pattern == "*" {
        return true;
    }
    let Some(url) = Url::parse(url) else { return false };
    match UrlPattern::parse(pattern) {
        Some(pattern) => pattern.matches(&url),
        None => matches_between_slashes(pattern, &url.href()),
    }
}

/// A pattern that is a URL.
struct UrlPattern {
    /// `None` matches every scheme.
    scheme: Option<String>,
    host: String,
    port: PortPattern,
    /// `None` matches every path.
    path: Option<String>,
}

enum PortPattern {
    Any,
    Exactly(Option<u16>),
}

impl UrlPattern {
    fn parse(pattern: &str) -> Option<UrlPattern> {
        let text = url::clean(pattern);
        let (scheme, rest) = match text.strip_prefix("*://") {
            Some(rest) => (None, rest),
            None => {
                let (scheme, rest) = text.split_once(':')?;
                url::split_scheme(&format!("{}:", scheme.replace('*', STAND_IN)))?;
                (Some(scheme.to_ascii_lowercase()), rest)
            }
        };
        let (authority, path) = url::split_authority(rest);
        let (host, port) = url::split_port(authority)?;
        url::normal_host(&host.replace('*', STAND_IN))?;
        // A name with a wildcard is compared without changes.
        let host = if host.contains('*') { host.to_lowercase() } else { url::normal_host(host)? };
        let default = scheme.as_deref().and_then(url::default_port);
        let port = match port {
            Some("*") => PortPattern::Any,
            port => match url::parse_port(port)?.filter(|port| Some(*port) != default) {
                None if host.contains('*') => PortPattern::Any,
                port => PortPattern::Exactly(port),
            },
        };
        let has_path = !matches!(path, "" | "?");
        Some(UrlPattern { scheme, host, port, path: has_path.then(|| url::normal_path(path)) })
    }

    fn matches(&self, url: &Url) -> bool {
        let without_dot = |host: &str| host.strip_suffix('.').unwrap_or(host).to_owned();
        self.scheme.as_ref().is_none_or(|scheme| *scheme == url.scheme)
            && matches_wildcards(&without_dot(&self.host), &without_dot(&url.host))
            && match self.port {
                PortPattern::Any => true,
                PortPattern::Exactly(port) => port == url.port,
            }
            && self.path.as_ref().is_none_or(|path| matches_wildcards(path, &url.path))
    }
}

/// Whether a text matches a pattern in which `*` matches any text without a slash.
fn matches_between_slashes(pattern: &str, text: &str) -> bool {
    let (patterns, texts): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), text.split('/').collect());
    patterns.len() == texts.len() && patterns.iter().zip(texts).all(|(pattern, text)| matches_wildcards(pattern, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Measured on 2.1.332: each line is a pattern, a URL, and whether the agent sends the request.
    #[test]
    fn what_the_program_allows() {
        let mut wrong = Vec::new();
        for line in include_str!("../../../../tests/tables/claude/allowed-urls.jsonl").lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = |key: &str| row[key].as_str().unwrap();
            if matches_pattern(text("pattern"), text("url")) != (row["allowed"] == true) {
                wrong.push(line);
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    proptest! {
        #[test]
        fn any_text(a in ".{0,30}", b in ".{0,30}") {
            let _ = matches_pattern(&a, &b);
        }
    }
}

//! URLs as far as hooks need them: validation, host, and allow-list patterns.

use super::glob::matches_wildcards;

/// The parts of a URL that rules depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// The scheme in lower case, without the colon.
    pub scheme: String,
    /// The host in lower case, without a trailing dot; empty if the scheme has no host.
    pub host: String,
    /// The port and everything after it, as written.
    pub rest: String,
}

impl Url {
    /// Parses a URL roughly like `new URL(text)`. Returns `None` if that would throw.
    pub fn parse(text: &str) -> Option<Url> {
        let text = text.trim_matches(|c: char| c <= ' ');
        let (scheme, rest) = text.split_once(':')?;
        let letters = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
        if !letters {
            return None;
        }
        let scheme = scheme.to_ascii_lowercase();
        if !matches!(scheme.as_str(), "http" | "https" | "ws" | "wss" | "ftp") {
            return Some(Url { scheme, host: String::new(), rest: rest.to_owned() });
        }
        let rest = rest.trim_start_matches(['/', '\\']);
        let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end)?;
        let address = authority.rsplit('@').next().unwrap_or(authority);
        let (host, port) = match address.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
            Some((inside, port)) => (format!("[{inside}]"), port.to_owned()),
            None => match address.split_once(':') {
                Some((host, port)) => (host.to_owned(), format!(":{port}")),
                None => (address.to_owned(), String::new()),
            },
        };
        let number = port.strip_prefix(':').unwrap_or("");
        let port_is_good = number.is_empty() || number.parse::<u16>().is_ok();
        let bad = |c: char| c <= ' ' || matches!(c, '<' | '>' | '^' | '|' | '%' | '"' | '`' | '{' | '}');
        if host.is_empty() || host.contains(bad) || !port_is_good {
            return None;
        }
        let host = host.to_lowercase();
        let host = host.strip_suffix('.').unwrap_or(&host).to_owned();
        Some(Url { scheme, host, rest: format!("{port}{path}") })
    }
}

/// Whether a URL matches a pattern of `allowedHttpHookUrls`. `*` matches any text; the host's case and a trailing
/// dot are ignored (spec §1.1).
pub fn matches_pattern(pattern: &str, url: &str) -> bool {
    matches_wildcards(&normalize(pattern), &normalize(url))
}

/// Returns a URL with scheme and host in lower case, without the host's trailing dot.
fn normalize(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if port.chars().all(|c| c.is_ascii_digit() || c == '*') => (host, format!(":{port}")),
        _ => (authority, String::new()),
    };
    let host = host.to_lowercase();
    let host = host.strip_suffix('.').unwrap_or(&host);
    // An empty path is `/`, unless the pattern has a star at that position.
    let path = if path.is_empty() && !authority.ends_with('*') { "/" } else { path };
    format!("{}://{host}{port}{path}", scheme.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_a_url() {
        for text in ["http://127.0.0.1:9/x", "https://a.b", "HTTP://A.B:80", "http:/x", "mailto:x", "http://[::1]:8/"] {
            assert!(Url::parse(text).is_some(), "{text}");
        }
        for text in
            ["not a url", "", "x", "http://", "http://a b", "http://a:99999/", "1http://x", "/path", "http://a:b"]
        {
            assert!(Url::parse(text).is_none(), "{text}");
        }
        let url = Url::parse("HTTPS://u@Hooks.Example.COM.:8/a?b").unwrap();
        let want = Url { scheme: "https".to_owned(), host: "hooks.example.com".to_owned(), rest: ":8/a?b".to_owned() };
        assert_eq!(url, want);
    }

    #[test]
    fn patterns() {
        for (pattern, url, want) in [
            ("https://hooks.example.com/*", "https://hooks.example.com/x", true),
            ("https://hooks.example.com/*", "http://127.0.0.1:9/hook/a", false),
            ("https://HOOKS.example.com/*", "https://hooks.example.com./x", true),
            ("http://127.0.0.1:*", "http://127.0.0.1:9/hook/a", true),
            ("http://127.0.0.1:*/hook/*", "http://127.0.0.1:9/hook/a", true),
            ("https://example.com", "https://example.com/", true),
            ("https://example.com/A", "https://example.com/a", false),
            ("*", "https://example.com/", true),
        ] {
            assert_eq!(matches_pattern(pattern, url), want, "{pattern} {url}");
        }
    }

    proptest! {
        #[test]
        fn any_text(a in ".{0,30}", b in ".{0,30}") {
            let _ = (Url::parse(&a), matches_pattern(&a, &b));
        }
    }
}

//! URLs as `new URL(text)` reads them, as far as hooks need it.

use super::glob::matches_wildcards;

/// The parts of a URL, normalized.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// The scheme in lower case, without the colon.
    pub scheme: String,
    /// The host in lower case; empty if the scheme has no host.
    pub host: String,
    /// The port, unless it is that of the scheme.
    pub port: Option<u16>,
    /// The path and the query.
    pub path: String,
}

impl Url {
    /// Parses a URL. Returns `None` if that would throw.
    pub fn parse(text: &str) -> Option<Url> {
        let text = clean(text);
        let (scheme, rest) = split_scheme(&text)?;
        let scheme = scheme.to_ascii_lowercase();
        let Some(default) = default_port(&scheme) else {
            return Some(Url { scheme, host: String::new(), port: None, path: rest.to_owned() });
        };
        let (authority, path) = split_authority(rest);
        let (host, port) = split_port(authority)?;
        let port = parse_port(port)?.filter(|port| *port != default);
        Some(Url { scheme, host: normal_host(host)?, port, path: normal_path(path) })
    }

    /// Returns the whole URL without its user and its fragment.
    pub fn href(&self) -> String {
        let port = self.port.map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}://{}{port}{}", self.scheme, self.host, self.path)
    }
}

/// Returns a text without blanks at its ends, tabs, line breaks and fragment.
pub fn clean(text: &str) -> String {
    let text = text.trim_matches(|c: char| c <= ' ').replace(['\t', '\n', '\r'], "");
    text.split('#').next().unwrap_or("").to_owned()
}

/// Splits a text at the colon of its scheme.
pub fn split_scheme(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    is_scheme.then_some((scheme, rest))
}

/// The port of a scheme whose URLs have a host.
pub fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        "ftp" => Some(21),
        _ => None,
    }
}

/// Splits what follows a scheme into the authority, without the user, and the rest.
pub fn split_authority(rest: &str) -> (&str, &str) {
    let rest = rest.trim_start_matches(['/', '\\']);
    let end = rest.find(['/', '\\', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    (authority.rsplit('@').next().unwrap_or(authority), path)
}

/// Splits an authority into host and port. The port is `None` without a colon.
pub fn split_port(authority: &str) -> Option<(&str, Option<&str>)> {
    if authority.starts_with('[') {
        let (host, port) = authority.split_at_checked(authority.find(']')? + 1)?;
        return match port.strip_prefix(':') {
            Some(port) => Some((host, Some(port))),
            None => port.is_empty().then_some((host, None)),
        };
    }
    Some(authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port))))
}

/// Reads a port. The outer `None` is an error.
#[allow(clippy::option_option, reason = "an absent port is valid, and the default of the scheme counts")]
pub fn parse_port(port: Option<&str>) -> Option<Option<u16>> {
    match port.unwrap_or("") {
        "" => Some(None),
        digits if digits.bytes().all(|c| c.is_ascii_digit()) => digits.parse().ok().map(Some),
        _ => None,
    }
}

/// Returns a host in lower case. Numbers become an IPv4 address, and other letters than ASCII become punycode.
pub fn normal_host(host: &str) -> Option<String> {
    let bad = |c: char| c <= ' ' || matches!(c, '<' | '>' | '^' | '|' | '%' | '"' | '`' | '{' | '}' | '\\');
    if host.is_empty() || host.contains(bad) {
        return None;
    }
    if let Some(address) = host.strip_prefix('[') {
        let address: std::net::Ipv6Addr = address.strip_suffix(']')?.parse().ok()?;
        return Some(format!("[{address}]"));
    }
    let labels: Vec<String> = host.to_lowercase().split('.').map(to_ascii).collect();
    let host = labels.join(".");
    let named = host.strip_suffix('.').unwrap_or(&host);
    if is_number(named.rsplit('.').next().unwrap_or("")) { ipv4(named) } else { Some(host) }
}

/// Whether a label makes the host an IPv4 address.
fn is_number(label: &str) -> bool {
    let hex = label.strip_prefix("0x").is_some_and(|digits| digits.bytes().all(|c| c.is_ascii_hexdigit()));
    !label.is_empty() && (hex || label.bytes().all(|c| c.is_ascii_digit()))
}

/// Reads an IPv4 address of one to four numbers, each decimal, octal or hexadecimal.
fn ipv4(host: &str) -> Option<String> {
    let number = |label: &str| match label.strip_prefix("0x") {
        Some("") => Some(0),
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if label.len() > 1 && label.starts_with('0') => u64::from_str_radix(label, 8).ok(),
        None => label.parse().ok(),
    };
    let numbers: Vec<u64> = host.split('.').map(number).collect::<Option<_>>()?;
    let (last, first) = numbers.split_last()?;
    let room = 4u32.checked_sub(u32::try_from(first.len()).ok()?)?;
    if room == 0 || first.iter().any(|part| *part > 255) || *last >= 256u64.pow(room) {
        return None;
    }
    let high = first.iter().zip([24, 16, 8]).map(|(part, shift)| part << shift).sum::<u64>();
    let address = std::net::Ipv4Addr::from(u32::try_from(high + last).ok()?);
    Some(address.to_string())
}

/// Returns a label of a host as punycode (RFC 3492) if it has other letters than ASCII.
fn to_ascii(label: &str) -> String {
    if label.is_ascii() {
        return label.to_owned();
    }
    let letters: Vec<u32> = label.chars().map(u32::from).collect();
    let mut out: String = label.chars().filter(char::is_ascii).collect();
    let basic = u32::try_from(out.len()).unwrap_or(u32::MAX);
    if basic > 0 {
        out.push('-');
    }
    let (mut next, mut delta, mut bias, mut handled) = (128u32, 0u32, 72u32, basic);
    while (handled as usize) < letters.len() {
        let Some(smallest) = letters.iter().copied().filter(|c| *c >= next).min() else { break };
        delta = delta.saturating_add((smallest - next).saturating_mul(handled + 1));
        next = smallest;
        for letter in &letters {
            if *letter < next {
                delta = delta.saturating_add(1);
            }
            if *letter == next {
                let (mut rest, mut step) = (delta, 36u32);
                loop {
                    let least = step.saturating_sub(bias).clamp(1, 26);
                    if rest < least {
                        break;
                    }
                    out.push(punycode_digit(least + (rest - least) % (36 - least)));
                    rest = (rest - least) / (36 - least);
                    step += 36;
                }
                out.push(punycode_digit(rest));
                let first = handled == basic;
                let mut scaled = delta / if first { 700 } else { 2 };
                scaled += scaled / (handled + 1);
                let mut steps = 0;
                while scaled > 455 {
                    scaled /= 35;
                    steps += 36;
                }
                bias = steps + 36 * scaled / (scaled + 38);
                delta = 0;
                handled += 1;
            }
        }
        delta = delta.saturating_add(1);
        next += 1;
    }
    format!("xn--{out}")
}

fn punycode_digit(digit: u32) -> char {
    char::from_digit(digit.wrapping_sub(26), 10)
        .filter(|_| digit >= 26)
        .or_else(|| char::from_u32(digit + u32::from('a')))
        .unwrap_or('a')
}

/// Returns a path and a query with dot segments resolved and other characters than ASCII encoded.
pub fn normal_path(text: &str) -> String {
    let (path, query) = text.split_once('?').map_or((text, None), |(path, query)| (path, Some(query)));
    let mut parts: Vec<&str> = Vec::new();
    let path = path.replace('\\', "/");
    let segments: Vec<&str> = path.strip_prefix('/').unwrap_or(&path).split('/').collect();
    for (index, segment) in segments.iter().enumerate() {
        let dots = segment.to_ascii_lowercase().replace("%2e", ".");
        match dots.as_str() {
            ".." => {
                parts.pop();
            }
            "." => {}
            _ => {
                parts.push(segment);
                continue;
            }
        }
        if index + 1 == segments.len() {
            parts.push("");
        }
    }
    let encoded = |text: &str, special: &str| -> String {
        let encode = |c: char| c <= ' ' || c > '~' || special.contains(c);
        let mut out = String::new();
        for c in text.chars() {
            if encode(c) {
                let mut buffer = [0; 4];
                out.extend(c.encode_utf8(&mut buffer).bytes().map(|byte| format!("%{byte:02X}")));
            } else {
                out.push(c);
            }
        }
        out
    };
    let mut out = format!("/{}", encoded(&parts.join("/"), "\"<>`{}^"));
    if let Some(query) = query.filter(|query| !query.is_empty()) {
        out.push('?');
        out.push_str(&encoded(query, "\"<>'"));
    }
    out
}

// The patterns of `allowedHttpHookUrls`. Measured on 2.1.332: 210 patterns and URLs.
//
// The agent reads a pattern as a URL in which `*` is a part of a name: scheme, host, port and path are compared one by
// one, so a `*` never crosses from one into the next. What is not a URL even then is compared as text, and there a `*`
// stops at each slash.

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
        let text = clean(pattern);
        let (scheme, rest) = match text.strip_prefix("*://") {
            Some(rest) => (None, rest),
            None => {
                let (scheme, rest) = text.split_once(':')?;
                split_scheme(&format!("{}:", scheme.replace('*', STAND_IN)))?;
                (Some(scheme.to_ascii_lowercase()), rest)
            }
        };
        let (authority, path) = split_authority(rest);
        let (host, port) = split_port(authority)?;
        normal_host(&host.replace('*', STAND_IN))?;
        // A name with a wildcard is compared without changes.
        let host = if host.contains('*') { host.to_lowercase() } else { normal_host(host)? };
        let default = scheme.as_deref().and_then(default_port);
        let port = match port {
            Some("*") => PortPattern::Any,
            port => match parse_port(port)?.filter(|port| Some(*port) != default) {
                None if host.contains('*') => PortPattern::Any,
                port => PortPattern::Exactly(port),
            },
        };
        let has_path = !matches!(path, "" | "?");
        Some(UrlPattern { scheme, host, port, path: has_path.then(|| normal_path(path)) })
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
    }

    #[test]
    fn normal_forms() {
        for (text, want) in [
            ("HTTPS://u@Hooks.Example.COM:8/a?b#c", "https://hooks.example.com:8/a?b"),
            ("http://127.1:80", "http://127.0.0.1/"),
            ("http://2130706433/../x/./y/..", "http://127.0.0.1/x/"),
            ("http:\\\\0x7f.0.0.1\\a b", "http://127.0.0.1/a%20b"),
            ("http://münchen.test/ü?ö", "http://xn--mnchen-3ya.test/%C3%BC?%C3%B6"),
            ("http://bücher.日本語.test", "http://xn--bcher-kva.xn--wgv71a119e.test/"),
            ("http://[0:0:0:0:0:0:0:1]:8080/*", "http://[::1]:8080/*"),
        ] {
            assert_eq!(Url::parse(text).map(|url| url.href()).as_deref(), Some(want), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text(text in ".{0,30}") {
            let _ = (Url::parse(&text), to_ascii(&text), normal_path(&text));
        }
    }
}

#[cfg(test)]
mod allowed_urls_tests {
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

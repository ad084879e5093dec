//! The addresses that HTTP hooks may not reach (spec §8.3), and the host of a URL by the WHATWG rules.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use hookbench_base::run::Network;

const METADATA: [([u8; 4], u8); 2] = [([169, 254, 169, 254], 32), ([100, 100, 100, 200], 32)];

const PRIVATE: [([u8; 4], u8); 6] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 168, 0, 0], 16),
];

/// Returns the refused networks: always those of cloud metadata, and private ones unless they are allowed.
/// Loopback is never refused.
pub fn refused_networks(allow_private: bool) -> Vec<Network> {
    let mut out = Vec::new();
    let v4: &[([u8; 4], u8)] = if allow_private { &METADATA } else { &PRIVATE };
    for (octets, prefix) in METADATA.iter().filter(|_| !allow_private).chain(v4) {
        let address = Ipv4Addr::from(*octets);
        out.push(Network { address: IpAddr::V4(address), prefix: *prefix });
        out.push(Network { address: IpAddr::V6(address.to_ipv6_mapped()), prefix: prefix + 96 });
    }
    if !allow_private {
        for (address, prefix) in [
            (Ipv6Addr::UNSPECIFIED, 128),
            (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7),
            (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10),
        ] {
            out.push(Network { address: IpAddr::V6(address), prefix });
        }
    }
    out
}

/// The host of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Host {
    Name(String),
    Address(IpAddr),
}

/// Parses the host as `new URL(text)` does. Returns `None` if the text is not a URL. Non-ASCII names stay as
/// written.
pub fn parse_host(url: &str) -> Option<Host> {
    let url = url.trim_matches(|c: char| c <= ' ');
    let url: String = url.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    let (scheme, rest) = url.split_once(':')?;
    let scheme = scheme.to_ascii_lowercase();
    let valid = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    if !valid {
        return None;
    }
    let special = matches!(scheme.as_str(), "http" | "https" | "ftp" | "ws" | "wss" | "file");
    let slash = |c: char| c == '/' || (special && c == '\\');
    let after = if special && scheme != "file" {
        rest.trim_start_matches(slash)
    } else if let Some(after) = rest.strip_prefix("//") {
        after
    } else {
        // Without an authority, the rest is a path.
        return Some(Host::Name(String::new()));
    };
    let authority = after.split(|c| slash(c) || c == '?' || c == '#').next().unwrap_or("");
    if scheme == "file" && authority.contains(['@', ':']) && !authority.starts_with('[') {
        return None;
    }
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (name, port) = split_port(authority)?;
    if !port.is_empty() && (scheme == "file" || port.parse::<u16>().is_err()) {
        return None;
    }
    if name.is_empty() {
        return (scheme == "file" || !special).then(|| Host::Name(String::new()));
    }
    if let Some(inner) = name.strip_prefix('[') {
        return inner.strip_suffix(']')?.parse().ok().map(|a| Host::Address(IpAddr::V6(a)));
    }
    if !special {
        // With an unknown scheme, only a plain IPv4 address counts as an address.
        let address = name.parse().ok().map(|a| Host::Address(IpAddr::V4(a)));
        let host = address.unwrap_or_else(|| Host::Name(name.to_owned()));
        return (!name.chars().any(|c| c == ' ' || "#/:<>?@[\\]^|".contains(c))).then_some(host);
    }
    let name: String = percent_decoded(name)?.to_lowercase().chars().map(ascii_equivalent).collect();
    if name.chars().any(|c| c <= ' ' || c == '\u{7f}' || "#%/:<>?@[\\]^|".contains(c)) {
        return None;
    }
    if scheme == "file" && name == "localhost" {
        return Some(Host::Name(String::new()));
    }
    let last = name.trim_end_matches('.').rsplit('.').next().unwrap_or("");
    let numeric = (!last.is_empty() && last.chars().all(|c| c.is_ascii_digit())) || parse_v4_part(last).is_some();
    if numeric {
        return parse_v4(&name).map(|a| Host::Address(IpAddr::V4(a)));
    }
    Some(Host::Name(name))
}

/// Maps a full-width character in a host name to its ASCII equivalent.
fn ascii_equivalent(c: char) -> char {
    match c {
        '\u{3002}' | '\u{ff61}' => '.',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        _ => c,
    }
}

fn split_port(authority: &str) -> Option<(&str, &str)> {
    if authority.starts_with('[') {
        let end = authority.find(']')? + 1;
        let (name, rest) = authority.split_at_checked(end)?;
        return if rest.is_empty() { Some((name, "")) } else { Some((name, rest.strip_prefix(':')?)) };
    }
    Some(authority.split_once(':').unwrap_or((authority, "")))
}

fn percent_decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|b| char::from(*b).to_digit(16)).and_then(|d| u8::try_from(d).ok());
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push(high << 4 | low);
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).ok()
}

/// Parses an IPv4 address in any spelling that browsers accept: fewer parts, octal, hexadecimal.
fn parse_v4(name: &str) -> Option<Ipv4Addr> {
    let name = name.strip_suffix('.').unwrap_or(name);
    let parts: Vec<u64> = name.split('.').map(parse_v4_part).collect::<Option<_>>()?;
    let (last, first) = parts.split_last()?;
    if first.len() > 3 || first.iter().any(|p| *p > 255) {
        return None;
    }
    let room = 8 * (4 - first.len());
    if *last >= 1 << room {
        return None;
    }
    let high = first.iter().enumerate().fold(0_u64, |sum, (index, part)| sum | part << (24 - 8 * index));
    u32::try_from(high | last).ok().map(Ipv4Addr::from)
}

fn parse_v4_part(text: &str) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return if digits.is_empty() { Some(0) } else { u64::from_str_radix(digits, 16).ok() };
    }
    if text.len() > 1 && text.starts_with('0') {
        return u64::from_str_radix(text.get(1..)?, 8).ok();
    }
    text.parse().ok().filter(|_| text.chars().all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_as_browsers_read_them() {
        let name = |text: &str| Some(Host::Name(text.to_owned()));
        let address = |text: &str| Some(Host::Address(text.parse().unwrap()));
        for (url, want) in [
            ("https://Example.COM:8080/h?q", name("example.com")),
            ("http://user:pw@10.0.0.1/x", address("10.0.0.1")),
            ("http://0x7f.1/", address("127.0.0.1")),
            ("http://017700000001", address("127.0.0.1")),
            ("http://2130706433/h", address("127.0.0.1")),
            ("http://256.1.1.1/", None),
            ("http://[::ffff:10.0.0.1]:80/", address("::ffff:10.0.0.1")),
            ("http://[::1", None),
            ("http://%31%30.0.0.1/", address("10.0.0.1")),
            ("http://a b/", None),
            ("http://", None),
            ("file:///etc/x", name("")),
            ("http:/\\10.0.0.1", address("10.0.0.1")),
            ("http://１０。0。0．1/", address("10.0.0.1")),
            ("foo://10.0.0.1/x", address("10.0.0.1")),
            ("foo://256.1.1.1", name("256.1.1.1")),
            ("foo://a|b/", None),
            ("foo://10.0.0.1\\x", None),
            ("file://a:/x", None),
            ("file://u:p@h", None),
            ("no url", None),
            ("http://x:99999/", None),
        ] {
            assert_eq!(parse_host(url), want, "{url}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in proptest::prelude::any::<String>()) {
            let _ = parse_host(&text);
            let _ = parse_host(&format!("http://{text}"));
        }
    }
}

//! Other spellings of a URL.

use std::ops::Range;

use super::family::{DeedAction, DeedFamily, VariantEvidence, VariantList};
use crate::text::shell::Shell;

/// A URL in its parts.
struct UrlParts<'a> {
    scheme: &'a str,
    /// Name, password and `@`.
    user: &'a str,
    host: &'a str,
    /// With its colon.
    port: &'a str,
    /// With its slash, and everything after it.
    path: &'a str,
}

/// Finds the first URL in a text.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let start = ["https://", "http://"].iter().filter_map(|scheme| lower.find(scheme)).min()?;
    let rest = text.get(start..)?;
    let length = rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>')).unwrap_or(rest.len());
    Some(start..start + length)
}

/// The address that the first command of a text requests.
pub(super) fn fetched_by(command: &str) -> Option<String> {
    let shell = Shell::parse(command);
    let first = shell.commands.first()?;
    if shell.commands.len() > 1 || !matches!(first.program_name()?.as_str(), "curl" | "wget") {
        return None;
    }
    first.words.iter().find_map(|word| word.constant().filter(|text| find(text) == Some(0..text.len())))
}

fn parse(url: &str) -> Option<UrlParts<'_>> {
    let (scheme, rest) = url.split_once("://")?;
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (user, place) = authority.split_at(authority.rfind('@').map_or(0, |at| at + 1));
    let (host, port) = place.split_at(place.rfind(':').unwrap_or(place.len()));
    (!host.is_empty() && !host.starts_with('[')).then_some(UrlParts { scheme, user, host, port, path })
}

impl UrlParts<'_> {
    fn with_host(&self, host: &str) -> String {
        format!("{}://{}{host}{}{}", self.scheme, self.user, self.port, self.path)
    }
}

/// A spelling of a URL, and whether command line programs accept it besides browsers.
pub(super) struct UrlSpelling {
    pub url: String,
    pub family: DeedFamily,
    pub why: &'static str,
    pub everywhere: bool,
}

/// The spellings that lead to the same address.
pub(super) fn spellings(url: &str) -> Vec<UrlSpelling> {
    let Some(parts) = parse(url) else { return Vec::new() };
    let mut all = Vec::new();
    let mut add = |everywhere: bool, family, url: String, why| {
        all.push(UrlSpelling { url, family, why, everywhere });
    };
    let (scheme, user, host, port, path) = (parts.scheme, parts.user, parts.host, parts.port, parts.path);
    let with_slash = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    add(true, DeedFamily::Case, parts.with_host(&host.to_uppercase()), "host names ignore case");
    add(
        true,
        DeedFamily::Case,
        format!("{}://{user}{host}{port}{path}", scheme.to_uppercase()),
        "the scheme of a URL ignores case",
    );
    if port.is_empty() {
        let default = if scheme.eq_ignore_ascii_case("https") { ":443" } else { ":80" };
        let why = "this port is the default of the scheme";
        add(true, DeedFamily::Urls, format!("{scheme}://{user}{host}{default}{path}"), why);
    }
    if user.is_empty() {
        let why = "the text before `@` is a user name, not the host";
        add(true, DeedFamily::Urls, format!("{scheme}://user@{host}{port}{path}"), why);
    }
    if path.is_empty() {
        add(true, DeedFamily::Urls, format!("{url}/"), "an empty path is the path `/`");
    }
    if !path.contains('#') {
        add(true, DeedFamily::Urls, format!("{url}#x"), "the fragment is not sent to the server");
    }
    let dots = format!("{scheme}://{user}{host}{port}");
    add(true, DeedFamily::Urls, format!("{dots}/.{with_slash}"), "`/./` is removed from the path");
    add(true, DeedFamily::Urls, format!("{dots}/x/..{with_slash}"), "`..` removes the directory before it");
    let is_ip = host.split('.').count() == 4 && host.split('.').all(|part| part.parse::<u8>().is_ok());
    if is_ip {
        add_ip_forms(&parts, &mut add);
    } else {
        if !host.ends_with('.') && host.contains('.') {
            add(
                true,
                DeedFamily::Urls,
                parts.with_host(&format!("{host}.")),
                "a host name may end with the root's dot",
            );
        }
        let encoded: String = host.bytes().enumerate().fold(String::new(), |text, (number, byte)| {
            if number == 0 { format!("%{byte:02x}") } else { format!("{text}{}", char::from(byte)) }
        });
        if host.is_ascii() {
            let why = "a percent-encoded letter of the host is decoded";
            add(true, DeedFamily::Urls, parts.with_host(&encoded), why);
            let wide: String = host.chars().map(|c| if c == '.' { '\u{3002}' } else { full_width(c) }).collect();
            let why = "full-width letters and dots of a host name become ASCII";
            add(false, DeedFamily::Unicode, parts.with_host(&wide), why);
            let mut hidden = host.to_owned();
            if hidden.chars().count() > 1 {
                hidden.insert(1, '\u{ad}');
                add(false, DeedFamily::Unicode, parts.with_host(&hidden), "a soft hyphen in a host name is removed");
            }
        }
    }
    if host == "localhost" {
        add(true, DeedFamily::Urls, parts.with_host("127.0.0.1"), "127.0.0.1 is the address of localhost");
    }
    if let Some(at) = path.find(|c: char| c.is_ascii_alphanumeric())
        && !path.get(..at).is_some_and(|before| before.contains(['?', '#', '%']))
        && let Some(letter) = path.as_bytes().get(at)
    {
        let (before, after) = (path.get(..at).unwrap_or(""), path.get(at + 1..).unwrap_or(""));
        let why = "a percent-encoded letter of the path is the letter";
        add(true, DeedFamily::Urls, format!("{dots}{before}%{letter:02x}{after}"), why);
    }
    add(false, DeedFamily::Urls, format!("{scheme}:\\\\{user}{host}{port}{path}"), "a backslash is read as a slash");
    add(false, DeedFamily::Urls, format!("{scheme}:{user}{host}{port}{path}"), "the two slashes may be missing");
    add(false, DeedFamily::Urls, format!("{scheme}:///{user}{host}{port}{path}"), "more slashes are read as two");
    let (first, rest) = host.split_at(host.chars().next().map_or(0, char::len_utf8));
    add(false, DeedFamily::Blanks, parts.with_host(&format!("{first}\t{rest}")), "tabs in a URL are removed");
    add(false, DeedFamily::Blanks, parts.with_host(&format!("{first}\n{rest}")), "line breaks in a URL are removed");
    add(false, DeedFamily::Blanks, format!(" {url}"), "blanks before a URL are removed");
    all
}

fn add_ip_forms(parts: &UrlParts<'_>, add: &mut impl FnMut(bool, DeedFamily, String, &'static str)) {
    let octets: Vec<u32> = parts.host.split('.').filter_map(|part| part.parse().ok()).collect();
    let number = octets.iter().fold(0_u32, |number, octet| number << 8 | octet);
    let octal: Vec<String> = octets.iter().map(|octet| format!("0{octet:o}")).collect();
    add(true, DeedFamily::Urls, parts.with_host(&number.to_string()), "the number is the same IP address");
    add(
        true,
        DeedFamily::Urls,
        parts.with_host(&format!("0x{number:x}")),
        "the hexadecimal number is the same IP address",
    );
    add(true, DeedFamily::Urls, parts.with_host(&octal.join(".")), "octal numbers form the same IP address");
    if let [first, 0, 0, last] = octets.as_slice() {
        let why = "the zeros in the middle of an IP address may be missing";
        add(true, DeedFamily::Urls, parts.with_host(&format!("{first}.{last}")), why);
    }
}

fn full_width(c: char) -> char {
    if c.is_ascii_graphic() { char::from_u32(u32::from(c) + 0xfee0).unwrap_or(c) } else { c }
}

/// Adds the variants of the address that a tool requests.
pub(super) fn add_fetched(url: &str, list: &mut VariantList) {
    for UrlSpelling { url, family, why, .. } in spellings(url) {
        list.add(family, DeedAction::Fetch(url), why, VariantEvidence::Executed);
    }
}

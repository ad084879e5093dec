//! File addresses of the protocol, and paths.

use std::path::Path;
use std::str::FromStr as _;

use hookbench_app::canonical;
use lsp_types::Uri;

/// The path of a file address, without links. `None` for another scheme, such as that of a file without a name.
pub fn path_of(uri: &str) -> Option<String> {
    let (_host, path) = uri.strip_prefix("file://")?.split_at_checked(uri.strip_prefix("file://")?.find('/')?)?;
    let path = decoded(path)?;
    // `/C:/project` is a path of Windows.
    let path = match path.strip_prefix('/') {
        Some(rest) if cfg!(windows) && rest.get(1..2) == Some(":") => rest.to_owned(),
        _ => path,
    };
    Some(real_path(&path))
}

/// The path without links. The name of a file that does not exist yet is appended to its directory.
fn real_path(path: &str) -> String {
    let text = |path: std::path::PathBuf| path.to_string_lossy().into_owned();
    if let Ok(real) = canonical(path) {
        return text(real);
    }
    let (parent, name) = (Path::new(path).parent(), Path::new(path).file_name());
    match parent.and_then(|parent| canonical(parent).ok()).zip(name) {
        Some((parent, name)) => text(parent.join(name)),
        None => path.to_owned(),
    }
}

fn decoded(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..)?;
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// The address of a path. `None` if the path is not absolute.
pub fn uri_of(path: &str) -> Option<Uri> {
    let mut text = String::from("file://");
    if !path.starts_with('/') {
        text.push('/');
    }
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'.' | b'_' | b'~' | b':') {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    Uri::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_paths_are_converted_both_ways() {
        for path in ["/no/such/file", "/no/such/a b%20é#?.json"] {
            let uri = uri_of(path).map(|uri| uri.as_str().to_owned());
            assert_eq!(uri.as_deref().and_then(path_of).as_deref(), Some(path), "{uri:?}");
        }
        assert_eq!(path_of("file://host/no/such").as_deref(), Some("/no/such"));
        assert_eq!([path_of("untitled:Untitled-1"), path_of("file:"), path_of("file:///%FF")], [None, None, None]);
    }
}

//! Paths as text, with `/` between their parts on every system.

/// Removes `.`, `..` and double slashes from an absolute path: `/p/../etc` is not inside `/p`. The file system is
/// not consulted.
pub fn normalize_path(path: &str) -> String {
    let of_windows = drive(path).map(|_| from_windows_path(path));
    let (root, rest) = split_root(of_windows.as_deref().unwrap_or(path));
    let mut parts: Vec<&str> = Vec::new();
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("{root}{}", parts.join("/"))
}

/// The root of a path, which `..` does not leave: `/`, a drive, or two slashes before the name of a server, which only
/// Windows has.
fn split_root(path: &str) -> (&str, &str) {
    match drive(path) {
        Some(drive) => path.split_at(drive.len()),
        None if cfg!(windows) && path.starts_with("//") => path.split_at(2),
        None => ("/", path),
    }
}

/// Whether a path depends on no directory: it begins with a slash, or on Windows with a drive and a slash.
pub fn is_absolute_path(path: &str) -> bool {
    path.starts_with('/') || drive(path).is_some() || cfg!(windows) && path.starts_with(r"\\")
}

/// The drive at the beginning of a path, with its slash: `C:/`, `c:\`. Elsewhere, `c:` is the name of a directory.
fn drive(path: &str) -> Option<&str> {
    let is_drive =
        cfg!(windows) && matches!(path.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    path.get(..3).filter(|_| is_drive)
}

/// A path of Windows in the form in which hookbench keeps it: with `/`, and without `\\?\`, which few programs understand.
pub fn from_windows_path(path: &str) -> String {
    let plain = match path.strip_prefix(r"\\?\UNC\") {
        Some(share) => format!(r"\\{share}"),
        None => path.strip_prefix(r"\\?\").unwrap_or(path).to_owned(),
    };
    plain.replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_is_a_root_on_windows_only() {
        let on_windows = cfg!(windows);
        let either = |windows: &'static str, other: &'static str| if on_windows { windows } else { other };
        for (path, is_absolute, normal) in [
            ("/p/../etc//a/.", true, "/etc/a"),
            ("/../..", true, "/"),
            ("C:/p/../../x", on_windows, either("C:/x", "/x")),
            ("a:/../.env", on_windows, either("a:/.env", "/.env")),
            ("c:/", on_windows, either("c:/", "/c:")),
            (r"C:\p\./x/y", on_windows, either("C:/p/x/y", r"/C:\p\./x/y")),
            ("C:x", false, "/C:x"),
            ("1:/b", false, "/1:/b"),
            ("é:/b", false, "/é:/b"),
            ("p/x", false, "/p/x"),
        ] {
            assert_eq!((is_absolute_path(path), normalize_path(path).as_str()), (is_absolute, normal), "{path}");
        }
        assert_eq!(is_absolute_path(r"\\server\share"), on_windows);
    }

    #[test]
    fn paths_of_windows_have_one_form() {
        for (path, form) in [
            (r"\\?\C:\p\x", "C:/p/x"),
            (r"C:\p x\.config", "C:/p x/.config"),
            (r"\\?\UNC\server\share\x", "//server/share/x"),
            (r"\\server\share\x", "//server/share/x"),
            ("C:/p", "C:/p"),
        ] {
            assert_eq!(from_windows_path(path), form, "{path}");
        }
    }
}

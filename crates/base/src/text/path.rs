//! Paths as text.

/// An absolute path without `.`, `..` and doubled slashes: `/p/../etc` is no path in `/p`. Nothing is asked of a file system.
pub fn clean_path(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

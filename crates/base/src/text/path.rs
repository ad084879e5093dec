//! Paths as text.

/// Removes `.`, `..` and double slashes from an absolute path: `/p/../etc` is not inside `/p`. The file system is
/// not consulted.
pub fn normalize_path(path: &str) -> String {
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

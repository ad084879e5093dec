//! Paths as Node.js resolves them.

use hookbench_base::config::Place;

/// `path.resolve`: relative paths are resolved against the project folder, and `~` has no special meaning.
pub fn resolve(place: &Place, path: &str) -> String {
    let path = if path.starts_with('~') { format!("./{path}") } else { path.to_owned() };
    place.absolute(&place.project, &path)
}

/// `path.dirname`, for an absolute path.
pub fn parent(path: &str) -> String {
    match path.rsplit_once('/') {
        Some((parent, _)) if !parent.is_empty() => parent.to_owned(),
        _ => "/".to_owned(),
    }
}

/// Whether a folder is `root` or inside it.
pub fn is_within(folder: &str, root: &str) -> bool {
    let root = root.trim_end_matches('/');
    folder.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_their_parents() {
        let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
        for (path, want) in [("a/../b/", "/p/b"), ("~/x", "/p/~/x"), ("/a//b/.", "/a/b"), ("/", "/")] {
            assert_eq!(resolve(&place, path), want);
        }
        for (path, want) in [("/a/b", "/a"), ("/a", "/"), ("/", "/")] {
            assert_eq!(parent(path), want);
        }
        for (folder, root, want) in [("/a/b", "/a", true), ("/ab", "/a", false), ("/a", "/a/", true), ("/a", "/", true)]
        {
            assert_eq!(is_within(folder, root), want, "{folder} in {root}");
        }
    }
}

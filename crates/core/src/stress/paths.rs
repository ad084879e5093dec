//! Other spellings of a path.

use super::family::{DeedAction, DeedContext, DeedFamily, VariantEvidence, VariantList};

/// One spelling of a path.
pub(super) struct PathSpelling {
    pub path: String,
    pub why: &'static str,
}

fn spelling(path: String, why: &'static str) -> PathSpelling {
    PathSpelling { path, why }
}

/// The spellings that any program accepts, because the system resolves them.
pub(super) fn spellings(path: &str, context: &DeedContext<'_>) -> Vec<PathSpelling> {
    let mut all = Vec::new();
    if path.is_empty() || path.contains(['\0', '\n']) || path.starts_with('~') {
        return all;
    }
    let cwd = context.cwd.trim_end_matches('/');
    if let Some(rest) = path.strip_prefix('/') {
        let rest = rest.trim_start_matches('/');
        all.push(spelling(format!("//{rest}"), "the system reads two slashes at the start as one"));
        all.push(spelling(format!("/./{rest}"), "`.` is the same directory"));
        all.push(spelling(format!("/../{rest}"), "the parent of the root directory is the root directory"));
        all.push(spelling(
            format!("/proc/self/root/{rest}"),
            "on Linux /proc/self/root is a link to the root directory",
        ));
        let depth = cwd.split('/').filter(|part| !part.is_empty()).count();
        if depth > 0 {
            all.push(spelling(format!("{}{rest}", "../".repeat(depth)), "`..` leads from the project to the root"));
        }
        if let Some(inside) = path.strip_prefix(cwd).filter(|_| !cwd.is_empty()).and_then(|rest| rest.strip_prefix('/'))
        {
            all.push(spelling(inside.to_owned(), "the path is relative to the working directory"));
        }
    } else {
        all.push(spelling(format!("./{path}"), "`.` is the working directory"));
        all.push(spelling(format!(".//{path}"), "the system reads two slashes as one"));
        all.push(spelling(format!("././{path}"), "`.` is the same directory"));
        if cwd.starts_with('/') {
            all.push(spelling(format!("{cwd}/{path}"), "the absolute path leads to the same file"));
            if let Some(name) = cwd.rsplit('/').next().filter(|name| !name.is_empty()) {
                all.push(spelling(format!("../{name}/{path}"), "the path leaves the working directory and returns"));
                all.push(spelling(format!("{cwd}/../{name}/{path}"), "`..` and the name of the directory cancel out"));
            }
        }
        all.push(spelling(
            format!("/proc/self/cwd/{path}"),
            "on Linux /proc/self/cwd is a link to the working directory",
        ));
    }
    if let Some((directory, name)) =
        path.rsplit_once('/').filter(|(directory, name)| !directory.is_empty() && !name.is_empty())
    {
        all.push(spelling(format!("{directory}//{name}"), "the system reads two slashes as one"));
        all.push(spelling(format!("{directory}/./{name}"), "`.` is the same directory"));
        if let Some(last) = directory.rsplit('/').next().filter(|last| !last.is_empty() && !last.starts_with('.')) {
            all.push(spelling(
                format!("{directory}/../{last}/{name}"),
                "`..` and the name of the directory cancel out",
            ));
        }
    }
    if context.ignores_case {
        all.push(spelling(path.to_uppercase(), "this file system ignores the case of names"));
    }
    all.retain(|other| other.path != path);
    all
}

/// Adds the variants of a file tool's path.
pub(super) fn add_tool_paths(action: &DeedAction, path: &str, context: &DeedContext<'_>, list: &mut VariantList) {
    for PathSpelling { path, why } in spellings(path, context) {
        let action = match action {
            DeedAction::Write { content, .. } => DeedAction::Write { path, content: content.clone() },
            DeedAction::Edit { old, new, .. } => DeedAction::Edit { path, old: old.clone(), new: new.clone() },
            _ => DeedAction::Read(path),
        };
        list.add(DeedFamily::Paths, action, why, VariantEvidence::Executed);
    }
}

//! Finds the project's directories, the hooks of a worktree, and the project's trust (spec §2, §2.2). The behaviour
//! with git roots above the directory and with worktrees is known from the source and a single run.

use super::config_node::ConfigNode;
use crate::kernel::settings::SchemaError;
use hookbench_base::config::{Files, Place};
use hookbench_base::diagnostic::Code;

/// One directory between the project's root and the directory in which Codex starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectDirectory {
    /// The directory itself.
    pub dir: String,
    /// The `.codex` directory whose configuration applies.
    pub config: String,
    /// The `.codex` directory whose hooks apply; in a linked worktree, that of the main checkout.
    pub hooks: String,
}

/// The project, as determined by git and the user's root markers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub root: String,
    /// The main checkout, if this is one of its worktrees.
    main_checkout: Option<String>,
    /// From the root down.
    pub directories: Vec<ProjectDirectory>,
}

/// Finds the root: the nearest directory upwards that contains one of the markers.
pub fn find(place: &Place, files: &dyn Files, markers: &[String], user: &str) -> Project {
    let above: Vec<String> = ancestors(&place.project);
    let marked = |dir: &&String| markers.iter().any(|marker| files.exists(&format!("{dir}/{marker}")));
    let root = above.iter().find(marked).unwrap_or(&place.project).clone();
    let checkout = above.iter().find(|dir| files.exists(&format!("{dir}/.git")));
    let main = checkout.and_then(|dir| main_checkout(dir, files));
    let real = |path: &str| files.canonical(path).unwrap_or_else(|| path.to_owned());
    let mut directories = Vec::new();
    for dir in above.iter().take_while(|dir| dir.len() >= root.len()) {
        let config = format!("{dir}/.codex");
        // The user's own directory does not belong to a project.
        if real(&config) == real(user) {
            continue;
        }
        let below = checkout.and_then(|checkout| dir.strip_prefix(checkout.as_str()));
        let hooks = match (&main, below) {
            (Some(main), Some(below)) => format!("{main}{below}/.codex"),
            _ => config.clone(),
        };
        // Intermediate directories count only if they have a `.codex`.
        if *dir == place.project || files.exists(&config) {
            directories.push(ProjectDirectory { dir: dir.clone(), config, hooks });
        }
    }
    directories.reverse();
    Project { root, main_checkout: main, directories }
}

fn ancestors(path: &str) -> Vec<String> {
    let mut out = vec![path.to_owned()];
    let mut rest = path;
    while let Some((parent, _)) = rest.rsplit_once('/').filter(|(parent, _)| !parent.is_empty()) {
        out.push(parent.to_owned());
        rest = parent;
    }
    out
}

/// Returns the checkout that a linked worktree belongs to: its `.git` is a file that points into it.
fn main_checkout(dir: &str, files: &dyn Files) -> Option<String> {
    let bytes = files.read(&format!("{dir}/.git")).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let target = text.strip_prefix("gitdir:")?.trim();
    let target = if target.starts_with('/') { target.to_owned() } else { format!("{dir}/{target}") };
    let (main, _) = target.split_once("/.git/worktrees/")?;
    Some(Place::default().absolute("", main))
}

/// The trust of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    Trusted,
    /// The user has refused trust.
    Untrusted {
        key: String,
    },
    /// The user has not decided, which counts as untrusted.
    Unknown {
        key: String,
    },
}

impl Trust {
    /// Describes the trust in one sentence; `user` is the display path of the user's configuration file.
    pub fn describe(&self, user: &str) -> String {
        match self {
            Trust::Trusted => "the directory is trusted".to_owned(),
            Trust::Untrusted { key } => format!("{user} marks {key} as untrusted, so .codex is not read there"),
            Trust::Unknown { key } => format!("{user} does not mark {key} as trusted, so .codex is not read there"),
        }
    }
}

/// Returns whether a directory's configuration is read: its own entry decides, then the root's, then the main
/// checkout's. Paths are compared literally.
pub fn trust(directory: &ProjectDirectory, project: &Project, files: &dyn Files, configs: &[&ConfigNode]) -> Trust {
    let keys = [Some(&directory.dir), Some(&project.root), project.main_checkout.as_ref()];
    for dir in keys.into_iter().flatten() {
        for key in files.canonical(dir).into_iter().chain([dir.clone()]) {
            match trust_level(configs, &key) {
                Some("trusted") => return Trust::Trusted,
                Some(_) => return Trust::Untrusted { key },
                None => {}
            }
        }
    }
    Trust::Unknown { key: project.main_checkout.clone().unwrap_or_else(|| project.root.clone()) }
}

/// Returns the trust level of a path; later configurations win.
fn trust_level<'t>(configs: &[&'t ConfigNode], key: &str) -> Option<&'t str> {
    let of = |config: &&'t ConfigNode| config.get("projects")?.get(key)?.get("trust_level")?.as_str();
    configs.iter().rev().find_map(of)
}

/// Returns an error if a configuration's `projects` is malformed.
pub fn check(config: &ConfigNode) -> Result<(), SchemaError> {
    const HELP: &str = "write trust_level = \"trusted\" or \"untrusted\" under [projects.\"/path\"]";
    let wrong = |span, says: String| SchemaError::new(Code::HW110, span, says, HELP);
    let Some(projects) = config.get("projects") else { return Ok(()) };
    let Some(entries) = projects.entries() else {
        return Err(wrong(projects.span, format!("`projects` is {}, but must be a table", projects.kind())));
    };
    for entry in entries {
        if entry.value.entries().is_none() {
            let says = format!("the entry of {} is {}, but must be a table", entry.key, entry.value.kind());
            return Err(wrong(entry.value.span, says));
        }
        let Some(level) = entry.value.get("trust_level") else { continue };
        match level.as_str() {
            Some("trusted" | "untrusted") => {}
            Some(word) => return Err(wrong(level.span, format!("\"{word}\" is not a trust level"))),
            None => return Err(wrong(level.span, format!("the trust level is {}", level.kind()))),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::config::MemoryFiles;
    use hookbench_base::text::SourceId;

    fn git() -> Vec<String> {
        vec![".git".to_owned()]
    }

    #[test]
    fn directories_from_the_root_down() {
        let mut files = MemoryFiles::default();
        for path in ["/r/.git/config", "/r/.codex/hooks.json", "/r/a/b/x"] {
            files.put(path, "");
        }
        let place = Place { project: "/r/a/b".to_owned(), home: "/h".to_owned(), ..Place::default() };
        let project = find(&place, &files, &git(), "/h/.codex");
        let dirs: Vec<&str> = project.directories.iter().map(|f| f.dir.as_str()).collect();
        assert_eq!((project.root.as_str(), dirs), ("/r", vec!["/r", "/r/a/b"]));
        let alone = find(&Place { project: "/h".to_owned(), ..place }, &files, &git(), "/h/.codex");
        assert_eq!(alone.directories, vec![], "the directory of the user's settings does not belong to a project");
    }

    #[test]
    fn worktrees_have_the_hooks_of_the_main_checkout() {
        let mut files = MemoryFiles::default();
        files.put("/w/.git", "gitdir: /main/.git/worktrees/w\n");
        files.put("/w/.codex/config.toml", "");
        let place = Place { project: "/w".to_owned(), home: "/h".to_owned(), ..Place::default() };
        let project = find(&place, &files, &git(), "/h/.codex");
        let want =
            ProjectDirectory { dir: "/w".to_owned(), config: "/w/.codex".to_owned(), hooks: "/main/.codex".to_owned() };
        assert_eq!(project.directories, vec![want]);
        let config = ConfigNode::from_toml(SourceId(0), "[projects.\"/main\"]\ntrust_level = \"trusted\"\n").unwrap();
        assert_eq!(trust(&project.directories[0], &project, &files, &[&config]), Trust::Trusted);
    }

    #[test]
    fn paths_are_compared_as_written() {
        let files = MemoryFiles::default();
        let place = Place { project: "/p/q".to_owned(), home: "/h".to_owned(), ..Place::default() };
        let project = find(&place, &files, &git(), "/h/.codex");
        let trust = |toml: &str| {
            let config = ConfigNode::from_toml(SourceId(0), toml).unwrap();
            trust(&project.directories[0], &project, &files, &[&config])
        };
        let unknown = Trust::Unknown { key: "/p/q".to_owned() };
        for (toml, want) in [
            ("[projects.'/p/q']\ntrust_level = 'trusted'", Trust::Trusted),
            ("[projects.'/p/q']\ntrust_level = 'untrusted'", Trust::Untrusted { key: "/p/q".to_owned() }),
            ("[projects.'/p/q/']\ntrust_level = 'trusted'", unknown.clone()),
            ("[projects.'/p']\ntrust_level = 'trusted'", unknown.clone()),
            ("[projects.'/p/q']", unknown.clone()),
            ("", unknown),
        ] {
            assert_eq!(trust(toml), want, "{toml}");
        }
        let bad = ConfigNode::from_toml(SourceId(0), "[projects.'/p/q']\ntrust_level = 'yes'").unwrap();
        assert_eq!(check(&bad).map_err(|why| why.message), Err("\"yes\" is not a trust level".to_owned()));
    }
}

//! Self-contained copies of directories: whatever is written in a copy stays in the copy.
//!
//! A link that points inside the directory points inside the copy. A link that points outside is replaced by a copy of
//! its target, up to a size limit; larger targets are left out and reported. A repository whose files are elsewhere
//! (a linked worktree, a submodule) gets a copy of them.
//!
//! A copy has a budget of files and bytes, which only the user can lift for the directory itself.

use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use hookbench_core::git::GitConfig;
use hookbench_system::disk;
use hookbench_system::runner::with_starts_blocked;

use super::copy_size::{CopyStop, MAX_BYTES, MAX_ENTRIES, bytes_on_disk, check_size, copy_regular_file};
use hookbench_system::disk::canonical;

/// Copies a directory with all its contents, except sockets, pipes and devices. Returns the links that are missing in
/// the copy, with reasons.
///
/// # Errors
/// Returns an error if the directory is too large, the first error that occurs while copying, or one if the copy is
/// stopped. The part that was copied stays.
pub(crate) fn copy_tree(from: &Path, to: &Path, stop: &CopyStop) -> io::Result<Vec<String>> {
    let root = canonical(from).map_err(|why| with_path(from, &why))?;
    let size = check_size(&root, stop)?;
    fs::create_dir_all(to).map_err(|why| with_path(to, &why))?;
    let to = canonical(to).map_err(|why| with_path(to, &why))?;
    let mut copying = TreeCopy {
        trees: vec![(root.clone(), to.clone())],
        names: MAX_ENTRIES.saturating_sub(size.entries),
        bytes: MAX_BYTES.saturating_sub(size.bytes),
        left_out: Vec::new(),
        stop,
    };
    copying.copy_directory(&root, &to)?;
    Ok(copying.left_out)
}

/// Copies a regular file of at most 64 MiB with its permissions.
pub(crate) fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let bytes = disk::read(from)?;
    with_starts_blocked(|| fs::write(to, bytes))?;
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}

fn with_path(path: &Path, why: &io::Error) -> io::Error {
    io::Error::new(why.kind(), format!("{}: {why}", path.display()))
}

/// Whether the copy has no room, so that nothing else can be copied either.
fn is_of_copy(why: &io::Error) -> bool {
    matches!(why.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::ReadOnlyFilesystem)
}

struct TreeCopy<'a> {
    /// The directories that are being copied and their destinations: the main directory, and within it the targets of
    /// links that point outside.
    trees: Vec<(PathBuf, PathBuf)>,
    /// The remaining budget for files from outside.
    names: usize,
    bytes: u64,
    left_out: Vec<String>,
    stop: &'a CopyStop,
}

impl TreeCopy<'_> {
    fn copy_directory(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        fs::create_dir_all(to).map_err(|why| with_path(to, &why))?;
        for entry in fs::read_dir(from).map_err(|why| with_path(from, &why))? {
            self.stop.check()?;
            let entry = entry?;
            let (source, target) = (entry.path(), to.join(entry.file_name()));
            let kind = entry.file_type()?;
            if kind.is_dir() {
                // Worktrees of the same repository elsewhere, which git would manage from the copy.
                let elsewhere = from.ends_with(".git") && entry.file_name() == "worktrees";
                if !elsewhere {
                    self.copy_directory(&source, &target)?;
                }
            } else if kind.is_symlink() {
                self.copy_link(&source, &target)?;
            } else if kind.is_file() && entry.file_name() == ".git" {
                self.copy_repository(&source, &target)?;
            } else if kind.is_file() {
                match copy_regular_file(&source, &target, self.stop) {
                    // A hook of the user could not read it either.
                    Err(why) if why.kind() == io::ErrorKind::PermissionDenied => {
                        self.left_out.push(format!("{} (it cannot be read: {why})", self.shown(&source).display()));
                        continue;
                    }
                    done => done.map_err(|why| with_path(&source, &why))?,
                }
                if entry.file_name() == "config" && from.components().any(|part| part.as_os_str() == ".git") {
                    self.rewrite_git_config(from, &target)?;
                }
            }
        }
        Ok(())
    }

    /// The path in the copy that corresponds to a real path.
    fn copied_path(&self, real: &Path) -> Option<PathBuf> {
        let of = |(from, to): &(PathBuf, PathBuf)| {
            let below = real.strip_prefix(from).ok()?;
            Some(if below.as_os_str().is_empty() { to.clone() } else { to.join(below) })
        };
        self.trees.iter().rev().find_map(of)
    }

    /// Creates the copy of a link.
    fn copy_link(&mut self, source: &Path, target: &Path) -> io::Result<()> {
        let aim = fs::read_link(source)?;
        let Ok(real) = canonical(source) else {
            // A dangling link; a write through it would create the file at its target.
            let text = aim.is_absolute().then(|| self.copied_path(&aim)).flatten();
            let keeps = text.or_else(|| self.is_inside(source, &aim).then_some(aim.clone()));
            let Some(keeps) = keeps else {
                self.leave_out(source, &aim, "to a missing file");
                return Ok(());
            };
            return symlink(&keeps, target);
        };
        if let Some(copied) = self.copied_path(&real) {
            return symlink(if self.is_inside(source, &aim) { &aim } else { &copied }, target);
        }
        if real == Path::new("/dev/null") {
            return symlink(&real, target);
        }
        let about = fs::metadata(&real)?;
        // Copying a directory that contains the directory being copied would never end.
        let around = self.trees.iter().any(|(from, _)| from.starts_with(&real));
        if !(about.is_dir() || about.is_file()) || around || !self.reserve(&real) {
            let why = if around { "to a parent directory" } else { "to something too large to copy" };
            self.leave_out(source, &real, if about.is_dir() || about.is_file() { why } else { "to a special file" });
            return Ok(());
        }
        match self.copy_outside(&real, target) {
            // A file of the system, for example, that cannot be read like others.
            Err(why) if !is_of_copy(&why) => {
                self.stop.check()?;
                let _ = fs::remove_dir_all(target).or_else(|_| fs::remove_file(target));
                self.leave_out(source, &real, "to something that cannot be read");
                Ok(())
            }
            done => done,
        }
    }

    /// Copies a file or directory that is outside the directory.
    fn copy_outside(&mut self, real: &Path, target: &Path) -> io::Result<()> {
        if real.is_file() {
            return copy_file(real, target).map_err(|why| with_path(real, &why));
        }
        self.trees.push((real.to_owned(), target.to_owned()));
        let done = self.copy_directory(real, target);
        self.trees.pop();
        done
    }

    /// Returns whether a link stays inside the directory judging by its text alone: down, or up no further than the
    /// directory.
    fn is_inside(&self, source: &Path, aim: &Path) -> bool {
        let inside =
            |(from, _): &(PathBuf, PathBuf)| source.parent()?.strip_prefix(from).ok().map(|p| p.components().count());
        let Some(mut depth) = self.trees.last().and_then(inside) else { return false };
        let mut down = false;
        for part in aim.components() {
            match part {
                // A name may itself be a link, so the meaning of `..` after it is unknown.
                Component::ParentDir if down || depth == 0 => return false,
                Component::ParentDir => depth -= 1,
                Component::Normal(_) => down = true,
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => return false,
            }
        }
        true
    }

    fn leave_out(&mut self, source: &Path, aim: &Path, why: &str) {
        self.left_out.push(format!("{} (a link out of it, {why}: {})", self.shown(source).display(), aim.display()));
    }

    /// The path in the directory that is copied.
    fn shown<'p>(&self, source: &'p Path) -> &'p Path {
        self.trees.first().and_then(|(root, _)| source.strip_prefix(root).ok()).unwrap_or(source)
    }

    /// Returns whether a file or directory from outside fits the remaining budget, and if so subtracts it.
    fn reserve(&mut self, real: &Path) -> bool {
        let (mut names, mut bytes) = (self.names, self.bytes);
        let mut waiting = vec![real.to_owned()];
        while let Some(path) = waiting.pop() {
            let Ok(about) = fs::symlink_metadata(&path) else { return false };
            let size = if about.is_file() { bytes_on_disk(&about) } else { 0 };
            let (Some(fewer), Some(less)) = (names.checked_sub(1), bytes.checked_sub(size)) else { return false };
            (names, bytes) = (fewer, less);
            if about.is_dir() {
                let Ok(entries) = fs::read_dir(&path) else { return false };
                waiting.extend(entries.flatten().map(|entry| entry.path()).take(names + 1));
            } else if about.len() > disk::MAX_FILE_BYTES {
                return false;
            }
        }
        (self.names, self.bytes) = (names, bytes);
        true
    }

    /// Copies a `.git` file, which points to the repository. The repository is copied too, because git would
    /// otherwise write outside the copy.
    fn copy_repository(&mut self, source: &Path, target: &Path) -> io::Result<()> {
        let text = disk::read_text(source).unwrap_or_default();
        let directory = source.parent().unwrap_or(Path::new("/"));
        let said = text.strip_prefix("gitdir:").map(|said| Path::new(said.trim()));
        let Some(own) = said.and_then(|said| canonical(directory.join(said)).ok()) else {
            return fs::write(target, "");
        };
        if let Some(copied) = self.copied_path(&own) {
            return fs::write(target, format!("gitdir: {}\n", copied.display()));
        }
        let common = disk::read_text(own.join("commondir")).ok();
        let common = common.and_then(|said| canonical(own.join(said.trim())).ok());
        let shared = common.as_ref().unwrap_or(&own);
        if !self.reserve(shared) {
            self.leave_out(source, shared, "to a repository too large to copy");
            return Ok(());
        }
        self.trees.push((shared.clone(), target.to_owned()));
        let done = self.copy_directory(shared, target);
        self.trees.pop();
        done?;
        let _ = fs::remove_dir_all(target.join("worktrees"));
        self.rewrite_git_config(shared, &target.join("config"))?;
        if common.is_some() {
            for name in ["HEAD", "index", "ORIG_HEAD"].map(Path::new).iter().filter(|name| own.join(name).is_file()) {
                copy_file(&own.join(name), &target.join(name)).map_err(|why| with_path(&own.join(name), &why))?;
            }
        }
        Ok(())
    }

    /// Rewrites a git configuration in the copy so that it does not name the real checkout as its worktree.
    fn rewrite_git_config(&self, from: &Path, target: &Path) -> io::Result<()> {
        let Ok(text) = disk::read_text(target) else { return Ok(()) };
        let Some(checkout) = GitConfig::parse(&text).get("core", "", "worktree").map(str::to_owned) else {
            return Ok(());
        };
        let real = canonical(from.join(&checkout)).ok();
        let inside = real.and_then(|real| self.copied_path(&real));
        let names = |line: &&str| line.trim_start().to_ascii_lowercase().starts_with("worktree");
        let mut kept = text.lines().filter(|line| !names(line)).collect::<Vec<_>>().join("\n") + "\n";
        if let Some(copied) = inside {
            kept.push_str(&format!("[core]\n\tworktree = {:?}\n", copied.display().to_string()));
        }
        fs::write(target, kept)
    }
}

#[cfg(unix)]
fn symlink(aim: &Path, target: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(aim, target).map_err(|why| with_path(target, &why))
}

#[cfg(not(unix))]
fn symlink(_aim: &Path, _target: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]
mod tests {
    use std::collections::BTreeMap;
    use std::os::unix::fs::symlink;

    use pretty_assertions::assert_eq;

    use super::*;

    /// Collects everything below a directory: the text of a file, or the target of a link.
    fn everything(directory: &Path, root: &Path, into: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(directory).unwrap().flatten() {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if kind.is_dir() {
                everything(&path, root, into);
            } else if kind.is_symlink() {
                into.insert(name, format!("-> {}", fs::read_link(&path).unwrap().display()));
            } else {
                into.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }

    #[test]
    fn nothing_leads_out_of_a_copy() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let (project, out, copy) = (base.join("p"), base.join("out"), base.join("copy"));
        for directory in ["p/d/e", "out/sub"] {
            fs::create_dir_all(base.join(directory)).unwrap();
        }
        for (file, text) in [("p/a", "a"), ("p/d/e/f", "f"), ("out/x", "x"), ("out/sub/y", "y"), ("big", "")] {
            fs::write(base.join(file), text).unwrap();
        }
        fs::File::options().write(true).open(base.join("big")).unwrap().set_len(disk::MAX_FILE_BYTES + 1).unwrap();
        let long = |name: &str| base.join(name).display().to_string();
        for (at, aim) in [
            ("relative", "a".to_owned()),
            ("d/up", "../a".to_owned()),
            ("absolute", long("p/d/e/f")),
            ("folder", long("p/d")),
            ("round", "d/e/../../a".to_owned()),
            ("file", long("out/x")),
            ("outside", "../out".to_owned()),
            ("null", "/dev/null".to_owned()),
            ("zero", "/dev/zero".to_owned()),
            ("around", "..".to_owned()),
            ("unreadable", "/proc/self/mem".to_owned()),
            ("large", long("big")),
            ("new", long("out/new")),
            ("new-inside", long("p/new")),
            ("new-beside", "later".to_owned()),
        ] {
            symlink(aim, project.join(at)).unwrap();
        }
        // A target outside can link back into the project, to its own files, and to other places outside.
        symlink(project.join("a"), out.join("back")).unwrap();
        symlink("sub/y", out.join("own")).unwrap();
        symlink(&out, out.join("sub/again")).unwrap();
        let left = copy_tree(&project, &copy, &CopyStop::new()).unwrap();
        let mut found = BTreeMap::new();
        everything(&copy, &copy, &mut found);
        let to = |name: &str| format!("-> {}", copy.join(name).display());
        let want: BTreeMap<String, String> = [
            ("a", "a".to_owned()),
            ("d/e/f", "f".to_owned()),
            ("relative", "-> a".to_owned()),
            ("d/up", "-> ../a".to_owned()),
            ("absolute", to("d/e/f")),
            ("folder", to("d")),
            ("round", to("a")),
            ("file", "x".to_owned()),
            ("outside/x", "x".to_owned()),
            ("outside/sub/y", "y".to_owned()),
            ("outside/back", to("a")),
            ("outside/own", "-> sub/y".to_owned()),
            ("outside/sub/again", to("outside")),
            ("null", "-> /dev/null".to_owned()),
            ("new-inside", to("new")),
            ("new-beside", "-> later".to_owned()),
        ]
        .map(|(name, text)| (name.to_owned(), text))
        .into();
        assert_eq!(found, want);
        let mut names: Vec<&str> = left.iter().filter_map(|text| text.split(' ').next()).collect();
        names.sort_unstable();
        assert_eq!(names, ["around", "large", "new", "unreadable", "zero"], "{left:?}");
    }
}

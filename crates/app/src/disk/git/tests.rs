//! Compares the results of this module with those of git itself.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use pretty_assertions::assert_eq;

use super::*;

fn git(directory: &Path, args: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args(["-c", "user.name=u", "-c", "user.email=u@x", "-c", "commit.gpgsign=false"]);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null").args(args);
    let done = command.output().unwrap();
    done.status.success().then(|| String::from_utf8_lossy(&done.stdout).trim_end_matches('\n').to_owned())
}

#[track_caller]
fn must(directory: &Path, args: &[&str]) -> String {
    git(directory, args).unwrap_or_else(|| panic!("git {args:?}"))
}

fn put(directory: &Path, file: &str, text: impl AsRef<[u8]>) {
    let path = directory.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn commit_all(directory: &Path, says: &str) {
    must(directory, &["add", "-A"]);
    must(directory, &["commit", "-q", "--allow-empty", "-m", says]);
}

/// Creates versions of a long text, which packs store as deltas of one another.
fn history(directory: &Path, more: &[&str]) {
    must(directory, &[&["init", "-q", "-b", "main"], more].concat());
    let long: Vec<String> = (0..2_000).map(|n| format!("line {n} {}\n", n * 7919 % 1013)).collect();
    for version in 0..5 {
        put(directory, "long.txt", format!("{}version {version}\n", long.concat()));
        put(directory, &format!("d/e{version}/f"), format!("{version}"));
        commit_all(directory, &format!("v{version}"));
    }
    must(directory, &["tag", "-a", "v1.0", "-m", "tag"]);
    must(directory, &["checkout", "-q", "-b", "side/way", "HEAD~2"]);
    put(directory, "side", "x");
    commit_all(directory, "side");
    must(directory, &["tag", "light"]);
    must(directory, &["checkout", "-q", "main"]);
    must(directory, &["merge", "-q", "--no-ff", "-m", "merge", "side/way"]);
    must(directory, &["branch", "same", "HEAD~1"]);
    must(directory, &["branch", "--set-upstream-to=side/way", "same"]);
}

/// Checks every named commit, every file of each commit, and every blob.
#[track_caller]
fn agrees(directory: &Path) {
    let repository = Repository::of(directory).unwrap();
    let head = must(directory, &["rev-parse", "HEAD"]);
    let names = [
        "HEAD",
        "@",
        "main",
        "side/way",
        "heads/main",
        "refs/tags/light",
        "light",
        "v1.0",
        "v1.0^{}",
        "v1.0^{commit}",
        "HEAD~1",
        "HEAD~",
        "HEAD^",
        "HEAD^^",
        "HEAD^2",
        "HEAD^2~1",
        "HEAD~3^0",
        "HEAD~20",
        "HEAD^3",
        "main@{0}",
        "main@{1}",
        "@{1}",
        "HEAD@{2}",
        "@{-1}",
        "same@{upstream}",
        "same@{u}",
        "main@{u}",
        "nowhere",
        "--help",
        "",
        "HEAD^{tree}",
        "../config",
        "origin",
        "origin/main",
        "v1.0-3-gabc",
        "ffffffff",
    ];
    for name in names.into_iter().chain([&head[..7], &head[..12], &head]) {
        let want =
            git(directory, &["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{name}^{{commit}}")]);
        let want = want.filter(|_| name != "HEAD^{tree}");
        assert_eq!(repository.resolve(name).ok().map(|id| id.to_string()), want, "{name}");
    }
    for commit in must(directory, &["rev-list", "--all"]).lines() {
        let files = repository.files(&repository.resolve(commit).unwrap()).unwrap();
        let listed: Vec<String> =
            files.iter().map(|(path, blob)| format!("{:06o} {} {path}", blob.mode, blob.id)).collect();
        let format = "--format=%(objectmode) %(objectname) %(path)";
        let mut want: Vec<String> =
            must(directory, &["ls-tree", "-r", "--full-tree", format, commit]).lines().map(str::to_owned).collect();
        want.sort_by_key(|line| line.split(' ').nth(2).map(str::to_owned));
        assert_eq!(listed, want, "{commit}");
        for (path, blob) in files {
            let want = must(directory, &["cat-file", "blob", &blob.id.to_string()]);
            let bytes = repository.blob(&blob.id, 1 << 20).unwrap();
            assert_eq!(String::from_utf8_lossy(&bytes).trim_end_matches('\n'), want, "{commit} {path}");
        }
    }
}

#[test]
fn commits_are_those_that_git_reads() {
    for more in [&[][..], &["--object-format=sha256"]] {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let (first, borrowed) = (root.join("first"), root.join("borrowed"));
        fs::create_dir(&first).unwrap();
        history(&first, more);
        agrees(&first);
        must(&first, &["gc", "-q", "--aggressive"]);
        assert!(fs::read_dir(first.join(".git/objects/pack")).unwrap().count() > 1);
        agrees(&first);
        put(&first, "loose", "beside a pack");
        commit_all(&first, "more");
        agrees(&first);
        must(&root, &["clone", "-q", "--shared", "first", "borrowed"]);
        agrees(&borrowed);
        must(&first, &["worktree", "add", "-q", "../linked", "side/way"]);
        agrees(&root.join("linked"));
    }
}

#[test]
fn what_is_missing_or_foreign_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    assert_eq!(Repository::of(&root).unwrap_err(), GitError::NoRepository);
    history(&root, &[]);
    let repository = Repository::of(&root.join("d/e1")).unwrap();
    assert_eq!(repository.root, root);
    let files = repository.files(&repository.resolve("HEAD").unwrap()).unwrap();
    let id = files.get("long.txt").unwrap().id.clone();
    assert_eq!(repository.blob(&id, 100).unwrap_err(), GitError::TooLarge(id.clone(), 0));
    let name = id.to_string();
    let object = root.join(".git/objects").join(&name[..2]).join(&name[2..]);
    fs::set_permissions(&object, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(&object, "nonsense").unwrap();
    assert_eq!(repository.blob(&id, 1 << 20).unwrap_err(), GitError::Damaged(id.clone()));
    fs::remove_file(&object).unwrap();
    assert_eq!(repository.blob(&id, 1 << 20).unwrap_err(), GitError::Missing(id.clone()));
    symlink("/dev/zero", &object).unwrap();
    assert!(matches!(repository.blob(&id, 1 << 20), Err(GitError::Unreadable(_))));
    // A bare repository may be part of another repository's files.
    let bare = root.join("bare");
    must(&root, &["init", "-q", "--bare", "bare"]);
    assert_eq!(Repository::of(&bare).unwrap().root, root);
}

/// git's counts of staged, changed, untracked and conflicting files, and its list of files.
fn said(directory: &Path) -> ([usize; 4], Vec<String>) {
    let text = must(directory, &["status", "--porcelain=v2", "-z", "--untracked-files=normal"]);
    let mut counts = [0; 4];
    let mut entries = text.split('\0');
    while let Some(entry) = entries.next() {
        let letter = |at: usize| usize::from(entry.chars().nth(at).is_some_and(|c| c != '.'));
        match entry.chars().next() {
            Some('1' | '2') => {
                counts[0] += letter(2);
                counts[1] += letter(3);
                if entry.starts_with('2') {
                    entries.next();
                }
            }
            Some('?') => counts[2] += 1,
            Some('u') => counts[3] += 1,
            _ => {}
        }
    }
    let files = must(directory, &["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "-z"]);
    let mut files: Vec<String> = files.split('\0').filter(|file| !file.is_empty()).map(str::to_owned).collect();
    files.sort();
    (counts, files)
}

#[track_caller]
fn stands_alike(directory: &Path, when: &str) {
    let found = status(directory, Path::new("/nowhere"), &|| true).unwrap().unwrap();
    let counts = [found.staged, found.changed, found.untracked, found.conflicts];
    assert_eq!((counts, found.files), said(directory), "{when}");
}

#[test]
fn a_repository_stands_as_git_says() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let step = |when: &str| stands_alike(&root, when);
    must(&root, &["init", "-q", "-b", "main"]);
    put(&root, "a/b/c", "1");
    put(&root, ".gitignore", "*.log\n/out/\nkeep/*\n!keep/this\n");
    for file in ["x.log", "out/y", "keep/this", "keep/that", "n/.gitignore", "n/z", "n/m/w"] {
        put(&root, file, if file == "n/.gitignore" { "w\n" } else { "text\n" });
    }
    fs::create_dir_all(root.join("empty/er")).unwrap();
    step("nothing is committed");
    must(&root, &["add", "a", ".gitignore"]);
    step("something is staged");
    commit_all(&root, "one");
    step("all is committed");
    put(&root, "a/b/c", "2");
    step("one is changed, of the same size");
    put(&root, "a/b/c", "1");
    step("it is as it was, and was written");
    must(&root, &["add", "-A"]);
    fs::remove_file(root.join("n/z")).unwrap();
    fs::set_permissions(root.join("keep/this"), fs::Permissions::from_mode(0o755)).unwrap();
    step("one is gone, one may be run");
    must(&root, &["mv", "a/b/c", "a/moved"]);
    must(&root, &["add", "-A"]);
    step("that is staged, and one was moved");
    commit_all(&root, "two");
    symlink("a", root.join("link")).unwrap();
    put(&root, "new/deep/er/file", "");
    put(&root, "a/beside", "");
    put(&root, "new/x.log", "");
    put(&root, "only/x.log", "");
    step("untracked folders and files");
    must(&root, &["init", "-q", "inner"]);
    put(&root, "inner/file", "");
    must(&root.join("inner"), &["add", "-A"]);
    must(&root.join("inner"), &["commit", "-q", "-m", "x"]);
    step("a repository in it");
    must(&root, &["-c", "advice.addEmbeddedRepo=false", "add", "-A"]);
    step("as a submodule");
    commit_all(&root, "three");
    put(&root.join("inner"), "file", "2");
    commit_all(&root.join("inner"), "moved on");
    step("another commit of the submodule");
    must(&root, &["add", "-A"]);
    commit_all(&root, "four");
    must(&root, &["checkout", "-q", "-b", "other", "HEAD~2"]);
    put(&root, "a/moved", "theirs");
    commit_all(&root, "theirs");
    must(&root, &["checkout", "-q", "main"]);
    put(&root, "a/moved", "ours");
    commit_all(&root, "ours");
    assert_eq!(git(&root, &["merge", "-q", "other"]), None);
    step("a conflict");
    must(&root, &["checkout", "-q", "--ours", "."]);
    must(&root, &["reset", "-q", "--hard"]);
    put(&root, "later", "");
    must(&root, &["add", "-N", "later"]);
    step("announced");
    must(&root, &["update-index", "--assume-unchanged", "a/moved"]);
    put(&root, "a/moved", "not looked at");
    step("not looked at");
    must(&root, &["update-index", "--index-version", "4"]);
    step("another index");
    let time = || false;
    assert_eq!(status(&root, Path::new("/nowhere"), &time).unwrap(), None);
}

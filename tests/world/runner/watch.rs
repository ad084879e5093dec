//! Watching files through every kind of change.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use hookbench::core::config::Watchlist;
use hookbench::watch::{WatchReport, Watcher, watch};
use pretty_assertions::assert_eq;
use tempfile::TempDir;

/// The timeout for one report. Nothing takes this long, so a test that reaches it hangs.
const HANGS: Duration = Duration::from_secs(120);

struct WatchedDirectory {
    root: TempDir,
    watcher: Watcher,
    changes: Receiver<Vec<PathBuf>>,
}

fn list(root: &Path, files: &[&str]) -> Watchlist {
    let files = files.iter().map(|path| root.join(path)).collect();
    Watchlist { files, quiet: Duration::from_millis(10), ..Watchlist::default() }
}

impl WatchedDirectory {
    /// Calls `prepare` with an empty directory, then watches these paths in it.
    fn new(paths: &[&str], prepare: impl FnOnce(&Path)) -> WatchedDirectory {
        let root = tempfile::tempdir().expect("a folder");
        prepare(root.path());
        let (sender, changes) = channel();
        let watcher = watch(list(root.path(), paths), move |report| match report {
            WatchReport::Changed { paths, .. } => drop(sender.send(paths)),
            WatchReport::Lost(why) => panic!("{why}"),
            WatchReport::Restored => {}
        });
        WatchedDirectory { root, watcher, changes }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    /// Waits until exactly these are reported.
    fn expect(&self, paths: &[&str]) {
        let changed = self.changes.recv_timeout(HANGS).expect("a change is reported");
        assert_eq!(changed, paths.iter().map(|path| self.at(path)).collect::<Vec<_>>());
    }

    /// Asserts that nothing else was reported: the next change is the next report.
    fn expect_only(&self, path: &str) {
        fs::write(self.at(path), format!("changed once more: {path}")).expect("a file");
        self.expect(&[path]);
    }
}

#[test]
fn written_in_place() {
    let watched = WatchedDirectory::new(&["a", "b"], |root| {
        fs::write(root.join("a"), "1").unwrap();
    });
    fs::write(watched.at("a"), "2").unwrap();
    watched.expect(&["a"]);
    fs::write(watched.at("b"), "new").unwrap();
    watched.expect(&["b"]);
}

#[test]
fn what_is_the_same_is_not_reported() {
    let watched = WatchedDirectory::new(&["a", "b"], |root| {
        fs::write(root.join("a"), "1").unwrap();
        fs::write(root.join("b"), "1").unwrap();
    });
    fs::write(watched.at("unrelated"), "x").unwrap();
    // Replaced by the same bytes, and touched.
    fs::write(watched.at("a.tmp"), "1").unwrap();
    fs::rename(watched.at("a.tmp"), watched.at("a")).unwrap();
    fs::File::options().append(true).open(watched.at("a")).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
    watched.expect_only("b");
}

#[test]
fn saved_by_rename_again_and_again() {
    let watched = WatchedDirectory::new(&["settings.json"], |root| {
        fs::write(root.join("settings.json"), "0").unwrap();
    });
    for round in ["1", "2", "3"] {
        fs::write(watched.at(".settings.json.swp"), round).unwrap();
        fs::rename(watched.at(".settings.json.swp"), watched.at("settings.json")).unwrap();
        watched.expect(&["settings.json"]);
    }
}

#[test]
fn deleted_and_made_again() {
    let watched = WatchedDirectory::new(&["a"], |root| {
        fs::write(root.join("a"), "1").unwrap();
    });
    fs::remove_file(watched.at("a")).unwrap();
    watched.expect(&["a"]);
    fs::write(watched.at("a"), "1").unwrap();
    watched.expect(&["a"]);
}

#[test]
fn made_executable() {
    let watched = WatchedDirectory::new(&["hook.sh"], |root| {
        fs::write(root.join("hook.sh"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(root.join("hook.sh"), fs::Permissions::from_mode(0o644)).unwrap();
    });
    fs::set_permissions(watched.at("hook.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    watched.expect(&["hook.sh"]);
}

#[test]
fn directories_that_come_later() {
    let watched = WatchedDirectory::new(&["x/y/z/settings.json"], |_| {});
    fs::create_dir_all(watched.at("x/y/z")).unwrap();
    fs::write(watched.at("x/y/z/settings.json"), "{}").unwrap();
    watched.expect(&["x/y/z/settings.json"]);
    watched.expect_only("x/y/z/settings.json");
}

#[test]
fn a_directory_that_is_replaced() {
    let watched = WatchedDirectory::new(&[".claude/settings.json"], |root| {
        fs::create_dir(root.join(".claude")).unwrap();
        fs::write(root.join(".claude/settings.json"), "1").unwrap();
    });
    for round in ["2", "3", "4"] {
        fs::remove_dir_all(watched.at(".claude")).unwrap();
        watched.expect(&[".claude/settings.json"]);
        fs::create_dir(watched.at(".claude")).unwrap();
        fs::write(watched.at(".claude/settings.json"), round).unwrap();
        watched.expect(&[".claude/settings.json"]);
    }
    // Replaced at once, while a file in it is open.
    let inside = fs::File::open(watched.at(".claude")).unwrap();
    fs::rename(watched.at(".claude"), watched.at("old")).unwrap();
    fs::create_dir(watched.at(".claude")).unwrap();
    fs::write(watched.at(".claude/settings.json"), "5").unwrap();
    watched.expect(&[".claude/settings.json"]);
    watched.expect_only(".claude/settings.json");
    drop(inside);
}

/// Whatever is replaced on the way to a file: a directory far above it, or the target of a link.
#[test]
fn a_way_that_leads_elsewhere() {
    let watched = WatchedDirectory::new(&["a/b/c/settings.json", "link/d/settings.json"], |root| {
        for (directory, text) in [("a/b/c", "1"), ("other/b/c", "2"), ("one/d", "1"), ("two/d", "2")] {
            fs::create_dir_all(root.join(directory)).unwrap();
            fs::write(root.join(directory).join("settings.json"), text).unwrap();
        }
        symlink("one", root.join("link")).unwrap();
    });
    fs::rename(watched.at("a"), watched.at("before")).unwrap();
    watched.expect(&["a/b/c/settings.json"]);
    fs::rename(watched.at("other"), watched.at("a")).unwrap();
    watched.expect(&["a/b/c/settings.json"]);
    watched.expect_only("a/b/c/settings.json");
    symlink("two", watched.at("link.new")).unwrap();
    fs::rename(watched.at("link.new"), watched.at("link")).unwrap();
    watched.expect(&["link/d/settings.json"]);
    watched.expect_only("link/d/settings.json");
}

#[test]
fn what_a_link_leads_to() {
    let watched = WatchedDirectory::new(&["settings.json"], |root| {
        fs::create_dir(root.join("dotfiles")).unwrap();
        fs::write(root.join("dotfiles/settings.json"), "1").unwrap();
        symlink("dotfiles/settings.json", root.join("settings.json")).unwrap();
    });
    fs::write(watched.at("dotfiles/settings.json"), "2").unwrap();
    watched.expect(&["settings.json"]);
    fs::write(watched.at("other"), "3").unwrap();
    fs::remove_file(watched.at("settings.json")).unwrap();
    symlink("other", watched.at("settings.json")).unwrap();
    watched.expect(&["settings.json"]);
    fs::write(watched.at("other"), "4").unwrap();
    watched.expect(&["settings.json"]);
}

#[test]
fn other_paths_later() {
    let mut watched = WatchedDirectory::new(&["a"], |_| {});
    watched.watcher.set(list(watched.root.path(), &["b/c"]));
    fs::write(watched.at("a"), "1").unwrap();
    fs::create_dir(watched.at("b")).unwrap();
    fs::write(watched.at("b/c"), "1").unwrap();
    watched.expect(&["b/c"]);
    watched.expect_only("b/c");
}

#[test]
fn what_could_block_is_not_read() {
    let watched = WatchedDirectory::new(&["pipe", "a"], |root| {
        assert!(std::process::Command::new("mkfifo").arg(root.join("pipe")).status().unwrap().success());
    });
    watched.expect_only("a");
}

//! The edit loop of a hook author with real files and processes. After each change that must not fire, a save that
//! does fire follows, and all firings are counted.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command as Process;

use hookbench::app::{Command, Session};
use hookbench::core::decide::Verdict;
use pretty_assertions::assert_eq;

use crate::author::{Author, DENIES, SILENT, firings, settings};

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_save_fires_every_pinned_event() {
    let mut author = Author::new(SILENT, &["rm", "ls"], |_| {}).await;
    author.save("hooks/guard.sh", DENIES);
    author.wait_for_firings(2).await;
    assert_eq!(author.verdicts(), [Some(Verdict::Deny), Some(Verdict::Deny)]);
    author.save("hooks/guard.sh", "#!/bin/sh\ngrep -q '\"rm\"' && exit 2\nexit 0\n");
    author.wait_for_firings(4).await;
    assert_eq!(author.verdicts(), [Some(Verdict::Deny), Some(Verdict::NoObjection)]);
    assert_eq!(author.session.auto_fire().pins[1].before, Some(Verdict::Deny));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_changes_something_fires() {
    let mut author = Author::new(SILENT, &["rm"], |project| {
        fs::write(project.join("hooks/rules.json"), "1").unwrap();
        fs::create_dir_all(project.join("hooks/lib/deep")).unwrap();
        fs::write(project.join("hooks/lib/deep/x.py"), "1").unwrap();
    })
    .await;
    let script = author.path_of("hooks/guard.sh");
    // Saved unchanged, touched, made group-writable.
    author.save("hooks/guard.sh", SILENT);
    fs::File::options().append(true).open(&script).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
    chmod(&script, 0o775);
    // Files that are not source files or belong to no hook.
    fs::write(author.path_of("hooks/run.log"), "x").unwrap();
    fs::write(author.path_of("README.md"), "x").unwrap();
    // The settings in another format, and another setting.
    let text = serde_json::to_string_pretty(&settings("Bash", "small", 60)).unwrap();
    author.save(".claude/settings.json", &text);
    author.save(".claude/settings.json", &settings("Bash", "large", 60).to_string());
    let mut fired = 0;
    for (what, change) in [
        ("not to be started", &(|a: &Author| chmod(&a.path_of("hooks/guard.sh"), 0o644)) as &dyn Fn(&Author)),
        ("to be started", &|a| chmod(&a.path_of("hooks/guard.sh"), 0o755)),
        ("written in place", &|a| fs::write(a.path_of("hooks/guard.sh"), DENIES).unwrap()),
        ("beside it", &|a| fs::write(a.path_of("hooks/rules.json"), "2").unwrap()),
        ("below it", &|a| fs::write(a.path_of("hooks/lib/deep/x.py"), "2").unwrap()),
        ("a new one beside it", &|a| fs::write(a.path_of("hooks/more.py"), "2").unwrap()),
        ("a new one, changed", &|a| fs::write(a.path_of("hooks/more.py"), "3").unwrap()),
        ("gone from beside it", &|a| fs::remove_file(a.path_of("hooks/more.py")).unwrap()),
        ("another matcher", &|a| a.save(".claude/settings.json", &settings("Write", "", 60).to_string())),
    ] {
        change(&author);
        fired += 1;
        println!("{what}");
        author.wait_for_firings(fired).await;
    }
    let verdicts: Vec<Verdict> =
        firings(&author.session).into_iter().map(|f| f.outcome.as_ref().unwrap().verdict).collect();
    assert_eq!(verdicts[..3], [Verdict::FailedOpen, Verdict::NoObjection, Verdict::Deny]);
    assert_eq!(verdicts.last(), Some(&Verdict::NotRun), "no hook is for it any more, and the pin shows it");
    assert_eq!(author.session.auto_fire().pins[0].before, Some(Verdict::Deny));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_save_in_mid_run_supersedes_whoever_started_it() {
    let mut author = Author::new("#!/bin/sh\necho up\nexec sleep 300\n", &["rm", "ls"], |_| {}).await;
    author.bench("ls");
    author.command(Command::Fire);
    author.until(|s| up(s, 1)).await;
    author.save("hooks/guard.sh", "#!/bin/sh\n# again\necho up\nexec sleep 300\n");
    author.until(|s| up(s, 2)).await;
    author.save("hooks/guard.sh", DENIES);
    author.wait_for_firings(4).await;
    assert_eq!(author.results(), ["1 ls superseded", "2 rm superseded", "3 rm DENY", "4 ls DENY"]);
    assert_eq!(author.session.auto_fire().pins[0].before, None, "what was superseded is no verdict");
    for id in [1, 2] {
        let pid = author.firing(id).runs[0].pid.unwrap();
        assert!(!fs::exists(format!("/proc/{pid}")).unwrap(), "it is gone");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_hooks_write_does_not_fire_them() {
    for (what, script) in [
        ("beside itself", "date +%N >> hooks/state.json; exit 2"),
        ("a source that was not there", "date +%N > hooks/log-$$.py; exit 2"),
        ("its own script, touched", "touch hooks/guard.sh; exit 2"),
        ("its own mode", "chmod g+w hooks/guard.sh; exit 2"),
        ("its settings, with other words", "sed -i s/current/older/ .claude/settings.json; exit 2"),
        ("in the background", "(date +%N > hooks/late.json; sleep 0.02; date +%N > hooks/late.json) & exit 2"),
    ] {
        let mut author =
            Author::new(SILENT, &["rm"], |project| fs::write(project.join("hooks/state.json"), "").unwrap()).await;
        let script = format!("#!/bin/sh\ncd \"$CLAUDE_PROJECT_DIR\"\n{script}\n");
        author.save("hooks/guard.sh", &script);
        author.wait_for_firings(1).await;
        // The author's own save of the same file fires again.
        author.save("hooks/state.json", what);
        author.wait_for_firings(2).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_writes_its_own_script_is_found_out() {
    let mut author = Author::new(SILENT, &["rm"], |_| {}).await;
    let script = "#!/bin/sh\ncd \"$CLAUDE_PROJECT_DIR\"\necho \"# $$\" >> hooks/guard.sh\nexit 2\n";
    author.save("hooks/guard.sh", script);
    author.wait_for_message("changes after every run").await;
    author.wait_until_calm().await;
    let fired = author.session.history().len();
    assert!(author.session.auto_fire().armed, "{:#?}", author.results());
    // The author's save fires, and the hook's write in response does not.
    author.save("hooks/guard.sh", script);
    author.wait_for_firings(fired + 1).await;
    author.save("hooks/guard.sh", DENIES);
    author.wait_for_firings(fired + 2).await;
}

/// Returns true if this many firings exist and the hook of the last one runs.
fn up(session: &Session, count: usize) -> bool {
    session.history().len() == count && firings(session)[count - 1].runs.iter().any(|r| !r.stdout.head.is_empty())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_fires_once_after_it() {
    let mut author = Author::new(SILENT, &["rm"], |project| {
        for n in 0..200 {
            fs::write(project.join(format!("hooks/part{n}.py")), "1").unwrap();
        }
    })
    .await;
    for round in ["2", "3"] {
        for n in 0..200 {
            author.save(&format!("hooks/part{n}.py"), round);
        }
    }
    author.save("hooks/guard.sh", DENIES);
    author.until(|s| s.auto_fire().pins[0].verdict == Some(Verdict::Deny)).await;
    author.wait_until_calm().await;
    // On a loaded machine the storm itself may pause, and then it is two storms; 401 saves never are 401 firings.
    // What is saved while a hook runs is reported and does not fire.
    let results = author.results();
    let results: Vec<_> = results.into_iter().filter(|result| !result.contains("changed while a hook ran")).collect();
    assert!(results.len() <= 4 && results.last().is_some_and(|last| last.ends_with(" rm DENY")), "{results:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn saves_like_a_clock_end_with_the_last_one() {
    let mut author = Author::new(SILENT, &["rm"], |_| {}).await;
    for n in 1..=7 {
        author.save("hooks/guard.sh", &format!("#!/bin/sh\necho {n}\n"));
        // The next save follows when this one was noticed, so the intervals are equal.
        author.until(|s| s.history().len() >= n.min(3) && firings(s).iter().all(|f| f.settled)).await;
        author.wait_until_calm().await;
    }
    let last =
        |s: &Session| s.history().newest_record().is_some_and(|f| f.runs.iter().any(|r| r.stdout.head == b"7\n"));
    author.until(last).await;
}

fn git(directory: &Path, line: &str) {
    let done = Process::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"])
        .args(line.split(' '))
        .current_dir(directory)
        .env("HOME", directory)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("git starts");
    assert!(done.status.success(), "git {line}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Two branches: on `main` the hook is silent, on `other` it denies.
fn branches(directory: &Path) {
    git(directory, "init -q");
    git(directory, "add -A");
    git(directory, "commit -qm silent");
    git(directory, "checkout -qb other");
    fs::write(directory.join("hooks/guard.sh"), DENIES).expect("a file");
    git(directory, "commit -qam denies");
    git(directory, "checkout -q main");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_checkout_disarms_before_anything_fires() {
    for (what, says) in [
        ("checkout -q other", "the branch has changed"),
        ("checkout -q --detach other", "the branch has changed"),
        ("switch -qc third other", "the branch has changed"),
        ("reset -q --hard other", "another commit was checked out"),
        ("merge -q other", "another commit was checked out"),
        ("rebase -q other", "was checked out"),
    ] {
        let mut author = Author::new(SILENT, &["rm"], branches).await;
        git(&author.path_of(""), what);
        println!("{what}");
        author.wait_for_message("auto-fire is off").await;
        assert!(
            author.messages.iter().any(|m| m.contains(says) || what.starts_with("rebase")),
            "{:?}",
            author.messages
        );
        assert!(author.session.history().is_empty(), "{what}: {:#?}", author.results());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_linked_working_tree_and_packed_branches_disarm_too() {
    let mut author = Author::new(SILENT, &["rm"], |project| {
        let away = project.parent().unwrap().join("away");
        fs::create_dir(&away).unwrap();
        fs::write(away.join("guard.sh"), SILENT).unwrap();
        git(&away, "init -q");
        git(&away, "add -A");
        git(&away, "commit -qm silent");
        git(&away, "branch side");
        git(&away, "pack-refs --all");
        // The project becomes a working tree of a repository elsewhere.
        git(&away, "worktree add -q ../linked side");
        fs::rename(project.parent().unwrap().join("linked/.git"), project.join(".git")).unwrap();
        git(project, "worktree repair");
        git(project, "add -A");
        git(project, "commit -qm here");
        git(project, "branch third");
        fs::write(project.join("hooks/guard.sh"), DENIES).unwrap();
        git(project, "commit -qam denies");
        git(project, "pack-refs --all");
    })
    .await;
    git(&author.path_of(""), "checkout -q third");
    author.wait_for_message("the branch has changed").await;
    assert!(author.session.history().is_empty(), "{:#?}", author.results());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_git_does_without_a_checkout_is_a_save_or_nothing() {
    let mut author = Author::new(SILENT, &["rm"], branches).await;
    author.save("hooks/guard.sh", DENIES);
    author.wait_for_firings(1).await;
    git(&author.path_of(""), "commit -qam mine");
    git(&author.path_of(""), "status");
    git(&author.path_of(""), "pack-refs --all");
    author.save("hooks/guard.sh", SILENT);
    author.wait_for_firings(2).await;
    git(&author.path_of(""), "stash -q");
    author.wait_for_firings(3).await;
    assert!(author.session.auto_fire().armed, "{:#?}", author.messages);
    assert_eq!(author.verdicts(), [Some(Verdict::Deny)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_definition_without_consent_waits_and_goes_on_with_it() {
    let mut author = Author::with_consent(false, SILENT, &["rm", "ls"], |_| {}).await;
    author.save("hooks/guard.sh", DENIES);
    author.until(|s| s.auto_fire().pins.iter().all(|p| p.needs_consent)).await;
    assert!(author.session.history().is_empty());
    author.command(Command::UsePin(1));
    author.command(Command::Fire);
    assert!(author.session.bench().consent.is_some(), "it asks");
    author.command(Command::GiveConsent);
    author.wait_for_firings(2).await;
    assert_eq!(author.verdicts(), [Some(Verdict::Deny), Some(Verdict::Deny)]);
    assert!(author.session.auto_fire().pins.iter().all(|p| !p.needs_consent));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_that_goes_and_comes_back_is_watched_on() {
    let mut author = Author::new(SILENT, &["rm"], |_| {}).await;
    let (project, away) = (author.path_of(""), author.root().join("away"));
    fs::rename(&project, &away).unwrap();
    author.until(|s| s.loaded().is_some_and(|l| l.definitions.is_empty())).await;
    fs::rename(&away, &project).unwrap();
    author.until(|s| s.loaded().is_some_and(|l| !l.definitions.is_empty())).await;
    author.wait_until_calm().await;
    author.save("hooks/guard.sh", DENIES);
    author.until(|s| s.auto_fire().pins[0].verdict == Some(Verdict::Deny)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_sub_agent_is_seen() {
    let mut author = Author::new(SILENT, &["rm"], |_| {}).await;
    let count = author.session.loaded().unwrap().definitions.len();
    fs::create_dir_all(author.path_of(".claude/skills/new")).unwrap();
    fs::create_dir_all(author.path_of(".claude/agents")).unwrap();
    let head = "---\nname: x\nhooks:\n  PreToolUse:\n    - hooks:\n        - {type: command, command: 'true'}\n---\n";
    fs::write(author.path_of(".claude/agents/x.md"), head).unwrap();
    author.until(|s| s.loaded().is_some_and(|l| l.definitions.len() == count + 1)).await;
    fs::write(author.path_of(".claude/skills/new/SKILL.md"), head).unwrap();
    author.until(|s| s.loaded().is_some_and(|l| l.definitions.len() == count + 2)).await;
}

//! The author's loop with real files and real processes. What must not fire is followed by a save that does, and all
//! firings are counted.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command as Process;

use hookbench::app::Command;
use hookbench::core::decide::Verdict;
use pretty_assertions::assert_eq;

use crate::author::{Author, DENIES, SILENT, settings};

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_save_fires_every_pinned_event() {
    let mut author = Author::new(SILENT, &["rm", "ls"], |_| {}).await;
    author.save("hooks/guard.sh", DENIES);
    author.fired(2).await;
    assert_eq!(author.verdicts(), [Some(Verdict::Deny), Some(Verdict::Deny)]);
    author.save("hooks/guard.sh", "#!/bin/sh\ngrep -q '\"rm\"' && exit 2\nexit 0\n");
    author.fired(4).await;
    assert_eq!(author.verdicts(), [Some(Verdict::Deny), Some(Verdict::NoObjection)]);
    assert_eq!(author.session.watch.pins[1].before, Some(Verdict::Deny));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_changes_something_fires() {
    let mut author = Author::new(SILENT, &["rm"], |project| {
        fs::write(project.join("hooks/rules.json"), "1").unwrap();
        fs::create_dir_all(project.join("hooks/lib/deep")).unwrap();
        fs::write(project.join("hooks/lib/deep/x.py"), "1").unwrap();
    })
    .await;
    let script = author.at("hooks/guard.sh");
    // Saved as it is, touched, shared with the group.
    author.save("hooks/guard.sh", SILENT);
    fs::File::options().append(true).open(&script).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
    chmod(&script, 0o775);
    // What is no source, and what belongs to no hook.
    fs::write(author.at("hooks/run.log"), "x").unwrap();
    fs::write(author.at("README.md"), "x").unwrap();
    // The settings in another dress, and another setting.
    let text = serde_json::to_string_pretty(&settings("Bash", "small")).unwrap();
    author.save(".claude/settings.json", &text);
    author.save(".claude/settings.json", &settings("Bash", "large").to_string());
    let mut fired = 0;
    for (what, change) in [
        ("not to be started", &(|a: &Author| chmod(&a.at("hooks/guard.sh"), 0o644)) as &dyn Fn(&Author)),
        ("to be started", &|a| chmod(&a.at("hooks/guard.sh"), 0o755)),
        ("written in place", &|a| fs::write(a.at("hooks/guard.sh"), DENIES).unwrap()),
        ("beside it", &|a| fs::write(a.at("hooks/rules.json"), "2").unwrap()),
        ("below it", &|a| fs::write(a.at("hooks/lib/deep/x.py"), "2").unwrap()),
        ("a new one beside it", &|a| fs::write(a.at("hooks/more.py"), "2").unwrap()),
        ("a new one, changed", &|a| fs::write(a.at("hooks/more.py"), "3").unwrap()),
        ("gone from beside it", &|a| fs::remove_file(a.at("hooks/more.py")).unwrap()),
        ("another matcher", &|a| a.save(".claude/settings.json", &settings("Write", "").to_string())),
    ] {
        change(&author);
        fired += 1;
        println!("{what}");
        author.fired(fired).await;
    }
    let verdicts: Vec<Verdict> = author.session.firings.iter().map(|f| f.outcome.as_ref().unwrap().verdict).collect();
    assert_eq!(verdicts[..3], [Verdict::FailedOpen, Verdict::NoObjection, Verdict::Deny]);
    assert_eq!(verdicts.last(), Some(&Verdict::NotRun), "no hook is for it any more, and the pin shows it");
    assert_eq!(author.session.watch.pins[0].before, Some(Verdict::Deny));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_save_in_mid_run_supersedes_whoever_started_it() {
    let mut author = Author::new("#!/bin/sh\nexec sleep 300\n", &["rm", "ls"], |_| {}).await;
    author.bench("ls");
    author.command(Command::Fire);
    author.save("hooks/guard.sh", "#!/bin/sh\n# again\nexec sleep 300\n");
    author.until(|s| s.firings.len() == 2 && s.firings[1].runs.iter().any(|r| r.pid.is_some())).await;
    author.save("hooks/guard.sh", DENIES);
    author.fired(4).await;
    assert_eq!(author.story(), ["1 ls superseded", "2 rm superseded", "3 rm DENY", "4 ls DENY"]);
    assert_eq!(author.session.watch.pins[0].before, None, "what was superseded is no verdict");
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
        ("its settings, with other words", "sed -i \"s/\\\"model\\\":\\\".*\\\"/\\\"model\\\":\\\"$$\\\"/\" .claude/settings.json; exit 2"),
        ("in the background", "(date +%N > hooks/late.json; sleep 0.02; date +%N > hooks/late.json) & exit 2"),
    ] {
        let mut author = Author::new(SILENT, &["rm"], |project| fs::write(project.join("hooks/state.json"), "").unwrap()).await;
        let script = format!("#!/bin/sh\ncd \"$CLAUDE_PROJECT_DIR\"\n{script}\n");
        author.save("hooks/guard.sh", &script);
        author.fired(1).await;
        // The author's own save of the same file counts again.
        author.save("hooks/state.json", what);
        author.fired(2).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_writes_its_own_script_is_found_out() {
    let mut author = Author::new(SILENT, &["rm"], |_| {}).await;
    let script = "#!/bin/sh\ncd \"$CLAUDE_PROJECT_DIR\"\necho \"# $$\" >> hooks/guard.sh\nexit 2\n";
    author.save("hooks/guard.sh", script);
    author.until(|s| s.messages.iter().any(|m| m.contains("changes after every run"))).await;
}

fn git(author: &Author, line: &str) {
    let done = Process::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b"])
        .args(line.split(' '))
        .current_dir(author.at(""))
        .env("HOME", author.root())
        .output()
        .unwrap();
    assert!(done.status.success(), "git {line}: {}", String::from_utf8_lossy(&done.stderr));
}

//! A hook author's project on the real disk: a watching session with its driver and real hooks.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, dead_code, reason = "tests fail by panicking")]

use hookbench::core::names::AgentId;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookbench::app::{
    Command, Consent, DiskFiles, Driver, Fact, FiringId, FiringRecord, InputRequest, Session, SessionEffect,
    SessionOptions, SessionUpdate, build_input, make_place,
};
use hookbench::core::decide::Verdict;
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::mpsc;

use crate::programs::write_program;

/// The timeout for one fact. Nothing takes this long, so a test that reaches it hangs.
const HANGS: Duration = Duration::from_secs(120);
const AGENT: &str = "claude";

pub const DENIES: &str = "#!/bin/sh\nexit 2\n";
pub const SILENT: &str = "#!/bin/sh\nexit 0\n";

pub struct Author {
    root: TempDir,
    pub session: Session,
    driver: Driver,
    facts: mpsc::Receiver<Fact>,
    pub messages: Vec<String>,
}

impl Author {
    /// Creates a project with one hook for every Bash call, `hooks/guard.sh`. Pins an event for each of `commands`,
    /// arms auto-fire and watches everything.
    pub async fn new(script: &str, commands: &[&str], prepare: impl FnOnce(&Path)) -> Author {
        Author::with_consent(true, script, commands, prepare).await
    }

    /// Like [`Author::new`]; `yes` gives consent to every command.
    pub async fn with_consent(yes: bool, script: &str, commands: &[&str], prepare: impl FnOnce(&Path)) -> Author {
        let root = tempfile::tempdir().unwrap();
        let project = root.path().canonicalize().unwrap().join("project");
        fs::create_dir_all(project.join("hooks")).unwrap();
        fs::create_dir_all(project.join(".claude")).unwrap();
        fs::create_dir_all(root.path().join("home")).unwrap();
        fs::write(project.join(".claude/settings.json"), settings("Bash", "current", 60).to_string()).unwrap();
        put(&project.join("hooks/guard.sh"), script);
        prepare(&project);
        let place = make_place(Some(&project), Some(&root.path().canonicalize().unwrap().join("home"))).unwrap();
        let options = SessionOptions { yes, keep_firings: 200, ..SessionOptions::default() };
        let session = Session::new(options, place, Box::new(DiskFiles), AgentId::new(AGENT), &[], Consent::default());
        let (sender, facts) = mpsc::channel(Driver::QUEUE);
        let driver = Driver::new(session.place().clone(), sender, 1.0).watching();
        let mut author = Author { root, session, driver, facts, messages: Vec::new() };
        author.command(Command::Reload);
        author.until(|s| s.agents().iter().all(|a| a.loaded.is_some())).await;
        for command in commands {
            author.bench(command);
            author.command(Command::TogglePin);
        }
        author.command(Command::SetAutoFire(true));
        author
    }

    /// Puts an event with this command on the bench.
    pub fn bench(&mut self, command: &str) {
        let request = InputRequest {
            agent: Some(AgentId::new(AGENT)),
            event: Some("PreToolUse".into()),
            payload: Some(json!({"tool_name": "Bash", "tool_input": {"command": command}})),
            ..InputRequest::default()
        };
        let version = |id: &str| self.session.agent(id).unwrap().version.clone();
        let built = build_input(&request, self.session.place(), &DiskFiles, &version).unwrap();
        self.session.put_input(built);
    }

    pub fn command(&mut self, command: Command) {
        let update = self.session.apply(command);
        self.perform(update);
    }

    fn perform(&mut self, update: SessionUpdate) {
        self.messages.extend(update.effects.into_iter().filter_map(|effect| match effect {
            SessionEffect::Message(says) | SessionEffect::ImpactKnown(says) => Some(says),
            _ => None,
        }));
        self.driver.perform(update.jobs);
    }

    /// Absorbs facts until the condition holds.
    pub async fn until(&mut self, holds: impl Fn(&Session) -> bool) {
        while !holds(&self.session) {
            self.absorb_next().await;
        }
    }

    async fn absorb_next(&mut self) {
        let fact = tokio::time::timeout(HANGS, self.facts.recv()).await;
        let fact = fact
            .unwrap_or_else(|_| {
                panic!(
                    "nothing happens any more: {:#?} {:?} {}",
                    self.results(),
                    self.session.loaded().map(|l| l.definitions.len()),
                    self.session.auto_fire().armed
                )
            })
            .unwrap();
        let update = self.session.absorb(fact);
        self.perform(update);
    }

    /// Absorbs facts until this many firings were started in total and all have settled.
    pub async fn wait_for_firings(&mut self, count: usize) {
        self.until(|s| s.history().len() >= count && firings(s).iter().all(|f| f.settled)).await;
        self.wait_until_calm().await;
        assert_eq!(self.session.history().len(), count, "{:#?}", self.results());
    }

    /// Waits until everything that a run may have written was noticed.
    pub async fn wait_until_calm(&mut self) {
        self.until(|s| !s.busy() && s.auto_fire().is_calm()).await;
    }

    pub fn path_of(&self, name: &str) -> PathBuf {
        self.session.place().project.clone().parse::<PathBuf>().unwrap().join(name)
    }

    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Saves as most editors do: writes a temporary file and renames it.
    pub fn save(&self, name: &str, text: &str) {
        put(&self.path_of(name), text);
    }

    /// Absorbs facts until a message contains this text.
    pub async fn wait_for_message(&mut self, text: &str) {
        while !self.messages.iter().any(|m| m.contains(text)) {
            self.absorb_next().await;
        }
    }

    /// The result of every firing, in order, and then the messages.
    pub fn results(&self) -> Vec<String> {
        let of = |f: &FiringRecord| {
            let command = f.input.body["tool_input"]["command"].as_str().unwrap_or("").to_owned();
            let how = f.outcome.as_ref().map_or("runs", |o| o.verdict.title());
            format!("{} {command} {}", f.id.0, if f.superseded { "superseded" } else { how })
        };
        // Messages that a save fires something are left out: the runs show that.
        let told =
            self.messages.iter().filter(|says| !says.contains(": firing pin ") && !says.contains(": firing this"));
        firings(&self.session).into_iter().map(of).chain(told.cloned()).collect()
    }

    pub fn firing(&self, id: u64) -> &FiringRecord {
        self.session.firing(FiringId(id)).unwrap()
    }

    pub fn verdicts(&self) -> Vec<Option<Verdict>> {
        self.session.auto_fire().pins.iter().map(|p| p.verdict).collect()
    }
}

/// The settings with the one hook and one unrelated key.
pub fn settings(matcher: &str, other: &str, timeout: usize) -> serde_json::Value {
    let command = "\"$CLAUDE_PROJECT_DIR\"/hooks/guard.sh";
    json!({
        "model": other,
        "hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [{"type": "command", "command": command, "timeout": timeout}]}]}
    })
}

fn put(path: &Path, text: &str) {
    let beside = path.with_extension("saving");
    write_program(&beside, text.as_bytes());
    fs::rename(beside, path).unwrap();
}

/// Returns every firing, oldest first.
pub fn firings(session: &Session) -> Vec<&FiringRecord> {
    session.history().rows().filter_map(|run| run.record()).collect()
}

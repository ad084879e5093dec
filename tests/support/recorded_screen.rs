//! A screen with a real store of recorded events. The test passes each of the store's answers to the screen.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookbench::app::{
    EventStoreRequest, EventStoreResponse, EventStoreWorker, Fact, Job, NewEvent, OpenMode, StateDir, Store,
    open_store, recorded_gist, run_long_job,
};
use hookbench::core::config::{Os, Place};
use hookbench::core::recorded::{PayloadSource, RecordedEvent, RecordedRun, RecordedSession};
use hookbench::core::run::{Exit, RunId, RunReport};
use hookbench::tui::{LoopRequest, Theme};

use crate::screen::{PROJECT, TestScreen, sample_files};

pub const COLOUR: Theme = Theme { colour: true, unicode: true };

/// A screen, its store, and the directory for both.
pub struct RecordedScreen {
    pub screen: TestScreen,
    pub store_worker: EventStoreWorker,
    pub place: Arc<Place>,
    pub directory: tempfile::TempDir,
    /// Every answer of the store so far.
    pub answers: Vec<EventStoreResponse>,
}

pub fn event(
    n: i64,
    agent: &str,
    name: &str,
    tool: Option<&str>,
    command: &str,
    verdict: Option<&str>,
) -> RecordedEvent {
    let payload = match tool {
        Some(tool) => serde_json::json!({"hook_event_name": name, "tool_name": tool, "cwd": PROJECT,
            "tool_input": {"command": command}}),
        None => serde_json::json!({"hook_event_name": name, "cwd": PROJECT, "prompt": command}),
    };
    let run = RecordedRun {
        hook: "guard.sh".to_owned(),
        command: Some("sh hooks/guard.sh".to_owned()),
        definition: None,
        layer: None,
        stdin: None,
        report: RunReport::new(RunId(0), Exit::Code(2), "", "refusing: \u{1b}[2Jrm\n"),
        partial: false,
    };
    RecordedEvent {
        id: format!("e{n}"),
        project: Some(PROJECT.to_owned()),
        subject: tool.map(str::to_owned),
        at: Some(1_795_185_062_000 + n * 1_000),
        payload_source: PayloadSource::ALL[usize::try_from(n).unwrap() % 4],
        runs: if verdict == Some("deny") { vec![run] } else { Vec::new() },
        verdict: verdict.map(str::to_owned),
        ..RecordedEvent::new(
            agent,
            &format!("session-{}", if agent == "claude" { "one" } else { "two" }),
            name,
            serde_json::to_vec(&payload).unwrap(),
        )
    }
}

/// Six events of two agents.
pub fn six() -> Vec<RecordedEvent> {
    vec![
        event(1, "claude", "UserPromptSubmit", None, "clean up", None),
        event(2, "claude", "PreToolUse", Some("Bash"), "rm -rf build", Some("deny")),
        event(3, "claude", "PreToolUse", Some("Edit"), "src/app.rs", Some("no_objection")),
        event(4, "gemini", "BeforeTool", Some("run_shell_command"), "git push \u{1b}]52;c;x\u{7}", Some("ask")),
        event(5, "gemini", "AfterTool", Some("replace"), "日本語のファイル", Some("failed_open")),
        event(6, "claude", "Stop", None, "", Some("allow")),
    ]
}

pub fn insert(store: &mut Store, events: &[RecordedEvent]) {
    let what: Vec<Option<String>> = events.iter().map(recorded_gist).collect();
    let session = |agent: &str, name: &str| RecordedSession {
        agent: agent.to_owned(),
        session: name.to_owned(),
        project: Some(PROJECT.to_owned()),
        ..RecordedSession::default()
    };
    let sessions = [session("claude", "session-one"), session("gemini", "session-two")];
    let incoming: Vec<NewEvent<'_>> =
        events.iter().zip(&what).map(|(event, what)| NewEvent::imported(event, what.as_deref())).collect();
    store.add(&sessions, &incoming, false).unwrap();
    store.continue_index(std::time::Duration::from_secs(60)).unwrap();
}

impl RecordedScreen {
    /// Opens the events page on a store with these events, or without a store for `None`.
    pub fn with(size: (u16, u16), theme: Theme, events: Option<&[RecordedEvent]>) -> RecordedScreen {
        let directory = tempfile::tempdir().unwrap();
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-hooks/shop");
        RecordedScreen::at(size, theme, events, directory, project)
    }

    /// Like `with`, with this state directory and this project.
    #[allow(clippy::needless_pass_by_value, reason = "every caller has one of its own")]
    pub fn at(
        size: (u16, u16),
        theme: Theme,
        events: Option<&[RecordedEvent]>,
        directory: tempfile::TempDir,
        project: PathBuf,
    ) -> RecordedScreen {
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let place = Arc::new(Place {
            project: text(&project),
            home: text(directory.path()),
            home_given: true,
            env: BTreeMap::from([
                ("XDG_STATE_HOME".to_owned(), text(directory.path())),
                ("PATH".to_owned(), "/bin:/usr/bin".to_owned()),
            ]),
            os: Os::Linux,
            ..Place::default()
        });
        if let Some(events) = events {
            std::fs::create_dir_all(directory.path().join("hookbench")).unwrap();
            insert(&mut open_store(&StateDir::of(&place), OpenMode::Write).unwrap(), events);
        }
        let screen = TestScreen::with(size, "claude", sample_files(), theme, false);
        let work = EventStoreWorker::new(Arc::clone(&place));
        let mut desk = RecordedScreen { screen, store_worker: work, place, directory, answers: Vec::new() };
        desk.keys("3");
        desk
    }

    pub fn new(size: (u16, u16)) -> RecordedScreen {
        RecordedScreen::with(size, COLOUR, Some(&six()))
    }

    /// Presses keys, and answers the store's requests after each.
    pub fn keys(&mut self, keys: &str) -> &mut RecordedScreen {
        for key in keys.split(' ') {
            self.screen.keys(key);
            self.answer_requests();
        }
        self
    }

    pub fn type_text(&mut self, text: &str) -> &mut RecordedScreen {
        for c in text.chars() {
            self.screen.type_text(&c.to_string());
            self.answer_requests();
        }
        self
    }

    /// Takes the requests to the store that have no answer yet.
    pub fn take_requests(&mut self) -> Vec<EventStoreRequest> {
        let asks = std::mem::take(&mut self.screen.asks);
        let (jobs, other): (Vec<LoopRequest>, Vec<LoopRequest>) =
            asks.into_iter().partition(|ask| matches!(ask, LoopRequest::Jobs(_)));
        self.screen.asks = other;
        let jobs = jobs.into_iter().flat_map(|ask| if let LoopRequest::Jobs(jobs) = ask { jobs } else { Vec::new() });
        jobs.filter_map(|job| if let Job::EventList(ask) = job { Some(ask) } else { None }).collect()
    }

    pub fn answer_requests(&mut self) {
        loop {
            let asked = self.take_requests();
            if asked.is_empty() {
                return;
            }
            for ask in asked {
                let mut told = Vec::new();
                let over = run_long_job(ask.clone(), &self.place, &mut |news| told.push(news), &|| false);
                let answer = over.or_else(|| self.store_worker.answer(ask));
                for news in told.into_iter().chain(answer) {
                    self.answers.push(news.clone());
                    self.screen.fact(Fact::EventList(news));
                }
            }
        }
    }

    pub fn text(&self) -> String {
        self.screen.text()
    }

    pub fn assert_shows(&self, words: &[&str]) -> &RecordedScreen {
        for word in words {
            assert!(self.text().contains(word), "{word} is not here:\n{}", self.text());
        }
        self
    }

    pub fn assert_hides(&self, word: &str) -> &RecordedScreen {
        assert!(!self.text().contains(word), "{word} is here:\n{}", self.text());
        self
    }

    pub fn selected(&self) -> i64 {
        self.screen.model.session.event_list().window.row().unwrap().seq
    }
}

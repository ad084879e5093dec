//! The screen without a terminal: a session over in-memory files. Tests press keys and supply the reports of runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use hookbench::app::lint::{FileChange, LintInput, LintLevels, find_problems};
use hookbench::app::{
    Command, Consent, Fact, FiringId, Installation, Job, Session, SessionOptions, SessionSettings, Task, TaskUpdate,
    UndoneFile, UndoneStep,
};
use hookbench::core::config::{FileError, Files, MemoryFiles, Os, Place};
use hookbench::core::dialects;
use hookbench::core::names::AgentId;
use hookbench::core::run::{Exit, RunId, RunReport, RunRequest, Stream, Timing};
use hookbench::tui::{LoopRequest, Model, Msg, Theme, update, view};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

pub const PROJECT: &str = "/home/dev/shop";

/// Sizes at which every screen is tested, in columns and rows.
pub const WIDE: (u16, u16) = (120, 40);
pub const MEDIUM: (u16, u16) = (80, 24);
pub const TINY: (u16, u16) = (40, 12);
pub const SMALL: (u16, u16) = (60, 20);

/// The sizes of the stored pictures. At the others, tests hold rules.
const PICTURED: [(u16, u16); 2] = [WIDE, MEDIUM];

/// Compares a text with the stored picture of this name. Times that vary are replaced.
pub fn picture(name: impl AsRef<str>, text: impl AsRef<str>) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/screens/pictures"));
    settings.set_omit_expression(true);
    for (pattern, stands) in
        [(r" +\d+ ms of", " <ms> of"), (r"running +\d+ ms", "running <ms>"), (r"\d\.\d s\n", "<s>\n")]
    {
        settings.add_filter(pattern, stands);
    }
    settings.bind(|| insta::assert_snapshot!(name.as_ref(), text.as_ref()));
}

/// Compares a text with the stored picture at this size, if there is one.
pub fn picture_at(name: &str, size: (u16, u16), text: impl AsRef<str>) {
    if PICTURED.contains(&size) {
        picture(format!("{name}-{}x{}", size.0, size.1), text);
    }
}

/// The size of a terminal beside an editor.
pub const BESIDE: (u16, u16) = (90, 50);
pub const COLOUR: Theme = Theme { colour: true, unicode: true };
pub const MONO: Theme = Theme { colour: false, unicode: true };
pub const ASCII: Theme = Theme { colour: false, unicode: false };

/// In-memory files that a test can change while a session reads them.
#[derive(Clone)]
struct SharedFiles(Arc<Mutex<MemoryFiles>>);

impl Files for SharedFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        self.0.lock().unwrap().read(path)
    }

    fn exists(&self, path: &str) -> bool {
        self.0.lock().unwrap().exists(path)
    }

    fn canonical(&self, path: &str) -> Option<String> {
        self.0.lock().unwrap().canonical(path)
    }

    fn list(&self, path: &str) -> Vec<String> {
        self.0.lock().unwrap().list(path)
    }

    fn executable(&self, path: &str) -> Option<bool> {
        self.0.lock().unwrap().executable(path)
    }

    fn is_admin_only(&self, path: &str) -> bool {
        self.0.lock().unwrap().is_admin_only(path)
    }
}

pub struct TestScreen {
    pub model: Model,
    pub size: (u16, u16),
    files: SharedFiles,
    /// Runs that were started and have no report yet.
    pub started: Vec<(FiringId, RunRequest)>,
    pub asks: Vec<LoopRequest>,
    /// Files that were written, with their previous content.
    written: Vec<(String, Option<Vec<u8>>)>,
    /// A requested lint job.
    lint: Option<Job>,
    /// Whether lint jobs are run.
    lints: bool,
}

/// The files of the sample project, at [`PROJECT`], and the programs that its hooks use.
pub fn sample_files() -> MemoryFiles {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-hooks/shop");
    let mut files = MemoryFiles::default();
    put_all(&root, &root, &mut files);
    files.put("/bin/sh", "#!");
    for program in ["/bin/bash", "/bin/python3", "/usr/bin/env", "/usr/bin/bash", "/usr/bin/python3"] {
        files.put(program, "#!");
    }
    files
}

fn put_all(root: &Path, dir: &Path, files: &mut MemoryFiles) {
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            put_all(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap();
            files.put(format!("{PROJECT}/{name}"), std::fs::read(&path).unwrap());
        }
    }
}

impl TestScreen {
    pub fn new(size: (u16, u16), agent: &'static str, files: MemoryFiles) -> TestScreen {
        TestScreen::with(size, agent, files, Theme { colour: true, unicode: true }, false)
    }

    pub fn with(size: (u16, u16), agent: &'static str, files: MemoryFiles, theme: Theme, yes: bool) -> TestScreen {
        TestScreen::make(size, agent, files, theme, yes, &[])
    }

    /// Creates a screen on which this version of the agent is installed.
    pub fn installed(
        size: (u16, u16),
        agent: &'static str,
        files: MemoryFiles,
        theme: Theme,
        version: &str,
    ) -> TestScreen {
        let version = Installation::Version(dialects::Version::parse(version).unwrap());
        TestScreen::make(size, agent, files, theme, false, &[(AgentId::new(agent), version)])
    }

    fn make(
        size: (u16, u16),
        agent: &'static str,
        files: MemoryFiles,
        theme: Theme,
        yes: bool,
        installed: &[(AgentId, Installation)],
    ) -> TestScreen {
        let place = Place {
            project: PROJECT.to_owned(),
            home: "/home/dev".to_owned(),
            home_given: false,
            env: BTreeMap::from([("PATH".to_owned(), "/bin:/usr/bin".to_owned())]),
            os: Os::Linux,
            ..Place::default()
        };
        let demo = Some(PathBuf::from("/tmp/demo"));
        let options = SessionOptions { yes, keep_firings: 50, lint: true, demo, ..SessionOptions::default() };
        let files = SharedFiles(Arc::new(Mutex::new(files)));
        let session =
            Session::new(options, place, Box::new(files.clone()), AgentId::new(agent), installed, Consent::default());
        let model = Model::new(session, theme);
        let mut screen = TestScreen {
            model,
            size,
            files,
            started: Vec::new(),
            asks: Vec::new(),
            written: Vec::new(),
            lint: None,
            lints: false,
        };
        screen.load();
        screen
    }

    /// Enables linting, as in the workbench, with these severity levels.
    pub fn with_lint(mut self, levels: &str) -> TestScreen {
        let (levels, wrong) = LintLevels::read("config.toml", &format!("[lint]\n{levels}"));
        assert_eq!(wrong, Vec::<String>::new());
        self.lints = true;
        let settings = SessionSettings { lint: levels, ..SessionSettings::default() };
        self.model.session.apply(Command::Configure(Box::new(settings)));
        self.load();
        self
    }

    /// Runs the requested lint job, if any.
    fn run_lint(&mut self) {
        if !self.lints {
            return;
        }
        while let Some(Job::Lint { agents, levels, observed }) = self.lint.take() {
            let place = Arc::clone(self.model.session.place());
            let project = LintInput { place, files: Arc::new(self.files.clone()), agents };
            self.fact(Fact::Linted(Arc::new(find_problems(&project, levels, &observed))));
        }
    }

    fn write(&mut self, files: &[FileChange]) -> String {
        for file in files {
            let now = self.files.read(&file.path).ok();
            assert_eq!(now, file.before, "{}", file.path);
            self.written.push((file.path.clone(), now));
            self.files.0.lock().unwrap().put(file.path.clone(), &file.after);
        }
        self.load();
        format!("written: {}", files[0].file)
    }

    /// Performs the driver's jobs, except for starting runs.
    fn perform(&mut self, job: &Job) {
        match job {
            // Runs after everything is loaded.
            Job::Lint { .. } => self.lint = Some(job.clone()),
            Job::WriteFiles(files) => {
                let message = self.write(files);
                self.fact(Fact::FileWritten { message });
            }
            Job::Task { number, task: Task::WriteHook(new) } => {
                let message = self.write(&new.hook.changes);
                self.fact(Fact::Task { number: *number, update: TaskUpdate::HookWritten(message) });
            }
            Job::ReadUndo => {
                let Some((path, before)) = self.written.last() else { return };
                let (path, removed) = (std::path::PathBuf::from(path), before.is_none());
                let diff = "-new\n+old\n".to_owned();
                let file = UndoneFile { path, diff, removed, not_executable: false };
                self.fact(Fact::UndoRead(Box::new(UndoneStep { files: vec![file] })));
            }
            Job::Undo => {
                let Some((path, before)) = self.written.pop() else { return };
                match before {
                    Some(before) => self.files.0.lock().unwrap().put(path, before),
                    None => drop(self.files.0.lock().unwrap().files.remove(&path)),
                }
                self.load();
                self.fact(Fact::FileWritten { message: "undone".to_owned() });
            }
            _ => {}
        }
    }

    /// Loads all settings, as the driver does.
    pub fn load(&mut self) {
        let asked = self.asks.len();
        let agents: Vec<_> = self.model.session.agents().iter().map(|a| (a.dialect, a.version.clone())).collect();
        for (dialect, version) in agents {
            let place = Arc::clone(self.model.session.place());
            let loaded = dialect.load(&place, &self.files, &version);
            self.fact(Fact::Loaded { agent: dialect.id(), loaded });
        }
        // If files were not watched before, everything is loaded again.
        let loads = |ask: &LoopRequest| matches!(ask, LoopRequest::Jobs(jobs) if jobs.iter().any(|j| matches!(j, Job::Load { .. })));
        if self.asks.iter().skip(asked).any(loads) {
            self.load();
        }
        self.run_lint();
    }

    /// Changes a file and loads everything again, as the watcher does.
    pub fn save(&mut self, name: &str, text: &str) {
        self.put(name, text);
        self.load();
    }

    /// The text of a file of the project.
    pub fn read(&self, name: &str) -> Option<String> {
        self.files.read(&format!("{PROJECT}/{name}")).ok().map(|bytes| String::from_utf8(bytes).unwrap())
    }

    pub fn put(&mut self, name: &str, text: &str) {
        self.put_at(&format!("{PROJECT}/{name}"), text);
    }

    /// Changes a file at an absolute path.
    pub fn put_at(&mut self, path: &str, text: &str) {
        self.files.0.lock().unwrap().put(path, text);
    }

    pub fn fact(&mut self, fact: Fact) {
        self.send(Msg::Fact(fact));
    }

    pub fn send(&mut self, msg: Msg) {
        for ask in update(&mut self.model, msg, self.size) {
            if let LoopRequest::Jobs(jobs) = &ask {
                for job in jobs {
                    if let Job::Start { firing, request } = job {
                        self.started.push((*firing, (**request).clone()));
                    }
                    self.perform(job);
                }
            }
            if ask == LoopRequest::FireOnceDrawn {
                self.draw();
                self.send(Msg::Fire);
            }
            self.asks.push(ask);
        }
    }

    /// Presses keys, drawing the screen before each: `f`, `Enter`, `C-c`. Any other word is typed letter by letter.
    pub fn keys(&mut self, keys: &str) -> &mut TestScreen {
        for word in keys.split(' ') {
            // A user sees the screen before pressing a key.
            self.draw();
            let code = match word {
                "Enter" => KeyCode::Enter,
                "Esc" => KeyCode::Esc,
                "Tab" => KeyCode::Tab,
                "BackTab" => KeyCode::BackTab,
                "Up" => KeyCode::Up,
                "Down" => KeyCode::Down,
                "Left" => KeyCode::Left,
                "Right" => KeyCode::Right,
                "PgDn" => KeyCode::PageDown,
                "Backspace" => KeyCode::Backspace,
                "Space" => KeyCode::Char(' '),
                control if control.starts_with("C-") => {
                    let letter = control.chars().nth(2).unwrap();
                    self.send(Msg::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)));
                    continue;
                }
                text => {
                    for c in text.chars() {
                        self.send(Msg::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)));
                    }
                    continue;
                }
            };
            self.send(Msg::Key(KeyEvent::new(code, KeyModifiers::NONE)));
        }
        self
    }

    /// Presses a letter with Ctrl.
    pub fn control(&mut self, letter: char) -> &mut TestScreen {
        self.send(Msg::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)));
        self
    }

    /// Types a text verbatim.
    pub fn type_text(&mut self, text: &str) -> &mut TestScreen {
        for c in text.chars() {
            self.send(Msg::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)));
        }
        self
    }

    /// Reports the started runs in order. `answer` returns exit status, stdout and stderr for a hook's label.
    pub fn report(&mut self, answer: impl Fn(&str) -> (i32, &'static str, &'static str)) {
        for (index, (firing, request)) in std::mem::take(&mut self.started).into_iter().enumerate() {
            let label = self.label(firing, &request.hook);
            let (code, stdout, stderr) = answer(&label);
            self.begin(firing, request.run);
            for (stream, text) in [(Stream::Stdout, stdout), (Stream::Stderr, stderr)] {
                if !text.is_empty() {
                    self.fact(Fact::Output {
                        firing,
                        run: request.run,
                        stream,
                        bytes: text.into(),
                        skipped: 0,
                        at: Duration::ZERO,
                    });
                }
            }
            let mut report = RunReport::new(request.run, Exit::Code(code), stdout, stderr);
            let ended = Duration::from_millis(20 + 11 * index as u64);
            report.timing = Timing { started: Duration::from_millis(1), ended };
            report.stdin_read = 400;
            self.fact(Fact::Ended { firing, report: Box::new(report) });
        }
        self.run_lint();
    }

    pub fn begin(&mut self, firing: FiringId, run: RunId) {
        self.fact(Fact::Started { firing, run, pid: Some(4711), at: Duration::from_millis(1) });
    }

    fn label(&self, firing: FiringId, hook: &str) -> String {
        self.model.session.firing(firing).unwrap().loaded.definition(hook).unwrap().label()
    }

    pub fn draw(&self) -> Buffer {
        let mut terminal = Terminal::new(TestBackend::new(self.size.0, self.size.1)).unwrap();
        terminal.draw(|frame| view(&self.model, frame)).unwrap();
        terminal.backend().buffer().clone()
    }

    /// Returns the text of the screen, line by line, without trailing spaces.
    pub fn text(&self) -> String {
        lines(&self.draw(), |cell| cell.symbol().to_owned())
    }

    /// Returns the lines without the borders of panes and the cursor's mark: `❯■ guard.sh  Bash` is `guard.sh  Bash`.
    pub fn rows(&self) -> Vec<String> {
        let edges: &[char] = &['│', '|', ' '];
        let marks: &[char] = &['❯', '>', '○', '■', '✓', '✕', '!', '·', '?', ' '];
        let row =
            |line: &str| line.trim_start_matches(edges).trim_start_matches(marks).trim_end_matches(edges).to_owned();
        self.text().lines().map(row).collect()
    }

    /// Whether the cursor is on the row that begins with this name.
    pub fn selects(&self, name: &str) -> bool {
        let text = self.text();
        let marked = text.lines().flat_map(|line| line.split(['❯', '>']).skip(1));
        marked
            .map(|row| row.trim_start_matches(['○', '■', '✓', '✕', '!', '·', '?', ' ']))
            .any(|row| row.starts_with(name))
    }

    /// Returns the style of each cell: bold (`b`), reversed (`R`), dim (`d`), underlined (`u`), or the first letter
    /// of its colour.
    pub fn styles(&self) -> String {
        lines(&self.draw(), |cell| {
            let modifier = cell.modifier;
            let letter = match cell.fg {
                _ if modifier.contains(Modifier::REVERSED) || cell.bg != Color::Reset => 'R',
                Color::Red => 'r',
                Color::Green => 'g',
                Color::Magenta => 'm',
                Color::Yellow => 'y',
                Color::DarkGray => 'q',
                _ if modifier.contains(Modifier::UNDERLINED) => 'u',
                _ if modifier.contains(Modifier::BOLD) => 'b',
                _ if modifier.contains(Modifier::DIM) => 'd',
                _ if cell.symbol() == " " => ' ',
                _ => '.',
            };
            letter.to_string()
        })
    }
}

fn lines(buffer: &Buffer, each: impl Fn(&ratatui::buffer::Cell) -> String) -> String {
    let area = buffer.area;
    let mut out = String::new();
    for y in 0..area.height {
        let mut line = String::new();
        let mut skip = 0;
        for x in 0..area.width {
            // A wide character takes two cells, and the second is empty.
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let cell = &buffer[(x, y)];
            skip = unicode_width::UnicodeWidthStr::width(cell.symbol()).saturating_sub(1);
            line.push_str(&each(cell));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

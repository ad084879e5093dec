//! Damaged settings, payloads, suites and transcripts through the functions that read them: none may panic. Not a part
//! of the usual tests. A number of a mutant that panics is printed with its seed, and gives the same mutant again:
//!
//! ```sh
//! cargo test --test rules -- --ignored --nocapture mutants                   # 20,000 mutants, seed 1
//! MUTANTS=100000 MUTANTS_SEED=7 cargo test --test rules -- --ignored --nocapture mutants
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookbench::app::lint::lint_project;
use hookbench::app::suite::read_suite;
use hookbench::app::{
    Consent, DiskFiles, Fact, FiringSetup, ImportCounts, InputRequest, Session, SessionOptions, Sink, SinkError,
    import, make_place, moment_of, read_payload,
};
use hookbench::core::dialects::{self, Scene, SessionMemory};
use hookbench::core::recorded::{RecordedEvent, RecordedSession, format_event_line, parse_event_line, redact};

/// One of so many settings is also linted, which takes longer than everything else.
const LINTED: u64 = 16;

/// A small generator of numbers (`SplitMix64`), the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap()
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Texts that break readers: syntax, numbers, encodings, words of the formats.
const PIECES: [&[u8]; 34] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b",",
    b":",
    b"\n",
    b"\r",
    b"\t",
    b"null",
    b"true",
    b"-1",
    b"0",
    b"1e999",
    b"18446744073709551616",
    b"{}",
    b"[]",
    b"\"\"",
    b"\\u0000",
    b"\\ud800",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\0",
    b"\xc3",
    b"\xf0\x9f\x98\x80",
    b"- &a",
    b"*a",
    b"<<: *a",
    b"!!binary",
    b"\"hooks\"",
    b"(?<",
    b"[[[[[[[[[[[[[[[[",
];

/// Changes a text in up to eight places.
fn mutate(text: &mut Vec<u8>, numbers: &mut Numbers) {
    for _ in 0..=numbers.below(8) {
        let at = numbers.below(text.len() + 1);
        let end = (at + 1 + numbers.below(40)).min(text.len());
        match numbers.below(7) {
            0 => drop(text.drain(at.min(end)..end)),
            1 => drop(text.splice(at..at, numbers.pick(&PIECES).iter().copied())),
            2 => drop(text.splice(at.min(end)..end, numbers.pick(&PIECES).iter().copied())),
            3 => text.truncate(at),
            4 => {
                let part = text[at.min(end)..end].to_vec();
                let to = numbers.below(text.len() + 1);
                drop(text.splice(to..to, part));
            }
            5 => {
                if let Some(byte) = text.get_mut(at) {
                    *byte = u8::try_from(numbers.below(256)).unwrap();
                }
            }
            _ => {
                // A value of another type in the place of a whole line.
                let start = text[..at].iter().rposition(|byte| *byte == b':').map_or(at, |colon| colon + 1);
                let stop = text[start..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |line| start + line);
                drop(text.splice(start..stop, numbers.pick(&PIECES).iter().copied()));
            }
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files below a directory whose name matches, in order.
fn files_below(directory: &Path, is: &dyn Fn(&Path) -> bool, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_below(&path, is, found);
        } else if is(&path) {
            found.push(path);
        }
    }
}

fn copy_tree(from: &Path, to: &Path) {
    let mut files = Vec::new();
    files_below(from, &|_| true, &mut files);
    for file in files {
        let target = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(file, target).unwrap();
    }
}

struct DroppingSink;

impl Sink for DroppingSink {
    fn receive(&mut self, _: &RecordedSession, events: Vec<RecordedEvent>) -> Result<ImportCounts, SinkError> {
        for event in &events {
            let event = redact(event).unwrap_or_else(|| event.clone());
            let _ = parse_event_line(&format_event_line(&event));
        }
        Ok(ImportCounts::default())
    }
}

/// What is damaged: the files of a kind, and where the readers look for them.
struct Specimens {
    directory: tempfile::TempDir,
    project: PathBuf,
    home: PathBuf,
    settings: Vec<PathBuf>,
    payloads: Vec<PathBuf>,
    suites: Vec<PathBuf>,
    transcripts: Vec<PathBuf>,
}

impl Specimens {
    fn collect() -> Specimens {
        let directory = tempfile::tempdir().unwrap();
        let (project, home) = (directory.path().join("project"), directory.path().join("home"));
        copy_tree(&root().join("sample-hooks/shop"), &project);
        fs::create_dir(&home).unwrap();
        let below = |at: &Path, is: &dyn Fn(&Path) -> bool| {
            let mut found = Vec::new();
            files_below(at, is, &mut found);
            found
        };
        let is_settings = |path: &Path| {
            let hidden = path.strip_prefix(&project).unwrap().starts_with(".") || path.to_string_lossy().contains("/.");
            hidden
                && path.extension().is_some_and(|end| ["json", "toml", "md", "yaml"].iter().any(|known| end == *known))
        };
        Specimens {
            settings: below(&project, &is_settings),
            payloads: below(&root().join("tests/recordings"), &|path| {
                path.extension().is_some_and(|end| end == "jsonl")
            }),
            suites: below(&root().join("sample-hooks"), &|path| path.to_string_lossy().ends_with("test.yaml")),
            transcripts: below(&root().join("tests/transcripts"), &|path| !path.to_string_lossy().contains(".snap")),
            project,
            home,
            directory,
        }
    }

    /// Makes a mutant and reads it. Returns its name.
    fn read_mutant(&self, numbers: &mut Numbers, number: u64) -> String {
        let kind = numbers.below(4);
        let files = [&self.settings, &self.payloads, &self.suites, &self.transcripts][kind];
        let file = numbers.pick(files);
        let original = fs::read(file).unwrap();
        let mut text = original.clone();
        if kind == 1 {
            // One payload of a recording.
            let lines: Vec<&[u8]> = original.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
            text = numbers.pick(&lines).to_vec();
        }
        mutate(&mut text, numbers);
        match kind {
            0 => {
                fs::write(file, &text).unwrap();
                self.read_settings(number.is_multiple_of(LINTED));
                fs::write(file, original).unwrap();
            }
            1 => self.read_payload(&text),
            2 => {
                let path = self.project.join("mutant.test.yaml");
                fs::write(&path, &text).unwrap();
                let _ = read_suite(&path);
            }
            _ => self.import(file, &text),
        }
        file.strip_prefix(self.directory.path()).or_else(|_| file.strip_prefix(root())).unwrap().display().to_string()
    }

    fn read_settings(&self, is_linted: bool) {
        for dialect in dialects::ALL {
            let setup = FiringSetup::load(&self.project, Some(&self.home), dialect, None).unwrap();
            for event in dialect.events(&setup.version) {
                let request = InputRequest { event: Some(event.name.to_owned()), ..InputRequest::default() };
                let Ok(built) = setup.build(&request) else { continue };
                let _ = dialect.plan(&Scene {
                    input: built.input,
                    loaded: Arc::clone(&setup.loaded),
                    place: Arc::new(setup.place.clone()),
                    version: setup.version.clone(),
                    headless: false,
                    memory: SessionMemory::default(),
                });
            }
        }
        if is_linted {
            let place = make_place(Some(&self.project), Some(&self.home)).unwrap();
            let first = dialects::ALL[0].id();
            let mut session =
                Session::new(SessionOptions::default(), place, Box::new(DiskFiles), first, &[], Consent::default());
            for dialect in dialects::ALL {
                let version = session.agent(dialect.id().as_str()).unwrap().version.clone();
                let loaded = dialect.load(session.place(), &DiskFiles, &version);
                session.absorb(Fact::Loaded { agent: dialect.id(), loaded });
            }
            let _ = lint_project(&session.lint_input(), None, &[], &BTreeMap::new());
        }
    }

    fn read_payload(&self, text: &[u8]) {
        let Ok(body) = read_payload("mutant", text) else { return };
        for dialect in dialects::ALL {
            let setup = FiringSetup::load(&self.project, Some(&self.home), dialect, None).unwrap();
            let request =
                InputRequest { payload: Some(body.clone()), require_subject: true, ..InputRequest::default() };
            let _ = setup.build(&request);
        }
        self.import(Path::new("mutant.jsonl"), text);
    }

    /// Imports a file by its name, because some formats are told by it, and reads the moment of each event.
    fn import(&self, name: &Path, text: &[u8]) {
        let path = self.project.join(name.file_name().unwrap());
        let place = make_place(Some(&self.project), Some(&self.home)).unwrap();
        fs::write(&path, text).unwrap();
        let _ = import(&path, &place, &mut DroppingSink, &mut |_| ControlFlow::Continue(()));
        let event = RecordedEvent {
            at: Some(1_772_000_000_000),
            ..RecordedEvent::new(
                "claude",
                "s",
                "Stop",
                serde_json::json!({"transcript_path": path}).to_string().into_bytes(),
            )
        };
        let _ = moment_of(&event, &place, u64::MAX);
        fs::remove_file(path).unwrap();
    }
}

#[test]
#[ignore = "takes minutes; see the first comment of the file"]
fn mutants_panic_nowhere() {
    let number_of =
        |name: &str, default: u64| -> u64 { std::env::var(name).map_or(default, |text| text.parse().unwrap()) };
    let (seed, count) = (number_of("MUTANTS_SEED", 1), number_of("MUTANTS", 20_000));
    let specimens = Specimens::collect();
    let files = [&specimens.settings, &specimens.payloads, &specimens.suites, &specimens.transcripts].map(Vec::len);
    assert!(files.iter().all(|count| *count > 0), "{files:?}");
    let mut failed = Vec::new();
    for number in 0..count {
        // Each mutant has its own numbers, so that it can be made without those before it.
        let mut numbers = Numbers(seed ^ number.wrapping_mul(0xd134_2543_de82_ef95));
        if catch_unwind(AssertUnwindSafe(|| specimens.read_mutant(&mut numbers, number))).is_err() {
            failed.push(number);
        }
    }
    println!("{count} mutants of {files:?} files (settings, payloads, suites, transcripts), seed {seed}: {failed:?}");
    assert!(failed.is_empty(), "seed {seed}: these mutants panic: {failed:?}");
}

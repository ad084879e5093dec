//! The catalogue of findings: each code has a page, and a sample that shows exactly this code on its bad side and
//! nothing on its good side. A sample is one file, `tests/lint/CODE.txt` (additional ones: `CODE-what.txt`), in this
//! format:
//!
//! ```text
//! agent: claude                     the agent to check
//! run: lint                         the command that finds it; `fire PreToolUse --tool Bash` and similar for findings
//! about runs,
//!                                   `convert …` for losses of a conversion
//! == bad .claude/settings.json      a file of the bad project ...
//! { ... }
//! == good .claude/settings.json     ... and of the good one; `== both FILE`: of both
//! == bad guard.sh +x crlf bom       words after the name: executable, CRLF line endings, byte-order mark
//! ```
//!
//! `faulty-what.txt` is a project with several common mistakes: `finds:` lists all of its codes.
//!
//! `run: tui` plays the lines `step: …` on the screen, and looks for codes in its output.
//! Other header lines:
//! - `run good: lint …` checks the good side instead of `run`.
//! - `first: import FILE` runs before the check.
//! - `running: NAME` starts a process with that name in the project.
//! - `+later` after a file name sets the file's time one hour into the future.
//! - `git: yes` makes the project a repository in which every file is committed, except for `+new` files.
//! - `exact: yes` requires that the fix gives exactly the good side.
//! - `env: NAME=value` sets a variable; `@home` and `@project` are replaced.
//! - `with: jq node` puts programs of this machine on PATH.
//! - `fake: docker` puts a program that does nothing on PATH.
//! - `also: HW415` lists other codes that the bad project may show, with the reason after a `#`.
//! - `import: FILE` imports a file of events into the store first.
//!
//! Files whose names begin with `~/` are in the home directory.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test that cannot go on fails")]

mod properties;
use crate::sandbox;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, SystemTime};

use hookbench::core::diagnostic::Code;
use hookbench::core::lint::page;
use sandbox::{Sandbox, write_program};
use serde_json::Value;

/// One file of a sample.
struct SampleFile {
    name: String,
    marks: Vec<String>,
    text: String,
}

#[derive(Default)]
struct LintSample {
    /// The file name, for messages.
    name: String,
    code: String,
    agent: String,
    run: String,
    /// What checks the good side, if not `run`.
    run_of_good: Option<String>,
    git: bool,
    /// The fix must turn the bad side into exactly the good side.
    exact: bool,
    env: Vec<(String, String)>,
    with: Vec<String>,
    /// Programs on PATH that do nothing.
    fake: Vec<String>,
    /// Command lines to run before the check.
    first: Vec<String>,
    /// Steps to play on the screen.
    steps: Vec<String>,
    /// The name of a process that runs in the project.
    running: Option<String>,
    also: BTreeSet<String>,
    /// For a faulty project: the expected codes.
    finds: BTreeSet<String>,
    import: Option<String>,
    bad: Vec<SampleFile>,
    good: Vec<SampleFile>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lint")
}

fn samples() -> Vec<LintSample> {
    samples_named("HW")
}

/// The files of both sides of every sample that `lint` checks: the sample, its agent, and paths with texts.
#[allow(clippy::type_complexity, reason = "rows of one table")]
pub(crate) fn files_of_samples(project: &str, home: &str) -> Vec<(String, String, Vec<(String, String)>)> {
    let mut all = Vec::new();
    for sample in samples_named("").into_iter().filter(|sample| sample.run == "lint") {
        for (side, files) in [("bad", &sample.bad), ("good", &sample.good)] {
            let laid = files.iter().map(|file| {
                let path = match file.name.strip_prefix("~/") {
                    Some(rest) => format!("{home}/{rest}"),
                    None => format!("{project}/{}", file.name),
                };
                (path, file.text.replace("@project", project).replace("@home", home))
            });
            all.push((format!("{} {side}", sample.name), sample.agent.clone(), laid.collect()));
        }
    }
    all
}

/// Returns the samples whose file name begins with `start`.
fn samples_named(start: &str) -> Vec<LintSample> {
    let mut files: Vec<PathBuf> = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let is_sample = |name: &str| name.starts_with(start) && Path::new(name).extension().is_some_and(|end| end == "txt");
    let samples = files.iter().filter(|file| is_sample(file.file_name().unwrap().to_str().unwrap()));
    samples.map(|file| read(file)).collect()
}

/// Settings and scripts that look like mistakes but are correct (`healthy-what.txt`, with a good side only).
#[test]
fn healthy_projects_have_no_findings() {
    let mut wrong = Vec::new();
    for sample in samples_named("healthy") {
        let (codes, doc) = findings(&sample, &create_project(&sample, &sample.good));
        if codes.iter().any(|code| !sample.also.contains(code)) {
            wrong.push(format!("{}: {codes:?}\n{doc}", sample.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Projects with several mistakes: exactly these are found.
#[test]
fn faulty_projects_show_what_is_wrong_with_them() {
    let mut wrong = Vec::new();
    for sample in samples_named("faulty") {
        let (codes, doc) = findings(&sample, &create_project(&sample, &sample.bad));
        if codes != sample.finds {
            wrong.push(format!("{}: {codes:?}\n{doc}", sample.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn read(path: &Path) -> LintSample {
    let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
    let text = fs::read_to_string(path).unwrap();
    let mut parts = text.split("\n== ");
    let mut sample = LintSample { code: name[..5].to_owned(), name, run: "lint".to_owned(), ..LintSample::default() };
    for line in parts.next().unwrap().lines().filter(|line| !line.trim().is_empty()) {
        let (key, value) = line.split_once(": ").unwrap_or_else(|| panic!("{}: {line}", sample.name));
        let value = value.trim();
        match key {
            "agent" => value.clone_into(&mut sample.agent),
            "run" => value.clone_into(&mut sample.run),
            "run good" => sample.run_of_good = Some(value.to_owned()),
            "git" => sample.git = value == "yes",
            "exact" => sample.exact = value == "yes",
            "env" => {
                let (name, value) = value.split_once('=').unwrap();
                sample.env.push((name.to_owned(), value.to_owned()));
            }
            "first" => sample.first.push(value.to_owned()),
            "step" => sample.steps.push(value.to_owned()),
            "running" => sample.running = Some(value.to_owned()),
            "fake" => sample.fake.extend(value.split(' ').map(str::to_owned)),
            "with" => sample.with.extend(value.split(' ').map(str::to_owned)),
            "finds" => sample.finds.extend(value.split_whitespace().map(str::to_owned)),
            "import" => sample.import = Some(value.to_owned()),
            "also" => {
                let (codes, why) = value.split_once('#').expect("`also` needs a reason after #");
                assert!(!why.trim().is_empty(), "{}: why?", sample.name);
                sample.also.extend(codes.split_whitespace().map(str::to_owned));
            }
            other => panic!("{}: {other}?", sample.name),
        }
    }
    for part in parts {
        let (head, text) = part.split_once('\n').unwrap_or((part, ""));
        let mut words = head.split(' ').map(str::to_owned);
        let (side, name) = (words.next().unwrap(), words.next().unwrap());
        let marks: Vec<String> = words.collect();
        let file = || SampleFile {
            name: name.clone(),
            marks: marks.clone(),
            text: format!("{}\n", text.trim_end_matches('\n')),
        };
        if side != "good" {
            sample.bad.push(file());
        }
        if side != "bad" {
            sample.good.push(file());
        }
    }
    let (healthy, faulty) = (sample.name.starts_with("healthy"), sample.name.starts_with("faulty"));
    let sides = sample.good.is_empty() == faulty && sample.bad.is_empty() == healthy;
    assert!(sides && sample.finds.is_empty() != faulty, "{}: a bad and a good side", sample.name);
    sample
}

/// Creates the project.
fn create_project(sample: &LintSample, files: &[SampleFile]) -> Sandbox {
    let sandbox = Sandbox::for_agent(&sample.agent);
    for program in &sample.with {
        sandbox.program(program);
    }
    for program in &sample.fake {
        sandbox.fake_program(program);
    }
    let git = |args: &[&str]| {
        let done =
            Command::new("git").args(args).current_dir(&sandbox.project).env("HOME", &sandbox.home).output().unwrap();
        assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    if sample.git {
        git(&["init", "-q"]);
    }
    for file in files {
        let has = |mark: &str| file.marks.iter().any(|m| m == mark);
        let mut text = sandbox.fill_directories(&file.text);
        if has("crlf") {
            text = text.replace('\n', "\r\n");
        }
        if has("bom") {
            text.insert(0, '\u{feff}');
        }
        let path = match file.name.strip_prefix("~/") {
            Some(rest) => sandbox.home.join(rest),
            None => sandbox.project.join(&file.name),
        };
        if file.name == sandbox.settings_file() {
            sandbox.mark_reviewed(&text);
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if has("+x") {
            write_program(&path, text.as_bytes());
        } else {
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        }
        if has("+later") {
            let later = SystemTime::now() + Duration::from_secs(3600);
            fs::File::options().append(true).open(&path).unwrap().set_modified(later).unwrap();
        }
        if sample.git && !has("+new") && !file.name.starts_with('~') {
            git(&["add", "--force", &file.name]);
        }
    }
    if sample.git {
        git(&["-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-qm", "all", "--allow-empty"]);
    }
    if let Some(file) = &sample.import {
        sandbox.run(&format!("import {file}")).assert_status(0);
    }
    sandbox
}

/// A process in the project with an agent's name. It is killed on drop.
struct RunningProcess(Child);

impl RunningProcess {
    fn start(name: &str, sandbox: &Sandbox) -> RunningProcess {
        let program = sandbox.home.join(name);
        write_program(&program, &fs::read("/bin/sleep").unwrap());
        RunningProcess(Command::new(program).arg("600").current_dir(&sandbox.project).spawn().unwrap())
    }
}

impl Drop for RunningProcess {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Returns the codes of all findings, including those of single runs.
fn findings(sample: &LintSample, sandbox: &Sandbox) -> (BTreeSet<String>, String) {
    let _running = sample.running.as_ref().map(|name| RunningProcess::start(name, sandbox));
    for line in &sample.first {
        sandbox.run_in(&sample.env, line).assert_status(0);
    }
    if sample.run == "tui" {
        let steps = format!("{}\n", sample.steps.join("\n"));
        let line = format!("tui --agent {} --script - --size 200x60 --yes", sample.agent);
        let shown = sandbox.run_with(&line, steps.as_bytes()).assert_status(0).stdout;
        let code = regex::Regex::new("HW[0-9]{3}").unwrap();
        return (code.find_iter(&shown).map(|code| code.as_str().to_owned()).collect(), shown);
    }
    let firing = sample.run.starts_with("fire");
    let converting = sample.run.starts_with("convert");
    let args = if firing { format!("{} --yes", sample.run) } else { sample.run.clone() };
    let agent = if converting || sample.run.contains("--agent ") {
        String::new()
    } else {
        format!("--agent {} ", sample.agent)
    };
    let env: Vec<_> = sample.env.iter().map(|(name, value)| (name.clone(), sandbox.fill_directories(value))).collect();
    let done = sandbox.run_in(&env, &format!("{args} {agent}--format json"));
    let doc = done.json();
    let mut codes = BTreeSet::new();
    let mut take = |list: &Value| {
        for one in list.as_array().into_iter().flatten() {
            codes.extend(one["code"].as_str().filter(|code| code.starts_with("HW")).map(str::to_owned));
        }
    };
    take(&doc["diagnostics"]);
    for run in doc["runs"].as_array().into_iter().flatten() {
        take(&run["diagnostics"]);
    }
    let converted = doc["definitions"].as_array().into_iter().flatten().chain([&doc]);
    for note in converted.flat_map(|one| one["notes"].as_array().into_iter().flatten()) {
        codes.extend(note["finding"].as_str().map(str::to_owned));
    }
    (codes, format!("{doc:#}"))
}

#[test]
fn each_sample_shows_what_it_is_for() {
    let mut wrong = Vec::new();
    for mut sample in samples() {
        let (codes, doc) = findings(&sample, &create_project(&sample, &sample.bad));
        let rest: Vec<&String> =
            codes.iter().filter(|code| **code != sample.code && !sample.also.contains(*code)).collect();
        if !codes.contains(&sample.code) || !rest.is_empty() {
            wrong.push(format!("{}: the bad side shows {codes:?}\n{doc}", sample.name));
        }
        sample.run = sample.run_of_good.take().unwrap_or(sample.run);
        let (codes, doc) = findings(&sample, &create_project(&sample, &sample.good));
        if codes.iter().any(|code| !sample.also.contains(code)) {
            wrong.push(format!("{}: the good side shows {codes:?}\n{doc}", sample.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Applies every safe fix of a code to the files of a project.
fn apply_safe_fixes(sandbox: &Sandbox, code: &str, doc: &Value) -> usize {
    let of_code = |one: &&Value| one["code"] == code && one["fix"]["safe"] == true;
    let fixes: Vec<&Value> =
        doc["diagnostics"].as_array().unwrap().iter().filter(of_code).map(|one| &one["fix"]).collect();
    apply(sandbox, &fixes);
    fixes.len()
}

/// Applies fixes to the files of a project.
fn apply(sandbox: &Sandbox, fixes: &[&Value]) {
    let mut edits: Vec<(PathBuf, usize, usize, String)> = Vec::new();
    let at = |file: &str| match file.strip_prefix("~/") {
        Some(rest) => sandbox.home.join(rest),
        None => sandbox.project.join(file),
    };
    for fix in fixes {
        for edit in fix["edits"].as_array().unwrap() {
            let number = |key: &str| usize::try_from(edit[key].as_u64().unwrap()).unwrap();
            let text = edit["text"].as_str().unwrap().to_owned();
            edits.push((at(edit["file"].as_str().unwrap()), number("start"), number("end"), text));
        }
        for file in fix["executable"].as_array().into_iter().flatten() {
            fs::set_permissions(at(file.as_str().unwrap()), fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
    // Edits are applied from the end, so that positions stay valid.
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.1));
    for (path, start, end, text) in edits {
        let mut bytes = fs::read(&path).unwrap();
        bytes.splice(start..end, text.into_bytes());
        if path.ends_with(sandbox.settings_file()) {
            sandbox.mark_reviewed(std::str::from_utf8(&bytes).unwrap());
        }
        fs::write(&path, bytes).unwrap();
    }
}

#[test]
fn a_safe_fix_repairs_the_bad_side() {
    let mut wrong = Vec::new();
    for sample in samples().iter().filter(|sample| sample.run == "lint") {
        let Some(page) = Code::parse(&sample.code).and_then(page) else { continue };
        let sandbox = create_project(sample, &sample.bad);
        let (_, doc) = findings(sample, &sandbox);
        let fixes = apply_safe_fixes(&sandbox, &sample.code, &serde_json::from_str(&doc).unwrap());
        if (page.fix == "safe fix") != (fixes > 0) {
            wrong.push(format!("{}: the page says {}, and there are {fixes} safe fixes", sample.name, page.fix));
        }
        let (codes, doc) = findings(sample, &sandbox);
        if fixes > 0 && codes.contains(&sample.code) {
            wrong.push(format!("{}: still there after the fix\n{doc}", sample.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The sample of a code is what proves that a rule reports it.
#[test]
fn each_code_has_a_page_and_a_sample() {
    let codes: BTreeSet<String> = Code::LINTS.iter().map(Code::to_string).collect();
    let pages = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/docs")).unwrap();
    let pages = pages.map(|page| page.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned());
    assert_eq!(pages.collect::<BTreeSet<String>>(), codes, "the pages in assets/docs and the table of codes");
    let sampled = samples().into_iter().map(|sample| sample.code);
    assert_eq!(sampled.collect::<BTreeSet<String>>(), codes, "the samples in tests/lint and the table of codes");
}

//! A private project, home directory and PATH, in which tests run the program.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::agent_words::{self, AgentVocabulary};
pub use crate::programs::write_program;

/// Programs that hooks may use. PATH has nothing else, so no agent is installed.
const PROGRAMS: [&str; 9] = ["sh", "bash", "cat", "grep", "head", "python3", "sleep", "true", "yes"];

/// Everything that a run of the program can see.
pub struct Sandbox {
    _root: TempDir,
    root: PathBuf,
    words: &'static AgentVocabulary,
    pub project: PathBuf,
    pub home: PathBuf,
}

/// The result of a run of the program.
#[derive(Debug)]
pub struct ProgramOutput {
    pub status: i32,
    /// The exact output.
    pub raw: String,
    /// The exact messages.
    pub raw_stderr: String,
    /// The output with paths and times replaced.
    pub stdout: String,
    pub stderr: String,
    command_line: String,
}

impl Sandbox {
    /// Creates an empty sandbox, for tests that concern no particular agent. Uses the words of the first agent.
    pub fn new() -> Sandbox {
        Sandbox::bare("claude")
    }

    /// Creates a sandbox with only the files that make the agent trust the project. Command lines may use `@tool`
    /// and the other placeholders for the agent's words.
    pub fn for_agent(agent: &str) -> Sandbox {
        let sandbox = Sandbox::bare(agent);
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        for (path, text) in sandbox.words.trust_files(&text(&sandbox.project), &text(&sandbox.home)) {
            put(Path::new(&path), text.as_bytes(), 0o644);
        }
        sandbox
    }

    /// Records that the user has reviewed these project settings in the agent.
    fn write_review(&self, settings: &str) {
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        for (path, text) in self.words.reviewed_files(&text(&self.project), &text(&self.home), settings) {
            put(Path::new(&path), text.as_bytes(), 0o644);
        }
    }

    fn bare(agent: &str) -> Sandbox {
        let dir = tempfile::Builder::new().prefix("hb").tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let (project, home, bin) = (root.join("project"), root.join("home"), root.join("bin"));
        for directory in [&project, &home, &bin] {
            fs::create_dir(directory).unwrap();
        }
        let sandbox = Sandbox { _root: dir, root, words: agent_words::words_of(agent), project, home };
        for program in PROGRAMS {
            sandbox.program(program);
        }
        sandbox
    }

    /// Puts a program of this machine on PATH.
    pub fn program(&self, name: &str) -> &Sandbox {
        // System directories come first: a version manager's program may need variables that the sandbox does not have.
        let path = format!("/usr/bin:/bin:{}", std::env::var("PATH").unwrap_or_default());
        let found = std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file());
        symlink(found.unwrap_or_else(|| panic!("{name} is not on PATH")), self.root.join("bin").join(name)).unwrap();
        self
    }

    /// Puts the tested program on PATH.
    pub fn hookbench(&self) -> &Sandbox {
        symlink(env!("CARGO_BIN_EXE_hookbench"), self.root.join("bin/hookbench")).unwrap();
        self
    }

    /// Puts a program that does nothing on PATH, unless the name exists there.
    pub fn fake_program(&self, name: &str) -> &Sandbox {
        let path = self.root.join("bin").join(name);
        if !path.exists() {
            put(&path, b"#!/bin/sh\nexit 0\n", 0o755);
        }
        self
    }

    /// Writes a file in the project.
    pub fn file(&self, path: &str, text: impl AsRef<[u8]>) -> &Sandbox {
        put(&self.project.join(path), text.as_ref(), 0o644);
        self
    }

    /// Writes an executable file in the project.
    pub fn script(&self, path: &str, text: &str) -> &Sandbox {
        put(&self.project.join(path), text.as_bytes(), 0o755);
        self
    }

    /// Writes the project's settings in the agent's words, and marks them as reviewed if the agent requires that.
    pub fn settings(&self, text: &str) -> &Sandbox {
        let text = self.words.in_agent_form(&self.words.in_agent_words(text));
        self.write_review(&text);
        self.file(self.words.settings, text)
    }

    /// Returns the project's file with hooks.
    pub fn settings_file(&self) -> &'static str {
        self.words.settings
    }

    pub fn settings_layer(&self) -> &'static str {
        self.words.layer()
    }

    /// Marks settings that are written elsewhere as reviewed.
    pub fn mark_reviewed(&self, settings: &str) {
        self.write_review(settings);
    }

    /// Replaces `@project` and `@home` by the directories.
    pub fn fill_directories(&self, text: &str) -> String {
        let path = |path: &Path| path.to_str().unwrap().to_owned();
        text.replace("@project", &path(&self.project)).replace("@home", &path(&self.home))
    }

    /// Runs the program with additional environment variables.
    pub fn run_in(&self, env: &[(String, String)], line: &str) -> ProgramOutput {
        let line = &self.words.in_agent_words(line);
        let mut command = self.command(&split_words(line));
        command.envs(env.iter().map(|(name, value)| (name, value)));
        self.finish(command, line, b"")
    }

    /// Like [`Sandbox::run_in`], with this stdin.
    pub fn run_in_with(&self, env: &[(String, String)], line: &str, stdin: &[u8]) -> ProgramOutput {
        let line = &self.words.in_agent_words(line);
        let mut command = self.command(&split_words(line));
        command.envs(env.iter().map(|(name, value)| (name, value)));
        self.finish(command, line, stdin)
    }

    /// Returns a text in the agent's words.
    pub fn in_agent_words(&self, text: &str) -> String {
        self.words.in_agent_words(text)
    }

    /// Runs the program in the project with an empty stdin.
    pub fn run(&self, line: &str) -> ProgramOutput {
        self.run_with(line, b"")
    }

    /// Like [`Sandbox::run`], with this stdin. Spaces separate the words of `line`; single quotes keep words
    /// together.
    pub fn run_with(&self, line: &str, stdin: &[u8]) -> ProgramOutput {
        let line = &self.words.in_agent_words(line);
        let command = self.command(&split_words(line));
        self.finish(command, line, stdin)
    }

    fn finish(&self, mut command: Command, line: &str, stdin: &[u8]) -> ProgramOutput {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // The program may exit before it reads stdin.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        let done = child.wait_with_output().unwrap();
        let raw = String::from_utf8(done.stdout).expect("the program prints UTF-8");
        let stderr = String::from_utf8(done.stderr).expect("the program prints UTF-8");
        ProgramOutput {
            status: done.status.code().unwrap_or(-1),
            stdout: self.rewrite(&raw),
            stderr: self.rewrite(&stderr),
            raw_stderr: stderr,
            raw,
            command_line: self.rewrite(line),
        }
    }

    /// Returns the program with the sandbox's environment only.
    pub fn command(&self, args: &[String]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hookbench"));
        command.args(args).current_dir(&self.project).env_clear();
        command.envs(self.env());
        command
    }

    /// Returns the environment of the program.
    pub fn env(&self) -> Vec<(&'static str, String)> {
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        vec![
            ("HOME", text(self.home.clone())),
            ("PATH", text(self.root.join("bin"))),
            ("XDG_STATE_HOME", text(self.home.join("state"))),
            ("XDG_CONFIG_HOME", text(self.home.join("config"))),
            // A running server of the user is not seen.
            ("XDG_RUNTIME_DIR", text(self.home.join("run"))),
            ("LANG", "C.UTF-8".to_owned()),
            ("TERM", "dumb".to_owned()),
        ]
    }

    /// Replaces values that differ from run to run by placeholders.
    pub fn rewrite(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (path, word) in [(&self.project, "<project>"), (&self.home, "<home>"), (&self.root, "<root>")] {
            let path = path.to_str().unwrap();
            text = text.replace(path, word);
            // Agents derive directory names from paths.
            text = text.replace(&path.replace('/', "-"), &word.replace('<', "<-"));
        }
        let replace = |text: &str, pattern: &str, with: &str| {
            regex::Regex::new(pattern).unwrap().replace_all(text, with).into_owned()
        };
        text = replace(&text, r#""(duration_ms|at_ms)": ?[0-9.]+"#, r#""$1": "<ms>""#);
        text = replace(&text, r" *\b[0-9]+ ms\b *", " <ms> ");
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }
}

impl ProgramOutput {
    /// Asserts the exit status.
    #[track_caller]
    pub fn assert_status(self, status: i32) -> ProgramOutput {
        assert_eq!(self.status, status, "{self}");
        self
    }

    /// Parses the output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.raw).unwrap_or_else(|why| panic!("{why}\n{self}"))
    }

    /// Asserts that stderr contains all of these parts.
    #[track_caller]
    pub fn assert_stderr(self, parts: &[&str]) -> ProgramOutput {
        for part in parts {
            assert!(self.stderr.contains(part), "\"{part}\" is not said:\n{self}");
        }
        self
    }
}

impl std::fmt::Display for ProgramOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "$ hookbench {}", self.command_line)?;
        for (name, text) in [("", &self.stdout), ("stderr:\n", &self.stderr)] {
            if !text.is_empty() {
                writeln!(f, "{name}{text}")?;
            }
        }
        writeln!(f, "exit {}", self.status)
    }
}

fn put(path: &Path, text: &[u8], mode: u32) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    if mode & 0o111 != 0 {
        return write_program(path, text);
    }
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

pub fn split_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

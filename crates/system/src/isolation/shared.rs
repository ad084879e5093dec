//! Namespaces that many programs enter, one after the other or at the same time.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::spec::IsolationSpec;
use super::stages::ENTRY_STAGE;

/// The namespaces of one part of the machine. They exist until this value is dropped and the last program in them has
/// ended.
#[derive(Debug)]
pub struct SharedNamespaces {
    /// hookbench itself, which is the stage that enters them.
    program: PathBuf,
    /// In the order of `NAMESPACES`.
    files: Vec<File>,
    id: PathBuf,
}

impl SharedNamespaces {
    /// Creates them. `program` is hookbench itself, and `file` a path for the specification.
    ///
    /// # Errors
    /// Returns the reason if the system does not allow it.
    pub fn create(program: &Path, spec: &IsolationSpec, file: &Path) -> io::Result<SharedNamespaces> {
        spec.write(file)?;
        hold(program, Some(file))
    }

    /// Tries whether the system allows namespaces, without any file.
    ///
    /// # Errors
    /// Returns the reason if it does not.
    pub fn attempt(program: &Path) -> io::Result<()> {
        hold(program, None).map(drop)
    }

    /// The program and its first arguments that start another program in the namespaces.
    pub fn prefix(&self) -> Vec<String> {
        let own = format!("/proc/{}/fd", std::process::id());
        let mut words = vec![self.program.to_string_lossy().into_owned(), ENTRY_STAGE.to_owned(), own];
        words.extend(self.files.iter().map(number));
        words.push("--".to_owned());
        words
    }

    /// The name of the user namespace, as links in `/proc` have it.
    pub fn id(&self) -> &Path {
        &self.id
    }
}

/// Starts the stage that creates them, and opens them.
#[cfg(target_os = "linux")]
fn hold(program: &Path, file: Option<&Path>) -> io::Result<SharedNamespaces> {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};

    use super::stages::{HOLDER_STAGE, READY, first_message};

    let mut holder = Command::new(program);
    holder.arg(HOLDER_STAGE).args(file).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Ctrl-C in the terminal is for hookbench alone.
    let mut holder = holder.process_group(0).spawn()?;
    let mut line = String::new();
    if let Some(stdout) = holder.stdout.take() {
        BufReader::new(stdout).read_line(&mut line)?;
    }
    let opened = if line.trim_end() == READY { Some(open(program, holder.id())) } else { None };
    // The end of its stdin ends the holder.
    drop(holder.stdin.take());
    let mut message = Vec::new();
    if let Some(stderr) = holder.stderr.take() {
        stderr.take(4096).read_to_end(&mut message)?;
    }
    holder.wait()?;
    opened.unwrap_or_else(|| Err(io::Error::other(first_message(&message))))
}

/// This system has no namespaces.
#[cfg(not(target_os = "linux"))]
fn hold(_program: &Path, _file: Option<&Path>) -> io::Result<SharedNamespaces> {
    Err(io::Error::other("hookbench isolates programs only on Linux"))
}

#[cfg(target_os = "linux")]
fn open(program: &Path, holder: u32) -> io::Result<SharedNamespaces> {
    let path = |name: &str| PathBuf::from(format!("/proc/{holder}/ns/{name}"));
    let files = super::stages::NAMESPACES.iter().map(|(name, _)| File::open(path(name))).collect::<io::Result<_>>()?;
    Ok(SharedNamespaces { program: program.to_owned(), files, id: std::fs::read_link(path("user"))? })
}

/// The number of an open file.
#[cfg(target_os = "linux")]
fn number(file: &File) -> String {
    std::os::fd::AsRawFd::as_raw_fd(file).to_string()
}

/// No file is open.
#[cfg(not(target_os = "linux"))]
fn number(_file: &File) -> String {
    String::new()
}

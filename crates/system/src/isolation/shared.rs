//! Namespaces that many programs enter, one after the other or at the same time.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Child;

use super::spec::ENTRY_STAGE;
use super::spec::IsolationSpec;

/// The namespaces of one part of the machine. Dropping them ends every program in them, and so does the end of hookbench.
#[derive(Debug)]
pub struct SharedNamespaces {
    /// hookbench itself, which is the stage that enters them.
    program: PathBuf,
    /// In the order of `NAMESPACES`.
    files: Vec<File>,
    /// The directories in which programs can write.
    writable: Vec<PathBuf>,
    /// `None` once it has ended.
    holder: Option<Child>,
}

impl Drop for SharedNamespaces {
    fn drop(&mut self) {
        if let (false, Some(mut holder)) = (self.end(), self.holder.take()) {
            // It ends when every process in the namespaces was waited for.
            std::thread::spawn(move || holder.wait());
        }
    }
}

impl SharedNamespaces {
    /// Creates them. `program` is hookbench itself, and `file` a path for the specification.
    pub fn create(program: &Path, spec: &IsolationSpec, file: &Path) -> io::Result<SharedNamespaces> {
        spec.write(file)?;
        let mut made = hold(program, Some(file))?;
        match spec.root {
            Some(_) => {
                made.writable.extend(spec.binds.iter().filter(|bind| bind.writable).map(|bind| bind.target.clone()));
            }
            None => made.keep_file_namespaces(),
        }
        Ok(made)
    }

    /// Tries whether the system allows namespaces, without any file.
    pub fn attempt(program: &Path) -> io::Result<()> {
        hold(program, None).map(drop)
    }

    /// Ends every program in them. Returns whether all of them have ended and were waited for.
    pub fn end(&mut self) -> bool {
        let Some(holder) = &mut self.holder else { return true };
        // The first process of the namespaces ends with it, and every other one with the first.
        drop(holder.stdin.take());
        let has_ended = !matches!(holder.try_wait(), Ok(None));
        if has_ended {
            self.holder = None;
        }
        has_ended
    }

    /// Leaves the network and the processes of the machine to programs.
    #[cfg(target_os = "linux")]
    fn keep_file_namespaces(&mut self) {
        self.files.truncate(super::spec::FILE_NAMESPACES);
    }

    /// No namespace exists.
    #[cfg(not(target_os = "linux"))]
    fn keep_file_namespaces(&mut self) {}

    /// The program and its first arguments that start another program in the namespaces.
    pub fn prefix(&self) -> Vec<String> {
        let own = format!("/proc/{}/fd", std::process::id());
        let mut words = vec![self.program.to_string_lossy().into_owned(), ENTRY_STAGE.to_owned(), own];
        words.extend(self.files.iter().map(number));
        words.extend(self.writable.iter().map(|directory| directory.to_string_lossy().into_owned()));
        words.push("--".to_owned());
        words
    }
}

/// Starts the stage that creates them, and opens them.
#[cfg(target_os = "linux")]
fn hold(program: &Path, file: Option<&Path>) -> io::Result<SharedNamespaces> {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};

    use super::spec::{HOLDER_STAGE, READY, first_message};

    let mut holder = Command::new(program);
    holder.arg(HOLDER_STAGE).args(file).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Ctrl-C in the terminal is for hookbench alone.
    let mut holder = holder.process_group(0).spawn()?;
    let mut lines = holder.stdout.take().into_iter().flat_map(|stdout| BufReader::new(stdout).lines());
    let mut writable = Vec::new();
    let is_ready = loop {
        match lines.next().transpose()? {
            Some(line) if line == READY => break true,
            Some(line) => writable.push(PathBuf::from(line)),
            None => break false,
        }
    };
    let stderr = holder.stderr.take();
    let files = if is_ready { open(holder.id()) } else { Ok(Vec::new()) };
    let mut made = SharedNamespaces { program: program.to_owned(), files: Vec::new(), writable, holder: Some(holder) };
    made.files = files?;
    if is_ready {
        return Ok(made);
    }
    let mut message = Vec::new();
    if let Some(stderr) = stderr {
        stderr.take(4096).read_to_end(&mut message)?;
    }
    Err(io::Error::other(first_message(&message)))
}

/// This system has no namespaces.
#[cfg(not(target_os = "linux"))]
fn hold(_program: &Path, _file: Option<&Path>) -> io::Result<SharedNamespaces> {
    Err(io::Error::other("hookbench isolates programs only on Linux"))
}

#[cfg(target_os = "linux")]
fn open(holder: u32) -> io::Result<Vec<File>> {
    let path = |name: &str| PathBuf::from(format!("/proc/{holder}/ns/{name}"));
    super::spec::NAMESPACES.iter().map(|(name, _)| File::open(path(name))).collect()
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

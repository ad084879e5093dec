//! Stores the variables with which an agent started this hook, so that hookbench can run hooks with them. The file is
//! written only if they changed, and only its owner can read it.

use std::fs::{DirBuilder, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use hookbench_core::live::{live_form, seen_environment_file, write_seen_environment};

/// The size limit of the file.
const LONGEST: u64 = 1 << 20;
/// The most processes above this one that are examined.
const MOST_ANCESTORS: usize = 64;

/// Stores the variables of this process for an agent. Errors are ignored, because the agent has its answer.
pub fn store_if_changed(directory: &Path, agent: &str) {
    if live_form(agent).is_none() {
        return;
    }
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let text = write_seen_environment(variables);
    let path = directory.join(seen_environment_file(agent));
    let known = crate::disk::read_beginning(&path, LONGEST).unwrap_or_default();
    if known == text.as_bytes() || is_started_by_hookbench() {
        return;
    }
    let _ = replace(&path, directory, &text);
}

fn replace(path: &Path, directory: &Path, text: &str) -> std::io::Result<()> {
    let temporary = directory.join(format!(".environment-{}", std::process::id()));
    let open = || OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary);
    let mut file = match open() {
        Ok(file) => file,
        Err(_) => {
            DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
            open()?
        }
    };
    let done = file.write_all(text.as_bytes()).and_then(|()| std::fs::rename(&temporary, path));
    if done.is_err() {
        std::fs::remove_file(&temporary)?;
    }
    done
}

/// Whether a process above this one is hookbench, which runs the hook for a test: its variables are not the agent's. Only
/// Linux shows it.
fn is_started_by_hookbench() -> bool {
    let Ok(own) = std::fs::read_link("/proc/self/exe") else { return false };
    let mut process = "self".to_owned();
    for _ in 0..MOST_ANCESTORS {
        let Ok(stat) = crate::disk::read_text(format!("/proc/{process}/stat")) else { return false };
        // The second field is the program's name in parentheses, which may contain any character.
        let parent = stat.rfind(')').and_then(|at| stat.get(at + 1..)?.split_ascii_whitespace().nth(1));
        let Some(parent) = parent.filter(|parent| *parent != "0") else { return false };
        if std::fs::read_link(format!("/proc/{parent}/exe")).is_ok_and(|program| program == own) {
            return true;
        }
        parent.clone_into(&mut process);
    }
    false
}

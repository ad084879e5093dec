//! The rules of the guard `research`: the agent reads a file before it changes it.

use super::event::{ContentChange, GuardEvent, base_name};
use super::hit::{GuardFinding, is_documentation, line_of};
use super::pattern::Pattern;
use super::rule::{Surroundings, ToolKind};
use super::settings::GuardOptions;
use super::todo::{called_list, stored_list};
use super::window::{Window, WindowCall};

/// The number of messages whose prompts may name a file.
const PROMPTS: usize = 10;

/// Checks the changes of files.
pub fn check(event: &GuardEvent<'_>, options: &GuardOptions, around: &dyn Surroundings) -> Vec<GuardFinding> {
    if !event.tool.is_some_and(ToolKind::changes_files) {
        return Vec::new();
    }
    let changes = event.changes(around);
    let mut found: Vec<GuardFinding> = changes
        .iter()
        .filter(|change| change.exists && change.not_found)
        .map(|change| {
            let what = "the text to replace is not in the file";
            let place = event.shown(&change.absolute);
            GuardFinding::new("RV-R1", &place, what, change.old.lines().next().unwrap_or_default())
        })
        .collect();
    let large: Vec<&ContentChange> = changes
        .iter()
        .filter(|change| change.changed_lines >= options.min_lines && !change.not_found && change.old != change.new)
        .collect();
    if large.is_empty() {
        return found;
    }
    let Some(end) = event.transcript(around) else { return found };
    let mut window = Window::read(&end, |messages| messages.len() >= options.lookback);
    for parts in &mut window.messages {
        // The transcript may already contain the call that is checked.
        parts.retain(|part| !matches!(part, crate::recorded::MessagePart::Call(call) if call.id.as_deref().is_some_and(|id| Some(id) == event.call_id())));
    }
    let calls = window.calls(event.tools);
    for change in large {
        if is_documentation(&change.absolute) || is_requested(change, event, &window, around) {
            continue;
        }
        let place = event.shown(&change.absolute);
        let first = change.new.lines().next().unwrap_or_default();
        if change.exists && !calls.iter().any(|call| touches(call, change)) {
            let (rule, what) = if change.whole {
                ("RV-R3", "the file is replaced, but it was not read")
            } else {
                ("RV-R2", "the file is changed, but it was not read")
            };
            found.push(GuardFinding::new(rule, &place, what, first));
        }
        found.extend(unknown_package(change, &calls, event));
    }
    found
}

/// Whether the user or an open todo names the file.
fn is_requested(change: &ContentChange, event: &GuardEvent<'_>, window: &Window, around: &dyn Surroundings) -> bool {
    let base = change.base_name();
    let stem = base.split('.').next().unwrap_or_default();
    let names = |text: &str| text.contains(base) || stem.len() >= 4 && has_word(text, stem);
    let todos = || stored_list(event, around).or_else(|| called_list(window, event)).unwrap_or_default();
    window.prompts(PROMPTS).any(names) || todos().iter().any(|item| item.is_open() && names(&item.text))
}

/// Whether a text contains a word, ignoring case.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| !c.is_alphanumeric() && c != '_';
    text.split(part).any(|own| own.eq_ignore_ascii_case(word))
}

/// Whether a call shows the content of the file, or its place.
fn touches(call: &WindowCall<'_>, change: &ContentChange) -> bool {
    let directory = change.absolute.rsplit_once('/').map_or("", |(directory, _)| directory);
    let in_directory = || {
        let own = super::event::path_of(&call.call.input).map(|path| path.trim_end_matches('/'));
        own.is_some_and(|path| path == directory || directory.ends_with(&format!("/{path}")))
    };
    match call.kind {
        ToolKind::Search | ToolKind::List => call.mentions(change.base_name()) || in_directory(),
        ToolKind::Read | ToolKind::Web | ToolKind::Shell | ToolKind::Write | ToolKind::Edit | ToolKind::Notebook => {
            call.mentions(change.base_name())
        }
        ToolKind::Agent | ToolKind::Other => call.mentions(change.base_name()),
        ToolKind::Todo => false,
    }
}

fn unknown_package(change: &ContentChange, calls: &[WindowCall<'_>], event: &GuardEvent<'_>) -> Option<GuardFinding> {
    let known = imported(&change.absolute, &change.old);
    let new = imported(&change.absolute, &change.new).into_iter().find(|name| {
        let read = |call: &WindowCall<'_>| {
            matches!(call.kind, ToolKind::Read | ToolKind::Search | ToolKind::Shell) && call.mentions(name)
        };
        !known.contains(name) && !calls.iter().any(read) && !is_local(name, &change.absolute, &event.project)
    })?;
    if calls.iter().any(|call| call.kind == ToolKind::Web) {
        return None;
    }
    let place = line_of(&event.shown(&change.absolute), &change.new, base_name(&new));
    Some(GuardFinding::new("RV-R4", &place, format!("{new} is new here, and nothing about it was read"), &new))
}

static PYTHON: Pattern = Pattern::new(&["import"], r"(?m)^\s*(?:import|from)\s+([A-Za-z_]\w*)");
static JAVASCRIPT: Pattern =
    Pattern::new(&["import", "require"], r#"(?:\bfrom\s+|\brequire\(\s*|^\s*import\s+)["']([^"']+)["']"#);
static RUST: Pattern = Pattern::new(&["use "], r"(?m)^\s*(?:pub\s+)?use\s+([a-z_][a-z0-9_]*)::");
static GO: Pattern =
    Pattern::new(&["import"], r#"(?m)^\s*(?:import\s+)?(?:\w+\s+)?"([a-z0-9.\-]+\.[a-z]+/[^"]+)"\s*$"#);

/// Modules that come with Python.
const PYTHON_OWN: &str = " __future__ abc argparse array ast asyncio atexit base64 binascii bisect builtins bz2 calendar \
    cmath cmd code codecs collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg csv \
    ctypes curses dataclasses datetime dbm decimal difflib dis doctest email encodings enum errno faulthandler fcntl \
    filecmp fileinput fnmatch fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip hashlib heapq \
    hmac html http imaplib importlib inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox \
    marshal math mimetypes mmap multiprocessing netrc numbers operator os pathlib pdb pickle pkgutil platform plistlib \
    poplib posixpath pprint profile pstats pty pwd py_compile queue quopri random re readline resource sched secrets \
    select selectors shelve shlex shutil signal site smtplib socket socketserver sqlite3 ssl stat statistics string \
    stringprep struct subprocess symtable sys sysconfig syslog tarfile tempfile termios textwrap threading time timeit \
    tkinter token tokenize tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest urllib uuid \
    venv warnings wave weakref webbrowser wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo ";
const RUST_OWN: [&str; 7] = ["std", "core", "alloc", "crate", "self", "super", "proc_macro"];

/// Returns the packages that a text imports, except those that come with the language.
pub fn imported(path: &str, text: &str) -> Vec<String> {
    let base = path.rsplit('/').next().unwrap_or(path);
    let names = |pattern: &Pattern| {
        let found = pattern.regex(text).into_iter().flat_map(|regex| regex.captures_iter(text.as_bytes()));
        found.filter_map(|found| Some(text.get(found.get(1)?.range())?.to_owned())).collect::<Vec<_>>()
    };
    match base.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "py" | "pyi" => {
            let own = |name: &String| PYTHON_OWN.contains(&format!(" {name} "));
            names(&PYTHON).into_iter().filter(|name| !own(name)).collect()
        }
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" => {
            let foreign = |name: &String| {
                !name.starts_with(['.', '/', '@', '#', '~']) && !name.starts_with("node:")
                    || name.starts_with('@') && !name.starts_with("@/")
            };
            names(&JAVASCRIPT).into_iter().filter(foreign).map(|name| package(&name)).collect()
        }
        "rs" => names(&RUST).into_iter().filter(|name| !RUST_OWN.contains(&name.as_str())).collect(),
        "go" => names(&GO),
        _ => Vec::new(),
    }
}

/// Returns the package of an imported path: `@scope/name` or `name`.
fn package(path: &str) -> String {
    let parts = if path.starts_with('@') { 2 } else { 1 };
    path.split('/').take(parts).collect::<Vec<_>>().join("/")
}

/// Whether a name is a part of the project: a directory on the way to the file.
pub fn is_local(name: &str, path: &str, project: &str) -> bool {
    let inside = path.strip_prefix(project).unwrap_or(path);
    let project_name = project.rsplit('/').next().unwrap_or_default().replace('-', "_");
    inside.split('/').any(|part| part == name || part.split('.').next() == Some(name)) || project_name == name
}

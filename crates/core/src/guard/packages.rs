//! The packages that a source file imports.

use super::pattern::Pattern;

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

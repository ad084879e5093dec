//! Opens the file: ownership, permissions, and errors if it cannot be used.

use std::cell::RefCell;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, InterruptHandle, OpenFlags};

use super::error::{StoreError, StoreErrorKind};
use super::kinds::EventKind;
use super::migrate;
use hookbench_core::filter::{Phrase, WordPattern, contains, is_answer, search_text};

/// How long to wait for another process that locks the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// The mode in which the file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMode {
    /// The file must exist, and is not changed.
    Read,
    /// The file is created if it is missing.
    Write,
}

/// An open store. Every process, and every thread that waits for it, opens its own.
pub struct Store {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    /// The identity of the file. `None` if it is unknown.
    identity: Option<(u64, u64)>,
    /// The kinds at the last change of the file.
    pub(super) kinds: RefCell<Option<(i64, Arc<Vec<EventKind>>)>>,
}

impl Store {
    /// Opens the file, with access for its owner only.
    ///
    /// # Errors
    /// Returns an error if it cannot be opened, has a newer version, is damaged, or is not a store.
    pub fn open(path: &Path, mode: OpenMode) -> Result<Store, StoreError> {
        connect(path, mode)
            .map(|connection| Store {
                connection,
                path: path.to_owned(),
                identity: identity(path),
                kinds: RefCell::new(None),
            })
            .map_err(|trouble| trouble.at(path))
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the opened file is still at its path: it can be set aside while it is open.
    pub fn is_at_its_path(&self) -> bool {
        self.identity.is_some() && self.identity == identity(&self.path)
    }

    /// A handle that interrupts the store from another thread.
    pub fn interrupt_handle(&self) -> InterruptHandle {
        self.connection.get_interrupt_handle()
    }

    pub(super) fn fault(&self, trouble: StoreErrorKind) -> StoreError {
        trouble.at(&self.path)
    }
}

/// Moves an unusable store aside, together with its other files, and returns the new path.
///
/// # Errors
/// Returns an error if it cannot be renamed.
pub fn move_aside(path: &Path) -> std::io::Result<PathBuf> {
    let beside = |end: &str| PathBuf::from(format!("{}{end}", path.display()));
    let mut n = 1;
    while beside(&format!(".aside-{n}")).exists() {
        n += 1;
    }
    let end = format!(".aside-{n}");
    std::fs::rename(path, beside(&end))?;
    for part in ["-wal", "-shm"] {
        match std::fs::rename(beside(part), beside(&format!("{end}{part}"))) {
            Err(why) if why.kind() != ErrorKind::NotFound => return Err(why),
            _ => {}
        }
    }
    Ok(beside(&end))
}

fn connect(path: &Path, mode: OpenMode) -> Result<Connection, StoreErrorKind> {
    if path.is_dir() {
        return Err(StoreErrorKind::NotOurs);
    }
    match mode {
        OpenMode::Read if !path.exists() => return Err(StoreErrorKind::Missing),
        OpenMode::Read => {}
        OpenMode::Write => create_private(path)?,
    }
    let connection = match mode {
        OpenMode::Read => match reading(path) {
            // Upgrades the file first if possible.
            Err(older @ StoreErrorKind::Older { .. }) => match writing(path) {
                Ok(_) => reading(path)?,
                Err(StoreErrorKind::ReadOnly(_) | StoreErrorKind::Closed(_)) => return Err(older),
                Err(other) => return Err(other),
            },
            other => other?,
        },
        OpenMode::Write => writing(path)?,
    };
    functions(&connection)?;
    Ok(connection)
}

fn writing(path: &Path) -> Result<Connection, StoreErrorKind> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut connection = Connection::open_with_flags(path, flags)?;
    set_pragmas(&connection)?;
    migrate::migrate(&mut connection)?;
    Ok(connection)
}

/// Opens the file read-only. In a directory where readers cannot write either, the file is opened as immutable.
fn reading(path: &Path) -> Result<Connection, StoreErrorKind> {
    let open = |uri: &str, flags: OpenFlags| -> Result<Connection, StoreErrorKind> {
        let connection = Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.execute_batch("PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000;")?;
        migrate::check(&connection)?;
        Ok(connection)
    };
    let uri = as_uri(path);
    match open(&uri, OpenFlags::SQLITE_OPEN_READ_WRITE) {
        Err(StoreErrorKind::Closed(_) | StoreErrorKind::ReadOnly(_)) => {}
        other => return other,
    }
    match open(&uri, OpenFlags::SQLITE_OPEN_READ_ONLY) {
        Err(StoreErrorKind::Closed(_) | StoreErrorKind::ReadOnly(_)) if !wal_has_content(path) => {}
        other => return other,
    }
    open(&format!("{uri}?immutable=1"), OpenFlags::SQLITE_OPEN_READ_ONLY)
}

fn wal_has_content(path: &Path) -> bool {
    std::fs::metadata(format!("{}-wal", path.display())).is_ok_and(|wal| wal.len() > 0)
}

fn as_uri(path: &Path) -> String {
    let text = path.display().to_string();
    let escaped = text.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{escaped}")
}

fn set_pragmas(connection: &Connection) -> Result<(), StoreErrorKind> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // NORMAL: when a commit returns, it is in the log file and survives the end of the process. The disk is synced
    // only at checkpoints; until then, a power failure can lose the newest commits, but never a part of one.
    connection.execute_batch(
        "PRAGMA page_size = 8192;
         PRAGMA journal_mode = WAL;
         PRAGMA synchronous = NORMAL;
         PRAGMA foreign_keys = ON;
         PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -32000;
         PRAGMA wal_autocheckpoint = 4000;
         PRAGMA journal_size_limit = 67108864;",
    )?;
    Ok(())
}

/// Registers functions that SQLite lacks.
fn functions(connection: &Connection) -> Result<(), StoreErrorKind> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("has_words", 2, flags, |context| {
        let phrase = context.get_or_create_aux(1, |value| -> Result<_, rusqlite::types::FromSqlError> {
            Ok(Phrase::parse(value.as_str()?))
        })?;
        let bytes = context.get_raw(0).as_blob_or_null()?.unwrap_or_default();
        Ok(phrase.as_ref().as_ref().is_some_and(|phrase| phrase.is_in(&search_text(bytes))))
    })?;
    connection.create_scalar_function("has_part", 2, flags, |context| {
        Ok(contains(context.get_raw(0).as_str()?, context.get_raw(1).as_str()?))
    })?;
    connection.create_scalar_function("is_answer", 3, flags, |context| {
        let text = |at: usize| context.get_raw(at).as_str();
        Ok(is_answer(text(0)?, text(1)?, &WordPattern(text(2)?.to_owned())))
    })?;
    Ok(())
}

/// Creates the directory and the file, and makes the file inaccessible to other users.
fn create_private(path: &Path) -> Result<(), StoreErrorKind> {
    let refused = |why: std::io::Error| match why.kind() {
        ErrorKind::StorageFull => StoreErrorKind::Full,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => StoreErrorKind::ReadOnly(why.to_string()),
        _ => StoreErrorKind::Closed(why.to_string()),
    };
    if let Some(directory) = path.parent().filter(|directory| !directory.exists()) {
        owner_only_directory(directory).map_err(refused)?;
    }
    owner_only_file(path).map_err(refused)
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Option<(u64, u64)> {
    None
}

#[cfg(unix)]
fn owner_only_directory(directory: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

/// Creates the file, or restricts its permissions; SQLite's other files inherit them. An existing file is never
/// opened here, because closing it would release this process's locks on it.
#[cfg(unix)]
fn owner_only_file(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
    match std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(why) if why.kind() == ErrorKind::AlreadyExists => {}
        made => return made.map(drop),
    }
    if std::fs::metadata(path)?.permissions().mode() & 0o077 != 0 {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn owner_only_directory(directory: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(directory)
}

#[cfg(not(unix))]
fn owner_only_file(_: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    /// A store is moved to the thread that reads for the screen.
    #[test]
    fn a_store_can_go_to_another_thread() {
        fn goes<T: Send>() {}
        goes::<super::Store>();
    }
}

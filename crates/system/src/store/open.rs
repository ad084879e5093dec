//! Opens the file: ownership, permissions, and errors if it cannot be used.

use std::cell::RefCell;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, InterruptHandle, OpenFlags, TransactionBehavior};

use super::error::{StoreError, StoreErrorKind};
use super::kinds::EventKind;
use crate::owner_only::create_directory;
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
    migrate(&mut connection)?;
    Ok(connection)
}

/// Opens the file read-only. In a directory where readers cannot write either, the file is opened as immutable.
fn reading(path: &Path) -> Result<Connection, StoreErrorKind> {
    let open = |uri: &str, flags: OpenFlags| -> Result<Connection, StoreErrorKind> {
        let connection = Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.execute_batch("PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000;")?;
        check(&connection)?;
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
        create_directory(directory).map_err(refused)?;
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
fn owner_only_file(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// The migrations: entry n upgrades version n to version n + 1.
const STEPS: [&str; NEWEST as usize] = [
    include_str!("schema/v1.sql"),
    include_str!("schema/v2.sql"),
    include_str!("schema/v3.sql"),
    include_str!("schema/v4.sql"),
];

const NEWEST: u8 = 4;

/// The schema version that this program writes.
pub const VERSION: i64 = NEWEST as i64;

/// `hkbn`: the application id of the file.
const APPLICATION: i64 = 0x686b_626e;

/// Upgrades the file to the newest version. A newer file, or a file of another program, is not changed.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreErrorKind> {
    to_newest(connection, &STEPS)
}

/// Checks that the file can be read without an upgrade.
pub(super) fn check(connection: &Connection) -> Result<(), StoreErrorKind> {
    match version(connection, VERSION)? {
        found if found == VERSION => Ok(()),
        0 => Err(StoreErrorKind::Missing),
        found => Err(StoreErrorKind::Older { found, known: VERSION }),
    }
}

fn to_newest(connection: &mut Connection, steps: &[&str]) -> Result<(), StoreErrorKind> {
    let newest = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    if version(connection, newest)? == newest {
        return Ok(());
    }
    // Another process may be upgrading, so the version is read again inside the transaction.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = version(&transaction, newest)?;
    for step in steps.iter().skip(usize::try_from(found).unwrap_or(usize::MAX)) {
        transaction.execute_batch(step).map_err(|why| match StoreErrorKind::from_sqlite(&why) {
            // A step that does not fit the tables.
            StoreErrorKind::Other(_) => StoreErrorKind::WrongVersion,
            other => other,
        })?;
    }
    transaction.execute_batch(&format!("PRAGMA user_version = {newest}; PRAGMA application_id = {APPLICATION};"))?;
    Ok(transaction.commit()?)
}

/// The version of the file; 0 if it is empty.
fn version(connection: &Connection, newest: i64) -> Result<i64, StoreErrorKind> {
    let pragma = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
    let found = pragma("user_version")?;
    let empty = connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get::<_, bool>(0))?;
    match pragma("application_id")? {
        APPLICATION if found < 0 || (found == 0 && !empty) => Err(StoreErrorKind::WrongVersion),
        APPLICATION if found > newest => Err(StoreErrorKind::Newer { found, known: newest }),
        APPLICATION => Ok(found),
        _ if empty => Ok(0),
        _ => Err(StoreErrorKind::NotOurs),
    }
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

#[cfg(test)]
mod migrate_tests {
    use super::*;

    const NEXT: &str = "ALTER TABLE sessions ADD COLUMN branch TEXT; UPDATE sessions SET branch = 'main';";

    /// Real files of older versions are next to the tests of the store.
    #[test]
    fn every_older_version_comes_to_the_newest() {
        for old in 1..=STEPS.len() {
            let mut connection = Connection::open_in_memory().unwrap();
            to_newest(&mut connection, &STEPS[..old]).unwrap();
            connection.execute_batch("INSERT INTO sessions (agent, name) VALUES ('x', 's')").unwrap();
            // A fictitious step represents the next version.
            let steps = [STEPS.as_slice(), &[NEXT]].concat();
            to_newest(&mut connection, &steps).unwrap();
            to_newest(&mut connection, &steps).unwrap();
            let branch: String = connection.query_row("SELECT branch FROM sessions", [], |row| row.get(0)).unwrap();
            assert_eq!(branch, "main");
            let newer = VERSION + 1;
            assert_eq!(version(&connection, newer).unwrap(), newer);
            // The result is too new for the current program.
            assert!(
                matches!(migrate(&mut connection), Err(StoreErrorKind::Newer { found, known: VERSION }) if found == newer)
            );
            assert!(matches!(check(&connection), Err(StoreErrorKind::Newer { .. })));
        }
    }

    /// A program for version 3 cannot read the word "fired", so the file gets a new version.
    #[test]
    fn a_program_for_version_3_refuses_a_store_with_a_log() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection).unwrap();
        let refused = to_newest(&mut connection, &STEPS[..3]);
        assert!(matches!(refused, Err(StoreErrorKind::Newer { found: VERSION, known: 3 })), "{refused:?}");
    }

    #[test]
    fn a_step_that_fails_leaves_the_old_version() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection).unwrap();
        let broken =
            [STEPS.as_slice(), &["ALTER TABLE sessions ADD COLUMN branch TEXT; SELECT * FROM nowhere;"]].concat();
        assert!(to_newest(&mut connection, &broken).is_err());
        assert_eq!(version(&connection, VERSION + 1).unwrap(), VERSION);
        assert!(connection.prepare("SELECT branch FROM sessions").is_err());
        check(&connection).unwrap();
    }

    #[test]
    fn somebody_else_s_file_is_left_alone() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE theirs (x); PRAGMA user_version = 1").unwrap();
        assert!(matches!(migrate(&mut connection), Err(StoreErrorKind::NotOurs)));
        assert!(matches!(check(&connection), Err(StoreErrorKind::NotOurs)));
    }
}

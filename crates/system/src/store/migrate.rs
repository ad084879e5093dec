//! The versions of the file's schema, and the migrations to the next version. There are no downgrades.

use rusqlite::{Connection, TransactionBehavior};

use super::error::StoreErrorKind;

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

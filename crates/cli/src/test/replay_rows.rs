//! `report merge` on the rows of a replay.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use crate::error::CliError;
use crate::print::text_page::TextPage;
use crate::print::{self, print_json};

use hookbench_app::ExitStatus;
use hookbench_app::replay::{ROW_SCHEMA, ReplayReport};
use hookbench_system::disk;

/// The number of bytes in which a row states its schema.
const ROW_HEAD: u64 = 64;

/// Whether a file begins with a row of a replay. False if it cannot be read.
pub fn has_rows(path: &Path) -> bool {
    let start = format!(r#"{{"schema":"{ROW_SCHEMA}""#);
    disk::read_beginning(path, ROW_HEAD).is_ok_and(|head| head.starts_with(start.as_bytes()))
}

/// Prints the report on the rows in these files, if no part of them is missing.
pub fn merge_rows(paths: &[PathBuf], as_json: bool) -> Result<ExitStatus, CliError> {
    let mut report = ReplayReport::default();
    for path in paths {
        let unreadable = |why: std::io::Error| CliError::of_file(path, &why);
        let (mut open, mut is_empty) = (0, true);
        for (index, line) in BufReader::new(disk::open(path).map_err(unreadable)?).lines().enumerate() {
            let line = line.map_err(unreadable)?;
            let wrong =
                |why| CliError::BadInput(format!("{}:{}: not a row of a replay: {why}", path.display(), index + 1));
            report.add_line(&line, &mut open).map_err(wrong)?;
            is_empty = false;
        }
        if is_empty || open > 0 {
            let why = "its last row does not end a part, so rows are missing\n  help: replay this part again";
            return Err(CliError::BadInput(format!("{}: {why}", path.display())));
        }
    }
    let missing = report.missing_parts();
    if !missing.is_empty() {
        let (what, is) = (missing.join(", "), if missing.len() == 1 { "is" } else { "are" });
        let help = "give the files of all parts";
        return Err(CliError::BadInput(format!("{what} {is} missing\n  help: {help}")));
    }
    let report = report.finish();
    if as_json {
        return print_json(&report);
    }
    let mut page = TextPage::new();
    print::replay_report(&report, &mut page);
    print::write_stdout(&page.finish());
    Ok(ExitStatus::Ok)
}

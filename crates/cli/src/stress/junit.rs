//! A stress test as `JUnit` XML: one case for each variant and condition.

use std::fmt::Write as _;

use crate::print::ci::xml;
use hookbench_app::document::StressDoc;

pub(super) fn junit(doc: &StressDoc) -> String {
    let failed = doc.rows.iter().filter(|row| row.ok == Some(false)).count();
    let skipped = doc.rows.iter().filter(|row| row.ok.is_none()).count();
    let name = xml(&format!("stress {}", doc.hook.name));
    let numbers = format!("tests=\"{}\" failures=\"{failed}\" skipped=\"{skipped}\"", doc.rows.len());
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a String cannot fail.
    let _ = writeln!(out, "<testsuites {numbers}>\n  <testsuite name=\"{name}\" {numbers}>");
    for row in &doc.rows {
        let (file, line) = (xml(&doc.hook.source.file), doc.hook.source.line);
        let _ = write!(
            out,
            "    <testcase classname=\"{}\" name=\"{}\" file=\"{file}\" line=\"{line}\"",
            row.family,
            xml(&row.variant)
        );
        let message = xml(&format!("{}: {}", row.result, row.says));
        let _ = match row.ok {
            Some(true) => writeln!(out, "/>"),
            Some(false) => {
                let why = xml(&row.why_the_same);
                writeln!(out, "><failure message=\"{message}\">{why}</failure></testcase>")
            }
            None => writeln!(out, "><skipped message=\"{message}\"/></testcase>"),
        };
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

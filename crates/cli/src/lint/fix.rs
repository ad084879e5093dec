//! `lint --fix`: shows the changes of the fixes, and writes them.

use super::{Asked, LintFormat, status};
use crate::convert::not_written;
use crate::exit::Failure;
use crate::look::print_json;
use crate::print::page::{Page, Tone};
use crate::print::{lines, out};
use hookbench_app::document::lint_doc;
use hookbench_app::lint::{Finding, Linted, Mended, mend, write};
use hookbench_app::{Links, StateDir, Status};
use hookbench_core::diagnostic::Severity;
use hookbench_core::text::counted;

/// Shows the changes that the fixes of the reported findings make, and writes them if requested.
pub(super) fn fix(asked: &Asked<'_>, linted: Linted) -> Result<Status, Failure> {
    let args = asked.args;
    let wanted = |finding: &Finding| finding.fix.as_ref().is_some_and(|fix| fix.safe || args.proposed);
    let of_round = |linted: Linted| asked.settle(linted).findings.into_iter().filter(wanted).collect();
    let links = Links::of(args.follow_links);
    let mended = mend(&asked.session, (args.common.one(), &asked.only, &asked.times), links, &of_round);
    let written = args.write && !mended.files.is_empty();
    if written {
        let place = &asked.session.place;
        write(&StateDir::of(place), place, &mended.files, links).map_err(|why| not_written(&why))?;
    }
    let before = asked.settle(linted);
    let after = asked.settle(mended.left.clone());
    let now = if written { &after } else { &before };
    if args.format == LintFormat::Json {
        print_json(&lint_doc(now, asked.baseline.is_some(), Some((&mended, written))))?;
        return Ok(status(now));
    }
    let proposals = before.findings.iter().filter(|f| f.fix.as_ref().is_some_and(|fix| !fix.safe)).count();
    let mut page = Page::new();
    patch(&mut page, &mended);
    for refused in &mended.refused {
        let found = &refused.finding;
        let at = found.place.map(|(start, _)| format!(":{}", start.line)).unwrap_or_default();
        let place = format!("{}{at}", found.file.as_deref().unwrap_or(""));
        page.put(Tone::Warn, &format!("{} in {place} is not mended: ", found.code))
            .put(Tone::Plain, &refused.why)
            .end();
    }
    if mended.files.is_empty() {
        page.put(Tone::Plain, "no safe fix").end();
    } else {
        let (fixes, files) = (counted(mended.fixes as u64, "finding"), counted(mended.files.len() as u64, "file"));
        page.put(Tone::Strong, &format!("{fixes} mended in {files}"));
        let then = if written { ", written; hookbench undo takes it back" } else { ", not written; --write does" };
        page.put(Tone::Plain, then).end();
    }
    let count = |severity| after.count(severity) as u64;
    let left = [counted(count(Severity::Error), "error"), counted(count(Severity::Warning), "warning")].join(", ");
    page.put(Tone::Quiet, &format!("{left} {}", if written { "left" } else { "would be left" })).end();
    if proposals > 0 && !args.proposed {
        page.put(Tone::Quiet, &format!("{} more; --proposed shows them too", counted(proposals as u64, "proposal")));
        page.end();
    }
    out(&page.finish());
    Ok(status(now))
}

fn patch(page: &mut Page, mended: &Mended) {
    for file in &mended.files {
        lines(page, &file.diff());
        if file.executable {
            page.put(Tone::Good, &format!("  chmod +x {}", file.file)).end();
        }
    }
    if !mended.files.is_empty() {
        page.end();
    }
}

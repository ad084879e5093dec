//! `lint --fix`: shows the changes of the fixes, and writes them.

use super::{LintFormat, LintRequest, status};
use crate::convert::write_error;
use crate::error::CliError;
use crate::inspect::print_json;
use crate::print::text_page::{TextPage, Tone};
use crate::print::{patch_lines, write_stdout};
use hookbench_app::document::lint_doc;
use hookbench_app::lint::{Finding, FixResult, LintResult, apply_fixes, write_fixes};
use hookbench_app::{ExitStatus, LinkPolicy, StateDir};
use hookbench_core::diagnostic::Severity;
use hookbench_core::text::pluralize;

/// Shows the changes that the fixes of the reported findings make, and writes them if requested.
pub(super) fn fix(asked: &LintRequest<'_>, linted: LintResult) -> Result<ExitStatus, CliError> {
    let args = asked.args;
    let wanted = |finding: &Finding| finding.fix.as_ref().is_some_and(|fix| fix.safe || args.proposed);
    let of_round = |linted: LintResult| asked.settle(linted).findings.into_iter().filter(wanted).collect();
    let links = LinkPolicy::from_flag(args.follow_links);
    let mended = apply_fixes(
        &asked.project,
        (args.common.single_agent(), &asked.only_files, &asked.run_times),
        links,
        &of_round,
    );
    let written = args.write && !mended.files.is_empty();
    if written {
        let place = &asked.project.place;
        write_fixes(&StateDir::of(place), place, &mended.files, links).map_err(|why| write_error(&why))?;
    }
    let before = asked.settle(linted);
    let after = asked.settle(mended.remaining.clone());
    let now = if written { &after } else { &before };
    if args.format == LintFormat::Json {
        print_json(&lint_doc(now, asked.baseline.is_some(), Some((&mended, written))))?;
        return Ok(status(now));
    }
    let proposals = before.findings.iter().filter(|f| f.fix.as_ref().is_some_and(|fix| !fix.safe)).count();
    let mut page = TextPage::new();
    patch(&mut page, &mended);
    for refused in &mended.rejected {
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
        let (fixes, files) = (pluralize(mended.fixes as u64, "finding"), pluralize(mended.files.len() as u64, "file"));
        page.put(Tone::Strong, &format!("{fixes} mended in {files}"));
        let then = if written { ", written; hookbench undo takes it back" } else { ", not written; --write does" };
        page.put(Tone::Plain, then).end();
    }
    let count = |severity| after.count(severity) as u64;
    let left = [pluralize(count(Severity::Error), "error"), pluralize(count(Severity::Warning), "warning")].join(", ");
    page.put(Tone::Quiet, &format!("{left} {}", if written { "left" } else { "would be left" })).end();
    if proposals > 0 && !args.proposed {
        page.put(Tone::Quiet, &format!("{} more; --proposed shows them too", pluralize(proposals as u64, "proposal")));
        page.end();
    }
    write_stdout(&page.finish());
    Ok(status(now))
}

fn patch(page: &mut TextPage, mended: &FixResult) {
    for file in &mended.files {
        patch_lines(page, &file.diff());
        if file.executable {
            page.put(Tone::Good, &format!("  chmod +x {}", file.file)).end();
        }
    }
    if !mended.files.is_empty() {
        page.end();
    }
}

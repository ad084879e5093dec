//! `lint --fix`: shows the changes of the fixes, and writes them.

use super::{LintFormat, LintRequest, status};
use crate::error::CliError;
use crate::print::text_page::{TextPage, Tone};
use crate::print::{patch_lines, print_json, write_stdout};
use hookbench_app::lint::{Finding, FixResult, LintResult, apply_fixes};
use hookbench_app::{ExitStatus, LinkPolicy, write_all};
use hookbench_core::diagnostic::{Code, Severity};
use hookbench_core::text::pluralize;

/// Shows the changes that the fixes of the reported findings make, and writes them if requested.
pub(super) fn fix(asked: &LintRequest<'_>, linted: LintResult) -> Result<ExitStatus, CliError> {
    let args = asked.args;
    let wanted = |finding: &Finding| finding.fix.as_ref().is_some_and(|fix| fix.safe || args.proposed);
    let of_round = |linted: LintResult| asked.settle(linted).findings.into_iter().filter(wanted).collect();
    let links = LinkPolicy::from_flag(args.follow_links);
    let fixed = apply_fixes(
        &asked.project,
        (args.common.single_agent(), &asked.only_files, &asked.run_times),
        links,
        &of_round,
    );
    let written = args.yes && !fixed.files.is_empty();
    if written {
        let place = &asked.project.place;
        write_all(place, &fixed.files, links)?;
    }
    let before = asked.settle(linted);
    let after = asked.settle(fixed.remaining.clone());
    let now = if written { &after } else { &before };
    if args.format == LintFormat::Json {
        print_json(&asked.document(now, Some((&fixed, written))))?;
        return Ok(status(now));
    }
    let proposals = before.findings.iter().filter(|f| f.fix.as_ref().is_some_and(|fix| !fix.safe)).count();
    let mut page = TextPage::new();
    patch(&mut page, &fixed);
    for refused in &fixed.rejected {
        let found = &refused.finding;
        let at = found.place.map(|(start, _)| format!(":{}", start.line)).unwrap_or_default();
        let place = format!("{}{at}", found.file.as_deref().unwrap_or(""));
        page.put(Tone::Warn, &format!("{} in {place} cannot be fixed: ", found.code))
            .put(Tone::Plain, &refused.why)
            .end();
    }
    if fixed.files.is_empty() {
        page.put(Tone::Plain, "no safe fixes").end();
    } else {
        let (fixes, files) = (pluralize(fixed.fixes as u64, "finding"), pluralize(fixed.files.len() as u64, "file"));
        let (what, then) = if written {
            ("fixed", "; `hookbench undo` restores the files")
        } else {
            ("can be fixed", "; add --yes to write the files")
        };
        page.put(Tone::Strong, &format!("{fixes} {what} in {files}"));
        page.put(Tone::Plain, then).end();
    }
    let count = |severity| after.count(severity) as u64;
    let left = [pluralize(count(Severity::Error), "error"), pluralize(count(Severity::Warning), "warning")].join(", ");
    page.put(Tone::Quiet, &format!("{left} {}", if written { "left" } else { "would remain" }));
    if after.findings.iter().any(|found| found.code == Code::HW101) {
        page.put(Tone::Quiet, "; a file that cannot be read may have more");
    }
    page.end();
    if proposals > 0 && !args.proposed {
        page.put(
            Tone::Quiet,
            &format!("{} not shown; add --proposed to include them", pluralize(proposals as u64, "proposal")),
        );
        page.end();
    }
    write_stdout(&page.finish());
    Ok(status(now))
}

fn patch(page: &mut TextPage, fixed: &FixResult) {
    for file in &fixed.files {
        patch_lines(page, &file.diff());
        if file.executable {
            page.put(Tone::Good, &format!("  chmod +x {}", file.file)).end();
        }
    }
    if !fixed.files.is_empty() {
        page.end();
    }
}

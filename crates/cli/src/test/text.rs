//! Test results for people: a line for each case, and the reasons below a failed one.

use crate::print;
use crate::print::text_page::{TextPage, Tone};
use hookbench_app::suite::{CaseDoc, CaseResult, SuiteUpdate, TestDoc, test_doc};
use hookbench_core::text::{LineSign, changed_groups, diff_lines};

/// Number of context lines around a change.
const AROUND: usize = 2;

/// Prints cases, grouped by suite.
pub(super) struct CasePrinter {
    suite: String,
}

impl CasePrinter {
    pub(super) fn new() -> CasePrinter {
        CasePrinter { suite: String::new() }
    }

    /// Prints the result of a case.
    pub(super) fn case(&mut self, result: &CaseResult) {
        for case in test_doc(std::slice::from_ref(result)).cases {
            self.line(&case);
        }
    }

    fn line(&mut self, case: &CaseDoc) {
        let mut page = TextPage::new();
        if case.suite != self.suite {
            if !self.suite.is_empty() {
                page.end();
            }
            self.suite.clone_from(&case.suite);
            page.put(Tone::Strong, &case.suite).end();
        }
        let (tone, word) = match (case.ok, case.skipped) {
            (false, _) => (Tone::Bad, "FAIL"),
            (true, true) => (Tone::Warn, "skip"),
            (true, false) => (Tone::Good, "ok"),
        };
        page.put(Tone::Plain, "  ").cell(tone, word, 6).cell(Tone::Plain, &case.case, 48);
        page.put(Tone::Quiet, &format!("  {} ms", case.duration_ms)).end();
        for why in &case.why {
            page.put(Tone::Plain, "        ").put(Tone::Plain, why).end();
        }
        for note in &case.notes {
            page.put(Tone::Plain, "        ").put(Tone::Warn, "note: ").put(Tone::Plain, note).end();
        }
        if !case.ok {
            page.put(Tone::Quiet, &format!("        {}:{}", case.suite, case.line)).end();
        }
        print::write_stdout(&page.finish());
    }
}

/// Prints all cases of a report.
pub(super) fn cases(doc: &TestDoc) {
    let mut lines = CasePrinter::new();
    for case in &doc.cases {
        lines.line(case);
    }
}

/// Prints the totals.
pub(super) fn summary(doc: &TestDoc) {
    let mut page = TextPage::new();
    page.end();
    let tone = if doc.failed == 0 { Tone::Good } else { Tone::Bad };
    page.put(tone, &format!("{} passed, {} failed", doc.passed, doc.failed));
    if doc.skipped > 0 {
        page.put(Tone::Warn, &format!(", {} skipped", doc.skipped));
    }
    page.end();
    print::write_stdout(&page.finish());
}

/// Prints the changes to a suite, and the cases that cannot be updated automatically.
pub(super) fn change(update: &SuiteUpdate, name: &str) {
    let mut page = TextPage::new();
    if update.before != update.after {
        page.put(Tone::Strong, name).end();
        let lines = diff_lines(&update.before, &update.after);
        for line in changed_groups(&lines, AROUND).into_iter().flatten() {
            let tone = match line.sign {
                LineSign::Removed => Tone::Bad,
                LineSign::Added => Tone::Good,
                LineSign::Kept => Tone::Quiet,
            };
            page.put(Tone::Quiet, &format!("{:>5} ", line.number())).put(tone, &format!("{} ", line.sign.mark()));
            page.put(tone, line.text.trim_end_matches(['\r', '\n'])).end();
        }
    }
    for left in &update.remaining {
        page.put(Tone::Warn, "not updated: ").put(Tone::Plain, left).end();
    }
    print::write_stdout(&page.finish());
}

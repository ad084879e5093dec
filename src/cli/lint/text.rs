//! Findings as compilers say them: the line, what is meant in it, the cure.

use unicode_width::UnicodeWidthStr as _;

use crate::app::lint::{Finding, Linted};
use crate::cli::print::page::{Page, Tone, counted};
use crate::core::diagnostic::Severity;
use crate::core::text::one_line;

/// Characters of a source line that are shown.
const LINE: usize = 160;

/// All findings, and how many there are.
pub(super) fn text(linted: &Linted) -> String {
    let mut page = Page::new();
    for found in &linted.findings {
        one(&mut page, found);
    }
    let count = |severity| linted.findings.iter().filter(|f| f.severity == severity).count() as u64;
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let tone = if errors > 0 { Tone::Bad } else { Tone::Good };
    page.put(tone, &format!("{}, {}", counted(errors, "error"), counted(warnings, "warning")));
    let (hooks, files) = (linted.hooks as u64, linted.files as u64);
    page.put(Tone::Quiet, &format!(" in {} of {}", counted(hooks, "hook"), counted(files, "file"))).end();
    page.finish()
}

fn one(page: &mut Page, found: &Finding) {
    let tone = match found.severity {
        Severity::Error => Tone::Bad,
        Severity::Warning => Tone::Warn,
        Severity::Info => Tone::Quiet,
    };
    page.put(tone, &format!("{}[{}]", found.severity.word(), found.code));
    page.put(Tone::Strong, &format!(": {}", found.message)).end();
    let file = found.file.as_deref().unwrap_or("");
    let number = found.place.map(|(start, _)| start.line.to_string()).unwrap_or_default();
    let margin = " ".repeat(number.len());
    match found.place {
        Some((start, end)) => {
            page.put(Tone::Quiet, &format!("{margin} --> "));
            page.put(Tone::Plain, &format!("{file}:{}:{}", start.line, start.column)).end();
            let shown: String = found.line.chars().take(LINE).collect();
            page.put(Tone::Quiet, &format!("{number} | ")).put(Tone::Plain, &one_line(&shown)).end();
            let before: String = found.line.chars().take(start.column.saturating_sub(1) as usize).collect();
            let last = if end.line == start.line { end.column } else { u32::MAX };
            let length = (last.saturating_sub(start.column) as usize).max(1);
            let meant: String = found.line.chars().skip(before.chars().count()).take(length).collect();
            let (skip, carets) = (one_line(&before).width(), one_line(meant.trim_end()).width().max(1));
            if skip + carets <= LINE {
                page.put(Tone::Quiet, &format!("{margin} | ")).put(Tone::Plain, &" ".repeat(skip));
                page.put(tone, &"^".repeat(carets)).end();
            }
        }
        None if !file.is_empty() => {
            page.put(Tone::Quiet, &format!("{margin} --> ")).put(Tone::Plain, file).end();
        }
        None => {}
    }
    if let Some(note) = &found.note {
        page.put(Tone::Quiet, &format!("{margin} = note: ")).put(Tone::Plain, note).end();
    }
    if let Some(help) = &found.help {
        page.put(Tone::Quiet, &format!("{margin} = help: ")).put(Tone::Plain, help).end();
    }
    page.end();
}

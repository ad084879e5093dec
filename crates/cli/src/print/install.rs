//! The page of `install` and `uninstall`: the change, the state of every entry, and the problems that the agent
//! would have with them.

use super::convert::{patch_limit, patch_lines, patch_lines_up_to};
use super::text_page::{TextPage, Tone};
use super::write_stdout;
use hookbench_app::document::{InstallDoc, InstallFileDoc, StandingDoc, UndoDoc, UndoListDoc};
use hookbench_core::install::EntryState;
use hookbench_core::text::pluralize;

/// Prints a change of an agent's settings by `install` or `uninstall`: the summary, the patches, and what was done.
pub fn install(doc: &InstallDoc, name: &str, dry_run: bool) {
    let mut page = TextPage::new();
    page.put(Tone::Strong, &format!(" {name} {}", doc.agent_version));
    page.put(Tone::Quiet, &format!("   {} settings", doc.scope)).end().end();
    if doc.entries.is_empty() {
        page.put(Tone::Plain, " the file has no forwarding hooks").end();
    }
    let states = [
        (EntryState::Added, "added"),
        (EntryState::Updated, "updated"),
        (EntryState::Unchanged, "unchanged"),
        (EntryState::Removed, "removed"),
    ];
    for (state, word) in states {
        for file in &doc.files {
            let entries = doc.entries.iter().filter(|entry| entry.state == state && entry.file == file.file);
            let of: Vec<&str> = entries.map(|entry| entry.event.as_str()).collect();
            if !of.is_empty() {
                page.put(Tone::Plain, " ").cell(Tone::Strong, word, 11);
                page.put(Tone::Plain, &format!("{}: {}", pluralize(of.len() as u64, "event"), of.join(", ")));
                if doc.files.len() > 1 {
                    page.put(Tone::Quiet, &format!(" in {}", file.file));
                }
                page.end();
            }
        }
    }
    for left in &doc.left_out {
        page.put(Tone::Plain, " ").cell(Tone::Quiet, "left out", 11);
        page.put(Tone::Quiet, &format!("{}: {}", left.event, left.says)).end();
    }
    if doc.action == "install" {
        page.put(Tone::Plain, " ").cell(Tone::Quiet, "runs", 11).put(Tone::Plain, &doc.command).end();
    }
    for note in &doc.notes {
        page.put(Tone::Plain, " ").put(Tone::Warn, note).end();
    }
    problems(&mut page, " ", &doc.standing);
    other_files(&mut page, doc);
    for file in doc.files.iter().filter(|file| !file.diff.is_empty()) {
        page.end().put(Tone::Strong, &format!(" {}", file.file)).end();
        patch_lines_up_to(&mut page, &file.diff, patch_limit(dry_run));
    }
    page.end();
    for file in &doc.files {
        page.put(Tone::Strong, &format!(" {}", file.file));
        page.put(Tone::Plain, &format!(": {}", change_text(file, doc.written))).end();
    }
    write_stdout(&page.finish());
}

fn change_text(file: &InstallFileDoc, written: bool) -> &'static str {
    match (file.diff.is_empty() && !file.removes_file, written, file.removes_file) {
        (true, ..) => "nothing to do",
        (_, true, false) => "written; `hookbench undo` restores the file",
        (_, true, true) => "removed, because install created it; `hookbench undo` restores the file",
        (_, false, false) => "not written yet",
        (_, false, true) => "to be removed, because install created it",
    }
}

/// Prints the problems of entries. Events with the same problem share a line.
pub(super) fn problems(page: &mut TextPage, before: &str, entries: &[StandingDoc]) {
    let mut said: Vec<(&str, Vec<&str>)> = Vec::new();
    for (entry, problem) in entries.iter().filter_map(|entry| Some((entry, entry.problem.as_ref()?))) {
        match said.iter_mut().find(|(says, _)| *says == problem.says) {
            Some((_, events)) => events.push(&entry.event),
            None => said.push((&problem.says, vec![&entry.event])),
        }
    }
    for (says, events) in said {
        let all = events.len() == entries.len() && events.len() > 1;
        let who = match events.as_slice() {
            _ if all => format!("all {}", pluralize(events.len(), "entry")),
            [first, second, _, ..] => format!("{first}, {second} and {} more", events.len() - 2),
            few => few.join(", "),
        };
        page.put(Tone::Plain, before).put(Tone::Warn, &format!("{who}: {says}")).end();
    }
}

fn other_files(page: &mut TextPage, doc: &InstallDoc) {
    let mut files: Vec<(&str, usize)> = Vec::new();
    for entry in &doc.elsewhere {
        match files.iter_mut().find(|(file, _)| *file == entry.file) {
            Some((_, count)) => *count += 1,
            None => files.push((&entry.file, 1)),
        }
    }
    for (file, count) in files {
        let entries = if count == 1 { "a forwarding hook".to_owned() } else { format!("{count} forwarding hooks") };
        let what = if doc.action == "install" { "events in both files may be sent twice" } else { "they are kept" };
        page.put(Tone::Plain, " ").put(Tone::Warn, &format!("{file} also has {entries}: {what}")).end();
    }
}

/// Prints a step that was undone, or that would be.
pub fn undo(doc: &UndoDoc, done: bool) {
    let mut page = TextPage::new();
    for file in &doc.files {
        let what = match (file.removed, file.runs_no_more) {
            (true, _) => "removed",
            (false, true) if file.diff.is_empty() => "not executable, as before",
            (false, true) => "restored, and not executable",
            (false, false) => "restored",
        };
        let what = if done { what.to_owned() } else { format!("to be {what}") };
        page.put(Tone::Strong, &format!(" {}", file.file)).put(Tone::Quiet, &format!("   {what}"));
        if file.removed {
            // It is as hookbench wrote it, so its text tells nothing new.
            let lines = file.diff.lines().filter(|line| line.starts_with('-') && !line.starts_with("---")).count();
            page.put(Tone::Quiet, &format!(", {}", pluralize(lines, "line"))).end();
            continue;
        }
        page.end();
        patch_lines(&mut page, &file.diff);
    }
    write_stdout(&page.finish());
}

/// Prints the steps that can be undone.
pub fn undo_list(doc: &UndoListDoc) {
    let mut page = TextPage::new();
    if doc.steps.is_empty() {
        page.put(Tone::Plain, "nothing to undo").end();
    }
    for (index, step) in doc.steps.iter().enumerate() {
        let next = if index == 0 { "   undone by the next `hookbench undo`" } else { "" };
        page.put(Tone::Strong, step.at.as_deref().unwrap_or("unknown time")).put(Tone::Quiet, next).end();
        for file in &step.files {
            page.put(Tone::Plain, &format!("  {file}")).end();
        }
    }
    write_stdout(&page.finish());
}

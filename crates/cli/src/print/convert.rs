//! The page of `convert`: every definition with its line, the losses, the change to the other agent's file, and the
//! result of the check.

use super::text_page::{TextPage, Tone, listed};
use super::write_stdout;
use hookbench_app::document::{ConvertDoc, ConvertedDoc, LOSS_CODE, NoteDoc};

/// The code of the notes about scripts that expect what the other agent never sends.
const MISREAD: &str = "script.never-sent";
/// The code of the note about a hook that the other agent runs without a conversion.
const SHARED: &str = "file.shared";
/// Maximum number of patch lines shown.
const PATCH: usize = 400;
/// The same for a file before hookbench asks whether to write it; a dry run shows all.
const BEFORE_QUESTION: usize = 40;
/// Maximum number of answer keys, or of subjects of a difference, that are listed. The rest is counted.
const LISTED: usize = 4;

/// Prints a conversion from the first of these agents to the second.
pub fn convert(doc: &ConvertDoc, [from, to]: [&str; 2]) {
    let mut page = TextPage::new();
    page.put(Tone::Strong, &format!(" {from} {} → {to} {}", doc.from.version, doc.to.version));
    page.put(Tone::Quiet, &format!("   {} layer", doc.layer)).end().end();
    if doc.definitions.is_empty() && !doc.notes.iter().any(|note| note.loss) {
        page.put(Tone::Plain, &format!(" {from} has no hooks in this layer, so nothing is converted")).end();
    }
    let mut file = "";
    let mut said = Vec::new();
    for one in &doc.definitions {
        if one.source.file != file {
            file = &one.source.file;
            page.put(Tone::Plain, &format!(" {file}")).end();
        }
        definition(&mut page, one, &mut said);
    }
    losses(&mut page, doc);
    patch(&mut page, doc);
    check(&mut page, doc, [from, to]);
    answers(&mut page, doc, [from, to]);
    page.end();
    let lost = doc.definitions.iter().flat_map(|d| &d.notes).chain(&doc.notes).filter(|n| n.loss).count();
    let unsaid = doc.check.differences.iter().filter(|d| d.announced_by.is_none()).count();
    match (doc.whole, lost, unsaid) {
        (true, ..) => page.put(Tone::Good, " nothing is lost").end(),
        (_, lost, 0) => page.put(Tone::Warn, &format!(" {} lost", count(lost, "setting is", "settings are"))).end(),
        (_, lost, unsaid) => {
            let lost = format!(
                " {} lost, and {} unexpected",
                count(lost, "setting is", "settings are"),
                count(unsaid, "difference is", "differences are")
            );
            page.put(Tone::Bad, &lost).end()
        }
    };
    write_stdout(&page.finish());
}

pub fn count(number: usize, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// Prints a definition. A note that was printed before is not repeated, except for warnings, which belong to one
/// hook.
fn definition<'a>(page: &mut TextPage, one: &'a ConvertedDoc, said: &mut Vec<&'a str>) {
    page.put(Tone::Plain, "  ").cell(Tone::Quiet, &format!("line {}", one.source.line), 9);
    if one.notes.iter().any(|note| note.code == SHARED) {
        let matcher = one.matcher.as_ref().map_or(String::new(), |matcher| format!("   {matcher}"));
        page.put(Tone::Warn, "left out").put(Tone::Plain, &format!("  {}{matcher}   {}", one.event, one.name)).end();
        remarks(page, one, said);
        return;
    }
    let Some(first) = one.written.first() else {
        let matcher = one.matcher.as_ref().map_or(String::new(), |matcher| format!("   {matcher}"));
        page.put(Tone::Bad, "dropped").put(Tone::Plain, &format!("  {}{matcher}   {}", one.event, one.name)).end();
        return;
    };
    page.put(Tone::Plain, &arrow(&one.event, &first.event));
    let matchers: Vec<&str> = one.written.iter().filter_map(|written| written.matcher.as_deref()).collect();
    match (&one.matcher, matchers.join("  ")) {
        (None, there) if there.is_empty() => {}
        (here, there) => {
            let all = |text: &str| if text.is_empty() { "(all)".to_owned() } else { text.to_owned() };
            page.put(Tone::Plain, &format!("   {}", arrow(&all(here.as_deref().unwrap_or("")), &all(&there))));
        }
    }
    if let (Some(limit), Some(value)) = (one.timeout_ms, first.handler.get("timeout")) {
        let seconds = limit / 1000.0;
        let shown = if seconds < 1.0 { format!("{limit} ms") } else { format!("{seconds} s") };
        let there = value.to_string();
        let plain = format!("{there} s") == shown;
        page.put(
            Tone::Plain,
            &if plain { format!("   timeout {shown}") } else { format!("   timeout {shown} → {there}") },
        );
    }
    page.put(Tone::Quiet, &format!("   {}", one.name));
    let repeated = one.notes.iter().any(|note| note.code == "handler.repeated");
    if !repeated && one.written.iter().all(|written| written.already) {
        page.put(Tone::Quiet, "   exists already");
    }
    page.end();
    remarks(page, one, said);
}

/// Prints the notes of a definition that are not losses.
fn remarks<'a>(page: &mut TextPage, one: &'a ConvertedDoc, said: &mut Vec<&'a str>) {
    for note in one.notes.iter().filter(|note| !note.loss) {
        if note.kind != "warned" && said.contains(&note.says.as_str()) {
            continue;
        }
        said.push(&note.says);
        page.put(Tone::Plain, "           ").cell(Tone::Quiet, note.kind, 9).put(Tone::Plain, &note.says).end();
    }
}

/// Returns `a → b`, or `a` if both are the same.
fn arrow(here: &str, there: &str) -> String {
    if here == there { here.to_owned() } else { format!("{here} → {there}") }
}

fn losses(page: &mut TextPage, doc: &ConvertDoc) {
    let (layer, remarks): (Vec<&NoteDoc>, Vec<&NoteDoc>) = doc.notes.iter().partition(|note| note.loss);
    for note in remarks {
        page.put(Tone::Plain, "  ").cell(Tone::Quiet, note.kind, 9).put(Tone::Plain, &note.says).end();
    }
    let of = |one: &ConvertedDoc| {
        let place = format!("{}:{}:{}", one.source.file, one.source.line, one.source.column);
        one.notes.iter().filter(|note| note.loss).map(move |note| (place.clone(), note.clone())).collect::<Vec<_>>()
    };
    let lost: Vec<(String, NoteDoc)> = doc.definitions.iter().flat_map(of).collect();
    if layer.is_empty() && lost.is_empty() {
        return;
    }
    page.end().put(Tone::Strong, " lost").put(Tone::Quiet, &format!("   hookbench explain {LOSS_CODE}")).end();
    for note in layer {
        page.put(Tone::Plain, "  ").cell(tone(note), note.kind, 9).put(Tone::Plain, &note.says).end();
    }
    let is_misread = lost.iter().any(|(_, note)| note.code == MISREAD);
    for (place, note) in lost {
        page.put(Tone::Plain, "  ").cell(tone(&note), note.kind, 9).put(Tone::Quiet, &place).end();
        page.put(Tone::Plain, "           ").put(Tone::Plain, &note.says).end();
    }
    if is_misread {
        page.put(Tone::Quiet, "  --adapt runs such scripts unchanged").end();
    }
}

fn tone(note: &NoteDoc) -> Tone {
    match (note.loss, note.kind) {
        (true, "dropped") => Tone::Bad,
        (true, _) => Tone::Warn,
        (false, _) => Tone::Quiet,
    }
}

fn patch(page: &mut TextPage, doc: &ConvertDoc) {
    page.end();
    if doc.diff.is_empty() {
        page.put(Tone::Plain, &format!(" {}: nothing to do", doc.file)).end();
        return;
    }
    let what = match (doc.written, doc.files.as_slice()) {
        (true, [_]) => "written; `hookbench undo` restores the file",
        (true, _) => "written; `hookbench undo` restores the files",
        (false, [_]) => "not written; add --yes to write the file",
        (false, _) => "not written; add --yes to write the files",
    };
    for (index, one) in doc.files.iter().enumerate() {
        page.put(Tone::Strong, &format!(" {}", one.file));
        page.put(Tone::Quiet, &if index == 0 { format!("   {what}") } else { String::new() }).end();
        patch_lines(page, &one.diff);
    }
}

/// Prints a patch, up to the usual maximum number of lines.
pub fn patch_lines(page: &mut TextPage, diff: &str) {
    patch_lines_up_to(page, diff, PATCH);
}

/// The number of lines of a file's patch before the question whether to write it, or of a dry run.
pub fn patch_limit(dry_run: bool) -> usize {
    if dry_run { usize::MAX } else { BEFORE_QUESTION }
}

/// Prints a patch, up to a maximum number of lines.
pub fn patch_lines_up_to(page: &mut TextPage, diff: &str, most: usize) {
    for line in diff.lines().take(most) {
        let tone = match line.as_bytes().first() {
            Some(b'+') => Tone::Good,
            Some(b'-') => Tone::Bad,
            _ => Tone::Plain,
        };
        page.put(Tone::Plain, "  ").put(tone, line).end();
    }
    let more = diff.lines().count().saturating_sub(most);
    if more > 0 {
        let help = if most == BEFORE_QUESTION { "; --dry-run shows them" } else { "" };
        page.put(Tone::Quiet, &format!("  … {more} more lines{help}")).end();
    }
}

fn check(page: &mut TextPage, doc: &ConvertDoc, [from, to]: [&str; 2]) {
    let check = &doc.check;
    let differ = check.events - check.same;
    page.end().put(Tone::Strong, " checked: ");
    page.put(
        Tone::Plain,
        &format!(
            "{} planned in both agents with {}: {} the same, {differ} {}",
            count(check.events, "event", "events"),
            count(check.moments, "payload", "payloads"),
            check.same,
            if differ == 1 { "differs" } else { "differ" }
        ),
    )
    .end();
    if check.only_here > 0 {
        page.put(Tone::Quiet, &format!("  {} only {from} has", count(check.only_here, "event", "events"))).end();
    }
    for found in &check.differences {
        let tone = if found.announced_by.is_some() { Tone::Warn } else { Tone::Bad };
        let subjects = listed(&found.subjects, LISTED);
        let at = arrow(&found.event, &found.event_there);
        page.put(Tone::Plain, "  ").put(tone, &format!("{at}   {subjects}   {}", found.label)).end();
        let side = |page: &mut TextPage, who: &str, runs: usize, says: &str| {
            let runs = match runs {
                0 => "does not run".to_owned(),
                1 => "runs".to_owned(),
                more => format!("runs {more} times"),
            };
            page.put(Tone::Plain, &format!("           {who} {runs}: {says}")).end();
        };
        side(page, from, found.here, &found.reason_here);
        side(page, to, found.there, &found.reason_there);
        match &found.announced_by {
            Some(says) => page.put(Tone::Quiet, &format!("           as listed above: {says}")).end(),
            None => page.put(Tone::Bad, "           unexpected: nothing above explains this").end(),
        };
    }
    for says in &check.waits_for {
        page.put(Tone::Warn, &format!("  before {to} runs these hooks: {says}")).end();
    }
}

fn answers(page: &mut TextPage, doc: &ConvertDoc, [_, to]: [&str; 2]) {
    if doc.answers.is_empty() {
        return;
    }
    page.end().put(Tone::Strong, " answers").put(Tone::Quiet, "   the output of hooks is not converted").end();
    for one in &doc.answers {
        let at = arrow(&one.event, &one.event_there);
        page.put(Tone::Plain, &format!("  {at}: {to} does not read {}", listed(&one.keys, LISTED)));
        page.put(Tone::Quiet, &format!("   {}", listed(&one.hooks, LISTED))).end();
        if one.exit_2 {
            page.put(Tone::Quiet, "           exit 2 with a reason on stderr blocks in both agents").end();
        }
    }
}

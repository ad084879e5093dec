//! The pages of `new`: the recipes, and the change that a new hook makes.

use super::convert::{count, patch_limit, patch_lines_up_to};
use super::text_page::{TextPage, Tone};
use super::write_stdout;
use hookbench_app::document::{NewHookDoc, RecipesDoc};
use hookbench_app::suite::DEFAULT_SUITE;
use hookbench_core::live::{SKILL_COMMAND, wire_event};

/// The width of the first column: agents and labels.
const LABEL: usize = 10;
/// The maximum number of added lines that are printed afterwards.
const FEW: usize = 30;

/// The first line about a written hook that failed its examples.
const FAILS: &str = "the hook is written, but does not do what it should; `hookbench undo` undoes it";

/// Whether the hook failed one of its examples.
fn fails(doc: &NewHookDoc) -> bool {
    doc.tried.iter().any(|trial| !trial.passed)
}

/// Prints the recipes by what they do.
pub fn recipes(doc: &RecipesDoc) {
    let mut page = TextPage::new();
    let width = doc.recipes.iter().map(|recipe| recipe.id.len()).max().unwrap_or(0) + 2;
    for recipe in &doc.recipes {
        page.put(Tone::Plain, " ").cell(Tone::Strong, recipe.id, width).put(Tone::Plain, recipe.title);
        page.put(Tone::Quiet, &format!(" ({})", recipe.when)).end();
    }
    page.end().put(Tone::Quiet, " hookbench new RECIPE shows what it writes").end();
    write_stdout(&page.finish());
}

/// Prints a new hook: the summary, the patches, and what was done. `misses` is what the hook does not see, and
/// `is_tested` whether a case shows that it acts.
pub fn new_hook(doc: &NewHookDoc, misses: &str, is_tested: bool, dry_run: bool) {
    let mut page = TextPage::new();
    let state = match (doc.files.is_empty(), doc.written) {
        (true, _) => "everything is there already",
        (_, true) if fails(doc) => "written",
        (_, true) => "written; `hookbench undo` undoes it",
        (_, false) => "not written yet",
    };
    let suites = doc.files.iter().map(|file| file.file.as_str()).filter(|file| file.ends_with(DEFAULT_SUITE));
    let test = |suite| if suite == DEFAULT_SUITE { String::new() } else { format!(" {suite}") };
    let tests: Vec<String> = suites.map(|suite| format!("`hookbench test{}`", test(suite))).collect();
    let tests = match tests.as_slice() {
        [one] if doc.written && !fails(doc) => format!(", {one} tests it"),
        [_, ..] if doc.written && !fails(doc) => format!(", {} test it", tests.join(" and ")),
        _ => String::new(),
    };
    if fails(doc) {
        page.put(Tone::Bad, &format!(" {FAILS}")).end();
    }
    page.put(Tone::Strong, &format!(" {}", doc.name));
    page.put(Tone::Quiet, &format!("   {} layer", doc.layer)).end().end();
    for one in &doc.settings {
        page.put(Tone::Plain, " ").cell(Tone::Strong, one.agent, LABEL);
        page.put(Tone::Plain, &format!("{} runs {}", one.event, one.command)).end();
        for note in &one.notes {
            page.put(Tone::Plain, " ").cell(Tone::Quiet, "", LABEL).put(Tone::Warn, note).end();
        }
        if one.layer != doc.layer {
            page.put(Tone::Plain, " ").cell(Tone::Quiet, "", LABEL);
            page.put(Tone::Warn, "in your home directory, for every project: it has no hooks of one project").end();
        }
        if wire_event(None, one.event) == SKILL_COMMAND {
            page.put(Tone::Plain, " ").cell(Tone::Quiet, "", LABEL);
            page.put(Tone::Quiet, "for shell commands in skills and slash commands, which fire no event of a tool")
                .end();
        }
    }
    for left in &doc.left_out {
        page.put(Tone::Plain, " ").cell(Tone::Strong, left.agent, LABEL);
        page.put(Tone::Warn, &format!("left out: {}", left.reason)).end();
    }
    tried(&mut page, doc);
    if !misses.is_empty() {
        page.put(Tone::Plain, " ").cell(Tone::Quiet, "misses", LABEL).put(Tone::Plain, misses).end();
    }
    if !is_tested {
        page.put(Tone::Plain, " ").cell(Tone::Quiet, "tests", LABEL);
        page.put(Tone::Warn, "no case shows that the hook acts; --caught TEXT adds one").end();
    }
    for file in &doc.files {
        let mode = if file.executable { "   chmod +x" } else { "" };
        page.end().put(Tone::Strong, &format!(" {}", file.file)).put(Tone::Quiet, mode).end();
        let added = file.diff.lines().filter(|line| line.starts_with('+')).count().saturating_sub(1);
        if doc.written && added > FEW {
            page.put(Tone::Quiet, &format!("  {} added", count(added, "line", "lines"))).end();
        } else {
            patch_lines_up_to(&mut page, &file.diff, patch_limit(dry_run));
        }
    }
    let files = count(doc.files.len(), "file", "files");
    let what = if doc.files.is_empty() { String::new() } else { format!("{files} ") };
    page.end().put(Tone::Strong, &format!(" {what}{state}{tests}")).end();
    write_stdout(&page.finish());
}

/// Prints what a hook does that was written after a question.
pub fn written_hook(doc: &NewHookDoc) {
    let mut page = TextPage::new();
    if fails(doc) {
        page.put(Tone::Bad, FAILS).end();
    } else {
        page.put(Tone::Plain, "written; hookbench undo removes it").end();
    }
    tried(&mut page, doc);
    write_stdout(&page.finish());
}

/// Prints what the written hook did with its examples: one line for each example, and one for each that it failed.
fn tried(page: &mut TextPage, doc: &NewHookDoc) {
    let mut examples: Vec<(&str, bool)> = Vec::new();
    for trial in &doc.tried {
        if !examples.contains(&(&trial.example, trial.caught)) {
            examples.push((&trial.example, trial.caught));
        }
    }
    for (example, caught) in examples {
        let fired = || doc.tried.iter().filter(|trial| trial.example == example && trial.caught == caught);
        let (passed, all) = (fired().filter(|trial| trial.passed).count(), fired().count());
        let does = if caught { "acts on" } else { "allows" };
        let (tone, word) = if passed == all { (Tone::Good, "tried") } else { (Tone::Bad, "failed") };
        let times = if passed == all { count(all, "time", "times") } else { format!("{passed} of {all} times") };
        let mut agents: Vec<&str> = fired().map(|trial| trial.agent).collect();
        agents.dedup();
        let also = match (
            fired().any(|trial| trial.place != "project" && trial.starts_there),
            fired().any(|trial| !trial.starts_there),
        ) {
            (true, true) => "; also in a session in a subdirectory, and after cd",
            (true, false) => "; also in a session in a subdirectory",
            (false, true) => "; also after cd",
            (false, false) => "",
        };
        page.put(Tone::Plain, " ").cell(tone, word, LABEL);
        page.put(Tone::Plain, &format!("{does} {example}"))
            .put(Tone::Quiet, &format!("   {times}: {}{also}", agents.join(", ")))
            .end();
        for trial in fired().filter(|trial| !trial.passed) {
            let place = match (trial.place, trial.starts_there) {
                ("subdirectory", true) => " in a subdirectory",
                ("subdirectory", false) => " after cd to a subdirectory",
                ("elsewhere", _) => " after cd /",
                _ => "",
            };
            let problem = trial.problem.as_deref().unwrap_or_default();
            page.put(Tone::Plain, " ").cell(Tone::Strong, trial.agent, LABEL);
            page.put(Tone::Bad, &format!("{}{place}: {problem}", trial.event)).end();
        }
    }
}

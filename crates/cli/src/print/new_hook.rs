//! The pages of `new`: the recipes, and the change that a new hook makes.

use super::convert::patch_lines;
use super::text_page::{TextPage, Tone};
use super::write_stdout;
use hookbench_app::document::{NewHookDoc, RecipesDoc};

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

/// Prints a new hook. `misses` is what the hook does not see, and `is_tested` whether a case shows that it acts.
pub fn new_hook(doc: &NewHookDoc, misses: &str, is_tested: bool) {
    let mut page = TextPage::new();
    let state = match (doc.files.is_empty(), doc.written) {
        (true, _) => "everything is there already",
        (_, true) => "written; `hookbench undo` undoes it, `hookbench test` tests it",
        (_, false) => "not written yet",
    };
    page.put(Tone::Strong, &format!(" {}", doc.name));
    page.put(Tone::Quiet, &format!("   {} layer   {state}", doc.layer)).end().end();
    for file in &doc.files {
        let mode = if file.executable { "   chmod +x" } else { "" };
        page.put(Tone::Strong, &format!(" {}", file.file)).put(Tone::Quiet, mode).end();
        patch_lines(&mut page, &file.diff);
        page.end();
    }
    for one in &doc.settings {
        page.put(Tone::Plain, " ").cell(Tone::Strong, one.agent, 9);
        page.put(Tone::Plain, &format!("{} runs {}", one.event, one.command)).end();
    }
    for left in &doc.left_out {
        page.put(Tone::Plain, " ").cell(Tone::Strong, left.agent, 9);
        page.put(Tone::Warn, &format!("left out: {}", left.reason)).end();
    }
    if !misses.is_empty() {
        page.put(Tone::Plain, " ").cell(Tone::Quiet, "misses", 9).put(Tone::Plain, misses).end();
    }
    if !is_tested {
        page.put(Tone::Plain, " ").cell(Tone::Quiet, "tests", 9);
        page.put(Tone::Warn, "no case shows that the hook acts; --caught TEXT adds one").end();
    }
    write_stdout(&page.finish());
}

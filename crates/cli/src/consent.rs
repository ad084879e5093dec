//! The questions on the terminal: whether commands may run, and whether a file may be changed.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use unicode_width::UnicodeWidthChar as _;

use super::error::CliError;
use hookbench_app::{
    Consent, ConsentItem, ModelAccess, REMEMBERED, StateDir, commands_by_place, commands_to_approve,
    discard_typed_input, terminal_size, write_stderr,
};
use hookbench_core::text::escape_for_terminal;

/// Returns true if a question can be asked: stdin and stderr are a terminal.
pub fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks on the terminal. Every answer except yes counts as no, and so does a question that cannot be shown. A question that
/// is longer than the terminal is high is shown page by page, and answered after its end.
pub fn confirm(question: &str) -> bool {
    let question = format!("{question} [y/N] ");
    let pages = terminal_size().map_or_else(|| vec![question.clone()], |size| pages(&question, size));
    let Some((last, before)) = pages.split_last() else { return false };
    for (number, page) in before.iter().enumerate() {
        let more = format!("{page}-- page {} of {}; Enter: more, n: no -- ", number + 1, pages.len());
        match typed_after(&more, number > 0) {
            Some(line) if !matches!(line.trim(), "n" | "N" | "no" | "q") => {}
            _ => return false,
        }
    }
    typed_after(last, !before.is_empty()).is_some_and(|line| matches!(line.trim(), "y" | "Y" | "yes"))
}

/// Shows a text, and reads the line that is typed then. `None` without one.
fn typed_after(text: &str, discards: bool) -> Option<String> {
    if discards {
        discard_typed_input();
    }
    let mut stderr = std::io::stderr().lock();
    write!(stderr, "{text}").and_then(|()| stderr.flush()).ok()?;
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line).ok()?;
    (read > 0).then_some(line)
}

/// Divides a text into pages that leave a row for the prompt below them. Each but the last ends with a line break.
fn pages(text: &str, (columns, rows): (usize, usize)) -> Vec<String> {
    let room = rows.saturating_sub(1).max(1);
    let rows = text.split_inclusive('\n').flat_map(|line| terminal_rows(line, columns));
    let mut pages = vec![String::new()];
    let mut used = 0;
    for row in rows {
        if used == room {
            if let Some(full) = pages.last_mut().filter(|page| !page.ends_with('\n')) {
                full.push('\n');
            }
            pages.push(String::new());
            used = 0;
        }
        if let Some(page) = pages.last_mut() {
            page.push_str(row);
        }
        used += 1;
    }
    pages
}

/// The parts of a line that fit into one row each.
fn terminal_rows(line: &str, columns: usize) -> Vec<&str> {
    let (mut rows, mut start, mut used) = (Vec::new(), 0, 0);
    for (at, c) in line.char_indices() {
        let width = c.width().unwrap_or(0);
        if used + width > columns && at > start {
            rows.extend(line.get(start..at));
            (start, used) = (at, 0);
        }
        used += width;
    }
    rows.extend(line.get(start..));
    rows
}

/// Asks on the terminal before a file is written. `may_ask` is false if the answer would disturb the output.
pub fn confirm_write(question: &str, may_ask: bool) -> Result<(), CliError> {
    if !may_ask || !can_ask() {
        return Err(CliError::Consent("nothing was written\n  help: check the change, then add --yes".to_owned()));
    }
    if confirm(question) { Ok(()) } else { Err(CliError::Consent("nothing was written".to_owned())) }
}

/// Asks on the terminal whether the commands may run.
pub fn ask_consent(items: &[ConsentItem]) -> Result<(), CliError> {
    let (mut text, one) = (commands_to_approve(items), commands_by_place(items).commands.len() == 1);
    if !can_ask() {
        return Err(CliError::Consent(format!(
            "{text}  help: check {}, then add --yes, which holds for one call",
            if one { "the command" } else { "the commands" }
        )));
    }
    text.push_str(REMEMBERED);
    text.push_str(if one { "\nRun this command?" } else { "\nRun these commands?" });
    if confirm(&text) { Ok(()) } else { Err(CliError::Consent("nothing was run".to_owned())) }
}

/// Asks on the terminal whether text may be sent to the configured model. `yes` answers the question.
pub fn ask_model_consent(model: &ModelAccess, yes: bool) -> Result<(), CliError> {
    if yes {
        return Ok(());
    }
    let text = escape_for_terminal(&model.question());
    if !can_ask() {
        return Err(CliError::Consent(format!("{text}\n  help: check where it is sent, then add --yes")));
    }
    let question = format!("{text}\nhookbench asks once for each model and project. Send it?");
    if confirm(&question) { Ok(()) } else { Err(CliError::Consent("nothing was sent".to_owned())) }
}

/// Asks whether the commands may run, and stores the approval. `shown` are the same items as the user sees them.
pub fn ask_and_store_consent(state: &StateDir, items: &[ConsentItem], shown: &[ConsentItem]) -> Result<(), CliError> {
    if items.is_empty() {
        return Ok(());
    }
    ask_consent(shown)?;
    let given: Vec<(String, String)> = items.iter().map(|item| (item.key.clone(), item.command.clone())).collect();
    if let Err(why) = Consent::save(state, &given) {
        write_stderr(format!("your approval holds for this run only: {why}"));
    }
    Ok(())
}

/// Reads the stored approvals, and reports why they do not count if so.
pub fn read_consent(state: &StateDir) -> Consent {
    let consent = Consent::read(state);
    if let Some(why) = &consent.ignored_reason {
        write_stderr(why);
    }
    consent
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn a_long_question_has_pages_that_fit() {
        let text = (1..=7).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat() + "Run? ";
        assert_eq!(pages(&text, (80, 24)), [text.as_str()]);
        assert_eq!(pages(&text, (80, 4)), ["line 1\nline 2\nline 3\n", "line 4\nline 5\nline 6\n", "line 7\nRun? "]);
        // A line that is longer than a row takes several, and no character is lost.
        assert_eq!(pages("abcdefghij\nRun? ", (4, 3)), ["abcdefgh\n", "ij\nRun?\n", " "].map(str::to_owned).to_vec());
        for (columns, rows) in [(1, 1), (2, 3), (3, 2), (80, 1)] {
            let text = "漢字 x\u{301} and\n\nmore\nRun? ";
            let shown = pages(text, (columns, rows)).concat();
            let plain = |text: &str| text.chars().filter(|c| *c != '\n').collect::<String>();
            assert_eq!(plain(&shown), plain(text), "{columns} x {rows}");
        }
    }
}

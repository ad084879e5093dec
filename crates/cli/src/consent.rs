//! The questions on the terminal: whether commands may run, and whether a file may be changed.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use super::error::CliError;
use hookbench_app::{Consent, ConsentItem, ModelAccess, StateDir, commands_by_place, consent_notes, write_stderr};
use hookbench_core::text::escape_for_terminal;

/// Returns true if a question can be asked: stdin and stderr are a terminal.
pub fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks on the terminal. Every answer except yes counts as no, and so does a question that cannot be shown.
pub fn confirm(question: &str) -> bool {
    let mut stderr = std::io::stderr().lock();
    if write!(stderr, "{question} [y/N] ").and_then(|()| stderr.flush()).is_err() {
        return false;
    }
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.is_ok() && matches!(line.trim(), "y" | "Y" | "yes")
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
    let commands = commands_by_place(items);
    let one = commands.len() == 1;
    let mut text = String::from(if one {
        "this command needs your approval before it runs:\n"
    } else {
        "these commands need your approval before they run:\n"
    });
    for command in commands {
        text.push_str(&format!("  {}\n    {}\n", command.command, command.sources.join(", ")));
        text.extend(command.details.iter().map(|line| format!("    {line}\n")));
    }
    let notes = consent_notes(items).iter().flat_map(|note| [note, "\n"]).collect::<String>();
    if !can_ask() {
        return Err(CliError::Consent(format!(
            "{text}{notes}  help: check {}, then add --yes, which holds for one call",
            if one { "the command" } else { "the commands" }
        )));
    }
    text.push_str(&notes);
    text.push_str("hookbench remembers your approval until the settings change. Later edits of the scripts run too.\n");
    text.push_str(if one { "Run this command?" } else { "Run these commands?" });
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

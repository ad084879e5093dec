//! The open question of plain mode, printed as sentences.

use super::lists::say_items;
use super::sentences::{changed_line, expanded, sentence};
use super::{PlainSession, say};
use crate::matching::write_question;
use crate::popup::{Popup, quit_lines, replay_question, send_question};
use crate::widgets::StyledLine;
use crate::{calibration, stress};
use hookbench_app::{ConsentCommands, ConsentItem, commands_by_place, consent_notes};

/// The lines without their styles.
fn plain_texts(lines: &[StyledLine]) -> impl Iterator<Item = String> {
    lines.iter().map(|line| line.iter().map(|(_, text)| text.as_str()).collect())
}

/// Prints each command with the places that configure it, and what its process finds.
fn say_commands(items: &[ConsentItem]) -> std::io::Result<()> {
    let ConsentCommands { commands, shared } = commands_by_place(items);
    commands.into_iter().try_for_each(|command| {
        let sources: Vec<String> = command.sources.into_iter().map(expanded).collect();
        say(&sentence(&format!("{}, {}", command.command, sources.join(", "))))?;
        command.details.iter().try_for_each(|line| say(&sentence(line)))
    })?;
    shared.iter().try_for_each(|line| say(&sentence(&format!("All of them {line}"))))?;
    consent_notes(items).into_iter().try_for_each(say)
}

impl PlainSession {
    /// Prints the open question; a popup without a question is printed and closed.
    pub(super) fn say_question(&mut self) -> std::io::Result<()> {
        let Some(popup) = self.model.popups.last().cloned() else { return Ok(()) };
        match popup {
            Popup::Consent { items, .. } => {
                let usual = match commands_by_place(&items).commands.as_slice() {
                    [_] => "Run this command? It has not run before.",
                    _ => "Run these commands? They have not run before.",
                };
                say(self.model.session.consent_purpose().unwrap_or(usual))?;
                say_commands(&items)?;
                say("Later edits of the scripts run too. Say yes or no, or read to print the scripts.")
            }
            Popup::Replay { question, .. } => {
                let asked = replay_question(&question);
                say(&sentence(&asked.title))?;
                say_commands(asked.items)?;
                asked.notes.iter().try_for_each(|says| say(&sentence(says)))?;
                say("Say yes or no, or read to print the scripts.")
            }
            Popup::Pick(pick) | Popup::Values { pick, .. } => {
                say(&sentence(pick.title))?;
                say_items(&pick.shown())?;
                say("Say a number, or a part of a name. no cancels.")
            }
            Popup::Runs(runs) => {
                runs.sentences(self.model.session.history(), self.model.shown_firing)
                    .iter()
                    .try_for_each(|run| say(run))?;
                say("Say a number, compare with a number, or words to filter the runs. no cancels.")
            }
            Popup::Input(input) => say(&format!("{} {}", sentence(&input.title), input.error.unwrap_or(input.hint))),
            Popup::Copy(all) => {
                all.iter().try_for_each(|yank| say(&format!("{}: {}.", yank.key, yank.name)))?;
                say("Say a letter.")
            }
            Popup::WriteMatcher { change, .. } => {
                say(&sentence(&format!("Write this change to {}", change.file)))?;
                let changes =
                    |line: &&str| line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---");
                change.diff.lines().filter(changes).try_for_each(|line| say(&changed_line(line)))?;
                write_question::effect(&self.model, &change).iter().try_for_each(|line| say(&sentence(line)))?;
                say("Say yes or no.")
            }
            Popup::SendInput { lines, decision, .. } => {
                say(send_question(&decision))?;
                let changed = plain_texts(&lines).filter(|line| line.starts_with(['+', '-']));
                changed.map(|line| changed_line(&line)).try_for_each(|text| say(&text))?;
                say("Say yes to send it, or no.")
            }
            Popup::Quit => {
                quit_lines(&self.model).iter().try_for_each(|line| say(&sentence(line)))?;
                say("yes quits, no stays.")
            }
            Popup::Find(_) => say("Say a part of a name."),
            Popup::PayloadRefused(why) => {
                self.model.popups.clear();
                say("The payload is not valid.")?;
                why.lines().try_for_each(say)
            }
            Popup::Lines { title, lines, .. } => {
                self.model.popups.pop();
                say(&sentence(&title))?;
                let texts = plain_texts(&lines).filter(|text| !text.trim().is_empty());
                if self.model.popups.last().is_some_and(Popup::needs_consent) {
                    // Scripts are printed unchanged.
                    texts.into_iter().try_for_each(|text| say(&text))?;
                    return say("Say yes or no.");
                }
                // The popups below it, such as the list of runs, are closed too.
                self.model.popups.clear();
                texts.into_iter().try_for_each(|text| say(&changed_line(&text)))
            }
            Popup::NewHook(_) => self.say_recipes(),
            Popup::Calibration { agent, .. } => {
                self.model.popups.clear();
                calibration::sentences(&self.model, agent).iter().try_for_each(|text| say(&sentence(text)))
            }
            Popup::Stress { .. } => {
                let asks = self
                    .model
                    .session
                    .stress_test()
                    .is_some_and(|test| !test.is_running() && test.report.misses().next().is_some());
                stress::sentences(&self.model).iter().try_for_each(|text| say(&sentence(text)))?;
                if asks {
                    return say("Say S to keep the misses as tests, x to open the script, or no.");
                }
                self.model.popups.clear();
                Ok(())
            }
            Popup::Patch { title, lines, .. } => {
                say(&sentence(&title))?;
                let changed = plain_texts(&lines).filter(|text| {
                    !text.starts_with("---") && !text.starts_with("+++") && text.starts_with(['+', '-', 'c'])
                });
                let spoken = |text: String| match text.split_at_checked(1) {
                    Some(("-", line)) => format!("Removed: {}", line.trim()),
                    Some(("+", line)) => format!("Added: {}", line.trim()),
                    _ => text.trim().to_owned(),
                };
                changed.map(spoken).try_for_each(|text| say(&text))?;
                say("Say yes to write it, or no.")
            }
            Popup::Help { .. } => {
                self.model.popups.clear();
                Ok(())
            }
        }
    }
}

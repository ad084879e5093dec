//! Performs what was chosen in the palette or typed in plain mode.

use super::command_page::{is_understood, lists};
use super::{LoopRequest, command, go_to_hook, open_page, perform};
use crate::config::{log_change, theme_change};
use crate::finder::FinderAction;
use crate::model::Model;
use crate::page::Page;
use crate::page_registry::screen_of;
use crate::{guards, matching};
use hookbench_app::Command;

/// Performs what was chosen in the palette.
pub fn choose(model: &mut Model, action: FinderAction, asks: &mut Vec<LoopRequest>) {
    match action {
        FinderAction::Verb(verb) => {
            // A command of another page leads to that page first.
            let owner = Page::ALL.iter().find(|page| lists(screen_of(**page), verb));
            if let Some(owner) = owner.filter(|_| !is_understood(screen_of(model.page), verb)) {
                open_page(model, *owner);
            }
            perform(model, verb, asks);
        }
        FinderAction::Hook { event, id } => go_to_hook(model, &event, &id, asks),
        FinderAction::Do(commands) => {
            let shows_event = matches!(model.page, Page::Bench | Page::Compare);
            if !shows_event && commands.iter().any(|each| matches!(each, Command::ChooseEvent(_))) {
                open_page(model, Page::Bench);
            }
            for each in commands {
                command(model, each, asks);
            }
        }
        FinderAction::Events(what) => {
            open_page(model, Page::Events);
            command(model, Command::EventList(*what), asks);
        }
        FinderAction::Matcher(text) => {
            open_page(model, Page::Match);
            matching::replace_matcher(model, &text);
        }
        FinderAction::Theme(theme) => {
            model.show_theme(theme);
            match theme_change(model, theme) {
                Some(Ok(change)) => command(model, Command::WriteFiles(vec![change]), asks),
                Some(Err(why)) => model.toast = Some(why),
                None => {}
            }
        }
        FinderAction::GuardMode(change) => guards::change_mode(model, &change),
        FinderAction::LogRuns(on) => {
            model.log_runs(on);
            let says = if on { "runs are logged; H lists them on later days" } else { "runs are no longer logged" };
            model.toast = Some(says.to_owned());
            match log_change(model, on) {
                Some(Ok(change)) => command(model, Command::WriteFiles(vec![change]), asks),
                Some(Err(why)) => model.toast = Some(why),
                None => {}
            }
        }
        // The palette continues with the argument.
        FinderAction::Argument(_) => {}
    }
}

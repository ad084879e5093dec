//! MB-R6: a change of hooks, of git or of an agent.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::config::Place;
use crate::dialects;
use crate::guard::command_reader::CheckedCommand;
use crate::guard::content::{ContentChange, absolute, base_name};
use crate::guard::event::GuardEvent;
use crate::guard::finding::GuardFinding;
use crate::guard::pattern::Pattern;
use crate::guard::surroundings::Surroundings;
use crate::hook::Layer;
use crate::text::parse_value;

/// Programs that remove, replace or change their operands.
const CHANGING: [&str; 10] = ["rm", "mv", "ln", "cp", "truncate", "dd", "install", "chmod", "sed", "unlink"];

static COMMAND: Pattern = Pattern::new(&["command"], r#"\bcommand\b"?\s*[:=]\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^\n]+)"#);
static SWITCHED_OFF: Pattern =
    Pattern::new(&["disableAllHooks", "hooks"], r#"("disableAllHooks"\s*:\s*true|(?m:^\s*hooks\s*=\s*false))"#);

/// Whether a path is one of git's hooks.
fn is_hook(path: &str) -> bool {
    (path.contains("/.git/hooks/") || path.contains("/.husky/")) && !path.ends_with(".sample")
        || path.ends_with("/.git/hooks")
        || path.ends_with("/.husky")
}

/// Checks a command.
pub fn check_command(
    command: &CheckedCommand,
    event: &GuardEvent<'_>,
    around: &dyn Surroundings,
) -> Option<GuardFinding> {
    let path = |text: &String| absolute(text, &event.cwd, around.home());
    let found = |text: &String| {
        let what = format!("{} changes a hook of git", base_name(&command.program));
        Some(GuardFinding::new("MB-R6", &event.shown(&path(text)), what, &command.source))
    };
    let tee = command.args.iter().filter(|_| command.program == "tee");
    if let Some(target) = command.writes.iter().chain(tee).find(|text| is_hook(&path(text))) {
        return found(target);
    }
    if !CHANGING.contains(&command.program.as_str()) {
        return None;
    }
    let operands: Vec<&String> = command.args.iter().filter(|arg| !arg.starts_with('-')).collect();
    let touched: Vec<&String> = match command.program.as_str() {
        // Only the last operand of a copy is changed.
        "cp" | "ln" | "install" => operands.last().copied().into_iter().collect(),
        "dd" => {
            return command
                .args
                .iter()
                .find(|arg| arg.strip_prefix("of=").is_some_and(|of| is_hook(&path(&of.to_owned()))))
                .and_then(found);
        }
        "chmod" if operands.first().is_some_and(|mode| makes_executable(mode)) => return None,
        "sed" if !command.args.iter().any(|arg| arg.starts_with("-i") || arg.starts_with("--in-place")) => return None,
        _ => operands,
    };
    touched.into_iter().find(|text| is_hook(&path(text))).and_then(found)
}

fn makes_executable(mode: &str) -> bool {
    mode.contains("+x") || mode.contains("+rx") || mode.bytes().next().is_some_and(|first| matches!(first, b'7' | b'5'))
}

/// Checks the change of a file.
pub fn check_change(change: &ContentChange, event: &GuardEvent<'_>) -> Option<GuardFinding> {
    let shown = event.shown(&change.absolute);
    if change.old == change.new {
        return None;
    }
    if is_hook(&change.absolute) {
        let what = format!("the change of {shown} changes a hook of git");
        return Some(GuardFinding::new("MB-R6", &shown, what, change.new.lines().next().unwrap_or_default()));
    }
    if !is_agent_config(&change.absolute) {
        return None;
    }
    let off = SWITCHED_OFF.first(&change.new).filter(|_| !SWITCHED_OFF.is_match(&change.old));
    if let Some(text) = off {
        return Some(GuardFinding::new("MB-R6", &shown, "the hooks of the agent are switched off", text));
    }
    let (before, after) = (hook_commands(&change.old), hook_commands(&change.new));
    let gone = before.difference(&after).next()?;
    Some(GuardFinding::new("MB-R6", &shown, "a hook of the agent is removed or changed", gone))
}

/// Whether a file configures the hooks of an agent.
fn is_agent_config(path: &str) -> bool {
    if matches!(base_name(path), "hooks.yaml" | "hooks.yml") {
        return true;
    }
    let place = Place { project: "/p".to_owned(), home: "/p".to_owned(), ..Place::default() };
    let layers = [Layer::User, Layer::Project, Layer::Local];
    dialects::ALL.iter().any(|dialect| {
        let mut files = layers.iter().flat_map(|layer| dialect.hook_files(&place, *layer));
        files.any(|file| file.path.strip_prefix("/p").is_some_and(|suffix| path.ends_with(suffix)))
    })
}

/// Returns the commands of a settings file.
fn hook_commands(text: &str) -> BTreeSet<String> {
    if let Ok(value) = parse_value(text) {
        let mut all = BTreeSet::new();
        collect(&value, &mut all);
        return all;
    }
    let captures = COMMAND.regex(text).into_iter().flat_map(|regex| regex.captures_iter(text.as_bytes()));
    captures.filter_map(|found| text.get(found.get(1)?.range())).map(|text| text.trim().to_owned()).collect()
}

fn collect(value: &Value, all: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, all)),
        Value::Object(members) => {
            for (key, value) in members {
                match value.as_str() {
                    Some(text) if key == "command" => {
                        all.insert(text.to_owned());
                    }
                    _ => collect(value, all),
                }
            }
        }
        _ => {}
    }
}

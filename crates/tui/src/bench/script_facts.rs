//! The lines below the script: what reading it does not tell, and the keys of the payload that it reads.

use ratatui::style::Style;

use super::layout::detail_width;
use crate::hook_list::HookListRow;
use crate::keymap::UiCommand;
use crate::model::{Model, Tab};
use crate::problems::fix_target;
use crate::theme::Mark;
use crate::widgets::{StyledLine, fit, unescaped, width};
use hookbench_core::plan::RungState;
use hookbench_core::text::stringify;

/// The longest value beside a key, in columns.
const VALUE: usize = 24;

/// The lines.
pub fn lines(model: &Model) -> Vec<StyledLine> {
    unread_line(model).into_iter().chain(keys_line(model)).collect()
}

/// Says why the tab has no text.
pub fn without_text(model: &Model) -> String {
    match model.definition_facts.as_ref().and_then(|facts| facts.script.as_ref()) {
        Some(_) => "the command is empty".to_owned(),
        None => format!("no script: it is a {} hook", model.definition().map_or("", |hook| hook.handler.kind())),
    }
}

/// The hook that the key for fixes tries, where its script or a step that is unknown is shown: `None` if it has no script.
pub fn trial_target(model: &Model) -> Option<String> {
    let facts = model.definition_facts.as_ref().filter(|facts| facts.script.is_some())?;
    let is_unknown = || {
        let is_unread = facts.script.as_ref().is_some_and(|script| script.unread.is_some());
        let rungs = model.ladder.iter().flat_map(|ladder| &ladder.rungs);
        is_unread || rungs.into_iter().any(|rung| rung.state == RungState::Unknown)
    };
    match (model.rows.get(model.selected)?, model.current_tab()) {
        (HookListRow::Hook(hook), Tab::Script) => Some(hook.clone()),
        (HookListRow::Hook(hook), Tab::Why) if is_unknown() => Some(hook.clone()),
        _ => None,
    }
}

/// Says what a trial of the hook has shown, or else why reading the script does not tell everything that it does.
fn unread_line(model: &Model) -> Option<StyledLine> {
    let theme = model.theme;
    let definition = model.definition()?;
    if model.session.hook_in_trial() == Some(definition.id.as_str()) {
        return Some(vec![(theme.ask(), "running once, in a copy of the project".to_owned())]);
    }
    if let Some(observed) = model.session.current().and_then(|agent| model.session.observation(agent, definition)) {
        return Some(vec![(theme.name(), "tried: ".to_owned()), (theme.plain(), observed.message.clone())]);
    }
    let why = model.definition_facts.as_ref()?.script.as_ref()?.unread.as_ref()?;
    let mark = (theme.ask(), format!("{} unknown: ", theme.mark(Mark::Unknown)));
    let key = if fix_target(model).is_some() { UiCommand::TryHook } else { UiCommand::Fix };
    let hint = format!("   {}", model.key_hint(key, "try it once"));
    Some(vec![mark, (theme.plain(), why.clone()), (theme.quiet(), hint)])
}

/// The keys of the payload that the script reads: those that it lacks, those that it has with their values, and those
/// of other events.
fn keys_line(model: &Model) -> Option<StyledLine> {
    let theme = model.theme;
    let script = model.definition_facts.as_ref()?.script.as_ref()?;
    let mut line = vec![(theme.quiet(), "reads".to_owned())];
    let Some(reads) = &model.payload_view.reads else {
        script.language?;
        line.push((theme.quiet(), " no key of the payload".to_owned()));
        return Some(line);
    };
    let body = model.session.bench().body();
    let dotted = |pointer: &str| pointer.split('/').skip(1).map(unescaped).collect::<Vec<_>>().join(".");
    let mut keys: Vec<(Style, Mark, String, String)> = Vec::new();
    for (path, elsewhere) in &reads.missing {
        let here = elsewhere.as_ref().map_or_else(|| "not in this event".to_owned(), |here| format!("here {here}"));
        keys.push((theme.warn(), Mark::Never, path.clone(), here));
    }
    for pointer in &reads.present {
        let value = body.and_then(|body| body.pointer(pointer)).map(stringify).unwrap_or_default();
        keys.push((theme.good(), Mark::Silent, dotted(pointer), fit(&value, VALUE, theme)));
    }
    let others = reads.other_times.iter();
    keys.extend(others.map(|path| (theme.quiet(), Mark::Skipped, path.clone(), "on other events".to_owned())));
    let room = detail_width(model.size, model.zoomed, model.pane_sizes);
    let wide = |line: &StyledLine| line.iter().map(|(_, text)| width(text)).sum::<usize>();
    let shown = |values: bool| {
        keys.iter().map(move |(style, mark, path, value)| {
            let mut key = vec![(*style, format!("  {} ", theme.mark(*mark))), (theme.strong(), path.clone())];
            key.extend(values.then(|| (theme.quiet(), format!(" {value}"))));
            key
        })
    };
    let values = wide(&line) + shown(true).map(|key| wide(&key)).sum::<usize>() <= room;
    for (index, key) in shown(values).enumerate() {
        let rest = keys.len() - index;
        let more = format!("  +{rest} more");
        let needed = if rest > 1 { width(&more) } else { 0 };
        if wide(&line) + wide(&key) + needed > room {
            line.push((theme.quiet(), more));
            break;
        }
        line.extend(key);
    }
    Some(line)
}

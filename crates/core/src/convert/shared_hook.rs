//! Hooks of files that the other agent reads itself. It runs them without a conversion, and would run a converted copy
//! as well.

use super::note::{ConversionNote, NoteCode};
use super::repeats::matchers_meet;
use super::{ConversionPair, ConvertedDefinition, SharedHook};
use crate::config::LoadedConfig;
use crate::hook::HookDefinition;
use crate::names::RungName;

/// Leaves out the conversion of a definition that the other agent runs already. `there` holds its settings.
pub fn leave_out_shared_hook(pair: &ConversionPair<'_>, there: &LoadedConfig, item: &mut ConvertedDefinition) {
    // A missing approval is missing for a converted copy too.
    let runs = |d: &&HookDefinition| d.rejection.as_ref().is_none_or(|refused| refused.rung == RungName::Trusted);
    let at = |d: &&HookDefinition| {
        let place = &d.provenance;
        (&place.file, place.line, place.column) == (&item.file, item.line, item.column)
    };
    let Some(own) = there.definitions.iter().filter(at).find(runs) else { return };
    let own_matcher = own.matcher.is_some().then(|| own.matcher_text());
    let meets = |event: &str, matcher: Option<&str>| {
        own.event == event && matchers_meet(pair.to, event, [own_matcher.as_deref(), matcher])
    };
    // A matcher that this agent reads differently needs its conversion.
    if !item.written.is_empty() && !item.written.iter().any(|w| meets(&w.event, w.matcher.as_deref())) {
        return;
    }
    item.shared = Some(SharedHook { event: own.event.clone(), is_command: own.handler.kind() == "command" });
    item.written.clear();
    item.limit = None;
    // The agent does not have these keys in any file.
    item.notes.retain(|note| note.loss && note.code.is_about_handler());
    item.notes.push(shared_note(pair, item));
}

fn shared_note(pair: &ConversionPair<'_>, item: &ConvertedDefinition) -> ConversionNote {
    let (to, file, hook) = (pair.to.dialect, &item.file, &item.label);
    let reads = format!("{} reads {file} itself", to.name());
    if pair.adapts {
        let says = format!(
            "{reads} and runs {hook} unadapted, whatever is converted; to adapt it, first move it to a file that {} does not read",
            to.name()
        );
        return ConversionNote::worse(NoteCode::FileShared, says);
    }
    let says = if to.settings_format().runs_duplicates {
        format!("{reads}, so {hook} would run twice; it is not converted")
    } else {
        format!("{reads}, so {hook} needs no conversion")
    };
    ConversionNote::warned(NoteCode::FileShared, says)
}

//! HW617: a hook that keeps an agent from stopping and checks neither whether it has already done so nor how
//! often.

use std::sync::Arc;

use hookbench_script::Walked;

use super::hook_text::HookText;
use super::printed_answers::{completed_answer, printed_answers};
use super::simulation::simulate;
use crate::config::LoadedConfig;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialects::{RuleContext, Scene};
use crate::hook::HookInput;
use crate::lint::handler_spans;

/// The key that tells a hook that the agent is already continuing because of a hook.
const ACTIVE: &str = "stop_hook_active";
/// A key that tells a hook what still runs.
const UNFINISHED: &str = "background_tasks";
/// Programs that leave a mark for the next time.
const MARKERS: [&str; 8] = ["touch", "mkdir", "mv", "cp", "tee", "sed", "rm", "ln"];

/// Checks for a script that can block the stop event without looking at this key.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    if at.definition.detached || !at.event.fields.iter().any(|field| field.name == ACTIVE) {
        return None;
    }
    let text = HookText::of(at)?;
    let walked = text.walk(at)?;
    let looks = [ACTIVE, UNFINISHED].iter().any(|key| text.mentions(key));
    if looks || counts(&walked) || !can_block(at, &text, &walked) {
        return None;
    }
    let (event, key) = (at.event.name, ACTIVE);
    let asks = format!("exit 0 when `{key}` is true");
    let Some(cap) = block_limit(at) else {
        let says = format!(
            "this hook can block {event} forever: it does not check `{key}`, and {} has no limit",
            at.agent_name()
        );
        return Some(Diagnostic::new(Code::HW617, says).at(handler_spans::value_span(at, "command")).with_help(asks));
    };
    let says = format!(
        "this hook can block {event} repeatedly: it does not check `{key}`, and {} ignores block number {cap} in a row",
        at.agent_name()
    );
    let help = format!("{asks}, or count the blocks in the hook");
    Some(
        Diagnostic::lowered(Code::HW617, Severity::Info, says)
            .at(handler_spans::value_span(at, "command"))
            .with_help(help),
    )
}

/// Whether a script can keep a number from one run to the next: it changes files.
fn counts(walked: &Walked) -> bool {
    walked.writes_files || walked.started.iter().any(|one| MARKERS.contains(&one.program.as_str()))
}

/// Whether the agent goes on after one of the ways through a script.
fn can_block(at: &RuleContext<'_>, text: &HookText<'_>, walked: &Walked) -> bool {
    let blocks = |stdout: &str, stderr: &str, exit: i32| {
        simulate(at, stdout, stderr, exit).is_some_and(|simulation| simulation.outcome(at).blocked)
    };
    let answers = printed_answers(at, text, walked);
    let mut values = answers.iter().filter_map(|answer| completed_answer(at, &answer.value));
    walked.runs.iter().any(|run| run.status == Some(2)) && blocks("", "no", 2)
        || values.any(|value| blocks(&value.to_string(), "", 0))
}

/// Returns the number of consecutive blocks after which the agent stops anyway.
fn block_limit(at: &RuleContext<'_>) -> Option<u32> {
    let whole = at.agent;
    let example = whole.examples(at.event).first()?.clone();
    let subject = whole.dialect.subject(at.event, &example.body, whole.version);
    let input = HookInput { event: at.event.name.to_owned(), subject, body: example.body };
    let loaded = LoadedConfig { agent_settings: whole.loaded.agent_settings.clone(), ..LoadedConfig::default() };
    let scene = Scene::new(input, Arc::new(loaded), Arc::clone(whole.place), whole.version.clone());
    whole.dialect.stop_cap(&scene)
}

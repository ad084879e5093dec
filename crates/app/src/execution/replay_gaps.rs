//! Verdicts that hang on values that a recorded event lacks.

use std::sync::Arc;

use crate::analysis::resolve::resolve_launch;
use crate::analysis::script_text::ScriptText;
use crate::disk::files::DiskFiles;
use crate::firing::setup::FiringSetup;
use hookbench_core::dialects::{Scene, SessionMemory, find_event};
use hookbench_core::hook::{HookDefinition, HookInput};
use hookbench_core::names::RungName;
use hookbench_core::recorded::PayloadGap;
use hookbench_core::run::Launch;
use hookbench_core::script_keys::{ScriptKey, read_keys};

/// Why the verdict on an event with these gaps is unknown. `None` if no hook notices them.
pub fn unknown_verdict(
    setup: &FiringSetup,
    memory: &SessionMemory,
    input: &HookInput,
    gaps: &[PayloadGap],
) -> Option<String> {
    if gaps.is_empty() {
        return None;
    }
    let scene = Scene {
        input: input.clone(),
        loaded: Arc::clone(&setup.loaded),
        place: Arc::new(setup.place.clone()),
        version: setup.version.clone(),
        headless: setup.headless,
        memory: memory.clone(),
    };
    let plan = setup.dialect.plan(&scene);
    let subject = find_event(setup.dialect, &setup.version, &input.event).and_then(|event| event.subject);
    let of_subject = |gap: &&PayloadGap| subject.is_some_and(|key| gap.path == [key]);
    if let Some(gap) = gaps.iter().find(of_subject).filter(|_| !plan.entries.is_empty()) {
        return Some(format!("{gap} in the record, and decides which hooks run"));
    }
    for entry in &plan.entries {
        let Some(definition) = setup.loaded.definition(&entry.hook) else { continue };
        let pointers = setup.dialect.plan_reads(definition);
        let pointers = pointers.iter().map(|pointer| pointer.split('/').skip(1).map(str::to_owned).collect::<Vec<_>>());
        let is_asked = matches!(entry.failed_rung, None | Some(RungName::Condition));
        let condition = pointers.filter(|_| is_asked).find_map(|path| gaps.iter().find(|gap| gap.touches(&path)));
        if let Some(gap) = condition {
            return Some(format!("{gap} in the record, and decides whether {} runs", definition.label()));
        }
        if entry.failed_rung.is_none()
            && let Some(why) = noticed_gap(setup, &scene, definition, gaps)
        {
            return Some(why);
        }
    }
    None
}

/// The first gap that a hook notices, as a reason. What a hook reads is taken from its script.
fn noticed_gap(setup: &FiringSetup, scene: &Scene, hook: &HookDefinition, gaps: &[PayloadGap]) -> Option<String> {
    let label = hook.label();
    // The missing parts of an input are behind the keys that every record lacks.
    let last = gaps.last()?;
    let launch = setup.dialect.launch(hook, scene);
    let Launch::Process(spec) = &launch else {
        return Some(format!("{last} in the record, and {label} gets the whole event"));
    };
    let resolved = resolve_launch(&launch, hook, &setup.place, &DiskFiles);
    let script = ScriptText::read(spec, resolved.as_ref(), &DiskFiles);
    if let Some(unread) = &script.unread {
        return Some(format!("{last} in the record, and {label} may read it: {unread}"));
    }
    let keys = read_keys(&script.walks);
    if keys.is_empty() && script.walks.iter().any(|walked| walked.reads_stdin) {
        return Some(format!("{last} in the record, and {label} reads the whole event"));
    }
    let gap = gaps.iter().find(|gap| keys.iter().any(|key| notices(key, gap)))?;
    Some(format!("{gap} in the record, and {label} reads it"))
}

/// Whether reading a key notices a gap. A key that is not rooted may belong to any value with members.
fn notices(key: &ScriptKey, gap: &PayloadGap) -> bool {
    if key.rooted {
        return gap.touches(&key.path);
    }
    gap.has_members || (1..=gap.path.len()).any(|length| gap.path.get(..length).is_some_and(|path| key.reads(path)))
}

//! Reports surprises specific to this agent: hooks that are disabled by name, and names in that list that disable
//! nothing.

use hookbench_base::diagnostic::Diagnostic;
use hookbench_base::dialects::AgentContext;
use hookbench_base::hook::HookDefinition;

/// Checks everything that was loaded.
pub fn check_all(at: &AgentContext<'_>) -> Vec<Diagnostic> {
    let list = at.loaded.switches.iter().find(|switch| switch.name == "hooksConfig.disabled");
    let by = list.and_then(|switch| switch.set_by.clone()).unwrap_or_else(|| "the settings".to_owned());
    let off = at.loaded.definitions.iter().filter_map(|d| Some((d, d.rejection.as_ref()?)));
    let mut found: Vec<Diagnostic> = off
        .filter(|(_, refused)| refused.rule == "config.disabled")
        .map(|(definition, refused)| {
            let says = format!("this hook does not run: {} of {by}", refused.message);
            let help = "take its name out of that list, or enable it with /hooks";
            Diagnostic::info("HW711", says).at(definition.provenance.span).with_help(help)
        })
        .collect();
    let listed = list.and_then(|switch| switch.value.as_array()).into_iter().flatten().filter_map(|name| name.as_str());
    let place = list.and_then(|switch| switch.span);
    for name in listed {
        if let Some((says, help)) = ineffective_entry(name, &at.loaded.definitions) {
            let mut one = Diagnostic::warning("HW711", says).with_help(help);
            one.span = place;
            found.push(one);
        }
    }
    found
}

/// Returns why an entry of the list disables nothing, if the hook it was meant for is found. Any other name may
/// belong to a hook of another project.
fn ineffective_entry(name: &str, definitions: &[HookDefinition]) -> Option<(String, String)> {
    let text = |definition: &HookDefinition, key: &str| {
        let text = definition.raw.get(key).and_then(|value| value.as_str()).filter(|text| !text.is_empty());
        text.map(str::to_owned)
    };
    let called = |definition: &HookDefinition| text(definition, "name").or_else(|| text(definition, "command"));
    if definitions.iter().any(|definition| called(definition).as_deref() == Some(name)) {
        return None;
    }
    definitions.iter().find_map(|definition| {
        let own = called(definition)?;
        if text(definition, "command").as_deref() == Some(name) {
            let says = format!("\"{name}\" is the command of a hook that has a name, so it switches nothing off");
            return Some((says, format!("list it by its name: \"{own}\"")));
        }
        own.trim().eq_ignore_ascii_case(name.trim()).then(|| {
            let says = format!(
                "\"{name}\" is not \"{own}\", so it switches nothing off: names must be the same to the letter"
            );
            (says, format!("write \"{own}\""))
        })
    })
}

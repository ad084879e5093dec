//! Plans which hooks run, and explains why the others do not (spec §2, §4, §5). All hooks of an event start together;
//! nothing is deduplicated.

use super::{ID, events};
use crate::kernel::patterns;
use crate::kernel::plan::plan_in_order;
use hookbench_base::dialects::Scene;
use hookbench_base::plan::Plan;

/// Returns the plan of an event.
pub fn plan(scene: &Scene) -> Plan {
    let event = events::EVENTS.by_name(&scene.input.event);
    let subject = &scene.input.subject;
    plan_in_order(scene, "Droid", event, |one, event| patterns::assess(ID, one, event, subject), |firing, _| firing)
}

#[cfg(test)]
mod tests {
    use super::super::test_firings::plan_event;
    use crate::droid::rules;
    use crate::kernel::test::summary;
    use hookbench_base::config::MemoryFiles;
    use hookbench_base::names::RuleId;
    use hookbench_base::plan::{RungName, Schedule};

    /// Returns the hooks that fire; for the others, the rule and the rung.
    type PlanSummary = (Vec<String>, Vec<(String, RuleId, Option<RungName>)>);

    fn planned(text: &str) -> PlanSummary {
        let mut files = MemoryFiles::default();
        files.put("/p/.factory/settings.json", text);
        let (schedule, fires, others) = summary(&plan_event("PreToolUse", &files));
        assert_eq!(schedule, Schedule::Parallel);
        (fires, others)
    }

    #[test]
    fn every_copy_runs_and_the_others_say_why() {
        let hook = r#"{"type": "command", "command": "a"}"#;
        let group = |matcher: &str| format!(r#"{{"matcher": "{matcher}", "hooks": [{hook}]}}"#);
        let text = |groups: &[String]| format!(r#"{{"hooks": {{"PreToolUse": [{}]}}}}"#, groups.join(", "));
        let h = |n: u8| format!("h{n}");
        assert_eq!(planned(&text(&[group("Exec"), group("*")])), (vec![h(1), h(2)], vec![]));
        for (matcher, rule) in
            [("Bash", rules::MATCHER_NEAR_MISS), ("[", rules::MATCHER_INVALID), ("Stopwatch", rules::MATCHER_MISS)]
        {
            let want = (vec![], vec![(h(1), rule, Some(RungName::Matcher))]);
            assert_eq!(planned(&text(&[group(matcher)])), want, "{matcher}");
        }
    }
}

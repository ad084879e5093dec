//! `T`: the stress test of the selected hook, from the question to the result.

use hookbench::app::{
    Fact, StressReport, StressUpdate, VariantResult, VariantRow, WorldCondition, WorldResult, WorldRow,
};
use hookbench::core::decide::Verdict;
use hookbench::core::stress::{DeedFamily, VariantEvidence};
use serde_json::Value;

use crate::screen::{TestScreen, WIDE, sample_files, snapshot_settings};

fn variant(text: &str, verdict: Verdict) -> StressUpdate {
    StressUpdate::Variant(Box::new(VariantRow {
        family: DeedFamily::Flags,
        text: text.to_owned(),
        why_the_same: "the order of joined letters is free".to_owned(),
        evidence: VariantEvidence::Executed,
        verdict,
        result: VariantResult::of(verdict, verdict == Verdict::Deny),
        explanation: "exit 0".to_owned(),
        body: Value::Null,
    }))
}

fn steps() -> Vec<StressUpdate> {
    let began = StressReport {
        deed: Some("rm -rf build".to_owned()),
        verdict: Some(Verdict::Deny),
        refuses: true,
        expected_variants: 2,
        ..StressReport::default()
    };
    let world = WorldRow {
        condition: WorldCondition::WithoutProgram("jq".to_owned()),
        verdict: Some(Verdict::FailedOpen),
        result: WorldResult::FailsOpen,
        explanation: "exit 127: jq: not found".to_owned(),
    };
    vec![
        StressUpdate::Began(Box::new(began)),
        variant("rm -r -f build", Verdict::Deny),
        variant("rm -fr build", Verdict::NoObjection),
        StressUpdate::World(Box::new(world)),
        StressUpdate::Finished,
    ]
}

#[test]
fn the_result_is_shown_when_the_test_ends() {
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    screen.keys("T");
    assert!(screen.text().contains("Y run"), "{}", screen.text());
    screen.keys("Y");
    for update in steps() {
        screen.fact(Fact::Stress { number: 1, update });
    }
    snapshot_settings(&[]).bind(|| insta::assert_snapshot!("stress-120x40", screen.text()));
    screen.keys("Esc");
    assert!(!screen.text().contains("Stress test of"));
}

#[test]
fn the_same_key_stops_the_test_and_keeps_its_rows() {
    let mut screen = TestScreen::new(WIDE, "claude", sample_files());
    screen.keys("T Y");
    for update in steps().into_iter().take(3) {
        screen.fact(Fact::Stress { number: 1, update });
    }
    screen.keys("T");
    assert!(screen.text().contains("refuses 1 of 2 variants of `rm -rf build`"), "{}", screen.text());
    // A late step of the stopped test changes nothing.
    screen.keys("Esc");
    screen.fact(Fact::Stress { number: 1, update: StressUpdate::Finished });
    assert!(!screen.text().contains("Stress test of"));
}

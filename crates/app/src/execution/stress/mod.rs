//! Runs stress tests: fires the variants of a deed and the conditions of the world at one hook. Tries hooks for lint.

mod coverage;
mod hook_runner;
mod process_changes;
mod trial;
mod world;
mod written_files;

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::task::JoinSet;

use crate::stress::{
    LONGEST_SEARCH, StressParts, StressReport, StressRequest, StressUpdate, VariantRow, WorldCondition,
};
use coverage::{count_keys, observe_coverage};
use hook_runner::{HookFiring, HookRunner, timed_out};
use hookbench_core::catalogue::catalogue;
use hookbench_core::config::Os;
use hookbench_core::stress::{DeedContext, DeedVariant, PayloadCoverage, variants};
pub use trial::try_hook;

/// The part of the rest of the time that variants get.
const TIME_FOR_VARIANTS: u32 = 2;

/// The number of variants that run at the same time.
const AT_ONCE: usize = 4;

/// Runs a stress test and tells each result. Dropping the future ends every process that it has started.
pub async fn run_stress(
    request: StressRequest,
    tell: &mut (dyn FnMut(StressUpdate) + Send),
) -> Result<StressReport, String> {
    let runner = Arc::new(HookRunner::create(request).await?);
    runner.containment_summary().into_iter().for_each(|how| tell(StressUpdate::Contained(how)));
    let (body, first, unsearched) = choose_deed(&runner, LONGEST_SEARCH).await?;
    let request = runner.request();
    let mut report = StressReport {
        verdict: Some(first.outcome.verdict),
        entry: first.entry.clone(),
        refuses: first.refuses(),
        hangs: timed_out(&first),
        failure: first.fails().then(|| first.explanation()),
        time_limit: first.time_limit(),
        is_late: first.is_late && first.refuses(),
        unsearched,
        contained: runner.containment_summary(),
        ..StressReport::default()
    };
    let tools = catalogue().agent(request.dialect.id().as_str());
    let deed = tools.and_then(|tools| {
        let context = DeedContext {
            tools,
            cwd: body.get("cwd").and_then(Value::as_str).unwrap_or(&request.place.project),
            home: &request.place.home,
            ignores_case: request.place.os != Os::Linux,
        };
        variants(&body, &context)
    });
    report.deed = deed.as_ref().map(|deed| deed.text.clone());
    let may_be_at_home = !report.refuses && !report.hangs && !runner.is_out_of_time();
    report.needs_home = may_be_at_home && refuses_at_home(&runner, &body).await;
    let keys = deed.as_ref().map(|deed| deed.keys.clone()).unwrap_or_default();
    report.deed_key = keys.last().map(|pointer| pointer.trim_start_matches('/').replace('/', "."));
    let may_try = report.refuses && !report.hangs && !runner.is_out_of_time();
    report.remembers = may_try && !runner.fire(&body, &|_| {}).await.refuses();
    let has_variants = report.refuses && !report.hangs && !report.remembers && request.parts != StressParts::World;
    let wanted = deed.as_ref().filter(|_| has_variants);
    let wanted: Vec<DeedVariant> = wanted.map(|deed| deed.variants.clone()).unwrap_or_default();
    report.expected_variants = wanted.len();
    let conditions = match request.parts {
        StressParts::Variants => Vec::new(),
        StressParts::All | StressParts::World => WorldCondition::all(&keys, &request.programs),
    };
    report.expected_conditions = conditions.len();
    let observes_keys =
        request.parts != StressParts::World && !report.hangs && !report.remembers && report.failure.is_none();
    report.expected_keys = if observes_keys { count_keys(&body) } else { 0 };
    tell(StressUpdate::Began(Box::new(report.clone())));
    // The rest of the time is for the keys and the conditions.
    let now = Instant::now();
    let until = now + runner.until().saturating_duration_since(now) / TIME_FOR_VARIANTS;
    try_variants(&runner, wanted, until, &mut |row| {
        report.variants.push(row.clone());
        tell(StressUpdate::Variant(Box::new(row)));
    })
    .await;
    if observes_keys {
        let mut told = |coverage: &PayloadCoverage| tell(StressUpdate::Coverage(Box::new(coverage.clone())));
        report.coverage = observe_coverage(&runner, &body, &first, deed.as_ref(), &mut told).await;
        report.coverage.iter().for_each(told);
    }
    for condition in conditions {
        let row = if report.remembers {
            world::not_comparable(condition)
        } else {
            world::try_condition(&runner, condition, &body, &first, keys.last()).await
        };
        report.world.push(row.clone());
        tell(StressUpdate::World(Box::new(row)));
    }
    let is_cut = runner.is_out_of_time() || report.variants.len() < report.expected_variants;
    report.out_of_time = is_cut.then_some(runner.request().longest_test);
    report.finished = true;
    Ok(report)
}

/// Returns the first payload that the hook refuses or does not end for, else the first one that it runs for, else the first
/// one. The number counts the payloads that the search did not reach in time.
async fn choose_deed(runner: &Arc<HookRunner>, limit: Duration) -> Result<(Value, HookFiring, usize), String> {
    let until = Instant::now() + limit;
    let mut fallback: Option<(Value, HookFiring)> = None;
    let payloads = &runner.request().payloads;
    let mut unsearched = 0;
    for (index, body) in payloads.iter().enumerate() {
        let fired = runner.fire(body, &|_| {}).await;
        if fired.refuses() || timed_out(&fired) {
            return Ok((body.clone(), fired, 0));
        }
        let better = fallback.as_ref().is_none_or(|(_, known)| {
            known.run.is_none() && fired.run.is_some() || known.fails() && fired.run.is_some() && !fired.fails()
        });
        if better {
            fallback = Some((body.clone(), fired));
        }
        if Instant::now() >= until {
            unsearched = payloads.len() - index - 1;
            break;
        }
    }
    let found = fallback.map(|(body, fired)| (body, fired, unsearched));
    found.ok_or_else(|| "the event has no payload to fire".to_owned())
}

/// Whether a hook refuses an event in the copy if it can read the user's home directory.
async fn refuses_at_home(runner: &HookRunner, body: &Value) -> bool {
    let home = &runner.request().place.home;
    runner.contained().is_some()
        && runner.fire(body, &|spec| process_changes::set_variable(spec, "HOME", home.clone())).await.refuses()
}

/// Fires the variants, several at once, and tells the results in order.
async fn try_variants(
    runner: &Arc<HookRunner>,
    variants: Vec<DeedVariant>,
    until: Instant,
    tell: &mut (dyn FnMut(VariantRow) + Send),
) {
    let mut tasks = JoinSet::new();
    let mut waiting = variants.into_iter().enumerate();
    let mut done: Vec<Option<VariantRow>> = Vec::new();
    let mut told = 0;
    loop {
        while tasks.len() < AT_ONCE
            && Instant::now() < until
            && let Some((index, variant)) = waiting.next()
        {
            let runner = Arc::clone(runner);
            tasks.spawn(async move {
                let fired = runner.fire(&variant.body, &|_| {}).await;
                (index, row(variant, &fired))
            });
        }
        match tasks.join_next().await {
            None => return,
            Some(Err(why)) if why.is_panic() => std::panic::resume_unwind(why.into_panic()),
            Some(Err(_)) => return,
            Some(Ok((index, row))) => {
                done.resize_with(done.len().max(index + 1), || None);
                if let Some(place) = done.get_mut(index) {
                    *place = Some(row);
                }
            }
        }
        while let Some(row) = done.get_mut(told).and_then(Option::take) {
            told += 1;
            tell(row);
        }
    }
}

fn row(variant: DeedVariant, fired: &HookFiring) -> VariantRow {
    VariantRow {
        family: variant.family,
        text: variant.text,
        why_the_same: variant.why_the_same,
        evidence: variant.evidence,
        verdict: fired.outcome.verdict,
        result: fired.result(),
        explanation: fired.explanation(),
        body: variant.body,
    }
}

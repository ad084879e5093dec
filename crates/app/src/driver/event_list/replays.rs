//! Replays recorded events from the event list: either planned, using recorded runs, or really run, with a new row
//! each.

use std::time::{Duration, Instant};

use crate::disk::state_dir::StateDir;
use crate::execution::{AT_ONCE, ConcurrentReplay, ReadyEvent, Replayer, WaitPolicy};
use crate::firing::approval::{Consent, ConsentItem};
use crate::firing::history::recorded_gist;
use crate::recordings::event_list::{
    ApprovedCommand, EventReplay, EventStoreResponse, LongJobProgress, ReplayOrder, ReplayPace, ReplayQuestion,
    ReplayResult, ReplaySelection,
};
use crate::recordings::replay::{ReplayTally, ReplayedEvent};
use crate::recordings::run_diff::output_changes;
use crate::recordings::store::{ListDirection, NewEvent, OpenMode, Store, StoreError, now_ms, open_store};
use hookbench_core::config::Place;
use hookbench_core::filter::parse;
use hookbench_core::recorded::{RecordedEvent, RecordedRun, RecordedSession};

/// The interval at which progress is reported and cancellation is checked.
const TOLD: Duration = Duration::from_millis(100);
/// The maximum number of events that are replayed and listed.
const REPLAYED: usize = 20_000;

/// The context of a replay: where to report progress, and whether to stop.
pub(super) struct ReplayContext<'a> {
    pub place: &'a Place,
    pub report: &'a mut dyn FnMut(EventStoreResponse),
    pub stopped: &'a dyn Fn() -> bool,
}

/// The permissions of a replay: earlier consent, consent from the preceding question, and whether a question is
/// possible.
#[derive(Clone, Copy)]
pub(super) struct ReplayPermissions<'a> {
    pub consent: &'a Consent,
    pub approved: &'a [ApprovedCommand],
    pub may_ask: bool,
}

/// An error message.
struct ReplayFailure(String);

impl From<StoreError> for ReplayFailure {
    fn from(fault: StoreError) -> ReplayFailure {
        let cure = fault.kind.help().map(|cure| format!(" {cure}")).unwrap_or_default();
        ReplayFailure(format!("{fault}.{cure}"))
    }
}

/// Replays events.
pub(super) fn run_replay(
    order: &ReplayOrder,
    may: ReplayPermissions<'_>,
    around: ReplayContext<'_>,
) -> EventStoreResponse {
    let done = if order.run { run_events(order, may, around) } else { plan_events(order, around) };
    done.unwrap_or_else(|ReplayFailure(says)| EventStoreResponse::Failed(says))
}

/// Prepares each selected event. Returns the numbers of the events, and whether all were read.
fn prepare_events(
    order: &ReplayOrder,
    around: &mut ReplayContext<'_>,
    take: &mut dyn FnMut(i64, Result<ReadyEvent, Box<ReplayedEvent>>),
) -> Result<(Vec<i64>, bool), ReplayFailure> {
    let store = open_store(&StateDir::of(around.place), OpenMode::Read)?;
    let mut replayer = Replayer::new(order.options(around.place)).map_err(|why| ReplayFailure(why.to_string()))?;
    let seqs = event_numbers(&order.selection, &store)?;
    if seqs.is_empty() {
        let marked = matches!(&order.selection, ReplaySelection::Matching(filter) if filter.contains("~marked"));
        let nothing = if marked { "no event is marked; Space marks one" } else { "no event matches" };
        return Err(ReplayFailure(nothing.to_owned()));
    }
    let many = seqs.len() as u64;
    let mut last = Instant::now();
    for (done, seq) in (0..).zip(&seqs) {
        if (around.stopped)() {
            return Ok((seqs, false));
        }
        if last.elapsed() >= TOLD {
            last = Instant::now();
            let (of, percent) = (format!("{many} events"), Some(done * 100 / many));
            (around.report)(EventStoreResponse::Progress(LongJobProgress {
                activity: "planning",
                subject: of,
                percent,
                events: done,
                pace: None,
            }));
        }
        if let Some(event) = store.event(*seq)? {
            take(*seq, replayer.prepare(event));
        }
    }
    Ok((seqs, true))
}

/// Plans the events without running anything; recorded runs provide the results of hooks.
fn plan_events(order: &ReplayOrder, mut around: ReplayContext<'_>) -> Result<EventStoreResponse, ReplayFailure> {
    let mut came = ReplayResults::default();
    let (seqs, whole) = prepare_events(order, &mut around, &mut |seq, ready| {
        let one = ready.map_or_else(|unready| *unready, ReadyEvent::plan);
        came.add(EventReplay { seq, row: None, replayed: one, output_changes: Vec::new() });
    })?;
    Ok(came.news(order, (!whole).then_some(seqs.len()), None))
}

/// Replays the events with their hooks. Events of one session run in order, because their hooks may depend on one
/// another; several sessions run concurrently.
fn run_events(
    order: &ReplayOrder,
    may: ReplayPermissions<'_>,
    mut around: ReplayContext<'_>,
) -> Result<EventStoreResponse, ReplayFailure> {
    let mut came = ReplayResults::default();
    let mut ready: Vec<(i64, ReadyEvent)> = Vec::new();
    let (seqs, whole) = prepare_events(order, &mut around, &mut |seq, one| match one {
        Ok(one) => ready.push((seq, one)),
        Err(unready) => came.add(EventReplay { seq, row: None, replayed: *unready, output_changes: Vec::new() }),
    })?;
    if !whole {
        return Err(ReplayFailure("cancelled before any hook ran".to_owned()));
    }
    // For several events the question lists every command; for one, only commands without consent.
    let none = Consent::default();
    let items = commands_without_consent(&ready, if ready.len() > 1 { &none } else { may.consent });
    if may.may_ask && items.iter().any(|item| !may.approved.iter().any(|(key, _)| *key == item.key)) {
        let which = if let [seq] = seqs.as_slice() { ReplaySelection::One(*seq) } else { ReplaySelection::These(seqs) };
        let order = ReplayOrder { selection: which, ..order.clone() };
        return Ok(EventStoreResponse::Question(Box::new(ReplayQuestion { order, items, events: ready.len() })));
    }
    // Nothing runs if its result cannot be stored.
    let mut store = open_store(&StateDir::of(around.place), OpenMode::Write)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|why| ReplayFailure(format!("hooks cannot start: {why}")))?;
    let (many, since) = (ready.len(), Instant::now());
    let mut trouble = None;
    let mut ran: Vec<(usize, EventReplay)> = Vec::new();
    let before: Vec<(i64, Vec<RecordedRun>)> = ready.iter().map(|(seq, one)| (*seq, one.event.runs.clone())).collect();
    let ready = ready.into_iter().map(|(_, one)| one).collect();
    let mut abreast = ConcurrentReplay::new(ready, AT_ONCE, WaitPolicy::OfOneSession);
    loop {
        (around.report)(EventStoreResponse::Progress(running(order, (ran.len(), many), since.elapsed())));
        let Some(Some(came)) = runtime.block_on(unless_stopped(abreast.next(), around.stopped)) else { break };
        let (index, replayed, row) = came;
        let (seq, runs) = before.get(index).map_or((0, &[][..]), |(seq, runs)| (*seq, runs));
        let printed = row.as_ref().map(|row| output_changes(runs, &row.runs)).unwrap_or_default();
        let kept = row.map(|row| keep_row(&mut store, &row)).transpose();
        let row = kept.unwrap_or_else(|fault| {
            let ReplayFailure(says) = fault.into();
            trouble = Some(says);
            None
        });
        ran.push((index, EventReplay { seq, row, replayed, output_changes: printed }));
        if ran.len() == many || trouble.is_some() || (around.stopped)() {
            break;
        }
    }
    runtime.block_on(abreast.end());
    runtime.shutdown_background();
    // Results are listed in the order of the events, not in the order in which they ended.
    ran.sort_by_key(|(index, _)| *index);
    for (_, one) in ran {
        came.add(one);
    }
    let broken_off = (came.all.len() < seqs.len()).then_some(seqs.len());
    Ok(came.news(order, broken_off, trouble))
}

/// Waits for a future. Returns `None` if it was stopped.
async fn unless_stopped<T>(what: impl Future<Output = T>, stopped: &dyn Fn() -> bool) -> Option<T> {
    let mut what = std::pin::pin!(what);
    loop {
        tokio::select! {
            biased;
            done = &mut what => return Some(done),
            () = tokio::time::sleep(TOLD) => if stopped() { return None },
        }
    }
}

fn running(order: &ReplayOrder, (done, many): (usize, usize), took: Duration) -> LongJobProgress {
    let (done, all) = (done as u64, many as u64);
    let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX).max(1);
    let left = (done > 0).then(|| (all - done).saturating_mul(millis) / done / 1_000);
    let pace = ReplayPace { all, in_ten: done.saturating_mul(10_000) / millis, left, contained: order.contain };
    let percent = Some(done * 100 / all.max(1));
    LongJobProgress {
        activity: "running",
        subject: order.describe_selection(),
        percent,
        events: done,
        pace: Some(pace),
    }
}

/// Stores a new row and returns its number.
pub fn keep_row(store: &mut Store, row: &RecordedEvent) -> Result<i64, StoreError> {
    let session = RecordedSession {
        agent: row.agent.clone(),
        session: row.session.clone(),
        project: row.project.clone(),
        ..RecordedSession::default()
    };
    let what = recorded_gist(row);
    let added = store.add(&[session], &[NewEvent::imported(row, what.as_deref())], false)?;
    Ok(added.first().map_or(0, |added| added.seq))
}

/// The commands that would run without consent, each with the number of events that need it.
fn commands_without_consent(ready: &[(i64, ReadyEvent)], consent: &Consent) -> Vec<ConsentItem> {
    let mut items: Vec<(ConsentItem, usize)> = Vec::new();
    for item in ready.iter().flat_map(|(_, one)| one.consent_missing(consent)) {
        match items.iter_mut().find(|(known, _)| known.key == item.key) {
            Some((_, count)) => *count += 1,
            None => items.push((item, 1)),
        }
    }
    let all = ready.len();
    let says = |(item, count): (ConsentItem, usize)| match all {
        1 => item,
        _ => ConsentItem { source: format!("{}, for {count} of {all} events", item.source), ..item },
    };
    items.into_iter().map(says).collect()
}

/// The results so far.
#[derive(Default)]
struct ReplayResults {
    all: Vec<EventReplay>,
    tally: ReplayTally,
}

impl ReplayResults {
    fn add(&mut self, one: EventReplay) {
        self.tally.add(&one.replayed);
        self.all.push(one);
    }

    fn news(self, order: &ReplayOrder, broken_off: Option<usize>, trouble: Option<String>) -> EventStoreResponse {
        let (order, summary) = (order.clone(), self.tally.finish());
        EventStoreResponse::Replayed(std::sync::Arc::new(ReplayResult {
            order,
            events: self.all,
            summary,
            stopped_of: broken_off,
            trouble,
        }))
    }
}

/// The numbers of the selected events, in order of time. An event that hookbench fired is skipped, unless it is marked
/// or the filter asks for such events.
fn event_numbers(which: &ReplaySelection, store: &Store) -> Result<Vec<i64>, ReplayFailure> {
    let filter = match which {
        ReplaySelection::One(seq) => return Ok(vec![*seq]),
        ReplaySelection::These(all) => return Ok(all.clone()),
        ReplaySelection::Matching(text) => parse(text).map_err(|wrong| ReplayFailure(wrong.message))?,
    };
    let text = filter.to_string();
    let own = ["~replay", "~fired", "~marked"].into_iter().any(|operator| text.contains(operator));
    let rows = store.page(&filter, now_ms(), ListDirection::Forward, None, REPLAYED)?;
    Ok(rows.into_iter().filter(|row| own || !row.is_fired_by_hookbench()).map(|row| row.seq).collect())
}

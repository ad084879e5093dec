//! The circuit breaker of a model: after several failures in a row, no process asks it for a while.

use serde::{Deserialize, Serialize};

/// The number of failed calls that open the breaker.
const FAILURES: u32 = 5;
/// The time after which failures are forgotten.
const MEMORY_MS: i64 = 120_000;
/// The first time for which the breaker stays open, and the longest.
const COOLDOWN_MS: i64 = 60_000;
const MAX_COOLDOWN_MS: i64 = 600_000;
/// The minimum time for which one process tries alone.
const PROBE_MS: i64 = 30_000;
/// Times that lie further in the future come from a clock that was set back.
const CLOCK_TOLERANCE_MS: i64 = 5_000;

/// The state of a breaker, as stored. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BreakerState {
    v: u32,
    state: BreakerPosition,
    failures: u32,
    #[serde(default)]
    failed_ms: i64,
    opened_ms: i64,
    cooldown_ms: i64,
    probe_until_ms: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum BreakerPosition {
    Closed,
    Open,
    HalfOpen,
}

/// Whether the model may be asked now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallPermit {
    Ask,
    /// The breaker was open. This process alone tries whether the model works again, once.
    Probe,
    /// The model is not asked for so many milliseconds.
    Wait {
        ms: i64,
    },
}

/// The result of a call, as far as the breaker needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallClass {
    Success,
    Failure,
    /// A mistake in the configuration, which waiting does not repair.
    Configuration,
}

impl Default for BreakerState {
    fn default() -> BreakerState {
        BreakerState {
            v: 1,
            state: BreakerPosition::Closed,
            failures: 0,
            failed_ms: 0,
            opened_ms: 0,
            cooldown_ms: COOLDOWN_MS,
            probe_until_ms: 0,
        }
    }
}

impl BreakerState {
    /// Reads a stored state. Anything else counts as a closed breaker.
    pub fn parse(text: &str) -> BreakerState {
        let state: Option<BreakerState> = serde_json::from_str(text).ok();
        state.filter(|state| state.v == 1 && (1..=MAX_COOLDOWN_MS).contains(&state.cooldown_ms)).unwrap_or_default()
    }

    /// The state as stored.
    pub fn text(&self) -> String {
        serde_json::to_string(self).map(|text| text + "\n").unwrap_or_default()
    }

    /// Asks whether the model may be called. `call_ms` is the longest time that the call can take.
    pub fn permit(&mut self, now_ms: i64, call_ms: i64) -> CallPermit {
        self.repair_times(now_ms);
        match self.state {
            BreakerPosition::Closed => return CallPermit::Ask,
            BreakerPosition::Open => {
                let ms = self.opened_ms.saturating_add(self.cooldown_ms) - now_ms;
                if ms > 0 {
                    return CallPermit::Wait { ms };
                }
            }
            BreakerPosition::HalfOpen => {
                let ms = self.probe_until_ms - now_ms;
                if ms > 0 {
                    return CallPermit::Wait { ms };
                }
            }
        }
        self.state = BreakerPosition::HalfOpen;
        self.probe_until_ms = now_ms.saturating_add(call_ms.saturating_add(CLOCK_TOLERANCE_MS).max(PROBE_MS));
        CallPermit::Probe
    }

    /// Records the result of a call that was permitted.
    pub fn record(&mut self, permit: CallPermit, class: CallClass, now_ms: i64) {
        self.repair_times(now_ms);
        match (permit, class) {
            (CallPermit::Wait { .. }, _) => {}
            (_, CallClass::Success) => *self = BreakerState::default(),
            (CallPermit::Probe, CallClass::Failure) => {
                self.cooldown_ms = self.cooldown_ms.saturating_mul(2).min(MAX_COOLDOWN_MS);
                self.open(now_ms);
            }
            (CallPermit::Probe, CallClass::Configuration) => self.open(now_ms),
            (CallPermit::Ask, CallClass::Configuration) => {}
            // Calls that began before the breaker opened change nothing.
            (CallPermit::Ask, CallClass::Failure) if self.state == BreakerPosition::Closed => {
                if now_ms - self.failed_ms > MEMORY_MS {
                    self.failures = 0;
                }
                self.failures = self.failures.saturating_add(1);
                self.failed_ms = now_ms;
                if self.failures >= FAILURES {
                    self.open(now_ms);
                }
            }
            (CallPermit::Ask, CallClass::Failure) => {}
        }
    }

    fn open(&mut self, now_ms: i64) {
        self.state = BreakerPosition::Open;
        self.opened_ms = now_ms;
        self.probe_until_ms = 0;
    }

    /// A clock that was set back would keep the breaker open for as long as it was wrong.
    fn repair_times(&mut self, now_ms: i64) {
        let latest = now_ms.saturating_add(CLOCK_TOLERANCE_MS);
        for time in [&mut self.opened_ms, &mut self.failed_ms] {
            if *time > latest {
                *time = now_ms;
            }
        }
        self.probe_until_ms = self.probe_until_ms.min(latest.saturating_add(MAX_COOLDOWN_MS));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: i64 = 20_000;

    fn failed(times: u32, at: i64) -> BreakerState {
        let mut state = BreakerState::default();
        for _ in 0..times {
            assert_eq!(state.permit(at, CALL), CallPermit::Ask);
            state.record(CallPermit::Ask, CallClass::Failure, at);
        }
        state
    }

    #[test]
    fn five_failures_open_it_for_a_minute() {
        let mut state = failed(4, 1_000);
        assert_eq!(state.permit(1_000, CALL), CallPermit::Ask);
        state.record(CallPermit::Ask, CallClass::Configuration, 1_000);
        assert_eq!(state.permit(1_000, CALL), CallPermit::Ask);
        state.record(CallPermit::Ask, CallClass::Failure, 2_000);
        assert_eq!(state.permit(2_000, CALL), CallPermit::Wait { ms: 60_000 });
        assert_eq!(state.permit(61_000, CALL), CallPermit::Wait { ms: 1_000 });
        // Old failures are forgotten, and a success forgets all.
        let mut old = failed(4, 1_000);
        old.record(CallPermit::Ask, CallClass::Failure, 1_000 + MEMORY_MS + 1);
        assert_eq!(old.permit(1_000 + MEMORY_MS + 1, CALL), CallPermit::Ask);
        let mut well = failed(4, 1_000);
        well.record(CallPermit::Ask, CallClass::Success, 1_001);
        assert_eq!(well, BreakerState::default());
    }

    #[test]
    fn one_process_probes_and_its_result_decides() {
        let mut state = failed(5, 0);
        assert_eq!(state.permit(60_000, CALL), CallPermit::Probe);
        // The others wait for the probe, also when it takes as long as a long call.
        assert_eq!(state.permit(60_000, CALL), CallPermit::Wait { ms: 30_000 });
        let mut long = failed(5, 0);
        assert_eq!(long.permit(60_000, 100_000), CallPermit::Probe);
        assert_eq!(long.permit(60_001, 100_000), CallPermit::Wait { ms: 104_999 });
        // A process that died while it probed is replaced.
        assert_eq!(state.clone().permit(90_000, CALL), CallPermit::Probe);
        let mut closed = state.clone();
        closed.record(CallPermit::Probe, CallClass::Success, 61_000);
        assert_eq!(closed, BreakerState::default());
        for (failures, wait) in [(1, 120_000), (2, 240_000), (3, 480_000), (4, 600_000), (9, 600_000)] {
            let mut open = failed(5, 0);
            let mut now = 0;
            for _ in 0..failures {
                now += MAX_COOLDOWN_MS;
                assert_eq!(open.permit(now, CALL), CallPermit::Probe);
                open.record(CallPermit::Probe, CallClass::Failure, now);
            }
            assert_eq!(open.permit(now, CALL), CallPermit::Wait { ms: wait }, "{failures}");
        }
        // A late failure of a call that began earlier changes nothing.
        let mut late = state.clone();
        late.record(CallPermit::Ask, CallClass::Failure, 60_500);
        assert_eq!(late, state);
    }

    #[test]
    fn garbage_and_clocks_do_not_keep_it_open() {
        for text in ["", "garbage", "{}", "[1]", "{\"v\":2}", &failed(5, 0).text().replace("60000", "9999999999")] {
            assert_eq!(BreakerState::parse(text), BreakerState::default(), "{text}");
        }
        let state = failed(5, 7);
        assert_eq!(BreakerState::parse(&state.text()), state);
        let hour = 3_600_000;
        let mut future = failed(5, hour);
        assert_eq!(future.permit(0, CALL), CallPermit::Wait { ms: 60_000 });
        assert_eq!(future.permit(60_000, CALL), CallPermit::Probe);
        // The lease of a probe is bounded as well.
        let mut lease = failed(5, hour);
        assert_eq!(lease.permit(hour + 60_000, CALL), CallPermit::Probe);
        let CallPermit::Wait { ms } = lease.permit(0, CALL) else { panic!("the probe still runs") };
        assert!(ms <= MAX_COOLDOWN_MS + CLOCK_TOLERANCE_MS, "{ms}");
    }
}

//! The speed of the configured model, compared with the time that it gets.

use std::time::Duration;

use hookbench_core::config::Place;
use hookbench_core::moderator::{EvidenceCall, ModeratorQuestion, QuestionLimits, instructions, read_verdict};
use hookbench_core::text::capitalized;

use super::access::{ConfiguredModel, ModelAccess, configured_model};

/// The state of the configured model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelHealth {
    /// The model with its endpoint. `None` if the settings name no usable model.
    pub model: Option<String>,
    /// `broken`, `not_allowed`, `answered` or `failed`.
    pub state: &'static str,
    /// The time of the first answer, for which the server may have loaded the model.
    pub first: Option<Duration>,
    /// The time of the second answer.
    pub second: Option<Duration>,
    /// The time that a call gets.
    pub budget: Duration,
    pub message: String,
}

/// Asks the model two small questions, if it is configured and the user allows it in this project. Blocks until the
/// answers. `None` if no model is configured.
pub fn measure_model(place: &Place) -> Option<ModelHealth> {
    let broken = |message| ModelHealth {
        model: None,
        state: "broken",
        first: None,
        second: None,
        budget: Duration::ZERO,
        message,
    };
    match configured_model(place) {
        ConfiguredModel::None => None,
        ConfiguredModel::Broken(problems) => Some(broken(problems.join("; "))),
        ConfiguredModel::Ready(access) => Some(measure(&access)),
    }
}

fn measure(access: &ModelAccess) -> ModelHealth {
    let budget = access.budget(None);
    let health = |state, first, second, message| ModelHealth {
        model: Some(access.settings.shown()),
        state,
        first,
        second,
        budget,
        message,
    };
    if let Err(refusal) = access.check_consent() {
        return health("not_allowed", None, None, format!("not measured: {}", refusal.message()));
    }
    let question = ModeratorQuestion {
        instructions: instructions("malicious").unwrap_or_default(),
        call: Some(EvidenceCall { tool: "shell".to_owned(), text: "ls".to_owned() }),
        ..ModeratorQuestion::default()
    };
    let prompt = question.prompt("0000000000000000", QuestionLimits::of(&access.settings), &[]);
    let ask = || access.ask(&prompt, budget, Some(1), &|text| read_verdict(text).is_some());
    let first = ask();
    if let Err(why) = first.result {
        let message = format!("{}; a guard would get no verdict from it", capitalized(&why));
        return health("failed", None, None, message);
    }
    let second = ask();
    let (one, two) = (seconds(first.took), seconds(second.took));
    let message = match second.result {
        Err(why) => {
            return health("failed", Some(first.took), None, format!("the second of two questions failed: {why}"));
        }
        Ok(_) => format!("answers in {one} at first, then in {two}; a call gets {} (timeout_ms)", seconds(budget)),
    };
    health("answered", Some(first.took), Some(second.took), message)
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

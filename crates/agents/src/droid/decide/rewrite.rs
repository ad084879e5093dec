//! The new input of a tool: that of the hook whose decision wins, else the first one. Measured on 0.225.2.

use serde_json::{Map, Value};

use super::super::answer::HookAnswer;
use crate::shared::javascript::spread;

/// The position of the answer whose new input counts. The agent may still ignore it for the decision beside it.
pub fn rewriting_answer(answers: &[&HookAnswer]) -> Option<usize> {
    let offers = |answer: &&HookAnswer| answer.offers_input();
    let winner = answers.iter().position(|answer| answer.permission().is_some());
    winner.filter(|at| answers.get(*at).is_some_and(offers)).or_else(|| answers.iter().position(offers))
}

/// Merges a new input over the tool's. A new command drops what the model said about the risk of the old one.
pub fn merge(tool: &str, before: &Map<String, Value>, update: &Map<String, Value>) -> Map<String, Value> {
    let mut after = before.clone();
    after.extend(update.clone());
    let is_new = update.get("command").is_some_and(|command| before.get("command") != Some(command));
    if tool == "Execute" && is_new {
        after.shift_remove("riskLevel");
        after.shift_remove("riskLevelReason");
    }
    after
}

/// The input with which a call goes on.
pub fn merged_input(tool: &str, input: &Value, answers: &[HookAnswer]) -> Value {
    let answers: Vec<&HookAnswer> = answers.iter().collect();
    let update = rewriting_answer(&answers).and_then(|at| answers.get(at)?.updated_input()).map(spread);
    match (input, update) {
        (Value::Object(before), Some(update)) => Value::Object(merge(tool, before, &update)),
        _ => input.clone(),
    }
}

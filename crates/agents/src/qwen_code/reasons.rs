//! The reason for each decision rule, in one sentence.

/// Returns the sentence for a rule. `answers` is the number of hooks that answered.
pub fn reason(rule: &str, answers: usize) -> &'static str {
    let merged = answers > 1;
    match rule {
        "decide.silent" => "no hook said anything",
        "decide.deny" if merged => {
            "of several answers the last permissionDecision counts; where none has one, a single deny or block is enough"
        }
        "decide.deny" => "the answer denies: permissionDecision where it is a known word, else decision",
        "decide.ask" | "decide.ask-headless" | "decide.ask-denied" if merged => {
            "the last permissionDecision asks, which outweighs a deny or block in `decision`"
        }
        "decide.ask" | "decide.ask-headless" | "decide.ask-denied" => "the answer asks for the user's confirmation",
        "decide.stop" => "nobody denies or asks, and `continue: false` stops the call",
        "decide.proceed" if merged => "the merged answer neither denies nor asks nor stops",
        "decide.proceed" => "the answer neither denies nor asks nor stops",
        "decide.result-replaced" => "`continue: false` is the one way to keep a result from the model",
        "decide.result" => "`decision` counts for nothing on this event; only context is delivered",
        "decide.batch-replaced" => "a block, a deny or `continue: false` of one hook is enough",
        "decide.batch" => "nobody blocks or stops the batch",
        "decide.permission-allow" => "the merged decision object allows",
        "decide.permission-deny" => "a deny outweighs every allow",
        "decide.permission-undecided" if merged => {
            "two or more answers are merged into a decision object, and one that does not allow denies"
        }
        "decide.permission-undecided" => "a decision object whose behavior is not `allow` denies",
        "decide.dialog" => "the answer has no decision object",
        "decide.prompt-blocked" | "decide.expansion-blocked" => {
            "a block, a deny or `continue: false` of one hook is enough"
        }
        "decide.prompt" => "nobody blocks the prompt",
        "decide.client-fails" => {
            "the client throws when it looks for context in a hookSpecificOutput that is no object"
        }
        "decide.client-swallows" => {
            "the client throws when it looks into a hookSpecificOutput that is no object, and goes on as without hooks"
        }
        "decide.stop-blocked" => "a block, a deny or `continue: false` of one hook keeps the agent going",
        "decide.stop-cap" => "stops that were blocked in a row are counted, and the last one allowed does not count",
        "decide.stop-goes-on" => "nobody blocks the stop",
        "decide.todo-blocked" => "the merged decision is exactly `block`",
        "decide.todo" if merged => "the merged decision is not `block`",
        "decide.todo" => "a single answer blocks with `block` only; `deny` and exit 2 do not count",
        "decide.todo-late" => "hooks are told of it after the list was written",
        "decide.thrown" => "an answer that makes the agent throw takes all other answers with it",
        "decide.thrown-closed" => "this event is refused when the agent throws; it is the only one",
        "decide.bus-timeout" | "decide.bus-timeout-fatal" => "the agent waits only so long for all hooks together",
        "decide.context" | "decide.context-dropped" => "nothing can be blocked here; only context is read",
        _ => "the agent reads nothing from hooks of this event",
    }
}

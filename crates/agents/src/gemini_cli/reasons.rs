//! The reason for each decision rule, in one sentence.

/// Returns the sentence for a rule. `answers` is the number of hooks that answered.
pub fn reason(rule: &str, answers: usize) -> &'static str {
    let merged = answers > 1;
    match rule {
        "decide.silent" => "no hook said anything",
        "decide.stop" if merged => "`continue: false` of one hook is enough, and goes before any decision",
        "decide.stop" => "`continue: false` goes before any decision",
        "decide.deny" | "decide.result-replaced" | "decide.prompt-blocked" | "decide.retry" if merged => {
            "a `deny` or `block` of one hook is enough; the reasons of all hooks are joined"
        }
        "decide.deny" | "decide.result-replaced" | "decide.prompt-blocked" | "decide.retry" => {
            "the top-level decision is `deny` or `block`"
        }
        "decide.model-blocked" | "decide.answer-cut" if merged => {
            "on this event the last decision counts, and it is `deny` or `block`"
        }
        "decide.model-blocked" | "decide.answer-cut" => "the top-level decision is `deny` or `block`",
        "decide.client-fails" => "an llm_response needs a list of candidates with parts",
        "decide.ask" => "nobody denies, and the decision is `ask`",
        "decide.input-refused" => {
            "the arguments of a hook replace the tool's whole input, and are held against its schema"
        }
        "decide.proceed" => "nobody denies, asks or stops",
        "decide.result" => "nobody blocks the result",
        "decide.prompt" => "nobody blocks the prompt",
        "decide.turn-ends" => "nobody blocks the end of the turn",
        "decide.request" => "nobody blocks the call",
        "decide.answer" => "nobody blocks the answer",
        "decide.tools" => "any answer at all replaces the request's choice of tools",
        "decide.context" => "nothing can be blocked here; only context is read",
        "decide.thrown" => "an answer that makes the agent throw takes all other answers with it",
        _ => "nothing can be blocked here; only the message for the user is shown",
    }
}

//! The consequence of a moderator's answer, or of its absence, for a guard.

use super::verdict::ModeratorVerdict;

/// The rule that a moderator's refusal cites.
pub const MOD_BLOCK: &str = "MOD-BLOCK";
/// The rule that a refusal without an answer cites.
pub const MOD_UNAVAILABLE: &str = "MOD-UNAVAILABLE";

/// The answer of a moderator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModeratorAnswer {
    Verdict(ModeratorVerdict),
    /// The model gave no verdict, for this reason.
    Unavailable(String),
}

/// The action of a guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModeratorRuling {
    /// The guard has no objection. The message is for the user.
    Pass {
        message: Option<String>,
    },
    Refuse {
        rule: &'static str,
        reason: String,
    },
}

/// Decides what a guard does. A critical guard refuses if it cannot decide; any other passes and says so. A reason for
/// allowing is for the user only at the end of a turn (`at_stop`), where nothing else would show it.
pub fn rule_on(answer: &ModeratorAnswer, is_critical: bool, at_stop: bool) -> ModeratorRuling {
    match answer {
        ModeratorAnswer::Verdict(ModeratorVerdict::Allow { reason }) => {
            ModeratorRuling::Pass { message: reason.clone().filter(|_| at_stop) }
        }
        ModeratorAnswer::Verdict(ModeratorVerdict::Block { reason }) => ModeratorRuling::Refuse {
            rule: MOD_BLOCK,
            reason: reason.clone().unwrap_or_else(|| "the model gave no reason".to_owned()),
        },
        ModeratorAnswer::Unavailable(why) if is_critical => {
            ModeratorRuling::Refuse { rule: MOD_UNAVAILABLE, reason: format!("the model did not decide: {why}") }
        }
        ModeratorAnswer::Unavailable(why) => ModeratorRuling::Pass {
            message: Some(format!("moderator unavailable, so only the rules were checked: {why}")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_critical_guard_refuses_without_a_verdict() {
        let reason = |text: &str| Some(text.to_owned());
        let allow = |text| ModeratorAnswer::Verdict(ModeratorVerdict::Allow { reason: text });
        let block = |text| ModeratorAnswer::Verdict(ModeratorVerdict::Block { reason: text });
        let missing = ModeratorAnswer::Unavailable("HTTP 500".to_owned());
        let pass = |message: Option<&str>| ModeratorRuling::Pass { message: message.map(str::to_owned) };
        let refuse = |rule, reason: &str| ModeratorRuling::Refuse { rule, reason: reason.to_owned() };
        for (answer, critical, at_stop, want) in [
            (allow(None), true, true, pass(None)),
            (allow(reason("fine")), true, false, pass(None)),
            (allow(reason("fine")), false, true, pass(Some("fine"))),
            (block(reason("upload")), false, false, refuse(MOD_BLOCK, "upload")),
            (block(None), true, true, refuse(MOD_BLOCK, "the model gave no reason")),
            (missing.clone(), true, false, refuse(MOD_UNAVAILABLE, "the model did not decide: HTTP 500")),
            (missing, false, true, pass(Some("moderator unavailable, so only the rules were checked: HTTP 500"))),
        ] {
            assert_eq!(rule_on(&answer, critical, at_stop), want, "{answer:?} {critical} {at_stop}");
        }
    }
}

//! The codes of findings: one table with the severity and the family of each code. The page of a code is
//! `assets/docs/CODE.md`; a code without a page does not compile.

use std::fmt;

use serde::{Serialize, Serializer};

use super::Severity;

/// The family of a lint code, from its first digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeFamily {
    /// Files and their structure.
    Files,
    /// Events.
    Events,
    /// Matchers.
    Matchers,
    /// Commands and handlers.
    Commands,
    /// Timeouts and limits.
    Timeouts,
    /// Scripts and their answers.
    Answers,
    /// Trust, switches and layers.
    Layers,
    /// Conditions, safety and other agents.
    Safety,
}

macro_rules! codes {
    (
        lints { $($family:ident { $($code:ident $severity:ident)* })* }
        remarks { $($(#[$doc:meta])* $remark:ident = $text:literal $remark_severity:ident)* }
    ) => {
        /// The code of a finding: a lint code (`HW301`), or the path of a remark about an input, a plan or a run.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(
                #[doc = concat!("`hookbench explain ", stringify!($code), "`")]
                $code,
            )*)*
            $($(#[$doc])* $remark,)*
        }

        impl Code {
            /// The lint codes, in order. Each has a page.
            pub const LINTS: &[Code] = &[$($(Code::$code),*),*];
            const REMARKS: &[Code] = &[$(Code::$remark),*];

            /// The text in documents and on the screen.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($(Code::$code => stringify!($code),)*)*
                    $(Code::$remark => $text,)*
                }
            }

            /// The highest severity of its findings. A rule that is less certain reports less, with
            /// [`Diagnostic::lowered`](super::Diagnostic::lowered).
            pub const fn severity(self) -> Severity {
                match self {
                    $($(Code::$code => Severity::$severity,)*)*
                    $(Code::$remark => Severity::$remark_severity,)*
                }
            }

            /// The family of a lint code. `None` for a remark.
            pub const fn family(self) -> Option<CodeFamily> {
                match self {
                    $($(Code::$code)|* => Some(CodeFamily::$family),)*
                    $(Code::$remark)|* => None,
                }
            }

            /// The text of the page of a lint code. `None` for a remark.
            pub const fn page(self) -> Option<&'static str> {
                match self {
                    $($(Code::$code => Some(include_str!(concat!(
                        env!("CARGO_MANIFEST_DIR"), "/../../assets/docs/", stringify!($code), ".md"
                    ))),)*)*
                    $(Code::$remark)|* => None,
                }
            }
        }
    };
}

codes! {
    lints {
        Files {
            HW101 Error
            HW102 Error
            HW103 Error
            HW104 Error
            HW105 Error
            HW106 Error
            HW107 Warning
            HW108 Error
            HW109 Info
            HW110 Error
            HW111 Info
            HW112 Info
            HW113 Warning
            HW114 Error
            HW115 Warning
            HW116 Error
        }
        Events {
            HW201 Error
            HW202 Error
            HW203 Warning
            HW204 Warning
            HW205 Warning
            HW206 Error
            HW207 Error
            HW208 Warning
            HW209 Info
        }
        Matchers {
            HW301 Error
            HW302 Error
            HW303 Error
            HW304 Error
            HW305 Error
            HW306 Warning
            HW307 Warning
            HW308 Error
            HW309 Error
            HW310 Warning
            HW311 Error
            HW312 Error
            HW313 Warning
            HW314 Warning
            HW315 Error
            HW316 Warning
            HW317 Warning
            HW318 Warning
            HW319 Error
            HW320 Error
            HW321 Error
        }
        Commands {
            HW401 Error
            HW402 Error
            HW403 Error
            HW404 Warning
            HW405 Error
            HW406 Error
            HW407 Error
            HW408 Error
            HW409 Warning
            HW410 Error
            HW411 Error
            HW412 Error
            HW413 Warning
            HW414 Warning
            HW415 Warning
            HW416 Error
            HW417 Error
            HW418 Warning
            HW419 Error
            HW420 Warning
            HW421 Error
            HW422 Warning
            HW423 Error
            HW424 Error
            HW425 Warning
            HW426 Error
        }
        Timeouts {
            HW501 Error
            HW502 Warning
            HW503 Warning
            HW504 Warning
            HW505 Warning
            HW506 Warning
            HW507 Warning
            HW508 Warning
            HW509 Warning
            HW510 Warning
            HW511 Warning
        }
        Answers {
            HW601 Error
            HW602 Warning
            HW603 Error
            HW604 Error
            HW605 Error
            HW606 Error
            HW607 Error
            HW608 Error
            HW609 Error
            HW610 Warning
            HW611 Warning
            HW612 Warning
            HW613 Warning
            HW614 Warning
            HW615 Warning
            HW616 Error
            HW617 Warning
            HW618 Warning
            HW619 Warning
            HW620 Warning
            HW621 Error
            HW622 Warning
            HW623 Error
            HW624 Error
            HW625 Warning
            HW626 Error
            HW627 Error
            HW628 Warning
            HW629 Error
            HW630 Error
            HW631 Error
            HW632 Error
            HW633 Error
            HW634 Warning
            HW635 Warning
            HW636 Warning
            HW637 Warning
        }
        Layers {
            HW701 Error
            HW702 Error
            HW703 Error
            HW704 Error
            HW705 Warning
            HW706 Info
            HW707 Warning
            HW708 Warning
            HW709 Warning
            HW710 Warning
            HW711 Warning
            HW712 Error
            HW713 Warning
            HW714 Error
            HW715 Warning
            HW716 Warning
        }
        Safety {
            HW801 Error
            HW802 Warning
            HW803 Warning
            HW804 Error
            HW805 Error
            HW806 Error
            HW807 Error
            HW808 Warning
            HW809 Info
            HW810 Warning
            HW811 Warning
            HW812 Error
            HW813 Info
            HW814 Warning
        }
    }
    remarks {
        /// The agent refuses its settings and does not start.
        AgentRefuses = "agent/refuses" Error
        /// The agent was specified and never released.
        AgentUnreleased = "agent/unreleased" Info
        /// The list of allowed findings cannot be read, or an entry or comment is not valid.
        AllowBroken = "allow/broken" Error
        /// An allowed finding has no reason, so it is not allowed.
        AllowNoReason = "allow/no-reason" Warning
        /// An allowed finding does not occur.
        AllowUnused = "allow/unused" Warning
        /// Only the agent itself can run a hook.
        HookNeedsAgent = "hook/needs-agent" Warning
        /// The agent cuts an output.
        OutputTruncated = "output/truncated" Warning
        /// The payload belongs to another agent than the named one.
        PayloadAgent = "payload/agent" Warning
        /// The directory of a payload does not exist.
        PayloadCwd = "payload/cwd" Warning
        /// The event of a payload differs from the requested one.
        PayloadEvent = "payload/event" Warning
        /// The payload is in an older format.
        PayloadOlder = "payload/older" Info
        /// Hooks get a copy of the transcript that ends at the event.
        PayloadTranscript = "payload/transcript" Info
        /// A field of a payload has another type than the agent sends.
        PayloadType = "payload/type" Warning
        /// The agent loses the whole event, so no hook runs.
        PlanLost = "plan/lost" Error
        /// A translated event has a value that its agent did not send.
        PortInvented = "port/invented" Info
        /// A translated event keeps an unknown key.
        PortKept = "port/kept" Info
        /// A translated event loses a value.
        PortLost = "port/lost" Info
        /// The other agent does not send a key of the event.
        PortNotSent = "port/not-sent" Info
        /// A translated event has the other agent's own value.
        PortOwn = "port/own" Info
        /// A hook of an earlier event rewrote the tool's input.
        SessionRewritten = "session/rewritten" Info
        /// A session has blocked stops in a row.
        SessionStops = "session/stops" Info
        /// A tool's name is an alias or another agent's name.
        ToolAlias = "tool/alias" Warning
        /// A tool's name is unknown.
        ToolUnknown = "tool/unknown" Warning
    }
}

impl Code {
    /// Finds the code with this text.
    pub fn parse(text: &str) -> Option<Code> {
        Code::LINTS.iter().chain(Code::REMARKS).copied().find(|code| code.as_str() == text)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn the_table_is_in_the_order_of_its_texts() {
        let all: Vec<Code> = [Code::LINTS, Code::REMARKS].concat();
        let texts: Vec<&str> = all.iter().map(|code| code.as_str()).collect();
        assert!(texts.is_sorted() && all.is_sorted(), "{texts:?}");
        assert!(all.iter().all(|code| Code::parse(code.as_str()) == Some(*code)));
    }
}

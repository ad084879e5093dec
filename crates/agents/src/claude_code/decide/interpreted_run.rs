//! A run together with its interpreted answer.

use super::super::answer::HookAnswer;
use hookbench_base::decide::HookRun;
use hookbench_base::hook::HookDefinition;

/// A run together with its interpreted answer.
#[derive(Debug, Clone)]
pub struct InterpretedRun<'a> {
    pub run: &'a HookRun,
    pub definition: &'a HookDefinition,
    pub answer: HookAnswer,
}

impl InterpretedRun<'_> {
    /// Whether the agent waits for the hook. The decision of a detached hook does not count.
    pub fn is_awaited(&self) -> bool {
        self.run.awaited
    }
}

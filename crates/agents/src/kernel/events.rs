//! The events of an agent, which its `events.json` states. `build.rs` writes them as constants.

use hookbench_base::hook::{EventSpec, PayloadField};

/// The events of an agent.
pub struct EventTable {
    /// The keys of every payload, which come before those of an event.
    pub common: &'static [PayloadField],
    /// The events of the newest version.
    pub events: &'static [EventSpec],
    /// Events under another name, or as older versions have them.
    pub others: &'static [EventSpec],
    /// Names of other agents' events.
    pub foreign: &'static [ForeignEvent],
}

/// The name of another agent's event, and the event that comes nearest.
pub struct ForeignEvent {
    pub theirs: &'static str,
    pub ours: &'static str,
}

impl EventTable {
    /// The event of exactly this name.
    pub fn by_name(&self, name: &str) -> Option<&'static EventSpec> {
        self.events.iter().find(|event| event.name == name)
    }

    /// The event that a user probably meant: another spelling, or the name that another agent uses.
    pub fn suggest(&self, name: &str) -> Option<&'static str> {
        let plain = |text: &str| text.replace(|c: char| !c.is_ascii_alphanumeric(), "").to_ascii_lowercase();
        let wanted = plain(name);
        let own = self.events.iter().chain(self.others).map(|event| event.name).find(|own| plain(own) == wanted);
        own.or_else(|| self.foreign.iter().find(|foreign| plain(foreign.theirs) == wanted).map(|foreign| foreign.ours))
    }
}

/// The static `EVENTS` of an agent's folder.
macro_rules! event_table {
    ($folder:literal) => {
        #[allow(unused_imports, reason = "some agents have no names of others")]
        use crate::kernel::events::{EventTable, ForeignEvent};
        use hookbench_base::hook::{EventSpec, PayloadField};

        include!(concat!(env!("OUT_DIR"), "/", $folder, ".rs"));
    };
}
pub(crate) use event_table;

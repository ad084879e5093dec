//! Recorded events: what is asked of the store, and one of them put on the bench.

use super::state::Session;
use crate::app::bench::Origin;
use crate::app::input::{InputRequest, read_payload};
use crate::app::job::Job;
use crate::app::shelf::{ShelfAsk, ShelfCommand, ShelfNews};
use crate::core::dialects;

impl Session {
    pub(super) fn obey_shelf(&mut self, command: ShelfCommand) -> Vec<Job> {
        if command == ShelfCommand::ToBench {
            self.recorded_to_bench();
        }
        let mut jobs = Vec::new();
        if let ShelfCommand::ReplayAgreed(_, agreed) = &command {
            for (key, says) in agreed {
                self.consent.give(key.clone(), says.clone());
            }
            jobs.push(Job::KeepConsent(agreed.clone()));
        }
        let mut asks = self.shelf.apply(command);
        for ask in &mut asks {
            if let ShelfAsk::Replay { consent, asks, .. } = ask {
                consent.clone_from(&self.consent);
                *asks = !self.options.yes;
            }
        }
        jobs.extend(self.shelf_asks(asks));
        jobs
    }

    pub(super) fn absorb_shelf(&mut self, news: ShelfNews) -> Vec<Job> {
        let asks = self.shelf.absorb(news);
        self.shelf_asks(asks)
    }

    fn shelf_asks(&mut self, asks: Vec<ShelfAsk>) -> Vec<Job> {
        self.messages.append(&mut self.shelf.says);
        asks.into_iter().map(Job::Shelf).collect()
    }

    /// Puts the event under the cursor on the bench, as its agent would send it here.
    fn recorded_to_bench(&mut self) {
        let Some((seq, Some(event))) = self.shelf.whole.clone() else {
            self.messages.push("the event is still being read".to_owned());
            return;
        };
        let Some(dialect) = dialects::by_id(&event.agent) else {
            self.messages.push(format!("no agent is called {:?}", event.agent));
            return;
        };
        let payload = match read_payload("payload", &event.payload) {
            Ok(payload) => payload,
            Err(why) => {
                self.messages.push(format!("#{seq} cannot be put on the bench: {why}"));
                return;
            }
        };
        let request = InputRequest {
            agent: Some(dialect.id()),
            event: Some(event.event.clone()),
            payload: Some(payload),
            ..InputRequest::default()
        };
        match self.build(&request) {
            Ok(built) => {
                self.put_input(built);
                self.bench.origin = Origin::Recorded(seq);
            }
            Err(why) => self.messages.push(format!("#{seq} cannot be put on the bench: {why}")),
        }
    }
}

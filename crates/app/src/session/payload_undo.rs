//! Undo and redo of the payload on the bench.

use super::bench::BenchPayload;
use super::payload_history::PayloadChange;
use super::state::Session;
use super::update::SessionEffect;
use crate::recordings::event_list::EventListCommand;
use crate::session::command::Command;

impl Session {
    pub(super) fn before_command(&self, command: &Command) -> Option<PayloadChange> {
        let edit = matches!(
            command,
            Command::SetField { .. } | Command::SetPayload(_) | Command::PastePayload(_) | Command::UseEventOf(_)
        );
        let other = matches!(
            command,
            Command::ChooseAgent(_)
                | Command::ChooseEvent(_)
                | Command::UseTemplate(_)
                | Command::UsePin(_)
                | Command::UsePastRun(_)
        );
        let other = other || matches!(command, Command::EventList(EventListCommand::ToBench));
        (edit || other).then(|| PayloadChange { payload: self.payload(), edit })
    }

    /// Pushes the previous payload to the undo stack. An unedited template is not kept, because it can be chosen
    /// again.
    pub(super) fn remember_payload(&mut self, before: Option<PayloadChange>) {
        let Some(before) = before else { return };
        let worth = before.edit || before.payload.edited || before.payload.refused.is_some();
        if !worth || before.payload.is_same(&self.payload()) {
            return;
        }
        self.payload_history.remember(before.payload);
        if before.edit {
            self.payload_history.future.clear();
        }
    }

    pub(super) fn undo_payload(&mut self) {
        let now = self.payload();
        match self.payload_history.past.pop() {
            Some((payload, _)) => {
                let bytes = now.bytes();
                self.payload_history.future.push((now, bytes));
                self.put_payload(payload);
            }
            None => self.say("the payload has no change to undo".to_owned()),
        }
    }

    pub(super) fn redo_payload(&mut self) {
        let now = self.payload();
        match self.payload_history.future.pop() {
            Some((payload, _)) => {
                self.payload_history.remember(now);
                self.put_payload(payload);
            }
            None => self.say("the payload has no change to redo".to_owned()),
        }
    }

    pub(super) fn payload(&self) -> BenchPayload {
        self.bench.payload.clone()
    }

    fn put_payload(&mut self, mut payload: BenchPayload) {
        let (event, input) = (payload.event, payload.input.take());
        let refused = payload.refused.as_ref().map(|refused| refused.reason.clone());
        self.bench.payload = payload;
        self.bench.templates = event.map(|event| self.templates(event)).unwrap_or_default();
        self.replace_input(input);
        self.effects.extend(refused.map(SessionEffect::PayloadRefused));
        self.replan();
    }
}

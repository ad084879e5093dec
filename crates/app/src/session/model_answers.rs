//! Answers of the user's model for hooks that only the agent's model could answer.

use super::job::Job;
use super::state::Session;
use super::update::SessionEffect;
use crate::firing::record::FiringId;
use crate::model::OwnModelAnswer;
use hookbench_core::run::{Launch, RunId};

impl Session {
    pub(super) fn ask_model(&mut self, id: FiringId, run: RunId, allowed: bool) -> Vec<Job> {
        let Some(record) = self.firing(id).filter(|record| record.settled) else { return Vec::new() };
        let Some(of) = record.run(run) else { return Vec::new() };
        let question = match &of.launch {
            Launch::ByHand(question) if question.is_for_model() => question.prompt.clone(),
            _ => {
                self.say("the agent asks no model for this hook".to_owned());
                return Vec::new();
            }
        };
        if self.model_call.is_some() {
            self.say("the model is already answering".to_owned());
            return Vec::new();
        }
        let limit = record.loaded.definition(&of.hook).and_then(|definition| definition.timeout);
        self.model_call = Some((id, run));
        vec![Job::AskModel { firing: id, run, prompt: question, limit, allowed }]
    }

    pub(super) fn take_model_reply(&mut self, id: FiringId, run: RunId, reply: OwnModelAnswer) -> Vec<Job> {
        if self.model_call != Some((id, run)) {
            return Vec::new();
        }
        self.model_call = None;
        match reply {
            OwnModelAnswer::Answered { by, text } => return self.answer(id, run, &text, Some(by)),
            OwnModelAnswer::Failed(why) => self.effects.push(SessionEffect::ModelFailed(why)),
        }
        Vec::new()
    }
}

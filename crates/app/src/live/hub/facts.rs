//! Distributes facts to listeners. Facts are numbered and the latest are kept; a slow listener never blocks the
//! sender.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::{broadcast, mpsc};

use crate::live::LiveFact;
use hookbench_core::text::escape_json_for_terminal;
use hookbench_system::server::StreamStart;

/// The number of facts that are kept for late listeners, and the number by which a listener may lag.
const REMEMBERED: usize = 1_000;
const BEHIND: usize = 4_096;
/// The number of facts that may wait to be written to one stream.
const STREAMED: usize = 64;

type NumberedFact = (u64, Arc<LiveFact>);

/// The sender of facts.
#[derive(Debug)]
pub struct FactBroadcast {
    listeners: broadcast::Sender<NumberedFact>,
    /// A channel to the frontend in this process only.
    private: mpsc::UnboundedSender<LiveFact>,
    remembered: VecDeque<NumberedFact>,
    last: u64,
}

/// The receiver of a frontend in this process.
#[derive(Debug)]
pub struct FactFeed {
    told: broadcast::Receiver<NumberedFact>,
    private: mpsc::UnboundedReceiver<LiveFact>,
}

impl FactFeed {
    /// Creates a feed with a single private source.
    pub fn with_single_source() -> (mpsc::UnboundedSender<LiveFact>, FactFeed) {
        let (_, told) = broadcast::channel(1);
        let (private, heard) = mpsc::unbounded_channel();
        (private, FactFeed { told, private: heard })
    }

    /// Waits for the next fact. Returns `None` after the last.
    pub async fn next(&mut self) -> Option<LiveFact> {
        tokio::select! {
            Some(fact) = self.private.recv() => Some(fact),
            Some(fact) = next_public(&mut self.told) => Some(fact),
            else => None,
        }
    }
}

/// Waits for the next public fact. Returns `None` after the last.
async fn next_public(told: &mut broadcast::Receiver<NumberedFact>) -> Option<LiveFact> {
    match told.recv().await {
        Ok((_, fact)) => Some(LiveFact::clone(&fact)),
        Err(broadcast::error::RecvError::Lagged(count)) => Some(LiveFact::Missed { count }),
        Err(broadcast::error::RecvError::Closed) => None,
    }
}

impl FactBroadcast {
    pub fn new() -> (FactBroadcast, FactFeed) {
        let (told, hears) = broadcast::channel(BEHIND);
        let (private, heard) = mpsc::unbounded_channel();
        let facts = FactBroadcast { listeners: told, private, remembered: VecDeque::new(), last: 0 };
        (facts, FactFeed { told: hears, private: heard })
    }

    /// Sends a fact to every listener.
    pub fn publish(&mut self, fact: LiveFact) {
        self.last += 1;
        let numbered = (self.last, Arc::new(fact));
        if self.remembered.len() == REMEMBERED {
            self.remembered.pop_front();
        }
        self.remembered.push_back(numbered.clone());
        // There may be no listener.
        let _ = self.listeners.send(numbered);
    }

    /// Sends a fact to the frontend in this process only.
    pub fn send_private(&self, fact: LiveFact) {
        let _ = self.private.send(fact);
    }

    /// A sender for private facts, for tasks that need time to find the answer.
    pub fn private_sender(&self) -> mpsc::UnboundedSender<LiveFact> {
        self.private.clone()
    }

    /// Opens a stream of later facts, preceded by the given ones, or by the kept ones after a number.
    pub fn stream(&self, since: StreamStart, given: &[LiveFact]) -> mpsc::Receiver<String> {
        let mut before: Vec<String> = given.iter().map(|fact| format_sse(None, fact)).collect();
        if let StreamStart::After(number) = since {
            let first = self.remembered.front().map_or(self.last + 1, |(first, _)| *first);
            if number + 1 < first {
                before.push(format_sse(None, &LiveFact::Missed { count: first - number - 1 }));
            }
            let after = self.remembered.iter().filter(|(other, _)| *other > number);
            before.extend(after.map(|(number, fact)| format_sse(Some(*number), fact)));
        }
        let (stream, news) = mpsc::channel(STREAMED);
        tokio::spawn(write_stream(before, self.listeners.subscribe(), stream));
        news
    }
}

async fn write_stream(before: Vec<String>, mut told: broadcast::Receiver<NumberedFact>, stream: mpsc::Sender<String>) {
    for text in before {
        if stream.send(text).await.is_err() {
            return;
        }
    }
    loop {
        let heard = tokio::select! {
            heard = told.recv() => heard,
            () = stream.closed() => return,
        };
        let text = match heard {
            Ok((number, fact)) => format_sse(Some(number), &fact),
            Err(broadcast::error::RecvError::Lagged(count)) => format_sse(None, &LiveFact::Missed { count }),
            Err(broadcast::error::RecvError::Closed) => return,
        };
        if stream.send(text).await.is_err() {
            return;
        }
    }
}

/// Formats one server-sent event: `id` (if any) and `data`.
fn format_sse(number: Option<u64>, fact: &LiveFact) -> String {
    let id = number.map(|number| format!("id: {number}\n")).unwrap_or_default();
    format!("{id}data: {}\n\n", escape_json_for_terminal(&serde_json::to_string(fact).unwrap_or_default()))
}

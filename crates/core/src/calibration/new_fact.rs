//! Facts about a program that hookbench does not know, and their words.

use serde::{Deserialize, Serialize};

use hookbench_base::text::{joined_with_and, pluralize};

/// The most facts that a headline names.
const LISTED: usize = 6;

/// The kind of a fact about a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    Event,
    PayloadKey,
    /// A key that every payload of the event had before.
    MissingKey,
    Tool,
    /// The name in payloads of a tool that the model called by another name.
    ToolName,
    /// A key that the program names where it says what answers may hold.
    AnswerKey,
    Variable,
    Limit,
}

impl FactKind {
    const ALL: [FactKind; 8] = [
        FactKind::Event,
        FactKind::PayloadKey,
        FactKind::MissingKey,
        FactKind::Tool,
        FactKind::ToolName,
        FactKind::AnswerKey,
        FactKind::Variable,
        FactKind::Limit,
    ];

    /// The word in documents, and the noun in sentences.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            FactKind::Event => ("event", "event"),
            FactKind::PayloadKey => ("payload_key", "key"),
            FactKind::MissingKey => ("missing_key", "missing key"),
            FactKind::Tool => ("tool", "tool"),
            FactKind::ToolName => ("tool_name", "tool name"),
            FactKind::AnswerKey => ("answer_key", "answer key"),
            FactKind::Variable => ("variable", "variable"),
            FactKind::Limit => ("limit", "limit"),
        }
    }

    /// The word in documents.
    pub fn word(self) -> &'static str {
        self.names().0
    }

    /// `1 key`, `2 keys`.
    pub(super) fn count(self, count: usize) -> String {
        pluralize(count, self.names().1)
    }
}

/// A fact about a program that hookbench does not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewFact {
    pub kind: FactKind,
    /// The name of the event, key, tool, variable or limit.
    pub name: String,
    /// The event whose payload or answer has the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The difference, if the name does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl NewFact {
    /// The fact in a few words: `event PreFoo`, `key bar of PreToolUse`.
    pub fn words(&self) -> String {
        let (name, event) = (&self.name, self.event.as_deref().unwrap_or_default());
        let fact = match self.kind {
            FactKind::PayloadKey => format!("key {name} of {event}"),
            FactKind::MissingKey => format!("no key {name} in {event}"),
            FactKind::ToolName => format!("name of tool {name}"),
            FactKind::AnswerKey => format!("answer key {name} of {event}"),
            FactKind::Limit => format!("limit of {name}"),
            FactKind::Event | FactKind::Tool | FactKind::Variable => format!("{} {name}", self.kind.word()),
        };
        self.detail.as_ref().map(|detail| format!("{fact} ({detail})")).unwrap_or(fact)
    }
}

/// The new facts in one sentence: `1 event and 2 tools are new to hookbench: event PreFoo, …`. `None` if there are none.
pub fn news_sentence(news: &[NewFact]) -> Option<String> {
    let count = |kind: FactKind| news.iter().filter(|fact| fact.kind == kind).count();
    let kinds = FactKind::ALL.into_iter().filter(|kind| count(*kind) > 0);
    let counts: Vec<String> = kinds.map(|kind| kind.count(count(kind))).collect();
    let mut names: Vec<String> = news.iter().take(LISTED).map(NewFact::words).collect();
    if news.len() > LISTED {
        names.push(format!("and {} more", news.len() - LISTED));
    }
    let verb = if news.len() == 1 { "is" } else { "are" };
    (!news.is_empty()).then(|| format!("{} {verb} new to hookbench: {}", joined_with_and(&counts), names.join(", ")))
}

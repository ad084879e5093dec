//! Fills an agent's answers into a script. `{{answers:KIND:VARIABLE}}` becomes an object that maps the name of each
//! agent's event to the answer that expresses the decision in that agent.

use serde_json::{Map, Value};

use super::catalogue::HookEffect;
use super::compose::RecipeError;
use crate::live::{Decision, DecisionKind, LiveAnswer, RawJson, expressible_decisions, hook_response, wire_event};
use crate::port::AgentVersion;
use crate::text::stringify;

/// The text that stands for the variable in an answer.
const PLACE: &str = "@VALUE@";
const OPENING: &str = "{{answers:";

/// The kind of decision that a script's answers express. `None` if it has none to fill in.
pub(super) fn answered_decision(script: &str) -> Option<DecisionKind> {
    let word = script.split(OPENING).nth(1)?.split(':').next()?;
    DecisionKind::from_word(word)
}

/// Whether an agent carries out a decision on an event that it has under this name.
pub(super) fn can_answer(agent: &AgentVersion, event: &str, kind: DecisionKind) -> bool {
    let format = agent.dialect.live_format();
    expressible_decisions(format, &wire_event(Some(format), event)).contains(&kind)
}

/// The answer of a hook on an event of this name, with [`PLACE`] for the variable.
pub(super) fn answer_on(agent: &AgentVersion, event: &str, kind: DecisionKind) -> Value {
    let format = agent.dialect.live_format();
    let reason = Some(PLACE.to_owned());
    let decision = match kind {
        DecisionKind::Ask => Decision::Ask { reason },
        DecisionKind::Modify => {
            let input = RawJson::parse(&stringify(&Value::from(PLACE)));
            input.map_or(Decision::Observe, |updated_input| Decision::Modify { updated_input, reason: None })
        }
        _ => Decision::Replace { content: PLACE.to_owned() },
    };
    let answer = LiveAnswer { decision, system_message: None, id: None, source: None };
    serde_json::from_str(&hook_response(format, &wire_event(Some(format), event), &answer).stdout)
        .unwrap_or(Value::Null)
}

/// The script with the answers of these agents, each with its name of the event.
///
/// # Errors
/// Returns an error if two agents need different answers under the same name of the event.
pub(super) fn fill_answers(script: &str, agents: &[(&AgentVersion, &str)]) -> Result<String, RecipeError> {
    let (Some((before, rest)), Some(kind)) = (script.split_once(OPENING), answered_decision(script)) else {
        return Ok(script.to_owned());
    };
    let Some((variable, after)) = rest.split_once(':').and_then(|(_, rest)| rest.split_once("}}")) else {
        return Ok(script.to_owned());
    };
    let answers = answers_by_event(agents, kind)?;
    let answers = stringify(&Value::Object(answers)).replace(&format!("\"{PLACE}\""), variable);
    Ok(format!("{before}{}{after}", spaced(&answers)))
}

/// The answers by the name of the event.
pub(super) fn answers_by_event(
    agents: &[(&AgentVersion, &str)],
    kind: DecisionKind,
) -> Result<Map<String, Value>, RecipeError> {
    let mut answers = Map::new();
    for (agent, event) in agents {
        let answer = answer_on(agent, event, kind);
        match answers.get(*event) {
            Some(other) if *other != answer => {
                return Err(RecipeError(format!(
                    "{} answers {event} differently than another of these agents; write one hook for each",
                    agent.dialect.name()
                )));
            }
            _ => drop(answers.insert((*event).to_owned(), answer)),
        }
    }
    Ok(answers)
}

/// JSON with a space after colons and commas, outside of texts.
fn spaced(json: &str) -> String {
    let (mut out, mut quoted, mut escaped) = (String::new(), false, false);
    for c in json.chars() {
        out.push(c);
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ':' | ',' if !quoted => out.push(' '),
            _ => {}
        }
    }
    out
}

/// The language of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Python,
    Bash,
    Node,
    /// One command in the settings, without a script.
    None,
}

impl Language {
    /// All of them, in the order of the help.
    pub const ALL: [Language; 4] = [Language::Python, Language::Bash, Language::Node, Language::None];

    /// The word in arguments.
    pub fn word(self) -> &'static str {
        match self {
            Language::Python => "python",
            Language::Bash => "bash",
            Language::Node => "node",
            Language::None => "none",
        }
    }

    pub(super) fn extension(self) -> &'static str {
        match self {
            Language::Python => "py",
            Language::Bash | Language::None => "sh",
            Language::Node => "mjs",
        }
    }

    pub(super) fn template(self) -> &'static str {
        match self {
            Language::Python => include_str!("../../../../assets/recipes/blank.py"),
            Language::Bash => include_str!("../../../../assets/recipes/blank.sh"),
            Language::Node => include_str!("../../../../assets/recipes/blank.mjs"),
            Language::None => "",
        }
    }
}

/// The answers from which a hook is written.
#[derive(Debug, Clone, PartialEq)]
pub struct BlankAnswers {
    /// The event, in any agent's name or in the agent-independent one.
    pub event: String,
    /// The catalogue rows of the tools.
    pub tools: Vec<String>,
    pub does: HookEffect,
    /// The regular expression that the hook looks for. `None` matches everything.
    pub pattern: Option<String>,
    /// The text for the model or the user, or the replacement of a change.
    pub text: Option<String>,
    /// The command that checks, formats or notifies.
    pub command: Option<String>,
    pub language: Language,
    /// A text on which the hook acts, and one on which it does not. They test the hook.
    pub caught: Option<String>,
    pub passes: Option<String>,
}

impl BlankAnswers {
    /// The name of the script: the effect, and the first words that it looks for or runs.
    pub fn script_name(&self) -> String {
        const LONGEST: usize = 24;
        let about = self.pattern.as_ref().or(self.command.as_ref()).or(self.text.as_ref());
        let text = format!("{} {}", self.does.word(), about.map_or("", String::as_str)).to_lowercase();
        let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.fold(String::new(), |name, word| match name.as_str() {
            "" => word.to_owned(),
            _ if name.len() + word.len() < LONGEST => format!("{name}-{word}"),
            _ => name,
        })
    }

    /// The text on which the hook acts: the given one, otherwise the pattern if it matches itself.
    pub fn caught_text(&self) -> Option<&str> {
        self.caught.as_deref().or(self.pattern.as_deref().filter(|pattern| is_plain_text(pattern)))
    }
}

/// Whether a pattern is a text that matches itself, so that it needs no example.
pub fn is_plain_text(pattern: &str) -> bool {
    !pattern.is_empty() && !pattern.contains(['\\', '^', '$', '.', '|', '?', '*', '+', '(', '[', '{'])
}

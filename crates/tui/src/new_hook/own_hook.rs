//! The form for a hook of the user's own: the event, the tool, the effect, what it looks for, and the language.

use crossterm::event::KeyCode;

use crate::popup::PopupResult;
use crate::widgets::InputLine;
use hookbench_core::catalogue::catalogue;
use hookbench_core::names::AgentId;
use hookbench_core::port::mapping;
use hookbench_core::recipe::{BlankAnswers, HookEffect, Language, is_plain_text};

/// A line of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnHookField {
    Event,
    Tool,
    Does,
    Pattern,
    /// A text that the pattern matches, if the pattern itself is none.
    Caught,
    Text,
    Run,
    Language,
    /// The settings that the hook goes to. The sheet has it, because recipes need it, too.
    Layer,
}

/// One event of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
struct EventChoice {
    /// The agent-independent name.
    canonical: String,
    /// In the agent's words.
    name: String,
    about: String,
    has_tool: bool,
}

/// The answers so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnHookForm {
    events: Vec<EventChoice>,
    /// The names of the agent's tools with their rows of the catalogue; first, every tool.
    tools: Vec<(String, Option<String>)>,
    event: usize,
    tool: usize,
    does: HookEffect,
    pattern: InputLine,
    caught: InputLine,
    text: InputLine,
    run: InputLine,
    language: Language,
    pub(super) field: OwnHookField,
}

impl OwnHookForm {
    /// The form for the events and tools of an agent: a guard before a tool runs, in Python.
    pub fn new(agent: AgentId) -> OwnHookForm {
        let events = mapping().rows.iter().filter_map(|row| {
            Some(EventChoice {
                canonical: row.canonical.to_owned(),
                name: row.events.get(agent.as_str())?.to_owned(),
                about: row.about.to_owned(),
                has_tool: row.has_tool(),
            })
        });
        let known = catalogue().agent(agent.as_str());
        let rows = catalogue().rows.iter().filter_map(|row| {
            let tool = known?.tool_for_row(row.canonical)?;
            Some((tool.id.to_owned(), Some(row.canonical.to_owned())))
        });
        OwnHookForm {
            events: events.collect(),
            tools: std::iter::once(("every tool".to_owned(), None)).chain(rows).collect(),
            event: 0,
            tool: 1,
            does: HookEffect::Refuse,
            pattern: InputLine::default(),
            caught: InputLine::default(),
            text: InputLine::default(),
            run: InputLine::default(),
            language: Language::Python,
            field: OwnHookField::Event,
        }
    }

    /// The lines that the chosen effect and event need, in order.
    pub(super) fn fields(&self) -> Vec<OwnHookField> {
        use OwnHookField::{Caught, Does, Event, Language, Layer, Pattern, Run, Text, Tool};
        let has_tool = self.events.get(self.event).is_some_and(|event| event.has_tool);
        let pattern = self.pattern.text();
        let of_effect: &[OwnHookField] = match self.does {
            HookEffect::Refuse | HookEffect::Ask | HookEffect::Change
                if !pattern.is_empty() && !is_plain_text(&pattern) =>
            {
                &[Pattern, Caught, Text]
            }
            HookEffect::Refuse | HookEffect::Ask | HookEffect::Change => &[Pattern, Text],
            HookEffect::Context => &[Text],
            _ => &[Run],
        };
        let lines = [Event].into_iter().chain(has_tool.then_some(Tool)).chain([Does]);
        lines.chain(of_effect.iter().copied()).chain([Language, Layer]).collect()
    }

    /// The label and the text of a line. `layer` is the text of the chosen layer.
    pub(super) fn line(&self, field: OwnHookField, layer: &str) -> (&'static str, String) {
        match field {
            OwnHookField::Event => {
                let event = self.events.get(self.event);
                ("when", event.map(|event| format!("{}, {}", event.name, event.about)).unwrap_or_default())
            }
            OwnHookField::Tool => ("tool", self.tools.get(self.tool).map(|(name, _)| name.clone()).unwrap_or_default()),
            OwnHookField::Does => ("does", self.does.about().to_owned()),
            OwnHookField::Pattern => ("pattern", self.pattern.text()),
            OwnHookField::Caught => ("example", self.caught.text()),
            OwnHookField::Text => ("text", self.text.text()),
            OwnHookField::Run => ("command", self.run.text()),
            OwnHookField::Language => ("script", language_name(self.language).to_owned()),
            OwnHookField::Layer => ("in", layer.to_owned()),
        }
    }

    /// What an empty line is for.
    pub(super) fn hint(&self, field: OwnHookField) -> &'static str {
        match (field, self.does) {
            (OwnHookField::Pattern, _) => "a regular expression that the input matches, such as rm -rf",
            (OwnHookField::Caught, _) => "a text that the pattern matches; it tests the hook",
            (OwnHookField::Text, HookEffect::Context) => "what the hook tells the model",
            (OwnHookField::Text, HookEffect::Change) => "the replacement",
            (OwnHookField::Text, _) => "the reason that the model and you read; can stay empty",
            (OwnHookField::Run, _) => "the command that runs, such as make test",
            _ => "",
        }
    }

    /// The text of a line that is typed.
    pub(super) fn input(&self, field: OwnHookField) -> Option<&InputLine> {
        match field {
            OwnHookField::Pattern => Some(&self.pattern),
            OwnHookField::Caught => Some(&self.caught),
            OwnHookField::Text => Some(&self.text),
            OwnHookField::Run => Some(&self.run),
            _ => None,
        }
    }

    fn input_mut(&mut self) -> Option<&mut InputLine> {
        match self.field {
            OwnHookField::Pattern => Some(&mut self.pattern),
            OwnHookField::Caught => Some(&mut self.caught),
            OwnHookField::Text => Some(&mut self.text),
            OwnHookField::Run => Some(&mut self.run),
            _ => None,
        }
    }

    /// Handles a key other than those of the whole sheet.
    pub fn key(&mut self, code: KeyCode, control: bool) -> PopupResult {
        let fields = self.fields();
        let at = fields.iter().position(|field| *field == self.field).unwrap_or(0);
        match code {
            KeyCode::Up => self.field = fields.get(at.saturating_sub(1)).copied().unwrap_or(self.field),
            KeyCode::Down => self.field = fields.get(at + 1).copied().unwrap_or(self.field),
            _ => match self.input_mut() {
                Some(line) if InputLine::knows(code, control) => drop(line.key(code, control)),
                None if code == KeyCode::Right => self.choose(1),
                None if code == KeyCode::Left => self.choose(-1),
                _ => return PopupResult::Unknown,
            },
        }
        PopupResult::Stay
    }

    /// Takes the next or the previous choice of the selected line.
    fn choose(&mut self, step: isize) {
        let moved = |at: usize, count: usize| {
            let count = isize::try_from(count.max(1)).unwrap_or(1);
            let at = isize::try_from(at).unwrap_or(0);
            usize::try_from((at + step).rem_euclid(count)).unwrap_or(0)
        };
        match self.field {
            OwnHookField::Event => self.event = moved(self.event, self.events.len()),
            OwnHookField::Tool => self.tool = moved(self.tool, self.tools.len()),
            OwnHookField::Does => {
                let at = HookEffect::ALL.iter().position(|effect| *effect == self.does).unwrap_or(0);
                self.does = HookEffect::ALL.get(moved(at, HookEffect::ALL.len())).copied().unwrap_or(self.does);
            }
            OwnHookField::Language => {
                let at = Language::ALL.iter().position(|language| *language == self.language).unwrap_or(0);
                self.language = Language::ALL.get(moved(at, Language::ALL.len())).copied().unwrap_or(self.language);
            }
            OwnHookField::Pattern
            | OwnHookField::Caught
            | OwnHookField::Text
            | OwnHookField::Run
            | OwnHookField::Layer => {}
        }
    }

    /// The answers for the recipe. Empty lines are not given.
    pub(super) fn answers(&self) -> BlankAnswers {
        let fields = self.fields();
        let typed = |field: OwnHookField, line: &InputLine| {
            Some(line.text()).filter(|text| fields.contains(&field) && !text.is_empty())
        };
        let tool = self.tools.get(self.tool).filter(|_| fields.contains(&OwnHookField::Tool));
        BlankAnswers {
            event: self.events.get(self.event).map(|event| event.canonical.clone()).unwrap_or_default(),
            tools: tool.and_then(|(_, row)| row.clone()).into_iter().collect(),
            does: self.does,
            pattern: typed(OwnHookField::Pattern, &self.pattern),
            text: typed(OwnHookField::Text, &self.text),
            command: typed(OwnHookField::Run, &self.run),
            language: self.language,
            caught: typed(OwnHookField::Caught, &self.caught),
            passes: None,
        }
    }
}

fn language_name(language: Language) -> &'static str {
    match language {
        Language::Python => "Python",
        Language::Bash => "Bash",
        Language::Node => "Node.js",
        Language::None => "one command in the settings, without a script",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_core::dialects;

    #[test]
    fn the_answers_are_those_of_the_lines_shown() {
        for dialect in dialects::ALL {
            let mut form = OwnHookForm::new(dialect.id());
            let mut press = |keys: &[KeyCode]| keys.iter().for_each(|key| drop(form.key(*key, false)));
            press(&[KeyCode::Down, KeyCode::Down, KeyCode::Down]);
            press(&"rm -rf".chars().map(KeyCode::Char).collect::<Vec<_>>());
            let answers = form.answers();
            assert_eq!((answers.event.as_str(), answers.does), ("pre_tool_use", HookEffect::Refuse));
            assert_eq!((answers.pattern.as_deref(), answers.tools.len()), (Some("rm -rf"), 1));
            // A formatter has a command and no pattern.
            form.field = OwnHookField::Does;
            while form.does != HookEffect::Format {
                form.key(KeyCode::Right, false);
            }
            assert_eq!((form.answers().pattern, form.fields().contains(&OwnHookField::Run)), (None, true));
        }
    }
}

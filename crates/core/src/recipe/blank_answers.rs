//! The answers from which a hook without a recipe is written.

use super::catalogue::HookEffect;

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

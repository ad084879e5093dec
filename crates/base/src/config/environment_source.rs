//! The source of the environment of hooks: hookbench's own process, a login shell, or a running agent.

/// The environment in which hooks run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EnvironmentSource {
    /// The environment of hookbench's own process.
    #[default]
    Shell,
    /// The environment that a login shell of the user creates.
    Login,
    /// The variables with which the agent last started a forwarding hook.
    Agent,
}

impl EnvironmentSource {
    pub const ALL: [EnvironmentSource; 3] =
        [EnvironmentSource::Shell, EnvironmentSource::Login, EnvironmentSource::Agent];

    /// The word in arguments and documents.
    pub fn word(self) -> &'static str {
        match self {
            EnvironmentSource::Shell => "shell",
            EnvironmentSource::Login => "login",
            EnvironmentSource::Agent => "agent",
        }
    }

    /// The source with this word.
    pub fn from_word(word: &str) -> Option<EnvironmentSource> {
        EnvironmentSource::ALL.into_iter().find(|source| source.word() == word)
    }

    /// The source after this one; the last is followed by the first.
    #[must_use]
    pub fn next(self) -> EnvironmentSource {
        match self {
            EnvironmentSource::Shell => EnvironmentSource::Login,
            EnvironmentSource::Login => EnvironmentSource::Agent,
            EnvironmentSource::Agent => EnvironmentSource::Shell,
        }
    }

    /// A description for people.
    pub fn description(self) -> &'static str {
        match self {
            EnvironmentSource::Shell => "your shell's PATH and variables",
            EnvironmentSource::Login => "the PATH and variables of a login shell",
            EnvironmentSource::Agent => "the PATH and variables with which the agent last started a forwarding hook",
        }
    }
}

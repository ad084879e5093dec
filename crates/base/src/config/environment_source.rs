//! The source of the environment of hooks: hookbench's own process, a login shell, or a running agent.

crate::words! {
    /// The environment in which hooks run.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum EnvironmentSource {
        /// The environment of hookbench's own process.
        #[default]
        Shell = "shell" | "your shell's PATH and variables",
        /// The environment that a login shell of the user creates.
        Login = "login" | "the PATH and variables of a login shell",
        /// The variables with which the agent last started a forwarding hook.
        Agent = "agent" | "the PATH and variables with which the agent last started a forwarding hook",
    }
    /// The word in arguments and documents.
    fn word;
    /// A description for people.
    fn description; const ALL; fn from_word;
}

impl EnvironmentSource {
    /// The source after this one; the last is followed by the first.
    #[must_use]
    pub fn next(self) -> EnvironmentSource {
        match self {
            EnvironmentSource::Shell => EnvironmentSource::Login,
            EnvironmentSource::Login => EnvironmentSource::Agent,
            EnvironmentSource::Agent => EnvironmentSource::Shell,
        }
    }
}

//! The files of a plugin (or extension) of an agent that brings hooks and a skill.

/// The plugin form of one agent. Paths are relative to the plugin's directory.
#[derive(Debug, Clone, Copy)]
pub struct PluginFormat {
    /// The manifest: a JSON object with name, version and description.
    pub manifest: &'static str,
    /// The file of the hooks, with the events below the key `hooks`.
    pub hooks: &'static str,
    /// The directory of skills.
    pub skills: &'static str,
    /// The file with [`PluginFormat::MARKETPLACE`].
    pub marketplace: Option<&'static str>,
    /// The command lines that load the plugin; `DIR` is its directory, and `BASE` the last part of that.
    pub load: &'static [&'static str],
    /// What the user must do before the agent runs the hooks, as a sentence.
    pub note: Option<&'static str>,
}

impl PluginFormat {
    /// A marketplace with this one plugin, in the plugin's own directory. Several agents read this form.
    pub const MARKETPLACE: &str = r#"{
  "name": "hookbench",
  "owner": { "name": "hookbench" },
  "plugins": [{ "name": "hookbench", "source": "./" }]
}
"#;
}

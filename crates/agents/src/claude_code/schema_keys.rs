//! The typed keys of a settings file, except hooks. Measured on 2.1.330: each key was set to values of every type.
//! For a key that is not listed, the agent accepts any value, or drops the value and keeps the file.

/// The type of a value.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    Any,
    Text,
    /// A non-empty string.
    Filled,
    Flag,
    Number {
        least: f64,
        most: f64,
    },
    /// A number above 0, up to 1.
    Share,
    /// A positive integer.
    Whole,
    OneOf(&'static [&'static str]),
    List(&'static Kind),
    /// A non-blank string, or a list of strings.
    FilledOrTexts,
    TextOrTexts,
    FlagOrTexts,
    /// The value of a plugin option.
    Option,
    FlagOrObject(&'static [Field]),
    /// An object with arbitrary keys.
    Record(&'static Kind),
    Object(&'static [Field]),
    /// An object whose `source` key selects its other keys.
    Source(&'static [(&'static str, &'static [Field])]),
    /// The type, or null.
    Maybe(&'static Kind),
}

/// A key and its type.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub key: &'static str,
    pub kind: Kind,
    pub required: bool,
}

const fn may(key: &'static str, kind: Kind) -> Field {
    Field { key, kind, required: false }
}

const fn must(key: &'static str, kind: Kind) -> Field {
    Field { key, kind, required: true }
}

const TEXTS: Kind = Kind::List(&Kind::Text);
const MAYBE_FLAG: Kind = Kind::Maybe(&Kind::Flag);
const NUMBER: Kind = Kind::Number { least: f64::NEG_INFINITY, most: f64::INFINITY };
const DISABLE: Kind = Kind::OneOf(&["disable"]);
const COMMAND: &[Field] = &[must("type", Kind::OneOf(&["command"])), must("command", Kind::Text)];

/// Every typed key, in the order of the settings documentation.
pub const KEYS: &[Field] = &[
    may("$schema", Kind::Text),
    may("advisorModel", Kind::Text),
    may("agent", Kind::Text),
    may("apiKeyHelper", Kind::Text),
    may("autoMemoryDirectory", Kind::Text),
    may("awsAuthRefresh", Kind::Text),
    may("awsCredentialExport", Kind::Text),
    may("claudeMd", Kind::Text),
    may("gcpAuthRefresh", Kind::Text),
    may("language", Kind::Text),
    may("minimumVersion", Kind::Text),
    may("model", Kind::Text),
    may("otelHeadersHelper", Kind::Text),
    may("outputStyle", Kind::Text),
    may("plansDirectory", Kind::Text),
    may("pluginTrustMessage", Kind::Text),
    may("prUrlTemplate", Kind::Text),
    may("processWrapper", Kind::Text),
    may("requiredMaximumVersion", Kind::Text),
    may("requiredMinimumVersion", Kind::Text),
    may("agentPushNotifEnabled", Kind::Flag),
    may("allowAllClaudeAiMcps", Kind::Flag),
    may("alwaysThinkingEnabled", Kind::Flag),
    may("autoCompactEnabled", Kind::Flag),
    may("autoDreamEnabled", Kind::Flag),
    may("autoMemoryEnabled", Kind::Flag),
    may("autoScrollEnabled", Kind::Flag),
    may("awaySummaryEnabled", Kind::Flag),
    may("axScreenReader", Kind::Flag),
    may("disableAllHooks", Kind::Flag),
    may("emojiCompletionEnabled", Kind::Flag),
    may("fastMode", Kind::Flag),
    may("fileCheckpointingEnabled", Kind::Flag),
    may("forceRemoteSettingsRefresh", Kind::Flag),
    may("includeCoAuthoredBy", Kind::Flag),
    may("includeGitInstructions", Kind::Flag),
    may("inputNeededNotifEnabled", Kind::Flag),
    may("prefersReducedMotion", Kind::Flag),
    may("promptSuggestionEnabled", Kind::Flag),
    may("respectGitignore", Kind::Flag),
    may("respondToBashCommands", Kind::Flag),
    may("showClearContextOnPlanAccept", Kind::Flag),
    may("showMessageTimestamps", Kind::Flag),
    may("showThinkingSummaries", Kind::Flag),
    may("showTurnDuration", Kind::Flag),
    may("spinnerTipsEnabled", Kind::Flag),
    may("switchModelsOnFlag", Kind::Flag),
    may("syntaxHighlightingDisabled", Kind::Flag),
    may("terminalProgressBarEnabled", Kind::Flag),
    may("terminalTitleFromRename", Kind::Flag),
    may("todoFeatureEnabled", Kind::Flag),
    may("verbose", Kind::Flag),
    may("voiceEnabled", Kind::Flag),
    may("wheelScrollAccelerationEnabled", Kind::Flag),
    may("workflowKeywordTriggerEnabled", Kind::Flag),
    may("wslInheritsWindowsSettings", Kind::Flag),
    may("allowManagedHooksOnly", MAYBE_FLAG),
    may("allowManagedMcpServersOnly", MAYBE_FLAG),
    may("allowManagedPermissionRulesOnly", MAYBE_FLAG),
    may("autoUploadSessions", MAYBE_FLAG),
    may("channelsEnabled", MAYBE_FLAG),
    may("disableAgentView", MAYBE_FLAG),
    may("disableArtifact", MAYBE_FLAG),
    may("disableBundledSkills", MAYBE_FLAG),
    may("disableClaudeAiConnectors", MAYBE_FLAG),
    may("disableCommandPluginSources", MAYBE_FLAG),
    may("disableRemoteControl", MAYBE_FLAG),
    may("disableSideloadFlags", MAYBE_FLAG),
    may("disableSkillShellExecution", MAYBE_FLAG),
    may("disableWorkflows", MAYBE_FLAG),
    may("enableAllProjectMcpServers", MAYBE_FLAG),
    may("enableArtifact", MAYBE_FLAG),
    may("enableWorkflows", MAYBE_FLAG),
    may("enforceAvailableModels", MAYBE_FLAG),
    may("fastModePerSessionOptIn", MAYBE_FLAG),
    may("isolatePeerMachines", MAYBE_FLAG),
    may("remoteControlAtStartup", MAYBE_FLAG),
    may("skipAutoPermissionPrompt", MAYBE_FLAG),
    may("skipDangerousModePermissionPrompt", MAYBE_FLAG),
    may("skipWebFetchPreflight", MAYBE_FLAG),
    may("skipWorkflowUsageWarning", MAYBE_FLAG),
    may("syncClaudeAiSkills", MAYBE_FLAG),
    may("useAutoModeDuringPlan", MAYBE_FLAG),
    may("disableAutoMode", Kind::Maybe(&DISABLE)),
    may("disableDeepLinkRegistration", Kind::Maybe(&DISABLE)),
    may("autoUpdatesChannel", Kind::OneOf(&["latest", "stable", "rc"])),
    may("defaultShell", Kind::OneOf(&["bash", "powershell"])),
    may("parentSettingsBehavior", Kind::OneOf(&["first-wins", "merge"])),
    may("tui", Kind::OneOf(&["default", "fullscreen"])),
    may("workflowSizeGuideline", Kind::OneOf(&["unrestricted", "small", "medium", "large"])),
    may("cleanupPeriodDays", Kind::Whole),
    may("skillListingMaxDescChars", Kind::Whole),
    may("skillListingBudgetFraction", Kind::Share),
    may("feedbackSurveyRate", Kind::Number { least: 0.0, most: 1.0 }),
    may("allowedHttpHookUrls", TEXTS),
    may("availableModels", TEXTS),
    may("claudeMdExcludes", TEXTS),
    may("companyAnnouncements", TEXTS),
    may("fallbackModel", TEXTS),
    may("httpHookAllowedEnvVars", TEXTS),
    may("pluginSuggestionMarketplaces", TEXTS),
    may("enabledMcpjsonServers", Kind::FilledOrTexts),
    may("disabledMcpjsonServers", Kind::FilledOrTexts),
    may("forceLoginOrgUUID", Kind::TextOrTexts),
    may("allowedChannelPlugins", Kind::List(&Kind::Object(CHANNEL_PLUGIN))),
    may("sshConfigs", Kind::List(&Kind::Object(SSH))),
    may("strictKnownMarketplaces", Kind::Maybe(&Kind::List(&Kind::Source(ALLOWED_SOURCES)))),
    may("blockedMarketplaces", Kind::Maybe(&Kind::List(&Kind::Source(BLOCKED_SOURCES)))),
    may("env", Kind::Record(&Kind::Any)),
    may("enabledPlugins", Kind::Record(&Kind::FlagOrTexts)),
    may("modelOverrides", Kind::Record(&Kind::Text)),
    may("pluginConfigs", Kind::Record(&Kind::Object(PLUGIN))),
    may("skillOverrides", Kind::Record(&Kind::OneOf(&["on", "name-only", "user-invocable-only", "off"]))),
    may("attribution", Kind::FlagOrObject(ATTRIBUTION)),
    may("autoMode", Kind::Object(AUTO_MODE)),
    may("fileSuggestion", Kind::Object(COMMAND)),
    may("permissions", Kind::Object(PERMISSIONS)),
    may("remote", Kind::Object(&[may("defaultEnvironmentId", Kind::Text)])),
    may("sandbox", Kind::Object(SANDBOX)),
    may("spinnerVerbs", Kind::Object(SPINNER)),
    may("statusLine", Kind::Object(STATUS_LINE)),
    may("voice", Kind::Object(VOICE)),
    may("worktree", Kind::Object(WORKTREE)),
];

const PERMISSIONS: &[Field] = &[
    // An invalid item invalidates only itself.
    may("allow", Kind::List(&Kind::Any)),
    may("deny", Kind::List(&Kind::Any)),
    may("ask", Kind::List(&Kind::Any)),
    may("additionalDirectories", TEXTS),
    may(
        "defaultMode",
        Kind::OneOf(&["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "manual", "plan"]),
    ),
    may("disableBypassPermissionsMode", DISABLE),
    may("disableAutoMode", DISABLE),
];

const ATTRIBUTION: &[Field] = &[may("commit", Kind::Text), may("pr", Kind::Text), may("sessionUrl", Kind::Flag)];

const AUTO_MODE: &[Field] = &[
    may("allow", TEXTS),
    may("soft_deny", TEXTS),
    may("hard_deny", TEXTS),
    may("environment", TEXTS),
    may("classifyAllShell", Kind::Flag),
];

const STATUS_LINE: &[Field] = &[
    must("type", Kind::OneOf(&["command"])),
    must("command", Kind::Text),
    may("padding", NUMBER),
    may("hideVimModeIndicator", Kind::Flag),
];

const SPINNER: &[Field] = &[must("mode", Kind::OneOf(&["append", "replace"])), must("verbs", TEXTS)];

const VOICE: &[Field] =
    &[may("enabled", Kind::Flag), may("mode", Kind::OneOf(&["hold", "tap"])), may("autoSubmit", Kind::Flag)];

const WORKTREE: &[Field] =
    &[may("sparsePaths", TEXTS), may("symlinkDirectories", TEXTS), may("baseRef", Kind::OneOf(&["fresh", "head"]))];

const CHANNEL_PLUGIN: &[Field] = &[must("plugin", Kind::Text), must("marketplace", Kind::Text)];

const SSH: &[Field] = &[
    must("id", Kind::Text),
    must("name", Kind::Text),
    must("sshHost", Kind::Text),
    may("sshPort", NUMBER),
    may("startDirectory", Kind::Text),
];

/// A kind of marketplace source, with its keys.
type Source = (&'static str, &'static [Field]);

const URL: Source = ("url", &[must("url", Kind::Text)]);
const GITHUB: Source = ("github", &[must("repo", Kind::Text), may("ref", Kind::Text), may("path", Kind::Text)]);
const GIT: Source = ("git", &[must("url", Kind::Text), may("ref", Kind::Text), may("path", Kind::Text)]);
const NPM: Source = ("npm", &[must("package", Kind::Text)]);
const FILE: Source = ("file", &[must("path", Kind::Text)]);
const DIRECTORY: Source = ("directory", &[must("path", Kind::Text)]);
const SKILLS: Source = ("skills-dir", &[]);
const HOSTS: Source = ("hostPattern", &[must("hostPattern", Kind::Text)]);
const PATHS: Source = ("pathPattern", &[must("pathPattern", Kind::Text)]);
const OWN: Source = ("settings", &[must("name", Kind::Text), must("plugins", Kind::List(&Kind::Any))]);
const ALLOWED_SOURCES: &[Source] = &[URL, GITHUB, GIT, NPM, FILE, DIRECTORY, SKILLS, HOSTS, PATHS, OWN];
const BLOCKED_SOURCES: &[Source] =
    &[("pluginDirectory", &[]), URL, GITHUB, GIT, NPM, FILE, DIRECTORY, SKILLS, HOSTS, PATHS, OWN];

const PLUGIN: &[Field] =
    &[may("options", Kind::Record(&Kind::Option)), may("mcpServers", Kind::Record(&Kind::Record(&Kind::Option)))];

const SANDBOX: &[Field] = &[
    may("enabled", Kind::Flag),
    may("failIfUnavailable", Kind::Flag),
    may("autoAllowBashIfSandboxed", Kind::Flag),
    may("allowUnsandboxedCommands", Kind::Flag),
    may("enableWeakerNestedSandbox", Kind::Flag),
    may("enableWeakerNetworkIsolation", Kind::Flag),
    may("allowAppleEvents", Kind::Flag),
    may("excludedCommands", TEXTS),
    may("ignoreViolations", Kind::Record(&TEXTS)),
    may("ripgrep", Kind::Object(&[must("command", Kind::Text), may("args", TEXTS)])),
    may("network", Kind::Object(NETWORK)),
    may("filesystem", Kind::Object(FILESYSTEM)),
    may("credentials", Kind::Object(CREDENTIALS)),
];

const NETWORK: &[Field] = &[
    may("allowedDomains", TEXTS),
    may("deniedDomains", TEXTS),
    may("allowUnixSockets", TEXTS),
    may("allowMachLookup", TEXTS),
    may("strictAllowlist", Kind::Flag),
    may("allowManagedDomainsOnly", Kind::Flag),
    may("allowAllUnixSockets", Kind::Flag),
    may("allowLocalBinding", Kind::Flag),
    may("httpProxyPort", NUMBER),
    may("socksProxyPort", NUMBER),
    may("tlsTerminate", Kind::Object(&[may("caCertPath", Kind::Filled), may("caKeyPath", Kind::Filled)])),
];

const FILESYSTEM: &[Field] = &[
    may("allowWrite", TEXTS),
    may("denyWrite", TEXTS),
    may("allowRead", TEXTS),
    may("denyRead", TEXTS),
    may("allowManagedReadPathsOnly", Kind::Flag),
    may("disabled", Kind::Flag),
];

const MODE: Kind = Kind::OneOf(&["deny", "mask"]);
const CREDENTIALS: &[Field] = &[
    may("files", Kind::List(&Kind::Object(&[must("path", Kind::Text), must("mode", MODE)]))),
    may("envVars", Kind::List(&Kind::Object(&[must("name", Kind::Text), must("mode", MODE)]))),
    may(
        "awsPairs",
        Kind::List(&Kind::Object(&[must("accessKeyIdVar", Kind::Text), must("secretAccessKeyVar", Kind::Text)])),
    ),
    may("allowPlaintextInject", Kind::Flag),
    may("sigv4", Kind::Object(&[])),
];

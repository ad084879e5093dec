//! The typed keys of a settings file, except hooks. Measured on 2.1.330: each key was set to values of every type.
//! For a key that is not listed, the agent accepts any value, or drops the value and keeps the file.

/// The type of a value.
#[derive(Debug, Clone, Copy)]
pub enum ValueType {
    Any,
    Text,
    /// A non-empty string.
    NonEmptyText,
    Flag,
    Number {
        least: f64,
        most: f64,
    },
    /// A number above 0, up to 1.
    Fraction,
    /// A positive integer.
    PositiveInteger,
    OneOf(&'static [&'static str]),
    List(&'static ValueType),
    /// A non-blank string, or a list of strings.
    NonBlankOrTexts,
    TextOrTexts,
    FlagOrTexts,
    /// The value of a plugin option.
    PluginOption,
    FlagOrObject(&'static [SettingsKey]),
    /// An object with arbitrary keys.
    Map(&'static ValueType),
    Object(&'static [SettingsKey]),
    /// An object whose `source` key selects its other keys.
    Source(&'static [(&'static str, &'static [SettingsKey])]),
    /// The type, or null.
    Nullable(&'static ValueType),
}

/// A key and its type.
#[derive(Debug, Clone, Copy)]
pub struct SettingsKey {
    pub key: &'static str,
    pub kind: ValueType,
    pub required: bool,
}

const fn optional(key: &'static str, kind: ValueType) -> SettingsKey {
    SettingsKey { key, kind, required: false }
}

const fn required(key: &'static str, kind: ValueType) -> SettingsKey {
    SettingsKey { key, kind, required: true }
}

const TEXTS: ValueType = ValueType::List(&ValueType::Text);
const NULLABLE_FLAG: ValueType = ValueType::Nullable(&ValueType::Flag);
const NUMBER: ValueType = ValueType::Number { least: f64::NEG_INFINITY, most: f64::INFINITY };
const DISABLE: ValueType = ValueType::OneOf(&["disable"]);
const COMMAND: &[SettingsKey] =
    &[required("type", ValueType::OneOf(&["command"])), required("command", ValueType::Text)];

/// Every typed key, in the order of the settings documentation.
pub const KEYS: &[SettingsKey] = &[
    optional("$schema", ValueType::Text),
    optional("advisorModel", ValueType::Text),
    optional("agent", ValueType::Text),
    optional("apiKeyHelper", ValueType::Text),
    optional("autoMemoryDirectory", ValueType::Text),
    optional("awsAuthRefresh", ValueType::Text),
    optional("awsCredentialExport", ValueType::Text),
    optional("claudeMd", ValueType::Text),
    optional("gcpAuthRefresh", ValueType::Text),
    optional("language", ValueType::Text),
    optional("minimumVersion", ValueType::Text),
    optional("model", ValueType::Text),
    optional("otelHeadersHelper", ValueType::Text),
    optional("outputStyle", ValueType::Text),
    optional("plansDirectory", ValueType::Text),
    optional("pluginTrustMessage", ValueType::Text),
    optional("prUrlTemplate", ValueType::Text),
    optional("processWrapper", ValueType::Text),
    optional("requiredMaximumVersion", ValueType::Text),
    optional("requiredMinimumVersion", ValueType::Text),
    optional("agentPushNotifEnabled", ValueType::Flag),
    optional("allowAllClaudeAiMcps", ValueType::Flag),
    optional("alwaysThinkingEnabled", ValueType::Flag),
    optional("autoCompactEnabled", ValueType::Flag),
    optional("autoDreamEnabled", ValueType::Flag),
    optional("autoMemoryEnabled", ValueType::Flag),
    optional("autoScrollEnabled", ValueType::Flag),
    optional("awaySummaryEnabled", ValueType::Flag),
    optional("axScreenReader", ValueType::Flag),
    optional("disableAllHooks", ValueType::Flag),
    optional("emojiCompletionEnabled", ValueType::Flag),
    optional("fastMode", ValueType::Flag),
    optional("fileCheckpointingEnabled", ValueType::Flag),
    optional("forceRemoteSettingsRefresh", ValueType::Flag),
    optional("includeCoAuthoredBy", ValueType::Flag),
    optional("includeGitInstructions", ValueType::Flag),
    optional("inputNeededNotifEnabled", ValueType::Flag),
    optional("prefersReducedMotion", ValueType::Flag),
    optional("promptSuggestionEnabled", ValueType::Flag),
    optional("respectGitignore", ValueType::Flag),
    optional("respondToBashCommands", ValueType::Flag),
    optional("showClearContextOnPlanAccept", ValueType::Flag),
    optional("showMessageTimestamps", ValueType::Flag),
    optional("showThinkingSummaries", ValueType::Flag),
    optional("showTurnDuration", ValueType::Flag),
    optional("spinnerTipsEnabled", ValueType::Flag),
    optional("switchModelsOnFlag", ValueType::Flag),
    optional("syntaxHighlightingDisabled", ValueType::Flag),
    optional("terminalProgressBarEnabled", ValueType::Flag),
    optional("terminalTitleFromRename", ValueType::Flag),
    optional("todoFeatureEnabled", ValueType::Flag),
    optional("verbose", ValueType::Flag),
    optional("voiceEnabled", ValueType::Flag),
    optional("wheelScrollAccelerationEnabled", ValueType::Flag),
    optional("workflowKeywordTriggerEnabled", ValueType::Flag),
    optional("wslInheritsWindowsSettings", ValueType::Flag),
    optional("allowManagedHooksOnly", NULLABLE_FLAG),
    optional("allowManagedMcpServersOnly", NULLABLE_FLAG),
    optional("allowManagedPermissionRulesOnly", NULLABLE_FLAG),
    optional("autoUploadSessions", NULLABLE_FLAG),
    optional("channelsEnabled", NULLABLE_FLAG),
    optional("disableAgentView", NULLABLE_FLAG),
    optional("disableArtifact", NULLABLE_FLAG),
    optional("disableBundledSkills", NULLABLE_FLAG),
    optional("disableClaudeAiConnectors", NULLABLE_FLAG),
    optional("disableCommandPluginSources", NULLABLE_FLAG),
    optional("disableRemoteControl", NULLABLE_FLAG),
    optional("disableSideloadFlags", NULLABLE_FLAG),
    optional("disableSkillShellExecution", NULLABLE_FLAG),
    optional("disableWorkflows", NULLABLE_FLAG),
    optional("enableAllProjectMcpServers", NULLABLE_FLAG),
    optional("enableArtifact", NULLABLE_FLAG),
    optional("enableWorkflows", NULLABLE_FLAG),
    optional("enforceAvailableModels", NULLABLE_FLAG),
    optional("fastModePerSessionOptIn", NULLABLE_FLAG),
    optional("isolatePeerMachines", NULLABLE_FLAG),
    optional("remoteControlAtStartup", NULLABLE_FLAG),
    optional("skipAutoPermissionPrompt", NULLABLE_FLAG),
    optional("skipDangerousModePermissionPrompt", NULLABLE_FLAG),
    optional("skipWebFetchPreflight", NULLABLE_FLAG),
    optional("skipWorkflowUsageWarning", NULLABLE_FLAG),
    optional("syncClaudeAiSkills", NULLABLE_FLAG),
    optional("useAutoModeDuringPlan", NULLABLE_FLAG),
    optional("disableAutoMode", ValueType::Nullable(&DISABLE)),
    optional("disableDeepLinkRegistration", ValueType::Nullable(&DISABLE)),
    optional("autoUpdatesChannel", ValueType::OneOf(&["latest", "stable", "rc"])),
    optional("defaultShell", ValueType::OneOf(&["bash", "powershell"])),
    optional("parentSettingsBehavior", ValueType::OneOf(&["first-wins", "merge"])),
    optional("tui", ValueType::OneOf(&["default", "fullscreen"])),
    optional("workflowSizeGuideline", ValueType::OneOf(&["unrestricted", "small", "medium", "large"])),
    optional("cleanupPeriodDays", ValueType::PositiveInteger),
    optional("skillListingMaxDescChars", ValueType::PositiveInteger),
    optional("skillListingBudgetFraction", ValueType::Fraction),
    optional("feedbackSurveyRate", ValueType::Number { least: 0.0, most: 1.0 }),
    optional("allowedHttpHookUrls", TEXTS),
    optional("availableModels", TEXTS),
    optional("claudeMdExcludes", TEXTS),
    optional("companyAnnouncements", TEXTS),
    optional("fallbackModel", TEXTS),
    optional("httpHookAllowedEnvVars", TEXTS),
    optional("pluginSuggestionMarketplaces", TEXTS),
    optional("enabledMcpjsonServers", ValueType::NonBlankOrTexts),
    optional("disabledMcpjsonServers", ValueType::NonBlankOrTexts),
    optional("forceLoginOrgUUID", ValueType::TextOrTexts),
    optional("allowedChannelPlugins", ValueType::List(&ValueType::Object(CHANNEL_PLUGIN))),
    optional("sshConfigs", ValueType::List(&ValueType::Object(SSH))),
    optional("strictKnownMarketplaces", ValueType::Nullable(&ValueType::List(&ValueType::Source(ALLOWED_SOURCES)))),
    optional("blockedMarketplaces", ValueType::Nullable(&ValueType::List(&ValueType::Source(BLOCKED_SOURCES)))),
    optional("env", ValueType::Map(&ValueType::Any)),
    optional("enabledPlugins", ValueType::Map(&ValueType::FlagOrTexts)),
    optional("modelOverrides", ValueType::Map(&ValueType::Text)),
    optional("pluginConfigs", ValueType::Map(&ValueType::Object(PLUGIN))),
    optional("skillOverrides", ValueType::Map(&ValueType::OneOf(&["on", "name-only", "user-invocable-only", "off"]))),
    optional("attribution", ValueType::FlagOrObject(ATTRIBUTION)),
    optional("autoMode", ValueType::Object(AUTO_MODE)),
    optional("fileSuggestion", ValueType::Object(COMMAND)),
    optional("permissions", ValueType::Object(PERMISSIONS)),
    optional("remote", ValueType::Object(&[optional("defaultEnvironmentId", ValueType::Text)])),
    optional("sandbox", ValueType::Object(SANDBOX)),
    optional("spinnerVerbs", ValueType::Object(SPINNER)),
    optional("statusLine", ValueType::Object(STATUS_LINE)),
    optional("voice", ValueType::Object(VOICE)),
    optional("worktree", ValueType::Object(WORKTREE)),
];

const PERMISSIONS: &[SettingsKey] = &[
    // An invalid item invalidates only itself.
    optional("allow", ValueType::List(&ValueType::Any)),
    optional("deny", ValueType::List(&ValueType::Any)),
    optional("ask", ValueType::List(&ValueType::Any)),
    optional("additionalDirectories", TEXTS),
    optional(
        "defaultMode",
        ValueType::OneOf(&["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "manual", "plan"]),
    ),
    optional("disableBypassPermissionsMode", DISABLE),
    optional("disableAutoMode", DISABLE),
];

const ATTRIBUTION: &[SettingsKey] =
    &[optional("commit", ValueType::Text), optional("pr", ValueType::Text), optional("sessionUrl", ValueType::Flag)];

const AUTO_MODE: &[SettingsKey] = &[
    optional("allow", TEXTS),
    optional("soft_deny", TEXTS),
    optional("hard_deny", TEXTS),
    optional("environment", TEXTS),
    optional("classifyAllShell", ValueType::Flag),
];

const STATUS_LINE: &[SettingsKey] = &[
    required("type", ValueType::OneOf(&["command"])),
    required("command", ValueType::Text),
    optional("padding", NUMBER),
    optional("hideVimModeIndicator", ValueType::Flag),
];

const SPINNER: &[SettingsKey] = &[required("mode", ValueType::OneOf(&["append", "replace"])), required("verbs", TEXTS)];

const VOICE: &[SettingsKey] = &[
    optional("enabled", ValueType::Flag),
    optional("mode", ValueType::OneOf(&["hold", "tap"])),
    optional("autoSubmit", ValueType::Flag),
];

const WORKTREE: &[SettingsKey] = &[
    optional("sparsePaths", TEXTS),
    optional("symlinkDirectories", TEXTS),
    optional("baseRef", ValueType::OneOf(&["fresh", "head"])),
];

const CHANNEL_PLUGIN: &[SettingsKey] = &[required("plugin", ValueType::Text), required("marketplace", ValueType::Text)];

const SSH: &[SettingsKey] = &[
    required("id", ValueType::Text),
    required("name", ValueType::Text),
    required("sshHost", ValueType::Text),
    optional("sshPort", NUMBER),
    optional("startDirectory", ValueType::Text),
];

/// A kind of marketplace source, with its keys.
type MarketplaceSource = (&'static str, &'static [SettingsKey]);

const URL: MarketplaceSource = ("url", &[required("url", ValueType::Text)]);
const GITHUB: MarketplaceSource = (
    "github",
    &[required("repo", ValueType::Text), optional("ref", ValueType::Text), optional("path", ValueType::Text)],
);
const GIT: MarketplaceSource =
    ("git", &[required("url", ValueType::Text), optional("ref", ValueType::Text), optional("path", ValueType::Text)]);
const NPM: MarketplaceSource = ("npm", &[required("package", ValueType::Text)]);
const FILE: MarketplaceSource = ("file", &[required("path", ValueType::Text)]);
const DIRECTORY: MarketplaceSource = ("directory", &[required("path", ValueType::Text)]);
const SKILLS: MarketplaceSource = ("skills-dir", &[]);
const HOSTS: MarketplaceSource = ("hostPattern", &[required("hostPattern", ValueType::Text)]);
const PATHS: MarketplaceSource = ("pathPattern", &[required("pathPattern", ValueType::Text)]);
const OWN: MarketplaceSource =
    ("settings", &[required("name", ValueType::Text), required("plugins", ValueType::List(&ValueType::Any))]);
const ALLOWED_SOURCES: &[MarketplaceSource] = &[URL, GITHUB, GIT, NPM, FILE, DIRECTORY, SKILLS, HOSTS, PATHS, OWN];
const BLOCKED_SOURCES: &[MarketplaceSource] =
    &[("pluginDirectory", &[]), URL, GITHUB, GIT, NPM, FILE, DIRECTORY, SKILLS, HOSTS, PATHS, OWN];

const PLUGIN: &[SettingsKey] = &[
    optional("options", ValueType::Map(&ValueType::PluginOption)),
    optional("mcpServers", ValueType::Map(&ValueType::Map(&ValueType::PluginOption))),
];

const SANDBOX: &[SettingsKey] = &[
    optional("enabled", ValueType::Flag),
    optional("failIfUnavailable", ValueType::Flag),
    optional("autoAllowBashIfSandboxed", ValueType::Flag),
    optional("allowUnsandboxedCommands", ValueType::Flag),
    optional("enableWeakerNestedSandbox", ValueType::Flag),
    optional("enableWeakerNetworkIsolation", ValueType::Flag),
    optional("allowAppleEvents", ValueType::Flag),
    optional("excludedCommands", TEXTS),
    optional("ignoreViolations", ValueType::Map(&TEXTS)),
    optional("ripgrep", ValueType::Object(&[required("command", ValueType::Text), optional("args", TEXTS)])),
    optional("network", ValueType::Object(NETWORK)),
    optional("filesystem", ValueType::Object(FILESYSTEM)),
    optional("credentials", ValueType::Object(CREDENTIALS)),
];

const NETWORK: &[SettingsKey] = &[
    optional("allowedDomains", TEXTS),
    optional("deniedDomains", TEXTS),
    optional("allowUnixSockets", TEXTS),
    optional("allowMachLookup", TEXTS),
    optional("strictAllowlist", ValueType::Flag),
    optional("allowManagedDomainsOnly", ValueType::Flag),
    optional("allowAllUnixSockets", ValueType::Flag),
    optional("allowLocalBinding", ValueType::Flag),
    optional("httpProxyPort", NUMBER),
    optional("socksProxyPort", NUMBER),
    optional(
        "tlsTerminate",
        ValueType::Object(&[
            optional("caCertPath", ValueType::NonEmptyText),
            optional("caKeyPath", ValueType::NonEmptyText),
        ]),
    ),
];

const FILESYSTEM: &[SettingsKey] = &[
    optional("allowWrite", TEXTS),
    optional("denyWrite", TEXTS),
    optional("allowRead", TEXTS),
    optional("denyRead", TEXTS),
    optional("allowManagedReadPathsOnly", ValueType::Flag),
    optional("disabled", ValueType::Flag),
];

const MODE: ValueType = ValueType::OneOf(&["deny", "mask"]);
const CREDENTIALS: &[SettingsKey] = &[
    optional(
        "files",
        ValueType::List(&ValueType::Object(&[required("path", ValueType::Text), required("mode", MODE)])),
    ),
    optional(
        "envVars",
        ValueType::List(&ValueType::Object(&[required("name", ValueType::Text), required("mode", MODE)])),
    ),
    optional(
        "awsPairs",
        ValueType::List(&ValueType::Object(&[
            required("accessKeyIdVar", ValueType::Text),
            required("secretAccessKeyVar", ValueType::Text),
        ])),
    ),
    optional("allowPlaintextInject", ValueType::Flag),
    optional("sigv4", ValueType::Object(&[])),
];

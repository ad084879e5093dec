//! The table of settings: how each is read, and its text in the documented file.

use std::time::Duration;

use toml_edit::Item;

use super::UserConfig;
use crate::clipboard::ClipboardChoice;
use crate::keymap::Keymap;
use crate::theme::ThemeChoice;
use hookbench_app::lint::LintLevel;

/// One setting.
pub struct ConfigSetting {
    pub name: &'static str,
    /// The default, as written in the file.
    default: &'static str,
    pub allowed: &'static str,
    /// The setting's description in the documented file.
    description: &'static str,
    /// Applies a value; returns `None` if it is not allowed.
    pub apply: fn(&mut UserConfig, &Item) -> Option<()>,
}

/// All top-level settings, in the order of the documented file.
pub const SETTINGS: &[ConfigSetting] = &[
    ConfigSetting {
        name: "theme",
        default: "\"auto\"",
        allowed: "\"auto\", \"dark\", \"light\", \"contrast\", \"catppuccin\", \"gruvbox\", \"tokyo-night\", \"solarized\", \
                \"solarized-light\", \"16\", \"mono\"",
        description: "The colours. auto: no colours under NO_COLOR or TERM=dumb; dark or light in a terminal with 24-bit\n\
                colour (as COLORFGBG says; dark if it is not set); otherwise the terminal's own sixteen.\n\
                16: the terminal's own sixteen. mono: no colours.",
        apply: |config, item| {
            config.theme = ThemeChoice::from_name(item.as_str()?)?;
            Some(())
        },
    },
    ConfigSetting {
        name: "mouse",
        default: "true",
        allowed: "true, false",
        description: "Clicks select, the wheel scrolls. While it is on, hold Shift to select text.",
        apply: |config, item| {
            config.mouse = item.as_bool()?;
            Some(())
        },
    },
    ConfigSetting {
        name: "motion",
        default: "true",
        allowed: "true, false",
        description: "A verdict that changes flashes once.",
        apply: |config, item| {
            config.motion = item.as_bool()?;
            Some(())
        },
    },
    ConfigSetting {
        name: "clipboard",
        default: "\"auto\"",
        allowed: "\"auto\", \"osc52\", \"command:…\", \"off\"",
        description: "How texts are copied. auto: over ssh, and where no tool is found, through the terminal (OSC 52), else with\n\
                wl-copy, xclip or pbcopy. command:… is a command line that takes the text on stdin.",
        apply: |config, item| {
            config.clipboard = ClipboardChoice::from_name(item.as_str()?)?;
            Some(())
        },
    },
    ConfigSetting {
        name: "editor",
        default: "\"\"",
        allowed: "a command line, such as \"code --wait\"",
        description: "The editor for payloads, scripts and settings. Empty: for files the editor whose terminal this is, else $VISUAL, $EDITOR or vi.",
        apply: |config, item| {
            let text = item.as_str()?.trim();
            config.editor = (!text.is_empty()).then(|| text.to_owned());
            Some(())
        },
    },
];

/// Name of the table for the file watcher.
pub const WATCH_TABLE: &str = "watch";

/// Settings of the file watcher.
pub const WATCH: &[ConfigSetting] = &[
    ConfigSetting {
        name: "enabled",
        default: "true",
        allowed: "true, false",
        description: "Settings and hooks are read again when they are saved. If false, only Ctrl+L reads them, and auto-fire stays off.",
        apply: |config, item| {
            config.watch.enabled = item.as_bool()?;
            Some(())
        },
    },
    ConfigSetting {
        name: "quiet_ms",
        default: "10",
        allowed: "0 to 5000",
        description: "Milliseconds without a change after which a save counts as complete. A file that is written in parts, or\n\
                many files at once, get at least 100.",
        apply: |config, item| {
            let ms = u64::try_from(item.as_integer()?).ok().filter(|ms| *ms <= 5000)?;
            config.watch.quiet = Duration::from_millis(ms);
            Some(())
        },
    },
    ConfigSetting {
        name: "ignore",
        default: "[]",
        allowed: "a list of patterns, such as [\"*.json\", \"hooks/cache/**\"]",
        description: "Files beside scripts whose changes are ignored: patterns as in .gitignore; with a slash, from the project's directory.",
        apply: |config, item| {
            let list = item.as_array()?.iter().map(|v| v.as_str().filter(|p| !p.is_empty()).map(str::to_owned));
            config.watch.ignore = list.collect::<Option<_>>()?;
            Some(())
        },
    },
];

/// Name of the table for the log of runs.
pub const LOG_TABLE: &str = "log";

/// Settings of the log of runs.
pub const LOG: &[ConfigSetting] = &[ConfigSetting {
    name: "runs",
    default: "false",
    allowed: "true, false",
    description: "Each event that you fire is kept with its runs: H shows them on later days, hookbench db list --filter ~fired\n\
            lists them. Runs are deleted after 30 days; [store] redact masks secrets in them.",
    apply: |config, item| {
        config.log_runs = item.as_bool()?;
        Some(())
    },
}];

/// Name of the table of keys.
pub const KEYS_TABLE: &str = "keys";

/// Name of the table for the severity of findings.
pub const LINT_TABLE: &str = "lint";

/// Tables whose settings have no single default.
const FORWARD: &str = "
# Time limits in milliseconds of hookbench forward, the hook that agents run: for its payload (stdin), for the first answer
# of the server (ack), and for a decision (hold). The defaults depend on the event, and are shorter than the time that the
# agent waits.
[forward]
# stdin_ms = 5000
# ack_ms = 1500
# hold_ms = 290000

# Guards: what hookbench guard does with a finding. shadow only records it, warn shows it, deny refuses. Each guard can have its
# own mode, all of its rules instead of the recommended ones, and modes for single rules. A [[guard.allow]] allows a finding.
[guard]
# mode = \"shadow\"
# [guard.malicious]
# mode = \"deny\"
# rules = \"all\"
# modes = { \"MB-R3\" = \"warn\" }
# [[guard.allow]]
# rule = \"MB-R2\"
# text = \"SKIP_TESTS\"
# project = \"/home/me/shop\"
# reason = \"the nightly job runs the tests\"

# With handlers.handoff: the shortest time in milliseconds between two summaries of a session that are made at the end of a turn.
[live]
# cooldown_stop_ms = 180000

# Stored events of running agents. With redact, values that look like a key, a token or a password are masked in the
# store, but not on the screen while the event is live. It can miss a secret.
[store]
# redact = false

# Breakpoints: events of running agents that wait for your decision, or get a fixed answer. The first breakpoint that
# matches applies. Only name is required. Further conditions: enabled, agent, session, path (src/**/*.rs). Actions: hold,
# observe, allow, deny, ask, halt (with reason), replace (with content), modify (with input, JSON), raw (with stdout,
# stderr, exit_code; only under --allow-raw). A held event that you do not decide in time gets on_timeout: pass, deny, ask.
# [[breakpoint]]
# name = \"pushes\"
# event = \"pre_tool_use\"
# tool = \"shell\"
# command = \"^git push\"
# action = \"hold\"
# on_timeout = \"pass\"

# A model that guards ask about events to which their rules do not object, and that can answer prompt hooks on the bench.
# hookbench sends nothing to it before you agree, once in each project. Without this table no model is asked.
# One of url and command is required: url is the base of an interface for Chat Completions (https, or http on this machine),
# command is a program that reads the prompt on stdin and prints the answer. name is required with url. The key is read from
# an environment variable, or is printed by a command that reads the key store of your system. guards lists the guards that
# ask. timeout_ms (1000 to 600000) includes all attempts (1 to 10), and is always less than the time limit of the hook.
# At most max_messages (100) and max_tokens (100000) of a session are sent, with secrets masked. json_schema asks the
# server for an answer that follows a schema. audit keeps prompts and answers in ~/.local/state/hookbench/model/audit.
[model]
# url = \"http://127.0.0.1:11434/v1\"
# command = [\"llm\", \"-m\", \"llama3.2\"]
# name = \"llama3.2\"
# key_variable = \"OPENAI_API_KEY\"
# key_command = [\"secret-tool\", \"lookup\", \"service\", \"hookbench\"]
# guards = [\"response\"]
# timeout_ms = 20000
# attempts = 3
# max_messages = 100
# max_tokens = 100000
# json_schema = true
# audit = false

# Automatic answers to events: an overview of the project when a session starts; a summary of the session for the agent
# after a compaction; an explanation on the screen when the model's servers fail.
[handlers]
# overview = false
# handoff = false
# stop_failure = false
";

/// The documented file with every default.
pub fn default_text() -> String {
    let mut text = String::from(
        "# The settings of hookbench, in $XDG_CONFIG_HOME/hookbench/config.toml, else ~/.config/hookbench/config.toml.\n\
         # Everything here is the default; keep only the lines that you change.\n",
    );
    describe(SETTINGS, &mut text);
    text.push_str(&format!("\n# How files are watched.\n[{WATCH_TABLE}]\n"));
    describe(WATCH, &mut text);
    text.push_str(&format!("\n# The log of your runs.\n[{LOG_TABLE}]\n"));
    describe(LOG, &mut text);
    text.push_str(FORWARD);
    text.push_str(&format!(
        "\n# The severity of findings of hookbench lint, by code or by the beginning of codes: {}.\n\
         # The longer match applies. The findings that a project allows are in its .hookbench.toml, each with a reason.\n\
         [{LINT_TABLE}]\n# HW306 = \"off\"\n# HW7 = \"info\"\n",
        LintLevel::WORDS
    ));
    text.push_str(&format!(
        "\n# The keys of every command. A letter is its own name; the other keys are: Enter, Esc, Tab, Shift+Tab, Space, Up, PgUp,\n\
         # Home, Ctrl+C. An empty list leaves a command without a key.\n[{KEYS_TABLE}]\n"
    ));
    for (binding, chords) in Keymap::default().rows() {
        let chords: Vec<String> =
            chords.iter().map(|c| format!("\"{}\"", c.replace('\\', "\\\\").replace('"', "\\\""))).collect();
        text.push_str(&format!("# {}\n{} = [{}]\n", binding.help, binding.name, chords.join(", ")));
    }
    text
}

fn describe(settings: &[ConfigSetting], text: &mut String) {
    for setting in settings {
        text.push('\n');
        for line in setting.description.lines() {
            text.push_str(&format!("# {line}\n"));
        }
        text.push_str(&format!("# Allowed: {}\n{} = {}\n", setting.allowed, setting.name, setting.default));
    }
}

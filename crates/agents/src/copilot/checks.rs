//! The checks after which the agent skips an entry or ignores a whole file (spec §2).

use super::layers::{HooksFile, HooksFileKind};
use super::spelling::{Spelling, main_spelling, pascal_event};
use super::{events, handlers};
use crate::kernel::settings::SchemaError;
use hookbench_base::config::Place;
use hookbench_base::diagnostic::Code;
use hookbench_base::hook::Handler;
use hookbench_base::text::{Node, Span};

/// The first words about an empty matcher.
pub const EMPTY_MATCHER: &str = "the matcher is empty";

/// The matcher of a handler: its own, or else that of its group, if it is a string.
pub fn matcher_of<'n>(group: Option<&'n Node>, hook: &'n Node) -> Option<&'n Node> {
    let of_group = || group?.get("matcher").filter(|matcher| matcher.as_str().is_some());
    hook.get("matcher").or_else(of_group)
}

/// Why an entry is skipped: the code, the place, the message and the help.
pub type EntryError = (Code, Span, String, &'static str);

/// Parses one handler of an event with its matcher, or explains why the agent skips it.
pub fn check_entry(
    event: &str,
    group: Option<&Node>,
    hook: &Node,
    place: &Place,
    is_strict: bool,
) -> Result<Handler, EntryError> {
    let handler = handlers::read(&hook.to_value(), place.os, is_strict)
        .map_err(|error| (error.code, hook.span, error.message, error.help))?;
    let main = main_spelling(event);
    if matches!(handler, Handler::Unknown(_)) && main != "SessionStart" {
        let message = format!("a prompt hook does not run on {event}");
        return Err((Code::HW106, hook.span, message, "write { \"type\": \"command\", \"command\": \"…\" }"));
    }
    if let Handler::Http(request) = &handler
        && matches!(main, "PreToolUse" | "PermissionRequest")
        && !may_decide(&request.url, place)
    {
        let message = format!("an http hook must use https on {event}");
        return Err((Code::HW105, hook.span, message, "write { \"type\": \"http\", \"url\": \"https://…\" }"));
    }
    let matcher = matcher_of(group, hook);
    if let Some(matcher) = matcher {
        let is_matched = events::by_name(event).is_some_and(|event| event.subject.is_some());
        match matcher.as_str() {
            None => {
                let message = format!("the matcher is {}, not a string", matcher.kind());
                return Err((Code::HW102, matcher.span, message, "write a string, or delete the key"));
            }
            Some("") if is_matched => {
                let message = format!("{EMPTY_MATCHER}, which matches nothing here");
                return Err((Code::HW102, matcher.span, message, "delete the matcher: then it matches everything"));
            }
            Some(_) => {}
        }
    }
    Ok(handler)
}

/// Whether the agent accepts decisions about tools from this address.
fn may_decide(url: &str, place: &Place) -> bool {
    let is_on = |name: &str| place.var(name) == Some("1");
    let host = url.split_once("://").map_or(url, |(_, rest)| rest).split(['/', ':']).next().unwrap_or("");
    url.starts_with("https://")
        || is_on("COPILOT_HOOK_ALLOW_HTTP_AUTH_HOOKS")
        || is_on("COPILOT_HOOK_ALLOW_LOCALHOST") && matches!(host, "localhost" | "127.0.0.1" | "[")
}

/// Returns why the agent ignores the whole file.
pub fn check_file(file: &HooksFile, root: &Node, place: &Place) -> Option<SchemaError> {
    let error = |code, span, message: String, help: &str| Some(SchemaError::new(code, span, message, help));
    if let Some(version) =
        root.get("version").filter(|version| file.kind == HooksFileKind::Hooks && version.as_f64() != Some(1.0))
    {
        return error(Code::HW104, version.span, "`version` is not 1".to_owned(), "write 1, or delete the key");
    }
    if let Some((value, message)) = first_wrong(file, root) {
        return error(Code::HW104, value.span, message, "write a value of this type, or delete the key");
    }
    let is_tolerant = file.is_of_project() && file.kind == HooksFileKind::Settings;
    if let Some(switch) = root.get("disableAllHooks").filter(|switch| switch.as_bool().is_none() && !is_tolerant) {
        return error(
            Code::HW104,
            switch.span,
            "`disableAllHooks` is not true or false".to_owned(),
            "write true or false",
        );
    }
    let Some(hooks) = root.get("hooks") else {
        let needs = file.kind == HooksFileKind::Hooks;
        return if needs {
            error(Code::HW104, root.span, "`hooks` is missing".to_owned(), "write { \"hooks\": { … } }")
        } else {
            None
        };
    };
    if hooks.members().is_none() {
        let message = format!("`hooks` is {}, not an object", hooks.kind());
        return error(Code::HW104, hooks.span, message, "write { \"preToolUse\": [ … ] }");
    }
    let members = hooks.effective_members();
    let is_list = |name: &str| members.iter().any(|event| event.key == name && event.value.items().is_some());
    for event in members.iter().filter(|event| events::by_name(&event.key).is_some()) {
        let Some(entries) = event.value.items() else {
            // The lists of PascalCase events are added to those of camelCase: only what is left must be a list.
            if Spelling::of(&event.key) == Spelling::Pascal
                || pascal_event(&event.key).is_some_and(|name| is_list(&name))
            {
                continue;
            }
            let message = format!("the value of {} is {}, not a list", event.key, event.value.kind());
            return error(Code::HW103, event.value.span, message, "write a list: [ { … } ]");
        };
        let mut inner = entries.iter().filter_map(|entry| entry.get("hooks").and_then(Node::items)).flatten();
        if let Some(deep) = inner.find_map(|hook| hook.member("hooks")) {
            let message = format!("a group of {} is inside another group", event.key);
            return error(Code::HW103, deep.key_span, message, "move the inner group into the list of the event");
        }
        if file.kind == HooksFileKind::Hooks {
            continue;
        }
        for entry in entries {
            let group = entry.get("hooks").filter(|hooks| hooks.items().is_some()).map(|_| entry);
            let hooks = entry.get("hooks").and_then(Node::items).unwrap_or_else(|| std::slice::from_ref(entry));
            for hook in hooks {
                if let Err((code, span, message, help)) = check_entry(&event.key, group, hook, place, true)
                    && !handlers::is_empty(&hook.to_value(), place.os)
                {
                    return error(code, span, message, help);
                }
            }
        }
    }
    None
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Type {
    Text,
    Flag,
    List,
    /// An object whose values are objects.
    Objects,
    /// An object whose values are true or false.
    Flags,
    /// An object whose value of `allow` is a list.
    Permissions,
}

impl Type {
    fn accepts(self, value: &Node) -> bool {
        match self {
            Type::Text => value.as_str().is_some(),
            Type::Flag => value.as_bool().is_some(),
            Type::List => value.items().is_some(),
            Type::Objects => value.members().is_some_and(|all| all.iter().all(|one| one.value.members().is_some())),
            Type::Permissions => {
                value.members().is_some() && value.get("allow").is_none_or(|rules| rules.items().is_some())
            }
            Type::Flags => value.members().is_some_and(|all| all.iter().all(|one| one.value.as_bool().is_some())),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Type::Text => "a string",
            Type::Flag => "true or false",
            Type::List => "a list",
            Type::Objects => "an object whose values are objects",
            Type::Flags => "an object whose values are true or false",
            Type::Permissions => "an object whose `allow` is a list",
        }
    }
}

/// Checked in every settings file, those of the other agent too.
const EVERYWHERE: [(&str, Type); 3] =
    [("enabledPlugins", Type::Flags), ("companyAnnouncements", Type::List), ("extraKnownMarketplaces", Type::Objects)];

/// Checked in the agent's own settings.
const OWN: [(&str, Type); 3] = [("model", Type::Text), ("deniedUrls", Type::List), ("includeCoAuthoredBy", Type::Flag)];

/// Checked in the user's settings only.
const USER: [(&str, Type); 11] = [
    ("permissions", Type::Permissions),
    ("allowedUrls", Type::List),
    ("banner", Type::Text),
    ("logLevel", Type::Text),
    ("streamerMode", Type::Flag),
    ("beep", Type::Flag),
    ("renderMarkdown", Type::Flag),
    ("screenReader", Type::Flag),
    ("stream", Type::Flag),
    ("autoUpdate", Type::Flag),
    ("experimental", Type::Flag),
];

/// Checked in the repository's settings only.
const REPOSITORY: [(&str, Type); 1] = [("effortLevel", Type::Text)];

/// The first setting of a wrong type: its value, and what is wrong.
pub fn first_wrong<'n>(file: &HooksFile, root: &'n Node) -> Option<(&'n Node, String)> {
    let tables: &[&[(&str, Type)]] = match (file.kind, file.is_of_project()) {
        (HooksFileKind::Hooks, _) => &[],
        (HooksFileKind::Foreign, _) => &[&EVERYWHERE],
        (HooksFileKind::Settings, true) => &[&EVERYWHERE, &OWN, &REPOSITORY],
        (HooksFileKind::Settings, false) => &[&EVERYWHERE, &OWN, &USER],
    };
    tables.iter().flat_map(|table| table.iter()).find_map(|(key, kind)| {
        let value = root.get(key).filter(|value| !kind.accepts(value))?;
        Some((value, format!("`{key}` is not {}", kind.name())))
    })
}

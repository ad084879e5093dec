//! The types of settings beside the hooks: a wrong one makes the agent ignore the whole file (observed on 1.0.102 with a
//! number or an object as the value).

use hookbench_base::text::Node;

use super::layers::{HooksFile, HooksFileKind};

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

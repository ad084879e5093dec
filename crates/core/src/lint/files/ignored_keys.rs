//! HW113: a key that the agent ignores although it would be expected to change the hook's behavior.

use std::sync::LazyLock;

use super::settings_tree::{SettingsTree, groups, handlers, remove_member};
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::dialects::settings_format::SettingsFormat;
use crate::dialects::{ALL, AgentContext, find_event};
use crate::text::edit::TextEdit;
use crate::text::{Member, Node, Span, nearest_within, quote_literal};

/// Keys for human readers.
const FOR_PEOPLE: [&str; 8] = ["name", "description", "statusMessage", "comment", "id", "title", "note", "label"];
/// Keys that no agent has but that users expect to work.
const EXPECTED: [&str; 26] = [
    "matcher",
    "enabled",
    "disabled",
    "sequential",
    "cwd",
    "blocking",
    "block",
    "continueOnError",
    "continue_on_error",
    "failOnError",
    "ignoreErrors",
    "allowFailure",
    "workingDirectory",
    "working_directory",
    "priority",
    "runOn",
    "run_in_background",
    "background",
    "onError",
    "retries",
    "condition",
    "conditions",
    "filter",
    "filePattern",
    "file_patterns",
    "tools",
];

/// Every key of a hook that some agent reads.
static KNOWN_KEYS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let forms = ALL.iter().flat_map(|dialect| dialect.settings_format().handlers);
    let keys = forms.flat_map(|form| form.required.iter().chain(form.optional)).copied();
    keys.chain(EXPECTED).filter(|key| !FOR_PEOPLE.contains(key)).collect()
});

/// Checks for keys of another agent, misplaced keys and misspelt keys.
pub(super) fn check(at: &AgentContext<'_>, trees: &[SettingsTree]) -> Vec<Diagnostic> {
    let form = at.dialect.settings_format();
    let mut found = Vec::new();
    for settings in trees {
        // A switch in the file of another agent is that agent's.
        if !settings.is_foreign {
            check_switches(at, &settings.root, &mut found);
        }
        for event in settings.events().iter().filter(|event| find_event(at.dialect, at.version, &event.key).is_some()) {
            for group in groups(&event.value) {
                if group.get("hooks").is_some() {
                    check_group(at, form, group, &mut found);
                    handlers(group).for_each(|handler| check_handler(at, form, handler, &mut found));
                } else if form.other_keys.is_empty() {
                    check_missing_list(at, group, &mut found);
                } else {
                    check_handler(at, form, group, &mut found);
                }
            }
        }
    }
    found
}

/// Checks for another spelling of `hooks` in a group, which the agent accepts as a group without hooks.
fn check_missing_list(at: &AgentContext<'_>, group: &Node, found: &mut Vec<Diagnostic>) {
    let inside =
        |span: Span| span.source == group.span.source && (group.span.start..group.span.end).contains(&span.start);
    if at.loaded.notes.iter().filter_map(|note| note.span).any(inside) {
        return;
    }
    let members = group.members().unwrap_or(&[]);
    let Some(member) = members.iter().find(|member| resembles(&member.key, "hooks")) else { return };
    let says = format!("`{}` is not `hooks`, so {} finds no hook in this group", member.key, at.dialect.name());
    found.push(with_renaming(Diagnostic::new(Code::HW113, says).at(member.key_span), member, "hooks"));
}

/// Checks for another spelling of a key that switches hooks on or off.
fn check_switches(at: &AgentContext<'_>, root: &Node, found: &mut Vec<Diagnostic>) {
    let is_key = |name: &&str| name.starts_with(|c: char| c.is_ascii_lowercase());
    let names: Vec<&str> = at.loaded.switches.iter().map(|switch| switch.name.as_str()).filter(is_key).collect();
    for path in &names {
        let (mut node, mut above) = (root, String::new());
        for key in path.split('.') {
            if let Some(inner) = node.get(key) {
                (node, above) = (inner, format!("{above}{key}."));
                continue;
            }
            let is_known = |other: &str| {
                names
                    .iter()
                    .any(|name| name.strip_prefix(&above).is_some_and(|rest| rest.split('.').next() == Some(other)))
            };
            let members = node.members().unwrap_or(&[]);
            let near = members.iter().find(|member| resembles(&member.key, key) && !is_known(&member.key));
            if let Some(member) = near.filter(|member| !found.iter().any(|one| one.span == Some(member.key_span))) {
                let says = format!("{} ignores `{}`: the key is called `{key}`", at.dialect.name(), member.key);
                found.push(with_renaming(Diagnostic::new(Code::HW113, says).at(member.key_span), member, key));
            }
            break;
        }
    }
}

/// Whether a key differs from a known one only in case, separators or one letter.
fn resembles(key: &str, known: &str) -> bool {
    let first = |text: &str| text.chars().next().map(|c| c.to_ascii_lowercase());
    key != known
        && (folded(key) == folded(known) || first(key) == first(known) && nearest_within(key, &[known], 1).is_some())
}

/// A key without case and separators.
fn folded(key: &str) -> String {
    key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

fn check_group(at: &AgentContext<'_>, form: &SettingsFormat, group: &Node, found: &mut Vec<Diagnostic>) {
    let known: Vec<&str> = ["matcher", "hooks"].into_iter().chain(form.group.iter().copied()).collect();
    let members = group.members().unwrap_or(&[]);
    for (index, member) in members.iter().enumerate() {
        let Some(wrong) = key_problem(member, &known) else { continue };
        let agent = at.dialect.name();
        let says = format!("{agent} ignores `{}` beside `hooks`, so it has no effect", member.key);
        let inside = form.handlers.iter().any(|form| {
            member.key == "timeout"
                || form.required.contains(&member.key.as_str())
                || form.optional.contains(&member.key.as_str())
        });
        let found_here = Diagnostic::new(Code::HW113, says).at(member.key_span);
        found.push(match wrong {
            KeyProblem::Misspelt(near) => with_renaming(found_here, member, near),
            KeyProblem::Misplaced if inside => found_here.with_help("move it into the hook, beside its `type`"),
            KeyProblem::Misplaced => with_removal(at, found_here, group, index),
        });
    }
}

fn check_handler(at: &AgentContext<'_>, form: &SettingsFormat, handler: &Node, found: &mut Vec<Diagnostic>) {
    let default = if form.other_keys.is_empty() { None } else { Some("command") };
    let kind = handler.get("type").map_or(default, Node::as_str);
    let Some(kind) = kind.and_then(|kind| form.handler(kind)) else { return };
    let known: Vec<&str> = ["type", "timeout"]
        .into_iter()
        .chain(kind.required.iter().chain(kind.optional).chain(form.other_keys).copied())
        .chain(FOR_PEOPLE)
        .collect();
    let members = handler.members().unwrap_or(&[]);
    for (index, member) in members.iter().enumerate() {
        let Some(wrong) = key_problem(member, &known) else { continue };
        let agent = at.dialect.name();
        let says = format!("{agent} ignores `{}` in a {} hook, so it has no effect", member.key, kind.kind);
        let found_here = Diagnostic::new(Code::HW113, says).at(member.key_span);
        let outside = member.key == "matcher" || form.group.contains(&member.key.as_str());
        found.push(match wrong {
            KeyProblem::Misspelt(near) => with_renaming(found_here, member, near),
            KeyProblem::Misplaced if outside => found_here.with_help("move it one level up, beside `hooks`"),
            KeyProblem::Misplaced if member.key == "args" && handler.get("command").is_some() => {
                with_joined_arguments(at, found_here, handler, index)
            }
            KeyProblem::Misplaced => with_removal(at, found_here, handler, index),
        });
    }
}

/// The problem with a key.
enum KeyProblem<'a> {
    /// It is probably a misspelling of this key.
    Misspelt(&'a str),
    /// It works in another place or in another agent.
    Misplaced,
}

fn key_problem<'a>(member: &Member, known: &[&'a str]) -> Option<KeyProblem<'a>> {
    let key = member.key.as_str();
    if known.contains(&key) || FOR_PEOPLE.contains(&key) {
        return None;
    }
    if KNOWN_KEYS.contains(&key) || key == "timeout" {
        return Some(KeyProblem::Misplaced);
    }
    if let Some(same) = known.iter().find(|one| folded(one) == folded(key) && !FOR_PEOPLE.contains(one)) {
        return Some(KeyProblem::Misspelt(same));
    }
    let timeout = known.contains(&"timeout") && key.to_ascii_lowercase().starts_with("timeout");
    let near = || {
        let first = |word: &&str| word.chars().next() == key.chars().next() && !FOR_PEOPLE.contains(word);
        let close: Vec<&'a str> = known.iter().copied().filter(first).collect();
        nearest_within(key, &close, if key.len() < 6 { 1 } else { 2 })
    };
    if timeout { Some(KeyProblem::Misspelt("timeout")) } else { near().map(KeyProblem::Misspelt) }
}

/// Keys that accept only certain words. With any other value, the agent ignores the whole file.
const WORDS: [&str; 3] = ["onFailure", "shell", "type"];

fn with_renaming(found: Diagnostic, member: &Member, near: &str) -> Diagnostic {
    if WORDS.contains(&near) {
        return found.with_help(format!("delete it; the key is called `{near}`, and it accepts only certain words"));
    }
    found.with_help(format!("did you mean `{near}`?")).with_fix(Fix::proposal(member.key_span, quote_literal(near)))
}

/// Adds the arguments to the command, quoted for a shell: without them, another program would run.
fn with_joined_arguments(at: &AgentContext<'_>, mut found: Diagnostic, handler: &Node, index: usize) -> Diagnostic {
    found.fix = joined_line(at, handler, index);
    found.with_help("write the arguments into `command`, after the program")
}

fn joined_line(at: &AgentContext<'_>, handler: &Node, index: usize) -> Option<Fix> {
    let command = handler.get("command")?;
    let args: Option<Vec<&str>> = handler.members()?.get(index)?.value.items()?.iter().map(Node::as_str).collect();
    let words = std::iter::once(command.as_str()?).chain(args?);
    let line = words.map(shell_word).collect::<Vec<_>>().join(" ");
    let removal = remove_member(at.sources, handler, index);
    let line = TextEdit::replace(command.span.start, command.span.end, quote_literal(&line));
    Some(Fix::new(false, removal.source, removal.edits.iter().cloned().chain([line])))
}

/// Quotes a word for a shell. Variables in it still expand.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%=:,~".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else if word.contains('$') && !word.contains(['"', '`', '\\']) {
        format!("\"{word}\"")
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn with_removal(at: &AgentContext<'_>, found: Diagnostic, object: &Node, index: usize) -> Diagnostic {
    let found = found.with_fix(remove_member(at.sources, object, index));
    found.with_help("delete it, and do its work in the script")
}

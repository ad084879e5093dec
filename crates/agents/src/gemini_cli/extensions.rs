//! Extensions: where they are installed, whether they are enabled, and where their hooks are (spec §1.8).

use serde_json::Value;

use super::formats::FORMATS;
use super::layers::user_dir;
use super::substitution::expand_extension;
use crate::kernel::settings::{refuse, report};
use crate::shared::dotenv::{DotenvVariable, parse_dotenv};
use crate::shared::gemini_fork::extensions::{ExtensionManifest, by_argument, last_rule, read_hooks};
use hookbench_base::config::{Files, LoadedConfig, LoadedVariable, Place, read_settings};
use hookbench_base::diagnostic::{Code, Diagnostic};
use hookbench_base::matcher::{EcmaPattern, TestResult};
use hookbench_base::text::{JsonSyntax, Node, Span, parse_json, to_js_string, truthy};

/// The setting that holds, for each extension, the place in a file of each variable.
pub const VARIABLES: &str = "extension variables";

/// One extension with a readable manifest.
#[derive(Debug, Clone)]
pub struct Extension {
    pub name: String,
    /// Why it is disabled, or `None` if it is enabled.
    pub disabled_reason: Option<String>,
    /// The map of events.
    pub hooks: Option<Node>,
    /// Stored values of its settings, which its command hooks receive as variables.
    pub env: Vec<(String, LoadedVariable)>,
}

/// Reads the extensions in `~/.gemini/extensions`, sorted by directory name. `settings` are the merged settings.
pub fn read(
    place: &Place,
    files: &dyn Files,
    settings: &Node,
    trusted: bool,
    loaded: &mut LoadedConfig,
) -> Vec<Extension> {
    let admin = settings.get("admin").and_then(|a| a.get("extensions")).and_then(|e| e.get("enabled"));
    if admin.and_then(Node::as_bool) == Some(false) {
        return Vec::new();
    }
    let root = format!("{}/extensions", user_dir(place));
    let rules = read_rules(place, files, &root, loaded);
    let mut out: Vec<Extension> = Vec::new();
    for directory in files.list(&root) {
        let dir = format!("{root}/{directory}");
        let reader = ExtensionReader { place, files, settings, trusted };
        let Some((extension, span)) = reader.extension(&dir, &rules, loaded) else { continue };
        if out.iter().any(|other| other.name == extension.name) {
            let says = format!("two extensions are called \"{}\"", extension.name);
            report(loaded, Code::HW105, span, format!("{says}: the agent does not start"), "delete one of them");
            refuse(loaded, says, Some(span));
            continue;
        }
        out.push(extension);
    }
    out
}

struct ExtensionReader<'a> {
    place: &'a Place,
    files: &'a dyn Files,
    settings: &'a Node,
    trusted: bool,
}

impl ExtensionReader<'_> {
    fn extension(
        &self,
        dir: &str,
        rules: &[(String, Vec<String>)],
        loaded: &mut LoadedConfig,
    ) -> Option<(Extension, Span)> {
        let install = self.read_json(&format!("{dir}/.gemini-extension-install.json"));
        let dir = match install.get("type").and_then(Value::as_str) {
            Some("link") => {
                let source = install.get("source").and_then(Value::as_str).unwrap_or("");
                self.place.absolute(&self.place.project, source)
            }
            _ => dir.to_owned(),
        };
        let manifest = ExtensionManifest::read(self.place, self.files, format!("{dir}/gemini-extension.json"), loaded)?;
        let valid = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let set = |key: &str| manifest.root.get(key).map(Node::to_value).filter(truthy).map(|v| to_js_string(&v));
        let (Some(name), Some(_)) = (set("name").filter(|n| valid(n)), set("version")) else {
            manifest.skip("the manifest has no valid `name` or `version`", loaded);
            return None;
        };
        let by_rules = || self.disabled_reason(&name, rules);
        let decided = by_argument(&FORMATS.given(self.place), &name).unwrap_or_else(by_rules);
        let off = self.forbidden_reason(&install).or(decided);
        manifest.record(&name, off.as_ref(), loaded);
        let stored = self.stored_settings(&name);
        let hooks = self.hooks(&dir, &name, &stored, loaded);
        let declared = manifest.root.get("settings").and_then(Node::items).unwrap_or(&[]);
        let variables = declared.iter().filter_map(|s| s.get("envVar").and_then(Node::as_str));
        let env = variables.filter_map(|name| stored.iter().rev().find(|(known, _)| known == name).cloned());
        let env = env.collect();
        Some((Extension { name, disabled_reason: off, hooks, env }, manifest.root.span))
    }

    fn read_json(&self, path: &str) -> Value {
        let bytes = self.files.read(path).ok();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Returns why the settings forbid an extension.
    fn forbidden_reason(&self, install: &Value) -> Option<String> {
        let security = self.settings.get("security");
        let source = install.get("source").and_then(Value::as_str).unwrap_or("");
        let allowed = security.and_then(|s| s.get("allowedExtensions")).and_then(Node::items).unwrap_or(&[]);
        if !allowed.is_empty() {
            let real = self.files.canonical(source).unwrap_or_else(|| source.to_owned());
            let hit = |node: &Node| {
                let pattern = node.as_str().and_then(|text| EcmaPattern::new(text).ok());
                pattern.is_some_and(|pattern| pattern.test(&real) == TestResult::Yes)
            };
            let listed = allowed.iter().any(hit);
            return (!listed).then(|| "its source is not in security.allowedExtensions".to_owned());
        }
        let blocked = security.and_then(|s| s.get("blockGitExtensions")).is_some_and(|b| truthy(&b.to_value()));
        let remote = matches!(install.get("type").and_then(Value::as_str), Some("git" | "github-release"));
        (blocked && remote).then(|| "security.blockGitExtensions is set, and the extension comes from git".to_owned())
    }

    fn disabled_reason(&self, name: &str, rules: &[(String, Vec<String>)]) -> Option<String> {
        let (_, rules) = rules.iter().find(|(other, _)| other == name)?;
        let directory = format!("{}/", self.place.project.trim_end_matches('/'));
        let (on, rule) = last_rule(rules.iter().map(String::as_str), |path| matches_directory(path, &directory))?;
        (!on).then(|| format!("switched off by the rule \"{rule}\" in extension-enablement.json"))
    }

    /// Returns the stored values of the extension's settings: the user's, overridden by the project's if it is
    /// trusted. Values in the system's keyring are not read.
    fn stored_settings(&self, name: &str) -> Vec<(String, LoadedVariable)> {
        let user = format!("{}/extensions/{name}/.env", user_dir(self.place));
        let project = format!("{}/.env", self.place.project);
        let mut out: Vec<(String, LoadedVariable)> = Vec::new();
        for path in [Some(user), self.trusted.then_some(project)].into_iter().flatten() {
            if let Ok(bytes) = self.files.read(&path) {
                let file = self.place.display_path(&path);
                let found = |one: DotenvVariable| {
                    let variable =
                        LoadedVariable { value: one.value, file: file.clone(), line: Some(one.line), span: None };
                    (one.name, variable)
                };
                out.extend(parse_dotenv(&String::from_utf8_lossy(&bytes)).into_iter().map(found));
            }
        }
        out
    }

    /// Returns the map of events in `hooks/hooks.json`. The agent ignores `hooks` in the manifest.
    fn hooks(
        &self,
        dir: &str,
        name: &str,
        stored: &[(String, LoadedVariable)],
        loaded: &mut LoadedConfig,
    ) -> Option<Node> {
        let path = format!("{dir}/hooks/hooks.json");
        let mut known = vec![
            ("extensionPath".to_owned(), dir.to_owned()),
            ("workspacePath".to_owned(), self.place.project.clone()),
        ];
        known.extend(stored.iter().map(|(name, one)| (name.clone(), one.value.clone())));
        known.extend([("/".to_owned(), "/".to_owned()), ("pathSeparator".to_owned(), "/".to_owned())]);
        read_hooks(self.place, self.files, path, name, loaded, |root, lost| {
            let Some(mut hooks) = root.get("hooks").filter(|hooks| hooks.members().is_some()).cloned() else {
                let note = Diagnostic::new(Code::HW104, format!("`hooks` is not an object here: {lost}")).at(root.span);
                return Err(Box::new(note.with_help("write { \"hooks\": { \"BeforeTool\": [ … ] } }")));
            };
            hooks.map_strings(&mut |text| expand_extension(text, &known));
            Ok(hooks)
        })
    }
}

/// Returns the rules of `extension-enablement.json` for each extension, in file order. A malformed file counts as
/// empty.
fn read_rules(place: &Place, files: &dyn Files, root: &str, loaded: &mut LoadedConfig) -> Vec<(String, Vec<String>)> {
    let path = format!("{root}/extension-enablement.json");
    let Ok(bytes) = read_settings(files, &path) else { return Vec::new() };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let source = loaded.add_source(place, &path, &text);
    let entry = |value: &Node| -> Option<Vec<String>> {
        let rules = value.get("overrides")?.items()?;
        rules.iter().map(|rule| rule.as_str().map(str::to_owned)).collect()
    };
    let root = parse_json(source, &text, JsonSyntax::default());
    let span = root.as_ref().map_or_else(|e| Span::new(source, e.at, e.at), |root| root.span);
    let rules: Option<Vec<(String, Vec<String>)>> =
        root.ok().filter(|root| root.members().is_some()).and_then(|root| {
            root.effective_members().into_iter().map(|m| Some((m.key.clone(), entry(&m.value)?))).collect()
        });
    rules.unwrap_or_else(|| {
        let says = "the file does not have the form { \"name\": { \"overrides\": [ … ] } }, so every extension is on";
        loaded.notes.push(Diagnostic::new(Code::HW101, says).at(span).with_help("fix the file"));
        Vec::new()
    })
}

/// Returns whether a pattern matches the whole directory: `*`, or `/*`, matches anything or nothing; all other
/// characters are literal.
fn matches_directory(pattern: &str, directory: &str) -> bool {
    let mut text = String::from("^");
    let mut rest = pattern;
    while let Some(at) = rest.find('*') {
        let before = rest.get(..at).unwrap_or("");
        let plain = before.strip_suffix('/').unwrap_or(before);
        text.push_str(&regex::escape(plain));
        text.push_str(if plain.len() < before.len() { "(/.*)?" } else { "(.*)?" });
        rest = rest.get(at + 1..).unwrap_or("");
    }
    text.push_str(&regex::escape(rest));
    text.push('$');
    regex::Regex::new(&text).is_ok_and(|regex| regex.is_match(directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_switch_in_file_order() {
        for (rules, want) in [
            (vec![], None),
            (vec!["!/w/*"], Some(false)),
            (vec!["!/w/*", "/w/a/*"], Some(true)),
            (vec!["/w/a/*", "!/w/*"], Some(false)),
            (vec!["!/w/a"], None),
            (vec!["!/w/a/"], Some(false)),
            (vec!["!/w/a/*"], Some(false)),
            (vec!["!/w/a*"], Some(false)),
            (vec!["!/*"], Some(false)),
            (vec!["!/W/*"], None),
            (vec!["!*a/"], Some(false)),
            (vec!["!/*a/"], Some(false)),
            (vec!["!/w.a/"], None),
        ] {
            let rules: Vec<String> = rules.into_iter().map(str::to_owned).collect();
            assert_eq!(
                last_rule(rules.iter().map(String::as_str), |path| matches_directory(path, "/w/a/")).map(|(on, _)| on),
                want,
                "{rules:?}"
            );
        }
    }
}

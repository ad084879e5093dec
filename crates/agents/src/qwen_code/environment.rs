//! The variables that the agent reads from `.env` files and from `env` of its settings into its own process, whose hooks
//! inherit them (read in the program of 0.24.4, and measured on it).

use serde_json::Value;

use super::layers::{NAMES, user_dir};
use super::substitution::is_secret;
use super::trust;
use crate::shared::dotenv::{parse_dotenv, read_dotenv};
use crate::shared::gemini_fork::layers::{SettingsFile, Trust};
use hookbench_base::config::{Files, LoadedConfig, LoadedVariable, Place};
use hookbench_base::text::{Node, to_js_string};

/// Variables that a `.env` file outside the agent's directories does not set, unless settings have another list.
const EXCLUDED: [&str; 2] = ["DEBUG", "DEBUG_MODE"];
/// Variables that neither a project's `.env` file nor `env` of settings sets, in lower case.
const NOT_IN_PROJECTS: &str = "browser curl_ca_bundle curl_home dev editor git_askpass git_config_count git_config_global \
    git_config_parameters git_config_system git_editor git_exec_path git_external_diff git_proxy_command \
    git_sequence_editor git_ssh git_ssh_command git_ssl_cainfo git_ssl_capath git_template_dir lessclose \
    lessopen node_extra_ca_certs node_gyp_force_python node_tls_reject_unauthorized npm_config_ca \
    npm_config_cafile npm_config_git npm_config_python npm_config_strict-ssl npm_config_strict_ssl \
    qwen_code_private_conversations_runtime pip_cert pip_config_file python pythonstartup \
    qwen_agent_execution_backend qwen_cdp_mcp_command qwen_cli_entry \
    qwen_code_acp_repeated_tool_failure_guard qwen_code_desktop qwen_code_disable_workflows \
    qwen_code_enable_workflows qwen_code_mcp_approvals_path qwen_code_memory_project_scope \
    qwen_code_private_relaunch_env_provenance qwen_code_serve qwen_code_settings_corrupted_path \
    qwen_code_settings_was_recovered qwen_code_system_defaults_path qwen_code_system_settings_path \
    qwen_code_trusted_folders_path qwen_code_warnings_file qwen_code_workflow_name_only qwen_home \
    qwen_review_automatic qwen_review_prebuild qwen_runtime_dir qwen_sandbox qwen_sandbox_image \
    qwen_sandbox_net qwen_sandbox_proxy_command qwen_serve_cdp_tunnel_over_ws qwen_serve_max_workspaces \
    qwen_serve_new_file_mode qwen_serve_session_attachments_root qwen_tls_insecure qwen_update_base_url \
    requests_ca_bundle sandbox sandbox_enforcement ssh_askpass ssl_cert_dir ssl_cert_file temp tmp \
    tmpdir visual wgetrc xdg_cache_home xdg_config_home";
/// Variables that no file sets, in lower case with hyphens: they load code.
const NEVER: &str = "bash-env dyld-insert-libraries ld-audit ld-preload node-options node-path node-repl-external-module \
    npm-config-globalconfig npm-config-init-module npm-config-node-gyp npm-config-node-options \
    npm-config-prefix npm-config-script-shell npm-config-userconfig openssl-conf zdotdir";
/// Variables that the agent sets for itself.
const PRIVATE: [&str; 4] = [
    "qwen_code_private_conversations_runtime",
    "qwen_code_private_relaunch_env_provenance",
    "sandbox",
    "sandbox_enforcement",
];
/// Variables that `env` of settings does not set besides, in lower case.
const NOT_IN_SETTINGS: [&str; 6] = ["qwen_server_token", "ld_library_path", "dyld_library_path", "env", "path", "home"];

/// The variable that tells the agent not to start itself a second time. It does so once, with this variable.
pub const STARTED_AGAIN: &str = "QWEN_CODE_NO_RELAUNCH";

/// Adds the variables of `.env` files and of settings. A variable that is set in the agent's own environment, and not empty,
/// wins; then the first file does.
pub fn read(
    place: &Place,
    files: &dyn Files,
    settings: &[SettingsFile],
    merged: &Value,
    trusted: bool,
    loaded: &mut LoadedConfig,
) {
    let excluded = excluded(settings);
    for file in find_files(place, files, merged, trusted) {
        let Some(bytes) = read_dotenv(place, files, &file.path, loaded) else { continue };
        for variable in parse_dotenv(&String::from_utf8_lossy(&bytes)) {
            let name = variable.name.to_lowercase();
            let refused = is_never_set(&name)
                || PRIVATE.contains(&name.as_str())
                || !file.of_user && is_not_in_projects(&name)
                || !file.of_agent && excluded.contains(&variable.name);
            if !refused {
                let shown = place.display_path(&file.path);
                add(place, loaded, &variable.name, variable.value, shown, variable.line);
            }
        }
    }
    let Some(env) = merged.get("env").and_then(Value::as_object) else { return };
    for (key, value) in env {
        let name = key.to_lowercase();
        let refused = is_never_set(&name) || NOT_IN_SETTINGS.contains(&name.as_str()) || is_not_in_projects(&name);
        if let (false, Some(value)) = (refused, value.as_str()) {
            let setter = settings.iter().rev().find_map(|one| Some((one, one.root.get("env")?.member(key)?)));
            if let Some((file, member)) = setter {
                let line = loaded.sources.start(member.key_span).line;
                add(place, loaded, key, value.to_owned(), place.display_path(&file.path), line);
            }
        }
    }
}

/// Adds a variable unless it is set, which an empty one is not.
fn add(place: &Place, loaded: &mut LoadedConfig, name: &str, value: String, file: String, line: u32) {
    let given = place.var(name).is_some_and(|value| !value.is_empty());
    let known = loaded.variables.get(name).is_some_and(|known| !known.value.is_empty());
    if !given && !known && !is_secret(name) {
        let found = LoadedVariable { value, file, line: Some(line), span: None };
        loaded.variables.insert(name.to_owned(), found);
    }
}

struct DotenvFile {
    path: String,
    /// In the home directory, or in the agent's directory there.
    of_user: bool,
    /// In a directory of the agent, or of the user.
    of_agent: bool,
}

/// Finds the first file in the project or above it, below the home directory, and then those of the user.
fn find_files(place: &Place, files: &dyn Files, merged: &Value, trusted: bool) -> Vec<DotenvFile> {
    let mut users: Vec<String> = Vec::new();
    for path in [user_dir(place), format!("{}/.qwen", place.home), place.home.clone()] {
        let path = format!("{path}/.env");
        if !users.contains(&path) {
            users.push(path);
        }
    }
    let mut found: Vec<DotenvFile> = Vec::new();
    let mut directory = place.project.trim_end_matches('/');
    while directory != place.home {
        let mut candidates = [format!("{directory}/{}/.env", NAMES.directory), format!("{directory}/.env")].into_iter();
        let usable = |path: &String| {
            files.exists(path) && (users.contains(path) || is_usable(place, files, merged, trusted, directory))
        };
        if let Some(path) = candidates.find(usable) {
            let of_user = users.contains(&path);
            let of_agent = of_user || path.ends_with("/.qwen/.env");
            found.push(DotenvFile { path, of_user, of_agent });
            break;
        }
        let Some((above, _)) = directory.rsplit_once('/') else { break };
        directory = above;
    }
    for path in users.into_iter().filter(|path| files.exists(path)) {
        if found.iter().all(|known| known.path != path) {
            found.push(DotenvFile { path, of_user: true, of_agent: true });
        }
    }
    found
}

/// Whether a file of a directory counts: the project must be trusted, and a directory above it must not be untrusted.
fn is_usable(place: &Place, files: &dyn Files, merged: &Value, trusted: bool, directory: &str) -> bool {
    if !trusted || directory == place.project {
        return trusted;
    }
    let above = Place { project: directory.to_owned(), ..place.clone() };
    !matches!(
        trust::look_up(&above, files, merged, &mut LoadedConfig::default()),
        Trust::Untrusted { .. } | Trust::Variable { trusted: false, .. }
    )
}

/// The lists of all files are added up; without any, the agent has one.
fn excluded(settings: &[SettingsFile]) -> Vec<String> {
    let list = |one: &SettingsFile| one.root.get("advanced")?.get("excludedEnvVars").map(Node::to_value);
    let lists: Vec<Value> = settings.iter().filter_map(list).filter(Value::is_array).collect();
    if lists.is_empty() {
        return EXCLUDED.map(str::to_owned).to_vec();
    }
    lists.iter().filter_map(Value::as_array).flatten().map(to_js_string).collect()
}

fn is_never_set(lower: &str) -> bool {
    let name = lower.replace('_', "-");
    name.starts_with("bash-func-") || is_listed(NEVER, &name)
}

fn is_not_in_projects(lower: &str) -> bool {
    let numbered = ["git_config_key_", "git_config_value_"].iter().find_map(|prefix| lower.strip_prefix(prefix));
    let numbered = numbered.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|c| c.is_ascii_digit()));
    numbered || is_listed(NOT_IN_PROJECTS, lower)
}

/// Whether a name is one of those in a text, which are separated by blanks.
fn is_listed(names: &str, name: &str) -> bool {
    names.split(' ').any(|listed| listed == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qwen_code::config;
    use hookbench_base::config::MemoryFiles;
    use hookbench_base::dialects::Version;

    fn variables(laid: &[(&str, &str)], environment: &[(&str, &str)]) -> Vec<(String, String)> {
        let mut files = MemoryFiles::default();
        for (path, text) in laid {
            files.put(*path, text);
        }
        let env = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let place = Place { project: "/h/w/p".to_owned(), home: "/h".to_owned(), env, ..Place::default() };
        let found = config::load(&place, &files, &Version::parse("0.24.4").unwrap()).variables;
        let shown = |(name, one): (&String, &LoadedVariable)| {
            (format!("{name}={}", one.value), format!("{}:{}", one.file, one.line.unwrap_or(0)))
        };
        found.iter().map(shown).collect()
    }

    fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
        all.iter().map(|(one, other)| ((*one).to_owned(), (*other).to_owned())).collect()
    }

    #[test]
    fn one_file_of_the_project_and_those_of_the_user() {
        let own = ("/h/w/p/.qwen/.env", "A=own\nDEBUG=1\n");
        let project = ("/h/w/p/.env", "A=project\nDEBUG=1\n");
        let above = ("/h/w/.env", "A=above\n");
        let home = ("/h/.env", "A=home\nH=1\n");
        let user = ("/h/.qwen/.env", "A=user\nU=1\nDEBUG=2\n");
        let own_found = [("A=own", ".qwen/.env:1"), ("DEBUG=1", ".qwen/.env:2")];
        assert_eq!(variables(&[own, project, above], &[]), pairs(&own_found));
        assert_eq!(variables(&[project, above], &[]), pairs(&[("A=project", ".env:1")]));
        assert_eq!(variables(&[above], &[]), pairs(&[("A=above", "~/w/.env:1")]));
        let both =
            [("A=project", ".env:1"), ("U=1", "~/.qwen/.env:2"), ("DEBUG=2", "~/.qwen/.env:3"), ("H=1", "~/.env:2")];
        assert_eq!(variables(&[project, home, user], &[]), pairs(&both));
        assert_eq!(variables(&[project], &[("A", "x")]), pairs(&[]));
        assert_eq!(variables(&[project], &[("A", "")]), pairs(&[("A=project", ".env:1")]), "empty is not set");
    }

    #[test]
    fn some_names_are_refused() {
        let text = "BASH_ENV=x\nNODE_REPL_EXTERNAL_MODULE=x\nEDITOR=x\nGIT_CONFIG_KEY_0=x\nSANDBOX=x\nQWEN_SERVER_TOKEN=x\nA=1\n";
        assert_eq!(variables(&[("/h/w/p/.env", text)], &[]), pairs(&[("A=1", ".env:7")]));
        let at_home = [("EDITOR=x", "~/.env:3"), ("GIT_CONFIG_KEY_0=x", "~/.env:4"), ("A=1", "~/.env:7")];
        assert_eq!(variables(&[("/h/.env", text)], &[]), pairs(&at_home));
    }

    #[test]
    fn settings_add_what_is_missing() {
        let settings =
            ("/h/w/p/.qwen/settings.json", "{\"env\": {\"A\": \"s\", \"PATH\": \"x\",\n\"B\": \"${A}\", \"N\": 5}}");
        assert_eq!(
            variables(&[settings, ("/h/w/p/.env", "A=file\n")], &[]),
            pairs(&[("A=file", ".env:1"), ("B=${A}", ".qwen/settings.json:2")])
        );
        assert_eq!(variables(&[settings], &[("A", "x")]), pairs(&[("B=x", ".qwen/settings.json:2")]));
    }
}

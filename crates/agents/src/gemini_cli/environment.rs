//! The variables that the agent reads from a `.env` file into its own process, whose hooks inherit them (read in the
//! program of 0.61.0, and measured on it).

use serde_json::Value;

use super::layers::home;
use crate::shared::dotenv::{parse_dotenv, read_dotenv};
use crate::shared::gemini_fork::layers::SettingsFile;
use hookbench_base::config::{Files, LoadedConfig, LoadedVariable, Place};
use hookbench_base::text::{Node, to_js_string, truthy};

/// Variables that a `.env` file outside the agent's directories does not set. Settings add to the list.
const EXCLUDED: [&str; 2] = ["DEBUG", "DEBUG_MODE"];
/// The only variables that a `.env` file sets in a directory that is not trusted.
const WITHOUT_TRUST: [&str; 4] = ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"];

/// Adds the variables of the first `.env` file that exists. A variable of the agent's own environment wins.
pub fn read(
    place: &Place,
    files: &dyn Files,
    settings: &[SettingsFile],
    merged: &Node,
    trusted: bool,
    loaded: &mut LoadedConfig,
) {
    let ignores_local = advanced(merged, "ignoreLocalEnv").is_some_and(|value| truthy(&value));
    let Some(path) = find_file(place, files, trusted, ignores_local) else { return };
    let Some(bytes) = read_dotenv(place, files, &path, loaded) else { return };
    let excluded = if path.contains(".gemini") { Vec::new() } else { excluded(settings) };
    for variable in parse_dotenv(&String::from_utf8_lossy(&bytes)) {
        let allowed = trusted || WITHOUT_TRUST.contains(&variable.name.as_str());
        if !allowed || excluded.contains(&variable.name) || place.env.contains_key(&variable.name) {
            continue;
        }
        let value = if trusted { variable.value } else { without_special_characters(&variable.value) };
        let file = place.display_path(&path);
        let found = LoadedVariable { value, file, line: Some(variable.line), span: None };
        loaded.variables.insert(variable.name, found);
    }
}

/// Finds the file: in the project and each directory above it, then in the home directory; in each, the agent's own first.
fn find_file(place: &Place, files: &dyn Files, trusted: bool, ignores_local: bool) -> Option<String> {
    let home = home(place);
    let in_directory = |directory: &str, local: bool| {
        let own = format!("{directory}/.gemini/.env");
        let other = format!("{directory}/.env");
        let own = Some(own).filter(|path| trusted && files.exists(path));
        own.or_else(|| Some(other).filter(|path| (local || directory == home) && files.exists(path)))
    };
    let mut directory = place.project.trim_end_matches('/');
    loop {
        if let Some(path) = in_directory(directory, !ignores_local) {
            return Some(path);
        }
        match directory.rsplit_once('/') {
            Some((above, _)) => directory = above,
            None => return in_directory(&home, true),
        }
    }
}

fn advanced(settings: &Node, key: &str) -> Option<Value> {
    settings.get("advanced")?.get(key).map(Node::to_value)
}

/// The lists of all files are added up.
fn excluded(settings: &[SettingsFile]) -> Vec<String> {
    let lists = settings.iter().filter_map(|one| advanced(&one.root, "excludedEnvVars"));
    let items = lists.flat_map(|list| list.as_array().cloned().unwrap_or_default());
    EXCLUDED.iter().map(|name| (*name).to_owned()).chain(items.map(|item| to_js_string(&item))).collect()
}

fn without_special_characters(value: &str) -> String {
    value.chars().filter(|c| c.is_ascii_alphanumeric() || "-_./".contains(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gemini_cli::config;
    use hookbench_base::config::MemoryFiles;

    /// The variables with their places, in a project below the home directory.
    fn variables(laid: &[(&str, &str)], environment: &[(&str, &str)], trusts: bool) -> Vec<(String, String, String)> {
        let mut files = MemoryFiles::default();
        let level = if trusts { "TRUST_FOLDER" } else { "DO_NOT_TRUST" };
        files.put("/h/.gemini/trustedFolders.json", format!(r#"{{"/h/w/p": "{level}"}}"#));
        for (path, text) in laid {
            files.put(*path, text);
        }
        let env = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let place = Place { project: "/h/w/p".to_owned(), home: "/h".to_owned(), env, ..Place::default() };
        let found = config::load(&place, &files).variables;
        let place_of = |variable: &LoadedVariable| format!("{}:{}", variable.file, variable.line.unwrap_or(0));
        found.iter().map(|(name, one)| (name.clone(), one.value.clone(), place_of(one))).collect()
    }

    #[test]
    fn one_file_counts() {
        let all = [
            ("/h/w/p/.gemini/.env", "A=own\nDEBUG=1\n"),
            ("/h/w/p/.env", "A=project\nDEBUG=1\nB=2\n"),
            ("/h/w/.gemini/.env", "A=above-own\n"),
            ("/h/w/.env", "A=above\n"),
            ("/h/.gemini/.env", "A=home-own\n"),
            ("/h/.env", "A=home\n"),
        ];
        let places = [".gemini/.env:1", ".env:1", "~/w/.gemini/.env:1", "~/w/.env:1", "~/.gemini/.env:1", "~/.env:1"];
        for (index, want) in places.into_iter().enumerate() {
            let found = variables(&all[index..], &[], true);
            assert_eq!(found.first().map(|(_, _, place)| place.as_str()), Some(want));
            let debugs = found.iter().any(|(name, _, _)| name == "DEBUG");
            assert_eq!(debugs, index == 0, "{want}: DEBUG counts only in the agent's own directory");
            let of_process = variables(&all[index..], &[("A", "")], true);
            assert!(of_process.iter().all(|(name, _, _)| name != "A"), "{want}: the environment of the agent wins");
        }
    }

    #[test]
    fn settings_leave_out_names() {
        let user = ("/h/.gemini/settings.json", r#"{"advanced": {"excludedEnvVars": ["A"]}}"#);
        let project = ("/h/w/p/.gemini/settings.json", r#"{"advanced": {"excludedEnvVars": ["B"]}}"#);
        let env = ("/h/w/p/.env", "A=1\nB=2\nC=3\nDEBUG_MODE=4\n");
        let names = |laid: &[(&str, &str)]| variables(laid, &[], true).into_iter().map(|one| one.0).collect::<Vec<_>>();
        assert_eq!(names(&[env]), ["A", "B", "C"]);
        assert_eq!(names(&[user, project, env]), ["C"]);
        let local = ("/h/.gemini/settings.json", r#"{"advanced": {"ignoreLocalEnv": true}}"#);
        assert!(names(&[local, env]).is_empty());
        assert_eq!(names(&[local, env, ("/h/.env", "H=1\n")]), ["H"]);
    }

    #[test]
    fn without_trust_only_keys_of_the_service_count() {
        let laid = [("/h/w/p/.gemini/.env", "A=1\n"), ("/h/w/p/.env", "A=1\nGEMINI_API_KEY='k$(x) y'\n")];
        let found = variables(&laid, &[], false);
        assert_eq!(found, [("GEMINI_API_KEY".to_owned(), "kxy".to_owned(), ".env:2".to_owned())]);
    }
}

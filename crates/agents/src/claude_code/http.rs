//! http hooks: the allowed URLs, and the expansion of headers (spec §1.1, §9.1).

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::{environment, url};
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{HookDefinition, HttpHandler, Layer};
use hookbench_base::run::{HttpSpec, Launch};
use hookbench_base::text::stringify;

/// Returns the request of an http hook, or the reason why the agent does not send it.
pub fn launch(
    handler: &HttpHandler,
    definition: &HookDefinition,
    scene: &Scene,
    timeout: Option<Duration>,
    keep: usize,
) -> Launch {
    // The allow lists of all files are merged. They apply to managed hooks only if a managed file has such a list
    // too.
    let free =
        definition.provenance.layer == Layer::Managed && string_list(scene, "managedAllowedHttpHookUrls").is_none();
    if let Some(patterns) = string_list(scene, "allowedHttpHookUrls").filter(|_| !free)
        && !patterns.iter().any(|pattern| url::matches_pattern(pattern, &handler.url))
    {
        let why = format!("HTTP hook blocked: {} does not match any pattern in allowedHttpHookUrls", handler.url);
        return Launch::Refused(why);
    }
    let allowed = allowed_variables(handler, scene);
    let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    for (name, value) in &handler.headers {
        headers.retain(|(have, _)| !have.eq_ignore_ascii_case(name));
        headers.push((name.clone(), expand_variables(value, &allowed, scene)));
    }
    Launch::Http(HttpSpec {
        url: handler.url.clone(),
        headers,
        body: Arc::from(stringify(&scene.input.body).into_bytes()),
        timeout,
        forbidden_networks: Vec::new(),
        keep,
    })
}

fn string_list(scene: &Scene, key: &str) -> Option<Vec<String>> {
    let items = scene.loaded.agent_settings.get(key)?.as_array()?;
    Some(items.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// The variables that the hook allows. If settings have a list, only names in both lists.
fn allowed_variables(handler: &HttpHandler, scene: &Scene) -> Vec<String> {
    let own = handler.allowed_env.clone().unwrap_or_default();
    match string_list(scene, "httpHookAllowedEnvVars") {
        Some(limit) => own.into_iter().filter(|name| limit.contains(name)).collect(),
        None => own,
    }
}

/// Expands `$NAME` and `${NAME}`: to the variable if it is allowed, else to nothing. `$NAME` takes the longest
/// possible name.
fn expand_variables(value: &str, allowed: &[String], scene: &Scene) -> String {
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let mut out = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let braced = after.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let (name, tail) = match braced.filter(|(name, _)| starts(name) && name.chars().all(in_name)) {
            Some(found) => found,
            None if starts(after) => {
                let end = after.find(|c| !in_name(c)).unwrap_or(after.len());
                after.split_at_checked(end).unwrap_or((after, ""))
            }
            None => {
                out.push('$');
                rest = after;
                continue;
            }
        };
        if allowed.iter().any(|a| a == name) {
            out.push_str(environment::var(scene, name).unwrap_or(""));
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claude_code::test_scenes::project_scene;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    fn launched(settings: Value, env: &[(&str, &str)]) -> Launch {
        let mut scene = project_scene(settings, json!({"hook_event_name": "Stop"}));
        let mut place = (*scene.place).clone();
        place.env = env.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        scene.place = Arc::new(place);
        super::super::launch::launch(scene.loaded.definitions.first().unwrap(), &scene)
    }

    #[test]
    fn headers() {
        let settings = |extra: Value| {
            let mut settings = json!({"hooks": {"Stop": [{"hooks": [{
                "type": "http", "url": "http://127.0.0.1:9/x",
                "headers": {"X-A": "v $TOK ${TOK} $OTHER $NOPE $ 5", "X-C": "$TOK2", "Content-Type": "text/plain"},
                "allowedEnvVars": ["TOK", "NOPE"],
            }]}]}});
            settings.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            settings
        };
        for (extra, first) in [(json!({}), "v t t   $ 5"), (json!({"httpHookAllowedEnvVars": ["NOPE"]}), "v     $ 5")] {
            let launch = launched(settings(extra), &[("TOK", "t"), ("TOK2", "u"), ("OTHER", "o")]);
            let Launch::Http(spec) = launch else { panic!("{launch:?}") };
            let want = [("X-A", first), ("X-C", ""), ("Content-Type", "text/plain")];
            assert_eq!(spec.headers, want.map(|(k, v)| (k.to_owned(), v.to_owned())));
            assert_eq!(spec.body.as_ref(), b"{\"hook_event_name\":\"Stop\"}");
        }
    }

    #[test]
    fn allow_list() {
        for (list, sent) in [
            (json!(["https://hooks.example.com/*"]), false),
            (json!(["http://127.0.0.1:9/*"]), true),
            (json!([]), false),
        ] {
            let settings = json!({"allowedHttpHookUrls": list, "hooks": {"Stop": [{"hooks": [{"type": "http", "url": "http://127.0.0.1:9/x"}]}]}});
            assert_eq!(matches!(launched(settings, &[]), Launch::Http(_)), sent, "{list}");
        }
    }
}

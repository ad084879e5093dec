//! The JSON Schemas of settings: correct settings fit, and the mistakes that a schema can see do not.

use std::collections::BTreeMap;
use std::time::Duration;

use hookbench::core::config::Place;
use hookbench::core::dialects::{self, default_version};
use hookbench::core::hook::Layer;
use hookbench::core::port::AgentVersion;
use hookbench::core::text::{SourceId, normalize_path};
use hookbench_app::settings_schema::settings_schema;
use serde_json::{Value, json};

use crate::samples::files_of_samples;

/// The codes of mistakes that no schema lets pass: a matcher that is not a text, a handler outside a group or without its
/// command, an unknown type, an unknown event, and a type that does not run on an event.
const SEEN: [&str; 7] = ["HW102", "HW103", "HW105", "HW106", "HW201", "HW202", "HW206"];

/// Whether a value fits a schema. Knows the words of JSON Schema that the schemas of settings have, and panics at others.
fn fits(value: &Value, schema: &Value, root: &Value) -> bool {
    let all = |schemas: &Value, holds: &dyn Fn(&Value) -> bool| schemas.as_array().unwrap().iter().all(holds);
    schema.as_object().unwrap().iter().all(|(word, rule)| match word.as_str() {
        "$schema" | "title" | "description" | "examples" | "definitions" | "then" | "else" => true,
        "$ref" => fits(value, root.pointer(rule.as_str().unwrap().trim_start_matches('#')).unwrap(), root),
        "type" => match rule.as_str().unwrap() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "number" => value.is_number(),
            other => panic!("the type {other} is not known to this test"),
        },
        "const" => value == rule,
        "enum" => rule.as_array().unwrap().contains(value),
        "allOf" => all(rule, &|schema| fits(value, schema, root)),
        "anyOf" => !all(rule, &|schema| !fits(value, schema, root)),
        "items" => value.as_array().into_iter().flatten().all(|item| fits(item, rule, root)),
        "properties" => value.as_object().into_iter().flatten().all(|(key, value)| {
            rule.get(key).map_or(schema.get("additionalProperties").is_none(), |rule| fits(value, rule, root))
        }),
        "additionalProperties" => *rule == Value::Bool(false),
        "required" => value.as_object().is_none_or(|keys| all(rule, &|key| keys.contains_key(key.as_str().unwrap()))),
        "if" => {
            let branch = schema.get(if fits(value, rule, root) { "then" } else { "else" });
            branch.is_none_or(|branch| fits(value, branch, root))
        }
        other => panic!("the word {other} is not known to this test"),
    })
}

#[test]
fn correct_settings_fit_their_schema_and_mistakes_that_it_can_see_do_not() {
    let place = Place { project: "/w/project".to_owned(), home: "/w/home".to_owned(), ..Place::default() };
    let mut schemas: BTreeMap<&str, Value> = BTreeMap::new();
    for dialect in dialects::released() {
        let agent = AgentVersion { dialect, version: default_version(dialect) };
        schemas.extend(settings_schema(&agent).map(|schema| (dialect.id().as_str(), schema)));
    }
    let mut missed = Vec::new();
    for (sample, _, files) in files_of_samples(&place.project, &place.home) {
        let mut is_seen = false;
        for dialect in dialects::released() {
            let layers = [Layer::User, Layer::Project, Layer::Local].into_iter();
            for file in
                layers.flat_map(|layer| dialect.hook_files(&place, layer)).filter(|file| !file.form.is_top_level)
            {
                let Some((_, text)) = files.iter().find(|(path, _)| normalize_path(path) == file.path) else {
                    continue;
                };
                let (Some(schema), Ok(node)) = (schemas.get(dialect.id().as_str()), file.form.parse(SourceId(0), text))
                else {
                    continue;
                };
                let is_fit = fits(&node.to_value(), schema, schema);
                is_seen |= !is_fit;
                assert!(
                    is_fit || sample.ends_with(" bad"),
                    "{sample}: {} is correct for {}",
                    file.path,
                    dialect.name()
                );
            }
        }
        if !is_seen && SEEN.iter().any(|code| sample == format!("{code} bad")) {
            missed.push(sample);
        }
    }
    assert_eq!(missed, Vec::<String>::new());
}

#[test]
fn in_each_agent_a_hook_fits_and_one_without_command_or_with_another_event_does_not() {
    for dialect in dialects::released() {
        let agent = AgentVersion { dialect, version: default_version(dialect) };
        let format = dialect.settings_format();
        let Some(schema) = settings_schema(&agent) else {
            assert!(format.script.is_some(), "{}", dialect.name());
            continue;
        };
        let event = dialect.events(&agent.version)[0].name;
        let limit = (format.timeout)("command", Duration::from_secs(5)).0;
        let whole = json!({"type": "command", "command": "true", "timeout": limit});
        let without_command = json!({"type": "command", "timeout": limit});
        for (event, handler, is_fit) in
            [(event, &whole, true), ("NoSuchEvent", &whole, false), (event, &without_command, false)]
        {
            let groups = json!({event: [{"matcher": "x", "hooks": [handler]}]});
            let text = format.form().whole_file(groups.as_object().unwrap());
            let node = format.form().parse(SourceId(0), &text).unwrap();
            assert_eq!(fits(&node.to_value(), &schema, &schema), is_fit, "{}: {text}", dialect.name());
        }
    }
}

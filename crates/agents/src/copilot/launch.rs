//! How Copilot CLI runs a definition (spec §5).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::environment::environment;
use super::spelling::sent_payload;
use hookbench_base::dialects::Scene;
use hookbench_base::hook::{CommandHandler, Handler, HookDefinition, HttpHandler};
use hookbench_base::run::{FinishCondition, HttpSpec, KillSpec, Launch, Network, ProcessSpec};
use hookbench_base::text::stringify;

/// The agent keeps the whole stream; no hook should print more than this.
const MAX_OUTPUT: usize = 64 << 20;

/// Returns how to run a definition on this event.
pub fn launch(definition: &HookDefinition, scene: &Scene) -> Launch {
    match &definition.handler {
        Handler::Command(command) => Launch::Process(process(definition, command, scene)),
        Handler::Http(request) => http(definition, request, scene),
        other => Launch::Refused(format!("{} hooks run only in the interactive program", other.kind())),
    }
}

/// The payload in the spelling of the definition, without a newline at its end.
fn stdin(definition: &HookDefinition, scene: &Scene) -> Arc<[u8]> {
    Arc::from(stringify(&sent_payload(&definition.event, &scene.input.body)).into_bytes())
}

fn process(definition: &HookDefinition, handler: &CommandHandler, scene: &Scene) -> ProcessSpec {
    // The directory of the session, also if the event names another one.
    let session = &scene.place.project;
    let own = definition.raw.get("cwd").and_then(Value::as_str).filter(|cwd| !cwd.is_empty());
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let (program, args) = match (&handler.args, &handler.shell) {
        (Some(args), _) => (handler.command.clone(), args.clone()),
        (None, Some(shell)) => (shell.clone(), words(&["-NoProfile", "-Command", &handler.command])),
        (None, None) => ("/bin/bash".to_owned(), words(&["--norc", "--noprofile", "-c", &handler.command])),
    };
    ProcessSpec {
        program,
        args,
        cwd: own.map_or_else(|| session.to_owned(), |own| scene.place.absolute(session, own)),
        env: environment(definition, handler, scene),
        stdin: stdin(definition, scene),
        timeout: definition.timeout,
        finish: FinishCondition::AtEof,
        kill: KillSpec { grace: Duration::ZERO },
        keep: MAX_OUTPUT,
        names_directory: false,
        runs_plain_files: handler.args.is_none() && handler.shell.is_none(),
    }
}

fn http(definition: &HookDefinition, handler: &HttpHandler, scene: &Scene) -> Launch {
    let allows_local = scene.place.var("COPILOT_HOOK_ALLOW_LOCALHOST") == Some("1");
    let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    // Variables in headers become empty.
    headers.extend(handler.headers.iter().map(|(name, value)| (name.clone(), without_variables(value))));
    Launch::Http(HttpSpec {
        url: handler.url.clone(),
        headers,
        body: stdin(definition, scene),
        timeout: definition.timeout,
        forbidden_networks: if allows_local { Vec::new() } else { private_networks() },
        keep: MAX_OUTPUT,
    })
}

fn without_variables(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let inner = after.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        rest = match inner {
            Some((_, tail)) => tail,
            None => after.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'),
        };
    }
    out + rest
}

/// Loopback and private networks.
fn private_networks() -> Vec<Network> {
    let v4 = [
        ([127, 0, 0, 0], 8),
        ([10, 0, 0, 0], 8),
        ([172, 16, 0, 0], 12),
        ([192, 168, 0, 0], 16),
        ([169, 254, 0, 0], 16),
    ];
    let v6 = [
        (Ipv6Addr::LOCALHOST, 128),
        (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7),
        (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10),
    ];
    let v4 = v4.into_iter().map(|(octets, prefix)| Network { address: IpAddr::V4(Ipv4Addr::from(octets)), prefix });
    v4.chain(v6.into_iter().map(|(address, prefix)| Network { address: IpAddr::V6(address), prefix })).collect()
}

#[cfg(test)]
mod tests {
    use super::super::test_firings::launch_hook;
    use super::*;
    use serde_json::json;

    fn process_of(event: &str, hook: &Value) -> ProcessSpec {
        match launch_hook(event, hook) {
            Launch::Process(spec) => spec,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn shells_directories_and_variables() {
        let spec = process_of(
            "preToolUse",
            &json!({"command": "x", "cwd": "sub", "env": {"HOME": "/x", "COPILOT_PROJECT_DIR": "/y"}}),
        );
        assert_eq!((spec.program.as_str(), spec.cwd.as_str()), ("/bin/bash", "/p/sub"));
        let value = |name: &str| spec.env.value(name);
        for (name, want) in [
            ("HOME", Some("/x")),
            ("COPILOT_PROJECT_DIR", Some("/p")),
            ("COPILOT_CLI", Some("1")),
            ("COPILOT_HOOK_DIR", Some("/h/.copilot/hooks")),
        ] {
            assert_eq!(value(name), want, "{name}");
        }
        let direct = process_of("preToolUse", &json!({"exec": "p", "args": ["$HOME", "a b"]}));
        assert_eq!((direct.program, direct.args), ("p".to_owned(), vec!["$HOME".to_owned(), "a b".to_owned()]));
    }

    #[test]
    fn each_spelling_gets_its_own_payload() {
        for (event, has, lacks) in
            [("preToolUse", "toolName", "hook_event_name"), ("PreToolUse", "tool_name", "toolName")]
        {
            let spec = process_of(event, &json!({"command": "x"}));
            let body: Value = serde_json::from_slice(&spec.stdin).unwrap();
            assert!(body.get(has).is_some() && body.get(lacks).is_none(), "{event} {body}");
        }
    }

    #[test]
    fn headers_lose_their_variables() {
        for (text, want) in [("Bearer $TOKEN", "Bearer "), ("a${B}c", "ac"), ("plain", "plain"), ("$", "")] {
            assert_eq!(without_variables(text), want, "{text}");
        }
    }
}

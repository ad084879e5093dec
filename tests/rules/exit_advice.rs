//! What hookbench advises about exit 1 and exit 2 agrees with the decision of the agent, on every event of every agent:
//! the findings in settings, the findings about a run, and the meaning that `why` and `events` give.

use std::sync::Arc;

use hookbench::core::adapt::LoneHook;
use hookbench::core::config::{MemoryFiles, Place};
use hookbench::core::diagnostic::{Code, Diagnostic};
use hookbench::core::dialects::{self, Agent, MachineFacts, Scene, SessionMemory, default_version};
use hookbench::core::firing::{Firing, FiringStep};
use hookbench::core::hook::{EventSpec, HookDefinition, HookInput};
use hookbench::core::lint::run_advice::{FiringContext, check_firing};
use hookbench::core::lint::{CommandFacts, LintScope, lint};
use hookbench::core::port::AgentVersion;
use hookbench::core::run::{Exit, RunId, RunReport};
use serde_json::json;

/// The command line of a guard that refuses with a status.
fn guard(status: i32) -> String {
    format!("grep -q secret && {{ echo 'Blocked: no secrets' >&2; exit {status}; }}; exit 0")
}

fn place() -> Place {
    Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() }.as_trusted()
}

/// Whether the status, with a reason on stderr, blocks the event. `None` if the hook runs on no example.
fn blocks(side: &AgentVersion, event: &EventSpec, status: i32) -> Option<bool> {
    let hook = LoneHook::on(side, event.name, &place())?;
    let report = RunReport::new(RunId(0), Exit::Code(status), "", "Blocked: no secrets");
    let inputs = hook.example_inputs(event.name);
    let input = inputs.first()?;
    Some(hook.decide(input, &report)?.outcome.blocked)
}

/// The findings about the guard in the settings, and those about its run.
fn advice(side: &AgentVersion, event: &'static EventSpec, status: i32) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    let (dialect, place) = (side.dialect, place());
    let mut files = MemoryFiles::default();
    let hook = json!({"type": "command", "command": guard(status)});
    let settings = json!({"hooks": {event.name: [{"hooks": [hook]}]}});
    let (_, file) = dialect.settings_format().usual_settings(&place).unwrap();
    files.put(file.path, file.form.whole_file(settings["hooks"].as_object().unwrap()));
    let loaded = dialect.load(&place, &files, &side.version);
    let outside = |_: &HookDefinition| CommandFacts::default();
    let machine = MachineFacts::default();
    let scope =
        LintScope { dialect, version: &side.version, place: &place, files: &files, loaded: &loaded, machine: &machine };
    let found = lint(scope, &outside).findings;
    let Some(example) = dialect.examples(event, &place, &side.version).into_iter().next() else {
        return (found, Vec::new());
    };
    let subject = dialect.subject(event, &example.body, &side.version);
    let scene = Scene {
        input: HookInput { event: event.name.to_owned(), subject, body: example.body },
        loaded,
        place: Arc::new(place),
        version: side.version.clone(),
        headless: false,
        memory: SessionMemory::default(),
    };
    let (mut firing, steps) = Firing::start(dialect, scene.clone());
    let run = steps.into_iter().find_map(|step| match step {
        FiringStep::Launch(request) => Some(request.run),
        _ => None,
    });
    let Some(run) = run else { return (found, Vec::new()) };
    let steps = firing.report(RunReport::new(run, Exit::Code(status), "", "Blocked: no secrets"));
    let outcome = steps.into_iter().find_map(|step| match step {
        FiringStep::Decided(outcome) => Some(outcome),
        _ => None,
    });
    let outcome = outcome.unwrap();
    let runs: Vec<_> = firing.finished().iter().collect();
    let at = FiringContext { dialect, scene: &scene, event, runs: &runs, outcome: &outcome };
    (found, check_firing(&at).into_iter().map(|(_, one)| one).collect())
}

/// The events of an agent in every spelling.
fn events_of(dialect: &Agent, side: &AgentVersion) -> Vec<&'static EventSpec> {
    let main = dialect.events(&side.version);
    let small = |name: &str| {
        let mut letters = name.chars();
        letters.next().map(|first| first.to_ascii_lowercase().to_string() + letters.as_str())
    };
    let others = ["userPromptSubmitted", "agentStop"].map(str::to_owned);
    let names = main.iter().filter_map(|event| small(event.name)).chain(others);
    let spelled: Vec<_> = names.filter_map(|name| dialect.event_by_spelling(&name)).collect();
    main.into_iter().chain(spelled).collect()
}

#[test]
fn advice_agrees_with_the_decision() {
    let mut checked = 0;
    let mut wrong = Vec::new();
    // Where a hook is a script, its status is in a file that only the program finds: `tests/lint` has samples.
    for dialect in dialects::released().filter(|dialect| dialect.settings_format().script.is_none()) {
        let side = AgentVersion { dialect, version: default_version(dialect) };
        for event in events_of(dialect, &side) {
            let Some(two) = blocks(&side, event, 2) else { continue };
            // Here exit 2 blocks only beside another answer, so advice about one hook alone is not the whole truth.
            if event.exit_2.contains("if it is the only answer") {
                continue;
            }
            for status in [1, 2, 3] {
                let blocked = blocks(&side, event, status).unwrap();
                let (settings, run) = advice(&side, event, status);
                let texts: Vec<String> = settings
                    .iter()
                    .chain(&run)
                    .map(|one| format!("{} {} {:?}", one.code.as_str(), one.message, one.help))
                    .collect();
                let where_ = format!("{} {} exit {status}, blocked {blocked}: {texts:?}", dialect.id(), event.name);
                checked += 1;
                let mut check = |is_true: bool, what: &str| wrong.extend((!is_true).then(|| what.to_owned()));
                for found in settings.iter().chain(&run) {
                    let text = format!("{} {}", found.message, found.help.as_deref().unwrap_or_default());
                    match found.code {
                        // "exit N does not block"
                        Code::HW601 => check(!blocked && (two == text.contains("use exit 2")), &where_),
                        Code::HW205 => check(!blocked, &where_),
                        // "exit N denies every call"
                        Code::HW634 => check(blocked, &where_),
                        Code::HW623 => check(!blocked, &where_),
                        _ => {}
                    }
                }
                let has = |list: &[Diagnostic], codes: &[Code]| list.iter().any(|one| codes.contains(&one.code));
                if event.blockable_action.is_some() && !blocked && status == 1 {
                    check(has(&settings, &[Code::HW601]), &where_);
                }
                if status == 2 && !two && !event.exit_2_delivers && event.blockable_action.is_some() {
                    check(has(&settings, &[Code::HW205]), &where_);
                }
            }
            // The meaning in `why` and `events`.
            let text = event.exit_2.to_lowercase();
            let no = ["not block", "no effect", "nothing", "ignored", "observed", "fails"];
            let denied = text.starts_with("it does not block") || text.contains("no effect: ");
            let told = no.iter().any(|no| text.contains(no));
            if two && denied || !two && event.blockable_action.is_some() && !told {
                wrong.push(format!("{} {}, exit 2 blocks {two}: {text}", dialect.id(), event.name));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(checked > 150, "{checked}");
}

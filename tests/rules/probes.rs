//! The probes of each agent cover its rules: each rule is cited by the prediction of at least one probe, or is listed as
//! unreachable with the reason. The sessions are simulated, with the scripts of the probes as reports.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use hookbench::app::{FieldSetting, InputRequest, build_input};
use hookbench::core::calibration::{KEEPER, Probe, ProbeDirectories, probe_files, read_probes};
use hookbench::core::config::{Files as _, MemoryFiles, Os, Place};
use hookbench::core::decide::Outcome;
use hookbench::core::dialects::{self, Agent, Scene, SessionState, Version, find_event};
use hookbench::core::firing::{Firing, FiringStep};
use hookbench::core::hook::Handler;
use hookbench::core::model_interface::ScriptedCall;
use hookbench::core::names::RuleId;
use hookbench::core::plan::Plan;
use hookbench::core::run::{CapturedStream, Exit, Launch, RunReport, RunRequest, Timing};
use serde_json::{Value, json};

/// More stops in a row than any agent lets hooks block.
const STOPS: u32 = 12;

#[test]
fn every_rule_is_shown_by_a_probe_or_listed_as_unreachable() {
    let mut wrong = Vec::new();
    for dialect in dialects::released() {
        let set = read_probes(dialect).unwrap();
        let cited: BTreeSet<RuleId> =
            set.probes.iter().flat_map(|probe| SimulatedSession::new(dialect, probe).rules()).collect();
        let listed: BTreeSet<&str> = set.unreachable.iter().map(|rule| rule.rule.as_str()).collect();
        assert_eq!(listed.len(), set.unreachable.len(), "{dialect:?}: a rule is listed twice");
        let all = dialect.rules();
        let missing = all.iter().filter(|rule| !cited.contains(rule) && !listed.contains(rule.as_str()));
        wrong.extend(missing.map(|rule| format!("{dialect:?}: no probe shows {rule}")));
        let shown = all.iter().filter(|rule| cited.contains(rule) && listed.contains(rule.as_str()));
        wrong.extend(shown.map(|rule| format!("{dialect:?}: a probe shows {rule}, which is listed as unreachable")));
        let unknown = listed.iter().filter(|rule| !all.iter().any(|known| known.as_str() == **rule));
        wrong.extend(unknown.map(|rule| format!("{dialect:?}: {rule} is listed and does not exist")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A session of a probe whose agent does as predicted.
struct SimulatedSession<'a> {
    dialect: &'static Agent,
    probe: &'a Probe,
    at: ProbeDirectories,
    version: Version,
    place: Place,
    files: MemoryFiles,
    state: SessionState,
    rules: BTreeSet<RuleId>,
}

impl<'a> SimulatedSession<'a> {
    fn new(dialect: &'static Agent, probe: &'a Probe) -> SimulatedSession<'a> {
        let directory = |name: &str| format!("/probe/{name}");
        let at = ProbeDirectories {
            project: directory("project"),
            home: directory("home"),
            hooks: directory("hooks"),
            log: directory("log"),
        };
        let format = dialect.headless_format();
        let mut files = MemoryFiles::default();
        for file in probe_files(probe, dialect, &at) {
            files.put(file.path, file.text);
        }
        let env =
            format.environment.iter().map(|(name, value)| ((*name).to_owned(), value.replace("{home}", &at.home)));
        let env: BTreeMap<String, String> =
            env.chain(probe.environment.iter().map(|(name, value)| (name.clone(), at.fill(value)))).collect();
        let mut place = Place {
            project: at.project.clone(),
            home: at.home.clone(),
            home_given: true,
            env,
            os: Os::Linux,
            ..Place::default()
        };
        let bare = Place { env: BTreeMap::new(), ..place.clone() };
        let trust = if probe.untrusted { Vec::new() } else { dialect.trust_files(&bare, &files) };
        for (path, text) in trust {
            let own = files.read(&path).map(|own| String::from_utf8(own).unwrap()).unwrap_or_default();
            let tables = text.split("\n\n").filter(|table| !own.contains(table.lines().next().unwrap()));
            let tables: Vec<&str> = tables.collect();
            let text = if path.rsplit_once('.').is_some_and(|(_, extension)| extension == "toml") {
                format!("{own}\n{}\n", tables.join("\n\n"))
            } else {
                text
            };
            files.put(path, text);
        }
        place.env.insert("HOME".to_owned(), at.home.clone());
        let version = dialects::default_version(dialect);
        SimulatedSession {
            dialect,
            probe,
            at,
            version,
            place,
            files,
            state: SessionState::default(),
            rules: BTreeSet::new(),
        }
    }

    /// The rules that the predictions of the session cite.
    fn rules(mut self) -> BTreeSet<RuleId> {
        let loaded = self.dialect.load(&self.place, &self.files, &self.version);
        let mut events: Vec<String> = loaded.definitions.iter().map(|definition| definition.event.clone()).collect();
        events.extend(
            self.probe
                .settings
                .iter()
                .filter_map(|settings| settings.get("hooks")?.as_object())
                .flat_map(|events| events.keys().cloned()),
        );
        events.sort();
        events.dedup();
        for name in events {
            let Some(event) = find_event(self.dialect, &self.version, &name) else {
                self.fire(InputRequest {
                    event: Some(name.clone()),
                    payload: Some(json!({ "hook_event_name": name })),
                    ..InputRequest::default()
                });
                continue;
            };
            let example = self.dialect.examples(event, &self.place, &self.version).remove(0);
            let request = InputRequest { event: Some(name.clone()), ..InputRequest::default() };
            if example.body.get("tool_name").is_some_and(|tool| !tool.is_null()) {
                for (call, agent) in self.calls() {
                    let (tool, input) = hook_call(&call);
                    let set = agent.iter().flat_map(|agent| [setting("agent_type", agent), setting("agent_id", "a1")]);
                    let set = set.collect();
                    self.fire(InputRequest { tool: Some(tool), tool_input: Some(input), set, ..request.clone() });
                }
            } else if example.body.get("phase").is_some() {
                for phase in ["validation", "postWrite"] {
                    self.fire(InputRequest { set: vec![setting("phase", phase)], ..request.clone() });
                }
            } else {
                for _ in 0..STOPS {
                    if !self.fire(request.clone()).is_some_and(|outcome| outcome.blocked) {
                        break;
                    }
                }
            }
        }
        self.rules
    }

    /// The calls of the model, each with the sub-agent that makes it.
    fn calls(&self) -> Vec<(ScriptedCall, Option<String>)> {
        let main = self.probe.model_turns(self.dialect.headless_format(), &self.at);
        let main: Vec<ScriptedCall> = main.iter().flat_map(|turn| turn.calls().to_vec()).collect();
        let agent = |call: &ScriptedCall| Some(call.input.get("subagent_type")?.as_str()?.to_owned());
        let sub = self.probe.model_turns_of_subagent(&self.at);
        let started = main.iter().find_map(agent);
        let inside = sub.iter().flat_map(|turn| turn.calls().to_vec()).map(|call| (call, started.clone()));
        main.iter().cloned().map(|call| (call, None)).chain(inside).collect()
    }

    /// Fires an event. `None` if the agent does not know it.
    fn fire(&mut self, request: InputRequest) -> Option<Outcome> {
        let request = InputRequest { agent: Some(self.dialect.id()), ..request };
        let version = self.version.clone();
        let built = build_input(&request, &self.place, &self.files, &|_| version.clone()).ok()?;
        let mut input = built.input;
        self.dialect.recall(&self.state, &mut input, &built.filled);
        let memory = self.state.memory(&input.event);
        let scene = Scene {
            input: input.clone(),
            loaded: self.dialect.load(&self.place, &self.files, &self.version),
            place: Arc::new(self.place.clone()),
            version,
            headless: true,
            memory: memory.clone(),
        };
        let (plan, outcome) = run(self.dialect, scene, |request| self.report(request));
        let keeper = format!("{}/{KEEPER}", self.at.hooks);
        let loaded = self.dialect.load(&self.place, &self.files, &self.version);
        let kept = |hook: &str| match loaded.definition(hook).map(|definition| &definition.handler) {
            Some(Handler::Command(handler)) => handler.command == keeper,
            _ => false,
        };
        self.rules.extend(plan.entries.iter().filter(|entry| !kept(&entry.hook)).map(|entry| entry.why.rule));
        self.rules.extend(plan.lost.map(|loss| loss.why.rule));
        self.rules.extend(outcome.rules());
        self.dialect.remember(&mut self.state, &input, &memory, &outcome);
        Some(outcome)
    }

    /// The report of a run, as the script of its hook makes it.
    fn report(&self, request: &RunRequest) -> RunReport {
        let ended = |exit| RunReport::new(request.run, exit, "", "");
        let Launch::Process(spec) = &request.launch else { return ended(Exit::Unanswered) };
        let line = std::iter::once(&spec.program).chain(&spec.args).cloned().collect::<Vec<_>>().join(" ");
        // A script that starts the hook.
        let script = spec.args.last().and_then(|path| self.files.read(path).ok()).unwrap_or_default();
        let line = line + &String::from_utf8_lossy(&script);
        let path = |name: &&String| line.contains(&format!("{}/{name}", self.at.hooks));
        let Some(name) = self.probe.hooks.keys().find(path) else {
            return ended(Exit::Code(if line.contains("nonexistent") { 127 } else { 0 }));
        };
        let script = &self.probe.hooks[name];
        let active = String::from_utf8_lossy(&spec.stdin).contains("\"stop_hook_active\":true");
        if script.first_stop_only && active {
            return ended(Exit::Code(0));
        }
        let took = Duration::from_secs_f64(script.sleep);
        let timed_out = spec.timeout.filter(|limit| *limit <= took && script.sleep > 0.0);
        let text = |name: &str| {
            let text = self.files.read(&format!("{}/{name}", self.at.hooks)).unwrap_or_default();
            CapturedStream { total: text.len() as u64, head: text, tail: Vec::new() }
        };
        let mut report = ended(timed_out.map_or(Exit::Code(script.exit), |after| Exit::TimedOut { after }));
        if timed_out.is_none() {
            (report.stdout, report.stderr) = (text(&format!("{name}.stdout")), text(&format!("{name}.stderr")));
        }
        report.timing = Timing { started: Duration::ZERO, ended: timed_out.unwrap_or(took) };
        report
    }
}

fn setting(path: &str, text: &str) -> FieldSetting {
    FieldSetting { path: path.to_owned(), text: text.to_owned() }
}

/// The tool and its input as hooks get them, for a call of the model.
fn hook_call(call: &ScriptedCall) -> (String, Value) {
    let text = |key: &str| call.input.get(key).cloned().unwrap_or_default();
    match call.tool.as_str() {
        "exec_command" => ("Bash".to_owned(), json!({ "command": text("cmd") })),
        "apply_patch" => (call.tool.clone(), json!({ "command": call.input })),
        "bash" => ("Bash".to_owned(), call.input.clone()),
        tool => (tool.to_owned(), call.input.clone()),
    }
}

/// Runs a firing; the run that ends first is reported first.
fn run(dialect: &'static Agent, scene: Scene, report: impl Fn(&RunRequest) -> RunReport) -> (Plan, Outcome) {
    let (mut firing, mut steps) = Firing::start(dialect, scene);
    let budget = firing.plan().budget;
    let mut live: Vec<RunReport> = Vec::new();
    let mut now = Duration::ZERO;
    loop {
        for step in std::mem::take(&mut steps) {
            match step {
                FiringStep::Launch(request)
                    if !matches!(request.launch, Launch::Refused(_) | Launch::Canned { .. }) =>
                {
                    let mut report = report(&request);
                    report.timing = Timing { started: now, ended: now + report.timing.ended };
                    live.push(report);
                }
                FiringStep::Kill(run) => {
                    for report in live.iter_mut().filter(|report| report.run == run) {
                        (report.exit, report.timing.ended) = (Exit::Cancelled, now);
                    }
                }
                FiringStep::Settled(outcome) => return (firing.plan().clone(), *outcome),
                FiringStep::Launch(_) | FiringStep::Pause | FiringStep::Read(_) | FiringStep::Decided(_) => {}
            }
        }
        let next = (0..live.len()).min_by_key(|at| (live[*at].timing.ended, live[*at].run)).expect("a run is live");
        let ends = live[next].timing.ended;
        steps = match budget {
            Some(budget) if now < budget && ends > budget => {
                now = budget;
                firing.expire()
            }
            _ => {
                now = now.max(ends);
                let report = live.remove(next);
                firing.report(report)
            }
        };
    }
}

//! The Guards page: modes, findings, judgements, allowances.

use std::sync::Arc;

use hookbench::app::guards::{GuardOverview, GuardsRequest, GuardsState, InstalledCommand, JudgedHit, Judgement};
use hookbench::app::{Fact, GuardInstallRequest, Job, prepare_guards};
use hookbench::core::dialects;
use hookbench::core::guard::{GuardHit, GuardMode, GuardName};
use hookbench::core::hook::Layer;
use hookbench::core::port::AgentVersion;
use hookbench::tui::{LoopRequest, Theme};
use serde_json::json;

use crate::screen::{MEDIUM, TestScreen, sample_files};
use crate::screen_states::{ScreenState, hold_states};

const STATES: [ScreenState; 8] = [
    ("guards-none", |size, theme| opened(size, theme, &[])),
    ("guards-findings", |size, theme| opened(size, theme, &hits())),
    ("guards-absent", |size, theme| {
        let mut screen = opened(size, theme, &[]);
        screen.keys("g");
        screen
    }),
    ("guards-allow", |size, theme| {
        let mut screen = opened(size, theme, &hits());
        screen.keys("A").type_text("the nightly job runs the tests").keys("Enter");
        screen
    }),
    ("guards-mode", |size, theme| {
        let mut screen = opened(size, theme, &hits());
        screen.keys("g D");
        screen
    }),
    ("guards-mode-patch", |size, theme| {
        let mut screen = opened(size, theme, &hits());
        screen.keys("D").type_text("warn").keys("Enter");
        screen
    }),
    ("guards-test", |size, theme| {
        let mut screen = opened(size, theme, &hits());
        screen.keys("S");
        screen
    }),
    ("guards-explain", |size, theme| {
        let mut screen = opened(size, theme, &hits());
        screen.keys("K");
        screen
    }),
];

fn opened(size: (u16, u16), theme: Theme, hits: &[JudgedHit]) -> TestScreen {
    let mut screen = TestScreen::with(size, "claude", sample_files(), theme, false);
    screen.model.config.file = Some("/home/dev/.config/hookbench/config.toml".into());
    screen.keys("7");
    screen.fact(Fact::Guards(Arc::new(state(hits))));
    screen
}

fn state(hits: &[JudgedHit]) -> GuardsState {
    let guards = GuardName::ALL.into_iter().map(|guard| {
        let own = || hits.iter().filter(move |one| one.hit.guard == guard.word());
        let judged = |judgement| own().filter(|one| one.judged == Some(judgement)).count();
        let installed = guard == GuardName::Malicious;
        GuardOverview {
            guard,
            mode: if installed { GuardMode::Deny } else { GuardMode::Shadow },
            since: installed.then(|| "2026-11-20T10:00:00.000Z".to_owned()),
            installed: installed
                .then(|| InstalledCommand {
                    agent: dialects::ALL[0].id(),
                    event: "PreToolUse".to_owned(),
                    place: "~/.claude/settings.json:9".to_owned(),
                    mode: None,
                    inactive: None,
                })
                .into_iter()
                .collect(),
            hits: own().count(),
            right: judged(Judgement::Right),
            wrong: judged(Judgement::Wrong),
        }
    });
    GuardsState { guards: guards.collect(), hits: hits.to_vec(), ..GuardsState::default() }
}

/// Guard, rule, answer, evidence, words, judgement.
type HitRow = (&'static str, &'static str, &'static str, &'static str, &'static str, Option<Judgement>);

fn hits() -> Vec<JudgedHit> {
    let rows = [
        ("malicious", "MB-R2", "deny", "SKIP_TESTS=1 make", "SKIP_TESTS=1 switches a check off", None),
        (
            "malicious",
            "MB-R1",
            "deny",
            "git commit --no-verify -m wip",
            "--no-verify skips the hooks",
            Some(Judgement::Right),
        ),
        (
            "todo",
            "TV-R2",
            "pass",
            "Add tests \u{1b}[31m",
            "\"Add tests\" is completed, but no tool was used",
            Some(Judgement::Wrong),
        ),
    ];
    let hit = |(number, (guard, rule, answer, evidence, what, judged)): (usize, HitRow)| JudgedHit {
        hit: GuardHit {
            id: format!("00000000000{number}"),
            at: "2026-11-22T10:00:00.000Z".to_owned(),
            guard: guard.to_owned(),
            rule: rule.to_owned(),
            mode: "deny".to_owned(),
            answer: answer.to_owned(),
            agent: dialects::ALL[0].id().to_string(),
            event: "pre_tool_use".to_owned(),
            tool: "Bash".to_owned(),
            session: "s".to_owned(),
            project: "/home/dev/shop".to_owned(),
            what: what.to_owned(),
            evidence: evidence.to_owned(),
            payload: (number == 0).then(|| {
                json!({
                    "session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/home/dev/shop",
                    "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": evidence},
                })
            }),
            ..GuardHit::default()
        },
        judged,
        times: number + 1,
    };
    rows.into_iter().enumerate().map(hit).collect()
}

/// The guards, none of them installed.
fn absent() -> GuardsState {
    let mut state = state(&[]);
    state.guards.iter_mut().for_each(|guard| guard.installed.clear());
    state
}

#[test]
fn states_at_every_size() {
    hold_states("", &STATES);
}

/// A finding names its agent and its event as users know them, with a time that can be read.
#[test]
fn a_finding_is_described_in_plain_words() {
    let screen = opened((160, 50), Theme { colour: false, unicode: true }, &hits());
    let text = screen.text();
    for words in ["agent    Claude Code   PreToolUse  Bash", "seen     2026-11-22 10:00:00 UTC"] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    assert!(!text.contains("pre_tool_use") && !text.contains("10:00:00.000Z"), "{text}");
    let mut guard = opened((160, 50), Theme { colour: false, unicode: true }, &hits());
    guard.keys("g");
    assert!(guard.text().contains("mode shadow   findings are recorded, the agent continues"), "{}", guard.text());
}

#[test]
fn a_judgement_is_one_key() {
    let mut screen = opened(MEDIUM, Theme { colour: false, unicode: true }, &hits());
    let before = screen.rows();
    screen.keys("J");
    assert_eq!(screen.rows(), before, "nothing moves until the judgement is kept");
    let mut judged = hits();
    judged[0].judged = Some(Judgement::Right);
    screen.fact(Fact::Guards(Arc::new(state(&judged))));
    assert!(screen.text().contains("all judged"), "{}", screen.text());
    screen.keys("K");
    assert!(screen.text().contains("A check is switched off by a variable"), "{}", screen.text());
}

#[test]
fn findings_of_a_trial_stay_after_a_judgement() {
    let mut screen = opened(MEDIUM, Theme { colour: false, unicode: true }, &[]);
    assert!(screen.text().contains("r tries the guards on recorded events"), "{}", screen.text());
    let mut tried = state(&hits());
    tried.tried = Some(40);
    for one in &mut tried.hits {
        one.times = 0;
    }
    screen.fact(Fact::Guards(Arc::new(tried)));
    screen.keys("j j j j");
    assert!(screen.text().contains("would refuse (trial)"), "{}", screen.text());
    let mut after = state(&[]);
    after.judgements.insert("000000000000".to_owned(), Judgement::Wrong);
    screen.fact(Fact::Guards(Arc::new(after)));
    let text = screen.text();
    assert!(text.contains("SKIP_TESTS=1 make") && text.contains("3 findings, 2 not judged"), "{text}");
}

#[test]
fn a_finding_without_its_payload_is_no_test() {
    let mut screen = opened(MEDIUM, Theme { colour: false, unicode: true }, &hits());
    screen.keys("j S");
    assert!(screen.text().contains("the payload of this finding is not recorded"), "{}", screen.text());
}

/// `Enter` writes what `hookbench guard install NAME --agent AGENT --scope project` writes, for every guard and agent.
#[test]
fn enter_installs_a_guard_in_the_agent_on_the_bench() {
    let mut impossible = Vec::new();
    // An agent without hooks of a project has no place for them.
    for dialect in dialects::released().filter(|dialect| !["kimi", "hermes"].contains(&dialect.id().as_str())) {
        for (index, guard) in GuardName::ALL.into_iter().enumerate() {
            let theme = Theme { colour: false, unicode: true };
            let mut screen = TestScreen::with(MEDIUM, dialect.id().as_str(), sample_files(), theme, false);
            let version = screen.model.session.agent(dialect.id().as_str()).unwrap().version.clone();
            let agents = [AgentVersion { dialect, version }];
            let request = GuardInstallRequest { guards: &[guard], agents: &agents, layer: Layer::Project };
            let session = &screen.model.session;
            let wanted = prepare_guards(session.place(), session.files(), &request).unwrap().changes;
            screen.keys("7").fact(Fact::Guards(Arc::new(absent())));
            screen.keys(&format!("g{}", " j".repeat(index)));
            let Some(change) = wanted.first() else {
                screen.keys("Enter");
                let text = screen.text();
                assert!(!text.contains("Enter install") && !text.contains("Install guard"), "{text}");
                assert!(text.contains(&format!("{} cannot run it: ", dialect.name())), "{text}");
                impossible.push((dialect.name(), guard.word()));
                continue;
            };
            assert!(screen.text().contains("Enter install"), "{}", screen.text());
            screen.keys("Enter");
            let title = format!("Install guard {} in {}", guard.word(), dialect.name());
            assert!(screen.text().contains(&title), "{}", screen.text());
            screen.asks.clear();
            screen.keys("Y");
            assert_eq!(screen.model.session.files().read(&change.path).unwrap(), change.after);
            let reads = |ask: &LoopRequest| match ask {
                LoopRequest::Jobs(jobs) => jobs.contains(&Job::Guards(GuardsRequest::Read)),
                _ => false,
            };
            assert!(screen.asks.iter().any(reads), "the page reads the guards again");
        }
    }
    let todo = ["Codex", "Copilot CLI", "CodeBuddy Code", "Cline"].map(|agent| (agent, "todo"));
    assert_eq!(impossible, todo);
}

#[test]
fn a_guard_says_in_which_agent_it_is_installed() {
    let command = |agent: usize, inactive: Option<&str>| InstalledCommand {
        agent: dialects::ALL[agent].id(),
        event: "Stop".to_owned(),
        place: "settings.json:9".to_owned(),
        mode: None,
        inactive: inactive.map(str::to_owned),
    };
    let cases = [
        (vec![], "not installed, nothing found"),
        (vec![command(0, None)], " installed, nothing found"),
        (vec![command(0, Some("it needs a review"))], "installed, does not run, nothing found"),
        (vec![command(0, Some("it needs a review")), command(0, None)], " installed, nothing found"),
        (vec![command(1, None)], &format!("only in {}, nothing found", dialects::ALL[1].name())),
        (vec![command(1, None), command(1, None), command(2, None)], "in 2 other agents, nothing found"),
    ];
    for (installed, wanted) in cases {
        let mut screen = opened(MEDIUM, Theme { colour: false, unicode: true }, &[]);
        let mut guards = absent();
        let waits = installed.iter().any(|command| command.inactive.is_some());
        let offers = !installed.iter().any(|command| command.agent == dialects::ALL[0].id());
        guards.guards[0].installed = installed;
        screen.fact(Fact::Guards(Arc::new(guards)));
        screen.keys("g");
        let row = screen.rows().into_iter().find(|row| row.contains("response")).unwrap();
        assert!(row.contains(wanted), "{wanted}: {row}");
        let text = screen.text();
        assert_eq!((text.contains("does not run: it needs a review"), text.contains("Enter install")), (waits, offers));
    }
}

/// Findings of other projects are listed last, with the name of the project.
#[test]
fn a_finding_of_another_project_is_marked() {
    let mut all = hits();
    for (hit, project) in all.iter_mut().zip(["/home/dev/billing", "/home/dev/shop/web", "/home/dev/shopping"]) {
        project.clone_into(&mut hit.hit.project);
    }
    all[2].hit.guard = "malicious".to_owned();
    let screen = opened(MEDIUM, Theme { colour: false, unicode: true }, &all);
    // The list is above the detail.
    let is_finding = |row: &String| row.contains("MB-R") || row.contains("TV-R");
    let rows: Vec<String> = screen.rows().into_iter().filter(is_finding).take(3).collect();
    let wanted = ["right   git commit", "billing: SKIP_TESTS", "wrong   shopping: "];
    assert_eq!(rows.len(), wanted.len(), "{rows:#?}");
    for (row, wanted) in rows.iter().zip(wanted) {
        assert!(row.contains(wanted), "{wanted}: {row}");
    }
}

//! Crashes from internal errors. The shipped program has no way to cause one, so this test binary starts itself as a
//! program whose screen panics on certain keys.

use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};

use crossterm::event::KeyCode;
use hookbench::app::OpenRequest;
use hookbench::tui::{Frontend, LoopRequest, Model, Msg, guarded, open_as, update, view};
use ratatui::Frame;

use crate::pty::modes::shell;
use crate::terminal::{EndlessHook, crash_reports, is_restored};

/// Text that the user has typed: no report may contain it.
const SECRET: &str = "s3cret-wörd";

static BREAK_VIEW: AtomicBool = AtomicBool::new(false);

/// Every kind of panic: its name, and the key that causes it.
const WAYS: [(&str, &str); 9] = [
    ("update", "1"),
    ("view", "2"),
    ("task", "3"),
    ("blocking", "4"),
    ("thread", "5"),
    ("many", "6"),
    ("twice", "7"),
    ("error", "8"),
    ("worker-twice", "9"),
];

#[test]
#[ignore = "is the program that the tests below start"]
fn breaks() {
    let dir = std::env::var_os("BREAKS_IN").map(Into::into);
    let request = OpenRequest { dir, yes: true, ..OpenRequest::default() };
    let status = guarded(|| open_as(&request, &Frontend { update: breaking_update, view: breaking_view }));
    std::process::exit(status.code().into());
}

fn breaking_view(model: &Model, frame: &mut Frame<'_>) {
    assert!(!BREAK_VIEW.load(Ordering::SeqCst), "cannot draw {}", model.event_lines.join(" "));
    view(model, frame);
}

/// Panics again while it is dropped.
struct PanicsOnDrop;

impl Drop for PanicsOnDrop {
    fn drop(&mut self) {
        panic!("once more with {SECRET}");
    }
}

fn breaking_update(model: &mut Model, msg: Msg, size: (u16, u16)) -> Vec<LoopRequest> {
    let text = model.event_lines.join(" ");
    let way = match &msg {
        Msg::Key(key) if model.popups.is_empty() => match key.code {
            KeyCode::Char(c) => c,
            _ => ' ',
        },
        _ => ' ',
    };
    match way {
        // Here the standard library's message contains the text itself.
        '1' => drop(text[..=text.find('ö').unwrap()].to_owned()),
        '2' => BREAK_VIEW.store(true, Ordering::SeqCst),
        '3' => drop(tokio::spawn(async move { panic!("no {text}") })),
        '4' => drop(tokio::task::spawn_blocking(move || panic!("no {text}"))),
        '5' => drop(std::thread::spawn(move || panic!("no {text}"))),
        '6' => {
            let all = Arc::new(Barrier::new(9));
            for _ in 0..8 {
                let (all, text) = (Arc::clone(&all), text.clone());
                std::thread::spawn(move || {
                    all.wait();
                    panic!("no {text}");
                });
            }
            all.wait();
            panic!("no {text}");
        }
        '7' => {
            let _bomb = PanicsOnDrop;
            panic!("no {text}");
        }
        '8' => {
            let failed: Result<u8, String> = text.parse().map_err(|_| text);
            drop(failed.unwrap().to_string());
        }
        '9' => {
            let broken = std::thread::spawn(move || {
                let _bomb = PanicsOnDrop;
                panic!("no {text}");
            });
            drop(broken);
        }
        _ => {}
    }
    update(model, msg, size)
}

#[test]
fn an_internal_error_restores_the_terminal() {
    let (endless, own) = (EndlessHook::new(), std::env::current_exe().unwrap());
    let home = tempfile::tempdir().unwrap();
    let env = [
        ("BREAK", own.to_str().unwrap()),
        ("BREAKS_IN", endless.path()),
        ("HOME", home.path().to_str().unwrap()),
        ("A_VALUE", "v4lue-of-the-environment"),
    ];
    let mut shell = shell(&env);
    let mut seen = Vec::new();
    for (name, key) in WAYS {
        shell.press(&format!(
            "clear; $BREAK pty::crash::breaks --exact --ignored --nocapture --test-threads 2; check {name}-$?\r"
        ));
        shell.wait_for("READY").press("s").wait_for("Set a field").press("\u{15}\u{15}");
        shell.press(&format!("tool_input.command={SECRET}\r")).wait_for(&format!("Bash  {SECRET}"));
        shell.press("f").wait_for("it-is-up").press(key).wait_for(&format!("same-{name}-70"));
        endless.wait_until_all_gone();
        assert!(is_restored(&shell.raw()), "{name}");
        let contents = shell.contents();
        let unwrapped = contents.replace('\n', "");
        assert_eq!(unwrapped.matches("internal error at ").count(), 1, "{name}: {contents}");
        assert!(!unwrapped.contains(SECRET) && !unwrapped.contains("panicked"), "{name}: {contents}");

        let now = crash_reports(shell.state.path());
        let new: Vec<_> = now.iter().filter(|path| !seen.contains(*path)).collect();
        let [path] = new.as_slice() else { panic!("{name}: {new:?}") };
        assert!(unwrapped.contains(path.to_str().unwrap()), "{name}: {contents}");
        assert!(now.len() <= 5, "{name}: {now:?}");
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        for part in [
            "place      ",
            "thread     ",
            "crash.rs:",
            "terminal   120x40, TERM xterm-256color",
            "SetField",
            "claude",
            "last verbs",
            "fire",
            "breaking_",
            env!("CARGO_PKG_VERSION"),
        ] {
            assert!(text.contains(part) || (part == "breaking_" && name == "many"), "{name}: {part} in {text}");
        }
        for part in [SECRET, "s3cret", "it-is-up", "sleep 3600", "v4lue-of", home.path().to_str().unwrap()] {
            assert!(!text.contains(part), "{name}: {part} in {text}");
        }
        seen.extend(now);
    }
    shell.press("exit\r");
    shell.wait_for_end();
}

/// Without a screen, the report is written without the event loop.
#[test]
#[ignore = "is the program that the test below starts"]
fn breaks_without_a_screen() {
    let status = guarded(|| match std::env::var("BREAKS").unwrap().as_str() {
        "first" => panic!("no {SECRET}"),
        _ => {
            std::thread::spawn(|| panic!("no {SECRET}"));
            loop {
                std::thread::park();
            }
        }
    });
    std::process::exit(status.code().into());
}

#[test]
fn without_a_screen_it_is_the_same() {
    for (way, thread) in [("first", "breaks_without_a_screen"), ("other", "without a name")] {
        let state = tempfile::tempdir().unwrap();
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args([
            "pty::crash::breaks_without_a_screen",
            "--exact",
            "--ignored",
            "--nocapture",
            "--test-threads",
            "2",
        ]);
        let output = command.env("BREAKS", way).env("XDG_STATE_HOME", state.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(70), "{way}");
        let [path] = &crash_reports(state.path())[..] else { panic!("{way}: one report") };
        let says = String::from_utf8_lossy(&output.stderr);
        assert!(says.starts_with("hookbench: internal error at tests/terminal/pty/crash.rs:"), "{says}");
        assert!(says.lines().count() == 2 && says.contains(path.to_str().unwrap()), "{says}");
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains(thread) && text.contains("no screen") && !text.contains(SECRET), "{text}");
    }
}

#[test]
fn without_a_place_for_the_report_the_rest_is_the_same() {
    let own = std::env::current_exe().unwrap();
    let endless = EndlessHook::new();
    let env =
        [("BREAK", own.to_str().unwrap()), ("BREAKS_IN", endless.path()), ("XDG_STATE_HOME", "/sys/no-such-place")];
    let mut shell = shell(&env);
    shell.press("$BREAK pty::crash::breaks --exact --ignored --nocapture --test-threads 2; check full-$?\r");
    shell.wait_for("READY").press("5").wait_for("the report could not be written").wait_for("same-full-70");
    shell.press("exit\r");
    assert!(is_restored(shell.wait_for_end().1.as_bytes()));
}

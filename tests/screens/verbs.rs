//! Actions by name: the palette, the finder, and user-defined keys.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    dead_code,
    reason = "tests read files, use parts of shared support, and fail by panicking"
)]

use crate::screen;

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use hookbench::app::{Containment, Fact, Job};
use hookbench::tui::{Focus, LoopRequest, Msg, Tab};
use screen::{MEDIUM, TestScreen, picture, sample_files};

#[test]
fn the_palette_runs_verbs_by_their_names() {
    let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
    screen.keys(":");
    picture("palette-80x24", screen.text());
    screen.keys("cpycom");
    let text = screen.text();
    assert!(text.contains("copy-command") && text.contains("screen only: it is the command line"), "{text}");
    screen.keys("Enter");
    assert!(matches!(screen.asks.last(), Some(LoopRequest::Copy(line)) if line.contains("--payload -")));
    screen.keys(": fire");
    assert!(screen.text().contains("hookbench fire PreToolUse --agent claude"), "{}", screen.text());
    screen.keys("Enter");
    assert!(screen.text().contains("Y run"), "{}", screen.text());
    screen.keys("n : zzz Enter");
    assert!(screen.text().contains("no match"));
    // Earlier messages can still be read.
    screen.keys("Esc").send(Msg::Paste("no object".to_owned()));
    screen.keys("j : messages Enter");
    assert!(screen.text().contains("the pasted text is not a JSON object"), "{}", screen.text());
}

/// The header says whether the next runs are contained; a run shows whether it was.
#[test]
fn the_next_runs_are_kept_apart() {
    let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
    let header = |screen: &TestScreen| screen.text().lines().next().unwrap().to_owned();
    let contain = |screen: &TestScreen| {
        let jobs =
            screen.asks.iter().filter_map(|ask| if let LoopRequest::Jobs(jobs) = ask { Some(jobs) } else { None });
        jobs.flatten().any(|job| matches!(job, Job::Contain { .. }))
    };
    assert!(!header(&screen).contains("contained"));
    screen.keys("! c");
    assert!(header(&screen).contains("contained"), "{}", screen.text());
    assert!(
        screen.asks.iter().any(|a| matches!(a, LoopRequest::Copy(line) if line.contains(" --contain "))),
        "{:?}",
        screen.asks
    );
    screen.keys("f Y");
    assert!(contain(&screen), "{:?}", screen.asks);
    let firing = screen.model.session.history().newest().unwrap().id;
    let how = Containment {
        project: "/tmp/copy".to_owned(),
        home: "/tmp/home".to_owned(),
        environment: Vec::new(),
        isolation: Ok(()),
        gaps: Vec::new(),
        left_out: Vec::new(),
    };
    screen.send(Msg::Fact(Fact::Contained { firing, containment: Box::new(how) }));
    screen.model.tab = Some(Tab::Process);
    assert!(screen.text().contains("apart     contained: a copy of the project"), "{}", screen.text());
    let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
    screen.keys("! ! f Y");
    assert!(!header(&screen).contains("contained") && !contain(&screen), "{}", screen.text());
}

#[test]
fn what_is_shown_can_be_copied() {
    let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
    screen.keys("y");
    picture("copy-80x24", screen.text());
    for (key, part) in [
        ("v", "guard.sh runs"),
        ("r", "guard.sh"),
        ("j", "\"tool_input\": {"),
        ("p", "/home/dev/shop/.claude/settings.json"),
        ("c", "hookbench fire"),
    ] {
        screen.asks.clear();
        screen.keys("Esc y").keys(key);
        assert!(
            screen.asks.iter().any(|a| matches!(a, LoopRequest::Copy(text) if text.contains(part))),
            "{key}: {:?}",
            screen.asks
        );
    }
    screen.keys("y Esc");
    assert!(!screen.text().contains("payload as JSON"));
}

/// Clicks the first letter of a text, or turns the wheel there.
fn mouse(screen: &mut TestScreen, text: &str, kind: MouseEventKind) {
    let shown = screen.text();
    let (row, line) = shown.lines().enumerate().find(|(_, l)| l.contains(text)).unwrap();
    let column = line[..line.find(text).unwrap()].chars().count();
    let (column, row) = (u16::try_from(column).unwrap(), u16::try_from(row).unwrap());
    screen.send(Msg::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
}

#[test]
fn the_mouse_selects_and_scrolls() {
    let click = MouseEventKind::Down(MouseButton::Left);
    for size in [(120, 40), MEDIUM] {
        let mut screen = TestScreen::new(size, "claude", sample_files());
        mouse(&mut screen, "policy.py", click);
        assert!(screen.selects("policy.py"), "{}", screen.text());
        // Each tab in the title can be clicked.
        for tab in Tab::ALL {
            mouse(&mut screen, "stdin ", click);
            mouse(&mut screen, &format!("{} ", tab.title()), click);
            let stands = screen.model.current_tab();
            assert!(stands == tab || tab == Tab::ALL[5], "{stands:?} {tab:?}");
        }
        assert_eq!(screen.model.focus, Focus::Detail);
        mouse(&mut screen, "guard.sh", MouseEventKind::ScrollUp);
        assert!(screen.selects("protect.py"), "the wheel moves the list: {}", screen.text());
        assert_eq!(screen.model.focus, Focus::Detail, "and the focus stays");
        assert!(screen.started.is_empty());
        screen.asks.clear();
        screen.keys("M");
        assert!(screen.text().contains("the mouse is off") && screen.asks.contains(&LoopRequest::Mouse(false)));
        // A click does not answer a question.
        screen.keys("f");
        mouse(&mut screen, "Y run", click);
        assert!(screen.started.is_empty() && screen.text().contains("Y run"));
    }
}

/// Messages name the user's own keys.
#[test]
fn sentences_name_the_keys_that_there_are() {
    let keys = [("fire", "X"), ("open", "O"), ("why", "Y"), ("next-match", "P"), ("bottom", "B"), ("edit", "Q")];
    let mut files = sample_files();
    let settings = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "nowhere.sh"}]}], "Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    files.put(format!("{}/.claude/settings.json", screen::PROJECT), settings);
    let mut screen = TestScreen::new(MEDIUM, "claude", files);
    let names: Vec<&str> = screen.model.config.keys.rows().map(|(binding, _)| binding.name).collect();
    for (name, key) in keys {
        let row = names.iter().position(|n| *n == name).unwrap();
        *screen.model.config.keys.keys_mut(row).unwrap() = vec![key.to_owned()];
    }
    let shows = |screen: &TestScreen, part: &str| assert!(screen.text().contains(part), "{part}:\n{}", screen.text());
    for part in ["X fire (asks first)", "O expand", " X fire "] {
        shows(&screen, part);
    }
    screen.keys("Y ] ] ]");
    shows(&screen, "not run yet; X fires it");
    screen.keys("B");
    shows(&screen, "O lists hooks of other events");
    screen.keys("O g X Y");
    screen.report(|_| (0, "one\ntwo\none\n", ""));
    screen.keys("l / o n e Enter");
    shows(&screen, "P ( step, Esc clear");
}

#[test]
fn anything_is_found_by_a_few_letters() {
    let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
    screen.control('p').keys("audit");
    picture("find-80x24", screen.text());
    screen.keys("Enter");
    assert!(screen.selects("audit.py"), "{}", screen.text());
    // A hook of another event selects its event too.
    screen.control('p').keys("todo_gate Enter");
    assert_eq!(screen.model.session.bench().payload.event.unwrap().name, "Stop");
    assert!(screen.selects("todo_gate.py"), "{}", screen.text());
    // A hook of an event that the agent does not have is selected below the others.
    let settings = screen.read(".claude/settings.json").unwrap();
    screen.save(".claude/settings.json", &settings.replace("\"Stop\"", "\"stop\""));
    screen.control('p').keys("policy Enter").control('p').keys("todo_gate Enter");
    assert!(screen.selects("todo_gate.py"), "{}", screen.text());
    assert!(screen.text().contains("stop"), "{}", screen.text());
    screen.control('p').keys("gitpush Enter");
    let command = screen.model.session.bench().body().unwrap()["tool_input"]["command"].clone();
    assert!(command.as_str().unwrap().starts_with("git push"), "{command}");
}

#[test]
fn every_verb_can_be_asked_for_in_the_palette() {
    let names: Vec<String> = {
        let screen = TestScreen::new((100, 200), "claude", sample_files());
        screen.model.config.keys.rows().map(|(binding, _)| binding.name.to_owned()).collect()
    };
    for name in names {
        let mut screen = TestScreen::new((100, 200), "claude", sample_files());
        screen.keys(":").type_text(&name);
        let text = screen.text();
        let first = text.lines().skip_while(|l| !l.contains(&format!(": {name}"))).nth(2).unwrap_or_default();
        let label = first.trim_start_matches(['│', ' ']).split(' ').next();
        assert_eq!(label, Some(name.as_str()), "not the first:\n{text}");
        assert!(text.contains("screen only: ") || text.contains(" hookbench "), "{name}:\n{text}");
    }
}

#[test]
fn lists_say_what_moves_and_what_is_below() {
    let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
    screen.keys("t Post");
    let text = screen.text();
    assert!(text.contains("type to filter") && text.contains(" below"), "{text}");
    screen.keys("Enter");
    assert_eq!(screen.model.session.bench().payload.event.unwrap().name, "PostToolUse", "what has hooks comes first");
    screen.keys("f Y");
    screen.report(|_| (0, "", ""));
    screen.keys("H");
    assert!(screen.text().contains("Enter open run"), "{}", screen.text());
}

/// The tools' names in every agent, and selecting one for the event.
#[test]
fn tools_are_found_by_what_they_do() {
    let mut screen = TestScreen::new(MEDIUM, "claude", sample_files());
    screen.keys(": tools Enter");
    picture("tools-80x24", screen.text());
    let tool = |screen: &TestScreen| screen.model.session.bench().body().unwrap()["tool_name"].clone();
    // This tool has a template.
    screen.type_text("write_file").keys("Enter");
    assert_eq!(tool(&screen), "Write");
    assert!(!screen.model.session.bench().payload.edited, "{}", screen.text());
    // This tool has no template.
    screen.keys(": tools Enter").type_text("todo").keys("Enter");
    assert_eq!(tool(&screen), "TodoWrite");
    assert!(screen.model.session.bench().payload.edited, "{}", screen.text());
    // The agent has no such tool, so nothing changes.
    screen.keys(": tools Enter").type_text("list_dir");
    assert!(screen.text().contains("list_dir   Qwen Code, Gemini CLI list_directory"), "{}", screen.text());
    screen.keys("Enter");
    assert_eq!(tool(&screen), "TodoWrite");
    assert!(screen.model.popups.is_empty(), "{}", screen.text());
}

/// Moving the selection shows a theme, Esc shows the old one again, and Enter keeps the choice in the settings file.
#[test]
fn a_theme_is_shown_before_it_is_chosen() {
    let file = "/home/dev/.config/hookbench/config.toml";
    let mut files = sample_files();
    files.put(file, "# mine\nmouse = false # no\n[lint]\n");
    let mut screen = TestScreen::new(MEDIUM, "claude", files);
    screen.model.config.file = Some(file.into());
    let shown = |screen: &TestScreen| (screen.model.theme, screen.model.shades);
    let old = shown(&screen);
    screen.keys(": theme Space Down Down");
    let second = shown(&screen);
    assert_ne!(second, old);
    screen.keys("Down");
    assert_ne!(shown(&screen), second);
    screen.keys("Esc");
    assert_eq!(shown(&screen), old);
    screen.keys(": theme Space Down Down Enter");
    assert_eq!(shown(&screen), second);
    let name = screen.model.config.theme.name();
    let kept = screen.model.session.files().read(file).unwrap();
    let want = format!("# mine\nmouse = false # no\ntheme = \"{name}\"\n[lint]\n");
    assert_eq!(String::from_utf8(kept).unwrap(), want);
    // The palette opens on the choice.
    screen.keys(": theme Space");
    assert_eq!(shown(&screen), second);
}

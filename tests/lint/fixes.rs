//! Fixes change only their target, whatever surrounds it; undo restores the exact bytes.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test that cannot go on fails")]

use hookbench::core::names::AgentId;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;

use hookbench::app::lint::{FileChange, Finding, LintResult, apply_fixes};
use hookbench::app::{Consent, Fact, LinkPolicy, Session, SessionOptions, StateDir, undo, write_all};
use hookbench::core::config::{MemoryFiles, Os, Place};
use hookbench::core::diagnostic::Code;
use hookbench::core::dialects;
use proptest::prelude::*;

fn place(project: &str, home: &str) -> Place {
    Place {
        project: project.to_owned(),
        home: home.to_owned(),
        home_given: false,
        env: BTreeMap::new(),
        os: Os::Linux,
        ..Place::default()
    }
}

#[allow(clippy::needless_pass_by_value, reason = "every caller has files of its own")]
fn session(files: MemoryFiles) -> Session {
    let options = SessionOptions { keep_firings: 1, ..SessionOptions::default() };
    let place = place("/p", "/h").as_trusted();
    let mut session =
        Session::new(options, place, Box::new(files.clone()), AgentId::new("gemini"), &[], Consent::default());
    for dialect in dialects::ALL {
        let version = session.agent(dialect.id().as_str()).unwrap().version.clone();
        let loaded = dialect.load(session.place(), &files, &version);
        session.absorb(Fact::Loaded { agent: dialect.id(), loaded });
    }
    session
}

fn with_safe_fix(linted: LintResult) -> Vec<Finding> {
    linted
        .findings
        .into_iter()
        .filter(|f| f.code == Code::HW301 && f.fix.as_ref().is_some_and(|fix| fix.safe))
        .collect()
}

/// Whitespace and comments that may separate two tokens in such a file.
fn gap() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just(" ".to_owned()),
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("\t".to_owned()),
        Just("/* é \"Run_shell_command\" */".to_owned()),
        Just("// 日本 \"Run_shell_command\"\n".to_owned()),
    ];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_fix_keeps_every_byte_outside_its_edits(gaps in prop::collection::vec(gap(), 12), bom in any::<bool>()) {
        let hook = r#"{"type": "command", "command": "echo Run_shell_command"}"#;
        let parts = ["{", "\"hooks\"", ":", "{\"BeforeTool\":", "[", "{", "\"matcher\"", ":", "\"^Run_shell_command$\"", ","];
        let head: String = parts.iter().zip(&gaps).flat_map(|(part, gap)| [*part, gap.as_str()]).collect();
        let mark = if bom { "\u{feff}" } else { "" };
        let before = format!("{mark}{head}\"hooks\": [{hook}{}]{}}}]}}}}", gaps[10], gaps[11]);
        let mut files = MemoryFiles::default();
        files.put("/p/.gemini/settings.json", &before);
        let project = session(files).lint_input();
        let mended = apply_fixes(&project, (None, &[], &BTreeMap::new()), LinkPolicy::Refuse, &with_safe_fix);
        let want = before.replace("\"^Run_shell_command$\"", "\"^run_shell_command$\"");
        // A file that the agent cannot read is not fixed at all.
        if let Some(file) = mended.files.first() {
            prop_assert_eq!(std::str::from_utf8(&file.after).unwrap(), want);
            prop_assert_eq!((mended.files.len(), mended.fixes), (1, 1));
            prop_assert!(with_safe_fix(mended.remaining.clone()).is_empty());
        } else {
            prop_assert!(bom, "{}", before);
        }
    }
}

/// Several files and an executable bit form one step: written, undone and refused together.
#[test]
fn written_and_undone() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let place = place(root.join("p").to_str().unwrap(), root.to_str().unwrap());
    let mut with_state = place.clone();
    with_state.env.insert("XDG_STATE_HOME".to_owned(), root.join("state").to_str().unwrap().to_owned());
    let state = StateDir::of(&with_state);
    std::fs::create_dir(&place.project).unwrap();
    let path = |name: &str| root.join("p").join(name);
    let mode = |name: &str| std::fs::metadata(path(name)).unwrap().permissions().mode() & 0o777;
    let lay = |name: &str, text: &[u8], mode: u32| {
        std::fs::write(path(name), text).unwrap();
        std::fs::set_permissions(path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    lay("a.json", b"{\r\n \"a\": 1 }\r\n", 0o600);
    lay("b.sh", b"#!/bin/sh\xff\n", 0o640);
    let change = |name: &str, before: Option<&[u8]>, after: &[u8], executable| FileChange {
        file: name.to_owned(),
        path: path(name).to_str().unwrap().to_owned(),
        before: before.map(<[u8]>::to_vec),
        after: after.to_vec(),
        executable,
    };
    let changes = [
        change("a.json", Some(b"{\r\n \"a\": 1 }\r\n"), b"{}\n", false),
        change("b.sh", Some(b"#!/bin/sh\xff\n"), b"#!/bin/sh\xff\n", true),
        change("new/c.toml", None, b"x = 1\n", false),
    ];
    write_all(&with_state, &changes, LinkPolicy::Refuse).unwrap();
    assert_eq!(
        (std::fs::read(path("a.json")).unwrap(), mode("a.json"), mode("b.sh")),
        (b"{}\n".to_vec(), 0o600, 0o750)
    );
    // If an executable bit was changed meanwhile, nothing is reverted.
    std::fs::set_permissions(path("b.sh"), std::fs::Permissions::from_mode(0o700)).unwrap();
    assert!(undo(&state, &place.project).is_err());
    assert_eq!(std::fs::read(path("a.json")).unwrap(), b"{}\n");
    std::fs::set_permissions(path("b.sh"), std::fs::Permissions::from_mode(0o750)).unwrap();
    let undone = undo(&state, &place.project).unwrap();
    assert_eq!(
        undone.files.iter().map(|f| (f.removed, f.not_executable)).collect::<Vec<_>>(),
        [(false, false), (false, true), (true, false)]
    );
    assert_eq!(std::fs::read(path("a.json")).unwrap(), b"{\r\n \"a\": 1 }\r\n");
    assert_eq!((std::fs::read(path("b.sh")).unwrap(), mode("b.sh")), (b"#!/bin/sh\xff\n".to_vec(), 0o640));
    assert!(!path("new").exists());
    // If one file was changed meanwhile, none of the files is written.
    let late = [change("b.sh", Some(b"#!/bin/sh\xff\n"), b"x", false), change("a.json", Some(b"{}"), b"[]", false)];
    assert!(write_all(&with_state, &late, LinkPolicy::Refuse).is_err());
    assert_eq!(std::fs::read(path("b.sh")).unwrap(), b"#!/bin/sh\xff\n");
}

//! Another program edits a file as fast as it can while hookbench writes it: no edit is lost.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use hookbench::core::config::{Os, Place};
use hookbench_app::lint::FileChange;
use hookbench_app::{LinkPolicy, StateDir, WriteError, undo, write_all};

use crate::sandbox::Sandbox;

/// Adds numbered lines to a file: to its end, through a new file, or by writing all of it again.
const EDITOR: &str = r#"
import os, sys
path, way, edits = sys.argv[1], sys.argv[2], int(sys.argv[3])
for number in range(edits):
    line = f"edit {number};\n"
    if way == "append":
        with open(path, "a") as file:
            file.write(line)
        continue
    with open(path) as file:
        text = file.read() + line
    if way == "rename":
        with open(path + ".new", "w") as file:
            file.write(text)
        os.replace(path + ".new", path)
    else:
        with open(path, "w") as file:
            file.write(text)
"#;

fn place_of(sandbox: &Sandbox) -> Place {
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    Place {
        project: text(&sandbox.project),
        home: text(&sandbox.home),
        home_given: true,
        env: BTreeMap::from([("XDG_STATE_HOME".to_owned(), text(&sandbox.home.join("state")))]),
        os: Os::Linux,
        ..Place::default()
    }
}

/// The file, and what hookbench kept beside it.
fn everything(sandbox: &Sandbox) -> String {
    let entries = fs::read_dir(&sandbox.project).unwrap().flatten();
    let mine = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("notes.txt"));
    mine.map(|entry| fs::read_to_string(entry.path()).unwrap()).collect()
}

#[test]
fn no_edit_of_another_program_is_lost() {
    const EDITS: usize = 1500;
    for way in ["append", "rename", "write"] {
        let sandbox = Sandbox::new();
        sandbox.file("notes.txt", "start\n");
        let place = place_of(&sandbox);
        let path = sandbox.project.join("notes.txt");
        let (state, name) = (StateDir::of(&place), path.to_str().unwrap().to_owned());
        let mut editor = Command::new("python3");
        let mut editor = editor.args(["-c", EDITOR, &name, way, &EDITS.to_string()]).spawn().unwrap();
        let mut written = Vec::new();
        let mut tries = 0;
        loop {
            let has_ended = editor.try_wait().unwrap();
            let before = fs::read(&path).unwrap();
            let line = format!("mine {tries};\n");
            tries += 1;
            let after = [before.as_slice(), line.as_bytes()].concat();
            let change =
                FileChange { file: name.clone(), path: name.clone(), before: Some(before), after, executable: false };
            match write_all(&place, &[change], LinkPolicy::Refuse) {
                Ok(()) => written.push(line),
                Err(WriteError::Changed(_) | WriteError::ChangedTwice { .. }) => {}
                Err(other) => panic!("{way}: {other}"),
            }
            if let Some(status) = has_ended {
                assert!(status.success(), "{way}");
                break;
            }
        }
        let text = everything(&sandbox);
        let lost: Vec<usize> = (0..EDITS).filter(|number| !text.contains(&format!("edit {number};\n"))).collect();
        assert!(lost.is_empty(), "{way}: {lost:?} of {tries} writes, {} were done", written.len());
        // Nobody writes any more, so the last write is done.
        let last = format!("mine {};\n", tries - 1);
        assert_eq!(written.last(), Some(&last), "{way}");
        if way == "append" {
            let lost: Vec<&String> = written.iter().filter(|line| !text.contains(line.as_str())).collect();
            assert_eq!(lost, Vec::<&String>::new(), "an editor that appends removes nothing");
        }
        // A write that can be undone is undone, and nothing else with it.
        undo(&state, &place.project).unwrap();
        assert!(!fs::read_to_string(&path).unwrap().contains(&last), "{way}");
    }
}

/// A file that appears, changes or goes between the question and the write stays as it is.
#[test]
fn a_change_after_the_preview_is_kept() {
    for (before, there) in [(None, Some("theirs")), (Some("old"), Some("theirs")), (Some("old"), None)] {
        let sandbox = Sandbox::new();
        let place = place_of(&sandbox);
        let path = sandbox.project.join("notes.txt");
        if let Some(text) = there {
            fs::write(&path, text).unwrap();
        }
        let name = path.to_str().unwrap().to_owned();
        let before = before.map(|text: &str| text.as_bytes().to_vec());
        let change = FileChange { file: name.clone(), path: name, before, after: b"mine".to_vec(), executable: false };
        let why = write_all(&place, &[change], LinkPolicy::Refuse).unwrap_err();
        assert!(why.to_string().contains("changed in the meantime; nothing was written"), "{why}");
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), there);
    }
}

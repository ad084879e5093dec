//! The table of requirements (`docs/seeds.md`): it has every number, and the tests that it names exist.
#![allow(clippy::disallowed_methods, reason = "reads the source tree")]
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The families of numbers and their last number.
const FAMILIES: [(&str, u32); 3] = [("C", 100), ("V", 46), ("M", 26)];
/// The first words of a state. Only a row without a test needs none.
const WITH_TEST: [&str; 2] = ["done", "different"];
const WITHOUT_TEST: [&str; 2] = ["not done", "no such number"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A row: its numbers, its state, and the cell with its tests.
struct Row {
    line: usize,
    numbers: Vec<(String, u32)>,
    state: String,
    tests: String,
}

/// Reads `V-15…V-19` or `C-7`.
fn numbers(cell: &str) -> Option<Vec<(String, u32)>> {
    let one = |text: &str| {
        let (family, number) = text.trim().split_once('-')?;
        Some((family.to_owned(), number.parse().ok()?))
    };
    let (first, last) = cell.split_once('…').unwrap_or((cell, cell));
    let ((family, first), (_, last)) = (one(first)?, one(last)?);
    FAMILIES.iter().any(|(known, _)| *known == family).then(|| (first..=last).map(|n| (family.clone(), n)).collect())
}

fn rows(page: &str) -> Vec<Row> {
    let row = |(at, text): (usize, &str)| {
        let cells: Vec<&str> = text.strip_prefix("| ")?.trim_end().trim_end_matches('|').split(" | ").collect();
        let numbers = numbers(cells.first()?)?;
        let state = cells.get(2).unwrap_or(&"").trim().to_owned();
        Some(Row { line: at + 1, numbers, state, tests: cells.get(3).unwrap_or(&"").trim().to_owned() })
    };
    page.lines().enumerate().filter_map(row).collect()
}

/// Returns what is wrong with the tests of a cell: `path`, `path::function`, or `::function` of the path before.
fn mistakes(tests: &str, root: &Path) -> Vec<String> {
    let (mut wrong, mut file) = (Vec::new(), String::new());
    for item in tests.split('`').skip(1).step_by(2) {
        let (path, function) = item.split_once("::").map_or((item, None), |(path, name)| (path, Some(name)));
        if !path.is_empty() {
            path.clone_into(&mut file);
        }
        let at = root.join(&file);
        if file.is_empty() || !at.exists() {
            wrong.push(format!("{item}: the file does not exist"));
        } else if let Some(name) = function {
            let text = fs::read_to_string(&at).unwrap_or_default();
            let is_test = text.split(&format!("fn {name}(")).count() == 2;
            if !is_test {
                wrong.push(format!("{item}: the file has no such function, or several"));
            }
        }
    }
    wrong
}

#[test]
fn every_number_has_a_row_and_its_tests_exist() {
    let root = root();
    let page = fs::read_to_string(root.join("docs/seeds.md")).unwrap();
    let (mut wrong, mut seen) = (Vec::new(), BTreeMap::new());
    for row in rows(&page) {
        let says = |words: &[&str]| words.iter().any(|word| row.state.starts_with(word));
        let names_a_test = row.tests.contains("::") || row.tests.contains("tests/lint/");
        if !(says(&WITH_TEST) && names_a_test || says(&WITHOUT_TEST) && row.tests.is_empty()) {
            wrong.push(format!("line {}: the state or the tests are missing: {}", row.line, row.state));
        }
        wrong.extend(mistakes(&row.tests, &root).into_iter().map(|why| format!("line {}: {why}", row.line)));
        for number in row.numbers {
            *seen.entry(number).or_insert(0) += 1;
        }
    }
    for (family, last) in FAMILIES {
        for number in 1..=last {
            let count = seen.remove(&(family.to_owned(), number)).unwrap_or(0);
            if count != 1 {
                wrong.push(format!("{family}-{number} has {count} rows"));
            }
        }
    }
    wrong.extend(seen.keys().map(|(family, number)| format!("{family}-{number} is not a number of the documents")));
    assert!(wrong.is_empty(), "docs/seeds.md:\n{}", wrong.join("\n"));
}

#[test]
fn a_test_that_does_not_exist_is_named() {
    let here = "`tests/terminal/requirements_page.rs::rows`";
    for (tests, count) in [
        (here.to_owned(), 0),
        (format!("{here}, `::numbers`"), 0),
        (format!("{here}, `::nothing_like_this`"), 1),
        ("`tests/none.rs`".to_owned(), 1),
        ("`::rows`".to_owned(), 1),
    ] {
        assert_eq!(mistakes(&tests, &root()).len(), count, "{tests}");
    }
    assert_eq!(numbers("V-15…V-17").map(|all| all.len()), Some(3));
    assert!(numbers("X-1").is_none() && numbers("Number").is_none());
}

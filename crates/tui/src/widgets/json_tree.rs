//! A JSON object as a list of foldable rows, with a cursor and a search. It is rebuilt when the payload changes;
//! drawing only reads the visible rows.

use std::collections::BTreeMap;

use serde_json::Value;

use super::step;
use hookbench_core::text::{pluralize, stringify};

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeRow {
    /// The JSON pointer; empty for the fold of the common keys.
    pub pointer: String,
    pub depth: usize,
    /// The displayed key.
    pub key: String,
    /// Width of the column of the keys from here on, so that values are aligned.
    pub column: usize,
    pub value: TreeValue,
}

/// The displayed value of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeValue {
    /// The value as JSON, cut if it is very long.
    Scalar(String),
    /// An object, a list, or the common keys.
    Fold { open: bool, summary: String },
}

/// The search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeSearch {
    pub text: String,
    /// Whether key presses are added to the text.
    pub typing: bool,
    /// JSON pointers of the matches, in the order of the payload.
    pub hits: Vec<String>,
}

/// An action on the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeAction {
    MoveBy(isize),
    /// Fold or unfold the row under the cursor.
    Toggle,
    /// Unfold, or move to the first row inside.
    Enter,
    /// Fold, or move to the parent.
    Leave,
    NextHit,
    PreviousHit,
}

/// The payload that the rows are built from, and how it is shown.
#[derive(Clone, Copy)]
pub struct TreeSource<'a> {
    pub body: &'a Value,
    /// Whether a key belongs to the event; the others are common to all events.
    pub is_own_key: &'a dyn Fn(&str) -> bool,
    /// The number of rows that fit.
    pub room: usize,
}

impl TreeSource<'_> {
    /// Whether the value is inside one of the common keys.
    fn common(&self, pointer: &str) -> bool {
        pointer.split('/').nth(1).is_some_and(|key| !(self.is_own_key)(&unescaped(key)))
    }
}

/// The whole state.
#[derive(Debug, Clone, Default)]
pub struct JsonTree {
    pub rows: Vec<TreeRow>,
    pub cursor: usize,
    pub search: TreeSearch,
    /// Rows folded or unfolded by the user, by pointer; the others depend on the space.
    folds: BTreeMap<String, bool>,
}

/// Maximum number of characters of a value that a row is built from; no row shows more.
const LONGEST: usize = 512;
/// Rows of a pane that also shows the common keys if everything fits.
const HIGH: usize = 18;
/// Longer keys do not widen the column of the keys.
const WIDEST_KEY: usize = 24;

impl JsonTree {
    /// Discards the state, for another event.
    pub fn reset(&mut self) {
        *self = JsonTree::default();
    }

    /// Rebuilds the rows; the cursor keeps its place.
    pub fn rebuild(&mut self, of: TreeSource<'_>) {
        let kept = self.rows.get(self.cursor).map(|r| r.pointer.clone());
        self.find_matches(of);
        self.build(of);
        let at = |pointer: &str| self.rows.iter().position(|r| r.pointer == pointer);
        self.cursor = match kept {
            // The row under the cursor may have been folded away.
            Some(mut pointer) => loop {
                if let Some(index) = at(&pointer) {
                    break index;
                }
                match pointer.rfind('/') {
                    Some(cut) if cut > 0 => pointer.truncate(cut),
                    _ => break at("").unwrap_or(0),
                }
            },
            None => self.default_row(),
        };
    }

    /// The row that the user probably wants to change: the first value of the tool's input, otherwise of the
    /// event.
    fn default_row(&self) -> usize {
        let scalar = |r: &TreeRow| matches!(r.value, TreeValue::Scalar(_)) && r.pointer != "/hook_event_name";
        // The common keys come last.
        let own = || self.rows.iter().take_while(|r| !r.pointer.is_empty());
        let at = |deep: bool| own().position(|r| scalar(r) && (r.depth > 0) == deep);
        at(true).or_else(|| at(false)).unwrap_or(0)
    }

    fn build(&mut self, of: TreeSource<'_>) {
        let Value::Object(map) = of.body else {
            self.rows.clear();
            return;
        };
        // Counted without building all rows.
        let fits =
            map.iter().filter(|(k, _)| (of.is_own_key)(k)).map(|(_, v)| 1 + count(v, of.room)).sum::<usize>() < of.room;
        let mut builder = TreeBuilder { rows: Vec::new(), folds: &self.folds, fits, room: of.room };
        let (own, common): (Vec<_>, Vec<_>) = map.iter().partition(|(k, _)| (of.is_own_key)(k));
        builder.members(&own, "", 0);
        if !common.is_empty() {
            // In a high pane everything fits.
            let whole = 1 + map.values().map(|value| 1 + count(value, of.room)).sum::<usize>();
            let open = self.folds.get("").copied().unwrap_or(of.room >= HIGH && whole < of.room);
            let says = pluralize(common.len(), "common key");
            builder.rows.push(TreeRow {
                pointer: String::new(),
                depth: 0,
                key: String::new(),
                column: 0,
                value: TreeValue::Fold { open, summary: says },
            });
            if open {
                builder.members(&common, "", 1);
            }
        }
        align_values(&mut builder.rows);
        self.rows = builder.rows;
    }

    /// The row under the cursor.
    pub fn row(&self) -> Option<&TreeRow> {
        self.rows.get(self.cursor)
    }

    /// Performs an action. Returns `false` if it had no effect.
    pub fn act(&mut self, of: TreeSource<'_>, what: TreeAction) -> bool {
        let Some(row) = self.row().cloned() else { return false };
        match (what, &row.value) {
            (TreeAction::MoveBy(by), _) => self.cursor = step(self.cursor, by, self.rows.len()),
            (TreeAction::Toggle, TreeValue::Fold { open, .. }) => self.fold(of, &row.pointer, !open),
            (TreeAction::Enter, TreeValue::Fold { open: true, .. }) => {
                self.cursor = step(self.cursor, 1, self.rows.len());
            }
            (TreeAction::Enter, TreeValue::Fold { open: false, .. }) => self.fold(of, &row.pointer, true),
            (TreeAction::Leave, TreeValue::Fold { open: true, .. }) => self.fold(of, &row.pointer, false),
            (TreeAction::Leave, _) if row.depth > 0 => {
                let above = self.rows.get(..self.cursor).unwrap_or(&[]);
                self.cursor = above.iter().rposition(|r| r.depth < row.depth).unwrap_or(0);
            }
            (TreeAction::NextHit, _) => return self.jump(of, true),
            (TreeAction::PreviousHit, _) => return self.jump(of, false),
            (TreeAction::Toggle | TreeAction::Enter | TreeAction::Leave, _) => return false,
        }
        true
    }

    fn fold(&mut self, of: TreeSource<'_>, pointer: &str, open: bool) {
        self.folds.insert(pointer.to_owned(), open);
        self.rebuild(of);
    }

    /// Searches for a text and moves to the first match from the cursor on.
    pub fn find(&mut self, of: TreeSource<'_>, text: String) {
        self.search.text = text;
        self.find_matches(of);
        let here = self.row().is_some_and(|r| self.search.hits.contains(&r.pointer));
        if !here {
            self.jump(of, true);
        }
    }

    /// Finds all matches, in the order of the screen: the common keys come last.
    fn find_matches(&mut self, of: TreeSource<'_>) {
        let mut hits = Vec::new();
        let wanted = self.search.text.to_lowercase();
        if !wanted.is_empty() {
            look(of.body, "", &wanted, &mut hits);
            hits.sort_by_key(|pointer| of.common(pointer));
        }
        self.search.hits = hits;
    }

    /// Moves to the next or previous match and unfolds its parents.
    fn jump(&mut self, of: TreeSource<'_>, forward: bool) -> bool {
        if self.search.hits.is_empty() {
            return false;
        }
        let here = self.row().map(|r| r.pointer.clone()).unwrap_or_default();
        let order = &self.search.hits;
        let now = order.iter().position(|p| *p == here);
        let next = match (now, forward) {
            (Some(now), true) => (now + 1) % order.len(),
            (Some(now), false) => (now + order.len() - 1) % order.len(),
            (None, _) => {
                let after = self.rows.get(self.cursor..).unwrap_or(&[]);
                let seen = after.iter().find_map(|r| order.iter().position(|p| *p == r.pointer));
                seen.unwrap_or(0)
            }
        };
        let Some(target) = order.get(next).cloned() else { return false };
        if of.common(&target) {
            self.folds.insert(String::new(), true);
        }
        for (cut, _) in target.match_indices('/').skip(1) {
            self.folds.insert(target.get(..cut).unwrap_or("").to_owned(), true);
        }
        self.build(of);
        self.cursor = self.rows.iter().position(|r| r.pointer == target).unwrap_or(self.cursor);
        true
    }

    /// The number of the match under the cursor, counted from 1, and the number of matches.
    pub fn place(&self) -> (usize, usize) {
        let here = self.row().and_then(|row| self.search.hits.iter().position(|p| *p == row.pointer));
        (here.map_or(0, |h| h + 1), self.search.hits.len())
    }
}

struct TreeBuilder<'a> {
    rows: Vec<TreeRow>,
    folds: &'a BTreeMap<String, bool>,
    fits: bool,
    room: usize,
}

impl TreeBuilder<'_> {
    fn members(&mut self, members: &[(&String, &Value)], above: &str, depth: usize) {
        let keys: Vec<String> = members.iter().map(|(key, _)| shown_key(key)).collect();
        let wide = keys.iter().map(|k| super::width(k)).filter(|w| *w <= WIDEST_KEY).max().unwrap_or(0);
        for ((name, value), key) in members.iter().zip(keys) {
            let pointer = format!("{above}/{}", escaped(name));
            self.row(pointer, key, wide, value, depth);
        }
    }

    fn row(&mut self, pointer: String, key: String, column: usize, value: &Value, depth: usize) {
        let (len, says) = match value {
            Value::Object(map) if !map.is_empty() => (map.len(), format!("{{ {} }}", pluralize(map.len(), "key"))),
            Value::Array(list) if !list.is_empty() => (list.len(), format!("[ {} ]", pluralize(list.len(), "item"))),
            scalar => {
                let value = TreeValue::Scalar(scalar_text(scalar));
                self.rows.push(TreeRow { pointer, depth, key, column, value });
                return;
            }
        };
        let small = depth == 0 && len <= (self.room / 2).max(4);
        let open = self.folds.get(&pointer).copied().unwrap_or(self.fits || small);
        let value_of_row = TreeValue::Fold { open, summary: says };
        self.rows.push(TreeRow { pointer: pointer.clone(), depth, key, column, value: value_of_row });
        if !open {
            return;
        }
        match value {
            Value::Object(map) => self.members(&map.iter().collect::<Vec<_>>(), &pointer, depth + 1),
            Value::Array(list) => {
                let wide = super::width(&list.len().saturating_sub(1).to_string());
                for (index, item) in list.iter().enumerate() {
                    self.row(format!("{pointer}/{index}"), index.to_string(), wide, item, depth + 1);
                }
            }
            _ => {}
        }
    }
}

/// Aligns the values of all depths in one column.
fn align_values(rows: &mut [TreeRow]) {
    let ends = rows.iter().map(|row| 2 * row.depth + row.column);
    let end = ends.max().unwrap_or(0);
    for row in rows.iter_mut().filter(|row| !row.pointer.is_empty()) {
        row.column = end - 2 * row.depth;
    }
}

/// The number of rows inside a value, counted up to about `most`.
fn count(value: &Value, most: usize) -> usize {
    let inside = |sum: usize, value: &Value| if sum > most { sum } else { sum + 1 + count(value, most) };
    match value {
        Value::Object(map) => map.values().fold(0, inside),
        Value::Array(list) => list.iter().fold(0, inside),
        _ => 0,
    }
}

fn scalar_text(value: &Value) -> String {
    match value {
        Value::String(text) if text.len() > LONGEST => {
            let cut = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
            stringify(&Value::from(text.get(..cut).unwrap_or("")))
        }
        other => stringify(other),
    }
}

/// A plain key unchanged; any other key quoted, so that it is unambiguous.
pub fn shown_key(key: &str) -> String {
    let plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-$.".contains(c));
    if plain { key.to_owned() } else { stringify(&Value::from(key)) }
}

/// Escapes a key for a JSON pointer.
pub fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Reverses [`escaped`].
pub fn unescaped(key: &str) -> String {
    key.replace("~1", "/").replace("~0", "~")
}

/// Collects the JSON pointers of all keys and values that contain a text.
fn look(value: &Value, pointer: &str, wanted: &str, hits: &mut Vec<String>) {
    let mut member = |key: &str, named: bool, value: &Value| {
        let at = format!("{pointer}/{}", escaped(key));
        let says = match value {
            Value::String(text) => text.to_lowercase().contains(wanted),
            Value::Object(_) | Value::Array(_) => false,
            other => stringify(other).contains(wanted),
        };
        if says || named && key.to_lowercase().contains(wanted) {
            hits.push(at.clone());
        }
        look(value, &at, wanted, hits);
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| member(key, true, value)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, value)| member(&index.to_string(), false, value));
        }
        _ => {}
    }
}

/// Splits a line of pretty JSON into indent, key (with its colon) and rest.
pub fn json_line(line: &str) -> (&str, &str, &str) {
    let start = line.len() - line.trim_start().len();
    let (indent, rest) = line.split_at(start);
    if let Some(end) = rest.strip_prefix('"').and_then(|r| r.find("\": ")) {
        let (key, value) = rest.split_at(end + 3);
        return (indent, key, value);
    }
    (indent, "", rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn own(key: &str) -> bool {
        !key.starts_with('_')
    }

    fn of(body: &Value, room: usize) -> TreeSource<'_> {
        TreeSource { body, is_own_key: &own, room }
    }

    fn drawn(tree: &JsonTree) -> Vec<String> {
        let row = |(index, row): (usize, &TreeRow)| {
            let mark = if index == tree.cursor { ">" } else { "" };
            let value = match &row.value {
                TreeValue::Scalar(text) => format!("={text}"),
                TreeValue::Fold { open: true, .. } => "-".to_owned(),
                TreeValue::Fold { open: false, summary: says } => format!("+{says}"),
            };
            format!("{mark}{}{}{value}", ".".repeat(row.depth), row.key)
        };
        tree.rows.iter().enumerate().map(row).collect()
    }

    #[test]
    fn rows_of_a_payload() {
        let long: Vec<usize> = (0..30).collect();
        for (body, room, want) in [
            (json!({}), 9, vec![]),
            (json!(["not an object"]), 9, vec![]),
            (json!({"a": 1, "_c": 2, "b": {}, "_d": 3}), 9, vec![">a=1", "b={}", "+2 common keys"]),
            (json!({"_c": 2}), 9, vec![">+1 common key"]),
            (json!({"a": {"b": {"c": "x"}}, "d": []}), 9, vec!["a-", ".b-", ">..c=\"x\"", "d=[]"]),
            // Without space for all rows, deep or long values start folded.
            (json!({"a": {"b": {"c": "x"}}, "d": 1}), 4, vec!["a-", ".b+{ 1 key }", "d=1"]),
            (json!({"a": long, "b": 1}), 9, vec!["a+[ 30 items ]", ">b=1"]),
            (json!({"a b": 1, "": 2, "x\n": 3}), 9, vec![">\"a b\"=1", "\"\"=2", "\"x\\n\"=3"]),
        ] {
            let mut tree = JsonTree::default();
            tree.rebuild(of(&body, room));
            let got: Vec<String> = drawn(&tree);
            let bare = |rows: &[String]| rows.iter().map(|r| r.trim_start_matches('>').to_owned()).collect::<Vec<_>>();
            let want: Vec<String> = want.into_iter().map(str::to_owned).collect();
            assert_eq!(bare(&got), bare(&want), "{body}");
            for marked in want.iter().filter(|r| r.starts_with('>')) {
                assert!(got.contains(marked), "{body}: {got:?}");
            }
        }
    }

    #[test]
    fn the_cursor_moves_in_and_out() {
        let body = json!({"a": {"b": {"c": 1}, "d": 2}, "_e": 3});
        let mut tree = JsonTree::default();
        tree.rebuild(of(&body, 12));
        for (what, moved, want) in [
            (TreeAction::MoveBy(-99), true, vec![">a-", ".b-", "..c=1", ".d=2", "+1 common key"]),
            (TreeAction::Enter, true, vec!["a-", ">.b-", "..c=1", ".d=2", "+1 common key"]),
            (TreeAction::Leave, true, vec!["a-", ">.b+{ 1 key }", ".d=2", "+1 common key"]),
            (TreeAction::Leave, true, vec![">a-", ".b+{ 1 key }", ".d=2", "+1 common key"]),
            (TreeAction::Toggle, true, vec![">a+{ 2 keys }", "+1 common key"]),
            (TreeAction::Leave, false, vec![">a+{ 2 keys }", "+1 common key"]),
            (TreeAction::MoveBy(1), true, vec!["a+{ 2 keys }", ">+1 common key"]),
            (TreeAction::Enter, true, vec!["a+{ 2 keys }", ">-", "._e=3"]),
            (TreeAction::Enter, true, vec!["a+{ 2 keys }", "-", ">._e=3"]),
            (TreeAction::Enter, false, vec!["a+{ 2 keys }", "-", ">._e=3"]),
            (TreeAction::NextHit, false, vec!["a+{ 2 keys }", "-", ">._e=3"]),
        ] {
            assert_eq!(tree.act(of(&body, 12), what), moved, "{what:?}");
            assert_eq!(drawn(&tree), want, "{what:?}");
        }
        // With another payload the cursor stays or moves to the parent.
        let other = json!({"a": 1});
        tree.rebuild(of(&other, 20));
        assert_eq!(drawn(&tree), [">a=1"]);
    }

    #[test]
    fn what_is_folded_away_is_found() {
        let body = json!({"_x": "Needle", "a": {"b": {"needle": 1}}, "c": ["no", "a needle"], "d~/": "needle"});
        let mut tree = JsonTree::default();
        tree.rebuild(of(&body, 4));
        tree.find(of(&body, 4), "NEEDLE".to_owned());
        let mut seen = Vec::new();
        for _ in 0..4 {
            seen.push((tree.row().unwrap().pointer.clone(), tree.place()));
            assert!(tree.act(of(&body, 4), TreeAction::NextHit));
        }
        // Beginning at the cursor, the common keys last.
        let want = [("/c/1", 2), ("/d~0~1", 3), ("/_x", 4), ("/a/b/needle", 1)];
        let want: Vec<(String, (usize, usize))> = want.iter().map(|(p, n)| ((*p).to_owned(), (*n, 4))).collect();
        assert_eq!(seen, want);
        // After four steps the cursor is back at the start; the previous match is the last one.
        tree.act(of(&body, 4), TreeAction::PreviousHit);
        assert_eq!(tree.row().unwrap().pointer, "/a/b/needle");
        tree.find(of(&body, 4), "nowhere".to_owned());
        assert_eq!(tree.place(), (0, 0));
    }

    #[test]
    fn json_lines_split() {
        assert_eq!(json_line("  \"a\": 1,"), ("  ", "\"a\":", " 1,"));
        assert_eq!(json_line("  \"text\""), ("  ", "", "\"text\""));
    }
}

//! Translates a filter to SQL. First it is evaluated on kinds; only the undecided tests are evaluated on events.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _};

use super::error::StoreErrorKind;
use super::kinds::EventKind;
use super::read::IS_ANSWERED;
use super::runs::number;
use super::write::NO_TIME;
use hookbench_core::filter::{Filter, FilterTest, Phrase};

/// The limit up to which a set of events is small enough to drive the query.
const FEW: i64 = 20_000;

/// The plan for evaluating a filter on the events.
pub(super) struct EventQuery {
    /// The number of events of the kinds that match in any case.
    pub certain: u64,
    certain_kinds: Vec<i64>,
    /// The remaining filters for events of other kinds.
    uncertain: Vec<(Vec<i64>, Filter)>,
    /// The number of events of all kinds that may match.
    possible: u64,
    all: u64,
    driver: QueryDriver,
    /// Tests for the time range of all matches.
    time_range: Vec<FilterTest>,
    indexed: i64,
    now: i64,
}

/// The index or set that drives the query.
enum QueryDriver {
    Time,
    Kind,
    /// A test that the filter requires and that few events meet.
    Session(String),
    Few(FilterTest),
}

/// An SQL condition with the values of its parameters.
#[derive(Default)]
pub(super) struct SqlCondition {
    pub text: String,
    pub values: Vec<Value>,
}

impl SqlCondition {
    /// The condition that every row meets.
    pub fn everything() -> SqlCondition {
        SqlCondition { text: "1".to_owned(), values: Vec::new() }
    }

    pub fn push(&mut self, text: &str, values: impl IntoIterator<Item = Value>) {
        self.text.push_str(text);
        self.values.extend(values);
    }
}

impl EventQuery {
    /// Plans the evaluation of a filter on the stored events.
    pub fn plan(
        filter: &Filter,
        now: i64,
        kinds: &Arc<Vec<EventKind>>,
        connection: &Connection,
    ) -> Result<EventQuery, StoreErrorKind> {
        let mut certain_kinds = Vec::new();
        let mut asked: BTreeMap<String, (Vec<i64>, Filter)> = BTreeMap::new();
        let (mut certain, mut possible, mut all) = (0, 0, 0);
        for kind in kinds.iter() {
            all += kind.events;
            let facts = kind.facts();
            let rest = filter.simplify(&|test| test.evaluate(&facts));
            match rest.as_constant() {
                Some(false) => continue,
                Some(true) => {
                    certain += kind.events;
                    certain_kinds.push(kind.id);
                }
                None => asked.entry(rest.to_string()).or_insert_with(|| (Vec::new(), rest)).0.push(kind.id),
            }
            possible += kind.events;
        }
        let indexed =
            connection.query_row("SELECT value FROM progress WHERE name = 'indexed'", [], |row| row.get(0))?;
        let mut selection = EventQuery {
            certain,
            certain_kinds,
            uncertain: asked.into_values().collect(),
            possible,
            all,
            driver: QueryDriver::Time,
            time_range: Vec::new(),
            indexed,
            now,
        };
        selection.driver = selection.best_driver(filter, connection)?;
        let needs = filter.required_tests().into_iter();
        selection.time_range =
            needs.filter(|test| matches!(test, FilterTest::Since(_) | FilterTest::Until(_))).cloned().collect();
        Ok(selection)
    }

    fn best_driver(&self, filter: &Filter, connection: &Connection) -> Result<QueryDriver, StoreErrorKind> {
        for test in filter.required_tests() {
            match test {
                FilterTest::Session(start) => return Ok(QueryDriver::Session(start.clone())),
                FilterTest::Marked | FilterTest::Comment(_) | FilterTest::Words(_) | FilterTest::Answer(_)
                    if self.is_few(test, connection)? =>
                {
                    return Ok(QueryDriver::Few(test.clone()));
                }
                _ => {}
            }
        }
        Ok(if self.possible < self.all / 20 { QueryDriver::Kind } else { QueryDriver::Time })
    }

    /// Whether few enough events meet a test to list them first.
    fn is_few(&self, test: &FilterTest, connection: &Connection) -> Result<bool, StoreErrorKind> {
        if matches!(test, FilterTest::Words(_)) {
            // Events that are not indexed yet must be read one by one.
            let last: Option<i64> =
                connection.query_row("SELECT max(seq) FROM events", [], |row| row.get(0)).optional()?.flatten();
            if last.unwrap_or(0) - self.indexed > FEW / 10 {
                return Ok(false);
            }
        }
        let mut sql = SqlCondition::default();
        let set = self.set_of(test);
        sql.push(&format!("SELECT count(*) FROM ({} LIMIT {})", set.text, FEW + 1), set.values);
        let found: i64 = connection.query_row(&sql.text, rusqlite::params_from_iter(sql.values), |row| row.get(0))?;
        Ok(found <= FEW)
    }

    /// Whether events of uncertain kinds must be tested.
    pub fn has_uncertain(&self) -> bool {
        !self.uncertain.is_empty()
    }

    /// Whether all events of the planned kinds match.
    pub fn is_everything(&self) -> bool {
        !self.has_uncertain() && self.certain == self.all
    }

    /// The condition with the kinds of all events that may match, for the index on kinds.
    pub fn condition_on_kinds(&self) -> SqlCondition {
        let uncertain = self.uncertain.iter().flat_map(|(kinds, _)| kinds);
        let kinds: Vec<i64> = self.certain_kinds.iter().chain(uncertain).copied().collect();
        let mut sql = self.condition(true, false);
        sql.push(&format!(" AND {}", kind_in(&kinds)), []);
        sql
    }

    /// The table and the index to read from.
    pub fn source(&self) -> &'static str {
        match self.driver {
            QueryDriver::Time => "events INDEXED BY events_by_time",
            QueryDriver::Kind => "events INDEXED BY events_by_kind",
            QueryDriver::Session(_) => "events INDEXED BY events_by_session",
            QueryDriver::Few(_) => "events NOT INDEXED",
        }
    }

    /// The source for counting, which needs no order: the index on kinds, unless most events must be read.
    pub fn source_to_count(&self, with_certain: bool) -> &'static str {
        let asked = if with_certain { self.possible } else { self.possible - self.certain };
        match self.driver {
            QueryDriver::Time if asked < self.all / 2 => "events INDEXED BY events_by_kind",
            _ => self.source(),
        }
    }

    /// The source for queries that group by session.
    pub fn source_by_session(&self) -> &'static str {
        match self.driver {
            QueryDriver::Time => "events INDEXED BY events_by_session",
            _ => self.source(),
        }
    }

    /// The condition, with or without the kinds that match in any case. `listing`: results are needed one by one as
    /// soon as they are found.
    pub fn condition(&self, with_certain: bool, listing: bool) -> SqlCondition {
        let mut sql = SqlCondition::default();
        match &self.driver {
            QueryDriver::Session(start) => self.test(&FilterTest::Session(start.clone()), false, &mut sql),
            QueryDriver::Few(test) => self.test(test, false, &mut sql),
            QueryDriver::Time | QueryDriver::Kind => sql.push("1", []),
        }
        if with_certain && !self.has_uncertain() && self.certain == self.all {
            return sql;
        }
        if self.possible < self.all || (!with_certain && !self.certain_kinds.is_empty()) {
            // One condition for all kinds, so that an index can be used.
            let certain = self.certain_kinds.iter().filter(|_| with_certain);
            let kinds: Vec<i64> = certain.chain(self.uncertain.iter().flat_map(|(kinds, _)| kinds)).copied().collect();
            sql.push(&format!(" AND {}", kind_in(&kinds)), []);
        }
        let certain = with_certain && !self.certain_kinds.is_empty();
        // If a single filter applies to all remaining events, it stands alone, so that an index can be used, and
        // needs no kinds.
        if let ([(_, rest)], false) = (self.uncertain.as_slice(), certain) {
            sql.push(" AND ", []);
            self.filter(rest, listing, &mut sql);
            return sql;
        }
        for test in &self.time_range {
            sql.push(" AND ", []);
            self.test(test, listing, &mut sql);
        }
        sql.push(" AND (0", []);
        if certain {
            sql.push(&format!(" OR {}", kind_in(&self.certain_kinds)), []);
        }
        for (kinds, rest) in &self.uncertain {
            sql.push(&format!(" OR ({} AND ", kind_in(kinds)), []);
            self.filter(rest, listing, &mut sql);
            sql.push(")", []);
        }
        sql.push(")", []);
        sql
    }

    fn filter(&self, filter: &Filter, listing: bool, sql: &mut SqlCondition) {
        let mut list = |parts: &[Filter], neutral: &str, between: &str| {
            sql.push(&format!("({neutral}"), []);
            for part in parts {
                sql.push(between, []);
                self.filter(part, listing, sql);
            }
            sql.push(")", []);
        };
        match filter {
            Filter::All(parts) => list(parts, "1", " AND "),
            Filter::Any(parts) => list(parts, "0", " OR "),
            Filter::Not(part) => {
                sql.push("NOT ", []);
                self.filter(part, listing, sql);
            }
            Filter::Test(test) => self.test(test, listing, sql),
        }
    }

    /// A test as an SQL condition that is true or false, never null.
    fn test(&self, test: &FilterTest, listing: bool, sql: &mut SqlCondition) {
        let bytes = "(SELECT bytes FROM payloads WHERE payloads.event = events.seq)";
        let integer = |n: i64| [Value::Integer(n)];
        match test {
            FilterTest::Longer(micros) => sql.push("ifnull(took > ?, 0)", integer(number(*micros))),
            FilterTest::Shorter(micros) => sql.push("ifnull(took < ?, 0)", integer(number(*micros))),
            FilterTest::Session(start) => {
                let text = Value::Text(start.clone());
                sql.push(
                    "session IN (SELECT id FROM sessions WHERE substr(name, 1, length(?)) = ?)",
                    [text.clone(), text],
                );
            }
            // A single bound, at which an index scan can begin.
            FilterTest::Since(when) => sql.push("at >= ?", integer(when.at(self.now).max(NO_TIME + 1))),
            FilterTest::Until(when) => sql.push(&format!("(at < ? AND at > {NO_TIME})"), integer(when.at(self.now))),
            FilterTest::Bytes(text) => {
                sql.push(&format!("ifnull(instr({bytes}, ?) > 0, 0)"), [Value::Blob(text.clone().into_bytes())]);
            }
            // Building the whole set first would delay the first result.
            FilterTest::Words(phrase) if listing && !matches!(&self.driver, QueryDriver::Few(few) if few == test) => {
                sql.push(&format!("has_words({bytes}, ?)"), [Value::Text(phrase.text().to_owned())]);
            }
            FilterTest::Replay => sql.push("origin IS NOT NULL", []),
            FilterTest::Words(_) | FilterTest::Marked | FilterTest::Comment(_) | FilterTest::Answer(_) => {
                let set = self.set_of(test);
                sql.push(&format!("seq IN ({})", set.text), set.values);
            }
            // These tests are decided by the kinds.
            _ => sql.push("0", []),
        }
    }

    /// A query for the numbers of the events that meet a test.
    fn set_of(&self, test: &FilterTest) -> SqlCondition {
        let mut sql = SqlCondition::default();
        match test {
            FilterTest::Marked => sql.push("SELECT event FROM notes WHERE marked", []),
            FilterTest::Answer(pattern) => sql.push(
                &format!("SELECT event FROM live WHERE {IS_ANSWERED} AND is_answer(decision, source, ?)"),
                [Value::Text(pattern.0.clone())],
            ),
            FilterTest::Comment(part) => sql.push(
                "SELECT event FROM notes WHERE comment IS NOT NULL AND has_part(comment, ?)",
                [Value::Text(part.clone())],
            ),
            FilterTest::Words(phrase) => sql.push(
                "SELECT rowid FROM search WHERE search MATCH ?
                 UNION ALL SELECT event FROM payloads WHERE event > ? AND has_words(bytes, ?)",
                [Value::Text(match_text(phrase)), Value::Integer(self.indexed), Value::Text(phrase.text().to_owned())],
            ),
            _ => {}
        }
        sql
    }
}

fn kind_in(kinds: &[i64]) -> String {
    let list: Vec<String> = kinds.iter().map(i64::to_string).collect();
    format!("kind IN ({})", list.join(","))
}

/// A phrase in the query language of the search index.
fn match_text(phrase: &Phrase) -> String {
    format!("\"{}\"{}", phrase.words().join(" "), if phrase.is_prefix() { " *" } else { "" })
}

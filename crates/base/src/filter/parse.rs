//! Parses a filter, and reports the place and the cause of an error.
//!
//! ```text
//! filter = all { "|" all }      all = one { [ "&" ] one }      one = "!" one | "(" filter ")" | operator [ argument ] | word
//! ```

use super::ast::{Filter, FilterTest, RunEnding, TimeBound, WordPattern};
use super::evaluate::{FilterOperator, operator, suggest_operator};
use super::words::{MAX_WORD_BYTES, Phrase};
use crate::decide::Verdict;
use crate::hook::Layer;
use crate::recorded::{PayloadSource, RecordedAnswer, parse_time};

/// The nesting limit for parentheses and `!`.
const MAX_DEPTH: usize = 64;

/// The error for a text that is not a valid filter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FilterError {
    /// The wrong part of the text, as a byte range.
    pub start: usize,
    pub end: usize,
    pub message: String,
    /// The advice, as a sentence.
    pub help: String,
}

impl FilterError {
    /// The text with carets below the wrong part, for plain-text output.
    pub fn with_carets(&self, text: &str) -> String {
        let width = |from: usize, to: usize| text.get(from..to).map_or(0, |part| part.chars().count());
        let before: String =
            text.get(..self.start).unwrap_or_default().chars().map(|c| if c == '\t' { c } else { ' ' }).collect();
        format!("{text}\n{before}{}", "^".repeat(width(self.start, self.end).max(1)))
    }
}

/// Parses a filter. An empty text gives the filter that matches every event.
pub fn parse(text: &str) -> Result<Filter, FilterError> {
    let mut reader = FilterParser { text, at: 0, depth: 0 };
    reader.skip();
    if reader.rest().is_empty() {
        return Ok(Filter::everything());
    }
    let filter = reader.any()?;
    match reader.peek() {
        None => Ok(filter),
        // Only a `)` can stop the parser before the end of the text.
        Some(_) => Err(reader.error(reader.at, reader.at + 1, "this ) has no matching (", "Delete it, or add the (.")),
    }
}

struct FilterParser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> FilterParser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Consumes the given character and the blanks after it, if it comes next.
    fn take(&mut self, wanted: char) -> bool {
        let there = self.peek() == Some(wanted);
        if there {
            self.at += wanted.len_utf8();
            self.skip();
        }
        there
    }

    #[expect(clippy::unused_self, reason = "reads as what it is: the reader says what is wrong")]
    fn error(&self, start: usize, end: usize, says: impl Into<String>, help: impl Into<String>) -> FilterError {
        FilterError { start, end, message: says.into(), help: help.into() }
    }

    fn any(&mut self) -> Result<Filter, FilterError> {
        let mut parts = vec![self.all()?];
        while self.take('|') {
            parts.push(self.all()?);
        }
        Ok(one_or(parts, Filter::Any))
    }

    fn all(&mut self) -> Result<Filter, FilterError> {
        let mut parts = vec![self.one()?];
        while self.take('&') || self.peek().is_some_and(|c| c != '|' && c != ')') {
            parts.push(self.one()?);
        }
        Ok(one_or(parts, Filter::All))
    }

    fn one(&mut self) -> Result<Filter, FilterError> {
        let start = self.at;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(start, start + 1, "this is nested too deep", "Write it with fewer parentheses."));
        }
        let filter = match self.peek() {
            None => {
                Err(self.error(start, start, "a part of the filter is missing here", "Write a word or an operator."))
            }
            Some(sign @ ('|' | '&' | ')')) => Err(self.error(
                start,
                start + 1,
                format!("a part of the filter is missing before {sign}"),
                "Write a word or an operator before it; put it in quotes to search for it.",
            )),
            Some('!') => {
                self.take('!');
                self.one().map(|inner| Filter::Not(Box::new(inner)))
            }
            Some('(') => {
                self.take('(');
                let inner = self.any()?;
                if self.take(')') {
                    Ok(inner)
                } else {
                    Err(self.error(start, start + 1, "this ( is not closed", "Close it with )."))
                }
            }
            Some('~') => self.operator().map(Filter::Test),
            Some(_) => self.words(),
        };
        self.depth -= 1;
        filter
    }

    fn words(&mut self) -> Result<Filter, FilterError> {
        let start = self.at;
        let text = self.argument()?.unwrap_or_default();
        let end = start + self.text.get(start..self.at).unwrap_or_default().trim_end().len();
        match Phrase::parse(&text) {
            Some(phrase) => Ok(Filter::Test(FilterTest::Words(phrase))),
            None if text.chars().any(char::is_alphanumeric) => Err(self.error(
                start,
                end,
                format!("words longer than {MAX_WORD_BYTES} bytes are not indexed"),
                "Search its bytes with ~b.",
            )),
            None => Err(self.error(
                start,
                end,
                "the text has no letter or digit to search for",
                "Search for exactly these bytes with ~b.",
            )),
        }
    }

    /// Parses a quoted string, or a word up to the next whitespace or one of `( ) | & "`. `None` if there is no text.
    fn argument(&mut self) -> Result<Option<String>, FilterError> {
        let start = self.at;
        let mut text = String::new();
        if self.peek() != Some('"') {
            let end = self.rest().find(|c: char| c.is_whitespace() || "()|&\"".contains(c));
            let word = self.rest().get(..end.unwrap_or(self.rest().len())).unwrap_or_default();
            self.at += word.len();
            self.skip();
            return Ok((!word.is_empty()).then(|| word.to_owned()));
        }
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    self.skip();
                    return Ok(Some(text));
                }
                '\\' => text.extend(chars.next().map(|(_, c)| c)),
                c => text.push(c),
            }
        }
        Err(self.error(start, start + 1, "this quote is not closed", "Close it with another \"."))
    }

    fn operator(&mut self) -> Result<FilterTest, FilterError> {
        let start = self.at;
        let name = self.rest();
        let length = 1 + name.get(1..).unwrap_or_default().chars().take_while(char::is_ascii_alphabetic).count();
        let name = name.get(..length).unwrap_or_default();
        let end = start + length;
        let Some(operator) = operator(name) else {
            let help = match suggest_operator(name) {
                Some(o) => format!("Did you mean {}? It finds: {}.", o.name, o.description),
                None => "Operators are listed by `hookbench db filters`.".to_owned(),
            };
            return Err(self.error(start, end, format!("unknown operator {name}"), help));
        };
        self.at = end;
        self.skip();
        let at = self.at;
        let given = if operator.argument.is_none() { None } else { self.argument()? };
        let given = given.filter(|text| !text.is_empty());
        let given = match given {
            // A blank after the sign is allowed.
            Some(sign) if operator.name == "~s" && matches!(sign.as_str(), ">" | "<") => {
                Some(sign + &self.argument()?.unwrap_or_default())
            }
            given => given,
        };
        let argued_to = at + self.text.get(at..self.at).unwrap_or_default().trim_end().len();
        if let (Some(wants), None) = (operator.argument, &given) {
            let help = format!("Example: {}", operator.example);
            return Err(self.error(start, end, format!("{name} needs {}", wants_words(wants)), help));
        }
        test(operator, given.unwrap_or_default())
            .map_err(|(says, help)| self.error(at.min(argued_to), argued_to, says, help))
    }
}

fn wants_words(argument: &str) -> String {
    match argument.strip_prefix('>') {
        Some(_) => "> or < and a time".to_owned(),
        None => argument.to_owned(),
    }
}

fn one_or(mut parts: Vec<Filter>, join: fn(Vec<Filter>) -> Filter) -> Filter {
    match (parts.len(), parts.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            parts.extend(last);
            join(parts)
        }
    }
}

/// The error message and the advice.
type MessageAndHelp = (String, String);

fn test(operator: &FilterOperator, text: String) -> Result<FilterTest, MessageAndHelp> {
    Ok(match operator.name {
        "~e" => FilterTest::Event(WordPattern(text)),
        "~t" => FilterTest::Subject(WordPattern(text)),
        "~a" => FilterTest::Agent(WordPattern(text)),
        "~v" => verdict(text)?,
        "~answer" => answer(text)?,
        "~h" => FilterTest::Hook(text),
        "~l" => layer(text)?,
        "~d" => FilterTest::Code(WordPattern(text)),
        "~x" => FilterTest::Ended(ending(&text)?),
        "~s" => duration(&text, operator)?,
        "~p" => FilterTest::Project(text),
        "~session" => FilterTest::Session(text),
        "~since" => FilterTest::Since(when(&text)?),
        "~until" => FilterTest::Until(when(&text)?),
        "~c" => FilterTest::Comment(text),
        "~b" => FilterTest::Bytes(text),
        "~rec" => FilterTest::PayloadSource(PayloadSource::Recorded),
        "~reb" => FilterTest::PayloadSource(PayloadSource::Rebuilt),
        "~edi" => FilterTest::PayloadSource(PayloadSource::Edited),
        "~syn" => FilterTest::PayloadSource(PayloadSource::Synthetic),
        "~fired" => FilterTest::PayloadSource(PayloadSource::Fired),
        "~marked" => FilterTest::Marked,
        "~replay" => FilterTest::Replay,
        _ => FilterTest::Sub,
    })
}

fn verdict(text: String) -> Result<FilterTest, MessageAndHelp> {
    let pattern = WordPattern(text);
    if Verdict::ALL.iter().any(|verdict| pattern.matches(verdict.word())) {
        return Ok(FilterTest::Verdict(pattern));
    }
    let words: Vec<&str> = Verdict::ALL.iter().map(|verdict| verdict.word()).collect();
    Err((format!("{} is not a verdict", pattern.0), format!("Verdicts are {}.", words.join(", "))))
}

fn answer(text: String) -> Result<FilterTest, MessageAndHelp> {
    let pattern = WordPattern(text);
    let named = pattern.0.starts_with("rule:") || pattern.0.starts_with("handler:");
    if named || RecordedAnswer::WORDS.iter().any(|word| pattern.matches(word)) {
        return Ok(FilterTest::Answer(pattern));
    }
    let help = format!("Answers are {}, rule:NAME.", RecordedAnswer::WORDS.join(", "));
    Err((format!("{} is neither an answer nor who gives one", pattern.0), help))
}

fn layer(text: String) -> Result<FilterTest, MessageAndHelp> {
    let pattern = WordPattern(text);
    if Layer::ALL.iter().any(|layer| pattern.matches(layer.word())) {
        return Ok(FilterTest::Layer(pattern));
    }
    let words: Vec<&str> = Layer::ALL.iter().map(|layer| layer.word()).collect();
    Err((format!("{} is not a layer", pattern.0), format!("Layers are {}.", words.join(", "))))
}

fn ending(text: &str) -> Result<RunEnding, MessageAndHelp> {
    if let Ok(status) = text.parse() {
        return Ok(RunEnding::Status(status));
    }
    RunEnding::KINDS.into_iter().find(|kind| kind.eq_ignore_ascii_case(text)).map(RunEnding::Kind).ok_or_else(|| {
        let help = format!("Write a number, or one of {}.", RunEnding::KINDS.join(", "));
        (format!("{text} is not an exit status or an end of a run"), help)
    })
}

fn duration(text: &str, operator: &FilterOperator) -> Result<FilterTest, MessageAndHelp> {
    let wrong = |says: String| (says, format!("Example: {}", operator.example));
    let (make, rest): (fn(u64) -> FilterTest, &str) = match (text.strip_prefix('>'), text.strip_prefix('<')) {
        (Some(rest), _) => (FilterTest::Longer, rest),
        (_, Some(rest)) => (FilterTest::Shorter, rest),
        _ => return Err(wrong("a time is compared with > or <".to_owned())),
    };
    let (number, unit) = number_and_unit(rest);
    let size = match unit {
        "us" => 1.0,
        "ms" => 1e3,
        "s" => 1e6,
        "" => return Err(wrong("a time needs its unit: us, ms or s".to_owned())),
        other => return Err(wrong(format!("{other} is not a unit of time; use us, ms or s"))),
    };
    match number.parse::<f64>() {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number within bounds")]
        Ok(number) if (0.0..1e12).contains(&number) => Ok(make((number * size).round() as u64)),
        _ => Err(wrong(format!("{rest} is not a time"))),
    }
}

fn number_and_unit(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()))
}

/// Parses the argument of `~since`: a day, an instant, or an age such as `2h`. `None` if the text is none of these.
pub fn parse_when(text: &str) -> Option<TimeBound> {
    when(text).ok()
}

fn when(text: &str) -> Result<TimeBound, MessageAndHelp> {
    let (number, unit) = number_and_unit(text);
    let size = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000), ("w", 604_800_000)]
        .into_iter()
        .find(|(name, _)| *name == unit)
        .map(|(_, size)| size);
    if let (Ok(number), Some(size)) = (number.parse::<u32>(), size) {
        return Ok(TimeBound::Ago(i64::from(number) * size));
    }
    // A day, or a time without seconds or zone, is accepted as an instant too.
    let written = [text.to_owned(), format!("{text}Z"), format!("{text}:00Z"), format!("{text}T00:00:00Z")];
    written.iter().find_map(|text| parse_time(text)).map(TimeBound::At).ok_or_else(|| {
        let help = "Write a date (2026-11-20), a time (2026-11-20T14:30Z), or an age (30m, 2h, 7d).";
        (format!("{text} is not a time"), help.to_owned())
    })
}

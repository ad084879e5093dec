//! Lines of debug logs.

use hookbench_base::debug_log::{LogRecord, LogStatement};
use hookbench_base::recorded::parse_time;

/// One line with a time. Lines without a time continue the line before, and are left out.
#[derive(Debug, Clone, Copy)]
pub struct LogLine<'a> {
    /// Counted from 1.
    pub number: u64,
    pub at: Option<i64>,
    /// `DEBUG`, `WARN`, …
    pub level: &'a str,
    pub message: &'a str,
}

impl LogLine<'_> {
    /// A record of this line.
    pub fn record(&self, statement: LogStatement) -> LogRecord {
        LogRecord { line: self.number, at: self.at, statement }
    }
}

/// The lines of a log that begin with a time and a level: `TIME [LEVEL] message`, `[TIME] [LEVEL] message`,
/// `[TIME] LEVEL: message` or `TIME LEVEL message`.
pub fn log_lines(text: &str) -> impl Iterator<Item = LogLine<'_>> {
    (1..).zip(text.lines()).filter_map(|(number, line)| log_line(number, line))
}

fn log_line(number: u64, line: &str) -> Option<LogLine<'_>> {
    let (time, rest) = line.split_once(' ')?;
    let at = parse_time(time.trim_start_matches('[').trim_end_matches(']'))?;
    let (level, message) = rest.trim_start().split_once(' ')?;
    let level = level.trim_start_matches('[').trim_end_matches([']', ':']);
    let known = ["TRACE", "VERBOSE", "DEBUG", "INFO", "LOG", "WARN", "WARNING", "ERROR"].contains(&level);
    known.then_some(LogLine { number, at: Some(at), level, message })
}

/// The number at the beginning of a text, and the text after it.
pub fn leading_number(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    Some((text.get(..digits)?.parse().ok()?, text.get(digits..)?))
}

/// The number of hooks in `Hook registry initialized with 8 hook entries`.
pub fn registry_size(message: &str) -> Option<u64> {
    Some(leading_number(message.strip_prefix("Hook registry initialized with ")?)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_a_time_and_a_level() {
        let text = "2026-11-24T11:14:08.239Z [DEBUG] one\nmore\n[2026-11-24T11:14:08.240Z] [WARN] two x\n\
                    2026-11-24T11:14:08.241934Z  INFO three\n[2026-11-24T11:14:08.241Z] WARN: four\n2026-11-24T11:14:08.239Z [LOUD] five\nno [DEBUG] six\n";
        let lines: Vec<(u64, &str, &str)> = log_lines(text).map(|l| (l.number, l.level, l.message)).collect();
        assert_eq!(lines, [(1, "DEBUG", "one"), (3, "WARN", "two x"), (4, "INFO", "three"), (5, "WARN", "four")]);
        let times: Vec<i64> = log_lines(text).filter_map(|line| line.at).collect();
        assert_eq!(times.iter().map(|at| at - times[0]).collect::<Vec<_>>(), [0, 1, 2, 2]);
    }
}

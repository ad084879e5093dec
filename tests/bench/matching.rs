//! `cargo bench --bench matching`: the time of one keystroke on the match page.
//!
//! Budget, for comparison and never asserted: one frame, 16 ms, for 5,000 subjects in all agents.
#![allow(clippy::unwrap_used, reason = "a bench that cannot go on ends")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hookbench::app::MatcherAssessment;
use hookbench::core::dialects::{self, default_version};
use hookbench::core::matching::{MatchTable, RecordedSubject};
use hookbench::core::port::AgentVersion;

const SUBJECTS: usize = 5_000;

fn letter(c: &mut Criterion) {
    let sides: Vec<AgentVersion> =
        dialects::ALL.iter().map(|dialect| AgentVersion { dialect, version: default_version(dialect) }).collect();
    for own in &sides {
        let events = own.dialect.events(&own.version);
        let event = events.into_iter().find(|event| event.subject == Some("tool_name")).unwrap();
        let seen: Vec<RecordedSubject> = (0..SUBJECTS)
            .map(|n| RecordedSubject {
                agent: own.dialect.id().to_string(),
                event: event.name.to_owned(),
                subject: format!("mcp__server{}__tool_{n}", n % 40),
                events: 3,
            })
            .collect();
        let id = own.dialect.id();
        c.bench_function(&format!("{id}: the board of {SUBJECTS} subjects"), |b| {
            b.iter(|| MatchTable::new(own, event, &sides, black_box(&seen), &[]));
        });
        let board = MatchTable::new(own, event, &sides, &seen, &[]);
        for matcher in ["Bash", "Edit.*|bash", "^(mcp__server1__.*|Edit)$", "(?!mcp__).*"] {
            c.bench_function(&format!("{id}: a letter of {matcher}"), |b| {
                b.iter(|| MatcherAssessment::of(&board, black_box(matcher), Some("Bash")));
            });
        }
    }
}

criterion_group!(benches, letter);
criterion_main!(benches);

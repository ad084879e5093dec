//! `fire --session`: fires several events in one session, in order.

use hookbench_core::names::AgentId;
use std::ops::ControlFlow;
use std::path::Path;

use serde_json::Value;

use super::args::FireArgs;
use super::containment::prepare_containment;
use super::error::CliError;
use super::formats::StreamFormat;
use super::import::say_skipped_lines;
use super::print::lines::PageStyle;
use super::print::text_page::TextPage;
use super::print::{self, print_json, print_page};
use super::run::{self, print_entries, verdict_status};
use super::setup;
use hookbench_app::{
    Command, ExitStatus, ImportCounts, InputRequest, Session, SessionOptions, Sink, SinkError, document, import_file,
    make_place, read_payload,
};
use hookbench_core::dialects;
use hookbench_core::recorded::{RecordedEvent, RecordedSession, parse_event_line};
use hookbench_core::transcript::TranscriptCut;

/// Fires the events of a file. Reads the settings again before each event, because the agent also notices changes at
/// once.
pub fn fire(args: &FireArgs, file: &Path) -> Result<ExitStatus, CliError> {
    args.common.reject_all_agents("fire --session")?;
    let requests = read_requests(file, args)?;
    let Some((_, first)) = requests.first() else {
        return Err(CliError::BadInput(format!("{}: the file has no events", file.display())));
    };
    let options = SessionOptions {
        headless: args.event_args.headless,
        yes: args.yes,
        in_order: true,
        keep_entries: args.format == StreamFormat::Jsonl,
        keep_firings: 8,
        run_log: run::log_settings(),
        ..SessionOptions::default()
    };
    let mut session = setup::open(&args.common, first, options)?;
    prepare_containment(args.contain, Path::new(&session.place().project), args.yes)?;
    session.apply(Command::SetContained(args.contain));
    let mut firings = Vec::new();
    // Text is printed as it happens; a page for others is one file.
    let mut page = args.format.form().map(|form| TextPage::styled(args.sharing.style(form)));
    let (mut last, mut unknown) = (ExitStatus::Ok, false);
    for (place, request) in &requests {
        fire_one(&mut session, request, args).map_err(|why| with_location(place, why)).map(|status| last = status)?;
        let Some(firing) = session.history().newest_record() else {
            return Err(CliError::Internal("the event was not fired".to_owned()));
        };
        match (args.format, &mut page) {
            (StreamFormat::Text, _) => print_page(PageStyle::TEXT, |page| print::firing(page, firing, &session)),
            (StreamFormat::Json, _) => firings.push(document::firing_doc(firing)),
            (_, Some(page)) => {
                print::firing(page, firing, &session);
                page.end();
            }
            (_, None) => {}
        }
        if last == ExitStatus::Interrupted {
            break;
        }
        last = verdict_status(firing, args);
        unknown |= last == ExitStatus::Unknown;
    }
    if args.format == StreamFormat::Json {
        print_json(&document::session_doc(firings))?;
    }
    if let Some(page) = page.filter(TextPage::is_for_others) {
        print::write_stdout(&page.finish());
    }
    // `--expect` applies to the last event, `--strict` to each.
    Ok(if last == ExitStatus::Ok && unknown { ExitStatus::Unknown } else { last })
}

fn fire_one(session: &mut Session, request: &InputRequest, args: &FireArgs) -> Result<ExitStatus, CliError> {
    let mut built = session.build(request)?;
    session.load(Some(built.dialect.id()));
    session.apply_session_state(&mut built);
    session.put_input(built);
    let status = run::fire(session, Command::Fire, args)?;
    print_entries(session);
    Ok(status)
}

/// Adds the event's location in the file to a failure.
fn with_location(place: &str, why: CliError) -> CliError {
    match why {
        CliError::Input(why) => CliError::BadInput(format!("{place}: {why}")),
        other => other,
    }
}

/// Reads the events of a file, each with its location. The file is JSON Lines of payloads or of exported events, one
/// payload, a list of payloads, or an agent's session file.
fn read_requests(file: &Path, args: &FireArgs) -> Result<Vec<(String, InputRequest)>, CliError> {
    let (name, bytes) = setup::read_input(file)?;
    if bytes.len() as u64 >= setup::READ_LIMIT {
        // A recording is read line by line.
        if file != Path::new("-") {
            return requests_from_recording(file, args);
        }
        let help = "name a file, which is read line by line";
        return Err(CliError::BadInput(format!("{name}: over 64 MiB\n  help: {help}")));
    }
    let text = String::from_utf8_lossy(&bytes);
    let agent = args.common.single_agent();
    let of_payload = |payload: Value| InputRequest { agent, payload: Some(payload), ..InputRequest::default() };
    let whole = match serde_json::from_str::<Value>(&text) {
        Ok(Value::Array(payloads)) => Some(payloads),
        Ok(payload) if payload.get("hook_event_name").is_some() => Some(vec![payload]),
        _ => None,
    };
    if let Some(payloads) = whole {
        let places = payloads.into_iter().enumerate();
        return Ok(places
            .map(|(index, payload)| (format!("{name}, event {}", index + 1), of_payload(payload)))
            .collect());
    }
    let mut requests = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = format!("{name}:{}", index + 1);
        match serde_json::from_str::<Value>(line) {
            Ok(payload) if payload.get("hook_event_name").is_some() => {
                let payload = read_payload(&place, line.as_bytes())?;
                requests.push((place, of_payload(payload)));
            }
            Ok(value) if value.get("schema").is_some() => {
                let event = parse_event_line(line).map_err(|why| CliError::BadInput(format!("{place}: {why}")))?;
                let request = request_from_event(&place, event, agent)?;
                requests.push((place, request));
            }
            _ if requests.is_empty() && file != Path::new("-") => return requests_from_recording(file, args),
            _ => {
                let help = "a line must be a payload with `hook_event_name`, or an event that hookbench has exported";
                return Err(CliError::BadInput(format!("{place}: this line is not an event\n  help: {help}")));
            }
        }
    }
    Ok(requests)
}

fn request_from_event(place: &str, event: RecordedEvent, agent: Option<AgentId>) -> Result<InputRequest, CliError> {
    let own = dialects::by_id(&event.agent).map(|dialect| dialect.id());
    let payload = read_payload(place, &event.payload)?;
    let transcript = TranscriptCut::of(&event);
    Ok(InputRequest {
        transcript,
        agent: agent.or(own),
        event: Some(event.event),
        payload: Some(payload),
        ..InputRequest::default()
    })
}

/// The size in bytes of the payloads that are fired one after the other.
const MAX_PAYLOADS: usize = 256 << 20;

/// A sink that keeps events in memory.
#[derive(Default)]
struct MemorySink {
    events: Vec<RecordedEvent>,
    bytes: usize,
}

impl Sink for MemorySink {
    fn receive(&mut self, _session: &RecordedSession, events: Vec<RecordedEvent>) -> Result<ImportCounts, SinkError> {
        let added = ImportCounts { new: events.len() as u64, known: 0 };
        self.bytes += events.iter().map(|event| event.payload.len()).sum::<usize>();
        if self.bytes > MAX_PAYLOADS {
            let limit = MAX_PAYLOADS >> 20;
            let says = format!(
                "its payloads are larger than {limit} MiB\n  help: `hookbench replay FILE` takes any number of events"
            );
            return Err(SinkError(says));
        }
        self.events.extend(events);
        Ok(added)
    }
}

/// Reads the events of an agent's session file.
fn requests_from_recording(file: &Path, args: &FireArgs) -> Result<Vec<(String, InputRequest)>, CliError> {
    let place = make_place(args.common.project.as_deref(), args.common.home.as_deref())?;
    let mut events = MemorySink::default();
    let (report, _) = import_file(file, &place, &mut events, &mut || ControlFlow::Continue(()))
        .map_err(|why| CliError::BadInput(why.to_string()))?;
    say_skipped_lines(file, report.skipped_lines);
    let requests = events.events.into_iter().enumerate().map(|(index, event)| {
        let place = format!("{}, event {}", file.display(), index + 1);
        let request = request_from_event(&place, event, args.common.single_agent())?;
        Ok((place, request))
    });
    requests.collect()
}

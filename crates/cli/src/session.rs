//! `fire --session`: fires several events in one session, in order.

use std::ops::ControlFlow;
use std::path::Path;

use serde_json::Value;

use super::args::{FireArgs, StreamFormat};
use super::exit::Failure;
use super::fire::{ask, print_entries, run, verdict_status};
use super::look::print_json;
use super::print;
use super::setup;
use hookbench_app::document;
use hookbench_app::{
    Added, Command, InputRequest, Session, SessionOptions, Sink, SinkError, Status, import_file, make_place,
    read_payload,
};
use hookbench_core::dialects;
use hookbench_core::recorded::{RecordedEvent, RecordedSession, read_line};

/// Fires the events of a file. Reads the settings again before each event, because the agent also notices changes at
/// once.
pub fn fire(args: &FireArgs, file: &Path) -> Result<Status, Failure> {
    if args.common.all() {
        return Err(Failure::Usage("--session is about one agent: name the agent, or leave --agent out".to_owned()));
    }
    let requests = requests(file, args)?;
    let Some((_, first)) = requests.first() else {
        return Err(Failure::BadInput(format!("{}: no event in it", file.display())));
    };
    let options = SessionOptions {
        headless: args.what.headless,
        yes: args.yes,
        in_order: true,
        keep_entries: args.format == StreamFormat::Jsonl,
        keep_firings: 8,
        ..SessionOptions::default()
    };
    let mut session = setup::open(&args.common, first, options)?;
    session.apply(Command::Contain(args.contain));
    let mut firings = Vec::new();
    let (mut last, mut unknown) = (Status::Ok, false);
    for (place, request) in &requests {
        fire_one(&mut session, request, args).map_err(|why| at(place, why)).map(|status| last = status)?;
        let Some(firing) = session.history.newest_record() else {
            return Err(Failure::Internal("nothing was fired".to_owned()));
        };
        match args.format {
            StreamFormat::Text => print::firing(firing, &session),
            StreamFormat::Json => firings.push(document::firing_doc(firing)),
            StreamFormat::Jsonl => {}
        }
        if last == Status::Interrupted {
            break;
        }
        last = verdict_status(firing, args);
        unknown |= last == Status::Unknown;
    }
    if args.format == StreamFormat::Json {
        print_json(&document::session_doc(firings))?;
    }
    // `--expect` applies to the last event, `--strict` to each.
    Ok(if last == Status::Ok && unknown { Status::Unknown } else { last })
}

fn fire_one(session: &mut Session, request: &InputRequest, args: &FireArgs) -> Result<Status, Failure> {
    let mut built = session.build(request)?;
    setup::load(session, Some(built.dialect.id()));
    session.continue_with(&mut built);
    session.put_input(built);
    let jobs = session.apply(Command::Fire);
    let jobs = match session.bench.consent.clone() {
        Some(items) => {
            ask(&items)?;
            session.apply(Command::GiveConsent)
        }
        None => jobs,
    };
    let status = run(session, jobs, args)?;
    print_entries(session);
    Ok(status)
}

/// Adds the event's location in the file to a failure.
fn at(place: &str, why: Failure) -> Failure {
    match why {
        Failure::Input(why) => Failure::BadInput(format!("{place}: {why}")),
        other => other,
    }
}

/// Reads the events of a file, each with its location. The file has one payload a line, a list of payloads,
/// hookbench's own lines, or it is an agent's session file.
fn requests(file: &Path, args: &FireArgs) -> Result<Vec<(String, InputRequest)>, Failure> {
    let (name, bytes) = setup::bytes(file)?;
    let text = String::from_utf8_lossy(&bytes);
    let agent = args.common.one();
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
                let event = read_line(line).map_err(|why| Failure::BadInput(format!("{place}: {why}")))?;
                let request = of_event(&place, event, agent)?;
                requests.push((place, request));
            }
            _ if requests.is_empty() && file != Path::new("-") => return of_recording(file, args),
            _ => {
                let help = "a line is a payload with `hook_event_name`, or an event that hookbench has exported";
                return Err(Failure::BadInput(format!("{place}: no event\n  help: {help}")));
            }
        }
    }
    Ok(requests)
}

fn of_event(place: &str, event: RecordedEvent, agent: Option<&'static str>) -> Result<InputRequest, Failure> {
    let own = dialects::by_id(&event.agent).map(|dialect| dialect.id());
    let payload = read_payload(place, &event.payload)?;
    Ok(InputRequest {
        agent: agent.or(own),
        event: Some(event.event),
        payload: Some(payload),
        ..InputRequest::default()
    })
}

/// A sink that keeps events in memory.
struct Collected(Vec<RecordedEvent>);

impl Sink for Collected {
    fn take(&mut self, _session: &RecordedSession, events: Vec<RecordedEvent>) -> Result<Added, SinkError> {
        let added = Added { new: events.len() as u64, known: 0 };
        self.0.extend(events);
        Ok(added)
    }
}

/// Reads the events of an agent's session file.
fn of_recording(file: &Path, args: &FireArgs) -> Result<Vec<(String, InputRequest)>, Failure> {
    let place = make_place(args.common.project.as_deref(), args.common.home.as_deref())?;
    let mut events = Collected(Vec::new());
    import_file(file, &place, &mut events, &mut || ControlFlow::Continue(()))
        .map_err(|why| Failure::BadInput(why.to_string()))?;
    let requests = events.0.into_iter().enumerate().map(|(index, event)| {
        let place = format!("{}, event {}", file.display(), index + 1);
        let request = of_event(&place, event, args.common.one())?;
        Ok((place, request))
    });
    requests.collect()
}

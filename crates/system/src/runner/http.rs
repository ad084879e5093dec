//! One HTTP request, from its start to its report.

use std::io::Read;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::sleep;
use ureq::Error;
use ureq::http::{Uri, header::CONTENT_TYPE};

use super::output_tap::OutputTap;
use super::run_event::SupervisorMessage;
use super::supervisor::SupervisorContext;
use crate::http_client;
use hookbench_core::run::{Exit, HttpSpec, Network, Stream, Timing};

/// The size of a read, as for processes.
const CHUNK: usize = 16 << 10;

/// Sends the request and reports the response. Any status counts as a response, and redirects are not followed.
pub(super) async fn supervise(mut job: SupervisorContext, spec: HttpSpec) {
    let started = job.clock.now();
    let _ = job.news.send(SupervisorMessage::Started { pid: None, at: started });
    let limit = job.clock.limit(spec.timeout);
    let (timeout, sent) = (spec.timeout.unwrap_or_default(), spec.body.len() as u64);
    let (done, answered) = oneshot::channel();
    let tap = Arc::clone(&job.tap);
    // A separate thread instead of a runtime thread, so that the program can exit without waiting for a server that
    // does not respond.
    std::thread::spawn(move || {
        // The receiver may have given up.
        let _ = done.send(exchange(&spec, limit, &tap));
    });
    let deadline = async {
        match limit {
            Some(limit) => sleep(limit).await,
            None => std::future::pending().await,
        }
    };
    let (exit, content_type) = tokio::select! {
        biased;
        _ = &mut job.stopped => (Exit::Cancelled, None),
        answer = answered => match answer {
            Ok(Ok(answer)) => (Exit::Http { status: answer.status }, answer.content_type),
            Ok(Err(HttpFailure::Timeout)) => (Exit::TimedOut { after: timeout }, None),
            Ok(Err(HttpFailure::Message(error))) => (Exit::FailedToStart { error }, None),
            Err(_) => (Exit::FailedToStart { error: "the request was abandoned".to_owned() }, None),
        },
        () = deadline => (Exit::TimedOut { after: timeout }, None),
    };
    let stdin_read = if matches!(exit, Exit::Http { .. }) { sent } else { 0 };
    job.report(exit, Timing { started, ended: job.clock.now() }, |report| {
        report.content_type = content_type;
        report.stdin_read = stdin_read;
    });
}

struct HttpResult {
    status: u16,
    content_type: Option<String>,
}

enum HttpFailure {
    Timeout,
    Message(String),
}

fn exchange(spec: &HttpSpec, limit: Option<Duration>, tap: &OutputTap) -> Result<HttpResult, HttpFailure> {
    let uri: Uri = spec.url.parse().map_err(|error| HttpFailure::Message(format!("{}: {error}", spec.url)))?;
    // The host and port, without a user name and password.
    let port = uri.port().map_or_else(String::new, |port| format!(":{port}"));
    let peer = uri.host().map_or_else(|| spec.url.clone(), |host| format!("{host}{port}"));
    let failure = |error: Error| match error {
        Error::Timeout(_) => HttpFailure::Timeout,
        Error::Io(error) => HttpFailure::Message(format!("{peer}: {error}")),
        error => HttpFailure::Message(format!("{peer}: {error}")),
    };
    let refuse = spec.forbidden_networks.clone();
    let agent = http_client::agent(&uri, limit, move |address| check_address(&refuse, address)).map_err(failure)?;
    let mut request = agent.post(&uri);
    for (name, value) in &spec.headers {
        request = request.header(name, value);
    }
    let mut response = request.send(&spec.body[..]).map_err(failure)?;
    let content_type = response.headers().get(CONTENT_TYPE);
    let content_type = content_type.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let mut body = response.body_mut().as_reader();
    let mut chunk = vec![0; CHUNK];
    loop {
        match body.read(&mut chunk) {
            Ok(0) => return Ok(HttpResult { status: response.status().as_u16(), content_type }),
            Ok(count) => tap.push(Stream::Stdout, &chunk[..count]),
            Err(error) => return Err(failure(Error::from(error))),
        }
    }
}

/// Rejects an address in a forbidden network.
fn check_address(refuse: &[Network], address: IpAddr) -> Result<(), String> {
    let plain = address.to_canonical();
    if refuse.iter().any(|network| network.contains(address) || network.contains(plain)) {
        return Err(format!("{plain} is in a blocked network"));
    }
    Ok(())
}

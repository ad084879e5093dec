//! Maps paths to requests.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use hookbench_core::live::http::RequestHead;
use hookbench_core::live::normalized_event::NormalizedEvent;
use hookbench_core::live::{AcceptedDecisions, ClientBudget, HOOKS_PATH, RequestRefusal, header, parse_envelope};

/// The maximum number of rows on a page.
const MOST_ROWS: u32 = 1_000;

/// The result of routing.
#[derive(Debug)]
pub(super) enum Route {
    Ready(RequestKind),
    /// The body has to be read first.
    Body(BodyKind),
}

/// The kind of request that a body completes.
#[derive(Debug)]
pub(super) enum BodyKind {
    Hook,
    Decide(String),
}

impl BodyKind {
    /// Completes the request with its body.
    ///
    /// # Errors
    /// Returns an error if the body is invalid.
    pub fn complete(self, head: &RequestHead, body: Vec<u8>) -> Result<RequestKind, RequestRefusal> {
        match self {
            BodyKind::Hook => hook(head, &body).map(|hook| RequestKind::Hook(Box::new(hook))),
            BodyKind::Decide(id) => {
                let token = head.header("Authorization").and_then(|value| value.strip_prefix("Bearer "));
                Ok(RequestKind::Decide { id, body, token: token.map(|token| token.trim().to_owned()) })
            }
        }
    }
}

/// Routes a request by its first line and headers.
///
/// # Errors
/// Returns an error if the path does not exist, the method is not allowed, or the body cannot be accepted.
pub(super) fn route(head: &RequestHead) -> Result<Route, RequestRefusal> {
    let (path, query) = head.target.split_once('?').unwrap_or((&head.target, ""));
    if path == HOOKS_PATH {
        return check_post(head, "POST").map(|()| Route::Body(BodyKind::Hook));
    }
    if let Some(id) = path.strip_prefix("/v1/held/") {
        if head.method == "GET" {
            return Ok(Route::Ready(RequestKind::Query(ServerQuery::Pending(Some(id.to_owned())))));
        }
        return check_post(head, "GET, POST").map(|()| Route::Body(BodyKind::Decide(id.to_owned())));
    }
    let question = match path {
        "/v1/health" => ServerQuery::Health,
        "/v1/sessions" => ServerQuery::Sessions,
        "/v1/held" => ServerQuery::Pending(None),
        "/v1/events" => ServerQuery::Events(StreamStart::Now),
        "/v1/observations" => ServerQuery::Observations { since: None, session: None, event: None, limit: MOST_ROWS },
        _ => match path.strip_prefix("/v1/observations/").filter(|id| !id.is_empty()) {
            Some(id) => ServerQuery::Observation(id.to_owned()),
            None => return Err(RequestRefusal::NoSuchPath),
        },
    };
    if head.method != "GET" {
        return Err(RequestRefusal::Method("GET"));
    }
    with_parameters(question, query).map(|question| Route::Ready(RequestKind::Query(question)))
}

fn check_post(head: &RequestHead, allowed: &'static str) -> Result<(), RequestRefusal> {
    if head.method != "POST" {
        return Err(RequestRefusal::Method(allowed));
    }
    if !head.is_json() {
        return Err(RequestRefusal::WrongType);
    }
    head.body_length().map(|_| ())
}

/// Applies the query string to a question. Unknown parameters are ignored.
fn with_parameters(mut question: ServerQuery, query: &str) -> Result<ServerQuery, RequestRefusal> {
    for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
        let value = decoded(value);
        match (&mut question, name) {
            (ServerQuery::Observations { since, .. }, "since") => *since = Some(number(&value)?),
            (ServerQuery::Observations { session, .. }, "session") => *session = Some(value),
            (ServerQuery::Observations { event, .. }, "event") => *event = Some(value),
            (ServerQuery::Observations { limit, .. }, "limit") => *limit = number::<u32>(&value)?.min(MOST_ROWS),
            (ServerQuery::Events(since), "since") => *since = StreamStart::After(number(&value)?),
            _ => {}
        }
    }
    Ok(question)
}

fn number<N: std::str::FromStr>(text: &str) -> Result<N, RequestRefusal> {
    text.parse().map_err(|_| RequestRefusal::BadRequest("since and limit must be whole numbers"))
}

/// Decodes `%20` and `+`.
fn decoded(text: &str) -> String {
    let hex = |at: usize| text.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
    let (mut bytes, mut at) = (Vec::with_capacity(text.len()), 0);
    while let Some(byte) = text.as_bytes().get(at) {
        let (byte, long) = match (byte, hex(at)) {
            (b'%', Some(byte)) => (byte, 3),
            (b'+', _) => (b' ', 1),
            (byte, _) => (*byte, 1),
        };
        bytes.push(byte);
        at += long;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hook(head: &RequestHead, body: &[u8]) -> Result<HookRequest, RequestRefusal> {
    let received = parse_envelope(body)?;
    Ok(HookRequest {
        seq: 0,
        normal: NormalizedEvent::default(),
        summary: EventSummary::default(),
        schema_version: received.schema_version,
        provider: received.provider,
        event: received.event,
        provider_ref: received.provider_ref,
        project_path: received.project_path,
        received_at: received.received_at,
        received_ms: received.received_ms,
        payload: received.payload.into(),
        extra: received.extra.into_iter().map(|(name, value)| (name, value.to_owned())).collect(),
        accept: AcceptedDecisions::parse(head.header(header::ACCEPT)),
        budget: head.header(header::BUDGET).and_then(ClientBudget::parse),
        request_id: head.header(header::REQUEST_ID).filter(|id| is_uuid(id)).map(str::to_ascii_lowercase),
        is_text: head.header(header::PAYLOAD) == Some("text"),
        oversize: head.header(header::OVERSIZE).and_then(|bytes| bytes.parse().ok()),
    })
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// A parsed request that needs an answer.
#[derive(Debug)]
pub struct ServerRequest {
    pub kind: RequestKind,
    pub channel: ReplyChannel,
}

/// The content of a request.
#[derive(Debug)]
pub enum RequestKind {
    /// An event, at `POST /v1/hooks`.
    Hook(Box<HookRequest>),
    /// The client hung up before its request was answered.
    HungUp,
    /// A query.
    Query(ServerQuery),
    /// Decides a pending event, at `POST /v1/held/<id>`.
    Decide { id: String, body: Vec<u8>, token: Option<String> },
}

/// A query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerQuery {
    Health,
    /// `GET /v1/observations`.
    Observations {
        since: Option<i64>,
        session: Option<String>,
        event: Option<String>,
        limit: u32,
    },
    /// `GET /v1/observations/<id>`.
    Observation(String),
    Sessions,
    /// All pending events, or one of them with its payload.
    Pending(Option<String>),
    /// `GET /v1/events`: a stream of events.
    Events(StreamStart),
}

/// The position at which an event stream begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamStart {
    Now,
    /// After this number, as far as the history reaches.
    After(u64),
}

/// An event as received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookRequest {
    /// The number in the order of arrival, from 1.
    pub seq: u64,
    pub schema_version: u64,
    pub provider: String,
    pub event: String,
    pub provider_ref: String,
    pub project_path: String,
    pub received_at: String,
    /// `received_at` in milliseconds since 1970.
    pub received_ms: i64,
    /// The payload's JSON, unchanged.
    pub payload: Arc<str>,
    /// Unknown fields of the envelope.
    pub extra: Vec<(String, String)>,
    pub accept: AcceptedDecisions,
    pub budget: Option<ClientBudget>,
    /// A UUID from the client.
    pub request_id: Option<String>,
    /// Whether the payload was not JSON, and is transported as a JSON string.
    pub is_text: bool,
    /// The size in bytes of a payload that was too long to be sent.
    pub oversize: Option<u64>,
    pub normal: NormalizedEvent,
    pub summary: EventSummary,
}

/// The summary of an event for lists, from a [`SummarizeEvent`] function that knows the agents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventSummary {
    /// The event's name in the agent's spelling.
    pub event_name: String,
    /// The value that matchers are matched against.
    pub subject: Option<String>,
    /// The value of the payload that describes the event best, such as the command.
    pub highlight: Option<String>,
}

/// Summarizes an event. Runs on the task of its connection.
pub type SummarizeEvent = fn(&HookRequest) -> EventSummary;

/// The channel to one client.
#[derive(Debug, Clone)]
pub struct ReplyChannel {
    /// The unique number of the connection.
    pub connection: u64,
    replies: mpsc::Sender<ServerReply>,
}

impl ReplyChannel {
    /// A line, and the receiver of its replies.
    pub fn new(connection: u64) -> (ReplyChannel, mpsc::Receiver<ServerReply>) {
        // Room for "wait" messages and the answer.
        let (replies, coming) = mpsc::channel(4);
        (ReplyChannel { connection, replies }, coming)
    }

    /// Sends a reply, which is dropped if the client is gone.
    pub fn send(&self, reply: ServerReply) {
        let _ = self.replies.try_send(reply);
    }
}

/// A reply to a client.
#[derive(Debug)]
pub enum ServerReply {
    /// The answer will take longer. Sent at once and every ten seconds, with these headers. `written` is notified after
    /// it is sent.
    Processing { headers: Vec<(&'static str, &'static str)>, written: Option<oneshot::Sender<()>> },
    /// The answer. `written` is notified after it is sent.
    Answer { status: u16, headers: Vec<(&'static str, String)>, body: Vec<u8>, written: Option<oneshot::Sender<()>> },
    /// A stream of events, until the sender is dropped.
    Stream(mpsc::Receiver<String>),
}

impl ServerReply {
    /// An answer with a JSON body.
    pub fn json(status: u16, body: String) -> ServerReply {
        ServerReply::Answer { status, headers: Vec::new(), body: body.into_bytes(), written: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_core::live::http::read_request;

    fn head(request: &str) -> RequestHead {
        read_request(format!("{request}\r\n\r\n").as_bytes()).unwrap().unwrap().0
    }

    fn led(request: &str) -> Result<String, u16> {
        route(&head(request)).map(|way| format!("{way:?}")).map_err(|refusal| refusal.status())
    }

    #[test]
    fn every_path_leads_somewhere_or_is_refused() {
        let post = |path: &str| format!("POST {path} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2");
        for (request, expected) in [
            (post("/v1/hooks"), Ok("Body(Hook)")),
            ("POST /v1/hooks HTTP/1.1\r\nContent-Length: 2".to_owned(), Err(415)),
            ("POST /v1/hooks HTTP/1.1\r\nContent-Type: application/json".to_owned(), Err(411)),
            (post("/v1/hooks").replace("Length: 2", "Length: 11534337"), Err(413)),
            ("GET /v1/hooks HTTP/1.1".to_owned(), Err(405)),
            ("GET /v1/health HTTP/1.1".to_owned(), Ok("Ready(Query(Health))")),
            (post("/v1/health"), Err(405)),
            ("GET /v1/held HTTP/1.1".to_owned(), Ok("Ready(Query(Pending(None)))")),
            ("GET /v1/held/a HTTP/1.1".to_owned(), Ok("Ready(Query(Pending(Some(\"a\"))))")),
            (post("/v1/held/a"), Ok("Body(Decide(\"a\"))")),
            ("PUT /v1/held/a HTTP/1.1".to_owned(), Err(405)),
            ("GET /v1/events?since=7 HTTP/1.1".to_owned(), Ok("Ready(Query(Events(After(7))))")),
            ("GET /v1/events?since=x HTTP/1.1".to_owned(), Err(400)),
            (
                "GET /v1/observations?since=-1&session=a%20b%zz&event=x+y&limit=9999&other=1 HTTP/1.1".to_owned(),
                Ok("Ready(Query(Observations { since: Some(-1), session: Some(\"a b%zz\"), event: Some(\"x y\"), \
                    limit: 1000 }))"),
            ),
            ("GET /v1/observations/a HTTP/1.1".to_owned(), Ok("Ready(Query(Observation(\"a\")))")),
            ("GET /v1/observations/ HTTP/1.1".to_owned(), Err(404)),
            ("GET / HTTP/1.1".to_owned(), Err(404)),
            ("GET /v2/health HTTP/1.1".to_owned(), Err(404)),
        ] {
            assert_eq!(led(&request), expected.map(str::to_owned), "{request}");
        }
    }

    #[test]
    fn only_a_uuid_is_an_id() {
        for (text, is) in [
            ("0192aabb-ccdd-7fff-bfff-ffffffffffff", true),
            ("0192AABB-CCDD-7FFF-BFFF-FFFFFFFFFFFF", true),
            ("0192aabb-ccdd-7fff-bfff-fffffffffff", false),
            ("0192aabbxccdd-7fff-bfff-ffffffffffff", false),
            ("0192aabb-ccdd-7fff-bfff-fffffffffffg", false),
            ("", false),
        ] {
            assert_eq!(is_uuid(text), is, "{text}");
        }
    }
}

//! Maps paths to requests.

use super::request::{EventSummary, HookRequest, RequestKind, ServerQuery, StreamStart};
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

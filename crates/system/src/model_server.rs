//! A stand-in of an agent's model: an HTTP server on the loopback interface that follows a script and keeps what the
//! agent told the model. It serves one session, behind a path that only this session knows.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::http_request::{read_body, read_head};
use hookbench_core::dialects::verification::ModelInterface;
use hookbench_core::live::http::write_response;
use hookbench_core::model_interface::{
    CLOSING_SENTENCE, ModelRequest, ModelTurn, SUBAGENT_MARK, other_reply, read_request, write_reply,
};

/// The time limit for an agent to send a request or to receive a response.
const EXCHANGE_TIMEOUT: Duration = Duration::from_secs(20);
/// The number of requests that are kept; a session that asks more often gets sentences.
const MAX_KEPT: usize = 200;
/// The number of connections at a time.
const MAX_CONNECTIONS: usize = 64;

/// The script of a session.
#[derive(Debug, Clone)]
pub struct ModelScript {
    pub interface: ModelInterface,
    pub turns: Vec<ModelTurn>,
    /// The turns in conversations of sub-agents.
    pub subagent_turns: Vec<ModelTurn>,
    /// Requests that do not offer this tool are side questions, such as one for a title, and get a sentence.
    pub main_tools: HashSet<String>,
}

/// A running stand-in. Dropping it ends the server.
#[derive(Debug)]
pub struct ModelServer {
    /// The address that the agent uses as that of its model, without a slash at the end.
    pub url: String,
    state: Arc<ServedSession>,
    _connections: JoinSet<()>,
}

impl ModelServer {
    /// Starts the stand-in. Must be called in a tokio runtime with time and I/O.
    pub async fn start(script: ModelScript) -> io::Result<ModelServer> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let secret = secret_path();
        let url = format!("http://127.0.0.1:{}{secret}", listener.local_addr()?.port());
        let state = Arc::new(ServedSession { secret, script, requests: Mutex::default() });
        let mut connections = JoinSet::new();
        connections.spawn(accept(listener, Arc::clone(&state)));
        Ok(ModelServer { url, state, _connections: connections })
    }

    /// Starts the stand-in on sockets of other networks, which listen at `port`. `next` waits for the socket of the next
    /// network; the one before it is then closed.
    pub fn start_later<N, F>(script: ModelScript, port: u16, next: N) -> ModelServer
    where
        N: Fn() -> F + Send + 'static,
        F: Future<Output = io::Result<std::net::TcpListener>> + Send,
    {
        let secret = secret_path();
        let url = format!("http://127.0.0.1:{port}{secret}");
        let state = Arc::new(ServedSession { secret, script, requests: Mutex::default() });
        let mut connections = JoinSet::new();
        let served = Arc::clone(&state);
        connections.spawn(async move {
            let mut accepting = JoinSet::new();
            // Without a socket, the agent gets no answer, and its session shows that.
            while let Ok(listener) = next().await {
                accepting.abort_all();
                if listener.set_nonblocking(true).is_ok()
                    && let Ok(listener) = TcpListener::from_std(listener)
                {
                    accepting.spawn(accept(listener, Arc::clone(&served)));
                }
            }
            while accepting.join_next().await.is_some() {}
        });
        ModelServer { url, state, _connections: connections }
    }

    /// The requests of the main conversation so far, in order.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.state.requests().clone()
    }
}

/// A path that only this session knows.
fn secret_path() -> String {
    format!("/{:016x}{:016x}", RandomState::new().hash_one(1), RandomState::new().hash_one(2))
}

#[derive(Debug)]
struct ServedSession {
    secret: String,
    script: ModelScript,
    requests: Mutex<Vec<ModelRequest>>,
}

impl ServedSession {
    fn requests(&self) -> MutexGuard<'_, Vec<ModelRequest>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The response to a request, whole.
    fn respond(&self, target: &str, body: &[u8]) -> Vec<u8> {
        let path = target.split('?').next().unwrap_or_default();
        let Some(path) = path.strip_prefix(&self.secret) else {
            return write_response(404, "text/plain", &[], b"not found");
        };
        let body = serde_json::from_slice(body).unwrap_or(Value::Null);
        let reply = match read_request(self.script.interface, path, &body) {
            None => other_reply(),
            Some(request) => {
                let main = request.tools.iter().any(|tool| self.script.main_tools.contains(tool));
                let closing = ModelTurn::Sentence(CLOSING_SENTENCE.to_owned());
                let of_subagent = request.opening.contains(SUBAGENT_MARK);
                let turns = if of_subagent { &self.script.subagent_turns } else { &self.script.turns };
                let scripted = turns.get(request.turns).filter(|_| main);
                let mut requests = self.requests();
                let number = requests.len();
                let scripted = scripted.filter(|_| number < MAX_KEPT);
                let reply = write_reply(self.script.interface, &request, scripted.unwrap_or(&closing), number);
                if main && number < MAX_KEPT {
                    requests.push(request);
                }
                reply
            }
        };
        write_response(200, reply.content_type, &[], reply.body.as_bytes())
    }
}

async fn accept(listener: TcpListener, state: Arc<ServedSession>) {
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        if connections.len() >= MAX_CONNECTIONS {
            connections.join_next().await;
        }
        // A failed accept concerns one connection; the next may succeed.
        if let Ok((stream, _)) = listener.accept().await {
            let state = Arc::clone(&state);
            connections.spawn(async move {
                let _ = timeout(EXCHANGE_TIMEOUT, serve(stream, &state)).await;
            });
        }
    }
}

/// Serves one request.
async fn serve(mut stream: TcpStream, state: &ServedSession) {
    let Ok(Some((head, before_body))) = read_head(&mut stream).await else { return };
    let response = match read_body(&mut stream, &head, before_body).await {
        Ok(Some(body)) => state.respond(&head.target, &body),
        Ok(None) => return,
        Err(refusal) => write_response(refusal.status(), "text/plain", &[], b"the request cannot be read"),
    };
    // The agent may have hung up.
    let _ = stream.write_all(&response).await;
    let _ = stream.shutdown().await;
}

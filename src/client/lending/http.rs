//! Streamable HTTP on 127.0.0.1: one POST, one message. No session is kept and no stream is offered for
//! messages of the server's own. Nobody is read before the token was shown.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, Limited, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use super::MAX_CONNECTIONS;
use super::desk::{Desk, Pending, Refusal, Reply};
use crate::carrier::mcp::revision;
use crate::carrier::mcp::server::Answered;
use crate::wire::lines;

/// How long a request may take to come, its head and then its body; also how long a connection may idle.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest head of a request.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// A call that is not answered yet shows a sign of life this often: clients give up on a silent one.
const SIGN_OF_LIFE: Duration = Duration::from_secs(10);
/// What the paths of all servers end with; fast-agent puts it behind any other path.
const END: &str = "/mcp";
const SESSION_ID: &str = "mcp-session-id";
const REVISION: &str = "mcp-protocol-version";
/// The method of the message, told in the head; since revision 2026-07-28.
const MESSAGE_METHOD: &str = "mcp-method";
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");

type Body = UnsyncBoxBody<Bytes, Infallible>;

/// The URL of a server.
pub(super) fn url(port: u16, name: &str) -> String {
    format!("http://127.0.0.1:{port}/{name}{END}")
}

/// Listens on a port of the system's choice until `running` is gone; gives the port. Needs a tokio
/// runtime.
pub(super) fn listen(desk: &Arc<Desk>, mut running: watch::Receiver<()>) -> std::io::Result<u16> {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    let listener = TcpListener::from_std(listener)?;
    let desk = Arc::clone(desk);
    tokio::spawn(async move {
        let ended = running.clone();
        tokio::select! {
            () = accept(listener, port, &desk, ended) => {}
            _ = running.changed() => {}
        }
    });
    Ok(port)
}

async fn accept(listener: TcpListener, port: u16, desk: &Arc<Desk>, running: watch::Receiver<()>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // No descriptor is free, or the client is gone already: both pass.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let (desk, mut running) = (Arc::clone(desk), running.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = serve(stream, port, desk) => {}
                _ = running.changed() => {}
            }
            drop(place);
        });
    }
}

async fn serve(stream: TcpStream, port: u16, desk: Arc<Desk>) {
    let service = service_fn(|request| {
        let desk = Arc::clone(&desk);
        async move { Ok::<_, Infallible>(answer(&desk, port, request).await) }
    });
    let served = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_TIMEOUT)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    // Broken by the client: what it waited for was dropped with the service, and so withdrawn.
    drop(served);
}

async fn answer(desk: &Arc<Desk>, port: u16, request: Request<Incoming>) -> Response<Body> {
    let headers = request.headers();
    if !is_ours(headers.get(header::HOST), port, "") {
        return refused(StatusCode::FORBIDDEN, "expected this server's own Host");
    }
    if headers.contains_key(header::ORIGIN)
        && !is_ours(headers.get(header::ORIGIN), port, "http://")
    {
        return refused(StatusCode::FORBIDDEN, "expected no Origin but this server's own");
    }
    let Some(name) = server_of(request.uri().path()).map(str::to_owned) else {
        return refused(StatusCode::NOT_FOUND, "no such server");
    };
    match desk.admit(&name, bearer(headers)) {
        Ok(()) => {}
        Err(Refusal::Unknown) => return refused(StatusCode::NOT_FOUND, "no such server"),
        Err(Refusal::Token) => {
            let mut response = refused(StatusCode::UNAUTHORIZED, "expected the server's token");
            let how = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, how);
            return response;
        }
    }
    if request.method() != Method::POST {
        let mut response = refused(StatusCode::METHOD_NOT_ALLOWED, "expected POST");
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
        return response;
    }
    message(desk, &name, request).await
}

/// A message of a client that was let in.
async fn message(desk: &Arc<Desk>, name: &str, request: Request<Incoming>) -> Response<Body> {
    let headers = request.headers();
    if !essence(headers, header::CONTENT_TYPE.as_str()).eq_ignore_ascii_case("application/json") {
        return refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, "expected application/json");
    }
    if let Some(asked) = text(headers, REVISION).filter(|asked| !revision::is_supported(asked)) {
        let error = revision::unsupported(asked).to_string();
        return json_response(StatusCode::BAD_REQUEST, crate::wire::encode::error("null", &error));
    }
    let peer = text(headers, SESSION_ID).unwrap_or_default().to_owned();
    let takes_events = headers
        .get_all(header::ACCEPT)
        .iter()
        .any(|accept| accept.to_str().is_ok_and(|accept| accept.contains("text/event-stream")));
    let told_method = text(headers, MESSAGE_METHOD).map(str::to_owned);
    let body = Limited::new(request.into_body(), desk.limits.max_incoming_bytes);
    let body = match tokio::time::timeout(REQUEST_TIMEOUT, body.collect()).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(_)) => return refused(StatusCode::PAYLOAD_TOO_LARGE, "the message is too large"),
        Err(_) => return refused(StatusCode::REQUEST_TIMEOUT, "the message came too slowly"),
    };
    let message = lines::text(&body);
    if let Some(told) = told_method
        && !is_method(&message, &told)
    {
        return json_response(StatusCode::BAD_REQUEST, header_mismatch());
    }
    match desk.receive(name, &peer, &message) {
        Reply::Nothing => response(StatusCode::ACCEPTED, empty()),
        Reply::Gone => refused(StatusCode::NOT_FOUND, "no such server"),
        Reply::Answer(line, kind) => {
            let status = match kind {
                Answered::Invalid => StatusCode::BAD_REQUEST,
                Answered::UnknownMethod => StatusCode::NOT_FOUND,
                _ => StatusCode::OK,
            };
            let mut response = json_response(status, line);
            if kind == Answered::Initialize
                && let Ok(id) = HeaderValue::try_from(desk.new_peer())
            {
                response.headers_mut().insert(SESSION_ID, id);
            }
            response
        }
        Reply::Later(pending) if takes_events => events(pending),
        Reply::Later(mut pending) => match pending.answer().await {
            Some(line) => json_response(StatusCode::OK, line),
            None => refused(StatusCode::SERVICE_UNAVAILABLE, "the client has ended"),
        },
    }
}

/// The answer of a call as a stream of events: its head goes out at once, so that no client takes a
/// long call for a dead server.
fn events(pending: Pending) -> Response<Body> {
    let frames = futures::stream::unfold(Some(pending), async |pending| {
        let mut pending = pending?;
        tokio::select! {
            line = pending.answer() => line.map(|line| (event(&line), None)),
            () = tokio::time::sleep(SIGN_OF_LIFE) => Some((b":\n\n".to_vec(), Some(pending))),
        }
    });
    let frames = futures::StreamExt::map(frames, |bytes| Ok(Frame::data(Bytes::from(bytes))));
    let mut response = response(StatusCode::OK, StreamBody::new(frames).boxed_unsync());
    response.headers_mut().insert(header::CONTENT_TYPE, EVENTS);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A line, which ends with its only line feed, as an event.
fn event(line: &[u8]) -> Vec<u8> {
    [b"event: message\ndata: ", line, b"\n"].concat()
}

/// The name of the server that a path leads to.
fn server_of(path: &str) -> Option<&str> {
    path.strip_prefix('/')?.strip_suffix(END)
}

/// Whether a header names this server: any other name may be one that somebody made lead here.
fn is_ours(value: Option<&HeaderValue>, port: u16, scheme: &str) -> bool {
    let own = |host| format!("{scheme}{host}:{port}");
    let value = value.and_then(|value| value.to_str().ok());
    value.is_some_and(|value| value == own("127.0.0.1") || value == own("localhost"))
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = text(headers, header::AUTHORIZATION.as_str())?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Whether the message is one of this method. Told wrongly, something in between would judge another
/// message than the one that is run.
fn is_method(message: &str, told: &str) -> bool {
    use crate::wire::envelope::{Message, classify};
    match classify(message) {
        Ok(Message::Request { method, .. } | Message::Notification { method, .. }) => {
            method == told
        }
        // Answered as what it is.
        Ok(Message::Answer { .. }) | Err(_) => true,
    }
}

fn header_mismatch() -> Vec<u8> {
    const HEADER_MISMATCH: i64 = -32020;
    let message = "expected the method that the header Mcp-Method names";
    let error = crate::wire::encode::error_object(HEADER_MISMATCH, message);
    crate::wire::encode::error("null", &error)
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// The media type a header names, without its parameters.
fn essence<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    text(headers, name).and_then(|value| value.split(';').next()).unwrap_or_default().trim()
}

fn refused(status: StatusCode, why: &'static str) -> Response<Body> {
    let mut response = response(status, Full::from(why).boxed_unsync());
    let plain = HeaderValue::from_static("text/plain");
    response.headers_mut().insert(header::CONTENT_TYPE, plain);
    response
}

fn json_response(status: StatusCode, line: Vec<u8>) -> Response<Body> {
    let mut response = response(status, Full::from(line).boxed_unsync());
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    response
}

fn empty() -> Body {
    Full::default().boxed_unsync()
}

fn response(status: StatusCode, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::carrier::mini_me::MiniMe;
    use crate::client::calls::Calls;
    use crate::client::connection::{Limits, Shared};
    use crate::client::lending::{NewLease, Way};
    use crate::tools::lent::Lent;
    use crate::tools::report::Discovery;
    use crate::wire::lane::Lane;
    use serde_json::json;
    use std::sync::Mutex;

    fn desk(calls: &Arc<Calls>) -> Arc<Desk> {
        let mut lent = Lent::new("test");
        lent.give("s", &[json!({ "name": "waits" })]).unwrap();
        let shared = Shared {
            lane: Arc::new(Lane::new(Box::new(|| {}))),
            lent: Arc::new(Mutex::new(lent)),
            carrier: Arc::new(MiniMe { discovery: Discovery::Meta }),
            kept: Arc::default(),
        };
        let limits =
            Limits { max_incoming_bytes: 1000, max_outgoing_bytes: 1000, is_traced: false };
        let desk = Desk::new(&shared, Arc::clone(calls), limits);
        desk.open(NewLease {
            name: "n".to_owned(),
            token: "t".to_owned(),
            list: "s".to_owned(),
            session: None,
            by: Way::Http,
            temporary_folder: std::path::PathBuf::new(),
        });
        Arc::new(desk)
    }

    async fn next(body: &mut Body) -> Option<String> {
        let frame = body.frame().await?.unwrap().into_data().unwrap();
        Some(String::from_utf8(frame.to_vec()).unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_call_shows_signs_of_life_until_its_answer() {
        let calls = Arc::new(Calls::default());
        let message = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"waits"}}"#;
        let Reply::Later(pending) = desk(&calls).receive("n", "", message) else {
            panic!("expected a call")
        };
        let mut body = events(pending).into_body();
        for _ in 0..3 {
            let before = tokio::time::Instant::now();
            assert_eq!(next(&mut body).await.as_deref(), Some(":\n\n"));
            assert_eq!(before.elapsed(), SIGN_OF_LIFE);
        }
        calls.answer("1r\"done\"\n", 1000, |_| String::new());
        let event = next(&mut body).await.unwrap();
        let data = event.strip_prefix("event: message\ndata: ").unwrap();
        assert!(data.ends_with("}\n\n") && data.contains(r#""id":7"#), "{data}");
        assert_eq!(next(&mut body).await, None);
    }

    #[test]
    fn a_path_names_its_server() {
        let check = |path: &str, expected: Option<&str>| assert_eq!(server_of(path), expected);
        check("/client12345/mcp", Some("client12345"));
        check("/client12345", None);
        check("/mcp", None);
        check("client12345/mcp", None);
        check("/a/b/mcp", Some("a/b"));
    }

    #[test]
    fn a_header_names_this_server_by_one_of_two_names() {
        let check = |value: &str, expected: bool| {
            let value = HeaderValue::from_str(value).unwrap();
            assert_eq!(is_ours(Some(&value), 80, ""), expected, "{value:?}");
        };
        check("127.0.0.1:80", true);
        check("localhost:80", true);
        check("127.0.0.1", false);
        check("127.0.0.1:801", false);
        check("localhost.attacker.example:80", false);
        assert!(!is_ours(None, 80, ""));
    }
}

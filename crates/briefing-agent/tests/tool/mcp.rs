//! MCP servers as tools: one in a process of its own, which is this test program again, and one over HTTP.

use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::mcp_server::{PNG, Server};
use crate::support::{Desk, gone, object, read_when_there, run, text};
use briefing::message::{Bytes, Media, Part};
use briefing_agent::tool::mcp::{McpConfirm, McpFault, McpFinding, McpServer, McpTools};
use briefing_agent::tool::{SchemaFault, ToolSet};
use briefing_agent::{Effect, Tool, ToolFailure, ToolOutput};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Names the folder of a server: without it the server below is no server.
const FOLDER: &str = "BRIEFING_TEST_MCP";
/// What kind of server it is.
const KIND: &str = "BRIEFING_TEST_MCP_KIND";

/// A key of the server, which it tells when it is broken.
const TOKEN: &str = "BRIEFING_TEST_TOKEN";

/// The server. What the test harness prints before it is what many servers do: noise.
#[test]
fn server() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let kind = std::env::var(KIND).unwrap_or_default();
    let mut server = Server::new(folder.into());
    server.note("pids", &std::process::id().to_string());
    let mut output = std::io::stdout().lock();
    writeln!(output, "\nno JSON").unwrap();
    for line in std::io::stdin().lock().lines() {
        match kind.as_str() {
            "silent" => continue,
            "broken" => {
                eprintln!("no database{}", std::env::var(TOKEN).map(|token| format!(" for {token}")).unwrap_or_default());
                std::process::exit(3);
            }
            _ => {}
        }
        for answer in server.answer(&serde_json::from_str(&line.unwrap()).unwrap()) {
            writeln!(output, "{answer}").unwrap();
            output.flush().unwrap();
        }
    }
    std::process::exit(0);
}

fn started(folder: &Path, kind: &str) -> McpServer {
    let env = [(OsString::from(FOLDER), folder.into()), (KIND.into(), kind.into())];
    McpServer::stdio(std::env::current_exe().unwrap(), ["--exact", "mcp::server", "--nocapture"], env, None)
}

async fn connected(desk: &Desk) -> McpTools {
    started(desk.folder.path(), "").connect().await.unwrap()
}

async fn call(tools: &McpTools, desk: &Desk, name: &str, input: Value) -> Result<ToolOutput, ToolFailure> {
    let tool = tools.tools.iter().find(|tool| &*tool.spec().name == name).unwrap();
    run(&**tool, input, &desk.cx()).await
}

fn lines(desk: &Desk, what: &str) -> Vec<String> {
    let text = std::fs::read_to_string(desk.path(what)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn tools_are_listed_over_pages_with_valid_names_and_usable_schemas() {
    let desk = Desk::open().await;
    let server = started(desk.folder.path(), "")
        .prefix("shop")
        .reading(["echo", "gone"])
        .confirming(McpConfirm::Named(["slow".to_owned()].into()));
    let McpTools { tools, findings } = server.connect().await.unwrap();
    let told: Vec<(&str, Effect, bool)> =
        tools.iter().map(|tool| tool.spec()).map(|spec| (&*spec.name, spec.effect, spec.confirm)).collect();
    let writes = |name| (name, Effect::Writes, false);
    assert_eq!(
        told,
        [
            ("shop_echo", Effect::Reads, false),
            writes("shop_find_order"),
            ("shop_slow", Effect::Writes, true),
            writes("shop_die"),
            writes("shop_ask"),
            writes("shop_big"),
            writes("shop_mixed"),
            writes("shop_fail"),
            writes("shop_error"),
            writes("shop_lie"),
        ]
    );
    let [renamed, foreign, again, odd, absent] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!(*renamed, McpFinding::Renamed { tool: "find order".to_owned(), called: "shop_find_order".into() });
    let fault = SchemaFault::ForeignReference { reference: "https://x.example/s.json".to_owned() };
    assert_eq!(*foreign, McpFinding::Schema { tool: "foreign".to_owned(), fault });
    assert_eq!(*again, McpFinding::Twice { tool: "echo".to_owned() });
    assert!(matches!(odd, McpFinding::Schema { tool, fault: SchemaFault::Invalid { .. } } if tool == "odd"), "{odd:?}");
    assert_eq!(*absent, McpFinding::NotThere { tool: "gone".to_owned() });
    let mut set = ToolSet::new();
    tools.into_iter().for_each(|tool| set.add(tool).unwrap());
}

#[tokio::test]
async fn tools_are_confirmed_as_it_is_said() {
    let desk = Desk::open().await;
    for (confirm, expected) in [
        (McpConfirm::None, [false, false]),
        (McpConfirm::Writes, [false, true]),
        (McpConfirm::All, [true, true]),
        (McpConfirm::Named(["echo".to_owned()].into()), [true, false]),
    ] {
        let server = started(desk.folder.path(), "").reading(["echo"]).confirming(confirm.clone());
        let tools = server.connect().await.unwrap().tools;
        let of = |name: &str| tools.iter().find(|tool| &*tool.spec().name == name).unwrap().spec().confirm;
        assert_eq!([of("echo"), of("slow")], expected, "{confirm:?}");
    }
}

#[tokio::test]
async fn an_answer_becomes_parts() {
    let desk = Desk::open().await;
    let tools = connected(&desk).await;
    let said = call(&tools, &desk, "echo", json!({"say": "ä\n"})).await.unwrap();
    assert_eq!(text(&said), r#"{"say":"ä\n"}"#);
    let mixed = call(&tools, &desk, "mixed", json!({})).await.unwrap();
    let expected = vec![
        Part::text("one"),
        Part::Image(Media::data("image/png", Bytes::from_base64(PNG))),
        Part::text("[picture: image/png x, not shown]"),
        Part::text("[audio: audio/wav, not shown]"),
        Part::text("[resource: file:///a.txt]\ntwo"),
        Part::text("[resource: file:///a.bin, not shown]"),
        Part::text("[resource: file:///b]"),
    ];
    assert_eq!(mixed.parts, expected);
}

#[tokio::test]
async fn failures_are_told() {
    let desk = Desk::open().await;
    let tools = connected(&desk).await;
    let failed = |message: &str| Err(ToolFailure::Failed { message: message.to_owned() });
    assert_eq!(call(&tools, &desk, "fail", json!({})).await, failed("no such order"));
    assert_eq!(call(&tools, &desk, "error", json!({})).await, failed("bad arguments"));
    assert_eq!(call(&tools, &desk, "big", json!({})).await, Err(ToolFailure::TooMuch { limit: 1 << 20 }));
}

#[tokio::test]
async fn an_answer_that_is_none_is_a_crash_and_the_connection_goes_on() {
    let desk = Desk::open().await;
    let tools = connected(&desk).await;
    let lie = call(&tools, &desk, "lie", json!({})).await;
    assert!(matches!(lie, Err(ToolFailure::Crashed { .. })), "{lie:?}");
    assert_eq!(text(&call(&tools, &desk, "echo", json!({"say": "a"})).await.unwrap()), r#"{"say":"a"}"#);
    assert_eq!(lines(&desk, "pids").len(), 1);
}

#[tokio::test]
async fn whatever_a_server_asks_is_refused() {
    let desk = Desk::open().await;
    let tools = connected(&desk).await;
    assert_eq!(text(&call(&tools, &desk, "ask", json!({})).await.unwrap()), "[-32601, -32601, -32601, -32601]");
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_cancelled() {
    let desk = Desk::open().await;
    let after = Duration::from_millis(300);
    let tools = started(desk.folder.path(), "").timeout(after).connect().await.unwrap();
    std::fs::remove_file(desk.path("notices")).unwrap();
    assert_eq!(call(&tools, &desk, "slow", json!({})).await, Err(ToolFailure::TimedOut { after }));
    assert!(read_when_there(&desk.path("notices")).await.starts_with("notifications/cancelled"));
}

#[tokio::test]
async fn a_server_that_dies_is_started_again_and_no_call_is_sent_twice() {
    let desk = Desk::open().await;
    let tools = connected(&desk).await;
    for deaths in 1..=2 {
        let died = call(&tools, &desk, "die", json!({})).await;
        assert!(matches!(&died, Err(ToolFailure::Crashed { .. })), "{died:?}");
        assert_eq!(lines(&desk, "deaths").len(), deaths);
        assert_eq!(text(&call(&tools, &desk, "echo", json!({"say": "a"})).await.unwrap()), r#"{"say":"a"}"#);
        assert_eq!(lines(&desk, "pids").len(), deaths + 1);
    }
    assert_eq!(lines(&desk, "calls"), ["die", "echo", "die", "echo"]);
}

#[tokio::test]
async fn a_server_is_killed_when_its_tools_are_dropped() {
    let desk = Desk::open().await;
    let tools = connected(&desk).await;
    let kept: Arc<dyn Tool> = Arc::clone(&tools.tools[0]);
    drop(tools);
    assert_eq!(text(&run(&*kept, json!({"say": "a"}), &desk.cx()).await.unwrap()), r#"{"say":"a"}"#);
    drop(kept);
    gone(&desk.path("pids")).await;
}

#[tokio::test]
async fn a_server_that_cannot_be_used_is_a_fault() {
    let desk = Desk::open().await;
    let absent = McpServer::stdio("/no/such/server", [""; 0], [], None).connect().await.err();
    let kind = std::io::ErrorKind::NotFound;
    assert_eq!(absent, Some(McpFault::Start { program: "/no/such/server".into(), kind }));
    let after = Duration::from_secs(2);
    let silent = started(desk.folder.path(), "silent").connect_timeout(after).connect().await.err();
    assert_eq!(silent, Some(McpFault::TimedOut { after }));
    gone(&desk.path("pids")).await;
    let Some(McpFault::Refused { detail }) = started(desk.folder.path(), "broken").connect().await.err() else {
        panic!("it cannot be used")
    };
    assert!(detail.ends_with("\nno database"), "{detail}");
    let prefix = started(desk.folder.path(), "").prefix("a b").connect().await.err();
    assert_eq!(prefix, Some(McpFault::Prefix { prefix: "a b".to_owned() }));
}

/// Serves HTTP on loopback, one request a connection, and tells the value of the header `x-key` of each.
async fn http(folder: &Path) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let keys = Arc::new(Mutex::new(Vec::new()));
    let (server, seen) = (Arc::new(Mutex::new(Server::new(folder.to_owned()))), Arc::clone(&keys));
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (server, seen) = (Arc::clone(&server), Arc::clone(&seen));
            tokio::spawn(async move {
                let mut request = Vec::new();
                let (head, body) = loop {
                    let mut buffer = [0; 4096];
                    let read = stream.read(&mut buffer).await.unwrap();
                    if read == 0 {
                        return;
                    }
                    request.extend_from_slice(&buffer[..read]);
                    let text = String::from_utf8_lossy(&request).into_owned();
                    let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                    if body.len() >= header(head, "content-length").map_or(0, |length| length.parse().unwrap()) {
                        break (head.to_owned(), body.to_owned());
                    }
                };
                seen.lock().unwrap().extend(header(&head, "x-key"));
                let answer = if body.contains(r#""name":"die""#) {
                    server.lock().unwrap().note("calls", "die");
                    // Breaks off the connection.
                    return;
                } else if head.starts_with("POST") {
                    server.lock().unwrap().answer(&serde_json::from_str(&body).unwrap()).into_iter().next()
                } else {
                    None
                };
                let reply = match (head.starts_with("POST"), answer) {
                    (true, Some(answer)) => {
                        let answer = answer.to_string();
                        let length = answer.len();
                        format!(
                            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{answer}"
                        )
                    }
                    (true, None) => "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned(),
                    (false, _) => {
                        "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned()
                    }
                };
                let _ = stream.write_all(reply.as_bytes()).await;
            });
        }
    });
    (url, keys)
}

fn header(head: &str, name: &str) -> Option<String> {
    head.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.trim().to_owned())
}

#[tokio::test]
async fn a_server_over_http_has_tools() {
    let desk = Desk::open().await;
    let (url, keys) = http(desk.folder.path()).await;
    let tools = McpServer::http(url, [("x-key".to_owned(), "secret".to_owned())]).connect().await.unwrap();
    assert_eq!(text(&call(&tools, &desk, "echo", json!({"say": "a"})).await.unwrap()), r#"{"say":"a"}"#);
    let failed = Err(ToolFailure::Failed { message: "no such order".to_owned() });
    assert_eq!(call(&tools, &desk, "fail", json!({})).await, failed);
    let died = call(&tools, &desk, "die", json!({})).await;
    assert!(matches!(&died, Err(ToolFailure::Crashed { .. })), "{died:?}");
    assert_eq!(text(&call(&tools, &desk, "echo", json!({"say": "b"})).await.unwrap()), r#"{"say":"b"}"#);
    assert_eq!(lines(&desk, "calls"), ["echo", "fail", "die", "echo"]);
    let keys = keys.lock().unwrap().clone();
    assert_eq!(keys, vec!["secret"; keys.len()]);
}

#[tokio::test]
async fn a_server_over_http_that_is_not_there_is_a_fault() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    let fault = McpServer::http(url.as_str(), []).connect().await.err();
    assert!(matches!(fault, Some(McpFault::Refused { .. })), "{fault:?}");
    let fault = McpServer::http(url, [("x key".to_owned(), "secret".to_owned())]).connect().await.err();
    assert_eq!(fault, Some(McpFault::Header { name: "x key".to_owned() }));
}

#[tokio::test]
async fn the_address_of_a_server_is_not_told() {
    let desk = Desk::open().await;
    let (url, _) = http(desk.folder.path()).await;
    let host = url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap().to_owned();
    let tools = McpServer::http(format!("{url}?apiKey=sk-secret"), []).connect().await.unwrap();
    let died = call(&tools, &desk, "die", json!({})).await.unwrap_err();
    let detail = format!("the MCP server: {host}: the connection broke");
    assert_eq!(died, ToolFailure::Crashed { detail });
    assert!(died.may_have_done());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap();
    drop(listener);
    let fault = McpServer::http(format!("http://{host}/mcp/sk-secret?apiKey=sk-secret"), []).connect().await.err();
    assert_eq!(fault, Some(McpFault::Refused { detail: format!("{host}: it cannot be reached") }));
}

#[tokio::test]
async fn a_call_that_was_broken_off_says_that_it_may_have_had_its_effect() {
    let desk = Desk::open().await;
    let after = Duration::from_millis(300);
    let tools = started(desk.folder.path(), "").timeout(after).connect().await.unwrap();
    for (name, may) in [("slow", true), ("die", true), ("lie", true), ("big", true), ("fail", false), ("error", false)] {
        let failure = call(&tools, &desk, name, json!({})).await.unwrap_err();
        assert_eq!(failure.may_have_done(), may, "{name}: {failure}");
        assert_eq!(failure.to_string().contains("may have had its effect"), may, "{name}: {failure}");
    }
}

#[tokio::test]
async fn what_a_person_confirms_is_compared_with_the_server_and_the_schema() {
    let desk = Desk::open().await;
    let of = async |server: McpServer, name: &str| {
        let tools = server.connect().await.unwrap().tools;
        let tool = tools.iter().find(|tool| tool.spec().name.ends_with(name)).unwrap();
        let proposal = tool.propose(&object(json!({"say": "a"})), &desk.cx()).await.unwrap();
        assert_eq!(proposal.preview, "{\n  \"say\": \"a\"\n}");
        proposal.fingerprint
    };
    let folder = desk.folder.path();
    let slow = of(started(folder, ""), "slow").await;
    assert_eq!(slow.len(), 64);
    // Another connection to the same server, under another name here, is the same tool.
    assert_eq!(of(started(folder, "other").prefix("shop"), "slow").await, slow);
    assert_ne!(of(started(folder, ""), "big").await, slow);
    assert_ne!(of(started(folder, ""), "echo").await, slow);
    let (url, _) = http(folder).await;
    let over = of(McpServer::http(format!("{url}?key=1"), []), "slow").await;
    assert_ne!(over, slow);
    assert_eq!(of(McpServer::http(format!("{url}?key=2"), []), "slow").await, over);
    let (elsewhere, _) = http(folder).await;
    assert_ne!(of(McpServer::http(elsewhere, []), "slow").await, over);
}

#[tokio::test]
async fn a_server_that_repeats_its_key_gives_it_to_nobody() {
    let desk = Desk::open().await;
    let (url, _) = http(desk.folder.path()).await;
    let over = McpServer::http(format!("{url}?key=tok-987654"), [("authorization".to_owned(), "Bearer tok-987654".to_owned())]);
    let program = |kind: &str| {
        let env = [(FOLDER, desk.folder.path().as_os_str()), (KIND, kind.as_ref()), (TOKEN, "tok-987654".as_ref())];
        let env = env.map(|(name, value)| (OsString::from(name), value.to_owned()));
        McpServer::stdio(std::env::current_exe().unwrap(), ["--exact", "mcp::server", "--nocapture"], env, None)
    };
    for server in [over, program("")] {
        assert!(!format!("{server:?}").contains("tok-987654"), "{server:?}");
        let tools = server.connect().await.unwrap();
        for name in ["fail", "error"] {
            // Where what is told is cut, too.
            let long = "x".repeat(3_995);
            for (repeat, told) in [("tok-987654 is unknown", "[secret] is unknown"), (&format!("{long}tok-987654"), "xxx")] {
                let failure = call(&tools, &desk, name, json!({ "repeat": repeat })).await.unwrap_err().to_string();
                assert!(failure.starts_with(told) && !failure.contains("tok-"), "{failure}");
            }
        }
    }
    let Some(McpFault::Refused { detail }) = program("broken").connect().await.err() else { panic!("it cannot be used") };
    assert!(detail.ends_with("\nno database for [secret]"), "{detail}");
}

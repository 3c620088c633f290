//! What the tests of the adapters share: what a list tells, whether a provider would take a body, recorded traffic, and a server
//! that keeps what a client sends.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test stops at the first surprise")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

use briefing::message::{CallId, Item, ModelMessage, Role};
use briefing::{Call, Wire};
use briefing_check::{Rules, Violation, check};
use briefing_json::Document;
use serde_json::Value;

/// Of a message what every adapter keeps: its role, its text, its calls (id, name, input), and the call that it answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    role: Role,
    text: String,
    calls: Vec<(CallId, String, Value)>,
    answers: Option<CallId>,
}

/// What the messages tell. Inputs are compared as JSON, as clients keep them as such; system messages next to each other are one, as
/// a wire may have one place for them.
#[must_use]
pub fn told(messages: &[ModelMessage]) -> Vec<Told> {
    let one = |message: &ModelMessage| {
        let (calls, answers) = match message {
            ModelMessage::Assistant(said) => (said.calls().cloned().collect(), None),
            ModelMessage::Tool(outcome) => (Vec::new(), Some(outcome.call.clone())),
            ModelMessage::System(_) | ModelMessage::User(_) => (Vec::new(), None),
        };
        let calls =
            calls.into_iter().map(|call| (call.id, call.name, serde_json::from_str(call.input.raw()).unwrap())).collect();
        Told { role: message.role(), text: message.text(), calls, answers }
    };
    let mut list: Vec<Told> = Vec::new();
    for told in messages.iter().map(one) {
        match list.last_mut() {
            Some(before) if (before.role, told.role) == (Role::System, Role::System) => {
                before.text = format!("{}\n\n{}", before.text, told.text);
            }
            Some(_) | None => list.push(told),
        }
    }
    list
}

/// The reasoning of the messages, as JSON, in order.
#[must_use]
pub fn reasoned(messages: &[ModelMessage]) -> Vec<Value> {
    let said = messages.iter().filter_map(|message| match message {
        ModelMessage::Assistant(said) => Some(said),
        ModelMessage::System(_) | ModelMessage::User(_) | ModelMessage::Tool(_) => None,
    });
    let items = said.flat_map(|said| said.items.iter()).filter_map(|item| match item {
        Item::Reasoning(reasoning) => Some(serde_json::from_str(reasoning.raw.as_str()).unwrap()),
        Item::Text(_) | Item::Call(_) | Item::Native(_) => None,
    });
    items.collect()
}

/// What the provider of that call's model would refuse in the body.
#[must_use]
pub fn violations(body: &str, call: &Call) -> Vec<Violation> {
    let wire = match call.wire() {
        Wire::OpenAiChat => briefing_check::Wire::OpenAiChat,
        Wire::OpenAiResponses => briefing_check::Wire::OpenAiResponses,
        Wire::Anthropic => briefing_check::Wire::Anthropic,
        Wire::Gemini => briefing_check::Wire::Gemini,
    };
    check(Document::parse(body).unwrap().root(), &Rules::for_model(wire, &call.profile().name)).violations
}

/// A request that a provider took, and what it answered.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The file's name.
    pub name: String,
    /// The body; the model of one of Gemini, which stands in its address, is a field of it.
    pub request: Value,
    /// The response, if it was whole and no stream.
    pub response: Option<Value>,
}

/// The recorded traffic of that wire.
#[must_use]
pub fn recordings(wire: Wire) -> Vec<Recording> {
    let prefix = match wire {
        Wire::OpenAiChat => "openai_chat_pos",
        Wire::OpenAiResponses => "openai_responses_pos",
        Wire::Anthropic => "anthropic_messages_pos",
        Wire::Gemini => "gemini_pos",
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/briefing-check/tests/data/wire");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let named = files.into_iter().filter(|file| file.file_name().unwrap().to_str().unwrap().starts_with(prefix));
    let read = named.map(|file| {
        let recorded: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        let response = recorded["response"].is_object().then(|| recorded["response"].clone());
        let mut request = recorded["request"].clone();
        if wire == Wire::Gemini {
            let address = recorded["uri"].as_str().unwrap();
            let (_, model) = address.rsplit_once("models/").unwrap();
            request["model"] = model.split(':').next().unwrap().into();
        }
        Recording { name: file.file_stem().unwrap().to_str().unwrap().to_owned(), request, response }
    });
    read.collect()
}

/// A server on a loopback address that keeps the body of each request and gives one and the same answer.
#[derive(Debug)]
pub struct Recorder {
    address: SocketAddr,
    bodies: Arc<Mutex<Vec<String>>>,
}

impl Recorder {
    /// A server that answers with that body.
    #[must_use]
    pub fn answering(answer: &Value) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer) = (Arc::clone(&bodies), answer.to_string());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                kept.lock().unwrap().push(serve(stream, &answer));
            }
        });
        Self { address, bodies }
    }

    /// The server's address, ending in a slash.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// The body of the newest request.
    #[must_use]
    pub fn newest(&self) -> String {
        self.bodies.lock().unwrap().last().cloned().unwrap()
    }
}

/// Reads one request and answers it; gives the request's body.
fn serve(mut stream: TcpStream, answer: &str) -> String {
    let (mut read, mut chunk) = (Vec::new(), [0; 16 * 1024]);
    let (start, length) = loop {
        if let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&read[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:")).unwrap().trim().parse::<usize>();
            break (end + 4, length.unwrap());
        }
        let count = stream.read(&mut chunk).unwrap();
        read.extend_from_slice(&chunk[..count]);
    };
    while read.len() < start + length {
        let count = stream.read(&mut chunk).unwrap();
        assert!(count > 0, "the request was cut off");
        read.extend_from_slice(&chunk[..count]);
    }
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        answer.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(answer.as_bytes()).unwrap();
    String::from_utf8(read.split_off(start)).unwrap()
}

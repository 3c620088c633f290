//! An MCP server as small as can be, and as bad as asked for: it answers one message of JSON-RPC with as many as it likes.

use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

/// A server and the folder where it writes what happened to it.
pub(crate) struct Server {
    pub(crate) folder: PathBuf,
    /// The call of `ask` that waits for answers, and the answers.
    asking: Option<(Value, Vec<i64>)>,
}

/// A picture of one pixel.
pub(crate) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

fn tool(name: &str, schema: Value) -> Value {
    json!({"name": name, "description": format!("What {name} does."), "inputSchema": schema, "annotations": {"readOnlyHint": true}})
}

impl Server {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, asking: None }
    }

    pub(crate) fn note(&self, what: &str, line: &str) {
        let path = self.folder.join(what);
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        writeln!(file, "{line}").unwrap();
    }

    /// What it says to a message.
    pub(crate) fn answer(&mut self, message: &Value) -> Vec<Value> {
        let id = message.get("id").cloned();
        let result = |result: Value| vec![json!({"jsonrpc": "2.0", "id": id, "result": result})];
        match message.get("method").and_then(Value::as_str) {
            Some("initialize") => result(json!({
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "test", "version": "1"},
            })),
            Some("tools/list") => result(Self::list(message["params"]["cursor"].as_str())),
            Some("tools/call") => self.call(message),
            Some(method) => {
                self.note("notices", &format!("{method} {}", message["params"]["reason"]));
                Vec::new()
            }
            None => self.answered(message),
        }
    }

    fn list(cursor: Option<&str>) -> Value {
        let any = || json!({"type": "object"});
        match cursor {
            None => json!({"nextCursor": "second", "tools": [
                tool("echo", json!({"properties": {"say": {"type": "string"}}, "required": ["say"]})),
                tool("find order", any()),
                tool("foreign", json!({"type": "object", "properties": {"a": {"$ref": "https://x.example/s.json"}}})),
                tool("slow", any()), tool("die", any()), tool("ask", any()), tool("big", any()),
            ]}),
            Some("second") => json!({"tools": [
                tool("echo", any()), tool("mixed", any()), tool("fail", any()), tool("error", any()), tool("lie", any()),
                tool("odd", json!({"type": "object", "required": 7})),
            ]}),
            Some(_) => json!({"tools": []}),
        }
    }

    fn call(&mut self, message: &Value) -> Vec<Value> {
        let id = &message["id"];
        let name = message["params"]["name"].as_str().unwrap();
        self.note("calls", name);
        let content = |content: Value| vec![json!({"jsonrpc": "2.0", "id": id, "result": {"content": content}})];
        let text = |text: &str| content(json!([{"type": "text", "text": text}]));
        // Some servers repeat in an error what they were sent.
        let or = |usual: &str| message["params"]["arguments"]["repeat"].as_str().unwrap_or(usual).to_owned();
        match name {
            "echo" => text(&message["params"]["arguments"].to_string()),
            "big" => text(&"x".repeat(2 << 20)),
            "mixed" => content(json!([
                {"type": "text", "text": "one"},
                {"type": "image", "data": PNG, "mimeType": "image/jpeg"},
                {"type": "image", "data": "no picture", "mimeType": "image/png\nx"},
                {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
                {"type": "resource", "resource": {"uri": "file:///a.txt", "text": "two"}},
                {"type": "resource", "resource": {"uri": "file:///a.bin", "blob": "AAAA"}},
                {"type": "resource_link", "uri": "file:///b", "name": "b"},
            ])),
            "fail" => vec![
                json!({"jsonrpc": "2.0", "id": id, "result": {"isError": true, "content": [{"type": "text", "text": or("no such order")}]}}),
            ],
            "error" => vec![json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32602, "message": or("bad arguments")}})],
            "lie" => vec![
                json!({"jsonrpc": "2.0", "id": 999_999, "result": {"content": []}}),
                json!({"jsonrpc": "2.0", "method": "notifications/nothing", "params": {"a": [1, 2]}}),
                json!({"jsonrpc": "2.0", "id": id, "result": {"content": 7, "tools": "none"}}),
            ],
            "ask" => {
                self.asking = Some((id.clone(), Vec::new()));
                ["sampling/createMessage", "elicitation/create", "roots/list", "no/such/method"]
                    .iter()
                    .enumerate()
                    .map(|(number, method)| {
                        let params = match *method {
                            "sampling/createMessage" => json!({"messages": [], "maxTokens": 5}),
                            "elicitation/create" => {
                                json!({"message": "Your password?", "requestedSchema": {"type": "object", "properties": {}}})
                            }
                            _ => json!({}),
                        };
                        json!({"jsonrpc": "2.0", "id": format!("ask-{number}"), "method": method, "params": params})
                    })
                    .collect()
            }
            "die" => {
                self.note("deaths", "died");
                std::process::exit(9)
            }
            _ => Vec::new(),
        }
    }

    /// An answer to what it asked: once all have come, they are told.
    fn answered(&mut self, message: &Value) -> Vec<Value> {
        let Some((id, codes)) = &mut self.asking else { return Vec::new() };
        codes.push(message["error"]["code"].as_i64().unwrap_or(0));
        if codes.len() < 4 {
            return Vec::new();
        }
        let told = json!([{"type": "text", "text": format!("{codes:?}")}]);
        vec![json!({"jsonrpc": "2.0", "id": id, "result": {"content": told}})]
    }
}

//! How much memory one process takes while as many threads as are asked for (1,000) wait for a slow provider:
//!
//! ```sh
//! cargo run --release -p briefing-agent --features http,scripted --example waiting -- 1000
//! ```
//!
//! The provider is another process, this program again, whose answers stall. Linux only: it reads `/proc/self/status`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "an example for the terminal")]

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use briefing::log::Arrival;
use briefing::message::{ModelMessage, OwnerId};
use briefing::persona::{Persona, Role};
use briefing::resolvers::{LoadText, ThreadHistory};
use briefing::{Chain, Profiles, Wire};
use briefing_agent::provider::http::{Endpoint, HttpClient, HttpProvider, HttpSettings, Proxies};
use briefing_agent::scripted::{Say, Script, ScriptedServer, Turn};
use briefing_agent::tool::ToolSet;
use briefing_agent::{Agent, Model, Settings, Stop, SystemClock};
use briefing_store::{Append, Durability, SqliteStore, Store, Target};
use jiff::Timestamp;

/// The argument by which the program is the provider.
const PROVIDER: &str = "--provider";

#[tokio::main]
async fn main() {
    let argument = std::env::args().nth(1);
    if argument.as_deref() == Some(PROVIDER) {
        return provide().await;
    }
    let threads: usize = argument.map_or(1_000, |threads| threads.parse().unwrap());
    let program = std::env::current_exe().unwrap();
    let mut provider = Command::new(program).arg(PROVIDER).stdout(Stdio::piped()).spawn().unwrap();
    let mut base = String::new();
    BufReader::new(provider.stdout.take().unwrap()).read_line(&mut base).unwrap();

    let folder = tempfile::tempdir().unwrap();
    let settings = briefing_store::Settings { durability: Durability::Process, ..Default::default() };
    let store: Arc<dyn Store> = Arc::new(SqliteStore::create(&folder.path().join("briefing.db"), settings).unwrap());
    let agent = agent(&store, base.trim());
    let running: Vec<_> = (0..threads).map(|_| tokio::spawn(one(agent.clone(), Arc::clone(&store)))).collect();
    tokio::time::sleep(Duration::from_secs(20)).await;
    let waiting = running.iter().filter(|run| !run.is_finished()).count();
    println!("{waiting} of {threads} threads wait; {}", memory());
    provider.kill().unwrap();
    provider.wait().unwrap();
}

/// The provider: every answer stalls.
async fn provide() {
    let server = ScriptedServer::start(Script::answering(|_| Turn::say(Say::text("later")).stall_after(20))).await.unwrap();
    println!("{}", server.base(Wire::OpenAiChat));
    std::future::pending::<()>().await;
}

fn agent(store: &Arc<dyn Store>, base: &str) -> Agent {
    let chain = Chain::new().with(|| LoadText::system(|_| "You answer.")).with(ThreadHistory::default);
    let persona = Persona::new(&Role::new().message(chain), "Desk", "desk@shop.example").unwrap();
    let client = HttpClient::new(&HttpSettings { proxies: Proxies::Direct, ..HttpSettings::default() }).unwrap();
    let provider = HttpProvider::new(&client, Endpoint::new(Wire::OpenAiChat, base).unwrap());
    let model = Model::new(Arc::new(provider), Profiles::built_in().model("gpt-4o", Some(Wire::OpenAiChat)));
    let tools = Arc::new(ToolSet::new());
    Agent::new(Arc::clone(store), Arc::new(persona), vec![model], tools, Arc::new(SystemClock), Settings::default()).unwrap()
}

/// One thread: twenty messages, and one that is answered.
async fn one(agent: Agent, store: Arc<dyn Store>) {
    let owner = OwnerId::default();
    let thread = store.open_thread(&owner).await.unwrap();
    let append = |at| {
        let text = format!("Message {at} of a thread that waits. ").repeat(10);
        let message = if at % 2 == 0 { ModelMessage::user(text) } else { ModelMessage::assistant(text) };
        Append::message(message, Target::Thread(thread), Arrival::Live(Timestamp::now()))
    };
    let appended = store.append(&owner, (0..21).map(append).collect()).await.unwrap();
    let entry = appended.last().unwrap().place.entry;
    let _ = agent.answer(thread, entry, &Stop::new(), &mut |_| {}).await;
}

fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = |name: &str| status.lines().find(|line| line.starts_with(name)).unwrap_or_default().replace('\t', " ");
    format!("{}, at most {}", line("VmRSS:"), line("VmHWM:"))
}

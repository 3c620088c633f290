//! The log of one client, shared by several agents, over any store: push, pop, raw, and what an agent sees of it.
//!
//! ```
//! use std::sync::Arc;
//!
//! use briefing::message::OwnerId;
//! use briefing::view::swarm::{SwarmMessage, SwarmMode, SwarmRole};
//! use briefing::{Bounds, Call};
//! use briefing_store::swarm::Clients;
//! use briefing_store::{Settings, SqliteStore};
//!
//! # async fn run(folder: &std::path::Path, now: jiff::Timestamp) -> Result<(), Box<dyn std::error::Error>> {
//! let store = Arc::new(SqliteStore::create(&folder.join("briefing.db"), Settings::default())?);
//! let clients = Clients::new(store, OwnerId::default());
//! let events = clients.subscribe(Some("ann"));
//!
//! let triage = clients.history("ann", "triage").await?;
//! triage.push(SwarmMessage::new(SwarmRole::User, SwarmMode::User, "triage", "My order is late."), None, now).await?;
//! let view = triage.for_agent("You route requests.", &[]).await?;
//! let briefing = view.fit(&Call::model("gpt-5", None), &Bounds::none())?;
//! assert_eq!(briefing.messages().count(), 2);
//! assert_eq!(events.waiting().count(), 1);
//! # Ok(())
//! # }
//! # let folder = tempfile::tempdir().unwrap();
//! # pollster::block_on(run(folder.path(), jiff::Timestamp::UNIX_EPOCH)).unwrap();
//! ```

mod events;
mod history;

pub use events::Subscription;
pub use history::{AgentView, ClientHistory, Clients, ExactView};

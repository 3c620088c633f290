//! **Briefing** decides exactly what a language model sees: it assembles a bounded list of messages that the provider accepts,
//! and says why every piece is there.
//!
//! ```
//! use briefing::message::ToolCall;
//! use briefing::{Bounds, Call, ModelMessage, fit};
//!
//! let messages = [
//!     ModelMessage::system("Be brief."),
//!     ModelMessage::user("Where is order 7?"),
//!     ModelMessage::calls([ToolCall::new("c1", "find_order", r#"{"number":7}"#)]),
//!     ModelMessage::user("Never mind. What is on the menu?"), // the call was never answered
//! ];
//! let briefing = fit(&messages, &Call::model("gpt-5", None), &Bounds::none().messages(20))?;
//! assert_eq!(briefing.messages().count(), 5);
//! assert_eq!(
//!     briefing.receipt().lines()[0].to_string(),
//!     r#"changed entry 2: call "c1" has no outcome; a fixed text stands for it"#
//! );
//! # Ok::<(), briefing::FitError>(())
//! ```
//!
//! [`fit`] is the whole product for who keeps their own history: no store, no async. [`Bounds`] are what a request may cost,
//! [`Call`] is what goes with the messages (model, tools, parameters), a [`Briefing`] is the sealed result, and its [`Receipt`]
//! tells what became of everything. `briefing_wire::Render` turns a briefing into the bytes of a request.
//!
//! With a log, a [`Chain`] of resolvers says what the model sees:
//!
//! ```
//! use briefing::{Bounds, Call, Chain, Context, Contribution, LoadText, ModelMessage, ResolveError, Resolver, ThreadHistory};
//!
//! struct CustomerRecord;
//!
//! impl Resolver for CustomerRecord {
//!     async fn resolve(&self, cx: &Context) -> Result<Contribution, ResolveError> {
//!         let Some(mail) = cx.message().and_then(|message| message.mail()) else { return Ok(Contribution::none()) };
//!         let from = mail.from.first().map(|from| from.email.clone()).unwrap_or_default();
//!         Ok(ModelMessage::system(format!("The customer's address: {from}")).into())
//!     }
//! }
//!
//! let chain = Chain::new()
//!     .with(|| LoadText::system(|cx| cx.persona().instructions()))
//!     .with(|| CustomerRecord)
//!     .with(|| ThreadHistory::default().limit(50));
//! # async fn assemble(chain: Chain, cx: Context, call: Call) -> Result<(), briefing::AssembleError> {
//! let briefing = chain.assemble(&cx, &call, &Bounds::none().tokens(8_000)).await?;
//! println!("{}", briefing.receipt());
//! # Ok(())
//! # }
//! ```
//!
//! Nothing here touches network, clock, environment or terminal, and nothing needs a runtime.

mod call;
mod chain;
mod context;
mod fit;
pub mod log;
pub mod message;
pub mod persona;
mod phrases;
pub mod ports;
mod profile;
mod resolver;
pub mod resolvers;
pub mod text;
pub mod texts;
pub mod view;
mod wire;

pub use call::{Call, Tool};
pub use chain::{AssembleError, Chain, fit_contributions};
pub use context::{Context, Inbound, Responsibility, Subject};
pub use fit::{
    Anchor, Bound, Bounds, Briefing, Class, Cost, CountTokens, Edge, Estimator, FileReason, FitError, Kept, Line, Origin,
    Piece, Placed, PrefixChange, Receipt, Round, Rule, Share, ShareSize, Stride, Unit, UnitKind, Unvisited, WaitingCard,
    WalkEnd, filler, fit, native_reads_as, stands_as,
};
pub use message::ModelMessage;
pub use persona::Persona;
pub use phrases::Language;
pub use profile::{ModelProfile, ProfileError, Profiles};
pub use resolver::{Contribution, ResolveError, Resolver};
pub use resolvers::{LoadFile, LoadRecord, LoadText, ThreadHistory};
pub use wire::{Dialect, UnknownWire, Wire};

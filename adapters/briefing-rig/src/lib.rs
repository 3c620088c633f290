//! Between Briefing and rig-core 0.44: a sealed briefing as a `CompletionRequest`, its messages as Briefing's own, and rig's
//! `ConversationMemory` over a store of Briefing.
//!
//! ```
//! use briefing::{Bounds, Call, ModelMessage, fit};
//! use briefing_rig::{from_messages, origin, to_request};
//!
//! let messages = [ModelMessage::system("Be brief."), ModelMessage::user("Where is order 7?")];
//! let call = Call::model("claude-sonnet-4-5", None);
//! let briefing = fit(&messages, &call, &Bounds::none().messages(20))?;
//! let converted = to_request(&briefing, &origin(&call))?; // model.call(converted.request)
//! assert_eq!((converted.request.chat_history.len(), converted.losses.len()), (2, 0));
//! assert_eq!(from_messages(&converted.request.chat_history, call.wire()).messages, messages);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`to_request`] goes through `render`, the one door to a wire. What only a provider understands (signed reasoning, blocks of its
//! own) is given as rig's *native items*, which rig sends to the model that their [`origin`] names and to no other. Rig shapes a
//! history once more when it sends it; of what is valid it leaves everything in place. What its messages do not hold is a [`Loss`].
//! The other way, [`from_messages`] reads them, with a [`Finding`] for each part that Briefing does not hold.
//!
//! [`BriefingMemory`] keeps an agent's conversations in a store and gives back what a view tells of them, within bounds.

mod block;
mod from;
mod memory;
mod request;
mod to;

pub use from::{Finding, Found, Read, from_messages};
pub use memory::{BriefingMemory, MemoryFault, MemoryFinding};
pub use request::{Converted, ToRequestError, origin, to_request};
pub use to::{Loss, Lost, Written, to_messages};

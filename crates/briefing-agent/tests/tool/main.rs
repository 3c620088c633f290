//! Tools: those of the library, commands, MCP servers, and sets of them.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod support;

mod built_in;
#[cfg(all(unix, feature = "command"))]
mod command;
#[cfg(all(unix, feature = "mcp"))]
mod mcp;
#[cfg(all(unix, feature = "mcp"))]
mod mcp_server;
mod set;

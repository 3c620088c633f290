//! The Vercel AI SDK's messages: `UIMessage`, which a user interface keeps, and `ModelMessage`, which a model is sent.

mod model;
mod model_write;
mod options;
mod outcome;
mod part;
mod server;
mod ui;
mod ui_old;
mod ui_write;

pub(crate) use model::read as read_model;
pub(crate) use model_write::write as write_model;
pub(crate) use ui::read as read_ui;
pub(crate) use ui_write::write as write_ui;

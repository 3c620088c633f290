//! Why a prefix breaks.

use std::fmt;

use serde::Serialize;

/// Why the prefix breaks at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[non_exhaustive]
pub enum Cause {
    /// Another model: each has a cache of its own.
    ModelChanged {
        /// The older model, if it is named.
        older: Option<String>,
        /// The newer one.
        newer: Option<String>,
    },
    /// A parameter by which the provider tells caches apart.
    ParameterChanged {
        /// The member of the body.
        name: String,
    },
    /// Pictures came into a prompt that had none, or left it: Anthropic then serves no message.
    PicturesToggled {
        /// Whether the newer prompt is the one with pictures.
        came: bool,
    },
    /// The tools are others, or stand in another order.
    ToolsChanged {
        /// Names that only the newer body has.
        added: Vec<String>,
        /// Names that only the older body has.
        gone: Vec<String>,
        /// Names in both with another definition.
        altered: Vec<String>,
        /// Whether those in both stand in another order.
        reordered: bool,
    },
    /// The system text is another.
    SystemChanged,
    /// The texts differ in nothing but a time, a date or an id made for one request.
    Clock {
        /// The first token that differs.
        older: String,
        /// What stands in its place.
        newer: String,
    },
    /// Messages left the head of the list while later ones stayed.
    WindowStepped {
        /// How many left.
        gone: usize,
        /// How many came in their place.
        came: usize,
    },
    /// The outcome of a call reads shorter.
    OutcomeCut {
        /// The characters it had.
        older: usize,
        /// The characters it has.
        newer: usize,
    },
    /// The outcome of a call became a placeholder.
    OutcomeCleared,
    /// A file became a line of text.
    FileBecameLine,
    /// What the model thought is not sent any more.
    ReasoningGone,
    /// What became of a card is told where it was said to wait.
    CardSettled,
    /// An outcome came where none stood, or a text that stood for it.
    OutcomeLate,
    /// The same pieces in another order.
    Reordered,
    /// The same JSON with its keys in another order.
    ReorderedKeys,
    /// The list ended with a line that the next request does not have.
    SyntheticTail,
    /// Messages were put between those that were there.
    MessagesInserted {
        /// How many.
        count: usize,
    },
    /// Messages were taken out.
    MessagesGone {
        /// How many.
        count: usize,
    },
    /// A message reads otherwise.
    MessageEdited,
}

impl Cause {
    /// Its name for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::ModelChanged { .. } => "model-changed",
            Self::ParameterChanged { .. } => "parameter-changed",
            Self::PicturesToggled { .. } => "pictures-toggled",
            Self::ToolsChanged { .. } => "tools-changed",
            Self::SystemChanged => "system-changed",
            Self::Clock { .. } => "clock",
            Self::WindowStepped { .. } => "window-stepped",
            Self::OutcomeCut { .. } => "outcome-cut",
            Self::OutcomeCleared => "outcome-cleared",
            Self::FileBecameLine => "file-became-line",
            Self::ReasoningGone => "reasoning-gone",
            Self::CardSettled => "card-settled",
            Self::OutcomeLate => "outcome-late",
            Self::Reordered => "reordered",
            Self::ReorderedKeys => "reordered-keys",
            Self::SyntheticTail => "synthetic-tail",
            Self::MessagesInserted { .. } => "messages-inserted",
            Self::MessagesGone { .. } => "messages-gone",
            Self::MessageEdited => "message-edited",
        }
    }

    /// What keeps the prefix.
    #[must_use]
    pub const fn remedy(&self) -> &'static str {
        match self {
            Self::ModelChanged { .. } => "stay with one model while a conversation lasts",
            Self::ParameterChanged { .. } => "keep it the same while a conversation lasts",
            Self::PicturesToggled { .. } => "this is paid once; leave pictures in place once they are sent",
            Self::ToolsChanged { .. } => {
                "send the same tools in the same order; restrict them by the tool choice where the provider has one for that"
            }
            Self::SystemChanged => "keep the system text fixed; put what changes behind the history",
            Self::Clock { .. } => "put the time behind the history, beside the current message, and store it there",
            Self::WindowStepped { .. } => "step rarely: fill the window to a high mark, then cut it to a low one (`--stride`)",
            Self::OutcomeCut { .. } => "cut an outcome when it is first sent, not later",
            Self::OutcomeCleared => "clear outcomes seldom and many at once",
            Self::FileBecameLine => "send a file the same way each time, or only once, near the end",
            Self::ReasoningGone => "send reasoning back as it came, as long as its provider keeps it in the prompt",
            Self::CardSettled => "tell waiting cards at the end of the list",
            Self::OutcomeLate => "this is paid once; answer a call before going on where that is possible",
            Self::Reordered => "send what was sent in the order in which it was sent: outcomes in the order of their calls",
            Self::ReorderedKeys => "write JSON with its keys in one order",
            Self::SyntheticTail => "nothing: the line is needed where the list ends with an assistant turn",
            Self::MessagesInserted { .. } => "put what is new at the end",
            Self::MessagesGone { .. } => "leave what was sent in place",
            Self::MessageEdited => "send what was sent as it was sent",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ModelChanged { older, newer } => {
                let name = |model: &Option<String>| model.clone().unwrap_or_else(|| "none".to_owned());
                write!(f, "the model changed from {} to {}", name(older), name(newer))
            }
            Self::ParameterChanged { name } => write!(f, "the parameter `{name}` changed"),
            Self::PicturesToggled { came: true } => f.write_str("the first picture came into the prompt"),
            Self::PicturesToggled { came: false } => f.write_str("the last picture left the prompt"),
            Self::ToolsChanged { added, gone, altered, reordered } => tools(f, [added, gone, altered], *reordered),
            Self::SystemChanged => f.write_str("the system text changed"),
            Self::Clock { older, newer } => write!(f, "a clock: \"{older}\" became \"{newer}\""),
            Self::WindowStepped { gone, came: 0 } => write!(f, "the window stepped: {} left its head", messages(*gone)),
            Self::WindowStepped { gone, came } => {
                write!(f, "the window stepped: {} left its head, {came} came in their place", messages(*gone))
            }
            Self::OutcomeCut { older, newer } => write!(f, "an outcome was cut from {older} to {newer} characters"),
            Self::OutcomeCleared => f.write_str("an outcome was cleared to a placeholder"),
            Self::FileBecameLine => f.write_str("a file became a line of text"),
            Self::ReasoningGone => f.write_str("reasoning is not sent any more"),
            Self::CardSettled => f.write_str("a card that waited was settled"),
            Self::OutcomeLate => f.write_str("an outcome came late"),
            Self::Reordered => f.write_str("the same pieces stand in another order"),
            Self::ReorderedKeys => f.write_str("the same JSON, its keys in another order"),
            Self::SyntheticTail => f.write_str("the list ended with a line that is only needed at an end"),
            Self::MessagesInserted { count } => write!(f, "{} put between the others", came(*count)),
            Self::MessagesGone { count } => write!(f, "{} taken out", came(*count)),
            Self::MessageEdited => f.write_str("a message reads otherwise"),
        }
    }
}

fn messages(count: usize) -> String {
    if count == 1 { "1 message".to_owned() } else { format!("{count} messages") }
}

fn came(count: usize) -> String {
    if count == 1 { "1 message was".to_owned() } else { format!("{count} messages were") }
}

/// How many names of tools are told of each kind.
const TOLD: usize = 8;

fn tools(f: &mut fmt::Formatter<'_>, names: [&[String]; 3], reordered: bool) -> fmt::Result {
    f.write_str("the tools changed")?;
    let mut sign = ": ";
    for (what, names) in ["added", "gone", "altered"].into_iter().zip(names) {
        if names.is_empty() {
            continue;
        }
        let told: Vec<&str> = names.iter().take(TOLD).map(String::as_str).collect();
        write!(f, "{sign}{what} {}", told.join(", "))?;
        if names.len() > TOLD {
            write!(f, " and {} more", names.len() - TOLD)?;
        }
        sign = "; ";
    }
    if reordered {
        write!(f, "{sign}in another order")?;
    }
    Ok(())
}

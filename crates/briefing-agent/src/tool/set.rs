//! The tools of a run, and what is to be done about a call of a model.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use briefing::message::ToolCall;
use briefing::text::one_line;
use briefing_json::{Document, Kind, SyntaxFault};
use serde_json::{Map, Value};

use crate::tool::Tool;
use crate::tool::schema::{Problem, Schema, SchemaFault, Unfit};

/// The most characters of a tool's name, on every wire.
pub const MAX_NAME_CHARS: usize = 64;

/// The most bytes of a call's input.
pub const MAX_INPUT_BYTES: usize = 256 * 1024;

/// The most levels of a call's input.
pub const MAX_INPUT_DEPTH: usize = 64;

/// The most names that a model is told which called a tool that there is not.
const NAMES_TOLD: usize = 20;

/// Tools by name, in the order in which they were added.
#[derive(Default)]
pub struct ToolSet {
    tools: Vec<Declared>,
    by_name: HashMap<Arc<str>, usize>,
}

struct Declared {
    tool: Arc<dyn Tool>,
    schema: Schema,
}

/// A tool and its checked input.
type Ready = (Arc<dyn Tool>, Map<String, Value>);

/// Why a tool cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddError {
    /// The name is not 1 to 64 characters of `A` to `Z`, `a` to `z`, `0` to `9`, `_` and `-`.
    #[error("{name:?} is no name of a tool: 1 to 64 characters of A-Z, a-z, 0-9, _ and -")]
    Name {
        /// The name, at most 200 characters.
        name: String,
    },
    /// Another tool has the name.
    #[error("two tools are called {name:?}")]
    Twice {
        /// The name.
        name: Arc<str>,
    },
    /// The schema of its input cannot be used.
    #[error("tool {name}: {fault}")]
    Schema {
        /// The name.
        name: Arc<str>,
        /// Why.
        fault: SchemaFault,
    },
}

/// What is to be done about a call.
pub enum Checked {
    /// It can run.
    Ready {
        /// The tool.
        tool: Arc<dyn Tool>,
        /// Its input, as its schema wants it.
        input: Map<String, Value>,
    },
    /// It cannot run.
    Refused(CallFault),
}

/// Why a call cannot run. As text it is what the model is told.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallFault {
    /// There is no such tool.
    UnknownTool {
        /// The name, as the model wrote it, on one line of at most 64 characters.
        name: String,
        /// The tools that it may call.
        granted: GrantedNames,
    },
    /// There is one, and the persona is not granted it. It reads as [`UnknownTool`](Self::UnknownTool) does.
    NotGranted {
        /// Its name.
        name: String,
        /// The tools that it may call.
        granted: GrantedNames,
    },
    /// The input cannot be read.
    BrokenInput(BrokenInput),
    /// The input is not as the tool's schema wants it.
    InvalidInput {
        /// What is wrong, at most [`MAX_PROBLEMS`](crate::tool::MAX_PROBLEMS).
        problems: Vec<Problem>,
    },
}

/// Why an input cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BrokenInput {
    /// It is no JSON.
    NotJson {
        /// The line of the fault, from one.
        line: usize,
    },
    /// It is JSON, and not an object.
    NotAnObject,
    /// It nests deeper than [`MAX_INPUT_DEPTH`].
    TooDeep,
    /// It takes more than [`MAX_INPUT_BYTES`].
    TooLarge,
    /// It holds half of a surrogate pair.
    LoneSurrogate,
    /// Checking it against the tool's schema would take too long.
    TooComplex,
}

/// The names of the granted tools, as many as are told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GrantedNames {
    names: Vec<Arc<str>>,
    more: usize,
}

impl ToolSet {
    /// No tools.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool behind those that are there, and compiles the schema of its input.
    ///
    /// # Errors
    /// [`AddError`]; the set is as before then.
    pub fn add(&mut self, tool: Arc<dyn Tool>) -> Result<(), AddError> {
        let name = Arc::clone(&tool.spec().name);
        if !is_name(&name) {
            return Err(AddError::Name { name: one_line(&name, 200).into_owned() });
        }
        if self.by_name.contains_key(&name) {
            return Err(AddError::Twice { name });
        }
        let schema = Schema::compile(&tool.spec().schema);
        let schema = schema.map_err(|fault| AddError::Schema { name: Arc::clone(&name), fault })?;
        self.by_name.insert(name, self.tools.len());
        self.tools.push(Declared { tool, schema });
        Ok(())
    }

    /// The tools, in order.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.tools.iter().map(|declared| &declared.tool)
    }

    /// The tool of that name, granted or not.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.declared(name).map(|declared| &declared.tool)
    }

    /// What a [`briefing::Call`] is given of the granted tools, in order.
    pub fn declare(&self, granted: impl Fn(&str) -> bool) -> Vec<briefing::Tool> {
        let specs = self.tools().map(|tool| tool.spec()).filter(|spec| granted(&spec.name));
        specs.map(|spec| briefing::Tool::function(&*spec.name, &*spec.description, spec.schema.clone())).collect()
    }

    /// What is to be done about one call of a model. A blank input reads as `{}`, as some models call a tool that takes nothing.
    pub fn check(&self, call: &ToolCall, granted: impl Fn(&str) -> bool) -> Checked {
        match self.ready(call, granted) {
            Ok((tool, input)) => Checked::Ready { tool, input },
            Err(fault) => Checked::Refused(fault),
        }
    }

    fn ready(&self, call: &ToolCall, granted: impl Fn(&str) -> bool) -> Result<Ready, CallFault> {
        let name = || one_line(&call.name, MAX_NAME_CHARS).into_owned();
        let Some(declared) = self.declared(&call.name) else {
            return Err(CallFault::UnknownTool { name: name(), granted: self.granted(granted) });
        };
        if !granted(&call.name) {
            return Err(CallFault::NotGranted { name: name(), granted: self.granted(granted) });
        }
        let input = read(call.input.raw()).map_err(CallFault::BrokenInput)?;
        let input = Value::Object(input);
        match declared.schema.check(&input) {
            Ok(()) => {}
            Err(Unfit::Problems(problems)) => return Err(CallFault::InvalidInput { problems }),
            Err(Unfit::TooComplex) => return Err(CallFault::BrokenInput(BrokenInput::TooComplex)),
        }
        let Value::Object(input) = input else { return Err(CallFault::BrokenInput(BrokenInput::NotAnObject)) };
        Ok((Arc::clone(&declared.tool), input))
    }

    fn declared(&self, name: &str) -> Option<&Declared> {
        self.tools.get(*self.by_name.get(name)?)
    }

    fn granted(&self, granted: impl Fn(&str) -> bool) -> GrantedNames {
        let mut names = self.tools().map(|tool| &tool.spec().name).filter(|name| granted(name));
        let told = names.by_ref().take(NAMES_TOLD).cloned().collect();
        GrantedNames { names: told, more: names.count() }
    }
}

/// Whether every wire takes it as the name of a tool.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let taken = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=MAX_NAME_CHARS).contains(&name.len()) && name.bytes().all(taken)
}

/// Reads an input within its bounds.
fn read(raw: &str) -> Result<Map<String, Value>, BrokenInput> {
    if raw.len() > MAX_INPUT_BYTES {
        return Err(BrokenInput::TooLarge);
    }
    if raw.trim().is_empty() {
        return Ok(Map::new());
    }
    let document = Document::parse(raw).map_err(|error| match error.fault {
        SyntaxFault::TooDeep => BrokenInput::TooDeep,
        SyntaxFault::TooLarge => BrokenInput::TooLarge,
        SyntaxFault::Empty
        | SyntaxFault::Truncated
        | SyntaxFault::Unexpected
        | SyntaxFault::ControlCharacter
        | SyntaxFault::Escape
        | SyntaxFault::Trailing => BrokenInput::NotJson { line: error.line },
    })?;
    if document.root().kind() != Kind::Object {
        return Err(BrokenInput::NotAnObject);
    }
    if document.depth() > MAX_INPUT_DEPTH {
        return Err(BrokenInput::TooDeep);
    }
    if document.has_lone_surrogate() {
        return Err(BrokenInput::LoneSurrogate);
    }
    serde_json::from_str(raw).map_err(|error| BrokenInput::NotJson { line: error.line() })
}

impl fmt::Display for CallFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownTool { name, granted } | Self::NotGranted { name, granted } => {
                write!(f, "[not run: there is no tool {name:?}; {granted}]")
            }
            Self::BrokenInput(broken) => write!(f, "[not run: {broken}]"),
            Self::InvalidInput { problems } => {
                f.write_str("[not run: the input is not as the tool wants it; mend this and call again]")?;
                problems.iter().try_for_each(|problem| {
                    let place = if problem.pointer.is_empty() { "the input" } else { &problem.pointer };
                    write!(f, "\n{place}: {}", problem.text)
                })
            }
        }
    }
}

impl fmt::Display for GrantedNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.names.is_empty() {
            return f.write_str("there are none");
        }
        write!(f, "there are {}", self.names.join(", "))?;
        if self.more > 0 { write!(f, " and {} more", self.more) } else { Ok(()) }
    }
}

impl fmt::Display for BrokenInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson { line } => write!(f, "the input is no JSON (line {line}); call again with one JSON object"),
            Self::NotAnObject => f.write_str("the input is not a JSON object; call again with one"),
            Self::TooDeep => write!(f, "the input nests deeper than {MAX_INPUT_DEPTH} levels; call again with a flatter one"),
            Self::TooLarge => write!(f, "the input takes more than {MAX_INPUT_BYTES} bytes; call again with a shorter one"),
            Self::LoneSurrogate => f.write_str("the input holds half of a surrogate pair; call again with whole characters"),
            Self::TooComplex => f.write_str("the input is too complex to be checked; call again with a simpler one"),
        }
    }
}

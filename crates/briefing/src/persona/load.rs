//! A persona from TOML.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

use crate::call::Tool;
use crate::chain::Chain;
use crate::context::Responsibility;
use crate::message::{OwnerId, RawJson};
use crate::persona::history::{HistoryTable, ViewError};
use crate::persona::{ChainUndeclared, Persona, Role, Template, TemplateError};
use crate::ports::{Query, QueryError};
use crate::resolvers::{LoadFile, LoadRecord, LoadText, TextRole, ThreadHistory};
use crate::view::HistoryView;

/// A persona with the tools that its file declares.
#[derive(Debug, Clone)]
pub struct LoadedPersona {
    /// The persona.
    pub persona: Persona,
    /// The declared tools that are granted to it, in the order of the file.
    pub tools: Vec<Tool>,
    /// Its scheduled work, in the order of the file.
    pub responsibilities: Vec<Responsibility>,
    /// What its owner should know.
    pub warnings: Vec<PersonaWarning>,
}

/// Why a persona cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct PersonaError {
    /// Where in the file: a key's path.
    pub place: String,
    /// What is wrong there.
    #[source]
    pub fault: PersonaFault,
}

/// What can be wrong with a persona's file.
#[derive(Debug, thiserror::Error)]
pub enum PersonaFault {
    /// It is not the TOML that is wanted: a syntax error, an unknown key, another type.
    #[error("{0}")]
    Toml(#[from] toml::de::Error),
    /// A template cannot be parsed.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A role that is nowhere declared.
    #[error("no role {name:?}")]
    UnknownRole {
        /// The name.
        name: String,
    },
    /// Roles extend each other in a circle.
    #[error("role {name:?} extends itself")]
    RoleCircle {
        /// One of them.
        name: String,
    },
    /// No role, and no chain of its own.
    #[error(transparent)]
    Chain(#[from] ChainUndeclared),
    /// An entry of a chain that is no resolver, or two at once.
    #[error("exactly one of text, file, record and history is wanted")]
    Resolver,
    /// A query that cannot be used.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// Records of which no field is to be shown.
    #[error("fields: at least one is wanted; without the key all are shown")]
    NoFields,
    /// A history view that cannot be used as it is written.
    #[error(transparent)]
    View(#[from] ViewError),
    /// Two responsibilities of one name.
    #[error("two responsibilities have the name {name:?}")]
    ResponsibilityTwice {
        /// The name.
        name: String,
    },
    /// A granted tool whose schema is no JSON.
    #[error("the input_schema is not usable: {detail}")]
    Schema {
        /// Why.
        detail: String,
    },
}

/// Something that loads, and may not be what was meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PersonaWarning {
    /// A system text, or the query that it is made of, reads the message being answered: it lifts a stranger's text to an
    /// instruction.
    SystemReadsMessage {
        /// Where in the file.
        place: String,
    },
    /// A granted tool is nowhere declared, so the model is not told of it.
    ToolUndeclared {
        /// Its name.
        name: String,
    },
    /// A chain tells the history more than once.
    HistoryTwice {
        /// Where in the file.
        place: String,
    },
}

impl fmt::Display for PersonaWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SystemReadsMessage { place } => {
                write!(f, "{place}: a system text reads the message being answered, so a stranger's words become instructions")
            }
            Self::ToolUndeclared { name } => write!(f, "tool {name:?} is granted but not declared under [[tools]]"),
            Self::HistoryTwice { place } => write!(f, "{place}: the history is told more than once"),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    address: String,
    owner: Option<String>,
    instructions: Option<String>,
    role: Option<String>,
    #[serde(default)]
    roles: BTreeMap<String, RoleFile>,
    /// Granted to this persona alone.
    #[serde(default)]
    grant: Vec<String>,
    message: Option<Vec<Entry>>,
    responsibility: Option<Vec<Entry>>,
    #[serde(default)]
    tools: Vec<ToolFile>,
    #[serde(default)]
    responsibilities: Vec<ResponsibilityFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResponsibilityFile {
    name: String,
    instructions: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RoleFile {
    extends: Option<String>,
    #[serde(default)]
    tools: Vec<String>,
    message: Option<Vec<Entry>>,
    responsibility: Option<Vec<Entry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(default)]
    role: RoleName,
    text: Option<String>,
    file: Option<String>,
    record: Option<RecordEntry>,
    history: Option<HistoryTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordEntry {
    database: String,
    query: String,
    fields: Option<Vec<String>>,
    rows: Option<u32>,
    timeout_ms: Option<u64>,
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum RoleName {
    #[default]
    System,
    User,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolFile {
    name: String,
    description: Option<String>,
    input_schema: String,
}

impl LoadedPersona {
    /// Reads a persona's file. `[roles.NAME]` tables declare roles, each with `extends`, `tools` (the grant) and the chains
    /// `message` and `responsibility`; the persona takes one by `role`, or declares the same keys itself. `[[tools]]`
    /// declares what the model is told of the granted tools, `[[responsibilities]]` its scheduled work, each a `name` and
    /// `instructions`.
    ///
    /// An entry of a chain is exactly one of `text`, `file`, `record` and `history`, beside its `role`. A record is a query
    /// ([`Query`]) over a database, with `database`, `query` and, if wanted, `fields`, `rows` and `timeout_ms`; it needs a
    /// records port in the context ([`Context::with_records`](crate::Context::with_records)).
    ///
    /// # Errors
    /// [`PersonaError`] with the key's path. An unknown key is an error.
    pub fn from_toml(text: &str) -> Result<Self, PersonaError> {
        Self::from_toml_with(text, |view| view)
    }

    /// The same with every history view changed, for a caller that knows better than the file (a program's options).
    ///
    /// # Errors
    /// As [`from_toml`](Self::from_toml).
    pub fn from_toml_with(text: &str, view: impl Fn(HistoryView) -> HistoryView) -> Result<Self, PersonaError> {
        let adapt: &Adapt<'_> = &view;
        let file: File = toml::from_str(text).map_err(|error| at("persona", error))?;
        let mut warnings = Vec::new();
        let mut role = match &file.role {
            Some(name) => named_role(&file.roles, name, adapt, &mut warnings)?,
            None => Role::new(),
        };
        if let Some(entries) = &file.message {
            role = role.message(chain(entries, "message", adapt, &mut warnings)?);
        }
        if let Some(entries) = &file.responsibility {
            role = role.responsibility(chain(entries, "responsibility", adapt, &mut warnings)?);
        }
        let persona = Persona::new(&role.grant(file.grant), file.name, file.address).map_err(|error| at("persona", error))?;
        let persona = persona.with_owner(file.owner.map_or_else(OwnerId::default, OwnerId::new));
        let persona = match file.instructions {
            Some(instructions) => persona.with_instructions(instructions),
            None => persona,
        };
        let granted = file.tools.iter().filter(|tool| persona.may_use(&tool.name));
        let tools = granted.map(tool).collect::<Result<Vec<_>, _>>()?;
        let undeclared = persona.granted().filter(|name| !file.tools.iter().any(|tool| tool.name == *name));
        warnings.extend(undeclared.map(|name| PersonaWarning::ToolUndeclared { name: name.to_owned() }));
        let responsibilities = responsibilities(file.responsibilities)?;
        Ok(Self { persona, tools, responsibilities, warnings })
    }
}

fn responsibilities(files: Vec<ResponsibilityFile>) -> Result<Vec<Responsibility>, PersonaError> {
    let mut all: Vec<Responsibility> = Vec::new();
    for ResponsibilityFile { name, instructions } in files {
        if all.iter().any(|other| other.name == name) {
            return Err(at("responsibilities", PersonaFault::ResponsibilityTwice { name }));
        }
        all.push(Responsibility { name, instructions });
    }
    Ok(all)
}

/// What a caller makes of a view that the file declares.
type Adapt<'a> = dyn Fn(HistoryView) -> HistoryView + 'a;

fn at(place: impl Into<String>, fault: impl Into<PersonaFault>) -> PersonaError {
    PersonaError { place: place.into(), fault: fault.into() }
}

fn tool(file: &ToolFile) -> Result<Tool, PersonaError> {
    let schema = RawJson::new(file.input_schema.trim());
    let schema =
        schema.map_err(|error| at(format!("tools.{}", file.name), PersonaFault::Schema { detail: error.to_string() }))?;
    Ok(Tool::function(&file.name, file.description.as_deref().unwrap_or_default(), schema))
}

/// The role with its ancestors' grants: theirs are inherited, their chains are not.
fn named_role(
    roles: &BTreeMap<String, RoleFile>,
    name: &str,
    adapt: &Adapt<'_>,
    warnings: &mut Vec<PersonaWarning>,
) -> Result<Role, PersonaError> {
    let mut grant: Vec<String> = Vec::new();
    let mut next = Some(name);
    let mut place = "role".to_owned();
    for _ in 0..roles.len().max(1) {
        let Some(current) = next else { break };
        let found = roles.get(current).ok_or_else(|| at(&place, PersonaFault::UnknownRole { name: current.to_owned() }))?;
        grant.extend(found.tools.iter().cloned());
        place = format!("roles.{current}.extends");
        next = found.extends.as_deref();
    }
    if let Some(name) = next {
        return Err(at(place, PersonaFault::RoleCircle { name: name.to_owned() }));
    }
    let mut role = Role::new().grant(grant);
    let own = roles.get(name);
    if let Some(entries) = own.and_then(|own| own.message.as_ref()) {
        role = role.message(chain(entries, &format!("roles.{name}.message"), adapt, warnings)?);
    }
    if let Some(entries) = own.and_then(|own| own.responsibility.as_ref()) {
        role = role.responsibility(chain(entries, &format!("roles.{name}.responsibility"), adapt, warnings)?);
    }
    Ok(role)
}

fn chain(entries: &[Entry], place: &str, adapt: &Adapt<'_>, warnings: &mut Vec<PersonaWarning>) -> Result<Chain, PersonaError> {
    let mut chain = Chain::new();
    for (index, entry) in entries.iter().enumerate() {
        let place = format!("{place}[{index}]");
        chain = match (&entry.text, &entry.file, &entry.record, &entry.history) {
            (Some(text), None, None, None) => {
                let template = checked(text, entry.role, &place, warnings)?;
                let role = text_role(entry.role);
                chain.with(move || text_resolver(role, template.clone(), place.clone()))
            }
            (None, Some(path), None, None) => {
                let template = checked(path, entry.role, &place, warnings)?;
                let (role, path) = (text_role(entry.role), PathBuf::from(path));
                if template.is_plain() {
                    chain.with(move || LoadFile::new(role, path.clone()))
                } else {
                    chain.with(move || file_resolver(role, template.clone(), place.clone()))
                }
            }
            (None, None, Some(record), None) => {
                let resolver = record_resolver(record, entry.role, &place, warnings)?;
                chain.with(move || resolver.clone())
            }
            (None, None, None, Some(history)) => {
                let view = adapt(history.view().map_err(|fault| at(format!("{place}.history"), fault))?);
                chain.with(move || ThreadHistory::new(view.clone()))
            }
            _ => return Err(at(place, PersonaFault::Resolver)),
        };
    }
    if entries.iter().filter(|entry| entry.history.is_some()).count() > 1 {
        warnings.push(PersonaWarning::HistoryTwice { place: place.to_owned() });
    }
    Ok(chain)
}

fn checked(source: &str, role: RoleName, place: &str, warnings: &mut Vec<PersonaWarning>) -> Result<Template, PersonaError> {
    let template = Template::new(Arc::<str>::from(source)).map_err(|error| at(place, error))?;
    if matches!(role, RoleName::System) && template.reads_message() {
        warnings.push(PersonaWarning::SystemReadsMessage { place: place.to_owned() });
    }
    Ok(template)
}

fn text_role(role: RoleName) -> TextRole {
    match role {
        RoleName::System => TextRole::System,
        RoleName::User => TextRole::User,
    }
}

fn text_resolver(role: TextRole, template: Template, place: String) -> LoadText {
    LoadText::trying(role, move |cx| Ok(Some(template.render(cx).map_err(|error| at(&place, error))?)))
}

fn file_resolver(role: TextRole, template: Template, place: String) -> LoadFile {
    LoadFile::block(role, move |cx| Ok(template.render(cx).map_err(|error| at(&place, error))?))
}

fn record_resolver(
    entry: &RecordEntry,
    role: RoleName,
    place: &str,
    warnings: &mut Vec<PersonaWarning>,
) -> Result<LoadRecord, PersonaError> {
    let query = query(entry).map_err(|error| at(place, error))?;
    if matches!(role, RoleName::System) && query.reads_message() {
        warnings.push(PersonaWarning::SystemReadsMessage { place: place.to_owned() });
    }
    let records = match role {
        RoleName::System => LoadRecord::query(query),
        RoleName::User => LoadRecord::query(query).user(),
    };
    match &entry.fields {
        Some(fields) if fields.is_empty() => Err(at(place, PersonaFault::NoFields)),
        Some(fields) => Ok(records.fields(fields)),
        None => Ok(records),
    }
}

fn query(entry: &RecordEntry) -> Result<Query, QueryError> {
    let query = Query::new(&entry.database, &entry.query)?;
    let query = query.with_rows(entry.rows.unwrap_or(Query::ROWS))?;
    query.with_timeout(entry.timeout_ms.map_or(Query::TIMEOUT, Duration::from_millis))
}

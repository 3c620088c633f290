//! Who answers: a persona from a file, or one that is made of an address alone.

use std::path::{Path, PathBuf};

use briefing::message::OwnerId;
use briefing::persona::{LoadedPersona, PersonaError, Role};
use briefing::view::MailView;
use briefing::{Chain, Persona, ThreadHistory, Tool};

use crate::config::{PersonaConfig, ViewOverride};
use crate::error::{Failure, Kind};
use crate::input::notes::Note;
use crate::input::{MAX_CONFIG, read};
use crate::output::name_of;

/// A persona and what comes with it.
pub(crate) struct Answerer {
    pub(crate) persona: Persona,
    pub(crate) tools: Vec<Tool>,
    /// The folder that its files are looked up in.
    pub(crate) root: PathBuf,
    pub(crate) notes: Vec<Note>,
}

/// The persona of that configuration, of that owner if one is given.
pub(crate) fn load(config: &PersonaConfig, view: ViewOverride, owner: Option<OwnerId>) -> Result<Answerer, Failure> {
    let mut answerer = match config {
        PersonaConfig::File(path) => from_file(path, view)?,
        PersonaConfig::Address(address) => plain(address.trim(), view)?,
        PersonaConfig::Unknown => plain("", view)?,
    };
    let name = match config {
        PersonaConfig::File(path) => Some(name_of(path)),
        PersonaConfig::Address(_) => Some("--address".to_owned()),
        PersonaConfig::Unknown => None,
    };
    let address = answerer.persona.address();
    if let Some(name) = name.filter(|_| !address.contains('@')) {
        answerer.notes.push(Note::Address { name, address: address.to_owned() });
    }
    if let Some(owner) = owner {
        answerer.persona = answerer.persona.with_owner(owner);
    }
    Ok(answerer)
}

fn from_file(path: &Path, view: ViewOverride) -> Result<Answerer, Failure> {
    let input = read(path, MAX_CONFIG)?;
    let loaded = LoadedPersona::from_toml_with(&input.text, |own| view.apply(own));
    let loaded = loaded.map_err(|error| unusable(path, &error))?;
    let root = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let notes = loaded.warnings.into_iter().map(|warning| Note::Persona { name: input.name.clone(), warning });
    Ok(Answerer { persona: loaded.persona, tools: loaded.tools, root: root.to_owned(), notes: notes.collect() })
}

fn unusable(path: &Path, error: &PersonaError) -> Failure {
    Failure::new(Kind::Config, format!("{}: {error}", name_of(path)))
        .hint("examples/shop/persona.toml shows every key; mend the one that is named")
}

/// A persona of that address, whose chain is the history alone.
fn plain(address: &str, view: ViewOverride) -> Result<Answerer, Failure> {
    let view = view.apply(MailView::default());
    let role = Role::new().message(Chain::new().with(move || ThreadHistory::new(view)));
    let persona = Persona::new(&role, "assistant", address).map_err(|error| Failure::new(Kind::Internal, error.to_string()))?;
    Ok(Answerer { persona, tools: Vec::new(), root: PathBuf::from("."), notes: Vec::new() })
}

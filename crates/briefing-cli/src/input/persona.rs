//! Who answers: a persona from a file, or one that is made of an address alone.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

#[cfg(feature = "agent")]
use briefing::Responsibility;
use briefing::message::OwnerId;
use briefing::persona::{LoadedPersona, PersonaError, Role};
use briefing::view::HistoryView;
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
    /// Its scheduled work.
    #[cfg(feature = "agent")]
    pub(crate) responsibilities: Vec<Responsibility>,
    /// The folder that its files are looked up in.
    pub(crate) root: PathBuf,
    /// The views by which its chains tell history.
    pub(crate) views: Vec<HistoryView>,
    pub(crate) notes: Vec<Note>,
}

impl Answerer {
    /// The view by which history is told: none where there is none, or one cannot be told from another.
    pub(crate) fn view(&self) -> Option<&HistoryView> {
        let first = self.views.first()?;
        let key = first.key();
        self.views.iter().all(|view| view.key() == key).then_some(first)
    }

    /// The same where a chat is answered: without a chain of its own it is told as one, unless the view says otherwise.
    pub(crate) fn of_chat(self, config: &PersonaConfig, view: &ViewOverride) -> Result<Self, Failure> {
        if config.is_file() {
            return Ok(self);
        }
        let plain = plain(self.persona.address(), view.apply(HistoryView::chat()))?;
        let persona = plain.persona.with_owner(self.persona.owner().clone());
        Ok(Self { persona, notes: self.notes, ..plain })
    }
}

/// The persona of that configuration, of that owner if one is given.
pub(crate) fn load(config: &PersonaConfig, view: &ViewOverride, owner: Option<OwnerId>) -> Result<Answerer, Failure> {
    let mail = || view.apply(HistoryView::mail());
    let mut answerer = match config {
        PersonaConfig::File(path) => from_file(path, view)?,
        PersonaConfig::Address(address) => plain(address.trim(), mail())?,
        PersonaConfig::Unknown => plain("", mail())?,
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

fn from_file(path: &Path, view: &ViewOverride) -> Result<Answerer, Failure> {
    let input = read(path, MAX_CONFIG)?;
    let views = RefCell::new(Vec::new());
    let loaded = LoadedPersona::from_toml_with(&input.text, |own| {
        let view = view.apply(own);
        views.borrow_mut().push(view.clone());
        view
    });
    let loaded = loaded.map_err(|error| unusable(path, &error))?;
    let root = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let notes = loaded.warnings.iter().cloned().map(|warning| Note::Persona { name: input.name.clone(), warning });
    let (root, views, notes) = (root.to_owned(), views.into_inner(), notes.collect());
    Ok(Answerer {
        persona: loaded.persona,
        tools: loaded.tools,
        #[cfg(feature = "agent")]
        responsibilities: loaded.responsibilities,
        root,
        views,
        notes,
    })
}

fn unusable(path: &Path, error: &PersonaError) -> Failure {
    Failure::new(Kind::Config, format!("{}: {error}", name_of(path)))
        .hint("examples/shop/persona.toml shows the keys, docs/views.md those of a history; mend the one that is named")
}

/// A persona of that address, whose chain is the history alone.
fn plain(address: &str, view: HistoryView) -> Result<Answerer, Failure> {
    let views = vec![view.clone()];
    let role = Role::new().message(Chain::new().with(move || ThreadHistory::new(view.clone())));
    let persona = Persona::new(&role, "assistant", address).map_err(|error| Failure::new(Kind::Internal, error.to_string()))?;
    let root = PathBuf::from(".");
    Ok(Answerer {
        persona,
        tools: Vec::new(),
        #[cfg(feature = "agent")]
        responsibilities: Vec::new(),
        root,
        views,
        notes: Vec::new(),
    })
}

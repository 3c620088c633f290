//! `briefing.toml`: found, read (`file.rs`) and resolved to what is meant: every default filled in, every path whole.

mod file;
mod models;
pub(crate) mod secret;
#[cfg(test)]
mod tests;
mod tools;

use std::path::{Path, PathBuf};
use std::time::Duration;

use briefing::Language;

use crate::error::{Failure, Kind};
use crate::input::{MAX_CONFIG, read};
use crate::output::name_of;

pub(crate) use self::models::{ModelSetup, PricesSetup, checked_url, default_key, headers_of_environment, standard_wire};
pub(crate) use self::tools::{CommandSetup, Confirm, Effect, Reach, ServerSetup};

/// Its name where none is given.
pub(crate) const FILE: &str = "briefing.toml";

/// How long a card waits where nothing is said of that.
const EXPIRE_H: u64 = 24;
/// How many days requests are kept where nothing is said of that.
const KEEP_DAYS: u32 = 30;

/// What the agent is made of.
#[derive(Debug)]
pub(crate) struct Setup {
    /// The file.
    pub(crate) file: PathBuf,
    /// Its folder: paths in it are relative to that.
    pub(crate) root: PathBuf,
    pub(crate) database: PathBuf,
    pub(crate) persona: PathBuf,
    /// The first is asked, the others are fallbacks.
    pub(crate) models: Vec<ModelSetup>,
    pub(crate) limits: LimitsSetup,
    /// How long a card waits for a person.
    pub(crate) card_lasts: Duration,
    /// The language of confirmations.
    pub(crate) language: String,
    /// How long requests are kept; of no length: they are not.
    pub(crate) keep: Duration,
    pub(crate) commands: Vec<CommandSetup>,
    pub(crate) servers: Vec<ServerSetup>,
}

/// What a run may spend; none: what the agent's own default says.
#[derive(Debug, Default)]
pub(crate) struct LimitsSetup {
    pub(crate) rounds: Option<u32>,
    /// None: the default; of 0 seconds: no deadline.
    pub(crate) deadline: Option<Duration>,
    pub(crate) tokens: Option<u64>,
    pub(crate) calls: Option<u32>,
    pub(crate) failures: Option<u32>,
    /// In millionths of the currency of the prices.
    pub(crate) cost: Option<u64>,
}

impl Setup {
    /// Finds and reads the configuration: that file, else `briefing.toml` here or in a folder above.
    ///
    /// # Errors
    /// None is there; it is not what it should be.
    pub(crate) fn load(given: Option<&Path>) -> Result<Self, Failure> {
        let path = match given {
            Some(path) => path.to_owned(),
            None => find()?,
        };
        let input = read(&path, MAX_CONFIG)?;
        let name = input.name;
        let file = parsed(&name, &input.text)?;
        Self::resolve(path, file).map_err(|failure| Failure { message: format!("{name}: {}", failure.message), ..failure })
    }

    fn resolve(path: PathBuf, file: file::File) -> Result<Self, Failure> {
        let root = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned();
        if file.models.is_empty() {
            return Err(Failure::new(Kind::Config, "no model is named").hint("add a table [[model]] with a name"));
        }
        let models = file.models.into_iter().map(|model| models::resolve(model, &root)).collect::<Result<Vec<_>, _>>()?;
        let commands = file.commands.into_iter().map(tools::command).collect::<Result<Vec<_>, _>>()?;
        let servers = file.servers.into_iter().map(tools::server).collect::<Result<Vec<_>, _>>()?;
        once("[[command]]", commands.iter().map(|command| command.name.as_str()))?;
        once("[[mcp]]", servers.iter().map(|server| server.name.as_str()))?;
        let limits = LimitsSetup {
            rounds: positive("limits.rounds", file.limits.rounds)?,
            deadline: file.limits.deadline_s.map(Duration::from_secs),
            tokens: positive("limits.tokens", file.limits.tokens)?,
            calls: positive("limits.calls", file.limits.calls)?,
            failures: positive("limits.failures", file.limits.failures)?,
            cost: {
                let cost = file.limits.cost.map(|cost| models::millionths("limits.cost", cost)).transpose()?;
                positive("limits.cost", cost)?
            },
        };
        let language = language(file.cards.language)?;
        let hours = positive("cards.expire_h", file.cards.expire_h)?.unwrap_or(EXPIRE_H);
        let days = file.requests.keep_days.unwrap_or(KEEP_DAYS);
        Ok(Self {
            database: below(&root, file.database.as_deref().unwrap_or("briefing.db")),
            persona: below(&root, &file.persona),
            models,
            limits,
            card_lasts: Duration::from_secs(hours.saturating_mul(3_600)),
            language,
            keep: Duration::from_secs(u64::from(days).saturating_mul(86_400)),
            commands,
            servers,
            file: path,
            root,
        })
    }

    /// The file as messages name it.
    pub(crate) fn name(&self) -> String {
        name_of(&self.file)
    }
}

/// The file as it is written. What does not fit is told with an excerpt, unless that may hold a key.
fn parsed(name: &str, text: &str) -> Result<file::File, Failure> {
    toml::from_str(text).map_err(|error| {
        let begin = error.span().map(|span| span.start).unwrap_or_default();
        let before = text.get(..begin).unwrap_or_default();
        let from = before.rfind('\n').map_or(0, |at| at + 1);
        let end = error.span().map_or(begin, |span| span.end.max(begin));
        let to = text.get(end..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| end + at);
        let excerpt = text.get(from..to).unwrap_or(text);
        let what = match secret::may_stand_in(excerpt) {
            true => {
                // What is missing or unknown is told by the name of a key of ours, what has another type with its value.
                let named = ["missing field", "unknown field"].iter().any(|begin| error.message().starts_with(begin));
                let said = if named { error.message() } else { "it is not what it should be" };
                format!("line {}: {said} (the line is not shown, as a key may stand in it)", before.matches('\n').count() + 1)
            }
            false => error.to_string(),
        };
        wrong(name, what).hint("docs/agent.md lists the keys; mend the one that is named")
    })
}

/// The language of confirmations: one that there are phrases in.
fn language(given: Option<String>) -> Result<String, Failure> {
    let Some(given) = given else { return Ok("en".to_owned()) };
    let primary = given.split(['-', '_', '.', '@']).next().unwrap_or_default();
    if Language::ALL.iter().any(|language| primary.eq_ignore_ascii_case(language.code())) {
        return Ok(given);
    }
    let mut known = Language::ALL.map(Language::code);
    known.sort_unstable();
    Err(Failure::new(Kind::Config, format!("cards.language: there are no confirmations in {given:?}"))
        .hint(format!("one of {}", known.join(", "))))
}

/// A path of the file, as messages name it.
fn below(root: &Path, path: &str) -> PathBuf {
    if root == Path::new(".") { PathBuf::from(path) } else { root.join(path) }
}

/// `briefing.toml` in the current folder, or in the nearest one above it.
fn find() -> Result<PathBuf, Failure> {
    let here = std::env::current_dir().map_err(|error| Failure::unreadable("the current folder", &error))?;
    if here.join(FILE).is_file() {
        return Ok(PathBuf::from(FILE));
    }
    here.ancestors().map(|folder| folder.join(FILE)).find(|path| path.is_file()).ok_or_else(|| {
        Failure::new(Kind::NoInput, format!("there is no {FILE}, neither here nor in a folder above"))
            .hint("`briefing init` writes one; --config names one elsewhere")
    })
}

fn wrong(name: &str, what: impl std::fmt::Display) -> Failure {
    Failure::new(Kind::Config, format!("{name}: {what}"))
}

/// A number that may not be 0: with such a limit nothing would come to its end.
fn positive<N: Default + PartialEq>(key: &str, number: Option<N>) -> Result<Option<N>, Failure> {
    if number == Some(N::default()) {
        return Err(Failure::new(Kind::Config, format!("{key}: more than 0 is wanted")).hint("leave it out for the default"));
    }
    Ok(number)
}

/// Names that must differ.
fn once<'a>(table: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Failure> {
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            return Err(Failure::new(Kind::Config, format!("{table}: two have the name {name:?}")).hint("rename one of them"));
        }
        seen.push(name);
    }
    Ok(())
}

/// A text of a table that may not be blank.
fn filled(place: &str, text: String) -> Result<String, Failure> {
    if text.trim().is_empty() {
        return Err(Failure::new(Kind::Config, format!("{place}: it is empty")).hint("give it a value"));
    }
    Ok(text)
}

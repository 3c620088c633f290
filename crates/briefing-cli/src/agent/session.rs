//! An agent at work: made of a configuration, asked by a command.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use briefing::log::{Arrival, Message};
use briefing::message::{EntryId, ModelMessage, RunId, ThreadId};
use briefing::{Responsibility, persona::PersonaWarning};
use briefing_agent::tool::ToolSet;
use briefing_agent::{Agent, AgentError, Ended, Limits, Settings, Stop, SystemClock};
use briefing_records::SqliteRecords;
use briefing_store::{Append, Content, NewMessage, RunEnd, Store, StoreError, Target};
use jiff::Timestamp;

use crate::agent::build::{self, Keys, Tools};
use crate::agent::files::Files;
use crate::agent::place::{LogPlace, persona};
use crate::agent::tell;
use crate::args::ChatThreadArgs;
use crate::database;
use crate::error::{Failure, Kind, STOPPED};
use crate::input::notes::Note;
use crate::output::runs;
use crate::output::time::to_second;
use crate::reader::Reader;
use crate::setup::{LimitsSetup, Setup};
use crate::shown::ask;

/// An agent and its log.
pub(crate) struct Session {
    pub(crate) log: LogPlace,
    pub(crate) agent: Agent,
    pub(crate) responsibilities: Vec<Responsibility>,
    /// What the person should know.
    pub(crate) notes: Vec<String>,
}

impl Session {
    /// Makes the agent of that configuration. With [`Keys::Wanted`] it is going to run: the database is made if it is not there, and
    /// requests that were kept long enough are forgotten.
    pub(crate) async fn open(setup: &Setup, keys: Keys, wanted: Tools) -> Result<Self, Failure> {
        let answerer = persona(setup)?;
        let owner = answerer.persona.owner().clone();
        let log = match keys {
            Keys::Wanted => LogPlace::create(setup, owner)?,
            Keys::Unused => LogPlace::open(setup, owner)?,
        };
        let mut notes = Vec::new();
        // It is upkeep, and whoever wants an answer is not held up by it.
        if keys == Keys::Wanted
            && let Err(failure) = log.forget_requests(setup, Timestamp::now())
        {
            notes.push(format!("old requests could not be forgotten: {}", failure.message));
        }
        let models = build::models(setup, keys)?;
        let reader = Arc::new(Reader::default());
        let tools = match wanted {
            Tools::Wanted => {
                let (tools, noticed) = build::tools(setup, Arc::clone(&reader) as _).await?;
                notes.extend(noticed);
                notes.extend(missing(&answerer.persona, &tools));
                tools
            }
            Tools::Unused => ToolSet::new(),
        };
        notes.extend(answerer.notes.iter().filter(|note| !is_of_tools(note)).map(|note| format!("note: {note}")));
        let settings = Settings {
            limits: limits(&setup.limits),
            language: setup.language.as_str().into(),
            card_lasts: Some(setup.card_lasts),
            keep_requests: !setup.keep.is_zero(),
            root: answerer.root.clone(),
            records: Some(Arc::new(SqliteRecords::new(answerer.root))),
            reader: Some(reader),
            ..Settings::default()
        };
        let (store, persona) = (Arc::clone(&log.store) as _, Arc::new(answerer.persona));
        let agent = Agent::new(store, persona, models, Arc::new(tools), Arc::new(SystemClock), settings).map_err(failure)?;
        Ok(Self { log, agent, responsibilities: answerer.responsibilities, notes })
    }

    /// The thread that the arguments name; a new one is opened if they name none.
    pub(crate) fn thread(&self, args: &ChatThreadArgs) -> Result<ThreadId, Failure> {
        let LogPlace { store, owner, .. } = &self.log;
        match (args.thread, &args.name, args.resume) {
            (Some(thread), _, _) => {
                let thread = ThreadId::new(thread);
                let found = ask(store.thread(owner, thread))?;
                found
                    .map(|found| found.thread)
                    .ok_or_else(|| crate::shown::told(briefing_store::StoreError::UnknownThread { thread }))
            }
            (None, Some(name), _) => ask(store.named_thread(owner, name)),
            (None, None, true) => self.log.newest_chat(),
            (None, None, false) => ask(store.open_thread(owner)),
        }
    }

    /// Puts down what a user says.
    pub(crate) fn say(&self, thread: ThreadId, text: &str, files: Files) -> Result<EntryId, Failure> {
        let message = Message { attachments: files.attachments, ..Message::from(ModelMessage::user(text)) };
        let content = Content::Message(Box::new(NewMessage { message, files: files.contents }));
        let append = Append::new(content, Target::Thread(thread), Arrival::Live(Timestamp::now()));
        let appended = ask(self.log.store.append(&self.log.owner, vec![append]))?;
        let appended = appended.first().map(|appended| appended.place.entry);
        appended.ok_or_else(|| Failure::new(Kind::Internal, "nothing was appended"))
    }
}

impl Session {
    /// Waits for a run. The first Ctrl-C asks it to stop, the second breaks it off.
    pub(crate) async fn wait_for(
        &self,
        work: impl Future<Output = Result<Ended, AgentError>>,
        stop: &Stop,
    ) -> Result<Ended, Failure> {
        match stoppable(work, stop).await? {
            Err(AgentError::Busy { run, until }) => Err(self.busy(&run, until)),
            ended => ended.map_err(failure),
        }
    }

    /// What is told of a message whose thread another run has: by the number that the other commands take.
    fn busy(&self, run: &RunId, until: Timestamp) -> Failure {
        let number = match ask(self.log.store.run(&self.log.owner, run)) {
            Ok(Some(found)) => found.number.get().to_string(),
            Ok(None) | Err(_) => run.to_string(),
        };
        Failure::new(Kind::Busy, format!("run {number} is at work in this thread; what you said is kept")).hint(format!(
            "wait until it has ended, or `briefing stop {number}` it, then ask again (in a chat: /retry); if its process is gone, the \
             thread is free at {}",
            to_second(until)
        ))
    }
}

/// Waits for work. The first Ctrl-C asks it to stop, the second breaks it off.
pub(crate) async fn stoppable<T>(work: impl Future<Output = T>, stop: &Stop) -> Result<T, Failure> {
    tokio::pin!(work);
    loop {
        tokio::select! {
            ended = &mut work => return Ok(ended),
            () = interrupted() => {
                if stop.asked() {
                    return Err(broken_off());
                }
                stop.ask();
            }
        }
    }
}

/// Waits for work that nothing asks to stop, such as a write that a person confirmed. The first Ctrl-C is told to `hear`, the second
/// breaks the work off: none.
pub(crate) async fn unless_pressed_twice<T>(work: impl Future<Output = T>, hear: impl FnOnce()) -> Option<T> {
    tokio::pin!(work);
    tokio::select! {
        done = &mut work => return Some(done),
        () = interrupted() => hear(),
    }
    tokio::select! {
        done = &mut work => Some(done),
        () = interrupted() => None,
    }
}

/// Whether the process was asked to end, and not what it does alone to stop.
static TO_END: AtomicBool = AtomicBool::new(false);

/// Whether the process was asked to end.
pub(crate) fn is_to_end() -> bool {
    TO_END.load(Ordering::Relaxed)
}

/// Ends when a person presses Ctrl-C, or the process is asked to end: by SIGTERM, or as its terminal is gone.
pub(crate) async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        if let (Ok(mut term), Ok(mut hup)) = (signal(SignalKind::terminate()), signal(SignalKind::hangup())) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = term.recv() => TO_END.store(true, Ordering::Relaxed),
                _ = hup.recv() => TO_END.store(true, Ordering::Relaxed),
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// What is told of a run that a person did not wait for.
fn broken_off() -> Failure {
    Failure::new(Kind::Busy, "the run was broken off; what it did is in the log, and its message has no answer")
        .hint("its thread is free in a minute at the latest: wait for that, then /retry goes on (later too, after `briefing chat --resume`)")
}

/// The exit code of a run.
pub(crate) fn code(how: RunEnd) -> u8 {
    match how {
        RunEnd::Answered => 0,
        RunEnd::Stopped => STOPPED,
        RunEnd::Deadline | RunEnd::Limit | RunEnd::Lost => Kind::Busy.code(),
        RunEnd::Failed => Kind::Unavailable.code(),
    }
}

/// What is told of an answer that is not what it might be.
pub(crate) fn remark(ended: &Ended) -> Option<String> {
    let detail = ended.detail.as_deref().filter(|_| ended.how == RunEnd::Answered)?;
    Some(format!("note: {detail}"))
}

/// What is told of a run that came to no answer.
pub(crate) fn ended(ended: &Ended) -> Option<String> {
    let what = match ended.how {
        RunEnd::Answered => return None,
        RunEnd::Stopped => "stopped",
        RunEnd::Deadline => "no answer: the deadline is over (limits.deadline_s)",
        RunEnd::Limit => "no answer: a limit was met",
        RunEnd::Failed => "no answer",
        RunEnd::Lost => "no answer: the run was lost",
    };
    let detail = ended.detail.as_deref().map(|detail| format!(": {}", tell::fault(detail))).unwrap_or_default();
    Some(format!("{what}{detail}"))
}

/// What a run has spent, in dim words behind its answer.
pub(crate) fn spent(ended: &Ended) -> String {
    let cost = match ended.cost {
        0 => String::new(),
        millionths => format!(", cost {}", runs::money(millionths)),
    };
    format!("· {}{cost}", runs::spent(&ended.spent))
}

fn limits(setup: &LimitsSetup) -> Limits {
    let usual = Limits::default();
    Limits {
        rounds: setup.rounds.unwrap_or(usual.rounds),
        deadline: setup.deadline.map_or(usual.deadline, |time| (!time.is_zero()).then_some(time)),
        tokens: setup.tokens.or(usual.tokens),
        calls: setup.calls.unwrap_or(usual.calls),
        failures: setup.failures.unwrap_or(usual.failures),
        cost: setup.cost.or(usual.cost),
        ..usual
    }
}

/// Whether a note is of tools that the persona's file does not declare: here they come from elsewhere.
pub(crate) fn is_of_tools(note: &Note) -> bool {
    matches!(note, Note::Persona { warning: PersonaWarning::ToolUndeclared { .. }, .. })
}

/// What is told of granted tools that are not there.
fn missing(persona: &briefing::Persona, tools: &ToolSet) -> Option<String> {
    let names: Vec<&str> = persona.granted().filter(|name| tools.get(name).is_none()).collect();
    (!names.is_empty()).then(|| format!("granted, and not there: {} (`briefing doctor` tells more)", names.join(", ")))
}

/// What to do where a cost is bounded and not known.
pub(crate) const NO_PRICES: &str = "give each [[model]] its prices, or leave limits.cost out";

/// A failure of the agent as the program tells it.
pub(crate) fn failure(error: AgentError) -> Failure {
    match error {
        AgentError::Store(error @ (StoreError::Full | StoreError::Locked)) => Failure {
            hint: Some("make room, or wait; what a tool did last may not be in the log, and is then told as lost, and not done again".to_owned()),
            ..database::failure(error)
        },
        AgentError::Store(error @ StoreError::CardClaimed { .. }) => database::failure(error)
            .hint("whoever claimed it is doing it, or died over it: then it is settled as lost, half an hour later"),
        AgentError::Store(error) => database::failure(error),
        AgentError::Busy { .. } | AgentError::Fenced { .. } => Failure::new(Kind::Busy, error.to_string())
            .hint("wait until it has ended, or `briefing stop` it; of a run that was broken off the thread is free in a minute: then ask again, in a chat with /retry"),
        AgentError::NotAnswerable { .. }
        | AgentError::NotInThread { .. }
        | AgentError::NotOurs { .. }
        | AgentError::Settled { .. }
        | AgentError::Unreadable { .. } => Failure::new(Kind::Data, error.to_string())
            .hint("`briefing show THREAD` lists the entries, `briefing cards` the cards"),
        AgentError::ToolMissing { .. } => Failure::new(Kind::Unavailable, error.to_string())
            .hint("the card waits on: `briefing doctor` tells what is wrong with the tool; cancel the card if it is gone for good"),
        AgentError::EndedBefore { .. } | AgentError::NotDue { .. } | AgentError::OtherWork { .. } => {
            Failure::new(Kind::Data, error.to_string()).hint("`briefing runs --scheduled` tells what is scheduled")
        }
        AgentError::NothingKept { .. } => {
            Failure::new(Kind::NoInput, error.to_string()).hint("nothing was sent, or requests.keep_days are over: `briefing runs` tells how it ended")
        }
        AgentError::NoPrices { .. } => Failure::new(Kind::Config, error.to_string()).hint(NO_PRICES),
        AgentError::NoModel | AgentError::Chain(_) => {
            Failure::new(Kind::Config, error.to_string()).hint("`briefing doctor` tells what is missing")
        }
        error => Failure::new(Kind::Internal, error.to_string()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use tokio::signal::unix::{SignalKind, signal};

    use super::*;

    #[tokio::test]
    async fn a_run_that_is_broken_off_tells_what_to_do() {
        // From here on the signal ends no process.
        let _heard = signal(SignalKind::interrupt()).unwrap();
        let stop = Stop::new();
        stop.ask();
        let presses = tokio::spawn(async {
            loop {
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                let pid = std::process::id().to_string();
                std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap();
            }
        });
        let failure = stoppable(std::future::pending::<()>(), &stop).await.unwrap_err();
        presses.abort();
        assert_eq!(failure.kind, Kind::Busy);
        assert!(failure.hint.unwrap().contains("then /retry"));
    }
}

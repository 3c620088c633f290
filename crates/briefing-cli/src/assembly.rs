//! From a job to a briefing: reads what the job names, chooses the call, runs the chain or fits the list, and renders it where
//! a wire is wanted.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use briefing::view::HistoryView;
use briefing::{Anchor, AssembleError, Bounds, Briefing, Call, Context, FitError, Persona, Profiles, Subject, Wire};
use briefing_records::SqliteRecords;
use briefing_store::AnchorKey;
use briefing_wire::{Render, RenderError, Request};

use crate::args::Form;
use crate::config::{Job, MailConfig, MailPlace, PersonaConfig, SourceConfig, TargetConfig, TranscriptConfig, Which};
use crate::describe::{Material, of_inbound};
use crate::error::{Failure, Kind};
use crate::input::database::{self, Stored};
use crate::input::mailbox::{self, Wanted};
use crate::input::notes::Note;
use crate::input::persona::Answerer;
use crate::input::thread::AnsweredThread;
use crate::input::tool_use::ToolUse;
use crate::input::transcript::{self, Transcript};
use crate::input::{persona, profiles, swarm};
use crate::output::{count, name_of};

/// A briefing with everything that can be told of it.
pub(crate) struct Assembly {
    pub(crate) briefing: Briefing,
    /// The body, where a wire was asked for.
    pub(crate) request: Option<Request>,
    pub(crate) material: Material,
    /// What was chosen, a line each.
    pub(crate) chosen: Vec<String>,
    pub(crate) notes: Vec<Note>,
}

impl Assembly {
    /// Does the job.
    pub(crate) fn of(job: &Job) -> Result<Self, Failure> {
        let profiles = profiles::load(job.target.profiles.as_deref())?;
        let mut assembly = match &job.source {
            SourceConfig::Mail(mail) => of_mails(mail, &job.target, &profiles, &job.bounds)?,
            SourceConfig::Transcript(config) => of_transcript(config, &job.target, &profiles, &job.bounds)?,
        };
        if job.target.form != Form::Messages {
            let request = assembly.briefing.render().map_err(too_large)?;
            assembly.notes.extend(request.findings().iter().cloned().map(Note::Wire));
            assembly.request = Some(request);
        }
        Ok(assembly)
    }
}

fn of_mails(config: &MailConfig, target: &TargetConfig, profiles: &Profiles, bounds: &Bounds) -> Result<Assembly, Failure> {
    let mut answerer = persona::load(&config.persona, &config.view, config.owner.clone())?;
    let mut thread = match &config.place {
        MailPlace::Mailboxes { paths, tool_use } => in_memory(config, paths, tool_use.as_deref(), &answerer.persona)?,
        MailPlace::Database { path, thread } => match database::choose(path, *thread, config, answerer.persona.owner())? {
            Stored::Answered(thread) => thread,
            Stored::Messages(list) => return of_list(list, target, profiles, bounds),
        },
    };
    if thread.current.message().is_some() {
        answerer = answerer.of_chat(&config.persona, &config.view)?;
    }
    let chosen = chosen(config, &thread, answerer.persona.name());
    let mut notes = std::mem::take(&mut answerer.notes);
    notes.append(&mut thread.notes);
    let call = call(target, profiles, None).tools(std::mem::take(&mut answerer.tools));
    if thread.anchors.is_some() && answerer.view().is_none() && answerer.views.iter().any(has_strides) {
        notes.push(Note::ManyViews);
    }
    let bounds = anchored(bounds, &thread, &answerer, &call)?;
    let chain = answerer.persona.message_chain().clone();
    let subject = Subject::Message(thread.current);
    let cx = Context::new(Arc::new(answerer.persona), subject, config.now, thread.history, thread.files)
        .with_records(Arc::new(SqliteRecords::new(answerer.root.clone())))
        .with_root(answerer.root);
    let briefing = pollster::block_on(chain.assemble(&cx, &call, &bounds)).map_err(|error| unassembled(config, error))?;
    notes.extend(thread.reader.into_iter().flat_map(|reader| reader.notes()));
    Ok(Assembly { briefing, request: None, material: Material::Log(thread.lookup), chosen, notes })
}

/// Whether its window fills and is then cut.
fn has_strides(view: &HistoryView) -> bool {
    view.key().split(' ').any(|option| option == "stride" || option.starts_with("stride="))
}

/// The bounds with the place where the window of the last run began, if it fills and is then cut. Only runs move it.
fn anchored(bounds: &Bounds, thread: &AnsweredThread, answerer: &Answerer, call: &Call) -> Result<Bounds, Failure> {
    let view = answerer.view().filter(|view| has_strides(view));
    let (Some(anchors), Some(view)) = (&thread.anchors, view) else { return Ok(bounds.clone()) };
    let key = AnchorKey {
        thread: thread.current.thread(),
        persona: answerer.persona.address().to_owned(),
        view: view.key(),
        model: call.profile().name.to_string(),
    };
    Ok(bounds.clone().anchor(anchors(&key)?.map(Anchor::at)))
}

/// The thread of a mail in mailboxes, in a log that lasts as long as the program.
fn in_memory(
    config: &MailConfig,
    paths: &[PathBuf],
    tool_use: Option<&Path>,
    persona: &Persona,
) -> Result<AnsweredThread, Failure> {
    let wanted = Wanted {
        paths,
        message: config.answered.message(),
        address: persona.address(),
        owner: persona.owner(),
        now: config.now,
    };
    let imported = mailbox::import(&wanted)?;
    if let Some(path) = tool_use {
        ToolUse::read(path)?.record_in(&imported.log, persona.address())?;
    }
    let log = imported.log;
    let found = format!("{} in {} read", count(imported.mails, "message"), count(imported.threads, "thread"));
    Ok(AnsweredThread {
        current: imported.current,
        history: Arc::new(log.clone()),
        files: Arc::new(log.clone()),
        lookup: Box::new(move |entry| log.entry(entry)),
        anchors: None,
        reader: None,
        found,
        notes: imported.notes,
    })
}

/// What is told of the choice.
fn chosen(config: &MailConfig, thread: &AnsweredThread, persona: &str) -> Vec<String> {
    let current = &thread.current;
    let id = match current.mail() {
        Some(mail) => mail.message_id.as_ref().map_or_else(|| "a message without an id".to_owned(), ToString::to_string),
        None => format!("entry {}", current.entry().id),
    };
    let how = match (&config.answered, &config.place) {
        (Which::Message(_) | Which::Entry(_), _) => "",
        (Which::Newest, _) if current.message().is_some() => " (the newest of the thread's user; --entry chooses another)",
        (Which::Newest, MailPlace::Database { thread: Some(_), .. }) => " (the newest inbound of the thread)",
        (Which::Newest, _) => " (the newest inbound; --message chooses another)",
    };
    let who = match &config.persona {
        PersonaConfig::File(_) => format!("answered by {persona}"),
        PersonaConfig::Address(address) if !address.trim().is_empty() => {
            format!("answered from {address}, without a persona: the thread alone is told")
        }
        PersonaConfig::Address(_) | PersonaConfig::Unknown if current.message().is_some() => {
            "answered without a persona: the thread alone is told".to_owned()
        }
        PersonaConfig::Address(_) | PersonaConfig::Unknown => {
            "nobody is said to answer (--persona, --address): all mail reads as others', and the thread alone is told"
                .to_owned()
        }
    };
    vec![format!("{}; {who}", thread.found), format!("answering {id}{how}: {}", of_inbound(current))]
}

fn of_transcript(
    config: &TranscriptConfig,
    target: &TargetConfig,
    profiles: &Profiles,
    bounds: &Bounds,
) -> Result<Assembly, Failure> {
    let mut transcript = transcript::load(config)?;
    swarm::told(&mut transcript.conversation, &config.view)?;
    of_list(transcript, target, profiles, bounds)
}

fn of_list(list: Transcript, target: &TargetConfig, profiles: &Profiles, bounds: &Bounds) -> Result<Assembly, Failure> {
    let mut conversation = list.conversation;
    let call = call(target, profiles, conversation.call.as_ref());
    if let Some(given) = conversation.call.filter(|given| given.wire() != call.wire() && !given.parameters().is_empty()) {
        let names = given.parameters().iter().map(|(name, _)| name.to_string()).collect();
        conversation.notes.push(Note::FieldsLeftOut { names });
    }
    let briefing = briefing::fit(&conversation.messages, &call, bounds).map_err(|error| unfit(&error))?;
    let material = Material::List(conversation.messages);
    Ok(Assembly { briefing, request: None, material, chosen: vec![list.chosen], notes: conversation.notes })
}

/// The call: the model that was named, else the one of the body that was given, else one by the wire. What the body brings
/// beside its messages comes along as far as the wire is the same.
fn call(target: &TargetConfig, profiles: &Profiles, given: Option<&Call>) -> Call {
    let wire = target.wire();
    let profile = match (&target.model, given) {
        (Some(model), _) => profiles.model(model, wire),
        (None, Some(given)) if !given.profile().name.is_empty() && wire.is_none_or(|wire| wire == given.wire()) => {
            profiles.model(&given.profile().name, Some(given.wire()))
        }
        (None, given) => {
            let wire = wire.or(given.map(Call::wire));
            profiles.model(usual_model(wire.unwrap_or(Wire::OpenAiChat)), wire)
        }
    };
    let mut call = Call::new(profile);
    if let Some(given) = given {
        call = call.tools(given.declared_tools());
        if given.wire() == call.wire() {
            call = call.output_reserve(given.reserved_output());
            call = given.parameters().iter().fold(call, |call, (name, value)| call.parameter(Arc::clone(name), value.clone()));
        }
    }
    call = call.cache_marks(target.cache_marks);
    match target.output_reserve {
        Some(tokens) => call.output_reserve(tokens),
        None => call,
    }
}

/// The model that is meant on a wire where none is named.
fn usual_model(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAiChat | Wire::OpenAiResponses => "gpt-5",
        Wire::Anthropic => "claude-sonnet-4-5",
        Wire::Gemini => "gemini-3-flash",
    }
}

fn unfit(error: &FitError) -> Failure {
    Failure::new(Kind::Data, format!("nothing fits: {error}"))
        .hint("raise that bound, choose a model with more room, or shorten what is named; history was left out already")
}

fn too_large(error: RenderError) -> Failure {
    Failure::new(Kind::Data, format!("nothing fits: {error}")).hint("lower --max-bytes, so that less is chosen")
}

fn unassembled(config: &MailConfig, error: AssembleError) -> Failure {
    match error {
        AssembleError::Fit(error) => unfit(&error),
        AssembleError::Port(error) => Failure::new(Kind::Internal, error.to_string()),
        AssembleError::Resolver { .. } | AssembleError::Class { .. } => {
            let persona = match &config.persona {
                PersonaConfig::File(path) => name_of(path),
                PersonaConfig::Address(_) | PersonaConfig::Unknown => "the persona".to_owned(),
            };
            Failure::new(Kind::Config, format!("{persona}: {error}"))
                .hint("files are looked up in the persona's folder; mend the chain's entry that is named")
        }
    }
}

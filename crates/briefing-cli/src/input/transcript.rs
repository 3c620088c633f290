//! Transcripts: one conversation as JSON, or JSON Lines of which one is chosen.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use briefing_json::{Document, Value};

use crate::config::TranscriptConfig;
use crate::error::{Failure, Kind};
use crate::input::messages::{Conversation, conversation, is_message};
use crate::input::notes::Note;
use crate::input::{InputError, MAX_INPUT, open, swarm, text, without_mark};
use crate::output::{count, name_of};

/// A conversation, and which of several it is.
#[derive(Debug)]
pub(crate) struct Transcript {
    pub(crate) conversation: Conversation,
    /// What is to be told of the choice.
    pub(crate) chosen: String,
}

/// Reads the transcript. JSON Lines are read a line at a time, and no further than the one that is chosen needs.
pub(crate) fn load(config: &TranscriptConfig) -> Result<Transcript, Failure> {
    let name = name_of(&config.path);
    if config.path.is_dir() {
        let (id, conversation) = swarm::folder(&config.path)?;
        if config.id.as_deref().is_some_and(|wanted| wanted != id) {
            return Err(one_conversation(&name, config.id.as_deref().unwrap_or_default()));
        }
        let chosen = format!("{} read from {name}", count(conversation.len(), "message"));
        return Ok(Transcript { conversation, chosen });
    }
    let failed = |source| InputError::Unreadable { name: name.clone(), source };
    let mut lines = Lines::new(open(&config.path).map_err(failed)?, name.clone());
    let first = match lines.next()? {
        Some(first) => first,
        None => return Err(InputError::Empty { name }.into()),
    };
    let Ok(document) = Document::parse(without_mark(&first)) else {
        return whole(first + &lines.rest()?, &name, config.id.as_deref());
    };
    let number = lines.number;
    let second = lines.next()?;
    let is_message = is_message(document.root());
    match (second, config.id.as_deref()) {
        (None, id) => single(document.root(), &name, id),
        (Some(_), Some(id)) if is_message => Err(one_conversation(&name, id)),
        (Some(second), None) if is_message => a_message_a_line(without_mark(&first), second, &name, lines),
        (Some(_), None) => {
            let others = 1 + lines.count_rest()?;
            let id = id_of(document.root()).map_or_else(String::new, |id| format!(" {id:?}"));
            let total = others + 1;
            Ok(Transcript {
                conversation: conversation(document.root(), &format!("{name}, line {number}"))?,
                chosen: format!("{name}: the first of {total} conversations{id} (--id chooses another)"),
            })
        }
        (Some(second), Some(id)) => Search::new(&name, id).run(first, second, number, lines),
    }
}

/// Goes over all conversations of a transcript, each with its id. What could not be read of the file is given back; a line that
/// holds none stops nothing, but the only one does.
pub(crate) fn each(
    path: &Path,
    mut take: impl FnMut(Option<&str>, Conversation) -> Result<(), Failure>,
) -> Result<Vec<Note>, Failure> {
    let name = name_of(path);
    if path.is_dir() {
        let (id, conversation) = swarm::folder(path)?;
        take(Some(&id), conversation)?;
        return Ok(Vec::new());
    }
    let failed = |source| InputError::Unreadable { name: name.clone(), source };
    let mut lines = Lines::new(open(path).map_err(failed)?, name.clone());
    let Some(first) = lines.next()? else { return Err(InputError::Empty { name }.into()) };
    let Ok(document) = Document::parse(without_mark(&first)) else {
        let text = first + &lines.rest()?;
        let text = without_mark(&text);
        let document = Document::parse(text).map_err(|error| InputError::json(&name, error))?;
        take(id_of(document.root()).as_deref(), conversation(document.root(), &name)?)?;
        return Ok(Vec::new());
    };
    let root = document.root();
    let number = lines.number;
    let Some(second) = lines.next()? else {
        take(id_of(root).as_deref(), conversation(root, &name)?)?;
        return Ok(Vec::new());
    };
    if is_message(root) {
        let transcript = a_message_a_line(without_mark(&first), second, &name, lines)?;
        take(None, transcript.conversation)?;
        return Ok(Vec::new());
    }
    take(id_of(root).as_deref(), conversation(root, &format!("{name}, line {number}"))?)?;
    let mut notes = Vec::new();
    let mut next = Some(second);
    while let Some(line) = next {
        let number = lines.number;
        match Document::parse(without_mark(&line)) {
            Ok(document) => match conversation(document.root(), &format!("{name}, line {number}")) {
                Ok(conversation) => take(id_of(document.root()).as_deref(), conversation)?,
                Err(failure) => notes.push(Note::NoConversation { what: failure.message }),
            },
            Err(error) => notes.push(Note::BadLine { name: name.clone(), line: number, error }),
        }
        next = lines.next()?;
    }
    Ok(notes)
}

/// A text that is one JSON value over several lines.
fn whole(text: String, name: &str, id: Option<&str>) -> Result<Transcript, Failure> {
    let text = without_mark(&text);
    let document = Document::parse(text).map_err(|error| InputError::json(name, error))?;
    single(document.root(), name, id)
}

/// JSON Lines of which each is a message: all of them are one conversation.
fn a_message_a_line(first: &str, second: String, name: &str, mut lines: Lines) -> Result<Transcript, Failure> {
    let mut text = format!("[{}", first.trim());
    let mut notes = Vec::new();
    let mut next = Some(second);
    while let Some(line) = next {
        let (file, number) = (name.to_owned(), lines.number);
        match Document::parse(&line) {
            Ok(document) if is_message(document.root()) => {
                text.push(',');
                text.push_str(document.root().raw());
            }
            Ok(_) => notes.push(Note::NoMessage { name: file, line: number }),
            Err(error) => notes.push(Note::BadLine { name: file, line: number, error }),
        }
        next = lines.next()?;
    }
    text.push(']');
    let document = Document::parse(&text).map_err(|error| InputError::json(name, error))?;
    let mut conversation = conversation(document.root(), name)?;
    notes.append(&mut conversation.notes);
    conversation.notes = notes;
    let chosen = format!("{} read from {name}, one a line", count(conversation.len(), "message"));
    Ok(Transcript { conversation, chosen })
}

fn one_conversation(name: &str, id: &str) -> Failure {
    Failure::new(Kind::NoInput, format!("{name} holds one conversation, and its id is not {id:?}")).hint("leave --id out")
}

fn single(root: Value<'_>, name: &str, id: Option<&str>) -> Result<Transcript, Failure> {
    match (id, id_of(root)) {
        (Some(id), own) if own.as_deref() != Some(id) => Err(one_conversation(name, id)),
        _ => {
            let conversation = conversation(root, name)?;
            let chosen = format!("{} read from {name}", count(conversation.len(), "message"));
            Ok(Transcript { conversation, chosen })
        }
    }
}

fn id_of(root: Value<'_>) -> Option<String> {
    // Of a message as LangChain dumps it, `id` is the path of its class.
    let id = root.get("id").filter(|id| id.kind() != briefing_json::Kind::Array)?;
    Some(id.as_str().map_or_else(|| id.raw().to_owned(), |id| id.into_owned()))
}

/// Looks through JSON Lines for an id.
struct Search<'a> {
    name: &'a str,
    id: &'a str,
    seen: Vec<String>,
    count: usize,
    notes: Vec<Note>,
}

/// How many ids are named when none is the one.
const NAMED: usize = 5;

impl<'a> Search<'a> {
    fn new(name: &'a str, id: &'a str) -> Self {
        Self { name, id, seen: Vec::new(), count: 0, notes: Vec::new() }
    }

    fn run(mut self, first: String, second: String, number: usize, mut lines: Lines) -> Result<Transcript, Failure> {
        let second_number = lines.number;
        let mut found = self.look(&first, number)?;
        if found.is_none() {
            found = self.look(&second, second_number)?;
        }
        while found.is_none() {
            let Some(line) = lines.next()? else { break };
            found = self.look(&line, lines.number)?;
        }
        let Some(mut conversation) = found else { return Err(self.not_found()) };
        conversation.notes.extend(self.notes);
        Ok(Transcript { conversation, chosen: format!("{}: the conversation {:?}", self.name, self.id) })
    }

    fn look(&mut self, line: &str, number: usize) -> Result<Option<Conversation>, Failure> {
        let document = match Document::parse(without_mark(line)) {
            Ok(document) => document,
            Err(error) => {
                self.notes.push(Note::BadLine { name: self.name.to_owned(), line: number, error });
                return Ok(None);
            }
        };
        self.count += 1;
        let own = id_of(document.root());
        if own.as_deref() == Some(self.id) {
            return conversation(document.root(), &format!("{}, line {number}", self.name)).map(Some);
        }
        if self.seen.len() < NAMED {
            self.seen.extend(own);
        }
        Ok(None)
    }

    fn not_found(&self) -> Failure {
        let ids = self.seen.iter().map(|id| format!("{id:?}")).collect::<Vec<_>>().join(", ");
        let bad = match self.notes.len() {
            0 => String::new(),
            bad => format!("; {} passed over that {} no JSON", count(bad, "line"), if bad == 1 { "is" } else { "are" }),
        };
        Failure::new(Kind::NoInput, format!("{} holds no conversation of the id {:?}{bad}", self.name, self.id)).hint(match ids
            .as_str()
        {
            "" => format!("it holds {}, none with an id", count(self.count, "conversation")),
            ids => format!("it holds {}, beginning with {ids}", count(self.count, "conversation")),
        })
    }
}

/// The lines of an input that are not blank, of which no more than [`MAX_INPUT`] bytes are read.
struct Lines {
    reader: BufReader<std::io::Take<Box<dyn Read>>>,
    name: String,
    /// The number of the line given last, from one.
    number: usize,
}

impl Lines {
    fn new(input: Box<dyn Read>, name: String) -> Self {
        Self { reader: BufReader::new(input.take(MAX_INPUT + 1)), name, number: 0 }
    }

    fn next(&mut self) -> Result<Option<String>, InputError> {
        loop {
            let mut line = Vec::new();
            let read = self.reader.read_until(b'\n', &mut line);
            self.finish(read)?;
            if line.is_empty() {
                return Ok(None);
            }
            self.number += 1;
            if !line.trim_ascii().is_empty() {
                return text(&self.name, line).map_err(|error| self.placed(error)).map(Some);
            }
        }
    }

    /// Everything that was not read yet.
    fn rest(&mut self) -> Result<String, InputError> {
        let mut rest = Vec::new();
        let read = self.reader.read_to_end(&mut rest);
        self.finish(read)?;
        if rest.is_empty() { Ok(String::new()) } else { text(&self.name, rest).map_err(|error| self.placed(error)) }
    }

    /// How many lines are left that are not blank.
    fn count_rest(&mut self) -> Result<usize, InputError> {
        let mut count = 0;
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = self.reader.read_until(b'\n', &mut line);
            self.finish(read)?;
            if line.is_empty() {
                return Ok(count);
            }
            count += usize::from(!line.trim_ascii().is_empty());
        }
    }

    fn finish(&self, read: std::io::Result<usize>) -> Result<(), InputError> {
        read.map_err(|source| InputError::Unreadable { name: self.name.clone(), source })?;
        if self.reader.get_ref().limit() == 0 {
            return Err(InputError::TooLarge { name: self.name.clone(), most: MAX_INPUT });
        }
        Ok(())
    }

    /// A fault of a line, told with the line's own number.
    fn placed(&self, error: InputError) -> InputError {
        match error {
            InputError::NotUtf8 { name, line, offset } => {
                InputError::NotUtf8 { name, line: self.number.max(1) + line - 1, offset }
            }
            error => error,
        }
    }
}

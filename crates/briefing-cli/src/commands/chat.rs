//! `briefing chat`: messages by lines, answers as they come.

use std::process::ExitCode;

use briefing::message::{EntryId, ThreadId};
use briefing_agent::Stop as StopWish;
use briefing_store::{RunEnd, Spent};

use crate::agent::build::{Keys, Tools};
use crate::agent::cards;
use crate::agent::files::Files;
use crate::agent::person::{self, Lines};
use crate::agent::runtime;
use crate::agent::session::{Session, code, ended, interrupted, is_to_end, remark, spent};
use crate::agent::tell::{self, Reader, Teller, Waiting, is_one_page, preview_pages};
use crate::args::{ChatArgs, ChatThreadArgs};
use crate::error::{Failure, STOPPED, Stop};
use crate::output::{Output, count};
use crate::setup::Setup;

const HELP: &str = "\
/retry  answers the last message again, if it has no answer
/cards  tells what waits for you
/new    begins a new thread
/help   tells this
/quit   ends (so does Ctrl-D; Ctrl-C stops an answer)
A line that ends with a backslash goes on in the next; one that begins with // is said with one slash.";

pub(crate) fn run(args: ChatArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.json);
    let setup = Setup::load(args.config.config.as_deref())?;
    let runtime = runtime()?;
    let _in = runtime.enter();
    let ended = runtime.block_on(async {
        let session = Session::open(&setup, Keys::Wanted, Tools::Wanted).await?;
        Chat::begin(session, args, out)?.converse().await
    });
    // A read of standard input may still wait in a thread of its own.
    runtime.shutdown_background();
    ended.map(ExitCode::from)
}

/// What a line asks for.
enum Said {
    Message(String),
    Retry,
    Cards,
    New,
    Help,
    Quit,
    /// A word behind a slash that is none of these.
    Unknown(String),
}

/// What came of waiting for a line.
enum Line {
    Said(Said),
    End,
    /// Ctrl-C at the prompt.
    Broken,
}

/// What a message asks for. A path, such as `/etc/hosts`, is a message.
fn said(text: &str) -> Said {
    let is_command = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    match (text, text.strip_prefix('/')) {
        ("/retry", _) => Said::Retry,
        ("/cards", _) => Said::Cards,
        ("/new", _) => Said::New,
        ("/help", _) => Said::Help,
        ("/quit" | "/exit", _) => Said::Quit,
        (_, Some(rest)) if rest.starts_with('/') => Said::Message(rest.to_owned()),
        (_, Some(rest)) if rest.split(char::is_whitespace).next().is_some_and(is_command) && !rest.contains('\n') => {
            Said::Unknown(text.split_whitespace().next().unwrap_or_default().to_owned())
        }
        _ => Said::Message(text.to_owned()),
    }
}

struct Chat<'o> {
    session: Session,
    out: &'o mut Output,
    lines: Lines,
    thread: ThreadId,
    reader: Reader,
    /// Whether somebody sits there to be asked.
    person: bool,
    /// The exit code of the last run that failed.
    code: u8,
}

impl<'o> Chat<'o> {
    fn begin(session: Session, args: ChatArgs, out: &'o mut Output) -> Result<Self, Failure> {
        let thread = session.thread(&args.thread)?;
        let person = person::is_there() && !args.json;
        session.notes.iter().for_each(|note| out.note(note));
        if person {
            let name = session.agent.persona().name().to_owned();
            out.note(format_args!("{name} answers in thread {thread}; /help tells more"));
        }
        let reader = if args.json { Reader::Program } else { Reader::Person };
        Ok(Self { session, out, lines: Lines::begin(), thread, reader, person, code: 0 })
    }

    async fn converse(mut self) -> Result<u8, Stop> {
        loop {
            if is_to_end() {
                return Ok(STOPPED);
            }
            match self.line("> ").await? {
                Line::End => return Ok(if self.person { 0 } else { self.code }),
                Line::Broken => return Ok(if self.person { 0 } else { STOPPED }),
                Line::Said(Said::Quit) => return Ok(if self.person { 0 } else { self.code }),
                Line::Said(Said::Unknown(word)) => {
                    self.out.note(format_args!(
                        "{word} is no command; /help tells them, and // says a line that begins with a slash"
                    ));
                }
                Line::Said(Said::Help) => HELP.lines().for_each(|line| self.out.note(line)),
                Line::Said(Said::New) => {
                    let new = ChatThreadArgs { thread: None, resume: false, new: true, name: None };
                    self.thread = self.session.thread(&new)?;
                    self.out.note(format_args!("thread {} is new", self.thread));
                }
                Line::Said(Said::Cards) => self.all_cards().await?,
                // Whether it was answered the agent knows: it asks no model then, and says so.
                Line::Said(Said::Retry) => match self.session.log.newest_of_user(self.thread)? {
                    Some(asked) => self.answer(asked.id).await?,
                    None => self.out.note("nothing was said here yet"),
                },
                Line::Said(Said::Message(text)) => {
                    let entry = self.session.say(self.thread, &text, Files::default())?;
                    self.answer(entry).await?;
                }
            }
        }
    }

    /// Reads a message: one line, or several.
    async fn line(&mut self, prompt: &str) -> Result<Line, Stop> {
        let mut text = String::new();
        loop {
            if self.person {
                self.out.prompt(if text.is_empty() { prompt } else { "… " });
            }
            let Some(line) = self.raw_line().await? else { return Ok(Line::Broken) };
            match line {
                None if text.trim().is_empty() => return Ok(Line::End),
                None => break,
                Some(line) => match line.strip_suffix('\\') {
                    Some(begin) => text.push_str(&format!("{begin}\n")),
                    None => {
                        text.push_str(&line);
                        if !text.trim().is_empty() {
                            break;
                        }
                        text.clear();
                    }
                },
            }
        }
        Ok(Line::Said(said(text.trim())))
    }

    /// A line, or the end; none for Ctrl-C.
    async fn raw_line(&mut self) -> Result<Option<Option<String>>, Stop> {
        tokio::select! {
            line = self.lines.next() => {
                Ok(Some(line.map_err(|error| Failure::unreadable("standard input", &error))?))
            }
            () = interrupted() => {
                if self.person {
                    self.out.note("");
                }
                Ok(None)
            }
        }
    }

    /// Answers an entry, and asks for what it left.
    async fn answer(&mut self, entry: EntryId) -> Result<(), Stop> {
        let stop = StopWish::new();
        let mut teller = Teller::new(self.out, self.reader, stop.clone());
        let done = {
            let mut hear = |event| teller.hear(&event);
            self.session.wait_for(self.session.agent.answer(self.thread, entry, &stop, &mut hear), &stop).await
        };
        let waiting = teller.end()?;
        match done {
            Ok(done) => {
                if self.reader == Reader::Person && done.spent != Spent::default() {
                    self.out.aside(&self.out.err_paint().dim(&spent(&done)));
                }
                if let Some(remark) = remark(&done) {
                    self.out.note(remark);
                }
                if let Some(what) = ended(&done) {
                    let again = if done.how == RunEnd::Stopped { "" } else { "; /retry asks again" };
                    self.out.note(format_args!("{what}{again}"));
                    self.code = code(done.how);
                }
            }
            // The chat goes on: the message is in the log, and /retry answers it.
            Err(failure) => {
                self.code = failure.kind.code();
                tell::failure(&failure, self.reader, self.out)?;
            }
        }
        for card in waiting {
            if self.person {
                self.settle(&card).await?;
            }
        }
        Ok(())
    }

    /// Asks a person about a card. What was typed before the question is no answer to it, and nothing is done of which not all was
    /// shown.
    async fn settle(&mut self, waiting: &Waiting) -> Result<(), Stop> {
        let Some(card) = cards::of(&self.session.log, waiting.card)? else { return Ok(()) };
        self.drop_typed().await;
        if waiting.told.as_deref() != Some(&*card.preview) && !self.pages(&card.preview).await? {
            self.later(waiting);
            return Ok(());
        }
        let number = waiting.card.to_string();
        loop {
            self.out.prompt(&format!("{}: type {number} to do it, no to refuse it, Enter for later: ", waiting.action));
            let Some(Some(line)) = self.raw_line().await? else { return Ok(()) };
            // Somebody who answers waits for what comes of it; what is pasted does not.
            if self.drop_typed().await {
                continue;
            }
            let done = match line.trim().to_lowercase().as_str() {
                typed if typed == number => cards::confirm(&self.session, waiting.card, self.out).await,
                "n" | "no" => cards::cancel(&self.session, waiting.card).await,
                // A command can be given at the next prompt.
                line if matches!(line, "l" | "later" | "") || line.starts_with('/') => {
                    self.later(waiting);
                    return Ok(());
                }
                _ => continue,
            };
            match done {
                Ok(settled) => settled.lines().iter().for_each(|line| self.out.aside(line)),
                Err(failure) => tell::failure(&failure, self.reader, self.out)?,
            }
            return Ok(());
        }
    }

    fn later(&mut self, waiting: &Waiting) {
        self.out.note(format_args!("it waits: /cards, or `briefing cards confirm {}`", waiting.card));
    }

    /// Drops what was typed so far, and whether that was anything.
    async fn drop_typed(&mut self) -> bool {
        let dropped = self.lines.drop_typed().await;
        if dropped > 0 {
            self.out.note(format_args!("not taken as an answer: {} typed or pasted before", count(dropped, "line")));
        }
        dropped > 0
    }

    /// Shows a preview page by page. Whether all of it was shown.
    async fn pages(&mut self, preview: &str) -> Result<bool, Stop> {
        let pages = preview_pages(preview);
        let most = pages.len();
        for (at, page) in pages.iter().enumerate() {
            self.out
                .prompt(&format!("not all of it was shown: Enter shows page {} of {most}, l leaves it for later: ", at + 1));
            let Some(Some(line)) = self.raw_line().await? else { return Ok(false) };
            if self.drop_typed().await || !line.trim().is_empty() {
                return Ok(false);
            }
            page.iter().for_each(|line| self.out.aside(line));
        }
        Ok(true)
    }

    /// Tells all cards that wait, and asks for each.
    async fn all_cards(&mut self) -> Result<(), Stop> {
        let waiting = cards::waiting(&self.session.log)?;
        if waiting.is_empty() {
            self.out.note("nothing waits for you");
        }
        for card in waiting {
            for line in cards::lines(&card, self.out.err_paint()) {
                self.out.aside(&line);
            }
            let Some(body) = cards::body(&card) else { continue };
            if self.person && card.claimed.is_none() {
                // What is not shown of a long one `settle` shows.
                let told = is_one_page(&body.preview).then(|| body.preview.clone());
                self.settle(&Waiting { card: card.card.id, action: body.action.clone(), told }).await?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_begins_a_command_unless_it_begins_a_path() {
        let told = |text: &str| match said(text) {
            Said::Message(text) => text,
            Said::Unknown(word) => format!("unknown {word}"),
            Said::Retry | Said::Cards | Said::New | Said::Help | Said::Quit => "known".to_owned(),
        };
        assert_eq!(["/retry", "/cards", "/new", "/help", "/quit", "/exit"].map(told), ["known"; 6]);
        assert_eq!(told("/rety"), "unknown /rety");
        assert_eq!(told("/model gpt-5"), "unknown /model");
        for text in ["/etc/hosts is empty", "/", "/ x", "1/2", "/Help", "/retry\nplease"] {
            assert_eq!(told(text), text);
        }
        assert_eq!(told("//retry"), "/retry");
    }
}

//! Cards: what waits for a person, and what becomes of it.

use std::sync::Arc;

use briefing::log::{Body, Card, Settled};
use briefing::message::EntryId;
use briefing_store::{Store, WaitingCard};

use crate::agent::place::LogPlace;
use crate::agent::session::{Session, failure, unless_pressed_twice};
use crate::agent::tell::preview_lines;
use crate::error::{Failure, Kind};
use crate::output::time::to_minute;
use crate::output::{Output, Paint, shown};
use crate::shown::ask;

/// The most cards that are told.
const MOST: usize = 200;

/// What became of a card.
pub(crate) struct Done {
    pub(crate) card: EntryId,
    pub(crate) settled: Settled,
    pub(crate) notice: EntryId,
    /// What the tool said: for the person alone.
    pub(crate) said: String,
}

impl Done {
    /// As a person reads it.
    pub(crate) fn lines(&self) -> Vec<String> {
        let what = match self.settled {
            Settled::Done => "done",
            Settled::Cancelled => "cancelled",
            Settled::Expired => "not done: it had lapsed",
            Settled::DataChanged => "not done: what it touches has changed since it was proposed",
            Settled::Failed => "it failed",
            Settled::Lost => "it may have been done: the process died over it",
        };
        let mut lines = vec![format!("card {}: {what}", self.card)];
        lines.extend(preview_lines(&self.said));
        lines
    }
}

/// All cards that wait, the newest first.
pub(crate) fn waiting(log: &LogPlace) -> Result<Vec<WaitingCard>, Failure> {
    ask(log.store.waiting_cards(&log.owner, MOST))
}

/// The card of that entry, as it is in the log: its preview is whole there.
pub(crate) fn of(log: &LogPlace, card: EntryId) -> Result<Option<Arc<Card>>, Failure> {
    let found = ask(log.store.entry(&log.owner, card))?;
    Ok(found.and_then(|entry| if let Body::Card(card) = &entry.body { Some(Arc::clone(card)) } else { None }))
}

/// What a card proposes.
pub(crate) fn body(waiting: &WaitingCard) -> Option<&Card> {
    if let Body::Card(card) = &waiting.card.body { Some(card) } else { None }
}

/// A card as a person reads it.
pub(crate) fn lines(waiting: &WaitingCard, paint: Paint) -> Vec<String> {
    let Some(card) = body(waiting) else { return Vec::new() };
    let until = card.expires.map(|at| format!(", until {} UTC", to_minute(at))).unwrap_or_default();
    let claimed = if waiting.claimed.is_some() { ", being done, or left when a process died" } else { "" };
    let title = format!("card {}: {} (thread {}{until}{claimed})", waiting.card.id, card.action, waiting.thread);
    let mut lines = vec![paint.strong(&shown(&title))];
    lines.extend(preview_lines(&card.preview));
    lines
}

/// Does what a card proposes. The first Ctrl-C tells that it is under way, the second breaks it off.
///
/// # Errors
/// What was broken off may have been done, and its card stays claimed.
pub(crate) async fn confirm(session: &Session, card: EntryId, out: &mut Output) -> Result<Done, Failure> {
    let hear = || {
        out.complaint(&format!(
            "\ncard {card} is being done; Ctrl-C once more breaks it off, and it may have been done then\n"
        ));
    };
    let Some(confirmed) = unless_pressed_twice(session.agent.confirm(card), hear).await else { return Err(broken_off(card)) };
    let confirmed = confirmed.map_err(failure)?;
    Ok(Done { card, settled: confirmed.settled, notice: confirmed.notice, said: confirmed.said })
}

/// What is told of a card that a person did not wait for.
fn broken_off(card: EntryId) -> Failure {
    Failure::new(Kind::Busy, format!("card {card} was broken off while it was being done: it may have been done"))
        .hint("look at what it touches; the card stays claimed, and a run that begins half an hour later settles it as lost")
}

/// Refuses it.
pub(crate) async fn cancel(session: &Session, card: EntryId) -> Result<Done, Failure> {
    let notice = session.agent.cancel(card).await.map_err(failure)?;
    Ok(Done { card, settled: Settled::Cancelled, notice, said: String::new() })
}

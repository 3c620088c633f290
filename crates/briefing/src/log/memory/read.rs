//! The ports over the log in memory.

use std::sync::Arc;

use crate::log::{AttachmentId, Entry, Notice, OwnerLog, Place, RecordedRound};
use crate::message::{EntryId, ThreadId};
use crate::ports::{Back, FileText, Files, History, PortFuture};

fn ready<'a, T: Send + 'a>(value: T) -> PortFuture<'a, T> {
    Box::pin(std::future::ready(Ok(value)))
}

impl History for OwnerLog {
    fn back<'a>(&'a self, back: Back<'a>) -> PortFuture<'a, Vec<Arc<Entry>>> {
        let state = self.read();
        let thread = usize::try_from(back.thread.get()).ok().and_then(|index| state.threads.get(index));
        ready(thread.map(|thread| thread.shelves.back(&back)).unwrap_or_default())
    }

    fn open_cards(&self, thread: ThreadId, before: Option<Place>, count: usize) -> PortFuture<'_, Vec<Arc<Entry>>> {
        let state = self.read();
        let thread = usize::try_from(thread.get()).ok().and_then(|index| state.threads.get(index));
        let open = thread.into_iter().flat_map(|thread| thread.shelves.open.iter().rev());
        let open = open.filter(|(place, _)| before.is_none_or(|before| **place < before));
        ready(open.take(count).map(|(_, card)| Arc::clone(card)).collect())
    }

    fn notices<'a>(&'a self, cards: &'a [EntryId]) -> PortFuture<'a, Vec<Arc<Notice>>> {
        let state = self.read();
        ready(cards.iter().filter_map(|card| state.notices.get(card).cloned()).collect())
    }

    fn rounds<'a>(&'a self, persona: &'a str, entries: &'a [EntryId]) -> PortFuture<'a, Vec<RecordedRound>> {
        let state = self.read();
        let beside = entries.iter().filter_map(|entry| Some((state.runs_beside.get(entry)?, *entry)));
        let mut runs: Vec<_> = beside.flat_map(|(runs, entry)| runs.iter().map(move |run| (*run, entry))).collect();
        runs.sort_unstable();
        let runs = runs.into_iter().filter_map(|(run, entry)| state.runs.get(run).map(|run| (run, entry)));
        let own = runs.filter(|(run, _)| run.run.persona.eq_ignore_ascii_case(persona));
        let rounds = own.flat_map(|(run, entry)| {
            run.rounds.values().map(move |round| RecordedRound { beside: Some(entry), ..round.clone() })
        });
        ready(rounds.collect())
    }

    fn entry(&self, entry: EntryId) -> PortFuture<'_, Option<Arc<Entry>>> {
        let state = self.read();
        ready(state.entry(entry).cloned())
    }
}

impl Files for OwnerLog {
    fn file<'a>(&'a self, id: &'a AttachmentId) -> PortFuture<'a, Option<Arc<[u8]>>> {
        ready(self.read().files.get(id).cloned())
    }

    fn texts<'a>(&'a self, ids: &'a [AttachmentId]) -> PortFuture<'a, Vec<(AttachmentId, FileText)>> {
        let state = self.read();
        ready(ids.iter().filter_map(|id| Some((id.clone(), state.texts.get(id)?.clone()))).collect())
    }
}

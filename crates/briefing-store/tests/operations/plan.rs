//! Plans: what is to be done, in small numbers that shrink well.

use std::time::Duration;

use briefing::log::{Arrival, Body, Card, Cause, Kind, Kinds, Run, Settled};
use briefing::message::{Assistant, CallId, EntryId, Item, Outcome, OwnerId, RunId, Text, ThreadId, ToolCall};
use briefing::ports::{Back, FileText};
use briefing_store::{
    AnchorKey, Append, By, Content, Expected, Forget, ImportedRound, KeptRequest, KeptText, Key, Lease, Logged, Role, RunEnd,
    Scheduled, Spent, Store, Target, Writer,
};
use jiff::Timestamp;
use pollster::block_on;
use proptest::prelude::*;

use super::content::{PlannedMail, PlannedMessage, mails, messages, new_mail, new_message, reset};
use super::{FILES, MODELS, NAMES, OWNERS, Operation, PERSONAS, What, file_id};

pub(super) const WORDS: [&str; 6] = ["order", "Müller", "blue", "lamp", "red,", "and"];
pub(super) const PEOPLE: [&str; 5] = ["ann@x", "Ann@X", "bob@x", "carl@x", ""];
const LANGUAGES: [&str; 3] = ["de", "en", ""];
const CALLS: [&str; 3] = ["call_0", "c", ""];

/// One planned operation.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    owner: bool,
    step: Step,
}

#[derive(Debug, Clone)]
enum Step {
    OpenThread,
    NamedThread(u8),
    Append(Vec<Planned>),
    Begin(Begun),
    Wrote(u8, u8),
    Round(u8, u32, Vec<u8>, Time),
    Outcome(u8, u8, u8, Time),
    Import(Begun, Vec<(Vec<u8>, Vec<bool>)>, Time),
    Settle(u8, u8, Option<u8>, Time),
    SettleLapsed(u8, Time),
    SettleLost(Time, Time),
    Pop(u8, Time),
    Fork(u8, u8),
    KeepText(u8, u32, Option<u8>),
    Merge(u8, u8),
    Split(u8),
    Anchor(u8, u8, u8, u8),
    Lease(u8, Time, u8),
    Renew(u8, Time, u8),
    Release(u8),
    End(u8, u8, Time),
    Stop(u8, Time),
    Schedule(Begun, Time),
    Unschedule(u8, Time),
    Spend(u8, u64),
    Begins(u8, u8, Time),
    Keep(u8, u8, Time),
    Claim(u8, Time),
    Forget(Forgetting),
}

/// A run, its thread, what it answers if it is not scheduled, its persona.
type Begun = (u8, u8, Option<u8>, u8);

#[derive(Debug, Clone)]
enum Forgetting {
    Owner,
    Correspondent(u8, bool),
    Thread(u8),
    Before(Time),
    Requests(Time),
}

/// An append.
#[derive(Debug, Clone)]
struct Planned {
    what: Planning,
    thread: Option<u8>,
    imported: bool,
    at: Time,
    key: Option<u8>,
    head: Head,
    by: Option<u8>,
}

#[derive(Debug, Clone)]
enum Planning {
    Mail(PlannedMail),
    Message(PlannedMessage),
    Edit(u8, PlannedMessage),
    Reset(u8),
    Card(Option<u8>, Option<Time>),
}

#[derive(Debug, Clone)]
enum Head {
    Any,
    Right,
    Wrong(u8),
}

/// A time in seconds and nanoseconds.
pub(super) type Time = (u8, u16);

pub(super) fn time((second, nanos): Time) -> Timestamp {
    Timestamp::new(i64::from(second), i32::from(nanos)).unwrap()
}

pub(super) fn times() -> impl Strategy<Value = Time> {
    (0_u8..30, prop_oneof![Just(0_u16), 0_u16..3_000])
}

/// The times of a clock that is wrong at times, and then by more than any lease lasts.
fn clocks() -> impl Strategy<Value = Time> {
    prop_oneof![5 => times(), 1 => (80_u8..110, Just(0_u16))]
}

fn appends() -> impl Strategy<Value = Planned> {
    let what = prop_oneof![
        5 => mails().prop_map(Planning::Mail),
        4 => messages().prop_map(Planning::Message),
        2 => (any::<u8>(), messages()).prop_map(|(of, message)| Planning::Edit(of, message)),
        1 => any::<u8>().prop_map(Planning::Reset),
        2 => (prop::option::of(any::<u8>()), prop::option::of(times())).prop_map(|(run, lapses)| Planning::Card(run, lapses)),
    ];
    let head = prop_oneof![6 => Just(Head::Any), 2 => Just(Head::Right), 1 => any::<u8>().prop_map(Head::Wrong)];
    let (key, by) = (prop::option::weighted(0.2, any::<u8>()), prop::option::weighted(0.15, any::<u8>()));
    (what, prop::option::weighted(0.4, any::<u8>()), any::<bool>(), times(), key, head, by)
        .prop_map(|(what, thread, imported, at, key, head, by)| Planned { what, thread, imported, at, key, head, by })
}

/// Plans, at most so many.
pub(crate) fn plans(most: usize) -> impl Strategy<Value = Vec<Plan>> {
    let n = any::<u8>;
    let forgetting = prop_oneof![
        1 => Just(Forgetting::Owner),
        4 => (n(), any::<bool>()).prop_map(|(who, whole)| Forgetting::Correspondent(who, whole)),
        3 => n().prop_map(Forgetting::Thread),
        3 => times().prop_map(Forgetting::Before),
        1 => times().prop_map(Forgetting::Requests),
    ];
    let begun = || (n(), n(), prop::option::weighted(0.7, n()), n());
    let step = prop_oneof![
        1 => Just(Step::OpenThread),
        1 => n().prop_map(Step::NamedThread),
        12 => prop::collection::vec(appends(), 1..4).prop_map(Step::Append),
        4 => begun().prop_map(Step::Begin),
        1 => (begun(), prop::collection::vec((prop::collection::vec(n(), 0..3), prop::collection::vec(any::<bool>(), 0..3)), 0..3), times())
            .prop_map(|(run, rounds, at)| Step::Import(run, rounds, at)),
        2 => (n(), n()).prop_map(|(run, entry)| Step::Wrote(run, entry)),
        6 => (n(), 0_u32..3, prop::collection::vec(n(), 0..4), times()).prop_map(|(run, index, calls, at)| Step::Round(run, index, calls, at)),
        5 => (n(), n(), n(), times()).prop_map(|(run, call, words, at)| Step::Outcome(run, call, words, at)),
        2 => (n(), n(), prop::option::of(n()), times()).prop_map(|(card, how, language, at)| Step::Settle(card, how, language, at)),
        1 => (n(), times()).prop_map(|(thread, at)| Step::SettleLapsed(thread, at)),
        1 => (times(), times()).prop_map(|(before, now)| Step::SettleLost(before, now)),
        3 => (n(), times()).prop_map(|(thread, at)| Step::Pop(thread, at)),
        3 => (n(), n()).prop_map(|(thread, entry)| Step::Fork(thread, entry)),
        2 => (n(), 0_u32..3, prop::option::of(n())).prop_map(|(file, version, text)| Step::KeepText(file, version, text)),
        2 => (n(), n()).prop_map(|(from, into)| Step::Merge(from, into)),
        2 => n().prop_map(Step::Split),
        3 => (n(), n(), n(), n()).prop_map(|(run, thread, entry, key)| Step::Anchor(run, thread, entry, key)),
        5 => (n(), clocks(), 0_u8..10).prop_map(|(run, at, lasts)| Step::Lease(run, at, lasts)),
        2 => (n(), clocks(), 0_u8..10).prop_map(|(lease, at, lasts)| Step::Renew(lease, at, lasts)),
        1 => n().prop_map(Step::Release),
        3 => (n(), n(), clocks()).prop_map(|(run, how, at)| Step::End(run, how, at)),
        1 => (n(), times()).prop_map(|(run, at)| Step::Stop(run, at)),
        4 => (begun(), times()).prop_map(|(run, at)| Step::Schedule(run, at)),
        1 => (n(), times()).prop_map(|(run, at)| Step::Unschedule(run, at)),
        2 => (n(), prop_oneof![0_u64..9, Just(u64::MAX)]).prop_map(|(run, tokens)| Step::Spend(run, tokens)),
        3 => (n(), n(), times()).prop_map(|(run, key, at)| Step::Begins(run, key, at)),
        4 => (n(), n(), times()).prop_map(|(run, body, at)| Step::Keep(run, body, at)),
        2 => (n(), times()).prop_map(|(card, at)| Step::Claim(card, at)),
        2 => forgetting.prop_map(Step::Forget),
    ];
    let plan = (prop::bool::weighted(0.3), step).prop_map(|(owner, step)| Plan { owner, step });
    prop::collection::vec(plan, 1..=most)
}

pub(super) fn pick<T: Copy>(list: &[T], n: u8) -> T {
    list[usize::from(n) % list.len()]
}

pub(super) fn text(words: &[u8]) -> String {
    words.iter().map(|word| pick(&WORDS, *word)).collect::<Vec<_>>().join(" ")
}

impl Plan {
    /// The operation that it comes to, by what is in that store now, and the leases that were given.
    pub(crate) fn over(&self, store: &dyn Store, leases: &[(OwnerId, Lease)]) -> Operation {
        let owner = OwnerId::new(OWNERS[usize::from(self.owner)]);
        let log = block_on(store.log(&owner, EntryId::new(0), 10_000)).unwrap();
        let mut threads = 0;
        while block_on(store.thread(&owner, ThreadId::new(threads))).unwrap().is_some() {
            threads += 1;
        }
        let what = Over { store, owner: &owner, log: &log, threads, leases }.what(&self.step);
        Operation { owner, what }
    }
}

/// All of a thread.
pub(crate) fn whole(thread: ThreadId) -> Back<'static> {
    Back { thread, before: None, after: None, kinds: Kinds::ALL, agent: None, count: 1_000 }
}

/// What there is.
struct Over<'a> {
    store: &'a dyn Store,
    owner: &'a OwnerId,
    log: &'a [Logged],
    threads: u64,
    leases: &'a [(OwnerId, Lease)],
}

impl Over<'_> {
    /// A thread, often the newest, which may be a fork; or seldom one that is not there.
    fn thread(&self, n: u8) -> ThreadId {
        let newest = self.threads.saturating_sub(1);
        ThreadId::new(match n {
            255 => self.threads,
            160..255 => newest,
            _ => u64::from(n) % self.threads.max(1),
        })
    }

    /// An entry, or seldom one that is not there.
    fn entry(&self, n: u8) -> EntryId {
        let entries = self.log.len() as u64;
        EntryId::new(if n == 255 { entries } else { u64::from(n) % entries.max(1) })
    }

    /// An entry of some kind if there is one, else any.
    fn entry_where(&self, n: u8, wanted: impl Fn(&Body) -> bool) -> EntryId {
        let wanted: Vec<EntryId> = self.log.iter().map(|it| &it.entry).filter(|it| wanted(&it.body)).map(|it| it.id).collect();
        if n.is_multiple_of(4) || wanted.is_empty() { self.entry(n) } else { pick(&wanted, n) }
    }

    fn run(n: u8) -> RunId {
        RunId::new(format!("run{}", n % 5))
    }

    /// A lease that was given before.
    fn lease(&self, n: u8) -> Option<Lease> {
        let own: Vec<&Lease> = self.leases.iter().filter(|(owner, _)| owner == self.owner).map(|(_, lease)| lease).collect();
        (!own.is_empty()).then(|| pick(&own, n).clone())
    }

    /// A run, mostly with the fence of its last lease; seldom with that of its first one, or without.
    fn writer(&self, run: RunId, n: u8) -> Writer {
        let own: Vec<&Lease> = self
            .leases
            .iter()
            .filter(|(owner, lease)| owner == self.owner && *lease.run() == run)
            .map(|(_, lease)| lease)
            .collect();
        let lease = match n % 8 {
            0 => None,
            1 => own.first(),
            _ => own.last(),
        };
        Writer { run, fence: lease.map(|lease| lease.fence()) }
    }

    fn what(&self, step: &Step) -> What {
        match step {
            Step::OpenThread => What::OpenThread,
            Step::NamedThread(name) => What::NamedThread(pick(&NAMES, *name)),
            Step::Append(batch) => What::Append(batch.iter().map(|planned| self.append(planned)).collect()),
            Step::Begin(run) => What::BeginRun(self.begun(*run)),
            Step::Import(run, rounds, at) => {
                let rounds = (0..).zip(rounds).map(|(index, (calls, known))| ImportedRound {
                    index,
                    said: said(calls),
                    outcomes: known.iter().map(|known| known.then(|| Outcome::text("any", "found"))).collect(),
                });
                What::ImportRun(self.begun(*run), rounds.collect(), time(*at))
            }
            Step::Wrote(run, entry) => What::Wrote(self.writer(self.scheduled(*run), run / 5), self.entry(*entry)),
            Step::Round(run, index, calls, at) => {
                What::AppendRound(self.writer(Self::run(*run), run / 5), *index, said(calls), time(*at))
            }
            Step::Outcome(run, call, words, at) => {
                let writer = run / 5;
                let (run, call) = self.call(*run, *call);
                let failed = words.is_multiple_of(3).then_some(words.is_multiple_of(2));
                What::AppendOutcome(
                    self.writer(run, writer),
                    Outcome { failed, ..Outcome::text(call, pick(&WORDS, *words)) },
                    time(*at),
                )
            }
            Step::Settle(card, how, language, at) => {
                let card = self.entry_where(*card, |body| matches!(body, Body::Card(_)));
                What::Settle(card, pick(&Settled::ALL, *how), language.map(|n| pick(&LANGUAGES, n)), time(*at))
            }
            Step::SettleLost(before, now) => What::SettleLost(time(*before), time(*now)),
            Step::SettleLapsed(thread, at) => What::SettleLapsed(self.thread(*thread), time(*at)),
            Step::Pop(thread, at) => What::Pop(self.thread(*thread), time(*at)),
            Step::Fork(thread, entry) => {
                // Mostly an entry of that thread, or of what that was forked off.
                let thread = self.thread(*thread);
                let read = block_on(self.store.read_back(self.owner, whole(thread))).unwrap();
                let entry = if entry.is_multiple_of(8) || read.is_empty() {
                    self.entry(*entry)
                } else {
                    read[usize::from(*entry) % read.len()].id
                };
                What::Fork(thread, entry)
            }
            Step::KeepText(file, version, text) => {
                let text = text.map(|n| FileText { text: pick(&WORDS, n).into(), partial: n.is_multiple_of(2) });
                What::KeepText(file_id(pick(&FILES, *file)), KeptText { version: *version, text })
            }
            Step::Merge(from, into) => What::Merge(self.thread(*from), self.thread(*into)),
            Step::Split(entry) => {
                let begins = [Kind::Mail, Kind::Message, Kind::ToolUse, Kind::Reset, Kind::Popped, Kind::Card];
                What::Split(self.entry_where(*entry, |body| begins.contains(&Kind::of(body))))
            }
            Step::Anchor(run, thread, entry, key) => {
                let entry = self.entry(*entry);
                let own = block_on(self.store.thread_of(self.owner, entry)).unwrap();
                let thread = own.filter(|_| !thread.is_multiple_of(4)).unwrap_or_else(|| self.thread(*thread));
                let (persona, model) = (pick(&PERSONAS, *key).to_owned(), pick(&MODELS, key / 3).to_owned());
                What::MoveAnchor(
                    self.writer(Self::run(*run), run / 5),
                    AnchorKey { thread, persona, view: String::new(), model },
                    entry,
                )
            }
            Step::Lease(run, at, lasts) => What::Lease(Self::run(*run), time(*at), Duration::from_secs(u64::from(*lasts))),
            Step::Renew(lease, at, lasts) => match self.lease(*lease) {
                None => What::StopRun(Self::run(*lease), time(*at)),
                Some(lease) => What::Renew(lease, time(*at), Duration::from_secs(u64::from(*lasts))),
            },
            Step::Release(lease) => match self.lease(*lease) {
                None => What::StopRun(Self::run(*lease), time((0, 0))),
                Some(lease) => What::Release(lease),
            },
            Step::End(run, how, at) => {
                let detail = how.is_multiple_of(2).then(|| pick(&WORDS, *how));
                What::EndRun(self.writer(Self::run(*run), run / 5), pick(&RunEnd::ALL, *how), detail, time(*at))
            }
            Step::Stop(run, at) => What::StopRun(Self::run(*run), time(*at)),
            Step::Schedule((run, thread, _, persona), at) => What::Schedule(Scheduled {
                run: Self::run(*run),
                thread: self.thread(*thread),
                persona: pick(&PERSONAS, *persona).into(),
                responsibility: "digest".to_owned(),
                at: time(*at),
            }),
            Step::Unschedule(run, at) => What::Unschedule(Self::run(*run), time(*at)),
            Step::Spend(run, tokens) => {
                let spent = Spent { requests: 1, input: *tokens, reasoning: tokens / 2, ..Spent::default() };
                What::Spend(self.writer(Self::run(*run), run / 5), spent)
            }
            Step::Begins(run, key, at) => What::BeginStep(self.writer(Self::run(*run), run / 5), pick(&WORDS, *key), time(*at)),
            Step::Keep(run, body, at) => {
                let request = KeptRequest {
                    wire: "anthropic".to_owned(),
                    model: pick(&MODELS, *body).to_owned(),
                    round: u32::from(body % 3),
                    body: pick(&FILES, *body).to_vec(),
                    receipt: "{}".to_owned(),
                    inputs: pick(&WORDS, *body).to_owned(),
                };
                What::KeepRequest(self.writer(Self::run(*run), run / 5), request, time(*at))
            }
            Step::Claim(card, at) => What::Claim(self.entry_where(*card, |body| matches!(body, Body::Card(_))), time(*at)),
            Step::Forget(what) => {
                let what = match what {
                    Forgetting::Owner => Forget::Owner,
                    Forgetting::Correspondent(who, whole_threads) => {
                        Forget::Correspondent { address: pick(&PEOPLE, *who).to_owned(), whole_threads: *whole_threads }
                    }
                    Forgetting::Thread(thread) => Forget::Thread(self.thread(*thread)),
                    Forgetting::Before(at) => Forget::Before(time(*at)),
                    Forgetting::Requests(at) => Forget::Requests(time(*at)),
                };
                What::Forget(what, Timestamp::new(99, 999).unwrap())
            }
        }
    }

    fn begun(&self, (run, thread, cause, persona): Begun) -> Run {
        let cause = match cause {
            Some(entry) if persona.is_multiple_of(3) => {
                Cause::Message(self.entry_where(entry, |body| matches!(body, Body::Notice(_))))
            }
            Some(entry) => Cause::Message(self.entry(entry)),
            None => Cause::Responsibility("digest".to_owned()),
        };
        // Mostly in the thread of what it answers.
        let thread = match &cause {
            Cause::Message(entry) if !thread.is_multiple_of(2) => {
                block_on(self.store.thread_of(self.owner, *entry)).unwrap().unwrap_or_else(|| self.thread(thread))
            }
            Cause::Message(_) | Cause::Responsibility(_) => self.thread(thread),
        };
        Run { id: Self::run(run), thread, cause, persona: pick(&PERSONAS, persona).into() }
    }

    /// A scheduled run that has written a round, else any run: only of scheduled work it is told what it wrote.
    fn scheduled(&self, n: u8) -> RunId {
        let runs = self.log.iter().filter_map(|logged| logged.run.as_ref()).map(|(run, _)| run);
        let scheduled = runs.filter(|run| matches!(run.cause, Cause::Responsibility(_)));
        let ids: Vec<&RunId> = scheduled.map(|run| &run.id).collect();
        if ids.is_empty() { RunId::new("nobody's") } else { pick(&ids, n).clone() }
    }

    /// A call that a run made, or seldom one that it did not.
    fn call(&self, run: u8, call: u8) -> (RunId, CallId) {
        let mut calls = Vec::new();
        for logged in self.log {
            if let (Body::Round(said), Some((run, _))) = (&logged.entry.body, &logged.run) {
                calls.extend(said.calls().map(|call| (&run.id, &call.id)));
            }
        }
        if call.is_multiple_of(8) || calls.is_empty() {
            return (Self::run(run), CallId::new(pick(&CALLS, call)));
        }
        let (run, call) = pick(&calls, call);
        (run.clone(), call.clone())
    }

    fn append(&self, planned: &Planned) -> Append {
        let at = time(planned.at);
        let arrival = if planned.imported { Arrival::Imported(at) } else { Arrival::Live(at) };
        let thread = planned.thread.map_or(Target::Referred, |thread| Target::Thread(self.thread(thread)));
        let append = match &planned.what {
            Planning::Mail(mail) => Append { thread, ..Append::mail(new_mail(mail), arrival) },
            Planning::Message(message) => Append::new(Content::Message(Box::new(new_message(message))), thread, arrival),
            Planning::Edit(of, message) => {
                let of = self.entry_where(*of, |body| matches!(body, Body::Message(_)));
                Append { thread, ..Append::edit(of, new_message(message).message, arrival) }
            }
            Planning::Reset(n) => Append::new(Content::Reset(Box::new(reset(*n))), thread, arrival),
            Planning::Card(run, lapses) => {
                let card = Card {
                    run: run.map(Self::run),
                    call: ToolCall::new("c", "cancel", "{}"),
                    action: "Cancel".to_owned(),
                    language: "en".to_owned(),
                    preview: "order 7".to_owned(),
                    fingerprint: String::new(),
                    expires: lapses.map(time),
                };
                Append::new(Content::Card(Box::new(card)), thread, arrival)
            }
        };
        // Of two keys the one that is given counts.
        let key = planned.key.map(|key| Key::new(&format!("key {}", key % 4))).or(append.key);
        let by = planned.by.map(|by| {
            let run = if by.is_multiple_of(2) { self.scheduled(by) } else { Self::run(by) };
            let role = if by.is_multiple_of(3) { Role::Answer } else { Role::Note };
            By { writer: self.writer(run, by / 5), role }
        });
        let target = match &append.content {
            Content::Edit(edit) => block_on(self.store.thread_of(self.owner, edit.of)).unwrap().map_or(thread, Target::Thread),
            _ => thread,
        };
        Append { key, by, expected: self.expected(&planned.head, target), ..append }
    }

    fn expected(&self, head: &Head, thread: Target) -> Expected {
        let Target::Thread(thread) = thread else { return Expected::Any };
        match head {
            Head::Any => Expected::Any,
            Head::Right => {
                Expected::Head(block_on(self.store.thread(self.owner, thread)).unwrap().and_then(|thread| thread.head))
            }
            Head::Wrong(n) => Expected::Head((!n.is_multiple_of(5)).then(|| self.entry(*n))),
        }
    }
}

fn said(calls: &[u8]) -> Assistant {
    let calls = calls.iter().map(|call| Item::Call(ToolCall::new(pick(&CALLS, *call), "find", "{\"a\": 1}")));
    let items = std::iter::once(Item::Text(Text::new("looking"))).chain(calls).collect();
    Assistant { items, ..Assistant::default() }
}

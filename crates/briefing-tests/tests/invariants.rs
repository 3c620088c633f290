//! The invariants of the design, each as a property of generated lists and logs. What needs a wire is in `valid.rs`.
//!
//! `PROPTEST_CASES` sets how many are generated for each; `scripts/test` runs 10,000.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use briefing::log::{Entry, Notice, OwnerLog, Place, RecordedRound};
use briefing::message::{EntryId, ModelMessage, OwnerId, ThreadId};
use briefing::persona::Role;
use briefing::ports::{Back, History, PortFuture};
use briefing::{
    Bound, Bounds, Briefing, Call, Chain, Class, Context, Contribution, Edge, Estimator, FitError, Inbound, Origin, Persona,
    Piece, ResolveError, Resolver, Rule, Stride, Subject, ThreadHistory, Unit, UnitKind, Unvisited, fit,
};
use briefing_tests::list::{calls, messages, steps};
use briefing_tests::log::{Built, PERSONA, build, events};
use jiff::Timestamp;
use proptest::prelude::*;

/// Bounds of every kind, alone and together, often too small.
fn bounds() -> impl Strategy<Value = Bounds> {
    let most = |most: std::ops::Range<u64>| prop::option::weighted(0.4, most);
    (most(1..30), most(1..3_000), most(10..2_000), most(0..3), most(0..200), most(300..20_000), any::<bool>(), any::<bool>())
        .prop_map(|(messages, chars, tokens, images, image_bytes, bytes, turn, stride)| {
            let mut bounds = Bounds::none().edge(if turn { Edge::Turn } else { Edge::Round });
            bounds = messages.map_or(bounds.clone(), |most| bounds.messages(most));
            bounds = chars.map_or(bounds.clone(), |most| bounds.chars(most));
            bounds = tokens.map_or(bounds.clone(), |most| bounds.tokens_by(most, Estimator::characters()));
            bounds = images.map_or(bounds.clone(), |most| bounds.images(most));
            bounds = image_bytes.map_or(bounds.clone(), |most| bounds.image_bytes(most));
            bounds = bytes.map_or(bounds.clone(), |most| bounds.bytes(most));
            if stride { bounds.stride(Stride::default(), None) } else { bounds }
        })
}

fn list(briefing: &Briefing) -> Vec<ModelMessage> {
    briefing.messages().collect()
}

/// The entries that the receipt tells of, kept or not.
fn told(briefing: &Briefing) -> BTreeSet<u64> {
    let receipt = briefing.receipt();
    let origins = receipt.kept().iter().map(|kept| &kept.from).chain(receipt.lines().iter().map(|line| &line.from));
    origins.flat_map(Origin::entries).map(|entry| entry.get()).collect()
}

fn within(briefing: &Briefing) -> Result<(), TestCaseError> {
    let receipt = briefing.receipt();
    for (bound, used, most) in receipt.totals() {
        prop_assert!(most.is_none_or(|most| used <= most), "{bound}: {used} of {most:?}");
    }
    let leading = briefing.units().iter().take_while(|placed| placed.unit().kind() == UnitKind::System).count();
    let counted = (briefing.messages().count() - leading) as u64;
    prop_assert!(counted <= receipt.most().messages, "{counted} messages of {}", receipt.most().messages);
    Ok(())
}

proptest! {
    /// Invariant 2: every entry considered is in the output or in the receipt.
    #[test]
    fn i02_nothing_is_lost_unseen(steps in steps(30), call in calls(), bounds in bounds()) {
        let messages = messages(&steps);
        let Ok(briefing) = fit(&messages, &call, &bounds) else { return Ok(()) };
        let leading = messages.iter().take_while(|message| matches!(message, ModelMessage::System(_))).count() as u64;
        let unseen = match briefing.receipt().unvisited() {
            Unvisited::Nothing => 0,
            Unvisited::Older { entries, .. } => entries,
            Unvisited::OlderUncounted { .. } => return Err(TestCaseError::fail("a list is counted")),
        };
        let told = told(&briefing);
        let missing: Vec<u64> = (leading..messages.len() as u64).filter(|at| !told.contains(at)).collect();
        prop_assert_eq!(missing.len() as u64, unseen, "{:?} of {} are nowhere", missing, messages.len());
    }

    /// Invariant 3: a round is kept or dropped whole, and has one outcome per call, in call order.
    #[test]
    fn i03_a_round_is_one_unit(steps in steps(30), call in calls(), bounds in bounds()) {
        let messages = messages(&steps);
        let whole = fit(&messages, &call, &Bounds::none()).unwrap();
        let Ok(briefing) = fit(&messages, &call, &bounds) else { return Ok(()) };
        let spoken = |briefing: &Briefing| -> Vec<Vec<String>> {
            briefing.units().iter().filter_map(|placed| match placed.unit() {
                Unit::Round(round) => Some(round.said().iter().flat_map(|said| said.calls()).map(|call| call.id.given().to_owned()).collect()),
                Unit::System(_) | Unit::User(_) => None,
            }).collect()
        };
        let all = spoken(&whole);
        for round in spoken(&briefing) {
            prop_assert!(all.contains(&round), "{round:?} is no round of the whole list");
        }
        for placed in briefing.units() {
            if let Unit::Round(round) = placed.unit() {
                let calls: Vec<_> = round.said().iter().flat_map(|said| said.calls()).map(|call| call.id.clone()).collect();
                let outcomes: Vec<_> = round.outcomes().iter().map(|outcome| outcome.call.clone()).collect();
                prop_assert_eq!(calls, outcomes);
            }
        }
    }

    /// Invariant 4: all bounds hold together, or a typed error names what never yields.
    #[test]
    fn i04_all_bounds_hold_together(steps in steps(30), call in calls(), bounds in bounds()) {
        match fit(&messages(&steps), &call, &bounds) {
            Ok(briefing) => within(&briefing)?,
            Err(FitError::TooLarge { limit, shares, .. }) => {
                prop_assert!(shares.iter().map(|share| share.size).sum::<u64>() > limit);
            }
        }
    }

    /// Invariant 4: the current message and the leading system text are there whatever the bounds.
    #[test]
    fn i04_what_never_yields_is_there(steps in steps(30), call in calls(), bounds in bounds()) {
        let messages = messages(&steps);
        let whole = fit(&messages, &call, &Bounds::none()).unwrap();
        let Ok(briefing) = fit(&messages, &call, &bounds) else { return Ok(()) };
        let fixed = |briefing: &Briefing| -> Vec<Origin> {
            let kept = briefing.receipt().kept().iter();
            kept.filter(|kept| matches!(kept.class, Class::Fixed | Class::Current)).map(|kept| kept.from.clone()).collect()
        };
        prop_assert_eq!(fixed(&whole), fixed(&briefing));
    }

    /// Invariant 5: same list, same options, same result.
    #[test]
    fn i05_deterministic(steps in steps(30), call in calls(), bounds in bounds()) {
        let one = fit(&messages(&steps), &call, &bounds);
        let two = fit(&messages(&steps), &call, &bounds);
        match (one, two) {
            (Ok(one), Ok(two)) => {
                prop_assert_eq!(list(&one), list(&two));
                prop_assert_eq!(one.receipt(), two.receipt());
            }
            (one, two) => prop_assert_eq!(one.err(), two.err()),
        }
    }

    /// Invariant 6: sealing a sealed list changes nothing, and finds nothing.
    #[test]
    fn i06_idempotent(steps in steps(30), call in calls(), bounds in bounds()) {
        let Ok(once) = fit(&messages(&steps), &call, &bounds) else { return Ok(()) };
        let again = fit(&list(&once), &call, &Bounds::none()).unwrap();
        prop_assert_eq!(list(&once), list(&again));
        prop_assert!(again.receipt().lines().is_empty(), "{}", again.receipt());
    }

    /// Invariant 8: what lies before the window changes nothing of it.
    #[test]
    fn i08_older_content_is_not_read(older in steps(10), other in steps(10), steps in steps(12), call in calls()) {
        let first = [ModelMessage::system("instructions"), ModelMessage::user("start")];
        // An input between them, so that no round reaches over.
        let middle = [ModelMessage::user("middle")];
        let of = |older: &[_]| -> Vec<ModelMessage> {
            first.iter().cloned().chain(messages(older)).chain(middle.clone()).chain(messages(&steps)).collect()
        };
        let bounds = Bounds::none().messages(6);
        let (Ok(one), Ok(two)) = (fit(&of(&older), &call, &bounds), fit(&of(&other), &call, &bounds)) else { return Ok(()) };
        let whole = |briefing: &Briefing, older: usize| {
            let mut kept = briefing.receipt().kept().iter().filter(|kept| kept.class != Class::Fixed);
            kept.all(|kept| kept.from.entries().iter().all(|entry| entry.get() >= 2 + older as u64))
        };
        // Where the window reaches into what was exchanged, it may differ.
        if whole(&one, older.len()) && whole(&two, other.len()) {
            prop_assert_eq!(list(&one), list(&two));
        }
    }

    /// Invariant 7: a window with strides only grows until it steps, and the anchor moves only forward.
    #[test]
    fn i07_a_stride_grows_until_it_steps(steps in steps(40), most in 6_u64..20) {
        let call = briefing_tests::list::call("gpt-5", false);
        let messages = messages(&steps);
        let mut anchor = None;
        let mut before: Option<Vec<ModelMessage>> = None;
        for end in 1..=messages.len() {
            let bounds = Bounds::none().messages(most).stride(Stride::default(), anchor);
            let Ok(briefing) = fit(&messages[..end], &call, &bounds) else { continue };
            let receipt = briefing.receipt();
            prop_assert!(receipt.anchor() >= anchor, "{anchor:?} moved back to {:?}", receipt.anchor());
            // A call that had no outcome yet may get one later: a late outcome. So may one before the window, whose round then
            // takes in what stands behind it.
            let open = receipt.lines().iter().any(|line| matches!(line.rule, Rule::OutcomeMissing { .. }));
            let joined = briefing.units().iter().any(|placed| matches!(placed.unit(), Unit::Round(round) if round.said().len() > 1));
            if let Some(before) = before.take()
                && receipt.anchor() == anchor
                && receipt.changes().is_empty()
                && !joined
            {
                prop_assert_eq!(&list(&briefing)[..before.len()], &before[..]);
            }
            anchor = receipt.anchor();
            before = (!open && receipt.changes().is_empty()).then(|| list(&briefing));
        }
    }
}

/// A log that counts what is read of it.
struct Counting {
    log: OwnerLog,
    mails: AtomicUsize,
    reads: AtomicUsize,
}

impl History for Counting {
    fn back<'a>(&'a self, back: Back<'a>) -> PortFuture<'a, Vec<Arc<Entry>>> {
        let page = self.log.back(back);
        Box::pin(async move {
            let page = page.await?;
            self.mails.fetch_add(page.len(), Ordering::Relaxed);
            self.reads.fetch_add(1, Ordering::Relaxed);
            Ok(page)
        })
    }

    fn open_cards(&self, thread: ThreadId, before: Option<Place>, count: usize) -> PortFuture<'_, Vec<Arc<Entry>>> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.log.open_cards(thread, before, count)
    }

    fn notices<'a>(&'a self, cards: &'a [EntryId]) -> PortFuture<'a, Vec<Arc<Notice>>> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.log.notices(cards)
    }

    fn rounds<'a>(&'a self, persona: &'a str, triggers: &'a [EntryId]) -> PortFuture<'a, Vec<RecordedRound>> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.log.rounds(persona, triggers)
    }

    fn entry(&self, entry: EntryId) -> PortFuture<'_, Option<Arc<Entry>>> {
        History::entry(&self.log, entry)
    }
}

/// A note that must be seen.
struct Note;

impl Resolver for Note {
    async fn resolve(&self, _: &Context) -> Result<Contribution, ResolveError> {
        Ok(Contribution::of(Class::Pinned, vec![ModelMessage::user("[confirmation] waiting: send_email").into()]))
    }
}

/// Says again what the history says.
struct Echo(Vec<Piece>);

impl Resolver for Echo {
    async fn resolve(&self, _: &Context) -> Result<Contribution, ResolveError> {
        Ok(Contribution::of(Class::Recall, self.0.clone()))
    }
}

fn context(built: &Built, history: Arc<dyn History>) -> (Arc<Persona>, Context) {
    let chain = Chain::new().with(ThreadHistory::default);
    let persona = Arc::new(Persona::new(&Role::new().message(chain), "Sundae", PERSONA).unwrap());
    let current = Inbound::new(Arc::clone(built.mails.last().unwrap()), built.thread).unwrap();
    let cx = Context::new(
        Arc::clone(&persona),
        Subject::Message(current),
        Timestamp::UNIX_EPOCH,
        history,
        Arc::new(built.log.clone()),
    );
    (persona, cx)
}

fn assemble(chain: &Chain, cx: &Context, call: &Call, bounds: &Bounds) -> Option<Briefing> {
    pollster::block_on(chain.assemble(cx, call, bounds)).ok()
}

proptest! {
    /// Invariants 2 and 8 over a log: the view reads its limit and one more, in a fixed number of reads, and tells of all it read.
    #[test]
    fn i08_the_view_reads_its_window(events in events(60), limit in 0_usize..8) {
        let built = build(&events);
        let counting = Arc::new(Counting { log: built.log.clone(), mails: AtomicUsize::new(0), reads: AtomicUsize::new(0) });
        let (_, cx) = context(&built, counting.clone());
        let chain = Chain::new().with(move || ThreadHistory::default().limit(limit));
        let briefing = assemble(&chain, &cx, &briefing_tests::list::call("gpt-5", false), &Bounds::none()).unwrap();
        let skipped = briefing.receipt().lines().iter().filter(|line| line.rule == briefing::Rule::NotSent).count();
        let read = counting.mails.load(Ordering::Relaxed);
        prop_assert!(read <= 2 * (limit + 1) + 2 * skipped, "{read} mails read for {limit}, {skipped} passed over");
        if skipped == 0 {
            // The last reset, the mails, their tool use, the cards that wait.
            prop_assert!(counting.reads.load(Ordering::Relaxed) <= 4);
        }
    }

    /// Invariant 2 over a log: every mail of the whole thread is kept or has a line.
    #[test]
    fn i02_every_mail_is_told_of(events in events(60), call in calls()) {
        let built = build(&events);
        let (_, cx) = context(&built, Arc::new(built.log.clone()));
        let chain = Chain::new().with(|| ThreadHistory::default().limit(None));
        let Some(briefing) = assemble(&chain, &cx, &call, &Bounds::none()) else { return Ok(()) };
        let told = told(&briefing);
        let current = built.mails.last().unwrap();
        for entry in built.mails.iter().filter(|entry| entry.place() < current.place()) {
            prop_assert!(told.contains(&entry.id.get()), "mail {} is nowhere", entry.id);
        }
        for entry in built.mails.iter().filter(|entry| entry.place() > current.place()) {
            prop_assert!(!told.contains(&entry.id.get()), "mail {} is newer than now", entry.id);
        }
    }

    /// Invariants 4 and 14: bounds hold over a chain; a pinned note goes after all history has gone.
    #[test]
    fn i14_pinned_notes_outlast_history(events in events(60), call in calls(), bounds in bounds()) {
        let built = build(&events);
        let (_, cx) = context(&built, Arc::new(built.log.clone()));
        let chain = Chain::new().with(ThreadHistory::default).with(|| Note);
        let Some(briefing) = assemble(&chain, &cx, &call, &bounds) else { return Ok(()) };
        within(&briefing)?;
        let has = |class| briefing.units().iter().any(|placed| placed.class() == class);
        prop_assert!(has(Class::Pinned) || !has(Class::History), "history is kept and the note is not");
    }

    /// An entry contributed twice is kept once, in history.
    #[test]
    fn an_entry_is_told_once(events in events(40), call in calls()) {
        let built = build(&events);
        let (_, cx) = context(&built, Arc::new(built.log.clone()));
        let echo: Vec<Piece> = built.mails.iter().map(|entry| Piece { message: ModelMessage::user("recalled"), entry: Some(entry.id) }).collect();
        let chain = Chain::new().with(ThreadHistory::default).with(move || Echo(echo.clone()));
        let Some(briefing) = assemble(&chain, &cx, &call, &Bounds::none()) else { return Ok(()) };
        let mut seen = BTreeSet::new();
        for entry in briefing.receipt().kept().iter().filter(|kept| kept.class != Class::Current).flat_map(|kept| kept.from.entries()) {
            prop_assert!(seen.insert(*entry), "entry {entry} is told twice");
        }
    }

    /// Invariant 7: a message reads the same when it is current and when it is past.
    #[test]
    fn i07_current_reads_as_past(events in events(30)) {
        let built = build(&events);
        let (_, cx) = context(&built, Arc::new(built.log.clone()));
        let call = briefing_tests::list::call("gpt-4", false);
        let chain = Chain::new().with(ThreadHistory::default);
        let now = assemble(&chain, &cx, &call, &Bounds::none()).unwrap();
        let mail = briefing_tests::log::build(&[]).mails[0].mail().unwrap().as_ref().clone();
        let later = built.log.append_mail(built.thread, mail, briefing::log::Arrival::Live(Timestamp::MAX)).unwrap();
        let current = Inbound::new(later, built.thread).unwrap();
        let (persona, _) = context(&built, Arc::new(built.log.clone()));
        let cx = Context::new(persona, Subject::Message(current), Timestamp::UNIX_EPOCH, Arc::new(built.log.clone()), Arc::new(built.log.clone()));
        let chain = Chain::new().with(|| ThreadHistory::default().limit(51));
        let then = assemble(&chain, &cx, &call, &Bounds::none()).unwrap();
        let (now, then) = (list(&now), list(&then));
        if built.mails.iter().all(|entry| entry.place() <= built.mails.last().unwrap().place()) && built.mails.len() < 50 {
            prop_assert_eq!(&now[..], &then[..now.len()]);
        }
    }

    /// Invariant 9: another owner finds nothing.
    #[test]
    fn i09_another_owner_finds_nothing(events in events(30)) {
        let built = build(&events);
        let logs = briefing::log::MemoryLog::default();
        let stranger = logs.owner(&OwnerId::new("stranger"));
        let (_, cx) = context(&built, Arc::new(stranger));
        let chain = Chain::new().with(ThreadHistory::default);
        let briefing = assemble(&chain, &cx, &briefing_tests::list::call("gpt-5", false), &Bounds::none()).unwrap();
        prop_assert!(briefing.units().iter().all(|placed| placed.class() == Class::Current));
    }
}

#[test]
fn tokens_are_counted_by_the_named_estimator() {
    let messages = briefing_tests::synthetic::conversation(100);
    let call = briefing_tests::list::call("gpt-5", false);
    let briefing = fit(&messages, &call, &Bounds::none().tokens(3_000)).unwrap();
    assert_eq!(briefing.receipt().estimator(), Some("o200k"));
    let total = briefing.receipt().total().tokens;
    assert!((2_000..=3_000).contains(&total), "{total}");
    assert_eq!(briefing.receipt().most().of(Bound::Tokens), 3_000);
}

//! Which thread a mail joins: the public fault reports, honest mailboxes in every order, and hostile ones.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops at the first surprise")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::convert::Infallible;
use std::time::Instant;

use briefing::log::{Address, Mail, MessageId};
use briefing_mail::limits::{MAX_REFERRED, MAX_WAITING};
use briefing_mail::{Known, Placement, ThreadIndex, group, parse, place};
use proptest::prelude::*;

fn id(text: &str) -> MessageId {
    MessageId::new(text).unwrap()
}

fn ids(text: &str) -> Vec<MessageId> {
    text.split_whitespace().map(id).collect()
}

/// `id; References; In-Reply-To; people`.
fn mail(text: &str) -> Mail {
    let fields: Vec<&str> = text.split(';').collect();
    let field = |at: usize| fields.get(at).copied().unwrap_or_default();
    let mut people = field(3).split_whitespace().map(Address::new);
    Mail {
        message_id: MessageId::new(field(0)),
        references: ids(field(1)),
        in_reply_to: ids(field(2)),
        from: people.next().into_iter().collect(),
        to: people.collect(),
        ..Mail::default()
    }
}

fn numbers(mails: &[Mail]) -> Vec<usize> {
    group(mails).into_iter().map(ThreadIndex::get).collect()
}

fn threads(mails: &[&str]) -> Vec<usize> {
    numbers(&mails.iter().map(|text| mail(text)).collect::<Vec<_>>())
}

/// The threads of messages by their header fields, all between the same two people.
fn parsed(headers: &[&str]) -> Vec<usize> {
    let mails = headers.iter().map(|fields| parse(format!("From: ann@h\nTo: bob@h\n{fields}\n\nHello\n").as_bytes()).mail);
    numbers(&mails.collect::<Vec<_>>())
}

/// B82a: <https://github.com/uvdesk/mailbox-component/pull/87>, <https://github.com/mnapoli/externals/issues/116>.
#[test]
fn b82a_only_in_reply_to_or_only_references() {
    assert_eq!(threads(&["m1@x;;;ann bob", "m2@x;;m1@x;bob ann", "m3@x;;m2@x;ann bob"]), [0, 0, 0]);
    assert_eq!(threads(&["m1@x;;;ann bob", "m2@x;m1@x;;bob ann", "m3@x;m2@x;;ann bob"]), [0, 0, 0]);
    assert_eq!(parsed(&["Message-ID: <m1@x>", "Message-ID: <m2@x>\nIn-Reply-To: <m1@x>"]), [0, 0]);
    assert_eq!(parsed(&["Message-ID: <m1@x>", "Message-ID: <m2@x>\nReferences: <m1@x>"]), [0, 0]);
}

/// B82b: <https://github.com/frappe/helpdesk/pull/3215>.
#[test]
fn b82b_any_known_id_in_references_joins_else_a_new_thread() {
    assert_eq!(threads(&["m1@x;;;ann bob", "m9@y;m1@x unknown@z;unknown@z;carl ann"]), [0, 0]);
    assert_eq!(threads(&["m1@x;;;ann bob", "m9@y;unknown@z;unknown@z;carl ann"]), [0, 1]);
    // The nearest known id counts.
    assert_eq!(threads(&["r@x;;;ann", "other@x;;;ann", "m@x;r@x other@x unknown@x;;ann"]), [0, 1, 1]);
}

/// B82c: <https://github.com/suitenumerique/messages/pull/765>. A changed subject never splits here; that
/// <https://github.com/Foundry376/Mailspring/issues/894> wants it is noted in COMPATIBILITY.md.
#[test]
fn b82c_a_changed_subject_joins_by_in_reply_to() {
    assert_eq!(
        parsed(&[
            "Message-ID: <m1@x>\nSubject: Invoice",
            "Message-ID: <m2@x>\nIn-Reply-To: <m1@x>\nSubject: Something else",
            "Message-ID: <m3@x>\nIn-Reply-To: <m2@x>\nSubject: Re:Something else",
        ]),
        [0, 0, 0]
    );
    // And the same subject alone joins nothing.
    assert_eq!(parsed(&["Message-ID: <m1@x>\nSubject: Invoice", "Message-ID: <m2@x>\nSubject: Re: Invoice"]), [0, 1]);
}

/// B82f: <https://github.com/warmbly/warmbly/pull/374>, <https://github.com/Webklex/php-imap/issues/197>.
#[test]
fn b82f_brackets_have_one_normal_form() {
    assert_eq!(threads(&["<a@h>;;;ann", "b@h;a@h;;ann", "c@h;<a@h>;;ann", "d@h;;A@h;ann"]), [0, 0, 0, 1]);
    assert_eq!(
        parsed(&[
            "Message-ID: <a@h>",
            "Message-ID: b@h\nIn-Reply-To: a@h",
            "Message-ID: <c@h>\nReferences: <a@h><b@h>",
            "Message-ID: <d@h>\nReferences: <z@h>,<c@h>",
            "Message-ID: <e@h>\nReferences: <z@h>\n\t<d@\n h>",
            "Message-ID: <f@h>\nIn-Reply-To: Your mail of Monday (no <x@h>) <e@h>",
            "Message-ID: <g@h>\nIn-Reply-To: <A@h>",
        ]),
        [0, 0, 0, 0, 0, 0, 1]
    );
}

#[test]
fn an_absent_root_holds_its_replies_together() {
    assert_eq!(threads(&["b@x;a@x;;ann bob", "c@x;a@x gone@x;;bob", "d@x;e@x;;ann"]), [0, 0, 1]);
    assert_eq!(threads(&["b@x;;a@x;ann", "c@x;;a@x;ann"]), [0, 0]);
    // So does any other absent id.
    assert_eq!(threads(&["b@x;a@x gone@x;;ann", "c@x;gone@x;;ann"]), [0, 0]);
}

#[test]
fn a_mail_that_comes_last_brings_threads_together() {
    assert_eq!(threads(&["b@x;a@x;;ann", "c@x;a@x b@x;;ann", "a@x;;;ann"]), [0, 0, 0]);
    assert_eq!(threads(&["r@x;;;ann", "c@x;;b@x;ann", "b@x;;r@x;ann"]), [0, 0, 0]);
    assert_eq!(threads(&["c@x;;b@x;ann", "z@x;;;ann", "r@x;;;ann", "b@x;;r@x;ann", "d@x;r@x;;ann"]), [0, 1, 0, 0, 0]);
}

#[test]
fn a_stranger_who_quotes_an_id_opens_a_thread() {
    assert_eq!(
        threads(&["a@x;;;ann bob", "b@x;a@x;;bob ann", "evil@y;a@x b@x;;eve mallory", "e2@y;evil@y;;eve"]),
        [0, 0, 1, 1]
    );
    assert_eq!(threads(&["a@x;;;ann bob", "evil@y;a@x;;"]), [0, 1]);
    assert_eq!(threads(&["b@x;gone@x;;ann bob", "evil@y;gone@x;;eve"]), [0, 1]);
    assert_eq!(threads(&["a@x;;;ann bob", "a@x;;;eve"]), [0, 1]);
    // Nor does it draw in a mail that refers to it by a guess, or that it waits for.
    assert_eq!(threads(&["evil@y;a@x;;eve", "a@x;;;ann bob", "b@x;a@x;;bob"]), [0, 1, 1]);
    // An id whose thread refuses is passed over.
    assert_eq!(threads(&["a@x;;;ann", "b@x;;;bob", "c@x;b@x a@x;;bob"]), [0, 1, 1]);
}

#[test]
fn one_who_was_refused_stays_apart() {
    assert_eq!(threads(&["a@x;;;ann bob", "b@x;a@x;;bob carl", "c@x;b@x;;dan ann"]), [0, 0, 0]);
    assert_eq!(threads(&["a@x;;;ann bob", "c@x;a@x;;dan eve", "b@x;a@x;;bob dan"]), [0, 1, 0]);
}

/// What a log stores of a mail, taken literally: a list that is searched from its start.
#[derive(Default)]
struct Table {
    mails: Vec<(usize, Mail, Placement<usize>)>,
    opened: usize,
}

impl Known for Table {
    type Thread = usize;
    type Error = Infallible;

    fn thread_of(&mut self, id: &MessageId) -> Result<Option<usize>, Infallible> {
        Ok(self.mails.iter().find(|(_, mail, _)| mail.message_id.as_ref() == Some(id)).map(|(thread, ..)| *thread))
    }

    fn waiting_for(&mut self, id: &MessageId) -> Result<Vec<usize>, Infallible> {
        assert_eq!(self.thread_of(id), Ok(None), "asked only while no mail has it");
        let waiting = self.mails.iter().filter(|(_, _, placed)| placed.awaits.contains(id));
        Ok(waiting.map(|(thread, ..)| *thread).rev().collect())
    }

    fn admits(&mut self, thread: usize, people: &[String]) -> Result<bool, Infallible> {
        let of_thread = self.mails.iter().filter(|(its, ..)| *its == thread);
        let taking_part: BTreeSet<&String> = of_thread.flat_map(|(_, _, placed)| &placed.people).collect();
        Ok(taking_part.is_empty() || people.iter().any(|one| taking_part.contains(one)))
    }
}

impl Table {
    fn add(&mut self, mail: &Mail) {
        let Ok(placed) = place(mail, self);
        let thread = placed.thread.unwrap_or(self.opened);
        self.opened += usize::from(placed.thread.is_none());
        assert!(placed.merges.iter().all(|merged| thread < *merged) && placed.merges.is_sorted());
        self.mails.iter_mut().filter(|(its, ..)| placed.merges.contains(its)).for_each(|(its, ..)| *its = thread);
        self.mails.push((thread, mail.clone(), placed));
    }

    fn numbers(&self) -> Vec<usize> {
        let mut numbers = BTreeMap::new();
        let number = |(thread, ..): &(usize, Mail, Placement<usize>)| {
            let next = numbers.len();
            *numbers.entry(*thread).or_insert(next)
        };
        self.mails.iter().map(number).collect()
    }
}

#[test]
fn a_placement_says_what_to_store() {
    let mut table = Table::default();
    for text in ["c@x;;b@x;ann", "d@x;;c@x;Ann dan", "r@x;;;ann bob", "b@x;gone@x r@x;;bob ann BOB"] {
        table.add(&mail(text));
    }
    let people = |names: &str| names.split(' ').map(str::to_owned).collect();
    let placed: Vec<_> = table.mails.into_iter().map(|(_, _, placed)| placed).collect();
    assert_eq!(
        placed,
        [
            Placement { thread: None, merges: vec![], awaits: ids("b@x"), people: people("ann") },
            Placement { thread: Some(0), merges: vec![], awaits: vec![], people: people("ann dan") },
            Placement { thread: None, merges: vec![], awaits: vec![], people: people("ann bob") },
            Placement { thread: Some(0), merges: vec![1], awaits: ids("gone@x"), people: people("ann bob") },
        ]
    );
}

#[test]
fn the_root_and_the_nearest_ids_count() {
    let mut table = Table::default();
    let long: Vec<MessageId> = (0..1_000).map(|number| id(&format!("{number}@x"))).collect();
    table.add(&Mail { references: long.clone(), in_reply_to: ids("reply@x"), ..Mail::default() });
    let awaits = &table.mails[0].2.awaits;
    assert_eq!(awaits.len(), MAX_REFERRED);
    assert_eq!((&awaits[0], &awaits[MAX_REFERRED - 2], &awaits[MAX_REFERRED - 1]), (&long[999], &long[0], &id("reply@x")));
    table.add(&Mail { in_reply_to: long, ..Mail::default() });
    assert_eq!(table.mails[1].2.awaits.len(), MAX_REFERRED / 2);
}

#[test]
fn so_many_threads_wait_for_one_id() {
    let mut table = Table::default();
    (0..MAX_WAITING + 5).for_each(|number| table.add(&mail(&format!("m{number}@x;gone@x;;p{number}"))));
    table.add(&mail("again@x;gone@x;;p7"));
    table.add(&mail(&format!("late@x;gone@x;;p{MAX_WAITING}")));
    let waiting: Vec<bool> = table.mails.iter().map(|(_, _, placed)| !placed.awaits.is_empty()).collect();
    assert_eq!(waiting, [vec![true; MAX_WAITING], vec![false; 5], vec![true, false]].concat());
    let mails: Vec<Mail> = table.mails.iter().map(|(_, mail, _)| mail.clone()).collect();
    let expected: Vec<usize> = (0..MAX_WAITING + 5).chain([7, MAX_WAITING + 5]).collect();
    assert_eq!((table.numbers(), numbers(&mails)), (expected.clone(), expected));
}

/// A tree of mails: of each but the first, which earlier one it answers, how it says so, and who of three takes part.
fn honest() -> impl Strategy<Value = Vec<Mail>> {
    let step =
        (any::<prop::sample::Index>(), 0..4, 1..4_usize, prop::collection::vec("[p-s]", 0..2), prop::bool::weighted(0.15));
    prop::collection::vec(step, 1..12).prop_map(|steps| {
        let mut mails: Vec<Mail> = Vec::new();
        for (at, (parent, kind, kept, others, opens)) in steps.into_iter().enumerate() {
            let mut mail = Mail { message_id: Some(id(&format!("m{at}@x"))), ..Mail::default() };
            mail.to = others.iter().map(|name| Address::new(name)).collect();
            mail.from = vec![Address::new(&format!("own{at}"))];
            if at > 0 && !opens {
                let parent = &mails[parent.index(at)];
                let chain: Vec<MessageId> = parent.references.iter().chain(&parent.message_id).cloned().collect();
                let cut = chain.len().saturating_sub(kept);
                // Whole, cut at the front as some programs do, or not there.
                (mail.references, mail.in_reply_to) = match kind {
                    0 => (chain, vec![]),
                    1 => (chain[cut..].to_vec(), vec![]),
                    2 => (vec![], parent.message_id.iter().cloned().collect()),
                    _ => (chain, parent.message_id.iter().cloned().collect()),
                };
                mail.cc = parent.from.clone();
            }
            mails.push(mail);
        }
        mails
    })
}

/// The mails as they are, and in another order, with their places before.
fn shuffled(mails: impl Strategy<Value = Vec<Mail>>) -> impl Strategy<Value = (Vec<Mail>, Vec<usize>)> {
    mails.prop_flat_map(|mails| {
        let places: Vec<usize> = (0..mails.len()).collect();
        (Just(mails), Just(places).prop_shuffle())
    })
}

/// Which mails stand together, by their place before the shuffle.
fn partition(threads: &[ThreadIndex], places: &[usize]) -> BTreeSet<BTreeSet<usize>> {
    let mut sets: HashMap<ThreadIndex, BTreeSet<usize>> = HashMap::new();
    for (thread, place) in threads.iter().zip(places) {
        sets.entry(*thread).or_default().insert(*place);
    }
    sets.into_values().collect()
}

fn hostile() -> impl Strategy<Value = Vec<Mail>> {
    let id = || prop::sample::select(vec!["a", "b", "c", "d", "e", "f"]);
    let person = || prop::sample::select(vec!["p", "q", "r", "s"]);
    let ids = |count| prop::collection::vec(id(), 0..count).prop_map(|ids| ids.join(" "));
    let people = prop::collection::vec(person(), 0..3).prop_map(|people| people.join(" "));
    let mail = (ids(2), ids(4), ids(2), people)
        .prop_map(|(id, references, reply, people)| mail(&format!("{id};{references};{reply};{people}")));
    prop::collection::vec(mail, 0..16)
}

proptest! {
    #[test]
    fn honest_mailboxes_group_alike_in_every_order((mails, places) in shuffled(honest())) {
        let straight: Vec<usize> = (0..mails.len()).collect();
        let reordered: Vec<&Mail> = places.iter().map(|&at| &mails[at]).collect();
        prop_assert_eq!(partition(&group(&reordered), &places), partition(&group(&mails), &straight));
    }

    #[test]
    fn honest_mailboxes_group_by_their_trees((mails, places) in shuffled(honest())) {
        let reordered: Vec<&Mail> = places.iter().map(|&at| &mails[at]).collect();
        let mut trees: Vec<usize> = Vec::new();
        for (at, mail) in mails.iter().enumerate() {
            let parent = mail.references.last().or(mail.in_reply_to.first());
            let parent = parent.and_then(|id| mails.iter().position(|other| other.message_id.as_ref() == Some(id)));
            trees.push(parent.map_or(at, |parent| trees[parent]));
        }
        let mut expected: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (at, tree) in trees.iter().enumerate() {
            expected.entry(*tree).or_default().insert(at);
        }
        prop_assert_eq!(partition(&group(&reordered), &places), expected.into_values().collect());
    }

    #[test]
    fn a_group_is_what_a_log_makes_mail_by_mail(mails in prop_oneof![hostile(), honest()]) {
        let mut table = Table::default();
        mails.iter().for_each(|mail| table.add(mail));
        prop_assert_eq!(numbers(&mails), table.numbers());
    }

    #[test]
    fn a_stranger_never_joins(mails in hostile(), references in prop::collection::vec("[a-f]", 0..6), at in any::<prop::sample::Index>()) {
        let mut with: Vec<Mail> = mails.into_iter().filter(|mail| !mail.from.is_empty()).collect();
        let at = at.index(with.len() + 1);
        with.insert(at, mail(&format!("evil;{};;eve", references.join(" "))));
        let threads = numbers(&with);
        prop_assert_eq!(threads.iter().filter(|thread| **thread == threads[at]).count(), 1);
    }
}

#[test]
fn a_hundred_thousand_hostile_mails_take_seconds() {
    let mut texts: Vec<String> = (0..50_000).map(|n| format!("{n}@x;{}@x;;p{} p{}", n + 1, n, n + 1)).collect();
    texts.extend((0..25_000).map(|n| format!("s{n}@x;0@x;;q{n}")));
    texts.extend((0..25_000).map(|n| format!("same@x;gone@x;;r{n}")));
    let mails: Vec<Mail> = texts.iter().map(|text| mail(text)).collect();
    let start = Instant::now();
    let threads = group(&mails);
    assert_eq!(threads.iter().collect::<BTreeSet<_>>().len(), 1 + 25_000 + 25_000);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

/// Pairs of threads that are merged again and again, the younger always the larger.
#[test]
fn merges_that_carry_many_people_take_seconds() {
    let mut texts: Vec<String> = (0..20_000).map(|n| format!("small{n}@x;join{n}@x;;all")).collect();
    texts.reverse();
    texts.push(format!("large@x;;;all {}", (0..50_000).map(|n| format!("p{n} ")).collect::<String>()));
    texts.extend((0..20_000).map(|n| format!("join{n}@x;large@x;;all")));
    let mails: Vec<Mail> = texts.iter().map(|text| mail(text)).collect();
    let start = Instant::now();
    assert_eq!(group(&mails).iter().collect::<BTreeSet<_>>().len(), 1);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

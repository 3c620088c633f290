use proptest::prelude::*;

use super::*;
use briefing::log::Address;

fn ids(text: &str) -> Vec<MessageId> {
    text.split_whitespace().filter_map(MessageId::new).collect()
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

fn threads(mails: &[&str]) -> Vec<usize> {
    let mails: Vec<Mail> = mails.iter().map(|text| mail(text)).collect();
    group(&mails).into_iter().map(ThreadIndex::get).collect()
}

/// B82a: <https://github.com/uvdesk/mailbox-component/pull/87>, <https://github.com/mnapoli/externals/issues/116>.
#[test]
fn b82a_only_in_reply_to_or_only_references() {
    assert_eq!(threads(&["m1@x;;;ann bob", "m2@x;;m1@x;bob ann", "m3@x;;m2@x;ann bob"]), [0, 0, 0]);
    assert_eq!(threads(&["m1@x;;;ann bob", "m2@x;m1@x;;bob ann"]), [0, 0]);
}

/// B82f: <https://github.com/warmbly/warmbly/pull/374>, <https://github.com/Webklex/php-imap/issues/197>.
#[test]
fn b82f_brackets_do_not_matter_but_case_does() {
    assert_eq!(threads(&["<a@h>;;;ann", "b@h;a@h;;ann", "c@h;<a@h>;;ann", "d@h;;A@h;ann"]), [0, 0, 0, 1]);
}

/// B82b, its first part: <https://github.com/frappe/helpdesk/pull/3215>.
#[test]
fn b82b_any_known_id_decides() {
    assert_eq!(threads(&["m1@x;;;ann bob", "m9@y;m1@x unknown@z;;carl ann"]), [0, 0]);
    assert_eq!(threads(&["r@x;;;ann", "other@x;;;ann", "m@x;r@x other@x unknown@x;;ann"]), [0, 1, 1]);
}

#[test]
fn an_absent_root_holds_its_replies_together() {
    assert_eq!(threads(&["b@x;a@x;;ann bob", "c@x;a@x gone@x;;bob", "d@x;e@x;;ann"]), [0, 0, 1]);
    assert_eq!(threads(&["b@x;;a@x;ann", "c@x;;a@x;ann"]), [0, 0]);
}

#[test]
fn a_root_that_comes_last_joins_them() {
    assert_eq!(threads(&["b@x;a@x;;ann", "c@x;a@x b@x;;ann", "a@x;;;ann"]), [0, 0, 0]);
}

#[test]
fn cycles_and_self_references_end() {
    assert_eq!(threads(&["a@x;b@x;;ann", "b@x;a@x;;ann", "c@x;c@x;c@x;ann"]), [0, 0, 1]);
}

#[test]
fn without_ids_each_stands_alone() {
    assert_eq!(threads(&[";;;ann", ";;;ann", ";a@x;;ann", "a@x;;;ann"]), [0, 1, 2, 2]);
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
}

#[test]
fn a_participant_of_the_thread_may_join_though_the_parent_does_not_name_them() {
    assert_eq!(threads(&["a@x;;;ann bob", "b@x;a@x;;bob carl", "c@x;b@x;;dan ann"]), [0, 0, 0]);
    // Dan is let in by a mail that comes later.
    assert_eq!(threads(&["a@x;;;ann bob", "c@x;a@x;;dan eve", "b@x;a@x;;bob dan"]), [0, 0, 0]);
}

#[test]
fn a_mail_that_names_nobody_can_be_answered() {
    assert_eq!(threads(&["a@x;;;", "b@x;a@x;;", "c@x;a@x;;ann"]), [0, 0, 0]);
}

#[test]
fn copies_of_a_mail_share_its_thread() {
    assert_eq!(threads(&["a@x;;;ann bob", "a@x;;;ann bob", "b@x;a@x;;bob"]), [0, 0, 0]);
}

#[test]
fn a_hundred_thousand_mails_take_seconds() {
    let mut texts: Vec<String> = (0..50_000).map(|n| format!("{n}@x;{}@x;;p{} p{}", n + 1, n, n + 1)).collect();
    texts.extend((0..25_000).map(|n| format!("s{n}@x;0@x;;q{n}")));
    texts.extend((0..25_000).map(|n| format!("same@x;gone@x;;r{n}")));
    let mails: Vec<Mail> = texts.iter().map(|text| mail(text)).collect();
    let start = std::time::Instant::now();
    let threads = group(&mails);
    assert_eq!(threads.iter().collect::<HashSet<_>>().len(), 1 + 25_000 + 25_000);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

fn mail_strategy() -> impl Strategy<Value = Mail> {
    let id = || prop::sample::select(vec!["a", "b", "c", "d", "e", "f"]);
    let person = || prop::sample::select(vec!["p", "q", "r", "s"]);
    let ids = |count| prop::collection::vec(id(), 0..count).prop_map(|ids| ids.join(" "));
    let people = prop::collection::vec(person(), 0..3).prop_map(|people| people.join(" "));
    (ids(2), ids(4), ids(2), people)
        .prop_map(|(id, references, reply, people)| mail(&format!("{id};{references};{reply};{people}")))
}

/// Which mails stand together, by their place before the shuffle.
fn partition(threads: &[ThreadIndex], places: &[usize]) -> Vec<Vec<usize>> {
    let mut sets: HashMap<ThreadIndex, Vec<usize>> = HashMap::new();
    for (thread, place) in threads.iter().zip(places) {
        sets.entry(*thread).or_default().push(*place);
    }
    let mut sets: Vec<Vec<usize>> = sets.into_values().collect();
    sets.iter_mut().for_each(|set| set.sort_unstable());
    sets.sort();
    sets
}

proptest! {
    #[test]
    fn the_order_of_input_does_not_matter(
        (mails, shuffled) in prop::collection::vec(mail_strategy(), 0..16)
            .prop_flat_map(|mails| {
                let places: Vec<usize> = (0..mails.len()).collect();
                (Just(mails), Just(places).prop_shuffle())
            })
    ) {
        let straight: Vec<usize> = (0..mails.len()).collect();
        let reordered: Vec<&Mail> = shuffled.iter().map(|&at| &mails[at]).collect();
        prop_assert_eq!(partition(&group(&mails), &straight), partition(&group(&reordered), &shuffled));
    }
}

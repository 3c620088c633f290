use super::*;
use briefing::log::Address;

fn ids(text: &str) -> Vec<MessageId> {
    text.split_whitespace().filter_map(MessageId::new).collect()
}

fn mail(id: &str, references: &str, people: &[&str]) -> Mail {
    let to = people.iter().map(|email| Address { name: None, email: (*email).to_owned() }).collect();
    Mail { message_id: MessageId::new(id), references: ids(references), to, ..Mail::default() }
}

fn numbers(mails: &[Mail]) -> Vec<usize> {
    group(mails).into_iter().map(ThreadIndex::get).collect()
}

#[test]
fn ids_are_referred_to_once_and_the_nearest_first() {
    let mut mail = mail("own@x", "a@x b@x own@x b@x c@x", &[]);
    mail.in_reply_to = ids("d@x c@x own@x");
    assert_eq!(referred(&mail).into_iter().cloned().collect::<Vec<_>>(), ids("c@x b@x a@x d@x"));
    assert_eq!(root(&mail), MessageId::new("a@x").as_ref());
}

#[test]
fn people_are_sorted_in_lower_case() {
    assert_eq!(people(&mail("", "", &["Bob@X", "", "ann@x", "bob@x"])), ["ann@x", "bob@x"]);
}

#[test]
fn cycles_and_self_references_end() {
    let mails = [mail("a@x", "b@x", &["ann"]), mail("b@x", "a@x", &["ann"]), mail("c@x", "c@x", &["ann"])];
    assert_eq!(numbers(&mails), [0, 0, 1]);
}

#[test]
fn without_ids_each_stands_alone() {
    let mails = [mail("", "", &["ann"]), mail("", "", &["ann"]), mail("", "a@x", &["ann"]), mail("a@x", "", &["ann"])];
    assert_eq!(numbers(&mails), [0, 1, 2, 2]);
}

#[test]
fn a_mail_that_names_nobody_can_be_answered() {
    let mails = [mail("a@x", "", &[]), mail("b@x", "a@x", &[]), mail("c@x", "a@x", &["ann"]), mail("d@x", "a@x", &[])];
    assert_eq!(numbers(&mails), [0, 0, 0, 1]);
}

#[test]
fn copies_of_a_mail_share_its_thread() {
    let mails = [mail("a@x", "", &["ann", "bob"]), mail("a@x", "", &["ann"]), mail("b@x", "a@x", &["bob"])];
    assert_eq!(numbers(&mails), [0, 0, 0]);
    // What it refers to goes before.
    let mails = [mail("a@x", "", &["ann"]), mail("b@x", "", &["ann"]), mail("a@x", "b@x", &["ann"])];
    assert_eq!(numbers(&mails), [0, 1, 1]);
}

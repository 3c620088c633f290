//! Whatever the list: it is written, read back, and what differs is told. `PROPTEST_CASES` sets how many cases each test runs.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use briefing::ModelMessage;
use briefing_forms::{Form, WriteChange, read, recognise, write};
use briefing_json::Document;
use proptest::prelude::*;
use support::{list, messages, plainly, served, value};

proptest! {
    /// What was written is JSON of the form, and reading it, writing it and reading it again changes nothing more.
    #[test]
    fn writing_is_stable(list in list(), form in proptest::sample::select(&Form::ALL[..])) {
        let written = write(form, &list);
        let once = messages(form, &written.json);
        let again = write(form, &once);
        prop_assert_eq!(&messages(form, &again.json), &once, "{}\n{}", written.json, again.json);
        let lost = again.findings.iter().find(|found| !matches!(
            found.change,
            WriteChange::OutcomeAsJson { .. } | WriteChange::ToolUnknown { .. } | WriteChange::OutcomeMoved { .. }
        ));
        prop_assert!(lost.is_none(), "{lost:?}\n{}", written.json);
    }

    /// A list for which nothing is told comes back the same, but for what `docs/forms.md` lists.
    #[test]
    fn what_is_not_told_comes_back(list in list(), form in proptest::sample::select(&Form::ALL[..])) {
        let written = write(form, &list);
        if form == Form::VercelUi && served(&list) {
            return Ok(());
        }
        if written.findings.iter().all(|found| matches!(found.change, WriteChange::ToolUnknown { .. } | WriteChange::OutcomeAsJson { .. })) {
            prop_assert_eq!(messages(form, &written.json), plainly(form, &list), "{}", written.json);
        }
    }

    /// Arbitrary JSON that looks like messages is read or refused, and what is read is stable.
    #[test]
    fn any_json_is_read_or_refused(text in value(), form in proptest::sample::select(&Form::ALL[..])) {
        let document = Document::parse(&text).unwrap();
        let _ = recognise(document.root());
        let Ok(first) = read(form, document.root()) else { return Ok(()) };
        let written = write(form, &first.messages);
        let again = messages(form, &written.json);
        let third = write(form, &again);
        prop_assert_eq!(messages(form, &third.json), again, "{}\n{}", text, written.json);
    }

    /// What is written is told from the other forms, if anything in it can tell it.
    #[test]
    fn what_is_written_is_never_taken_for_another_form(list in list(), form in proptest::sample::select(&Form::ALL[..])) {
        let written = write(form, &list);
        let told = recognise(Document::parse(&written.json).unwrap().root());
        prop_assert!(told.is_none_or(|told| told == form), "{told:?}\n{}", written.json);
        let texts = list.iter().all(|message| !matches!(message, ModelMessage::Tool(_)));
        if form == Form::LangChain && !list.is_empty() && texts {
            prop_assert_eq!(told, Some(form));
        }
    }
}

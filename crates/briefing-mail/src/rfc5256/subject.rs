//! The base subject (RFC 5256, 2.1): what is left of a subject without the marks of replies and forwards.

/// The base subject of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BaseSubject {
    /// What is left; may be empty.
    pub text: String,
    /// Whether the marks that were removed say that it is a reply or a forward.
    pub is_reply: bool,
}

impl BaseSubject {
    /// The text with which subjects are compared: without the case of its letters.
    ///
    /// The RFC compares by `i;unicode-casemap` (RFC 5051): single letters by their upper case, as here, and decomposed, which
    /// is left out. Two forms of one accented letter differ.
    #[must_use]
    pub fn folded(&self) -> String {
        let fold = |c: char| {
            let mut upper = c.to_uppercase();
            if upper.len() == 1 { upper.next().unwrap_or(c) } else { c }
        };
        self.text.chars().map(fold).collect()
    }
}

/// The base subject of a subject that is decoded already. Takes linear time.
#[must_use]
pub fn base_subject(subject: &str) -> BaseSubject {
    let spaced = single_spaced(subject);
    let mut text = spaced.as_str();
    let mut is_reply = false;
    loop {
        // Step 2.
        text = text.trim_end_matches(' ');
        while let Some(rest) = strip_suffix(text, "(fwd)") {
            text = rest.trim_end_matches(' ');
            is_reply = true;
        }
        // Steps 3 to 5. If no mark of a reply stands behind all blobs, none does once some of them are gone.
        text = text.trim_start_matches(' ');
        let blobs = loop {
            let blobs = leading_blobs(text);
            let Some(rest) = refwd(blobs.rest) else { break blobs };
            text = rest.trim_start_matches(' ');
            is_reply = true;
        };
        text = if blobs.rest.is_empty() { blobs.last } else { blobs.rest };
        // Step 6.
        match strip_prefix(text, "[fwd:").and_then(|rest| rest.strip_suffix(']')) {
            Some(inner) => text = inner,
            None => return BaseSubject { text: text.to_owned(), is_reply },
        }
        is_reply = true;
    }
}

/// Step 1: tabs, line ends and runs of spaces become one space.
fn single_spaced(subject: &str) -> String {
    let mut text = String::with_capacity(subject.len());
    for c in subject.chars() {
        let c = if matches!(c, '\t' | '\r' | '\n') { ' ' } else { c };
        if c != ' ' || !text.ends_with(' ') {
            text.push(c);
        }
    }
    text
}

/// The blobs at the start of a text.
struct Blobs<'a> {
    /// The text from the last blob on; all of it if there is none.
    last: &'a str,
    /// What stands behind them.
    rest: &'a str,
}

fn leading_blobs(text: &str) -> Blobs<'_> {
    let mut blobs = Blobs { last: text, rest: text };
    while let Some(rest) = blob(blobs.rest) {
        blobs = Blobs { last: blobs.rest, rest };
    }
    blobs
}

/// What stands behind `[…]` and blanks.
fn blob(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('[')?;
    let end = inside.find(['[', ']'])?;
    Some(inside.get(end..)?.strip_prefix(']')?.trim_start_matches(' '))
}

/// What stands behind `re:`, `fw:` or `fwd:`, with or without a blob before the colon.
fn refwd(text: &str) -> Option<&str> {
    let word = strip_prefix(text, "re").or_else(|| strip_prefix(text, "fwd")).or_else(|| strip_prefix(text, "fw"))?;
    let word = word.trim_start_matches(' ');
    blob(word).unwrap_or(word).strip_prefix(':')
}

fn strip_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let start = text.get(..prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then(|| text.get(prefix.len()..)).flatten()
}

fn strip_suffix<'a>(text: &'a str, suffix: &str) -> Option<&'a str> {
    let at = text.len().checked_sub(suffix.len())?;
    text.get(at..)?.eq_ignore_ascii_case(suffix).then(|| text.get(..at)).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn marks_are_removed() {
        for (subject, text, is_reply) in [
            ("", "", false),
            ("Lunch", "Lunch", false),
            (" Lunch \t at\r\n noon ", "Lunch at noon", false),
            ("Re: Lunch", "Lunch", true),
            ("Re:Lunch", "Lunch", true),
            ("RE : fw:FWD :Lunch", "Lunch", true),
            ("Re[2]: Lunch", "Lunch", true),
            ("Re [2] : Lunch", "Lunch", true),
            ("Re: [2] Lunch", "Lunch", true),
            ("[list] Lunch", "Lunch", false),
            ("[list] [other] Re: [x] Lunch", "Lunch", true),
            ("[list]", "[list]", false),
            ("[a] [b]", "[b]", false),
            ("Re: [a] [b]", "[b]", true),
            ("[]", "[]", false),
            ("Lunch (fwd)", "Lunch", true),
            ("Lunch(FWD) (fwd) ", "Lunch", true),
            ("(fwd)", "", true),
            ("[list] (fwd)", "[list]", true),
            ("[fwd: Lunch]", "Lunch", true),
            ("Re: [Fwd: Re: [fwd: Lunch (fwd)]]", "Lunch", true),
            ("[list] [fwd: Lunch]", "Lunch", true),
            ("[fwd: Lunch] today", "today", false),
            ("[fwd: Lunch", "[fwd: Lunch", false),
            ("[fwd:]", "", true),
            ("Re:", "", true),
            ("Re", "Re", false),
            ("Regarding: Lunch", "Regarding: Lunch", false),
            ("AW: Lunch", "AW: Lunch", false),
            ("fwdd: Lunch", "fwdd: Lunch", false),
            ("Re [a] [b]: Lunch", "Re [a] [b]: Lunch", false),
            ("[a Lunch", "[a Lunch", false),
            ("żółć (fwd)", "żółć", true),
        ] {
            assert_eq!(base_subject(subject), BaseSubject { text: text.to_owned(), is_reply }, "{subject:?}");
        }
    }

    #[test]
    fn case_does_not_count() {
        let folded = |subject: &str| base_subject(subject).folded();
        assert_eq!(folded("Re: Życie σς"), folded("ŻYCIE ΣΣ"));
        assert_eq!(folded("straße"), "STRAßE");
    }

    #[test]
    fn long_subjects_take_linear_time() {
        let start = std::time::Instant::now();
        let many = |unit: &str| unit.repeat(200_000);
        assert_eq!(base_subject(&many("[a]")).text, "[a]");
        assert_eq!(base_subject(&many("[a] Re: ")).text, "");
        assert_eq!(base_subject(&format!("{}x{}", many("[fwd:"), many("]"))).text, "x");
        assert_eq!(base_subject(&format!("{}x", many("[a]"))).text, "x");
        assert_eq!(base_subject(&many("(fwd) ")).text, "");
        assert_eq!(base_subject(&many("[")).text, many("["));
        assert_eq!(base_subject(&many("re[")).text, many("re["));
        assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    }

    /// The RFC's steps, one at a time.
    fn by_the_book(subject: &str) -> String {
        let mut text = single_spaced(subject);
        loop {
            while let Some(rest) = text.strip_suffix(' ').or_else(|| strip_suffix(&text, "(fwd)")) {
                text = rest.to_owned();
            }
            loop {
                let leader = text.strip_prefix(' ').or_else(|| refwd(leading_blobs(&text).rest));
                let base = || blob(&text).filter(|rest| !rest.is_empty());
                let Some(rest) = leader.or_else(base) else { break };
                text = rest.to_owned();
            }
            match strip_prefix(&text, "[fwd:").and_then(|rest| rest.strip_suffix(']')) {
                Some(inner) => text = inner.to_owned(),
                None => return text,
            }
        }
    }

    proptest! {
        #[test]
        fn it_is_what_the_steps_give(parts in prop::collection::vec(
            prop::sample::select(vec!["[", "]", "[fwd:", "[a]", "(fwd)", " ", "re", "Fw", "fwd", ":", "x", "ż", "\t"]), 0..14)
        ) {
            let subject = parts.concat();
            prop_assert_eq!(base_subject(&subject).text, by_the_book(&subject));
        }
    }
}

//! Sizes and shapes that nobody means well with: each is read in bounded memory and linear time, and never panics.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

use std::time::{Duration, Instant};

use briefing::texts::MAIL_CUT;
use briefing_mail::limits::{MAX_BODY, MAX_DEPTH, MAX_IDS, MAX_MESSAGE, MAX_PARTS};
use briefing_mail::{Field, Finding, Parsed, parse};
use proptest::prelude::*;

/// Far above what a slow machine needs without optimisation, far below anything quadratic.
const PATIENCE: Duration = Duration::from_secs(30);

/// How many bytes of a body that is cut are its own.
const KEPT: usize = MAX_BODY - MAIL_CUT.len() - 1;

fn timely(raw: &[u8]) -> Parsed {
    let start = Instant::now();
    let parsed = parse(raw);
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    parsed
}

#[test]
fn ten_thousand_levels_of_multiparts() {
    let mut raw = String::from("Subject: deep\n");
    for level in 0..10_000 {
        raw.push_str(&format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n"));
    }
    raw.push_str("Content-Type: text/plain\n\nbottom\n");
    for level in (0..10_000).rev() {
        raw.push_str(&format!("--b{level}--\n"));
    }
    let parsed = timely(raw.as_bytes());
    assert_eq!(parsed.mail.subject.as_deref(), Some("deep"));
    assert_eq!(parsed.findings, [Finding::TooDeep { left: 1 }]);
    let kinds: Vec<_> = parsed.mail.attachments.iter().map(|file| file.media_type.as_str()).collect();
    assert_eq!(kinds, ["multipart/mixed"]);
}

#[test]
fn just_deep_enough() {
    let mut raw = String::new();
    for level in 0..MAX_DEPTH {
        raw.push_str(&format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n"));
    }
    raw.push_str("\nbottom\n");
    for level in (0..MAX_DEPTH).rev() {
        raw.push_str(&format!("--b{level}--\n"));
    }
    let parsed = timely(raw.as_bytes());
    assert_eq!((parsed.mail.body.as_deref(), parsed.findings), (Some("bottom"), vec![]));
}

#[test]
fn nested_messages_are_one_file() {
    let raw = "Content-Type: message/rfc822\n\n".repeat(100_000);
    let parsed = timely(raw.as_bytes());
    let kinds: Vec<_> = parsed.mail.attachments.iter().map(|file| file.media_type.as_str()).collect();
    assert_eq!((kinds, parsed.findings), (vec!["message/rfc822"], vec![]));
}

#[test]
fn boundaries_that_never_come() {
    let part = "--b\nContent-Type: multipart/mixed; boundary=never\n\nx\n";
    let raw = format!("Content-Type: multipart/mixed; boundary=b\n\n{}--b--\n", part.repeat(200_000));
    let parsed = timely(raw.as_bytes());
    assert_eq!(parsed.findings.first(), Some(&Finding::NoBoundary { part: 1 }));
    assert!(parsed.findings.len() <= 101);
}

#[test]
fn many_parts() {
    let raw = format!("Content-Type: multipart/mixed; boundary=b\n\n{}", "--b\n\nx\n".repeat(1_000_000));
    let parsed = timely(raw.as_bytes());
    assert_eq!(parsed.findings, [Finding::TooManyParts { kept: MAX_PARTS }]);
}

#[test]
fn lines_that_look_like_boundaries() {
    let mut raw = String::new();
    for level in 0..MAX_DEPTH {
        raw.push_str(&format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n"));
    }
    raw.push('\n');
    raw.push_str(&"--b\n".repeat(1_000_000));
    assert_eq!(timely(raw.as_bytes()).findings, [Finding::Unclosed, Finding::BodyCut { kept: KEPT }]);
}

#[test]
fn fifty_megabytes() {
    let head = "Subject: big\nFrom: a@x\n\n";
    let mut raw = head.as_bytes().to_vec();
    raw.resize(50 << 20, b'x');
    let parsed = timely(&raw);
    assert_eq!(parsed.mail.subject.as_deref(), Some("big"));
    let body = parsed.mail.body.unwrap();
    assert_eq!((body.len(), body.lines().last()), (MAX_BODY, Some(MAIL_CUT)));
    assert_eq!(parsed.findings, [Finding::TooLarge { size: 50 << 20, kept: 32 << 20 }, Finding::BodyCut { kept: KEPT }]);
}

#[test]
fn a_file_that_the_limit_cuts_has_the_size_that_is_known() {
    let cut = |head: &str| {
        let mut raw = head.as_bytes().to_vec();
        raw.resize(MAX_MESSAGE + 100, b'x');
        let parsed = timely(&raw);
        assert_eq!(parsed.files.len(), 0);
        (parsed.mail.attachments.iter().map(|file| file.size).collect::<Vec<_>>(), parsed.mail.body)
    };
    let alone = "Content-Type: application/pdf\n\n";
    let size = u64::try_from(MAX_MESSAGE + 100 - alone.len()).unwrap();
    assert_eq!(cut(alone), (vec![Some(size)], Some(MAIL_CUT.into())));
    let part = "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nHello\n--b\nContent-Transfer-Encoding: base64\n";
    let body = Some(format!("Hello\n{MAIL_CUT}").into());
    let named = format!("{part}Content-Disposition: attachment; size=40000000\n\n");
    assert_eq!(cut(&named), (vec![Some(40_000_000)], body.clone()));
    // A size that is less than what came is none.
    let wrong = format!("{part}Content-Disposition: attachment; size=4\n\n");
    assert_eq!(cut(&wrong), (vec![None], body));
}

#[test]
fn a_body_that_is_cut_says_so() {
    let whole = format!("\n{}", "x".repeat(MAX_BODY));
    assert_eq!(timely(whole.as_bytes()).mail.body.unwrap(), "x".repeat(MAX_BODY).into());
    for raw in [
        format!("\n{}", "x".repeat(MAX_BODY + 1)),
        format!("Content-Type: text/html\n\n<p>{}", "é".repeat(MAX_BODY)),
        format!("Content-Type: multipart/mixed; boundary=b\n\n{}", "--b\n\nx\n".repeat(MAX_PARTS + 1)),
    ] {
        let body = timely(raw.as_bytes()).mail.body.unwrap();
        assert!(body.len() <= MAX_BODY && body.ends_with(&format!("\n{MAIL_CUT}")), "{} bytes", body.len());
    }
}

#[test]
fn a_hundred_thousand_references() {
    let ids: String = (0..100_000).map(|n| format!(" <{n}@x>\r\n")).collect();
    let parsed = timely(format!("References:{ids}\r\nx").as_bytes());
    assert_eq!(parsed.mail.references.len(), MAX_IDS);
    assert_eq!(parsed.findings, [Finding::TooManyIds { field: Field::References, total: 100_000 }]);
}

#[test]
fn html_nested_a_hundred_thousand_deep() {
    let raw = format!("Content-Type: text/html\n\n{}text{}", "<div><b>".repeat(100_000), "</b></div>".repeat(100_000));
    assert_eq!(timely(raw.as_bytes()).mail.body.as_deref(), Some("text"));
}

#[test]
fn headers_without_end() {
    for raw in [
        format!("Content-Type: text/plain{}\n\nx", "; a*1*=b".repeat(100_000)),
        format!("Content-Type: text/plain{}\n\nx", "; a=\"b\"".repeat(100_000)),
        format!("To: {}\n\nx", "(".repeat(1_000_000)),
        format!("To: {}\n\nx", "a <a@x>, ".repeat(100_000)),
        format!("Subject: {}\n\nx", "=?utf-8?q?".repeat(100_000)),
        format!("Subject: {}\n\nx", "=?utf-8?b?YQ==?= ".repeat(100_000)),
        format!("{}\nx", "To: a@x\n".repeat(1_000_000)),
        format!("{}\nx", "no field\n".repeat(1_000_000)),
        format!("Message-ID: {}\n\nx", "<".repeat(1_000_000)),
        format!("X: y\n{}\nx", " folded\n".repeat(1_000_000)),
    ] {
        timely(raw.as_bytes());
    }
}

/// Real messages to mutate.
fn corpus() -> Vec<Vec<u8>> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
    briefing_mail::read(root.as_ref()).unwrap().filter_map(Result::ok).map(|raw| raw.bytes).collect()
}

proptest! {
    #[test]
    fn random_bytes(raw in prop::collection::vec(any::<u8>(), 0..2_000)) {
        let _ = parse(&raw);
    }

    #[test]
    fn random_structure(lines in prop::collection::vec(prop::sample::select(vec![
        "Content-Type: multipart/mixed; boundary=b", "Content-Type: multipart/alternative; boundary=\"c\"",
        "Content-Type: text/html; charset=x", "Content-Type: message/rfc822", "Content-Transfer-Encoding: base64",
        "Content-Transfer-Encoding: quoted-printable", "--b", "--b--", "--c", "--c--", "", "=3D=", "aGk=", "\u{e9}", " folded",
    ]), 0..60)) {
        let raw = lines.join("\n");
        let parsed = parse(raw.as_bytes());
        prop_assert_eq!(&parsed, &parse(raw.as_bytes()));
        prop_assert_eq!(parsed.files.len(), parsed.mail.attachments.len());
    }
}

#[test]
fn mutated_real_messages() {
    let corpus = corpus();
    assert!(corpus.len() > 150, "{} messages", corpus.len());
    let edit = (any::<prop::sample::Index>(), any::<u8>());
    let strategy = (any::<prop::sample::Index>(), prop::collection::vec(edit, 1..20), any::<prop::sample::Index>());
    proptest!(ProptestConfig::with_cases(2_000), |((which, edits, end) in strategy)| {
        let mut raw = which.get(&corpus).clone();
        for (at, byte) in edits {
            let at = at.index(raw.len());
            raw[at] = byte;
        }
        raw.truncate(end.index(raw.len()).max(raw.len() / 2));
        let _ = parse(&raw);
    });
}

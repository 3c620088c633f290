//! Streams: split, cut, made from whole responses, and hostile.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/encode/mod.rs"]
mod encode;
#[path = "support/recorded.rs"]
mod recorded;
#[path = "support/shown.rs"]
mod shown;

use briefing::Wire;
use briefing_wire::{Cut, CutWhy, Finished, Stream, StreamEvent, parse_answer_text};
use encode::{FRAMINGS, events, frame};
use proptest::prelude::*;
use recorded::{answers, golden, recordings, streams};
use shown::joined;

/// The joined events and the end of a stream in these pieces.
fn read<'b>(wire: Wire, pieces: impl IntoIterator<Item = &'b [u8]>) -> (Vec<StreamEvent>, Finished) {
    let mut stream = Stream::new(wire);
    let mut out = Vec::new();
    for piece in pieces {
        out.extend(stream.push(piece));
    }
    (joined(out), stream.finish())
}

/// Each offset reads the stream anew; so of long ones only some are tried, unless BRIEFING_SPLITS asks for all.
fn step(bytes: &[u8]) -> usize {
    if std::env::var_os("BRIEFING_SPLITS").is_some() { 1 } else { 1 + bytes.len() * bytes.len() / 1_000_000 }
}

/// Every stream there is: recorded, hand-made, and encoded from the recorded whole responses.
fn all() -> Vec<(String, Wire, Vec<u8>)> {
    let mut out: Vec<_> = streams().into_iter().map(|(path, wire, bytes)| (path.display().to_string(), wire, bytes)).collect();
    for (index, recording) in recordings().into_iter().enumerate() {
        let bytes = if recording.is_json {
            let Ok(response) = serde_json::from_str(&recording.response) else { continue };
            if parse_answer_text(recording.wire, &recording.response).is_err() {
                continue;
            }
            frame(&events(recording.wire, &response, index as u64), FRAMINGS[index % FRAMINGS.len()])
        } else {
            recording.response.into_bytes()
        };
        out.push((recording.name, recording.wire, bytes));
    }
    out
}

#[test]
fn every_stream_reads_as_its_golden() {
    for (path, wire, bytes) in streams() {
        let (events, finished) = read(wire, [&bytes[..]]);
        let events: String = events.iter().map(|event| format!("{event:?}\n")).collect();
        golden(&path.with_extension("txt"), &format!("{events}\n{}", shown::finished(&finished)));
    }
    for recording in recordings().into_iter().filter(|recording| !recording.is_json) {
        let (_, finished) = read(recording.wire, [recording.response.as_bytes()]);
        golden(&answers().join(format!("{}.txt", recording.name)), &shown::finished(&finished));
    }
}

/// A whole response and the stream of it are the same answer, however the events are framed and cut.
#[test]
fn whole_and_streamed_are_the_same() {
    let mut seen = 0;
    for recording in recordings().into_iter().filter(|recording| recording.is_json) {
        let response: serde_json::Value = serde_json::from_str(&recording.response).unwrap();
        let Ok(whole) = parse_answer_text(recording.wire, &response.to_string()) else { continue };
        for (seed, framing) in FRAMINGS.into_iter().enumerate() {
            let bytes = frame(&events(recording.wire, &response, seed as u64), framing);
            let (events, finished) = read(recording.wire, [&bytes[..]]);
            assert_eq!(finished, Finished::Whole(whole.clone()), "{}", recording.name);
            let text: String = events
                .iter()
                .filter_map(|event| if let StreamEvent::Text { text } = event { Some(text.as_str()) } else { None })
                .collect();
            let said: String = whole.said.items.iter().filter_map(|item| item.text()).collect();
            assert_eq!(text, said, "{}", recording.name);
        }
        seen += 1;
    }
    assert!(seen >= 50, "{seen}");
}

#[test]
fn every_split_gives_the_same_events_and_the_same_end() {
    for (name, wire, bytes) in all() {
        let whole = read(wire, [&bytes[..]]);
        assert_eq!(read(wire, bytes.chunks(1)), whole, "{name}");
        for at in (0..=bytes.len()).step_by(step(&bytes)) {
            let (one, two) = bytes.split_at(at);
            assert_eq!(read(wire, [one, two]), whole, "{name} at {at}");
        }
    }
}

/// What is cut anywhere is never whole unless all of it but the frame had come, and no call of it is one that did not end.
#[test]
fn a_stream_cut_anywhere_is_never_whole_and_its_open_calls_are_none() {
    for (name, wire, bytes) in all() {
        let Finished::Whole(whole) = read(wire, [&bytes[..]]).1 else { continue };
        for at in (0..bytes.len()).step_by(step(&bytes)) {
            let (head, _) = bytes.split_at(at);
            match read(wire, [head]).1 {
                Finished::Whole(answer) => assert_eq!(
                    (answer.said, answer.unfinished),
                    (whole.said.clone(), whole.unfinished.clone()),
                    "{name} at {at}"
                ),
                Finished::Cut(Cut { said, why, .. }) => {
                    assert!(matches!(why, CutWhy::Ended | CutWhy::Unreadable(_)), "{name} at {at}: {why}");
                    for call in said.calls() {
                        assert!(whole.said.calls().any(|known| known == call), "{name} at {at}: {call:?}");
                    }
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn every_way_to_cut_gives_the_same(which in any::<proptest::sample::Index>(), mut cuts in prop::collection::vec(any::<proptest::sample::Index>(), 0..40)) {
        thread_local! { static ALL: Vec<(String, Wire, Vec<u8>)> = all(); }
        ALL.with(|all| {
            let (name, wire, bytes) = which.get(all);
            let mut places: Vec<usize> = cuts.drain(..).map(|cut| cut.index(bytes.len() + 1)).collect();
            places.sort_unstable();
            let mut pieces = Vec::new();
            let mut rest = &bytes[..];
            let mut done = 0;
            for place in places {
                let (piece, behind) = rest.split_at(place - done);
                pieces.push(piece);
                (rest, done) = (behind, place);
            }
            pieces.push(rest);
            prop_assert_eq!(read(*wire, pieces), read(*wire, [&bytes[..]]), "{}", name);
            Ok(())
        })?;
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..20)) {
        for wire in Wire::ALL {
            let (_, finished) = read(wire, pieces.iter().map(Vec::as_slice));
            prop_assert!(matches!(finished, Finished::Cut(_)));
        }
    }

    /// Streams whose events are shuffled, repeated and dropped.
    #[test]
    fn events_in_any_order_are_read_without_a_panic(which in any::<proptest::sample::Index>(), order in prop::collection::vec(any::<proptest::sample::Index>(), 0..60)) {
        thread_local! { static ALL: Vec<(String, Wire, Vec<u8>)> = all(); }
        ALL.with(|all| {
            let (_, wire, bytes) = which.get(all);
            let text = String::from_utf8_lossy(bytes);
            let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("data")).collect();
            if lines.is_empty() {
                return;
            }
            let mut stream = Stream::new(*wire);
            for index in order {
                stream.push(format!("{}\n\n", index.get(&lines)).as_bytes());
            }
            let _finished = stream.finish();
        });
    }
}

//! Prints the full table, of which `docs/benchmarks.md` shows the ranges, that tells how much of a request is the same prefix as of the one before.

#![allow(clippy::print_stdout, reason = "the table is what this is for")]

use briefing_tests::prefix::{Asked, Window, call, replayed};
use briefing_tests::transcripts::MODELS;

fn main() {
    println!(
        "| wire | model | window | asked | kept, with the system text | kept, messages alone | served, with | served, alone |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let windows = [(Window::Strides(30), "strides, 30 to 10"), (Window::Sliding(20), "sliding, 20")];
    let every = [(Asked::EveryMessage, "at every message"), (Asked::EveryAnswer, "before every answer")];
    for (model, wire) in MODELS {
        let call = call(model, wire);
        for ((window, name), (asked, when)) in windows.into_iter().flat_map(|window| every.map(|every| (window, every))) {
            let (whole, messages) = replayed(&call, window, asked);
            let shares = [whole.kept(), messages.kept(), whole.served(), messages.served()]
                .map(|share| format!("{:.1}%", share * 100.0));
            println!("| {wire} | {model} | {name} | {when} | {} |", shares.join(" | "));
        }
    }
}

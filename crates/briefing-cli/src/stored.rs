//! `check` of messages as another library stored them: how they are read, and what is wrong with their pairing.

use std::fmt::Write;
use std::process::ExitCode;

use briefing::{Bounds, Call, Profiles, Rule, Wire, fit};
use briefing_forms::Form;
use briefing_json::Value;
use briefing_wire::Render;
use serde_json::json;

use crate::args::CheckArgs;
use crate::error::{Failure, Kind, Stop};
use crate::input::messages::stored;
use crate::output::json::pretty;
use crate::output::{Output, count, shown};
use crate::repair::{counted, told};

/// What is told of the messages.
struct Told {
    messages: usize,
    wire: Wire,
    /// What was read otherwise than it stands there.
    read: Vec<String>,
    /// Where the pairing of calls and outcomes is broken.
    pairing: Vec<String>,
    /// What else is different on the wire.
    sent: Vec<String>,
}

pub(crate) fn check(form: Form, root: Value<'_>, name: &str, args: &CheckArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    if args.fix {
        let failure = Failure::new(Kind::Usage, format!("{name} holds {form} messages, and --fix mends request bodies"));
        return Err(failure.hint("`briefing assemble --transcript FILE --as WIRE` prints the body, mended").into());
    }
    let told = tell(form, root, name, args)?;
    if args.json {
        out.write(&pretty(&json!({
            "file": name,
            "form": form.name(),
            "wire": told.wire.name(),
            "messages": told.messages,
            "clean": told.pairing.is_empty(),
            "read": told.read,
            "pairing": told.pairing,
            "sent": told.sent,
        })))?;
    } else {
        out.write(&told.text(form, name))?;
    }
    Ok(if told.pairing.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(Kind::Data.code()) })
}

fn tell(form: Form, root: Value<'_>, name: &str, args: &CheckArgs) -> Result<Told, Failure> {
    let conversation = stored(form, root, name)?;
    let wire = args.wire.map_or(Wire::OpenAiChat, Wire::from);
    let mut profile = Profiles::built_in().model(args.model.as_deref().unwrap_or_default(), Some(wire));
    profile.max_request_bytes = u64::MAX;
    let internal =
        |error: &dyn std::fmt::Display| Failure::new(Kind::Internal, format!("the messages cannot be written: {error}"));
    let briefing = fit(&conversation.messages, &Call::new(profile), &Bounds::none()).map_err(|error| internal(&error))?;
    let request = briefing.render().map_err(|error| internal(&error))?;
    let (broken, other): (Vec<_>, Vec<_>) = briefing.receipt().lines().iter().partition(|line| is_broken(&line.rule));
    let line = |line: &briefing::Line| told(line, &conversation.messages);
    let sent = other.into_iter().map(line).chain(request.findings().iter().map(|finding| finding.change.to_string()));
    Ok(Told {
        messages: conversation.messages.len(),
        wire,
        read: conversation.notes.iter().map(ToString::to_string).collect(),
        pairing: broken.into_iter().map(line).collect(),
        sent: counted(sent),
    })
}

/// Whether providers refuse a list of which this was not mended.
fn is_broken(rule: &Rule) -> bool {
    matches!(
        rule,
        Rule::OutcomeMissing { .. }
            | Rule::OutcomeMoved { .. }
            | Rule::OutcomeRepeated { .. }
            | Rule::OutcomeWithoutCall { .. }
            | Rule::IdRepeated { .. }
    )
}

impl Told {
    fn text(&self, form: Form, name: &str) -> String {
        let faults = match self.pairing.len() {
            0 => "calls and outcomes pair".to_owned(),
            many => count(many, "fault") + " of pairing",
        };
        let messages = count(self.messages, "message");
        let mut out = format!("{}: {form} messages, read as {messages} for {}: {faults}\n", shown(name), self.wire);
        let blocks = [
            ("a provider refuses, if it is sent so; Briefing mends it", &self.pairing),
            ("was read otherwise than it stands there", &self.read),
            ("is different on the wire", &self.sent),
        ];
        for (title, lines) in blocks {
            if !lines.is_empty() {
                let _ = writeln!(out, "\n{title}:");
                for line in lines {
                    let _ = writeln!(out, "  {}", shown(line));
                }
            }
        }
        out
    }
}

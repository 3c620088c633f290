//! `briefing check`: what a provider refuses in a request body, and the body mended.

use std::process::ExitCode;

use briefing::{Dialect, Profiles, Wire};
use briefing_check::{Rules, check, recognise};
use briefing_json::{Document, Value};
use serde_json::json;

use crate::args::CheckArgs;
use crate::error::{Failure, Kind, Stop};
use crate::input::messages::{checked_wire, core_wire, unrecognised};
use crate::input::{Input, InputError, MAX_INPUT, read};
use crate::output::Output;
use crate::output::json::pretty;
use crate::output::report::{Problem, Problems};
use crate::repair::{Mended, mend};

/// How many changes are told on standard error.
const TOLD: usize = 100;

pub(crate) fn run(args: CheckArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.json);
    let input = read(&args.file, MAX_INPUT).map_err(Failure::from)?;
    let document = Document::parse(&input.text).map_err(|error| Failure::from(InputError::json(&input.name, error)))?;
    if let Some(form) = briefing_forms::recognise(document.root()) {
        return crate::stored::check(form, document.root(), &input.name, &args, out);
    }
    let body = Body::new(&args, &input, &document)?;
    let problems = body.problems(&document, &input.text);
    if args.fix {
        return fix(&args, &body, &document, &problems, out);
    }
    if args.json {
        out.write(&pretty(&body.json(&problems)))?;
    } else {
        out.write(&problems.text(&body.title(), out.paint()))?;
    }
    Ok(code(&problems))
}

fn code(problems: &Problems) -> ExitCode {
    if problems.is_clean() { ExitCode::SUCCESS } else { ExitCode::from(Kind::Data.code()) }
}

fn fix(
    args: &CheckArgs,
    body: &Body<'_>,
    document: &Document<'_>,
    problems: &Problems,
    out: &mut Output,
) -> Result<ExitCode, Stop> {
    let text = &body.input.text;
    if problems.is_clean() {
        if args.json {
            out.write(&body.fixed_json(problems, &Mended { body: text.clone(), changes: Vec::new() }, problems))?;
        } else {
            out.write(text)?;
            out.note(format_args!("{}: nothing wrong with the body; printed as it is", body.title()));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut mended = mend(document, text, body.wire, args.model.as_deref())?;
    let left = match Document::parse(&mended.body) {
        Ok(document) => body.problems(&document, &mended.body),
        Err(error) => return Err(Failure::new(Kind::Internal, format!("the mended body is not JSON: {error}")).into()),
    };
    // What only the writing put right, as the name of the function in an outcome of Gemini, has no line of its own.
    if mended.changes.is_empty() && left.omitted == 0 {
        mended.changes = problems.gone(&left);
    }
    if args.json {
        out.write(&body.fixed_json(problems, &mended, &left))?;
        return Ok(code(&left));
    }
    out.write(&mended.body)?;
    mended.changes.iter().take(TOLD).for_each(|change| out.note(format_args!("fixed: {change}")));
    if mended.changes.len() > TOLD {
        out.note(format_args!("fixed: … and {} more (--json gives them all)", mended.changes.len() - TOLD));
    }
    if mended.changes.is_empty() {
        out.note(if mended.body == *text { "nothing could be fixed" } else { "fixed: its form alone" });
    }
    if !left.is_clean() {
        let text = left.text(&format!("{}, mended as far as it goes", body.title()), out.err_paint());
        out.complaint(&text);
    }
    Ok(code(&left))
}

/// A body with what it is checked by.
struct Body<'a> {
    input: &'a Input,
    wire: Wire,
    /// Whether the wire was told by nothing but the model's name, or its lack.
    guessed: bool,
    model: Option<String>,
    rules: Rules,
}

impl<'a> Body<'a> {
    fn new(args: &CheckArgs, input: &'a Input, document: &Document<'_>) -> Result<Self, Failure> {
        let root = document.root();
        let (wire, guessed) = match args.wire {
            Some(wire) => (wire.into(), false),
            None => {
                let recognised = recognise(root).map_err(|error| unrecognised(&input.name, error))?;
                (core_wire(recognised.wire), recognised.guessed)
            }
        };
        let model = args.model.clone().or_else(|| model_of(root));
        let checked = checked_wire(wire);
        let rules = match &model {
            Some(model) => Rules::for_model(checked, model),
            None => Rules::for_wire(checked),
        };
        Ok(Self { input, wire, guessed, model, rules })
    }

    fn title(&self) -> String {
        let model = self.model.as_ref().map(|model| format!(", {model}")).unwrap_or_default();
        let guessed = if self.guessed { " (a guess; --as chooses)" } else { "" };
        format!("{}: {}{guessed}{model}", self.input.name, self.wire)
    }

    fn problems(&self, document: &Document<'_>, text: &str) -> Problems {
        let mut problems = Problems::new(check(document.root(), &self.rules), &self.rules, text);
        if let Some(most) = self.most_bytes().filter(|most| text.len() as u64 > *most) {
            problems.list.insert(0, Problem::body_too_large(text.len(), most));
        }
        problems
    }

    /// The most bytes of a body, where the provider itself reads it and says so.
    fn most_bytes(&self) -> Option<u64> {
        let family = match self.wire {
            Wire::OpenAiChat | Wire::OpenAiResponses => "",
            Wire::Anthropic => "claude",
            Wire::Gemini => "gemini",
        };
        let profile = Profiles::built_in().model(self.model.as_deref().unwrap_or(family), Some(self.wire));
        (profile.dialect == Dialect::Original).then_some(profile.max_request_bytes)
    }

    fn json(&self, problems: &Problems) -> serde_json::Value {
        json!({
            "file": self.input.name,
            "wire": self.wire.name(),
            "wire_guessed": self.guessed,
            "model": self.model,
            "clean": problems.is_clean(),
            "violations": problems.json(),
            "omitted": problems.omitted,
        })
    }

    /// The same with the mended body, as it is printed alone, in its last field.
    fn fixed_json(&self, before: &Problems, mended: &Mended, left: &Problems) -> String {
        let mut all = self.json(before);
        if let Some(all) = all.as_object_mut() {
            let left = json!({ "clean": left.is_clean(), "violations": left.json(), "omitted": left.omitted });
            all.insert("changes".to_owned(), json!(mended.changes));
            all.insert("left".to_owned(), left);
        }
        let text = pretty(&all);
        let open = text.trim_end().strip_suffix('}').unwrap_or_default().trim_end();
        format!("{open},\n  \"body\": {}\n}}\n", mended.body.trim())
    }
}

fn model_of(root: Value<'_>) -> Option<String> {
    Some(root.get("model")?.as_str()?.into_owned())
}

//! `briefing text`: what a model would read of a file.

use std::io::{IsTerminal, Read};
use std::path::Path;
use std::process::ExitCode;

use briefing_extract::{ExtractError, Extraction, Format, MAX_INPUT_BYTES, Partial};
use serde_json::{Value, json};

use crate::args::TextArgs;
use crate::error::{Failure, Kind, Stop};
use crate::input::open;
use crate::output::json::pretty;
use crate::output::{Output, name_of, safe};
use crate::reader::{extract, missing};

/// How wide a tab is shown.
const TAB: &str = "    ";

pub(crate) fn run(args: TextArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.quiet || args.json);
    let name = name_of(&args.file);
    let content = content(&args.file).map_err(|error| Failure::unreadable(&name, &error))?;
    let format = Format::of(args.file.file_name().and_then(|name| name.to_str()), "", &content);
    let format = format.ok_or_else(|| unread(&name, &ExtractError::Unsupported))?;
    if format == Format::Picture {
        return Err(Failure::new(Kind::Data, format!("{name}: a picture has no text"))
            .hint("a model that sees pictures is sent the picture itself")
            .into());
    }
    let Extraction { text, partial } = extract(format, &content).map_err(|error| unread(&name, &error))?;
    if text.trim().is_empty() {
        let why = partial.map_or_else(|| "there is no text in it".to_owned(), missing);
        return Err(Failure::new(Kind::Data, format!("{name}: {why}"))
            .hint("a model reads the file's name alone; of a scan, send the text or the pictures")
            .into());
    }
    if args.json {
        let missing = partial.map(|partial| json!({ "code": code(partial), "text": missing(partial) }));
        out.write(&pretty(&json!({ "file": name, "format": format_name(format), "text": text, "missing": missing })))?;
        return Ok(ExitCode::SUCCESS);
    }
    if std::io::stdout().is_terminal() {
        text.lines().try_for_each(|line| out.write(&(safe(&line.replace('\t', TAB)) + "\n")))?;
    } else {
        out.write(&text)?;
        out.write(if text.ends_with('\n') { "" } else { "\n" })?;
    }
    if let Some(partial) = partial {
        out.note(format_args!("less than the file: {}", missing(partial)));
    }
    Ok(ExitCode::SUCCESS)
}

/// One byte more than is read tells that it is too large.
fn content(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let most = u64::try_from(MAX_INPUT_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    open(path)?.take(most).read_to_end(&mut content)?;
    Ok(content)
}

fn unread(name: &str, error: &ExtractError) -> Failure {
    let kind = match error {
        ExtractError::Spawn { .. } | ExtractError::NoAnswer => Kind::Internal,
        ExtractError::TooLarge { .. }
        | ExtractError::UnpacksTooLarge { .. }
        | ExtractError::TooManyEntries { .. }
        | ExtractError::Broken { .. }
        | ExtractError::Encrypted
        | ExtractError::Unsupported
        | ExtractError::TimedOut { .. }
        | ExtractError::Memory { .. }
        | ExtractError::Output { .. }
        | ExtractError::Crashed { .. } => Kind::Data,
    };
    let why = match error {
        ExtractError::TooLarge { most, .. } => format!("the file has more than {most} bytes"),
        error => error.to_string(),
    };
    Failure::new(kind, format!("{name}: {why}")).hint(error.hint())
}

const fn code(partial: Partial) -> &'static str {
    match partial {
        Partial::Chars { .. } => "chars",
        Partial::Pages { .. } => "pages",
        Partial::Rows { .. } => "rows",
        Partial::Bytes { .. } => "bytes",
        Partial::Unreadable { .. } => "unreadable",
        Partial::Damaged => "damaged",
        Partial::NoText => "no-text",
        Partial::Decoding => "decoding",
    }
}

fn format_name(format: Format) -> Value {
    serde_json::to_value(format).unwrap_or_default()
}

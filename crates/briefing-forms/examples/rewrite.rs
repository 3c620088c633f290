//! Reads stored messages of any form and writes them in one: `rewrite FILE langchain|vercel-ui|vercel-model`.

use std::error::Error;
use std::io::Write;

use briefing_forms::{Form, read, recognise, write};
use briefing_json::Document;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (file, name) = (args.next().ok_or("a file is wanted")?, args.next().ok_or("a form is wanted")?);
    let text = std::fs::read_to_string(file)?;
    let document = Document::parse(&text)?;
    let from = recognise(document.root()).ok_or("the file holds no messages of a known form")?;
    let to = Form::ALL.into_iter().find(|form| form.name() == name).ok_or("no such form")?;
    let written = write(to, &read(from, document.root())?.messages);
    std::io::stdout().write_all(written.json.as_bytes())?;
    written.findings.iter().try_for_each(|finding| writeln!(std::io::stderr(), "{finding}"))?;
    Ok(())
}

//! `briefing init`: a configuration that works, by a few questions or by none.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use briefing::Wire;
use briefing_agent::provider::http::{Endpoint, ServedModel};

use crate::agent::{build, person, runtime};
use crate::args::InitArgs;
use crate::database;
use crate::error::{Failure, Kind, Stop};
use crate::output::{Output, name_of};
use crate::setup::{self, checked_url, default_key, secret, standard_wire};

/// Servers that people run on their own machine: llama.cpp, Ollama, LM Studio, and llama.cpp as Briefing's own tests start it.
const LOCAL: [&str; 4] =
    ["http://127.0.0.1:8080/v1", "http://127.0.0.1:11434/v1", "http://127.0.0.1:1234/v1", "http://127.0.0.1:18080/v1"];
/// How long one of them may take to answer.
const PATIENCE: Duration = Duration::from_millis(700);
/// The context that is written for a server that does not say.
const LOCAL_CONTEXT: u32 = 8_192;

/// The wires whose providers' keys are looked for, in this order.
const KEYED: [Wire; 3] = [Wire::OpenAiChat, Wire::Anthropic, Wire::Gemini];

const PERSONA_FILE: &str = "persona.toml";
const DATABASE_FILE: &str = "briefing.db";

/// What is written.
struct Choice {
    wire: Wire,
    model: String,
    /// None: the provider's own.
    base_url: Option<String>,
    /// The variable that holds the key; none: no key is sent, or of a provider's own server the one by custom.
    key_env: Option<String>,
    context: Option<u32>,
    /// Whether nothing told which model it should be.
    guessed: bool,
}

pub(crate) fn run(args: InitArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    let folder = args.folder.clone();
    for name in [setup::FILE, PERSONA_FILE, DATABASE_FILE] {
        let path = folder.join(name);
        if path.symlink_metadata().is_ok() {
            return Err(Failure::new(Kind::Io, format!("{} is there already", name_of(&path)))
                .hint("nothing was written; name another folder, or move that away")
                .into());
        }
    }
    if let Some(key) = &args.key_env {
        secret::variable("--key-env", key)?;
    }
    if let Some(base) = &args.base_url {
        checked_url("--base-url", base)?;
    }
    let asks = !args.yes && person::is_there();
    let found = suggestion(&args)?;
    let choice = if asks { asked(found, out)? } else { found };
    let name = match &args.persona_name {
        Some(name) => name.clone(),
        None if asks => ask(out, "What is the assistant called", "Ada")?,
        None => "Ada".to_owned(),
    };
    let address = args.persona_address.clone().unwrap_or_else(|| address(&name));
    fs::create_dir_all(&folder).map_err(|error| written(&folder, &error))?;
    write_new(&folder.join(setup::FILE), &configuration(&choice))?;
    write_new(&folder.join(PERSONA_FILE), &persona(&name, &address))?;
    drop(database::create(&folder.join(DATABASE_FILE))?);
    ignore(&folder)?;
    if choice.guessed {
        out.note(format_args!(
            "found no key in the environment ({}) and no server on this machine: {} is what most have",
            KEYED.map(default_key).join(", "),
            choice.model
        ));
    }
    next(&folder, &choice, out)?;
    Ok(ExitCode::SUCCESS)
}

/// What is to be done next.
fn next(folder: &Path, choice: &Choice, out: &mut Output) -> Result<(), Stop> {
    let place = if folder == Path::new(".") { "here".to_owned() } else { format!("in {}", name_of(folder)) };
    let key = choice.key_env.as_deref().or_else(|| choice.base_url.is_none().then(|| default_key(choice.wire)));
    let missing = key.filter(|key| std::env::var_os(key).is_none());
    let answers = if missing.is_some() { "is to answer" } else { "answers" };
    out.line(format_args!(
        "written {place}: {}, {PERSONA_FILE}, {DATABASE_FILE}; {} over {} {answers}",
        setup::FILE,
        choice.model,
        choice.wire.name()
    ))?;
    match missing {
        Some(key) => out.line(format_args!("first:  export {key}=…   (the provider's key; it is not set)"))?,
        None => out.line(format_args!("change who answers, and how, in {PERSONA_FILE}"))?,
    }
    let go = if folder == Path::new(".") { String::new() } else { format!("cd {} && ", name_of(folder)) };
    out.line(format_args!("then:   {go}briefing doctor && briefing chat"))
}

/// The flags; what they leave open is taken from the environment, from a server on this machine, or from custom.
fn suggestion(args: &InitArgs) -> Result<Choice, Failure> {
    let wire = args.wire.map(Wire::from);
    let mut choice = Choice {
        wire: wire.unwrap_or(Wire::OpenAiChat),
        model: String::new(),
        base_url: args.base_url.clone(),
        key_env: args.key_env.clone(),
        context: None,
        guessed: false,
    };
    if let Some(model) = &args.model {
        choice.model.clone_from(model);
        choice.wire = wire.unwrap_or_else(|| match args.base_url {
            // A server of one's own speaks OpenAI Chat, whatever the model is called.
            Some(_) => Wire::OpenAiChat,
            None => standard_wire(model),
        });
        if let (Some(base), false) = (&args.base_url, args.no_probe) {
            let named = listed(base)?.into_iter().find(|served| served.name == *model);
            choice.context = named.map(|served| served.context.unwrap_or(LOCAL_CONTEXT));
        }
        return Ok(choice);
    }
    if let Some(base) = &args.base_url {
        let served = (!args.no_probe).then(|| first_of(base)).transpose()?.flatten();
        let served = served.ok_or_else(|| {
            Failure::new(Kind::Usage, format!("{base} names no model of its own")).hint("name one with --model")
        })?;
        (choice.model, choice.context) = (served.name, served.context.or(Some(LOCAL_CONTEXT)));
        return Ok(choice);
    }
    let keyed = KEYED.into_iter().find(|of| {
        let key = args.key_env.as_deref().unwrap_or_else(|| default_key(*of));
        wire.is_none_or(|wire| default_key(wire) == default_key(*of)) && std::env::var_os(key).is_some()
    });
    if wire.is_none() && keyed.is_none() && args.key_env.is_none() && !args.no_probe {
        for base in LOCAL {
            if let Some(served) = first_of(base)? {
                let context = served.context.or(Some(LOCAL_CONTEXT));
                return Ok(Choice { base_url: Some(base.to_owned()), model: served.name, context, ..choice });
            }
        }
    }
    choice.guessed = wire.is_none() && keyed.is_none() && args.key_env.is_none() && !args.no_probe;
    choice.wire = wire.or(keyed).unwrap_or(Wire::OpenAiChat);
    usual_model(choice.wire).clone_into(&mut choice.model);
    Ok(choice)
}

/// The models of a server; none if they cannot be had.
fn listed(base: &str) -> Result<Vec<ServedModel>, Failure> {
    runtime()?.block_on(build::listed(base, PATIENCE))
}

/// The first of them.
fn first_of(base: &str) -> Result<Option<ServedModel>, Failure> {
    Ok(listed(base)?.into_iter().next())
}

fn usual_model(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAiChat | Wire::OpenAiResponses => "gpt-5",
        Wire::Anthropic => "claude-sonnet-4-5",
        Wire::Gemini => "gemini-3-flash",
    }
}

/// The suggestion as a person wants it.
fn asked(found: Choice, out: &mut Output) -> Result<Choice, Stop> {
    let model = ask(out, "Which model", &found.model)?;
    let standard = if model == found.model { found.wire } else { wire_of(&model, found.base_url.is_some()) };
    let names = Wire::ALL.map(Wire::name).join(", ");
    let wire = loop {
        let name = ask(out, &format!("How is it spoken to ({names})"), standard.name())?;
        match Wire::ALL.into_iter().find(|wire| wire.name() == name) {
            Some(wire) => break wire,
            None => out.note(format_args!("{name}: one of {names} is wanted")),
        }
    };
    let own = found.base_url.clone().unwrap_or_else(|| Endpoint::usual_base(wire).to_owned());
    let base = loop {
        let base = ask(out, "At which address", &own)?;
        match checked_url("the address", &base) {
            Ok(()) => break base,
            Err(failure) => out.failure(&failure),
        }
    };
    let base_url = (base != Endpoint::usual_base(wire)).then_some(base);
    let usual = found.key_env.clone().unwrap_or_else(|| if base_url.is_some() { "none" } else { default_key(wire) }.to_owned());
    let key = loop {
        let key = ask(out, "Which variable of the environment holds the key (its name, not the key)", &usual)?;
        match secret::variable("the variable", &key) {
            Ok(()) => break key,
            Err(failure) => out.failure(&failure),
        }
    };
    let key_env = (key != "none" && (base_url.is_some() || key != default_key(wire))).then_some(key);
    let context = found.context.filter(|_| base_url.is_some());
    Ok(Choice { wire, model, base_url, key_env, context, guessed: false })
}

fn wire_of(model: &str, own_server: bool) -> Wire {
    if own_server { Wire::OpenAiChat } else { standard_wire(model) }
}

/// A question with what an empty line means.
fn ask(out: &mut Output, question: &str, usual: &str) -> Result<String, Stop> {
    out.prompt(&format!("{question} [{usual}]: "));
    let line = person::line().map_err(|error| Failure::unreadable("standard input", &error))?;
    let line = line.as_deref().map(str::trim).unwrap_or_default();
    Ok(if line.is_empty() { usual } else { line }.to_owned())
}

/// An address out of a name.
fn address(name: &str) -> String {
    let letters = name.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    format!("{}@localhost", if letters.is_empty() { "assistant" } else { &letters })
}

/// A text of TOML.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn configuration(choice: &Choice) -> String {
    let mut model = format!("[[model]]\nname = {}\nwire = \"{}\"\n", quoted(&choice.model), choice.wire.name());
    if let Some(base) = &choice.base_url {
        model.push_str(&format!("base_url = {}\n", quoted(base)));
    }
    match (&choice.key_env, &choice.base_url) {
        (Some(key), _) => model.push_str(&format!("key_env = {}\n", quoted(key))),
        (None, None) => model.push_str(&format!("key_env = \"{}\"\n", default_key(choice.wire))),
        (None, Some(_)) => model.push_str("# key_env = \"…\"   # the variable that holds a key; without it none is sent\n"),
    }
    if let Some(context) = choice.context {
        model.push_str(&format!("context = {context}   # tokens, input and output together: as the server was started\n"));
        model.push_str("max_output = 1024   # tokens of an answer: small models do not stop by themselves\n");
        model.push_str("alternates = true   # chat templates of small models want user and assistant to take turns\n");
    }
    format!("{CONFIGURATION_HEAD}\n{model}{CONFIGURATION_TAIL}")
}

const CONFIGURATION_HEAD: &str = "\
# Who answers, and by which model. docs/agent.md lists every key.

database = \"briefing.db\"
persona = \"persona.toml\"

# The first model is asked; those of further [[model]] tables are fallbacks, in their order.";

const CONFIGURATION_TAIL: &str = r#"
[limits]
rounds = 20        # rounds of tool use in one answer
deadline_s = 600

# A program as a tool: it gets the arguments as JSON on standard input, and what it prints is what the model reads.
# Grant it in persona.toml: grant = ["clock"]
# [[command]]
# name = "clock"
# description = "Tells the time."
# input_schema = '{ "type": "object", "properties": {} }'
# run = ["date", "-u"]
# effect = "reads"   # or "writes": then a person confirms each call
# timeout_s = 5

# Tools of an MCP server.
# [[mcp]]
# name = "files"
# run = ["npx", "-y", "@modelcontextprotocol/server-filesystem", "."]
# confirm = "writes"
"#;

fn persona(name: &str, address: &str) -> String {
    let instructions = format!(
        "You are {name}, a helpful assistant. Answer in the language of the question, and keep it short.\n\
         If you do not know something, say so. If a tool can tell, use it first."
    );
    let (head, tail) = (format!("name = {}\naddress = {}\n", quoted(name), quoted(address)), PERSONA_TAIL);
    format!("# Who answers.\n\n{head}instructions = {}\n{tail}", multiline(&instructions))
}

/// A text of TOML on several lines.
fn multiline(text: &str) -> String {
    format!("\"\"\"\n{}\n\"\"\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

const PERSONA_TAIL: &str = r#"
# The tools that it may use, by name: those of [[command]] and [[mcp]] in briefing.toml, and the built-in ones.
grant = []

# What a model is told when a message is answered, in this order; docs/views.md tells the options of a history. The window fills to
# `chars` and is then cut to a third, so that a provider's prompt cache serves what stays.
[[message]]
text = "{{ persona.instructions }}"

[[message]]
history = { view = "chat", chars = 60000, replay = "cut", outcome_chars = 4000, stride = true }

# What it is told in scheduled work (`briefing run-once`).
[[responsibility]]
text = "{{ persona.instructions }}"

[[responsibility]]
role = "user"
text = "{{ responsibility.instructions }}"

# [[responsibilities]]
# name = "morning-report"
# instructions = "Write the report of the day."
"#;

/// Writes a file that was not there.
fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| written(path, &error))?;
    file.write_all(text.as_bytes()).map_err(|error| written(path, &error))
}

/// Says that the database is nobody else's, unless that is said.
fn ignore(folder: &Path) -> Result<(), Failure> {
    let (path, line) = (folder.join(".gitignore"), "briefing.db*");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Failure::unreadable(&name_of(&path), &error)),
    };
    if text.lines().any(|other| other.trim() == line) {
        return Ok(());
    }
    let begin = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let mut file = OpenOptions::new().append(true).create(true).open(&path).map_err(|error| written(&path, &error))?;
    file.write_all(format!("{begin}{line}\n").as_bytes()).map_err(|error| written(&path, &error))
}

fn written(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Kind::Io, format!("{} cannot be written: {error}", name_of(path)))
        .hint("check the path, the rights of its folder and the space on the disk")
}

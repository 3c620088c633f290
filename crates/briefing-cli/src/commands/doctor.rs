//! `briefing doctor`: what is wrong with an agent's configuration, and what to do about it.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use briefing::Bounds;
use briefing::message::ModelMessage;
use briefing_agent::provider::http::ServedModel;
use briefing_agent::tool::ToolSet;
use briefing_agent::{Model, ProviderFault, Tool};
use briefing_store::{RunsOf, Store};
use briefing_wire::{ErrorKind, Render};
use serde_json::{Value, json};

use crate::agent::build::{self, Keys, PATIENCE};
use crate::agent::place::{LogPlace, persona};
use crate::agent::runtime;
use crate::agent::session::{NO_PRICES, is_of_tools};
use crate::args::DoctorArgs;
use crate::error::{Failure, Kind, Stop};
use crate::input::persona::Answerer;
use crate::output::json::pretty;
use crate::output::{Output, count, name_of, shown};
use crate::reader::Reader;
use crate::setup::{ModelSetup, Setup};
use crate::shown::ask;

/// How many names are listed.
const NAMES: usize = 12;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ok,
    Warning,
    Fault,
}

impl State {
    const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Fault => "fault",
        }
    }
}

/// One thing that was looked at.
struct Finding {
    what: String,
    state: State,
    told: String,
    remedy: Option<String>,
}

/// What was looked at so far.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn ok(&mut self, what: impl Into<String>, told: impl Into<String>) {
        self.0.push(Finding { what: what.into(), state: State::Ok, told: told.into(), remedy: None });
    }

    fn bad(&mut self, state: State, what: impl Into<String>, told: impl Into<String>, remedy: impl Into<String>) {
        self.0.push(Finding { what: what.into(), state, told: told.into(), remedy: Some(remedy.into()) });
    }

    fn failed(&mut self, what: impl Into<String>, failure: Failure) {
        self.0.push(Finding { what: what.into(), state: State::Fault, told: failure.message, remedy: failure.hint });
    }
}

pub(crate) fn run(args: DoctorArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.json);
    let mut found = Findings::default();
    match Setup::load(args.config.config.as_deref()) {
        Err(failure) => found.failed("configuration", failure),
        Ok(setup) => {
            found.ok("configuration", format!("{}: {}", setup.name(), count(setup.models.len(), "model")));
            let runtime = runtime()?;
            runtime.block_on(look(&setup, args.offline, &mut found));
        }
    }
    let fault = found.0.iter().any(|finding| finding.state == State::Fault);
    if args.json {
        let object = |Finding { what, state, told, remedy }: &Finding| json!({ "what": what, "state": state.name(), "told": told, "remedy": remedy });
        out.write(&pretty(&json!({ "ok": !fault, "findings": found.0.iter().map(object).collect::<Value>() })))?;
    } else {
        found.0.iter().try_for_each(|finding| tell(finding, out))?;
    }
    Ok(if fault { ExitCode::from(Kind::Config.code()) } else { ExitCode::SUCCESS })
}

fn tell(finding: &Finding, out: &mut Output) -> Result<(), Stop> {
    let paint = out.paint();
    let state = format!("{:<7}", finding.state.name());
    let state = match finding.state {
        State::Ok => paint.good(&state),
        State::Warning => paint.changed(&state),
        State::Fault => paint.bad(&state),
    };
    // An excerpt of the user's own file takes several lines.
    let told = finding.told.trim_end().split('\n').map(shown).collect::<Vec<_>>().join("\n          ");
    out.write(&format!("{state} {}: {told}\n", paint.strong(&shown(&finding.what))))?;
    match &finding.remedy {
        Some(remedy) => out.write(&format!("        {} {}\n", paint.good("do:"), shown(remedy))),
        None => Ok(()),
    }
}

async fn look(setup: &Setup, offline: bool, found: &mut Findings) {
    let answerer = match persona(setup) {
        Ok(answerer) => {
            let told = format!("{}: {}, {}", name_of(&setup.persona), answerer.persona.name(), answerer.persona.address());
            found.ok("persona", told);
            for note in answerer.notes.iter().filter(|note| !is_of_tools(note)) {
                found.bad(State::Warning, "persona", note.to_string(), format!("mend it in {}", name_of(&setup.persona)));
            }
            work(setup, &answerer, found);
            Some(answerer)
        }
        Err(failure) => {
            found.failed("persona", failure);
            None
        }
    };
    if let Some(answerer) = &answerer {
        database(setup, answerer, found);
    }
    for model in &setup.models {
        self::model(model, offline, found).await;
        if setup.limits.cost.is_some() && model.prices.is_none() {
            let told = "limits.cost bounds what a run costs, and its prices are not known";
            found.bad(State::Fault, format!("model {}", model.name()), told, NO_PRICES);
        }
    }
    let tools = tools(setup, offline, found).await;
    if let Some(answerer) = &answerer {
        granted(setup, answerer, &tools, found);
    }
}

/// Whether there is a chain for the scheduled work that is declared.
fn work(setup: &Setup, answerer: &Answerer, found: &mut Findings) {
    if let (Err(error), false) = (answerer.persona.responsibility_chain(), answerer.responsibilities.is_empty()) {
        let remedy = format!("add [[responsibility]] tables to {}", name_of(&setup.persona));
        found.bad(State::Fault, "responsibilities", error.to_string(), remedy);
    }
}

fn database(setup: &Setup, answerer: &Answerer, found: &mut Findings) {
    let name = name_of(&setup.database);
    if let Some((told, remedy)) = unusable(&setup.database, &name) {
        return found.bad(State::Fault, "database", told, remedy);
    }
    if !setup.database.exists() {
        return found.ok("database", format!("{name} is not there yet; the first message makes it"));
    }
    let looked = LogPlace::open(setup, answerer.persona.owner().clone())
        .and_then(|log| ask(log.store.runs(&log.owner, RunsOf { open: true, ..RunsOf::newest(100) })));
    match looked {
        Ok(open) if open.is_empty() => found.ok("database", name.clone()),
        Ok(open) => found.ok("database", format!("{name}; {} not ended (`briefing runs --open`)", count(open.len(), "run"))),
        Err(failure) => found.failed("database", failure),
    }
    open_to_others(&setup.database, &name, found);
}

/// Why there can be no database at that path, and what to do about it.
fn unusable(path: &Path, name: &str) -> Option<(String, &'static str)> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Some((format!("the folder of {name} is not there"), "make it, or name another"));
    }
    if path.exists() && !path.is_file() {
        return Some((format!("{name} is no file"), "name another one under database"));
    }
    let refused = [folder, path].into_iter().find(|path| path.exists() && !may_write(path))?;
    Some((format!("{} cannot be written to", name_of(refused)), "give yourself the right, or name another database"))
}

/// Whether this user may write there.
#[cfg(unix)]
fn may_write(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
fn may_write(_path: &Path) -> bool {
    true
}

#[cfg(unix)]
fn open_to_others(path: &Path, name: &str, found: &mut Findings) {
    use std::os::unix::fs::MetadataExt;

    if path.metadata().is_ok_and(|meta| meta.mode() & 0o077 != 0) {
        found.bad(State::Warning, "database", format!("{name} can be read by others"), format!("chmod 600 {name}*"));
    }
}

#[cfg(not(unix))]
fn open_to_others(_path: &Path, _name: &str, _found: &mut Findings) {}

async fn model(setup: &ModelSetup, offline: bool, found: &mut Findings) {
    let what = format!("model {}", setup.name());
    let provider = match build::provider(setup, Keys::Wanted) {
        Ok(provider) => provider.limits(build::patient(PATIENCE)),
        Err(failure) => return found.failed(what, failure),
    };
    let place = format!("{} over {}", setup.base_url, setup.wire().name());
    if offline {
        return found.ok(what, format!("{place}; not asked (--offline)"));
    }
    match provider.models().await {
        Ok(served) if served.is_empty() => request(setup, &what, &place, found).await,
        Ok(served) => listed(setup, &what, &place, &served, found),
        Err(fault) => {
            let remedy = match &fault {
                ProviderFault::Refused { status, error, .. }
                    if error.kind == ErrorKind::Denied || matches!(status, 401 | 403) =>
                {
                    format!("look at the key in {}", setup.key)
                }
                ProviderFault::Unreachable { .. } | ProviderFault::TimedOut { .. } => {
                    "start the server, or mend base_url".to_owned()
                }
                ProviderFault::NoCertificates { .. } => {
                    "install the system's CA certificates, or name them with SSL_CERT_FILE".to_owned()
                }
                _ => "look at base_url and headers".to_owned(),
            };
            found.bad(State::Fault, what, format!("{place}: {fault}"), remedy);
        }
    }
}

fn listed(setup: &ModelSetup, what: &str, place: &str, served: &[ServedModel], found: &mut Findings) {
    let same =
        |served: &&ServedModel| served.name == setup.name() || setup.name().strip_prefix("models/") == Some(&served.name);
    let Some(served) = served.iter().find(same) else {
        let names: Vec<&str> = served.iter().take(NAMES).map(|served| served.name.as_str()).collect();
        return found.bad(
            State::Warning,
            what,
            format!("{place}: it does not list this model"),
            format!("it lists {}; some servers take other names too", names.join(", ")),
        );
    };
    match served.context.filter(|context| *context < setup.profile.context) {
        Some(context) => found.bad(
            State::Warning,
            what,
            format!("{place}: it takes {context} tokens, and {} are configured", setup.profile.context),
            format!("set context = {context} under [[model]]"),
        ),
        None => found.ok(what, place),
    }
}

/// How many tokens an answer may take that is asked for to see whether there is one: the least that OpenAI's servers allow.
const FEW: u32 = 16;

/// Asks for a short answer, where a server has no list of its models.
async fn request(setup: &ModelSetup, what: &str, place: &str, found: &mut Findings) {
    let asked = async {
        let model = Model { output_reserve: Some(FEW), ..build::model(setup, Keys::Wanted)? };
        let call = model.call(&[], model.profile.calibration);
        let internal = |error: &dyn std::fmt::Display| Failure::new(Kind::Internal, error.to_string());
        let briefing =
            briefing::fit(&[ModelMessage::user("Say yes.")], &call, &Bounds::none()).map_err(|error| internal(&error))?;
        let request = briefing.render().map_err(|error| internal(&error))?;
        let answer = model.provider.send(&request, &mut |_| {}).await;
        answer
            .map(|_| ())
            .map_err(|fault| Failure::new(Kind::Unavailable, fault.to_string()).hint("look at base_url, the key and the name"))
    };
    match asked.await {
        Ok(()) => found.ok(what, format!("{place}: it answers")),
        Err(failure) => found.failed(what, Failure { message: format!("{place}: {}", failure.message), ..failure }),
    }
}

async fn tools(setup: &Setup, offline: bool, found: &mut Findings) -> Tools {
    let mut tools = Tools::default();
    for tool in build::built_in(Arc::new(Reader::default())) {
        tools.add("built-in", tool, found);
    }
    for command in &setup.commands {
        let what = format!("command {}", command.name);
        let unset: Vec<&str> = command.env.iter().map(String::as_str).filter(|name| std::env::var_os(name).is_none()).collect();
        if !unset.is_empty() {
            found.bad(State::Warning, &what, format!("not set in the environment: {}", unset.join(", ")), "export them");
        }
        match is_program(&build::program(&command.program, &setup.root)) {
            true => found.ok(&what, command.program.clone()),
            false => found.bad(
                State::Fault,
                &what,
                format!("{} is no program that can be run", command.program),
                "mend run; a relative path is taken from the configuration's folder",
            ),
        }
        if let Some((name, _)) = &command.propose
            && !is_program(&build::program(name, &setup.root))
        {
            let remedy = "mend propose; a relative path is taken from the configuration's folder";
            found.bad(State::Fault, &what, format!("{name} (propose) is no program that can be run"), remedy);
        }
        tools.add(&what, build::command(command, &setup.root), found);
    }
    if offline {
        for server in &setup.servers {
            tools.unknown = true;
            found.ok(format!("mcp {}", server.name), "not asked (--offline)");
        }
        return tools;
    }
    for (server, connected) in setup.servers.iter().zip(build::servers(setup).await) {
        let what = format!("mcp {}", server.name);
        match connected {
            Ok(connected) => {
                found.ok(&what, count(connected.tools.len(), "tool"));
                for finding in &connected.findings {
                    found.bad(
                        State::Warning,
                        &what,
                        build::finding(finding),
                        "look at its list of tools, and at reads and confirm",
                    );
                }
                for tool in connected.tools {
                    if let Err(error) = tools.set.add(tool) {
                        found.bad(State::Warning, &what, build::left_out(&error), "give the server a prefix");
                    }
                }
            }
            Err(failure) => {
                tools.unknown = true;
                found.failed(what, failure);
            }
        }
    }
    tools
}

/// The tools that there are.
#[derive(Default)]
struct Tools {
    set: ToolSet,
    /// Whether there may be more, which could not be looked at.
    unknown: bool,
}

impl Tools {
    fn add(&mut self, what: &str, tool: Arc<dyn Tool>, found: &mut Findings) {
        if let Err(error) = self.set.add(tool) {
            found.bad(State::Fault, what, error.to_string(), "rename it, mend its schema, or give the server a prefix");
        }
    }
}

/// Holds the grant and the declared tools against those that are there.
fn granted(setup: &Setup, answerer: &Answerer, tools: &Tools, found: &mut Findings) {
    let file = name_of(&setup.persona);
    let is_there = |name: &str| tools.set.get(name).is_some();
    let missing: Vec<&str> = answerer.persona.granted().filter(|name| !is_there(name)).collect();
    let state = if tools.unknown { State::Warning } else { State::Fault };
    for name in &missing {
        let declared = answerer.tools.iter().any(|tool| tool.name() == Some(*name));
        let told = match declared {
            true => format!("{name} is granted and declared under [[tools]], and nothing does it"),
            false => format!("{name} is granted, and is not there"),
        };
        found.bad(
            state,
            "grant",
            told,
            format!("add a [[command]] or an [[mcp]] that has it, or take it out of grant in {file}"),
        );
    }
    let free: Vec<&str> =
        tools.set.tools().map(|tool| &*tool.spec().name).filter(|name| !answerer.persona.may_use(name)).collect();
    if missing.is_empty() {
        let granted = answerer.persona.granted().collect::<Vec<_>>().join(", ");
        let granted = if granted.is_empty() { "no tool is granted".to_owned() } else { granted };
        let more = if free.is_empty() { String::new() } else { format!("; not granted: {}", free.join(", ")) };
        found.ok("grant", format!("{granted}{more}"));
    }
}

/// Whether a program can be run: a file of its own, or one where programs are.
fn is_program(path: &Path) -> bool {
    if path.components().count() > 1 {
        return is_executable(path);
    }
    ["/usr/local/bin", "/usr/bin", "/bin"].iter().any(|folder| is_executable(&Path::new(folder).join(path)))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;

    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

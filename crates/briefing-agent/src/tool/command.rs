//! A command as a tool.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use briefing::text::prefix;
use futures_util::future::{Either, select, try_join3};
use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, Command};

use crate::BoxFuture;
use crate::tool::fingerprint::Fingerprint;
use crate::tool::group::{Group, Pipes, Program};
use crate::tool::{Proposal, Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec};

/// How long a call may take where the tool's specification does not say.
const TIME: Duration = Duration::from_secs(60);

/// How long what an ended command has printed may take to arrive.
const GRACE: Duration = Duration::from_millis(500);

/// The most bytes, lines and characters that are told of what a failed command printed last.
const TAIL_BYTES: usize = 8 * 1024;
const TAIL_LINES: usize = 20;
const TAIL_CHARS: usize = 2_000;

/// The environment variable that holds [`ToolContext::key`].
const KEY: &str = "BRIEFING_CALL_KEY";

/// Waits for a line, by which time this process has set the limits of the one that waits, and becomes the program. Nothing of the
/// program or its arguments is read as shell.
const GATE: &str = r#"IFS= read -r _ && exec "$@""#;
const BEHIND: (&str, &[&str]) = ("/bin/sh", &["-c", GATE, "briefing"]);

/// What a command may cost. A limit that is none is that of this process.
///
/// Memory, processor time and processes are limited on Linux alone; everything else on every Unix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandLimits {
    /// The address space of each of its processes, in bytes.
    pub memory: Option<u64>,
    /// The processor time of each of its processes, in seconds.
    pub cpu_seconds: Option<u64>,
    /// How many processes the user that it runs as may have in all, those of others included; root is not bound by it.
    pub processes: Option<u64>,
    /// How many bytes it may print as its outcome.
    pub output_bytes: usize,
}

/// 4 GiB of address space, 60 s of processor time, 1 MiB of output.
impl Default for CommandLimits {
    fn default() -> Self {
        Self { memory: Some(4 << 30), cpu_seconds: Some(60), processes: None, output_bytes: 1 << 20 }
    }
}

/// A program that is run for each call, with fixed arguments and no shell.
///
/// It reads the model's input as one JSON object from its standard input; what it prints to its standard output is the outcome, as
/// text, where what is no UTF-8 reads as U+FFFD. Another exit code than 0 is a failure, told with the last lines of its standard error.
/// Its environment has `PATH`, what is given, and `BRIEFING_CALL_KEY`: the same for the same call, so that a command can refuse to do a
/// thing twice.
///
/// It leads a process group of its own, which is killed as a whole at the time limit ([`ToolSpec::timeout`], else 60 s), on too much
/// output, when the future is dropped, and when the command itself has ended. A process that leaves the group (`setsid`) is not
/// found again; it keeps the limits, and nothing waits for it. If this process is killed, its commands are not.
///
/// What a person confirms is by default the arguments, and the fingerprint is that of the declaration: name, program, arguments,
/// working directory and schema. [`proposing`](Self::proposing) names a program that looks at what the call would touch.
///
/// Polled inside a Tokio runtime with I/O and time. It needs `/bin/sh`, which waits until the limits are set.
#[derive(Debug, Clone)]
pub struct CommandTool {
    spec: ToolSpec,
    program: Program,
    /// The program that proposes, and its arguments.
    proposer: Option<(PathBuf, Vec<OsString>)>,
    limits: CommandLimits,
}

impl CommandTool {
    /// Runs that program. Without a slash in it, it is looked for in `PATH`: the one given by [`env`](Self::env), else
    /// `/usr/local/bin:/usr/bin:/bin`.
    #[must_use]
    pub fn new(spec: ToolSpec, program: impl Into<PathBuf>) -> Self {
        let program = Program { path: program.into(), args: Vec::new(), env: Vec::new(), dir: None };
        Self { spec, program, proposer: None, limits: CommandLimits::default() }
    }

    /// The same with these arguments behind those before.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.program.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// The same with one more variable in its environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.program.env.push((name.into(), value.into()));
        self
    }

    /// The same with that working directory; by default this process's.
    #[must_use]
    pub fn dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.program.dir = Some(dir.into());
        self
    }

    /// The same with these limits.
    #[must_use]
    pub fn limits(mut self, limits: CommandLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The same, and that program is what says what a call would do: it must change nothing. It is run as the command itself is, with
    /// the same input, environment, working directory and limits, but without `BRIEFING_CALL_KEY`; when the call is made, and again
    /// when a person confirms it.
    ///
    /// It prints one JSON object, `{"preview": TEXT, "fingerprint": TEXT}`, where the fingerprint tells what the call touches as it is
    /// now; without one, and for anything else that it prints, the preview as printed is also what is compared. The tool's
    /// declaration is compared in any case. If it fails, or prints nothing, nothing is proposed.
    #[must_use]
    pub fn proposing<A: Into<OsString>>(mut self, program: impl Into<PathBuf>, args: impl IntoIterator<Item = A>) -> Self {
        self.proposer = Some((program.into(), args.into_iter().map(Into::into).collect()));
        self
    }

    async fn perform(&self, input: &Map<String, Value>, cx: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let mut command = self.program.command(Some(BEHIND));
        command.env(KEY, &*cx.key);
        let text = self.execute(command, input).await?;
        let text = String::from_utf8_lossy(&text);
        Ok(if text.trim().is_empty() { ToolOutput::default() } else { ToolOutput::text(text) })
    }

    async fn preview(&self, input: &Map<String, Value>) -> Result<Proposal, ToolFailure> {
        let declared = self.declared();
        let Some((path, args)) = &self.proposer else {
            let preview = serde_json::to_string_pretty(input).unwrap_or_default();
            return Ok(Proposal { preview, fingerprint: declared.finish() });
        };
        let program = Program { path: path.clone(), args: args.clone(), ..self.program.clone() };
        let printed = self.execute(program.command(Some(BEHIND)), input).await.map_err(|failure| not_proposed(&failure))?;
        let said = serde_json::from_slice::<Said>(&printed).ok();
        let fingerprint = match said.as_ref().and_then(|said| said.fingerprint.as_deref()) {
            Some(fingerprint) => declared.with(b"said").with(fingerprint.as_bytes()),
            None => declared.with(b"printed").with(&printed),
        };
        let preview = said.map_or_else(|| String::from_utf8_lossy(&printed).into_owned(), |said| said.preview);
        if preview.trim().is_empty() {
            let message = "nothing was done: the program that proposes it shows nothing to confirm".to_owned();
            return Err(ToolFailure::Failed { message });
        }
        Ok(Proposal { preview, fingerprint: fingerprint.finish() })
    }

    /// What it is. Its environment is left out, which may hold keys.
    fn declared(&self) -> Fingerprint {
        let Program { path, args, env: _, dir } = &self.program;
        let dir = dir.as_ref().map(|dir| dir.as_os_str().as_encoded_bytes());
        Fingerprint::of("command")
            .with(self.spec.name.as_bytes())
            .with(path.as_os_str().as_encoded_bytes())
            .with_all(args.iter().map(|arg| arg.as_encoded_bytes()))
            .with_all(dir.into_iter())
            .with_json(self.spec.schema.as_str())
    }

    /// Runs it to its end; what it printed.
    async fn execute(&self, command: Command, input: &Map<String, Value>) -> Result<Vec<u8>, ToolFailure> {
        let json = serde_json::to_vec(input).map_err(|error| not_begun(&error.into()))?;
        let (group, pipes) = Group::start(command).map_err(|error| not_begun(&error))?;
        limit(&group, &self.limits).map_err(|error| not_begun(&error))?;
        let after = self.spec.timeout.unwrap_or(TIME);
        let mut printed = Printed::default();
        let most = self.limits.output_bytes;
        match tokio::time::timeout(after, converse(&group, pipes, &json, most, &mut printed)).await {
            Err(_) => return Err(ToolFailure::TimedOut { after }),
            Ok(Err(Broken::TooMuch)) => return Err(ToolFailure::TooMuch { limit: u64::try_from(most).unwrap_or(u64::MAX) }),
            Ok(Err(Broken::Io(error))) => return Err(crashed(&error)),
            Ok(Ok(())) => {}
        }
        let status = group.end().await.map_err(|error| crashed(&error))?;
        self.judge(status, printed)
    }

    /// What a command that has ended by itself tells.
    fn judge(&self, status: ExitStatus, printed: Printed) -> Result<Vec<u8>, ToolFailure> {
        if status.success() {
            return Ok(printed.output);
        }
        if let Some(signal) = status.signal() {
            let detail = match self.limits.cpu_seconds {
                Some(seconds) if signal == rustix::process::Signal::XCPU.as_raw() => {
                    format!("it used up its {seconds} s of processor time")
                }
                Some(_) | None => format!("it was ended by signal {signal}"),
            };
            return Err(ToolFailure::Crashed { detail });
        }
        let code = status.code().map_or_else(|| "an unknown exit code".to_owned(), |code| format!("exit code {code}"));
        let said = if printed.errors.is_empty() { &printed.output } else { &printed.errors };
        let said = last_lines(said);
        let message = if said.is_empty() { code } else { format!("{code}\n{said}") };
        Err(ToolFailure::Failed { message })
    }
}

impl Tool for CommandTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn propose<'a>(
        &'a self,
        input: &'a Map<String, Value>,
        _: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Proposal, ToolFailure>> {
        Box::pin(self.preview(input))
    }

    fn run<'a>(&'a self, input: &'a Map<String, Value>, cx: &'a ToolContext) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(self.perform(input, cx))
    }
}

/// What a program that proposes prints, where it is JSON.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    preview: String,
    fingerprint: Option<String>,
}

/// What a command has printed so far: all of its output, the end of its errors.
#[derive(Default)]
struct Printed {
    output: Vec<u8>,
    errors: Vec<u8>,
}

enum Broken {
    TooMuch,
    Io(io::Error),
}

/// Hands over the input and takes what is printed, until the command has ended and its pipes are closed, or have had their time.
async fn converse(group: &Group, pipes: Pipes, json: &[u8], most: usize, printed: &mut Printed) -> Result<(), Broken> {
    let Printed { output, errors } = printed;
    let feed = async {
        feed(pipes.stdin, json).await;
        Ok(())
    };
    let read = async { read_most(pipes.stdout, output, most).await };
    let tail = async {
        read_tail(pipes.stderr, errors).await;
        Ok(())
    };
    let talk = std::pin::pin!(try_join3(feed, read, tail));
    let ended = std::pin::pin!(group.ended());
    match select(talk, ended).await {
        Either::Left((Err(broken), _)) => Err(broken),
        Either::Left((Ok(_), ended)) => ended.await.map_err(Broken::Io),
        Either::Right((ended, talk)) => {
            ended.map_err(Broken::Io)?;
            // What it has left behind holds the pipes open.
            group.kill();
            match tokio::time::timeout(GRACE, talk).await {
                Ok(Err(broken)) => Err(broken),
                Ok(Ok(_)) | Err(_) => Ok(()),
            }
        }
    }
}

/// Opens the gate and hands over the input. A command that does not read to the end does without.
async fn feed(stdin: Option<ChildStdin>, json: &[u8]) {
    let Some(mut stdin) = stdin else { return };
    if stdin.write_all(b"\n").await.is_ok() && stdin.write_all(json).await.is_ok() {
        let _ = stdin.shutdown().await;
    }
}

async fn read_most(pipe: Option<impl AsyncRead + Unpin>, output: &mut Vec<u8>, most: usize) -> Result<(), Broken> {
    let Some(mut pipe) = pipe else { return Ok(()) };
    let mut buffer = vec![0; 16 * 1024];
    // What came before an error counts.
    while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
        output.extend_from_slice(buffer.get(..read).unwrap_or_default());
        if output.len() > most {
            return Err(Broken::TooMuch);
        }
    }
    Ok(())
}

async fn read_tail(pipe: Option<impl AsyncRead + Unpin>, errors: &mut Vec<u8>) {
    let Some(mut pipe) = pipe else { return };
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
        keep_tail(errors, buffer.get(..read).unwrap_or_default());
    }
}

/// Appends, and forgets all but the last bytes.
pub(super) fn keep_tail(tail: &mut Vec<u8>, bytes: &[u8]) {
    tail.extend_from_slice(bytes);
    let too_many = tail.len().saturating_sub(TAIL_BYTES);
    tail.drain(..too_many);
}

/// The last lines, of which the last characters.
pub(super) fn last_lines(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut lines: Vec<&str> = text.trim_end().lines().rev().take(TAIL_LINES).collect();
    lines.reverse();
    let text = lines.join("\n");
    let too_many = text.chars().count().saturating_sub(TAIL_CHARS);
    text.strip_prefix(prefix(&text, too_many)).unwrap_or(&text).to_owned()
}

/// The gate was never opened.
fn not_begun(error: &io::Error) -> ToolFailure {
    ToolFailure::Failed { message: format!("it could not be run: {}", error.kind()) }
}

fn crashed(error: &io::Error) -> ToolFailure {
    ToolFailure::Crashed { detail: format!("it was ended, as its pipes failed: {}", error.kind()) }
}

/// A proposal changes nothing, however it ended.
fn not_proposed(failure: &ToolFailure) -> ToolFailure {
    let why = match failure {
        ToolFailure::Failed { message } => message.clone(),
        ToolFailure::TimedOut { after } => format!("it took longer than {} s and was ended", after.as_secs()),
        ToolFailure::TooMuch { limit } => format!("it printed more than {limit} bytes and was ended"),
        ToolFailure::Crashed { detail } => detail.clone(),
    };
    ToolFailure::Failed { message: format!("nothing was done: the program that proposes it failed: {why}") }
}

/// Sets the limits of a child that waits at the gate; what it starts has the same.
#[cfg(target_os = "linux")]
fn limit(group: &Group, limits: &CommandLimits) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, prlimit};
    let lower = |resource, most: Option<u64>, beyond: u64| -> io::Result<()> {
        let Some(most) = most else { return Ok(()) };
        let maximum = most.saturating_add(beyond);
        let maximum = getrlimit(resource).maximum.map_or(maximum, |now| now.min(maximum));
        prlimit(group.pid(), resource, Rlimit { current: Some(most.min(maximum)), maximum: Some(maximum) })?;
        Ok(())
    };
    if group.pid().is_none() {
        return Err(io::ErrorKind::NotFound.into());
    }
    lower(Resource::Core, Some(0), 0)?;
    lower(Resource::As, limits.memory, 0)?;
    lower(Resource::Nproc, limits.processes, 0)?;
    // The first limit's signal tells of time, the second's does not.
    lower(Resource::Cpu, limits.cpu_seconds, 1)
}

#[cfg(not(target_os = "linux"))]
fn limit(_: &Group, _: &CommandLimits) -> io::Result<()> {
    Ok(())
}

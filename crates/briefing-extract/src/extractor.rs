//! The parent's side.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Instant;

use crate::format::find;
use crate::running::{Ended, Running};
use crate::wire::{Answer, Header};
use crate::{Crash, ExtractError, Extraction, Format, Limits};

/// What the Rust runtime prints when memory runs out, before it aborts.
const OUT_OF_MEMORY: &[u8] = b"memory allocation of ";

/// Gives files to child processes, one each, and takes their texts.
///
/// May be shared between threads; each call has a child of its own, so whoever calls bounds how many run at once. The parent
/// holds one copy of the file and at most [`Limits::output_bytes`] of what the child prints.
///
/// Three threads hand over bytes while a child runs. They end with it, unless the program has started another that left its
/// process group and keeps the pipes open, which [`serve`](crate::serve) does not.
#[derive(Debug, Clone)]
pub struct Extractor {
    program: PathBuf,
    args: Vec<OsString>,
    limits: Limits,
}

impl Extractor {
    /// Extracts with this program and these arguments: one that then runs [`serve`](crate::serve) and nothing else. Mostly it
    /// is `std::env::current_exe()` with a hidden argument. Give its full path: the child's environment is empty.
    pub fn new<A: Into<OsString>>(program: impl Into<PathBuf>, args: impl IntoIterator<Item = A>) -> Self {
        Self { program: program.into(), args: args.into_iter().map(Into::into).collect(), limits: Limits::default() }
    }

    /// Bounds what a file may cost, in place of the defaults.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The text of a file.
    ///
    /// Blocks, at most about [`Limits::time`]; call it where blocking is allowed. When it returns, however that is, the child
    /// has ended and is reaped. If this process is killed, so is the child, on Linux at once, elsewhere by its own limits.
    ///
    /// # Errors
    /// [`ExtractError`]. Only one that [`is_transient`](ExtractError::is_transient) is worth another call.
    pub fn extract(&self, format: Format, bytes: &[u8]) -> Result<Extraction, ExtractError> {
        let Limits { input_bytes, output_bytes, time, .. } = self.limits;
        if bytes.len() > input_bytes {
            return Err(ExtractError::TooLarge { bytes: bytes.len(), most: input_bytes });
        }
        if format == Format::Picture {
            return Ok(Extraction { text: String::new(), partial: None });
        }
        let started = Instant::now();
        let deadline = started.checked_add(time).unwrap_or(started);
        let input = self.input(format, bytes)?;
        let running = Running::start(&self.program, &self.args, input, output_bytes);
        let running = running.map_err(|source| ExtractError::Spawn { source })?;
        self.judge(running.finish(output_bytes, time, deadline)?)
    }

    fn input(&self, format: Format, bytes: &[u8]) -> Result<Vec<u8>, ExtractError> {
        let header = Header { format, limits: self.limits, bytes: bytes.len() };
        let mut input = serde_json::to_vec(&header).map_err(|error| ExtractError::Spawn { source: error.into() })?;
        input.push(b'\n');
        input.extend_from_slice(bytes);
        Ok(input)
    }

    /// What a child that has ended tells, by its answer or by how it ended. Its answer is believed no more than the file.
    fn judge(&self, ended: Ended) -> Result<Extraction, ExtractError> {
        if let Some(how) = crash(ended.status) {
            let aborted = matches!(how, Crash::Signal(_));
            return Err(match how {
                _ if aborted && find(&ended.errors, OUT_OF_MEMORY) => ExtractError::Memory { most: self.limits.memory },
                Crash::Signal(signal) if is_time(signal) => ExtractError::TimedOut { after: self.limits.time },
                Crash::Panic | Crash::Signal(_) | Crash::Code(_) | Crash::Unknown => ExtractError::Crashed { how },
            });
        }
        let answer: Answer = serde_json::from_slice(&ended.output).map_err(|_| ExtractError::NoAnswer)?;
        let extraction = answer.into_result()?;
        let foreign = |c: char| c.is_control() && c != '\n' && c != '\t';
        if extraction.text.chars().nth(self.limits.chars).is_some() || extraction.text.contains(foreign) {
            return Err(ExtractError::NoAnswer);
        }
        Ok(extraction)
    }
}

/// How it ended, unless well.
fn crash(status: ExitStatus) -> Option<Crash> {
    if status.success() {
        return None;
    }
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Some(Crash::Signal(signal));
    }
    Some(status.code().map_or(Crash::Unknown, Crash::Code))
}

/// Whether the signal says that the processor time is used up.
fn is_time(signal: i32) -> bool {
    #[cfg(unix)]
    return signal == rustix::process::Signal::XCPU.as_raw();
    #[cfg(not(unix))]
    return false;
}

//! The child's side.

use std::io::{self, BufRead, Read, Write};
use std::panic::{catch_unwind, set_hook};
use std::process::ExitCode;

use crate::wire::{Answer, Header};
use crate::{Crash, ExtractError, extract_here};

/// The most bytes of the first line.
const MAX_HEADER: u64 = 4096;

/// The exit code when the first line or the bytes behind it are not as they should be (`EX_DATAERR` of sysexits.h).
const BAD_INPUT: u8 = 65;

/// The exit code when the answer cannot be written (`EX_IOERR`).
const BAD_OUTPUT: u8 = 74;

/// The exit code when the system does not take the limits (`EX_OSERR`).
const NO_LIMITS: u8 = 71;

/// The child of an [`Extractor`](crate::Extractor), and all that its `main` does.
///
/// Reads one line of JSON, bounds this process, reads the file, extracts its text and writes an answer as JSON. The bounds are
/// those of the line: memory and processor time; no file can be opened or written, no core is left and, unless it is root, no
/// process started. They stay for as long as the process lives, and panics are silent from here on: call it first thing in
/// `main`, before any thread is started, and do nothing else. A program that sets `panic = "abort"` has no answer for a panic
/// but its crash.
#[must_use]
pub fn serve() -> ExitCode {
    set_hook(Box::new(|_| {}));
    let mut input = io::stdin().lock();
    let Some(header) = header(&mut input) else { return BAD_INPUT.into() };
    if bounds::set(&header.limits).is_err() {
        return NO_LIMITS.into();
    }
    let most = header.limits.input_bytes;
    let result = if header.bytes > most {
        Err(ExtractError::TooLarge { bytes: header.bytes, most })
    } else {
        let mut bytes = vec![0; header.bytes];
        if input.read_exact(&mut bytes).is_err() {
            return BAD_INPUT.into();
        }
        let extract = || extract_here(header.format, &bytes, &header.limits);
        catch_unwind(extract).unwrap_or(Err(ExtractError::Crashed { how: Crash::Panic }))
    };
    let mut output = io::stdout().lock();
    match serde_json::to_writer(&mut output, &Answer::from(result)).map_err(io::Error::from).and_then(|()| output.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => BAD_OUTPUT.into(),
    }
}

fn header(input: &mut impl BufRead) -> Option<Header> {
    let mut line = Vec::new();
    input.by_ref().take(MAX_HEADER).read_until(b'\n', &mut line).ok()?;
    serde_json::from_slice(line.strip_suffix(b"\n")?).ok()
}

#[cfg(unix)]
mod bounds {
    use std::io;

    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    use crate::Limits;

    /// Standard input, output and error stay open; no number is left for another file.
    const FILES: u64 = 3;

    pub(super) fn set(limits: &Limits) -> io::Result<()> {
        let seconds = limits.time.as_secs().saturating_add(u64::from(limits.time.subsec_nanos() > 0));
        lower(Resource::Core, 0, 0)?;
        lower(Resource::Fsize, 0, 0)?;
        lower(Resource::Nofile, FILES, FILES)?;
        lower(Resource::Nproc, 0, 0)?;
        // The first limit's signal tells of time, the second's does not.
        lower(Resource::Cpu, seconds.max(1), seconds.max(1).saturating_add(1))?;
        // Not all systems have this one.
        match lower(Resource::As, limits.memory, limits.memory) {
            Err(error) if cfg!(target_os = "linux") => return Err(error),
            Ok(()) | Err(_) => {}
        }
        #[cfg(target_os = "linux")]
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
        Ok(())
    }

    /// Lowers the limit and how far it may be raised; what is lower already stays.
    fn lower(resource: Resource, current: u64, maximum: u64) -> io::Result<()> {
        let maximum = getrlimit(resource).maximum.map_or(maximum, |now| now.min(maximum));
        Ok(setrlimit(resource, Rlimit { current: Some(current.min(maximum)), maximum: Some(maximum) })?)
    }
}

#[cfg(not(unix))]
mod bounds {
    use std::io;

    use crate::Limits;

    pub(super) fn set(_: &Limits) -> io::Result<()> {
        Ok(())
    }
}

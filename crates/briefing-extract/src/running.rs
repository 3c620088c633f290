//! One child at work. Whatever happens, it is dead and reaped when this is dropped.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};
use std::{ffi::OsString, io};

use crate::ExtractError;

/// The most bytes of what the child prints as error: enough to tell why it ended.
const MAX_ERROR_BYTES: u64 = 4096;

/// How long to wait between two looks at whether the child has ended: from the first, doubled, up to the second.
const LOOKS: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(5));

/// How long what an ended child has printed may take to arrive.
const GRACE: Duration = Duration::from_millis(500);

/// A child that has ended, and what it printed.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) output: Vec<u8>,
    pub(crate) errors: Vec<u8>,
}

pub(crate) struct Running {
    child: Child,
    /// Its exit was collected: its number may be another process's by now.
    reaped: bool,
    output: Receiver<Vec<u8>>,
    errors: Receiver<Vec<u8>>,
}

impl Running {
    /// Starts the program with an empty environment and hands it the input, from a thread of its own.
    pub(crate) fn start(program: &Path, args: &[OsString], input: Vec<u8>, most: usize) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(args).env_clear();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let most = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
        let (output, errors) = (read(stdout, most), read(stderr, MAX_ERROR_BYTES));
        let running = Self { child, reaped: false, output: output.1, errors: errors.1 };
        // From here on the child is killed if anything fails.
        output.0?;
        errors.0?;
        thread::Builder::new().name("extract-input".to_owned()).spawn(move || {
            // A child that does not read to the end has ended, or will answer without.
            stdin.map(|mut stdin| stdin.write_all(&input))
        })?;
        Ok(running)
    }

    /// Waits until it has ended.
    ///
    /// # Errors
    /// [`ExtractError::TimedOut`] and [`ExtractError::Output`]; it still runs then.
    pub(crate) fn finish(mut self, most: usize, after: Duration, deadline: Instant) -> Result<Ended, ExtractError> {
        let mut output = None;
        let mut pause = LOOKS.0;
        while !self.has_ended()? {
            if Instant::now() >= deadline {
                return Err(ExtractError::TimedOut { after });
            }
            match output {
                None => output = within(&self.output, pause),
                Some(_) => thread::sleep(pause),
            }
            if output.as_ref().is_some_and(|output| output.len() > most) {
                return Err(ExtractError::Output { most });
            }
            pause = (pause * 2).min(LOOKS.1);
        }
        // Whatever it has started and left behind holds the pipes open.
        let status = self.end().map_err(|source| ExtractError::Spawn { source })?;
        let output = output.or_else(|| within(&self.output, GRACE)).unwrap_or_default();
        if output.len() > most {
            return Err(ExtractError::Output { most });
        }
        let errors = within(&self.errors, GRACE).unwrap_or_default();
        Ok(Ended { status, output, errors })
    }

    /// Whether it has ended. It is not reaped: until then its number stays its own.
    #[cfg(unix)]
    fn has_ended(&self) -> Result<bool, ExtractError> {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(Pid::from_child(&self.child)), options) {
            Ok(status) => Ok(status.is_some()),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(ExtractError::Spawn { source: error.into() }),
        }
    }

    #[cfg(not(unix))]
    fn has_ended(&mut self) -> Result<bool, ExtractError> {
        self.child.try_wait().map(|status| status.is_some()).map_err(|source| ExtractError::Spawn { source })
    }

    /// Kills it and what it started, and reaps it.
    fn end(&mut self) -> io::Result<ExitStatus> {
        if !self.reaped {
            #[cfg(unix)]
            {
                use rustix::process::{Pid, Signal, kill_process_group};
                // Fails if all of them have ended.
                let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            }
            let _ = self.child.kill();
        }
        let status = self.child.wait();
        self.reaped |= status.is_ok();
        status
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.reaped {
            let _ = self.end();
        }
    }
}

/// Reads at most so many bytes of a pipe and closes it, in a thread of its own.
fn read(pipe: Option<impl Read + Send + 'static>, most: u64) -> (io::Result<()>, Receiver<Vec<u8>>) {
    let (send, receive) = sync_channel(1);
    let work = move || {
        let mut bytes = Vec::new();
        // What came before an error counts.
        let _ = pipe.map(|pipe| pipe.take(most).read_to_end(&mut bytes));
        let _ = send.send(bytes);
    };
    (thread::Builder::new().name("extract-output".to_owned()).spawn(work).map(|_| ()), receive)
}

fn within(receiver: &Receiver<Vec<u8>>, time: Duration) -> Option<Vec<u8>> {
    match receiver.recv_timeout(time) {
        Ok(bytes) => Some(bytes),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(Vec::new()),
    }
}

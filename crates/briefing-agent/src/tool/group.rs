//! A child and the processes that it starts: one group, killed as one.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// How long to wait between two looks at whether the child has ended: from the first, doubled, up to the second.
const LOOKS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

/// Where programs without a path are looked for, unless the environment that is given says otherwise.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// What is started: a program with its arguments, never a line for a shell.
#[derive(Clone)]
pub(super) struct Program {
    pub(super) path: PathBuf,
    pub(super) args: Vec<OsString>,
    pub(super) env: Vec<(OsString, OsString)>,
    pub(super) dir: Option<PathBuf>,
}

/// A child that leads a process group of its own. When this is dropped the whole group is killed; Tokio reaps the child.
#[derive(Debug)]
pub(super) struct Group {
    child: Child,
    pid: Option<Pid>,
    /// Its exit was collected: its number may be another process's by now.
    reaped: bool,
}

/// The ends of a child's pipes.
#[derive(Debug)]
pub(super) struct Pipes {
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: Option<ChildStdout>,
    pub(super) stderr: Option<ChildStderr>,
}

/// Of the environment the names alone: its values may be keys.
impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, args, env, dir } = self;
        let names: Vec<_> = env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Program").field("path", path).field("args", args).field("env", &names).field("dir", dir).finish()
    }
}

impl Program {
    /// A command that starts it with nothing of this process's environment, behind `prefix` if there is one.
    pub(super) fn command(&self, prefix: Option<(&str, &[&str])>) -> Command {
        let mut command = match prefix {
            Some((launcher, args)) => {
                let mut command = Command::new(launcher);
                command.args(args).arg(&self.path);
                command
            }
            None => Command::new(&self.path),
        };
        command.args(&self.args).env_clear().env("PATH", PATH);
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        command
    }
}

impl Group {
    /// Starts a command as the leader of a group.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(super) fn start(mut command: Command) -> io::Result<(Self, Pipes)> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.process_group(0).kill_on_drop(true).spawn()?;
        let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let pipes = Pipes { stdin: child.stdin.take(), stdout: child.stdout.take(), stderr: child.stderr.take() };
        Ok((Self { child, pid, reaped: false }, pipes))
    }

    /// The number of the child and of its group.
    pub(super) fn pid(&self) -> Option<Pid> {
        self.pid
    }

    /// Ends when the child has ended. It is not reaped: until then its number stays its own, and its group can be killed.
    pub(super) async fn ended(&self) -> io::Result<()> {
        let Some(pid) = self.pid else { return Ok(()) };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let mut pause = LOOKS.0;
        loop {
            match waitid(WaitId::Pid(pid), options) {
                Ok(Some(_)) => return Ok(()),
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LOOKS.1);
        }
    }

    /// Kills the child and what it started, as far as that stayed in its group.
    pub(super) fn kill(&self) {
        if let Some(pid) = self.pid
            && !self.reaped
        {
            // Fails if all of them have ended.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }

    /// Kills the group and tells how the child ended.
    pub(super) async fn end(mut self) -> io::Result<ExitStatus> {
        self.kill();
        let status = self.child.wait().await;
        self.reaped |= status.is_ok();
        status
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

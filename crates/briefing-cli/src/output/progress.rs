//! A progress bar on standard error, where that is a terminal.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use briefing_mail::Source;
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::Output;

/// How many messages go by between two drawings.
const STEP: u64 = 64;

/// The progress of reading mailboxes: by bytes of files, by count of folders.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// The file that is read now, and the bytes of those before it.
    file: PathBuf,
    done: u64,
    size: u64,
}

impl Progress {
    /// Begins. Nothing is drawn for programs, or where notes were silenced.
    pub(crate) fn over(paths: &[PathBuf], out: &Output) -> Self {
        let bar = if out.is_quiet() || !std::io::stderr().is_terminal() {
            ProgressBar::hidden()
        } else {
            let files = paths.iter().map(|path| size(path)).collect::<Option<Vec<_>>>();
            match files {
                Some(sizes) => ProgressBar::new(sizes.iter().sum()).with_style(style("{bar:40} {percent:>3} %  {msg}")),
                None => ProgressBar::no_length().with_style(style("{spinner} {elapsed}  {msg}")),
            }
        };
        Self { bar, file: PathBuf::new(), done: 0, size: 0 }
    }

    /// A message of that source was read: so many until now.
    pub(crate) fn at(&mut self, source: &Source, read: u64) {
        if self.bar.is_hidden() {
            return;
        }
        if source.path != self.file {
            self.done += self.size;
            self.file.clone_from(&source.path);
            self.size = size(&self.file).unwrap_or_default();
        }
        if read.is_multiple_of(STEP) {
            self.bar.set_position(self.done + source.offset);
            self.bar.set_message(format!("{read} messages"));
            self.bar.tick();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The bytes of a file; none of a folder.
fn size(path: &Path) -> Option<u64> {
    path.metadata().ok().filter(std::fs::Metadata::is_file).map(|meta| meta.len())
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

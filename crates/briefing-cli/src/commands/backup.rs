//! `briefing backup`: a copy of a database.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;

use crate::args::BackupArgs;
use crate::database::open;
use crate::error::{Failure, Stop};
use crate::output::json::pretty;
use crate::output::{Output, counted, name_of};
use crate::shown::told;

pub(crate) fn run(args: BackupArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.told.quiet || args.told.json);
    open(&args.db)?.backup(&args.to).map_err(told)?;
    let mut folder = args.to.clone().into_os_string();
    folder.push(".blobs");
    let folder = PathBuf::from(folder);
    let bytes = fs::metadata(&args.to).map_err(|error| Failure::unreadable(&name_of(&args.to), &error))?.len();
    let beside = size(&folder).map_err(|error| Failure::unreadable(&name_of(&folder), &error))?;
    if args.told.json {
        out.write(&pretty(&json!({ "file": name_of(&args.to), "bytes": bytes, "beside": beside })))?;
    } else {
        let more = match beside {
            0 => String::new(),
            beside => format!(", and {} in {}", counted(beside, "byte"), name_of(&folder)),
        };
        out.line(format_args!("{} written to {}{more}", counted(bytes, "byte"), name_of(&args.to)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// How many bytes the files of a folder hold; of none, none.
fn size(folder: &Path) -> io::Result<u64> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    let mut bytes = 0;
    for entry in entries {
        let entry = entry?;
        let meta = entry.metadata()?;
        bytes += if meta.is_dir() { size(&entry.path())? } else { meta.len() };
    }
    Ok(bytes)
}

//! `briefing backup`: a copy of a database.

use std::process::ExitCode;

use briefing_store::BackedUp;
use serde_json::json;

use crate::args::BackupArgs;
use crate::database::open;
use crate::error::Stop;
use crate::output::json::pretty;
use crate::output::{Output, counted, name_of};
use crate::shown::told;

pub(crate) fn run(args: BackupArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.told.quiet || args.told.json);
    let BackedUp { bytes, contents, content_bytes } = open(&args.db)?.backup(&args.to).map_err(told)?;
    if args.told.json {
        out.write(&pretty(
            &json!({ "file": name_of(&args.to), "bytes": bytes, "contents": contents, "content_bytes": content_bytes }),
        ))?;
    } else {
        let more = match contents {
            0 => String::new(),
            _ => format!(", and {} ({}) beside it", counted(contents, "content"), counted(content_bytes, "byte")),
        };
        out.line(format_args!("{} written to {}{more}", counted(bytes, "byte"), name_of(&args.to)))?;
    }
    Ok(ExitCode::SUCCESS)
}

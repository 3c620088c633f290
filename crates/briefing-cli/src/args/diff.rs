//! The arguments of `briefing diff`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

#[cfg(feature = "agent")]
use crate::args::ConfigArgs;
use crate::args::EstimatorArg;

/// The help, with what is told where there are runs.
macro_rules! diff_help {
    ($runs:literal, $example:literal) => {
        concat!(
            "\
Taken are two bodies of one provider: OpenAI Chat Completions, OpenAI Responses, Anthropic Messages or Gemini generateContent. They \
are compared in the order in which the provider builds the prompt (tools, system text, messages), block by block, by what they say. \
White space and the order of the body's members do not count; the order of keys in a block does, as it changes the tokens. Marks \
of caches are no part of the prompt.

Each break is told with its place in both bodies, its cause and what keeps the prefix. The first one counts; those behind it would \
break the prefix as well. Beside it stand the tokens that are served and paid again, the messages that were added, gone, altered or \
moved, the parameters that changed, and whether the newer body begins with the older one's bytes. docs/diff.md tells each cause.

",
            $runs,
            "Examples:
  briefing diff turn-7.json turn-8.json
  curl … | briefing diff turn-7.json -
",
            $example,
            "
Exit codes: 0 if the newer prompt begins with the older one, 65 if it does not, whatever the bytes."
        )
    };
}

#[cfg(not(feature = "agent"))]
const DIFF_HELP: &str = diff_help!("", "");
#[cfg(feature = "agent")]
const DIFF_HELP: &str = diff_help!(
    "\
Instead of a file, run:RUN#N is the request N that was kept of an agent's run, by the run's number or id (`briefing runs`); without #N, of \
the older one the last, of the newer one the first. With --config, `run:` can be left out.

",
    "  briefing diff run:12 run:13\n"
);

/// `briefing diff`
#[derive(Debug, ClapArgs)]
#[command(after_help = DIFF_HELP)]
pub(crate) struct DiffArgs {
    /// The request body that was sent first; `-` reads standard input
    #[arg(value_name = "OLDER")]
    pub(crate) older: PathBuf,
    /// The one that was sent then; `-` reads standard input
    #[arg(value_name = "NEWER")]
    pub(crate) newer: PathBuf,
    /// How tokens are counted
    #[arg(long, value_name = "NAME", default_value = "o200k")]
    pub(crate) estimator: EstimatorArg,
    /// Print one JSON object for programs, an error too
    #[arg(long)]
    pub(crate) json: bool,
    #[cfg(feature = "agent")]
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

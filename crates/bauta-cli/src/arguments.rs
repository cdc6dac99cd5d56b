//! What the command line accepts. Masks bring their own parameters, from their cards.

mod advise;
mod calibrate;
mod compare;
mod files;
mod keys;
mod link;
mod masks;
mod optimize;
mod order;
mod sweep;
mod tune;

use std::num::NonZeroU16;
use std::path::PathBuf;

use bauta_data::Condition;
use bauta_methods::Choice as _;
use bauta_methods::keys::Semantics;
use bauta_methods::registry;
use bauta_plan::plan::ReleaseWhen;
use bauta_plan::run::{Replace, RunOptions};
use bauta_plan::size;
use clap::{
    Arg, ArgMatches, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueHint,
};

use order::{GENERAL, GENERAL_FIRST};

pub(crate) use advise::AdviseArguments;
pub(crate) use compare::CompareArguments;
pub(crate) use files::FileOptions;
pub(crate) use keys::{ExplainRecordArguments, RiskArguments};
pub(crate) use link::LinkArguments;
pub(crate) use optimize::OptimizeArguments;
pub(crate) use sweep::SweepArguments;
pub(crate) use tune::TuneArguments;

/// Prepares confidential microdata for release.
#[derive(Debug, Parser)]
#[command(name = "bauta", version, max_term_width = 100)]
#[command(
    after_help = "Start with `bauta demo`, or with `bauta init FILE` on a file of your own.\n\
    Exit codes: 0 fine, 1 a gate failed or a record does not verify, 2 an error."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options that every command takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// Print one JSON object instead of tables
    #[arg(long, global = true, help_heading = GENERAL, display_order = GENERAL_FIRST)]
    pub(crate) json: bool,
    /// No progress and no remarks on standard error
    #[arg(long, short, global = true, help_heading = GENERAL, display_order = GENERAL_FIRST + 1)]
    pub(crate) quiet: bool,
    /// Replace files that Bauta did not write, or that were changed since; never what is read
    #[arg(long, global = true, help_heading = GENERAL, display_order = GENERAL_FIRST + 2)]
    pub(crate) force: bool,
    /// Threads to use; results do not depend on it
    #[arg(long, global = true, value_name = "N", help_heading = GENERAL, display_order = GENERAL_FIRST + 3)]
    pub(crate) threads: Option<NonZeroU16>,
    /// Memory that the work may take, such as 2GB or 500MB (default: what the machine has available). `run`, `mask`,
    /// `calibrate`, `risk` and `compare` put aside on the disk what does not fit; other commands refuse a file that needs
    /// more before it is read
    #[arg(long, global = true, value_name = "SIZE", value_parser = parse_memory, help_heading = GENERAL, display_order = GENERAL_FIRST + 4)]
    pub(crate) memory: Option<u64>,
    /// Folder for what does not fit: an option of the commands that put something aside.
    #[arg(skip)]
    pub(crate) spill: Option<PathBuf>,
}

impl Global {
    /// The options of any command, with those that only some have.
    pub(crate) fn of(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut innermost = matches;
        while let Some((_, inner)) = innermost.subcommand() {
            innermost = inner;
        }
        let spill = innermost.try_get_one::<PathBuf>(SPILL).ok().flatten();
        Ok(Self {
            spill: spill.cloned(),
            ..Self::from_arg_matches(matches)?
        })
    }

    /// What outputs may replace.
    pub(crate) fn replace(&self) -> Replace {
        if self.force {
            Replace::AnyFile
        } else {
            Replace::OwnFiles
        }
    }

    /// The choices of a run that are not part of its plan; the seed is an option of the commands that draw.
    pub(crate) fn run_options(&self, seed: Option<u64>) -> RunOptions {
        RunOptions {
            seed,
            replace: self.replace(),
            release_when: ReleaseWhen::Gated,
        }
    }
}

/// The option that names a folder for what does not fit.
const SPILL: &str = "spill";

/// The commands that put aside what does not fit, or say whether it can be.
const PUT_ASIDE: [&str; 5] = ["run", "check", "risk", "compare", "calibrate"];

fn spill() -> Arg {
    Arg::new(SPILL)
        .long(SPILL)
        .value_name("DIR")
        .value_parser(clap::value_parser!(PathBuf))
        .value_hint(ValueHint::DirPath)
        .help(
            "Folder in which data are put aside, in a folder of their own that is removed in the end (default: that of \
             the output, or of the file that is looked at)",
        )
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a survey, protect it, and write the released file, the record and the report
    #[command(after_help = "Example:\n  bauta demo my-demo")]
    Demo(DemoArguments),
    /// Look at a file and write a commented plan for it
    #[command(
        after_help = "Examples:\n  bauta init survey.csv -o plan.toml\n  bauta init survey.csv --advise\n  \
        bauta init survey.csv --recipient public --needs counts,relations --intruder neighbour,register"
    )]
    Init(InitArguments),
    /// Show what each variable of a file seems to be
    #[command(after_help = "Example:\n  bauta inspect survey.csv")]
    Inspect(InspectArguments),
    /// Check a plan to the end without running it
    #[command(
        after_help = "Examples:\n  bauta check plan.toml\n  bauta check plan.toml --memory 2GB\n\n\
        With --memory, or [engine] in the plan, it also refuses what would need more."
    )]
    Check(CheckArguments),
    /// Run a plan: mask, measure, judge, write
    #[command(after_help = "Example:\n  bauta run plan.toml --seed 20150129")]
    Run(RunArguments),
    /// Run every variant of a plan, and draw the map of risk and utility
    #[command(
        after_help = "Examples:\n  bauta sweep plan.toml --dry-run\n  bauta sweep plan.toml --map dld,il1s --max-risk 0.2\n\n\
        `{ sweep = [0.05, 0.1] }` in place of a value makes an axis; `bauta explain plan` has the grammar.\n\
        A sweep that was stopped goes on where it was."
    )]
    Sweep(SweepArguments),
    /// Work in the browser: roles, risk, steps, runs and release, with the plan file as the state
    #[command(
        after_help = "Examples:\n  bauta serve\n  bauta serve survey.csv\n  bauta serve bauta-demo/plan.toml --no-open --port 8321"
    )]
    Serve(ServeArguments),
    /// Search the variant of a plan that holds its conditions and loses least, and write it as a plan
    #[command(
        after_help = "Examples:\n  bauta tune plan.toml\n  bauta tune plan.toml --map dld,il --runs 100 -o better.toml\n\n\
        A plan with axes is searched along them; otherwise levels of key hierarchies and a built-in table of masks of numbers\n\
        are searched. The choice is judged again on fresh seeds. A search that was stopped goes on where it was."
    )]
    Tune(TuneArguments),
    /// Apply one mask to a file
    #[command(
        after_help = "Example:\n  bauta mask rank-swap survey.csv --on income,savings --window 0.14 --seed 7 -o masked.csv"
    )]
    Mask(MaskArguments),
    /// Give a sample weights that reach chosen totals, after deleting records at risk if keys are named
    #[command(
        after_help = "Examples:\n  bauta calibrate survey.csv --weight w --margins sex,sex*age --totals totals.csv -o calibrated.csv\n  \
        bauta calibrate survey.csv --weight w --start d --keys sex,age,region --k 3 --margins sex*age,region \
        --method logit --lower 0.25 --upper 3 --also raking --new-weight w_new -o subsample.csv --report report.html\n\n\
        `bauta explain calibrate` and `bauta explain subsample-calibrate` have the whole pages."
    )]
    Calibrate(calibrate::CalibrateArguments),
    /// Say who is at risk by the keys, which key contributes most, and what recoding would buy
    #[command(
        after_help = "Examples:\n  bauta risk survey.csv --keys sex,age,region --weight w --household hid --hierarchy age=intervals:18,25,35,50,65/18,65\n  \
        bauta risk --plan plan.toml\n  \
        bauta risk released.csv --record release.record.json --scenario neighbour"
    )]
    Risk(RiskArguments),
    /// Say which keys single out one record
    #[command(
        after_help = "Example:\n  bauta explain-record survey.csv --keys sex,age,region --row 412 --weight w"
    )]
    ExplainRecord(ExplainRecordArguments),
    /// Compare an original file with its masked version
    #[command(
        after_help = "Examples:\n  bauta compare census.csv census-masked.csv --outliers 0.05 --where 'AGI > 50000'\n  \
        bauta compare patients.csv released.csv --id hospital,number\n  \
        bauta compare release.record.json\n  \
        bauta compare survey.csv other-version.csv --plan plan.toml"
    )]
    Compare(CompareArguments),
    /// Attack a masked file: link its records with the original ones, one to one, and say how many are found
    #[command(
        after_help = "Examples:\n  bauta link census.csv census-masked.csv --metric l --parameters equal\n  \
        bauta link people.csv released.csv --on sex,age,income --categories sex --id number -o links.csv\n  \
        bauta link register.csv released.csv --register --parameters em\n  \
        bauta link release-2024.csv release-2025.csv --original people.csv --id number\n\n\
        `bauta explain pld` has the whole page."
    )]
    Link(LinkArguments),
    /// Give a masked file the moments of its original back, at a prescribed distance from it
    #[command(
        after_help = "Examples:\n  bauta optimize census.csv census-swapped.csv -p 0.5 --records 0.1 --seed 7 -o improved.csv\n  \
        bauta optimize people.csv masked.csv --on income,savings --set proposals=gradient --seed 7 -o improved.csv\n\n\
        `bauta explain post-mask` has the whole page."
    )]
    Optimize(OptimizeArguments),
    /// Write the report of a run record, its tables as CSV files, or several runs side by side
    #[command(
        after_help = "Examples:\n  bauta report release.record.json --external -o public.html\n  \
        bauta report release.record.json --tables tables\n  \
        bauta report suppressed.record.json calibrated.record.json -o compared.html"
    )]
    Report(ReportArguments),
    /// Make a record again from its plan and its data, and compare all of it; or check its signature
    #[command(after_help = "Examples:\n  bauta verify release.record.json\n  \
        bauta verify release.record.json --key office.key.pub")]
    Verify(VerifyArguments),
    /// Sign a record, and with it the hashes of its released file and its reports
    #[command(
        after_help = "Examples:\n  bauta sign release.record.json --key office.key --new-key\n  \
        bauta sign release.record.json --key office.key"
    )]
    Sign(SignArguments),
    /// Reproduce the tables and figures of a paper, or of all: published beside found
    #[command(
        after_help = "Examples:\n  bauta reproduce bergeat-2015 -o bergeat-2015\n  \
        bauta reproduce yancey-2002 --data reference-data --seeds 100 -o yancey-2002\n  \
        bauta reproduce all --data reference-data -o papers"
    )]
    Reproduce(ReproduceArguments),
    /// List the methods
    #[command(after_help = "Example:\n  bauta list --family mask")]
    List(ListArguments),
    /// Explain a method, the grammar of plans, or what is ours for a name of another tool
    #[command(
        after_help = "Examples:\n  bauta explain rank-swap\n  bauta explain plan\n  bauta explain kAnon\n  \
        bauta explain CALMAR M=3\n  bauta explain sdcMicro"
    )]
    Explain(ExplainArguments),
    /// Print completions for a shell
    #[command(
        after_help = "Example:\n  bauta completions bash > ~/.local/share/bash-completion/completions/bauta"
    )]
    Completions(CompletionsArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ReproduceArguments {
    /// The paper: yancey-2002, mateo-sanz-2004, truta-2004, sebe-2002 or bergeat-2015; or all
    #[arg(value_parser = reproducible())]
    pub(crate) paper: String,
    /// Folder with the field's reference files, census.csv and eia.csv; truta-2004 and bergeat-2015 need none
    #[arg(long, value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    /// Seeds to mask under, for tables of random masks (default: 100, and 3 for all, which takes minutes then)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub(crate) seeds: Option<u32>,
    /// Seed, for figures of one run
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    pub(crate) seed: u64,
    /// Records of the generated income file of yancey-2002 (default: 59315 as the paper, and 10000 for all)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2_000..=1_000_000))]
    pub(crate) records: Option<u32>,
    /// Folder to write a page (HTML), text and pictures to; of all papers, a page each and an index (default: the text
    /// on standard output, and the folder papers for all)
    #[arg(short, long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) output: Option<PathBuf>,
}

/// What stands for all papers.
pub(crate) const ALL_PAPERS: &str = "all";

/// The papers, and all of them.
fn reproducible() -> clap::builder::PossibleValuesParser {
    let papers = bauta_papers::Paper::IDS.into_iter();
    papers.chain([ALL_PAPERS]).collect::<Vec<&str>>().into()
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Folder to make
    #[arg(default_value = "bauta-demo", value_hint = ValueHint::DirPath)]
    pub(crate) folder: PathBuf,
    /// Seed of the random draws; goes before the plan's
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("a share between 0 and 1, such as 0.05".to_owned()),
    }
}

fn parse_setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("a name, = and a value, such as links=all".to_owned()),
    }
}

fn parse_condition(text: &str) -> Result<Condition, String> {
    Condition::parse(text).map_err(|problem| format!("{} ({})", problem.message, problem.hint))
}

fn parse_memory(text: &str) -> Result<u64, String> {
    size::parse(text).ok_or_else(|| size::EXPECTED.to_owned())
}

fn parse_semantics(text: &str) -> Result<Semantics, String> {
    // The modes of missing values by the names that other tools use.
    let name = match text {
        "wildcard" => "wild",
        "category" => "own",
        "non-identifying" => "original",
        text => text,
    };
    Semantics::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Semantics::CHOICES.iter().map(|(name, _)| *name).collect();
        format!("use one of {}", names.join(", "))
    })
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// File to look at
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Plan to write (default: plan.toml beside the file)
    #[arg(long, short, value_name = "PLAN", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Seed to write into the plan (default: none, so that each run derives it from the file)
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) advise: AdviseArguments,
    #[command(flatten)]
    pub(crate) reading: FileOptions,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArguments {
    /// File to look at
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) reading: FileOptions,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArguments {
    /// Plan
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) plan: PathBuf,
    /// Let a file go though the plan sets no gate; the record and the report say that nothing was judged
    #[arg(long)]
    pub(crate) ungated: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Folder, data file or plan; nothing outside its folder can be opened
    #[arg(default_value = ".", value_hint = ValueHint::AnyPath)]
    pub(crate) place: PathBuf,
    /// Port to listen at (default: one that is free)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: Option<u16>,
    /// Do not open the browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Address to listen at instead of this machine's own 127.0.0.1; needs --i-know
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) host: Option<String>,
    /// I know that the app has no encryption, and trust the network of --host with the data
    #[arg(long)]
    pub(crate) i_know: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    #[cfg(feature = "engine")]
    #[command(flatten)]
    pub(crate) engine: EngineArguments,
    #[command(flatten)]
    pub(crate) plan: PlanArguments,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    #[cfg(feature = "engine")]
    #[command(flatten)]
    pub(crate) engine: EngineArguments,
    #[command(flatten)]
    pub(crate) plan: PlanArguments,
    /// Seed of the random draws; goes before the plan's
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

/// Who counts keys for a run, and how a cluster knows us.
#[cfg(feature = "engine")]
#[derive(Debug, Args)]
pub(crate) struct EngineArguments {
    /// Count keys by DataFusion, in so many pieces at a time; results do not depend on it
    #[arg(long, value_name = "N")]
    pub(crate) partitions: Option<NonZeroU16>,
    /// Count keys on a cluster, by the address of its scheduler
    #[arg(long, value_name = "HOST:PORT", conflicts_with = "partitions")]
    pub(crate) cluster: Option<bauta_cluster::Address>,
    #[command(flatten)]
    pub(crate) credentials: bauta_cluster::CredentialFiles,
}

impl PlanArguments {
    /// The choices of a run that are not part of its plan.
    pub(crate) fn run_options(&self, seed: Option<u64>, global: &Global) -> RunOptions {
        RunOptions {
            release_when: if self.ungated {
                ReleaseWhen::Ungated
            } else {
                ReleaseWhen::Gated
            },
            ..global.run_options(seed)
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct MaskArguments {}

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// Run record; several are shown side by side
    #[arg(required = true, value_name = "RECORD", value_hint = ValueHint::FilePath)]
    pub(crate) records: Vec<PathBuf>,
    /// The public version: no seed, no risk figures, no record numbers
    #[arg(long)]
    pub(crate) external: bool,
    /// Report to write (default: standard output)
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Folder to write the tables of the record to, as CSV files
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "external")]
    pub(crate) tables: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// Run record
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) record: PathBuf,
    /// Folder that the plan's paths are relative to (default: found from the record's place)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) folder: Option<PathBuf>,
    /// Public key: check the signature beside the record instead; needs no data
    #[arg(long, value_name = "PUBLIC", value_hint = ValueHint::FilePath)]
    pub(crate) key: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct SignArguments {
    /// Run record
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) record: PathBuf,
    /// Secret key to sign with
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) key: PathBuf,
    /// Make the key first; the public one, FILE.pub, is for those who check
    #[arg(long)]
    pub(crate) new_key: bool,
    /// Folder that the plan's paths are relative to (default: found from the record's place)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) folder: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Only this family: mask, adjuster, risk, loss or score
    #[arg(long, value_parser = ["mask", "adjuster", "risk", "loss", "score"])]
    pub(crate) family: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// Method, `plan`, a name of another tool (sdcMicro, mu-Argus, ARX, CALMAR, icarus, survey and others), with
    /// or without the tool before it, or the tool itself
    #[arg(required = true, num_args = 1..)]
    pub(crate) name: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// Shell
    pub(crate) shell: clap_complete::Shell,
}

/// The whole command line, with a sub-command for every mask.
pub(crate) fn command() -> clap::Command {
    let masks: Vec<clap::Command> = registry::MASKS
        .iter()
        .map(|mask| masks::mask_command(mask.card()).arg(spill()))
        .collect();
    let all = Cli::command();
    let with_spill = |all: clap::Command, name| all.mut_subcommand(name, |one| one.arg(spill()));
    (PUT_ASIDE.into_iter().fold(all, with_spill))
        .mut_subcommand("mask", |command| {
            command
                .subcommands(masks)
                .subcommand_required(true)
                .arg_required_else_help(true)
                .subcommand_value_name("METHOD")
                .subcommand_help_heading("Masks")
        })
        .mut_subcommand("calibrate", calibrate::with_arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }
}

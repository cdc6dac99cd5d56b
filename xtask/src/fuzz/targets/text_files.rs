//! Delimited text: what is read is what stands there, and comes out as it came in.

use std::path::{Path, PathBuf};

use bauta_data::format::{self, Encoding, Loaded, ReadOptions, TextStyle};
use bauta_data::number::DecimalMark;
use bauta_data::{Attribute, Kind, MissingRules, Role, Schema};
use bauta_plan::output::Replace;
use bauta_plan::work::{Reading, init};
use serde::{Deserialize, Serialize};

use super::Target;
use crate::fuzz::case::Case;
use crate::fuzz::draws::Draws;
use crate::fuzz::finding::{Finding, Oracle, Outcome, Verdict};
use crate::fuzz::make::cells;
use crate::fuzz::make::damage::damaged;
use crate::fuzz::make::table::{MadeTable, Spelling};
use crate::fuzz::oracle::canaries::Canaries;
use crate::fuzz::oracle::plain_text;
use crate::fuzz::world::{Patience, World};

/// Files with the extensions .csv and .txt.
pub(crate) struct Csv;

/// Files with the extensions .tsv and .tab.
pub(crate) struct Tsv;

impl Target for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn make(&self, draws: &mut Draws, _world: &World) -> Case {
        let extension = draws.pick(&["csv", "csv", "csv", "txt"]);
        made(draws, extension, None)
    }

    fn run(&self, case: &Case, world: &World) -> Outcome {
        run(case, world)
    }
}

impl Target for Tsv {
    fn name(&self) -> &'static str {
        "tsv"
    }

    fn make(&self, draws: &mut Draws, _world: &World) -> Case {
        let extension = draws.pick(&["tsv", "tab"]);
        made(draws, extension, Some('\t'))
    }

    fn run(&self, case: &Case, world: &World) -> Outcome {
        run(case, world)
    }
}

const DATA: &str = "data";
const HOW: &str = "reading.json";
/// What reading may take: less than the budget of a case, and the same on every machine.
const MEMORY: u64 = 128 << 20;

/// How the file of a case is to be read.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct HowRead {
    pub(super) extension: String,
    delimiter: Option<char>,
    decimal: Option<DecimalMark>,
    encoding: Encoding,
    missing: Option<Vec<String>>,
    codes: Vec<(String, String)>,
    /// Variables that are described.
    variables: Vec<(String, Role, Kind)>,
}

impl HowRead {
    /// What a user might say of a table; mostly what is true of it.
    pub(super) fn any(draws: &mut Draws, table: &MadeTable, extension: &str) -> Self {
        let described = table.columns.iter().filter(|_| !draws.one_in(3));
        let variables = described.map(|column| (column.name.clone(), column.role, column.kind));
        let mut how = Self {
            extension: extension.to_owned(),
            variables: variables.collect(),
            ..Self::default()
        };
        if draws.one_in(6) {
            let missing = draws.some(cells::MISSING, 2);
            how.missing = Some(missing.into_iter().map(str::to_owned).collect());
        }
        if draws.one_in(8) {
            how.codes = vec![
                ("-9".to_owned(), "refused".to_owned()),
                ("99".to_owned(), String::new()),
            ];
        }
        if draws.one_in(5) {
            how.decimal = Some(draws.pick(&[DecimalMark::Comma, DecimalMark::Point]));
        }
        // Kinds that do not fit, and variables that are not there.
        if draws.one_in(5) {
            for (_, role, kind) in &mut how.variables {
                (*role, *kind) = (draws.pick(&Role::ALL), draws.pick(&Kind::ALL));
            }
        }
        if draws.one_in(30) {
            how.variables
                .push((cells::name(draws), Role::Key, Kind::Ordered));
        }
        how
    }

    /// As it stands in a case.
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("options are JSON") + "\n"
    }

    pub(super) fn options(&self) -> ReadOptions {
        let attributes = self.variables.iter();
        let attributes =
            attributes.map(|(name, role, kind)| Attribute::new(name.clone(), *role, *kind));
        let mut missing = MissingRules::default();
        if let Some(texts) = &self.missing {
            missing.texts.clone_from(texts);
        }
        missing.codes.clone_from(&self.codes);
        ReadOptions {
            schema: Schema {
                attributes: attributes.collect(),
                missing,
            },
            delimiter: self.delimiter.and_then(|letter| u8::try_from(letter).ok()),
            decimal: self.decimal,
            encoding: self.encoding,
            memory: Some(MEMORY),
        }
    }
}

fn made(draws: &mut Draws, extension: &str, delimiter: Option<char>) -> Case {
    let table = MadeTable::odd(draws);
    let mut spelling = Spelling::any(draws);
    if let Some(delimiter) = delimiter.filter(|_| !draws.one_in(10)) {
        spelling.delimiter = delimiter;
    }
    let mut bytes = table.spelled(&spelling);
    if draws.one_in(2) {
        let other = MadeTable::odd(draws).spelled(&spelling);
        bytes = damaged(draws, &bytes, &other);
    }
    let mut how = HowRead::any(draws, &table, extension);
    if draws.one_in(3) {
        how.delimiter = Some(spelling.delimiter);
    } else if draws.one_in(30) {
        how.delimiter = Some(char::from(draws.bits() as u8));
    }
    how.encoding = spelling.encoding;
    if draws.one_in(12) {
        how.encoding = draws.pick(&Encoding::ALL);
    }
    Case::default().with(HOW, how.to_json()).with(DATA, bytes)
}

fn run(case: &Case, world: &World) -> Outcome {
    let how: HowRead = serde_json::from_str(case.text(HOW)).unwrap_or_default();
    let bytes = case.get(DATA).unwrap_or_default();
    let path = PathBuf::from(format!("{DATA}.{}", how.extension));
    let options = how.options();
    let read = || format::read_bytes(&path, bytes, &options, &Patience);
    let (loaded, again) = (read(), world.on_one(read));
    let loaded = match (loaded, again) {
        (Ok(loaded), Ok(again)) => {
            same_on_any_threads(&path, &loaded, &again, world)?;
            loaded
        }
        (Err(error), again) => {
            if again.err().as_ref() != Some(&error) {
                return Err(Finding::new(
                    Oracle::Threads,
                    "one thread reads what several refuse",
                ));
            }
            canaries(bytes, &how, &options).look_for("the error", &error.to_string())?;
            return Ok(Verdict::Refused);
        }
        (Ok(_), Err(_)) => {
            return Err(Finding::new(
                Oracle::Threads,
                "several threads read what one refuses",
            ));
        }
    };
    comes_out_as_it_came(&path, bytes, &loaded, &options)?;
    header_alone_says_the_same(case, &how, &loaded, &options, world)?;
    first_plan_can_be_checked(case, &how, world)?;
    Ok(Verdict::Accepted)
}

/// Cells that must not show, but for those in the first line, which are names, whatever they were meant for.
fn canaries(bytes: &[u8], how: &HowRead, options: &ReadOptions) -> Canaries {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches(['\u{feff}', '\r', '\n']);
    // A header may have line ends within quotes.
    let delimiters = [options.delimiter.unwrap_or(b','), b',', b';', b'\t', b'|'];
    let headers = delimiters.map(|delimiter| {
        let first = plain_text::rows(bytes, delimiter, how.encoding)
            .into_iter()
            .next();
        first.unwrap_or_default().concat()
    });
    let declared = how.variables.iter().map(|(name, ..)| name.as_str());
    let public = headers.iter().map(String::as_str).chain(declared);
    Canaries::of([text], public.collect::<Vec<_>>())
}

fn written(path: &Path, loaded: &Loaded) -> Result<Vec<u8>, Finding> {
    let mut bytes = Vec::new();
    let style = TextStyle {
        // A file with the extension .csv and tabs in it is written with tabs, too.
        ..loaded.style
    };
    format::write(
        &mut bytes,
        path,
        &loaded.table,
        loaded.format,
        &style,
        &Patience,
    )
    .map_err(|error| {
        Finding::new(
            Oracle::RoundTrip,
            format!("what was read cannot be written: {error}"),
        )
    })?;
    Ok(bytes)
}

fn same_on_any_threads(
    path: &Path,
    loaded: &Loaded,
    again: &Loaded,
    world: &World,
) -> Result<(), Finding> {
    let same = written(path, loaded)? == world.on_one(|| written(path, again))?;
    if same && loaded.fingerprint == again.fingerprint && loaded.style == again.style {
        return Ok(());
    }
    Err(Finding::new(
        Oracle::Threads,
        "one thread reads another table than several",
    ))
}

/// Nothing was touched, and so every cell must come out as the text that it came in as.
fn comes_out_as_it_came(
    path: &Path,
    bytes: &[u8],
    loaded: &Loaded,
    options: &ReadOptions,
) -> Result<(), Finding> {
    let out = written(path, loaded)?;
    let style = loaded.style;
    let before = plain_text::rows(bytes, style.delimiter, style.encoding);
    let after = plain_text::rows(&out, style.delimiter, style.encoding);
    if let Some(difference) = first_difference(&before, &after) {
        return Err(Finding::new(Oracle::RoundTrip, difference));
    }
    if before.len() != loaded.table.n_records() + 1 {
        return Err(Finding::new(
            Oracle::RoundTrip,
            "the table has more or fewer records than lines",
        ));
    }
    let options = ReadOptions {
        delimiter: Some(style.delimiter),
        ..options.clone()
    };
    let again = format::read_bytes(path, out.clone(), &options, &Patience).map_err(|error| {
        Finding::new(
            Oracle::RoundTrip,
            format!("what was written cannot be read: {error}"),
        )
    })?;
    if written(path, &again)? != out {
        return Err(Finding::new(
            Oracle::RoundTrip,
            "written twice, the file is another one",
        ));
    }
    for (first, second) in loaded.table.columns().iter().zip(again.table.columns()) {
        let bits = |numbers: Option<&[f64]>| -> Option<Vec<u64>> {
            numbers.map(|numbers| numbers.iter().map(|number| number.to_bits()).collect())
        };
        if bits(first.as_numeric()) != bits(second.as_numeric()) {
            let message = format!(
                "the numbers of `{}` are others when read again",
                first.name()
            );
            return Err(Finding::new(Oracle::RoundTrip, message));
        }
    }
    Ok(())
}

/// Where two tables differ, if they do.
pub(super) fn first_difference(before: &[Vec<String>], after: &[Vec<String>]) -> Option<String> {
    if before.len() != after.len() {
        return Some(format!(
            "{} lines came in, {} went out",
            before.len(),
            after.len()
        ));
    }
    let mut pairs = before.iter().zip(after).enumerate();
    pairs.find_map(|(line, (before, after))| {
        let column = before
            .iter()
            .zip(after)
            .position(|(before, after)| before != after);
        let column =
            column.or((before.len() != after.len()).then_some(before.len().min(after.len())))?;
        let cell = |row: &[String]| row.get(column).cloned();
        let (before, after) = (cell(before), cell(after));
        Some(format!(
            "line {}, column {}: came as {before:?}, went as {after:?}",
            line + 1,
            column + 1
        ))
    })
}

/// The names are the same when only the header is read.
fn header_alone_says_the_same(
    case: &Case,
    how: &HowRead,
    loaded: &Loaded,
    options: &ReadOptions,
    world: &World,
) -> Result<(), Finding> {
    let folder = world.empty_folder();
    let file = folder.path().join(format!("{DATA}.{}", how.extension));
    std::fs::write(&file, case.get(DATA).unwrap_or_default()).expect("room in memory");
    let names = format::column_names(&file, options);
    if names.is_ok_and(|names| loaded.table.names().eq(names.iter().map(String::as_str))) {
        return Ok(());
    }
    Err(Finding::new(
        Oracle::Law,
        "the header alone gives other names",
    ))
}

/// The plan that `init` proposes for a file has no problem.
fn first_plan_can_be_checked(case: &Case, how: &HowRead, world: &World) -> Result<(), Finding> {
    let folder = world.empty_folder();
    let file = folder.path().join(format!("{DATA}.{}", how.extension));
    std::fs::write(&file, case.get(DATA).unwrap_or_default()).expect("room in memory");
    let plan = folder.path().join("plan.toml");
    let options = how.options();
    let reading = Reading {
        delimiter: options.delimiter,
        decimal: how.decimal,
        encoding: Some(how.encoding),
        missing_texts: how.missing.clone(),
        memory: options.memory,
        spill: None,
        fold_spellings: Vec::new(),
        dates: Vec::new(),
    };
    let Ok(proposed) = init::init(&file, &plan, None, Replace::OwnFiles, &reading, &Patience)
    else {
        // What was described made the file readable; without, it is not.
        return Ok(());
    };
    bauta_plan::check_text(&proposed.text, "plan.toml", folder.path())
        .map(|_| ())
        .map_err(|problems| {
            let told: Vec<&str> = problems
                .iter()
                .map(|problem| problem.message.as_str())
                .collect();
            Finding::new(
                Oracle::Law,
                format!("the proposed plan has problems: {}", told.join("; ")),
            )
        })
}

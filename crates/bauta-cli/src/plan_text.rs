//! Plans that the command line writes: what it was told, as a plan says it.

use std::fmt::Write as _;
use std::path::Path;

use bauta_data::format::Encoding;
use bauta_data::inspect::{ColumnProfile, FileProfile};
use bauta_data::near;
use bauta_data::number::{DecimalMark, number_text};
use bauta_methods::RawValue;

use crate::arguments::FileOptions;
use crate::commands::inspect::decimal_mark;
use crate::failure::Failure;
use crate::toml_text::{key, list, quoted};

/// The table `[data]`: the file and how it is read.
pub(crate) fn data_table(file: &Path, reading: &FileOptions, profile: &FileProfile) -> String {
    let mut out = format!("[data]\nfile = {}\n", quoted(&file.to_string_lossy()));
    if let Some(texts) = &reading.missing_texts {
        let _ = writeln!(out, "missing = {}", list(texts.iter().map(String::as_str)));
    }
    if let Some(delimiter) = reading.delimiter {
        let delimiter = char::from(delimiter).to_string();
        let _ = writeln!(out, "delimiter = {}", quoted(&delimiter));
    }
    if decimal_mark(reading, profile) == DecimalMark::Comma {
        out.push_str("decimal = \",\"\n");
    }
    if reading.encoding == Some(Encoding::Latin1) {
        out.push_str("encoding = \"latin1\"\n");
    }
    out
}

/// The column of a name, or what to do about there being none.
pub(crate) fn column<'p>(
    file: &Path,
    profile: &'p FileProfile,
    name: &str,
) -> Result<&'p ColumnProfile, Failure> {
    let names = profile.columns.iter().map(|column| column.name.as_str());
    let mut columns = profile.columns.iter();
    columns.find(|column| column.name == name).ok_or_else(|| {
        let message = format!("the file has no variable `{name}`");
        Failure::of_variable(file, name, message, near::column_hint(name, names))
    })
}

/// A parameter as TOML writes it.
pub(crate) fn value_text(value: &RawValue) -> String {
    match value {
        RawValue::Integer(value) => value.to_string(),
        RawValue::Number(value) => float_text(*value),
        RawValue::Flag(value) => value.to_string(),
        RawValue::Text(text) => quoted(text),
        RawValue::List(items) => format!(
            "[{}]",
            items.iter().map(value_text).collect::<Vec<_>>().join(", ")
        ),
        RawValue::Map(pairs) => {
            let pairs = pairs
                .iter()
                .map(|(from, to)| format!("{} = {}", key(from), value_text(to)));
            format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A number as TOML writes floats: with a point or an exponent.
fn float_text(value: f64) -> String {
    let text = number_text(value);
    if !value.is_finite() || text.contains(['.', 'e']) {
        text
    } else {
        format!("{text}.0")
    }
}

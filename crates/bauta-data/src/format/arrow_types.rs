//! Types of Arrow arrays: which of them can be read, and cells of other types as texts and back.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, make_array, new_null_array};
use arrow_cast::cast;
use arrow_schema::DataType;

/// Whether the cells are texts, in a list or not.
pub(super) fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_text(values),
        other => other.is_string(),
    }
}

/// What is wrong with the type of a column, and what to do, if it cannot be read.
pub(super) fn check_type(
    data_type: &DataType,
    numeric: bool,
) -> Result<(), (String, &'static str)> {
    let name = type_name(data_type);
    match data_type {
        DataType::Dictionary(_, values) => check_type(values, numeric),
        // An empty column may be declared as anything.
        DataType::Null | DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok(()),
        number if number.is_numeric() => Ok(()),
        DataType::Boolean | DataType::Time32(_) | DataType::Time64(_) if numeric => {
            let message = format!("is declared as a number, but the file stores it as {name}");
            Err((
                message,
                "declare the variable with another kind, or store numbers",
            ))
        }
        DataType::Boolean
        | DataType::Date32
        | DataType::Date64
        | DataType::Timestamp(..)
        | DataType::Time32(_)
        | DataType::Time64(_) => Ok(()),
        nested if nested.is_nested() => Err((
            format!("has the nested type {name}"),
            "store each part in a column of its own, or leave the column out",
        )),
        _ => Err((
            format!("has the type {name}, which cannot be read"),
            "store it as text or as numbers, or leave the column out",
        )),
    }
}

/// A type in words, without the names of nested fields.
fn type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::List(_)
        | DataType::ListView(_)
        | DataType::FixedSizeList(..)
        | DataType::LargeList(_)
        | DataType::LargeListView(_) => "list".to_owned(),
        DataType::Struct(_) => "struct".to_owned(),
        DataType::Map(..) => "map".to_owned(),
        DataType::Union(..) => "union".to_owned(),
        DataType::RunEndEncoded(..) => "run-end encoded".to_owned(),
        DataType::Timestamp(..) => "timestamp".to_owned(),
        other => other.to_string(),
    }
}

/// The texts of an array of dates, times, decimals or truth values. Instants with a time zone are
/// written in UTC, because the rules of named zones are not part of the file.
pub(super) fn texts_of(array: &ArrayRef) -> Option<ArrayRef> {
    let in_utc = match array.data_type() {
        DataType::Timestamp(unit, Some(_)) => {
            relabel(array, DataType::Timestamp(*unit, Some(Arc::from("+00:00"))))?
        }
        _ => Arc::clone(array),
    };
    cast(&in_utc, &DataType::Utf8).ok()
}

/// The array of a type that these texts mean, the inverse of [`texts_of`] for every type.
pub(super) fn typed_of(texts: &ArrayRef, data_type: &DataType) -> Option<ArrayRef> {
    let strict = arrow_cast::CastOptions {
        safe: false,
        ..Default::default()
    };
    let cast_strictly = |array: &ArrayRef, data_type: &DataType| {
        arrow_cast::cast_with_options(array, data_type, &strict).ok()
    };
    match data_type {
        DataType::Dictionary(_, values) => cast_strictly(&typed_of(texts, values)?, data_type),
        DataType::Timestamp(unit, Some(_)) => {
            let in_utc = DataType::Timestamp(*unit, Some(Arc::from("+00:00")));
            relabel(&cast_strictly(texts, &in_utc)?, data_type.clone())
        }
        DataType::Null => Some(new_null_array(data_type, texts.len())),
        DataType::Float16 => {
            let wide = cast_strictly(texts, &DataType::Float32)?;
            cast_strictly(&wide, data_type)
        }
        _ => cast_strictly(texts, data_type),
    }
}

/// The same cells under a type with the same layout.
fn relabel(array: &ArrayRef, data_type: DataType) -> Option<ArrayRef> {
    let data = array.to_data().into_builder().data_type(data_type).build();
    data.ok().map(make_array)
}

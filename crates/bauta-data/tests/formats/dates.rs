//! Dates are read as days, written as they were spelled, and asked about where they could be two.

use bauta_data::date::{DateFormat, Dates};
use bauta_data::format::ReadOptions;
use bauta_data::{Attribute, Column, DataProblem, Kind, Role, Table};

use crate::{declared, read, write_text};

fn of_kind(kind: Kind) -> Attribute {
    Attribute::new("born", Role::Key, kind)
}

fn spelled(spelling: &str) -> Attribute {
    Attribute {
        date: Dates::parse(spelling),
        ..of_kind(Kind::Continuous)
    }
}

fn table(text: &str, attribute: Attribute) -> Table {
    read("x.csv", text.as_bytes(), &declared(vec![attribute]))
        .unwrap()
        .table
}

fn problems(text: &str, attribute: Attribute) -> Vec<DataProblem> {
    let options: ReadOptions = declared(vec![attribute]);
    read("x.csv", text.as_bytes(), &options)
        .unwrap_err()
        .problems
}

fn levels(column: &Column) -> Vec<&str> {
    column.as_categorical().unwrap().levels.iter().collect()
}

#[test]
fn continuous_dates_are_days_and_keep_their_text() {
    let text = "id,born\n1,02.01.1970\n2,NA\n3,31.12.1969\n4,1.2.1970\n";
    let loaded = read(
        "x.csv",
        text.as_bytes(),
        &declared(vec![of_kind(Kind::Continuous)]),
    )
    .unwrap();
    let column = loaded.table.column(1);
    let days = column.as_numeric().unwrap();
    assert_eq!((days[0], days[2], days[3]), (1.0, -1.0, 31.0));
    assert!(days[1].is_nan() && column.is_missing(1));
    // One value has no zeros, so that the texts are kept; what is masked is written with them.
    assert_eq!(write_text(&loaded.table, loaded.style), text.as_bytes());
    let moved = column.with_numbers(vec![0.4, 5.0, 100.6, -400.0]);
    let mut written = String::new();
    for record in 0..4 {
        moved.write_text(record, bauta_data::number::DecimalMark::Comma, &mut written);
        written.push(' ');
    }
    assert_eq!(written, "01.01.1970 NA 12.04.1970 27.11.1968 ");
    let measured = moved.as_numeric().unwrap()[2];
    assert_eq!(
        Some(measured),
        Some(101.0),
        "what is measured is what is written"
    );
}

#[test]
fn ordered_dates_stand_in_the_order_of_the_calendar() {
    let text = "born\n15/12/1999\n03/01/2001\n20/02/2000\n";
    let column = table(text, of_kind(Kind::Ordered));
    assert_eq!(
        levels(column.column(0)),
        ["15/12/1999", "20/02/2000", "03/01/2001"]
    );
    assert_eq!(
        column.column(0).date_format(),
        DateFormat::parse("dd/mm/yyyy")
    );
    // Not all are dates: categories as before.
    let column = table(
        "born\n15/12/1999\nunknown\n03/01/2001\n",
        of_kind(Kind::Ordered),
    );
    assert_eq!(
        levels(column.column(0)),
        ["03/01/2001", "15/12/1999", "unknown"]
    );
    assert_eq!(column.column(0).date_format(), None);
    let unordered = table("born\n15/12/1999\n", of_kind(Kind::Unordered));
    assert_eq!(unordered.column(0).date_format(), None);
}

#[test]
fn what_could_be_two_dates_is_asked_about() {
    let text = "born\n03/04/2020\n05/06/1988\n";
    for kind in [Kind::Continuous, Kind::Ordered] {
        let found = problems(text, of_kind(kind));
        assert_eq!(found.len(), 1);
        assert!(found[0].hint.contains("dd/mm/yyyy") && found[0].hint.contains("mm/dd/yyyy"));
        assert!(!found[0].to_string().contains("2020") && !found[0].to_string().contains("1988"));
    }
    let day_first = table(text, spelled("dd/mm/yyyy"));
    let month_first = table(text, spelled("mm/dd/yyyy"));
    let days = |table: &Table| table.column(0).as_numeric().unwrap()[0];
    assert_eq!((days(&day_first), days(&month_first)), (18_355.0, 18_325.0));
}

#[test]
fn two_digits_of_a_year_need_their_century() {
    let text = "born\n13/04/29\n14/04/30\n";
    let found = problems(text, spelled("find"));
    assert!(found[0].hint.contains("from 1930"), "{}", found[0]);
    let stated = table(text, spelled("dd/mm/yy from 1930"));
    let days = stated.column(0).as_numeric().unwrap();
    assert!(days[0] > 20_000.0 && days[1] < -14_000.0, "2029 and 1930");
}

#[test]
fn impossible_dates_and_other_spellings_are_told_with_their_lines() {
    let text =
        "id,born\n1,13/04/2020\n2,31/04/2020\n3,2020-04-01\n4,29/02/2019\n5,s3cret\n6,29/02/2020\n";
    let found = problems(text, of_kind(Kind::Continuous));
    let lines: Vec<Option<u64>> = found.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [Some(3), Some(4), Some(5), Some(6)]);
    for problem in &found {
        assert_eq!(problem.variable.as_deref(), Some("born"));
        assert!(!problem.to_string().contains("s3cret") && !problem.to_string().contains("/04/"));
    }
}

#[test]
fn numbers_stay_numbers_and_empty_columns_are_no_dates() {
    let numbers = table("born\n20200403\n20200404\n", of_kind(Kind::Continuous));
    assert_eq!(
        numbers.column(0).as_numeric().map(|x| x[0]),
        Some(20_200_403.0)
    );
    let days = table("born\n20200403\n20200404\n", spelled("yyyymmdd"));
    assert_eq!(days.column(0).as_numeric().map(|x| x[0]), Some(18_355.0));
    let empty = table("id,born\n1,\n2,NA\n", spelled("find"));
    assert!(
        empty
            .column(1)
            .as_numeric()
            .unwrap()
            .iter()
            .all(|value| value.is_nan())
    );
    let mixed = problems("born\n1\n2020-01-01\n", of_kind(Kind::Continuous));
    assert_eq!(mixed[0].line, Some(3));
}

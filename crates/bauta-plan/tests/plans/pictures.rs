//! Small pictures of variables, of files as they are inspected.

use std::collections::BTreeMap;
use std::path::Path;

use bauta_data::survey::{SURVEY_RECORDS, SURVEY_SEED, survey_csv};
use bauta_data::{Unwatched, Watch};
use bauta_plan::work::inspect::inspect;
use bauta_plan::work::pictures::{ColumnPicture, pictures};
use bauta_plan::work::{Reading, WorkError};
use proptest::prelude::*;

use crate::support::Patience;

fn of_file(file: &Path, watch: &dyn Watch) -> Result<BTreeMap<String, ColumnPicture>, WorkError> {
    let found = inspect(file, &Reading::default(), &Unwatched)?;
    let drawn = pictures(&found.loaded.table, &found.profile, watch)?;
    assert_eq!(drawn.len(), found.profile.columns.len());
    let names = found.profile.columns.into_iter().map(|column| column.name);
    Ok(names.zip(drawn).collect())
}

fn of(text: &[u8]) -> BTreeMap<String, ColumnPicture> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.csv");
    std::fs::write(&file, text).unwrap();
    of_file(&file, &Unwatched).unwrap()
}

/// Records of an id, a region of four, of which one is rare, a class in words that have an order, and an amount.
fn people(n_records: usize) -> String {
    let mut rows = String::from("person_id,region,grade,income\n");
    for at in 0..n_records {
        let region = match at {
            0..3 => "nowhere",
            at => ["north", "south", "north", "east"][at % 4],
        };
        let income = match at {
            0 => "9999999".to_owned(),
            at if at % 20 == 7 => String::new(),
            at => (1000 + 7 * (at * 37 % 500)).to_string(),
        };
        rows.push_str(&format!("p{at},{region},{},{income}\n", at % 3 + 1));
    }
    rows
}

#[test]
fn a_picture_shows_what_a_variable_is() {
    let drawn = of(people(1000).as_bytes());
    assert_eq!(
        drawn["person_id"],
        ColumnPicture::Distinct {
            n_distinct: 1000,
            n_missing: None
        }
    );
    let ColumnPicture::Categories {
        bars,
        n_withheld_categories,
        n_withheld_records,
        ..
    } = &drawn["region"]
    else {
        panic!("{:?}", drawn["region"]);
    };
    // Of every four records two are north, but for the first three, which are nowhere.
    let expected = [("north", 498), ("east", 250), ("south", 249)];
    let expected = expected.map(|(name, n)| (name.to_owned(), n));
    assert_eq!(bars[..], expected);
    assert_eq!((*n_withheld_categories, *n_withheld_records), (1, 0));
    let ColumnPicture::Categories { bars, .. } = &drawn["grade"] else {
        panic!("{:?}", drawn["grade"]);
    };
    let names: Vec<&str> = bars.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["1", "2", "3"]);
    let ColumnPicture::Histogram {
        edges,
        counts,
        n_outside,
        n_missing,
    } = &drawn["income"]
    else {
        panic!("{:?}", drawn["income"]);
    };
    // 1000 to 4493 in bars of 200; the one far away is in no bar, and neither alone nor with others ten.
    assert_eq!(
        (edges.first(), edges.last()),
        (Some(&1000.0), Some(&4600.0))
    );
    assert_eq!(edges[..2], [1000.0, 1200.0]);
    let shown: u64 = counts.iter().flatten().sum();
    assert_eq!((*n_outside, *n_missing), (0, Some(50)));
    assert_eq!(shown, 949);
}

#[test]
fn the_survey_has_a_picture_of_every_variable() {
    let drawn = of(&survey_csv(SURVEY_RECORDS, SURVEY_SEED));
    assert!(drawn.len() > 5);
    let n_of = |is: fn(&ColumnPicture) -> bool| drawn.values().filter(|one| is(one)).count();
    assert!(
        n_of(|one| matches!(one, ColumnPicture::Categories { bars, .. } if bars.len() > 1)) > 2
    );
    assert!(
        n_of(|one| matches!(one, ColumnPicture::Histogram { counts, .. } if counts.len() > 5)) > 0
    );
}

#[test]
fn of_fewer_than_ten_records_nothing_is_shown() {
    for picture in of(people(9).as_bytes()).values() {
        let ColumnPicture::Categories {
            bars,
            n_withheld_categories: 0,
            n_withheld_records: 0,
            n_missing: None,
        } = picture
        else {
            panic!("{picture:?}");
        };
        assert!(bars.is_empty());
    }
}

#[test]
fn pictures_do_not_depend_on_the_order_of_records_and_stop_when_asked() {
    let text = people(600);
    let mut lines: Vec<&str> = text.lines().collect();
    lines[1..].reverse();
    assert_eq!(of(text.as_bytes()), of(lines.join("\n").as_bytes()));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.csv");
    std::fs::write(&file, text).unwrap();
    let error = of_file(&file, &Patience::of(0)).unwrap_err();
    assert!(matches!(error, WorkError::Run(error) if error.is_cancelled()));
}

/// Values of several sorts, with few and many records each.
fn columns() -> impl Strategy<Value = Vec<[String; 3]>> {
    let text = prop_oneof![
        8 => "[ab]",
        2 => "[c-z]",
        1 => Just(String::new()),
        1 => "[a-z]{3,6}",
    ];
    let number = prop_oneof![
        6 => (0..40_i32).prop_map(|number| number.to_string()),
        2 => (-500..100_000_i32).prop_map(|number| format!("{number}.5")),
        1 => Just(String::new()),
        1 => Just("9999999".to_owned()),
    ];
    let whole = (0..200_u32).prop_map(|number| number.to_string());
    prop::collection::vec(
        (text, number, whole).prop_map(|(a, b, c)| [a, b, c]),
        1..300,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn nothing_in_a_picture_rests_on_fewer_than_ten_records(records in columns()) {
        let mut text = String::from("group,amount,age\n");
        for record in &records {
            text.push_str(&format!("{}\n", record.join(",")));
        }
        let drawn = of(text.as_bytes());
        for (attr_idx, name) in ["group", "amount", "age"].into_iter().enumerate() {
            let values: Vec<&str> = records.iter().map(|record| record[attr_idx].as_str()).collect();
            let n_missing = values.iter().filter(|value| value.is_empty()).count() as u64;
            let n_present = values.len() as u64 - n_missing;
            let told = match &drawn[name] {
                ColumnPicture::Categories { bars, n_withheld_categories, n_withheld_records, n_missing } => {
                    prop_assert!(bars.len() <= 12);
                    for (category, n_records) in bars {
                        let n_of = values.iter().filter(|value| *value == category).count() as u64;
                        prop_assert!(*n_records >= 10 && n_of == *n_records, "{category}");
                    }
                    let shown: u64 = bars.iter().map(|(_, n_records)| n_records).sum();
                    let rest = n_present - shown;
                    prop_assert_eq!(*n_withheld_records, if rest >= 10 { rest } else { 0 });
                    prop_assert!(n_present >= 10 || *n_withheld_categories == 0);
                    *n_missing
                }
                ColumnPicture::Histogram { edges, counts, n_outside, n_missing } => {
                    let numbers: Vec<f64> = values.iter().filter_map(|value| value.parse().ok()).collect();
                    prop_assert!(counts.is_empty() && edges.is_empty() || counts.len() + 1 == edges.len());
                    let mut n_in_bars = 0;
                    for (ends, told) in edges.windows(2).zip(counts) {
                        let inside = numbers.iter().filter(|value| (ends[0]..ends[1]).contains(*value));
                        let n_inside = inside.count() as u64;
                        prop_assert_eq!(*told, (n_inside >= 10).then_some(n_inside));
                        n_in_bars += n_inside;
                    }
                    let rest = n_present - n_in_bars;
                    prop_assert_eq!(*n_outside, if rest >= 10 { rest } else { 0 });
                    // Each end has at least ten records on its outer side, or one bar width from it.
                    if let [first, second, ..] = edges[..] {
                        prop_assert!(numbers.iter().filter(|value| **value < second).count() >= 10);
                        let last = edges[edges.len() - 2];
                        prop_assert!(numbers.iter().filter(|value| **value >= last).count() >= 10);
                        prop_assert!(first < second);
                    }
                    *n_missing
                }
                ColumnPicture::Distinct { n_distinct, n_missing } => {
                    prop_assert!(n_present >= 10 && *n_distinct <= n_present);
                    *n_missing
                }
            };
            prop_assert_eq!(told, (n_missing >= 10).then_some(n_missing));
        }
    }
}

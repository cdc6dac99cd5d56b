use super::*;
use crate::attribute::{Attribute, Kind};
use crate::format::{Loaded, ReadOptions, read_bytes};
use crate::watch::Unwatched;

fn read(cells: &[&str], attribute: Attribute) -> Result<Loaded, DataError> {
    let text: String = cells.iter().map(|cell| format!("\"{cell}\"\n")).collect();
    let name = attribute.name.clone();
    let options = ReadOptions {
        schema: Schema {
            attributes: vec![attribute],
            ..Schema::default()
        },
        ..ReadOptions::default()
    };
    read_bytes(
        Path::new("x.csv"),
        format!("{name}\n{text}"),
        &options,
        &Unwatched,
    )
}

fn illness() -> Attribute {
    Attribute::new("illness", Role::Sensitive, Kind::Unordered)
}

fn folding(attribute: Attribute) -> Attribute {
    Attribute {
        spellings: Spellings::Fold,
        ..attribute
    }
}

fn levels(loaded: &Loaded) -> Vec<&str> {
    let categorical = loaded.table.column(0).as_categorical().unwrap();
    categorical.levels.iter().collect()
}

#[test]
fn spellings_of_one_category_fold_to_one_text() {
    let same = [
        "HIV",
        "HIV ",
        "hiv",
        " HIV",
        "H\u{ad}IV",
        "HIV\u{200b}",
        "\u{feff}HIV",
        "ＨＩＶ",
        "HIV\u{a0}",
    ];
    for text in same {
        assert_eq!(folded(text), "hiv", "{}", text.escape_unicode());
    }
    assert_eq!(folded("a \u{a0} b"), folded("A b"));
    assert_ne!(folded("ab"), folded("a b"));
    // é as one character and as e with an accent; a ligature; the two small sigmas.
    assert_eq!(folded("caf\u{e9}"), folded("CAFE\u{301}"));
    assert_eq!(folded("o\u{fb00}en"), "offen");
    assert_eq!(folded("ΟΔΟΣ"), folded("οδος"));
    // The case of a letter whose small form is two characters.
    assert_eq!(folded("\u{130}"), folded("i\u{307}"));
}

#[test]
fn numbers_fold_by_their_decimals_and_codes_do_not() {
    assert_eq!(folded("1.0"), "1");
    assert_eq!(folded("-1.50"), "-1.5");
    assert_eq!(folded("0.0"), "0");
    for code in ["007", "01.0", "1.0.0", "1.", ".0", "1e3", "A1.0", "10"] {
        assert_eq!(folded(code), code.to_lowercase());
    }
}

#[test]
fn the_spread_is_counted_and_no_value_is_shown() {
    let cells = [
        "HIV", "HIV", "HIV ", "hiv", "flu", "N/A", "unknown", " ", "1", "1.0",
    ];
    let loaded = read(&cells, illness()).unwrap();
    // HIV (3 spellings), flu, N/A, unknown, blank, 1 (2 spellings).
    let spread = Spread::of(loaded.table.column(0)).unwrap();
    assert_eq!((spread.n_values, spread.n_categories), (9, 6));
    assert_eq!(spread.n_cells, 3);
    let found = remarks(&loaded.table, |_| true);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].id, SPELLINGS);
    assert_eq!(found[0].counts, [("n_values", 9), ("n_categories", 6)]);
    assert_eq!(found[1].id, POSSIBLY_MISSING);
    assert_eq!(found[1].counts, [("n_cells", 3), ("n_values", 3)]);
    for remark in &found {
        assert!(!remark.text.contains("HIV") && !remark.text.contains("flu"));
    }
    assert!(
        remarks(&read(&["a", "b", "none"], illness()).unwrap().table, |_| {
            true
        })
        .is_empty()
    );
    let id = Attribute::new("illness", Role::Identifier, Kind::Unordered);
    assert!(remarks(&read(&cells, id).unwrap().table, |_| true).is_empty());
}

#[test]
fn folding_takes_the_most_frequent_spelling_and_says_how_many_cells_changed() {
    let cells = ["flu", "hiv", "HIV ", "HIV ", "", "Flu", "hiv", "FLU"];
    let loaded = read(&cells, folding(illness())).unwrap();
    // Ties go to the first by bytes: "HIV " before "hiv", "FLU" before "Flu" before "flu".
    assert_eq!(levels(&loaded), ["FLU", "HIV "]);
    let column = loaded.table.column(0);
    assert_eq!(
        column.as_categorical().unwrap().codes.to_vec()[..4],
        [0, 1, 1, 1]
    );
    assert!(column.is_missing(4));
    assert_eq!(loaded.remarks[0].id, SPELLINGS_FOLDED);
    let counts = [("n_values", 5), ("n_categories", 2), ("n_cells", 4)];
    assert_eq!(loaded.remarks[0].counts, counts);
    assert!(remarks(&loaded.table, |_| true).is_empty());
}

#[test]
fn folded_categories_keep_their_order() {
    let ordered = Attribute::new("size", Role::Key, Kind::Ordered);
    let natural = read(&["10", "9.0", "9", "9"], folding(ordered.clone())).unwrap();
    assert_eq!(levels(&natural), ["9", "10"]);
    let stated = Attribute {
        order: Some(vec!["small".to_owned(), "large".to_owned()]),
        ..ordered
    };
    let stated = read(&["large", "Small", "Small", "small"], folding(stated)).unwrap();
    assert_eq!(levels(&stated), ["Small", "large"]);
}

#[test]
fn nothing_to_fold_and_nothing_that_can_be_folded() {
    let none = read(&["", ""], folding(illness())).unwrap();
    assert_eq!(none.table.column(0).n_missing(), 2);
    let number = Attribute::new("pay", Role::Sensitive, Kind::Continuous);
    let error = read(&["1", "1.0"], folding(number)).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("variable `pay`: is read as numbers")
    );
}

#[test]
fn another_file_is_spelled_alike() {
    let original = read(&["HIV", "HIV", "flu"], illness()).unwrap();
    let masked = read(&["hiv", "flu", "Cold"], illness()).unwrap();
    let column = spelled_as(masked.table.column(0), original.table.column(0)).unwrap();
    let categorical = column.as_categorical().unwrap();
    let text = |record: usize| categorical.levels.text(categorical.codes.at(record));
    assert_eq!([text(0), text(1), text(2)], ["HIV", "flu", "Cold"]);
}

//! Local suppression and its reversal against reference files and brute force.

use crate::support;

use bauta_data::{Kind, Role, Table, Unwatched};
use bauta_methods::Choice;
use bauta_methods::keys::{Semantics, frequencies};
use bauta_methods::measure::Measurement;
use bauta_methods::pair::Rows;
use bauta_methods::{
    Files, MaskTask, MeasureTask, MethodError, Note, Pair, RawValue, RunContext, registry,
};
use proptest::prelude::*;
use support::{Wanted, column, params, read_csv, reference, table, texts};

pub(crate) const KEYS: [&str; 7] = ["gender", "income", "age", "uu", "qual", "couple", "hsize"];

pub(crate) fn keys(file: &str) -> Table {
    let wanted = KEYS.map(|name| Wanted {
        name: name.to_owned(),
        role: Role::Key,
        kind: Kind::Unordered,
    });
    read_csv(&reference().join("vvs").join(file), &wanted)
}

/// The costs of spec/04 §5: 70 for gender, then 10 less for each.
pub(crate) fn costs() -> RawValue {
    let cost = |(position, name): (i64, &&str)| {
        ((*name).to_owned(), RawValue::Integer(70 - 10 * position))
    };
    RawValue::Map((0..).zip(KEYS.iter()).map(cost).collect())
}

/// Records with an income; no other key of the survey is ever missing.
fn complete_cases(table: &Table) -> Vec<u32> {
    let known = |record: &u32| !table.column(1).is_missing(*record as usize);
    (0..table.n_records() as u32).filter(known).collect()
}

pub(crate) fn word(text: &str) -> RawValue {
    RawValue::Text(text.to_owned())
}

/// The costs, and the count of the reference's `exact` and of mu-Argus.
fn before_suppression() -> [(&'static str, RawValue); 2] {
    [("costs", costs()), ("semantics", word("original"))]
}

/// The masked file and the notes.
pub(crate) fn suppress(
    table: &Table,
    given: &[(&str, RawValue)],
) -> Result<(Table, Vec<Note>), MethodError> {
    let mask = registry::mask("suppress-local").expect("it is registered");
    let params = params(mask.card(), given);
    let on: Vec<usize> = (0..table.columns().len()).collect();
    let context = RunContext::new(1, "step", &Unwatched);
    let task = MaskTask { table, on: &on };
    let change = mask.mask(&params, &task, &context)?;
    Ok((change.apply_to(table), context.into_notes()))
}

pub(crate) fn all_texts(table: &Table) -> Vec<Vec<Option<String>>> {
    table.columns().iter().map(|column| texts(column)).collect()
}

pub(crate) fn smallest(table: &Table, semantics: Semantics) -> u32 {
    let on: Vec<usize> = (0..table.columns().len()).collect();
    let counted = frequencies(table, &on, semantics).expect("keys can be counted");
    counted.f.into_iter().min().unwrap_or(u32::MAX)
}

pub(crate) fn n_below(table: &Table, k: u32, semantics: Semantics) -> usize {
    let on: Vec<usize> = (0..table.columns().len()).collect();
    let counted = frequencies(table, &on, semantics).expect("keys can be counted");
    counted.f.into_iter().filter(|&f| f < k).count()
}

/// Cells by variable, records and cost, as the notes tell them.
pub(crate) fn told(notes: &[Note]) -> (Vec<u64>, u64, f64, f64) {
    let cells = KEYS.map(|key| {
        let mut of_key = notes.iter().filter(|note| {
            note.id == "cells-suppressed" && note.fact("variable") == Some(&key.into())
        });
        of_key.find_map(|note| note.count("n_cells")).unwrap_or(0)
    });
    let total = notes.iter().find(|note| note.id == "suppression-cost");
    let total = total.expect("the cost is told");
    let number = |name: &str| {
        total
            .fact(name)
            .and_then(serde_json::Value::as_f64)
            .expect("it is told")
    };
    let n_records = total.count("n_records").expect("it is told");
    (
        cells.to_vec(),
        n_records,
        number("cost"),
        number("lower_bound"),
    )
}

#[test]
fn the_survey_is_suppressed_exactly_as_the_reference() {
    let (original, expected) = (keys("original.csv"), keys("localsupp_exact.csv"));
    let (masked, notes) = suppress(&original, &before_suppression()).expect("it can be suppressed");
    assert_eq!(all_texts(&masked), all_texts(&expected));
    assert_eq!(
        told(&notes),
        (vec![0, 0, 4, 16, 678, 299, 2338], 3191, 50_540.0, 50_540.0)
    );
    // golden/vvs/local_suppression.json: viol_own, viol_visible, viol_original, viol_wild.
    assert_eq!(n_below(&masked, 3, Semantics::Own), 1751);
    assert_eq!(n_below(&masked, 3, Semantics::Visible), 282);
    assert_eq!(n_below(&masked, 3, Semantics::Original), 0);
    assert_eq!(n_below(&masked, 3, Semantics::Wild), 0);
}

#[test]
fn the_search_of_mu_argus_gives_its_reference() {
    let (original, expected) = (keys("original.csv"), keys("localsupp_muargus.csv"));
    let given = [("costs", costs()), ("search", word("mu-argus"))];
    let (masked, notes) = suppress(&original, &given).expect("it can be suppressed");
    assert_eq!(all_texts(&masked), all_texts(&expected));
    assert_eq!(
        told(&notes),
        (vec![0, 1, 4, 15, 678, 299, 2337], 3191, 50_550.0, 50_540.0)
    );
}

#[test]
fn the_visible_fixpoint_is_that_of_the_reference() {
    let (original, expected) = (keys("original.csv"), keys("localsupp_visible.csv"));
    let given = [
        ("costs", costs()),
        ("search", word("fixpoint")),
        ("semantics", word("visible")),
    ];
    let (masked, notes) = suppress(&original, &given).expect("it can be suppressed");
    assert_eq!(all_texts(&masked), all_texts(&expected));
    // It is what is done where nobody says how to count.
    let (by_default, _) = suppress(&original, &given[..2]).expect("it can be suppressed");
    assert_eq!(all_texts(&by_default), all_texts(&expected));
    assert_eq!(
        told(&notes),
        (vec![0, 0, 4, 18, 719, 310, 2570], 3261, 54_390.0, 50_540.0)
    );
    assert_eq!(n_below(&masked, 3, Semantics::Visible), 0);
    assert_eq!(n_below(&masked, 3, Semantics::Own), 1727);
}

#[test]
fn complete_cases_are_suppressed_as_the_reference() {
    let all = keys("original.csv");
    let original = all.take(&complete_cases(&all)).as_source();
    assert_eq!(original.n_records(), 12_383);
    let (masked, notes) = suppress(&original, &before_suppression()).expect("it can be suppressed");
    // golden/vvs/local_suppression_complete.json, `exact`.
    assert_eq!(
        told(&notes),
        (vec![0, 0, 4, 16, 677, 299, 2314], 3166, 50_270.0, 50_270.0)
    );
    assert_eq!(n_below(&masked, 3, Semantics::Own), 1393);
    assert_eq!(n_below(&masked, 3, Semantics::Visible), 207);
}

#[test]
fn own_is_reached_and_never_below_the_bound() {
    let original = keys("original.csv");
    let given = [("costs", costs()), ("semantics", word("own"))];
    let (masked, notes) = suppress(&original, &given).expect("it can be suppressed");
    assert_eq!(n_below(&masked, 3, Semantics::Own), 0);
    let (cells, n_records, cost, bound) = told(&notes);
    println!("own: {cells:?} cells, {n_records} records, cost {cost}, at least {bound}");
    assert!(cost >= bound);
}

fn audit(original: &Table, masked: &Table, given: &[(&str, RawValue)]) -> Measurement {
    let measure = registry::measure("reversal").expect("it is registered");
    let params = params(measure.card(), given);
    let on: Vec<String> = original.names().map(str::to_owned).collect();
    let pair = Pair {
        original,
        masked,
        rows: Rows::Correspond,
    };
    let task = MeasureTask::new(Files::Both(pair), &on);
    let context = RunContext::new(1, "step", &Unwatched);
    measure
        .measure(&params, &task, &context)
        .expect("it can be audited")
}

#[test]
fn the_audit_works_out_what_the_reference_does() {
    let original = keys("original.csv");
    // golden/vvs/reversal_audit.json: of records with all keys 3,166 are suppressed, 124 worked out.
    // Its last class is 6 and more; the 25 records with a missing income are ours besides.
    for file in [
        "localsupp_exact.csv",
        "localsupp_muargus.csv",
        "localsupp_visible.csv",
    ] {
        let masked = keys(file);
        let found = audit(&original, &masked, &[]);
        assert_eq!(
            found.part("suppressed_records_with_all_keys"),
            Some(3166.0),
            "{file}"
        );
        assert_eq!(
            found.part("worked_out_with_all_keys"),
            Some(124.0),
            "{file}"
        );
        // Under `visible`, five records with a missing income are worked out besides.
        let n_besides = if file == "localsupp_visible.csv" {
            5.0
        } else {
            0.0
        };
        assert_eq!(found.part("worked_out"), Some(124.0 + n_besides), "{file}");
        assert_eq!(
            found.part("worked_out_rightly"),
            found.part("worked_out"),
            "{file}"
        );
    }
    // The same from the mask's own memory of what it blanked, and by completions left.
    let (masked, _) = suppress(&original, &before_suppression()).expect("it can be suppressed");
    assert_eq!(
        audit(&original, &masked, &[]).part("worked_out"),
        Some(124.0)
    );
    let complete = complete_cases(&original);
    let masked = masked.take(&complete).as_source();
    let found = audit(&original.take(&complete).as_source(), &masked, &[]);
    let counts: Vec<f64> = found.series[0]
        .points
        .iter()
        .filter_map(|point| point.value)
        .collect();
    assert_eq!(counts, [0.0, 124.0, 452.0, 1033.0, 1217.0, 194.0, 146.0]);
    // sdcMicro, whose file holds fewer blanks: 113 of 2,667.
    let masked = keys("localsupp_sdcmicro.csv");
    let found = audit(&original, &masked, &[]);
    assert_eq!(found.part("suppressed_records_with_all_keys"), Some(2667.0));
    assert_eq!(found.part("worked_out"), Some(113.0));
    assert_eq!(found.part("worked_out_rightly"), Some(113.0));
}

#[test]
fn both_remedies_leave_nothing_to_work_out() {
    let original = keys("original.csv");
    for (remedy, semantics) in [
        ("blank", "original"),
        ("blank", "visible"),
        ("delete", "original"),
        ("delete", "visible"),
        ("delete", "own"),
    ] {
        let given = [
            ("costs", costs()),
            ("reversal", word(remedy)),
            ("semantics", word(semantics)),
        ];
        let (masked, notes) = suppress(&original, &given).expect("it can be suppressed");
        let found = audit(&original, &masked, &[]);
        assert_eq!(found.part("worked_out"), Some(0.0), "{remedy} {semantics}");
        let counted = Semantics::from_name(semantics).expect("a name");
        assert_eq!(n_below(&masked, 3, counted), 0, "{remedy} {semantics}");
        let (_, n_records, cost, _) = told(&notes);
        println!(
            "{remedy}, {semantics}: {} records left, {n_records} with a blank, cost {cost}",
            masked.n_records()
        );
        assert_eq!(
            remedy == "delete",
            masked.n_records() < original.n_records()
        );
    }
}

#[test]
fn what_cannot_be_leaves_fewer_completions() {
    // Four of (a, 1), one of (a, 2), one of (b, 1), four of (b, 3). Keys at risk for k = 3: the
    // second and third. With size cheap, (a, 2) shows a; its size could be 2 or 3 (1 is published
    // often enough to be safe). If nobody has a and 3, only 2 is left.
    let sex: Vec<Option<&str>> = "aaaaabbbbb"
        .split("")
        .filter(|t| !t.is_empty())
        .map(Some)
        .collect();
    let size: Vec<Option<&str>> = "1111213333"
        .split("")
        .filter(|t| !t.is_empty())
        .map(Some)
        .collect();
    let file = table(vec![
        column("sex", Role::Key, Kind::Unordered, &sex),
        column("size", Role::Key, Kind::Unordered, &size),
    ]);
    let cheap = RawValue::Map(vec![("sex".to_owned(), RawValue::Integer(9))]);
    let (masked, _) = suppress(&file, &[("costs", cheap)]).expect("it can be suppressed");
    let shown: Vec<Option<String>> = texts(masked.column(1));
    assert_eq!(shown.iter().filter(|cell| cell.is_none()).count(), 2);
    assert_eq!(audit(&file, &masked, &[]).part("worked_out"), Some(0.0));
    let rule = RawValue::List(vec![word("sex = 'a' and size = '3'")]);
    let found = audit(&file, &masked, &[("impossible", rule)]);
    assert_eq!(found.part("worked_out"), Some(1.0));
    assert_eq!(found.part("worked_out_rightly"), Some(1.0));
}

#[test]
fn figure_2_of_bergeat_comes_out_under_original_and_visible_and_5_cells_under_own() {
    let sex = ["F", "F", "F", "F", "F", "M", "M", "M", "M"].map(Some);
    let age = [
        "-24", "-24", "25-49", "50+", "50+", "-24", "25-49", "25-49", "50+",
    ]
    .map(Some);
    let file = table(vec![
        column("sex", Role::Key, Kind::Unordered, &sex),
        column("age", Role::Key, Kind::Unordered, &age),
    ]);
    let costs = || RawValue::Map(vec![("sex".to_owned(), RawValue::Integer(2))]);
    for semantics in ["original", "visible"] {
        let given = [
            ("k", RawValue::Integer(2)),
            ("costs", costs()),
            ("semantics", word(semantics)),
        ];
        let (masked, _) = suppress(&file, &given).expect("it can be suppressed");
        let blank: Vec<usize> = (0..9).filter(|&i| masked.column(1).is_missing(i)).collect();
        assert_eq!(
            blank,
            [2, 5, 8],
            "{semantics}: records 3, 6 and 9 lose their age"
        );
        assert_eq!(masked.column(0).n_missing(), 0);
    }
    let given = [
        ("k", RawValue::Integer(2)),
        ("costs", costs()),
        ("semantics", word("own")),
    ];
    let (masked, notes) = suppress(&file, &given).expect("it can be suppressed");
    assert_eq!(smallest(&masked, Semantics::Own), 2);
    // golden/toy/fig2_suppression.json: the optimum where a blank is a category costs 5.
    let (_, _, cost, _) = told(&notes);
    assert!((cost - 5.0).abs() < f64::EPSILON, "{cost}");
}

/// A small file of keys with few values, some missing.
fn small() -> impl Strategy<Value = Vec<Vec<u8>>> {
    (1_usize..5, 1_usize..30).prop_flat_map(|(n_keys, n)| {
        prop::collection::vec(prop::collection::vec(0_u8..4, n_keys), n)
    })
}

pub(crate) fn as_table(rows: &[Vec<u8>]) -> Table {
    let names = [
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m",
    ];
    let values = ["", "1", "2", "3"];
    let columns = (0..rows[0].len()).map(|key| {
        let cells: Vec<Option<&str>> = rows
            .iter()
            .map(|row| Some(values[row[key] as usize]).filter(|text| !text.is_empty()))
            .collect();
        column(names[key], Role::Key, Kind::Unordered, &cells)
    });
    table(columns.collect())
}

/// The least cost of making each record safe by itself, over all sets of cells.
pub(crate) fn least_cost(rows: &[Vec<u8>], k: usize, costs: &[u32]) -> u32 {
    let n_keys = rows[0].len();
    let least = |row: &Vec<u8>| {
        let safe = |mask: &u32| {
            let matches = |other: &&Vec<u8>| {
                (0..n_keys)
                    .filter(|key| row[*key] != 0 && mask >> key & 1 == 0)
                    .all(|key| other[key] == row[key])
            };
            rows.iter().filter(matches).count() >= k
        };
        let cost = |mask: u32| -> u32 {
            let keys = (0..n_keys).filter(|key| mask >> key & 1 == 1);
            keys.map(|key| costs[key]).sum()
        };
        let visible = |mask: &u32| (0..n_keys).all(|key| mask >> key & 1 == 0 || row[key] != 0);
        let masks = (0..1_u32 << n_keys).filter(visible).filter(safe);
        masks.map(cost).min().expect("everything blank is safe")
    };
    rows.iter().map(least).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_semantics_is_reached_and_original_at_the_least_cost(
        rows in small(),
        k in 1_u32..5,
        costs in prop::collection::vec(0_u32..5, 4),
    ) {
        prop_assume!(rows.len() >= k as usize);
        let file = as_table(&rows);
        let given_costs = RawValue::Map(file.names().zip(&costs).map(|(name, &cost)| {
            (name.to_owned(), RawValue::Integer(i64::from(cost)))
        }).collect());
        for (semantics, search) in [("original", "exact"), ("original", "mu-argus"), ("visible", "exact"), ("visible", "fixpoint"), ("own", "exact")] {
            let given = [
                ("k", RawValue::Integer(i64::from(k))),
                ("costs", given_costs.clone()),
                ("semantics", word(semantics)),
                ("search", word(search)),
            ];
            let (masked, notes) = suppress(&file, &given).expect("it can be suppressed");
            let counted = Semantics::from_name(semantics).expect("a name");
            prop_assert!(smallest(&masked, counted) >= k, "{} {}", semantics, search);
            let (_, _, cost, bound) = told(&notes);
            let least = f64::from(least_cost(&rows, k as usize, &costs));
            // A search may prove more than that each record must be safe by itself.
            prop_assert!(bound >= least && bound <= cost);
            if search != "exact" || semantics == "original" {
                prop_assert_eq!(bound.to_bits(), least.to_bits());
            }
            prop_assert!(cost >= least);
            if (semantics, search) == ("original", "exact") {
                prop_assert_eq!(cost.to_bits(), least.to_bits());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn thirteen_keys_are_solved_at_the_least_cost_too(
        // More sets than are tried by cost: most records have to lose nearly all keys.
        rows in prop::collection::vec(prop::collection::vec(0_u8..4, 13), 2..9),
        costs in prop::collection::vec(1_u32..5, 13),
    ) {
        let file = as_table(&rows);
        let given_costs = RawValue::Map(file.names().zip(&costs).map(|(name, &cost)| {
            (name.to_owned(), RawValue::Integer(i64::from(cost)))
        }).collect());
        let given = [
            ("k", RawValue::Integer(2)),
            ("costs", given_costs),
            ("semantics", word("original")),
        ];
        let (masked, notes) = suppress(&file, &given).expect("it can be suppressed");
        prop_assert!(smallest(&masked, Semantics::Original) >= 2);
        let least = f64::from(least_cost(&rows, 2, &costs));
        prop_assert_eq!(told(&notes).2.to_bits(), least.to_bits());
    }
}

#[test]
fn twenty_six_keys_and_an_impossible_cost_are_no_trouble() {
    let cell = |i: usize, key: u64| 1 + (support::scatter(i, key) % 3) as u8;
    let row = |i: usize| (0..26).map(|key| cell(i, key)).collect::<Vec<u8>>();
    let names: Vec<String> = (0..26).map(|key| format!("v{key}")).collect();
    let rows: Vec<Vec<u8>> = (0..50).map(row).collect();
    let values = ["", "1", "2", "3"];
    let columns = (0..26).map(|key| {
        let cells: Vec<Option<&str>> = rows
            .iter()
            .map(|row| Some(values[row[key] as usize]))
            .collect();
        column(&names[key], Role::Key, Kind::Unordered, &cells)
    });
    let file = table(columns.collect());
    let (masked, _) =
        suppress(&file, &[("k", RawValue::Integer(5))]).expect("it can be suppressed");
    assert!(smallest(&masked, Semantics::Visible) >= 5);
    let never = names
        .iter()
        .map(|name| (name.clone(), RawValue::Number(f64::INFINITY)));
    let never = RawValue::Map(never.collect());
    assert!(suppress(&file, &[("k", RawValue::Integer(30)), ("costs", never)]).is_err());
}

#[test]
fn requests_that_cannot_be_met_are_told() {
    let file = as_table(&[vec![1, 1], vec![2, 2], vec![3, 3]]);
    let message = |given: &[(&str, RawValue)]| match suppress(&file, given) {
        Err(MethodError::Request { message, .. }) => message,
        _ => panic!("it must be refused"),
    };
    assert_eq!(
        message(&[("k", RawValue::Integer(4))]),
        "k = 4 exceeds the number of records (3)"
    );
    let never = RawValue::Map(vec![("a".to_owned(), RawValue::Number(f64::INFINITY))]);
    assert_eq!(
        message(&[("k", RawValue::Integer(2)), ("costs", never)]),
        "3 records cannot be made safe: the key with infinite cost alone sets them apart"
    );
}

#[test]
fn the_search_of_mu_argus_counts_before_suppression_and_no_other_way() {
    let mask = registry::mask("suppress-local").expect("it is registered");
    let claimed = |given: &[(&str, RawValue)]| {
        let facts = mask.facts(&params(mask.card(), given));
        facts.claims.expect("k is claimed").semantics
    };
    let search = || ("search", word("mu-argus"));
    assert_eq!(claimed(&[]), Semantics::Visible);
    assert_eq!(claimed(&[search()]), Semantics::Original);
    let stated = [search(), ("semantics", word("original"))];
    assert_eq!(claimed(&stated), Semantics::Original);
    for semantics in ["visible", "own"] {
        let params = params(mask.card(), &[search(), ("semantics", word(semantics))]);
        let problems = mask.check(&params, &[]);
        let [problem] = problems.as_slice() else {
            panic!("{semantics}: {problems:?}");
        };
        assert!(
            problem
                .message
                .contains("counts in the file before suppression")
        );
        assert!(problem.hint.contains("leave `semantics` out"));
    }
}

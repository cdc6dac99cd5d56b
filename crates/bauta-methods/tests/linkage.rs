//! Linkage by probabilities: parameters that are known come back, assignments agree, and nothing depends
//! on the order of a file.

use crate::support;

use bauta_data::{Column, Kind, Role, Table, Unwatched};
use bauta_methods::linkage::link;
use bauta_methods::linkage::linked::Linked;
use bauta_methods::linkage::settings::Settings;
use bauta_methods::pair::Rows;
use bauta_methods::{MethodError, Note, Pair, RawValue, RunContext, registry};
use support::{column, numbers, params, scatter, table};

fn categories(name: &str, texts: &[&str]) -> Column {
    let cells: Vec<Option<&str>> = texts.iter().map(|text| Some(*text)).collect();
    column(name, Role::Key, Kind::Unordered, &cells)
}

fn word(text: &str) -> RawValue {
    RawValue::Text(text.to_owned())
}

fn settings(given: &[(&str, RawValue)]) -> Settings {
    let card = registry::measure("pld").expect("a measure").card();
    Settings::asked(&params(card, given)).expect("parameters that fit")
}

/// Links files whose rows correspond.
fn linked(original: &Table, masked: &Table, given: &[(&str, RawValue)]) -> (Linked, Vec<Note>) {
    let pair = Pair {
        original,
        masked,
        rows: Rows::Correspond,
    };
    tried(pair, given).expect("files that can be linked")
}

fn tried(pair: Pair<'_>, given: &[(&str, RawValue)]) -> Result<(Linked, Vec<Note>), MethodError> {
    let on: Vec<String> = pair.masked.names().map(str::to_owned).collect();
    let context = RunContext::new(1, "linkage", &Unwatched);
    let linked = link(pair, &on, &settings(given), &context)?;
    Ok((linked, context.into_notes()))
}

fn correct(linked: &Linked) -> f64 {
    linked.truth.as_ref().expect("rows correspond").correct
}

/// A number in [0, 1) of a record and a purpose.
fn uniform(record: usize, purpose: usize) -> f64 {
    (scatter(record, 1_000 + purpose as u64) % 1_000_000) as f64 / 1e6
}

/// Fields of so many equally likely values; a masked value is kept with the probability of its field and
/// otherwise drawn again.
fn simulated(n: usize, fields: &[(usize, f64)]) -> (Table, Table) {
    let mut columns = [Vec::new(), Vec::new()];
    for (field, &(n_values, kept)) in fields.iter().enumerate() {
        let draw = |record: usize, purpose: usize| {
            format!(
                "v{}",
                (uniform(record, 10 * field + purpose) * n_values as f64) as usize
            )
        };
        let original: Vec<String> = (0..n).map(|record| draw(record, 0)).collect();
        let masked: Vec<String> = (0..n)
            .map(|record| {
                if uniform(record, 10 * field + 1) < kept {
                    original[record].clone()
                } else {
                    draw(record, 2)
                }
            })
            .collect();
        let name = format!("f{field}");
        for (columns, texts) in columns.iter_mut().zip([&original, &masked]) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            columns.push(categories(&name, &texts));
        }
    }
    let [original, masked] = columns.map(table);
    (original, masked)
}

#[test]
fn em_recovers_known_shares_of_agreement() {
    let set_ups: [&[(usize, f64)]; 3] = [
        &[(20, 0.95), (30, 0.9), (12, 0.85), (40, 0.8), (25, 0.9)],
        &[
            (8, 0.98),
            (60, 0.7),
            (100, 0.75),
            (15, 0.9),
            (10, 0.6),
            (50, 0.9),
        ],
        &[
            (200, 0.6),
            (150, 0.65),
            (100, 0.7),
            (120, 0.65),
            (80, 0.7),
            (90, 0.6),
        ],
    ];
    for fields in set_ups {
        let (original, masked) = simulated(1_500, fields);
        let (found, _) = linked(&original, &masked, &[("parameters", word("em"))]);
        assert!(found.course.is_some_and(|course| course.converged));
        for (one, &(n_values, kept)) in found.parameters.iter().zip(fields) {
            // Agreement by chance is 1 / values; a value that is kept agrees for certain. What is to be
            // found is what the drawn records show.
            let u = 1.0 / n_values as f64;
            let m = agreement(&original, &masked, &one.name);
            assert!(
                (m - kept - (1.0 - kept) * u).abs() < 0.06,
                "drawn {m} of {kept}"
            );
            let (found_m, found_u) = (one.m.expect("estimated"), one.u.expect("estimated"));
            assert!((found_m - m).abs() < 0.04, "m {found_m} of {m}, {fields:?}");
            assert!(
                (found_u - u).abs() < 0.25 * u,
                "u {found_u} of {u}, {fields:?}"
            );
        }
    }
}

/// Share of the records whose value is the same in both files.
fn agreement(original: &Table, masked: &Table, name: &str) -> f64 {
    let texts =
        [original, masked].map(|file| support::texts(file.column_named(name).expect("a field")));
    let same = texts[0]
        .iter()
        .zip(&texts[1])
        .filter(|(a, b)| a == b)
        .count();
    same as f64 / texts[0].len() as f64
}

#[test]
fn dependence_biases_em_and_other_estimators_less() {
    // The first field is repeated twice, so that three agreements are one.
    let n = 1_500;
    let (original, masked) = simulated(n, &[(12, 0.9), (40, 0.8), (40, 0.8), (40, 0.8)]);
    let thrice = |file: &Table| {
        let one = file
            .column_named("f0")
            .expect("a field")
            .as_categorical()
            .expect("categories")
            .clone();
        let texts: Vec<&str> = one.codes.iter().map(|code| one.levels.text(code)).collect();
        let mut columns = vec![categories("copy1", &texts), categories("copy2", &texts)];
        columns.extend(file.columns().iter().map(|column| (**column).clone()));
        table(columns)
    };
    let (original, masked) = (thrice(&original), thrice(&masked));
    let bias = |given: &[(&str, RawValue)]| {
        let (found, _) = linked(&original, &masked, given);
        let known = 0.8 + 0.2 / 40.0;
        let free = found
            .parameters
            .iter()
            .filter(|one| one.name != "f0" && !one.name.starts_with("copy"));
        let worst = free
            .map(|one| (one.m.expect("estimated") - known).abs())
            .fold(0.0, f64::max);
        (worst, correct(&found))
    };
    let (of_em, right_em) = bias(&[("parameters", word("em"))]);
    let (of_refined, right_refined) = bias(&[("parameters", word("refined"))]);
    let (of_tree, _) = bias(&[("parameters", word("em")), ("dependence", word("tree"))]);
    let (of_truth, right_truth) = bias(&[("parameters", word("truth"))]);
    assert!(of_em > 0.5, "EM takes the copies for matches: {of_em}");
    assert!(of_tree < 0.7 * of_em, "{of_tree} against {of_em}");
    assert!(
        of_refined < 0.2 * of_em && of_truth < 0.05,
        "{of_refined} {of_truth}"
    );
    assert!(
        right_refined > 0.98 * right_em && right_truth > right_em,
        "{right_em} {right_refined} {right_truth}"
    );
}

/// Numbers with some noise.
fn noisy(n: usize, n_variables: usize, noise: f64) -> (Table, Table) {
    let value = |record: usize, j: usize| 1_000.0 + 9_000.0 * uniform(record, 100 + j);
    let of = |j: usize, times: f64| -> Vec<f64> {
        let moved = |record| value(record, j) * (1.0 + times * (uniform(record, 200 + j) - 0.5));
        (0..n).map(moved).collect()
    };
    let file = |times: f64| {
        table(
            (0..n_variables)
                .map(|j| numbers(&format!("x{j}"), &of(j, times)))
                .collect(),
        )
    };
    (file(0.0), file(noise))
}

#[test]
fn candidates_that_are_all_pairs_give_the_dense_assignment() {
    for (metric, parameters) in [
        ("d", "equal"),
        ("l", "equal"),
        ("d", "truth"),
        ("d", "refined"),
    ] {
        let (original, masked) = noisy(300, 4, 0.3);
        let given = [("metric", word(metric)), ("parameters", word(parameters))];
        let sparse = |n: i64, extensions: i64| {
            let more = [
                ("assignment", word("sparse")),
                ("candidates", RawValue::Integer(n)),
                ("extensions", RawValue::Integer(extensions)),
            ];
            linked(&original, &masked, &[&given[..], &more[..]].concat()).0
        };
        let (dense, _) = linked(&original, &masked, &given);
        let proof = |found: &Linked| {
            let certificate = found.certificate.expect("a certificate");
            assert!(
                certificate.gap().abs() < 1e-8 && certificate.largest_violation < 1e-9,
                "{certificate:?}"
            );
            found.total_weight
        };
        // What records without a link weigh counts, too.
        let of_all = |found: &Linked| found.certificate.expect("a certificate").total;
        let total = proof(&dense);
        assert!(
            (proof(&sparse(300, 0)) - total).abs() < 1e-8,
            "{metric} {parameters}"
        );
        // Few candidates and as many extensions as it takes: nothing is left to gain.
        let extended = sparse(5, 100);
        assert!(
            (of_all(&extended) - of_all(&dense)).abs() < 1e-8,
            "{metric} {parameters}"
        );
        assert!(extended.beyond.is_some_and(|beyond| beyond < 1e-6));
        let few = sparse(2, 0);
        assert!(of_all(&few) + few.beyond.expect("a bound") >= of_all(&dense) - 1e-8);
    }
}

#[test]
fn a_search_that_is_cut_short_says_so_and_bounds_what_it_did_not_see() {
    let (original, masked) = noisy(1_500, 4, 0.3);
    let sparse = |looked_at: Option<i64>| {
        let mut given = vec![
            ("assignment", word("sparse")),
            ("candidates", RawValue::Integer(10)),
        ];
        given.extend(looked_at.map(|n| ("looked_at", RawValue::Integer(n))));
        linked(&original, &masked, &given)
    };
    let (dense, _) = linked(&original, &masked, &[("assignment", word("dense"))]);
    let of_all = |found: &Linked| found.certificate.expect("a certificate").total;
    let (whole, _) = sparse(None);
    assert_eq!(whole.looked_at, None);
    let (cut, notes) = sparse(Some(64));
    assert_eq!(cut.looked_at, Some(64));
    assert!(
        notes
            .iter()
            .any(|note| note.text.contains("64 masked ones were looked at"))
    );
    assert!(of_all(&cut) < of_all(&whole));
    assert!(of_all(&cut) + cut.beyond.expect("a bound") >= of_all(&dense) - 1e-8);
    // Who may look at all masked records finds what a search without limit finds.
    let (all, _) = sparse(Some(1_600));
    assert_eq!(all.looked_at, None);
    assert_eq!(all.total_weight.to_bits(), whole.total_weight.to_bits());
}

#[test]
fn thresholds_from_bounds_on_errors_keep_them() {
    // m and u are given, and known for the files: one value of twenty agrees by chance.
    let fields = [(20, 0.9), (20, 0.8), (20, 0.7), (10, 0.9)];
    let (original, masked) = simulated(2_000, &fields);
    let (found, _) = linked(
        &original,
        &masked,
        &[
            ("parameters", word("truth")),
            ("false_links", RawValue::Number(1e-3)),
            ("missed_links", RawValue::Number(0.05)),
        ],
    );
    let thresholds = found.thresholds.expect("bounds were asked for");
    assert!(thresholds.lower <= thresholds.upper);
    // True pairs that fall below: at most one of twenty, by three standard errors.
    let weights = &found.truth.as_ref().expect("rows correspond").true_weights;
    let n_missed = weights
        .iter()
        .filter(|weight| **weight < thresholds.lower)
        .count();
    let most = 0.05 * 2_000.0;
    assert!(
        (n_missed as f64) < most + 3.0 * f64::sqrt(most),
        "{n_missed}"
    );
    // More would be allowed only at a higher weight: the bound is used.
    assert!(n_missed > 0);
    let refused = tried(
        Pair {
            original: &original,
            masked: &masked,
            rows: Rows::Correspond,
        },
        &[
            ("parameters", word("truth")),
            (
                "compare",
                RawValue::Map(vec![("f0".to_owned(), word("frequency"))]),
            ),
            ("false_links", RawValue::Number(1e-3)),
        ],
    );
    assert!(refused.is_err_and(|error| error.to_string().contains("no threshold follows")));
}

#[test]
fn nothing_depends_on_the_order_of_a_file() {
    let (original, masked) = noisy(200, 3, 0.5);
    let order: Vec<u32> = (0..200_u32).map(|i| i * 77 % 200).collect();
    // Row i of the shuffled file came from row order[i]; the table knows it.
    let shuffled = masked.take(&order);
    for parameters in ["equal", "em", "refined", "truth"] {
        let given = [("parameters", word(parameters))];
        let (one, _) = linked(&original, &masked, &given);
        let (other, _) = linked(&original, &shuffled, &given);
        assert_eq!(
            one.total_weight.to_bits(),
            other.total_weight.to_bits(),
            "{parameters}"
        );
        assert!(
            (correct(&one) - correct(&other)).abs() < 1e-9,
            "{parameters}"
        );
    }
}

#[test]
fn equal_records_share_the_credit() {
    let n = 5_000;
    let file = table(vec![
        numbers("x", &vec![7.0; n]),
        categories("y", &vec!["a"; n]),
    ]);
    for choosing in ["sparse", "greedy"] {
        let (found, _) = linked(&file, &file, &[("assignment", word(choosing))]);
        // Each of 5,000 has a chance of one in 5,000.
        assert!(
            (correct(&found) - 1.0).abs() < 1e-9,
            "{choosing}: {}",
            correct(&found)
        );
        assert!((found.n_links() - n as f64).abs() < 1e-6);
    }
    let pairs = table(vec![numbers("x", &[1.0, 1.0, 500.0])]);
    let (found, _) = linked(&pairs, &pairs, &[]);
    // Two halves and a whole.
    assert!((correct(&found) - 2.0).abs() < 1e-12);
}

#[test]
fn agreement_on_a_rare_value_weighs_more() {
    let original = table(vec![categories("c", &["a", "a", "a", "rare"])]);
    let masked = original.clone();
    let given = [(
        "compare",
        RawValue::Map(vec![("c".to_owned(), word("frequency"))]),
    )];
    let (found, _) = linked(&original, &masked, &given);
    // ln(4/3) three times and ln(4) once have the mean 0.5623; so 2.465 and 0.512.
    let mean = (3.0 * (4.0_f64 / 3.0).ln() + 4.0_f64.ln()) / 4.0;
    assert!((found.links[0].weight - 4.0_f64.ln() / mean).abs() < 1e-12);
    assert!((found.links[1].weight - (4.0_f64 / 3.0).ln() / mean).abs() < 1e-12);
    assert!((correct(&found) - 2.0).abs() < 1e-12);
}

#[test]
fn an_intruder_is_as_sure_as_he_may_be() {
    let (original, masked) = simulated(1_200, &[(30, 0.8), (40, 0.75), (25, 0.8), (30, 0.7)]);
    let (found, _) = linked(&original, &masked, &[("parameters", word("em"))]);
    let (expected, right) = (
        found.expected.expect("weights of a likelihood"),
        correct(&found),
    );
    // A pair by itself is less sure than the assignment, which knows what others took.
    assert!(
        expected < 1.05 * right && expected > 0.6 * right,
        "{expected} expected, {right} right"
    );
    let sure = found
        .links
        .iter()
        .filter(|link| link.posterior >= Some(0.95));
    let (n, n_right) = sure.fold((0.0, 0.0), |(n, right), link| {
        (
            n + link.count,
            right + link.count * link.credit.expect("the truth is known"),
        )
    });
    assert!(n > 100.0 && n_right > 0.95 * n, "{n_right} of {n}");
    // Without the truth the links are the same, and so is what he expects.
    let pair = Pair {
        original: &original,
        masked: &masked,
        rows: Rows::Unrelated,
    };
    let (blind, _) = tried(pair, &[("parameters", word("em"))]).expect("a register");
    assert!(blind.truth.is_none() && blind.rate().is_none());
    assert_eq!(blind.total_weight.to_bits(), found.total_weight.to_bits());
}

#[test]
fn a_register_with_other_records_has_fewer_partners() {
    let (original, masked) = simulated(900, &[(60, 0.9), (80, 0.9), (50, 0.9), (70, 0.9)]);
    // A third of the register is in the release; the rest are others.
    let release = masked.take(&(0..300).collect::<Vec<u32>>());
    let pair = Pair {
        original: &original,
        masked: &release,
        rows: Rows::Unrelated,
    };
    let (found, _) = tried(pair, &[("parameters", word("em"))]).expect("a register");
    let right = found
        .records()
        .iter()
        .filter(|link| link.original == link.masked && link.posterior >= Some(0.95))
        .count();
    let sure = found.n_sure().expect("weights of a likelihood");
    assert!(
        sure > 100.0 && right as f64 > 0.9 * sure,
        "{right} of {sure}"
    );
}

#[test]
fn what_cannot_be_estimated_is_said() {
    let (original, masked) = noisy(60, 2, 0.1);
    let pair = Pair {
        original: &original,
        masked: &masked,
        rows: Rows::Unrelated,
    };
    let refused = tried(pair, &[("parameters", word("truth"))]);
    assert!(matches!(refused, Err(MethodError::Request { .. })));
    let of = |given: &[(&str, RawValue)]| {
        let card = registry::measure("pld").expect("a measure").card();
        Settings::asked(&params(card, given))
            .err()
            .map_or(0, |problems| problems.len())
    };
    let shares = |share: f64| RawValue::Map(vec![("x0".to_owned(), RawValue::Number(share))]);
    // u = 0 has no weight; m below u speaks against a match; u alone is half of it.
    assert_eq!(
        of(&[
            ("parameters", word("given")),
            ("m", shares(0.9)),
            ("u", shares(0.0))
        ]),
        1
    );
    assert_eq!(
        of(&[
            ("parameters", word("given")),
            ("m", shares(0.1)),
            ("u", shares(0.9))
        ]),
        1
    );
    assert_eq!(of(&[("parameters", word("given")), ("u", shares(0.9))]), 2);
    assert_eq!(of(&[("m", shares(0.9))]), 1);
}

/// Numbers, and the same as intervals of ten.
fn in_tens(values: &[f64]) -> (Table, Table) {
    let text = |value: &f64| {
        let low = (value / 10.0).floor() * 10.0;
        format!("[{low}, {})", low + 10.0)
    };
    let texts: Vec<String> = values.iter().map(text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let recoded = categories("x", &texts);
    (table(vec![numbers("x", values)]), table(vec![recoded]))
}

#[test]
fn numbers_are_compared_with_the_intervals_that_they_became() {
    // Both zeros are one number.
    let (original, masked) = in_tens(&[0.0, -0.0, 1.0, 2.0, 3.0, 15.0]);
    let frequency = RawValue::Map(vec![("x".to_owned(), word("frequency"))]);
    let (found, _) = linked(&original, &masked, &[("compare", frequency)]);
    // Five share an interval and weigh the same; one is alone and weighs more.
    let [rare, common] = [6.0_f64.ln(), 1.2_f64.ln()];
    let mean = (rare + 5.0 * common) / 6.0;
    let mut weights: Vec<f64> = found.links.iter().map(|link| link.weight).collect();
    weights.dedup();
    assert_eq!(weights.len(), 2, "{weights:?}");
    assert!((weights[0] - rare / mean).abs() < 1e-12);
    assert!((weights[1] - common / mean).abs() < 1e-12);
    // As a block they would have no record in common, whatever the values are.
    let pair = Pair {
        original: &original,
        masked: &masked,
        rows: Rows::Correspond,
    };
    let blocked = [("block", RawValue::List(vec![word("x")]))];
    assert!(matches!(
        tried(pair, &blocked),
        Err(MethodError::Data { .. })
    ));
}

#[test]
fn blocks_change_how_many_partners_a_record_may_have_and_not_what_is_believed() {
    let (original, masked) = simulated(900, &[(30, 0.9), (40, 0.85), (25, 0.9), (30, 0.9)]);
    let regions: Vec<String> = (0..900).map(|record| format!("r{}", record % 30)).collect();
    let regions: Vec<&str> = regions.iter().map(String::as_str).collect();
    let with = |file: &Table| {
        let columns = file.names().filter_map(|name| file.column_named(name));
        let columns = columns.cloned().chain([categories("region", &regions)]);
        table(columns.collect())
    };
    let given = [
        ("parameters", word("em")),
        ("block", RawValue::List(vec![word("region")])),
    ];
    let (found, notes) = linked(&with(&original), &with(&masked), &given);
    assert!(
        notes.iter().all(|note| note.id != "em-many-matches"),
        "{notes:?}"
    );
    let right = correct(&found);
    let expected = found.expected.expect("weights of a likelihood");
    assert!(
        right > 800.0 && (expected - right).abs() < 0.1 * right,
        "{expected} expected, {right} right"
    );
}

#[test]
fn few_candidates_make_an_intruder_no_surer() {
    let (original, masked) = simulated(1_200, &[(30, 0.8), (40, 0.75), (25, 0.8), (30, 0.7)]);
    let of = |more: &[(&str, RawValue)]| {
        let em = [("parameters", word("em"))];
        let (found, _) = linked(&original, &masked, &[&em[..], more].concat());
        found.expected.expect("weights of a likelihood")
    };
    let dense = of(&[]);
    for n in [3, 50] {
        let sparse = of(&[
            ("assignment", word("sparse")),
            ("candidates", RawValue::Integer(n)),
        ]);
        assert!(
            (sparse - dense).abs() < 0.02 * dense,
            "{sparse} with {n}, {dense} of all"
        );
    }
}

#[test]
fn missing_values_disagree_along_a_tree_too() {
    let (original, masked) = simulated(300, &[(10, 0.8), (15, 0.8), (12, 0.8)]);
    let cells = support::texts(masked.column_named("f0").expect("a field"));
    let cells: Vec<Option<&str>> = (cells.iter().enumerate())
        .map(|(record, text)| text.as_deref().filter(|_| record % 3 > 0))
        .collect();
    let gapped = column("f0", Role::Key, Kind::Unordered, &cells);
    let others = ["f1", "f2"].map(|name| masked.column_named(name).expect("a field").clone());
    let masked = table([vec![gapped], others.to_vec()].concat());
    for parameters in ["truth", "refined", "em"] {
        let total = |rule: &str| {
            let given = [
                ("parameters", word(parameters)),
                ("dependence", word("tree")),
                ("when_missing", word(rule)),
            ];
            linked(&original, &masked, &given).0.total_weight
        };
        assert!(
            total("disagree") < total("neutral") - 1.0,
            "{parameters}: {} {}",
            total("disagree"),
            total("neutral")
        );
    }
}

#[test]
fn weights_that_tell_nothing_apart_do_not_make_a_file_safe() {
    let same = table(vec![numbers("x", &[5.0; 3]), categories("y", &["a"; 3])]);
    for parameters in ["equal", "em", "refined", "truth"] {
        let (found, _) = linked(&same, &same, &[("parameters", word(parameters))]);
        // Each of three has a chance of one in three.
        assert!(
            (correct(&found) - 1.0).abs() < 1e-12,
            "{parameters}: {}",
            correct(&found)
        );
    }
}

#[test]
fn a_file_without_records_is_linked_with_nothing() {
    let (full, _) = noisy(3, 2, 0.1);
    let empty = full.take(&[]).as_source();
    for parameters in ["equal", "em", "refined"] {
        for (original, masked) in [(&full, &empty), (&empty, &full), (&empty, &empty)] {
            let pair = Pair {
                original,
                masked,
                rows: Rows::Unrelated,
            };
            let (found, _) = tried(pair, &[("parameters", word(parameters))]).expect("no error");
            assert!(found.links.is_empty(), "{parameters}");
        }
    }
}

#[test]
fn what_was_suppressed_or_recoded_without_a_word_is_noticed() {
    let original = table(vec![
        categories("town", &["a", "b", "c"]),
        categories("age", &["18", "27", "31"]),
    ]);
    let masked = table(vec![
        column("town", Role::Key, Kind::Unordered, &[None, None, None]),
        categories("age", &["young", "old", "old"]),
    ]);
    let (found, notes) = linked(&original, &masked, &[]);
    assert!(found.links.is_empty());
    let told = |id: &str| notes.iter().filter(|note| note.id == id).count();
    assert_eq!(
        (told("never-agrees"), told("no-links")),
        (1, 1),
        "{notes:?}"
    );
}

//! A record as a run would write it: a survey with nine variables, two scenarios, four steps.
//! All figures are invented.

pub(crate) mod calibration;
pub(crate) mod pages;
mod variables;

use std::collections::BTreeMap;

use bauta_methods::figure::Declared;
use bauta_methods::measure::{ListedRecord, Measurement, Part, Series};
use bauta_methods::note::Note;
use bauta_methods::pair::Rows;
use bauta_methods::risk::key_contribution::{BY_LEVEL, LEFT_OUT};
use bauta_methods::{FigureName, Unit, registry};
use bauta_plan::RunRecord;
use bauta_plan::record::{
    ClaimRecord, Counted, FORMAT, FileRecord, GateRecord, MeasureFamily, MeasureRecord, PlanRecord,
    ReleaseRecord, ScenarioRecord, SeedSource, SignatoryRecord, StageTime, StepRecord, TimesRecord,
};
use serde_json::{Value, json};

/// What the plan says of its release.
fn release() -> ReleaseRecord {
    ReleaseRecord {
        purpose: Some("Research on victims of crime".to_owned()),
        recipients: vec!["Accredited institutes".to_owned(), "Ministries".to_owned()],
        review: Some("2028-02-29".to_owned()),
        signatories: vec![
            SignatoryRecord {
                name: "Ada Signer".to_owned(),
                role: Some("Head of methods".to_owned()),
            },
            SignatoryRecord {
                name: "Ben Signer".to_owned(),
                role: None,
            },
        ],
    }
}

/// A run whose gates hold.
pub(crate) fn passed() -> RunRecord {
    RunRecord {
        format: FORMAT.to_owned(),
        bauta_version: "0.1.0".to_owned(),
        plan: PlanRecord {
            title: Some("Victimisation survey 2015, public use file".to_owned()),
            file: "plans/survey.toml".to_owned(),
            sha256: "7a".repeat(32),
            text: "title = \"Victimisation survey 2015\"\n\n[data]\nfile = \"survey.csv\"\n"
                .to_owned(),
            release: Some(release()),
        },
        seed: 424_242_424_242,
        seed_source: SeedSource::Plan,
        rows: bauta_methods::pair::Rows::Correspond,
        input: file("confidential/survey.csv", "1b", 12),
        notes: vec![Note::new(
            "thousands-separators",
            "income has a comma in its numbers that was read as separating thousands",
        )],
        variables: variables::variables(),
        scenarios: scenarios(),
        steps: steps(),
        measures: measures(),
        gates: vec![
            gate(
                "k-anonymity",
                Some("neighbour"),
                (None, "smallest class", Unit::Number),
                (Some(3.0), None),
                3.0,
            ),
            gate(
                "individual-risk",
                Some("register"),
                (
                    Some("expected_reidentifications"),
                    "expected re-identifications",
                    Unit::Number,
                ),
                (None, Some(50.0)),
                41.873_215,
            ),
            gate(
                "k-anonymity",
                Some("register"),
                (
                    Some("share_below_3"),
                    "share of records in classes smaller than 3",
                    Unit::Share,
                ),
                (None, Some(0.05)),
                0.031_245_6,
            ),
            gate(
                "il1s",
                None,
                (None, "mean distance", Unit::Number),
                (None, Some(0.35)),
                0.287_654_3,
            ),
        ],
        ungated: None,
        claims: vec![ClaimRecord {
            subsets: None,
            perturbed: Vec::new(),
            by: "gate on k-anonymity (neighbour)".to_owned(),
            keys: vec!["age".to_owned(), "sex".to_owned()],
            semantics: "visible".to_owned(),
            k: 3,
            smallest_class: Some(3),
            n_below: 0,
            holds: true,
            counted: Counted::ReleasedFile,
            shown: None,
        }],
        released: Some(file("release/2026/survey-protected.csv", "9e", 11)),
        reports: Vec::new(),
        shuffled: true,
        times: times(),
    }
}

/// The same run with one gate that fails: nothing is released.
pub(crate) fn failed() -> RunRecord {
    let mut record = passed();
    record.gates[0].found = Some(2.0);
    record.gates[0].passed = false;
    record.released = None;
    record
}

fn file(path: &str, hash: &str, n_variables: u64) -> FileRecord {
    FileRecord {
        file: path.to_owned(),
        sha256: hash.repeat(32),
        n_bytes: 1_482_377,
        n_records: 12_901,
        n_variables,
    }
}

fn times() -> TimesRecord {
    let stage = |stage: &str, seconds| StageTime {
        stage: stage.to_owned(),
        seconds,
    };
    TimesRecord {
        started: "2026-11-16T09:30:00Z".to_owned(),
        seconds: 1.873_4,
        stages: vec![
            stage("read", 0.212_3),
            stage("step recode age", 0.031),
            stage("measure", 1.4),
            stage("write", 0.194),
        ],
        threads: 2,
        store: None,
    }
}

fn scenarios() -> Vec<ScenarioRecord> {
    vec![
        ScenarioRecord {
            name: "neighbour".to_owned(),
            keys: names(&["sex", "age", "region"]),
            why: Some("anybody in the street knows these".to_owned()),
        },
        ScenarioRecord {
            name: "register".to_owned(),
            keys: names(&["sex", "age", "region", "education"]),
            why: Some("the register of pupils and students can be bought".to_owned()),
        },
    ]
}

fn steps() -> Vec<StepRecord> {
    let unswapped = |variable: &str| unswapped(variable, 31);
    vec![
        step(
            "drop-identifiers",
            "Drop identifiers",
            &["name"],
            &[],
            "names are never released",
            vec![Note::new("variables-dropped", "removed: name").public()],
        ),
        step(
            "recode",
            "Global recoding",
            &["age"],
            &[("breaks", json!([18, 25, 35, 45, 55, 65, 75]))],
            "single years of age make too many classes",
            vec![Note::new(
                "categories-merged",
                "age: 83 distinct values became 8",
            )],
        ),
        step(
            "top-bottom",
            "Top and bottom coding",
            &["income", "rent"],
            &[("top_share", json!(0.005)), ("replace", json!("mean"))],
            "the highest incomes are known from newspapers",
            vec![Note::new(
                "tails-coded",
                "income: 0 values coded at the bottom, 59 at the top",
            )],
        ),
        step(
            "rank-swap",
            "Rank swapping",
            &["income", "rent", "hours"],
            &[
                ("window", json!(0.141_592_6)),
                ("keep_bottom", json!(0.0)),
                ("keep_top", json!(0.0)),
                ("missing", json!("skip")),
            ],
            "best trade-off in the map of 12 March",
            vec![
                unswapped("income"),
                Note::new(
                    "ties-in-random-order",
                    "hours: 12640 records share their value with another; ties were put in random order",
                ),
                Note::new(
                    "rounded-to-grid",
                    "income: masked values were rounded to 2 decimals, as in the original",
                )
                .public(),
            ],
        ),
    ]
}

fn step(
    method: &str,
    title: &str,
    on: &[&str],
    params: &[(&str, Value)],
    why: &str,
    notes: Vec<Note>,
) -> StepRecord {
    StepRecord {
        unchanged: Vec::new(),
        rows: Rows::Correspond,
        evidence: None,
        key: format!("{method} {}", on.join(" ")),
        method: method.to_owned(),
        title: title.to_owned(),
        on: names(on),
        params: params
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect(),
        why: Some(why.to_owned()),
        notes,
    }
}

fn measures() -> Vec<MeasureRecord> {
    let classes_before = [1204.0, 1310.0, 1877.0, 2954.0, 2412.0, 1988.0, 803.0, 353.0];
    let classes_after = [0.0, 0.0, 214.0, 688.0, 1430.0, 3322.0, 4120.0, 3127.0];
    vec![
        k_anonymity("neighbour", 1204.0, classes_before, 3.0, classes_after),
        k_anonymity(
            "register",
            3377.0,
            [3377.0, 2210.0, 2108.0, 2044.0, 1502.0, 990.0, 480.0, 190.0],
            1.0,
            [141.0, 262.0, 688.0, 1544.0, 2201.0, 3012.0, 2811.0, 2242.0],
        ),
        individual_risk(),
        key_contribution(),
        interval_sd(),
        il1s(),
        univariate_summary(),
    ]
}

fn k_anonymity(
    scenario: &str,
    uniques: f64,
    before: [f64; 8],
    k: f64,
    after: [f64; 8],
) -> MeasureRecord {
    const BANDS: [&str; 8] = ["1", "2", "3-4", "5-9", "10-19", "20-49", "50-99", "100+"];
    let found = |value: f64, f: [f64; 8]| {
        let mut found = Measurement {
            value: Some(value),
            ..Measurement::default()
        };
        give(&mut found, ("records", None), None, 12_901.0);
        give(&mut found, ("classes", None), None, 4000.0 - value * 1000.0);
        give(&mut found, ("uniques", None), None, f[0]);
        give(&mut found, ("below_{}", Some(3.0)), None, f[0] + f[1]);
        give(
            &mut found,
            ("share_below_{}", Some(3.0)),
            None,
            (f[0] + f[1]) / 12_901.0,
        );
        found
            .series
            .push(series("records by class size", "records", &BANDS, &f));
        found
    };
    assert!((before[0] - uniques).abs() < 0.5);
    measure(
        ("k-anonymity", "k-anonymity"),
        MeasureFamily::Risk,
        Some(scenario),
        &["sex", "age", "region"],
        (Some(found(1.0, before)), Some(found(k, after))),
    )
}

fn individual_risk() -> MeasureRecord {
    const BANDS: [&str; 7] = [
        "< 0.01 %",
        "0.01-0.1 %",
        "0.1-1 %",
        "1-5 %",
        "5-10 %",
        "10-50 %",
        "50-100 %",
    ];
    let found = |mean: f64, f: [f64; 7]| {
        let mut found = Measurement {
            value: Some(mean),
            ..Measurement::default()
        };
        give(
            &mut found,
            ("expected_reidentifications", None),
            None,
            mean * 12_901.0,
        );
        give(&mut found, ("max", None), None, mean * 20.0);
        give(&mut found, ("above_threshold", None), None, f[5] + f[6]);
        found
            .series
            .push(series("records by individual risk", "records", &BANDS, &f));
        found
    };
    let mut out = measure(
        ("individual-risk", "Individual risk"),
        MeasureFamily::Risk,
        Some("register"),
        &["sex", "age", "region", "education"],
        (
            Some(found(
                0.012_345_678_9,
                [120.0, 4012.0, 6210.0, 2233.0, 211.0, 103.0, 12.0],
            )),
            Some(found(
                0.003_245_733,
                [2410.0, 6222.0, 3820.0, 431.0, 18.0, 0.0, 0.0],
            )),
        ),
    );
    out.notes.push(weights_below(7));
    for (found, ages, risk) in [
        (&mut out.before, ["19", "97"], 0.25),
        (&mut out.after, ["15-24", "85+"], 0.043),
    ] {
        let found = found.as_mut().expect("measured in both files");
        found.listed = vec![
            listed(412, [Some("f"), Some(ages[0]), Some("48201"), None], risk),
            listed(
                9_033,
                [Some("m"), Some(ages[1]), Some("48226"), Some("5")],
                risk / 2.0,
            ),
        ];
    }
    out
}

fn listed(row: u64, values: [Option<&str>; 4], risk: f64) -> ListedRecord {
    let names = ["sex", "age", "region", "education"];
    let key = names.into_iter().zip(values);
    ListedRecord {
        row,
        key: key
            .map(|(name, value)| (name.to_owned(), value.map(str::to_owned)))
            .collect(),
        figures: parts(&[("f", 1.0), ("F", 1.0 / risk), ("risk", risk)]),
    }
}

fn key_contribution() -> MeasureRecord {
    let found = |all: f64| {
        let mut found = Measurement {
            value: Some(0.93),
            by_variable: parts(&[("sex", 0.22), ("age", 0.93), ("region", 0.71)]),
            ..Measurement::default()
        };
        for (name, unit, share) in [
            ("records below 3", "records", 1.0),
            ("uniques", "records", 0.5),
            (
                "expected re-identifications",
                "expected re-identifications",
                0.125,
            ),
        ] {
            let left = |shares: &[f64]| -> Vec<f64> {
                let left = shares.iter().map(|gone| all * share * (1.0 - gone));
                left.collect()
            };
            let keys = ["as it is", "sex", "age", "region"];
            let values = left(&[0.0, 0.22, 0.93, 0.71]);
            let left_out = series(name, unit, &keys, &values);
            found.series.push(left_out.in_table(&LEFT_OUT));
            let levels = ["as it is", "region, level 1", "region, level 2"];
            let values = left(&[0.0, 0.4, 0.71]);
            let by_level = series(name, unit, &levels, &values);
            found.series.push(by_level.in_table(&BY_LEVEL));
        }
        found
    };
    measure(
        ("key-contribution", "Contribution of keys"),
        MeasureFamily::Risk,
        Some("register"),
        &["sex", "age", "region"],
        (Some(found(4000.0)), Some(found(200.0))),
    )
}

fn interval_sd() -> MeasureRecord {
    let widths: Vec<String> = (1..=10).map(|width| format!("{width} %")).collect();
    let widths: Vec<&str> = widths.iter().map(String::as_str).collect();
    let shares = [
        0.031, 0.058, 0.083, 0.104, 0.127, 0.148, 0.166, 0.187, 0.204, 0.222,
    ];
    let found = Measurement {
        value: Some(0.133),
        by_variable: parts(&[("income", 0.109_876_5), ("rent", 0.141), ("hours", 0.151)]),
        series: vec![series(
            "share disclosed by interval width",
            "share of values",
            &widths,
            &shares,
        )],
        ..Measurement::default()
    };
    measure(
        (
            "interval-sd",
            "Interval disclosure by standard deviation (SDID)",
        ),
        MeasureFamily::Risk,
        None,
        &["income", "rent", "hours"],
        (None, Some(found)),
    )
}

fn il1s() -> MeasureRecord {
    let found = Measurement {
        value: Some(0.287_654_3),
        by_variable: parts(&[("income", 0.313_3), ("rent", 0.288_1), ("hours", 0.261_5)]),
        ..Measurement::default()
    };
    measure(
        ("il1s", "IL1s"),
        MeasureFamily::Loss,
        None,
        &["income", "rent", "hours"],
        (None, Some(found)),
    )
}

fn univariate_summary() -> MeasureRecord {
    let tenths: Vec<String> = (0..10)
        .map(|band| format!("{}-{} %", band * 10, band * 10 + 10))
        .collect();
    let tenths: Vec<&str> = tenths.iter().map(String::as_str).collect();
    let found = |factor: f64, top: f64| {
        let mut found = Measurement::default();
        for (name, missing, mean, sd) in [
            ("income", 1207.0, 2145.67, 1432.1),
            ("rent", 388.0, 712.3, 288.9),
            ("hours", 54.0, 36.42, 11.8),
        ] {
            give(&mut found, ("records", None), Some(name), 12_901.0);
            give(&mut found, ("missing", None), Some(name), missing);
            give(&mut found, ("mean", None), Some(name), mean * factor);
            give(&mut found, ("sd", None), Some(name), sd * factor * factor);
            give(
                &mut found,
                ("weighted_mean", None),
                Some(name),
                mean * factor * 1.03,
            );
            let mut values: Vec<f64> = (0..10)
                .map(|band| mean * (0.3 + 0.14 * f64::from(band)) * factor)
                .collect();
            values[9] *= if name == "hours" { 1.0 } else { top };
            let tenths = series("mean of each tenth", name, &tenths, &values);
            found.series.push(tenths.of_variable(name));
        }
        for (name, missing, categories, entropy) in [
            ("age", 12.0, 83.0 * factor, 4.1 * factor),
            ("victim", 17.0, 2.0, 0.412),
        ] {
            give(&mut found, ("records", None), Some(name), 12_901.0);
            give(&mut found, ("missing", None), Some(name), missing);
            give(&mut found, ("categories", None), Some(name), categories);
            give(&mut found, ("entropy", None), Some(name), entropy);
        }
        found
    };
    measure(
        ("univariate-summary", "Univariate summary"),
        MeasureFamily::Loss,
        None,
        &["income", "rent", "hours", "age", "victim"],
        (Some(found(1.0, 2.1)), Some(found(0.985, 1.6))),
    )
}

fn measure(
    (id, title): (&str, &str),
    family: MeasureFamily,
    scenario: Option<&str>,
    on: &[&str],
    (before, after): (Option<Measurement>, Option<Measurement>),
) -> MeasureRecord {
    let declared = registry::measure(id).expect("a measure").declared();
    MeasureRecord {
        id: id.to_owned(),
        title: title.to_owned(),
        family,
        value: Declared::from(&declared.value),
        figures: declared.figures.iter().map(Declared::from).collect(),
        scenario: scenario.map(str::to_owned),
        on: names(on),
        outliers: None,
        condition: None,
        params: BTreeMap::new(),
        perturbed: Vec::new(),
        before,
        after,
        notes: Vec::new(),
    }
}

fn gate(
    measure: &str,
    scenario: Option<&str>,
    (part, label, unit): (Option<&str>, &str, Unit),
    (at_least, at_most): (Option<f64>, Option<f64>),
    found: f64,
) -> GateRecord {
    GateRecord {
        measure: measure.to_owned(),
        scenario: scenario.map(str::to_owned),
        part: part.map(str::to_owned),
        label: label.to_owned(),
        unit,
        condition: None,
        at_least,
        at_most,
        found: Some(found),
        few: false,
        perturbed: Vec::new(),
        although_perturbed: None,
        passed: true,
        why: Some("rule 4 of the committee".to_owned()),
    }
}

/// A note that says how many records were touched, and so stays inside.
pub(crate) fn unswapped(variable: &str, n_records: u64) -> Note {
    let text =
        format!("{variable}: {n_records} records found no free partner and kept their value");
    Note::new("records-unswapped", text).with("n_records", n_records)
}

/// A note of a measure, which stays inside as well.
pub(crate) fn weights_below(n_records: u64) -> Note {
    let text = format!("{n_records} records are in classes whose weights sum to less");
    Note::new("weights-below-frequency", text).with("n_records", n_records)
}

/// Adds a figure as a measure declares it: its id, with the number that it is given for, and the
/// variable.
pub(crate) fn give(
    found: &mut Measurement,
    (id, at): (&str, Option<f64>),
    variable: Option<&str>,
    value: f64,
) {
    let name = FigureName {
        id: id.to_owned().into(),
        at,
        file: None,
        variable: variable.map(str::to_owned),
    };
    found.give(name, value);
}

fn series(name: &str, axis: &str, labels: &[&str], values: &[f64]) -> Series {
    let unit = match axis {
        "records" => Unit::Count,
        axis if axis.starts_with("share") => Unit::Share,
        _ => Unit::Number,
    };
    let points = labels.iter().zip(values);
    let points = points.map(|(&label, &value)| Part::new(label, value));
    Series::new(name, axis, unit, points.collect())
}

fn parts(figures: &[(&str, f64)]) -> Vec<Part> {
    figures
        .iter()
        .map(|&(name, value)| Part::new(name, value))
        .collect()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

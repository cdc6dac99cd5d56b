//! Runs every golden case; see `golden/README.md` for their format.

use crate::support;

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bauta_data::{Condition, HierarchySpec, Kind, Role, Table, Unwatched};
use bauta_methods::adjust::{AdjustTask, Adjuster};
use bauta_methods::keys::benedetti_franconi::expected_inverse;
use bauta_methods::keys::{Semantics, frequencies};
use bauta_methods::measure::{Part, Series};
use bauta_methods::pair::Rows;
use bauta_methods::{
    Card, Files, Groups, MaskTask, Measure, MeasureTask, Measurement, Pair, Params, RawValue,
    RunContext, measure_groups,
};
use bauta_methods::{Choice, Note};
use bauta_methods::{Mask, registry};
use serde_json::{Value, json};
use support::{Wanted, column, ours, read_csv, read_numbers, reference, shared, texts};

/// One case, as its file gives it.
struct Case {
    name: String,
    json: Value,
    shared: Option<PathBuf>,
}

/// A test for every method, so that they run side by side and the one that fails is named.
macro_rules! golden_cases {
    ($($method:ident)*) => {
        const TESTED: &[&str] = &[$(stringify!($method)),*];
        $(
            #[test]
            fn $method() {
                run_cases_of(&stringify!($method).replace('_', "-"));
            }
        )*
    };
}

golden_cases! {
    drop_identifiers
    renumber
    recode
    suppress_local
    suppress_records
    recode_rare
    top_bottom
    round
    sample
    flip_rare
    rank_swap
    noise_additive
    noise_correlated
    noise_mixture
    scale_back
    noise_multiplicative
    noise_swap
    resample
    jpeg
    mdav
    max_distance
    individual_ranking
    projection
    synth_normal
    synthesize
    calibrate
    subsample_calibrate
    post_mask
    k_anonymity
    l_diversity
    t_closeness
    individual_risk
    reversal
    global_risk
    poisson_risk
    key_contribution
    dld
    pld
    interval_rank
    interval_sd
    file_loss
    il1
    il1_symmetric
    il1s
    il2
    il3
    il4
    il5
    s0
    s1
    s2
    il
    moments
    hellinger
    kolmogorov_smirnov
    eigenvalue_distance
    univariate_summary
    suppressed_cells
    recoding_loss
    category_distance
    kappa
    rates
    weighted_estimates
    logistic_regression
    linear_regression
    correspondence_analysis
    score
    a_score
    d_score
    s_score
}

#[test]
fn every_method_is_tested_and_every_folder_belongs_to_one() {
    let known: BTreeSet<&str> = registry::cards().map(|card| card.id).collect();
    let tested: BTreeSet<String> = TESTED.iter().map(|name| name.replace('_', "-")).collect();
    let tested: BTreeSet<&str> = tested.iter().map(String::as_str).collect();
    assert_eq!(tested, known, "the list above is not that of the registry");
    for entry in fs::read_dir(golden_folder()).expect("the golden folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(
            !path.is_dir() || known.contains(name.as_str()),
            "golden/{name} belongs to no method"
        );
    }
}

fn golden_folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/golden"))
}

fn run_cases_of(method: &str) {
    let card = registry::cards()
        .find(|card| card.id == method)
        .expect("a registered method");
    let cases = cases_of(&golden_folder().join(method), shared().as_ref());
    assert!(
        !cases.is_empty(),
        "`{method}` has no golden case in golden/{method}"
    );
    let (mut n_run, mut n_left_out, mut failed) = (0, 0, Vec::new());
    for case in cases {
        if case.needs_shared() && case.shared.is_none() {
            println!("not run: ../shared is absent ({})", case.name);
            n_left_out += 1;
            continue;
        }
        // One case that fails must not hide the others.
        if catch_unwind(AssertUnwindSafe(|| case.run(card))).is_err() {
            failed.push(case.name);
        }
        n_run += 1;
    }
    println!("{n_run} golden cases were run, {n_left_out} were not");
    assert!(
        failed.is_empty(),
        "{} golden cases failed (see above): {failed:#?}",
        failed.len()
    );
}

fn cases_of(folder: &Path, shared: Option<&PathBuf>) -> Vec<Case> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path
            .strip_prefix(env!("CARGO_MANIFEST_DIR"))
            .unwrap_or(&path)
            .display()
            .to_string();
        let text = fs::read_to_string(&path).expect("a golden case");
        let json: Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        Case {
            name,
            json,
            shared: shared.cloned(),
        }
    };
    paths.into_iter().map(read).collect()
}

impl Case {
    /// Whether it uses a file that is not part of the repository.
    fn needs_shared(&self) -> bool {
        fn looks_outside(value: &Value) -> bool {
            let Value::Object(map) = value else {
                return false;
            };
            let path = map.get("shared").and_then(Value::as_str);
            path.is_some_and(|path| ours(path).is_none()) || map.values().any(looks_outside)
        }
        looks_outside(&self.json)
    }

    fn run(&self, card: &'static Card) {
        self.check_form();
        let original = self.table(&self.json["original"]);
        let on: Vec<String> = self.json["on"]
            .as_array()
            .unwrap_or_else(|| panic!("{}: `on` is a list", self.name))
            .iter()
            .map(|name| name.as_str().expect("a name").to_owned())
            .collect();
        let params = self.params(card);
        let seed = self.json["seed"].as_u64().unwrap_or(1);
        let context = RunContext::new(seed, self.json["step"].as_str().unwrap_or("1"), &Unwatched);
        if let Some(mask) = registry::mask(card.id) {
            self.run_mask(mask, &original, &on, &params, &context);
        } else if let Some(measure) = registry::measure(card.id) {
            self.run_measure(measure, &original, &on, &params, &context);
        } else if let Some(adjuster) = registry::adjuster(card.id) {
            self.run_adjuster(adjuster, &original, &on, &params, &context);
        }
        if let Some(expected) = self.json["expect"].get("notes") {
            // What sort of note and its facts; the words are made of them.
            let found: Vec<Value> = context.into_notes().iter().map(Note::to_json).collect();
            assert_eq!(&json!(found), expected, "{}: notes", self.name);
        }
    }

    /// A misspelt field must not become a check that never runs.
    fn check_form(&self) {
        let allowed = |value: &Value, names: &[&str]| {
            for name in value
                .as_object()
                .unwrap_or_else(|| panic!("{}: an object", self.name))
                .keys()
            {
                assert!(
                    names.contains(&name.as_str()),
                    "{}: unknown field `{name}`",
                    self.name
                );
            }
        };
        allowed(
            &self.json,
            &[
                "about",
                "source",
                "original",
                "masked",
                "rows",
                "outliers",
                "where",
                "on",
                "params",
                "seed",
                "step",
                "expect",
                "tolerance",
            ],
        );
        allowed(&self.json["source"], &["kind", "name", "arithmetic"]);
        let source = &self.json["source"];
        let kind = source["kind"].as_str().unwrap_or_default();
        assert!(
            ["paper", "tool", "hand", "self"].contains(&kind),
            "{}: source.kind",
            self.name
        );
        assert!(
            source["name"].is_string() && self.json["about"].is_string(),
            "{}: about, source",
            self.name
        );
        assert!(
            kind != "hand" || source["arithmetic"].is_string(),
            "{}: show the arithmetic",
            self.name
        );
        let measures = [
            "value",
            "outliers",
            "rest",
            "parts",
            "by_variable",
            "series",
            "per_record",
            "weighted_per_record",
            "listed",
            "notes",
        ];
        let masks = ["columns", "names", "kept", "notes"];
        allowed(&self.json["expect"], &[&measures[..], &masks[..]].concat());
        assert!(
            !self.json["expect"].as_object().unwrap().is_empty(),
            "{}: expects nothing",
            self.name
        );
    }

    fn path(&self, relative: &Value) -> PathBuf {
        let relative = relative.as_str().expect("a path");
        let beside = || self.shared.as_ref().expect("checked before").join(relative);
        ours(relative).unwrap_or_else(beside)
    }

    fn table(&self, json: &Value) -> Table {
        let variables = json["variables"]
            .as_object()
            .unwrap_or_else(|| panic!("{}: variables", self.name));
        let role = |json: &Value| {
            let name = json["role"].as_str().unwrap_or("other");
            Role::from_name(name).unwrap_or_else(|| panic!("{}: role {name}", self.name))
        };
        let kind = |json: &Value| {
            let name = json["kind"].as_str().unwrap_or("continuous");
            Kind::from_name(name).unwrap_or_else(|| panic!("{}: kind {name}", self.name))
        };
        let mut table = if json.get("shared").is_some() {
            let wanted: Vec<Wanted> = variables
                .iter()
                .map(|(name, json)| Wanted {
                    name: json["column"].as_str().unwrap_or(name).to_owned(),
                    role: role(json),
                    kind: kind(json),
                })
                .collect();
            read_csv(&self.path(&json["shared"]), &wanted)
        } else {
            let columns = variables.iter().map(|(name, json)| {
                let cells: Vec<Option<String>> = json["values"]
                    .as_array()
                    .expect("values")
                    .iter()
                    .map(text)
                    .collect();
                let cells: Vec<Option<&str>> = cells.iter().map(Option::as_deref).collect();
                column(name, role(json), kind(json), &cells)
            });
            support::table(columns.collect())
        };
        for (attr_idx, (name, json)) in variables.iter().enumerate() {
            let mut attribute = table.column(attr_idx).attribute().clone();
            attribute.name.clone_from(name);
            attribute.hierarchy = json.get("hierarchy").map(|spec| self.hierarchy(spec));
            let described = table.column(attr_idx).clone();
            let described = described.with_attribute(Arc::new(attribute));
            table = table.with_column(attr_idx, described);
        }
        for (name, records) in json["suppress"].as_object().into_iter().flatten() {
            let attr_idx = table.index_of(name).expect("a variable to suppress");
            let records: Vec<u32> =
                serde_json::from_value(records.clone()).expect("record numbers");
            let suppressed = table.column(attr_idx).suppress(&records);
            table = table.with_column(attr_idx, suppressed);
        }
        table
    }

    fn hierarchy(&self, json: &Value) -> HierarchySpec {
        let form = |name: &str| json.get(name).cloned();
        if json == "prefix" {
            HierarchySpec::Prefix { keep: None }
        } else if let Some(breaks) = form("intervals") {
            let breaks = serde_json::from_value(breaks).expect("breaks of each level");
            HierarchySpec::Intervals { breaks }
        } else if let Some(rows) = form("levels") {
            let rows = serde_json::from_value(rows).expect("rows of texts");
            HierarchySpec::Levels { rows }
        } else {
            panic!("{}: no such hierarchy", self.name)
        }
    }

    fn params(&self, card: &'static Card) -> Params {
        let given: Vec<(String, RawValue)> = self.json["params"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.clone(), raw(value)))
            .collect();
        Params::check(card, &given).unwrap_or_else(|problems| panic!("{}: {problems:?}", self.name))
    }

    fn run_mask(
        &self,
        mask: &dyn Mask,
        table: &Table,
        on: &[String],
        params: &Params,
        context: &RunContext<'_>,
    ) {
        let position = |name: &String| {
            table
                .index_of(name)
                .unwrap_or_else(|| panic!("{}: {name}", self.name))
        };
        let on: Vec<usize> = on.iter().map(position).collect();
        let attributes: Vec<_> = on
            .iter()
            .map(|&attr_idx| table.column(attr_idx).attribute())
            .collect();
        assert_eq!(mask.check(params, &attributes), [], "{}", self.name);
        let task = MaskTask { table, on: &on };
        let change = mask
            .mask(params, &task, context)
            .unwrap_or_else(|error| panic!("{}: {error}", self.name));
        self.compare_files(&change.apply_to(table));
    }

    /// An adjuster is given the original file, and `masked` if the case has one.
    fn run_adjuster(
        &self,
        adjuster: &dyn Adjuster,
        original: &Table,
        on: &[String],
        params: &Params,
        context: &RunContext<'_>,
    ) {
        let masked = self.json.get("masked").map(|json| self.table(json));
        let masked = masked.as_ref().unwrap_or(original);
        let on: Vec<usize> = on.iter().filter_map(|name| masked.index_of(name)).collect();
        let attributes: Vec<_> = on
            .iter()
            .map(|&attr_idx| masked.column(attr_idx).attribute())
            .collect();
        assert_eq!(adjuster.check(params, &attributes), [], "{}", self.name);
        let task = AdjustTask {
            pair: Pair {
                original,
                masked,
                rows: Rows::Correspond,
            },
            on: &on,
        };
        let adjusted = adjuster
            .adjust(params, &task, context)
            .unwrap_or_else(|error| panic!("{}: {error}", self.name));
        self.compare_files(&adjusted.apply_to(masked));
    }

    /// The masked file against what is expected of it.
    fn compare_files(&self, masked: &Table) {
        let expect = &self.json["expect"];
        for (name, cells) in expect["columns"].as_object().into_iter().flatten() {
            let expected: Vec<Option<String>> = match cells.get("column") {
                Some(column) => self.shared_texts(&cells["shared"], column),
                None => cells.as_array().expect("cells").iter().map(text).collect(),
            };
            let column = masked
                .column_named(name)
                .unwrap_or_else(|| panic!("{}: no {name}", self.name));
            if self.json.get("tolerance").is_some() {
                self.compare_cells(name, &texts(column), &expected);
            } else {
                assert_eq!(texts(column), expected, "{}: {name}", self.name);
            }
        }
        if let Some(names) = expect.get("names") {
            let found: Vec<&str> = masked.names().collect();
            assert_eq!(&serde_json::json!(found), names, "{}", self.name);
        }
        if let Some(kept) = expect.get("kept") {
            let rows: Vec<usize> = (0..masked.n_records())
                .map(|record| masked.source_row(record))
                .collect();
            assert_eq!(&serde_json::json!(rows), kept, "{}", self.name);
        }
    }

    /// The cells of a column of a reference file.
    fn shared_texts(&self, path: &Value, column: &Value) -> Vec<Option<String>> {
        let wanted = Wanted {
            name: column.as_str().expect("a column").to_owned(),
            role: Role::Other,
            kind: Kind::Unordered,
        };
        texts(read_csv(&self.path(path), &[wanted]).column(0))
    }

    /// Masked numbers that another program made with a rounding of its own.
    fn compare_cells(&self, name: &str, found: &[Option<String>], expected: &[Option<String>]) {
        let number = |cell: &Option<String>| -> Option<f64> {
            let parsed = cell.as_ref().map(|text| text.parse());
            parsed.map(|number| number.unwrap_or_else(|_| panic!("{}: {name}", self.name)))
        };
        assert_eq!(found.len(), expected.len(), "{}: {name}", self.name);
        for (record, (found, expected)) in found.iter().zip(expected).enumerate() {
            let agrees = match (number(found), number(expected)) {
                (Some(found), Some(expected)) => self.agrees(found, expected),
                (found, expected) => found.is_none() && expected.is_none(),
            };
            assert!(agrees, "{}: {name} {record}", self.name);
        }
    }

    fn run_measure(
        &self,
        measure: &dyn Measure,
        original: &Table,
        on: &[String],
        params: &Params,
        context: &RunContext<'_>,
    ) {
        let masked = self.json.get("masked").map(|json| self.table(json));
        let files = match &masked {
            None => Files::One(original),
            Some(masked) => Files::Both(Pair {
                original,
                masked,
                rows: match self.json["rows"].as_str() {
                    None | Some("correspond") => Rows::Correspond,
                    Some("unrelated") => Rows::Unrelated,
                    Some(other) => panic!("{}: no rows {other}", self.name),
                },
            }),
        };
        let groups = Groups {
            outliers: self.json["outliers"].as_f64(),
            condition: self.json["where"].as_str().map(|text| {
                Condition::parse(text).unwrap_or_else(|problem| panic!("{}", problem.message))
            }),
        };
        let task = MeasureTask::new(files, on);
        let found = measure_groups(measure, params, &task, &groups, original, context)
            .unwrap_or_else(|error| panic!("{}: {error}", self.name));
        self.compare_figures(&found);
        if let Some(expected) = self.json["expect"].get("weighted_per_record") {
            let keys: Vec<usize> = on
                .iter()
                .map(|name| original.index_of(name).expect("a key"))
                .collect();
            let semantics = Semantics::from_name(params.choice("semantics")).expect("a semantics");
            let counted = frequencies(original, &keys, semantics).expect("keys can be counted");
            let big_f: Vec<f64> = counted.both().map(|(_, big_f)| big_f).collect();
            self.compare_list("weighted_per_record", &big_f, expected);
        }
    }

    fn compare_figures(&self, found: &Measurement) {
        let expect = &self.json["expect"];
        if let Some(value) = expect.get("value") {
            self.compare("value", found.value, value);
        }
        if let Some(value) = expect.get("outliers") {
            self.compare("outliers", found.outliers, value);
        }
        if let Some(value) = expect.get("rest") {
            self.compare("rest", found.rest, value);
        }
        let named = |what: &str, parts: &[Part], expected: &Value| {
            for (name, value) in expected.as_object().into_iter().flatten() {
                let part = parts.iter().find(|part| part.name == *name);
                let part =
                    part.unwrap_or_else(|| panic!("{}: there is no {what} {name}", self.name));
                self.compare(&format!("{what} {name}"), part.value, value);
            }
        };
        let parts: Vec<Part> = found
            .parts()
            .map(|(name, value)| Part::new(name, value))
            .collect();
        named("part", &parts, &expect["parts"]);
        named("variable", &found.by_variable, &expect["by_variable"]);
        for (name, points) in expect["series"].as_object().into_iter().flatten() {
            let series: Option<&Series> =
                found.series.iter().find(|series| series.spelled() == *name);
            let series =
                series.unwrap_or_else(|| panic!("{}: there is no series {name}", self.name));
            named("point", &series.points, points);
        }
        if let Some(expected) = expect.get("listed") {
            let rows: Vec<u64> = found.listed.iter().map(|listed| listed.row).collect();
            assert_eq!(&serde_json::json!(rows), expected, "{}: listed", self.name);
        }
        if let Some(expected) = expect.get("per_record") {
            let per_record = found
                .per_record
                .as_ref()
                .expect("the measure has figures by record");
            self.compare_list("per_record", per_record, expected);
        }
    }

    fn number(&self, expected: &Value) -> Option<f64> {
        if expected.get("shared").is_none() {
            return expected.as_f64();
        }
        let file = fs::read_to_string(self.path(&expected["shared"])).expect("a reference file");
        let json: Value = serde_json::from_str(&file).expect("JSON");
        let pointer = expected["pointer"].as_str().expect("a pointer");
        let number = json.pointer(pointer).and_then(Value::as_f64);
        let number = number.unwrap_or_else(|| panic!("{}: nothing at {pointer}", self.name));
        Some(number * expected["scale"].as_f64().unwrap_or(1.0))
    }

    fn compare(&self, what: &str, found: Option<f64>, expected: &Value) {
        let expected = self.number(expected);
        match (found, expected) {
            (None, None) => {}
            (Some(found), Some(expected)) => {
                assert!(
                    self.agrees(found, expected),
                    "{}: {what} is {found}, not {expected}",
                    self.name
                );
            }
            _ => panic!("{}: {what} is {found:?}, not {expected:?}", self.name),
        }
    }

    fn compare_list(&self, what: &str, found: &[f64], expected: &Value) {
        let expected: Vec<f64> = match expected.get("column") {
            Some(column) => read_numbers(
                &self.path(&expected["shared"]),
                column.as_str().expect("a column"),
            ),
            None => serde_json::from_value(expected.clone()).expect("numbers"),
        };
        assert_eq!(found.len(), expected.len(), "{}: {what}", self.name);
        for (record, (&found, &expected)) in found.iter().zip(&expected).enumerate() {
            assert!(
                self.agrees(found, expected),
                "{}: {what} {record} is {found}, not {expected}",
                self.name
            );
        }
    }

    fn agrees(&self, found: f64, expected: f64) -> bool {
        let tolerance = |name: &str| self.json["tolerance"][name].as_f64().unwrap_or(0.0);
        (found - expected).abs() <= tolerance("absolute") + tolerance("relative") * expected.abs()
    }
}

/// A cell: texts stay, numbers are written, null is missing.
fn text(cell: &Value) -> Option<String> {
    match cell {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn raw(value: &Value) -> RawValue {
    match value {
        Value::Number(number) => match number.as_i64() {
            Some(number) => RawValue::Integer(number),
            None => RawValue::Number(number.as_f64().expect("a number")),
        },
        Value::Bool(flag) => RawValue::Flag(*flag),
        Value::String(text) => RawValue::Text(text.clone()),
        Value::Array(items) => RawValue::List(items.iter().map(raw).collect()),
        Value::Object(map) => RawValue::Map(
            map.iter()
                .map(|(name, value)| (name.clone(), raw(value)))
                .collect(),
        ),
        Value::Null => panic!("a parameter is not null"),
    }
}

#[test]
fn individual_risk_agrees_with_fifty_digits_on_the_grid() {
    let path = reference().join("risk/benedetti_franconi_grid.json");
    let points: Vec<Value> =
        serde_json::from_str(&fs::read_to_string(path).expect("the grid")).expect("JSON");
    assert_eq!(points.len(), 18 * 17);
    let mut worst: f64 = 0.0;
    for point in &points {
        let number = |name: &str| -> f64 {
            match &point[name] {
                Value::String(text) => text.parse().expect("a number"),
                other => other.as_f64().expect("a number"),
            }
        };
        let (f, p, expected) = (number("f"), number("p"), number("risk"));
        let error = (expected_inverse(f, f / p) - expected).abs() / expected;
        assert!(error <= 1e-14, "f = {f}, p = {p}: relative error {error:e}");
        worst = worst.max(error);
    }
    println!("largest relative error {worst:e}");
}

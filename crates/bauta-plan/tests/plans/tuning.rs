//! Searches from code: levels of keys and masks of numbers, one after the other or one of the two.

use std::path::Path;
use std::sync::atomic::AtomicUsize;

use bauta_data::Unwatched;
use bauta_plan::output::Replace;
use bauta_plan::run::RunWatch;
use bauta_plan::sweep::Grid;
use bauta_plan::tune::{AS_PLANNED, Request, Strategy, Tuned, folder_of_plan, tune};
use bauta_plan::work::WorkError;

use crate::support::{OUTPUT, folder};
use crate::sweeping::{Impatient, on_threads};

const PLAN: &str = r#"[data]
file = "x.csv"
[variables]
id = { role = "identifier" }
sex = { role = "key" }
age = { role = "key", kind = "ordered", hierarchy = { intervals = [[22]] } }
income = { role = "sensitive", kind = "continuous" }
w = { role = "weight" }
[[step]]
mask = "recode"
on = ["sex"]
map = { f = "any", m = "any" }
[[step]]
mask = "rank-swap" # incomes
on = ["income"]
window = 0.2
[[measure]]
use = ["k-anonymity"]
on = ["sex", "age"]
[[measure]]
use = ["dld", "il1s"]
on = ["income"]
[[gate]]
measure = "k-anonymity"
at_least = 5
[[gate]]
measure = "dld"
at_most = 0.9
"#;

pub(crate) fn tuned(folder: &Path, text: &str, strategy: Strategy) -> Result<Tuned, WorkError> {
    watched(folder, text, strategy, &Unwatched)
}

fn watched(
    folder: &Path,
    text: &str,
    strategy: Strategy,
    watch: &(dyn RunWatch + Sync),
) -> Result<Tuned, WorkError> {
    let plan = folder.join("plan.toml");
    std::fs::write(&plan, text).unwrap();
    let grid = Grid::read(text).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let request = Request {
        grid: &grid,
        text,
        plan: &plan,
        folder: &folder_of_plan(&plan),
        replace: Replace::OwnFiles,
        memory: None,
        figures: Some("dld,il1s"),
        max_risk: None,
        strategy,
        runs: 8,
        seconds: None,
        again: 2,
        may_fail: 0.0,
        suppressed: None,
    };
    tune(&request, watch)
}

/// Of 30 records three have no age, and six or seven each of the others: by fives and with both sexes together nobody
/// stands out; by sex and age in two classes neither.
#[test]
fn levels_come_first_and_masks_of_numbers_after_them() {
    let folder = folder();
    let text = format!("{PLAN}{OUTPUT}");
    let both = tuned(folder.path(), &text, Strategy::Both).unwrap();
    assert_eq!(both.searched.len(), 2, "{:?}", both.searched);
    assert_eq!(both.n_runs(), 8);
    let levels = both.levels.as_ref().unwrap();
    assert_eq!(
        (levels.k, levels.searched.join(",")),
        (5, "sex,age".to_owned())
    );
    assert!(levels.proved && levels.nodes[0].loss <= levels.own.loss);
    // What is called the plan as it is has its own levels, and is only there for comparison.
    let [own, at_best] = [0, 1].map(|at| &both.grid.variants[at]);
    assert_eq!(own.values[0], AS_PLANNED);
    assert!(own.text().contains("any") && !own.text().contains("suppress-records"));
    assert_eq!(
        at_best.values[0],
        format!("{AS_PLANNED}, at the best levels")
    );
    assert!(at_best.text().contains("suppress-records") && at_best.text().contains("window = 0.2"));
    assert_eq!(both.finalists.variants[0].values[0], AS_PLANNED);
    assert_ne!(both.chosen, Some(0));
    let chosen = both.text.as_ref().expect("one holds");
    assert!(chosen.contains("suppress-records"), "{chosen}");
    let (draft, problems) = bauta_plan::toml::read(chosen);
    assert!(problems.is_empty());
    // What was chosen says so; the first variant is that of the best levels with the plan's own mask.
    let reasons = draft.steps.iter().filter_map(|step| step.why.clone());
    let mut reasons: Vec<String> = reasons.collect();
    assert!(!reasons.is_empty());
    // The recoding of sex is gone, and so is its place: what suppresses says so.
    let left_out = "; bauta tune left out the recoding of sex";
    let n_said = reasons.iter().filter(|why| why.ends_with(left_out)).count();
    assert_eq!((n_said, chosen.contains("map = ")), (1, false), "{chosen}");
    for why in &mut reasons {
        *why = why.replace(left_out, "");
    }
    let only = "chosen by bauta tune; the evidence is in plan.tune";
    assert!(reasons.iter().all(|why| *why == only), "{reasons:?}");

    assert!(both.not_searched[0].starts_with("k, costs of suppression and calibration"));
    let lattice = tuned(folder.path(), &text, Strategy::Lattice).unwrap();
    assert!(
        lattice
            .not_searched
            .iter()
            .any(|text| text.contains("--strategy lattice"))
    );
    let lattice = lattice.text.expect("the levels hold");
    assert!(
        lattice.contains("window = 0.2") && lattice.contains("# incomes"),
        "{lattice}"
    );
    let halving = tuned(folder.path(), &text, Strategy::Halving).unwrap();
    assert!(halving.levels.is_none());
    assert!(
        halving
            .not_searched
            .iter()
            .any(|text| text.contains("--strategy halving"))
    );
}

/// A gate on k is the same under every mask of incomes: the weakest would win.
#[test]
fn masks_of_numbers_that_no_condition_looks_at_are_not_compared() {
    let folder = folder();
    let dld = "[[gate]]\nmeasure = \"dld\"\nat_most = 0.9\n";
    let text = format!("{}{OUTPUT}", PLAN.replace(dld, ""));
    // The levels can be searched all the same.
    let both = tuned(folder.path(), &text, Strategy::Both).unwrap();
    let told = both.not_searched.join("\n");
    assert!(
        told.contains("masks of numbers: no condition on risk looks at income"),
        "{told}"
    );
    let values = both.grid.variants.iter().map(|variant| &variant.values[0]);
    assert!(values.into_iter().all(|value| !value.contains("rank-swap")));
    assert!(both.text.unwrap().contains("window = 0.2"));
    // Alone, and along axes, there is nothing to choose by.
    let refused = tuned(folder.path(), &text, Strategy::Halving).unwrap_err();
    assert!(
        refused.to_string().contains("add a [[gate]] on dld"),
        "{refused}"
    );
    let axes = text.replace("window = 0.2", "window = { sweep = [0.1, 0.2] }");
    let refused = tuned(folder.path(), &axes, Strategy::Both).unwrap_err();
    assert!(refused.to_string().contains("looks at income"), "{refused}");
    // Axes of what the gate looks at are fine.
    let levels = format!(
        "{text}[[step]]\nmask = \"recode\"\non = [\"age\"]\nlevel = {{ sweep = [0, 1] }}\n"
    );
    assert!(tuned(folder.path(), &levels, Strategy::Both).is_ok());
}

#[test]
fn axes_of_what_variants_are_judged_by_are_refused() {
    let folder = folder();
    for (from, to, what) in [
        (
            "at_most = 0.9",
            "at_most = { sweep = [0.5, 0.9] }",
            "judged alike",
        ),
        ("[[22]]", "{ sweep = [[[22]], [[21]]] }", "same data"),
    ] {
        let text = format!("{}{OUTPUT}", PLAN.replace(from, to));
        let refused = tuned(folder.path(), &text, Strategy::Both).unwrap_err();
        assert!(refused.to_string().contains(what), "{refused}");
    }
}

#[test]
fn a_search_that_is_cancelled_goes_on_where_it_was() {
    let text = format!("{PLAN}{OUTPUT}");
    let stopped = folder();
    let watch = Impatient(AtomicUsize::new(0));
    let ended = on_threads(1, || {
        watched(stopped.path(), &text, Strategy::Halving, &watch).is_err()
    });
    assert!(ended);
    let after = tuned(stopped.path(), &text, Strategy::Halving).unwrap();
    assert!((1..8).contains(&after.n_kept()), "{}", after.n_kept());
    let whole = tuned(folder().path(), &text, Strategy::Halving).unwrap();
    assert_eq!(after.evidence(), whole.evidence());
}

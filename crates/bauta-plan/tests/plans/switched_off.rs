//! Steps that stay in a plan and are not carried out.

use std::path::Path;

use bauta_plan::RunRecord;
use bauta_plan::draft::StepDraft;
use bauta_plan::record::Fate;
use bauta_plan::sweep::Grid;
use bauta_plan::toml::{edit, read, write};
use bauta_plan::tune::Strategy;
use serde_json::json;

use crate::support::{OUTPUT, VARIABLES, check, fine, folder, record_of, released};
use crate::tuning::tuned;

const NOISE: &str = "[[step]]\nmask = \"noise-additive\"\non = [\"income\"]\nshare = 0.5\n";
const TOP: &str = "[[step]]\nmask = \"top-bottom\"\non = [\"age\"]\ntop = 22\n";
const SWAP: &str = "[[step]]\nmask = \"rank-swap\"\non = [\"income\"]\nwindow = 0.2\n";
const OFF: &str = "off = true\n";

fn plan(steps: &[&str]) -> String {
    format!("[plan]\nseed = 3\n{VARIABLES}{}{OUTPUT}", steps.concat())
}

fn bytes(folder: &Path) -> Vec<u8> {
    std::fs::read(folder.join("out.csv")).unwrap()
}

/// What a record says besides its plan and its times.
fn found(mut record: RunRecord) -> RunRecord {
    record.plan.text.clear();
    record.plan.sha256.clear();
    record.notes.clear();
    record.times = bauta_plan::record::TimesRecord::default();
    record
}

#[test]
fn a_step_that_is_off_is_as_if_it_were_not_there() {
    let folder = folder();
    let without = record_of(folder.path(), &plan(&[NOISE]));
    let released_without = bytes(folder.path());
    let with = record_of(folder.path(), &plan(&[TOP, OFF, NOISE]));
    assert_eq!(released_without, bytes(folder.path()));
    let age = with
        .variables
        .iter()
        .find(|variable| variable.name == "age");
    assert_eq!(age.unwrap().fate, Fate::Untouched);
    assert_eq!(found(with), found(without));
}

#[test]
fn switching_a_step_leaves_the_draws_of_others_alone() {
    let folder = folder();
    let ages = SWAP.replace("income", "age") + "missing = \"skip\"\n";
    record_of(folder.path(), &plan(&[&ages, SWAP]));
    let on = released(folder.path(), "income");
    record_of(folder.path(), &plan(&[&ages, OFF, SWAP]));
    assert_eq!(on, released(folder.path(), "income"));
    let checked = fine(folder.path(), &plan(&[&ages, OFF, SWAP]));
    assert_eq!(checked.steps[0].key, "rank-swap 2");
    assert_eq!(checked.switched_off[0].key, "rank-swap");
    // Without the first, the second is the first and draws otherwise.
    record_of(folder.path(), &plan(&[SWAP]));
    assert_ne!(on, released(folder.path(), "income"));
}

#[test]
fn what_is_off_neither_drops_nor_claims_nor_recodes() {
    let folder = folder();
    let drops = "[[step]]\nmask = \"drop-identifiers\"\noff = true\n";
    let suppresses = "[[step]]\nmask = \"suppress-local\"\nk = 3\noff = true\n";
    let plan_off = fine(folder.path(), &plan(&[drops, suppresses]));
    // Identifiers are dropped all the same, by the step that every plan has.
    assert_eq!(plan_off.steps.len(), 1);
    assert!(plan_off.steps[0].span.is_none());
    let record = record_of(folder.path(), &plan(&[drops, suppresses]));
    assert!(record.claims.is_empty());
    let again = format!("{TOP}{OFF}");
    assert_eq!(fine(folder.path(), &plan(&[&again, SWAP])).steps.len(), 2);
}

#[test]
fn method_parameters_and_variables_of_what_is_off_are_checked() {
    let folder = folder();
    let messages = |step: &str| -> Vec<String> {
        let found = check(folder.path(), &plan(&[step, OFF]));
        let problems = found.err().unwrap_or_default().into_iter();
        problems.map(|problem| problem.message).collect()
    };
    for (wrong, said) in [
        (
            NOISE.replace("noise-additive", "noise-adition"),
            "there is no mask",
        ),
        (NOISE.replace("0.5", "-3.0"), "`share`"),
        (format!("{NOISE}shar = 1\n"), "`shar`"),
        (NOISE.replace("income", "incom"), "has no variable `incom`"),
    ] {
        let found = messages(&wrong);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains(said), "{found:?}");
        // On, the same is wrong with it.
        let on = check(folder.path(), &plan(&[&wrong])).err().unwrap();
        assert_eq!(on[0].message, found[0]);
    }
    // What other steps leave of its variables is no reason to refuse it: they may be switched, too.
    let on_words = NOISE.replace("income", "sex");
    assert!(check(folder.path(), &plan(&[&on_words])).is_err());
    assert!(messages(&on_words).is_empty());
    let not_a_flag = format!("{NOISE}off = \"yes\"\n");
    let problems = check(folder.path(), &plan(&[&not_a_flag])).err().unwrap();
    assert!(
        problems[0].message.contains("true or false"),
        "{problems:?}"
    );
    assert_eq!(problems[0].line(&plan(&[&not_a_flag])), Some(15));
}

#[test]
fn two_steps_cannot_have_one_name_though_one_is_off() {
    let folder = folder();
    let named = format!("{NOISE}name = \"a\"\n");
    let problems = check(folder.path(), &plan(&[&named, OFF, &named]))
        .err()
        .unwrap();
    assert!(
        problems[0].message.contains("two steps named `a`"),
        "{problems:?}"
    );
}

#[test]
fn the_record_says_within_the_house_what_is_off() {
    let folder = folder();
    let named = format!("{TOP}name = \"cap ages\"\n");
    let record = record_of(folder.path(), &plan(&[&named, OFF, NOISE, NOISE, OFF]));
    let note = record
        .notes
        .iter()
        .find(|note| note.id == "steps-switched-off");
    let note = note.unwrap();
    assert_eq!(
        note.text,
        "switched off: cap ages (top-bottom), noise-additive 2 (noise-additive)"
    );
    assert_eq!(note.facts["steps"], json!(["cap ages", "noise-additive 2"]));
    assert!(!note.public);
}

#[test]
fn a_plan_is_edited_to_switch_a_step_and_keeps_its_comments() {
    let text =
        "# Mine.\n[[step]]\nmask = \"mdav\" # groups\non = [\"x\"]\nk = 3 # small\nwhy = \"so\"\n";
    let (mut draft, problems) = read(text);
    assert!(problems.is_empty());
    draft.steps[0].off = true;
    let off = edit(text, &draft).unwrap();
    assert!(read(&off).0.steps[0].off);
    for comment in ["# Mine.", "# groups", "# small"] {
        assert!(off.contains(comment), "{off}");
    }
    draft.steps[0].off = false;
    assert_eq!(edit(&off, &draft).unwrap(), text);
    let built = StepDraft::mask("mdav").with("k", 3).switched_off();
    assert!(
        write(&bauta_plan::draft::Draft::default().step(built)).contains("k = 3\noff = true\n")
    );
}

#[test]
fn axes_of_what_is_off_are_no_axes() {
    let folder = folder();
    let swept = NOISE.replace("0.5", "{ sweep = [0.5, 0.6] }");
    assert_eq!(Grid::read(&plan(&[&swept])).unwrap().variants.len(), 2);
    let text = plan(&[&swept, OFF, TOP]);
    let grid = Grid::read(&text).unwrap();
    assert_eq!((grid.axes.len(), grid.variants.len()), (0, 1));
    // It is one plan then, which runs as it stands.
    let checked = fine(folder.path(), &text);
    assert_eq!(checked.switched_off.len(), 1);
    // A step can be switched by an axis of its own.
    let switched = plan(&[NOISE, "off = { sweep = [true, false] }\n"]);
    let grid = Grid::read(&switched).unwrap();
    let off: Vec<bool> = (grid.variants.iter())
        .map(|variant| variant.draft.steps[0].off)
        .collect();
    assert_eq!(off, [true, false]);
}

#[test]
fn a_search_leaves_what_is_off_alone() {
    let folder = folder();
    let noise = NOISE.replace("noise-additive\"", "noise-additive\" # not now");
    let judged = "[[measure]]\nuse = [\"dld\", \"il1s\"]\non = [\"income\"]\n\
        [[gate]]\nmeasure = \"dld\"\nat_most = 0.9\n";
    let text = plan(&[&noise, OFF, SWAP, judged]);
    let found = tuned(folder.path(), &text, Strategy::Halving).unwrap();
    let candidates = found.grid.variants.iter();
    for variant in candidates {
        let steps = &variant.draft.steps;
        assert!(steps[0].off && steps[0].method.id().as_str() == "noise-additive");
        assert!(steps[1..].iter().all(|step| !step.off));
    }
    let chosen = found.text.expect("one holds");
    let (draft, problems) = read(&chosen);
    assert!(problems.is_empty() && draft.steps[0].off, "{chosen}");
    assert!(chosen.contains("# not now"), "{chosen}");
}

#[test]
fn levels_are_searched_beside_what_is_off() {
    let folder = folder();
    let described =
        "age = { role = \"key\", kind = \"ordered\", hierarchy = { intervals = [[22]] } }";
    let recode = "[[step]]\nmask = \"recode\"\non = [\"age\"]\nlevel = 1\n";
    let judged = "[[measure]]\nuse = [\"k-anonymity\"]\non = [\"sex\", \"age\"]\n\
        [[measure]]\nuse = [\"dld\", \"il1s\"]\non = [\"income\"]\n\
        [[gate]]\nmeasure = \"k-anonymity\"\nat_least = 3\n\
        [[gate]]\nmeasure = \"dld\"\nat_most = 0.9\n";
    let off_first = plan(&[recode, OFF, SWAP, judged]);
    let none = plan(&[SWAP, judged]);
    let [off_first, none] = [off_first, none].map(|text| {
        let age = "age = { role = \"key\", kind = \"ordered\" }";
        assert!(text.contains(age));
        let text = text.replace(age, described);
        let found = tuned(folder.path(), &text, Strategy::Lattice).unwrap();
        found.levels.expect("levels were searched")
    });
    // The plan's own level is that of the file: the recoding is off.
    assert_eq!(off_first.own, none.own);
}

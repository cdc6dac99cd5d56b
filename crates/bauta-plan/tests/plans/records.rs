//! Steps after which nobody can tell which record came from which.

use bauta_methods::pair::Rows;
use bauta_plan::record::Fate;

use crate::support::{OUTPUT, VARIABLES, check, folder, record_of, released};

const SYNTHETIC: &str = "[[step]]\nmask = \"synth-normal\"\non = [\"income\"]\n";

#[test]
fn measures_of_a_record_and_its_original_are_refused_by_name() {
    let folder = folder();
    let said = |middle: &str| {
        let text = format!("{VARIABLES}{middle}{OUTPUT}");
        let found = check(folder.path(), &text).err().unwrap_or_default();
        let messages: Vec<String> = found.into_iter().map(|problem| problem.message).collect();
        messages
    };
    let asked = |measure: &str| format!("{SYNTHETIC}[[measure]]\nuse = [\"{measure}\"]\n");
    for measure in ["il1s", "interval-sd", "s1"] {
        let found = said(&asked(measure));
        assert_eq!(found.len(), 1, "{found:?}");
        let expected = format!(
            "`{measure}` compares each record with its original, and `synth-normal` makes records that have none"
        );
        assert_eq!(found[0], expected);
    }
    // A gate asks by name as well.
    let gate = format!("{SYNTHETIC}[[gate]]\nmeasure = \"il1s\"\nat_most = 1\n");
    assert!(said(&gate)[0].contains("`il1s` compares each record with its original"));
    for measure in [
        "dld",
        "il1",
        "interval-rank",
        "hellinger",
        "univariate-summary",
    ] {
        assert_eq!(said(&asked(measure)), Vec::<String>::new(), "{measure}");
    }
}

#[test]
fn a_plan_without_measures_leaves_them_out_with_a_note() {
    let folder = folder();
    let text = format!("[plan]\nseed = 3\n{VARIABLES}{SYNTHETIC}{OUTPUT}");
    let record = record_of(folder.path(), &text);
    assert_eq!(record.rows, Rows::Unrelated);
    let income = record.variables.iter().find(|one| one.name == "income");
    let income = income.expect("it is in the file");
    assert_eq!((income.fate, income.n_changed), (Fate::Masked, None));
    let il1s = record.measures.iter().find(|one| one.id == "il1s");
    let il1s = il1s.expect("it is usual");
    assert!(il1s.after.is_none());
    let notes: Vec<String> = il1s.notes.iter().map(|note| note.text.clone()).collect();
    let expected =
        "il1s was not measured: the masked records do not correspond to the original ones";
    assert_eq!(notes, [expected]);
    // Of the file as a whole there is something to say.
    let whole = record.measures.iter().find(|one| one.id == "hellinger");
    assert!(whole.is_some_and(|one| one.after.is_some()));
}

#[test]
fn linkage_and_subpopulations_go_by_what_the_masked_file_shows() {
    let folder = folder();
    let measures = "[[measure]]\nuse = [\"dld\"]\non = [\"income\"]\n\
        [[measure]]\nuse = [\"univariate-summary\"]\nwhere = \"income > 300\"\n";
    let text = format!("[plan]\nseed = 3\n{VARIABLES}{SYNTHETIC}{measures}{OUTPUT}");
    let record = record_of(folder.path(), &text);
    let [linkage, summary] = &record.measures[..] else {
        panic!("two measures");
    };
    let notes: Vec<String> = linkage.notes.iter().map(|note| note.text.clone()).collect();
    assert!(
        notes.iter().any(|note| note.contains("nearest")),
        "{notes:?}"
    );
    // As many records as have such an income in the released file, whoever stood in their rows.
    let found = summary.after.as_ref().expect("there are such records");
    let incomes = released(folder.path(), "income").into_iter();
    let n_above = incomes
        .filter(|income| income.parse::<f64>().unwrap() > 300.0)
        .count();
    assert_eq!(found.part("income.records"), Some(n_above as f64));
}

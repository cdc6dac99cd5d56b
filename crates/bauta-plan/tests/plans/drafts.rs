//! Drafts: built by code, written and read again, and edited with their comments.

use std::path::{Path, PathBuf};

use bauta_data::{Kind, Role};
use bauta_plan::draft::{
    Draft, GateDraft, HierarchyDraft, MeasureDraft, ScenarioDraft, StepDraft, VariableDraft,
};
use bauta_plan::problem::Spot;
use bauta_plan::toml::{edit, read, write};

use crate::support::{OUTPUT, VARIABLES};

/// Every plan that the repository shows.
fn plans() -> Vec<(PathBuf, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let examples = crates.parent().unwrap().join("examples");
    let mut files: Vec<PathBuf> = std::fs::read_dir(examples)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.push(crates.join("bauta-plan/src/work/demo.toml"));
    let read = |path: PathBuf| (path.clone(), std::fs::read_to_string(path).unwrap());
    files.into_iter().map(read).collect()
}

/// Forms of the grammar that the shown plans do not have.
const MORE: &str = r#"[plan]
title = "quotes \" and \\"
seed = 18446744073709551615
[release]
purpose = "teaching"
recipients = ["schools", "the public"]
review = 2028-02-29
signatories = [{ name = "A. Müller", role = "head of methods" }, { name = "B" }, "C"]
[data]
file = "x y.csv"
missing = []
missing_codes = { "98" = "refused", "99" = "not applicable" }
delimiter = "tab"
decimal = ","
encoding = "latin1"
[variables]
"full name" = { role = "identifier" }
age = { role = "key", kind = "hierarchical", hierarchy = { intervals = [[18, 25.5], [18]] } }
zip = { role = "key", hierarchy = { prefix = [4, 2] }, missing = ["", "-9"], missing_codes = { "0" = "none" } }
job = { role = "key", hierarchy = { tree = { young = ["20", 21], old = { a = ["22"], b = [] } } } }
area = { role = "key", hierarchy = { file = "levels.csv" }, order = ["b", "a"], label = "Area" }
[[step]]
adjust = "calibrate"
margins = ["area"]
totals = { "area=1" = 2100, "area=2" = inf }
costs = { area = 1e-7, zip = 3.0 }
name = "weights"
[[step]]
mask = "recode"
on = "age"
map = { "1" = "1-2" }
off = true
flag = true
rows = [[0.5, 1.0], [1.0, 0.0]]
[[measure]]
use = []
[[measure]]
use = "il1s"
on = ["age"]
scenario = "s"
outliers = 0.05
where = "age > 3"
[[gate]]
measure = "il1s"
part = "rest"
where = "age > 3"
at_least = -1
at_most = 0.5
why = "so"
[output]
file = "out.csv"
shuffle = false
suppressed = "*"
weight = "w2"
"#;

#[test]
fn what_is_written_reads_as_the_same_draft() {
    let more = [VARIABLES, OUTPUT, MORE, ""].map(|text| (PathBuf::from(text), text.to_owned()));
    for (path, text) in plans().into_iter().chain(more) {
        let (draft, problems) = read(&text);
        assert!(problems.is_empty(), "{}: {problems:?}", path.display());
        let written = write(&draft);
        let (again, problems) = read(&written);
        assert!(problems.is_empty(), "{problems:?} in\n{written}");
        assert_eq!(again, draft, "{written}");
        // What was written plainly is written so again.
        assert_eq!(write(&again), written);
    }
}

#[test]
fn a_draft_survives_json() {
    for (_, text) in plans()
        .into_iter()
        .chain([(PathBuf::new(), MORE.to_owned())])
    {
        let draft = read(&text).0;
        let json = serde_json::to_string(&draft).unwrap();
        let again: Draft = serde_json::from_str(&json).unwrap();
        assert_eq!(again, draft, "{json}");
    }
    let misspelled = serde_json::from_str::<Draft>("{ \"dta\": {} }");
    assert!(misspelled.is_err());
    let schema = Draft::schema().to_string();
    assert!(schema.contains("\"step\"") && schema.contains("\"hierarchy\""));
}

#[test]
fn a_draft_that_code_builds_is_the_one_that_its_text_says() {
    let draft = Draft::default()
        .seed(7)
        .variable(VariableDraft::new("age", Role::Key).kind(Kind::Ordered))
        .variable(VariableDraft::new("zip", Role::Key).hierarchy(HierarchyDraft::Prefix(None)))
        .scenario(ScenarioDraft::new("neighbour", ["age", "zip"]))
        .step(
            StepDraft::mask("rank-swap")
                .on(["age"])
                .with("window", 0.14)
                .because("near ages"),
        )
        .measure(MeasureDraft::of(["k-anonymity"]).with("semantics", "visible"))
        .gate(GateDraft::on("k-anonymity").at_least(3.0));
    let text = "[plan]\nseed = 7\n\n[variables]\n\
        age = { role = \"key\", kind = \"ordered\" }\n\
        zip = { role = \"key\", hierarchy = \"prefix\" }\n\n\
        [[scenario]]\nname = \"neighbour\"\nkeys = [\"age\", \"zip\"]\n\n\
        [[step]]\nmask = \"rank-swap\"\non = [\"age\"]\nwindow = 0.14\nwhy = \"near ages\"\n\n\
        [[measure]]\nuse = [\"k-anonymity\"]\nsemantics = \"visible\"\n\n\
        [[gate]]\nmeasure = \"k-anonymity\"\nat_least = 3\n";
    assert_eq!(write(&draft), text);
    assert_eq!(read(text).0, draft);
}

/// The comments of a text, in their order.
fn comments(text: &str) -> Vec<&str> {
    let comments = text.lines().filter_map(|line| line.split_once('#'));
    comments.map(|(_, comment)| comment).collect()
}

#[test]
fn an_edit_keeps_every_comment() {
    for (path, text) in plans() {
        let draft = read(&text).0;
        assert_eq!(edit(&text, &draft).unwrap(), text, "{}", path.display());
        let mut edited = draft.clone();
        edited.plan.seed = Some(5);
        edited.output.suppressed = Some("*".to_owned());
        edited.steps[0].why = Some("another reason".to_owned());
        let changed = edit(&text, &edited).unwrap();
        assert_eq!(read(&changed).0, edited, "{changed}");
        assert_eq!(comments(&changed), comments(&text), "{changed}");
        // Only lines that say something else are different.
        let lines: Vec<&str> = text.lines().collect();
        let n_new = changed.lines().filter(|line| !lines.contains(line)).count();
        assert!(n_new <= 3, "{changed}");
    }
}

#[test]
fn a_step_that_moves_takes_its_comments_along() {
    let text = "# head\n[data]\nfile = \"x.csv\" # the file\n\n# first\n[[step]]\nmask = \"a\"\n\n\
        # second\n[[step]]\nmask = \"b\" # b\n\n# the end\n[output]\nfile = \"o.csv\"\n";
    let mut draft = read(text).0;
    draft.steps.swap(0, 1);
    let swapped = edit(text, &draft).unwrap();
    assert_eq!(
        comments(&swapped),
        [" head", " the file", " second", " b", " first", " the end"],
        "{swapped}"
    );
    assert_eq!(read(&swapped).0, draft);
    draft.steps.remove(0);
    draft.steps.push(StepDraft::mask("c"));
    draft.variables.push(VariableDraft::new("v", Role::Other));
    let changed = edit(&swapped, &draft).unwrap();
    assert_eq!(read(&changed).0, draft, "{changed}");
    assert_eq!(
        comments(&changed),
        [" head", " the file", " first", " the end"],
        "{changed}"
    );
    let broken = edit("[data\n", &draft);
    assert!(broken.is_err(), "a text that cannot be read is not changed");
}

#[test]
fn where_a_value_stands_is_not_part_of_it() {
    assert_eq!(Spot::new(1, 3..4), Spot::from(1));
    assert_eq!(
        serde_json::to_string(&Spot::new("a", 3..4)).unwrap(),
        "\"a\""
    );
}

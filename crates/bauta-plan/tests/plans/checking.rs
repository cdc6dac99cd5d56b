use bauta_data::HierarchySpec;
use bauta_plan::ProblemKind;
use bauta_plan::plan::StepMethod;
use bauta_plan::run::{RunOptions, run};

use crate::support::{OUTPUT, Patience, Plain, VARIABLES, check, fine, folder, ungated};

/// Messages and lines of what is wrong with a plan.
fn problems(middle: &str) -> Vec<(usize, String)> {
    let folder = folder();
    let text = format!("{VARIABLES}{middle}{OUTPUT}");
    let found = check(folder.path(), &text).err().unwrap_or_default();
    found
        .into_iter()
        .map(|problem| {
            (
                problem.line(&text).unwrap() - VARIABLES.lines().count(),
                problem.message,
            )
        })
        .collect()
}

fn one_problem(middle: &str) -> (usize, String) {
    let found = problems(middle);
    assert_eq!(found.len(), 1, "{found:?}");
    found.into_iter().next().unwrap()
}

#[test]
fn the_sketch_of_the_product_is_a_plan() {
    let folder = tempfile::tempdir().unwrap();
    let header = "name,age,sex,zip,income,weight\n";
    let rows: String = (0..20)
        .map(|i| format!("p{i},{},f,4820{},{}.5,2\n", 20 + i, i % 10, i * 3))
        .collect();
    std::fs::write(folder.path().join("survey.csv"), format!("{header}{rows}")).unwrap();
    let text = r#"
[data]
file = "survey.csv"                  # csv, tsv, parquet by extension
missing = ["", "NA"]

[variables]
name     = { role = "identifier" }
age      = { role = "key", kind = "ordered" }
sex      = { role = "key", kind = "unordered" }
zip      = { role = "key", kind = "hierarchical", hierarchy = "prefix" }
income   = { role = "sensitive", kind = "continuous" }
weight   = { role = "weight" }

[[scenario]]
name = "neighbour"
keys = ["age", "sex", "zip"]

[[step]]
mask = "rank-swap"
on = ["income"]
window = 0.14                        # fraction of records
why = "best trade-off in the map of 12 March"

[[measure]]
use = ["k-anonymity", "il1s", "interval-sd"]

[[gate]]
measure = "k-anonymity"
at_least = 3

[output]
file = "survey-protected.csv"
report = "report.html"
"#;
    let plan = fine(folder.path(), text);
    // Identifiers are dropped even where the plan forgets them.
    let steps: Vec<&str> = plan
        .steps
        .iter()
        .map(|step| step.method.card().id)
        .collect();
    assert_eq!(steps, ["rank-swap", "drop-identifiers"]);
    assert_eq!(plan.steps[1].on, ["name"]);
    assert_eq!(plan.measures.len(), 3);
    assert_eq!(plan.measures[1].on, ["income"]);
}

#[test]
fn unknown_names_are_told_with_their_line() {
    assert_eq!(
        one_problem("[[step]]\nmask = \"rank-swp\"\n"),
        (2, "there is no mask `rank-swp`".into())
    );
    let (line, message) =
        one_problem("[[step]]\nmask = \"rank-swap\"\non = [\"incme\"]\nwindow = 0.1\n");
    assert_eq!(
        (line, message.as_str()),
        (3, "the file has no variable `incme`")
    );
    let (line, message) = one_problem("[[measure]]\nuse = [\"k-anonimity\"]\n");
    assert_eq!(
        (line, message.as_str()),
        (2, "there is no measure `k-anonimity`")
    );
    let (line, message) = one_problem("[outpt]\n");
    assert_eq!((line, message.as_str()), (1, "the plan has no key `outpt`"));
    let (line, message) = one_problem("[[scenario]]\nname = \"s\"\nkeys = [\"sex\", \"agee\"]\n");
    assert_eq!(
        (line, message.as_str()),
        (3, "the file has no variable `agee`")
    );
    let (_, message) = one_problem(
        "[[step]]\nmask = \"rank-swap\"\non = [\"income\"]\nwindow = 0.1\nstrata = [\"sx\"]\n",
    );
    assert_eq!(message, "the file has no variable `sx`");
}

#[test]
fn parameters_are_checked_by_their_card() {
    let step = |rest: &str| format!("[[step]]\nmask = \"rank-swap\"\non = [\"income\"]\n{rest}\n");
    assert!(
        one_problem(&step(""))
            .1
            .contains("needs the parameter `window`")
    );
    assert!(
        one_problem(&step("windw = 0.1"))
            .1
            .contains("has no parameter `windw`")
    );
    assert_eq!(one_problem(&step("window = 1.5")).0, 4);
    assert!(
        one_problem(&step("window = 0.1\nwindw = 2"))
            .1
            .contains("has no parameter `windw`")
    );
    assert!(
        one_problem(&step("window = \"wide\""))
            .1
            .contains("not a text")
    );
    let unordered = "[[step]]\nmask = \"rank-swap\"\non = [\"sex\"]\nwindow = 0.1\n";
    assert!(
        one_problem(unordered)
            .1
            .contains("needs continuous or ordered variables")
    );
    let weight = "[[step]]\nmask = \"noise-additive\"\non = [\"w\"]\nshare = 0.1\n";
    assert!(one_problem(weight).1.contains("whose role is weight"));
    let recode =
        "[[step]]\nmask = \"recode\"\non = [\"age\"]\nbreaks = [1, 2]\nlabels = [\"a\", \"b\"]\n";
    assert_eq!(one_problem(recode), (5, "2 labels for 2 breaks".into()));
    let two_ways =
        "[[step]]\nmask = \"recode\"\non = [\"age\"]\nbreaks = [1]\nmap = { a = \"b\" }\n";
    assert!(one_problem(two_ways).1.contains("more than one way"));
    assert!(
        one_problem("[[step]]\nmask = \"recode\"\non = [\"age\"]\nlevel = 1\n")
            .1
            .contains("has no hierarchy")
    );
}

#[test]
fn a_variable_changes_its_kind_on_the_way() {
    // Recoded to intervals, income is no longer continuous: noise and comparisons do not fit.
    let recode = "[[step]]\nmask = \"recode\"\non = [\"income\"]\nbreaks = [200, 400]\n";
    let noise = "[[step]]\nmask = \"noise-additive\"\non = [\"income\"]\nshare = 0.1\n";
    assert!(
        one_problem(&format!("{recode}{noise}"))
            .1
            .contains("is ordered")
    );
    let compare = "[[measure]]\nuse = [\"il1s\"]\non = [\"income\"]\n";
    assert!(
        one_problem(&format!("{recode}{compare}"))
            .1
            .contains("not comparable")
    );
}

#[test]
fn gates_must_look_at_something_measured() {
    let gate = "[[measure]]\nuse = [\"k-anonymity\"]\n[[gate]]\nmeasure = \"il1s\"\nat_most = 1\n";
    assert_eq!(
        one_problem(gate),
        (4, "the plan does not measure `il1s`".into())
    );
    let crossed = "[[gate]]\nmeasure = \"k-anonymity\"\nat_least = 3\nat_most = 2\n";
    assert!(one_problem(crossed).1.contains("no figure"));
    let no_bound = "[[gate]]\nmeasure = \"k-anonymity\"\n";
    assert!(one_problem(no_bound).1.contains("needs the key `at_least`"));
    let scenario = "[[gate]]\nmeasure = \"k-anonymity\"\nscenario = \"x\"\nat_least = 3\n";
    assert_eq!(one_problem(scenario).0, 3);
}

#[test]
fn roles_and_outputs_are_checked() {
    let folder = folder();
    let bad = |text: &str| {
        let found = check(folder.path(), text).err().unwrap();
        found
            .into_iter()
            .map(|problem| problem.message)
            .collect::<Vec<_>>()
            .join("; ")
    };
    let two_weights = "[data]\nfile = \"x.csv\"\n[variables]\nw = { role = \"weight\" }\nincome = { role = \"weight\" }\n";
    assert!(
        bad(&format!("{two_weights}{OUTPUT}")).contains("second variable with the role weight")
    );
    assert!(bad(&format!("{VARIABLES}[output]\nfile = \"x.csv\"\n")).contains("would be the same"));
    assert!(bad(&format!("{VARIABLES}[output]\nfile = \"out.docx\"\n")).contains("docx"));
    assert!(
        bad(&format!("{VARIABLES}[output]\nfile = \"no/where.csv\"\n")).contains("does not exist")
    );
    assert!(bad(VARIABLES).contains("needs the key `output`"));
    assert!(bad(OUTPUT).contains("needs the key `data`"));
    let absent = format!("[data]\nfile = \"absent.csv\"\n{OUTPUT}");
    let found = check(folder.path(), &absent).err().unwrap();
    assert_eq!((found.len(), found[0].kind), (1, ProblemKind::Data));
    let no_hierarchy = "[data]\nfile = \"x.csv\"\n[variables]\nage = { role = \"key\", kind = \"hierarchical\" }\n";
    assert!(bad(&format!("{no_hierarchy}{OUTPUT}")).contains("has no hierarchy"));
    let twice = "[data]\nfile = \"x.csv\"\n[variables]\nage = { role = \"key\", kind = \"ordered\", order = [\"1\", \"2\", \"1\"] }\n";
    assert!(bad(&format!("{twice}{OUTPUT}")).contains("names a category twice"));
}

#[test]
fn every_form_of_a_hierarchy_is_read() {
    let folder = folder();
    std::fs::write(
        folder.path().join("levels.csv"),
        "20,young,*\n21,young,*\n22,old,*\n23,old,*\n",
    )
    .unwrap();
    for form in [
        "\"prefix\"",
        "{ prefix = [1] }",
        "{ intervals = [[21, 22, 23], [22]] }",
        "{ file = \"levels.csv\" }",
        "{ tree = { young = [\"20\", 21], old = { a = [\"22\"], b = [\"23\"] } } }",
    ] {
        let text = format!(
            "[data]\nfile = \"x.csv\"\n[variables]\nage = {{ role = \"key\", kind = \"hierarchical\", hierarchy = {form} }}\n\
             [[step]]\nmask = \"recode\"\non = [\"age\"]\nlevel = 1\n{OUTPUT}"
        );
        let plan = fine(folder.path(), &text);
        let spec = plan
            .read
            .schema
            .attribute("age")
            .unwrap()
            .hierarchy
            .clone()
            .unwrap();
        assert!(matches!(plan.steps[0].method, StepMethod::Mask(_)));
        assert_eq!(
            matches!(spec, HierarchySpec::Tree { .. }),
            form.contains("tree")
        );
    }
    let bad = "[data]\nfile = \"x.csv\"\n[variables]\nage = { role = \"key\", hierarchy = { suffix = 1 } }\n";
    assert_eq!(
        check(folder.path(), &format!("{bad}{OUTPUT}"))
            .err()
            .unwrap()
            .len(),
        1
    );
    let absent = bad.replace("{ suffix = 1 }", "{ file = \"absent.csv\" }");
    assert_eq!(
        check(folder.path(), &format!("{absent}{OUTPUT}"))
            .err()
            .unwrap()[0]
            .kind,
        ProblemKind::Data
    );
}

#[test]
fn wrong_types_are_told_and_do_not_stop_the_rest() {
    let folder = folder();
    let text = "[plan]\nseed = -1\ntitle = 3\n[data]\nfile = 1\nmissing = {}\ndecimal = \";\"\n[variables]\nage = 3\n\
        [output]\nfile = \"o.csv\"\nshuffle = \"yes\"\n";
    let found = check(folder.path(), text).err().unwrap();
    let lines: Vec<usize> = found
        .iter()
        .map(|problem| problem.line(text).unwrap())
        .collect();
    assert_eq!(lines, [2, 3, 5, 6, 7, 9, 12]);
}

#[test]
fn wrong_outliers_and_conditions_are_told_with_their_lines() {
    let measure = |line: &str| format!("[[measure]]\nuse = [\"il1s\"]\n{line}\n");
    let (line, message) = one_problem(&measure("outliers = 5"));
    assert_eq!(line, 3);
    assert!(message.contains("share of the records"), "{message}");
    let (line, message) = one_problem(&measure("where = \"income >\""));
    assert_eq!(line, 3);
    assert!(message.contains("cannot be read"), "{message}");
    let (_, message) = one_problem(&measure("where = \"incme > 3\""));
    assert!(message.contains("`incme`"), "{message}");
    let keys = "[[measure]]\nuse = [\"k-anonymity\"]\noutliers = 0.05\n";
    let (line, message) = one_problem(keys);
    assert_eq!(line, 3);
    assert!(message.contains("whole file"), "{message}");
}

#[test]
fn a_gate_finds_the_records_that_it_means_or_says_what_is_not_measured() {
    let measures =
        "[[measure]]\nuse = [\"il1s\"]\n[[measure]]\nuse = [\"il1s\"]\nwhere = \"income > 300\"\n";
    let gate = |more: &str| format!("{measures}[[gate]]\nmeasure = \"il1s\"\n{more}at_most = 1\n");
    let folder = folder();
    let looked_at = |more: &str| {
        let plan = fine(folder.path(), &format!("{VARIABLES}{}{OUTPUT}", gate(more)));
        plan.gates[0].measures.clone()
    };
    // The whole file unless the gate says otherwise.
    assert_eq!(looked_at(""), [0]);
    assert_eq!(looked_at("where = \"income > 300\"\n"), [1]);
    let (_, message) = one_problem(&gate("where = \"income > 301\"\n"));
    assert!(
        message.contains("does not measure `il1s` where"),
        "{message}"
    );
    let (_, message) = one_problem(&gate("part = \"outliers\"\n"));
    assert!(message.contains("outliers apart"), "{message}");
}

#[test]
fn a_measure_says_itself_whether_its_parameters_go_together() {
    let (line, message) =
        one_problem("[[measure]]\nuse = [\"global-risk\"]\nweights = \"matrix\"\n");
    assert_eq!(line, 3, "{message}");
    assert!(message.contains('w'), "{message}");
    let weightless =
        "[[measure]]\nuse = [\"score\"]\nweight_il = 0\nweight_dld = 0\nweight_id = 0\n";
    let (line, message) = one_problem(weightless);
    assert_eq!((line, message.as_str()), (1, "all weights are 0"));
    let (line, message) = one_problem("[[measure]]\nuse = [\"il2\"]\nlevel = 0.1\n");
    assert_eq!(line, 3, "{message}");
    // A key that is called sensitive is told once, though two scenarios have it.
    let scenarios = "[[scenario]]\nname = \"a\"\nkeys = [\"sex\"]\n[[scenario]]\nname = \"b\"\nkeys = [\"sex\", \"age\"]\n";
    let diverse = "[[measure]]\nuse = [\"l-diversity\"]\nsensitive = [\"sex\"]\n";
    let (line, message) = one_problem(&format!("{scenarios}{diverse}"));
    assert_eq!(line, 9, "{message}");
}

#[test]
fn the_seed_stands_in_no_text_that_is_published() {
    let folder = folder();
    let steps =
        "[[step]]\nmask = \"noise-additive\"\non = [\"income\"]\nshare = 0.1\nwhy = \"WHY\"\n";
    let variables = VARIABLES.replace("w = {", "w = { label = \"LABEL\",");
    let text = format!(
        "[plan]\ntitle = \"TITLE\"\nseed = 20150129\n{variables}{steps}[output]\nfile = \"FILE.csv\"\nexternal_report = \"PUBLIC.html\"\n"
    );
    assert!(check(folder.path(), &text).is_ok());
    for place in ["TITLE", "LABEL", "WHY", "FILE", "PUBLIC"] {
        let telling = text.replace(place, "of 2015-01-29");
        let problems = check(folder.path(), &telling).err().expect(place);
        assert!(problems[0].message.contains("holds the seed"), "{place}");
        assert_eq!(problems.len(), 1, "{place}");
        // A seed from the command line is as secret.
        let unseeded = telling.replace("seed = 20150129\n", "");
        let plan = fine(folder.path(), &unseeded);
        let options = RunOptions {
            seed: Some(20_150_129),
            ..ungated()
        };
        let refused = run(&plan, options, &Patience::default(), &Plain).unwrap_err();
        assert!(refused.to_string().contains("would show it"), "{refused}");
    }
}

#[test]
fn a_release_is_checked_and_kept_in_the_record() {
    let none = [
        "[release]\nreview = \"2027-02-29\"\n",
        "[release]\nreview = \"29.2.2028\"\n",
        "[release]\nreview = 2028-02-29T10:00:00Z\n",
    ];
    for text in none {
        let expected = "the day of the review is no day of the calendar".to_owned();
        assert_eq!(one_problem(text), (2, expected), "{text}");
    }
    let (line, message) = one_problem("[release]\npurpose = \" \"\n");
    assert_eq!((line, message.as_str()), (2, "the purpose is empty"));
    let (_, message) = one_problem("[release]\nsignatories = [{ role = \"head\" }]\n");
    assert_eq!(message, "a signatory needs the key `name`");
    let (_, message) = one_problem("[release]\nreveiw = \"2028-02-29\"\n");
    assert_eq!(message, "[release] has no key `reveiw`");

    let folder = folder();
    let text = "[release]\npurpose = \"teaching\"\nrecipients = [\"schools\"]\nreview = 2028-02-29\n\
                signatories = [{ name = \"A\", role = \"head\" }, \"B\"]\n";
    let plan = fine(folder.path(), &format!("{VARIABLES}{text}{OUTPUT}"));
    let record = run(&plan, ungated(), &Patience::default(), &Plain).unwrap();
    let release = record.plan.release.expect("the record has it");
    assert_eq!(release.purpose.as_deref(), Some("teaching"));
    assert_eq!(release.recipients, ["schools"]);
    assert_eq!(release.review.as_deref(), Some("2028-02-29"));
    let names: Vec<&str> = release
        .signatories
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["A", "B"]);
    assert_eq!(release.signatories[0].role.as_deref(), Some("head"));
}

#[test]
fn the_seed_does_not_stand_in_what_a_release_publishes() {
    let texts = [
        "purpose = \"survey 20280229\"",
        "recipients = [\"no 20280229\"]",
        "review = \"2028-02-29\"",
    ];
    for text in texts {
        let folder = folder();
        let plan = format!("{VARIABLES}[release]\n{text}\n{OUTPUT}");
        let found = check(folder.path(), &format!("[plan]\nseed = 20280229\n{plan}"));
        let found = found.err().unwrap_or_default();
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].message.contains("holds the seed"), "{found:?}");
        let options = RunOptions {
            seed: Some(20_280_229),
            ..ungated()
        };
        let plan = fine(folder.path(), &plan);
        let refused = run(&plan, options, &Patience::default(), &Plain).unwrap_err();
        assert!(
            refused.to_string().contains("the seed is published"),
            "{refused}"
        );
    }
}

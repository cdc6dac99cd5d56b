//! Where users stopped on their way, each place as they met it.

use std::fs;
use std::path::Path;

use crate::support::{json, run_expecting, stderr, stdout};

fn write(
    folder: &Path,
    name: &str,
    header: &str,
    n_records: usize,
    line: impl Fn(usize) -> String,
) {
    let lines = (0..n_records).map(|record| line(record) + "\n");
    let text = format!("{header}\n{}", lines.collect::<String>());
    fs::write(folder.join(name), text).unwrap();
}

/// Scattered, all different below 9973 records.
fn scattered(record: usize) -> usize {
    record * 7919 % 9973
}

fn first_plan(folder: &Path, file: &str) -> String {
    run_expecting(folder, &["init", file, "-o", "plan.toml", "--force"], 0);
    fs::read_to_string(folder.join("plan.toml")).unwrap()
}

fn date(record: usize) -> String {
    let (day, month) = (1 + record % 28, 1 + record % 12);
    format!("{day:02}.{month:02}.{}", 1950 + record % 40)
}

#[test]
fn a_few_texts_among_dates_do_not_hide_that_they_are_dates() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "x.csv", "born,ward", 300, |record| {
        let born = if record % 100 == 7 {
            "unknown".to_owned()
        } else {
            date(record)
        };
        format!("{born},{}", record % 4)
    });
    let plan = first_plan(folder, "x.csv");
    assert!(plan.contains("date = \"dd.mm.yyyy\""), "{plan}");
    assert!(
        plan.contains("a few values are no dates of this spelling"),
        "{plan}"
    );
    // Nothing is read before somebody said what they are.
    let refused = stderr(&run_expecting(folder, &["run", "plan.toml"], 2));
    assert!(
        refused.contains("x.csv:9:") && !refused.contains("unknown"),
        "{refused}"
    );
}

#[test]
fn days_that_stand_for_no_date_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let header = "admitted,ward";
    let filled = |odd: &'static str| {
        move |record: usize| {
            let day = if record % 50 == 3 {
                odd.to_owned()
            } else {
                format!("2020-{:02}-{:02}", 1 + record % 12, 1 + record % 28)
            };
            format!("{day},{}", record % 4)
        }
    };
    let told = "its first or last day lies far from all others";
    for odd in ["1900-01-01", "9999-12-31"] {
        write(folder, "x.csv", header, 300, filled(odd));
        let plan = first_plan(folder, "x.csv");
        assert!(plan.contains(told), "{odd}\n{plan}");
    }
    write(folder, "x.csv", header, 300, filled("2019-12-31"));
    assert!(!first_plan(folder, "x.csv").contains(told));
}

#[test]
fn amounts_with_a_sign_beside_them_are_called_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "x.csv", "cost;ward", 300, |record| {
        format!("{},{:02} €;{}", scattered(record), record % 100, record % 4)
    });
    let plan = first_plan(folder, "x.csv");
    assert!(
        plan.contains("its numbers have a sign or a unit beside them"),
        "{plan}"
    );
    assert!(plan.contains("take the sign out of the file"), "{plan}");
}

#[test]
fn conditions_on_dates_are_checked_before_data_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "x.csv", "born,pay", 60, |record| {
        format!("{},{}", date(record), scattered(record))
    });
    let plan = |condition: &str| {
        format!(
            "data = {{ file = \"x.csv\" }}\noutput = {{ file = \"y.csv\", release = \"ungated\" }}\n\n[variables]\n\
             born = {{ role = \"other\", date = \"dd.mm.yyyy\" }}\n\
             pay = {{ role = \"sensitive\", kind = \"continuous\" }}\n\n[[step]]\nmask = \"rank-swap\"\non = [\"pay\"]\n\
             window = 0.2\n\n[[measure]]\nuse = [\"il1s\"]\nwhere = \"{condition}\"\n"
        )
    };
    for (condition, message) in [
        (
            "born < 'long ago'",
            "`born` holds dates, and the condition compares it with something else",
        ),
        (
            "pay > 'much'",
            "`pay` is numeric and the condition compares it with a text",
        ),
    ] {
        fs::write(folder.join("plan.toml"), plan(condition)).unwrap();
        let refused = stderr(&run_expecting(folder, &["check", "plan.toml"], 2));
        assert!(refused.contains(message), "{condition}\n{refused}");
    }
    for condition in ["born < '1970-01-01'", "born < '01.01.1970'"] {
        fs::write(folder.join("plan.toml"), plan(condition)).unwrap();
        run_expecting(folder, &["check", "plan.toml"], 0);
        run_expecting(folder, &["run", "plan.toml", "--force"], 0);
    }
}

#[test]
fn codes_of_missing_answers_are_numbers_in_weights_and_households() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "x.csv", "hh,w,age", 240, |record| {
        format!(
            "{},{},{}",
            record / 2,
            90 + record % 12,
            if record % 40 == 0 {
                99
            } else {
                20 + record % 9
            }
        )
    });
    let plan = "data = { file = \"x.csv\", missing = [\"99\"] }\n\n[variables]\nhh = { role = \"household\" }\n\
                w = { role = \"weight\" }\nage = { role = \"key\", kind = \"ordered\" }\n\n[[scenario]]\n\
                name = \"all\"\nkeys = [\"age\"]\n\n[[measure]]\nuse = [\"k-anonymity\", \"individual-risk\"]\n\n[[gate]]\n\
                measure = \"k-anonymity\"\nat_least = 2\n\n[output]\nfile = \"y.csv\"\n";
    fs::write(folder.join("plan.toml"), plan).unwrap();
    // Household 99 and the weights of 99 are there; six ages are not.
    let found = json(&run_expecting(
        folder,
        &["risk", "--plan", "plan.toml", "--json"],
        0,
    ));
    let n_alone = found["uniques"].as_f64();
    assert!(n_alone.is_some_and(|n_alone| n_alone < 0.5), "{found}");
}

#[test]
fn a_comparison_says_what_it_took_for_no_number() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "x.csv", "zip,seen,pay", 80, |record| {
        format!(
            "{},0{}/0{}/2020,{}",
            10_000 + record,
            1 + record % 9,
            1 + record % 7,
            scattered(record)
        )
    });
    let mask = [
        "mask",
        "rank-swap",
        "x.csv",
        "--on",
        "pay",
        "--window",
        "0.2",
        "--seed",
        "3",
        "-o",
        "y.csv",
    ];
    run_expecting(folder, &mask, 0);
    let shown = stdout(&run_expecting(folder, &["compare", "x.csv", "y.csv"], 0));
    assert!(shown.contains("compared on pay\n"), "{shown}");
    assert!(shown.contains("not compared as numbers: zip ("), "{shown}");
    assert!(shown.contains("seen ("), "{shown}");
    let found = json(&run_expecting(
        folder,
        &["compare", "x.csv", "y.csv", "--json"],
        0,
    ));
    let left = found["not_numbers"].as_array().unwrap();
    let names: Vec<&str> = left
        .iter()
        .map(|one| one["variable"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["zip", "seen"]);
}

#[test]
fn a_comparison_of_dates_does_not_begin_with_a_loss_relative_to_1970() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "x.csv", "id,born", 80, |record| {
        format!("{record},{}", date(record))
    });
    let mask = [
        "mask",
        "rank-swap",
        "x.csv",
        "--on",
        "born",
        "--window",
        "0.2",
        "--seed",
        "3",
        "-o",
        "y.csv",
    ];
    run_expecting(folder, &mask, 0);
    let shown = stdout(&run_expecting(folder, &["compare", "x.csv", "y.csv"], 0));
    let summary: String = shown.lines().take(10).collect();
    assert!(
        summary.contains("il1s") && !summary.contains("il1 "),
        "{shown}"
    );
    assert!(
        shown.contains("dates are counted in days from 1 January 1970"),
        "{shown}"
    );
}

#[test]
fn a_comparison_by_plan_knows_which_keys_the_plan_perturbs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "x.csv", "age,pay", 80, |record| {
        format!("{},{}", record % 20, scattered(record))
    });
    let plan = "data = { file = \"x.csv\" }\noutput = { file = \"y.csv\", release = \"ungated\", shuffle = true }\n\n\
                [variables]\nage = { role = \"key\", kind = \"continuous\" }\n\
                pay = { role = \"sensitive\", kind = \"continuous\" }\n\n[[scenario]]\nname = \"all\"\nkeys = [\"age\"]\n\n\
                [[step]]\nmask = \"rank-swap\"\non = [\"age\"]\nwindow = 0.3\n\n\
                [[step]]\nmask = \"rank-swap\"\non = [\"pay\"]\nwindow = 0.3\n";
    fs::write(folder.join("plan.toml"), plan).unwrap();
    run_expecting(folder, &["run", "plan.toml", "--seed", "3"], 0);
    // No variable is left by which rows could be seen to correspond, so that only the plan tells.
    let compared = ["compare", "--plan", "plan.toml"];
    let shown = stdout(&run_expecting(folder, &compared, 0));
    assert!(
        shown.contains("nothing shows that rows correspond"),
        "{shown}"
    );
    assert!(shown.contains("not meaningful"), "{shown}");
}

#[test]
fn totals_of_another_unit_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "x.csv", "sex,w", 100, |record| {
        format!("{},50", record % 2)
    });
    for (totals, is_told) in [
        ("margin,target\nsex=0,48\nsex=1,52\n", true),
        ("margin,target\nsex=0,2400\nsex=1,2600\n", false),
    ] {
        fs::write(folder.join("totals.csv"), totals).unwrap();
        let calibrate = [
            "calibrate",
            "x.csv",
            "--weight",
            "w",
            "--totals",
            "totals.csv",
            "-o",
            "y.csv",
            "--force",
        ];
        let output = run_expecting(folder, &calibrate, 0);
        let told = stdout(&output) + &stderr(&output);
        assert_eq!(told.contains("W-CAL-SCALE"), is_told, "{told}");
    }
}

#[test]
fn risk_says_what_it_needs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "x.csv", "age", 8, |record| record.to_string());
    let refused = stderr(&run_expecting(folder, &["risk"], 2));
    assert!(
        refused.contains("bauta risk FILE --keys NAMES"),
        "{refused}"
    );
    let refused = stderr(&run_expecting(folder, &["risk", "x.csv"], 2));
    assert!(
        refused.contains("nothing says what an intruder is assumed to know"),
        "{refused}"
    );
}

#[test]
fn numbers_of_cases_and_names_of_doctors_do_not_go_out() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let doctors = ["Dr. Meier", "Dr. Roth", "Dr. Wolf", "Dr. Kern"];
    write(
        folder,
        "x.csv",
        "Fallnummer,Arzt,Hauptdiagnose",
        400,
        |record| {
            let case = 20_230_000 + record / 2;
            format!("{case},{},I{:02}", doctors[record % 4], record % 30)
        },
    );
    let found = json(&run_expecting(folder, &["inspect", "x.csv", "--json"], 0));
    let role = |at: usize| {
        found["profile"]["columns"][at]["proposal"]["role"]
            .as_str()
            .unwrap()
    };
    assert_eq!(
        [role(0), role(1), role(2)],
        ["identifier", "identifier", "sensitive"],
        "{found}"
    );
}

#[test]
fn codes_among_amounts_are_seen_by_how_many_have_them() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let header = "income,region";
    let told = "look at income";
    // 20 of 400 have 9999, while incomes from 0 to 19,944 have one record each.
    write(folder, "x.csv", header, 400, |record| {
        let income = if record % 20 == 7 {
            9999
        } else {
            2 * scattered(record)
        };
        format!("{income},{}", record % 4)
    });
    let shown = stdout(&run_expecting(folder, &["inspect", "x.csv"], 0));
    assert!(shown.contains(told), "{shown}");
    write(folder, "x.csv", header, 400, |record| {
        format!("{},{}", 2 * scattered(record), record % 4)
    });
    let shown = stdout(&run_expecting(folder, &["inspect", "x.csv"], 0));
    assert!(!shown.contains(told), "{shown}");
}

/// A plan that releases a file of ages and answers as it is.
const AS_IT_IS: &str = "data = { file = \"x.csv\", missing = [\"8\", \"9\"] }\n\n[variables]\n\
    age = { role = \"key\", kind = \"ordered\" }\nhappy = { role = \"sensitive\", kind = \"ordered\" }\n\
    w = { role = \"weight\" }\n\n[[scenario]]\nname = \"all\"\nkeys = [\"age\"]\n\n[[measure]]\n\
    use = [\"k-anonymity\"]\n\n[[gate]]\nmeasure = \"k-anonymity\"\nat_least = 2\n\n[output]\nfile = \"y.csv\"\n";

#[test]
fn a_run_tells_of_codes_among_values_and_of_weights_of_single_records() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // Eight and nine years are ages; nobody answers 10, so that 8 and 9 end the answers.
    write(folder, "x.csv", "age,happy,w", 300, |record| {
        format!(
            "{},{},{}.5",
            5 + record % 8,
            1 + record % 9,
            100 + scattered(record)
        )
    });
    fs::write(folder.join("plan.toml"), AS_IT_IS).unwrap();
    let shown = stdout(&run_expecting(folder, &["run", "plan.toml"], 0));
    let codes = "look at: numbers that [data] calls missing and that lie among the other values of age (75 cells)";
    assert!(!shown.contains(codes), "8 has no neighbour 9 left: {shown}");
    assert!(
        shown.contains("w (weights that many records have to themselves"),
        "{shown}"
    );
    let plan = AS_IT_IS.replace("[\"8\", \"9\"]", "[\"8\"]");
    fs::write(folder.join("plan.toml"), plan).unwrap();
    let shown = stdout(&run_expecting(folder, &["run", "plan.toml"], 0));
    assert!(
        shown.contains("lie among the other values of age (38 cells)"),
        "{shown}"
    );
}

#[test]
fn a_file_of_an_earlier_run_is_not_taken_for_the_one_that_was_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "x.csv", "age,happy,w", 300, |record| {
        format!("{},{},50", 20 + record % 8, 1 + record % 5)
    });
    fs::write(folder.join("plan.toml"), AS_IT_IS).unwrap();
    run_expecting(folder, &["run", "plan.toml"], 0);
    let risk = stdout(&run_expecting(folder, &["risk", "--plan", "plan.toml"], 0));
    assert!(
        risk.starts_with("This is the original, before the steps of the plan.\n"),
        "{risk}"
    );
    assert!(
        risk.contains("bauta risk ./y.csv --plan plan.toml"),
        "{risk}"
    );
    fs::write(
        folder.join("plan.toml"),
        AS_IT_IS.replace("at_least = 2", "at_least = 200"),
    )
    .unwrap();
    let shown = stdout(&run_expecting(folder, &["run", "plan.toml"], 1));
    assert!(
        shown.contains("left:     y.csv is there from an earlier run"),
        "{shown}"
    );
}

#[test]
fn plans_say_what_cannot_be_before_data_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "x.csv", "age,happy,w", 60, |record| {
        format!("{},{},50", 20 + record % 8, 1 + record % 5)
    });
    let not_nested = AS_IT_IS.replace(
        "kind = \"ordered\" }\nhappy",
        "kind = \"ordered\", hierarchy = { intervals = [[22, 25], [24]] } }\nhappy",
    );
    let as_mask = AS_IT_IS.replace(
        "[[measure]]",
        "[[step]]\nmask = \"calibrate\"\n\n[[measure]]",
    );
    let of_windows = AS_IT_IS.replace("\"x.csv\"", "\"C:\\Users\\me\\x.csv\"");
    for (plan, told) in [
        (not_nested, "breaks that level 1 has not"),
        (as_mask, "write adjust = \"calibrate\""),
        (of_windows, "write paths in single quotes, or with /"),
    ] {
        fs::write(folder.join("plan.toml"), plan).unwrap();
        let refused = stderr(&run_expecting(folder, &["check", "plan.toml"], 2));
        assert!(refused.contains(told), "{told}\n{refused}");
    }
}

#[test]
fn totals_that_fit_no_category_have_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "x.csv", "region,turnover,w", 100, |record| {
        let region = if record % 2 == 0 { "North" } else { "South" };
        format!("{region},{},50", scattered(record))
    });
    let calibrate = [
        "calibrate",
        "x.csv",
        "--weight",
        "w",
        "--totals",
        "totals.csv",
        "-o",
        "y.csv",
    ];
    for (totals, told) in [
        (
            "margin,target\nregion=Noth,2400\nregion=South,2600\n",
            "did you mean `North`?",
        ),
        ("margin,target\nturnover,90000\n", "--continuous turnover"),
    ] {
        fs::write(folder.join("totals.csv"), totals).unwrap();
        let refused = stderr(&run_expecting(folder, &calibrate, 2));
        assert!(refused.contains(told), "{told}\n{refused}");
    }
}

#[test]
fn a_search_does_not_write_a_plan_that_loses_more_than_the_one_it_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // Recoding loses least by the lattice, which takes whoever stands out for deleted, where all ages are one; but the
    // plan blanks single ages, and half of the records keep theirs.
    write(folder, "x.csv", "age,sex,region,school", 600, |record| {
        let s = scattered(record);
        let age = if s.is_multiple_of(4) {
            s % 60
        } else {
            30 + s % 2
        };
        format!("{age},{},{},{}", s / 7 % 2, s / 11 % 5, s / 13 % 5)
    });
    let plan = "data = { file = \"x.csv\" }\noutput = { file = \"y.csv\" }\n\n[variables]\n\
        age = { role = \"key\", kind = \"ordered\", hierarchy = { intervals = [[15, 45]] } }\n\
        sex = { role = \"key\" }\nregion = { role = \"key\" }\nschool = { role = \"key\" }\n\n[[scenario]]\n\
        name = \"all\"\nkeys = [\"age\", \"sex\", \"region\", \"school\"]\n\n[[step]]\nmask = \"suppress-local\"\n\
        k = 3\n\n[[measure]]\nuse = [\"k-anonymity\", \"file-loss\"]\n\n[[gate]]\nmeasure = \"k-anonymity\"\n\
        at_least = 3\n";
    fs::write(folder.join("plan.toml"), plan).unwrap();
    let shown = stdout(&run_expecting(folder, &["tune", "plan.toml"], 0));
    for told in [
        "the best: age 2 (one value is left of age)",
        "as the plan has it\n",
        "the plan as it is: it holds every condition, and the file as a whole loses less by it",
    ] {
        assert!(shown.contains(told), "{told}\n{shown}");
    }
    let tuned = fs::read_to_string(folder.join("plan.tuned.toml")).unwrap();
    assert!(!tuned.contains("recode"), "{shown}\n{tuned}");
}

#[test]
fn a_household_with_the_number_of_a_code_is_a_household_to_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // Household 99 has one member, all others have 15.
    write(folder, "x.csv", "hh,sex", 91, |record| {
        let household = if record == 90 { 99 } else { record / 15 };
        format!("{household},{}", 1)
    });
    let plan = "data = { file = \"x.csv\", missing = [\"99\"] }\noutput = { file = \"y.csv\", release = \"ungated\" }\n\n\
        [variables]\nhh = { role = \"household\" }\nsex = { role = \"key\" }\n\n[[scenario]]\nname = \"all\"\n\
        keys = [\"hh\", \"sex\"]\n\n[[measure]]\nuse = [\"k-anonymity\"]\n";
    fs::write(folder.join("plan.toml"), plan).unwrap();
    let ran = json(&run_expecting(folder, &["run", "plan.toml", "--json"], 0));
    let k = ran["measures"][0]["value"].as_f64();
    let risk = ["risk", "--plan", "plan.toml", "--json"];
    let risk = json(&run_expecting(folder, &risk, 0));
    assert_eq!(
        k.map(f64::to_bits),
        risk["smallest_class"].as_f64().map(f64::to_bits),
        "{ran}\n{risk}"
    );
    assert!(k.is_some_and(|k| k < 1.5), "{ran}");
}

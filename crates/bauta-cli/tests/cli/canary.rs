//! Cell values of confidential columns never show: not in reports, logs or errors. Values of keys
//! show in the run record and the internal report, which list the riskiest records, and nowhere else.

use std::path::Path;

use crate::support::{run, stderr, stdout};

const NUMBER: &str = "987654321";
const WORD: &str = "canary-zeta";

/// Planted in a key of one record, which is thereby the riskiest of the file.
const KEY: &str = "canary-omega";
const KEY_NUMBER: &str = "864208642";

/// Planted in every record: the mean of equal values is one of them.
const TIED: &str = "135797531";

/// Two hundred records with a planted number and a planted word in sensitive columns.
fn data() -> String {
    let mut rows = String::from("id,sex,age,town,year,income,diagnosis,w,fee\n");
    for i in 0..200 {
        let income = if i == 77 {
            NUMBER.to_owned()
        } else {
            (1000 + i * 37 % 900).to_string()
        };
        let diagnosis = if i == 33 {
            WORD
        } else {
            ["flu", "cold", "none"][i % 3]
        };
        let (town, year) = match i {
            51 => (KEY, KEY_NUMBER),
            _ => ("ashby", "1980"),
        };
        rows.push_str(&format!(
            "{i},{},{},{town},{year},{income},{diagnosis},{},{TIED}\n",
            ["f", "m"][i % 2],
            20 + i % 5,
            10 + i % 7
        ));
    }
    rows
}

const PLAN: &str = r#"[plan]
title = "Canary"
seed = 5
[data]
file = "x.csv"
[variables]
id = { role = "identifier" }
sex = { role = "key" }
age = { role = "key", kind = "ordered" }
town = { role = "key", kind = "hierarchical", hierarchy = "prefix" }
year = { role = "key", kind = "ordered", hierarchy = { intervals = [[1950, 2000]] } }
income = { role = "sensitive", kind = "continuous" }
diagnosis = { role = "sensitive" }
w = { role = "weight" }
fee = { role = "sensitive", kind = "continuous" }
STEPS
[output]
release = "ungated"
file = "out.csv"
report = "report.html"
external_report = "public.html"
"#;

/// What a user might type, well and badly: texts read as numbers, values that fit no interval, a
/// weight or an id that is none.
const COMMANDS: &str = "\
init x.csv -o proposed.toml
inspect x.csv
inspect x.csv --json
check plan.toml
run plan.toml
run plan.toml --json
verify out.record.json
report out.record.json --external
report out.record.json --external --json
risk x.csv --keys sex,age,diagnosis --weight w
risk x.csv --keys sex,town,year --weight w --household id --hierarchy town=prefix --hierarchy year=intervals:1950,2000
risk x.csv --keys sex,town,year --json --hierarchy town=prefix
risk x.csv --keys sex,town,year --hierarchy town=levels.csv
risk x.csv --keys sex,town,year --hierarchy town=intervals:1,2 --json
risk x.csv --keys sex,town,year,diagnosis --sensitive income
explain-record x.csv --keys sex,town,year,diagnosis --row 52 --weight w
explain-record x.csv --keys sex,town,year --row 52 --k 3 --json
explain-record x.csv --keys sex,town --row 52 --weight diagnosis
compare x.csv out.csv --by-variable --keys sex,diagnosis
mask noise-additive x.csv --on income --share 0.1 -o noisy.csv
mask noise-additive x.csv --on diagnosis --share 0.1 -o no.csv
mask recode x.csv --on diagnosis --breaks 1,2 -o no.csv
mask top-bottom x.csv --on diagnosis --top 3 -o no.csv
risk x.csv --keys sex --weight diagnosis
risk x.csv --keys sex --weight diagnosis --json
compare x.csv out.csv --on diagnosis
compare x.csv out.csv --id diagnosis";

/// No value of a key and none of a confidential variable.
fn assert_silent(text: &str, place: &str) {
    for canary in [
        KEY,
        KEY_NUMBER,
        "864\u{202f}208\u{202f}642",
        "864,208,642",
        "8.6420",
    ] {
        assert!(!text.contains(canary), "{place} shows `{canary}`");
    }
    assert_not_confidential(text, place);
}

/// No value of a confidential variable.
fn assert_not_confidential(text: &str, place: &str) {
    for canary in [
        NUMBER,
        WORD,
        TIED,
        "135\u{202f}797\u{202f}531",
        "135\u{2009}797\u{2009}531",
        "135,797,531",
        "987 654 321",
        "987\u{2009}654\u{2009}321",
        "987,654,321",
        "9.8765",
        "9.87654",
    ] {
        assert!(!text.contains(canary), "{place} shows `{canary}`");
    }
}

fn run_silently(folder: &Path, arguments: &[&str]) {
    let output = run(folder, arguments);
    let place = format!("bauta {}", arguments.join(" "));
    assert_silent(&stdout(&output), &place);
    assert_silent(&stderr(&output), &place);
}

#[test]
fn no_report_record_table_or_error_shows_a_confidential_value() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("x.csv", &data());
    write("levels.csv", "ashby,a\nbexhill,b\n");
    let steps = "[[step]]\nmask = \"rank-swap\"\non = [\"income\"]\nwindow = 0.1\n\
        [[step]]\nmask = \"recode\"\non = [\"diagnosis\"]\nmap = { flu = \"cold\" }\n";
    write("plan.toml", &PLAN.replace("STEPS", steps));
    for line in COMMANDS.lines() {
        run_silently(folder.path(), &line.split_whitespace().collect::<Vec<_>>());
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    for name in ["public.html", "proposed.toml"] {
        assert!(!read(name).is_empty());
        assert_silent(&read(name), name);
    }
    // The committee is shown the riskiest keys, and nothing else of the data.
    for name in ["report.html", "out.record.json"] {
        assert_not_confidential(&read(name), name);
        assert!(
            read(name).contains(KEY) && read(name).contains(KEY_NUMBER),
            "{name}"
        );
    }
    let internal = run(folder.path(), &["report", "out.record.json"]);
    assert_not_confidential(&stdout(&internal), "bauta report");
    // The canaries are alive: the released file holds them, as it must.
    let released = std::fs::read_to_string(folder.path().join("out.csv")).unwrap();
    assert!(released.contains(NUMBER) && released.contains(WORD));
}

#[test]
fn damaged_files_do_not_show_their_content() {
    let folder = tempfile::tempdir().unwrap();
    let good = data();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("plan.toml", &PLAN.replace("STEPS", ""));
    for (what, bad) in [
        (
            "word for a number",
            good.replace(NUMBER, &format!("{NUMBER}x")),
        ),
        ("ragged row", good.replace(WORD, &format!("{WORD},{WORD}"))),
        ("open quote", good.replace(WORD, &format!("\"{WORD}"))),
        (
            "no weight",
            good.replace(&format!("{WORD},"), &format!("{WORD},{WORD}")),
        ),
        (
            "header as data",
            good.lines().skip(1).collect::<Vec<_>>().join("\n"),
        ),
    ] {
        write("x.csv", &bad);
        for arguments in [&["run", "plan.toml"][..], &["run", "plan.toml", "--json"]] {
            let output = run(folder.path(), arguments);
            assert_eq!(output.status.code(), Some(2), "{what}");
            assert_silent(&stdout(&output), what);
            assert_silent(&stderr(&output), what);
        }
    }
}

#[test]
fn the_external_report_has_no_seed_and_no_risk() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), data()).unwrap();
    let plan = PLAN
        .replace("STEPS", "")
        .replace("seed = 5", "seed = 424242424242");
    std::fs::write(folder.path().join("plan.toml"), plan).unwrap();
    assert_eq!(
        run(folder.path(), &["run", "plan.toml"]).status.code(),
        Some(0)
    );
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let (internal, external) = (read("report.html"), read("public.html"));
    let digits: String = internal.chars().filter(char::is_ascii_digit).collect();
    assert!(digits.contains("424242424242"));
    let digits: String = external.chars().filter(char::is_ascii_digit).collect();
    assert!(!digits.contains("424242424242"));
    for word in [
        "k-anonymity",
        "individual-risk",
        "expected_reidentifications",
        "uniques",
    ] {
        assert!(!external.contains(word), "{word}");
    }
    assert!(internal.contains("k-anonymity"));
}

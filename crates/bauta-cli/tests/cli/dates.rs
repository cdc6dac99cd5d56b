//! A file of a hospital: exact dates, Windows-1252, semicolons and decimal commas.

use std::fs;
use std::path::Path;

use crate::support::{json, run_expecting, stderr};

/// Names with letters that Latin-1 lacks, dates of birth day first, pay with a decimal comma.
fn hospital(folder: &Path) {
    let mut bytes = b"name;born;town;pay\r\n".to_vec();
    for record in 0..120_u32 {
        let (day, month, year) = (1 + record % 28, 1 + record % 12, 1950 + record % 8);
        bytes.extend(format!("Zoe{record} ").bytes());
        bytes.extend(b"\x96 \x80;");
        bytes.extend(format!("{day:02}/{month:02}/{year};").bytes());
        bytes.extend(if record % 2 == 0 {
            &b"K\xf6ln"[..]
        } else {
            &b"Bonn"[..]
        });
        bytes.extend(format!(";{},5\r\n", 1000 + 7 * record).bytes());
    }
    fs::write(folder.join("h.csv"), bytes).unwrap();
}

fn column(folder: &Path, file: &str, position: usize) -> Vec<String> {
    let bytes = fs::read(folder.join(file)).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let cell = |line: &str| line.split([';', ',']).nth(position).unwrap().to_owned();
    text.lines().skip(1).map(cell).collect()
}

#[test]
fn a_first_plan_states_encoding_and_dates_and_runs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    hospital(folder);
    let refused = run_expecting(folder, &["risk", "h.csv", "--keys", "born,town"], 2);
    assert!(stderr(&refused).contains("encoding = \"windows-1252\""));
    run_expecting(folder, &["init", "h.csv", "-o", "plan.toml"], 0);
    let plan = fs::read_to_string(folder.join("plan.toml")).unwrap();
    for said in [
        "encoding = \"windows-1252\"",
        "decimal = \",\"",
        "date = \"dd/mm/yyyy\"",
        "hierarchy = \"dates\"",
    ] {
        assert!(plan.contains(said), "{said}\n{plan}");
    }
    let proposed = "# [[step]]\n# mask = \"recode\"\n# on = [\"born\"]\n# level = 3\n";
    assert!(plan.contains(proposed), "{plan}");
    let plan = plan.replace(proposed, &proposed.replace("# ", ""));
    let gates = plan.find("\n[[gate]]").unwrap();
    let output = plan.find("[output]").unwrap();
    let plan = format!(
        "{}\n{}release = \"ungated\"\n",
        &plan[..gates],
        &plan[output..]
    );
    fs::write(folder.join("plan.toml"), plan).unwrap();
    run_expecting(folder, &["run", "plan.toml"], 0);
    let released = fs::read(folder.join("h-out.csv")).unwrap();
    assert!(
        !released.windows(2).any(|pair| pair == b"\xc3\xb6"),
        "not UTF-8"
    );
    assert!(released.windows(4).any(|word| word == b"K\xf6ln"));
    let text = String::from_utf8_lossy(&released);
    let mut born = text.lines().skip(1).map(|line| line.split(';').next());
    assert!(born.all(|year| year.is_some_and(|year| year.len() == 4 && year.starts_with("195"))));
}

#[test]
fn masks_write_dates_as_they_were_spelled() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(
        folder.join("x.csv"),
        "id,born\n1,13.4.1990\n2,1.2.1985\n3,28.12.2001\n4,5.6.1999\n5,30.1.1970\n",
    )
    .unwrap();
    let mask = |arguments: &[&str]| {
        let mut all = vec!["mask"];
        all.extend(arguments);
        all.extend(["-o", "y.csv", "--force", "--quiet"]);
        run_expecting(folder, &all, 0);
        column(folder, "y.csv", 1)
    };
    let original = column(folder, "x.csv", 1);
    let mut swapped = mask(&[
        "rank-swap",
        "x.csv",
        "--on",
        "born",
        "--window",
        "0.5",
        "--seed",
        "3",
    ]);
    assert_ne!(swapped, original);
    swapped.sort();
    let mut sorted = original.clone();
    sorted.sort();
    assert_eq!(swapped, sorted, "the same dates in other records");
    let topped = mask(&["top-bottom", "x.csv", "--on", "born", "--top", "1995-06-30"]);
    assert_eq!(
        topped,
        [
            "13.4.1990",
            "1.2.1985",
            "30.6.1995",
            "30.6.1995",
            "30.1.1970"
        ]
    );
    let noisy = mask(&[
        "noise-additive",
        "x.csv",
        "--on",
        "born",
        "--share",
        "0.1",
        "--seed",
        "3",
    ]);
    assert!(
        noisy
            .iter()
            .all(|text| text.split('.').count() == 3 && !text.starts_with('0'))
    );
    assert_ne!(noisy, original);
    let cut = mask(&["recode", "x.csv", "--on", "born", "--breaks", "1990-01-01"]);
    assert_eq!(cut[0], ">= 1.1.1990");
    assert_eq!(cut[1], "< 1.1.1990");
    let wrong = run_expecting(
        folder,
        &[
            "mask",
            "top-bottom",
            "x.csv",
            "--on",
            "born",
            "--top",
            "1995",
            "-o",
            "z.csv",
        ],
        2,
    );
    assert!(
        stderr(&wrong).contains("top = \"2020-12-31\""),
        "{}",
        stderr(&wrong)
    );
}

#[test]
fn a_date_that_could_be_two_is_asked_about_and_can_be_stated() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(
        folder.join("x.csv"),
        "born\n03/04/2020\n05/06/2019\n01/02/2018\n",
    )
    .unwrap();
    let arguments = [
        "mask",
        "rank-swap",
        "x.csv",
        "--on",
        "born",
        "--window",
        "1",
        "-o",
        "y.csv",
    ];
    let asked = run_expecting(folder, &arguments, 2);
    assert!(stderr(&asked).contains("dd/mm/yyyy") && stderr(&asked).contains("mm/dd/yyyy"));
    assert!(!stderr(&asked).contains("2018"));
    let mut stated = arguments.to_vec();
    stated.extend(["--dates", "born=mm/dd/yyyy", "--seed", "1"]);
    run_expecting(folder, &stated, 0);
    let plan = "[data]\nfile = \"x.csv\"\n[variables]\nborn = { role = \"key\", date = \"mm/dd/yy\" }\n[output]\nfile = \"z.csv\"\n";
    fs::write(folder.join("plan.toml"), plan).unwrap();
    let output = run_expecting(folder, &["check", "plan.toml", "--json"], 2);
    let errors = json(&output)["errors"].to_string();
    assert!(errors.contains("dd/mm/yy from 1930"), "{errors}");
}

#[test]
fn a_release_with_recoded_dates_is_read_by_plan_and_record() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    hospital(folder);
    let plan = "[data]\nfile = \"h.csv\"\nencoding = \"windows-1252\"\ndecimal = \",\"\n[variables]\n\
                name = { role = \"identifier\" }\n\
                born = { role = \"key\", date = \"dd/mm/yyyy\", hierarchy = { age_at = \"2026-01-01\" } }\n\
                town = { role = \"key\" }\npay = { role = \"sensitive\", kind = \"continuous\" }\n\
                [[step]]\nmask = \"drop-identifiers\"\n\
                [[step]]\nmask = \"recode\"\non = [\"born\"]\nlevel = 1\n\
                [[step]]\nmask = \"top-bottom\"\non = [\"pay\"]\ntop = 1500\n\
                [[step]]\nmask = \"recode\"\non = [\"born\"]\nbreaks = [70, 75]\n\
                [[measure]]\nuse = [\"k-anonymity\", \"file-loss\"]\n\
                [output]\nfile = \"out.csv\"\nrelease = \"ungated\"\nshuffle = true\n";
    fs::write(folder.join("plan.toml"), plan).unwrap();
    run_expecting(folder, &["run", "plan.toml"], 0);
    let born = column(folder, "out.csv", 0);
    assert!(
        born.iter()
            .all(|text| ["< 70", "[70", ">= 75"].contains(&text.as_str())),
        "{born:?}"
    );
    run_expecting(folder, &["risk", "out.csv", "--plan", "plan.toml"], 0);
    run_expecting(
        folder,
        &["risk", "out.csv", "--record", "out.record.json"],
        0,
    );
    run_expecting(folder, &["compare", "out.record.json"], 0);
}

#[test]
fn masked_dates_have_the_same_loss_in_a_run_and_in_a_comparison() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    hospital(folder);
    let plan = "[plan]\nseed = 7\n[data]\nfile = \"h.csv\"\nencoding = \"windows-1252\"\n[variables]\n\
                name = { role = \"identifier\" }\n\
                born = { role = \"sensitive\", date = \"dd/mm/yyyy\" }\n\
                [[step]]\nmask = \"rank-swap\"\non = [\"born\"]\nwindow = 0.2\n\
                [[measure]]\nuse = [\"il1s\"]\n\
                [output]\nfile = \"out.csv\"\nrelease = \"ungated\"\nshuffle = true\n";
    fs::write(folder.join("plan.toml"), plan).unwrap();
    let il1s = |found: &serde_json::Value| {
        let measures = found["measures"].as_array().unwrap();
        let one = measures.iter().find(|one| one["id"] == "il1s").unwrap();
        one["value"]
            .as_f64()
            .unwrap_or_else(|| one["after"]["value"].as_f64().unwrap())
    };
    let of_run = il1s(&json(&run_expecting(
        folder,
        &["run", "plan.toml", "--json"],
        0,
    )));
    let of_record = il1s(&json(&run_expecting(
        folder,
        &["compare", "out.record.json", "--on", "born", "--json"],
        0,
    )));
    assert!(
        of_run > 0.0 && (of_run - of_record).abs() < 1e-12,
        "{of_run} {of_record}"
    );
}

#[test]
fn a_first_line_of_data_is_not_taken_for_names() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(
        folder.join("x.csv"),
        "anna;09/05/1972;12,5\nbert;13/06/1980;9,25\n",
    )
    .unwrap();
    for command in ["inspect", "init"] {
        let output = run_expecting(folder, &[command, "x.csv"], 2);
        let told = stderr(&output);
        assert!(
            told.contains("looks like data") && !told.contains("anna") && !told.contains("1972"),
            "{told}"
        );
    }
}

//! Names of other tools: `bauta explain` finds what is ours, and the guide says what is so.

use bauta_plan::work::other_tools::{Ours, Tool, names};

use crate::support::{json, run_expecting, stderr, stdout};

fn explained(words: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [&["explain"], words].concat();
    stdout(&run_expecting(folder.path(), &arguments, 0))
}

#[test]
fn a_name_of_another_tool_leads_to_ours() {
    insta::assert_snapshot!("explain_localsupp", explained(&["localSupp"]));
    for words in [
        &["kAnon"][..],
        &["KANON"],
        &["sdcMicro::kAnon"],
        &["sdcmicro", "kanon"],
    ] {
        let text = explained(words);
        assert!(text.starts_with("kAnon (sdcMicro): "), "{text}");
        assert!(text.contains("`bauta explain suppress-local`"), "{text}");
        assert!(text.contains("\n  differs  "), "{text}");
    }
    let text = explained(&["CALMAR", "M=3"]);
    assert!(text.starts_with("M = 3 (CALMAR): "), "{text}");
    assert!(text.contains("calibrate, with method, lower and upper"));
    let text = explained(&["recordSwap(swaprate)"]);
    assert!(text.contains("  ours     nothing\n"), "{text}");
    assert!(text.contains("Read on: `bauta list`"), "{text}");
}

#[test]
fn one_word_of_several_tools_gives_them_all() {
    let text = explained(&["bounds"]);
    assert!(text.contains("(icarus): "), "{text}");
    assert!(text.contains("(survey): "), "{text}");
    assert!(text.contains("`bauta explain icarus`"), "{text}");
}

#[test]
fn our_own_ids_come_first() {
    for id in ["mdav", "k-anonymity", "calibrate"] {
        assert!(explained(&[id]).contains("\n## What it does\n"), "{id}");
    }
    let theirs = explained(&["ARX", "k-anonymity"]);
    assert!(theirs.starts_with("k-Anonymity (ARX): "), "{theirs}");
}

#[test]
fn a_tool_lists_its_names() {
    for tool in Tool::ALL {
        let text = explained(&[tool.name()]);
        assert!(text.starts_with(tool.name()), "{text}");
        // Long names are broken where the terminal ends.
        let unbroken: String = text.chars().filter(|sign| sign.is_alphanumeric()).collect();
        for name in tool.names().filter(|name| name.name.len() < 20) {
            let wanted: String = name
                .name
                .chars()
                .filter(|sign| sign.is_alphanumeric())
                .collect();
            assert!(unbroken.contains(&wanted), "{} is not listed", name.name);
        }
    }
}

#[test]
fn scripts_get_an_object() {
    let folder = tempfile::tempdir().unwrap();
    let found = json(&run_expecting(
        folder.path(),
        &["explain", "indivRisk", "--json"],
        0,
    ));
    assert_eq!(found["asked"], "indivRisk");
    let first = &found["theirs"][0];
    assert_eq!(first["tool"], "sdcMicro");
    assert_eq!(first["ours"][0]["method"], "individual-risk");
    assert_eq!(first["ours"][0]["read_on"], "bauta explain individual-risk");
    let tool = json(&run_expecting(
        folder.path(),
        &["explain", "mu-Argus", "--json"],
        0,
    ));
    assert_eq!(tool["tool"], "mu-Argus");
    let listed = tool["theirs"].as_array().unwrap().len();
    assert_eq!(listed, Tool::MuArgus.names().count());
}

#[test]
fn unknown_names_get_near_ones_of_ours_and_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let hint = |asked: &str| stderr(&run_expecting(folder.path(), &["explain", asked], 2));
    assert!(hint("rank-swp").contains("did you mean `rank-swap`?"));
    let theirs = hint("mesure_risk");
    assert!(
        theirs.contains("did you mean `measure_risk` of sdcMicro?"),
        "{theirs}"
    );
    assert!(hint("xyzzy").contains("there are: drop-identifiers"));
}

/// Methods and parameters are looked up in the registry by the library's own test; commands need the command line.
#[test]
fn commands_and_options_that_the_tables_name_exist() {
    let folder = tempfile::tempdir().unwrap();
    let mut seen: Vec<(&str, String)> = Vec::new();
    for ours in names().iter().flat_map(|name| &name.ours) {
        let Ours::Command(command) = ours else {
            continue;
        };
        let mut words = command.split(' ').skip(1);
        let name = words.next().unwrap();
        if !seen.iter().any(|(known, _)| *known == name) {
            let help = stdout(&run_expecting(folder.path(), &[name, "--help"], 0));
            seen.push((name, help));
        }
        let (_, help) = seen.iter().find(|(known, _)| *known == name).unwrap();
        for option in words {
            // Parameters are listed as plans spell them; hyphens do as well.
            let spelled = format!("--{}", option[2..].replace('-', "_"));
            let known = help.contains(option) || help.contains(&spelled);
            assert!(known, "`{command}`: no {option}");
        }
    }
    assert!(seen.len() > 8, "{} commands", seen.len());
}

/// The nine records of the guide; the figures of others are those of R (survey 4.1-1, sampling 2.9) and of
/// Bergeat (2015).
#[test]
fn the_nine_records_come_out_as_the_guide_says() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let page = include_str!("../../../../docs/guide/coming-from.md");
    let (_, rest) = page
        .split_once("<!-- writes: nine.csv -->\n```text\n")
        .unwrap();
    let (nine, _) = rest.split_once("```").unwrap();
    std::fs::write(at.join("nine.csv"), nine).unwrap();
    let run = |command: &str| {
        let words: Vec<&str> = command.split(' ').collect();
        stderr(&run_expecting(at, &words, 0))
    };
    let column = |file: &str, column: usize| -> Vec<String> {
        let text = std::fs::read_to_string(at.join(file)).unwrap();
        let rows = text.lines().skip(1);
        rows.map(|row| row.split(',').nth(column).unwrap().to_owned())
            .collect()
    };
    // Figure 2: the age of records 3, 6 and 9, and nothing else.
    let figure_2 = ["-24", "-24", "", "+50", "+50", "", "25-49", "25-49", ""];
    let suppress = "mask suppress-local nine.csv --on sex,age --k 2 --costs sex=2,age=1";
    let said = run(&format!("{suppress} -o blanked.csv"));
    assert!(said.contains("cost 3, the least possible"), "{said}");
    assert!(
        said.contains("the blanks of 1 records can be worked out"),
        "{said}"
    );
    assert_eq!(column("blanked.csv", 2), figure_2);
    run(&format!("{suppress} --search mu-argus -o argus.csv"));
    assert_eq!(column("argus.csv", 2), figure_2);
    let said = run(&format!("{suppress} --semantics own -o own.csv"));
    assert!(said.contains("age: 5 cells were suppressed"), "{said}");
    // weights(calibrate(design, ~sex + age, totals, calfun = "raking")), and calib(..., q = 1/d).
    let calibrate = "calibrate nine.csv --keys sex,age --k 2 --weight weight --margins sex,age";
    let raking = [1320.0, 1980.0, 1628.0, 2072.0, 5500.0 / 3.0, 9500.0 / 3.0];
    let figure_3 = [1400.0, 1900.0, 1700.0, 2000.0, 2100.0, 2900.0];
    for (options, expected) in [
        ("", raking),
        (" --method linear", raking),
        (" --q euclidean", figure_3),
    ] {
        run(&format!("{calibrate}{options} -o weighed.csv --force"));
        for (weight, expected) in column("weighed.csv", 3).iter().zip(expected) {
            let weight: f64 = weight.parse().unwrap();
            assert!((weight - expected).abs() < 1e-8, "{options}: {weight}");
        }
    }
    let logit = format!("{calibrate} --method logit --lower 0.5 --upper 1.05 -o bounded.csv");
    let words: Vec<&str> = logit.split(' ').collect();
    let said = stderr(&run_expecting(at, &words, 2));
    assert!(said.contains("the smallest U is 1.11111"), "{said}");
}

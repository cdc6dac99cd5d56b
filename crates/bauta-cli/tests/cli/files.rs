use crate::support::{json, names, run_expecting, stderr};

#[test]
fn bad_files_give_one_error_that_lists_the_problems() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("ragged.csv", b"a,b\n1,2\n3\n4,5,6\n");
    write("twice.csv", b"a,a\n1,2\n");
    write("empty.csv", b"");
    write("latin.csv", b"a,b\ncaf\xe9,2\n");
    std::fs::create_dir(folder.path().join("folder.csv")).unwrap();
    let problems = |file: &str| {
        let output = run_expecting(folder.path(), &["risk", file, "--keys", "a", "--json"], 2);
        json(&output)["errors"].as_array().unwrap().clone()
    };
    let ragged = problems("ragged.csv");
    assert_eq!(
        ragged
            .iter()
            .map(|error| error["line"].as_u64())
            .collect::<Vec<_>>(),
        [Some(3), Some(4)]
    );
    assert_eq!(problems("twice.csv").len(), 1);
    assert_eq!(problems("empty.csv").len(), 1);
    assert_eq!(problems("latin.csv")[0]["variable"], "a");
    assert!(
        problems("latin.csv")[0]["hint"]
            .as_str()
            .unwrap()
            .contains("windows-1252")
    );
    assert_eq!(problems("folder.csv")[0]["kind"], "io");
    assert_eq!(problems("absent.csv")[0]["kind"], "io");
}

#[test]
fn untouched_columns_keep_their_text_and_touched_ones_their_decimals() {
    let folder = tempfile::tempdir().unwrap();
    let source = "zip,price,x\r\n007,1.50,3\r\n08,2.00,1\r\n\"a\nb\",2.50,2\r\n";
    std::fs::write(folder.path().join("x.csv"), source).unwrap();
    run_expecting(
        folder.path(),
        &[
            "mask",
            "rank-swap",
            "x.csv",
            "--on",
            "x",
            "--window",
            "0",
            "-o",
            "y.csv",
            "--quiet",
        ],
        0,
    );
    assert_eq!(
        std::fs::read_to_string(folder.path().join("y.csv")).unwrap(),
        source
    );
    run_expecting(
        folder.path(),
        &[
            "mask",
            "rank-swap",
            "x.csv",
            "--on",
            "price",
            "--window",
            "1",
            "--seed",
            "3",
            "-o",
            "z.csv",
        ],
        0,
    );
    let swapped = std::fs::read_to_string(folder.path().join("z.csv")).unwrap();
    for price in ["1.50", "2.00", "2.50"] {
        assert_eq!(swapped.matches(price).count(), 1, "{swapped}");
    }
    assert!(swapped.contains("007,"));
}

#[test]
fn csv_goes_to_parquet_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let source = "zip,x\n007,1\n08,2\n009,3\n";
    std::fs::write(folder.path().join("x.csv"), source).unwrap();
    let mask = |from: &str, to: &str| {
        run_expecting(
            folder.path(),
            &[
                "mask",
                "recode",
                from,
                "--on",
                "zip",
                "--map",
                "none=none",
                "-o",
                to,
            ],
            0,
        );
    };
    mask("x.csv", "x.parquet");
    mask("x.parquet", "back.csv");
    assert_eq!(
        std::fs::read_to_string(folder.path().join("back.csv")).unwrap(),
        source
    );
}

#[test]
fn a_number_that_does_not_parse_names_its_line_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), "income\n1\nsecret-value\n3\n").unwrap();
    let plan = "[data]\nfile = \"x.csv\"\n[variables]\nincome = { role = \"sensitive\", kind = \"continuous\" }\n\
        [output]\nrelease = \"ungated\"\nfile = \"out.csv\"\n";
    std::fs::write(folder.path().join("plan.toml"), plan).unwrap();
    let words = stderr(&run_expecting(folder.path(), &["run", "plan.toml"], 2));
    assert!(
        words.contains("x.csv:3") && words.contains("income"),
        "{words}"
    );
    assert!(!words.contains("secret-value"), "{words}");
    assert_eq!(names(folder.path()), ["plan.toml", "x.csv"]);
}

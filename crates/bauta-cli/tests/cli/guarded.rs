//! Nothing that is read, and nothing that Bauta did not write, is replaced by any command.

use std::path::Path;

use crate::support::{bauta, names, run, run_expecting, stderr};

const PRECIOUS: &str = "a,b\n1,2\n3,4\n";

/// A mask of the file, without its output.
const MASK: [&str; 7] = [
    "mask",
    "rank-swap",
    "x.csv",
    "--on",
    "number",
    "--window",
    "0.2",
];

/// Runs a command that must refuse, leave everything as it is, and name the file in the way.
fn refuses(folder: &Path, arguments: &[&str], in_the_way: &str) {
    let before = content(folder);
    let output = run_expecting(folder, arguments, 2);
    assert!(stderr(&output).contains(in_the_way), "{}", stderr(&output));
    assert_eq!(before, content(folder), "{arguments:?}");
}

fn content(folder: &Path) -> Vec<(String, Option<Vec<u8>>)> {
    let read = |name: String| {
        let is_file = folder.join(&name).symlink_metadata().unwrap().is_file();
        let bytes = is_file.then(|| std::fs::read(folder.join(&name)).unwrap());
        (name, bytes)
    };
    names(folder).into_iter().map(read).collect()
}

/// A survey, a plan and a record of it; an output of every command is in the way.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..40)
        .map(|i| format!("{},{},1\n", i % 4, i * 7 % 40))
        .collect();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("x.csv", &format!("key,number,w\n{rows}"));
    write("levels.csv", "key,level\n0,a\n1,a\n2,b\n3,b\n");
    write("totals.csv", "margin,total\n1,40\n");
    write(
        "plan.toml",
        "[data]\nfile = \"x.csv\"\n[variables]\nkey = { role = \"key\", kind = \"hierarchical\", hierarchy = { file = \"levels.csv\" } }\n\
         [output]\nrelease = \"ungated\"\nfile = \"out.csv\"\nreport = \"report.html\"\n",
    );
    run_expecting(folder.path(), &["run", "plan.toml"], 0);
    write("precious.csv", PRECIOUS);
    folder
}

#[test]
fn no_command_replaces_a_file_that_bauta_did_not_write() {
    let folder = folder();
    let folder = folder.path();
    let calibrate = ["calibrate", "x.csv", "--weight", "w", "--margins", "key"];
    let with_output = |command: &[&'static str]| [command, &["-o", "precious.csv"]].concat();
    let commands: [Vec<&str>; 6] = [
        with_output(&MASK),
        with_output(&calibrate),
        with_output(&["init", "x.csv"]),
        with_output(&["report", "out.record.json"]),
        vec![
            "risk",
            "x.csv",
            "--keys",
            "key",
            "--per-record",
            "precious.csv",
        ],
        [&MASK[..], &["-o", "m.csv", "--record", "precious.csv"]].concat(),
    ];
    for command in &commands {
        refuses(folder, command, "precious.csv");
    }
    // A plan's outputs, each of them.
    for output in ["file", "report", "record", "external_report"] {
        let text = std::fs::read_to_string(folder.join("plan.toml")).unwrap();
        let outputs = match output {
            "file" => "[output]\nrelease = \"ungated\"\nfile = \"precious.csv\"\n".to_owned(),
            other => format!(
                "[output]\nrelease = \"ungated\"\nfile = \"new.csv\"\n{other} = \"precious.csv\"\n"
            ),
        };
        let text = text.split("[output]").next().unwrap().to_owned() + &outputs;
        std::fs::write(folder.join("other.toml"), text).unwrap();
        refuses(folder, &["run", "other.toml"], "precious.csv");
    }
    // By force they do, and can then be repeated: the file is ours from then on.
    for command in &commands {
        std::fs::write(folder.join("precious.csv"), PRECIOUS).unwrap();
        run_expecting(folder, &[&command[..], &["--force"]].concat(), 0);
        run_expecting(folder, command, 0);
    }
}

#[test]
fn no_command_replaces_what_it_reads_even_by_force() {
    let folder = folder();
    let folder = folder.path();
    let margins = ["calibrate", "x.csv", "--weight", "w"];
    let totals = ["--totals", "totals.csv"];
    let levels = ["--hierarchy", "key=levels.csv"];
    let risk = ["risk", "x.csv", "--keys", "key"];
    let commands: [Vec<&str>; 9] = [
        [&MASK[..], &["-o", "./x.csv"]].concat(),
        [&MASK[..], &["-o", "m.csv", "--record", "x.csv"]].concat(),
        [&margins[..], &["--margins", "key", "-o", "x.csv"]].concat(),
        [&margins[..], &totals, &["-o", "totals.csv"]].concat(),
        [&risk[..], &["--per-record", "x.csv"]].concat(),
        [&risk[..], &levels, &["--per-record", "levels.csv"]].concat(),
        vec!["init", "x.csv", "-o", "x.csv"],
        vec!["report", "out.record.json", "-o", "out.record.json"],
        vec!["report", "out.record.json", "-o", "x.csv"],
    ];
    for command in &commands {
        for force in [&[][..], &["--force"]] {
            let in_the_way = command.last().unwrap();
            refuses(folder, &[&command[..], force].concat(), in_the_way);
        }
    }
    // What a record names is read by its report: the data, the plan, the levels, the release.
    for named in ["x.csv", "plan.toml", "levels.csv", "out.csv"] {
        let command = ["report", "out.record.json", "-o", named, "--force"];
        refuses(folder, &command, named);
    }
    std::fs::copy(folder.join("x.csv"), folder.join("measures.csv")).unwrap();
    let plan = std::fs::read_to_string(folder.join("plan.toml")).unwrap();
    let plan = plan
        .replace("x.csv", "measures.csv")
        .replace("out.csv", "second.csv");
    std::fs::write(
        folder.join("second.toml"),
        plan.replace("report.html", "second.html"),
    )
    .unwrap();
    run_expecting(folder, &["run", "second.toml"], 0);
    let tables = ["report", "second.record.json", "--tables", ".", "--force"];
    refuses(folder, &tables, "measures.csv");
}

#[test]
fn the_demonstration_takes_no_place_that_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("survey.csv"), PRECIOUS).unwrap();
    refuses(folder.path(), &["demo", "."], "survey.csv");
    run_expecting(folder.path(), &["demo", ".", "--force"], 0);
    run_expecting(folder.path(), &["demo", "."], 0);
}

#[cfg(unix)]
#[test]
fn links_pipes_and_devices_stay_what_they_are() {
    let folder = folder();
    let folder = folder.path();
    std::os::unix::fs::symlink("precious.csv", folder.join("link.csv")).unwrap();
    std::os::unix::fs::symlink("/dev/null", folder.join("null.csv")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(folder.join("pipe.csv"))
        .status();
    let targets = match made {
        Ok(status) if status.success() => &["link.csv", "null.csv", "pipe.csv"][..],
        _ => &["link.csv", "null.csv"],
    };
    for target in targets {
        for force in [&[][..], &["--force"]] {
            refuses(
                folder,
                &[&MASK[..], &["-o", target], force].concat(),
                target,
            );
            let text = format!(
                "[data]\nfile = \"x.csv\"\n[output]\nrelease = \"ungated\"\nfile = \"{target}\"\n"
            );
            std::fs::write(folder.join("other.toml"), text).unwrap();
            refuses(
                folder,
                &[&["run", "other.toml"][..], force].concat(),
                "not replaced",
            );
        }
    }
    let device = run(folder, &["report", "out.record.json", "-o", "/dev/null"]);
    assert_eq!(device.status.code(), Some(2));
}

#[test]
fn commands_in_one_folder_do_not_disturb_each_other() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), "a\n1\n2\n3\n4\n5\n").unwrap();
    for round in 0..3 {
        let children: Vec<_> = (0..8)
            .map(|n| {
                let output = format!("{n}.csv");
                let mut command = bauta(folder.path());
                command.args(["mask", "round", "x.csv", "--on", "a", "--base", "2", "-o"]);
                command.args([&output]).stderr(std::process::Stdio::piped());
                command
                    .stdout(std::process::Stdio::piped())
                    .spawn()
                    .unwrap()
            })
            .collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "round {round}: {said}");
            assert!(!said.contains("cut off"), "round {round}: {said}");
        }
    }
}

/// Several people write to one folder; only root can try to be somebody else.
#[cfg(unix)]
#[test]
fn a_folder_that_somebody_else_wrote_to_first_takes_our_files_too() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::os::unix::process::CommandExt as _;

    const SOMEBODY: u32 = 12_345;
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    if std::fs::metadata(here).unwrap().uid() != 0 {
        println!("not run: only root can work as somebody else");
        return;
    }
    let shared = |mode| std::fs::set_permissions(here, std::fs::Permissions::from_mode(mode));
    std::fs::write(here.join("x.csv"), "a\n1\n2\n3\n4\n5\n").unwrap();
    for mode in [0o1777, 0o777] {
        shared(mode).unwrap();
        for (n, user) in [0, SOMEBODY, 0, SOMEBODY].into_iter().enumerate() {
            let mut command = bauta(here);
            command.args(["mask", "round", "x.csv", "--on", "a", "--base", "2", "-o"]);
            command
                .arg(format!("{mode}-{user}.csv"))
                .uid(user)
                .gid(user);
            let Ok(output) = command.output() else {
                println!("not run: somebody else cannot start the program where it was built");
                return;
            };
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{mode:o}, {n}: {said}");
        }
    }
}

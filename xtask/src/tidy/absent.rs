//! What a crate must not use, so that the invariants of ARCHITECTURE.md hold: the statistics do
//! no input or output and read no clock, only plans know TOML, reports cannot compute, and what is
//! released does not depend on the platform's mathematical library.

use super::Problem;
use super::edges::dependencies;
use crate::workspace::Workspace;

/// Something that must not occur in the sources of some crates.
struct Ban {
    crates: &'static [&'static str],
    texts: &'static [&'static str],
    why: &'static str,
}

const BANS: [Ban; 4] = [
    Ban {
        crates: &["bauta-methods"],
        texts: &[
            "std::fs",
            "std::io",
            "std::net",
            "std::env",
            "std::process",
            "println!(",
            "eprintln!(",
            "File::open(",
        ],
        why: "methods do no input or output; take what is needed as an argument",
    },
    Ban {
        crates: &["bauta-report"],
        texts: &[
            "RunContext",
            "MeasureTask",
            "MaskTask",
            "::stats",
            "bauta_data::Table",
            "bauta_data::format",
        ],
        why: "a report shows what the record holds and computes nothing",
    },
    Ban {
        crates: &["bauta-data", "bauta-methods"],
        texts: &["std::time", "SystemTime", "Instant::now("],
        why: "results must not depend on the clock",
    },
    Ban {
        crates: &["bauta-data", "bauta-methods"],
        texts: &[
            ".exp()",
            ".exp2()",
            ".exp_m1()",
            ".ln()",
            ".ln_1p()",
            ".log(",
            ".log2()",
            ".log10()",
            ".powf(",
            ".powi(",
            ".sin()",
            ".cos()",
            ".tan()",
            ".tanh()",
            ".sinh()",
            ".cosh()",
            ".atan(",
            ".cbrt()",
            ".hypot(",
        ],
        why: "its last bit depends on the platform; use libm",
    },
];

/// The crates that may read TOML.
const KNOWS_TOML: [&str; 1] = ["bauta-plan"];

/// The check.
pub(super) fn check(workspace: &Workspace) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in workspace.files_ending(".rs") {
        let Some(name) = crate_of_source(&file) else {
            continue;
        };
        let text = workspace.text(&file).unwrap_or_default();
        for ban in BANS.iter().filter(|ban| ban.crates.contains(&name)) {
            problems.extend(banned_lines(&file, &text, ban));
        }
    }
    for manifest in workspace.files_ending("Cargo.toml") {
        let text = workspace.text(&manifest).unwrap_or_default();
        let name = manifest.split('/').nth(1).unwrap_or_default();
        let mut used = dependencies(&text).into_iter();
        let knows = used.find(|used| used.name.starts_with("toml") && !used.for_tests);
        if let Some(used) = knows
            && manifest.starts_with("crates/")
            && !KNOWS_TOML.contains(&name)
        {
            problems.push(Problem::at_line(
                manifest.as_str(),
                used.line,
                "only bauta-plan knows TOML",
            ));
        }
    }
    problems
}

/// The crate whose library a source file belongs to.
fn crate_of_source(file: &str) -> Option<&str> {
    let (name, rest) = file.strip_prefix("crates/")?.split_once('/')?;
    rest.starts_with("src/").then_some(name)
}

fn banned_lines(file: &str, text: &str, ban: &Ban) -> Vec<Problem> {
    library_lines(text)
        .filter_map(|(number, line)| {
            let text = ban.texts.iter().find(|text| line.contains(**text))?;
            Some(Problem::at_line(
                file,
                number,
                format!("`{text}` must not occur here: {}", ban.why),
            ))
        })
        .collect()
}

/// The lines in front of the unit tests that are not comments, with their numbers.
fn library_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .take_while(|(_, line)| line.trim() != "#[cfg(test)]")
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .map(|(index, line)| (index + 1, line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::samples::workspace;

    #[test]
    fn files_clocks_and_platform_mathematics_are_found() {
        let (_folder, workspace) = workspace(&[
            (
                "crates/bauta-methods/src/a.rs",
                "use std::fs;\nlet now = Instant::now();\nlet x = y.ln();\n",
            ),
            (
                "crates/bauta-report/src/a.rs",
                "use bauta_methods::RunContext;\n",
            ),
            (
                "crates/bauta-report/Cargo.toml",
                "[dependencies]\ntoml.workspace = true\n",
            ),
        ]);
        let found: Vec<String> = check(&workspace).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 5, "{found:?}");
        assert!(found[0].starts_with("crates/bauta-methods/src/a.rs:1: `std::fs`"));
        assert!(found[4].starts_with("crates/bauta-report/Cargo.toml:2: only bauta-plan"));
    }

    #[test]
    fn tests_comments_and_other_crates_are_free() {
        let (_folder, workspace) = workspace(&[
            (
                "crates/bauta-methods/src/a.rs",
                "// y.ln() of the platform\nlibm::log(y);\n#[cfg(test)]\nmod tests { use std::fs; }\n",
            ),
            ("crates/bauta-methods/tests/golden.rs", "use std::fs;\n"),
            (
                "crates/bauta-cli/src/main.rs",
                "let start = Instant::now();\n",
            ),
            (
                "crates/bauta-plan/Cargo.toml",
                "[dependencies]\ntoml.workspace = true\n",
            ),
        ]);
        assert_eq!(check(&workspace), Vec::new());
    }
}

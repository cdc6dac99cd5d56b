//! Steps that leave a variable without content, or as it was, are told.

use crate::support::{run_expecting, stdout};

#[test]
fn collapses_and_idle_steps_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let rows = (0..100).map(|i| {
        format!(
            "{},{},{},7,{}\n",
            20 + i % 50,
            ["101", "1012", "10123"][i % 3],
            i * 7 % 101,
            ["north", "south", "east", "west"][i % 4]
        )
    });
    let text = format!("age,nace,pay,same,region\n{}", rows.collect::<String>());
    std::fs::write(here.join("x.csv"), text).unwrap();
    for (step, told) in [
        // Months in place of years: everybody is below the first break.
        (
            "mask = \"recode\"\non = [\"age\"]\nbreaks = [240, 480]\n",
            "age: 100 of 100 records are in one category now",
        ),
        (
            "mask = \"recode\"\non = [\"region\"]\nmap = { north = \"n\", south = \"n\", east = \"n\", west = \"n\" }\n",
            "region: 100 of 100 records are in one category now",
        ),
        (
            "mask = \"recode-rare\"\non = [\"region\"]\nbelow = 30\ninto = \"other\"\n",
            "region: 100 of 100 records are in one category now",
        ),
        (
            "mask = \"top-bottom\"\non = [\"pay\"]\ntop = 1\n",
            "pay: 99 of 100 records are in one category now",
        ),
        (
            "mask = \"recode\"\non = [\"nace\"]\nlevel = 1\n",
            "nace: codes have different lengths",
        ),
        (
            "mask = \"recode\"\non = [\"region\"]\nmap = { norht = \"n\" }\n",
            "changed nothing in region",
        ),
        (
            "mask = \"rank-swap\"\non = [\"pay\"]\nwindow = 0.001\n",
            "changed nothing in pay",
        ),
        (
            "mask = \"rank-swap\"\non = [\"same\"]\nwindow = 0.5\n",
            "changed nothing in same",
        ),
        (
            "mask = \"noise-additive\"\non = [\"same\"]\nshare = 0.5\n",
            "changed nothing in same",
        ),
    ] {
        let plan = format!(
            "[data]\nfile = \"x.csv\"\n[variables]\nage = {{ role = \"key\", kind = \"ordered\" }}\n\
             nace = {{ role = \"key\", kind = \"hierarchical\", hierarchy = \"prefix\" }}\nregion = {{ role = \"key\" }}\n\
             pay = {{ role = \"sensitive\", kind = \"continuous\" }}\nsame = {{ role = \"sensitive\", kind = \"continuous\" }}\n\
             [[step]]\n{step}[output]\nrelease = \"ungated\"\nfile = \"out.csv\"\n"
        );
        std::fs::write(here.join("plan.toml"), plan).unwrap();
        let shown = stdout(&run_expecting(here, &["run", "plan.toml"], 0));
        assert!(shown.contains(told), "{step}{shown}");
    }
    // What was in one category before is nobody's fault.
    let rows: String = (0..100)
        .map(|i| format!("{}\n", if i < 98 { "a" } else { "b" }))
        .collect();
    std::fs::write(here.join("x.csv"), format!("region\n{rows}")).unwrap();
    let plan = "[data]\nfile = \"x.csv\"\n[variables]\nregion = { role = \"key\" }\n\
        [[step]]\nmask = \"recode\"\non = [\"region\"]\nmap = { b = \"c\" }\n[output]\nrelease = \"ungated\"\nfile = \"out.csv\"\n";
    std::fs::write(here.join("plan.toml"), plan).unwrap();
    let shown = stdout(&run_expecting(here, &["run", "plan.toml"], 0));
    assert!(!shown.contains("one category"), "{shown}");
}

//! The figures as they are printed.

/// Figure 1: full name, sex, age category, favourite meal, sampling weight.
pub(super) const FIGURE_1: [[&str; 5]; 9] = [
    ["Ambre Marval", "Female", "-24", "raclette", "1000"],
    ["Cathy Pradel", "Female", "-24", "fish soup", "1500"],
    ["France Jabot", "Female", "25-49", "sauerkraut", "2000"],
    ["Ghislaine Metayer", "Female", "+50", "calf's head", "1100"],
    ["Mireille Henri", "Female", "+50", "calf's head", "1400"],
    ["Robert Briton", "Male", "-24", "fish soup", "800"],
    ["Louis Brandt", "Male", "25-49", "raclette", "1100"],
    ["Jean Achard", "Male", "25-49", "beef stew", "1900"],
    ["Jacques Crillou", "Male", "+50", "sauerkraut", "1200"],
];
/// Figure 2: sex, age category, favourite meal, sampling weight.
pub(super) const FIGURE_2: [[&str; 4]; 9] = [
    ["Female", "-24", "raclette", "1000"],
    ["Female", "-24", "fish soup", "1500"],
    ["Female", "-", "sauerkraut", "2000"],
    ["Female", "+50", "calf's head", "1100"],
    ["Female", "+50", "calf's head", "1400"],
    ["Male", "-", "fish soup", "800"],
    ["Male", "25-49", "raclette", "1100"],
    ["Male", "25-49", "beef stew", "1900"],
    ["Male", "-", "sauerkraut", "1200"],
];
/// Figure 3: sex, age category, favourite meal, calibrated weight.
pub(super) const FIGURE_3: [[&str; 4]; 6] = [
    ["Female", "-24", "raclette", "1400"],
    ["Female", "-24", "fish soup", "1900"],
    ["Female", "+50", "calf's head", "1700"],
    ["Female", "+50", "calf's head", "2000"],
    ["Male", "25-49", "raclette", "2100"],
    ["Male", "25-49", "beef stew", "2900"],
];

/// A key of Figure 4: its variable in the demonstration survey, its name, its cost, its deletions.
pub(super) struct Key {
    pub(super) variable: &'static str,
    pub(super) name: &'static str,
    pub(super) cost: f64,
    pub(super) deletions: usize,
}

const fn key(variable: &'static str, name: &'static str, cost: f64, deletions: usize) -> Key {
    Key {
        variable,
        name,
        cost,
        deletions,
    }
}

/// Figure 4.
pub(super) const FIGURE_4: [Key; 7] = [
    key("gender", "Gender", 70.0, 0),
    key("income", "Income", 60.0, 4),
    key("age", "Age", 50.0, 9),
    key("uu", "Size of urban unit", 40.0, 25),
    key("qual", "Qualification", 30.0, 493),
    key("couple", "Lives in a couple", 20.0, 351),
    key("hsize", "Household size", 10.0, 2_296),
];
/// Cells that were suppressed, and records that lost one (§5.2).
pub(super) const SUPPRESSED: [usize; 2] = [3_178, 3_033];
/// Records left after subsampling (§5.2).
pub(super) const KEPT: usize = 9_868;

/// The files of Figures 5 and 6, as the paper calls them.
pub(super) const FILES: [&str; 3] = [
    "Original microdata",
    "3-anonymous dataset after local suppression",
    "3-anonymous dataset after subsampling and calibration",
];
/// Their columns.
pub(super) const VICTIMS: [&str; 3] = [
    "Non-victim",
    "Victim of one delinquency act",
    "\"Multi-victim\"",
];

/// A table of rates: percent by category of a key, in each file.
pub(super) struct Rates {
    pub(super) number: usize,
    pub(super) variable: &'static str,
    pub(super) name: &'static str,
    pub(super) categories: &'static [&'static str],
    /// By file, then by category.
    pub(super) percent: [&'static [[f64; 3]]; 3],
}

/// Figure 5.
pub(super) const FIGURE_5: Rates = Rates {
    number: 5,
    variable: "hsize",
    name: "Household size",
    categories: &["1", "2", "3-4", "5+"],
    percent: [
        &[
            [87.3, 9.7, 3.0],
            [84.4, 12.1, 3.5],
            [82.5, 12.3, 5.2],
            [77.9, 16.0, 6.1],
        ],
        &[
            [88.3, 9.0, 2.7],
            [85.7, 11.1, 3.2],
            [82.4, 12.2, 5.4],
            [77.6, 14.6, 7.8],
        ],
        &[
            [87.3, 9.7, 3.0],
            [84.4, 12.1, 3.5],
            [82.5, 12.3, 5.2],
            [77.9, 16.0, 6.1],
        ],
    ],
};
/// Figure 6.
pub(super) const FIGURE_6: Rates = Rates {
    number: 6,
    variable: "couple",
    name: "Lives in a couple",
    categories: &["Yes", "No"],
    percent: [
        &[[85.6, 11.1, 3.3], [79.5, 14.2, 6.3]],
        &[[85.6, 11.2, 3.2], [79.3, 14.3, 6.4]],
        &[[84.9, 11.6, 3.5], [79.2, 14.5, 6.3]],
    ],
};
/// Victims among those who live in no couple, percent: original, calibrated, not calibrated (§5.3).
pub(super) const SINGLE_VICTIMS: [f64; 3] = [20.5, 20.8, 19.3];

/// Figure 8: odds ratio, its category in the demonstration survey, overlap in percent after local suppression
/// and after subsampling and calibration.
pub(super) const FIGURE_8: [(&str, &str, [f64; 2]); 15] = [
    ("Age1", "age=1", [94.8, 87.7]),
    ("Age2", "age=2", [90.9, 76.5]),
    ("Age3", "age=3", [90.8, 78.7]),
    ("Age4", "age=4", [98.0, 92.5]),
    ("Age5", "age=5", [88.3, 86.8]),
    ("Qua1", "qual=1", [86.6, 78.2]),
    ("Qua2", "qual=2", [92.3, 75.0]),
    ("Qua3", "qual=3", [93.3, 75.8]),
    ("Qua4", "qual=4", [87.6, 63.0]),
    ("Hsize1", "hsize=1", [91.3, 54.3]),
    ("Hsize2", "hsize=2", [89.2, 52.5]),
    ("Hsize3", "hsize=3", [88.9, 76.8]),
    ("UU1", "uu=1", [94.6, 80.1]),
    ("UU2", "uu=2", [95.3, 92.5]),
    ("UU3", "uu=3", [96.2, 74.0]),
];
/// The mean overlap after subsampling that the text states, in percent.
pub(super) const MEAN_OVERLAP: f64 = 76.3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_figures_agree_with_the_text() {
        // 3,178 deletions in 3,033 records, which are those that subsampling deletes.
        let n_cells: usize = FIGURE_4.iter().map(|key| key.deletions).sum();
        assert_eq!(n_cells, SUPPRESSED[0]);
        assert_eq!(bauta_data::survey::SURVEY_RECORDS - KEPT, SUPPRESSED[1]);
        let mean = FIGURE_8.iter().map(|(_, _, both)| both[1]).sum::<f64>() / 15.0;
        assert!((mean - MEAN_OVERLAP).abs() < 0.05, "{mean}");
        // The rates of a row are all of its records, but for one row that sums to 100.1 by rounding.
        for figure in [&FIGURE_5, &FIGURE_6] {
            for row in figure.percent.iter().flat_map(|rows| rows.iter()) {
                assert!((row.iter().sum::<f64>() - 100.0).abs() < 0.11, "{row:?}");
            }
        }
        // 14.2 + 6.3 of those in no couple.
        let [_, one, more] = FIGURE_6.percent[0][1];
        assert!((one + more - SINGLE_VICTIMS[0]).abs() < 1e-9);
    }
}

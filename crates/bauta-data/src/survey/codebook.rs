//! What the columns of the survey mean.
//!
//! Meanings and category bounds are those that the paper states (section 5.2 and Figure 5). Where
//! it gives only a number of classes, the codes run from 1, and their order is the one that the
//! generator gives them.

/// One column of the survey.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VariableLabel {
    /// The column's name.
    pub name: &'static str,
    /// What it measures.
    pub label: &'static str,
    /// Codes and their meaning; empty where the numbers or classes speak for themselves.
    pub categories: &'static [(&'static str, &'static str)],
}

const YES_NO: &[(&str, &str)] = &[("0", "no"), ("1", "yes")];

const fn plain(name: &'static str, label: &'static str) -> VariableLabel {
    coded(name, label, &[])
}

const fn coded(
    name: &'static str,
    label: &'static str,
    categories: &'static [(&'static str, &'static str)],
) -> VariableLabel {
    VariableLabel {
        name,
        label,
        categories,
    }
}

const CODEBOOK: &[VariableLabel] = &[
    plain("id", "Record number"),
    plain("gender", "Gender (2 categories)"),
    plain(
        "income",
        "Income class (1 lowest to 5 highest; empty if not answered)",
    ),
    plain("age", "Age class (1 youngest to 6 oldest)"),
    plain(
        "uu",
        "Size class of the urban unit where the respondent lives (1 smallest to 4 largest)",
    ),
    plain(
        "qual",
        "Highest qualification achieved (1 lowest to 5 highest)",
    ),
    coded("couple", "Living in a couple", &[("1", "yes"), ("2", "no")]),
    coded(
        "hsize",
        "Household size",
        &[
            ("1", "1 person"),
            ("2", "2 persons"),
            ("3", "3 or 4 persons"),
            ("4", "5 persons or more"),
        ],
    ),
    coded("theft_housing", "Victim of theft in the housing", YES_NO),
    coded("theft_vehicle", "Victim of vehicle theft", YES_NO),
    coded(
        "theft_violence",
        "Victim of other theft with violence",
        YES_NO,
    ),
    coded(
        "theft_noviolence",
        "Victim of other theft without violence",
        YES_NO,
    ),
    coded("phys_violence", "Victim of physical violence", YES_NO),
    coded("threat", "Victim of threat", YES_NO),
    coded(
        "ind",
        "Synthetic indicator of victimisation",
        &[
            ("0", "victim of none of the six acts"),
            ("1", "victim of exactly one act"),
            ("2", "victim of two or more acts"),
        ],
    ),
    plain(
        "d_init",
        "Weight after correction for total non-response; starts the calibration",
    ),
    plain(
        "d_fin",
        "Final weight, after correction for non-response and calibration",
    ),
];

/// The codebook of the survey, in the order of its columns.
pub const fn variable_labels() -> &'static [VariableLabel] {
    CODEBOOK
}

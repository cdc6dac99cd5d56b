//! The variables of the example.

use bauta_data::{Kind, Role};
use bauta_plan::record::{Fate, VariableRecord};

/// Twelve variables of every role.
pub(super) fn variables() -> Vec<VariableRecord> {
    use Kind::{Continuous, Hierarchical, Ordered, Unordered};
    let variable = |name: &str, label: &str, role, kind, n_missing| VariableRecord {
        name: name.to_owned(),
        role,
        kind,
        declared: true,
        label: Some(label.to_owned()),
        n_missing,
        fate: Fate::Untouched,
        n_changed: Some(0),
        n_suppressed: 0,
    };
    let masked = |variable, n_changed| VariableRecord {
        fate: Fate::Masked,
        n_changed: Some(n_changed),
        ..variable
    };
    let (key, content) = (Role::Key, Role::Sensitive);
    vec![
        VariableRecord {
            fate: Fate::Dropped,
            n_changed: None,
            ..variable("name", "Name of the person", Role::Identifier, Unordered, 0)
        },
        variable("household", "Dwelling", Role::Household, Unordered, 0),
        variable("sex", "Sex", key, Unordered, 0),
        masked(variable("age", "Age in years", key, Ordered, 12), 12_889),
        variable("region", "Region of residence", key, Hierarchical, 0),
        VariableRecord {
            n_suppressed: 417,
            ..masked(
                variable("education", "Highest degree", key, Ordered, 231),
                417,
            )
        },
        masked(
            variable("income", "Monthly income, euros", content, Continuous, 1207),
            11_514,
        ),
        masked(
            variable("rent", "Monthly rent, euros", content, Continuous, 388),
            12_377,
        ),
        masked(
            variable("hours", "Hours worked per week", content, Continuous, 54),
            12_290,
        ),
        variable(
            "victim",
            "Victim of a crime last year",
            content,
            Unordered,
            17,
        ),
        variable("weight", "Sampling weight", Role::Weight, Continuous, 0),
        VariableRecord {
            declared: false,
            label: None,
            ..variable("interview_language", "", Role::Other, Unordered, 0)
        },
    ]
}

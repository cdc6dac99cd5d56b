//! The demonstration: a survey that is made on the spot, and a plan for it.

use std::path::{Path, PathBuf};

use bauta_data::DataError;
use bauta_data::survey::{SURVEY_RECORDS, SURVEY_SEED, survey_csv};

use super::WorkError;
use crate::output::{Access, Guard, Publication, Replace};

/// The plan of the demonstration.
pub const PLAN: &str = include_str!("demo.toml");

/// What the plan is called in its folder.
const PLAN_FILE: &str = "plan.toml";
/// What the survey is called, in the plan too.
const SURVEY_FILE: &str = "survey.csv";

/// Makes the folder with the survey and its plan in it, and says where the plan is. A plan that its reader has
/// changed is replaced only where any file may be.
pub fn make(folder: &Path, replace: Replace) -> Result<PathBuf, WorkError> {
    std::fs::create_dir_all(folder)
        .map_err(|error| DataError::io(folder, "make the folder", &error))?;
    let plan_file = folder.join(PLAN_FILE);
    keep_changes(&plan_file, replace)?;
    let survey = survey_csv(SURVEY_RECORDS, SURVEY_SEED);
    let survey_file = folder.join(SURVEY_FILE);
    let guard = Guard::new::<&Path>([], replace);
    let mut publication = Publication::begin(&[&survey_file, &plan_file], &guard)?;
    publication.add_bytes(&survey_file, &survey, Access::Usual)?;
    // A plan with a seed is confidential.
    publication.add_bytes(&plan_file, PLAN.as_bytes(), Access::OwnerOnly)?;
    publication.commit()?;
    Ok(plan_file)
}

/// A plan that its reader has changed is told what to do with it.
fn keep_changes(plan_file: &Path, replace: Replace) -> Result<(), WorkError> {
    match std::fs::read(plan_file) {
        Ok(text) if text != PLAN.as_bytes() && replace != Replace::AnyFile => {
            Err(WorkError::mistake(
                format!(
                    "{} is not the plan of the demonstration",
                    plan_file.display()
                ),
                format!(
                    "run it with `bauta run {}`, or name another folder",
                    plan_file.display()
                ),
            ))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demonstration_is_a_plan_that_is_fine() {
        let folder = tempfile::tempdir().unwrap();
        let made = make(&folder.path().join("demo"), Replace::OwnFiles).unwrap();
        let text = std::fs::read_to_string(&made).unwrap();
        assert_eq!(text, PLAN);
        let plan = crate::check_text(&text, PLAN_FILE, made.parent().unwrap());
        let plan = plan.unwrap_or_else(|problems| panic!("{problems:#?}"));
        assert!(!plan.steps.is_empty() && !plan.gates.is_empty());
        // Made again, it is the same.
        let survey = std::fs::read(folder.path().join("demo/survey.csv")).unwrap();
        assert_eq!(
            make(made.parent().unwrap(), Replace::OwnFiles).unwrap(),
            made
        );
        assert_eq!(
            survey,
            std::fs::read(folder.path().join("demo/survey.csv")).unwrap()
        );
    }

    #[test]
    fn a_plan_that_was_changed_stays() {
        let folder = tempfile::tempdir().unwrap();
        let made = make(folder.path(), Replace::OwnFiles).unwrap();
        std::fs::write(&made, format!("{PLAN}# mine\n")).unwrap();
        let error = make(folder.path(), Replace::OwnFiles).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("is not the plan of the demonstration")
        );
        assert!(
            std::fs::read_to_string(&made)
                .unwrap()
                .ends_with("# mine\n")
        );
        make(folder.path(), Replace::AnyFile).unwrap();
        assert_eq!(std::fs::read_to_string(&made).unwrap(), PLAN);
    }
}

//! The columns of a file that an intruder could know, kept for looks at its risk by one set of keys after another.

use std::path::Path;

use bauta_data::format::read_described;
use bauta_data::{Role, Table};

use super::by_plan::{filled, with_numbers};
use super::{RiskFound, RiskRequest, risk_after};
use crate::stages::RunWatch;
use crate::work::keys::{add_sensitive, key_schema};
use crate::work::{Planned, Reading, WorkError};

/// The columns of a file that the plan gives a use in questions of risk: keys, weight, household and confidential answers.
#[derive(Clone, Debug)]
pub struct KeptKeys {
    table: Table,
    planned: Planned,
    columns: Vec<String>,
}

impl KeptKeys {
    /// Reads the columns of the file that a plan protects: those of the role key, and others that are named.
    pub fn read(
        file: &Path,
        planned: &Planned,
        others: &[String],
        watch: &dyn RunWatch,
    ) -> Result<Self, WorkError> {
        let reading = Reading::default();
        let columns = planned.columns(file, &reading)?;
        let is_there = |name: &String| columns.contains(name);
        let of_plan = planned.with_role(Role::Key).map(|key| key.name.clone());
        let mut keys: Vec<String> = of_plan.filter(is_there).collect();
        for name in others.iter().filter(|name| is_there(name)) {
            if !keys.contains(name) {
                keys.push(name.clone());
            }
        }
        let asked = RiskRequest {
            keys,
            ..RiskRequest::usual(Vec::new())
        };
        let asked = filled(asked, planned, &columns);
        let mut schema = key_schema(
            &asked.keys,
            asked.weight.as_deref(),
            asked.household.as_deref(),
        );
        add_sensitive(&mut schema, &asked.sensitive);
        let options = planned.options(file, &reading, schema)?;
        let decimal = options.decimal.unwrap_or_default();
        watch.stage("read", 1, 1);
        let table = read_described(file, &options, watch)?;
        Ok(Self {
            table: with_numbers(table, planned, decimal, None)?,
            planned: planned.clone(),
            columns,
        })
    }

    /// Whether it has all of these.
    pub fn has(&self, keys: &[String]) -> bool {
        keys.iter().all(|key| self.table.index_of(key).is_some())
    }

    /// Records of the file.
    pub fn n_records(&self) -> usize {
        self.table.n_records()
    }

    /// The columns of the file, those that are not kept too.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// What an intruder who knows these keys finds. Weight, household, confidential answers and hierarchies are the plan's
    /// wherever the request names none; the request as it was taken is returned with what was found.
    pub fn risk(
        &self,
        request: RiskRequest,
        watch: &dyn RunWatch,
    ) -> Result<(RiskRequest, RiskFound), WorkError> {
        let request = filled(request, &self.planned, &self.columns);
        let found = risk_after(0, request.n_measures(), &self.table, &request, watch)?;
        Ok((request, found))
    }
}

#[cfg(test)]
mod tests {
    use bauta_data::Unwatched;
    use bauta_data::survey::survey_csv;

    use super::*;
    use crate::work::risk::{AskedFile, risk_by_plan};

    /// A plan that gives some columns of the demonstration survey a role.
    const PLAN: &str = "data = { file = \"survey.csv\", missing = [\"\"] }\noutput = { file = \"out.csv\", release = \"ungated\" }\n\
        [variables]\ngender = { role = \"key\" }\nage = { role = \"key\", kind = \"ordered\" }\n\
        income = { role = \"key\", kind = \"continuous\" }\nthreat = { role = \"sensitive\" }\nd_fin = { role = \"weight\" }\n";

    #[test]
    fn what_is_kept_answers_as_the_file_does() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("survey.csv");
        std::fs::write(&file, survey_csv(2_000, 5)).unwrap();
        let plan = crate::check_text(PLAN, "plan.toml", folder.path()).unwrap();
        let planned = Planned::of(&plan);
        let kept = KeptKeys::read(&file, &planned, &[], &Unwatched).unwrap();
        for keys in [
            vec!["gender", "age", "income"],
            vec!["age"],
            vec!["income", "gender"],
        ] {
            let keys: Vec<String> = keys.into_iter().map(str::to_owned).collect();
            assert!(kept.has(&keys));
            let request = RiskRequest::usual(keys);
            let asked = AskedFile {
                file: &file,
                reading: &Reading::default(),
                scenario: None,
                per_record: None,
            };
            let replace = crate::output::Replace::OwnFiles;
            let (_, of_file) =
                risk_by_plan(asked, &planned, &request, replace, &Unwatched).unwrap();
            let (taken, found) = kept.risk(request, &Unwatched).unwrap();
            assert_eq!(taken, of_file[0].request);
            assert_eq!(format!("{found:?}"), format!("{:?}", of_file[0].found));
        }
        assert!(!kept.has(&["uu".to_owned()]));
    }
}

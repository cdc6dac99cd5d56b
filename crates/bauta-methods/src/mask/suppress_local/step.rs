//! One solution of local suppression: the file as it is, and what is asked.

use bauta_data::{Column, Table};

use super::notes::{
    blanked_by_audit, cells_suppressed, counted_before_suppression, given_away, search_ended,
    sets_made_safe, suppression_cost,
};
use super::{Counted, HOUSEHOLD_KEYS, Remedy, Search, Settings};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::keys::asked::note_empty_keys;
use crate::keys::classes::Classes;
use crate::keys::completions::{Audit, impossible};
use crate::keys::households::households_for;
use crate::keys::stored::Weighing;
use crate::keys::suppression::{self, Blanks, Homes, KeySets, Problem, Tiers, combinations, shown};
use crate::keys::{KeyColumns, Semantics};
use crate::mask::Change;

/// One solution: the file as it is, its classes, and what is asked.
pub(super) struct Step<'a> {
    table: &'a Table,
    /// The keys in file order, so that ties do not depend on how a plan lists them.
    on: Vec<usize>,
    settings: &'a Settings,
    classes: Classes,
    sets: KeySets,
    /// Which classes live together, where keys belong to the household.
    homes: Option<Homes>,
    costs: Vec<f64>,
}

impl<'a> Step<'a> {
    pub(super) fn new(
        table: &'a Table,
        on: &[usize],
        settings: &'a Settings,
        context: &RunContext<'_>,
    ) -> Result<Self, MethodError> {
        context.go_on()?;
        let k = settings.k;
        let n = table.n_records();
        if n > 0 && n < k as usize {
            return Err(MethodError::request(
                format!("k = {k} exceeds the number of records ({n})"),
                "choose a smaller k",
            ));
        }
        note_empty_keys(table, on, context);
        let mut on = on.to_vec();
        on.sort_unstable();
        let classes = Classes::of_table(table, &on, Weighing::Records, Semantics::Original)?;
        let columns = on.iter().map(|&attr_idx| table.column(attr_idx));
        let mut step = Self {
            table,
            settings,
            classes,
            sets: KeySets::one(on.len()),
            homes: None,
            costs: columns.map(|column| settings.cost_of(column)).collect(),
            on,
        };
        step.sets = step.key_sets()?;
        if !settings.household_keys.is_empty() {
            step.part_households()?;
        }
        Ok(step)
    }

    /// The sets of keys that have to be safe.
    fn key_sets(&self) -> Result<KeySets, MethodError> {
        let all = KeySets::one(self.on.len()).masks()[0];
        let mut sets = Vec::new();
        for (_, keys) in &self.settings.scenarios {
            sets.push(self.mask_of(keys)?);
        }
        if sets.is_empty() {
            sets.push(all);
        }
        let m = self.settings.subsets.unwrap_or(usize::MAX);
        let combined = sets.iter().flat_map(|&set| combinations(set, m));
        Ok(KeySets::new(combined))
    }

    /// Named keys as a set.
    fn mask_of(&self, names: &[String]) -> Result<u64, MethodError> {
        names.iter().try_fold(0, |mask, name| {
            let mut keys = self.on.iter();
            let key = keys.position(|&attr_idx| self.table.column(attr_idx).name() == *name);
            let key = key.ok_or_else(|| {
                MethodError::request(
                    format!("`{name}` is not among the keys of this step"),
                    "name it in `on`, or take it out of the list",
                )
            })?;
            Ok(mask | 1 << key)
        })
    }

    /// Tells records of different households apart, and remembers which live together.
    fn part_households(&mut self) -> Result<(), MethodError> {
        let keys = self.mask_of(&self.settings.household_keys)?;
        let of_record = households_for(self.table, HOUSEHOLD_KEYS.name)?;
        let numbers: Vec<u64> = of_record.iter().map(|&home| u64::from(home)).collect();
        let (parted, home_of_class) = self.classes.split_by(&numbers);
        let n_homes = of_record.iter().max().map_or(0, |&last| last as usize + 1);
        let mut classes = vec![Vec::new(); n_homes];
        for (class, home) in (0..).zip(home_of_class) {
            classes[home as usize].push(class);
        }
        self.classes = parted;
        self.homes = Some(Homes { classes, keys });
        Ok(())
    }

    fn problem(&self) -> Problem<'_> {
        Problem {
            classes: &self.classes.counts,
            sets: &self.sets,
            costs: &self.costs,
            k: self.settings.k,
        }
    }

    /// The blanks; classes whose records do not all blank the same are split by them.
    pub(super) fn solve(&mut self, context: &RunContext<'_>) -> Result<Blanks, MethodError> {
        let problem = self.problem();
        if let Some(homes) = &self.homes {
            let semantics = self.settings.counted.into();
            return suppression::of_homes(problem, homes, semantics, context);
        }
        let blanks = match (self.settings.search, self.settings.counted) {
            (Search::MuArgus, _) => suppression::mu_argus(problem, context)?,
            (Search::Exact | Search::Fixpoint, Counted::Original) => {
                suppression::exact(problem, context)?
            }
            (Search::Exact, Counted::Own) => {
                suppression::own(problem, &self.classes.of_record, context)?
            }
            (Search::Fixpoint, Counted::Own) => {
                suppression::own_by_rounds(problem, &self.classes.of_record, context)?
            }
            (Search::Fixpoint, Counted::Visible) => {
                let blanks = suppression::exact(problem, context)?;
                suppression::visible_from(problem, blanks, context)?
            }
            (Search::Exact, Counted::Visible) => self.search(context)?,
        };
        match self.settings.remedy {
            Remedy::Blank => self.blank_what_gives_away(blanks, context),
            Remedy::Leave | Remedy::Delete => Ok(blanks),
        }
    }

    /// The fixpoint under `visible`, and what a search from there finds.
    fn search(&mut self, context: &RunContext<'_>) -> Result<Blanks, MethodError> {
        let problem = self.problem();
        let exact = suppression::exact(problem, context)?;
        let floors = exact.of_class.clone();
        let safe = suppression::visible_from(problem, exact, context)?;
        let of_record = &self.classes.of_record;
        let found = suppression::improve(problem, of_record, &safe.of_class, &floors, context)?;
        if let Some(note) = search_ended(found.ended) {
            context.note(note);
        }
        let (classes, of_class) = self.classes.split_by(&found.of_record);
        self.classes = classes;
        let mut blanks = Blanks {
            of_class,
            lower_bound: safe.lower_bound + found.above_floors,
            ..safe
        };
        if found.is_least {
            // The very sum of the cost, whatever is lost in adding up.
            blanks.lower_bound = blanks.totals(&self.classes.counts, &self.costs).cost;
        }
        Ok(blanks)
    }

    /// One more blank for classes whose blanks can be worked out, the cheapest that leaves two
    /// completions, until there is none.
    fn blank_what_gives_away(
        &self,
        mut blanks: Blanks,
        context: &RunContext<'_>,
    ) -> Result<Blanks, MethodError> {
        let impossible = impossible(self.table, &self.on, &self.settings.impossible)?;
        let counts = &self.classes.counts;
        let mut n_remedied = 0;
        loop {
            context.go_on()?;
            let shown = shown(counts, &blanks.of_class);
            let mut audit = Audit::new(counts, &shown, self.settings.k, &impossible);
            let findings = audit.findings();
            let given_away = findings.iter().filter(|finding| finding.n_candidates == 1);
            let mut changed = false;
            for class in given_away.map(|finding| finding.class) {
                let shows = shown[class as usize];
                let hides = |mask: &u64| {
                    *mask != 0 && mask & !shows == 0 && audit.n_candidates(class, shows & !mask) > 1
                };
                if let Some(mask) = Tiers::new(&self.costs).flatten().find(hides) {
                    blanks.of_class[class as usize] |= mask;
                    n_remedied += counts.sizes[class as usize] as usize;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
            if self.settings.counted == Counted::Visible {
                // A blank takes a match from others.
                blanks = suppression::visible_from(self.problem(), blanks, context)?;
            }
        }
        if n_remedied > 0 {
            context.note(blanked_by_audit(n_remedied));
        }
        Ok(blanks)
    }

    /// Records whose blanks can be worked out, in order; none are looked for where several sets of keys
    /// are safe each by itself, since what would have been safe is another question for each.
    pub(super) fn recovered_records(&self, blanks: &Blanks) -> Result<Vec<u32>, MethodError> {
        if self.settings.several_sets() {
            return Ok(Vec::new());
        }
        let impossible = impossible(self.table, &self.on, &self.settings.impossible)?;
        let columns = self.columns(blanks, self.table, None);
        let masked = Change::of_columns(columns).apply_to(self.table);
        let keys = KeyColumns::of(&masked, &self.on, Semantics::Original)?;
        let Classes { counts, of_record } = Classes::of(&keys, None, Semantics::Original);
        let mut audit = Audit::new(&counts, &counts.visible, self.settings.k, &impossible);
        let mut given_away = vec![false; counts.n_classes()];
        for finding in audit.findings() {
            given_away[finding.class as usize] = finding.n_candidates == 1;
        }
        let recovered = |record: &u32| {
            let class = of_record[*record as usize];
            given_away[class as usize]
        };
        Ok((0..self.table.n_records() as u32)
            .filter(recovered)
            .collect())
    }

    /// The keys with their blanks, in `file`, whose records at `rows` are those of this solution.
    pub(super) fn columns(
        &self,
        blanks: &Blanks,
        file: &Table,
        rows: Option<&[u32]>,
    ) -> Vec<(usize, Column)> {
        let masks = blanks.by_record(&self.classes.of_record);
        let row = |record: usize| rows.map_or(record as u32, |rows| rows[record]);
        let blanked = |key: usize| -> Vec<u32> {
            (0..masks.len())
                .filter(|&record| masks[record] >> key & 1 == 1)
                .map(row)
                .collect()
        };
        self.on
            .iter()
            .enumerate()
            .map(|(key, &attr_idx)| (attr_idx, blanked(key)))
            .filter(|(_, records)| !records.is_empty())
            .map(|(attr_idx, records)| (attr_idx, file.column(attr_idx).suppress(&records)))
            .collect()
    }

    pub(super) fn note(&self, blanks: &Blanks, n_given_away: usize, context: &RunContext<'_>) {
        if self.settings.counted == Counted::Original && self.settings.k > 1 {
            context.note(counted_before_suppression());
        }
        if n_given_away > 0 {
            context.note(given_away(n_given_away));
        }
        if self.settings.several_sets() {
            context.note(sets_made_safe(self.sets.masks().len()));
        }
        let totals = blanks.totals(&self.classes.counts, &self.costs);
        for (&attr_idx, &n_cells) in self.on.iter().zip(&totals.by_key) {
            if n_cells > 0 {
                let variable = self.table.column(attr_idx).name();
                context.note(cells_suppressed(variable, n_cells));
            }
        }
        context.note(suppression_cost(totals.n_records, totals.cost, blanks));
    }
}

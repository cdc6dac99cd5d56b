//! Plans for a table: variables, intruders, steps, measures, gates and outputs, each method with parameters from its
//! card. A method that is new in the registry needs nothing here.

use bauta_data::format::Encoding;
use bauta_data::number::DecimalMark;
use bauta_data::{Attribute, Kind, Role};
use bauta_methods::{Card, Measure, RawValue, registry};
use bauta_plan::check::check_files;
use bauta_plan::draft::{Draft, GateDraft, MeasureDraft, ScenarioDraft, StepDraft, VariableDraft};
use tempfile::TempDir;

use super::cells;
use super::condition::condition;
use super::hierarchy::{hierarchy, levels_file};
use super::params::{self, Fit};
use super::table::{MadeColumn, MadeTable, Spelling};
use super::totals::totals_file;
use crate::fuzz::case::Case;
use crate::fuzz::draws::Draws;
use crate::fuzz::world::World;

/// The file of the plan.
pub(crate) const PLAN: &str = "plan.toml";
/// The file that it protects.
pub(crate) const DATA: &str = "x.csv";
/// A file of totals, if the plan names one.
const TOTALS: &str = "totals.csv";

/// What a plan is to be about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum About {
    /// Some steps, measures and gates.
    Anything,
    /// One method, with all its settings.
    OneMethod,
}

/// The plan and the files that it names.
pub(crate) fn case(draws: &mut Draws, world: &World, table: &MadeTable, about: About) -> Case {
    let mut maker = Maker::new(draws, world, table);
    maker.describe();
    maker.add_scenarios();
    match about {
        About::Anything => {
            for _ in 0..maker.draws.pick(&[0, 1, 1, 2, 2, 3, 4]) {
                maker.add(|maker, draft| draft.steps.push(maker.step()));
            }
            for _ in 0..maker.draws.pick(&[0, 1, 1, 2]) {
                maker.add(|maker, draft| draft.measures.push(maker.measure()));
            }
        }
        About::OneMethod => maker.add_one_method(),
    }
    for _ in 0..maker.draws.pick(&[0, 0, 1, 1, 2]) {
        maker.add(Maker::put_gate);
    }
    maker.finish()
}

/// A plan in the making.
struct Maker<'a> {
    draws: &'a mut Draws,
    table: &'a MadeTable,
    draft: Draft,
    case: Case,
    /// Where the files of the case are, so that parts which do not fit can be left out; none where anything goes.
    folder: Option<TempDir>,
    fit: Fit,
}

/// How often another part is tried in place of one that does not fit.
const TRIES: usize = 6;

impl<'a> Maker<'a> {
    fn new(draws: &'a mut Draws, world: &World, table: &'a MadeTable) -> Self {
        let mut draft = Draft::default();
        draft.data.file = Some(DATA.into());
        let mut spelling = Spelling::PLAIN;
        if draws.one_in(6) {
            spelling = Spelling::readable(draws);
            draft.data.delimiter = draws.one_in(2).then(|| spelling.delimiter.into());
        }
        if spelling.encoding != Encoding::Utf8 {
            draft.data.encoding = Some(spelling.encoding);
        }
        let case = Case::default()
            .with(DATA, table.spelled(&spelling))
            .with(TOTALS, totals_file(draws, table));
        let fit = Fit::any(draws);
        let folder = (fit != Fit::Wrong).then(|| world.empty_folder());
        if let Some(folder) = &folder {
            case.unpack(folder.path()).expect("room in memory");
        }
        let mut maker = Self {
            draws,
            table,
            draft,
            case,
            folder,
            fit,
        };
        maker.put_output();
        maker
    }

    /// Adds a part, or another one in its place if it does not fit.
    fn add(&mut self, put: impl Fn(&mut Self, &mut Draft)) {
        for _ in 0..TRIES {
            let mut next = self.draft.clone();
            put(self, &mut next);
            let fits = |folder: &TempDir| check_files(&next, PLAN, folder.path()).is_ok();
            if self.folder.as_ref().is_none_or(fits) {
                self.draft = next;
                return;
            }
        }
    }

    fn finish(mut self) -> Case {
        if self.draws.one_in(2) {
            self.draft.plan.seed = Some(self.draws.bits() >> self.draws.below(64));
        }
        if self.draws.one_in(6) {
            self.draft.plan.title = Some(cells::odd_text(self.draws));
        }
        let text = bauta_plan::toml::write(&self.draft);
        let mut case = Case::default();
        for (name, content) in self.case.files() {
            if name == DATA || text.contains(name.as_str()) {
                case.set(name, content.clone());
            }
        }
        case.with(PLAN, text)
    }

    /// Describes most variables, mostly as they are.
    fn describe(&mut self) {
        for column in &self.table.columns {
            if !self.draws.one_in(15) {
                self.add(|maker, draft| draft.variables.push(maker.variable(column)));
            }
        }
        if self.draws.one_in(20) {
            self.add(|maker, draft| draft.data.missing = Some(maker.missing_texts()));
        }
        if self.draws.one_in(40) {
            self.add(|_, draft| draft.data.decimal = Some(DecimalMark::Comma));
        }
    }

    fn missing_texts(&mut self) -> Vec<String> {
        let texts = self.draws.some(cells::MISSING, 2).into_iter();
        texts.map(str::to_owned).collect()
    }

    fn variable(&mut self, column: &MadeColumn) -> VariableDraft {
        let mut variable = VariableDraft::new(column.name.clone(), column.role).kind(column.kind);
        if self.draws.one_in(40) {
            let (role, kind) = (self.draws.pick(&Role::ALL), self.draws.pick(&Kind::ALL));
            variable = VariableDraft::new(column.name.clone(), role).kind(kind);
        }
        if column.kind == Kind::Ordered && self.draws.one_in(4) {
            let mut order = column.levels.clone();
            let n = self.draws.below(order.len().max(1));
            order.rotate_left(n);
            variable.order = Some(order);
        }
        let hierarchical = column.kind == Kind::Hierarchical;
        if hierarchical || (column.kind != Kind::Continuous && self.draws.one_in(8)) {
            let file = format!("levels-{}.csv", column.name);
            variable = variable.hierarchy(hierarchy(self.draws, &column.levels, &file));
            let levels = levels_file(self.draws, &column.levels).into_bytes();
            if let Some(folder) = &self.folder {
                std::fs::write(folder.path().join(&file), &levels).expect("room in memory");
            }
            self.case.set(&file, levels);
        }
        if self.draws.one_in(20) {
            variable.missing = Some(self.missing_texts());
        }
        if self.draws.one_in(20) {
            variable.missing_codes = Some(vec![("NA".to_owned(), "refused".to_owned())]);
        }
        if self.draws.one_in(20) {
            variable.label = Some(cells::odd_text(self.draws));
        }
        variable
    }

    fn add_scenarios(&mut self) {
        for number in 0..self.draws.pick(&[0, 0, 1, 1, 2]) {
            self.add(|maker, draft| {
                let columns = maker.table.columns.iter();
                let keys = columns.filter(|column| column.role == Role::Key);
                let keys: Vec<String> = keys.map(|column| column.name.clone()).collect();
                let mut chosen = maker.draws.some(&keys, 2);
                if chosen.is_empty() {
                    chosen.push(params::variable(maker.draws, maker.table));
                }
                let scenario = ScenarioDraft::new(format!("intruder {number}"), chosen);
                draft.scenarios.push(scenario);
            });
        }
    }

    /// Variables for a method: some that it accepts, any, or none named.
    fn on(&mut self, card: &Card) -> Option<Vec<String>> {
        if !card.targets.default_roles.is_empty() && self.draws.one_in(3) {
            return None;
        }
        let all = self.fit == Fit::Wrong && self.draws.one_in(4);
        let accepts = |column: &&MadeColumn| {
            let attribute = Attribute::new(column.name.clone(), column.role, column.kind);
            all || card.targets.problem(card.id, &attribute).is_none()
        };
        let columns = self.table.columns.iter().filter(accepts);
        let names: Vec<String> = columns.map(|column| column.name.clone()).collect();
        let mut chosen = self.draws.some(&names, 2);
        if chosen.is_empty() && !names.is_empty() {
            chosen.push(self.draws.pick(&names));
        }
        Some(chosen)
    }

    fn step(&mut self) -> StepDraft {
        let n_masks = registry::MASKS.len();
        // Adjusters are few and have more settings than others.
        let position = self.draws.below(n_masks + 3 * registry::ADJUSTERS.len());
        self.step_of(position.min(n_masks) + position.saturating_sub(n_masks) / 3)
    }

    /// A step of the mask or adjuster at this position of the registry.
    fn step_of(&mut self, position: usize) -> StepDraft {
        let n_masks = registry::MASKS.len();
        if let Some(mask) = registry::MASKS.get(position) {
            let step = StepDraft::mask(mask.card().id);
            return self.filled(step, mask.card(), &mask.example());
        }
        let adjuster = registry::ADJUSTERS[position - n_masks];
        let step = StepDraft::adjust(adjuster.card().id);
        self.filled(step, adjuster.card(), &adjuster.example())
    }

    fn filled(
        &mut self,
        mut step: StepDraft,
        card: &Card,
        example: &[(&'static str, RawValue)],
    ) -> StepDraft {
        if let Some(on) = self.on(card) {
            step = step.on(on);
        }
        for (name, value) in params::for_card(self.draws, card, example, self.table, self.fit) {
            step = step.with(&name, value);
        }
        if card.param("totals").is_some() && self.draws.one_in(4) {
            step.params.0.retain(|(name, _)| name.value != "totals");
            step = step.with("totals", TOTALS);
        }
        if self.draws.one_in(12) {
            step.name = Some(self.draws.pick(&["a", "b", "output"]).into());
        }
        if self.draws.one_in(8) {
            step = step.because(&cells::odd_text(self.draws));
        }
        step
    }

    fn measure(&mut self) -> MeasureDraft {
        if self.draws.one_in(12) {
            return MeasureDraft::of(Vec::<String>::new());
        }
        let measure = self.draws.pick(registry::MEASURES);
        self.measure_of(measure)
    }

    fn measure_of(&mut self, measure: &dyn Measure) -> MeasureDraft {
        let card = measure.card();
        let mut wanted = MeasureDraft::of([card.id]);
        if self.draws.one_in(3)
            && let Some(on) = self.on(card)
        {
            wanted = wanted.on(on);
        }
        let example = measure.example();
        for (name, value) in params::for_card(self.draws, card, &example, self.table, self.fit) {
            wanted.params.push(&name, value);
        }
        if self.draws.one_in(6) {
            wanted.outliers = Some(self.draws.pick(&[0.05, 0.5, 0.0, 1.0, 0.999]).into());
        }
        if self.draws.one_in(5) {
            wanted.condition = Some(condition(self.draws, self.table, 2).into());
        }
        if self.draws.one_in(5) {
            let scenarios = self.draft.scenarios.iter();
            wanted.scenarios = Some(scenarios.map(|scenario| scenario.name.clone()).collect());
        }
        wanted
    }

    /// One step or one measure, so that nothing else is in its way.
    fn add_one_method(&mut self) {
        let n_steps = registry::MASKS.len() + registry::ADJUSTERS.len();
        let position = self.draws.below(n_steps + registry::MEASURES.len());
        let Some(measure) = position.checked_sub(n_steps) else {
            self.add(|maker, draft| draft.steps.push(maker.step_of(position)));
            if self.draws.one_in(2) {
                let none = MeasureDraft::of(Vec::<String>::new());
                self.draft.measures.push(none);
            }
            return;
        };
        // Pairs of files that differ are compared; files of one are looked at.
        if !self.draws.one_in(3) {
            self.add(|maker, draft| draft.steps.push(maker.step()));
        }
        let measure = registry::MEASURES[measure];
        self.add(|maker, draft| draft.measures.push(maker.measure_of(measure)));
    }

    /// A gate, mostly on something that is measured.
    fn put_gate(&mut self, draft: &mut Draft) {
        let measures = draft.measures.iter().flat_map(|measure| &measure.methods);
        let planned: Vec<String> = measures.map(|id| id.value.clone()).collect();
        let id = match self.draws.below(3) {
            0 => "k-anonymity".to_owned(),
            1 if !planned.is_empty() => self.draws.pick(&planned),
            _ => self.draws.pick(registry::MEASURES).card().id.to_owned(),
        };
        if !planned.contains(&id) && !planned.is_empty() && !self.draws.one_in(10) {
            draft.measures.push(MeasureDraft::of([id.clone()]));
        }
        let mut gate = GateDraft::on(id.clone());
        let bound = self
            .draws
            .pick(&[0.0, 0.05, 0.5, 1.0, 2.0, 3.0, 5.0, 1e6, -1.0]);
        gate.at_least = self.draws.one_in(2).then_some(bound);
        if gate.at_least.is_none() || self.draws.one_in(5) {
            gate.at_most = Some(bound + self.draws.pick(&[0.0, 1.0, 1e9]));
        }
        let measure = registry::measure(&id);
        let figures = measure.map_or(&[][..], |measure| measure.declared().figures);
        if self.draws.one_in(3) && !figures.is_empty() {
            let number = self.draws.between(1, 5).to_string();
            let figure = self.draws.pick(figures);
            gate.part = Some(figure.id.replace("{}", &number).into());
        } else if self.draws.one_in(8) {
            let variable = params::variable(self.draws, self.table);
            let parts = ["outliers".to_owned(), "rest".to_owned(), variable];
            gate.part = Some(self.draws.pick(&parts).into());
        }
        if self.draws.one_in(8) {
            let scenario = draft.scenarios.first();
            gate.scenario = scenario.map(|scenario| scenario.name.clone());
        }
        draft.gates.push(gate);
    }

    fn put_output(&mut self) {
        let names = [
            "out.csv",
            "out.csv",
            "out.csv",
            "out.tsv",
            "out.parquet",
            "out.txt",
        ];
        let output = &mut self.draft.output;
        output.file = Some(self.draws.pick(&names).into());
        output.report = self.draws.one_in(4).then(|| "report.html".into());
        output.external_report = self.draws.one_in(3).then(|| "public.html".into());
        output.record = self.draws.one_in(6).then(|| "run.json".into());
        output.shuffle = self.draws.one_in(4).then_some(true);
        output.suppressed = match self.draws.below(8) {
            0 => Some("*".to_owned()),
            1 => Some(params::level(self.draws, self.table)),
            2 => {
                let texts = ["NA", "0", "", " ", "\"", ",", "\n"];
                Some(self.draws.pick(&texts).to_owned())
            }
            _ => None,
        };
    }
}

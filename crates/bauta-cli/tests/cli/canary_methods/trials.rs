//! What is tried: commands and plans for every method of the registry.

use bauta_data::hierarchy::TreeNode;
use bauta_data::{Kind, Role};
use bauta_methods::{Card, ParamSpec, ParamType, RawValue, registry};
use bauta_plan::draft::{Draft, HierarchyDraft, MeasureDraft, StepDraft, VariableDraft};
use bauta_plan::toml::write::write;

use super::planted::{VARIABLES, described};

/// A command.
pub(super) struct Trial {
    /// The method that it is of, or the command.
    pub(super) of: String,
    pub(super) arguments: Vec<String>,
    /// The plan that it runs, by its name.
    pub(super) plan: Option<(String, String)>,
    /// The external report that it may write.
    pub(super) public: Option<String>,
}

/// The trials of every method, and of the commands that take no plan.
pub(super) fn trials() -> Vec<Trial> {
    let mut all = Trials::default();
    for card in registry::cards() {
        all.of_card(card);
    }
    all.of_hierarchies();
    all.of_commands();
    all.trials
}

/// Parameters by name.
type Given = Vec<(&'static str, RawValue)>;

#[derive(Default)]
struct Trials {
    trials: Vec<Trial>,
}

impl Trials {
    /// A method on the variables of its own choice, on each variable alone, fit or not, and with each
    /// parameter at values that it may and may not have.
    fn of_card(&mut self, card: &'static Card) {
        let example = example(card);
        self.both(card, &accepted(card), &example);
        for variable in &VARIABLES {
            self.both(card, &[variable.name], &example);
        }
        for spec in card.params {
            for value in values(spec) {
                let mut given = example.clone();
                given.retain(|(name, _)| *name != spec.name);
                given.push((spec.name, value));
                self.one(card, &accepted(card), &given);
            }
        }
        for given in hopeless(card) {
            self.both(card, &accepted(card), &given);
        }
        if card.param("event").is_some() {
            // A model that fits: no category of one record is among its predictors.
            let word = |word: &str| RawValue::Text(word.to_owned());
            let given = vec![("response", word("ind")), ("event", word("1"))];
            self.both(card, &["income"], &given);
        }
    }

    /// In words and for scripts.
    fn both(&mut self, card: &'static Card, on: &[&str], given: &Given) {
        self.as_plan(card, on, given, true);
        if registry::mask(card.id).is_some() {
            self.as_mask(card, on, given);
        } else {
            self.as_plan(card, on, given, false);
        }
    }

    /// In words or for scripts, in turn.
    fn one(&mut self, card: &'static Card, on: &[&str], given: &Given) {
        let in_words = self.trials.len().is_multiple_of(2);
        if in_words && registry::mask(card.id).is_some() {
            self.as_mask(card, on, given);
        } else {
            self.as_plan(card, on, given, !in_words);
        }
    }

    fn as_plan(&mut self, card: &'static Card, on: &[&str], given: &Given, as_json: bool) {
        let mut draft = Draft {
            variables: described(),
            ..Draft::default()
        };
        let is_step = registry::measure(card.id).is_none();
        if is_step {
            let mut step = match registry::mask(card.id) {
                Some(_) => StepDraft::mask(card.id),
                None => StepDraft::adjust(card.id),
            };
            if !is_adjuster_of_weights(card) {
                step = step.on(on.iter().copied());
            }
            for (name, value) in given {
                step = step.with(name, value.clone());
            }
            draft.steps.push(step);
        } else {
            // Something to measure: values of one record are moved to others.
            let swap = StepDraft::mask("rank-swap").on(["income"]);
            draft.steps.push(swap.with("window", 0.2));
            let mut measure = MeasureDraft::of([card.id]).on(on.iter().copied());
            for (name, value) in given {
                measure = measure.with(name, value.clone());
            }
            draft.measures.push(measure);
        }
        self.plan(card.id, draft, as_json);
    }

    fn plan(&mut self, of: &str, mut draft: Draft, as_json: bool) {
        let stem = format!("t{}", self.trials.len());
        let output = |ending: &str| Some(format!("{stem}{ending}").into());
        draft.data.file = Some("x.csv".to_owned().into());
        draft.output.file = output(".csv");
        draft.output.release = Some("ungated".into());
        draft.output.external_report = output(".html");
        let plan = format!("{stem}.toml");
        let mut arguments = vec!["run".to_owned(), plan.clone()];
        if as_json {
            arguments.push("--json".to_owned());
        }
        self.trials.push(Trial {
            of: of.to_owned(),
            arguments,
            plan: Some((plan, write(&draft))),
            public: Some(format!("{stem}.html")),
        });
    }

    /// Hierarchies of every form that do not know the values of one record, and those of others.
    fn of_hierarchies(&mut self) {
        let leaf = |label: &str| TreeNode {
            label: label.to_owned(),
            children: Vec::new(),
        };
        let forms = [
            HierarchyDraft::Prefix(Some(vec![3, 1])),
            HierarchyDraft::Intervals(vec![vec![1.0, 22.0, 400.0]]),
            HierarchyDraft::File("levels.csv".to_owned()),
            HierarchyDraft::File("x.csv".to_owned()),
            HierarchyDraft::Tree(vec![leaf("f"), leaf("m")]),
        ];
        for variable in VARIABLES.iter().filter(|of| of.kind != Kind::Continuous) {
            for (idx, form) in forms.iter().enumerate() {
                let mut draft = Draft {
                    variables: described(),
                    ..Draft::default()
                };
                for described in &mut draft.variables {
                    if described.name.value == variable.name {
                        *described = VariableDraft::new(variable.name, Role::Key)
                            .kind(Kind::Hierarchical)
                            .hierarchy(form.clone());
                    }
                }
                let recode = StepDraft::mask("recode").on([variable.name]);
                if idx.is_multiple_of(2) {
                    draft.steps.push(recode.with("level", 1));
                }
                let keys = ["key-contribution", "k-anonymity", "global-risk"];
                draft.measures.push(MeasureDraft::of(keys));
                for as_json in [true, false] {
                    self.plan("hierarchies", draft.clone(), as_json);
                }
            }
        }
    }

    /// The mask on the command line, which prints what it notes.
    fn as_mask(&mut self, card: &'static Card, on: &[&str], given: &Given) {
        let output = format!("t{}.csv", self.trials.len());
        let mut arguments: Vec<String> = ["mask", card.id, "x.csv", "--on", &on.join(","), "-o"]
            .map(str::to_owned)
            .to_vec();
        arguments.push(output);
        for (name, value) in given {
            arguments.push(format!("--{}={}", name.replace('_', "-"), text(value)));
        }
        self.command(card.id, arguments);
    }

    fn command(&mut self, of: &str, arguments: Vec<String>) {
        self.trials.push(Trial {
            of: of.to_owned(),
            arguments,
            plan: None,
            public: None,
        });
    }

    /// Commands without a plan, with every variable in every part that a command gives to one.
    fn of_commands(&mut self) {
        let mut lines = vec![
            "inspect x.csv".to_owned(),
            "init x.csv -o proposed.toml".to_owned(),
            "compare x.csv x.csv --keys sex,age,region --sensitive illness --on income,savings --weight weight --by-variable".to_owned(),
            "compare x.csv x.csv --keys sex,illness,region --on income --by-variable --set of=income,illness,ind".to_owned(),
        ];
        for variable in &VARIABLES {
            let name = variable.name;
            lines.extend([
                format!("risk x.csv --keys sex,age,{name}"),
                format!("risk x.csv --keys sex,age --sensitive {name} --household house"),
                format!("risk x.csv --keys sex,age --hierarchy age=intervals:1,2 --weight {name}"),
                format!("risk x.csv --keys sex,{name} --hierarchy {name}=prefix"),
                format!("risk x.csv --keys sex,{name} --hierarchy {name}=intervals:1,30"),
                format!("risk x.csv --keys sex,{name} --hierarchy {name}=x.csv"),
                format!("explain-record x.csv --keys sex,{name} --row 201"),
                format!("explain-record x.csv --keys sex,region --row 6 --weight {name}"),
                format!("compare x.csv x.csv --on {name} --by-variable"),
                format!("compare x.csv x.csv --keys {name},sex --on income --by-variable"),
                format!("compare x.csv x.csv --on income --id {name}"),
                format!("compare x.csv x.csv --on income --weight {name} --keys sex"),
                format!("compare x.csv x.csv --on income --keys sex,illness --by-variable --set response={name}"),
                format!("calibrate x.csv --weight weight --margins {name},sex*illness -o c-{name}.csv"),
                format!("calibrate x.csv --weight weight --margins income*{name} --continuous income -o d-{name}.csv"),
                format!("calibrate x.csv --weight weight --margins {name} --keys sex,age --k 2 -o e-{name}.csv"),
                format!("calibrate x.csv --weight {name} --margins sex -o f-{name}.csv"),
                format!("calibrate x.csv --weight weight --household {name} --household-margins sex -o g-{name}.csv"),
                format!("calibrate x.csv --weight weight --start start --margins sex,illness --method logit --lower 0.99 --upper 1.01 --totals {name}=5 -o h-{name}.csv"),
                format!("calibrate x.csv --weight weight --start start --margins sex,{name} --round-to 5 -o i-{name}.csv"),
            ]);
        }
        for line in lines {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let command = words[0].clone();
            let mut scripted = words.clone();
            scripted.push("--json".to_owned());
            self.command(&command, words);
            self.command(&command, scripted);
        }
    }
}

/// Calibration works on the weight, whatever it is on.
fn is_adjuster_of_weights(card: &Card) -> bool {
    registry::adjuster(card.id).is_some() && card.targets.default_roles == [Role::Weight]
}

fn example(card: &Card) -> Given {
    let mask = registry::mask(card.id).map(bauta_methods::Mask::example);
    let adjuster = || registry::adjuster(card.id).map(bauta_methods::Adjuster::example);
    let measure = || registry::measure(card.id).map(bauta_methods::Measure::example);
    let mut example = mask.or_else(adjuster).or_else(measure).unwrap_or_default();
    if is_adjuster_of_weights(card) {
        // Its example gives totals of categories that are not these.
        example = vec![(
            "margins",
            RawValue::List(vec![RawValue::Text("sex".to_owned())]),
        )];
    }
    if card.id == "pld" {
        // One linkage shows as much as seven.
        example.push(("links", RawValue::Text("all".to_owned())));
    }
    example
}

/// The variables that a method takes; those of the roles that it takes by itself, where there are such.
fn accepted(card: &Card) -> Vec<&'static str> {
    let targets = &card.targets;
    let fits = |variable: &&super::planted::Planted| {
        targets.kinds.contains(&variable.kind) && !targets.refused_roles.contains(&variable.role)
    };
    let fit: Vec<_> = VARIABLES.iter().filter(fits).collect();
    let usual = fit
        .iter()
        .filter(|variable| targets.default_roles.contains(&variable.role));
    let usual: Vec<&str> = usual.map(|variable| variable.name).collect();
    if usual.is_empty() {
        let content = fit
            .iter()
            .filter(|variable| matches!(variable.role, Role::Key | Role::Sensitive));
        return content.map(|variable| variable.name).collect();
    }
    usual
}

/// Values that a parameter may have, and values that it may not.
fn values(spec: &ParamSpec) -> Vec<RawValue> {
    let word = |word: &str| RawValue::Text(word.to_owned());
    let list = |value: RawValue| RawValue::List(vec![value]);
    let of_variables = |value: &dyn Fn(&str) -> RawValue| -> Vec<RawValue> {
        VARIABLES
            .iter()
            .map(|variable| value(variable.name))
            .collect()
    };
    let map = |name: String, value: RawValue| RawValue::Map(vec![(name, value)]);
    let mut values = match spec.ty {
        ParamType::Fraction { min, max } | ParamType::Number { min, max } => {
            let numbers = [min - 1.0, min, 0.5, max, 1e300, -1e300];
            let numbers = numbers.into_iter().filter(|number| number.is_finite());
            numbers.map(RawValue::Number).collect()
        }
        ParamType::Integer { min, .. } => [min.saturating_sub(1), min, 2, 1_000_000]
            .map(RawValue::Integer)
            .to_vec(),
        ParamType::Flag => vec![RawValue::Flag(true), RawValue::Flag(false)],
        ParamType::Choice(choices) => choices.iter().map(|(name, _)| word(name)).collect(),
        ParamType::Variables => of_variables(&|name| list(word(name))),
        ParamType::Terms => {
            let mut terms = of_variables(&|name| list(word(name)));
            terms.extend(of_variables(&|name| list(word(&format!("{name}*illness")))));
            terms.push(list(word("income*region")));
            terms
        }
        ParamType::NumberMap { .. } => {
            let mut maps =
                of_variables(&|name| map(format!("{name}=nosuch"), RawValue::Number(5.0)));
            maps.extend(of_variables(&|name| {
                map(format!("{name}#1"), RawValue::Number(0.0))
            }));
            maps.extend(of_variables(&|name| {
                map(name.to_owned(), RawValue::Number(-7.0))
            }));
            maps
        }
        ParamType::TextMap => vec![map("flu".to_owned(), word("cold"))],
        ParamType::KeySets => of_variables(&|name| map("a set".to_owned(), list(word(name)))),
        ParamType::Texts => of_variables(&|name| list(word(name))),
        ParamType::RisingNumbers
        | ParamType::Numbers { .. }
        | ParamType::Integers { .. }
        | ParamType::Counts { .. } => {
            let numbers =
                |of: &[i64]| RawValue::List(of.iter().map(|&n| RawValue::Integer(n)).collect());
            vec![numbers(&[1, 2]), numbers(&[2, 1]), numbers(&[-5])]
        }
        ParamType::NumberRows { .. } => {
            let row =
                |a: f64, b: f64| RawValue::List(vec![RawValue::Number(a), RawValue::Number(b)]);
            vec![RawValue::List(vec![row(0.0, 1.0), row(1.0, 0.0)])]
        }
    };
    values.extend([word("nosuch"), RawValue::Integer(-3)]);
    values
}

/// Settings with which a method has little hope on this file.
fn hopeless(card: &Card) -> Vec<Given> {
    let word = |word: &str| RawValue::Text(word.to_owned());
    let words = |words: &[&str]| RawValue::List(words.iter().map(|one| word(one)).collect());
    let has = |name: &str| card.param(name).is_some();
    let mut all: Vec<Given> = Vec::new();
    if has("margins") {
        // Every record of a category goes, and bounds are too narrow.
        let margins = ["illness", "sex*illness", "region", "income*illness", "1"];
        for term in margins {
            let mut given = vec![("margins", words(&[term]))];
            if has("k") {
                given.push(("k", RawValue::Integer(3)));
            }
            all.push(given.clone());
            given.push(("start", words(&["start"])));
            for method in ["logit", "truncated"] {
                let mut bounded = given.clone();
                bounded.extend([
                    ("method", word(method)),
                    ("lower", RawValue::Number(0.999)),
                    ("upper", RawValue::Number(1.001)),
                ]);
                all.push(bounded);
            }
            given.push(("also", words(&["linear", "sinh"])));
            all.push(given);
        }
    }
    if has("response") {
        // Categories of one record tell a response without error.
        for variable in VARIABLES
            .iter()
            .filter(|variable| variable.kind != Kind::Continuous)
        {
            all.push(vec![("response", word(variable.name))]);
        }
    }
    all
}

/// A value as the command line takes it.
fn text(value: &RawValue) -> String {
    match value {
        RawValue::Integer(value) => value.to_string(),
        RawValue::Number(value) => value.to_string(),
        RawValue::Flag(value) => value.to_string(),
        RawValue::Text(value) => value.clone(),
        RawValue::List(values) => values.iter().map(text).collect::<Vec<_>>().join(","),
        RawValue::Map(pairs) => {
            let pairs = pairs
                .iter()
                .map(|(name, value)| format!("{name}={}", text(value)));
            pairs.collect::<Vec<_>>().join(",")
        }
    }
}

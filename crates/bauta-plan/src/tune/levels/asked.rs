//! What a plan asks of which keys, and the plan with its keys at other levels.

use std::collections::BTreeSet;
use std::sync::Arc;

use bauta_data::Table;
use bauta_data::hierarchy::HierarchySpec;
use bauta_methods::RawValue;
use bauta_methods::keys::Semantics;

use crate::draft::{Draft, MethodDraft, StepDraft};
use crate::execute::{RunOptions, execute};
use crate::plan::{Plan, Step};
use crate::tune::search::Search;
use crate::work::WorkError;

/// Masks that treat what stands out after recoding.
const SUPPRESSION: [&str; 2] = ["suppress-local", "suppress-records"];

/// What is asked of which keys.
pub(super) struct Asked {
    pub(super) keys: Vec<Key>,
    pub(super) k: u32,
    pub(super) semantics: Semantics,
    /// The plan's own suppression, by its position among the steps that the plan writes.
    suppression: Option<usize>,
}

pub(super) struct Key {
    pub(super) name: String,
    pub(super) how: How,
}

/// How the levels of a key are changed.
pub(super) enum How {
    /// By the levels of its hierarchy, of which the plan chooses one.
    Level { own: usize },
    /// By a step with a map, which is there or not.
    Map { step: usize },
    /// Not at all: another step changes it.
    Other,
}

impl Key {
    pub(super) const fn own_level(&self) -> usize {
        match self.how {
            How::Level { own } => own,
            How::Map { .. } => 1,
            How::Other => 0,
        }
    }

    pub(super) const fn why_fixed(&self) -> &'static str {
        match self.how {
            How::Level { .. } | How::Map { .. } => {
                "keys without a hierarchy stay as the plan has them"
            }
            How::Other => "keys that other steps change stay as the plan has them",
        }
    }
}

impl Asked {
    /// The plan's own suppression says of which keys and which k; without one, its gate on k-anonymity.
    pub(super) fn of(plan: &Plan, own: &Draft) -> Option<Self> {
        let planned = written_steps(plan, own)?;
        let suppression = own.steps.iter().position(is_suppression);
        let (names, k, semantics) = match suppression {
            Some(at) => {
                let step = planned[at]?;
                let semantics = step.params.choice_if_set::<Semantics>("semantics");
                (step.on.clone(), step.params.integer_if_set("k")?, semantics)
            }
            None => {
                let gate = plan.gates.iter().find(|gate| {
                    let mut measures = gate.measures.iter().map(|&at| &plan.measures[at]);
                    gate.figure.spelled().is_none()
                        && measures.any(|of| of.measure.card().id == "k-anonymity")
                })?;
                let measures = || gate.measures.iter().map(|&at| &plan.measures[at]);
                let mut names: Vec<String> = Vec::new();
                for name in measures().flat_map(|of| &of.on) {
                    if !names.contains(name) {
                        names.push(name.clone());
                    }
                }
                let semantics = measures().find_map(|of| of.params.choice_if_set("semantics"));
                (names, gate.at_least?.ceil() as i64, semantics)
            }
        };
        let end = suppression.unwrap_or(own.steps.len());
        let keys = names.into_iter().map(|name| {
            let how = how_of(&name, &own.steps[..end], &planned[..end]);
            Key { name, how }
        });
        Some(Self {
            keys: keys.collect(),
            k: u32::try_from(k).ok().filter(|k| *k > 1)?,
            semantics: match semantics {
                Some(Semantics::Own) => Semantics::Own,
                _ => Semantics::Visible,
            },
            suppression,
        })
    }

    pub(super) fn suppression_in_words(&self, own: &Draft) -> String {
        match self.suppression {
            Some(at) => format!("the plan's own {}", own.steps[at].method.id().as_str()),
            None => "suppress-records, which is added".to_owned(),
        }
    }

    /// The plan with its keys at these levels.
    pub(super) fn draft_at(&self, own: &Draft, levels: &[usize]) -> Draft {
        let mut draft = own.clone();
        let mut end = self.suppression.unwrap_or_else(|| {
            let is_adjuster = |step: &StepDraft| matches!(step.method, MethodDraft::Adjust(_));
            let steps = &draft.steps;
            steps.iter().position(is_adjuster).unwrap_or(steps.len())
        });
        if self.suppression.is_none() {
            let names = self.keys.iter().map(|key| key.name.as_str());
            let step = StepDraft::mask("suppress-records")
                .on(names)
                .with("k", i64::from(self.k));
            draft.steps.insert(end, step);
        }
        let mut dropped = BTreeSet::new();
        for (key, &level) in self.keys.iter().zip(levels) {
            match key.how {
                How::Level { own } if own != level => {
                    if !set_level(&mut draft.steps[..end], &key.name, level) && level > 0 {
                        let step = StepDraft::mask("recode").on([key.name.as_str()]);
                        draft
                            .steps
                            .insert(end, step.with("level", level_number(level)));
                        end += 1;
                    }
                }
                How::Map { step } if level == 0 => {
                    dropped.insert(step);
                }
                How::Level { .. } | How::Map { .. } | How::Other => {}
            }
        }
        let mut position = 0;
        draft.steps.retain(|step| {
            position += 1;
            let is_empty =
                is_recode(step) && step.on.as_ref().is_some_and(|on| on.value.is_empty());
            !is_empty && !dropped.contains(&(position - 1))
        });
        draft
    }
}

/// Gives a key another level in the steps that recode it; whether it has one then.
fn set_level(steps: &mut [StepDraft], key: &str, level: usize) -> bool {
    let mut is_set = false;
    for step in steps
        .iter_mut()
        .filter(|step| is_recode(step) && level_of(step).is_some())
    {
        let Some(on) = step
            .on
            .as_mut()
            .filter(|on| on.value.iter().any(|name| name.as_str() == key))
        else {
            continue;
        };
        if on.value.len() == 1 && level > 0 && !is_set {
            for (name, value) in &mut step.params.0 {
                if name.as_str() == "level" {
                    value.value = RawValue::Integer(level_number(level));
                }
            }
            // What was said of another level may not be true of this one.
            step.why = None;
            is_set = true;
        } else {
            on.value.retain(|name| name.as_str() != key);
        }
    }
    is_set
}

/// A level as plans write it.
fn level_number(level: usize) -> i64 {
    i64::try_from(level).unwrap_or(i64::MAX)
}

/// Whether a step treats what stands out after recoding.
pub(in crate::tune) fn is_suppression(step: &StepDraft) -> bool {
    !step.off
        && matches!(step.method, MethodDraft::Mask(_))
        && SUPPRESSION.contains(&step.method.id().as_str())
}

/// Whether a step recodes.
pub(in crate::tune) fn is_recode(step: &StepDraft) -> bool {
    !step.off
        && matches!(step.method, MethodDraft::Mask(_))
        && step.method.id().as_str() == "recode"
}

fn level_of(step: &StepDraft) -> Option<usize> {
    let level = step
        .params
        .0
        .iter()
        .find(|(name, _)| name.as_str() == "level")?;
    match level.1.value {
        RawValue::Integer(level) => usize::try_from(level).ok(),
        _ => None,
    }
}

/// How a key can be changed, by what the steps before suppression do to it.
fn how_of(key: &str, drafts: &[StepDraft], planned: &[Option<&Step>]) -> How {
    let touches = |step: &Step| step.on.iter().any(|name| name == key);
    let touching: Vec<usize> = (0..planned.len())
        .filter(|&at| planned[at].is_some_and(touches))
        .collect();
    let levels: Option<Vec<usize>> = touching
        .iter()
        .map(|&at| level_of(&drafts[at]).filter(|_| is_recode(&drafts[at])))
        .collect();
    match (levels, touching.as_slice()) {
        (Some(levels), _) => How::Level {
            own: levels.into_iter().max().unwrap_or(0),
        },
        (None, &[step])
            if is_recode(&drafts[step])
                && planned[step]
                    .is_some_and(|step| step.on.len() == 1 && step.params.is_set("map")) =>
        {
            How::Map { step }
        }
        _ => How::Other,
    }
}

/// The steps of a plan that its text writes, in the order of its draft; nothing for those switched off.
fn written_steps<'p>(plan: &'p Plan, own: &Draft) -> Option<Vec<Option<&'p Step>>> {
    let mut written = plan.steps.iter().filter(|step| step.span.is_some());
    let steps = own.steps.iter();
    let steps: Option<Vec<Option<&Step>>> = steps
        .map(|draft| {
            if draft.off {
                Some(None)
            } else {
                Some(Some(written.next()?))
            }
        })
        .collect();
    steps.filter(|_| written.next().is_none())
}

/// The table that levels are chosen in: after what other steps do to keys, and before their recoding.
pub(super) fn table_before(search: &Search<'_>, asked: &Asked) -> Result<Table, WorkError> {
    let own = &search.request.grid.variants[0].draft;
    let planned = written_steps(search.plan, own).unwrap_or_default();
    let end = asked.suppression.unwrap_or(planned.len());
    let others = asked
        .keys
        .iter()
        .filter(|key| matches!(key.how, How::Other));
    let others: BTreeSet<&str> = others.map(|key| key.name.as_str()).collect();
    let mut plan = search.plan.clone();
    plan.measures.clear();
    plan.gates.clear();
    plan.steps = (planned[..end].iter().copied().flatten().cloned())
        .map(|mut step| {
            step.on.retain(|name| others.contains(name.as_str()));
            step
        })
        .filter(|step| !step.on.is_empty())
        .collect();
    let mut table = if plan.steps.is_empty() {
        search.loaded.table.clone()
    } else {
        execute(&plan, search.loaded, RunOptions::default(), search.watch)?.masked
    };
    for key in &asked.keys {
        let Some(attr_idx) = table.index_of(&key.name) else {
            continue;
        };
        let column = table.column(attr_idx);
        let mut attribute = column.attribute().clone();
        attribute.hierarchy = match key.how {
            How::Level { .. } => continue,
            How::Other => None,
            How::Map { step } => column.as_categorical().map(|of| {
                let map = planned[step].map_or(&[][..], |step| step.params.text_map("map"));
                let mapped = |value: &str| {
                    let entry = map.iter().find(|(from, _)| from == value);
                    entry.map_or(value, |(_, to)| to.as_str()).to_owned()
                };
                let rows = of
                    .levels
                    .iter()
                    .map(|value| vec![value.to_owned(), mapped(value)]);
                HierarchySpec::Levels {
                    rows: rows.collect(),
                }
            }),
        };
        let column = column.clone().with_attribute(Arc::new(attribute));
        table = table.with_column(attr_idx, column);
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key for each way in which levels change, and one that stays.
    fn asked() -> (Asked, Draft) {
        let draft = Draft::default()
            .step(StepDraft::mask("recode").on(["age"]).with("level", 1))
            .step(
                StepDraft::mask("recode")
                    .on(["place", "job"])
                    .with("level", 2),
            )
            .step(
                StepDraft::mask("recode")
                    .on(["size"])
                    .with("map", RawValue::Map(Vec::new())),
            )
            .step(StepDraft::mask("top-bottom").on(["rooms"]))
            .step(StepDraft::mask("suppress-records").with("k", 3));
        let hows = [
            ("age", How::Level { own: 1 }),
            ("place", How::Level { own: 2 }),
            ("job", How::Level { own: 2 }),
            ("size", How::Map { step: 2 }),
            ("rooms", How::Other),
            ("sex", How::Level { own: 0 }),
        ];
        let keys = hows.into_iter().map(|(name, how)| Key {
            name: name.to_owned(),
            how,
        });
        let asked = Asked {
            keys: keys.collect(),
            k: 3,
            semantics: Semantics::Visible,
            suppression: Some(4),
        };
        (asked, draft)
    }

    fn steps(draft: &Draft) -> Vec<String> {
        let steps = draft.steps.iter().map(|step| {
            let on = step.on.iter().flat_map(|on| &on.value);
            let on: Vec<&str> = on.map(|name| name.as_str()).collect();
            let level = level_of(step).map_or_else(String::new, |level| format!(" {level}"));
            format!("{} {}{level}", step.method.id().as_str(), on.join("+"))
        });
        steps.collect()
    }

    #[test]
    fn the_levels_of_the_plan_are_the_plan() {
        let (asked, draft) = asked();
        assert_eq!(asked.draft_at(&draft, &[1, 2, 2, 1, 0, 0]), draft);
    }

    #[test]
    fn other_levels_change_drop_and_add_steps_before_suppression() {
        let (asked, draft) = asked();
        let changed = asked.draft_at(&draft, &[2, 1, 2, 0, 0, 1]);
        let expected = [
            "recode age 2",
            "recode job 2",
            "top-bottom rooms",
            "recode place 1",
            "recode sex 1",
            "suppress-records ",
        ];
        assert_eq!(steps(&changed), expected);
        let none = asked.draft_at(&draft, &[0, 0, 0, 1, 0, 0]);
        let expected = ["recode size", "top-bottom rooms", "suppress-records "];
        assert_eq!(steps(&none), expected);
    }

    #[test]
    fn a_plan_without_suppression_gets_one() {
        let (asked, mut draft) = asked();
        draft.steps.pop();
        draft.steps.push(StepDraft::adjust("calibrate"));
        let asked = Asked {
            suppression: None,
            ..asked
        };
        let changed = steps(&asked.draft_at(&draft, &[1, 2, 2, 1, 0, 1]));
        let expected = [
            "recode sex 1",
            "suppress-records age+place+job+size+rooms+sex",
            "calibrate ",
        ];
        assert_eq!(changed[4..], expected);
    }
}

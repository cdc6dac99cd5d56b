//! The figures by which variants are compared: one of risk, one of loss.

use std::collections::BTreeMap;

use bauta_data::near;
use bauta_methods::{Better, Measure, Measurement, Unit, registry};

use crate::record::{GateRecord, MeasureFamily, MeasureRecord};
use crate::work::Mistake;

/// One of the two sides of a trade-off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// What an intruder could learn.
    Risk,
    /// What an analyst loses.
    Loss,
}

impl Side {
    const fn family(self) -> MeasureFamily {
        match self {
            Self::Risk => MeasureFamily::Risk,
            Self::Loss => MeasureFamily::Loss,
        }
    }
}

/// A figure of a measure, as gates name it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FigureChoice {
    /// The measure.
    pub measure: String,
    /// Named figure; the measure's value if not given.
    pub part: Option<String>,
    /// The scenario; of all the worst if not given.
    pub scenario: Option<String>,
}

/// What a figure was measured of.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Basis<'m> {
    scenario: Option<&'m str>,
    on: &'m [String],
    params: &'m BTreeMap<String, serde_json::Value>,
}

/// A figure that was found, and how it is to be read.
#[derive(Clone, PartialEq, Debug)]
pub struct MapFigure {
    /// What people call it.
    pub label: String,
    /// How it is written.
    pub unit: Unit,
    /// Which end is good.
    pub better: Better,
    /// The least and the largest that it can be.
    pub range: [f64; 2],
    /// What was found; none where it is not defined.
    pub value: Option<f64>,
    /// Whether it rests on few records, so that screens are not shown it.
    pub few: bool,
}

impl MapFigure {
    /// How bad it is: the figure, with its sign turned where more of it is better.
    pub fn badness(&self) -> Option<f64> {
        self.value.map(|value| match self.better {
            Better::Higher => -value,
            Better::Lower | Better::Neither => value,
        })
    }
}

impl FigureChoice {
    /// The value of a measure.
    pub fn value_of(measure: &str) -> Self {
        Self {
            measure: measure.to_owned(),
            part: None,
            scenario: None,
        }
    }

    /// The figure that a text names: `dld`, `k-anonymity:below_3`, `k-anonymity@neighbour`.
    pub fn parse(text: &str) -> Self {
        let (text, scenario) = match text.rsplit_once('@') {
            Some((text, scenario)) => (text, Some(scenario.trim().to_owned())),
            None => (text, None),
        };
        let (measure, part) = match text.split_once(':') {
            Some((measure, part)) => (measure, Some(part.trim().to_owned())),
            None => (text, None),
        };
        Self {
            measure: measure.trim().to_owned(),
            part,
            scenario,
        }
    }

    /// Two figures with a comma between them: one of risk, one of loss. Names of figures may hold commas too,
    /// so that what was measured decides where the first ends.
    pub fn pair(text: &str, measures: &[MeasureRecord]) -> Result<[Self; 2], Mistake> {
        let commas = text.match_indices(',').map(|(position, _)| position);
        let mut first_mistake = None;
        for comma in commas {
            let pair = [&text[..comma], &text[comma + 1..]].map(Self::parse);
            let checked = pair.iter().try_for_each(|figure| figure.check(measures));
            match checked {
                Ok(()) => return Ok(pair),
                Err(mistake) => first_mistake = first_mistake.or(Some(mistake)),
            }
        }
        Err(first_mistake.unwrap_or_else(|| Mistake {
            message: format!("`{text}` does not name two figures"),
            hint: "name one of risk and one of loss, such as dld,il1s".to_owned(),
            ..Mistake::default()
        }))
    }

    /// The figure that a map shows unless asked for another: that of the first gate on this side, or the value
    /// of the first measure that has a good end.
    pub fn usual(side: Side, measures: &[MeasureRecord], gates: &[GateRecord]) -> Option<Self> {
        let is_of_side = |id: &str| {
            let mut of_id = measures.iter().filter(|measure| measure.id == id);
            of_id.any(|measure| measure.family == side.family())
        };
        let of_gate = gates.iter().filter(|gate| gate.condition.is_none());
        let mut of_gate = of_gate.filter(|gate| is_of_side(&gate.measure));
        if let Some(gate) = of_gate.next() {
            return Some(Self {
                measure: gate.measure.clone(),
                part: gate.part.clone(),
                scenario: None,
            });
        }
        let has_end = |measure: &&MeasureRecord| {
            measure.family == side.family()
                && measure.condition.is_none()
                && !measure.value.label.is_empty()
                && measure.value.better != Better::Neither
        };
        let measure = measures.iter().find(has_end)?;
        Some(Self::value_of(&measure.id))
    }

    /// How it is written, as [`parse`](Self::parse) reads it.
    pub fn spelled(&self) -> String {
        let mut spelled = self.measure.clone();
        if let Some(part) = &self.part {
            spelled.push(':');
            spelled.push_str(part);
        }
        if let Some(scenario) = &self.scenario {
            spelled.push('@');
            spelled.push_str(scenario);
        }
        spelled
    }

    /// The figure after masking, of several scenarios the worst; none where nobody measured it.
    pub fn find(&self, measures: &[MeasureRecord]) -> Option<MapFigure> {
        let found = self.measured(measures);
        let found = found.filter_map(|measure| self.of_measure(measure));
        found.reduce(|worst, other| {
            let is_worse = match (worst.badness(), other.badness()) {
                (Some(worst), Some(other)) => other > worst,
                // What is not defined has not been shown to be better.
                (Some(_), None) => true,
                (None, _) => false,
            };
            if is_worse { other } else { worst }
        })
    }

    /// The measures of the whole file that it may be a figure of.
    fn measured<'m>(
        &'m self,
        measures: &'m [MeasureRecord],
    ) -> impl Iterator<Item = &'m MeasureRecord> {
        measures.iter().filter(|measure| {
            measure.id == self.measure
                && measure.condition.is_none()
                && (self.scenario.is_none() || measure.scenario == self.scenario)
        })
    }

    /// What the figure is of: figures of different variables, scenarios or parameters cannot be compared.
    pub(super) fn basis<'m>(&'m self, measures: &'m [MeasureRecord]) -> Vec<Basis<'m>> {
        let found = self.measured(measures);
        let found = found.filter(|measure| self.of_measure(measure).is_some());
        let basis = found.map(|measure| Basis {
            scenario: measure.scenario.as_deref(),
            on: &measure.on,
            params: &measure.params,
        });
        basis.collect()
    }

    fn of_measure(&self, measure: &MeasureRecord) -> Option<MapFigure> {
        let spec = registry::measure(&measure.id).map(Measure::declared);
        let mut figure = MapFigure {
            label: measure.value.label.to_string(),
            unit: measure.value.unit,
            better: measure.value.better,
            range: spec.map_or([f64::NEG_INFINITY, f64::INFINITY], |spec| {
                [spec.value.min, spec.value.max]
            }),
            value: None,
            few: false,
        };
        let declared = self.part.as_deref().and_then(|part| {
            let found = measure.after.iter().flat_map(|found| &found.figures);
            let name = found.map(|figure| &figure.name);
            let name = name
                .filter(|name| name.spelled() == part)
                .collect::<Vec<_>>();
            let name = *name.first()?;
            Some((measure.declared(name)?, name))
        });
        match (&self.part, declared) {
            (None, _) if measure.value.label.is_empty() => return None,
            (None, _) => {}
            (Some(_), Some((declared, name))) => {
                figure.label = declared.describe(name);
                figure.unit = declared.unit;
                figure.better = declared.better;
                let spec = spec.and_then(|spec| spec.figure(&name.id));
                figure.range = spec.map_or([f64::NEG_INFINITY, f64::INFINITY], |spec| {
                    [spec.min, spec.max]
                });
            }
            (Some(part), None) if is_of_value(measure, part) => {
                figure.label = format!("{}, {part}", figure.label);
            }
            (Some(_), None) => return None,
        }
        // What is counted of perturbed keys is not what an intruder finds, and must not look safe.
        let found = measure.after.as_ref();
        if let Some(found) = found.filter(|_| measure.perturbed.is_empty()) {
            figure.value = self.in_measurement(found).filter(|value| !value.is_nan());
            let told = self.in_measurement(&found.told());
            figure.few = figure.value.is_some() && told.is_none();
        }
        Some(figure)
    }

    fn in_measurement(&self, found: &Measurement) -> Option<f64> {
        let Some(part) = self.part.as_deref() else {
            return found.value;
        };
        let mut by_variable = found.by_variable.iter();
        match part {
            "outliers" => found.outliers,
            "rest" => found.rest,
            part => found.part(part).or_else(|| {
                let of = by_variable.find(|of| of.name == part);
                of.and_then(|of| of.value)
            }),
        }
    }

    /// Whether it was measured and has a good end.
    pub fn check(&self, measures: &[MeasureRecord]) -> Result<(), Mistake> {
        let mistake = |message: String, hint: String| Mistake {
            message,
            hint,
            ..Mistake::default()
        };
        if self.measured(measures).next().is_none() {
            let known = measures.iter().map(|measure| measure.id.as_str());
            let message = format!("the plan does not measure `{}`", self.spelled());
            return Err(mistake(message, near::hint(&self.measure, known)));
        }
        if self
            .measured(measures)
            .all(|measure| measure.after.is_none())
        {
            // Which figures it would have, nobody knows.
            return Ok(());
        }
        match self.find(measures) {
            None => {
                let known = self.measured(measures).flat_map(spelled_figures);
                let known: Vec<String> = known.collect();
                let part = self.part.as_deref().unwrap_or("");
                Err(mistake(
                    format!("`{}` gives no figure `{part}` here", self.measure),
                    near::hint(part, known.iter().map(String::as_str)),
                ))
            }
            Some(figure) if figure.better == Better::Neither => Err(mistake(
                format!("`{}` has no good end", self.spelled()),
                "choose a figure that is better the lower, or the higher, it is".to_owned(),
            )),
            Some(_) => Ok(()),
        }
    }
}

/// Whether a part is the value for some of the records, or for a variable.
fn is_of_value(measure: &MeasureRecord, part: &str) -> bool {
    let mut parts = measure.after.iter().flat_map(|found| &found.by_variable);
    measure.outliers.is_some() && matches!(part, "outliers" | "rest")
        || parts.any(|of| of.name == part)
}

fn spelled_figures(measure: &MeasureRecord) -> Vec<String> {
    let found = measure.after.iter().flat_map(|found| &found.figures);
    found.map(|figure| figure.name.spelled()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_spelled_as_they_are_read() {
        for text in [
            "dld",
            "k-anonymity:below_3",
            "k-anonymity@neighbour",
            "a:b@c",
        ] {
            assert_eq!(FigureChoice::parse(text).spelled(), text);
        }
        assert_eq!(
            FigureChoice::parse("rates:records, original@x"),
            FigureChoice {
                measure: "rates".to_owned(),
                part: Some("records, original".to_owned()),
                scenario: Some("x".to_owned()),
            }
        );
    }
}

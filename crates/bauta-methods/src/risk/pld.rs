#![doc = include_str!("pld.md")]

mod shown;

use bauta_data::{Attribute, Kind, Role};

use crate::card::{Card, Family, ParamSpec, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::kernel::numbers::sums::sum_by;
use crate::linkage::exposed::Exposure;
use crate::linkage::linked::Linked;
use crate::linkage::{link, settings};
use crate::measure::{
    MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Seeks, Series, Threat, UnaskedLimit,
};
use crate::pair::records::{CORRESPONDENCE, Correspondence, RecordMeans, check_rows, matched};
use crate::params::{ParamProblem, Params};
use crate::risk::dld::{self, KEYS, LINKS, Links};

/// Share of masked records that probabilistic linkage re-identifies. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Pld;

const PLD: FigureSpec = FigureSpec::share("PLD-{}", "share re-identified, keys known: {}")
    .lower_is_better()
    .per_number();
pub(crate) const ZONE: FigureSpec =
    FigureSpec::share("zone rate", "share re-identified above the cut").lower_is_better();
const ZONE_LINKS: FigureSpec = FigureSpec::count("zone links", "links above the cut");
const CORRECT: FigureSpec = FigureSpec::number("correct", "right links").lower_is_better();
const N_LINKS: FigureSpec = FigureSpec::number("links", "links");
const SURE: FigureSpec =
    FigureSpec::number("sure", "links that an intruder could be sure of").lower_is_better();
const TOTAL: FigureSpec = FigureSpec::number("total weight", "weight of the links")
    .within(f64::NEG_INFINITY, f64::INFINITY);
const TRUE_WEIGHT: FigureSpec = FigureSpec::number("true pair weight", "weight of the true pairs")
    .within(f64::NEG_INFINITY, f64::INFINITY);
const NOT_CANDIDATES: FigureSpec = FigureSpec::count(
    "not among candidates",
    "records whose original was no candidate",
);
const GAP: FigureSpec = FigureSpec::number("gap", "distance from the largest possible total")
    .within(f64::NEG_INFINITY, f64::INFINITY);

/// The parameters: what the intruder knows, then how he links.
const PARAMS: [ParamSpec; 3 + settings::PARAMS.len()] = {
    let mut all = [KEYS; 3 + settings::PARAMS.len()];
    all[1] = LINKS;
    all[2] = CORRESPONDENCE;
    let mut at = 0;
    while at < settings::PARAMS.len() {
        all[3 + at] = settings::PARAMS[at];
        at += 1;
    }
    all
};

/// Records that a comparison links unasked: 5,000 by one to seven numbers take a minute on two cores,
/// 2,000 a few seconds.
pub(crate) const UNASKED_UP_TO: usize = 2_000;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "pld",
        title: "Probabilistic record linkage (PLD)",
        summary: "share of masked records that one-to-one linkage by probabilities re-identifies",
        family: Family::Risk,
        page: include_str!("pld.md"),
        params: &PARAMS,
        targets: Targets {
            kinds: &Kind::ALL,
            default_roles: &[Role::Sensitive, Role::Key, Role::Other],
            refused_roles: &[Role::Weight],
        },
        references: &[
            "yancey2002",
            "fellegi1969",
            "winkler1994",
            "jaro1989",
            "jonker1987",
            "chow1968",
        ],
        ..MeasureCard::LOSS.card
    },
    at_identity: None,
    value: FigureSpec::value("share re-identified", Unit::Share)
        .within(0.0, 1.0)
        .lower_is_better(),
    figures: &[
        PLD,
        ZONE,
        ZONE_LINKS,
        CORRECT,
        N_LINKS,
        SURE,
        TOTAL,
        TRUE_WEIGHT,
        NOT_CANDIDATES,
        GAP,
    ],
    usual: false,
    looks_at_untouched: true,
    seeks: Seeks::Originals,
    unasked: Some(UnaskedLimit {
        n_records: UNASKED_UP_TO,
        not_asked_by: &[],
        ask: "--set links=all, or use `bauta link`",
    }),
    by_variable: false,
    threat: Threat::Linkage,
    ..MeasureCard::LOSS
};

/// What the intruder knows, and how he links.
pub struct Settings {
    keys: Vec<String>,
    links: Links,
    correspondence: Option<Correspondence>,
    linkage: settings::Settings,
}

impl MeasureMethod for Pld {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        let keys = dld::keys_asked(params);
        let linkage = settings::Settings::asked(params).and_then(|linkage| {
            let idle = [
                settings::UPPER,
                settings::LOWER,
                settings::FALSE_LINKS,
                settings::MISSED_LINKS,
            ];
            let idle = idle.iter().filter(|spec| params.is_set(spec.name));
            let idle: Vec<ParamProblem> = idle.map(of_link_alone).collect();
            if idle.is_empty() {
                Ok(linkage)
            } else {
                Err(idle)
            }
        });
        match (keys, linkage) {
            (Ok(keys), Ok(linkage)) => Ok(Settings {
                keys,
                links: params.choice_of(LINKS.name),
                correspondence: Correspondence::asked(params),
                linkage,
            }),
            (keys, linkage) => {
                let mut problems = keys.err().unwrap_or_default();
                problems.extend(linkage.err().unwrap_or_default());
                Err(problems)
            }
        }
    }

    fn check(&self, settings: &Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        let is_on = |key: &str| on.iter().any(|on| on.name == key);
        let mut problems = dld::keys_not_measured(&settings.keys, is_on);
        problems.extend(settings.linkage.check(on));
        problems
    }

    fn numbers_of(&self, _: &FigureSpec, settings: &Settings, on: &[String]) -> Vec<f64> {
        let links = settings.links.of(&settings.keys, on);
        links.iter().map(|keys| keys.len() as f64).collect()
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let links = dld::links(settings.links, &settings.keys, task)?;
        matched(settings.correspondence, task, context, |task| {
            linked(task, &links, &settings.linkage, context)
        })
    }
}

/// A threshold that the measure has no use for.
fn of_link_alone(spec: &ParamSpec) -> ParamProblem {
    ParamProblem::of(
        spec.name,
        format!("`{}` has no effect on a figure of pld", spec.name),
        "leave it out; `bauta link --set` sorts links by it",
    )
}

/// Links by each set of keys. The masked records are traced to the originals that are right.
pub(crate) fn linked(
    task: &MeasureTask<'_>,
    links: &[&[String]],
    settings: &settings::Settings,
    context: &RunContext<'_>,
) -> Result<Measurement, MethodError> {
    let pair = task.both()?;
    check_rows(&pair)?;
    let mut per_record = RecordMeans::new(pair.masked.n_records());
    let mut rates = Vec::new();
    let mut last: Option<Linked> = None;
    for keys in links {
        // What the last one, by all keys, states is what readers ask for.
        let quiet = RunContext::new(0, "linkage", context.watch());
        let found = link(pair, keys, settings, &quiet)?;
        if keys.len() == links.last().map_or(0, |keys| keys.len()) {
            quiet
                .into_notes()
                .into_iter()
                .for_each(|note| context.note(note));
        }
        if let Some(truth) = &found.truth {
            per_record.add(&truth.credits);
        }
        rates.push(found.rate());
        last = Some(found);
    }
    let (per_record, _) = per_record.finish();
    let n = per_record.len();
    let mut found = Measurement {
        value: (n > 0).then(|| sum_by(n, |record| per_record[record]) / n as f64),
        per_record: Some(per_record),
        ..Measurement::default()
    };
    for (keys, rate) in links.iter().zip(&rates) {
        found.give(PLD.at(keys.len() as f64), *rate);
    }
    if links.len() > 1 {
        let points = links.iter().zip(rates);
        let points = points.map(|(keys, rate)| Part::new(keys.len().to_string(), rate));
        found.series.push(Series::new(
            "share re-identified by number of keys known",
            "share of records",
            Unit::Share,
            points.collect(),
        ));
    }
    if let Some(last) = last {
        figures_of(&last, &mut found);
        found.exhibits = shown::exhibits(&last);
        let exposure = Exposure::of(&last, &pair, task.on)?;
        found.listed = exposure.as_ref().map_or_else(Vec::new, shown::most_exposed);
    }
    Ok(found)
}

fn figures_of(linked: &Linked, found: &mut Measurement) {
    let truth = linked.truth.as_ref();
    found.give(&ZONE, linked.zone_rate());
    found.give(&ZONE_LINKS, truth.map(|truth| truth.zone.n_links));
    found.give(&CORRECT, truth.map(|truth| truth.correct));
    found.give(&N_LINKS, linked.n_links());
    found.give(&SURE, linked.n_sure());
    found.give(&TOTAL, linked.total_weight);
    found.give(&TRUE_WEIGHT, truth.map(|truth| truth.true_pair_weight));
    let n_not = truth.and_then(|truth| truth.n_not_candidates);
    found.give(&NOT_CANDIDATES, n_not.map(|n| n as f64));
    found.give(
        &GAP,
        linked.certificate.map(|certificate| certificate.gap()),
    );
}

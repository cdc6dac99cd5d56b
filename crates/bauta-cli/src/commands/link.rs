//! `bauta link`: an attack on a masked file, and what came of it.

use bauta_methods::linkage::Thresholds;
use bauta_methods::linkage::exposed::{ExposedRecord, Exposure};
use bauta_methods::linkage::linked::{Linked, SURE};
use bauta_methods::linkage::settings::Choosing;
use bauta_methods::{Choice as _, Note};
use bauta_plan::work::compare::{PairBy, Pairing};
use bauta_plan::work::link::{
    KnownBy, LinkFound, LinkRequest, TwoReleases, link_files, link_releases,
};
use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::arguments::{Global, LinkArguments};
use crate::failure::Failure;
use crate::print::{object, out, say};
use crate::progress::Progress;
use crate::recovery::recover_beside;
use crate::tables::{figure, figure_text, percent, table, text};

pub(crate) fn run(arguments: &LinkArguments, global: &Global) -> Result<Outcome, Failure> {
    let files = [&arguments.original, &arguments.masked];
    recover_beside(
        files
            .into_iter()
            .chain(&arguments.source)
            .chain(&arguments.output),
    );
    let request = request(arguments);
    let reading = arguments.reading.reading(global);
    let progress = Progress::new(global.quiet || global.json);
    if let Some(source) = &arguments.source {
        if arguments.output.is_some() {
            return Err(Failure::mistake(
                "two releases have no single list of links",
                "leave --output out, or link each release with the original",
            ));
        }
        let files = [arguments.original.as_path(), arguments.masked.as_path()];
        let found = link_releases(files, source, &reading, &request, &progress)?;
        drop(progress);
        show_releases(&found, arguments, global);
        return Ok(Outcome::Fine);
    }
    let found = link_files(
        &arguments.original,
        &arguments.masked,
        &reading,
        &request,
        arguments.output.as_deref(),
        global.replace(),
        &progress,
    )?;
    drop(progress);
    if global.json {
        object(&found_json(&found, arguments));
    } else {
        show(&found, arguments);
        if !global.quiet {
            found
                .notes
                .iter()
                .for_each(|note| say!("note: {}", note.text));
            if let Some(output) = &arguments.output {
                say!(
                    "wrote the links to {}, which is confidential",
                    output.display()
                );
            }
        }
    }
    Ok(Outcome::Fine)
}

fn request(arguments: &LinkArguments) -> LinkRequest {
    let pair_by = match (arguments.id.as_slice(), arguments.by_row) {
        ([], false) => PairBy::Row,
        ([], true) => PairBy::RowInAnyCase,
        (id, _) => PairBy::Id(id.to_vec()),
    };
    let truth = if arguments.register {
        KnownBy::Nothing
    } else {
        KnownBy::Pairing(pair_by)
    };
    // Without a truth only weights that are likelihoods say how sure an intruder could be.
    let parameters = arguments
        .parameters
        .clone()
        .or_else(|| arguments.register.then(|| "em".to_owned()));
    let named = [
        ("metric", arguments.metric.clone()),
        (
            "tolerance",
            arguments.tolerance.map(|tolerance| tolerance.to_string()),
        ),
        ("parameters", parameters),
        ("assignment", arguments.assignment.clone()),
        ("candidates", arguments.candidates.map(|n| n.to_string())),
    ];
    let named = named
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    LinkRequest {
        original: arguments.original.display().to_string(),
        masked: arguments.masked.display().to_string(),
        on: arguments.on.clone(),
        categories: arguments.categories.clone(),
        ordered: arguments.ordered.clone(),
        hierarchies: arguments.hierarchy.clone(),
        truth,
        set: named.chain(arguments.set.iter().cloned()).collect(),
    }
}

fn show(found: &LinkFound, arguments: &LinkArguments) {
    let linked = &found.linked;
    out!(
        "{} of {} against {} of {}, by {}.",
        if linked.n_original == 1 {
            "1 record".to_owned()
        } else {
            format!("{} records", linked.n_original)
        },
        arguments.original.display(),
        linked.n_masked,
        arguments.masked.display(),
        found.on.join(", ")
    );
    match &found.pairing {
        Some(pairing) => out!("{}", pairing.in_words()),
        None => out!(
            "Nobody knows which records belong together: what follows is what an intruder would believe."
        ),
    }
    out!("{}", verdict(linked));
    if let Some(exposure) = &found.exposure {
        show_exposure(exposure);
    }
    let mut rows = table(["figure", "value"]);
    for (name, value) in figures(linked) {
        rows.add_row([text(name), figure(value)]);
    }
    out!("{rows}");
    let mut rows = table([
        "variable",
        "compared by",
        "m",
        "u",
        "agreement",
        "disagreement",
    ]);
    for one in &linked.parameters {
        rows.add_row([
            text(one.name.as_str()),
            text(one.comparator.name()),
            figure(one.m),
            figure(one.u),
            figure(Some(one.agree).filter(|weight| weight.is_finite())),
            figure(Some(one.disagree).filter(|weight| weight.is_finite())),
        ]);
    }
    out!("{rows}");
}

/// Who is found: outliers apart from the others, and the rows that are found most surely.
fn show_exposure(exposure: &Exposure) {
    if let Some([outliers, others]) = exposure.apart {
        out!(
            "Of the {} records that stand out most by their numbers {} are found, of the others {}.",
            outliers.n,
            percent(outliers.rate()),
            percent(others.rate())
        );
    }
    let rows = |wanted: &dyn Fn(&ExposedRecord) -> bool| -> String {
        let rows = exposure.most.iter().filter(|one| wanted(one)).take(N_ROWS);
        let rows: Vec<String> = rows.map(|one| (one.original + 1).to_string()).collect();
        rows.join(", ")
    };
    let all = rows(&|_| true);
    if !all.is_empty() {
        out!("Found most surely are rows {all} of the original.");
    }
    let outliers = rows(&|one| one.is_outlier == Some(true));
    if !outliers.is_empty() {
        out!("Of those that stand out, rows {outliers}.");
    }
}

/// Rows that are named as found most surely.
const N_ROWS: usize = 10;

fn exposed_json(exposed: &[ExposedRecord]) -> Value {
    let of = |one: &ExposedRecord| {
        json!({
            "original_row": one.original + 1,
            "found": one.found,
            "weight": one.weight,
            "outlier": one.is_outlier,
        })
    };
    Value::Array(exposed.iter().map(of).collect())
}

/// What a person should believe, in a sentence or two.
fn verdict(linked: &Linked) -> String {
    let links = figure_text(Some(linked.n_links()));
    let sure = match (linked.n_sure(), linked.expected) {
        (Some(sure), Some(expected)) => format!(
            " By the weights an intruder could be sure (at least {SURE}) of {} and expect {} to be right.",
            figure_text(Some(sure)),
            figure_text(Some(expected.round()))
        ),
        _ => " Weights of this kind do not say how sure an intruder could be; em, refined and truth with an assignment do.".to_owned(),
    };
    let Some(truth) = &linked.truth else {
        return format!("{links} possible re-identifications.{sure}");
    };
    // Who reads one line only must not take it for all that could be found.
    let n_not = truth.n_not_candidates.unwrap_or(0);
    let missed = if linked.looked_at.is_some() || n_not as f64 > 0.1 * truth.n_partners as f64 {
        format!(
            " The share is likely TOO LOW: for {n_not} of them the original was not looked at or not among the candidates."
        )
    } else {
        String::new()
    };
    format!(
        "{} of {} masked records re-identified ({}); above the cut, where at least {} of the links are right, {}.{missed}{sure}",
        figure_text(Some(truth.correct)),
        linked.n_masked,
        percent(linked.rate()),
        percent(Some(truth.zone.cut)),
        percent(linked.zone_rate()),
    )
}

fn figures(linked: &Linked) -> Vec<(&'static str, Option<f64>)> {
    let truth = linked.truth.as_ref();
    let mut figures = vec![
        ("links", Some(linked.n_links())),
        ("right links", truth.map(|truth| truth.correct)),
        ("links above the cut", truth.map(|truth| truth.zone.n_links)),
        (
            "right links above the cut",
            truth.map(|truth| truth.zone.correct),
        ),
        ("weight of the links", Some(linked.total_weight)),
        (
            "weight of the true pairs",
            truth.map(|truth| truth.true_pair_weight),
        ),
    ];
    if let Some(n) = truth.and_then(|truth| truth.n_not_candidates) {
        figures.push(("records whose original was no candidate", Some(n as f64)));
    }
    if let Some([links, possible, none]) = decided(linked) {
        let thresholds = linked.thresholds;
        figures.push(("called links", Some(links)));
        figures.push(("from the weight (T_mu)", thresholds.map(|both| both.upper)));
        figures.push(("called possible links", Some(possible)));
        figures.push((
            "from the weight (T_lambda)",
            thresholds.map(|both| both.lower),
        ));
        figures.push(("called no links", Some(none)));
    }
    figures
}

/// Links, possible links and no links by the thresholds.
fn decided(linked: &Linked) -> Option<[f64; 3]> {
    let Thresholds { upper, lower } = linked.thresholds?;
    let (links, possible) = (linked.n_from(upper), linked.n_from(lower));
    Some([links, possible - links, linked.n_links() - possible])
}

fn found_json(found: &LinkFound, arguments: &LinkArguments) -> Value {
    let mut object = linked_json(&found.linked);
    let linked = &found.linked;
    let decided = decided(linked).zip(linked.thresholds);
    let more = json!({
        "original": arguments.original.display().to_string(),
        "masked": arguments.masked.display().to_string(),
        "on": found.on,
        "pairing": found.pairing.as_ref().map(Pairing::in_words),
        "decided": decided.map(|([links, possible, none], thresholds)| json!({
            "links": links,
            "possible": possible,
            "no_links": none,
            "upper": thresholds.upper,
            "lower": thresholds.lower,
        })),
        "outliers": found.exposure.as_ref().and_then(|exposure| exposure.apart).map(|[outliers, others]| json!({
            "records": outliers.n,
            "correct": outliers.correct,
            "rate": outliers.rate(),
            "rate_of_others": others.rate(),
        })),
        "most_exposed": found.exposure.as_ref().map(|exposure| exposed_json(&exposure.most)),
        "notes": found.notes.iter().map(Note::to_json).collect::<Vec<_>>(),
    });
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    object
}

fn linked_json(linked: &Linked) -> Value {
    let truth = linked.truth.as_ref();
    let zone = truth.map(|truth| {
        json!({
            "cut": truth.zone.cut,
            "rate": linked.zone_rate(),
            "links": truth.zone.n_links,
            "correct": truth.zone.correct,
            "weight": truth.zone.lowest_weight,
        })
    });
    let certificate = linked.certificate.map(|certificate| {
        json!({
            "total": certificate.total,
            "dual_total": certificate.dual_total,
            "gap": certificate.gap(),
            "largest_violation": certificate.largest_violation,
            "wrong": certificate.n_wrong,
            "over": if linked.way == Choosing::Dense { "all pairs" } else { "candidates" },
            "beyond_candidates": linked.beyond,
        })
    });
    let parameters: Map<String, Value> = (linked.parameters.iter())
        .map(|one| {
            let weights = json!({
                "compared": one.comparator.name(),
                "m": one.m,
                "u": one.u,
                "agreement": one.agree,
                "disagreement": one.disagree,
            });
            (one.name.clone(), weights)
        })
        .collect();
    json!({
        "records": linked.n_masked,
        "original_records": linked.n_original,
        "links": linked.n_links(),
        "total_weight": linked.total_weight,
        "true_pair_weight": truth.map(|truth| truth.true_pair_weight),
        "correct": truth.map(|truth| truth.correct),
        "rate": linked.rate(),
        "zone": zone,
        "sure": linked.n_sure(),
        "expected": linked.expected,
        "not_among_candidates": truth.and_then(|truth| truth.n_not_candidates),
        "assignment": linked.way.name(),
        "why": linked.why,
        "looked_at": linked.looked_at,
        "certificate": certificate,
        "em": linked.course.map(|course| json!({
            "rounds": course.rounds,
            "converged": course.converged,
            "log_likelihood": course.log_likelihood,
            "proportion": course.proportion,
        })),
        "estimated_from": linked.used.map(|used| json!({
            "original_records": used.n_original,
            "pairs": used.n_pairs,
            "all": used.all,
        })),
        "parameters": parameters,
        "contributions": truth.map(|truth| contributions(linked, &truth.contributions)),
        "precision": truth.map(|truth| precision(linked, &truth.precision)),
    })
}

/// What two releases together tell: he who has both may leave one aside.
fn verdict_of_two(found: &TwoReleases) -> String {
    let rate = |linked: &Linked| linked.rate().unwrap_or(0.0);
    let alone = rate(&found.first).max(rate(&found.second));
    let first = percent(Some(rate(&found.first)));
    let [alone_text, together] = [alone, rate(&found.together)].map(|rate| percent(Some(rate)));
    if rate(&found.together) > alone {
        format!(
            "With the first release alone an intruder re-identifies {first}, with both {together}."
        )
    } else if alone > rate(&found.first) {
        format!(
            "With the first release alone an intruder re-identifies {first}, with the second {alone_text}; to put their records together helps no further ({together})."
        )
    } else {
        format!(
            "With the first release alone an intruder re-identifies {first}; to put records of both together helps no further ({together})."
        )
    }
}

/// Mean weight of each variable in right and in wrong links.
fn contributions(linked: &Linked, means: &[[Option<f64>; 2]]) -> Value {
    let both = linked.parameters.iter().zip(means);
    let of = both
        .map(|(one, [right, wrong])| (one.name.clone(), json!({ "right": right, "wrong": wrong })));
    Value::Object(of.collect())
}

/// Precision and recall from the top of the list of links down.
fn precision(linked: &Linked, points: &[[f64; 2]]) -> Value {
    let of = |[links, share]: &[f64; 2]| {
        json!({
            "links": links,
            "precision": share,
            "recall": links * share / linked.n_masked.max(1) as f64,
        })
    };
    Value::Array(points.iter().map(of).collect())
}

fn show_releases(found: &TwoReleases, arguments: &LinkArguments, global: &Global) {
    if global.json {
        object(&json!({
            "between": linked_json(&found.between),
            "shared": found.shared,
            "added": found.added,
            "first": linked_json(&found.first),
            "second": linked_json(&found.second),
            "together": linked_json(&found.together),
            "notes": found.notes.iter().map(Note::to_json).collect::<Vec<_>>(),
        }));
        return;
    }
    let added = if found.added.is_empty() {
        "no variable that the first has not".to_owned()
    } else {
        found.added.join(", ")
    };
    out!(
        "The releases share {}; the second adds {added}.",
        found.shared.join(", ")
    );
    let mut rows = table(["linked", "right links", "share", "above the cut"]);
    let first = arguments.original.display().to_string();
    let second = arguments.masked.display().to_string();
    let linked = [
        (format!("{first} with {second}"), &found.between),
        (format!("original with {first}"), &found.first),
        (format!("original with {second}"), &found.second),
        (
            "original with both, put together by their links".to_owned(),
            &found.together,
        ),
    ];
    for (name, linked) in linked {
        let correct = linked.truth.as_ref().map(|truth| truth.correct);
        rows.add_row([
            text(name),
            figure(correct),
            text(percent(linked.rate())),
            text(percent(linked.zone_rate())),
        ]);
    }
    out!("{rows}");
    out!("{}", verdict_of_two(found));
    if !global.quiet {
        found
            .notes
            .iter()
            .for_each(|note| say!("note: {}", note.text));
    }
}

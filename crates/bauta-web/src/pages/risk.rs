//! The risk by one set of keys: who stands out, what could be found, which key contributes, what recoding would buy.

use bauta_methods::Choice as _;
use bauta_methods::keys::Semantics;
use bauta_plan::work::risk::{Left, RiskFound, RiskRequest, Riskiest};
use bauta_report::svg::{Chart, ChartSeries, Look, bars};
use bauta_report::{Unit, Written as _};
use maud::{Markup, html};

use crate::risks::Counted;

/// What was found, without a value of any key.
pub(crate) fn written(counted: &Counted, labels: &[(String, String)]) -> Markup {
    let Counted {
        request,
        found,
        n_records,
    } = counted;
    if *n_records == 0 {
        return html! { p { "The file has no record." } };
    }
    html! {
        (assumptions(request, labels))
        (stands_out(request, found, *n_records))
        (expected(request, found))
        (contributions(request, found))
        (levels(request, found))
        (riskiest(request, found))
        @if !found.notes.is_empty() {
            h3 { "To know" }
            ul { @for note in &found.notes { li { (note.text) } } }
        }
    }
}

/// While figures are being counted.
pub(crate) fn going() -> Markup {
    html! { p class="soft" { "The keys are being counted; the figures come when that is done." } }
}

fn count(value: Option<f64>) -> String {
    Unit::Count.text_or_dash(value)
}

fn share(value: Option<f64>) -> String {
    Unit::Share.text_or_dash(value)
}

fn number(value: Option<f64>) -> String {
    Unit::Number.text_or_dash(value)
}

fn assumptions(request: &RiskRequest, labels: &[(String, String)]) -> Markup {
    let named: Vec<String> = (request.keys.iter())
        .map(|key| match labels.iter().find(|(name, _)| name == key) {
            Some((_, label)) => format!("{key} ({label})"),
            None => key.clone(),
        })
        .collect();
    let semantics = Semantics::CHOICES
        .iter()
        .find(|(name, _)| *name == request.semantics.name());
    html! {
        p {
            "The intruder knows " (named.join(", ")) ". "
            @match &request.weight {
                Some(weight) => { "The file is taken for a sample with the weight " (weight) ". " }
                None => "The file is taken for a census, since the plan names no weight: an intruder knows who is in it. ",
            }
            @if let Some((name, meaning)) = semantics {
                "Missing keys count as " code { (name) } ": " (meaning) "."
            }
        }
    }
}

fn stands_out(request: &RiskRequest, found: &RiskFound, n_records: usize) -> Markup {
    let below = |k: i64| found.counted.part(&format!("below_{k}"));
    let chart = Chart {
        id: "below-k".to_owned(),
        title: "Records that few others are like".to_owned(),
        axis: "records".to_owned(),
        unit: Unit::Count,
        categories: (request.k.iter())
            .map(|k| match k {
                2 => "alone".to_owned(),
                k => format!("fewer than {k} alike"),
            })
            .collect(),
        series: vec![ChartSeries {
            name: "raw file".to_owned(),
            look: Look::Original,
            values: request.k.iter().map(|&k| below(k)).collect(),
        }],
    };
    html! {
        h3 { "Who stands out" }
        table class="facts" {
            tbody {
                tr { th scope="row" { "Records" } td { (count(Some(n_records as f64))) } }
                tr { th scope="row" { "Alone with their key" } td id="uniques" { (count(found.counted.part("uniques"))) } }
                tr { th scope="row" { "Smallest group" } td { (count(found.counted.value)) } }
                @for &k in request.k.iter().filter(|&&k| k > 2) {
                    tr { th scope="row" { "In groups of fewer than " (k) } td { (count(below(k))) } }
                }
            }
        }
        figure class="one-chart" { figcaption { (chart.title) } (bars(&chart)) }
    }
}

fn expected(request: &RiskRequest, found: &RiskFound) -> Markup {
    let part = |name: &str| found.individual.part(name);
    html! {
        h3 { "What an intruder could find who looks for everyone" }
        table class="facts" {
            tbody {
                tr { th scope="row" { "Expected re-identifications" } td { (number(part("expected_reidentifications"))) } }
                tr { th scope="row" { "Largest risk of a record" } td { (share(part("max"))) } }
                tr {
                    th scope="row" { "Records with a risk above " (share(Some(request.threshold))) }
                    td { (count(part("above_threshold"))) }
                }
                @if request.household.is_some() {
                    tr { th scope="row" { "Largest risk of a household" } td { (share(part("household_max"))) } }
                }
            }
        }
    }
}

fn contributions(request: &RiskRequest, found: &RiskFound) -> Markup {
    let k = request.k_of_contribution();
    let all = found.left_out();
    if all.len() < 2 {
        return html! {};
    }
    html! {
        h3 { "What each key contributes" }
        p { "What is left if an intruder does not know the key, or if it is not released." }
        (left_table("left out", k, &all, |left| (if left.is_changed() { left.name } else { "nothing" }.to_owned(), String::new())))
    }
}

fn levels(request: &RiskRequest, found: &RiskFound) -> Markup {
    let all: Vec<Left<'_>> = found
        .by_level()
        .into_iter()
        .filter(Left::is_changed)
        .collect();
    html! {
        h3 { "What each recoding would buy" }
        @if all.is_empty() {
            p { "No key has a hierarchy that leads further up. Give one to a key on its page under Variables, and each level is counted here." }
        } @else {
            (left_table("recode", request.k_of_contribution(), &all, |left| {
                let (key, level) = left.key_and_level();
                (key.to_owned(), format!(" to level {level}"))
            }))
        }
    }
}

fn left_table(
    heading: &str,
    k: i64,
    all: &[Left<'_>],
    name: impl Fn(&Left<'_>) -> (String, String),
) -> Markup {
    html! {
        div class="scroll" role="region" aria-label=(heading) tabindex="0" {
            table {
                thead {
                    tr {
                        th scope="col" { (heading) } th scope="col" class="number" { "in groups below " (k) }
                        th scope="col" class="number" { "alone" } th scope="col" class="number" { "expected" }
                    }
                }
                tbody {
                    @for left in all {
                        @let (what, more) = name(left);
                        tr {
                            th scope="row" { (what) (more) } td class="number" { (count(left.below)) }
                            td class="number" { (count(left.uniques)) } td class="number" { (number(left.expected)) }
                        }
                    }
                }
            }
        }
    }
}

fn riskiest(request: &RiskRequest, found: &RiskFound) -> Markup {
    let enough = |one: &Riskiest| match one.enough.as_slice() {
        [] => "shares all its keys".to_owned(),
        keys => keys.join(", "),
    };
    html! {
        @if !found.riskiest.is_empty() {
            h3 { "The riskiest records" }
            p { "Each with the smallest set of keys that nobody shares with it. Their values stand in the internal report of a run, and nowhere on this page." }
            div class="scroll" role="region" aria-label="The riskiest records" tabindex="0" {
                table {
                    thead {
                        tr {
                            th scope="col" class="number" { "row" } th scope="col" class="number" { "alike in the file" }
                            @if request.weight.is_some() { th scope="col" class="number" { "in the population" } }
                            th scope="col" class="number" { "risk" } th scope="col" { "singled out by" }
                        }
                    }
                    tbody {
                        @for one in &found.riskiest {
                            tr {
                                td class="number" { (one.row) } td class="number" { (count(one.f)) }
                                @if request.weight.is_some() { td class="number" { (number(one.big_f)) } }
                                td class="number" { (share(one.risk)) } td { (enough(one)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

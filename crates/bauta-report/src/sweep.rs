//! The page of a sweep: the map of risk and utility, the front, and every variant. Confidential.

use bauta_methods::Better;
use bauta_plan::record::MeasureRecord;
use bauta_plan::sweep::{FigureChoice, Grid, TradeAxis, TradeOff, VariantOutcome};
use maud::{Markup, html};

use crate::csv::{Sheet, figure};
use crate::number::{NO_FIGURE, Unit, Written as _, count, counted};
use crate::page::{Front, Section, page, scrolling, scrolling_tall};
use crate::svg::{MAX_NAMED, MapOptions, risk_utility_map, risk_utility_svg};

/// Longest table that stands open.
const MAX_OPEN_ROWS: usize = 30;

/// A sweep as its readers see it.
#[derive(Clone, Copy, Debug)]
pub struct SweepPage<'a> {
    /// The name of the plan.
    pub plan: &'a str,
    /// Its axes and variants.
    pub grid: &'a Grid,
    /// What came of each variant, in their order.
    pub outcomes: &'a [VariantOutcome],
    /// Where they lie between risk and utility; none where nothing of the kind was measured.
    pub trade: Option<&'a TradeOff>,
    /// The position of the variant that was chosen.
    pub chosen: Option<usize>,
    /// Why it was.
    pub why: Option<&'a str>,
}

impl SweepPage<'_> {
    /// One page without scripts or links to anything outside it. Confidential.
    pub fn html(&self) -> String {
        let title = format!("Sweep of {}", self.plan);
        let kind = "Variants of a plan between risk and utility, for the release committee";
        self.html_with(&title, kind, Vec::new())
    }

    /// The same with another title, and sections after the map.
    pub(crate) fn html_with(&self, title: &str, kind: &str, more: Vec<Section>) -> String {
        let front = Front {
            title,
            kind,
            mark: Some("Confidential: holds seeds, parameters and risk figures"),
            block: self.summary(),
        };
        let mut sections = Vec::new();
        if let Some(trade) = self.trade {
            sections.push(Section::new("map", "Risk and utility", self.map(trade)));
        }
        sections.extend(more);
        if let Some(front) = self.trade.map(|trade| self.front(trade)) {
            sections.push(Section::new("front", "The front", front));
        }
        let all: Vec<usize> = (0..self.outcomes.len()).collect();
        let variants = self.table("Every variant, by the numbers of the map", &all);
        sections.push(Section::new("variants", "Variants", variants));
        sections.push(Section::new("axes", "Axes", self.axes()));
        if self.outcomes.iter().any(|outcome| outcome.found.is_err()) {
            sections.push(Section::new(
                "failed",
                "What could not be run",
                self.failed(),
            ));
        }
        let foot = html! {
            p {
                "Written by Bauta. The records of the variants lie beside this page. Whoever tries seeds until a \
                 condition holds has found a seed, not a method: judge a choice again under other seeds."
            }
        };
        page(&front, &sections, &foot).into_string()
    }

    /// The map as a file of its own; none where there is no trade-off.
    pub fn svg(&self) -> Option<String> {
        let names = self.names();
        let trade = self.trade?;
        Some(risk_utility_svg(trade, &self.options(&names)))
    }

    /// A row for each variant: its axes, its place in the map, the value of every measure.
    pub fn csv(&self) -> String {
        let measures = self.measures();
        let mut headings = vec!["number".to_owned(), "variant".to_owned()];
        headings.extend(self.grid.axes.iter().map(|axis| axis.name.clone()));
        let of_all = ["gates", "repeatable", "front", "risk", "loss", "utility"];
        headings.extend(of_all.map(str::to_owned));
        headings.extend(measures.iter().map(FigureChoice::spelled));
        headings.push("failed".to_owned());
        let mut sheet = Sheet::new("table", headings.iter().map(String::as_str));
        for (position, outcome) in self.outcomes.iter().enumerate() {
            let mut cells = vec![(position + 1).to_string(), outcome.id.clone()];
            cells.extend(self.values(position).iter().cloned());
            let point = self.trade.and_then(|trade| trade.points.get(position));
            cells.push(outcome.conditions().to_owned());
            cells.push(repeatable(outcome).to_owned());
            let on_front = point.is_some_and(|point| point.on_front);
            cells.push(if on_front { "yes" } else { "no" }.to_owned());
            cells.push(figure(point.and_then(|point| point.risk)));
            cells.push(figure(point.and_then(|point| point.loss)));
            cells.push(figure(point.and_then(|point| point.utility)));
            let found = outcome.found.as_ref().ok();
            let found = found.map_or(&[][..], |record| &record.measures);
            let value = |choice: &FigureChoice| choice.find(found).and_then(|of| of.value);
            cells.extend(measures.iter().map(|choice| figure(value(choice))));
            cells.push(outcome.found.as_ref().err().cloned().unwrap_or_default());
            sheet.push(cells);
        }
        sheet.done().text
    }

    /// The values of all measures of the whole file that any variant has.
    fn measures(&self) -> Vec<FigureChoice> {
        let records = self.outcomes.iter().filter_map(|of| of.found.as_ref().ok());
        let measures = records.flat_map(|record| &record.measures);
        let whole = |measure: &&MeasureRecord| {
            measure.condition.is_none() && !measure.value.label.is_empty()
        };
        let mut choices: Vec<FigureChoice> = Vec::new();
        for measure in measures.filter(whole) {
            let choice = FigureChoice {
                scenario: measure.scenario.clone(),
                ..FigureChoice::value_of(&measure.id)
            };
            if !choices.contains(&choice) {
                choices.push(choice);
            }
        }
        choices
    }

    fn values(&self, position: usize) -> &[String] {
        let variant = self.grid.variants.get(position);
        variant.map_or(&[], |variant| &variant.values)
    }

    /// What each variant is in a few words.
    fn names(&self) -> Vec<String> {
        let all = 0..self.outcomes.len();
        all.map(|position| self.values(position).join(", "))
            .collect()
    }

    /// What the names beside the points are.
    fn names_in_words(&self) -> String {
        let axes: Vec<&str> = self
            .grid
            .axes
            .iter()
            .map(|axis| axis.name.as_str())
            .collect();
        if self.outcomes.len() <= MAX_NAMED && !axes.is_empty() {
            format!("Beside the points stands {}.", axes.join(", "))
        } else {
            "Numbers beside the points are those of the table below.".to_owned()
        }
    }

    fn options<'n>(&self, names: &'n [String]) -> MapOptions<'n> {
        MapOptions {
            id: "map-of-variants",
            title: "Variants between risk and utility",
            names,
            chosen: self.chosen,
        }
    }

    fn summary(&self) -> Markup {
        let n_failed = self.outcomes.iter().filter(|of| of.found.is_err()).count();
        let judged: Vec<bool> = self
            .outcomes
            .iter()
            .filter_map(VariantOutcome::passed)
            .collect();
        let n_holding = judged.iter().filter(|&&holds| holds).count();
        let n_front = self.trade.map(|trade| {
            let on_front = trade.points.iter().filter(|point| point.on_front);
            on_front.count() as u64
        });
        html! {
            dl class="tiles" {
                div { dt { "Variants" } dd { (count(self.outcomes.len() as u64)) } }
                @if let Some(n_front) = n_front { div { dt { "On the front" } dd { (count(n_front)) } } }
                @if !judged.is_empty() {
                    div { dt { "All conditions hold" } dd { (count(n_holding as u64)) } }
                }
                @if n_failed > 0 { div { dt { "Could not be run" } dd { (count(n_failed as u64)) } } }
            }
            @if self.outcomes.iter().any(VariantOutcome::is_timed) {
                p {
                    "Variants that are marked as limited by time have a step that the clock ended or could have: another \
                     run may find other figures."
                }
            }
            @if !judged.is_empty() && n_holding == 0 {
                p class="verdict bad" { "No variant holds every condition of release." }
            }
        }
    }

    fn map(&self, trade: &TradeOff) -> Markup {
        let names = self.names();
        html! {
            figure {
                figcaption {
                    (self.options(&names).title)
                    small { (how_to_read(trade)) " " (self.names_in_words()) }
                }
                (risk_utility_map(trade, &self.options(&names)))
            }
            (ends(trade))
            @if let Some(outcome) = self.chosen.and_then(|position| self.outcomes.get(position)) {
                p {
                    strong { "Chosen: No. " (self.chosen.map_or(0, |position| position + 1)) }
                    ", " code { (outcome.id) }
                    @if let Some(why) = self.why { ": " (why) }
                }
            }
        }
    }

    fn axes(&self) -> Markup {
        let caption = "What the variants differ in";
        let body = html! {
            table class="narrow" {
                caption { (caption) }
                thead { tr { th scope="col" { "Axis" } th scope="col" { "Values" } } }
                tbody {
                    @for axis in &self.grid.axes {
                        tr { th scope="row" { (axis.name) } td { (axis.values.join(", ")) } }
                    }
                }
            }
        };
        scrolling(caption, &body)
    }

    /// The variants that no other one beats, the safest first.
    fn front(&self, trade: &TradeOff) -> Markup {
        let points = trade.points.iter().enumerate();
        let front = points.filter(|(_, point)| point.on_front);
        let mut front: Vec<usize> = front.map(|(position, _)| position).collect();
        front.sort_by(|&a, &b| {
            let utility = |position: usize| trade.points[position].utility.unwrap_or(0.0);
            utility(a).total_cmp(&utility(b)).then(a.cmp(&b))
        });
        let caption = "Variants that no other one beats in both risk and utility, the safest first";
        self.table(caption, &front)
    }

    fn table(&self, caption: &str, positions: &[usize]) -> Markup {
        let body = html! {
            table {
                caption { (caption) }
                thead {
                    tr {
                        th scope="col" class="number" { "No." }
                        th scope="col" { "Variant" }
                        @for axis in &self.grid.axes { th scope="col" { (axis.name) } }
                        @if let Some(trade) = self.trade {
                            th scope="col" class="number" { "Risk: " (trade.risk.figure.spelled()) }
                            th scope="col" class="number" { "Loss: " (trade.loss.figure.spelled()) }
                            th scope="col" class="number" { "Utility" }
                            th scope="col" { "Front" }
                        }
                        th scope="col" class="outcome" { "Conditions" }
                    }
                }
                tbody {
                    @for &position in positions { (self.row(position)) }
                }
            }
        };
        if positions.len() > MAX_OPEN_ROWS {
            scrolling_tall(caption, &body)
        } else {
            scrolling(caption, &body)
        }
    }

    fn row(&self, position: usize) -> Markup {
        let outcome = &self.outcomes[position];
        let limits: Vec<f64> = self
            .trade
            .and_then(|trade| trade.tolerated)
            .into_iter()
            .collect();
        html! {
            tr {
                td class="number" { (position + 1) }
                th scope="row" {
                    code { (outcome.id) }
                    @if self.chosen == Some(position) { " " strong { "chosen" } }
                    @if outcome.is_timed() { " " em { "limited by time" } }
                }
                @for value in self.values(position) { td { (value) } }
                @if let Some(trade) = self.trade {
                    @let point = trade.points.get(position);
                    td class="number" {
                        (trade.risk.unit.text_beside_or_dash(point.and_then(|point| point.risk), &limits))
                    }
                    td class="number" { (trade.loss.unit.text_or_dash(point.and_then(|point| point.loss))) }
                    td class="number" { (Unit::Share.text_or_dash(point.and_then(|point| point.utility))) }
                    td { @if point.is_some_and(|point| point.on_front) { "on the front" } }
                }
                td class="outcome" {
                    @match outcome.conditions() {
                        "hold" => strong class="good" { "✓ hold" },
                        "fail" => strong class="bad" { "✗ fail" },
                        "failed" => strong class="bad" { "could not be run" },
                        _ => (NO_FIGURE),
                    }
                }
            }
        }
    }

    fn failed(&self) -> Markup {
        let failed = self.outcomes.iter().enumerate();
        let failed = failed.filter_map(|(position, of)| Some((position, of.found.as_ref().err()?)));
        html! {
            ul { @for (position, reason) in failed { li { (position + 1) ": " (reason) } } }
        }
    }
}

/// Whether another run of a variant finds the same; nothing is said of what could not be run.
pub(crate) fn repeatable(outcome: &VariantOutcome) -> &'static str {
    match &outcome.found {
        Err(_) => "",
        Ok(_) if outcome.is_timed() => "no",
        Ok(_) => "yes",
    }
}

/// What a reader of the map must know.
pub(crate) fn how_to_read(trade: &TradeOff) -> String {
    let better = |axis: &TradeAxis| match axis.better {
        Better::Higher => "higher",
        Better::Lower | Better::Neither => "lower",
    };
    let n_without = (trade.points.iter())
        .filter(|point| point.risk.is_none() || point.loss.is_none())
        .count();
    let without = if n_without > 0 {
        let n_without = counted(
            n_without as u64,
            "has no such figure",
            "have no such figure",
        );
        format!(" {n_without}, or count keys that a step perturbed, and cannot be drawn.")
    } else {
        String::new()
    };
    let end = if trade.loss.worst() == Some(trade.no_utility) {
        "where nothing is left"
    } else {
        "the largest that was found, rounded up: the left end loses most of what was tried, not everything"
    };
    format!(
        "Utility to the right, risk upward. Risk is {} ({} is safer); utility is 1 at the {} of the original ({} is \
         better) and 0 at {}, {end}. No release to the right of and below the line of the front was found.{without}",
        trade.risk.figure.spelled(),
        better(&trade.risk),
        trade.loss.figure.spelled(),
        better(&trade.loss),
        trade.loss.unit.text(trade.no_utility),
    )
}

/// The figures of the two ends, and of what is tolerated.
fn ends(trade: &TradeOff) -> Markup {
    html! {
        p {
            "The original, measured against itself: "
            (trade.risk.figure.spelled()) " " (trade.risk.unit.text_or_dash(trade.risk.original)) ", "
            (trade.loss.figure.spelled()) " " (trade.loss.unit.text_or_dash(trade.loss.original)) "."
            @if let Some(risk) = trade.tolerated {
                " Tolerated: " (trade.risk.figure.spelled()) " " (trade.risk.unit.exact(risk)) "."
            }
        }
    }
}

//! The page of a search: what was searched, the finalists between risk and utility, and the choice on fresh seeds.
//! Confidential.

use bauta_plan::tune::{Spread, Tuned};
use maud::{Markup, html};

use crate::csv::{Sheet, figure};
use crate::number::{Unit, Written as _, count};
use crate::page::{Section, scrolling};
use crate::sweep::{SweepPage, repeatable};

/// A search as its readers see it.
#[derive(Clone, Copy, Debug)]
pub struct TunePage<'a> {
    /// The name of the plan.
    pub plan: &'a str,
    /// What was found.
    pub tuned: &'a Tuned,
}

impl TunePage<'_> {
    /// One page without scripts or links to anything outside it. Confidential.
    pub fn html(&self) -> String {
        let title = format!("Search of {}", self.plan);
        let kind = "Finalists of a search between risk and utility, for the release committee";
        let mut sections = vec![Section::new(
            "searched",
            "What was searched",
            self.searched(),
        )];
        if !self.tuned.judged.is_empty() {
            sections.push(Section::new("fresh", "On fresh seeds", self.fresh_seeds()));
        }
        let why = self.tuned.why().map(|why| why.join("; "));
        let finalists = self.finalists(why.as_deref());
        finalists.html_with(&title, kind, sections)
    }

    /// The map of the finalists as a file of its own; none where there is no trade-off.
    pub fn svg(&self) -> Option<String> {
        self.finalists(None).svg()
    }

    /// A row for each run: what, on how many records, and what came of it.
    pub fn csv(&self) -> String {
        let tuned = self.tuned;
        let mut headings = vec!["stage", "records", "variant"];
        headings.extend(tuned.grid.axes.iter().map(|axis| axis.name.as_str()));
        headings.extend(["gates", "repeatable", "risk", "loss"]);
        headings.extend(["finalist", "chosen", "failed"]);
        let mut sheet = Sheet::new("table", headings);
        let chosen = tuned
            .chosen
            .map(|chosen| tuned.outcomes()[chosen].id.as_str());
        for (number, stage) in tuned.stages.iter().enumerate() {
            let is_last = number + 1 == tuned.stages.len();
            for (&candidate, outcome) in stage.candidates.iter().zip(&stage.outcomes) {
                let mut cells = vec![
                    (number + 1).to_string(),
                    stage.n_records.to_string(),
                    outcome.id.clone(),
                ];
                cells.extend(tuned.grid.variants[candidate].values.iter().cloned());
                cells.push(outcome.conditions().to_owned());
                cells.push(repeatable(outcome).to_owned());
                cells.extend(tuned.figures_of(outcome).map(figure));
                let is_chosen = is_last && chosen == Some(outcome.id.as_str());
                for is_so in [is_last, is_chosen] {
                    cells.push(if is_so { "yes" } else { "no" }.to_owned());
                }
                cells.push(outcome.found.as_ref().err().cloned().unwrap_or_default());
                sheet.push(cells);
            }
        }
        sheet.done().text
    }

    fn finalists<'p>(&'p self, why: Option<&'p str>) -> SweepPage<'p> {
        SweepPage {
            plan: self.plan,
            grid: &self.tuned.finalists,
            outcomes: self.tuned.outcomes(),
            trade: self.tuned.trade.as_ref(),
            chosen: self.tuned.chosen,
            why,
        }
    }

    fn searched(&self) -> Markup {
        let tuned = self.tuned;
        html! {
            ul {
                @for text in &tuned.searched { li { (text) } }
                @for text in &tuned.not_searched { li { "Not searched: " (text) } }
                @for stage in &tuned.stages {
                    li {
                        (count(stage.candidates.len() as u64)) " variants on "
                        (count(stage.n_records as u64)) " records"
                    }
                }
                @for why in tuned.why_not_repeatable() { li { "Cannot be repeated: " (why) } }
            }
            @if let Some(levels) = &tuned.levels {
                p {
                    "Levels of keys, at k = " (levels.k) ", by the loss " (levels.loss)
                    " (0 nothing, 1 everything, whoever stands out counted as deleted): the plan's own "
                    (Unit::Number.text(levels.own.loss))
                    @if let Some(best) = levels.nodes.first() { ", the best " (Unit::Number.text(best.loss)) }
                    "."
                }
            }
        }
    }

    fn fresh_seeds(&self) -> Markup {
        let tuned = self.tuned;
        if tuned.judged.iter().all(|judged| !judged.draws) {
            return html! { p { "No finalist draws anything: each is the same under every seed." } };
        }
        let caption = "Finalists judged again on fresh seeds, and the chosen one once more";
        let cells = |unit: Unit, spread: Option<Spread>| {
            let of = |value: fn(Spread) -> f64| unit.text_or_dash(spread.map(value));
            [
                of(|of| of.mean),
                of(|of| of.sd),
                of(|of| of.min),
                of(|of| of.max),
            ]
        };
        let units = tuned
            .trade
            .as_ref()
            .map(|trade| (trade.risk.unit, trade.loss.unit));
        let (risk, loss) = units.unwrap_or((Unit::Number, Unit::Number));
        let rows = tuned.judged.iter().map(|judged| (judged, false));
        let rows = rows.chain(tuned.confirmed.iter().map(|judged| (judged, true)));
        let body = html! {
            table {
                caption { (caption) }
                thead {
                    tr {
                        th scope="col" { "Variant" }
                        th scope="col" class="number" { "Seeds" }
                        th scope="col" class="number" { "Held" }
                        @for side in ["risk", "loss"] {
                            @for what in ["mean", "sd", "least", "largest"] {
                                th scope="col" class="number" { (side) ", " (what) }
                            }
                        }
                    }
                }
                tbody {
                    @for (judged, is_confirmed) in rows {
                        tr {
                            th scope="row" {
                                code { (tuned.outcomes()[judged.finalist].id) }
                                @if tuned.chosen == Some(judged.finalist) { " " strong { "chosen" } }
                                @if is_confirmed { ", on seeds that bore on no choice" }
                                @else if tuned.passed_over.contains(&judged.finalist) { " passed over" }
                            }
                            @if !judged.draws {
                                td colspan="10" { "draws nothing: the same under every seed" }
                            } @else {
                                td class="number" { (judged.n_seeds) }
                                td class="number" { (judged.n_held) }
                                @for cell in cells(risk, judged.risk).into_iter().chain(cells(loss, judged.loss)) {
                                    td class="number" { (cell) }
                                }
                            }
                        }
                    }
                }
            }
        };
        scrolling(caption, &body)
    }
}

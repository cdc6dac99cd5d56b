//! The map of risk and utility: the original at the upper right, no data at the lower left, releases between.

use std::fmt::Write as _;

use bauta_methods::Better;
use bauta_plan::sweep::{TradeAxis, TradeOff, TradePoint};
use maud::{Markup, PreEscaped, html};

use super::axes::{Axes, Upward};
use super::frame::{SIZE, WIDTH, Words, at, picture};
use super::labels::Labels;
use super::scale::{Base, Scale};
use super::text::shortened;
use crate::number::{Unit, Written as _};

/// Height of the drawing.
const HEIGHT: f64 = 300.0;
/// Room above the drawing for the name of the upright axis.
const TOP: f64 = 30.0;
/// Room beside the right end: half of its label.
const RIGHT: f64 = 24.0;
/// Most points that carry a label; of more, only those on the front do.
pub(crate) const MAX_NAMED: usize = 25;
/// Widest label of a point.
const MAX_LABEL: f64 = 170.0;

/// What a map of risk and utility shows besides its points.
#[derive(Clone, Debug)]
pub struct MapOptions<'a> {
    /// Distinguishes the chart from others on the page; letters, digits and hyphens.
    pub id: &'a str,
    /// What it shows, in a few words.
    pub title: &'a str,
    /// What each point is in words, in the order of the points; where there is no room for that, its number
    /// stands beside it.
    pub names: &'a [String],
    /// The position of the release that was chosen.
    pub chosen: Option<usize>,
}

/// The map, as a part of a page whose style it follows.
pub fn risk_utility_map(trade: &TradeOff, options: &MapOptions<'_>) -> Markup {
    let plane = Plane::new(trade);
    let words = Words {
        id: options.id,
        title: options.title,
        description: &description(trade, options),
    };
    picture(&words, plane.axes.height(), &plane.drawing(trade, options))
}

/// The map as a file of its own, light or dark as its reader is.
pub fn risk_utility_svg(trade: &TradeOff, options: &MapOptions<'_>) -> String {
    let svg = risk_utility_map(trade, options).into_string();
    let style = html! { style { (PreEscaped(STYLE)) } }.into_string();
    let svg = svg.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1);
    let start = svg.find('>').map_or(0, |end| end + 1);
    format!("{}{style}{}\n", &svg[..start], &svg[start..])
}

/// The colours of pages, for a file without one.
const STYLE: &str = "svg{--ink:#1b1f24;--soft:#545c66;--paper:#fff;--rule:#ccd2d9;--bad:#a8201a;--original:#a65e00;\
--masked:#0067a5;background:var(--paper);color:var(--ink)}\
@media (prefers-color-scheme:dark){svg{--ink:#e7eaee;--soft:#a6afba;--paper:#14181d;--rule:#3a434e;--bad:#ff9d94;\
--original:#f0a640;--masked:#5bb5ec}}\
text{fill:var(--ink)}.figure{paint-order:stroke;stroke:var(--paper);stroke-width:3px;stroke-linejoin:round}\
.axis-name{fill:var(--soft)}.grid{stroke:var(--rule);stroke-opacity:1}.axis{stroke:var(--soft)}\
.ring-original{stroke:var(--original)}.dot-masked{fill:var(--masked)}.line-masked{stroke:var(--masked)}\
.limit{stroke:var(--ink)}.spot{fill:var(--bad);stroke:var(--paper);stroke-width:1.5px}";

/// The two axes and the two ends of the map.
struct Plane {
    axes: Axes,
    /// Risk of no data: the best there is.
    least_risk: f64,
}

impl Plane {
    fn new(trade: &TradeOff) -> Self {
        let risk = &trade.risk;
        let found = trade.points.iter().filter_map(|point| point.risk);
        let found = found.chain(risk.original).chain(trade.tolerated);
        let best = match risk.better {
            Better::Higher => risk.range[1],
            Better::Lower | Better::Neither => risk.range[0],
        };
        let values = found.chain([best]).filter(|value| value.is_finite());
        let up = Scale::over(values, Base::Free, risk.unit, 5);
        let (upward, end) = match risk.better {
            Better::Higher => (Upward::Less, up.high()),
            Better::Lower | Better::Neither => (Upward::More, up.low()),
        };
        let utilities = trade.points.iter().filter_map(|point| point.utility);
        let utilities = utilities.chain([0.0, 1.0]);
        let across = Scale::over(utilities, Base::Zero, Unit::Share, 5);
        Self {
            axes: (Axes::new(across, up, TOP, HEIGHT).upward(upward)).beside(RIGHT),
            least_risk: if best.is_finite() { best } else { end },
        }
    }

    fn place(&self, utility: f64, risk: f64) -> [f64; 2] {
        [self.axes.x_of(utility), self.axes.y_of(risk)]
    }

    fn place_of(&self, point: &TradePoint) -> Option<[f64; 2]> {
        let (utility, risk) = (point.utility?, point.risk?);
        (utility.is_finite() && risk.is_finite()).then(|| self.place(utility, risk))
    }

    fn drawing(&self, trade: &TradeOff, options: &MapOptions<'_>) -> Markup {
        let places: Vec<Option<[f64; 2]>> = trade
            .points
            .iter()
            .map(|point| self.place_of(point))
            .collect();
        let original = trade.risk.original.map(|risk| self.place(1.0, risk));
        let none = self.place(0.0, self.least_risk);
        let front = front_of(trade, &places);
        let (top, bottom) = (self.axes.top, self.axes.bottom);
        // Below the name of the upright axis and beside its marks.
        let within = [self.axes.left(), top - 10.0, WIDTH, bottom];
        let mut labels = Labels::new(within, places.iter().flatten().copied());
        labels.keep_off(&front);
        let original_label = original.map(|place| labels.must_put(place, "original"));
        let none_label = labels.must_put(none, "no data");
        let limit = trade
            .tolerated
            .map(|risk| (self.axes.y_of(risk), tolerated_text(trade, risk)));
        let limit_label = limit
            .as_ref()
            .map(|(y, text)| labels.must_put([self.axes.left() + 2.0, y - 9.0], text));
        let named = names_beside(trade, options, &places, &mut labels);
        html! {
            (self.axes.upright(&format!("risk: {}", axis_name(&trade.risk))))
            (self.axes.lower(&across_name(trade)))
            @if let Some((y, _)) = &limit {
                path class="limit" d=(format!("M{} {}H{}", at(self.axes.left()), at(*y), at(WIDTH)))
                    stroke="currentColor" stroke-width="1.4" stroke-dasharray="4 3" {}
            }
            (front_line(&front))
            (end_mark(none, "no data"))
            @if let Some(place) = original { (end_mark(place, "original")) }
            @for (position, point) in trade.points.iter().enumerate() {
                @if let Some(place) = places[position] {
                    (mark(place, point, options.chosen == Some(position), &words(trade, options, position)))
                }
            }
            @for label in [original_label, Some(none_label), limit_label].into_iter().flatten().flatten() { (label) }
            @for label in named { (label) }
        }
    }
}

/// Labels of the points: the chosen one and the front first, all where they are few.
fn names_beside(
    trade: &TradeOff,
    options: &MapOptions<'_>,
    places: &[Option<[f64; 2]>],
    labels: &mut Labels,
) -> Vec<Markup> {
    let is_chosen = |position: usize| options.chosen == Some(position);
    let mut order: Vec<usize> = (0..places.len())
        .filter(|&position| {
            places.len() <= MAX_NAMED || trade.points[position].on_front || is_chosen(position)
        })
        .collect();
    order.sort_by_key(|&position| (!is_chosen(position), !trade.points[position].on_front));
    let labelled = order.into_iter().filter_map(|position| {
        let number = (position + 1).to_string();
        // Beyond a few, the table is the key.
        let name = options.names.get(position);
        let name = name.filter(|_| places.len() <= MAX_NAMED);
        let name = name.map_or(number.clone(), |name| shortened(name, SIZE, MAX_LABEL));
        let chosen = format!("{name}, chosen");
        let chosen = is_chosen(position).then_some(chosen.as_str());
        let ways: Vec<&str> = chosen.into_iter().chain([name.as_str(), &number]).collect();
        labels.put(places[position]?, &ways)
    });
    labelled.collect()
}

/// The figure of an axis, for scripts and for people.
fn axis_name(axis: &TradeAxis) -> String {
    let spelled = axis.figure.spelled();
    if axis.label.is_empty() || axis.label == spelled {
        spelled
    } else {
        format!("{spelled} ({})", axis.label)
    }
}

/// What the lower axis is: where all utility is and where none is.
fn across_name(trade: &TradeOff) -> String {
    let loss = &trade.loss;
    let spelled = loss.figure.spelled();
    format!(
        "utility: {} at {spelled} {}, 0\u{202f}% at {}",
        Unit::Share.text(1.0),
        loss.unit.text(loss.origin()),
        loss.unit.text(trade.no_utility)
    )
}

fn tolerated_text(trade: &TradeOff, risk: f64) -> String {
    format!("tolerated: {}", trade.risk.unit.text(risk))
}

/// A point in words.
fn words(trade: &TradeOff, options: &MapOptions<'_>, position: usize) -> String {
    let point = &trade.points[position];
    let name = options.names.get(position).unwrap_or(&point.name);
    format!(
        "{} {name}: risk {}, loss {}, utility {}",
        position + 1,
        trade.risk.unit.text_or_dash(point.risk),
        trade.loss.unit.text_or_dash(point.loss),
        Unit::Share.text_or_dash(point.utility)
    )
}

fn description(trade: &TradeOff, options: &MapOptions<'_>) -> String {
    let mut out = format!(
        "Map of {} releases: utility to the right, risk upward.",
        trade.points.len()
    );
    if let Some(risk) = trade.risk.original {
        let _ = write!(
            out,
            " The original: risk {}, utility {}.",
            trade.risk.unit.text(risk),
            Unit::Share.text(1.0)
        );
    }
    if let Some(risk) = trade.tolerated {
        let _ = write!(out, " Tolerated risk {}.", trade.risk.unit.text(risk));
    }
    let shown = (0..trade.points.len())
        .filter(|&position| trade.points.len() <= MAX_NAMED || trade.points[position].on_front);
    for position in shown {
        let _ = write!(out, " {}", words(trade, options, position));
        out.push_str(if trade.points[position].on_front {
            " (on the front)."
        } else {
            "."
        });
    }
    out
}

/// The corners of the front: between two of its points, nothing has less risk than the right one.
fn front_of(trade: &TradeOff, places: &[Option<[f64; 2]>]) -> Vec<[f64; 2]> {
    let front = trade.points.iter().zip(places);
    let front = front.filter(|(point, _)| point.on_front);
    let mut front: Vec<[f64; 2]> = front.filter_map(|(_, place)| *place).collect();
    front.sort_by(|a, b| a[0].total_cmp(&b[0]).then(b[1].total_cmp(&a[1])));
    front.dedup();
    let mut corners: Vec<[f64; 2]> = Vec::new();
    for place in front {
        if let Some(last) = corners.last() {
            corners.push([last[0], place[1]]);
        }
        corners.push(place);
    }
    corners
}

fn front_line(corners: &[[f64; 2]]) -> Markup {
    let mut path = String::new();
    for (idx, [x, y]) in corners.iter().enumerate() {
        let pen = if idx == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{pen}{} {}", at(*x), at(*y));
    }
    html! {
        @if corners.len() > 1 {
            path class="line-masked front" d=(path) fill="none" stroke="#0067a5" stroke-width="1.6" {}
        }
    }
}

/// One of the two ends of the map.
fn end_mark([x, y]: [f64; 2], name: &str) -> Markup {
    html! {
        circle class="ring-original" cx=(at(x)) cy=(at(y)) r="5" fill="none" stroke="#a65e00" stroke-width="1.8" {
            title { (name) }
        }
    }
}

/// A release: large on the front, faint elsewhere, a diamond if it was chosen.
fn mark([x, y]: [f64; 2], point: &TradePoint, is_chosen: bool, words: &str) -> Markup {
    html! {
        @if is_chosen {
            path class="spot" d=(format!("M{} {}l6 6l-6 6l-6 -6z", at(x), at(y - 6.0))) fill="#a8201a" {
                title { (words) }
            }
        } @else if point.on_front {
            circle class="dot-masked" cx=(at(x)) cy=(at(y)) r="4" fill="#0067a5" { title { (words) } }
        } @else {
            circle class="dot-masked" cx=(at(x)) cy=(at(y)) r="2.8" fill="#0067a5" fill-opacity="0.45" {
                title { (words) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use bauta_plan::sweep::FigureChoice;
    use proptest::prelude::*;

    use super::*;
    use crate::svg::labels::Area;
    use crate::svg::text::width;

    fn axis(figure: &str, better: Better, range: [f64; 2], original: Option<f64>) -> TradeAxis {
        TradeAxis {
            figure: FigureChoice::value_of(figure),
            label: "share linked".to_owned(),
            unit: Unit::Share,
            better,
            range,
            original,
        }
    }

    fn trade(places: &[[f64; 2]]) -> TradeOff {
        let point = |(position, &[risk, utility]): (usize, &[f64; 2])| TradePoint {
            name: format!("v{position}"),
            risk: Some(risk),
            loss: Some(1.0 - utility),
            utility: Some(utility),
            // Good enough for a drawing.
            on_front: position % 3 == 0,
            few: false,
        };
        TradeOff {
            risk: axis("dld", Better::Lower, [0.0, 1.0], Some(1.0)),
            loss: axis("il1s", Better::Lower, [0.0, f64::INFINITY], Some(0.0)),
            no_utility: 1.0,
            tolerated: Some(0.3),
            points: places.iter().enumerate().map(point).collect(),
        }
    }

    fn drawn(trade: &TradeOff, chosen: Option<usize>) -> String {
        let names: Vec<String> = (0..trade.points.len())
            .map(|position| format!("rank-swap window={position}"))
            .collect();
        let options = MapOptions {
            id: "m",
            title: "Variants between risk and utility",
            names: &names,
            chosen,
        };
        risk_utility_svg(trade, &options)
    }

    /// The value of an attribute in a tag.
    fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
        let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
        tag[start..].split('"').next()
    }

    fn number(tag: &str, name: &str) -> f64 {
        attribute(tag, name).unwrap().parse().unwrap()
    }

    /// Everything that is written: its left, top, right and bottom, and what it says.
    fn written(svg: &str) -> Vec<(Area, String)> {
        let texts = svg.split("<text").skip(1);
        let texts = texts.map(|rest| {
            let (tag, rest) = rest.split_once('>').unwrap();
            let text = rest.split('<').next().unwrap().to_owned();
            let (x, y, wide) = (number(tag, "x"), number(tag, "y"), width(&text, SIZE));
            let left = match attribute(tag, "text-anchor") {
                Some("middle") => x - wide / 2.0,
                Some("end") => x - wide,
                _ => x,
            };
            ([left, y - 10.0, left + wide, y + 2.0], text)
        });
        texts.collect()
    }

    #[test]
    fn the_map_has_both_ends_the_line_and_the_front() {
        let trade = trade(&[[0.4, 0.9], [0.3, 0.5], [0.6, 0.4], [0.1, 0.3]]);
        let svg = drawn(&trade, Some(1));
        let texts: Vec<String> = written(&svg).into_iter().map(|(_, text)| text).collect();
        for expected in [
            "original",
            "no data",
            "tolerated: 30\u{202f}%",
            "rank-swap window=0",
            "rank-swap window=1, chosen",
            "utility: 100\u{202f}% at il1s 0\u{202f}%, 0\u{202f}% at 100\u{202f}%",
            "risk: dld (share linked)",
        ] {
            assert!(
                texts.iter().any(|text| text == expected),
                "{expected}: {texts:?}"
            );
        }
        // The original at the upper right, no data at the lower left.
        let rings: Vec<[f64; 2]> = (svg.split("<circle").skip(1))
            .filter(|rest| rest.contains("ring-original"))
            .map(|rest| [number(rest, "cx"), number(rest, "cy")])
            .collect();
        let [none, original] = [rings[0], rings[1]];
        assert!(original[0] > none[0] && original[1] < none[1], "{rings:?}");
        // A front of two points has one corner.
        let front = svg.split("line-masked front").nth(1).unwrap();
        assert_eq!(attribute(front, "d").unwrap().matches('L').count(), 2);
        assert!(svg.contains("class=\"spot\"") && svg.contains("class=\"limit\""));
        assert!(svg.starts_with("<svg xmlns=") && svg.contains("prefers-color-scheme:dark"));
    }

    #[test]
    fn where_more_is_safer_less_lies_above() {
        let mut trade = trade(&[[2.0, 0.9], [9.0, 0.5]]);
        trade.risk = axis(
            "k-anonymity",
            Better::Higher,
            [1.0, f64::INFINITY],
            Some(1.0),
        );
        trade.risk.unit = Unit::Count;
        trade.tolerated = Some(3.0);
        let svg = drawn(&trade, None);
        let dots: Vec<f64> = (svg.split("<circle class=\"dot-masked\"").skip(1))
            .map(|rest| number(rest, "cy"))
            .collect();
        assert!(dots[0] < dots[1], "{dots:?}");
    }

    #[test]
    fn of_many_only_the_front_is_numbered() {
        let places: Vec<[f64; 2]> = (0..40)
            .map(|n| [f64::from(n) / 40.0, f64::from(n * 7 % 40) / 40.0])
            .collect();
        let texts = written(&drawn(&trade(&places), None));
        assert!(!texts.iter().any(|(_, text)| text.contains("window")));
        assert!(texts.iter().any(|(_, text)| text == "4"));
        assert!(!texts.iter().any(|(_, text)| text == "5"));
    }

    proptest! {
        #[test]
        fn nothing_lies_outside_the_picture_and_no_label_on_another(
            places in prop::collection::vec(prop::array::uniform2(0.0..1.0_f64), 1..60)
        ) {
            let svg = drawn(&trade(&places), Some(0));
            let height = number(&svg, "height");
            for circle in svg.split("<circle").skip(1) {
                let (x, y) = (number(circle, "cx"), number(circle, "cy"));
                prop_assert!((0.0..=WIDTH).contains(&x) && (0.0..=height).contains(&y));
            }
            let texts = written(&svg);
            for must in ["original", "no data", "tolerated: 30\u{202f}%"] {
                prop_assert!(texts.iter().any(|(_, text)| text == must), "{must}");
            }
            for (idx, ([left, top, right, bottom], text)) in texts.iter().enumerate() {
                prop_assert!(
                    *left >= -0.1 && *right <= WIDTH + 0.1 && *top >= -0.1 && *bottom <= height,
                    "{text}"
                );
                for (other, said) in &texts[idx + 1..] {
                    let apart = *right <= other[0] + 0.2 || *left >= other[2] - 0.2
                        || *bottom <= other[1] + 0.2 || *top >= other[3] - 0.2;
                    prop_assert!(apart, "{text} {said}");
                }
            }
        }
    }
}

//! Drawings of exhibits.

use std::ops::Range;

use bauta_methods::exhibit::{
    Bars, Curve, Drawn, Histogram, HistogramSeries, Limit, Map, Shows, View,
};
use maud::{Markup, html};

use super::words::plain;
use crate::svg::{self, Look};

/// Looks of series, the one that counts first.
const LOOKS: [Look; 5] = [
    Look::Masked,
    Look::Second,
    Look::Third,
    Look::Fourth,
    Look::Rest,
];

fn look(idx: usize) -> Look {
    LOOKS[idx % LOOKS.len()]
}

/// The figures of a view: none for facts and tables, several for histograms of several series.
pub(super) fn figures(view: &View, id: &str) -> Vec<Markup> {
    let small = plain(&view.note);
    match &view.shows {
        Shows::Facts(_) | Shows::Table(_) => Vec::new(),
        Shows::Histogram(histogram) => histograms(&view.caption, histogram, id),
        Shows::Curve(curve) => vec![figure(&view.caption, &small, &drawn_curve(view, curve, id))],
        Shows::Bars(bars) => vec![figure(&view.caption, &small, &drawn_bars(view, bars, id))],
        Shows::Map(map) => vec![figure(&view.caption, &small, &drawn_map(view, map, id))],
    }
}

fn figure(caption: &str, small: &str, drawing: &Markup) -> Markup {
    html! {
        figure {
            figcaption { (caption) @if !small.is_empty() { small { (small) } } }
            (drawing)
        }
    }
}

fn drawn_curve(view: &View, curve: &Curve, id: &str) -> Markup {
    let spots = curve.spots.iter().map(|spot| svg::Spot {
        name: spot.name.clone(),
        at: spot.at,
    });
    svg::curve(&svg::Curve {
        id: id.to_owned(),
        title: view.caption.clone(),
        across: curve.across.clone(),
        up: curve.up.clone(),
        points: curve.points.clone(),
        spots: spots.collect(),
    })
}

fn drawn_bars(view: &View, bars: &Bars, id: &str) -> Markup {
    let series = bars.series.iter().enumerate();
    let chart = svg::Chart {
        id: id.to_owned(),
        title: view.caption.clone(),
        axis: bars.axis.clone(),
        unit: bars.unit,
        categories: bars.categories.clone(),
        series: series
            .map(|(idx, series)| svg::ChartSeries {
                name: series.name.clone(),
                look: look(idx),
                values: series.values.clone(),
            })
            .collect(),
    };
    match bars.drawn {
        Drawn::Bars => svg::bars(&chart),
        Drawn::Dots => svg::lines(&chart),
    }
}

fn drawn_map(view: &View, map: &Map, id: &str) -> Markup {
    let mut groups: Vec<&str> = Vec::new();
    for point in &map.points {
        if !groups.contains(&point.group.as_str()) {
            groups.push(&point.group);
        }
    }
    let points = map.points.iter().map(|point| svg::MapPoint {
        name: point.name.clone(),
        group: point.group.clone(),
        look: look(
            groups
                .iter()
                .position(|group| *group == point.group)
                .unwrap_or(0),
        ),
        at: point.at,
    });
    svg::map(&svg::Map {
        id: id.to_owned(),
        title: view.caption.clone(),
        across: map.across.clone(),
        up: map.up.clone(),
        points: points.collect(),
    })
}

/// All densities over the bins of the first series, where there are densities; then each series by itself.
fn histograms(caption: &str, found: &Histogram, id: &str) -> Vec<Markup> {
    let Some(bins) = occupied(found) else {
        return Vec::new();
    };
    let chart = |id: String, title: String, shown: &[(usize, &HistogramSeries)]| svg::Histogram {
        id,
        title,
        axis: found.axis.clone(),
        from: found.from + found.step * bins.start as f64,
        step: found.step,
        series: shown
            .iter()
            .map(|(idx, series)| drawn_series(*idx, series, &bins))
            .collect(),
        limits: limits(shown),
        at_least_high: 0.0,
        at_least_wide: Vec::new(),
    };
    let numbered: Vec<(usize, &HistogramSeries)> = found.series.iter().enumerate().collect();
    let all = chart(id.to_owned(), caption.to_owned(), &numbered);
    let highest = all.highest();
    let mut out = Vec::new();
    let has_density = found.series.iter().any(|series| !series.density.is_empty());
    if let ([first, _, ..], true) = (found.series.as_slice(), has_density) {
        let small = format!("Bins of {}, densities of all", first.name);
        out.push(figure(caption, &small, &svg::histogram(&all)));
    }
    for (idx, series) in &numbered {
        let title = format!("{caption}: {}", series.name);
        let mut one = chart(format!("{id}-{idx}"), title, &[(*idx, series)]);
        one.at_least_high = highest;
        one.at_least_wide = all.limits.iter().map(|limit| limit.value).collect();
        let small = if has_density {
            "Number of records, with the smoothed density"
        } else {
            "Number of records"
        };
        out.push(figure(&one.title, small, &svg::histogram(&one)));
    }
    out
}

/// From the first bin with a record of any series to the last.
pub(super) fn occupied(histogram: &Histogram) -> Option<Range<usize>> {
    let series = &histogram.series;
    let n_bins = series.iter().map(|one| one.counts.len()).max()?;
    let is_used = |idx: &usize| series.iter().any(|one| one.counts.get(*idx) > Some(&0));
    let first = (0..n_bins).find(is_used)?;
    let last = (0..n_bins).rfind(is_used)?;
    Some(first..last + 1)
}

fn drawn_series(idx: usize, series: &HistogramSeries, bins: &Range<usize>) -> svg::HistogramSeries {
    let counts = bins.clone().map(|bin| series.counts.get(bin).copied());
    let density = bins
        .clone()
        .map_while(|bin| series.density.get(bin).copied());
    svg::HistogramSeries {
        name: series.name.clone(),
        look: look(idx),
        counts: counts.map(Option::unwrap_or_default).collect(),
        density: density.collect(),
    }
}

/// Where the figures of some series had to stop, each place once.
fn limits(shown: &[(usize, &HistogramSeries)]) -> Vec<svg::Limit> {
    let mut all: Vec<&Limit> = Vec::new();
    for limit in shown.iter().flat_map(|(_, series)| &series.limits) {
        if !all.contains(&limit) {
            all.push(limit);
        }
    }
    let drawn = all.into_iter().map(|limit| svg::Limit {
        name: limit.name.clone(),
        value: limit.value,
    });
    drawn.collect()
}

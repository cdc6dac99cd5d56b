//! The figures of Bergeat (2015) as charts.

use bauta_methods::exhibit::Histogram as Found;
use bauta_report::Unit;
use bauta_report::svg::{
    Chart, ChartSeries, Histogram, HistogramSeries, Limit, Look, Map, MapPoint, histogram, lines,
    map,
};

use super::published::FIGURE_8;
use super::survey_figures::Survey;
use crate::Picture;

/// A picture with its title.
pub(super) type Titled = (String, Picture);

/// The pictures where a text names them.
pub(super) fn named(pictures: &[Titled]) -> String {
    let lines = pictures.iter();
    lines
        .map(|(title, picture)| format!("![{title}]({})\n\n", picture.name))
        .collect()
}

/// Figure 7: a histogram for each calibration technique, on the same axes.
pub(super) fn ratios(found: &Found) -> Vec<Titled> {
    let used = |bin: &usize| {
        found
            .series
            .iter()
            .any(|one| one.counts.get(*bin) > Some(&0))
    };
    let n_bins = found.series.iter().map(|one| one.counts.len()).max();
    let n_bins = n_bins.unwrap_or(0);
    let first = (0..n_bins).find(used).unwrap_or(0);
    let end = (0..n_bins).rfind(used).map_or(0, |last| last + 1);
    let looks = [Look::Masked, Look::Third];
    let charts = found.series.iter().zip(looks).enumerate();
    let charts: Vec<Histogram> = charts
        .map(|(at, (series, look))| Histogram {
            id: format!("figure-7-{}", at + 1),
            title: format!("Figure 7: ratios of weights, {}", series.name),
            axis: "new weight / scaled starting weight (a ratio)".to_owned(),
            from: found.from + found.step * first as f64,
            step: found.step,
            series: vec![HistogramSeries {
                name: series.name.clone(),
                look,
                counts: series.counts.get(first..end).unwrap_or(&[]).to_vec(),
                density: series.density.get(first..end).unwrap_or(&[]).to_vec(),
            }],
            limits: series
                .limits
                .iter()
                .map(|limit| Limit {
                    name: limit.name.clone(),
                    value: limit.value,
                })
                .collect(),
            at_least_high: 0.0,
            at_least_wide: Vec::new(),
        })
        .collect();
    let highest = charts.iter().map(Histogram::highest).fold(0.0, f64::max);
    let drawn = charts.into_iter().map(|mut chart| {
        chart.at_least_high = highest;
        let svg = histogram(&chart).into_string();
        let axes = format!(
            "Up: records in a bin of {:.1}, with the smoothed density. Across: the ratio; dashed lines are bounds.",
            found.step
        );
        let picture = Picture::new(format!("{}.svg", chart.id), &svg, "Figure 7", axes);
        (chart.title, picture)
    });
    drawn.collect()
}

/// Figure 8: published and found overlaps, a chart for each file.
pub(super) fn overlaps(survey: &Survey) -> Vec<Titled> {
    let names = ["local suppression", "subsampling and calibration"];
    let charts = names.into_iter().enumerate().map(|(file, name)| {
        let title = format!("Figure 8: overlap of confidence intervals, {name}");
        let id = format!("figure-8-{}", file + 1);
        let series = |name: &str, look: Look, values: Vec<f64>| ChartSeries {
            name: name.to_owned(),
            look,
            values: values
                .into_iter()
                .map(|percent| Some(percent / 100.0))
                .collect(),
        };
        let published = FIGURE_8.iter().map(|(_, _, both)| both[file]).collect();
        let found = survey.overlaps.iter().map(|both| both[file]).collect();
        let chart = Chart {
            id: id.clone(),
            title: title.clone(),
            axis: "overlap by odds ratio".to_owned(),
            unit: Unit::Share,
            categories: FIGURE_8
                .iter()
                .map(|(name, _, _)| (*name).to_owned())
                .collect(),
            series: vec![
                series("published", Look::Original, published),
                series("found", Look::Masked, found),
            ],
        };
        let svg = lines(&chart).into_string();
        let axes = "Up: overlap, percent. Across: odds ratios in the order of the figure.";
        (
            title,
            Picture::new(format!("{id}.svg"), &svg, "Figure 8", axes),
        )
    });
    charts.collect()
}

/// The maps of the correspondence analysis: each file over the original.
pub(super) fn maps(survey: &Survey) -> Vec<Titled> {
    let names = ["local suppression", "subsampling and calibration"];
    let charts = names.into_iter().zip(&survey.maps).enumerate();
    let drawn = charts.map(|(file, (name, found))| {
        let title = format!("Categories of the keys, original and after {name}");
        let id = format!("correspondence-{}", file + 1);
        let points = found.places.iter().flat_map(|(label, original, masked)| {
            let point = |group: &str, look: Look, at: [f64; 2]| MapPoint {
                name: label.clone(),
                group: group.to_owned(),
                look,
                at,
            };
            [
                point("original", Look::Original, *original),
                point(name, Look::Masked, *masked),
            ]
        });
        let chart = Map {
            id: id.clone(),
            title: title.clone(),
            across: "first axis".to_owned(),
            up: "second axis".to_owned(),
            points: points.collect(),
        };
        let svg = map(&chart).into_string();
        let axes = "Up and across: coordinates on the first two axes (without a unit); a ring is a \
                    category in the original, a dot the same one in the released file.";
        (
            title,
            Picture::new(format!("{id}.svg"), &svg, "correspondence", axes),
        )
    });
    drawn.collect()
}

//! Charts at their limits: nothing, one figure, zeros, huge figures, many and long names.

use super::*;

fn chart(categories: &[&str], series: &[&[Option<f64>]], unit: Unit) -> Chart {
    let looks = [("original", Look::Original), ("masked", Look::Masked)];
    let looks = &looks[2 - series.len()..];
    Chart {
        id: "c".to_owned(),
        title: "records by class size".to_owned(),
        axis: "records".to_owned(),
        unit,
        categories: categories.iter().map(|&name| name.to_owned()).collect(),
        series: series
            .iter()
            .zip(looks)
            .map(|(values, &(name, look))| ChartSeries {
                name: name.to_owned(),
                look,
                values: values.to_vec(),
            })
            .collect(),
    }
}

/// Every number in a coordinate attribute.
fn coordinates(svg: &str) -> Vec<f64> {
    let mut out = Vec::new();
    for name in [
        " x=\"",
        " y=\"",
        " width=\"",
        " height=\"",
        " cx=\"",
        " cy=\"",
    ] {
        for rest in svg.split(name).skip(1) {
            let text = rest.split('"').next().unwrap_or_default();
            out.push(text.parse().unwrap_or(f64::NAN));
        }
    }
    out
}

fn assert_sound(svg: &str) {
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>"));
    assert!(svg.contains("<title id=\"c-title\">") && svg.contains("<desc id=\"c-desc\">"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    for value in coordinates(svg) {
        assert!((0.0..=4000.0).contains(&value), "{value} in {svg}");
    }
}

#[test]
fn a_small_bar_chart_is_drawn_upright() {
    let chart = chart(
        &["1", "2", "3+"],
        &[
            &[Some(120.0), Some(40.0), Some(840.0)],
            &[Some(0.0), None, Some(1000.0)],
        ],
        Unit::Count,
    );
    insta::assert_snapshot!(bars(&chart).into_string().replace("><", ">\n<"));
}

#[test]
fn a_small_line_chart_shows_both_files() {
    let chart = chart(
        &["0-10 %", "10-20 %", "20-30 %"],
        &[
            &[Some(1.5), Some(2.0), Some(2.25)],
            &[Some(1.5), None, Some(2.5)],
        ],
        Unit::Number,
    );
    insta::assert_snapshot!(lines(&chart).into_string().replace("><", ">\n<"));
}

#[test]
fn charts_without_figures_say_so() {
    for empty in [
        chart(&[], &[&[]], Unit::Count),
        chart(&[], &[&[], &[]], Unit::Number),
        chart(&["a"], &[&[None]], Unit::Share),
        chart(&["a"], &[&[Some(f64::NAN)]], Unit::Number),
        chart(&["a"], &[&[Some(f64::INFINITY)], &[]], Unit::Number),
    ] {
        for svg in [bars(&empty), lines(&empty)] {
            assert_sound(&svg.0);
            assert!(svg.0.contains("There are no figures to show."));
        }
    }
}

#[test]
fn single_zero_constant_negative_and_huge_figures_are_drawn() {
    let cases: [&[Option<f64>]; 7] = [
        &[Some(5.0)],
        &[Some(0.0), Some(0.0), Some(-0.0)],
        &[Some(7.5), Some(7.5)],
        &[Some(-3.0), Some(4.0), None],
        &[Some(-3.0), Some(-4.0)],
        &[Some(1e308), Some(-1e308)],
        &[Some(1e-12), Some(2e-12)],
    ];
    for values in cases {
        let names = &["a", "b", "c"][..values.len()];
        for unit in [Unit::Count, Unit::Number, Unit::Share] {
            for series in [&[values][..], &[values, values][..]] {
                let chart = chart(names, series, unit);
                assert_sound(&bars(&chart).0);
                assert_sound(&lines(&chart).0);
            }
        }
    }
}

#[test]
fn forty_long_names_lie_without_overlap() {
    let names: Vec<String> = (0..40)
        .map(|idx| format!("household_income_of_the_year_{idx}"))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let values: Vec<Option<f64>> = (0..40).map(|idx| Some(f64::from(idx) * 317.0)).collect();
    let chart = chart(&names, &[&values, &values], Unit::Count);
    let svg = bars(&chart).0;
    assert_sound(&svg);
    // Labels end at the bars and are shortened; the full name is kept as a title.
    assert!(svg.contains("<title>household_income_of_the_year_39</title>"));
    let ys: Vec<f64> = svg
        .split("text-anchor=\"end\"><title>")
        .filter_map(|before| {
            before
                .rsplit(" y=\"")
                .next()?
                .split('"')
                .next()?
                .parse()
                .ok()
        })
        .take(40)
        .collect();
    assert_eq!(ys.len(), 40);
    assert!(
        ys.windows(2).all(|pair| pair[1] - pair[0] >= frame::SIZE),
        "{ys:?}"
    );
}

#[test]
fn forty_points_keep_their_labels_apart() {
    let names: Vec<String> = (0..40).map(|idx| format!("{idx} %")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let values: Vec<Option<f64>> = (0..40).map(|idx| Some(f64::from(idx) / 40.0)).collect();
    let svg = lines(&chart(&names, &[&values], Unit::Share)).0;
    assert_sound(&svg);
    let xs: Vec<f64> = svg
        .split("text-anchor=\"middle\">")
        .filter_map(|before| {
            before
                .rsplit("<text x=\"")
                .next()?
                .split('"')
                .next()?
                .parse()
                .ok()
        })
        .collect();
    let room = text::width("39 %", frame::SIZE);
    assert!(
        xs.len() > 4 && xs.windows(2).all(|pair| pair[1] - pair[0] > room),
        "{xs:?}"
    );
    assert_eq!(svg.matches("<circle").count(), 40);
}

#[test]
fn names_are_escaped() {
    let chart = chart(&["<script>alert(1)</script>"], &[&[Some(1.0)]], Unit::Count);
    for svg in [bars(&chart).0, lines(&chart).0] {
        assert!(!svg.contains("<script") && svg.contains("&lt;script&gt;"));
    }
}

//! The report as its readers get it: sound, complete for the committee, silent for the public.

use crate::support;

use bauta_methods::measure::{ListedRecord, Measurement, Part, Series};
use bauta_methods::{Note, Unit};
use bauta_plan::RunRecord;
use bauta_plan::record::{Counted, MeasureFamily, SeedSource};
use bauta_report::{Audience, html};
use serde_json::json;

use support::give;
use support::pages::{elements, keep, section};

fn both(record: &RunRecord) -> [String; 2] {
    [
        html(record, Audience::Internal),
        html(record, Audience::External),
    ]
}

#[test]
fn pages_are_sound_and_need_nothing_else() {
    for (name, record) in [("passed", support::passed()), ("failed", support::failed())] {
        for (audience, page) in ["internal", "external"].iter().zip(both(&record)) {
            keep(&format!("report-{name}-{audience}"), &page);
            let elements = elements(&page);
            for absent in ["script", "link", "img", "iframe", "object", "form", "base"] {
                assert!(!elements.iter().any(|name| name == absent), "{absent}");
            }
            for absent in [
                "http:",
                "https:",
                "//",
                "url(h",
                "@import",
                "javascript:",
                " onload",
            ] {
                assert!(!page.contains(absent), "{absent} in {name} {audience}");
            }
            assert_eq!(elements.iter().filter(|name| *name == "h1").count(), 1);
        }
    }
}

#[test]
fn headings_descend_one_level_at_a_time_and_anchors_resolve() {
    for page in both(&support::passed()) {
        let mut level = 0;
        for name in elements(&page) {
            let Some(next) = name
                .strip_prefix('h')
                .and_then(|rest| rest.parse::<u32>().ok())
            else {
                continue;
            };
            assert!(next <= level + 1, "h{next} after h{level}");
            level = next;
        }
        let ids: Vec<&str> = page
            .split(" id=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        let mut unique = ids.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), ids.len(), "ids occur once");
        for target in page
            .split("href=\"#")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
        {
            assert!(ids.contains(&target), "#{target}");
        }
        for pattern in page
            .split("url(#")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            assert!(ids.contains(&pattern), "#{pattern}");
        }
    }
}

#[test]
fn the_committee_reads_verdict_risk_parameters_and_seed() {
    let page = html(&support::passed(), Audience::Internal);
    for shown in [
        "All 4 conditions of release hold; survey-protected.csv was released.",
        "424242424242",
        "given in the plan",
        "0.1415926 (14.16\u{202f}%)",
        "0.01235",
        "Records by class size",
        "Records by individual risk",
        "Share disclosed by interval width",
        "Monthly income, euros (income): mean of each tenth",
        "IL1s: mean distance by variable",
        "Changed values by variable",
        "Suppressed values by variable",
        "Contribution of keys: share of the risk by variable",
        "What is left if one key is not known",
        "What is left if one key is recoded to a higher level of its hierarchy",
        "region, level 2",
        "Individual risk: the riskiest keys of the masked file, one record each",
        "Individual risk: the riskiest keys of the input, one record each",
        ">48226<",
        ">9\u{202f}033<",
        "bauta verify RECORD",
        "anybody in the street knows these",
        "Why: the highest incomes are known from newspapers",
        "[data]\nfile = &quot;survey.csv&quot;",
        "12\u{202f}901",
    ] {
        assert!(page.contains(shown), "{shown}");
    }
}

#[test]
fn a_failed_gate_is_the_first_thing_said() {
    let page = html(&support::failed(), Audience::Internal);
    let sentence = "A condition of release fails: k-anonymity, smallest class (scenario neighbour) is 2, \
                    where at least 3 is asked for. Therefore no file was released.";
    let at = page.find(sentence).expect("the verdict names the gate");
    assert!(at < page.find("<h2").unwrap());
    let public = html(&support::failed(), Audience::External);
    assert!(public.contains("No file has been released"));
    assert!(!public.contains("Rank swapping") && !public.contains("k-anonymity"));
}

/// A record in which everything that must stay inside is unmistakable.
fn marked() -> RunRecord {
    let mut record = support::passed();
    record.seed_source = SeedSource::InputFile;
    "SENTINEL-INPUT-PATH/in.csv".clone_into(&mut record.input.file);
    record.input.n_bytes = 77_777_001;
    record.input.n_records = 77_777_002;
    "SENTINEL-FOLDER/out.csv".clone_into(&mut record.released.as_mut().unwrap().file);
    "SENTINEL-PLAN-PATH.toml".clone_into(&mut record.plan.file);
    "SENTINEL-PLAN-TEXT".clone_into(&mut record.plan.text);
    record.plan.sha256 = "5e".repeat(32);
    "SENTINEL-FORMAT".clone_into(&mut record.format);
    "2026-11-16T23:59:58Z".clone_into(&mut record.times.started);
    record.times.seconds = 77.777_003;
    record.times.threads = 77_777_004;
    "SENTINEL-DATA-NOTE".clone_into(&mut record.notes[0].text);
    "SENTINEL-STAGE".clone_into(&mut record.times.stages[0].stage);
    for scenario in &mut record.scenarios {
        "SENTINEL-SCENARIO".clone_into(&mut scenario.name);
        scenario.keys.push("SENTINEL-KEY".to_owned());
        scenario.why = Some("SENTINEL-SCENARIO-WHY".to_owned());
    }
    for gate in &mut record.gates {
        gate.scenario = Some("SENTINEL-GATE".to_owned());
        gate.found = Some(0.777_775);
        gate.at_most = Some(0.888_886);
        gate.why = Some("SENTINEL-GATE-WHY".to_owned());
    }
    for step in &mut record.steps {
        "SENTINEL-STEP-KEY".clone_into(&mut step.key);
        step.params.insert("window".to_owned(), json!(0.141_592_6));
        step.params
            .insert("secret".to_owned(), json!({ "SENTINEL-PARAM": 0.999_997 }));
        step.notes.push(support::unswapped("income", 77_777_008));
        let public = Note::new("weights-scaled", "weights were scaled").public();
        step.notes.push(public.within("SENTINEL-WITHIN"));
    }
    for variable in &mut record.variables {
        variable.n_missing = 77_777_009;
        variable.n_changed = Some(77_777_010);
        variable.n_suppressed = 77_777_013;
    }
    for measure in &mut record.measures {
        measure
            .params
            .insert("k".to_owned(), json!("SENTINEL-MEASURE-PARAM"));
        measure.notes.push(support::weights_below(77_777_011));
        mark(measure.family, measure.before.as_mut());
        mark(measure.family, measure.after.as_mut());
    }
    record
}

fn mark(family: MeasureFamily, found: Option<&mut Measurement>) {
    let Some(found) = found else { return };
    if family == MeasureFamily::Risk {
        found.value = Some(0.123_456_789);
        for figure in &mut found.figures {
            figure.value = Some(0.234_567_891);
        }
        for part in &mut found.by_variable {
            part.value = Some(0.234_567_891);
        }
    }
    give(found, ("SENTINEL-PART", None), None, 0.345_678_912);
    give(found, ("missing", None), Some("income"), 77_777_012.0);
    give(found, ("SENTINEL-FIGURE", None), Some("income"), 1.0);
    found.per_record = Some(vec![0.456_789_123; 3]);
    found.listed.push(ListedRecord {
        row: 77_777_014,
        key: vec![("sex".to_owned(), Some("SENTINEL-KEY-VALUE".to_owned()))],
        figures: vec![Part::new("SENTINEL-LISTED", 0.678_912_345)],
    });
    let points = vec![Part::new("SENTINEL-POINT", 0.567_891_234)];
    let series = Series::new("SENTINEL-SERIES", "records", Unit::Count, points);
    found.series.push(series);
}

#[test]
fn nothing_confidential_reaches_the_public() {
    let record = marked();
    let [internal, external] = both(&record);
    // Without thin spaces, so that 77 777 002 is found too.
    let [internal, external] = [internal, external].map(|page| page.replace('\u{202f}', ""));
    for secret in [
        "SENTINEL",
        "sentinel",
        "424242424242",
        "derived from",
        "seed",
        "Seed",
        "0.1234",
        "0.1235",
        "12.35",
        "12.34",
        "0.2345",
        "0.2346",
        "23.46",
        "23.45",
        "0.3456",
        "0.3457",
        "0.4567",
        "0.4568",
        "0.5678",
        "0.5679",
        "0.6789",
        "67.89",
        "0.7777",
        "77.77",
        "0.8888",
        "88.88",
        "0.9999",
        "99.99",
        "0.1415",
        "0.1416",
        "14.16",
        "7777700",
        "7777701",
        "7777702",
        "23:59",
        "k-anonymity",
        "Individual risk",
        "individual-risk",
        "Interval disclosure",
        "interval-sd",
        "neighbour",
        "register",
        "smallest class",
        "at least",
        "at most",
        "intruder",
        "rule 4 of the committee",
        "window",
        "plans/",
    ] {
        assert!(
            !external.contains(secret),
            "the public must not read {secret}"
        );
    }
    // Of risk there are words in one section, and nowhere else.
    let remaining = external.find("<section aria-labelledby=\"remaining\"");
    let (above, below) = external.split_at(remaining.expect("the risk that remains"));
    let above = above.replace("What risk remains", "");
    let below = below.split_once("</section>").map_or("", |(_, rest)| rest);
    for words in [above.as_str(), below] {
        assert!(!words.contains("risk") && !words.contains("Risk"));
    }
    for hash in ["1b", "5e"] {
        assert!(!external.contains(&hash.repeat(32)));
        assert!(internal.contains(&hash.repeat(32)));
    }
    for shown in [
        "424242424242",
        "0.1415926",
        "0.1235",
        "SENTINEL-PLAN-TEXT",
        "SENTINEL-KEY-VALUE",
        "SENTINEL-WITHIN",
        "77777009",
        "77777013",
        "77777014",
    ] {
        assert!(internal.contains(shown), "the committee must read {shown}");
    }
}

#[test]
fn the_public_reads_what_was_done_and_what_it_costs() {
    let page = html(&support::passed(), Audience::External);
    for shown in [
        "Victimisation survey 2015, public use file",
        "survey-protected.csv",
        &"9e".repeat(32),
        "Rank swapping",
        "Why: best trade-off in the map of 12 March",
        "removed: name",
        "rounded to 2 decimals",
        "Sampling weight",
        "Dwelling (household number)",
        "unchanged",
        "random order",
        "IL1s",
        "0.2877",
        "2\u{202f}146",
    ] {
        assert!(page.contains(shown), "{shown}");
    }
    assert!(!page.contains("release/2026"), "folders stay inside");
}

#[test]
fn texts_from_outside_are_escaped() {
    let attack = "<script>alert(\"1\")</script>&'";
    let mut record = support::passed();
    record.plan.title = Some(attack.to_owned());
    record.plan.text = attack.to_owned();
    for variable in &mut record.variables {
        variable.name = format!("{attack}{}", variable.name);
        variable.label = Some(attack.to_owned());
    }
    let names: Vec<String> = record
        .variables
        .iter()
        .map(|variable| variable.name.clone())
        .collect();
    for step in &mut record.steps {
        step.why = Some(attack.to_owned());
        step.title = attack.to_owned();
        step.on.clone_from(&names);
        step.params
            .insert(attack.to_owned(), json!({ attack: attack }));
    }
    for measure in &mut record.measures {
        measure.on.clone_from(&names);
        let found = measure.after.as_mut().unwrap();
        found.by_variable = names.iter().map(|name| Part::new(name, 1.0)).collect();
        give(found, ("mean", None), Some(&names[6]), 1.0);
    }
    for scenario in &mut record.scenarios {
        scenario.name = attack.to_owned();
        scenario.keys.clone_from(&names);
    }
    for page in both(&record) {
        assert!(!elements(&page).iter().any(|name| name == "script"));
        assert!(page.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;"));
    }
}

#[test]
fn many_series_are_capped_and_the_reader_is_told() {
    let mut record = support::passed();
    let summary = record
        .measures
        .iter_mut()
        .find(|measure| measure.id == "univariate-summary")
        .unwrap();
    for (found, shift) in [(&mut summary.before, 0.0), (&mut summary.after, 1.0)] {
        let found = found.as_mut().unwrap();
        let template = found.series[0].clone();
        found.series = (0..15)
            .map(|idx| {
                let mut series = template.clone();
                series.variable = Some(format!("x{idx}"));
                series.axis = format!("x{idx}");
                // The first two do not change.
                series.points[0].value = Some(if idx < 2 { 1.0 } else { shift });
                for point in &mut series.points[1..] {
                    point.value = Some(7.0);
                }
                series
            })
            .collect();
    }
    let page = html(&record, Audience::Internal);
    assert!(page.contains("not drawn: x0: mean of each tenth and x1: mean of each tenth."));
    assert!(
        page.contains("1 more chart of this kind is not drawn"),
        "15 - 2 - 12 = 1"
    );
    assert!(
        page.contains("x13: mean of each tenth</title>")
            && !page.contains("x14: mean of each tenth</title>")
    );
}

#[test]
fn series_of_keys_are_tables_and_no_lines() {
    let page = html(&support::passed(), Audience::Internal);
    assert!(!page.contains("if a key is left out") && !page.contains("by level"));
    let risk = section(&page, "risk");
    insta::assert_snapshot!(
        "left-out",
        risk.split("<caption>")
            .find(|part| part.starts_with("What is left if one key is not known"))
            .expect("the table is there")
            .split("</table>")
            .next()
            .unwrap()
    );
    // No share to tell: no bars without a figure.
    let mut record = support::passed();
    for measure in &mut record.measures {
        for found in [&mut measure.before, &mut measure.after]
            .into_iter()
            .flatten()
        {
            for part in &mut found.by_variable {
                part.value = None;
            }
        }
    }
    let page = html(&record, Audience::Internal);
    assert!(!page.contains("share of the risk by variable"));
}

#[test]
fn an_empty_record_still_makes_a_page() {
    let mut record = support::passed();
    record.plan.title = None;
    record.variables.clear();
    record.scenarios.clear();
    record.steps.clear();
    record.measures.clear();
    record.gates.clear();
    record.times = bauta_plan::record::TimesRecord::default();
    for page in both(&record) {
        elements(&page);
    }
    let page = html(&record, Audience::Internal);
    assert!(page.contains("<h1>survey.csv</h1>"));
    let verdict = "No condition of release was set, and nothing was judged; survey-protected.csv was released.";
    assert!(page.contains(verdict) && page.contains("verdict amber"));
    assert!(html(&record, Audience::External).contains("<h1>survey-protected.csv</h1>"));
}

#[test]
fn sections_stay_as_they_are() {
    let page = html(&support::failed(), Audience::Internal);
    insta::assert_snapshot!("gates", section(&page, "gates"));
    insta::assert_snapshot!("done", section(&page, "done"));
    insta::assert_snapshot!("provenance", section(&page, "provenance"));
    let page = html(&support::passed(), Audience::External);
    insta::assert_snapshot!("public-variables", section(&page, "variables"));
    insta::assert_snapshot!("public-loss", section(&page, "loss"));
}

#[test]
fn what_a_step_left_as_it_was_is_not_said_to_be_masked_by_it() {
    let mut record = support::passed();
    let mut steps = record.steps.iter_mut();
    let step = steps.find(|step| step.method == "rank-swap").unwrap();
    let (title, on) = (step.title.clone(), step.on.clone());
    step.unchanged = on.clone();
    for variable in &mut record.variables {
        if on.contains(&variable.name) {
            variable.fate = bauta_plan::record::Fate::Untouched;
        }
    }
    let [internal, external] = both(&record);
    assert!(external.contains("It changed no value."));
    // The table of variables names no method for them.
    let variables = section(&external, "variables");
    for name in &on {
        let row = variables
            .split("<tr>")
            .find(|row| row.contains(&format!(">{name}<")));
        assert!(!row.unwrap().contains(&title), "{name}");
        assert!(row.unwrap().contains("unchanged"), "{name}");
    }
    assert!(internal.contains("Changed nothing in"));
}

#[test]
fn what_was_counted_before_suppression_is_not_said_of_the_file() {
    let read_again = "The file was read again after it was written";
    let mut record = support::passed();
    assert!(html(&record, Audience::Internal).contains(read_again));
    let claim = &mut record.claims[0];
    claim.semantics = "original".to_owned();
    claim.counted = Counted::BeforeSuppression;
    let page = html(&record, Audience::Internal);
    assert!(!page.contains(read_again));
    assert!(page.contains("no statement about the released file"));
    // Each claim stands under the words that are true of it.
    record.claims.push(support::passed().claims.remove(0));
    let page = html(&record, Audience::Internal);
    assert!(page.contains(read_again) && page.contains("no statement about the released file"));
}

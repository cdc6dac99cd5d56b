//! Tables 4-9 in form: losses, re-identification and scores of the generated income file.

use bauta_data::{Condition, Table, Watch};
use bauta_methods::{Groups, MethodError, RawValue};

use super::arithmetic::{
    PRINTED_TO, RATE_PRINTED_TO, SCORE_PRINTED_TO, is_over_pairs, misprint, other_score, score,
};
use super::income_file::{ABOUT, ELEVEN, FIELDS, N_INCOMES, n_extreme, returns};
use super::linkage::{TOLERANCE, linkage_of_incomes, rate, zone_rate};
use super::published::{TABLE_4, TABLE_5, TABLE_6, TABLE_7, TABLE_8, TABLE_9, figures_of, rows};
use super::{MEASURES, family_and_level, sentences, steps};
use crate::compared::Nearness;
use crate::pace::Pace;
use crate::trial::{Method, masked_on, measured_on};
use crate::{Compared, heading, row};

/// Files that are linked with the d metric too, to compare both.
const ALSO_D: [&str; 4] = ["rnkswp10", "add01", "mixadd01", "mixadd10"];
/// The subpopulations of Tables 8 and 9.
const HEADS: &str = "return_type = 4";
const BUSINESSES: &str = "schedule_c = 1";

/// The losses in the order of the columns.
pub(super) type Losses = [f64; MEASURES.len()];

/// What one masked income file gives.
pub(super) struct File {
    pub(super) name: &'static str,
    /// Losses of the eleven variables of Table 4.
    pub(super) eleven: Losses,
    /// Losses of the eight incomes.
    pub(super) eight: Losses,
    /// Losses of the eight incomes in the return type of Table 8.
    pub(super) heads: Losses,
    /// Losses of the eight incomes of those with a Schedule C.
    pub(super) businesses: Losses,
    /// Share re-identified with the l metric.
    pub(super) rate: f64,
    /// The same in the zone where a fifth of the links or more are true.
    pub(super) zone: f64,
    /// The same of the records farthest from the mean, as many as are extreme.
    pub(super) farthest: Option<f64>,
    /// Share re-identified with the d metric, where that was tried.
    pub(super) rate_d: Option<f64>,
}

impl File {
    /// Ascore, Dscore and Sscore, for all links and for the zone.
    fn scores(&self) -> [f64; 6] {
        let [.., s0, s1, s2] = self.eight;
        let (all, zone) = (self.rate, self.zone);
        [
            (s0, all),
            (s1, all),
            (s2, all),
            (s0, zone),
            (s1, zone),
            (s2, zone),
        ]
        .map(|(loss, rate)| score(loss, rate))
    }

    /// Ascore and Dscore for all links.
    pub(super) fn ascore_and_dscore(&self) -> (f64, f64) {
        let [ascore, dscore, ..] = self.scores();
        (ascore, dscore)
    }
}

/// The income file under all masks.
pub(super) struct Income {
    n_records: usize,
    /// Share of the incomes that are 0.
    pub(super) zeros: f64,
    pub(super) files: Vec<File>,
}

impl Income {
    pub(super) fn file(&self, name: &str) -> &File {
        let file = self.files.iter().find(|file| file.name == name);
        file.expect("a file of Table 5")
    }
}

/// How much work the tables are, in thousandths of a second or so.
pub(super) fn pieces(n_records: usize) -> u64 {
    TABLE_5.lines().count() as u64 * pieces_of_file(n_records)
}

fn pieces_of_file(n_records: usize) -> u64 {
    n_records as u64 / 2
}

/// The tables on a file of so many records.
pub(super) fn tables_4_to_9(
    n_records: usize,
    seed: u64,
    watch: &Pace<'_>,
) -> Result<(String, Vec<Compared>), MethodError> {
    let original = returns(n_records, seed, watch);
    let names = rows::<9>(TABLE_5);
    let mut files = Vec::with_capacity(names.len());
    for (name, _) in &names {
        files.push(file(name, &original, seed, watch)?);
        watch.done(pieces_of_file(n_records));
    }
    let income = Income {
        n_records,
        zeros: zeros(&original),
        files,
    };
    let (sentences, n_hold) = sentences::judged(&income);
    let mut summary = compared(&income);
    let why = "each by the rule that it is shown with, on the generated file";
    summary.push(Compared::new("§4.2", "sentences", n_hold, why));
    Ok((text(&income, seed, &sentences), summary))
}

/// How near the generated file comes to the printed tables.
fn compared(income: &Income) -> Vec<Compared> {
    let line = |table: &str, what: &'static str, near: Nearness, unit: &str| {
        let why = format!(
            "equal to the printed digits; {}; the paper's file is confidential, ours is generated, {} records and \
             one run",
            near.told(unit),
            income.n_records
        );
        Compared::new(table, what, near.counts(), why)
    };
    let losses = |table: &'static str, found: fn(&File) -> Losses| {
        let mut near = Nearness::default();
        for (name, printed) in rows::<9>(table) {
            for (printed, found) in printed.iter().zip(found(income.file(name))) {
                near.take(*printed, found, PRINTED_TO);
            }
        }
        near
    };
    let (mut rates, mut scores) = (Nearness::default(), Nearness::default());
    for (name, [all, zone]) in rows::<2>(TABLE_6) {
        let file = income.file(name);
        rates.take(all, file.rate, RATE_PRINTED_TO);
        rates.take(zone, file.zone, RATE_PRINTED_TO);
    }
    for (name, printed) in rows::<6>(TABLE_7) {
        for (printed, found) in printed.iter().zip(income.file(name).scores()) {
            scores.take(*printed, found, SCORE_PRINTED_TO);
        }
    }
    vec![
        line("Table 4", "losses", losses(TABLE_4, |file| file.eleven), ""),
        line("Table 5", "losses", losses(TABLE_5, |file| file.eight), ""),
        line("Table 6", "rates", rates, ""),
        line("Table 7", "scores", scores, " points"),
        line("Table 8", "losses", losses(TABLE_8, |file| file.heads), ""),
        line(
            "Table 9",
            "losses",
            losses(TABLE_9, |file| file.businesses),
            "",
        ),
    ]
}

fn file(
    name: &'static str,
    original: &Table,
    seed: u64,
    watch: &dyn Watch,
) -> Result<File, MethodError> {
    let masked = masked_on(&ELEVEN, original, &steps(name), seed, watch)?;
    let files = [original, &masked];
    let eleven = ELEVEN.map(|field| FIELDS[field].to_owned());
    let (incomes, all) = (&eleven[..N_INCOMES], Groups::default());
    let part = |condition: &str| -> Result<Losses, MethodError> {
        let condition = Condition::parse(condition)
            .map_err(|problem| MethodError::Internal(problem.message))?;
        let groups = Groups {
            condition: Some(condition),
            ..Groups::default()
        };
        losses(incomes, files, &groups, &in_part(name), watch)
    };
    let farthest = Groups {
        outliers: Some(n_extreme(original.n_records()) as f64 / original.n_records() as f64),
        ..Groups::default()
    };
    let linked = measured_on(incomes, &linkage_of_incomes("l"), files, &farthest, watch)?;
    let rate_d = if ALSO_D.contains(&name) {
        let linked = measured_on(incomes, &linkage_of_incomes("d"), files, &all, watch)?;
        Some(rate(&linked)?)
    } else {
        None
    };
    Ok(File {
        name,
        eleven: losses(&eleven, files, &all, &[], watch)?,
        eight: losses(incomes, files, &all, &[], watch)?,
        heads: part(HEADS)?,
        businesses: part(BUSINESSES)?,
        rate: rate(&linked)?,
        zone: zone_rate(&linked)?,
        farthest: linked.outliers,
        rate_d,
    })
}

fn losses(
    on: &[String],
    files: [&Table; 2],
    groups: &Groups,
    params: &[(&str, RawValue)],
    watch: &dyn Watch,
) -> Result<Losses, MethodError> {
    let mut losses = [0.0; MEASURES.len()];
    for (loss, (_, id)) in losses.iter_mut().zip(MEASURES) {
        // Distances of records are not statistics, and nothing can be taken out of them.
        let is_of_records = id.starts_with("il1");
        let measure = Method::new(id, if is_of_records { &[] } else { params });
        let found = measured_on(on, &measure, files, groups, watch)?;
        *loss = found.value.unwrap_or(f64::NAN);
    }
    Ok(losses)
}

/// Parameters of a loss in a subpopulation: Kim's correction where there is noise.
fn in_part(name: &str) -> Vec<(&'static str, RawValue)> {
    let (family, level) = family_and_level(name);
    let word = |word: &str| RawValue::Text(word.to_owned());
    // A corrected variance can be negative, and then there is no correlation.
    let zero = ("zero", word("exclude"));
    let correction = match family {
        "rnkswp" => return vec![zero],
        "scalmixadd" => "scaled-noise",
        _ => "noise",
    };
    vec![
        zero,
        ("correction", word(correction)),
        ("level", RawValue::Number(level)),
    ]
}

/// Share of the incomes that are 0.
fn zeros(original: &Table) -> f64 {
    let incomes = original.columns()[..N_INCOMES].iter();
    let n_zeros: usize = incomes
        .filter_map(|column| column.as_numeric())
        .map(|values| values.iter().filter(|&&value| value == 0.0).count())
        .sum();
    n_zeros as f64 / (N_INCOMES * original.n_records()) as f64
}

fn text(income: &Income, seed: u64, sentences: &str) -> String {
    let mut text = format!(
        "\n# Tables 4 to 9: a generated income file\n\n\
         The paper's file is confidential. These are its tables in form, on a generated file of {} records \
         (seed {seed}, one run; `--records N` for another size): that single figures differ is no finding, and \
         the sentences of §4.2 are judged instead.\n\n{ABOUT}\n\
         All eleven variables are masked. Linkage uses the eight incomes, equal weights and t = {TOLERANCE}. A \
         star marks a printed figure that does not follow from the paper's own.\n",
        income.n_records
    );
    text += &third_variable(income);
    text += "\n## What §4.2 says\n\n";
    text += sentences;
    text += "\n## Table 4: losses, eleven variables\n\n";
    text += &loss_table(income, TABLE_4, |file| file.eleven);
    text += "\n## Table 5: losses, eight variables\n\n";
    text += &loss_table(income, TABLE_5, |file| file.eight);
    text += "\n## Table 6: share re-identified, l metric\n\n";
    text += &rate_table(income);
    text += "\n## Table 7: scores\n\n";
    text += &score_table(income);
    text += "\n## Table 8: losses in return type S4\n\nIn Tables 8 and 9 the noise is taken out of the masked file's means \
             and covariances by Kim's method. A corrected variance can be negative; the correlations of that \
             variable are then left out.\n\n";
    text += &loss_table(income, TABLE_8, |file| file.heads);
    text += "\n## Table 9: losses of those with a Schedule C\n\n";
    text += &loss_table(income, TABLE_9, |file| file.businesses);
    text + MISPRINTS
}

/// Which eleven variables Table 4 has.
fn third_variable(income: &Income) -> String {
    // The mean over eleven variables times 11, less that over eight times 8, is the sum over three.
    let of_three = |eleven: f64, eight: f64| (11.0 * eleven - 8.0 * eight) / 3.0;
    let printed = |name: &str| {
        of_three(
            figures_of::<9>(TABLE_4, name)[0],
            figures_of::<9>(TABLE_5, name)[0],
        )
    };
    let found = |name: &str| {
        let file = income.file(name);
        of_three(file.eleven[0], file.eight[0])
    };
    format!(
        "\nThe paper does not tell which eleven variables Table 4 has. Here they are the eight incomes, both counts \
         of exemptions and the aged exemption flag. By the printed IL1 of Tables 4 and 5 the other three have a \
         mean of {:.2} with noise of 1 % and {:.2} with 20 % (mixadd), so that zeros must be frequent in them; \
         ours have {:.2} and {:.2}.\n",
        printed("mixadd01"),
        printed("mixadd20"),
        found("mixadd01"),
        found("mixadd20"),
    )
}

/// A table of losses: under each printed row what was found.
fn loss_table(income: &Income, table: &'static str, found: impl Fn(&File) -> Losses) -> String {
    let mut columns = vec!["file", ""];
    columns.extend(MEASURES.map(|(name, _)| name));
    let mut text = heading(&columns);
    for (name, printed) in rows::<9>(table) {
        let wrong = |column: usize| {
            misprint(&printed, column).is_some() || (column == 3 && is_wrong_il3(table, name))
        };
        let published = printed.iter().enumerate();
        let published = published.map(|(column, figure)| starred(*figure, 3, wrong(column)));
        let found = found(income.file(name)).map(|figure| format!("{figure:.3}"));
        text += &two_rows(name, published, found);
    }
    text
}

/// Whether IL3 of a scaled file is divided by the wrong number of covariances.
fn is_wrong_il3(table: &'static str, name: &str) -> bool {
    let is_of_subpopulation = table == TABLE_8 || table == TABLE_9;
    is_of_subpopulation
        && name.strip_prefix("scal").is_some_and(|plain| {
            let il3 = |name: &str| figures_of::<9>(table, name)[3];
            is_over_pairs(il3(name), il3(plain))
        })
}

fn starred(figure: f64, decimals: usize, is_wrong: bool) -> String {
    let star = if is_wrong { "*" } else { "" };
    format!("{figure:.decimals$}{star}")
}

fn two_rows(
    name: &str,
    published: impl IntoIterator<Item = String>,
    found: impl IntoIterator<Item = String>,
) -> String {
    let line = |name: &str, what: &str, figures: Vec<String>| {
        let first = [name.to_owned(), what.to_owned()];
        row(&first.into_iter().chain(figures).collect::<Vec<String>>())
    };
    let (published, found) = (published.into_iter(), found.into_iter());
    line(name, "published", published.collect()) + &line("", "found", found.collect())
}

fn rate_table(income: &Income) -> String {
    let n_farthest = n_extreme(income.n_records);
    let mut text = heading(&[
        "file",
        "all, published",
        "all, found",
        "20 % zone, published",
        "20 % zone, found",
        &format!("of the {n_farthest} farthest from the mean"),
        "d metric, all",
    ]);
    let shown = |rate: Option<f64>| rate.map_or_else(String::new, |rate| format!("{rate:.4}"));
    for (name, [all, zone]) in rows::<2>(TABLE_6) {
        let file = income.file(name);
        text += &row(&[
            name.to_owned(),
            starred(all, 4, false),
            format!("{:.4}", file.rate),
            starred(zone, 4, zone > all),
            format!("{:.4}", file.zone),
            shown(file.farthest),
            shown(file.rate_d),
        ]);
    }
    text
}

fn score_table(income: &Income) -> String {
    let mut text = heading(&[
        "file",
        "",
        "Ascore, all",
        "Dscore, all",
        "Sscore, all",
        "Ascore, zone",
        "Dscore, zone",
        "Sscore, zone",
    ]);
    for (name, printed) in rows::<6>(TABLE_7) {
        let losses = figures_of::<9>(TABLE_5, name);
        let rates = figures_of::<2>(TABLE_6, name);
        let published = printed.iter().enumerate().map(|(column, &figure)| {
            let own = other_score(figure, losses[6 + column % 3], rates[column / 3]);
            starred(figure, 2, own.is_some())
        });
        let found = income.file(name).scores();
        text += &two_rows(name, published, found.map(|score| format!("{score:.2}")));
    }
    text
}

/// What the stars stand for.
const MISPRINTS: &str = "\n## Misprints of Tables 5 to 9\n\n\
- IL3 of the scaled files in Tables 8 and 9 is 36/28 times that of the files before scaling, in all eight rows within \
  rounding: it seems that the sum over 36 variances and covariances was divided by the number of pairs. Kim's \
  correction undoes the scaling, so that both must have the same IL3, as they have the same IL2, IL4 and IL5. If the \
  sentence that the scaled files \"fail to recover\" covariances compares them with the others, it rests on this.\n\
- The zone rate of mixadd01 in Table 6 is printed as 0.0960, more than the rate of all; its scores in Table 7 need \
  0.0096 or so.\n\
- The scores of the rank-swapped files in Table 7 are twice what their losses and rates give: they were not halved.\n\
- IL1s of the rank-swapped and the add rows in Tables 5, 8 and 9 is IL1 divided by √2, as in Table 1; s2 follows \
  from it.\n\
- s1 of add01 in Table 5 is the sum of its five losses divided by four; so is that of add01_sw if its IL5 is 0.019 as \
  in add01 and not 0.009, which its s0 needs too.\n\
- Table 8 has the same figures for add01 and add01_sw, Table 9 has not.\n";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yancey_2002::arithmetic::implied_rate;
    use bauta_data::Unwatched;

    #[test]
    fn a_small_income_file_fills_every_table() {
        let pace = Pace::new(&Unwatched, 1);
        let (text, summary) = tables_4_to_9(2_000, 1, &pace).expect("tables");
        // 8 rows of nine losses, then 13; 13 of two rates; 13 of six scores.
        let counts: Vec<usize> = summary.iter().map(|line| line.compared).collect();
        assert_eq!(counts[..6], [72, 117, 26, 78, 117, 117]);
        // Losses: 8 + 13 + 13 + 13 rows of each kind; scores: 13.
        assert_eq!(text.matches(" | published | ").count(), 47 + 13);
        assert_eq!(text.matches("|  | found | ").count(), 47 + 13);
        assert!(!text.contains("NaN"), "{text}");
        assert!(text.contains("| scalmixadd20 | 0.0174 | "), "{text}");
        let again = tables_4_to_9(2_000, 1, &pace).expect("tables");
        assert_eq!((text, summary), again);
    }

    #[test]
    fn the_misprints_that_are_told_are_there() {
        let wrong_il3 = |table: &'static str| {
            let rows = rows::<9>(table).into_iter();
            rows.filter(|(name, _)| is_wrong_il3(table, name)).count()
        };
        assert_eq!([TABLE_5, TABLE_8, TABLE_9].map(wrong_il3), [0, 4, 4]);
        let losses = |name: &str| {
            let [.., s0, s1, s2] = figures_of::<9>(TABLE_5, name);
            [s0, s1, s2]
        };
        let scores = |name: &str| -> [[f64; 3]; 2] {
            let [a, b, c, d, e, f] = figures_of::<6>(TABLE_7, name);
            [[a, b, c], [d, e, f]]
        };
        // 0.0100, 0.0094 and 0.0092 from the three.
        let zone = implied_rate(scores("mixadd01")[1], losses("mixadd01")).expect("one rate");
        assert!((zone - 0.0096).abs() < 0.0005, "{zone}");
        for name in ["rnkswp05", "rnkswp10", "rnkswp15"] {
            let [rate, _] = figures_of::<2>(TABLE_6, name);
            for (printed, loss) in scores(name)[0].into_iter().zip(losses(name)) {
                let ratio = printed / score(loss, rate);
                assert!((ratio - 2.0).abs() < 0.02, "{name}: {ratio}");
            }
        }
        for name in ["add01", "add01_sw"] {
            let [il1, _, il2, il3, il4, _, s0, s1, _] = figures_of::<9>(TABLE_5, name);
            let of_four = il2 + il3 + il4 + 0.019;
            assert!((s1 - (il1 + of_four) / 4.0).abs() < 0.001, "{name}");
            assert!((s0 - of_four / 4.0).abs() < 0.001, "{name}");
        }
        for table in [TABLE_8, TABLE_9] {
            for level in ["01", "05", "10", "20"] {
                let of = |mask: &str| figures_of::<9>(table, &format!("{mask}{level}"));
                let (plain, scaled) = (of("mixadd"), of("scalmixadd"));
                for column in [2, 4, 5] {
                    assert_eq!(plain[column].to_bits(), scaled[column].to_bits());
                }
            }
        }
        let of = |table: &'static str, name: &str| figures_of::<9>(table, name).map(f64::to_bits);
        assert_eq!(of(TABLE_8, "add01"), of(TABLE_8, "add01_sw"));
        assert_ne!(of(TABLE_9, "add01"), of(TABLE_9, "add01_sw"));
    }

    #[test]
    fn noise_is_corrected_and_swapping_is_not() {
        assert_eq!(in_part("rnkswp05").len(), 1);
        let word = |name: &str| in_part(name)[1].1.clone();
        assert_eq!(word("add01_sw"), RawValue::Text("noise".to_owned()));
        assert_eq!(
            word("scalmixadd10"),
            RawValue::Text("scaled-noise".to_owned())
        );
        assert_eq!(in_part("scalmixadd10")[2].1, RawValue::Number(0.1));
    }
}

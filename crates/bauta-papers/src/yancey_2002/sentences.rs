//! What §4.2 of the paper says of its income file, each sentence in our words with the rule by which it
//! is judged on the generated one.

use std::fmt::Write as _;

use super::income_tables::{File, Income, Losses};
use super::published::{TABLE_1, TABLE_2, figures_of};
use crate::{heading, row};

/// One sentence.
struct Sentence {
    text: &'static str,
    /// Whether it holds, and by which numbers.
    check: fn(&Income) -> (bool, String),
}

const LEVELS: [&str; 4] = ["01", "05", "10", "20"];
const IL1: usize = 0;
const IL1S: usize = 1;
const IL3: usize = 3;
const IL4: usize = 4;
const S0: usize = 6;
const S1: usize = 7;

/// The sentences in the order of the paper, in a table with a line that counts those that hold.
pub(super) fn judged(income: &Income) -> (String, [usize; 2]) {
    let mut text = heading(&["sentence", "holds", "numbers"]);
    let mut n_hold = 0;
    for sentence in ALL {
        let (holds, numbers) = (sentence.check)(income);
        n_hold += usize::from(holds);
        let holds = if holds { "holds" } else { "**does not**" };
        text += &row(&[sentence.text.to_owned(), holds.to_owned(), numbers]);
    }
    let _ = write!(text, "\n{n_hold} of {} sentences hold.\n", ALL.len());
    (text, [n_hold, ALL.len()])
}

const ALL: &[Sentence] = &[
    Sentence {
        text: "IL1 is higher than on CENSUS (eleven variables, all mixture files, against the printed Table 1)",
        check: |income| {
            in_all(&mixtures(income), |file| {
                let census = figures_of::<9>(TABLE_1, file.name)[IL1];
                (file.eleven[IL1] > census, pair(file.eleven[IL1], census))
            })
        },
    },
    Sentence {
        text: "that may be due to the zeros (they bring more than half of IL1 of mixadd01, eight variables)",
        check: |income| {
            // Noise moves every zero, and the distance of a zero is 2 wherever it goes.
            let share = 2.0 * income.zeros / income.file("mixadd01").eight[IL1];
            let numbers = format!("{:.1} % of the incomes are 0", 100.0 * income.zeros);
            (
                share > 0.5,
                format!("{numbers}; {:.0} % of IL1", 100.0 * share),
            )
        },
    },
    Sentence {
        text: "IL1s is about the same as on CENSUS (all mixture files within a tenth of the printed Table 1; noise in \
               proportion to the standard deviations gives about the same IL1s on any file)",
        check: |income| {
            in_all(&mixtures(income), |file| {
                let census = figures_of::<9>(TABLE_1, file.name)[IL1S];
                let is_near = (file.eleven[IL1S] - census).abs() <= 0.1 * census;
                (is_near, pair(file.eleven[IL1S], census))
            })
        },
    },
    Sentence {
        text: "scaling reduces IL3 and IL4 by more than on CENSUS (mean of scaled / plain over four levels, \
               eleven variables, against the printed Table 1)",
        check: |income| {
            both([(IL3, "IL3"), (IL4, "IL4")].map(|(column, name)| {
                let here = left_by_scaling(|file| income.file(file).eleven[column]);
                let census = left_by_scaling(|file| figures_of::<9>(TABLE_1, file)[column]);
                (here < census, format!("{name} {}", pair(here, census)))
            }))
        },
    },
    Sentence {
        text: "eight variables show a generally slight increase over eleven (s1 of most mixture files)",
        check: |income| {
            in_most(&mixtures(income), |file| {
                (
                    file.eight[S1] > file.eleven[S1],
                    pair(file.eight[S1], file.eleven[S1]),
                )
            })
        },
    },
    Sentence {
        text: "the l metric is much more effective than the d metric (half as many again or more, in each file \
               that was linked with both)",
        check: |income| {
            let files = income.files.iter().filter(|file| file.rate_d.is_some());
            in_all(&files.collect::<Vec<_>>(), |file| {
                let d = file.rate_d.unwrap_or(f64::NAN);
                (file.rate >= 1.5 * d, pair(file.rate, d))
            })
        },
    },
    Sentence {
        text: "many of the extreme records, those farthest from the mean, are linked through most noise levels (half of them or more, in \
               most files with noise alone)",
        check: |income| {
            in_most(&noise_alone(income), |file| {
                let of_extreme = file.farthest.unwrap_or(f64::NAN);
                (of_extreme >= 0.5, format!("{of_extreme:.2}"))
            })
        },
    },
    Sentence {
        text: "so they are the true links at the top (re-identified five times as often as all, in every file with \
               noise alone)",
        check: |income| {
            in_all(&noise_alone(income), |file| {
                let of_extreme = file.farthest.unwrap_or(f64::NAN);
                (of_extreme >= 5.0 * file.rate, pair(of_extreme, file.rate))
            })
        },
    },
    Sentence {
        text: "below them true links become rare (the 20 % zone has less than half of all true links, in every \
               mixture file)",
        check: |income| {
            in_all(&mixtures(income), |file| {
                (file.zone < 0.5 * file.rate, rates(file.zone, file.rate))
            })
        },
    },
    Sentence {
        text: "Table 6: with rank swapping the zone is the whole list",
        check: |income| {
            in_all(&swapped(income), |file| {
                let is_whole = (file.zone - file.rate).abs() < 1e-12;
                (is_whole, rates(file.zone, file.rate))
            })
        },
    },
    Sentence {
        text: "Table 6: rank swapping leaves far more to be re-identified than noise (the least of it three times \
               the most of noise)",
        check: |income| {
            let of_swapping = swapped(income);
            let least = of_swapping.iter().map(|file| file.rate);
            let least = least.fold(f64::INFINITY, f64::min);
            let of_noise = noise_alone(income);
            let most = of_noise.iter().map(|file| file.rate).fold(0.0, f64::max);
            (
                least >= 3.0 * most,
                format!("least {least:.4}, most {most:.4}"),
            )
        },
    },
    Sentence {
        text: "Table 6: re-identification falls with the level of the noise (mixtures, plain and scaled)",
        check: |income| {
            both(["mixadd", "scalmixadd"].map(|mask| {
                let rates = LEVELS.map(|level| income.file(&format!("{mask}{level}")).rate);
                let shown = rates.map(|rate| format!("{rate:.4}")).join(", ");
                let falls = rates.windows(2).all(|two| two[1] < two[0]);
                (falls, format!("{mask} {shown}"))
            }))
        },
    },
    Sentence {
        text: "masking is more effective than on CENSUS, most so at the lowest noise (mixtures: rates below those \
               printed in Table 2, and the largest fall at 1 %)",
        check: |income| {
            let fall = |file: &File| figures_of::<2>(TABLE_2, file.name)[1] - file.rate;
            let files = mixtures(income);
            let most = files.iter().map(|file| fall(file));
            let most = most.fold(f64::NEG_INFINITY, f64::max);
            let largest = files.iter().find(|file| fall(file) >= most);
            let at_lowest = largest.is_some_and(|file| file.name.ends_with("01"));
            let (is_lower, numbers) = in_all(&files, |file| {
                let census = figures_of::<2>(TABLE_2, file.name)[1];
                (file.rate < census, rates(file.rate, census))
            });
            (is_lower && at_lowest, numbers)
        },
    },
    Sentence {
        text: "IL1 dominates the scores that include it (Dscore more than twice Ascore, most files with noise)",
        check: |income| {
            in_most(&noise_alone(income), |file| {
                let (ascore, dscore) = file.ascore_and_dscore();
                (dscore > 2.0 * ascore, format!("{dscore:.1} / {ascore:.1}"))
            })
        },
    },
    Sentence {
        text: "subpopulations have somewhat higher losses than the whole file, corrected as they are (s0, most files \
               with noise, both subpopulations)",
        check: |income| {
            of_subpopulations(|part| {
                in_most(&noise_alone(income), |file| {
                    let (of_part, whole) = (part(file)[S0], file.eight[S0]);
                    (of_part > whole, pair(of_part, whole))
                })
            })
        },
    },
    Sentence {
        text: "scaled files recover IL3 and IL4 of subpopulations less well (than of the whole file; all levels)",
        check: |income| {
            of_subpopulations(|part| {
                in_all(&scaled(income), |file| {
                    let (of_part, whole) = (part(file), file.eight);
                    let is_worse = of_part[IL3] > whole[IL3] && of_part[IL4] > whole[IL4];
                    let il3 = pair(of_part[IL3], whole[IL3]);
                    (
                        is_worse,
                        format!("{il3}, {}", pair(of_part[IL4], whole[IL4])),
                    )
                })
            })
        },
    },
    Sentence {
        text: "Tables 8 and 9: scaled files recover IL3 less well than plain ones (all levels; by the paper's own \
               correction they cannot, see the misprints)",
        check: |income| {
            of_subpopulations(|part| {
                in_all(&scaled(income), |file| {
                    let plain = income.file(file.name.trim_start_matches("scal"));
                    let (scaled, plain) = (part(file)[IL3], part(plain)[IL3]);
                    (scaled > 1.01 * plain, pair(scaled, plain))
                })
            })
        },
    },
    Sentence {
        text: "the larger subpopulation has slightly better losses (s0 of Table 9 below Table 8, most mixture files)",
        check: |income| {
            in_most(&mixtures(income), |file| {
                let (larger, smaller) = (file.businesses[S0], file.heads[S0]);
                (larger < smaller, pair(larger, smaller))
            })
        },
    },
];

fn mixtures(income: &Income) -> Vec<&File> {
    let files = income.files.iter();
    files.filter(|file| file.name.contains("mixadd")).collect()
}

fn scaled(income: &Income) -> Vec<&File> {
    let files = income.files.iter();
    files.filter(|file| file.name.starts_with("scal")).collect()
}

fn swapped(income: &Income) -> Vec<&File> {
    let files = income.files.iter();
    files
        .filter(|file| file.name.starts_with("rnkswp"))
        .collect()
}

/// Files with noise and no swapping of any kind.
fn noise_alone(income: &Income) -> Vec<&File> {
    let files = income.files.iter();
    files
        .filter(|file| file.name.contains("add") && !file.name.ends_with("_sw"))
        .collect()
}

fn in_all(files: &[&File], check: impl Fn(&File) -> (bool, String)) -> (bool, String) {
    let (n_hold, numbers) = gathered(files, check);
    (n_hold == files.len() && !files.is_empty(), numbers)
}

fn in_most(files: &[&File], check: impl Fn(&File) -> (bool, String)) -> (bool, String) {
    let (n_hold, numbers) = gathered(files, check);
    (2 * n_hold > files.len(), numbers)
}

/// In how many files something holds, and the numbers of each.
fn gathered(files: &[&File], check: impl Fn(&File) -> (bool, String)) -> (usize, String) {
    let mut n_hold = 0;
    let mut shown = Vec::new();
    for file in files {
        let (holds, numbers) = check(file);
        n_hold += usize::from(holds);
        shown.push(format!("{} {numbers}", file.name));
    }
    (n_hold, shown.join("; "))
}

fn both([first, second]: [(bool, String); 2]) -> (bool, String) {
    (first.0 && second.0, format!("{}; {}", first.1, second.1))
}

/// The same of the losses in both subpopulations.
fn of_subpopulations(check: impl Fn(fn(&File) -> Losses) -> (bool, String)) -> (bool, String) {
    let (in_heads, heads) = check(|file| file.heads);
    let (in_businesses, businesses) = check(|file| file.businesses);
    (
        in_heads && in_businesses,
        format!("S4: {heads}. Schedule C: {businesses}"),
    )
}

/// What scaling leaves of a loss, as a mean over the levels.
fn left_by_scaling(loss: impl Fn(&str) -> f64) -> f64 {
    let ratios =
        LEVELS.map(|level| loss(&format!("scalmixadd{level}")) / loss(&format!("mixadd{level}")));
    ratios.iter().sum::<f64>() / ratios.len() as f64
}

fn pair(first: f64, second: f64) -> String {
    format!("{first:.3} / {second:.3}")
}

fn rates(first: f64, second: f64) -> String {
    format!("{first:.4} / {second:.4}")
}

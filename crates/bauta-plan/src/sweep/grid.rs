//! The variants of a plan: every combination of the values of its axes.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use rayon::prelude::*;

use crate::check::{Folder, Source, Surroundings, finished, plan_of};
use crate::draft::Draft;
use crate::output::folder_of;
use crate::plan::Plan;
use crate::problem::{Place, Problem, ProblemKind};
use crate::toml::{self, Needs, swept};

/// Most variants of a grid: more would take days, and nobody reads their table.
pub const MOST_VARIANTS: usize = 10_000;

/// One of the things that variants differ in.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// What it is called, such as `rank-swap.window`.
    pub name: String,
    /// Its values as tables show them, in the order of the plan.
    pub values: Vec<String>,
}

/// One plan of a grid.
#[derive(Clone, PartialEq, Debug)]
pub struct Variant {
    /// The value of each axis, as tables show it.
    pub values: Vec<String>,
    /// The plan. Places are those of the text of the grid.
    pub draft: Draft,
}

impl Variant {
    /// The plan's text: what `bauta run` takes for the same figures.
    pub fn text(&self) -> String {
        toml::write(&self.draft)
    }
}

/// Plans that differ in the values of some axes.
#[derive(Clone, PartialEq, Debug)]
pub struct Grid {
    /// The axes, in the order of the text.
    pub axes: Vec<Axis>,
    /// The variants: the last axis changes first.
    pub variants: Vec<Variant>,
    /// The text that it was read from; none where it was built by code.
    text: Option<String>,
}

/// Where a grid stands, and what its plans name.
#[derive(Clone, Copy)]
pub struct Origin<'a> {
    /// The plan's name in messages and records.
    pub file: &'a str,
    /// What its plans name.
    pub surroundings: &'a (dyn Surroundings + Sync),
}

impl Grid {
    /// Reads the grid that a plan's text is; a plan without any axis is one of a single variant. All problems
    /// are returned at once, in the order of the text.
    pub fn read(text: &str) -> Result<Self, Vec<Problem>> {
        let swept = swept(text, MOST_VARIANTS)?;
        let sizes: Vec<usize> = swept.axes.iter().map(|axis| axis.choices.len()).collect();
        let n_variants = sizes
            .iter()
            .try_fold(1_usize, |n, &size| n.checked_mul(size));
        let n_variants = n_variants.unwrap_or(usize::MAX);
        if n_variants > MOST_VARIANTS {
            let place = swept.axes.first().map(|axis| axis.place.clone());
            return Err(vec![too_many(&sizes, &place.unwrap_or_default())]);
        }
        let axes: Vec<Axis> = (swept.axes.iter())
            .map(|axis| Axis {
                name: axis.name.clone(),
                values: axis
                    .choices
                    .iter()
                    .map(|(label, _)| label.clone())
                    .collect(),
            })
            .collect();
        let mut found = Found::default();
        let mut variants = Vec::with_capacity(n_variants);
        for number in 0..n_variants {
            let positions = positions(number, &sizes);
            let (draft, problems) = swept.draft(&positions, Needs::Files);
            let at = positions.iter().zip(&axes);
            let values = at.map(|(&position, axis)| axis.values[position].clone());
            let variant = Variant {
                values: values.collect(),
                draft,
            };
            found.add(problems, &axes, &variant);
            variants.push(variant);
        }
        let place = swept.axes.first().map(|axis| axis.place.clone());
        let mut problems = found.told(n_variants);
        if problems.is_empty() {
            problems.extend(twice(&variants, &place.unwrap_or_default()));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Self {
            axes,
            variants,
            text: Some(text.to_owned()),
        })
    }

    /// Plans that were built by code, with a value for each axis.
    pub fn of_variants(axes: Vec<Axis>, variants: Vec<Variant>) -> Self {
        Self {
            axes,
            variants,
            text: None,
        }
    }

    /// Every variant with this seed, whatever the plan says.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        for variant in &mut self.variants {
            variant.draft.plan.seed = Some(seed);
        }
        self
    }

    /// Checks every variant to the end. A problem that only some of them have says so.
    pub fn check(&self, origin: &Origin<'_>) -> Result<(), Vec<Problem>> {
        let checked: Vec<Vec<Problem>> = (self.variants.par_iter())
            .map(|variant| self.plan(variant, origin).err().unwrap_or_default())
            .collect();
        let mut found = Found::default();
        for (variant, problems) in self.variants.iter().zip(checked) {
            found.add(problems, &self.axes, variant);
        }
        match found.told(self.variants.len()) {
            problems if problems.is_empty() => Ok(()),
            problems => Err(problems),
        }
    }

    /// The same for a plan on the disk, whose paths are relative to its folder.
    pub fn check_in_folder(&self, plan: &Path) -> Result<(), Vec<Problem>> {
        let name = plan.file_name().unwrap_or_default().to_string_lossy();
        self.check(&Origin {
            file: &name,
            surroundings: &Folder(folder_of(plan)),
        })
    }

    /// The plan of a variant. Lines in what it says are those of the grid's text.
    pub fn plan(&self, variant: &Variant, origin: &Origin<'_>) -> Result<Plan, Vec<Problem>> {
        let problems = std::cell::RefCell::default();
        let written;
        let text = match &self.text {
            Some(text) => text,
            None => {
                written = variant.text();
                &written
            }
        };
        let source = Source {
            text,
            file: origin.file,
        };
        let plan = plan_of(&variant.draft, &source, origin.surroundings, &problems);
        finished(plan, problems)
    }
}

/// The position on each axis of a variant: the last axis changes first.
fn positions(number: usize, sizes: &[usize]) -> Vec<usize> {
    let mut rest = number;
    let mut positions: Vec<usize> = sizes
        .iter()
        .rev()
        .map(|&size| {
            let position = rest % size;
            rest /= size;
            position
        })
        .collect();
    positions.reverse();
    positions
}

fn too_many(sizes: &[usize], place: &Place) -> Problem {
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    let message = format!(
        "the grid has {} variants, and at most {MOST_VARIANTS} are run",
        sizes.join(" × ")
    );
    let hint = "sweep over fewer values, or in several plans";
    Problem::at(ProblemKind::Sweep, place, message, hint)
}

/// Two variants that say the same would be one.
fn twice(variants: &[Variant], place: &Place) -> Option<Problem> {
    let mut seen: HashMap<String, &Variant> = HashMap::with_capacity(variants.len());
    for variant in variants {
        if let Some(other) = seen.insert(variant.text(), variant) {
            let message = format!(
                "two variants are the same plan: {} and {}",
                other.values.join(", "),
                variant.values.join(", ")
            );
            let hint = "leave out the axis that changes nothing";
            return Some(Problem::at(ProblemKind::Sweep, place, message, hint));
        }
    }
    None
}

/// Problems of variants, each once.
#[derive(Default)]
struct Found {
    /// By where they are and what they say.
    problems: BTreeMap<(usize, String), (Problem, usize, String)>,
}

impl Found {
    fn add(&mut self, problems: Vec<Problem>, axes: &[Axis], variant: &Variant) {
        for problem in problems {
            let start = problem.span.as_ref().map_or(0, |span| span.start);
            let key = (start, problem.message.clone());
            let entry = self.problems.entry(key);
            let (_, n_variants, _) =
                entry.or_insert_with(|| (problem, 0, in_words(axes, &variant.values)));
            *n_variants += 1;
        }
    }

    /// What they say of so many variants.
    fn told(self, n_variants: usize) -> Vec<Problem> {
        let problems = self.problems.into_values();
        problems
            .map(|(mut problem, n_of, first)| {
                if n_of < n_variants {
                    problem.message = format!(
                        "{} (in {n_of} of {n_variants} variants, the first with {first})",
                        problem.message
                    );
                }
                problem
            })
            .collect()
    }
}

/// The values of a variant with their axes.
fn in_words(axes: &[Axis], values: &[String]) -> String {
    let values = axes.iter().zip(values);
    let words: Vec<String> = values
        .map(|(axis, value)| format!("{} = {value}", axis.name))
        .collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HEAD: &str = "[data]\nfile = \"x.csv\"\n[output]\nfile = \"y.csv\"\n";

    fn grid(rest: &str) -> Grid {
        let read = Grid::read(&format!("{HEAD}{rest}"));
        read.unwrap_or_else(|problems| panic!("{problems:#?}"))
    }

    fn names(grid: &Grid) -> Vec<&str> {
        grid.axes.iter().map(|axis| axis.name.as_str()).collect()
    }

    fn values(grid: &Grid) -> Vec<String> {
        let variants = grid.variants.iter();
        variants.map(|variant| variant.values.join(" | ")).collect()
    }

    fn wrong(rest: &str) -> Vec<String> {
        let text = format!("{HEAD}{rest}");
        let problems = Grid::read(&text).unwrap_err().into_iter();
        problems
            .map(|problem| {
                let line = problem.line(&text).unwrap_or(0);
                format!("{line}: {}", problem.message)
            })
            .collect()
    }

    #[test]
    fn a_grid_is_every_combination_in_the_order_written() {
        let grid = grid(
            "[plan]\nseed = { sweep = [1, 2] }\n[[step]]\nmask = \"rank-swap\"\non = [\"a\"]\nwindow = { sweep = [0.05, 0.1, 0.2] }\n",
        );
        assert_eq!(names(&grid), ["seed", "rank-swap.window"]);
        assert_eq!(
            values(&grid),
            [
                "1 | 0.05", "1 | 0.1", "1 | 0.2", "2 | 0.05", "2 | 0.1", "2 | 0.2"
            ]
        );
        let last = &grid.variants[5].draft;
        assert_eq!(last.plan.seed, Some(2));
        assert!(grid.variants[5].text().contains("window = 0.2"));
        // The value stands where it is written, so that a message can point at it.
        let text = grid.text.as_deref().unwrap();
        let span = last.steps[0].params.0[0].1.place.span().unwrap();
        assert_eq!(&text[span.clone()], "0.2");
    }

    #[test]
    fn a_whole_step_is_an_axis_and_may_hold_others() {
        let grid = grid(
            "[[step]]\non = [\"a\"]\nsweep = [\n  { mask = \"rank-swap\", window = { sweep = [0.1, 0.2] } },\n  { mask = \"mdav\", k = 5 },\n  {},\n]\n",
        );
        assert_eq!(names(&grid), ["step"]);
        assert_eq!(
            values(&grid),
            [
                "rank-swap window=0.1",
                "rank-swap window=0.2",
                "mdav k=5",
                "none"
            ]
        );
        let methods: Vec<Option<&str>> = grid
            .variants
            .iter()
            .map(|variant| Some(variant.draft.steps.first()?.method.id().as_str()))
            .collect();
        assert_eq!(
            methods,
            [Some("rank-swap"), Some("rank-swap"), Some("mdav"), None]
        );
        let named = "[[step]]\non = [\"a\"]\nsweep = [{ name = \"coarse\", mask = \"recode\", map = { x = \"y\" } }, { mask = \"mdav\", aggregate = \"mean\", k = 3 }]\n";
        assert_eq!(
            values(&self::grid(named)),
            ["coarse", "mdav aggregate=mean k=3"]
        );
        let named = "[[step]]\non = [\"a\"]\nsweep = [{ name = \"n\", mask = \"mdav\", k = { sweep = [3, 5] } }]\n";
        assert_eq!(values(&self::grid(named)), ["mdav k=3", "mdav k=5"]);
        let on = grid.variants[2].draft.steps[0].on.as_ref().unwrap();
        assert_eq!(on.value, ["a".into()]);
    }

    #[test]
    fn axes_of_one_name_are_told_apart_by_their_step() {
        let step = "[[step]]\nmask = \"rank-swap\"\nwindow = { sweep = [0.1, 0.2] }\n";
        let two = grid(&format!("{step}{step}"));
        assert_eq!(
            names(&two),
            ["step 1 rank-swap.window", "step 2 rank-swap.window"]
        );
        let methods =
            "[[step]]\nmask = { sweep = [\"mdav\", \"max-distance\"] }\nk = { sweep = [3, 5] }\n";
        assert_eq!(names(&grid(methods)), ["mask", "k"]);
        let variables = "[variables]\nage = { role = \"key\", hierarchy = { sweep = [\"prefix\", { intervals = [[1, 2]] }] } }\nsweep = { role = \"key\" }\n";
        let grid = grid(variables);
        assert_eq!(names(&grid), ["age.hierarchy"]);
        assert_eq!(values(&grid), ["prefix", "intervals=[[1, 2]]"]);
    }

    #[test]
    fn a_plan_without_axes_is_a_grid_of_one() {
        let grid = grid("[[step]]\nmask = \"mdav\"\nk = 3\n");
        assert_eq!((grid.axes.len(), grid.variants.len()), (0, 1));
    }

    #[test]
    fn what_is_wrong_with_axes_is_told_with_its_line() {
        assert_eq!(
            wrong("[plan]\nseed = { sweep = [] }\n"),
            ["6: the axis `seed` has no value"]
        );
        assert_eq!(
            wrong("[plan]\nseed = { sweep = 3 }\n"),
            ["6: `sweep` takes a list of values"]
        );
        assert_eq!(
            wrong("[[step]]\nmask = \"mdav\"\nk = { sweep = [3, 5, 3] }\n"),
            ["7: the axis `mdav.k` has `3` twice"]
        );
        assert_eq!(
            wrong("[[step]]\nmask = \"mdav\"\nsweep = [{ mask = \"jpeg\" }, 3]\n"),
            [
                "7: `mask` stands beside the axis already",
                "7: in a section, `sweep` takes a list of tables"
            ]
        );
        let many: Vec<String> = (0..101).map(|n| n.to_string()).collect();
        let many = many.join(", ");
        assert_eq!(
            wrong(&format!(
                "[plan]\nseed = {{ sweep = [{many}] }}\n[[step]]\nmask = \"mdav\"\nk = {{ sweep = [{many}] }}\n"
            )),
            ["6: the grid has 101 × 101 variants, and at most 10000 are run"]
        );
        let same = wrong("[[step]]\nk = { sweep = [3, 5] }\nsweep = [{ mask = \"mdav\" }, {}]\n");
        assert!(
            same[0].contains("two variants are the same plan"),
            "{same:?}"
        );
        let text =
            "[data]\nfile = { sweep = [\"a.csv\", \"b.csv\"] }\n[output]\nfile = \"y.csv\"\n";
        let problems = Grid::read(text).unwrap_err();
        assert_eq!(
            problems[0].message,
            "[data] cannot be swept: all variants are of the same data"
        );
    }

    /// Pieces of plans, in any order.
    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "[plan]\n",
            "[[step]]\n",
            "[variables]\n",
            "[[measure]]\n",
            "seed = ",
            "sweep = ",
            "mask = ",
            "a = ",
            "{ sweep = ",
            "{ a = ",
            "{",
            "}",
            "[",
            "]",
            ", ",
            "1",
            "\"mdav\"",
            "0.5",
            "\n",
        ]);
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd_to_be_read_as_a_grid(rest in pieces()) {
            if let Ok(grid) = Grid::read(&format!("{HEAD}{rest}")) {
                let sizes = grid.axes.iter().map(|axis| axis.values.len());
                prop_assert_eq!(grid.variants.len(), sizes.product::<usize>());
            }
        }

        #[test]
        fn every_combination_comes_once(sizes in prop::collection::vec(1_usize..5, 1..5)) {
            let n_variants: usize = sizes.iter().product();
            let all: Vec<Vec<usize>> = (0..n_variants).map(|n| positions(n, &sizes)).collect();
            // In the order written, the first axis changing last: rising as words do.
            prop_assert!(all.is_sorted_by(|a, b| a < b));
            prop_assert!(all.iter().all(|of| of.iter().zip(&sizes).all(|(at, size)| at < size)));
        }
    }
}

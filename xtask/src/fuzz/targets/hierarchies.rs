//! Hierarchies over categories: each level is coarser than the one below, and the top is one.

use bauta_data::date::iso_days;
use bauta_data::hierarchy::{DateLevels, DateUnit, DateUnits};
use bauta_data::{Hierarchy, HierarchySpec, Levels};
use bauta_plan::draft::HierarchyDraft;

use super::Target;
use crate::fuzz::case::Case;
use crate::fuzz::draws::Draws;
use crate::fuzz::finding::{Finding, Oracle, Outcome, Verdict};
use crate::fuzz::make::cells;
use crate::fuzz::make::damage::damaged;
use crate::fuzz::make::hierarchy::{hierarchy, levels_file};
use crate::fuzz::oracle::canaries::Canaries;
use crate::fuzz::world::World;

/// Hierarchies and files of levels.
pub(crate) struct Hierarchies;

const FORM: &str = "form.json";
const LEVELS: &str = "levels.csv";
/// One category a line, as JSON.
const CATEGORIES: &str = "categories.json";

impl Target for Hierarchies {
    fn name(&self) -> &'static str {
        "hierarchies"
    }

    fn make(&self, draws: &mut Draws, _world: &World) -> Case {
        let sort = draws.below(4);
        let categories: Vec<String> = (0..draws.between(0, 9))
            .map(|_| match sort {
                0 => draws.below(30).to_string(),
                1 => format!("{}", 4_820_000_000_u64 + draws.below(1_000_000) as u64),
                2 => cells::odd_text(draws),
                _ => cells::token(draws),
            })
            .collect();
        let mut form = hierarchy(draws, &categories, LEVELS);
        if sort == 0 && draws.one_in(2) {
            form = HierarchyDraft::Intervals(crate::fuzz::make::hierarchy::intervals(draws));
        }
        let mut case = Case::default()
            .with(
                FORM,
                serde_json::to_string(&form).expect("forms are JSON") + "\n",
            )
            .with(
                CATEGORIES,
                serde_json::to_string(&categories).expect("texts are JSON") + "\n",
            );
        if let HierarchyDraft::File(_) = form {
            let mut text = levels_file(draws, &categories).into_bytes();
            if draws.one_in(3) {
                let other = levels_file(draws, &categories);
                text = damaged(draws, &text, other.as_bytes());
            }
            case.set(LEVELS, text);
        }
        case
    }

    fn run(&self, case: &Case, world: &World) -> Outcome {
        let form: Option<HierarchyDraft> = serde_json::from_str(case.text(FORM)).ok();
        let categories: Option<Vec<String>> = serde_json::from_str(case.text(CATEGORIES)).ok();
        let (Some(form), Some(categories)) = (form, categories) else {
            return Ok(Verdict::Refused);
        };
        let texts: Vec<&str> = categories.iter().map(String::as_str).collect();
        let canaries = Canaries::of(texts.iter().copied(), [case.text(FORM)]);
        let spec = match spec(case, form, world) {
            Ok(spec) => spec,
            Err(told) => {
                return canaries
                    .look_for("the error", &told)
                    .map(|()| Verdict::Refused);
            }
        };
        let levels = Levels::from_texts(texts);
        match spec.resolve("v", &levels) {
            Ok(hierarchy) => looks_nested(&hierarchy, &levels).map(|()| Verdict::Accepted),
            Err(problems) => {
                for problem in &problems {
                    canaries.look_for("a problem", &problem.to_string())?;
                }
                if problems.is_empty() {
                    return Err(law("it was refused without a reason"));
                }
                Ok(Verdict::Refused)
            }
        }
    }
}

/// What a form means; an error is what was told.
fn spec(case: &Case, form: HierarchyDraft, world: &World) -> Result<HierarchySpec, String> {
    Ok(match form {
        HierarchyDraft::Prefix(keep) => HierarchySpec::Prefix { keep },
        HierarchyDraft::Intervals(breaks) => HierarchySpec::Intervals { breaks },
        HierarchyDraft::Tree(roots) => HierarchySpec::Tree { roots },
        HierarchyDraft::Dates(units) => {
            let units =
                units.unwrap_or_else(|| DateUnit::USUAL.iter().map(|unit| unit.word()).collect());
            let units: Option<Vec<DateUnit>> =
                units.iter().map(|word| DateUnit::parse(word)).collect();
            let by = DateUnits::Calendar(units.ok_or("no unit")?);
            HierarchySpec::Dates(DateLevels { by, format: None })
        }
        HierarchyDraft::Ages { at, widths } => {
            let at = iso_days(&at).ok_or("no day")?;
            let widths = widths.unwrap_or_else(|| DateUnits::USUAL_AGES.to_vec());
            let by = DateUnits::Ages { at, widths };
            HierarchySpec::Dates(DateLevels { by, format: None })
        }
        HierarchyDraft::File(_) => {
            let folder = world.empty_folder();
            case.unpack(folder.path()).expect("room in memory");
            let file = folder.path().join(LEVELS);
            HierarchySpec::read_levels(&file, None).map_err(|error| error.to_string())?
        }
    })
}

fn law(what: &str) -> Finding {
    Finding::new(Oracle::Law, what)
}

fn looks_nested(hierarchy: &Hierarchy, levels: &Levels) -> Result<(), Finding> {
    let n = levels.len();
    let height = hierarchy.height();
    for level in 1..=height {
        let (labels, codes) = hierarchy.at_level(level);
        if codes.len() != n || codes.iter().any(|&code| code as usize >= labels.len()) {
            return Err(law("a category has no label at some level"));
        }
        let occurs = |label: u32| codes.contains(&label);
        if n > 0 && !(0..labels.len() as u32).all(occurs) {
            return Err(law("a label stands for no category"));
        }
        let Some((_, coarser)) = (level < height).then(|| hierarchy.at_level(level + 1)) else {
            continue;
        };
        for a in 0..n {
            for b in 0..a {
                if codes[a] == codes[b] && coarser[a] != coarser[b] {
                    return Err(law("two categories fall together and then apart"));
                }
            }
        }
    }
    if n > 1 && height > 0 {
        let (_, codes) = hierarchy.at_level(height);
        if codes.iter().any(|&code| code != codes[0]) {
            return Err(law("the top is not one"));
        }
    }
    if hierarchy.present_level(levels) > height {
        return Err(law("categories are above the top"));
    }
    for code in 0..n as u32 {
        if hierarchy.label_levels(code).count() != height
            || hierarchy.common_level(code, 0) > height
        {
            return Err(law(
                "a category has more or fewer labels than there are levels",
            ));
        }
    }
    Ok(())
}

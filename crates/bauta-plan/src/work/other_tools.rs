//! Names of other tools of the field, and what is ours for each: for whoever comes from sdcMicro, mu-Argus, ARX or a
//! program that calibrates weights.
//!
//! The tables are texts beside this file, a line for each name. `bauta explain` answers from them and the page
//! `docs/reference/other-tools.md` is made of them. Five fields are separated by bars: the name; other spellings; what
//! it is; what is ours; how ours differs. What is ours is `method ID(PARAMETERS)`, `nearest ID(PARAMETERS)`, `command
//! bauta …` or `plan LINE`. Several are separated by ` ; `. Where nothing is, the last field says why.

use std::sync::LazyLock;

use bauta_data::near;

/// A tool, or a package, whose names we know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tool {
    /// The R package sdcMicro.
    SdcMicro,
    /// The program mu-Argus.
    MuArgus,
    /// The program and library ARX.
    Arx,
    /// The SAS macros CALMAR and CALMAR2.
    Calmar,
    /// The R package icarus.
    Icarus,
    /// The R package survey.
    Survey,
    /// The R package sampling.
    Sampling,
    /// The R package `ReGenesees`.
    ReGenesees,
}

impl Tool {
    /// All of them, in the order of the page.
    pub const ALL: [Self; 8] = [
        Self::SdcMicro,
        Self::MuArgus,
        Self::Arx,
        Self::Calmar,
        Self::Icarus,
        Self::Survey,
        Self::Sampling,
        Self::ReGenesees,
    ];

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SdcMicro => "sdcMicro",
            Self::MuArgus => "mu-Argus",
            Self::Arx => "ARX",
            Self::Calmar => "CALMAR",
            Self::Icarus => "icarus",
            Self::Survey => "survey",
            Self::Sampling => "sampling",
            Self::ReGenesees => "ReGenesees",
        }
    }

    /// What it is.
    pub const fn about(self) -> &'static str {
        match self {
            Self::SdcMicro => "an R package that masks microdata and measures their risk",
            Self::MuArgus => "a program that makes microdata safe, by menus",
            Self::Arx => "a program and a Java library that generalise and suppress",
            Self::Calmar => "two SAS macros, CALMAR and CALMAR2, that calibrate weights",
            Self::Icarus => "an R package that calibrates weights as CALMAR does",
            Self::Survey => "an R package for survey samples; here what it has for calibration",
            Self::Sampling => "an R package for drawing samples; here what it has for calibration",
            Self::ReGenesees => {
                "an R package of Istat for surveys; here what it has for calibration"
            }
        }
    }

    /// Keys of the words that may stand before one of its names.
    const fn prefixes(self) -> &'static [&'static str] {
        match self {
            Self::SdcMicro => &["sdcmicro"],
            Self::MuArgus => &["muargus", "argus"],
            Self::Arx => &["arx"],
            Self::Calmar => &["calmar", "calmar2"],
            Self::Icarus => &["icarus"],
            Self::Survey => &["survey"],
            Self::Sampling => &["sampling"],
            Self::ReGenesees => &["regenesees"],
        }
    }

    const fn table(self) -> &'static str {
        match self {
            Self::SdcMicro => include_str!("other_tools/sdcmicro.txt"),
            Self::MuArgus => include_str!("other_tools/mu_argus.txt"),
            Self::Arx => include_str!("other_tools/arx.txt"),
            Self::Calmar => include_str!("other_tools/calmar.txt"),
            Self::Icarus => include_str!("other_tools/icarus.txt"),
            Self::Survey => include_str!("other_tools/survey.txt"),
            Self::Sampling => include_str!("other_tools/sampling.txt"),
            Self::ReGenesees => include_str!("other_tools/regenesees.txt"),
        }
    }

    /// Its names, in the order of its table.
    pub fn names(self) -> impl Iterator<Item = &'static TheirName> {
        names().iter().filter(move |name| name.tool == self)
    }

    /// The tool that is called so, in any spelling.
    pub fn called(asked: &str) -> Option<Self> {
        let asked = key(asked);
        Self::ALL
            .into_iter()
            .find(|tool| tool.prefixes().contains(&asked.as_str()))
    }
}

/// A name of another tool: a function, an option or a word on a screen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TheirName {
    /// Whose name it is.
    pub tool: Tool,
    /// The name as they write it; an argument stands in brackets after its function.
    pub name: &'static str,
    /// Other names that mean the same to us.
    pub also: Vec<&'static str>,
    /// What it is.
    pub is: &'static str,
    /// What is ours; empty where nothing is.
    pub ours: Vec<Ours>,
    /// How ours differs, or why there is none.
    pub differs: &'static str,
}

/// Something of ours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ours {
    /// A method that does it, and the parameters to look at.
    Method {
        /// Its id.
        id: &'static str,
        /// Names of parameters.
        with: Vec<&'static str>,
    },
    /// A method that does not do it, but comes nearest.
    Nearest {
        /// Its id.
        id: &'static str,
        /// Names of parameters.
        with: Vec<&'static str>,
    },
    /// A command, with the options to look at.
    Command(&'static str),
    /// A line or a section of a plan.
    Plan(&'static str),
}

impl Ours {
    fn read(text: &'static str) -> Option<Self> {
        let (kind, rest) = text.trim().split_once(' ')?;
        match kind {
            "method" => method(rest).map(|(id, with)| Self::Method { id, with }),
            "nearest" => method(rest).map(|(id, with)| Self::Nearest { id, with }),
            "command" => Some(Self::Command(rest)),
            "plan" => Some(Self::Plan(rest)),
            _ => None,
        }
    }

    /// What to type to read on.
    pub fn read_on(&self) -> String {
        match self {
            Self::Method { id, .. } | Self::Nearest { id, .. } => format!("bauta explain {id}"),
            Self::Command(command) => {
                let name = command.split(' ').take(2).collect::<Vec<_>>().join(" ");
                format!("{name} --help")
            }
            Self::Plan(_) => "bauta explain plan".to_owned(),
        }
    }
}

/// Id and parameters of `suppress-local(k, costs)`.
fn method(text: &'static str) -> Option<(&'static str, Vec<&'static str>)> {
    let Some((id, rest)) = text.split_once('(') else {
        return Some((text, Vec::new()));
    };
    let with = rest.strip_suffix(')')?.split(',').map(str::trim).collect();
    Some((id, with))
}

impl TheirName {
    fn read(tool: Tool, line: &'static str) -> Option<Self> {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [name, also, is, ours, differs] = fields[..] else {
            return None;
        };
        Some(Self {
            tool,
            name,
            also: parts(also).collect(),
            is,
            ours: parts(ours).map(Ours::read).collect::<Option<_>>()?,
            differs,
        })
    }

    /// Keys of all that may be typed for it: its name, other spellings, and an argument without its function.
    fn keys(&self) -> impl Iterator<Item = String> {
        let spellings = std::iter::once(self.name).chain(self.also.iter().copied());
        spellings.flat_map(|spelling| {
            let argument = spelling
                .split_once('(')
                .filter(|(function, _)| !function.is_empty() && !function.ends_with(' '));
            [Some(spelling), argument.map(|(_, argument)| argument)]
                .into_iter()
                .flatten()
                .map(key)
        })
    }

    /// Whether it is an argument of that function.
    fn is_argument_of(&self, function: &Self) -> bool {
        let head = self.name.split_once('(').map(|(head, _)| head);
        self.tool == function.tool && head == Some(function.name)
    }
}

/// Parts of a field; none if it is empty.
fn parts(field: &'static str) -> impl Iterator<Item = &'static str> {
    let parts = field.split(" ; ").map(str::trim);
    parts.filter(|part| !part.is_empty())
}

/// All names of all tools.
pub fn names() -> &'static [TheirName] {
    static NAMES: LazyLock<Vec<TheirName>> = LazyLock::new(|| {
        let lines = Tool::ALL.into_iter().flat_map(|tool| {
            let lines = tool.table().lines();
            lines.map(move |line| (tool, line))
        });
        lines
            .filter(|(_, line)| !line.starts_with('#'))
            .filter_map(|(tool, line)| TheirName::read(tool, line))
            .collect()
    });
    &NAMES
}

/// The names that somebody may mean, in any case, with or without the tool before it; with a function come its
/// arguments.
pub fn find(asked: &str) -> Vec<&'static TheirName> {
    let wanted = key(asked);
    let called = |name: &&TheirName| name.keys().any(|known| known == wanted);
    let mut found: Vec<&TheirName> = names().iter().filter(called).collect();
    if found.is_empty() {
        found = names()
            .iter()
            .filter(|name| {
                let prefixes = name.tool.prefixes().iter();
                let mut rests = prefixes.filter_map(|prefix| wanted.strip_prefix(prefix));
                rests.any(|rest| name.keys().any(|known| known == rest))
            })
            .collect();
    }
    let arguments = names().iter().filter(|name| {
        let mut functions = found.iter();
        !found.contains(name) && functions.any(|function| name.is_argument_of(function))
    });
    let arguments: Vec<&TheirName> = arguments.collect();
    found.extend(arguments);
    found
}

/// The name that a mistyped one most probably meant, and how it is written.
pub fn nearest(asked: &str) -> Option<(&'static TheirName, &'static str)> {
    let spellings =
        |name: &'static TheirName| std::iter::once(name.name).chain(name.also.iter().copied());
    let spelling = near::nearest(asked, names().iter().flat_map(spellings))?;
    let name = names()
        .iter()
        .find(|name| spellings(name).any(|known| known == spelling))?;
    Some((name, spelling))
}

/// A name without what people write in different ways: case, blanks, signs, the word "method", Greek letters.
fn key(text: &str) -> String {
    let text = text.to_lowercase();
    let words = text.split(|sign: char| !sign.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let kept = words
        .iter()
        .filter(|word| words.len() == 1 || !matches!(**word, "method" | "calfun"));
    let mut key = String::new();
    for sign in kept.flat_map(|word| word.chars()) {
        match sign {
            'µ' | 'μ' => key.push_str("mu"),
            'α' => key.push_str("alpha"),
            'β' => key.push_str("beta"),
            'δ' => key.push_str("delta"),
            'ε' | 'ɛ' => key.push('e'),
            'ℓ' => key.push('l'),
            _ => key.push(sign),
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use bauta_data::Role;
    use bauta_methods::registry;

    use super::*;
    use crate::GRAMMAR;

    #[test]
    fn every_line_of_the_tables_is_read() {
        for tool in Tool::ALL {
            let lines = tool.table().lines();
            for line in lines.filter(|line| !line.starts_with('#')) {
                let name = TheirName::read(tool, line).unwrap_or_else(|| panic!("{line}"));
                for text in [name.name, name.is, name.differs] {
                    assert!(!text.is_empty(), "{line}");
                }
                assert!(name.differs.ends_with('.'), "{line}");
            }
            assert!(tool.names().count() > 4, "{tool:?}");
        }
    }

    #[test]
    fn methods_parameters_and_lines_of_plans_are_ours() {
        for name in names() {
            for ours in &name.ours {
                match ours {
                    Ours::Method { id, with } | Ours::Nearest { id, with } => {
                        let card = registry::card(id);
                        let card = card.unwrap_or_else(|| panic!("{}: no {id}", name.name));
                        for wanted in with {
                            let known = card.params.iter().any(|spec| spec.name == *wanted);
                            assert!(known, "{}: {id} has no {wanted}", name.name);
                        }
                    }
                    Ours::Plan(line) => {
                        let role = line
                            .strip_prefix("role = \"")
                            .and_then(|rest| rest.strip_suffix('"'));
                        let known = match role {
                            Some(role) => Role::from_name(role).is_some(),
                            None => GRAMMAR.contains(line),
                        };
                        assert!(known, "{}: the grammar has no {line}", name.name);
                    }
                    Ours::Command(command) => {
                        assert!(command.starts_with("bauta "), "{command}");
                    }
                }
            }
        }
    }

    #[test]
    fn no_tool_has_a_name_twice() {
        for tool in Tool::ALL {
            let mut known: Vec<&str> = Vec::new();
            for name in tool.names() {
                for spelling in std::iter::once(name.name).chain(name.also.iter().copied()) {
                    assert!(!known.contains(&spelling), "{tool:?}: {spelling}");
                    known.push(spelling);
                }
            }
        }
    }

    fn found(asked: &str) -> Vec<(Tool, &'static str)> {
        let found = find(asked);
        found.iter().map(|name| (name.tool, name.name)).collect()
    }

    #[test]
    fn names_are_found_in_any_spelling() {
        for asked in [
            "kAnon",
            "kanon",
            "KANON",
            "sdcMicro::kAnon",
            "sdcmicro kAnon",
            "localSuppression",
            "kAnon()",
        ] {
            assert_eq!(found(asked)[0], (Tool::SdcMicro, "kAnon"), "{asked}");
        }
        for asked in ["CALMAR M=3", "calmar2: m = 3", "M=3", "m3"] {
            assert_eq!(found(asked), [(Tool::Calmar, "M = 3")], "{asked}");
        }
        for asked in [
            "argus: threshold",
            "mu-Argus Threshold",
            "µ-ARGUS threshold",
        ] {
            assert_eq!(found(asked), [(Tool::MuArgus, "Threshold")], "{asked}");
        }
        for asked in ["delta-presence", "δ-presence", "ARX DPresence"] {
            assert_eq!(found(asked), [(Tool::Arx, "delta-presence")], "{asked}");
        }
        assert_eq!(found("survey::calibrate")[0], (Tool::Survey, "calibrate"));
        assert!(found("no such name").is_empty());
        assert!(found("").is_empty());
    }

    #[test]
    fn methods_of_a_function_are_found_alone_and_with_it() {
        let romm = (Tool::SdcMicro, "addNoise(method = \"ROMM\")");
        for asked in [
            "ROMM",
            "addNoise ROMM",
            "addNoise(method=\"ROMM\")",
            "sdcMicro::addNoise(ROMM)",
        ] {
            assert_eq!(found(asked), [romm], "{asked}");
        }
        assert!(found("addNoise").contains(&romm));
    }

    #[test]
    fn one_name_of_several_tools_gives_all() {
        let tools: Vec<Tool> = find("bounds").iter().map(|name| name.tool).collect();
        assert_eq!(tools, [Tool::Icarus, Tool::Survey]);
    }

    #[test]
    fn tools_are_found_by_their_names() {
        assert_eq!(Tool::called("SDCMICRO"), Some(Tool::SdcMicro));
        assert_eq!(Tool::called("µ-Argus"), Some(Tool::MuArgus));
        assert_eq!(Tool::called("calmar2"), Some(Tool::Calmar));
        assert_eq!(Tool::called("rank-swap"), None);
    }

    #[test]
    fn mistyped_names_have_a_near_one() {
        let near = |asked| nearest(asked).map(|(name, spelling)| (name.name, spelling));
        assert_eq!(near("mesure_risk"), Some(("measure_risk", "measure_risk")));
        assert_eq!(near("localSupression"), Some(("kAnon", "localSuppression")));
        assert_eq!(near("zzzz"), None);
    }
}

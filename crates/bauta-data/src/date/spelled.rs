//! How a spelling of dates is itself spelled: `dd/mm/yyyy`, `yyyy-mm-dd HH:MM:SS`, `dd/mm/yy from 1930`.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{DateFormat, Dates, MonthText, Padding, Part, PartOrder, TimeText, YearText};

/// Separators between day, month and year.
pub(super) const SEPARATORS: &[u8] = b"-/. ";

impl DateFormat {
    /// The spelling that a text describes, if it describes one: `d` and `dd`, `m` and `mm`, `mmm`, `Mmm` and `MMM`
    /// for names of months, `yyyy`, or `yy` followed by the first of the hundred years that are meant.
    pub fn parse(text: &str) -> Option<Self> {
        let (text, century) = match text.split_once(" from ") {
            Some((spelled, first)) => (spelled, Some(first.parse::<u16>().ok()?)),
            None => (text, None),
        };
        let century = match century {
            Some(first) if !(1000..=9900).contains(&first) => return None,
            other => other,
        };
        let (date, time) = split_time(text)?;
        let separator = date.bytes().find(|byte| SEPARATORS.contains(byte));
        let parts = split_parts(date, separator)?;
        let letters = parts.map(|part| part.as_bytes()[0].to_ascii_lowercase());
        let letter = |part: Part| match part {
            Part::Year => b'y',
            Part::Month => b'm',
            Part::Day => b'd',
        };
        let mut orders = PartOrder::ALL.into_iter();
        let order = orders.find(|order| order.parts().map(letter) == letters)?;
        let [year, month, day] = order.sorted(parts);
        let year = match (year, century) {
            ("yyyy", None) => YearText::Four,
            ("yy", Some(first)) => YearText::Two(first),
            _ => return None,
        };
        let month_text = match month {
            "m" | "mm" => MonthText::Number,
            "mmm" => MonthText::Lower,
            "Mmm" => MonthText::Title,
            "MMM" => MonthText::Upper,
            _ => return None,
        };
        let padding = match (day, month) {
            ("dd", "mm" | "mmm" | "Mmm" | "MMM") => Padding::Zero,
            ("d", "m" | "mmm" | "Mmm" | "MMM") if separator.is_some() => Padding::Bare,
            _ => return None,
        };
        Some(Self {
            order,
            separator,
            month: month_text,
            padding,
            year,
            time,
        })
    }
}

/// Date and time of day of a description.
fn split_time(text: &str) -> Option<(&str, Option<TimeText>)> {
    let Some(at) = text.find("HH:MM") else {
        return Some((text, None));
    };
    let joint = *text.as_bytes().get(at.checked_sub(1)?)?;
    if !matches!(joint, b'T' | b' ') {
        return None;
    }
    let rest = &text[at + "HH:MM".len()..];
    let (rest, zulu) = match rest.strip_suffix('Z') {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let second_digits = match rest {
        "" => None,
        ":SS" => Some(0),
        longer => {
            let digits = longer.strip_prefix(":SS.")?;
            let n_digits = u8::try_from(digits.len()).ok()?;
            let is_well = (1..=TimeText::MOST_DIGITS).contains(&n_digits)
                && digits.bytes().all(|byte| byte == b'f');
            Some(is_well.then_some(n_digits)?)
        }
    };
    let time = TimeText {
        joint,
        second_digits,
        zulu,
    };
    Some((&text[..at - 1], Some(time)))
}

/// The three parts of a description: by their separator, or each a run of one letter.
fn split_parts(date: &str, separator: Option<u8>) -> Option<[&str; 3]> {
    let parts: Vec<&str> = match separator {
        Some(separator) => date.split(char::from(separator)).collect(),
        None => {
            let same = |a: &u8, b: &u8| a.eq_ignore_ascii_case(b);
            let runs = date.as_bytes().chunk_by(same);
            runs.filter_map(|run| std::str::from_utf8(run).ok())
                .collect()
        }
    };
    let parts: [&str; 3] = parts.try_into().ok()?;
    parts.iter().all(|part| !part.is_empty()).then_some(parts)
}

impl fmt::Display for DateFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (day, number) = match self.padding {
            Padding::Zero => ("dd", "mm"),
            Padding::Bare => ("d", "m"),
        };
        let month = match self.month {
            MonthText::Number => number,
            MonthText::Lower => "mmm",
            MonthText::Title => "Mmm",
            MonthText::Upper => "MMM",
        };
        let year = match self.year {
            YearText::Four => "yyyy",
            YearText::Two(_) => "yy",
        };
        let parts = self.order.parts().map(|part| match part {
            Part::Year => year,
            Part::Month => month,
            Part::Day => day,
        });
        let separator = self.separator.map(|byte| char::from(byte).to_string());
        f.write_str(&parts.join(&separator.unwrap_or_default()))?;
        if let Some(time) = self.time {
            write!(f, "{}HH:MM", char::from(time.joint))?;
            match time.second_digits {
                None => {}
                Some(0) => f.write_str(":SS")?,
                Some(digits) => write!(f, ":SS.{}", "f".repeat(usize::from(digits)))?,
            }
            if time.zulu {
                f.write_str("Z")?;
            }
        }
        match self.year {
            YearText::Four => Ok(()),
            YearText::Two(first) => write!(f, " from {first}"),
        }
    }
}

impl Serialize for Dates {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Dates {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("no spelling of dates"))
    }
}

impl JsonSchema for Dates {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Dates".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "How the dates of a variable are spelled, such as dd/mm/yyyy, or `find`.",
            "type": "string",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_read_back() {
        for text in [
            "yyyy-mm-dd",
            "dd/mm/yyyy",
            "d.m.yyyy",
            "yyyymmdd",
            "ddMMMyyyy",
            "d-Mmm-yyyy",
            "dd/mm/yy from 1930",
            "yyyy-mm-ddTHH:MM:SS.fffZ",
            "mm/dd/yyyy HH:MM",
        ] {
            let format = DateFormat::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(format.to_string(), text);
        }
        assert_eq!(Dates::parse("find"), Some(Dates::Sought));
    }

    #[test]
    fn what_is_no_description_is_refused() {
        for text in [
            "",
            "dd/mm",
            "dd/mm/yy",
            "dd/mm/yyyy from 1930",
            "dd/mm/yy from 99",
            "yyyy/dd/mm",
            "d/mm/yyyy",
            "dmyyyy",
            "dd/mm/yyyyHH:MM",
            "dd/mm/yyyy HH:MM:SS.",
            "dd/mm/yyyy HH",
            "dd/mm-yyyy",
            "mm/mm/yyyy",
            "é",
        ] {
            assert_eq!(DateFormat::parse(text), None, "{text}");
        }
    }
}

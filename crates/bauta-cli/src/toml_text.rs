//! Writing plans: texts and keys as TOML spells them.

/// A text in quotation marks.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            control if control.is_control() => {
                out.push_str(&format!("\\u{:04X}", u32::from(control)));
            }
            plain => out.push(plain),
        }
    }
    out.push('"');
    out
}

/// A key, in quotation marks only where it needs them.
pub(crate) fn key(name: &str) -> String {
    let bare = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !name.is_empty() && name.chars().all(bare) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

/// A list of texts.
pub(crate) fn list<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let quoted: Vec<String> = texts.into_iter().map(quoted).collect();
    format!("[{}]", quoted.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        for text in [
            "plain",
            "with \"quotes\"",
            "back\\slash",
            "line\nbreak",
            "é\u{7f}",
            "",
        ] {
            let document = format!("{} = {}\n", key(text), quoted(text));
            let table: std::collections::HashMap<String, String> = {
                let parsed = toml::de::DeTable::parse(&document).unwrap();
                let entries = parsed.get_ref().iter();
                entries
                    .map(|(key, value)| {
                        let toml::de::DeValue::String(value) = value.get_ref() else {
                            panic!("not a string")
                        };
                        (
                            key.get_ref().clone().into_owned(),
                            value.clone().into_owned(),
                        )
                    })
                    .collect()
            };
            assert_eq!(table.get(text).map(String::as_str), Some(text));
        }
        assert_eq!(list(["a", "b"]), "[\"a\", \"b\"]");
    }
}

//! Reading `[release]`.

use ::toml::Spanned;
use ::toml::de::DeValue;

use super::fields::{Fields, Problems};
use crate::draft::{ReleaseDraft, SignatoryDraft};
use crate::problem::Spot;

/// Reads `[release]`.
pub(super) fn parse_release(release: &Fields<'_, '_>, problems: &Problems) -> ReleaseDraft {
    release.only(&["purpose", "recipients", "review", "signatories"]);
    let recipients = release.texts("recipients").map(|texts| texts.value);
    ReleaseDraft {
        purpose: release.text("purpose"),
        recipients: recipients.unwrap_or_default(),
        review: day(release, "review"),
        signatories: signatories(release, problems),
    }
}

/// A day, as a text or as TOML writes dates.
fn day(release: &Fields<'_, '_>, key: &str) -> Option<Spot<String>> {
    let value = release.get(key)?;
    match value.get_ref() {
        DeValue::Datetime(day) => Some(Spot::new(day.to_string(), value.span())),
        DeValue::String(_) => release.text(key),
        _ => {
            release.wrong(value, key, "a day, such as \"2028-01-31\"");
            None
        }
    }
}

fn signatories(release: &Fields<'_, '_>, problems: &Problems) -> Vec<SignatoryDraft> {
    const KEY: &str = "signatories";
    let Some(value) = release.get(KEY) else {
        return Vec::new();
    };
    let DeValue::Array(items) = value.get_ref() else {
        let expected = "a list, such as [{ name = \"…\", role = \"…\" }]";
        release.wrong(value, KEY, expected);
        return Vec::new();
    };
    let read = |item: &Spanned<DeValue<'_>>| signatory(release, item, problems);
    items.iter().filter_map(read).collect()
}

/// A table of name and role; a text is a name alone.
fn signatory(
    release: &Fields<'_, '_>,
    item: &Spanned<DeValue<'_>>,
    problems: &Problems,
) -> Option<SignatoryDraft> {
    match item.get_ref() {
        DeValue::String(name) => Some(SignatoryDraft {
            name: Spot::new(name.clone().into_owned(), item.span()),
            role: None,
        }),
        DeValue::Table(table) => {
            let fields = Fields::new(table, item.span(), "a signatory", problems);
            fields.only(&["name", "role"]);
            if !fields.has("name") {
                fields.missing("name", "add name = \"…\"");
            }
            Some(SignatoryDraft {
                name: fields.text("name")?,
                role: fields.text("role").map(|role| role.value),
            })
        }
        _ => {
            release.wrong(item, "signatories", "tables of name and role");
            None
        }
    }
}

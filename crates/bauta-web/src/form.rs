//! What a form sends, and the fields that it is made of.

use axum::body::Bytes;

/// The hidden field that every form carries.
pub(crate) const TOKEN: &str = "token";
/// The hidden field with the version of the plan that a form was made for.
pub(crate) const VERSION: &str = "version";

/// The fields of a form in their order; some stand in it several times.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// Reads what a browser sent, as a body or behind a question mark.
    pub(crate) fn read(body: &[u8]) -> Self {
        let pairs = form_urlencoded::parse(body);
        // Browsers send line ends of their own; a plan has one sort.
        let text = |text: &str| text.replace("\r\n", "\n");
        Self(
            pairs
                .map(|(name, value)| (name.into_owned(), text(&value)))
                .collect(),
        )
    }

    /// A form with these fields.
    pub(crate) fn of<const N: usize>(fields: [(&str, String); N]) -> Self {
        let fields = fields.into_iter();
        Self(
            fields
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    }

    /// The first value of a field.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let mut pairs = self.0.iter();
        let (_, value) = pairs.find(|(known, _)| known == name)?;
        Some(value)
    }

    /// The first value of a field, without blanks around it; none where nothing else is there.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let text = self.get(name)?.trim();
        (!text.is_empty()).then_some(text)
    }

    /// All values of a field.
    pub(crate) fn all<'f, 'n>(
        &'f self,
        name: &'n str,
    ) -> impl Iterator<Item = &'f str> + use<'f, 'n> {
        let pairs = self.0.iter();
        pairs
            .filter(move |(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Whether a field is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// A field that is a whole number.
    pub(crate) fn number<N: std::str::FromStr>(&self, name: &str) -> Option<N> {
        self.text(name)?.parse().ok()
    }
}

impl From<&Bytes> for Form {
    fn from(body: &Bytes) -> Self {
        Self::read(body)
    }
}

/// The items of a list that people write: separated by commas or line ends, without blanks around them.
pub(crate) fn items(text: &str) -> Vec<String> {
    let parts = text.split([',', '\n']).map(str::trim);
    parts
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The lines of a text that say something, without blanks around them.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_may_stand_several_times() {
        let form = Form::read(b"on=age&on=sex%26&why=a+b%0D%0Ac&empty=");
        assert_eq!(form.all("on").collect::<Vec<_>>(), ["age", "sex&"]);
        assert_eq!(form.get("why"), Some("a b\nc"));
        assert_eq!(form.text("empty"), None);
        assert!(form.has("empty") && !form.has("none"));
    }

    #[test]
    fn lists_are_written_as_people_do() {
        assert_eq!(items(" a, b\nc,,\n"), ["a", "b", "c"]);
        assert_eq!(
            lines("a = b\n\n c=d ").collect::<Vec<_>>(),
            ["a = b", "c=d"]
        );
    }
}

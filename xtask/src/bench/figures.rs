//! What one run found out, on its way from the child process to the table.

use serde::{Deserialize, Serialize};

/// What one work took at one size.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Figures {
    /// Best wall-clock time of one run, in seconds.
    pub(super) seconds: f64,
    /// Least processor time of one run over all threads, in seconds; none where the system does
    /// not tell.
    pub(super) cpu_seconds: Option<f64>,
    /// Largest memory of the process while it worked, in MB.
    pub(super) peak_mb: Option<f64>,
    /// Memory of the process with its input, before it worked, in MB.
    pub(super) input_mb: Option<f64>,
    /// A figure that depends on all of the work, to compare with a peer's.
    pub(super) answer: Option<f64>,
    /// Size of the input file in MB, for the work from file to file.
    pub(super) file_mb: Option<f64>,
    /// Seconds of each stage, for the work from file to file.
    pub(super) stages: Vec<(String, f64)>,
}

impl Figures {
    /// The figures on one line.
    pub(super) fn to_line(&self) -> Result<String, String> {
        serde_json::to_string(self).map_err(|error| format!("figures cannot be written: {error}"))
    }

    /// The figures that a child printed on its last line.
    pub(super) fn from_line(printed: &str) -> Result<Self, String> {
        let line = printed.lines().next_back().unwrap_or_default();
        serde_json::from_str(line).map_err(|error| format!("the child printed no figures: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_survive_the_way() {
        let figures = Figures {
            seconds: 0.25,
            answer: Some(1.0 / 3.0),
            stages: vec![("read".to_owned(), 0.5)],
            ..Figures::default()
        };
        let printed = format!("talk\n{}\n", figures.to_line().unwrap());
        assert_eq!(Figures::from_line(&printed), Ok(figures));
        assert!(Figures::from_line("").is_err());
    }
}

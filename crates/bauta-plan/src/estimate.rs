//! How far a command is with all that it does, from what is known of the stage that it is in.
//!
//! Whoever watches makes a [`Stage`] of what [`RunWatch`](crate::run::RunWatch) tells, with a clock of its own:
//!
//! ```
//! use bauta_plan::estimate::Stage;
//!
//! // The second of four stages began after 10 s; after 20 s half of it is done.
//! let mut stage = Stage::begin("suppress-local", 2, 4, 10.0);
//! stage.progress(50, 100, 20.0);
//! assert_eq!(stage.seconds_left(20.0), Some(40.0));
//! assert_eq!(stage.left_in_words(20.0), "about 40 s left");
//! ```

/// Seconds before which nothing is estimated.
const TOO_EARLY: f64 = 1.0;
/// Columns of a stage's name.
const NAME_WIDTH: usize = 22;
/// Columns of a bar, where there is room for one.
const BAR_WIDTH: usize = 16;

/// The present stage of a command.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stage {
    name: String,
    /// Its place among all stages, from 1; 0 where there are none.
    number: usize,
    total: usize,
    /// Seconds after which it began, and its present round.
    began: f64,
    round_began: f64,
    /// How much of the present round is done.
    done: u64,
    of: u64,
    /// Whether what there is to do was gone through more than once: how often it will be, nobody says.
    rounds: Rounds,
}

/// How often a stage went through what there is to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Rounds {
    #[default]
    One,
    Several,
}

/// What is still to come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Left {
    /// So many seconds, if the other stages take as long as those so far.
    About(f64),
    /// Not less than so many.
    AtLeast(f64),
}

impl Left {
    /// The seconds.
    pub const fn seconds(self) -> f64 {
        match self {
            Self::About(seconds) | Self::AtLeast(seconds) => seconds,
        }
    }
}

impl Stage {
    /// A stage that begins now: so many seconds after the command did.
    pub fn begin(name: &str, number: usize, total: usize, now: f64) -> Self {
        Self {
            name: name.to_owned(),
            number,
            total,
            began: now,
            round_began: now,
            ..Self::default()
        }
    }

    /// Gives the stage another name, and leaves its estimate alone.
    pub fn rename(&mut self, name: String) {
        self.name = name;
    }

    /// So much of the stage is done.
    pub fn progress(&mut self, done: u64, of: u64, now: f64) {
        // Several threads tell of it, a little out of order: only from the end to the beginning is a new round.
        if self.of > 0 && self.done >= self.of && done < self.done {
            self.rounds = Rounds::Several;
            self.round_began = now;
            self.done = done;
        }
        self.done = if of == self.of {
            self.done.max(done)
        } else {
            done
        };
        self.of = of;
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its place among all stages, from 1; 0 where there are none.
    pub const fn number(&self) -> usize {
        self.number
    }

    /// How many stages there are.
    pub const fn total(&self) -> usize {
        self.total
    }

    /// The share of all that is done, of its time, in [0, 1]; none where nothing is known of what is left.
    pub fn share(&self, now: f64) -> Option<f64> {
        self.left(now).map(|left| now / (now + left.seconds()))
    }

    /// Seconds left of all stages, if they are known; where something is done again and again, so many at least.
    pub fn seconds_left(&self, now: f64) -> Option<f64> {
        self.left(now).map(Left::seconds)
    }

    /// The same for people: `about 3 min left`, or how long it took so far.
    pub fn left_in_words(&self, now: f64) -> String {
        match self.left(now) {
            Some(Left::About(left)) => format!("about {} left", duration(left)),
            Some(Left::AtLeast(left)) => format!("at least {} left", duration(left)),
            None => format!("{} so far", duration(now)),
        }
    }

    /// What is left of all stages: those to come are taken to last as long as those so far, this one included.
    pub fn left(&self, now: f64) -> Option<Left> {
        let share = (self.of > 0).then(|| self.done as f64 / self.of as f64);
        let share = share.filter(|share| *share > 0.0 && *share <= 1.0);
        if now < TOO_EARLY {
            return None;
        }
        let of_stage = share.map(|share| (now - self.round_began) * (1.0 - share) / share);
        let number = self.number.max(1) as f64;
        let to_come = self.total.saturating_sub(self.number) as f64;
        match of_stage {
            Some(of_stage) => {
                let left = of_stage + to_come * (now + of_stage) / number;
                Some(match self.rounds {
                    Rounds::One => Left::About(left),
                    Rounds::Several => Left::AtLeast(left),
                })
            }
            // Nothing is known of this stage; those before it tell of those behind it.
            None if self.number > 1 && to_come > 0.0 => {
                Some(Left::AtLeast(to_come * self.began / (number - 1.0)))
            }
            None => None,
        }
    }

    /// One line of at most so many columns; what matters most comes first.
    pub fn line(&self, now: f64, width: usize) -> String {
        let place = match self.number {
            0 => String::new(),
            number => format!("{number}/{} ", self.total),
        };
        let name: String = self.name.chars().take(NAME_WIDTH).collect();
        let share = self.share(now);
        let in_words = self.left_in_words(now);
        let (percent, bar) = match share {
            // It is never all before it is.
            Some(share) => (
                format!("{:>3.0} % ", (100.0 * share).floor().min(99.0)),
                bar(share),
            ),
            None => ("      ".to_owned(), " ".repeat(BAR_WIDTH)),
        };
        let with_bar = format!("{place}{name:NAME_WIDTH$} {bar} {percent} {in_words}");
        let without = match name.as_str() {
            "" => format!("{place}{percent}{in_words}"),
            name => format!("{place}{percent}{in_words}; {name}"),
        };
        let line = if with_bar.chars().count() <= width {
            with_bar
        } else {
            without
        };
        line.chars().take(width).collect()
    }
}

fn bar(share: f64) -> String {
    let full = (share * BAR_WIDTH as f64).floor() as usize;
    let full = full.min(BAR_WIDTH);
    format!("{}{}", "#".repeat(full), "-".repeat(BAR_WIDTH - full))
}

/// `8 s`, `3 min`, `1 h 20 min`.
fn duration(seconds: f64) -> String {
    let seconds = seconds.max(0.0).round() as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_is_of_all_stages() {
        // The second of four stages: 10 s before it, 10 s in it, half of it done. It takes 20 s, stages so far
        // take (10 + 20) / 2 = 15 s each: 10 s of this one and two of 15 s are left.
        let mut stage = Stage::begin("suppress-local", 2, 4, 10.0);
        stage.progress(50, 100, 20.0);
        assert_eq!(stage.left(20.0), Some(Left::About(40.0)));
        let line = stage.line(20.0, 79);
        assert_eq!(
            line,
            "2/4 suppress-local         #####-----------  33 %  about 40 s left"
        );
    }

    #[test]
    fn a_page_is_told_what_a_line_is() {
        let mut stage = Stage::begin("suppress-local", 2, 4, 10.0);
        let said = (stage.name(), stage.number(), stage.total());
        assert_eq!(said, ("suppress-local", 2, 4));
        // One stage took 10 s, two are still to come behind this one, of which nothing is known.
        assert_eq!(stage.left(20.0), Some(Left::AtLeast(20.0)));
        stage.progress(50, 100, 20.0);
        // 20 s of 60 s.
        assert_eq!(stage.share(20.0), Some(20.0 / 60.0));
        assert_eq!(stage.seconds_left(20.0), Some(40.0));
        assert_eq!(stage.left_in_words(20.0), "about 40 s left");
        let unknown = Stage::begin("read", 1, 4, 0.0);
        assert_eq!(
            (unknown.share(20.0), unknown.seconds_left(20.0)),
            (None, None)
        );
        assert_eq!(unknown.left_in_words(20.0), "20 s so far");
    }

    #[test]
    fn what_is_gone_through_again_takes_at_least_so_long() {
        let mut stage = Stage::begin("measure", 1, 1, 0.0);
        for (done, now) in [(50, 5.0), (100, 10.0), (25, 14.0)] {
            stage.progress(done, 100, now);
        }
        // The second round began at 14 s, when it was told of.
        assert_eq!(stage.left(14.0), Some(Left::AtLeast(0.0)));
        stage.progress(50, 100, 18.0);
        assert_eq!(stage.left(18.0), Some(Left::AtLeast(4.0)));
    }

    #[test]
    fn nothing_is_promised_where_nothing_is_known() {
        let stage = Stage::begin("read", 1, 9, 0.0);
        assert_eq!(stage.left(30.0), None);
        assert!(stage.line(30.0, 79).ends_with("30 s so far"));
        // The third of five, 20 s after the start: two stages behind it, of 10 s each as those before it.
        let stage = Stage::begin("recode", 3, 5, 20.0);
        assert_eq!(stage.left(60.0), Some(Left::AtLeast(20.0)));
    }

    #[test]
    fn a_line_fits_the_screen() {
        let mut stage = Stage::begin("a step with a name that has no end at all", 12, 14, 4000.0);
        stage.progress(1, 1000, 4100.0);
        for width in [79, 59, 39, 19] {
            let line = stage.line(4100.0, width);
            assert!(line.chars().count() <= width, "{line}");
            assert!(line.starts_with("12/14 "), "{line}");
        }
        assert!(stage.line(4100.0, 39).contains("about"));
    }

    #[test]
    fn durations_are_in_words() {
        let texts = [0.4, 59.0, 61.0, 3599.0, 4801.0].map(duration);
        assert_eq!(texts, ["0 s", "59 s", "2 min", "60 min", "1 h 20 min"]);
    }
}

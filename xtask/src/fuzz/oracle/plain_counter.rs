//! Counts classes as plainly as can be, for stores that have somebody count for them.

use std::collections::HashMap;
use std::path::Path;

use bauta_data::Codes;
use bauta_data::store::{ClassCount, CountFailed, CountedClasses, CountsClasses};

/// Holds every record's codes in a table of texts.
pub(crate) struct PlainCounter;

impl CountsClasses for PlainCounter {
    fn begin(
        &self,
        _folder: &Path,
        largest: &[u32],
        weighted: bool,
    ) -> Result<Box<dyn ClassCount + '_>, CountFailed> {
        Ok(Box::new(Begun {
            largest: largest.to_vec(),
            weighted,
            number: HashMap::new(),
            classes: Vec::new(),
        }))
    }
}

struct Begun {
    largest: Vec<u32>,
    weighted: bool,
    number: HashMap<Vec<u32>, usize>,
    /// Codes, records and weight of each class.
    classes: Vec<(Vec<u32>, u32, i128)>,
}

impl ClassCount for Begun {
    fn add(&mut self, codes: &[Codes], weights: Option<&[i128]>) -> Result<(), CountFailed> {
        assert_eq!(
            codes.len(),
            self.largest.len(),
            "as many columns as were announced"
        );
        assert_eq!(
            weights.is_some(),
            self.weighted,
            "weights as they were announced"
        );
        for record in 0..codes[0].len() {
            let key: Vec<u32> = codes.iter().map(|codes| codes.at(record)).collect();
            assert!(
                key.iter()
                    .zip(&self.largest)
                    .all(|(code, largest)| code <= largest)
            );
            let next = self.classes.len();
            let class = *self.number.entry(key.clone()).or_insert(next);
            if class == next {
                self.classes.push((key, 0, 0));
            }
            let (_, n, weight) = &mut self.classes[class];
            *n += 1;
            *weight += weights.map_or(0, |weights| weights[record]);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<CountedClasses, CountFailed> {
        let column = |at: usize| self.classes.iter().map(|(key, _, _)| key[at]).collect();
        Ok(CountedClasses {
            codes: (0..self.largest.len()).map(column).collect(),
            n_records: self.classes.iter().map(|&(_, n, _)| n).collect(),
            weights: (self.weighted).then(|| self.classes.iter().map(|&(_, _, sum)| sum).collect()),
        })
    }
}

//! Who has the records of each column, while it changes.

/// No link.
const NONE: u32 = u32::MAX;

/// Links of each column, in lists that cost as much as they hold.
pub(super) struct Links {
    /// The first link of each column.
    first: Vec<u32>,
    held: Vec<Held>,
    /// Places of links that are no more.
    unused: Vec<u32>,
}

/// Records of a column that a row has.
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub(super) row: u32,
    pub(super) count: u32,
    pub(super) weight: f64,
    next: u32,
    previous: u32,
}

impl Held {
    /// The place of the column's next link.
    pub(super) fn next(&self) -> Option<u32> {
        some(self.next)
    }
}

impl Links {
    pub(super) fn new(n_columns: usize) -> Self {
        Self {
            first: vec![NONE; n_columns],
            held: Vec::with_capacity(n_columns),
            unused: Vec::new(),
        }
    }

    /// The link in a place.
    pub(super) fn at(&self, place: u32) -> &Held {
        &self.held[place as usize]
    }

    /// The place of a column's first link.
    pub(super) fn first(&self, column: usize) -> Option<u32> {
        some(self.first[column])
    }

    /// Places of a column's links.
    pub(super) fn of(&self, column: usize) -> impl Iterator<Item = u32> {
        std::iter::successors(self.first(column), |&place| self.at(place).next())
    }

    /// Adds a link to a row that had none in the column.
    pub(super) fn add(&mut self, column: usize, row: u32, weight: f64, count: u32) {
        let next = self.first[column];
        let held = Held {
            row,
            count,
            weight,
            next,
            previous: NONE,
        };
        let place = match self.unused.pop() {
            Some(place) => {
                self.held[place as usize] = held;
                place
            }
            None => {
                self.held.push(held);
                self.held.len() as u32 - 1
            }
        };
        if next != NONE {
            self.held[next as usize].previous = place;
        }
        self.first[column] = place;
    }

    /// Adds records to the link of a column with a row, which may be new.
    pub(super) fn increase(&mut self, column: usize, row: u32, weight: f64, count: u32) {
        let place = self.of(column).find(|&place| self.at(place).row == row);
        match place {
            Some(place) => self.held[place as usize].count += count,
            None => self.add(column, row, weight, count),
        }
    }

    /// Takes records from a link.
    pub(super) fn decrease(&mut self, column: usize, place: u32, count: u32) {
        let link = &mut self.held[place as usize];
        link.count -= count;
        if link.count > 0 {
            return;
        }
        let (next, previous) = (link.next, link.previous);
        if previous == NONE {
            self.first[column] = next;
        } else {
            self.held[previous as usize].next = next;
        }
        if next != NONE {
            self.held[next as usize].previous = previous;
        }
        self.unused.push(place);
    }
}

fn some(place: u32) -> Option<u32> {
    (place != NONE).then_some(place)
}

//! Making a case smaller while it still shows the same: sections, lines, columns and bytes are left out, by halves.

use std::ops::Range;

use super::case::Case;

/// What a file is cut into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cut {
    /// Parts that begin with a line `[…]`: steps, measures and gates of a plan.
    Sections,
    /// Lines.
    Lines,
    /// What stands between commas, on all lines alike.
    Columns,
    /// Bytes.
    Bytes,
}

impl Cut {
    const ALL: [Self; 4] = [Self::Sections, Self::Lines, Self::Columns, Self::Bytes];

    /// How many pieces a file has.
    fn n_pieces(self, content: &[u8]) -> usize {
        match self {
            Self::Sections | Self::Lines => self.lines(content).len(),
            Self::Columns => columns(content).map_or(0, |rows| rows[0].len()),
            Self::Bytes => content.len(),
        }
    }

    /// The file without some of its pieces.
    fn without(self, content: &[u8], gone: &Range<usize>) -> Vec<u8> {
        let stays = |(position, _): &(usize, &[u8])| !gone.contains(position);
        match self {
            Self::Sections | Self::Lines => {
                let lines = self.lines(content).into_iter().enumerate();
                lines
                    .filter(stays)
                    .flat_map(|(_, line)| line)
                    .copied()
                    .collect()
            }
            Self::Columns => {
                let rows = columns(content).unwrap_or_default().into_iter();
                let rows = rows.map(|row| {
                    let cells = row.into_iter().enumerate().filter(stays);
                    let cells: Vec<&[u8]> = cells.map(|(_, cell)| cell).collect();
                    cells.join(&b',')
                });
                let rows: Vec<Vec<u8>> = rows.collect();
                [rows.join(&b'\n'), vec![b'\n']].concat()
            }
            Self::Bytes => [&content[..gone.start], &content[gone.end..]].concat(),
        }
    }

    fn lines(self, content: &[u8]) -> Vec<&[u8]> {
        let lines: Vec<&[u8]> = content.split_inclusive(|&byte| byte == b'\n').collect();
        if self == Self::Lines {
            return lines;
        }
        let mut starts: Vec<usize> = Vec::new();
        let mut offset = 0;
        for line in lines {
            if line.starts_with(b"[") {
                starts.push(offset);
            }
            offset += line.len();
        }
        let ends = starts.iter().skip(1).copied().chain([content.len()]);
        let sections = starts.iter().zip(ends);
        sections.map(|(&start, end)| &content[start..end]).collect()
    }
}

/// The cells of a plain file whose lines all have the same number of commas.
fn columns(content: &[u8]) -> Option<Vec<Vec<&[u8]>>> {
    let content = content.strip_suffix(b"\n")?;
    let lines = content.split(|&byte| byte == b'\n');
    let rows: Vec<Vec<&[u8]>> = lines
        .map(|line| line.split(|&byte| byte == b',').collect())
        .collect();
    let even = rows.iter().all(|row| row.len() == rows[0].len());
    (even && !content.contains(&b'"') && rows[0].len() > 1).then_some(rows)
}

/// The smallest case found that still shows the same. `shows` says whether a case does; none ends the search.
pub(crate) fn shrunk(case: Case, mut shows: impl FnMut(&Case) -> Option<bool>) -> Case {
    let mut best = case;
    loop {
        let before = best.n_bytes();
        for cut in Cut::ALL {
            for position in 0..best.files().len() {
                match shrunk_file(best, position, cut, &mut shows) {
                    Ok(smaller) => best = smaller,
                    Err(last) => return last,
                }
            }
        }
        if best.n_bytes() == before {
            return best;
        }
    }
}

/// Leaves pieces of one file out; an error is the best case when the search was ended.
fn shrunk_file(
    mut best: Case,
    position: usize,
    cut: Cut,
    shows: &mut impl FnMut(&Case) -> Option<bool>,
) -> Result<Case, Case> {
    let name = best.files()[position].0.clone();
    let content = |case: &Case| case.get(&name).unwrap_or_default().to_vec();
    let mut size = cut.n_pieces(&content(&best)).div_ceil(2);
    while size > 0 {
        let mut at = 0;
        loop {
            let now = content(&best);
            let n_pieces = cut.n_pieces(&now);
            if at >= n_pieces {
                break;
            }
            let smaller = cut.without(&now, &(at..n_pieces.min(at + size)));
            let candidate = best.clone().with(&name, smaller);
            match shows(&candidate) {
                None => return Err(best),
                Some(true) if candidate.n_bytes() < best.n_bytes() => best = candidate,
                Some(_) => at += size,
            }
        }
        size /= 2;
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_needed_goes() {
        let case = Case::default()
            .with("x.csv", "a,b,c\n1,2,3\n4,5,6\n7,8,9\n")
            .with(
                "plan.toml",
                "[data]\nx = 1\n[[step]]\ny = 2\n[[step]]\nz = 3\n",
            );
        // Shown by a cell 5 in a file whose rows are even, and by the second step.
        let smallest = shrunk(case, |case| {
            let even = case
                .text("x.csv")
                .lines()
                .all(|line| line.matches(',').count() < 3);
            Some(
                even && case.text("x.csv").contains('5')
                    && case.text("plan.toml").contains("z = 3"),
            )
        });
        assert_eq!(smallest.text("x.csv"), "5");
        assert_eq!(smallest.text("plan.toml"), "z = 3");
    }

    #[test]
    fn the_search_can_be_ended() {
        let case = Case::default().with("x", "abcdefgh");
        let mut n_tries = 0;
        let last = shrunk(case.clone(), |_| {
            n_tries += 1;
            (n_tries < 3).then_some(false)
        });
        assert_eq!(last, case);
    }
}

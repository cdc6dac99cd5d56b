#![doc = include_str!("jpeg.md")]

use bauta_data::Column;
use jpeg_encoder::{ColorType, Encoder};
use rayon::prelude::*;
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use crate::card::{Card, ParamSpec, ParamType, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::sums::sum_by;
use crate::mask::continuous::{Fit, OF_NUMBERS, ROUND, varying_numbers};
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts};
use crate::missing::{MISSING, Missing};
use crate::params::{ParamProblem, Params, RawValue, choices};

/// Compresses the file as a picture and reads it back. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Jpeg;

choices! {
    /// How the values are laid out in the image.
    enum Layout {
        Plain = "plain": "a row of pixels per record and a column per variable",
        Tiles = "tiles": "a near-square tile per variable",
    }
}

const QUALITY: ParamSpec = ParamSpec::new(
    "quality",
    "quality of the compression; the lower, the more is lost",
    ParamType::Integer { min: 1, max: 100 },
);
const LAYOUT: ParamSpec =
    ParamSpec::choice::<Layout>("layout", "how the values are laid out in the image")
        .or_word("plain");

static CARD: Card = Card {
    id: "jpeg",
    title: "JPEG compression",
    summary: "takes the values as grey levels of an image, which is compressed with loss and read back",
    page: include_str!("jpeg.md"),
    params: &[QUALITY, LAYOUT, ROUND, MISSING],
    scaling: Scaling::Variable,
    references: &["domingo2001", "jpeg1992", "mateo2004"],
    ..OF_NUMBERS
};

/// The image, how much of it is lost, and what becomes of the values then.
pub struct Settings {
    /// From 1 to 100.
    quality: u8,
    layout: Layout,
    fit: Fit,
    missing: Missing,
}

impl MaskMethod for Jpeg {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            quality: params.count(QUALITY.name) as u8,
            layout: params.choice_of(LAYOUT.name),
            fit: Fit::asked(params),
            missing: Missing::asked(params),
        })
    }

    fn facts(&self, _: &Settings) -> StepFacts {
        StepFacts::JOINTLY
    }

    fn mask(
        &self,
        settings: &Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        // Columns in the order of the file, however the plan names them.
        let mut on = task.on.to_vec();
        on.sort_unstable();
        let mut scaled = Vec::new();
        for &attr_idx in &on {
            context.go_on()?;
            let column = scale(task.table.column(attr_idx), settings.missing, context)?;
            scaled.extend(column.map(|column| (attr_idx, column)));
        }
        let grey: Vec<&[u8]> = scaled.iter().map(|(_, column)| &column.grey[..]).collect();
        let masked = match settings.layout {
            Layout::Plain => compress_plain(&grey, settings.quality, context)?,
            Layout::Tiles => compress_tiles(&grey, settings.quality, context)?,
        };
        let columns = scaled.iter().zip(masked).map(|((attr_idx, scaled), grey)| {
            let column = task.table.column(*attr_idx);
            let masked = scaled.unscale(column, &grey, settings.fit, context);
            (*attr_idx, masked)
        });
        Ok(Change::of_columns(columns.collect()))
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("quality", RawValue::Integer(50))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        None
    }
}

/// A variable as grey levels, and what takes them back to values.
struct Scaled {
    grey: Vec<u8>,
    low: f64,
    high: f64,
}

/// The grey levels of a variable; none where it has no two different values.
fn scale(
    column: &Column,
    missing: Missing,
    context: &RunContext<'_>,
) -> Result<Option<Scaled>, MethodError> {
    let variable = column.name();
    let Some(x) = varying_numbers(column, missing, context)? else {
        return Ok(None);
    };
    let present = || x.iter().copied().filter(|value| !value.is_nan());
    let low = present().fold(f64::INFINITY, f64::min);
    let high = present().fold(f64::NEG_INFINITY, f64::max);
    let range = high - low;
    if !range.is_finite() {
        return Err(MethodError::data(
            variable,
            "its range leaves the numbers of the machine",
            "state the variable in a larger unit",
        ));
    }
    let level = |value: f64| ((value - low) / range * 255.0).round_ties_even();
    let grey: Vec<f64> = x.par_iter().with_min_len(4096).map(|&x| level(x)).collect();
    // A missing cell shows the mean, so that its neighbours see nothing special.
    let sum = sum_by(x.len(), |i| if grey[i].is_nan() { 0.0 } else { grey[i] });
    let mean = (sum / (x.len() - column.n_missing()) as f64).round_ties_even();
    let grey = grey.into_iter();
    let grey = grey.map(|level| if level.is_nan() { mean } else { level } as u8);
    Ok(Some(Scaled {
        grey: grey.collect(),
        low,
        high,
    }))
}

impl Scaled {
    fn unscale(&self, column: &Column, grey: &[u8], fit: Fit, context: &RunContext<'_>) -> Column {
        let range = self.high - self.low;
        // At 255 the sum may be off the maximum by rounding; no value leaves the range.
        let value = |&level: &u8| (self.low + f64::from(level) / 255.0 * range).min(self.high);
        let z = grey.iter().map(value).collect();
        let x = column.as_numeric().unwrap_or_default();
        column.with_numbers(fit.to_original(x, z, column.name(), context))
    }
}

/// Rows per strip: a multiple of the 8 rows of a block, and few enough for an image.
const STRIP: usize = 4096;

/// The most rows or columns that an image can have.
const LARGEST: usize = 65_535;

/// One image with a row per record and a column per variable.
///
/// Blocks of 8 × 8 pixels are compressed each on its own, so that the image may be cut between
/// rows of blocks: the strips are parts of one image that could be of any height.
fn compress_plain(
    columns: &[&[u8]],
    quality: u8,
    context: &RunContext<'_>,
) -> Result<Vec<Vec<u8>>, MethodError> {
    let (n, d) = (
        columns.first().map_or(0, |column| column.len()),
        columns.len(),
    );
    if d > LARGEST {
        return Err(MethodError::request(
            format!("{d} variables make an image that is wider than the {LARGEST} of JPEG"),
            "mask the variables in several steps",
        ));
    }
    let strips = (0..n.div_ceil(STRIP)).into_par_iter().map(|strip| {
        context.go_on()?;
        let rows = strip * STRIP..((strip + 1) * STRIP).min(n);
        let pixels = rows.flat_map(|row| columns.iter().map(move |column| column[row]));
        there_and_back(&pixels.collect::<Vec<u8>>(), d, quality)
    });
    let strips = strips.collect::<Result<Vec<_>, MethodError>>()?;
    let column = |j: usize| {
        strips
            .iter()
            .flatten()
            .skip(j)
            .step_by(d)
            .copied()
            .collect()
    };
    Ok((0..d).into_par_iter().map(column).collect())
}

/// A near-square image per variable, filled row by row: wide as the root of the number of records.
fn compress_tiles(
    columns: &[&[u8]],
    quality: u8,
    context: &RunContext<'_>,
) -> Result<Vec<Vec<u8>>, MethodError> {
    let tile = |column: &&[u8]| {
        context.go_on()?;
        let n = column.len();
        let width = tile_width(n);
        if width > LARGEST {
            return Err(MethodError::request(
                "the file has too many records for a tile",
                "use layout = \"plain\"",
            ));
        }
        let mut pixels = column.to_vec();
        let last = *pixels.last().unwrap_or(&0);
        pixels.resize(n.next_multiple_of(width), last);
        let mut masked = there_and_back(&pixels, width, quality)?;
        masked.truncate(n);
        Ok(masked)
    };
    columns.par_iter().map(tile).collect()
}

/// ⌈√n⌉.
fn tile_width(n: usize) -> usize {
    let floor = n.isqrt();
    floor + usize::from(floor * floor < n)
}

/// Compresses an image and reads it back.
fn there_and_back(pixels: &[u8], width: usize, quality: u8) -> Result<Vec<u8>, MethodError> {
    let height = pixels.len() / width;
    let sides = u16::try_from(width).ok().zip(u16::try_from(height).ok());
    let (w, h) = sides.ok_or_else(|| failed("an image is too large"))?;
    let mut compressed = Vec::new();
    Encoder::new(&mut compressed, quality)
        .encode(pixels, w, h, ColorType::Luma)
        .map_err(failed)?;
    let options = DecoderOptions::default()
        .jpeg_set_out_colorspace(ColorSpace::Luma)
        .set_max_width(LARGEST)
        .set_max_height(LARGEST);
    let read = JpegDecoder::new_with_options(ZCursor::new(&compressed), options)
        .decode()
        .map_err(failed)?;
    if read.len() == pixels.len() {
        Ok(read)
    } else {
        Err(failed("an image came back in another size"))
    }
}

fn failed(why: impl std::fmt::Display) -> MethodError {
    MethodError::Internal(format!("the JPEG codec failed: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bauta_data::Unwatched;

    /// Grey levels without pattern.
    fn noise(n: usize, salt: usize) -> Vec<u8> {
        let scatter = |i: usize| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        (0..n).map(|i| scatter(i * 31 + salt) as u8).collect()
    }

    #[test]
    fn strips_give_the_pixels_of_one_image() {
        // Three strips, the last of which ends within a block; 13 columns end within one too.
        let (n, d) = (2 * STRIP + 1003, 13);
        let columns: Vec<Vec<u8>> = (0..d).map(|j| noise(n, j)).collect();
        let columns: Vec<&[u8]> = columns.iter().map(Vec::as_slice).collect();
        let pixels = (0..n).flat_map(|row| columns.iter().map(move |column| column[row]));
        let pixels: Vec<u8> = pixels.collect();
        let context = RunContext::new(1, "step", &Unwatched);
        for quality in [1, 20, 50, 85, 100] {
            let whole = there_and_back(&pixels, d, quality).unwrap();
            assert_ne!(whole, pixels);
            let strips = compress_plain(&columns, quality, &context).unwrap();
            for (j, column) in strips.iter().enumerate() {
                let expected: Vec<u8> = whole.iter().skip(j).step_by(d).copied().collect();
                assert!(*column == expected, "quality {quality}, column {j}");
            }
        }
    }

    #[test]
    fn a_block_of_one_level_keeps_it() {
        for quality in [1, 50, 100] {
            let level = there_and_back(&[128; 64], 8, quality).unwrap();
            assert_eq!(level, [128; 64]);
        }
    }

    #[test]
    fn tiles_are_near_square_and_keep_variables_apart() {
        assert_eq!([0, 1, 2, 4, 5, 1080].map(tile_width), [0, 1, 2, 2, 3, 33]);
        let context = RunContext::new(1, "step", &Unwatched);
        let (a, b) = (noise(1000, 1), noise(1000, 2));
        let alone = compress_tiles(&[&a], 30, &context).unwrap();
        let together = compress_tiles(&[&b, &a], 30, &context).unwrap();
        assert_eq!(alone[0], together[1]);
        assert_eq!(together[0].len(), 1000);
        // In the plain layout a block of eight variables is compressed as one.
        let alone = compress_plain(&[&a], 30, &context).unwrap();
        let together = compress_plain(&[&b, &a], 30, &context).unwrap();
        assert_ne!(alone[0], together[1]);
    }

    #[test]
    fn an_image_that_is_too_wide_is_refused() {
        let context = RunContext::new(1, "step", &Unwatched);
        let column: &[u8] = &[0, 255];
        let widest = compress_plain(&vec![column; LARGEST], 50, &context).unwrap();
        assert_eq!(widest.len(), LARGEST);
        let wider = compress_plain(&vec![column; LARGEST + 1], 50, &context);
        assert!(matches!(wider, Err(MethodError::Request { .. })));
    }
}

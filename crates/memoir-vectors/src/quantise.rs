//! A vector in few bytes: a coarse byte for each number, which a scan reads, and a finer one that tells where in that
//! step it lies.
//!
//! A coarse byte is the number in steps of a 127th of the largest, moved up by 128: unsigned bytes widen at half the cost.
//! The finer byte cuts a step in 256. A cosine is taken with the length that the bytes themselves have: what rounding adds
//! along the vector then falls out, and that is most of it where two are near.

/// Coarse bytes are moved up by this.
const ZERO: i32 = 128;
const STEPS: f32 = 127.0;
/// A query is kept to this precision, or less where sums would not fit.
const PROBE_STEPS_MAX: i32 = 2047;
/// So many products are summed side by side.
const LANES: usize = 16;

/// A vector in few bytes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Quantised {
    /// What brings the coarse bytes to length one.
    pub scale: f32,
    pub coarse: Vec<u8>,
    pub fine: Vec<u8>,
}

impl Quantised {
    /// The vector's direction; none if it has none.
    pub fn of(vector: &[f32]) -> Option<Quantised> {
        let unit = unit(vector)?;
        let largest = unit.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
        let step = largest / STEPS;
        let (mut coarse, mut fine) = (Vec::with_capacity(unit.len()), Vec::with_capacity(unit.len()));
        for number in unit {
            let steps = number / step;
            let whole = steps.round();
            coarse.push((whole as i32 + ZERO).clamp(1, 255) as u8);
            fine.push(((steps - whole + 0.5) * 256.0).floor().clamp(0.0, 255.0) as u8);
        }
        let square: i64 = coarse.iter().map(|byte| (i64::from(*byte) - i64::from(ZERO)).pow(2)).sum();
        Some(Quantised { scale: 1.0 / (square as f32).sqrt(), coarse, fine })
    }
}

/// The vector at length one; none if it has no direction.
fn unit(vector: &[f32]) -> Option<Vec<f32>> {
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    if !length.is_finite() || length <= 0.0 {
        return None;
    }
    Some(vector.iter().map(|number| (f64::from(*number) / length) as f32).collect())
}

/// A query, ready to be compared.
#[derive(Debug, Clone)]
pub(crate) struct Needle {
    exact: Vec<f32>,
    rough: Vec<i16>,
    step: f32,
    /// What moving coarse bytes up by 128 adds to a product.
    excess: i32,
}

impl Needle {
    /// A query's direction; none if it has none.
    pub fn of(vector: &[f32]) -> Option<Needle> {
        let exact = unit(vector)?;
        let largest = exact.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
        let fitting = i32::MAX / (255 * i32::try_from(exact.len()).ok()?);
        let step = largest / fitting.min(PROBE_STEPS_MAX) as f32;
        let rough: Vec<i16> = exact.iter().map(|number| (number / step).round() as i16).collect();
        let excess = rough.iter().map(|number| i32::from(*number)).sum::<i32>() * ZERO;
        Some(Needle { exact, rough, step, excess })
    }

    /// How many numbers it has.
    pub fn dimension(&self) -> usize {
        self.exact.len()
    }

    /// The cosine, about.
    pub fn rough_cosine(&self, coarse: &[u8], scale: f32) -> f32 {
        (product(coarse, &self.rough) - self.excess) as f32 * self.step * scale
    }

    /// How far the rough cosine is from the true one, but for one time in hundreds.
    ///
    /// Rounding is off by up to half a step for each number, evenly; over a vector of length one that adds up to a
    /// deviation of a step by the root of twelve, of which these are three.
    pub fn rough_error(&self, scale: f32) -> f32 {
        const DEVIATIONS: f32 = 0.866;
        DEVIATIONS * (scale + self.step)
    }

    /// The cosine, to about a millionth.
    pub fn cosine(&self, coarse: &[u8], fine: &[u8]) -> f32 {
        let (mut products, mut squares) = ([0.0_f32; LANES], [0.0_f32; LANES]);
        let mut add = |exact: &[f32], coarse: &[u8], fine: &[u8]| {
            let lanes = products.iter_mut().zip(&mut squares);
            for (((sums, exact), coarse), fine) in lanes.zip(exact).zip(coarse).zip(fine) {
                // Each finer byte stands for the middle of its part of a step.
                let number = f32::from(*coarse) + f32::from(*fine) / 256.0 - (ZERO as f32 + 0.5 - 1.0 / 512.0);
                *sums.0 += exact * number;
                *sums.1 += number * number;
            }
        };
        let (exact, coarse, fine) = (self.exact.chunks(LANES), coarse.chunks(LANES), fine.chunks(LANES));
        exact.zip(coarse).zip(fine).for_each(|((exact, coarse), fine)| add(exact, coarse, fine));
        products.iter().sum::<f32>() / squares.iter().sum::<f32>().sqrt().max(f32::MIN_POSITIVE)
    }
}

/// The sum of products. Written in lanes and by number, which the compiler turns into vector instructions, whatever else it
/// inlines.
fn product(coarse: &[u8], rough: &[i16]) -> i32 {
    let (bytes, rest) = coarse.as_chunks::<LANES>();
    let (numbers, rest_numbers) = rough.as_chunks::<LANES>();
    let mut sums = [0_i32; LANES];
    for (bytes, numbers) in bytes.iter().zip(numbers) {
        for at in 0..LANES {
            sums[at] += i32::from(bytes[at]) * i32::from(numbers[at]);
        }
    }
    let last: i32 = rest.iter().zip(rest_numbers).map(|(byte, number)| i32::from(*byte) * i32::from(*number)).sum();
    sums.iter().sum::<i32>() + last
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cosine(a: &[f32], b: &[f32]) -> f32 {
        unit(a).unwrap().iter().zip(unit(b).unwrap()).map(|(a, b)| f64::from(*a) * f64::from(b)).sum::<f64>() as f32
    }

    fn vectors() -> impl Strategy<Value = (Vec<f32>, Vec<f32>)> {
        let vector = |len| proptest::collection::vec(-1.0_f32..1.0, len);
        (1_usize..700).prop_flat_map(move |len| (vector(len), vector(len)))
    }

    proptest! {
        #[test]
        fn a_quantised_vector_has_the_cosine_of_the_whole((a, b) in vectors()) {
            prop_assume!(unit(&a).is_some() && unit(&b).is_some());
            let (needle, quantised) = (Needle::of(&a).unwrap(), Quantised::of(&b).unwrap());
            let exact = cosine(&a, &b);
            let rough = needle.rough_cosine(&quantised.coarse, quantised.scale);
            let fine = needle.cosine(&quantised.coarse, &quantised.fine);
            prop_assert!((rough - exact).abs() < 0.02, "{rough} {exact}");
            prop_assert!((fine - exact).abs() < 1e-4, "{fine} {exact}");
        }
    }

    #[test]
    fn the_longest_vectors_do_not_overflow() {
        let ones = vec![1.0; memoir_model::DIMENSION_MAX];
        let (needle, quantised) = (Needle::of(&ones).unwrap(), Quantised::of(&ones).unwrap());
        assert!((needle.rough_cosine(&quantised.coarse, quantised.scale) - 1.0).abs() < 1e-3);
        let minus: Vec<f32> = ones.iter().map(|one| -one).collect();
        let against = Needle::of(&minus).unwrap().rough_cosine(&quantised.coarse, quantised.scale);
        assert!((against + 1.0).abs() < 1e-3);
    }

    #[test]
    fn what_has_no_direction_is_no_vector() {
        for bad in [vec![], vec![0.0; 8], vec![f32::NAN, 1.0], vec![f32::INFINITY, 1.0]] {
            assert!(Quantised::of(&bad).is_none() && Needle::of(&bad).is_none(), "{bad:?}");
        }
        assert!(Quantised::of(&[f32::MAX, f32::MAX]).is_some() && Quantised::of(&[f32::MIN_POSITIVE]).is_some());
    }
}

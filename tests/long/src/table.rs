//! Figures, and the Markdown tables that they stand in.

use std::fmt::Write as _;

/// Measured values; their order does not matter.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<f64>);

impl Samples {
    pub fn add(&mut self, value: f64) {
        self.0.push(value);
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.0.iter().copied()
    }

    /// The value at `percent` per cent of the sorted values (nearest rank); not a number without
    /// values.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rank among the values of one run"
    )]
    pub fn percentile(&self, percent: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
        sorted
            .get(rank.saturating_sub(1))
            .copied()
            .unwrap_or(f64::NAN)
    }

    #[must_use]
    pub fn median(&self) -> f64 {
        self.percentile(50.0)
    }

    #[must_use]
    pub fn max(&self) -> f64 {
        self.0.iter().copied().fold(f64::NAN, f64::max)
    }

    #[must_use]
    pub fn min(&self) -> f64 {
        self.0.iter().copied().fold(f64::NAN, f64::min)
    }
}

impl FromIterator<f64> for Samples {
    fn from_iter<T: IntoIterator<Item = f64>>(values: T) -> Self {
        Self(values.into_iter().collect())
    }
}

impl Extend<f64> for Samples {
    fn extend<T: IntoIterator<Item = f64>>(&mut self, values: T) {
        self.0.extend(values);
    }
}

/// Milliseconds between two times of the emulators, which are in microseconds.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "times of one run")]
pub fn ms(from_us: u64, to_us: u64) -> f64 {
    (to_us as f64 - from_us as f64) / 1000.0
}

/// A table: its first row is the head.
#[derive(Clone, Debug, Default)]
pub struct Table(Vec<Vec<String>>);

impl Table {
    #[must_use]
    pub fn new<const N: usize>(head: [&str; N]) -> Self {
        Self(vec![head.map(str::to_owned).to_vec()])
    }

    #[must_use]
    pub fn of(head: Vec<String>) -> Self {
        Self(vec![head])
    }

    pub fn row(&mut self, cells: Vec<String>) {
        self.0.push(cells);
    }

    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for (index, row) in self.0.iter().enumerate() {
            // Writing to a string can't fail.
            writeln!(text, "| {} |", row.join(" | ")).ok();
            if index == 0 {
                writeln!(text, "|{}", "---|".repeat(row.len())).ok();
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let samples: Samples = (1..=100).rev().map(f64::from).collect();
        assert!((samples.median() - 50.0).abs() < 1e-9);
        assert!((samples.percentile(99.0) - 99.0).abs() < 1e-9);
        assert!((samples.percentile(100.0) - 100.0).abs() < 1e-9);
        assert!(Samples::default().median().is_nan());
    }
}

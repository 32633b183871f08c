//! A number of the calculator: a fraction while that is exact and small enough, else a float.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::{BigInt, Sign};
use num_rational::BigRational;
use num_traits::{FromPrimitive, One, Pow, Signed, ToPrimitive, Zero};

use super::CalcError;

/// The largest numerator or denominator that stays exact, in bits.
const MAX_BITS: u64 = 4096;

/// The most decimals of a fraction that are printed in full; longer ones are rounded.
const MAX_DECIMALS: usize = 30;

/// Digits of a rounded result.
const SIGNIFICANT: usize = 15;

#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    Exact(BigRational),
    /// Finite.
    Float(f64),
}

impl Number {
    /// Exact if it is small enough.
    pub(super) fn exact(value: BigRational) -> Result<Self, CalcError> {
        if value.numer().bits().max(value.denom().bits()) <= MAX_BITS {
            return Ok(Self::Exact(value));
        }
        Self::float(value.to_f64().unwrap_or(f64::INFINITY))
    }

    pub(super) fn float(value: f64) -> Result<Self, CalcError> {
        if value.is_nan() {
            Err(CalcError::NotReal)
        } else if value.is_infinite() {
            Err(CalcError::TooLarge)
        } else {
            Ok(Self::Float(value))
        }
    }

    pub(super) fn to_f64(&self) -> Result<f64, CalcError> {
        let value = match self {
            Self::Exact(value) => value.to_f64().unwrap_or(f64::INFINITY),
            Self::Float(value) => *value,
        };
        if value.is_finite() {
            Ok(value)
        } else {
            Err(CalcError::TooLarge)
        }
    }

    fn is_zero(&self) -> bool {
        match self {
            Self::Exact(value) => value.is_zero(),
            Self::Float(value) => *value == 0.0,
        }
    }

    pub(super) fn neg(self) -> Self {
        match self {
            Self::Exact(value) => Self::Exact(-value),
            Self::Float(value) => Self::Float(-value),
        }
    }

    fn both(
        &self,
        other: &Self,
        exact: fn(&BigRational, &BigRational) -> BigRational,
        float: fn(f64, f64) -> f64,
    ) -> Result<Self, CalcError> {
        match (self, other) {
            (Self::Exact(a), Self::Exact(b)) => Self::exact(exact(a, b)),
            (a, b) => Self::float(float(a.to_f64()?, b.to_f64()?)),
        }
    }

    pub(super) fn add(&self, other: &Self) -> Result<Self, CalcError> {
        self.both(other, |a, b| a + b, |a, b| a + b)
    }

    pub(super) fn sub(&self, other: &Self) -> Result<Self, CalcError> {
        self.both(other, |a, b| a - b, |a, b| a - b)
    }

    pub(super) fn mul(&self, other: &Self) -> Result<Self, CalcError> {
        self.both(other, |a, b| a * b, |a, b| a * b)
    }

    pub(super) fn div(&self, other: &Self) -> Result<Self, CalcError> {
        if other.is_zero() {
            return Err(CalcError::DivisionByZero);
        }
        self.both(other, |a, b| a / b, |a, b| a / b)
    }

    /// The remainder has the sign of `self`.
    pub(super) fn rem(&self, other: &Self) -> Result<Self, CalcError> {
        if other.is_zero() {
            return Err(CalcError::DivisionByZero);
        }
        self.both(other, |a, b| a % b, |a, b| a % b)
    }

    pub(super) fn pow(&self, exponent: &Self) -> Result<Self, CalcError> {
        if let (Self::Exact(base), Self::Exact(power)) = (self, exponent)
            && power.is_integer()
            && let Some(power) = power.numer().to_i32()
        {
            if base.is_zero() && power < 0 {
                return Err(CalcError::DivisionByZero);
            }
            let bits = base.numer().bits().max(base.denom().bits());
            // 0, 1 and -1 do not grow.
            let grows = bits > 1;
            if !grows || bits * u64::from(power.unsigned_abs()) <= MAX_BITS {
                return Self::exact(Pow::pow(base, power));
            }
        }
        if self.is_zero() && exponent.to_f64()? < 0.0 {
            return Err(CalcError::DivisionByZero);
        }
        Self::float(self.to_f64()?.powf(exponent.to_f64()?))
    }

    pub(super) fn sqrt(&self) -> Result<Self, CalcError> {
        if let Self::Exact(value) = self
            && !value.is_negative()
        {
            let (top, bottom) = (value.numer().sqrt(), value.denom().sqrt());
            if &(&top * &top) == value.numer() && &(&bottom * &bottom) == value.denom() {
                return Self::exact(BigRational::new(top, bottom));
            }
        }
        Self::float(self.to_f64()?.sqrt())
    }

    pub(super) fn abs(self) -> Self {
        match self {
            Self::Exact(value) => Self::Exact(value.abs()),
            Self::Float(value) => Self::Float(value.abs()),
        }
    }

    fn rational(&self) -> Result<BigRational, CalcError> {
        match self {
            Self::Exact(value) => Ok(value.clone()),
            Self::Float(value) => BigRational::from_float(*value).ok_or(CalcError::TooLarge),
        }
    }

    /// Half goes away from zero.
    pub(super) fn round(&self, digits: &Self) -> Result<Self, CalcError> {
        let Self::Exact(digits) = digits else {
            return Err(CalcError::Digits);
        };
        let digits = if digits.is_integer() {
            digits.numer().to_i32()
        } else {
            None
        };
        let digits = digits
            .filter(|d| (-30..=30).contains(d))
            .ok_or(CalcError::Digits)?;
        let scale: BigRational = Pow::pow(BigRational::from_integer(BigInt::from(10)), digits);
        Self::exact((self.rational()? * &scale).round() / scale)
    }

    pub(super) fn floor(&self) -> Result<Self, CalcError> {
        Self::exact(self.rational()?.floor())
    }

    pub(super) fn ceil(&self) -> Result<Self, CalcError> {
        Self::exact(self.rational()?.ceil())
    }

    pub(super) fn compare(&self, other: &Self) -> Result<Ordering, CalcError> {
        match (self, other) {
            (Self::Exact(a), Self::Exact(b)) => Ok(a.cmp(b)),
            (a, b) => Ok(a.to_f64()?.total_cmp(&b.to_f64()?)),
        }
    }
}

impl fmt::Display for Number {
    /// Exact where it fits; what is rounded says so.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(value) if value.is_integer() => write!(f, "{}", value.numer()),
            Self::Exact(value) => match decimals(value.denom()) {
                Some(places) => f.write_str(&fixed(value, places)),
                None => write!(f, "{} (rounded)", significant(value)),
            },
            Self::Float(value) => match BigRational::from_f64(*value) {
                // A float that is a small whole number.
                Some(exact) if exact.is_integer() && value.abs() < 1e15 => {
                    write!(f, "{} (rounded)", exact.numer())
                }
                Some(exact) => write!(f, "{} (rounded)", significant(&exact)),
                None => write!(f, "{value}"),
            },
        }
    }
}

/// How many decimals a fraction with this denominator has; None if it never ends or is too long.
fn decimals(denominator: &BigInt) -> Option<usize> {
    let (mut rest, mut places) = (denominator.clone(), [0usize; 2]);
    for (places, factor) in places.iter_mut().zip([BigInt::from(2), BigInt::from(5)]) {
        while (&rest % &factor).is_zero() {
            rest /= &factor;
            *places += 1;
            if *places > MAX_DECIMALS {
                return None;
            }
        }
    }
    let [twos, fives] = places;
    rest.is_one().then_some(twos.max(fives))
}

/// With `places` decimals, rounded.
fn fixed(value: &BigRational, places: usize) -> String {
    let scale = Pow::pow(BigInt::from(10), places);
    let scaled = (value * BigRational::from_integer(scale))
        .round()
        .to_integer();
    let digits = format!(
        "{:0>width$}",
        scaled.magnitude().to_string(),
        width = places + 1
    );
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let sign = if scaled.sign() == Sign::Minus {
        "-"
    } else {
        ""
    };
    if places == 0 {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{fraction}")
    }
}

/// With [`SIGNIFICANT`] digits; very large and very small ones as a power of ten.
fn significant(value: &BigRational) -> String {
    if value.is_zero() {
        return "0".to_owned();
    }
    let exponent = magnitude(value);
    let digits = i32::try_from(SIGNIFICANT).unwrap_or(15) - 1;
    if (-7..21).contains(&exponent) {
        let places = usize::try_from(digits - exponent).unwrap_or(0);
        return trim_zeros(&fixed(value, places));
    }
    let ten = BigRational::from_integer(BigInt::from(10));
    let mantissa = value / Pow::pow(ten, exponent);
    let text = trim_zeros(&fixed(&mantissa, SIGNIFICANT - 1));
    format!("{text}e{exponent}")
}

fn trim_zeros(text: &str) -> String {
    if text.contains('.') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text.to_owned()
}

/// The power of ten of the first digit.
fn magnitude(value: &BigRational) -> i32 {
    let length = |n: &BigInt| i32::try_from(n.magnitude().to_string().len()).unwrap_or(i32::MAX);
    let guess = length(value.numer()) - length(value.denom());
    let ten = BigRational::from_integer(BigInt::from(10));
    // The quotient of the lengths is right or one too high.
    if value.abs() < Pow::pow(ten, guess) {
        guess - 1
    } else {
        guess
    }
}

//! The expression, parsed and computed in one pass by recursive descent.
//!
//! ```text
//! sum     := product (('+' | '-') product)*
//! product := signed (('*' | '/' | '%') signed)*
//! signed  := ('-' | '+') signed | power
//! power   := atom (('^' | '**') signed)?        so -2^2 is -4 and 2^3^2 is 2^9
//! atom    := number | constant | function '(' sum (',' sum)* ')' | '(' sum ')'
//! ```

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Num, Pow};

use super::Number;

/// The longest expression, in characters.
pub(super) const MAX_LENGTH: usize = 1000;

/// The deepest nesting.
const MAX_DEPTH: usize = 64;

/// The largest exponent in a number such as 1e6.
const MAX_EXPONENT: u32 = 1000;

/// Why there is no result. The text goes to the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CalcError {
    #[error("division by zero")]
    DivisionByZero,
    #[error("the result is not a real number")]
    NotReal,
    #[error("a number is too large")]
    TooLarge,
    #[error("the expression is longer than {MAX_LENGTH} characters")]
    TooLong,
    #[error("the expression is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    #[error("unexpected {found} at character {at}")]
    Unexpected { found: String, at: usize },
    #[error("unknown name {0:?}")]
    UnknownName(String),
    #[error("{name} takes {takes}")]
    Arguments { name: String, takes: &'static str },
    #[error("round takes a whole number of digits from -30 to 30")]
    Digits,
}

/// Computes an expression.
///
/// # Errors
/// [`CalcError`]: everything that keeps it from having a value.
pub fn evaluate(expression: &str) -> Result<Number, CalcError> {
    let chars: Vec<char> = expression.chars().take(MAX_LENGTH + 1).collect();
    if chars.len() > MAX_LENGTH {
        return Err(CalcError::TooLong);
    }
    let mut parser = Parser {
        chars,
        at: 0,
        depth: 0,
    };
    let value = parser.sum()?;
    match parser.peek() {
        None => Ok(value),
        Some(_) => Err(parser.unexpected()),
    }
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    depth: usize,
}

impl Parser {
    /// The next character that is not white space.
    fn peek(&mut self) -> Option<char> {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        self.chars.get(self.at).copied().map(|c| match c {
            '\u{d7}' | '\u{b7}' => '*',
            '\u{f7}' | '\u{2215}' => '/',
            '\u{2212}' => '-',
            c => c,
        })
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += 1;
        }
        found
    }

    fn unexpected(&mut self) -> CalcError {
        let found = match self.peek() {
            Some(c) => format!("{c:?}"),
            None => "end".to_owned(),
        };
        CalcError::Unexpected {
            found,
            at: self.at + 1,
        }
    }

    fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, CalcError>,
    ) -> Result<T, CalcError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(CalcError::TooDeep);
        }
        let value = inner(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn sum(&mut self) -> Result<Number, CalcError> {
        let mut value = self.product()?;
        loop {
            value = match self.peek() {
                Some('+') => value.add(&self.operand(Self::product)?)?,
                Some('-') => value.sub(&self.operand(Self::product)?)?,
                _ => return Ok(value),
            };
        }
    }

    fn product(&mut self) -> Result<Number, CalcError> {
        let mut value = self.signed()?;
        loop {
            value = match self.peek() {
                Some('*') => value.mul(&self.operand(Self::signed)?)?,
                Some('/') => value.div(&self.operand(Self::signed)?)?,
                Some('%') => value.rem(&self.operand(Self::signed)?)?,
                _ => return Ok(value),
            };
        }
    }

    /// What stands after the operator at hand.
    fn operand(
        &mut self,
        side: fn(&mut Self) -> Result<Number, CalcError>,
    ) -> Result<Number, CalcError> {
        self.at += 1;
        side(self)
    }

    fn signed(&mut self) -> Result<Number, CalcError> {
        if self.eat('-') {
            return self.nested(Self::signed).map(Number::neg);
        }
        if self.eat('+') {
            return self.nested(Self::signed);
        }
        self.power()
    }

    fn power(&mut self) -> Result<Number, CalcError> {
        let base = self.atom()?;
        let stars = self.peek() == Some('*') && self.chars.get(self.at + 1) == Some(&'*');
        if stars {
            self.at += 2;
        } else if !self.eat('^') {
            return Ok(base);
        }
        let exponent = self.nested(Self::signed)?;
        base.pow(&exponent)
    }

    fn atom(&mut self) -> Result<Number, CalcError> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let value = self.nested(Self::sum)?;
                if self.eat(')') {
                    Ok(value)
                } else {
                    Err(self.unexpected())
                }
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() => self.name(),
            _ => Err(self.unexpected()),
        }
    }

    fn digits(&mut self, into: &mut String) -> usize {
        let from = self.at;
        while let Some(c) = self.chars.get(self.at).filter(|c| c.is_ascii_digit()) {
            into.push(*c);
            self.at += 1;
        }
        self.at - from
    }

    fn number(&mut self) -> Result<Number, CalcError> {
        let from = self.at;
        let mut digits = String::new();
        let mut places = 0;
        self.digits(&mut digits);
        if self.chars.get(self.at) == Some(&'.') {
            self.at += 1;
            places = self.digits(&mut digits);
        }
        let Ok(value) = BigInt::from_str_radix(&digits, 10) else {
            // A lone point.
            self.at = from;
            return Err(self.unexpected());
        };
        let exponent = self.exponent()?;
        let ten = || BigRational::from_integer(BigInt::from(10));
        let places = i32::try_from(places).map_err(|_| CalcError::TooLarge)?;
        Number::exact(BigRational::from_integer(value) * Pow::pow(ten(), exponent - places))
    }

    /// `e6`, `E-3`; an `e` without digits is the constant, and no part of a number.
    fn exponent(&mut self) -> Result<i32, CalcError> {
        if !matches!(self.chars.get(self.at), Some('e' | 'E')) {
            return Ok(0);
        }
        let sign = match self.chars.get(self.at + 1) {
            Some('-') => -1,
            Some('+') => 1,
            _ => 0,
        };
        let start = self.at + if sign == 0 { 1 } else { 2 };
        if !self.chars.get(start).is_some_and(char::is_ascii_digit) {
            return Ok(0);
        }
        self.at = start;
        let mut digits = String::new();
        self.digits(&mut digits);
        let value = digits.parse::<u32>().ok().filter(|v| *v <= MAX_EXPONENT);
        let value = value
            .and_then(|v| i32::try_from(v).ok())
            .ok_or(CalcError::TooLarge)?;
        Ok(if sign < 0 { -value } else { value })
    }

    fn name(&mut self) -> Result<Number, CalcError> {
        let mut name = String::new();
        while let Some(c) = self
            .chars
            .get(self.at)
            .filter(|c| c.is_alphanumeric() || **c == '_')
        {
            name.extend(c.to_lowercase());
            self.at += 1;
        }
        match name.as_str() {
            "pi" | "\u{3c0}" => return Number::float(std::f64::consts::PI),
            "e" => return Number::float(std::f64::consts::E),
            _ => {}
        }
        if !FUNCTIONS.contains(&name.as_str()) {
            return Err(CalcError::UnknownName(name));
        }
        if !self.eat('(') {
            return Err(self.unexpected());
        }
        let mut arguments = Vec::new();
        loop {
            arguments.push(self.nested(Self::sum)?);
            if !self.eat(',') {
                break;
            }
        }
        if !self.eat(')') {
            return Err(self.unexpected());
        }
        call(&name, &arguments)
    }
}

const FUNCTIONS: [&str; 15] = [
    "sqrt", "abs", "round", "floor", "ceil", "min", "max", "exp", "ln", "log", "log10", "log2",
    "sin", "cos", "tan",
];

fn call(name: &str, arguments: &[Number]) -> Result<Number, CalcError> {
    let zero = || Number::exact(BigRational::from_integer(BigInt::from(0)));
    match (name, arguments) {
        ("min" | "max", [first, rest @ ..]) => {
            let wanted = if name == "min" {
                std::cmp::Ordering::Less
            } else {
                std::cmp::Ordering::Greater
            };
            let mut best = first;
            for number in rest {
                if number.compare(best)? == wanted {
                    best = number;
                }
            }
            Ok(best.clone())
        }
        ("round", [x]) => x.round(&zero()?),
        ("round", [x, digits]) => x.round(digits),
        ("round", _) => Err(CalcError::Arguments {
            name: name.to_owned(),
            takes: "one or two arguments",
        }),
        ("sqrt", [x]) => x.sqrt(),
        ("abs", [x]) => Ok(x.clone().abs()),
        ("floor", [x]) => x.floor(),
        ("ceil", [x]) => x.ceil(),
        (_, [x]) => Number::float(float_call(name, x.to_f64()?)),
        _ => Err(CalcError::Arguments {
            name: name.to_owned(),
            takes: "one argument",
        }),
    }
}

fn float_call(name: &str, x: f64) -> f64 {
    // pi is rounded, so what should be 0 misses it by the last bit.
    let near_zero = |y: f64| if y.abs() < 1e-15 { 0.0 } else { y };
    match name {
        "exp" => x.exp(),
        // Of 0 they would be infinite: no real number.
        "ln" | "log" | "log10" | "log2" if x <= 0.0 => f64::NAN,
        "ln" => x.ln(),
        "log" | "log10" => x.log10(),
        "log2" => x.log2(),
        "sin" => near_zero(x.sin()),
        "cos" => near_zero(x.cos()),
        "tan" => near_zero(x.tan()),
        _ => f64::NAN,
    }
}

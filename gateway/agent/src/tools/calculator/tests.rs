use proptest::prelude::*;

use super::{CalcError, evaluate};

fn text(expression: &str) -> String {
    match evaluate(expression) {
        Ok(number) => number.to_string(),
        Err(error) => panic!("{expression}: {error}"),
    }
}

#[test]
fn exact_where_it_is_possible() {
    for (expression, want) in [
        ("0.1+0.2", "0.3"),
        ("1/8", "0.125"),
        ("-1/8", "-0.125"),
        ("1/3", "0.333333333333333 (rounded)"),
        ("2/3", "0.666666666666667 (rounded)"),
        ("1/3*3", "1"),
        ("2^100", "1267650600228229401496703205376"),
        (
            "170141183460469231731687303715884105727 + 1",
            "170141183460469231731687303715884105728",
        ),
        (
            "12345678901234567890 * 98765432109876543210",
            "1219326311370217952237463801111263526900",
        ),
        ("2^-2", "0.25"),
        ("0.5^3", "0.125"),
        ("1e3 + 2.5E-1", "1000.25"),
        (".5 + 1.", "1.5"),
        ("sqrt(16)", "4"),
        ("sqrt(2.25)", "1.5"),
        ("round(2.345, 2)", "2.35"),
        ("round(-2.5)", "-3"),
        ("round(1234, -2)", "1200"),
        ("floor(-1.5) + ceil(-1.5)", "-3"),
        ("min(3, 1/2, 2) + max(1, 5)", "5.5"),
        ("abs(-3)", "3"),
        ("7 % 3", "1"),
        ("-7 % 3", "-1"),
        ("5.5 % 2", "1.5"),
        ("1^1000000", "1"),
        ("(-1)^1000001", "-1"),
        ("0^0", "1"),
    ] {
        assert_eq!(text(expression), want, "{expression}");
    }
}

#[test]
fn precedence_is_the_usual_one() {
    for (expression, want) in [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("-2^2", "-4"),
        ("(-2)^2", "4"),
        ("2^3^2", "512"),
        ("2**3", "8"),
        ("2 * -3", "-6"),
        ("8 / 2 / 2", "2"),
        ("10 - 2 - 3", "5"),
        ("--1", "1"),
        ("6 \u{d7} 7 \u{2212} 4 \u{f7} 2", "40"),
    ] {
        assert_eq!(text(expression), want, "{expression}");
    }
}

#[test]
fn floats_say_that_they_are_rounded() {
    for (expression, want) in [
        ("sqrt(2)", "1.4142135623731 (rounded)"),
        ("pi", "3.14159265358979 (rounded)"),
        ("sin(pi)", "0 (rounded)"),
        ("ln(e)", "1 (rounded)"),
        ("log10(1000)", "3 (rounded)"),
        ("log(0.01)", "-2 (rounded)"),
        ("cos(0)", "1 (rounded)"),
        ("2^0.5 * 2^0.5", "2 (rounded)"),
        ("exp(-50)", "1.92874984796392e-22 (rounded)"),
        ("exp(100)", "2.68811714181614e43 (rounded)"),
        ("round(pi, 4)", "3.1416"),
        ("1/3*1e-20", "3.33333333333333e-21 (rounded)"),
    ] {
        assert_eq!(text(expression), want, "{expression}");
    }
}

#[test]
fn what_has_no_value_says_why() {
    let error = |expression: &str| evaluate(expression).unwrap_err();
    for expression in ["1/0", "1 % 0", "0^-1", "1/(0.1+0.2-0.3)", "1/sin(0)"] {
        assert_eq!(error(expression), CalcError::DivisionByZero, "{expression}");
    }
    for expression in ["sqrt(-1)", "ln(0)", "log10(-1)", "(-8)^(1/3)"] {
        assert_eq!(error(expression), CalcError::NotReal, "{expression}");
    }
    for expression in [
        "10^100000",
        "9^9^9^9",
        "exp(1e4)",
        "1e1001",
        "1e99999999999",
    ] {
        assert_eq!(error(expression), CalcError::TooLarge, "{expression}");
    }
    for expression in [
        "", "1 +", "(1", "1)", "2 3", "2pi", "1..2", ".", "sqrt 4", "1,000", "min()", "\u{e9}(",
    ] {
        assert!(
            matches!(
                error(expression),
                CalcError::Unexpected { .. } | CalcError::UnknownName(_)
            ),
            "{expression}: {}",
            error(expression)
        );
    }
    assert_eq!(
        error("system(1)"),
        CalcError::UnknownName("system".to_owned())
    );
    assert!(matches!(error("sqrt(1, 2)"), CalcError::Arguments { .. }));
    assert_eq!(error("round(1, 99)"), CalcError::Digits);
    assert_eq!(error("1 + $").to_string(), "unexpected '$' at character 5");
}

#[test]
fn length_and_depth_are_bounded() {
    assert_eq!(evaluate(&"1".repeat(1001)), Err(CalcError::TooLong));
    assert_eq!(evaluate(&"(".repeat(1000)), Err(CalcError::TooDeep));
    assert_eq!(evaluate(&"-".repeat(1000)), Err(CalcError::TooDeep));
    assert_eq!(evaluate(&"2^".repeat(400)), Err(CalcError::TooDeep));
    assert_eq!(text(&format!("{}1{}", "(".repeat(60), ")".repeat(60))), "1");
}

proptest! {
    #[test]
    fn no_text_panics(expression in "[0-9.()+*/%^,e a-z-]{0,60}") {
        prop_assert!(evaluate(&expression).map_or_else(|e| e.to_string(), |n| n.to_string()).len() < 2000);
    }

    #[test]
    fn whole_numbers_agree_with_integer_arithmetic(
        a in -1_000_000_000i64..1_000_000_000,
        b in -1_000_000_000i64..1_000_000_000,
    ) {
        prop_assert_eq!(text(&format!("{a} + {b}")), (a + b).to_string());
        prop_assert_eq!(text(&format!("{a} - {b}")), (a - b).to_string());
        prop_assert_eq!(text(&format!("{a} * {b}")), (a * b).to_string());
        if b != 0 {
            prop_assert_eq!(text(&format!("({a}) % ({b})")), (a % b).to_string());
        }
    }
}

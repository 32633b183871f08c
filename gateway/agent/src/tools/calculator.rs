//! The tool `calculator`.

mod number;
mod parse;

use futures::FutureExt;
use futures::future::{self, BoxFuture};
use serde_json::{Value, json};
use talaria_types::model::{ToolClass, ToolSpec};

use super::{Tool, ToolContext, ToolOutput};
pub use number::Number;
pub use parse::{CalcError, evaluate};

/// Computes one expression: exactly where that is possible (fractions of whole numbers of any
/// size up to about 1,200 digits), in floating point elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Calculator;

impl Tool for Calculator {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "calculator".to_owned(),
            description: "Evaluates an arithmetic expression. Operators: + - * / % (remainder, \
                          with the sign of the dividend) ^ (power) and parentheses. Functions: \
                          sqrt, abs, round(x, digits), floor, ceil, min, max, exp, ln, log10, \
                          log2, sin, cos, tan (radians). Constants: pi, e. No thousands \
                          separators, no units."
                .to_owned(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "expression": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": parse::MAX_LENGTH,
                        "description": "For example: (12.5 + 7) * 3 ^ 2"
                    }
                },
                "required": ["expression"],
                "additionalProperties": false
            }),
        }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Pure
    }

    fn concurrency_safe(&self) -> bool {
        true
    }

    fn run(&self, input: Value, _context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        let expression = input
            .get("expression")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let output = match evaluate(expression) {
            Ok(number) => ToolOutput::ok(number.to_string()),
            Err(error) => ToolOutput::error(format!("Can't compute it: {error}.")),
        };
        future::ready(output).boxed()
    }
}

#[cfg(test)]
mod tests;

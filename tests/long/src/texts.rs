//! Answers of the scripted model: distinct, ASCII, made from a seed.

use std::fmt::Write as _;

/// A small generator of numbers; the same seed gives the same run.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Below `end`; 0 if there is nothing below.
    pub fn below(&mut self, end: u64) -> u64 {
        self.number().checked_rem(end).unwrap_or(0)
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

const WORDS: [&str; 48] = [
    "anchor", "balance", "carry", "delta", "evening", "figure", "garden", "harbour", "island",
    "journal", "kernel", "ledger", "margin", "number", "orchard", "pocket", "quarter", "river",
    "signal", "timber", "under", "valley", "window", "yellow", "about", "before", "between",
    "cannot", "during", "every", "further", "given", "however", "into", "later", "many", "never",
    "other", "people", "rather", "since", "their", "until", "very", "while", "would", "your",
    "zone",
];

fn words(rng: &mut Rng, count: u64) -> String {
    let mut text = String::new();
    for number in 0..count {
        let index = usize::try_from(rng.below(WORDS.len() as u64)).unwrap_or(0);
        let word = WORDS.get(index).copied().unwrap_or("word");
        if number > 0 {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

fn paragraph(rng: &mut Rng) -> String {
    let (start, bold, middle, code, end) = (
        words(rng, 9),
        words(rng, 2),
        words(rng, 8),
        words(rng, 1),
        words(rng, 7),
    );
    format!(
        "{start} **{bold}** {middle}, `{code}_{}` {end}.",
        rng.below(1000)
    )
}

/// An answer of about `tokens` tokens of four bytes: headings, paragraphs, lists, code.
#[must_use]
pub fn answer(seed: u64, tokens: usize) -> String {
    let mut rng = Rng::new(seed + 1);
    let mut text = format!("# Answer {seed}: {}\n\n", words(&mut rng, 3));
    let mut section = 0;
    while text.len() < tokens * 4 {
        section += 1;
        let piece = match section % 4 {
            1 => paragraph(&mut rng),
            2 => {
                let mut list = String::new();
                for number in 1..=4 {
                    let words = words(&mut rng, 6);
                    // Writing to a string can't fail.
                    writeln!(list, "- point {number}: {words}").ok();
                }
                list.trim_end().to_owned()
            }
            3 => format!(
                "## Part {section} of {}\n\n{}",
                words(&mut rng, 2),
                paragraph(&mut rng)
            ),
            _ => {
                let (name, value) = (words(&mut rng, 1), rng.below(10_000));
                format!("```rust\nlet {name} = {value};\nprint({name});\n```")
            }
        };
        text.push_str(&piece);
        text.push_str("\n\n");
    }
    text.trim_end().to_owned()
}

/// The mark of question `number` in its question and in every paragraph of its answer.
#[must_use]
pub fn mark(number: usize) -> String {
    format!("q{number:05}x")
}

/// An answer of `paragraphs` paragraphs, each with the question's mark and its own number.
#[must_use]
pub fn marked(number: usize, paragraphs: usize) -> String {
    let mut rng = Rng::new(number as u64 + 77);
    let mark = mark(number);
    (0..paragraphs)
        .map(|index| format!("{mark}p{index:03} {}", paragraph(&mut rng)))
        .collect::<Vec<_>>()
        .join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_distinct_and_of_the_wanted_size() {
        let (a, b) = (answer(1, 400), answer(2, 400));
        assert_ne!(a, b);
        assert!(a.is_ascii() && b.is_ascii());
        assert!((1600..2200).contains(&a.len()), "{}", a.len());
        for piece in ["# ", "## ", "- ", "```"] {
            assert!(a.contains(piece), "{piece:?} in {a}");
        }
    }
}

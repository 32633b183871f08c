//! Frozen parts never change while their text grows.

use proptest::prelude::*;
use talaria_markup::TelegramRenderer;
use talaria_oracle::equal_cutting;

use crate::generator::{document, soup};
use crate::support::{grow, texts};

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn documents_grow_to_what_the_oracle_says(
        markdown in document(),
        limit in 300_usize..700,
        step in 1_usize..40,
    ) {
        let renderer = TelegramRenderer::with_limit(limit);
        let ends = (0..markdown.len()).step_by(step);
        let parts = grow(&renderer, limit, &markdown, ends);
        if let Err(difference) = equal_cutting(&markdown, &texts(&parts), limit - 40) {
            return Err(TestCaseError::fail(format!("{difference}\n{:#?}", texts(&parts))));
        }
    }

    #[test]
    fn anything_grows_without_changing_what_is_frozen(
        markdown in soup(),
        limit in 40_usize..200,
        step in 1_usize..20,
    ) {
        let ends = (0..markdown.len()).step_by(step);
        grow(&TelegramRenderer::with_limit(limit), limit, &markdown, ends);
    }
}

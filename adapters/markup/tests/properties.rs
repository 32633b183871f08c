//! What holds for every text.

use proptest::prelude::*;
use talaria_markup::TelegramRenderer;
use talaria_oracle::{equal, equal_cutting};
use talaria_types::RenderStage;

use crate::generator::{document, soup};
use crate::support::{LIMIT, render, texts};

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn documents_read_as_the_oracle_says(markdown in document()) {
        let parts = render(&TelegramRenderer::new(), LIMIT, &markdown, RenderStage::Final, &[]);
        if let Err(difference) = equal(&markdown, &texts(&parts)) {
            return Err(TestCaseError::fail(format!("{difference}\n{:#?}", texts(&parts))));
        }
    }

    #[test]
    fn documents_read_the_same_in_short_messages(markdown in document(), limit in 200_usize..700) {
        let renderer = TelegramRenderer::with_limit(limit);
        let parts = render(&renderer, limit, &markdown, RenderStage::Final, &[]);
        if let Err(difference) = equal_cutting(&markdown, &texts(&parts), limit - 40) {
            return Err(TestCaseError::fail(format!("{difference}\n{:#?}", texts(&parts))));
        }
    }

    #[test]
    fn nothing_breaks_the_platforms_rules(markdown in soup(), limit in 32_usize..300) {
        let renderer = TelegramRenderer::with_limit(limit);
        for stage in [RenderStage::Live, RenderStage::Final] {
            render(&renderer, limit, &markdown, stage, &[]);
        }
        render(&TelegramRenderer::new(), LIMIT, &markdown, RenderStage::Final, &[]);
    }

    #[test]
    fn any_frozen_offsets_are_survived(
        markdown in soup(),
        frozen in prop::collection::vec(0_usize..900, 0..6),
    ) {
        let renderer = TelegramRenderer::with_limit(80);
        render(&renderer, 80, &markdown, RenderStage::Live, &frozen);
    }
}

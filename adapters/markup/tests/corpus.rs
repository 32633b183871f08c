//! Every sample text reads as the oracle says, whole and however it grows.

use talaria_markup::TelegramRenderer;
use talaria_oracle::{equal, equal_cutting};
use talaria_types::RenderStage;

use crate::support::{LIMIT, grow, render, samples, texts};

#[test]
fn samples_satisfy_the_oracle() {
    for (path, markdown) in samples("texts", 7) {
        for text in [markdown.clone(), markdown.replace('\n', "\r\n")] {
            let parts = render(
                &TelegramRenderer::new(),
                LIMIT,
                &text,
                RenderStage::Final,
                &[],
            );
            if let Err(difference) = equal(&text, &texts(&parts)) {
                panic!("{}: {difference}\n{:#?}", path.display(), texts(&parts));
            }
        }
    }
}

#[test]
fn samples_satisfy_the_oracle_in_short_messages() {
    for (path, markdown) in samples("texts", 7) {
        for limit in [300, 411, 900] {
            let renderer = TelegramRenderer::with_limit(limit);
            let parts = render(&renderer, limit, &markdown, RenderStage::Final, &[]);
            if let Err(difference) = equal_cutting(&markdown, &texts(&parts), limit - 40) {
                panic!(
                    "{} at {limit}: {difference}\n{:#?}",
                    path.display(),
                    texts(&parts)
                );
            }
        }
    }
}

#[test]
fn samples_grow_within_the_limits() {
    for (path, markdown) in samples("texts", 7) {
        let step = (markdown.len() / 120).max(1);
        let ends = (0..markdown.len()).step_by(step);
        let parts = grow(&TelegramRenderer::new(), LIMIT, &markdown, ends);
        if let Err(difference) = equal(&markdown, &texts(&parts)) {
            panic!("{}: {difference}", path.display());
        }
    }
}

#[test]
fn samples_grow_in_short_messages() {
    for (path, markdown) in samples("texts", 7) {
        let markdown: String = markdown.chars().take(5000).collect();
        let step = (markdown.len() / 200).max(1);
        let ends = (0..markdown.len()).step_by(step);
        let parts = grow(&TelegramRenderer::with_limit(400), 400, &markdown, ends);
        if let Err(difference) = equal_cutting(&markdown, &texts(&parts), 360) {
            panic!("{}: {difference}\n{:#?}", path.display(), texts(&parts));
        }
    }
}

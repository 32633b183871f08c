//! Microseconds per kilobyte of source, printed as a table. Run with `cargo bench -p talaria-markup`.

#![expect(clippy::print_stdout, reason = "the table is the result")]

use std::hint::black_box;
use std::path::Path;

use talaria_markup::TelegramRenderer;
use talaria_types::{RenderStage, Renderer};

const ROUNDS: u32 = 400;

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
fn micros(mut work: impl FnMut()) -> f64 {
    work();
    let start = std::time::Instant::now();
    for _ in 0..ROUNDS {
        work();
    }
    start.elapsed().as_secs_f64() * 1e6 / f64::from(ROUNDS)
}

fn main() -> std::io::Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/texts/07-long.md");
    let long = std::fs::read_to_string(path)?;
    let renderer = TelegramRenderer::new();
    println!("{:>8} {:>22} {:>10} {:>8}", "bytes", "call", "us", "us/KB");
    for length in [1_000, 5_000, 10_000, 20_000, 40_000] {
        let Some(text) = long.get(..length) else {
            continue;
        };
        let parts = renderer.render(text, RenderStage::Live, &[]);
        let full = parts.len().saturating_sub(1);
        let frozen: Vec<_> = parts
            .iter()
            .take(full)
            .map(|part| part.source_end)
            .collect();
        for (name, stage, frozen) in [
            ("final, nothing frozen", RenderStage::Final, &[][..]),
            ("live, frozen", RenderStage::Live, &frozen),
        ] {
            let time = micros(|| {
                black_box(renderer.render(black_box(text), stage, frozen));
            });
            let kilobytes = f64::from(u32::try_from(length).unwrap_or(1)) / 1000.0;
            println!(
                "{length:>8} {name:>22} {time:>10.1} {:>8.1}",
                time / kilobytes
            );
        }
    }
    Ok(())
}

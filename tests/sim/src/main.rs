//! `talaria-sim`: many seeds, with figures; or one saved run.

use std::io::Write;
use std::process::ExitCode;

use talaria_sim::world::Stats;
use talaria_sim::{Case, run_seed, shrink, trace};

struct Options {
    seeds: u64,
    first: u64,
    events: usize,
    save: Option<String>,
    replay: Option<String>,
    /// Save a failing run whole: shrinking a long one takes minutes.
    whole: bool,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        seeds: 200,
        first: 0,
        events: 5000,
        save: None,
        replay: None,
        whole: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        if word == "--whole" {
            options.whole = true;
            continue;
        }
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|error| error.to_string());
        match word.as_str() {
            "--seeds" => options.seeds = number(value()?)?,
            "--first" => options.first = number(value()?)?,
            "--events" => {
                options.events =
                    usize::try_from(number(value()?)?).map_err(|error| error.to_string())?;
            }
            "--save" => options.save = Some(value()?),
            "--replay" => options.replay = Some(value()?),
            other => return Err(format!("{other} is not an option")),
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    match options().and_then(|options| run(&options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            say(&format!(
                "{error}\nusage: talaria-sim [--seeds N] [--first N] [--events N] [--save FOLDER [--whole]] [--replay FILE]"
            ));
            ExitCode::from(2)
        }
    }
}

fn say(text: &str) {
    // Nobody reads on: nothing to be done about it.
    let _closed = writeln!(std::io::stdout(), "{text}");
}

fn run(options: &Options) -> Result<bool, String> {
    if let Some(file) = &options.replay {
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        let case: Case = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let (lines, result) = trace(&case);
        for line in lines {
            say(&line);
        }
        return Ok(match result {
            Ok(listed) => {
                say(&format!("passes; not delivered: {listed:?}"));
                true
            }
            Err(violation) => {
                say(&violation.to_string());
                false
            }
        });
    }
    sweep(options)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the figures are about real time; nothing in the world reads it"
)]
fn sweep(options: &Options) -> Result<bool, String> {
    let began = std::time::Instant::now();
    let mut stats = Stats::default();
    let (mut events, mut listed, mut broken) = (0, 0, 0);
    for seed in options.first..options.first + options.seeds {
        let outcome = run_seed(seed, options.events);
        events += outcome.case.steps.len();
        stats.add(&outcome.stats);
        match outcome.result {
            Ok(posts) => listed += posts.len(),
            Err(violation) => {
                broken += 1;
                say(&format!("seed {seed}: {violation}"));
                if let Some(folder) = &options.save {
                    let case = if options.whole {
                        outcome.case
                    } else {
                        shrink(&outcome.case)
                    };
                    let file = format!("{folder}/seed-{seed}.json");
                    let text = serde_json::to_string(&case).map_err(|error| error.to_string())?;
                    std::fs::write(&file, text).map_err(|error| error.to_string())?;
                    say(&format!(
                        "  {} steps in {file}: {}",
                        case.steps.len(),
                        case.why
                    ));
                }
            }
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    for (what, count) in &stats.counts {
        say(&format!("{count:>10}  {what}"));
    }
    let rows = talaria_types::mutation::take_rows();
    for (row, count) in rows.iter().enumerate().skip(1) {
        say(&format!("{count:>10}  row {row}"));
    }
    let rate = |count: f64| count / seconds.max(0.001);
    say(&format!(
        "{} seeds, {events} events, {} inputs, {} steps skipped, {listed} posts not delivered (listed reasons), {broken} seeds broken; {seconds:.1} s, {:.1} seeds/s, {:.0} events/s",
        options.seeds,
        stats.inputs,
        stats.skipped,
        rate(options.seeds as f64),
        rate(events as f64),
    ));
    Ok(broken == 0)
}

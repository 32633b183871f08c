//! The file of results: a section per long run.

const HEAD: &str = "# Results of the long runs\n\nAgain: `cargo build --release --bin talaria`, then `cargo run --release -p talaria-long --bin load | cargo run --release -p talaria-long\n--bin report`; likewise `kills`, `start`, `control`.\n\nEach section is what one program of `tests/long` printed last. Limits for Telegram edits are the emulator's\n(no official number exists): messages and edits together, 1 a second with a burst of 3 in a private chat, 30 a second for\nthe bot. Staleness: every 50 ms from the first token to the final text, the age of the newest shown character while the\nmodel has emitted more, else 0.\n";

/// The file with this section in the place of the one with the same heading, or at its end.
#[must_use]
pub fn replace(old: &str, section: &str, stamp: &str) -> String {
    let (heading, body) = section.split_once('\n').unwrap_or((section, ""));
    let new = format!("{heading}\n\n{stamp}\n\n{}\n", body.trim());
    let mut sections: Vec<(String, String)> = Vec::new();
    for line in old.lines() {
        if line.starts_with("## ") {
            sections.push((line.to_owned(), format!("{line}\n")));
        } else if let Some((_, text)) = sections.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    match sections.iter_mut().find(|(known, _)| known == heading) {
        Some((_, text)) => *text = new,
        None => sections.push((heading.to_owned(), new)),
    }
    let texts = sections
        .iter()
        .map(|(_, text)| format!("\n{}\n", text.trim()));
    format!("{HEAD}{}", texts.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::replace;

    #[test]
    fn a_section_takes_the_place_of_its_older_self() {
        let one = replace("", "## a\n\nolder\n", "now");
        let two = replace(&one, "## b\n\nother\n", "now");
        let three = replace(&two, "## a\n\nsecond\n", "later");
        assert!(three.contains("## a\n\nlater\n\nsecond\n"), "{three}");
        assert!(three.contains("## b\n\nnow\n\nother\n"), "{three}");
        assert!(!three.contains("older"), "{three}");
        assert_eq!(three.matches("# Results").count(), 1);
    }
}

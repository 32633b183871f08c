//! Rust text without what is not code.

/// The text with comments, the contents of strings and characters, and inline test modules
/// blanked. Lines stay where they are.
pub(crate) fn production(text: &str) -> String {
    without_test_modules(&code(text))
}

/// The text with comments and the contents of strings and characters blanked.
pub(crate) fn code(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = skip(&chars, at);
        if end == at {
            out.push(chars[at]);
            at += 1;
            continue;
        }
        out.extend(
            chars[at..end]
                .iter()
                .map(|c| if *c == '\n' { '\n' } else { ' ' }),
        );
        at = end;
    }
    out
}

/// The end of the comment, string or character that begins at `at`, or `at`.
fn skip(chars: &[char], at: usize) -> usize {
    let is = |offset: usize, c: char| chars.get(at + offset) == Some(&c);
    let find = |from: usize, what: &[char]| {
        (from..chars.len())
            .find(|i| chars[*i..].starts_with(what))
            .map_or(chars.len(), |i| i + what.len())
    };
    let in_word = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
    match chars[at] {
        '/' if is(1, '/') => chars[at..]
            .iter()
            .position(|c| *c == '\n')
            .map_or(chars.len(), |length| at + length),
        '/' if is(1, '*') => block_comment(chars, at),
        'r' if !in_word || at > 0 && chars[at - 1] == 'b' => {
            let hashes = chars[at + 1..].iter().take_while(|c| **c == '#').count();
            if !is(1 + hashes, '"') {
                return at;
            }
            let mut close = vec!['"'];
            close.extend(std::iter::repeat_n('#', hashes));
            find(at + hashes + 2, &close)
        }
        '"' => quoted(chars, at, '"'),
        // A character, not a lifetime.
        '\'' if is(1, '\\') || is(2, '\'') => quoted(chars, at, '\''),
        _ => at,
    }
}

fn block_comment(chars: &[char], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0);
    while at < chars.len() {
        if chars[at..].starts_with(&['/', '*']) {
            (at, depth) = (at + 2, depth + 1);
        } else if chars[at..].starts_with(&['*', '/']) {
            (at, depth) = (at + 2, depth - 1);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    at
}

fn quoted(chars: &[char], start: usize, quote: char) -> usize {
    let mut at = start + 1;
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 2,
            c if c == quote => return at + 1,
            _ => at += 1,
        }
    }
    chars.len()
}

/// Blanks `#[cfg(test)] mod name { ... }` in text that [`code`] has been over.
fn without_test_modules(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(start) = rest.find(MARK) {
        let (before, marked) = rest.split_at(start);
        out.push_str(before);
        let brace = marked.find('{').unwrap_or(marked.len());
        let semicolon = marked.find(';').unwrap_or(marked.len());
        let end = if brace < semicolon {
            closing(marked, brace)
        } else {
            semicolon
        };
        let (gone, after) = marked.split_at(end);
        out.extend(gone.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The end of the block that opens at `brace`.
fn closing(text: &str, brace: usize) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at < brace) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

/// The lines, from 1, that hold `what`.
pub(crate) fn lines_with<'a>(text: &'a str, what: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.lines()
        .enumerate()
        .filter(move |(_, line)| line.contains(what))
        .map(|(at, _)| at + 1)
}

#[test]
fn what_is_not_code_is_blanked() {
    let text = r##"
a(); // todo!()
/* b /* nested todo!() */ todo!() */ c();
let s = "todo!() \" todo!()"; d();
let r = r#"todo!() " todo!()"#; e();
let r = br"todo!()"; let c = '"'; let l: &'static str = "x"; f('\'', 'a');
"##;
    let code = code(text);
    assert!(!code.contains("todo!"), "{code}");
    for kept in ["a();", "c();", "d();", "e();", "f(", "&'static str"] {
        assert!(code.contains(kept), "{kept}: {code}");
    }
    assert_eq!(code.lines().count(), text.lines().count());
}

#[test]
fn test_modules_are_blanked() {
    let text = "fn a() { b.unwrap() }\n#[cfg(test)]\nmod tests {\n  fn c() { d.unwrap() }\n}\nfn e() {}\n#[cfg(test)]\nmod more;\nfn f() {}\n";
    let code = production(text);
    assert_eq!(lines_with(&code, "unwrap").collect::<Vec<_>>(), [1]);
    assert!(code.contains("fn e()") && code.contains("fn f()"), "{code}");
    assert!(!code.contains("fn c()"), "{code}");
}

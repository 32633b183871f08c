//! A Markdown text as a list of what must be seen, one after the other.

use comrak::nodes::{ListType, Node, NodeValue};
use comrak::{Arena, Options, parse_document};

/// Lists deeper than this may lose their markers.
const MAX_DEPTH: usize = 16;

/// One thing that must be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// `glued`: no white space stands before it.
    Word {
        text: String,
        glued: bool,
    },
    /// A line of code, exactly, from its first column.
    CodeLine(String),
    Bullet {
        required: bool,
    },
    Number {
        at_least: usize,
        required: bool,
    },
    Task {
        done: bool,
    },
    Rule,
    /// A bar of a table.
    Bar,
    /// The line under a table's header.
    HeadLine,
    /// The header again, where a message begins inside the table.
    HeadAgain(Vec<Token>),
    /// A link's target in round brackets, or alone where the link shows nothing else.
    Target {
        url: String,
        alone: bool,
    },
    /// One of two readings; the second only where there is more than one message.
    Either(Vec<Token>, Vec<Token>),
    /// A line ends: for `plain_text` only.
    LineEnd,
}

/// Line ends are newlines, and what platforms strip is gone.
pub(crate) fn normalised(text: &str) -> String {
    let text = text
        .replace("\r\n", "\n")
        .replace(['\r', '\u{2028}', '\u{2029}'], "\n");
    let stripped = |c: char| {
        (c < ' ' && c != '\n' && c != '\t')
            || c == '\u{7f}'
            || ('\u{202a}'..='\u{202e}').contains(&c)
    };
    text.replace(stripped, "")
}

fn options() -> Options<'static> {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    options
}

pub(crate) fn tokens(markdown: &str) -> Vec<Token> {
    let markdown = normalised(markdown);
    let arena = Arena::new();
    let root = parse_document(&arena, &markdown, &options());
    let mut reader = Reader {
        tokens: Vec::new(),
        lists: 0,
        source: &markdown,
        spaced: true,
    };
    reader.children(root);
    reader.tokens
}

struct Reader<'s> {
    tokens: Vec<Token>,
    lists: usize,
    source: &'s str,
    /// White space, or the start of a block, stands before what comes next.
    spaced: bool,
}

impl Reader<'_> {
    fn children<'a>(&mut self, node: Node<'a>) {
        for child in node.children() {
            self.node(child);
        }
    }

    fn push(&mut self, token: Token) {
        self.tokens.push(token);
        self.spaced = true;
    }

    fn text(&mut self, text: &str) {
        for (nth, word) in text.split(char::is_whitespace).enumerate() {
            self.spaced |= nth > 0;
            if word.is_empty() {
                continue;
            }
            match self.tokens.last_mut() {
                Some(Token::Word { text, .. }) if !self.spaced => text.push_str(word),
                Some(_) | None => {
                    let glued = !self.spaced;
                    self.tokens.push(Token::Word {
                        text: word.to_owned(),
                        glued,
                    });
                }
            }
            self.spaced = false;
        }
    }

    /// A block's end.
    fn end(&mut self) {
        self.push(Token::LineEnd);
    }

    fn node<'a>(&mut self, node: Node<'a>) {
        let value = node.data().value.clone();
        match value {
            NodeValue::Text(text) => self.text(&text),
            NodeValue::Code(code) => self.text(&code.literal),
            NodeValue::HtmlInline(html) => self.text(&html),
            NodeValue::SoftBreak | NodeValue::LineBreak => self.spaced = true,
            NodeValue::CodeBlock(code) => self.code(&code.literal),
            NodeValue::HtmlBlock(html) => {
                self.text(&html.literal);
                self.end();
            }
            NodeValue::ThematicBreak => {
                self.push(Token::Rule);
                self.end();
            }
            NodeValue::Paragraph | NodeValue::Heading(_) => {
                self.children(node);
                self.end();
            }
            NodeValue::List(_) => {
                self.lists += 1;
                self.children(node);
                self.lists -= 1;
            }
            NodeValue::Item(_) | NodeValue::TaskItem(_) => self.item(node),
            NodeValue::Strikethrough if self.is_single_tilde(node) => {
                self.text("~");
                self.children(node);
                self.text("~");
            }
            NodeValue::Link(link) | NodeValue::Image(link) => self.link(node, &link.url),
            NodeValue::Table(_) => self.table(node),
            // The rest holds its text in its children.
            _ => self.children(node),
        }
    }

    fn code(&mut self, literal: &str) {
        for line in literal
            .lines()
            .map(str::trim_end)
            .filter(|line| !line.is_empty())
        {
            self.push(Token::CodeLine(line.to_owned()));
        }
        self.end();
    }

    fn item<'a>(&mut self, node: Node<'a>) {
        let required = self.lists <= MAX_DEPTH;
        let ordinal = std::iter::successors(node.previous_sibling(), |n| n.previous_sibling());
        let before = ordinal.count();
        let list = node.parent().map(|parent| parent.data().value.clone());
        let task = match node.data().value.clone() {
            NodeValue::TaskItem(task) => Some(task.symbol.is_some()),
            _ => None,
        };
        match list {
            Some(NodeValue::List(list)) if list.list_type == ListType::Ordered => {
                self.push(Token::Number {
                    at_least: list.start + before,
                    required,
                });
            }
            _ => self.push(Token::Bullet {
                required: required && task.is_none(),
            }),
        }
        if let Some(done) = task {
            self.push(Token::Task { done });
        }
        self.children(node);
        self.spaced = true;
    }

    fn link<'a>(&mut self, node: Node<'a>, url: &str) {
        let start = self.tokens.len();
        let spaced = self.spaced;
        let words = self.words();
        self.children(node);
        let alone = self.words() == words;
        let url = url.strip_prefix("mailto:").unwrap_or(url).to_owned();
        if !url.is_empty() {
            self.tokens.push(Token::Target { url, alone });
            self.spaced &= !alone;
        }
        if let Some(written) = self.written(node).filter(|written| written.ends_with(']')) {
            self.reference(start, spaced, &written);
        }
    }

    /// How many characters of words there are: more after a link whose label shows something.
    fn words(&self) -> usize {
        let count = |token: &Token| match token {
            Token::Word { text, .. } => text.len(),
            _ => 0,
        };
        self.tokens.iter().map(count).sum()
    }

    /// A link by reference, which may be shown as it is written.
    fn reference(&mut self, start: usize, spaced: bool, written: &str) {
        // A label that goes on the word before it has been merged into it: such a link is rare
        // enough to be compared in its resolved reading only.
        if !spaced || start >= self.tokens.len() {
            return;
        }
        let resolved = self.tokens.split_off(start);
        let after = self.spaced;
        let mut literal = Reader {
            tokens: Vec::new(),
            lists: 0,
            source: self.source,
            spaced: true,
        };
        literal.text(&written.replace(['*', '`'], ""));
        self.tokens.push(Token::Either(resolved, literal.tokens));
        self.spaced = after;
    }

    /// The source of a node that stands on one line.
    fn written<'a>(&self, node: Node<'a>) -> Option<String> {
        let place = node.data().sourcepos;
        if place.start.line != place.end.line {
            return None;
        }
        let line = self.source.lines().nth(place.start.line.checked_sub(1)?)?;
        line.get(place.start.column.checked_sub(1)?..place.end.column)
            .map(str::to_owned)
    }

    fn is_single_tilde<'a>(&self, node: Node<'a>) -> bool {
        let start = node.data().sourcepos.start;
        let line = self
            .source
            .lines()
            .nth(start.line.saturating_sub(1))
            .unwrap_or_default();
        let rest = line
            .get(start.column.saturating_sub(1)..)
            .unwrap_or_default();
        rest.starts_with('~') && !rest.starts_with("~~")
    }

    fn table<'a>(&mut self, node: Node<'a>) {
        let mut head = Vec::new();
        for (nth, row) in node.children().enumerate() {
            if nth > 0 {
                self.push(Token::HeadAgain(head.clone()));
            }
            let start = self.tokens.len();
            self.push(Token::Bar);
            for cell in row.children() {
                self.children(cell);
                self.push(Token::Bar);
            }
            if nth == 0 {
                self.push(Token::HeadLine);
                head = self.tokens.get(start..).unwrap_or_default().to_vec();
            }
            self.end();
        }
    }
}

/// The plain text of `markdown`: markup removed, one line per block or code line, list markers and
/// table bars in a plain form.
#[must_use]
pub fn plain_text(markdown: &str) -> String {
    let mut text = String::new();
    write(&tokens(markdown), &mut text);
    text.truncate(text.trim_end().len());
    text
}

fn write(tokens: &[Token], text: &mut String) {
    for token in tokens {
        let fresh = text.is_empty() || text.ends_with(['\n', ' ']);
        let space = if fresh { "" } else { " " };
        match token {
            Token::Word { text: word, glued } => {
                text.push_str(if *glued { "" } else { space });
                text.push_str(word);
            }
            Token::CodeLine(line) => {
                text.push_str(if fresh { "" } else { "\n" });
                text.push_str(line);
            }
            Token::Bullet { .. } => text.push_str("- "),
            Token::Number { at_least, .. } => text.push_str(&format!("{at_least}. ")),
            Token::Task { done } => text.push_str(if *done { "[x] " } else { "[ ] " }),
            Token::Rule => text.push_str("---"),
            Token::Bar => {
                text.push_str(space);
                text.push('|');
            }
            Token::Target { url, alone: true } => {
                text.push_str(space);
                text.push_str(url);
            }
            Token::Target { alone: false, .. } | Token::HeadLine | Token::HeadAgain(_) => {}
            Token::Either(resolved, _) => write(resolved, text),
            Token::LineEnd => {
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
            }
        }
    }
}

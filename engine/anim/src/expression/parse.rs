//! From text to a tree.

use std::fmt;

use super::{Comparison, ExpressionError, Node, Tree};

/// Longest text that is read, bytes.
pub const MAX_EXPRESSION_BYTES: usize = 4096;

/// Deepest nesting of parentheses and `not`.
const MAX_DEPTH: usize = 32;

/// Reads an expression: `or`, `and`, `not`, parentheses, `== != < <= > >=`, names, numbers, `true`
/// and `false`. `not` binds tighter than `and`, `and` tighter than `or`; comparisons do not chain.
///
/// # Errors
/// The first thing that does not read, with its column.
pub fn parse(text: &str) -> Result<Tree, ExpressionError> {
    if text.len() > MAX_EXPRESSION_BYTES {
        let message = format!("longer than {MAX_EXPRESSION_BYTES} bytes");
        return Err(ExpressionError::new(1, message));
    }
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        depth: 0,
    };
    let tree = parser.either()?;
    match parser.token() {
        (Token::End, _) => Ok(tree),
        (token, column) => {
            let message = format!("expected `and`, `or` or the end, found {token}");
            Err(ExpressionError::new(column, message))
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(f64),
    Word(String),
    Compare(Comparison),
    Open,
    Close,
    End,
}

impl fmt::Display for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(out, "`{number}`"),
            Self::Word(word) => write!(out, "`{word}`"),
            Self::Compare(comparison) => write!(out, "`{}`", comparison.sign()),
            Self::Open => out.write_str("`(`"),
            Self::Close => out.write_str("`)`"),
            Self::End => out.write_str("the end"),
        }
    }
}

/// The tokens with their columns; the last one is [`Token::End`].
fn tokens(text: &str) -> Result<Vec<(Token, usize)>, ExpressionError> {
    let letters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        let column = at + 1;
        let run = |start: usize, belongs: fn(char) -> bool| {
            let length = letters[start..].iter().take_while(|c| belongs(**c)).count();
            start + length
        };
        if letter.is_whitespace() {
            at += 1;
        } else if letter.is_alphabetic() || letter == '_' {
            let end = run(at, |c| c.is_alphanumeric() || c == '_');
            tokens.push((Token::Word(letters[at..end].iter().collect()), column));
            at = end;
        } else if letter.is_ascii_digit() || letter == '.' || letter == '-' {
            let end = number_end(&letters, at);
            let digits: String = letters[at..end].iter().collect();
            let number = digits.parse::<f64>().ok().filter(|n| n.is_finite());
            let number = number.ok_or_else(|| {
                ExpressionError::new(column, format!("`{digits}` is not a number"))
            })?;
            tokens.push((Token::Number(number), column));
            at = end;
        } else {
            let (token, length) = sign(letter, letters.get(at + 1).copied(), column)?;
            tokens.push((token, column));
            at += length;
        }
    }
    tokens.push((Token::End, letters.len() + 1));
    Ok(tokens)
}

/// Where a number that begins at `start` ends: sign, digits, point, exponent.
fn number_end(letters: &[char], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&letter) = letters.get(at) {
        let after_e = matches!(letters[at - 1], 'e' | 'E') && matches!(letter, '+' | '-');
        if letter.is_alphanumeric() || letter == '.' || after_e {
            at += 1;
        } else {
            break;
        }
    }
    at
}

fn sign(
    first: char,
    second: Option<char>,
    column: usize,
) -> Result<(Token, usize), ExpressionError> {
    let wrong = |instead: &str, right: &str| {
        let message = format!("`{instead}` is not used here");
        Err(ExpressionError::new(column, message).help(format!("write `{right}`")))
    };
    Ok(match (first, second) {
        ('(', _) => (Token::Open, 1),
        (')', _) => (Token::Close, 1),
        ('=', Some('=')) => (Token::Compare(Comparison::Equal), 2),
        ('!', Some('=')) => (Token::Compare(Comparison::NotEqual), 2),
        ('<', Some('=')) => (Token::Compare(Comparison::LessOrEqual), 2),
        ('>', Some('=')) => (Token::Compare(Comparison::GreaterOrEqual), 2),
        ('<', _) => (Token::Compare(Comparison::Less), 1),
        ('>', _) => (Token::Compare(Comparison::Greater), 1),
        ('=', _) => return wrong("=", "=="),
        ('~', Some('=')) => return wrong("~=", "!="),
        ('!', _) => return wrong("!", "not"),
        ('&', _) => return wrong("&", "and"),
        ('|', _) => return wrong("|", "or"),
        (other, _) => {
            let message = format!("`{}` has no meaning here", other.escape_default());
            return Err(ExpressionError::new(column, message));
        }
    })
}

struct Parser {
    tokens: Vec<(Token, usize)>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn token(&self) -> (Token, usize) {
        let last = self.tokens.len() - 1;
        self.tokens[self.at.min(last)].clone()
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(&self.tokens[self.at.min(self.tokens.len() - 1)].0, Token::Word(w) if w == word);
        self.at += usize::from(found);
        found
    }

    fn either(&mut self) -> Result<Tree, ExpressionError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(ExpressionError::new(self.token().1, message));
        }
        let mut tree = self.both()?;
        while self.take_word("or") {
            let right = self.both()?;
            let column = tree.column;
            let node = Node::Or(Box::new(tree), Box::new(right));
            tree = Tree { node, column };
        }
        self.depth -= 1;
        Ok(tree)
    }

    fn both(&mut self) -> Result<Tree, ExpressionError> {
        let mut tree = self.negation()?;
        while self.take_word("and") {
            let right = self.negation()?;
            let column = tree.column;
            let node = Node::And(Box::new(tree), Box::new(right));
            tree = Tree { node, column };
        }
        Ok(tree)
    }

    fn negation(&mut self) -> Result<Tree, ExpressionError> {
        let column = self.token().1;
        if !self.take_word("not") {
            return self.comparison();
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(ExpressionError::new(column, message));
        }
        let inner = self.negation()?;
        self.depth -= 1;
        let node = Node::Not(Box::new(inner));
        Ok(Tree { node, column })
    }

    fn comparison(&mut self) -> Result<Tree, ExpressionError> {
        let left = self.value()?;
        let (Token::Compare(comparison), _) = self.token() else {
            return Ok(left);
        };
        self.at += 1;
        let right = self.value()?;
        if let (Token::Compare(_), column) = self.token() {
            let message = "comparisons do not chain";
            return Err(ExpressionError::new(column, message)
                .help("write `a < b and b < c` for `a < b < c`"));
        }
        let column = left.column;
        let node = Node::Compare(comparison, Box::new(left), Box::new(right));
        Ok(Tree { node, column })
    }

    fn value(&mut self) -> Result<Tree, ExpressionError> {
        let (token, column) = self.token();
        self.at += 1;
        let node = match token {
            Token::Number(number) => Node::Number(number),
            Token::Word(word) => match word.as_str() {
                "true" => Node::Bool(true),
                "false" => Node::Bool(false),
                "and" | "or" | "not" => {
                    let message = format!("expected a name, a number or `(`, found `{word}`");
                    return Err(ExpressionError::new(column, message));
                }
                _ => Node::Name(word),
            },
            Token::Open => {
                let tree = self.either()?;
                let (token, end) = self.token();
                if token != Token::Close {
                    let message = format!("expected `)`, found {token}");
                    return Err(ExpressionError::new(end, message)
                        .help(format!("the `(` in column {column} is not closed")));
                }
                self.at += 1;
                tree.node
            }
            token => {
                let message = format!("expected a name, a number or `(`, found {token}");
                return Err(ExpressionError::new(column, message));
            }
        };
        Ok(Tree { node, column })
    }
}

//! As much JSON as the protocol needs, and Base64.

use std::fmt::Write;

/// A JSON value. Numbers are integers where they can be.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The member of an object; null where there is none.
    pub fn get(&self, name: &str) -> &Json {
        match self {
            Json::Object(members) => {
                members.iter().find(|(key, _)| key == name).map_or(&Json::Null, |(_, value)| value)
            }
            _ => &Json::Null,
        }
    }

    pub fn text(&self) -> Option<&str> {
        if let Json::Text(text) = self {
            Some(text)
        } else {
            None
        }
    }

    pub fn int(&self) -> Option<i64> {
        if let Json::Int(number) = self {
            Some(*number)
        } else {
            None
        }
    }

    pub fn list(&self) -> &[Json] {
        if let Json::List(items) = self {
            items
        } else {
            &[]
        }
    }

    /// Reads one value. None: it is no JSON.
    pub fn parse(text: &str) -> Option<Json> {
        let mut parser = Parser { text: text.as_bytes(), at: 0 };
        let value = parser.value()?;
        parser.blank();
        (parser.at == parser.text.len()).then_some(value)
    }

    pub fn write(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(value) => write!(out, "{value}").unwrap(),
            Json::Int(number) => write!(out, "{number}").unwrap(),
            Json::Float(number) => write!(out, "{number:?}").unwrap(),
            Json::Text(text) => quote(text, out),
            Json::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    item.write(out);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (at, (name, value)) in members.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    quote(name, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

impl From<()> for Json {
    fn from(_: ()) -> Json {
        Json::Null
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Json {
        Json::Bool(value)
    }
}

impl From<i64> for Json {
    fn from(value: i64) -> Json {
        Json::Int(value)
    }
}

impl From<&str> for Json {
    fn from(value: &str) -> Json {
        Json::Text(value.to_owned())
    }
}

impl From<String> for Json {
    fn from(value: String) -> Json {
        Json::Text(value)
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(value: Vec<T>) -> Json {
        Json::List(value.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Json {
        value.map_or(Json::Null, Into::into)
    }
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for one in text.chars() {
        match one {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            one if (one as u32) < 0x20 => write!(out, "\\u{:04x}", one as u32).unwrap(),
            one => out.push(one),
        }
    }
    out.push('"');
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn blank(&mut self) {
        while self.text.get(self.at).map_or(false, u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn take(&mut self, word: &str) -> Option<()> {
        self.text[self.at..].starts_with(word.as_bytes()).then(|| self.at += word.len())
    }

    fn next(&mut self) -> Option<u8> {
        self.blank();
        self.text.get(self.at).copied()
    }

    fn value(&mut self) -> Option<Json> {
        match self.next()? {
            b'n' => self.take("null").map(|()| Json::Null),
            b't' => self.take("true").map(|()| Json::Bool(true)),
            b'f' => self.take("false").map(|()| Json::Bool(false)),
            b'"' => self.string().map(Json::Text),
            b'[' => self.items(b']', Parser::value).map(Json::List),
            b'{' => self
                .items(b'}', |parser| {
                    parser.next()?;
                    let name = parser.string()?;
                    (parser.next()? == b':').then(|| parser.at += 1)?;
                    Some((name, parser.value()?))
                })
                .map(Json::Object),
            _ => self.number(),
        }
    }

    fn items<T>(&mut self, end: u8, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut found = Vec::new();
        self.at += 1;
        if self.next()? == end {
            self.at += 1;
            return Some(found);
        }
        loop {
            found.push(item(self)?);
            let after = self.next()?;
            self.at += 1;
            match after {
                b',' => {}
                after if after == end => return Some(found),
                _ => return None,
            }
        }
    }

    fn number(&mut self) -> Option<Json> {
        let start = self.at;
        while self.text.get(self.at).map_or(false, |one| one.is_ascii_digit() || b"+-.eE".contains(one)) {
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.text[start..self.at]).ok()?;
        text.parse().map(Json::Int).or_else(|_| text.parse().map(Json::Float)).ok()
    }

    fn string(&mut self) -> Option<String> {
        self.take("\"")?;
        let mut found = Vec::new();
        loop {
            let one = *self.text.get(self.at)?;
            self.at += 1;
            match one {
                b'"' => return String::from_utf8(found).ok(),
                b'\\' => {
                    let escape = *self.text.get(self.at)?;
                    self.at += 1;
                    let plain = match escape {
                        b'n' => '\n',
                        b't' => '\t',
                        b'r' => '\r',
                        b'b' => '\u{8}',
                        b'f' => '\u{c}',
                        b'u' => self.unicode()?,
                        other => other as char,
                    };
                    found.extend_from_slice(plain.encode_utf8(&mut [0; 4]).as_bytes());
                }
                one => found.push(one),
            }
        }
    }

    fn unit(&mut self) -> Option<u32> {
        let digits = std::str::from_utf8(self.text.get(self.at..self.at + 4)?).ok()?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }

    fn unicode(&mut self) -> Option<char> {
        let first = self.unit()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        self.take("\\u")?;
        let second = self.unit()?.checked_sub(0xdc00)?;
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + second)
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 of RFC 4648, section 4, with padding.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity((bytes.len() + 2) / 3 * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * at) & 63) as usize] as char;
            out.push(if at > chunk.len() { '=' } else { digit });
        }
    }
    out
}

/// The bytes. None: it is no Base64.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for chunk in text.trim_end_matches('=').as_bytes().chunks(4) {
        let mut word = 0u32;
        for digit in chunk {
            word = word << 6 | DIGITS.iter().position(|one| one == digit)? as u32;
        }
        word <<= 6 * (4 - chunk.len());
        out.extend_from_slice(&word.to_be_bytes()[1..chunk.len().max(1)]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (plain, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(encode(plain.as_bytes()), coded);
            assert_eq!(decode(coded).unwrap(), plain.as_bytes());
        }
        assert_eq!(decode("a?=="), None);
    }

    #[test]
    fn json_is_written_as_it_was_read() {
        for text in ["null", "[1,-2,true,\"a\\\"\\\\\"]", "{\"a\":{},\"b\":[[]]}", "1.5", "\"\\u0001\u{e9}\""] {
            let mut out = String::new();
            Json::parse(text).unwrap().write(&mut out);
            assert_eq!(out, text);
        }
        assert_eq!(Json::parse("\"\\ud83d\\ude00\\n\""), Some(Json::Text("\u{1f600}\n".into())));
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for text in ["", "[1", "{\"a\"}", "nul", "1 2", "\"a", "[1;2]"] {
            assert_eq!(Json::parse(text), None, "{text}");
        }
    }
}

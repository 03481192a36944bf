//! The key-value store and the object store, as a flow sees them.

use crate::json::{decode, encode, Json};
use crate::{Env, Error};

/// What `get` returned; a flow hands it back as it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// The key must be absent.
    Absent,
    /// The key must be present.
    Exists,
    /// The value must be the one that `get` returned with this.
    Value(String),
}

impl Predicate {
    /// The predicate of a value that the flow itself has written: lakeproof's store compares values.
    pub fn of(value: &[u8]) -> Predicate {
        Predicate::Value(encode(value))
    }

    fn json(&self) -> Json {
        match self {
            Predicate::Absent => Json::Null,
            Predicate::Exists => Json::Object(vec![("exists".into(), true.into())]),
            Predicate::Value(token) => Json::Object(vec![("value".into(), token.clone().into())]),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ValueWithPredicate {
    pub value: Vec<u8>,
    pub predicate: Predicate,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub key: Vec<u8>,
    pub value: Vec<u8>,
}

/// One atomic piece of a scan.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    pub entries: Vec<Entry>,
    pub more: bool,
}

/// The key-value store. Each call is one effect.
pub trait Store {
    /// `not_found` if there is no value.
    #[track_caller]
    fn get(&self, partition: &[u8], key: &[u8]) -> Result<ValueWithPredicate, Error>;
    #[track_caller]
    fn set(&self, partition: &[u8], key: &[u8], value: &[u8]) -> Result<(), Error>;
    /// `predicate_failed` if the key's value is not what the predicate says; nothing is written then.
    #[track_caller]
    fn set_if(&self, partition: &[u8], key: &[u8], value: &[u8], predicate: &Predicate) -> Result<(), Error>;
    /// An absent key is no error.
    #[track_caller]
    fn delete(&self, partition: &[u8], key: &[u8]) -> Result<(), Error>;
    /// One batch of a scan: entries from a key on, in ascending byte order, at most `limit` of them (0: all).
    #[track_caller]
    fn scan_batch(&self, partition: &[u8], start: &[u8], limit: usize) -> Result<Batch, Error>;

    /// All entries from a key on. Not a snapshot: writes may fall between two batches. One effect per batch.
    fn scan<'a>(&'a self, partition: &[u8], start: &[u8], limit: usize) -> Entries<'a, Self>
    where
        Self: Sized,
    {
        Entries {
            store: self,
            partition: partition.into(),
            start: start.into(),
            limit,
            batch: Vec::new().into_iter(),
            more: true,
        }
    }
}

/// The iterator of a scan; it ends after an error.
pub struct Entries<'a, S: Store> {
    store: &'a S,
    partition: Vec<u8>,
    start: Vec<u8>,
    limit: usize,
    batch: std::vec::IntoIter<Entry>,
    more: bool,
}

impl<S: Store> Iterator for Entries<'_, S> {
    type Item = Result<Entry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(entry) = self.batch.next() {
                self.start = [&entry.key[..], &[0]].concat();
                return Some(Ok(entry));
            }
            if !self.more {
                return None;
            }
            match self.store.scan_batch(&self.partition, &self.start, self.limit) {
                Ok(batch) => {
                    self.more = batch.more;
                    self.batch = batch.entries.into_iter();
                }
                Err(error) => {
                    self.more = false;
                    return Some(Err(error));
                }
            }
        }
    }
}

fn at(partition: &[u8], key: &[u8]) -> Vec<(&'static str, Json)> {
    vec![("partition", encode(partition).into()), ("key", encode(key).into())]
}

fn bytes(reply: &Json, name: &str) -> Vec<u8> {
    reply.get(name).text().and_then(decode).unwrap_or_else(|| panic!("the reply has no {name}: {reply:?}"))
}

impl Store for Env {
    fn get(&self, partition: &[u8], key: &[u8]) -> Result<ValueWithPredicate, Error> {
        let reply = self.ask("get", at(partition, key))?;
        let token = reply.get("predicate").text().unwrap_or_default().to_owned();
        Ok(ValueWithPredicate { value: bytes(&reply, "value"), predicate: Predicate::Value(token) })
    }

    fn set(&self, partition: &[u8], key: &[u8], value: &[u8]) -> Result<(), Error> {
        let mut fields = at(partition, key);
        fields.push(("value", encode(value).into()));
        self.ask("set", fields).map(|_| ())
    }

    fn set_if(&self, partition: &[u8], key: &[u8], value: &[u8], predicate: &Predicate) -> Result<(), Error> {
        let mut fields = at(partition, key);
        fields.push(("value", encode(value).into()));
        fields.push(("predicate", predicate.json()));
        self.ask("set_if", fields).map(|_| ())
    }

    fn delete(&self, partition: &[u8], key: &[u8]) -> Result<(), Error> {
        self.ask("delete", at(partition, key)).map(|_| ())
    }

    fn scan_batch(&self, partition: &[u8], start: &[u8], limit: usize) -> Result<Batch, Error> {
        let reply = self.ask(
            "scan",
            vec![
                ("partition", encode(partition).into()),
                ("start", encode(start).into()),
                ("limit", (limit as i64).into()),
            ],
        )?;
        let entries = reply.get("entries").list().iter();
        Ok(Batch {
            entries: entries.map(|entry| Entry { key: bytes(entry, "key"), value: bytes(entry, "value") }).collect(),
            more: *reply.get("more") == Json::Bool(true),
        })
    }
}

/// String to string.
pub type Metadata = Vec<(String, String)>;

/// What is known of an object without its content. A listing tells no metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    pub address: String,
    pub size_bytes: i64,
    pub etag: String,
    /// Microseconds since 1970.
    pub last_modified: i64,
    pub metadata: Metadata,
    pub metageneration: i64,
    pub version: String,
}

/// Conditions of a put; the default has none. `not_after`: microseconds since 1970.
#[derive(Clone, Debug, Default)]
pub struct PutOptions {
    pub if_absent: bool,
    pub if_match: Option<String>,
    pub not_after: Option<i64>,
}

/// Conditions of a copy; the default has none, and keeps the metadata of the source.
#[derive(Clone, Debug, Default)]
pub struct CopyOptions {
    pub metadata: Option<Metadata>,
    pub if_match: Option<String>,
    pub not_after: Option<i64>,
}

/// Conditions of a change of metadata; the default has none.
#[derive(Clone, Debug, Default)]
pub struct SetMetadataOptions {
    pub if_metageneration: Option<i64>,
    pub if_version: Option<String>,
}

/// One page of a listing.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    pub heads: Vec<Head>,
    pub more: bool,
}

/// The object store, in the shape of the crate `object_store`. Each call is one effect.
pub trait Objects {
    /// `precondition_failed`, `expired`.
    #[track_caller]
    fn put(&self, address: &str, content: &[u8], metadata: Metadata, options: PutOptions) -> Result<(), Error>;
    /// The content. `object_not_found`.
    #[track_caller]
    fn get_object(&self, address: &str) -> Result<Vec<u8>, Error>;
    /// `object_not_found`.
    #[track_caller]
    fn head(&self, address: &str) -> Result<Head, Error>;
    /// `object_not_found`, `precondition_failed`, `expired`.
    #[track_caller]
    fn copy(&self, source: &str, destination: &str, options: CopyOptions) -> Result<(), Error>;
    /// `object_not_found`, `precondition_failed`.
    #[track_caller]
    fn set_metadata(&self, address: &str, metadata: Metadata, options: SetMetadataOptions) -> Result<(), Error>;
    /// An absent object is no error.
    #[track_caller]
    fn delete_object(&self, address: &str) -> Result<(), Error>;
    /// Heads of the addresses with a prefix that come after another one, at most `limit` of them (0: all).
    #[track_caller]
    fn list(&self, prefix: &str, after: &str, limit: usize) -> Result<Page, Error>;
}

fn object(metadata: Metadata) -> Json {
    Json::Object(metadata.into_iter().map(|(name, value)| (name, value.into())).collect())
}

fn head_of(told: &Json) -> Head {
    let text = |name: &str| told.get(name).text().unwrap_or_default().to_owned();
    let int = |name: &str| told.get(name).int().unwrap_or_default();
    let metadata = match told.get("metadata") {
        Json::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), value.text().unwrap_or_default().to_owned())).collect()
        }
        _ => Vec::new(),
    };
    Head {
        address: text("address"),
        size_bytes: int("size_bytes"),
        etag: text("etag"),
        last_modified: int("last_modified"),
        metadata,
        metageneration: int("metageneration"),
        version: text("version"),
    }
}

impl Objects for Env {
    fn put(&self, address: &str, content: &[u8], metadata: Metadata, options: PutOptions) -> Result<(), Error> {
        let fields = vec![
            ("address", address.into()),
            ("content", encode(content).into()),
            ("metadata", object(metadata)),
            ("if_absent", options.if_absent.into()),
            ("if_match", options.if_match.into()),
            ("not_after", options.not_after.into()),
        ];
        self.ask("put_object", fields).map(|_| ())
    }

    fn get_object(&self, address: &str) -> Result<Vec<u8>, Error> {
        self.ask("get_object", vec![("address", address.into())]).map(|reply| bytes(&reply, "content"))
    }

    fn head(&self, address: &str) -> Result<Head, Error> {
        self.ask("head_object", vec![("address", address.into())]).map(|reply| head_of(&reply))
    }

    fn copy(&self, source: &str, destination: &str, options: CopyOptions) -> Result<(), Error> {
        let fields = vec![
            ("source", source.into()),
            ("destination", destination.into()),
            ("metadata", options.metadata.map_or(Json::Null, object)),
            ("if_match", options.if_match.into()),
            ("not_after", options.not_after.into()),
        ];
        self.ask("copy_object", fields).map(|_| ())
    }

    fn set_metadata(&self, address: &str, metadata: Metadata, options: SetMetadataOptions) -> Result<(), Error> {
        let fields = vec![
            ("address", address.into()),
            ("metadata", object(metadata)),
            ("if_metageneration", options.if_metageneration.into()),
            ("if_version", options.if_version.into()),
        ];
        self.ask("set_metadata", fields).map(|_| ())
    }

    fn delete_object(&self, address: &str) -> Result<(), Error> {
        self.ask("delete_object", vec![("address", address.into())]).map(|_| ())
    }

    fn list(&self, prefix: &str, after: &str, limit: usize) -> Result<Page, Error> {
        let fields = vec![("prefix", prefix.into()), ("after", after.into()), ("limit", (limit as i64).into())];
        let reply = self.ask("list_objects", fields)?;
        let heads = reply.get("heads").list().iter().map(head_of).collect();
        Ok(Page { heads, more: *reply.get("more") == Json::Bool(true) })
    }
}

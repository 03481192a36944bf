//! A counter that loses updates, and one that does not; and one flow for each other effect.

use lakeproof_flow::{
    encode, serve, Args, CopyOptions, Env, Error, Json, Objects, Predicate, PutOptions, SetMetadataOptions, Store,
};

const PARTITION: &[u8] = b"counters";
const KEY: &[u8] = b"visits";

fn read(store: &impl Store) -> Result<(i64, Predicate), Error> {
    match store.get(PARTITION, KEY) {
        Ok(found) => Ok((String::from_utf8_lossy(&found.value).parse().expect("a number"), found.predicate)),
        Err(error) if error.is("not_found") => Ok((0, Predicate::Absent)),
        Err(error) => Err(error),
    }
}

/// Reads, adds one, and writes.
fn increment(env: &Env, _: &Args) -> Result<Json, Error> {
    let (value, _) = read(env)?;
    env.set(PARTITION, KEY, (value + 1).to_string().as_bytes())?;
    Ok((value + 1).into())
}

/// Writes only if the value is still the one that it has read, and tries three times.
fn increment_if(env: &Env, _: &Args) -> Result<Json, Error> {
    for _ in 0..3 {
        let (value, predicate) = read(env)?;
        match env.set_if(PARTITION, KEY, (value + 1).to_string().as_bytes(), &predicate) {
            Err(error) if error.is("predicate_failed") => continue,
            done => return done.map(|()| (value + 1).into()),
        }
    }
    Err(Error::definite("refused", ""))
}

/// Writes a fresh identifier and the time, and lists what is there.
fn mark(env: &Env, args: &Args) -> Result<Json, Error> {
    let id = env.unique(args.text(0));
    env.set(b"marks", id.as_bytes(), env.now().to_string().as_bytes())?;
    let limit = args.option("limit").int().unwrap_or(0) as usize;
    let mut names = Vec::new();
    for entry in env.scan(b"marks", b"", limit) {
        names.push(String::from_utf8_lossy(&entry?.key).into_owned());
    }
    Ok(Json::List(vec![id.into(), names.into()]))
}

fn sweep(env: &Env, _: &Args) -> Result<Json, Error> {
    for entry in env.scan(b"marks", b"", 0) {
        env.delete(b"marks", &entry?.key)?;
    }
    Ok(Json::Null)
}

/// Every effect on objects.
fn upload(env: &Env, args: &Args) -> Result<Json, Error> {
    let (address, copy) = (args.text(0), format!("{}.copy", args.text(0)));
    let pairs = |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    env.put(address, b"hello", pairs(&[("a", "1"), ("b", "2")]), PutOptions { if_absent: true, ..Default::default() })?;
    let head = env.head(address)?;
    env.copy(address, &copy, CopyOptions { if_match: Some(head.etag.clone()), ..Default::default() })?;
    env.set_metadata(&copy, pairs(&[("c", "3")]), SetMetadataOptions { if_metageneration: Some(1), if_version: None })?;
    let found: Vec<String> = env.list(address, "", 0)?.heads.into_iter().map(|head| head.address).collect();
    env.delete_object(address)?;
    let content = encode(&env.get_object(&copy)?);
    Ok(Json::Object(vec![
        ("content".into(), content.into()),
        ("etag".into(), head.etag.into()),
        ("found".into(), found.into()),
    ]))
}

/// Writes, and fails with an error of this kind; without one, by a panic.
fn fail(env: &Env, args: &Args) -> Result<Json, Error> {
    env.set(b"p", b"k", b"v")?;
    match args.positional.get(1) {
        Some(Json::Bool(true)) => Err(Error::definite(args.text(0), "its message")),
        Some(Json::Bool(false)) => Err(Error::indefinite(args.text(0), "its message")),
        _ => panic!("its message"),
    }
}

/// Writes on its way out, also where it is dropped: that never takes place.
struct Cleanup<'a>(&'a Env);

impl Drop for Cleanup<'_> {
    fn drop(&mut self) {
        let _ = self.0.delete(b"locks", b"lock");
    }
}

fn locked(env: &Env, _: &Args) -> Result<Json, Error> {
    env.set_if(b"locks", b"lock", b"held", &Predicate::Absent)?;
    let _cleanup = Cleanup(env);
    env.set(PARTITION, KEY, b"1")?;
    Ok(Json::Null)
}

fn main() {
    serve(&[
        ("increment", increment),
        ("increment_if", increment_if),
        ("mark", mark),
        ("sweep", sweep),
        ("upload", upload),
        ("fail", fail),
        ("locked", locked),
    ]);
}

//! Flows in Rust under lakeproof: the protocol `flow:`, version 1, on stdin and stdout.
//!
//! A flow is a function of an [`Env`] and its arguments. It touches the world only through the traits [`Store`] and
//! [`Objects`], which `Env` implements: they are synchronous, because lakeproof runs one effect at a time anyway. Code that
//! is generic over them runs on a real store as well.
//!
//! ```no_run
//! use lakeproof_flow::{serve, Args, Env, Error, Json, Store};
//!
//! fn increment(env: &Env, _: &Args) -> Result<Json, Error> {
//!     let value = match env.get(b"counters", b"visits") {
//!         Ok(found) => String::from_utf8(found.value).unwrap().parse().unwrap(),
//!         Err(error) if error.is("not_found") => 0,
//!         Err(error) => return Err(error),
//!     };
//!     env.set(b"counters", b"visits", (value + 1i64).to_string().as_bytes())?;
//!     Ok((value + 1).into())
//! }
//!
//! serve(&[("increment", increment)]);
//! ```
//!
//! A flow must be a function of its arguments and of the replies to its effects: no clock, no random numbers, no order of
//! hash maps, no threads. A flow that lakeproof drops is unwound; build with `panic = "unwind"`, which is the default.

mod effects;
mod json;

pub use effects::{
    Batch, CopyOptions, Entries, Entry, Head, Metadata, Objects, Page, Predicate, PutOptions, SetMetadataOptions,
    Store, ValueWithPredicate,
};
pub use json::{decode, encode, Json};

use std::cell::RefCell;
use std::fmt;
use std::io::{BufRead, Write};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe, Location};
use std::process::exit;

/// What a store answered, or a flow raises, instead of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    pub kind: String,
    /// Whether the call did not take place. None: a mistake in the flow.
    pub definite: Option<bool>,
    pub message: String,
}

impl Error {
    /// An error after which nothing has happened.
    pub fn definite(kind: &str, message: &str) -> Error {
        Error { kind: kind.into(), definite: Some(true), message: message.into() }
    }

    /// An error after which the call may have taken place, or not.
    pub fn indefinite(kind: &str, message: &str) -> Error {
        Error { kind: kind.into(), definite: Some(false), message: message.into() }
    }

    pub fn is(&self, kind: &str) -> bool {
        self.kind == kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.kind, self.message)
    }
}

impl std::error::Error for Error {}

/// One operation.
pub type Flow = fn(&Env, &Args) -> Result<Json, Error>;

/// The arguments of a call.
pub struct Args {
    /// Those without a name.
    pub positional: Vec<Json>,
    named: Json,
}

impl Args {
    /// The text at a position. Panics where there is none: the scenario is wrong then.
    pub fn text(&self, at: usize) -> &str {
        self.positional.get(at).and_then(Json::text).unwrap_or_else(|| panic!("argument {at} is no text"))
    }

    /// The argument of a name; null where there is none.
    pub fn option(&self, name: &str) -> &Json {
        self.named.get(name)
    }
}

/// All that a flow may touch.
pub struct Env {
    flow: i64,
    state: RefCell<State>,
}

struct State {
    effect: i64,
    dropped: bool,
}

struct Dropped;

impl Env {
    /// Microseconds since 1970.
    #[track_caller]
    pub fn now(&self) -> i64 {
        self.ask("now", Vec::new()).ok().and_then(|reply| reply.get("now").int()).expect("a time")
    }

    /// A fresh identifier of a kind; the same one on every run of the same client.
    #[track_caller]
    pub fn unique(&self, kind: &str) -> String {
        let reply = self.ask("unique", vec![("kind", kind.into())]);
        reply.ok().and_then(|reply| reply.get("id").text().map(str::to_owned)).expect("an identifier")
    }

    #[track_caller]
    pub(crate) fn ask(&self, op: &str, fields: Vec<(&str, Json)>) -> Result<Json, Error> {
        let mut state = self.state.borrow_mut();
        if state.dropped {
            if std::thread::panicking() {
                // A destructor of the flow goes on: nothing of it takes place. To unwind once more would abort.
                return Err(Error { kind: "dropped".into(), definite: None, message: String::new() });
            }
            resume_unwind(Box::new(Dropped));
        }
        state.effect += 1;
        let at = Location::caller();
        let file = at.file().rsplit('/').next().unwrap_or_default();
        let mut message: Vec<(&str, Json)> = vec![
            ("flow", self.flow.into()),
            ("effect", state.effect.into()),
            ("op", op.into()),
            ("at", format!("{file}:{}", at.line()).into()),
        ];
        message.extend(fields);
        say(message);
        let reply = hear();
        if *reply.get("reset") != Json::Null {
            state.dropped = true;
            drop(state);
            resume_unwind(Box::new(Dropped));
        }
        let error = reply.get("error");
        if *error == Json::Null {
            return Ok(reply.get("ok").clone());
        }
        Err(Error {
            kind: error.get("kind").text().unwrap_or_default().to_owned(),
            definite: Some(*error.get("definite") == Json::Bool(true)),
            message: String::new(),
        })
    }
}

fn say(message: Vec<(&str, Json)>) {
    let mut line = String::new();
    Json::Object(message.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()).write(&mut line);
    line.push('\n');
    let mut out = std::io::stdout().lock();
    if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
        exit(0);
    }
}

fn hear() -> Json {
    let mut line = String::new();
    match std::io::stdin().lock().read_line(&mut line) {
        Ok(0) | Err(_) => exit(0), // lakeproof has ended
        Ok(_) => Json::parse(&line).unwrap_or_else(|| {
            eprintln!("flow: {line:?} is no JSON");
            exit(2)
        }),
    }
}

/// Runs the flows that lakeproof asks for, by name, until stdin ends. Nothing else may write to stdout.
pub fn serve(flows: &[(&str, Flow)]) -> ! {
    hear();
    say(vec![("protocol", "flow:".into()), ("version", 1.into())]);
    loop {
        let told = hear();
        if *told.get("reset") != Json::Null {
            say(vec![("reset", told.get("reset").clone())]);
            continue;
        }
        let flow = told.get("start").int().expect("the number of a flow");
        let env = Env { flow, state: RefCell::new(State { effect: 0, dropped: false }) };
        let ended = run(flows, &told, &env);
        if env.state.borrow().dropped {
            say(vec![("reset", flow.into())]);
            continue;
        }
        match ended {
            Ok(value) => say(vec![("flow", flow.into()), ("returns", value)]),
            Err(error) => {
                let raises = vec![
                    ("kind".to_owned(), error.kind.into()),
                    ("definite".to_owned(), error.definite.into()),
                    ("message".to_owned(), error.message.into()),
                ];
                say(vec![("flow", flow.into()), ("raises", Json::Object(raises))]);
            }
        }
    }
}

fn run(flows: &[(&str, Flow)], told: &Json, env: &Env) -> Result<Json, Error> {
    let mistake = |kind: &str, message: String| Error { kind: kind.into(), definite: None, message };
    let name = told.get("call").text().unwrap_or_default();
    let flow = match flows.iter().find(|(known, _)| *known == name) {
        Some((_, flow)) => flow,
        None => {
            let names = flows.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(", ");
            let message = format!("{name}: this program has no such flow, but {names}");
            return Err(mistake("no_such_flow", message));
        }
    };
    let args = Args { positional: told.get("args").list().to_vec(), named: told.get("options").clone() };
    catch_unwind(AssertUnwindSafe(|| flow(env, &args))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(mistake("panic", text.unwrap_or_default()))
    })
}

// A counter that loses updates, and one that does not; and one flow for each other effect.

import { FlowError, serve } from "../flow.js";

const PLACE = ["counters", "visits"];

/** Reads, adds one, and writes. */
async function increment(env) {
  const found = await env.store.find(...PLACE);
  const value = Number(found?.value ?? 0) + 1;
  await env.store.set(...PLACE, String(value));
  return value;
}

/** Writes only if the value is still the one that it has read, and tries three times. */
async function incrementIf(env) {
  for (let tries = 0; tries < 3; tries += 1) {
    const found = await env.store.find(...PLACE);
    const value = Number(found?.value ?? 0) + 1;
    try {
      await env.store.setIf(...PLACE, String(value), found?.predicate ?? null);
      return value;
    } catch (error) {
      if (error.kind !== "predicate_failed") {
        throw error;
      }
    }
  }
  throw new FlowError("refused", true);
}

/** Writes a fresh identifier and the time, and lists what is there. */
async function mark(env, kind, { limit = 0 }) {
  const id = await env.unique(kind);
  await env.store.set("marks", id, String(await env.now()));
  const names = [];
  for await (const entry of env.store.scan("marks", { limit })) {
    names.push(entry.key.toString());
  }
  return [id, names];
}

async function sweep(env) {
  for await (const entry of env.store.scan("marks")) {
    await env.store.delete("marks", entry.key);
  }
}

/** Every effect on objects. */
async function upload(env, address) {
  const copy = `${address}.copy`;
  await env.objects.put(address, "hello", { metadata: { b: "2", a: "1" }, ifAbsent: true });
  const head = await env.objects.head(address);
  await env.objects.copy(address, copy, { ifMatch: head.etag });
  await env.objects.setMetadata(copy, { c: "3" }, { ifMetageneration: 1 });
  const found = [];
  for await (const each of env.objects.list(address)) {
    found.push(each.address);
  }
  await env.objects.delete(address);
  return { content: (await env.objects.get(copy)).toString("base64"), etag: head.etag, found };
}

/** Writes, and fails with an error of this kind; without one, by an exception that is no answer. */
async function fail(env, kind, definite) {
  await env.store.set("p", "k", "v");
  if (typeof definite === "boolean") {
    throw new FlowError(kind, definite, "its message");
  }
  throw new TypeError("its message");
}

/** Deletes its lock in any case; where it is dropped, that never takes place. */
async function locked(env) {
  await env.store.setIf("locks", "lock", "held", null);
  try {
    await env.store.set(...PLACE, "1");
  } finally {
    await env.store.delete("locks", "lock");
  }
}

await serve({ increment, increment_if: incrementIf, mark, sweep, upload, fail, locked });

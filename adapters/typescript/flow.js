// Flows in JavaScript under lakeproof: the protocol flow:, version 1, on stdin and stdout. Types are in flow.d.ts.
//
// A flow is an async function of an env and its arguments, and touches the world only through env. It must be a function of
// its arguments and of the replies to its effects: no clock, no random numbers, no timers. It asks for one effect at a time.
// A flow that lakeproof drops stays suspended for ever: nothing of it runs any more.

import { basename } from "node:path";
import { fileURLToPath } from "node:url";

/** What a store answered, or a flow raises, instead of a result. definite: the call did not take place. */
export class FlowError extends Error {
  constructor(kind, definite, message = "") {
    super(message);
    this.name = "FlowError";
    this.kind = kind;
    this.definite = definite;
  }
}

/** The predicate that holds where the key is present, whatever its value. */
export const EXISTS = Object.freeze({ exists: true });

/** The predicate of a value that the flow itself has written: lakeproof's store compares values. */
export function predicateOf(value) {
  return Object.freeze({ value: coded(value) });
}

const HERE = fileURLToPath(import.meta.url);

function coded(value) {
  return value === null ? null : Buffer.from(value).toString("base64");
}

function decoded(text) {
  return Buffer.from(text, "base64");
}

/** FILE:LINE of the code of a flow that made an Error. */
function place(stack) {
  for (const line of String(stack).split("\n").slice(1)) {
    const found = /(?:file:\/\/)?(\/[^()]*?):(\d+):\d+\)?$/.exec(line);
    if (found && decodeURI(found[1]) !== HERE && !line.includes("node:")) {
      return `${basename(decodeURI(found[1]))}:${found[2]}`;
    }
  }
  return undefined;
}

class Env {
  #wire;
  #flow;
  #effect = 0;
  /** The reply to the effect that is open. */
  pending = null;
  dropped = false;

  constructor(wire, flow) {
    this.#wire = wire;
    this.#flow = flow;
    this.store = new Store((op, fields) => this.#ask(op, fields));
    this.objects = new Objects((op, fields) => this.#ask(op, fields));
  }

  async now() {
    return (await this.#ask("now", {})).now;
  }

  async unique(kind) {
    return (await this.#ask("unique", { kind })).id;
  }

  async #ask(op, fields) {
    if (this.dropped) {
      return new Promise(() => {}); // nothing of it takes place
    }
    if (this.pending) {
      throw new Error(`${op}: another effect is open; await it first`);
    }
    this.#effect += 1;
    this.#wire.say({ flow: this.#flow, effect: this.#effect, op, at: place(new Error().stack), ...fields });
    this.pending = this.#wire.hear();
    const reply = await this.pending;
    if ("reset" in reply) {
      this.dropped = true;
      this.#wire.dropped(reply);
      return new Promise(() => {});
    }
    if (this.dropped) {
      return new Promise(() => {}); // the flow has ended meanwhile
    }
    this.pending = null;
    if ("error" in reply) {
      throw new FlowError(reply.error.kind, reply.error.definite);
    }
    return reply.ok;
  }
}

class Store {
  #ask;

  constructor(ask) {
    this.#ask = ask;
  }

  async get(partition, key) {
    const found = await this.#ask("get", { partition: coded(partition), key: coded(key) });
    return { value: decoded(found.value), predicate: Object.freeze({ value: found.predicate }) };
  }

  /** `get`; null if there is no value. */
  async find(partition, key) {
    try {
      return await this.get(partition, key);
    } catch (error) {
      if (error instanceof FlowError && error.kind === "not_found") {
        return null;
      }
      throw error;
    }
  }

  async set(partition, key, value) {
    await this.#ask("set", { partition: coded(partition), key: coded(key), value: coded(value) });
  }

  async setIf(partition, key, value, predicate) {
    await this.#ask("set_if", { partition: coded(partition), key: coded(key), value: coded(value), predicate });
  }

  async delete(partition, key) {
    await this.#ask("delete", { partition: coded(partition), key: coded(key) });
  }

  async *scan(partition, { start = "", limit = 0 } = {}) {
    let from = Buffer.from(start);
    for (let more = true; more; ) {
      const batch = await this.#ask("scan", { partition: coded(partition), start: coded(from), limit });
      for (const entry of batch.entries) {
        const key = decoded(entry.key);
        from = Buffer.concat([key, Buffer.from([0])]);
        yield { key, value: decoded(entry.value) };
      }
      more = batch.more;
    }
  }
}

function headOf(told) {
  return {
    address: told.address,
    sizeBytes: told.size_bytes,
    etag: told.etag,
    lastModified: told.last_modified,
    metadata: told.metadata,
    metageneration: told.metageneration,
    version: told.version,
  };
}

class Objects {
  #ask;

  constructor(ask) {
    this.#ask = ask;
  }

  async put(address, content, { metadata = {}, ifAbsent = false, ifMatch = null, notAfter = null } = {}) {
    const conditions = { if_absent: ifAbsent, if_match: ifMatch, not_after: notAfter };
    await this.#ask("put_object", { address, content: coded(content), metadata, ...conditions });
  }

  async get(address) {
    return decoded((await this.#ask("get_object", { address })).content);
  }

  async head(address) {
    return headOf(await this.#ask("head_object", { address }));
  }

  async copy(source, destination, options = {}) {
    const { metadata = null, ifMatch = null, notAfter = null, ifAbsent = false, ifDestinationMatch = null } = options;
    const ofSource = { metadata, if_match: ifMatch };
    const ofDestination = { if_absent: ifAbsent, if_destination_match: ifDestinationMatch, not_after: notAfter };
    await this.#ask("copy_object", { source, destination, ...ofSource, ...ofDestination });
  }

  async setMetadata(address, metadata, { ifMetageneration = null, ifVersion = null } = {}) {
    const conditions = { if_metageneration: ifMetageneration, if_version: ifVersion };
    await this.#ask("set_metadata", { address, metadata, ...conditions });
  }

  async delete(address, { ifMatch = null } = {}) {
    await this.#ask("delete_object", { address, if_match: ifMatch });
  }

  async *list(prefix = "", { limit = 0 } = {}) {
    let after = "";
    for (let more = true; more; ) {
      const page = await this.#ask("list_objects", { prefix, after, limit });
      for (const head of page.heads) {
        after = head.address;
        yield headOf(head);
      }
      more = page.more;
    }
  }
}

/** JSON.parse rounds what does not fit into a double, and JSON.stringify makes null of NaN: both are other values. */
function exact(_, value) {
  if (typeof value === "number" && (Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value))) {
    console.error(`flow: ${value}: expected a number that JavaScript and JSON keep as it is; pass it as text`);
    process.exit(2);
  }
  return value;
}

/** Lines in and out. */
class Wire {
  #lines = [];
  #waiting = [];
  #rest = "";
  #reset = null;

  constructor(input, write) {
    this.say = (message) => write(`${JSON.stringify(message, exact)}\n`);
    input.setEncoding("utf8");
    input.on("data", (chunk) => {
      const [first, ...more] = chunk.split("\n");
      const lines = [this.#rest + first, ...more];
      this.#rest = lines.pop();
      for (const line of lines) {
        const told = JSON.parse(line, exact);
        const waiting = this.#waiting.shift();
        if (waiting) {
          waiting(told);
        } else {
          this.#lines.push(told);
        }
      }
    });
    input.on("end", () => process.exit(0)); // lakeproof has ended
  }

  /** The next line. Also one that is here already comes only when the flow can do nothing without it. */
  hear() {
    return new Promise((resolve) => {
      if (this.#lines.length) {
        setImmediate(resolve, this.#lines.shift());
      } else {
        this.#waiting.push(resolve);
      }
    });
  }

  /** What ends when the flow is dropped. */
  untilDropped() {
    return new Promise((resolve) => {
      this.#reset = resolve;
    });
  }

  dropped(told) {
    this.#reset(told);
  }
}

async function ended(flows, told, env) {
  const last = await settled(flows, told, env);
  if (!env.pending) {
    return last;
  }
  env.dropped = true; // what follows on that effect takes no place
  await env.pending; // a line before the reply would be out of turn
  return { raises: { kind: "Error", definite: null, message: "the flow ended while an effect was open: await each one" } };
}

async function settled(flows, told, env) {
  const flow = Object.hasOwn(flows, told.call) ? flows[told.call] : undefined;
  if (flow === undefined) {
    const message = `${told.call}: this program has no such flow, but ${Object.keys(flows).join(", ")}`;
    return { raises: { kind: "no_such_flow", definite: null, message } };
  }
  try {
    return { returns: (await flow(env, ...told.args, told.options)) ?? null };
  } catch (error) {
    if (error instanceof FlowError) {
      return { raises: { kind: error.kind, definite: error.definite, message: error.message } };
    }
    return { raises: { kind: error?.name ?? "error", definite: null, message: String(error?.message ?? error) }, at: place(error?.stack) };
  }
}

/** Run the flows that lakeproof asks for, by name, until stdin ends. What they log goes to stderr. */
export async function serve(flows) {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  const wire = new Wire(process.stdin, write);
  await wire.hear();
  wire.say({ protocol: "flow:", version: 1 });
  for (;;) {
    const told = await wire.hear();
    if ("reset" in told) {
      wire.say(told);
      continue;
    }
    const env = new Env(wire, told.start);
    const dropped = wire.untilDropped();
    const last = await Promise.race([ended(flows, told, env), dropped]);
    wire.say("reset" in last ? last : { flow: told.start, ...last });
  }
}

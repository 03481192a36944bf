// The types of flow.js.

export type Bytes = string | Uint8Array;
export type Metadata = Record<string, string>;

/** What get returned; a flow hands it back as it is. null: the key must be absent. */
export type Predicate = { readonly value: string } | { readonly exists: true } | null;

/** What a store answered, or a flow raises, instead of a result. definite: the call did not take place. */
export class FlowError extends Error {
  readonly kind: string;
  readonly definite: boolean;
  constructor(kind: string, definite: boolean, message?: string);
}

export const EXISTS: { readonly exists: true };
/** The predicate of a value that the flow itself has written: lakeproof's store compares values. */
export function predicateOf(value: Bytes): Predicate;

export interface Found {
  value: Buffer;
  predicate: Predicate;
}

export interface Entry {
  key: Buffer;
  value: Buffer;
}

/** The key-value store. Each call is one effect; each batch of a scan is another. */
export interface Store {
  /** "not_found" if there is no value. */
  get(partition: Bytes, key: Bytes): Promise<Found>;
  /** `get`; null if there is no value. */
  find(partition: Bytes, key: Bytes): Promise<Found | null>;
  set(partition: Bytes, key: Bytes, value: Bytes): Promise<void>;
  /** "predicate_failed" if the key's value is not what the predicate says; nothing is written then. */
  setIf(partition: Bytes, key: Bytes, value: Bytes, predicate: Predicate): Promise<void>;
  /** An absent key is no error. */
  delete(partition: Bytes, key: Bytes): Promise<void>;
  /** Not a snapshot: writes may fall between two batches. limit: of a batch; 0: all. */
  scan(partition: Bytes, options?: { start?: Bytes; limit?: number }): AsyncGenerator<Entry>;
}

/** What is known of an object without its content. A listing tells no metadata. Times: microseconds since 1970. */
export interface Head {
  address: string;
  sizeBytes: number;
  etag: string;
  lastModified: number;
  metadata: Metadata;
  metageneration: number;
  version: string;
}

/** The object store. Each call is one effect; each page of a listing is another. */
export interface Objects {
  put(
    address: string,
    content: Bytes,
    options?: { metadata?: Metadata; ifAbsent?: boolean; ifMatch?: string | null; notAfter?: number | null },
  ): Promise<void>;
  get(address: string): Promise<Buffer>;
  head(address: string): Promise<Head>;
  copy(
    source: string,
    destination: string,
    options?: {
      metadata?: Metadata | null;
      ifMatch?: string | null;
      ifAbsent?: boolean;
      ifDestinationMatch?: string | null;
      notAfter?: number | null;
    },
  ): Promise<void>;
  setMetadata(
    address: string,
    metadata: Metadata,
    options?: { ifMetageneration?: number | null; ifVersion?: string | null },
  ): Promise<void>;
  delete(address: string, options?: { ifMatch?: string | null }): Promise<void>;
  list(prefix?: string, options?: { limit?: number }): AsyncGenerator<Head>;
}

/** All that a flow may touch. */
export interface Env {
  readonly store: Store;
  readonly objects: Objects;
  /** Microseconds since 1970. */
  now(): Promise<number>;
  /** A fresh identifier of a kind; the same one on every run of the same client. */
  unique(kind: string): Promise<string>;
}

/** One operation: env, the arguments of the call, and last its named arguments. Its result must have a JSON. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Flow = (env: Env, ...args: any[]) => Promise<unknown>;

/** Run the flows that lakeproof asks for, by name, until stdin ends. What they log goes to stderr. */
export function serve(flows: Record<string, Flow>): Promise<never>;

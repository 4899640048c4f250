import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";

import { StoreError, type AuthStore, type PutOptions } from "@tenon/stores";

/** A value of a {@link Vault}. */
export interface Kept<T> {
  readonly value: T;
  /** Until when it is kept, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The result of a change: a value with its expiry, or none. */
export type Change<T> = Kept<T> | "delete" | "keep";

/**
 * Values that are useless without the keys of the operator: names are keyed hashes, and values are
 * encrypted and bound to their names.
 */
export interface Vault {
  get<T>(kind: string, id: string): Promise<Kept<T> | undefined>;
  put<T>(kind: string, id: string, kept: Kept<T>): Promise<void>;
  /** Writes a value unless there is one. Returns whether it was written. */
  add<T>(kind: string, id: string, kept: Kept<T>): Promise<boolean>;
  /** Removes a value. Only one caller gets it, in all processes. */
  take<T>(kind: string, id: string): Promise<Kept<T> | undefined>;
  /** Changes a value in one step, in all processes. `change` may run several times. */
  update<T>(
    kind: string,
    id: string,
    change: (before: Kept<T> | undefined) => Change<T>,
  ): Promise<Kept<T> | undefined>;
  delete(kind: string, id: string): Promise<void>;
  /** Waits for the lock of a name, where the store has locks. */
  lock(kind: string, id: string, signal: AbortSignal): Promise<AsyncDisposable>;
  /**
   * Checks that the values of the store belong to these keys.
   *
   * @throws `TypeError` if they belong to other keys.
   */
  check(scope: string): Promise<void>;
}

/** The keys that are derived from a secret of the operator. */
interface Key {
  readonly seal: Buffer;
  readonly name: Buffer;
}

/** How often a change is tried again when another process was faster. */
const maxAttempts = 50;
/** The end of values that do not end by themselves. */
export const never = 8_640_000_000_000_000;

/** Creates a {@link Vault} on a store. @param secrets - The newest first: it seals. */
export function createVault(store: AuthStore, secrets: readonly string[]): Vault {
  const keys = secrets.map(deriveKey);
  const [newest] = keys as [Key, ...Key[]];

  const nameOf = (key: Key, kind: string, id: string): string =>
    `broker:${createHmac("sha256", key.name).update(`${kind}\0${id}`).digest("base64url")}`;

  /** The value by the newest key that has one. */
  async function find<T>(kind: string, id: string): Promise<(Kept<T> & Place) | undefined> {
    for (const key of keys) {
      const name = nameOf(key, kind, id);
      const stored = await store.get(name);
      const kept = stored === undefined ? undefined : open<T>(key, name, stored.value);
      if (stored !== undefined && kept !== undefined) {
        return kept.expiresAt > Date.now()
          ? { ...kept, key, name, generation: stored.generation }
          : undefined;
      }
    }
    return undefined;
  }

  async function write<T>(
    kind: string,
    id: string,
    { value, expiresAt }: Kept<T>,
    before: Place | "absent" | undefined,
  ): Promise<boolean> {
    const name = nameOf(newest, kind, id);
    const moved = typeof before === "object" && before.key !== newest ? before : undefined;
    const condition = before === "absent" || moved !== undefined ? "absent" : before?.generation;
    const options: PutOptions = {
      ...(condition === undefined ? {} : { ifGeneration: condition }),
      ...(expiresAt >= never ? {} : { expiresAt }),
    };
    if ((await store.put(name, seal(newest, name, { value, expiresAt }), options)) === "conflict") {
      return false;
    }
    // The value of the older key goes last, so that it is never missing.
    await (moved === undefined ? undefined : store.delete(moved.name));
    return true;
  }

  const vault: Vault = {
    async get<T>(kind: string, id: string): Promise<Kept<T> | undefined> {
      const found = await find<T>(kind, id);
      return found === undefined ? undefined : { value: found.value, expiresAt: found.expiresAt };
    },
    async put(kind, id, kept) {
      await write(kind, id, kept, undefined);
      for (const key of keys.slice(1)) {
        await store.delete(nameOf(key, kind, id));
      }
    },
    async add(kind, id, kept) {
      return (await find(kind, id)) === undefined && write(kind, id, kept, "absent");
    },
    async take<T>(kind: string, id: string): Promise<Kept<T> | undefined> {
      const found = await find<T>(kind, id);
      if (found === undefined) {
        return undefined;
      }
      const isOurs = await store.delete(found.name, { ifGeneration: found.generation });
      return isOurs ? { value: found.value, expiresAt: found.expiresAt } : undefined;
    },
    async update<T>(kind: string, id: string, change: (before: Kept<T> | undefined) => Change<T>) {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const before = await find<T>(kind, id);
        const after = change(
          before === undefined ? undefined : { value: before.value, expiresAt: before.expiresAt },
        );
        if (after === "keep") {
          return before;
        }
        if (after === "delete") {
          if (
            before === undefined ||
            (await store.delete(before.name, { ifGeneration: before.generation }))
          ) {
            return undefined;
          }
        } else if (await write(kind, id, after, before ?? "absent")) {
          return after;
        }
      }
      throw new StoreError("STORE_FAILED", `A ${kind} of the broker is changed by too many requests.`);
    },
    async delete(kind, id) {
      for (const key of keys) {
        await store.delete(nameOf(key, kind, id));
      }
    },
    lock: (kind, id, signal) =>
      store.lock?.(`${nameOf(newest, kind, id)}:lock`, signal) ??
      Promise.resolve({ [Symbol.asyncDispose]: () => Promise.resolve() }),
    async check(scope) {
      const name = `broker-check:${createHash("sha256").update(scope).digest("base64url")}`;
      const stored = await store.get(name);
      if (stored === undefined) {
        const written = await store.put(name, seal(newest, name, { value: scope, expiresAt: never }), {
          ifGeneration: "absent",
        });
        // Another process was faster: its keys must be ours.
        return written === "conflict" ? vault.check(scope) : undefined;
      }
      const used = keys.find((key) => open(key, name, stored.value) !== undefined);
      if (used === undefined) {
        throw new TypeError(
          "keys of createBroker do not open what is in its store. All processes that share a store need the same keys; to replace a key, put the new key before the old key.",
        );
      }
      if (used !== newest) {
        await store.put(name, seal(newest, name, { value: scope, expiresAt: never }));
      }
    },
  };
  return vault;
}

interface Place {
  readonly key: Key;
  readonly name: string;
  readonly generation: number;
}

function deriveKey(secret: string): Key {
  const derived = (use: string): Buffer => Buffer.from(hkdfSync("sha256", secret, "tenon-broker", use, 32));
  return { seal: derived("seal"), name: derived("name") };
}

function seal(key: Key, name: string, kept: Kept<unknown>): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key.seal, nonce).setAAD(Buffer.from(name));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(kept)), cipher.final()]);
  return JSON.stringify(Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url"));
}

/** `undefined` for a value that another key has sealed, that is damaged, or that was moved. */
function open<T>(key: Key, name: string, text: string): Kept<T> | undefined {
  try {
    const bytes = Buffer.from(JSON.parse(text) as string, "base64url");
    const cipher = createDecipheriv("aes-256-gcm", key.seal, bytes.subarray(0, 12), { authTagLength: 16 });
    cipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(12, 28));
    return JSON.parse(
      Buffer.concat([cipher.update(bytes.subarray(28)), cipher.final()]).toString(),
    ) as Kept<T>;
  } catch {
    return undefined;
  }
}
